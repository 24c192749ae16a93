/* SPDX-License-Identifier: MIT */
#include "screen_support.h"

#include "app/sources.h"

#include <sys/stat.h>

/* ---- keys and actions ---- */

static void keys_have_names(void **state) {
    (void)state;
    static const int keys[] = {'j',
                               'G',
                               ' ',
                               '\\',
                               KEY_CODE_ENTER,
                               KEY_CODE_TAB,
                               KEY_CODE_ESCAPE,
                               KEY_CODE_BACKSPACE,
                               KEY_CODE_PAGE_DOWN,
                               KEY_CODE_BACK_TAB,
                               KEY_CODE_F1,
                               KEY_CODE_F12,
                               KEY_CTRL('L'),
                               0xE9,
                               0x4E2D,
                               0x1F600};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char name[24];
        key_text(keys[i], name, sizeof name);
        assert_int_equal(key_find(name), keys[i]);
    }
    assert_int_equal(key_find("Ctrl-L"), KEY_CTRL('L'));
    assert_int_equal(key_find("F13"), -1);
    assert_int_equal(key_find("nonsense"), -1);
    assert_int_equal(key_find(""), -1);
}

static bool is_function_key(int key) {
    return key >= KEY_CODE_F1 && key <= KEY_CODE_F12;
}

/* Whatever is enabled when: two actions of one screen never have one key. */
static void no_two_actions_share_a_key(void **state) {
    (void)state;
    size_t count;
    const struct action *t = action_table(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            if (i == k)
                continue;
            assert_string_not_equal(t[i].name, t[k].name);
            for (int x = 0; x < ACTION_KEYS && t[i].keys[x]; x++)
                for (int y = 0; y < ACTION_KEYS && t[k].keys[y]; y++)
                    if (t[i].keys[x] == t[k].keys[y] && (t[i].screens & t[k].screens))
                        fail_msg("%s and %s have the same key", t[i].name, t[k].name);
        }
}

/* F-keys are taken by some terminals, and Ctrl-S, -Q, -H, -I, -J and -M mean something else everywhere. */
static void every_action_can_be_reached(void **state) {
    (void)state;
    static const char never[] = {KEY_CTRL('S'), KEY_CTRL('Q'), KEY_CTRL('H'), KEY_CTRL('J'), KEY_CTRL('C')};
    size_t count;
    const struct action *t = action_table(&count);
    for (size_t i = 0; i < count; i++) {
        bool other = false;
        assert_true(t[i].keys[0] != 0 && *t[i].help != '\0' && t[i].screens != 0 && t[i].run);
        assert_true(!t[i].label || strlen(t[i].label) <= 8);
        for (int k = 0; k < ACTION_KEYS && t[i].keys[k]; k++) {
            other |= !is_function_key(t[i].keys[k]);
            for (size_t n = 0; n < sizeof never; n++)
                assert_int_not_equal(t[i].keys[k], never[n]);
        }
        if (!other)
            fail_msg("%s has no key but an F-key", t[i].name);
    }
}

/* ---- the list ---- */

static void cursor_follows_its_offer(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "Down Down");
    char id[TEXT_MAX];
    snprintf(id, sizeof id, "%s", cursor_id(&s));
    size_t was = s.a->list.cursor;
    press(&s, "o"); /* by time: another order */
    assert_string_equal(cursor_id(&s), id);
    assert_int_not_equal(s.a->list.cursor, was);
    assert_string_equal(offers_text(s.a->shown->snapshot->offers, list_offer(s.a, s.a->list.cursor)->id), id);
    press(&s, "F o o"); /* not any more */
    assert_false(s.a->follow);
    screen_close(&s);
}

/* Until it is moved the cursor stays on the best. */
static void cursor_starts_on_the_best(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    char id[TEXT_MAX];
    snprintf(id, sizeof id, "%s", cursor_id(&s));
    press(&s, "o");
    assert_int_equal(s.a->list.cursor, 0);
    assert_string_not_equal(cursor_id(&s), id);
    screen_close(&s);
}

static void lost_offer_stays_in_sight(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=lora-8b", "min_disk_gb=1");
    press(&s, "Down Up"); /* from now on the cursor follows */
    for (int i = 0; i < 12 && strcmp(cursor_id(&s), "f1") != 0; i++)
        press(&s, "Down");
    assert_string_equal(cursor_id(&s), "f1");
    size_t rows = s.a->list.count;
    struct stated wanted = s.a->stated;
    assert_true(workload_set(&wanted.workload, "min_ram_gb", "200", NULL));
    assert_true(stated_take(s.a, &wanted, NULL));
    screen_work(&s);
    screen_draw(&s);
    assert_string_equal(cursor_id(&s), "f1");
    assert_int_equal(list_row(s.a, s.a->list.cursor).kind, ROW_GHOST);
    assert_on_screen(&s, "needs 200 GB of RAM, the machine has 128 GB");
    press(&s, "Down");
    assert_string_not_equal(cursor_id(&s), "f1");
    assert_true(s.a->list.count < rows);
    for (size_t i = 0; i < s.a->list.count; i++)
        assert_int_not_equal(list_row(s.a, i).kind, ROW_GHOST);
    screen_close(&s);
}

static void groups_unfold(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    assert_on_screen(&s, "lambda\303\2272");
    while (list_row(s.a, s.a->list.cursor).size < 2)
        press(&s, "Down");
    size_t rows = s.a->list.count, size = list_row(s.a, s.a->list.cursor).size;
    press(&s, "+");
    assert_int_equal(s.a->list.count, rows + size - 1);
    press(&s, "Down +");
    assert_int_equal(s.a->list.count, rows);
    screen_close(&s);
}

static void marks_survive_sorting(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "Space Space");
    assert_int_equal(s.a->list.mark_count, 2);
    char id[TEXT_MAX];
    snprintf(id, sizeof id, "%s", s.a->list.marks[0]);
    press(&s, "s");
    type_text(&s, "rate_usd");
    press(&s, "Enter");
    assert_string_equal(s.a->sort.column->key, "rate_usd_h");
    assert_true(list_is_marked(s.a, id));
    press(&s, "U");
    assert_int_equal(s.a->list.mark_count, 0);
    screen_close(&s);
}

static double value_at(const struct screen *s, size_t row) {
    struct candidate c;
    assert_true(list_candidate(s->a, row, &c));
    return s->a->sort.column->number(ranking_question(s->a->shown->ranking), &c);
}

static void sorts_by_a_column(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "F6");
    type_text(&s, "rate_usd");
    press(&s, "Enter");
    for (size_t i = 1; i < s.a->list.count; i++)
        assert_true(value_at(&s, i - 1) <= value_at(&s, i));
    press(&s, "I");
    for (size_t i = 1; i < s.a->list.count; i++)
        assert_true(value_at(&s, i - 1) >= value_at(&s, i));
    assert_on_screen(&s, "$/h\342\226\274");
    screen_close(&s);
}

static void finds_as_one_types(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    char first[TEXT_MAX];
    snprintf(first, sizeof first, "%s", cursor_id(&s));
    press(&s, "/");
    type_text(&s, "lambda");
    assert_non_null(strstr("a1 a2 a3 b1", cursor_id(&s)));
    type_text(&s, "zzz");
    assert_true(s.a->prompt.failed);
    assert_non_null(strstr("a1 a2 a3 b1", cursor_id(&s)));
    press(&s, "Esc");
    assert_string_equal(cursor_id(&s), first);
    press(&s, "/");
    type_text(&s, "lambda");
    press(&s, "Enter");
    snprintf(first, sizeof first, "%s", cursor_id(&s));
    press(&s, "n");
    assert_string_not_equal(cursor_id(&s), first);
    press(&s, "N");
    assert_string_equal(cursor_id(&s), first);
    screen_close(&s);
}

/* ---- filter ---- */

static void filters_as_one_types(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    size_t all = s.a->list.count;
    press(&s, "\\");
    type_text(&s, "gpus>=8");
    size_t eight = s.a->list.count;
    assert_true(eight > 0 && eight < all);
    type_text(&s, " and vrm");
    assert_true(s.a->prompt.failed);
    assert_int_equal(s.a->list.count, eight); /* the last one that could be read holds */
    assert_non_null(strstr(message_row(&s), "vram"));
    press(&s, "Enter");
    assert_int_equal(s.a->prompt.kind, PROMPT_FILTER);
    press(&s, "Backspace");
    type_text(&s, "am>=80");
    assert_true(s.a->list.count > 0 && s.a->list.count < eight);
    press(&s, "Enter");
    assert_on_screen(&s, "Filter: gpus>=8 and vram>=80");
    press(&s, "Esc");
    assert_int_equal(s.a->list.count, all);
    assert_string_equal(s.a->filter, "");
    screen_close(&s);
}

static void empty_screen_says_what_to_do(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "\\");
    type_text(&s, "gpus>=8 and rate<1");
    press(&s, "Enter");
    assert_int_equal(s.a->list.count, 0);
    assert_on_screen(&s, "The clause rate<1 removed the last 7 offers.");
    assert_on_screen(&s, "Esc clears it");
    screen_close(&s);
    SCREEN(&s, small_listing, "preset=full-8b", "max_gpus=1", "offload=none", "seq_len=1M");
    assert_on_screen(&s, "Nothing fits");
    assert_on_screen(&s, "on every GPU, the card has");
    screen_close(&s);
    SCREEN(&s, listing_head, "preset=full-8b");
    assert_on_screen(&s, "There are no offers");
    screen_close(&s);
}

/* ---- leaving, commands, mouse ---- */

static void keys_lead_back_and_out(void **state) {
    (void)state;
    struct screen s;
    int status = 0;
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "2 Esc 3 q ?");
    assert_int_equal(s.a->popup.kind, POPUP_HELP);
    press(&s, "q");
    assert_int_equal(s.a->popup.kind, POPUP_NONE);
    assert_int_equal(s.a->screen, SCREEN_RANK);
    assert_false(app_done(s.a, NULL));
    press(&s, "y q");
    assert_true(app_done(s.a, &status));
    assert_int_equal(status, 0);
    assert_memory_equal(app_parting_text(s.a), cursor_id(&s), strlen(cursor_id(&s)));
    screen_close(&s);
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "Esc [ B Esc [ A"); /* keys that this terminal's description does not know */
    assert_false(app_done(s.a, NULL));
    press(&s, "Esc Esc");
    assert_true(app_done(s.a, NULL));
    screen_close(&s);
    SCREEN(&s, small_listing, "preset=full-8b");
    press(&s, "/");
    app_interrupt(s.a);
    assert_int_equal(s.a->prompt.kind, PROMPT_NONE);
    assert_false(app_done(s.a, NULL));
    app_interrupt(s.a);
    assert_true(app_done(s.a, &status));
    assert_int_equal(status, 130);
    screen_close(&s);
}

static void actions_run_by_name(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    assert_true(app_run_action(s.a, "rank.sort-menu"));
    assert_int_equal(s.a->popup.kind, POPUP_SORT);
    assert_true(app_run_action(s.a, "screen.workload"));
    assert_false(app_run_action(s.a, "rank.sort-menu"));
    assert_false(app_run_action(s.a, "nonsense"));
    press(&s, ":");
    type_text(&s, "screen.ra");
    press(&s, "Tab Enter");
    assert_int_equal(s.a->screen, SCREEN_RANK);
    press(&s, ":");
    type_text(&s, "rank.sort-menü");
    press(&s, "Esc :");
    type_text(&s, "rank.invrt");
    press(&s, "Enter");
    assert_non_null(strstr(message_row(&s), "rank.invert"));
    press(&s, "Ctrl-L");
    assert_int_equal(app_request(s.a), APP_REQUEST_REDRAW);
    assert_int_equal(app_request(s.a), APP_REQUEST_NONE);
    screen_close(&s);
}

static struct tag tag_of(const struct screen *s, enum tag_kind kind, int value) {
    for (int i = 0; i < s->c.columns * s->c.rows; i++)
        if (s->c.cells[i].tag.kind == kind && (value < 0 || s->c.cells[i].tag.value == value))
            return s->c.cells[i].tag;
    fail_msg("no such tag on the screen");
    return (struct tag){0};
}

static void click(struct screen *s, enum app_button button, struct tag tag) {
    app_mouse(s->a, button, tag);
    screen_work(s);
    screen_draw(s);
}

static void mouse_acts_on_tags(void **state) {
    (void)state;
    struct screen s;
    size_t count;
    SCREEN(&s, small_listing, "preset=full-8b");
    click(&s, APP_CLICK, tag_of(&s, TAG_ROW, 2));
    assert_int_equal(s.a->list.cursor, 2);
    click(&s, APP_CLICK, tag_of(&s, TAG_COLUMN, (int)(column_find("rate_usd_h") - column_table(&count))));
    assert_string_equal(s.a->sort.column->key, "rate_usd_h");
    click(&s, APP_CLICK, tag_of(&s, TAG_COLUMN, (int)(column_find("rate_usd_h") - column_table(&count))));
    assert_true(s.a->sort.turned);
    click(&s, APP_DOUBLE_CLICK, tag_of(&s, TAG_ROW, 0));
    assert_int_equal(s.a->screen, SCREEN_EXPLAIN);
    click(&s, APP_WHEEL_DOWN, (struct tag){0});
    assert_true(s.a->scroll[SCREEN_EXPLAIN] > 0);
    click(&s, APP_CLICK, tag_of(&s, TAG_SCREEN, SCREEN_WORKLOAD));
    assert_int_equal(s.a->screen, SCREEN_WORKLOAD);
    click(&s, APP_CLICK, tag_of(&s, TAG_FIELD, 2));
    assert_int_equal(s.a->form.cursor, 2);
    click(&s, APP_DOUBLE_CLICK, tag_of(&s, TAG_FIELD, 2));
    assert_int_equal(s.a->popup.kind, POPUP_CHOICES);
    click(&s, APP_CLICK, tag_of(&s, TAG_CHOICE, 2));
    assert_int_equal(s.a->basis->job.task, TASK_LORA);
    stand_on(&s, FIELD_DEADLINE_H); /* a click on another field keeps what was typed */
    press(&s, "Enter Ctrl-U 9");
    click(&s, APP_CLICK, tag_of(&s, TAG_FIELD, 2));
    assert_int_equal(s.a->prompt.kind, PROMPT_NONE);
    assert_true(s.a->basis->job.deadline_h < 10);
    click(&s, APP_CLICK, tag_of(&s, TAG_ACTION, 0));
    assert_int_equal(s.a->popup.kind, POPUP_HELP);
    click(&s, APP_CLICK, (struct tag){TAG_ROW, 9999});
    assert_int_equal(s.a->popup.kind, POPUP_NONE);
    screen_close(&s);
}

/* ---- work ---- */

static void idle_changes_nothing(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    assert_false(app_changed(s.a));
    assert_false(app_work(s.a, 5));
    assert_false(app_changed(s.a));
    assert_false(app_waits(s.a));
    app_clock(s.a, SCREEN_NOW + 1);
    assert_false(app_changed(s.a));
    app_clock(s.a, SCREEN_NOW + 61);
    assert_true(app_changed(s.a));
    screen_close(&s);
}

/* Any slices lead to the same order, and an edit in the middle of one is no harm. */
static void slices_lead_to_the_same_order(void **state) {
    (void)state;
    struct screen s, t;
    SCREEN(&s, small_listing, "preset=full-8b");
    SCREEN(&t, small_listing, "preset=full-8b");
    for (int i = 0; i < 9; i++) {
        app_key(t.a, 'o');
        app_work(t.a, 0.0001);
        screen_draw(&t);
    }
    while (app_work(t.a, 0.0001))
        screen_draw(&t);
    assert_int_equal(s.a->list.count, t.a->list.count);
    for (size_t i = 0; i < s.a->list.count; i++)
        assert_int_equal(list_row(s.a, i).row->offer, list_row(t.a, i).row->offer);
    screen_close(&s);
    screen_close(&t);
}

/* ---- files ---- */

static char folder[] = "/tmp/gpuplan-test-XXXXXX";

static void put_file(const char *name, const char *text) {
    char path[200];
    struct err err = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!io_write_atomic(path, text, strlen(text), &err))
        fail_msg("%s", err.text);
}

static void wait_for_child(struct screen *s) {
    while (app_waits(s->a) || app_work(s->a, 5)) {
        app_poll_ready(s->a);
        app_work(s->a, 5);
    }
    screen_work(s);
    screen_draw(s);
}

static void child_reads_listings(void **state) {
    (void)state;
    struct screen s;
    struct workload w;
    char path[200];
    const char *const fields[] = {"preset=full-8b", NULL};
    const char *files[] = {path, NULL};
    snprintf(path, sizeof path, "%s/listing.csv", folder);
    put_file("listing.csv", small_listing);
    workload_of(&w, fields);
    screen_open(&s, (struct app_setup){.workload = &w, .listing_files = files}, 80, 24);
    wait_for_child(&s);
    assert_int_equal(s.a->snapshot->offers->count, 13);
    assert_non_null(strstr(message_row(&s), "Read 13 offers."));
    struct screen t; /* what came through the pipe ranks like what was read here */
    SCREEN(&t, small_listing, "preset=full-8b");
    assert_int_equal(s.a->list.count, t.a->list.count);
    for (size_t i = 0; i < s.a->list.count; i++)
        assert_string_equal(offers_text(s.a->snapshot->offers, list_offer(s.a, i)->id),
                            offers_text(t.a->snapshot->offers, list_offer(t.a, i)->id));
    screen_close(&t);
    press(&s, "Down Down");
    char id[TEXT_MAX];
    snprintf(id, sizeof id, "%s", cursor_id(&s));
    put_file("listing.csv", "nothing that is a listing");
    press(&s, "r");
    wait_for_child(&s);
    assert_int_equal(s.a->snapshot->offers->count, 13); /* the old ones stay */
    assert_int_equal(s.a->message.kind, MESSAGE_LOAD_FAILED);
    put_file("listing.csv", small_listing);
    press(&s, "r");
    wait_for_child(&s);
    assert_string_equal(cursor_id(&s), id);
    press(&s, "r");
    app_interrupt(s.a); /* only the child */
    assert_false(app_waits(s.a));
    assert_false(app_done(s.a, NULL));
    screen_close(&s);
}

/* What a child says about its files arrives as it was. */
static void tells_what_was_found(void **state) {
    struct tally t = {0};
    struct buf lines = {0};
    struct offers *o =
        offers_of_text("provider,machine,gpu,gpus,rate_usd_h\na,m,RTX-4090,1,0.4\na,n,RTX-4090,1,no\tmoney\n");
    (void)state;
    tally_put(o, &lines);
    size_t len = lines.len;
    buf_puts(&lines, "\nid,provider");
    assert_int_equal(tally_take(&t, lines.data, lines.len), len);
    assert_int_equal(t.file_count, 1);
    assert_string_equal(t.files[0].name, "test.csv");
    assert_int_equal(t.files[0].offers, 1);
    assert_int_equal(t.files[0].skipped, o->rows_skipped);
    assert_int_equal(t.finding_count, o->problem_count);
    assert_string_equal(t.findings[0].text, offers_text(o, o->problems[0].text));
    tally_free(&t);
    assert_int_equal(tally_take(&t, "F\t1\nP\t\t\t\t\t\t\nF\t", 14),
                     12); /* short lines are nothing, half a line waits */
    assert_int_equal(t.file_count, 0);
    tally_free(&t);
    buf_free(&lines);
    offers_free(o);
}

static void state_comes_back(void **state) {
    (void)state;
    struct screen s;
    char path[200];
    snprintf(path, sizeof path, "%s/deep/state.json", folder);
    screen_open(&s, (struct app_setup){.offers = offers_of_text(small_listing), .state_file = path}, 80, 24);
    press(&s, "Space \\");
    type_text(&s, "gpus>=2");
    press(&s, "Enter s");
    type_text(&s, "rate_usd");
    press(&s, "Enter I 2");
    stand_on(&s, FIELD_SEQ_LEN);
    press(&s, "Right");
    app_save_state(s.a);
    char mark[TEXT_MAX];
    snprintf(mark, sizeof mark, "%s", s.a->list.marks[0]);
    int length = s.a->basis->job.seq_len;
    screen_close(&s);
    screen_open(&s, (struct app_setup){.offers = offers_of_text(small_listing), .state_file = path}, 80, 24);
    assert_int_equal(s.a->screen, SCREEN_WORKLOAD);
    assert_string_equal(s.a->filter, "gpus>=2");
    assert_string_equal(s.a->sort.column->key, "rate_usd_h");
    assert_true(s.a->sort.turned);
    assert_true(list_is_marked(s.a, mark));
    assert_int_equal(s.a->basis->job.seq_len, length);
    screen_close(&s);
    put_file("bad.json", "{\"screen\":7,\"sort\":\"\\u001b\",\"filter\":\"(((\",\"marks\":[1,{}],\"workload\":{"
                         "\"task\":\"x\"},\"assumptions\":[3,\"x\"],\"hidden_columns\":7}");
    snprintf(path, sizeof path, "%s/bad.json", folder);
    screen_open(&s, (struct app_setup){.offers = offers_of_text(small_listing), .state_file = path}, 80, 24);
    assert_int_equal(s.a->screen, SCREEN_RANK);
    assert_true(s.a->list.count > 0);
    screen_close(&s);
}

static void workloads_are_saved_and_opened(void **state) {
    (void)state;
    struct screen s;
    char dir[200];
    snprintf(dir, sizeof dir, "%s/workloads", folder);
    screen_open(&s, (struct app_setup){.offers = offers_of_text(small_listing), .workload_dir = dir}, 80, 24);
    press(&s, "2 [");
    assert_int_equal(s.a->message.kind, MESSAGE_NO_WORKLOADS);
    press(&s, "e Ctrl-U");
    type_text(&s, "../mine");
    press(&s, "Enter");
    assert_int_equal(s.a->message.kind, MESSAGE_ERROR);
    press(&s, "e Ctrl-U");
    type_text(&s, "mine");
    press(&s, "Enter");
    assert_int_equal(s.a->message.kind, MESSAGE_SAVED);
    stand_on(&s, FIELD_PRESET);
    char preset[40];
    snprintf(preset, sizeof preset, "%s", s.a->basis->job.preset);
    press(&s, "Right");
    assert_string_not_equal(s.a->basis->job.preset, preset);
    press(&s, "[ Enter");
    assert_string_equal(s.a->basis->job.preset, preset);
    press(&s, "u");
    assert_string_not_equal(s.a->basis->job.preset, preset);
    screen_close(&s);
}

static void rankings_are_written(void **state) {
    (void)state;
    static const char *const names[] = {"r.csv", "r.json", "r.md", "r.txt"};
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    for (size_t i = 0; i < 8; i++) {
        char path[200];
        struct stat st;
        snprintf(path, sizeof path, "%s/%zu-%s", folder, i / 4, names[i % 4]);
        press(&s, i < 4 ? "1 e Ctrl-U" : "3 e Ctrl-U");
        type_text(&s, path);
        press(&s, "Enter");
        assert_int_equal(s.a->message.kind, MESSAGE_SAVED);
        assert_int_equal(stat(path, &st), 0);
        assert_true(st.st_size > 100);
    }
    screen_close(&s);
}

/* ---- any keys ---- */

static unsigned next_random(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static int any_key(unsigned *seed) {
    size_t count;
    const struct action *t = action_table(&count);
    unsigned r = next_random(seed);
    if (r % 4 == 0)
        return (int)(' ' + r / 4 % 95);
    if (r % 4 == 1)
        return KEY_CODE_SPECIAL + 1 + (int)(r / 4 % (KEY_CODE_COUNT - KEY_CODE_SPECIAL - 1));
    if (r % 4 == 2) {
        static const int usual[] = {
            KEY_CODE_ENTER,    KEY_CODE_ESCAPE, KEY_CODE_TAB, KEY_CODE_DOWN, KEY_CODE_RIGHT, '1', '2', '3', '4', '5',
            KEY_CODE_BACKSPACE};
        return usual[r / 4 % (sizeof usual / sizeof usual[0])];
    }
    return t[r / 4 % count].keys[r % 2 && t[r / 4 % count].keys[1] ? 1 : 0];
}

static void random_actions_do_no_harm(void **state) {
    (void)state;
    struct screen s;
    const char *other = getenv("GPUPLAN_TEST_SEED"); /* for hunting */
    unsigned seed = other ? (unsigned)atoi(other) : 7;
    char here[1024];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0); /* they may write files */
    SCREEN(&s, small_listing, "preset=full-8b");
    for (int i = 0; i < 4000; i++) {
        int key = any_key(&seed);
        if (key == 'r' || key == KEY_CODE_F1 + 4)
            continue; /* children are another test */
        if (i % 37 == 0)
            screen_size(&s, 1 + (int)(next_random(&seed) % 150), 1 + (int)(next_random(&seed) % 50));
        if (i % 11 == 0) {
            const struct cell *cell = canvas_at(&s.c, (int)(next_random(&seed) % (unsigned)s.c.rows),
                                                (int)(next_random(&seed) % (unsigned)s.c.columns));
            app_mouse(s.a, (enum app_button)(next_random(&seed) % 4), cell->tag);
        }
        app_key(s.a, key);
        app_work(s.a, 0.2);
        screen_draw(&s);
        s.a->done = false;
        assert_true(s.a->list.cursor < s.a->list.count || s.a->list.count == 0);
        for (size_t k = 0; k < s.a->list.count; k++)
            assert_non_null(list_offer(s.a, k));
        assert_true(s.a->form.cursor >= 0 && s.a->form.cursor < s.a->form.count);
    }
    screen_work(&s);
    assert_int_equal(chdir(here), 0);
    screen_close(&s);
}

static int make_folder(void **state) {
    return load_tables(state) || !mkdtemp(folder);
}

static int remove_folder(void **state) {
    char command[200];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return free_tables(state) || system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_have_names),
        cmocka_unit_test(no_two_actions_share_a_key),
        cmocka_unit_test(every_action_can_be_reached),
        cmocka_unit_test(cursor_follows_its_offer),
        cmocka_unit_test(cursor_starts_on_the_best),
        cmocka_unit_test(lost_offer_stays_in_sight),
        cmocka_unit_test(groups_unfold),
        cmocka_unit_test(marks_survive_sorting),
        cmocka_unit_test(sorts_by_a_column),
        cmocka_unit_test(finds_as_one_types),
        cmocka_unit_test(filters_as_one_types),
        cmocka_unit_test(empty_screen_says_what_to_do),
        cmocka_unit_test(keys_lead_back_and_out),
        cmocka_unit_test(actions_run_by_name),
        cmocka_unit_test(mouse_acts_on_tags),
        cmocka_unit_test(idle_changes_nothing),
        cmocka_unit_test(slices_lead_to_the_same_order),
        cmocka_unit_test(child_reads_listings),
        cmocka_unit_test(tells_what_was_found),
        cmocka_unit_test(state_comes_back),
        cmocka_unit_test(workloads_are_saved_and_opened),
        cmocka_unit_test(rankings_are_written),
        cmocka_unit_test(random_actions_do_no_harm),
    };
    return cmocka_run_group_tests_name("app", tests, make_folder, remove_folder);
}
