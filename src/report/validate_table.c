/* SPDX-License-Identifier: MIT */
/* A validation for people: a table for the terminal and the same in Markdown. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/validate.h"

/* ---- cells first, then one of two ways to write them ---- */

enum { MAX_COLUMNS = 10, CELL_SIZE = 48 };

struct grid {
    const char *title;
    const char *heads[MAX_COLUMNS];
    int columns, left; /* the first `left` columns hold text, the others numbers */
    char (*cells)[MAX_COLUMNS][CELL_SIZE];
    size_t rows, capacity;
};

static char (*grid_row(struct grid *g))[CELL_SIZE] {
    g->cells = mem_grow(g->cells, &g->capacity, g->rows + 1, sizeof *g->cells);
    memset(g->cells[g->rows], 0, sizeof *g->cells);
    return g->cells[g->rows++];
}

static void put_fixed(char cell[CELL_SIZE], double x, int digits, const char *unit) {
    if (num_known(x)) {
        snprintf(cell, CELL_SIZE, "%.*f%s", digits, x, unit);
    } else {
        snprintf(cell, CELL_SIZE, "-");
    }
}

static void put_text(char cell[CELL_SIZE], const char *text) {
    text_clean(cell, CELL_SIZE, text, strlen(text));
    if (*cell == '\0') {
        snprintf(cell, CELL_SIZE, "-");
    }
}

/* ASCII blanks to a width in columns, so that wide characters keep the table straight. */
static void put_padded(struct buf *out, const char *text, int width, bool left) {
    int pad = width - text_width(text);

    if (!left) {
        buf_pad(out, ' ', pad > 0 ? (size_t)pad : 0);
    }
    buf_puts(out, text);
    if (left) {
        buf_pad(out, ' ', pad > 0 ? (size_t)pad : 0);
    }
}

static void write_plain(const struct grid *g, struct buf *out) {
    int widths[MAX_COLUMNS];

    for (int c = 0; c < g->columns; c++) {
        widths[c] = text_width(g->heads[c]);
        for (size_t r = 0; r < g->rows; r++) {
            int w = text_width(g->cells[r][c]);
            widths[c] = w > widths[c] ? w : widths[c];
        }
    }
    buf_printf(out, "%s\n", g->title);
    for (size_t r = 0; r <= g->rows; r++) {
        for (int c = 0; c < g->columns; c++) {
            buf_puts(out, "  ");
            put_padded(out, r == 0 ? g->heads[c] : g->cells[r - 1][c], widths[c], c < g->left);
        }
        while (out->len > 0 && out->data[out->len - 1] == ' ') { /* no blanks at the end of a line */
            out->data[--out->len] = '\0';
        }
        buf_putc(out, '\n');
    }
    buf_putc(out, '\n');
}

static void write_markdown(const struct grid *g, struct buf *out) {
    buf_printf(out, "## %s\n\n|", g->title);
    for (int c = 0; c < g->columns; c++) {
        buf_printf(out, " %s |", g->heads[c]);
    }
    buf_puts(out, "\n|");
    for (int c = 0; c < g->columns; c++) {
        buf_puts(out, c < g->left ? "---|" : "---:|");
    }
    for (size_t r = 0; r < g->rows; r++) {
        buf_puts(out, "\n|");
        for (int c = 0; c < g->columns; c++) {
            buf_putc(out, ' ');
            text_markdown_cell(out, g->cells[r][c]);
            buf_puts(out, " |");
        }
    }
    buf_puts(out, "\n\n");
}

static void put_summary(char (*row)[CELL_SIZE], int at, const struct validate_summary *s) {
    snprintf(row[at], CELL_SIZE, "%d", s->n);
    snprintf(row[at + 1], CELL_SIZE, "%d", s->skipped);
    if (s->verdicts == s->n && s->n > 0) { /* verdicts have no error: how many are right stands under "inside" */
        for (int c = 2; c < 7; c++) {
            put_fixed(row[at + c], NUM_UNKNOWN, 0, "");
        }
        put_fixed(row[at + 4], 100.0 * s->right / s->verdicts, 1, " %");
        return;
    }
    put_fixed(row[at + 2], s->median_abs_error_pct, 1, " %");
    put_fixed(row[at + 3], s->p90_abs_error_pct, 1, " %");
    put_fixed(row[at + 4], s->inside_range_pct, 0, " %");
    put_fixed(row[at + 5], s->median_width, 2, "");
    put_fixed(row[at + 6], s->bias_pct, 1, " %");
}

/* Quality A alone, then everything where that is more: A rows are controlled, the others have assumed fields. */
static void add_lines(const struct validation *v, const char *what, struct validate_filter f, struct grid *g) {
    struct validate_summary all = validation_summary(v, &f);

    f.quality = "A";
    struct validate_summary controlled = validation_summary(v, &f);
    const char *part = f.source != NULL ? f.source : f.part == NULL ? "" : f.part;
    int a = controlled.n + controlled.skipped, every = all.n + all.skipped;
    for (int q = a > 0 ? 0 : 1; q < (a < every ? 2 : 1); q++) {
        char(*row)[CELL_SIZE] = grid_row(g);
        put_text(row[0], what);
        put_text(row[1], part);
        put_text(row[2], q == 0 ? "A" : _("all"));
        put_summary(row, 3, q == 0 ? &controlled : &all);
    }
}

static void start_summary(struct grid *g, const char *title) {
    *g = (struct grid){.title = title, .columns = 10, .left = 3};
    const char *const heads[] = {_("what"),   _("part"), _("rows"),   _("n"),     _("skipped"),
                                 _("median"), _("90 %"), _("inside"), _("width"), _("bias")};
    memcpy(g->heads, heads, sizeof heads);
}

static void fill_sources(const struct validation *v, struct grid *g) {
    struct validate_line lines[VALIDATION_LINES];
    int count = validation_sources(v, lines);

    start_summary(g, _("By source"));
    for (int i = 0; i < count && count > 1; i++) {
        add_lines(v, lines[i].kind,
                  (struct validate_filter){.kind = lines[i].kind, .source = lines[i].part, .metric = METRIC_COUNT}, g);
    }
}

static void fill_summary(const struct validation *v, struct grid *g) {
    const char *kinds[VALIDATION_KINDS];
    struct validate_line lines[VALIDATION_LINES];
    int kind_count = validation_kinds(v, kinds), line_count = validation_lines(v, lines);

    start_summary(g, _("Error of predictions"));
    for (int i = 0; i < kind_count; i++) {
        add_lines(v, kinds[i], (struct validate_filter){.kind = kinds[i], .metric = METRIC_COUNT}, g);
    }
    for (int i = 0; i < line_count; i++) {
        add_lines(v, metric_name(lines[i].metric),
                  (struct validate_filter){.kind = lines[i].kind, .part = lines[i].part, .metric = lines[i].metric}, g);
    }
}

static double badness(const struct validate_row *r) {
    if (r->skipped != NULL) {
        return -1;
    }
    if (r->m->metric == METRIC_FITS) {
        return r->inside ? 0 : 100;
    }
    return fabs(log(r->predicted.expected / r->m->value)) * 100;
}

static int compare_badness(const void *a, const void *b) {
    double x = badness(*(const struct validate_row *const *)a), y = badness(*(const struct validate_row *const *)b);
    return (x < y) - (x > y);
}

static void put_measured(char (*row)[CELL_SIZE], const struct validate_row *r) {
    if (r->m->metric == METRIC_FITS) {
        put_text(row[3], r->m->value > 0 ? _("yes") : _("no"));
        put_text(row[5], r->skipped == NULL ? fit_name(r->fit) : "");
    } else {
        num_format_plain(row[3], CELL_SIZE, r->m->value, 4);
        num_format_plain(row[4], CELL_SIZE, r->predicted.low, 4);
        num_format_plain(row[5], CELL_SIZE, r->predicted.expected, 4);
        num_format_plain(row[6], CELL_SIZE, r->predicted.high, 4);
    }
    if (r->skipped != NULL) {
        put_text(row[7], r->skipped);
    } else if (num_known(r->error_pct)) {
        snprintf(row[7], CELL_SIZE, "%+.1f %%", r->error_pct);
    }
}

static void fill_rows(const struct validation *v, int top, struct grid *g) {
    size_t count = validation_count(v);
    const struct validate_row **rows = mem_zero(count + 1, sizeof(const struct validate_row *));

    *g = (struct grid){.title = _("Rows, worst first"), .columns = 8, .left = 3};
    const char *const heads[] = {_("id"),  _("model"),    _("metric"), _("measured"),
                                 _("low"), _("expected"), _("high"),   _("error")};
    memcpy(g->heads, heads, sizeof heads);
    for (size_t i = 0; i < count; i++) {
        rows[i] = validation_row(v, i);
    }
    qsort(rows, count, sizeof *rows, compare_badness);
    for (size_t i = 0; i < count && (top <= 0 || i < (size_t)top); i++) {
        char(*row)[CELL_SIZE] = grid_row(g);
        put_text(row[0], rows[i]->m->id);
        put_text(row[1], rows[i]->m->model);
        put_text(row[2], rows[i]->m->metric == METRIC_COUNT ? "" : metric_name(rows[i]->m->metric));
        put_measured(row, rows[i]);
    }
    free(rows);
}

static void write_order(const struct validation *v, struct buf *out) {
    struct validate_order o = validation_order(v);
    struct validate_filter any = {.metric = METRIC_FITS};
    struct validate_summary s = validation_summary(v, &any);

    if (s.verdicts > 0) {
        buf_printf(out, _("Fits or not: %d of %d right, %d said to fit that did not, %d refused that fitted.\n"),
                   s.right, s.verdicts, s.false_fits, s.false_nos);
    }
    if (o.points > 0) {
        buf_printf(out,
                   _("Scaling efficiency: off by %.1f points (median of %d); perfect scaling would be off by %.1f.\n"),
                   o.efficiency_error, o.points, o.linear_error);
    }
    if (o.pairs > 0) {
        buf_printf(out, _("Order: %.1f %% of %ld pairs over 10 %% apart are ordered right.\n"), o.pairs_right_pct,
                   o.pairs);
    }
}

static void write_people(const struct validation *v, int top, void (*write)(const struct grid *, struct buf *),
                         struct buf *out) {
    struct grid g;

    fill_rows(v, top, &g);
    write(&g, out);
    free(g.cells);
    fill_summary(v, &g);
    write(&g, out);
    free(g.cells);
    fill_sources(v, &g);
    if (g.rows > 0) {
        write(&g, out);
    }
    free(g.cells);
    write_order(v, out);
}

void validation_to_table(const struct validation *v, int top, struct buf *out) {
    write_people(v, top, write_plain, out);
}

void validation_to_markdown(const struct validation *v, int top, struct buf *out) {
    write_people(v, top, write_markdown, out);
}
