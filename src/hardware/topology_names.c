/* SPDX-License-Identifier: MIT */
/* Words for classes and paths, and machines drawn from what is claimed about them. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/hardware/topology.h"

static const char *const class_names[TOPOLOGY_CLASS_COUNT] = {
    "unknown",
    "single_gpu",
    "nvswitch_all_to_all",
    "nvswitch_all_to_all_degraded",
    "nvlink_direct_mesh",
    "hybrid_cube_mesh",
    "nvlink_bridge_pairs",
    "nvlink_bridge_pairs_partial",
    "nvlink_bridge_pairs_degraded",
    "nvlink_pairs_degraded",
    "nvlink_partial",
    "xgmi_all_to_all",
    "xgmi_hives",
    "amd_pcie",
    "pcie_switch",
    "pcie_switch_dual_socket",
    "pcie_host_bridge",
    "pcie_host_bridge_dual_socket",
    "cross_socket",
    "virtualised_hidden",
    "mig_partial_nvlink",
};
static const char *const path_names[PATH_COUNT] = {"X", "NV", "XGMI", "PIX", "PXB", "PHB", "NODE", "PCIE", "SYS", "?"};

const char *topology_class_name(enum topology_class c) {
    return (unsigned)c < TOPOLOGY_CLASS_COUNT ? class_names[c] : class_names[TOPOLOGY_UNKNOWN];
}

const char *topology_path_name(enum topology_path p) {
    return (unsigned)p < PATH_COUNT ? path_names[p] : path_names[PATH_UNKNOWN];
}

void topology_cell(const struct topology *t, int a, int b, char *out, size_t cap) {
    if (t->path[a][b] == PATH_NVLINK)
        snprintf(out, cap, "NV%d", t->links[a][b]);
    else
        snprintf(out, cap, "%s", topology_path_name((enum topology_path)t->path[a][b]));
}

/*
 * What such a link usually looks like. NVLink boards of 8 P100 or V100 join each GPU with four others: with three of its quad and
 * with its counterpart in the other one.
 */
static bool cube_joined(int a, int b) {
    return a / 4 == b / 4 || a % 4 == b % 4;
}

static void assume_pair(const struct gpu *g, enum link_kind link, int gpus, int a, int b, struct topology *t) {
    enum topology_path path = PATH_UNKNOWN;
    int links = g->nvlink_links;
    switch (link) {
    case LINK_NVSWITCH:
        path = PATH_NVLINK;
        break;
    case LINK_NVLINK_MESH: {
        bool cube = g->nvlink_gen <= 2 && gpus > 4;
        path = !cube || cube_joined(a, b) ? PATH_NVLINK : PATH_NODE;
        links = cube ? 1 : links / 3;
        break;
    }
    case LINK_NVLINK_BRIDGE:
        path = a / 2 == b / 2 ? PATH_NVLINK : PATH_NODE;
        break;
    case LINK_XGMI:
        path = PATH_XGMI;
        break;
    case LINK_PCIE:
        path = PATH_PXB;
        break;
    case LINK_PCIE_HOST:
        path = gpus > 4 && a / ((gpus + 1) / 2) != b / ((gpus + 1) / 2) ? PATH_SYS : PATH_NODE;
        break;
    default:
        break;
    }
    t->path[a][b] = t->path[b][a] = (uint8_t)path;
    t->links[a][b] = t->links[b][a] = path == PATH_NVLINK ? (uint8_t)links : 0;
}

void topology_assume(const struct gpu *g, enum link_kind link, int gpus, struct topology *out) {
    memset(out, 0, sizeof *out);
    out->vendor = g->nvlink_gen == 0 && g->nvlink_links > 0 ? TOPOLOGY_AMD : TOPOLOGY_NVIDIA;
    out->gpus = out->rows = gpus < TOPOLOGY_MAX_GPUS ? gpus : TOPOLOGY_MAX_GPUS;
    for (int i = 0; i < TOPOLOGY_MAX_GPUS; i++) {
        out->gpu[i].links_up = -1;
        out->gpu[i].power_limit_w = out->gpu[i].power_max_w = NUM_UNKNOWN;
    }
    for (int i = 0; i < out->gpus; i++) {
        snprintf(out->gpu[i].name, sizeof out->gpu[i].name, "%s", g->name);
        for (int k = i + 1; k < out->gpus; k++)
            assume_pair(g, link, out->gpus, i, k, out);
    }
}
