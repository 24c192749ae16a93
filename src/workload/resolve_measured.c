/* SPDX-License-Identifier: MIT */
/* A job of any kind that somebody measured: hours on a known GPU, moved to other GPUs and counts. */
#include "workload/resolve.h"

#include <math.h>

#include "workload/value.h"

/* fp32 gradients: 4 bytes a parameter are exchanged each step. */
static const double gb_per_million_params = 4e-3;

static bool resolve_hours(struct resolve *r) {
    struct job *j = r->j;
    bool steps = is_set(r, FIELD_STEP_S) && is_set(r, FIELD_STEPS);
    double from_steps = j->step_s * j->steps / 3600;
    if (is_set(r, FIELD_BASE_HOURS)) {
        if (steps && fabs(from_steps / j->base_hours - 1) > 0.05)
            return resolve_refuse(r, FIELD_STEP_S, "%g steps of %g s are %.4g h, but base_hours is %g", j->steps,
                                  j->step_s, from_steps, j->base_hours);
        return true;
    }
    if (!steps)
        return resolve_refuse(r, FIELD_BASE_HOURS,
                              "is missing: how long the job takes on base_gpu (or step_s and steps)");
    j->base_hours = from_steps;
    r->why[FIELD_BASE_HOURS] = "step_s x steps";
    return true;
}

static bool resolve_exchange(struct resolve *r) {
    struct job *j = r->j;
    double derived = r->w.v[FIELD_PARAMS_M].number * gb_per_million_params;
    if (is_set(r, FIELD_SYNC_GB))
        return true;
    if (is_set(r, FIELD_PARAMS_M)) {
        j->sync_gb = derived;
        r->why[FIELD_SYNC_GB] = "4 bytes a parameter";
        return true;
    }
    j->sync_gb = 25.6 * gb_per_million_params; /* ResNet-50, 25.6 million parameters */
    assume(r, FIELD_SYNC_GB, "default");
    return true;
}

bool resolve_measured(struct resolve *r) {
    struct job *j = r->j;
    if (j->base_gpu[0] == '\0')
        return resolve_refuse(r, FIELD_BASE_GPU, "is missing: the GPU the job was measured on, such as A100-SXM4-80GB");
    if (!resolve_hours(r) || !resolve_exchange(r))
        return false;
    if (is_set(r, FIELD_POINTS) && !points_parse(r->w.v[FIELD_POINTS].text, j, r->err))
        return false;
    assume(r, FIELD_BASE_GPUS, "default");
    assume(r, FIELD_COMPUTE_SHARE, "default");
    assume(r, FIELD_SCALING, "default");
    assume(r, FIELD_DEADLINE_H, "default");
    return true;
}
