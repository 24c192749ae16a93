/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/num.h"

enum { MAX_SIGNIFICANT = 17 };

/* Copies what fits; returns the length written. */
static size_t give(char *out, size_t cap, const char *text, size_t len) {
    if (cap == 0)
        return 0;
    if (len >= cap)
        len = cap - 1;
    memcpy(out, text, len);
    out[len] = '\0';
    return len;
}

/*
 * |x| rounded to `significant` digits: digits without trailing zeros into out, the power of ten of the first one into *power.
 * Only the digits of what printf writes are taken, so the radix character of a locale does not matter.
 */
static int digits_of(double x, int significant, char out[MAX_SIGNIFICANT + 1], int *power) {
    char text[48];
    int count = 0;
    const char *p = text;
    snprintf(text, sizeof text, "%.*e", significant - 1, fabs(x));
    for (; *p != 'e' && *p != '\0'; p++)
        if (*p >= '0' && *p <= '9' && count < MAX_SIGNIFICANT)
            out[count++] = *p;
    *power = *p == 'e' ? (int)strtol(p + 1, NULL, 10) : 0;
    while (count > 1 && out[count - 1] == '0')
        count--;
    out[count] = '\0';
    return count;
}

/* Most numbers of a listing are whole and short: no printf for them. False: not one of those. */
static bool put_whole(char *out, size_t cap, double x, int significant, size_t *len) {
    static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    enum { MOST_DIGITS = sizeof tens / sizeof tens[0] - 1 };
    char text[MOST_DIGITS + 1];
    size_t at = sizeof text;
    if (!(fabs(x) < tens[significant < MOST_DIGITS ? significant : MOST_DIGITS]))
        return false;
    long n = (long)x, left = n < 0 ? -n : n;
    if ((double)n < x || (double)n > x)
        return false;
    do
        text[--at] = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (n < 0)
        text[--at] = '-';
    *len = give(out, cap, text + at, sizeof text - at);
    return true;
}

size_t num_format_plain(char *out, size_t cap, double x, int significant) {
    char digits[MAX_SIGNIFICANT + 1], text[64];
    size_t n = 0;
    int power;
    if (!isfinite(x))
        return give(out, cap, "", 0);
    significant = significant < 1 ? 1 : significant > MAX_SIGNIFICANT ? MAX_SIGNIFICANT : significant;
    if (put_whole(out, cap, x, significant, &n))
        return n;
    int count = digits_of(x, significant, digits, &power);
    if (digits[0] == '0')
        return give(out, cap, "0", 1);
    if (x < 0)
        text[n++] = '-';
    if (power < -4 || power >= 15) {
        n += (size_t)snprintf(text + n, sizeof text - n, count > 1 ? "%c.%se%d" : "%c%se%d", digits[0], digits + 1,
                              power);
        return give(out, cap, text, n);
    }
    if (power < 0) {
        text[n++] = '0';
        text[n++] = '.';
        for (int i = -1; i > power; i--)
            text[n++] = '0';
    }
    for (int i = 0; i < count || i <= power; i++) {
        if (power >= 0 && i == power + 1)
            text[n++] = '.';
        text[n++] = i < count ? digits[i] : '0';
    }
    return give(out, cap, text, n);
}

/* ---- short texts for people ---- */

/* x with a fixed number of decimals (0..4) and a unit behind it. */
static size_t fixed(char *out, size_t cap, double x, int decimals, const char *before, const char *after) {
    static const double tens[] = {1, 10, 100, 1000, 10000};
    char text[96], fraction[24] = "";
    if (fabs(x) >= 1e14) { /* past what an integer holds exactly after scaling */
        char plain[40];
        num_format_plain(plain, sizeof plain, fabs(x), 3);
        int n = snprintf(text, sizeof text, "%s%s%s%s", x < 0 ? "-" : "", before, plain, after);
        return give(out, cap, text, (size_t)n);
    }
    long long scaled = llround(fabs(x) * tens[decimals]), unit = (long long)tens[decimals];
    if (decimals > 0) { /* digit by digit: no compiler can tell how long a printed width is */
        long long part = scaled % unit;
        fraction[0] = '.';
        for (int i = decimals; i > 0; i--, part /= 10)
            fraction[i] = (char)('0' + part % 10);
    }
    int n = snprintf(text, sizeof text, "%s%s%lld%s%s", x < 0 && scaled != 0 ? "-" : "", before, scaled / unit,
                     fraction, after);
    return give(out, cap, text, (size_t)n);
}

/* About three significant digits: 0.25, 4.5, 12.5, 131. */
static size_t short_number(char *out, size_t cap, double x, const char *after) {
    double a = fabs(x);
    if (a != 0 && a < 0.01) {
        char text[64];
        size_t n = num_format_plain(text, sizeof text, x, 2);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s", after);
        return give(out, cap, text, n);
    }
    int decimals = a == 0 || a >= 99.95 ? 0 : a >= 0.995 ? 1 : 2;
    return fixed(out, cap, x, decimals, "", after);
}

static size_t format_count(char *out, size_t cap, double x) {
    static const char *const letters[] = {"", "k", "M", "B", "T"};
    int i = 0;
    if (fabs(x) >= 999.5e12)
        return num_format_plain(out, cap, x, 3);
    while (i < 4 && fabs(x) >= 999.5) {
        x /= 1000;
        i++;
    }
    if (x == floor(x))
        return fixed(out, cap, x, 0, "", letters[i]);
    return short_number(out, cap, x, letters[i]);
}

static size_t format_seconds(char *out, size_t cap, double s) {
    double a = fabs(s);
    if (a < 1 && a > 0)
        return short_number(out, cap, s * 1000, " ms");
    if (a < 99.5)
        return short_number(out, cap, s, " s");
    if (a < 99.5 * 60)
        return fixed(out, cap, s / 60, 0, "", " min");
    if (a < 47.95 * 3600)
        return fixed(out, cap, s / 3600, fmod(s, 3600) != 0, "", " h");
    if (a < 1000 * 86400.0)
        return fixed(out, cap, s / 86400, a < 99.95 * 86400 && fmod(s, 86400) != 0, "", " d");
    double years = s / (365.25 * 86400);
    return fabs(years) < 9999.5 ? short_number(out, cap, years, " y") : give(out, cap, "> 10k y", 7);
}

static size_t format_hours(char *out, size_t cap, double h) {
    double a = fabs(h);
    if (a == 0)
        return give(out, cap, "0 h", 3);
    if (a < 1.0 / 60)
        return short_number(out, cap, h * 3600, " s");
    if (a < 0.995)
        return fixed(out, cap, h * 60, 0, "", " min");
    if (a < 47.95)
        return fixed(out, cap, h, h != floor(h), "", " h"); /* a limit that somebody set has no tenths */
    return format_seconds(out, cap, h * 3600);
}

static size_t format_usd(char *out, size_t cap, double x) {
    double a = fabs(x);
    if (a >= 999.5e6)
        return fixed(out, cap, x / 1e9, a < 99.95e9, "$", "B");
    if (a >= 999.5e3)
        return fixed(out, cap, x / 1e6, a < 99.95e6, "$", "M");
    if (a >= 99995)
        return fixed(out, cap, x / 1e3, 0, "$", "k");
    if (a >= 99.995 || a == floor(a))
        return fixed(out, cap, x, 0, "$", "");
    int decimals = a >= 0.0995 ? 2 : a >= 0.00995 ? 3 : 4;
    while (decimals > 2 && llround(a * (decimals == 3 ? 1e3 : 1e4)) % 10 == 0)
        decimals--;
    return fixed(out, cap, x, decimals, "$", "");
}

size_t num_format(char *out, size_t cap, double x, enum num_unit unit) {
    if (isnan(x))
        return give(out, cap, "?", 1);
    if (isinf(x))
        return x > 0 ? give(out, cap, "inf", 3) : give(out, cap, "-inf", 4);
    switch (unit) {
    case NUM_COUNT:
    case NUM_TOKENS:
        return format_count(out, cap, x);
    case NUM_HOURS:
        return format_hours(out, cap, x);
    case NUM_SECONDS:
        return format_seconds(out, cap, x);
    case NUM_MILLISECONDS:
        return short_number(out, cap, x, " ms");
    case NUM_GIB_UNIT:
        return fixed(out, cap, x, fabs(x) < 99.95, "", " GiB");
    case NUM_GB_UNIT:
        return short_number(out, cap, x, " GB");
    case NUM_GBS:
        return short_number(out, cap, x, " GB/s");
    case NUM_GBPS:
        return short_number(out, cap, x, " Gbit/s");
    case NUM_MBPS:
        return short_number(out, cap, x, " Mbit/s");
    case NUM_USD:
        return format_usd(out, cap, x);
    case NUM_SHARE:
        return fixed(out, cap, x * 100, fabs(x) < 0.0995 && x != 0, "", " %");
    case NUM_PLAIN:
        break;
    }
    return num_format_plain(out, cap, x, 4);
}
