/* SPDX-License-Identifier: MIT */
/*
 * Private to estimate/. Three kinds of job, three evaluators with the arguments of estimate_layout() and estimate_search():
 * training_*.c, inference_*.c, measured.c. They share what is declared here; constants of one kind are not used by another.
 */
#ifndef GPUPLAN_ESTIMATE_INTERNAL_H
#define GPUPLAN_ESTIMATE_INTERNAL_H

#include <stdbool.h>

#include "gpuplan/estimate/estimate.h"
#include "gpuplan/estimate/trace.h"

void training_estimate(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                       const struct assumptions *a, struct trace *t, struct estimate *out);
void training_search(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                     struct estimate_set *out);
double training_max_seq_len(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                            const struct assumptions *a);
struct reason training_check(const struct job *j, const struct shape *s, const struct layout *l);

void inference_estimate(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                        const struct assumptions *a, struct trace *t, struct estimate *out);
void inference_search(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                      struct estimate_set *out);
int inference_copies(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                     struct estimate out[ESTIMATE_COPIES_MAX]);
double inference_max_len(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                         const struct assumptions *a);
struct reason inference_check(const struct job *j, const struct shape *s, const struct layout *l);

void measured_estimate(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                       const struct assumptions *a, struct trace *t, struct estimate *out);
void measured_search(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                     struct estimate_set *out);
struct reason measured_check(const struct job *j, const struct shape *s, const struct layout *l);

/* A layout of one GPU that does nothing special: the start of every search. */
struct layout layout_single(void);
/* Everything zero or NUM_UNKNOWN, layout and counts filled in, fit = FIT_NO, reason none, targets_met true. */
void estimate_init(struct estimate *e, const struct shape *s, const struct layout *l);
/* capacity and the range give the verdict; a misfit gets REASON_GPU_MEMORY with need and have. */
void estimate_set_memory(struct estimate *e, double capacity_gib);
/*
 * Keeps the best few: [0] the fastest (least run_h.expected) of the best fit class, then those of no worse class that want less
 * host RAM, then a safer fit than [0]. Estimates that do not fit are kept only while nothing fits: the nearest miss.
 */
void estimate_set_add(struct estimate_set *set, const struct estimate *e);

struct reason reason_make(enum reason_code code, const char *what, double need, double have);

/* The card's 16-bit tensor rate with fp32 accumulate, TFLOP/s; the plain fp32 rate where it has none. */
double gpu_rate_16bit(const struct gpu *g);
/* Whether it computes in bf16, fp8, fp4 ... natively (compute capability 8.0, 8.9, 10.0 for NVIDIA; a stated rate for others). */
bool gpu_has_precision(const struct gpu *g, enum precision p);
/* What is no GPU, NVIDIA below compute capability 7.0, cards newer than the CUDA that the software is pinned to (NUM_UNKNOWN: none). */
struct reason gpu_check_usable(const struct gpu *g, double cuda_max);
/* Rate left under a power cap: (cap / TDP)^0.4, 1 without. */
double gpu_power_factor(const struct shape *s, const struct assumptions *a);
/* What a card sustains in large 16-bit GEMMs of training, FLOP/s. */
double gpu_training_flops(const struct gpu *g, const struct assumptions *a);
/* Physical bandwidth of one GPU's PCIe lanes, GB/s one direction, copies included. */
double shape_pcie_gbs(const struct shape *s);

#endif
