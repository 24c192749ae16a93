/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/num.h"

/* A document takes about six times its size in memory as a tree. */
static const size_t max_bytes = (size_t)1 << 30;

static long line_of(const char *bytes, const char *at) {
    long line = 1;
    for (const char *p = bytes; (p = memchr(p, '\n', (size_t)(at - p))) != NULL; p++)
        line++;
    return line;
}

/* The character after a string that starts at p (on its quote), or end. */
static const char *skip_string(const char *p, const char *end) {
    for (p++; p < end && *p != '"'; p++)
        if (*p == '\\')
            p++;
    return p < end ? p + 1 : end;
}

/* First bracket that nests deeper than the limit, or NULL: cJSON recurses, so this is looked at before it starts. */
static const char *too_deep(const char *p, const char *end) {
    int depth = 0;
    while (p < end) {
        if (*p == '"') {
            p = skip_string(p, end);
            continue;
        }
        if (*p == '[' || *p == '{') {
            if (++depth > JSON_MAX_DEPTH)
                return p;
        } else if (*p == ']' || *p == '}') {
            depth--;
        }
        p++;
    }
    return NULL;
}

static const char *skip_space(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
        p++;
    return p;
}

/* A plain cell of bytes around the error, for the message. */
static bool fail(struct err *err, const char *name, const char *bytes, const char *at, const char *end,
                 const char *what) {
    int shown = end - at > 24 ? 24 : (int)(end - at);
    const char *newline = memchr(at, '\n', (size_t)shown);
    if (newline != NULL)
        shown = (int)(newline - at);
    if (shown > 0)
        err_set(err, ERR_DATA, "%s at \"%.*s\"", what, shown, at);
    else
        err_set(err, ERR_DATA, "%s", what);
    return err_at(err, name, line_of(bytes, at), 0, NULL);
}

struct cJSON *json_parse(const char *bytes, size_t len, const char *name, struct err *err) {
    if (len > max_bytes) {
        err_set(err, ERR_DATA, "JSON document of %zu bytes; at most %zu are read", len, max_bytes);
        err_at(err, name, 0, 0, NULL);
        return NULL;
    }
    const char *end = bytes + len;
    const char *start = len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? bytes + 3 : bytes;
    if (skip_space(start, end) == end) {
        fail(err, name, bytes, end, end, "empty JSON document");
        return NULL;
    }
    const char *deep = too_deep(start, end);
    if (deep != NULL) {
        fail(err, name, bytes, deep, deep, "JSON nested too deeply");
        return NULL;
    }
    const char *stop = start;
    cJSON *tree = cJSON_ParseWithLengthOpts(start, (size_t)(end - start), &stop, 0);
    if (stop == NULL || stop < start || stop > end)
        stop = start;
    if (tree == NULL) {
        fail(err, name, bytes, stop, end, "not valid JSON");
        return NULL;
    }
    stop = skip_space(stop, end);
    if (stop != end) {
        fail(err, name, bytes, stop, end, "unexpected text after the JSON value");
        cJSON_Delete(tree);
        return NULL;
    }
    return tree;
}

double json_number(const struct cJSON *object, const char *key, double fallback) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    double x;
    if (cJSON_IsNumber(item))
        return isfinite(item->valuedouble) ? item->valuedouble : fallback;
    if (cJSON_IsString(item) && num_parse_plain(item->valuestring, strlen(item->valuestring), &x))
        return x;
    return fallback;
}

const char *json_string(const struct cJSON *object, const char *key, const char *fallback) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : fallback;
}

bool json_bool(const struct cJSON *object, const char *key, bool fallback) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsBool(item) ? cJSON_IsTrue(item) : fallback;
}

/* Ten digits: more than any estimate deserves, and cJSON then prints 0.1 and not 0.10000000000000001. */
static double rounded(double x) {
    char text[40];
    double y;
    if (x == floor(x) && fabs(x) < 9e15)
        return x;
    size_t len = num_format_plain(text, sizeof text, x, 10);
    return num_parse_plain(text, len, &y) ? y : x;
}

void json_add_number(struct cJSON *object, const char *key, double x) {
    if (isfinite(x))
        cJSON_AddNumberToObject(object, key, rounded(x));
    else
        cJSON_AddNullToObject(object, key);
}

void json_add_range(struct cJSON *object, const char *key, const struct range *r) {
    if (r == NULL || !isfinite(r->expected)) {
        cJSON_AddNullToObject(object, key);
        return;
    }
    cJSON *item = cJSON_AddObjectToObject(object, key);
    json_add_number(item, "low", r->low);
    json_add_number(item, "expected", r->expected);
    json_add_number(item, "high", r->high);
}
