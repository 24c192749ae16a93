/* SPDX-License-Identifier: MIT */
/*
 * Private to the inference model: what a job is on one card with one engine (struct infer, made once a search), and what it
 * is spread over ranks and stages (struct infer_split, made once a layout). Times are seconds, sizes bytes, rates a second.
 * Formulas: docs/model-inference.md.
 */
#ifndef GPUPLAN_ESTIMATE_INFERENCE_H
#define GPUPLAN_ESTIMATE_INFERENCE_H

#include <stdbool.h>

#include "internal.h"
#include "gpuplan/estimate/engine.h"

enum { INFER_NORM_STEPS = 64, INFER_GEMMS = 12, INFER_BLOCK_TOKENS = 16 /* KV cache blocks of the paged engines */ };

struct infer {
    const struct catalog *catalog;
    const struct job *job;
    const struct shape *shape;
    const struct assumptions *a;
    const struct engine *engine;
    const struct model *model;
    struct model_counts counts;

    /* load, resolved: lengths of one request */
    double input, output, prefix;
    double prompt; /* input - prefix: computed for every request */
    bool natural;  /* answers end by themselves: their lengths scatter */

    /* formats */
    double layer_bytes, head_bytes, kv_bytes; /* a value, as the kernels read it */
    double stored_bytes;                      /* a weight of the linear layers, as it lies in memory */
    double token_table_bytes;                 /* a weight of embedding and head in memory */
    bool weight_only, fp8_rate, fp4_rate;

    /* what the card gives */
    double bandwidth;                                          /* nominal */
    double layer_rate, expert_rate, head_rate, attention_rate; /* FLOP/s that large products reach */
    double layer_stream, head_stream, kv_stream, value_stream; /* bytes/s */
    double score_time;                                         /* seconds a score of unfused attention; 0 = fused */
    double gemm_m0, gemm_n0, gemm_n0_head, gemm_k0;
    double layer_s, step_s, sequence_s;
    double chunk;                      /* prompt tokens of one pass */
    double cap;                        /* sequences at once */
    double norm[INFER_NORM_STEPS + 2]; /* (1 + r^p)^(1/p) for r = 0 .. 1 */
};

/* A matrix product of one layer (or the head): arithmetic a unit of the token factor, weight traffic, share of the layers. */
struct infer_gemm {
    double compute, read, share;
};

struct infer_split {
    struct layout layout;
    double tp, pp, dpa; /* tensor ranks, stages, ranks with data-parallel attention */
    double ranks;       /* tp x dpa: GPUs of a stage */
    double replicas;
    double layers;  /* of the longest stage */
    bool over_pcie; /* the ranks talk over PCIe */

    struct infer_gemm gemm[INFER_GEMMS];
    int gemms;
    struct infer_gemm expert[2], head;
    double experts_here;  /* share of the touched experts that one GPU computes */
    double expert_layers; /* share of the layers that are mixtures */

    double kv_token;         /* bytes one token of context takes on one GPU of the longest stage */
    double kv_read_layer;    /* bytes of one layer read for a token of context */
    double kv_compute_layer; /* FLOPs of one layer for a token of context while decoding (MLA only) */
    double attention_layer;  /* FLOPs of one layer: a prompt token and a token of context before it */
    double scores_layer;     /* scores of the same */
    double value_layer_s;    /* element-wise traffic of one layer and token */
    double reduce_count;     /* collectives a layer */
    double reduce_latency, reduce_sync, reduce_sync_half, reduce_wire; /* s, s, bytes, s/byte */
    double hop_s, hop_token_s;                                         /* between stages */
    double rank_sync_s;
    double offload_s; /* weights that come over PCIe in every pass */

    double weight_bytes, offloaded_bytes;
    double pass_bytes; /* of the next, what is free again after the prompt (engines without a pool) */
    double work_bytes; /* activations of one pass and fixed buffers */
    double room;       /* for the KV cache; may be negative */
};

struct infer_time {
    double compute, memory, communication, host;
};
static inline double infer_total(struct infer_time t) {
    return t.compute + t.memory + t.communication + t.host;
}

/* What one replica does under its share of the load. */
struct infer_answer {
    double batch; /* sequences at work */
    double output_s, total_s, prefill_s, decode_s,
        requests_s;                    /* tokens (requests) a second; NUM_UNKNOWN where meaningless */
    double ttft, itl, e2e;             /* s, means */
    double ttft_slo, itl_slo, e2e_slo; /* s, at the percentile of the targets */
    double capacity;                   /* requests a second this replica can sustain at the targets */
    double capacity_batch;             /* sequences at once at the targets */
    bool overloaded, burst;
    struct infer_time step; /* one decode step */
};

void infer_init(struct infer *e, const struct catalog *c, const struct job *j, const struct shape *s,
                const struct assumptions *a);
void infer_split_init(struct infer_split *p, const struct infer *e, const struct layout *l);
void infer_split_link(struct infer_split *p, const struct infer *e);
void infer_split_memory(struct infer_split *p, const struct infer *e);

/* One pass over `layers` layers: `sequences` decode at `context` tokens, `tokens` prompt tokens are added, each behind `before`
 * tokens on average. */
struct infer_time infer_step(const struct infer *e, const struct infer_split *p, double layers, double sequences,
                             double context, double tokens, double before);
/* The prompts of `sequences` requests through all stages. */
double infer_prefill(const struct infer *e, const struct infer_split *p, double sequences);
/* Mean context before a prompt token, over the layers. */
double infer_prompt_context(const struct infer *e);

/* Sequences that the KV room holds when each is charged `share` of its answer; at least 0. */
double infer_room_sequences(const struct infer *e, const struct infer_split *p, double share);
/* KV bytes of a sequence of `tokens` tokens on one GPU. */
double infer_kv_bytes(const struct infer *e, const struct infer_split *p, double tokens);
double infer_max_len(const struct infer *e, const struct infer_split *p);
void infer_memory(const struct infer *e, const struct infer_split *p, struct estimate *out);

/* One pass of a stage while b sequences are at work in the replica. */
struct infer_pass {
    double mean, decode, prompt; /* s: on average, without and with prompts */
    double prompt_share;         /* of the passes that carry prompts */
    double carried;              /* prompt tokens of such a pass */
};
/* Prompts in chunks as large as a full queue gives them, or one at a time as requests come. */
struct infer_pass infer_pass_full(const struct infer *e, const struct infer_split *p, double b);
struct infer_pass infer_pass_single(const struct infer *e, const struct infer_split *p, double b);
double infer_rate(const struct infer_split *p, const struct infer_pass *t, double b); /* output tokens a second */
double infer_output_tokens(const struct infer *e);                                    /* of one answer, at least 1 */
double infer_largest_batch(const struct infer *e, const struct infer_split *p);
void infer_decode_step(const struct infer *e, const struct infer_split *p, double b, struct infer_answer *r);

void infer_serve_fixed(const struct infer *e, const struct infer_split *p, struct infer_answer *r);
void infer_serve_offline(const struct infer *e, const struct infer_split *p, struct infer_answer *r);
void infer_serve(const struct infer *e, const struct infer_split *p, struct infer_answer *out);
/* Half widths in log of every figure -> ranges of the estimate. */
void infer_ranges(const struct infer *e, const struct infer_split *p, const struct infer_answer *r,
                  struct estimate *out);

/* Requests of a batch job that does not say: enough for a steady state, or what the engine's own benchmark sends. */
double infer_requests(const struct infer *e);

#endif
