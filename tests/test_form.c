/* SPDX-License-Identifier: MIT */
/* The form of the workload and the screen that explains an offer. */
#include "screen_support.h"

/* ---- the form ---- */

static void every_field_stands_in_the_form_once(void **state) {
    (void)state;
    static const char *const presets[] = {"full-8b", "lora-8b", "qlora-70b", "pretrain-1b", "serve-8b", "vision"};
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        struct screen s;
        char pair[40];
        snprintf(pair, sizeof pair, "preset=%s", presets[i]);
        SCREEN(&s, small_listing, pair);
        s.a->form.advanced = true;
        form_build(s.a);
        int seen[FIELD_COUNT] = {0};
        for (int r = 0; r < s.a->form.count; r++)
            if (s.a->form.rows[r].kind == FORM_FIELD)
                seen[s.a->form.rows[r].value]++;
        for (int f = 0; f < FIELD_COUNT; f++) {
            bool has = field_table()[f].tasks & 1u << s.a->basis->job.task;
            if (seen[f] != has)
                fail_msg("%s: %s stands in the form %d times", presets[i], field_table()[f].name, seen[f]);
        }
        screen_close(&s);
    }
}

static void typing_ranks_at_once_and_esc_restores(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    struct figures before = run_figures(s.a->shown);
    press(&s, "2");
    stand_on(&s, FIELD_SEQ_LEN);
    press(&s, "=");
    assert_int_equal(s.a->prompt.kind, PROMPT_FIELD);
    press(&s, "Ctrl-U");
    type_text(&s, "16k");
    struct figures after = run_figures(s.a->shown);
    assert_true(after.fit < before.fit);
    assert_non_null(strstr(message_row(&s), "no longer fit"));
    assert_non_null(strstr(message_row(&s), "4096"));
    type_text(&s, "x"); /* cannot be read: the last value that could holds */
    assert_true(s.a->prompt.failed);
    assert_int_equal(run_figures(s.a->shown).fit, after.fit);
    assert_non_null(strstr(message_row(&s), "seq_len"));
    press(&s, "Esc");
    assert_int_equal(run_figures(s.a->shown).fit, before.fit);
    assert_int_equal(s.a->history.count, 0);
    assert_int_equal(s.a->stated.workload.v[FIELD_SEQ_LEN].source, VALUE_UNSET);
    screen_close(&s);
}

/* The value that was there goes when one types, and stays to be changed when one moves in it first. */
static void typing_replaces_the_value_that_was_there(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "2");
    stand_on(&s, FIELD_SEQ_LEN);
    press(&s, "Enter");
    type_text(&s, "16k");
    assert_string_equal(s.a->prompt.text, "16k");
    press(&s, "Enter Enter Home");
    type_text(&s, "1");
    assert_string_equal(s.a->prompt.text, "116384");
    press(&s, "Esc Enter Backspace");
    assert_string_equal(s.a->prompt.text, "");
    press(&s, "Esc");
    assert_true(s.a->basis->job.seq_len == 16384);
    screen_close(&s);
}

static void edits_are_undone_and_redone(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    struct figures before = run_figures(s.a->shown);
    press(&s, "2");
    stand_on(&s, FIELD_SEQ_LEN);
    press(&s, "Right Right"); /* twice the length, twice */
    struct figures after = run_figures(s.a->shown);
    assert_string_equal(s.a->stated.workload.v[FIELD_SEQ_LEN].source == VALUE_STATED ? "stated" : "", "stated");
    assert_int_equal(s.a->history.count, 2);
    press(&s, "u u");
    assert_int_equal(run_figures(s.a->shown).fit, before.fit);
    assert_true(run_figures(s.a->shown).usd <= before.usd && run_figures(s.a->shown).usd >= before.usd);
    assert_non_null(strstr(message_row(&s), "taken back"));
    press(&s, "Ctrl-R Ctrl-R");
    assert_int_equal(run_figures(s.a->shown).fit, after.fit);
    press(&s, "u Left"); /* a new edit ends what could be made again */
    assert_int_equal(s.a->history.at, s.a->history.count);
    screen_close(&s);
}

static void choices_are_tried_before_they_are_taken(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "2");
    stand_on(&s, FIELD_TASK);
    press(&s, "Enter");
    assert_int_equal(s.a->popup.kind, POPUP_CHOICES);
    press(&s, "Down");
    assert_int_equal(s.a->basis->job.task, TASK_LORA);
    press(&s, "Esc");
    assert_int_equal(s.a->basis->job.task, TASK_FULL);
    press(&s, "Enter Down Enter");
    assert_int_equal(s.a->basis->job.task, TASK_LORA);
    assert_int_equal(s.a->history.count, 1);
    screen_close(&s);
}

/* What was on show before the list opened is what the message compares with, not what was tried in between. */
static void a_choice_is_compared_with_what_was_before(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    struct figures before = run_figures(s.a->shown);
    press(&s, "2");
    stand_on(&s, FIELD_OPTIMIZER);
    press(&s, "Enter Down Down Up Down Enter");
    struct figures after = run_figures(s.a->shown);
    assert_true(after.fit != before.fit || after.usd < before.usd || after.usd > before.usd);
    assert_null(strstr(message_row(&s), "As many"));
    assert_true(s.a->message.from.fit == before.fit);
    stand_on(&s, FIELD_TASK); /* another kind of job is not compared at all */
    press(&s, "Enter Down Enter");
    assert_int_equal(s.a->basis->job.task, TASK_LORA);
    assert_non_null(strstr(message_row(&s), "offers fit. Best cost $"));
    assert_null(strstr(message_row(&s), "more fit"));
    screen_close(&s);
}

static void letters_only_type_where_a_caret_stands(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "2");
    stand_on(&s, FIELD_REGIONS);
    press(&s, "Enter");
    for (int key = ' '; key < 0x7F; key++) {
        press_key(&s, key);
        assert_int_equal(s.a->screen, SCREEN_WORKLOAD);
        assert_int_equal(s.a->prompt.kind, PROMPT_FIELD);
        assert_int_equal(s.a->popup.kind, POPUP_NONE);
        assert_false(app_done(s.a, NULL));
    }
    assert_int_equal(s.a->prompt.len, 0x7F - ' ');
    press(&s, "Esc q");
    assert_int_equal(s.a->screen, SCREEN_RANK);
    screen_close(&s);
}

static void finds_fields(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "2 /");
    type_text(&s, "deadline"); /* its name; the label says something else */
    assert_int_equal(form_row_at(s.a)->value, FIELD_DEADLINE_H);
    press(&s, "Esc");
    assert_int_equal(form_row_at(s.a)->value, FIELD_PRESET);
    press(&s, "/");
    type_text(&s, "batch");
    press(&s, "Enter");
    int first = s.a->form.cursor;
    press(&s, "n");
    assert_int_not_equal(s.a->form.cursor, first);
    press(&s, "N");
    assert_int_equal(s.a->form.cursor, first);
    screen_close(&s);
}

static void tab_goes_through_the_fields(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "2");
    stand_on(&s, FIELD_DEADLINE_H);
    press(&s, "Enter Ctrl-U");
    type_text(&s, "12");
    press(&s, "Tab");
    assert_int_equal(form_row_at(s.a)->value, FIELD_BUDGET_USD);
    assert_int_equal(s.a->prompt.kind, PROMPT_NONE);
    assert_true(s.a->basis->job.deadline_h > 11 && s.a->basis->job.deadline_h < 13);
    press(&s, "Enter 1 Tab S-Tab S-Tab");
    assert_int_equal(form_row_at(s.a)->value, FIELD_DEADLINE_H);
    screen_close(&s);
}

/* ---- explain ---- */

static void explain_goes_part_by_part(void **state) {
    (void)state;
    struct screen s;
    int last = 0;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "Enter");
    assert_true(s.a->viewport.part_count >= 4);
    for (int i = 0; i < 3; i++) {
        press(&s, "Right");
        assert_int_equal(s.a->scroll[SCREEN_EXPLAIN], s.a->viewport.part_line[i]);
        assert_true(s.a->scroll[SCREEN_EXPLAIN] > last);
        last = s.a->scroll[SCREEN_EXPLAIN];
    }
    press(&s, "Down Left"); /* to the start of this part, then to the one before */
    assert_int_equal(s.a->scroll[SCREEN_EXPLAIN], last);
    press(&s, "Left");
    assert_int_equal(s.a->scroll[SCREEN_EXPLAIN], s.a->viewport.part_line[1]);
    press(&s, "h h h h");
    assert_int_equal(s.a->scroll[SCREEN_EXPLAIN], 0);
    screen_close(&s);
}

static void explain_walks_the_ranking(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "Enter");
    assert_int_equal(s.a->screen, SCREEN_EXPLAIN);
    assert_int_equal(s.a->explained.c.rank, 1);
    press(&s, "]");
    assert_string_equal(s.a->explained.id, cursor_id(&s));
    assert_true(s.a->explained.c.rank > 1);
    press(&s, "[");
    assert_int_equal(s.a->explained.c.rank, 1);
    press(&s, "PgDn");
    int scroll = s.a->scroll[SCREEN_EXPLAIN];
    assert_true(scroll > 0);
    press(&s, "End End");
    assert_int_equal(s.a->scroll[SCREEN_EXPLAIN], s.a->viewport.lines - s.a->viewport.page);
    press(&s, "Esc");
    assert_int_equal(s.a->screen, SCREEN_RANK);
    screen_close(&s);
}

static void assumptions_are_edited(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "3");
    double before = s.a->explained.c.e.memory_gib.expected;
    press(&s, "a");
    assert_int_equal(s.a->popup.kind, POPUP_ASSUMPTIONS);
    type_text(&s, "fragment");
    assert_int_equal(s.a->popup.count, 1);
    press(&s, "Enter Ctrl-U");
    type_text(&s, "9");
    assert_true(s.a->explained.c.e.memory_gib.expected > before * 1.05);
    type_text(&s, "x");
    assert_true(s.a->prompt.failed);
    press(&s, "Backspace Enter");
    assert_int_equal(s.a->history.count, 1);
    assert_on_screen(&s, "declared");
    press(&s, "Esc u");
    assert_true(s.a->explained.c.e.memory_gib.expected < before * 1.01);
    screen_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_stands_in_the_form_once),
        cmocka_unit_test(typing_ranks_at_once_and_esc_restores),
        cmocka_unit_test(typing_replaces_the_value_that_was_there),
        cmocka_unit_test(a_choice_is_compared_with_what_was_before),
        cmocka_unit_test(edits_are_undone_and_redone),
        cmocka_unit_test(choices_are_tried_before_they_are_taken),
        cmocka_unit_test(letters_only_type_where_a_caret_stands),
        cmocka_unit_test(finds_fields),
        cmocka_unit_test(tab_goes_through_the_fields),
        cmocka_unit_test(explain_goes_part_by_part),
        cmocka_unit_test(explain_walks_the_ranking),
        cmocka_unit_test(assumptions_are_edited),
    };
    return cmocka_run_group_tests_name("form", tests, load_tables, free_tables);
}
