/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/csv.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"

struct csv_table {
    struct arena *arena;
    const char *name; /* as given; used only while reading */
    size_t columns, rows, cap, line_cap;
    const char **header;
    const char **cells; /* rows × columns */
    long *lines;
};

static const char *clean_copy(struct arena *a, const char *s, size_t len) {
    if (len == 0)
        return "";
    if (text_is_clean(s, len))
        return arena_strndup(a, s, len);
    size_t cap = len * 5 + 1; /* one byte becomes at most \x1b, two at most \u{NNNN} */
    char *wide = mem_alloc(cap);
    const char *copy = arena_strndup(a, wide, text_clean(wide, cap, s, len));
    free(wide);
    return copy;
}

static const char *clean_cell(struct arena *a, const struct csv_row *row, size_t i) {
    const char *s = row->cells[i];
    size_t len = row->lengths[i];
    text_trim(&s, &len);
    return clean_copy(a, s, len);
}

static bool take_header(void *user, const struct csv_row *row, struct err *err) {
    struct csv_table *t = user;
    t->columns = row->count;
    t->header = arena_alloc(t->arena, row->count * sizeof *t->header);
    for (size_t i = 0; i < row->count; i++) {
        t->header[i] = clean_cell(t->arena, row, i);
        for (size_t j = 0; j < i; j++) {
            if (t->header[i][0] != '\0' && strcmp(t->header[i], t->header[j]) == 0) {
                err_set(err, ERR_DATA, "column given twice");
                return err_at(err, t->name, row->line, 0, t->header[i]);
            }
        }
    }
    return true;
}

static bool take_row(void *user, const struct csv_row *row, struct err *err) {
    struct csv_table *t = user;
    if (row->count > t->columns) {
        err_set(err, ERR_DATA, "%zu cells under %zu column names", row->count, t->columns);
        return err_at(err, t->name, row->line, row->record, NULL);
    }
    t->cells = mem_grow(t->cells, &t->cap, (t->rows + 1) * t->columns, sizeof *t->cells);
    t->lines = mem_grow(t->lines, &t->line_cap, t->rows + 1, sizeof *t->lines);
    for (size_t i = 0; i < t->columns; i++)
        t->cells[t->rows * t->columns + i] = clean_cell(t->arena, row, i);
    t->lines[t->rows++] = row->line;
    return true;
}

struct csv_table *csv_table_read(const char *bytes, size_t len, const char *name, struct err *err) {
    struct csv_table *t = mem_zero(1, sizeof *t);
    t->arena = arena_new();
    t->name = name;
    struct csv_handler handler = {take_header, take_row, t};
    bool done = csv_read(bytes, len, name, &handler, err);
    if (done && t->columns == 0) {
        err_set(err, ERR_DATA, "no header row");
        done = err_at(err, name, 0, 0, NULL);
    }
    if (!done) {
        csv_table_free(t);
        return NULL;
    }
    t->name = NULL;
    return t;
}

void csv_table_free(struct csv_table *t) {
    if (t == NULL)
        return;
    arena_free(t->arena);
    free(t->cells);
    free(t->lines);
    free(t);
}

size_t csv_table_rows(const struct csv_table *t) {
    return t->rows;
}

int csv_table_column(const struct csv_table *t, const char *name) {
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp(t->header[i], name) == 0)
            return (int)i;
    return -1;
}

const char *csv_table_cell(const struct csv_table *t, size_t row, int column) {
    if (row >= t->rows || column < 0 || (size_t)column >= t->columns)
        return "";
    return t->cells[row * t->columns + (size_t)column];
}

double csv_table_number(const struct csv_table *t, size_t row, int column) {
    const char *cell = csv_table_cell(t, row, column);
    double x;
    return num_parse_plain(cell, strlen(cell), &x) ? x : NUM_UNKNOWN;
}

long csv_table_line(const struct csv_table *t, size_t row) {
    return row < t->rows ? t->lines[row] : 0;
}
