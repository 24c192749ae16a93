/* SPDX-License-Identifier: MIT */
/* The list by any column. Without one the order of the ranking is taken over as it is. */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "state.h"

enum { MERGES_A_KEY = 16 /* comparing two rows takes about so much less than making a key of one */ };

void sorter_free(struct sorter *s) {
    free(s->merge.items);
    free(s->merge.spare);
    if (s->texts)
        arena_free(s->texts);
    *s = (struct sorter){0};
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

static int by_key_up(const void *a, const void *b, void *user) {
    (void)user;
    return compare(a, b, false);
}

static int by_key_down(const void *a, const void *b, void *user) {
    (void)user;
    return compare(a, b, true);
}

void sorter_begin(struct run *r) {
    sorter_free(&r->sorter);
    r->sorter.count = ranking_group_count(r->ranking);
    if (!r->sort.column) {
        r->sorter.phase = SORT_DONE;
        return;
    }
    r->sorter.merge = (struct merge_sort){
        .items = mem_zero(r->sorter.count + 1, sizeof(struct sort_entry)),
        .spare = mem_zero(r->sorter.count + 1, sizeof(struct sort_entry)),
        .count = r->sorter.count,
        .size = sizeof(struct sort_entry),
        .compare = r->sort.column->descending != r->sort.turned ? by_key_down : by_key_up,
    };
    r->sorter.texts = arena_new();
}

static void make_key(struct run *r, size_t i) {
    struct sort_entry *e = (struct sort_entry *)r->sorter.merge.items + i;
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

bool sorter_step(struct run *r, size_t rows) {
    struct sorter *s = &r->sorter;
    if (s->phase == SORT_KEYS) {
        for (size_t i = 0; i < rows && s->at < s->count; i++)
            make_key(r, s->at++);
        if (s->at < s->count)
            return false;
        s->phase = SORT_MERGE;
    }
    if (s->phase == SORT_MERGE && merge_sort_step(&s->merge, rows * MERGES_A_KEY))
        s->phase = SORT_DONE;
    return s->phase == SORT_DONE;
}
