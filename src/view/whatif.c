/* SPDX-License-Identifier: MIT */
/* Screen 4: columns of one job with one thing varied; what they say together; the speed-up curve. */
#include "app/whatif.h"

#include <stdio.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/draw/chart.h"
#include "gpuplan/draw/plot.h"
#include "gpuplan/report/compare.h"
#include "gpuplan/report/sentence.h"
#include "internal.h"

enum { LABEL = 17, LEAST = 6, NAMES = 11 /* what a name may take, which can be cut */, GAP = 1, CURVE_ROWS = 9 };

struct sheet {
    const struct app *a;
    const struct question *q;
    const struct whatif *w;
    int width[WHATIF_MAX_COUNTS];
    int order[WHATIF_MAX_COUNTS], shown; /* columns that have room: pins, then a window that holds the cursor */
    int label;
};

static const struct whatif_screen_state *state_of(const struct app *a) {
    return a->whatif;
}

/* ---- what has room ---- */

static void put_heading(struct buf *b, const struct sheet *s, int i) {
    bool here = i == state_of(s->a)->cursor;
    buf_puts(b, here ? "[" : i < s->w->pinned ? "*" : "");
    whatif_label(b, s->q, s->w, i);
    if (s->w->columns[i].basis >= PRICE_PRO_RATA)
        buf_putc(b, '~');
    buf_puts(b, here ? "]" : "");
}

static void measure(struct sheet *s) {
    size_t count;
    const struct whatif_row *rows = whatif_rows(&count);
    for (int i = 0; i < s->w->count; i++) {
        struct buf b = {0};
        put_heading(&b, s, i);
        int widest = text_width(b.data);
        for (size_t r = 0; r < count; r++) {
            buf_clear(&b);
            if (rows[r].label)
                whatif_cell(&rows[r], &b, s->q, s->w, i);
            int width = b.len > 0 ? text_width(b.data) : 0;
            if (!rows[r].number && width > NAMES)
                width = NAMES;
            widest = width > widest ? width : widest;
        }
        s->width[i] = widest < LEAST ? LEAST : widest;
        buf_free(&b);
    }
}

static bool take(struct sheet *s, int i, int *room) {
    if (s->width[i] + GAP > *room)
        return false;
    *room -= s->width[i] + GAP;
    s->order[s->shown++] = i;
    return true;
}

/* Pins stay; of the others a window round the cursor, as far to the left as it goes. */
static void choose(struct sheet *s, int columns) {
    int room = columns - s->label, cursor = state_of(s->a)->cursor, first = s->w->pinned, used = 0;
    for (int i = 0; i < s->w->pinned; i++)
        take(s, i, &room);
    for (int i = first; i <= cursor && i < s->w->count; i++)
        used += s->width[i] + GAP;
    while (first < cursor && used > room)
        used -= s->width[first++] + GAP;
    for (int i = first; i < s->w->count; i++)
        if (!take(s, i, &room))
            break;
}

/* ---- the table ---- */

static void draw_head(const struct sheet *s, struct canvas *c, struct rect r) {
    int at = r.column + s->label;
    canvas_fill(c, (struct rect){r.row, r.column, 1, r.columns}, ROLE_HEADER, ' ');
    canvas_text(c, r.row, r.column, s->label - 1, ROLE_HEADER, vary_label(s->w->vary));
    for (int k = 0; k < s->shown; k++) {
        int i = s->order[k];
        struct buf b = {0};
        put_heading(&b, s, i);
        enum role role = i == state_of(s->a)->cursor ? ROLE_SORTED : i < s->w->pinned ? ROLE_MARKED : ROLE_HEADER;
        canvas_text_right(c, r.row, at + GAP, s->width[i], role, b.data);
        canvas_tag(c, (struct rect){r.row, at + GAP, 1, s->width[i]}, TAG_ROW, i);
        buf_free(&b);
        at += GAP + s->width[i];
    }
}

static enum role role_of(const struct sheet *s, const struct whatif_row *row, int i) {
    const struct candidate *c = &s->w->columns[i].c;
    bool here = i == state_of(s->a)->cursor;
    if (strcmp(row->key, "fit") == 0)
        return role_of_fit(c);
    if (strcmp(row->key, "cost_usd") == 0 && (i == s->w->in_time || (s->w->in_time < 0 && i == s->w->best_cost)))
        return ROLE_GOOD;
    if ((strcmp(row->key, "time_h") == 0 || strcmp(row->key, "itl_ms") == 0) && i == s->w->best_time)
        return ROLE_GOOD;
    return c->cls >= RANK_LATE ? ROLE_DIM : here ? ROLE_TITLE : ROLE_TEXT;
}

static void draw_row(const struct sheet *s, struct canvas *c, int line, struct rect r, const struct whatif_row *row) {
    int at = r.column + s->label;
    canvas_text(c, line, r.column, s->label - 1, ROLE_DIM, _(row->label));
    for (int k = 0; k < s->shown; k++) {
        int i = s->order[k];
        struct buf b = {0};
        whatif_cell(row, &b, s->q, s->w, i);
        canvas_text_right(c, line, at + GAP, s->width[i], role_of(s, row, i), b.data ? b.data : "");
        canvas_tag(c, (struct rect){line, at + GAP, 1, s->width[i]}, TAG_ROW, i);
        buf_free(&b);
        at += GAP + s->width[i];
    }
}

/* With the curve in the foreground only what it is read by. */
static bool is_wanted(const struct sheet *s, const struct whatif_row *row) {
    static const char *const brief[] = {"fit", "time_h", "itl_ms", "cost_usd", "efficiency"};
    if (!row->label || strcmp(row->key, "gpus") == 0 || !whatif_row_used(row, s->q, s->w))
        return false;
    for (size_t i = 0; i < sizeof brief / sizeof brief[0]; i++)
        if (strcmp(row->key, brief[i]) == 0)
            return true;
    return !state_of(s->a)->curve;
}

static void put_rows(struct page *p, const struct sheet *s) {
    size_t count;
    const struct whatif_row *rows = whatif_rows(&count);
    for (size_t i = 0; i < count; i++) {
        if (!is_wanted(s, &rows[i]))
            continue;
        int line = page_row(p);
        if (line >= 0)
            draw_row(s, p->c, line, p->r, &rows[i]);
    }
}

/* Why the column under the cursor does not fit, or is not for sale. */
static void put_notes(struct page *p, const struct sheet *s) {
    const struct whatif_column *here = whatif_at_cursor(s->a);
    struct buf b = {0};
    whatif_sentence(&b, s->q, s->w);
    page_wrap(p, ROLE_TEXT, 0, b.data);
    buf_clear(&b);
    if (here && here->c.cls == RANK_REFUSED) {
        whatif_label(&b, s->q, s->w, state_of(s->a)->cursor);
        buf_puts(&b, ": ");
        sentence_reason(&b, &here->c.reason);
        page_wrap(p, ROLE_BAD, 0, b.data);
    } else if (here && here->basis == PRICE_PRO_RATA) {
        page_wrap(p, ROLE_ASSUMED, 0, _("~ not sold in this size: the share of another machine's rate"));
    } else if (here && here->basis == PRICE_BORROWED) {
        page_wrap(p, ROLE_ASSUMED, 0, _("~ not sold with this link: the rate of the machine with another one"));
    }
    buf_free(&b);
}

/* ---- the curve ---- */

static size_t label_count(char *out, size_t cap, double v) {
    return (size_t)snprintf(out, cap, "%.0f", v);
}

static size_t label_times(char *out, size_t cap, double v) {
    char text[24];
    num_format_plain(text, sizeof text, v, 3);
    return (size_t)snprintf(out, cap, "%s\303\227", text);
}

static bool on_curve(const struct whatif *w, int i) {
    return i >= w->pinned && num_known(w->speed_up[i]);
}

/* Doubling axes both, so that the ideal is a straight line. */
static void find_axes(const struct whatif *w, struct plot_axis *x, struct plot_axis *y) {
    double most = 1;
    *x = (struct plot_axis){.low = w->columns[w->base].gpus, .log = true, .label = label_count};
    *y = (struct plot_axis){.low = 1, .log = true, .label = label_times};
    x->high = x->low;
    for (int i = w->base; i < w->count; i++) {
        if (!on_curve(w, i))
            continue;
        x->high = w->columns[i].gpus;
        most = w->speed_up[i] > most ? w->speed_up[i] : most;
        if (w->speed_up[i] < y->low)
            y->low = w->speed_up[i];
        if (x->tick_count < PLOT_TICKS)
            x->ticks[x->tick_count++] = w->columns[i].gpus;
    }
    y->high = most * 1.3 < 2 ? 2 : most * 1.3;
    for (double t = 1; t <= y->high && y->tick_count < PLOT_TICKS; t *= 2)
        y->ticks[y->tick_count++] = t;
}

static void draw_curve(const struct sheet *s, struct canvas *c, struct rect r) {
    const struct whatif *w = s->w;
    struct plot p;
    struct plot_axis x, y;
    int before = -1, points = 0;
    for (int i = w->pinned; i < w->count; i++)
        points += on_curve(w, i);
    if (w->vary != VARY_GPUS || points < 2 || r.rows < CURVE_ROWS)
        return;
    canvas_text(c, r.row, r.column, r.columns, ROLE_HEADER,
                w->weak ? _("Speed-up over the smallest count that fits, work growing with the count")
                        : _("Speed-up over the smallest count that fits"));
    find_axes(w, &x, &y);
    if (!plot_begin(&p, c, (struct rect){r.row + 1, r.column, r.rows - 1, r.columns}, &x, &y))
        return;
    double top = fmin(x.high, x.low * y.high);
    plot_line(&p, x.low, 1, top, top / x.low, ROLE_DIM, 3);
    for (int i = w->base; i < w->count; i++) {
        if (!on_curve(w, i))
            continue;
        if (before >= 0)
            plot_line(&p, w->columns[before].gpus, w->speed_up[before], w->columns[i].gpus, w->speed_up[i], ROLE_PART1,
                      1);
        before = i;
    }
    for (int i = w->base; i < w->count; i++)
        if (on_curve(w, i))
            plot_mark(&p, w->columns[i].gpus, w->speed_up[i], i == state_of(s->a)->cursor ? ROLE_CURSOR : ROLE_TITLE,
                      w->columns[i].basis >= PRICE_PRO_RATA ? '~'
                      : i == w->knee                        ? 'K'
                                                            : glyph_code(GLYPH_POINT, c->ascii));
    canvas_text_right(c, r.row, r.column, r.columns, ROLE_DIM, _("dotted: ideal   K: knee"));
}

/* ---- beside the table, where the screen is wide ---- */

static void draw_steps(struct page *p, const struct sheet *s) {
    double most = 0;
    for (int i = 0; i < s->w->count; i++)
        if (s->w->columns[i].c.cls != RANK_REFUSED)
            most = fmax(most, s->w->columns[i].c.e.step_s);
    page_heading(p, _("One step by part, one scale"));
    for (int k = 0; k < s->shown; k++) {
        int i = s->order[k];
        const struct estimate *e = &s->w->columns[i].c.e;
        struct buf b = {0};
        int row = page_row(p);
        if (row < 0 || s->w->columns[i].c.cls == RANK_REFUSED)
            continue;
        whatif_label(&b, s->q, s->w, i);
        canvas_text(p->c, row, p->r.column, 9, ROLE_DIM, b.data);
        int room = p->r.columns - 10;
        chart_stacked_bar(p->c, row, p->r.column + 10, (int)lround(room * (most > 0 ? e->step_s / most : 0)),
                          e->step_part_s, STEP_PART_COUNT, e->step_s);
        buf_free(&b);
    }
    for (int k = 0; k < STEP_PART_COUNT; k++) {
        int row = page_row(p);
        if (row < 0)
            continue;
        canvas_fill(p->c, (struct rect){row, p->r.column, 1, 1}, (enum role)(ROLE_PART1 + k),
                    glyph_code((enum glyph)(GLYPH_PART1 + k), p->c->ascii));
        canvas_text(p->c, row, p->r.column + 2, p->r.columns - 2, ROLE_DIM, step_part_label((enum step_part)k));
    }
}

static void draw_memory(struct page *p, const struct sheet *s) {
    page_heading(p, _("Memory of a GPU, GiB of what it has"));
    for (int k = 0; k < s->shown; k++) {
        int i = s->order[k];
        const struct estimate *e = &s->w->columns[i].c.e;
        struct buf b = {0};
        int row = page_row(p);
        if (row < 0)
            continue;
        whatif_label(&b, s->q, s->w, i);
        canvas_text(p->c, row, p->r.column, 9, ROLE_DIM, b.data);
        chart_stacked_bar(p->c, row, p->r.column + 10, p->r.columns - 10, e->memory_part_gib, MEMORY_PART_COUNT,
                          e->capacity_gib);
        buf_free(&b);
    }
}

static void draw_side(const struct sheet *s, struct canvas *c, struct rect r) {
    struct page p = {.c = c, .r = {r.row, r.column + 2, r.rows, r.columns - 2}};
    canvas_vline(c, r.row, r.column, r.rows);
    draw_steps(&p, s);
    page_blank(&p);
    draw_memory(&p, s);
}

/* ---- the screen ---- */

static void put_title(struct buf *b, const struct sheet *s) {
    const struct whatif_screen_state *state = state_of(s->a);
    const struct offer *f = offers_find(s->q->offers, state->id);
    static const char *const ways[WAY_COUNT] = {NULL, N_("copies only"), N_("one split only")};
    char card[64];
    if (!f || f->gpu < 0)
        return;
    short_gpu(card, sizeof card, catalog_gpu(s->q->catalog, (size_t)f->gpu)->name);
    buf_printf(b, _("%s at %s \302\267 varying: %s (v)"), card, offers_text(s->q->offers, f->provider),
               vary_label(s->w->vary));
    if (s->w->weak)
        buf_printf(b, " \302\267 %s", _("weak scaling"));
    if (state->way != WAY_BEST)
        buf_printf(b, " \302\267 %s", _(ways[state->way]));
}

static struct viewport draw_nothing(const struct app *a, struct canvas *c, struct rect r) {
    const struct whatif_screen_state *s = state_of(a);
    const char *text = !a->shown || !a->shown->ranked || s->stale ? _("At work\342\200\246")
                       : !a->list.id ? _("No offer is selected: choose one on the first screen.")
                       : s->vary == VARY_LINK
                           ? _("One GPU has no link to vary. v varies another thing, [ and ] choose another offer.")
                           : _("There is nothing to vary here. v varies another thing, [ and ] choose another offer.");
    page_wrap(&(struct page){.c = c, .r = r}, ROLE_TEXT, 0, text);
    return (struct viewport){.page = r.rows, .lines = 1};
}

struct viewport view_whatif(const struct app *a, struct canvas *c, const struct view_layout *l) {
    const struct whatif_screen_state *state = state_of(a);
    struct rect r = l->body;
    struct buf title = {0};
    if (!state->found || state->stale || !a->shown || !a->shown->ranked)
        return draw_nothing(a, c, r);
    struct sheet s = {.a = a, .q = ranking_question(a->shown->ranking), .w = &state->w};
    s.label = r.columns < 3 * LABEL ? r.columns / 3 : LABEL;
    measure(&s);
    choose(&s, r.columns);
    put_title(&title, &s);
    canvas_text(c, r.row, r.column, r.columns, ROLE_TITLE, title.data ? title.data : "");
    buf_free(&title);
    draw_head(&s, c, (struct rect){r.row + 1, r.column, 1, r.columns});
    struct rect text = {r.row + 2, r.column, r.rows - 2, r.columns};
    struct page dry = {.r = text};
    put_rows(&dry, &s);
    put_notes(&dry, &s);
    int most = dry.line - text.rows, first = a->scroll[SCREEN_WHATIF];
    first = first > most ? most : first;
    struct page p = {.c = c, .r = text, .first = first > 0 ? first : 0};
    put_rows(&p, &s);
    put_notes(&p, &s);
    int used = p.line + 1;
    draw_curve(&s, c, (struct rect){text.row + used, text.column, text.rows - used, text.columns});
    if (l->side.rows > 0)
        draw_side(&s, c, l->side);
    return (struct viewport){.page = text.rows > 0 ? text.rows : 1, .lines = dry.line};
}
