/* SPDX-License-Identifier: MIT */
/* The topology screen: the machine of the offer under the cursor, as its link lets assume, or as a file shows it. */
#ifndef GPUPLAN_SRC_APP_TOPOLOGY_H
#define GPUPLAN_SRC_APP_TOPOLOGY_H

#include "gpuplan/decide/seen.h"
#include "state.h"

struct topology_state {
    char file[TEXT_MAX];  /* what was opened; "" = the matrix is drawn from the offer's link */
    struct topology read; /* of the file */

    bool stale, found; /* stale: the answer is still to be made */
    char id[TEXT_MAX]; /* the offer it is about */
    struct topology t;
    struct topology_verdict v;
    bool has_offer;       /* there is one, and c is about it */
    bool other_card;    /* the file is of another card than the offer, or of more of them */
    struct candidate c; /* as listed */
    struct seen seen;   /* of a file; its offer is NULL otherwise */
};

void topology_open_file(struct app *a, const char *path);

#endif
