/* SPDX-License-Identifier: MIT */
/* The known models: rows of data/models.csv, an overlay's rows replacing those of the same name. */
#include "gpuplan/workload/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/csv.h"
#include "gpuplan/base/data.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"

struct alias {
    const char *text; /* one spelling */
    size_t model;
};

struct models {
    struct arena *arena;
    struct model *items;
    size_t count, cap;
    struct alias *aliases;
    size_t alias_count, alias_cap;
};

static const char file_name[] = "models.csv";

/* ---- reading ---- */

/* Integer columns of the file and where they go. */
static const struct {
    const char *column;
    size_t offset;
} integers[] = {
#define INTEGER(name) {#name, offsetof(struct model, name)}
    INTEGER(layers),     INTEGER(hidden),         INTEGER(heads),      INTEGER(kv_heads),     INTEGER(head_dim),
    INTEGER(ffn),        INTEGER(vocab),          INTEGER(experts),    INTEGER(expert_ffn),   INTEGER(shared_ffn),
    INTEGER(window),     INTEGER(experts_active), INTEGER(mla_rank),   INTEGER(mla_rope_dim), INTEGER(mla_q_rank),
    INTEGER(mla_v_dim),  INTEGER(dense_layers),   INTEGER(mla_nope_dim), INTEGER(position_rows), INTEGER(max_positions),
#undef INTEGER
};
enum { INTEGERS = sizeof integers / sizeof integers[0] };

struct columns {
    int name, aliases, cls, norm, mlp, tied, bias, window_share, params_b, active_params_b, integer[INTEGERS];
};

static struct columns find_columns(const struct csv_table *t) {
    struct columns c = {
        .name = csv_table_column(t, "name"),
        .aliases = csv_table_column(t, "aliases"),
        .cls = csv_table_column(t, "class"),
        .norm = csv_table_column(t, "norm"),
        .mlp = csv_table_column(t, "mlp"),
        .tied = csv_table_column(t, "tied"),
        .bias = csv_table_column(t, "bias"),
        .window_share = csv_table_column(t, "window_share"),
        .params_b = csv_table_column(t, "params_b"),
        .active_params_b = csv_table_column(t, "active_params_b"),
    };
    for (int i = 0; i < INTEGERS; i++)
        c.integer[i] = csv_table_column(t, integers[i].column);
    return c;
}

static bool refuse(const struct csv_table *t, size_t row, const char *column, const char *allowed, struct err *err) {
    err_set(err, ERR_DATA, "allowed are %s", allowed);
    return err_at(err, file_name, csv_table_line(t, row), (long)row + 1, column);
}

/* Index of a cell's word in a list of at most four; empty is the first. */
static int word_of(const char *cell, const char *const words[4]) {
    if (cell[0] == '\0')
        return 0;
    for (int i = 0; i < 4 && words[i] != NULL; i++)
        if (strcmp(cell, words[i]) == 0)
            return i;
    return -1;
}

static bool read_words(const struct csv_table *t, size_t row, const struct columns *c, struct model *m,
                       struct err *err) {
    static const char *const classes[4] = {"decoder", "bert", "image", NULL}, *const norms[4] = {"rms", "layer", NULL};
    static const char *const mlps[4] = {"gated", "plain", NULL}, *const answers[4] = {"no", "yes", NULL};
    static const char *const biases[4] = {"none", "qkv", "all", "mlp"};
    int cls = word_of(csv_table_cell(t, row, c->cls), classes), norm = word_of(csv_table_cell(t, row, c->norm), norms);
    int mlp = word_of(csv_table_cell(t, row, c->mlp), mlps), tied = word_of(csv_table_cell(t, row, c->tied), answers);
    int bias = word_of(csv_table_cell(t, row, c->bias), biases);
    if (cls < 0)
        return refuse(t, row, "class", "decoder, bert, image", err);
    if (norm < 0)
        return refuse(t, row, "norm", "rms, layer", err);
    if (mlp < 0)
        return refuse(t, row, "mlp", "gated, plain", err);
    if (tied < 0)
        return refuse(t, row, "tied", "no, yes", err);
    if (bias < 0)
        return refuse(t, row, "bias", "none, qkv, all, mlp", err);
    m->cls = (enum model_class)cls;
    m->norm = (enum norm_kind)norm;
    m->gated = mlp == 0;
    m->tied = tied == 1;
    m->qkv_bias = bias == 1 || bias == 2;
    m->mlp_bias = bias >= 2;
    return true;
}

static bool read_integers(const struct csv_table *t, size_t row, const struct columns *c, struct model *m,
                          struct err *err) {
    for (int i = 0; i < INTEGERS; i++) {
        const char *cell = csv_table_cell(t, row, c->integer[i]);
        double x = cell[0] == '\0' ? 0 : csv_table_number(t, row, c->integer[i]);
        if (!(x >= 0 && x <= 1e9) || x != floor(x))
            return refuse(t, row, integers[i].column, "whole numbers", err);
        int value = (int)x;
        memcpy((char *)m + integers[i].offset, &value, sizeof value);
    }
    return true;
}

/* Empty cells that have an obvious value. */
static void fill_obvious(struct model *m) {
    if (m->kv_heads == 0)
        m->kv_heads = m->heads;
    if (m->head_dim == 0 && m->heads > 0)
        m->head_dim = m->hidden / m->heads;
    if (m->window > 0 && !num_known(m->window_share))
        m->window_share = 1;
    if (!num_known(m->window_share))
        m->window_share = 0;
}

static bool read_row(const struct csv_table *t, size_t row, const struct columns *c, struct model *m, struct err *err) {
    const char *name = csv_table_cell(t, row, c->name);
    *m = (struct model){0};
    if (name[0] == '\0' || strlen(name) >= sizeof m->name)
        return refuse(t, row, "name", "1 to 63 bytes", err);
    snprintf(m->name, sizeof m->name, "%s", name);
    m->window_share = csv_table_number(t, row, c->window_share);
    m->params_stated = csv_table_number(t, row, c->params_b) * 1e9;
    m->params_active_stated = csv_table_number(t, row, c->active_params_b) * 1e9;
    if (!read_words(t, row, c, m, err) || !read_integers(t, row, c, m, err))
        return false;
    fill_obvious(m);
    if (!model_validate(m, err))
        return err_at(err, file_name, csv_table_line(t, row), (long)row + 1, NULL);
    return true;
}

static void add_alias(struct models *ms, const char *text, size_t len, size_t model) {
    text_trim(&text, &len);
    if (len == 0)
        return;
    ms->aliases = mem_grow(ms->aliases, &ms->alias_cap, ms->alias_count + 1, sizeof *ms->aliases);
    ms->aliases[ms->alias_count++] = (struct alias){arena_strndup(ms->arena, text, len), model};
}

static void add_aliases(struct models *ms, const char *list, size_t model) {
    while (*list != '\0') {
        size_t len = strcspn(list, ";");
        add_alias(ms, list, len, model);
        list += len + (list[len] == ';');
    }
}

static size_t place_of(const struct models *ms, const char *name) {
    for (size_t i = 0; i < ms->count; i++)
        if (strcmp(ms->items[i].name, name) == 0)
            return i;
    return ms->count;
}

static bool read_bytes(struct models *ms, const struct blob *blob, bool overlay, struct err *err) {
    struct csv_table *t = csv_table_read(blob->bytes, blob->len, file_name, err);
    if (t == NULL)
        return false;
    struct columns columns = find_columns(t);
    bool done = true;
    for (size_t row = 0; done && row < csv_table_rows(t); row++) {
        struct model m;
        done = read_row(t, row, &columns, &m, err);
        if (!done)
            break;
        size_t place = overlay ? place_of(ms, m.name) : ms->count;
        ms->items = mem_grow(ms->items, &ms->cap, place + 1, sizeof *ms->items);
        ms->items[place] = m;
        if (place == ms->count) {
            ms->count++;
            add_alias(ms, m.name, strlen(m.name), place);
        }
        add_aliases(ms, csv_table_cell(t, row, columns.aliases), place);
    }
    csv_table_free(t);
    return done;
}

struct models *models_load(struct err *err) {
    struct models *ms = mem_zero(1, sizeof *ms);
    struct blob blob;
    ms->arena = arena_new();
    bool done = !data_builtin(file_name, &blob) || read_bytes(ms, &blob, false, err);
    if (done && data_overlaid(file_name, &blob))
        done = read_bytes(ms, &blob, true, err);
    if (!done) {
        models_free(ms);
        return NULL;
    }
    return ms;
}

void models_free(struct models *ms) {
    if (ms == NULL)
        return;
    arena_free(ms->arena);
    free(ms->items);
    free(ms->aliases);
    free(ms);
}

size_t models_count(const struct models *ms) {
    return ms->count;
}

const struct model *models_at(const struct models *ms, size_t i) {
    return i < ms->count ? &ms->items[i] : NULL;
}

/* ---- finding ---- */

enum { KEY_MAX = 96 };

/* Folds a name: lower case, separators as one '-' (or none at all when loose), without what stands before the last '/'. */
static size_t fold(char out[KEY_MAX], const char *name, bool loose) {
    size_t n = 0;
    const char *slash = strrchr(name, '/');
    for (const char *p = slash != NULL ? slash + 1 : name; *p != '\0' && n + 1 < KEY_MAX; p++) {
        char c = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
        bool separator = c == '-' || c == '_' || c == '.' || c == ' ' || c == ':';
        if (!separator)
            out[n++] = c;
        else if (!loose && n > 0 && out[n - 1] != '-')
            out[n++] = '-';
    }
    while (n > 0 && out[n - 1] == '-')
        n--;
    out[n] = '\0';
    return n;
}

static const struct model *find_folded(const struct models *ms, const char *key, bool loose) {
    char other[KEY_MAX];
    const struct model *found = NULL;
    for (size_t i = 0; i < ms->alias_count; i++) {
        fold(other, ms->aliases[i].text, loose);
        if (strcmp(other, key) == 0)
            found = &ms->items[ms->aliases[i].model];
    }
    return found;
}

/* Endings that change the training or the storage of a model but not its shape. */
static const char *const endings[] = {"instruct", "chat", "it",       "hf",   "base", "pt",      "sft",   "dpo",
                                      "awq",      "gptq", "fp8",      "gguf", "int4", "int8",    "4bit",  "8bit",
                                      "bnb",      "bf16", "thinking", "text", "128k", "preview", "dynamic"};

static bool drop_ending(char *key) {
    char *dash = strrchr(key, '-');
    for (size_t i = 0; dash != NULL && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcmp(dash + 1, endings[i]) == 0) {
            *dash = '\0';
            return true;
        }
    }
    return false;
}

const struct model *models_find(const struct models *ms, const char *name) {
    char key[KEY_MAX], plain[KEY_MAX];
    fold(key, name, false);
    do {
        const struct model *m = find_folded(ms, key, false);
        if (m == NULL) {
            fold(plain, key, true);
            m = plain[0] != '\0' ? find_folded(ms, plain, true) : NULL;
        }
        if (m != NULL)
            return m;
    } while (drop_ending(key));
    return NULL;
}

const char *models_nearest(const struct models *ms, const char *name) {
    if (ms->alias_count == 0)
        return NULL;
    const char **names = mem_alloc(ms->alias_count * sizeof *names);
    for (size_t i = 0; i < ms->alias_count; i++)
        names[i] = ms->aliases[i].text;
    const char *near = text_nearest(name, names, ms->alias_count);
    free(names);
    return near;
}
