/* SPDX-License-Identifier: MIT */
/* What there is to put side by side, axis by axis. */
#include <stdio.h>
#include <string.h>

#include "decide/whatif.h"
#include "gpuplan/base/text.h"

static const char *const names[VARY_COUNT] = {"gpus", "gpu", "link", "spot", "precision", "seq_len", "batch"};

const char *vary_name(enum vary v) {
    return names[v];
}

int vary_find(const char *s) {
    for (int i = 0; i < VARY_COUNT; i++)
        if (strcmp(names[i], s) == 0)
            return i;
    return -1;
}

const char *price_basis_name(enum price_basis b) {
    static const char *const basis_names[] = {"offer", "nodes", "pro_rata", "borrowed"};
    return basis_names[b];
}

/* ---- fields ---- */

static int precision_field(const struct job *j) {
    return j->task == TASK_INFERENCE                       ? FIELD_WEIGHTS
           : j->task == TASK_LORA || j->task == TASK_QLORA ? FIELD_BASE
           : job_is_training(j)                            ? FIELD_PRECISION
                                                           : -1;
}

static int batch_field(const struct job *j) {
    static const int by_load[] = {FIELD_CONCURRENCY, FIELD_REQUESTS_PER_S, FIELD_REQUESTS};
    if (j->task == TASK_INFERENCE)
        return num_known(j->users) ? FIELD_USERS : by_load[j->load];
    return job_is_training(j) ? FIELD_GLOBAL_BATCH : -1;
}

int whatif_field(const struct job *j, enum vary v) {
    switch (v) {
    case VARY_PRECISION:
        return precision_field(j);
    case VARY_SEQ_LEN:
        return j->task == TASK_INFERENCE ? FIELD_INPUT_LEN : job_is_training(j) ? FIELD_SEQ_LEN : -1;
    case VARY_BATCH:
        return batch_field(j);
    default:
        return -1;
    }
}

bool whatif_can_be_weak(const struct job *j) {
    return job_is_training(j) || (j->task == TASK_MEASURED && j->scaling == SCALING_STRONG);
}

/* ---- values ---- */

struct specs {
    struct whatif_spec *all, model; /* model: what they have in common */
    int count;
};

static struct whatif_spec *add(struct specs *s) {
    if (s->count == WHATIF_MAX_COUNTS)
        return NULL;
    s->all[s->count] = s->model;
    return &s->all[s->count++];
}

static void add_value(struct specs *s, const char *value) {
    struct whatif_spec *one = add(s);
    if (one)
        snprintf(one->value, sizeof one->value, "%s", value);
}

/* What people choose between; the word that the job has stands among them. */
static void add_words(struct specs *s, const struct job *j) {
    static const char *const weights[] = {"bf16", "fp8", "int8", "int4", "q4_k_m", NULL},
                             *const base[] = {"bf16", "int8", "nf4", NULL}, *const training[] = {"fp32", "tf32", "bf16",
                                                                                                 "fp16", "fp8",  NULL};
    const char *const *words = s->model.field == FIELD_WEIGHTS ? weights
                               : s->model.field == FIELD_BASE  ? base
                                                               : training;
    char now[WHATIF_VALUE];
    bool found = false;
    job_value_text(j, (enum field_id)s->model.field, now, sizeof now);
    for (int i = 0; words[i]; i++)
        found |= strcmp(words[i], now) == 0;
    if (!found && *now)
        add_value(s, now);
    for (int i = 0; words[i]; i++)
        add_value(s, words[i]);
}

/* A quarter to eight times of what the job has. */
static void add_multiples(struct specs *s, const struct job *j) {
    static const double factors[] = {0.25, 0.5, 1, 2, 4, 8};
    const struct field *f = &field_table()[s->model.field];
    char now[WHATIF_VALUE], text[WHATIF_VALUE];
    double x;
    job_value_text(j, f->id, now, sizeof now);
    if (!num_parse(now, f->unit, f->binary_k, &x) || !(x > 0))
        return;
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        double value = x * factors[i];
        bool whole = f->id == FIELD_REQUESTS_PER_S || value == (double)(long)value;
        if (!whole || value < f->min || value > f->max)
            continue;
        num_format_plain(text, sizeof text, value, 8);
        add_value(s, text);
    }
}

static void add_values(struct specs *s, const struct ranking *r, const struct whatif_question *w) {
    const struct job *j = ranking_question(r)->job;
    s->model.field = whatif_field(j, w->vary);
    if (s->model.field < 0)
        return;
    for (int i = 0; i < w->value_count; i++)
        add_value(s, w->values[i]);
    if (w->value_count > 0)
        return;
    if (w->vary == VARY_PRECISION)
        add_words(s, j);
    else
        add_multiples(s, j);
}

/* ---- machines ---- */

static void add_counts(struct specs *s, const struct whatif_question *w) {
    for (int i = 0; i < w->count; i++) {
        struct whatif_spec *one = add(s);
        if (one)
            one->gpus = w->counts[i];
    }
}

static bool has_card(const struct specs *s, int gpu) {
    for (int i = 0; i < s->count; i++)
        if (s->all[i].gpu == gpu)
            return true;
    return false;
}

/* The cards of the ranking, the best first, each at its best count or all at the same. */
static void add_cards(struct specs *s, const struct ranking *r, const struct whatif_question *w) {
    s->model.link = -1;
    s->model.gpus = w->count > 0 ? w->counts[0] : 0;
    if (s->model.gpu >= 0 && w->pick)
        add(s);
    for (size_t i = 0; i < ranking_count(r) && s->count < WHATIF_MAX_COUNTS; i++) {
        s->model.gpu = ranking_at(r, i)->gpu;
        if (!has_card(s, s->model.gpu))
            add(s);
    }
}

static void add_links(struct specs *s, const struct ranking *r) {
    static const enum link_kind kinds[] = {LINK_NVSWITCH, LINK_NVLINK_MESH, LINK_NVLINK_BRIDGE,
                                           LINK_XGMI,     LINK_PCIE,        LINK_PCIE_HOST};
    const struct gpu *g = catalog_gpu(ranking_question(r)->catalog, (size_t)s->model.gpu);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && s->model.gpus > 1; i++) {
        if (!link_possible(g, kinds[i], s->model.gpus))
            continue;
        struct whatif_spec *one = add(s);
        one->link = kinds[i];
    }
}

static void add_prices(struct specs *s) {
    for (int k = 0; k < RATE_KIND_COUNT; k++)
        add(s)->rate_kind = k;
}

int whatif_specs(const struct ranking *r, const struct whatif_question *w, const struct whatif_spec *reference,
                 struct whatif_spec specs[WHATIF_MAX_COUNTS]) {
    struct specs s = {.all = specs, .model = *reference};
    if (w->only) {
        s.count = w->only_count < WHATIF_MAX_COUNTS ? w->only_count : WHATIF_MAX_COUNTS;
        memcpy(specs, w->only, (size_t)s.count * sizeof *specs);
        return s.count;
    }
    switch (w->vary) {
    case VARY_GPUS:
        add_counts(&s, w);
        break;
    case VARY_GPU:
        add_cards(&s, r, w);
        break;
    case VARY_LINK:
        add_links(&s, r);
        break;
    case VARY_SPOT:
        add_prices(&s);
        break;
    default:
        add_values(&s, r, w);
    }
    return s.count;
}
