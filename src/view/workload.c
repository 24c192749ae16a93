/* SPDX-License-Identifier: MIT */
/* Screen 2: the form. What nobody stated is shown as assumed; the open field stands out. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/sentence.h"
#include "internal.h"

enum { VALUE_AT = 30, HELP_ROWS = 2 };

static const char *section_name(int section) {
    static const char *const names[SECTION_COUNT] = {
        [SECTION_JOB] = N_("The job"),
        [SECTION_LIMITS] = N_("What counts"),
        [SECTION_WORK] = N_("The work"),
        [SECTION_MACHINE] = N_("The machine"),
        [SECTION_MODEL] = N_("The model in detail"),
        [SECTION_LAYOUT] = N_("The split over GPUs"),
    };
    return _(names[section]);
}

static int value_column(const struct rect r) {
    return r.columns >= 2 * VALUE_AT ? VALUE_AT : r.columns / 2;
}

/* What is typed where it stands, with the caret. */
static void draw_open(const struct app *a, struct canvas *c, int row, int at, int columns) {
    struct buf before = {0};
    const struct prompt *p = &a->prompt;
    buf_put(&before, p->text, p->caret);
    int caret = text_width(before.data ? before.data : "");
    const char *text = p->text;
    while (caret >= columns && *text) {
        uint32_t code_point;
        text += text_decode(text, &code_point);
        caret -= text_char_width(code_point);
    }
    canvas_fill(c, (struct rect){row, at, 1, columns < 24 ? columns : 24}, ROLE_FIELD_OPEN, ' ');
    canvas_text(c, row, at, columns, prompt_role(p), text);
    canvas_cursor(c, row, at + caret);
    buf_free(&before);
}

static void draw_value(const struct app *a, struct canvas *c, int row, int at, int columns, enum field_id id) {
    char text[TEXT_MAX];
    struct buf b = {0};
    size_t choices;
    enum form_source source = form_value(a, id, text, sizeof text);
    bool chosen = form_choices(a, id, &choices) != NULL;
    buf_printf(&b, chosen && source != FORM_EMPTY ? "\342\200\271 %s \342\200\272" : "%s",
               source == FORM_EMPTY ? "-" : text);
    int used = canvas_text(c, row, at, columns, source == FORM_STATED ? ROLE_FIELD : ROLE_ASSUMED, b.data);
    bool computed = id == FIELD_TOKENS || id == FIELD_STEPS;
    const char *const whys[] = {"", "", _("from the preset"), _("assumed"),
                                computed                                 ? _("computed")
                                : field_table()[id].group == GROUP_MODEL ? _("of the model")
                                                                         : _("default")};
    const char *why = whys[source];
    if (columns - used > 3)
        canvas_text(c, row, at + used + 2, columns - used - 2, ROLE_DIM, why);
    buf_free(&b);
}

static void draw_field(const struct app *a, struct canvas *c, struct rect r, const struct form_row *line,
                       bool selected) {
    int at = r.column + value_column(r), columns = r.column + r.columns - at;
    canvas_text(c, r.row, r.column + 2, at - r.column - 3, ROLE_TEXT, _(field_table()[line->value].label));
    if (selected && a->prompt.kind == PROMPT_FIELD)
        draw_open(a, c, r.row, at, columns);
    else
        draw_value(a, c, r.row, at, columns, (enum field_id)line->value);
}

static void draw_goal(const struct app *a, struct canvas *c, struct rect r) {
    int at = r.column + value_column(r);
    canvas_text(c, r.row, r.column + 2, at - r.column - 3, ROLE_TEXT, _("Goal"));
    for (int g = 0; g < GOAL_COUNT; g++) {
        struct buf b = {0};
        buf_printf(&b, "(%s) %s", (int)a->goal == g ? "\342\200\242" : " ", goal_name((enum goal)g));
        at += canvas_text(c, r.row, at, r.column + r.columns - at, (int)a->goal == g ? ROLE_FIELD : ROLE_TEXT, b.data) +
              2;
        buf_free(&b);
    }
}

static void draw_line(const struct app *a, struct canvas *c, struct rect r, int i) {
    const struct form_row *line = &a->form.rows[i];
    bool selected = i == a->form.cursor;
    switch (line->kind) {
    case FORM_HEADING:
        canvas_text(c, r.row, r.column, r.columns, ROLE_HEADER, section_name(line->value));
        return;
    case FORM_MORE:
        canvas_text(c, r.row, r.column + 2, r.columns - 2, ROLE_TEXT,
                    a->form.advanced ? _("Advanced (Enter hides it)") : _("Advanced\342\200\246 (Enter shows it)"));
        break;
    case FORM_GOAL:
        draw_goal(a, c, r);
        break;
    case FORM_FIELD:
        draw_field(a, c, r, line, selected);
        break;
    }
    if (selected) {
        canvas_text(c, r.row, r.column, 1, ROLE_CURSOR, ">");
        canvas_role(c, (struct rect){r.row, r.column, 1, value_column(r) - 1}, ROLE_CURSOR);
        if (a->prompt.kind == PROMPT_NONE)
            canvas_cursor(c, r.row, r.column);
    }
    canvas_tag(c, r, TAG_FIELD, i);
}

/* ---- below and beside the form ---- */

static void put_field_help(struct buf *b, const struct app *a) {
    const struct form_row *line = form_row_at(a);
    if (!line || line->kind == FORM_HEADING)
        return;
    if (line->kind == FORM_GOAL)
        buf_puts(b, _("what the ranking goes by: dollars, hours, or dollars plus what an hour of waiting is worth"));
    else if (line->kind == FORM_MORE)
        buf_puts(b, _("needs of the machine, the model in detail, pins of the split"));
    else
        buf_puts(b, _(field_table()[line->value].help));
}

static void draw_help(const struct app *a, struct canvas *c, struct rect r) {
    struct buf b = {0};
    put_field_help(&b, a);
    const struct form_row *line = form_row_at(a);
    const char *preset = a->stated.workload.v[FIELD_PRESET].text;
    if (line && line->kind == FORM_FIELD && line->value == FIELD_PRESET && preset_about(preset))
        buf_printf(&b, " \302\267 %s", preset_about(preset));
    canvas_hline(c, r.row, r.column, r.columns);
    canvas_wrap(c, (struct rect){r.row + 1, r.column, r.rows - 1, r.columns}, 0, ROLE_DIM, b.data ? b.data : "");
    buf_free(&b);
}

enum { TOP_ROWS = 5 };

static void put_top(struct page *p, const struct app *a) {
    static const char *const keys[] = {"rank", "gpu", "cost_usd", "fit"};
    const struct question *q = ranking_question(a->shown->ranking);
    page_heading(p, _("The best now"));
    for (size_t i = 0; i < TOP_ROWS && i < a->list.count; i++) {
        struct candidate c;
        struct buf b = {0};
        if (!list_candidate(a, i, &c) || !c.shape.gpu)
            continue;
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            if (k > 0)
                buf_puts(&b, k == 2 ? "  $" : "  ");
            column_put(column_find(keys[k]), &b, q, &c);
        }
        page_line(p, role_of_fit(&c) == ROLE_BAD ? ROLE_DIM : ROLE_TEXT, b.data);
        buf_free(&b);
    }
}

static void draw_side(const struct app *a, struct canvas *c, struct rect r) {
    struct candidate best;
    canvas_vline(c, r.row, r.column, r.rows);
    struct page p = {.c = c, .r = {r.row, r.column + 2, r.rows, r.columns - 2}};
    if (!a->shown || !list_candidate(a, 0, &best) || !best.shape.gpu)
        return;
    put_top(&p, a);
    page_blank(&p);
    page_heading(&p, _("Memory of a GPU, on the best"));
    detail_memory(&p, &best);
    if (a->message.from.known && a->message.to.known) {
        struct buf b = {0};
        page_blank(&p);
        page_heading(&p, _("What the last edit changed"));
        put_figures_change(&b, a, &a->message.from, &a->message.to);
        page_wrap(&p, ROLE_TEXT, 0, b.data ? b.data : "");
        buf_free(&b);
    }
}

struct viewport view_workload(const struct app *a, struct canvas *c, const struct view_layout *l) {
    struct rect r = l->body;
    int help = r.rows > 3 * HELP_ROWS ? HELP_ROWS + 1 : 0, page = r.rows - help;
    if (l->side.rows > 0)
        draw_side(a, c, l->side);
    if (help > 0)
        draw_help(a, c, (struct rect){r.row + page, r.column, help, r.columns});
    int top = (int)list_top((size_t)a->form.top, (size_t)a->form.cursor, (size_t)page, (size_t)a->form.count);
    if (a->form.cursor == 1)
        top = 0; /* the heading above the first field */
    for (int i = 0; i < page && top + i < a->form.count; i++)
        draw_line(a, c, (struct rect){r.row + i, r.column, 1, r.columns}, top + i);
    return (struct viewport){.page = page};
}
