/* SPDX-License-Identifier: MIT */
/* Estimates by (shape, GPUs used, job generation, assumptions generation): each is made once. */
#ifndef GPUPLAN_DECIDE_MEMO_H
#define GPUPLAN_DECIDE_MEMO_H

#include <stdint.h>

#include "gpuplan/estimate/estimate.h"

struct memo;
struct memo *memo_new(void);
void memo_free(struct memo *m);
void memo_clear(struct memo *m); /* on any edit of job or assumptions */
/* Index of the set for this shape; makes it if needed. Stays valid until memo_clear(). */
uint32_t memo_get(struct memo *m, const struct catalog *c, const struct job *j, const struct shape *s,
                  const struct assumptions *a);
const struct estimate_set *memo_set(const struct memo *m, uint32_t index);
/* The longest length that still fits with an estimate of a set: made when it is first asked for. s: the shape that was estimated. */
double memo_longest(struct memo *m, uint32_t index, int which, const struct catalog *c, const struct job *j,
                    const struct shape *s, const struct assumptions *a);
long memo_layouts(const struct memo *m); /* layouts evaluated so far */
uint32_t memo_count(const struct memo *m);

#endif
