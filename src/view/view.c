/* SPDX-License-Identifier: MIT */
#include "gpuplan/view/view.h"

#include "gpuplan/base/i18n.h"
#include "internal.h"

static const struct view_screen screens[SCREEN_COUNT] = {
    [SCREEN_RANK] = {N_("Rank"), N_("Enter explains the offer, 2 changes the workload, ? shows all keys."), view_rank},
    [SCREEN_WORKLOAD] = {N_("Workload"),
                         N_("Enter opens a field, arrows change it; every change ranks anew. u takes it back."),
                         view_workload},
    [SCREEN_EXPLAIN] = {N_("Explain"), N_("[ and ] walk the ranking, a changes what was assumed, Esc goes back."),
                        view_explain},
    [SCREEN_WHATIF] = {N_("What-if"),
                       N_("arrows choose a column, v varies another thing, Space pins, [ ] other offers"), view_whatif},
    [SCREEN_MAP] = {N_("Map"), N_("arrows go to the nearest offer, Enter explains it, [ ] walk the frontier"),
                    view_map},
    [SCREEN_TOPOLOGY] = {N_("Topology"),
                         N_("o opens what a machine says of itself, [ and ] walk, x puts it away."),
                         view_topology},
    [SCREEN_SOURCES] = {N_("Sources"), N_("f fetches the source, F5 all; Enter shows what was left out and why."),
                        view_sources},
    [SCREEN_COMPARE] = {N_("Compare"),
                        N_("arrows choose an offer, d leaves it out, Esc goes back; the best of a row has a mark"),
                        view_compare},
};

const struct view_screen *view_screens(void) {
    return screens;
}

/* No room for a screen: what the cursor is on, as much of it as there is room for. */
static struct viewport draw_small(const struct app *a, struct canvas *c, const struct view_layout *l) {
    struct buf b = {0};
    detail_text(a, &b);
    canvas_wrap(c, l->body, 0, ROLE_TEXT, b.data ? b.data : "");
    buf_free(&b);
    return (struct viewport){.page = l->body.rows};
}

struct viewport view_draw(const struct app *a, struct canvas *c) {
    const struct view_layout l = view_layout(c->columns, c->rows);
    canvas_clear(c);
    struct viewport shown;
    if (l.tabs.rows == 0) {
        shown = draw_small(a, c, &l);
    } else {
        frame_tabs(a, c, l.tabs);
        frame_title(a, c, l.title);
        shown = screens[a->screen].draw(a, c, &l);
        frame_keys(a, c, l.keys);
    }
    if (a->popup.kind != POPUP_NONE)
        shown = popup_draw(a, c);
    message_draw(a, c, l.message);
    return shown;
}

void view_picture(const struct app *a, struct buf *out) {
    struct canvas c;
    canvas_init(&c);
    c.ascii = a->ascii;
    canvas_resize(&c, a->columns, a->rows);
    view_draw(a, &c);
    canvas_to_text(&c, out);
    canvas_free(&c);
}
