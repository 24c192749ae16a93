/* SPDX-License-Identifier: MIT */
/* Parts of job_resolve(). */
#ifndef GPUPLAN_SRC_WORKLOAD_RESOLVE_H
#define GPUPLAN_SRC_WORKLOAD_RESOLVE_H

#include "gpuplan/workload/job.h"

struct resolve {
    struct workload w; /* stated values and those of the preset */
    const struct models *models;
    struct job *j;
    const char *why[FIELD_COUNT]; /* static: why a value that nobody gave is what it is; NULL = nothing to say */
    struct err *err;
};

static inline bool is_set(const struct resolve *r, enum field_id id) {
    return r->w.v[id].source != VALUE_UNSET;
}
static inline bool is_stated(const struct resolve *r, enum field_id id) {
    return r->w.v[id].source == VALUE_STATED;
}
/* Notes that a default is used where nothing was given. */
static inline void assume(struct resolve *r, enum field_id id, const char *why) {
    if (!is_set(r, id) && r->why[id] == NULL)
        r->why[id] = why;
}

/* Puts the field into r->err with a sentence; returns false. */
bool resolve_refuse(struct resolve *r, enum field_id id, const char *format, ...) __attribute__((format(printf, 3, 4)));

bool resolve_model(struct resolve *r);     /* resolve_model.c */
bool resolve_training(struct resolve *r);  /* resolve_training.c */
bool resolve_inference(struct resolve *r); /* resolve_inference.c */
bool resolve_measured(struct resolve *r);  /* resolve_measured.c */
bool resolve_layout(struct resolve *r);    /* resolve_layout.c */

#endif
