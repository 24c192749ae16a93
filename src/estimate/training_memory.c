/* SPDX-License-Identifier: MIT */
/*
 * Peak memory of the worst GPU. A peak is a maximum over moments, not a sum: the loss (all activations and the logits alive),
 * the end of backward (all gradients), the optimizer's step (a copy of what it works on), saving. docs/model-memory.md.
 */
#include <math.h>

#include "training.h"

/* Bytes. `sure` things are counted to a few per cent; the rest depends on software and on the tokens. */
struct parts {
    double weights, adapters, optimizer; /* always there */
    double fixed;                        /* context, workspace, dequantisation buffer */
    double gradients, unit_gradient, vocab_gradient;
    double step_copy, bucket, gather, save_copy;
    double kept, layer, logits; /* activations that wait for backward, one live layer, loss */
    bool accumulates;
};

struct moment {
    double sure, gradients, activations, logits, work;
    enum phase phase;
};

static double max_d(double a, double b) {
    return a > b ? a : b;
}

static double norm_bytes(const struct training *t) {
    if (t->job->model.norm == NORM_LAYER) {
        return assume_get(t->a, ASSUME_MEM_NORM_BYTES_FUSED);
    }
    return assume_get(t->a, t->tuned ? ASSUME_MEM_NORM_BYTES_COMPILED : ASSUME_MEM_NORM_BYTES_EAGER);
}

static double mlp_bytes(const struct training *t) {
    if (!t->job->model.gated) {
        return assume_get(t->a, ASSUME_MEM_PLAIN_BYTES);
    }
    return assume_get(t->a, t->tuned ? ASSUME_MEM_GATED_BYTES_COMPILED : ASSUME_MEM_GATED_BYTES);
}

static double score_bytes(const struct training *t) {
    if (t->x == 4) {
        return assume_get(t->a, ASSUME_MEM_SCORE_BYTES_FP32);
    }
    return t->flash ? 0
                    : assume_get(t->a, t->job->model.capped ? ASSUME_MEM_SCORE_BYTES_CAPPED : ASSUME_MEM_SCORE_BYTES);
}

/* Of seq_len that the longest batch really had, where a measured run says that it is only a maximum (fit). */
static double longest_share(const struct training *t) {
    return t->job->lengths == LENGTHS_BELOW && t->job->counter != COUNTER_PLAN
               ? assume_get(t->a, ASSUME_MEM_LONGEST_SHARE)
               : 1; /* whether it fits, the longest decides */
}

/* Its 4-bit layers keep casts of their inputs, and what is not 4-bit runs in fp32 outside a sharded wrapper. */
static bool bitsandbytes(const struct training *t) {
    return t->quantised && t->job->base == WEIGHTS_NF4 && !t->job->packed_base;
}

/* Activations of one layer, all kept. */
static double layer_activations(const struct training *t, const struct layout *l, double tokens) {
    const struct model *m = &t->job->model;
    double ad = (double)m->heads * m->head_dim, kd = (double)m->kv_heads * m->head_dim;
    double split = 2 * (2 * ad + 2 * kd) + mlp_bytes(t) * t->f;
    double whole = norm_bytes(t) * m->hidden;
    double a = tokens * (split / l->tp + whole / (l->seq_parallel ? l->tp : 1)) * (t->x / 2);

    a += score_bytes(t) * m->heads / l->tp * t->seq * longest_share(t) * tokens;
    return bitsandbytes(t) ? a * assume_get(t->a, ASSUME_MEM_QUANT_ACTIVATIONS) : a;
}

static double logit_bytes(const struct training *t) {
    if (t->job->logit_bytes > 0) {
        return t->job->logit_bytes;
    }
    if (t->job->loss == LOSS_CHUNKED) {
        return assume_get(t->a, ASSUME_MEM_LOGIT_BYTES_CHUNKED);
    }
    if (t->job->stack == STACK_EAGER || (t->job->counter != COUNTER_PLAN && !t->tuned)) { /* a run that says no other */
        return assume_get(t->a, ASSUME_MEM_LOGIT_BYTES_EAGER);
    }
    return assume_get(t->a, t->tuned ? ASSUME_MEM_LOGIT_BYTES_TUNED : ASSUME_MEM_LOGIT_BYTES);
}

/* A checkpoint of a layer's input: 16 bit, but 5 bytes where bitsandbytes lifts the residual stream to fp32. */
static double checkpoint_bytes(const struct training *t, const struct layout *l) {
    return bitsandbytes(t) && l->zero < 3 ? 5 : t->x;
}

static void activations(const struct training *t, const struct layout *l, bool first, bool last, struct parts *p) {
    const struct model *m = &t->job->model;
    double tokens = t->seq * longest_share(t) * l->micro_batch / l->cp;
    double layers = ceil((double)m->layers / l->pp);
    double flight = first ? fmin(l->accumulation, l->pp) : 1; /* micro-batches whose backward has not come yet */
    double a = layer_activations(t, l, tokens);
    double boundary = checkpoint_bytes(t, l) * tokens * m->hidden / (l->seq_parallel ? l->tp : 1);

    switch (l->recompute) {
    case RECOMPUTE_FULL:
        p->kept = boundary * layers * flight;
        p->layer = assume_get(t->a, ASSUME_MEM_LAYER_LIVE) * a;
        if (l->offload == OFFLOAD_ACTIVATIONS) {
            p->kept = 2 * boundary;
        }
        break;
    case RECOMPUTE_SELECTIVE: {
        double keeps = assume_get(t->a, ASSUME_MEM_SELECTIVE_KEEPS);
        if (training_megatron(t, l)) { /* only the scores are rebuilt; with flash there are none */
            double scores = t->flash ? 0 : score_bytes(t) * m->heads / l->tp * t->seq * longest_share(t) * tokens;
            keeps = (a - scores) / a;
        }
        p->kept = keeps * layers * a * flight;
        p->layer = (1 - keeps) * a;
        break;
    }
    case RECOMPUTE_NONE:
    case RECOMPUTE_AUTO:
    case RECOMPUTE_COUNT:
        p->kept = layers * a * flight;
        if (l->offload == OFFLOAD_ACTIVATIONS) {
            p->kept = 2 * a;
        }
        break;
    }
    if (last) {
        p->logits = t->head_share * tokens * m->vocab / l->tp * logit_bytes(t);
    }
}

static double base_bytes(const struct training *t, double plain) {
    if (!t->quantised) {
        return plain;
    }
    return t->job->base == WEIGHTS_NF4 ? assume_get(t->a, ASSUME_MEM_NF4_BYTES) : weight_format_bytes(t->job->base);
}

static void states(const struct training *t, const struct layout *l, struct parts *p) {
    struct train_state s = training_state(t, l);
    double layers = ceil((double)t->job->model.layers / l->pp);
    double d3 = l->zero == 3 ? l->shard : 1, d2 = l->zero >= 2 ? l->shard : 1, d1 = l->zero >= 1 ? l->shard : 1;
    double linear = layers * (t->layer_dense / l->tp + t->layer_experts / l->tp / l->ep);
    double other = layers * t->layer_other;
    double vocab = (l->pp > 1 ? t->vocab_params : t->n.embedding + t->n.head) / l->tp;
    double largest_layer = t->layer_dense / l->tp + t->layer_experts / l->tp / l->ep + t->layer_other;
    double lift = bitsandbytes(t) && l->zero < 3 ? 2 : 1; /* head, table and norms go to fp32 */
    double all = linear + other + vocab;
    double trained = all;

    p->weights = (linear * base_bytes(t, s.weights) + (other + vocab) * s.weights * lift) / d3;
    if (t->adapters) {
        double adapter = t->adapter_params / l->tp / l->pp;
        double tables = t->job->train_embeddings ? vocab : 0;
        trained = tables;
        /* fp32 adapters: weight, gradient, two moments; trained tables: a 16-bit copy and gradient, fp32 moments */
        p->adapters = (4 * adapter + 2 * tables) / d3;
        p->optimizer = (8 * adapter + 8 * tables) / (l->zero >= 1 ? l->shard : 1);
        p->gradients = (4 * adapter + 2 * tables) / d2;
    } else {
        p->optimizer = s.optimizer * all / d1;
        p->gradients = s.gradients * all / d2;
        p->step_copy = s.step_copy * all / d1;
        if (l->zero == 1 || l->zero == 2) { /* the flattened 16-bit gradients exist beside their fp32 copy */
            p->step_copy += 2 * all / d1;
            p->bucket = assume_get(t->a, ASSUME_MEM_ZERO_BUCKET_GB) * NUM_GB;
        }
        if (l->zero == 3 && t->job->strategy == STRATEGY_ZERO3) {
            p->step_copy = fmin(p->step_copy, assume_get(t->a, ASSUME_MEM_ZERO3_GROUP_GB) * NUM_GB);
        }
        if (l->zero == 3 && l->grad_sync != GRAD_SYNC_EACH &&
            l->accumulation > 1) { /* no_sync, the habit where nothing is said, keeps whole gradients */
            p->gradients = 2 * all;
        }
        if (l->zero < 3) {
            p->vocab_gradient = 2 * vocab;
        }
        if (l->zero == 3 && l->shard > 1) { /* shards or a gather in host memory, unless the trainer is known not to */
            p->save_copy = assume_get(t->a, ASSUME_MEM_SAVE_COPIES) * s.weights * all;
        }
        bool paged = t->job->optimizer == OPTIMIZER_PAGED_ADAMW || t->job->optimizer == OPTIMIZER_PAGED_ADAMW_8BIT;
        if (t->job->fused_step || (paged && l->accumulation == 1)) { /* stepped inside backward, layer by layer */
            p->gradients = 0;
            p->step_copy = 0;
        }
        if (t->job->fused_optimizer) {
            p->step_copy = 0;
        }
    }
    if (t->adapters && l->zero == 3 && t->year <= 2023) { /* one flat unit: the whole model is gathered at once */
        p->weights *= l->shard + 1;
    } else if (l->zero == 3 && l->shard > 1) {
        double gathered = t->quantised ? base_bytes(t, 2) : s.gathered;
        double gathered_layers = largest_layer;

        if (t->job->strategy == STRATEGY_ZERO3) { /* DeepSpeed keeps up to 1e9 gathered parameters alive for reuse */
            gathered_layers = max_d(largest_layer, fmin(1e9, linear));
        }
        p->gather = s.gathered * max_d(vocab, largest_layer) + gathered * gathered_layers;
        p->unit_gradient = trained > 0 ? (t->job->task == TASK_PRETRAIN ? 4 : 2) * max_d(vocab, largest_layer) : 0;
    }
    if (l->offload == OFFLOAD_OPTIMIZER || l->offload == OFFLOAD_PARAMS) {
        p->optimizer = 0;
        p->step_copy = 0;
    }
    if (l->offload == OFFLOAD_PARAMS) { /* two layers and the table on the card, the rest in host memory */
        p->weights = fmin(p->weights, s.gathered * (2 * largest_layer + vocab));
        p->gradients = fmin(p->gradients, s.gathered * largest_layer);
    }
}

static void fixed_parts(const struct training *t, struct parts *p) {
    bool whole_card = t->job->counter == COUNTER_PLAN || t->job->counter == COUNTER_NVIDIA_SMI;

    p->fixed = assume_get(t->a, ASSUME_MEM_WORKSPACE_GIB) * NUM_GIB;
    if (whole_card) { /* a framework's own counters do not see the context */
        p->fixed += assume_get(t->a, ASSUME_MEM_CONTEXT_GIB) * NUM_GIB;
    }
    if (whole_card && t->gpus > 1) {
        p->fixed += assume_get(t->a, ASSUME_MEM_CONTEXT_MULTI_GIB) * NUM_GIB;
    }
    if (t->quantised) {
        p->fixed += assume_get(t->a, ASSUME_MEM_DEQUANT_BUFFER) * 2 * t->job->model.hidden *
                    max_d(t->job->model.ffn, t->job->model.expert_ffn);
    }
}

/* Reserved over allocated, by what was read: lengths that change leave holes, and logits are the largest blocks. */
static const struct {
    enum length_kind lengths;
    enum assume_id logits, activations;
} reserved[] = {{LENGTHS_UNSTATED, ASSUME_MEM_RESERVED_UNSTATED, ASSUME_MEM_RESERVED_UNSTATED},
                {LENGTHS_FIXED, ASSUME_MEM_RESERVED_FIXED, ASSUME_MEM_RESERVED_FIXED},
                {LENGTHS_VARY, ASSUME_MEM_RESERVED_LOGITS, ASSUME_MEM_RESERVED_VARYING},
                {LENGTHS_BELOW, ASSUME_MEM_RESERVED_LOGITS, ASSUME_MEM_RESERVED_VARYING}};

static void fragmentation(const struct training *t, double *logits, double *activations_factor) {
    *logits = *activations_factor = 1;
    if (t->job->counter == COUNTER_PLAN) {
        *logits = *activations_factor = assume_get(t->a, ASSUME_MEM_FRAGMENTATION);
    } else if (t->job->counter != COUNTER_ALLOCATED) {
        for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
            if (reserved[i].lengths == t->job->lengths) {
                *logits = assume_get(t->a, reserved[i].logits);
                *activations_factor = assume_get(t->a, reserved[i].activations);
            }
        }
    }
}

static double moment_total(const struct moment *m) {
    return m->sure + m->gradients + m->activations + m->logits + m->work;
}

static struct moment worst_moment(const struct training *t, const struct layout *l, const struct parts *p, double scale,
                                  bool cached) {
    double fl = 1, fa = 1;
    if (cached) {
        fragmentation(t, &fl, &fa);
    }
    double kept = fa * p->kept * scale, layer = fa * p->layer * scale, logits = fl * p->logits * scale;
    double held = p->accumulates ? p->gradients : 0;
    double layers = ceil((double)t->job->model.layers / l->pp);
    struct moment all[] = {
        {0, held, kept, logits, p->gather, PHASE_LOSS},
        {0, held, kept + layer, 0, p->gather + p->unit_gradient, PHASE_TRAIN},
        {0, p->gradients + (l->zero == 3 ? p->unit_gradient : p->vocab_gradient), kept / layers + layer, 0, p->gather,
         PHASE_BACKWARD_END},
        {0, p->gradients, 0, 0, (p->step_copy + p->bucket) * scale, PHASE_OPTIMIZER_STEP},
        {0, 0, 0, 0, p->save_copy, PHASE_SAVE},
    };
    struct moment *worst = &all[0];

    for (size_t i = 1; i < sizeof all / sizeof all[0]; i++) {
        if (moment_total(&all[i]) > moment_total(worst)) {
            worst = &all[i];
        }
    }
    worst->sure = p->weights + p->adapters + p->optimizer + p->fixed;
    return *worst;
}

/* How far the part that depends on the tokens spreads, by what was read (fit): below, above. */
static void spread_of(const struct training *t, const struct layout *l, double *low, double *high) {
    *low = assume_get(t->a, ASSUME_MEM_SPREAD_LOW);
    *high = assume_get(t->a, ASSUME_MEM_SPREAD_HIGH);
    if (t->job->counter == COUNTER_ALLOCATED) {
        *low = t->job->counter_active ? 0.60 : bitsandbytes(t) ? 0.25 : 0.22;
        *high = t->job->counter_active ? 0.25 : bitsandbytes(t) ? 0.35 : 0.22;
    } else if (t->job->counter != COUNTER_PLAN) {
        *low = 0.28;
        *high = 0.32;
    }
    if (t->job->lengths == LENGTHS_BELOW) {
        *low = 0.55;
        *high = 1.0;
    }
    if (l->zero == 3 && l->grad_sync == GRAD_SYNC_AUTO) {
        *high = 1.2;
    }
}

/* The allocator gives cached blocks back before it fails, so what it has reserved stays within the card. */
static void cap_reserved(const struct training *t, const struct layout *l, const struct parts *p, struct moment *m) {
    const double unreservable = 0.6 * NUM_GIB; /* context and driver (measured) */
    double live, limit, over;

    if (t->job->counter != COUNTER_RESERVED && t->job->counter != COUNTER_NVIDIA_SMI) {
        return;
    }
    struct moment bare = worst_moment(t, l, p, 1, false);
    live = 1.03 * moment_total(&bare);
    limit = max_d(live, t->shape->vram_gib * NUM_GIB - unreservable);
    over = moment_total(m) - limit;
    if (over > 0) {
        double soft = m->activations + m->logits;
        double left = soft > 0 ? max_d(0, soft - over) / soft : 0;
        m->activations *= left;
        m->logits *= left;
    }
}

static void evaluate(const struct training *t, const struct layout *l, bool first, bool last,
                     struct train_memory *out) {
    struct parts p = {0};
    struct moment m, low, high;
    double below, above;
    double sure = assume_get(t->a, ASSUME_MEM_SPREAD_SURE) +
                  (t->quantised ? 0.02 : 0); /* formats of the base differ by as much */

    p.accumulates = l->accumulation > 1 && !t->job->counter_active;
    states(t, l, &p);
    activations(t, l, first, last, &p);
    fixed_parts(t, &p);
    m = worst_moment(t, l, &p, 1, true);
    cap_reserved(t, l, &p, &m);
    spread_of(t, l, &below, &above);
    low = worst_moment(t, l, &p, 1 - below, true);
    high = worst_moment(t, l, &p, 1 + above, true);
    cap_reserved(t, l, &p, &low);
    cap_reserved(t, l, &p, &high);
    out->need.expected = moment_total(&m) / NUM_GIB;
    out->need.low = (moment_total(&low) - sure * (m.sure + m.gradients)) / NUM_GIB;
    out->need.high = (moment_total(&high) + sure * (m.sure + m.gradients)) / NUM_GIB;
    out->part[MEMORY_WEIGHTS] = (p.weights + p.adapters) / NUM_GIB;
    out->part[MEMORY_GRADIENTS] = m.gradients / NUM_GIB;
    out->part[MEMORY_OPTIMIZER] = p.optimizer / NUM_GIB;
    out->part[MEMORY_ACTIVATIONS] = m.activations / NUM_GIB;
    out->part[MEMORY_LOGITS] = m.logits / NUM_GIB;
    out->part[MEMORY_KV_CACHE] = 0;
    out->part[MEMORY_WORKSPACE] = (p.fixed + m.work) / NUM_GIB;
    out->phase = m.phase;
}

static void trace_memory(const struct training *t, const struct layout *l, bool first, bool last,
                         const struct train_memory *m, struct trace *trace) {
    struct parts p = {0};
    struct train_state s = training_state(t, l);

    states(t, l, &p);
    activations(t, l, first, last, &p);
    fixed_parts(t, &p);
    trace_add(trace, TRACE_MEMORY_STATE_BYTES, s.weights + s.gradients + s.optimizer, -1);
    trace_add(trace, TRACE_MEMORY_WEIGHTS_TOTAL, (p.weights + p.adapters) / NUM_GIB,
              t->quantised ? (int)ASSUME_MEM_NF4_BYTES : -1, -1);
    trace_add(trace, TRACE_MEMORY_OPTIMIZER_TOTAL, p.optimizer / NUM_GIB, -1);
    trace_add(trace, TRACE_MEMORY_GRADIENTS_TOTAL, p.gradients / NUM_GIB, -1);
    trace_add(trace, TRACE_MEMORY_LAYER, p.layer / NUM_GIB, ASSUME_MEM_LAYER_LIVE, -1);
    trace_add(trace, TRACE_MEMORY_KEPT, p.kept / NUM_GIB, ASSUME_MEM_FRAGMENTATION, -1);
    trace_add(trace, TRACE_MEMORY_LOGITS_TOTAL, p.logits / NUM_GIB,
              t->job->loss == LOSS_CHUNKED ? ASSUME_MEM_LOGIT_BYTES_CHUNKED
              : t->tuned                   ? ASSUME_MEM_LOGIT_BYTES_TUNED
                                           : ASSUME_MEM_LOGIT_BYTES,
              ASSUME_MEM_FRAGMENTATION, -1);
    trace_add(trace, TRACE_MEMORY_GATHER, p.gather / NUM_GIB, -1);
    trace_add(trace, TRACE_MEMORY_STEP_COPY, (p.step_copy + p.bucket) / NUM_GIB, ASSUME_MEM_ZERO_BUCKET_GB, -1);
    trace_add(trace, TRACE_MEMORY_FIXED, p.fixed / NUM_GIB, ASSUME_MEM_CONTEXT_GIB, ASSUME_MEM_CONTEXT_MULTI_GIB,
              ASSUME_MEM_WORKSPACE_GIB, ASSUME_MEM_DEQUANT_BUFFER, -1);
    trace_add(trace, TRACE_MEMORY_TOTAL, m->need.expected, ASSUME_MEM_SPREAD_SURE, ASSUME_MEM_SPREAD_LOW,
              ASSUME_MEM_SPREAD_HIGH, -1);
    trace_add(trace, TRACE_MEMORY_CAPACITY, t->shape->vram_gib, -1);
}

void training_memory(const struct training *t, const struct layout *l, struct trace *trace, struct train_memory *out) {
    bool whole = l->pp == 1, last = whole;

    evaluate(t, l, true, whole, out);
    if (!whole) { /* the first stage holds more micro-batches, the last one the logits */
        struct train_memory other;
        evaluate(t, l, false, true, &other);
        last = other.need.expected > out->need.expected;
        if (last) {
            *out = other;
        }
    }
    if (trace != NULL) {
        trace_memory(t, l, whole || !last, last, out, trace);
    }
}
