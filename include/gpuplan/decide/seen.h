/* SPDX-License-Identifier: MIT */
/*
 * A listed machine that somebody looked at: the same offer with the link it turned out to have, for the whole of it and for those of
 * its GPUs that are nearest to each other. Pure.
 */
#ifndef GPUPLAN_DECIDE_SEEN_H
#define GPUPLAN_DECIDE_SEEN_H

#include "gpuplan/decide/decide.h"
#include "gpuplan/hardware/topology.h"

enum { SEEN_MAX = 4 };
struct seen_row {
    int gpus;                   /* used */
    int gpu[TOPOLOGY_MAX_GPUS]; /* which; each group that splits a layer (tp) stands together */
    struct topology_verdict verdict;
    struct offer offer; /* with that link; what `c` points to */
    struct candidate c;
};
struct seen {
    const struct offer *offer;     /* as listed */
    struct candidate claimed;      /* at its best count */
    struct seen_row row[SEEN_MAX]; /* all GPUs first, then fewer */
    int count, best;               /* best: -1 = none fits */
};
/* The offer to hold it against: the best ranked with this card and count, else with more such cards. NULL: none. */
const struct offer *seen_reference(struct ranking *r, int gpu, int gpus);
/* gpu_name as for topology_judge(). The ranking must be run; `offer` is one of its question's. */
void seen_weigh(struct ranking *r, const struct topology *t, const char *gpu_name, const struct offer *offer,
                struct seen *out);

#endif
