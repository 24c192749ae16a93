/* SPDX-License-Identifier: MIT */
/* Screen 1: the ranking. Columns come from report/; the selected offer is told below the list, or beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/sentence.h"
#include "internal.h"

enum { PREFIX = 2 /* cursor and mark */, DETAIL_ROWS = 3, DETAIL_FROM = 16 /* rows of the body */ };

struct table {
    const struct app *a;
    struct column_set set;
    const struct column *sorted;
    bool down;
};

/* ---- columns ---- */

/* Without a choice the ranking goes by the goal, and so the mark stands there. */
static void find_sorted(struct table *t) {
    static const char *const by_goal[GOAL_COUNT] = {"cost_usd", "time_h", NULL};
    const char *key = by_goal[t->a->goal];
    t->sorted = t->a->sort.column ? t->a->sort.column : key ? column_find(key) : NULL;
    t->down = t->a->sort.column && t->a->sort.column->descending != t->a->sort.turned;
}

enum {
    FIXED = 2 /* place and offer stay when columns scroll */,
    ALL_FROM = 140 /* columns of a screen that shows them all */
};

static void remove_hidden(struct table *t) {
    size_t count;
    const struct column *all = column_table(&count);
    int kept = 0;
    for (int i = 0; i < t->set.count; i++) {
        bool scrolled = i >= FIXED && i < FIXED + t->a->shift && i + 1 < t->set.count;
        if (scrolled || t->a->hidden[t->set.columns[i] - all])
            continue;
        t->set.columns[kept] = t->set.columns[i];
        t->set.width[kept++] = t->set.width[i];
    }
    t->set.count = kept;
}

/* What a member of an unfolded group has of its own. */
static void put_member(struct buf *b, const struct app *a, const struct candidate *c) {
    const struct offers *o = a->shown->snapshot->offers;
    const char *region = offers_text(o, c->offer->region);
    buf_printf(b, " \302\267 %s", *region ? region : offers_text(o, c->offer->id));
}

static void put_cell(struct buf *b, const struct table *t, size_t row, const struct column *column,
                     const struct candidate *c) {
    bool member = list_row(t->a, row).kind == ROW_MEMBER;
    if (member && strcmp(column->key, "rank") == 0)
        return;
    if (member && strcmp(column->key, "offer") == 0)
        put_member(b, t->a, c);
    else
        column_put(column, b, ranking_question(t->a->shown->ranking), c);
}

static void widen(struct table *t, size_t row) {
    struct candidate c;
    if (list_row(t->a, row).kind == ROW_GHOST || !list_candidate(t->a, row, &c))
        return;
    for (int i = 0; i < t->set.count; i++) {
        struct buf b = {0};
        put_cell(&b, t, row, t->set.columns[i], &c);
        int width = text_width(b.data ? b.data : "");
        if (width > t->set.width[i])
            t->set.width[i] = width;
        buf_free(&b);
    }
}

/* As wide as the first page and the one in sight need, so that columns rarely move. */
static void measure(struct table *t, size_t top, size_t page) {
    size_t count = t->a->list.count;
    for (int i = 0; i < t->set.count; i++)
        if (t->set.columns[i] == t->sorted && text_width(_(t->sorted->label)) + 1 > t->set.width[i])
            t->set.width[i] = text_width(_(t->sorted->label)) + 1;
    for (size_t i = 0; i < page && i < count; i++)
        widen(t, i);
    for (size_t i = top > page ? top : page; i < top + page && i < count; i++)
        widen(t, i);
}

/* ---- rows ---- */

static void draw_header(const struct table *t, struct canvas *c, struct rect r) {
    size_t count;
    const struct column *all = column_table(&count);
    int at = r.column + PREFIX;
    canvas_fill(c, (struct rect){r.row, r.column, 1, r.columns}, ROLE_HEADER, ' ');
    for (int i = 0; i < t->set.count; i++) {
        const struct column *column = t->set.columns[i];
        int width = t->set.width[i];
        struct buf b = {0};
        if (width == 0)
            continue;
        bool sorted = column == t->sorted;
        buf_puts(&b, _(column->label));
        if (sorted)
            buf_puts(&b, t->down ? "\342\226\274" : "\342\226\262");
        enum role role = sorted ? ROLE_SORTED : ROLE_HEADER;
        if (column->left)
            canvas_text(c, r.row, at, width, role, b.data);
        else
            canvas_text_right(c, r.row, at, width, role, b.data);
        canvas_tag(c, (struct rect){r.row, at, 1, width}, TAG_COLUMN, (int)(column - all));
        buf_free(&b);
        at += width + COLUMN_GAP;
    }
}

static enum role role_of_cell(const struct column *column, const struct candidate *c) {
    if (strcmp(column->key, "fit") == 0)
        return role_of_fit(c);
    if (c->cls == RANK_LATE)
        return ROLE_DIM;
    if (strcmp(column->key, "risk") == 0)
        return c->risk.grade == RISK_HIGH ? ROLE_BAD : c->risk.grade == RISK_MEDIUM ? ROLE_TIGHT : ROLE_TEXT;
    return ROLE_TEXT;
}

static void draw_cells(const struct table *t, struct canvas *c, int row, int at, size_t i) {
    struct candidate candidate;
    if (!list_candidate(t->a, i, &candidate))
        return;
    for (int k = 0; k < t->set.count; k++) {
        struct buf b = {0};
        int width = t->set.width[k];
        if (width == 0)
            continue;
        put_cell(&b, t, i, t->set.columns[k], &candidate);
        enum role role = role_of_cell(t->set.columns[k], &candidate);
        if (t->set.columns[k]->left)
            canvas_text(c, row, at, width, role, b.data ? b.data : "");
        else
            canvas_text_right(c, row, at, width, role, b.data ? b.data : "");
        buf_free(&b);
        at += width + COLUMN_GAP;
    }
}

/* The offer that was under the cursor and is no candidate any more. */
static void draw_ghost(const struct app *a, struct canvas *c, struct rect r) {
    const struct offers *o = a->shown->snapshot->offers;
    const struct offer *f = a->list.ghost.offer;
    struct buf b = {0};
    buf_printf(&b, "%s %s: ", offers_text(o, f->provider), offers_text(o, f->machine));
    sentence_reason(&b, &a->list.ghost.reason);
    canvas_text(c, r.row, r.column, r.columns, ROLE_DIM, b.data);
    buf_free(&b);
}

static void draw_row(const struct table *t, struct canvas *c, struct rect r, size_t i) {
    const struct app *a = t->a;
    const struct offer *f = list_offer(a, i);
    bool selected = i == a->list.cursor, ghost = list_row(a, i).kind == ROW_GHOST;
    bool marked = f && list_is_marked(a, offers_text(a->shown->snapshot->offers, f->id));
    const struct rect inner = {r.row, r.column + PREFIX, 1, r.columns - PREFIX};
    if (ghost)
        draw_ghost(a, c, inner);
    else
        draw_cells(t, c, r.row, inner.column, i);
    if (selected) {
        canvas_role(c, r, ghost ? ROLE_DIM : ROLE_CURSOR);
        canvas_text(c, r.row, r.column, 1, ghost ? ROLE_DIM : ROLE_CURSOR, ">");
        if (a->prompt.kind == PROMPT_NONE)
            canvas_cursor(c, r.row, r.column);
    }
    if (marked)
        canvas_text(c, r.row, r.column + 1, 1, ROLE_MARKED, "*");
    canvas_tag(c, r, TAG_ROW, (int)i);
}

/* ---- nothing to show ---- */

/* Which clause of the filter keeps the most out that all others let through. */
static void put_clauses(struct buf *b, const struct app *a) {
    const struct run *run = a->shown;
    const struct offers *o = run->snapshot->offers;
    size_t most = 0, worst = 0;
    for (size_t k = 0; k < filter_clauses(run->filter); k++) {
        size_t n = 0;
        for (size_t i = 0; i < o->count; i++)
            n += filter_match_without(run->filter, k, a->catalog, o, &o->items[i]);
        if (n > most) {
            most = n;
            worst = k;
        }
    }
    if (most == 0)
        return;
    struct buf n = {0};
    char clause[TEXT_MAX];
    size_t start, len;
    filter_clause_span(run->filter, worst, &start, &len);
    snprintf(clause, sizeof clause, "%.*s", (int)len, run->filter_text + start);
    sentence_count(&n, most);
    buf_printf(b,
               ngettext("The clause %s removed the last %s offer.", "The clause %s removed the last %s offers.",
                        (unsigned long)most),
               clause, n.data);
    buf_putc(b, '\n');
    buf_free(&n);
}

static void put_refusals(struct buf *b, const struct ranking *r) {
    struct refusal_summary s[REASON_COUNT];
    size_t n = ranking_refusals(r, s);
    for (size_t i = 0; i < n; i++) {
        if (s[i].code == REASON_FILTERED && n > 1 && i == 0)
            continue; /* the filter is told on its own */
        sentence_refusal(b, ranking_question(r), &s[i]);
        buf_putc(b, '\n');
    }
}

static void draw_empty(const struct app *a, struct canvas *c, struct rect r) {
    struct buf b = {0};
    const struct run *run = a->shown;
    if (!run || !run->ranked || reader_busy(a))
        buf_puts(&b, _("At work\342\200\246"));
    else if (run->snapshot->offers->count == 0)
        buf_puts(&b, _("There are no offers: r reads the listings again; gpuplan -l FILE names others."));
    else if (run->filter) {
        buf_puts(&b, _("The filter leaves nothing. Esc clears it, \\ changes it.\n"));
        put_clauses(&b, a);
        put_refusals(&b, run->ranking);
    } else {
        buf_puts(&b, _("Nothing fits. Press 2 to change the workload. What stands in the way, most offers first:\n"));
        put_refusals(&b, run->ranking);
    }
    const struct rect inner = {r.row + 1, r.column + PREFIX, r.rows - 1, r.columns - 2 * PREFIX};
    canvas_wrap(c, inner, 0, ROLE_TEXT, b.data);
    buf_free(&b);
}

/* ---- the screen ---- */

static void draw_below(const struct app *a, struct canvas *c, struct rect r) {
    struct buf b = {0};
    canvas_hline(c, r.row, r.column, r.columns);
    detail_text(a, &b);
    canvas_wrap(c, (struct rect){r.row + 1, r.column, r.rows - 1, r.columns}, 0, ROLE_TEXT, b.data ? b.data : "");
    buf_free(&b);
}

static int draw_filter(const struct app *a, struct canvas *c, struct rect r) {
    struct buf b = {0};
    if (!a->filter[0] || a->prompt.kind == PROMPT_FILTER)
        return 0;
    buf_printf(&b, _("Filter: %s   (Esc clears)"), a->filter);
    canvas_text(c, r.row, r.column, r.columns, ROLE_PROMPT, b.data);
    buf_free(&b);
    return 1;
}

struct viewport view_rank(const struct app *a, struct canvas *c, const struct view_layout *l) {
    struct table t = {.a = a};
    struct rect r = l->body;
    int below = l->side.rows == 0 && r.rows >= DETAIL_FROM ? DETAIL_ROWS + 1 : 0;
    if (l->side.rows > 0)
        detail_panel(a, c, l->side);
    if (below > 0)
        draw_below(a, c, (struct rect){r.row + r.rows - below, r.column, below, r.columns});
    int filter = draw_filter(a, c, r);
    int page = r.rows - below - filter - 1;
    page = page > 0 ? page : 1;
    struct rect list = {r.row + filter, r.column, page + 1, r.columns};
    if (!a->shown || a->list.count == 0) {
        draw_empty(a, c, list);
        return (struct viewport){.page = page};
    }
    size_t top = list_top(a->list.top, a->list.cursor, (size_t)page, a->list.count);
    bool serving = job_is_serving(&a->shown->basis->job);
    find_sorted(&t);
    column_set_choose(&t.set, a->shift > 0 && c->columns < ALL_FROM ? ALL_FROM : c->columns, serving);
    remove_hidden(&t);
    measure(&t, top, (size_t)page);
    column_set_fit(&t.set, list.columns - PREFIX, serving);
    draw_header(&t, c, list);
    for (int i = 0; i < page && top + (size_t)i < a->list.count; i++)
        draw_row(&t, c, (struct rect){list.row + 1 + i, list.column, 1, list.columns}, top + (size_t)i);
    return (struct viewport){.page = page};
}
