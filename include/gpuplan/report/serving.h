/* SPDX-License-Identifier: MIT */
/* What people ask of a model that answers: how long, how many at once, what a request costs, in which arithmetic it runs. */
#ifndef GPUPLAN_REPORT_SERVING_H
#define GPUPLAN_REPORT_SERVING_H

#include "gpuplan/base/buf.h"
#include "gpuplan/decide/decide.h"

/* Lengths as people set them (powers of two and the steps half-way) around the longest that fits. */
struct length_boundary {
    double fits_to;  /* 0 = not even the shortest */
    double fails_at; /* NUM_UNKNOWN: the model knows no longer one */
};
struct length_boundary length_boundary(const struct job *j, const struct estimate *e);
/* "fits to 24k, fails at 32k (27,680 tokens)"; nothing where it is not known. */
void sentence_boundary(struct buf *b, const struct job *j, const struct estimate *e);
/* "70 requests of 1,300 tokens; the next one waits" */
void sentence_concurrency(struct buf *b, const struct job *j, const struct estimate *e);
/* "2 for the whole load; this layout has 1" */
void sentence_copies(struct buf *b, const struct job *j, const struct estimate *e);
/* "fp8, computed in 16 bit (w8a16): half the bytes, no faster arithmetic" */
void sentence_arithmetic(struct buf *b, const struct job *j, const struct gpu *g);

/* Dollars; unknown where the job is no inference. */
struct range usd_per_1k_requests(const struct job *j, const struct cost *c);
double usd_per_month(const struct job *j, const struct cost *c);

#endif
