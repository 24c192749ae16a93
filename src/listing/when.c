/* SPDX-License-Identifier: MIT */
/* Days are counted with the civil calendar formula, so no call depends on the machine's time zone. */
#include "gpuplan/listing/when.h"

#include <stdio.h>
#include <string.h>

enum { DAY_S = 86400, MIN_YEAR = 1970, MAX_YEAR = 2199 };

struct cursor {
    const char *p, *end;
};

static bool take(struct cursor *c, char want) {
    if (c->p == c->end || *c->p != want)
        return false;
    c->p++;
    return true;
}

static bool digits(struct cursor *c, int count, int *out) {
    int value = 0;
    for (int i = 0; i < count; i++, c->p++) {
        if (c->p == c->end || *c->p < '0' || *c->p > '9')
            return false;
        value = value * 10 + (*c->p - '0');
    }
    *out = value;
    return true;
}

/* Days since 1970-01-01 of the Gregorian calendar; March starts the year so that the leap day comes last. */
static int64_t days_from_civil(int year, int month, int day) {
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = y / 400, year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static bool parse_date(struct cursor *c, int64_t *days) {
    static const int lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;
    if (!digits(c, 4, &year) || !take(c, '-') || !digits(c, 2, &month) || !take(c, '-') || !digits(c, 2, &day))
        return false;
    if (year < MIN_YEAR || year > MAX_YEAR || month < 1 || month > 12 || day < 1 || day > lengths[month - 1])
        return false;
    *days = days_from_civil(year, month, day);
    return true;
}

static bool parse_clock(struct cursor *c, int64_t *seconds) {
    int hour, minute, second = 0;
    if (!digits(c, 2, &hour) || !take(c, ':') || !digits(c, 2, &minute) || (take(c, ':') && !digits(c, 2, &second)))
        return false;
    if (hour > 23 || minute > 59 || second > 60)
        return false;
    if (take(c, '.'))
        while (c->p < c->end && *c->p >= '0' && *c->p <= '9')
            c->p++;
    *seconds = hour * 3600 + minute * 60 + second;
    return true;
}

static bool parse_offset(struct cursor *c, int64_t *seconds) {
    *seconds = 0;
    if (c->p == c->end || take(c, 'Z') || take(c, 'z'))
        return true;
    int sign = take(c, '+') ? 1 : take(c, '-') ? -1 : 0;
    int hour, minute = 0;
    if (sign == 0 || !digits(c, 2, &hour) || hour > 14)
        return false;
    take(c, ':');
    if (c->p < c->end && (!digits(c, 2, &minute) || minute > 59))
        return false;
    *seconds = sign * (hour * 3600 + minute * 60);
    return true;
}

static bool parse_epoch(const char *s, size_t len, int64_t *out) {
    int64_t value = 0;
    size_t i = 0;
    for (; i < len && i < 10 && s[i] >= '0' && s[i] <= '9'; i++)
        value = value * 10 + (s[i] - '0');
    if (i < len && s[i] == '.') /* 1753486200.25 */
        for (i++; i < len && s[i] >= '0' && s[i] <= '9';)
            i++;
    *out = value;
    return i == len && value >= DAY_S;
}

bool when_parse(const char *s, size_t len, int64_t *out) {
    struct cursor c = {s, s + len};
    int64_t days, clock = 0, offset = 0;
    if (len > 4 && !memchr(s, '-', len))
        return parse_epoch(s, len, out);
    if (!parse_date(&c, &days))
        return false;
    if (c.p < c.end && ((!take(&c, 'T') && !take(&c, 't') && !take(&c, ' ')) || !parse_clock(&c, &clock) ||
                        !parse_offset(&c, &offset)))
        return false;
    *out = days * DAY_S + clock - offset;
    return c.p == c.end && *out > 0;
}

static void civil_from_days(int64_t days, int *year, int *month, int *day) {
    days += 719468;
    int64_t era = days / 146097, of_era = days - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * shifted + 2) / 5 + 1);
    *month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
    *year = (int)(year_of_era + era * 400 + (*month <= 2));
}

size_t when_format(char *out, size_t cap, int64_t seconds) {
    if (cap == 0)
        return 0;
    out[0] = '\0';
    if (seconds <= 0 || seconds >= days_from_civil(MAX_YEAR + 1, 1, 1) * DAY_S)
        return 0;
    int year, month, day, clock = (int)(seconds % DAY_S);
    civil_from_days(seconds / DAY_S, &year, &month, &day);
    int len = snprintf(out, cap, "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month, day, clock / 3600, clock / 60 % 60,
                       clock % 60);
    return len < 0 ? 0 : (size_t)len < cap ? (size_t)len : cap - 1;
}
