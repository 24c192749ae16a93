/* SPDX-License-Identifier: MIT */
/*
 * JSON through cJSON, with the checks that hostile input needs: size and depth limits, duplicate-free access by
 * case-sensitive name, numbers finite. Callers include <cjson/cJSON.h> for the tree itself.
 */
#ifndef GPUPLAN_BASE_JSON_H
#define GPUPLAN_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/err.h"

struct cJSON;

enum { JSON_MAX_DEPTH = 64 };

/* Parses bytes[0..len); trailing text other than white space is an error. NULL on error (err has the line). Free with cJSON_Delete. */
struct cJSON *json_parse(const char *bytes, size_t len, const char *name, struct err *err);
/* Absent, null or of another type: the default. A number in a string counts as a number. */
double json_number(const struct cJSON *object, const char *key, double fallback);
const char *json_string(const struct cJSON *object, const char *key, const char *fallback);
bool json_bool(const struct cJSON *object, const char *key, bool fallback);

/* Builders that turn NaN and infinity into null. */
void json_add_number(struct cJSON *object, const char *key, double x);
struct range;
void json_add_range(struct cJSON *object, const char *key, const struct range *r); /* NULL or unknown expected: null */

#endif
