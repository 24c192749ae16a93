/* SPDX-License-Identifier: MIT */
#include "app/compare.h"

#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/report/compare.h"
#include "screen.h"

/* ---- which ---- */

static bool has(const struct compare_state *s, const char *id) {
    for (int i = 0; i < s->wanted; i++)
        if (strcmp(s->ids[i], id) == 0)
            return true;
    return false;
}

static void want(struct compare_state *s, const char *id) {
    if (s->wanted < COMPARED && !has(s, id))
        text_copy(s->ids[s->wanted++], TEXT_MAX, id);
}

/* Of one that is marked alone, or of none: the offer under the cursor and the best beside it. */
static void choose(struct app *a) {
    struct compare_state *s = a->compare;
    const struct list *l = &a->list;
    s->wanted = s->cursor = 0;
    for (int i = 0; i < l->mark_count; i++)
        want(s, l->marks[i]);
    if (s->wanted < 2 && l->id)
        want(s, l->id);
    for (size_t i = 0; s->wanted < 2 && i < 2 && i < l->count; i++) {
        const struct offer *f = list_offer(a, i);
        if (f)
            want(s, offers_text(a->shown->snapshot->offers, f->id));
    }
    s->stale = true;
}

static bool work(struct app *a, double seconds) {
    struct compare_state *s = a->compare;
    (void)seconds;
    if (!s->stale || !a->shown || !a->shown->ranked)
        return false;
    s->count = 0;
    for (int i = 0; i < s->wanted; i++)
        if (ranking_explain(a->shown->ranking, s->ids[i], 0, &s->c[s->count], NULL))
            s->count++;
    if (s->cursor >= s->count)
        s->cursor = s->count > 0 ? s->count - 1 : 0;
    s->stale = false;
    a->changed = true;
    return false;
}

/* ---- hooks ---- */

static void begin(struct app *a) {
    a->compare = mem_zero(1, sizeof *a->compare);
}

static void end(struct app *a) {
    free(a->compare);
}

static void refresh(struct app *a) {
    a->compare->stale = true;
}

static void move(struct app *a, long by) {
    app_scroll(a, (int)by);
}

static void keep_in_sight(struct app *a) {
    app_scroll(a, 0);
}

static void explain(struct app *a) {
    struct compare_state *s = a->compare;
    if (s->cursor < s->count && !s->stale)
        explain_count(a, offers_text(a->shown->snapshot->offers, s->c[s->cursor].offer->id), 0);
}

static void click(struct app *a, int column, bool twice) {
    if (column >= 0 && column < a->compare->count)
        a->compare->cursor = column;
    if (twice)
        explain(a);
}

static bool put(struct app *a, struct buf *b, const char *path) {
    const struct compare_state *s = a->compare;
    const struct question *q = ranking_question(a->shown->ranking);
    const struct style style = {FILES_WIDTH, a->ascii, false};
    if (s->stale || s->count == 0)
        return false;
    if (files_format(path) == GRID_JSON)
        compare_json(b, q, s->c, (size_t)s->count);
    else
        compare_table(b, q, s->c, (size_t)s->count, files_format(path), &style);
    return true;
}

/* ---- actions ---- */

static bool can_compare(const struct app *a) {
    return a->list.id && a->shown;
}

static void go(struct app *a) {
    choose(a);
    app_go(a, SCREEN_COMPARE);
    if (a->compare->wanted < 2)
        app_say(a, MESSAGE_ONE_TO_COMPARE, "");
}

static void left(struct app *a) {
    a->compare->cursor -= a->compare->cursor > 0;
}

static void right(struct app *a) {
    a->compare->cursor += a->compare->cursor + 1 < a->compare->count;
}

static bool can_drop(const struct app *a) {
    return a->compare->count > 2;
}

static void drop(struct app *a) {
    struct compare_state *s = a->compare;
    const char *id = offers_text(a->shown->snapshot->offers, s->c[s->cursor].offer->id);
    int kept = 0;
    for (int i = 0; i < s->wanted; i++)
        if (strcmp(s->ids[i], id) != 0)
            memmove(s->ids[kept++], s->ids[i], TEXT_MAX);
    s->wanted = kept;
    s->stale = true;
}

static bool has_columns(const struct app *a) {
    return a->compare->count > 0 && !a->compare->stale;
}

static const struct action actions[] = {
    {"compare",
     {'c'},
     N_("Compare"),
     N_("the marked offers side by side, or this one and the best"),
     ON_RANK | ON_EXPLAIN | ON_MAP,
     can_compare,
     go},
    {"compare.explain",
     {KEY_CODE_ENTER},
     N_("Explain"),
     N_("why the offer has these numbers"),
     ON_COMPARE,
     has_columns,
     explain},
    {"compare.left", {KEY_CODE_LEFT, 'h'}, NULL, N_("offer on the left"), ON_COMPARE, has_columns, left},
    {"compare.right", {KEY_CODE_RIGHT, 'l'}, NULL, N_("offer on the right"), ON_COMPARE, has_columns, right},
    {"compare.drop", {'d', KEY_CODE_DELETE}, N_("Drop"), N_("leave the offer out"), ON_COMPARE, can_drop, drop},
};

const struct screen_row compare_screen = {.name = "compare",
                                          .aside = true,
                                          .begin = begin,
                                          .end = end,
                                          .move = move,
                                          .refresh = refresh,
                                          .work = work,
                                          .shown = keep_in_sight,
                                          .click = click,
                                          .file = "compare.csv",
                                          .put = put,
                                          .actions = actions,
                                          .action_count = sizeof actions / sizeof actions[0]};
