/* SPDX-License-Identifier: MIT */
/* Which layouts of a training job are legal. Nothing is bent: what does not divide is refused with the first reason. */
#include <math.h>

#include "training.h"

static const struct {
    enum precision precision;
    const char *what;
    double capability; /* NVIDIA compute capability that has it */
} needs[] = {
    {PRECISION_BF16, "bf16", 8.0}, {PRECISION_FP8, "fp8", 8.9},   {PRECISION_FP4, "fp4", 10.0},
    {PRECISION_TF32, "tf32", 8.0}, {PRECISION_FP16, "fp16", 7.0},
};

static struct reason check_capability(const struct job *j, const struct shape *s) {
    enum precision p = training_precision(j, s->gpu);

    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        if (needs[i].precision == p && !gpu_has_precision(s->gpu, p)) {
            return reason_make(REASON_CAPABILITY, needs[i].what, needs[i].capability, s->gpu->compute_capability);
        }
    }
    return reason_make(REASON_NONE, NULL, 0, 0);
}

static bool divides(int part, int whole) {
    return part > 0 && whole % part == 0;
}

/* Stages of equal depth, counting the token table and the head as a layer each if that is what makes them equal. */
static bool stages_divide(int layers, int pp) {
    return layers % pp == 0 || (layers + 1) % pp == 0 || (layers + 2) % pp == 0;
}

static struct reason check_model(const struct job *j, const struct layout *l) {
    const struct model *m = &j->model;

    if (!divides(l->tp, m->heads)) {
        return reason_make(REASON_DIVISIBILITY, "heads", l->tp, m->heads);
    }
    if (!divides(l->tp, m->kv_heads) && !divides(m->kv_heads, l->tp)) {
        return reason_make(REASON_DIVISIBILITY, "kv_heads", l->tp, m->kv_heads);
    }
    if (m->ffn > 0 && !divides(l->tp, m->ffn)) {
        return reason_make(REASON_DIVISIBILITY, "ffn", l->tp, m->ffn);
    }
    if (m->experts > 0 && !divides(l->tp, m->expert_ffn)) {
        return reason_make(REASON_DIVISIBILITY, "expert_ffn", l->tp, m->expert_ffn);
    }
    if (l->pp > m->layers || !stages_divide(m->layers, l->pp)) {
        return reason_make(REASON_DIVISIBILITY, "layers", l->pp, m->layers);
    }
    if (l->ep > 1 && (m->experts == 0 || !divides(l->ep, m->experts) || !divides(l->ep, l->dp * l->cp))) {
        return reason_make(REASON_DIVISIBILITY, "experts", l->ep, m->experts);
    }
    if (l->cp > 1 &&
        j->seq_len % (2 * l->cp) != 0) { /* a causal mask is balanced by giving each rank a piece from both ends */
        return reason_make(REASON_DIVISIBILITY, "seq_len", 2.0 * l->cp, j->seq_len);
    }
    return reason_make(REASON_NONE, NULL, 0, 0);
}

static struct reason check_batch(const struct job *j, const struct layout *l) {
    double pass = (double)l->micro_batch * l->dp * l->accumulation;
    double global = training_global_batch(j, l);

    if (fabs(pass - global) > 0.5) {
        return reason_make(REASON_DIVISIBILITY, "batch", (double)l->micro_batch * l->dp, global);
    }
    return reason_make(REASON_NONE, NULL, 0, 0);
}

static struct reason check_sharding(const struct job *j, const struct layout *l) {
    bool quantised = j->task == TASK_QLORA;

    if (l->zero < 0 || l->zero > 3 || l->shard < 1 || l->shard > l->dp * l->cp || (l->dp * l->cp) % l->shard != 0) {
        return reason_make(REASON_DIVISIBILITY, "shard", l->shard, l->dp);
    }
    if ((l->tp == 1 && l->seq_parallel) || (l->cp > 1 && j->attention == ATTENTION_EAGER)) {
        return reason_make(REASON_DIVISIBILITY, "seq_parallel", 1, l->tp);
    }
    if (l->offload == OFFLOAD_PARAMS && l->dp > 1 && l->zero < 3) { /* wrappers offload the shards they own */
        return reason_make(REASON_DIVISIBILITY, "offload", 3, l->zero);
    }
    if (quantised &&
        (l->tp > 1 || l->pp > 1)) { /* packed 4-bit blocks are not cut by today's tensor-parallel trainers */
        return reason_make(REASON_DIVISIBILITY, "quant_group", l->tp * l->pp, 1);
    }
    return reason_make(REASON_NONE, NULL, 0, 0);
}

/* A pin of the workload that this layout does not follow. */
static bool breaks_pin(const struct job *j, const struct layout *l) {
    const int pinned[][2] = {{j->tp, l->tp}, {j->pp, l->pp}, {j->dp, l->dp},
                             {j->cp, l->cp}, {j->ep, l->ep}, {j->micro_batch, l->micro_batch}};

    for (size_t i = 0; i < sizeof pinned / sizeof pinned[0]; i++) {
        if (pinned[i][0] > 0 && pinned[i][0] != pinned[i][1]) {
            return true;
        }
    }
    return (j->zero >= 0 && j->zero != l->zero) || (j->recompute != RECOMPUTE_AUTO && j->recompute != l->recompute);
}

struct reason training_check(const struct job *j, const struct shape *s, const struct layout *l) {
    struct reason (*const checks[])(const struct job *, const struct layout *) = {check_model, check_batch,
                                                                                  check_sharding};
    struct reason r = check_capability(j, s);

    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && r.code == REASON_NONE; i++) {
        r = checks[i](j, l);
    }
    if (r.code == REASON_NONE && l->replicas != 1) {
        r = reason_make(REASON_DIVISIBILITY, "replicas", l->replicas, 1);
    }
    if (r.code == REASON_NONE && breaks_pin(j, l)) {
        r = reason_make(REASON_DIVISIBILITY, "pins", 0, 0);
    }
    return r;
}
