/* SPDX-License-Identifier: MIT */
/*
 * Who sits next to whom on a machine that somebody looked at: the matrix of `nvidia-smi topo -m` or `rocm-smi --showtopo`, read
 * as people paste it, and what it means. Reading keeps what was said (and notes what it could not understand); judging gives
 * the class, the link to plan with and a quality. Notes are codes; report/ makes the sentences.
 */
#ifndef GPUPLAN_HARDWARE_TOPOLOGY_H
#define GPUPLAN_HARDWARE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpuplan/base/err.h"
#include "gpuplan/hardware/catalog.h"

enum { TOPOLOGY_MAX_GPUS = 64, TOPOLOGY_MAX_NICS = 128, TOPOLOGY_MAX_NOTES = 24 };

/* Best to worst. PCIE: xGMI machines that say no more than that. */
enum topology_path {
    PATH_SELF,
    PATH_NVLINK,
    PATH_XGMI,
    PATH_PIX,
    PATH_PXB,
    PATH_PHB,
    PATH_NODE,
    PATH_PCIE,
    PATH_SYS,
    PATH_UNKNOWN,
    PATH_COUNT
};
const char *topology_path_name(enum topology_path p); /* "X" "NV" "XGMI" "PIX" … "?" */

enum topology_class {
    TOPOLOGY_UNKNOWN,
    TOPOLOGY_SINGLE_GPU,
    TOPOLOGY_NVSWITCH,
    TOPOLOGY_NVSWITCH_DEGRADED,
    TOPOLOGY_DIRECT_MESH,
    TOPOLOGY_CUBE_MESH,
    TOPOLOGY_BRIDGE_PAIRS,
    TOPOLOGY_BRIDGE_PAIRS_PARTIAL,
    TOPOLOGY_BRIDGE_PAIRS_DEGRADED,
    TOPOLOGY_PAIRS_DEGRADED, /* pairs on a board that should join all */
    TOPOLOGY_NVLINK_PARTIAL, /* some pairs joined, in no known pattern */
    TOPOLOGY_XGMI,
    TOPOLOGY_XGMI_HIVES,
    TOPOLOGY_AMD_PCIE,
    TOPOLOGY_PCIE_SWITCH,
    TOPOLOGY_PCIE_SWITCH_DUAL,
    TOPOLOGY_HOST_BRIDGE,
    TOPOLOGY_HOST_BRIDGE_DUAL,
    TOPOLOGY_CROSS_SOCKET,
    TOPOLOGY_HIDDEN, /* a guest is shown a made-up machine */
    TOPOLOGY_MIG,    /* matrix not symmetric, or slices of cards */
    TOPOLOGY_CLASS_COUNT
};
const char *topology_class_name(enum topology_class c); /* "nvswitch_all_to_all" … */

enum topology_note_code {
    /* of reading: line and token, or a of b */
    NOTE_TOKEN,         /* line, token: a cell that means nothing */
    NOTE_SHORT_ROW,     /* line, a of b cells */
    NOTE_TRUNCATED,     /* a of b rows */
    NOTE_SECOND_MATRIX, /* line: only the first one counts */
    NOTE_TOO_MANY,      /* line: more GPUs or NICs than are kept */
    NOTE_LONG_LINE,     /* line */
    /* of judging: GPUs a and b, or a of b links */
    NOTE_ASYMMETRIC,
    NOTE_MIG_MODE,
    NOTE_CARD_UNKNOWN, /* how many NVLinks there should be is not known */
    NOTE_CARD_OPEN,    /* token: a name that several cards have */
    NOTE_MIXED,
    NOTE_BELOW_NOMINAL, /* a of b links, the worst pair */
    NOTE_LINKS_DOWN,    /* GPU a has b links fewer up than it should */
    NOTE_SAME_NODE_SYS, /* a and b claim one NUMA node, yet SYS lies between them */
    NOTE_FLAT_AFFINITY, /* every GPU is said to be near every CPU */
    NOTE_NO_AFFINITY,
    NOTE_VGPU,        /* token */
    NOTE_HYPERVISOR,  /* token */
    NOTE_NO_P2P,      /* the card's driver refuses peer access over PCIe */
    NOTE_P2P_OFF,     /* a and b, though their place would allow it */
    NOTE_LEAVES_PAIR, /* more than two GPUs: the ring leaves the bridges */
    NOTE_LEAVES_HIVE,
    NOTE_LEAVES_SWITCH,
    NOTE_XGMI_SUBSET, /* a of b GPUs of a board reach only part of its links */
    NOTE_XGMI_HOPS,   /* whether each link is direct is not stated */
    NOTE_LANES,       /* GPU a runs at b lanes */
    NOTE_FAR_NIC,     /* every NIC lies across the sockets from GPU a */
    NOTE_CODE_COUNT
};
struct topology_note {
    enum topology_note_code code;
    int a, b;
    long line; /* 0 = none */
    char token[48];
};

struct topology_gpu {
    char name[64];                            /* "" = not stated */
    char cpus[64], numa[24];                  /* as printed; "" = blank */
    int pcie_gen, pcie_lanes, pcie_lanes_max; /* 0 = not stated */
    double power_limit_w, power_max_w;        /* NUM_UNKNOWN */
    int links_up;                             /* NVLinks that are active; -1 = not stated */
};

enum topology_vendor { TOPOLOGY_NVIDIA, TOPOLOGY_AMD };
struct topology {
    enum topology_vendor vendor;
    int gpus, rows;                                      /* columns of the matrix; rows that were there */
    uint8_t path[TOPOLOGY_MAX_GPUS][TOPOLOGY_MAX_GPUS];  /* enum topology_path, of both directions the worse */
    uint8_t links[TOPOLOGY_MAX_GPUS][TOPOLOGY_MAX_GPUS]; /* of NVLINK */
    uint8_t p2p_off[TOPOLOGY_MAX_GPUS][TOPOLOGY_MAX_GPUS];
    struct topology_gpu gpu[TOPOLOGY_MAX_GPUS];
    int nics;
    char nic[TOPOLOGY_MAX_NICS][24];
    uint8_t nic_path[TOPOLOGY_MAX_GPUS][TOPOLOGY_MAX_NICS];
    bool affinity_stated; /* the matrix has a column for it */
    bool asymmetric, mig;
    int asymmetric_a, asymmetric_b;
    char hypervisor[32], driver[24];
    struct topology_note notes[TOPOLOGY_MAX_NOTES];
    int note_count;
};

/*
 * False when there is no matrix in it. `name` is for messages. A line "# gpu: NAME", `nvidia-smi -L`, the query of the probe
 * and rocm-smi's product names say which cards these are.
 */
bool topology_read(const char *bytes, size_t len, const char *name, struct topology *out, struct err *err);
void topology_add_note(struct topology *t, enum topology_note_code code, int a, int b, long line, const char *token);

struct topology_verdict {
    enum topology_class cls;
    enum link_kind link;              /* what a job on all of these GPUs is planned with */
    double link_gbs;                  /* cap below the table's figure (links down, sockets crossed); NUM_UNKNOWN */
    struct link_speed speed;          /* of these GPUs; all zero when the card is not known */
    char quality;                     /* 'A' to 'F' */
    int pcie_gen, pcie_lanes;         /* the least of them; 0 = not stated */
    const struct gpu *gpu;            /* NULL: not known */
    bool gpu_open;            /* several cards have that name, or there are several: gpu is one of them */
    int links_expected;               /* NVLinks of such a card; 0 = not known */
    int worst_a, worst_b;             /* -1: there is no pair */
    int island_of[TOPOLOGY_MAX_GPUS]; /* GPUs of one island have one number, from 0 in order of their first */
    int islands;                      /* with those of one GPU */
    struct topology_note notes[TOPOLOGY_MAX_NOTES];
    int note_count;
};
/* gpu_name: the card, when the user says so; NULL = what the file says. */
void topology_judge(const struct topology *t, const struct catalog *c, const char *gpu_name,
                    struct topology_verdict *out);

/* Some of its GPUs, in this order, as a machine of their own. */
void topology_subset(const struct topology *t, const int *gpus, int count, struct topology *out);
/* The `count` GPUs that are nearest to each other, ascending. */
void topology_best(const struct topology *t, int count, int *out);
/* All GPUs, such that each `group` of neighbours in the order is as near to each other as can be. */
void topology_order(const struct topology *t, int group, int *out);
/* The machine that a listing claims, drawn as the matrix it would show. */
void topology_assume(const struct gpu *g, enum link_kind link, int gpus, struct topology *out);
/* "NV18", "SYS": one cell; `out` holds at least 8. */
void topology_cell(const struct topology *t, int a, int b, char *out, size_t cap);

#endif
