/* SPDX-License-Identifier: MIT */
/*
 * The layout of a measured run: what the row pins, completed by what such runs usually do (docs/measurements.md, "What an empty
 * field means"). Guesses that need to know whether a layout fits ask the evaluator.
 */
#include <math.h>
#include <string.h>

#include "estimate/internal.h"
#include "estimate/measurement_internal.h"

enum {
    LARGEST_GUESSED_MICRO_BATCH = 16,
    MICRO_BATCHES_A_STAGE = 4 /* a pipeline with fewer stands still for a quarter of the time */
};
static const double large_model = 1e9;     /* parameters; default fine-tuning scripts recompute from here */
static const double full_state_bytes = 16; /* a parameter: weights, gradients, fp32 copy and two moments */
static const double ddp_card_share = 0.6;  /* of the card that states may take before people shard */

/* Of n and of m, at most `most`. */
static int largest_divisor(int n, int m, int most) {
    int best = 1;

    for (int d = 2; d <= most && d <= n; d++) {
        if (n % d == 0 && m % d == 0) {
            best = d;
        }
    }
    return best;
}

static double state_bytes(const struct job *j) {
    struct model_counts count = model_count(&j->model);

    if (j->task == TASK_LORA || j->task == TASK_QLORA) {
        return count.linear * weight_format_bytes(j->base) + (count.total - count.linear) * 2;
    }
    return count.total * full_state_bytes;
}

static enum strategy usual_strategy(const struct job *j, const struct shape *s) {
    if (s->gpus * s->nodes == 1) {
        return STRATEGY_SINGLE;
    }
    if (j->tp > 1 || j->pp > 1) {
        return STRATEGY_MEGATRON;
    }
    return state_bytes(j) < ddp_card_share * s->vram_gib * NUM_GIB ? STRATEGY_DDP : STRATEGY_FSDP;
}

static int usual_zero(const struct job *j) {
    switch (j->strategy) {
    case STRATEGY_ZERO1:
        return 1;
    case STRATEGY_ZERO2:
        return 2;
    case STRATEGY_ZERO3:
    case STRATEGY_FSDP:
    case STRATEGY_HSDP:
        return 3;
    case STRATEGY_MEGATRON:
        return j->software_year >= 2023 ? 1 : 0; /* the distributed optimizer became the default of published recipes */
    default:
        return 0;
    }
}

static bool asks_memory(const struct measurement *m) {
    return m->metric == METRIC_PEAK_GIB || m->metric == METRIC_FITS;
}

static enum recompute usual_recompute(const struct measurement *m, const struct job *j) {
    bool sharded = j->strategy == STRATEGY_FSDP || j->strategy == STRATEGY_HSDP || j->strategy == STRATEGY_ZERO3;

    if (asks_memory(m)) {
        return sharded || j->task == TASK_PRETRAIN ? RECOMPUTE_FULL : RECOMPUTE_NONE;
    }
    return j->stack == STACK_DEFAULT && model_count(&j->model).total > large_model ? RECOMPUTE_FULL : RECOMPUTE_NONE;
}

/* tp x pp = n / dp / cp, tp first, up to the node. */
static void split_model(const struct job *j, const struct shape *s, int ranks, struct layout *l) {
    int tp = j->tp, pp = j->pp;

    if (tp < 1 && pp < 1) {
        tp = largest_divisor(ranks, j->model.heads, s->gpus);
    } else if (tp < 1) {
        tp = ranks / pp;
    }
    if (tp < 1) {
        tp = 1;
    }
    if (pp < 1) {
        pp = ranks / tp;
    }
    l->tp = tp;
    l->pp = pp < 1 ? 1 : pp;
}

static void set_accumulation(const struct measurement *m, struct job *j, struct layout *l) {
    double pass = (double)l->micro_batch * l->dp;

    if (j->global_batch > 0) {
        l->accumulation = (int)fmax(1, round(j->global_batch / pass));
    } else { /* memory rows: only whether gradients are kept from one pass to the next matters */
        l->accumulation = asks_memory(m) && !j->counter_active ? 2 : 1;
    }
    j->global_batch = pass * l->accumulation;
}

static bool fits(const struct catalog *c, const struct measurement *m, const struct assumptions *a, struct job j,
                 struct layout l) {
    struct estimate e;

    j.micro_batch = l.micro_batch;
    set_accumulation(m, &j, &l);
    estimate_layout(c, &j, &m->shape, &l, a, NULL, &e);
    return e.fit != FIT_NO;
}

/* The largest power of two that divides the batch of a rank, fits, and feeds the pipeline. */
static int usual_micro_batch(const struct catalog *c, const struct measurement *m, const struct assumptions *a,
                             const struct job *j, const struct layout *l) {
    double of_rank = j->global_batch / l->dp;
    struct layout trial = *l;
    int best = 1;

    for (int b = 1; b <= LARGEST_GUESSED_MICRO_BATCH; b *= 2) {
        bool divides = fmod(of_rank, b) == 0;
        bool feeds = l->pp == 1 || of_rank / b >= MICRO_BATCHES_A_STAGE * l->pp;
        trial.micro_batch = b;
        if (divides && feeds && (b == 1 || fits(c, m, a, *j, trial))) {
            best = b;
        }
    }
    return best;
}

/* The smallest model-parallel degree that fits, tensor parallel first, where neither dp nor tp nor pp is stated. */
static void search_model_split(const struct catalog *c, const struct measurement *m, const struct assumptions *a,
                               const struct job *j, int ranks, struct layout *l) {
    struct layout trial = *l;

    for (int degree = 1; degree <= ranks; degree++) {
        if (ranks % degree != 0) {
            continue;
        }
        split_model(j, &m->shape, degree, &trial);
        trial.dp = ranks / degree;
        trial.micro_batch = j->micro_batch > 0 ? j->micro_batch : 1;
        if (fits(c, m, a, *j, trial)) {
            break;
        }
    }
    *l = trial;
}

static bool training_layout(const struct catalog *c, const struct measurement *m, const struct assumptions *a,
                            struct job *j, struct layout *l) {
    const struct shape *s = &m->shape;
    int ranks;

    *l = layout_single();
    if (j->strategy == STRATEGY_AUTO) {
        j->strategy = usual_strategy(j, s);
    }
    l->cp = j->cp > 0 ? j->cp : 1;
    l->ep = j->ep > 0 ? j->ep : 1;
    l->zero = j->zero >= 0 ? j->zero : usual_zero(j);
    l->recompute = j->recompute != RECOMPUTE_AUTO ? j->recompute : usual_recompute(m, j);
    l->offload = j->offload;
    l->grad_sync = l->zero >= 2 ? GRAD_SYNC_EACH : GRAD_SYNC_LAST;
    if (j->strategy == STRATEGY_FSDP && j->task == TASK_FULL && asks_memory(m)) {
        l->grad_sync = GRAD_SYNC_LAST; /* published loops skip reductions between steps, so whole gradients stay */
    }
    ranks = s->gpus * s->nodes / l->cp;
    if (j->dp == 0 && j->tp == 0 && j->pp == 0 && j->strategy == STRATEGY_MEGATRON) {
        search_model_split(c, m, a, j, ranks, l);
    } else {
        split_model(j, s, j->dp > 0 ? ranks / j->dp : (j->tp > 0 ? j->tp : 1) * (j->pp > 0 ? j->pp : 1), l);
        l->dp = j->dp > 0 ? j->dp : ranks / (l->tp * l->pp);
    }
    if (l->cp > 1 && (long)l->dp * l->tp * l->pp == ranks * (long)l->cp && l->dp % l->cp == 0) {
        l->dp /= l->cp; /* some publish dp with the context-parallel ranks in it */
    }
    if (l->dp < 1 || (long)l->dp * l->tp * l->pp != ranks) {
        return false;
    }
    /* experts may also be spread over tensor-parallel ranks; here they divide the data-parallel ones */
    l->ep = j->model.experts > 0 ? largest_divisor(l->dp, l->dp, l->ep) : 1;
    l->shard = l->zero == 0 ? 1 : j->strategy == STRATEGY_HSDP && l->dp % s->gpus == 0 ? s->gpus : l->dp;
    /* from 2023 published tensor-parallel recipes turn it on wherever they do not say so */
    l->seq_parallel = j->seq_parallel >= 0 ? j->seq_parallel == 1
                                           : l->tp > 1 && j->strategy == STRATEGY_MEGATRON && j->software_year >= 2023;
    if (l->tp == 1) {
        l->seq_parallel = false;
    }
    l->micro_batch = j->micro_batch > 0 ? j->micro_batch : j->global_batch > 0 ? usual_micro_batch(c, m, a, j, l) : 1;
    set_accumulation(m, j, l);
    j->micro_batch = l->micro_batch;
    j->recompute = l->recompute;
    j->tokens = j->steps * j->global_batch * j->mean_len;
    return true;
}

/* Engines that spread a model by layers, each request passing from card to card. */
static bool splits_layers(const struct job *j) {
    return j->strategy == STRATEGY_LAYER_SPLIT || strcmp(j->engine, "llama.cpp") == 0 ||
           strncmp(j->engine, "exllama", 7) == 0;
}

static bool inference_layout(const struct measurement *m, struct job *j, struct layout *l) {
    int gpus = m->shape.gpus * m->shape.nodes;
    int of_one;

    *l = layout_single();
    l->layer_split = splits_layers(j) && gpus > 1 && j->tp <= 1;
    l->dp = j->dp > 1 && j->ep > 1 ? j->dp : 1;
    l->ep = l->dp > 1 ? j->ep : 1;
    l->tp = j->tp > 0 ? j->tp : 1;
    l->pp = j->pp > 0 ? j->pp : 1;
    if (j->tp == 0 && j->pp == 0 && j->dp <= 1) {
        *(l->layer_split ? &l->pp : &l->tp) = gpus;
    }
    l->layer_split = l->layer_split && l->pp > 1;
    of_one = l->dp * l->tp * l->pp;
    if (gpus % of_one != 0) {
        return false;
    }
    l->replicas = gpus / of_one;
    return true;
}

bool measurement_layout(const struct catalog *c, const struct measurement *m, const struct assumptions *a,
                        struct job *j, struct layout *out) {
    return j->task == TASK_INFERENCE ? inference_layout(m, j, out) : training_layout(c, m, a, j, out);
}
