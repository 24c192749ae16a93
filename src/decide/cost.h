/* SPDX-License-Identifier: MIT */
/* Hours and dollars of one estimate at one place. cost_expected() is what the ranking compares; cost_ranges() adds low and high. */
#ifndef GPUPLAN_SRC_DECIDE_COST_H
#define GPUPLAN_SRC_DECIDE_COST_H

#include "place.h"

/* Fills everything but the low and high ends, usd_per_useful_gpu_h and naive_usd. */
void cost_expected(const struct question *q, const struct place *p, const struct estimate *e, struct cost *out);
void cost_ranges(const struct question *q, const struct place *p, const struct estimate *e, struct cost *out);
/* Disk one machine needs, data set included, GB. */
double cost_disk_gb(const struct job *j, const struct estimate *e);
/* Dollars of `hours` billed at this place on `nodes` machines: step, minimum and prepaid term applied, nothing else. */
double cost_rent_usd(const struct place *p, int nodes, double hours);
double cost_billed_h(const struct place *p, double hours);
/* Millions of output tokens that the estimate makes in the hours rented; NUM_UNKNOWN when it makes none. */
double cost_mtok(const struct job *j, const struct estimate *e, double setup_h);

#endif
