/* SPDX-License-Identifier: MIT */
/* Bytes a trained parameter takes: weights, gradients, optimizer, and the copy that the optimizer's step makes. Counted. */
#include "training.h"

enum scheme {
    SCHEME_FROZEN,    /* a base below adapters */
    SCHEME_PURE_16,   /* everything 16 bit, no master copy */
    SCHEME_MASTER,    /* 16-bit weights and gradients beside fp32 master, m, v: DeepSpeed, Megatron, apex */
    SCHEME_FSDP_FP32, /* fp32 shards, cast when gathered */
    SCHEME_FP32,      /* no mixed precision */
    SCHEME_COUNT
};

static const struct train_state schemes[SCHEME_COUNT] = {
    [SCHEME_FROZEN] = {2, 0, 0, 0, 2},    [SCHEME_PURE_16] = {2, 2, 4, 2, 2}, [SCHEME_MASTER] = {2, 2, 12, 4, 2},
    [SCHEME_FSDP_FP32] = {4, 4, 8, 4, 2}, [SCHEME_FP32] = {4, 4, 8, 4, 4},
};

/* Bytes of optimizer state beside a master copy; 2: two 8-bit moments; paged states live in host memory. */
static const struct {
    double states;
    bool master; /* keeps an fp32 master under mixed precision */
} optimizers[OPTIMIZER_COUNT] = {
    [OPTIMIZER_ADAMW] = {8, true},        [OPTIMIZER_ADAMW_8BIT] = {2, false},
    [OPTIMIZER_PAGED_ADAMW] = {0, false}, [OPTIMIZER_PAGED_ADAMW_8BIT] = {0, false},
    [OPTIMIZER_ADAMW_BF16] = {4, false},  [OPTIMIZER_ADAFACTOR] = {0.02, false},
    [OPTIMIZER_LION] = {4, true},         [OPTIMIZER_SGD] = {4, true},
};

static enum scheme scheme_of(const struct training *t, const struct layout *l) {
    const struct job *j = t->job;

    if (t->adapters) {
        return SCHEME_FROZEN;
    }
    if (t->precision == PRECISION_FP32 || t->precision == PRECISION_TF32) {
        return SCHEME_FP32;
    }
    if (!optimizers[j->optimizer].master) {
        return SCHEME_PURE_16;
    }
    bool deepspeed = j->strategy == STRATEGY_ZERO3;
    return l->zero == 3 && !deepspeed ? SCHEME_FSDP_FP32 : SCHEME_MASTER;
}

struct train_state training_state(const struct training *t, const struct layout *l) {
    enum scheme scheme = scheme_of(t, l);
    struct train_state s = schemes[scheme];
    double states = optimizers[t->job->optimizer].states;

    switch (scheme) {
    case SCHEME_MASTER:
        s.optimizer = 4 + states;
        break;
    case SCHEME_PURE_16:
    case SCHEME_FSDP_FP32:
    case SCHEME_FP32:
        s.optimizer = states;
        break;
    case SCHEME_FROZEN:
    case SCHEME_COUNT:
        break;
    }
    return s;
}
