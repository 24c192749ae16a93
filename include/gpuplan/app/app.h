/* SPDX-License-Identifier: MIT */
/*
 * The state of the interface and everything that changes it. It knows no terminal: keys, mouse tags, sizes and the time come in,
 * view/ draws it, ui/ (or a script, or a test) drives it. One app per process; app_new … app_free.
 *
 * Work is done in slices: ui calls app_work() between keys until it returns false. Listings are read by a forked child that
 * writes our CSV into a pipe, and price lists are fetched meanwhile: the loop polls the descriptors of app_poll_fds().
 */
#ifndef GPUPLAN_APP_APP_H
#define GPUPLAN_APP_APP_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpuplan/app/key.h"
#include "gpuplan/base/tag.h"
#include "gpuplan/decide/decide.h"
#include "gpuplan/workload/job.h"

enum app_screen {
    SCREEN_RANK,
    SCREEN_WORKLOAD,
    SCREEN_EXPLAIN,
    SCREEN_WHATIF,
    SCREEN_MAP,
    SCREEN_TOPOLOGY,
    SCREEN_SOURCES,
    SCREEN_COMPARE, /* beside the others: no digit, no tab */
    SCREEN_COUNT
};

const char *app_screen_name(enum app_screen s); /* "rank", as files and lists spell it */
bool app_has_screen(enum app_screen s);         /* digits and tabs pass over those that are not built */

struct buf;
struct app; /* fields: src/app/state.h, for app/ and view/ alone */

struct app_setup {
    const struct catalog *catalog;
    const struct providers *providers;
    const struct mappings *mappings; /* of listing/; may be NULL */
    const struct models *models;
    const struct assumptions *assumptions; /* copied */
    const struct workload *workload;       /* copied; NULL: a sensible example job */
    struct offers *offers;                 /* taken over; NULL: the child reads listing_files at once */
    const char *const *listing_files;      /* copied; NULL-terminated; NULL: the bundled snapshot */
    const char *filter;                    /* NULL */
    enum goal goal;
    int64_t now;                           /* seconds since 1970 */
    bool ascii;
    void (*picture)(const struct app *a, struct buf *out); /* draws the screen as text, for the export of charts; NULL */
    const char *state_file, *workload_dir; /* XDG; NULL = nothing is kept */
    const struct endpoints *endpoints;     /* of io/; NULL: nothing can be fetched */
    const char *snapshot_folder;           /* copied; NULL likewise */
};
struct app *app_new(const struct app_setup *setup);
void app_free(struct app *a);

void app_resize(struct app *a, int columns, int rows);
/* What the last drawing could show, from view_draw(): how far a page goes, how far one can scroll. */
enum { VIEW_PARTS_MAX = 16 };
struct viewport {
    int page;  /* rows of the list, form, text or popup that has the focus */
    int lines; /* of a text, in all; 0: a list, the app knows its length */
    int part_count, part_line[VIEW_PARTS_MAX]; /* of a text: the lines on which its parts begin */
};
void app_viewport(struct app *a, struct viewport shown);
void app_key(struct app *a, int key);
enum app_button { APP_CLICK, APP_DOUBLE_CLICK, APP_WHEEL_UP, APP_WHEEL_DOWN };
void app_mouse(struct app *a, enum app_button button, struct tag tag);
bool app_run_action(struct app *a, const char *name); /* "rank.sort-menu"; false: no such action, or not enabled now */
void app_interrupt(struct app *a);                    /* Ctrl-C: cancels a prompt or fetch, else leaves with 130 */

bool app_work(struct app *a, double milliseconds);    /* true: more to do */
size_t app_poll_fds(const struct app *a, struct pollfd *out, size_t cap);
int app_poll_timeout_ms(const struct app *a);         /* -1: only a descriptor or a key counts */
void app_poll_ready(struct app *a);                   /* something is ready, or the time has passed */
bool app_waits(const struct app *a);                  /* files are read or lists fetched */
void app_clock(struct app *a, int64_t now);

bool app_changed(const struct app *a);                /* something to draw since the last app_drawn() */
void app_drawn(struct app *a);
bool app_done(const struct app *a, int *exit_status);
enum app_request { APP_REQUEST_NONE, APP_REQUEST_REDRAW, APP_REQUEST_SUSPEND, APP_REQUEST_MOUSE_ON, APP_REQUEST_MOUSE_OFF };
enum app_request app_request(struct app *a);          /* what only a terminal can do; cleared by the call */
const char *app_parting_text(const struct app *a);    /* printed after the screen has closed (y: id and link); "" */
void app_save_state(const struct app *a);

#endif
