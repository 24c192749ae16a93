/* SPDX-License-Identifier: MIT */
/*
 * Everything known about hardware: GPUs, spellings, links, machine types. Built once from data/ (and overlays), then
 * const.
 */
#ifndef GPUPLAN_HARDWARE_CATALOG_H
#define GPUPLAN_HARDWARE_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/err.h"
#include "gpuplan/hardware/gpu.h"
#include "gpuplan/hardware/link.h"

struct catalog;
/* NULL on an unreadable overlay; the built-in tables cannot fail (tested). */
struct catalog *catalog_load(struct err *err);
void catalog_free(struct catalog *c);

size_t catalog_gpu_count(const struct catalog *c);
const struct gpu *catalog_gpu(const struct catalog *c, size_t i);
int catalog_gpu_index(const struct catalog *c, const struct gpu *g);
/* Case-insensitive; NULL. */
const struct gpu *catalog_gpu_exact(const struct catalog *c, const char *canonical_name);

/*
 * What a spelling means. Matching folds case, blanks, '-', '_' and parentheses, never substrings ("A4000" is not
 * "A40"). A spelling that is not known as it stands is tried again without a count ("8x"), a maker's word
 * ("NVIDIA", "GeForce"), a form factor or a memory size at its end; what was cut off must then agree with the
 * card. Constant time.
 */
struct gpu_match {
    const struct gpu *gpu; /* NULL: unknown name, or nothing decides between the candidates */
    bool ambiguous; /* several cards have this spelling and the hints did not settle it; gpu = the assumed one */
    bool by_hint;   /* settled by VRAM or form factor */
    const struct gpu *candidates[8];
    size_t candidate_count;
};
/*
 * vram_gb: per GPU as listed (GB or GiB, within 7 % of a known size; NUM_UNKNOWN if not stated). form: as listed.
 * With several candidates left: the hint decides; else ambiguous, with gpu = the one the alias names as usual, or
 * the first of those that the hints left; NULL when the alias names none and the candidates differ in memory. A
 * hint that fits no candidate decides nothing (the listing flags the conflict).
 */
struct gpu_match catalog_gpu_resolve(const struct catalog *c, const char *spelling, double vram_gb,
                                     enum gpu_form form);
/* Nearest canonical name, for "did you mean"; NULL. */
const char *catalog_gpu_nearest(const struct catalog *c, const char *name);

/* A machine type of a provider (data/machines.csv). */
struct machine {
    const char *provider; /* lower case key as in providers.csv: "aws" */
    const char *type;
    const struct gpu *gpu; /* never NULL; gpu->cls tells what else is rented (FPGA, TPU …) */
    int gpus;
    double vram_gb; /* per GPU */
    enum link_kind link;
    double link_gbs;       /* one direction per GPU, nominal; NUM_UNKNOWN */
    double vcpus, ram_gib, disk_local_gb;
    enum network_kind network;
    double network_gbps;   /* per node */
    const char *source;
};
const struct machine *catalog_machine(const struct catalog *c, const char *provider, const char *type); /* NULL */
size_t catalog_machine_count(const struct catalog *c);
const struct machine *catalog_machine_at(const struct catalog *c, size_t i);

/* Rows of data/links.csv for `gpuplan list links`. */
struct link_row {
    const char *key;       /* "nvswitch.nvlink4" … */
    bool share;            /* rows of networks: the ranges are shares of the line rate instead of GB/s */
    struct range ring_gbs, allreduce_gbs;
    double latency_s;      /* 2 GPUs */
    const char *note, *source;
};
size_t catalog_link_count(const struct catalog *c);
const struct link_row *catalog_link_at(const struct catalog *c, size_t i);
/* Before anything else looks at it: what a row reaches, as somebody measured it. False when there is no such link. */
bool catalog_link_set(struct catalog *c, const char *key, struct range ring_gbs, struct range allreduce_gbs);

#endif
