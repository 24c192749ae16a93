/* SPDX-License-Identifier: MIT */
/* The list by any column. Without one the order of the ranking is taken over as it is. */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "state.h"

enum { MERGES_A_KEY = 16 /* comparing two rows takes about so much less than making a key of one */ };

void sorter_free(struct sorter *s) {
    free(s->entries);
    free(s->spare);
    if (s->texts)
        arena_free(s->texts);
    *s = (struct sorter){0};
}

void sorter_begin(struct run *r) {
    sorter_free(&r->sorter);
    r->sorter.count = ranking_group_count(r->ranking);
    if (!r->sort.column) {
        r->sorter.phase = SORT_DONE;
        return;
    }
    r->sorter.entries = mem_zero(r->sorter.count + 1, sizeof *r->sorter.entries);
    r->sorter.spare = mem_zero(r->sorter.count + 1, sizeof *r->sorter.spare);
    r->sorter.texts = arena_new();
}

static void make_key(struct run *r, size_t i) {
    struct sort_entry *e = &r->sorter.entries[i];
    const struct column *column = r->sort.column;
    const struct question *q = ranking_question(r->ranking);
    struct candidate c;
    size_t size;
    e->row = ranking_group_at(r->ranking, i, &size);
    e->rank = (uint32_t)i + 1;
    e->size = (uint32_t)size;
    ranking_candidate(r->ranking, e->row, &c);
    c.rank = (int)e->rank;
    if (column->number) {
        e->number = column->number(q, &c);
        return;
    }
    struct buf b = {0};
    column->value(&b, q, &c);
    e->text = arena_strndup(r->sorter.texts, b.data ? b.data : "", b.len);
    buf_free(&b);
}

/* What is not known stands last, whichever way round; equals keep the order of the ranking. */
static int compare(const struct sort_entry *a, const struct sort_entry *b, bool down) {
    int by = 0;
    if (a->text && (!*a->text || !*b->text))
        by = !*a->text - !*b->text;
    else if (a->text)
        by = down ? strcmp(b->text, a->text) : strcmp(a->text, b->text);
    else if (num_known(a->number) != num_known(b->number))
        by = num_known(a->number) ? -1 : 1;
    else if (num_known(a->number) && (a->number < b->number || a->number > b->number))
        by = (a->number < b->number) == down ? 1 : -1;
    return by != 0 ? by : a->rank < b->rank ? -1 : a->rank > b->rank;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static void merge(struct sorter *s, size_t low, size_t middle, size_t high, bool down) {
    size_t a = low, b = middle, at = low;
    while (a < middle && b < high)
        s->spare[at++] = compare(&s->entries[a], &s->entries[b], down) <= 0 ? s->entries[a++] : s->entries[b++];
    memcpy(&s->spare[at], &s->entries[a], (middle - a) * sizeof *s->spare);
    at += middle - a;
    memcpy(&s->spare[at], &s->entries[b], (high - b) * sizeof *s->spare);
}

/* Merges from s->at on; true when no run is left. */
static bool merge_step(struct sorter *s, size_t work, bool down) {
    for (size_t done = 0; done < work && s->width < s->count;) {
        size_t high = least(s->at + 2 * s->width, s->count);
        merge(s, s->at, least(s->at + s->width, s->count), high, down);
        done += high - s->at;
        s->at = high;
        if (high < s->count)
            continue;
        struct sort_entry *t = s->entries;
        s->entries = s->spare;
        s->spare = t;
        s->at = 0;
        s->width *= 2;
    }
    return s->width >= s->count;
}

bool sorter_step(struct run *r, size_t rows) {
    struct sorter *s = &r->sorter;
    if (s->phase == SORT_KEYS) {
        for (size_t i = 0; i < rows && s->at < s->count; i++)
            make_key(r, s->at++);
        if (s->at < s->count)
            return false;
        s->phase = SORT_MERGE;
        s->at = 0;
        s->width = 1;
    }
    if (s->phase == SORT_MERGE && merge_step(s, rows * MERGES_A_KEY, r->sort.column->descending != r->sort.turned))
        s->phase = SORT_DONE;
    return s->phase == SORT_DONE;
}
