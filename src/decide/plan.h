/* SPDX-License-Identifier: MIT */
/*
 * What can be done with one machine's hardware, whoever rents it out: the counts and layouts worth pricing, and the worse
 * hardware it may turn out to be. One plan a shape; offers of a shape share it.
 */
#ifndef GPUPLAN_SRC_DECIDE_PLAN_H
#define GPUPLAN_SRC_DECIDE_PLAN_H

#include "gpuplan/decide/decide.h"
#include "gpuplan/decide/memo.h"

struct option {
    uint32_t set; /* memo */
    uint8_t which;
    uint8_t fit; /* enum fit */
    uint8_t simplicity;
    uint16_t gpus, nodes; /* in one machine; machines */
};

enum worse_kind { WORSE_LINK, WORSE_LANES_8, WORSE_LANES_4, WORSE_NETWORK };
enum { PLAN_MAX_OPTIONS = 32, PLAN_MAX_WORSE = 4 };
struct worse {
    enum worse_kind kind;
    enum link_kind link;
    uint32_t plan;
};

struct plan {
    struct shape shape; /* the whole machine, nodes = 1 */
    int nodes_max;
    int count;
    struct option options[PLAN_MAX_OPTIONS];
    struct option nearest; /* when count is 0: what came nearest, with its reason in the memo */
    bool worse_known;
    int worse_count;
    struct worse worse[PLAN_MAX_WORSE];
};

struct plans;
struct plans *plans_new(const struct question *q, struct memo *memo);
void plans_free(struct plans *p);
/* Index of the plan of a whole machine; made on first use. */
uint32_t plans_get(struct plans *p, const struct shape *machine, int nodes_max);
/* Valid until the next plans_get() or plans_worse(). */
const struct plan *plans_at(const struct plans *p, uint32_t index);
/* The same, with the worse cases filled in. */
const struct plan *plans_worse(struct plans *p, uint32_t index);
const struct estimate *plans_estimate(const struct plans *p, const struct option *o);
/* The longest length that still fits with it, on the shape that it was estimated for. */
double plans_longest(struct plans *p, const struct option *o, const struct shape *s);
/* Options of exactly this count, unpruned; returns how many (the nearest miss when none fits, as one option with FIT_NO). */
int plans_of_count(struct plans *p, const struct shape *machine, int gpus, int nodes,
                   struct option out[ESTIMATE_SET_MAX]);
/* Whether a count is worth a search on a machine of `gpus`. */
bool plan_count_wanted(int n, int gpus);

#endif
