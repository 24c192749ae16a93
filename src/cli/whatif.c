/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/compare.h"

static bool fail_counts(struct cli *c) {
    struct err err = {0};
    err_set(&err, ERR_USAGE, "--counts: expected up to %d ascending counts from 1 to %d, such as 1,2,4,8",
            WHATIF_MAX_COUNTS, WHATIF_MOST_GPUS);
    return cli_fail(c, &err);
}

static bool parse_counts(struct cli *c, struct whatif_question *w) {
    const char *s = args_text(&c->args, OPTION_COUNTS, w->vary == VARY_GPUS ? "1,2,4,8,16" : "");
    while (*s) {
        size_t len = strcspn(s, ",");
        double n;
        if (!num_parse_plain(s, len, &n) || n < 1 || n > WHATIF_MOST_GPUS || n != (int)n ||
            w->count == WHATIF_MAX_COUNTS)
            return fail_counts(c);
        if (w->count > 0 && (int)n <= w->counts[w->count - 1])
            return fail_counts(c);
        w->counts[w->count++] = (int)n;
        s += len + (s[len] == ',');
    }
    if (w->vary != VARY_GPUS && w->count > 1) {
        struct err err = {0};
        err_set(&err, ERR_USAGE, "--counts: with --vary %s one count at most, that of all columns", vary_name(w->vary));
        return cli_fail(c, &err);
    }
    return w->count > 0 || w->vary != VARY_GPUS || fail_counts(c);
}

/* --values "4k,8k": pieces of *copy, which the caller frees. */
static bool parse_values(struct cli *c, struct whatif_question *w, const char *values[WHATIF_MAX_COUNTS], char **copy) {
    const char *text = args_text(&c->args, OPTION_VALUES, NULL);
    int field = whatif_field(c->question.job, w->vary);
    struct err err = {0};
    *copy = text ? mem_strdup(text) : NULL;
    if (w->vary >= VARY_PRECISION && field < 0) {
        err_set(&err, ERR_USAGE, "--vary %s: a %s job has no such field", vary_name(w->vary),
                task_name(c->question.job->task));
        return cli_fail(c, &err);
    }
    if (text && field < 0) {
        err_set(&err, ERR_USAGE, "--values is for --vary precision, seq_len or batch");
        return cli_fail(c, &err);
    }
    for (char *at = *copy; at && *at && w->value_count < WHATIF_MAX_COUNTS;) {
        size_t len = strcspn(at, ",");
        bool more = at[len] != '\0';
        at[len] = '\0';
        struct workload *trial = mem_alloc(sizeof *trial);
        *trial = c->workload;
        bool fine = len < WHATIF_VALUE && workload_set(trial, field_table()[field].name, at, &err);
        free(trial);
        if (!fine)
            return cli_fail(c, &err);
        values[w->value_count++] = at;
        at += len + more;
    }
    w->values = values;
    return true;
}

/* The card: of --pick, of --gpu, else of the first of the ranking. */
static bool parse_card(struct cli *c, struct whatif_question *w) {
    const char *name = args_text(&c->args, OPTION_GPU, NULL), *link = args_text(&c->args, OPTION_LINK, NULL);
    struct err err = {0};
    const char *pick = args_text(&c->args, OPTION_PICK, NULL);
    w->pick = pick ? cli_pick_id(c, pick) : NULL;
    w->link = link ? link_find(link) : -1;
    if (w->pick && !offers_find(c->offers, w->pick))
        return cli_fail_pick(c, pick);
    if (name) {
        const struct gpu *g = cli_named_card(c, name);
        w->gpu = g ? catalog_gpu_index(c->catalog, g) : -1;
        return g != NULL;
    }
    if (!w->pick && ranking_count(c->ranking) == 0) {
        err_set(&err, ERR_USAGE, "nothing fits: say which card with --gpu or --pick");
        return cli_fail(c, &err);
    }
    const struct offer *first = w->pick ? NULL : &c->offers->items[ranking_at(c->ranking, 0)->offer];
    if (first && (w->vary == VARY_GPUS || w->vary == VARY_GPU))
        w->gpu = first->gpu;
    else if (first)
        w->pick = offers_text(c->offers, first->id);
    return true;
}

static bool check_link(struct cli *c, const struct whatif_question *w) {
    const struct offer *pick = w->pick ? offers_find(c->offers, w->pick) : NULL;
    int gpu = pick ? pick->gpu : w->gpu;
    return w->link < 0 || gpu < 0 ||
           cli_check_link(c, catalog_gpu(c->catalog, (size_t)gpu), (enum link_kind)w->link, 0);
}

int cmd_whatif(struct cli *c) {
    struct whatif_question w = {.vary = (enum vary)vary_find(args_text(&c->args, OPTION_VARY, "gpus")),
                                .weak = args_has(&c->args, OPTION_WEAK)};
    const char *values[WHATIF_MAX_COUNTS];
    char *copy = NULL;
    if (!parse_counts(c, &w) || !cli_need_ranking(c) || !parse_card(c, &w) || !check_link(c, &w))
        return c->status;
    w.workload = &c->workload;
    w.models = c->models;
    struct err err = {0};
    if (w.weak && !whatif_can_be_weak(c->question.job)) {
        err_set(&err, ERR_USAGE, "--weak: the work of a %s job does not grow with the count",
                task_name(c->question.job->task));
        cli_fail(c, &err);
        return c->status;
    }
    if (!parse_values(c, &w, values, &copy)) {
        free(copy);
        return c->status;
    }
    struct whatif *answer = mem_zero(1, sizeof *answer);
    struct buf b = {0};
    int status = STATUS_WRONG;
    if (!whatif_make(c->ranking, &w, answer)) {
        err_set(&err, ERR_USAGE,
                w.vary == VARY_LINK ? "one GPU has no link: name another --counts or --pick"
                                    : "no offer that can be had has this card and link");
        cli_fail(c, &err);
    } else {
        if (c->format == FORMAT_JSON)
            whatif_json(&b, &c->question, answer);
        else
            whatif_table(&b, &c->question, answer, (enum grid_format)c->format, &c->style);
        status = cli_write(c, &b, answer->base >= 0 ? STATUS_DONE : STATUS_NOTHING_FITS);
    }
    buf_free(&b);
    free(answer);
    free(copy);
    return status;
}
