/* SPDX-License-Identifier: MIT */
/* Answers: made in slices beside the one on show, which they replace once they are in order. */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/estimate/engine.h"
#include "screen.h"

/* An answer that takes longer than this is shown before it is complete: its first rows are right relative to each other. */
static const double patience_s = 0.05;

enum { SLICE_OFFERS = 32 /* a new shape may take 0.1 ms, so a slice stays below 4 ms */ };

struct snapshot *snapshot_new(struct offers *o) {
    struct snapshot *s = mem_zero(1, sizeof *s);
    s->offers = o;
    s->users = 1;
    return s;
}

void snapshot_drop(struct snapshot *s) {
    if (!s || --s->users > 0)
        return;
    offers_free(s->offers);
    free(s);
}

void basis_drop(struct basis *b) {
    if (!b || --b->users > 0)
        return;
    memo_free(b->memo);
    free(b);
}

void run_free(struct run *r) {
    if (!r)
        return;
    sorter_free(&r->sorter);
    ranking_free(r->ranking);
    filter_free(r->filter);
    basis_drop(r->basis);
    snapshot_drop(r->snapshot);
    free(r);
}

bool run_rebase(struct app *a, struct err *err) {
    struct basis *b = mem_zero(1, sizeof *b);
    b->users = 1;
    b->assumptions = a->stated.assumptions;
    if (!job_resolve(&a->stated.workload, a->models, &b->job, err) ||
        (b->job.task == TASK_INFERENCE && !engine_check(b->job.engine, err))) {
        free(b);
        return false;
    }
    b->memo = memo_new();
    basis_drop(a->basis);
    a->basis = b;
    return true;
}

static struct run *run_new(struct app *a) {
    struct run *r = mem_zero(1, sizeof *r);
    r->snapshot = a->snapshot;
    r->basis = a->basis;
    r->snapshot->users++;
    r->basis->users++;
    r->filter = a->filter[0] ? filter_parse(a->filter, NULL, NULL) : NULL;
    memcpy(r->filter_text, a->filter, sizeof r->filter_text);
    r->sort = a->sort;
    const struct question q = {.catalog = a->catalog,
                               .providers = a->providers,
                               .offers = r->snapshot->offers,
                               .job = &r->basis->job,
                               .assumptions = &r->basis->assumptions,
                               .filter = r->filter,
                               .goal = a->goal,
                               .now = a->now};
    r->ranking = ranking_new(&q, r->basis->memo);
    return r;
}

void run_start(struct app *a) {
    run_free(a->next);
    a->next = run_new(a);
    a->changed = true;
}

void run_resort(struct app *a) {
    struct run *r = a->next ? a->next : a->shown;
    r->sort = a->sort;
    r->ready = false;
    if (r->ranked)
        sorter_begin(r);
    a->changed = true;
}

/* Rows of the classes that count as fitting stand first. */
static size_t count_fitting(const struct ranking *r) {
    size_t low = 0, high = ranking_count(r);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranking_at(r, middle)->cls <= RANK_TIGHT)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct figures run_figures(const struct run *r) {
    struct figures f = {.known = r && r->ranked};
    if (!f.known)
        return f;
    f.task = r->basis->job.task;
    f.fit = r->fit;
    f.offers = r->snapshot->offers->count;
    f.any = ranking_count(r->ranking) > 0;
    if (f.any) {
        f.usd = (double)ranking_at(r->ranking, 0)->usd;
        f.hours = (double)ranking_at(r->ranking, 0)->hours;
    }
    return f;
}

/* The next answer comes on show, complete or not. */
static void adopt(struct app *a) {
    struct run *old = a->shown;
    bool reset = !old || old->snapshot != a->next->snapshot;
    a->shown = a->next;
    a->next = NULL;
    list_build(a, reset);
    run_free(old);
    a->changed = true;
}

static void finish(struct app *a) {
    if (a->next)
        adopt(a);
    else
        list_build(a, false);
    a->changed = true;
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (screen_at((enum app_screen)i) && screen_at((enum app_screen)i)->refresh)
            screen_at((enum app_screen)i)->refresh(a);
    if (a->pending.kind == MESSAGE_NONE)
        return;
    a->message = a->pending;
    a->message.from = a->before;
    a->message.to = run_figures(a->shown);
    if (a->prompt.kind == PROMPT_NONE &&
        !a->form.before) { /* what is only tried out is compared with what was before */
        a->pending.kind = MESSAGE_NONE;
        a->before.known = false;
    }
}

/* One slice. True: the answer is ready. */
static bool advance(struct run *r) {
    if (!r->ranked && ranking_step(r->ranking, SLICE_OFFERS)) {
        r->ranked = true;
        r->fit = count_fitting(r->ranking);
        sorter_begin(r);
    } else if (r->ranked) {
        r->ready = sorter_step(r, SLICE_OFFERS);
    }
    return r->ready;
}

bool run_busy(const struct app *a) {
    return a->next || (a->shown && !a->shown->ready);
}

bool run_work(struct app *a, double seconds) {
    double start = app_seconds(), now = start;
    while (run_busy(a) && now - start < seconds) {
        struct run *r = a->next ? a->next : a->shown;
        bool ready = advance(r);
        double then = now;
        now = app_seconds();
        r->seconds += now - then;
        if (ready)
            finish(a);
        else if (a->next && r->seconds > patience_s)
            adopt(a);
    }
    return run_busy(a);
}
