/* SPDX-License-Identifier: MIT */
/* Errors of predictions and what they add up to. How they are written: validate_write.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/validate.h"

struct validation {
    struct validate_row *rows;
    size_t count, capacity;
};

struct validation *validation_new(void) {
    return mem_zero(1, sizeof(struct validation));
}

void validation_free(struct validation *v) {
    if (v != NULL) {
        free(v->rows);
        free(v);
    }
}

size_t validation_count(const struct validation *v) {
    return v->count;
}
const struct validate_row *validation_row(const struct validation *v, size_t i) {
    return &v->rows[i];
}

static struct validate_row judge(const struct measurement *m, const struct prediction *p) {
    struct validate_row r = {.m = m, .predicted = p->value, .fit = p->fit, .skipped = p->why, .error_pct = NUM_UNKNOWN};

    if (p->why != NULL) {
        r.predicted = range_exact(NUM_UNKNOWN);
        return r;
    }
    if (m->metric == METRIC_FITS) {
        r.inside = (p->fit != FIT_NO) == (m->value > 0);
        return r;
    }
    r.error_pct = 100 * (p->value.expected / m->value - 1);
    r.inside = p->value.low <= m->value && m->value <= p->value.high;
    return r;
}

void validation_add_row(struct validation *v, const struct measurement *m, const struct prediction *p) {
    v->rows = mem_grow(v->rows, &v->capacity, v->count + 1, sizeof *v->rows);
    v->rows[v->count++] = judge(m, p);
}

void validation_add(struct validation *v, const struct catalog *c, const struct measurements *ms,
                    const struct assumptions *a) {
    struct prediction p;

    for (size_t i = 0; i < ms->count; i++) {
        measurement_predict(c, &ms->rows[i], a, &p);
        validation_add_row(v, &ms->rows[i], &p);
    }
}

/* ---- summaries ---- */

static bool word_matches(const char *wanted, const char *word) {
    return wanted == NULL || strcmp(wanted, word) == 0;
}

const char *validate_part(const struct validate_row *r) {
    if (*r->m->mode != '\0') {
        return r->m->mode;
    }
    return r->m->shape.gpu == NULL ? "" : task_name(r->m->job.task); /* without a shape the row was not understood */
}

static bool passes(const struct validate_row *r, const struct validate_filter *f) {
    const struct measurement *m = r->m;

    return word_matches(f->kind, m->kind) && word_matches(f->part, validate_part(r)) &&
           word_matches(f->source, m->source) && (f->metric == METRIC_COUNT || f->metric == m->metric) &&
           (f->quality == NULL || strstr(f->quality, m->quality) != NULL);
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double sorted_median(double *x, size_t n) {
    if (n == 0) {
        return NUM_UNKNOWN;
    }
    qsort(x, n, sizeof *x, compare_numbers);
    return n % 2 == 1 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static void count_verdict(const struct validate_row *r, struct validate_summary *s) {
    s->verdicts++;
    s->right += r->inside;
    s->false_fits += !r->inside && r->fit != FIT_NO;
    s->false_nos += !r->inside && r->fit == FIT_NO;
}

struct validate_summary validation_summary(const struct validation *v, const struct validate_filter *filter) {
    struct validate_summary s = {0};
    double *errors = mem_zero(v->count + 1, sizeof *errors), *widths = mem_zero(v->count + 1, sizeof *widths);
    double log_sum = 0;
    size_t n = 0, inside = 0;

    for (size_t i = 0; i < v->count; i++) {
        const struct validate_row *r = &v->rows[i];
        if (!passes(r, filter)) {
            continue;
        }
        if (r->skipped != NULL) {
            s.skipped++;
            continue;
        }
        s.n++;
        if (r->m->metric == METRIC_FITS) {
            count_verdict(r, &s);
            continue;
        }
        errors[n] = fabs(r->error_pct);
        widths[n++] = r->predicted.high / r->predicted.low;
        inside += r->inside;
        log_sum += log(r->predicted.expected / r->m->value);
    }
    s.median_abs_error_pct = sorted_median(errors, n);
    s.p90_abs_error_pct = n == 0 ? NUM_UNKNOWN : errors[(size_t)(.9 * (double)n)];
    s.inside_range_pct = n == 0 ? NUM_UNKNOWN : 100 * (double)inside / (double)n;
    s.median_width = sorted_median(widths, n);
    s.bias_pct = n == 0 ? NUM_UNKNOWN : 100 * (exp(log_sum / (double)n) - 1);
    free(errors);
    free(widths);
    return s;
}

int validation_kinds(const struct validation *v, const char *kinds[VALIDATION_KINDS]) {
    int count = 0;

    for (size_t i = 0; i < v->count; i++) {
        const char *kind = v->rows[i].m->kind;
        int k = 0;
        while (k < count && strcmp(kinds[k], kind) != 0) {
            k++;
        }
        if (k == count && count < VALIDATION_KINDS) {
            kinds[count++] = kind;
        }
    }
    return count;
}

static bool same_line(const struct validate_line *a, const struct validate_line *b) {
    return strcmp(a->kind, b->kind) == 0 && strcmp(a->part, b->part) == 0 && a->metric == b->metric;
}

static int add_line(struct validate_line *lines, int count, struct validate_line line) {
    for (int k = 0; k < count; k++) {
        if (same_line(&lines[k], &line)) {
            return count;
        }
    }
    if (count < VALIDATION_LINES) {
        lines[count++] = line;
    }
    return count;
}

int validation_lines(const struct validation *v, struct validate_line lines[VALIDATION_LINES]) {
    int count = 0;

    for (size_t i = 0; i < v->count; i++) {
        const struct validate_row *r = &v->rows[i];
        if (r->m->metric != METRIC_COUNT) {
            count = add_line(lines, count, (struct validate_line){r->m->kind, validate_part(r), r->m->metric});
        }
    }
    return count;
}

int validation_sources(const struct validation *v, struct validate_line lines[VALIDATION_LINES]) {
    int count = 0;

    for (size_t i = 0; i < v->count; i++) {
        const struct measurement *m = v->rows[i].m;
        if (*m->source != '\0') {
            count = add_line(lines, count, (struct validate_line){m->kind, m->source, METRIC_COUNT});
        }
    }
    return count;
}

/* ---- order ---- */

static bool has_number(const struct validate_row *r) {
    return r->skipped == NULL && r->m->metric != METRIC_FITS;
}

static int gpus_of(const struct validate_row *r) {
    return r->m->shape.gpus * r->m->shape.nodes;
}

static int compare_doubles(double x, double y) {
    return (x > y) - (x < y);
}

static int compare_series(const void *a, const void *b) {
    const struct validate_row *x = *(const struct validate_row *const *)a, *y = *(const struct validate_row *const *)b;
    int by = strcmp(x->m->series, y->m->series);

    by = by != 0 ? by : gpus_of(x) - gpus_of(y);
    return by != 0 ? by : compare_doubles(x->m->value, y->m->value);
}

static double load_of(const struct job *j) {
    if (j->load == LOAD_BATCH) {
        return 0;
    }
    return j->load == LOAD_RATE ? j->requests_per_s : j->concurrency;
}

/* Rows of one group differ in hardware, layout and precision: the choices that a ranking compares. */
static int compare_work(const void *a, const void *b) {
    const struct measurement *x = (*(const struct validate_row *const *)a)->m,
                             *y = (*(const struct validate_row *const *)b)->m;
    int by = strcmp(x->source, y->source);

    by = by != 0 ? by : strcmp(x->model, y->model);
    by = by != 0 ? by : (int)x->metric - (int)y->metric;
    by = by != 0 ? by : strcmp(x->mode, y->mode);
    if (by != 0 || x->job.task != TASK_INFERENCE || y->job.task != TASK_INFERENCE || x->metric == METRIC_PEAK_GIB) {
        return by;
    }
    by = compare_doubles(x->job.input_len, y->job.input_len);
    by = by != 0 ? by : compare_doubles(x->job.output_len, y->job.output_len);
    return by != 0 ? by : compare_doubles(load_of(&x->job), load_of(&y->job));
}

/* Efficiency of a row against the smallest count of its series, measured and predicted, in points. */
static void measure_scaling(const struct validate_row **rows, size_t count, struct validate_order *o) {
    double *errors = mem_zero(count + 1, sizeof *errors), *linear = mem_zero(count + 1, sizeof *linear);
    const struct validate_row *base = NULL;
    size_t n = 0;

    qsort(rows, count, sizeof *rows, compare_series);
    for (size_t i = 0; i < count; i++) {
        const struct validate_row *r = rows[i];
        if (base == NULL || strcmp(base->m->series, r->m->series) != 0) {
            base = r;
            continue;
        }
        double ratio = (double)gpus_of(r) / gpus_of(base);
        if (ratio > 1) {
            double measured = r->m->value / base->m->value / ratio;
            double predicted = r->predicted.expected / base->predicted.expected / ratio;
            errors[n] = 100 * fabs(measured - predicted);
            linear[n++] = 100 * fabs(measured - 1);
        }
    }
    o->points = (int)n;
    o->efficiency_error = sorted_median(errors, n);
    o->linear_error = sorted_median(linear, n);
    free(errors);
    free(linear);
}

/* Two versions of one software differ by 5 % (median) on the same machine: nearer pairs have no order. */
static const double apart = 1.1;

static void measure_pairs(const struct validate_row **rows, size_t count, struct validate_order *o) {
    long right = 0;

    qsort(rows, count, sizeof *rows, compare_work);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count && compare_work(&rows[i], &rows[k]) == 0; k++) {
            double x = rows[i]->m->value, y = rows[k]->m->value;
            if (fmax(x, y) > apart * fmin(x, y)) {
                o->pairs++;
                right += (x > y) == (rows[i]->predicted.expected > rows[k]->predicted.expected);
            }
        }
    }
    o->pairs_right_pct = o->pairs == 0 ? NUM_UNKNOWN : 100 * (double)right / (double)o->pairs;
}

struct validate_order validation_order(const struct validation *v) {
    struct validate_order o = {0};
    const struct validate_row **rows = mem_zero(v->count + 1, sizeof(const struct validate_row *));
    size_t count = 0;

    for (size_t i = 0; i < v->count; i++) {
        if (has_number(&v->rows[i]) && v->rows[i].m->metric == METRIC_TOKENS_PER_S && *v->rows[i].m->series != '\0') {
            rows[count++] = &v->rows[i];
        }
    }
    measure_scaling(rows, count, &o);
    count = 0;
    for (size_t i = 0; i < v->count; i++) {
        if (has_number(&v->rows[i])) {
            rows[count++] = &v->rows[i];
        }
    }
    measure_pairs(rows, count, &o);
    free(rows);
    return o;
}
