/* SPDX-License-Identifier: MIT */
/* Errors by source, card, link and way of splitting: for docs/accuracy.md and for the accuracy gate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "refit/refit.h"

static const char *const names[CUT_COUNT] = {"source", "card", "link", "strategy"};

const char *cut_name(enum cut c) {
    return names[c];
}

/* What a row states or the program takes for it; inference rows are cut by engine where training is cut by strategy. */
static void strategy_value(const struct measurement *m, char out[48]) {
    const struct job *j = &m->job;

    if (j->task == TASK_INFERENCE) {
        snprintf(out, 48, "%s", *j->engine != '\0' ? j->engine : "no engine named");
    } else {
        snprintf(out, 48, "%s %s", task_name(j->task), strategy_name(j->strategy));
    }
}

void cut_value(enum cut c, const struct measurement *m, char out[48]) {
    switch (c) {
    case CUT_SOURCE:
        snprintf(out, 48, "%s", m->source);
        break;
    case CUT_CARD:
        snprintf(out, 48, "%s%s", m->shape.gpu == NULL ? "" : gpu_family_name(m->shape.gpu->family),
                 m->shape.gpu != NULL && m->shape.gpu->geforce ? ", consumer" : "");
        break;
    case CUT_LINK:
        snprintf(out, 48, "%s%s", link_name(m->shape.link), m->shape.nodes > 1 ? " + network" : "");
        break;
    case CUT_STRATEGY:
        strategy_value(m, out);
        break;
    case CUT_COUNT:
        break;
    }
}

int cut_values(const struct validation *v, enum cut c, char (*out)[48], int most) {
    int count = 0;

    for (size_t i = 0; i < validation_count(v); i++) {
        char word[48] = "";
        int k = 0;
        cut_value(c, validation_row(v, i)->m, word);
        while (k < count && strcmp(out[k], word) != 0) {
            k++;
        }
        if (k == count && count < most) {
            memcpy(out[count++], word, sizeof word);
        }
    }
    return count;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n) {
    if (n == 0) {
        return NUM_UNKNOWN;
    }
    qsort(x, (size_t)n, sizeof *x, compare);
    return n % 2 == 1 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* Which rows are added up. */
struct part {
    enum cut cut;
    const char *value; /* NULL = all */
    bool controlled, training;
};

static bool belongs(const struct validate_row *r, const struct part *p) {
    char word[48] = "";

    cut_value(p->cut, r->m, word);
    return r->skipped == NULL && (p->value == NULL || strcmp(word, p->value) == 0) &&
           (!p->controlled || strcmp(r->m->quality, "A") == 0) && (!p->training || r->m->job.task != TASK_INFERENCE);
}

static struct part_figures add_up(const struct validation *v, const struct part *p) {
    size_t rows = validation_count(v);
    double *errors = mem_zero(rows + 1, sizeof *errors), *widths = mem_zero(rows + 1, sizeof *widths), logs = 0;
    struct part_figures f = {0};
    int inside = 0;

    for (size_t i = 0; i < rows; i++) {
        const struct validate_row *r = validation_row(v, i);
        if (!belongs(r, p)) {
            continue;
        }
        if (r->m->metric == METRIC_FITS) {
            f.verdicts++;
            f.right += r->inside;
            f.false_fits += !r->inside && r->fit != FIT_NO;
            f.false_nos += !r->inside && r->fit == FIT_NO;
            continue;
        }
        errors[f.n] = fabs(r->error_pct);
        widths[f.n++] = r->predicted.high / r->predicted.low;
        logs += log(r->predicted.expected / r->m->value);
        inside += r->inside;
    }
    f.median = median(errors, f.n);
    f.p90 = f.n == 0 ? NUM_UNKNOWN : errors[(int)(.9 * f.n)];
    f.width = median(widths, f.n);
    f.inside = f.n == 0 ? NUM_UNKNOWN : 100.0 * inside / f.n;
    f.bias = f.n == 0 ? NUM_UNKNOWN : 100 * (exp(logs / f.n) - 1);
    free(errors);
    free(widths);
    return f;
}

struct part_figures part_figures(const struct validation *v, enum cut c, const char *value, bool controlled) {
    return add_up(v, &(struct part){c, value, controlled, false});
}

struct part_figures part_figures_training(const struct validation *v, bool controlled) {
    return add_up(v, &(struct part){CUT_SOURCE, NULL, controlled, true});
}
