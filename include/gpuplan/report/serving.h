/* SPDX-License-Identifier: MIT */
/* What people ask of a model that answers: how long, how many at once, what a request costs, in which arithmetic it runs. */
#ifndef GPUPLAN_REPORT_SERVING_H
#define GPUPLAN_REPORT_SERVING_H

#include "gpuplan/base/buf.h"
#include "gpuplan/decide/decide.h"
#include "gpuplan/report/report.h"

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
/* "first token 190 ms, then 34 ms each, 10.4 s in all": at the percentile of the targets; nothing where nobody waits */
void sentence_percentile(struct buf *b, const struct job *j, const struct estimate *e);
/* "2 for the whole load; this layout has 1" */
void sentence_copies(struct buf *b, const struct job *j, const struct estimate *e);
/* "fp8, computed in 16 bit (w8a16): half the bytes, no faster arithmetic" */
void sentence_arithmetic(struct buf *b, const struct job *j, const struct gpu *g);

/* The GPUs of a candidate as copies and as ranks: count 0 where there is one GPU or no model that answers. */
struct serving_ways {
    int count, chosen; /* chosen: index; -1 = none of them */
    struct estimate e[ESTIMATE_COPIES_MAX];
};
void serving_ways(const struct question *q, const struct candidate *c, struct serving_ways *out);
/* "4 copies over 2 GPUs each (tp 2)" */
void sentence_way(struct buf *b, const struct estimate *e);
/* "carries 5.03 requests/s; 22 % of a step waits for the link; 18 % less than the chosen way", or why not at all. chosen may be NULL. */
void sentence_way_verdict(struct buf *b, const struct job *j, const struct estimate *e, const struct estimate *chosen);
void ways_table(struct buf *b, const struct question *q, const struct serving_ways *w, enum grid_format format,
                const struct style *style);
void ways_json(struct json_out *j, const struct question *q, const struct serving_ways *w);

/* Dollars; unknown where the job is no inference. */
struct range usd_per_1k_requests(const struct job *j, const struct cost *c);
double usd_per_month(const struct job *j, const struct cost *c);

#endif
