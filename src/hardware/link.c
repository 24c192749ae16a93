/* SPDX-License-Identifier: MIT */
/* Words for links and networks, and which link which cards can have. */
#include "gpuplan/hardware/link.h"

#include "gpuplan/base/text.h"

static const char *const link_names[LINK_COUNT] = {
    "nvswitch", "nvlink_mesh", "nvlink_bridge", "xgmi", "pcie", "pcie_host", "none", "unknown",
};
static const char *const network_names[NETWORK_COUNT] = {"infiniband", "roce", "efa", "ethernet", "none", "unknown"};

enum {
    SXM_BOARD_GPUS = 8,      /* NVLink 4 and later: one HGX board a node */
    SXM_TWO_BOARD_GPUS = 16, /* NVLink 2 and 3: DGX-2, a2-megagpu join two boards */
    RACK_GPUS = 72,          /* NVL72: one NVLink domain over the trays of a rack */
    SMALL_BOARD_GPUS = 4,    /* direct mesh of A100 and H100; four-way bridge of H200 NVL */
    CUBE_MESH_GPUS = 8,      /* P100 and V100 */
};

static int find(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (text_equal_fold(names[i], name))
            return i;
    return -1;
}

const char *link_name(enum link_kind k) {
    return (unsigned)k < LINK_COUNT ? link_names[k] : link_names[LINK_UNKNOWN];
}

int link_find(const char *name) {
    return find(link_names, LINK_COUNT, name);
}

const char *network_name(enum network_kind k) {
    return (unsigned)k < NETWORK_COUNT ? network_names[k] : network_names[NETWORK_UNKNOWN];
}

int network_find(const char *name) {
    return find(network_names, NETWORK_COUNT, name);
}

static bool has_nvlink(const struct gpu *g) {
    return g->nvlink_gen > 0 && g->nvlink_links > 0;
}

static bool has_xgmi(const struct gpu *g) {
    return g->nvlink_gen == 0 && g->nvlink_links > 0;
}

/* V100-SXM2 and P100 boards have no switch; V100-SXM3 (DGX-2) and everything later has. */
static bool has_switch(const struct gpu *g) {
    if (g->form == GPU_FORM_SUPERCHIP)
        return g->nvlink_gen >= 4;
    bool sxm2 = g->nvlink_gen < 2 || (g->nvlink_gen == 2 && !text_equal_fold(g->form_text, "SXM3"));
    return g->form == GPU_FORM_SXM && has_nvlink(g) && !sxm2;
}

static int switch_gpus(const struct gpu *g) {
    if (g->form == GPU_FORM_SUPERCHIP)
        return RACK_GPUS;
    return g->nvlink_gen >= 4 ? SXM_BOARD_GPUS : SXM_TWO_BOARD_GPUS;
}

static int mesh_gpus(const struct gpu *g) {
    if (!has_nvlink(g))
        return 0;
    if (g->form == GPU_FORM_SXM)
        return g->nvlink_gen <= 2 ? CUBE_MESH_GPUS : g->nvlink_gen <= 4 ? SMALL_BOARD_GPUS : 0;
    return g->form == GPU_FORM_NVL && g->nvlink_links >= 18 ? SMALL_BOARD_GPUS : 0;
}

/* A module with its own host memory path: its GPUs never share a PCIe root. */
static bool is_module(const struct gpu *g) {
    return g->form == GPU_FORM_SUPERCHIP || g->form == GPU_FORM_SOC;
}

bool link_possible(const struct gpu *g, enum link_kind kind, int n) {
    if (kind == LINK_UNKNOWN)
        return true;
    if (n < 2 || kind == LINK_NONE)
        return n < 2 && kind == LINK_NONE;
    switch (kind) {
    case LINK_NVSWITCH:
        return has_switch(g) && n <= switch_gpus(g);
    case LINK_NVLINK_MESH:
        return n <= mesh_gpus(g);
    case LINK_NVLINK_BRIDGE:
        return has_nvlink(g) && (g->form == GPU_FORM_PCIE || g->form == GPU_FORM_NVL);
    case LINK_XGMI:
        return has_xgmi(g) && n <= g->nvlink_links + 1;
    case LINK_PCIE:
        return g->p2p_over_pcie && !g->geforce;
    case LINK_PCIE_HOST:
        return !is_module(g);
    default:
        return false;
    }
}

/*
 * A board's NVLink or xGMI may be kept from a guest, peer access may be off: everything in one box can be staged
 * through the host.
 */
enum link_kind link_worst(const struct gpu *g, int n) {
    if (n < 2)
        return LINK_NONE;
    return is_module(g) ? LINK_NVSWITCH : LINK_PCIE_HOST;
}

/* Peer access below one PCIe switch is the smaller part of rented PCIe machines, so that is not assumed. */
enum link_kind link_by_product(const struct gpu *g, int n) {
    static const enum link_kind soldered[] = {LINK_NVSWITCH, LINK_XGMI, LINK_NVLINK_MESH};
    if (n < 2)
        return LINK_NONE;
    if (g->form == GPU_FORM_NVL)
        return LINK_NVLINK_BRIDGE;
    bool board = g->form == GPU_FORM_SXM || g->form == GPU_FORM_OAM || g->form == GPU_FORM_SUPERCHIP;
    for (unsigned i = 0; board && i < sizeof soldered / sizeof *soldered; i++)
        if (link_possible(g, soldered[i], n))
            return soldered[i];
    return link_worst(g, n);
}

int link_island(enum link_kind kind, int n) {
    if (n < 2)
        return 1;
    switch (kind) {
    case LINK_NVSWITCH:
    case LINK_NVLINK_MESH:
    case LINK_XGMI:
        return n;
    case LINK_NVLINK_BRIDGE:
        return 2;
    default:
        return 1;
    }
}
