/* SPDX-License-Identifier: MIT */
/* Keys, the mouse and names become actions. What is open takes the keys first: prompt, popup, then the table. */
#include <string.h>

#include "gpuplan/base/text.h"
#include "screen.h"
#include "sources.h"

static const struct action *find_action(const char *name) {
    size_t count;
    const struct action *table = action_table(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

static void run(struct app *a, const struct action *action) {
    a->changed = true;
    action->run(a);
}

bool app_run_action(struct app *a, const char *name) {
    const struct action *action = find_action(name);
    if (!action || !action_enabled(a, action))
        return false;
    prompt_cancel(a);
    popup_close(a);
    a->message.kind = MESSAGE_NONE;
    run(a, action);
    return true;
}

void app_command(struct app *a, const char *name) {
    size_t count;
    const struct action *table = action_table(&count);
    if (app_run_action(a, name) || !*name)
        return;
    if (find_action(name)) {
        app_say(a, MESSAGE_NOT_HERE, name);
        return;
    }
    const char *names[192];
    for (size_t i = 0; i < count && i < sizeof names / sizeof names[0]; i++)
        names[i] = table[i].name;
    const char *near = text_nearest(name, names, count);
    app_say(a, MESSAGE_NO_ACTION, name);
    strncpy(a->message.b, near ? near : "", sizeof a->message.b - 1);
}

void app_key(struct app *a, int key) {
    a->changed = true;
    a->escaped &= key == KEY_CODE_ESCAPE;
    if (a->prompt.kind != PROMPT_NONE) {
        prompt_key(a, key);
        return;
    }
    if (a->popup.kind != POPUP_NONE) {
        popup_key(a, key);
        return;
    }
    const struct action *action = action_for_key(a, key);
    if (!action)
        return;
    a->message.kind = MESSAGE_NONE;
    run(a, action);
}

/* ---- mouse ---- */

/* A click on a heading sorts by it, the next one turns it round. */
static void click_column(struct app *a, int column) {
    size_t count;
    const struct column *table = column_table(&count);
    if (column < 0 || (size_t)column >= count)
        return;
    bool again = a->sort.column == &table[column];
    a->sort = (struct sort_choice){&table[column], again && !a->sort.turned};
    run_resort(a);
}

static void click_field(struct app *a, int row, bool open) {
    bool again = a->form.cursor == row;
    if (a->prompt.kind == PROMPT_FIELD && again)
        return;
    if (a->prompt.kind == PROMPT_FIELD)
        prompt_leave(a);
    form_move(a, row - a->form.cursor);
    if (open || again)
        form_open(a);
}

static void click(struct app *a, struct tag tag, bool twice) {
    size_t count;
    const struct action *table = action_table(&count);
    bool inside = tag.kind == TAG_CHOICE || tag.kind == TAG_ASSUMPTION ||
                  (tag.kind == TAG_FIELD && a->prompt.kind == PROMPT_FIELD);
    if (!inside && (a->popup.kind != POPUP_NONE || a->prompt.kind != PROMPT_NONE)) { /* beside it: leave it */
        prompt_cancel(a);
        popup_close(a);
        if (tag.kind != TAG_ACTION && tag.kind != TAG_SCREEN)
            return;
    }
    switch ((enum tag_kind)tag.kind) {
    case TAG_ACTION:
        if (tag.value >= 0 && (size_t)tag.value < count)
            app_run_action(a, table[tag.value].name);
        break;
    case TAG_SCREEN:
        if (tag.value >= 0 && tag.value < SCREEN_COUNT)
            app_go(a, (enum app_screen)tag.value);
        break;
    case TAG_ROW:
        if (screen_now(a)->click)
            screen_now(a)->click(a, tag.value, twice);
        break;
    case TAG_COLUMN:
        click_column(a, tag.value);
        break;
    case TAG_FIELD:
        click_field(a, tag.value, twice);
        break;
    case TAG_CHOICE:
    case TAG_ASSUMPTION:
        popup_choose(a, tag.value);
        break;
    case TAG_NONE:
        break;
    }
}

enum { WHEEL_ROWS = 3 };

void app_mouse(struct app *a, enum app_button button, struct tag tag) {
    a->changed = true;
    if (button == APP_CLICK || button == APP_DOUBLE_CLICK) {
        a->message.kind = MESSAGE_NONE;
        click(a, tag, button == APP_DOUBLE_CLICK);
        return;
    }
    if (a->prompt.kind != PROMPT_NONE)
        return;
    for (int i = 0; i < WHEEL_ROWS; i++)
        app_key(a, button == APP_WHEEL_UP ? KEY_CODE_UP : KEY_CODE_DOWN);
}

enum { STATUS_INTERRUPTED = 130 };

void app_interrupt(struct app *a) {
    a->changed = true;
    if (a->prompt.kind != PROMPT_NONE)
        prompt_cancel(a);
    else if (a->popup.kind != POPUP_NONE)
        popup_close(a);
    else if (fetching_busy(a))
        fetching_cancel(a, NULL);
    else if (reader_busy(a))
        reader_stop(a);
    else {
        a->done = true;
        a->exit_status = STATUS_INTERRUPTED;
    }
}
