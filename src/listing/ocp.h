/* SPDX-License-Identifier: MIT */
/* Private to listing/: a row of OpenComputePrices, and what each collector makes of its columns. */
#ifndef GPUPLAN_SRC_LISTING_OCP_H
#define GPUPLAN_SRC_LISTING_OCP_H

#include "listing/skypilot.h"

struct cJSON;

struct ocp_row {
    const char *source, *provider, *type, *card, *variant, *memory, *region, *zone, *pricing, *currency, *unit, *os,
        *extra;
    const char *available;
    double memory_gb, count, vcpus, ram_gb, price, available_count;
    int64_t observed_at;
};

struct ocp {
    struct sky sky; /* its reader is ours, too */
    struct column *columns;
    uint32_t source;
};

/* What the common part has settled in `f`: ids of texts, price as it stands, moment. False: left out, and reported. */
typedef bool (*ocp_settle)(struct ocp *c, const struct ocp_row *row, const struct cJSON *extra, struct offer *f);

/* The collectors that need more than the columns say. */
struct ocp_collector {
    const char *source;
    ocp_settle settle;
};
const struct ocp_collector *ocp_collector_find(const char *source); /* NULL: the columns are right */

/* Says why and returns false. */
bool ocp_skip(struct ocp *c, const char *field, const char *why);

/* ocp_azure.c, ocp_parts.c */
bool ocp_settle_azure(struct ocp *c, const struct ocp_row *row, const struct cJSON *extra, struct offer *f);
bool ocp_settle_tensordock(struct ocp *c, const struct ocp_row *row, const struct cJSON *extra, struct offer *f);
bool ocp_settle_cudo(struct ocp *c, const struct ocp_row *row, const struct cJSON *extra, struct offer *f);
bool ocp_settle_oracle(struct ocp *c, const struct ocp_row *row, const struct cJSON *extra, struct offer *f);

#endif
