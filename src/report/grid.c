/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/json_out.h"
#include "gpuplan/report/report.h"

struct grid {
    const char *const *keys;
    const char *const *headings; /* NULL: the keys */
    size_t columns, count, cap;
    char **cells;
};

struct grid *grid_new(const char *const *keys, size_t columns) {
    struct grid *g = mem_zero(1, sizeof *g);
    g->keys = keys;
    g->columns = columns;
    return g;
}

void grid_headings(struct grid *g, const char *const *headings) {
    g->headings = headings;
}

void grid_free(struct grid *g) {
    for (size_t i = 0; i < g->count; i++)
        free(g->cells[i]);
    free(g->cells);
    free(g);
}

void grid_add(struct grid *g, const char *cell) {
    g->cells = mem_grow(g->cells, &g->cap, g->count + 1, sizeof *g->cells);
    g->cells[g->count++] = mem_strdup(cell ? cell : "");
}

void grid_add_number(struct grid *g, double x, int significant) {
    char text[40];
    num_format_plain(text, sizeof text, x, significant);
    grid_add(g, text);
}

void grid_add_range(struct grid *g, struct range r) {
    grid_add_number(g, r.low, 6);
    grid_add_number(g, r.expected, 6);
    grid_add_number(g, r.high, 6);
}

static size_t rows_of(const struct grid *g) {
    return g->columns > 0 ? g->count / g->columns : 0;
}

static const char *cell_at(const struct grid *g, size_t row, size_t column) {
    return g->cells[row * g->columns + column];
}

static bool is_number(const char *s) {
    double x;
    return *s && num_parse_plain(s, strlen(s), &x);
}

/* Numbers stand on the right; a column counts as one when every cell that is not empty is. */
static bool is_numeric(const struct grid *g, size_t column) {
    bool any = false;
    for (size_t r = 0; r < rows_of(g); r++) {
        const char *s = cell_at(g, r, column);
        if (*s && !is_number(s))
            return false;
        any |= *s != '\0';
    }
    return any;
}

static void put_json(struct buf *b, const struct grid *g) {
    struct json_out j = {.b = b};
    json_out_array(&j, NULL);
    for (size_t r = 0; r < rows_of(g); r++) {
        json_out_object(&j, NULL);
        json_out_flat(&j);
        for (size_t c = 0; c < g->columns; c++) {
            const char *s = cell_at(g, r, c);
            double x;
            if (!*s)
                json_out_null(&j, g->keys[c]);
            else if (is_numeric(g, c) && num_parse_plain(s, strlen(s), &x))
                json_out_number(&j, g->keys[c], x);
            else
                json_out_text(&j, g->keys[c], s);
        }
        json_out_end(&j, '}');
    }
    json_out_end(&j, ']');
}

static void put_csv(struct buf *b, const struct grid *g) {
    for (size_t c = 0; c < g->columns; c++)
        buf_printf(b, "%s%s", c ? "," : "", g->keys[c]);
    buf_putc(b, '\n');
    for (size_t r = 0; r < rows_of(g); r++) {
        for (size_t c = 0; c < g->columns; c++) {
            if (c)
                buf_putc(b, ',');
            text_csv_cell(b, cell_at(g, r, c));
        }
        buf_putc(b, '\n');
    }
}

static void put_markdown(struct buf *b, const struct grid *g) {
    buf_putc(b, '|');
    for (size_t c = 0; c < g->columns; c++)
        buf_printf(b, " %s |", g->keys[c]);
    buf_puts(b, "\n|");
    for (size_t c = 0; c < g->columns; c++)
        buf_puts(b, is_numeric(g, c) ? " ---: |" : " --- |");
    buf_putc(b, '\n');
    for (size_t r = 0; r < rows_of(g); r++) {
        buf_putc(b, '|');
        for (size_t c = 0; c < g->columns; c++) {
            buf_putc(b, ' ');
            text_markdown_cell(b, cell_at(g, r, c));
            buf_puts(b, " |");
        }
        buf_putc(b, '\n');
    }
}

/* ---- for people: headings instead of keys, no empty columns, no wider than the screen ---- */

enum { GAP = 2, LEAST_TEXT = 10 };

struct text_columns {
    int *width; /* 0 = not shown */
    bool *right;
    const char **rest; /* of the line at hand: what is not written yet */
    size_t last;       /* shown */
};

static const char *heading_of(const struct grid *g, size_t column) {
    return g->headings ? g->headings[column] : g->keys[column];
}

static bool is_shown(const struct grid *g, size_t column) {
    if (!g->headings)
        return true;
    for (size_t r = 0; g->headings[column] && r < rows_of(g); r++)
        if (*cell_at(g, r, column))
            return true;
    return false;
}

static int width_of(const struct grid *g, size_t column) {
    int width = text_width(heading_of(g, column));
    for (size_t r = 0; r < rows_of(g); r++) {
        int w = text_width(cell_at(g, r, column));
        if (w > width)
            width = w;
    }
    return width;
}

static int excess(const struct grid *g, const struct text_columns *t, int screen) {
    int used = -GAP;
    for (size_t c = 0; c < g->columns; c++)
        used += t->width[c] > 0 ? t->width[c] + GAP : 0;
    return used - screen;
}

/* The widest text gives way, column by column, until all is on the screen or every text is as narrow as it can be. */
static void narrow(const struct grid *g, struct text_columns *t, int screen) {
    for (int over = excess(g, t, screen); over > 0; over--) {
        size_t widest = g->columns;
        for (size_t c = 0; c < g->columns; c++)
            if (!t->right[c] && t->width[c] > LEAST_TEXT && (widest == g->columns || t->width[c] > t->width[widest]))
                widest = c;
        if (widest == g->columns)
            return;
        t->width[widest]--;
    }
}

/* How much of a text goes on a line: to the last blank, a word that is too long to its end of the column. */
static size_t piece(const char *text, int width) {
    size_t len = text_fit(text, width, NULL), blank = len;
    if (text[len] == '\0' || text[len] == ' ')
        return len;
    while (blank > 0 && text[blank - 1] != ' ')
        blank--;
    return blank > 0 ? blank : len > 0 ? len : 1;
}

static void put_cell(struct buf *b, const struct style *style, const char **rest, int width, bool right, bool last) {
    size_t len = piece(*rest, width), shown = len;
    while (shown > 0 && (*rest)[shown - 1] == ' ')
        shown--;
    struct buf text = {0};
    buf_put(&text, *rest, shown);
    int pad = width - (shown > 0 ? text_width(text.data) : 0);
    if (right && pad > 0)
        buf_pad(b, ' ', (size_t)pad);
    if (shown > 0)
        style_put(b, style, text.data);
    if (!right && !last && pad > 0)
        buf_pad(b, ' ', (size_t)pad);
    buf_free(&text);
    *rest += len + strspn(*rest + len, " ");
}

/* One row of the grid: as many lines as its longest text needs. */
static void put_row(struct buf *b, const struct text_columns *t, const struct style *style) {
    for (bool more = true; more;) {
        more = false;
        for (size_t c = 0; c <= t->last; c++) {
            if (t->width[c] == 0)
                continue;
            put_cell(b, style, &t->rest[c], t->width[c], t->right[c], c == t->last);
            if (c < t->last)
                buf_pad(b, ' ', GAP);
            more |= *t->rest[c] != '\0';
        }
        while (b->len > 0 && b->data[b->len - 1] == ' ')
            b->data[--b->len] = '\0';
        if (more)
            buf_putc(b, '\n');
    }
}

static void put_text(struct buf *b, const struct grid *g, const struct style *style) {
    struct text_columns t = {mem_zero(g->columns, sizeof *t.width), mem_zero(g->columns, sizeof *t.right),
                             mem_zero(g->columns, sizeof *t.rest), 0};
    for (size_t c = 0; c < g->columns; c++) {
        t.width[c] = is_shown(g, c) ? width_of(g, c) : 0;
        t.right[c] = is_numeric(g, c);
        t.last = t.width[c] > 0 ? c : t.last;
        t.rest[c] = heading_of(g, c);
    }
    if (style->width > 0)
        narrow(g, &t, style->width);
    style_begin(b, style, EMPHASIS_HEAD);
    put_row(b, &t, style);
    style_end(b, style, EMPHASIS_HEAD);
    buf_putc(b, '\n');
    for (size_t r = 0; r < rows_of(g); r++) {
        for (size_t c = 0; c < g->columns; c++)
            t.rest[c] = cell_at(g, r, c);
        put_row(b, &t, style);
        buf_putc(b, '\n');
    }
    free(t.width);
    free(t.right);
    free(t.rest);
}

void grid_put(struct buf *b, const struct grid *g, enum grid_format format, const struct style *style) {
    switch (format) {
    case GRID_JSON:
        put_json(b, g);
        break;
    case GRID_CSV:
        put_csv(b, g);
        break;
    case GRID_MARKDOWN:
        put_markdown(b, g);
        break;
    default:
        put_text(b, g, style);
    }
}
