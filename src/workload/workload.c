/* SPDX-License-Identifier: MIT */
/* What a person stated, field by field. */
#include "gpuplan/workload/job.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/text.h"
#include "workload/value.h"

void workload_init(struct workload *w) {
    memset(w, 0, sizeof *w);
}

void workload_unset(struct workload *w, enum field_id id) {
    w->v[id] = (struct value){0};
}

static bool refuse_name(const char *name, struct err *err) {
    const char *near = field_nearest(name);
    if (near != NULL)
        err_set(err, ERR_USAGE, "no such field; did you mean \"%s\"?", near);
    else
        err_set(err, ERR_USAGE, "no such field; \"gpuplan list fields\" shows them");
    return err_at(err, NULL, 0, 0, name);
}

/* "auto" for a field that is open when unset. */
static bool means_unset(const struct field *f, const char *text) {
    bool open = f->id == FIELD_ZERO || f->id == FIELD_SEQ_PARALLEL;
    return text[0] == '\0' || (open && text_equal_fold(text, "auto"));
}

bool workload_set(struct workload *w, const char *field, const char *value, struct err *err) {
    const struct field *f = field_find(field);
    char text[VALUE_MAX_TEXT];
    size_t len = strlen(value);
    if (f == NULL)
        return refuse_name(field, err);
    text_trim(&value, &len);
    if (len >= sizeof text) {
        err_set(err, ERR_USAGE, "a value of %zu bytes is too long", len);
        return err_at(err, NULL, 0, 0, f->name);
    }
    memcpy(text, value, len);
    text[len] = '\0';
    struct value v = {.source = VALUE_STATED};
    if (means_unset(f, text))
        v.source = VALUE_UNSET;
    else if (!value_parse(f, text, &v, err))
        return false;
    if (f->id == FIELD_MODEL)
        w->has_config = false;
    w->v[f->id] = v;
    return true;
}

bool workload_set_pair(struct workload *w, const char *key_equals_value, struct err *err) {
    char name[64];
    const char *equals = strchr(key_equals_value, '=');
    if (equals == NULL)
        return err_set(err, ERR_USAGE, "\"%.60s\" is no field and value; write it as FIELD=VALUE", key_equals_value);
    const char *key = key_equals_value;
    size_t len = (size_t)(equals - key);
    text_trim(&key, &len);
    snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : sizeof name - 1), key);
    return workload_set(w, name, equals + 1, err);
}

size_t workload_value_text(const struct workload *w, enum field_id id, char *out, size_t cap) {
    out[0] = '\0';
    return w->v[id].source == VALUE_UNSET ? 0 : value_print(&field_table()[id], &w->v[id], out, cap);
}

/* ---- JSON ---- */

static bool refuse_type(const char *name, struct err *err) {
    err_set(err, ERR_DATA, "allowed are a number, a text, true or false");
    return err_at(err, NULL, 0, 0, name);
}

/* A list of texts is one text with commas: people write regions so. */
static bool set_list(struct workload *w, const cJSON *list, struct err *err) {
    char joined[VALUE_MAX_TEXT];
    size_t n = 0;
    const cJSON *item;
    cJSON_ArrayForEach (item, list) {
        if (!cJSON_IsString(item) || n + strlen(item->valuestring) + 2 > sizeof joined)
            return refuse_type(list->string, err);
        n += (size_t)snprintf(joined + n, sizeof joined - n, "%s%s", n > 0 ? "," : "", item->valuestring);
    }
    joined[n] = '\0';
    return workload_set(w, list->string, joined, err);
}

static bool set_number(struct workload *w, const char *name, double x, struct err *err) {
    const struct field *f = field_find(name);
    char text[64];
    if (f == NULL)
        return refuse_name(name, err);
    if (!isfinite(x))
        return value_check_number(f, x, err);
    num_format_plain(text, sizeof text, x, 17);
    return workload_set(w, name, text, err);
}

static bool set_item(struct workload *w, const cJSON *item, struct err *err) {
    if (item->string[0] == '_' || item->string[0] == '$' || cJSON_IsNull(item))
        return true; /* a remark, or nothing */
    if (cJSON_IsString(item))
        return workload_set(w, item->string, item->valuestring, err);
    if (cJSON_IsBool(item))
        return workload_set(w, item->string, cJSON_IsTrue(item) ? "yes" : "no", err);
    if (cJSON_IsNumber(item))
        return set_number(w, item->string, item->valuedouble, err);
    if (cJSON_IsArray(item))
        return set_list(w, item, err);
    return refuse_type(item->string, err);
}

/* The answer of `rank` holds the workload it was made for; that part can be read again. */
static const cJSON *find_fields(const cJSON *root) {
    const cJSON *inner = cJSON_GetObjectItemCaseSensitive(root, "workload");
    return cJSON_IsObject(inner) ? inner : root;
}

bool workload_from_json(struct workload *w, const char *bytes, size_t len, const char *name, struct err *err) {
    cJSON *root = json_parse(bytes, len, name, err);
    if (root == NULL)
        return false;
    bool done = cJSON_IsObject(root);
    if (!done)
        err_set(err, ERR_DATA, "a workload is one JSON object, { \"task\": \"lora\", … }");
    struct workload read = *w;
    if (done) {
        const cJSON *item;
        cJSON_ArrayForEach (item, find_fields(root)) {
            if (!(done = set_item(&read, item, err)))
                break;
        }
    }
    cJSON_Delete(root);
    if (!done)
        return err_at(err, name, 0, 0, NULL);
    *w = read;
    return true;
}

void workload_to_json(const struct workload *w, struct buf *out) {
    cJSON *object = cJSON_CreateObject();
    char text[VALUE_MAX_TEXT];
    for (int i = 0; i < FIELD_COUNT; i++) {
        const struct field *f = &field_table()[i];
        const struct value *v = &w->v[i];
        if (v->source != VALUE_STATED)
            continue;
        if (f->type == FIELD_BOOL)
            cJSON_AddBoolToObject(object, f->name, v->word != 0);
        else if ((f->type == FIELD_NUMBER || f->type == FIELD_INTEGER) && num_known(v->number))
            json_add_number(object, f->name, v->number);
        else if (value_print(f, v, text, sizeof text) > 0)
            cJSON_AddStringToObject(object, f->name, text);
    }
    char *printed = cJSON_Print(object);
    if (printed != NULL) {
        buf_puts(out, printed);
        buf_putc(out, '\n');
    }
    cJSON_free(printed);
    cJSON_Delete(object);
}
