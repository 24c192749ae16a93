/* SPDX-License-Identifier: MIT */
/* The canvas: nothing is drawn outside, wide characters stay whole, gate (b) holds, charts are exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/draw/canvas.h"
#include "gpuplan/draw/chart.h"

static void assert_drawn(const struct canvas *c, const char *expected)
{
    struct buf b = {0};
    canvas_to_text(c, &b);
    assert_string_equal(b.data, expected);
    buf_free(&b);
}

static void test_text_is_cut_with_an_ellipsis(void **state)
{
    (void)state;
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 10, 2);
    assert_int_equal(canvas_text(&c, 0, 1, 6, ROLE_TEXT, "H100-SXM5-80GB"), 6);
    assert_int_equal(canvas_text(&c, 1, 8, 40, ROLE_TEXT, "abc"), 2);
    assert_drawn(&c, " H100-…\n        a…\n");
    c.ascii = true;
    canvas_text(&c, 0, 1, 6, ROLE_TEXT, "H100-SXM5-80GB");
    assert_int_equal(canvas_at(&c, 0, 6)->code_point, '~');
    canvas_free(&c);
}

static void test_outside_is_cut_off(void **state)
{
    (void)state;
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 3, 2);
    for (int row = -3; row < 6; row++)
        for (int column = -3; column < 6; column++) {
            canvas_text(&c, row, column, 9, ROLE_TEXT, "\xE4\xB8\xAD\xE6\x96\x87");
            canvas_fill(&c, (struct rect){row, column, 3, 3}, ROLE_DIM, '.');
            canvas_role(&c, (struct rect){row, column, 9, 9}, ROLE_BAD);
            canvas_tag(&c, (struct rect){row, column, 9, 9}, TAG_ROW, row);
            canvas_cursor(&c, row, column);
            chart_bar(&c, row, column, 9, 3, 4, ROLE_GOOD);
        }
    assert_in_range(c.cursor_row, 0, 1);
    assert_null(canvas_at(&c, 2, 0));
    assert_null(canvas_at(&c, 0, 3));
    canvas_free(&c);
}

static void test_wide_characters_stay_whole(void **state)
{
    (void)state;
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 5, 1);
    canvas_text(&c, 0, 0, 5, ROLE_TEXT, "\xE4\xB8\xAD\xE6\x96\x87"); /* two characters of two columns */
    assert_drawn(&c, "\xE4\xB8\xAD\xE6\x96\x87\n");
    canvas_text(&c, 0, 1, 1, ROLE_TEXT, "x"); /* overwrites the right half: the left half goes too */
    assert_drawn(&c, " x\xE6\x96\x87\n");
    canvas_text(&c, 0, 4, 1, ROLE_TEXT, "\xE4\xB8\xAD"); /* no room for both columns */
    for (int column = 0; column < 5; column++)
        if (canvas_at(&c, 0, column)->code_point == 0)
            assert_true(column > 0 && canvas_at(&c, 0, column - 1)->code_point > 0x1100);
    assert_int_not_equal(canvas_at(&c, 0, 4)->code_point, 0x4E2D);
    canvas_free(&c);
}

static void test_gate_replaces_what_must_not_be_drawn(void **state)
{
    (void)state;
    static const char *const hostile[] = {"\x1b",         "\n",           "\r",           "\t",           "\x7f",
                                          "\xC2\x9B",     "\xE2\x80\xAE", "\xE2\x80\x8B", "\xEF\xBB\xBF", "\xF3\xA0\x81\x81"};
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 8, 2);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        canvas_clear(&c);
        canvas_text(&c, 0, 0, 8, ROLE_TEXT, hostile[i]);
        for (int row = 0; row < 2; row++)
            for (int column = 0; column < 8; column++) {
                uint32_t cp = canvas_at(&c, row, column)->code_point;
                assert_true(cp == ' ' || (row == 0 && cp == 0xFFFD));
                assert_int_equal(canvas_at(&c, row, column)->mark[0] < 0x20 ? canvas_at(&c, row, column)->mark[0] : 0, 0);
            }
    }
    canvas_free(&c);
}

static void test_roles_and_tags_stand_beside_the_text(void **state)
{
    (void)state;
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 4, 1);
    canvas_tag(&c, (struct rect){0, 1, 1, 2}, TAG_ROW, 7);
    canvas_text(&c, 0, 0, 4, ROLE_GOOD, "fits");
    assert_int_equal(canvas_at(&c, 0, 1)->tag.kind, TAG_ROW);
    assert_int_equal(canvas_at(&c, 0, 1)->tag.value, 7);
    assert_int_equal(canvas_at(&c, 0, 0)->tag.kind, TAG_NONE);
    assert_int_equal(canvas_at(&c, 0, 3)->role, ROLE_GOOD);
    canvas_free(&c);
}

static void test_wrap_loses_no_word(void **state)
{
    (void)state;
    static const char text[] = "One GPU does it: it fits and is in time.\nAn unbreakablewordthatislong ends.";
    for (int columns = 1; columns < 60; columns++) {
        struct canvas c;
        struct buf b = {0};
        canvas_init(&c);
        int rows = canvas_wrap_rows(text, columns);
        canvas_resize(&c, columns, rows);
        assert_int_equal(canvas_wrap(&c, (struct rect){0, 0, rows, columns}, 0, ROLE_TEXT, text), rows);
        canvas_to_text(&c, &b);
        for (const char *want = text, *got = b.data;; want++, got++) { /* equal but for white space */
            want += strspn(want, " \n");
            got += strspn(got, " \n");
            assert_int_equal(*want, *got);
            if (!*want)
                break;
        }
        buf_free(&b);
        canvas_free(&c);
    }
}

static void test_stacked_bar_is_exact(void **state)
{
    (void)state;
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 20, 1);
    c.ascii = true;
    chart_stacked_bar(&c, 0, 0, 20, (double[]){10, 0, 0.1, 5}, 4, 20);
    assert_drawn(&c, "WWWWWWWWWWOAAAA.....\n"); /* 15.1 of 20; the small part is seen */
    canvas_clear(&c);
    chart_stacked_bar(&c, 0, 0, 20, (double[]){30, 10}, 2, 20); /* twice the card */
    assert_drawn(&c, "WWWWWWWWWW|WWWWGGGGG\n");
    canvas_clear(&c);
    chart_stacked_bar(&c, 0, 0, 20, (double[]){0, 0}, 2, 0);
    canvas_text(&c, 0, 0, 1, ROLE_TEXT, "x");
    assert_drawn(&c, "x\n");
    canvas_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_cut_with_an_ellipsis),
        cmocka_unit_test(test_outside_is_cut_off),
        cmocka_unit_test(test_wide_characters_stay_whole),
        cmocka_unit_test(test_gate_replaces_what_must_not_be_drawn),
        cmocka_unit_test(test_roles_and_tags_stand_beside_the_text),
        cmocka_unit_test(test_wrap_loses_no_word),
        cmocka_unit_test(test_stacked_bar_is_exact),
    };
    return cmocka_run_group_tests_name("draw", tests, NULL, NULL);
}
