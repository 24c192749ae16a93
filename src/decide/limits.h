/* SPDX-License-Identifier: MIT */
/* What keeps an offer from being a candidate, and what makes it late: everything but the estimate itself. */
#ifndef GPUPLAN_SRC_DECIDE_LIMITS_H
#define GPUPLAN_SRC_DECIDE_LIMITS_H

#include "cost.h"

/* Before any estimate: filter, regions, availability, what it is. REASON_NONE: worth estimating. */
struct reason limits_offer(const struct question *q, const struct offer *f);
/* Whether this estimate's needs are met by the host. Unknown RAM or disk is not a refusal. */
struct reason limits_host(const struct job *j, const struct place *p, const struct estimate *e);
enum limit_state limits_deadline(const struct job *j, const struct cost *c);
enum limit_state limits_budget(const struct job *j, const struct cost *c);
enum rank_class limits_class(const struct job *j, const struct estimate *e, const struct cost *c);

#endif
