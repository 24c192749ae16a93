/* SPDX-License-Identifier: MIT */
/* Two to six offers side by side: those that are marked, or the one under the cursor and the best. */
#ifndef GPUPLAN_SRC_APP_COMPARE_H
#define GPUPLAN_SRC_APP_COMPARE_H

#include "state.h"

enum { COMPARED = 6 };
struct compare_state {
    bool stale;
    char ids[COMPARED][TEXT_MAX];
    int wanted;                   /* ids */
    struct candidate c[COMPARED]; /* of those that the snapshot still has, in order */
    int count, cursor;
};

#endif
