/* SPDX-License-Identifier: MIT */
/*
 * Listing formats that need no code: a mapping file (JSON, docs/sources.md) says how a payload is recognised, where its rows
 * are and which of its values is which of our fields. A set holds those of data/sources/, those of the user, and those that
 * are being tried; it is part of the listing context.
 */
#ifndef GPUPLAN_LISTING_MAPPING_H
#define GPUPLAN_LISTING_MAPPING_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/err.h"

enum mapping_origin {
    MAPPING_BUNDLED,
    MAPPING_USER,  /* replaces a bundled one of the same name, and wins over other formats */
    MAPPING_TRIED, /* named on the command line: wins over everything */
};

enum { MAPPING_MAX_BYTES = 256 * 1024 };

struct mapping;
struct mappings;
struct mappings *mappings_new(void);
/* Those of data/sources/; one that is wrong is an error of this build. NULL on error. */
struct mappings *mappings_load(struct err *err);
void mappings_free(struct mappings *m); /* NULL is fine */
/* `file` is the name for errors. False: nothing was added. */
bool mappings_add(struct mappings *m, const char *bytes, size_t len, const char *file, enum mapping_origin origin,
                  struct err *err);
size_t mappings_count(const struct mappings *m); /* NULL: 0 */
const struct mapping *mappings_at(const struct mappings *m, size_t i);

const char *mapping_name(const struct mapping *m);
const char *mapping_label(const struct mapping *m);
const char *mapping_about(const struct mapping *m);
const char *mapping_file(const struct mapping *m); /* where it came from, "" when bundled */
enum mapping_origin mapping_origin(const struct mapping *m);

#endif
