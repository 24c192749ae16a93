/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/num.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/text.h"

struct range range_lognormal(double expected, double sigma) {
    double k = exp(1.2816 * sigma);
    return (struct range){expected / k, expected, expected * k};
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* A decimal as digits × 10^exponent. Digits past the limit are dropped: they are below what a double can tell apart. */
enum { DECIMAL_DIGITS = 40 };
struct decimal {
    char digits[DECIMAL_DIGITS + 1];
    int count;        /* without leading zeros */
    uint64_t integer; /* the digits, when there are at most 19 */
    int exponent;
    bool negative;
};

static void add_digit(struct decimal *d, char c, bool after_point) {
    if (d->count >= DECIMAL_DIGITS) {
        d->exponent += !after_point;
        return;
    }
    if (d->count > 0 || c != '0')
        d->digits[d->count++] = c;
    if (d->count <= 19)
        d->integer = d->integer * 10 + (uint64_t)(c - '0');
    d->exponent -= after_point;
}

/* Reads "e+12" at p when a digit follows; else leaves p, so that the e can be something else. */
static const char *read_exponent(const char *p, const char *end, struct decimal *d) {
    const char *q = p + 1;
    if (p >= end || (*p != 'e' && *p != 'E'))
        return p;
    bool negative = q < end && *q == '-';
    if (q < end && (*q == '-' || *q == '+'))
        q++;
    if (q >= end || !is_digit(*q))
        return p;
    int e = 0;
    for (; q < end && is_digit(*q); q++)
        if (e < 100000)
            e = e * 10 + (*q - '0');
    d->exponent += negative ? -e : e;
    return q;
}

/* Returns where the number ends, or NULL if none begins at p. */
static const char *read_decimal(const char *p, const char *end, struct decimal *d) {
    int digits = 0;
    d->count = d->exponent = 0;
    d->integer = 0;
    d->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    for (; p < end && is_digit(*p); p++, digits++)
        add_digit(d, *p, false);
    if (p < end && *p == '.')
        for (p++; p < end && is_digit(*p); p++, digits++)
            add_digit(d, *p, true);
    return digits > 0 ? read_exponent(p, end, d) : NULL;
}

/* The C library does the rest; there is no radix character in what it gets, so the locale does not matter. */
static double slow_value(struct decimal *d) {
    char text[DECIMAL_DIGITS + 16];
    d->digits[d->count] = '\0';
    snprintf(text, sizeof text, "%se%d", d->count > 0 ? d->digits : "0", d->exponent);
    return strtod(text, NULL);
}

static double decimal_value(struct decimal *d) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double x;
    /* Both sides are exact in a double, so one operation rounds correctly. */
    if (d->count <= 19 && d->integer <= (uint64_t)1 << 53 && d->exponent >= -22 && d->exponent <= 22) {
        x = (double)d->integer;
        x = d->exponent < 0 ? x / tens[-d->exponent] : x * tens[d->exponent];
    } else {
        x = slow_value(d);
    }
    return d->negative ? -x : x;
}

bool num_parse_plain(const char *s, size_t len, double *out) {
    struct decimal d;
    text_trim(&s, &len);
    if (read_decimal(s, s + len, &d) != s + len || len == 0)
        return false;
    double x = decimal_value(&d);
    if (!isfinite(x))
        return false;
    *out = x;
    return true;
}

/* ---- suffixes ---- */

struct suffix {
    const char *name; /* compared without regard to case */
    double factor;
};

static const struct suffix none[] = {{NULL, 0}};
static const struct suffix counts[] = {{"k", 1e3}, {"m", 1e6}, {"b", 1e9}, {"g", 1e9}, {"t", 1e12}, {NULL, 0}};
static const struct suffix binary_counts[] = {{"k", 1024}, {"m", 1048576}, {"b", 1e9},
                                              {"g", 1e9},  {"t", 1e12},    {NULL, 0}};
#define TIMES(second)                                                                                             \
    {"s", second}, {"sec", second}, {"m", 60 * (second)}, {"min", 60 * (second)}, {"h", 3600 * (second)},         \
        {"hr", 3600 * (second)}, {"hour", 3600 * (second)}, {"hours", 3600 * (second)}, {"d", 86400 * (second)},  \
        {"day", 86400 * (second)}, {"days", 86400 * (second)}, {"w", 604800 * (second)}, {"ms", 1e-3 * (second)}, \
        {"us", 1e-6 * (second)},
static const struct suffix hours[] = {TIMES(1 / 3600.0){NULL, 0}};
static const struct suffix seconds[] = {TIMES(1.0){NULL, 0}};
static const struct suffix milliseconds[] = {TIMES(1000.0){NULL, 0}};
#define BYTES(byte, thousand)                                                                       \
    {"mb", 1e6 * (byte)}, {"gb", 1e9 * (byte)}, {"tb", 1e12 * (byte)}, {"mib", 1048576.0 * (byte)}, \
        {"gib", NUM_GIB * (byte)}, {"tib", 1024 * NUM_GIB * (byte)}, {"m", 1 / (thousand)}, {"g", 1}, {"t", thousand},
static const struct suffix gib[] = {BYTES(1 / NUM_GIB, 1024.0){NULL, 0}};
static const struct suffix gb[] = {BYTES(1 / NUM_GB, 1000.0){NULL, 0}};
static const struct suffix gbs[] = {{"gb/s", 1},   {"g", 1},   {"mb/s", 1e-3}, {"m", 1e-3},
                                    {"tb/s", 1e3}, {"t", 1e3}, {NULL, 0}};
#define BITS(giga)                                                                                     \
    {"gbit/s", giga}, {"gbps", giga}, {"g", giga}, {"mbit/s", 1e-3 * (giga)}, {"mbps", 1e-3 * (giga)}, \
        {"m", 1e-3 * (giga)}, {"tbit/s", 1e3 * (giga)}, {"tbps", 1e3 * (giga)}, {"t", 1e3 * (giga)},
static const struct suffix gbps[] = {BITS(1.0){NULL, 0}};
static const struct suffix mbps[] = {BITS(1e3){NULL, 0}};
static const struct suffix usd[] = {{"usd", 1}, {"k", 1e3}, {"m", 1e6}, {NULL, 0}};
static const struct suffix share[] = {{"%", 0.01}, {NULL, 0}};

static const struct suffix *const suffixes[] = {
    [NUM_PLAIN] = none,
    [NUM_COUNT] = counts,
    [NUM_HOURS] = hours,
    [NUM_SECONDS] = seconds,
    [NUM_MILLISECONDS] = milliseconds,
    [NUM_GIB_UNIT] = gib,
    [NUM_GB_UNIT] = gb,
    [NUM_GBS] = gbs,
    [NUM_GBPS] = gbps,
    [NUM_MBPS] = mbps,
    [NUM_USD] = usd,
    [NUM_TOKENS] = counts,
    [NUM_SHARE] = share,
};

static double suffix_factor(const struct suffix *table, const char *name) {
    for (; table->name != NULL; table++)
        if (text_equal_fold(table->name, name))
            return table->factor;
    return NAN;
}

bool num_parse(const char *s, enum num_unit unit, bool binary_k, double *out) {
    char word[12];
    struct decimal d;
    size_t len = strlen(s);
    text_trim(&s, &len);
    if (unit == NUM_USD && len > 0 && *s == '$') {
        s++;
        len--;
    }
    const char *end = s + len, *rest = read_decimal(s, end, &d);
    if (rest == NULL)
        return false;
    double x = decimal_value(&d);
    size_t rest_len = (size_t)(end - rest);
    text_trim(&rest, &rest_len);
    if (rest_len >= sizeof word)
        return false;
    if (rest_len > 0) {
        memcpy(word, rest, rest_len);
        word[rest_len] = '\0';
        bool counted = unit == NUM_COUNT || unit == NUM_TOKENS;
        x *= suffix_factor(binary_k && counted ? binary_counts : suffixes[unit], word);
    }
    if (!isfinite(x))
        return false;
    *out = x;
    return true;
}
