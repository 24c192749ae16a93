/* SPDX-License-Identifier: MIT */
/* What the evaluator says about a measured run, in the unit of the row's metric. */
#include <math.h>

#include "estimate/internal.h"
#include "estimate/measurement_internal.h"

static struct range inverse(struct range r, double amount) {
    return (struct range){amount / r.high, amount / r.expected, amount / r.low};
}

static struct range pick(const struct job *j, const struct estimate *e, enum metric metric) {
    switch (metric) {
    case METRIC_TOKENS_PER_S:
    case METRIC_OUTPUT_TOKENS_PER_S:
        return e->tokens_per_s;
    case METRIC_STEP_S:
        return inverse(e->tokens_per_s, j->global_batch * j->mean_len);
    case METRIC_PEAK_GIB:
        return e->memory_gib;
    case METRIC_DECODE_TOKENS_PER_S:
        return e->decode_tokens_per_s;
    case METRIC_PREFILL_TOKENS_PER_S:
        return e->prefill_tokens_per_s;
    case METRIC_TOTAL_TOKENS_PER_S:
        return e->total_tokens_per_s;
    case METRIC_REQUESTS_PER_S:
        return e->requests_per_s;
    case METRIC_TTFT_MS:
        return e->ttft_ms;
    case METRIC_ITL_MS:
        return e->itl_ms;
    case METRIC_E2E_MS:
        return e->e2e_ms;
    case METRIC_FITS:
    case METRIC_COUNT:
        break;
    }
    return range_exact(NUM_UNKNOWN);
}

static bool usable(struct range r) {
    return isfinite(r.low) && isfinite(r.high) && r.low > 0 && r.low <= r.expected && r.expected <= r.high;
}

static bool answers(const struct job *j, const struct estimate *e, enum metric metric) {
    if (metric == METRIC_FITS) { /* a layout that is not legal says nothing about memory */
        return e->fit != FIT_NO || e->reason.code != REASON_DIVISIBILITY;
    }
    return usable(pick(j, e, metric));
}

/* The run happened, so where the completed layout is refused the evaluator looks for one itself, within what the row states. */
static void search(const struct catalog *c, const struct measurement *m, const struct assumptions *a, struct job *j,
                   struct estimate *out) {
    struct estimate_set set;

    *j = m->job;
    if (j->task != TASK_INFERENCE && !(j->global_batch > 0)) {
        j->global_batch = (double)m->shape.gpus * m->shape.nodes * (j->micro_batch > 0 ? j->micro_batch : 1);
    }
    estimate_search(c, j, &m->shape, a, &set);
    *out = set.e[0];
}

void measurement_predict(const struct catalog *c, const struct measurement *m, const struct assumptions *a,
                         struct prediction *out) {
    struct job j = m->job;
    struct layout l;

    out->value = range_exact(NUM_UNKNOWN);
    out->fit = FIT_NO;
    out->why = m->skipped;
    l = layout_single();
    estimate_init(&out->estimate, &m->shape, &l);
    if (m->skipped != NULL) {
        return;
    }
    if (measurement_layout(c, m, a, &j, &l)) {
        estimate_layout(c, &j, &m->shape, &l, a, NULL, &out->estimate);
    }
    if (!answers(&j, &out->estimate, m->metric)) {
        search(c, m, a, &j, &out->estimate);
    }
    out->fit = out->estimate.fit;
    if (!answers(&j, &out->estimate, m->metric)) {
        out->why = out->estimate.reason.code == REASON_NONE ? "no estimate for this metric"
                                                            : reason_name(out->estimate.reason.code);
        return;
    }
    out->value = pick(&j, &out->estimate, m->metric);
}
