/* SPDX-License-Identifier: MIT */
/* From a plan to one candidate at one place, and what it stands to lose. */
#ifndef GPUPLAN_SRC_DECIDE_PICK_H
#define GPUPLAN_SRC_DECIDE_PICK_H

#include "cost.h"
#include "plan.h"

struct pick {
    struct option o;
    struct cost cost; /* expected values only */
    enum rank_class cls;
    double x, y; /* the two axes, without risk: dollars and hours; serving: dollars per million tokens and ms a token */
};

/* The best option of the plan at this place by class, goal, the other axis, simplicity. False: *why says what was missing. */
bool pick_best(const struct question *q, struct plans *plans, uint32_t plan, const struct place *p, struct pick *out,
               struct reason *why);
/* The best of given options. */
bool pick_among(const struct question *q, struct plans *plans, const struct option *options, int count,
                const struct place *p, struct pick *out, struct reason *why);
/* What the ranking compares: goal first, the other axis second; extra from the risk. */
void pick_goal(const struct question *q, const struct pick *k, const struct risk *r, double *goal, double *other);

/* Cheapest and fastest other machine within the limits; NUM_UNKNOWN when there is none. */
struct runner_up {
    double usd, hours;
};
void risk_assess(const struct question *q, struct plans *plans, uint32_t plan, const struct place *p,
                 const struct offer *f, const struct pick *k, const struct runner_up *next, struct risk *out);
/* Reasons and questions, for a candidate shown in full. */
void risk_explain(const struct question *q, const struct plan *plan, const struct place *p, const struct offer *f,
                  const struct pick *k, const struct estimate *e, struct risk *out);

#endif
