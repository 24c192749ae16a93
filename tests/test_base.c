/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <cjson/cJSON.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <wchar.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/csv.h"
#include "gpuplan/base/data.h"
#include "gpuplan/base/err.h"
#include "gpuplan/base/json.h"
#include "gpuplan/base/merge.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/provenance.h"
#include "gpuplan/base/text.h"

/* ---- text ---- */

static void assert_clean(const char *src, const char *want) {
    char out[256];
    size_t len = text_clean(out, sizeof out, src, strlen(src));
    assert_string_equal(out, want);
    assert_int_equal(len, strlen(want));
    assert_true(text_is_clean(out, len));
}

static void text_clean_shows_what_is_hidden(void **state) {
    (void)state;
    assert_clean("A100-SXM4-80GB", "A100-SXM4-80GB");
    assert_clean("", "");
    assert_clean("caf\xc3\xa9 \xe6\x9d\xb1\xe4\xba\xac", "caf\xc3\xa9 \xe6\x9d\xb1\xe4\xba\xac");
    assert_clean("a\x1b[31mb", "a\\x1b[31mb");
    assert_clean("\x1b]52;c;QQ==\x07", "\\x1b]52;c;QQ==\\x07");
    assert_clean("a\nb\tc\rd\x08\x7f", "a\\x0ab\\x09c\\x0dd\\x08\\x7f");
    assert_clean("x\xc2\x9b"
                 "31m",
                 "x\\u{009B}31m");
    assert_clean("\xe2\x80\xae"
                 "abc",
                 "\\u{202E}abc");
    assert_clean("a\xe2\x80\x8b"
                 "b\xef\xbb\xbf\xe2\x81\xa6\xd8\x9c\xc2\xad",
                 "a\\u{200B}b\\u{FEFF}\\u{2066}\\u{061C}\\u{00AD}");
    assert_clean("\xe2\x80\xa8\xe2\x80\xa9", "\\u{2028}\\u{2029}");
    assert_clean("\xf3\xa0\x81\x81", "\\u{E0041}");
    assert_clean("\xe2\x9a\xa1\xef\xb8\x8f", "\xe2\x9a\xa1\\u{FE0F}");
    assert_clean("\xe3\x85\xa4\xef\xbe\xa0\xcd\x8f", "\\u{3164}\\u{FFA0}\\u{034F}");
}

static void text_clean_replaces_what_has_no_width(void **state) {
    (void)state;
    assert_clean("\xee\x80\x80", "\xef\xbf\xbd");     /* private use */
    assert_clean("\xf4\x8f\xbf\xbf", "\xef\xbf\xbd"); /* not a character */
    assert_clean("\xe1\x85\xa1", "\xef\xbf\xbd");     /* a conjoining vowel on its own */
    assert_clean("\xc3\x28", "\\xc3(");               /* cut sequence */
    assert_clean("\xff\xfe", "\\xff\\xfe");
    assert_clean("\xc0\xaf", "\\xc0\\xaf");                   /* overlong */
    assert_clean("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* surrogate */
    assert_clean("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"); /* past the last code point */
}

static void text_clean_limits_marks(void **state) {
    (void)state;
    assert_clean("a\xcc\x81\xcc\x82\xcc\x83\xcc\x84"
                 "b\xcc\x81",
                 "a\xcc\x81\xcc\x82"
                 "b\xcc\x81");
    assert_clean("\xcc\x81x", "\xef\xbf\xbdx"); /* no base: it would sit on the cell to the left */
    assert_false(text_is_clean("a\xcc\x81\xcc\x82\xcc\x83", 7));
}

static void text_clean_cuts_at_a_character(void **state) {
    char out[8];
    (void)state;
    assert_int_equal(text_clean(out, 1, "abc", 3), 0);
    assert_string_equal(out, "");
    assert_int_equal(text_clean(out, 4, "ab\xc3\xa9", 4), 2);
    assert_string_equal(out, "ab");
    assert_int_equal(text_clean(out, 5, "ab\xc3\xa9", 4), 4);
    assert_int_equal(text_clean(out, 5, "ab\x1b", 3), 2);
    assert_int_equal(text_clean(out, 8, "a\0b", 3), 6);
    assert_string_equal(out, "a\\x00b");
}

/* Whatever comes in, what comes out is clean, and cleaning it again changes nothing. */
static void text_clean_is_idempotent_on_noise(void **state) {
    uint64_t seed = 1;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char raw[24], once[256], twice[256];
        for (size_t i = 0; i < sizeof raw; i++) {
            seed = hash_bytes(&seed, sizeof seed, (uint64_t)round);
            raw[i] = (char)(seed >> 13);
        }
        size_t cap = 1 + (size_t)(seed % sizeof once);
        size_t len = text_clean(once, cap, raw, sizeof raw);
        assert_true(len < cap && once[len] == '\0');
        assert_true(text_is_clean(once, len));
        assert_int_equal(text_clean(twice, sizeof twice, once, len), len);
        assert_string_equal(once, twice);
    }
}

/* Every code point that passes the gate takes as many columns for us as for the C library, that is, for curses. */
static void text_width_agrees_with_the_terminal(void **state) {
    (void)state;
    char *old = mem_strdup(setlocale(LC_CTYPE, NULL));
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL) {
        free(old);
        skip();
    }
    for (uint32_t c = 0x20; c < 0x110000; c++) {
        char s[6] = "x";
        int n = 1;
        if (c < 0x80)
            s[n++] = (char)c;
        else if (c < 0x800) {
            s[n++] = (char)(0xc0 | c >> 6);
            s[n++] = (char)(0x80 | (c & 63));
        } else if (c < 0x10000) {
            s[n++] = (char)(0xe0 | c >> 12);
            s[n++] = (char)(0x80 | (c >> 6 & 63));
            s[n++] = (char)(0x80 | (c & 63));
        } else {
            s[n++] = (char)(0xf0 | c >> 18);
            s[n++] = (char)(0x80 | (c >> 12 & 63));
            s[n++] = (char)(0x80 | (c >> 6 & 63));
            s[n++] = (char)(0x80 | (c & 63));
        }
        if (text_is_clean(s, (size_t)n) && text_char_width(c) != wcwidth((wchar_t)c))
            fail_msg("U+%04X: %d here, %d there", c, text_char_width(c), wcwidth((wchar_t)c));
    }
    setlocale(LC_CTYPE, old);
    free(old);
}

static void text_fit_counts_columns(void **state) {
    int used;
    (void)state;
    assert_int_equal(text_width("a\xe6\x9d\xb1"
                                "b"),
                     4);
    assert_int_equal(text_width("e\xcc\x81"), 1);
    assert_int_equal(text_fit("a\xe6\x9d\xb1"
                              "b",
                              2, &used),
                     1);
    assert_int_equal(used, 1);
    assert_int_equal(text_fit("a\xe6\x9d\xb1"
                              "b",
                              3, &used),
                     4);
    assert_int_equal(used, 3);
    assert_int_equal(text_fit("e\xcc\x81x", 1, NULL), 3);
    assert_int_equal(text_fit("abc", 0, NULL), 0);
    assert_int_equal(text_fit("abc", 10, &used), 3);
    uint32_t c;
    assert_int_equal(text_decode("", &c), 0);
    assert_int_equal(text_decode("\xff", &c), 1);
    assert_int_equal(c, 0xFFFD);
    assert_int_equal(text_decode("\xe6\x9d", &c), 1);
    assert_int_equal(text_decode("\xf0\x9f\x98\x80", &c), 4);
    assert_int_equal(c, 0x1F600);
}

static void text_matches_without_case(void **state) {
    static const char *const names[] = {"deadline_h", "seq_len", "global_batch", "tp"};
    const char *s = " \t a b \r\n";
    size_t len = strlen(s);
    (void)state;
    assert_true(text_equal_fold("H100", "h100"));
    assert_false(text_equal_fold("H100", "h100 "));
    assert_true(text_contains_fold("NVIDIA H100 PCIe", "h100 p"));
    assert_true(text_contains_fold("x", ""));
    assert_false(text_contains_fold("H10", "h100"));
    text_trim(&s, &len);
    assert_int_equal(len, 3);
    assert_memory_equal(s, "a b", 3);
    assert_string_equal(text_nearest("deadlin_h", names, 4), "deadline_h");
    assert_string_equal(text_nearest("SEQ_LNE", names, 4), "seq_len");
    assert_string_equal(text_nearest("pt", names, 4), "tp");
    assert_null(text_nearest("colour", names, 4));
    assert_string_equal(text_nearest("dead", names, 4), "deadline_h");
    assert_string_equal(text_nearest("GlobalB", names, 4), "global_batch");
    static const char *const models[] = {"llama-33b", "llama-3.1-70b", "llama-3.1-8b"};
    assert_string_equal(text_nearest("llama3", models, 3), "llama-3.1-8b");
    assert_null(text_nearest("---", models, 3));
    static const char *const options[] = {"sort", "format"};
    assert_string_equal(text_nearest("form", options, 2), "format");
    assert_null(text_nearest("", names, 4));
}

static void assert_escape(void (*escape)(struct buf *, const char *), const char *s, const char *want) {
    struct buf b = {0};
    escape(&b, s);
    assert_string_equal(b.data, want);
    buf_free(&b);
}

static void text_gates_of_other_exits(void **state) {
    (void)state;
    assert_escape(text_csv_cell, "", "");
    assert_escape(text_csv_cell, "a b", "a b");
    assert_escape(text_csv_cell, "a,\"b\"", "\"a,\"\"b\"\"\"");
    assert_escape(text_csv_cell, "=1+1", "'=1+1");
    assert_escape(text_csv_cell, "@x,y", "\"'@x,y\"");
    assert_escape(text_csv_cell, "-5.25", "-5.25");
    assert_escape(text_csv_cell, "-5+cmd", "'-5+cmd");
    assert_escape(text_csv_cell, "\tx", "\"'\tx\"");
    assert_escape(text_shell_word, "it's $(x)", "'it'\\''s $(x)'");
    assert_escape(text_shell_word, "", "''");
    assert_escape(text_markdown_cell, "a|b <i> & `c`", "a\\|b &lt;i&gt; &amp; \\`c\\`");
    assert_escape(text_markdown_cell, "gpu_8x_a100", "gpu_8x_a100");
    assert_escape(text_markdown_cell, "_x_ [l](http://e)", "\\_x\\_ \\[l\\](http\\://e)");
}

/* ---- numbers ---- */

static void assert_number(const char *s, enum num_unit unit, double want) {
    double x = -1;
    if (!num_parse(s, unit, false, &x))
        fail_msg("\"%s\" was refused", s);
    if (fabs(x - want) > 1e-12 * fabs(want))
        fail_msg("\"%s\" gave %.17g, not %.17g", s, x, want);
}

static void num_parse_reads_suffixes(void **state) {
    double x;
    (void)state;
    assert_number("12", NUM_PLAIN, 12);
    assert_number("-1.5e3", NUM_PLAIN, -1500);
    assert_number("50M", NUM_TOKENS, 50e6);
    assert_number("1.1B", NUM_COUNT, 1.1e9);
    assert_number("2T", NUM_TOKENS, 2e12);
    assert_number("8k", NUM_COUNT, 8000);
    assert_true(num_parse("8k", NUM_COUNT, true, &x) && x == 8192);
    assert_number("36h", NUM_HOURS, 36);
    assert_number("90m", NUM_HOURS, 1.5);
    assert_number("2 d", NUM_HOURS, 48);
    assert_number("1w", NUM_HOURS, 168);
    assert_number("30s", NUM_HOURS, 30 / 3600.0);
    assert_number("24", NUM_HOURS, 24);
    assert_number("90", NUM_SECONDS, 90);
    assert_number("2min", NUM_SECONDS, 120);
    assert_number("1s", NUM_MILLISECONDS, 1000);
    assert_number("80 GiB", NUM_GIB_UNIT, 80);
    assert_number("80GB", NUM_GIB_UNIT, 80e9 / NUM_GIB);
    assert_number("1TiB", NUM_GIB_UNIT, 1024);
    assert_number("2TB", NUM_GB_UNIT, 2000);
    assert_number("512MiB", NUM_GB_UNIT, 0.536870912);
    assert_number("400G", NUM_GBPS, 400);
    assert_number("3.2T", NUM_GBPS, 3200);
    assert_number("1G", NUM_MBPS, 1000);
    assert_number("5%", NUM_SHARE, 0.05);
    assert_number("0.05", NUM_SHARE, 0.05);
    assert_number("$1.5k", NUM_USD, 1500);
    assert_number(" 7 ", NUM_PLAIN, 7);
}

static void num_parse_refuses(void **state) {
    static const char *const bad[] = {"",    " ",    "nan", "inf", "-",     "+",   ".",     "e5",       "0x10", "1,5",
                                      "1 2", "1..2", "1e",  "5x",  "1e999", "--1", "1_000", "\xd9\xa1", "1k"};
    double x = 42;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (num_parse(bad[i], NUM_PLAIN, false, &x) || num_parse_plain(bad[i], strlen(bad[i]), &x))
            fail_msg("\"%s\" was taken", bad[i]);
    assert_false(num_parse("5%", NUM_COUNT, false, &x));
    assert_false(num_parse("5h", NUM_GIB_UNIT, false, &x));
    assert_false(num_parse("1e300T", NUM_COUNT, false, &x) && isinf(x));
    assert_false(num_parse("5kkkkkkkkkkkkkkkkkkkkkkk", NUM_COUNT, false, &x));
    assert_true(x == 42 || isfinite(x));
}

static void num_parse_plain_rounds_like_strtod(void **state) {
    static const char *const hard[] = {"0.1",
                                       "123456789012345678901234567890",
                                       "2.2250738585072011e-308",
                                       "5e-324",
                                       "1e-400",
                                       "1.7976931348623157e308",
                                       "9007199254740993",
                                       "0.000000000000000000000000001",
                                       "8.5",
                                       "-0",
                                       "1e22",
                                       "1e23",
                                       ".5",
                                       "5.",
                                       "+3",
                                       "00012",
                                       "7450580596923828125e-27"};
    uint64_t seed = 7;
    double x;
    (void)state;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        assert_true(num_parse_plain(hard[i], strlen(hard[i]), &x));
        assert_true(x == strtod(hard[i], NULL));
    }
    for (int i = 0; i < 100000; i++) {
        char text[40];
        seed = hash_bytes(&seed, sizeof seed, 3);
        double want = (double)(int64_t)seed * pow(10, (double)(seed % 60) - 40);
        int n = snprintf(text, sizeof text, "%.*g", (int)(seed % 17) + 1, want);
        assert_true(num_parse_plain(text, (size_t)n, &x));
        assert_true(x == strtod(text, NULL));
    }
}

static void num_ignores_the_locale(void **state) {
    static const char *const comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
    double x;
    char text[32];
    (void)state;
    bool set = false;
    for (size_t i = 0; i < sizeof comma / sizeof *comma && !set; i++)
        set = setlocale(LC_NUMERIC, comma[i]) != NULL;
    if (!set)
        skip();
    bool read = num_parse_plain("1.5", 3, &x) && x == 1.5 && num_parse_plain("1.23456789012345678901e-7", 25, &x);
    num_format_plain(text, sizeof text, 0.125, 6);
    setlocale(LC_NUMERIC, "C");
    assert_true(read && x > 1.2345e-7 && x < 1.2346e-7);
    assert_string_equal(text, "0.125");
}

static void assert_format(double x, enum num_unit unit, const char *want) {
    char text[64];
    size_t len = num_format(text, sizeof text, x, unit);
    assert_string_equal(text, want);
    assert_int_equal(len, strlen(want));
}

static void num_format_is_short(void **state) {
    (void)state;
    assert_format(12.5, NUM_HOURS, "12.5 h");
    assert_format(0.5, NUM_HOURS, "30 min");
    assert_format(1, NUM_HOURS, "1 h");
    assert_format(81.6, NUM_HOURS, "3.4 d");
    assert_format(0.01, NUM_HOURS, "36.0 s");
    assert_format(82, NUM_USD, "$82");
    assert_format(10.32, NUM_USD, "$10.32");
    assert_format(0.0113, NUM_USD, "$0.011");
    assert_format(0.00113, NUM_USD, "$0.0011");
    assert_format(0.01, NUM_USD, "$0.01");
    assert_format(0.0802, NUM_USD, "$0.08");
    assert_format(36292e6, NUM_USD, "$36.3B");
    assert_format(1.5e15, NUM_TOKENS, "1.5e15");
    assert_format(64.6 * 8766, NUM_HOURS, "64.6 y");
    assert_format(264 * 8766, NUM_HOURS, "264 y");
    assert_format(1e9, NUM_HOURS, "> 10k y");
    assert_format(0.15, NUM_USD, "$0.15");
    assert_format(1234.4, NUM_USD, "$1234");
    assert_format(-5, NUM_USD, "-$5");
    assert_format(1.25e6, NUM_USD, "$1.3M");
    assert_format(1200, NUM_COUNT, "1.2k");
    assert_format(50e6, NUM_TOKENS, "50M");
    assert_format(999.6, NUM_COUNT, "1.0k");
    assert_format(78.1, NUM_GIB_UNIT, "78.1 GiB");
    assert_format(131.2, NUM_GIB_UNIT, "131 GiB");
    assert_format(0.05, NUM_SHARE, "5.0 %");
    assert_format(0.82, NUM_SHARE, "82 %");
    assert_format(0.0042, NUM_SECONDS, "4.2 ms");
    assert_format(NAN, NUM_USD, "?");
    char tiny[3];
    assert_int_equal(num_format(tiny, sizeof tiny, 12.5, NUM_HOURS), 2);
    assert_string_equal(tiny, "12");
}

static void assert_plain(double x, int significant, const char *want) {
    char text[64];
    assert_int_equal(num_format_plain(text, sizeof text, x, significant), strlen(want));
    assert_string_equal(text, want);
}

static void num_format_plain_has_no_exponent(void **state) {
    (void)state;
    assert_plain(0, 6, "0");
    assert_plain(-0.0, 6, "0");
    assert_plain(1.5, 6, "1.5");
    assert_plain(123456, 3, "123000");
    assert_plain(100, 6, "100");
    assert_plain(1e14, 6, "100000000000000");
    assert_plain(1e15, 6, "1e15");
    assert_plain(0.00012345, 3, "0.000123");
    assert_plain(0.0000123, 3, "1.23e-5");
    assert_plain(-2.0 / 3, 6, "-0.666667");
    assert_plain(9.9999999, 6, "10");
    assert_plain(NAN, 6, "");
    assert_plain(INFINITY, 6, "");
}

static void range_is_ordered(void **state) {
    struct range r = range_lognormal(10, 0.2);
    (void)state;
    assert_true(r.low < r.expected && r.expected < r.high && r.expected == 10);
    assert_true(fabs(r.low * r.high - 100) < 1e-9);
    r = range_scale(range_exact(3), 2);
    assert_true(r.low == 6 && r.expected == 6 && r.high == 6);
    r = range_lognormal(10, 0);
    assert_true(r.low == 10 && r.high == 10);
}

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

/* ---- memory, errors, data ---- */

static void intern_gives_equal_ids_to_equal_text(void **state) {
    struct intern *t = intern_new();
    char name[32];
    (void)state;
    assert_int_equal(intern_put(t, "", 0), 0);
    for (uint32_t i = 0; i < 5000; i++) {
        int n = snprintf(name, sizeof name, "name-%u", i);
        assert_int_equal(intern_put(t, name, (size_t)n), i + 1);
    }
    const char *kept = intern_text(t, 42);
    for (uint32_t i = 0; i < 5000; i++) {
        int n = snprintf(name, sizeof name, "name-%u", i);
        assert_int_equal(intern_put(t, name, (size_t)n), i + 1);
        assert_int_equal(intern_find(t, name, (size_t)n), i + 1);
        assert_string_equal(intern_text(t, i + 1), name);
    }
    assert_ptr_equal(kept, intern_text(t, 42));
    assert_int_equal(intern_count(t), 5001);
    assert_int_equal(intern_find(t, "other", 5), UINT32_MAX);
    intern_trim(t); /* still found, and made anew by a put */
    assert_int_equal(intern_find(t, "name-77", 7), 78);
    assert_int_equal(intern_find(t, "other", 5), UINT32_MAX);
    assert_int_equal(intern_put(t, "name-4999", 9), 5000);
    assert_int_equal(intern_find(t, "name-77", 7), 78);
    assert_int_equal(intern_put(t, "a\0b", 3), 5001);
    assert_int_equal(intern_put(t, "a", 1), 5002);
    assert_string_equal(intern_text(t, 99999), "");
    assert_true(intern_bytes(t) > 5000 * 8);
    intern_free(t);
}

static void arena_gives_aligned_zeroed_blocks(void **state) {
    struct arena *a = arena_new();
    (void)state;
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *p = arena_alloc(a, size);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, size);
        assert_string_equal(arena_strndup(a, "abcdef", 3), "abc");
    }
    assert_non_null(arena_alloc(a, 1 << 22));
    assert_string_equal(arena_strdup(a, ""), "");
    assert_true(arena_bytes(a) > 1 << 22);
    arena_free(a);
    arena_free(NULL);
}

static void say_goodbye(void) {
    if (write(STDOUT_FILENO, "bye", 3) != 3)
        _exit(1);
}

/* A product that wraps must kill the program, after the hook had its turn with the terminal. */
static void mem_overflow_is_fatal(void **state) {
    int pipe_ends[2], status;
    char said[8] = "";
    (void)state;
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(pipe_ends[1], STDOUT_FILENO);
        close(STDERR_FILENO);
        mem_on_fatal(say_goodbye);
        mem_zero(SIZE_MAX / 2, 4);
        _exit(0);
    }
    assert_true(child > 0);
    close(pipe_ends[1]);
    assert_int_equal(read(pipe_ends[0], said, sizeof said - 1), 3);
    close(pipe_ends[0]);
    assert_string_equal(said, "bye");
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void buf_is_always_terminated(void **state) {
    struct buf b = {0};
    (void)state;
    buf_puts(&b, "");
    assert_string_equal(b.data, "");
    buf_printf(&b, "%s-%d", "x", 7);
    buf_pad(&b, '.', 3);
    buf_putc(&b, '!');
    assert_string_equal(b.data, "x-7...!");
    buf_clear(&b);
    for (int i = 0; i < 100; i++)
        buf_printf(&b, "%0100d", i);
    assert_int_equal(b.len, 10000);
    assert_int_equal(strlen(b.data), 10000);
    buf_free(&b);
    assert_null(b.data);
}

static void hash_is_stable(void **state) {
    (void)state;
    assert_true(hash_bytes("abc", 3, 0) == hash_bytes("abc", 3, 0));
    assert_true(hash_bytes("abc", 3, 0) != hash_bytes("abc", 3, 1));
    assert_true(hash_bytes("abc", 3, 0) != hash_bytes("abd", 3, 0));
    assert_true(hash_bytes("a\0", 2, 0) != hash_bytes("a", 1, 0));
    assert_true(hash_bytes("gpuplan", 7, 0) == UINT64_C(0x31678a45c0b54578));
}

static void err_is_safe_to_print(void **state) {
    struct err err;
    char text[512];
    (void)state;
    assert_false(err_set(&err, ERR_DATA, "bad \x1b[2J %s", "\xe2\x80\xae"));
    assert_string_equal(err.text, "bad \\x1b[2J \\u{202E}");
    err_at(&err, "a\nb.csv", 7, 3, "rate");
    err_format(&err, text, sizeof text);
    assert_string_equal(text, "a\\x0ab.csv:7: record 3: rate: bad \\x1b[2J \\u{202E}");
    assert_int_equal(err_format(&err, text, 5), 4);
    assert_false(err_set(NULL, ERR_IO, "x"));
    assert_false(err_at(NULL, "x", 1, 1, "y"));
    err_set(&err, ERR_IO, "%0999d", 1);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void data_is_compiled_in(void **state) {
    size_t count;
    struct blob blob;
    const char *const *names = data_names(&count);
    (void)state;
    assert_true(count >= 5);
    for (size_t i = 0; i < count; i++) {
        assert_true(data_builtin(names[i], &blob));
        assert_true(blob.len > 0);
        assert_int_equal(blob.bytes[blob.len], 0);
    }
    assert_false(data_builtin("nothing.csv", &blob));
    assert_false(data_overlaid("gpus.csv", &blob));
    data_overlay("gpus.csv", "a\n", 2);
    data_overlay("gpus.csv", "b\nc", 3);
    assert_true(data_overlaid("gpus.csv", &blob));
    assert_string_equal(blob.bytes, "b\nc");
    data_overlay_clear();
    assert_false(data_overlaid("gpus.csv", &blob));
}

static void provenance_has_names(void **state) {
    (void)state;
    for (int i = 0; i < PROVENANCE_COUNT; i++)
        assert_int_equal(provenance_find(provenance_name((enum provenance)i)), i);
    assert_int_equal(provenance_find("guessed"), -1);
}

/* Room made ahead changes nothing of what is in the table. */
static void intern_keeps_what_it_has_when_room_is_made(void **state) {
    struct intern *t = intern_new();
    char name[32];
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        if (i == 500)
            intern_reserve(t, 100000);
        int n = snprintf(name, sizeof name, "name-%u", i);
        assert_int_equal(intern_put(t, name, (size_t)n), i + 1);
    }
    intern_reserve(t, 1);
    for (uint32_t i = 0; i < 1000; i++) {
        int n = snprintf(name, sizeof name, "name-%u", i);
        assert_int_equal(intern_find(t, name, (size_t)n), i + 1);
    }
    assert_int_equal(intern_find(t, "other", 5), UINT32_MAX);
    intern_free(t);
}

/* ---- merging in slices ---- */

struct pair {
    int key, place;
};

static int by_pair_key(const void *a, const void *b, void *user) {
    ++*(size_t *)user;
    return ((const struct pair *)a)->key - ((const struct pair *)b)->key;
}

/* Stable, complete, whatever the length and the slice; no slice takes more than it was given. */
static void merges_stop_and_go_on(void **state) {
    (void)state;
    static const size_t slices[] = {1, 2, 5, 64, SIZE_MAX};
    for (size_t n = 0; n < 70; n++)
        for (size_t s = 0; s < sizeof slices / sizeof slices[0]; s++)
            for (int keys = 1; keys < 40; keys += 13) {
                struct pair items[70], spare[70];
                size_t compared = 0;
                struct merge_sort m = {.items = items,
                                       .spare = spare,
                                       .count = n,
                                       .size = sizeof items[0],
                                       .compare = by_pair_key,
                                       .user = &compared};
                for (size_t i = 0; i < n; i++)
                    items[i] = (struct pair){(int)(i * 7919 % 101) % keys, (int)i};
                for (bool done = false; !done;) {
                    size_t before = compared;
                    done = merge_sort_step(&m, slices[s]);
                    assert_true(slices[s] > 64 || compared - before <= 2 * slices[s]);
                }
                const struct pair *out = m.items;
                for (size_t i = 1; i < n; i++)
                    assert_true(out[i - 1].key < out[i].key ||
                                (out[i - 1].key == out[i].key && out[i - 1].place < out[i].place));
                assert_true(n == 0 || merge_sort_step(&m, 1));
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_clean_shows_what_is_hidden),
        cmocka_unit_test(text_clean_replaces_what_has_no_width),
        cmocka_unit_test(text_clean_limits_marks),
        cmocka_unit_test(text_clean_cuts_at_a_character),
        cmocka_unit_test(text_clean_is_idempotent_on_noise),
        cmocka_unit_test(text_width_agrees_with_the_terminal),
        cmocka_unit_test(text_fit_counts_columns),
        cmocka_unit_test(text_matches_without_case),
        cmocka_unit_test(text_gates_of_other_exits),
        cmocka_unit_test(num_parse_reads_suffixes),
        cmocka_unit_test(num_parse_refuses),
        cmocka_unit_test(num_parse_plain_rounds_like_strtod),
        cmocka_unit_test(num_ignores_the_locale),
        cmocka_unit_test(num_format_is_short),
        cmocka_unit_test(num_format_plain_has_no_exponent),
        cmocka_unit_test(range_is_ordered),
        cmocka_unit_test(csv_knows_its_lines),
        cmocka_unit_test(csv_fails_with_a_place),
        cmocka_unit_test(csv_has_limits),
        cmocka_unit_test(csv_table_finds_cells),
        cmocka_unit_test(json_has_limits),
        cmocka_unit_test(json_reads_by_name),
        cmocka_unit_test(json_writes_no_nan),
        cmocka_unit_test(intern_gives_equal_ids_to_equal_text),
        cmocka_unit_test(arena_gives_aligned_zeroed_blocks),
        cmocka_unit_test(mem_overflow_is_fatal),
        cmocka_unit_test(buf_is_always_terminated),
        cmocka_unit_test(hash_is_stable),
        cmocka_unit_test(err_is_safe_to_print),
        cmocka_unit_test(data_is_compiled_in),
        cmocka_unit_test(provenance_has_names),
        cmocka_unit_test(intern_keeps_what_it_has_when_room_is_made),
        cmocka_unit_test(merges_stop_and_go_on),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
