/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON straight into a buffer, indented, in the order of the calls. Numbers have nine significant digits; what is not
 * known is null. Text must have passed text_clean().
 */
#ifndef GPUPLAN_REPORT_JSON_OUT_H
#define GPUPLAN_REPORT_JSON_OUT_H

#include <stdbool.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/num.h"

enum { JSON_OUT_DEPTH = 16 };
struct json_out {
    struct buf *b;
    int depth;
    bool flat[JSON_OUT_DEPTH]; /* on one line */
    bool any[JSON_OUT_DEPTH];
};

/* key NULL: an element of an array, or the whole document. */
void json_out_object(struct json_out *j, const char *key);
void json_out_array(struct json_out *j, const char *key);
void json_out_flat(struct json_out *j);              /* the object or array just begun stays on one line */
void json_out_end(struct json_out *j, char bracket); /* '}' or ']' */
void json_out_number(struct json_out *j, const char *key, double x);
void json_out_range(struct json_out *j, const char *key,
                    struct range r);                                    /* null when the expected value is not known */
void json_out_text(struct json_out *j, const char *key, const char *s); /* NULL: null */
void json_out_bool(struct json_out *j, const char *key, bool x);
void json_out_null(struct json_out *j, const char *key);
void json_out_raw(struct json_out *j, const char *key, const char *json);

#endif
