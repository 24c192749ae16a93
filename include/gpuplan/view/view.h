/* SPDX-License-Identifier: MIT */
/*
 * Screens: each one file; it reads the app and draws on a canvas, and changes nothing. view_layout() is pure: what is where at
 * this size. What was shown (page size, length of a text) reaches the app through app_viewport().
 */
#ifndef GPUPLAN_VIEW_VIEW_H
#define GPUPLAN_VIEW_VIEW_H

#include "gpuplan/app/app.h"
#include "gpuplan/draw/canvas.h"

struct view_layout {
    struct rect tabs, title, body, side, message, keys; /* rows = 0: not shown at this size */
};
struct view_layout view_layout(int columns, int rows);
/* The canvas has its size; clears it first. Hand the result on: app_viewport(a, view_draw(a, &canvas)). */
struct viewport view_draw(const struct app *a, struct canvas *c);

/* The whole screen at the size that the app has, as text. */
void view_picture(const struct app *a, struct buf *out);

#endif
