/* SPDX-License-Identifier: MIT */
/*
 * The action table: dispatch, key bar, help, `list actions`, the tests that no two enabled actions share a key on one screen
 * and that random actions do no harm are all made from it.
 */
#ifndef GPUPLAN_APP_ACTION_H
#define GPUPLAN_APP_ACTION_H

#include <stdbool.h>
#include <stddef.h>

struct app;
enum { ACTION_KEYS = 4 };
struct action {
    const char *name;     /* "rank.sort-menu" */
    int keys[ACTION_KEYS];         /* 0 = none */
    const char *label;    /* N_(), at most 8 columns, for the key bar; NULL = not in the bar */
    const char *help;     /* N_(), one line */
    unsigned screens;     /* bits (1 << enum app_screen) */
    bool (*enabled)(const struct app *a); /* NULL = always */
    void (*run)(struct app *a);
};
const struct action *action_table(size_t *count);
const struct action *action_for_key(const struct app *a, int key); /* NULL */
bool action_enabled(const struct app *a, const struct action *action); /* on this screen, now */

#endif
