/* SPDX-License-Identifier: MIT */
/* The offer under the cursor: in a few sentences, or as a panel with its memory, time and cost by part. */
#include <stdio.h>
#include <stdlib.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/draw/chart.h"
#include "gpuplan/report/sentence.h"
#include "internal.h"

enum role role_of_fit(const struct candidate *c) {
    if (c->cls == RANK_REFUSED || c->cls == RANK_LATE || c->e.fit == FIT_NO)
        return ROLE_BAD;
    return c->e.fit == FIT_TIGHT ? ROLE_TIGHT : ROLE_GOOD;
}

static void put_answer(const struct app *a, struct buf *b) {
    struct answer *answer = mem_zero(1, sizeof *answer);
    ranking_answer(a->shown->ranking, answer);
    sentence_answer(b, a->shown->ranking, answer);
    free(answer);
}

void detail_text(const struct app *a, struct buf *b) {
    struct candidate c;
    if (!a->shown || !list_candidate(a, a->list.cursor, &c))
        return;
    const struct list_row row = list_row(a, a->list.cursor);
    bool best = a->shown->ranked && row.rank == 1 && row.kind == ROW_OFFER;
    if (best)
        put_answer(a, b);
    else
        sentence_candidate(b, ranking_question(a->shown->ranking), &c);
}

/* ---- parts ---- */

enum { LEGEND_COLUMNS = 36 };

/* A square of the part's colour and glyph, its name and size; two side by side where there is room. */
static void put_legend(struct page *p, const struct candidate *c) {
    int shown = 0, row = -1, each = p->r.columns >= 2 * LEGEND_COLUMNS ? 2 : 1, half = p->r.columns / each;
    for (int i = 0; i < MEMORY_PART_COUNT; i++) {
        char size[32];
        if (!(c->e.memory_part_gib[i] > 0))
            continue;
        int place = shown++ % each;
        if (place == 0)
            row = page_row(p);
        if (row < 0)
            continue;
        int at = p->r.column + place * half;
        num_format(size, sizeof size, c->e.memory_part_gib[i], NUM_GIB_UNIT);
        canvas_fill(p->c, (struct rect){row, at, 1, 1}, (enum role)(ROLE_PART1 + i),
                    glyph_code((enum glyph)(GLYPH_PART1 + i), p->c->ascii));
        canvas_printf(p->c, row, at + 2, half - 3, ROLE_TEXT, "%s %s", memory_part_label((enum memory_part)i), size);
    }
}

void detail_memory(struct page *p, const struct candidate *c) {
    char need[32], high[32], have[32], line[200];
    int row = page_row(p);
    num_format(need, sizeof need, c->e.memory_gib.expected, NUM_GIB_UNIT);
    num_format(high, sizeof high, c->e.memory_gib.high, NUM_GIB_UNIT);
    num_format(have, sizeof have, c->e.capacity_gib, NUM_GIB_UNIT);
    if (row >= 0)
        chart_stacked_bar(p->c, row, p->r.column, p->r.columns, c->e.memory_part_gib, MEMORY_PART_COUNT,
                          c->e.capacity_gib);
    put_legend(p, c);
    snprintf(line, sizeof line,
             c->e.fit == FIT_FITS    ? _("fits: %s, at most %s, of %s")
             : c->e.fit == FIT_TIGHT ? _("TIGHT: %s, at most %s, of %s")
                                     : _("no: %s, at most %s, of %s"),
             need, high, have);
    page_wrap(p, c->e.fit == FIT_FITS ? ROLE_GOOD : c->e.fit == FIT_TIGHT ? ROLE_TIGHT : ROLE_BAD, 0, line);
}

void detail_step(struct page *p, const struct app *a, const struct candidate *c) {
    double most = 0;
    (void)a;
    for (int i = 0; i < STEP_PART_COUNT; i++)
        most = c->e.step_part_s[i] > most ? c->e.step_part_s[i] : most;
    for (int i = 0; i < STEP_PART_COUNT; i++)
        if (c->e.step_part_s[i] > 0)
            page_bar(p, step_part_label((enum step_part)i), c->e.step_part_s[i], most, c->e.step_s, NUM_SECONDS,
                     i == STEP_COMMUNICATION ? ROLE_TIGHT : ROLE_PART1);
}

void detail_cost(struct page *p, const struct candidate *c) {
    double most = 0;
    for (int i = 0; i < COST_PART_COUNT; i++)
        most = c->cost.part_usd[i] > most ? c->cost.part_usd[i] : most;
    for (int i = 0; i < COST_PART_COUNT; i++)
        if (c->cost.part_usd[i] > 0)
            page_bar(p, cost_part_label((enum cost_part)i), c->cost.part_usd[i], most, c->cost.usd.expected, NUM_USD,
                     ROLE_PART2);
}

/* ---- the panel ---- */

static void put_facts(struct page *p, const struct app *a, const struct candidate *c) {
    static const char *const keys[] = {"region", "host_class", "rate_gpu_usd_h", "gpu_hours", "access"};
    const struct question *q = ranking_question(a->shown->ranking);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct column *column = column_find(keys[i]);
        struct buf b = {0};
        column_put(column, &b, q, c);
        if (b.len > 0)
            page_pair(p, _(column->label), ROLE_TEXT, b.data);
        buf_free(&b);
    }
    struct buf age = {0};
    put_age(&age, a, c->offer->observed_at);
    if (age.len > 0)
        page_pair(p, _("Age"), ROLE_TEXT, age.data);
    buf_free(&age);
}

static void put_panel(struct page *p, const struct app *a, const struct candidate *c) {
    struct buf b = {0};
    detail_text(a, &b);
    page_wrap(p, ROLE_TEXT, 0, b.data ? b.data : "");
    buf_free(&b);
    if (!c->shape.gpu)
        return;
    page_blank(p);
    page_heading(p, _("Memory of a GPU"));
    detail_memory(p, c);
    if (c->reason.code != REASON_NONE)
        return;
    page_blank(p);
    page_heading(p, job_is_serving(&a->shown->basis->job) ? _("One decoding step") : _("One step"));
    detail_step(p, a, c);
    page_blank(p);
    page_heading(p, _("Dollars"));
    detail_cost(p, c);
    page_blank(p);
    page_heading(p, _("The offer"));
    put_facts(p, a, c);
}

void detail_panel(const struct app *a, struct canvas *c, struct rect r) {
    struct candidate candidate;
    canvas_vline(c, r.row, r.column, r.rows);
    struct page p = {.c = c, .r = {r.row, r.column + 2, r.rows, r.columns - 2}};
    if (a->shown && list_candidate(a, a->list.cursor, &candidate))
        put_panel(&p, a, &candidate);
}
