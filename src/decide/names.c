/* SPDX-License-Identifier: MIT */
#include "gpuplan/decide/decide.h"

#include <string.h>

static const char *const goal_names[GOAL_COUNT] = {"cost", "time", "value"};
static const char *const class_names[] = {"fits", "tight", "late", "refused"};
static const char *const limit_names[] = {"none", "met", "missed"};
static const char *const grade_names[] = {"none", "low", "medium", "high"};
static const char *const part_names[COST_PART_COUNT] = {"compute", "setup", "storage", "egress", "lost_work"};

const char *goal_name(enum goal g) {
    return goal_names[g];
}

int goal_find(const char *s) {
    for (int i = 0; i < GOAL_COUNT; i++)
        if (strcmp(s, goal_names[i]) == 0)
            return i;
    return -1;
}

const char *rank_class_name(enum rank_class c) {
    return class_names[c];
}

const char *limit_state_name(enum limit_state s) {
    return limit_names[s];
}

const char *risk_grade_name(enum risk_grade g) {
    return grade_names[g];
}

const char *cost_part_name(enum cost_part p) {
    return part_names[p];
}
