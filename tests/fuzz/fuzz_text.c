/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "gpuplan/base/buf.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"

static void gate(const char *bytes, size_t len) {
    char out[512], again[512];
    size_t cap = len > 0 ? 1 + (size_t)(unsigned char)bytes[0] : sizeof out;
    size_t n = text_clean(out, cap, bytes, len);
    FUZZ_ASSERT(n < cap && out[n] == '\0' && strlen(out) == n);
    FUZZ_ASSERT(text_is_clean(out, n));
    FUZZ_ASSERT(text_clean(again, sizeof again, out, n) == n && memcmp(out, again, n) == 0);
    int width = text_width(out), used;
    for (int columns = 0; columns <= width; columns++) {
        size_t fit = text_fit(out, columns, &used);
        FUZZ_ASSERT(fit <= n && used <= columns && text_is_clean(out, fit));
    }
}

static void numbers(const char *s, size_t len) {
    char text[64];
    double x = 0, y = 0;
    for (int unit = NUM_PLAIN; unit <= NUM_SHARE; unit++) {
        if (!num_parse(s, (enum num_unit)unit, len % 2 == 0, &x))
            continue;
        FUZZ_ASSERT(isfinite(x));
        size_t n = num_format(text, sizeof text, x, (enum num_unit)unit);
        FUZZ_ASSERT(n > 0 && text_is_clean(text, n));
    }
    if (num_parse_plain(s, len, &x)) {
        size_t n = num_format_plain(text, sizeof text, x, 17);
        FUZZ_ASSERT(num_parse_plain(text, n, &y) && x == y);
    }
}

static void exits(const char *s) {
    static const char *const names[] = {"deadline_h", "seq_len", "tp", ""};
    struct buf b = {0};
    text_csv_cell(&b, s);
    text_shell_word(&b, s);
    text_markdown_cell(&b, s);
    buf_free(&b);
    text_nearest(s, names, sizeof names / sizeof *names);
    text_contains_fold(s, "h100");
}

FUZZ(text)
{
    char *copy = malloc(len + 1);
    FUZZ_ASSERT(copy != NULL);
    memcpy(copy, bytes, len);
    copy[len] = '\0';
    gate(bytes, len);
    numbers(copy, strlen(copy));
    exits(copy);
    free(copy);
    return 0;
}
