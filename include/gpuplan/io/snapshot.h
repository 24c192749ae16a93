/* SPDX-License-Identifier: MIT */
/*
 * What was fetched: $XDG_DATA_HOME/gpuplan/snapshots/SOURCE/2026-03-22T100000Z.csv.gz in our own CSV, and beside it a .json
 * with addresses, counts and findings. Kept are all of the last 14 days, then the newest of each week for a year, and always
 * the newest of a source.
 */
#ifndef GPUPLAN_IO_SNAPSHOT_H
#define GPUPLAN_IO_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpuplan/base/err.h"
#include "gpuplan/listing/source.h"

struct io_snapshot {
    char *source, *path;
    int64_t fetched_at; /* seconds since 1970 */
    size_t bytes;       /* of the file */
};
struct io_snapshots {
    struct io_snapshot *items; /* by source, the newest first */
    size_t count, cap;
};
char *io_snapshot_folder(void); /* NULL without HOME; the caller frees */
/* A folder that does not exist holds none. */
void io_snapshots_list(const char *folder, struct io_snapshots *out);
void io_snapshots_free(struct io_snapshots *s);
/* The newest of a source; NULL: none. */
const struct io_snapshot *io_snapshots_newest(const struct io_snapshots *s, const char *source);
/* Paths of the newest of every source, NULL-terminated; they belong to `s`, the list to the caller. */
const char **io_snapshots_current(const struct io_snapshots *s, size_t *count);
/*
 * What a person wrote for a listing: a file stays a file; else SOURCE is the newest snapshot of that source, SOURCE@2026-03 the
 * newest of those times. `before` counts back from it. NULL: no such snapshot.
 */
const struct io_snapshot *io_snapshots_named(const struct io_snapshots *s, const char *word, size_t before);
/* The .json beside a snapshot; NULL: none that can be read. cJSON_Delete. */
struct cJSON;
struct cJSON *io_snapshot_facts(const char *path);

/* Removes what the rule above does not keep; returns how many. */
size_t io_snapshots_prune(const char *folder, const char *source, int64_t now);

/* One answer to one request, as it came. */
struct io_answer {
    const char *name; /* "skypilot/aws/vms.csv": where readers look for a provider */
    const char *url, *etag, *modified;
    char *bytes;
    size_t len;
};
struct io_key;
struct io_store {
    const struct listing_context *ctx; /* its time is that of the snapshot */
    const char *folder, *source;
    const struct io_answer *answers;
    size_t count;
    const char *const *notes; /* what is missing and why */
    size_t note_count;
    const char *unchanged;    /* path of the snapshot that still holds: it is kept once more, with the new time; NULL */
    const struct io_key *key; /* is blotted out wherever an answer repeats it; NULL */
};
/* For io_child_start(): reads, checks, writes and prunes; says "+PATH" or "!what is wrong". `user` is a struct io_store. */
void io_store_run(void *user, int fd);
/* What a value at "a.b.c" of a JSON answer says ("=text", an array: how many elements), "-" if it is not there, or "!error". */
struct io_extract {
    const char *bytes, *path;
    size_t len;
};
void io_extract_run(void *user, int fd);
/* Why an answer is no data, seen at its first bytes; false: it may be. */
bool io_is_web_page(const char *bytes, size_t len);

#endif
