/* SPDX-License-Identifier: MIT */
/*
 * Prices that cannot be: a card costs what it costs elsewhere in the snapshot, within a wide band. The references come from the
 * providers' medians, so that one cloud with fifty regions does not outvote the rest.
 */
#include <stdlib.h>

#include "gpuplan/base/num.h"
#include "listing/check.h"

enum {
    SAMPLES_EACH = 64, /* prices looked at per card and provider */
    MIN_SAMPLES = 5,   /* fewer prices of a card say nothing */
};

/*
 * Width of the band: below a share of the lower quartile, above a multiple of the median. Wide, because hosts differ (a T4 with
 * 64 vCPUs costs 10 times a bare one) and old cards cost a cloud's customers 15 times what a marketplace asks. What the faults
 * of sources make (a year's price as an hour's, a GPU's for a node's) is outside.
 */
static const double band_low = 0.3, band_low_spot = 0.06, band_high = 15;
/* A machine type costs at most this many times as much or as little as the median of its regions. */
static const double type_spread = 2;
/* Several GPUs within this share of the price of one: it is the price of one. */
static const double single_share = 0.02;

struct reference {
    double low, median; /* lower quartile and median of the providers' medians; 0 = no judgement */
};

struct sample {
    int16_t gpu;
    uint32_t provider;
    double usd; /* per GPU and hour */
};

static double per_gpu(const struct offer *f) {
    return (double)f->rate_microusd / 1e6 / (f->gpus * (double)f->gpu_fraction);
}

static bool is_price_of_machine(const struct offer *f) {
    const uint32_t doubtful = OFFER_SUMMARY_ROW | OFFER_COMPONENT_PART | OFFER_AUCTION_FLOOR | OFFER_CURRENCY_UNKNOWN;
    return f->gpu >= 0 && f->rate_microusd > 0 && !(f->flags & doubtful);
}

static bool is_evidence(const struct offer *f) {
    return f->rate_kind == RATE_ON_DEMAND && is_price_of_machine(f);
}

static int compare_samples(const void *pa, const void *pb) {
    const struct sample *a = pa, *b = pb;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    if (a->provider != b->provider)
        return a->provider < b->provider ? -1 : 1;
    return (a->usd > b->usd) - (a->usd < b->usd);
}

static int compare_doubles(const void *pa, const void *pb) {
    double a = *(const double *)pa, b = *(const double *)pb;
    return (a > b) - (a < b);
}

/* `doubtful`: by offer, not to be believed. */
static size_t collect(const struct offers *o, const bool *doubtful, struct sample **out) {
    struct idmap counts = {0};
    size_t count = 0, cap = 0;
    *out = NULL;
    for (size_t i = 0; i < o->count; i++) {
        const struct offer *f = &o->items[i];
        if (!is_evidence(f) || doubtful[i])
            continue;
        uint32_t *n = idmap_at(&counts, (uint64_t)(f->gpu + 1) << 32 | f->provider);
        *n = *n == UINT32_MAX ? 1 : *n + 1;
        if (*n > SAMPLES_EACH)
            continue;
        *out = mem_grow(*out, &cap, count + 1, sizeof **out);
        (*out)[count++] = (struct sample){f->gpu, f->provider, per_gpu(f)};
    }
    idmap_free(&counts);
    return count;
}

/* `samples` are sorted. */
static void find_references(const struct sample *samples, size_t count, struct reference *references) {
    double *medians = mem_zero(count + 1, sizeof *medians);
    for (size_t i = 0; i < count;) {
        size_t end = i, n = 0, start = i;
        for (; end < count && samples[end].gpu == samples[i].gpu; end++) {
            bool last = end + 1 == count || samples[end + 1].gpu != samples[i].gpu ||
                        samples[end + 1].provider != samples[end].provider;
            if (!last)
                continue;
            medians[n++] = samples[start + (end - start) / 2].usd;
            start = end + 1;
        }
        qsort(medians, n, sizeof *medians, compare_doubles);
        if (end - i >= MIN_SAMPLES)
            references[samples[i].gpu] = (struct reference){medians[n / 4], medians[n / 2]};
        i = end;
    }
    free(medians);
}

static bool outside(const struct offer *f, const struct reference *r) {
    bool spot = f->rate_kind == RATE_SPOT || f->rate_kind == RATE_BID_FLOOR;
    double usd = per_gpu(f);
    return usd < r->low * (spot ? band_low_spot : band_low) || usd > r->median * band_high;
}

static void flag_bands(struct offers *o, const struct reference *references) {
    for (size_t i = 0; i < o->count; i++) {
        struct offer *f = &o->items[i];
        if (f->gpu >= 0 && f->rate_microusd > 0 && references[f->gpu].median > 0 && outside(f, &references[f->gpu]))
            f->flags |= OFFER_PRICE_BAND;
    }
}

static uint64_t key_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    uint64_t parts[4] = {a, b, c, d};
    return hash_bytes(parts, sizeof parts, 1) | 1;
}

static uint64_t place_key(const struct offer *f) {
    return key_of((uint64_t)f->gpu, f->provider, f->region, f->rate_kind);
}

/* Several GPUs at the price of one of the same provider, place and kind: the price is the GPU's. */
static void flag_single_prices(struct offers *o, bool *doubtful) {
    struct idmap singles = {0};
    for (size_t i = 0; i < o->count; i++) {
        const struct offer *f = &o->items[i];
        if (!is_price_of_machine(f) || f->gpus != 1 || f->gpu_fraction < 1.0f)
            continue;
        uint32_t *at = idmap_at(&singles, place_key(f));
        if (*at == UINT32_MAX || f->rate_microusd < o->items[*at].rate_microusd)
            *at = (uint32_t)i;
    }
    for (size_t i = 0; singles.count > 0 && i < o->count; i++) {
        struct offer *f = &o->items[i];
        uint32_t at = is_price_of_machine(f) && f->gpus > 1 ? *idmap_at(&singles, place_key(f)) : UINT32_MAX;
        if (at == UINT32_MAX || o->items[at].gpu != f->gpu)
            continue;
        double ratio = (double)f->rate_microusd / (double)o->items[at].rate_microusd;
        doubtful[i] = ratio > 1 - single_share && ratio < 1 + single_share;
        if (doubtful[i])
            f->flags |= OFFER_PRICE_BAND;
    }
    idmap_free(&singles);
}

/* ---- one machine type ---- */

/* What is compared here has its machine in common, so a large set is gone through in parts, by machine, to stay small. */
enum { PART_OFFERS = 262144 };
struct part {
    uint32_t number, count;
};

static bool in_part(const struct part *part, const struct offer *f) {
    return f->machine != 0 && f->machine % part->count == part->number;
}

struct typed {
    uint64_t key;
    uint32_t index;
    int64_t rate;
};

static int compare_typed(const void *pa, const void *pb) {
    const struct typed *a = pa, *b = pb;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->rate > b->rate) - (a->rate < b->rate);
}

/* The same machine type of a provider, on demand, far from what it costs in other places and lists. */
static void flag_type_prices(struct offers *o, const struct part *part) {
    struct typed *rows = NULL;
    size_t count = 0, cap = 0;
    for (size_t i = 0; i < o->count; i++) {
        const struct offer *f = &o->items[i];
        if (!in_part(part, f) || !is_evidence(f) || f->gpu_fraction < 1.0f || f->machine_id != 0)
            continue; /* hosts of a marketplace have prices of their own */
        rows = mem_grow(rows, &cap, count + 1, sizeof *rows);
        rows[count++] = (struct typed){key_of(f->provider, f->machine, f->gpus, 1), (uint32_t)i, f->rate_microusd};
    }
    if (count > 1)
        qsort(rows, count, sizeof *rows, compare_typed);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && rows[end].key == rows[i].key;)
            end++;
        if (end - i < MIN_SAMPLES)
            continue;
        size_t middle = i + (end - i) / 2;
        double median = (double)rows[middle].rate;
        for (size_t k = i; k < end; k++)
            if ((double)rows[k].rate > median * type_spread || (double)rows[k].rate < median / type_spread)
                o->items[rows[k].index].flags |= OFFER_PRICE_CONFLICT;
    }
    free(rows);
}

/* ---- spot beside on demand ---- */

static uint64_t machine_key(const struct offer *f) {
    return key_of(f->provider, f->machine, f->region, f->gpus);
}

/* A spot price that is no lower than the same machine's price on demand is a filler. */
static void flag_spot_fillers(struct offers *o, const struct part *part) {
    struct idmap on_demand = {0};
    for (size_t i = 0; i < o->count; i++)
        if (in_part(part, &o->items[i]) && is_evidence(&o->items[i]))
            *idmap_at(&on_demand, machine_key(&o->items[i])) = (uint32_t)i;
    for (size_t i = 0; on_demand.count > 0 && i < o->count; i++) {
        struct offer *f = &o->items[i];
        if (!in_part(part, f) || f->rate_kind != RATE_SPOT)
            continue;
        uint32_t at = *idmap_at(&on_demand, machine_key(f));
        if (at != UINT32_MAX && o->items[at].gpu == f->gpu && f->rate_microusd >= o->items[at].rate_microusd)
            f->flags |= OFFER_SPOT_GE_ON_DEMAND;
    }
    idmap_free(&on_demand);
}

void check_prices(const struct listing_context *ctx, struct offers *o) {
    struct sample *samples;
    struct reference *references = mem_zero(catalog_gpu_count(ctx->catalog) + 1, sizeof *references);
    bool *doubtful = mem_zero(o->count + 1, sizeof *doubtful);
    flag_single_prices(o, doubtful);
    size_t count = collect(o, doubtful, &samples);
    if (count > 1)
        qsort(samples, count, sizeof *samples, compare_samples);
    find_references(samples, count, references);
    flag_bands(o, references);
    struct part part = {.count = 1 + (uint32_t)(o->count / PART_OFFERS)};
    for (; part.number < part.count; part.number++) {
        flag_type_prices(o, &part);
        flag_spot_fillers(o, &part);
    }
    free(samples);
    free(doubtful);
    free(references);
}
