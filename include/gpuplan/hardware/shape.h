/* SPDX-License-Identifier: MIT */
/*
 * The part of an offer that an estimate depends on. Offers of one shape share one estimate. Made from an offer by
 * listing/, from a measurement row by estimate/, or by hand for what-if.
 */
#ifndef GPUPLAN_HARDWARE_SHAPE_H
#define GPUPLAN_HARDWARE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpuplan/base/provenance.h"
#include "gpuplan/hardware/gpu.h"
#include "gpuplan/hardware/link.h"

struct shape {
    const struct gpu *gpu;
    int gpus;               /* in one node, >= 1 */
    int nodes;              /* >= 1 */
    double vram_gib;        /* usable by one GPU: gpu->vram_gib_usable unless the listing's card is modified or sliced */
    double power_limit_w;   /* NUM_UNKNOWN = the card's TDP */
    enum link_kind link;    /* LINK_NONE for one GPU */
    double link_gbs;        /* stated; NUM_UNKNOWN = the table */
    enum provenance link_source;
    int pcie_gen, pcie_lanes; /* 0 = the card's own */
    enum network_kind network;
    double network_gbps;    /* per node; NUM_UNKNOWN */
    enum provenance network_source;
};

/*
 * Same key ⇔ same estimate: GPU, count, nodes, VRAM, power limit, link kind, bandwidth in 5 % log steps and
 * whether anybody stated it, PCIe generation and lanes, network class. What one GPU or one node has no use for
 * does not count.
 */
uint64_t shape_key(const struct shape *s, int gpu_index);
/*
 * Moves bandwidths and the power limit to the middle of their 5 % step and clears what an estimate of this shape
 * does not look at, so that the estimate of a key does not depend on which of its offers came first.
 */
void shape_snap(struct shape *s);

#endif
