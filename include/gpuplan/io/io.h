/* SPDX-License-Identifier: MIT */
/*
 * Files: reading (plain, gzip, xz, zstd, zip, standard input, folders) with a limit on the unpacked size, atomic writing,
 * XDG paths. Every error names the file. Memory handed out is owned by the caller; a visitor's bytes last for the call.
 */
#ifndef GPUPLAN_IO_IO_H
#define GPUPLAN_IO_IO_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/err.h"
#include "gpuplan/listing/source.h"

#define IO_MAX_LISTING ((size_t)4 << 30) /* bytes, unpacked: 20 times a million-row listing */
#define IO_MAX_SMALL ((size_t)64 << 20)  /* bytes: workloads, configurations, dumps */
enum { IO_MAX_FILES = 4096 };            /* of one folder or archive */

/*
 * One file's bytes in anonymous pages (never a mapping of the file, which a truncation would turn into a crash). A reader
 * that is done with the front may give it back to the system with io_bytes_release().
 */
struct io_bytes {
    char *data; /* followed by at least one NUL */
    size_t len, cap;
    size_t released;
};
void io_bytes_free(struct io_bytes *b);
/* Whole pages before `upto` read as zeros from now on. `user` is a struct io_bytes: usable as a hook of listing/. */
void io_bytes_release(void *user, const char *upto);

/* The whole of one file ("-": standard input) into `out` (emptied first), unpacked. An archive must hold one file. */
bool io_read(const char *path, size_t max, struct buf *out, struct err *err);

/* Called once for a plain or packed file, once a member for a zip; name as the user knows it: "x.zip/aws.csv". */
typedef bool (*io_visit)(void *user, const char *name, struct io_bytes *bytes, struct err *err);
bool io_load(const char *path, size_t max, io_visit visit, void *user, struct err *err);

/* Paths of the listing files (by suffix, no hidden ones) of a folder, sorted, not recursive. */
struct io_list {
    char **paths;
    size_t count, cap;
};
bool io_read_dir(const char *path, struct io_list *out, struct err *err);
void io_list_free(struct io_list *l);
bool io_is_dir(const char *path);

#define IO_BUNDLED "bundled" /* names the built-in list, where there is no file of this name */

/*
 * Listings of files, folders and "-" (count 0: the bundled snapshot), read and checked into `out`. A file that is no listing
 * is told to `warn` (may be NULL) and passed over; one that cannot be read is an error.
 */
typedef void (*io_warn)(void *user, const struct err *err);
bool io_load_listings(const struct listing_context *ctx, const char *const *paths, size_t count, struct offers *out, io_warn warn,
                      void *user, struct err *err);

/* A mapping file (docs/sources.md) into the set; an error names file and field. */
bool io_load_mapping(struct mappings *m, const char *path, enum mapping_origin origin, struct err *err);
/* All *.json of a folder, which need not be there; one that is wrong is told to `warn` and passed over. */
void io_load_mapping_folder(struct mappings *m, const char *folder, io_warn warn, void *user);

/*
 * Temporary file beside the target, fsync, rename, fsync of the folder; mode 0600. A symlink's target is replaced, not the
 * link. The folder must exist. A path that ends in .gz is written packed. "-" writes to standard output.
 */
bool io_write_atomic(const char *path, const void *bytes, size_t len, struct err *err);
bool io_make_dirs(const char *path, struct err *err); /* with parents, 0700 */

enum io_place { IO_CONFIG, IO_DATA, IO_STATE, IO_CACHE };
/*
 * "$XDG_DATA_HOME/gpuplan/REST" and so on; a relative XDG value is ignored as the specification demands. NULL when neither
 * the variable nor HOME is set. The caller frees.
 */
char *io_xdg_path(enum io_place place, const char *rest);
/* "2026-03-22.csv.gz" of "a/b/2026-03-22.csv.gz". */
const char *io_base_name(const char *path);

#endif
