/* SPDX-License-Identifier: MIT */
/* What an offer costs and risks apart from the GPU work: provider facts, the listing's own statements and priors, merged once an offer. */
#ifndef GPUPLAN_SRC_DECIDE_PLACE_H
#define GPUPLAN_SRC_DECIDE_PLACE_H

#include <stdbool.h>

#include "gpuplan/decide/decide.h"

struct place {
    enum host_class host;
    bool market;       /* disk and RAM are what the host has: nothing can be attached */
    double rate_usd_h; /* one machine */
    enum rate_kind kind;
    struct range boot_h;
    struct range download_gbs; /* internet down, delivered, GB/s */
    double upload_gbs;
    double load_gbs;  /* disk into GPUs, GB/s */
    double write_gbs; /* checkpoints */
    double billing_step_h, min_charge_h, prepaid_h /* term bought whole; 0 = none */, upfront_usd;
    double disk_usd_gb_h, ingress_usd_gb, egress_usd_gb, stopped_usd_h; /* 0 where unknown */
    double disk_free_gb;                                                /* included in the rate; NUM_UNKNOWN */
    double ram_gb, disk_gb /* most that can be used */, cpu_cores;      /* NUM_UNKNOWN */
    double max_duration_h, cuda_max;                                    /* NUM_UNKNOWN */
    double access_h;
    struct range mtbf_h; /* of one machine, at this rate kind */
    struct range restart_h;
    bool interruptible;
};

/* False when the offer has no price. An offer with a second price, for spot, was split in two when it was read. */
bool place_make(const struct question *q, const struct provider *p, const struct offer *f, struct place *out);

/* "Lost" hours of a run, first order (estimation: Young and Daly). */
struct interruption {
    double checkpoint_h; /* interval used */
    double lost_h;       /* work and saving lost, billed */
    double wait_h;       /* waiting for another machine, not billed */
    bool viable;
};
/* save_h: one checkpoint. interval_h: the user's; NUM_UNKNOWN = the best. nodes: the job stops when any of them does. */
struct interruption interruption_expect(double run_h, double save_h, double interval_h, double mtbf_h, int nodes,
                                        double restart_h, double reload_h, double viable_share);
double interruption_interval(double save_h, double mtbf_h); /* Daly's optimum */

#endif
