/* SPDX-License-Identifier: MIT */
/* Moments as text: RFC 3339 in and out, seconds since 1970 UTC inside. No locale, no time zone of the machine. */
#ifndef GPUPLAN_LISTING_WHEN_H
#define GPUPLAN_LISTING_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "2026-03-22", "2026-03-22T10:00:00Z", with a fraction or an offset, a blank for the T; or plain seconds. 1970 … 2199. */
bool when_parse(const char *s, size_t len, int64_t *out);
size_t when_format(char *out, size_t cap, int64_t seconds); /* "2026-03-22T10:00:00Z"; "" for 0 or less */

#endif
