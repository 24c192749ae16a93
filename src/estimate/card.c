/* SPDX-License-Identifier: MIT */
/* What a card can do, in the words of estimates. Rates come from the catalogue; only thresholds stand here. */
#include <math.h>

#include "internal.h"

enum { MIN_CAPABILITY_TENTHS = 70 }; /* PyTorch wheels and inference engines since 2024: 7.0 and up */

static int capability_tenths(const struct gpu *g) {
    return (int)lround(g->compute_capability * 10);
}

/*
 * First CUDA that compiles for an architecture (NVIDIA's release notes). Machine code for 8.0 runs on 8.9, so the first of a
 * major version counts; what was built before it finds no code for the card.
 */
static const struct {
    double capability, cuda;
} first_cuda[] = {{12.0, 12.8}, {10.0, 12.8}, {9.0, 11.8}, {8.0, 11.0}, {7.0, 9.0}};

static double cuda_needed(const struct gpu *g) {
    for (size_t i = 0; i < sizeof first_cuda / sizeof first_cuda[0]; i++) {
        if (g->compute_capability >= first_cuda[i].capability - 1e-6) {
            return first_cuda[i].cuda;
        }
    }
    return 0;
}

struct reason gpu_check_usable(const struct gpu *g, double cuda_max) {
    if (g == NULL || g->cls != GPU_CLASS_GPU) {
        return reason_make(REASON_CAPABILITY, "gpu", 1, 0);
    }
    if (g->compute_capability > 0 && capability_tenths(g) < MIN_CAPABILITY_TENTHS) {
        return reason_make(REASON_CAPABILITY, "compute_capability", MIN_CAPABILITY_TENTHS / 10.0,
                           g->compute_capability);
    }
    if (cuda_max > 0 && cuda_max < cuda_needed(g) - 1e-6) {
        return reason_make(REASON_CAPABILITY, "cuda_max", cuda_needed(g), cuda_max);
    }
    return reason_make(REASON_NONE, NULL, 0, 0);
}

double gpu_rate_16bit(const struct gpu *g) {
    double rate = fmax(g->fp16_tflops, g->bf16_tflops);
    return fmax(rate, g->fp32_tflops);
}

bool gpu_has_precision(const struct gpu *g, enum precision p) {
    bool nvidia = g->compute_capability > 0;
    switch (p) {
    case PRECISION_BF16:
        return g->bf16_tflops > 0 && (!nvidia || capability_tenths(g) >= 80);
    case PRECISION_FP8:
        return g->fp8_tflops > 0 && (!nvidia || capability_tenths(g) >= 89);
    case PRECISION_FP4:
        return g->fp4_tflops > 0 && (!nvidia || capability_tenths(g) >= 100);
    case PRECISION_TF32:
        return g->tf32_tflops > 0 && (!nvidia || capability_tenths(g) >= 80);
    case PRECISION_FP16:
        return g->fp16_tflops > 0;
    case PRECISION_FP32:
    case PRECISION_COUNT:
        break;
    }
    return g->fp32_tflops > 0;
}

double gpu_power_factor(const struct shape *s, const struct assumptions *a) {
    if (!num_known(s->power_limit_w) || s->gpu->tdp_w <= 0 || s->power_limit_w <= 0 ||
        s->power_limit_w >= s->gpu->tdp_w) {
        return 1;
    }
    return pow(s->power_limit_w / s->gpu->tdp_w, assume_get(a, ASSUME_TRAIN_POWER_CAP_EXPONENT));
}

double shape_pcie_gbs(const struct shape *s) {
    /* GB/s a lane, one direction, after line coding, by generation. */
    static const double lane_gbs[] = {0.25, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563};
    int generations = (int)(sizeof lane_gbs / sizeof lane_gbs[0]);
    int gen = s->pcie_gen > 0 ? s->pcie_gen : s->gpu->pcie_gen;
    int lanes = s->pcie_lanes > 0 ? s->pcie_lanes : s->gpu->pcie_lanes;

    gen = gen < 1 ? 4 : gen;
    lanes = lanes < 1 ? 16 : lanes;
    return lane_gbs[gen < generations ? gen : generations - 1] * lanes;
}
