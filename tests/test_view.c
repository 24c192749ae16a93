/* SPDX-License-Identifier: MIT */
/*
 * What is drawn. Golden files (tests/golden/) hold whole screens; `make update-golden` writes them anew and shows the
 * difference. They are few: the numbers in them are the program's own and change with its constants.
 */
#include "screen_support.h"

#include "app/sources.h"

#include <libgen.h>
#include <locale.h>
#include <sys/stat.h>

#ifdef ENABLE_NLS
#include <libintl.h>
#endif

/* ---- golden files ---- */

/* Set: screens are written there and not compared. */
static const char *golden_out(void) {
    const char *folder = getenv("GOLDEN_OUT");
    return folder && *folder ? folder : NULL;
}

static bool in_wide_language(void) {
    const char *language = getenv("GOLDEN_LANGUAGE");
    return language && *language;
}

static void write_golden(const char *path, const struct buf *b) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(b->data, 1, b->len, f) != b->len || fclose(f) != 0)
        fail_msg("cannot write %s", path);
}

static void compare_golden(const char *name, const struct buf *got) {
    char path[2048];
    struct buf want = {0};
    struct err err = {0};
    const char *top = getenv("top_srcdir");
    if (golden_out()) {
        snprintf(path, sizeof path, "%s/%s", golden_out(), name);
        write_golden(path, got);
        return;
    }
    snprintf(path, sizeof path, "%s/tests/golden/%s", top ? top : "..", name);
    if (!io_read(path, IO_MAX_SMALL, &want, &err))
        fail_msg("%s: %s (make update-golden writes it)", path, err.text);
    bool same = want.len == got->len && memcmp(want.data, got->data, got->len) == 0;
    if (!same)
        print_message("wanted:\n%s\ngot:\n%s\n", want.data, got->data);
    buf_free(&want);
    if (!same)
        fail_msg("%s differs; if the new one is right: make update-golden", name);
}

static void check_golden(const struct screen *s, const char *name, bool roles) {
    char file[200];
    struct buf b = {0};
    canvas_to_text(&s->c, &b);
    snprintf(file, sizeof file, "%s-%dx%d%s%s.txt", name, s->c.columns, s->c.rows, s->c.ascii ? "-ascii" : "",
             in_wide_language() ? "-wide" : "");
    compare_golden(file, &b);
    buf_clear(&b);
    if (roles) {
        snprintf(file, sizeof file, "%s-%dx%d.roles", name, s->c.columns, s->c.rows);
        canvas_to_roles(&s->c, &b);
        compare_golden(file, &b);
    }
    buf_free(&b);
}

/* A job that was measured: what it takes depends on the fewest constants. */
#define MEASURED_JOB                                                                                           \
    "task=measured", "base_gpu=A100-SXM4-80GB", "base_gpus=1", "base_hours=30", "vram_gib=38", "params_m=900", \
        "step_s=0.8", "deadline_h=24"

static void start_measured(struct screen *s, bool ascii) {
    static const char *const fields[] = {MEASURED_JOB, NULL};
    struct workload w;
    workload_of(&w, fields);
    screen_open(s, (struct app_setup){.workload = &w, .offers = offers_of_text(small_listing), .ascii = ascii}, 80, 24);
}

static const struct { int columns, rows; } sizes[] = {{80, 24}, {140, 40}, {40, 10}, {20, 4}, {1, 1}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void rank_golden(void **state) {
    (void)state;
    for (int ascii = 0; ascii < (in_wide_language() ? 1 : 2); ascii++)
        for (size_t i = 0; i < SIZES; i++) {
            struct screen s;
            start_measured(&s, ascii);
            screen_size(&s, sizes[i].columns, sizes[i].rows);
            check_golden(&s, "rank", i == 0 && !ascii && !in_wide_language());
            screen_close(&s);
        }
}

static void workload_golden(void **state) {
    (void)state;
    struct screen s;
    start_measured(&s, false);
    press(&s, "2");
    check_golden(&s, "workload", !in_wide_language());
    press(&s, "Down Down Down Down Right");
    screen_size(&s, 140, 40);
    check_golden(&s, "workload-edited", false);
    screen_close(&s);
}

static void explain_golden(void **state) {
    (void)state;
    struct screen s;
    start_measured(&s, false);
    press(&s, "3");
    check_golden(&s, "explain", !in_wide_language());
    screen_size(&s, 140, 40);
    check_golden(&s, "explain", false);
    screen_close(&s);
}

/* What the link of an offer lets assume; then what a file says, of the same card and of another one. */
static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static const char two_islands[] = "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\n"
                                  "GPU0\t X \tNV12\tSYS\tSYS\t0-23\t0\nGPU1\tNV12\t X \tSYS\tSYS\t0-23\t0\n"
                                  "GPU2\tSYS\tSYS\t X \tNV12\t24-47\t1\nGPU3\tSYS\tSYS\tNV12\t X \t24-47\t1\n";

static void start_topology(struct screen *s, const char *file) {
    start_measured(s, false);
    press(s, "6");
    if (!file)
        return;
    press(s, "o");
    type_text(s, file);
    press(s, "Enter");
}

static void topology_golden(void **state) {
    (void)state;
    static const char *const file = "topology-golden.tmp";
    struct screen s;
    write_text(file, two_islands);
    start_topology(&s, NULL);
    check_golden(&s, "topology", !in_wide_language());
    screen_size(&s, 140, 40);
    check_golden(&s, "topology", false);
    screen_size(&s, 40, 10);
    check_golden(&s, "topology", false);
    screen_close(&s);
    start_topology(&s, file);
    check_golden(&s, "topology-file", !in_wide_language());
    screen_size(&s, 140, 40);
    check_golden(&s, "topology-file", false);
    screen_close(&s);
    remove(file);
}

static bool shows(struct screen *s, const char *text) {
    struct buf b = {0};
    canvas_to_text(&s->c, &b);
    bool found = strstr(b.data, text) != NULL;
    buf_free(&b);
    return found;
}

static void topology_of_a_file(void **state) {
    (void)state;
    static const char *const file = "topology-screen.tmp", *const none = "topology-none.tmp";
    struct screen s;
    write_text(file, two_islands);
    write_text(none, "GPU, but no matrix\n");
    start_topology(&s, file);
    screen_size(&s, 100, 60);
    assert_true(shows(&s, "nvlink_pairs_degraded") || shows(&s, "nvlink_bridge_pairs"));
    assert_true(shows(&s, "0,1 | 2,3"));
    press(&s, "[ [ [ [ [ [ [ [ ]"); /* another offer: the file stays */
    assert_true(shows(&s, "0,1 | 2,3"));
    press(&s, "o Ctrl-U");
    type_text(&s, none);
    press(&s, "Enter"); /* it stays, and what is wrong is said */
    assert_true(shows(&s, "no GPU matrix in it"));
    assert_true(shows(&s, "0,1 | 2,3"));
    press(&s, "o Ctrl-U");
    type_text(&s, "missing.tmp");
    press(&s, "Enter");
    assert_true(shows(&s, "missing.tmp"));
    press(&s, "x");
    assert_false(shows(&s, "0,1 | 2,3"));
    assert_true(shows(&s, "ASSUMED from its link"));
    screen_close(&s);
    remove(file);
    remove(none);
}

static void whatif_golden(void **state) {
    (void)state;
    struct screen s;
    start_measured(&s, false);
    press(&s, "4");
    check_golden(&s, "whatif", !in_wide_language());
    screen_size(&s, 140, 40);
    check_golden(&s, "whatif", false);
    screen_size(&s, 40, 10);
    check_golden(&s, "whatif", false);
    screen_close(&s);
    if (in_wide_language())
        return;
    start_measured(&s, true);
    press(&s, "4 p");
    check_golden(&s, "whatif-curve", false);
    screen_close(&s);
}

static void map_golden(void **state) {
    (void)state;
    struct screen s;
    for (int ascii = 0; ascii < (in_wide_language() ? 1 : 2); ascii++) {
        start_measured(&s, ascii);
        press(&s, "5");
        check_golden(&s, "map", !ascii && !in_wide_language());
        screen_size(&s, 140, 40);
        check_golden(&s, "map", false);
        screen_size(&s, 40, 10);
        check_golden(&s, "map", false);
        screen_close(&s);
    }
}

static void compare_screen_golden(void **state) {
    (void)state;
    struct screen s;
    start_measured(&s, false);
    press(&s, "Space Space Space c");
    check_golden(&s, "compare", !in_wide_language());
    screen_size(&s, 140, 40);
    check_golden(&s, "compare", false);
    screen_close(&s);
}

static void popups_golden(void **state) {
    (void)state;
    struct screen s;
    if (in_wide_language())
        return;
    start_measured(&s, false);
    press(&s, "?");
    check_golden(&s, "help", false);
    press(&s, "Esc s");
    check_golden(&s, "sort", false);
    press(&s, "Esc \\");
    type_text(&s, "gpus>=8 and vrm");
    check_golden(&s, "filter", true);
    screen_close(&s);
}

/* A file with findings, a source that was fetched, and those that were not; nobody has a key. */
static void sources_golden(void **state) {
    static const char found[] =
        "{\"offers\": 1204, \"flagged\": 7, \"skipped\": 5, \"requests\": [{\"url\": "
        "\"https://prices.example/list\"}], "
        "\"notes\": [\"eu: there is nothing at this address (404)\"], \"problems\": [{\"field\": \"price\", \"text\": "
        "\"not above zero\", \"line\": 12, \"count\": 4, \"skipped\": true}, {\"field\": \"vram_gb\", \"text\": \"fits "
        "no known "
        "size of the card\", \"line\": 30, \"count\": 7, \"skipped\": false}]}";
    char folder[] = "/tmp/gpuplan-view-XXXXXX", path[200];
    struct err err = {0};
    struct endpoints *endpoints = endpoints_load(&err);
    struct workload w;
    struct screen s;
    static const char *const fields[] = {MEASURED_JOB, NULL};
    (void)state;
    assert_non_null(endpoints);
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CONFIG_HOME", folder, 1);
    for (size_t i = 0; i < endpoints_count(endpoints); i++) {
        char names[160];
        snprintf(names, sizeof names, "%s", endpoints_at(endpoints, i)->key_env);
        for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
            unsetenv(name);
    }
    snprintf(path, sizeof path, "%s/vast", folder);
    assert_true(io_make_dirs(path, &err));
    snprintf(path, sizeof path, "%s/vast/2026-03-22T090000Z.csv.gz", folder);
    assert_true(io_write_atomic(path, "", 0, &err));
    snprintf(path, sizeof path, "%s/vast/2026-03-22T090000Z.json", folder);
    assert_true(io_write_atomic(path, found, strlen(found), &err));
    workload_of(&w, fields);
    screen_open(
        &s,
        (struct app_setup){
            .workload = &w, .offers = offers_of_text(small_listing), .endpoints = endpoints, .snapshot_folder = folder},
        80, 24);
    press(&s, "7 Down");
    check_golden(&s, "sources", !in_wide_language());
    screen_size(&s, 140, 40);
    check_golden(&s, "sources", false);
    press(&s, "Enter");
    check_golden(&s, "source", false);
    press(&s, "Enter G k x"); /* a source whose address nobody knows; nothing to stop */
    assert_int_equal(s.a->sources->cursor, s.a->sources->count - 2);
    screen_close(&s);
    endpoints_free(endpoints);
    unlink(path);
    snprintf(path, sizeof path, "%s/vast/2026-03-22T090000Z.csv.gz", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/vast", folder);
    rmdir(path);
    rmdir(folder);
}

/* ---- layout ---- */

static bool inside(const struct rect *r, int columns, int rows) {
    return r->rows == 0 || (r->row >= 0 && r->column >= 0 && r->rows > 0 && r->columns > 0 &&
                            r->row + r->rows <= rows && r->column + r->columns <= columns);
}

static bool overlap(const struct rect *a, const struct rect *b) {
    return a->rows > 0 && b->rows > 0 && a->row < b->row + b->rows && b->row < a->row + a->rows &&
           a->column < b->column + b->columns && b->column < a->column + a->columns;
}

static void layout_lies_inside_and_apart(void **state) {
    (void)state;
    for (int columns = 1; columns <= 200; columns++)
        for (int rows = 1; rows <= 60; rows++) {
            const struct view_layout l = view_layout(columns, rows);
            const struct rect *all[] = {&l.tabs, &l.title, &l.body, &l.side, &l.message, &l.keys};
            for (size_t i = 0; i < 6; i++) {
                if (!inside(all[i], columns, rows))
                    fail_msg("%dx%d: rectangle %zu lies outside", columns, rows, i);
                for (size_t k = 0; k < i; k++)
                    if (overlap(all[i], all[k]))
                        fail_msg("%dx%d: rectangles %zu and %zu overlap", columns, rows, i, k);
            }
            assert_true(l.body.rows > 0);
        }
}

static void cursor_is_in_sight(void **state) {
    (void)state;
    for (size_t count = 0; count <= 20000; count = count * 3 + 1)
        for (size_t page = 1; page < 60; page += 7)
            for (size_t cursor = 0; cursor < count; cursor += 1 + count / 13)
                for (size_t top = 0; top < count + 5; top += 1 + count / 7) {
                    size_t t = list_top(top, cursor, page, count);
                    assert_true(t <= cursor && cursor < t + page);
                    assert_true(t == 0 || t + page <= count);
                }
}

/* Every screen, popup and prompt at many sizes; what goes beyond the canvas the address sanitizer would see. */
static void everything_draws_at_any_size(void **state) {
    (void)state;
    static const char *const ways[] = {"1",
                                       "2",
                                       "3",
                                       "4",
                                       "4 v",
                                       "4 p",
                                       "5",
                                       "5 x L",
                                       "Space Space Space c",
                                       "?",
                                       "s",
                                       "|",
                                       "2 Enter",
                                       "3 a",
                                       "\\",
                                       "2 Down Down Down Down Down Down Enter",
                                       "/"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct screen s;
        start_measured(&s, i % 2);
        press(&s, ways[i]);
        for (int columns = 1; columns <= 200; columns += columns < 12 ? 1 : 23)
            for (int rows = 1; rows <= 60; rows += rows < 12 ? 1 : 12)
                screen_size(&s, columns, rows);
        screen_close(&s);
    }
}

static void many_rows_draw(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 20, 20000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct buf b = {0};
        struct screen s;
        buf_puts(&b, listing_head);
        for (size_t k = 0; k < counts[i]; k++)
            buf_printf(&b,
                       "x%zu,p%zu,m%zu,A100-SXM4-80GB,%d,%.2f,machine,on_demand,here,900,9000,,,yes,now,2026-03-22T00:"
                       "00:00Z\n",
                       k, k % 7, k, 1 << k % 4, 1 + (double)(k % 977) / 100);
        SCREEN(&s, b.data, MEASURED_JOB);
        press(&s, "End Home PgDn");
        screen_size(&s, 140, 40);
        press(&s, "End");
        assert_true(s.a->list.count == 0 || s.a->list.cursor == s.a->list.count - 1);
        screen_close(&s);
        buf_free(&b);
    }
}

/* ---- text from outside ---- */

/* A name of any length and content in the second row; everything else stays cell for cell as with a harmless name. */
static void draw_with_name(struct screen *s, const char *name) {
    struct buf b = {0};
    static const char row[] = ",A100-SXM4-80GB,8,20,machine,on_demand,here,900,9000,,,yes,now,2026-03-22T00:00:00Z\n";
    buf_puts(&b, listing_head);
    buf_printf(&b,
               "x1,plain,cheap,A100-SXM4-80GB,8,4,machine,on_demand,here,900,9000,,,yes,now,2026-03-22T00:00:00Z\n");
    buf_printf(&b, "x2,plain,\"%s\"%s", name, row);
    buf_printf(&b,
               "x3,plain,dear,A100-SXM4-80GB,8,40,machine,on_demand,here,900,9000,,,yes,now,2026-03-22T00:00:00Z\n");
    SCREEN(s, b.data, MEASURED_JOB);
    buf_free(&b);
}

static void hostile_names_stay_in_their_row(void **state) {
    (void)state;
    static const char *const names[] = {
        "\033[2J\033]52;c;aGVsbG8=\007\033[31mred and more text after it to be long enough",
        "\342\200\256desrever si siht and more text after it to be long enough for the cut",
        "tab\tand\rreturn\nand a new line, all in one name that is longer than the column",
        "\344\270\255\346\226\207\344\270\255\346\226\207\344\270\255\346\226\207\344\270\255\346\226\207\344\270\255"
        "\346\226\207\344\270\255\346\226\207\344\270\255\346\226\207",
        "a\314\200\314\201\314\202\314\203\314\204\314\205\314\206 combining marks, many of them, and text that goes "
        "on",
        "\xc2\x9b\x33\x31m C1 CSI \xff\xfe broken bytes \xf0\x9f\x98\x80 and an emoji, and text that goes on",
    };
    struct screen calm;
    draw_with_name(&calm, "a name as long as the others, harmless, and then some more of it");
    int row = -1;
    for (int i = 0; i < calm.c.rows; i++)
        if (calm.c.cells[i * calm.c.columns].tag.kind == TAG_ROW && calm.c.cells[i * calm.c.columns].tag.value == 1)
            row = i;
    assert_true(row > 0);
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        struct screen s;
        draw_with_name(&s, names[n]);
        for (int i = 0; i < s.c.rows; i++)
            for (int k = 0; k < s.c.columns; k++) {
                const struct cell *a = canvas_at(&calm.c, i, k), *b = canvas_at(&s.c, i, k);
                if (i != row && (a->code_point != b->code_point || a->role != b->role || a->mark[0] != b->mark[0]))
                    fail_msg("name %zu changed row %d, column %d", n, i, k);
                assert_true(b->code_point == 0 || b->code_point >= ' ');
            }
        screen_close(&s);
    }
    screen_close(&calm);
}

/* ---- words ---- */

/* Without colour every judgement is still there to be read. */
static void judgements_have_words(void **state) {
    (void)state;
    struct screen s;
    SCREEN(&s, small_listing, "preset=full-8b");
    for (int i = 0; i < s.c.columns * s.c.rows; i++) {
        enum role role = (enum role)s.c.cells[i].role;
        if (role == ROLE_GOOD || role == ROLE_TIGHT || role == ROLE_BAD)
            assert_true(s.c.cells[i].code_point != ' ' || i > 0);
    }
    assert_on_screen(&s, "fits");
    assert_on_screen(&s, "LATE");
    screen_close(&s);
}

static void title_tells_counts_and_age(void **state) {
    (void)state;
    struct screen s;
    start_measured(&s, false);
    char counts[40];
    snprintf(counts, sizeof counts, "%zu of 13 fit", s.a->shown->fit);
    assert_on_screen(&s, counts);
    assert_on_screen(&s, "12 h old");
    screen_close(&s);
}

static void marks_of_the_order_move(void **state) {
    (void)state;
    struct screen s;
    start_measured(&s, false);
    assert_on_screen(&s, "Total $\342\226\262");
    press(&s, "o");
    assert_on_screen(&s, "Time h\342\226\262");
    press(&s, "| Esc s");
    type_text(&s, "risk");
    press(&s, "Enter");
    assert_on_screen(&s, "Risk\342\226\274");
    screen_close(&s);
}

static void hidden_columns_are_gone(void **state) {
    (void)state;
    struct screen s;
    start_measured(&s, false);
    assert_on_screen(&s, "Link");
    press(&s, "|");
    type_text(&s, "link");
    press(&s, "Space Esc");
    assert_false(on_screen(&s, "Link"));
    screen_close(&s);
}

/* Ten labels or so fit 80 columns, and the last of them is how one leaves. */
static void key_bar_fits(void **state) {
    (void)state;
    struct screen s;
    if (in_wide_language())
        return;
    start_measured(&s, false);
    static const char *const screens[] = {"1", "2", "3", "4", "5"};
    for (size_t i = 0; i < sizeof screens / sizeof screens[0]; i++) {
        press(&s, screens[i]);
        assert_non_null(strstr(row_text(&s, 23), "F1Help"));
        assert_non_null(strstr(row_text(&s, 23), "F10Quit"));
    }
    screen_close(&s);
}

int main(void) {
    setlocale(LC_ALL, in_wide_language() ? "C.UTF-8" : "C");
    setlocale(LC_NUMERIC, "C");
#ifdef ENABLE_NLS
    if (in_wide_language()) {
        setenv("LANGUAGE", getenv("GOLDEN_LANGUAGE"), 1);
        bindtextdomain(PACKAGE, getenv("GPUPLAN_LOCALEDIR"));
        bind_textdomain_codeset(PACKAGE, "UTF-8");
        textdomain(PACKAGE);
    }
#endif
    const struct CMUnitTest golden[] = {
        cmocka_unit_test(rank_golden),           cmocka_unit_test(workload_golden), cmocka_unit_test(explain_golden),
        cmocka_unit_test(topology_golden),       cmocka_unit_test(whatif_golden),   cmocka_unit_test(map_golden),
        cmocka_unit_test(compare_screen_golden), cmocka_unit_test(popups_golden), cmocka_unit_test(sources_golden),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_lies_inside_and_apart),
        cmocka_unit_test(cursor_is_in_sight),
        cmocka_unit_test(everything_draws_at_any_size),
        cmocka_unit_test(many_rows_draw),
        cmocka_unit_test(hostile_names_stay_in_their_row),
        cmocka_unit_test(judgements_have_words),
        cmocka_unit_test(title_tells_counts_and_age),
        cmocka_unit_test(marks_of_the_order_move),
        cmocka_unit_test(hidden_columns_are_gone),
        cmocka_unit_test(key_bar_fits),
        cmocka_unit_test(topology_of_a_file),
    };
    int failed = cmocka_run_group_tests_name("golden", golden, load_tables, free_tables);
    if (in_wide_language() || golden_out())
        return failed;
    return failed + cmocka_run_group_tests_name("view", tests, load_tables, free_tables);
}
