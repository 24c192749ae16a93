/* SPDX-License-Identifier: MIT */
/* What is stated, before each edit. An entry is exchanged with the present on the way back and again on the way forth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "state.h"

struct stated *stated_copy(const struct stated *s) {
    struct stated *copy = mem_alloc(sizeof *copy);
    *copy = *s;
    return copy;
}

bool stated_take(struct app *a, const struct stated *wanted, struct err *err) {
    struct stated *old = stated_copy(&a->stated);
    a->stated = *wanted;
    bool done = run_rebase(a, err);
    if (!done)
        a->stated = *old;
    free(old);
    if (!done)
        return false;
    form_build(a);
    run_start(a);
    return true;
}

static void forget_redo(struct history *h) {
    while (h->count > h->at)
        free(h->states[--h->count]);
}

void history_push(struct app *a, const struct stated *before, const char *label) {
    struct history *h = &a->history;
    forget_redo(h);
    if (h->count == HISTORY_MAX) {
        free(h->states[0]);
        memmove(h->states, h->states + 1, (HISTORY_MAX - 1) * sizeof h->states[0]);
        memmove(h->labels, h->labels + 1, (HISTORY_MAX - 1) * sizeof h->labels[0]);
        h->count--;
    }
    h->states[h->count] = stated_copy(before);
    snprintf(h->labels[h->count], sizeof h->labels[0], "%s", label);
    h->at = ++h->count;
}

void history_undo(struct app *a, int direction) {
    struct history *h = &a->history;
    int at = direction < 0 ? h->at - 1 : h->at;
    if (at < 0 || at >= h->count) {
        app_say(a, direction < 0 ? MESSAGE_NOTHING_TO_UNDO : MESSAGE_NOTHING_TO_REDO, "");
        return;
    }
    struct stated *now = stated_copy(&a->stated);
    if (!stated_take(a, h->states[at], NULL)) {
        free(now);
        return;
    }
    free(h->states[at]);
    h->states[at] = now;
    h->at += direction;
    app_expect(a, direction < 0 ? MESSAGE_UNDONE : MESSAGE_REDONE, h->labels[at]);
}

void history_free(struct history *h) {
    h->at = 0;
    forget_redo(h);
}
