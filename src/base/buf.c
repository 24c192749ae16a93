/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"

/* Room for `more` bytes and the NUL. */
static char *reserve(struct buf *b, size_t more) {
    size_t want = more < SIZE_MAX - b->len ? b->len + more + 1 : SIZE_MAX;
    b->data = mem_grow(b->data, &b->cap, want, 1);
    return b->data + b->len;
}

static void advance(struct buf *b, size_t len) {
    b->len += len;
    b->data[b->len] = '\0';
}

void buf_free(struct buf *b) {
    free(b->data);
    *b = (struct buf){0};
}

void buf_clear(struct buf *b) {
    reserve(b, 0);
    b->len = 0;
    b->data[0] = '\0';
}

void buf_put(struct buf *b, const void *p, size_t len) {
    char *end = reserve(b, len);
    if (len > 0)
        memcpy(end, p, len);
    advance(b, len);
}

void buf_puts(struct buf *b, const char *s) {
    buf_put(b, s, strlen(s));
}

void buf_putc(struct buf *b, char c) {
    *reserve(b, 1) = c;
    advance(b, 1);
}

void buf_printf(struct buf *b, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char *end = reserve(b, 127);
    size_t room = b->cap - b->len;
    int n = vsnprintf(end, room, format, args);
    if (n >= 0 && (size_t)n >= room)
        vsnprintf(reserve(b, (size_t)n), (size_t)n + 1, format, again);
    advance(b, n > 0 ? (size_t)n : 0);
    va_end(again);
    va_end(args);
}

void buf_pad(struct buf *b, char c, size_t count) {
    char *end = reserve(b, count);
    memset(end, c, count);
    advance(b, count);
}
