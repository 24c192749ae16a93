/* SPDX-License-Identifier: MIT */
/*
 * Where price lists can be fetched: data/endpoints.csv, overlaid like any data. A source has one or more endpoints, and an
 * endpoint with `each` is asked once for every word of it. Nothing here opens a socket.
 */
#ifndef GPUPLAN_IO_ENDPOINT_H
#define GPUPLAN_IO_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/err.h"

enum auth_kind { AUTH_NONE, AUTH_BEARER, AUTH_HEADER, AUTH_OAUTH };
enum paging_kind {
    PAGING_NONE,
    PAGING_LINK,  /* header Link: <URL>; rel="next" */
    PAGING_URL,   /* the answer has the next address */
    PAGING_TOKEN, /* the answer has a token, which becomes an argument of the address */
    PAGING_PAGE   /* numbered, until a page has no rows */
};

/* Texts of the table ("" = none), valid as long as it is. */
struct endpoint {
    const char *name, *source, *url, *each, *version_url, *method, *body, *origin;
    enum auth_kind auth;
    const char *auth_argument; /* name of the header, address of the token */
    const char *key_env;       /* environment variables, a blank between two */
    bool key_optional;
    enum paging_kind paging;
    char paging_path[64]; /* of the next address, token or rows in the JSON: "meta.links.next" */
    char paging_argument[32];
    double max_mb;    /* of all pages of one address */
    double changes_h; /* how often the list changes */
};

struct endpoints;
struct endpoints *endpoints_load(struct err *err); /* NULL on error */
void endpoints_free(struct endpoints *e);          /* NULL is fine */
size_t endpoints_count(const struct endpoints *e);
const struct endpoint *endpoints_at(const struct endpoints *e, size_t i);
/* Names of the sources, each once, in the order of the table. */
const char *const *endpoints_sources(const struct endpoints *e, size_t *count);
/* The first endpoint of a source; NULL (err suggests a name) if there is none. */
const struct endpoint *endpoints_find(const struct endpoints *e, const char *source, struct err *err);
bool endpoint_is_source_name(const char *s); /* fit for a folder's name: a-z, 0-9, - and _ */

/* "https://host:1/a?b": whether it is an address of http or https that a request can be made of. */
bool url_check(const char *url, struct err *err);
bool url_is_secure(const char *url);   /* https */
bool url_is_loopback(const char *url); /* 127.x.x.x, [::1] or localhost */
/* `url` with {each} and {version} filled in; what stands before the path is replaced by `base` unless that is NULL. */
bool endpoint_url(const char *url, const char *base, const char *each, const char *version, struct buf *out,
                  struct err *err);
/*
 * Path and arguments of `next` at the host that was asked before: an answer cannot send a request (and its key) elsewhere.
 * `base` is the one that endpoint_url() had.
 */
bool url_follow(const char *from, const char *base, const char *next, struct buf *out, struct err *err);
/* `url` with an argument set. The value is escaped. */
void url_argument(const char *url, const char *name, const char *value, struct buf *out);
/* The address behind rel="next" of a Link header; false: none. */
bool url_of_link_header(const char *value, struct buf *out);

/*
 * A key of an endpoint, from the environment or from $XDG_CONFIG_HOME/gpuplan/keys, which only its owner may be able to read.
 * Lines of the file are NAME=VALUE with the names of the environment variables; # starts a comment.
 */
enum { KEY_BYTES = 1024 };
struct io_key {
    char first[KEY_BYTES], second[KEY_BYTES]; /* second: of a pair; "" otherwise */
};
enum io_key_state { IO_KEY_FOUND, IO_KEY_ABSENT, IO_KEY_REFUSED /* err says why */ };
enum io_key_state io_key_find(const struct endpoint *e, struct io_key *out, struct err *err);
void io_key_forget(struct io_key *k);

#endif
