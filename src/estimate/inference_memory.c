/* SPDX-License-Identifier: MIT */
/* Memory of the worst GPU: weights, KV cache, work space; the engine's reserve; the longest sequence and the most sequences. */
#include <math.h>
#include <string.h>

#include "inference.h"

/* ---- weights ---- */

/* Linear weights are spread over tensor ranks and stages; with data-parallel attention only the experts are. The longest stage
 * holds the token table or the head as well. */
static double weights_on_gpu(const struct infer *e, const struct infer_split *p) {
    const struct model_counts *n = &e->counts;
    double mixtures = e->model->experts > 0 ? e->model->layers - e->model->dense_layers : 0;
    double experts = fmin(n->linear, n->experts_layer * mixtures);
    double rest = n->linear - experts;
    double stage = p->layers / e->model->layers;
    double linear = (experts / p->ranks + rest / p->tp) * stage * e->stored_bytes;
    double other =
        fmax(0, n->total - n->linear - n->embedding - n->head) * stage * 2; /* norms, biases: on every rank */
    double table = n->embedding, head = n->head > 0 ? n->head : n->embedding;
    double ends = p->pp > 1 ? fmax(table, head) : table + n->head;

    if (e->engine->splits == ENGINE_SPLIT_LAYER && n->head > 0) {
        ends = head; /* llama.cpp keeps an untied token table in host memory */
    }
    return linear + other + ends / p->tp * e->token_table_bytes;
}

/* ---- work space ---- */

static double kv_tokens_of(const struct infer *e, double tokens) {
    double blocks =
        e->engine->pool == ENGINE_POOL_NONE ? tokens : ceil(tokens / INFER_BLOCK_TOKENS) * INFER_BLOCK_TOKENS;
    return model_kv_tokens(e->model, blocks);
}

double infer_kv_bytes(const struct infer *e, const struct infer_split *p, double tokens) {
    return kv_tokens_of(e, tokens) * p->kv_token;
}

/* Widest MLP that one token passes through. */
static double widest(const struct infer *e) {
    const struct model *m = e->model;
    double mixture = m->shared_ffn + (double)m->experts_active * m->expert_ffn;
    return fmax(m->ffn, mixture);
}

/* Three tensors of the MLP's width, residual and norms of one layer, 16 bit: within 1 % on Qwen2.5 from 1.5B to 32B. */
static double pass_bytes(const struct infer *e, double tokens, double tp) {
    return tokens * (6 * widest(e) / tp + 8.0 * e->model->hidden);
}

/* Tokens a serving engine profiles at start: large cards get large passes. */
static double profiled_tokens(const struct infer *e) {
    const struct gpu *g = e->shape->gpu;
    bool large = g->vram_gib_usable >= 70 && g->family != GPU_FAMILY_GA100;
    return large ? 8192 : 2048;
}

/* The peak of a pass is its widest layer or the sampling of its last tokens, not both. */
static double work_of_card_pool(const struct infer *e, const struct infer_split *p) {
    const double sampled = 256, bytes = 8; /* sequences whose logits are sorted; 32 bit and a copy */
    return fmax(pass_bytes(e, profiled_tokens(e), p->tp), sampled * e->model->vocab * bytes);
}

static double work_of_free_pool(const struct infer *e, const struct infer_split *p) {
    const struct assumptions *a = e->a;
    double tokens = assume_get(a, ASSUME_INFER_POOL_TOKENS) * (16.0 * e->model->hidden + 4 * widest(e) / p->tp);
    double logits = assume_get(a, ASSUME_INFER_POOL_LOGIT_ROWS) * e->model->vocab / p->tp * 4;
    return assume_get(a, ASSUME_INFER_POOL_ACTIVATIONS) * (tokens + logits);
}

/* Measured peaks, and runs of no named engine, are single processes that no pool fills; a plan has what its engine does. */
static enum engine_pool pool_of(const struct infer *e) {
    const struct job *j = e->job;
    bool unpooled = j->counter != COUNTER_PLAN || (j->software_year > 0 && j->engine[0] == '\0');

    return unpooled ? ENGINE_POOL_NONE : e->engine->pool;
}

/* No engine is named, only a year: a plain script of its time. */
static bool is_script(const struct infer *e) {
    return e->job->software_year > 0 && e->job->engine[0] == '\0';
}

static double sequences_stated(const struct infer *e) {
    const struct job *j = e->job;
    double n = j->load == LOAD_CONCURRENCY && num_known(j->concurrency) ? j->concurrency : 1;
    return fmax(1, j->batching == BATCHING_SINGLE ? 1 : n);
}

/* No pool: what the prompt needs at once. Scripts of 2024 and before wrote out the attention scores, later ones cut the prompt. */
static double pass_without_pool(const struct infer *e, const struct infer_split *p) {
    const int eager_until = 2024;
    const double later_chunk = 2048;
    double prompt = fmax(1, e->prompt) * sequences_stated(e);
    double chunk = is_script(e) ? prompt : fmin(prompt, e->engine->chunk);
    double all = (e->input + e->output) * sequences_stated(e);

    if (e->job->software_year > eager_until) {
        chunk = fmin(chunk, later_chunk);
    }
    double work = pass_bytes(e, chunk, p->tp);
    if (is_script(e) && e->job->software_year <= eager_until) {
        work = fmax(work, all * (2 * e->model->heads * (e->input + e->output) + 4.0 * e->model->hidden));
    }
    return work;
}

/* A buffer for one dequantised matrix. */
static double dequantised(const struct infer *e) {
    enum weight_format w = e->job->weights;
    return w == WEIGHTS_NF4 || w == WEIGHTS_INT4 || w == WEIGHTS_INT8 ? 1.2 * 2 * e->model->hidden * widest(e) : 0;
}

static double context_bytes(const struct infer *e, const struct infer_split *p) {
    if (e->job->counter == COUNTER_ALLOCATED || e->job->counter == COUNTER_RESERVED) {
        return 0.04 * NUM_GIB; /* the counters of the framework do not see the CUDA context */
    }
    return (0.5 + (p->ranks * p->pp > 1 ? 0.4 : 0)) * NUM_GIB;
}

static double pool_share(const struct infer *e) {
    const double unstated = 0.9; /* the job's default: the engine's own share then */
    double share = e->job->gpu_memory_share;

    if (!num_known(share) || share <= 0 || fabs(share - unstated) < 1e-9) {
        return e->engine->pool_share;
    }
    return fmin(1, share);
}

/* Bytes of the card that weights, KV cache and work space share. */
static double usable_bytes(const struct infer *e) {
    double card = e->shape->vram_gib * NUM_GIB;
    return pool_of(e) == ENGINE_POOL_CARD ? card * pool_share(e) : card;
}

void infer_split_memory(struct infer_split *p, const struct infer *e) {
    /* stages pass activations on, which takes less than the buffers of all-reduces */
    double fixed = e->engine->fixed_bytes + e->engine->fixed_tp_bytes * (p->ranks > 1 ? 1 : p->pp > 1 ? 0.5 : 0);
    double share = 1;

    p->weight_bytes = weights_on_gpu(e, p);
    switch (pool_of(e)) {
    case ENGINE_POOL_CARD:
        p->work_bytes = work_of_card_pool(e, p) + fixed;
        break;
    case ENGINE_POOL_FREE:
        p->work_bytes = work_of_free_pool(e, p) + fixed;
        share = pool_share(e);
        break;
    case ENGINE_POOL_NONE:
        p->pass_bytes = pass_without_pool(e, p);
        p->work_bytes = p->pass_bytes + dequantised(e) + context_bytes(e, p);
        break;
    }
    p->room = usable_bytes(e) - p->weight_bytes - p->work_bytes;
    if (p->layout.offload == OFFLOAD_PARAMS && p->room < 0.1 * usable_bytes(e)) {
        /* keep a tenth of the card for the KV cache, move the rest of the weights out */
        p->offloaded_bytes = fmin(p->weight_bytes, 0.1 * usable_bytes(e) - p->room);
        p->weight_bytes -= p->offloaded_bytes;
        p->room += p->offloaded_bytes;
    }
    p->room *= share;
}

/* ---- how much fits ---- */

double infer_room_sequences(const struct infer *e, const struct infer_split *p, double share) {
    double own = e->prompt + share * fmax(1, e->output);
    double prefix = e->prefix > 0 ? infer_kv_bytes(e, p, e->prefix) : 0;
    double one = model_kv_tokens(e->model, own) * p->kv_token;

    if (p->room <= prefix || one <= 0) {
        return p->room > 0 && one <= 0 ? 1e9 : 0;
    }
    return (p->room - prefix) / one * p->dpa;
}

/* Windows make KV grow more slowly than the length, so the inverse is searched; whole blocks. */
double infer_max_len(const struct infer *e, const struct infer_split *p) {
    double most = e->model->max_positions > 0 ? e->model->max_positions : 1e7;
    double low = 0, high = 1e7;

    if (p->room <= 0) {
        return 0;
    }
    if (e->model->window <= 0 && p->kv_token > 0) {
        return fmin(most, floor(p->room / p->kv_token / INFER_BLOCK_TOKENS) * INFER_BLOCK_TOKENS);
    }
    while (high - low > INFER_BLOCK_TOKENS) {
        double middle = (low + high) / 2;
        if (infer_kv_bytes(e, p, middle) <= p->room) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return fmin(most, floor(low / INFER_BLOCK_TOKENS) * INFER_BLOCK_TOKENS);
}

/* ---- the verdict ---- */

static double longest_wanted(const struct infer *e) {
    double run = e->input + e->output;
    double limit = e->job->max_len;
    return fmax(1, num_known(limit) && limit > 0 ? fmax(limit, run) : run);
}

/* Keys and values that are joined anew at every token stand twice for a moment (a generate loop against a full card). */
static double kv_copies(const struct infer *e) {
    bool loop = is_script(e) || strcmp(e->engine->name, "transformers") == 0;
    return pool_of(e) == ENGINE_POOL_NONE && e->job->counter == COUNTER_PLAN && loop ? 2.1 : 1;
}

/* KV bytes the load wants on one GPU: its sequences at once, or at least one of the longest. */
static double kv_wanted(const struct infer *e, const struct infer_split *p) {
    double one = infer_kv_bytes(e, p, longest_wanted(e));
    double many = 0;

    if (e->job->batching == BATCHING_ONLINE && e->job->load == LOAD_CONCURRENCY && num_known(e->job->concurrency)) {
        double here = ceil(ceil(e->job->concurrency / p->replicas) / p->dpa);
        many =
            here * infer_kv_bytes(e, p, e->prompt + e->output) + (e->prefix > 0 ? infer_kv_bytes(e, p, e->prefix) : 0);
    }
    if (pool_of(e) == ENGINE_POOL_NONE) {
        many = ceil(sequences_stated(e) / p->replicas / p->dpa) * infer_kv_bytes(e, p, e->input + e->output);
    }
    return fmax(one, many) * kv_copies(e);
}

/* Weights are known to a few percent, the rest less well (memory rows of inference). */
static void spread(const struct infer *e, double sure, double rest, struct range *out) {
    bool plain = e->engine->pool == ENGINE_POOL_NONE;
    bool unnamed = is_script(e);
    enum weight_format w = e->job->weights;
    double weights = w == WEIGHTS_NF4 ? 0.07 : (w == WEIGHTS_INT4 || w == WEIGHTS_INT8) && unnamed ? 0.11 : 0.025;
    double low = plain ? 0.12 : 0.10, high = plain ? 0.20 : 0.15;

    out->expected = sure + rest;
    out->low = sure * (1 - weights) + rest * (1 - low);
    out->high = sure * (1 + weights) + rest * (1 + high);
}

void infer_memory(const struct infer *e, const struct infer_split *p, struct estimate *out) {
    double kv = kv_wanted(e, p), share = pool_of(e) == ENGINE_POOL_FREE ? pool_share(e) : 1;
    /* without a pool, what the prompt's pass needed is free again when the answer's KV is written */
    double answer = sequences_stated(e) / p->replicas * (infer_kv_bytes(e, p, e->output));
    double reused = pool_of(e) == ENGINE_POOL_NONE ? fmin(p->pass_bytes, answer) : 0;
    double work = p->work_bytes - reused + kv * (1 / share - 1); /* the last: what a pool leaves free */
    double files = e->counts.linear * e->stored_bytes + (e->counts.total - e->counts.linear) * 2;
    const double image_gb = 20; /* container with engine and libraries */

    out->memory_part_gib[MEMORY_WEIGHTS] = p->weight_bytes / NUM_GIB;
    out->memory_part_gib[MEMORY_KV_CACHE] = kv / NUM_GIB;
    out->memory_part_gib[MEMORY_WORKSPACE] = work / NUM_GIB;
    spread(e, p->weight_bytes / NUM_GIB, (kv + work) / NUM_GIB, &out->memory_gib);
    estimate_set_memory(out, usable_bytes(e) / NUM_GIB);
    out->peak_phase = p->pass_bytes > answer ? PHASE_PREFILL : PHASE_DECODE;
    out->load_gb = files / NUM_GB;
    out->disk_gb = out->load_gb * 1.1 + image_gb;
    out->host_gb =
        8 + fmin(16, out->load_gb) + p->offloaded_bytes * p->ranks * p->pp * p->replicas / e->shape->nodes / NUM_GB;
    out->max_len = infer_max_len(e, p);
    out->max_seq_len = out->max_len;
    out->max_concurrency = floor(infer_room_sequences(e, p, 1)) * p->replicas;
}
