/* SPDX-License-Identifier: MIT */
/* Listings from files, folders, standard input, or the snapshot that the program carries. */
#include <string.h>
#include <unistd.h>

#include "gpuplan/base/data.h"
#include "gpuplan/io/io.h"

struct reading {
    const struct listing_context *ctx;
    struct offers *out;
    io_warn warn;
    void *user;
};

/* A file that is no listing is named and passed over: the others are still wanted. */
static bool read_listing(void *user, const char *name, struct io_bytes *bytes, struct err *err) {
    struct reading *r = user;
    struct err why = {0};
    struct listing_context ctx = *r->ctx;
    (void)err;
    ctx.release = io_bytes_release;
    ctx.release_user = bytes;
    if (!listing_read(&ctx, bytes->data, bytes->len, name, r->out, &why) && r->warn)
        r->warn(r->user, &why);
    return true;
}

static bool read_bundled(struct reading *r, struct err *err) {
    static const char name[] = "listings.csv";
    struct blob blob;
    if (!data_overlaid(name, &blob) && !data_builtin(name, &blob))
        return err_set(err, ERR_DATA, "this build has no bundled listings; give some with -l FILE");
    return listing_read(r->ctx, blob.bytes, blob.len, name, r->out, err);
}

static bool read_path(struct reading *r, const char *path, struct err *err) {
    struct io_list list = {0};
    if (strcmp(path, IO_BUNDLED) == 0 && access(path, F_OK) != 0)
        return read_bundled(r, err);
    if (!io_is_dir(path))
        return io_load(path, IO_MAX_LISTING, read_listing, r, err);
    if (!io_read_dir(path, &list, err))
        return false;
    bool good = true;
    if (list.count == 0 && r->warn) {
        struct err none = {0};
        err_set(&none, ERR_DATA, "no listing file in this folder (.csv, .json, .jsonl, also .gz, .xz, .zst, .zip)");
        err_at(&none, path, 0, 0, NULL);
        r->warn(r->user, &none);
    }
    for (size_t i = 0; i < list.count && good; i++)
        good = io_load(list.paths[i], IO_MAX_LISTING, read_listing, r, err);
    io_list_free(&list);
    return good;
}

bool io_load_listings(const struct listing_context *ctx, const char *const *paths, size_t count, struct offers *out,
                      io_warn warn, void *user, struct err *err) {
    struct reading r = {ctx, out, warn, user};
    bool good = count > 0 || read_bundled(&r, err);
    for (size_t i = 0; i < count && good; i++)
        good = read_path(&r, paths[i], err);
    if (good)
        listing_check(ctx, out);
    return good;
}
