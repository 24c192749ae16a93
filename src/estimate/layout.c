/* SPDX-License-Identifier: MIT */
#include "gpuplan/estimate/layout.h"

#include "internal.h"

int layout_gpus(const struct layout *l) {
    return l->replicas * l->dp * l->tp * l->pp * l->cp;
}

int layout_simplicity(const struct layout *l, int gpus_per_node) {
    if (gpus_per_node > 0 && layout_gpus(l) > gpus_per_node) {
        return 4;
    }
    if (l->tp > 1 || l->pp > 1 || l->cp > 1) {
        return 3;
    }
    if (l->zero > 0 && l->dp > 1) {
        return 2;
    }
    return layout_gpus(l) > 1 ? 1 : 0;
}

struct layout layout_single(void) {
    return (struct layout){
        .replicas = 1,
        .dp = 1,
        .tp = 1,
        .pp = 1,
        .cp = 1,
        .ep = 1,
        .shard = 1,
        .micro_batch = 1,
        .accumulation = 1,
        .grad_sync = GRAD_SYNC_LAST,
        .recompute = RECOMPUTE_NONE,
        .offload = OFFLOAD_NONE,
    };
}

struct reason reason_make(enum reason_code code, const char *what, double need, double have) {
    return (struct reason){.code = code, .need = need, .have = have, .what = what};
}

/* Shared by all kinds of job: counts that make sense, and exactly the GPUs of the shape. */
static struct reason check_counts(const struct shape *s, const struct layout *l) {
    const int counts[] = {l->replicas, l->dp, l->tp, l->pp, l->cp, l->ep, l->micro_batch, l->accumulation};
    int wanted = s->gpus * s->nodes;

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (counts[i] < 1) {
            return reason_make(REASON_DIVISIBILITY, "gpus", counts[i], wanted);
        }
    }
    if (layout_gpus(l) != wanted) {
        return reason_make(REASON_DIVISIBILITY, "gpus", layout_gpus(l), wanted);
    }
    return reason_make(REASON_NONE, NULL, 0, 0);
}

struct reason layout_check(const struct job *j, const struct shape *s, const struct layout *l) {
    struct reason r = gpu_check_usable(s->gpu, j->cuda_max);
    if (r.code != REASON_NONE) {
        return r;
    }
    r = check_counts(s, l);
    if (r.code != REASON_NONE) {
        return r;
    }
    if (j->task == TASK_INFERENCE) {
        return inference_check(j, s, l);
    }
    return j->task == TASK_MEASURED ? measured_check(j, s, l) : training_check(j, s, l);
}
