/* SPDX-License-Identifier: MIT */
/* Private to listing/: what a file holds that is no listing, for the message that refuses it. */
#ifndef GPUPLAN_SRC_LISTING_HELD_H
#define GPUPLAN_SRC_LISTING_HELD_H

#include <stddef.h>

#include "gpuplan/base/buf.h"

/* "prices of disks", "a table with the columns a, b, c", "JSON with the keys a, b", "a web page". Clean text. */
void held_describe(const char *bytes, size_t len, struct buf *out);

#endif
