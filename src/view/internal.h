/* SPDX-License-Identifier: MIT */
/* What the screens share. Everything draws into the rectangle it is given and nowhere else. */
#ifndef GPUPLAN_SRC_VIEW_INTERNAL_H
#define GPUPLAN_SRC_VIEW_INTERNAL_H

#include "app/state.h"
#include "gpuplan/base/buf.h"
#include "gpuplan/view/view.h"

/* Below this a screen is one line of the selected offer and the message. */
enum { SMALLEST_COLUMNS = 40, SMALLEST_ROWS = 8 };

/* One row a screen; draw NULL: it is not built. */
struct view_screen {
    const char *name, *hint; /* N_(); hint: what one can do here, where there is nothing else to say */
    struct viewport (*draw)(const struct app *a, struct canvas *c, const struct view_layout *l);
};
struct viewport view_rank(const struct app *a, struct canvas *c, const struct view_layout *l);
struct viewport view_workload(const struct app *a, struct canvas *c, const struct view_layout *l);
struct viewport view_topology(const struct app *a, struct canvas *c, const struct view_layout *l);
struct viewport view_sources(const struct app *a, struct canvas *c, const struct view_layout *l);
struct viewport view_whatif(const struct app *a, struct canvas *c, const struct view_layout *l);
struct viewport view_map(const struct app *a, struct canvas *c, const struct view_layout *l);
struct viewport view_compare(const struct app *a, struct canvas *c, const struct view_layout *l);
struct viewport view_explain(const struct app *a, struct canvas *c, const struct view_layout *l);
const struct view_screen *view_screens(void);

/* frame.c: what stands around every screen */
void frame_tabs(const struct app *a, struct canvas *c, struct rect r);
void frame_title(const struct app *a, struct canvas *c, struct rect r);
void frame_keys(const struct app *a, struct canvas *c, struct rect r);
void put_age(struct buf *b, const struct app *a, int64_t observed_at);

/* message.c */
void message_draw(const struct app *a, struct canvas *c, struct rect r); /* the open prompt, or the last message */
enum role role_of_message(enum message_kind kind);
void message_text(struct buf *b, const struct app *a, const struct message *m);
void put_figures_change(struct buf *b, const struct app *a, const struct figures *from, const struct figures *to);

enum role prompt_role(const struct prompt *p); /* of a value that is typed where it stands */

/* popup.c, help.c */
struct viewport popup_draw(const struct app *a, struct canvas *c);
struct viewport help_draw(const struct app *a, struct canvas *c, struct rect r);
/* A box with a title in the middle of the screen, emptied; returns its inside. */
struct rect box_draw(struct canvas *c, int columns, int rows, const char *title);

/* detail.c */
struct page;
void detail_text(const struct app *a,
                 struct buf *b); /* the selected offer in a few sentences; the recommendation for the best */
void detail_panel(const struct app *a, struct canvas *c, struct rect r);
void detail_memory(struct page *p, const struct candidate *c);
void detail_step(struct page *p, const struct app *a, const struct candidate *c);
void detail_cost(struct page *p, const struct candidate *c);
enum role role_of_fit(const struct candidate *c);

/*
 * page.c: a text of many lines of which a rectangle shows some. Lines are counted as they are written and drawn only where
 * they fall into it, so that a dry run (canvas NULL) measures the same text.
 */
struct page {
    struct canvas *c;
    struct rect r;
    int first, line;                           /* the line on top; the next to be written */
    int part_count, part_line[VIEW_PARTS_MAX]; /* where the headings stand */
};
int page_row(struct page *p); /* row on the canvas of the next line, which counts as written; -1: not in sight */
void page_line(struct page *p, enum role role, const char *text);
void page_wrap(struct page *p, enum role role, int indent, const char *text);
void page_heading(struct page *p, const char *text);
void page_blank(struct page *p);
void page_pair(struct page *p, const char *label, enum role role, const char *value);
/* label, value and share, and a bar of value against max. */
void page_bar(struct page *p, const char *label, double value, double max, double whole, enum num_unit unit,
              enum role role);
enum { PAGE_LABEL = 24 };

#endif
