/* SPDX-License-Identifier: MIT */
/* Help, from the table of actions: those of this screen first. */
#include <stdio.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "internal.h"

enum { KEYS_WIDTH = 22 };

static void put_keys(struct buf *b, const struct action *action) {
    for (int i = 0; i < ACTION_KEYS && action->keys[i]; i++) {
        char name[24];
        key_text(action->keys[i], name, sizeof name);
        buf_printf(b, "%s%s", i > 0 ? " " : "", name);
    }
}

/* A line that has the word that is looked for, in what it says, its keys or its name. */
static bool is_wanted(const struct app *a, const struct action *action, const char *keys) {
    const char *word = a->popup.typed;
    return !*word || text_contains_fold(_(action->help), word) || text_contains_fold(keys, word) ||
           text_contains_fold(action->name, word);
}

static void put_action(struct page *p, const struct app *a, const struct action *action) {
    struct buf keys = {0};
    put_keys(&keys, action);
    if (!is_wanted(a, action, keys.data ? keys.data : "")) {
        buf_free(&keys);
        return;
    }
    int row = page_row(p);
    if (row >= 0) {
        int width = p->r.columns > 2 * KEYS_WIDTH ? KEYS_WIDTH : p->r.columns / 2;
        canvas_text(p->c, row, p->r.column, width - 1, ROLE_KEY_LABEL, keys.data ? keys.data : "");
        canvas_text(p->c, row, p->r.column + width, p->r.columns - width, ROLE_TEXT, _(action->help));
    }
    buf_free(&keys);
}

static void put_actions(struct page *p, const struct app *a, bool everywhere) {
    size_t count;
    const struct action *table = action_table(&count);
    for (size_t i = 0; i < count; i++) {
        bool all = table[i].screens == (1u << SCREEN_COUNT) - 1;
        if ((table[i].screens & 1u << a->screen) && all == everywhere)
            put_action(p, a, &table[i]);
    }
}

static void put_words(struct page *p) {
    page_heading(p, _("Words"));
    page_wrap(p, ROLE_TEXT, 0,
              _("fits: even the high end of the estimate fits the memory. TIGHT: only the expected value does. LATE: "
                "after the deadline. OVER: over the budget. SLOW: misses the targets of a service."));
    page_wrap(
        p, ROLE_TEXT, 0,
        _("Ranges run from the 10 % to the 90 % point. = after a place: cannot be told apart from the row above."));
    page_wrap(p, ROLE_TEXT, 0,
              _("Link: NVSw measured, NVSw? inferred or declared, PCIe?? assumed. Risk: what it costs if the link is "
                "worse. \303\2273 after a name: three equal offers in other places; + shows them."));
}

static void put_help(struct page *p, const struct app *a) {
    if (a->popup.searching || a->popup.typed_len > 0) {
        struct buf line = {0};
        buf_printf(&line, "/%s", a->popup.typed);
        page_line(p, ROLE_PROMPT, line.data);
        buf_free(&line);
    }
    page_heading(p, _(view_screens()[a->screen].name));
    put_actions(p, a, false);
    page_blank(p);
    page_heading(p, _("Everywhere"));
    put_actions(p, a, true);
    if (a->popup.typed_len > 0) /* the words are no keys */
        return;
    page_blank(p);
    put_words(p);
}

struct viewport help_draw(const struct app *a, struct canvas *c, struct rect r) {
    struct page dry = {.r = r};
    put_help(&dry, a);
    int most = dry.line - r.rows, first = a->popup.top;
    first = first > most ? most : first;
    struct page p = {.c = c, .r = r, .first = first > 0 ? first : 0};
    put_help(&p, a);
    return (struct viewport){.page = r.rows, .lines = dry.line};
}
