/* SPDX-License-Identifier: MIT */
/* What one card sustains in training: GEMMs, fused attention, memory traffic. */
#include <math.h>

#include "training.h"

static const double tera = 1e12;

/*
 * Cards of one family differ by the power they have for each FLOP: the sustained share grows with watts per TFLOP/s until
 * power no longer limits. Reference: the card that the family's efficiency was fitted on.
 */
static double power_gain(const struct gpu *g, const struct assumptions *a) {
    double cap = assume_get(a, ASSUME_TRAIN_WATTS_CAP);
    double reference = assume_family(a, ASSUME_TRAIN_WATTS_OTHER, g->family);
    double rate = gpu_rate_16bit(g);
    double watts = g->tdp_w > 0 && rate > 0 ? g->tdp_w / rate : reference;

    return pow(fmin(watts, cap) / reference, assume_get(a, ASSUME_TRAIN_WATTS_EXPONENT));
}

static double efficiency_16bit(const struct gpu *g, const struct assumptions *a) {
    double family = assume_family(a, ASSUME_TRAIN_GEMM_OTHER, g->family);
    double boost = g->geforce ? assume_get(a, ASSUME_TRAIN_GEFORCE_BOOST) : 1;

    return fmin(assume_get(a, ASSUME_TRAIN_GEMM_CAP) * boost, family * power_gain(g, a));
}

double gpu_training_flops(const struct gpu *g, const struct assumptions *a) {
    return gpu_rate_16bit(g) * efficiency_16bit(g, a) * tera;
}

static double precision_flops(const struct training *t, enum precision p) {
    const struct gpu *g = t->shape->gpu;
    double e = efficiency_16bit(g, t->a);

    switch (p) {
    case PRECISION_FP32:
        return g->fp32_tflops * assume_get(t->a, ASSUME_TRAIN_FP32_EFFICIENCY) *
               (t->geforce ? assume_get(t->a, ASSUME_TRAIN_FP32_BOOST) : 1) * tera;
    case PRECISION_TF32:
        return g->tf32_tflops * e * tera;
    case PRECISION_FP8:
        return g->fp8_tflops * e * assume_get(t->a, ASSUME_TRAIN_FP8_SHARE) * tera;
    case PRECISION_FP4:
        return g->fp4_tflops * e * assume_get(t->a, ASSUME_TRAIN_FP4_SHARE) * tera;
    case PRECISION_BF16:
    case PRECISION_FP16:
    case PRECISION_COUNT:
        break;
    }
    return gpu_rate_16bit(g) * e * tera;
}

/*
 * How far small matrices fall behind: less when the rate itself is lower (fit: 1 for 16 bit, 0.5 tf32, 0.15 fp32), more when it
 * is higher, as the tiles are the same and the scales of fp8 blocks come on top.
 */
static double saturation_scale(const struct assumptions *a, enum precision p) {
    switch (p) {
    case PRECISION_FP32:
        return 0.15;
    case PRECISION_TF32:
        return 0.5;
    case PRECISION_FP8:
    case PRECISION_FP4:
        return assume_get(a, ASSUME_TRAIN_FP8_SATURATION);
    case PRECISION_BF16:
    case PRECISION_FP16:
    case PRECISION_COUNT:
        break;
    }
    return 1;
}

static double flash_flops(const struct training *t) {
    bool hopper_on = t->shape->gpu->family == GPU_FAMILY_HOPPER || t->shape->gpu->family == GPU_FAMILY_BLACKWELL_DC ||
                     t->shape->gpu->family == GPU_FAMILY_BLACKWELL_WS;
    double e = assume_get(t->a, hopper_on ? ASSUME_TRAIN_FLASH_HOPPER : ASSUME_TRAIN_FLASH_AMPERE);

    if (t->year >= 2024) {
        e *= assume_get(t->a, ASSUME_TRAIN_FLASH_NEW);
    }
    return gpu_rate_16bit(t->shape->gpu) * power_gain(t->shape->gpu, t->a) * e * tera;
}

/* Unfused elementwise kernels are bound by issue slots, not by bytes, on cards with few fp32 lanes for their bandwidth. */
static double eager_bandwidth(const struct training *t) {
    const struct gpu *g = t->shape->gpu;
    bool half = g->family == GPU_FAMILY_GA10X || g->family == GPU_FAMILY_ADA || g->family == GPU_FAMILY_HOPPER ||
                g->family == GPU_FAMILY_BLACKWELL_DC ||
                g->family == GPU_FAMILY_BLACKWELL_WS; /* dual-issue lanes count twice in the rated figure */
    double issue = g->fp32_tflops * tera * (half ? 0.5 : 1);

    return 1 / (1 / t->bw + assume_get(t->a, ASSUME_TRAIN_ISSUE_FLOP) / issue);
}

void training_rates(struct training *t) {
    double power = gpu_power_factor(t->shape, t->a);

    t->flops = precision_flops(t, t->precision) * power;
    t->unit = saturation_scale(t->a, t->precision);
    t->vocab_flops = t->precision == PRECISION_FP8 || t->precision == PRECISION_FP4
                         ? precision_flops(t, PRECISION_BF16) * power
                         : t->flops;
    t->attention_flops = flash_flops(t) * power;
    t->bw = t->shape->gpu->mem_bw_gbs * NUM_GB * assume_get(t->a, ASSUME_TRAIN_MEMORY_SHARE);
    t->bw_eager = eager_bandwidth(t);
    t->pcie = shape_pcie_gbs(t->shape) * assume_get(t->a, ASSUME_TRAIN_PCIE_COPY_SHARE) * NUM_GB;
}

double training_gemm(const struct training *t, double flops, double m, double n, double k) {
    double m0 = t->unit * assume_get(t->a, ASSUME_TRAIN_GEMM_M0);
    double n0 = t->unit * assume_get(t->a, ASSUME_TRAIN_GEMM_N0);

    return 2 * m * n * k / flops * (1 + m0 / m) * (1 + n0 / n) * (1 + n0 / k);
}
