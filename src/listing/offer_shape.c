/* SPDX-License-Identifier: MIT */
/* What an estimate depends on, taken from an offer. */
#include "gpuplan/listing/offer.h"

double offer_vram_gb(const struct gpu *g, const struct offer *f) {
    static const double rounded = 0.97; /* 22 for 22.5 */
    double listed = (double)f->vram_gb;
    if (!g)
        return listed;
    if (!num_known(listed))
        return f->gpu_fraction < 1.0f ? g->vram_gb * (double)f->gpu_fraction : g->vram_gb;
    return listed < g->vram_gb && listed >= rounded * g->vram_gib_usable ? g->vram_gb : listed;
}

/*
 * A listing rounds (80 for 79.25 usable), so the card's own figure counts unless the listed one is another size: a slice,
 * or a modified card. What the driver keeps for itself is then in proportion.
 */
static double usable_vram_gib(const struct gpu *g, const struct offer *f) {
    double gb = offer_vram_gb(g, f);
    if (gb > g->vram_gb * 0.93 || g->vram_gb <= 0)
        return g->vram_gib_usable;
    return g->vram_gib_usable * gb / g->vram_gb;
}

bool offer_shape(const struct catalog *c, const struct offers *o, const struct offer *f, int nodes, struct shape *out) {
    if (f->gpu < 0 || (size_t)f->gpu >= catalog_gpu_count(c))
        return false;
    const struct gpu *g = catalog_gpu(c, (size_t)f->gpu);
    *out = (struct shape){
        .gpu = g,
        .gpus = f->gpus,
        .nodes = nodes < 1 ? 1 : nodes,
        .vram_gib = usable_vram_gib(g, f),
        .power_limit_w = offer_extra(o, f)->power_limit_w,
        .link = f->gpus > 1 ? (enum link_kind)f->link : LINK_NONE,
        .link_gbs = f->gpus > 1 ? (double)f->link_gbs : NUM_UNKNOWN,
        .link_source = (enum provenance)f->link_source,
        .pcie_gen = f->pcie_gen,
        .pcie_lanes = f->pcie_lanes,
        .network = (enum network_kind)f->network,
        .network_gbps = (double)f->network_gbps,
        .network_source = (enum provenance)f->network_source,
    };
    return true;
}
