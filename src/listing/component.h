/* SPDX-License-Identifier: MIT */
/* Private to listing/: sources that price GPUs, vCPUs and memory apart, so that a host has to be chosen before there is a price. */
#ifndef GPUPLAN_SRC_LISTING_COMPONENT_H
#define GPUPLAN_SRC_LISTING_COMPONENT_H

#include "listing/reader.h"

/* What a job with these GPUs needs at least, never more than the place has (NUM_UNKNOWN: no limit); it is named in the notes. */
void component_choose_host(struct reader *r, struct offer *f, double vram_gb, double max_vcpus, double max_ram_gb);
/* The rate of GPUs and host, USD/h; of the GPUs alone, and flagged, when a part has no price. After the host was chosen. */
void component_settle(struct reader *r, struct offer *f, double gpus_usd_h, double vcpu_usd_h, double ram_gb_usd_h);
/* "geforcertx5090-pcie-32gb": 32; NUM_UNKNOWN. */
double component_size_of_id(const char *id);
/* The next of 1, 2, 4 … that a place with `most` GPUs can give, after `count`; `most` itself is the last. 0: no more. */
int component_next_count(int count, int most);

#endif
