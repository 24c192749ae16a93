/* SPDX-License-Identifier: MIT */
/* Counts that follow from a model's shape. docs/model-memory.md lists the formulas. */
#include "gpuplan/workload/model.h"

#include <math.h>

#include "gpuplan/base/num.h"

/* Latent attention: queries and keys/values go through narrow projections (DeepSeek V2). */
static double count_latent_attention(const struct model *m) {
    double h = m->hidden, a = m->heads, rank = m->mla_rank, rope = m->mla_rope_dim;
    double query = a * (m->mla_nope_dim + m->mla_rope_dim);
    double q = m->mla_q_rank > 0 ? m->mla_q_rank * (h + query) : h * query;
    double compress = h * (rank + rope);
    double expand = rank * a * (m->mla_nope_dim + m->mla_v_dim);
    return q + compress + expand + a * m->mla_v_dim * h;
}

static double count_attention(const struct model *m) {
    if (m->mla_rank > 0)
        return count_latent_attention(m);
    double h = m->hidden, q = (double)m->heads * m->head_dim, kv = (double)m->kv_heads * m->head_dim;
    double bias = (m->qkv_bias ? q + 2 * kv : 0) + (m->mlp_bias ? h : 0);
    return h * (q + 2 * kv) + q * h + bias;
}

/* `width` is the inner width; `gate` whether there is a third matrix. */
static double count_mlp(const struct model *m, double width) {
    double matrices = m->gated ? 3 : 2;
    double bias = m->mlp_bias ? (matrices - 1) * width + m->hidden : 0;
    return matrices * m->hidden * width + bias;
}

static int mixture_layers(const struct model *m) {
    return m->experts > 0 ? m->layers - m->dense_layers : 0;
}

/* What one published total has and the shape does not: copies of the weights per modality in an image transformer. */
static double count_beside(const struct model *m, double counted) {
    return m->cls == MODEL_IMAGE && m->params_stated > counted ? m->params_stated - counted : 0;
}

struct model_counts model_count(const struct model *m) {
    struct model_counts c = {0};
    double mixture = mixture_layers(m), dense = m->layers - mixture;
    c.embedding = (double)m->vocab * m->hidden;
    c.head = m->tied ? 0 : c.embedding;
    c.attention_layer = count_attention(m);
    c.mlp_layer = dense > 0 && m->ffn > 0 ? count_mlp(m, m->ffn) : 0;
    c.norms_layer = (m->norm == NORM_LAYER ? 4.0 : 2.0) * m->hidden; /* two norms; a LayerNorm has a bias too */
    if (m->experts > 0) {
        c.expert = count_mlp(m, m->expert_ffn);
        c.experts_layer = m->experts * c.expert;
        c.shared_layer = (double)m->hidden * m->experts + (m->shared_ffn > 0 ? count_mlp(m, m->shared_ffn) : 0);
    }
    double positions = (double)m->position_rows * m->hidden;
    double norms = m->layers * c.norms_layer + c.norms_layer / 2;
    double every = m->layers * c.attention_layer + dense * c.mlp_layer + mixture * c.shared_layer;
    c.linear = every + mixture * c.experts_layer;
    c.linear += count_beside(m, c.linear + norms + positions + c.embedding + c.head);
    c.total = c.linear + norms + positions + c.embedding + c.head;
    c.active = every + mixture * m->experts_active * c.expert + norms + positions + c.embedding + c.head;
    return c;
}

double model_kv_bytes_per_token(const struct model *m, double bytes) {
    if (m->mla_rank > 0)
        return (double)(m->mla_rank + m->mla_rope_dim) * m->layers * bytes;
    return 2.0 * m->kv_heads * m->head_dim * m->layers * bytes;
}

double model_kv_bytes_per_token_gpu(const struct model *m, double bytes, int tp, int pp) {
    double whole = model_kv_bytes_per_token(m, bytes);
    double stage = ceil((double)m->layers / pp) / m->layers; /* the fullest stage */
    double split = m->mla_rank > 0 ? 1 : fmin(tp, m->kv_heads);
    return whole * stage / split;
}

double model_kv_tokens(const struct model *m, double context) {
    if (m->window <= 0 || context <= m->window)
        return context;
    return m->window_share * m->window + (1 - m->window_share) * context;
}

/* ---- validity ---- */

enum { MAX_LAYERS = 10000, MAX_HIDDEN = 1000000, MAX_WIDTH = 10000000, MAX_HEADS = 100000, MAX_HEAD_DIM = 65536 };
enum { MAX_EXPERTS = 65536, MAX_POSITIONS = 1000000000 };

static bool in_range(const char *field, long value, long min, long max, struct err *err) {
    if (value >= min && value <= max)
        return true;
    err_set(err, ERR_DATA, "%ld is out of range; allowed are %ld to %ld", value, min, max);
    return err_at(err, NULL, 0, 0, field);
}

static bool wrong(const char *field, struct err *err) {
    return err_at(err, NULL, 0, 0, field);
}

static bool check_sizes(const struct model *m, struct err *err) {
    const struct {
        const char *field;
        long value, min, max;
    } sizes[] = {
        {"layers", m->layers, 1, MAX_LAYERS},
        {"hidden", m->hidden, 1, MAX_HIDDEN},
        {"heads", m->heads, 1, MAX_HEADS},
        {"kv_heads", m->kv_heads, 1, MAX_HEADS},
        {"head_dim", m->head_dim, 1, MAX_HEAD_DIM},
        {"ffn", m->ffn, m->experts > 0 && m->dense_layers == 0 ? 0 : 1, MAX_WIDTH},
        {"vocab", m->vocab, m->cls == MODEL_IMAGE ? 0 : 1, MAX_WIDTH},
        {"position_rows", m->position_rows, 0, MAX_WIDTH},
        {"experts", m->experts, 0, MAX_EXPERTS},
        {"experts_active", m->experts_active, m->experts > 0, m->experts},
        {"expert_ffn", m->expert_ffn, m->experts > 0, MAX_WIDTH},
        {"shared_ffn", m->shared_ffn, 0, MAX_WIDTH},
        {"dense_layers", m->dense_layers, 0, m->layers},
        {"window", m->window, 0, MAX_POSITIONS},
        {"mla_rank", m->mla_rank, 0, MAX_HEAD_DIM},
        {"mla_rope_dim", m->mla_rope_dim, 0, MAX_HEAD_DIM},
        {"mla_q_rank", m->mla_q_rank, 0, MAX_HEAD_DIM},
        {"mla_nope_dim", m->mla_nope_dim, m->mla_rank > 0, MAX_HEAD_DIM},
        {"mla_v_dim", m->mla_v_dim, m->mla_rank > 0, MAX_HEAD_DIM},
        {"max_positions", m->max_positions, 0, MAX_POSITIONS},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (!in_range(sizes[i].field, sizes[i].value, sizes[i].min, sizes[i].max, err))
            return false;
    return true;
}

bool model_validate(const struct model *m, struct err *err) {
    if (!check_sizes(m, err))
        return false;
    if (m->mla_rank == 0 && m->heads % m->kv_heads != 0) {
        err_set(err, ERR_DATA, "%d key/value heads do not divide %d attention heads", m->kv_heads, m->heads);
        return wrong("kv_heads", err);
    }
    if (!(m->window_share >= 0 && m->window_share <= 1)) {
        err_set(err, ERR_DATA, "the share of layers with a window is between 0 and 1");
        return wrong("window_share", err);
    }
    return true;
}
