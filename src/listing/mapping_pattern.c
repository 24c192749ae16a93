/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions of mapping files. regcomp() and regexec() of the system take exponential time or memory for some: what
 * can do that is refused here (back-references, a repeat of what repeats, long counted repeats), and texts are short.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "listing/mapping.h"

enum { MAX_GROUPS = 16, MAX_REPEAT = 64 };

static const char *after_set(const char *p) {
    p++;
    if (*p == '^')
        p++;
    if (*p == ']')
        p++;
    while (*p && *p != ']') {
        if (p[0] == '[' && p[1] && strchr(":.=", p[1])) {
            const char kind = p[1];
            for (p += 2; *p && !(p[0] == kind && p[1] == ']'); p++)
                continue;
            if (*p)
                p++;
        }
        if (*p)
            p++;
    }
    return *p ? p + 1 : p;
}

/* "{2}", "{2,8}": at most MAX_REPEAT, and not without an end. NULL: another form. */
static const char *after_count(const char *p) {
    long last = -1;
    for (p++; *p && *p != '}'; p++) {
        if (isdigit((unsigned char)*p)) {
            char *end;
            last = strtol(p, &end, 10);
            if (last > MAX_REPEAT)
                return NULL;
            p = end - 1;
        } else if (*p == ',') {
            last = -1;
        } else {
            return NULL;
        }
    }
    return *p && last >= 0 ? p + 1 : NULL;
}

/* What is wrong with it, or NULL. */
static const char *judge(const char *p) {
    bool repeats[MAX_GROUPS + 1] = {false}; /* something inside the open group repeats */
    int depth = 0, groups = 0;
    bool closed = false, closed_repeats = false;
    while (*p) {
        bool is_repeat = *p == '*' || *p == '+' || *p == '{' || *p == '?';
        if (is_repeat) {
            if (closed && closed_repeats && *p != '?')
                return "a repeat of a group that repeats something itself";
            if (*p == '{' && closed)
                return "a counted repeat of a group";
            repeats[depth] |= *p != '?';
            const char *next = *p == '{' ? after_count(p) : p + 1;
            if (!next)
                return "a counted repeat is {N} or {N,M} with M at most 64";
            p = next;
            closed = false;
            if (*p && strchr("*+{?", *p))
                return "two repeats in a row";
            continue;
        }
        closed = false;
        if (*p == '\\') {
            if (isdigit((unsigned char)p[1]))
                return "no back-references";
            p += p[1] ? 2 : 1;
        } else if (*p == '[') {
            p = after_set(p);
        } else if (*p == '(') {
            if (++groups > MAX_GROUPS)
                return "more than 16 groups";
            repeats[++depth] = false;
            p++;
        } else if (*p == ')' && depth > 0) {
            closed = true;
            closed_repeats = repeats[depth--];
            repeats[depth] |= closed_repeats;
            p++;
        } else {
            p++;
        }
    }
    return NULL;
}

regex_t *mapping_pattern(struct mapping *m, const char *text, struct err *err) {
    char why[128];
    if (!*text || strlen(text) > MAPPING_MAX_PATTERN) {
        err_set(err, ERR_DATA, "a regular expression has 1 to %d bytes", MAPPING_MAX_PATTERN);
        return NULL;
    }
    const char *wrong = judge(text);
    if (wrong) {
        err_set(err, ERR_DATA, "regular expression \"%s\": %s", text, wrong);
        return NULL;
    }
    regex_t *pattern = arena_alloc(m->arena, sizeof *pattern);
    int code = regcomp(pattern, text, REG_EXTENDED);
    if (code != 0) {
        regerror(code, pattern, why, sizeof why);
        err_set(err, ERR_DATA, "regular expression \"%s\": %s", text, why);
        return NULL;
    }
    m->patterns = mem_grow(m->patterns, &m->pattern_cap, m->pattern_count + 1, sizeof *m->patterns);
    m->patterns[m->pattern_count++] = pattern;
    return pattern;
}
