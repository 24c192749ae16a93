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
    const char *s = args_text(&c->args, OPTION_COUNTS, "1,2,4,8,16");
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
    return w->count > 0 || fail_counts(c);
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
    if (!w->pick)
        w->gpu = c->offers->items[ranking_at(c->ranking, 0)->offer].gpu;
    return true;
}

static bool check_link(struct cli *c, const struct whatif_question *w) {
    const struct offer *pick = w->pick ? offers_find(c->offers, w->pick) : NULL;
    int gpu = pick ? pick->gpu : w->gpu;
    return w->link < 0 || gpu < 0 ||
           cli_check_link(c, catalog_gpu(c->catalog, (size_t)gpu), (enum link_kind)w->link, 0);
}

int cmd_whatif(struct cli *c) {
    struct whatif_question w = {0};
    if (!parse_counts(c, &w) || !cli_need_ranking(c) || !parse_card(c, &w) || !check_link(c, &w))
        return c->status;
    struct whatif *answer = mem_zero(1, sizeof *answer);
    struct buf b = {0};
    struct err err = {0};
    int status = STATUS_WRONG;
    if (!whatif_make(c->ranking, &w, answer)) {
        err_set(&err, ERR_USAGE, "no offer that can be had has this card and link");
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
    return status;
}
