/* SPDX-License-Identifier: MIT */
/*
 * gzip, xz, zstd and zip through libarchive. Only these filters and the formats raw, zip and empty are switched on: with all
 * formats on, libarchive takes some CSV files for mtree. The limit is on what comes out, so a small bomb stays small.
 */
#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#include "bytes.h"

enum { UNPACK_STEP = 1 << 18 };

static const struct {
    const char *bytes;
    size_t len;
} magics[] = {
    {"\x1f\x8b", 2}, /* gzip */
    {"\xfd"
     "7zXZ",
     5},                     /* xz */
    {"\x28\xb5\x2f\xfd", 4}, /* zstd */
    {"PK\x03\x04", 4},       /* zip */
    {"PK\x05\x06", 4},       /* zip without a member */
};

bool io_is_packed(const char *data, size_t len) {
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (len >= magics[i].len && memcmp(data, magics[i].bytes, magics[i].len) == 0)
            return true;
    return false;
}

static bool archive_fail(struct archive *a, const char *path, struct err *err) {
    const char *why = archive_error_string(a);
    err_set(err, ERR_DATA, "cannot unpack: %s", why ? why : "damaged archive");
    return err_at(err, path, 0, 0, NULL);
}

static struct archive *reader_new(void) {
    struct archive *a = archive_read_new();
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_format_raw(a);
    archive_read_support_format_zip(a);
    archive_read_support_format_empty(a);
    return a;
}

static bool read_member(struct archive *a, const char *name, size_t max, struct io_bytes *out, struct err *err) {
    for (;;) {
        la_ssize_t got = archive_read_data(a, io_bytes_room(out, UNPACK_STEP), UNPACK_STEP);
        if (got == 0)
            return true;
        if (got < 0)
            return archive_fail(a, name, err);
        out->len += (size_t)got;
        if (out->len > max)
            return io_too_large(err, name, max);
    }
}

/* A raw stream has one member, which libarchive calls "data": it keeps the name of the file. */
static void member_name(struct archive *a, struct archive_entry *entry, const char *path, struct buf *out) {
    buf_clear(out);
    buf_puts(out, path);
    if (archive_format(a) == ARCHIVE_FORMAT_RAW)
        return;
    const char *inner = archive_entry_pathname(entry);
    buf_putc(out, '/');
    buf_puts(out, inner ? inner : "?");
}

static bool visit_members(struct archive *a, const char *path, size_t max, io_visit visit, void *user,
                          struct err *err) {
    struct archive_entry *entry;
    struct buf name = {0};
    size_t files = 0, total = 0;
    bool done = true;
    int code;
    while (done && (code = archive_read_next_header(a, &entry)) == ARCHIVE_OK) {
        if (archive_entry_filetype(entry) != AE_IFREG && archive_format(a) != ARCHIVE_FORMAT_RAW)
            continue;
        member_name(a, entry, path, &name);
        if (++files > IO_MAX_FILES) {
            err_set(err, ERR_DATA, "more than %d files in one archive", (int)IO_MAX_FILES);
            done = err_at(err, path, 0, 0, NULL);
            break;
        }
        struct io_bytes bytes = {0};
        done = read_member(a, name.data, max - total, &bytes, err);
        total += bytes.len;
        if (done)
            done = visit(user, name.data, &bytes, err);
        io_bytes_free(&bytes);
    }
    if (done && code != ARCHIVE_EOF)
        done = archive_fail(a, path, err);
    if (done && files == 0) {
        err_set(err, ERR_DATA, "the archive holds no file");
        done = err_at(err, path, 0, 0, NULL);
    }
    buf_free(&name);
    return done;
}

bool io_unpack(const struct io_bytes *packed, const char *path, size_t max, io_visit visit, void *user,
               struct err *err) {
    struct archive *a = reader_new();
    bool done = archive_read_open_memory(a, packed->data, packed->len) == ARCHIVE_OK
                    ? visit_members(a, path, max, visit, user, err)
                    : archive_fail(a, path, err);
    archive_read_free(a);
    return done;
}

static la_ssize_t append(struct archive *a, void *user, const void *bytes, size_t len) {
    (void)a;
    buf_put(user, bytes, len);
    return (la_ssize_t)len;
}

bool io_pack_gzip(const void *bytes, size_t len, struct buf *out, const char *path, struct err *err) {
    struct archive *a = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_pathname(entry, "data");
    bool done =
        archive_write_set_format_raw(a) == ARCHIVE_OK && archive_write_add_filter_gzip(a) == ARCHIVE_OK &&
        archive_write_set_bytes_in_last_block(a, 1) == ARCHIVE_OK &&                   /* no padding behind the end */
        archive_write_set_filter_option(a, "gzip", "timestamp", NULL) == ARCHIVE_OK && /* same bytes every time */
        archive_write_open2(a, out, NULL, append, NULL, NULL) == ARCHIVE_OK &&
        archive_write_header(a, entry) == ARCHIVE_OK && archive_write_data(a, bytes, len) == (la_ssize_t)len &&
        archive_write_close(a) == ARCHIVE_OK;
    if (!done)
        archive_fail(a, path, err);
    archive_entry_free(entry);
    archive_write_free(a);
    return done;
}
