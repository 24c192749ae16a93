/* SPDX-License-Identifier: MIT */
#include "listing/payload.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"

bool payload_open(struct payload *p, const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                  const char *source, struct offers *out, struct err *err) {
    *p = (struct payload){.tree = json_parse(bytes, len, name, err)};
    if (!p->tree)
        return false;
    reader_begin(&p->base, ctx, out, name, bytes);
    if (ctx->release)
        ctx->release(ctx->release_user, bytes + len); /* the tree has its own copies */
    p->source = reader_put(&p->base, source);
    return true;
}

void payload_close(struct payload *p) {
    reader_end(&p->base);
    cJSON_Delete(p->tree);
    p->tree = NULL;
}

void payload_row(struct payload *p) {
    p->base.record++;
    p->base.out->rows_read++;
}

struct offer payload_offer(struct payload *p) {
    struct offer f = offer_empty;
    f.source = p->source;
    return f;
}

uint32_t payload_text(struct payload *p, const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    char number[32];
    if (cJSON_IsString(item))
        return reader_text(&p->base, item->valuestring, strlen(item->valuestring));
    if (!cJSON_IsNumber(item))
        return 0;
    return reader_text(&p->base, number, num_format_plain(number, sizeof number, item->valuedouble, 15));
}

double payload_number(const cJSON *object, const char *key, double least, double most) {
    double x = json_number(object, key, NUM_UNKNOWN);
    return x >= least && x <= most ? x : NUM_UNKNOWN;
}

bool payload_add(struct payload *p, struct offer *f, double listed_gb, enum vram_scope scope) {
    return reader_settle_card(&p->base, f, listed_gb, scope) && reader_add(&p->base, f);
}

/* "key" with its colon: the same word as a value does not count. */
static bool has_key(const char *bytes, size_t len, const char *key) {
    size_t want = strlen(key);
    const char *end = bytes + len;
    for (const char *p = bytes; (p = memmem(p, (size_t)(end - p), key, want)) != NULL; p++) {
        const char *after = p + want;
        if (p == bytes || p[-1] != '"' || after == end || *after != '"')
            continue;
        for (after++; after < end && (*after == ' ' || *after == '\n' || *after == '\r' || *after == '\t'); after++)
            ;
        if (after < end && *after == ':')
            return true;
    }
    return false;
}

/* One object a line: another format, whose rows may quote the answers of providers. */
static bool is_lines(const char *bytes, size_t len) {
    const char *newline = memchr(bytes, '\n', len);
    size_t end = newline ? (size_t)(newline - bytes) : 0;
    while (end > 0 && (bytes[end - 1] == '\r' || bytes[end - 1] == ' '))
        end--;
    return newline && end > 1 && bytes[0] == '{' && bytes[end - 1] == '}' && newline + 1 < bytes + len && newline[1] == '{';
}

bool payload_has(const char *bytes, size_t len, const char *const *keys) {
    size_t start = 0;
    while (start < len && strchr(" \t\r\n", bytes[start]) && bytes[start] != '\0')
        start++;
    if (start == len || (bytes[start] != '{' && bytes[start] != '[') || is_lines(bytes + start, len - start))
        return false;
    for (; *keys; keys++)
        if (!has_key(bytes, len, *keys))
            return false;
    return true;
}
