/* SPDX-License-Identifier: MIT */
/* libcurl's multi interface inside the loop of whoever asks: its sockets and its timer, and the jobs on top. */
#include "fetch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double fetch_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool fetch_ended(enum fetch_state s) {
    return s >= FETCH_DONE;
}

/* ---- what curl waits for ---- */

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *of_socket) {
    struct fetch *f = user;
    size_t i = 0;
    short events = (short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0));
    (void)easy;
    (void)of_socket;
    while (i < f->socket_count && f->sockets[i].fd != fd)
        i++;
    if (what == CURL_POLL_REMOVE) {
        if (i < f->socket_count)
            f->sockets[i] = f->sockets[--f->socket_count];
        return 0;
    }
    if (i == f->socket_count) {
        f->sockets = mem_grow(f->sockets, &f->socket_cap, f->socket_count + 1, sizeof *f->sockets);
        f->socket_count++;
    }
    f->sockets[i] = (struct pollfd){.fd = fd, .events = events};
    return 0;
}

static int watch_timer(CURLM *multi, long ms, void *user) {
    struct fetch *f = user;
    (void)multi;
    f->timer = ms < 0 ? NAN : fetch_seconds() + (double)ms / 1000;
    return 0;
}

struct fetch *fetch_new(const struct fetch_setup *setup, struct err *err) {
    if (!net_load(err))
        return NULL;
    struct fetch *f = mem_zero(1, sizeof *f);
    f->setup = *setup;
    f->timer = NAN;
    f->multi = net.multi_init();
    if (!f->multi) {
        free(f);
        err_set(err, ERR_NETWORK, "libcurl cannot be used");
        return NULL;
    }
    net.multi_setopt(f->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    net.multi_setopt(f->multi, CURLMOPT_SOCKETDATA, f);
    net.multi_setopt(f->multi, CURLMOPT_TIMERFUNCTION, watch_timer);
    net.multi_setopt(f->multi, CURLMOPT_TIMERDATA, f);
    return f;
}

void fetch_free(struct fetch *f) {
    if (!f)
        return;
    for (size_t i = 0; i < f->count; i++)
        job_free(f->jobs[i]);
    free(f->jobs);
    net.multi_cleanup(f->multi);
    free(f->sockets);
    free(f);
}

bool fetch_add(struct fetch *f, const char *source, struct err *err) {
    size_t at = f->count;
    for (size_t i = 0; i < f->count; i++) {
        if (strcmp(f->jobs[i]->source, source) != 0)
            continue;
        if (!fetch_ended(f->jobs[i]->state))
            return true; /* it is on its way */
        at = i;
    }
    struct job *j = job_new(f, source, err);
    if (!j)
        return false;
    if (at < f->count) { /* once more */
        job_free(f->jobs[at]);
        f->jobs[at] = j;
        return true;
    }
    f->jobs = mem_grow(f->jobs, &f->cap, f->count + 1, sizeof *f->jobs);
    f->jobs[f->count++] = j;
    return true;
}

/* ---- the loop ---- */

static void drive_sockets(struct fetch *f) {
    int running;
    struct pollfd *ready = mem_alloc((f->socket_count + 1) * sizeof *ready);
    size_t count = f->socket_count; /* the table changes under the calls */
    memcpy(ready, f->sockets ? f->sockets : ready, count * sizeof *ready);
    if (count > 0 && poll(ready, (nfds_t)count, 0) > 0)
        for (size_t i = 0; i < count; i++) {
            short got = ready[i].revents;
            int what = (got & POLLIN ? CURL_CSELECT_IN : 0) | (got & POLLOUT ? CURL_CSELECT_OUT : 0) |
                       (got & (POLLERR | POLLHUP | POLLNVAL) ? CURL_CSELECT_ERR : 0);
            if (what)
                net.multi_socket_action(f->multi, ready[i].fd, what, &running);
        }
    free(ready);
    if (!isnan(f->timer) && fetch_seconds() >= f->timer) {
        f->timer = NAN;
        net.multi_socket_action(f->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

static void take_ended(struct fetch *f, double now) {
    int left;
    for (CURLMsg *m; (m = net.multi_info_read(f->multi, &left)) != NULL;) {
        struct request *r = NULL;
        if (m->msg != CURLMSG_DONE)
            continue;
        CURLcode code = m->data.result; /* gone with the handle */
        net.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&r);
        request_done(r, code, now);
    }
}

bool fetch_step(struct fetch *f) {
    bool more = false;
    drive_sockets(f);
    double now = fetch_seconds();
    take_ended(f, now);
    for (size_t i = 0; i < f->count; i++) {
        job_step(f->jobs[i], now);
        more |= !fetch_ended(f->jobs[i]->state);
    }
    return more;
}

size_t fetch_fds(const struct fetch *f, struct pollfd *out, size_t cap) {
    size_t n = 0;
    for (size_t i = 0; i < f->socket_count && n < cap; i++)
        out[n++] = f->sockets[i];
    for (size_t i = 0; i < f->count; i++)
        n += job_fds(f->jobs[i], out + n, cap - n);
    return n;
}

int fetch_timeout_ms(const struct fetch *f) {
    double at = isnan(f->timer) ? INFINITY : f->timer, now = fetch_seconds();
    bool more = false;
    for (size_t i = 0; i < f->count; i++) {
        double wakes = job_wakes(f->jobs[i]);
        at = wakes < at ? wakes : at;
        more |= !fetch_ended(f->jobs[i]->state);
    }
    if (!more || isinf(at))
        return -1;
    double ms = ceil((at - now) * 1000);
    return ms <= 0 ? 0 : ms > 3600e3 ? 3600000 : (int)ms;
}

void fetch_cancel(struct fetch *f, const char *source) {
    for (size_t i = 0; i < f->count; i++)
        if ((!source || strcmp(f->jobs[i]->source, source) == 0) && !fetch_ended(f->jobs[i]->state)) {
            job_end(f->jobs[i], FETCH_CANCELLED);
            job_step(f->jobs[i], fetch_seconds());
        }
}

size_t fetch_count(const struct fetch *f) {
    return f->count;
}

struct fetch_status fetch_status(const struct fetch *f, size_t i) {
    const struct job *j = f->jobs[i];
    double end = fetch_ended(j->state) ? j->ended : fetch_seconds();
    struct fetch_status s = {.source = j->source,
                             .state = j->state,
                             .requests = (int)j->count,
                             .bytes = j->bytes,
                             .seconds = end - j->started,
                             .bytes_per_s = j->rate,
                             .unchanged = j->unchanged,
                             .err = j->err};
    for (size_t k = 0; k < j->count; k++)
        s.answered += j->requests[k].state >= REQUEST_DONE;
    if (s.seconds > 0 && s.bytes_per_s <= 0)
        s.bytes_per_s = (double)j->bytes / s.seconds;
    memcpy(s.path, j->path, sizeof s.path);
    memcpy(s.note, j->note, sizeof s.note);
    return s;
}
