/* SPDX-License-Identifier: MIT */
/*
 * What is to be run. Two stages:
 *   struct workload - what was stated (file, form, flags): one slot per field of design.md section 6, each set or not. Parsing, saving,
 *                     the form, undo and help work on it through the one table of fields.
 *   struct job      - resolved: every value typed and filled in, with the list of what was assumed. Estimates read only this.
 * Both are plain values: copy freely.
 */
#ifndef GPUPLAN_WORKLOAD_JOB_H
#define GPUPLAN_WORKLOAD_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/err.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/provenance.h"
#include "gpuplan/workload/model.h"

enum task { TASK_PRETRAIN, TASK_FULL, TASK_LORA, TASK_QLORA, TASK_INFERENCE, TASK_MEASURED, TASK_COUNT };
enum stage { STAGE_RUN, STAGE_ITERATE };
enum precision { PRECISION_BF16, PRECISION_FP16, PRECISION_FP8, PRECISION_FP4, PRECISION_TF32, PRECISION_FP32, PRECISION_COUNT };
enum optimizer { OPTIMIZER_ADAMW, OPTIMIZER_ADAMW_8BIT, OPTIMIZER_PAGED_ADAMW, OPTIMIZER_PAGED_ADAMW_8BIT, OPTIMIZER_ADAMW_BF16, OPTIMIZER_ADAFACTOR, OPTIMIZER_LION, OPTIMIZER_SGD, OPTIMIZER_COUNT };
enum recompute { RECOMPUTE_AUTO, RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL, RECOMPUTE_COUNT };
enum loss_kind { LOSS_FULL, LOSS_CHUNKED };
enum lora_targets { LORA_ALL_LINEAR, LORA_ATTENTION, LORA_QV, LORA_MLP };
enum weight_format { WEIGHTS_FP32, WEIGHTS_BF16, WEIGHTS_FP16, WEIGHTS_FP8, WEIGHTS_FP4, WEIGHTS_INT8, WEIGHTS_INT4, WEIGHTS_NF4, WEIGHTS_Q8_0, WEIGHTS_Q6_K, WEIGHTS_Q5_K_M, WEIGHTS_Q4_K_M, WEIGHTS_Q4_0, WEIGHTS_Q3_K_M, WEIGHTS_Q2_K, WEIGHTS_COUNT };
enum offload { OFFLOAD_NONE, OFFLOAD_OPTIMIZER, OFFLOAD_PARAMS, OFFLOAD_ACTIVATIONS, OFFLOAD_COUNT };
enum grad_sync { GRAD_SYNC_AUTO, GRAD_SYNC_EACH, GRAD_SYNC_LAST };
enum attention_kind { ATTENTION_FLASH, ATTENTION_EAGER };
enum stack { STACK_TUNED, STACK_DEFAULT, STACK_EAGER, STACK_COUNT };
enum batch_rule { BATCH_FIXED, BATCH_PER_GPU };
enum scaling { SCALING_STRONG, SCALING_WEAK };
enum batching { BATCHING_SINGLE, BATCHING_STATIC, BATCHING_OFFLINE, BATCHING_ONLINE, BATCHING_COUNT };
enum strategy { STRATEGY_AUTO, STRATEGY_SINGLE, STRATEGY_DDP, STRATEGY_ZERO1, STRATEGY_ZERO2, STRATEGY_ZERO3, STRATEGY_FSDP, STRATEGY_HSDP, STRATEGY_MEGATRON, STRATEGY_REPLICAS, STRATEGY_LAYER_SPLIT, STRATEGY_COUNT };
enum spot_choice { SPOT_NO, SPOT_YES, SPOT_ONLY };
enum load_kind { LOAD_CONCURRENCY, LOAD_RATE, LOAD_BATCH }; /* serving N at once, serving requests/s, a batch of requests */
/* Which counter a peak was read from. Plans use COUNTER_PLAN; the rest only describe measurement rows. */
enum memory_counter { COUNTER_PLAN, COUNTER_ALLOCATED, COUNTER_RESERVED, COUNTER_NVIDIA_SMI };
/* Facts of a measured run that are no field of a workload; 0 = as in a plan. */
enum head_kind { HEAD_EVERY_TOKEN, HEAD_MASKED_TOKENS /* about one token in six */, HEAD_NONE };
enum length_kind { LENGTHS_UNSTATED, LENGTHS_FIXED, LENGTHS_VARY /* cut at seq_len, often near it */, LENGTHS_BELOW /* seq_len is only a maximum */ };

enum field_type { FIELD_NUMBER, FIELD_INTEGER, FIELD_BOOL, FIELD_WORD, FIELD_TEXT };
enum field_group { GROUP_TASK, GROUP_MODEL, GROUP_TRAINING, GROUP_INFERENCE, GROUP_MEASURED, GROUP_LAYOUT, GROUP_LIMITS };

/* One row per field, in the order of files and forms: workload/fields.def has the rest (type, unit, range, words, help). */
enum field_id {
#define FIELD(id, ...) FIELD_##id,
#include "gpuplan/workload/fields.def"
#undef FIELD
    FIELD_COUNT
};

struct field {
    enum field_id id;
    const char *name;           /* "seq_len" */
    enum field_group group;
    enum field_type type;
    enum num_unit unit;
    bool binary_k;              /* "8k" means 8192 (lengths), else 8000 (amounts) */
    double min, max;            /* allowed, inclusive; FIELD_TEXT: max = longest, bytes */
    /* FIELD_WORD: NULL-terminated, index = enum value (base, weights and kv_precision: names of weight formats) */
    const char *const *words;
    unsigned tasks;             /* bit (1 << enum task): where the form shows it */
    const char *label;          /* N_(): plain words for the form */
    const char *help;           /* N_(): one line */
};
const struct field *field_table(void);              /* FIELD_COUNT rows, index = field_id */
const struct field *field_find(const char *name);   /* NULL */
const char *field_nearest(const char *name);

enum value_source { VALUE_UNSET, VALUE_STATED, VALUE_PRESET };
struct value {
    unsigned char source; /* enum value_source */
    int word;             /* FIELD_WORD, FIELD_BOOL */
    double number;        /* FIELD_NUMBER, FIELD_INTEGER; NUM_UNKNOWN = stated as "none" */
    char text[256];       /* FIELD_TEXT, already clean */
};
struct workload {
    struct value v[FIELD_COUNT];
    bool has_config;      /* a config.json was handed in for `model` */
    struct model config;
};

void workload_init(struct workload *w);
/*
 * One value; suffixes as in num.h, "8B" in params_b and "25M" in params_m too. Empty unsets; "auto" leaves a pin open; "none"
 * lifts a limit or target that would otherwise be assumed. A wrong one names field and what is allowed; an unknown field
 * suggests the nearest.
 */
bool workload_set(struct workload *w, const char *field, const char *value, struct err *err);
bool workload_set_pair(struct workload *w, const char *key_equals_value, struct err *err);
void workload_unset(struct workload *w, enum field_id id);
bool workload_from_json(struct workload *w, const char *bytes, size_t len, const char *name, struct err *err);
void workload_to_json(const struct workload *w, struct buf *out);  /* only what was stated */
size_t workload_value_text(const struct workload *w, enum field_id id, char *out, size_t cap);
/* A preset of data/presets.json fills what is not stated (source VALUE_PRESET). */
bool workload_apply_preset(struct workload *w, const char *preset, struct err *err);
const char *const *preset_names(size_t *count);
const char *preset_about(const char *name);

enum { JOB_MAX_ASSUMED = 48 };
struct assumed {
    char key[40], value[64], why[48]; /* "deadline_h", "24", "preset" / "default" / "model" */
};

struct job {
    enum task task;
    enum stage stage;
    struct model model;
    char preset[32];

    /* training: `tokens` is the whole work of one run, epochs included, as it is computed (padding counted when not packed) */
    double tokens, steps, samples, sample_tokens, epochs;
    bool packing;
    int seq_len;              /* longest sequence: decides memory */
    double mean_len;          /* mean length: decides time; = seq_len when packed */
    double global_batch;      /* sequences a step */
    int micro_batch;          /* 0 = search */
    enum batch_rule batch_rule;
    enum scaling scaling;
    enum precision precision;
    bool precision_stated;    /* false: bf16 falls back to fp16 on cards without it */
    enum optimizer optimizer;
    enum recompute recompute;
    enum loss_kind loss;
    int lora_rank;
    enum lora_targets lora_targets;
    bool train_embeddings;
    enum weight_format base;  /* of the frozen weights (lora, qlora) */
    enum offload offload;     /* pinned or none */
    bool offload_stated;
    enum grad_sync grad_sync;
    enum attention_kind attention;
    enum stack stack;
    bool stack_stated;
    double runs, eval_share;

    /* inference */
    double input_len, output_len, max_len, prefix_len;
    enum load_kind load;
    double concurrency, requests_per_s, requests; /* NUM_UNKNOWN where the load is another kind */
    double users, active_share; /* NUM_UNKNOWN unless the load was given by users; concurrency is then their 95th percentile */
    enum batching batching;
    enum weight_format weights;
    bool weights_stated;
    enum weight_format kv;    /* bf16 fp16 fp8 int8 */
    bool kv_stated;
    char engine[24];          /* row of data/engines.csv; "" = generic */
    double gpu_memory_share;  /* engine's reserve of the card, 0.9 */
    double ttft_ms, itl_ms, e2e_ms; /* targets; NUM_UNKNOWN = none */
    double slo_percentile, serve_hours;

    /* measured */
    char base_gpu[48];
    double base_gpus, base_hours, vram_gib, sync_gb, step_s, compute_share;
    struct { double gpus, efficiency; } points[16];
    int point_count;

    /* pins; 0 / AUTO = search */
    enum strategy strategy;
    int tp, pp, dp, cp, ep;
    int zero;                 /* -1 = search */
    int seq_parallel;         /* -1 = search */
    int gpus_per_node;        /* 0 = the offer's */

    /* limits; NUM_UNKNOWN = none */
    double deadline_h, budget_usd, value_usd_h, setup_h, dataset_gb, checkpoint_min, min_ram_gb, min_disk_gb, vcpus_per_gpu, cuda_min, cuda_max;
    enum spot_choice spot;
    char regions[96];
    int max_gpus, nodes_max;  /* max_gpus 0 = no limit */

    /* software of a measured run; a plan leaves 0 (today's) and COUNTER_PLAN */
    int software_year;
    enum memory_counter counter;
    bool counter_active;      /* accumulation off, one micro-batch a step ("active_peak") */
    enum head_kind head;      /* which tokens pass through the vocabulary head */
    enum length_kind lengths;
    int reduce_bytes;         /* of one gradient element on the wire: 2, 4; 0 = as the stack does */
    double logit_bytes;       /* of one logit, its loss and gradient included; 0 = as the stack does */
    bool packed_base;         /* 4-bit weights are a tensor type of their own: nothing is lifted to fp32 as bitsandbytes does */
    bool fused_step;          /* the optimizer runs inside the backward pass: gradients are freed at once */
    bool fused_optimizer;     /* one kernel updates in place: no copy of what the step works on */
    bool requests_stated;     /* inference: how many requests were sent is published, not a guess */

    struct assumed assumed[JOB_MAX_ASSUMED];
    int assumed_count;
};

/* Everything filled in, contradictions refused with the field that is wrong. models: to look names up. */
bool job_resolve(const struct workload *w, const struct models *models, struct job *out, struct err *err);
/* Default values of a job of this task, for tests and measurement rows: model must be set afterwards. */
void job_init(struct job *j, enum task task);
/* A resolved field as one would write it; 0 and "" when it is open or has no meaning for this job. */
size_t job_value_text(const struct job *j, enum field_id id, char *out, size_t cap);
/* Resolved fields as a JSON object (cJSON); the caller owns it. */
struct cJSON *job_to_json(const struct job *j);

const char *task_name(enum task t);
int task_find(const char *s);
const char *precision_name(enum precision p);
int precision_find(const char *s);
const char *optimizer_name(enum optimizer o);
const char *recompute_name(enum recompute r);
const char *offload_name(enum offload o);
const char *grad_sync_name(enum grad_sync g);
const char *strategy_name(enum strategy s);
const char *stack_name(enum stack s);
const char *weight_format_name(enum weight_format w);
int weight_format_find(const char *s);
const char *batching_name(enum batching b);
/* Bytes a weight of this format takes in the linear layers, scales included (source: table in model.c). */
double weight_format_bytes(enum weight_format w);
double precision_bytes(enum precision p); /* of an activation or gradient element: 2, or 4 for tf32 and fp32 */
bool job_is_training(const struct job *j);
bool job_is_serving(const struct job *j); /* inference with concurrency, users or requests_per_s: cost per month, per token */

#endif
