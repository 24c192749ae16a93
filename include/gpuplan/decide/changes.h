/* SPDX-License-Identifier: MIT */
/* What differs between two lists of offers that were ranked for the same job. */
#ifndef GPUPLAN_DECIDE_CHANGES_H
#define GPUPLAN_DECIDE_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "gpuplan/decide/decide.h"

enum change_kind { CHANGE_PRICE, CHANGE_RANK, CHANGE_NEW, CHANGE_GONE, CHANGE_NONE, CHANGE_KIND_COUNT };
enum change_match {
    MATCH_OFFER,  /* the same id: two times of one source */
    MATCH_MACHINE /* the cheapest with the same card, count and kind of rate: two sources */
};
struct change {
    enum change_kind kind;         /* a price that changed counts before a rank that did */
    const char *name;              /* the id, or "8x H100-SXM5-80GB on_demand" */
    const struct offer *from, *to; /* NULL: not there */
    size_t from_rank, to_rank;     /* from 1; 0: it is no candidate */
};
struct changes {
    struct change *items; /* the best ranked first */
    size_t count, kinds[CHANGE_KIND_COUNT];
    struct arena *names;
};
/* Both rankings are done. What is found points into their offers. */
void changes_find(const struct ranking *from, const struct ranking *to, enum change_match match, struct changes *out);
void changes_free(struct changes *c);
const char *change_kind_name(enum change_kind k); /* "price" "rank" "new" "gone" "same" */

#endif
