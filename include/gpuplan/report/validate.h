/* SPDX-License-Identifier: MIT */
/*
 * Predicted against measured: every row of one or more measurement files, and what the errors add up to. JSON as in design.md
 * section 7.2. A validation keeps pointers into the measurements and assumptions handed in; they must outlive it.
 */
#ifndef GPUPLAN_REPORT_VALIDATE_H
#define GPUPLAN_REPORT_VALIDATE_H

#include "gpuplan/base/buf.h"
#include "gpuplan/estimate/measurement.h"

struct validate_row {
    const struct measurement *m;
    struct range predicted; /* expected NUM_UNKNOWN: not predicted, or metric fits */
    enum fit fit;
    const char *skipped; /* NULL, or why there is no prediction */
    double error_pct;    /* (predicted / measured - 1) in %; NUM_UNKNOWN for fits and skipped rows */
    bool inside;         /* measured within low..high; for fits: the verdict is right */
};

/* What a row is about inside its kind: its mode ("offline"), or its task where it has none ("lora"). */
const char *validate_part(const struct validate_row *r);

/* Which rows a summary is about; NULL and METRIC_COUNT = any. */
struct validate_filter {
    const char *kind, *part, *source;
    enum metric metric;
    const char *quality; /* letters: "A", "AB" */
};

struct validate_summary {
    int n, skipped; /* predicted, not predicted */
    double median_abs_error_pct,
        p90_abs_error_pct;                      /* over the n rows that are no verdict; NUM_UNKNOWN if there are none */
    double inside_range_pct;                    /* of the same rows */
    double median_width;                        /* high / low */
    double bias_pct;                            /* geometric mean of predicted / measured, less one */
    int verdicts, right, false_fits, false_nos; /* rows with metric fits; tight counts as it fits */
};

/* Scaling inside a series (tokens/s against GPUs) and order inside a job: what a ranking lives on. */
struct validate_order {
    int points;              /* rows of series beyond the smallest count */
    double efficiency_error; /* median, points of efficiency against the series' smallest count */
    double linear_error;     /* the same for perfect scaling */
    long pairs;              /* of one source, model, metric and load, measured over 10 % apart */
    double pairs_right_pct;
};

struct validation;
struct validation *validation_new(void);
void validation_free(struct validation *v);
void validation_add(struct validation *v, const struct catalog *c, const struct measurements *ms,
                    const struct assumptions *a);
/* One row whose prediction is known already. */
void validation_add_row(struct validation *v, const struct measurement *m, const struct prediction *p);
size_t validation_count(const struct validation *v);
const struct validate_row *validation_row(const struct validation *v, size_t i);
struct validate_summary validation_summary(const struct validation *v, const struct validate_filter *filter);
struct validate_order validation_order(const struct validation *v);

/* Distinct kinds, and distinct (kind, metric, part), in the order of their first row; returns how many. */
enum { VALIDATION_KINDS = 16, VALIDATION_LINES = 64 };
struct validate_line {
    const char *kind, *part;
    enum metric metric;
};
int validation_kinds(const struct validation *v, const char *kinds[VALIDATION_KINDS]);
int validation_lines(const struct validation *v, struct validate_line lines[VALIDATION_LINES]);
/* Distinct (kind, source); the source stands in `part`, the metric is METRIC_COUNT. Rows without a source are left out. */
int validation_sources(const struct validation *v, struct validate_line lines[VALIDATION_LINES]);

void validation_to_json(const struct validation *v, struct buf *out);
void validation_to_csv(const struct validation *v, struct buf *out);
/* Worst rows first, at most `top` of them (0 = all), then the summaries. */
void validation_to_table(const struct validation *v, int top, struct buf *out);
void validation_to_markdown(const struct validation *v, int top, struct buf *out);

#endif
