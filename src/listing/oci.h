/* SPDX-License-Identifier: MIT */
/* Private to listing/: shapes of Oracle Cloud that wait for the prices of their parts. */
#ifndef GPUPLAN_SRC_LISTING_OCI_H
#define GPUPLAN_SRC_LISTING_OCI_H

#include "listing/reader.h"

void oci_free(struct oci *o);
/* Whether another file may still make offers of what was read, or what was read may price another file. */
bool oci_is_waiting(const struct offers *out);
/* After all files: names what is still without a price. */
void oci_finish(struct offers *out);

#endif
