/* SPDX-License-Identifier: MIT */
/* Calibrations as files, and what they change. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/csv.h"
#include "gpuplan/base/text.h"
#include "gpuplan/estimate/calibration.h"

static const char *const words[CALIBRATION_WHAT_COUNT] = {"assumption", "link_ring", "link_allreduce"};

static void put_number(struct buf *b, double x) {
    char text[40];
    num_format_plain(text, sizeof text, x, 6);
    buf_printf(b, ",%s", text);
}

void calibration_put(struct buf *b, const struct calibration *k) {
    buf_puts(b, "what,key,low,expected,high,count\n");
    for (int i = 0; i < k->count; i++) {
        const struct calibration_row *r = &k->rows[i];
        buf_printf(b, "%s,", words[r->what]);
        text_csv_cell(b, r->key);
        put_number(b, r->is.low);
        put_number(b, r->is.expected);
        put_number(b, r->is.high);
        buf_printf(b, ",%d\n", r->count);
    }
}

static bool read_row(const struct csv_table *t, size_t row, const int *columns, struct calibration_row *out,
                     struct err *err) {
    const char *what = csv_table_cell(t, row, columns[0]);
    int k = 0;
    while (k < CALIBRATION_WHAT_COUNT && strcmp(words[k], what) != 0)
        k++;
    if (k == CALIBRATION_WHAT_COUNT) {
        err_set(err, ERR_DATA, "\"%.40s\" is not one of assumption, link_ring, link_allreduce", what);
        return err_at(err, NULL, csv_table_line(t, row), 0, "what");
    }
    memset(out, 0, sizeof *out);
    out->what = (enum calibration_what)k;
    snprintf(out->key, sizeof out->key, "%s", csv_table_cell(t, row, columns[1]));
    out->is = (struct range){csv_table_number(t, row, columns[2]), csv_table_number(t, row, columns[3]),
                             csv_table_number(t, row, columns[4])};
    double count = csv_table_number(t, row, columns[5]);
    out->count = count >= 1 && count < 1e6 ? (int)count : 1;
    if (out->is.low > 0 && out->is.low <= out->is.expected && out->is.expected <= out->is.high && out->is.high < 1e9)
        return true;
    err_set(err, ERR_DATA, "wanted 0 < low <= expected <= high < 1e9");
    return err_at(err, NULL, csv_table_line(t, row), 0, out->key);
}

bool calibration_read(const char *bytes, size_t len, const char *name, struct calibration *out, struct err *err) {
    static const char *const names[] = {"what", "key", "low", "expected", "high", "count"};
    int columns[6];
    memset(out, 0, sizeof *out);
    struct csv_table *t = csv_table_read(bytes, len, name, err);
    if (!t)
        return false;
    bool good = true;
    for (int i = 0; i < 6 && good; i++) {
        columns[i] = csv_table_column(t, names[i]);
        if (columns[i] < 0 && i < 5)
            good = err_set(err, ERR_DATA, "no column %s: this is no calibration (`gpuplan calibrate` makes them)",
                           names[i]);
    }
    for (size_t i = 0; good && i < csv_table_rows(t); i++) {
        if (out->count == CALIBRATION_MAX)
            good = err_set(err, ERR_DATA, "more than %d rows", CALIBRATION_MAX);
        else
            good = read_row(t, i, columns, &out->rows[out->count++], err);
    }
    csv_table_free(t);
    return good || err_at(err, name, 0, 0, NULL);
}

static bool fail_key(struct err *err, const char *name, const char *key, const char *list) {
    err_set(err, ERR_DATA, "there is no such key; `gpuplan list %s` shows them", list);
    return err_at(err, name, 0, 0, key);
}

bool calibration_apply_links(const struct calibration *k, struct catalog *c, const char *name, struct err *err) {
    for (int i = 0; i < k->count; i++) {
        const struct calibration_row *r = &k->rows[i];
        if (r->what == CALIBRATION_ASSUMPTION)
            continue;
        const struct link_row *row = NULL;
        for (size_t n = 0; n < catalog_link_count(c) && !row; n++)
            if (strcmp(catalog_link_at(c, n)->key, r->key) == 0)
                row = catalog_link_at(c, n);
        bool ring = r->what == CALIBRATION_RING;
        if (!row || !catalog_link_set(c, r->key, ring ? r->is : row->ring_gbs, ring ? row->allreduce_gbs : r->is))
            return fail_key(err, name, r->key, "links");
    }
    return true;
}

bool calibration_apply_assumptions(const struct calibration *k, struct assumptions *a, const char *name,
                                   struct err *err) {
    for (int i = 0; i < k->count; i++) {
        const struct calibration_row *r = &k->rows[i];
        if (r->what != CALIBRATION_ASSUMPTION)
            continue;
        const struct assumption *known = assume_find(r->key);
        if (!known)
            return fail_key(err, name, r->key, "assumptions");
        a->v[known->id] = r->is;
        a->source[known->id] = PROVENANCE_MEASURED;
        a->generation++;
    }
    return true;
}
