/* SPDX-License-Identifier: MIT */
/*
 * Numbers with units. Locale-independent: LC_NUMERIC is kept "C" by main. All estimates are ranges of three values.
 * GiB = 2^30 bytes, GB = 10^9 bytes, GB/s one direction per GPU, Gbit/s for networks, hours, US dollars.
 */
#ifndef GPUPLAN_BASE_NUM_H
#define GPUPLAN_BASE_NUM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define NUM_GIB 1073741824.0
#define NUM_GB 1e9
#define NUM_UNKNOWN NAN /* a number nobody stated; test with num_known() */

static inline bool num_known(double x) {
    return !isnan(x);
}

/* 10 %, 50 % and 90 % points; low <= expected <= high. */
struct range {
    double low, expected, high;
};

static inline struct range range_exact(double x) {
    return (struct range){x, x, x};
}
static inline struct range range_scale(struct range r, double k) {
    return (struct range){r.low * k, r.expected * k, r.high * k};
}
/* expected * exp(-/+ 1.2816 sigma): the 10 and 90 % points of a log-normal. sigma >= 0. */
struct range range_lognormal(double expected, double sigma);

enum num_unit {
    NUM_PLAIN,
    NUM_COUNT,
    NUM_HOURS,
    NUM_SECONDS,
    NUM_MILLISECONDS,
    NUM_GIB_UNIT,
    NUM_GB_UNIT,
    NUM_GBS,
    NUM_GBPS,
    NUM_MBPS,
    NUM_USD,
    NUM_TOKENS,
    NUM_SHARE
};

/*
 * Parses a whole string: optional sign, decimal digits, exponent, then a suffix that makes sense for the unit:
 *   counts and tokens: k M B/G T (powers of 1000); "8k" of NUM_COUNT and NUM_TOKENS is 8192 for `binary_k`, else 8000
 *   hours: s m/min h d w ("36h", "90m", "2d", a bare number is hours); seconds likewise with s as the bare unit
 *   GiB, GB: GB GiB TB TiB MB MiB (converted); Gbit/s: G T M
 *   share: 0.05 or 5%
 * Rejects empty, NaN, infinity, hexadecimal, trailing text. Never depends on the locale.
 */
bool num_parse(const char *s, enum num_unit unit, bool binary_k, double *out);
/* The same without suffixes, for data cells: a plain finite decimal number, with [0..len) not NUL-terminated. */
bool num_parse_plain(const char *s, size_t len, double *out);

/* Short human texts, no locale: "12.5 h", "3.4 d", "$82", "$0.0113", "1.2k", "78.1 GiB". Return length. */
size_t num_format(char *out, size_t cap, double x, enum num_unit unit);
/* `significant` digits, no exponent for 1e-4..1e15, no trailing zeros: for CSV. NaN gives "". */
size_t num_format_plain(char *out, size_t cap, double x, int significant);

#endif
