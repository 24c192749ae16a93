/* SPDX-License-Identifier: MIT */
/* What is where at a size. Nothing overlaps, nothing lies outside, at any size. */
#include "internal.h"

enum { SIDE_FROM = 120, SIDE_COLUMNS = 42 };

struct view_layout view_layout(int columns, int rows) {
    struct view_layout l = {0};
    if (columns < 1 || rows < 1)
        return l;
    if (columns < SMALLEST_COLUMNS || rows < SMALLEST_ROWS) {
        l.body = (struct rect){0, 0, 1, columns};
        if (rows > 1)
            l.message = (struct rect){rows - 1, 0, 1, columns};
        if (rows > 2)
            l.body.rows = rows - 1;
        return l;
    }
    int side = columns >= SIDE_FROM ? SIDE_COLUMNS : 0;
    l.tabs = (struct rect){0, 0, 1, columns};
    l.title = (struct rect){1, 0, 1, columns};
    l.body = (struct rect){2, 0, rows - 4, columns - side};
    l.side = (struct rect){2, columns - side, side > 0 ? rows - 4 : 0, side};
    l.message = (struct rect){rows - 2, 0, 1, columns};
    l.keys = (struct rect){rows - 1, 0, 1, columns};
    return l;
}
