/* SPDX-License-Identifier: MIT */
/* Rows as they were read become one matrix: what is missing is noted, of two directions the worse counts. */
#include "hardware/topology_private.h"

static int most(int a, int b) {
    return a > b ? a : b;
}

static void fill_missing(struct topology_reader *r) {
    struct topology *t = r->t;
    t->nics = r->header_nics;
    for (int i = 0; i < t->gpus; i++) {
        const struct topology_row *row = &r->row[i];
        if (!row->there)
            continue;
        t->rows++;
        if (row->bad[0])
            topology_add_note(t, NOTE_TOKEN, 0, 0, row->line, row->bad);
        if (row->count < t->gpus)
            topology_add_note(t, NOTE_SHORT_ROW, row->count, t->gpus, row->line, "");
        for (int k = 0; k < t->gpus && k < row->count; k++) {
            t->path[i][k] = row->path[k];
            t->links[i][k] = row->links[k];
        }
        for (int k = t->gpus; k < row->count && k - t->gpus < TOPOLOGY_MAX_NICS; k++)
            t->nic_path[i][k - t->gpus] = row->path[k];
        t->nics = most(t->nics, row->count - t->gpus < TOPOLOGY_MAX_NICS ? row->count - t->gpus : TOPOLOGY_MAX_NICS);
    }
    if (t->rows < t->gpus)
        topology_add_note(t, NOTE_TRUNCATED, t->rows, t->gpus, 0, "");
}

/* Of a pair the worse direction counts; one that nobody printed follows the other. */
static void make_symmetric(struct topology *t) {
    for (int i = 0; i < t->gpus; i++) {
        t->path[i][i] = PATH_SELF;
        t->links[i][i] = 0;
        for (int k = i + 1; k < t->gpus; k++) {
            uint8_t a = t->path[i][k], b = t->path[k][i];
            if (a == PATH_SELF)
                a = PATH_UNKNOWN;
            if (b == PATH_SELF)
                b = PATH_UNKNOWN;
            bool both = a != PATH_UNKNOWN && b != PATH_UNKNOWN;
            bool a_worse = a != b ? a > b : t->links[i][k] < t->links[k][i];
            bool differ = both && (a != b || t->links[i][k] != t->links[k][i]);
            bool take_a = both ? a_worse : b == PATH_UNKNOWN;
            uint8_t path = take_a ? a : b, links = take_a ? t->links[i][k] : t->links[k][i];
            if (differ && !t->asymmetric) {
                t->asymmetric = true;
                t->asymmetric_a = i;
                t->asymmetric_b = k;
            }
            t->path[i][k] = t->path[k][i] = path;
            t->links[i][k] = t->links[k][i] = path == PATH_NVLINK ? links : 0;
        }
    }
}

static void finish_nvidia(struct topology_reader *r) {
    struct topology *t = r->t;
    int rows = 0;
    for (int i = 0; i < TOPOLOGY_MAX_GPUS; i++)
        if (r->row[i].there)
            rows = i + 1;
    t->gpus = most(r->header_gpus, rows);
    if (t->gpus > TOPOLOGY_MAX_GPUS) {
        topology_add_note(t, NOTE_TOO_MANY, TOPOLOGY_MAX_GPUS, 0, 0, "");
        t->gpus = TOPOLOGY_MAX_GPUS;
    }
    t->affinity_stated = r->title_cpu;
    fill_missing(r);
    make_symmetric(t);
    for (int i = 0; i < t->gpus; i++)
        for (int k = 0; k < t->gpus; k++)
            t->p2p_off[i][k] = r->p2p[i][k] || r->p2p[k][i];
}

/*
 * Weights of rocm-smi: 15 one hop of xGMI, 30 and more of them; 40 PCIe within a socket, 52 and 72 across. Hops: 1 xGMI however
 * far, 2 PCIe within a NUMA node, 3 across.
 */
static uint8_t amd_path(const struct topology_reader *r, int i, int k) {
    uint8_t type = r->type[i][k], hops = r->hops[i][k];
    int weight = r->weight[i][k];
    if (type == PATH_XGMI || (type == 0 && (hops == 1 || (hops == 0 && weight > 0 && weight < 40))))
        return PATH_XGMI;
    if (hops >= 3 || (hops == 0 && weight > 40))
        return PATH_SYS;
    if (hops == 2 || weight == 40)
        return PATH_NODE;
    return type == PATH_PCIE ? PATH_PCIE : PATH_UNKNOWN;
}

static void finish_amd(struct topology_reader *r) {
    struct topology *t = r->t;
    bool direct = true;
    t->vendor = TOPOLOGY_AMD;
    t->gpus = r->amd_gpus < TOPOLOGY_MAX_GPUS ? r->amd_gpus : TOPOLOGY_MAX_GPUS;
    for (int i = 0; i < t->gpus; i++) {
        t->rows += r->amd_row[i];
        for (int k = 0; k < t->gpus; k++) {
            t->path[i][k] = i == k ? PATH_SELF : amd_path(r, i, k);
            direct &= t->path[i][k] != PATH_XGMI || r->weight[i][k] == 15;
        }
    }
    if (t->rows < t->gpus)
        topology_add_note(t, NOTE_TRUNCATED, t->rows, t->gpus, 0, "");
    make_symmetric(t);
    bool any = false;
    for (int i = 0; i < t->gpus; i++)
        for (int k = 0; k < t->gpus; k++)
            any |= t->path[i][k] == PATH_XGMI;
    if (any && !direct)
        topology_add_note(t, NOTE_XGMI_HOPS, 0, 0, 0, "");
}

bool topology_finish(struct topology_reader *r) {
    bool nvidia = false;
    for (int i = 0; i < TOPOLOGY_MAX_GPUS; i++)
        nvidia |= r->row[i].there;
    if (nvidia)
        finish_nvidia(r);
    else if (r->amd_gpus > 0)
        finish_amd(r);
    return r->t->rows > 0;
}
