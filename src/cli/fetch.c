/* SPDX-License-Identifier: MIT */
/* `gpuplan fetch`: the loop, progress on a terminal, a line a source at the end. */
#include "gpuplan/io/fetch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/json.h"
#include "gpuplan/base/text.h"
#include "gpuplan/io/snapshot.h"
#include "gpuplan/listing/when.h"

#include <cjson/cJSON.h>

enum { MAX_FDS = 1024, SHOW_MS = 100 /* progress moves ten times a second */ };

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

/* ---- what is asked for ---- */

static bool parse_bases(struct cli *c, struct fetch_base *bases, char **copies) {
    struct err err = {0};
    for (int i = 0; i < c->args.counts[OPTION_ENDPOINT]; i++) {
        char *pair = copies[i] = mem_strdup(c->args.values[OPTION_ENDPOINT][i]), *equals = strchr(pair, '=');
        if (!equals) {
            err_set(&err, ERR_USAGE, "--endpoint: expected SOURCE=URL");
            return cli_fail(c, &err);
        }
        *equals = '\0';
        bases[i] = (struct fetch_base){pair, equals + 1};
        if (!url_check(equals + 1, &err) || !endpoints_find(c->endpoints, pair, &err)) {
            err_at(&err, "--endpoint", 0, 0, NULL);
            return cli_fail(c, &err);
        }
    }
    return true;
}

static bool has_base(const struct fetch_setup *s, const char *source) {
    for (size_t i = 0; i < s->base_count; i++)
        if (strcmp(s->bases[i].source, source) == 0)
            return true;
    return false;
}

/* Of --all, those that could be asked. */
static void add_all(struct cli *c, struct fetch *f, const struct fetch_setup *s) {
    size_t count;
    const char *const *names = endpoints_sources(c->endpoints, &count);
    for (size_t i = 0; i < count; i++) {
        const struct endpoint *e = endpoints_find(c->endpoints, names[i], NULL);
        struct err err = {0};
        struct io_key key;
        enum io_key_state state = io_key_find(e, &key, &err);
        io_key_forget(&key);
        if (!*e->url && !has_base(s, names[i]))
            cli_warn(c, _("%s passed over: no address is known (--endpoint %s=URL)"), names[i], names[i]);
        else if (state == IO_KEY_ABSENT && e->auth != AUTH_NONE && !e->key_optional)
            cli_warn(c, _("%s passed over: no key in %s"), names[i], e->key_env);
        else if (!fetch_add(f, names[i], &err))
            cli_fail(c, &err);
    }
}

static bool add_sources(struct cli *c, struct fetch *f, const struct fetch_setup *s) {
    struct err err = {0};
    bool all = args_has(&c->args, OPTION_ALL);
    if (all == (c->args.word_count > 0)) {
        err_set(&err, ERR_USAGE, "`gpuplan fetch` needs SOURCE... or --all; `gpuplan list endpoints` shows them");
        return cli_fail(c, &err);
    }
    if (all)
        add_all(c, f, s);
    for (int i = 0; i < c->args.word_count; i++) /* the others are still wanted */
        if (!fetch_add(f, c->args.words[i], &err))
            cli_fail(c, &err);
    return fetch_count(f) > 0;
}

/* ---- progress ---- */

static void put_bytes(struct buf *b, double bytes) {
    if (bytes < 1e6)
        buf_printf(b, "%.0f kB", bytes / 1e3);
    else
        buf_printf(b, "%.1f MB", bytes / 1e6);
}

static void put_progress(struct buf *b, const struct fetch_status *s) {
    buf_printf(b, "%s%s ", b->len ? ", " : "", s->source);
    if (s->state == FETCH_READING) {
        buf_puts(b, _("is read"));
        return;
    }
    if (s->requests > 1)
        buf_printf(b, "%d/%d ", s->answered, s->requests);
    put_bytes(b, (double)s->bytes);
    buf_putc(b, ' ');
    if (s->state == FETCH_WAITING) {
        buf_puts(b, _("waits"));
        return;
    }
    put_bytes(b, s->bytes_per_s);
    buf_puts(b, "/s");
}

static void show_progress(const struct cli *c, const struct fetch *f) {
    struct buf b = {0};
    for (size_t i = 0; i < fetch_count(f); i++) {
        struct fetch_status s = fetch_status(f, i);
        if (!fetch_ended(s.state))
            put_progress(&b, &s);
    }
    size_t len = b.data ? text_fit(b.data, c->style.width - 1, NULL) : 0;
    fprintf(stderr, "\r%.*s\033[K", (int)len, b.data ? b.data : "");
    buf_free(&b);
}

/* An interrupt counts only while the loop waits, so none falls between the look at the flag and the waiting. */
static void run_loop(struct cli *c, struct fetch *f) {
    struct pollfd fds[MAX_FDS];
    bool show = isatty(STDERR_FILENO) && !args_has(&c->args, OPTION_QUIET);
    struct sigaction s = {.sa_handler = on_interrupt}, action_before;
    sigset_t only, mask_before;
    sigemptyset(&s.sa_mask);
    sigemptyset(&only);
    sigaddset(&only, SIGINT);
    sigprocmask(SIG_BLOCK, &only, &mask_before);
    sigaction(SIGINT, &s, &action_before);
    while (fetch_step(f)) {
        int wait = fetch_timeout_ms(f);
        if (show) {
            show_progress(c, f);
            wait = wait < 0 || wait > SHOW_MS ? SHOW_MS : wait;
        }
        const struct timespec t = {wait / 1000, wait % 1000 * 1000000L};
        ppoll(fds, (nfds_t)fetch_fds(f, fds, MAX_FDS), wait < 0 ? NULL : &t, &mask_before);
        if (interrupted)
            fetch_cancel(f, NULL);
    }
    if (show)
        fputs("\r\033[K", stderr);
    sigaction(SIGINT, &action_before, NULL);
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

/* ---- the end ---- */

static void say_failure(struct cli *c, const struct fetch_status *s, const struct io_snapshots *kept) {
    const struct io_snapshot *old = io_snapshots_newest(kept, s->source);
    char when[32];
    cli_fail(c, &s->err);
    c->status = STATUS_NETWORK;
    if (!old)
        return;
    when_format(when, sizeof when, old->fetched_at);
    cli_warn(c, _("%s: the snapshot of %s is kept"), s->source, when);
}

static void add_row(struct grid *g, const struct fetch_status *s) {
    static const char *const states[] = {
        [FETCH_DONE] = "fetched", [FETCH_FAILED] = "failed", [FETCH_CANCELLED] = "cancelled"};
    struct cJSON *facts = s->state == FETCH_DONE ? io_snapshot_facts(s->path) : NULL;
    grid_add(g, s->source);
    grid_add(g, s->unchanged && s->state == FETCH_DONE ? "unchanged" : states[s->state]);
    grid_add_number(g, json_number(facts, "offers", NUM_UNKNOWN), 9);
    grid_add_number(g, json_number(facts, "skipped", NUM_UNKNOWN), 9);
    grid_add_number(g, json_number(facts, "flagged", NUM_UNKNOWN), 9);
    grid_add_number(g, (double)s->bytes / 1e3, 3);
    grid_add_number(g, s->seconds, 2);
    grid_add(g, s->state == FETCH_FAILED ? s->err.text : s->note);
    grid_add(g, s->path);
    cJSON_Delete(facts);
}

static int finish(struct cli *c, struct fetch *f) {
    static const char *const keys[] = {"source", "state",   "offers", "left_out", "flagged",
                                       "kb",     "seconds", "note",   "snapshot"};
    struct grid *g = grid_new(keys, sizeof keys / sizeof keys[0]);
    struct io_snapshots kept = {0};
    struct buf b = {0};
    struct style style = c->style;
    char *folder = io_snapshot_folder();
    io_snapshots_list(folder, &kept);
    for (size_t i = 0; i < fetch_count(f); i++) {
        struct fetch_status s = fetch_status(f, i);
        add_row(g, &s);
        if (s.state == FETCH_FAILED)
            say_failure(c, &s, &kept);
        if (s.state == FETCH_CANCELLED)
            c->status = STATUS_INTERRUPTED;
    }
    if (!isatty(STDOUT_FILENO) || args_has(&c->args, OPTION_OUTPUT))
        style.width = 0; /* one line a row, for grep */
    grid_put(&b, g, (enum grid_format)c->format, &style);
    int status = interrupted ? STATUS_INTERRUPTED : c->status;
    status = cli_write(c, &b, status);
    buf_free(&b);
    grid_free(g);
    io_snapshots_free(&kept);
    free(folder);
    return status;
}

int cmd_fetch(struct cli *c) {
    int count = c->args.counts[OPTION_ENDPOINT];
    double timeout_s, max_mb;
    struct err err = {0};
    if (!cli_number(c, OPTION_TIMEOUT, 0, 1, 86400, &timeout_s) || !cli_number(c, OPTION_MAX_MB, 0, 1, 4096, &max_mb) ||
        !cli_need_hardware(c) || !cli_need_mappings(c) || !cli_need_endpoints(c))
        return c->status;
    struct fetch_base *bases = mem_zero((size_t)count + 1, sizeof *bases);
    char **copies = mem_zero((size_t)count + 1, sizeof *copies), *folder = io_snapshot_folder();
    struct fetch_setup setup = {.catalog = c->catalog,
                                .providers = c->providers,
                                .mappings = c->mappings,
                                .endpoints = c->endpoints,
                                .bases = bases,
                                .base_count = (size_t)count,
                                .folder = folder,
                                .timeout_s = timeout_s,
                                .max_mb = max_mb,
                                .now = args_has(&c->args, OPTION_NOW) ? c->now : 0};
    struct fetch *f = NULL;
    if (!folder) {
        err_set(&err, ERR_IO, "there is no place for snapshots: neither HOME nor XDG_DATA_HOME is set");
        cli_fail(c, &err);
    } else if (parse_bases(c, bases, copies)) {
        f = fetch_new(&setup, &err);
        if (!f)
            cli_fail(c, &err);
    }
    int status = STATUS_WRONG;
    if (f && add_sources(c, f, &setup)) {
        run_loop(c, f);
        status = finish(c, f);
    }
    fetch_free(f);
    for (int i = 0; i < count; i++)
        free(copies[i]);
    free(copies);
    free(bases);
    free(folder);
    return status == STATUS_WRONG && c->status == STATUS_DONE ? STATUS_WRONG : status;
}
