/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "gpuplan/base/text.h"

/* <ctype.h> follows the locale; names and keys are ASCII. */
static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool text_equal_fold(const char *a, const char *b) {
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

static bool starts_fold(const char *s, const char *prefix) {
    while (*prefix != '\0' && lower(*s) == lower(*prefix)) {
        s++;
        prefix++;
    }
    return *prefix == '\0';
}

bool text_contains_fold(const char *haystack, const char *needle) {
    if (*needle == '\0')
        return true;
    char first = lower(*needle);
    for (; *haystack != '\0'; haystack++)
        if (lower(*haystack) == first && starts_fold(haystack, needle))
            return true;
    return false;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

void text_trim(const char **s, size_t *len) {
    while (*len > 0 && is_space((*s)[0])) {
        (*s)++;
        (*len)--;
    }
    while (*len > 0 && is_space((*s)[*len - 1]))
        (*len)--;
}

enum { NEAREST_MAX = 64 }; /* longer words are no slips of the finger */

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Optimal string alignment: edits and swaps of neighbours, three rows at a time. */
static int distance(const char *a, size_t a_len, const char *b, size_t b_len) {
    int rows[3][NEAREST_MAX + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= b_len; j++)
        last[j] = (int)j;
    memcpy(before, last, sizeof rows[0]);
    for (size_t i = 1; i <= a_len; i++) {
        now[0] = (int)i;
        for (size_t j = 1; j <= b_len; j++) {
            int differs = lower(a[i - 1]) != lower(b[j - 1]);
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + differs);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[b_len];
}

static const char *skip_marks(const char *s) {
    return s + strspn(s, "-_. ");
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/*
 * Whether the name begins with the word, without case and the marks that people leave out: "llama3" begins "llama-3.1-8b",
 * but not "llama-33b", where its number would be another.
 */
static bool is_begun_by(const char *name, const char *word) {
    char last = '\0';
    for (word = skip_marks(word), name = skip_marks(name); *word != '\0'; word = skip_marks(word + 1)) {
        if (lower(*name) != lower(*word))
            return false;
        last = *word;
        name++;
        if (word[1] != '\0')
            name = skip_marks(name);
    }
    return last != '\0' && !(is_digit(last) && is_digit(*name));
}

/* The shortest name that the word begins; one or two letters are the beginning of too much. */
static const char *nearest_longer(const char *word, const char *const *names, size_t count) {
    enum { LEAST_LETTERS = 3 };
    size_t best_len = NEAREST_MAX;
    const char *best = NULL;
    for (size_t i = 0; i < count && strlen(word) >= LEAST_LETTERS; i++) {
        size_t len = strlen(names[i]);
        if (len < best_len && is_begun_by(names[i], word)) {
            best = names[i];
            best_len = len;
        }
    }
    return best;
}

const char *text_nearest(const char *word, const char *const *names, size_t count) {
    size_t len = strlen(word);
    const char *best = NULL;
    int best_distance = NEAREST_MAX;
    if (len == 0 || len > NEAREST_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t name_len = strlen(names[i]);
        if (name_len > NEAREST_MAX)
            continue;
        size_t longer = len > name_len ? len : name_len;
        int d = distance(word, len, names[i], name_len);
        if (d < best_distance && d <= (int)((longer + 2) / 3)) {
            best = names[i];
            best_distance = d;
        }
    }
    const char *longer = best_distance > 1 ? nearest_longer(word, names, count) : NULL;
    return longer != NULL ? longer : best;
}
