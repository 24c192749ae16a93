/* SPDX-License-Identifier: MIT */
/* The inference evaluator: one layout, from memory to ranges. */
#include <math.h>

#include "inference.h"
#include "inference_search.h"

static void set_steps(const struct infer *e, const struct infer_split *p, const struct infer_answer *r,
                      struct estimate *out) {
    const struct infer_time *t = &r->step;

    out->step_part_s[STEP_COMPUTE] = t->compute;
    out->step_part_s[STEP_MEMORY] = t->memory;
    out->step_part_s[STEP_COMMUNICATION] = t->communication;
    out->step_part_s[STEP_INPUT] = t->host;
    out->step_s = infer_total(*t);
    out->steps = e->output;
    out->comm_share = out->step_s > 0 ? t->communication / out->step_s : 0;
    out->limited_by = LIMITED_MEMORY_BANDWIDTH;
    if (t->compute > t->memory) {
        out->limited_by = LIMITED_COMPUTE;
    }
    if (t->communication > fmax(t->compute, t->memory)) {
        out->limited_by = LIMITED_LINK;
    }
    if (t->host > fmax(t->communication, fmax(t->compute, t->memory))) {
        out->limited_by = LIMITED_LATENCY;
    }
    if (r->overloaded && r->batch < e->cap * p->dpa * 0.99 &&
        r->batch >= 0.99 * infer_room_sequences(e, p, e->engine->output_reserve)) {
        out->limited_by = LIMITED_KV_ROOM;
    }
}

static bool target_met(double limit_ms, double seconds) {
    return !num_known(limit_ms) || !num_known(seconds) || seconds * 1e3 <= limit_ms;
}

/* Copies that the whole load needs at the targets. */
static double replicas_needed(const struct infer *e, const struct infer_answer *r) {
    const struct job *j = e->job;

    if (j->load == LOAD_RATE && num_known(j->requests_per_s)) {
        return r->capacity > 0 ? fmax(1, ceil(j->requests_per_s / r->capacity - 1e-6)) : NUM_UNKNOWN;
    }
    if (j->load == LOAD_CONCURRENCY && num_known(j->concurrency)) {
        return r->capacity_batch > 0 ? fmax(1, ceil(j->concurrency / fmax(1, r->capacity_batch) - 1e-6)) : NUM_UNKNOWN;
    }
    return NUM_UNKNOWN;
}

static void set_run(const struct infer *e, struct estimate *out) {
    const struct job *j = e->job;
    const double hour_s = 3600, month_h = 730;

    if (j->load == LOAD_BATCH) {
        struct range q = out->requests_per_s;
        double requests = infer_requests(e);
        if (num_known(q.expected) && q.low > 0) {
            out->run_h =
                (struct range){requests / q.high / hour_s, requests / q.expected / hour_s, requests / q.low / hour_s};
        }
        return;
    }
    out->run_h = range_exact(num_known(j->serve_hours) && j->serve_hours > 0 ? j->serve_hours : month_h);
}

static void trace_formats(struct trace *t, const struct infer *e) {
    int family = (int)e->shape->gpu->family, engine = (int)e->engine->constants;
    int share = e->fp8_rate   ? ASSUME_INFER_GEMM_FP8_OTHER
                : e->fp4_rate ? ASSUME_INFER_GEMM_FP4_OTHER
                              : ASSUME_INFER_GEMM_16BIT_OTHER;
    int format =
        e->layer_bytes < 0.95 ? ASSUME_INFER_WEIGHT_ONLY_BANDWIDTH_4BIT : ASSUME_INFER_WEIGHT_ONLY_BANDWIDTH_8BIT;

    trace_add(t, TRACE_INFER_WEIGHT_BYTES, e->layer_bytes, -1);
    trace_add(t, TRACE_INFER_COMPUTE_RATE, e->layer_rate / 1e12, share + family, engine + ENGINE_COMPUTE,
              ASSUME_INFER_POWER_EXPONENT, e->weight_only ? (int)ASSUME_INFER_WEIGHT_ONLY_COMPUTE : -1, -1);
    trace_add(t, TRACE_INFER_WEIGHT_STREAM, e->layer_stream / NUM_GB, ASSUME_INFER_WEIGHT_BANDWIDTH_OTHER + family,
              engine + ENGINE_BANDWIDTH, e->weight_only ? format : -1, -1);
    trace_add(t, TRACE_INFER_KV_STREAM, e->kv_stream / NUM_GB, ASSUME_INFER_WEIGHT_BANDWIDTH_OTHER + family,
              ASSUME_INFER_KV_BANDWIDTH, -1);
}

static void trace_memory(struct trace *t, const struct infer_split *p, const struct estimate *out) {
    trace_add(t, TRACE_INFER_MEMORY_WEIGHTS, out->memory_part_gib[MEMORY_WEIGHTS], -1);
    trace_add(t, TRACE_INFER_KV_TOKEN, p->kv_token / 1024, -1);
    trace_add(t, TRACE_INFER_KV_WANTED, out->memory_part_gib[MEMORY_KV_CACHE], -1);
    trace_add(t, TRACE_INFER_WORK_SPACE, out->memory_part_gib[MEMORY_WORKSPACE], -1);
    trace_add(t, TRACE_INFER_MEMORY_NEED, out->memory_gib.expected, -1);
    trace_add(t, TRACE_INFER_CAPACITY, out->capacity_gib, -1);
    trace_add(t, TRACE_INFER_KV_ROOM, p->room / NUM_GIB, -1);
    trace_add(t, TRACE_INFER_MAX_LEN, out->max_len, -1);
    trace_add(t, TRACE_INFER_MAX_CONCURRENCY, out->max_concurrency, -1);
}

static void trace_speed(struct trace *t, const struct infer *e, const struct infer_split *p,
                        const struct infer_answer *r, const struct estimate *out) {
    int engine = (int)e->engine->constants;

    trace_add(t, TRACE_INFER_BATCH, r->batch, -1);
    trace_add(t, TRACE_INFER_STEP_COMPUTE, r->step.compute, ASSUME_INFER_GEMM_M0, ASSUME_INFER_GEMM_N0,
              ASSUME_INFER_GEMM_K0, -1);
    trace_add(t, TRACE_INFER_STEP_MEMORY, r->step.memory, -1);
    trace_add(t, TRACE_INFER_STEP_LINK, r->step.communication,
              p->over_pcie ? ASSUME_INFER_ALPHA_PCIE : ASSUME_INFER_ALPHA_NVLINK, ASSUME_INFER_SYNC_BYTES,
              ASSUME_INFER_RANK_SYNC, -1);
    trace_add(t, TRACE_INFER_STEP_HOST, r->step.host, engine + ENGINE_LAYER_US, engine + ENGINE_STEP_MS,
              engine + ENGINE_SEQUENCE_US, -1);
    trace_add(t, TRACE_INFER_STEP, out->step_s, -1);
    trace_add(t, TRACE_INFER_ITL, out->itl_ms.expected, -1);
    trace_add(t, TRACE_INFER_TTFT, out->ttft_ms.expected, ASSUME_INFER_CLOSED_QUEUE, ASSUME_INFER_RHO_MAX, -1);
    trace_add(t, TRACE_INFER_OUTPUT, out->tokens_per_s.expected, -1);
    trace_add(t, TRACE_INFER_REQUESTS, out->requests_per_s.expected, -1);
    trace_add(t, TRACE_INFER_SUSTAINED, out->sustained_requests_per_s.expected, -1);
    trace_add(t, TRACE_INFER_WIDTH, out->sigma * 1.2816, -1);
}

/* Speed of a layout whose memory is already known; a misfit is computed as if one sequence at a time still ran. */
void infer_speed(const struct infer *e, const struct infer_split *p, struct trace *t, struct estimate *out) {
    struct infer_answer r;

    infer_serve(e, p, &r);
    infer_ranges(e, p, &r, out);
    set_steps(e, p, &r, out);
    set_run(e, out);
    out->batch = r.batch;
    out->overloaded = r.overloaded || (job_is_serving(e->job) && r.burst);
    out->replicas_needed = replicas_needed(e, &r);
    out->ttft_slo_ms = r.ttft_slo * 1e3;
    out->itl_slo_ms = r.itl_slo * 1e3;
    out->e2e_slo_ms = r.e2e_slo * 1e3;
    out->targets_met = target_met(e->job->ttft_ms, r.ttft_slo) && target_met(e->job->itl_ms, r.itl_slo) &&
                       target_met(e->job->e2e_ms, r.e2e_slo);
    if (t != NULL) {
        trace_speed(t, e, p, &r, out);
    }
}

void inference_estimate(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                        const struct assumptions *a, struct trace *t, struct estimate *out) {
    struct infer e;
    struct infer_split p;

    infer_init(&e, c, j, s, a);
    infer_split_init(&p, &e, l);
    estimate_init(out, s, l);
    infer_memory(&e, &p, out);
    if (t != NULL) {
        trace_formats(t, &e);
        trace_memory(t, &p, out);
    }
    infer_speed(&e, &p, t, out);
}

/* Whole blocks of tokens that the room for the KV cache of one replica holds. */
double inference_max_len(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                         const struct assumptions *a) {
    struct infer e;
    struct infer_split p;

    infer_init(&e, c, j, s, a);
    infer_split_init(&p, &e, l);
    return infer_max_len(&e, &p);
}
