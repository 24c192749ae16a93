/* SPDX-License-Identifier: MIT */
/* keys.csv: which constants a fit may move, and how far. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/csv.h"
#include "gpuplan/base/text.h"
#include "gpuplan/io/io.h"
#include "refit/refit.h"

/* "engine.*.step_ms" stands for that constant of every engine. */
static bool matches(const char *pattern, const char *key) {
    const char *star = strchr(pattern, '*');
    size_t before, after;

    if (star == NULL) {
        return text_equal_fold(pattern, key);
    }
    before = (size_t)(star - pattern);
    after = strlen(star + 1);
    return strlen(key) >= before + after && strncmp(pattern, key, before) == 0 &&
           strcmp(star + 1, key + strlen(key) - after) == 0;
}

/* A later line about a key replaces an earlier one. */
static bool add_keys(const char *pattern, struct fit_key k, struct fit_keys *out) {
    const struct assumption *table = assume_table();
    bool any = false;

    for (int i = 0; i < ASSUME_COUNT; i++) {
        if (!matches(pattern, table[i].key)) {
            continue;
        }
        int slot = 0;
        while (slot < out->count && out->key[slot].id != table[i].id) {
            slot++;
        }
        if (slot < FIT_KEYS) {
            k.id = table[i].id;
            out->key[slot] = k;
            out->count += slot == out->count;
            any = true;
        }
    }
    return any;
}

bool fit_keys_read(const char *path, const char *kind, struct fit_keys *out, struct err *err) {
    struct buf text = {0};
    struct csv_table *t =
        io_read(path, IO_MAX_SMALL, &text, err) ? csv_table_read(text.data, text.len, path, err) : NULL;
    bool good = t != NULL;

    out->count = 0;
    for (size_t i = 0; good && i < csv_table_rows(t); i++) {
        const char *key = csv_table_cell(t, i, csv_table_column(t, "key"));
        struct fit_key k = {.low = csv_table_number(t, i, csv_table_column(t, "low")),
                            .high = csv_table_number(t, i, csv_table_column(t, "high")),
                            .prior = csv_table_number(t, i, csv_table_column(t, "prior"))};
        if (strcmp(csv_table_cell(t, i, csv_table_column(t, "kind")), kind) != 0) {
            continue;
        }
        k.prior = num_known(k.prior) ? k.prior : sqrt(k.low * k.high);
        if (!(k.low > 0 && k.low < k.high && k.low <= k.prior && k.prior <= k.high)) {
            good = err_set(err, ERR_DATA, "needs 0 < low <= prior <= high");
        } else if (!add_keys(key, k, out)) {
            good = err_set(err, ERR_DATA, "'%.60s' is no assumption", key);
        }
        if (!good) {
            err_at(err, path, csv_table_line(t, i), (long)i + 1, key);
        }
    }
    csv_table_free(t);
    buf_free(&text);
    return good;
}
