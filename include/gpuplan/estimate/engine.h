/* SPDX-License-Identifier: MIT */
/*
 * Inference engines: one row per engine and range of years (data/engines.csv). What was calibrated (time a layer, a step, a
 * sequence; shares of the card's rates) stands among the assumptions as engine.<key>.<column>; the facts stand here. Both are
 * made from the same file at build time; engines_overlay() lays an overlay of that file over the assumptions.
 */
#ifndef GPUPLAN_ESTIMATE_ENGINE_H
#define GPUPLAN_ESTIMATE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/err.h"
#include "gpuplan/estimate/assume.h"
#include "gpuplan/workload/job.h"

/* Who divides the card. CARD: weights, work space and KV share pool_share of the whole card. FREE: the KV cache takes pool_share
 * of what the rest leaves. NONE: allocated as it is used. */
enum engine_pool { ENGINE_POOL_CARD, ENGINE_POOL_FREE, ENGINE_POOL_NONE };

/* Ways one copy of a model may be spread: tensor parallel, pipeline, experts with data-parallel attention, layer by layer. */
enum engine_split { ENGINE_SPLIT_TP = 1, ENGINE_SPLIT_PP = 2, ENGINE_SPLIT_EP = 4, ENGINE_SPLIT_LAYER = 8 };

/* Constants of an engine in the assumptions, from engine.constants on, in this order. */
enum engine_constant {
    ENGINE_LAYER_US,
    ENGINE_STEP_MS,
    ENGINE_SEQUENCE_US,
    ENGINE_ATTENTION,
    ENGINE_COMPUTE,
    ENGINE_BANDWIDTH,
    ENGINE_SM_BYTES, /* bytes a multiprocessor draws a cycle in decoding; 0 = no limit but the memory */
    ENGINE_CONSTANT_COUNT
};

struct engine_bytes {
    double layer, head; /* bytes a weight of the layers and of the head takes */
};

struct engine {
    const char *key;          /* "vllm-2024" */
    const char *name;         /* "vllm": what a job names */
    int year_from, year_to;   /* of the software, inclusive; 0 = open */
    enum assume_id constants; /* first of ENGINE_CONSTANT_COUNT assumptions */
    int cap, cap_large;       /* most sequences at once; on cards of 70 GiB and more */
    int chunk;                /* prompt tokens of one pass */
    double output_reserve;    /* share of the output length a sequence holds on average when it is admitted */
    enum engine_pool pool;
    double pool_share;
    double fixed_bytes, fixed_tp_bytes; /* buffers, graphs, work space; more where ranks communicate */
    bool unfused;                       /* attention writes its scores to memory */
    bool accumulate_fp16;               /* matrix units accumulate in 16 bit: twice the rate on GeForce */
    double first_token_s;               /* request handling before the first token */
    double min_cc;                      /* least CUDA compute capability */
    double fp8_weight_only_cc;          /* least one that runs fp8 weights with 16-bit arithmetic; 0 = never */
    double fp4_weight_only_cc;          /* the same for fp4 weights (w4a16) */
    double hbm_compute;                 /* factor of the arithmetic on cards with HBM */
    struct engine_bytes int4, int8;
    int int4_group;      /* inputs that share a scale of 4-bit weights: ranks may not cut one */
    unsigned splits;     /* enum engine_split */
    unsigned calibrated; /* 1 << enum batching: modes it has rows for */
    unsigned formats;    /* 1 << enum weight_format */
};

/* All rows, for lists and tests. The first is the generic engine. */
const struct engine *engine_table(size_t *count);
/* The row of an engine in a year (0 = today's); "" and an unknown name give the generic engine. */
const struct engine *engine_find(const char *name, int year);
/* For a job: its engine, or the one that its weight format calls for when none is named. */
const struct engine *engine_of_job(const struct job *j);
static inline double engine_value(const struct engine *e, const struct assumptions *a, enum engine_constant k) {
    return a->v[(int)e->constants + (int)k].expected;
}

/* Whether there is an engine of this name; "" is the generic one. The error names field, the nearest name and what is allowed. */
bool engine_check(const char *name, struct err *err);

/* Constants of an overlay of engines.csv -> assumptions. Only rows that exist may be changed; errors name line and column. */
bool engines_overlay(struct assumptions *a, const char *bytes, size_t len, const char *name, struct err *err);

#endif
