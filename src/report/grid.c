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
    size_t columns, count, cap;
    char **cells;
};

struct grid *grid_new(const char *const *keys, size_t columns) {
    struct grid *g = mem_zero(1, sizeof *g);
    g->keys = keys;
    g->columns = columns;
    return g;
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

static int width_of(const struct grid *g, size_t column) {
    int width = text_width(g->keys[column]);
    for (size_t r = 0; r < rows_of(g); r++) {
        int w = text_width(cell_at(g, r, column));
        if (w > width)
            width = w;
    }
    return width;
}

static void put_padded(struct buf *b, const struct style *style, const char *text, int width, bool right, bool last) {
    int pad = width - text_width(text);
    if (right && pad > 0)
        buf_pad(b, ' ', (size_t)pad);
    style_put(b, style, text);
    if (!right && !last && pad > 0)
        buf_pad(b, ' ', (size_t)pad);
}

static void put_text(struct buf *b, const struct grid *g, const struct style *style) {
    int *widths = mem_zero(g->columns, sizeof *widths);
    bool *right = mem_zero(g->columns, sizeof *right);
    for (size_t c = 0; c < g->columns; c++) {
        widths[c] = width_of(g, c);
        right[c] = is_numeric(g, c);
    }
    style_begin(b, style, EMPHASIS_HEAD);
    for (size_t c = 0; c < g->columns; c++) {
        if (c)
            buf_puts(b, "  ");
        put_padded(b, style, g->keys[c], widths[c], right[c], c + 1 == g->columns);
    }
    style_end(b, style, EMPHASIS_HEAD);
    buf_putc(b, '\n');
    for (size_t r = 0; r < rows_of(g); r++) {
        for (size_t c = 0; c < g->columns; c++) {
            if (c)
                buf_puts(b, "  ");
            put_padded(b, style, cell_at(g, r, c), widths[c], right[c], c + 1 == g->columns);
        }
        buf_putc(b, '\n');
    }
    free(widths);
    free(right);
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
