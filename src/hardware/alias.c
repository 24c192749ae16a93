/* SPDX-License-Identifier: MIT */
/* Spellings of cards: data/gpu_aliases.csv behind a hash, and what a listing's memory and form factor decide. */
#include <math.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "hardware/catalog_private.h"

enum alias_column { SPELLING, CARD, CANDIDATES, SURE, COLUMNS };
static const char *const columns[COLUMNS] = {"alias", "gpu", "candidates", "sure"};

/* A listed memory size is this near to the card's (share): GB and GiB, and what a driver keeps for itself. */
static const double vram_tolerance = 0.07;

static const struct alias *find_folded(const struct catalog *c, const char *folded, size_t len) {
    char other[NAME_MAX_FOLDED];
    uint32_t hash = name_hash(folded, len);
    size_t step = 0;
    for (long i; len > 0 && (i = name_index_next(&c->alias_index, hash, &step)) >= 0;) {
        if (name_fold(other, sizeof other, c->aliases[i].spelling) == len && memcmp(other, folded, len) == 0)
            return &c->aliases[i];
    }
    return NULL;
}

const struct alias *alias_find(const struct catalog *c, const char *spelling) {
    char folded[NAME_MAX_FOLDED];
    return find_folded(c, folded, name_fold(folded, sizeof folded, spelling));
}

static bool add_alias(struct catalog *c, const struct alias *a) {
    char folded[NAME_MAX_FOLDED];
    size_t len = name_fold(folded, sizeof folded, a->spelling);
    if (len == 0)
        return false;
    name_index_put(&c->alias_index, name_hash(folded, len), (uint32_t)c->alias_count);
    c->aliases[c->alias_count++] = *a;
    return true;
}

static bool read_candidates(const struct catalog *c, const char *cell, struct alias *a) {
    while (*cell != '\0') {
        char name[NAME_MAX_FOLDED];
        size_t len = strcspn(cell, "|");
        if (len == 0 || len >= sizeof name || a->count == ALIAS_CANDIDATES)
            return false;
        memcpy(name, cell, len);
        name[len] = '\0';
        int place = catalog_gpu_place(c, name);
        if (place < 0)
            return false;
        a->candidates[a->count++] = (int16_t)place;
        cell += len + (cell[len] == '|');
    }
    return true;
}

static bool read_alias(struct catalog *c, size_t row, struct err *err) {
    const struct data_table *t = c->alias_table;
    const char *card = data_table_cell(t, row, CARD);
    struct alias a = {.spelling = data_table_cell(t, row, SPELLING), .usual = -1};
    a.sure = text_equal_fold(data_table_cell(t, row, SURE), "yes");
    if (*card != '\0') {
        a.usual = (int16_t)catalog_gpu_place(c, card);
        if (a.usual < 0) {
            err_set(err, ERR_DATA, "no such card in gpus.csv: '%s'", card);
            return data_table_at(t, row, CARD, err);
        }
    }
    if (!read_candidates(c, data_table_cell(t, row, CANDIDATES), &a) || (a.count == 0 && a.usual < 0)) {
        err_set(err, ERR_DATA, "candidates are up to %d cards of gpus.csv with '|' between", ALIAS_CANDIDATES);
        return data_table_at(t, row, CANDIDATES, err);
    }
    if (a.count == 0)
        a.candidates[a.count++] = a.usual;
    const struct alias *known = alias_find(c, a.spelling);
    if (known != NULL) {
        c->aliases[known - c->aliases] = a; /* an overlay may give a canonical name another meaning */
        return true;
    }
    if (!add_alias(c, &a)) {
        err_set(err, ERR_DATA, "a spelling has 1 to %d letters and digits", NAME_MAX_FOLDED - 1);
        return data_table_at(t, row, SPELLING, err);
    }
    return true;
}

bool aliases_load(struct catalog *c, struct err *err) {
    c->alias_table = data_table_load("gpu_aliases.csv", columns, COLUMNS, err);
    if (c->alias_table == NULL)
        return false;
    size_t rows = data_table_rows(c->alias_table);
    c->aliases = mem_zero(c->gpu_count + rows + 1, sizeof *c->aliases);
    name_index_init(&c->alias_index, c->gpu_count + rows);
    for (size_t i = 0; i < c->gpu_count; i++) {
        struct alias a = {.spelling = c->gpus[i].name, .usual = (int16_t)i, .count = 1, .candidates = {(int16_t)i}};
        if (!add_alias(c, &a)) {
            err_set(err, ERR_DATA, "a name has 1 to %d letters and digits", NAME_MAX_FOLDED - 1);
            return data_table_at(c->gpu_table, i, 0, err);
        }
    }
    for (size_t i = 0; i < rows; i++)
        if (!read_alias(c, i, err))
            return false;
    return true;
}

/* ---- what the hints leave ---- */

static double apart(double stated, double size) {
    return size > 0 ? fabs(stated - size) / size : INFINITY;
}

/* How far a listed figure is from this card's memory, whichever of GB and GiB it was given in. */
static double vram_apart(const struct gpu *g, double stated) {
    double as_gib = stated * NUM_GB / NUM_GIB;
    return fmin(fmin(apart(stated, g->vram_gb), apart(stated, g->vram_gib_usable)), apart(as_gib, g->vram_gb));
}

bool gpu_vram_agrees(const struct gpu *g, double stated) {
    return vram_apart(g, stated) <= vram_tolerance;
}

static void keep(struct gpu_match *m, size_t *kept, size_t i) {
    m->candidates[(*kept)++] = m->candidates[i];
}

static void settle_by_vram(struct gpu_match *m, double stated) {
    double best = INFINITY, size = 0;
    for (size_t i = 0; i < m->candidate_count; i++) {
        double d = vram_apart(m->candidates[i], stated);
        if (d < best) {
            best = d;
            size = m->candidates[i]->vram_gb;
        }
    }
    if (!(best <= vram_tolerance))
        return;
    size_t kept = 0;
    for (size_t i = 0; i < m->candidate_count; i++)
        if (m->candidates[i]->vram_gb == size)
            keep(m, &kept, i);
    m->candidate_count = kept;
}

/* Listings write PCIe for cards with a bridge as well, so PCIE takes an NVL card where no plain one is left. */
static void settle_by_form(struct gpu_match *m, enum gpu_form form) {
    size_t kept = 0;
    for (size_t i = 0; i < m->candidate_count; i++)
        if (m->candidates[i]->form == form)
            keep(m, &kept, i);
    if (kept > 0)
        m->candidate_count = kept;
    else if (form == GPU_FORM_PCIE)
        settle_by_form(m, GPU_FORM_NVL);
}

static bool same_memory(const struct gpu_match *m) {
    for (size_t i = 1; i < m->candidate_count; i++)
        if (m->candidates[i]->vram_gb != m->candidates[0]->vram_gb)
            return false;
    return true;
}

struct gpu_match alias_settle(const struct catalog *c, const struct alias *a, double vram_gb, enum gpu_form form) {
    struct gpu_match m = {.candidate_count = a->count};
    const struct gpu *usual = a->usual >= 0 ? &c->gpus[a->usual] : NULL;
    for (size_t i = 0; i < a->count; i++)
        m.candidates[i] = &c->gpus[a->candidates[i]];
    if (a->count > 1 && num_known(vram_gb) && vram_gb > 0)
        settle_by_vram(&m, vram_gb);
    if (m.candidate_count > 1 && form != GPU_FORM_UNKNOWN)
        settle_by_form(&m, form);
    if (m.candidate_count == 1) {
        m.gpu = m.candidates[0];
        m.by_hint = a->count > 1;
        return m;
    }
    if (a->sure) {
        m.gpu = usual;
        return m;
    }
    m.ambiguous = true;
    for (size_t i = 0; i < m.candidate_count; i++)
        if (m.candidates[i] == usual)
            m.gpu = usual;
    if (m.gpu == NULL && (usual != NULL || same_memory(&m)))
        m.gpu = m.candidates[0];
    return m;
}

struct gpu_match catalog_gpu_resolve(const struct catalog *c, const char *spelling, double vram_gb,
                                     enum gpu_form form) {
    const struct alias *a = alias_find(c, spelling);
    if (a != NULL)
        return alias_settle(c, a, vram_gb, form);
    return spelling_resolve(c, spelling, vram_gb, form);
}
