/* SPDX-License-Identifier: MIT */
/* What engine, card and model allow: formats, ways to split, divisibility. Memory is looked at elsewhere. */
#include <math.h>
#include <stddef.h>

#include "inference.h"

static const struct reason fine = {.code = REASON_NONE};

static struct reason divisibility(const char *what, double need, double have) {
    return reason_make(REASON_DIVISIBILITY, what, need, have);
}
static struct reason capability(const char *what, double need, double have) {
    return reason_make(REASON_CAPABILITY, what, need, have);
}

/* Sharded training layouts gather every weight for every token: gigabytes over the link for one token. */
static struct reason check_strategy(const struct job *j, const struct layout *l) {
    bool sharded = l->zero > 0 || j->zero > 0;

    switch (j->strategy) {
    case STRATEGY_DDP:
    case STRATEGY_ZERO1:
    case STRATEGY_ZERO2:
    case STRATEGY_ZERO3:
    case STRATEGY_FSDP:
    case STRATEGY_HSDP:
        sharded = true;
        break;
    default:
        break;
    }
    if (sharded) {
        return capability("sharded_generation",
                          model_count(&j->model).linear * weight_format_bytes(j->weights) / NUM_GB, 0);
    }
    return fine;
}

/* ---- formats ---- */

/* Arithmetic of the card's own, or 16-bit arithmetic on weights that are unpacked on the way (w8a16, w4a16). */
static struct reason check_narrow(const struct gpu *g, enum precision p, double weight_only_cc, double native_cc) {
    bool unpacked = weight_only_cc > 0 && g->compute_capability >= weight_only_cc - 1e-6;

    return gpu_has_precision(g, p) || unpacked ? fine : capability(precision_name(p), native_cc, g->compute_capability);
}

static struct reason check_format(const struct job *j, const struct engine *e, const struct gpu *g) {
    if ((e->formats >> (unsigned)j->weights & 1) == 0) {
        return capability("weights", 1, 0);
    }
    switch (j->weights) {
    case WEIGHTS_BF16: /* what is not asked for by name runs in fp16 instead: same bytes, same speed */
        return j->weights_stated && !gpu_has_precision(g, PRECISION_BF16)
                   ? capability("bf16", 8.0, g->compute_capability)
                   : fine;
    case WEIGHTS_FP8:
        return check_narrow(g, PRECISION_FP8, e->fp8_weight_only_cc, 8.9);
    case WEIGHTS_FP4:
        return check_narrow(g, PRECISION_FP4, e->fp4_weight_only_cc, 10.0);
    default:
        return fine;
    }
}

const char estimate_arithmetic_16bit[] = "16-bit";

const char *estimate_arithmetic(const struct job *j, const struct gpu *g) {
    if (j->task != TASK_INFERENCE) {
        return NULL;
    }
    switch (j->weights) {
    case WEIGHTS_FP32:
        return "fp32";
    case WEIGHTS_FP8:
        return gpu_has_precision(g, PRECISION_FP8) ? "fp8" : estimate_arithmetic_16bit;
    case WEIGHTS_FP4:
        return gpu_has_precision(g, PRECISION_FP4) ? "fp4" : estimate_arithmetic_16bit;
    default:
        return estimate_arithmetic_16bit;
    }
}

static struct reason check_card(const struct job *j, const struct engine *e, const struct gpu *g) {
    if (g->compute_capability > 0 && g->compute_capability < e->min_cc - 1e-6) {
        return capability("compute_capability", e->min_cc, g->compute_capability);
    }
    return check_format(j, e, g);
}

/* ---- splits ---- */

/* 4-bit weights come in groups of inputs that a cut must not cross. */
static struct reason check_groups(const struct job *j, int group, int tp) {
    const struct model *m = &j->model;
    const int depths[] = {m->ffn, m->expert_ffn, m->shared_ffn, m->heads * m->head_dim};

    if (j->weights != WEIGHTS_INT4 || tp <= 1) {
        return fine;
    }
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        if (depths[i] > 0 && depths[i] % (group * tp) != 0) {
            return divisibility("quant_group", tp, depths[i] / (double)group);
        }
    }
    return fine;
}

static struct reason check_tensor(const struct job *j, const struct engine *e, int tp) {
    const struct model *m = &j->model;

    if (tp <= 1) {
        return fine;
    }
    if (m->heads % tp != 0) {
        return divisibility("heads", tp, m->heads);
    }
    if (m->mla_rank <= 0 && m->kv_heads % tp != 0 && tp % m->kv_heads != 0) {
        return divisibility("kv_heads", tp, m->kv_heads);
    }
    if (m->ffn % tp != 0 || m->expert_ffn % tp != 0 || m->shared_ffn % tp != 0) {
        return divisibility("ffn", tp, m->ffn > 0 ? m->ffn : m->expert_ffn);
    }
    return check_groups(j, e->int4_group, tp);
}

static struct reason check_experts(const struct job *j, const struct layout *l) {
    if (l->ep <= 1) {
        return fine;
    }
    if (j->model.experts <= 0 || j->model.experts % l->ep != 0) {
        return divisibility("experts", l->ep, j->model.experts);
    }
    return l->dp == l->ep && l->tp == 1 ? fine : divisibility("pins", l->ep, l->dp);
}

/* Ranks that exchange at every layer stay in one node; stages may cross. */
static struct reason check_node(const struct shape *s, const struct layout *l) {
    int ranks = l->tp * (l->ep > 1 ? l->ep : 1);

    if (ranks > s->gpus || (s->nodes > 1 && s->gpus % ranks != 0)) {
        return divisibility("gpus", ranks, s->gpus);
    }
    return fine;
}

static struct reason check_splits(const struct job *j, const struct engine *e, const struct layout *l) {
    unsigned wanted = (l->tp > 1 ? ENGINE_SPLIT_TP : 0u) | (l->ep > 1 ? ENGINE_SPLIT_EP : 0u);

    if ((e->splits & wanted) != wanted) {
        return capability("engine_split", wanted, e->splits);
    }
    if (l->pp > 1 && (e->splits & (l->layer_split ? ENGINE_SPLIT_LAYER : ENGINE_SPLIT_PP)) == 0) {
        return capability("engine_split", l->layer_split ? ENGINE_SPLIT_LAYER : ENGINE_SPLIT_PP, e->splits);
    }
    if (l->pp > j->model.layers) {
        return divisibility("layers", l->pp, j->model.layers);
    }
    return l->cp > 1 ? capability("engine_split", 1, 0) : fine;
}

struct reason inference_check(const struct job *j, const struct shape *s, const struct layout *l) {
    const struct engine *e = engine_of_job(j);
    struct reason r = check_strategy(j, l);

    if (r.code == REASON_NONE) {
        r = check_card(j, e, s->gpu);
    }
    if (r.code == REASON_NONE) {
        r = check_tensor(j, e, l->tp);
    }
    if (r.code == REASON_NONE) {
        r = check_experts(j, l);
    }
    if (r.code == REASON_NONE) {
        r = check_node(s, l);
    }
    if (r.code == REASON_NONE) {
        r = check_splits(j, e, l);
    }
    return r;
}
