/* SPDX-License-Identifier: MIT */
/*
 * How quick the interface is, as a person meets it (make bench): start to the first useful screen on the bundled listings, a
 * key to its screen at 10,000 offers, bytes of a move of the cursor, bytes and processor time while nothing happens.
 */
#include "terminal_support.h"

#include <sys/resource.h>

enum { RUNS = 9, KEYS = 40, OFFERS = 10000 };

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void say(const char *what, double *ms, int n, double bar) {
    qsort(ms, (size_t)n, sizeof *ms, by_size);
    printf("%-40s median %7.1f  least %7.1f  most %7.1f ms  (bar %.0f)\n", what, ms[n / 2], ms[0], ms[n - 1], bar);
}

/* The time at which the text is first on the screen; frames are not waited out. */
static double shown_after(struct session *s, const char *text) {
    while (!screen_has(s, text))
        if (!take_output(s))
            fail_msg("it ended before \"%s\" was shown", text);
    return now_ms() - s->begin;
}

static void first_screen(void **state) {
    (void)state;
    double ms[RUNS], cpu[RUNS];
    for (int i = 0; i < RUNS; i++) {
        struct rusage before, after;
        struct session *s = session_start(80, 24, NULL, NULL);
        ms[i] = shown_after(s, ">  1");
        getrusage(RUSAGE_CHILDREN, &before);
        assert_int_equal(session_quit(s), 0);
        getrusage(RUSAGE_CHILDREN, &after);
        cpu[i] = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1e3 +
                 (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e3 +
                 (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) * 1e3 +
                 (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec) / 1e3;
    }
    say("first useful screen, bundled listings", ms, RUNS, 50);
    say("  processor time of that whole run", cpu, RUNS, 50);
}

static void write_listing(char *path) {
    static const char *const gpus[] = {"A100-SXM4-80GB", "H100-SXM5-80GB", "RTX-4090", "L40S", "A100-SXM4-40GB"};
    FILE *f;
    strcpy(path, "/tmp/gpuplan-bench-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0 && (f = fdopen(fd, "w")) != NULL);
    fputs("id,provider,machine,gpu,gpus,rate_usd_h,rate_basis,region,ram_gb\n", f);
    for (int i = 0; i < OFFERS; i++)
        fprintf(f, "o%d,vast,machine %d,%s,%d,%.3f,gpu,region-%d,%d\n", i, i, gpus[i % 5], 1 << i / 5 % 4,
                0.3 + (double)(i * 7919 % 4000) / 1000, i % 40, 64 + i % 7 * 64);
    assert_int_equal(fclose(f), 0);
}

/* From each key to the first frame after it, and to the last: a new order is made in slices. */
static void time_keys(struct session *s, const char *what, const char *const *keys, int count, double bar) {
    double first[KEYS], last[KEYS];
    int n = KEYS / count * count;
    s->raw_len = 0;
    for (int i = 0; i < n; i++) {
        double begin = now_ms();
        first[i] = last[i] = 0;
        type(s, keys[i % count]);
        for (struct pollfd fds[2];;) {
            char numbers[256];
            fds[0] = (struct pollfd){.fd = s->master, .events = POLLIN};
            fds[1] = (struct pollfd){.fd = s->frames, .events = POLLIN};
            if (poll(fds, 2, first[i] > 0 ? 2 * QUIET_MS : FRAME_MS) <= 0)
                break;
            if (fds[1].revents & POLLIN && read(s->frames, numbers, sizeof numbers) > 0) {
                last[i] = now_ms() - begin;
                first[i] = first[i] > 0 ? first[i] : last[i];
            }
            if (fds[0].revents && !take_output(s))
                fail_msg("it ended");
        }
    }
    printf("10,000 offers, %s, %zu bytes a key\n", what, s->raw_len / (size_t)n);
    say("  key to the first frame", first, n, bar);
    say("  key to the last frame", last, n, bar);
}

static void keys_at_ten_thousand_offers(void **state) {
    (void)state;
    static const char *const moves[] = {"j", "j", "j", "k"}, *const pages[] = {"\033[6~", "G", "g", "\033[6~"},
                             *const screens[] = {"3", "2", "1"}, *const inverted[] = {"I"}, *const goals[] = {"o"},
                             *const typing[] = {"\\", "g", "p", "u", "s", ">", "=", "4", "\033"},
                             *const finding[] = {"/", "n", "e", " ", "9", "9", "9", "\033"};
    char path[40];
    write_listing(path);
    struct session *s = session_start(140, 40, (const char *const[]){"-l", path, NULL}, NULL);
    double begin = shown_after(s, ">  1");
    printf("%-40s %7.1f ms (read by a child)\n", "first row of 10,000 offers from a file", begin);
    await_text(s, "F10Quit");
    while (poll(&(struct pollfd){.fd = s->master, .events = POLLIN}, 1, 500) > 0)
        take_output(s);
    for (char bytes[512]; poll(&(struct pollfd){.fd = s->frames, .events = POLLIN}, 1, 0) > 0;)
        assert_true(read(s->frames, bytes, sizeof bytes) > 0);
    time_keys(s, "move", moves, 4, 16);
    time_keys(s, "page, ends", pages, 4, 16);
    time_keys(s, "another screen", screens, 3, 16);
    press(s, "s");
    press(s, "\033OB");
    press(s, "\r"); /* only the order of a column can be turned */
    time_keys(s, "order turned", inverted, 1, 16);
    time_keys(s, "another goal", goals, 1, 16);
    time_keys(s, "typing a filter", typing, 9, 16);
    time_keys(s, "typing a find", finding, 8, 16);
    assert_int_equal(session_quit(s), 0);
    unlink(path);
}

static void idle(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    while (poll(&(struct pollfd){.fd = s->master, .events = POLLIN}, 1, 300) > 0)
        take_output(s);
    size_t before = s->raw_len;
    poll(&(struct pollfd){.fd = s->master, .events = POLLIN}, 1, 2000);
    printf("idle for 2 s: %zu bytes\n", s->raw_len - before);
    assert_int_equal(session_quit(s), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_screen),
        cmocka_unit_test(keys_at_ten_thousand_offers),
        cmocka_unit_test(idle),
    };
    return cmocka_run_group_tests_name("bench_terminal", tests, NULL, NULL);
}
