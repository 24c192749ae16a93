/* SPDX-License-Identifier: MIT */
/* The rows of the ranking screen: groups, unfolded ones with their members, and the cursor that stays on its offer. */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "screen.h"

static const struct offers *offers_of(const struct app *a) {
    return a->shown->snapshot->offers;
}

static const struct offer *offer_of(const struct app *a, const struct ranked *row) {
    return &offers_of(a)->items[row->offer];
}

static void drop_inserted(struct list *l) {
    for (int i = 0; i < l->inserted_count; i++)
        free(l->inserted[i].rows);
    l->inserted_count = 0;
    l->count = l->base;
}

void list_free(struct list *l) {
    drop_inserted(l);
    free(l->id);
    for (int i = 0; i < l->mark_count; i++)
        free(l->marks[i]);
}

/* ---- rows ---- */

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

static bool is_sorted(const struct run *run) {
    return run->sorter.phase == SORT_DONE && run->sorter.merge.items;
}

/* A row of the ranking: the best so far one by one, then groups, in its own order or that of a column. */
static struct list_row base_row(const struct app *a, size_t i) {
    const struct run *run = a->shown;
    struct list_row row = {.rank = (uint32_t)i + 1, .size = 1, .kind = ROW_OFFER};
    if (!run->ranked) {
        row.row = ranking_at(run->ranking, i);
    } else if (is_sorted(run)) {
        const struct sort_entry *e = (const struct sort_entry *)run->sorter.merge.items + i;
        row = (struct list_row){e->row, e->rank, e->size, ROW_OFFER, false};
    } else {
        size_t size;
        row.row = ranking_group_at(run->ranking, i, &size);
        row.size = (uint32_t)size;
    }
    row.unfolded = row.size > 1 && is_unfolded(a, row.row);
    return row;
}

static size_t base_count(const struct run *run) {
    if (!run->ranked)
        return ranking_count(run->ranking);
    return is_sorted(run) ? run->sorter.count : ranking_group_count(run->ranking);
}

struct list_row list_row(const struct app *a, size_t i) {
    const struct list *l = &a->list;
    size_t before = 0;
    for (int k = 0; k < l->inserted_count && i >= l->inserted[k].after + before; k++) {
        const struct inserted *in = &l->inserted[k];
        if (i < in->after + before + in->count)
            return in->rows[i - before - in->after];
        before += in->count;
    }
    return base_row(a, i - before);
}

/* The place on the list of a row of the ranking. */
static size_t place_of_base(const struct list *l, size_t base) {
    size_t place = base;
    for (int k = 0; k < l->inserted_count && l->inserted[k].after <= base; k++)
        place += l->inserted[k].count;
    return place;
}

/* How many rows of the ranking stand before a place on the list. */
static size_t base_before(const struct list *l, size_t place) {
    size_t before = 0;
    for (int k = 0; k < l->inserted_count && l->inserted[k].after + before < place; k++) {
        size_t into = place - l->inserted[k].after - before;
        before += into < l->inserted[k].count ? into : l->inserted[k].count;
    }
    return place - before;
}

static struct inserted *insert(struct list *l, size_t after) {
    int at = l->inserted_count++;
    for (; at > 0 && l->inserted[at - 1].after > after; at--)
        l->inserted[at] = l->inserted[at - 1];
    l->inserted[at] = (struct inserted){.after = after};
    return &l->inserted[at];
}

static void insert_row(struct list *l, struct inserted *in, struct list_row row) {
    in->rows = mem_grow(in->rows, &in->cap, in->count + 1, sizeof *in->rows);
    in->rows[in->count++] = row;
    l->count++;
}

static void insert_members(struct app *a, size_t base, const struct list_row *best) {
    const struct ranked **members;
    size_t n = ranking_group_members(a->shown->ranking, best->row, &members);
    struct inserted *in = insert(&a->list, base + 1);
    for (size_t i = 0; i < n; i++)
        if (members[i] != best->row)
            insert_row(&a->list, in, (struct list_row){members[i], best->rank, 1, ROW_MEMBER, false});
    free(members);
}

static void fill(struct app *a) {
    struct list *l = &a->list;
    drop_inserted(l);
    l->base = l->count = base_count(a->shown);
    if (l->unfolded_count == 0 || !a->shown->ranked)
        return;
    for (size_t i = 0; i < l->base && l->inserted_count < UNFOLDED_MAX; i++) {
        const struct list_row row = base_row(a, i);
        if (row.unfolded)
            insert_members(a, i, &row);
    }
}

/* ---- the cursor ---- */

static void remember(struct app *a) {
    struct list *l = &a->list;
    if (l->cursor < l->count && list_row(a, l->cursor).kind == ROW_GHOST)
        return;
    const struct offer *f = list_offer(a, l->cursor);
    free(l->id);
    l->id = f ? mem_strdup(offers_text(offers_of(a), f->id)) : NULL;
    l->offer = f ? (uint32_t)(f - offers_of(a)->items) : 0;
    l->of = f ? a->shown->snapshot : NULL;
}

/*
 * The number of the offer in this snapshot: an id is looked for once, from where it stood in the last one. Listings that were
 * read anew seldom differ much, and a look at a million offers takes longer than a key may wait.
 */
static bool find_offer(struct app *a) {
    struct list *l = &a->list;
    const struct offers *o = offers_of(a);
    if (l->of == a->shown->snapshot)
        return true;
    uint32_t text = intern_find(o->text, l->id, strlen(l->id));
    for (size_t i = 0; i < o->count && text != UINT32_MAX; i++) {
        size_t at = (l->offer + i) % o->count;
        if (o->items[at].id == text) {
            l->offer = (uint32_t)at;
            l->of = a->shown->snapshot;
            return true;
        }
    }
    return false;
}

/* The row itself, or the one of its group; base when it is not among them. */
static size_t find_base(const struct app *a, const struct ranked *row) {
    const struct run *run = a->shown;
    size_t i = 0;
    if (run->ranked) {
        size_t position = ranking_group_position(run->ranking, row);
        if (!is_sorted(run))
            return position;
        row = ranking_group_at(run->ranking, position, NULL);
    }
    while (i < a->list.base && base_row(a, i).row != row)
        i++;
    return i;
}

/* Where the offer of the cursor stands now; count when it does not. */
static size_t place_of_offer(struct app *a) {
    struct list *l = &a->list;
    const struct ranked *row = find_offer(a) ? ranking_find(a->shown->ranking, l->offer) : NULL;
    size_t before = 0;
    if (!row)
        return l->count;
    for (int k = 0; k < l->inserted_count; before += l->inserted[k++].count)
        for (size_t i = 0; i < l->inserted[k].count; i++)
            if (l->inserted[k].rows[i].row == row)
                return l->inserted[k].after + before + i;
    size_t base = find_base(a, row);
    return base < l->base ? place_of_base(l, base) : l->count;
}

static void clamp(struct list *l) {
    if (l->cursor >= l->count)
        l->cursor = l->count > 0 ? l->count - 1 : 0;
}

/* The offer is no candidate any more: it stays where it was, with the reason, until the cursor moves. */
static bool keep_ghost(struct app *a) {
    struct list *l = &a->list;
    if (!a->shown->ranked || !ranking_explain(a->shown->ranking, l->id, 0, &l->ghost, NULL) ||
        l->ghost.reason.code == REASON_FILTERED || l->ghost.reason.code == REASON_NONE)
        return false;
    size_t base = base_before(l, l->cursor < l->count ? l->cursor : l->count);
    struct inserted *in = insert(l, base);
    insert_row(l, in, (struct list_row){NULL, 0, 1, ROW_GHOST, false});
    for (l->cursor = 0; list_row(a, l->cursor).kind != ROW_GHOST;)
        l->cursor = l->cursor < base ? base : l->cursor + 1;
    return true;
}

static void place_cursor(struct app *a) {
    struct list *l = &a->list;
    if (!l->touched || !l->id) {
        l->cursor = 0;
    } else if (a->follow) {
        size_t at = place_of_offer(a);
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
    a->finding.active = false; /* its rows are gone */
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

static void drop_ghost(struct app *a) {
    struct list *l = &a->list;
    for (int k = 0; k < l->inserted_count; k++) {
        if (l->inserted[k].rows[0].kind != ROW_GHOST)
            continue;
        free(l->inserted[k].rows);
        memmove(&l->inserted[k], &l->inserted[k + 1], (size_t)(l->inserted_count - k - 1) * sizeof l->inserted[0]);
        l->inserted_count--;
        l->count--;
        return;
    }
}

static bool has_ghost(const struct list *l, size_t *at) {
    size_t before = 0;
    for (int k = 0; k < l->inserted_count; before += l->inserted[k++].count)
        if (l->inserted[k].rows[0].kind == ROW_GHOST) {
            *at = l->inserted[k].after + before;
            return true;
        }
    return false;
}

void list_go(struct app *a, size_t to) {
    struct list *l = &a->list;
    size_t ghost;
    l->cursor = to;
    clamp(l);
    if (has_ghost(l, &ghost) && l->cursor != ghost) {
        drop_ghost(a);
        l->cursor -= l->cursor > ghost;
    }
    l->touched = true;
    remember(a);
    list_scroll(a);
}

void list_select(struct app *a, uint32_t offer) {
    struct list *l = &a->list;
    char *id = mem_strdup(offers_text(offers_of(a), offers_of(a)->items[offer].id));
    free(l->id);
    l->id = id;
    l->offer = offer;
    l->of = a->shown->snapshot;
    size_t at = place_of_offer(a);
    if (at < l->count)
        list_go(a, at);
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
    const struct list_row row = list_row(a, i);
    return row.row ? offer_of(a, row.row) : a->list.ghost.offer;
}

bool list_candidate(const struct app *a, size_t i, struct candidate *out) {
    if (i >= a->list.count)
        return false;
    const struct list_row row = list_row(a, i);
    if (!row.row) {
        *out = a->list.ghost;
        return true;
    }
    ranking_candidate(a->shown->ranking, row.row, out);
    out->rank = (int)row.rank;
    out->group_size = row.kind == ROW_MEMBER ? 1 : row.size;
    return true;
}

/* ---- groups ---- */

bool list_can_unfold(const struct app *a) {
    const struct list *l = &a->list;
    if (l->cursor >= l->count)
        return false;
    const struct list_row row = list_row(a, l->cursor);
    return row.size > 1 || row.kind == ROW_MEMBER;
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
    if (a->screen == SCREEN_RANK) /* on to the next; elsewhere one looks at this offer */
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

/* ---- the screen ---- */

static size_t rows(const struct app *a) {
    return a->list.count;
}

static size_t place(const struct app *a) {
    return a->list.cursor;
}

static void click(struct app *a, int row, bool twice) {
    list_go(a, (size_t)row);
    if (twice && a->list.id)
        app_go(a, SCREEN_EXPLAIN);
}

const struct screen_row rank_screen = {.name = "rank",
                                       .move = list_move,
                                       .shown = list_scroll,
                                       .click = click,
                                       .rows = rows,
                                       .place = place,
                                       .go = list_go,
                                       .has = list_row_has,
                                       .file = "ranking.csv",
                                       .put = files_put_ranking};
