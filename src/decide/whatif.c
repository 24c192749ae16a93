/* SPDX-License-Identifier: MIT */
#include "gpuplan/decide/whatif.h"

#include <math.h>
#include <string.h>

#include "limits.h"
#include "ranking.h"

const char *price_basis_name(enum price_basis b) {
    static const char *const names[] = {"offer", "nodes", "pro_rata"};
    return names[b];
}

/* Which offers are compared. */
struct pool {
    const struct ranking *r;
    const struct offer *pick; /* or NULL */
    int gpu, link;
};

static bool belongs(const struct pool *p, const struct offer *f) {
    bool link = p->link < 0 || f->gpus == 1 || f->link == p->link;
    return f->gpu == p->gpu && link && limits_offer(&p->r->q, f).code == REASON_NONE;
}

/* The picked provider's first, then the cheapest GPU-hour. */
static bool preferred(const struct pool *p, const struct offer *a, const struct offer *b) {
    bool own_a = p->pick && a->provider == p->pick->provider, own_b = p->pick && b->provider == p->pick->provider;
    if (own_a != own_b)
        return own_a;
    return a->rate_microusd * b->gpus < b->rate_microusd * a->gpus;
}

/* Best offer of exactly n GPUs; n = 0: of the largest count there is. */
static const struct offer *find_offer(const struct pool *p, int n) {
    const struct offers *o = p->r->q.offers;
    const struct offer *best = NULL;
    for (size_t i = 0; i < o->count; i++) {
        const struct offer *f = &o->items[i];
        if ((n > 0 && f->gpus != n) || !belongs(p, f))
            continue;
        bool larger = best && n == 0 && f->gpus > best->gpus, smaller = best && n == 0 && f->gpus < best->gpus;
        if (!best || larger || (!smaller && preferred(p, f, best)))
            best = f;
    }
    return best;
}

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

static void fill_column(struct ranking *r, const struct pool *p, const struct offer *reference,
                        struct whatif_column *out) {
    const struct offer *exact = p->pick && p->pick->gpus == out->gpus ? p->pick : find_offer(p, out->gpus);
    const struct offer *f = exact ? exact : reference;
    struct shape machine;
    if (!offer_shape(r->q.catalog, r->q.offers, f, 1, &machine))
        return;
    double rate = offer_rate_usd_h(f);
    int nodes = out->gpus / f->gpus;
    bool whole = out->gpus % f->gpus == 0;
    out->basis = exact ? PRICE_OFFER : whole && nodes > 1 && nodes_possible(f, nodes) ? PRICE_NODES : PRICE_PRO_RATA;
    if (out->basis == PRICE_PRO_RATA) {
        machine = shape_with_gpus(&machine, out->gpus, 1);
        rate *= (double)out->gpus / f->gpus;
        nodes = 1;
    }
    if (nodes > 1)
        assume_network(&machine);
    candidate_hypothetical(r, f, &machine, nodes, rate, &out->c);
}

static bool fits(const struct whatif_column *c) {
    return c->c.cls != RANK_REFUSED;
}

/* Work per hour: a service's tokens, else one job over its hours; a weak measured run grows with its count. */
static double speed(const struct job *j, const struct whatif_column *c) {
    if (job_is_serving(j))
        return c->c.e.tokens_per_s.expected;
    double size = j->task == TASK_MEASURED && j->scaling == SCALING_WEAK ? c->gpus : 1;
    return size / c->c.e.run_h.expected;
}

static void find_scaling(const struct job *j, struct whatif *out) {
    static const double worth_it = 0.7; /* of the ratio of the counts */
    int before = -1;
    out->base = -1;
    for (int i = 0; i < out->count; i++) {
        out->speed_up[i] = out->efficiency[i] = NUM_UNKNOWN;
        if (!fits(&out->columns[i]))
            continue;
        if (out->base < 0)
            out->base = i;
        const struct whatif_column *base = &out->columns[out->base], *c = &out->columns[i];
        out->speed_up[i] = speed(j, c) / speed(j, base);
        out->efficiency[i] = out->speed_up[i] * base->gpus / c->gpus;
        if (before < 0 || out->speed_up[i] / out->speed_up[before] >= worth_it * c->gpus / out->columns[before].gpus)
            out->knee = c->gpus;
        before = i;
    }
}

static double total(const struct whatif_column *c) {
    return c->c.cost.usd.expected + c->c.risk.expected_extra_usd;
}

static double hours(const struct job *j, const struct whatif_column *c) {
    return job_is_serving(j) ? c->c.e.itl_ms.expected : c->c.cost.time_h.expected;
}

/* In the best class there is. */
static void find_best(const struct job *j, struct whatif *out) {
    const struct whatif_column *cheap = NULL, *fast = NULL;
    for (int i = 0; i < out->count; i++) {
        const struct whatif_column *c = &out->columns[i];
        if (!fits(c))
            continue;
        if (!cheap || c->c.cls < cheap->c.cls || (c->c.cls == cheap->c.cls && total(c) < total(cheap)))
            cheap = c;
        if (!fast || c->c.cls < fast->c.cls || (c->c.cls == fast->c.cls && hours(j, c) < hours(j, fast)))
            fast = c;
    }
    out->best_cost = cheap ? cheap->gpus : 0;
    out->best_time = fast ? fast->gpus : 0;
}

bool whatif_make(struct ranking *r, const struct whatif_question *w, struct whatif *out) {
    struct pool p = {r, NULL, w->gpu, w->link};
    memset(out, 0, sizeof *out);
    if (w->pick) {
        p.pick = offers_find(r->q.offers, w->pick);
        if (!p.pick || p.pick->gpu < 0)
            return false;
        p.gpu = p.pick->gpu;
        if (p.link < 0 && p.pick->gpus > 1)
            p.link = p.pick->link;
    }
    const struct offer *reference = p.pick && p.pick->gpus > 1 ? p.pick : find_offer(&p, 0);
    if (!reference)
        return false;
    for (int i = 0; i < w->count; i++) {
        out->columns[i].gpus = w->counts[i];
        fill_column(r, &p, reference, &out->columns[i]);
    }
    out->count = w->count;
    find_scaling(r->q.job, out);
    find_best(r->q.job, out);
    return true;
}
