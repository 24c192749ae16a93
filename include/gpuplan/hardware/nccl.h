/* SPDX-License-Identifier: MIT */
/*
 * Logs of nccl-tests and rccl-tests, of any year, with the prefixes of launchers; also the tables people make of them. Rows
 * are read by the names above their columns.
 */
#ifndef GPUPLAN_HARDWARE_NCCL_H
#define GPUPLAN_HARDWARE_NCCL_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/err.h"

enum nccl_operation { NCCL_UNKNOWN, NCCL_ALL_REDUCE, NCCL_RING /* all-gather, reduce-scatter and the like */ };
struct nccl_row {
    double bytes;
    double busbw_gbs, in_place_gbs; /* NUM_UNKNOWN */
    double algbw_gbs, time_us;      /* NUM_UNKNOWN */
};
enum { NCCL_MAX_ROWS = 128, NCCL_MAX_HOSTS = 64 };
struct nccl_log {
    enum nccl_operation operation;
    int gpus, nodes;    /* 0 = not to be seen */
    bool gpus_by_ratio; /* from busbw / algbw */
    char gpu[64];       /* "" = not stated */
    struct nccl_row rows[NCCL_MAX_ROWS];
    int count, passed_over;      /* rows; lines that look like one and are none */
    double peak_gbs, peak_bytes; /* the best of both ways */
    double smallest_us;          /* of the smallest message; NUM_UNKNOWN */
};
/* False when no row was found. */
bool nccl_read(const char *bytes, size_t len, const char *name, struct nccl_log *out, struct err *err);

#endif
