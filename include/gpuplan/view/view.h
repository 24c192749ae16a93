/* SPDX-License-Identifier: MIT */
/*
 * Screens: each one file; it reads the app and draws on a canvas, and changes nothing. view_layout() is pure: what is where at
 * this size; its page size reaches the app through app_resize().
 */
#ifndef GPUPLAN_VIEW_VIEW_H
#define GPUPLAN_VIEW_VIEW_H

#include "gpuplan/draw/canvas.h"

struct app;
struct view_layout {
    struct rect tabs, title, body, side, message, keys; /* rows = 0: not shown at this size */
};
struct view_layout view_layout(int columns, int rows);
void view_draw(const struct app *a, struct canvas *c); /* the canvas has its size; clears it first */

#endif
