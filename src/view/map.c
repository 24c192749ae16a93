/* SPDX-License-Identifier: MIT */
/* Screen 5: time against cost, one character an offer; the frontier, the limits, and what stands under the cursor. */
#include "app/map.h"

#include <stdio.h>
#include <stdlib.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/draw/plot.h"
#include "gpuplan/report/sentence.h"
#include "internal.h"

static const struct map_state *state_of(const struct app *a) {
    return a->map;
}

static size_t label_hours(char *out, size_t cap, double v) {
    char text[24];
    bool minutes = v < 1;
    num_format_plain(text, sizeof text, minutes ? v * 60 : v, 3);
    return (size_t)snprintf(out, cap, minutes ? _("%s min") : _("%s h"), text);
}

static size_t label_ms(char *out, size_t cap, double v) {
    char text[24];
    num_format_plain(text, sizeof text, v, 3);
    return (size_t)snprintf(out, cap, _("%s ms"), text);
}

static size_t label_usd(char *out, size_t cap, double v) {
    char text[24];
    num_format_plain(text, sizeof text, v, 3);
    return (size_t)snprintf(out, cap, "$%s", text);
}

static double x_of(const struct map_state *m, const struct map_point *p) {
    return (double)(m->swapped ? p->usd : p->time);
}

static double y_of(const struct map_state *m, const struct map_point *p) {
    return (double)(m->swapped ? p->time : p->usd);
}

/* ---- the frontier: a stair, fastest first ---- */

static int by_time(const void *x, const void *y) {
    const struct map_point *const *a = x, *const *b = y;
    return ((*a)->time > (*b)->time) - ((*a)->time < (*b)->time);
}

static size_t frontier_of(const struct map_state *m, const struct map_point **out) {
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++)
        if (m->points[i].frontier)
            out[count++] = &m->points[i];
    qsort(out, count, sizeof *out, by_time);
    return count;
}

/* Whoever waits as long as the next point takes has still this one: the step is at the later time. */
static void draw_frontier(const struct map_state *m, const struct plot *p) {
    const struct map_point **line = mem_zero(m->count + 1, sizeof *line);
    size_t count = frontier_of(m, line);
    for (size_t i = 0; i + 1 < count; i++) {
        struct map_point corner = *line[i];
        corner.time = line[i + 1]->time;
        plot_line(p, x_of(m, line[i]), y_of(m, line[i]), x_of(m, &corner), y_of(m, &corner), ROLE_BORDER, 2);
        plot_line(p, x_of(m, &corner), y_of(m, &corner), x_of(m, line[i + 1]), y_of(m, line[i + 1]), ROLE_BORDER, 2);
    }
    free(line);
}

/* ---- the points ---- */

enum { DIGITS = 9, LETTERS = 26 };

static uint32_t sign_of(const struct map_point *p, bool ascii) {
    if (p->place <= DIGITS)
        return '0' + p->place;
    if (p->place <= DIGITS + LETTERS)
        return 'a' + p->place - DIGITS - 1;
    return glyph_code(GLYPH_DOT, ascii);
}

static enum role role_of(const struct app *a, const struct map_point *p) {
    const struct offers *o = a->shown->snapshot->offers;
    if (list_is_marked(a, offers_text(o, o->items[p->offer].id)))
        return ROLE_MARKED;
    return p->cls == RANK_FITS ? ROLE_GOOD : p->cls == RANK_TIGHT ? ROLE_TIGHT : ROLE_DIM;
}

/* The better stands on top. */
static void draw_points(const struct app *a, const struct plot *p) {
    const struct map_state *m = state_of(a);
    for (size_t i = m->count; i-- > 0;) {
        const struct map_point *point = &m->points[i];
        int row, column;
        if (!map_shows(m, point) || !plot_cell(p, x_of(m, point), y_of(m, point), &row, &column))
            continue;
        plot_mark(p, x_of(m, point), y_of(m, point), role_of(a, point), sign_of(point, p->c->ascii));
        canvas_tag(p->c, (struct rect){row, column, 1, 1}, TAG_ROW, (int)i);
    }
}

/* Two brackets around it, so that it is seen without colour. */
static void draw_cursor(const struct app *a, const struct plot *p, const struct map_point *here) {
    const struct map_state *m = state_of(a);
    int row, column;
    if (!here || !plot_cell(p, x_of(m, here), y_of(m, here), &row, &column))
        return;
    const struct rect left = {row, column - 1, 1, 1}, right = {row, column + 1, 1, 1};
    canvas_fill(p->c, left, ROLE_CURSOR, glyph_code(GLYPH_LEFT, p->c->ascii));
    canvas_fill(p->c, (struct rect){row, column, 1, 1}, ROLE_CURSOR, sign_of(here, p->c->ascii));
    if (column + 1 < p->r.column + p->r.columns)
        canvas_fill(p->c, right, ROLE_CURSOR, glyph_code(GLYPH_RIGHT, p->c->ascii));
    if (a->prompt.kind == PROMPT_NONE)
        canvas_cursor(p->c, row, column);
}

/* ---- words around ---- */

static void put_title(struct buf *b, const struct app *a) {
    const struct map_state *m = state_of(a);
    static const char *const choices[MAP_CHOICE_COUNT] = {N_("all offers"), N_("offers that keep the limits"),
                                                          N_("the frontier")};
    bool serving = job_is_serving(&a->shown->basis->job);
    size_t shown = 0, outside = 0, groups = ranking_group_count(a->shown->ranking);
    const struct map_axis time = map_axis_of(a, false), cost = map_axis_of(a, true);
    for (size_t i = 0; i < m->count; i++) {
        bool chosen = map_shows(m, &m->points[i]);
        shown += chosen;
        outside += chosen && ((double)m->points[i].time > time.high || (double)m->points[i].usd > cost.high);
    }
    buf_printf(b, m->swapped ? _("%s upwards, %s to the right") : _("%2$s upwards, %1$s to the right"),
               serving ? _("ms a token") : _("hours"), serving ? _("dollars per M tokens") : _("dollars"));
    buf_printf(b, " \302\267 %s (%zu)", _(choices[m->choice]), shown);
    if (outside > 0) {
        buf_puts(b, " \302\267 ");
        buf_printf(b, _("%zu lie outside"), outside);
    }
    if (groups > m->count && m->choice == MAP_ALL) {
        buf_puts(b, " \302\267 ");
        buf_printf(b, _("the best of %zu"), groups);
    }
}

static void put_point(struct buf *b, const struct app *a, const struct map_point *p) {
    struct candidate *c = mem_alloc(sizeof *c);
    const struct ranked *row = ranking_find(a->shown->ranking, p->offer);
    char low[24], high[24];
    ranking_candidate(a->shown->ranking, row, c);
    sentence_machine(b, ranking_question(a->shown->ranking), c);
    num_format(low, sizeof low, c->cost.time_h.low, NUM_HOURS);
    num_format(high, sizeof high, c->cost.time_h.high, NUM_HOURS);
    if (!job_is_serving(&a->shown->basis->job))
        buf_printf(b, _(": %s to %s"), low, high);
    num_format(low, sizeof low, c->cost.usd.low, NUM_USD);
    num_format(high, sizeof high, c->cost.usd.high, NUM_USD);
    buf_printf(b, _(", %s to %s"), low, high);
    free(c);
}

static void put_here(struct buf *b, const struct app *a, const struct map_point *here) {
    if (!here) {
        buf_puts(b, _("The offer under the cursor is not among these; an arrow goes to the best that is."));
        return;
    }
    const struct map_point *better = map_better(state_of(a), here);
    buf_printf(b, "%u ", here->place);
    put_point(b, a, here);
    buf_puts(b, ". ");
    if (here->frontier)
        buf_puts(b, _("Nothing is both cheaper and faster."));
    else if (better && better->cls > here->cls)
        buf_printf(b, _("Number %u is cheaper and faster, but its memory is TIGHT."), better->place);
    else if (better)
        buf_printf(b, _("Number %u is cheaper and faster."), better->place);
}

/* ---- beside: the frontier as a list, and what the next hour costs ---- */

static void put_frontier(struct page *p, const struct app *a) {
    const struct map_state *m = state_of(a);
    const struct offers *o = a->shown->snapshot->offers;
    const struct map_point **line = mem_zero(m->count + 1, sizeof *line);
    bool serving = job_is_serving(&a->shown->basis->job);
    const struct map_point *here = map_at_cursor(a);
    size_t count = frontier_of(m, line);
    page_heading(p, _("On the frontier, fastest first"));
    for (size_t i = 0; i < count; i++) {
        char time[24], usd[24], card[64], text[160];
        const struct offer *f = &o->items[line[i]->offer];
        num_format(time, sizeof time, (double)line[i]->time, serving ? NUM_MILLISECONDS : NUM_HOURS);
        num_format(usd, sizeof usd, (double)line[i]->usd, NUM_USD);
        short_gpu(card, sizeof card, f->gpu >= 0 ? catalog_gpu(a->catalog, (size_t)f->gpu)->name : "");
        snprintf(text, sizeof text, "%4u  %s  %s  %dx %s", line[i]->place, time, usd, f->gpus, card);
        page_line(p, line[i] == here ? ROLE_TITLE : ROLE_TEXT, text);
    }
    if (count > 1 && !serving) {
        page_blank(p);
        page_heading(p, _("An hour saved costs"));
    }
    for (size_t i = 0; i + 1 < count && !serving; i++) {
        char per[24], text[160];
        double saved = (double)(line[i + 1]->time - line[i]->time), usd = (double)(line[i]->usd - line[i + 1]->usd);
        if (!(saved > 0))
            continue;
        num_format(per, sizeof per, usd / saved, NUM_USD);
        snprintf(text, sizeof text, "%4u > %-4u %s", line[i + 1]->place, line[i]->place, per);
        page_line(p, ROLE_TEXT, text);
    }
    free(line);
}

/* ---- the screen ---- */

static struct viewport draw_nothing(const struct app *a, struct canvas *c, struct rect r) {
    bool ready = a->shown && a->shown->ranked && !state_of(a)->stale;
    page_wrap(&(struct page){.c = c, .r = r}, ROLE_TEXT, 0,
              ready ? _("There is nothing to draw: no offer fits. Screen 1 says what stands in the way.")
                    : _("At work\342\200\246"));
    return (struct viewport){.page = r.rows};
}

static struct plot_axis axis_of(const struct app *a, bool cost) {
    const struct map_axis x = map_axis_of(a, cost);
    bool serving = job_is_serving(&a->shown->basis->job);
    return (struct plot_axis){.low = x.low,
                              .high = x.high,
                              .log = x.log,
                              .label = cost      ? label_usd
                                       : serving ? label_ms
                                                 : label_hours};
}

static void draw_limits(const struct app *a, const struct plot *p) {
    const struct map_state *m = state_of(a);
    double deadline = map_deadline(a), budget = a->shown->basis->job.budget_usd;
    if (num_known(deadline))
        (m->swapped ? plot_rule_at_y : plot_rule_at_x)(p, deadline, ROLE_BAD);
    if (num_known(budget) && !job_is_serving(&a->shown->basis->job)) /* that is for all its hours */
        (m->swapped ? plot_rule_at_x : plot_rule_at_y)(p, budget, ROLE_BAD);
}

static void draw_here(const struct app *a, struct canvas *c, struct rect r, const struct map_point *here) {
    struct buf b = {0};
    put_here(&b, a, here);
    canvas_wrap(c, r, 0, here ? ROLE_TEXT : ROLE_DIM, b.data);
    buf_free(&b);
}

struct viewport view_map(const struct app *a, struct canvas *c, const struct view_layout *l) {
    enum { BELOW = 2 };
    const struct map_state *m = state_of(a);
    struct rect r = l->body;
    struct plot p;
    struct buf title = {0};
    if (!a->shown || !a->shown->ranked || m->stale || m->count == 0)
        return draw_nothing(a, c, r);
    const struct map_point *here = map_at_cursor(a);
    const struct plot_axis time = axis_of(a, false), cost = axis_of(a, true);
    put_title(&title, a);
    canvas_text(c, r.row, r.column, r.columns, ROLE_HEADER, title.data);
    buf_free(&title);
    if (plot_begin(&p, c, (struct rect){r.row + 1, r.column, r.rows - 1 - BELOW, r.columns - 1},
                   m->swapped ? &cost : &time, m->swapped ? &time : &cost)) {
        draw_frontier(m, &p);
        draw_limits(a, &p);
        draw_points(a, &p);
        draw_cursor(a, &p, here);
    }
    draw_here(a, c, (struct rect){r.row + r.rows - BELOW, r.column, BELOW, r.columns}, here);
    if (l->side.rows > 0) {
        struct page page = {.c = c, .r = {l->side.row, l->side.column + 2, l->side.rows, l->side.columns - 2}};
        canvas_vline(c, l->side.row, l->side.column, l->side.rows);
        put_frontier(&page, a);
    }
    return (struct viewport){.page = r.rows};
}
