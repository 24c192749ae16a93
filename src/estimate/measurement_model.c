/* SPDX-License-Identifier: MIT */
/* The model of a measured row. Columns give a shape; windows, norms and compressed KV come from the preset of the same shape. */
#include <math.h>
#include <string.h>

#include "estimate/measurement_internal.h"
#include "gpuplan/base/text.h"

/*
 * Rows of one model differ by rounding of params_b and by padding of the vocabulary. Another model of the same layers and width
 * needs a closer look: a hundredth of the count is less than another MLP or head makes.
 */
static const double named_tolerance = 0.03, unnamed_tolerance = 0.01, vocab_tolerance = 0.02;

static bool same_count(double stated, int known) {
    return !num_known(stated) || (int)stated == known;
}

static bool same_within(double stated, double known, double tolerance) {
    return !num_known(stated) || !num_known(known) || fabs(stated - known) <= tolerance * known;
}

static bool is_of_shape(const struct cells *row, const struct model *m, double tolerance) {
    double params = num_known(m->params_stated) ? m->params_stated : model_count(m).total;

    return num_known(row->number[COLUMN_LAYERS]) && num_known(row->number[COLUMN_HIDDEN]) &&
           same_count(row->number[COLUMN_LAYERS], m->layers) && same_count(row->number[COLUMN_HIDDEN], m->hidden) &&
           same_count(row->number[COLUMN_HEADS], m->heads) && same_count(row->number[COLUMN_KV_HEADS], m->kv_heads) &&
           same_count(row->number[COLUMN_HEAD_DIM], m->head_dim) &&
           same_count(row->number[COLUMN_FFN], m->experts > 0 ? m->expert_ffn : m->ffn) &&
           same_count(row->number[COLUMN_EXPERTS], m->experts) &&
           same_within(row->number[COLUMN_VOCAB], m->vocab, vocab_tolerance) &&
           same_within(row->number[COLUMN_PARAMS_B] * 1e9, params, tolerance);
}

static const struct model *preset_of_shape(const struct models *models, const struct cells *row,
                                           const struct note_facts *facts) {
    const struct model *named = *row->text[COLUMN_MODEL] == '\0' ? NULL : models_find(models, row->text[COLUMN_MODEL]);

    if (named != NULL && is_of_shape(row, named, named_tolerance)) {
        return named;
    }
    for (size_t i = 0; i < models_count(models) && !facts->position_rows; i++) {
        if (is_of_shape(row, models_at(models, i), unnamed_tolerance)) {
            return models_at(models, i);
        }
    }
    /* a name alone, with nothing of the shape */
    return num_known(row->number[COLUMN_LAYERS]) || num_known(row->number[COLUMN_PARAMS_B]) ? NULL : named;
}

/* Encoders of the BERT family: two-way attention, layer norms, code of their time. */
static bool is_encoder(const char *name) {
    static const char *const families[] = {"bert", "electra"};
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (text_contains_fold(name, families[i])) {
            return true;
        }
    }
    return false;
}

static void copy_columns(const struct cells *row, struct model *m) {
    int ffn = cell_count(row, COLUMN_FFN, 0);

    m->layers = cell_count(row, COLUMN_LAYERS, 0);
    m->hidden = cell_count(row, COLUMN_HIDDEN, 0);
    m->heads = cell_count(row, COLUMN_HEADS, 0);
    m->kv_heads = cell_count(row, COLUMN_KV_HEADS, m->heads);
    m->head_dim = cell_count(row, COLUMN_HEAD_DIM, 0);
    m->vocab = cell_count(row, COLUMN_VOCAB, 0);
    m->experts = cell_count(row, COLUMN_EXPERTS, 0);
    m->experts_active = cell_count(row, COLUMN_EXPERTS_ACTIVE, 0);
    if (m->experts > 1) { /* the column holds one expert's width then */
        m->expert_ffn = ffn;
    } else {
        m->experts = m->experts_active = 0;
        m->ffn = ffn;
    }
    m->params_stated = row->number[COLUMN_PARAMS_B] * 1e9;
    m->params_active_stated = row->number[COLUMN_ACTIVE_PARAMS_B] * 1e9;
}

/*
 * Published totals sometimes count seq_len rows of learned position embeddings; without them the count would be taken for
 * another MLP or head. Encoders have 512 rows.
 */
static void add_positions(const struct cells *row, const struct note_facts *facts, struct model *m) {
    if (facts->position_rows) {
        m->position_rows = cell_count(row, COLUMN_SEQ_LEN, 0);
    } else if (m->cls == MODEL_BERT) {
        m->position_rows = 512;
    }
}

bool measurement_model(const struct models *models, const struct cells *row, const struct note_facts *facts,
                       struct model *out) {
    const struct model *preset = models == NULL ? NULL : preset_of_shape(models, row, facts);
    const char *name = row->text[COLUMN_MODEL];

    if (preset != NULL) {
        *out = *preset;
        out->vocab = cell_count(row, COLUMN_VOCAB, preset->vocab); /* padded as the run had it */
        return true;
    }
    memset(out, 0, sizeof *out);
    copy_columns(row, out);
    out->cls = is_encoder(name) ? MODEL_BERT : MODEL_DECODER;
    add_positions(row, facts, out);
    if (!model_complete(out)) {
        if (!num_known(out->params_stated)) {
            return false;
        }
        model_from_params(out->params_stated, out);
    }
    out->norm = out->cls == MODEL_BERT || !out->gated ? NORM_LAYER : NORM_RMS;
    text_clean(out->name, sizeof out->name, name, strlen(name));
    return model_validate(out, NULL);
}
