/* SPDX-License-Identifier: MIT */
/* One layout of a training job, in full: memory, step, job, host. */
#include <math.h>

#include "training.h"

static double training_steps(const struct training *t, const struct layout *l) {
    double batch = training_global_batch(t->job, l);

    if (num_known(t->job->tokens) && t->job->tokens > 0) {
        return fmax(1, ceil(t->job->tokens / (batch * t->mean) - 1e-9));
    }
    return num_known(t->job->steps) && t->job->steps > 0 ? t->job->steps : 1;
}

static void fill_memory(const struct train_memory *m, const struct shape *s, struct estimate *out) {
    out->memory_gib = m->need;
    for (int i = 0; i < MEMORY_PART_COUNT; i++) {
        out->memory_part_gib[i] = m->part[i];
    }
    out->peak_phase = m->phase;
    estimate_set_memory(out, s->vram_gib);
}

static void fill_time(const struct training *t, const struct layout *l, const struct train_time *y,
                      struct estimate *out) {
    double tokens = training_global_batch(t->job, l) * t->mean;
    double share = num_known(t->job->eval_share) ? t->job->eval_share : 0;
    double runs = num_known(t->job->runs) && t->job->runs > 0 ? t->job->runs : 1;

    out->sigma = training_sigma(t, l, y);
    out->step_s = y->step_s;
    for (int i = 0; i < STEP_PART_COUNT; i++) {
        out->step_part_s[i] = y->part[i];
    }
    out->steps = training_steps(t, l);
    out->run_h = range_lognormal(out->steps * y->step_s * (1 + share) * runs / 3600, out->sigma);
    out->tokens_per_s = range_lognormal(tokens / y->step_s, out->sigma);
    out->limited_by = y->limiter;
    out->comm_share = y->comm_share;
}

static void fill_host(const struct training *t, const struct layout *l, struct estimate *out) {
    struct train_host host;

    training_host(t, l, &host);
    out->host_gb = host.ram_gb;
    out->disk_gb = host.disk_gb;
    out->load_gb = host.load_gb;
    out->state_gb = host.state_gb;
    out->vcpus = num_known(t->job->vcpus_per_gpu) ? t->job->vcpus_per_gpu * t->shape->gpus : 0; /* of one machine */
}

void training_fill(struct training *t, const struct layout *l, struct trace *trace, struct estimate *out) {
    struct train_memory memory;
    struct train_layer layer;
    struct train_time time;

    estimate_init(out, t->shape, l);
    training_memory(t, l, trace, &memory);
    fill_memory(&memory, t->shape, out);
    training_layer(t, l, &layer);
    training_trace_rates(t, l, trace);
    training_trace_layer(t, &layer, trace);
    training_step(t, l, &layer, trace, &time);
    fill_time(t, l, &time, out);
    trace_add(trace, TRACE_TRAIN_STEPS, out->steps, -1);
    trace_add(trace, TRACE_RUN_HOURS, out->run_h.expected, -1);
    trace_add(trace, TRACE_TRAIN_SIGMA, out->sigma, ASSUME_TRAIN_SIGMA_BASE, ASSUME_TRAIN_SIGMA_COMM, -1);
    fill_host(t, l, out);
}

void training_estimate(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                       const struct assumptions *a, struct trace *trace, struct estimate *out) {
    struct training t;

    training_init(&t, c, j, s, a);
    training_fill(&t, l, trace, out);
}

double training_max_seq_len(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                            const struct assumptions *a) {
    const int step = 256, most = 1 << 22; /* tokens */
    struct training t;
    struct train_memory m;
    int low = 0, high = most / step;

    training_init(&t, c, j, s, a);
    while (low < high) {
        int middle = (low + high + 1) / 2;
        t.seq = (double)middle * step;
        training_memory(&t, l, NULL, &m);
        if (m.need.expected <= s->vram_gib) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return (double)low * step;
}
