/* SPDX-License-Identifier: MIT */
/* What the app keeps about where its offers are from: counts and findings by file, fetches on their way, rows of the screen. */
#ifndef GPUPLAN_SRC_APP_SOURCES_H
#define GPUPLAN_SRC_APP_SOURCES_H

#include "gpuplan/io/fetch.h"
#include "state.h"

/* ---- tally.c: what was found while reading, as lines that a child can send ---- */

struct tally_file {
    char name[512];
    size_t offers, flagged, skipped;
    int64_t observed_at; /* of its newest offer; 0 = unknown */
};
struct finding {
    char file[512], field[64], text[320];
    long line;
    size_t count;
    bool skipped; /* the rows were left out */
};
struct tally {
    struct tally_file *files;
    size_t file_count, file_cap;
    struct finding *findings;
    size_t finding_count, finding_cap;
};
void tally_put(const struct offers *o, struct buf *out);
/* Takes the lines of tally_put() from the start of a text; returns their length. */
size_t tally_take(struct tally *t, const char *text, size_t len);
void tally_add(struct tally *t, const struct finding *f);
void tally_free(struct tally *t);

/* ---- fetching.c: in the background, while everything else goes on ---- */

struct fetching {
    const struct endpoints *endpoints; /* NULL: nothing can be fetched */
    char *folder;                      /* of the snapshots */
    struct fetch *fetch;               /* NULL until the first one */
    bool *told;                        /* by number of the fetch: its end was said */
    size_t told_cap;
};
bool fetching_possible(const struct app *a);
bool fetching_busy(const struct app *a);
void fetching_start(struct app *a, const char *source);
void fetching_start_all(struct app *a);                  /* those that need no key or have one */
void fetching_cancel(struct app *a, const char *source); /* NULL: all */
void fetching_step(struct app *a);
void fetching_end(struct app *a);
/* How the fetch of a source stands; false: none was asked for. */
bool fetching_status(const struct app *a, const char *source, struct fetch_status *out);

/* ---- sources.c: the screen ---- */

enum source_kind { SOURCE_BUNDLED, SOURCE_FILE, SOURCE_FETCHED };
struct source_row {
    enum source_kind kind;
    char name[512];                  /* as listed: a file or a source */
    const struct endpoint *endpoint; /* of a source that can be fetched; NULL */
    enum io_key_state key;
    bool there, loaded; /* there is something; it is in the ranking */
    size_t offers, flagged, skipped;
    int64_t time; /* fetched, or newest offer; 0 = unknown */
    char url[256];
    struct tally findings;
};
struct sources {
    struct source_row *rows;
    size_t count, cap, cursor, top;
    bool full; /* the row under the cursor on the whole screen */
};
const struct source_row *sources_now(const struct app *a); /* under the cursor; NULL: there is none */
void sources_build(struct app *a);
void sources_free(struct app *a);

#endif
