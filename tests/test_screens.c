/* SPDX-License-Identifier: MIT */
/* What one does on the screens after the first three: by keys, on a listing of our own. */
#include "screen_support.h"

#include <unistd.h>

#include "app/compare.h"
#include "app/map.h"
#include "app/notes.h"
#include "app/whatif.h"
#include "gpuplan/report/compare.h"

/* ---- what-if ---- */

static const struct whatif_screen_state *whatif_of(const struct screen *s) {
    return s->a->whatif;
}

static void whatif_is_about_the_offer_of_the_cursor(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "w");
    assert_int_equal(s.a->screen, SCREEN_WHATIF);
    assert_string_equal(whatif_of(&s)->id, cursor_id(&s));
    assert_true(whatif_of(&s)->found);
    char first[TEXT_MAX];
    snprintf(first, sizeof first, "%s", whatif_of(&s)->id);
    press(&s, "]");
    assert_string_not_equal(whatif_of(&s)->id, first);
    assert_string_equal(whatif_of(&s)->id, cursor_id(&s));
    press(&s, "Esc");
    assert_int_equal(s.a->screen, SCREEN_RANK);
    screen_close(&s);
}

static void whatif_tells_what_is_not_for_sale(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    while (strcmp(cursor_id(&s), "b1") != 0)
        press(&s, "Down");
    press(&s, "4");
    const struct whatif *w = &whatif_of(&s)->w;
    for (int i = 0; i < w->count; i++) /* H100 are sold by eight here */
        assert_int_equal(w->columns[i].basis, w->columns[i].gpus == 8  ? PRICE_OFFER
                                              : w->columns[i].gpus > 8 ? PRICE_NODES
                                                                       : PRICE_PRO_RATA);
    press(&s, "Left");
    assert_on_screen(&s, "~]");
    assert_on_screen(&s, "not sold in this size");
    press(&s, "Enter");
    assert_int_equal(s.a->screen, SCREEN_WHATIF);
    assert_int_equal(s.a->message.kind, MESSAGE_HYPOTHETICAL);
    press(&s, "Right Enter");
    assert_int_equal(s.a->screen, SCREEN_EXPLAIN);
    assert_int_equal(s.a->explained.c.shape.gpus, 8);
    screen_close(&s);
}

/* The same numbers as the ranking has: one evaluator. */
static void whatif_agrees_with_the_ranking(void **state) {
    (void)state;
    struct screen s;
    struct candidate c;
    SCREEN(&s, small_listing, "preset=full-8b");
    assert_true(list_candidate(s.a, s.a->list.cursor, &c));
    press(&s, "4");
    const struct whatif_column *here = whatif_at_cursor(s.a);
    assert_non_null(here);
    assert_true(here->current);
    assert_true(fabs(here->c.cost.usd.expected - c.cost.usd.expected) < 1e-9);
    screen_close(&s);
}

static void whatif_varies_other_things(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "4");
    for (int v = 0; v < VARY_COUNT; v++) {
        assert_int_equal(whatif_of(&s)->vary, v);
        press(&s, "v");
    }
    assert_int_equal(whatif_of(&s)->vary, VARY_GPUS);
    press(&s, "V V");
    assert_int_equal(whatif_of(&s)->vary, VARY_SEQ_LEN);
    assert_true(whatif_at_cursor(s.a)->current);
    press(&s, "Right Enter");
    assert_int_equal(s.a->message.n, 2); /* another job */
    screen_close(&s);
    SCREEN(&s, small_listing, "task=measured", "base_gpu=A100-SXM4-80GB", "base_gpus=1", "base_hours=30", "vram_gib=38",
           "params_m=900", "step_s=0.8");
    press(&s, "4 V"); /* such a job has neither precision nor length nor batch */
    assert_int_equal(whatif_of(&s)->vary, VARY_SPOT);
    screen_close(&s);
}

static void pinned_columns_stay(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "4 Space");
    assert_int_equal(whatif_of(&s)->w.pinned, 1);
    double usd = whatif_of(&s)->w.columns[0].c.cost.usd.expected;
    press(&s, "] ]");
    assert_int_equal(whatif_of(&s)->w.pinned, 1);
    assert_true(fabs(whatif_of(&s)->w.columns[0].c.cost.usd.expected - usd) < 1e-9);
    press(&s, "v Space Space Space Space"); /* more than there is room for */
    assert_true(whatif_of(&s)->w.pinned <= WHATIF_PINS);
    while (whatif_of(&s)->w.pinned > 0)
        press(&s, "Left Left Left Left Left Left Left Left Left Left Left Left Left Left Left Left Space");
    assert_int_equal(whatif_of(&s)->pin_count, 0);
    screen_close(&s);
}

static void work_may_grow_with_the_count(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "4 t");
    assert_true(whatif_of(&s)->w.weak);
    assert_on_screen(&s, "weak scaling");
    press(&s, "t c");
    assert_on_screen(&s, "copies only");
    press(&s, "c");
    assert_on_screen(&s, "one split only");
    screen_close(&s);
    SCREEN(&s, small_listing, "preset=serve-8b");
    press(&s, "4");
    assert_false(app_run_action(s.a, "whatif.weak"));
    assert_on_screen(&s, "as copies, tok");
    screen_close(&s);
}

/* An edit on the form is seen on every screen. */
static void whatif_follows_an_edit(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "4");
    double before = whatif_at_cursor(s.a)->c.cost.usd.expected;
    struct stated wanted = s.a->stated;
    assert_true(workload_set(&wanted.workload, "tokens", "500M", NULL));
    assert_true(stated_take(s.a, &wanted, NULL));
    screen_work(&s);
    screen_draw(&s);
    assert_true(whatif_at_cursor(s.a)->c.cost.usd.expected > before);
    screen_close(&s);
}

static void whatif_without_an_offer_says_so(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, listing_head, "preset=full-8b");
    press(&s, "4");
    assert_on_screen(&s, "No offer is selected");
    press(&s, "v v v Left Right Space Enter p t c Down");
    screen_close(&s);
}

/* ---- map ---- */

static const struct map_point *here(const struct screen *s) {
    return map_at_cursor(s->a);
}

static void map_shows_the_ranking(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "5");
    const struct map_state *m = s.a->map;
    assert_int_equal(m->count, ranking_group_count(s.a->shown->ranking));
    assert_non_null(here(&s));
    assert_int_equal(here(&s)->place, 1);
    assert_on_screen(&s, "\342\200\2711\342\200\272"); /* the cursor is two brackets around the mark */
    size_t frontier = 0;
    for (size_t i = 0; i < m->count; i++) { /* nothing on it is beaten by anything that keeps the limits */
        frontier += m->points[i].frontier;
        for (size_t k = 0; k < m->count && m->points[i].frontier; k++)
            assert_false(m->points[k].cls <= RANK_TIGHT && m->points[k].time < m->points[i].time &&
                         m->points[k].usd < m->points[i].usd);
    }
    assert_true(frontier > 0);
    screen_close(&s);
}

/* An arrow goes where it points, and back there is a way to every point. */
static void arrows_go_to_the_nearest_point(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b", "deadline_h=none");
    press(&s, "5");
    static const char *const keys[] = {"Right", "Left", "Up", "Down"};
    for (int i = 0; i < 40; i++) {
        const struct map_point before = *here(&s);
        press(&s, keys[i * 7 % 4]);
        const struct map_point after = *here(&s);
        if (after.offer == before.offer)
            continue;
        switch (i * 7 % 4) {
        case 0:
            assert_true(after.time > before.time);
            break;
        case 1:
            assert_true(after.time < before.time);
            break;
        case 2:
            assert_true(after.usd > before.usd);
            break;
        default:
            assert_true(after.usd < before.usd);
        }
        assert_string_equal(cursor_id(&s), offers_text(s.a->shown->snapshot->offers,
                                                       s.a->shown->snapshot->offers->items[after.offer].id));
    }
    screen_close(&s);
}

static void the_frontier_can_be_walked(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b", "deadline_h=none", "budget_usd=none");
    press(&s, "5 [ [ [ [ [ [ [ [");
    float time = 0;
    int steps = 0;
    while (here(&s)->time > time) {
        time = here(&s)->time;
        assert_true(here(&s)->frontier);
        assert_on_screen(&s, "Nothing is both cheaper and faster.");
        press(&s, "]");
        steps++;
    }
    assert_true(steps > 1);
    press(&s, "Enter");
    assert_int_equal(s.a->screen, SCREEN_EXPLAIN);
    screen_close(&s);
}

static void map_can_be_turned_and_thinned(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b", "deadline_h=1");
    press(&s, "5");
    assert_on_screen(&s, "all offers");
    assert_on_screen(&s, "\342\225\216"); /* the deadline */
    press(&s, "f");
    assert_on_screen(&s, "keep the limits");
    press(&s, "f");
    assert_on_screen(&s, "the frontier");
    press(&s, "x L");
    assert_on_screen(&s, "hours upwards");
    press(&s, "f Space");
    assert_int_equal(s.a->list.mark_count, 1);
    screen_close(&s);
    SCREEN(&s, small_listing, "preset=serve-8b");
    press(&s, "5");
    assert_on_screen(&s, "ms a token");
    screen_close(&s);
}

static void an_empty_map_says_so(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, listing_head, "preset=full-8b");
    press(&s, "5 Left Right Up Down [ ] f x L Enter");
    press(&s, "5");
    assert_on_screen(&s, "There is nothing to draw");
    screen_close(&s);
}

/* ---- compare ---- */

static void marked_offers_stand_side_by_side(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b", "deadline_h=none", "budget_usd=none");
    press(&s, "Space Space Space c");
    assert_int_equal(s.a->screen, SCREEN_COMPARE);
    assert_int_equal(s.a->compare->count, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(offers_text(s.a->shown->snapshot->offers, s.a->compare->c[i].offer->id),
                            s.a->list.marks[i]);
    assert_on_screen(&s, "dollars in all");
    press(&s, "Right d");
    assert_int_equal(s.a->compare->count, 2);
    assert_false(app_run_action(s.a, "compare.drop")); /* two are left */
    assert_int_equal(s.a->list.mark_count, 3);         /* marks stay */
    press(&s, "Enter");
    assert_int_equal(s.a->screen, SCREEN_EXPLAIN);
    press(&s, "Esc Esc");
    screen_close(&s);
}

static void without_marks_the_best_stands_beside(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "Down Down");
    char id[TEXT_MAX];
    snprintf(id, sizeof id, "%s", cursor_id(&s));
    press(&s, "c");
    assert_int_equal(s.a->compare->count, 2);
    assert_string_equal(s.a->compare->ids[0], id);
    assert_int_equal(s.a->compare->c[1].rank, 1);
    press(&s, "Tab"); /* no tab of its own: the next one is the first */
    assert_int_not_equal(s.a->screen, SCREEN_COMPARE);
    screen_close(&s);
}

static void the_best_of_a_row_has_a_mark(void **state) {
    (void)state;
    struct screen s;
    size_t count;
    SCREEN(&s, small_listing, "preset=full-8b", "deadline_h=none", "budget_usd=none");
    press(&s, "Space Space Space c");
    const struct compare_state *c = s.a->compare;
    const struct question *q = ranking_question(s.a->shown->ranking);
    const struct compared *rows = compare_rows(&count);
    for (size_t i = 0; i < count; i++) {
        int best = compare_best(&rows[i], q, c->c, (size_t)c->count);
        if (strcmp(rows[i].key, "cost_usd") != 0 || best < 0)
            continue;
        for (int k = 0; k < c->count; k++)
            assert_true(c->c[best].cost.usd.expected <= c->c[k].cost.usd.expected);
    }
    for (size_t i = 0; i < count; i++) /* a row that is in no table could not be put */
        assert_non_null(column_find(rows[i].key));
    screen_close(&s);
}

/* ---- popups ---- */

static void filters_are_kept_and_dropped(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "&");
    assert_int_equal(s.a->message.kind, MESSAGE_NO_FILTERS);
    press(&s, "\\");
    type_text(&s, "gpus>=8");
    press(&s, "Enter & Enter");
    assert_int_equal(s.a->notes->filter_count, 1);
    press(&s, "Esc");
    assert_string_equal(s.a->filter, "");
    press(&s, "&");
    assert_on_screen(&s, "gpus>=8");
    press(&s, "Enter");
    assert_string_equal(s.a->filter, "gpus>=8");
    press(&s, "& Del");
    assert_int_equal(s.a->notes->filter_count, 0);
    screen_close(&s);
}

static void messages_can_be_read_again(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "o Space m");
    assert_on_screen(&s, "Messages");
    assert_on_screen(&s, "Goal is now time.");
    assert_on_screen(&s, "offer is marked");
    press(&s, "Esc");
    for (int i = 0; i < 2 * LOG_MAX; i++)
        press(&s, "F");
    assert_int_equal(s.a->notes->log_count, LOG_MAX);
    press(&s, "m End Enter");
    screen_close(&s);
}

static void help_can_be_searched(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "? /");
    type_text(&s, "frontier");
    assert_int_equal(s.a->popup.kind, POPUP_HELP);
    assert_false(on_screen(&s, "choose the columns"));
    press(&s, "Esc Esc 5 ? /");
    type_text(&s, "frontier");
    assert_on_screen(&s, "along the frontier: faster");
    assert_false(on_screen(&s, "swap the axes"));
    press(&s, "Enter x");
    assert_int_equal(s.a->popup.kind, POPUP_NONE);
    assert_false(s.a->map->swapped);
    screen_close(&s);
}

/* ---- what is seen goes into a file, in the form that its suffix names ---- */

static void every_screen_is_exported(void **state) {
    (void)state;
    static const char *const ways[] = {"1 4", "1 4 v", "1 5", "1 Space Space c"};
    static const struct {
        const char *suffix, *holds;
    } forms[] = {{"txt", " "}, {"csv", ","}, {"json", "{"}, {"md", "|"}};
    char file[] = "/tmp/gpuplan-export-XXXXXX.txt", path[80];
    int fd = mkstemps(file, 4);
    assert_true(fd >= 0);
    close(fd);
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b", "deadline_h=none", "budget_usd=none");
    s.a->picture = view_picture;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
            struct buf b = {0};
            snprintf(path, sizeof path, "%.*s%s", (int)strlen(file) - 3, file, forms[k].suffix);
            press(&s, ways[i]);
            press(&s, "e Ctrl-U");
            type_text(&s, path);
            press(&s, "Enter");
            assert_int_equal(s.a->message.kind, MESSAGE_SAVED);
            assert_true(io_read(path, IO_MAX_SMALL, &b, NULL));
            assert_true(b.len > 100);
            assert_non_null(strstr(b.data, forms[k].holds));
            buf_free(&b);
            unlink(path);
        }
    screen_close(&s);
    unlink(file);
}

/* ---- two instances on one state file ---- */

static char state_path[] = "/tmp/gpuplan-screens-XXXXXX";

static void open_with_state(struct screen *s) {
    screen_open(s, (struct app_setup){.offers = offers_of_text(small_listing), .state_file = state_path}, 80, 24);
}

static void keep_filter(struct screen *s, const char *text) {
    press(s, "\\ Ctrl-U");
    type_text(s, text);
    press(s, "Enter & Home Enter");
}

static void two_instances_keep_each_others_filters(void **state) {
    (void)state;
    struct screen one, two, later;
    int fd = mkstemp(state_path);
    assert_true(fd >= 0);
    close(fd);
    open_with_state(&one);
    open_with_state(&two);
    keep_filter(&one, "gpus>=8");
    keep_filter(&two, "rate<5");
    app_save_state(one.a);
    app_save_state(two.a); /* the last one wins, and takes nothing away */
    open_with_state(&later);
    assert_true(notes_has_filter(later.a->notes, "gpus>=8"));
    assert_true(notes_has_filter(later.a->notes, "rate<5"));
    assert_string_equal(later.a->filter, "rate<5");
    notes_drop_filter(later.a->notes, 0); /* what is dropped stays dropped */
    app_save_state(later.a);
    screen_close(&two);
    open_with_state(&two);
    assert_int_equal(two.a->notes->filter_count, 1);
    screen_close(&one);
    screen_close(&two);
    screen_close(&later);
    unlink(state_path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatif_is_about_the_offer_of_the_cursor),
        cmocka_unit_test(whatif_tells_what_is_not_for_sale),
        cmocka_unit_test(whatif_agrees_with_the_ranking),
        cmocka_unit_test(whatif_varies_other_things),
        cmocka_unit_test(pinned_columns_stay),
        cmocka_unit_test(work_may_grow_with_the_count),
        cmocka_unit_test(whatif_follows_an_edit),
        cmocka_unit_test(whatif_without_an_offer_says_so),
        cmocka_unit_test(map_shows_the_ranking),
        cmocka_unit_test(arrows_go_to_the_nearest_point),
        cmocka_unit_test(the_frontier_can_be_walked),
        cmocka_unit_test(map_can_be_turned_and_thinned),
        cmocka_unit_test(an_empty_map_says_so),
        cmocka_unit_test(marked_offers_stand_side_by_side),
        cmocka_unit_test(without_marks_the_best_stands_beside),
        cmocka_unit_test(the_best_of_a_row_has_a_mark),
        cmocka_unit_test(filters_are_kept_and_dropped),
        cmocka_unit_test(messages_can_be_read_again),
        cmocka_unit_test(help_can_be_searched),
        cmocka_unit_test(every_screen_is_exported),
        cmocka_unit_test(two_instances_keep_each_others_filters),
    };
    return cmocka_run_group_tests_name("screens", tests, load_tables, free_tables);
}
