/* SPDX-License-Identifier: MIT */
/* Saved workloads, and a ranking or an explanation written to a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/io/io.h"
#include "gpuplan/report/report.h"
#include "gpuplan/report/sentence.h"
#include "screen.h"

static bool ends_with(const char *s, const char *end) {
    size_t len = strlen(s), tail = strlen(end);
    return len >= tail && strcmp(s + len - tail, end) == 0;
}

/* "name" -> "DIR/name.json"; a slash would leave the folder. */
static char *workload_path(const struct app *a, const char *name) {
    struct buf b = {0};
    buf_printf(&b, "%s/%s%s", a->workload_dir, name, ends_with(name, ".json") ? "" : ".json");
    char *path = mem_strdup(b.data);
    buf_free(&b);
    return path;
}

static bool fine_name(const char *name) {
    return *name && *name != '.' && !strchr(name, '/');
}

void files_save_workload(struct app *a, const char *name) {
    struct err err = {0};
    struct buf b = {0};
    if (!fine_name(name) || !a->workload_dir) {
        err_set(&err, ERR_USAGE, "a name without a slash, please");
        app_say_error(a, &err);
        return;
    }
    char *path = workload_path(a, name);
    workload_to_json(&a->stated.workload, &b);
    if (io_make_dirs(a->workload_dir, &err) && io_write_atomic(path, b.data, b.len, &err))
        app_say(a, MESSAGE_SAVED, path);
    else
        app_say_error(a, &err);
    buf_free(&b);
    free(path);
}

bool files_list_workloads(const struct app *a, struct io_list *out) {
    size_t kept = 0;
    if (!a->workload_dir || !io_read_dir(a->workload_dir, out, NULL))
        return false;
    for (size_t i = 0; i < out->count; i++) {
        if (ends_with(out->paths[i], ".json"))
            out->paths[kept++] = out->paths[i];
        else
            free(out->paths[i]);
    }
    out->count = kept;
    return kept > 0;
}

void files_open_workload(struct app *a, const char *name) {
    struct err err = {0};
    struct buf bytes = {0};
    char *path = workload_path(a, name);
    struct stated *wanted = stated_copy(&a->stated), *before = stated_copy(&a->stated);
    workload_init(&wanted->workload);
    bool done = io_read(path, IO_MAX_SMALL, &bytes, &err) &&
                workload_from_json(&wanted->workload, bytes.data ? bytes.data : "", bytes.len, name, &err) &&
                stated_take(a, wanted, &err);
    if (done) {
        history_push(a, before, name);
        app_expect(a, MESSAGE_OPENED, name);
    } else {
        app_say_error(a, &err);
    }
    buf_free(&bytes);
    free(path);
    free(wanted);
    free(before);
}

/* ---- export: the suffix names the form ---- */

enum grid_format files_format(const char *path) {
    return ends_with(path, ".csv")    ? GRID_CSV
           : ends_with(path, ".json") ? GRID_JSON
           : ends_with(path, ".md")   ? GRID_MARKDOWN
                                      : GRID_TABLE;
}

bool files_put_ranking(struct app *a, struct buf *b, const char *path) {
    struct ranking *r = a->shown->ranking;
    struct buf text = {0};
    struct answer *answer = mem_zero(1, sizeof *answer);
    ranking_answer(r, answer);
    sentence_answer(&text, r, answer);
    free(answer);
    bool people = !ends_with(path, ".csv") && !ends_with(path, ".json");
    struct view_rows v = {.ranking = r, .grouped = people, .count = people ? ranking_group_count(r) : ranking_count(r)};
    const struct report_context ctx = {ranking_question(r), r, a->shown->snapshot->offers, text.data ? text.data : ""};
    const struct style style = {FILES_WIDTH, a->ascii, false};
    if (ends_with(path, ".csv"))
        report_csv(b, &ctx, &v);
    else if (ends_with(path, ".json"))
        report_json(b, &ctx, &v);
    else if (ends_with(path, ".md"))
        report_markdown(b, &ctx, &v);
    else
        report_table(b, &ctx, &v, &style);
    buf_free(&text);
    return true;
}

bool files_put_explanation(struct app *a, struct buf *b, const char *path) {
    struct ranking *r = a->shown->ranking;
    const struct report_context ctx = {ranking_question(r), r, a->shown->snapshot->offers, ""};
    const struct style style = {FILES_WIDTH, a->ascii, false};
    if (!a->explained.found)
        return false;
    if (ends_with(path, ".json"))
        explain_json(b, &ctx, &a->explained.c, &a->explained.trace);
    else if (ends_with(path, ".md"))
        explain_markdown(b, &ctx, &a->explained.c, &a->explained.trace);
    else
        explain_text(b, &ctx, &a->explained.c, &a->explained.trace, &style);
    return true;
}

void files_export(struct app *a, const char *path) {
    struct err err = {0};
    struct buf b = {0};
    if (!*path || !a->shown || !a->shown->ranked || !screen_now(a)->put || !screen_now(a)->put(a, &b, path))
        return;
    if (io_write_atomic(path, b.data ? b.data : "", b.len, &err))
        app_say(a, MESSAGE_SAVED, path);
    else
        app_say_error(a, &err);
    buf_free(&b);
}
