/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "gpuplan/base/text.h"
#include "gpuplan/report/report.h"

/* The few characters over 127 that our own texts use. */
static const struct {
    const char *utf8, *ascii;
} plain[] = {{"\342\200\223", "-"}, {"\303\227", "x"},      {"\342\200\246", "~"}, {"\302\267", "|"},
             {"\342\200\224", "-"}, {"\342\206\222", "->"}, {"\342\211\245", ">="}};

static size_t replace(struct buf *b, const char *s) {
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        size_t len = strlen(plain[i].utf8);
        if (strncmp(s, plain[i].utf8, len) == 0) {
            buf_puts(b, plain[i].ascii);
            return len;
        }
    }
    return 0;
}

void style_put(struct buf *b, const struct style *style, const char *text) {
    if (!style->ascii) {
        buf_puts(b, text);
        return;
    }
    while (*text) {
        size_t len = (unsigned char)*text < 0x80 ? 0 : replace(b, text);
        if (len == 0) {
            uint32_t c;
            len = (size_t)text_decode(text, &c);
            if (c < 0x80)
                buf_put(b, text, len);
            else
                buf_putc(b, '?');
        }
        text += len;
    }
}

static void put_word(struct buf *b, const struct style *style, const char *word, size_t len) {
    struct buf piece = {0};
    buf_put(&piece, word, len);
    style_put(b, style, piece.data);
    buf_free(&piece);
}

static int width_of(const char *word, size_t len) {
    struct buf piece = {0};
    buf_put(&piece, word, len);
    int width = text_width(piece.data);
    buf_free(&piece);
    return width;
}

void style_wrap(struct buf *b, const struct style *style, const char *text, int indent) {
    int at = 0;
    while (*text) {
        size_t len = strcspn(text, " \n");
        int width = len ? width_of(text, len) : 0;
        if (at > 0 && at + 1 + width > style->width) {
            buf_putc(b, '\n');
            buf_pad(b, ' ', (size_t)indent);
            at = indent;
        } else if (at > 0 && len > 0) {
            buf_putc(b, ' ');
            at++;
        }
        if (len > 0)
            put_word(b, style, text, len);
        at += width;
        text += len + (text[len] != '\0');
    }
    buf_putc(b, '\n');
}

/* The terminal's own colours, never a background; every judged value has a word as well. */
static const char *const codes[] = {"", "\033[1m", "\033[32m", "\033[33m", "\033[31m", "\033[2m"};

void style_begin(struct buf *b, const struct style *style, enum emphasis role) {
    if (style->color && role != EMPHASIS_PLAIN)
        buf_puts(b, codes[role]);
}

void style_end(struct buf *b, const struct style *style, enum emphasis role) {
    if (style->color && role != EMPHASIS_PLAIN)
        buf_puts(b, "\033[0m");
}
