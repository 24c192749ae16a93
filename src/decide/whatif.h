/* SPDX-License-Identifier: MIT */
/* Between the columns of a what-if and what is put into them. */
#ifndef GPUPLAN_SRC_DECIDE_WHATIF_H
#define GPUPLAN_SRC_DECIDE_WHATIF_H

#include "gpuplan/decide/whatif.h"

/* The columns of the axis, for this pick. reference: the machine that is varied. Returns how many. */
int whatif_specs(const struct ranking *r, const struct whatif_question *w, const struct whatif_spec *reference,
                 struct whatif_spec specs[WHATIF_MAX_COUNTS]);

#endif
