/* SPDX-License-Identifier: MIT */
/* A job on one card with one engine: formats, what the card's rates come to, constants. Made once a search. */
#include <math.h>
#include <string.h>

#include "inference.h"

/* Bytes a weight of layers and head takes as the kernels read it, scales included; engines name their own 4 and 8 bit ones. */
static struct engine_bytes format_bytes(const struct engine *e, enum weight_format w) {
    switch (w) {
    case WEIGHTS_FP32:
        return (struct engine_bytes){4, 4};
    case WEIGHTS_FP8:
        return (struct engine_bytes){1, 2};
    case WEIGHTS_FP4: /* blocks of 16 with a one-byte scale */
        return (struct engine_bytes){0.5625, 2};
    case WEIGHTS_INT8:
        return e->int8;
    case WEIGHTS_INT4:
        return e->int4;
    case WEIGHTS_NF4: /* blocks of 64 with a four-byte scale */
        return (struct engine_bytes){0.5625, 2};
    case WEIGHTS_Q8_0: /* GGUF: file sizes over parameters */
        return (struct engine_bytes){1.0625, 1.0625};
    case WEIGHTS_Q6_K:
        return (struct engine_bytes){0.82, 0.82};
    case WEIGHTS_Q5_K_M:
        return (struct engine_bytes){0.71, 0.82};
    case WEIGHTS_Q4_K_M:
        return (struct engine_bytes){0.598, 0.82};
    case WEIGHTS_Q4_0:
        return (struct engine_bytes){0.5625, 0.82};
    case WEIGHTS_Q3_K_M:
        return (struct engine_bytes){0.485, 0.82};
    case WEIGHTS_Q2_K:
        return (struct engine_bytes){0.40, 0.69};
    case WEIGHTS_BF16:
    case WEIGHTS_FP16:
    case WEIGHTS_COUNT:
        break;
    }
    return (struct engine_bytes){2, 2};
}

static bool format_is_gguf(enum weight_format w) {
    return w >= WEIGHTS_Q8_0;
}

static bool card_has_hbm(const struct gpu *g) {
    switch (g->family) {
    case GPU_FAMILY_VOLTA:
    case GPU_FAMILY_GA100:
    case GPU_FAMILY_HOPPER:
    case GPU_FAMILY_CDNA:
        return true;
    case GPU_FAMILY_BLACKWELL_DC: /* but the GB10 has LPDDR */
        return g->mem_bw_gbs > 1000;
    default:
        return false;
    }
}

/* The export version of Hopper whose decode kernels draw far less than its memory gives (Qwen3 speed tables). */
static bool card_is_h20(const struct gpu *g) {
    return strncmp(g->name, "H20-", 4) == 0;
}

/*
 * Cards clock down where their board power is low for their peak. 1 where power a TFLOP is that of the family's reference card;
 * kernels that accumulate in 16 bit are held by power everywhere, so theirs is taken against one reference for all families.
 */
static double power_factor(const struct infer *e, double tflops) {
    const struct gpu *g = e->shape->gpu;
    const struct assumptions *a = e->a;
    bool stated = num_known(e->shape->power_limit_w) && e->shape->power_limit_w > 0;
    double watt = stated ? e->shape->power_limit_w : g->tdp_w;
    double reference = assume_family(a, ASSUME_INFER_WATT_PER_TFLOP_OTHER, g->family);

    if (watt <= 0 || tflops <= 0 || reference <= 0) {
        return 1;
    }
    if (e->engine->accumulate_fp16) {
        double one = assume_get(a, ASSUME_INFER_WATT_PER_TFLOP_FP16_ACCUMULATE);
        return pow(watt / tflops / one, assume_get(a, ASSUME_INFER_POWER_EXPONENT_FP16_ACCUMULATE));
    }
    return pow(fmin(assume_get(a, ASSUME_INFER_POWER_MAX), watt / tflops / reference),
               assume_get(a, ASSUME_INFER_POWER_EXPONENT));
}

static void init_formats(struct infer *e) {
    const struct job *j = e->job;
    struct engine_bytes bytes = format_bytes(e->engine, j->weights);

    e->layer_bytes = bytes.layer;
    e->head_bytes = bytes.head;
    e->stored_bytes = weight_format_bytes(j->weights);
    e->token_table_bytes = format_is_gguf(j->weights) ? bytes.head : j->weights == WEIGHTS_FP32 ? 4 : 2;
    e->kv_bytes = weight_format_bytes(j->kv);
    e->fp8_rate = j->weights == WEIGHTS_FP8 && gpu_has_precision(e->shape->gpu, PRECISION_FP8);
    e->fp4_rate = j->weights == WEIGHTS_FP4 && gpu_has_precision(e->shape->gpu, PRECISION_FP4);
    e->weight_only = bytes.layer < 2 && !e->fp8_rate && !e->fp4_rate;
}

static void init_rates(struct infer *e) {
    const struct assumptions *a = e->a;
    const struct gpu *g = e->shape->gpu;
    double accumulate16 = fmax(g->fp16_acc16_tflops, gpu_rate_16bit(g));
    double rate16 = e->engine->accumulate_fp16 ? accumulate16 : gpu_rate_16bit(g);
    double share16 = assume_family(a, ASSUME_INFER_GEMM_16BIT_OTHER, g->family);
    double power = power_factor(e, accumulate16);
    double factor = engine_value(e->engine, a, ENGINE_COMPUTE) * power * 1e12;
    double layer = rate16 * share16;

    if (e->engine->accumulate_fp16 && card_has_hbm(g)) {
        factor *= e->engine->hbm_compute;
    }
    if (card_is_h20(g)) {
        factor *= assume_get(a, ASSUME_INFER_H20_COMPUTE);
    }
    if (e->fp8_rate) {
        layer = g->fp8_tflops * assume_family(a, ASSUME_INFER_GEMM_FP8_OTHER, g->family);
    } else if (e->fp4_rate) {
        layer = g->fp4_tflops * assume_family(a, ASSUME_INFER_GEMM_FP4_OTHER, g->family);
    } else if (e->weight_only) {
        layer *= assume_get(a, ASSUME_INFER_WEIGHT_ONLY_COMPUTE);
    }
    e->layer_rate = layer * factor;
    e->expert_rate = e->layer_rate * assume_get(a, ASSUME_INFER_EXPERT_COMPUTE);
    e->head_rate = rate16 * share16 * factor;
    e->attention_rate = rate16 * share16 * engine_value(e->engine, a, ENGINE_ATTENTION) * 1e12;
    if (e->kv_bytes < 2 && gpu_has_precision(g, PRECISION_FP8)) {
        e->attention_rate *= assume_get(a, ASSUME_INFER_ATTENTION_FP8_KV);
    }
}

/* Multiprocessors x GHz, from the fp32 rate and the lanes of one: 64 in P100, V100, Turing, A100; 128 in all others. */
static double multiprocessor_ghz(const struct gpu *g) {
    bool narrow = g->family == GPU_FAMILY_PASCAL || g->family == GPU_FAMILY_VOLTA || g->family == GPU_FAMILY_TURING ||
                  g->family == GPU_FAMILY_GA100;
    return g->fp32_tflops * 1e3 / (2 * (narrow ? 64 : 128));
}

static void init_streams(struct infer *e) {
    const struct assumptions *a = e->a;
    const struct gpu *g = e->shape->gpu;
    double family = assume_family(a, ASSUME_INFER_WEIGHT_BANDWIDTH_OTHER, g->family);
    double share =
        fmin(assume_get(a, ASSUME_INFER_BANDWIDTH_MAX), family * engine_value(e->engine, a, ENGINE_BANDWIDTH));
    double special = card_is_h20(g) ? assume_get(a, ASSUME_INFER_H20_BANDWIDTH) : 1;
    double drawn = engine_value(e->engine, a, ENGINE_SM_BYTES) * multiprocessor_ghz(g) * NUM_GB;
    double format = 1;

    if (e->weight_only) {
        format = assume_get(a, e->layer_bytes < 0.5    ? ASSUME_INFER_WEIGHT_ONLY_BANDWIDTH_3BIT
                               : e->layer_bytes < 0.95 ? ASSUME_INFER_WEIGHT_ONLY_BANDWIDTH_4BIT
                                                       : ASSUME_INFER_WEIGHT_ONLY_BANDWIDTH_8BIT);
    }
    e->bandwidth = g->mem_bw_gbs * NUM_GB;
    e->head_stream = e->bandwidth * share * special;
    e->layer_stream = e->head_stream * format;
    if (drawn > 0) {
        e->head_stream = fmin(e->head_stream, drawn);
        e->layer_stream = fmin(e->layer_stream, drawn);
    }
    e->kv_stream = e->bandwidth * fmin(assume_get(a, ASSUME_INFER_KV_BANDWIDTH_MAX),
                                       family * assume_get(a, ASSUME_INFER_KV_BANDWIDTH));
    e->value_stream = e->bandwidth * assume_get(a, ASSUME_INFER_ELEMENTWISE_BANDWIDTH);
    if (e->engine->unfused) {
        bool large_cache = g->family == GPU_FAMILY_ADA || g->family == GPU_FAMILY_BLACKWELL_WS;
        e->score_time = assume_get(a, ASSUME_INFER_SCORE_BYTES) *
                        (large_cache ? assume_get(a, ASSUME_INFER_SCORE_BYTES_LARGE_CACHE) : 1) / e->bandwidth;
    }
}

static void init_gemm(struct infer *e) {
    const struct assumptions *a = e->a;
    double p = fmax(1, assume_get(a, ASSUME_INFER_OVERLAP_NORM));

    e->gemm_m0 = assume_get(a, ASSUME_INFER_GEMM_M0);
    e->gemm_k0 = assume_get(a, ASSUME_INFER_GEMM_K0);
    e->gemm_n0_head = assume_get(a, ASSUME_INFER_GEMM_N0);
    e->gemm_n0 = e->gemm_n0_head * (e->fp8_rate   ? assume_get(a, ASSUME_INFER_GEMM_N0_FP8)
                                    : e->fp4_rate ? assume_get(a, ASSUME_INFER_GEMM_N0_FP4)
                                                  : 1);
    for (int i = 0; i <= INFER_NORM_STEPS + 1; i++) {
        e->norm[i] = pow(1 + pow((double)i / INFER_NORM_STEPS, p), 1 / p);
    }
}

static void init_host(struct infer *e) {
    const struct gpu *g = e->shape->gpu;
    const double large_card_gib = 70; /* serving engines raise their limits from here on */

    e->layer_s = engine_value(e->engine, e->a, ENGINE_LAYER_US) * 1e-6;
    e->step_s = engine_value(e->engine, e->a, ENGINE_STEP_MS) * 1e-3;
    e->sequence_s = engine_value(e->engine, e->a, ENGINE_SEQUENCE_US) * 1e-6;
    e->chunk = e->engine->chunk;
    e->cap = g->vram_gib_usable >= large_card_gib ? e->engine->cap_large : e->engine->cap;
}

/* Published tables use round lengths; people's answers end by themselves. */
static bool length_is_round(double tokens) {
    return fmod(tokens, 16) < 0.5 || fmod(tokens, 50) < 0.5;
}

static void init_lengths(struct infer *e) {
    const struct job *j = e->job;
    double tokens = num_known(j->max_len) && j->max_len > 0 ? j->max_len : 2048;

    e->output = num_known(j->output_len) && j->output_len >= 0 ? j->output_len : 256;
    e->input = num_known(j->input_len) && j->input_len >= 0 ? j->input_len : fmax(1, tokens - e->output);
    e->prefix = num_known(j->prefix_len) ? fmin(fmax(0, j->prefix_len), e->input) : 0;
    e->prompt = e->input - e->prefix;
    e->natural = j->software_year == 0 || !length_is_round(e->output);
}

void infer_init(struct infer *e, const struct catalog *c, const struct job *j, const struct shape *s,
                const struct assumptions *a) {
    memset(e, 0, sizeof *e);
    e->catalog = c;
    e->job = j;
    e->shape = s;
    e->a = a;
    e->model = &j->model;
    e->engine = engine_of_job(j);
    e->counts = model_count(&j->model);
    init_lengths(e);
    init_formats(e);
    init_rates(e);
    init_streams(e);
    init_gemm(e);
    init_host(e);
}
