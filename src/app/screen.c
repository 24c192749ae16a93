/* SPDX-License-Identifier: MIT */
/* The table of screens. */
#include "screen.h"

static const struct screen_row *const screens[SCREEN_COUNT] = {
    [SCREEN_RANK] = &rank_screen,
    [SCREEN_WORKLOAD] = &workload_screen,
    [SCREEN_EXPLAIN] = &explain_screen,
    [SCREEN_TOPOLOGY] = &topology_screen,
    [SCREEN_SOURCES] = &sources_screen,
    [SCREEN_WHATIF] = &whatif_screen,
    [SCREEN_MAP] = &map_screen,
    [SCREEN_COMPARE] = &compare_screen,
};

const struct screen_row *screen_at(enum app_screen s) {
    return screens[s];
}

const struct screen_row *screen_now(const struct app *a) {
    return screens[a->screen];
}

bool app_has_screen(enum app_screen s) {
    return screens[s] != NULL;
}

const char *app_screen_name(enum app_screen s) {
    return screens[s] ? screens[s]->name : "";
}

void screen_walk(struct app *a, int by) {
    list_move(a, by);
    a->scroll[a->screen] = 0;
    if (screens[a->screen]->open)
        screens[a->screen]->open(a);
}
