/* SPDX-License-Identifier: MIT */
/* From what a listing writes to a card of the catalogue and a machine type, each asked once per spelling. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/reader.h"

/* A listed size counts as a known one within this share (a driver reports a little less than the label). */
static const double vram_tolerance = 0.07;

/* Accelerators that no GPU catalogue holds; the prefix is compared without regard to case. */
static const struct {
    const char *prefix;
    enum gpu_class cls;
} other_accelerators[] = {
    {"tpu", GPU_CLASS_TPU},     {"inferentia", GPU_CLASS_NEURON}, {"trainium", GPU_CLASS_NEURON},
    {"gaudi", GPU_CLASS_GAUDI}, {"virtex", GPU_CLASS_OTHER},      {"xilinx", GPU_CLASS_OTHER},
    {"alveo", GPU_CLASS_OTHER}, {"fpga", GPU_CLASS_OTHER},        {"qualcomm", GPU_CLASS_OTHER},
    {"ai100", GPU_CLASS_OTHER}, {"u30", GPU_CLASS_OTHER},         {"ipu", GPU_CLASS_OTHER},
};

static const char *const class_words[] = {
    [GPU_CLASS_GPU] = "GPU",
    [GPU_CLASS_TPU] = "TPU",
    [GPU_CLASS_NEURON] = "Inferentia or Trainium",
    [GPU_CLASS_GAUDI] = "Gaudi",
    [GPU_CLASS_OTHER] = "other accelerator",
};

static enum gpu_class class_of_name(const char *s) {
    for (size_t i = 0; i < sizeof other_accelerators / sizeof *other_accelerators; i++) {
        size_t k = 0;
        const char *prefix = other_accelerators[i].prefix;
        while (prefix[k] && tolower((unsigned char)s[k]) == prefix[k])
            k++;
        if (!prefix[k])
            return other_accelerators[i].cls;
    }
    return GPU_CLASS_GPU;
}

enum gpu_form form_of_text(const char *s) {
    if (text_contains_fold(s, "sxm"))
        return GPU_FORM_SXM;
    if (text_contains_fold(s, "pcie") || text_contains_fold(s, "pci-e"))
        return GPU_FORM_PCIE;
    if (text_contains_fold(s, "nvl") && !text_contains_fold(s, "nvlink") && !text_contains_fold(s, "nvl72"))
        return GPU_FORM_NVL;
    return GPU_FORM_UNKNOWN;
}

static struct card resolve(const struct listing_context *ctx, const char *spelling, double vram_gb,
                           enum gpu_form form) {
    struct card card = {.gpu = -1, .cls = class_of_name(spelling)};
    if (card.cls != GPU_CLASS_GPU)
        return card;
    const struct gpu *exact = form == CARD_EXACT ? catalog_gpu_exact(ctx->catalog, spelling) : NULL;
    if (exact) {
        card.gpu = catalog_gpu_index(ctx->catalog, exact);
        card.cls = exact->cls;
        return card;
    }
    if (form == CARD_EXACT)
        form = GPU_FORM_UNKNOWN;
    struct gpu_match m = catalog_gpu_resolve(ctx->catalog, spelling, vram_gb, form);
    card.candidate_count = m.candidate_count;
    memcpy(card.candidates, m.candidates, sizeof card.candidates);
    if (m.gpu) {
        card.gpu = catalog_gpu_index(ctx->catalog, m.gpu);
        card.cls = m.gpu->cls;
    }
    if (m.ambiguous)
        card.flags |= OFFER_GPU_AMBIGUOUS;
    if (!m.gpu && !m.ambiguous)
        card.flags |= OFFER_GPU_UNKNOWN;
    return card;
}

struct card reader_card(struct reader *r, uint32_t spelling, double vram_gb, enum gpu_form form) {
    /* Sizes are told apart to a tenth of a GB up to 6.5 TB, which is finer than the tolerance. */
    uint64_t size = num_known(vram_gb) && vram_gb > 0 ? (uint64_t)fmin(vram_gb * 10 + 1.5, 65535) : 0;
    uint32_t *at = idmap_at(&r->cards, ((uint64_t)spelling << 32 | size << 8 | (uint64_t)form) + 1);
    if (*at == UINT32_MAX) {
        r->card = mem_grow(r->card, &r->card_cap, r->card_count + 1, sizeof *r->card);
        r->card[r->card_count] = resolve(r->ctx, reader_str(r, spelling), size ? vram_gb : NUM_UNKNOWN, form);
        *at = (uint32_t)r->card_count++;
    }
    return r->card[*at];
}

static bool near_size(double a, double b) {
    return b > 0 && fabs(a / b - 1) <= vram_tolerance;
}

static bool is_size_of_card(const struct card *card, const struct catalog *c, double gb) {
    for (size_t i = 0; i < card->candidate_count; i++)
        if (card->candidates[i] &&
            (near_size(gb, card->candidates[i]->vram_gb) || near_size(gb, card->candidates[i]->vram_gib_usable)))
            return true;
    if (card->gpu < 0)
        return false;
    const struct gpu *g = catalog_gpu(c, (size_t)card->gpu);
    return near_size(gb, g->vram_gb) || near_size(gb, g->vram_gib_usable);
}

double card_vram(const struct card *card, const struct catalog *c, const double *sizes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (num_known(sizes[i]) && is_size_of_card(card, c, sizes[i]))
            return sizes[i];
    return NUM_UNKNOWN;
}

/*
 * A name that several cards share and nothing settles: eight in a box are almost always the SXM board, else the smallest and
 * slowest of them is assumed, so that an offer is never better than it looks. It stays flagged.
 */
static int assume_card(const struct catalog *c, const struct card *card, int gpus) {
    const struct gpu *best = NULL;
    for (size_t i = 0; i < card->candidate_count; i++) {
        const struct gpu *g = card->candidates[i];
        if (!best) {
            best = g;
            continue;
        }
        bool board = g->form == GPU_FORM_SXM, best_board = best->form == GPU_FORM_SXM;
        if (gpus >= 8 && board != best_board) {
            best = board ? g : best;
            continue;
        }
        bool smaller = g->vram_gb < best->vram_gb - 0.5, same = fabs(g->vram_gb - best->vram_gb) <= 0.5;
        if (smaller || (same && g->mem_bw_gbs < best->mem_bw_gbs))
            best = g;
    }
    return best ? catalog_gpu_index(c, best) : -1;
}

bool reader_set_card(struct reader *r, struct offer *f, const struct card *card) {
    if (card->cls != GPU_CLASS_GPU) {
        reader_problem(r, NULL, true, "%s: not a GPU", class_words[card->cls]);
        return false;
    }
    int gpu =
        card->gpu < 0 && (card->flags & OFFER_GPU_AMBIGUOUS) ? assume_card(r->ctx->catalog, card, f->gpus) : card->gpu;
    f->gpu = (int16_t)gpu;
    f->flags |= card->flags;
    if (card->flags & OFFER_GPU_UNKNOWN) {
        const char *raw = reader_str(r, f->gpu_raw);
        const char *nearest = catalog_gpu_nearest(r->ctx->catalog, raw);
        if (nearest)
            reader_problem(r, "gpu", false, "unknown GPU \"%s\", nearest is %s", raw, nearest);
        else
            reader_problem(r, "gpu", false, "unknown GPU \"%s\"", raw);
    }
    return true;
}

/* Less of a card's memory than this is a slice of it. */
static const double slice_share = 0.7;

/* What else a figure can be when it is no size of the card: the sum of all, a sum that was summed again, GB in place of MiB. */
static double vram_of_one(struct reader *r, struct offer *f, const struct card *card, double listed,
                          enum vram_scope scope) {
    const struct machine *m = reader_machine(r, f->provider, f->machine);
    double n = m && m->gpus > 0 ? m->gpus : f->gpus, of_one = listed, of_all = listed / n;
    double sizes[] = {scope == VRAM_OF_ALL ? of_all : of_one,
                      scope == VRAM_OF_ALL ? of_one : of_all,
                      listed / f->gpus,
                      listed / (n * n),
                      listed / 1024,
                      listed / 1024 / n,
                      listed * 1024};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    double vram = card_vram(card, r->ctx->catalog, sizes, SIZES);
    if (num_known(vram) && !near_size(vram, sizes[0]))
        f->flags |= OFFER_UNIT_GUESS;
    return vram;
}

/* Of the size that is meant when nothing decides: what the listing says, for one GPU. */
static double vram_as_listed(const struct offer *f, double listed, enum vram_scope scope) {
    return scope == VRAM_OF_ALL ? listed / f->gpus : listed;
}

/* A name that no catalogue has on a machine type that is known: "ARM Mali-G78MP12" for the T4G of a g5g. */
static void correct_name(struct reader *r, const struct offer *f, struct card *card) {
    const struct machine *m = reader_machine(r, f->provider, f->machine);
    if (!m || !m->gpu || !(card->flags & OFFER_GPU_UNKNOWN) || f->gpu_fraction < 1.0f)
        return;
    reader_problem(r, "gpu", false, "%s has the %s, not \"%s\"", reader_str(r, f->machine), m->gpu->name,
                   reader_str(r, f->gpu_raw));
    *card = (struct card){.gpu = catalog_gpu_index(r->ctx->catalog, m->gpu), .cls = m->gpu->cls};
}

bool reader_settle_card(struct reader *r, struct offer *f, double listed_gb, enum vram_scope scope) {
    enum gpu_form form = (enum gpu_form)f->form;
    if (f->gpu_raw == 0) {
        reader_problem(r, "gpu", true, "no GPU named");
        return false;
    }
    struct card card = reader_card(r, f->gpu_raw, NUM_UNKNOWN, form);
    correct_name(r, f, &card);
    bool listed = num_known(listed_gb) && listed_gb > 0, known = card.gpu >= 0 || card.candidate_count > 0;
    double vram = NUM_UNKNOWN;
    if (listed && known && f->gpu_fraction == 1.0f) {
        vram = vram_of_one(r, f, &card, listed_gb, scope);
        if (card.candidate_count > 1)
            card = reader_card(r, f->gpu_raw, vram, form);
        bool sure = reader_machine(r, f->provider, f->machine) != NULL; /* of whole cards */
        double whole = card.gpu >= 0 && !sure ? catalog_gpu(r->ctx->catalog, (size_t)card.gpu)->vram_gb : 0;
        if (!num_known(vram) && f->gpus == 1 && whole > 0 && listed_gb < slice_share * whole) {
            f->gpu_fraction = (float)(listed_gb / whole);
            vram = listed_gb;
        } else if (!num_known(vram)) {
            f->flags |= OFFER_VRAM_CONFLICT;
        }
    } else if (listed) {
        vram = vram_as_listed(f, listed_gb, scope);
    }
    f->vram_gb = num_known(vram) ? (float)(round(vram * 100) / 100) : (float)NUM_UNKNOWN;
    if (!reader_set_card(r, f, &card))
        return false;
    reader_apply_machine(r, f);
    if (f->gpu_fraction < 1.0f)
        f->flags |= OFFER_FRACTION;
    return true;
}

uint32_t reader_provider(struct reader *r, const char *s, size_t len) {
    char lower[64];
    uint32_t id = reader_text(r, s, len);
    const char *text = reader_str(r, id);
    if (id == 0)
        return 0;
    const struct provider *p = lookup_provider(&r->lookup, r->ctx, r->out, id);
    if (p && strcmp(p->key, "*") != 0)
        return reader_put(r, p->key);
    size_t n = 0;
    for (; text[n] && n + 1 < sizeof lower; n++)
        lower[n] = (char)tolower((unsigned char)text[n]);
    lower[n] = '\0';
    return text[n] ? id : reader_put(r, lower);
}

void reader_set_currency(struct reader *r, struct offer *f) {
    const struct provider *p = lookup_provider(&r->lookup, r->ctx, r->out, f->provider);
    if (!p || !p->currency || !*p->currency || strcmp(p->currency, "USD") == 0)
        return;
    offer_extra_edit(r->out, f)->currency = reader_put(r, p->currency);
    f->flags |= OFFER_CURRENCY_UNKNOWN;
}

const struct machine *reader_machine(struct reader *r, uint32_t provider, uint32_t machine) {
    return lookup_machine(&r->lookup, r->ctx, r->out, provider, machine);
}

void reader_apply_machine(struct reader *r, struct offer *f) {
    const struct machine *m = reader_machine(r, f->provider, f->machine);
    if (!m || !m->gpu || f->gpu_fraction < 1.0f)
        return;
    int gpu = catalog_gpu_index(r->ctx->catalog, m->gpu);
    if (gpu != f->gpu)
        f->flags &= ~(uint32_t)(OFFER_GPU_AMBIGUOUS | OFFER_GPU_UNKNOWN);
    f->gpu = (int16_t)gpu;
    f->flags &= ~(uint32_t)OFFER_GPU_AMBIGUOUS;
    f->form = (uint8_t)m->gpu->form;
    if (num_known((double)f->vram_gb) && !near_size((double)f->vram_gb, m->vram_gb) &&
        !near_size((double)f->vram_gb, m->gpu->vram_gib_usable)) {
        f->flags |= OFFER_VRAM_CONFLICT;
        f->vram_gb = NUM_UNKNOWN;
    }
    if (m->gpus > 0 && m->gpus != f->gpus) {
        reader_problem(r, "gpus", false, "%s has %d GPUs, not %d", reader_str(r, f->machine), m->gpus, (int)f->gpus);
        f->flags |= OFFER_COUNT_CONFLICT;
        f->gpus = (uint16_t)m->gpus;
    }
}
