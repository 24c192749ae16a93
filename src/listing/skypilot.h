/* SPDX-License-Identifier: MIT */
/* Private to listing/: rows of the SkyPilot catalogue, as its own files have them and as OpenComputePrices passes them on. */
#ifndef GPUPLAN_SRC_LISTING_SKYPILOT_H
#define GPUPLAN_SRC_LISTING_SKYPILOT_H

#include "listing/reader.h"

/* What GpuInfo says in any of its syntaxes; NUM_UNKNOWN and "" when it says nothing. */
struct gpu_info {
    double size_mib, total_mib;
    char name[64];
};
struct gpu_info gpu_info_parse(const char *s);

struct sky_row {
    uint32_t source, provider, machine, card, region, zone; /* interned; card: the catalogue's spelling */
    double count;
    double vcpus, ram_gib;
    double rate, spot;           /* USD/h of the machine; NUM_UNKNOWN */
    const struct gpu_info *info; /* valid during the call */
    enum rate_kind kind;         /* of `rate` */
    int64_t observed_at;
};

/* GCP's two kinds of rows, kept until the file ends. */
struct sky_host {
    uint32_t machine, zone;
    double vcpus, ram_gib, rate, spot;
};
struct sky_part {
    struct sky_row row;
    double size_mib;
    long line, record;
};

struct sky {
    struct reader base;
    struct idmap by_id; /* offers of this file, for rows that differ only in their zone */
    struct sky_host *hosts;
    size_t host_count, host_cap;
    struct sky_part *parts;
    size_t part_count, part_cap;
};
void sky_end(struct sky *s);
void sky_add(struct sky *s, const struct sky_row *row);
/* gcp.c */
void sky_keep_host(struct sky *s, const struct sky_row *row);
void sky_keep_part(struct sky *s, const struct sky_row *row);
void sky_join_parts(struct sky *s);

#endif
