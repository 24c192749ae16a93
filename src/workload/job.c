/* SPDX-License-Identifier: MIT */
/* Defaults of a job by task. Judgement of what people usually run; every one that is used is listed in job.assumed. */
#include "gpuplan/workload/job.h"

#include <string.h>

/* What a training job is when nobody says so: the figures of the preset nearest to the task (data/presets.json). */
static const struct {
    double samples, sample_tokens, epochs; /* 0 samples: `tokens` */
    double tokens;
    int seq_len;
    double global_batch;
    enum optimizer optimizer;
    double deadline_h;
} training[] = {
    [TASK_PRETRAIN] = {0, 0, 0, 22e9, 2048, 256, OPTIMIZER_ADAMW, 72},
    [TASK_FULL] = {20000, 700, 2, 0, 4096, 64, OPTIMIZER_ADAMW, 24},
    [TASK_LORA] = {10000, 500, 3, 0, 2048, 32, OPTIMIZER_ADAMW, 24},
    [TASK_QLORA] = {5000, 800, 2, 0, 2048, 16, OPTIMIZER_PAGED_ADAMW_8BIT, 24},
};

static void init_training(struct job *j) {
    j->samples = training[j->task].samples > 0 ? training[j->task].samples : NUM_UNKNOWN;
    j->sample_tokens = j->samples > 0 ? training[j->task].sample_tokens : NUM_UNKNOWN;
    j->epochs = j->samples > 0 ? training[j->task].epochs : NUM_UNKNOWN;
    j->tokens = j->samples > 0 ? j->samples * j->sample_tokens * j->epochs : training[j->task].tokens;
    j->packing = true;
    j->seq_len = training[j->task].seq_len;
    j->mean_len = j->seq_len;
    j->global_batch = training[j->task].global_batch;
    j->steps = j->tokens / (j->global_batch * j->mean_len);
    j->optimizer = training[j->task].optimizer;
    j->deadline_h = training[j->task].deadline_h;
    j->eval_share = 0.05;
}

static void init_inference(struct job *j) {
    j->input_len = 1000;
    j->output_len = 300;
    j->max_len = 8192;
    j->load = LOAD_CONCURRENCY;
    j->concurrency = 8; /* 20 users, a quarter of them waiting, 95th percentile */
    j->batching = BATCHING_ONLINE;
    j->serve_hours = 730; /* a month: 8760 h / 12 */
    strcpy(j->engine, "vllm");
}

static void init_measured(struct job *j) {
    j->base_gpus = 1;
    j->compute_share = 0.6; /* of a convolutional network; a transformer has 0.8 */
    j->deadline_h = 24;
}

/* Fields of the other kinds of job and limits: unknown, not zero. */
static void forget(struct job *j) {
    double *unknown[] = {
        &j->tokens,      &j->steps,       &j->samples,  &j->sample_tokens, &j->epochs,     &j->requests_per_s,
        &j->requests,    &j->concurrency, &j->users,    &j->ttft_ms,       &j->itl_ms,     &j->e2e_ms,
        &j->serve_hours, &j->base_hours,  &j->vram_gib, &j->sync_gb,       &j->step_s,     &j->deadline_h,
        &j->budget_usd,  &j->value_usd_h, &j->setup_h,  &j->dataset_gb,    &j->min_ram_gb, &j->checkpoint_min,
        &j->min_disk_gb, &j->cuda_min,    &j->cuda_max, &j->vcpus_per_gpu,
    };
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        *unknown[i] = NUM_UNKNOWN;
}

void job_init(struct job *j, enum task task) {
    *j = (struct job){.task = task};
    forget(j);
    j->model.params_stated = j->model.params_active_stated = NUM_UNKNOWN;
    j->precision = PRECISION_BF16;
    j->stack = STACK_DEFAULT;
    j->lora_rank = 16;
    j->base = task == TASK_QLORA ? WEIGHTS_NF4 : WEIGHTS_BF16;
    j->weights = WEIGHTS_BF16;
    j->kv = WEIGHTS_BF16;
    j->active_share = 0.25;
    j->gpu_memory_share = 0.9; /* what vLLM-class engines reserve unless told otherwise */
    j->slo_percentile = 95;
    j->runs = 1;
    j->zero = j->seq_parallel = -1;
    j->nodes_max = 1;
    if (job_is_training(j))
        init_training(j);
    else if (task == TASK_INFERENCE)
        init_inference(j);
    else
        init_measured(j);
}

bool job_is_training(const struct job *j) {
    return j->task < TASK_INFERENCE;
}

bool job_is_serving(const struct job *j) {
    return j->task == TASK_INFERENCE && j->load != LOAD_BATCH;
}
