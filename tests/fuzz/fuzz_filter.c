/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "gpuplan/base/text.h"
#include "gpuplan/decide/filter.h"
#include "gpuplan/listing/source.h"

static const char *const listing = "id,provider,machine,gpu,gpus,rate_usd_h,rate_kind,region,ram_gb\n"
                                   "a,lambda,m,A100-SXM4-80GB,8,14,on_demand,us,1800\n"
                                   "b,vast,n,RTX-4090,1,0.4,spot,eu,\n";

/* A filter or an error, never both; leaving out a clause never selects less. */
FUZZ(filter)
{
    static struct catalog *catalog;
    static struct providers *providers;
    static struct offers *offers;
    struct err err = {0};
    char text[512];
    size_t at = 0, n = len < sizeof text ? len : sizeof text - 1;

    if (offers == NULL) {
        catalog = catalog_load(NULL);
        providers = providers_load(NULL);
        offers = offers_new();
        const struct listing_context context = {.catalog = catalog, .providers = providers};
        FUZZ_ASSERT(listing_read(&context, listing, strlen(listing), "fuzz.csv", offers, &err));
        listing_check(&context, offers);
    }
    memcpy(text, bytes, n);
    text[n] = '\0';
    struct filter *f = filter_parse(text, &err, &at);
    FUZZ_ASSERT(at <= strlen(text));
    if (f == NULL) {
        FUZZ_ASSERT(err.code == ERR_USAGE && err.text[0] != '\0' && text_is_clean(err.text, strlen(err.text)));
        return 0;
    }
    for (size_t i = 0; i < offers->count; i++) {
        bool all = filter_match(f, catalog, offers, &offers->items[i]);
        for (size_t c = 0; c < filter_clauses(f); c++)
            FUZZ_ASSERT(!all || filter_match_without(f, c, catalog, offers, &offers->items[i]));
    }
    filter_free(f);
    return 0;
}
