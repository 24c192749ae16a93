/* SPDX-License-Identifier: MIT */
#include "pick.h"

#include <math.h>

#include "limits.h"

static double time_axis(const struct job *j, const struct estimate *e, const struct cost *c) {
    return job_is_serving(j) && num_known(e->itl_ms.expected) ? e->itl_ms.expected : c->time_h.expected;
}

static double cost_axis(const struct job *j, const struct cost *c) {
    return job_is_serving(j) && num_known(c->usd_per_mtok.expected) ? c->usd_per_mtok.expected : c->usd.expected;
}

void pick_goal(const struct question *q, const struct pick *k, const struct risk *r, double *goal, double *other) {
    double usd = k->cost.usd.expected, factor = usd > 0 ? (usd + r->expected_extra_usd) / usd : 1;
    double cost = k->x * factor;
    double time = job_is_serving(q->job) ? k->y : k->y + r->expected_extra_h;
    double hour_usd = num_known(q->job->value_usd_h) ? q->job->value_usd_h : 0;
    switch (q->goal) {
    case GOAL_TIME:
        *goal = time;
        *other = cost;
        break;
    case GOAL_VALUE: /* a service runs its hours whatever it costs: there is nothing to weigh */
        *goal = job_is_serving(q->job) ? cost : cost + hour_usd * time;
        *other = time;
        break;
    default:
        *goal = cost;
        *other = time;
    }
}

/* Costs that differ by less than this are the same money: rounding to billing steps must not choose a layout. */
static int order(double a, double b) {
    static const double same = 1e-9;
    double slack = same * fmax(fabs(a), fabs(b));
    return a < b - slack ? -1 : a > b + slack ? 1 : 0;
}

static bool better(const struct question *q, const struct pick *a, const struct pick *b) {
    static const struct risk no_risk;
    double goal_a, goal_b, other_a, other_b;
    if (a->cls != b->cls)
        return a->cls < b->cls;
    pick_goal(q, a, &no_risk, &goal_a, &other_a);
    pick_goal(q, b, &no_risk, &goal_b, &other_b);
    int by = order(goal_a, goal_b);
    if (by == 0)
        by = order(other_a, other_b);
    return by != 0 ? by < 0 : a->o.simplicity < b->o.simplicity;
}

bool pick_among(const struct question *q, struct plans *plans, const struct option *options, int count,
                const struct place *p, struct pick *out, struct reason *why) {
    bool found = false;
    *why = (struct reason){REASON_NONE, NUM_UNKNOWN, NUM_UNKNOWN, ""};
    for (int i = 0; i < count; i++) {
        const struct estimate *e = plans_estimate(plans, &options[i]);
        struct reason missing = e->fit == FIT_NO ? e->reason : limits_host(q->job, p, e);
        if (missing.code != REASON_NONE) {
            if (why->code == REASON_NONE || missing.need < why->need)
                *why = missing;
            continue;
        }
        struct pick k = {.o = options[i]};
        cost_expected(q, p, e, &k.cost);
        k.cls = limits_class(q->job, e, &k.cost);
        k.x = cost_axis(q->job, &k.cost);
        k.y = time_axis(q->job, e, &k.cost);
        if (!found || better(q, &k, out))
            *out = k;
        found = true;
    }
    return found;
}

bool pick_best(const struct question *q, struct plans *plans, uint32_t plan, const struct place *p, struct pick *out,
               struct reason *why) {
    const struct plan *pl = plans_at(plans, plan);
    if (pl->count > 0)
        return pick_among(q, plans, pl->options, pl->count, p, out, why);
    *why = pl->nearest.gpus ? plans_estimate(plans, &pl->nearest)->reason
                            : (struct reason){REASON_FILTERED, NUM_UNKNOWN, NUM_UNKNOWN, "max_gpus"};
    return false;
}
