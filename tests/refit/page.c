/* SPDX-License-Identifier: MIT */
/* docs/accuracy.md: what the errors are on rows that the constants have not seen, beside those on rows that they have. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "refit/refit.h"

enum { MOST_VALUES = 64, WORST = 10 };

static const struct {
    const char *kind, *title;
} titles[] = {{"train", "Training throughput"}, {"memory", "Peak memory"}, {"infer", "Inference"}};

static const char *title_of(const struct study *s) {
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        if (strcmp(titles[i].kind, s->kind) == 0) {
            return titles[i].title;
        }
    }
    return s->kind;
}

static void put_number(struct buf *out, double x, int digits, const char *unit) {
    if (num_known(x)) {
        buf_printf(out, " %.*f%s |", digits, x, unit);
    } else {
        buf_puts(out, " - |");
    }
}

static void put_figures(struct buf *out, const struct part_figures *f) {
    buf_printf(out, " %d |", f->n);
    put_number(out, f->median, 1, " %");
    put_number(out, f->p90, 1, " %");
    put_number(out, f->inside, 0, " %");
    put_number(out, f->width, 2, "");
    put_number(out, f->bias, 1, " %");
    buf_puts(out, "\n");
}

/* ---- the whole, four ways ---- */

static void write_whole(const struct study *s, struct buf *out) {
    const struct {
        const char *name;
        const struct validation *v;
    } ways[] = {{"constants of the program, rows that they were fitted on", s->committed},
                {"fitted anew from the priors on all rows", s->refitted},
                {"**one source left out**", s->by_source},
                {"**one model left out**", s->by_model}};

    buf_puts(out, "| figures from | rows | n | median | 90 % | inside | width | bias "
                  "|\n|---|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        for (int controlled = 1; controlled >= 0; controlled--) {
            struct part_figures f = part_figures(ways[i].v, CUT_SOURCE, NULL, controlled == 1);
            buf_printf(out, "| %s | %s |", ways[i].name, controlled ? "A" : "all");
            put_figures(out, &f);
        }
    }
    buf_putc(out, '\n');
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct part_figures f = part_figures(ways[i].v, CUT_SOURCE, NULL, false);
        struct validate_order o = validation_order(ways[i].v);
        if (i == 1) {
            continue;
        }
        buf_printf(out, "* %s:", ways[i].name);
        if (o.points > 0) {
            buf_printf(out, " scaling efficiency off by %.1f points (median of %d; linear scaling: %.1f);",
                       o.efficiency_error, o.points, o.linear_error);
        }
        if (f.verdicts > 0) {
            buf_printf(out, " fits or not: %d of %d right, %d said to fit that did not, %d refused that fitted;",
                       f.right, f.verdicts, f.false_fits, f.false_nos);
        }
        buf_printf(out, " %.1f %% of %ld pairs in order.\n", o.pairs_right_pct, o.pairs);
    }
    buf_putc(out, '\n');
}

/* ---- by metric ---- */

static void write_metrics(const struct study *s, struct buf *out) {
    struct validate_line lines[VALIDATION_LINES];
    int count = validation_lines(s->committed, lines);

    buf_puts(
        out,
        "| metric | part | n | as fitted | 90 % | source left out | 90 % | model left out | 90 % | inside | bias |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int i = 0; i < count; i++) {
        struct validate_filter f = {.kind = lines[i].kind, .part = lines[i].part, .metric = lines[i].metric};
        const struct validation *const ways[] = {s->committed, s->by_source, s->by_model};
        struct validate_summary y[3];
        for (int w = 0; w < 3; w++) {
            y[w] = validation_summary(ways[w], &f);
        }
        if (lines[i].metric == METRIC_FITS) {
            continue;
        }
        buf_printf(out, "| %s | %s | %d |", metric_name(lines[i].metric), lines[i].part, y[0].n);
        for (int w = 0; w < 3; w++) {
            put_number(out, y[w].median_abs_error_pct, 1, " %");
            put_number(out, y[w].p90_abs_error_pct, 1, " %");
        }
        put_number(out, y[1].inside_range_pct, 0, " %");
        put_number(out, y[1].bias_pct, 1, " %");
        buf_putc(out, '\n');
    }
    buf_putc(out, '\n');
}

/* ---- by source, card, link, strategy ---- */

static void write_cuts(const struct study *s, struct buf *out) {
    char values[MOST_VALUES][48];

    buf_puts(out,
             "| by | part | n | as fitted | 90 % | source left out | 90 % | model left out | 90 % | inside | bias |\n"
             "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int c = 0; c < CUT_COUNT; c++) {
        int count = cut_values(s->committed, (enum cut)c, values, MOST_VALUES);
        for (int k = 0; k < count; k++) {
            struct part_figures in = part_figures(s->committed, (enum cut)c, values[k], false);
            struct part_figures source = part_figures(s->by_source, (enum cut)c, values[k], false);
            struct part_figures model = part_figures(s->by_model, (enum cut)c, values[k], false);
            if (in.n == 0) {
                continue;
            }
            const char *name = cut_name((enum cut)c);
            bool engine = c == CUT_STRATEGY && strcmp(s->kind, "infer") == 0;
            buf_printf(out, "| %s | %s | %d |", engine ? "engine" : name, values[k], in.n);
            put_number(out, in.median, 1, " %");
            put_number(out, in.p90, 1, " %");
            put_number(out, source.median, 1, " %");
            put_number(out, source.p90, 1, " %");
            put_number(out, model.median, 1, " %");
            put_number(out, model.p90, 1, " %");
            put_number(out, source.inside, 0, " %");
            put_number(out, source.bias, 1, " %");
            buf_putc(out, '\n');
        }
    }
    buf_putc(out, '\n');
}

/* ---- the worst rows, and why ---- */

static double off(const struct validate_row *r) {
    return r->skipped != NULL || r->m->metric == METRIC_FITS ? 0 : fabs(log(r->predicted.expected / r->m->value));
}

static int compare_off(const void *a, const void *b) {
    double x = off(*(const struct validate_row *const *)a), y = off(*(const struct validate_row *const *)b);
    return (x < y) - (x > y);
}

/* Whether the other rows of the job at other counts of GPUs lie well. */
static bool out_of_line(const struct validation *v, const struct validate_row *r) {
    double sum = 0;
    int n = 0;

    for (size_t i = 0; i < validation_count(v) && *r->m->series != '\0'; i++) {
        const struct validate_row *other = validation_row(v, i);
        if (other != r && strcmp(other->m->series, r->m->series) == 0) {
            sum += off(other);
            n++;
        }
    }
    return n >= 2 && sum / n < off(r) / 2;
}

static bool only_here(const struct validation *v, const struct validate_row *r, enum cut c) {
    char mine[48] = "", other[48];

    cut_value(c, r->m, mine);
    for (size_t i = 0; i < validation_count(v); i++) {
        const struct measurement *m = validation_row(v, i)->m;
        cut_value(c, m, other);
        if (strcmp(m->source, r->m->source) != 0 && strcmp(mine, other) == 0) {
            return false;
        }
    }
    return true;
}

/* What about the row itself makes it uncertain: at most two reasons, the strongest first. */
static void write_cause(const struct validation *v, const struct validate_row *r, struct buf *out) {
    const struct job *j = &r->m->job;
    bool training = j->task != TASK_INFERENCE, memory = r->m->metric == METRIC_PEAK_GIB;
    const struct {
        bool holds;
        const char *words;
    } causes[] = {
        {strstr(r->m->notes, "not as printed") != NULL, "the source contradicts itself: see its note"},
        {out_of_line(v, r), "out of line with the same job at other counts of GPUs"},
        {memory && j->lengths == LENGTHS_BELOW, "only the longest allowed sample is stated, real lengths decide"},
        {only_here(v, r, CUT_CARD), "no other source has this kind of card: its constants are priors"},
        {only_here(v, r, CUT_STRATEGY), training ? "no other source has this kind of run"
                                                 : "no other source has this engine: its constants are priors"},
        {training && j->micro_batch == 0, "micro-batch not stated"},
        {training && j->recompute == RECOMPUTE_AUTO, "recomputation not stated"},
        {training && r->m->shape.gpus > 1 && r->m->shape.link_source == PROVENANCE_ASSUMED, "link not stated"},
        {r->m->shape.nodes > 1 && r->m->shape.network_source == PROVENANCE_ASSUMED, "network not stated"},
        {training && r->m->shape.link == LINK_PCIE_HOST, "cards over the host bridge: the machine decides"},
        {training && memory && j->lengths == LENGTHS_UNSTATED, "lengths of the samples not stated"},
        {!training && r->m->metric == METRIC_TTFT_MS, "first tokens: queues and bursts are not in the row"},
        {strcmp(r->m->quality, "A") != 0, "fields assumed or a known bias (quality B)"},
    };
    int said = 0;

    for (size_t i = 0; i < sizeof causes / sizeof causes[0] && said < 2; i++) {
        if (causes[i].holds) {
            buf_printf(out, "%s%s", said++ > 0 ? "; " : "", causes[i].words);
        }
    }
    buf_puts(out, said == 0 ? "not found" : "");
}

static void write_worst(const struct study *s, struct buf *out) {
    size_t n = validation_count(s->by_source);
    const struct validate_row **rows = mem_zero(n + 1, sizeof(const struct validate_row *));

    buf_puts(out, "Ten worst rows, their source left out (in brackets: as fitted):\n\n"
                  "| row | source | model | card | error | suspected cause |\n|---|---|---|---|---:|---|\n");
    for (size_t i = 0; i < n; i++) {
        rows[i] = validation_row(s->by_source, i);
    }
    qsort(rows, n, sizeof *rows, compare_off);
    for (size_t i = 0; i < n && i < WORST; i++) {
        const struct measurement *m = rows[i]->m;
        const struct validate_row *fitted = NULL;
        for (size_t k = 0; k < n; k++) {
            fitted = validation_row(s->committed, k)->m == m ? validation_row(s->committed, k) : fitted;
        }
        buf_printf(out, "| %s | ", m->id);
        text_markdown_cell(out, m->source);
        buf_puts(out, " | ");
        text_markdown_cell(out, m->model);
        buf_printf(out, " | %d x %s | %+.0f %% (%+.0f %%) | ", m->shape.gpus * m->shape.nodes, m->shape.gpu->name,
                   rows[i]->error_pct, fitted == NULL ? 0 : fitted->error_pct);
        write_cause(s->by_source, rows[i], out);
        buf_puts(out, " |\n");
    }
    buf_putc(out, '\n');
    free(rows);
}

/* ---- aims ---- */

static const char *met(bool yes) {
    return yes ? "yes" : "**no**";
}

static void aim_line(struct buf *out, const char *what, double source, double model, double aim, const char *unit) {
    buf_printf(out, "| %s | %.1f%s | %.1f%s | %g%s | %s |\n", what, source, unit, model, unit, aim, unit,
               met(source <= aim && model <= aim));
}

static void write_aims(const struct study *s, int count, struct buf *out) {
    buf_puts(
        out,
        "| aim, rows of quality A | source left out | model left out | at most | met |\n|---|---:|---:|---:|---|\n");
    for (int i = 0; i < count; i++) {
        struct part_figures a = part_figures(s[i].by_source, CUT_SOURCE, NULL, true);
        struct part_figures b = part_figures(s[i].by_model, CUT_SOURCE, NULL, true);
        if (strcmp(s[i].kind, "train") == 0) {
            struct validate_order p = validation_order(s[i].by_source), q = validation_order(s[i].by_model);
            aim_line(out, "training throughput, median", a.median, b.median, 7, " %");
            aim_line(out, "training throughput, 90 %", a.p90, b.p90, 20, " %");
            aim_line(out, "training, outside the range", 100 - a.inside, 100 - b.inside, 20, " %");
            aim_line(out, "training, high / low", a.width, b.width, 1.6, "");
            aim_line(out, "scaling efficiency, points", p.efficiency_error, q.efficiency_error, 5, "");
            aim_line(out, "pairs in wrong order", 100 - p.pairs_right_pct, 100 - q.pairs_right_pct, 4, " %");
        } else if (strcmp(s[i].kind, "memory") == 0) {
            struct part_figures all = part_figures(s[i].by_source, CUT_SOURCE, NULL, false);
            struct part_figures all_model = part_figures(s[i].by_model, CUT_SOURCE, NULL, false);
            struct part_figures t = part_figures_training(s[i].by_source, true),
                                u = part_figures_training(s[i].by_model, true);
            aim_line(out, "peak memory, median", a.median, b.median, 3, " %");
            aim_line(out, "peak memory, 90 %", a.p90, b.p90, 12, " %");
            aim_line(out, "peak memory of training, median", t.median, u.median, 5, " %");
            aim_line(out, "peak memory of training, 90 %", t.p90, u.p90, 20, " %");
            aim_line(out, "peak memory, outside the range", 100 - a.inside, 100 - b.inside, 20, " %");
            aim_line(out, "fit decisions that are wrong (all rows)", 100 - 100.0 * all.right / all.verdicts,
                     100 - 100.0 * all_model.right / all_model.verdicts, 3, " %");
        }
    }
    buf_putc(out, '\n');
}

/* ---- the page ---- */

static const char intro[] =
    "# How accurate the predictions are\n\n"
    "Made by `make accuracy SHARED=FOLDER` from FOLDER/measurements/{training,memory,inference}.csv: published runs, "
    "which are\n"
    "no part of this project. The evaluator that ranks offers is asked about each: what a row states is pinned, what "
    "it leaves\n"
    "empty is completed (docs/measurements.md). `gpuplan validate FILE --format csv` has every row.\n\n"
    "`median` and `90 %` are of the size of predicted / measured - 1, `inside` is the share of rows within low and "
    "high, `width`\n"
    "the median of high / low, `bias` the geometric mean of predicted / measured. Rows of quality A are controlled; "
    "the others\n"
    "have assumed fields or a known bias.\n\n"
    "**The figures to trust are those left out**: the constants that tests/refit/keys.csv names are fitted on all rows "
    "but those of\n"
    "one source, or of one model, starting at priors that no row was used for; then the rows left out are predicted. A "
    "constant that\n"
    "only the left-out source tells anything about stays at its prior. What this does not undo: the structure of the "
    "formulas and the\n"
    "constants that are counted rather than fitted were written with all rows in view.\n\n";

void page_write(const struct study *s, int count, const char *notes, struct buf *out) {
    buf_puts(out, intro);
    buf_puts(out, "## Aims\n\n");
    write_aims(s, count, out);
    for (int i = 0; i < count; i++) {
        buf_printf(out, "## %s\n\n", title_of(&s[i]));
        write_whole(&s[i], out);
        write_metrics(&s[i], out);
        write_cuts(&s[i], out);
        write_worst(&s[i], out);
    }
    buf_puts(out, notes);
}
