/* SPDX-License-Identifier: MIT */
/* GPU counts of one card side by side, each at the cheapest price there is for it. */
#ifndef GPUPLAN_DECIDE_WHATIF_H
#define GPUPLAN_DECIDE_WHATIF_H

#include "gpuplan/decide/decide.h"

enum price_basis {
    PRICE_OFFER,    /* an offer of just this count */
    PRICE_NODES,    /* several machines of the largest size */
    PRICE_PRO_RATA, /* not sold in this size: the share of a larger or smaller machine's rate */
};
const char *price_basis_name(enum price_basis b); /* "offer" "nodes" "pro_rata" */

enum { WHATIF_MAX_COUNTS = 16, WHATIF_MOST_GPUS = 1024 };
struct whatif_question {
    const char *pick;                     /* id of an offer: its card and link, its provider first; NULL */
    int gpu;                              /* index in the catalogue; used when pick is NULL */
    int link;                             /* enum link_kind of machines with several GPUs; -1 = any */
    int counts[WHATIF_MAX_COUNTS], count; /* ascending */
};
struct whatif_column {
    int gpus;
    enum price_basis basis;
    struct candidate c; /* what does not fit has its reason and fit no */
};
struct whatif {
    int count;
    struct whatif_column columns[WHATIF_MAX_COUNTS];
    int base;                                                          /* index of the smallest count that fits; -1 */
    int best_cost, best_time, knee;                                    /* GPU counts; 0 = none fits */
    double speed_up[WHATIF_MAX_COUNTS], efficiency[WHATIF_MAX_COUNTS]; /* over the base; NUM_UNKNOWN */
};
/* False when no offer that can be had has this card. The ranking must be run. */
bool whatif_make(struct ranking *r, const struct whatif_question *w, struct whatif *out);

#endif
