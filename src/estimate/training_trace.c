/* SPDX-License-Identifier: MIT */
/* The account of one training estimate: every number that explain shows, with the assumptions it used. */
#include <math.h>

#include "training.h"

static const double tera = 1e12;

static int gemm_family(const struct training *t) {
    return (int)ASSUME_TRAIN_GEMM_OTHER + (int)t->shape->gpu->family;
}
static int watts_family(const struct training *t) {
    return (int)ASSUME_TRAIN_WATTS_OTHER + (int)t->shape->gpu->family;
}

void training_trace_rates(const struct training *t, const struct layout *l, struct trace *trace) {
    bool hopper_on = t->shape->gpu->family >= GPU_FAMILY_HOPPER && t->shape->gpu->family <= GPU_FAMILY_BLACKWELL_WS;

    trace_add(trace, TRACE_TRAIN_GEMM_RATE, t->flops / tera, gemm_family(t), watts_family(t),
              ASSUME_TRAIN_WATTS_EXPONENT, ASSUME_TRAIN_GEMM_CAP,
              t->precision == PRECISION_FP8 ? (int)ASSUME_TRAIN_FP8_SHARE : -1, -1);
    if (t->flash) {
        trace_add(trace, TRACE_TRAIN_ATTENTION_RATE, t->attention_flops / tera,
                  hopper_on ? ASSUME_TRAIN_FLASH_HOPPER : ASSUME_TRAIN_FLASH_AMPERE, ASSUME_TRAIN_FLASH_NEW, -1);
    }
    trace_add(trace, TRACE_TRAIN_BANDWIDTH, t->bw / NUM_GB, ASSUME_TRAIN_MEMORY_SHARE, -1);
    trace_add(trace, TRACE_TRAIN_TOKENS_A_PASS, training_pass_tokens(t, l),
              training_padded(t) ? (int)ASSUME_TRAIN_LENGTH_SPREAD : -1, -1);
}

void training_trace_layer(const struct training *t, const struct train_layer *y, struct trace *trace) {
    trace_add(trace, TRACE_TRAIN_LAYER_GEMM, y->gemm, ASSUME_TRAIN_GEMM_M0, ASSUME_TRAIN_GEMM_N0, -1);
    if (t->flash) {
        trace_add(trace, TRACE_TRAIN_LAYER_ATTENTION, y->attention, ASSUME_TRAIN_BACKWARD_FLASH, -1);
    } else {
        trace_add(trace, TRACE_TRAIN_LAYER_ATTENTION, y->attention, ASSUME_TRAIN_UNFUSED_GEMM, ASSUME_TRAIN_SCORE_BYTES,
                  -1);
    }
    trace_add(trace, TRACE_TRAIN_LAYER_TRAFFIC, y->elementwise + y->gaps + y->adapters,
              t->tuned  ? ASSUME_TRAIN_H_BYTES_FUSED
              : t->bert ? ASSUME_TRAIN_H_BYTES_BERT
                        : ASSUME_TRAIN_H_BYTES_DEFAULT,
              ASSUME_TRAIN_F_BYTES, ASSUME_TRAIN_KERNEL_GAP_US,
              t->tuned && !t->bert ? ASSUME_TRAIN_KERNELS_FUSED : ASSUME_TRAIN_KERNELS_EAGER,
              t->adapters ? (int)ASSUME_TRAIN_LORA_PASSES : -1, -1);
}
