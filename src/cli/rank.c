/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"

/* What --sort compares: a number or a text of every row. */
struct sort_entry {
    uint32_t at;
    double number;
    char *text;
};
struct sort_plan {
    const struct column *column;
    bool turned;
};

static bool parse_sort(struct cli *c, struct sort_plan *out) {
    const char *name = args_text(&c->args, OPTION_SORT, NULL);
    struct err err = {0};
    *out = (struct sort_plan){0};
    if (!name)
        return true;
    out->turned = *name == '-';
    name += out->turned;
    out->column = column_find(name);
    if (out->column)
        return true;
    char shown[80];
    text_clean(shown, sizeof shown, name, strlen(name));
    const char *near = column_nearest(shown);
    if (near)
        err_set(&err, ERR_USAGE, "--sort: unknown column \"%s\", did you mean \"%s\"?", shown, near);
    else
        err_set(&err, ERR_USAGE, "--sort: unknown column \"%s\"; `gpuplan list columns` shows them", shown);
    return cli_fail(c, &err);
}

/* Unknown numbers stand last, whichever way round. */
static int compare_entries(const void *pa, const void *pb) {
    const struct sort_entry *a = pa, *b = pb;
    int by = 0;
    if (a->text)
        by = strcmp(a->text, b->text);
    else if (num_known(a->number) != num_known(b->number))
        by = num_known(a->number) ? -1 : 1;
    else if (num_known(a->number))
        by = a->number < b->number ? -1 : a->number > b->number;
    return by != 0 ? by : (a->at < b->at ? -1 : a->at > b->at);
}

static uint32_t *sorted_order(const struct cli *c, const struct view_rows *all, const struct sort_plan *plan) {
    struct sort_entry *entries = mem_zero(all->count + 1, sizeof *entries);
    uint32_t *order = mem_zero(all->count + 1, sizeof *order);
    bool down = plan->column->descending != plan->turned;
    for (size_t i = 0; i < all->count; i++) {
        struct candidate row;
        view_row(all, i, &row);
        entries[i].at = (uint32_t)i;
        if (plan->column->number) {
            entries[i].number = plan->column->number(&c->question, &row) * (down ? -1 : 1);
        } else {
            struct buf b = {0};
            plan->column->value(&b, &c->question, &row);
            entries[i].text = b.data ? b.data : mem_strdup("");
        }
    }
    qsort(entries, all->count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < all->count; i++) {
        size_t from = down && entries[i].text ? all->count - 1 - i : i;
        order[i] = entries[from].at;
    }
    for (size_t i = 0; i < all->count; i++)
        free(entries[i].text);
    free(entries);
    return order;
}

static bool is_grouped(const struct cli *c) {
    const char *usual = c->format == FORMAT_TABLE || c->format == FORMAT_MD ? "offer" : "none";
    return strcmp(args_text(&c->args, OPTION_GROUP, usual), "offer") == 0;
}

static void put(const struct cli *c, struct buf *b, const struct view_rows *v) {
    char *answer = cli_answer(c);
    const struct report_context ctx = {&c->question, c->ranking, c->offers, answer};
    switch (c->format) {
    case FORMAT_JSON:
        report_json(b, &ctx, v);
        break;
    case FORMAT_CSV:
        report_csv(b, &ctx, v);
        break;
    case FORMAT_MD:
        report_markdown(b, &ctx, v);
        break;
    default:
        report_table(b, &ctx, v, &c->style);
    }
    free(answer);
}

int cmd_rank(struct cli *c) {
    struct sort_plan plan;
    double top;
    bool table = c->format == FORMAT_TABLE || c->format == FORMAT_MD;
    if (!parse_sort(c, &plan) || !cli_number(c, OPTION_TOP, table ? 20 : 0, 0, 1e9, &top) || !cli_need_ranking(c))
        return c->status;
    struct view_rows v = {.ranking = c->ranking, .grouped = is_grouped(c)};
    v.count = v.grouped ? ranking_group_count(c->ranking) : ranking_count(c->ranking);
    uint32_t *order = plan.column ? sorted_order(c, &v, &plan) : NULL;
    v.order = order;
    if (top > 0 && (double)v.count > top)
        v.count = (size_t)top;
    struct buf b = {0};
    put(c, &b, &v);
    int status = cli_write(c, &b, ranking_count(c->ranking) > 0 ? STATUS_DONE : STATUS_NOTHING_FITS);
    free(order);
    buf_free(&b);
    return status;
}
