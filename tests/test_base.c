/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/data.h"
#include "gpuplan/base/err.h"
#include "gpuplan/base/merge.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/provenance.h"

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
        cmocka_unit_test(num_parse_reads_suffixes),
        cmocka_unit_test(num_parse_refuses),
        cmocka_unit_test(num_parse_plain_rounds_like_strtod),
        cmocka_unit_test(num_ignores_the_locale),
        cmocka_unit_test(num_format_is_short),
        cmocka_unit_test(num_format_plain_has_no_exponent),
        cmocka_unit_test(range_is_ordered),
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
