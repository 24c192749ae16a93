/* SPDX-License-Identifier: MIT */
#include "gpuplan/report/json_out.h"

static void put_text(struct buf *b, const char *s) {
    buf_putc(b, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') {
            buf_putc(b, '\\');
            buf_putc(b, *s);
        } else if (c < 0x20) {
            buf_printf(b, "\\u%04x", c);
        } else {
            buf_putc(b, *s);
        }
    }
    buf_putc(b, '"');
}

static bool is_flat(const struct json_out *j) {
    return j->depth > 0 && j->flat[j->depth - 1];
}

/* Comma, line break, indent and key of what comes next. */
static void next(struct json_out *j, const char *key) {
    if (j->depth > 0) {
        bool first = !j->any[j->depth - 1];
        j->any[j->depth - 1] = true;
        if (!first)
            buf_putc(j->b, ',');
        if (!is_flat(j)) {
            buf_putc(j->b, '\n');
            buf_pad(j->b, ' ', (size_t)j->depth * 2);
        } else if (!first) {
            buf_putc(j->b, ' ');
        }
    }
    if (key) {
        put_text(j->b, key);
        buf_puts(j->b, ": ");
    }
}

static void begin(struct json_out *j, const char *key, char bracket) {
    next(j, key);
    buf_putc(j->b, bracket);
    if (j->depth < JSON_OUT_DEPTH) {
        j->flat[j->depth] = is_flat(j);
        j->any[j->depth] = false;
        j->depth++;
    }
}

void json_out_object(struct json_out *j, const char *key) {
    begin(j, key, '{');
}

void json_out_array(struct json_out *j, const char *key) {
    begin(j, key, '[');
}

void json_out_flat(struct json_out *j) {
    j->flat[j->depth - 1] = true;
}

void json_out_end(struct json_out *j, char bracket) {
    bool flat = is_flat(j), any = j->any[j->depth - 1];
    j->depth--;
    if (any && !flat) {
        buf_putc(j->b, '\n');
        buf_pad(j->b, ' ', (size_t)j->depth * 2);
    }
    buf_putc(j->b, bracket);
    if (j->depth == 0)
        buf_putc(j->b, '\n');
}

static void put_number(struct buf *b, double x) {
    char text[40];
    static const int digits = 9;
    buf_puts(b, num_format_plain(text, sizeof text, x, digits) > 0 ? text : "null");
}

void json_out_number(struct json_out *j, const char *key, double x) {
    next(j, key);
    put_number(j->b, x);
}

void json_out_range(struct json_out *j, const char *key, struct range r) {
    if (!num_known(r.expected)) {
        json_out_null(j, key);
        return;
    }
    json_out_object(j, key);
    json_out_flat(j);
    json_out_number(j, "low", r.low);
    json_out_number(j, "expected", r.expected);
    json_out_number(j, "high", r.high);
    json_out_end(j, '}');
}

void json_out_text(struct json_out *j, const char *key, const char *s) {
    next(j, key);
    if (s)
        put_text(j->b, s);
    else
        buf_puts(j->b, "null");
}

void json_out_bool(struct json_out *j, const char *key, bool x) {
    json_out_raw(j, key, x ? "true" : "false");
}

void json_out_null(struct json_out *j, const char *key) {
    json_out_raw(j, key, "null");
}

void json_out_raw(struct json_out *j, const char *key, const char *json) {
    next(j, key);
    buf_puts(j->b, json);
}
