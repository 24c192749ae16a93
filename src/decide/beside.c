/* SPDX-License-Identifier: MIT */
/*
 * Answers beside the ranking of a model that answers: one GPU with the weights in fewer bits, and several machines that share the load.
 * Each is found while the rows are made; only the best is kept.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "limits.h"
#include "ranking.h"

static const struct risk no_risk;

/* ---- one GPU, fewer bits a weight ---- */

/* A job of its own for every format that is smaller than the one asked for. */
static void lighter_begin(struct ranking *r) {
    static const enum weight_format formats[LIGHTER_MAX] = {WEIGHTS_FP8, WEIGHTS_INT4};
    const double clearly = 0.75; /* of the bytes */
    const struct job *j = r->q.job;

    if (j->task != TASK_INFERENCE)
        return;
    r->lighter = mem_zero(LIGHTER_MAX, sizeof *r->lighter);
    for (int i = 0; i < LIGHTER_MAX; i++) {
        struct lighter *l = &r->lighter[r->lighter_count];
        if (weight_format_bytes(formats[i]) > clearly * weight_format_bytes(j->weights))
            continue;
        l->job = *j;
        l->job.weights = formats[i];
        l->job.max_gpus = 1;
        l->q = r->q;
        l->q.job = &l->job;
        l->memo = memo_new();
        l->plans = plans_new(&l->q, l->memo);
        r->lighter_count++;
    }
}

void ranking_beside_begin(struct ranking *r) {
    lighter_begin(r);
}

void ranking_beside_free(struct ranking *r) {
    for (int i = 0; i < r->lighter_count; i++) {
        plans_free(r->lighter[i].plans);
        memo_free(r->lighter[i].memo);
    }
    free(r->lighter);
}

static bool precedes(const struct pick *a, double goal_a, const struct pick *b, double goal_b) {
    return a->cls != b->cls ? a->cls < b->cls : goal_a < goal_b;
}

static void lighter_try(struct lighter *l, uint32_t offer, const struct shape *s, const struct place *p) {
    struct pick k = {0};
    struct reason why;
    double goal, other;
    uint32_t plan = plans_get(l->plans, s, 1);

    if (!pick_best(&l->q, l->plans, plan, p, &k, &why) || k.cls > RANK_TIGHT)
        return;
    pick_goal(&l->q, &k, &no_risk, &goal, &other);
    if (l->best.found && !precedes(&k, goal, &l->best.k, l->best.goal))
        return;
    l->best = (struct beside){.found = true, .offer = offer, .k = k, .goal = goal, .machines = 1};
}

void ranking_lighter_add(struct ranking *r, uint32_t offer) {
    const struct offer *f = &r->q.offers->items[offer];
    struct shape s;
    struct place p;

    if (r->lighter_count == 0 || f->gpus != 1 || limits_offer(&r->q, f).code != REASON_NONE ||
        !offer_shape(r->q.catalog, r->q.offers, f, 1, &s) || !ranking_place(r, f, &p))
        return;
    for (int i = 0; i < r->lighter_count; i++)
        lighter_try(&r->lighter[i], offer, &s, &p);
}

/* ---- several machines: copies need no network between them ---- */

/* How many of this machine the whole load needs; 0 where no number does, or where one is enough. */
static int machines_for_load(const struct job *j, const struct estimate *e) {
    const double most = 64;

    if (!job_is_serving(j) || !num_known(e->replicas_needed) || !(e->sustained_requests_per_s.expected > 0))
        return 0;
    double machines = ceil(e->replicas_needed / e->layout.replicas);
    return machines > 1 && machines <= most ? (int)machines : 0;
}

void ranking_shared_add(struct ranking *r, uint32_t offer, const struct pick *k) {
    const struct estimate *e = plans_estimate(r->plans, &k->o);
    struct beside *best = &r->shared;

    if (k->cls != RANK_LATE || e->fit == FIT_NO || !k->cost.viable)
        return;
    int machines = machines_for_load(r->q.job, e);
    double usd = machines * k->cost.usd.expected;
    bool affordable = !num_known(r->q.job->budget_usd) || usd <= r->q.job->budget_usd;
    if (machines == 0 || !affordable || (best->found && best->goal <= usd))
        return;
    *best = (struct beside){.found = true, .offer = offer, .k = *k, .goal = usd, .machines = machines};
}

/* ---- accounts ---- */

static void fill(struct ranking *r, const struct question *q, struct plans *plans, const struct beside *from,
                 struct candidate *out) {
    const struct offer *f = &q->offers->items[from->offer];
    struct shape s;
    struct place p;

    candidate_begin(f, out);
    if (!offer_shape(q->catalog, q->offers, f, 1, &s) || !ranking_place(r, f, &p))
        return;
    candidate_fill(q, plans, f, &s, &p, &from->k, out);
}

/* Eight bits rather than four where they cost hardly more: less is lost. */
static const struct lighter *lighter_chosen(const struct ranking *r) {
    const double hardly = 1.1;
    const struct lighter *chosen = NULL;

    for (int i = 0; i < r->lighter_count; i++) {
        const struct lighter *l = &r->lighter[i];
        if (!l->best.found)
            continue;
        bool better = chosen && (l->best.k.cls < chosen->best.k.cls ||
                                 (l->best.k.cls == chosen->best.k.cls && l->best.goal * hardly < chosen->best.goal));
        if (!chosen || better)
            chosen = l;
    }
    return chosen;
}

void ranking_beside(struct ranking *r, struct answer *out) {
    const struct lighter *l = lighter_chosen(r);
    bool carried = out->has_best && out->best.cls <= RANK_TIGHT;

    if (l) {
        fill(r, &l->q, l->plans, &l->best, &out->lighter);
        out->lighter_weights = l->job.weights;
        out->has_lighter = true;
    }
    if (r->shared.found && (!carried || r->shared.goal < out->best.cost.usd.expected)) {
        fill(r, &r->q, r->plans, &r->shared, &out->shared);
        out->shared_machines = r->shared.machines;
        out->has_shared = true;
    }
}
