/* SPDX-License-Identifier: MIT */
#include "workload/slot.h"

#include <stdio.h>
#include <string.h>

#include "workload/value.h"
#include "workload/words.h"

_Static_assert(sizeof(enum task) == sizeof(int), "enums are copied as int");

enum slot_kind { SLOT_NONE, SLOT_INT, SLOT_DOUBLE, SLOT_BOOL, SLOT_TEXT };
struct slot {
    enum slot_kind kind;
    size_t offset, size;
};

#define SLOT(kind, member) \
    { SLOT_##kind, offsetof(struct job, member), sizeof(((struct job *)0)->member) }
static const struct slot slots[FIELD_COUNT] = {
    [FIELD_TASK] = SLOT(INT, task),
    [FIELD_PRESET] = SLOT(TEXT, preset),
    [FIELD_STAGE] = SLOT(INT, stage),
    [FIELD_MODEL] = SLOT(TEXT, model.name),
    [FIELD_LAYERS] = SLOT(INT, model.layers),
    [FIELD_HIDDEN] = SLOT(INT, model.hidden),
    [FIELD_HEADS] = SLOT(INT, model.heads),
    [FIELD_KV_HEADS] = SLOT(INT, model.kv_heads),
    [FIELD_HEAD_DIM] = SLOT(INT, model.head_dim),
    [FIELD_FFN] = SLOT(INT, model.ffn),
    [FIELD_GATED_FFN] = SLOT(BOOL, model.gated),
    [FIELD_VOCAB] = SLOT(INT, model.vocab),
    [FIELD_TIED_EMBEDDINGS] = SLOT(BOOL, model.tied),
    [FIELD_EXPERTS] = SLOT(INT, model.experts),
    [FIELD_EXPERTS_ACTIVE] = SLOT(INT, model.experts_active),
    [FIELD_EXPERT_FFN] = SLOT(INT, model.expert_ffn),
    [FIELD_WINDOW] = SLOT(INT, model.window),
    [FIELD_MLA_RANK] = SLOT(INT, model.mla_rank),
    [FIELD_MLA_ROPE_DIM] = SLOT(INT, model.mla_rope_dim),
    [FIELD_TOKENS] = SLOT(DOUBLE, tokens),
    [FIELD_STEPS] = SLOT(DOUBLE, steps),
    [FIELD_SAMPLES] = SLOT(DOUBLE, samples),
    [FIELD_SAMPLE_TOKENS] = SLOT(DOUBLE, sample_tokens),
    [FIELD_EPOCHS] = SLOT(DOUBLE, epochs),
    [FIELD_PACKING] = SLOT(BOOL, packing),
    [FIELD_SEQ_LEN] = SLOT(INT, seq_len),
    [FIELD_GLOBAL_BATCH] = SLOT(DOUBLE, global_batch),
    [FIELD_MICRO_BATCH] = SLOT(INT, micro_batch),
    [FIELD_BATCH_RULE] = SLOT(INT, batch_rule),
    [FIELD_PRECISION] = SLOT(INT, precision),
    [FIELD_OPTIMIZER] = SLOT(INT, optimizer),
    [FIELD_RECOMPUTE] = SLOT(INT, recompute),
    [FIELD_LOSS] = SLOT(INT, loss),
    [FIELD_LORA_RANK] = SLOT(INT, lora_rank),
    [FIELD_LORA_TARGETS] = SLOT(INT, lora_targets),
    [FIELD_TRAIN_EMBEDDINGS] = SLOT(BOOL, train_embeddings),
    [FIELD_BASE] = SLOT(INT, base),
    [FIELD_OFFLOAD] = SLOT(INT, offload),
    [FIELD_GRAD_SYNC] = SLOT(INT, grad_sync),
    [FIELD_ATTENTION] = SLOT(INT, attention),
    [FIELD_STACK] = SLOT(INT, stack),
    [FIELD_RUNS] = SLOT(DOUBLE, runs),
    [FIELD_EVAL_SHARE] = SLOT(DOUBLE, eval_share),
    [FIELD_INPUT_LEN] = SLOT(DOUBLE, input_len),
    [FIELD_OUTPUT_LEN] = SLOT(DOUBLE, output_len),
    [FIELD_MAX_LEN] = SLOT(DOUBLE, max_len),
    [FIELD_PREFIX_LEN] = SLOT(DOUBLE, prefix_len),
    [FIELD_CONCURRENCY] = SLOT(DOUBLE, concurrency),
    [FIELD_USERS] = SLOT(DOUBLE, users),
    [FIELD_ACTIVE_SHARE] = SLOT(DOUBLE, active_share),
    [FIELD_REQUESTS_PER_S] = SLOT(DOUBLE, requests_per_s),
    [FIELD_REQUESTS] = SLOT(DOUBLE, requests),
    [FIELD_BATCHING] = SLOT(INT, batching),
    [FIELD_WEIGHTS] = SLOT(INT, weights),
    [FIELD_KV_PRECISION] = SLOT(INT, kv),
    [FIELD_ENGINE] = SLOT(TEXT, engine),
    [FIELD_GPU_MEMORY_SHARE] = SLOT(DOUBLE, gpu_memory_share),
    [FIELD_TTFT_MS] = SLOT(DOUBLE, ttft_ms),
    [FIELD_ITL_MS] = SLOT(DOUBLE, itl_ms),
    [FIELD_E2E_MS] = SLOT(DOUBLE, e2e_ms),
    [FIELD_SLO_PERCENTILE] = SLOT(DOUBLE, slo_percentile),
    [FIELD_SERVE_HOURS] = SLOT(DOUBLE, serve_hours),
    [FIELD_BASE_GPU] = SLOT(TEXT, base_gpu),
    [FIELD_BASE_GPUS] = SLOT(DOUBLE, base_gpus),
    [FIELD_BASE_HOURS] = SLOT(DOUBLE, base_hours),
    [FIELD_VRAM_GIB] = SLOT(DOUBLE, vram_gib),
    [FIELD_SYNC_GB] = SLOT(DOUBLE, sync_gb),
    [FIELD_STEP_S] = SLOT(DOUBLE, step_s),
    [FIELD_COMPUTE_SHARE] = SLOT(DOUBLE, compute_share),
    [FIELD_SCALING] = SLOT(INT, scaling),
    [FIELD_STRATEGY] = SLOT(INT, strategy),
    [FIELD_TP] = SLOT(INT, tp),
    [FIELD_PP] = SLOT(INT, pp),
    [FIELD_DP] = SLOT(INT, dp),
    [FIELD_CP] = SLOT(INT, cp),
    [FIELD_EP] = SLOT(INT, ep),
    [FIELD_ZERO] = SLOT(INT, zero),
    [FIELD_SEQ_PARALLEL] = SLOT(INT, seq_parallel),
    [FIELD_GPUS_PER_NODE] = SLOT(INT, gpus_per_node),
    [FIELD_DEADLINE_H] = SLOT(DOUBLE, deadline_h),
    [FIELD_BUDGET_USD] = SLOT(DOUBLE, budget_usd),
    [FIELD_VALUE_USD_H] = SLOT(DOUBLE, value_usd_h),
    [FIELD_SETUP_H] = SLOT(DOUBLE, setup_h),
    [FIELD_DATASET_GB] = SLOT(DOUBLE, dataset_gb),
    [FIELD_CHECKPOINT_MIN] = SLOT(DOUBLE, checkpoint_min),
    [FIELD_SPOT] = SLOT(INT, spot),
    [FIELD_REGIONS] = SLOT(TEXT, regions),
    [FIELD_MIN_RAM_GB] = SLOT(DOUBLE, min_ram_gb),
    [FIELD_MIN_DISK_GB] = SLOT(DOUBLE, min_disk_gb),
    [FIELD_VCPUS_PER_GPU] = SLOT(DOUBLE, vcpus_per_gpu),
    [FIELD_MAX_GPUS] = SLOT(INT, max_gpus),
    [FIELD_NODES_MAX] = SLOT(INT, nodes_max),
    [FIELD_CUDA_MIN] = SLOT(DOUBLE, cuda_min),
    [FIELD_CUDA_MAX] = SLOT(DOUBLE, cuda_max),
};
#undef SLOT

/* base and kv_precision have fewer words than there are weight formats, so their index is another one. */
static int word_to_enum(enum field_id id, int word) {
    if (id == FIELD_BASE)
        return weight_format_find(words_base[word]);
    return id == FIELD_KV_PRECISION ? weight_format_find(words_kv[word]) : word;
}

static int enum_to_word(enum field_id id, int value) {
    if (id == FIELD_BASE)
        return words_find(words_base, words_weights[value]);
    return id == FIELD_KV_PRECISION ? words_find(words_kv, words_weights[value]) : value;
}

static void set_int(struct job *j, enum field_id id, const struct value *v, void *at) {
    enum field_type type = field_table()[id].type;
    int x = type == FIELD_WORD ? word_to_enum(id, v->word) : type == FIELD_BOOL ? v->word : (int)v->number;
    (void)j;
    memcpy(at, &x, sizeof x);
}

void slot_set(struct job *j, enum field_id id, const struct value *v) {
    const struct slot *s = &slots[id];
    void *at = (char *)j + s->offset;
    bool yes = v->word != 0;
    switch (s->kind) {
    case SLOT_NONE:
        break;
    case SLOT_INT:
        set_int(j, id, v, at);
        break;
    case SLOT_DOUBLE:
        memcpy(at, &v->number, sizeof v->number);
        break;
    case SLOT_BOOL:
        memcpy(at, &yes, sizeof yes);
        break;
    case SLOT_TEXT:
        snprintf(at, s->size, "%.*s", (int)s->size - 1, v->text);
        break;
    }
}

static bool get_int(const struct field *f, const void *at, struct value *out) {
    int x;
    memcpy(&x, at, sizeof x);
    out->number = x;
    out->word = f->type == FIELD_WORD ? enum_to_word(f->id, x) : x;
    if (f->type == FIELD_WORD)
        return out->word >= 0;
    if (f->type == FIELD_BOOL)
        return x >= 0;
    return x >= f->min && !(x == 0 && value_zero_is_auto(f));
}

/* Values that are made of others. */
static bool get_derived(const struct job *j, enum field_id id, struct value *out) {
    size_t n = 0;
    if (id == FIELD_PARAMS_B || id == FIELD_ACTIVE_PARAMS_B) {
        struct model_counts c = model_count(&j->model);
        out->number = (id == FIELD_PARAMS_B ? c.total : c.active) / 1e9;
        return out->number > 0 && (id == FIELD_PARAMS_B || j->model.experts > 0);
    }
    for (int i = 0; id == FIELD_POINTS && i < j->point_count && n < sizeof out->text; i++)
        n += (size_t)snprintf(out->text + n, sizeof out->text - n, "%s%g:%g", i > 0 ? "," : "", j->points[i].gpus,
                              j->points[i].efficiency);
    return n > 0;
}

bool slot_get(const struct job *j, enum field_id id, struct value *out) {
    const struct slot *s = &slots[id];
    const void *at = (const char *)j + s->offset;
    bool yes = false;
    *out = (struct value){.source = VALUE_STATED};
    switch (s->kind) {
    case SLOT_NONE:
        return get_derived(j, id, out);
    case SLOT_INT:
        return get_int(&field_table()[id], at, out);
    case SLOT_DOUBLE:
        memcpy(&out->number, at, sizeof out->number);
        return num_known(out->number);
    case SLOT_BOOL:
        memcpy(&yes, at, sizeof yes);
        out->word = yes;
        return true;
    case SLOT_TEXT:
        snprintf(out->text, sizeof out->text, "%s", (const char *)at);
        return out->text[0] != '\0';
    }
    return false;
}
