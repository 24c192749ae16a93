/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/estimate/trace.h"

const char *cli_pick_id(const struct cli *c, const char *text) {
    const struct offer *named = offers_find(c->offers, text);
    double place;
    size_t size;
    bool exact = named && strcmp(offers_text(c->offers, named->id), text) == 0;
    if (exact || !num_parse_plain(text, strlen(text), &place) || place < 1 ||
        place > (double)ranking_group_count(c->ranking) || place != (double)(size_t)place)
        return text;
    const struct ranked *row = ranking_group_at(c->ranking, (size_t)place - 1, &size);
    return offers_text(c->offers, c->offers->items[row->offer].id);
}

/* Without --pick: the first of the ranking, else the offer that came nearest to being one. */
static const char *picked(struct cli *c) {
    const char *text = args_text(&c->args, OPTION_PICK, NULL);
    if (text)
        return cli_pick_id(c, text);
    if (ranking_count(c->ranking) > 0)
        return offers_text(c->offers, c->offers->items[ranking_at(c->ranking, 0)->offer].id);
    struct refusal_summary s[REASON_COUNT];
    size_t n = ranking_refusals(c->ranking, s);
    return n > 0 ? offers_text(c->offers, c->offers->items[s[0].example].id) : "";
}

bool cli_fail_pick(struct cli *c, const char *id) {
    struct err err = {0};
    char shown[120];
    text_clean(shown, sizeof shown, id, strlen(id));
    err_set(&err, ERR_USAGE,
            "--pick: \"%s\" is no place in the ranking, no id, and no beginning or end of a single one", shown);
    return cli_fail(c, &err);
}

int cmd_explain(struct cli *c) {
    double gpus;
    struct err err = {0};
    if (c->format == FORMAT_CSV) {
        err_set(&err, ERR_USAGE, "--format: an explanation is no table for csv; allowed are table, json, md");
        cli_fail(c, &err);
        return c->status;
    }
    if (!cli_number(c, OPTION_GPUS, 0, 1, 65536, &gpus) || !cli_need_ranking(c))
        return c->status;
    struct candidate candidate;
    struct trace *trace = mem_zero(1, sizeof *trace);
    const char *id = picked(c);
    if (!ranking_explain(c->ranking, id, (int)gpus, &candidate, trace)) {
        cli_fail_pick(c, id);
        free(trace);
        return c->status;
    }
    char *answer = cli_answer(c);
    const struct report_context ctx = {&c->question, c->ranking, c->offers, answer};
    struct buf b = {0};
    if (c->format == FORMAT_JSON)
        explain_json(&b, &ctx, &candidate, trace);
    else if (c->format == FORMAT_MD)
        explain_markdown(&b, &ctx, &candidate, trace);
    else
        explain_text(&b, &ctx, &candidate, trace, &c->style);
    int status = cli_write(c, &b, candidate.reason.code == REASON_NONE ? STATUS_DONE : STATUS_NOTHING_FITS);
    buf_free(&b);
    free(answer);
    free(trace);
    return status;
}
