/* SPDX-License-Identifier: MIT */
/* CSV and JSON: places of errors, limits, cells by name. */
#include "support.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/csv.h"
#include "gpuplan/base/err.h"
#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"

/* ---- CSV ---- */

struct seen {
    struct buf text; /* "line/record:[cell][cell]\n" */
    size_t rows, stop_at;
};

static bool see_row(void *user, const struct csv_row *row, struct err *err) {
    struct seen *seen = user;
    buf_printf(&seen->text, "%ld/%ld:", row->line, row->record);
    for (size_t i = 0; i < row->count; i++) {
        assert_int_equal(strlen(row->cells[i]), row->lengths[i]);
        buf_printf(&seen->text, "[%s]", row->cells[i]);
    }
    buf_putc(&seen->text, '\n');
    return ++seen->rows != seen->stop_at || err_set(err, ERR_DATA, "enough");
}

static void assert_csv(const char *csv, const char *want) {
    struct seen seen = {0};
    struct csv_handler handler = {see_row, see_row, &seen};
    struct err err;
    assert_true(csv_read(csv, strlen(csv), "t.csv", &handler, &err));
    assert_string_equal(seen.text.data != NULL ? seen.text.data : "", want);
    buf_free(&seen.text);
}

static void csv_knows_its_lines(void **state) {
    (void)state;
    assert_csv("a,b\n1,2\n\n3,4", "1/0:[a][b]\n2/1:[1][2]\n4/2:[3][4]\n");
    assert_csv("a,b\r\n1,2\r\n  \r\n3,4\r\n", "1/0:[a][b]\n2/1:[1][2]\n4/2:[3][4]\n");
    assert_csv("\xef\xbb\xbf"
               "a,b\n1,",
               "1/0:[a][b]\n2/1:[1][]\n");
    assert_csv("a,b\n\"x\ny\",2\n3,4\n", "1/0:[a][b]\n2/1:[x\ny][2]\n4/2:[3][4]\n");
    assert_csv("a,b\n\"x\r\n\r\ny\"\r\n\"3\",\"4\"\r\n5,6", "1/0:[a][b]\n2/1:[x\r\n\r\ny]\n5/2:[3][4]\n6/3:[5][6]\n");
    assert_csv("a,b\n\"say \"\"hi\"\"\", z \n", "1/0:[a][b]\n2/1:[say \"hi\"][ z ]\n");
    assert_csv("a,b\n\"\",\n,\n", "1/0:[a][b]\n2/1:[][]\n3/2:[][]\n");
    assert_csv("a,b\r1,2\r3,4", "1/0:[a][b]\n1/1:[1][2]\n1/2:[3][4]\n");
    assert_csv("a;b\n1,5;2\n", "1/0:[a][b]\n2/1:[1,5][2]\n");
    assert_csv("a\tb\n1\t2\n", "1/0:[a][b]\n2/1:[1][2]\n");
    assert_csv("", "");
    assert_csv("\n\n", "");
    assert_csv("a\n\"1\"", "1/0:[a]\n2/1:[1]\n");
}

static void csv_fails_with_a_place(void **state) {
    struct err err;
    struct seen seen = {.stop_at = 2};
    struct csv_handler handler = {see_row, see_row, &seen};
    char text[256];
    (void)state;
    assert_false(csv_read("a\n1\n2\n", 6, "t.csv", &handler, &err));
    assert_string_equal(err.text, "enough");
    assert_int_equal(seen.rows, 2);
    seen.stop_at = 0;
    assert_false(csv_read("a\n1\n\"2\n3\n", 9, "t.csv", &handler, &err));
    err_format(&err, text, sizeof text);
    assert_string_equal(text, "t.csv:3: quote not closed");
    assert_false(csv_read("\xff\xfe"
                          "a",
                          3, "t.csv", &handler, &err));
    buf_free(&seen.text);
}

static bool count_row(void *user, const struct csv_row *row, struct err *err) {
    (void)err;
    *(size_t *)user = row->count;
    return true;
}

static void csv_has_limits(void **state) {
    size_t count = 0;
    struct csv_handler handler = {NULL, count_row, &count};
    struct buf b = {0};
    struct err err;
    (void)state;
    buf_puts(&b, "a,b\n1,\"");
    buf_pad(&b, '\n', CSV_MAX_RECORD + 1);
    assert_false(csv_read(b.data, b.len, "t.csv", &handler, &err));
    assert_int_equal(err.line, 2);
    buf_clear(&b);
    buf_puts(&b, "a,b\n1,2\n");
    buf_pad(&b, 'x', CSV_MAX_RECORD + 1);
    assert_false(csv_read(b.data, b.len, "t.csv", &handler, &err));
    assert_int_equal(err.line, 3);
    buf_clear(&b);
    buf_puts(&b, "a,b\n");
    buf_pad(&b, ',', 4000);
    assert_true(csv_read(b.data, b.len, "t.csv", &handler, &err));
    assert_int_equal(count, CSV_MAX_COLUMNS + 1);
    buf_clear(&b);
    buf_pad(&b, ',', 4000);
    assert_false(csv_read(b.data, b.len, "t.csv", &handler, &err));
    buf_free(&b);
}

static void csv_table_finds_cells(void **state) {
    const char *csv = "name , x,note\nA100,\"1.5\",a\x1b"
                      "b\n\nH100,,\nL4,oops\n";
    struct err err;
    (void)state;
    struct csv_table *t = csv_table_read(csv, strlen(csv), "t.csv", &err);
    assert_non_null(t);
    assert_int_equal(csv_table_rows(t), 3);
    int x = csv_table_column(t, "x"), note = csv_table_column(t, "note");
    assert_int_equal(csv_table_column(t, "y"), -1);
    assert_string_equal(csv_table_cell(t, 1, csv_table_column(t, "name")), "H100");
    assert_string_equal(csv_table_cell(t, 0, note), "a\\x1bb");
    assert_string_equal(csv_table_cell(t, 2, note), "");
    assert_string_equal(csv_table_cell(t, 9, note), "");
    assert_string_equal(csv_table_cell(t, 0, -1), "");
    assert_true(csv_table_number(t, 0, x) == 1.5);
    assert_false(num_known(csv_table_number(t, 1, x)));
    assert_false(num_known(csv_table_number(t, 2, x)));
    assert_int_equal(csv_table_line(t, 1), 4);
    csv_table_free(t);
    assert_null(csv_table_read("a,b\n1,2,3\n", 10, "t.csv", &err));
    assert_int_equal(err.line, 2);
    assert_null(csv_table_read("a,a\n", 4, "t.csv", &err));
    assert_string_equal(err.field, "a");
    assert_null(csv_table_read("", 0, "t.csv", NULL));
}

/* ---- JSON ---- */

static void json_refuses(const char *text, size_t len, long line) {
    struct err err = {0};
    assert_null(json_parse(text, len, "t.json", &err));
    assert_int_equal(err.code, ERR_DATA);
    assert_int_equal(err.line, line);
}

static void json_has_limits(void **state) {
    char deep[2 * JSON_MAX_DEPTH + 2];
    struct err err;
    (void)state;
    memset(deep, '[', JSON_MAX_DEPTH + 1);
    memset(deep + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
    json_refuses(deep, sizeof deep, 1);
    cJSON *tree = json_parse(deep + 1, sizeof deep - 2, "t.json", &err);
    assert_non_null(tree);
    cJSON_Delete(tree);
    json_refuses("", 0, 1);
    json_refuses(" \n\n", 3, 3);
    json_refuses("{\"a\":\n1,}", 9, 2);
    json_refuses("{}\n{}", 5, 2);
    json_refuses("[1,\n2", 5, 2);
    json_refuses("\"\\", 2, 1);
    tree = json_parse("\xef\xbb\xbf{\"a\":\"[[[\\\"\"}\n", 17, "t.json", &err);
    assert_non_null(tree);
    assert_string_equal(json_string(tree, "a", NULL), "[[[\"");
    cJSON_Delete(tree);
}

static void json_reads_by_name(void **state) {
    const char *text = "{\"n\":1.5,\"s\":\"2.5\",\"t\":\"x\",\"b\":true,\"z\":null,\"big\":1e999}";
    struct err err;
    (void)state;
    cJSON *o = json_parse(text, strlen(text), "t.json", &err);
    assert_non_null(o);
    assert_true(json_number(o, "n", 0) == 1.5);
    assert_true(json_number(o, "s", 0) == 2.5);
    assert_true(json_number(o, "t", 7) == 7);
    assert_true(json_number(o, "z", 7) == 7);
    assert_true(json_number(o, "big", 7) == 7);
    assert_true(json_number(o, "N", 7) == 7);
    assert_string_equal(json_string(o, "t", "-"), "x");
    assert_string_equal(json_string(o, "n", "-"), "-");
    assert_true(json_bool(o, "b", false));
    assert_true(json_bool(o, "n", true));
    cJSON_Delete(o);
}

static void json_writes_no_nan(void **state) {
    cJSON *o = cJSON_CreateObject();
    struct range r = {1, 1.0 / 3, 1e12 + 0.5}, unknown = range_exact(NUM_UNKNOWN);
    (void)state;
    json_add_number(o, "a", 0.1 + 0.2);
    json_add_number(o, "b", NAN);
    json_add_number(o, "c", 123456789012);
    json_add_range(o, "r", &r);
    json_add_range(o, "u", &unknown);
    json_add_range(o, "v", NULL);
    char *text = cJSON_PrintUnformatted(o);
    assert_string_equal(text, "{\"a\":0.3,\"b\":null,\"c\":123456789012,\"r\":{\"low\":1,\"expected\":0.3333333333,"
                              "\"high\":1000000000000},\"u\":null,\"v\":null}");
    cJSON_free(text);
    cJSON_Delete(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_knows_its_lines), cmocka_unit_test(csv_fails_with_a_place),
        cmocka_unit_test(csv_has_limits),      cmocka_unit_test(csv_table_finds_cells),
        cmocka_unit_test(json_has_limits),     cmocka_unit_test(json_reads_by_name),
        cmocka_unit_test(json_writes_no_nan),
    };
    return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
