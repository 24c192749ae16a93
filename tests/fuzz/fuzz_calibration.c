/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <math.h>

#include "gpuplan/base/text.h"
#include "gpuplan/estimate/calibration.h"

/* A log gives figures that are finite, a calibration ranges that are in order; either may be taken over without harm. */
FUZZ(calibration)
{
    static struct nccl_log log;
    static struct calibration k;
    struct err err = {0};

    if (nccl_read(bytes, len, "fuzz.log", &log, &err)) {
        FUZZ_ASSERT(log.count > 0 && log.count <= NCCL_MAX_ROWS && log.gpus >= 0 && log.nodes >= 0);
        FUZZ_ASSERT(isfinite(log.peak_gbs) && log.peak_gbs > 0 && text_is_clean(log.gpu, strlen(log.gpu)));
    } else {
        FUZZ_ASSERT(err.code == ERR_DATA);
    }
    err = (struct err){0};
    if (!calibration_read(bytes, len, "fuzz.csv", &k, &err)) {
        FUZZ_ASSERT(err.code != ERR_NONE);
        return 0;
    }
    struct assumptions a;
    assumptions_init(&a);
    calibration_apply_assumptions(&k, &a, "fuzz.csv", &err);
    for (int i = 0; i < ASSUME_COUNT; i++)
        FUZZ_ASSERT(a.v[i].low <= a.v[i].expected && a.v[i].expected <= a.v[i].high && isfinite(a.v[i].high));
    return 0;
}
