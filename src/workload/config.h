/* SPDX-License-Identifier: MIT */
/* What the kinds of config.json have in common with others of their `model_type`, and what the file does not say. */
#ifndef GPUPLAN_SRC_WORKLOAD_CONFIG_H
#define GPUPLAN_SRC_WORKLOAD_CONFIG_H

#include "gpuplan/workload/model.h"

enum bias_rule { BIAS_NONE, BIAS_QKV, BIAS_MLP, BIAS_ALL };
enum expert_width { WIDTH_MOE_KEY /* moe_intermediate_size */, WIDTH_IS_FFN /* intermediate_size is one expert's */ };
/* Which layers have the window when no list of layer types says so. */
enum window_rule { WINDOW_NONE, WINDOW_ALL, WINDOW_ALTERNATE, WINDOW_PATTERN /* all but each n-th */, WINDOW_CHUNKS };

struct config_family {
    const char *type; /* of model_type */
    enum model_class cls;
    enum norm_kind norm;
    bool plain;          /* two matrices in the MLP */
    enum bias_rule bias; /* when no key says otherwise */
    bool tied;           /* when tie_word_embeddings is absent */
    bool positions;      /* learned position embeddings */
    int position_offset; /* rows beside max_position_embeddings */
    bool wide_ffn;       /* a missing MLP width is 4 x hidden */
    bool halved_ffn;     /* the file counts gate and up together */
    enum expert_width experts;
    enum window_rule window;
    int pattern;                          /* WINDOW_PATTERN: n when sliding_window_pattern is absent */
    int heads, kv_heads, head_dim, vocab; /* when absent; 0 = must be there */
};

/* Never NULL: an unknown type is read as Llama's relatives are. */
const struct config_family *config_family(const char *model_type);

#endif
