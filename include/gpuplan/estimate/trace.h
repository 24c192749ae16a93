/* SPDX-License-Identifier: MIT */
/*
 * The steps of one estimate, for `explain`: each is a quantity with its formula's key, value, unit and the assumption it used.
 * Passing NULL costs one comparison. Labels and formulas are one const table (estimate/trace.def), sentences are made in report/.
 */
#ifndef GPUPLAN_ESTIMATE_TRACE_H
#define GPUPLAN_ESTIMATE_TRACE_H

#include <stddef.h>

#include "gpuplan/estimate/assume.h"

enum trace_id {
#define TRACE(id, ...) TRACE_##id,
#include "gpuplan/estimate/trace.def"
#undef TRACE
    TRACE_COUNT
};
struct trace_kind {
    enum trace_id id;
    const char *key;     /* "memory.activations.layer" */
    const char *label;   /* N_() */
    const char *formula; /* "T (c_h h + c_f f)" */
    const char *unit;    /* "GiB" "s" "1" "GB/s" … */
    const char *source;
};
const struct trace_kind *trace_kinds(void);

enum { TRACE_MAX_STEPS = 256, TRACE_MAX_USED = 6 };
struct trace_step {
    enum trace_id id;
    double value;
    int used_count;
    short used[TRACE_MAX_USED]; /* enum assume_id */
};
struct trace {
    int count;
    struct trace_step steps[TRACE_MAX_STEPS];
};
/* The assumption ids end with -1: trace_add(t, TRACE_X, 1.5, ASSUME_A, ASSUME_B, -1). */
void trace_add(struct trace *t, enum trace_id id, double value, ...);

#endif
