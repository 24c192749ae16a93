/* SPDX-License-Identifier: MIT */
/* What is varied, and offers, side by side. */
#ifndef GPUPLAN_REPORT_COMPARE_H
#define GPUPLAN_REPORT_COMPARE_H

#include "gpuplan/decide/changes.h"
#include "gpuplan/decide/whatif.h"
#include "gpuplan/report/report.h"

void whatif_sentence(struct buf *b, const struct question *q, const struct whatif *w);
void whatif_json(struct buf *b, const struct question *q, const struct whatif *w);
void whatif_table(struct buf *b, const struct question *q, const struct whatif *w, enum grid_format format,
                  const struct style *style);

/* The properties of a column: cells for people, numbers or words for programs. */
struct whatif_row {
    const char *key;            /* of CSV */
    const char *label;          /* N_(), of a row on the screen; NULL: not shown there */
    const char *heading;        /* N_(), of a column of the table; NULL: only for programs */
    double (*number)(const struct question *q, const struct whatif *w, int i); /* or */
    void (*put)(struct buf *b, const struct question *q, const struct whatif *w, int i, bool people);
    void (*range)(struct buf *b, const struct question *q, const struct whatif *w, int i, bool people); /* low to high */
    int digits, when;
};
const struct whatif_row *whatif_rows(size_t *count);
bool whatif_row_used(const struct whatif_row *row, const struct question *q, const struct whatif *w); /* by some column */
void whatif_cell(const struct whatif_row *row, struct buf *b, const struct question *q, const struct whatif *w, int i);
void whatif_label(struct buf *b, const struct question *q, const struct whatif *w, int i); /* what stands above column i */
const char *vary_label(enum vary v);

/* A property of offers that are compared: a column of the ranking turned into a row. */
struct compared {
    const char *key, *label; /* of the column; N_() */
    int better;              /* 1 the largest, -1 the smallest, 0 neither */
    bool data_only;          /* on the screen another row says it */
};
const struct compared *compare_rows(size_t *count);
bool compare_used(const struct compared *row, const struct question *q, const struct candidate *c, size_t count);
int compare_best(const struct compared *row, const struct question *q, const struct candidate *c, size_t count); /* -1: none is */
bool compare_differs(const struct compared *row, const struct question *q, const struct candidate *c, size_t count);
void compare_cell(const struct compared *row, struct buf *b, const struct question *q, const struct candidate *c);

enum { COMPARE_MAX = 12 };
void compare_json(struct buf *b, const struct question *q, const struct candidate *c, size_t count);
void compare_table(struct buf *b, const struct question *q, const struct candidate *c, size_t count,
                   enum grid_format format, const struct style *style);

/* Lists side by side: the best of each, and what differs between the first and the last. */
struct compared_list {
    const char *name;
    struct ranking *ranking; /* done */
};
enum { COMPARE_LISTS_MAX = 12 };
/* `top`: how many differences a table shows, 0 = all. CSV has the lists when they are compared by machine, else the differences. */
void lists_table(struct buf *b, const struct compared_list *lists, size_t count, enum change_match match,
                 const struct changes *changes, size_t top, enum grid_format format, const struct style *style);
void lists_json(struct buf *b, const struct compared_list *lists, size_t count, enum change_match match,
                const struct changes *changes);

#endif
