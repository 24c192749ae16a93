/* SPDX-License-Identifier: MIT */
/* Boxes over a screen. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "app/notes.h"
#include "internal.h"

static int least(int a, int b) {
    return a < b ? a : b;
}

struct rect box_draw(struct canvas *c, int columns, int rows, const char *title) {
    columns = least(columns, c->columns);
    bool framed = c->rows >= SMALLEST_ROWS; /* tabs, title, message and keys stay in sight */
    rows = least(rows, framed ? c->rows - 4 : c->rows);
    struct rect r = {framed ? 2 + (c->rows - 4 - rows) / 2 : 0, (c->columns - columns) / 2, rows, columns};
    canvas_fill(c, r, ROLE_TEXT, ' ');
    canvas_tag(c, r, TAG_NONE, 0);
    if (columns < 4 || rows < 3)
        return r;
    canvas_hline(c, r.row, r.column, columns);
    canvas_hline(c, r.row + rows - 1, r.column, columns);
    canvas_vline(c, r.row + 1, r.column, rows - 2);
    canvas_vline(c, r.row + 1, r.column + columns - 1, rows - 2);
    static const enum glyph corners[] = {GLYPH_CORNER_TOP_LEFT, GLYPH_CORNER_TOP_RIGHT, GLYPH_CORNER_BOTTOM_LEFT,
                                         GLYPH_CORNER_BOTTOM_RIGHT};
    for (int i = 0; i < 4; i++)
        canvas_fill(c, (struct rect){r.row + i / 2 * (rows - 1), r.column + i % 2 * (columns - 1), 1, 1}, ROLE_BORDER,
                    glyph_code(corners[i], c->ascii));
    canvas_printf(c, r.row, r.column + 2, columns - 4, ROLE_TITLE, " %s ", title);
    return (struct rect){r.row + 1, r.column + 2, rows - 2, columns - 4};
}

static const char *title_of(const struct app *a) {
    switch (a->popup.kind) {
    case POPUP_SORT:
        return _("Sort by");
    case POPUP_COLUMNS:
        return _("Columns");
    case POPUP_CHOICES:
        return _(field_table()[a->form.field].label);
    case POPUP_WORKLOADS:
        return _("Saved workloads");
    case POPUP_ASSUMPTIONS:
        return _("What was assumed");
    case POPUP_FILTERS:
        return _("Saved filters");
    case POPUP_LOG:
        return _("Messages");
    default:
        return "";
    }
}

static const char *hint_of(const struct app *a) {
    switch (a->popup.kind) {
    case POPUP_SORT:
        return _("Enter sorts, again turns it round");
    case POPUP_COLUMNS:
        return _("Space shows or hides");
    case POPUP_ASSUMPTIONS:
        return _("Enter changes the value");
    case POPUP_FILTERS:
        return _("Enter takes, Del drops, Esc leaves");
    case POPUP_LOG:
        return _("letters narrow the list; Esc leaves");
    default:
        return _("letters narrow the list; Enter takes, Esc leaves");
    }
}

/* ---- one line ---- */

static void draw_column_item(const struct app *a, struct canvas *c, struct rect r, int item) {
    size_t count;
    const struct column *column = item < 0 ? NULL : &column_table(&count)[item];
    bool sorts = a->popup.kind == POPUP_SORT, on = sorts ? a->sort.column == column : column && !a->hidden[item];
    struct buf b = {0};
    const char *name = !column ? _("ranking") : column->label ? _(column->label) : column->key;
    const char *turned =
        sorts && on && column ? (column->descending != a->sort.turned ? " \342\226\274" : " \342\226\262") : "";
    buf_printf(&b, sorts ? "(%s) %s%s" : "[%s] %s%s", on ? (sorts ? "\342\200\242" : "x") : " ", name, turned);
    int used = canvas_text(c, r.row, r.column, r.columns, ROLE_TEXT, b.data);
    const char *about = column ? _(column->about) : _("class, goal, then the simplest");
    int at = used < 26 ? 26 : used + 2;
    canvas_text(c, r.row, r.column + at, r.columns - at, ROLE_DIM, about);
    buf_free(&b);
}

static void draw_choice(const struct app *a, struct canvas *c, struct rect r, int item) {
    const char *name = popup_name(a, item);
    int used = canvas_text(c, r.row, r.column, r.columns, ROLE_TEXT, name), at = used < 22 ? 22 : used + 2;
    if (a->form.field == FIELD_PRESET && preset_about(name))
        canvas_text(c, r.row, r.column + at, r.columns - at, ROLE_DIM, preset_about(name));
}

static void draw_assumption(const struct app *a, struct canvas *c, struct rect r, int item, bool selected) {
    const struct assumptions *as = &a->stated.assumptions;
    const struct assumption *row = &assume_table()[item];
    char low[24], expected[24], high[24];
    int half = r.columns / 2;
    num_format_plain(low, sizeof low, as->v[item].low, 4);
    num_format_plain(expected, sizeof expected, as->v[item].expected, 4);
    num_format_plain(high, sizeof high, as->v[item].high, 4);
    canvas_text(c, r.row, r.column, half - 1, ROLE_TEXT, row->key);
    if (selected && a->prompt.kind == PROMPT_ASSUMPTION) {
        canvas_text(c, r.row, r.column + half, r.columns - half, prompt_role(&a->prompt), a->prompt.text);
        canvas_cursor(c, r.row, r.column + half + (int)a->prompt.caret);
        return;
    }
    canvas_printf(c, r.row, r.column + half, r.columns - half,
                  as->source[item] == PROVENANCE_ASSUMED ? ROLE_ASSUMED : ROLE_FIELD, "%s (%s\342\200\223%s) %s  %s",
                  expected, low, high, strcmp(row->unit, "1") == 0 ? "" : row->unit,
                  provenance_name((enum provenance)as->source[item]));
}

static void draw_filter(const struct app *a, struct canvas *c, struct rect r, int item) {
    if (item < 0)
        canvas_printf(c, r.row, r.column, r.columns, ROLE_PROMPT, _("keep: %s"), a->filter);
    else
        canvas_text(c, r.row, r.column, r.columns, ROLE_TEXT, a->notes->filters[item]);
}

static void draw_logged(const struct app *a, struct canvas *c, struct rect r, int item) {
    struct buf b = {0};
    message_text(&b, a, &a->notes->log[item]);
    canvas_text(c, r.row, r.column, r.columns, role_of_message(a->notes->log[item].kind), b.data ? b.data : "");
    buf_free(&b);
}

static void draw_item(const struct app *a, struct canvas *c, struct rect r, int line) {
    int item = a->popup.items[line];
    bool selected = line == a->popup.cursor;
    const struct rect inner = {r.row, r.column + 2, 1, r.columns - 2};
    switch (a->popup.kind) {
    case POPUP_SORT:
    case POPUP_COLUMNS:
        draw_column_item(a, c, inner, item);
        break;
    case POPUP_ASSUMPTIONS:
        draw_assumption(a, c, inner, item, selected);
        break;
    case POPUP_CHOICES:
        draw_choice(a, c, inner, item);
        break;
    case POPUP_FILTERS:
        draw_filter(a, c, inner, item);
        break;
    case POPUP_LOG:
        draw_logged(a, c, inner, item);
        break;
    default:
        canvas_text(c, inner.row, inner.column, inner.columns, ROLE_TEXT, popup_name(a, item));
    }
    if (selected && a->prompt.kind == PROMPT_NONE) {
        canvas_role(c, r, ROLE_CURSOR);
        canvas_text(c, r.row, r.column, 1, ROLE_CURSOR, ">");
        canvas_cursor(c, r.row, r.column);
    }
    canvas_tag(c, r, TAG_CHOICE, line);
}

/* ---- the box ---- */

static struct viewport draw_list(const struct app *a, struct canvas *c) {
    const struct popup *p = &a->popup;
    static const int widest = 76, frame = 4 /* edges, hint, what is typed */;
    struct rect r = box_draw(c, widest, p->count + frame, title_of(a));
    int page = r.rows > 2 ? r.rows - 2 : r.rows,
        top = (int)list_top((size_t)p->top, (size_t)p->cursor, (size_t)(page > 0 ? page : 1), (size_t)p->count);
    for (int i = 0; i < page && top + i < p->count; i++)
        draw_item(a, c, (struct rect){r.row + i, r.column, 1, r.columns}, top + i);
    if (r.rows > 2 && p->typed_len > 0)
        canvas_printf(c, r.row + r.rows - 2, r.column, r.columns, p->count > 0 ? ROLE_PROMPT : ROLE_PROMPT_FAILED, "%s",
                      p->typed);
    if (r.rows > 2)
        canvas_text(c, r.row + r.rows - 1, r.column, r.columns, ROLE_DIM, hint_of(a));
    return (struct viewport){.page = page > 0 ? page : 1};
}

struct viewport popup_draw(const struct app *a, struct canvas *c) {
    if (a->popup.kind == POPUP_HELP) {
        static const int columns = 100;
        return help_draw(a, c, box_draw(c, columns, c->rows, _("Help: / looks for a word, any other key returns")));
    }
    return draw_list(a, c);
}
