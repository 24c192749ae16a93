/* SPDX-License-Identifier: MIT */
/*
 * What a screen is to the rest of the app: one row a screen, in a file of its own, named in screen.c. Hooks that a screen has
 * no use for are NULL. Its state, if it has some, hangs on struct app and lives from begin to end.
 */
#ifndef GPUPLAN_SRC_APP_SCREEN_H
#define GPUPLAN_SRC_APP_SCREEN_H

#include "state.h"

/* Bits of action.screens. */
enum {
    ON_RANK = 1 << SCREEN_RANK,
    ON_WORKLOAD = 1 << SCREEN_WORKLOAD,
    ON_EXPLAIN = 1 << SCREEN_EXPLAIN,
    ON_WHATIF = 1 << SCREEN_WHATIF,
    ON_MAP = 1 << SCREEN_MAP,
    ON_TOPOLOGY = 1 << SCREEN_TOPOLOGY,
    ON_SOURCES = 1 << SCREEN_SOURCES,
    ON_COMPARE = 1 << SCREEN_COMPARE,
    ON_EVERY = (1 << SCREEN_COUNT) - 1
};

struct screen_row {
    const char *name; /* "rank", as files and lists spell it */
    bool aside;       /* reached by a key of its own: Tab passes over it */
    void (*begin)(struct app *a);
    void (*end)(struct app *a);
    void (*move)(struct app *a, long by);        /* what up, down, page and end keys move */
    void (*open)(struct app *a);                 /* it comes on show */
    void (*refresh)(struct app *a);              /* another answer or snapshot is there, whatever screen is on show */
    bool (*work)(struct app *a, double seconds); /* while it is on show; true: more to do */
    void (*shown)(struct app *a);                /* it was drawn: the viewport is known */
    void (*click)(struct app *a, int row, bool twice); /* a cell of TAG_ROW */
    /* Find as one types: rows, where the cursor is, go there, whether a row has the text. */
    size_t (*rows)(const struct app *a);
    size_t (*place)(const struct app *a);
    void (*go)(struct app *a, size_t to);
    bool (*has)(const struct app *a, size_t row, const char *text);
    /* Export of what is seen: the file name to begin with; the suffix of the path names the form. False: nothing to write. */
    const char *file;
    bool (*put)(struct app *a, struct buf *b, const char *path);
    const struct action *actions; /* its own, after the shared ones in the key bar */
    size_t action_count;
};
extern const struct screen_row rank_screen, workload_screen, explain_screen, topology_screen, whatif_screen;
extern const struct screen_row map_screen, compare_screen, sources_screen;

const struct screen_row *screen_at(enum app_screen s); /* NULL: there is no such screen */
const struct screen_row *screen_now(const struct app *a);
void screen_walk(struct app *a, int by); /* the next or previous offer of the ranking, seen on the same screen */

#endif
