/* SPDX-License-Identifier: MIT */
/* How listing files were read: what `import --explain` says. Filled by listing_read() where the context has one. */
#ifndef GPUPLAN_LISTING_EXPLAIN_H
#define GPUPLAN_LISTING_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* One of our fields and where it came from. All texts belong to the explanation and are clean. */
struct explain_line {
    const char *field; /* "" = a column that code reads */
    const char *from;  /* column, path, or "constant" and the value */
    const char *unit;  /* how it was converted; "" = as it stands */
    size_t rows;       /* that had it; SIZE_MAX = not counted */
};

struct explain_file {
    const char *file;
    const char *source, *runner_up; /* names of formats; "" = none */
    bool by_mapping;
    const char *mapping; /* file of the mapping, "" = bundled or code */
    int score, runner_up_score; /* of 100 */
    unsigned index;             /* struct offer's `file` */
    size_t rows, skipped;
    struct explain_line *lines;
    size_t line_count, line_cap;
    const char **ignored; /* columns or keys that nothing was made of */
    size_t ignored_count, ignored_cap;
    bool kept_ignored; /* they are written again by import */
};

struct catalog;
struct offers;
struct listing_explain;
struct listing_explain *listing_explain_new(void);
void listing_explain_free(struct listing_explain *e); /* NULL is fine */
size_t listing_explain_count(const struct listing_explain *e);
const struct explain_file *listing_explain_at(const struct listing_explain *e, size_t i);

/* Files that code reads get a line for each field that their offers have, once all are checked. */
void listing_explain_offers(struct listing_explain *e, const struct catalog *c, const struct offers *o);

/* For readers; all do nothing without an explanation. They speak of the file that was begun last. */
struct explain_file *listing_explain_begin(struct listing_explain *e, const char *file);
void listing_explain_add_line(struct listing_explain *e, const char *field, const char *from, const char *unit, size_t rows);
void listing_explain_add_ignored(struct listing_explain *e, const char *name, size_t len);
void listing_explain_keep(struct listing_explain *e); /* what is ignored is written again by import */
const char *listing_explain_text(struct listing_explain *e, const char *s, size_t len);

#endif
