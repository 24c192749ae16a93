/* SPDX-License-Identifier: MIT */
#include "listing/held.h"

#include <string.h>

#include "gpuplan/base/text.h"
#include "listing/payload.h"

enum { NAMES_SHOWN = 6, NAME_BYTES = 40 };

/* Files that stand beside listings and are taken for them. */
static const struct {
    const char *what;
    const char *columns[5]; /* of a table; or keys */
    bool json;
} known[] = {
    {"prices of disks, not of machines", {"Name", "Description", "Price", "Region", NULL}, false},
    {"prices of disks, not of machines", {"PerformanceTier", "PricePerUnit", NULL}, false},
    {"names of accelerators and who has them, no prices", {"AcceleratorName", "Clouds", NULL}, false},
    {"columns of a page about one machine, no offers", {"slug", "rows", "children", NULL}, true},
    {"prices of disks, not of machines", {"spec", "pricePerUnit", "isMultinode", NULL}, true},
};

static bool is_json(const char *bytes, size_t len) {
    text_trim(&bytes, &len);
    return len > 0 && (*bytes == '{' || *bytes == '[');
}

static bool put_name(struct buf *out, const char *s, size_t len, size_t *shown) {
    char clean[NAME_BYTES];
    text_trim(&s, &len);
    if (len == 0)
        return true;
    if (*shown == NAMES_SHOWN) {
        buf_puts(out, ", ...");
        return false;
    }
    text_clean(clean, sizeof clean, s, len);
    buf_printf(out, "%s%s", *shown ? ", " : "", clean);
    ++*shown;
    return true;
}

/* Texts between quotes with a colon behind, as far as they go, each once. */
static void put_keys(const char *bytes, size_t len, struct buf *out) {
    const char *end = bytes + len, *seen[NAMES_SHOWN];
    size_t shown = 0, lengths[NAMES_SHOWN];
    for (const char *p = bytes; (p = memchr(p, '"', (size_t)(end - p))) != NULL;) {
        const char *start = ++p, *close = memchr(p, '"', (size_t)(end - p));
        if (!close)
            return;
        const char *after = close + 1;
        while (after < end && (*after == ' ' || *after == '\n'))
            after++;
        p = close + 1;
        bool again = after == end || *after != ':';
        for (size_t i = 0; i < shown && i < NAMES_SHOWN && !again; i++)
            again = lengths[i] == (size_t)(close - start) && memcmp(seen[i], start, lengths[i]) == 0;
        if (again)
            continue;
        if (shown < NAMES_SHOWN) {
            seen[shown] = start;
            lengths[shown] = (size_t)(close - start);
        }
        if (!put_name(out, start, (size_t)(close - start), &shown))
            return;
    }
}

static void put_columns(const char *bytes, size_t len, struct buf *out) {
    const char *newline = memchr(bytes, '\n', len), *end = newline ? newline : bytes + len;
    char separator = memchr(bytes, ',', (size_t)(end - bytes))    ? ','
                     : memchr(bytes, '\t', (size_t)(end - bytes)) ? '\t'
                                                                  : ';';
    size_t shown = 0;
    for (const char *p = bytes; p < end;) {
        const char *next = memchr(p, separator, (size_t)(end - p));
        if (!put_name(out, p, (size_t)((next ? next : end) - p), &shown))
            return;
        p = next ? next + 1 : end;
    }
}

void held_describe(const char *bytes, size_t len, struct buf *out) {
    bool json = is_json(bytes, len);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].json == json &&
            (json ? payload_has(bytes, len, known[i].columns) : header_has(bytes, len, known[i].columns))) {
            buf_puts(out, known[i].what);
            return;
        }
    const char *start = bytes;
    size_t left = len;
    text_trim(&start, &left);
    if (left > 0 && *start == '<') {
        buf_puts(out, "a web page");
        return;
    }
    buf_puts(out, json ? "JSON with the keys " : "a table with the columns ");
    if (json)
        put_keys(bytes, len, out);
    else
        put_columns(bytes, len, out);
}
