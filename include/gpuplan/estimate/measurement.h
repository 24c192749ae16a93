/* SPDX-License-Identifier: MIT */
/*
 * Measured runs: rows of a CSV with the columns of docs/measurements.md, turned into a case that the evaluator can be asked
 * about: what the row states is pinned, what it leaves empty is searched as the program would. An unknown word is an empty
 * field with a warning, never a skipped row.
 */
#ifndef GPUPLAN_ESTIMATE_MEASUREMENT_H
#define GPUPLAN_ESTIMATE_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/estimate/estimate.h"

enum metric {
    METRIC_TOKENS_PER_S,
    METRIC_STEP_S,
    METRIC_PEAK_GIB,
    METRIC_FITS,
    METRIC_OUTPUT_TOKENS_PER_S,
    METRIC_DECODE_TOKENS_PER_S,
    METRIC_PREFILL_TOKENS_PER_S,
    METRIC_TOTAL_TOKENS_PER_S,
    METRIC_REQUESTS_PER_S,
    METRIC_TTFT_MS,
    METRIC_ITL_MS,
    METRIC_E2E_MS,
    METRIC_COUNT
};
const char *metric_name(enum metric m);

struct measurement {
    const char *id, *kind, *series, *source, *model, *quality, *mode, *notes; /* owned by the set; "" = not stated */
    int year;                                                                 /* 0 = not stated */
    enum metric metric;
    double value; /* metric fits: 1 = yes, 0 = no */
    long line;
    struct job job; /* a pin of 0 (zero, seq_parallel: -1) is completed by measurement_predict() */
    struct shape shape;
    const char *skipped; /* static reason, or NULL */
};
/* Columns of a measurements file, for docs, tests and the fuzzer; NULL-terminated. */
extern const char *const measurement_columns[];

struct measurements {
    struct measurement *rows;
    size_t count;
    struct arena *arena;
    char warnings[32][160];
    int warning_count;
};
/* models may be NULL; with it, what the columns cannot say (windows, MLA) comes from the preset of the same shape. */
bool measurements_read(const struct catalog *c, const struct models *models, const char *bytes, size_t len,
                       const char *name, struct measurements *out, struct err *err);
void measurements_free(struct measurements *m);

/* What the evaluator says about a row. Unknown expected value: not predicted (why says it). */
struct prediction {
    struct range value;
    enum fit fit;
    const char *why; /* static; NULL when predicted */
    struct estimate estimate;
};
void measurement_predict(const struct catalog *c, const struct measurement *m, const struct assumptions *a,
                         struct prediction *out);

#endif
