/* SPDX-License-Identifier: MIT */
#include "app/topology.h"

#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/report/topology.h"
#include "screen.h"

/* ---- the answer ---- */

/* What somebody saw is held against the offer, if it can be the same machine. */
static void weigh(struct app *a, const struct offer *f) {
    struct topology_state *s = a->topology;
    int gpu = s->v.gpu && !s->v.gpu_open ? catalog_gpu_index(a->catalog, s->v.gpu) : -1;
    const char *name = f->gpu >= 0 ? catalog_gpu(a->catalog, (size_t)f->gpu)->name : NULL;
    s->other_card = f->gpu < 0 || (gpu >= 0 && gpu != f->gpu) || f->gpus < s->t.gpus;
    s->seen.offer = NULL;
    if (s->other_card)
        return;
    topology_judge(&s->t, a->catalog, name, &s->v); /* the offer says which card it is */
    seen_weigh(a->shown->ranking, &s->t, name, f, &s->seen);
}

static void make(struct app *a, const struct offer *f) {
    struct topology_state *s = a->topology;
    const struct gpu *g = f && f->gpu >= 0 ? catalog_gpu(a->catalog, (size_t)f->gpu) : NULL;
    s->has_offer = f && ranking_explain(a->shown->ranking, s->id, 0, &s->c, NULL);
    s->found = s->file[0] || (s->has_offer && g);
    s->seen.offer = NULL;
    s->other_card = false;
    if (!s->found)
        return;
    if (s->file[0])
        s->t = s->read;
    else
        topology_assume(g, f->gpus < 2 ? LINK_NONE : (enum link_kind)f->link, f->gpus, &s->t);
    topology_judge(&s->t, a->catalog, NULL, &s->v);
    if (s->file[0] && s->has_offer)
        weigh(a, f);
}

static bool work(struct app *a, double seconds) {
    struct topology_state *s = a->topology;
    (void)seconds;
    if (!s->stale || !a->shown || !a->shown->ranked)
        return false;
    const struct offer *f = s->id[0] ? offers_find(a->shown->snapshot->offers, s->id) : NULL;
    make(a, f);
    s->stale = false;
    a->changed = true;
    return false;
}

void topology_open_file(struct app *a, const char *path) {
    struct topology_state *s = a->topology;
    struct topology *t = mem_zero(1, sizeof *t);
    struct buf bytes = {0};
    struct err err = {0};
    bool good = io_read(path, IO_MAX_SMALL, &bytes, &err) &&
                topology_read(bytes.data ? bytes.data : "", bytes.len, path, t, &err);
    if (good) {
        s->read = *t;
        text_copy(s->file, sizeof s->file, path);
        a->scroll[SCREEN_TOPOLOGY] = 0;
        s->stale = a->changed = true;
    } else {
        app_say_error(a, &err);
    }
    buf_free(&bytes);
    free(t);
}

/* ---- hooks ---- */

static void begin(struct app *a) {
    a->topology = mem_zero(1, sizeof *a->topology);
}

static void end(struct app *a) {
    free(a->topology);
}

static void open(struct app *a) {
    struct topology_state *s = a->topology;
    const char *id = a->list.id ? a->list.id : "";
    if (strcmp(s->id, id) != 0)
        a->scroll[SCREEN_TOPOLOGY] = 0;
    text_copy(s->id, sizeof s->id, id);
    s->stale = a->changed = true;
}

/* Another answer: the offer may be gone, or be another one where none was chosen. */
static void refresh(struct app *a) {
    a->topology->found = false; /* what it points to went with the answer before */
    a->topology->stale = true;
    if (a->screen == SCREEN_TOPOLOGY)
        open(a);
}

static void move(struct app *a, long by) {
    app_scroll(a, (int)by);
}

static void keep_in_sight(struct app *a) {
    app_scroll(a, 0);
}

static bool put(struct app *a, struct buf *b, const char *path) {
    const struct topology_state *s = a->topology;
    const struct question *q = ranking_question(a->shown->ranking);
    const struct seen *seen = s->seen.offer ? &s->seen : NULL;
    const struct style style = {120, a->ascii, false}; /* columns */
    const char *suffix = strrchr(path, '.');
    if (!s->found || s->stale)
        return false;
    if (suffix && strcmp(suffix, ".json") == 0)
        topology_json(b, q, &s->t, &s->v, seen);
    else if (suffix && strcmp(suffix, ".md") == 0)
        topology_markdown(b, q, &s->t, &s->v, seen);
    else
        topology_text(b, q, &s->t, &s->v, seen, &style);
    return true;
}

/* ---- actions ---- */

static void go(struct app *a) {
    app_go(a, SCREEN_TOPOLOGY);
}

static void ask_file(struct app *a) {
    prompt_open(a, PROMPT_TOPOLOGY, a->topology->file);
}

static bool has_file(const struct app *a) {
    return a->topology->file[0] != '\0';
}

static void drop_file(struct app *a) {
    a->topology->file[0] = '\0';
    a->topology->stale = true;
    open(a);
}

static const struct action actions[] = {
    {"screen.topology", {'6'}, NULL, N_("how the GPUs of the offer are connected"), ON_EVERY, NULL, go},
    {"topology.open",
     {'o', KEY_CODE_ENTER},
     N_("Open"),
     N_("read a file with the output of nvidia-smi topo -m or of gpuplan probe"),
     ON_TOPOLOGY,
     NULL,
     ask_file},
    {"topology.close",
     {'x', KEY_CODE_DELETE},
     N_("Close"),
     N_("put the file away: what the offer's link lets assume"),
     ON_TOPOLOGY,
     has_file,
     drop_file},
};

const struct screen_row topology_screen = {.name = "topology",
                                           .begin = begin,
                                           .end = end,
                                           .move = move,
                                           .open = open,
                                           .refresh = refresh,
                                           .work = work,
                                           .shown = keep_in_sight,
                                           .file = "topology.txt",
                                           .put = put,
                                           .actions = actions,
                                           .action_count = sizeof actions / sizeof actions[0]};
