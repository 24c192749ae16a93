/* SPDX-License-Identifier: MIT */
/*
 * A transformer's shape and the counts that follow from it. Formulas: data/models.csv rows agree with the published totals
 * within 1 % (tested). Models are plain values: copy freely.
 */
#ifndef GPUPLAN_WORKLOAD_MODEL_H
#define GPUPLAN_WORKLOAD_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/err.h"

enum model_class { MODEL_DECODER, MODEL_BERT /* encoder: bidirectional, eager kernels of its time */, MODEL_IMAGE /* diffusion transformer: no logits */ };
enum norm_kind { NORM_RMS, NORM_LAYER };

struct model {
    char name[64];
    enum model_class cls;
    enum norm_kind norm;
    int layers, hidden, heads, kv_heads, head_dim;
    int ffn;            /* MLP width of a dense layer; 0 if every layer is a mixture */
    bool gated;         /* three matrices (gate, up, down) instead of two */
    int vocab;
    bool tied;          /* the head shares the embedding's weights */
    bool qkv_bias, mlp_bias;
    int position_rows;  /* learned position embeddings, rows; 0 = none */
    int experts;        /* routed experts a layer; 0 = dense */
    int experts_active; /* routed experts a token */
    int expert_ffn;     /* width of one expert */
    int shared_ffn;     /* total width of always-active shared experts; 0 = none */
    int dense_layers;   /* of a mixture: layers with a dense MLP, leading or interleaved */
    int window;         /* sliding window, tokens; 0 = none */
    double window_share;/* share of the layers that have it (0..1) */
    bool capped;        /* attention scores pass a tanh, which few fused kernels know */
    int mla_rank;       /* compressed KV width (DeepSeek MLA); 0 = none */
    int mla_rope_dim;   /* shared rotary key width */
    int mla_q_rank;     /* compressed query width; 0 = full */
    int mla_nope_dim, mla_v_dim; /* per head */
    int max_positions;  /* longest context it was made for; 0 = unknown */
    /* Published totals; NUM_UNKNOWN. Counts below win; only an image transformer's surplus (copies by modality) is added to them. */
    double params_stated, params_active_stated;
};

/* Parameter counts, plain numbers (not billions). */
struct model_counts {
    double total, active;       /* active: touched by one token, embedding and head counted whole; dense: = total */
    double embedding;           /* token table */
    double head;                /* 0 when tied */
    double attention_layer;     /* one layer */
    double mlp_layer;           /* one dense layer (0 if none is dense) */
    double experts_layer;       /* routed experts of one mixture layer */
    double expert;              /* one routed expert */
    double shared_layer;        /* router + shared experts of one mixture layer */
    double norms_layer;
    double linear;              /* all that a weight format compresses: total - embedding - head - norms - positions */
};
struct model_counts model_count(const struct model *m);
/* Bytes of KV cache one token needs in the whole model at `bytes` a value; windows are not applied here. MLA: (rank + rope) a layer. */
double model_kv_bytes_per_token(const struct model *m, double bytes);
/* The same on one GPU of a tp x pp group: KV heads are replicated when tp > kv_heads; MLA is replicated on every rank. */
double model_kv_bytes_per_token_gpu(const struct model *m, double bytes, int tp, int pp);
/* Tokens of KV kept for a context of c tokens, averaged over layers (windows). */
double model_kv_tokens(const struct model *m, double context);

struct models;
struct models *models_load(struct err *err);
void models_free(struct models *ms);
size_t models_count(const struct models *ms);
const struct model *models_at(const struct models *ms, size_t i);
/* Folds case, '-', '_', '.', blanks; drops the organisation and endings such as -instruct; aliases; NULL. */
const struct model *models_find(const struct models *ms, const char *name);
const char *models_nearest(const struct models *ms, const char *name);

/* Bytes of a Hugging Face config.json in, model out. Missing or impossible keys are named in err. */
bool model_from_config(const char *bytes, size_t len, const char *name, struct model *out, struct err *err);
/*
 * Completes a shape of which only some fields are known from params_stated: gated or plain MLP, tied or untied head (the
 * nearest count wins), vocab among the usual ones. Returns false if layers or hidden cannot be found.
 */
bool model_complete(struct model *m);
/* The same; gated and tied are only chosen where they are open, else they are facts. */
bool model_complete_open(struct model *m, bool gated_open, bool tied_open);
/* A shape for "a 13B model" of which nothing but the count is known: the usual proportions of that size. */
void model_from_params(double params, struct model *out);
bool model_validate(const struct model *m, struct err *err);

#endif
