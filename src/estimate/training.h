/* SPDX-License-Identifier: MIT */
/*
 * Private to training_*.c. A `struct training` is what one job on one shape has in common over all layouts: counts, rates,
 * links. Then, for a layout: memory (a maximum over moments), one layer (a few numbers that layouts share), the step.
 *
 * Symbols of docs/model-training.md: h hidden, a heads, k KV heads, d head width, f MLP width, V vocabulary, L layers, s tokens a
 * sequence, b micro-batch, T = b s / cp tokens a pass, t p c e = TP PP CP EP, D data-parallel ranks, m micro-batches a step,
 * q parameters of a layer.
 */
#ifndef GPUPLAN_ESTIMATE_TRAINING_H
#define GPUPLAN_ESTIMATE_TRAINING_H

#include "internal.h"

enum { TODAY = 2025 }; /* software of a plan; a measured row says its year */
enum { SPEED_CACHE = 129 };

struct group_speed {
    bool known;
    double ring, allreduce; /* B/s per GPU */
    double latency_s;
};

struct training {
    const struct catalog *catalog;
    const struct job *job;
    const struct shape *shape;
    const struct assumptions *a;

    struct model_counts n;
    int gpus, year;
    enum precision precision;
    bool adapters, quantised, bert, image, flash, tuned, geforce, ampere;
    double share_lora; /* of the linear layers that carry an adapter, by elements touched */
    double seq, mean;  /* longest (memory) and mean (time) tokens a sequence */
    double head_share; /* of the tokens that pass through the vocabulary head */
    double f;          /* MLP width a token passes: experts and shared included */
    double layer_dense, layer_experts, layer_other; /* parameters a layer: TP-sharded, routed experts, replicated */
    double vocab_params;                            /* one token table */
    double moe_share;                               /* of the layers that are mixtures */
    double adapter_params;                          /* whole model */

    double x;                            /* bytes of an activation */
    double flops, attention_flops, unit; /* FLOP/s of a large GEMM and of the fused attention; saturation scale u */
    double vocab_flops;                  /* the head stays 16 bit */
    double bw, bw_eager;                 /* B/s */
    double h_passes, f_passes;           /* elementwise traffic */
    double kernels, host_calls, host_factor;
    double pcie;                       /* B/s */
    double node_bw, network_latency_s; /* B/s of all NICs of a node; 0 = one node */
    struct group_speed speed[SPEED_CACHE];
};

void training_init(struct training *t, const struct catalog *c, const struct job *j, const struct shape *s,
                   const struct assumptions *a);
/* The precision that runs: a stated one, or bf16 with fp16 where the card has none. */
enum precision training_precision(const struct job *j, const struct gpu *g);
/* Whether the layout is one program for all ranks of a tensor or pipeline group (Megatron class). */
bool training_megatron(const struct training *t, const struct layout *l);
/* Tokens of one pass of one GPU, padding included. */
double training_pass_tokens(const struct training *t, const struct layout *l);
/* Whether samples of different lengths are padded to the longest of their pass. */
bool training_padded(const struct training *t);
/* Global batch in sequences: fixed, or per data-parallel rank. */
double training_global_batch(const struct job *j, const struct layout *l);

/* rates: training_rates.c */
void training_rates(struct training *t);
double training_gemm(const struct training *t, double flops, double m, double n, double k);

/* collectives: training_links.c. Bytes are those of the whole message; a group has `inside` ranks on each of `nodes` nodes. */
struct span {
    int inside, nodes;
    double nic_share; /* of the node's network that this group gets */
};
struct span training_span(const struct training *t, int ranks, int stride);
double training_gather(struct training *t, struct span g, double bytes); /* all-gather or reduce-scatter */
double training_allreduce(struct training *t, struct span g, double bytes);
double training_ring_bw(struct training *t, struct span g);
double training_p2p(struct training *t, int stride, int stages,
                    double bytes); /* stage to stage, over the slowest border */

/* one layer, one micro-batch: training_layer.c. Seconds. */
struct train_layer {
    double gemm, down; /* forward; of it the down projection */
    double attention, attention_backward;
    double elementwise, gaps, adapters;
    double tp_once; /* one tensor-parallel all-reduce, exposed part */
    double cp, ep;
    double params;        /* on this GPU, unsharded: TP, EP applied */
    double linear_params; /* of it what a quantised base must dequantise */
};
void training_layer(struct training *t, const struct layout *l, struct train_layer *out);

/* the step: training_step.c */
struct train_time {
    double step_s, part[STEP_PART_COUNT];
    double comm_share, host_share, network_share;
    double stage_s, micro_s;
    enum limiter limiter;
};
void training_step(struct training *t, const struct layout *l, const struct train_layer *layer, struct trace *trace,
                   struct train_time *out);
double training_sigma(const struct training *t, const struct layout *l, const struct train_time *time);

/* memory: training_memory.c, training_state.c. GiB. */
struct train_state { /* bytes a parameter */
    double weights, gradients, optimizer, step_copy;
    double gathered; /* of a gathered (unsharded) parameter */
};
struct train_state training_state(const struct training *t, const struct layout *l);
struct train_memory {
    struct range need;
    double part[MEMORY_PART_COUNT]; /* sums to need.expected */
    enum phase phase;
};
void training_memory(const struct training *t, const struct layout *l, struct trace *trace, struct train_memory *out);

/* what the machine around the GPUs must have: training_host.c. GB. */
struct train_host {
    double ram_gb, disk_gb, load_gb, state_gb;
};
void training_host(const struct training *t, const struct layout *l, struct train_host *out);

/* explain: training_trace.c. Nothing happens without a trace. */
void training_trace_rates(const struct training *t, const struct layout *l, struct trace *trace);
void training_trace_layer(const struct training *t, const struct train_layer *y, struct trace *trace);

/* All of the above for one legal layout. */
void training_fill(struct training *t, const struct layout *l, struct trace *trace, struct estimate *out);

#endif
