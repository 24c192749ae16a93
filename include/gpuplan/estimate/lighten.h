/* SPDX-License-Identifier: MIT */
/*
 * The smallest change of a training job that brings it to one GPU: what keeps its result first (recompute, a smaller pass, a loss in
 * pieces, 8-bit states), then adapters, a 4-bit base, shorter sequences, weights in host memory.
 */
#ifndef GPUPLAN_ESTIMATE_LIGHTEN_H
#define GPUPLAN_ESTIMATE_LIGHTEN_H

#include "gpuplan/estimate/estimate.h"

struct lightened {
    char changes[160]; /* "recompute=full optimizer=paged_adamw_8bit": what to set in the workload */
    struct estimate e; /* on one GPU */
    /* Of the last change that the GPU would hold and `ram_gb` does not, named by `changes` when nothing else brings it there. */
    struct reason refused;
};
/*
 * ram_gb: of the machine around that GPU; unknown = what is needed stands in e.host_gb. False for jobs that are no training, that one
 * GPU of `s` holds as they are, and that nothing brings there.
 */
bool lighten_to_one(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                    double ram_gb, struct lightened *out);

#endif
