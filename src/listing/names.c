/* SPDX-License-Identifier: MIT */
/* The words of the enumerations, as they stand in the files. */
#include "gpuplan/base/text.h"
#include "gpuplan/listing/offer.h"

static const char *const basis_names[RATE_BASIS_COUNT] = {
    [RATE_MACHINE] = "machine",
    [RATE_GPU] = "gpu",
    [RATE_COMPONENT] = "component",
};

static const char *const kind_names[RATE_KIND_COUNT] = {
    [RATE_ON_DEMAND] = "on_demand",
    [RATE_SPOT] = "spot",
    [RATE_RESERVED] = "reserved",
    [RATE_BID_FLOOR] = "bid_floor",
};

static const char *const access_names[ACCESS_COUNT] = {
    [ACCESS_UNKNOWN] = "unknown",   [ACCESS_NOW] = "now",     [ACCESS_QUOTA] = "quota",
    [ACCESS_WAITLIST] = "waitlist", [ACCESS_SALES] = "sales",
};

static const char *const environment_names[ENVIRONMENT_COUNT] = {
    [ENVIRONMENT_UNKNOWN] = "unknown",
    [ENVIRONMENT_BARE] = "bare",
    [ENVIRONMENT_VM] = "vm",
    [ENVIRONMENT_CONTAINER] = "container",
};

static const struct {
    enum offer_flag flag;
    const char *name;
} flag_names[] = {
    {OFFER_ZERO_PRICE, "zero_price"},
    {OFFER_SPOT_GE_ON_DEMAND, "spot_ge_on_demand"},
    {OFFER_DUPLICATE, "duplicate"},
    {OFFER_PRICE_CONFLICT, "price_conflict"},
    {OFFER_VRAM_CONFLICT, "vram_conflict"},
    {OFFER_FORM_CONFLICT, "form_conflict"},
    {OFFER_COUNT_CONFLICT, "count_conflict"},
    {OFFER_UNIT_GUESS, "unit_guess"},
    {OFFER_OVERLAP, "overlap"},
    {OFFER_CURRENCY_UNKNOWN, "currency_unknown"},
    {OFFER_GPU_AMBIGUOUS, "gpu_ambiguous"},
    {OFFER_GPU_UNKNOWN, "gpu_unknown"},
    {OFFER_RAM_SUSPECT, "ram_suspect"},
    {OFFER_PRICE_BAND, "price_band"},
    {OFFER_SUMMARY_ROW, "summary_row"},
    {OFFER_STALE, "stale"},
    {OFFER_EXPIRED, "expired"},
    {OFFER_AUCTION_FLOOR, "auction_floor"},
    {OFFER_FRACTION, "fraction"},
    {OFFER_COMPONENT_PART, "component_part"},
    {OFFER_BASIS_ASSUMED, "rate_basis_assumed"},
};

static int find_name(const char *const *names, int count, const char *s) {
    for (int i = 0; i < count; i++)
        if (text_equal_fold(names[i], s))
            return i;
    return -1;
}

_Static_assert(sizeof flag_names / sizeof *flag_names == OFFER_FLAG_COUNT, "every flag has a name");

const char *offer_flag_name(enum offer_flag flag) {
    for (size_t i = 0; i < sizeof flag_names / sizeof *flag_names; i++)
        if (flag_names[i].flag == flag)
            return flag_names[i].name;
    return "unknown";
}

uint32_t offer_flag_find(const char *s) {
    for (size_t i = 0; i < sizeof flag_names / sizeof *flag_names; i++)
        if (text_equal_fold(flag_names[i].name, s))
            return (uint32_t)flag_names[i].flag;
    return 0;
}

const char *rate_basis_name(enum rate_basis b) {
    return (unsigned)b < RATE_BASIS_COUNT ? basis_names[b] : "machine";
}

const char *rate_kind_name(enum rate_kind k) {
    return (unsigned)k < RATE_KIND_COUNT ? kind_names[k] : "on_demand";
}

const char *tri_name(enum tri t) {
    return t == TRI_YES ? "yes" : t == TRI_NO ? "no" : "unknown";
}

const char *access_name(enum access_kind a) {
    return (unsigned)a < ACCESS_COUNT ? access_names[a] : "unknown";
}

const char *environment_name(enum environment_kind e) {
    return (unsigned)e < ENVIRONMENT_COUNT ? environment_names[e] : "unknown";
}

int rate_basis_find(const char *s) {
    return find_name(basis_names, RATE_BASIS_COUNT, s);
}

int rate_kind_find(const char *s) {
    return find_name(kind_names, RATE_KIND_COUNT, s);
}

int access_find(const char *s) {
    return find_name(access_names, ACCESS_COUNT, s);
}

int environment_find(const char *s) {
    return find_name(environment_names, ENVIRONMENT_COUNT, s);
}
