/* SPDX-License-Identifier: MIT */
/*
 * Fetching price lists: several sources at once, in the loop of whoever asks. Nothing here waits: poll the descriptors of
 * fetch_fds() for at most fetch_timeout_ms(), then call fetch_step(). What came is parsed and kept by a child (snapshot.h); a
 * source that fails keeps what it had.
 */
#ifndef GPUPLAN_IO_FETCH_H
#define GPUPLAN_IO_FETCH_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpuplan/base/err.h"
#include "gpuplan/io/endpoint.h"
#include "gpuplan/listing/source.h"

struct fetch_base {
    const char *source, *url; /* where this source is asked instead: --endpoint SOURCE=URL */
};
struct fetch_setup {
    const struct catalog *catalog;
    const struct providers *providers;
    const struct mappings *mappings; /* NULL: only the formats that are code */
    const struct endpoints *endpoints;
    const struct fetch_base *bases;
    size_t base_count;
    const char *folder; /* of the snapshots */
    double timeout_s;   /* of a source in all; 0: 300 */
    double max_mb;      /* 0: as the endpoint says */
    int tries;          /* of a request that may yet succeed; 0: 4 */
    int64_t now;        /* time of the snapshots; 0: the clock */
};

enum fetch_state {
    FETCH_SENDING,
    FETCH_WAITING /* before it tries again */,
    FETCH_READING,
    FETCH_DONE,
    FETCH_FAILED,
    FETCH_CANCELLED
};
struct fetch_status {
    const char *source;
    enum fetch_state state;
    int requests, answered; /* as far as they are known: a list has pages */
    size_t bytes;           /* unpacked */
    double bytes_per_s, seconds;
    bool unchanged;
    char path[512]; /* of the new snapshot */
    char note[200]; /* what is missing in it, or why it waits */
    struct err err; /* of FETCH_FAILED */
};

struct fetch;
struct fetch *fetch_new(const struct fetch_setup *setup,
                        struct err *err); /* copies it but for what it points to; NULL on error */
void fetch_free(struct fetch *f);         /* NULL is fine; ends what still runs */
/* False (err): no such source, no key, no address. Nothing is sent before fetch_step(). */
bool fetch_add(struct fetch *f, const char *source, struct err *err);
bool fetch_step(struct fetch *f); /* false: nothing is left to do */
size_t fetch_fds(const struct fetch *f, struct pollfd *out, size_t cap);
int fetch_timeout_ms(const struct fetch *f);            /* -1: until a descriptor is ready */
void fetch_cancel(struct fetch *f, const char *source); /* NULL: all */
size_t fetch_count(const struct fetch *f);
struct fetch_status fetch_status(const struct fetch *f, size_t i); /* in the order of fetch_add() */
bool fetch_ended(enum fetch_state s);

#endif
