/* SPDX-License-Identifier: MIT */
/* Private to listing/: the steps of listing_check(), in their order. */
#ifndef GPUPLAN_SRC_LISTING_CHECK_H
#define GPUPLAN_SRC_LISTING_CHECK_H

#include "listing/reader.h"

void check_duplicates(struct offers *o);
void check_split_spot(struct offers *o);
void check_complete(const struct listing_context *ctx, struct offers *o);
void check_overlaps(struct offers *o);
void check_prices(const struct listing_context *ctx, struct offers *o);

#endif
