/* SPDX-License-Identifier: MIT */
/* Lists that lie over a screen: arrows move, letters narrow, Enter takes, Esc leaves things as they were. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/text.h"
#include "app/notes.h"

static const struct field *field_of(const struct app *a) {
    return &field_table()[a->form.field];
}

const char *popup_name(const struct app *a, int item) {
    size_t count;
    switch (a->popup.kind) {
    case POPUP_SORT:
    case POPUP_COLUMNS:
        return item < 0 ? "rank" : column_table(&count)[item].key;
    case POPUP_CHOICES:
        return form_choices(a, field_of(a)->id, &count)[item];
    case POPUP_WORKLOADS:
        return io_base_name(a->popup.files.paths[item]);
    case POPUP_ASSUMPTIONS:
        return assume_table()[item].key;
    case POPUP_FILTERS:
        return item < 0 ? a->filter : a->notes->filters[item];
    case POPUP_LOG:
        return a->notes->log[item].a;
    default:
        return "";
    }
}

/* ---- what is listed ---- */

static void offer_item(struct app *a, int item) {
    struct popup *p = &a->popup;
    if (p->count < POPUP_ITEMS && text_contains_fold(popup_name(a, item), p->typed))
        p->items[p->count++] = item;
}

/* Columns with a heading; for sorting the others as well, after them. */
static void fill_columns(struct app *a, bool all) {
    size_t count;
    const struct column *table = column_table(&count);
    for (int named = 1; named >= (all ? 0 : 1); named--)
        for (size_t i = 1; i < count; i++)
            if ((table[i].label != NULL) == named && (table[i].number || table[i].value))
                offer_item(a, (int)i);
}

void popup_fill(struct app *a) {
    struct popup *p = &a->popup;
    size_t count;
    int used[POPUP_ITEMS];
    p->count = 0;
    switch (p->kind) {
    case POPUP_SORT:
        offer_item(a, -1);
        fill_columns(a, true);
        break;
    case POPUP_COLUMNS:
        fill_columns(a, false);
        break;
    case POPUP_CHOICES:
        form_choices(a, field_of(a)->id, &count);
        for (size_t i = 0; i < count; i++)
            offer_item(a, (int)i);
        break;
    case POPUP_WORKLOADS:
        for (size_t i = 0; i < p->files.count; i++)
            offer_item(a, (int)i);
        break;
    case POPUP_ASSUMPTIONS:
        count = (size_t)explain_used(&a->explained, used, POPUP_ITEMS);
        for (size_t i = 0; i < count; i++)
            offer_item(a, used[i]);
        break;
    case POPUP_FILTERS:
        if (a->filter[0] && !notes_has_filter(a->notes, a->filter))
            offer_item(a, -1);
        for (int i = 0; i < a->notes->filter_count; i++)
            offer_item(a, i);
        break;
    case POPUP_LOG:
        for (int i = a->notes->log_count - 1; i >= 0; i--)
            offer_item(a, i);
        break;
    default:
        break;
    }
    if (p->cursor >= p->count)
        p->cursor = p->count > 0 ? p->count - 1 : 0;
}

/* The line to begin with: what holds now. */
static int current_item(const struct app *a) {
    char now[TEXT_MAX];
    size_t count;
    if (a->popup.kind == POPUP_SORT)
        return a->sort.column ? (int)(a->sort.column - column_table(&count)) : -1;
    if (a->popup.kind != POPUP_CHOICES)
        return -1;
    form_value(a, field_of(a)->id, now, sizeof now);
    for (int i = 0; i < a->popup.count; i++)
        if (text_equal_fold(popup_name(a, a->popup.items[i]), now))
            return a->popup.items[i];
    return -1;
}

void popup_open(struct app *a, enum popup_kind kind) {
    struct popup *p = &a->popup;
    io_list_free(&p->files);
    memset(p, 0, sizeof *p);
    p->kind = kind;
    a->changed = true;
    if (kind == POPUP_WORKLOADS && !files_list_workloads(a, &p->files)) {
        p->kind = POPUP_NONE;
        app_say(a, MESSAGE_NO_WORKLOADS, a->workload_dir ? a->workload_dir : "");
        return;
    }
    popup_fill(a);
    if ((kind == POPUP_FILTERS || kind == POPUP_LOG) && p->count == 0) {
        p->kind = POPUP_NONE;
        app_say(a, kind == POPUP_LOG ? MESSAGE_NOTHING_SAID : MESSAGE_NO_FILTERS, "");
        return;
    }
    int now = current_item(a);
    for (int i = 0; i < p->count; i++)
        if (p->items[i] == now)
            p->cursor = i;
}

/* What was tried out while the list was open goes back. */
void popup_close(struct app *a) {
    if (a->popup.kind == POPUP_CHOICES)
        form_cancel(a);
    a->popup.kind = POPUP_NONE;
    a->changed = true;
}

/* ---- taking ---- */

static void take_sort(struct app *a, int item) {
    size_t count;
    const struct column *column = item < 0 ? NULL : &column_table(&count)[item];
    bool again = column && a->sort.column == column;
    a->sort = (struct sort_choice){column, again && !a->sort.turned};
    a->popup.kind = POPUP_NONE;
    run_resort(a);
}

static void toggle_column(struct app *a, int item) {
    if (item >= 0 && (size_t)item < sizeof a->hidden / sizeof a->hidden[0])
        a->hidden[item] = !a->hidden[item];
}

static void edit_assumption(struct app *a, int item) {
    explain_edit(a, (enum assume_id)item);
}

static void take_filter(struct app *a, int item) {
    char text[TEXT_MAX];
    text_copy(text, sizeof text, popup_name(a, item));
    a->popup.kind = POPUP_NONE;
    if (item < 0) {
        notes_add_filter(a->notes, text);
        app_say(a, MESSAGE_FILTER_KEPT, text);
    } else {
        app_set_filter(a, text);
    }
}

static void take_choice(struct app *a, const char *text) {
    struct err err = {0};
    if (!form_try(a, text, &err)) {
        app_say_error(a, &err);
        return; /* the list stays open */
    }
    form_commit(a);
    a->popup.kind = POPUP_NONE;
}

static void take(struct app *a) {
    struct popup *p = &a->popup;
    bool any = p->cursor < p->count;
    int item = any ? p->items[p->cursor] : -1;
    if (p->kind == POPUP_CHOICES && (any || field_of(a)->type == FIELD_TEXT))
        take_choice(a, any ? popup_name(a, item) : p->typed);
    if (!any)
        return;
    if (p->kind == POPUP_SORT)
        take_sort(a, item);
    else if (p->kind == POPUP_COLUMNS)
        toggle_column(a, item);
    else if (p->kind == POPUP_ASSUMPTIONS)
        edit_assumption(a, item);
    else if (p->kind == POPUP_FILTERS)
        take_filter(a, item);
    else if (p->kind == POPUP_LOG)
        p->kind = POPUP_NONE;
    else if (p->kind == POPUP_WORKLOADS) {
        p->kind = POPUP_NONE;
        files_open_workload(a, io_base_name(p->files.paths[item]));
    }
}

void popup_choose(struct app *a, int line) {
    if (line < 0 || line >= a->popup.count)
        return;
    a->popup.cursor = line;
    take(a);
}

/* ---- keys ---- */

/* The answer to a choice is seen before it is taken. */
static void preview(struct app *a) {
    struct popup *p = &a->popup;
    struct err err = {0};
    if (p->kind != POPUP_CHOICES || p->cursor >= p->count)
        return;
    if (!form_try(a, popup_name(a, p->items[p->cursor]), &err))
        app_say_error(a, &err);
}

static void move(struct app *a, int by) {
    struct popup *p = &a->popup;
    int to = p->cursor + by;
    to = to >= p->count ? p->count - 1 : to;
    p->cursor = to < 0 ? 0 : to;
    p->top = (int)list_top((size_t)p->top, (size_t)p->cursor, (size_t)app_page(a), (size_t)p->count);
    preview(a);
}

static int motion(const struct app *a, int key) {
    static const int far_away = 1 << 20;
    switch (key) {
    case KEY_CODE_UP:
        return -1;
    case KEY_CODE_DOWN:
        return 1;
    case KEY_CODE_PAGE_UP:
        return -app_page(a);
    case KEY_CODE_PAGE_DOWN:
        return app_page(a);
    case KEY_CODE_HOME:
        return -far_away;
    case KEY_CODE_END:
        return far_away;
    default:
        return 0;
    }
}

/* What is typed after a slash is looked for: lines without it go. */
static void search_key(struct app *a, int key) {
    struct popup *p = &a->popup;
    if (key == KEY_CODE_ENTER) {
        p->searching = false;
    } else if (key == KEY_CODE_ESCAPE) {
        p->searching = false;
        p->typed[0] = '\0';
        p->typed_len = p->typed_caret = 0;
    } else if (edit_key(p->typed, sizeof p->typed, &p->typed_len, &p->typed_caret, key)) {
        p->top = 0;
    }
}

/* Help moves like a text; any other key leaves it. */
static void help_key(struct app *a, int key) {
    struct popup *p = &a->popup;
    if (p->searching && motion(a, key) == 0) {
        search_key(a, key);
        return;
    }
    if (key == '/') {
        p->searching = true;
        return;
    }
    int by = key == 'j' ? 1 : key == 'k' ? -1 : key == ' ' ? app_page(a) : motion(a, key);
    int most = a->viewport.lines - a->viewport.page;
    if (by == 0) {
        p->kind = POPUP_NONE;
        return;
    }
    p->top += by;
    p->top = p->top > most ? most : p->top;
    p->top = p->top < 0 ? 0 : p->top;
}

static void type(struct app *a, int key) {
    struct popup *p = &a->popup;
    if (!edit_key(p->typed, sizeof p->typed, &p->typed_len, &p->typed_caret, key))
        return;
    p->cursor = p->top = 0;
    popup_fill(a);
}

static void drop_filter(struct app *a) {
    struct popup *p = &a->popup;
    if (p->cursor < p->count)
        notes_drop_filter(a->notes, p->items[p->cursor]);
    popup_fill(a);
    if (p->count == 0)
        p->kind = POPUP_NONE;
}

bool popup_key(struct app *a, int key) {
    struct popup *p = &a->popup;
    if (p->kind == POPUP_HELP)
        help_key(a, key);
    else if (key == KEY_CODE_ESCAPE)
        popup_close(a);
    else if (key == KEY_CODE_DELETE && p->kind == POPUP_FILTERS && p->typed_len == 0)
        drop_filter(a);
    else if (key == KEY_CODE_ENTER || (key == ' ' && p->kind == POPUP_COLUMNS))
        take(a);
    else if (motion(a, key) != 0)
        move(a, motion(a, key));
    else
        type(a, key);
    return true;
}
