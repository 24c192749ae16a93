/* SPDX-License-Identifier: MIT */
/* The row above the keys: the prompt that is open, else what the last key did. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/sentence.h"
#include "internal.h"

/* ---- what an edit changed ---- */

static void put_fit_change(struct buf *b, const struct figures *from, const struct figures *to) {
    struct buf n = {0};
    if (to->fit == from->fit)
        buf_puts(b, _("As many offers fit."));
    else if (to->fit < from->fit) {
        sentence_count(&n, from->fit - to->fit);
        buf_printf(
            b, ngettext("%s offer no longer fits.", "%s offers no longer fit.", (unsigned long)(from->fit - to->fit)),
            n.data);
    } else {
        sentence_count(&n, to->fit - from->fit);
        buf_printf(b, ngettext("%s offer more fits.", "%s offers more fit.", (unsigned long)(to->fit - from->fit)),
                   n.data);
    }
    buf_free(&n);
}

static void put_best_change(struct buf *b, const struct app *a, const struct figures *from, const struct figures *to) {
    char before[32], after[32];
    bool time = a->goal == GOAL_TIME;
    if (!to->any) {
        buf_puts(b, _("Nothing is left."));
        return;
    }
    num_format(after, sizeof after, time ? to->hours : to->usd, time ? NUM_HOURS : NUM_USD);
    if (!from->any) {
        buf_printf(b, time ? _("Best time %s.") : _("Best cost %s."), after);
        return;
    }
    num_format(before, sizeof before, time ? from->hours : from->usd, time ? NUM_HOURS : NUM_USD);
    if (strcmp(before, after) == 0)
        buf_printf(b, time ? _("Best time still %s.") : _("Best cost still %s."), after);
    else
        buf_printf(b, time ? _("Best time %s \342\206\222 %s.") : _("Best cost %s \342\206\222 %s."), before, after);
}

/* Another kind of job: what was before says nothing about it. */
static void put_fit_and_best(struct buf *b, const struct app *a, const struct figures *to) {
    const struct figures nothing = {0};
    struct buf fit = {0};
    sentence_count(&fit, to->fit);
    buf_printf(b, ngettext("%s offer fits.", "%s offers fit.", (unsigned long)to->fit), fit.data);
    buf_putc(b, ' ');
    put_best_change(b, a, &nothing, to);
    buf_free(&fit);
}

void put_figures_change(struct buf *b, const struct app *a, const struct figures *from, const struct figures *to) {
    if (!from->known || !to->known)
        return;
    if (from->task != to->task) {
        put_fit_and_best(b, a, to);
        return;
    }
    put_fit_change(b, from, to);
    buf_putc(b, ' ');
    put_best_change(b, a, from, to);
}

/* ---- messages ---- */

static void put_edit(struct buf *b, const struct app *a, const struct message *m) {
    const char *empty = _("(empty)");
    buf_printf(b, _("%s %s \342\206\222 %s."), _(m->a), m->b[0] ? m->b : empty, m->c[0] ? m->c : empty);
    buf_putc(b, ' ');
    put_figures_change(b, a, &m->from, &m->to);
}

static void put_with_change(struct buf *b, const struct app *a, const struct message *m, const char *format) {
    buf_printf(b, "%s", format);
    buf_putc(b, ' ');
    put_figures_change(b, a, &m->from, &m->to);
}

static void put_named_change(struct buf *b, const struct app *a, const struct message *m) {
    struct buf head = {0};
    if (m->kind == MESSAGE_UNDONE)
        buf_printf(&head, _("%s: taken back."), _(m->a));
    else if (m->kind == MESSAGE_REDONE)
        buf_printf(&head, _("%s: made again."), _(m->a));
    else if (m->kind == MESSAGE_OPENED)
        buf_printf(&head, _("Opened %s."), m->a);
    else if (m->kind == MESSAGE_GOAL)
        buf_printf(&head, _("Goal is now %s."), m->a);
    else
        buf_puts(&head, m->a[0] ? _("Filter set.") : _("Filter cleared."));
    put_with_change(b, a, m, head.data);
    buf_free(&head);
}

static void put_loaded(struct buf *b, const struct message *m) {
    struct buf n = {0}, skipped = {0};
    sentence_count(&n, m->n);
    sentence_count(&skipped, m->m);
    buf_printf(b, ngettext("Read %s offer.", "Read %s offers.", (unsigned long)m->n), n.data);
    if (m->m > 0) {
        buf_putc(b, ' ');
        buf_printf(b, ngettext("%s row was skipped.", "%s rows were skipped.", (unsigned long)m->m), skipped.data);
    }
    buf_free(&n);
    buf_free(&skipped);
}

static void put_marked(struct buf *b, const struct message *m) {
    struct buf n = {0};
    sentence_count(&n, m->n);
    buf_printf(b, ngettext("%s offer is marked", "%s offers are marked", (unsigned long)m->n), n.data);
    buf_free(&n);
}

static void put_no_action(struct buf *b, const struct message *m) {
    if (m->b[0])
        buf_printf(b, _("No action is called \"%s\"; did you mean \"%s\"?"), m->a, m->b);
    else
        buf_printf(b, _("No action is called \"%s\""), m->a);
}

/* Where there is nothing to say: what one can do here. */
static void put_hint(struct buf *b, const struct app *a) {
    buf_puts(b, _(view_screens()[a->screen].hint));
}

void message_text(struct buf *b, const struct app *a, const struct message *m) {
    switch (m->kind) {
    case MESSAGE_ERROR:
        buf_puts(b, m->a);
        break;
    case MESSAGE_EDIT:
        put_edit(b, a, m);
        break;
    case MESSAGE_FILTER:
    case MESSAGE_GOAL:
    case MESSAGE_UNDONE:
    case MESSAGE_REDONE:
    case MESSAGE_OPENED:
        put_named_change(b, a, m);
        break;
    case MESSAGE_NOTHING_TO_UNDO:
        buf_puts(b, _("There is nothing to take back"));
        break;
    case MESSAGE_NOTHING_TO_REDO:
        buf_puts(b, _("There is nothing to make again"));
        break;
    case MESSAGE_LOADING:
        buf_puts(b, _("Reading the listings"));
        break;
    case MESSAGE_LOADED:
        put_loaded(b, m);
        break;
    case MESSAGE_LOAD_FAILED:
        buf_printf(b, _("The listings could not be read; the old ones stay. %s"), m->a);
        break;
    case MESSAGE_FETCHING:
        buf_printf(b, _("Fetching %s"), m->a);
        break;
    case MESSAGE_FETCHED:
        buf_printf(b, _("%s is fetched"), m->a);
        break;
    case MESSAGE_FETCH_CANCELLED:
        buf_printf(b, _("The fetch of %s is stopped; what there was stays"), m->a);
        break;
    case MESSAGE_SAVED:
        buf_printf(b, _("Saved as %s"), m->a);
        break;
    case MESSAGE_NO_WORKLOADS:
        buf_printf(b, _("There are no saved workloads in %s"), m->a);
        break;
    case MESSAGE_MARKED:
        put_marked(b, m);
        break;
    case MESSAGE_MARKS_FULL:
        buf_puts(b, _("No more offers can be marked"));
        break;
    case MESSAGE_FOUND_NONE:
        buf_printf(b, _("\"%s\" is not found"), m->a);
        break;
    case MESSAGE_NO_FILTERS:
        buf_puts(b, _("No filter is set or saved: \\ sets one, & keeps it"));
        break;
    case MESSAGE_FILTER_KEPT:
        buf_printf(b, _("Kept: %s"), m->a);
        break;
    case MESSAGE_NOTHING_SAID:
        buf_puts(b, _("Nothing was said yet"));
        break;
    case MESSAGE_ONE_TO_COMPARE:
        buf_puts(b, _("There is nothing to compare it with: Space marks offers on screen 1"));
        break;
    case MESSAGE_HYPOTHETICAL:
        buf_puts(b, m->n == 2   ? _("This column is another job: change it on screen 2 to see it in full")
                    : m->n == 1 ? _("~ not sold with this link: the rate of the machine with another one")
                                : _("~ not sold in this size: the share of another machine's rate"));
        break;
    case MESSAGE_MOUSE:
        buf_puts(b, m->n ? _("The mouse is on") : _("The mouse is off: the terminal selects text"));
        break;
    case MESSAGE_FOLLOW:
        buf_puts(b, m->n ? _("The cursor follows its offer") : _("The cursor stays on its row"));
        break;
    case MESSAGE_NO_COLUMN:
        buf_puts(b, _("This is the order of the ranking; s sorts by a column, which can then be turned round"));
        break;
    case MESSAGE_PICKED:
        buf_printf(b, _("%s is printed when you quit"), m->a);
        break;
    case MESSAGE_ESCAPE:
        buf_puts(b, _("Esc once more, or q, quits"));
        break;
    case MESSAGE_NOT_HERE:
        buf_printf(b, _("\"%s\" has nothing to act on here"), m->a);
        break;
    case MESSAGE_NO_ACTION:
        put_no_action(b, m);
        break;
    case MESSAGE_NONE:
    case MESSAGE_KIND_COUNT:
        put_hint(b, a);
        break;
    }
}

static bool is_bad(enum message_kind kind) {
    return kind == MESSAGE_ERROR || kind == MESSAGE_LOAD_FAILED || kind == MESSAGE_NO_ACTION ||
           kind == MESSAGE_FOUND_NONE;
}

enum role role_of_message(enum message_kind kind) {
    return is_bad(kind) ? ROLE_BAD : kind == MESSAGE_NONE ? ROLE_DIM : ROLE_TEXT;
}

/* ---- prompts ---- */

static void put_prompt_tail(struct buf *b, const struct app *a) {
    const struct prompt *p = &a->prompt;
    struct buf n = {0};
    if (p->failed && p->kind == PROMPT_FIND)
        buf_puts(b, _("not found"));
    else if (p->failed)
        buf_puts(b, p->err.text);
    else if (p->kind == PROMPT_FIND)
        buf_puts(b, _("Down next  Enter keep  Esc drop"));
    else if (p->kind == PROMPT_FILTER && a->shown) {
        size_t count = ranking_count(a->shown->ranking);
        sentence_count(&n, count);
        buf_printf(
            b, ngettext("%s offer  Enter keep  Esc clear", "%s offers  Enter keep  Esc clear", (unsigned long)count),
            n.data);
    } else if (p->kind == PROMPT_COMMAND)
        buf_puts(b, _("name of an action; Tab completes"));
    else if (p->kind == PROMPT_EXPORT)
        buf_puts(b, _(".csv .json .md or text  Enter save"));
    else if (p->kind == PROMPT_TOPOLOGY)
        buf_puts(b, _("Enter read it"));
    buf_free(&n);
}

static const char *prompt_head(enum prompt_kind kind) {
    switch (kind) {
    case PROMPT_FIND:
        return "/";
    case PROMPT_FILTER:
        return "\\";
    case PROMPT_COMMAND:
        return ":";
    case PROMPT_SAVE:
        return _("Save the workload as: ");
    case PROMPT_EXPORT:
        return _("Write to the file: ");
    case PROMPT_TOPOLOGY:
        return _("Output of nvidia-smi topo -m: ");
    default:
        return "";
    }
}

/* The typed text with its caret; what follows stands at the right, cut first. */
static void draw_prompt(const struct app *a, struct canvas *c, struct rect r) {
    const struct prompt *p = &a->prompt;
    struct buf tail = {0}, before = {0};
    const char *head = prompt_head(p->kind);
    enum role role = p->failed ? ROLE_PROMPT_FAILED : ROLE_PROMPT;
    int at = r.column + canvas_text(c, r.row, r.column, r.columns, role, head);
    buf_put(&before, p->text, p->caret);
    int caret = text_width(before.data ? before.data : ""), room = r.column + r.columns - at;
    const char *text = p->text;
    while (caret >= room && *text) { /* the caret stays in sight */
        uint32_t code_point;
        text += text_decode(text, &code_point);
        caret -= text_char_width(code_point);
    }
    int used = canvas_text(c, r.row, at, room, role, text);
    if (p->failed && p->kind == PROMPT_FILTER && text == p->text) { /* what comes before the error is fine */
        struct buf good = {0};
        buf_put(&good, p->text, p->error_at < p->len ? p->error_at : p->len);
        canvas_role(c, (struct rect){r.row, at, 1, text_width(good.data ? good.data : "")}, ROLE_PROMPT);
        buf_free(&good);
    }
    canvas_cursor(c, r.row, at + caret);
    put_prompt_tail(&tail, a);
    at += used + 2;
    if (tail.data && at < r.column + r.columns)
        canvas_text(c, r.row, at, r.column + r.columns - at, p->failed ? ROLE_BAD : ROLE_DIM, tail.data);
    buf_free(&tail);
    buf_free(&before);
}

enum role prompt_role(const struct prompt *p) {
    return p->failed ? ROLE_PROMPT_FAILED : p->untouched ? ROLE_CURSOR : ROLE_FIELD_OPEN;
}

/* A field that is open is typed where it stands; here is what is wrong with it. */
static bool draw_field_error(const struct app *a, struct canvas *c, struct rect r) {
    const struct prompt *p = &a->prompt;
    if (p->kind != PROMPT_FIELD && p->kind != PROMPT_ASSUMPTION)
        return false;
    if (p->failed) {
        char line[640];
        err_format(&p->err, line, sizeof line);
        canvas_text(c, r.row, r.column, r.columns, ROLE_BAD, line);
    }
    return p->failed;
}

void message_draw(const struct app *a, struct canvas *c, struct rect r) {
    struct buf b = {0};
    if (r.rows == 0)
        return;
    canvas_fill(c, r, ROLE_TEXT, ' ');
    if (draw_field_error(a, c, r))
        return;
    if (a->prompt.kind != PROMPT_NONE && a->prompt.kind != PROMPT_FIELD && a->prompt.kind != PROMPT_ASSUMPTION) {
        draw_prompt(a, c, r);
        return;
    }
    message_text(&b, a, &a->message);
    canvas_text(c, r.row, r.column, r.columns, role_of_message(a->message.kind), b.data ? b.data : "");
    buf_free(&b);
}
