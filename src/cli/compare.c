/* SPDX-License-Identifier: MIT */
/* `gpuplan compare`: offers side by side, or whole lists. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/io/io.h"
#include "gpuplan/io/snapshot.h"
#include "gpuplan/report/compare.h"

/* ---- lists ---- */

enum { TABLE_ROWS = 20 };

struct lists {
    struct compared_list items[COMPARE_LISTS_MAX];
    struct offers *offers[COMPARE_LISTS_MAX];
    const char *paths[COMPARE_LISTS_MAX], *names[COMPARE_LISTS_MAX];
    size_t count;
};

static void say_error(void *user, const struct err *err) {
    struct cli *c = user;
    cli_fail(c, err);
}

/* One snapshot by its source: the one before it is what it is compared with. */
static void name_lists(struct cli *c, struct lists *l) {
    cli_need_listings(c);
    l->count = c->listing_count;
    for (size_t i = 0; i < l->count && i < COMPARE_LISTS_MAX; i++) {
        l->paths[i] = c->listings[i];
        l->names[i] =
            args_has(&c->args, OPTION_LISTINGS) ? c->args.values[OPTION_LISTINGS][i] : io_base_name(c->listings[i]);
    }
    for (size_t i = 0; i < l->count && i < COMPARE_LISTS_MAX && !args_has(&c->args, OPTION_LISTINGS); i++)
        for (size_t k = 0; k < c->kept->count; k++)
            if (c->kept->items[k].path == c->listings[i])
                l->names[i] = c->kept->items[k].source;
    if (l->count != 1)
        return;
    const struct io_snapshot *before = io_snapshots_named(c->kept, l->names[0], 1);
    if (!before)
        return;
    l->paths[1] = l->paths[0];
    l->names[1] = io_base_name(l->paths[1]);
    l->paths[0] = before->path;
    l->names[0] = io_base_name(before->path);
    l->count = 2;
}

static bool rank_list(struct cli *c, struct lists *l, size_t i) {
    const struct listing_context ctx = {
        .catalog = c->catalog, .providers = c->providers, .now = c->now, .mappings = c->mappings};
    struct err err = {0};
    struct question q = c->question;
    l->offers[i] = offers_new();
    if (!io_load_listings(&ctx, &l->paths[i], 1, l->offers[i], say_error, c, &err))
        return cli_fail(c, &err);
    if (l->offers[i]->count == 0) {
        err_set(&err, ERR_DATA, "no GPU offer found");
        err_at(&err, l->names[i], 0, 0, NULL);
        return cli_fail(c, &err);
    }
    q.offers = l->offers[i];
    l->items[i] = (struct compared_list){l->names[i], ranking_new(&q, c->memo)};
    ranking_run(l->items[i].ranking);
    return true;
}

static int put_lists(struct cli *c, const struct lists *l, enum change_match match, size_t top) {
    struct changes changes;
    struct buf b = {0};
    changes_find(l->items[0].ranking, l->items[l->count - 1].ranking, match, &changes);
    if (c->format == FORMAT_JSON)
        lists_json(&b, l->items, l->count, match, &changes);
    else
        lists_table(&b, l->items, l->count, match, &changes,
                    c->format == FORMAT_CSV && !args_has(&c->args, OPTION_TOP) ? 0 : top, (enum grid_format)c->format,
                    &c->style);
    int status = cli_write(c, &b, STATUS_DONE);
    buf_free(&b);
    changes_free(&changes);
    return status;
}

static int compare_lists(struct cli *c) {
    struct lists *l = mem_zero(1, sizeof *l);
    struct err err = {0};
    double top;
    bool by_source = strcmp(args_text(&c->args, OPTION_BY, ""), "source") == 0;
    bool good = cli_number(c, OPTION_TOP, TABLE_ROWS, 0, 1e9, &top) && cli_need_question(c) && cli_need_mappings(c);
    if (good) {
        name_lists(c, l);
        if (l->count < 2 || l->count > COMPARE_LISTS_MAX || args_has(&c->args, OPTION_PICK)) {
            err_set(&err, ERR_USAGE,
                    "compare --by needs -l two to %d times and no --pick; one fetched source stands for its last two "
                    "snapshots",
                    COMPARE_LISTS_MAX);
            good = cli_fail(c, &err);
            l->count = 0;
        }
    }
    for (size_t i = 0; i < l->count && good; i++)
        good = rank_list(c, l, i);
    int status = good ? put_lists(c, l, by_source ? MATCH_MACHINE : MATCH_OFFER, (size_t)top) : c->status;
    for (size_t i = 0; i < COMPARE_LISTS_MAX; i++) {
        if (l->items[i].ranking)
            ranking_free(l->items[i].ranking);
        if (l->offers[i])
            offers_free(l->offers[i]);
    }
    free(l);
    return status;
}

/* ---- offers ---- */

int cmd_compare(struct cli *c) {
    int count = c->args.counts[OPTION_PICK];
    struct err err = {0};
    if (args_has(&c->args, OPTION_BY))
        return compare_lists(c);
    if (count < 2 || count > COMPARE_MAX) {
        err_set(&err, ERR_USAGE, "compare needs --pick OFFER two to %d times, or --by source|snapshot", COMPARE_MAX);
        cli_fail(c, &err);
        return c->status;
    }
    if (!cli_need_ranking(c))
        return c->status;
    struct candidate *candidates = mem_zero((size_t)count, sizeof *candidates);
    struct buf b = {0};
    int found = 0;
    while (found < count &&
           ranking_explain(c->ranking, cli_pick_id(c, c->args.values[OPTION_PICK][found]), 0, &candidates[found], NULL))
        found++;
    int status = STATUS_WRONG;
    if (found < count) {
        cli_fail_pick(c, c->args.values[OPTION_PICK][found]);
    } else {
        if (c->format == FORMAT_JSON)
            compare_json(&b, &c->question, candidates, (size_t)count);
        else
            compare_table(&b, &c->question, candidates, (size_t)count, (enum grid_format)c->format, &c->style);
        status = cli_write(c, &b, STATUS_DONE);
    }
    buf_free(&b);
    free(candidates);
    return status;
}
