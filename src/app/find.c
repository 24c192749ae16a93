/* SPDX-License-Identifier: MIT */
/* Find as one types: the same on every screen that has rows; what a row is, the screen says. */
#include "gpuplan/base/text.h"
#include "screen.h"

bool find_possible(const struct app *a) {
    return screen_now(a)->rows && screen_now(a)->rows(a) > 0;
}

size_t find_place(const struct app *a) {
    return find_possible(a) ? screen_now(a)->place(a) : 0;
}

void find_go(struct app *a, size_t to) {
    if (find_possible(a))
        screen_now(a)->go(a, to);
}

enum { FIND_ROWS = 1000 /* a slice: a third of a millisecond */ };

/* One slice of rows; true when the search is over. */
static bool step(struct app *a) {
    struct find *f = &a->finding;
    const struct screen_row *screen = screen_at(f->screen);
    size_t count = screen->rows(a);
    for (size_t n = 0; n < FIND_ROWS && f->done < count; n++, f->done++) {
        size_t at = f->direction > 0 ? (f->from + f->done) % count : (f->from + count - f->done) % count;
        if (!screen->has(a, at, f->text))
            continue;
        f->active = false;
        f->found = true;
        screen->go(a, at);
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
    size_t count = possible ? screen_now(a)->rows(a) : 1;
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
