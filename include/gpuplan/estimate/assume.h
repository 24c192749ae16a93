/* SPDX-License-Identifier: MIT */
/*
 * Assumptions: every constant of the estimate with low / expected / high, unit and source, in one table
 * (estimate/assume.def). `struct assumptions` is an argument of every estimate; precedence: table < data/ < calibration <
 * --assume KEY=VALUE and the form. Read one with assume_get(a, ASSUME_...).
 */
#ifndef GPUPLAN_ESTIMATE_ASSUME_H
#define GPUPLAN_ESTIMATE_ASSUME_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/err.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/provenance.h"
#include "gpuplan/hardware/gpu.h"

enum assume_id {
#define ASSUME(id, ...) ASSUME_##id,
#include "gpuplan/estimate/assume.def"
#undef ASSUME
    ASSUME_COUNT
};

struct assumption {
    enum assume_id id;
    const char *key;      /* "train.gemm_efficiency.hopper" */
    struct range value;
    const char *unit;     /* "1", "us", "GB/s", "byte/param" … */
    const char *source;   /* where it was measured or read, or "judgement" */
};
const struct assumption *assume_table(void);         /* ASSUME_COUNT rows */
const struct assumption *assume_find(const char *key);
const char *assume_nearest(const char *key);

struct assumptions {
    struct range v[ASSUME_COUNT];
    unsigned char source[ASSUME_COUNT]; /* enum provenance: ASSUMED = the table, MEASURED = calibration, DECLARED = the user */
    unsigned generation;                /* changes with every edit */
};
void assumptions_init(struct assumptions *a);
bool assumptions_set(struct assumptions *a, const char *key, const char *value, struct err *err); /* "0.8" or "0.7..0.9" or "0.6,0.7,0.9" */
static inline double assume_get(const struct assumptions *a, enum assume_id id) { return a->v[id].expected; }
/* The constant of a family: ids of one group stand in the order of enum gpu_family. */
static inline double assume_family(const struct assumptions *a, enum assume_id first, enum gpu_family f) { return a->v[(unsigned)first + (unsigned)f].expected; }

#endif
