/* SPDX-License-Identifier: MIT */
/* One line that is being typed. A prompt is state, not a loop of its own: work and drawing go on. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/text.h"
#include "app/topology.h"

/* ---- line editing; positions are bytes, at the start of a character ---- */

static size_t step_left(const char *text, size_t at) {
    while (at > 0 && ((unsigned char)text[--at] & 0xC0) == 0x80)
        continue;
    return at;
}

static size_t step_right(const char *text, size_t at) {
    uint32_t code_point;
    int n = text_decode(text + at, &code_point);
    return at + (n > 0 ? (size_t)n : 0);
}

static size_t word_left(const char *text, size_t at) {
    while (at > 0 && text[at - 1] == ' ')
        at--;
    while (at > 0 && text[at - 1] != ' ')
        at--;
    return at;
}

static void cut(char *text, size_t *len, size_t from, size_t to) {
    memmove(text + from, text + to, *len - to + 1);
    *len -= to - from;
}

static void insert(char *text, size_t cap, size_t *len, size_t *caret, int key) {
    char utf8[8];
    size_t n = key_text(key == ' ' ? '_' : key, utf8, sizeof utf8);
    if (key == ' ')
        utf8[0] = ' ';
    if (*len + n + 1 > cap || !text_is_clean(utf8, n))
        return; /* too long, or what may not stand on a screen */
    memmove(text + *caret + n, text + *caret, *len - *caret + 1);
    memcpy(text + *caret, utf8, n);
    *len += n;
    *caret += n;
}

static bool is_printable(int key) {
    return key >= ' ' && key < KEY_CODE_SPECIAL;
}

bool edit_key(char *text, size_t cap, size_t *len, size_t *caret, int key) {
    size_t from = *caret;
    switch (key) {
    case KEY_CODE_LEFT:
        *caret = step_left(text, from);
        return true;
    case KEY_CODE_RIGHT:
        *caret = step_right(text, from);
        return true;
    case KEY_CODE_HOME:
    case KEY_CTRL('A'):
        *caret = 0;
        return true;
    case KEY_CODE_END:
    case KEY_CTRL('E'):
        *caret = *len;
        return true;
    case KEY_CODE_BACKSPACE:
        *caret = step_left(text, from);
        cut(text, len, *caret, from);
        return true;
    case KEY_CODE_DELETE:
        cut(text, len, from, step_right(text, from));
        return true;
    case KEY_CTRL('U'):
        *caret = 0;
        cut(text, len, 0, from);
        return true;
    case KEY_CTRL('K'):
        cut(text, len, from, *len);
        return true;
    case KEY_CTRL('W'):
        *caret = word_left(text, from);
        cut(text, len, *caret, from);
        return true;
    default:
        break;
    }
    if (!is_printable(key))
        return false;
    insert(text, cap, len, caret, key);
    return true;
}

/* ---- prompts ---- */

void prompt_open(struct app *a, enum prompt_kind kind, const char *text) {
    struct prompt *p = &a->prompt;
    *p = (struct prompt){.kind = kind};
    p->len = text_clean(p->text, sizeof p->text, text, strlen(text));
    p->caret = p->len;
    memcpy(p->before, p->text, sizeof p->before);
    p->untouched = p->len > 0 && (kind == PROMPT_FIELD || kind == PROMPT_ASSUMPTION);
    a->find_from = find_place(a);
    a->changed = true;
}

static void close_prompt(struct app *a) {
    a->prompt.kind = PROMPT_NONE;
    a->prompt.failed = false;
    if (!run_busy(a)) {
        a->pending.kind = MESSAGE_NONE;
        a->before.known = false;
    }
}

void prompt_cancel(struct app *a) {
    enum prompt_kind kind = a->prompt.kind;
    if (kind != PROMPT_NONE)
        find_stop(a);
    if (kind == PROMPT_FIND)
        find_go(a, a->find_from);
    else if (kind == PROMPT_FILTER && a->filter[0])
        app_set_filter(a, "");
    else if (kind == PROMPT_FIELD)
        form_cancel(a);
    else if (kind == PROMPT_ASSUMPTION)
        explain_cancel(a);
    if (kind != PROMPT_NONE)
        close_prompt(a);
}

static void typed_find(struct app *a) {
    if (a->prompt.len > 0)
        find_text(a, a->prompt.text, a->find_from, 1);
    else
        find_go(a, a->find_from);
    a->prompt.failed &= a->prompt.len > 0;
}

static void typed_filter(struct app *a) {
    struct prompt *p = &a->prompt;
    struct filter *f = NULL;
    bool empty = strspn(p->text, " ") == p->len;
    p->err = (struct err){0};
    if (!empty)
        f = filter_parse(p->text, &p->err, &p->error_at);
    p->failed = !empty && !f;
    filter_free(f);
    if (!p->failed && strcmp(a->filter, empty ? "" : p->text) != 0)
        app_set_filter(a, empty ? "" : p->text);
}

static void typed(struct app *a) {
    switch (a->prompt.kind) {
    case PROMPT_FIND:
        typed_find(a);
        break;
    case PROMPT_FILTER:
        typed_filter(a);
        break;
    case PROMPT_FIELD:
        form_typed(a);
        break;
    case PROMPT_ASSUMPTION:
        explain_typed(a);
        break;
    default:
        a->prompt.failed = false;
    }
}

/* A text that is wrong stays open. */
static void commit(struct app *a) {
    char text[TEXT_MAX];
    enum prompt_kind kind = a->prompt.kind;
    if (a->prompt.failed && kind != PROMPT_FIND)
        return;
    memcpy(text, a->prompt.text, sizeof text);
    if (kind == PROMPT_FIELD)
        form_commit(a);
    else if (kind == PROMPT_ASSUMPTION)
        explain_commit(a);
    close_prompt(a);
    if (kind == PROMPT_FIND)
        memcpy(a->find, text, sizeof a->find);
    else if (kind == PROMPT_COMMAND)
        app_command(a, text);
    else if (kind == PROMPT_SAVE)
        files_save_workload(a, text);
    else if (kind == PROMPT_EXPORT)
        files_export(a, text);
    else if (kind == PROMPT_TOPOLOGY && *text)
        topology_open_file(a, text);
}

void prompt_leave(struct app *a) {
    if (a->prompt.failed)
        prompt_cancel(a);
    else
        commit(a);
}

/* The longest beginning that all actions with this beginning share. */
static void complete_command(struct prompt *p) {
    size_t count, shared = 0;
    const struct action *table = action_table(&count);
    const char *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(table[i].name, p->text, p->len) != 0)
            continue;
        size_t same = 0;
        while (first && first[same] && first[same] == table[i].name[same])
            same++;
        shared = first ? (same < shared ? same : shared) : strlen(table[i].name);
        first = first ? first : table[i].name;
    }
    if (!first || shared >= sizeof p->text)
        return;
    memcpy(p->text, first, shared);
    p->text[shared] = '\0';
    p->len = p->caret = shared;
}

static void tab(struct app *a, int direction) {
    if (a->prompt.kind == PROMPT_COMMAND)
        complete_command(&a->prompt);
    if (a->prompt.kind != PROMPT_FIELD || a->prompt.failed)
        return;
    commit(a);
    form_move(a, direction);
}

/* Up and down: the next one found; else they close what is typed and move on. */
static void vertical(struct app *a, int direction) {
    if (a->prompt.kind == PROMPT_FIND)
        find_text(a, a->prompt.text, find_place(a) + (size_t)direction, direction);
    else if (a->prompt.kind == PROMPT_FIELD)
        tab(a, direction);
}

bool prompt_key(struct app *a, int key) {
    struct prompt *p = &a->prompt;
    size_t len = p->len;
    char before[TEXT_MAX];
    switch (key) {
    case KEY_CODE_ESCAPE:
        prompt_cancel(a);
        return true;
    case KEY_CODE_ENTER:
        commit(a);
        return true;
    case KEY_CODE_TAB:
        tab(a, 1);
        return true;
    case KEY_CODE_BACK_TAB:
        tab(a, -1);
        return true;
    case KEY_CODE_DOWN:
        vertical(a, 1);
        return true;
    case KEY_CODE_UP:
        vertical(a, -1);
        return true;
    default:
        break;
    }
    memcpy(before, p->text, len + 1);
    bool replaced = p->untouched && (is_printable(key) || key == KEY_CODE_BACKSPACE || key == KEY_CODE_DELETE);
    if (replaced) {
        p->text[0] = '\0';
        p->len = p->caret = 0;
    }
    p->untouched = false;
    a->changed = true;
    if ((edit_key(p->text, sizeof p->text, &p->len, &p->caret, key) && strcmp(before, p->text) != 0) || replaced)
        typed(a);
    return true;
}
