/* SPDX-License-Identifier: MIT */
#include "gpuplan/estimate/engine.h"

#include <string.h>

#include "gpuplan/base/csv.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/estimate/estimate.h"

static const struct engine engines[] = {
#include "gpuplan/estimate/engine_table.inc"
};
enum { ENGINE_COUNT = sizeof engines / sizeof engines[0] };

/* The constants' columns of data/engines.csv, in the order of enum engine_constant. */
static const char *const constant_columns[ENGINE_CONSTANT_COUNT] = {"layer_us", "step_ms",   "sequence_us", "attention",
                                                                    "compute",  "bandwidth", "sm_bytes"};

const struct engine *engine_table(size_t *count) {
    *count = ENGINE_COUNT;
    return engines;
}

static bool engine_covers(const struct engine *e, int year) {
    if (year == 0) {
        return e->year_to == 0;
    }
    return year >= e->year_from && (e->year_to == 0 || year <= e->year_to);
}

const struct engine *engine_find(const char *name, int year) {
    for (size_t i = 0; i < ENGINE_COUNT; i++) {
        if (text_equal_fold(engines[i].name, name) && engine_covers(&engines[i], year)) {
            return &engines[i];
        }
    }
    return &engines[0];
}

bool engine_known(const char *name) {
    for (size_t i = 0; i < ENGINE_COUNT; i++) {
        if (text_equal_fold(engines[i].name, name)) {
            return true;
        }
    }
    return false;
}

bool engine_check(const char *name, struct err *err) {
    const char *names[ENGINE_COUNT];
    struct buf allowed = {0};
    size_t count = 0;

    if (name[0] == '\0' || engine_known(name)) {
        return true;
    }
    for (size_t i = 0; i < ENGINE_COUNT; i++) {
        if (engine_find(engines[i].name, 0) != &engines[i]) {
            continue; /* an older version of one that stands there */
        }
        names[count++] = engines[i].name;
        buf_printf(&allowed, "%s%s", count > 1 ? ", " : "", engines[i].name);
    }
    const char *near = text_nearest(name, names, count);
    if (near != NULL) {
        err_set(err, ERR_USAGE, "unknown engine \"%s\", did you mean %s?", name, near);
    } else {
        err_set(err, ERR_USAGE, "unknown engine \"%s\"; allowed are %s", name, allowed.data);
    }
    buf_free(&allowed);
    return err_at(err, NULL, 0, 0, "engine");
}

const struct engine *engine_of_job(const struct job *j) {
    if (j->engine[0] == '\0' && j->weights >= WEIGHTS_Q8_0) {
        return engine_find("llama.cpp", j->software_year);
    }
    return engine_find(j->engine, j->software_year);
}

static const struct engine *engine_by_key(const char *key) {
    for (size_t i = 0; i < ENGINE_COUNT; i++) {
        if (strcmp(engines[i].key, key) == 0) {
            return &engines[i];
        }
    }
    return NULL;
}

/* The range keeps its width around the new value. */
static void overlay_constant(struct assumptions *a, int id, double x) {
    struct range *v = &a->v[id];
    double ratio = v->expected > 0 ? x / v->expected : 1;

    *v = (struct range){v->low * ratio, x, v->high * ratio};
    a->source[id] = PROVENANCE_DECLARED;
}

static bool overlay_row(struct assumptions *a, const struct csv_table *t, size_t row, const char *name,
                        struct err *err) {
    const double largest = 1e6; /* of any column: us, ms, shares */
    const struct engine *e = engine_by_key(csv_table_cell(t, row, 0));

    if (e == NULL) {
        err_set(err, ERR_DATA,
                "no engine row is called '%s'; an overlay may only change the rows of the built-in table",
                csv_table_cell(t, row, 0));
        return err_at(err, name, csv_table_line(t, row), (long)row + 1, "key");
    }
    for (int k = 0; k < ENGINE_CONSTANT_COUNT; k++) {
        int column = csv_table_column(t, constant_columns[k]);
        if (column < 0 || csv_table_cell(t, row, column)[0] == '\0') {
            continue;
        }
        double x = csv_table_number(t, row, column);
        if (!num_known(x) || x < 0 || x > largest) {
            err_set(err, ERR_DATA, "'%s' is not a number from 0 to 1000000", csv_table_cell(t, row, column));
            return err_at(err, name, csv_table_line(t, row), (long)row + 1, constant_columns[k]);
        }
        overlay_constant(a, (int)e->constants + k, x);
    }
    return true;
}

bool engines_overlay(struct assumptions *a, const char *bytes, size_t len, const char *name, struct err *err) {
    struct csv_table *t = csv_table_read(bytes, len, name, err);
    bool done = t != NULL;

    if (done && csv_table_column(t, "key") != 0) {
        err_set(err, ERR_DATA, "the first column must be 'key'");
        done = err_at(err, name, 1, 0, "key");
    }
    for (size_t row = 0; done && row < csv_table_rows(t); row++) {
        done = overlay_row(a, t, row, name, err);
    }
    a->generation++;
    csv_table_free(t);
    return done;
}
