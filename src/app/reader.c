/* SPDX-License-Identifier: MIT */
/*
 * Listings are read by a child: what is hostile or huge kills or delays only it. It answers through a pipe with one line
 * "rows read, rows skipped, offers" or "!what is wrong", lines of what was found (tally.c), a blank line, then our CSV, which is taken in some hundred lines at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/io/child.h"
#include "gpuplan/listing/source.h"
#include "sources.h"

enum { READ_BYTES = 1 << 16, SLICE_BYTES = 1 << 14 /* about a hundred rows: half a millisecond */ };
static const size_t most_bytes = (size_t)2 << 30; /* what the pipe may bring: ten times a million rows */

static const size_t most_offers = (size_t)1 << 22; /* that memory is taken for before they are here */

struct reader {
    struct io_child child;
    size_t came;                        /* bytes in all */
    struct tally tally;
    size_t header_from, header_len, at; /* of the CSV's first line; what is taken in so far */
    struct offers *offers;
    size_t rows_read, rows_skipped, count;
    int64_t newest; /* of the offers so far */
    bool begun, failed;
    struct err err;
};

/* ---- the child ---- */

/* The parent reads the first rows while the last ones are being written. */
static void give(void *user, struct buf *out) {
    io_child_write(*(const int *)user, out->data, out->len);
    buf_clear(out);
}

static void keep_error(void *user, const struct err *err) {
    *(struct err *)user = *err;
}

static void answer(void *user, int fd) {
    const struct app *a = user;
    struct err err = {0}, last = {0};
    struct offers *o = offers_new();
    struct buf out = {0};
    const struct listing_context ctx = {
        .catalog = a->catalog, .providers = a->providers, .now = a->now, .mappings = a->mappings};
    size_t count = 0;
    while (a->listing_files && a->listing_files[count])
        count++;
    bool good = io_load_listings(&ctx, (const char *const *)a->listing_files, count, o, keep_error, &last, &err);
    if (good && o->count == 0 && last.code != ERR_NONE) {
        err = last;
        good = false;
    }
    if (good) {
        buf_printf(&out, "%zu %zu %zu\n", o->rows_read, o->rows_skipped, o->count);
        tally_put(o, &out);
        buf_puts(&out, "\n"); /* what was found ends here */
        listing_stream_csv(a->catalog, o, READ_BYTES, &out, give, &fd);
    } else {
        char line[640];
        err_format(&err, line, sizeof line);
        io_child_say(fd, '!', line);
    }
}

/* ---- the parent ---- */

static void fail(struct app *a, const char *text) {
    reader_stop(a);
    app_say(a, MESSAGE_LOAD_FAILED, text);
}

void reader_start(struct app *a) {
    struct err err = {0};
    struct reader *r = mem_zero(1, sizeof *r);
    reader_stop(a);
    if (!io_child_start(&r->child, answer, a, &err)) {
        free(r);
        app_say(a, MESSAGE_LOAD_FAILED, err.text);
        return;
    }
    a->reader = r;
    r->offers = offers_new();
    app_say(a, MESSAGE_LOADING, "");
}

void reader_stop(struct app *a) {
    struct reader *r = a->reader;
    if (!r)
        return;
    io_child_free(&r->child);
    tally_free(&r->tally);
    if (r->offers)
        offers_free(r->offers);
    free(r);
    a->reader = NULL;
    a->changed = true;
}

int reader_fd(const struct app *a) {
    return a->reader ? a->reader->child.fd : -1;
}

bool reader_busy(const struct app *a) {
    return a->reader != NULL;
}

void reader_ready(struct app *a) {
    struct reader *r = a->reader;
    if (!r)
        return;
    size_t before = r->child.out.len;
    io_child_read(&r->child);
    r->came += r->child.out.len - before;
    if (r->came > most_bytes)
        fail(a, "");
}

/* The line that starts at `from`, without its end; NULL: not here yet. */
static const char *line_end(const struct reader *r, size_t from) {
    return from < r->child.out.len ? memchr(r->child.out.data + from, '\n', r->child.out.len - from) : NULL;
}

/* The first line, what was found in the files, a blank line, and the CSV's heading after it. False: not here yet, or an error. */
static bool begin(struct reader *r) {
    const char *end = line_end(r, 0), *second;
    if (!end)
        return false;
    if (r->child.out.data[0] == '!') {
        char text[200];
        text_clean(text, sizeof text, r->child.out.data + 1, (size_t)(end - r->child.out.data) - 1);
        err_set(&r->err, ERR_DATA, "%s", text);
        r->failed = true;
        return false;
    }
    const char *found = r->child.out.data, *blank = memmem(found, r->child.out.len, "\n\n", 2);
    if (!blank)
        return false;
    r->header_from = (size_t)(blank - found) + 2;
    second = line_end(r, r->header_from);
    if (!second)
        return false;
    r->failed = sscanf(r->child.out.data, "%zu %zu %zu", &r->rows_read, &r->rows_skipped, &r->count) != 3;
    if (!r->tally.file_count)
        tally_take(&r->tally, end + 1, (size_t)(blank - end));
    r->header_len = (size_t)(second - r->child.out.data) + 1 - r->header_from;
    r->at = r->header_from + r->header_len;
    r->begun = true;
    if (!r->failed) /* every offer has an id of its own */
        intern_reserve(r->offers->text, r->count < most_offers ? r->count : most_offers);
    return !r->failed;
}

/* What is taken in makes room, so that little is kept however much comes: to give back a hundred megabytes takes a while. */
static void drop_taken(struct reader *r) {
    size_t start = r->header_from + r->header_len, left = r->child.out.len - r->at;
    if (r->at - start < left)
        return;
    memmove(r->child.out.data + start, r->child.out.data + r->at, left);
    r->child.out.len = start + left;
    r->at = start;
}

/* Whole lines of the next slice, under the heading. */
static bool take_slice(const struct app *a, struct reader *r) {
    size_t left = r->child.out.len - r->at, len = left < SLICE_BYTES ? left : SLICE_BYTES;
    while (len > 0 && r->child.out.data[r->at + len - 1] != '\n')
        len--;
    if (len == 0) /* a line longer than a slice: all of it, or wait */
        len = line_end(r, r->at) ? (size_t)(line_end(r, r->at) - r->child.out.data) + 1 - r->at : 0;
    if (len == 0)
        return false;
    struct buf part = {0};
    const struct listing_context ctx = {.catalog = a->catalog, .providers = a->providers, .now = a->now};
    buf_put(&part, r->child.out.data + r->header_from, r->header_len);
    buf_put(&part, r->child.out.data + r->at, len);
    size_t known = r->offers->count;
    r->failed |= !listing_read(&ctx, part.data, part.len, "listings", r->offers, &r->err);
    buf_free(&part);
    r->at += len;
    for (size_t i = known; i < r->offers->count; i++)
        if (r->offers->items[i].observed_at > r->newest)
            r->newest = r->offers->items[i].observed_at;
    drop_taken(r);
    return true;
}

/* All of it is here: the snapshot is replaced whole. */
static void finish(struct app *a) {
    struct reader *r = a->reader;
    if (r->offers->count != r->count) {
        fail(a, "");
        return;
    }
    size_t skipped = r->rows_skipped, count = r->count;
    r->offers->rows_read = r->rows_read;
    r->offers->rows_skipped = r->rows_skipped;
    r->offers->observed_at = r->newest;
    snapshot_drop(a->snapshot);
    a->snapshot = snapshot_new(r->offers);
    r->offers = NULL;
    tally_free(a->tally);
    *a->tally = r->tally;
    r->tally = (struct tally){0};
    reader_stop(a);
    run_start(a);
    app_say(a, MESSAGE_LOADED, "");
    a->message.n = count;
    a->message.m = skipped;
}

bool reader_work(struct app *a, double seconds) {
    struct reader *r = a->reader;
    double start = app_seconds();
    if (!r)
        return false;
    bool moved = r->begun || begin(r);
    while (moved && !r->failed && app_seconds() - start < seconds)
        moved = take_slice(a, r);
    if (r->failed) {
        struct err err = r->err;
        fail(a, err.text);
        return false;
    }
    if (!moved && r->child.fd < 0)
        finish(a);
    else if (!moved)
        return false; /* the pipe has the word */
    return true;
}
