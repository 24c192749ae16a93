/* SPDX-License-Identifier: MIT */
/* One row in full: the same functions as the ranking, with ranges, reasons and what fewer GPUs would do. */
#include <math.h>
#include <string.h>

#include "limits.h"
#include "ranking.h"

enum { ALL_COUNTS = 16 /* up to here every count is looked at, so that "fits from 3" can be said */ };

/* Of a measured run that grows with the count; every other job is a fixed amount of work. */
static bool is_weak(const struct job *j) {
    return j->task == TASK_MEASURED && j->scaling == SCALING_WEAK;
}

/* Estimate of one count, the best layout; NULL when it does not fit. */
static const struct estimate *at_count(struct ranking *r, const struct shape *machine, int gpus, struct option *o) {
    struct option found[ESTIMATE_SET_MAX];
    plans_of_count(r->plans, machine, gpus, 1, found);
    *o = found[0];
    return found[0].fit == FIT_NO ? NULL : plans_estimate(r->plans, &found[0]);
}

/* Smallest count of this card that fits, and how much of the ideal speed-up over it is reached. */
static void find_efficiency(struct ranking *r, const struct shape *machine, struct candidate *out) {
    const struct job *j = r->q.job;
    int used = out->e.gpus > 0 ? out->shape.gpus * out->shape.nodes : 1;
    out->efficiency = NUM_UNKNOWN;
    for (int n = 1; n <= machine->gpus && out->fits_from_gpus == 0; n++) {
        struct option o;
        if (machine->gpus > ALL_COUNTS && !plan_count_wanted(n, machine->gpus))
            continue;
        const struct estimate *base = at_count(r, machine, n, &o);
        if (!base)
            continue;
        out->fits_from_gpus = n;
        out->efficiency_base = n;
        if (job_is_serving(j) || !(out->e.run_h.expected > 0))
            continue;
        double speed_up = base->run_h.expected / out->e.run_h.expected;
        out->efficiency = is_weak(j) ? speed_up : speed_up * n / used;
    }
    if (out->fits_from_gpus == 0 && out->e.fit != FIT_NO) /* only several machines hold it */
        out->fits_from_gpus = out->efficiency_base = used;
}

/* The same job where every GPU adds as much as the ones of the base. */
static void find_naive(const struct place *p, struct candidate *out) {
    struct cost *c = &out->cost;
    int used = out->shape.gpus * out->shape.nodes;
    double efficiency = num_known(out->efficiency) ? out->efficiency : 1;
    double run_h = out->e.run_h.expected, ideal_h = run_h * efficiency;
    bool shorter = efficiency < 1 && num_known(out->efficiency);
    c->naive_usd = c->usd.expected - (shorter ? out->shape.nodes * p->rate_usd_h * (run_h - ideal_h) : 0);
    c->usd_per_useful_gpu_h = out->shape.nodes * p->rate_usd_h / (used * efficiency);
}

static bool one_would_do(struct ranking *r, const struct shape *machine, const struct place *p) {
    struct option found[ESTIMATE_SET_MAX];
    struct pick k = {0};
    struct reason why;
    int count = plans_of_count(r->plans, machine, 1, 1, found);
    return pick_among(&r->q, r->plans, found, count, p, &k, &why) && k.cls <= RANK_TIGHT;
}

/* Offers of one plan differ in where their link is known from. */
static struct shape shape_of(const struct offer *f, const struct shape *machine, const struct option *o) {
    struct shape own = *machine;
    own.link_source = (enum provenance)f->link_source;
    own.network_source = (enum provenance)f->network_source;
    return shape_with_gpus(&own, o->gpus, o->nodes);
}

void candidate_fill(const struct question *q, struct plans *plans, const struct offer *f, const struct shape *machine,
                    const struct place *p, const struct pick *k, struct candidate *out) {
    out->e = *plans_estimate(plans, &k->o);
    out->shape = shape_of(f, machine, &k->o);
    out->e.max_seq_len = plans_longest(plans, &k->o, &out->shape);
    out->cls = k->cls;
    out->cost = k->cost;
    cost_ranges(q, p, &out->e, &out->cost);
    out->deadline = limits_deadline(q->job, &out->cost);
    out->budget = limits_budget(q->job, &out->cost);
    out->gpu_hours = (double)machine->gpus * k->o.nodes * out->cost.time_h.expected;
}

static void fill_pick(struct ranking *r, const struct offer *f, uint32_t plan, const struct place *p,
                      const struct pick *k, struct candidate *out) {
    const struct question *q = &r->q;
    struct shape machine = plans_at(r->plans, plan)->shape;
    candidate_fill(q, r->plans, f, &machine, p, k, out);
    find_efficiency(r, &machine, out);
    find_naive(p, out);
    out->single_gpu_would_do = one_would_do(r, &machine, p);
    struct runner_up next = ranking_next(r, f);
    risk_assess(q, r->plans, plan, p, f, k, &next, &out->risk);
    risk_explain(q, plans_at(r->plans, plan), p, f, k, &out->e, &out->risk);
}

void candidate_begin(const struct offer *f, struct candidate *out) {
    memset(out, 0, sizeof *out);
    out->offer = f;
    out->cls = RANK_REFUSED;
    out->reason = (struct reason){REASON_NONE, NUM_UNKNOWN, NUM_UNKNOWN, ""};
    out->efficiency = NUM_UNKNOWN;
    out->group_size = 1;
    out->rate_usd_h = offer_rate_usd_h(f);
    out->risk.worse_link = LINK_NONE;
    out->risk.worse_usd = out->risk.worse_time_h = out->risk.leave_usd = NUM_UNKNOWN;
}

static void set_standing(const struct ranking *r, const struct ranked *row, struct candidate *out) {
    out->tie = row->tie;
    out->frontier = row->frontier;
    if (r->phase == RANKING_DONE)
        out->group_size = r->groups[r->group_of[row - r->rows]].size;
}

void ranking_candidate(struct ranking *r, const struct ranked *row, struct candidate *out) {
    const struct offer *f = &r->q.offers->items[row->offer];
    uint32_t plan = r->plan_of[row - r->rows];
    struct place p;
    struct pick k = {0};
    struct reason why;
    candidate_begin(f, out);
    set_standing(r, row, out);
    if (!ranking_place(r, f, &p) || !pick_best(&r->q, r->plans, plan, &p, &k, &why))
        return;
    fill_pick(r, f, plan, &p, &k, out);
}

/* What a refused offer came nearest to, so that its memory can be shown. */
static void fill_refused(struct ranking *r, const struct offer *f, int gpus, const struct reason *why,
                         struct candidate *out) {
    struct shape machine;
    struct option found[ESTIMATE_SET_MAX];
    out->reason = *why;
    if (!offer_shape(r->q.catalog, r->q.offers, f, 1, &machine))
        return;
    uint32_t plan = plans_get(r->plans, &machine, 1);
    const struct plan *pl = plans_at(r->plans, plan);
    struct option o = pl->count ? pl->options[0] : pl->nearest;
    if (gpus > 0 || o.gpus == 0) {
        plans_of_count(r->plans, &machine, gpus > 0 ? gpus : machine.gpus, 1, found);
        o = found[0];
    }
    out->e = *plans_estimate(r->plans, &o);
    out->shape = shape_of(f, &machine, &o);
    find_efficiency(r, &machine, out);
    if (why->code >= REASON_GPU_MEMORY && why->code <= REASON_DIVISIBILITY)
        out->e.fit = FIT_NO;
}

/* A machine that may not be sold like this: other count, other rate. The offer lends all the rest. */
void candidate_hypothetical(struct ranking *r, const struct offer *f, const struct shape *machine, int nodes,
                            double rate_usd_h, struct candidate *out) {
    struct option found[ESTIMATE_SET_MAX];
    struct place p;
    struct pick k = {0};
    candidate_begin(f, out);
    out->rate_usd_h = rate_usd_h;
    uint32_t plan = plans_get(r->plans, machine, nodes);
    int count = plans_of_count(r->plans, machine, machine->gpus, nodes, found);
    bool priced = ranking_place(r, f, &p);
    p.rate_usd_h = rate_usd_h;
    if (priced && pick_among(&r->q, r->plans, found, count, &p, &k, &out->reason)) {
        fill_pick(r, f, plan, &p, &k, out);
        return;
    }
    out->e = *plans_estimate(r->plans, &found[0]);
    out->shape = shape_of(f, machine, &found[0]);
    out->e.fit = FIT_NO;
}

static bool pick_count(struct ranking *r, const struct offer *f, int gpus, uint32_t *plan, struct place *p,
                       struct pick *k, struct reason *why) {
    if (gpus <= 0)
        return ranking_pick(r, f, plan, p, k, why);
    *why = limits_offer(&r->q, f);
    if (why->code != REASON_NONE || !ranking_plan(r, f, plan, why))
        return false;
    struct shape machine = plans_at(r->plans, *plan)->shape;
    struct option found[ESTIMATE_SET_MAX];
    int nodes = gpus > machine.gpus ? (gpus + machine.gpus - 1) / machine.gpus : 1;
    int count = plans_of_count(r->plans, &machine, nodes > 1 ? machine.gpus : gpus, nodes, found);
    return ranking_place(r, f, p) && pick_among(&r->q, r->plans, found, count, p, k, why);
}

bool ranking_explain(struct ranking *r, const char *offer_id, int gpus, struct candidate *out, struct trace *trace) {
    const struct offer *f = offers_find(r->q.offers, offer_id);
    struct place p;
    struct pick k = {0};
    struct reason why;
    uint32_t plan;
    if (!f)
        return false;
    candidate_begin(f, out);
    if (pick_count(r, f, gpus, &plan, &p, &k, &why)) {
        fill_pick(r, f, plan, &p, &k, out);
    } else {
        fill_refused(r, f, gpus, &why, out);
    }
    const struct ranked *row = ranking_find(r, (uint32_t)(f - r->q.offers->items));
    if (row) {
        set_standing(r, row, out);
        out->rank = (int)ranking_position(r, row) + 1;
        out->rank = (size_t)out->rank > ranking_count(r) ? 0 : out->rank;
    }
    if (trace && out->shape.gpu) {
        struct estimate again;
        estimate_layout(r->q.catalog, r->q.job, &out->shape, &out->e.layout, r->q.assumptions, trace, &again);
        if (out->reason.code == REASON_NONE)
            ranking_trace(trace, &r->q, &p, out);
    }
    return true;
}
