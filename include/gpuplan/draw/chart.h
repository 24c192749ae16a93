/* SPDX-License-Identifier: MIT */
/* Charts: functions from numbers and a rectangle to cells. Nothing is drawn outside the rectangle. */
#ifndef GPUPLAN_DRAW_CHART_H
#define GPUPLAN_DRAW_CHART_H

#include "gpuplan/draw/canvas.h"

/*
 * One row: parts one after the other against `limit` (marked when inside). Cells are rounded on the running sum, so the total
 * is exact; a part that is not zero takes at least one cell while there is room. Free space up to the limit is dotted.
 */
void chart_stacked_bar(struct canvas *c, int row, int column, int columns, const double *parts, int count, double limit);
/* One row: value against max, with eighth blocks where the glyphs allow. */
void chart_bar(struct canvas *c, int row, int column, int columns, double value, double max, enum role role);

#endif
