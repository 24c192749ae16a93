/* SPDX-License-Identifier: MIT */
/* What the tables say about a provider and a machine type, asked once per pair of interned texts. */
#include "listing/reader.h"

/* Names of machines that are remembered. A list with more has hardly any twice: then remembering costs more than asking. */
enum { MANY_MACHINES = 65536 };

void lookup_free(struct lookup *l) {
    idmap_free(&l->providers);
    idmap_free(&l->machines);
}

const struct provider *lookup_provider(struct lookup *l, const struct listing_context *ctx, const struct offers *o,
                                       uint32_t provider) {
    if (!ctx->providers)
        return NULL;
    uint32_t *at = idmap_at(&l->providers, (uint64_t)provider + 1);
    if (*at == UINT32_MAX) {
        const struct provider *p = providers_find(ctx->providers, offers_text(o, provider));
        uint32_t i = 0;
        while (providers_at(ctx->providers, i) != p)
            i++;
        *at = i;
    }
    return providers_at(ctx->providers, *at);
}

const struct machine *lookup_machine(struct lookup *l, const struct listing_context *ctx, const struct offers *o,
                                     uint32_t provider, uint32_t machine) {
    enum { ABSENT = UINT32_MAX - 1 };
    if (machine == 0 || provider == 0)
        return NULL;
    if (l->machines.count > MANY_MACHINES)
        return catalog_machine(ctx->catalog, offers_text(o, provider), offers_text(o, machine));
    uint32_t *at = idmap_at(&l->machines, (uint64_t)provider << 32 | machine);
    if (*at == UINT32_MAX) {
        const struct machine *m = catalog_machine(ctx->catalog, offers_text(o, provider), offers_text(o, machine));
        uint32_t i = 0;
        while (m && catalog_machine_at(ctx->catalog, i) != m)
            i++;
        *at = m ? i : ABSENT;
    }
    return *at == ABSENT ? NULL : catalog_machine_at(ctx->catalog, *at);
}
