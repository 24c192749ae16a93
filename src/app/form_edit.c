/* SPDX-License-Identifier: MIT */
/* Changing a field: by a step, from a list, by typing. Each value that can be read is ranked at once; Esc takes all of it back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "state.h"

static const struct field *field_at(const struct app *a) {
    const struct form_row *row = form_row_at(a);
    return row && row->kind == FORM_FIELD ? &field_table()[row->value] : NULL;
}

static const char *const no_yes[] = {"no", "yes"};

const char *const *form_choices(const struct app *a, enum field_id id, size_t *count) {
    const struct field *f = &field_table()[id];
    *count = 0;
    if (id == FIELD_PRESET)
        return preset_names(count);
    if (id == FIELD_MODEL) {
        *count = a->model_count;
        return a->model_names;
    }
    if (f->type == FIELD_BOOL) {
        *count = 2;
        return no_yes;
    }
    while (f->type == FIELD_WORD && f->words[*count])
        ++*count;
    return f->type == FIELD_WORD ? f->words : NULL;
}

/* ---- an open field ---- */

/* Rows may come and go with what is tried: the open field is remembered by itself. */
static void begin(struct app *a, const struct field *f) {
    a->form.field = f->id;
    free(a->form.before);
    a->form.before = stated_copy(&a->stated);
    form_value(a, f->id, a->form.before_text, sizeof a->form.before_text);
    a->before = run_figures(a->shown);
}

/* A path of a config.json is read when it is named. */
static bool read_config(struct workload *w, struct err *err) {
    const struct value *v = &w->v[FIELD_MODEL];
    size_t len = v->source == VALUE_STATED ? strlen(v->text) : 0;
    struct buf bytes = {0};
    if (len <= 5 || strcmp(v->text + len - 5, ".json") != 0)
        return true;
    w->has_config = io_read(v->text, IO_MAX_SMALL, &bytes, err) &&
                    model_from_config(bytes.data ? bytes.data : "", bytes.len, v->text, &w->config, err);
    buf_free(&bytes);
    return w->has_config;
}

static void expect_edit(struct app *a, const struct field *f) {
    app_expect(a, MESSAGE_EDIT, f->label);
    text_copy(a->pending.b, sizeof a->pending.b, a->form.before_text);
    form_value(a, f->id, a->pending.c, sizeof a->pending.c);
}

bool form_try(struct app *a, const char *text, struct err *err) {
    const struct field *f = &field_table()[a->form.field];
    if (!a->form.before)
        return false;
    struct stated *wanted = stated_copy(a->form.before);
    bool done = workload_set(&wanted->workload, f->name, text, err) &&
                (f->id != FIELD_MODEL || read_config(&wanted->workload, err)) && stated_take(a, wanted, err);
    free(wanted);
    if (done)
        expect_edit(a, f);
    return done;
}

static bool same_text(const struct app *a, const struct field *f) {
    char now[80], then[80];
    workload_value_text(&a->stated.workload, f->id, now, sizeof now);
    workload_value_text(&a->form.before->workload, f->id, then, sizeof then);
    return strcmp(now, then) == 0;
}

void form_commit(struct app *a) {
    const struct field *f = &field_table()[a->form.field];
    if (!a->form.before)
        return;
    if (!same_text(a, f))
        history_push(a, a->form.before, f->label);
    free(a->form.before);
    a->form.before = NULL;
}

void form_cancel(struct app *a) {
    const struct field *f = &field_table()[a->form.field];
    if (!a->form.before)
        return;
    if (!same_text(a, f))
        stated_take(a, a->form.before, NULL);
    free(a->form.before);
    a->form.before = NULL;
    a->pending.kind = a->message.kind = MESSAGE_NONE;
    a->before.known = false;
}

/* ---- typing ---- */

void form_typed(struct app *a) {
    struct prompt *p = &a->prompt;
    p->err = (struct err){0};
    p->failed = !form_try(a, p->text, &p->err);
}

static void open_text(struct app *a, const struct field *f) {
    char text[TEXT_MAX];
    form_value(a, f->id, text, sizeof text);
    begin(a, f);
    prompt_open(a, PROMPT_FIELD, text);
}

void form_open(struct app *a) {
    const struct form_row *row = form_row_at(a);
    size_t count;
    if (!row)
        return;
    if (row->kind == FORM_GOAL) {
        app_change_goal(a, 1);
    } else if (row->kind == FORM_MORE) {
        a->form.advanced = !a->form.advanced;
        form_build(a);
    } else if (row->kind == FORM_FIELD && form_choices(a, (enum field_id)row->value, &count)) {
        begin(a, &field_table()[row->value]);
        popup_open(a, POPUP_CHOICES);
    } else if (row->kind == FORM_FIELD) {
        open_text(a, &field_table()[row->value]);
    }
}

/* ---- steps ---- */

/* From a list: round and round, the empty field ("as assumed") between the last and the first. */
static void step_choice(struct app *a, const struct field *f, int by) {
    size_t count;
    const char *const *names = form_choices(a, f->id, &count);
    char now[TEXT_MAX];
    struct err err = {0};
    int at = -1, places = (int)count + 1;
    bool stated = form_value(a, f->id, now, sizeof now) == FORM_STATED;
    bool can_be_empty = stated && f->id != FIELD_PRESET && f->id != FIELD_TASK;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], now) == 0)
            at = (int)i;
    for (int tries = 1; tries < places; tries++) { /* a value that contradicts the rest is passed over */
        at = (at + 1 + by + places) % places - 1;
        if (at < 0 ? can_be_empty && form_try(a, "", &err) : form_try(a, names[at], &err))
            return;
    }
    if (err.code != ERR_NONE)
        app_say_error(a, &err);
}

static const double step_factor = 2;

static void step_number(struct app *a, const struct field *f, int by) {
    char now[TEXT_MAX];
    double x;
    form_value(a, f->id, now, sizeof now);
    if (!num_parse(now, f->unit, f->binary_k, &x) || x <= 0)
        return;
    x = by > 0 ? x * step_factor : x / step_factor;
    if (f->type == FIELD_INTEGER)
        x = floor(x);
    x = fmin(fmax(x, f->min), f->max);
    num_format_plain(now, sizeof now, x, 12);
    form_try(a, now, NULL);
}

void form_step(struct app *a, int by) {
    const struct form_row *row = form_row_at(a);
    const struct field *f = field_at(a);
    size_t count;
    if (row && row->kind == FORM_GOAL)
        app_change_goal(a, by);
    else if (row && row->kind == FORM_MORE)
        form_open(a);
    if (!f)
        return;
    begin(a, f);
    if (form_choices(a, f->id, &count))
        step_choice(a, f, by);
    else if (f->type == FIELD_NUMBER || f->type == FIELD_INTEGER)
        step_number(a, f, by);
    form_commit(a);
}

void form_clear(struct app *a) {
    const struct field *f = field_at(a);
    struct err err = {0};
    if (!f)
        return;
    begin(a, f);
    if (!form_try(a, "", &err))
        app_say_error(a, &err);
    form_commit(a);
}
