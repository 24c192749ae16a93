/* SPDX-License-Identifier: MIT */
/* What a filter can ask an offer about. */
#ifndef GPUPLAN_SRC_DECIDE_FILTER_WORDS_H
#define GPUPLAN_SRC_DECIDE_FILTER_WORDS_H

#include "gpuplan/base/num.h"
#include "gpuplan/decide/filter.h"

struct filter_subject {
    const struct catalog *catalog;
    const struct offers *offers;
    const struct offer *offer;
};
struct filter_word {
    const char *name;
    enum num_unit unit;                                  /* of the value one compares with */
    double (*number)(const struct filter_subject *s);    /* NUM_UNKNOWN where not stated */
    const char *(*text)(const struct filter_subject *s); /* one of the two is set */
};
const struct filter_word *filter_word_find(const char *name);

#endif
