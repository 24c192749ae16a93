/* SPDX-License-Identifier: MIT */
/* What is kept beside the screens: filters under which one looks again and again, and what was said. */
#ifndef GPUPLAN_SRC_APP_NOTES_H
#define GPUPLAN_SRC_APP_NOTES_H

#include "state.h"

enum { LOG_MAX = 64, FILTERS_MAX = 16 };
struct notes {
    struct message log[LOG_MAX]; /* oldest first */
    int log_count;
    char filters[FILTERS_MAX][TEXT_MAX]; /* last saved first */
    int filter_count;
    char dropped[FILTERS_MAX]
                [TEXT_MAX]; /* in this run: another instance that still has them does not bring them back */
    int dropped_count;
};

void notes_log(struct app *a); /* the message on show, once */
bool notes_has_filter(const struct notes *n, const char *text);
bool notes_add_filter(struct notes *n, const char *text); /* in front; the last makes room */
void notes_drop_filter(struct notes *n, int i);

#endif
