/* SPDX-License-Identifier: MIT */
/* Fetching in the background. What a source brings replaces its listings; the cursor stays on its offer by the offer's id. */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/io/snapshot.h"
#include "sources.h"

enum { SHOW_MS = 250 /* progress moves four times a second, where it is seen */ };

bool fetching_possible(const struct app *a) {
    return a->fetching->endpoints && a->fetching->folder;
}

bool fetching_busy(const struct app *a) {
    const struct fetch *f = a->fetching->fetch;
    for (size_t i = 0; f && i < fetch_count(f); i++)
        if (!fetch_ended(fetch_status(f, i).state))
            return true;
    return false;
}

bool fetching_status(const struct app *a, const char *source, struct fetch_status *out) {
    const struct fetch *f = a->fetching->fetch;
    for (size_t i = 0; f && i < fetch_count(f); i++) {
        *out = fetch_status(f, i);
        if (strcmp(out->source, source) == 0)
            return true;
    }
    return false;
}

static bool make_ready(struct app *a, struct err *err) {
    struct fetching *f = a->fetching;
    const struct fetch_setup setup = {.catalog = a->catalog,
                                      .providers = a->providers,
                                      .mappings = a->mappings,
                                      .endpoints = f->endpoints,
                                      .folder = f->folder};
    if (!fetching_possible(a))
        return err_set(err, ERR_IO, "there is no place for snapshots");
    return f->fetch || (f->fetch = fetch_new(&setup, err));
}

static void untell(struct fetching *f, const char *source) {
    size_t count = fetch_count(f->fetch);
    f->told = mem_grow(f->told, &f->told_cap, count, sizeof *f->told);
    for (size_t i = 0; i < count; i++)
        if (strcmp(fetch_status(f->fetch, i).source, source) == 0)
            f->told[i] = false;
}

void fetching_start(struct app *a, const char *source) {
    struct err err = {0};
    if (!make_ready(a, &err) || !fetch_add(a->fetching->fetch, source, &err)) {
        app_say_error(a, &err);
        return;
    }
    untell(a->fetching, source);
    app_say(a, MESSAGE_FETCHING, source);
}

void fetching_start_all(struct app *a) {
    size_t count;
    if (!fetching_possible(a))
        return;
    const char *const *names = endpoints_sources(a->fetching->endpoints, &count);
    for (size_t i = 0; i < count; i++) {
        const struct endpoint *e = endpoints_find(a->fetching->endpoints, names[i], NULL);
        struct io_key key;
        enum io_key_state state = io_key_find(e, &key, NULL);
        io_key_forget(&key);
        if (*e->url && (e->auth == AUTH_NONE || e->key_optional || state == IO_KEY_FOUND))
            fetching_start(a, names[i]);
    }
}

/* The snapshots of this source leave the list of what is read, the new one joins it. */
static void replace_listing(struct app *a, const char *source, const char *path) {
    struct buf old = {0};
    size_t count = 0, kept = 0;
    buf_printf(&old, "%s/%s/", a->fetching->folder, source);
    while (a->listing_files && a->listing_files[count])
        count++;
    char **files = mem_zero(count + 2, sizeof *files);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(a->listing_files[i], old.data, old.len) == 0)
            free(a->listing_files[i]);
        else
            files[kept++] = a->listing_files[i];
    }
    files[kept] = mem_strdup(path);
    free(a->listing_files);
    a->listing_files = files;
    buf_free(&old);
}

static void tell(struct app *a, const struct fetch_status *s) {
    if (s->state == FETCH_DONE) {
        replace_listing(a, s->source, s->path);
        reader_start(a);
        app_say(a, MESSAGE_FETCHED, s->source);
    } else if (s->state == FETCH_FAILED) {
        struct err err = s->err;
        app_say_error(a, &err);
    } else {
        app_say(a, MESSAGE_FETCH_CANCELLED, s->source);
    }
    sources_build(a);
}

static void tell_ended(struct app *a) {
    struct fetching *f = a->fetching;
    for (size_t i = 0; i < fetch_count(f->fetch); i++) {
        struct fetch_status s = fetch_status(f->fetch, i);
        if (!fetch_ended(s.state) || f->told[i])
            continue;
        f->told[i] = true;
        tell(a, &s);
    }
}

void fetching_cancel(struct app *a, const char *source) {
    if (!a->fetching->fetch)
        return;
    fetch_cancel(a->fetching->fetch, source);
    tell_ended(a);
}

void fetching_step(struct app *a) {
    if (!a->fetching->fetch)
        return;
    bool busy = fetch_step(a->fetching->fetch);
    tell_ended(a);
    a->changed |= busy && a->screen == SCREEN_SOURCES;
}

void fetching_end(struct app *a) {
    fetch_free(a->fetching->fetch);
    free(a->fetching->told);
    free(a->fetching->folder);
    free(a->fetching);
}

size_t app_poll_fds(const struct app *a, struct pollfd *out, size_t cap) {
    size_t n = 0;
    if (reader_fd(a) >= 0 && cap > 0)
        out[n++] = (struct pollfd){.fd = reader_fd(a), .events = POLLIN};
    return a->fetching->fetch ? n + fetch_fds(a->fetching->fetch, out + n, cap - n) : n;
}

int app_poll_timeout_ms(const struct app *a) {
    int wait = a->fetching->fetch ? fetch_timeout_ms(a->fetching->fetch) : -1;
    if (a->screen == SCREEN_SOURCES && fetching_busy(a) && (wait < 0 || wait > SHOW_MS))
        wait = SHOW_MS;
    return wait;
}
