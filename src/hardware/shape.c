/* SPDX-License-Identifier: MIT */
#include "gpuplan/hardware/shape.h"

#include <math.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/num.h"

/* Bandwidths this near have one estimate: far below what is known about any of them. */
static const double step = 0.05;

enum { UNSTATED = INT16_MIN };

static int step_of(double x) {
    if (!num_known(x) || x <= 0)
        return UNSTATED;
    return (int)lround(log(x) / log1p(step));
}

static double middle_of(int k) {
    return k == UNSTATED ? NUM_UNKNOWN : exp(k * log1p(step));
}

static double snap(double x) {
    return middle_of(step_of(x));
}

void shape_snap(struct shape *s) {
    s->link_gbs = snap(s->link_gbs);
    s->network_gbps = snap(s->network_gbps);
    s->power_limit_w = snap(s->power_limit_w);
    if (s->gpus < 2) {
        s->link = LINK_NONE;
        s->link_gbs = NUM_UNKNOWN;
        s->link_source = PROVENANCE_INFERRED;
    }
    if (s->nodes < 2) {
        s->network = NETWORK_NONE;
        s->network_gbps = NUM_UNKNOWN;
        s->network_source = PROVENANCE_INFERRED;
    }
}

/* Ranges are wider for links that nobody stated and no table names. */
static bool is_guess(enum provenance p) {
    return p >= PROVENANCE_ASSUMED;
}

uint64_t shape_key(const struct shape *shape, int gpu_index) {
    struct shape s = *shape;
    shape_snap(&s);
    int32_t parts[] = {
        gpu_index,
        s.gpus,
        s.nodes,
        (int32_t)lround(s.vram_gib * 64), /* 16 MiB */
        step_of(s.power_limit_w),
        s.link,
        step_of(s.link_gbs),
        is_guess(s.link_source),
        s.pcie_gen,
        s.pcie_lanes,
        s.network,
        step_of(s.network_gbps),
        is_guess(s.network_source),
    };
    return hash_bytes(parts, sizeof parts, 0);
}
