/* SPDX-License-Identifier: MIT */
/*
 * CSV with a header row, read with libcsv, which gives no line numbers: records and newlines are counted here. Cells are raw
 * bytes as found (not cleaned), NUL-terminated, valid only during the call. CRLF and LF, a UTF-8 byte-order mark, quoted
 * newlines are fine. Where the header line has no comma, tabs or semicolons separate.
 */
#ifndef GPUPLAN_BASE_CSV_H
#define GPUPLAN_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/err.h"

enum { CSV_MAX_COLUMNS = 512, CSV_MAX_RECORD = 1 << 20 /* bytes; a longer record is an error naming its line */ };

struct csv_row {
    long line;   /* physical line where the record starts, from 1 */
    long record; /* from 1, header not counted */
    size_t count;
    /* `count` as found (at most CSV_MAX_COLUMNS + 1); a shorter row can still be read up to the header's count, as "" */
    const char *const *cells;
    const size_t *lengths;
    size_t consumed; /* bytes of the text that are not looked at again */
};

/*
 * Calls header() once, then row() for each record; blank lines are passed over. A callback that returns false stops the
 * reading and csv_read returns false with what the callback put in err. `name` is used in errors.
 */
struct csv_handler {
    bool (*header)(void *user, const struct csv_row *row, struct err *err); /* may be NULL */
    bool (*row)(void *user, const struct csv_row *row, struct err *err);
    void *user;
};
bool csv_read(const char *bytes, size_t len, const char *name, const struct csv_handler *handler, struct err *err);

/*
 * A whole small table (embedded data): columns by name. All text is cleaned and owned by the table.
 */
struct csv_table;
struct csv_table *csv_table_read(const char *bytes, size_t len, const char *name, struct err *err); /* NULL on error */
void csv_table_free(struct csv_table *t);
size_t csv_table_rows(const struct csv_table *t);
int csv_table_column(const struct csv_table *t, const char *name);             /* -1 if absent */
const char *csv_table_cell(const struct csv_table *t, size_t row, int column); /* "" if absent */
double csv_table_number(const struct csv_table *t, size_t row, int column); /* NUM_UNKNOWN if empty or not a number */
long csv_table_line(const struct csv_table *t, size_t row);

#endif
