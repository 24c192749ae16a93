/* SPDX-License-Identifier: MIT */
#include "workload/config.h"

#include <string.h>

/* A default of the configuration class in the usual library, where the files leave a key out. */
static const struct config_family families[] = {
    {.type = "llama", .window = WINDOW_NONE},
    {.type = "llama4_text", .experts = WIDTH_IS_FFN, .window = WINDOW_CHUNKS},
    {.type = "mistral", .window = WINDOW_ALL},
    {.type = "mixtral", .experts = WIDTH_IS_FFN, .window = WINDOW_ALL},
    {.type = "phimoe", .experts = WIDTH_IS_FFN, .window = WINDOW_ALL},
    {.type = "olmoe", .experts = WIDTH_IS_FFN},
    {.type = "qwen", .bias = BIAS_QKV, .halved_ffn = true},
    {.type = "qwen2", .bias = BIAS_QKV},
    {.type = "qwen2_moe", .bias = BIAS_QKV},
    {.type = "qwen3", .window = WINDOW_NONE},
    {.type = "qwen3_moe", .window = WINDOW_NONE},
    {.type = "deepseek_v2"},
    {.type = "deepseek_v3"},
    {.type = "kimi_k2"},
    {.type = "glm4_moe", .bias = BIAS_QKV},
    {.type = "glm", .bias = BIAS_QKV},
    {.type = "glm4", .bias = BIAS_QKV},
    {.type = "chatglm", .bias = BIAS_QKV},
    {.type = "gemma", .tied = true},
    {.type = "gemma2", .tied = true, .window = WINDOW_ALTERNATE},
    {.type = "gemma3_text", .tied = true, .window = WINDOW_PATTERN, .pattern = 6, .heads = 8, .kv_heads = 4,
     .head_dim = 256, .vocab = 262208},
    {.type = "cohere", .tied = true},
    {.type = "cohere2", .tied = true, .window = WINDOW_PATTERN, .pattern = 4},
    {.type = "phi", .norm = NORM_LAYER, .plain = true, .bias = BIAS_ALL, .wide_ffn = true},
    {.type = "phi3", .window = WINDOW_ALL},
    {.type = "gpt_oss", .bias = BIAS_ALL, .experts = WIDTH_IS_FFN, .window = WINDOW_ALTERNATE},
    {.type = "stablelm", .norm = NORM_LAYER},
    {.type = "internlm", .bias = BIAS_QKV},
    {.type = "dbrx", .experts = WIDTH_IS_FFN},
    {.type = "nemotron", .norm = NORM_LAYER, .plain = true},
    {.type = "starcoder2", .norm = NORM_LAYER, .plain = true, .bias = BIAS_ALL, .tied = true, .window = WINDOW_ALL},
    {.type = "gpt2", .norm = NORM_LAYER, .plain = true, .bias = BIAS_ALL, .tied = true, .positions = true, .wide_ffn = true},
    {.type = "gpt_bigcode", .norm = NORM_LAYER, .plain = true, .bias = BIAS_ALL, .tied = true, .positions = true, .wide_ffn = true},
    {.type = "gptj", .norm = NORM_LAYER, .plain = true, .bias = BIAS_MLP, .wide_ffn = true},
    {.type = "gpt_neox", .norm = NORM_LAYER, .plain = true, .bias = BIAS_ALL, .wide_ffn = true},
    {.type = "opt", .norm = NORM_LAYER, .plain = true, .bias = BIAS_ALL, .tied = true, .positions = true, .position_offset = 2},
    {.type = "bloom", .norm = NORM_LAYER, .plain = true, .bias = BIAS_ALL, .tied = true, .wide_ffn = true},
    /* Published totals of Falcon count the head although it shares the embedding's values: it is stored twice. */
    {.type = "falcon", .norm = NORM_LAYER, .plain = true, .wide_ffn = true},
    {.type = "RefinedWebModel", .norm = NORM_LAYER, .plain = true, .wide_ffn = true},
    {.type = "RefinedWeb", .norm = NORM_LAYER, .plain = true, .wide_ffn = true},
    {.type = "mpt", .norm = NORM_LAYER, .plain = true, .tied = true, .wide_ffn = true},
    {.type = "bert", .cls = MODEL_BERT, .norm = NORM_LAYER, .plain = true, .bias = BIAS_ALL, .tied = true, .positions = true},
    {.type = "roberta", .cls = MODEL_BERT, .norm = NORM_LAYER, .plain = true, .bias = BIAS_ALL, .tied = true, .positions = true},
    {.type = "xlm-roberta", .cls = MODEL_BERT, .norm = NORM_LAYER, .plain = true, .bias = BIAS_ALL, .tied = true, .positions = true},
    {.type = "distilbert", .cls = MODEL_BERT, .norm = NORM_LAYER, .plain = true, .bias = BIAS_ALL, .tied = true, .positions = true},
};

const struct config_family *config_family(const char *model_type) {
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(families[i].type, model_type) == 0)
            return &families[i];
    return &families[0];
}
