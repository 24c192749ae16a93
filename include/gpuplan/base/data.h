/* SPDX-License-Identifier: MIT */
/*
 * The files of data/, compiled in with .incbin, overlaid row by row by files of the same name in --data DIR or the
 * XDG data folder: a row of the overlay with the same key (first column) replaces, another one adds. Overlay bytes
 * are handed in by io/ or cli/ through data_overlay(); this module opens no file.
 */
#ifndef GPUPLAN_BASE_DATA_H
#define GPUPLAN_BASE_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/err.h"

struct blob {
    const char *bytes;
    size_t len;
};

bool data_builtin(const char *name, struct blob *out); /* "gpus.csv" …; false if there is no such file */
const char *const *data_names(size_t *count);
void data_overlay(const char *name, const char *bytes, size_t len); /* bytes are copied */
bool data_overlaid(const char *name, struct blob *out);             /* false if none was given */
void data_overlay_clear(void);

/*
 * A table of data/ with its overlay laid over it. Cells are found by the place of their name in `columns`, which
 * must outlive the table; a column that a file lacks is empty. Text is clean and owned by the table. The first
 * column is the key.
 */
struct data_table;
struct data_table *data_table_load(const char *name, const char *const *columns, size_t count,
                                   struct err *err); /* NULL on error */
void data_table_free(struct data_table *t);          /* NULL is fine */
size_t data_table_rows(const struct data_table *t);
const char *data_table_cell(const struct data_table *t, size_t row, size_t column);
/*
 * An empty cell gives `absent`; what is no number or outside of low..high is an error that names file, line and
 * column.
 */
bool data_table_number(const struct data_table *t, size_t row, size_t column, double low, double high, double absent,
                       double *out, struct err *err);
/* Adds file, line and column to what err_set() put into err; returns false. */
bool data_table_at(const struct data_table *t, size_t row, size_t column, struct err *err);

#endif
