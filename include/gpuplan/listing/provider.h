/* SPDX-License-Identifier: MIT */
/* Facts about providers (data/providers.csv), each with a source and date; what is not known is NUM_UNKNOWN and named in `assumed`. */
#ifndef GPUPLAN_LISTING_PROVIDER_H
#define GPUPLAN_LISTING_PROVIDER_H

#include <stddef.h>

#include "gpuplan/base/err.h"

enum host_class { HOST_HYPERSCALER, HOST_CLOUD, HOST_MARKET_DC, HOST_MARKET_VERIFIED, HOST_MARKET_UNVERIFIED, HOST_CLASS_COUNT };

struct provider {
    const char *key;   /* "lambda" */
    const char *name;  /* "Lambda" */
    enum host_class host_class;
    double billing_step_s;  /* NUM_UNKNOWN counts as 1 s */
    double min_charge_h;
    double boot_min_low, boot_min, boot_min_high; /* minutes from order to a shell */
    double inet_gbps;       /* usual download rate */
    double disk_usd_gb_month, egress_usd_gb;
    const char *currency;   /* of its price list: "USD", "EUR" */
    const char *source, *date;
};

struct providers;
struct providers *providers_load(struct err *err);
void providers_free(struct providers *p);
/* Never NULL: an unknown key gets the row "*" (class market_unverified, everything unknown). Case-insensitive; aliases in the file. */
const struct provider *providers_find(const struct providers *p, const char *key);
size_t providers_count(const struct providers *p);
const struct provider *providers_at(const struct providers *p, size_t i);

const char *host_class_name(enum host_class c); /* "hyperscaler" … */
int host_class_find(const char *name);

#endif
