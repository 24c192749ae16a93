/* SPDX-License-Identifier: MIT */
/* Find as one types: the same on every screen that has rows; what a row is, its table says. */
#include "gpuplan/base/text.h"
#include "state.h"

struct finder {
    size_t (*count)(const struct app *a);
    size_t (*place)(const struct app *a);
    void (*go)(struct app *a, size_t to);
    bool (*has)(const struct app *a, size_t row, const char *text);
};

static size_t list_count(const struct app *a) {
    return a->list.count;
}

static size_t list_place(const struct app *a) {
    return a->list.cursor;
}

static size_t form_count(const struct app *a) {
    return (size_t)a->form.count;
}

static size_t form_place(const struct app *a) {
    return (size_t)a->form.cursor;
}

static void form_go(struct app *a, size_t to) {
    form_move(a, (int)to - a->form.cursor);
}

/* By its label or by the name that files use. */
static bool form_has(const struct app *a, size_t row, const char *text) {
    const struct form_row *r = &a->form.rows[row];
    if (r->kind != FORM_FIELD)
        return false;
    const struct field *f = &field_table()[r->value];
    return text_contains_fold(f->label, text) || text_contains_fold(f->name, text);
}

static const struct finder finders[SCREEN_COUNT] = {
    [SCREEN_RANK] = {list_count, list_place, list_go, list_row_has},
    [SCREEN_WORKLOAD] = {form_count, form_place, form_go, form_has},
};

bool find_possible(const struct app *a) {
    return finders[a->screen].count && finders[a->screen].count(a) > 0;
}

size_t find_place(const struct app *a) {
    return find_possible(a) ? finders[a->screen].place(a) : 0;
}

void find_go(struct app *a, size_t to) {
    if (find_possible(a))
        finders[a->screen].go(a, to);
}

enum { FIND_ROWS = 1000 /* a slice: a third of a millisecond */ };

/* One slice of rows; true when the search is over. */
static bool step(struct app *a) {
    struct find *f = &a->finding;
    const struct finder *finder = &finders[f->screen];
    size_t count = finder->count(a);
    for (size_t n = 0; n < FIND_ROWS && f->done < count; n++, f->done++) {
        size_t at = f->direction > 0 ? (f->from + f->done) % count : (f->from + count - f->done) % count;
        if (!finder->has(a, at, f->text))
            continue;
        f->active = false;
        f->found = true;
        finder->go(a, at);
        if (f->moves_on)
            a->find_from = at;
        return true;
    }
    f->active = f->done < count;
    return !f->active;
}

static void finish(struct app *a) {
    if (a->prompt.kind == PROMPT_FIND)
        a->prompt.failed = !a->finding.found;
    else if (!a->finding.found)
        app_say(a, MESSAGE_FOUND_NONE, a->finding.text);
    a->changed = true;
}

void find_text(struct app *a, const char *text, size_t from, int direction) {
    struct find *f = &a->finding;
    bool possible = find_possible(a);
    size_t count = possible ? finders[a->screen].count(a) : 1;
    *f = (struct find){
        .active = possible && *text, .screen = a->screen, .direction = direction, .from = (from + count) % count};
    f->moves_on = a->prompt.kind == PROMPT_FIND && from != a->find_from;
    text_copy(f->text, sizeof f->text, text);
    if (a->prompt.kind == PROMPT_FIND)
        a->prompt.failed = false;
    if (f->active && step(a))
        finish(a);
}

void find_stop(struct app *a) {
    a->finding.active = false;
}

bool find_work(struct app *a, double seconds) {
    double start = app_seconds();
    while (a->finding.active && app_seconds() - start < seconds)
        if (step(a))
            finish(a);
    return a->finding.active;
}
