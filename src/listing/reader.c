/* SPDX-License-Identifier: MIT */
/* What all readers share: places, clean text, columns by name, ids. */
#include "listing/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"

enum {
    MAX_FILES = 255,
    RELEASE_ROWS = 4096, /* between two notices that bytes are done with */
};

void reader_begin(struct reader *r, const struct listing_context *ctx, struct offers *out, const char *name,
                  const char *bytes) {
    *r = (struct reader){.ctx = ctx, .out = out, .name = name, .bytes = bytes};
    if (out->file_count == MAX_FILES) {
        r->file = MAX_FILES; /* all later files share the last name */
        out->files[MAX_FILES] = reader_put(r, "(more files)");
        return;
    }
    r->file = (uint8_t)out->file_count;
    out->files[out->file_count++] = reader_text(r, name, strlen(name));
}

void reader_end(struct reader *r) {
    idmap_free(&r->cards);
    lookup_free(&r->lookup);
    free(r->card);
    r->card = NULL;
}

void reader_progress(struct reader *r, const char *upto) {
    if (r->out->rows_read++ % RELEASE_ROWS == 0 && r->ctx->release)
        r->ctx->release(r->ctx->release_user, upto);
}

void reader_at(struct reader *r, const struct csv_row *row) {
    r->line = row->line;
    r->record = row->record;
    reader_progress(r, r->bytes + row->consumed);
}

uint32_t reader_text(struct reader *r, const char *s, size_t len) {
    char clean[MAX_TEXT];
    text_trim(&s, &len);
    if (len == 0)
        return 0;
    if (len >= sizeof clean || !text_is_clean(s, len)) {
        len = text_clean(clean, sizeof clean, s, len);
        s = clean;
        text_trim(&s, &len); /* the cut may have left a blank at the end */
    }
    return intern_put(r->out->text, s, len);
}

uint32_t reader_put(struct reader *r, const char *s) {
    return intern_put(r->out->text, s, strlen(s));
}

const char *reader_str(const struct reader *r, uint32_t id) {
    return intern_text(r->out->text, id);
}

void reader_no_gpu(struct reader *r) {
    r->out->rows_no_gpu++;
}

void reader_problem(struct reader *r, const char *field, bool skipped, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    offers_problem(r->out, r->name, r->line, r->record, field, text, skipped);
    if (skipped)
        r->out->rows_skipped++;
}

void columns_resolve(struct column *columns, size_t count, const struct csv_row *header) {
    for (size_t i = 0; i < count; i++) {
        columns[i].index = -1;
        for (size_t c = 0; c < header->count && columns[i].index < 0; c++) {
            const char *s = header->cells[c];
            size_t len = header->lengths[c];
            text_trim(&s, &len);
            if (len == strlen(columns[i].name) && memcmp(s, columns[i].name, len) == 0)
                columns[i].index = (int)c;
        }
    }
}

void reader_explain_columns(struct reader *r, const struct column *columns, size_t count,
                            const struct csv_row *header) {
    struct listing_explain *e = r->ctx->explain;
    for (size_t i = 0; e && i < count; i++)
        if (columns[i].index >= 0)
            listing_explain_add_line(e, "", columns[i].name, "", SIZE_MAX);
    for (size_t c = 0; e && c < header->count; c++) {
        bool used = false;
        for (size_t i = 0; i < count && !used; i++)
            used = columns[i].index == (int)c;
        if (!used)
            listing_explain_add_ignored(e, header->cells[c], header->lengths[c]);
    }
}

const char *column_cell(const struct column *c, const struct csv_row *row, size_t *len) {
    *len = 0;
    if (c->index < 0 || (size_t)c->index >= row->count)
        return "";
    const char *s = row->cells[c->index];
    *len = row->lengths[c->index];
    text_trim(&s, len);
    return s;
}

double column_number(const struct column *c, const struct csv_row *row, bool *bad) {
    size_t len;
    double x;
    const char *s = column_cell(c, row, &len);
    if (len == 0)
        return NUM_UNKNOWN;
    if (num_parse_plain(s, len, &x) && x >= 0)
        return x;
    if (bad)
        *bad = true;
    return NUM_UNKNOWN;
}

bool header_has(const char *bytes, size_t len, const char *const *names) {
    const char *end = memchr(bytes, '\n', len);
    size_t line = end ? (size_t)(end - bytes) : len;
    if (len > 0 && strchr("{[<", bytes[0]))
        return false; /* JSON or a page, whatever words it holds */
    for (; *names; names++) {
        size_t want = strlen(*names);
        bool found = false;
        for (size_t i = 0; !found && i + want <= line; i++) {
            bool starts = i == 0 || !(isalnum((unsigned char)bytes[i - 1]) || bytes[i - 1] == '_');
            bool ends = i + want == line || !(isalnum((unsigned char)bytes[i + want]) || bytes[i + want] == '_');
            found = starts && ends && memcmp(bytes + i, *names, want) == 0;
        }
        if (!found)
            return false;
    }
    return true;
}

int64_t money_micro(double usd) {
    return num_known(usd) ? (int64_t)(usd * 1e6 + 0.5) : 0;
}
