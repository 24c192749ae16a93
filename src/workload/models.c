/* SPDX-License-Identifier: MIT */
/* The known models: rows of data/models.csv, an overlay's rows replacing those of the same name. */
#include "gpuplan/workload/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    size_t count;
    struct alias *aliases;
    size_t alias_count, alias_cap;
};

static const char file_name[] = "models.csv";

/* ---- reading ---- */

/* Columns that hold whole numbers come first; each has the name of its member. */
/* clang-format off */
#define INTEGERS(X) \
    X(layers) X(hidden) X(heads) X(kv_heads) X(head_dim) X(ffn) X(vocab) X(position_rows) X(experts) X(experts_active) \
    X(expert_ffn) X(shared_ffn) X(dense_layers) X(window) X(mla_rank) X(mla_rope_dim) X(mla_q_rank) X(mla_nope_dim) \
    X(mla_v_dim) X(max_positions)
#define COLUMN_ID(member) INTEGER_##member,
#define COLUMN_NAME(member) #member,
#define COLUMN_OFFSET(member) [INTEGER_##member] = offsetof(struct model, member),

enum column {
    NAME, /* the key */
    INTEGERS(COLUMN_ID)
    ALIASES, CLASS, NORM, MLP, TIED, BIAS, CAPPED, WINDOW_SHARE, PARAMS_B, ACTIVE_PARAMS_B,
    COLUMNS
};
static const char *const columns[COLUMNS] = {
    "name",
    INTEGERS(COLUMN_NAME)
    "aliases", "class", "norm", "mlp", "tied", "bias", "capped", "window_share", "params_b", "active_params_b",
};
static const size_t offsets[COLUMNS] = {INTEGERS(COLUMN_OFFSET)};
/* clang-format on */

static bool refuse(const struct data_table *t, size_t row, enum column column, const char *allowed, struct err *err) {
    err_set(err, ERR_DATA, "allowed are %s", allowed);
    return data_table_at(t, row, column, err);
}

enum { MAX_WORDS = 4 };
static const struct choice {
    enum column column;
    const char *words[MAX_WORDS]; /* an empty cell is the first */
    const char *allowed;
} choices[] = {
    {CLASS, {"decoder", "bert", "image"}, "decoder, bert, image"},
    {NORM, {"rms", "layer"}, "rms, layer"},
    {MLP, {"gated", "plain"}, "gated, plain"},
    {TIED, {"no", "yes"}, "no, yes"},
    {CAPPED, {"no", "yes"}, "no, yes"},
    {BIAS, {"none", "qkv", "all", "mlp"}, "none, qkv, all, mlp"},
};
enum { CHOICES = sizeof choices / sizeof choices[0] };

static int word_of(const char *cell, const struct choice *choice) {
    if (cell[0] == '\0')
        return 0;
    for (int i = 0; i < MAX_WORDS && choice->words[i] != NULL; i++)
        if (strcmp(cell, choice->words[i]) == 0)
            return i;
    return -1;
}

static bool read_words(const struct data_table *t, size_t row, struct model *m, struct err *err) {
    int words[COLUMNS];
    for (size_t i = 0; i < CHOICES; i++) {
        enum column column = choices[i].column;
        words[column] = word_of(data_table_cell(t, row, column), &choices[i]);
        if (words[column] < 0)
            return refuse(t, row, column, choices[i].allowed, err);
    }
    m->cls = (enum model_class)words[CLASS];
    m->norm = (enum norm_kind)words[NORM];
    m->gated = words[MLP] == 0;
    m->tied = words[TIED] == 1;
    m->capped = words[CAPPED] == 1;
    m->qkv_bias = words[BIAS] == 1 || words[BIAS] == 2;
    m->mlp_bias = words[BIAS] >= 2;
    return true;
}

static bool read_numbers(const struct data_table *t, size_t row, struct model *m, struct err *err) {
    for (int column = NAME + 1; column < ALIASES; column++) {
        double x;
        if (!data_table_number(t, row, (size_t)column, 0, 1e9, 0, &x, err))
            return false;
        if (x != floor(x))
            return refuse(t, row, (enum column)column, "whole numbers", err);
        int value = (int)x;
        memcpy((char *)m + offsets[column], &value, sizeof value);
    }
    bool done = data_table_number(t, row, WINDOW_SHARE, 0, 1, m->window > 0, &m->window_share, err) &&
                data_table_number(t, row, PARAMS_B, 1e-6, 1e6, NUM_UNKNOWN, &m->params_stated, err) &&
                data_table_number(t, row, ACTIVE_PARAMS_B, 1e-6, 1e6, NUM_UNKNOWN, &m->params_active_stated, err);
    m->params_stated *= 1e9;
    m->params_active_stated *= 1e9;
    return done;
}

static bool read_row(const struct data_table *t, size_t row, struct model *m, struct err *err) {
    const char *name = data_table_cell(t, row, NAME);
    *m = (struct model){0};
    if (name[0] == '\0' || strlen(name) >= sizeof m->name)
        return refuse(t, row, NAME, "1 to 63 bytes", err);
    snprintf(m->name, sizeof m->name, "%s", name);
    if (!read_words(t, row, m, err) || !read_numbers(t, row, m, err))
        return false;
    if (m->kv_heads == 0)
        m->kv_heads = m->heads;
    if (m->head_dim == 0 && m->heads > 0)
        m->head_dim = m->hidden / m->heads;
    return model_validate(m, err) || data_table_at(t, row, COLUMNS, err);
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

static bool read_rows(struct models *ms, const struct data_table *t, struct err *err) {
    size_t count = data_table_rows(t);
    ms->items = mem_zero(count > 0 ? count : 1, sizeof *ms->items);
    for (size_t row = 0; row < count; row++) {
        struct model *m = &ms->items[ms->count];
        if (!read_row(t, row, m, err))
            return false;
        add_alias(ms, m->name, strlen(m->name), ms->count);
        add_aliases(ms, data_table_cell(t, row, ALIASES), ms->count);
        ms->count++;
    }
    return true;
}

struct models *models_load(struct err *err) {
    struct data_table *t = data_table_load(file_name, columns, COLUMNS, err);
    if (t == NULL)
        return NULL;
    struct models *ms = mem_zero(1, sizeof *ms);
    ms->arena = arena_new();
    if (!read_rows(ms, t, err)) {
        models_free(ms);
        ms = NULL;
    }
    data_table_free(t);
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

/* Folds a name: lower case, separators as one '-' (none at all when loose), without what stands before the last '/'. */
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
static const char *const endings[] = {"instruct", "chat", "it",       "hf",   "base", "pt",      "sft",    "dpo",
                                      "awq",      "gptq", "fp8",      "gguf", "int4", "int8",    "4bit",   "8bit",
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
