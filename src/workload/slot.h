/* SPDX-License-Identifier: MIT */
/* Where a field's value lives in a job: the one table that resolving, JSON and the list of assumptions go through. */
#ifndef GPUPLAN_SRC_WORKLOAD_SLOT_H
#define GPUPLAN_SRC_WORKLOAD_SLOT_H

#include "gpuplan/workload/job.h"

/* Copies a set value into the job; fields that only serve to find others (params_b, points) are left to the caller. */
void slot_set(struct job *j, enum field_id id, const struct value *v);
/* The resolved value; false when it is unknown, open or has no meaning for this job. */
bool slot_get(const struct job *j, enum field_id id, struct value *out);

#endif
