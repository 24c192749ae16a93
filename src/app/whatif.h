/* SPDX-License-Identifier: MIT */
/* The what-if screen: one thing of the job or the machine varied, column by column. */
#ifndef GPUPLAN_SRC_APP_WHATIF_H
#define GPUPLAN_SRC_APP_WHATIF_H

#include "gpuplan/decide/whatif.h"
#include "state.h"

enum { WHATIF_PINS = 3 };
/* A column that stays while others change: all that is needed to make it anew. */
struct whatif_pin {
    char id[TEXT_MAX]; /* the offer it was seen with */
    enum vary vary;
    enum whatif_way way;
    bool weak;
    struct whatif_spec spec;
};
struct whatif_screen_state {
    enum vary vary;
    enum whatif_way way;
    bool weak, curve; /* curve: the chart has the room, the table few rows */
    struct whatif_pin pins[WHATIF_PINS];
    int pin_count;

    bool stale, found; /* stale: the answer is still to be made */
    char id[TEXT_MAX]; /* the offer it is about */
    struct whatif w;   /* pins first */
    int cursor;        /* column; -1: none yet */
    int chosen_gpus;   /* of the column under the cursor: it stays there when the columns change */

    /* offers of the card, gathered in slices */
    const struct snapshot *of;
    int gpu;
    size_t at;
    uint32_t *offers;
    size_t count, cap;
};

const struct whatif_column *whatif_at_cursor(const struct app *a); /* NULL */

#endif
