/* SPDX-License-Identifier: MIT */
/*
 * What the notes of a row say that no column holds. Only whole phrases of this table count; the rest of a note is for people.
 * They are docs/measurements.md, "Notes".
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "estimate/measurement_internal.h"

enum fact {
    FACT_COUNTER,
    FACT_ACTIVE,
    FACT_FUSED_STEP,
    FACT_LAYER_SPLIT,
    FACT_ATTENTION_PARALLEL,
    FACT_POSITION_ROWS,
    FACT_CHUNKED_LOSS,
    FACT_EAGER_ATTENTION,
    FACT_TUNED,
    FACT_HEAD,
    FACT_LENGTHS,
    FACT_REDUCE_BYTES,
    FACT_BASE,
    FACT_NETWORK,
};

/* In order: a later phrase that is found wins over an earlier one of the same fact. */
static const struct {
    const char *phrase;
    enum fact fact;
    int value;
} phrases[] = {
    {"nvidia-smi", FACT_COUNTER, COUNTER_NVIDIA_SMI},
    {"nvml", FACT_COUNTER, COUNTER_NVIDIA_SMI},
    {"reserved", FACT_COUNTER, COUNTER_RESERVED},
    {"allocated", FACT_COUNTER, COUNTER_ALLOCATED},
    {"active_peak", FACT_COUNTER, COUNTER_ALLOCATED},
    {"active_peak", FACT_ACTIVE, 1},
    {"fused in backward", FACT_FUSED_STEP, 1},
    {"layer split", FACT_LAYER_SPLIT, 1},
    {"attention data parallel", FACT_ATTENTION_PARALLEL, 1},
    {"position embeddings", FACT_POSITION_ROWS, 1},
    {"chunked loss", FACT_CHUNKED_LOSS, 1},
    {"chunked cross entropy", FACT_CHUNKED_LOSS, 1},
    {"eager attention", FACT_EAGER_ATTENTION, 1},
    {"without flash", FACT_EAGER_ATTENTION, 1},
    {"no flash", FACT_EAGER_ATTENTION, 1},
    {"implementation hf,", FACT_EAGER_ATTENTION, 1}, /* the library as it came, without a flash package */
    {"implementation unsloth", FACT_TUNED, 1},       /* fused kernels of its own */
    {"masked tokens only", FACT_HEAD, HEAD_MASKED_TOKENS},
    {"no vocabulary logits", FACT_HEAD, HEAD_NONE},
    {"question-answering head", FACT_HEAD, HEAD_NONE},
    {"fixed lengths", FACT_LENGTHS, LENGTHS_FIXED},
    {"packed to seq_len", FACT_LENGTHS, LENGTHS_FIXED},
    {"samples up to seq_len", FACT_LENGTHS, LENGTHS_VARY},
    {"seq_len is the maximum", FACT_LENGTHS, LENGTHS_BELOW},
    {"reduced in fp32", FACT_REDUCE_BYTES, 4},
    {"reduced in bf16", FACT_REDUCE_BYTES, 2},
    {"reduced in fp16", FACT_REDUCE_BYTES, 2},
    {"nf4 base weights", FACT_BASE, WEIGHTS_NF4 + 1},
    {"int4 base weights", FACT_BASE, WEIGHTS_INT4 + 1},
    {"int8 base weights", FACT_BASE, WEIGHTS_INT8 + 1},
    {"infiniband", FACT_NETWORK, NETWORK_INFINIBAND + 1},
    {"roce", FACT_NETWORK, NETWORK_ROCE + 1},
    {"network efa", FACT_NETWORK, NETWORK_EFA + 1},
    {"ethernet", FACT_NETWORK, NETWORK_ETHERNET + 1},
};

/* Engines that memory rows name in their notes; longest first, so that "exllama" does not stand for "exllamav2". */
static const char *const engines[] = {"tensorrt-llm", "llama.cpp", "transformers", "exllamav2", "exllama",
                                      "gpt-fast",     "lmdeploy",  "sglang",       "vllm"};

/* "roce" is not in "process". */
bool measurement_says(const char *s, const char *phrase) {
    size_t len = strlen(phrase);

    for (const char *at = s; *at != '\0'; at++) {
        bool starts = at == s || !isalnum((unsigned char)at[-1]);
        if (starts && strncasecmp(at, phrase, len) == 0 && !isalnum((unsigned char)at[len])) {
            return true;
        }
    }
    return false;
}

/* The number that stands before `after` ("400 requests in all"), 0 if there is none. */
static double number_before(const char *s, const char *after) {
    const char *end = strstr(s, after);
    const char *start = end;
    double x;

    while (start != NULL && start > s && (isdigit((unsigned char)start[-1]) || start[-1] == '.')) {
        start--;
    }
    return start != end && num_parse_plain(start, (size_t)(end - start), &x) ? x : 0;
}

/* The number that stands behind `before` ("mean 3234"), 0 if there is none. */
static double number_behind(const char *s, const char *before) {
    const char *start = strstr(s, before);
    double x;

    if (start == NULL) {
        return 0;
    }
    start += strlen(before);
    return num_parse_plain(start, strspn(start, "0123456789"), &x) ? x : 0;
}

/* Beyond these a number in a note is no number of its kind. */
static double within(double x, double most) {
    return x > 0 && x <= most ? x : 0;
}

static void apply(enum fact fact, int value, struct note_facts *out) {
    switch (fact) {
    case FACT_COUNTER:
        out->counter = (enum memory_counter)value;
        break;
    case FACT_ACTIVE:
        out->counter_active = true;
        break;
    case FACT_FUSED_STEP:
        out->fused_step = true;
        break;
    case FACT_LAYER_SPLIT:
        out->layer_split = true;
        break;
    case FACT_ATTENTION_PARALLEL:
        out->attention_parallel = true;
        break;
    case FACT_POSITION_ROWS:
        out->position_rows = true;
        break;
    case FACT_CHUNKED_LOSS:
        out->chunked_loss = true;
        break;
    case FACT_EAGER_ATTENTION:
        out->eager_attention = true;
        break;
    case FACT_TUNED:
        out->tuned = true;
        break;
    case FACT_HEAD:
        out->head = (enum head_kind)value;
        break;
    case FACT_LENGTHS:
        out->lengths = (enum length_kind)value;
        break;
    case FACT_REDUCE_BYTES:
        out->reduce_bytes = value;
        break;
    case FACT_BASE:
        out->base = value;
        break;
    case FACT_NETWORK:
        out->network = value;
        break;
    }
}

void measurement_read_notes(const char *notes, struct note_facts *out) {
    memset(out, 0, sizeof *out);
    if (*notes == '\0') {
        return;
    }
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
        if (measurement_says(notes, phrases[i].phrase)) {
            apply(phrases[i].fact, phrases[i].value, out);
        }
    }
    for (size_t i = 0; i < sizeof engines / sizeof engines[0] && out->engine == NULL; i++) {
        if (measurement_says(notes, engines[i])) {
            out->engine = engines[i];
        }
    }
    out->requests = within(number_before(notes, " requests in all"), 1e9);
    out->power_w = within(number_behind(notes, "capped at "), 1e4);
    out->mean_len = within(number_behind(notes, "mean "), 1e8);
}
