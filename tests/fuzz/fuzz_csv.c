/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "gpuplan/base/csv.h"
#include "gpuplan/base/text.h"

struct seen {
    long line, record;
    size_t header;
};

static bool see_header(void *user, const struct csv_row *row, struct err *err) {
    struct seen *seen = user;
    (void)err;
    FUZZ_ASSERT(row->count > 0 && row->count <= CSV_MAX_COLUMNS && row->line > 0);
    seen->header = row->count;
    seen->line = row->line;
    return true;
}

static bool see_row(void *user, const struct csv_row *row, struct err *err) {
    struct seen *seen = user;
    (void)err;
    FUZZ_ASSERT(row->record == ++seen->record && row->line >= seen->line);
    seen->line = row->line;
    size_t readable = row->count > seen->header ? row->count : seen->header;
    for (size_t i = 0; i < readable; i++)
        FUZZ_ASSERT(row->cells[i][row->lengths[i]] == '\0');
    return true;
}

FUZZ(csv)
{
    struct seen seen = {0};
    struct csv_handler handler = {see_header, see_row, &seen};
    struct err err = {0};
    bool done = csv_read(bytes, len, "fuzz.csv", &handler, &err);
    FUZZ_ASSERT(done == (err.code == ERR_NONE));
    struct csv_table *t = csv_table_read(bytes, len, "fuzz.csv", NULL);
    for (size_t row = 0; t != NULL && row < csv_table_rows(t); row++) {
        const char *cell = csv_table_cell(t, row, (int)(row % seen.header));
        FUZZ_ASSERT(text_is_clean(cell, strlen(cell)));
        csv_table_number(t, row, 0);
    }
    csv_table_free(t);
    return 0;
}
