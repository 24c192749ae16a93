/* SPDX-License-Identifier: MIT */
/* What the files of hardware/ share: the catalogue's insides. Built once by catalog_load(), then const. */
#ifndef GPUPLAN_SRC_HARDWARE_CATALOG_PRIVATE_H
#define GPUPLAN_SRC_HARDWARE_CATALOG_PRIVATE_H

#include <stdint.h>

#include "gpuplan/base/data.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/hardware/catalog.h"

enum { ALIAS_CANDIDATES = 8, NAME_MAX_FOLDED = 64 };

/* A spelling: one card, or several with the usual one (-1 = none). */
struct alias {
    const char *spelling;
    int16_t usual;
    bool sure; /* the usual one is meant unless a hint says otherwise */
    uint8_t count;
    int16_t candidates[ALIAS_CANDIDATES];
};

/* Open addressing from a hash to an index + 1; a power of two, at most half full. */
struct name_index {
    uint32_t *slots;
    uint32_t *hashes;
    size_t mask;
};

/* A row of links.csv: a link kind with its generation, or a network kind. */
struct link_data {
    struct link_row row;
    bool network;
    int kind;            /* enum link_kind or enum network_kind */
    int gen, links;      /* 0 = any */
    double up_to;        /* GPUs, or Gbit/s of a network; INFINITY = any */
    double nominal_gbs;  /* of the card it holds for, one direction; others scale with theirs; 0 = does not scale */
    double latency_s[3]; /* 2, 4, 8 GPUs */
};

struct catalog {
    struct data_table *gpu_table, *alias_table, *machine_table, *link_table; /* own the text */
    struct gpu *gpus;
    size_t gpu_count;
    struct alias *aliases; /* canonical names first */
    size_t alias_count;
    struct machine *machines;
    size_t machine_count;
    struct link_data *links;
    size_t link_count;
    struct name_index alias_index, machine_index;
};

bool gpus_load(struct catalog *c, struct err *err);
bool aliases_load(struct catalog *c, struct err *err);
bool machines_load(struct catalog *c, struct err *err);
bool links_load(struct catalog *c, struct err *err);

void name_index_init(struct name_index *x, size_t names);
void name_index_free(struct name_index *x);
void name_index_put(struct name_index *x, uint32_t hash, uint32_t value);
/* Walks the values of one hash: start with *step = 0; returns -1 at the end. */
long name_index_next(const struct name_index *x, uint32_t hash, size_t *step);

/* Lower case without blanks, '-', '_', parentheses; 0 if longer than cap - 1. */
size_t name_fold(char *out, size_t cap, const char *s);
uint32_t name_hash(const char *folded, size_t len);
const struct alias *alias_find(const struct catalog *c, const char *spelling); /* exactly this spelling; NULL */
struct gpu_match alias_settle(const struct catalog *c, const struct alias *a, double vram_gb, enum gpu_form form);
struct gpu_match spelling_resolve(const struct catalog *c, const char *spelling, double vram_gb, enum gpu_form form);
bool gpu_vram_agrees(const struct gpu *g, double stated_gb); /* within 7 %, whichever of GB and GiB it was given in */
int catalog_gpu_place(const struct catalog *c, const char *canonical_name); /* -1 */

#endif
