/* SPDX-License-Identifier: MIT */
#ifndef GPUPLAN_SRC_HARDWARE_TOPOLOGY_JUDGE_H
#define GPUPLAN_SRC_HARDWARE_TOPOLOGY_JUDGE_H

#include "gpuplan/hardware/topology.h"

/* The card as far as the name settles it. */
struct topology_card {
    const char *name;      /* as stated; "" = not at all */
    const struct gpu *gpu; /* NULL = unknown; of several with one name, one of them */
    bool open;             /* several cards have this name */
    enum gpu_form form;    /* UNKNOWN where those differ */
    int links, gen;        /* NVLinks of the card; 0 = none, or not known */
    bool mixed, vgpu, mig;
};
void topology_card_find(const struct topology *t, const struct catalog *c, const char *given,
                        struct topology_card *out);

#endif
