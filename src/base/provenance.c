/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/provenance.h"

#include <stddef.h>
#include <string.h>

static const char *const names[PROVENANCE_COUNT] = {
    [PROVENANCE_MEASURED] = "measured", [PROVENANCE_DECLARED] = "declared", [PROVENANCE_INFERRED] = "inferred",
    [PROVENANCE_ASSUMED] = "assumed",   [PROVENANCE_UNKNOWN] = "unknown",
};

const char *provenance_name(enum provenance p) {
    return (unsigned)p < PROVENANCE_COUNT ? names[p] : names[PROVENANCE_UNKNOWN];
}

int provenance_find(const char *name) {
    if (name == NULL)
        return -1;
    for (int i = 0; i < PROVENANCE_COUNT; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}
