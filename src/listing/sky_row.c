/* SPDX-License-Identifier: MIT */
/* What a row of the SkyPilot catalogue really says: the rules for its known faults, in tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/fields.h"
#include "listing/skypilot.h"

/* What is known to be wrong with the rows of one cloud. */
enum trait {
    SIZE_IS_TOTAL = 1 << 0,    /* SizeInMiB is the machine's sum */
    RAM_MAY_BE_VRAM = 1 << 1,  /* MemoryGiB repeats GPU memory */
    HOST_IS_A_BUCKET = 1 << 2, /* vCPUs and MemoryGiB are a search filter, not the machine */
    AUCTION = 1 << 3,          /* a reserve price, not a quote */
    NAME_IN_TYPE = 1 << 4,     /* the machine type holds the vendor's own, more exact name */
};
static const struct {
    const char *provider;
    unsigned traits;
} cloud_traits[] = {
    {"vast", SIZE_IS_TOTAL | HOST_IS_A_BUCKET | NAME_IN_TYPE},
    {"primeintellect", SIZE_IS_TOTAL},
    {"runpod", RAM_MAY_BE_VRAM},
    {"paperspace", RAM_MAY_BE_VRAM},
    {"mithril", AUCTION},
};

/* The form of cards whose name does not tell; asked only when a name is ambiguous. First match counts; "" matches all. */
static const struct {
    const char *provider, *card;
    enum gpu_form form;
} form_hints[] = {
    {"", "P100", GPU_FORM_PCIE},     {"aws", "", GPU_FORM_SXM},         {"gcp", "", GPU_FORM_SXM},
    {"oci", "", GPU_FORM_SXM},       {"lambda", "", GPU_FORM_SXM},      {"nebius", "", GPU_FORM_SXM},
    {"do", "", GPU_FORM_SXM},        {"verda", "", GPU_FORM_SXM},       {"mithril", "", GPU_FORM_SXM},
    {"runpod", "", GPU_FORM_PCIE},   {"paperspace", "", GPU_FORM_PCIE}, {"ibm", "", GPU_FORM_PCIE},
    {"cudo", "", GPU_FORM_PCIE},     {"azure", "", GPU_FORM_PCIE},      {"ovhcloud", "", GPU_FORM_PCIE},
    {"scaleway", "", GPU_FORM_PCIE}, {"hyperstack", "", GPU_FORM_PCIE},
};

enum {
    A10_SLICE_VCPUS = 36, /* of the Azure machine type that has one whole A10 */
    BUCKET_VCPUS = 32,    /* what the query for Vast rows asked for */
    BUCKET_RAM_GIB = 64,
};

void sky_end(struct sky *s) {
    idmap_free(&s->by_id);
    free(s->hosts);
    free(s->parts);
    reader_end(&s->base);
}

static unsigned traits_of(const char *provider) {
    for (size_t i = 0; i < sizeof cloud_traits / sizeof *cloud_traits; i++)
        if (strcmp(cloud_traits[i].provider, provider) == 0)
            return cloud_traits[i].traits;
    return 0;
}

static enum gpu_form hint_of(const char *provider, const char *card) {
    for (size_t i = 0; i < sizeof form_hints / sizeof *form_hints; i++) {
        bool here = !*form_hints[i].provider || strcmp(form_hints[i].provider, provider) == 0;
        if (here && (!*form_hints[i].card || strcmp(form_hints[i].card, card) == 0))
            return form_hints[i].form;
    }
    return GPU_FORM_UNKNOWN;
}

/* Vast: "4x-RTX_5070_Ti-32-65536" -> "RTX_5070_Ti". 0 when there is none. */
static uint32_t name_in_type(struct reader *r, uint32_t machine) {
    const char *s = strchr(reader_str(r, machine), '-');
    const char *end = s ? strchr(s + 1, '-') : NULL;
    return s ? reader_text(r, s + 1, end ? (size_t)(end - s - 1) : strlen(s + 1)) : 0;
}

/* The VRAM of one GPU in GB that makes sense for this card, whatever the column meant. */
static double vram_of(struct reader *r, struct offer *f, const struct card *card, const struct gpu_info *info,
                      double count, unsigned traits) {
    double gb = info->size_mib / 1024, total = info->total_mib / 1024;
    double as_total[] = {gb / count, total / count, gb, gb / (count * count), info->size_mib};
    double as_each[] = {gb, total / count, gb / count, gb / (count * count), info->size_mib};
    const double *sizes = traits & SIZE_IS_TOTAL ? as_total : as_each;
    double vram = card_vram(card, r->ctx->catalog, sizes, sizeof as_each / sizeof *as_each);
    if (!num_known(info->size_mib))
        return NUM_UNKNOWN;
    if (!num_known(vram))
        f->flags |= OFFER_VRAM_CONFLICT;
    else if (fabs(vram - gb) > 0.5)
        f->flags |= OFFER_UNIT_GUESS;
    return vram;
}

/* Names in the order of trust: the vendor's own, the one inside GpuInfo, the catalogue's. The first that is one card counts. */
static struct card find_card(struct reader *r, struct offer *f, const struct sky_row *row, const struct gpu_info *info,
                             unsigned traits) {
    const char *provider = reader_str(r, row->provider), *name = reader_str(r, row->card);
    uint32_t names[3] = {traits & NAME_IN_TYPE ? name_in_type(r, row->machine) : 0,
                         info->name[0] ? reader_text(r, info->name, strlen(info->name)) : 0, row->card};
    enum gpu_form form = form_of_text(name), type_form = form_of_text(reader_str(r, row->machine));
    struct card best = {.gpu = -1, .flags = OFFER_GPU_UNKNOWN};
    if (form == GPU_FORM_UNKNOWN)
        form = form_of_text(info->name);
    if (form == GPU_FORM_UNKNOWN)
        form = type_form;
    if (form != type_form && (form == GPU_FORM_SXM || type_form == GPU_FORM_SXM) && type_form != GPU_FORM_UNKNOWN)
        f->flags |= OFFER_FORM_CONFLICT; /* "gpu_1x_a100_SXM4" with an "A100_80G_PCIE" */
    for (size_t i = 0; i < 3; i++) {
        if (names[i] == 0)
            continue;
        struct card card = reader_card(r, names[i], NUM_UNKNOWN, form);
        if (card.flags & OFFER_GPU_UNKNOWN)
            continue;
        double vram = vram_of(r, f, &card, info, row->count, traits);
        if (num_known(vram))
            card = reader_card(r, names[i], vram, form);
        if ((card.flags & OFFER_GPU_AMBIGUOUS) && form == GPU_FORM_UNKNOWN) {
            struct card hinted = reader_card(r, names[i], vram, hint_of(provider, name));
            card = hinted.gpu >= 0 ? hinted : card;
        }
        f->vram_gb = (float)(round(vram * 100) / 100); /* MiB counts have no more to say */
        best = card;
        if (!(card.flags & OFFER_GPU_AMBIGUOUS))
            break;
    }
    if (best.flags & OFFER_GPU_UNKNOWN)
        return reader_card(r, row->card, NUM_UNKNOWN, form); /* the class of what is no GPU */
    f->form = (uint8_t)form;
    return best;
}

/* A slice of a card that SkyPilot counts as one. False: the row cannot be used. */
static bool settle_slice(struct reader *r, struct offer *f, const struct sky_row *row) {
    const char *machine = reader_str(r, row->machine);
    f->gpus = row->count < 1 ? 1 : (uint16_t)row->count;
    f->gpu_fraction = row->count < 1 ? (float)row->count : 1;
    if (strcmp(reader_str(r, row->provider), "azure") != 0)
        return true;
    if (text_contains_fold(reader_str(r, row->card), "MI25")) {
        reader_problem(r, "AcceleratorCount", true, "slices of a Radeon MI25 for graphics, counted as whole cards");
        return false;
    }
    if (strstr(machine, "_A10_v5") && row->vcpus < A10_SLICE_VCPUS)
        f->gpu_fraction = (float)(row->vcpus / A10_SLICE_VCPUS);
    return true;
}

static double vram_sum(const struct reader *r, const struct offer *f) {
    double each = (double)f->vram_gb;
    if (!num_known(each) && f->gpu >= 0)
        each = catalog_gpu(r->ctx->catalog, (size_t)f->gpu)->vram_gb;
    return each * f->gpus;
}

static void settle_host(struct reader *r, struct offer *f, const struct sky_row *row, unsigned traits) {
    f->cpu_cores = host_number(row->vcpus, CPU_CORES_MOST);
    f->ram_gb = host_number(row->ram_gib, RAM_GB_MOST);
    double vram = vram_sum(r, f);
    bool repeats_vram = num_known(vram) && fabs(row->ram_gib - vram) <= 0.02 * vram;
    if (traits & HOST_IS_A_BUCKET) {
        /* The old schema put GPU memory under MemoryGiB and host memory under vCPUs; the new one holds only the filter. */
        bool bucket = row->vcpus == BUCKET_VCPUS && row->ram_gib == BUCKET_RAM_GIB;
        bool swapped = repeats_vram && !bucket;
        f->ram_gb = swapped ? host_number(row->vcpus, RAM_GB_MOST) : NAN;
        f->cpu_cores = NAN;
        f->flags |= swapped ? OFFER_UNIT_GUESS | OFFER_RAM_SUSPECT : OFFER_RAM_SUSPECT;
    } else if ((traits & RAM_MAY_BE_VRAM) && repeats_vram) {
        f->ram_gb = NAN;
        f->flags |= OFFER_RAM_SUSPECT;
    }
}

static void settle_price(struct reader *r, struct offer *f, const struct sky_row *row, unsigned traits) {
    f->rate_kind = (uint8_t)row->kind;
    f->rate_microusd = money_micro(row->rate);
    f->spot_microusd = money_micro(row->spot);
    if (!num_known(row->rate) && f->spot_microusd > 0) { /* offered as spot only */
        f->rate_kind = RATE_SPOT;
        f->rate_microusd = f->spot_microusd;
        f->spot_microusd = 0;
    }
    if (traits & AUCTION) {
        f->rate_kind = RATE_BID_FLOOR;
        f->spot_microusd = 0;
        f->flags |= OFFER_AUCTION_FLOOR;
    }
    reader_set_currency(r, f);
}

static int64_t lower_price(int64_t a, int64_t b) {
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/*
 * Rows that differ only in their zone are one offer of the region, at the best zone's price. Without a zone, two prices are a
 * contradiction, which listing_check() deals with.
 */
static bool merge_zone(struct sky *s, const struct offer *f, uint32_t zone) {
    uint32_t *at = idmap_at(&s->by_id, (uint64_t)f->id + 1);
    if (*at == UINT32_MAX) {
        *at = (uint32_t)s->base.out->count;
        return false;
    }
    struct offer *first = &s->base.out->items[*at];
    if (zone == 0 && first->rate_microusd != f->rate_microusd)
        return false;
    first->rate_microusd = lower_price(first->rate_microusd, f->rate_microusd);
    first->spot_microusd = lower_price(first->spot_microusd, f->spot_microusd);
    return true;
}

void sky_add(struct sky *s, const struct sky_row *row) {
    struct reader *r = &s->base;
    struct offer f = offer_empty;
    if (!num_known(row->count) || row->count <= 0 || row->count > 4096) {
        reader_problem(r, "AcceleratorCount", true, "must be a number over 0");
        return;
    }
    unsigned traits = traits_of(reader_str(r, row->provider));
    f.source = row->source;
    f.provider = row->provider;
    f.machine = row->machine;
    f.region = row->region;
    f.gpu_raw = row->card;
    f.observed_at = row->observed_at;
    f.file = r->file;
    f.line = (int32_t)r->line;
    if (!settle_slice(r, &f, row))
        return;
    struct card card = find_card(r, &f, row, row->info, traits);
    if (!reader_set_card(r, &f, &card))
        return;
    reader_apply_machine(r, &f);
    settle_host(r, &f, row, traits);
    settle_price(r, &f, row, traits);
    if (f.gpu_fraction < 1.0f)
        f.flags |= OFFER_FRACTION;
    offers_make_id(r->out, &f);
    if (!merge_zone(s, &f, row->zone))
        *offers_add(r->out) = f;
}
