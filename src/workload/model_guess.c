/* SPDX-License-Identifier: MIT */
/* Shapes from few facts: what is missing follows from the published parameter count, or from the usual proportions. */
#include "gpuplan/workload/model.h"

#include <math.h>
#include <stdio.h>

#include "gpuplan/base/num.h"

/* Vocabularies that most models have; the last is BERT's. */
static const int usual_vocabs[] = {32000, 51200, 128256, 151936, 30522};

/*
 * Published decoders at the points of a ladder; between them the shape follows the ratio of the counts. Llama's family
 * up to 405 B, all with a gated MLP.
 */
static const struct rung {
    double params;
    int layers, hidden, heads, kv_heads, ffn, vocab;
    bool tied;
} ladder[] = {
    {0.135e9, 30, 576, 9, 3, 1536, 49152, true},         {0.494e9, 24, 896, 14, 2, 4864, 151936, true},
    {1.236e9, 16, 2048, 32, 8, 8192, 128256, true},      {3.213e9, 28, 3072, 24, 8, 8192, 128256, true},
    {8.030e9, 32, 4096, 32, 8, 14336, 128256, false},    {14.77e9, 48, 5120, 40, 8, 13824, 152064, false},
    {32.76e9, 64, 5120, 40, 8, 27648, 152064, false},    {70.55e9, 80, 8192, 64, 8, 28672, 128256, false},
    {405.9e9, 126, 16384, 128, 8, 53248, 128256, false},
};
enum { LADDER = sizeof ladder / sizeof ladder[0] };

static double count_of(const struct model *m) {
    return model_count(m).total;
}

/* Relative distance of the count from the published one, on a log scale so that half and double are equally far. */
static double distance(const struct model *m) {
    return fabs(log(count_of(m) / m->params_stated));
}

static int positive(double x, int step) {
    int n = (int)lround(x / step) * step;
    return n >= step ? n : step;
}

/* The rung next to a count, by ratio. */
static const struct rung *nearest_rung(double params) {
    const struct rung *best = ladder;
    for (int i = 1; i < LADDER; i++)
        if (fabs(log(ladder[i].params / params)) < fabs(log(best->params / params)))
            best = &ladder[i];
    return best;
}

static void name_size(struct model *m, double params) {
    if (params >= 1e9)
        snprintf(m->name, sizeof m->name, "custom-%.4gb", params / 1e9);
    else
        snprintf(m->name, sizeof m->name, "custom-%.3gm", params / 1e6);
}

void model_from_params(double params, struct model *out) {
    const struct rung *r = nearest_rung(params);
    int head_dim = r->hidden / r->heads;
    /* Width and depth both grow with the cube root of the count; heads stay divisible by the key/value heads. */
    int heads = positive(r->heads * cbrt(params / r->params), r->kv_heads);
    double wider = (double)heads / r->heads;
    *out = (struct model){.layers = positive(r->layers * params / r->params / (wider * wider), 1),
                          .heads = heads,
                          .kv_heads = r->kv_heads,
                          .head_dim = head_dim,
                          .hidden = heads * head_dim,
                          .vocab = r->vocab,
                          .tied = r->tied,
                          .gated = true,
                          .params_stated = params,
                          .params_active_stated = NUM_UNKNOWN};
    /* The MLP takes what rounding left over, in steps that quantisation groups and tensor cores like. */
    out->ffn = positive(r->ffn * wider, 64);
    struct model_counts c = model_count(out);
    double rest = params - (c.total - out->layers * c.mlp_layer);
    if (rest > 0)
        out->ffn = positive(rest / (3.0 * out->hidden * out->layers), 64);
    name_size(out, params);
}

/* ---- completion of a shape ---- */

struct open_fields {
    bool ffn, vocab, gated, tied;
};

static void complete_heads(struct model *m) {
    if (m->head_dim == 0 && m->heads > 0)
        m->head_dim = m->hidden / m->heads > 0 ? m->hidden / m->heads : 1;
    if (m->head_dim == 0)
        m->head_dim = m->hidden >= 2048 ? 128 : 64; /* the usual widths */
    if (m->heads == 0)
        m->heads = m->hidden / m->head_dim > 0 ? m->hidden / m->head_dim : 1;
    if (m->kv_heads == 0)
        m->kv_heads = m->heads;
}

/* Width of the MLP (or of one expert) that makes the count come out, or 0. */
static int width_for(const struct model *m) {
    struct model probe = *m;
    double layers = m->layers, rest;
    probe.expert_ffn = 0;
    if (m->experts == 0)
        probe.ffn = 0;
    if (m->experts > 0 && num_known(m->params_active_stated) && m->experts > m->experts_active) {
        /* What is not active is experts and nothing else. */
        layers = (double)(m->experts - m->experts_active) * (m->layers - m->dense_layers);
        rest = m->params_stated - m->params_active_stated;
    } else {
        layers = m->experts > 0 ? (double)m->experts * (m->layers - m->dense_layers) : layers;
        rest = m->params_stated - count_of(&probe);
    }
    double width = rest / ((m->gated ? 3.0 : 2.0) * m->hidden * layers);
    return width >= 1 && width < 1e7 ? (int)lround(width) : 0;
}

/* What attention and experts leave of a mixture, if it is more than rounding, is an expert that all tokens share. */
static void add_shared(struct model *m) {
    struct model_counts c = model_count(m);
    double rest = m->params_stated - c.total, layers = m->layers - m->dense_layers;
    double rounding =
        fmax(0.02 * m->layers * c.attention_layer, 0.01 * m->params_active_stated); /* of published figures */
    if (m->experts > 0 && m->shared_ffn == 0 && rest > rounding)
        m->shared_ffn = (int)fmin(lround(rest / ((m->gated ? 3.0 : 2.0) * m->hidden * layers)), 1e7);
}

/* Plain: 4 h. Gated: 8/3 h, so that three matrices weigh the same; 7/2 h where shared key/value heads save weights. */
static int usual_width(const struct model *m) {
    if (!m->gated)
        return 4 * m->hidden;
    return positive(m->hidden * (m->kv_heads < m->heads ? 3.5 : 8.0 / 3.0), 64);
}

static void set_width(struct model *m, int width) {
    if (m->experts > 0)
        m->expert_ffn = width;
    else
        m->ffn = width;
}

/* A width far from the usual one says that gated, tied or vocab was guessed wrong, so it counts as distance too. */
static double try_shape(struct model *m, const struct open_fields *open) {
    double unusual = 0;
    if (open->ffn) {
        int width = num_known(m->params_stated) ? width_for(m) : usual_width(m);
        if (width == 0)
            return INFINITY;
        set_width(m, width);
        unusual = m->experts > 0 ? 0 : 0.1 * fabs(log((double)width / usual_width(m)));
    }
    if (num_known(m->params_stated))
        add_shared(m);
    return num_known(m->params_stated) ? distance(m) + unusual : unusual;
}

/* Gated and untied come first: another kind has to explain the count better than rounding does. */
static const double rounding_of_counts = 0.003;

static void try_vocab(const struct model *m, int vocab, const struct open_fields *open, struct model *best,
                      double *best_distance) {
    for (int choice = 0; choice < 4; choice++) {
        struct model t = *m;
        t.vocab = vocab;
        t.gated = open->gated ? (choice & 1) == 0 : m->gated;
        t.tied = open->tied ? (choice & 2) != 0 : m->tied;
        double d = try_shape(&t, open);
        if (d < *best_distance - rounding_of_counts) {
            *best_distance = d;
            *best = t;
        }
    }
}

static bool complete(struct model *m, const struct open_fields *open) {
    struct model best = *m;
    double best_distance = INFINITY;
    if (m->cls == MODEL_BERT)
        try_vocab(m, open->vocab ? 30522 : m->vocab, open, &best, &best_distance);
    else if (!open->vocab)
        try_vocab(m, m->vocab, open, &best, &best_distance);
    else
        for (size_t i = 0; i + 1 < sizeof usual_vocabs / sizeof usual_vocabs[0]; i++)
            try_vocab(m, usual_vocabs[i], open, &best, &best_distance);
    *m = best;
    return best_distance < INFINITY;
}

static void borrow(struct model *m, const struct model *typical) {
    double ratio = (double)typical->layers / typical->hidden;
    if (m->layers == 0 && m->hidden == 0) {
        m->layers = typical->layers;
        m->hidden = typical->hidden;
    } else if (m->layers == 0) {
        m->layers = positive(m->hidden * ratio, 1);
    } else if (m->hidden == 0) {
        m->hidden = positive(m->layers / ratio, 64);
    }
}

/* Heads of a typical model, when the width is its too and nobody said anything about heads. */
static void borrow_heads(struct model *m, const struct model *typical) {
    if (m->heads != 0 || m->kv_heads != 0 || m->head_dim != 0 || m->hidden != typical->hidden)
        return;
    m->heads = typical->heads;
    m->kv_heads = typical->kv_heads;
    m->head_dim = typical->head_dim;
}

/*
 * A mixture of which only the two counts are known: the width of a dense model of the active size. Idle weights give
 * the size of an expert, attention and embeddings are what remains of the active ones. Of the usual numbers of experts
 * that one is taken which needs the most ordinary depth; beyond half as deep again they are shared experts.
 */
static void guess_mixture(struct model *m) {
    static const struct { int experts, active; } usual[] = {{8, 2}, {16, 2}, {64, 6}, {128, 8}, {256, 8}};
    struct model backbone;
    double best = INFINITY;
    int depth = 1;
    model_from_params(m->params_active_stated, &backbone);
    backbone.vocab = m->vocab > 0 ? m->vocab : usual_vocabs[0];
    struct model_counts c = model_count(&backbone);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        double expert = (m->params_stated - m->params_active_stated) / (usual[i].experts - usual[i].active);
        double attention = m->params_active_stated - usual[i].active * expert - c.embedding - c.head;
        double layers = fmax(1, attention / c.attention_layer);
        double odd = fabs(log(layers / backbone.layers));
        if (odd < best) {
            best = odd;
            m->experts = usual[i].experts;
            m->experts_active = usual[i].active;
            depth = positive(fmin(layers, 1.5 * backbone.layers), 1);
        }
    }
    backbone.layers = depth;
    borrow(m, &backbone);
    borrow_heads(m, &backbone);
}

/* A mixture has a total well above the active count; a few per cent are only two ways of counting. */
static bool is_mixture(const struct model *m) {
    return m->experts == 0 && m->params_active_stated > 0 && m->params_stated > 1.2 * m->params_active_stated;
}

bool model_complete(struct model *m) {
    return model_complete_open(m, true, true);
}

bool model_complete_open(struct model *m, bool gated_open, bool tied_open) {
    bool sized = m->layers > 0 && m->hidden > 0;
    if (is_mixture(m) && m->ffn == 0) {
        guess_mixture(m);
    } else if (!sized && num_known(m->params_stated)) {
        struct model typical;
        model_from_params(m->params_stated, &typical);
        borrow(m, &typical);
        borrow_heads(m, &typical);
    }
    if (m->layers <= 0 || m->hidden <= 0)
        return false;
    complete_heads(m);
    if (m->experts > 0 && m->expert_ffn == 0 && m->dense_layers == 0) {
        m->expert_ffn = m->ffn; /* an MLP width stated for a mixture is one expert's */
        m->ffn = 0;
    }
    if (m->experts > 0 && m->experts_active == 0)
        m->experts_active = m->experts < 2 ? m->experts : 2; /* the usual number of a small mixture */
    bool width_missing = m->experts > 0 ? m->expert_ffn == 0 : m->ffn == 0;
    struct open_fields open = {width_missing, m->vocab == 0 && m->cls != MODEL_IMAGE, gated_open, tied_open};
    return complete(m, &open);
}
