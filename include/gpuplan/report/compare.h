/* SPDX-License-Identifier: MIT */
/* GPU counts, and offers, side by side. */
#ifndef GPUPLAN_REPORT_COMPARE_H
#define GPUPLAN_REPORT_COMPARE_H

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

#endif
