/* SPDX-License-Identifier: MIT */
/* A Hugging Face config.json in, a model out. The file is hostile until checked: each number is whole and in range. */
#include "workload/config.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/text.h"

struct config {
    const cJSON *o; /* the part that describes the text model */
    const struct config_family *family;
    struct model *m;
    const char *file;
    struct err *err;
};

/* ---- reading keys ---- */

/* Names of one thing in the dialects, separated by blanks; "a.b" is the key b of the object a. */
static const char layers_keys[] = "num_hidden_layers n_layer n_layers num_layers";
static const char hidden_keys[] = "hidden_size n_embd d_model n_embed dim";
static const char heads_keys[] = "num_attention_heads n_head n_heads";
static const char kv_heads_keys[] =
    "num_key_value_heads num_kv_heads n_head_kv multi_query_group_num attn_config.kv_n_heads";
static const char head_dim_keys[] = "head_dim kv_channels";
static const char ffn_keys[] =
    "intermediate_size n_inner ffn_dim ffn_hidden_size hidden_dim ffn_config.ffn_hidden_size";
static const char vocab_keys[] = "vocab_size padded_vocab_size";
static const char positions_keys[] =
    "max_position_embeddings n_positions max_sequence_length seq_length max_seq_len n_ctx";
static const char experts_keys[] = "num_local_experts n_routed_experts num_experts ffn_config.moe_num_experts";
static const char active_keys[] =
    "num_experts_per_tok num_experts_per_token experts_per_token moe_topk ffn_config.moe_top_k";

static const cJSON *find_key(const cJSON *o, const char *key, size_t len) {
    char name[64];
    const char *dot = memchr(key, '.', len);
    size_t first = dot != NULL ? (size_t)(dot - key) : len;
    snprintf(name, sizeof name, "%.*s", (int)first, key);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);
    return dot != NULL && item != NULL ? find_key(item, dot + 1, len - first - 1) : item;
}

/* The first of the keys that is there and not null. */
static const cJSON *find_any(const struct config *c, const char *keys) {
    while (*keys != '\0') {
        size_t len = strcspn(keys, " ");
        const cJSON *item = find_key(c->o, keys, len);
        if (item != NULL && !cJSON_IsNull(item))
            return item;
        keys += len + (keys[len] == ' ');
    }
    return NULL;
}

static bool refuse(const struct config *c, const char *key, const char *text) {
    err_set(c->err, ERR_DATA, "%s", text);
    return err_at(c->err, c->file, 0, 0, key);
}

/* *out keeps its value when no key is there. */
static bool read_whole(const struct config *c, const char *keys, double max, int *out) {
    const cJSON *item = find_any(c, keys);
    char text[100];
    if (item == NULL)
        return true;
    double x = cJSON_IsNumber(item) ? item->valuedouble : NAN;
    if (x >= 0 && x <= max && x == floor(x)) {
        *out = (int)x;
        return true;
    }
    snprintf(text, sizeof text, "allowed are whole numbers from 0 to %.0f", max);
    return refuse(c, item->string != NULL ? item->string : keys, text);
}

static bool need(const struct config *c, const char *keys, int value) {
    char key[64], text[160];
    if (value > 0)
        return true;
    snprintf(key, sizeof key, "%.*s", (int)strcspn(keys, " "), keys);
    snprintf(text, sizeof text, "is missing (also known as: %s)", keys);
    return refuse(c, key, strchr(keys, ' ') != NULL ? text : "is missing");
}

static bool is_true(const struct config *c, const char *keys, bool fallback) {
    const cJSON *item = find_any(c, keys);
    return cJSON_IsBool(item) ? cJSON_IsTrue(item) : fallback;
}

/* ---- the parts of a shape ---- */

static bool read_stack(struct config *c) {
    struct model *m = c->m;
    m->heads = c->family->heads;
    m->vocab = c->family->vocab;
    return read_whole(c, layers_keys, 10000, &m->layers) && read_whole(c, hidden_keys, 1e6, &m->hidden) &&
           read_whole(c, heads_keys, 1e5, &m->heads) && read_whole(c, vocab_keys, 1e7, &m->vocab) &&
           read_whole(c, positions_keys, 1e9, &m->max_positions) && need(c, layers_keys, m->layers) &&
           need(c, hidden_keys, m->hidden) && need(c, heads_keys, m->heads) && need(c, vocab_keys, m->vocab);
}

/* Leaves mla_rank at 0 where the file does not speak of it. */
static bool read_latent(struct config *c) {
    struct model *m = c->m;
    if (!read_whole(c, "kv_lora_rank", 65536, &m->mla_rank))
        return false;
    if (m->mla_rank == 0)
        return true;
    if (!read_whole(c, "qk_rope_head_dim", 65536, &m->mla_rope_dim) ||
        !read_whole(c, "qk_nope_head_dim", 65536, &m->mla_nope_dim) ||
        !read_whole(c, "v_head_dim", 65536, &m->mla_v_dim) || !read_whole(c, "q_lora_rank", 65536, &m->mla_q_rank))
        return false;
    m->head_dim = m->mla_v_dim;
    m->kv_heads = m->heads;
    return need(c, "qk_rope_head_dim", m->mla_rope_dim) && need(c, "qk_nope_head_dim", m->mla_nope_dim) &&
           need(c, "v_head_dim", m->mla_v_dim);
}

/* One shared pair of key and value heads, in the dialects that have a switch for it instead of a number. */
static bool is_multi_query(const struct config *c) {
    if (is_true(c, "new_decoder_architecture", false))
        return false;
    return is_true(c, "multi_query", strcmp(c->family->type, "gpt_bigcode") == 0);
}

static bool read_heads(struct config *c) {
    struct model *m = c->m;
    bool grouped = is_true(c, "multi_query_attention", true); /* ChatGLM: the number counts only then */
    m->kv_heads = c->family->kv_heads;
    m->head_dim = c->family->head_dim;
    if (!read_latent(c))
        return false;
    if (m->mla_rank > 0)
        return true;
    if (is_multi_query(c))
        m->kv_heads = 1;
    else if (grouped && !read_whole(c, kv_heads_keys, 1e5, &m->kv_heads))
        return false;
    if (!read_whole(c, head_dim_keys, 65536, &m->head_dim))
        return false;
    if (m->kv_heads == 0)
        m->kv_heads = m->heads;
    if (m->head_dim == 0)
        m->head_dim = m->hidden / m->heads;
    return true;
}

static bool read_dense(struct config *c) {
    struct model *m = c->m;
    double ratio = json_number(c->o, "expansion_ratio", 4);
    if (!read_whole(c, "intermediate_size_mlp", 1e7, &m->ffn) ||
        (m->ffn == 0 && !read_whole(c, ffn_keys, 1e7, &m->ffn)))
        return false;
    if (m->ffn == 0 && c->family->wide_ffn) {
        if (!(ratio > 0 && ratio <= 100))
            return refuse(c, "expansion_ratio", "allowed are numbers from 0 to 100");
        m->ffn = (int)lround(ratio * m->hidden);
    }
    if (c->family->halved_ffn)
        m->ffn /= 2;
    return need(c, ffn_keys, m->ffn);
}

/* Layers of a mixture that have a dense MLP: the first ones, or all but each n-th. */
static bool read_dense_layers(struct config *c) {
    struct model *m = c->m;
    int step = 1;
    if (!read_whole(c, "first_k_dense_replace", m->layers, &m->dense_layers) ||
        !read_whole(c, "interleave_moe_layer_step decoder_sparse_step", 10000, &step))
        return false;
    if (step > 1)
        m->dense_layers = m->layers - m->layers / step;
    const cJSON *list = find_any(c, "mlp_only_layers");
    int listed = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (listed > 0 && listed < m->layers)
        m->dense_layers = listed;
    return true;
}

static bool read_mixture(struct config *c) {
    struct model *m = c->m;
    int shared = 0;
    if (!read_whole(c, experts_keys, 65536, &m->experts))
        return false;
    if (m->experts <= 1) {
        m->experts = 0;
        return true;
    }
    if (!read_whole(c, active_keys, 65536, &m->experts_active) || !need(c, active_keys, m->experts_active) ||
        !read_dense_layers(c))
        return false;
    bool chunked =
        find_any(c, "intermediate_size_mlp") != NULL; /* Llama 4: experts and the shared one have intermediate_size */
    if (c->family->experts == WIDTH_IS_FFN || find_any(c, "moe_intermediate_size") == NULL) {
        if (!read_whole(c, ffn_keys, 1e7, &m->expert_ffn))
            return false;
    } else if (!read_whole(c, "moe_intermediate_size", 1e7, &m->expert_ffn)) {
        return false;
    }
    if (!read_whole(c, "shared_expert_intermediate_size", 1e7, &m->shared_ffn) ||
        !read_whole(c, "n_shared_experts", 1000, &shared))
        return false;
    if (chunked)
        m->shared_ffn = m->expert_ffn;
    if (shared > 0 && m->expert_ffn <= 10000000 / shared)
        m->shared_ffn = shared * m->expert_ffn;
    if (m->dense_layers == 0)
        m->ffn = 0;
    return need(c, "moe_intermediate_size intermediate_size", m->expert_ffn);
}

/* Share of the layers that a list of layer types marks; -1 without a list. */
static double listed_share(const struct config *c) {
    const cJSON *list = find_any(c, "layer_types"), *item;
    int all = 0, sliding = 0;
    cJSON_ArrayForEach (item, list) {
        all++;
        sliding += cJSON_IsString(item) && strstr(item->valuestring, "full") == NULL;
    }
    return all > 0 ? (double)sliding / all : -1;
}

static double pattern_share(const struct config *c, int pattern) {
    return pattern > 0 ? 1 - (double)(c->m->layers / pattern) / c->m->layers : 1;
}

static bool read_window(struct config *c) {
    struct model *m = c->m;
    int pattern = c->family->pattern;

    m->capped = cJSON_IsNumber(find_any(c, "attn_logit_softcapping"));
    if (!read_whole(c, "sliding_window attention_chunk_size", 1e9, &m->window) ||
        !read_whole(c, "sliding_window_pattern", 10000, &pattern))
        return false;
    double listed = listed_share(c);
    bool used = is_true(c, "use_sliding_window", true) && (c->family->window != WINDOW_NONE || listed > 0);
    switch (c->family->window) {
    case WINDOW_NONE:
        break;
    case WINDOW_ALL:
        m->window_share = 1;
        break;
    case WINDOW_ALTERNATE:
        m->window_share = 0.5;
        break;
    case WINDOW_PATTERN:
        m->window_share = pattern_share(c, pattern);
        break;
    case WINDOW_CHUNKS:
        m->window_share = 0.75;
        break; /* each fourth layer sees everything */
    }
    if (listed >= 0)
        m->window_share = listed;
    if (!used || m->window == 0 || m->window_share <= 0 || (m->max_positions > 0 && m->window >= m->max_positions)) {
        m->window = 0;
        m->window_share = 0;
    }
    return true;
}

/*
 * Hybrid models: layers of linear attention keep a state of one size (32 bit) instead of keys and values. It is counted as a window of
 * as many tokens as the keys and values of such a layer (16 bit) would fill.
 */
static bool read_state(struct config *c) {
    struct model *m = c->m;
    int heads = 0, key = 0, value = 0, interval = 4;
    if (!read_whole(c, "linear_num_value_heads", 100000, &heads) ||
        !read_whole(c, "linear_key_head_dim", 65536, &key) || !read_whole(c, "linear_value_head_dim", 65536, &value) ||
        !read_whole(c, "full_attention_interval", 10000, &interval))
        return false;
    double state_bytes = 4.0 * heads * key * value, token_bytes = 2.0 * 2 * m->kv_heads * m->head_dim;
    double listed = listed_share(c), tokens = token_bytes > 0 ? ceil(state_bytes / token_bytes) : 0;
    if (m->window > 0 || tokens < 1 || tokens > 1e9 || interval < 1)
        return true;
    m->window = (int)tokens;
    m->window_share = listed >= 0 ? listed : pattern_share(c, interval);
    return true;
}

static void read_details(struct config *c) {
    struct model *m = c->m;
    const struct config_family *f = c->family;
    bool attention =
        is_true(c, "attention_bias use_qkv_bias add_qkv_bias qkv_bias", f->bias == BIAS_QKV || f->bias == BIAS_ALL);
    bool mlp = is_true(c, "mlp_bias use_bias", f->bias == BIAS_MLP || f->bias == BIAS_ALL);
    m->cls = f->cls;
    m->norm = f->norm;
    m->gated = !f->plain;
    m->qkv_bias = attention;
    m->mlp_bias = mlp;
    m->tied = is_true(c, "tie_word_embeddings", f->tied);
    m->position_rows = f->positions ? m->max_positions + f->position_offset : 0;
}

/* ---- the file ---- */

/* Models that also see or hear keep the language part in an object of its own. */
static const cJSON *text_part(const cJSON *root) {
    static const char *const parts[] = {"text_config", "llm_config", "language_config"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const cJSON *part = cJSON_GetObjectItemCaseSensitive(root, parts[i]);
        if (cJSON_IsObject(part) && (cJSON_GetObjectItemCaseSensitive(part, "hidden_size") != NULL ||
                                     cJSON_GetObjectItemCaseSensitive(part, "num_hidden_layers") != NULL))
            return part;
    }
    return root;
}

/* "Llama-3.1-8B" of "models/Llama-3.1-8B/config.json"; the file's own name when it has one, else what the file says. */
static void name_model(struct model *m, const char *file, const cJSON *root) {
    const char *end = file + strlen(file), *slash = strrchr(file, '/');
    const char *base = slash != NULL ? slash + 1 : file;
    if (strcmp(base, "config.json") == 0 && slash != NULL) {
        end = slash;
        for (base = slash; base > file && base[-1] != '/';)
            base--;
    } else if (end - base > 5 && strcmp(end - 5, ".json") == 0) {
        end -= 5;
    }
    if (end - base == 6 && memcmp(base, "config", 6) == 0) {
        base = json_string(root, "_name_or_path", "");
        slash = strrchr(base, '/');
        base = slash != NULL ? slash + 1 : base;
        end = base + strlen(base);
    }
    text_clean(m->name, sizeof m->name, base, (size_t)(end - base));
}

static bool read_model(struct config *c, const cJSON *root) {
    if (!cJSON_IsObject(root))
        return refuse(c, NULL, "not a config.json: it holds no object");
    if (json_bool(root, "is_encoder_decoder", false))
        return refuse(c, "is_encoder_decoder", "models with an encoder and a decoder are not known; give params_b");
    c->o = text_part(root);
    c->family = config_family(json_string(c->o, "model_type", json_string(root, "model_type", "")));
    if (!read_stack(c) || !read_heads(c) || !read_dense(c) || !read_mixture(c) || !read_window(c) || !read_state(c))
        return false;
    read_details(c);
    /* The head's sharing is a property of the whole model, so the outer object may say it. */
    c->m->tied = json_bool(c->o, "tie_word_embeddings", json_bool(root, "tie_word_embeddings", c->family->tied));
    return model_validate(c->m, c->err) || err_at(c->err, c->file, 0, 0, NULL);
}

bool model_from_config(const char *bytes, size_t len, const char *name, struct model *out, struct err *err) {
    struct model m = {.params_stated = NAN, .params_active_stated = NAN};
    struct err ignored;
    struct config c = {.m = &m, .file = name, .err = err != NULL ? err : &ignored};
    *c.err = (struct err){0};
    cJSON *root = json_parse(bytes, len, name, c.err);
    bool done = root != NULL && read_model(&c, root);
    if (done) {
        name_model(&m, name, root);
        if (m.name[0] == '\0')
            snprintf(m.name, sizeof m.name, "config.json");
        *out = m;
    }
    cJSON_Delete(root);
    return done;
}
