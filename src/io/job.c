/* SPDX-License-Identifier: MIT */
/* One source: its requests, then the child that reads and keeps what they brought. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fetch.h"
#include "gpuplan/base/json.h"
#include "gpuplan/base/text.h"

static const double usual_timeout_s = 300;
enum { MAX_AT_ONCE = 4 /* requests of one source */ };

/* ---- from the table of endpoints to requests ---- */

static void add_request(struct job *j, const struct endpoint *e, const char *each, size_t each_len) {
    j->requests = mem_resize(j->requests, j->count + 1, sizeof *j->requests);
    struct request *r = &j->requests[j->count++];
    *r = (struct request){.job = j, .endpoint = e, .goal = *e->version_url ? GOAL_VERSION : GOAL_DATA};
    r->child.fd = -1;
    if (each) {
        r->each = mem_zero(each_len + 1, 1);
        memcpy(r->each, each, each_len);
    }
}

static void add_requests(struct job *j, const struct endpoint *e) {
    if (e->auth == AUTH_OAUTH && j->has_key && j->count == 0) {
        add_request(j, e, NULL, 0);
        j->requests[0].goal = GOAL_TOKEN;
    }
    if (!*e->each)
        add_request(j, e, NULL, 0);
    for (const char *word = e->each; *word;) {
        size_t len = strcspn(word, " ");
        if (len > 0)
            add_request(j, e, word, len);
        word += len + (word[len] == ' ');
    }
}

/* What the newest snapshot knows of each address, to be asked whether anything changed. */
static void remember(struct job *j) {
    struct io_snapshots s = {0};
    io_snapshots_list(j->fetch->setup.folder, &s);
    const struct io_snapshot *newest = io_snapshots_newest(&s, j->source);
    if (newest)
        j->old = mem_strdup(newest->path);
    io_snapshots_free(&s);
}

static bool same_request(const struct request *r, const char *name) {
    char start[120];
    snprintf(start, sizeof start, "%s/%s%s", r->endpoint->name, r->each ? r->each : "", r->each ? "/" : "");
    return strncmp(name, start, strlen(start)) == 0;
}

static void remember_tags(struct job *j) {
    struct cJSON *facts = j->old ? io_snapshot_facts(j->old) : NULL;
    const cJSON *one;
    if (strcmp(json_string(facts, "program", ""), VERSION) != 0) { /* it may read the same list better now */
        cJSON_Delete(facts);
        return;
    }
    cJSON_ArrayForEach (one, cJSON_GetObjectItemCaseSensitive(facts, "requests")) {
        const char *name = json_string(one, "name", ""), *etag = json_string(one, "etag", ""),
                   *modified = json_string(one, "last_modified", "");
        for (size_t i = 0; i < j->count; i++) {
            struct request *r = &j->requests[i];
            if (r->endpoint->paging != PAGING_NONE || r->goal == GOAL_TOKEN || !same_request(r, name))
                continue;
            if (*etag && !r->old_etag)
                r->old_etag = mem_strdup(etag);
            if (*modified && !r->old_modified)
                r->old_modified = mem_strdup(modified);
            break;
        }
    }
    cJSON_Delete(facts);
}

static bool find_key(struct job *j, const struct endpoint *e, struct err *err) {
    struct err why = {0};
    switch (io_key_find(e, &j->key, &why)) {
    case IO_KEY_FOUND:
        j->has_key = true;
        return true;
    case IO_KEY_ABSENT:
        if (e->auth == AUTH_NONE || e->key_optional)
            return true;
        err_set(err, ERR_USAGE, "needs a key: set %s, or write it into the file keys of the configuration folder",
                e->key_env);
        return err_at(err, j->source, 0, 0, NULL);
    default:
        if (err)
            *err = why;
        return false;
    }
}

static const char *base_of(const struct fetch *f, const char *source) {
    for (size_t i = 0; i < f->setup.base_count; i++)
        if (strcmp(f->setup.bases[i].source, source) == 0)
            return f->setup.bases[i].url;
    return NULL;
}

struct job *job_new(struct fetch *f, const char *source, struct err *err) {
    const struct endpoint *first = endpoints_find(f->setup.endpoints, source, err);
    if (!first)
        return NULL;
    struct job *j = mem_zero(1, sizeof *j);
    j->fetch = f;
    j->source = first->source;
    j->child.fd = -1;
    j->base = base_of(f, first->source);
    j->base_given = j->base != NULL;
    bool good = find_key(j, first, err);
    if (good && !*first->url && !j->base_given) {
        err_set(err, ERR_USAGE, "no address is known; give one with --endpoint %s=URL", j->source);
        good = err_at(err, j->source, 0, 0, NULL);
    }
    if (!good) {
        job_free(j);
        return NULL;
    }
    for (size_t i = 0; i < endpoints_count(f->setup.endpoints); i++)
        if (strcmp(endpoints_at(f->setup.endpoints, i)->source, j->source) == 0)
            add_requests(j, endpoints_at(f->setup.endpoints, i));
    remember(j);
    remember_tags(j);
    j->started = fetch_seconds();
    j->rate_at = j->started;
    j->deadline = j->started + (f->setup.timeout_s > 0 ? f->setup.timeout_s : usual_timeout_s);
    return j;
}

/* Bodies, handles and keys go as soon as nothing needs them. */
static void drop_work(struct job *j) {
    for (size_t i = 0; i < j->count; i++)
        request_free(&j->requests[i]);
    free(j->requests);
    j->requests = NULL;
    j->count = 0;
    for (size_t i = 0; i < j->page_count; i++) {
        free(j->pages[i].name);
        free(j->pages[i].url);
        free(j->pages[i].etag);
        free(j->pages[i].modified);
        buf_free(&j->pages[i].body);
    }
    free(j->pages);
    j->pages = NULL;
    j->page_count = j->page_cap = 0;
    free(j->answers);
    j->answers = NULL;
    io_child_free(&j->child);
    io_key_forget(&j->key);
    if (j->token)
        explicit_bzero(j->token, strlen(j->token));
    free(j->token);
    j->token = NULL;
}

void job_free(struct job *j) {
    drop_work(j);
    for (size_t i = 0; i < j->note_count; i++)
        free(j->notes[i]);
    free(j->notes);
    free(j->old);
    free(j);
}

void job_note(struct job *j, const char *text) {
    j->notes = mem_grow(j->notes, &j->note_cap, j->note_count + 1, sizeof *j->notes);
    j->notes[j->note_count++] = mem_strdup(text);
}

/* What runs is only stopped by job_step(): a callback of curl may be on the way here. */
void job_end(struct job *j, enum fetch_state state) {
    if (fetch_ended(j->state))
        return;
    j->state = state;
    j->ended = fetch_seconds();
}

void job_fail(struct job *j, const struct err *err) {
    if (fetch_ended(j->state))
        return;
    j->err = *err;
    job_end(j, FETCH_FAILED);
}

/* ---- reading ---- */

static void start_reading(struct job *j) {
    struct err err = {0};
    j->answers = mem_zero(j->page_count + 1, sizeof *j->answers);
    for (size_t i = 0; i < j->page_count; i++)
        j->answers[i] = (struct io_answer){j->pages[i].name,     j->pages[i].url,       j->pages[i].etag,
                                           j->pages[i].modified, j->pages[i].body.data, j->pages[i].body.len};
    const struct fetch_setup *s = &j->fetch->setup;
    j->ctx = (struct listing_context){.catalog = s->catalog,
                                      .providers = s->providers,
                                      .mappings = s->mappings,
                                      .now = s->now ? s->now : (int64_t)time(NULL)};
    j->store = (struct io_store){.ctx = &j->ctx,
                                 .folder = s->folder,
                                 .source = j->source,
                                 .answers = j->answers,
                                 .count = j->page_count,
                                 .notes = (const char *const *)j->notes,
                                 .note_count = j->note_count,
                                 .unchanged = j->unchanged ? j->old : NULL,
                                 .key = j->has_key ? &j->key : NULL};
    j->state = FETCH_READING;
    if (!io_child_start(&j->child, io_store_run, &j->store, &err))
        job_fail(j, &err);
}

/* Some parts are as they were, others are new: those that were not sent are asked for without a condition. */
static void ask_again(struct job *j) {
    for (size_t i = 0; i < j->count; i++) {
        struct request *r = &j->requests[i];
        if (r->state != REQUEST_UNCHANGED)
            continue;
        free(r->old_etag);
        free(r->old_modified);
        r->old_etag = r->old_modified = NULL;
        r->state = REQUEST_READY;
        r->tries = 0;
    }
}

/* True: there is more to send. */
static bool all_answered(struct job *j) {
    size_t unchanged = 0, data = 0, missing = 0;
    struct err err = {0};
    for (size_t i = 0; i < j->count; i++) {
        unchanged += j->requests[i].state == REQUEST_UNCHANGED;
        missing += j->requests[i].state == REQUEST_MISSING;
        data += j->requests[i].goal != GOAL_TOKEN;
    }
    if (missing == data) {
        err_set(&err, ERR_NETWORK, "there is nothing at any of its %zu addresses (404)", data);
        err_at(&err, j->source, 0, 0, NULL);
        job_fail(j, &err);
        return false;
    }
    j->unchanged = unchanged > 0 && unchanged + missing == data;
    if (unchanged > 0 && !j->unchanged) {
        ask_again(j);
        return true;
    }
    start_reading(j);
    return false;
}

static void take_reading(struct job *j) {
    struct err err = {0};
    const char *text = j->child.out.data ? j->child.out.data : "";
    size_t len = strcspn(text, "\n");
    if (*text == '+' && text[len] == '\n' && len <= sizeof j->path) {
        memcpy(j->path, text + 1, len - 1);
        j->path[len - 1] = '\0';
        snprintf(j->note, sizeof j->note, "%s%s", j->note_count ? j->notes[0] : "", j->note_count > 1 ? "; more" : "");
        job_end(j, FETCH_DONE);
        return;
    }
    if (*text == '!')
        err_set(&err, ERR_NETWORK, "the answer cannot be used: %.*s", (int)len - 1, text + 1);
    else
        err_set(&err, ERR_NETWORK, "the answer cannot be used: its reader gave up");
    err_at(&err, j->source, 0, 0, NULL);
    job_fail(j, &err);
}

/* ---- the clock ---- */

static void measure_rate(struct job *j, double now) {
    static const double window_s = 1;
    double passed = now - j->rate_at;
    if (passed < window_s)
        return;
    j->rate = j->bytes > j->rate_bytes ? (double)(j->bytes - j->rate_bytes) / passed : 0;
    j->rate_bytes = j->bytes;
    j->rate_at = now;
}

static bool waits_for_token(const struct job *j, const struct request *r) {
    return r->goal != GOAL_TOKEN && j->requests[0].goal == GOAL_TOKEN && !j->token;
}

static void start_requests(struct job *j, double now) {
    int running = 0;
    bool waiting = false, pending = false;
    for (size_t i = 0; i < j->count; i++)
        running += j->requests[i].state == REQUEST_SENDING || j->requests[i].state == REQUEST_EXTRACTING;
    for (size_t i = 0; i < j->count && !fetch_ended(j->state); i++) {
        struct request *r = &j->requests[i];
        pending |= r->state <= REQUEST_EXTRACTING;
        if (r->state != REQUEST_READY || waits_for_token(j, r))
            continue;
        waiting |= r->not_before > now;
        if (r->not_before > now || running >= MAX_AT_ONCE)
            continue;
        request_start(r, now);
        running++;
    }
    if (fetch_ended(j->state))
        return;
    j->state = waiting && running == 0 ? FETCH_WAITING : FETCH_SENDING;
    if (!pending && all_answered(j))
        start_requests(j, now);
}

void job_step(struct job *j, double now) {
    struct err err = {0};
    if (fetch_ended(j->state)) {
        drop_work(j);
        return;
    }
    measure_rate(j, now);
    for (size_t i = 0; i < j->count; i++) {
        struct request *r = &j->requests[i];
        if (r->state == REQUEST_EXTRACTING && !io_child_read(&r->child))
            request_extracted(r, now);
    }
    if (j->state == FETCH_READING) {
        if (!io_child_read(&j->child))
            take_reading(j);
    } else {
        start_requests(j, now);
    }
    if (!fetch_ended(j->state) && now >= j->deadline) {
        err_set(&err, ERR_NETWORK, "no full answer within %.0f s (--timeout allows more)", j->deadline - j->started);
        err_at(&err, j->source, 0, 0, NULL);
        job_fail(j, &err);
    }
    if (fetch_ended(j->state))
        drop_work(j);
}

double job_wakes(const struct job *j) {
    double at = j->deadline;
    if (fetch_ended(j->state))
        return INFINITY;
    for (size_t i = 0; i < j->count; i++)
        if (j->requests[i].state == REQUEST_READY && j->requests[i].not_before > 0 && j->requests[i].not_before < at)
            at = j->requests[i].not_before;
    return at;
}

size_t job_fds(const struct job *j, struct pollfd *out, size_t cap) {
    size_t n = 0;
    if (j->state == FETCH_READING && n < cap)
        out[n++] = (struct pollfd){.fd = j->child.fd, .events = POLLIN};
    for (size_t i = 0; i < j->count && n < cap; i++)
        if (j->requests[i].state == REQUEST_EXTRACTING)
            out[n++] = (struct pollfd){.fd = j->requests[i].child.fd, .events = POLLIN};
    return n;
}
