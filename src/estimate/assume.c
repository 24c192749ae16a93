/* SPDX-License-Identifier: MIT */
#include "gpuplan/estimate/assume.h"

#include <string.h>

#include "gpuplan/base/text.h"

static const struct assumption table[ASSUME_COUNT] = {
#define ASSUME(id, key, low, expected, high, unit, source) {ASSUME_##id, key, {low, expected, high}, unit, source},
#include "gpuplan/estimate/assume.def"
#undef ASSUME
};

/* Constants are efficiencies, bytes, times, prices: none is negative, and none is beyond this. */
static const double largest_value = 1e12;

const struct assumption *assume_table(void) {
    return table;
}

const struct assumption *assume_find(const char *key) {
    for (size_t i = 0; i < ASSUME_COUNT; i++) {
        if (text_equal_fold(key, table[i].key)) {
            return &table[i];
        }
    }
    return NULL;
}

const char *assume_nearest(const char *key) {
    const char *keys[ASSUME_COUNT];
    for (size_t i = 0; i < ASSUME_COUNT; i++) {
        keys[i] = table[i].key;
    }
    return text_nearest(key, keys, ASSUME_COUNT);
}

void assumptions_init(struct assumptions *a) {
    for (size_t i = 0; i < ASSUME_COUNT; i++) {
        a->v[i] = table[i].value;
        a->source[i] = PROVENANCE_ASSUMED;
    }
    a->generation = 0;
}

/* One number between s and end, blanks around it allowed. */
static bool number_between(const char *s, const char *end, double *out) {
    size_t len = (size_t)(end - s);
    text_trim(&s, &len);
    return num_parse_plain(s, len, out);
}

/* "0.8", "0.7..0.9" or "0.6,0.7,0.9". */
static bool range_parse(const char *s, struct range *out) {
    const char *end = s + strlen(s);
    const char *dots = strstr(s, "..");
    const char *comma = strchr(s, ',');

    if (dots != NULL) {
        if (!number_between(s, dots, &out->low) || !number_between(dots + 2, end, &out->high)) {
            return false;
        }
        out->expected = (out->low + out->high) / 2;
        return true;
    }
    if (comma != NULL) {
        const char *second = strchr(comma + 1, ',');
        return second != NULL && number_between(s, comma, &out->low) &&
               number_between(comma + 1, second, &out->expected) && number_between(second + 1, end, &out->high);
    }
    if (!number_between(s, end, &out->expected)) {
        return false;
    }
    *out = range_exact(out->expected);
    return true;
}

bool assumptions_set(struct assumptions *a, const char *key, const char *value, struct err *err) {
    const struct assumption *row = assume_find(key);
    struct range r;

    if (row == NULL) {
        const char *near = assume_nearest(key);
        if (near != NULL) {
            return err_set(err, ERR_USAGE, "no assumption is called '%s'; did you mean '%s'?", key, near);
        }
        return err_set(err, ERR_USAGE, "no assumption is called '%s'; see 'gpuplan list assumptions'", key);
    }
    if (!range_parse(value, &r)) {
        err_set(err, ERR_USAGE, "'%s' is not a value, LOW..HIGH or LOW,EXPECTED,HIGH", value);
        return err_at(err, NULL, 0, 0, row->key);
    }
    if (!(r.low >= 0 && r.low <= r.expected && r.expected <= r.high && r.high <= largest_value)) {
        err_set(err, ERR_USAGE, "'%s' must be 0 <= low <= expected <= high <= 1e12 (%s)", value, row->unit);
        return err_at(err, NULL, 0, 0, row->key);
    }
    a->v[row->id] = r;
    a->source[row->id] = PROVENANCE_DECLARED;
    a->generation++;
    return true;
}
