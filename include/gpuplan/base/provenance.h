/* SPDX-License-Identifier: MIT */
/* Where a value comes from. Unknown is a state of its own, never zero. Best first, so that a smaller value is better known. */
#ifndef GPUPLAN_BASE_PROVENANCE_H
#define GPUPLAN_BASE_PROVENANCE_H

enum provenance {
    PROVENANCE_MEASURED, /* a benchmark or the user's own run said it */
    PROVENANCE_DECLARED, /* the listing or the user said it */
    PROVENANCE_INFERRED, /* from a table, by instance type or product name */
    PROVENANCE_ASSUMED,  /* a default of ours */
    PROVENANCE_UNKNOWN,
    PROVENANCE_COUNT
};

const char *provenance_name(enum provenance p); /* "measured" … */
int provenance_find(const char *name);          /* -1 if unknown word */

#endif
