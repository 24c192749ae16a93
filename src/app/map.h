/* SPDX-License-Identifier: MIT */
/* The map: each group of offers at its time and cost. The cursor is that of the ranking. */
#ifndef GPUPLAN_SRC_APP_MAP_H
#define GPUPLAN_SRC_APP_MAP_H

#include "state.h"

enum { MAP_MOST = 4000 /* points: the best; more would only be one blot */ };
struct map_point {
    uint32_t offer;  /* best of its group */
    uint32_t place;  /* in the ranking of groups, from 1 */
    float time, usd; /* hours (a service: ms a token), dollars (a service: of a million tokens) */
    uint8_t cls;     /* enum rank_class */
    bool frontier;
};
struct map_axis {
    double low, high;
    bool log;
};
enum map_choice { MAP_ALL, MAP_IN_LIMITS, MAP_FRONTIER, MAP_CHOICE_COUNT };
struct map_state {
    bool stale;
    size_t at; /* groups looked at */
    struct map_point *points;
    size_t count, cap;
    enum map_choice choice;
    bool swapped, linear; /* cost to the right; no logarithms */
};

bool map_shows(const struct map_state *m, const struct map_point *p);
/* The axis of time or of cost over the points shown, and over the limit where it is near. */
struct map_axis map_axis_of(const struct app *a, bool cost);
const struct map_point *map_at_cursor(const struct app *a); /* NULL: not among the points shown */
/* A point on the frontier that is no worse in both; NULL: p stands on it. */
const struct map_point *map_better(const struct map_state *m, const struct map_point *p);
double map_deadline(const struct app *a); /* on the axis of time; NUM_UNKNOWN */

#endif
