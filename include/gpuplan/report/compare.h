/* SPDX-License-Identifier: MIT */
/* GPU counts, and offers, side by side. */
#ifndef GPUPLAN_REPORT_COMPARE_H
#define GPUPLAN_REPORT_COMPARE_H

#include "gpuplan/decide/changes.h"
#include "gpuplan/decide/whatif.h"
#include "gpuplan/report/report.h"

void whatif_sentence(struct buf *b, const struct question *q, const struct whatif *w);
void whatif_json(struct buf *b, const struct question *q, const struct whatif *w);
void whatif_table(struct buf *b, const struct question *q, const struct whatif *w, enum grid_format format,
                  const struct style *style);

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
