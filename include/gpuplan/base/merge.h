/* SPDX-License-Identifier: MIT */
/*
 * A stable bottom-up merge sort that stops and goes on anywhere, also in the middle of one merge: a step moves at most `work`
 * elements, whatever the length of the array, so that a program can look at its keys between two steps.
 */
#ifndef GPUPLAN_BASE_MERGE_H
#define GPUPLAN_BASE_MERGE_H

#include <stdbool.h>
#include <stddef.h>

struct merge_sort {
    /* Set by the caller. `spare` has room for as many; the two are exchanged on the way, so the result is in `items`. */
    void *items, *spare;
    size_t count, size; /* elements; bytes of one */
    int (*compare)(const void *a, const void *b, void *user);
    void *user;
    /* Progress; zero at the start. */
    size_t width, low, a,
        b; /* sorted runs so long; the two being merged start at low; taken of the first and the second */
};
/* True once all is sorted. An array that is in order already costs one comparison a run and one copy a level. */
bool merge_sort_step(struct merge_sort *m, size_t work);

#endif
