/* SPDX-License-Identifier: MIT */
/* Life of the interface: from what it is given to what it leaves behind. */
#include "gpuplan/app/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/io/io.h"
#include "app/notes.h"
#include "screen.h"
#include "sources.h"

static char *copy_text(const char *s) {
    return s ? mem_strdup(s) : NULL;
}

static char **copy_list(const char *const *list) {
    size_t n = 0;
    while (list && list[n])
        n++;
    if (n == 0)
        return NULL;
    char **copy = mem_zero(n + 1, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = mem_strdup(list[i]);
    return copy;
}

/* What a person sees who has said nothing; the command line takes the same. */
static const char example_preset[] = "lora-8b";

static void state_example(struct workload *w) {
    size_t count;
    const char *const *names = preset_names(&count);
    workload_init(w);
    if (!workload_set(w, "preset", example_preset, NULL) || !preset_about(example_preset))
        workload_set(w, "preset", count > 0 ? names[0] : "", NULL);
}

static void start_job(struct app *a, const struct app_setup *setup) {
    struct err err = {0};
    if (setup->workload)
        a->stated.workload = *setup->workload;
    else
        state_example(&a->stated.workload);
    if (setup->filter)
        text_copy(a->filter, sizeof a->filter, setup->filter);
    files_load_state(a, setup->workload != NULL, setup->filter != NULL);
    if (run_rebase(a, &err))
        return;
    app_say_error(a, &err); /* the form shows it; something must be ranked meanwhile */
    state_example(&a->stated.workload);
    run_rebase(a, NULL);
}

static void name_models(struct app *a) {
    a->model_count = models_count(a->models);
    a->model_names = mem_zero(a->model_count + 1, sizeof *a->model_names);
    for (size_t i = 0; i < a->model_count; i++)
        a->model_names[i] = models_at(a->models, i)->name;
}

/* Offers that were handed in: what a child would have said about them. */
static void take_tally(struct app *a) {
    struct buf lines = {0};
    tally_put(a->snapshot->offers, &lines);
    tally_take(a->tally, lines.data ? lines.data : "", lines.len);
    buf_free(&lines);
}

struct app *app_new(const struct app_setup *setup) {
    struct app *a = mem_zero(1, sizeof *a);
    a->catalog = setup->catalog;
    a->providers = setup->providers;
    a->mappings = setup->mappings;
    a->models = setup->models;
    a->listing_files = copy_list(setup->listing_files);
    a->state_file = copy_text(setup->state_file);
    a->workload_dir = copy_text(setup->workload_dir);
    a->tally = mem_zero(1, sizeof *a->tally);
    a->fetching = mem_zero(1, sizeof *a->fetching);
    a->fetching->endpoints = setup->endpoints;
    a->fetching->folder = copy_text(setup->snapshot_folder);
    a->ascii = setup->ascii;
    a->picture = setup->picture;
    a->now = setup->now;
    a->goal = setup->goal;
    a->columns = 80;
    a->rows = 24;
    a->follow = a->mouse = a->changed = true;
    if (setup->assumptions)
        a->stated.assumptions = *setup->assumptions;
    else
        assumptions_init(&a->stated.assumptions);
    a->snapshot = snapshot_new(setup->offers ? setup->offers : offers_new());
    take_tally(a);
    a->notes = mem_zero(1, sizeof *a->notes);
    name_models(a);
    start_job(a, setup);
    form_build(a);
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (screen_at((enum app_screen)i) && screen_at((enum app_screen)i)->begin)
            screen_at((enum app_screen)i)->begin(a);
    run_start(a);
    if (!setup->offers)
        reader_start(a);
    return a;
}

void app_free(struct app *a) {
    reader_stop(a);
    fetching_end(a);
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (screen_at((enum app_screen)i) && screen_at((enum app_screen)i)->end)
            screen_at((enum app_screen)i)->end(a);
    tally_free(a->tally);
    free(a->tally);
    run_free(a->next);
    run_free(a->shown);
    snapshot_drop(a->snapshot);
    basis_drop(a->basis);
    list_free(&a->list);
    explain_free(&a->explained);
    history_free(&a->history);
    for (size_t i = 0; a->listing_files && a->listing_files[i]; i++)
        free(a->listing_files[i]);
    free(a->listing_files);
    free(a->model_names);
    free(a->form.before);
    io_list_free(&a->popup.files);
    free(a->state_file);
    free(a->workload_dir);
    free(a->notes);
    free(a);
}

void app_resize(struct app *a, int columns, int rows) {
    a->changed |= a->columns != columns || a->rows != rows;
    a->columns = columns;
    a->rows = rows;
}

int app_page(const struct app *a) {
    return a->viewport.page > 0 ? a->viewport.page : 1;
}

void app_viewport(struct app *a, struct viewport shown) {
    a->viewport = shown;
    if (a->popup.kind != POPUP_NONE)
        return;
    if (screen_now(a)->shown)
        screen_now(a)->shown(a);
}

/* ---- time and work ---- */

double app_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool app_work(struct app *a, double milliseconds) {
    double start = app_seconds(), budget = milliseconds / 1000;
    bool more = reader_work(a, budget);
    double left = budget - (app_seconds() - start);
    more |= left > 0 ? run_work(a, left) : run_busy(a);
    left = budget - (app_seconds() - start);
    more |= left > 0 ? find_work(a, left) : a->finding.active;
    left = budget - (app_seconds() - start);
    return (screen_now(a)->work && screen_now(a)->work(a, left > 0 ? left : 0)) || more;
}

void app_poll_ready(struct app *a) {
    reader_ready(a);
    fetching_step(a);
}

bool app_waits(const struct app *a) {
    return reader_fd(a) >= 0 || fetching_busy(a);
}

enum { AGE_STEP_S = 60 /* ages are shown in minutes at best */ };

void app_clock(struct app *a, int64_t now) {
    a->changed |= now / AGE_STEP_S != a->now / AGE_STEP_S;
    a->now = now;
}

/* ---- what ui asks ---- */

bool app_changed(const struct app *a) {
    return a->changed;
}

void app_drawn(struct app *a) {
    notes_log(a);
    a->changed = false;
}

bool app_done(const struct app *a, int *exit_status) {
    if (a->done && exit_status)
        *exit_status = a->exit_status;
    return a->done;
}

enum app_request app_request(struct app *a) {
    enum app_request request = a->request;
    a->request = APP_REQUEST_NONE;
    return request;
}

const char *app_parting_text(const struct app *a) {
    return a->parting;
}

void app_save_state(const struct app *a) {
    files_save_state(a);
}

/* ---- saying and going ---- */

void text_copy(char *out, size_t cap, const char *text) {
    text_clean(out, cap, text, strlen(text));
}

void app_say(struct app *a, enum message_kind kind, const char *text) {
    a->message = (struct message){.kind = kind};
    text_copy(a->message.a, sizeof a->message.a, text);
    a->changed = true;
}

void app_say_error(struct app *a, const struct err *err) {
    char line[640];
    err_format(err, line, sizeof line);
    app_say(a, MESSAGE_ERROR, line);
}

void app_go(struct app *a, enum app_screen screen) {
    if (!app_has_screen(screen))
        return;
    if (screen != a->screen) {
        a->back = a->screen;
        find_stop(a);
    }
    a->screen = screen;
    a->changed = true;
    if (screen_now(a)->open)
        screen_now(a)->open(a);
}

void app_back(struct app *a, bool escape) {
    if (a->screen != SCREEN_RANK) {
        app_go(a, a->back == a->screen ? SCREEN_RANK : a->back);
        a->back = SCREEN_RANK;
    } else if (escape && a->filter[0]) {
        app_set_filter(a, "");
    } else if (escape && !a->escaped) { /* a sequence that no terminfo entry knows begins with it too */
        a->escaped = true;
        app_say(a, MESSAGE_ESCAPE, "");
    } else {
        a->done = true;
    }
}

void app_scroll(struct app *a, int by) {
    int most = a->viewport.lines - a->viewport.page, *scroll = &a->scroll[a->screen], to = *scroll;
    to = by > most ? most : by < -to ? 0 : to + by;
    *scroll = to > most ? most : to;
    if (*scroll < 0)
        *scroll = 0;
    a->changed |= by != 0;
}

/* To the next part of a text, or back to the start of this one and then of the one before. */
void app_scroll_part(struct app *a, int direction) {
    const struct viewport *v = &a->viewport;
    int at = a->scroll[a->screen], to = direction < 0 ? 0 : at;
    for (int i = 0; i < v->part_count; i++) {
        int line = v->part_line[i];
        if (direction > 0 ? to == at && line > at : line < at)
            to = line;
    }
    app_scroll(a, to - at);
}

/* The next answer is compared with the one on show, or with the one before a row of edits began. */
void app_expect(struct app *a, enum message_kind kind, const char *text) {
    if (!a->before.known)
        a->before = run_figures(a->shown);
    a->pending = (struct message){.kind = kind};
    text_copy(a->pending.a, sizeof a->pending.a, text);
}

void app_change_goal(struct app *a, int by) {
    a->goal = (enum goal)((a->goal + GOAL_COUNT + by) % GOAL_COUNT);
    app_expect(a, MESSAGE_GOAL, goal_name(a->goal));
    run_start(a);
}

void app_set_filter(struct app *a, const char *text) {
    text_copy(a->filter, sizeof a->filter, text);
    app_expect(a, MESSAGE_FILTER, a->filter);
    run_start(a);
}

void app_pick(struct app *a) {
    const char *id = a->screen == SCREEN_EXPLAIN ? a->explained.id : a->list.id;
    if (!id)
        return;
    snprintf(a->parting, sizeof a->parting, "%s\n", id);
    app_say(a, MESSAGE_PICKED, id);
}
