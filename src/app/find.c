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

bool find_text(struct app *a, const char *text, int direction, bool from_here) {
    const struct finder *f = &finders[a->screen];
    if (!find_possible(a) || !*text)
        return false;
    size_t count = f->count(a), place = f->place(a);
    for (size_t step = from_here ? 0 : 1; step < count + !from_here; step++) {
        size_t at = direction > 0 ? (place + step) % count : (place + count - step % count) % count;
        if (f->has(a, at, text)) {
            f->go(a, at);
            return true;
        }
    }
    return false;
}
