/* SPDX-License-Identifier: MIT */
#include "ranking.h"

#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "limits.h"

struct ranking *ranking_new(const struct question *q, struct memo *memo) {
    struct ranking *r = mem_zero(1, sizeof *r);
    r->q = *q;
    r->memo = memo;
    r->plans = plans_new(&r->q, memo);
    r->provider_count = intern_count(q->offers->text);
    r->providers = mem_zero(r->provider_count, sizeof(const struct provider *));
    for (int i = 0; i < 2; i++) {
        r->cheapest[i] = (struct lead){UINT64_MAX, NUM_UNKNOWN, NUM_UNKNOWN};
        r->fastest[i] = r->cheapest[i];
    }
    if (q->offers->count > 0) { /* pages are touched only as rows are made */
        r->rows = mem_alloc(q->offers->count * sizeof *r->rows);
        r->plan_of = mem_alloc(q->offers->count * sizeof *r->plan_of);
        r->group_of = mem_alloc(q->offers->count * sizeof *r->group_of);
    }
    ranking_beside_begin(r);
    return r;
}

void ranking_free(struct ranking *r) {
    if (!r)
        return;
    plans_free(r->plans);
    ranking_beside_free(r);
    free(r->providers);
    free(r->rows);
    free(r->plan_of);
    free(r->order);
    free(r->keys);
    free(r->spare);
    free(r->frontier);
    free(r->groups);
    free(r->group_of);
    free(r->group_slots);
    free(r->group_keys);
    free(r->group_order);
    free(r);
}

const struct question *ranking_question(const struct ranking *r) {
    return &r->q;
}

static const struct provider *provider_of(const struct ranking *r, const struct offer *f) {
    const struct provider **known = &r->providers[f->provider];
    if (!*known)
        *known = providers_find(r->q.providers, offers_text(r->q.offers, f->provider));
    return *known;
}

bool ranking_place(const struct ranking *r, const struct offer *f, struct place *out) {
    return place_make(&r->q, provider_of(r, f), f, out);
}

/* Several machines: as many as the job allows and the offer does not forbid; a marketplace must state a shared network. */
static int nodes_allowed(const struct job *j, const struct offer *f, const struct place *p) {
    bool connected = f->network != NETWORK_UNKNOWN && f->network != NETWORK_NONE;
    if (j->nodes_max <= 1 || (p->market && !connected) || f->network == NETWORK_NONE)
        return 1;
    return f->nodes_max > 0 && f->nodes_max < j->nodes_max ? f->nodes_max : j->nodes_max;
}

bool ranking_plan(struct ranking *r, const struct offer *f, uint32_t *plan, struct reason *why) {
    struct shape s;
    struct place p = {.market = f->host_class >= HOST_MARKET_DC};
    if (!offer_shape(r->q.catalog, r->q.offers, f, 1, &s)) {
        *why = (struct reason){REASON_CAPABILITY, NUM_UNKNOWN, NUM_UNKNOWN, "gpu"};
        return false;
    }
    *plan = plans_get(r->plans, &s, nodes_allowed(r->q.job, f, &p));
    return true;
}

static uint64_t machine_key(const struct offer *f) {
    return (uint64_t)f->provider << 32 | f->machine;
}

static double other_lead(const struct lead lead[2], uint64_t machine, bool hours) {
    const struct lead *l = &lead[lead[0].machine == machine];
    return hours ? l->hours : l->usd;
}

struct runner_up ranking_next(const struct ranking *r, const struct offer *f) {
    uint64_t machine = machine_key(f);
    return (struct runner_up){other_lead(r->cheapest, machine, false), other_lead(r->fastest, machine, true)};
}

/* lead[0] is the best, lead[1] the best of any other machine. */
static void lead_add(struct lead lead[2], const struct lead *new, bool by_hours) {
    double mine = by_hours ? new->hours : new->usd, first = by_hours ? lead[0].hours : lead[0].usd;
    double second = by_hours ? lead[1].hours : lead[1].usd;
    bool leads = !num_known(first) || mine < first;
    if (leads && lead[0].machine != new->machine)
        lead[1] = lead[0];
    if (leads)
        lead[0] = *new;
    else if (lead[0].machine != new->machine && (!num_known(second) || mine < second))
        lead[1] = *new;
}

bool ranking_pick(struct ranking *r, const struct offer *f, uint32_t *plan, struct place *p, struct pick *out,
                  struct reason *why) {
    *why = limits_offer(&r->q, f);
    if (why->code != REASON_NONE || !ranking_plan(r, f, plan, why))
        return false;
    return ranking_place(r, f, p) && pick_best(&r->q, r->plans, *plan, p, out, why);
}

void ranking_score(struct ranking *r, const struct offer *f, uint32_t plan, const struct place *p, const struct pick *k,
                   struct ranked *row) {
    struct runner_up next = ranking_next(r, f);
    if (r->phase == RANKING_EVALUATE) /* not known yet: settled once all are seen */
        next = (struct runner_up){k->cost.usd.expected, k->cost.time_h.expected};
    struct risk risk;
    double goal, other;
    risk_assess(&r->q, r->plans, plan, p, f, k, &next, &risk);
    pick_goal(&r->q, k, &risk, &goal, &other);
    row->goal = (float)goal;
    row->other = (float)other;
}

static struct refusal_summary *refusal_kind(struct ranking *r, const struct reason *why) {
    size_t i = 0;
    while (i < r->refused_kinds &&
           (r->refused[i].code != why->code || strcmp(r->refused[i].reason.what, why->what) != 0))
        i++;
    if (i == r->refused_kinds && i < REFUSAL_MAX)
        r->refused_kinds++;
    return &r->refused[i < REFUSAL_MAX ? i : REFUSAL_MAX - 1];
}

static void refuse(struct ranking *r, uint32_t offer, const struct reason *reason) {
    struct reason why = *reason;
    if (!why.what)
        why.what = "";
    struct refusal_summary *s = refusal_kind(r, &why);
    bool nearer = s->offers > 0 && why.need - why.have < s->reason.need - s->reason.have;
    if (s->offers++ == 0 || nearer) {
        s->code = why.code;
        s->example = offer;
        s->reason = why;
    }
    r->refused_count++;
}

static void evaluate(struct ranking *r, uint32_t offer) {
    const struct offer *f = &r->q.offers->items[offer];
    struct pick k = {0};
    struct place p;
    struct reason why;
    uint32_t plan;
    ranking_lighter_add(r, offer);
    if (!ranking_pick(r, f, &plan, &p, &k, &why)) {
        refuse(r, offer, &why);
        return;
    }
    uint32_t at = (uint32_t)r->count++;
    struct ranked *row = &r->rows[at];
    *row = (struct ranked){.offer = offer,
                           .set = k.o.set,
                           .which = k.o.which,
                           .cls = (uint8_t)k.cls,
                           .gpu = f->gpu,
                           .gpus = k.o.gpus,
                           .nodes = k.o.nodes};
    row->simplicity = (uint8_t)(k.o.simplicity + p.interruptible);
    row->usd = (float)k.x;
    row->hours = (float)k.y;
    r->plan_of[at] = plan;
    ranking_score(r, f, plan, &p, &k, row);
    if (k.cls <= RANK_TIGHT) {
        struct lead new = {machine_key(f), k.cost.usd.expected, k.cost.time_h.expected};
        lead_add(r->cheapest, &new, false);
        lead_add(r->fastest, &new, true);
    }
    ranking_shared_add(r, offer, &k);
    ranking_groups_add(r, at);
    ranking_frontier_add(r, row);
    ranking_early_add(r, at);
}

/* Only rows that are cheaper or faster than what one would leave for lose more by leaving. */
static void settle(struct ranking *r, uint32_t at) {
    struct ranked *row = &r->rows[at];
    const struct offer *f = &r->q.offers->items[row->offer];
    struct runner_up next = ranking_next(r, f);
    if ((double)row->usd >= next.usd && (double)row->hours >= next.hours)
        return;
    struct pick k = {0};
    struct reason why;
    struct place p;
    if (!ranking_place(r, f, &p) || !pick_best(&r->q, r->plans, r->plan_of[at], &p, &k, &why))
        return;
    ranking_score(r, f, r->plan_of[at], &p, &k, row);
}

static bool walk(struct ranking *r, size_t end, size_t work, void (*visit)(struct ranking *, uint32_t)) {
    size_t stop = end - r->cursor < work ? end : r->cursor + work;
    for (; r->cursor < stop; r->cursor++)
        visit(r, (uint32_t)r->cursor);
    return r->cursor == end;
}

static void enter(struct ranking *r, enum ranking_phase phase) {
    r->phase = phase;
    r->cursor = 0;
}

/* To move a row in the order takes about so much less than to evaluate an offer. */
static size_t rows_of(size_t offers) {
    static const size_t rows_an_offer = 16;
    return offers > SIZE_MAX / rows_an_offer ? SIZE_MAX : offers * rows_an_offer;
}

bool ranking_step(struct ranking *r, size_t offers) {
    switch (r->phase) {
    case RANKING_EVALUATE:
        if (walk(r, r->q.offers->count, offers, evaluate))
            enter(r, RANKING_SETTLE);
        break;
    case RANKING_SETTLE:
        if (walk(r, r->count, offers, settle)) {
            enter(r, RANKING_SORT);
            ranking_groups_settle(r);
            ranking_sort_begin(r);
        }
        break;
    case RANKING_SORT:
        if (ranking_sort_step(r, rows_of(offers)))
            enter(r, RANKING_RUNS);
        break;
    case RANKING_RUNS:
        if (ranking_runs_step(r, rows_of(offers)))
            enter(r, RANKING_MARK);
        break;
    case RANKING_MARK:
        if (ranking_mark_step(r, rows_of(offers)))
            enter(r, RANKING_DONE);
        break;
    case RANKING_DONE:
        break;
    }
    return r->phase == RANKING_DONE;
}

void ranking_run(struct ranking *r) {
    while (!ranking_step(r, SIZE_MAX))
        continue;
}

static bool ordered(const struct ranking *r) {
    return r->phase >= RANKING_MARK;
}

size_t ranking_count(const struct ranking *r) {
    return ordered(r) ? r->count : r->early_count;
}

const struct ranked *ranking_at(const struct ranking *r, size_t i) {
    return &r->rows[ordered(r) ? r->order[i] : r->early[i]];
}

size_t ranking_refused_count(const struct ranking *r) {
    return r->refused_count;
}

static void most_first(struct refusal_summary *s, size_t n) {
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && s[k].offers > s[k - 1].offers; k--) {
            struct refusal_summary t = s[k];
            s[k] = s[k - 1];
            s[k - 1] = t;
        }
}

size_t ranking_refusals_by_cause(const struct ranking *r, struct refusal_summary out[REFUSAL_MAX]) {
    memcpy(out, r->refused, sizeof r->refused);
    most_first(out, r->refused_kinds);
    return r->refused_kinds;
}

/* The example of a code is that of its commonest cause. */
size_t ranking_refusals(const struct ranking *r, struct refusal_summary out[REASON_COUNT]) {
    struct refusal_summary causes[REFUSAL_MAX];
    size_t n = 0, count = ranking_refusals_by_cause(r, causes);
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < n && out[at].code != causes[i].code)
            at++;
        if (at == n)
            out[n++] = causes[i];
        else
            out[at].offers += causes[i].offers;
    }
    most_first(out, n);
    return n;
}

/* Rows are made in the order of the offers. */
const struct ranked *ranking_find(const struct ranking *r, uint32_t offer) {
    size_t low = 0, high = r->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->rows[middle].offer < offer)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->count && r->rows[low].offer == offer ? &r->rows[low] : NULL;
}

size_t ranking_position(const struct ranking *r, const struct ranked *row) {
    size_t low = 0, high = ranking_count(r);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranking_compare(r, ranking_at(r, middle), row) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ranking_count(r) && ranking_at(r, low) == row ? low : ranking_count(r);
}
