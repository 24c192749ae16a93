/* SPDX-License-Identifier: MIT */
#include "app/whatif.h"

#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/report/compare.h"
#include "screen.h"

const struct whatif_column *whatif_at_cursor(const struct app *a) {
    const struct whatif_screen_state *s = a->whatif;
    return s->found && !s->stale && s->cursor >= 0 && s->cursor < s->w.count ? &s->w.columns[s->cursor] : NULL;
}

/* ---- the offers of one card: a pass over all of them in slices ---- */

static void gather_begin(struct whatif_screen_state *s, const struct snapshot *of, int gpu) {
    if (s->of == of && s->gpu == gpu)
        return;
    s->of = of;
    s->gpu = gpu;
    s->at = s->count = 0;
}

static bool gather(struct whatif_screen_state *s, const struct offers *o, double seconds) {
    enum { SLICE = 4096 };
    double start = app_seconds();
    while (s->at < o->count) {
        size_t end = s->at + SLICE < o->count ? s->at + SLICE : o->count;
        for (; s->at < end; s->at++) {
            if (o->items[s->at].gpu != s->gpu)
                continue;
            s->offers = mem_grow(s->offers, &s->cap, s->count + 1, sizeof *s->offers);
            s->offers[s->count++] = (uint32_t)s->at;
        }
        if (s->at < o->count && app_seconds() - start > seconds)
            return false;
    }
    return true;
}

/* ---- the answer ---- */

static const int usual_counts[] = {1, 2, 4, 8, 16, 32, 64};

static void add_count(struct whatif_question *q, int n) {
    int at = 0;
    while (at < q->count && q->counts[at] < n)
        at++;
    if (n < 1 || n > WHATIF_MOST_GPUS || q->count == WHATIF_MAX_COUNTS - WHATIF_PINS ||
        (at < q->count && q->counts[at] == n))
        return;
    memmove(&q->counts[at + 1], &q->counts[at], (size_t)(q->count - at) * sizeof q->counts[0]);
    q->counts[at] = n;
    q->count++;
}

/* Doubled counts, and those in which the card is sold. */
static void choose_counts(const struct app *a, struct whatif_question *q, const struct offer *f) {
    const struct whatif_screen_state *s = a->whatif;
    const struct offers *o = a->shown->snapshot->offers;
    for (size_t i = 0; i < sizeof usual_counts / sizeof usual_counts[0]; i++)
        add_count(q, usual_counts[i]);
    add_count(q, f->gpus);
    for (size_t i = 0; i < s->count; i++)
        if (o->items[s->offers[i]].gpu_fraction >= 1)
            add_count(q, o->items[s->offers[i]].gpus);
}

static struct whatif_question question_of(const struct app *a, const char *id) {
    const struct whatif_screen_state *s = a->whatif;
    return (struct whatif_question){.vary = s->vary,
                                    .pick = id,
                                    .link = -1,
                                    .workload = &a->stated.workload,
                                    .models = a->models,
                                    .way = s->way,
                                    .weak = s->weak && whatif_can_be_weak(&a->shown->basis->job),
                                    .among = s->offers,
                                    .among_count = s->count};
}

static void add_pins(struct app *a) {
    struct whatif_screen_state *s = a->whatif;
    struct whatif *one = mem_zero(1, sizeof *one);
    for (int i = s->pin_count - 1; i >= 0; i--) {
        const struct whatif_pin *pin = &s->pins[i];
        struct whatif_question q = question_of(a, pin->id);
        q.vary = pin->vary;
        q.way = pin->way;
        q.weak = pin->weak && whatif_can_be_weak(&a->shown->basis->job);
        q.only = &pin->spec;
        q.only_count = 1;
        q.among = NULL;
        if (whatif_make(a->shown->ranking, &q, one))
            whatif_prepend(&s->w, &a->shown->basis->job, &one->columns[0]);
    }
    free(one);
}

static int column_of_gpus(const struct whatif *w, int gpus) {
    for (int i = w->pinned; i < w->count; i++)
        if (w->columns[i].gpus == gpus && w->vary == VARY_GPUS)
            return i;
    return -1;
}

/* On the count that was looked at, else on what the offer has, else on the best. */
static void place_cursor(struct whatif_screen_state *s) {
    int at = s->chosen_gpus > 0 ? column_of_gpus(&s->w, s->chosen_gpus) : -1;
    for (int i = s->w.pinned; at < 0 && i < s->w.count; i++)
        if (s->w.columns[i].current)
            at = i;
    s->cursor = at >= 0 ? at : s->w.best_cost >= 0 ? s->w.best_cost : s->w.pinned;
}

static void make(struct app *a, const struct offer *f) {
    struct whatif_screen_state *s = a->whatif;
    struct whatif_question q = question_of(a, s->id);
    if (s->vary == VARY_GPUS)
        choose_counts(a, &q, f);
    s->found = whatif_make(a->shown->ranking, &q, &s->w);
    if (s->found)
        add_pins(a);
    place_cursor(s);
    s->stale = false;
    a->changed = true;
}

static bool work(struct app *a, double seconds) {
    struct whatif_screen_state *s = a->whatif;
    if (!s->stale || !a->shown || !a->shown->ranked)
        return false;
    const struct offers *o = a->shown->snapshot->offers;
    const struct offer *f = s->id[0] ? offers_find(o, s->id) : NULL;
    if (!f || f->gpu < 0) {
        s->found = s->stale = false;
        a->changed = true;
        return false;
    }
    gather_begin(s, a->shown->snapshot, f->gpu);
    if (!gather(s, o, seconds))
        return true;
    make(a, f);
    return false;
}

/* ---- hooks ---- */

static void begin(struct app *a) {
    a->whatif = mem_zero(1, sizeof *a->whatif);
    a->whatif->cursor = -1;
    a->whatif->gpu = -1;
}

static void end(struct app *a) {
    if (a->whatif)
        free(a->whatif->offers);
    free(a->whatif);
}

static void open(struct app *a) {
    struct whatif_screen_state *s = a->whatif;
    const char *id = a->list.id ? a->list.id : "";
    if (strcmp(s->id, id) != 0)
        s->chosen_gpus = 0;
    text_copy(s->id, sizeof s->id, id);
    s->stale = true;
}

static void refresh(struct app *a) {
    struct whatif_screen_state *s = a->whatif;
    s->of = NULL; /* the snapshot may have gone, and another one may live where it was */
    s->stale = true;
    if (a->screen == SCREEN_WHATIF && a->list.id)
        text_copy(s->id, sizeof s->id, a->list.id);
}

static void move(struct app *a, long by) {
    app_scroll(a, (int)by);
}

static void keep_in_sight(struct app *a) {
    app_scroll(a, 0);
}

static void go_column(struct app *a, int to) {
    struct whatif_screen_state *s = a->whatif;
    if (!whatif_at_cursor(a) || to < 0 || to >= s->w.count)
        return;
    s->cursor = to;
    s->chosen_gpus = to >= s->w.pinned ? s->w.columns[to].gpus : 0;
}

static bool put(struct app *a, struct buf *b, const char *path) {
    struct whatif_screen_state *s = a->whatif;
    const struct question *q = ranking_question(a->shown->ranking);
    const struct style style = {FILES_WIDTH, a->ascii, false};
    if (!s->found || s->stale)
        return false;
    enum grid_format format = files_format(path);
    if (format == GRID_JSON)
        whatif_json(b, q, &s->w);
    else
        whatif_table(b, q, &s->w, format, &style);
    return true;
}

/* ---- actions ---- */

static void go(struct app *a) {
    app_go(a, SCREEN_WHATIF);
}

static bool has_columns(const struct app *a) {
    return whatif_at_cursor(a) != NULL;
}

static void previous_column(struct app *a) {
    go_column(a, a->whatif->cursor - 1);
}

static void next_column(struct app *a) {
    go_column(a, a->whatif->cursor + 1);
}

/* Axes that mean nothing to the job are passed over. */
static void turn_axis(struct app *a, int by) {
    struct whatif_screen_state *s = a->whatif;
    const struct job *j = &a->basis->job;
    int to = s->vary;
    do
        to = (to + VARY_COUNT + by) % VARY_COUNT;
    while (to >= VARY_PRECISION && whatif_field(j, (enum vary)to) < 0);
    s->vary = (enum vary)to;
    s->chosen_gpus = 0;
    s->stale = true;
    a->scroll[SCREEN_WHATIF] = 0;
}

static void next_axis(struct app *a) {
    turn_axis(a, 1);
}

static void previous_axis(struct app *a) {
    turn_axis(a, -1);
}

static bool can_be_weak(const struct app *a) {
    return whatif_can_be_weak(&a->basis->job);
}

static void toggle_weak(struct app *a) {
    a->whatif->weak = !a->whatif->weak;
    a->whatif->stale = true;
}

static bool has_ways(const struct app *a) {
    return a->basis->job.task != TASK_MEASURED;
}

static void turn_way(struct app *a) {
    a->whatif->way = (enum whatif_way)((a->whatif->way + 1) % WAY_COUNT);
    a->whatif->stale = true;
}

static void toggle_curve(struct app *a) {
    a->whatif->curve = !a->whatif->curve;
    a->scroll[SCREEN_WHATIF] = 0;
}

/* A pin taken off, or the column under the cursor pinned; the oldest pin makes room. */
static void pin(struct app *a) {
    struct whatif_screen_state *s = a->whatif;
    if (s->cursor < s->w.pinned) {
        memmove(&s->pins[s->cursor], &s->pins[s->cursor + 1], (size_t)(--s->pin_count - s->cursor) * sizeof s->pins[0]);
    } else {
        if (s->pin_count == WHATIF_PINS)
            memmove(&s->pins[0], &s->pins[1], (size_t)--s->pin_count * sizeof s->pins[0]);
        struct whatif_pin *p = &s->pins[s->pin_count++];
        *p = (struct whatif_pin){.vary = s->vary, .way = s->way, .weak = s->weak, .spec = s->w.columns[s->cursor].spec};
        text_copy(p->id, sizeof p->id, s->id);
    }
    s->stale = true;
}

static void explain(struct app *a) {
    const struct whatif_column *c = whatif_at_cursor(a);
    if (!c)
        return;
    if (c->basis == PRICE_PRO_RATA || c->basis == PRICE_BORROWED || c->spec.field >= 0) {
        app_say(a, MESSAGE_HYPOTHETICAL, "");
        a->message.n = c->spec.field >= 0 ? 2 : c->basis == PRICE_BORROWED;
        return;
    }
    explain_count(a, offers_text(a->shown->snapshot->offers, c->c.offer->id), c->gpus);
}

static void click(struct app *a, int column, bool twice) {
    go_column(a, column);
    if (twice)
        explain(a);
}

static const struct action actions[] = {
    {"screen.whatif", {'4', 'w'}, NULL, N_("counts, cards, links, prices side by side"), ON_EVERY, NULL, go},
    {"whatif.explain",
     {KEY_CODE_ENTER},
     N_("Explain"),
     N_("why the column has these numbers"),
     ON_WHATIF,
     has_columns,
     explain},
    {"whatif.vary",
     {'v', KEY_CODE_F1 + 5},
     N_("Vary"),
     N_("vary the next thing: GPUs, card, link, price, precision, length, batch"),
     ON_WHATIF,
     NULL,
     next_axis},
    {"whatif.vary-back", {'V'}, NULL, N_("vary the thing before"), ON_WHATIF, NULL, previous_axis},
    {"whatif.left",
     {KEY_CODE_LEFT, 'h', '-', KEY_CODE_F1 + 6},
     NULL,
     N_("column on the left: fewer GPUs"),
     ON_WHATIF,
     has_columns,
     previous_column},
    {"whatif.right",
     {KEY_CODE_RIGHT, 'l', '+', KEY_CODE_F1 + 7},
     NULL,
     N_("column on the right: more GPUs"),
     ON_WHATIF,
     has_columns,
     next_column},
    {"whatif.pin", {' '}, N_("Pin"), N_("keep the column in sight, or let it go"), ON_WHATIF, has_columns, pin},
    {"whatif.curve", {'p'}, N_("Curve"), N_("more room for the speed-up curve"), ON_WHATIF, NULL, toggle_curve},
    {"whatif.weak",
     {'t'},
     N_("Weak"),
     N_("fixed work (strong scaling), or work that grows with the count (weak)"),
     ON_WHATIF,
     can_be_weak,
     toggle_weak},
    {"whatif.copies",
     {'c'},
     N_("Copies"),
     N_("the best way, whole copies only, or one split over all GPUs"),
     ON_WHATIF,
     has_ways,
     turn_way},
};

const struct screen_row whatif_screen = {.name = "whatif",
                                         .begin = begin,
                                         .end = end,
                                         .move = move,
                                         .open = open,
                                         .refresh = refresh,
                                         .work = work,
                                         .shown = keep_in_sight,
                                         .click = click,
                                         .file = "whatif.csv",
                                         .put = put,
                                         .actions = actions,
                                         .action_count = sizeof actions / sizeof actions[0]};
