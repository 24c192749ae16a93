/* SPDX-License-Identifier: MIT */
/*
 * How GPUs talk. Link: inside a node. Network: between nodes. Bandwidths are effective "bus bandwidth" of
 * nccl-tests per GPU for large messages, GB/s (data/links.csv: low / expected / high, latency, source).
 */
#ifndef GPUPLAN_HARDWARE_LINK_H
#define GPUPLAN_HARDWARE_LINK_H

#include "gpuplan/base/num.h"
#include "gpuplan/hardware/gpu.h"

enum link_kind {
    LINK_NVSWITCH,
    LINK_NVLINK_MESH,
    LINK_NVLINK_BRIDGE,
    LINK_XGMI,
    LINK_PCIE,
    LINK_PCIE_HOST,
    LINK_NONE,
    LINK_UNKNOWN,
    LINK_COUNT
};
enum network_kind {
    NETWORK_INFINIBAND,
    NETWORK_ROCE,
    NETWORK_EFA,
    NETWORK_ETHERNET,
    NETWORK_NONE,
    NETWORK_UNKNOWN,
    NETWORK_COUNT
};

const char *link_name(enum link_kind k);       /* "nvswitch" … as in the files */
int link_find(const char *name);               /* -1 */
const char *network_name(enum network_kind k);
int network_find(const char *name);

/* Bandwidth of one link between n GPUs of one node. */
struct link_speed {
    struct range ring_gbs;      /* all-gather, reduce-scatter, all-to-all; ring all-reduce */
    struct range allreduce_gbs; /* all-reduce: NVLS lifts it from 5 (Hopper) or 6 (Blackwell) GPUs on NVSwitch */
    double latency_s;           /* of a small all-reduce between n GPUs */
    double pair_gbs;            /* inside a bridged pair (LINK_NVLINK_BRIDGE); else = ring */
    const char *source;         /* row of data/links.csv, "declared", "measured" */
};

struct catalog;
/*
 * Speed of `kind` between n (>= 2) GPUs of type g. gbs_stated: what the listing declares or measured (GB/s one
 * direction per GPU; NUM_UNKNOWN: the table): an upper bound, since nominal figures lie above what collectives
 * reach; a lower one caps the table's. LINK_UNKNOWN, LINK_NONE and a kind that such cards cannot have are
 * evaluated as link_worst(); peer-to-peer of GeForce has a speed all the same, since patched drivers are a case
 * that risk weighs. LINK_NVLINK_BRIDGE with n > 2: rings leave the pair, so ring_gbs is the PCIe figure and
 * pair_gbs the bridge's. pcie_gen, pcie_lanes: 0 = the card's own.
 */
struct link_speed link_speed(const struct catalog *c, const struct gpu *g, enum link_kind kind, int n,
                             double gbs_stated, int pcie_gen, int pcie_lanes);

/*
 * Effective GB/s per node over the network (all NICs; the share of the line rate that collectives reach is already
 * in), and latency of one step. gbps NUM_UNKNOWN: the kind's default for nodes of such GPUs. NETWORK_NONE: all
 * zero.
 */
struct network_speed {
    struct range node_gbs;
    double latency_s;
    const char *source;
};
struct network_speed network_speed(const struct catalog *c, enum network_kind kind, double gbps, const struct gpu *g);

/* The worst link that n GPUs of type g can have in one box: what an unverified claim is tested against. */
enum link_kind link_worst(const struct gpu *g, int n);
/*
 * Whether such a link can exist at all between n such cards (a claim that cannot is flagged). GeForce
 * peer-to-peer: no.
 */
bool link_possible(const struct gpu *g, enum link_kind kind, int n);
/* By product alone, when neither the listing nor a machine type says: SXM -> nvswitch, GeForce -> pcie_host, … */
enum link_kind link_by_product(const struct gpu *g, int n);
/*
 * Whether this kind is an "island" that tensor parallelism may span cheaply (NVSwitch, mesh, xGMI; a bridge for
 * 2).
 */
int link_island(enum link_kind kind, int n); /* GPUs in the fast island, >= 1 */

#endif
