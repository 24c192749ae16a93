/* SPDX-License-Identifier: MIT */
/* The rows of the form: what matters first, the rest folded away. Every field that the task has stands in it once. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/text.h"
#include "screen.h"

/* Fields that a section names; the others follow by their group. */
static const struct {
    enum form_section section;
    enum field_id id;
} named[] = {
    {SECTION_JOB, FIELD_PRESET},       {SECTION_JOB, FIELD_TASK},           {SECTION_JOB, FIELD_MODEL},
    {SECTION_JOB, FIELD_STAGE},        {SECTION_LIMITS, FIELD_DEADLINE_H},  {SECTION_LIMITS, FIELD_BUDGET_USD},
    {SECTION_LIMITS, FIELD_SPOT},      {SECTION_LIMITS, FIELD_REGIONS},     {SECTION_LIMITS, FIELD_MAX_GPUS},
    {SECTION_LIMITS, FIELD_NODES_MAX}, {SECTION_LIMITS, FIELD_VALUE_USD_H},
};
enum { NAMED = sizeof named / sizeof named[0] };

static const enum form_section by_group[] = {
    [GROUP_TASK] = SECTION_JOB,       [GROUP_MODEL] = SECTION_MODEL,   [GROUP_TRAINING] = SECTION_WORK,
    [GROUP_INFERENCE] = SECTION_WORK, [GROUP_MEASURED] = SECTION_WORK, [GROUP_LAYOUT] = SECTION_LAYOUT,
    [GROUP_LIMITS] = SECTION_MACHINE,
};
enum { FIRST_ADVANCED = SECTION_MACHINE };

static bool is_named(enum field_id id) {
    for (size_t i = 0; i < NAMED; i++)
        if (named[i].id == id)
            return true;
    return false;
}

static bool has_field(const struct app *a, enum field_id id) {
    return field_table()[id].tasks & 1u << a->basis->job.task;
}

static void add(struct form *f, enum form_kind kind, int value) {
    if (f->count < FORM_ROWS)
        f->rows[f->count++] = (struct form_row){kind, value};
}

static void add_section(struct app *a, enum form_section section) {
    struct form *f = &a->form;
    int before = f->count;
    add(f, FORM_HEADING, section);
    if (section == SECTION_LIMITS)
        add(f, FORM_GOAL, 0);
    for (size_t i = 0; i < NAMED; i++)
        if (named[i].section == section && has_field(a, named[i].id))
            add(f, FORM_FIELD, named[i].id);
    for (int id = 0; id < FIELD_COUNT; id++)
        if (by_group[field_table()[id].group] == section && !is_named((enum field_id)id) &&
            has_field(a, (enum field_id)id))
            add(f, FORM_FIELD, id);
    if (f->count == before + 1)
        f->count = before; /* nothing below the heading */
}

/* The cursor stays on its row when others come and go. */
static void keep_cursor(struct form *f, struct form_row on) {
    for (int i = 0; i < f->count; i++)
        if (f->rows[i].kind == on.kind && f->rows[i].value == on.value)
            f->cursor = i;
    if (f->cursor >= f->count)
        f->cursor = f->count - 1;
}

void form_build(struct app *a) {
    struct form *f = &a->form;
    struct form_row on = f->count > 0 ? f->rows[f->cursor] : (struct form_row){FORM_FIELD, FIELD_PRESET};
    f->count = 0;
    for (int s = 0; s < SECTION_COUNT; s++) {
        if (s == FIRST_ADVANCED)
            add(f, FORM_MORE, 0);
        if (s < FIRST_ADVANCED || f->advanced)
            add_section(a, (enum form_section)s);
    }
    keep_cursor(f, on);
    a->changed = true;
}

const struct form_row *form_row_at(const struct app *a) {
    return a->form.cursor >= 0 && a->form.cursor < a->form.count ? &a->form.rows[a->form.cursor] : NULL;
}

static bool can_stand(const struct form *f, int row) {
    return row >= 0 && row < f->count && f->rows[row].kind != FORM_HEADING;
}

/* Headings are passed over. */
void form_move(struct app *a, int by) {
    struct form *f = &a->form;
    int step = by < 0 ? -1 : 1, to = f->cursor + (by < -f->count ? -f->count : by > f->count ? f->count : by);
    to = to < 0 ? 0 : to >= f->count ? f->count - 1 : to;
    while (to >= 0 && to < f->count && !can_stand(f, to))
        to += step;
    if (can_stand(f, to))
        f->cursor = to;
    a->changed = true;
}

static const struct assumed *find_assumed(const struct job *j, const char *key) {
    for (int i = 0; i < j->assumed_count; i++)
        if (strcmp(j->assumed[i].key, key) == 0)
            return &j->assumed[i];
    return NULL;
}

enum form_source form_value(const struct app *a, enum field_id id, char *out, size_t cap) {
    workload_value_text(&a->stated.workload, id, out, cap);
    if (a->stated.workload.v[id].source == VALUE_STATED)
        return FORM_STATED;
    const struct assumed *as = find_assumed(&a->basis->job, field_table()[id].name);
    if (as) {
        text_copy(out, cap, as->value);
        return strcmp(as->why, "preset") == 0 ? FORM_PRESET : FORM_DEFAULT;
    }
    return job_value_text(&a->basis->job, id, out, cap) > 0 ? FORM_DERIVED : FORM_EMPTY;
}

/* ---- the screen ---- */

static void move(struct app *a, long by) {
    form_move(a, (int)by);
}

static size_t rows(const struct app *a) {
    return (size_t)a->form.count;
}

static size_t place(const struct app *a) {
    return (size_t)a->form.cursor;
}

static void go(struct app *a, size_t to) {
    form_move(a, (int)to - a->form.cursor);
}

/* By its label or by the name that files use. */
static bool has(const struct app *a, size_t row, const char *text) {
    const struct form_row *r = &a->form.rows[row];
    if (r->kind != FORM_FIELD)
        return false;
    const struct field *f = &field_table()[r->value];
    return text_contains_fold(f->label, text) || text_contains_fold(f->name, text);
}

const struct screen_row workload_screen = {
    .name = "workload", .move = move, .rows = rows, .place = place, .go = go, .has = has};
