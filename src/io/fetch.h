/* SPDX-License-Identifier: MIT */
/* Inside of fetching: a job is one source, a request one address of it with all its pages. */
#ifndef GPUPLAN_SRC_IO_FETCH_H
#define GPUPLAN_SRC_IO_FETCH_H

#include "gpuplan/base/mem.h"
#include "gpuplan/io/child.h"
#include "gpuplan/io/fetch.h"
#include "gpuplan/io/snapshot.h"
#include "net.h"

enum request_goal { GOAL_TOKEN /* of an OAuth client */, GOAL_VERSION, GOAL_DATA };
enum request_state {
    REQUEST_READY,
    REQUEST_SENDING,
    REQUEST_EXTRACTING,
    REQUEST_DONE,
    REQUEST_MISSING,
    REQUEST_UNCHANGED
};

struct request {
    struct job *job;
    const struct endpoint *endpoint;
    char *each, *version; /* NULL: none */
    enum request_goal goal;
    enum request_state state;
    char *url;                     /* asked now */
    char *next;                    /* of the Link header */
    char *old_etag, *old_modified; /* of the snapshot that there is; NULL */
    int page, tries;
    double not_before; /* of REQUEST_READY */
    CURL *easy;
    struct curl_slist *headers;
    struct buf body; /* of this page */
    size_t kept;     /* bytes of earlier pages */
    bool too_large;
    char etag[200], modified[80];
    char why[CURL_ERROR_SIZE];
    struct io_child child;
    struct io_extract extract;
};

/* A page that has come. */
struct page {
    char *name, *url, *etag, *modified;
    struct buf body;
};

struct job {
    struct fetch *fetch;
    const char *source, *base;
    bool base_given;
    struct io_key key;
    bool has_key;
    char *token;
    enum fetch_state state;
    double started, ended, deadline;
    double rate_at, rate; /* bytes per second, over the last second or so */
    size_t rate_bytes, bytes;
    struct request *requests;
    size_t count;
    struct page *pages;
    size_t page_count, page_cap;
    char **notes;
    size_t note_count, note_cap;
    char note[200];
    char *old; /* path of the newest snapshot; NULL */
    bool unchanged;
    struct io_child child;
    struct io_answer *answers;
    struct io_store store;
    struct listing_context ctx;
    char path[512];
    struct err err;
};

struct fetch {
    struct fetch_setup setup;
    CURLM *multi;
    struct pollfd *sockets;
    size_t socket_count, socket_cap;
    double timer; /* when curl wants to be called; NAN: not */
    struct job **jobs;
    size_t count, cap;
};

double fetch_seconds(void); /* monotonic */

/* job.c */
struct job *job_new(struct fetch *f, const char *source, struct err *err);
void job_free(struct job *j);
void job_step(struct job *j, double now); /* starts what may start, looks at children and the clock */
double job_wakes(const struct job *j);    /* when job_step() has something to do without a descriptor; INFINITY: not */
void job_fail(struct job *j, const struct err *err);
void job_end(struct job *j, enum fetch_state state);
void job_note(struct job *j, const char *text);
size_t job_fds(const struct job *j, struct pollfd *out, size_t cap);

/* request.c */
void request_start(struct request *r, double now);
void request_stop(struct request *r);
void request_free(struct request *r);
void request_done(struct request *r, CURLcode code, double now); /* the transfer has ended */
void request_extracted(struct request *r, double now);           /* its child has */

/* fault.c: what went wrong with a transfer, in words. */
struct fault {
    bool none, unchanged, missing, again; /* again: another try may succeed */
    double wait_s;                        /* as asked by the server; NAN: not */
};
struct fault fault_judge(const struct request *r, CURLcode code, struct err *err);

#endif
