/* SPDX-License-Identifier: MIT */
/*
 * How roles look. The terminal's own background is always kept. Every judged value has a word beside its colour, so the mono
 * scheme loses nothing.
 */
#ifndef GPUPLAN_SRC_UI_SCHEME_H
#define GPUPLAN_SRC_UI_SCHEME_H

#include "gpuplan/draw/canvas.h"

enum scheme { SCHEME_DEFAULT, SCHEME_LIGHT, SCHEME_MONO, SCHEME_COLORBLIND, SCHEME_COUNT };
const char *scheme_name(enum scheme s);
int scheme_find(const char *name); /* -1 */

enum look_attribute { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_REVERSE = 4, LOOK_UNDERLINE = 8 };
struct look {
    signed char color; /* 0..7 of the terminal's palette; -1 = its own foreground */
    unsigned char attributes;
};
struct look scheme_look(enum scheme s, enum role r);

#endif
