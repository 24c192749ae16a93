/* SPDX-License-Identifier: MIT */
/* How the real program begins and ends: signals, a terminal that hangs up or is none, what is piped in, what it remembers. */
#include "terminal_support.h"

#include <sys/stat.h>

/* ---- ends ---- */

static void every_way_to_quit_ends_well(void **state) {
    (void)state;
    static const struct {
        const char *keys;
        int status;
    } ways[] = {{"q", 0}, {"Q", 0}, {"\033[21~", 0}, {"\003", 130}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct session *s = session_start(80, 24, NULL, NULL);
        ready(s);
        type(s, ways[i].keys);
        int status = session_end(s);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), ways[i].status);
        assert_restored(s);
        session_free(s, false);
    }
}

static void signals_leave_the_terminal_sane(void **state) {
    (void)state;
    static const char *const environment[] = {
        "ASAN_OPTIONS", "detect_leaks=0:handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0", NULL};
    static const int signals[] = {SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGFPE, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct session *s = session_start(80, 24, NULL, environment);
        ready(s);
        kill(s->pid, signals[i]);
        int status = session_end(s);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_restored(s);
        session_free(s, false);
    }
}

static void an_interrupt_from_outside_leaves_with_130(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    kill(s->pid, SIGINT);
    int status = session_end(s);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    assert_restored(s);
    session_free(s, false);
}

/* Stopped by its key or by a signal, continued by the shell above it; the terminal is sane meanwhile. */
static void it_can_be_stopped_and_goes_on(void **state) {
    (void)state;
    for (int by_signal = 0; by_signal < 2; by_signal++) {
        struct session *s = session_open(&(struct start){.columns = 80, .rows = 24, .supervised = true});
        char byte = 'c';
        pid_t group = -1;
        ready(s);
        assert_int_equal(ioctl(s->master, TIOCGPGRP, &group), 0);
        if (by_signal)
            kill(group, SIGTSTP);
        else
            type(s, "\032");
        struct pollfd fd = {.fd = s->report, .events = POLLIN};
        assert_int_equal(poll(&fd, 1, FRAME_MS), 1);
        assert_int_equal(read(s->report, &byte, 1), 1);
        while (poll(&(struct pollfd){.fd = s->master, .events = POLLIN}, 1, QUIET_MS) > 0)
            take_output(s);
        assert_restored(s);
        struct winsize size = {.ws_col = 100, .ws_row = 30}; /* resized while it slept */
        s->columns = 100;
        s->rows = 30;
        vterm_set_size(s->vt, 30, 100);
        ioctl(s->master, TIOCSWINSZ, &size);
        s->raw_len = 0;
        assert_int_equal(write(s->control, &byte, 1), 1);
        for (int i = 0; i < 10 && !strstr(row_text(s, 29), "F10Quit"); i++)
            assert_true(await_frame(s) >= 0);
        assert_true(raw_has(s, "\033[?1049h"));
        assert_true(raw_has(s, "1000h")); /* the mouse is back */
        press(s, "2");
        assert_true(screen_has(s, "[2 Workload]"));
        type(s, "Q");
        assert_int_equal(session_end(s), 0);
        assert_restored(s);
        session_free(s, false);
    }
}

static void it_ends_when_the_terminal_hangs_up(void **state) {
    (void)state;
    for (int piped = 0; piped < 2; piped++) {
        struct session *s = session_open(
            &(struct start){.columns = 80,
                            .rows = 24,
                            .environment = (const char *const[]){"GPUPLAN_FRAME_FD", NULL,
                                                                 NULL}, /* a pipe nobody reads would end it too */
                            .input = piped ? "provider,gpu,gpus,rate_usd_h\nplain,A100-SXM4-80GB,1,1\n" : NULL});
        int status, tries = 0;
        while (!screen_has(s, "F10Quit"))
            take_output(s);
        close(s->master);
        s->master = -1;
        while (waitpid(s->pid, &status, WNOHANG) == 0 && tries++ < 500)
            usleep(10000);
        if (tries > 500) {
            kill(s->pid, SIGKILL);
            fail_msg("it outlived its terminal");
        }
        session_free(s, false);
    }
}

/* ---- beginnings ---- */

static void without_a_usable_terminal_the_ranking_is_printed(void **state) {
    (void)state;
    static const char *const terms[] = {"dumb", "nosuch-terminal", "", NULL};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        struct session *s = session_start(80, 24, NULL, (const char *const[]){"TERM", terms[i], NULL});
        assert_int_equal(session_end(s), 0);
        assert_true(raw_has(s, "the ranking is printed instead"));
        assert_true(raw_has(s, "Offer"));
        assert_false(raw_has(s, "\033"));
        session_free(s, false);
    }
}

static void into_a_file_goes_the_ranking(void **state) {
    (void)state;
    char command[512], line[4096] = "";
    snprintf(command, sizeof command, "TERM=xterm-256color '%s' 2>&1 </dev/null", getenv("GPUPLAN"));
    FILE *f = popen(command, "r");
    assert_non_null(f);
    size_t n = fread(line, 1, sizeof line - 1, f);
    line[n] = '\0';
    while (fread(command, 1, sizeof command, f) > 0)
        continue;
    assert_int_equal(pclose(f), 0);
    assert_non_null(strstr(line, "Offer"));
    assert_null(strchr(line, '\033'));
}

static void listings_are_piped_in_and_keys_come_from_the_terminal(void **state) {
    (void)state;
    static const char listing[] =
        "provider,machine,gpu,gpus,rate_usd_h,rate_basis\npiped,xyzzy,A100-SXM4-80GB,1,1,machine\n";
    struct session *s = session_open(&(struct start){.columns = 80, .rows = 24, .input = listing, .supervised = true});
    await_text(s, "xyzzy");
    press(s, "3");
    assert_true(screen_has(s, "[3 Explain]"));
    type(s, "\003");
    int status = session_end(s);
    assert_int_equal(WEXITSTATUS(status), 130);
    assert_restored(s);
    session_free(s, false);
    s = session_open(&(struct start){
        .columns = 80, .rows = 24, .input = listing, .environment = (const char *const[]){"TERM", "dumb", NULL}});
    assert_int_equal(session_end(s), 0);
    assert_true(raw_has(s, "xyzzy"));
    session_free(s, false);
}

static void a_locale_without_utf8_gets_ascii(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, (const char *const[]){"LC_ALL", "C", NULL});
    ready(s);
    press(s, "3");
    press(s, "2");
    press(s, "?");
    press(s, "x");
    type(s, "Q");
    assert_int_equal(session_end(s), 0);
    for (size_t i = 0; i < s->raw_len; i++)
        assert_true((unsigned char)s->raw[i] < 0x80);
    session_free(s, false);
}

/* Braille stands for itself alone in UTF-8: its three bytes begin with E2 A0 to E2 A3. */
static bool has_braille(const struct session *s) {
    for (size_t i = 0; i + 1 < s->raw_len; i++)
        if ((unsigned char)s->raw[i] == 0xE2 && ((unsigned char)s->raw[i + 1] & 0xFC) == 0xA0)
            return true;
    return false;
}

static bool has_color(struct session *s) {
    for (int row = 0; row < s->rows; row++)
        for (int column = 0; column < s->columns; column++) {
            VTermScreenCell cell = cell_at(s, row, column);
            if (!VTERM_COLOR_IS_DEFAULT_FG(&cell.fg))
                return true;
        }
    return false;
}

/* Kind of terminal, locale and NO_COLOR in every combination: charts and tables come up, in what there is. */
static void every_environment_shows_the_screens(void **state) {
    (void)state;
    static const struct {
        const char *term;
        bool colors, braille;
    } terms[] = {{"xterm-256color", true, true},
                 {"tmux-256color", true, true},
                 {"linux", true, false},
                 {"vt100", false, true},
                 {"xterm-mono", false, true}};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        for (int utf8 = 0; utf8 < 2; utf8++)
            for (int plain = 0; plain < 2; plain++) {
                const char *const environment[] = {"TERM",     terms[i].term,      "LC_ALL", utf8 ? "C.UTF-8" : "C",
                                                   "NO_COLOR", plain ? "1" : NULL, NULL};
                struct session *s = session_start(100, 30, NULL, environment);
                ready(s);
                press(s, "4");
                await_text(s, "[4 What-if]");
                press(s, "p"); /* the curve */
                await_text(s, "Speed-up over");
                press(s, "5");
                await_text(s, "to the right");
                if (has_color(s) != (terms[i].colors && !plain))
                    fail_msg("TERM=%s NO_COLOR=%d: wrong colours", terms[i].term, plain);
                type(s, "Q");
                assert_int_equal(session_end(s), 0);
                for (size_t k = 0; k < s->raw_len && !utf8; k++)
                    assert_true((unsigned char)s->raw[k] < 0x80);
                if (has_braille(s) != (terms[i].braille && utf8))
                    fail_msg("TERM=%s UTF-8=%d: wrong dots", terms[i].term, utf8);
                session_free(s, false);
            }
}

/* ---- what stays ---- */

static struct session *again(const char *home) {
    return session_open(&(struct start){.columns = 80, .rows = 24, .home = home});
}

/* Screen, filter and order come back; the configuration is only read. */
static void state_comes_back_and_the_config_is_untouched(void **state) {
    (void)state;
    char home[] = "/tmp/gpuplan-home-XXXXXX", path[128];
    struct stat before, after;
    assert_non_null(mkdtemp(home));
    snprintf(path, sizeof path, "mkdir -p '%s/.config/gpuplan'", home);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/.config/gpuplan/config", home);
    FILE *f = fopen(path, "w");
    assert_true(f && fputs("# mine\n", f) >= 0 && fclose(f) == 0);
    assert_int_equal(stat(path, &before), 0);
    struct session *s = again(home);
    ready(s);
    type(s, "\\gpus>=8\r");
    await_text(s, " 8x ");
    press(s, "2");
    type(s, "Q");
    assert_int_equal(session_end(s), 0);
    session_free(s, true);

    s = again(home);
    await_text(s, "[2 Workload]");
    press(s, "1");
    await_text(s, " 8x ");
    assert_false(screen_has(s, "  1x "));
    kill(s->pid, SIGTERM); /* remembered as well */
    session_end(s);
    session_free(s, true);

    s = again(home);
    await_text(s, "[1 Rank]");
    type(s, "Q");
    session_end(s);
    session_free(s, true);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_int_equal(before.st_ino, after.st_ino);
    snprintf(path, sizeof path, "%s/.local/state/gpuplan/state.json", home);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_mode & 0777, 0600);
    remove_folder(home);
}

/* A state that is broken, and a home that cannot be written, are no reason not to start. */
static void odd_homes_do_no_harm(void **state) {
    (void)state;
    char command[256], home[] = "/tmp/gpuplan-home-XXXXXX";
    assert_non_null(mkdtemp(home));
    snprintf(command, sizeof command,
             "mkdir -p '%s/.local/state/gpuplan' && printf '{\"screen\":7,\"marks\":[[]],' "
             ">'%s/.local/state/gpuplan/state.json'",
             home, home);
    assert_int_equal(system(command), 0);
    struct session *s = again(home);
    ready(s);
    type(s, "Q");
    assert_int_equal(session_end(s), 0);
    session_free(s, true);
    remove_folder(home);
    s = session_start(80, 24, NULL, (const char *const[]){"HOME", "/nonexistent", "XDG_STATE_HOME", "relative", NULL});
    ready(s);
    assert_int_equal(session_quit(s), 0);
}

/* ---- anything ---- */

static uint32_t chance(uint32_t *seed, uint32_t below) {
    *seed = *seed * 1664525U + 1013904223U;
    return (*seed >> 8) % below;
}

/* A few keys, clicks or a new size. Never a slash: nothing is saved outside the home of the test. */
static void do_anything(struct session *s, uint32_t *seed) {
    static const char *const keys[] = {
        "\033",   "\033",   "\r",       "\r",       "\t",           "\033OA", "\033OB",       "\033OC",       "\033OD",
        "\033OH", "\033OF", "\033[5~",  "\033[6~",  "\033[3~",      "\033[Z", "\177",         "\033OP",       "\033OQ",
        "\033OR", "\033OS", "\033[15~", "\033[17~", "\033[20~",     "\004",   "\025",         "\022",         "\014",
        "\032",   "1",      "2",        "3",        "\344\270\255", "\377",   "\033[<0;9;9M", "\033[<64;5;5M"};
    char letter[2] = {(char)(' ' + chance(seed, 95)), 0};
    uint32_t what = chance(seed, 40);
    if (what == 0) {
        struct winsize size = {.ws_col = (unsigned short)(2 + chance(seed, 160)),
                               .ws_row = (unsigned short)(1 + chance(seed, 50))};
        s->columns = size.ws_col;
        s->rows = size.ws_row;
        vterm_set_size(s->vt, s->rows, s->columns);
        ioctl(s->master, TIOCSWINSZ, &size);
    } else if (what < 6) {
        click(s, what == 5 ? 1 : (int)what, (int)chance(seed, (uint32_t)s->rows),
              (int)chance(seed, (uint32_t)s->columns));
    } else if (what < 20) {
        type(s, letter[0] == '/' || letter[0] == 'Q' || letter[0] == 'q' ? "j" : letter);
    } else {
        type(s, keys[chance(seed, sizeof keys / sizeof *keys)]);
    }
}

/* Two seconds; GPUPLAN_RANDOM_SECONDS says otherwise. Whenever it ends, it ends well and is started again where it was. */
static void random_actions_do_no_harm(void **state) {
    (void)state;
    char home[] = "/tmp/gpuplan-home-XXXXXX";
    const char *given = getenv("GPUPLAN_RANDOM_SECONDS");
    double seconds = given ? atof(given) : 2, begin = now_ms();
    uint32_t seed = given ? (uint32_t)getpid() : 1;
    long steps = 0, starts = 0;
    assert_non_null(mkdtemp(home));
    print_message("seed %u\n", seed);
    while (now_ms() - begin < seconds * 1e3) {
        struct session *s = again(home);
        bool alive = true;
        await_text(s, "Rank");
        for (starts++; alive && now_ms() - begin < seconds * 1e3; steps++) {
            do_anything(s, &seed);
            while (alive && poll(&(struct pollfd){.fd = s->master, .events = POLLIN}, 1, 2) > 0)
                alive = take_output(s);
            char numbers[4096];
            while (poll(&(struct pollfd){.fd = s->frames, .events = POLLIN}, 1, 0) > 0 &&
                   read(s->frames, numbers, sizeof numbers) > 0)
                continue;
        }
        if (alive)
            type(s, "\003\003\003");
        int status = session_end(s);
        if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 130))
            fail_msg("after %ld steps: status 0x%x\n%.2000s", steps, (unsigned)status,
                     s->raw + (s->raw_len > 2000 ? s->raw_len - 2000 : 0));
        assert_restored(s);
        session_free(s, true);
    }
    print_message("%ld steps, %ld starts\n", steps, starts);
    remove_folder(home);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_quit_ends_well),
        cmocka_unit_test(signals_leave_the_terminal_sane),
        cmocka_unit_test(an_interrupt_from_outside_leaves_with_130),
        cmocka_unit_test(it_can_be_stopped_and_goes_on),
        cmocka_unit_test(it_ends_when_the_terminal_hangs_up),
        cmocka_unit_test(without_a_usable_terminal_the_ranking_is_printed),
        cmocka_unit_test(into_a_file_goes_the_ranking),
        cmocka_unit_test(listings_are_piped_in_and_keys_come_from_the_terminal),
        cmocka_unit_test(a_locale_without_utf8_gets_ascii),
        cmocka_unit_test(every_environment_shows_the_screens),
        cmocka_unit_test(state_comes_back_and_the_config_is_untouched),
        cmocka_unit_test(odd_homes_do_no_harm),
        cmocka_unit_test(random_actions_do_no_harm),
    };
    return cmocka_run_group_tests_name("terminal_life", tests, NULL, NULL);
}
