/* SPDX-License-Identifier: MIT */
/* Which model a job is about: by name, by config.json, by its shape or by its count alone. */
#include "workload/resolve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "workload/slot.h"

static const enum field_id shape_fields[] = {
    FIELD_LAYERS,   FIELD_HIDDEN,       FIELD_HEADS,     FIELD_KV_HEADS,        FIELD_HEAD_DIM,
    FIELD_FFN,      FIELD_VOCAB,        FIELD_EXPERTS,   FIELD_EXPERT_FFN,      FIELD_WINDOW,
    FIELD_MLA_RANK, FIELD_MLA_ROPE_DIM, FIELD_GATED_FFN, FIELD_TIED_EMBEDDINGS, FIELD_EXPERTS_ACTIVE,
};
enum { SHAPE_FIELDS = sizeof shape_fields / sizeof shape_fields[0] };

static void apply_shape(struct resolve *r) {
    struct model *m = &r->j->model;
    for (int i = 0; i < SHAPE_FIELDS; i++)
        if (is_set(r, shape_fields[i]))
            slot_set(r->j, shape_fields[i], &r->w.v[shape_fields[i]]);
    if (is_set(r, FIELD_WINDOW))
        m->window_share = m->window > 0 ? (m->window_share > 0 ? m->window_share : 1) : 0;
    if (m->mla_rank > 0 && m->mla_nope_dim == 0) {
        /* DeepSeek's proportions: 128 per head without position, and for values; the shared key has half of it. */
        m->mla_nope_dim = m->mla_v_dim = 128;
        m->mla_rope_dim = m->mla_rope_dim > 0 ? m->mla_rope_dim : 64;
    }
}

static bool shape_given(const struct resolve *r) {
    return is_set(r, FIELD_PARAMS_B) || (is_set(r, FIELD_LAYERS) && is_set(r, FIELD_HIDDEN));
}

static bool refuse_unknown(struct resolve *r, const char *name) {
    const char *near = models_nearest(r->models, name);
    size_t len = strlen(name);
    if (strchr(name, '/') != NULL && len > 5 && strcmp(name + len - 5, ".json") == 0)
        return resolve_refuse(r, FIELD_MODEL, "\"%s\" was not read", name);
    if (near != NULL)
        return resolve_refuse(r, FIELD_MODEL,
                              "\"%s\" is not a known model; did you mean %s? A config.json or params_b will do too",
                              name, near);
    return resolve_refuse(
        r, FIELD_MODEL,
        "\"%s\" is not a known model; name one of \"gpuplan list models\", the path of a config.json, or params_b",
        name);
}

/* A stated count next to a known model is either the same figure or a mistake. */
static bool check_count(struct resolve *r, const char *name) {
    double counted = model_count(&r->j->model).total / 1e9, stated = r->w.v[FIELD_PARAMS_B].number;
    if (is_stated(r, FIELD_PARAMS_B) && fabs(stated / counted - 1) > 0.05)
        return resolve_refuse(r, FIELD_PARAMS_B,
                              "%g billion, but %s has %.4g billion parameters; leave one of them out", stated, name,
                              counted);
    return true;
}

static bool any_shape(const struct resolve *r) {
    for (int i = 0; i < SHAPE_FIELDS; i++)
        if (is_set(r, shape_fields[i]))
            return true;
    return false;
}

static bool complete_shape(struct resolve *r) {
    apply_shape(r);
    if (model_complete_open(&r->j->model, !is_set(r, FIELD_GATED_FFN), !is_set(r, FIELD_TIED_EMBEDDINGS)))
        return true;
    return resolve_refuse(r, is_set(r, FIELD_PARAMS_B) ? FIELD_PARAMS_B : FIELD_LAYERS, "no model has such a shape");
}

static void note_guesses(struct resolve *r) {
    const char *why = is_set(r, FIELD_PARAMS_B) ? "from params_b" : "default";
    for (int i = 0; i < SHAPE_FIELDS; i++) {
        const struct field *f = &field_table()[shape_fields[i]];
        struct value v;
        if (slot_get(r->j, f->id, &v) && (v.number > 0 || f->type == FIELD_BOOL))
            assume(r, f->id, why);
    }
}

/* Completes what is not known of a shape, noting what had to be assumed. */
static bool complete(struct resolve *r) {
    struct model *m = &r->j->model;
    m->params_stated = is_set(r, FIELD_PARAMS_B) ? r->w.v[FIELD_PARAMS_B].number * 1e9 : NUM_UNKNOWN;
    m->params_active_stated =
        is_set(r, FIELD_ACTIVE_PARAMS_B) ? r->w.v[FIELD_ACTIVE_PARAMS_B].number * 1e9 : NUM_UNKNOWN;
    if (m->params_active_stated > m->params_stated)
        return resolve_refuse(r, FIELD_ACTIVE_PARAMS_B, "%g is more than params_b, %g", m->params_active_stated / 1e9,
                              m->params_stated / 1e9);
    m->gated = true;
    if (!num_known(m->params_active_stated) && !any_shape(r))
        model_from_params(m->params_stated, m);
    else if (!complete_shape(r))
        return false;
    note_guesses(r);
    return true;
}

/* The name stays what was stated; without one it says the size. */
static void name_custom(struct resolve *r) {
    double billions = is_set(r, FIELD_PARAMS_B) ? r->w.v[FIELD_PARAMS_B].number : model_count(&r->j->model).total / 1e9;
    if (is_set(r, FIELD_MODEL))
        snprintf(r->j->model.name, sizeof r->j->model.name, "%.63s", r->w.v[FIELD_MODEL].text);
    else
        snprintf(r->j->model.name, sizeof r->j->model.name, "custom-%.4gb", billions);
}

static bool resolve_known(struct resolve *r, const struct model *known) {
    r->j->model = *known;
    apply_shape(r);
    return check_count(r, known->name[0] != '\0' ? known->name : "the model");
}

static bool validate(struct resolve *r) {
    struct err e = {0};
    if (model_validate(&r->j->model, &e))
        return true;
    err_set(r->err, ERR_USAGE, "%s", e.text);
    return err_at(r->err, NULL, 0, 0, e.field);
}

bool resolve_model(struct resolve *r) {
    const char *name = is_set(r, FIELD_MODEL) ? r->w.v[FIELD_MODEL].text : NULL;
    const struct model *known = r->w.has_config                     ? &r->w.config
                                : name != NULL && r->models != NULL ? models_find(r->models, name)
                                                                    : NULL;
    bool done;
    if (known != NULL) {
        done = resolve_known(r, known);
    } else if (shape_given(r)) {
        done = complete(r);
        if (done)
            name_custom(r);
    } else if (name != NULL) {
        done = r->models != NULL ? refuse_unknown(r, name)
                                 : resolve_refuse(r, FIELD_MODEL, "\"%s\" is not a known model", name);
    } else {
        done = resolve_refuse(r, FIELD_MODEL,
                              "is missing; name one such as llama-3.1-8b, the path of a config.json, or params_b");
    }
    return done && validate(r);
}
