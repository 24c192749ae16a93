/* SPDX-License-Identifier: MIT */
/*
 * One const table of columns: the ranking as text, CSV and Markdown, --sort, `list columns` and the interface's column chooser
 * are made from it. A column is shown whole or not at all.
 */
#ifndef GPUPLAN_REPORT_COLUMN_H
#define GPUPLAN_REPORT_COLUMN_H

#include <stdbool.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/decide/decide.h"

struct column {
    const char *key;   /* "time_h": --sort, CSV heading */
    const char *label; /* N_(), heading of a table; NULL: only in CSV */
    const char *about; /* N_(), one line, with the unit */
    bool left;         /* aligned left */
    int min_width;     /* a text that may be cut: down to this; 0 = never cut */
    int from_width;    /* shown where the screen has at least so many columns */
    double (*number)(const struct question *q, const struct candidate *c); /* value, for CSV and sorting; or */
    void (*value)(struct buf *b, const struct question *q, const struct candidate *c); /* text, likewise */
    void (*text)(struct buf *b, const struct question *q,
                 const struct candidate *c); /* short, for people; NULL = value */
    bool descending;                         /* --sort starts with the largest */
    int serving_width; /* from_width where a service is planned; 0 = the same, -1 = not shown: its hours are the same everywhere */
};
const struct column *column_table(size_t *count);
const struct column *column_find(const char *key); /* key or label, case-insensitive, or a key without its unit; NULL */
const char *column_nearest(const char *key);
/* What a person reads in a cell. */
void column_put(const struct column *c, struct buf *b, const struct question *q, const struct candidate *candidate);
/* What a program reads: full precision, English, unknown = empty. */
void column_put_data(const struct column *c, struct buf *b, const struct question *q,
                     const struct candidate *candidate);

/*
 * The columns of one screen. choose() takes those that a screen of `screen` columns shows, each as wide as its heading; the
 * caller widens them to what stands below; fit() narrows texts that may be cut and then drops whole columns (width 0) until
 * the line fits, the one that asks for the widest screen first.
 */
enum { COLUMN_MAX_SHOWN = 24, COLUMN_GAP = 1 };
struct column_set {
    const struct column *columns[COLUMN_MAX_SHOWN];
    int width[COLUMN_MAX_SHOWN], count;
};
void column_set_choose(struct column_set *s, int screen, bool serving);
void column_set_fit(struct column_set *s, int screen, bool serving);
int column_wanted_width(const struct column *c,
                        bool serving); /* narrowest screen that shows it; 0 or less: none does */

#endif
