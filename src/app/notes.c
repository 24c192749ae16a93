/* SPDX-License-Identifier: MIT */
#include "app/notes.h"

#include <string.h>

void notes_log(struct app *a) {
    struct notes *n = a->notes;
    const struct message *m = &a->message;
    if (m->kind == MESSAGE_NONE || m->kind == MESSAGE_ESCAPE)
        return;
    if (n->log_count > 0 && memcmp(&n->log[n->log_count - 1], m, sizeof *m) == 0)
        return;
    if (n->log_count == LOG_MAX)
        memmove(&n->log[0], &n->log[1], (size_t)--n->log_count * sizeof n->log[0]);
    memcpy(&n->log[n->log_count++], m, sizeof *m);
}

static int place(char list[][TEXT_MAX], int count, const char *text) {
    for (int i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return i;
    return -1;
}

static void remove_at(char list[][TEXT_MAX], int *count, int i) {
    memmove(list[i], list[i + 1], (size_t)(--*count - i) * TEXT_MAX);
}

bool notes_has_filter(const struct notes *n, const char *text) {
    return place((char(*)[TEXT_MAX])n->filters, n->filter_count, text) >= 0;
}

bool notes_add_filter(struct notes *n, const char *text) {
    int old = place(n->dropped, n->dropped_count, text);
    if (!*text || notes_has_filter(n, text))
        return false;
    if (old >= 0)
        remove_at(n->dropped, &n->dropped_count, old);
    if (n->filter_count == FILTERS_MAX)
        n->filter_count--;
    memmove(n->filters[1], n->filters[0], (size_t)n->filter_count * TEXT_MAX);
    text_copy(n->filters[0], TEXT_MAX, text);
    n->filter_count++;
    return true;
}

void notes_drop_filter(struct notes *n, int i) {
    if (i < 0 || i >= n->filter_count)
        return;
    if (n->dropped_count == FILTERS_MAX)
        remove_at(n->dropped, &n->dropped_count, 0);
    memcpy(n->dropped[n->dropped_count++], n->filters[i], TEXT_MAX);
    remove_at(n->filters, &n->filter_count, i);
}
