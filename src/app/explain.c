/* SPDX-License-Identifier: MIT */
/* One candidate in full: its trace, and what else was tried on the same machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "screen.h"

void explain_free(struct explained *e) {
    free(e->id);
    e->id = NULL;
}

/* ---- other ways to run it on this machine ---- */

static const enum strategy training_ways[] = {STRATEGY_DDP, STRATEGY_ZERO1, STRATEGY_ZERO2, STRATEGY_FSDP,
                                              STRATEGY_MEGATRON};

static bool same_split(const struct layout *a, const struct layout *b) {
    return a->dp == b->dp && a->tp == b->tp && a->pp == b->pp && a->zero == b->zero && a->replicas == b->replicas &&
           a->cp == b->cp && a->ep == b->ep;
}

static bool same_layout(const struct attempt *t, int gpus, const struct layout *l) {
    return t->gpus == gpus && same_split(&t->e.layout, l);
}

static bool is_known(const struct explained *e, const struct attempt *t) {
    for (int i = 0; i < e->attempt_count; i++)
        if (same_layout(&e->attempts[i], t->gpus, &t->e.layout))
            return true;
    return t->gpus == e->c.shape.gpus * e->c.shape.nodes && same_split(&e->c.e.layout, &t->e.layout);
}

/* The best layout of one strategy, or the one that came nearest. */
static void attempt(struct app *a, const struct shape *machine, enum strategy strategy, int gpus) {
    struct explained *e = &a->explained;
    const struct basis *b = a->shown->basis;
    struct estimate_set set;
    struct job job = b->job;
    if (e->attempt_count == ATTEMPTS_MAX || gpus < 1)
        return;
    job.strategy = strategy;
    job.tp = job.pp = job.dp = job.cp = job.ep = 0;
    job.zero = job.seq_parallel = -1;
    struct shape s = shape_with_gpus(machine, gpus, 1);
    estimate_search(a->catalog, &job, &s, &b->assumptions, &set);
    const struct attempt t = {.strategy = strategy, .gpus = gpus, .e = set.e[0]};
    if (!is_known(e, &t))
        e->attempts[e->attempt_count++] = t;
}

/* Every strategy at the count that was chosen, and the best at every other count. */
static void try_ways(struct app *a) {
    struct explained *e = &a->explained;
    const struct job *j = &a->shown->basis->job;
    bool training = job_is_training(j);
    size_t count = training ? sizeof training_ways / sizeof training_ways[0] : 0; /* inference: the view cuts copies */
    struct shape machine;
    e->attempt_count = 0;
    if (j->task == TASK_MEASURED || !offer_shape(a->catalog, a->shown->snapshot->offers, e->c.offer, 1, &machine))
        return;
    for (size_t i = 0; i < count && e->c.shape.nodes == 1 && e->c.shape.gpus > 1; i++)
        attempt(a, &machine, training_ways[i], e->c.shape.gpus);
    for (int gpus = 1; gpus < machine.gpus; gpus *= 2)
        if (gpus != e->c.shape.gpus)
            attempt(a, &machine, STRATEGY_AUTO, gpus);
    if (machine.gpus != e->c.shape.gpus)
        attempt(a, &machine, STRATEGY_AUTO, machine.gpus);
}

/* ---- the candidate ---- */

static void expand(struct app *a) {
    struct explained *e = &a->explained;
    e->trace.count = 0;
    e->found = a->shown && e->id && ranking_explain(a->shown->ranking, e->id, e->gpus, &e->c, &e->trace);
    e->attempt_count = 0;
    if (e->found)
        try_ways(a);
    a->changed = true;
}

void explain_open(struct app *a) {
    struct explained *e = &a->explained;
    const char *id = a->list.id;
    if (e->asked) {
        e->asked = false;
        expand(a);
        return;
    }
    e->gpus = 0;
    bool same = e->id && id && strcmp(e->id, id) == 0;
    if (!same) {
        free(e->id);
        e->id = id ? mem_strdup(id) : NULL;
        a->scroll[SCREEN_EXPLAIN] = 0;
    }
    expand(a);
}

void explain_count(struct app *a, const char *id, int gpus) {
    struct explained *e = &a->explained;
    char *copy = mem_strdup(id);
    free(e->id);
    e->id = copy;
    e->gpus = gpus;
    e->asked = true;
    a->scroll[SCREEN_EXPLAIN] = 0;
    app_go(a, SCREEN_EXPLAIN);
}

void explain_refresh(struct app *a) {
    a->explained.found = false; /* its offer may be gone */
    if (a->screen == SCREEN_EXPLAIN && a->explained.id)
        expand(a);
    else if (a->screen == SCREEN_EXPLAIN)
        explain_open(a);
    if (a->popup.kind == POPUP_ASSUMPTIONS)
        popup_fill(a);
}

int explain_used(const struct explained *e, int ids[], int cap) {
    int count = 0;
    for (int i = 0; i < e->trace.count; i++)
        for (int u = 0; u < e->trace.steps[i].used_count; u++) {
            int id = e->trace.steps[i].used[u], k = 0;
            while (k < count && ids[k] != id)
                k++;
            if (k == count && count < cap)
                ids[count++] = id;
        }
    return count;
}

/* ---- editing an assumption ---- */

static void value_text(const struct assumptions *as, enum assume_id id, char *out, size_t cap) {
    char low[32], expected[32], high[32];
    const struct range *r = &as->v[id];
    num_format_plain(low, sizeof low, r->low, 6);
    num_format_plain(expected, sizeof expected, r->expected, 6);
    num_format_plain(high, sizeof high, r->high, 6);
    if (strcmp(low, high) == 0)
        snprintf(out, cap, "%s", expected);
    else
        snprintf(out, cap, "%s,%s,%s", low, expected, high);
}

void explain_edit(struct app *a, enum assume_id id) {
    char text[TEXT_MAX];
    free(a->form.before);
    a->form.before = stated_copy(&a->stated);
    a->explained.assumption = (int)id;
    value_text(&a->stated.assumptions, id, text, sizeof text);
    text_copy(a->form.before_text, sizeof a->form.before_text, text);
    a->before = run_figures(a->shown);
    prompt_open(a, PROMPT_ASSUMPTION, text);
}

void explain_typed(struct app *a) {
    struct prompt *p = &a->prompt;
    const char *key = assume_table()[a->explained.assumption].key;
    struct stated *wanted = stated_copy(a->form.before);
    p->err = (struct err){0};
    p->failed = !assumptions_set(&wanted->assumptions, key, p->text, &p->err) || !stated_take(a, wanted, &p->err);
    free(wanted);
    if (p->failed)
        return;
    app_expect(a, MESSAGE_EDIT, key);
    text_copy(a->pending.b, sizeof a->pending.b, a->form.before_text);
    text_copy(a->pending.c, sizeof a->pending.c, p->text);
}

static bool differs(const struct app *a) {
    int id = a->explained.assumption;
    const struct range *now = &a->stated.assumptions.v[id], *then = &a->form.before->assumptions.v[id];
    return now->low != then->low || now->expected != then->expected || now->high != then->high;
}

void explain_commit(struct app *a) {
    if (!a->form.before)
        return;
    if (differs(a))
        history_push(a, a->form.before, assume_table()[a->explained.assumption].key);
    free(a->form.before);
    a->form.before = NULL;
}

void explain_cancel(struct app *a) {
    if (!a->form.before)
        return;
    if (differs(a))
        stated_take(a, a->form.before, NULL);
    free(a->form.before);
    a->form.before = NULL;
    a->pending.kind = a->message.kind = MESSAGE_NONE;
    a->before.known = false;
}

/* ---- the screen ---- */

static void move(struct app *a, long by) {
    app_scroll(a, (int)by);
}

static void keep_in_sight(struct app *a) {
    app_scroll(a, 0);
}

const struct screen_row explain_screen = {.name = "explain",
                                          .move = move,
                                          .open = explain_open,
                                          .refresh = explain_refresh,
                                          .shown = keep_in_sight,
                                          .file = "offer.txt",
                                          .put = files_put_explanation};
