/* SPDX-License-Identifier: MIT */
/* Jobs and shapes for tests of estimates. Include after support.h. */
#ifndef GPUPLAN_TESTS_ESTIMATE_SUPPORT_H
#define GPUPLAN_TESTS_ESTIMATE_SUPPORT_H

#include <math.h>

#include "table_support.h"

/* gpus in each of `nodes` machines; nodes talk over 3200 Gbit/s InfiniBand. */
static inline struct shape shape_of(const char *gpu, int gpus, int nodes, enum link_kind link) {
    struct shape s = {.gpu = catalog_gpu_exact(catalog, gpu), .gpus = gpus, .nodes = nodes};
    if (s.gpu == NULL) {
        fail_msg("no card is called %s", gpu);
    }
    s.vram_gib = s.gpu->vram_gib_usable;
    s.power_limit_w = NUM_UNKNOWN;
    s.link = gpus > 1 ? link : LINK_NONE;
    s.link_gbs = NUM_UNKNOWN;
    s.link_source = PROVENANCE_DECLARED;
    s.network = nodes > 1 ? NETWORK_INFINIBAND : NETWORK_NONE;
    s.network_gbps = nodes > 1 ? 3200 : NUM_UNKNOWN;
    return s;
}

/* A job from "field=value field=value ...". */
static inline struct job job_of(const char *fields) {
    struct workload w;
    struct job j;
    struct err err = {0};
    char text[512], *word, *rest = text;

    workload_init(&w);
    snprintf(text, sizeof text, "%s", fields);
    while ((word = strtok_r(rest, " ", &rest)) != NULL) {
        if (!workload_set_pair(&w, word, &err)) {
            fail_msg("%s: %s", word, err.text);
        }
    }
    if (!job_resolve(&w, models, &j, &err)) {
        fail_msg("%s: %s: %s", fields, err.field, err.text);
    }
    return j;
}

static inline struct estimate best_of(const char *fields, const struct shape *s) {
    struct job j = job_of(fields);
    struct estimate_set set;

    estimate_search(catalog, &j, s, &assumptions, &set);
    assert_true(set.count >= 1 && set.count <= ESTIMATE_SET_MAX);
    return set.e[0];
}

#endif
