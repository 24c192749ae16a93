/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/text.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

enum { MAX_MARKS = 2 };

/* What becomes of a code point at the gate. */
enum fate {
    FATE_KEEP,
    FATE_MARK,    /* width 0: kept while its base has fewer than two */
    FATE_ESCAPE,  /* shown as \xNN or \u{NNNN} */
    FATE_REPLACE, /* U+FFFD */
};

struct span {
    uint32_t first, last;
};

/*
 * Printable code points whose width glibc 2.36 and utf8proc 2.6 disagree on (a cursor that is one cell off damages the whole
 * row): conjoining Jamo, symbols that are narrow here and wide there, and what Unicode 15 added. Spacing marks (Mc) are all
 * disputed and are found by their category. tests/test_base.c goes through every code point.
 */
static const struct span disputed[] = {
    {0x1160, 0x11FF},   {0x3248, 0x324F},   {0x4DC0, 0x4DFF},   {0xD7B0, 0xD7C6},   {0xD7CB, 0xD7FB},
    {0x0ECE, 0x0ECE},   {0x10EFD, 0x10EFF}, {0x1123F, 0x11241}, {0x11B00, 0x11B09}, {0x11F00, 0x11F59},
    {0x1342F, 0x1342F}, {0x13440, 0x13455}, {0x1B132, 0x1B132}, {0x1B155, 0x1B155}, {0x1D2C0, 0x1D2D3},
    {0x1DF25, 0x1DF2A}, {0x1E030, 0x1E06D}, {0x1E08F, 0x1E08F}, {0x1E4D0, 0x1E4F9}, {0x1F6DC, 0x1F6DC},
    {0x1F774, 0x1F776}, {0x1F77B, 0x1F77F}, {0x1F7D9, 0x1F7D9}, {0x1FA75, 0x1FA77}, {0x1FA87, 0x1FA88},
    {0x1FAAD, 0x1FAAF}, {0x1FABB, 0x1FABD}, {0x1FABF, 0x1FABF}, {0x1FACE, 0x1FACF}, {0x1FADA, 0x1FADB},
    {0x1FAE8, 0x1FAE8}, {0x1FAF7, 0x1FAF8}, {0x2B739, 0x2B739}, {0x31350, 0x323AF},
};

/* Invisible by design although their category says letter or mark: joiners, fillers, variation selectors, tags. */
static const struct span invisible[] = {
    {0x034F, 0x034F}, {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F},   {0x2065, 0x2065},   {0x3164, 0x3164},
    {0xFE00, 0xFE0F}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0x1D159, 0x1D159}, {0xE0000, 0xE0FFF},
};

static bool in_spans(const struct span *spans, size_t count, uint32_t c) {
    for (size_t i = 0; i < count; i++)
        if (c >= spans[i].first && c <= spans[i].last)
            return true;
    return false;
}

static enum fate fate_of(uint32_t c) {
    if (c < 0x7f)
        return c >= 0x20 ? FATE_KEEP : FATE_ESCAPE;
    if (c < 0xa0)
        return FATE_ESCAPE;
    if (in_spans(invisible, sizeof invisible / sizeof *invisible, c))
        return FATE_ESCAPE;
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return FATE_ESCAPE;
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_MC:
        return FATE_REPLACE;
    default:
        break;
    }
    if (in_spans(disputed, sizeof disputed / sizeof *disputed, c))
        return FATE_REPLACE;
    return utf8proc_charwidth((utf8proc_int32_t)c) == 0 ? FATE_MARK : FATE_KEEP;
}

/* One code point of s[0..len), len > 0. Returns bytes used; *c is -1 for a byte that is not UTF-8. */
static size_t decode(const char *s, size_t len, utf8proc_int32_t *c) {
    utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)s, (utf8proc_ssize_t)(len < 4 ? len : 4), c);
    if (used > 0)
        return (size_t)used;
    *c = -1;
    return 1;
}

static size_t put_escape(char *piece, size_t cap, uint32_t c) {
    int n = c < 0x80 ? snprintf(piece, cap, "\\x%02x", c) : snprintf(piece, cap, "\\u{%04X}", c);
    return n > 0 ? (size_t)n : 0;
}

/* Walks text through the gate: what stands at src becomes piece[0..piece_len), *marks counts the marks on the base. */
static size_t clean_one(const char *src, size_t len, char *piece, size_t *piece_len, int *marks) {
    enum { PIECE = 16 };
    utf8proc_int32_t c;
    size_t used = decode(src, len, &c);
    if (c < 0) {
        *piece_len = (size_t)snprintf(piece, PIECE, "\\x%02x", (unsigned)(unsigned char)*src);
        *marks = 0;
        return used;
    }
    enum fate fate = fate_of((uint32_t)c);
    if (fate == FATE_MARK && *marks >= MAX_MARKS) {
        *piece_len = 0; /* a pile of marks says nothing more than two of them */
        return used;
    }
    if (fate == FATE_MARK && *marks < 0)
        fate = FATE_REPLACE; /* at the start it would sit on what the screen has to the left */
    *marks = fate == FATE_MARK ? *marks + 1 : 0;
    if (fate == FATE_ESCAPE) {
        *piece_len = put_escape(piece, PIECE, (uint32_t)c);
    } else if (fate == FATE_REPLACE) {
        *piece_len = 3;
        memcpy(piece, "\xef\xbf\xbd", 3);
    } else {
        *piece_len = used;
        memcpy(piece, src, used);
    }
    return used;
}

size_t text_clean(char *out, size_t cap, const char *src, size_t len) {
    size_t n = 0;
    int marks = -1; /* no base yet */
    for (size_t i = 0; i < len;) {
        unsigned char b = (unsigned char)src[i];
        if (b >= 0x20 && b < 0x7f) {
            if (n + 1 >= cap)
                break;
            out[n++] = src[i++];
            marks = 0;
            continue;
        }
        char piece[16];
        size_t piece_len;
        i += clean_one(src + i, len - i, piece, &piece_len, &marks);
        if (piece_len >= cap - n)
            break;
        memcpy(out + n, piece, piece_len);
        n += piece_len;
    }
    out[n] = '\0';
    return n;
}

bool text_is_clean(const char *s, size_t len) {
    int marks = -1;
    for (size_t i = 0; i < len;) {
        unsigned char b = (unsigned char)s[i];
        if (b >= 0x20 && b < 0x7f) {
            i++;
            marks = 0;
            continue;
        }
        char piece[16];
        size_t piece_len;
        size_t used = clean_one(s + i, len - i, piece, &piece_len, &marks);
        if (piece_len != used || memcmp(piece, s + i, used) != 0)
            return false;
        i += used;
    }
    return true;
}

int text_decode(const char *s, uint32_t *code_point) {
    utf8proc_int32_t c;
    if (*s == '\0') {
        *code_point = 0;
        return 0;
    }
    size_t used = decode(s, strnlen(s, 4), &c);
    *code_point = c < 0 ? 0xFFFD : (uint32_t)c;
    return (int)used;
}

int text_char_width(uint32_t code_point) {
    if (code_point >= 0x20 && code_point < 0x7f)
        return 1;
    if (code_point > 0x10FFFF)
        return 1;
    int width = utf8proc_charwidth((utf8proc_int32_t)code_point);
    return width < 0 ? 0 : width > 2 ? 2 : width;
}

int text_width(const char *s) {
    int width = 0;
    uint32_t c;
    for (int used; (used = text_decode(s, &c)) > 0; s += used)
        width += text_char_width(c);
    return width;
}

size_t text_fit(const char *s, int columns, int *used) {
    const char *p = s;
    int width = 0;
    uint32_t c;
    for (int bytes; (bytes = text_decode(p, &c)) > 0; p += bytes) {
        int w = text_char_width(c);
        if (w > columns - width) /* marks (0) still go with their base */
            break;
        width += w;
    }
    if (used != NULL)
        *used = width;
    return (size_t)(p - s);
}
