/* SPDX-License-Identifier: MIT */
/* The ranking for programs and documents: JSON, CSV, Markdown. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <time.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/json_out.h"
#include "gpuplan/report/report.h"
#include "gpuplan/report/sentence.h"

static void put_workload(struct json_out *j, const struct job *job) {
    struct cJSON *tree = job_to_json(job);
    char *text = cJSON_PrintUnformatted(tree);
    json_out_raw(j, "workload", text ? text : "{}");
    cJSON_free(text);
    cJSON_Delete(tree);
}

static void put_assumed(struct json_out *j, const struct job *job, unsigned unstated) {
    json_out_array(j, "assumed");
    for (int i = 0; i < job->assumed_count; i++) {
        struct buf b = {0};
        buf_printf(&b, "%s=%s (%s)", job->assumed[i].key, job->assumed[i].value, job->assumed[i].why);
        json_out_text(j, NULL, b.data);
        buf_free(&b);
    }
    for (unsigned bit = 1; bit <= UNSTATED_ALL; bit <<= 1)
        if (unstated & bit)
            json_out_text(j, NULL, unstated_text(bit));
    json_out_end(j, ']');
}

static void put_when(struct json_out *j, const char *key, int64_t t) {
    char text[32];
    struct tm parts;
    time_t when = (time_t)t;
    if (t <= 0 || !gmtime_r(&when, &parts) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        json_out_null(j, key);
    else
        json_out_text(j, key, text);
}

static void put_snapshot(struct json_out *j, const struct report_context *ctx) {
    json_out_object(j, "snapshot");
    json_out_flat(j);
    json_out_number(j, "offers", (double)ctx->offers->count);
    json_out_number(j, "groups", (double)ranking_group_count(ctx->ranking));
    json_out_number(j, "candidates", (double)ranking_count(ctx->ranking));
    json_out_number(j, "skipped", (double)ctx->offers->rows_skipped);
    put_when(j, "observed_at", ctx->offers->observed_at);
    if (ctx->offers->from)
        json_out_text(j, "from", offers_text(ctx->offers, ctx->offers->from));
    json_out_end(j, '}');
}

static void put_refused(struct json_out *j, const struct report_context *ctx) {
    struct refusal_summary s[REASON_COUNT];
    size_t n = ranking_refusals(ctx->ranking, s);
    json_out_array(j, "refused");
    for (size_t i = 0; i < n; i++) {
        struct buf why = {0};
        sentence_reason(&why, &s[i].reason);
        json_out_object(j, NULL);
        json_out_text(j, "reason", reason_name(s[i].code));
        json_out_number(j, "offers", (double)s[i].offers);
        json_out_text(j, "example", offers_text(ctx->offers, ctx->offers->items[s[i].example].id));
        json_out_text(j, "what", s[i].reason.what);
        json_out_number(j, "need", s[i].reason.need);
        json_out_number(j, "have", s[i].reason.have);
        json_out_text(j, "text", why.data ? why.data : "");
        json_out_end(j, '}');
        buf_free(&why);
    }
    json_out_end(j, ']');
}

static void put_beside(struct json_out *j, const struct question *q, const char *key, bool has,
                       const struct candidate *c) {
    if (!has) {
        json_out_null(j, key);
        return;
    }
    json_out_array(j, key);
    candidate_json(j, q, c);
    json_out_end(j, ']');
}

/* What else there is to choose: each a list of at most one candidate. */
static void put_alternatives(struct json_out *j, const struct report_context *ctx) {
    struct answer a;
    struct job lighter = *ctx->q->job;
    struct question q = *ctx->q;
    ranking_answer(ctx->ranking, &a);
    lighter.weights = a.lighter_weights;
    q.job = &lighter;
    json_out_object(j, "alternatives");
    put_beside(j, ctx->q, "other", a.has_alternative, &a.alternative);
    put_beside(j, &q, "one_gpu_quantised", a.has_lighter, &a.lighter);
    put_beside(j, ctx->q, "shared_load", a.has_shared, &a.shared);
    json_out_number(j, "shared_machines", a.has_shared ? a.shared_machines : NUM_UNKNOWN);
    json_out_end(j, '}');
}

void report_json(struct buf *b, const struct report_context *ctx, const struct view_rows *v) {
    struct json_out j = {.b = b};
    unsigned unstated = 0;
    json_out_object(&j, NULL);
    put_workload(&j, ctx->q->job);
    put_snapshot(&j, ctx);
    json_out_text(&j, "goal", goal_name(ctx->q->goal));
    json_out_text(&j, "answer", ctx->answer);
    json_out_array(&j, "candidates");
    for (size_t i = 0; i < v->count; i++) {
        struct candidate c;
        view_row(v, i, &c);
        unstated |= unstated_of(ctx->q, &c);
        candidate_json(&j, ctx->q, &c);
    }
    json_out_end(&j, ']');
    put_alternatives(&j, ctx);
    put_assumed(&j, ctx->q->job, unstated);
    put_refused(&j, ctx);
    json_out_end(&j, '}');
}

void report_csv(struct buf *b, const struct report_context *ctx, const struct view_rows *v) {
    size_t count;
    const struct column *columns = column_table(&count);
    const char *separator = "";
    for (size_t i = 0; i < count; i++)
        if (columns[i].number || columns[i].value) {
            buf_printf(b, "%s%s", separator, columns[i].key);
            separator = ",";
        }
    buf_putc(b, '\n');
    for (size_t r = 0; r < v->count; r++) {
        struct candidate c;
        view_row(v, r, &c);
        separator = "";
        for (size_t i = 0; i < count; i++) {
            if (!columns[i].number && !columns[i].value)
                continue;
            buf_puts(b, separator);
            column_put_data(&columns[i], b, ctx->q, &c);
            separator = ",";
        }
        buf_putc(b, '\n');
    }
}

static bool in_markdown(const struct column *c) {
    static const int widest = 80;
    return c->label && c->from_width > 0 && c->from_width <= widest;
}

void report_markdown(struct buf *b, const struct report_context *ctx, const struct view_rows *v) {
    size_t count;
    const struct column *columns = column_table(&count);
    text_markdown_cell(b, ctx->answer);
    buf_puts(b, "\n\n|");
    for (size_t i = 0; i < count; i++)
        if (in_markdown(&columns[i]))
            buf_printf(b, " %s |", _(columns[i].label));
    buf_puts(b, "\n|");
    for (size_t i = 0; i < count; i++)
        if (in_markdown(&columns[i]))
            buf_puts(b, columns[i].left ? " --- |" : " ---: |");
    buf_putc(b, '\n');
    for (size_t r = 0; r < v->count; r++) {
        struct candidate c;
        view_row(v, r, &c);
        buf_putc(b, '|');
        for (size_t i = 0; i < count; i++) {
            struct buf cell = {0};
            if (!in_markdown(&columns[i]))
                continue;
            column_put(&columns[i], &cell, ctx->q, &c);
            buf_putc(b, ' ');
            text_markdown_cell(b, cell.data ? cell.data : "");
            buf_puts(b, " |");
            buf_free(&cell);
        }
        buf_putc(b, '\n');
    }
}
