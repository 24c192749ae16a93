/* SPDX-License-Identifier: MIT */
/*
 * What a cell on the screen belongs to. draw/ stores it beside the cell, ui/ reads it under the mouse, app/ acts on it:
 * a word between layers that do not know each other.
 */
#ifndef GPUPLAN_BASE_TAG_H
#define GPUPLAN_BASE_TAG_H

#include <stdint.h>

/* value: action, index of the row on screen, field, screen, column, assumption, line of a menu. */
enum tag_kind { TAG_NONE, TAG_ACTION, TAG_ROW, TAG_FIELD, TAG_SCREEN, TAG_COLUMN, TAG_ASSUMPTION, TAG_CHOICE };
struct tag {
    uint8_t kind;
    int value;
};

#endif
