/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/csv.h"
#include "gpuplan/base/data.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"

enum { BUILTIN, OVERLAY, LAYERS };

struct place {
    int layer;
    size_t row;
};

struct data_table {
    const char *name;
    const char *const *columns;
    size_t column_count;
    struct csv_table *layer[LAYERS]; /* OVERLAY may be NULL */
    int *index[LAYERS];              /* column here -> column of the file */
    struct place *rows;
    size_t count, cap;
};

static void map_columns(struct data_table *t, int layer) {
    t->index[layer] = mem_zero(t->column_count, sizeof *t->index[layer]);
    for (size_t i = 0; i < t->column_count; i++)
        t->index[layer][i] = csv_table_column(t->layer[layer], t->columns[i]);
}

static void put_row(struct data_table *t, int layer, size_t row) {
    t->rows = mem_grow(t->rows, &t->cap, t->count + 1, sizeof *t->rows);
    t->rows[t->count++] = (struct place){layer, row};
}

static bool lay_over(struct data_table *t, struct err *err) {
    size_t builtin = t->count;
    if (t->index[OVERLAY][0] != 0) {
        err_set(err, ERR_DATA, "the first column must be %s", t->columns[0]);
        return err_at(err, t->name, 1, 0, NULL);
    }
    for (size_t row = 0; row < csv_table_rows(t->layer[OVERLAY]); row++) {
        const char *key = csv_table_cell(t->layer[OVERLAY], row, 0);
        size_t i = 0;
        while (i < builtin && !text_equal_fold(data_table_cell(t, i, 0), key))
            i++;
        if (i < builtin)
            t->rows[i] = (struct place){OVERLAY, row};
        else
            put_row(t, OVERLAY, row);
    }
    return true;
}

struct data_table *data_table_load(const char *name, const char *const *columns, size_t count, struct err *err) {
    struct data_table *t = mem_zero(1, sizeof *t);
    struct blob blob;
    *t = (struct data_table){.name = name, .columns = columns, .column_count = count};
    if (!data_builtin(name, &blob)) {
        err_set(err, ERR_DATA, "no such table: %s", name);
        goto fail;
    }
    t->layer[BUILTIN] = csv_table_read(blob.bytes, blob.len, name, err);
    if (t->layer[BUILTIN] == NULL)
        goto fail;
    map_columns(t, BUILTIN);
    for (size_t row = 0; row < csv_table_rows(t->layer[BUILTIN]); row++)
        put_row(t, BUILTIN, row);
    if (data_overlaid(name, &blob)) {
        t->layer[OVERLAY] = csv_table_read(blob.bytes, blob.len, name, err);
        if (t->layer[OVERLAY] == NULL)
            goto fail;
        map_columns(t, OVERLAY);
        if (!lay_over(t, err))
            goto fail;
    }
    return t;
fail:
    data_table_free(t);
    return NULL;
}

void data_table_free(struct data_table *t) {
    if (t == NULL)
        return;
    for (int i = 0; i < LAYERS; i++) {
        csv_table_free(t->layer[i]);
        free(t->index[i]);
    }
    free(t->rows);
    free(t);
}

size_t data_table_rows(const struct data_table *t) {
    return t->count;
}

const char *data_table_cell(const struct data_table *t, size_t row, size_t column) {
    if (row >= t->count || column >= t->column_count)
        return "";
    struct place p = t->rows[row];
    return csv_table_cell(t->layer[p.layer], p.row, t->index[p.layer][column]);
}

bool data_table_at(const struct data_table *t, size_t row, size_t column, struct err *err) {
    long line = row < t->count ? csv_table_line(t->layer[t->rows[row].layer], t->rows[row].row) : 0;
    return err_at(err, t->name, line, 0, column < t->column_count ? t->columns[column] : NULL);
}

bool data_table_number(const struct data_table *t, size_t row, size_t column, double low, double high, double absent,
                       double *out, struct err *err) {
    const char *cell = data_table_cell(t, row, column);
    double x = absent;
    *out = absent;
    if (*cell == '\0')
        return true;
    if (!num_parse_plain(cell, strlen(cell), &x) || x < low || x > high) {
        err_set(err, ERR_DATA, "'%s' is not a number from %g to %g", cell, low, high);
        return data_table_at(t, row, column, err);
    }
    *out = x;
    return true;
}
