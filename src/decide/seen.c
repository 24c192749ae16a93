/* SPDX-License-Identifier: MIT */
#include "gpuplan/decide/seen.h"

#include <string.h>

#include "gpuplan/decide/memo.h"

/* Among cards of one type the ranking's own order decides; a machine with just as many GPUs comes first. */
const struct offer *seen_reference(struct ranking *r, int gpu, int gpus) {
    const struct offers *o = ranking_question(r)->offers;
    const struct offer *larger = NULL;
    for (size_t i = 0; i < ranking_count(r); i++) {
        const struct offer *f = &o->items[ranking_at(r, i)->offer];
        if (f->gpu != gpu || f->gpus < gpus)
            continue;
        if (f->gpus == gpus)
            return f;
        larger = larger ? larger : f;
    }
    for (size_t i = 0; i < o->count && !larger; i++)
        if (o->items[i].gpu == gpu && o->items[i].gpus >= gpus)
            larger = &o->items[i];
    return larger;
}

static void set_link(struct offer *f, const struct topology_verdict *v) {
    f->link = (uint8_t)v->link;
    f->link_gbs = (float)v->link_gbs;
    f->link_source = v->link == LINK_UNKNOWN ? PROVENANCE_UNKNOWN : PROVENANCE_MEASURED;
    if (v->pcie_gen > 0)
        f->pcie_gen = (uint8_t)v->pcie_gen;
    if (v->pcie_lanes > 0)
        f->pcie_lanes = (uint8_t)v->pcie_lanes;
}

/* The same question about this one offer. Its texts and rare fields stay those of the whole set. */
static void ask(const struct question *q, int gpus, struct seen_row *row) {
    struct offers one = *q->offers;
    struct question about = *q;
    one.items = &row->offer;
    one.count = one.cap = 1;
    about.offers = &one;
    about.filter = NULL;
    struct memo *memo = memo_new();
    struct ranking *r = ranking_new(&about, memo);
    ranking_run(r);
    ranking_explain(r, offers_text(&one, row->offer.id), gpus, &row->c, NULL);
    ranking_free(r);
    memo_free(memo);
    row->c.offer = &row->offer;
}

/* Ranks are numbered tensor parallel first, so the GPUs of one such group must be neighbours in the list. */
static void put_in_order(const struct topology *part, struct seen_row *row) {
    int order[TOPOLOGY_MAX_GPUS], given[TOPOLOGY_MAX_GPUS];
    memcpy(given, row->gpu, sizeof given);
    topology_order(part, row->c.e.layout.tp > 1 ? row->c.e.layout.tp : part->gpus, order);
    for (int i = 0; i < part->gpus; i++)
        row->gpu[i] = given[order[i]];
}

static void try_count(struct ranking *r, const struct topology *t, const char *gpu_name, int gpus, struct seen *out) {
    struct topology part;
    for (int i = 0; i < out->count; i++)
        if (out->row[i].gpus == gpus)
            return;
    if (gpus < 1 || gpus > t->gpus || out->count == SEEN_MAX)
        return;
    struct seen_row *row = &out->row[out->count++];
    row->gpus = gpus;
    row->offer = *out->offer;
    topology_best(t, gpus, row->gpu);
    topology_subset(t, row->gpu, gpus, &part);
    topology_judge(&part, ranking_question(r)->catalog, gpu_name, &row->verdict);
    set_link(&row->offer, &row->verdict);
    ask(ranking_question(r), gpus, row);
    put_in_order(&part, row);
}

static int largest_island(const struct topology *t, const struct topology_verdict *v) {
    int size[TOPOLOGY_MAX_GPUS] = {0}, most = 0;
    for (int i = 0; i < t->gpus; i++)
        if (++size[v->island_of[i]] > most)
            most = size[v->island_of[i]];
    return most;
}

static double goal_of(const struct question *q, const struct candidate *c) {
    if (q->goal == GOAL_TIME)
        return c->cost.time_h.expected;
    double waiting = q->goal == GOAL_VALUE && num_known(q->job->value_usd_h) ? q->job->value_usd_h : 0;
    return c->cost.usd.expected + waiting * c->cost.time_h.expected;
}

static void choose(const struct question *q, struct seen *out) {
    out->best = -1;
    for (int i = 0; i < out->count; i++) {
        const struct candidate *c = &out->row[i].c;
        if (c->reason.code != REASON_NONE)
            continue;
        const struct candidate *best = out->best >= 0 ? &out->row[out->best].c : NULL;
        bool better = !best || c->cls < best->cls || (c->cls == best->cls && goal_of(q, c) < goal_of(q, best));
        if (better)
            out->best = i;
    }
}

void seen_weigh(struct ranking *r, const struct topology *t, const char *gpu_name, const struct offer *offer,
                struct seen *out) {
    const struct question *q = ranking_question(r);
    struct topology_verdict whole;
    memset(out, 0, sizeof *out);
    out->offer = offer;
    ranking_explain(r, offers_text(q->offers, offer->id), 0, &out->claimed, NULL);
    topology_judge(t, q->catalog, gpu_name, &whole);
    int island = largest_island(t, &whole);
    int gpus = t->gpus < offer->gpus ? t->gpus : offer->gpus;
    try_count(r, t, gpu_name, gpus, out);
    for (int n = gpus - 1; n > 0; n--) /* the larger of the island and the half first */
        if (n == island || n == gpus / 2 || n == 1)
            try_count(r, t, gpu_name, n, out);
    choose(q, out);
}
