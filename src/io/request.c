/* SPDX-License-Identifier: MIT */
/* One address with its pages: what is sent, what is taken in, what comes next. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fetch.h"
#include "gpuplan/base/text.h"

enum { CONNECT_MS = 15000, STALLED_S = 30, MAX_REDIRECTS = 5, MAX_PAGES = 500, USUAL_TRIES = 4 };
static const double first_wait_s = 0.5; /* doubles with every try */
static const double bytes_per_mb = 1e6;

static size_t most_bytes(const struct request *r) {
    double mb = r->job->fetch->setup.max_mb > 0 ? r->job->fetch->setup.max_mb : r->endpoint->max_mb;
    return (size_t)(mb * bytes_per_mb);
}

static void fail(struct request *r, enum err_code code, const char *text) {
    struct err err = {0};
    err_set(&err, code, "%s", text);
    err_at(&err, r->job->source, 0, 0, NULL);
    job_fail(r->job, &err);
}

/* ---- what comes in ---- */

static size_t take_body(char *bytes, size_t size, size_t n, void *user) {
    struct request *r = user;
    size_t len = size * n;
    if (r->kept + r->body.len + len > most_bytes(r)) {
        r->too_large = true;
        return 0;
    }
    buf_put(&r->body, bytes, len);
    r->job->bytes += len;
    return len;
}

static bool header_is(const char *line, size_t len, const char *name, struct buf *value) {
    size_t n = strlen(name);
    if (len <= n || strncasecmp(line, name, n) != 0 || line[n] != ':')
        return false;
    const char *text = line + n + 1;
    size_t text_len = len - n - 1;
    text_trim(&text, &text_len);
    buf_clear(value);
    buf_put(value, text, text_len);
    return value->len > 0;
}

static size_t take_header(char *line, size_t size, size_t n, void *user) {
    struct request *r = user;
    size_t len = size * n;
    struct buf value = {0}, next = {0};
    if (len > 5 && strncasecmp(line, "HTTP/", 5) == 0) { /* what a redirect said does not count */
        r->etag[0] = r->modified[0] = '\0';
        free(r->next);
        r->next = NULL;
    } else if (header_is(line, len, "etag", &value) && value.len < sizeof r->etag) {
        text_clean(r->etag, sizeof r->etag, value.data, value.len);
    } else if (header_is(line, len, "last-modified", &value) && value.len < sizeof r->modified) {
        text_clean(r->modified, sizeof r->modified, value.data, value.len);
    } else if (r->endpoint->paging == PAGING_LINK && header_is(line, len, "link", &value) &&
               url_of_link_header(value.data, &next)) {
        free(r->next);
        r->next = mem_strdup(next.data);
    }
    buf_free(&value);
    buf_free(&next);
    return len;
}

/* ---- what goes out ---- */

static void add_header(struct request *r, const char *name, const char *value) {
    struct buf b = {0};
    buf_printf(&b, "%s: %s", name, value);
    r->headers = net.slist_append(r->headers, b.data);
    explicit_bzero(b.data, b.len);
    buf_free(&b);
}

/* False: the key would be sent where others can read it. */
static bool add_key(struct request *r, struct err *err) {
    const struct job *j = r->job;
    const struct endpoint *e = r->endpoint;
    struct buf b = {0};
    if (!j->has_key)
        return true;
    if (!url_is_secure(r->url) && !url_is_loopback(r->url))
        return err_set(err, ERR_USAGE, "a key is only sent over https");
    if (r->goal == GOAL_VERSION || r->goal == GOAL_TOKEN)
        return true;
    buf_printf(&b, "Bearer %s", e->auth == AUTH_OAUTH ? (j->token ? j->token : "") : j->key.first);
    if (e->auth == AUTH_HEADER)
        add_header(r, e->auth_argument, j->key.first);
    else
        add_header(r, "Authorization", b.data);
    explicit_bzero(b.data, b.len);
    buf_free(&b);
    return true;
}

static void put_escaped(CURL *easy, struct buf *out, const char *name, const char *value) {
    char *text = net.easy_escape(easy, value, 0);
    buf_printf(out, "%s=%s", name, text ? text : "");
    net.free(text);
}

static void set_body(struct request *r) {
    struct buf b = {0};
    if (r->goal == GOAL_TOKEN) {
        buf_puts(&b, "grant_type=client_credentials&");
        put_escaped(r->easy, &b, "client_id", r->job->key.first);
        buf_putc(&b, '&');
        put_escaped(r->easy, &b, "client_secret", r->job->key.second);
    } else if (r->goal == GOAL_DATA && strcmp(r->endpoint->method, "POST") == 0) {
        buf_puts(&b, r->endpoint->body);
        add_header(r, "Content-Type", "application/json");
    }
    if (b.data) {
        net.easy_setopt(r->easy, CURLOPT_POSTFIELDSIZE, (long)b.len);
        net.easy_setopt(r->easy, CURLOPT_COPYPOSTFIELDS, b.data);
        explicit_bzero(b.data, b.len);
    }
    buf_free(&b);
}

static void set_transport(struct request *r, double now) {
    CURL *easy = r->easy;
    const char *protocols = url_is_secure(r->url) ? "https" : "http,https", *trusted = getenv("SSL_CERT_FILE");
    double left = r->job->deadline - now;
    net.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, protocols);
    net.easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
    net.easy_setopt(easy, CURLOPT_FOLLOWLOCATION, r->job->has_key ? 0L : 1L); /* a key stays with its host */
    net.easy_setopt(easy, CURLOPT_MAXREDIRS, (long)MAX_REDIRECTS);
    net.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    net.easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    net.easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    if (trusted && *trusted)
        net.easy_setopt(easy, CURLOPT_CAINFO, trusted);
    net.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    net.easy_setopt(easy, CURLOPT_TIMEOUT_MS, left > 0.001 ? (long)(left * 1000) : 1L);
    net.easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    net.easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)STALLED_S);
    net.easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)most_bytes(r));
    net.easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
    net.easy_setopt(easy, CURLOPT_USERAGENT, "gpuplan/" VERSION);
}

static bool set_address(struct request *r, struct err *err) {
    const struct endpoint *e = r->endpoint;
    const char *address = r->goal == GOAL_TOKEN ? e->auth_argument : r->goal == GOAL_VERSION ? e->version_url : e->url;
    struct buf url = {0};
    if (r->url)
        return true; /* a page after the first */
    /* where the table has no address, the base is the whole of it */
    const char *base = r->job->base_given && *address ? r->job->base : NULL;
    bool good =
        endpoint_url(*address || !r->job->base_given ? address : r->job->base, base, r->each, r->version, &url, err);
    if (good)
        r->url = mem_strdup(url.data);
    buf_free(&url);
    return good;
}

void request_start(struct request *r, double now) {
    struct err err = {0};
    if (!set_address(r, &err)) {
        err_at(&err, r->job->source, 0, 0, NULL);
        job_fail(r->job, &err);
        return;
    }
    request_stop(r);
    buf_clear(&r->body);
    r->too_large = false;
    r->why[0] = '\0';
    r->easy = net.easy_init();
    if (!r->easy) {
        fail(r, ERR_NETWORK, "no memory for another request");
        return;
    }
    net.easy_setopt(r->easy, CURLOPT_URL, r->url);
    net.easy_setopt(r->easy, CURLOPT_PRIVATE, r);
    net.easy_setopt(r->easy, CURLOPT_ERRORBUFFER, r->why);
    net.easy_setopt(r->easy, CURLOPT_WRITEFUNCTION, take_body);
    net.easy_setopt(r->easy, CURLOPT_WRITEDATA, r);
    net.easy_setopt(r->easy, CURLOPT_HEADERFUNCTION, take_header);
    net.easy_setopt(r->easy, CURLOPT_HEADERDATA, r);
    set_transport(r, now);
    set_body(r);
    if (!add_key(r, &err)) {
        err_at(&err, r->job->source, 0, 0, NULL);
        job_fail(r->job, &err);
        return;
    }
    if (r->goal == GOAL_DATA && r->page == 0 && r->old_etag)
        add_header(r, "If-None-Match", r->old_etag);
    if (r->goal == GOAL_DATA && r->page == 0 && r->old_modified)
        add_header(r, "If-Modified-Since", r->old_modified);
    net.easy_setopt(r->easy, CURLOPT_HTTPHEADER, r->headers);
    r->state = REQUEST_SENDING;
    r->tries++;
    net.multi_add_handle(r->job->fetch->multi, r->easy);
}

void request_stop(struct request *r) {
    if (r->easy) {
        net.multi_remove_handle(r->job->fetch->multi, r->easy);
        net.easy_cleanup(r->easy);
        r->easy = NULL;
    }
    for (struct curl_slist *h = r->headers; h; h = h->next)
        explicit_bzero(h->data, strlen(h->data)); /* one of them is the key */
    net.slist_free_all(r->headers);
    r->headers = NULL;
    io_child_free(&r->child);
}

void request_free(struct request *r) {
    request_stop(r);
    free(r->each);
    free(r->version);
    free(r->url);
    free(r->next);
    free(r->old_etag);
    free(r->old_modified);
    buf_free(&r->body);
}

/* ---- what comes next ---- */

static void try_again(struct request *r, const struct fault *f, const struct err *err, double now) {
    int most = r->job->fetch->setup.tries > 0 ? r->job->fetch->setup.tries : USUAL_TRIES;
    double wait = first_wait_s * (double)(1 << (r->tries < 8 ? r->tries - 1 : 7));
    if (!isnan(f->wait_s))
        wait = f->wait_s;
    if (r->tries >= most || now + wait >= r->job->deadline) {
        struct err last = *err;
        char text[sizeof last.text];
        memcpy(text, last.text, sizeof text);
        if (r->tries > 1)
            err_set(&last, err->code, "%s; tried %d times", text, r->tries);
        err_at(&last, r->job->source, 0, 0, NULL);
        job_fail(r->job, &last);
        return;
    }
    text_clean(r->job->note, sizeof r->job->note, err->text, strlen(err->text));
    r->job->bytes -= r->body.len;
    r->state = REQUEST_READY;
    r->not_before = now + wait;
}

/* Keeps the page, named so that a reader finds the provider in it: "skypilot/aws/vms.csv". */
static void keep_page(struct request *r) {
    struct job *j = r->job;
    struct buf name = {0};
    const char *path = r->url + strcspn(r->url, "?#"), *last = path;
    while (last > r->url && last[-1] != '/')
        last--;
    buf_puts(&name, r->endpoint->name);
    if (r->each)
        buf_printf(&name, "/%s", r->each);
    if (r->page > 0)
        buf_printf(&name, "/%d", r->page + 1);
    buf_putc(&name, '/');
    buf_put(&name, last, (size_t)(path - last));
    j->pages = mem_grow(j->pages, &j->page_cap, j->page_count + 1, sizeof *j->pages);
    j->pages[j->page_count++] =
        (struct page){name.data, mem_strdup(r->url), mem_strdup(r->etag), mem_strdup(r->modified), r->body};
    r->kept += r->body.len;
    r->body = (struct buf){0};
}

static void next_page(struct request *r, const char *next_url) {
    struct buf url = {0};
    struct err err = {0};
    if (++r->page >= MAX_PAGES) {
        fail(r, ERR_NETWORK, "the list has no end: more than 500 pages");
        return;
    }
    if (!url_follow(r->url, r->job->base_given ? r->job->base : NULL, next_url, &url, &err)) {
        err_at(&err, r->job->source, 0, 0, NULL);
        job_fail(r->job, &err);
    } else if (strcmp(url.data, r->url) == 0) {
        fail(r, ERR_NETWORK, "the list has no end: the next page is the same page");
    } else {
        free(r->url);
        r->url = mem_strdup(url.data);
        r->state = REQUEST_READY;
        r->not_before = 0;
        r->tries = 0;
    }
    buf_free(&url);
}

static void extract(struct request *r, const char *path) {
    struct err err = {0};
    r->extract = (struct io_extract){r->body.data ? r->body.data : "", path, r->body.len};
    r->state = REQUEST_EXTRACTING;
    if (!io_child_start(&r->child, io_extract_run, &r->extract, &err))
        job_fail(r->job, &err);
}

static void take_version(struct request *r) {
    const char *text = r->body.data ? r->body.data : "";
    size_t len = r->body.len;
    char clean[80];
    text_trim(&text, &len);
    text_clean(clean, sizeof clean, text, len);
    if (len == 0 || len >= sizeof clean || strpbrk(clean, " /?#%")) {
        fail(r, ERR_NETWORK, "no version where one was expected");
        return;
    }
    r->version = mem_strdup(clean);
    free(r->url);
    r->url = NULL;
    r->goal = GOAL_DATA;
    r->tries = 0;
    r->state = REQUEST_READY;
}

static void take_data(struct request *r) {
    static const bool in_body[] = {[PAGING_URL] = true, [PAGING_TOKEN] = true, [PAGING_PAGE] = true};
    if (r->goal == GOAL_TOKEN) {
        extract(r, "access_token");
    } else if (r->goal == GOAL_VERSION) {
        take_version(r);
    } else if (in_body[r->endpoint->paging]) {
        extract(r, r->endpoint->paging_path);
    } else {
        keep_page(r);
        r->state = REQUEST_DONE;
        if (r->endpoint->paging == PAGING_LINK && r->next)
            next_page(r, r->next);
    }
}

void request_done(struct request *r, CURLcode code, double now) {
    struct err err = {0};
    struct fault f = fault_judge(r, code, &err);
    request_stop(r);
    if (f.none)
        take_data(r);
    else if (f.unchanged && (r->old_etag || r->old_modified))
        r->state = REQUEST_UNCHANGED;
    else if (f.again)
        try_again(r, &f, &err, now);
    else if (f.missing && r->each) { /* one of many: the others are still wanted */
        char note[160];
        snprintf(note, sizeof note, "%.60s: %.90s", r->each, err.text);
        job_note(r->job, note);
        r->state = REQUEST_MISSING;
    } else {
        if (f.unchanged)
            err_set(&err, ERR_NETWORK, "an answer of status 304 to a question that was not asked");
        err_at(&err, r->job->source, 0, 0, NULL);
        job_fail(r->job, &err);
    }
}

/* ---- what the child found in the page ---- */

static void take_token(struct request *r, const char *value) {
    for (const char *p = value; *p; p++)
        if (*p <= ' ' || *p > '~') {
            fail(r, ERR_NETWORK, "no token where one was expected");
            return;
        }
    r->job->token = mem_strdup(value);
    explicit_bzero(r->body.data, r->body.len);
    r->state = REQUEST_DONE;
}

/* `value` NULL: it is not there. */
static void take_next(struct request *r, const char *value) {
    struct buf url = {0};
    char number[16];
    bool page = r->endpoint->paging == PAGING_PAGE, more = value && !(page && strcmp(value, "0") == 0);
    if (more || r->page == 0 || !page) /* a page without rows is only the end */
        keep_page(r);
    r->state = REQUEST_DONE;
    if (!more)
        return;
    if (r->endpoint->paging == PAGING_URL) {
        next_page(r, value);
        return;
    }
    snprintf(number, sizeof number, "%d", r->page + 2);
    url_argument(r->url, r->endpoint->paging_argument, page ? number : value, &url);
    next_page(r, url.data);
    buf_free(&url);
}

void request_extracted(struct request *r, double now) {
    struct buf out = r->child.out;
    (void)now;
    r->child.out = (struct buf){0};
    io_child_free(&r->child);
    char *end = out.data ? strchr(out.data, '\n') : NULL, mark = out.data ? out.data[0] : 0;
    if (end)
        *end = '\0';
    if (!end || (mark != '=' && mark != '-' && mark != '!'))
        fail(r, ERR_NETWORK, "the answer cannot be read: its reader gave up");
    else if (mark == '!') {
        struct err err = {0};
        err_set(&err, ERR_NETWORK, "the answer cannot be read: %s", out.data + 1);
        err_at(&err, r->job->source, 0, 0, NULL);
        job_fail(r->job, &err);
    } else if (r->goal == GOAL_TOKEN)
        take_token(r, mark == '=' ? out.data + 1 : " ");
    else
        take_next(r, mark == '=' ? out.data + 1 : NULL);
    if (out.data)
        explicit_bzero(out.data, out.len);
    buf_free(&out);
}
