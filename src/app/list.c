/* SPDX-License-Identifier: MIT */
/* The rows of the ranking screen: groups, unfolded ones with their members, and the cursor that stays on its offer. */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "state.h"

static const struct offers *offers_of(const struct app *a) {
    return a->shown->snapshot->offers;
}

static const struct offer *offer_of(const struct app *a, const struct ranked *row) {
    return &offers_of(a)->items[row->offer];
}

void list_free(struct list *l) {
    free(l->rows);
    free(l->id);
    for (int i = 0; i < l->mark_count; i++)
        free(l->marks[i]);
}

/* ---- building ---- */

static bool is_unfolded(const struct app *a, const struct ranked *row) {
    const struct offer *f = offer_of(a, row);
    for (int i = 0; i < a->list.unfolded_count; i++) {
        const struct unfolded *u = &a->list.unfolded[i];
        if (u->provider == f->provider && u->machine == f->machine && u->rate == f->rate_microusd &&
            u->rate_kind == f->rate_kind)
            return true;
    }
    return false;
}

static void add(struct list *l, struct list_row row) {
    l->rows = mem_grow(l->rows, &l->cap, l->count + 1, sizeof *l->rows);
    l->rows[l->count++] = row;
}

static void add_members(struct app *a, const struct ranked *best, uint32_t rank) {
    struct ranking *r = a->shown->ranking;
    uint32_t group = ranking_group_of(r, best);
    for (size_t i = 0; i < ranking_count(r); i++) {
        const struct ranked *row = ranking_at(r, i);
        if (row != best && ranking_group_of(r, row) == group)
            add(&a->list, (struct list_row){row, rank, 1, ROW_MEMBER, false});
    }
}

static void add_group(struct app *a, const struct ranked *row, size_t rank, size_t size) {
    bool unfolded = size > 1 && is_unfolded(a, row);
    add(&a->list, (struct list_row){row, (uint32_t)rank, (uint32_t)size, ROW_OFFER, unfolded});
    if (unfolded)
        add_members(a, row, (uint32_t)rank);
}

static void fill(struct app *a) {
    const struct run *run = a->shown;
    const struct sorter *s = &run->sorter;
    size_t groups = ranking_group_count(run->ranking);
    a->list.count = 0;
    if (!run->ranked) { /* the best so far, one by one */
        for (size_t i = 0; i < ranking_count(run->ranking); i++)
            add_group(a, ranking_at(run->ranking, i), i + 1, 1);
    } else if (s->phase == SORT_DONE && s->entries) {
        for (size_t i = 0; i < s->count; i++)
            add_group(a, s->entries[i].row, s->entries[i].rank, s->entries[i].size);
    } else {
        for (size_t i = 0; i < groups; i++) {
            size_t size;
            const struct ranked *row = ranking_group_at(run->ranking, i, &size);
            add_group(a, row, i + 1, size);
        }
    }
}

/* ---- the cursor ---- */

static void remember(struct app *a) {
    struct list *l = &a->list;
    const struct offer *f = list_offer(a, l->cursor);
    if (l->cursor < l->count && l->rows[l->cursor].kind == ROW_GHOST)
        return;
    free(l->id);
    l->id = f ? mem_strdup(offers_text(offers_of(a), f->id)) : NULL;
}

/* The row of the offer, or of the group it stands in; count when there is none. */
static size_t place_of(const struct app *a, const char *id) {
    const struct list *l = &a->list;
    const struct offers *o = offers_of(a);
    uint32_t text = intern_find(o->text, id, strlen(id));
    if (text == UINT32_MAX)
        return l->count;
    for (size_t i = 0; i < l->count; i++)
        if (l->rows[i].row && offer_of(a, l->rows[i].row)->id == text)
            return i;
    struct ranking *r = a->shown->ranking;
    if (!a->shown->ranked)
        return l->count;
    for (size_t i = 0; i < ranking_count(r); i++) {
        const struct ranked *row = ranking_at(r, i);
        if (offer_of(a, row)->id != text)
            continue;
        uint32_t group = ranking_group_of(r, row);
        for (size_t k = 0; k < l->count; k++)
            if (l->rows[k].row && ranking_group_of(r, l->rows[k].row) == group)
                return k;
    }
    return l->count;
}

/* The offer is no candidate any more: it stays where it was, with the reason, until the cursor moves. */
static bool keep_ghost(struct app *a) {
    struct list *l = &a->list;
    if (!a->shown->ranked || !ranking_explain(a->shown->ranking, l->id, 0, &l->ghost, NULL) ||
        l->ghost.reason.code == REASON_FILTERED || l->ghost.reason.code == REASON_NONE)
        return false;
    size_t at = l->cursor < l->count ? l->cursor : l->count;
    add(l, (struct list_row){0});
    memmove(&l->rows[at + 1], &l->rows[at], (l->count - 1 - at) * sizeof *l->rows);
    l->rows[at] = (struct list_row){NULL, 0, 1, ROW_GHOST, false};
    l->cursor = at;
    return true;
}

static void clamp(struct list *l) {
    if (l->cursor >= l->count)
        l->cursor = l->count > 0 ? l->count - 1 : 0;
}

static void place_cursor(struct app *a) {
    struct list *l = &a->list;
    if (!l->touched || !l->id) {
        l->cursor = 0;
    } else if (a->follow) {
        size_t at = place_of(a, l->id);
        if (at < l->count)
            l->cursor = at;
        else if (keep_ghost(a))
            return;
    }
    clamp(l);
    remember(a);
}

/* reset: a new snapshot or the very first answer; unfolded groups are numbers of the old one. */
void list_build(struct app *a, bool reset) {
    if (reset)
        a->list.unfolded_count = 0;
    fill(a);
    place_cursor(a);
    list_scroll(a);
    a->changed = true;
}

size_t list_top(size_t top, size_t cursor, size_t page, size_t count) {
    if (page == 0)
        return cursor;
    if (cursor < top)
        top = cursor;
    if (cursor >= top + page)
        top = cursor - page + 1;
    return top + page <= count ? top : count > page ? count - page : 0;
}

/* The cursor stays in sight. */
void list_scroll(struct app *a) {
    a->list.top = list_top(a->list.top, a->list.cursor, (size_t)app_page(a), a->list.count);
}

static void drop_ghost(struct list *l) {
    for (size_t i = 0; i < l->count; i++)
        if (l->rows[i].kind == ROW_GHOST) {
            memmove(&l->rows[i], &l->rows[i + 1], (l->count - i - 1) * sizeof *l->rows);
            l->count--;
            if (l->cursor > i)
                l->cursor--;
            return;
        }
}

void list_go(struct app *a, size_t to) {
    struct list *l = &a->list;
    l->cursor = to;
    clamp(l);
    if (l->cursor < l->count && l->rows[l->cursor].kind != ROW_GHOST)
        drop_ghost(l);
    l->touched = true;
    remember(a);
    list_scroll(a);
}

void list_move(struct app *a, long by) {
    size_t at = a->list.cursor;
    size_t to = by < 0 && (size_t)-by > at ? 0 : at + (size_t)by;
    list_go(a, to);
}

/* ---- what stands in a row ---- */

const struct offer *list_offer(const struct app *a, size_t i) {
    if (i >= a->list.count)
        return NULL;
    const struct list_row *row = &a->list.rows[i];
    return row->row ? offer_of(a, row->row) : a->list.ghost.offer;
}

bool list_candidate(const struct app *a, size_t i, struct candidate *out) {
    if (i >= a->list.count)
        return false;
    const struct list_row *row = &a->list.rows[i];
    if (!row->row) {
        *out = a->list.ghost;
        return true;
    }
    ranking_candidate(a->shown->ranking, row->row, out);
    out->rank = (int)row->rank;
    out->group_size = row->kind == ROW_MEMBER ? 1 : row->size;
    return true;
}

/* ---- groups ---- */

bool list_can_unfold(const struct app *a) {
    const struct list *l = &a->list;
    return l->cursor < l->count && (l->rows[l->cursor].size > 1 || l->rows[l->cursor].kind == ROW_MEMBER);
}

void list_unfold(struct app *a) {
    struct list *l = &a->list;
    const struct offer *f = list_offer(a, l->cursor);
    if (!f || !list_can_unfold(a))
        return;
    l->touched = true;
    for (int i = 0; i < l->unfolded_count; i++) {
        struct unfolded *u = &l->unfolded[i];
        if (u->provider != f->provider || u->machine != f->machine || u->rate != f->rate_microusd ||
            u->rate_kind != f->rate_kind)
            continue;
        *u = l->unfolded[--l->unfolded_count];
        list_build(a, false);
        return;
    }
    if (l->unfolded_count == UNFOLDED_MAX)
        memmove(l->unfolded, l->unfolded + 1, --l->unfolded_count * sizeof *l->unfolded);
    l->unfolded[l->unfolded_count++] = (struct unfolded){f->provider, f->machine, f->rate_microusd, f->rate_kind};
    list_build(a, false);
}

/* ---- marks ---- */

static int mark_of(const struct list *l, const char *id) {
    for (int i = 0; i < l->mark_count; i++)
        if (strcmp(l->marks[i], id) == 0)
            return i;
    return -1;
}

bool list_is_marked(const struct app *a, const char *id) {
    return mark_of(&a->list, id) >= 0;
}

void list_mark(struct app *a) {
    struct list *l = &a->list;
    if (!l->id)
        return;
    int at = mark_of(l, l->id);
    if (at >= 0) {
        free(l->marks[at]);
        l->marks[at] = l->marks[--l->mark_count];
    } else if (l->mark_count == MARKS_MAX) {
        app_say(a, MESSAGE_MARKS_FULL, "");
        return;
    } else {
        l->marks[l->mark_count++] = mem_strdup(l->id);
    }
    list_move(a, 1);
    app_say(a, MESSAGE_MARKED, "");
    a->message.n = (size_t)l->mark_count;
}

void list_unmark_all(struct app *a) {
    struct list *l = &a->list;
    while (l->mark_count > 0)
        free(l->marks[--l->mark_count]);
    app_say(a, MESSAGE_MARKED, "");
}

bool list_row_has(const struct app *a, size_t i, const char *text) {
    const struct offers *o = offers_of(a);
    const struct offer *f = list_offer(a, i);
    if (!f)
        return false;
    const uint32_t parts[] = {f->id, f->provider, f->machine, f->region, f->gpu_raw};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        if (text_contains_fold(offers_text(o, parts[k]), text))
            return true;
    return f->gpu >= 0 && text_contains_fold(catalog_gpu(a->catalog, (size_t)f->gpu)->name, text);
}
