/* SPDX-License-Identifier: MIT */
/* The table of actions. A later screen adds its rows here and its bit to the shared ones. */
#include "gpuplan/app/action.h"

#include "gpuplan/base/i18n.h"
#include "screen.h"

enum {
    RANK = ON_RANK,
    WORKLOAD = ON_WORKLOAD,
    EXPLAIN = ON_EXPLAIN,
    EVERYWHERE = ON_EVERY,
    CAN_UNDO = ON_EVERY /* what is stated shows on every screen */,
    WALKS = ON_EXPLAIN | ON_WHATIF | ON_TOPOLOGY /* show one offer: that of the ranking's cursor */,
    HAS_OFFER = ON_RANK | ON_MAP | WALKS,
    NO_FORM = ON_EVERY & ~ON_WORKLOAD
};
#define F(n) (KEY_CODE_F1 + (n)-1)

/* ---- when ---- */

static bool has_offer(const struct app *a) {
    return a->list.id != NULL;
}
static bool has_marks(const struct app *a) {
    return a->list.mark_count > 0;
}
static bool has_find(const struct app *a) {
    return a->find[0] != '\0';
}
static bool on_field(const struct app *a) {
    const struct form_row *row = form_row_at(a);
    return row && row->kind == FORM_FIELD;
}
static bool can_undo(const struct app *a) {
    return a->history.at > 0;
}
static bool can_redo(const struct app *a) {
    return a->history.at < a->history.count;
}
static bool has_trace(const struct app *a) {
    return a->explained.found && a->explained.trace.count > 0;
}
static bool can_export(const struct app *a) {
    return screen_now(a)->put && (a->list.id || a->screen == SCREEN_SOURCES);
}
static bool keeps_workloads(const struct app *a) {
    return a->workload_dir != NULL;
}

/* ---- what ---- */

static void go_rank(struct app *a) {
    app_go(a, SCREEN_RANK);
}
static void go_workload(struct app *a) {
    app_go(a, SCREEN_WORKLOAD);
}
static void go_explain(struct app *a) {
    app_go(a, SCREEN_EXPLAIN);
}
static void go_sources(struct app *a) {
    app_go(a, SCREEN_SOURCES);
}
static void go_by(struct app *a, int by) {
    int to = a->screen;
    do
        to = (to + SCREEN_COUNT + by) % SCREEN_COUNT;
    while (!screen_at((enum app_screen)to) || screen_at((enum app_screen)to)->aside);
    app_go(a, (enum app_screen)to);
}
static void go_next(struct app *a) {
    go_by(a, 1);
}
static void go_previous(struct app *a) {
    go_by(a, -1);
}
static void go_back(struct app *a) {
    app_back(a, false);
}
static void escape(struct app *a) {
    app_back(a, true);
}
static void quit(struct app *a) {
    a->done = true;
}

/* The one thing on the screen that moves: cursor of the list, of the form, or the text. */
static void move(struct app *a, long by) {
    screen_now(a)->move(a, by);
}
static void move_up(struct app *a) {
    move(a, -1);
}
static void move_down(struct app *a) {
    move(a, 1);
}
static void page_up(struct app *a) {
    move(a, -app_page(a));
}
static void page_down(struct app *a) {
    move(a, app_page(a));
}
static void half_up(struct app *a) {
    move(a, -(app_page(a) + 1) / 2);
}
static void half_down(struct app *a) {
    move(a, (app_page(a) + 1) / 2);
}
static const long far_away = 1 << 30;
static void move_top(struct app *a) {
    move(a, -far_away);
}
static void move_bottom(struct app *a) {
    move(a, far_away);
}

static void explain_it(struct app *a) {
    app_go(a, SCREEN_EXPLAIN);
}
static void open_find(struct app *a) {
    prompt_open(a, PROMPT_FIND, "");
}
static void find_again(struct app *a, int direction) {
    find_text(a, a->find, find_place(a) + (size_t)direction, direction);
}
static void find_next(struct app *a) {
    find_again(a, 1);
}
static void find_previous(struct app *a) {
    find_again(a, -1);
}
static void open_filter(struct app *a) {
    prompt_open(a, PROMPT_FILTER, a->filter);
}
static void open_command(struct app *a) {
    prompt_open(a, PROMPT_COMMAND, "");
}
static void open_sort(struct app *a) {
    popup_open(a, POPUP_SORT);
}
static void open_columns(struct app *a) {
    popup_open(a, POPUP_COLUMNS);
}
static void open_filters(struct app *a) {
    popup_open(a, POPUP_FILTERS);
}
static void open_log(struct app *a) {
    popup_open(a, POPUP_LOG);
}
static void open_help(struct app *a) {
    popup_open(a, POPUP_HELP);
}
static void invert(struct app *a) {
    if (!a->sort.column) { /* the worst first helps nobody */
        app_say(a, MESSAGE_NO_COLUMN, "");
        return;
    }
    a->sort.turned = !a->sort.turned;
    run_resort(a);
}
static void next_part(struct app *a) {
    app_scroll_part(a, 1);
}
static void previous_part(struct app *a) {
    app_scroll_part(a, -1);
}
static void change_goal(struct app *a) {
    app_change_goal(a, 1);
}
static void toggle_follow(struct app *a) {
    a->follow = !a->follow;
    app_say(a, MESSAGE_FOLLOW, "");
    a->message.n = a->follow;
}
static void toggle_mouse(struct app *a) {
    a->mouse = !a->mouse;
    a->request = a->mouse ? APP_REQUEST_MOUSE_ON : APP_REQUEST_MOUSE_OFF;
    app_say(a, MESSAGE_MOUSE, "");
    a->message.n = a->mouse;
}
static void redraw(struct app *a) {
    a->request = APP_REQUEST_REDRAW;
    a->changed = true;
}
static void suspend(struct app *a) {
    a->request = APP_REQUEST_SUSPEND;
}
static void undo(struct app *a) {
    history_undo(a, -1);
}
static void redo(struct app *a) {
    history_undo(a, 1);
}
static void pick(struct app *a) {
    app_pick(a);
}
static void save_as(struct app *a) {
    prompt_open(a, PROMPT_SAVE, a->stated.workload.v[FIELD_PRESET].text);
}
static void export_as(struct app *a) {
    prompt_open(a, PROMPT_EXPORT, screen_now(a)->file);
}
static void open_workloads(struct app *a) {
    popup_open(a, POPUP_WORKLOADS);
}
static void open_assumptions(struct app *a) {
    popup_open(a, POPUP_ASSUMPTIONS);
}
static void next_field(struct app *a) {
    form_move(a, 1);
}
static void previous_field(struct app *a) {
    form_move(a, -1);
}
static void next_value(struct app *a) {
    form_step(a, 1);
}
static void previous_value(struct app *a) {
    form_step(a, -1);
}
static void columns_left(struct app *a) {
    a->shift -= a->shift > 0;
}
static void columns_right(struct app *a) {
    a->shift += a->shift < COLUMN_MAX_SHOWN;
}
static void walk_next(struct app *a) {
    screen_walk(a, 1);
}
static void walk_previous(struct app *a) {
    screen_walk(a, -1);
}

static const struct action shared[] = {
    /* TRANSLATORS: labels of the key bar have at most 8 columns */
    {"help", {F(1), '?'}, N_("Help"), N_("this help"), EVERYWHERE, NULL, open_help},
    {"rank.explain",
     {KEY_CODE_ENTER},
     N_("Explain"),
     N_("why the offer has these numbers"),
     RANK,
     has_offer,
     explain_it},
    {"rank.columns", {F(2), '|'}, NULL, N_("choose the columns"), RANK, NULL, open_columns},
    {"find",
     {F(3), '/'},
     N_("Find"),
     N_("find an offer or a field as you type"),
     RANK | WORKLOAD | ON_MAP,
     find_possible,
     open_find},
    {"find-next", {'n'}, NULL, N_("the next one found"), RANK | WORKLOAD | ON_MAP, has_find, find_next},
    {"find-previous", {'N'}, NULL, N_("the one found before"), RANK | WORKLOAD | ON_MAP, has_find, find_previous},
    {"rank.filter",
     {F(4), '\\'},
     N_("Filter"),
     N_("show only some offers, such as gpus>=8 and vram>=80"),
     RANK | ON_MAP,
     NULL,
     open_filter},
    {"rank.filters",
     {'&'},
     NULL,
     N_("saved filters: take one, or keep the one that is set; Del drops one"),
     RANK | ON_MAP,
     NULL,
     open_filters},
    {"read-again", {F(5), 'r'}, N_("Reload"), N_("read the listings again"), HAS_OFFER, NULL, reader_start},
    {"rank.sort-menu", {F(6), 's', '<', '>'}, N_("Sort"), N_("order by another column"), RANK, NULL, open_sort},
    {"rank.invert", {'I'}, NULL, N_("turn the order round"), RANK, NULL, invert},
    {"goal",
     {'o'},
     N_("Goal"),
     N_("rank by cost, by time, or by what an hour is worth"),
     RANK | WORKLOAD | ON_MAP,
     NULL,
     change_goal},
    {"rank.unfold",
     {'+'},
     NULL,
     N_("show every offer of a group, or fold it again"),
     RANK,
     list_can_unfold,
     list_unfold},
    {"rank.mark", {' '}, NULL, N_("mark the offer"), RANK | ON_MAP, has_offer, list_mark},
    {"rank.unmark-all", {'U'}, NULL, N_("remove all marks"), RANK | ON_MAP, has_marks, list_unmark_all},
    {"rank.columns-left",
     {KEY_CODE_LEFT, 'h'},
     NULL,
     N_("bring the columns on the left back"),
     RANK,
     NULL,
     columns_left},
    {"rank.columns-right", {KEY_CODE_RIGHT, 'l'}, NULL, N_("see the columns on the right"), RANK, NULL, columns_right},
    {"rank.follow",
     {'F'},
     NULL,
     N_("keep the cursor on its offer when the order changes, or on its row"),
     RANK,
     NULL,
     toggle_follow},

    {"form.open",
     {KEY_CODE_ENTER, '='},
     N_("Edit"),
     N_("open the field; then everything types"),
     WORKLOAD,
     NULL,
     form_open},
    {"form.next", {KEY_CODE_TAB}, NULL, N_("next field"), WORKLOAD, NULL, next_field},
    {"form.previous", {KEY_CODE_BACK_TAB}, NULL, N_("previous field"), WORKLOAD, NULL, previous_field},
    {"form.next-value", {KEY_CODE_RIGHT, 'l', ' '}, NULL, N_("next value of the field"), WORKLOAD, NULL, next_value},
    {"form.previous-value",
     {KEY_CODE_LEFT, 'h'},
     NULL,
     N_("value of the field before"),
     WORKLOAD,
     NULL,
     previous_value},
    {"form.clear",
     {KEY_CODE_DELETE, KEY_CODE_BACKSPACE, 'x'},
     N_("Clear"),
     N_("empty the field: it is assumed again"),
     WORKLOAD,
     on_field,
     form_clear},
    {"workload.load", {'[', ']'}, N_("Load"), N_("open a saved workload"), WORKLOAD, keeps_workloads, open_workloads},
    {"workload.save",
     {F(9), 'e'},
     N_("Save"),
     N_("save the workload under a name"),
     WORKLOAD,
     keeps_workloads,
     save_as},
    {"undo", {'u'}, N_("Undo"), N_("take the last edit back"), CAN_UNDO, can_undo, undo},
    {"redo", {KEY_CTRL('R')}, NULL, N_("make it again"), CAN_UNDO, can_redo, redo},

    {"explain.assumptions",
     {'a', KEY_CODE_ENTER},
     N_("Assumed"),
     N_("see and change what was assumed"),
     EXPLAIN,
     has_trace,
     open_assumptions},
    {"explain.previous", {'['}, N_("Previous"), N_("the offer before in the ranking"), WALKS, NULL, walk_previous},
    {"explain.next", {']'}, N_("Next"), N_("the next offer of the ranking"), WALKS, NULL, walk_next},
    {"explain.next-part", {KEY_CODE_RIGHT, 'l'}, NULL, N_("to the next part"), EXPLAIN, NULL, next_part},
    {"explain.previous-part", {KEY_CODE_LEFT, 'h'}, NULL, N_("to the part before"), EXPLAIN, NULL, previous_part},
    {"explain.mark", {' '}, NULL, N_("mark the offer"), EXPLAIN, has_offer, list_mark},

    {"export", {F(9), 'e'}, N_("Save"), N_("save as text, CSV, JSON or Markdown"), NO_FORM, can_export, export_as},
    {"pick", {'y'}, NULL, N_("print the offer's id when the program ends"), HAS_OFFER, has_offer, pick},
};

static const struct action screens[] = {
    {"screen.rank", {'1'}, NULL, N_("the ranking"), EVERYWHERE, NULL, go_rank},
    {"screen.workload", {'2'}, NULL, N_("the workload"), EVERYWHERE, NULL, go_workload},
    {"screen.explain", {'3'}, NULL, N_("one offer in full"), EVERYWHERE, NULL, go_explain},
    {"screen.sources", {'7'}, NULL, N_("files and fetches"), EVERYWHERE, NULL, go_sources},
};

static const struct action everywhere[] = {
    {"screen.next", {KEY_CODE_TAB}, NULL, N_("next screen"), NO_FORM, NULL, go_next},
    {"screen.previous", {KEY_CODE_BACK_TAB}, NULL, N_("previous screen"), NO_FORM, NULL, go_previous},
    {"move.up", {KEY_CODE_UP, 'k'}, NULL, N_("up"), EVERYWHERE, NULL, move_up},
    {"move.down", {KEY_CODE_DOWN, 'j'}, NULL, N_("down"), EVERYWHERE, NULL, move_down},
    {"move.page-up", {KEY_CODE_PAGE_UP}, NULL, N_("a page up"), EVERYWHERE, NULL, page_up},
    {"move.page-down", {KEY_CODE_PAGE_DOWN}, NULL, N_("a page down"), EVERYWHERE, NULL, page_down},
    {"move.half-up", {KEY_CTRL('U')}, NULL, N_("half a page up"), EVERYWHERE, NULL, half_up},
    {"move.half-down", {KEY_CTRL('D')}, NULL, N_("half a page down"), EVERYWHERE, NULL, half_down},
    {"move.top", {KEY_CODE_HOME, 'g'}, NULL, N_("to the top"), EVERYWHERE, NULL, move_top},
    {"move.bottom", {KEY_CODE_END, 'G'}, NULL, N_("to the end"), EVERYWHERE, NULL, move_bottom},
    {"messages", {'m'}, NULL, N_("what was said, the last first"), EVERYWHERE, NULL, open_log},
    {"command", {':'}, NULL, N_("run an action by its name"), EVERYWHERE, NULL, open_command},
    {"mouse",
     {'M'},
     NULL,
     N_("mouse on or off (Shift-drag selects text in either case)"),
     EVERYWHERE,
     NULL,
     toggle_mouse},
    {"redraw", {KEY_CTRL('L')}, NULL, N_("draw the screen anew"), EVERYWHERE, NULL, redraw},
    {"suspend", {KEY_CTRL('Z')}, NULL, N_("suspend the program"), EVERYWHERE, NULL, suspend},
    {"escape",
     {KEY_CODE_ESCAPE},
     NULL,
     N_("leave a prompt, clear the filter, go back; twice at the top: quit"),
     EVERYWHERE,
     NULL,
     escape},
    {"back", {'q'}, N_("Back"), N_("back; at the ranking: quit"), ON_EVERY & ~ON_RANK, NULL, go_back},
    {"rank.quit", {'q'}, NULL, N_("quit"), RANK, NULL, quit},
    {"quit", {F(10), 'Q'}, N_("Quit"), N_("quit from anywhere"), EVERYWHERE, NULL, quit},
};

/* ---- the table: shared actions, those of each screen, and what is the same everywhere; the way out stands last ---- */

enum { ACTIONS_MAX = 192 };
static struct action actions[ACTIONS_MAX];
static size_t action_count;

static void add(const struct action *group, size_t count) {
    for (size_t i = 0; i < count && action_count < ACTIONS_MAX; i++)
        actions[action_count++] = group[i];
}
#define ADD(group) add(group, sizeof group / sizeof group[0])

const struct action *action_table(size_t *count) {
    if (action_count == 0) {
        ADD(shared);
        ADD(screens);
        for (int i = 0; i < SCREEN_COUNT; i++)
            if (screen_at((enum app_screen)i))
                add(screen_at((enum app_screen)i)->actions, screen_at((enum app_screen)i)->action_count);
        ADD(everywhere);
    }
    *count = action_count;
    return actions;
}

bool action_enabled(const struct app *a, const struct action *action) {
    return (action->screens & 1u << a->screen) && (!action->enabled || action->enabled(a));
}

const struct action *action_for_key(const struct app *a, int key) {
    size_t count;
    const struct action *table = action_table(&count);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < ACTION_KEYS && table[i].keys[k]; k++)
            if (table[i].keys[k] == key && action_enabled(a, &table[i]))
                return &table[i];
    return NULL;
}
