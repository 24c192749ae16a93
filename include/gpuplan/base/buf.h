/* SPDX-License-Identifier: MIT */
/* A growing byte buffer; report/ makes bytes into it and cli/ or io/ writes them out. Always NUL-terminated. */
#ifndef GPUPLAN_BASE_BUF_H
#define GPUPLAN_BASE_BUF_H

#include <stddef.h>

struct buf {
    char *data;
    size_t len, cap;
};

void buf_free(struct buf *b); /* leaves an empty, usable buffer */
void buf_clear(struct buf *b);
void buf_put(struct buf *b, const void *p, size_t len);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_pad(struct buf *b, char c, size_t count);

#endif
