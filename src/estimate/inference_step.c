/* SPDX-License-Identifier: MIT */
/* Time of one pass over the layers: products, KV reads, prompt attention, element-wise traffic, collectives, host. */
#include <math.h>

#include "inference.h"

/* Arithmetic and weight traffic overlap: their p-norm, from a table of (1 + r^p)^(1/p). */
static double overlap(const struct infer *e, double a, double b) {
    double high = fmax(a, b), low = fmin(a, b);
    double at, part;
    int i;

    if (high <= 0) {
        return 0;
    }
    if (!isfinite(high)) {
        return high; /* a card or model beyond all measure: no place in the table */
    }
    at = low / high * INFER_NORM_STEPS;
    i = (int)at;
    part = at - i;
    return high * (e->norm[i] + part * (e->norm[i + 1] - e->norm[i]));
}

/* Products pad their tokens, and few tokens leave units idle: what the arithmetic of M tokens costs in tokens. */
static double token_factor(const struct infer *e, double tokens) {
    return (tokens + e->gemm_m0) * tokens / (tokens + e->gemm_m0 / 4);
}

static void add_gemm(struct infer_time *t, const struct infer *e, const struct infer_gemm *g, double factor,
                     double count) {
    double compute = g->compute * factor;
    double time = overlap(e, compute, g->read) * g->share * count;

    if (compute > g->read) {
        t->compute += time;
    } else {
        t->memory += time;
    }
}

/* Experts that at least one of the tokens chooses. */
static double experts_touched(const struct infer *e, double tokens) {
    double experts = e->model->experts, chosen = fmin(e->model->experts_active, experts);

    if (chosen >= experts) {
        return experts;
    }
    return experts * -expm1(tokens * log1p(-chosen / experts));
}

static void add_experts(struct infer_time *t, const struct infer *e, const struct infer_split *p, double tokens,
                        double layers) {
    const struct assumptions *a = e->a;
    double touched = experts_touched(e, tokens);

    if (touched <= 0) {
        return;
    }
    double factor = token_factor(e, tokens * e->model->experts_active / touched);
    double count = layers * p->expert_layers * touched * p->experts_here;

    add_gemm(t, e, &p->expert[0], factor, count);
    add_gemm(t, e, &p->expert[1], factor, count);
    t->memory +=
        layers * p->expert_layers *
        (assume_get(a, ASSUME_INFER_EXPERT_LAYER) + assume_get(a, ASSUME_INFER_EXPERT_TOKEN) * tokens / p->ranks) *
        1e-6;
}

static void add_decode_attention(struct infer_time *t, const struct infer *e, const struct infer_split *p,
                                 double layers, double sequences, double context) {
    double here = sequences / p->dpa * layers;
    double read = here * model_kv_tokens(e->model, context) * p->kv_read_layer / e->kv_stream;
    double compute = here * context * p->kv_compute_layer / e->attention_rate;

    if (compute > read) {
        t->compute += compute;
    } else {
        t->memory += read;
    }
    if (e->engine->unfused) {
        t->memory += here * context * assume_get(e->a, ASSUME_INFER_UNFUSED_DECODE) * 1e-9;
    }
}

static void add_prompt_attention(struct infer_time *t, const struct infer *e, const struct infer_split *p,
                                 double layers, double tokens, double before) {
    double pairs = layers * tokens / p->dpa * before;

    if (e->score_time > 0) {
        t->memory += pairs * p->scores_layer * e->score_time;
    } else {
        t->compute += pairs * p->attention_layer / e->attention_rate;
    }
}

static double collective(const struct infer_split *p, double bytes) {
    return p->reduce_latency + p->reduce_sync * bytes / (bytes + p->reduce_sync_half) + p->reduce_wire * bytes;
}

struct infer_time infer_step(const struct infer *e, const struct infer_split *p, double layers, double sequences,
                             double context, double tokens, double before) {
    struct infer_time t = {0};
    double all = sequences + tokens, here = all / p->dpa;
    double factor = token_factor(e, here);

    for (int i = 0; i < p->gemms; i++) {
        add_gemm(&t, e, &p->gemm[i], factor, layers);
    }
    if (p->expert_layers > 0) {
        add_experts(&t, e, p, all, layers);
    }
    if (sequences > 0) {
        add_gemm(&t, e, &p->head, token_factor(e, sequences / p->dpa), 1);
    }
    add_decode_attention(&t, e, p, layers, sequences, context);
    if (tokens > 0) {
        add_prompt_attention(&t, e, p, layers, tokens, before);
    }
    t.memory += layers * here * p->value_layer_s + p->offload_s * layers / p->layers;
    if (p->reduce_count > 0) {
        t.communication = layers * p->reduce_count * collective(p, 2 * all * e->model->hidden);
    }
    t.host = layers * e->layer_s;
    return t;
}

/* Causal attention: on average half of the prompt stands before a token; a window cuts it. */
double infer_prompt_context(const struct infer *e) {
    const struct model *m = e->model;
    double full = e->prefix + e->prompt / 2;
    double share = m->window > 0 ? m->window_share : 0;

    return (1 - share) * full + share * fmin(full, m->window);
}

/* The prompts of `sequences` requests in passes of at most a chunk, over all layers in turn. */
static double prefill_in_turn(const struct infer *e, const struct infer_split *p, double sequences) {
    double tokens = sequences * e->prompt;
    double passes = fmax(1, tokens / e->chunk);
    struct infer_time pass, head = {0};

    if (tokens <= 0) {
        return e->step_s;
    }
    pass = infer_step(e, p, e->model->layers, 0, 0, tokens / passes, infer_prompt_context(e));
    add_gemm(&head, e, &p->head, token_factor(e, sequences / p->dpa), 1); /* of the last tokens only */
    return passes * (infer_total(pass) + infer_total(head)) + e->step_s;
}

/* Micro-batches fill the stages one after the other and hand their activations on. */
double infer_prefill(const struct infer *e, const struct infer_split *p, double sequences) {
    const double piece_tokens = 512;
    double alone = prefill_in_turn(e, p, sequences), tokens = sequences * e->prompt;
    double pieces = fmin(assume_get(e->a, ASSUME_INFER_STAGE_PIECES), fmax(1, tokens / piece_tokens));

    if (p->pp <= 1) {
        return alone;
    }
    double stage = alone / (pieces * p->pp);
    return (pieces + p->pp - 1) * (stage + p->hop_s + p->hop_token_s * tokens / pieces);
}
