/* SPDX-License-Identifier: MIT */
/* Our own format as JSON Lines: one object a line, unknown fields absent. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/fields.h"

enum { MAX_LINE = CSV_MAX_RECORD };

static void set_member(struct reader *r, struct draft *d, const struct field *field, const cJSON *value) {
    char text[32];
    if (cJSON_IsString(value))
        draft_set_text(r, d, field, value->valuestring, strlen(value->valuestring));
    else if (cJSON_IsNumber(value) && field_is_number(field))
        draft_set_number(r, d, field, value->valuedouble);
    else if (cJSON_IsNumber(value)) /* seconds since 1970, or a word that looks like a number */
        draft_set_text(r, d, field, text, num_format_plain(text, sizeof text, value->valuedouble, 12));
    else if (cJSON_IsBool(value))
        draft_set_text(r, d, field, cJSON_IsTrue(value) ? "true" : "false", cJSON_IsTrue(value) ? 4 : 5);
    else if (!cJSON_IsNull(value))
        draft_refuse_type(r, d, field);
}

/* Keys and texts from outside pass the gate here too; what is nested is kept as its JSON text. */
static void keep_unknown(struct reader *r, cJSON *unknown, const cJSON *member) {
    const char *key = reader_str(r, reader_text(r, member->string, strlen(member->string)));
    if (!*key || listing_field_find(key) || cJSON_IsNull(member) || cJSON_HasObjectItem(unknown, key))
        return;
    if (cJSON_IsNumber(member) || cJSON_IsBool(member)) {
        cJSON_AddItemToObject(unknown, key, cJSON_Duplicate(member, false));
        return;
    }
    char *json = cJSON_IsString(member) ? NULL : cJSON_PrintUnformatted(member);
    const char *text = json ? json : cJSON_GetStringValue(member);
    uint32_t clean = text ? reader_text(r, text, strlen(text)) : 0;
    if (clean)
        cJSON_AddStringToObject(unknown, key, reader_str(r, clean));
    free(json);
}

static void read_object(struct reader *r, const cJSON *object) {
    struct draft d;
    cJSON *unknown = cJSON_CreateObject();
    draft_begin(&d);
    for (const cJSON *member = object->child; member; member = member->next) {
        const struct field *field = listing_field_find(member->string);
        if (!field)
            keep_unknown(r, unknown, member);
        else
            set_member(r, &d, field, member);
    }
    char *json = unknown->child ? cJSON_PrintUnformatted(unknown) : NULL;
    if (json)
        offer_extra_edit(r->out, &d.f)->unknown_columns = intern_put(r->out->text, json, strlen(json));
    free(json);
    cJSON_Delete(unknown);
    draft_finish(r, &d);
}

static void read_line(struct reader *r, const char *line, size_t len) {
    struct err err = {0};
    text_trim(&line, &len);
    if (len == 0)
        return;
    r->record++;
    reader_progress(r, line);
    if (len > MAX_LINE) {
        reader_problem(r, NULL, true, "line longer than 1 MiB");
        return;
    }
    cJSON *object = json_parse(line, len, r->name, &err);
    if (!object)
        reader_problem(r, NULL, true, "not JSON: %s", err.text);
    else if (!cJSON_IsObject(object))
        reader_problem(r, NULL, true, "not a JSON object");
    else
        read_object(r, object);
    cJSON_Delete(object);
}

bool gpuplan_jsonl_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                        struct offers *out, struct err *err) {
    struct reader r;
    (void)err;
    reader_begin(&r, ctx, out, name, bytes);
    const char *end = bytes + len;
    for (const char *p = bytes; p < end;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        size_t n = newline ? (size_t)(newline - p) : (size_t)(end - p);
        r.line++;
        read_line(&r, p, n);
        p += n + (newline != NULL);
    }
    reader_end(&r);
    return true;
}

int gpuplan_jsonl_recognise(const char *bytes, size_t len) {
    const char *line = bytes;
    const char *newline = memchr(bytes, '\n', len);
    size_t n = newline ? (size_t)(newline - bytes) : len;
    text_trim(&line, &n);
    if (n == 0 || line[0] != '{')
        return 0;
    bool gpu = memmem(line, n, "\"gpu\"", 5) || memmem(line, n, "\"gpu_raw\"", 9);
    bool rate = memmem(line, n, "\"rate_usd_h\"", 12) || memmem(line, n, "\"rate_basis\"", 12);
    return gpu && rate ? 90 : 0;
}
