/* SPDX-License-Identifier: MIT */
/*
 * refit_tool fit KIND FILE.csv             the constants that fit best, as KEY=VALUE, with what is compiled in
 * refit_tool out KIND FILE.csv             errors on rows left out, by source and by model, as a table
 * refit_tool baseline FOLDER -              tests/accuracy_baseline.csv from the same files
 * refit_tool page FOLDER NOTES.md          docs/accuracy.md from FOLDER/{training,memory,inference}.csv, on standard output
 * More words KEY=VALUE set assumptions that are no keys of keys.csv (which lies beside this file: REFIT_KEYS).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/io/io.h"
#include "refit/refit.h"

enum { MOST_FOLDS = 15, STUDIES = 3 };

struct session {
    struct catalog *catalog;
    struct models *models;
    struct assumptions base;
    struct fit_keys keys;
    struct fit_start start;
    struct buf text[STUDIES];
};

static int fail(const struct err *err) {
    char text[640];
    err_format(err, text, sizeof text);
    fprintf(stderr, "refit_tool: %s\n", text);
    return 2;
}

static bool read_rows(struct session *s, int slot, const char *path, struct measurements *out, struct err *err) {
    return io_read(path, IO_MAX_SMALL, &s->text[slot], err) &&
           measurements_read(s->catalog, s->models, s->text[slot].data, s->text[slot].len, path, out, err);
}

static void predict_into(const struct session *s, const struct measurements *rows, const int *fold, int wanted,
                         const struct assumptions *a, struct prediction *out) {
    for (size_t i = 0; i < rows->count; i++) {
        if (fold == NULL || fold[i] == wanted) {
            measurement_predict(s->catalog, &rows->rows[i], a, &out[i]);
        }
    }
}

static struct validation *judge(const struct measurements *rows, const struct prediction *p) {
    struct validation *v = validation_new();

    for (size_t i = 0; i < rows->count; i++) {
        validation_add_row(v, &rows->rows[i], &p[i]);
    }
    return v;
}

static void start_from_priors(struct session *s, const struct measurements *rows) {
    double *weight = mem_zero(rows->count + 1, sizeof *weight);
    int *none = mem_zero(rows->count + 1, sizeof *none);
    struct fit_problem p = {s->catalog, rows, &s->keys, weight, &s->base, NULL};

    fit_start_free(&s->start);
    fit_weights(rows, none, -1, weight);
    s->start = fit_start_make(&p);
    free(none);
    free(weight);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fit_without(const struct session *s, const struct measurements *rows, const int *fold, int left_out,
                        struct fit_result *out) {
    double *weight = mem_zero(rows->count + 1, sizeof *weight);
    struct fit_problem p = {s->catalog, rows, &s->keys, weight, &s->base, &s->start};

    fit_weights(rows, fold, left_out, weight);
    fit_run(&p, out);
    free(weight);
}

/* Every fold in turn is predicted by constants that were fitted on the others. */
static struct validation *leave_out(const struct session *s, const struct measurements *rows, enum fold_kind kind) {
    struct prediction *p = mem_zero(rows->count + 1, sizeof *p);
    int *fold = mem_zero(rows->count + 1, sizeof *fold);
    int folds = folds_make(rows, kind, MOST_FOLDS, fold);

    for (int f = 0; f < folds; f++) {
        struct fit_result r;
        double start = seconds();
        int n = 0, example = -1;
        fit_without(s, rows, fold, f, &r);
        predict_into(s, rows, fold, f, &r.a, p);
        for (size_t i = 0; i < rows->count; i++) {
            n += fold[i] == f;
            example = fold[i] == f && example < 0 ? (int)i : example;
        }
        fprintf(stderr, "  without %s (%d rows): %d rounds, %d of %d keys informed, cost %.1f, %.1f s\n",
                kind == FOLD_SOURCE ? rows->rows[example].source : rows->rows[example].model, n, r.rounds, r.informed,
                s->keys.count, r.cost, seconds() - start);
    }
    struct validation *v = judge(rows, p);
    free(fold);
    free(p);
    return v;
}

static struct validation *in_sample(const struct session *s, const struct measurements *rows,
                                    const struct assumptions *a) {
    struct prediction *p = mem_zero(rows->count + 1, sizeof *p);

    predict_into(s, rows, NULL, 0, a, p);
    struct validation *v = judge(rows, p);
    free(p);
    return v;
}

static void print_figures(const char *what, const struct validation *v) {
    for (int controlled = 1; controlled >= 0; controlled--) {
        struct part_figures f = part_figures(v, CUT_SOURCE, NULL, controlled == 1);
        printf("%-24s %-3s n %4d  median %5.1f  p90 %6.1f  inside %3.0f %%  width %.2f  bias %+5.1f", what,
               controlled ? "A" : "all", f.n, f.median, f.p90, f.inside, f.width, f.bias);
        if (f.verdicts > 0) {
            printf("  verdicts %d/%d (%d false fits, %d false nos)", f.right, f.verdicts, f.false_fits, f.false_nos);
        }
        printf("\n");
    }
    struct validate_order o = validation_order(v);
    if (o.points > 0) {
        printf("%-24s scaling %.1f points (linear %.1f)  pairs %.1f %%\n", what, o.efficiency_error, o.linear_error,
               o.pairs_right_pct);
    }
}

static void print_parts(const char *what, const struct validation *v) {
    char values[64][48];

    for (int c = 0; c < CUT_COUNT; c++) {
        int count = cut_values(v, (enum cut)c, values, 64);
        for (int k = 0; k < count; k++) {
            struct part_figures f = part_figures(v, (enum cut)c, values[k], false);
            printf("%-10s %-8s %-24s n %4d  median %5.1f  p90 %6.1f  inside %3.0f %%  bias %+5.1f\n", what,
                   cut_name((enum cut)c), values[k], f.n, f.median, f.p90, f.inside, f.bias);
        }
    }
}

static void print_rows(const char *what, const struct validation *v) {
    for (size_t i = 0; i < validation_count(v); i++) {
        const struct validate_row *r = validation_row(v, i);
        printf("row %s %s %s %.1f\n", what, r->m->id, r->m->source, r->error_pct);
    }
}

static int run_out(struct session *s, const struct measurements *rows) {
    struct validation *v[] = {in_sample(s, rows, &s->base), leave_out(s, rows, FOLD_SOURCE),
                              leave_out(s, rows, FOLD_MODEL)};
    static const char *const names[] = {"in sample", "source out", "model out"};

    for (int i = 0; i < 3; i++) {
        print_figures(names[i], v[i]);
    }
    for (int i = 1; i < 3; i++) {
        print_parts(names[i], v[i]);
        print_rows(i == 1 ? "source" : "model", v[i]);
    }
    for (int i = 0; i < 3; i++) {
        validation_free(v[i]);
    }
    return 0;
}

static int run_fit(struct session *s, const struct measurements *rows) {
    int *none = mem_zero(rows->count + 1, sizeof *none);
    struct fit_result r;

    fit_without(s, rows, none, -1, &r);
    for (int k = 0; k < s->keys.count; k++) {
        enum assume_id id = s->keys.key[k].id;
        double fitted = assume_get(&r.a, id), now = assume_get(&s->base, id);
        printf("%s=%.4g  # %.4g, %+.0f %%; prior %.4g in %.4g..%.4g\n", assume_table()[id].key, fitted, now,
               100 * (fitted / now - 1), s->keys.key[k].prior, s->keys.key[k].low, s->keys.key[k].high);
    }
    struct validation *v[] = {in_sample(s, rows, &s->base), in_sample(s, rows, &r.a)};
    print_figures("compiled in", v[0]);
    print_figures("fitted", v[1]);
    validation_free(v[0]);
    validation_free(v[1]);
    free(none);
    return 0;
}

static const struct {
    const char *kind, *file;
} parts[STUDIES] = {{"train", "training"}, {"memory", "memory"}, {"infer", "inference"}};

static int run_baseline(struct session *s, const char *folder) {
    struct buf out = {0};
    struct err err = {0};
    char path[1024];

    for (int i = 0; i < STUDIES; i++) {
        struct measurements rows;
        snprintf(path, sizeof path, "%s/%s.csv", folder, parts[i].file);
        if (!read_rows(s, i, path, &rows, &err)) {
            return fail(&err);
        }
        struct validation *v = in_sample(s, &rows, &s->base);
        gate_write(parts[i].kind, v, &out);
        validation_free(v);
        measurements_free(&rows);
        buf_free(&s->text[i]);
    }
    fwrite(out.data, 1, out.len, stdout);
    buf_free(&out);
    return 0;
}

static int run_page(struct session *s, const char *folder, const char *notes) {
    struct study studies[STUDIES] = {0};
    struct buf words = {0}, page = {0};
    struct err err = {0};
    char path[1024];

    if (!io_read(notes, IO_MAX_SMALL, &words, &err)) {
        return fail(&err);
    }
    for (int i = 0; i < STUDIES; i++) {
        struct study *y = &studies[i];
        struct fit_result r;
        snprintf(path, sizeof path, "%s/%s.csv", folder, parts[i].file);
        if (!read_rows(s, i, path, &y->rows, &err) || !fit_keys_read(REFIT_KEYS, parts[i].kind, &s->keys, &err)) {
            return fail(&err);
        }
        fprintf(stderr, "%s: %zu rows, %d keys\n", parts[i].file, y->rows.count, s->keys.count);
        start_from_priors(s, &y->rows);
        int *none = mem_zero(y->rows.count + 1, sizeof *none);
        y->kind = parts[i].kind;
        y->committed = in_sample(s, &y->rows, &s->base);
        fit_without(s, &y->rows, none, -1, &r);
        y->refitted = in_sample(s, &y->rows, &r.a);
        y->by_source = leave_out(s, &y->rows, FOLD_SOURCE);
        y->by_model = leave_out(s, &y->rows, FOLD_MODEL);
        free(none);
    }
    page_write(studies, STUDIES, words.data, &page);
    fwrite(page.data, 1, page.len, stdout);
    for (int i = 0; i < STUDIES; i++) {
        validation_free(studies[i].committed);
        validation_free(studies[i].refitted);
        validation_free(studies[i].by_source);
        validation_free(studies[i].by_model);
        measurements_free(&studies[i].rows);
        buf_free(&s->text[i]);
    }
    buf_free(&words);
    buf_free(&page);
    return 0;
}

static bool set_assumption(struct session *s, char *pair, struct err *err) {
    char *value = strchr(pair, '=');
    if (value == NULL) {
        return err_set(err, ERR_USAGE, "'%.80s' is not KEY=VALUE", pair);
    }
    *value++ = '\0';
    return assumptions_set(&s->base, pair, value, err);
}

static int run(struct session *s, int argc, char **argv) {
    struct measurements rows;
    struct err err = {0};

    for (int i = 4; i < argc; i++) {
        if (!set_assumption(s, argv[i], &err)) {
            return fail(&err);
        }
    }
    if (strcmp(argv[1], "page") == 0) {
        return run_page(s, argv[2], argv[3]);
    }
    if (strcmp(argv[1], "baseline") == 0) {
        return run_baseline(s, argv[2]);
    }
    if (!fit_keys_read(REFIT_KEYS, argv[2], &s->keys, &err) || !read_rows(s, 0, argv[3], &rows, &err)) {
        return fail(&err);
    }
    start_from_priors(s, &rows);
    int status = strcmp(argv[1], "fit") == 0 ? run_fit(s, &rows) : run_out(s, &rows);
    measurements_free(&rows);
    buf_free(&s->text[0]);
    return status;
}

int main(int argc, char **argv) {
    struct session s = {0};
    struct err err = {0};
    int status;

    if (argc < 4) {
        fputs("usage: refit_tool fit|out train|memory|infer FILE.csv [KEY=VALUE ...]\n"
              "       refit_tool page FOLDER NOTES.md\n"
              "       refit_tool baseline FOLDER -\n",
              stderr);
        return 2;
    }
    assumptions_init(&s.base);
    s.catalog = catalog_load(&err);
    s.models = s.catalog == NULL ? NULL : models_load(&err);
    status = s.models == NULL ? fail(&err) : run(&s, argc, argv);
    fit_start_free(&s.start);
    models_free(s.models);
    catalog_free(s.catalog);
    return status;
}
