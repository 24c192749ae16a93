/* SPDX-License-Identifier: MIT */
#include "workload/words.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "gpuplan/base/text.h"
#include "gpuplan/workload/job.h"

#define ENDS_AT(words, count) _Static_assert(sizeof(words) / sizeof(words)[0] == (count) + 1, "one word a value")

const char *const words_task[] = {"pretrain", "full", "lora", "qlora", "inference", "measured", NULL};
ENDS_AT(words_task, TASK_COUNT);
const char *const words_stage[] = {"run", "iterate", NULL};
const char *const words_batch_rule[] = {"fixed", "per_gpu", NULL};
const char *const words_precision[] = {"bf16", "fp16", "fp8", "fp4", "tf32", "fp32", NULL};
ENDS_AT(words_precision, PRECISION_COUNT);
const char *const words_optimizer[] = {
    "adamw", "adamw_8bit", "paged_adamw", "paged_adamw_8bit", "adamw_bf16", "adafactor", "lion", "sgd", NULL};
ENDS_AT(words_optimizer, OPTIMIZER_COUNT);
const char *const words_recompute[] = {"auto", "none", "selective", "full", NULL};
ENDS_AT(words_recompute, RECOMPUTE_COUNT);
const char *const words_loss[] = {"full", "chunked", NULL};
const char *const words_lora_targets[] = {"all_linear", "attention", "qv", "mlp", NULL};
const char *const words_offload[] = {"none", "optimizer", "params", "activations", NULL};
ENDS_AT(words_offload, OFFLOAD_COUNT);
const char *const words_grad_sync[] = {"auto", "each", "last", NULL};
const char *const words_attention[] = {"flash", "eager", NULL};
const char *const words_stack[] = {"tuned", "default", "eager", NULL};
ENDS_AT(words_stack, STACK_COUNT);
const char *const words_batching[] = {"single", "static", "offline", "online", NULL};
ENDS_AT(words_batching, BATCHING_COUNT);
const char *const words_scaling[] = {"strong", "weak", NULL};
const char *const words_strategy[] = {"auto", "single", "ddp",      "zero1",    "zero2",       "zero3",
                                      "fsdp", "hsdp",   "megatron", "replicas", "layer_split", NULL};
ENDS_AT(words_strategy, STRATEGY_COUNT);
const char *const words_spot[] = {"no", "yes", "only", NULL};

const char *const words_weights[] = {"fp32", "bf16", "fp16",   "fp8",    "fp4",  "int8",   "int4", "nf4",
                                     "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q4_0", "q3_k_m", "q2_k", NULL};
ENDS_AT(words_weights, WEIGHTS_COUNT);
const char *const words_base[] = {"bf16", "int8", "nf4", "int4", "fp16", "fp32", NULL};
const char *const words_kv[] = {"bf16", "fp16", "fp8", "int8", "fp32", NULL};

/* What people and other programs write for the same thing. */
static const struct {
    const char *spelling, *word;
} spellings[] = {
    {"bfloat16", "bf16"},
    {"float16", "fp16"},
    {"half", "fp16"},
    {"float32", "fp32"},
    {"float8", "fp8"},
    {"fp8_e4m3", "fp8"},
    {"e4m3", "fp8"},
    {"mxfp4", "fp4"},
    {"nvfp4", "fp4"},
    {"awq", "int4"},
    {"gptq", "int4"},
    {"4bit", "int4"},
    {"8bit", "int8"},
    {"w8a8", "int8"},
    {"adam", "adamw"},
    {"adamw_torch", "adamw"},
    {"adamw_bnb_8bit", "adamw_8bit"},
    {"paged_adamw_32bit", "paged_adamw"},
    {"fine-tune", "full"},
    {"finetune", "full"},
    {"serve", "inference"},
    {"true", "yes"},
    {"false", "no"},
    {"all-linear", "all_linear"},
    {"none", "no"},
    {"data", "ddp"},
};

static int find_exact(const char *const *words, const char *word) {
    for (int i = 0; words[i] != NULL; i++)
        if (text_equal_fold(words[i], word))
            return i;
    return -1;
}

int words_find(const char *const *words, const char *word) {
    int found = find_exact(words, word);
    for (size_t i = 0; found < 0 && i < sizeof spellings / sizeof spellings[0]; i++)
        if (text_equal_fold(spellings[i].spelling, word))
            found = find_exact(words, spellings[i].word);
    return found;
}

static const char *word_at(const char *const *words, unsigned i, unsigned count) {
    assert(i < count);
    return i < count ? words[i] : "";
}

const char *task_name(enum task t) {
    return word_at(words_task, t, TASK_COUNT);
}
int task_find(const char *s) {
    return words_find(words_task, s);
}
const char *precision_name(enum precision p) {
    return word_at(words_precision, p, PRECISION_COUNT);
}
int precision_find(const char *s) {
    return words_find(words_precision, s);
}
const char *optimizer_name(enum optimizer o) {
    return word_at(words_optimizer, o, OPTIMIZER_COUNT);
}
const char *recompute_name(enum recompute r) {
    return word_at(words_recompute, r, RECOMPUTE_COUNT);
}
const char *offload_name(enum offload o) {
    return word_at(words_offload, o, OFFLOAD_COUNT);
}
const char *grad_sync_name(enum grad_sync g) {
    return word_at(words_grad_sync, g, GRAD_SYNC_LAST + 1);
}
const char *strategy_name(enum strategy s) {
    return word_at(words_strategy, s, STRATEGY_COUNT);
}
const char *stack_name(enum stack s) {
    return word_at(words_stack, s, STACK_COUNT);
}
const char *weight_format_name(enum weight_format w) {
    return word_at(words_weights, w, WEIGHTS_COUNT);
}
int weight_format_find(const char *s) {
    return words_find(words_weights, s);
}
const char *batching_name(enum batching b) {
    return word_at(words_batching, b, BATCHING_COUNT);
}

/*
 * Bytes of one weight of a linear layer, scales included. Sources: floating formats are their width; fp8 has an fp32
 * scale for a tensor or channel; fp4 is 4 bits and an 8-bit scale for 16 weights (NVFP4); int8 and int4 have an fp16
 * scale for 128 weights, int4 a zero point too; nf4 has an fp32 scale for 64 weights (double quantisation: 0.516); the
 * q formats are the bits a weight of llama.cpp's block formats, mixtures over the layers of a 7 B model.
 */
static const double format_bytes[WEIGHTS_COUNT] = {
    [WEIGHTS_FP32] = 4,      [WEIGHTS_BF16] = 2,       [WEIGHTS_FP16] = 2,       [WEIGHTS_FP8] = 1.0002,
    [WEIGHTS_FP4] = 0.5625,  [WEIGHTS_INT8] = 1.0234,  [WEIGHTS_INT4] = 0.5195,  [WEIGHTS_NF4] = 0.5625,
    [WEIGHTS_Q8_0] = 1.0625, [WEIGHTS_Q6_K] = 0.820,   [WEIGHTS_Q5_K_M] = 0.707, [WEIGHTS_Q4_K_M] = 0.600,
    [WEIGHTS_Q4_0] = 0.5625, [WEIGHTS_Q3_K_M] = 0.485, [WEIGHTS_Q2_K] = 0.395,
};

double weight_format_bytes(enum weight_format w) {
    return (unsigned)w < WEIGHTS_COUNT ? format_bytes[w] : 2;
}

double precision_bytes(enum precision p) {
    return p == PRECISION_TF32 || p == PRECISION_FP32 ? 4 : 2;
}
