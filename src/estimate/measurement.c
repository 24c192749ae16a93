/* SPDX-License-Identifier: MIT */
/* A measurements file: bytes to rows. What a row means is measurement_case.c, what its notes mean measurement_notes.c. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/measurement_internal.h"
#include "gpuplan/base/csv.h"
#include "gpuplan/base/text.h"

/* A row holds a whole job (8 KB); published collections have hundreds to thousands. */
enum { MAX_ROWS = 20000 };

enum cell_kind { CELL_TEXT, CELL_NUMBER, CELL_COUNT, CELL_RATE /* a number, or INF */ };

struct column {
    const char *name;
    enum cell_kind kind;
    double least, most;
};

static const struct column columns[COLUMN_COUNT] = {
#define COLUMN(id, name, kind, least, most) {name, kind, least, most},
    MEASUREMENT_COLUMNS(COLUMN)
#undef COLUMN
};

const char *const measurement_columns[] = {
#define COLUMN(id, name, kind, least, most) name,
    MEASUREMENT_COLUMNS(COLUMN)
#undef COLUMN
        NULL,
};

static const char *const metrics[METRIC_COUNT] = {
    "tokens_per_s",
    "step_s",
    "peak_gib",
    "fits",
    "output_tokens_per_s",
    "decode_tokens_per_s",
    "prefill_tokens_per_s",
    "total_tokens_per_s",
    "requests_per_s",
    "ttft_ms",
    "itl_ms",
    "e2e_ms",
};

const char *metric_name(enum metric m) {
    return (unsigned)m < METRIC_COUNT ? metrics[m] : "unknown";
}

static int metric_find(const char *word) {
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (text_equal_fold(word, metrics[i])) {
            return i;
        }
    }
    return -1;
}

/* Truth of a `fits` row. -1: no word of these. */
static int verdict_find(const char *word) {
    static const struct {
        const char *word;
        int value;
    } verdicts[] = {{"yes", 1}, {"no", 0}, {"true", 1}, {"false", 0}, {"fits", 1}, {"oom", 0}, {"1", 1}, {"0", 0}};
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        if (text_equal_fold(word, verdicts[i].word)) {
            return verdicts[i].value;
        }
    }
    return -1;
}

struct reader {
    const struct catalog *catalog;
    const struct models *models;
    struct measurements *out;
    size_t capacity;
    int at[COLUMN_COUNT]; /* cell of each column; -1 = the file lacks it */
};

void measurement_warn(const struct doubts *d, const char *format, ...) {
    struct measurements *set = d->set;
    const int most = (int)(sizeof set->warnings / sizeof set->warnings[0]);
    char text[sizeof set->warnings[0]];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (int i = 0; i < set->warning_count; i++) {
        const char *said = strstr(set->warnings[i], ": ");
        if (said != NULL && strncmp(said + 2, text, strlen(said + 2)) == 0) {
            return;
        }
    }
    if (set->warning_count < most) {
        char *slot = set->warnings[set->warning_count++];
        int used = snprintf(slot, sizeof text, "line %ld: ", d->line);
        size_t left = sizeof text - (size_t)used;
        memcpy(slot + used, text, strnlen(text, left - 1));
        slot[(size_t)used + strnlen(text, left - 1)] = '\0';
    }
}

static bool read_header(void *user, const struct csv_row *row, struct err *err) {
    struct reader *r = user;

    for (int c = 0; c < COLUMN_COUNT; c++) {
        r->at[c] = -1;
        for (size_t i = 0; i < row->count; i++) {
            const char *name = row->cells[i];
            size_t len = row->lengths[i];
            text_trim(&name, &len);
            if (r->at[c] < 0 && strlen(columns[c].name) == len && strncmp(name, columns[c].name, len) == 0) {
                r->at[c] = (int)i;
            }
        }
    }
    static const enum measurement_column needed[] = {COLUMN_GPU, COLUMN_METRIC, COLUMN_VALUE};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (r->at[needed[i]] < 0) {
            err_set(err, ERR_DATA, "not a measurements file: it has no column '%s' (gpu, metric and value are needed)",
                    columns[needed[i]].name);
            return err_at(err, NULL, row->line, 0, columns[needed[i]].name);
        }
    }
    return true;
}

/* Clean, trimmed, owned by the set. */
static const char *keep_cell(struct reader *r, const struct csv_row *row, int column) {
    char clean[512];
    const char *s;
    size_t len;

    if (r->at[column] < 0 || (size_t)r->at[column] >= row->count) {
        return "";
    }
    s = row->cells[r->at[column]];
    len = row->lengths[r->at[column]];
    text_trim(&s, &len);
    if (len == 0) {
        return "";
    }
    len = text_clean(clean, sizeof clean, s, len);
    return arena_strndup(r->out->arena, clean, len);
}

static double read_number(const struct column *c, const char *text, const struct doubts *d) {
    double x;

    if (*text == '\0' || c->kind == CELL_TEXT) {
        return NUM_UNKNOWN;
    }
    if (c->kind == CELL_RATE && text_equal_fold(text, "inf")) {
        return (double)INFINITY;
    }
    if (!num_parse_plain(text, strlen(text), &x) || x < c->least || x > c->most ||
        (c->kind == CELL_COUNT && x != floor(x))) {
        measurement_warn(d, "%s '%.40s' is not a %s from %g to %g: taken as not stated", c->name, text,
                         c->kind == CELL_COUNT ? "whole number" : "number", c->least, c->most);
        return NUM_UNKNOWN;
    }
    return x;
}

/* NULL, or why the row says nothing. */
static const char *read_value(const struct cells *row, struct measurement *m) {
    int metric = metric_find(row->text[COLUMN_METRIC]);
    const char *value = row->text[COLUMN_VALUE];

    if (metric < 0) {
        return *row->text[COLUMN_METRIC] == '\0' ? "no metric" : "unknown metric";
    }
    m->metric = (enum metric)metric;
    if (*value == '\0') {
        return "no value";
    }
    if (m->metric == METRIC_FITS) {
        m->value = verdict_find(value);
        return m->value < 0 ? "value is neither yes nor no" : NULL;
    }
    if (!num_parse_plain(value, strlen(value), &m->value) || m->value <= 0 || m->value > 1e15) {
        m->value = NUM_UNKNOWN;
        return "value is not a positive number";
    }
    return NULL;
}

static void name_row(struct reader *r, const struct cells *row, long record, struct measurement *m) {
    char made[32];

    m->id = row->text[COLUMN_ID];
    if (*m->id == '\0') {
        snprintf(made, sizeof made, "row%ld", record);
        m->id = arena_strdup(r->out->arena, made);
    }
    m->kind = row->text[COLUMN_KIND];
    m->series = row->text[COLUMN_SERIES];
    m->source = row->text[COLUMN_SOURCE];
    m->model = row->text[COLUMN_MODEL];
    m->quality = row->text[COLUMN_QUALITY];
    m->mode = row->text[COLUMN_MODE];
    m->notes = row->text[COLUMN_NOTES];
    m->year = cell_count(row, COLUMN_YEAR, 0);
    m->metric = METRIC_COUNT;
    m->value = NUM_UNKNOWN;
}

static bool read_row(void *user, const struct csv_row *row, struct err *err) {
    struct reader *r = user;
    struct doubts d = {r->out, row->line};
    struct cells cells;
    struct measurement *m;

    if (r->out->count >= MAX_ROWS) {
        err_set(err, ERR_DATA, "more than %d measurements in one file", MAX_ROWS);
        return err_at(err, NULL, row->line, row->record, NULL);
    }
    for (int c = 0; c < COLUMN_COUNT; c++) {
        cells.text[c] = keep_cell(r, row, c);
        cells.number[c] = read_number(&columns[c], cells.text[c], &d);
    }
    r->out->rows = mem_grow(r->out->rows, &r->capacity, r->out->count + 1, sizeof *m);
    m = &r->out->rows[r->out->count++];
    memset(m, 0, sizeof *m);
    m->line = row->line;
    name_row(r, &cells, row->record, m);
    m->skipped = read_value(&cells, m);
    if (m->skipped == NULL) {
        m->skipped = measurement_to_case(r->catalog, r->models, &cells, &d, m);
    }
    if (*m->kind == '\0') {
        m->kind = m->metric == METRIC_PEAK_GIB || m->metric == METRIC_FITS ? "memory"
                  : m->job.task == TASK_INFERENCE                          ? "infer"
                                                                           : "train";
    }
    return true;
}

bool measurements_read(const struct catalog *c, const struct models *models, const char *bytes, size_t len,
                       const char *name, struct measurements *out, struct err *err) {
    struct reader r = {.catalog = c, .models = models, .out = out};
    const struct csv_handler handler = {read_header, read_row, &r};

    memset(out, 0, sizeof *out);
    out->arena = arena_new();
    bool good = csv_read(bytes, len, name, &handler, err);
    if (good && out->count == 0)
        good = err_set(err, ERR_DATA, "no measurement in this file");
    if (!good) {
        err_at(err, name, 0, 0, NULL);
        measurements_free(out);
    }
    return good;
}

void measurements_free(struct measurements *m) {
    free(m->rows);
    arena_free(m->arena);
    memset(m, 0, sizeof *m);
}
