/* SPDX-License-Identifier: MIT */
/*
 * Listing formats: one const table, one file per format. A format is recognised by content, not by name. Readers never stop at
 * a bad row: it is skipped, counted and reported with its reason (offers_problem). After reading, listing_check() completes
 * every offer (link, network, host class by table), validates it, removes duplicates and sets flags.
 */
#ifndef GPUPLAN_LISTING_SOURCE_H
#define GPUPLAN_LISTING_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/listing/explain.h"
#include "gpuplan/listing/mapping.h"
#include "gpuplan/listing/offer.h"

struct listing_context {
    const struct catalog *catalog;
    const struct providers *providers;
    int64_t now; /* for staleness; 0 = do not judge */
    /* Told now and then that the bytes before `upto` are not read again (io_bytes_release()); may be NULL. */
    void (*release)(void *user, const char *upto);
    void *release_user;
    const struct mappings *mappings; /* NULL: only the formats that are code */
    struct listing_explain *explain; /* NULL: nobody asks how files were read */
};

struct listing_source {
    const char *name;   /* "gpuplan-csv", "skypilot", "opencomputeprices" … */
    const char *label;  /* N_() */
    const char *about;  /* N_(): where such files come from, what is known to be wrong in them */
    /* 0 = not mine … 100 = certain; sees the first 64 KiB */
    int (*recognise)(const char *bytes, size_t len);
    bool (*read)(const struct listing_context *ctx, const char *bytes, size_t len, const char *name, struct offers *out, struct err *err);
};
const struct listing_source *listing_sources(size_t *count);

/* Recognises and reads one file's bytes. False (err) when it is no listing at all; rows that are bad are problems of `out`. */
bool listing_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name, struct offers *out, struct err *err);
/* Once, after all files: completes, cross-checks, makes spot prices offers of their own, removes duplicates, flags. Idempotent. */
void listing_check(const struct listing_context *ctx, struct offers *o);

/* A price list so old is marked: lists of clouds change a few times a year. Unknown times are not judged. */
bool listing_is_stale(int64_t observed_at, int64_t now);

/* Our own format, fields and order of design.md section 5. */
void listing_write_csv(const struct catalog *c, const struct offers *o, struct buf *out);
/* The same in parts: `give` takes what stands in `out` whenever that is `part` bytes or more, and what is left at the end. */
void listing_stream_csv(const struct catalog *c, const struct offers *o, size_t part, struct buf *out,
                        void (*give)(void *user, struct buf *out), void *user);
void listing_write_jsonl(const struct catalog *c, const struct offers *o, struct buf *out);
const char *const *listing_fields(size_t *count);

#endif
