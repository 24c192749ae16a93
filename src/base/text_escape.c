/* SPDX-License-Identifier: MIT */
/* Gates for exits other than the screen: a spreadsheet, a shell, a Markdown table. */
#include <string.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"

static void put_quoted(struct buf *out, const char *s, char quote, const char *instead) {
    for (const char *p; (p = strchr(s, quote)) != NULL; s = p + 1) {
        buf_put(out, s, (size_t)(p - s));
        buf_puts(out, instead);
    }
    buf_puts(out, s);
}

void text_csv_cell(struct buf *out, const char *s) {
    size_t len = strlen(s);
    double number;
    /* Spreadsheets run what begins like this as a formula, and "-5" is no formula. */
    bool formula = len > 0 && strchr("=+-@\t\r", s[0]) != NULL && !num_parse_plain(s, len, &number);
    bool quote = strpbrk(s, ",\"\r\n;\t") != NULL || (len > 0 && (s[0] == ' ' || s[len - 1] == ' '));
    if (quote)
        buf_putc(out, '"');
    if (formula)
        buf_putc(out, '\'');
    put_quoted(out, s, '"', "\"\"");
    if (quote)
        buf_putc(out, '"');
}

void text_shell_word(struct buf *out, const char *s) {
    buf_putc(out, '\'');
    put_quoted(out, s, '\'', "'\\''");
    buf_putc(out, '\'');
}

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

/* An underscore inside a word is plain text in Markdown; gpu_8x_a100 stays readable. */
static bool needs_backslash(const char *s, const char *p) {
    if (strchr("\\`*[]|~@", *p) != NULL)
        return true;
    if (*p == '_')
        return p == s || !is_word(p[-1]) || !is_word(p[1]);
    /* bare links become links by themselves */
    bool after_www = p - s >= 3 && (p[-1] | 32) == 'w' && (p[-2] | 32) == 'w' && (p[-3] | 32) == 'w';
    return (*p == ':' && p[1] == '/' && p[2] == '/') || (*p == '.' && after_www);
}

void text_markdown_cell(struct buf *out, const char *s) {
    for (const char *p = s; *p != '\0'; p++) {
        if (*p == '\n' || *p == '\r')
            buf_putc(out, ' ');
        else if (*p == '<')
            buf_puts(out, "&lt;");
        else if (*p == '>')
            buf_puts(out, "&gt;");
        else if (*p == '&')
            buf_puts(out, "&amp;");
        else {
            if (needs_backslash(s, p))
                buf_putc(out, '\\');
            buf_putc(out, *p);
        }
    }
}
