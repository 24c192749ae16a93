/* SPDX-License-Identifier: MIT */
/* A validation for programs, always English: JSON (design.md section 7.2, with a breakdown and the order beside it) and CSV. */
#include <cjson/cJSON.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/validate.h"

/* ---- JSON ---- */

static void add_text(cJSON *object, const char *key, const char *text) {
    if (text == NULL || *text == '\0') {
        cJSON_AddNullToObject(object, key);
    } else {
        cJSON_AddStringToObject(object, key, text);
    }
}

static cJSON *row_json(const struct validate_row *r) {
    const struct measurement *m = r->m;
    bool verdict = m->metric == METRIC_FITS;
    cJSON *row = cJSON_CreateObject();

    cJSON_AddStringToObject(row, "id", m->id);
    cJSON_AddStringToObject(row, "kind", m->kind);
    add_text(row, "series", m->series);
    add_text(row, "metric", m->metric == METRIC_COUNT ? NULL : metric_name(m->metric));
    if (verdict && num_known(m->value)) {
        cJSON_AddStringToObject(row, "measured", m->value > 0 ? "yes" : "no");
    } else {
        json_add_number(row, "measured", m->value);
    }
    if (verdict) {
        add_text(row, "predicted", r->skipped == NULL ? fit_name(r->fit) : NULL);
    } else {
        json_add_range(row, "predicted", &r->predicted);
    }
    json_add_number(row, "error_pct", r->error_pct);
    if (r->skipped == NULL) {
        cJSON_AddBoolToObject(row, "inside_range", r->inside);
    } else {
        cJSON_AddNullToObject(row, "inside_range");
    }
    add_text(row, "skipped", r->skipped);
    return row;
}

static cJSON *summary_json(const struct validate_summary *s) {
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "n", s->n);
    cJSON_AddNumberToObject(o, "skipped", s->skipped);
    json_add_number(o, "median_abs_error_pct", s->median_abs_error_pct);
    json_add_number(o, "p90_abs_error_pct", s->p90_abs_error_pct);
    json_add_number(o, "inside_range_pct", s->inside_range_pct);
    json_add_number(o, "median_width", s->median_width);
    json_add_number(o, "bias_pct", s->bias_pct);
    if (s->verdicts > 0) {
        cJSON_AddNumberToObject(o, "fits_right_pct", 100.0 * s->right / s->verdicts);
        cJSON_AddNumberToObject(o, "false_fits", s->false_fits);
        cJSON_AddNumberToObject(o, "false_nos", s->false_nos);
    }
    return o;
}

static cJSON *breakdown_json(const struct validation *v) {
    cJSON *list = cJSON_CreateArray();
    struct validate_line lines[VALIDATION_LINES];
    int count = validation_lines(v, lines);

    for (int i = 0; i < count; i++) {
        struct validate_filter f = {.kind = lines[i].kind, .part = lines[i].part, .metric = lines[i].metric};
        struct validate_summary s = validation_summary(v, &f);
        cJSON *o = summary_json(&s);
        cJSON_AddStringToObject(o, "kind", lines[i].kind);
        cJSON_AddStringToObject(o, "metric", metric_name(lines[i].metric));
        add_text(o, "part", lines[i].part);
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static cJSON *order_json(const struct validation *v) {
    struct validate_order order = validation_order(v);
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "scaling_points", order.points);
    json_add_number(o, "scaling_efficiency_error_points", order.efficiency_error);
    json_add_number(o, "linear_scaling_error_points", order.linear_error);
    cJSON_AddNumberToObject(o, "pairs", (double)order.pairs);
    json_add_number(o, "pairs_ordered_right_pct", order.pairs_right_pct);
    return o;
}

void validation_to_json(const struct validation *v, struct buf *out) {
    cJSON *root = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(root, "rows");
    cJSON *summary = cJSON_AddObjectToObject(root, "summary");
    const char *kinds[VALIDATION_KINDS];
    int count = validation_kinds(v, kinds);
    char *text;

    for (size_t i = 0; i < validation_count(v); i++) {
        cJSON_AddItemToArray(rows, row_json(validation_row(v, i)));
    }
    for (int k = 0; k < count; k++) {
        struct validate_filter f = {.kind = kinds[k], .metric = METRIC_COUNT};
        struct validate_summary s = validation_summary(v, &f);
        cJSON_AddItemToObject(summary, kinds[k], summary_json(&s));
    }
    cJSON_AddItemToObject(root, "breakdown", breakdown_json(v));
    cJSON_AddItemToObject(root, "order", order_json(v));
    text = cJSON_Print(root);
    buf_puts(out, text != NULL ? text : "{}");
    buf_putc(out, '\n');
    cJSON_free(text);
    cJSON_Delete(root);
}

/* ---- CSV ---- */

static void put_number(struct buf *out, double x) {
    char text[40];

    buf_putc(out, ',');
    num_format_plain(text, sizeof text, x, 8);
    buf_puts(out, text);
}

static void put_cell(struct buf *out, const char *text) {
    buf_putc(out, ',');
    text_csv_cell(out, text);
}

void validation_to_csv(const struct validation *v, struct buf *out) {
    buf_puts(
        out,
        "id,kind,series,source,model,quality,mode,metric,measured,low,expected,high,error_pct,inside_range,skipped\n");
    for (size_t i = 0; i < validation_count(v); i++) {
        const struct validate_row *r = validation_row(v, i);
        const struct measurement *m = r->m;
        const char *const texts[] = {m->kind, m->series, m->source, m->model, m->quality, m->mode};
        text_csv_cell(out, m->id);
        for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
            put_cell(out, texts[t]);
        }
        put_cell(out, m->metric == METRIC_COUNT ? "" : metric_name(m->metric));
        if (m->metric == METRIC_FITS) {
            put_cell(out, m->value > 0 ? "yes" : "no");
            put_cell(out, "");
            put_cell(out, r->skipped == NULL ? fit_name(r->fit) : "");
            put_cell(out, "");
        } else {
            put_number(out, m->value);
            put_number(out, r->predicted.low);
            put_number(out, r->predicted.expected);
            put_number(out, r->predicted.high);
        }
        put_number(out, r->error_pct);
        put_cell(out, r->skipped != NULL ? "" : r->inside ? "yes" : "no");
        put_cell(out, r->skipped != NULL ? r->skipped : "");
        buf_putc(out, '\n');
    }
}
