/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/csv.h"

#include <csv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"

/*
 * The text is taken line by line, so that every record knows its line. A line that is a whole record, its quotes where they
 * belong, is split here (ten times faster); all others go through libcsv until their record ends.
 */
/* One more, so that a row that is too long is seen to be longer than any header. */
enum { CELLS = CSV_MAX_COLUMNS + 1 };

/*
 * States of libcsv's parser. It tells of an open quote only in its strict mode, which refuses the stray quotes that real
 * files have.
 */
enum { LIBCSV_BETWEEN_RECORDS = 0, LIBCSV_IN_FIELD = 2 };

struct reader {
    const struct csv_handler *handler;
    struct err *err;
    const char *name;
    struct csv_parser parser;
    char delimiter;
    bool inside;  /* libcsv is in the middle of a record */
    bool stopped; /* a callback said no, or the text is broken */
    bool header_seen;
    size_t header_count;
    long line, record, start_line;
    size_t consumed;     /* up to the end of the line at hand: its cells are copies */
    size_t record_bytes; /* of the record that libcsv is in */
    char *bytes;         /* cells of the record, each with its NUL */
    size_t used, cap, count;
    size_t starts[CELLS];
    size_t lengths[CELLS];
    const char *cells[CELLS];
};

static bool stop(struct reader *r, long line, const char *what) {
    r->stopped = true;
    err_set(r->err, ERR_DATA, "%s", what);
    return err_at(r->err, r->name, line, 0, NULL);
}

static bool is_blank(const struct reader *r) {
    return r->count == 0 || (r->count == 1 && strspn(r->bytes, " \t") == r->lengths[0]);
}

/* Hands the finished record over. */
static void emit(struct reader *r) {
    if (!is_blank(r)) {
        for (size_t i = 0; i < r->count; i++)
            r->cells[i] = r->bytes + r->starts[i];
        for (size_t i = r->count; i < r->header_count; i++) {
            r->cells[i] = "";
            r->lengths[i] = 0;
        }
        struct csv_row row = {r->start_line, r->record, r->count, r->cells, r->lengths, r->consumed};
        bool going = true;
        if (!r->header_seen) {
            r->header_seen = true;
            if (r->count > CSV_MAX_COLUMNS)
                going = stop(r, r->start_line, "too many columns");
            r->header_count = r->count;
            if (going && r->handler->header != NULL)
                going = r->handler->header(r->handler->user, &row, r->err);
        } else {
            row.record = ++r->record;
            going = r->handler->row(r->handler->user, &row, r->err);
        }
        r->stopped = !going;
    }
    r->used = r->count = r->record_bytes = 0;
}

static void add_cell(struct reader *r, const char *s, size_t len) {
    if (r->count == CELLS)
        return;
    r->bytes = mem_grow(r->bytes, &r->cap, r->used + len + 1, 1);
    if (len > 0)
        memcpy(r->bytes + r->used, s, len);
    r->bytes[r->used + len] = '\0';
    r->starts[r->count] = r->used;
    r->lengths[r->count++] = len;
    r->used += len + 1;
}

/* ---- lines that are a whole record: split here ---- */

static uint64_t each_byte(char c) {
    return 0x0101010101010101u * (unsigned char)c;
}

/* The high bit of every byte that is zero, and of no other. */
static uint64_t zero_bytes(uint64_t word) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    return ~(((word & low) + low) | word | low);
}

/*
 * The high bit of every byte at p that is one of the two, the first byte lowest. Eight bytes are looked at: the copy of the line
 * has as many to spare.
 */
static uint64_t find_either(const char *p, uint64_t a, uint64_t b) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return zero_bytes(word ^ a) | zero_bytes(word ^ b);
}

static void end_cell(struct reader *r, char *start, char *end) {
    *end = '\0';
    if (r->count == CELLS)
        return;
    r->starts[r->count] = (size_t)(start - r->bytes);
    r->lengths[r->count++] = (size_t)(end - start);
}

/* From the byte after the opening quote to the one after the closing quote, unquoted in place; NULL when there is none. */
static char *unquote(char *start, char *end, char **text_end) {
    char *out = start;
    for (char *p = start;;) {
        char *quote = memchr(p, '"', (size_t)(end - p));
        if (quote == NULL)
            return NULL;
        size_t part = (size_t)(quote - p);
        if (out != p)
            memmove(out, p, part);
        out += part;
        if (quote + 1 == end || quote[1] != '"') {
            *text_end = out;
            return quote + 1;
        }
        *out++ = '"';
        p = quote + 2;
    }
}

/* The cell whose opening quote is at p. Where the next one starts, past the end if there is none; NULL when it does not end well. */
static char *quoted_cell(struct reader *r, char *p, char *end) {
    char *text_end, *after = unquote(p + 1, end, &text_end);
    if (after == NULL || (after < end && *after != r->delimiter))
        return NULL;
    end_cell(r, p + 1, text_end);
    return after + 1;
}

/*
 * One copy, in which delimiters become NULs. False, and nothing is kept, where a quote stands at another place than around a whole
 * cell, or stays open.
 */
static bool split(struct reader *r, const char *line, size_t len) {
    enum { SPARE = 8 }; /* of find_either() */
    const uint64_t delimiters = each_byte(r->delimiter), quotes = each_byte('"');
    r->start_line = r->line;
    r->bytes = mem_grow(r->bytes, &r->cap, len + SPARE, 1);
    memcpy(r->bytes, line, len);
    memset(r->bytes + len, 0, SPARE);
    char *start = r->bytes, *end = r->bytes + len;
    for (char *word = start, *next; word < end; word = next) {
        next = word + sizeof(uint64_t);
        for (uint64_t hits = find_either(word, delimiters, quotes); hits != 0; hits &= hits - 1) {
            char *p = word + __builtin_ctzll(hits) / 8;
            if (*p == '"') {
                start = next = p == start ? quoted_cell(r, p, end) : NULL;
                break;
            }
            end_cell(r, start, p);
            start = p + 1;
        }
        if (start == NULL) {
            r->count = 0;
            return false;
        }
    }
    if (len > 0 && start <= end)
        end_cell(r, start, end);
    emit(r);
    return true;
}

/* ---- through libcsv ---- */

static void on_field(void *field, size_t len, void *user) {
    struct reader *r = user;
    if (!r->stopped)
        add_cell(r, field != NULL ? field : "", field != NULL ? len : 0);
}

static void on_record(int terminator, void *user) {
    struct reader *r = user;
    (void)terminator;
    if (!r->stopped)
        emit(r);
    r->start_line = r->line; /* for a second record in the same line, after a lone carriage return */
}

static int no_space(unsigned char c) {
    (void)c;
    return 0; /* cells are handed over as found */
}

static bool parse_slowly(struct reader *r, const char *line, size_t len) {
    if (!r->inside)
        r->start_line = r->line;
    r->record_bytes += len;
    if (csv_parse(&r->parser, line, len, on_field, on_record, r) != len)
        return stop(r, r->line, "cannot be read as CSV");
    r->inside = r->parser.pstate != LIBCSV_BETWEEN_RECORDS;
    if (r->stopped)
        return false;
    if (r->record_bytes > CSV_MAX_RECORD)
        return stop(r, r->start_line, "record longer than 1 MiB (is a quote not closed?)");
    return true;
}

static bool read_line(struct reader *r, const char *line, size_t len, bool ended) {
    size_t plain = len;
    if (plain > 0 && ended && line[plain - 1] == '\n')
        plain--;
    if (plain > 0 && line[plain - 1] == '\r')
        plain--;
    if (len > CSV_MAX_RECORD)
        return stop(r, r->line, "record longer than 1 MiB");
    if (!r->inside && memchr(line, '\r', plain) == NULL && split(r, line, plain))
        return !r->stopped;
    return parse_slowly(r, line, len);
}

/* Spreadsheets of other countries write semicolons, databases tabs or bars; a comma in the header settles it. */
static char find_delimiter(const char *p, const char *end) {
    static const char choices[] = ",\t;|";
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    size_t len = (size_t)((newline != NULL ? newline : end) - p);
    for (const char *delimiter = choices; *delimiter; delimiter++)
        if (memchr(p, *delimiter, len) != NULL)
            return *delimiter;
    return ',';
}

static void read_all(struct reader *r, const char *bytes, const char *p, const char *end) {
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *next = newline != NULL ? newline + 1 : end;
        r->line++;
        r->consumed = (size_t)(next - bytes);
        if (!read_line(r, p, (size_t)(next - p), newline != NULL))
            return;
        p = next;
    }
    if (r->parser.pstate == LIBCSV_IN_FIELD && r->parser.quoted)
        stop(r, r->start_line, "quote not closed");
    else
        csv_fini(&r->parser, on_field, on_record, r); /* the last line has no newline */
}

bool csv_read(const char *bytes, size_t len, const char *name, const struct csv_handler *handler, struct err *err) {
    const char *end = bytes + len, *p = bytes;
    if (len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    if (len >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0)) {
        err_set(err, ERR_DATA, "text is UTF-16; save it as UTF-8");
        return err_at(err, name, 0, 0, NULL);
    }
    struct reader *r = mem_zero(1, sizeof *r);
    r->handler = handler;
    r->err = err;
    r->name = name;
    r->bytes = mem_grow(NULL, &r->cap, 256, 1);
    r->delimiter = find_delimiter(p, end);
    csv_init(&r->parser, 0);
    csv_set_delim(&r->parser, (unsigned char)r->delimiter);
    csv_set_space_func(&r->parser, no_space);
    read_all(r, bytes, p, end);
    bool done = !r->stopped;
    csv_free(&r->parser);
    free(r->bytes);
    free(r);
    return done;
}
