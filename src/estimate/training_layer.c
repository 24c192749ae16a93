/* SPDX-License-Identifier: MIT */
/* Seconds of one layer for one micro-batch, forward, before recompute, sharding and pipelining. */
#include <math.h>

#include "training.h"

static double min_d(double a, double b) {
    return a < b ? a : b;
}

/* Routed experts: each of the E/e local experts gets T k_e e / E rows, so small batches leave small matrices. */
static double expert_gemms(const struct training *t, const struct layout *l, double tokens) {
    const struct model *m = &t->job->model;
    double local = (double)m->experts / l->ep;
    double rows = tokens * m->experts_active * l->ep / m->experts;
    double width = (double)m->expert_ffn / l->tp;
    double h = m->hidden;
    double up = training_gemm(t, t->flops, rows, (m->gated ? 2 : 1) * width, h);
    double down = training_gemm(t, t->flops, rows, h, width);
    double loop =
        t->tuned ? 1
                 : assume_get(t->a, ASSUME_TRAIN_MOE_LOOP) / 0.5; /* against 0.5: what a default dense layer reaches */

    return local * (up + down) / min_d(loop, 1);
}

static void mlp_gemms(const struct training *t, const struct layout *l, double tokens, struct train_layer *out) {
    const struct model *m = &t->job->model;
    double h = m->hidden, up = m->gated ? 2 : 1;
    double dense = m->ffn, shared = m->shared_ffn;

    if (dense > 0 && t->moe_share < 1) {
        double width = dense / l->tp;
        out->down = (1 - t->moe_share) * training_gemm(t, t->flops, tokens, h, width);
        out->gemm += out->down + (1 - t->moe_share) * training_gemm(t, t->flops, tokens, up * width, h);
    }
    if (t->moe_share > 0) {
        out->gemm += t->moe_share * expert_gemms(t, l, tokens);
        if (shared > 0) {
            double width = shared / l->tp;
            out->gemm += t->moe_share * (training_gemm(t, t->flops, tokens, up * width, h) +
                                         training_gemm(t, t->flops, tokens, h, width));
        }
    }
}

static void projections(const struct training *t, const struct layout *l, double tokens, struct train_layer *out) {
    const struct model *m = &t->job->model;
    double h = m->hidden, d = m->head_dim, a = m->heads, k = m->kv_heads;

    if (m->mla_rank > 0) { /* compressed projections: their parameters stand for their work */
        double n = t->n.attention_layer / h / l->tp;
        out->gemm += training_gemm(t, t->flops, tokens, n, h);
        return;
    }
    out->gemm += training_gemm(t, t->flops, tokens, (a + 2 * k) * d / l->tp, h);
    out->gemm += training_gemm(t, t->flops, tokens, h, a * d / l->tp);
}

/* Mean tokens that one token attends to, times two for a causal mask: s, or the window. */
static double attended(const struct training *t, const struct layout *l, double tokens) {
    const struct model *m = &t->job->model;
    double s = t->job->packing ? t->seq : tokens * l->cp / l->micro_batch;

    if (m->window > 0 && m->window < s) {
        return m->window_share * 2 * m->window * (1 - m->window / (2 * s)) + (1 - m->window_share) * s;
    }
    return s;
}

static void attention(const struct training *t, const struct layout *l, double tokens, struct train_layer *out) {
    const struct model *m = &t->job->model;
    double s = attended(t, l, tokens), heads = (double)m->heads / l->tp, d = m->head_dim;
    double both_ways = t->bert || t->image ? 2 : 1; /* no causal mask */

    if (t->flash) {
        out->attention = both_ways * 2 * tokens * s * heads * d / t->attention_flops;
        out->attention_backward = assume_get(t->a, ASSUME_TRAIN_BACKWARD_FLASH) * out->attention;
        return;
    }
    double n0 = assume_get(t->a, ASSUME_TRAIN_GEMM_N0);
    double gemms =
        4 * tokens * s * heads * d / (assume_get(t->a, ASSUME_TRAIN_UNFUSED_GEMM) * t->flops) * (1 + t->unit * n0 / d);
    double scores =
        assume_get(t->a, ASSUME_TRAIN_SCORE_BYTES) * t->x * tokens * s * heads / (t->tuned ? t->bw : t->bw_eager);
    out->attention = gemms + scores;
    out->attention_backward = 2 * out->attention;
}

static void elementwise(const struct training *t, const struct layout *l, double tokens, struct train_layer *out) {
    const struct model *m = &t->job->model;
    double h = t->h_passes * m->hidden / (l->seq_parallel ? l->tp : 1);
    double f = t->f_passes * (m->gated ? 2 : 1) * t->f / l->tp;

    out->elementwise = t->x * tokens * (h + f) / (t->tuned ? t->bw : t->bw_eager);
    out->gaps = t->kernels * assume_get(t->a, ASSUME_TRAIN_KERNEL_GAP_US) * 1e-6;
}

static void adapter_traffic(const struct training *t, const struct layout *l, double tokens, struct train_layer *out) {
    const struct model *m = &t->job->model;
    double touched = (double)(m->heads + 2 * m->kv_heads) * m->head_dim + 2.0 * m->hidden + (m->gated ? 3 : 2) * t->f;

    if (t->adapters && !t->tuned) {
        double passes = assume_get(t->a, t->year <= 2023 ? ASSUME_TRAIN_LORA_PASSES_OLD : ASSUME_TRAIN_LORA_PASSES);
        out->adapters = passes * t->share_lora * 2 * tokens * touched / l->tp / t->bw;
    }
}

static void model_parallel(struct training *t, const struct layout *l, double tokens, struct train_layer *out) {
    const struct model *m = &t->job->model;

    if (l->tp > 1) {
        bool asynchronous = t->tuned && t->year >= 2024;
        double exposed = assume_get(t->a, asynchronous ? ASSUME_TRAIN_TP_EXPOSED : ASSUME_TRAIN_TP_EXPOSED_DEFAULT);
        out->tp_once = exposed * training_allreduce(t, training_span(t, l->tp, 1), 2 * tokens * m->hidden);
    }
    if (l->cp > 1) { /* keys and values go once round the ring; three times with the backward pass */
        double bytes = 2 * 2.0 * m->kv_heads * m->head_dim / l->tp * tokens * (l->cp - 1);
        double ring = bytes / training_ring_bw(t, training_span(t, l->cp, l->tp));
        out->cp = 3 * fmax(0, ring - 0.7 * out->attention);
    }
    if (l->ep > 1) { /* four all-to-all: out and back, forward and backward */
        struct span g = training_span(t, l->ep, l->tp);
        double bytes = (l->ep - 1.0) / l->ep * tokens * m->experts_active * m->hidden * 2 *
                       assume_get(t->a, ASSUME_TRAIN_EP_IMBALANCE);
        out->ep = 4 * t->moe_share * bytes / training_ring_bw(t, g);
    }
}

void training_layer(struct training *t, const struct layout *l, struct train_layer *out) {
    double tokens = training_pass_tokens(t, l);

    *out = (struct train_layer){0};
    projections(t, l, tokens, out);
    mlp_gemms(t, l, tokens, out);
    attention(t, l, tokens, out);
    elementwise(t, l, tokens, out);
    adapter_traffic(t, l, tokens, out);
    model_parallel(t, l, tokens, out);
    out->params = t->layer_dense / l->tp + t->layer_experts / l->tp / l->ep + t->layer_other;
    out->linear_params = t->layer_dense / l->tp + t->layer_experts / l->tp / l->ep;
}
