/* SPDX-License-Identifier: MIT */
/* After reading: what an offer leaves open is completed from tables, contradictions are flagged. Doing it twice changes nothing. */
#include "listing/check.h"

#include <math.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/oci.h"

enum { STALE_S = 45 * 86400 };

bool listing_is_stale(int64_t observed_at, int64_t now) {
    return observed_at > 0 && now > 0 && now - observed_at > STALE_S;
}

/* A board of this many SXM or OAM cards is always the switched (or fully meshed) one. */
enum { WHOLE_BOARD = 8 };

static void complete_host_class(struct offer *f, const struct provider *p) {
    if (f->host_class >= HOST_CLASS_COUNT)
        f->host_class = (uint8_t)(p ? p->host_class : HOST_MARKET_UNVERIFIED);
}

static void set_link(struct offer *f, enum link_kind link, double gbs, enum provenance source) {
    f->link = (uint8_t)link;
    f->link_source = (uint8_t)source;
    if (num_known(gbs) && gbs > 0 && isnan(f->link_gbs)) /* what is stated stays */
        f->link_gbs = (float)gbs;
}

static void complete_link(struct offer *f, const struct gpu *g, const struct machine *m) {
    if (f->gpus <= 1) {
        set_link(f, LINK_NONE, NUM_UNKNOWN, PROVENANCE_INFERRED);
        f->link_gbs = NAN; /* of a slice of a larger machine: nobody to talk to */
        return;
    }
    if (f->link != LINK_UNKNOWN && f->link != LINK_NONE) {
        if (g && !link_possible(g, (enum link_kind)f->link, f->gpus))
            f->flags |= OFFER_FORM_CONFLICT;
        return;
    }
    if (m && m->gpus == f->gpus && m->link != LINK_UNKNOWN && m->link != LINK_NONE)
        set_link(f, m->link, m->link_gbs, PROVENANCE_INFERRED);
    else if (g && (g->form == GPU_FORM_SXM || g->form == GPU_FORM_OAM) && f->gpus >= WHOLE_BOARD)
        set_link(f, link_by_product(g, f->gpus), NUM_UNKNOWN, PROVENANCE_INFERRED);
    else if (g)
        set_link(f, link_by_product(g, f->gpus), NUM_UNKNOWN, PROVENANCE_ASSUMED);
    else
        set_link(f, LINK_UNKNOWN, NUM_UNKNOWN, PROVENANCE_UNKNOWN);
}

static void complete_network(struct offer *f, const struct machine *m) {
    if (f->network != NETWORK_UNKNOWN || !m || m->gpus != f->gpus || m->network == NETWORK_UNKNOWN)
        return;
    f->network = (uint8_t)m->network;
    f->network_source = PROVENANCE_INFERRED;
    if (isnan(f->network_gbps))
        f->network_gbps = (float)m->network_gbps;
}

static void complete_host(struct offer *f, const struct machine *m) {
    if (!m || m->gpus != f->gpus)
        return;
    if (isnan(f->cpu_cores))
        f->cpu_cores = (float)m->vcpus;
    if (isnan(f->ram_gb))
        f->ram_gb = (float)m->ram_gib;
    if (isnan(f->disk_local_gb))
        f->disk_local_gb = (float)m->disk_local_gb;
}

static void complete_card(struct offer *f, const struct gpu *g) {
    if (!g)
        return;
    if (f->form == GPU_FORM_UNKNOWN)
        f->form = (uint8_t)g->form;
    bool listed_board = f->form == GPU_FORM_SXM || f->form == GPU_FORM_OAM,
         board = g->form == GPU_FORM_SXM || g->form == GPU_FORM_OAM;
    bool listed_card = f->form == GPU_FORM_PCIE || f->form == GPU_FORM_NVL,
         card = g->form == GPU_FORM_PCIE || g->form == GPU_FORM_NVL;
    if ((listed_board && card) || (listed_card && board))
        f->flags |= OFFER_FORM_CONFLICT;
    /* smaller than the card: a slice, or another card of that name; larger: a sum or a mistake */
    double listed = (double)f->vram_gb;
    if (num_known(listed) && g->vram_gb > 0 && f->gpu_fraction == 1.0f && fabs(listed / g->vram_gb - 1) > 0.07 &&
        fabs(listed / g->vram_gib_usable - 1) > 0.07)
        f->flags |= OFFER_VRAM_CONFLICT;
    if (f->gpu_fraction < 1.0f)
        f->flags |= OFFER_FRACTION;
}

static void flag_count(struct offer *f, const struct gpu *g, const struct machine *m) {
    if (m && m->gpu && m->gpu == g && m->gpus != f->gpus && f->gpu_fraction == 1.0f)
        f->flags |= OFFER_COUNT_CONFLICT;
}

static void flag_price(struct offers *o, struct offer *f) {
    const char *currency = offers_text(o, offer_extra(o, f)->currency);
    if (f->rate_microusd == 0)
        f->flags |= OFFER_ZERO_PRICE;
    if (f->spot_microusd > 0 && f->rate_microusd > 0 && f->rate_kind == RATE_ON_DEMAND &&
        f->spot_microusd >= f->rate_microusd)
        f->flags |= OFFER_SPOT_GE_ON_DEMAND;
    if (*currency && !text_equal_fold(currency, "USD"))
        f->flags |= OFFER_CURRENCY_UNKNOWN;
}

static void flag_age(const struct listing_context *ctx, const struct offers *o, struct offer *f) {
    if (ctx->now == 0)
        return;
    f->flags &= ~(uint32_t)(OFFER_STALE | OFFER_EXPIRED);
    if (listing_is_stale(f->observed_at, ctx->now))
        f->flags |= OFFER_STALE;
    int64_t expires = offer_extra(o, f)->expires_at;
    if (expires > 0 && expires < ctx->now)
        f->flags |= OFFER_EXPIRED;
}

void check_complete(const struct listing_context *ctx, struct offers *o) {
    struct lookup lookup = {0};
    for (size_t i = 0; i < o->count; i++) {
        struct offer *f = &o->items[i];
        const struct gpu *g = f->gpu >= 0 ? catalog_gpu(ctx->catalog, (size_t)f->gpu) : NULL;
        const struct machine *m = lookup_machine(&lookup, ctx, o, f->provider, f->machine);
        complete_host_class(f, lookup_provider(&lookup, ctx, o, f->provider));
        complete_card(f, g);
        complete_link(f, g, m);
        complete_network(f, m);
        complete_host(f, m);
        flag_count(f, g, m);
        flag_price(o, f);
        flag_age(ctx, o, f);
        if (f->observed_at > o->observed_at)
            o->observed_at = f->observed_at;
    }
    lookup_free(&lookup);
}

/* A row with two prices is two offers. The first keeps the spot price as listed; a filler makes no offer. */
void check_split_spot(struct offers *o) {
    size_t count = o->count;
    for (size_t i = 0; i < count; i++) {
        const struct offer *f = &o->items[i];
        if (f->spot_microusd == 0 || f->rate_kind != RATE_ON_DEMAND || f->spot_microusd >= f->rate_microusd)
            continue;
        uint32_t known = intern_count(o->text);
        struct offer spot = *f;
        spot.id = offers_put_id(o, offers_text(o, f->id), ":spot");
        if (spot.id < known)
            continue; /* split before */
        spot.rate_kind = RATE_SPOT;
        spot.rate_microusd = f->spot_microusd;
        spot.spot_microusd = 0;
        *offers_add(o) = spot;
    }
}

void listing_check(const struct listing_context *ctx, struct offers *o) {
    oci_finish(o);
    check_duplicates(o);
    check_split_spot(o);
    intern_trim(o->text); /* no new texts from here on, and what comes needs the room */
    check_complete(ctx, o);
    check_overlaps(o);
    check_prices(ctx, o);
}
