/* SPDX-License-Identifier: MIT */
/* Rows that say the same twice, rows that contradict each other, slices of one machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "listing/check.h"

enum { LOOK_BACK = 8 };

/* First offer by id, as an array over the interned texts: ids are small integers. UINT32_MAX = none. */
struct first {
    uint32_t *at;
    size_t count, cap;
    struct idmap
        next; /* the number that the next contradiction of an id gets, so that a million of them take no million steps */
};

static uint32_t *first_at(struct first *t, uint32_t id) {
    if (id >= t->count) {
        size_t want = (size_t)id + 1 > t->count * 2 ? (size_t)id + 1 : t->count * 2;
        t->at = mem_grow(t->at, &t->cap, want, sizeof *t->at);
        memset(t->at + t->count, 0xff, (want - t->count) * sizeof *t->at);
        t->count = want;
    }
    return &t->at[id];
}

/* Otherwise the id was too coarse: two cards under one name of a price list. */
static bool same_machine(const struct offer *a, const struct offer *b) {
    return a->gpu == b->gpu && a->gpus == b->gpus;
}

static void report(struct offers *o, const struct offer *f, const char *text) {
    offers_problem(o, offers_text(o, o->files[f->file]), f->line, 0, "id", text, true);
    o->rows_skipped++;
}

/* "id#2", "id#3": the next that nobody has. */
static uint32_t free_id(struct offers *o, struct first *t, uint32_t id) {
    char suffix[16];
    uint32_t *next = idmap_at(&t->next, (uint64_t)id + 1);
    if (*next == UINT32_MAX)
        *next = 2;
    for (;; ++*next) {
        snprintf(suffix, sizeof suffix, "#%u", (unsigned)*next);
        uint32_t other = offers_put_id(o, offers_text(o, id), suffix);
        if (*first_at(t, other) == UINT32_MAX)
            return other;
    }
}

static bool repeats(struct offers *o, const struct offer *f, struct offer *first) {
    if (!same_machine(f, first) || f->rate_microusd != first->rate_microusd)
        return false;
    first->flags |= OFFER_DUPLICATE;
    if (f->observed_at > first->observed_at)
        first->observed_at = f->observed_at;
    report(o, f, "repeats an earlier row: kept once");
    return true;
}

/* Among the last few that got a number after this id. */
static bool repeats_contradiction(struct offers *o, struct first *t, const struct offer *f) {
    char suffix[16];
    uint32_t next = *idmap_at(&t->next, (uint64_t)f->id + 1);
    for (uint32_t n = next == UINT32_MAX ? 1 : next, looked = 0; n > 1 && looked < LOOK_BACK; n--, looked++) {
        snprintf(suffix, sizeof suffix, "#%u", (unsigned)n);
        uint32_t at = *first_at(t, offers_put_id(o, offers_text(o, f->id), suffix));
        if (at != UINT32_MAX && repeats(o, f, &o->items[at]))
            return true;
    }
    return false;
}

/*
 * Whether the row stays. The same price: the first row counts. Two prices of two days: the newer. Otherwise both are kept
 * with ids of their own, and both are flagged.
 */
static bool keep(struct offers *o, struct first *t, struct offer *f, struct offer *first) {
    bool same = same_machine(f, first);
    if (repeats(o, f, first) || repeats_contradiction(o, t, f))
        return false;
    if (same && f->observed_at != first->observed_at && f->observed_at > 0 && first->observed_at > 0) {
        report(o, f, "another price of the same offer, from another day: the newer one is kept");
        if (f->observed_at > first->observed_at)
            *first = *f;
        return false;
    }
    if (same) {
        first->flags |= OFFER_PRICE_CONFLICT;
        f->flags |= OFFER_PRICE_CONFLICT;
    }
    f->id = free_id(o, t, f->id);
    return true;
}

void check_duplicates(struct offers *o) {
    struct first first = {0};
    size_t kept = 0;
    for (size_t i = 0; i < o->count; i++) {
        struct offer *f = &o->items[i];
        if (f->id == 0)
            offers_make_id(o, f);
        uint32_t at = *first_at(&first, f->id);
        if (at != UINT32_MAX && !keep(o, &first, f, &o->items[at]))
            continue;
        *first_at(&first, f->id) = (uint32_t)kept;
        if (kept != i)
            o->items[kept] = *f;
        kept++;
    }
    o->count = kept;
    free(first.at);
    idmap_free(&first.next);
}

/* Offers of several sizes that share a machine_id cannot all be had. The same one at a bid or on demand is one offer. */
void check_overlaps(struct offers *o) {
    struct idmap first = {0};
    for (size_t i = 0; i < o->count; i++) {
        struct offer *f = &o->items[i];
        if (f->machine_id == 0)
            continue;
        uint32_t *at = idmap_at(&first, (uint64_t)f->machine_id << 8 | f->rate_kind);
        if (*at == UINT32_MAX) {
            *at = (uint32_t)i;
        } else if (o->items[*at].provider == f->provider) {
            f->flags |= OFFER_OVERLAP;
            o->items[*at].flags |= OFFER_OVERLAP;
        }
    }
    idmap_free(&first);
}
