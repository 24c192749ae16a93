/* SPDX-License-Identifier: MIT */
/* How a job is split. A layout is legal for a job and shape or it is refused with a reason; it is never silently bent. */
#ifndef GPUPLAN_ESTIMATE_LAYOUT_H
#define GPUPLAN_ESTIMATE_LAYOUT_H

#include <stdbool.h>

#include "gpuplan/hardware/shape.h"
#include "gpuplan/workload/job.h"

struct layout {
    int replicas;      /* independent copies of the job's server (inference) or 1 */
    int dp, tp, pp, cp, ep;
    int zero;          /* 0..3; 3 = FSDP / ZeRO-3 */
    int shard;         /* ranks that shard together: dp, or less for HSDP; 1 when zero = 0 */
    bool seq_parallel;
    int micro_batch;   /* sequences per GPU and pass */
    int accumulation;  /* micro-batches a step */
    enum grad_sync grad_sync;
    enum recompute recompute; /* never AUTO */
    enum offload offload;
    bool layer_split;  /* inference: pp without pipelining of one request (llama.cpp) */
};

int layout_gpus(const struct layout *l); /* replicas x dp x tp x pp x cp (ep divides dp) */
/* Simplicity level: 0 one GPU, 1 copies or DDP, 2 sharded, 3 tensor or pipeline, 4 several nodes. */
int layout_simplicity(const struct layout *l, int gpus_per_node);

enum reason_code { REASON_NONE, REASON_GPU_MEMORY, REASON_HOST_MEMORY, REASON_DISK, REASON_CAPABILITY, REASON_DIVISIBILITY, REASON_DEADLINE, REASON_BUDGET, REASON_UNAVAILABLE, REASON_FILTERED, REASON_PRICE_MISSING, REASON_COUNT };
const char *reason_name(enum reason_code c); /* "gpu_memory" … of design.md 7.2 */

/* Why something is refused: a code, two numbers and a keyword; report/ makes the sentence. */
struct reason {
    enum reason_code code;
    double need, have;  /* bytes in GiB, counts, hours, dollars: as `what` says */
    const char *what;   /* static: "heads", "kv_heads", "layers", "ffn", "quant_group", "experts", "gpus", "bf16", "fp8", "compute_capability", "vram_gib", "host_gb", "disk_gb", "cuda", "cuda_max", "engine", "pins", "batch" … */
};

/* REASON_NONE, or DIVISIBILITY / CAPABILITY with the first thing that does not fit. Memory is not looked at here. */
struct reason layout_check(const struct job *j, const struct shape *s, const struct layout *l);

#endif
