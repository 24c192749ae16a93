/* SPDX-License-Identifier: MIT */
/*
 * Filter expressions: gpus>=8 and vram>=80 and (provider=lambda or provider=vast) and link!=pcie_host and rate<20 and name~h100
 * Words: one const table (name, type, getter). An unknown word or a syntax error names its column in the expression.
 */
#ifndef GPUPLAN_DECIDE_FILTER_H
#define GPUPLAN_DECIDE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/err.h"
#include "gpuplan/listing/offer.h"

struct filter;
struct filter *filter_parse(const char *text, struct err *err,
                            size_t *at); /* NULL on error; *at (may be NULL) = byte where */
void filter_free(struct filter *f);
bool filter_match(const struct filter *f, const struct catalog *c, const struct offers *o, const struct offer *offer);
const char *const *filter_words(size_t *count);
/* Number of top-level `and` clauses, and the filter without the i-th (from 0): "this clause removed the last 214". */
size_t filter_clauses(const struct filter *f);
bool filter_match_without(const struct filter *f, size_t clause, const struct catalog *c, const struct offers *o,
                          const struct offer *offer);
/* Where the clause stands in the text that was parsed. */
void filter_clause_span(const struct filter *f, size_t clause, size_t *start, size_t *len);

#endif
