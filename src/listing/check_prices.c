/* SPDX-License-Identifier: MIT */
/*
 * Prices that cannot be: a card costs what it costs elsewhere in the snapshot, within a wide band. The reference is the median
 * of the providers' medians, so that one cloud with fifty regions does not outvote the rest.
 */
#include <stdlib.h>

#include "gpuplan/base/num.h"
#include "listing/check.h"

enum {
    SAMPLES_EACH = 64, /* prices looked at per card and provider */
    MIN_SAMPLES = 5,   /* fewer prices of a card say nothing */
};

/*
 * Width of the band, as factors of the reference. Wide, because hosts differ: a T4 with 64 vCPUs costs 10 times a bare one,
 * and spot goes down to a twentieth. What the faults of sources make (a year's price as an hour's, a GPU for a node) is outside.
 */
static const double band_low = 1.0 / 6, band_low_spot = 1.0 / 30, band_high = 15;

struct sample {
    int16_t gpu;
    uint32_t provider;
    double usd; /* per GPU and hour */
};

static double per_gpu(const struct offer *f) {
    return (double)f->rate_microusd / 1e6 / (f->gpus * (double)f->gpu_fraction);
}

static bool is_evidence(const struct offer *f) {
    const uint32_t doubtful = OFFER_SUMMARY_ROW | OFFER_COMPONENT_PART | OFFER_AUCTION_FLOOR;
    return f->gpu >= 0 && f->rate_microusd > 0 && f->rate_kind == RATE_ON_DEMAND && !(f->flags & doubtful);
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

static size_t collect(const struct offers *o, struct sample **out) {
    struct idmap counts = {0};
    size_t count = 0, cap = 0;
    *out = NULL;
    for (size_t i = 0; i < o->count; i++) {
        const struct offer *f = &o->items[i];
        if (!is_evidence(f))
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

/* Reference by card; 0 = no judgement. `samples` are sorted. */
static void find_references(const struct sample *samples, size_t count, double *reference) {
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
            reference[samples[i].gpu] = n % 2 ? medians[n / 2] : (medians[n / 2 - 1] + medians[n / 2]) / 2;
        i = end;
    }
    free(medians);
}

static bool outside(const struct offer *f, double reference) {
    bool spot = f->rate_kind == RATE_SPOT || f->rate_kind == RATE_BID_FLOOR;
    double ratio = per_gpu(f) / reference;
    return ratio < (spot ? band_low_spot : band_low) || ratio > band_high;
}

static void flag_bands(struct offers *o, const double *reference) {
    for (size_t i = 0; i < o->count; i++) {
        struct offer *f = &o->items[i];
        if (f->gpu >= 0 && f->rate_microusd > 0 && reference[f->gpu] > 0 && outside(f, reference[f->gpu]))
            f->flags |= OFFER_PRICE_BAND;
    }
}

/* A provider's key for one card in one place, on demand. */
static uint64_t place_key(const struct offers *o, const struct offer *f) {
    uint64_t parts[3] = {(uint64_t)f->gpu, f->provider, f->region};
    (void)o;
    return hash_bytes(parts, sizeof parts, 1) | 1;
}

/* Several GPUs at the price of one of the same provider and place: the price is the GPU's. */
static void flag_single_prices(struct offers *o) {
    struct idmap singles = {0};
    for (size_t i = 0; i < o->count; i++) {
        const struct offer *f = &o->items[i];
        if (!is_evidence(f) || f->gpus != 1 || f->gpu_fraction < 1.0f)
            continue;
        uint32_t *at = idmap_at(&singles, place_key(o, f));
        if (*at == UINT32_MAX || f->rate_microusd < o->items[*at].rate_microusd)
            *at = (uint32_t)i;
    }
    for (size_t i = 0; i < o->count; i++) {
        struct offer *f = &o->items[i];
        if (!is_evidence(f) || f->gpus < 2 || singles.count == 0)
            continue;
        uint32_t at = *idmap_at(&singles, place_key(o, f));
        if (at != UINT32_MAX && o->items[at].gpu == f->gpu && f->rate_microusd <= o->items[at].rate_microusd)
            f->flags |= OFFER_PRICE_BAND;
    }
    idmap_free(&singles);
}

void check_prices(const struct listing_context *ctx, struct offers *o) {
    struct sample *samples;
    double *reference = mem_zero(catalog_gpu_count(ctx->catalog) + 1, sizeof *reference);
    size_t count = collect(o, &samples);
    if (count > 1)
        qsort(samples, count, sizeof *samples, compare_samples);
    find_references(samples, count, reference);
    flag_bands(o, reference);
    flag_single_prices(o);
    free(samples);
    free(reference);
}
