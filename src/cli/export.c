/* SPDX-License-Identifier: MIT */
/* One offer of the ranking as a file for people or for the program that starts the job. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/estimate/trace.h"
#include "gpuplan/report/launch.h"
#include "gpuplan/report/sentence.h"

static bool put(struct cli *c, const char *to, const struct candidate *k, const struct trace *t, struct buf *b) {
    const struct launch *l = launch_find(to);
    struct err err = {0};
    if (l)
        return launch_write(b, l, &c->question, k, &err) || cli_fail(c, &err);
    char *answer = cli_answer(c);
    const struct report_context ctx = {&c->question, c->ranking, c->offers, answer};
    if (strcmp(to, "json") == 0)
        explain_json(b, &ctx, k, t);
    else if (strcmp(to, "md") == 0)
        explain_markdown(b, &ctx, k, t);
    else {
        const struct style style = {110, false, false}; /* columns a person still reads a line of */
        struct buf text = {0}, title = {0};
        explain_text(&text, &ctx, k, t, &style);
        sentence_machine(&title, &c->question, k);
        launch_html(b, title.data ? title.data : "", text.data ? text.data : "");
        buf_free(&text);
        buf_free(&title);
    }
    free(answer);
    return true;
}

int cmd_export(struct cli *c) {
    const char *to = args_text(&c->args, OPTION_TO, NULL);
    struct err err = {0};
    if (!to) {
        err_set(&err, ERR_USAGE,
                "`gpuplan export` needs --to md, html, json, torchrun, deepspeed, slurm, vllm or skypilot");
        cli_fail(c, &err);
        return c->status;
    }
    double gpus;
    if (!cli_number(c, OPTION_GPUS, 0, 1, 65536, &gpus) || !cli_need_ranking(c))
        return c->status;
    struct candidate candidate;
    struct trace *trace = mem_zero(1, sizeof *trace);
    struct buf b = {0};
    const char *pick = cli_pick_id(c, args_text(&c->args, OPTION_PICK, "1"));
    int status = STATUS_NOTHING_FITS;
    if (!args_has(&c->args, OPTION_PICK) && ranking_count(c->ranking) == 0) {
        err_set(&err, ERR_USAGE, "nothing fits: say which offer with --pick");
        cli_fail(c, &err);
    } else if (!ranking_explain(c->ranking, pick, (int)gpus, &candidate, trace)) {
        cli_fail_pick(c, pick);
        status = c->status;
    } else {
        status = put(c, to, &candidate, trace, &b) ? cli_write(c, &b, STATUS_DONE) : c->status;
    }
    buf_free(&b);
    free(trace);
    return status;
}
