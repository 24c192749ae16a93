/* SPDX-License-Identifier: MIT */
/* How far the figures of an answer may lie off, by what is asked for and what is known: half widths in log, added quadratically. */
#include <math.h>

#include "inference.h"

struct widths {
    enum assume_id output, decode, prefill, total, ttft, itl, e2e;
};

static const struct widths single = {
    ASSUME_INFER_WIDTH_OUTPUT,      ASSUME_INFER_WIDTH_DECODE, ASSUME_INFER_WIDTH_PREFILL, ASSUME_INFER_WIDTH_TOTAL,
    ASSUME_INFER_WIDTH_STATIC_TTFT, ASSUME_INFER_WIDTH_DECODE, ASSUME_INFER_WIDTH_OUTPUT};
static const struct widths fixed = {ASSUME_INFER_WIDTH_STATIC,         ASSUME_INFER_WIDTH_STATIC,
                                    ASSUME_INFER_WIDTH_STATIC_PREFILL, ASSUME_INFER_WIDTH_STATIC,
                                    ASSUME_INFER_WIDTH_STATIC_TTFT,    ASSUME_INFER_WIDTH_STATIC,
                                    ASSUME_INFER_WIDTH_STATIC};
static const struct widths offline = {ASSUME_INFER_WIDTH_OFFLINE,     ASSUME_INFER_WIDTH_OFFLINE,
                                      ASSUME_INFER_WIDTH_PREFILL,     ASSUME_INFER_WIDTH_OFFLINE,
                                      ASSUME_INFER_WIDTH_ONLINE_TTFT, ASSUME_INFER_WIDTH_ONLINE,
                                      ASSUME_INFER_WIDTH_ONLINE_E2E};
static const struct widths closed = {
    ASSUME_INFER_WIDTH_ONLINE,      ASSUME_INFER_WIDTH_ONLINE, ASSUME_INFER_WIDTH_PREFILL,   ASSUME_INFER_WIDTH_ONLINE,
    ASSUME_INFER_WIDTH_ONLINE_TTFT, ASSUME_INFER_WIDTH_ONLINE, ASSUME_INFER_WIDTH_ONLINE_E2E};
static const struct widths open = {
    ASSUME_INFER_WIDTH_RATE,      ASSUME_INFER_WIDTH_RATE_ITL, ASSUME_INFER_WIDTH_PREFILL, ASSUME_INFER_WIDTH_RATE,
    ASSUME_INFER_WIDTH_RATE_TTFT, ASSUME_INFER_WIDTH_RATE_ITL, ASSUME_INFER_WIDTH_RATE_E2E};

static const struct widths *widths_of(const struct infer *e) {
    switch (e->job->batching) {
    case BATCHING_SINGLE:
        return &single;
    case BATCHING_STATIC:
        return &fixed;
    case BATCHING_OFFLINE:
        return &offline;
    default:
        return e->job->load == LOAD_CONCURRENCY ? &closed : &open;
    }
}

static bool family_has_rows(enum gpu_family f) {
    switch (f) {
    case GPU_FAMILY_GA100:
    case GPU_FAMILY_GA10X:
    case GPU_FAMILY_ADA:
    case GPU_FAMILY_HOPPER:
    case GPU_FAMILY_BLACKWELL_DC:
    case GPU_FAMILY_BLACKWELL_WS:
        return true;
    default:
        return false;
    }
}

static double square(const struct infer *e, bool applies, enum assume_id id) {
    double w = assume_get(e->a, id);
    return applies ? w * w : 0;
}

/* Sum of squares of what widens every figure. */
static double common_extra(const struct infer *e, const struct infer_split *p, const struct infer_answer *r) {
    const struct job *j = e->job;
    bool calibrated = (e->engine->calibrated >> (unsigned)j->batching & 1) != 0;
    bool old = j->software_year > 0 && j->software_year <= 2023;

    return square(e, !calibrated, ASSUME_INFER_EXTRA_ENGINE) +
           square(e, e->model->experts > 0, ASSUME_INFER_EXTRA_MOE) + square(e, p->over_pcie, ASSUME_INFER_EXTRA_PCIE) +
           square(e, p->dpa > 1 || e->model->mla_rank > 0, ASSUME_INFER_EXTRA_DATA_ATTENTION) +
           square(e, j->batching == BATCHING_OFFLINE && r->batch < 40, ASSUME_INFER_EXTRA_SMALL_BATCH) +
           square(e, !family_has_rows(e->shape->gpu->family), ASSUME_INFER_EXTRA_FAMILY) +
           square(e, old, ASSUME_INFER_EXTRA_OLD);
}

static struct range range_of(const struct infer *e, double value, enum assume_id base, double extra) {
    double factor = exp(sqrt(square(e, true, base) + extra));

    if (!num_known(value)) {
        return range_exact(NUM_UNKNOWN);
    }
    return (struct range){value / factor, value, value * factor};
}

void infer_ranges(const struct infer *e, const struct infer_split *p, const struct infer_answer *r,
                  struct estimate *out) {
    const struct widths *w = widths_of(e);
    double extra = common_extra(e, p, r), n = p->replicas, ms = 1e3;
    double burst = square(e, r->burst, ASSUME_INFER_EXTRA_BURST);
    double split = square(e, e->engine->unfused && p->pp > 1, ASSUME_INFER_EXTRA_SPLIT_PREFILL);
    double users =
        e->job->load == LOAD_CONCURRENCY && num_known(e->job->concurrency) ? fmin(n, fmax(1, e->job->concurrency)) : n;
    double active = e->job->batching == BATCHING_SINGLE ? 1 : users; /* replicas that have work */

    out->tokens_per_s = range_of(e, r->output_s * active, w->output, extra);
    out->decode_tokens_per_s = range_of(e, r->decode_s, w->decode, extra);
    out->prefill_tokens_per_s = range_of(e, r->prefill_s, w->prefill, extra + split);
    out->total_tokens_per_s = range_of(e, r->total_s * active, w->total, extra);
    out->requests_per_s = range_of(e, r->requests_s * active, w->output, extra);
    out->ttft_ms = range_of(e, r->ttft * ms, w->ttft, extra + burst);
    out->itl_ms = range_of(e, r->itl * ms, w->itl, extra);
    out->e2e_ms = range_of(e, r->e2e * ms, w->e2e, extra + burst);
    out->sustained_requests_per_s = range_of(e, r->capacity * n, ASSUME_INFER_WIDTH_ONLINE, extra);
    out->sigma = sqrt(square(e, true, w->output) + extra) / 1.2816; /* the half width reaches the 10 and 90 % points */
}
