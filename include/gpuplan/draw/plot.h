/* SPDX-License-Identifier: MIT */
/*
 * Points, lines and rules between two axes, in cells. A point is one character, so that it can say what it is; lines are drawn
 * in braille dots where the canvas has them, else in dots of a cell. What lies outside is not drawn.
 */
#ifndef GPUPLAN_DRAW_PLOT_H
#define GPUPLAN_DRAW_PLOT_H

#include <stddef.h>

#include "gpuplan/draw/canvas.h"

enum { PLOT_TICKS = 12 };
struct plot_axis {
    double low, high;
    bool log;
    double ticks[PLOT_TICKS]; /* count 0: round ones are chosen */
    int tick_count;
    size_t (*label)(char *out, size_t cap, double value); /* of a tick */
};
struct plot {
    struct canvas *c;
    struct rect r; /* between the axes */
    struct plot_axis x, y;
};

/* A range that holds all values with some room; log where it spans more than 20 times and is positive. */
void plot_axis_fit(struct plot_axis *axis, const double *values, size_t count);
/* Draws the axes. False: there is no room, and nothing was drawn. */
bool plot_begin(struct plot *p, struct canvas *c, struct rect r, const struct plot_axis *x, const struct plot_axis *y);
bool plot_cell(const struct plot *p, double x, double y, int *row, int *column); /* false: outside */
/* dash: every n-th dot, 1 = all. */
void plot_line(const struct plot *p, double x0, double y0, double x1, double y1, enum role role, int dash);
void plot_mark(const struct plot *p, double x, double y, enum role role, uint32_t code_point);
/* From edge to edge; where something is drawn already it stays. */
void plot_rule_at_x(const struct plot *p, double x, enum role role);
void plot_rule_at_y(const struct plot *p, double y, enum role role);

#endif
