/* SPDX-License-Identifier: MIT */
#include "gpuplan/draw/chart.h"

#include <math.h>

static const uint32_t eighths[] = {' ', 0x258F, 0x258E, 0x258D, 0x258C, 0x258B, 0x258A, 0x2589};

static int chart_cells(double value, double scale, int columns) {
    double cells = value / scale * columns;
    return !(cells > 0) ? 0 : cells >= columns ? columns : (int)lround(cells);
}

void chart_stacked_bar(struct canvas *c, int row, int column, int columns, const double *parts, int count,
                       double limit) {
    double total = 0;
    for (int i = 0; i < count; i++)
        total += parts[i] > 0 ? parts[i] : 0;
    double scale = fmax(total, limit), sum = 0;
    if (columns <= 0 || !(scale > 0) || !isfinite(scale))
        return;
    int at = 0, limit_at = chart_cells(limit, scale, columns);
    for (int i = 0; i < count; i++) {
        if (!(parts[i] > 0))
            continue;
        sum += parts[i];
        int end = chart_cells(sum, scale, columns);
        if (end <= at && at < columns)
            end = at + 1; /* a part that exists is seen */
        canvas_fill(c, (struct rect){row, column + at, 1, end - at}, (enum role)(ROLE_PART1 + i % 7),
                    glyph_code((enum glyph)(GLYPH_PART1 + i % 7), c->ascii));
        at = end > at ? end : at;
    }
    if (at < limit_at)
        canvas_fill(c, (struct rect){row, column + at, 1, limit_at - at}, ROLE_DIM, glyph_code(GLYPH_FREE, c->ascii));
    if (total > limit && limit_at < columns)
        canvas_fill(c, (struct rect){row, column + limit_at, 1, 1}, ROLE_BAD, glyph_code(GLYPH_LIMIT, c->ascii));
}

void chart_bar(struct canvas *c, int row, int column, int columns, double value, double max, enum role role) {
    if (columns <= 0 || !(max > 0) || !(value > 0))
        return;
    double cells = fmin(value / max, 1) * columns;
    int whole = (int)cells, part = (int)((cells - whole) * 8);
    canvas_fill(c, (struct rect){row, column, 1, whole}, role, glyph_code(GLYPH_BAR, c->ascii));
    if (part > 0 && whole < columns && !c->ascii)
        canvas_fill(c, (struct rect){row, column + whole, 1, 1}, role, eighths[part]);
}
