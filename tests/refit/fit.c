/* SPDX-License-Identifier: MIT */
/*
 * The most probable constants: Gauss-Newton on log(predicted / measured), errors beyond ten per cent counted linearly, each key
 * held to its prior by a spring. Where rows decide, the spring gives way; a key that no row touches stays at its prior.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "refit/refit.h"

static const double noise =
    0.08; /* of log time, from one run and software to the next (docs/measurements.md: 5 %, tail 21 %) */
static const double robust = 1.25; /* noises beyond which an error counts linearly */
static const double probe = 0.04;  /* step of the difference quotient, log */
enum { MAX_ROUNDS = 14 };

struct work {
    const struct fit_problem *p;
    size_t rows;
    int keys;
    double *x, *trial, *r, *r_trial; /* log constants, residuals */
    double *jacobian;                /* [key][row]; 0 = the row does not depend on the key */
};

static void apply(const struct fit_problem *p, const double *x, struct assumptions *a) {
    *a = *p->base;
    for (int k = 0; k < p->keys->count; k++) {
        a->v[p->keys->key[k].id] = range_exact(exp(x[k]));
    }
}

static double residual(const struct fit_problem *p, size_t row, const struct assumptions *a) {
    const struct measurement *m = &p->rows->rows[row];
    struct prediction y;

    measurement_predict(p->catalog, m, a, &y);
    return y.why == NULL && y.value.expected > 0 ? log(y.value.expected / m->value) : NUM_UNKNOWN;
}

static void residuals(const struct work *w, const double *x, double *r) {
    struct assumptions a;

    apply(w->p, x, &a);
    for (size_t i = 0; i < w->rows; i++) {
        r[i] = w->p->weight[i] > 0 ? residual(w->p, i, &a) : NUM_UNKNOWN;
    }
}

static double prior_sd(const struct fit_key *k) {
    return log(k->high / k->low) / 4;
}

static double cost(const struct work *w, const double *x, const double *r) {
    double sum = 0;

    for (size_t i = 0; i < w->rows; i++) {
        double z = fabs(r[i]) / noise;
        if (num_known(r[i])) {
            sum += w->p->weight[i] * (z <= robust ? z * z / 2 : robust * (z - robust / 2));
        }
    }
    for (int k = 0; k < w->keys; k++) {
        const struct fit_key *key = &w->p->keys->key[k];
        double z = (x[k] - log(key->prior)) / prior_sd(key);
        sum += z * z / 2;
    }
    return sum;
}

/* Differences to the inside of the bounds. A row whose entry was 0 at the last full look is passed over. */
static void differentiate(const struct work *w, bool full) {
    struct assumptions a;

    apply(w->p, w->x, &a);
    for (int k = 0; k < w->keys; k++) {
        const struct fit_key *key = &w->p->keys->key[k];
        double *column = w->jacobian + (size_t)k * w->rows;
        double middle = (log(key->low) + log(key->high)) / 2, step = w->x[k] > middle ? -probe : probe;
        a.v[key->id] = range_exact(exp(w->x[k] + step));
        for (size_t i = 0; i < w->rows; i++) {
            if (num_known(w->r[i]) && (full || column[i] != 0)) {
                double r = residual(w->p, i, &a);
                column[i] = num_known(r) ? (r - w->r[i]) / step : 0;
            }
        }
        a.v[key->id] = range_exact(exp(w->x[k]));
    }
}

/* Solves s x = b for a positive definite s (n x n, destroyed). */
static void solve(double *s, double *b, int n) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            double f = s[i * n + k] / s[k * n + k];
            for (int c = k; c < n; c++) {
                s[i * n + c] -= f * s[k * n + c];
            }
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++) {
            b[i] -= s[i * n + c] * b[c];
        }
        b[i] /= s[i * n + i];
    }
}

/* The Gauss-Newton step with damping, in w->trial. */
static void propose(const struct work *w, double damping, double *matrix, double *step) {
    int n = w->keys;

    memset(matrix, 0, (size_t)n * (size_t)n * sizeof *matrix);
    for (int k = 0; k < n; k++) {
        const struct fit_key *key = &w->p->keys->key[k];
        double spring = 1 / (prior_sd(key) * prior_sd(key));
        matrix[k * n + k] = spring;
        step[k] = -spring * (w->x[k] - log(key->prior));
    }
    for (size_t i = 0; i < w->rows; i++) {
        if (!num_known(w->r[i])) {
            continue;
        }
        double z = fabs(w->r[i]) / noise;
        double weight = w->p->weight[i] * (z <= robust ? 1 : robust / z) / (noise * noise);
        for (int k = 0; k < n; k++) {
            double j = w->jacobian[(size_t)k * w->rows + i];
            if (j == 0) {
                continue;
            }
            step[k] -= weight * j * w->r[i];
            for (int c = 0; c <= k; c++) {
                matrix[k * n + c] += weight * j * w->jacobian[(size_t)c * w->rows + i];
            }
        }
    }
    for (int k = 0; k < n; k++) {
        for (int c = k + 1; c < n; c++) {
            matrix[k * n + c] = matrix[c * n + k];
        }
    }
    for (int k = 0; k < n; k++) {
        matrix[k * n + k] *= 1 + damping;
    }
    solve(matrix, step, n);
    for (int k = 0; k < n; k++) {
        const struct fit_key *key = &w->p->keys->key[k];
        double most = prior_sd(key); /* a step never jumps past what the prior calls likely */
        double x = w->x[k] + fmin(most, fmax(-most, step[k]));
        w->trial[k] = fmin(log(key->high), fmax(log(key->low), x));
    }
}

static void swap(double **a, double **b) {
    double *t = *a;
    *a = *b;
    *b = t;
}

static int count_informed(const struct work *w) {
    int informed = 0;

    for (int k = 0; k < w->keys; k++) {
        size_t i = 0;
        while (i < w->rows && w->jacobian[(size_t)k * w->rows + i] == 0) {
            i++;
        }
        informed += i < w->rows;
    }
    return informed;
}

/* The priors, and what they make of each row. */
static void begin(struct work *w) {
    const struct fit_start *known = w->p->start;

    for (int k = 0; k < w->keys; k++) {
        w->x[k] = log(w->p->keys->key[k].prior);
    }
    if (known == NULL) {
        residuals(w, w->x, w->r);
        differentiate(w, true);
        return;
    }
    for (size_t i = 0; i < w->rows; i++) {
        bool part = w->p->weight[i] > 0;
        w->r[i] = part ? known->residual[i] : NUM_UNKNOWN;
        for (int k = 0; k < w->keys; k++) {
            size_t at = (size_t)k * w->rows + i;
            w->jacobian[at] = part ? known->jacobian[at] : 0;
        }
    }
}

struct fit_start fit_start_make(const struct fit_problem *p) {
    struct work w = {.p = p, .rows = p->rows->count, .keys = p->keys->count};

    w.x = mem_zero((size_t)w.keys + 1, sizeof *w.x);
    w.r = mem_zero(w.rows + 1, sizeof *w.r);
    w.jacobian = mem_zero((size_t)w.keys * w.rows + 1, sizeof *w.jacobian);
    begin(&w);
    free(w.x);
    return (struct fit_start){w.r, w.jacobian};
}

void fit_start_free(struct fit_start *s) {
    free(s->residual);
    free(s->jacobian);
}

void fit_run(const struct fit_problem *p, struct fit_result *out) {
    size_t rows = p->rows->count;
    int n = p->keys->count;
    struct work w = {.p = p, .rows = rows, .keys = n};
    double *matrix = mem_zero((size_t)n * (size_t)n + 1, sizeof *matrix), *step = mem_zero((size_t)n + 1, sizeof *step);
    double damping = 0.01, now;

    w.x = mem_zero((size_t)n + 1, sizeof *w.x);
    w.trial = mem_zero((size_t)n + 1, sizeof *w.trial);
    w.r = mem_zero(rows + 1, sizeof *w.r);
    w.r_trial = mem_zero(rows + 1, sizeof *w.r_trial);
    w.jacobian = mem_zero((size_t)n * rows + 1, sizeof *w.jacobian);
    begin(&w);
    now = cost(&w, w.x, w.r);
    for (out->rounds = 0; out->rounds < MAX_ROUNDS; out->rounds++) {
        bool better = false;
        double before = now;
        if (out->rounds > 0) {
            differentiate(&w, out->rounds % 4 == 0);
        }
        for (int tries = 0; tries < 6 && !better; tries++) {
            propose(&w, damping, matrix, step);
            residuals(&w, w.trial, w.r_trial);
            double then = cost(&w, w.trial, w.r_trial);
            better = then < now;
            damping = better ? fmax(damping / 4, 1e-4) : damping * 8;
            if (better) {
                swap(&w.x, &w.trial);
                swap(&w.r, &w.r_trial);
                now = then;
            }
        }
        if (!better || before - now < 3e-4 * before) {
            break;
        }
    }
    apply(p, w.x, &out->a);
    out->cost = now;
    out->informed = count_informed(&w);
    free(matrix), free(step), free(w.x), free(w.trial), free(w.r), free(w.r_trial), free(w.jacobian);
}

void fit_weights(const struct measurements *rows, const int *fold, int left_out, double *weight) {
    for (size_t i = 0; i < rows->count; i++) {
        const struct measurement *m = &rows->rows[i];
        bool part = m->skipped == NULL && m->metric != METRIC_FITS && fold[i] != left_out;
        double same = 0;
        for (size_t k = 0; part && k < rows->count; k++) {
            same += fold[k] != left_out && strcmp(rows->rows[k].source, m->source) == 0;
        }
        /* half a row where fields are assumed or a bias is known */
        weight[i] = part ? (strcmp(m->quality, "A") == 0 ? 1 : 0.5) * fmin(1, 3 / sqrt(same)) : 0;
    }
}

/* ---- folds ---- */

static const char *fold_word(const struct measurement *m, enum fold_kind kind) {
    return kind == FOLD_SOURCE ? m->source : m->model;
}

struct group {
    const char *word;
    int rows, fold;
};

static int compare_groups(const void *a, const void *b) {
    const struct group *x = a, *y = b;
    int by = y->rows - x->rows;
    return by != 0 ? by : strcmp(x->word, y->word);
}

int folds_make(const struct measurements *rows, enum fold_kind kind, int most, int *fold) {
    struct group *groups = mem_zero(rows->count + 1, sizeof *groups);
    int count = 0;

    for (size_t i = 0; i < rows->count; i++) {
        const char *word = fold_word(&rows->rows[i], kind);
        int g = 0;
        while (g < count && strcmp(groups[g].word, word) != 0) {
            g++;
        }
        if (g == count) {
            groups[count++] = (struct group){word, 0, 0};
        }
        groups[g].rows++;
    }
    qsort(groups, (size_t)count, sizeof *groups, compare_groups);
    int folds = count <= most ? count : most;
    for (int g = 0; g < count; g++) { /* the large ones alone, the small ones together on the last third */
        int alone = folds * 2 / 3;
        groups[g].fold = count <= most || g < alone ? g : alone + (g - alone) % (folds - alone);
    }
    for (size_t i = 0; i < rows->count; i++) {
        for (int g = 0; g < count; g++) {
            if (strcmp(groups[g].word, fold_word(&rows->rows[i], kind)) == 0) {
                fold[i] = groups[g].fold;
            }
        }
    }
    free(groups);
    return folds;
}
