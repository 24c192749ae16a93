/* SPDX-License-Identifier: MIT */
/* From what was stated to a job in which every value is known, and the list of what nobody said. */
#include "workload/resolve.h"

#include <math.h>
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "workload/slot.h"
#include "workload/value.h"
#include "workload/words.h"

bool resolve_refuse(struct resolve *r, enum field_id id, const char *format, ...) {
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    err_set(r->err, ERR_USAGE, "%s", text);
    return err_at(r->err, NULL, 0, 0, field_table()[id].name);
}

/* ---- the list of assumptions ---- */

static void list_one(struct job *j, const struct field *f, const struct value *v, const char *why) {
    char text[VALUE_MAX_TEXT];
    if (j->assumed_count >= JOB_MAX_ASSUMED)
        return;
    struct assumed *a = &j->assumed[j->assumed_count++];
    value_print(f, v, text, sizeof text);
    snprintf(a->key, sizeof a->key, "%s", f->name);
    snprintf(a->value, sizeof a->value, "%.63s", text);
    snprintf(a->why, sizeof a->why, "%s", why);
}

/* Digits that a person reads, not those of a double. */
static void round_number(struct value *v) {
    char text[40];
    size_t len = num_format_plain(text, sizeof text, v->number, 6);
    if (num_known(v->number))
        num_parse_plain(text, len, &v->number);
}

size_t job_value_text(const struct job *j, enum field_id id, char *out, size_t cap) {
    const struct field *f = &field_table()[id];
    struct value v;
    out[0] = '\0';
    if (!(f->tasks & 1u << j->task) || !slot_get(j, id, &v))
        return 0;
    round_number(&v);
    if (id == FIELD_STEPS) /* the last one may be a part of a batch; it is a step all the same */
        v.number = ceil(v.number);
    return value_print(f, &v, out, cap);
}

static void list_assumed(struct resolve *r) {
    struct job *j = r->j;
    j->assumed_count = 0;
    for (int i = 0; i < FIELD_COUNT; i++) {
        const struct field *f = &field_table()[i];
        const char *why = r->w.v[i].source == VALUE_PRESET ? "preset" : r->why[i];
        struct value v;
        if (why == NULL || (f->tasks & (1u << j->task)) == 0)
            continue;
        if (slot_get(j, f->id, &v)) {
            round_number(&v);
            list_one(j, f, &v, why);
        }
    }
}

/* ---- resolving ---- */

static bool is_shape_field(enum field_id id) {
    return field_table()[id].group == GROUP_MODEL;
}

static void copy_values(struct resolve *r) {
    for (int i = 0; i < FIELD_COUNT; i++)
        if (is_set(r, (enum field_id)i) && !is_shape_field((enum field_id)i))
            slot_set(r->j, (enum field_id)i, &r->w.v[i]);
}

static bool resolve_kind(struct resolve *r) {
    if (r->j->task == TASK_MEASURED)
        return resolve_measured(r);
    if (!resolve_model(r))
        return false;
    return r->j->task == TASK_INFERENCE ? resolve_inference(r) : resolve_training(r);
}

/* What follows from the rest is held to the same bounds as what is stated, so that a resolved job can be stated again. */
static bool check_ranges(struct resolve *r) {
    for (int i = 0; i < FIELD_COUNT; i++) {
        const struct field *f = &field_table()[i];
        struct value v;
        bool number = f->type == FIELD_NUMBER || f->type == FIELD_INTEGER;
        if (!number || (f->tasks & 1u << r->j->task) == 0 || !slot_get(r->j, f->id, &v) || v.number == 0)
            continue;
        if (!(v.number >= f->min && v.number <= f->max))
            return resolve_refuse(r, f->id, "%.4g follows from the rest; allowed are %g to %g", v.number, f->min,
                                  f->max);
    }
    return true;
}

bool job_resolve(const struct workload *w, const struct models *models, struct job *out, struct err *err) {
    struct resolve r = {.w = *w, .models = models, .j = out, .err = err};
    if (is_set(&r, FIELD_PRESET) && !workload_apply_preset(&r.w, w->v[FIELD_PRESET].text, err))
        return false;
    if (!is_set(&r, FIELD_TASK))
        return resolve_refuse(
            &r, FIELD_TASK,
            "is missing; allowed are pretrain, full, lora, qlora, inference, measured (or name a preset)");
    job_init(out, (enum task)r.w.v[FIELD_TASK].word);
    copy_values(&r);
    if (!resolve_kind(&r) || !resolve_layout(&r) || !check_ranges(&r))
        return false;
    list_assumed(&r);
    return true;
}

/* ---- JSON ---- */

static void add_field(cJSON *object, const struct job *j, const struct field *f) {
    struct value v;
    char text[VALUE_MAX_TEXT];
    if (!slot_get(j, f->id, &v))
        return;
    if (f->type == FIELD_NUMBER || f->type == FIELD_INTEGER)
        json_add_number(object, f->name, v.number);
    else if (f->type == FIELD_BOOL)
        cJSON_AddBoolToObject(object, f->name, v.word != 0);
    else if (value_print(f, &v, text, sizeof text) > 0)
        cJSON_AddStringToObject(object, f->name, text);
}

struct cJSON *job_to_json(const struct job *j) {
    cJSON *object = cJSON_CreateObject();
    for (int i = 0; i < FIELD_COUNT; i++)
        if ((field_table()[i].tasks & (1u << j->task)) != 0)
            add_field(object, j, &field_table()[i]);
    return object;
}
