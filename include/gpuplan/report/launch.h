/* SPDX-License-Identifier: MIT */
/*
 * A decision as a file for another program: what starts the job the way it was planned. Everything that came from outside (names
 * of machines, models, places) is quoted for the language it stands in; comments hold clean text of one line.
 */
#ifndef GPUPLAN_REPORT_LAUNCH_H
#define GPUPLAN_REPORT_LAUNCH_H

#include "gpuplan/report/report.h"

/* False with the reason, when the plan cannot be said in that language. */
typedef bool (*launch_put)(struct buf *b, const struct question *q, const struct candidate *c, struct err *err);
struct launch {
    const char *name;         /* "torchrun" */
    const char *about;        /* N_() */
    bool training, inference; /* the jobs it is for */
    launch_put put;
};
const struct launch *launch_table(size_t *count);
const struct launch *launch_find(const char *name); /* NULL */
/* launch->put() after the check that it is for such jobs and that the candidate runs at all. */
bool launch_write(struct buf *b, const struct launch *l, const struct question *q, const struct candidate *c,
                  struct err *err);
/* A page of its own around the text of an explanation. */
void launch_html(struct buf *b, const char *title, const char *text);

#endif
