/* SPDX-License-Identifier: MIT */
/* Two lists side by side: both sorted by the name of what is matched, then merged. */
#include "gpuplan/decide/changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const char *name;
    const struct offer *offer;
    size_t rank; /* SIZE_MAX: no candidate */
};

struct side {
    struct entry *entries;
    size_t count;
};

static const char *name_of(const struct question *q, const struct offer *f, enum change_match match,
                           struct arena *names) {
    char text[160];
    if (match == MATCH_OFFER)
        return offers_text(q->offers, f->id);
    const char *gpu = f->gpu >= 0 ? catalog_gpu(q->catalog, (size_t)f->gpu)->name : offers_text(q->offers, f->gpu_raw);
    snprintf(text, sizeof text, "%dx %s %s", f->gpus, gpu, rate_kind_name((enum rate_kind)f->rate_kind));
    return arena_strdup(names, text);
}

static int by_name(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0)
        order = (x->rank > y->rank) - (x->rank < y->rank);
    return order ? order
                 : (x->offer->rate_microusd > y->offer->rate_microusd) -
                       (x->offer->rate_microusd < y->offer->rate_microusd);
}

/* Sorted, and of equal names the best. Offers without a price are none. */
static struct side collect(const struct ranking *r, enum change_match match, struct arena *names) {
    const struct question *q = ranking_question(r);
    struct side s = {mem_zero(q->offers->count + 1, sizeof *s.entries), 0};
    size_t kept = 0;
    for (size_t i = 0; i < q->offers->count; i++) {
        const struct offer *f = &q->offers->items[i];
        const struct ranked *row = ranking_find(r, (uint32_t)i);
        if (f->rate_microusd > 0)
            s.entries[s.count++] =
                (struct entry){name_of(q, f, match, names), f, row ? ranking_position(r, row) : SIZE_MAX};
    }
    qsort(s.entries, s.count, sizeof *s.entries, by_name);
    for (size_t i = 0; i < s.count; i++)
        if (kept == 0 || strcmp(s.entries[kept - 1].name, s.entries[i].name) != 0)
            s.entries[kept++] = s.entries[i];
    s.count = kept;
    return s;
}

static size_t shown_rank(const struct entry *e) {
    return e && e->rank != SIZE_MAX ? e->rank + 1 : 0;
}

static void add(struct changes *c, const struct entry *from, const struct entry *to) {
    struct change x = {.name = to ? to->name : from->name,
                       .from = from ? from->offer : NULL,
                       .to = to ? to->offer : NULL,
                       .from_rank = shown_rank(from),
                       .to_rank = shown_rank(to)};
    if (x.from_rank == 0 && x.to_rank == 0)
        return; /* it could not do the job before, nor can it now */
    x.kind = !from                                                    ? CHANGE_NEW
             : !to                                                    ? CHANGE_GONE
             : from->offer->rate_microusd != to->offer->rate_microusd ? CHANGE_PRICE
             : x.from_rank != x.to_rank                               ? CHANGE_RANK
                                                                      : CHANGE_NONE;
    c->items[c->count++] = x;
    c->kinds[x.kind]++;
}

static size_t best_rank(const struct change *c) {
    size_t from = c->from_rank ? c->from_rank : SIZE_MAX, to = c->to_rank ? c->to_rank : SIZE_MAX;
    return to < from ? to : from;
}

static int by_rank(const void *a, const void *b) {
    const struct change *x = a, *y = b;
    size_t p = best_rank(x), q = best_rank(y);
    return p != q ? (p > q) - (p < q) : strcmp(x->name, y->name);
}

void changes_find(const struct ranking *from, const struct ranking *to, enum change_match match, struct changes *out) {
    *out = (struct changes){.names = arena_new()};
    struct side a = collect(from, match, out->names), b = collect(to, match, out->names);
    out->items = mem_zero(a.count + b.count + 1, sizeof *out->items);
    for (size_t i = 0, k = 0; i < a.count || k < b.count;) {
        int order = i == a.count ? 1 : k == b.count ? -1 : strcmp(a.entries[i].name, b.entries[k].name);
        add(out, order <= 0 ? &a.entries[i] : NULL, order >= 0 ? &b.entries[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
    qsort(out->items, out->count, sizeof *out->items, by_rank);
    free(a.entries);
    free(b.entries);
}

void changes_free(struct changes *c) {
    free(c->items);
    arena_free(c->names);
    *c = (struct changes){0};
}

const char *change_kind_name(enum change_kind k) {
    static const char *const names[CHANGE_KIND_COUNT] = {"price", "rank", "new", "gone", "same"};
    return names[k];
}
