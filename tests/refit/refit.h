/* SPDX-License-Identifier: MIT */
/*
 * Refitting: constants that stand in keys.csv are fitted on some of the measured runs, and the others are predicted with what
 * came out. A fit starts at the prior of each key (the column, or the geometric middle of its bounds), never at the value that
 * is compiled in, so that nothing of the rows left out comes back through the start.
 */
#ifndef GPUPLAN_TESTS_REFIT_H
#define GPUPLAN_TESTS_REFIT_H

#include "gpuplan/report/validate.h"

/* ---- keys.csv ---- */

enum { FIT_KEYS = 160 };
struct fit_key {
    enum assume_id id;
    double low, high, prior; /* bounds are four standard deviations of the prior apart, in log */
};
struct fit_keys {
    struct fit_key key[FIT_KEYS];
    int count;
};
/* Keys of one kind of rows: "train", "memory", "infer". A key may end an engine's name with an asterisk (engine.*.step_ms). */
bool fit_keys_read(const char *path, const char *kind, struct fit_keys *out, struct err *err);

/* ---- one fit ---- */

struct fit_problem {
    const struct catalog *catalog;
    const struct measurements *rows;
    const struct fit_keys *keys;
    const double *weight;           /* of each row; 0 = not part of the fit */
    const struct assumptions *base; /* where everything stands that is no key */
    const struct fit_start *start;  /* NULL, or what the priors say about all rows, which every fit begins with */
};
struct fit_start {
    double *residual, *jacobian;
};
struct fit_start fit_start_make(const struct fit_problem *p);
void fit_start_free(struct fit_start *s);
struct fit_result {
    struct assumptions a;
    double cost;
    int rounds, informed; /* keys that some row of the fit depends on */
};
void fit_run(const struct fit_problem *p, struct fit_result *out);
/* Weights of rows so that a source counts as the square root of its rows; NaN and verdicts count nothing. */
void fit_weights(const struct measurements *rows, const int *fold, int left_out, double *weight);

/* ---- leaving out ---- */

enum fold_kind { FOLD_SOURCE, FOLD_MODEL };
/* A fold for each row. Sources are one fold each; models too, but the smallest of more than `most` share folds. */
int folds_make(const struct measurements *rows, enum fold_kind kind, int most, int *fold);

/* ---- what the errors add up to: parts.c ---- */

/* Ways to cut the rows of a kind, and a row's place in one: "hopper", "nvswitch + network", "fsdp". */
enum cut { CUT_SOURCE, CUT_CARD, CUT_LINK, CUT_STRATEGY, CUT_COUNT };
const char *cut_name(enum cut c);
void cut_value(enum cut c, const struct measurement *m, char out[48]);

struct part_figures {
    int n;
    double median, p90, inside, width, bias; /* %, but width */
    int verdicts, right, false_fits, false_nos;
};
/* Rows of `v` whose cut has that value (NULL = all) and whose quality is A where `controlled`. */
struct part_figures part_figures(const struct validation *v, enum cut c, const char *value, bool controlled);
/* Rows that are about training: the task of a memory row says so. */
struct part_figures part_figures_training(const struct validation *v, bool controlled);
/* Distinct values of a cut, in the order of rows; at most `most`. */
int cut_values(const struct validation *v, enum cut c, char (*out)[48], int most);

/* ---- the accuracy gate: tests/accuracy_baseline.csv, gate.c ---- */

enum { GATE_LEAST_ROWS = 8 }; /* a part with fewer is noise */
/* "kind,cut,part,n,median" lines of the parts of one kind, with the whole as cut "all". */
void gate_write(const char *kind, const struct validation *v, struct buf *out);
/*
 * Lines of `baseline` of that kind against v; what got worse than the gate allows goes to `complaints`, one line each: the
 * whole by more than 5 % of itself, a part by more than 10 %. Returns the number of lines looked at.
 */
int gate_check(const char *kind, const struct validation *v, const char *baseline, size_t len, struct buf *complaints,
               struct err *err);

/* ---- docs/accuracy.md: page.c ---- */

struct study {
    const char *kind;
    struct measurements rows;
    struct validation *committed, *refitted, *by_source, *by_model;
};
void page_write(const struct study *s, int count, const char *notes, struct buf *out);

#endif
