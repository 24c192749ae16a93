/* SPDX-License-Identifier: MIT */
/*
 * The real program in an emulated terminal: what a person would see, key by key. GPUPLAN names the program. A frame is awaited
 * through the descriptor that GPUPLAN_FRAME_FD names, never by sleeping. At least two columns: libvterm 0.1.4 cannot put a
 * wide character on one.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>

#include <vterm.h>

enum { FRAME_MS = 5000, QUIET_MS = 40, RAW_MAX = 1 << 20 };

struct session {
    VTerm *vt;
    VTermScreen *screen;
    int master, frames, rows, columns;
    pid_t pid;
    char *raw; /* all bytes the program wrote */
    size_t raw_len;
    char home[64];
};

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void answer(const char *bytes, size_t len, void *user) {
    struct session *s = user;
    ssize_t ignored = write(s->master, bytes, len);
    (void)ignored;
}

static void isolate(const struct session *s, int frame_fd, const char *const *extra) {
    static const char *const gone[] = {"COLUMNS",        "LINES",          "ESCDELAY",        "NO_COLOR",
                                       "LANGUAGE",       "GPUPLAN_SCHEME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
                                       "XDG_STATE_HOME", "XDG_CACHE_HOME"};
    char fd[16];
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        unsetenv(gone[i]);
    snprintf(fd, sizeof fd, "%d", frame_fd);
    setenv("GPUPLAN_FRAME_FD", fd, 1);
    setenv("HOME", s->home, 1);
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    for (; extra && extra[0]; extra += 2)
        setenv(extra[0], extra[1], 1);
}

/* arguments: NULL-terminated, after the program's name; extra: names and values for the environment. */
static struct session *session_start(int columns, int rows, const char *const *arguments, const char *const *extra) {
    struct session *s = calloc(1, sizeof *s);
    const char *program = getenv("GPUPLAN");
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    int frames[2];
    assert_non_null(s);
    assert_non_null(program);
    strcpy(s->home, "/tmp/gpuplan-test-XXXXXX");
    assert_non_null(mkdtemp(s->home));
    s->raw = malloc(RAW_MAX);
    s->rows = rows;
    s->columns = columns;
    assert_int_equal(pipe(frames), 0);
    s->pid = forkpty(&s->master, NULL, NULL, &size);
    assert_true(s->pid >= 0);
    if (s->pid == 0) {
        char *argv[16] = {strdup("gpuplan")};
        for (int i = 0; arguments && arguments[i] && i < 14; i++)
            argv[i + 1] = strdup(arguments[i]);
        isolate(s, frames[1], extra);
        execv(program, argv);
        _exit(127);
    }
    close(frames[1]);
    s->frames = frames[0];
    s->vt = vterm_new(rows, columns);
    vterm_set_utf8(s->vt, 1);
    vterm_output_set_callback(s->vt, answer, s);
    s->screen = vterm_obtain_screen(s->vt);
    vterm_screen_reset(s->screen, 1);
    return s;
}

/* Reads what is there; false at the end of the program. */
static bool take_output(struct session *s) {
    char bytes[16384];
    ssize_t n = read(s->master, bytes, sizeof bytes);
    if (n <= 0)
        return n < 0 && errno == EAGAIN;
    vterm_input_write(s->vt, bytes, (size_t)n);
    if (s->raw_len + (size_t)n < RAW_MAX) {
        memcpy(s->raw + s->raw_len, bytes, (size_t)n);
        s->raw_len += (size_t)n;
    }
    return true;
}

/* Until a frame was drawn and the output is quiet; the time to the frame in ms, < 0: none came. */
static double await_frame(struct session *s) {
    double begin = now_ms(), frame = -1;
    for (;;) {
        struct pollfd fds[2] = {{.fd = s->master, .events = POLLIN}, {.fd = s->frames, .events = POLLIN}};
        int ready = poll(fds, 2, frame >= 0 ? QUIET_MS : FRAME_MS);
        if (ready <= 0)
            return frame;
        if (fds[0].revents && !take_output(s))
            return frame;
        if (fds[1].revents & POLLIN) {
            char numbers[256];
            ssize_t n = read(s->frames, numbers, sizeof numbers);
            frame = n > 0 ? now_ms() - begin : frame;
        } else if (fds[1].revents && !fds[0].revents) {
            return frame;
        }
    }
}

static const char *row_text(struct session *s, int row) {
    static char text[4096];
    size_t len = 0;
    for (int column = 0; column < s->columns;) {
        VTermScreenCell cell;
        vterm_screen_get_cell(s->screen, (VTermPos){row, column}, &cell);
        uint32_t c = cell.chars[0] ? cell.chars[0] : ' ';
        len += (size_t)snprintf(text + len, sizeof text - len, c < 0x80 ? "%c" : "?", (int)c);
        column += cell.width > 0 ? cell.width : 1;
    }
    return text;
}

static bool screen_has(struct session *s, const char *text) {
    for (int row = 0; row < s->rows; row++)
        if (strstr(row_text(s, row), text))
            return true;
    return false;
}

static void type(struct session *s, const char *keys) {
    assert_int_equal(write(s->master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* Waits for the end; the status as waitpid() gives it. */
static int session_end(struct session *s) {
    int status = -1;
    double begin = now_ms();
    fcntl(s->master, F_SETFL, O_NONBLOCK);
    while (waitpid(s->pid, &status, WNOHANG) == 0) {
        struct pollfd fd = {.fd = s->master, .events = POLLIN};
        if (poll(&fd, 1, 20) > 0)
            take_output(s);
        if (now_ms() - begin > FRAME_MS) {
            kill(s->pid, SIGKILL);
            waitpid(s->pid, &status, 0);
            fail_msg("the program did not end");
        }
    }
    while (s->raw_len < RAW_MAX) {
        size_t before = s->raw_len;
        if (!take_output(s) || s->raw_len == before)
            break;
    }
    return status;
}

static void session_free(struct session *s) {
    char command[128];
    vterm_free(s->vt);
    close(s->master);
    close(s->frames);
    snprintf(command, sizeof command, "rm -rf '%s'", s->home);
    assert_int_equal(system(command), 0);
    free(s->raw);
    free(s);
}

static bool raw_has(const struct session *s, const char *bytes) {
    return memmem(s->raw, s->raw_len, bytes, strlen(bytes)) != NULL;
}

static void assert_restored(const struct session *s) {
    assert_true(raw_has(s, "\033[?1049l")); /* the other screen is left */
    assert_true(raw_has(s, "1000l"));       /* the mouse is off */
}

/* Frames come until this is on the screen. */
static void await_text(struct session *s, const char *text) {
    for (int i = 0; i < 20 && !screen_has(s, text); i++)
        if (await_frame(s) < 0)
            break;
    if (!screen_has(s, text))
        fail_msg("\"%s\" never appeared", text);
}

static void ready(struct session *s) {
    await_text(s, "Offer");
}

/* ---- tests ---- */

static void first_screen_shows_the_ranking(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    assert_true(screen_has(s, "[1 Rank]"));
    assert_true(screen_has(s, "Offer"));
    assert_true(screen_has(s, "F1Help"));
    type(s, "q");
    int status = session_end(s);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_restored(s);
    session_free(s);
}

static void keys_and_clicks_move_between_screens(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    type(s, "3");
    await_frame(s);
    assert_true(screen_has(s, "[3 Explain]"));
    type(s, "\033OP"); /* F1 */
    await_frame(s);
    assert_true(screen_has(s, "Help"));
    double begin = now_ms();
    type(s, "\033");
    assert_true(await_frame(s) >= 0);
    assert_true(now_ms() - begin < 400);            /* not the second that curses waits by itself */
    vterm_mouse_move(s->vt, 0, 12, VTERM_MOD_NONE); /* the tab of the workload */
    vterm_mouse_button(s->vt, 1, true, VTERM_MOD_NONE);
    vterm_mouse_button(s->vt, 1, false, VTERM_MOD_NONE);
    await_frame(s);
    assert_true(screen_has(s, "[2 Workload]"));
    type(s, "Q");
    session_end(s);
    session_free(s);
}

static void filter_ranks_as_one_types(void **state) {
    (void)state;
    struct session *s = session_start(100, 30, NULL, NULL);
    ready(s);
    type(s, "\\gpus>=8 and nosuch");
    await_frame(s);
    assert_true(screen_has(s, "unknown word"));
    type(s, "\033");
    await_frame(s);
    type(s, "\\gpus>=8\r");
    for (int i = 0; i < 20 && screen_has(s, "  1x "); i++)
        await_frame(s);
    await_text(s, " 8x ");
    assert_false(screen_has(s, "  1x "));
    type(s, "Q");
    session_end(s);
    session_free(s);
}

static void any_size_is_drawn(void **state) {
    (void)state;
    static const int sizes[][2] = {{120, 40}, {40, 10}, {20, 4}, {2, 2}, {300, 100}, {80, 24}};
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct winsize size = {.ws_col = (unsigned short)sizes[i][0], .ws_row = (unsigned short)sizes[i][1]};
        s->columns = sizes[i][0];
        s->rows = sizes[i][1];
        vterm_set_size(s->vt, s->rows, s->columns);
        assert_int_equal(ioctl(s->master, TIOCSWINSZ, &size), 0);
        assert_true(await_frame(s) >= 0);
    }
    for (int i = 0; i < 40; i++) { /* a storm */
        struct winsize size = {.ws_col = (unsigned short)(20 + i * 3), .ws_row = (unsigned short)(5 + i)};
        ioctl(s->master, TIOCSWINSZ, &size);
    }
    struct winsize size = {.ws_col = 80, .ws_row = 24};
    ioctl(s->master, TIOCSWINSZ, &size);
    await_text(s, "F10Quit");
    type(s, "Q");
    assert_int_equal(session_end(s), 0);
    session_free(s);
}

static void idle_writes_nothing(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    struct pollfd fd = {.fd = s->master, .events = POLLIN};
    while (poll(&fd, 1, 300) > 0)
        take_output(s);
    size_t before = s->raw_len;
    assert_int_equal(poll(&fd, 1, 400), 0);
    assert_int_equal(s->raw_len, before);
    type(s, "Q");
    session_end(s);
    session_free(s);
}

static void signals_leave_the_terminal_sane(void **state) {
    (void)state;
    static const int signals[] = {SIGTERM, SIGHUP, SIGSEGV};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct session *s = session_start(80, 24, NULL, (const char *const[]){"ASAN_OPTIONS", "handle_segv=0", NULL});
        ready(s);
        kill(s->pid, signals[i]);
        int status = session_end(s);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_restored(s);
        session_free(s);
    }
}

static void interrupt_leaves_with_130(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    type(s, "\003");
    int status = session_end(s);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    assert_restored(s);
    session_free(s);
}

/* Nobody could continue the process of a test, so the system lets the stop pass: the terminal is given back and taken again. */
static void it_gives_the_terminal_back_and_goes_on(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, NULL);
    ready(s);
    type(s, "\032");
    assert_true(await_frame(s) >= 0);
    assert_true(raw_has(s, "\033[?1049l"));
    assert_true(screen_has(s, "Offer"));
    type(s, "Q");
    assert_int_equal(session_end(s), 0);
    session_free(s);
}

static int colored_cells(struct session *s) {
    int colored = 0;
    for (int row = 0; row < s->rows; row++)
        for (int column = 0; column < s->columns; column++) {
            VTermScreenCell cell;
            vterm_screen_get_cell(s->screen, (VTermPos){row, column}, &cell);
            colored += !VTERM_COLOR_IS_DEFAULT_FG(&cell.fg);
        }
    return colored;
}

static void colours_follow_the_scheme(void **state) {
    (void)state;
    static const char *const none[] = {"NO_COLOR", "1", NULL};
    static const struct {
        const char *scheme;
        const char *const *extra;
        bool colored;
    } cases[] = {{"default", NULL, true},
                 {"light", NULL, true},
                 {"colorblind", NULL, true},
                 {"mono", NULL, false},
                 {"default", none, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session *s =
            session_start(80, 24, (const char *const[]){"--scheme", cases[i].scheme, NULL}, cases[i].extra);
        ready(s);
        assert_int_equal(colored_cells(s) > 0, cases[i].colored);
        type(s, "Q");
        session_end(s);
        session_free(s);
    }
}

/* What a listing says stays in its row and never reaches the terminal as a command. */
static void hostile_text_stays_in_its_row(void **state) {
    (void)state;
    char path[] = "/tmp/gpuplan-hostile-XXXXXX";
    int fd = mkstemp(path);
    static const char rows[] =
        "provider,machine,gpu,gpus,rate_usd_h,rate_basis\n"
        "plain,aaaa,A100-SXM4-80GB,1,1.00,machine\n"
        "evil,\"\033]52;c;QUJD\007\033[2J\033[31mred\302\2332J\342\200\256rtl\nnext\",A100-SXM4-80GB,1,1.01,machine\n"
        "\344\270\255\346\226\207,wide,A100-SXM4-80GB,1,1.02,machine\n";
    assert_true(fd >= 0 && write(fd, rows, sizeof rows - 1) == (ssize_t)sizeof rows - 1);
    close(fd);
    struct session *s = session_start(80, 24, (const char *const[]){"-l", path, NULL}, NULL);
    await_text(s, "plain");
    assert_true(screen_has(s, "evil"));
    assert_false(raw_has(s, "\033]52"));
    assert_false(raw_has(s, "\302\233"));
    assert_false(raw_has(s, "\342\200\256"));
    assert_true(screen_has(s, "F1Help")); /* nothing was cleared below it */
    type(s, "Q");
    session_end(s);
    session_free(s);
    unlink(path);
}

static void without_a_usable_terminal_the_ranking_is_printed(void **state) {
    (void)state;
    static const char *const terms[] = {"dumb", "nosuch-terminal", ""};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        struct session *s = session_start(80, 24, NULL, (const char *const[]){"TERM", terms[i], NULL});
        assert_int_equal(session_end(s), 0);
        assert_true(raw_has(s, "Offer"));
        assert_false(raw_has(s, "\033["));
        session_free(s);
    }
}

static void speed_of_the_first_screen(void **state) {
    (void)state;
    struct session *s = session_start(80, 24, NULL, NULL);
    double begin = now_ms();
    ready(s);
    print_message("first useful screen after %.0f ms\n", now_ms() - begin - QUIET_MS);
    type(s, "j");
    double key = await_frame(s);
    print_message("a key is answered after %.1f ms\n", key);
    assert_true(key >= 0 && key < 500); /* the bar is 16 ms; a loaded machine with sanitizers is allowed more */
    type(s, "Q");
    session_end(s);
    session_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_screen_shows_the_ranking),
        cmocka_unit_test(keys_and_clicks_move_between_screens),
        cmocka_unit_test(filter_ranks_as_one_types),
        cmocka_unit_test(any_size_is_drawn),
        cmocka_unit_test(idle_writes_nothing),
        cmocka_unit_test(signals_leave_the_terminal_sane),
        cmocka_unit_test(interrupt_leaves_with_130),
        cmocka_unit_test(it_gives_the_terminal_back_and_goes_on),
        cmocka_unit_test(colours_follow_the_scheme),
        cmocka_unit_test(hostile_text_stays_in_its_row),
        cmocka_unit_test(without_a_usable_terminal_the_ranking_is_printed),
        cmocka_unit_test(speed_of_the_first_screen),
    };
    return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
