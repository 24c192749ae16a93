/* SPDX-License-Identifier: MIT */
/* Tabs, title and key bar. */
#include <stdio.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/listing/source.h"
#include "gpuplan/report/sentence.h"
#include "internal.h"

void frame_tabs(const struct app *a, struct canvas *c, struct rect r) {
    const struct view_screen *screens = view_screens();
    int at = r.column, end = r.column + r.columns;
    for (int i = 0; i < SCREEN_COUNT && at < end; i++) {
        char text[64];
        if (!screens[i].draw || i == SCREEN_COMPARE)
            continue;
        bool current = (int)a->screen == i || (i == SCREEN_RANK && a->screen == SCREEN_COMPARE);
        snprintf(text, sizeof text, "%s%d %s%s", current ? "[" : " ", i + 1, _(screens[i].name), current ? "]" : " ");
        int used = canvas_text(c, r.row, at, end - at, current ? ROLE_TAB_CURRENT : ROLE_TAB, text);
        canvas_tag(c, (struct rect){r.row, at, 1, used}, TAG_SCREEN, i);
        at += used;
    }
}

/* ---- title: the job on the left; how many fit and how old the prices are on the right ---- */

void put_age(struct buf *b, const struct app *a, int64_t observed_at) {
    char age[32];
    if (a->now <= 0 || observed_at <= 0)
        return;
    double hours = (double)(a->now - observed_at) / 3600;
    num_format(age, sizeof age, hours > 0 ? hours : 0, NUM_HOURS);
    buf_printf(b, "%s%s", listing_is_stale(observed_at, a->now) ? "~" : "", age);
}

static void put_counts(struct buf *b, const struct app *a) {
    struct buf fit = {0}, all = {0}, age = {0};
    const struct run *run = a->shown;
    const struct offers *o = run ? run->snapshot->offers : a->snapshot->offers;
    size_t fitting = run && run->ranked ? run->fit : run ? ranking_count(run->ranking) : 0;
    sentence_count(&fit, fitting);
    sentence_count(&all, o->count);
    if (run_busy(a) || reader_busy(a))
        buf_puts(b, "\342\200\246 "); /* still at work */
    buf_printf(b, ngettext("%s of %s fits", "%s of %s fit", (unsigned long)fitting), fit.data, all.data);
    put_age(&age, a, o->observed_at);
    if (age.len > 0) {
        buf_puts(b, " \302\267 ");
        buf_printf(b, _("%s old"), age.data);
    }
    buf_free(&fit);
    buf_free(&all);
    buf_free(&age);
}

static bool has_deadline(const struct job *j) {
    return num_known(j->deadline_h) && !job_is_serving(j);
}

static void put_long(struct buf *b, const struct app *a) {
    char hours[32];
    const struct job *j = &a->basis->job;
    sentence_job(b, j);
    if (has_deadline(j)) {
        num_format_plain(hours, sizeof hours, j->deadline_h, 4);
        buf_puts(b, " \302\267 ");
        buf_printf(b, _("within %s h"), hours);
    }
    buf_puts(b, " \302\267 ");
    buf_printf(b, _("goal: %s"), goal_name(a->goal));
}

/* The same in the words of the fields, where sentences have no room. */
static void put_short(struct buf *b, const struct app *a) {
    char amount[32], hours[32];
    const struct job *j = &a->basis->job;
    buf_printf(b, "%s %s", task_name(j->task), j->task == TASK_MEASURED ? j->base_gpu : j->model.name);
    if (job_is_training(j)) {
        num_format(amount, sizeof amount, j->tokens, NUM_TOKENS);
        buf_puts(b, " \302\267 ");
        buf_printf(b, _("%s tokens"), amount);
    }
    if (has_deadline(j)) {
        num_format_plain(hours, sizeof hours, j->deadline_h, 4);
        buf_puts(b, " \302\267 ");
        buf_printf(b, _("%s h"), hours);
    }
    buf_printf(b, " \302\267 %s", goal_name(a->goal));
}

void frame_title(const struct app *a, struct canvas *c, struct rect r) {
    struct buf left = {0}, right = {0};
    put_counts(&right, a);
    int width = text_width(right.data), room;
    width = width > r.columns ? r.columns : width;
    room = r.columns - width - 2;
    put_long(&left, a);
    if (text_width(left.data) > room) {
        buf_clear(&left);
        put_short(&left, a);
    }
    canvas_text(c, r.row, r.column + r.columns - width, width, ROLE_TITLE, right.data);
    canvas_text(c, r.row, r.column, room, ROLE_TITLE, left.data);
    buf_free(&left);
    buf_free(&right);
}

/* ---- key bar, from the table of actions ---- */

static int put_key(struct canvas *c, struct rect r, int at, const struct action *action, int number) {
    char key[24];
    key_text(action->keys[0], key, sizeof key);
    bool function = action->keys[0] >= KEY_CODE_F1 && action->keys[0] <= KEY_CODE_F12;
    const char *label = _(action->label);
    int gap = function ? 0 : 1, needed = text_width(key) + gap + text_width(label);
    if (at + needed > r.column + r.columns)
        return 0;
    canvas_text(c, r.row, at, needed, ROLE_KEY, key);
    canvas_text(c, r.row, at + text_width(key) + gap, needed, ROLE_KEY_LABEL, label);
    canvas_tag(c, (struct rect){r.row, at, 1, needed}, TAG_ACTION, number);
    return needed + 1;
}

/* The last of the table is the way out: room is kept for it. */
void frame_keys(const struct app *a, struct canvas *c, struct rect r) {
    size_t count;
    const struct action *table = action_table(&count);
    const struct action *way_out = &table[count - 1];
    char key[24];
    key_text(way_out->keys[0], key, sizeof key);
    int at = r.column, reserved = text_width(key) + text_width(_(way_out->label));
    for (size_t i = 0; i < count; i++) {
        struct rect room = r;
        room.columns -= i + 1 < count ? reserved : 0;
        if (table[i].label && action_enabled(a, &table[i]))
            at += put_key(c, room, at, &table[i], (int)i);
    }
}
