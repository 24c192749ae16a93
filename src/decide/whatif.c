/* SPDX-License-Identifier: MIT */
#include "decide/whatif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/decide/memo.h"
#include "limits.h"
#include "ranking.h"

/* What is evaluated, and what it costs. */
struct rented {
    const struct offer *offer;
    struct shape shape;
    int nodes;
    double rate;
};

/* ---- the evaluator: of the job as it is, or of one that a column changes ---- */

struct bench {
    const struct ranking *parent;
    struct job job;
    struct memo *memo;
    struct ranking *ranking; /* the parent itself where nothing is changed */
};

static void bench_open(struct bench *b, struct ranking *parent, const struct job *job) {
    *b = (struct bench){.parent = parent, .ranking = parent};
    if (!job)
        return;
    b->job = *job;
    b->memo = memo_new();
    struct question q = parent->q;
    q.job = &b->job;
    b->ranking = ranking_new(&q, b->memo);
    memcpy(b->ranking->cheapest, parent->cheapest, sizeof parent->cheapest); /* what there is to go to */
    memcpy(b->ranking->fastest, parent->fastest, sizeof parent->fastest);
}

static void bench_close(struct bench *b) {
    if (b->ranking != b->parent)
        ranking_free(b->ranking);
    memo_free(b->memo);
}

/* One split of a model that answers is over all GPUs: tensor parallel in a machine, in stages over several. */
static void set_way(struct job *j, enum whatif_way way, int gpus, int nodes) {
    bool serves = j->task == TASK_INFERENCE;
    if (way == WAY_BEST)
        return;
    j->strategy = way == WAY_SPLIT ? STRATEGY_MEGATRON : serves ? STRATEGY_REPLICAS : STRATEGY_DDP;
    j->tp = j->pp = j->dp = j->cp = j->ep = 0;
    j->zero = j->seq_parallel = -1;
    if (serves && way == WAY_SPLIT) {
        j->tp = gpus;
        j->pp = nodes;
    }
}

static void set_weak(struct job *j) {
    j->batch_rule = BATCH_PER_GPU;
    j->scaling = SCALING_WEAK;
}

/* The job of a column. False: it contradicts itself. *changed: it is another one than that of the ranking. */
static bool make_job(const struct ranking *r, const struct whatif_question *w, const struct whatif_spec *s,
                     const struct rented *m, struct job *out, bool *changed) {
    *out = *r->q.job;
    *changed = true;
    if (s->field >= 0) {
        if (!w->workload || !w->models)
            return false;
        struct workload *stated = mem_alloc(sizeof *stated);
        *stated = *w->workload;
        bool fine = workload_set(stated, field_table()[s->field].name, s->value, NULL) &&
                    job_resolve(stated, w->models, out, NULL);
        free(stated);
        if (!fine)
            return false;
    }
    if (w->vary == VARY_SPOT)
        out->spot = SPOT_YES;
    if (w->weak)
        set_weak(out);
    set_way(out, w->way, m->shape.gpus, m->nodes);
    *changed = s->field >= 0 || w->vary == VARY_SPOT || w->weak || w->way != WAY_BEST;
    return true;
}

/* ---- which offer stands for a column ---- */

/* A slice of a card is no card, unless it is what was picked. */
static bool matches(const struct whatif_spec *s, const struct offer *f) {
    return f->gpu == s->gpu && f->gpu_fraction >= 1 && (s->link < 0 || f->gpus == 1 || f->link == s->link) &&
           (s->rate_kind < 0 || f->rate_kind == s->rate_kind);
}

/* The picked provider's first, then the cheapest GPU-hour. */
static bool preferred(const struct offer *pick, const struct offer *a, const struct offer *b) {
    bool own_a = pick && a->provider == pick->provider, own_b = pick && b->provider == pick->provider;
    if (own_a != own_b)
        return own_a;
    return a->rate_microusd * b->gpus < b->rate_microusd * a->gpus;
}

struct found {
    const struct offer *exact[WHATIF_MAX_COUNTS]; /* of just this column */
    const struct offer *largest;                  /* of the reference's card and link */
};

/* One pass over the listing for all columns. */
static void look(const struct ranking *r, const struct whatif_question *w, const struct offer *pick,
                 const struct whatif_spec *reference, const struct whatif_spec *specs, int count, struct found *out) {
    const struct offers *o = r->q.offers;
    struct question q = r->q;
    struct job any_price = *q.job;
    bool one_card = true;
    any_price.spot = SPOT_YES;
    if (w->vary == VARY_SPOT)
        q.job = &any_price;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < count; i++)
        one_card &= specs[i].gpu == reference->gpu;
    size_t all = w->among ? w->among_count : o->count;
    for (size_t i = 0; i < all; i++) {
        const struct offer *f = &o->items[w->among ? w->among[i] : i];
        if ((one_card && f->gpu != reference->gpu) || limits_offer(&q, f).code != REASON_NONE)
            continue;
        if (matches(reference, f)) {
            const struct offer *best = out->largest;
            if (!best || f->gpus > best->gpus || (f->gpus == best->gpus && preferred(pick, f, best)))
                out->largest = f;
        }
        for (int k = 0; k < count; k++)
            if (matches(&specs[k], f) && f->gpus == specs[k].gpus &&
                (!out->exact[k] || preferred(pick, f, out->exact[k])))
                out->exact[k] = f;
    }
    for (int k = 0; pick && k < count; k++)
        if ((matches(&specs[k], pick) || pick->gpu_fraction < 1) && pick->gpu == specs[k].gpu &&
            pick->gpus == specs[k].gpus)
            out->exact[k] = pick;
}

/* ---- one column ---- */

static bool nodes_possible(const struct offer *f, int nodes) {
    return (f->nodes_max == 0 || f->nodes_max >= nodes) && f->network != NETWORK_NONE;
}

/* Machines that nobody says how they are connected: the network is assumed to be plain Ethernet. */
static void assume_network(struct shape *s) {
    if (s->network == NETWORK_UNKNOWN) {
        s->network = NETWORK_ETHERNET;
        s->network_source = PROVENANCE_ASSUMED;
    }
}

static bool plan_machine(const struct ranking *r, const struct offer *exact, const struct offer *reference,
                         struct whatif_column *out, struct rented *m) {
    const struct offer *f = exact ? exact : reference;
    if (!f || !offer_shape(r->q.catalog, r->q.offers, f, 1, &m->shape))
        return false;
    m->offer = f;
    m->rate = offer_rate_usd_h(f);
    m->nodes = out->gpus / f->gpus;
    bool whole = out->gpus % f->gpus == 0;
    bool other_link = out->spec.link >= 0 && out->gpus > 1 && m->shape.link != (enum link_kind)out->spec.link;
    out->basis = exact                                                  ? PRICE_OFFER
                 : whole && m->nodes > 1 && nodes_possible(f, m->nodes) ? PRICE_NODES
                 : other_link && out->gpus == f->gpus                   ? PRICE_BORROWED
                                                                        : PRICE_PRO_RATA;
    if (out->basis == PRICE_PRO_RATA) {
        m->shape = shape_with_gpus(&m->shape, out->gpus, 1);
        m->rate *= (double)out->gpus / f->gpus;
        m->nodes = 1;
    }
    if (other_link) {
        m->shape.link = (enum link_kind)out->spec.link;
        m->shape.link_gbs = NUM_UNKNOWN;
        m->shape.link_source = PROVENANCE_ASSUMED;
    }
    m->nodes = m->nodes > 0 ? m->nodes : 1;
    if (m->nodes > 1)
        assume_network(&m->shape);
    return true;
}

static void measure_way(struct ranking *r, const struct whatif_question *w, const struct whatif_column *col,
                        const struct rented *m, enum whatif_way way, struct whatif_speed *out) {
    struct job job;
    bool changed;
    struct bench b;
    struct candidate *c = mem_zero(1, sizeof *c);
    if (make_job(r, w, &col->spec, m, &job, &changed)) {
        set_way(&job, way, m->shape.gpus, m->nodes);
        bench_open(&b, r, &job);
        candidate_hypothetical(b.ranking, m->offer, &m->shape, m->nodes, m->rate, c);
        *out = (struct whatif_speed){c->cls != RANK_REFUSED, c->e.tokens_per_s.expected, c->e.itl_ms.expected,
                                     c->cost.usd.expected};
        bench_close(&b);
    }
    free(c);
}

/* The pick where it is of this card, else the best of the card. */
static const struct ranked *best_row(const struct ranking *r, int gpu, const struct offer *pick) {
    const struct ranked *row = pick && pick->gpu == gpu ? ranking_find(r, (uint32_t)(pick - r->q.offers->items)) : NULL;
    for (size_t i = 0; !row && i < ranking_count(r); i++)
        if (ranking_at(r, i)->gpu == gpu)
            row = ranking_at(r, i);
    return row;
}

/* At its own count. */
static bool fill_best(struct ranking *r, const struct whatif_spec *s, const struct offer *pick,
                      struct whatif_column *out) {
    const struct ranked *row = best_row(r, s->gpu, pick);
    if (!row)
        return false;
    ranking_candidate(r, row, &out->c);
    out->gpus = out->c.shape.gpus * out->c.shape.nodes;
    out->basis = PRICE_OFFER;
    return true;
}

static bool fill_column(struct ranking *r, const struct whatif_question *w, const struct offer *exact,
                        const struct offer *reference, struct whatif_column *out) {
    struct job job;
    bool changed;
    struct rented m;
    struct bench b;
    out->gpus = out->spec.gpus;
    if (!plan_machine(r, exact, reference, out, &m) || !make_job(r, w, &out->spec, &m, &job, &changed))
        return false;
    bench_open(&b, r, changed ? &job : NULL);
    candidate_hypothetical(b.ranking, m.offer, &m.shape, m.nodes, m.rate, &out->c);
    bench_close(&b);
    if (job.task == TASK_INFERENCE && out->gpus > 1 && w->way == WAY_BEST) {
        measure_way(r, w, out, &m, WAY_COPIES, &out->copies);
        measure_way(r, w, out, &m, WAY_SPLIT, &out->split);
    }
    return true;
}

/* ---- what the columns say together ---- */

static bool fits(const struct whatif_column *c) {
    return c->c.cls != RANK_REFUSED;
}

/* Work per hour: a service's tokens, else one job over its hours; a weak measured run grows with its count. */
static double speed(const struct job *j, const struct whatif *out, const struct whatif_column *c) {
    if (job_is_serving(j))
        return c->c.e.tokens_per_s.expected;
    bool grows = j->task == TASK_MEASURED && (out->weak || j->scaling == SCALING_WEAK);
    return (grows ? c->gpus : 1) / c->c.e.run_h.expected;
}

static void find_base(struct whatif *out) {
    out->base = -1;
    for (int i = 0; i < out->count; i++) {
        if (!fits(&out->columns[i]))
            continue;
        bool better = out->vary == VARY_GPUS ? out->base < 0 : out->columns[i].current;
        if (better || out->base < 0)
            out->base = i;
    }
}

static void find_scaling(const struct job *j, struct whatif *out) {
    static const double worth_it = 0.7; /* of the ratio of the counts */
    int before = -1;
    find_base(out);
    out->knee = -1;
    for (int i = 0; i < out->count; i++) {
        out->speed_up[i] = out->efficiency[i] = out->usd_per_h_saved[i] = NUM_UNKNOWN;
        if (!fits(&out->columns[i]))
            continue;
        const struct whatif_column *base = &out->columns[out->base], *c = &out->columns[i];
        out->speed_up[i] = speed(j, out, c) / speed(j, out, base);
        if (out->vary != VARY_GPUS)
            continue;
        out->efficiency[i] = out->speed_up[i] * base->gpus / c->gpus;
        bool gains =
            before < 0 || out->speed_up[i] / out->speed_up[before] >= worth_it * c->gpus / out->columns[before].gpus;
        if (gains && out->knee == before) /* beyond a step that does not, later ones only make up for it */
            out->knee = i;
        if (before >= 0 && !job_is_serving(j)) {
            const struct cost *now = &c->c.cost, *then = &out->columns[before].c.cost;
            double saved = then->time_h.expected - now->time_h.expected;
            out->usd_per_h_saved[i] = saved > 0 ? (now->usd.expected - then->usd.expected) / saved : NUM_UNKNOWN;
        }
        before = i;
    }
}

static double total(const struct whatif_column *c) {
    return c->c.cost.usd.expected + c->c.risk.expected_extra_usd;
}

/* Where two cost the same, the one that is as now. */
static bool cheaper(const struct whatif_column *a, const struct whatif_column *b) {
    double difference = total(a) - total(b), least = 1e-6 * total(b);
    return difference < -least || (difference <= least && a->current && !b->current);
}

static double hours(const struct job *j, const struct whatif_column *c) {
    return job_is_serving(j) ? c->c.e.itl_ms.expected : c->c.cost.time_h.expected;
}

static void find_best(const struct job *j, struct whatif *out) {
    out->best_cost = out->best_time = out->cheapest = out->in_time = -1;
    for (int i = 0; i < out->count; i++) {
        const struct whatif_column *all = out->columns, *c = &all[i];
        if (!fits(c))
            continue;
        int cost = out->best_cost, time = out->best_time;
        if (cost < 0 || c->c.cls < all[cost].c.cls || (c->c.cls == all[cost].c.cls && cheaper(c, &all[cost])))
            out->best_cost = i;
        if (time < 0 || c->c.cls < all[time].c.cls ||
            (c->c.cls == all[time].c.cls && hours(j, c) < hours(j, &all[time])))
            out->best_time = i;
        if (out->cheapest < 0 || cheaper(c, &all[out->cheapest]))
            out->cheapest = i;
        if (c->c.cls <= RANK_TIGHT && (out->in_time < 0 || cheaper(c, &all[out->in_time])))
            out->in_time = i;
    }
}

/* ---- all of it ---- */

static int count_of(const struct whatif_question *w, const struct offer *pick) {
    return w->count > 0 ? w->counts[0] : pick ? pick->gpus : 0;
}

static bool is_current(const struct ranking *r, const struct whatif_spec *s, const struct whatif_column *c,
                       const struct offer *pick) {
    char now[64];
    if (s->field >= 0) {
        job_value_text(r->q.job, (enum field_id)s->field, now, sizeof now);
        return strcmp(now, s->value) == 0;
    }
    return pick && c->c.offer == pick && c->basis == PRICE_OFFER;
}

bool whatif_make(struct ranking *r, const struct whatif_question *w, struct whatif *out) {
    struct whatif_spec specs[WHATIF_MAX_COUNTS], reference = {w->gpu, 0, w->link, -1, -1, ""};
    const struct offer *pick = w->pick ? offers_find(r->q.offers, w->pick) : NULL;
    struct found found;
    memset(out, 0, sizeof *out);
    out->vary = w->vary;
    out->weak = w->weak;
    if (w->pick && (!pick || pick->gpu < 0))
        return false;
    if (pick)
        reference.gpu = pick->gpu;
    if (pick && w->link < 0 && pick->gpus > 1)
        reference.link = pick->link;
    reference.gpus = count_of(w, pick);
    if (reference.gpus == 0 && w->vary != VARY_GPUS && w->vary != VARY_GPU && !w->only) { /* of the largest machine */
        look(r, w, pick, &reference, NULL, 0, &found);
        reference.gpus = found.largest ? found.largest->gpus : 0;
    }
    int count = whatif_specs(r, w, &reference, specs);
    look(r, w, pick, &reference, specs, count, &found);
    const struct offer *lender = pick && pick->gpus > 1 ? pick : found.largest;
    if (!lender)
        return false;
    for (int i = 0; i < count; i++) {
        struct whatif_column *col = &out->columns[out->count];
        memset(col, 0, sizeof *col);
        col->spec = specs[i];
        if (w->vary == VARY_SPOT && !found.exact[i])
            continue; /* not sold like that */
        if (w->vary == VARY_GPU && specs[i].gpus > 0 && !found.exact[i])
            continue;
        if (specs[i].gpus == 0 ? !fill_best(r, &specs[i], pick, col) : !fill_column(r, w, found.exact[i], lender, col))
            continue;
        col->current = is_current(r, &specs[i], col, pick);
        out->count++;
    }
    find_scaling(r->q.job, out);
    find_best(r->q.job, out);
    return out->count > 0;
}

static void shift(int *index) {
    *index += *index >= 0;
}

bool whatif_prepend(struct whatif *w, const struct job *j, const struct whatif_column *column) {
    if (w->count == WHATIF_MAX_COUNTS)
        return false;
    size_t n = (size_t)w->count++;
    memmove(&w->columns[1], &w->columns[0], n * sizeof w->columns[0]);
    double *const lists[] = {w->speed_up, w->efficiency, w->usd_per_h_saved};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        memmove(lists[i] + 1, lists[i], n * sizeof *lists[i]);
        lists[i][0] = NUM_UNKNOWN;
    }
    int *const indexes[] = {&w->base, &w->best_cost, &w->best_time, &w->cheapest, &w->in_time, &w->knee};
    for (size_t i = 0; i < sizeof indexes / sizeof indexes[0]; i++)
        shift(indexes[i]);
    w->columns[0] = *column;
    w->pinned++;
    if (w->base >= 0 && fits(column))
        w->speed_up[0] = speed(j, w, column) / speed(j, w, &w->columns[w->base]);
    return true;
}
