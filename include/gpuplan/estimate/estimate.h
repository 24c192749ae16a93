/* SPDX-License-Identifier: MIT */
/*
 * The one evaluator. Ranking, explanation, what-if, charts, export and validation all call estimate_layout() or
 * estimate_search(). Pure: no I/O, no clock, no globals; codes and numbers only. Formulas and sources: docs/model-*.md,
 * constants: assume.h.
 */
#ifndef GPUPLAN_ESTIMATE_ESTIMATE_H
#define GPUPLAN_ESTIMATE_ESTIMATE_H

#include <stdbool.h>

#include "gpuplan/estimate/assume.h"
#include "gpuplan/estimate/layout.h"
#include "gpuplan/hardware/catalog.h"

enum fit { FIT_NO, FIT_TIGHT, FIT_FITS };
enum memory_part { MEMORY_WEIGHTS, MEMORY_GRADIENTS, MEMORY_OPTIMIZER, MEMORY_ACTIVATIONS, MEMORY_LOGITS, MEMORY_KV_CACHE, MEMORY_WORKSPACE, MEMORY_PART_COUNT };
enum step_part { STEP_COMPUTE, STEP_MEMORY, STEP_COMMUNICATION /* exposed */, STEP_BUBBLE, STEP_INPUT, STEP_OPTIMIZER, STEP_PART_COUNT };
enum phase { PHASE_TRAIN, PHASE_LOSS, PHASE_BACKWARD_END, PHASE_OPTIMIZER_STEP, PHASE_LOAD, PHASE_SAVE, PHASE_PREFILL, PHASE_DECODE, PHASE_MEASURED, PHASE_COUNT };
enum limiter { LIMITED_COMPUTE, LIMITED_MEMORY_BANDWIDTH, LIMITED_LINK, LIMITED_NETWORK, LIMITED_BUBBLE, LIMITED_INPUT, LIMITED_OPTIMIZER, LIMITED_LATENCY, LIMITED_KV_ROOM, LIMITED_COUNT };

const char *fit_name(enum fit f);                 /* "fits" "tight" "no" */
const char *memory_part_name(enum memory_part p); /* "weights" … of design.md 7.2 */
const char *step_part_name(enum step_part p);     /* "compute" "memory" "exposed_communication" "bubble" "input" "optimizer" */
const char *phase_name(enum phase p);             /* "train" … */
const char *limiter_name(enum limiter l);         /* "compute" "memory_bandwidth" "link" … */

struct estimate {
    struct layout layout;
    int gpus, nodes;               /* used */
    enum fit fit;
    struct reason reason;          /* why fit is no (REASON_NONE when it fits) */

    /* memory of the worst GPU, GiB; the sum of the parts is memory_gib.expected */
    double capacity_gib;
    struct range memory_gib;
    double memory_part_gib[MEMORY_PART_COUNT];
    enum phase peak_phase;
    double host_gb;                /* RAM one machine needs */
    double disk_gb;                /* disk one machine needs, without the data set */
    double vcpus;                  /* wanted by the input pipeline; 0 = no demand */
    double load_gb;                /* downloaded before the start: weights (not the data set) */
    double state_gb;               /* one checkpoint */
    double max_seq_len;            /* longest that still fits with this layout; 0 = not computed */

    /* time. Training and batch jobs: run_h is the pure run (no set-up). Serving: run_h = serve_hours. */
    struct range run_h;
    double step_s, step_part_s[STEP_PART_COUNT];  /* sum of parts = step_s; serving: one decode step */
    double steps;
    struct range tokens_per_s;     /* training: tokens; inference: output tokens, all replicas */
    enum limiter limited_by;
    double comm_share;             /* of the step, exposed: drives range and risk */
    double sigma;                  /* of log time */

    /* inference; expected NUM_UNKNOWN when not applicable */
    struct range ttft_ms, itl_ms, e2e_ms, prefill_tokens_per_s, decode_tokens_per_s, total_tokens_per_s, requests_per_s, sustained_requests_per_s;
    double ttft_slo_ms, itl_slo_ms, e2e_slo_ms; /* at slo_percentile over the requests: what the targets are held against; NUM_UNKNOWN */
    double max_concurrency;        /* sequences that fit the KV room, all replicas */
    double max_len;                /* longest sequence the KV room of one replica holds */
    double replicas_needed;        /* for the load at the targets; NUM_UNKNOWN */
    bool overloaded;               /* the load cannot be served by this layout: run_h, cost are for what it can */
    bool targets_met;              /* TTFT, ITL, e2e at the percentile (true when there are none) */
    double batch;                  /* sequences a decode step of one replica works on */
};

/* Evaluates one layout, legal or not: an illegal or unfit one has fit = FIT_NO, its reason, and memory where it is defined. trace may be NULL. */
struct trace;
void estimate_layout(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l, const struct assumptions *a, struct trace *trace, struct estimate *out);

/*
 * Searches the layouts of exactly n GPUs (n = gpus x nodes of the shape handed in; fewer GPUs = hand in a smaller shape) and
 * keeps the best few: [0] the fastest of the best fit class, the others use less of the host (no offload, less RAM) or fit more
 * safely. count 0 never happens: when nothing fits, [0] is the layout that came nearest, with its reason.
 */
enum { ESTIMATE_SET_MAX = 4 };
struct estimate_set {
    int count;
    struct estimate e[ESTIMATE_SET_MAX];
    long layouts; /* evaluated */
};
void estimate_search(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a, struct estimate_set *out);

/*
 * Inference: the GPUs of the shape cut into copies of the model in every way, whatever the job pins. out[i] has copies of 1, 2, 3 ... GPUs
 * (divisors of their number), each in its best layout or in the one that comes nearest, with its reason. Returns how many; 0 for other jobs.
 */
enum { ESTIMATE_COPIES_MAX = 12 };
int estimate_copies(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a, struct estimate out[ESTIMATE_COPIES_MAX]);

/* Longest sequence (training: seq_len; inference: prompt and answer) that still fits with this layout, in steps of 256 tokens; 0 = none. Memory only: cheap. */
double estimate_max_seq_len(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l, const struct assumptions *a);

/* The same shape with n GPUs in its node(s): links follow (one GPU has none; a pair of bridged cards keeps the bridge). */
struct shape shape_with_gpus(const struct shape *s, int gpus, int nodes);

/* What the linear layers of an inference job are computed in on this card: "fp8", "fp4", "fp32" or estimate_arithmetic_16bit, whatever
 * the weights are stored in. NULL for other jobs. */
extern const char estimate_arithmetic_16bit[];
const char *estimate_arithmetic(const struct job *j, const struct gpu *g);

/* Engines (data/engines.csv) an inference job may name. */
bool engine_known(const char *name);

#endif
