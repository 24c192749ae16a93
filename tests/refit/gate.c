/* SPDX-License-Identifier: MIT */
/* The accuracy gate: what the committed constants came to when tests/accuracy_baseline.csv was written, against now. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/csv.h"
#include "refit/refit.h"

static const double whole_may = 1.05, part_may = 1.10; /* times the old median */
static const double rounding = 0.05;                   /* points: the file has one more digit than people read */
static const char whole[] = "all";

static void write_line(const char *kind, const char *cut, const char *value, const struct part_figures *f,
                       struct buf *out) {
    if (f->n >= GATE_LEAST_ROWS) {
        buf_printf(out, "%s,%s,\"%s\",%d,%.3f\n", kind, cut, value, f->n, f->median);
    }
}

void gate_write(const char *kind, const struct validation *v, struct buf *out) {
    char values[64][48];
    struct part_figures f = part_figures(v, CUT_SOURCE, NULL, false);

    if (out->len == 0) {
        buf_puts(out, "kind,cut,part,n,median\n");
    }
    write_line(kind, whole, "", &f, out);
    for (int c = 0; c < CUT_COUNT; c++) {
        int count = cut_values(v, (enum cut)c, values, 64);
        for (int k = 0; k < count; k++) {
            f = part_figures(v, (enum cut)c, values[k], false);
            write_line(kind, cut_name((enum cut)c), values[k], &f, out);
        }
    }
}

static enum cut cut_find(const char *name) {
    int c = 0;

    while (c < CUT_COUNT && strcmp(cut_name((enum cut)c), name) != 0) {
        c++;
    }
    return (enum cut)c;
}

int gate_check(const char *kind, const struct validation *v, const char *baseline, size_t len, struct buf *complaints,
               struct err *err) {
    struct csv_table *t = csv_table_read(baseline, len, "accuracy_baseline.csv", err);
    int looked = 0;

    for (size_t i = 0; t != NULL && i < csv_table_rows(t); i++) {
        const char *cut = csv_table_cell(t, i, csv_table_column(t, "cut"));
        const char *value = csv_table_cell(t, i, csv_table_column(t, "part"));
        double before = csv_table_number(t, i, csv_table_column(t, "median"));
        bool all = strcmp(cut, whole) == 0;
        enum cut c = all ? CUT_SOURCE : cut_find(cut);
        if (strcmp(csv_table_cell(t, i, csv_table_column(t, "kind")), kind) != 0 || c == CUT_COUNT) {
            continue;
        }
        struct part_figures f = part_figures(v, c, all ? NULL : value, false);
        looked++;
        if (!(f.median <= before * (all ? whole_may : part_may) + rounding)) {
            buf_printf(complaints, "%s, %s %s: median error %.2f %% before, %.2f %% now\n", kind, cut, value, before,
                       f.median);
        }
    }
    csv_table_free(t);
    return looked;
}
