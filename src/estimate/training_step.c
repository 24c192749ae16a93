/* SPDX-License-Identifier: MIT */
/* From one layer to the step: recompute, sharding, pipeline, gradient exchange, optimizer, stragglers. */
#include <math.h>

#include "training.h"

/* Everything a step is made of, seconds; pieces that repeat are for one micro-batch on one stage. */
struct pieces {
    double layers;          /* of the worst stage */
    double compute, memory; /* of a layer's forward, backward, recompute */
    double backward;        /* of the stage, all kinds */
    double comm;            /* of the stage: tensor, context, expert exchange, and what sharding does not hide */
    double hidden;          /* sharding traffic that runs behind compute */
    double head, head_memory;
    double host;  /* what launching adds */
    double micro; /* stage as it comes out, with all of the above but the head */
};

static double sixth_power_sum(double a, double b) {
    double m = fmax(a, b), r = m > 0 ? fmin(a, b) / m : 0;
    double r2 = r * r;

    return m > 0 ? m * sqrt(cbrt(1 + r2 * r2 * r2)) : 0;
}

/* Share of a forward pass that is done again, and whether the down projection is left out of it. */
static double recompute_share(const struct training *t, const struct layout *l) {
    if (l->recompute == RECOMPUTE_FULL) {
        return 1;
    }
    return l->recompute == RECOMPUTE_SELECTIVE && !training_megatron(t, l) ? 0.5 : 0;
}

static double dequantisation(const struct training *t, const struct layout *l, const struct train_layer *y) {
    double passes = l->recompute == RECOMPUTE_FULL ? 3 : 2;
    double share = assume_get(t->a, t->job->base == WEIGHTS_NF4 ? ASSUME_TRAIN_DEQUANT_NF4 : ASSUME_TRAIN_DEQUANT_INT);

    return passes * y->linear_params * assume_get(t->a, ASSUME_TRAIN_DEQUANT_BYTES) /
           (share * t->shape->gpu->mem_bw_gbs * NUM_GB);
}

/* torch FSDP and ZeRO-3 wrap every module: hooks, flat parameters and their streams slow the whole program. */
static double stack_factor(const struct training *t, const struct layout *l) {
    bool wrapped = (l->zero == 3 && l->shard > 1) || (l->zero == 2 && t->job->strategy == STRATEGY_FSDP);
    double phi = wrapped ? assume_get(t->a, ASSUME_TRAIN_PHI_FSDP) : 1;

    return t->job->stack == STACK_EAGER ? fmin(phi, assume_get(t->a, ASSUME_TRAIN_PHI_EAGER)) : phi;
}

static void layer_passes(const struct training *t, const struct layout *l, const struct train_layer *y,
                         struct pieces *p) {
    double phi = stack_factor(t, l);
    double weight_grad = t->adapters ? 1 : assume_get(t->a, ASSUME_TRAIN_BACKWARD_GEMM);
    double traffic = y->elementwise + y->gaps + y->adapters;
    double again = recompute_share(t, l);
    double early_stop =
        training_megatron(t, l) || t->year < 2023 ? 0 : y->down; /* non-reentrant checkpoints stop before it */
    double compute =
        (1 + weight_grad + again) * y->gemm - again * early_stop + (1 + again) * y->attention + y->attention_backward;
    double memory = (3 + again) * traffic;

    if (l->recompute == RECOMPUTE_SELECTIVE && training_megatron(t, l) && !t->flash) {
        compute += y->attention;
    }
    if (t->quantised) {
        memory += dequantisation(t, l, y);
    }
    p->compute = compute / phi;
    p->memory = memory / phi;
    p->backward = (compute - y->gemm - y->attention + memory - traffic) / phi;
    p->comm = (4 + 2 * (l->recompute == RECOMPUTE_FULL)) * y->tp_once + y->cp + y->ep;
}

/* Bytes that gradients have on the wire. */
static double gradient_bytes(const struct training *t, const struct layout *l) {
    if (t->job->reduce_bytes > 0) {
        return t->job->reduce_bytes;
    }
    if (t->adapters || t->precision == PRECISION_FP32 || t->precision == PRECISION_TF32) {
        return 4;
    }
    if (t->job->optimizer != OPTIMIZER_ADAMW || t->precision == PRECISION_FP16 ||
        (t->tuned && t->year >= 2024 && l->zero < 3)) {
        return 2; /* 16-bit gradients are reduced as they are */
    }
    return l->zero < 2 ? 4 : 2;
}

/* Gathers and reductions of one layer under ZeRO-2, ZeRO-3 or FSDP. */
static double shard_traffic(struct training *t, const struct layout *l, const struct train_layer *y) {
    struct span g = training_span(t, l->shard, l->tp);       /* context ranks hold the same weights: they shard too */
    double weight = t->quantised ? 0.55 : t->x == 4 ? 4 : 2; /* 0.55 B: packed nf4 with its scales */
    double micro = l->grad_sync == GRAD_SYNC_LAST ? l->accumulation : 1;
    double total = 0;

    if (l->zero == 3) {
        total += 2 * training_gather(t, g, weight * y->params);
    } else if (t->job->strategy == STRATEGY_FSDP) {
        total += training_gather(t, g, weight * y->params); /* gathered once, kept until backward */
    } else {
        total += training_gather(t, g, weight * y->params) / l->accumulation; /* at the step */
    }
    if (!t->adapters) {
        total += training_gather(t, g, gradient_bytes(t, l) * y->params) / micro;
    }
    return total;
}

static void shard_overlap(struct training *t, const struct layout *l, const struct train_layer *y, struct pieces *p) {
    double layer = p->compute + p->memory + p->comm;
    double traffic, behind, total;

    if (l->zero < 2 || l->shard < 2) {
        return;
    }
    traffic = shard_traffic(t, l, y);
    behind = fmin(traffic, layer);
    total = fmax(layer + assume_get(t->a, ASSUME_TRAIN_FSDP_TAX) * behind, traffic) +
            assume_get(t->a, ASSUME_TRAIN_FSDP_COST) * behind;
    p->comm += total - layer;
    p->hidden = fmax(0, traffic - (total - layer));
}

/* States and activations that live in host memory cross PCIe every micro-batch. */
static void offload_traffic(struct training *t, const struct layout *l, const struct train_layer *y, struct pieces *p) {
    double bytes = 0, layer = p->compute + p->memory;

    if (l->offload == OFFLOAD_PARAMS) {
        bytes = (2 * 2 + 2) * y->params / (l->zero == 3 ? l->shard : 1); /* weights in twice, gradients out */
    } else if (l->offload == OFFLOAD_ACTIVATIONS) {
        bytes = 2 * 2 * training_pass_tokens(t, l) * t->job->model.hidden; /* a checkpoint out and in */
    }
    if (bytes > 0) {
        double time = bytes / t->pcie;
        p->memory +=
            fmax(0, time - layer) + 0.1 * fmin(time, layer); /* a tenth is never hidden: first and last layer, sync */
    }
}

/* Optimizer states that page in from host memory while backward runs. */
static bool paged(const struct training *t) {
    return t->job->optimizer == OPTIMIZER_PAGED_ADAMW || t->job->optimizer == OPTIMIZER_PAGED_ADAMW_8BIT;
}

static void host_bound(const struct training *t, const struct layout *l, struct pieces *p) {
    double again = recompute_share(t, l);
    double h = t->host_calls * assume_get(t->a, ASSUME_TRAIN_HOST_CALL_US) * 1e-6 * (2.5 + again) * t->host_factor;
    double stage = p->compute + p->memory + p->comm;

    bool stepped = t->job->task == TASK_FULL && !paged(t); /* an optimizer that walks over all parameters */
    bool hooked = l->zero == 3 && l->shard > 1;            /* modules that gather and release themselves */
    if ((stepped || hooked) && t->job->stack != STACK_TUNED && t->n.total > 1e9) {
        h += assume_get(t->a, ASSUME_TRAIN_HOST_HOOK_MS) * 1e-3;
    }
    p->host = sixth_power_sum(stage, h) - stage;
}

static void head_time(const struct training *t, const struct layout *l, struct pieces *p) {
    const struct model *m = &t->job->model;
    double tokens = training_pass_tokens(t, l);
    double vocab = (double)m->vocab / l->tp;

    tokens *= t->head_share;
    if (tokens <= 0) {
        return;
    }
    p->head = (t->adapters && !t->job->train_embeddings ? 2 : 3) *
              training_gemm(t, t->vocab_flops, tokens, vocab, m->hidden) / stack_factor(t, l);
    p->head_memory = assume_get(t->a, ASSUME_TRAIN_LOSS_BYTES) * tokens * vocab / t->bw / stack_factor(t, l);
}

static double trainable_local(const struct training *t, const struct layout *l) {
    double layers = (double)t->job->model.layers / l->pp;

    if (t->adapters) {
        return (t->adapter_params + (t->job->train_embeddings ? 2 * t->vocab_params : 0)) / l->tp / l->pp;
    }
    return layers * (t->layer_dense / l->tp + t->layer_experts / l->tp / l->ep + t->layer_other) +
           (t->n.embedding + t->n.head) / l->tp / l->pp;
}

static enum assume_id overlap_constant(const struct training *t, const struct layout *l) {
    if (training_megatron(t, l) || t->tuned) {
        return ASSUME_TRAIN_OVERLAP_MEGATRON;
    }
    return t->year < 2023 ? ASSUME_TRAIN_OVERLAP_DDP : ASSUME_TRAIN_OVERLAP_DDP_NEW;
}

static double overlap_window(const struct training *t, const struct layout *l) {
    if (l->zero == 3) {
        return 0; /* the link is busy with gathers */
    }
    return assume_get(t->a, overlap_constant(t, l));
}

/* What the exchange of gradients between replicas adds to a step. */
static double gradient_sync(struct training *t, const struct layout *l, double backward, double *total) {
    double bytes = trainable_local(t, l) * gradient_bytes(t, l);
    double time, floor, repeats = l->grad_sync == GRAD_SYNC_EACH && l->zero < 2 ? l->accumulation : 1;

    *total = 0;
    if (l->zero >= 2 && !(t->adapters && l->zero == 3)) {
        int replicas = l->dp * l->cp / l->shard; /* HSDP: the shards of equal place, one on each group */
        if (replicas < 2) {
            return 0;
        }
        time = training_allreduce(t, training_span(t, replicas, l->tp * l->shard), bytes / l->shard);
        *total = time;
        return fmax(assume_get(t->a, ASSUME_TRAIN_SYNC_FLOOR) * time,
                    time - assume_get(t->a, ASSUME_TRAIN_OVERLAP_MEGATRON) * backward);
    }
    if (l->dp * l->cp < 2) {
        return 0;
    }
    struct span g = training_span(t, l->dp * l->cp, l->tp);
    time = training_allreduce(t, g, bytes);
    floor = assume_get(t->a, ASSUME_TRAIN_SYNC_FLOOR);
    if (!training_megatron(t, l) && !t->tuned) { /* buckets of 25 MB, the token table last */
        double bucket = assume_get(t->a, ASSUME_TRAIN_DDP_BUCKET_MB) * 1e6;
        time *= 1 + training_ring_bw(t, g) * assume_get(t->a, ASSUME_TRAIN_RAMP_RING_US) * 1e-6 / bucket;
        floor = fmax(floor, t->adapters ? 0 : t->n.embedding / t->n.total);
    }
    *total = time * repeats;
    return repeats * fmax(floor * time, time - overlap_window(t, l) * backward);
}

static double optimizer_time(const struct training *t, const struct layout *l, double layers) {
    double ranks = l->zero >= 1 ? l->shard : 1;
    double local = trainable_local(t, l) / ranks;
    double time = assume_get(t->a, ASSUME_TRAIN_OPTIMIZER_BYTES) * local / t->bw +
                  assume_get(t->a, ASSUME_TRAIN_OPTIMIZER_LAYER_MS) * 1e-3 * layers;

    if (l->offload == OFFLOAD_OPTIMIZER ||
        l->offload == OFFLOAD_PARAMS) { /* 28 B a parameter through host memory, gradients and weights over PCIe */
        double cpu = 28 * local * t->shape->gpus / (assume_get(t->a, ASSUME_TRAIN_CPU_OPTIMIZER_GBS) * NUM_GB);
        time = cpu + 4 * local / t->pcie;
    }
    return time;
}

static double paged_time(const struct training *t, const struct layout *l, double backward) {
    double bytes = 4 * trainable_local(t, l) / (l->zero >= 1 ? l->shard : 1);

    if (t->adapters ||
        (t->job->optimizer != OPTIMIZER_PAGED_ADAMW && t->job->optimizer != OPTIMIZER_PAGED_ADAMW_8BIT)) {
        return 0;
    }
    double time = bytes / t->pcie;
    return fmax(time - backward, (1 - assume_get(t->a, ASSUME_TRAIN_PAGED_HIDDEN)) * time);
}

/*
 * Virtual stages of a rank. Megatron has interleaved schedules since 2021; before its distributed optimizer (2023) a pipeline
 * with ZeRO-1 is DeepSpeed's engine, which has none.
 */
static double pipeline_interleave(const struct training *t, const struct layout *l, double layers) {
    bool deepspeed = t->year < 2023 && l->zero > 0;
    double v = t->tuned && !deepspeed ? assume_get(t->a, ASSUME_TRAIN_INTERLEAVE) : 1;

    return fmin(v, layers);
}

static enum limiter find_limiter(const struct train_time *y, bool network) {
    const double notable = 0.12; /* of the step: below, removing it would not be noticed */
    double memory = y->part[STEP_MEMORY] / y->step_s;
    double other[] = {y->comm_share, y->part[STEP_BUBBLE] / y->step_s, y->part[STEP_OPTIMIZER] / y->step_s,
                      y->host_share};
    const enum limiter name[] = {network ? LIMITED_NETWORK : LIMITED_LINK, LIMITED_BUBBLE, LIMITED_OPTIMIZER,
                                 LIMITED_LATENCY};
    int worst = 0;

    for (int i = 1; i < 4; i++) {
        worst = other[i] > other[worst] ? i : worst;
    }
    if (other[worst] >= notable) {
        return name[worst];
    }
    return memory > y->part[STEP_COMPUTE] / y->step_s ? LIMITED_MEMORY_BANDWIDTH : LIMITED_COMPUTE;
}

static void stage_pieces(struct training *t, const struct layout *l, const struct train_layer *y, struct pieces *p) {
    layer_passes(t, l, y, p);
    shard_overlap(t, l, y, p);
    offload_traffic(t, l, y, p);
    host_bound(t, l, p);
    head_time(t, l, p);
    p->layers = ceil((double)t->job->model.layers / l->pp);
    p->backward *= p->layers;
    if (!t->adapters && l->zero < 3) { /* fp32 accumulation of the gradients */
        p->memory += assume_get(t->a, ASSUME_TRAIN_ACCUMULATE_BYTES) * y->params / t->bw;
    }
    p->micro = p->layers * (p->compute + p->memory + p->comm + p->host);
}

static void trace_step(const struct training *t, const struct layout *l, const struct pieces *p,
                       const struct train_time *y, double sync, struct trace *trace) {
    bool sharded = l->zero >= 2 && l->shard > 1;

    trace_add(trace, TRACE_TRAIN_LAYER_PASSES, p->compute + p->memory,
              sharded ? (int)ASSUME_TRAIN_PHI_FSDP : (int)ASSUME_TRAIN_BACKWARD_GEMM, -1);
    trace_add(trace, TRACE_TRAIN_LAYER_EXCHANGE, p->comm,
              l->tp > 1 ? (int)ASSUME_TRAIN_TP_EXPOSED : (int)ASSUME_TRAIN_FSDP_COST,
              l->tp > 1 ? (int)ASSUME_TRAIN_RAMP_ALLREDUCE_US : (int)ASSUME_TRAIN_RAMP_RING_US, -1);
    trace_add(trace, TRACE_TRAIN_LAYER_HOST, p->host, ASSUME_TRAIN_HOST_CALL_US,
              t->tuned ? -1 : (int)ASSUME_TRAIN_HOST_DEFAULT, -1);
    trace_add(trace, TRACE_TRAIN_HEAD, p->head + p->head_memory, ASSUME_TRAIN_LOSS_BYTES, -1);
    trace_add(trace, TRACE_TRAIN_MICRO_BATCH, y->micro_s, -1);
    trace_add(trace, TRACE_TRAIN_SYNC, sync, overlap_constant(t, l), ASSUME_TRAIN_SYNC_FLOOR, -1);
    trace_add(trace, TRACE_TRAIN_BUBBLE, y->part[STEP_BUBBLE], ASSUME_TRAIN_INTERLEAVE, -1);
    trace_add(trace, TRACE_TRAIN_OPTIMIZER, y->part[STEP_OPTIMIZER], ASSUME_TRAIN_OPTIMIZER_BYTES,
              ASSUME_TRAIN_OPTIMIZER_LAYER_MS, -1);
    trace_add(trace, TRACE_TRAIN_STEP, y->step_s, ASSUME_TRAIN_STRAGGLER, -1);
}

void training_step(struct training *t, const struct layout *l, const struct train_layer *layer, struct trace *trace,
                   struct train_time *out) {
    struct pieces p = {0};
    double m = l->accumulation, slots, sync, sync_total, optimizer, waste, p2p = 0, bubble = 0;

    stage_pieces(t, l, layer, &p);
    if (l->pp >
        1) { /* the last stage has fewer layers to make room for the head; what is left over, all others wait for */
        double head = p.head + p.head_memory;
        double even = p.micro + head / l->pp;
        double slot = fmax(even, (p.micro + head) * l->pp / (l->pp + 1.0));
        bubble = (l->pp - 1) * slot / pipeline_interleave(t, l, p.layers) + m * (slot - even);
        p2p = 2 * training_p2p(t, l->tp * l->cp * l->dp, l->pp, 2 * training_pass_tokens(t, l) * t->job->model.hidden);
        p.head /= l->pp;
        p.head_memory /= l->pp;
    }
    slots = m + l->pp - 1;
    sync = gradient_sync(t, l, p.backward, &sync_total);
    optimizer = optimizer_time(t, l, p.layers) + paged_time(t, l, p.backward);
    out->part[STEP_COMPUTE] = m * (p.layers * p.compute + p.head);
    out->part[STEP_MEMORY] = m * (p.layers * (p.memory + p.host) + p.head_memory);
    out->part[STEP_COMMUNICATION] = m * p.layers * p.comm + sync + slots * p2p;
    out->part[STEP_BUBBLE] = bubble;
    out->part[STEP_INPUT] = 0;
    out->part[STEP_OPTIMIZER] = optimizer;
    waste = 1 + assume_get(t->a, ASSUME_TRAIN_STRAGGLER) * (t->shape->nodes > 1 ? log2(t->shape->nodes) : 0);
    out->step_s = 0;
    for (int i = 0; i < STEP_PART_COUNT; i++) {
        out->part[i] *= waste;
        out->step_s += out->part[i];
    }
    out->comm_share = out->part[STEP_COMMUNICATION] / out->step_s;
    out->host_share = m * p.layers * p.host / out->step_s;
    out->network_share = (out->part[STEP_COMMUNICATION] + 0.2 * m * p.layers * p.hidden) /
                         out->step_s; /* 0.2: hidden traffic that a slower link would lay bare */
    out->stage_s = p.micro;
    out->micro_s = p.micro + p.head + p.head_memory;
    out->limiter = find_limiter(out, t->shape->nodes > 1);
    if (trace != NULL) {
        trace_step(t, l, &p, out, sync, trace);
    }
}

double training_sigma(const struct training *t, const struct layout *l, const struct train_time *time) {
    const struct gpu *g = t->shape->gpu;
    bool plain_card = g->family == GPU_FAMILY_VOLTA || g->family == GPU_FAMILY_GA100 || g->family == GPU_FAMILY_HOPPER;
    bool unknown = (t->shape->link == LINK_UNKNOWN && t->shape->gpus > 1) ||
                   (t->shape->nodes > 1 && !num_known(t->shape->network_gbps));
    bool paged = t->job->optimizer == OPTIMIZER_PAGED_ADAMW || t->job->optimizer == OPTIMIZER_PAGED_ADAMW_8BIT;
    double base = assume_get(t->a, ASSUME_TRAIN_SIGMA_BASE);
    double card = plain_card ? 0 : assume_get(t->a, ASSUME_TRAIN_SIGMA_CARD);
    double stack = t->job->stack == STACK_TUNED || t->bert ? 0 : assume_get(t->a, ASSUME_TRAIN_SIGMA_STACK);
    double sharded = t->job->stack != STACK_TUNED && t->job->task != TASK_PRETRAIN && l->zero >= 2 && l->shard > 1
                         ? assume_get(t->a, ASSUME_TRAIN_SIGMA_SHARDED)
                         : 0;
    /* a calibrated family brings its own spread, of this user's cards and stack */
    unsigned own = (unsigned)ASSUME_TRAIN_GEMM_OTHER + (unsigned)g->family;
    if (t->a->source[own] == PROVENANCE_MEASURED) {
        base = log(t->a->v[own].high / t->a->v[own].expected) / 1.2816; /* 90 % point of a log-normal */
        card = stack = sharded = 0;
    }
    double comm =
        time->network_share * assume_get(t->a, unknown ? ASSUME_TRAIN_SIGMA_COMM_UNKNOWN : ASSUME_TRAIN_SIGMA_COMM);
    double host = time->host_share * 0.25;
    double sum = base * base + card * card + stack * stack + sharded * sharded + comm * comm + host * host;

    /* 0.05: a precision, wrapper or model class with few rows; 0.06 adapters; 0.15 mixtures and 0.20 offload: no rows (fit) */
    sum += (t->precision == PRECISION_FP8 || t->precision == PRECISION_FP4 ? 0.05 * 0.05 : 0) +
           (l->zero == 3 ? 0.05 * 0.05 : 0) + (t->bert ? 0.05 * 0.05 : 0);
    sum += (t->adapters ? 0.06 * 0.06 : 0) + (t->moe_share > 0 ? 0.15 * 0.15 : 0) +
           (l->offload != OFFLOAD_NONE || paged ? 0.20 * 0.20 : 0);
    return sqrt(sum) * 1.45 / 1.2816; /* 1.45 sigma covered 80 % of rows whose source was left out */
}
