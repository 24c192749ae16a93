/* SPDX-License-Identifier: MIT */
/* Text from outside: what the gates let through, widths, cuts, matches. */
#include "support.h"

#include <locale.h>
#include <math.h>
#include <wchar.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/mem.h"
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_clean_shows_what_is_hidden),   cmocka_unit_test(text_clean_replaces_what_has_no_width),
        cmocka_unit_test(text_clean_limits_marks),           cmocka_unit_test(text_clean_cuts_at_a_character),
        cmocka_unit_test(text_clean_is_idempotent_on_noise), cmocka_unit_test(text_width_agrees_with_the_terminal),
        cmocka_unit_test(text_fit_counts_columns),           cmocka_unit_test(text_matches_without_case),
        cmocka_unit_test(text_gates_of_other_exits),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
