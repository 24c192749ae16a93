/* SPDX-License-Identifier: MIT */
/*
 * The real program in an emulated terminal: what a person would see, key by key. GPUPLAN names the program. A frame is awaited
 * through the descriptor that GPUPLAN_FRAME_FD names, never by sleeping. At least two columns: libvterm 0.1.4 cannot put a
 * wide character on one.
 */
#ifndef GPUPLAN_TESTS_TERMINAL_SUPPORT_H
#define GPUPLAN_TESTS_TERMINAL_SUPPORT_H

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

enum { FRAME_MS = 20000 /* against hanging; a loaded machine may take seconds */, QUIET_MS = 30, RAW_MAX = 1 << 20 };

struct session {
    VTerm *vt;
    VTermScreen *screen;
    int master, frames, rows, columns;
    int report, control; /* of the shell that a supervised program has above it; -1 */
    pid_t pid;
    char *raw; /* all bytes the program wrote */
    size_t raw_len;
    char home[64];
    double begin;
    struct termios before; /* of the terminal, when it was handed over */
};

struct start {
    int columns, rows;
    const char *const *arguments;   /* NULL-terminated, after the program's name */
    const char *const *environment; /* names and values; a value of NULL removes the name */
    const char *home;               /* NULL: a new folder, removed at the end */
    const char *input;              /* what is piped into standard input; NULL: the terminal */
    bool supervised;                /* a shell stands above: the program can be stopped and continued */
};

static inline double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline void answer(const char *bytes, size_t len, void *user) {
    struct session *s = user;
    ssize_t ignored = write(s->master, bytes, len);
    (void)ignored;
}

static inline void isolate(const struct session *s, const struct start *o, int frame_fd) {
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
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* curses keeps what it knows of the terminal for good */
    for (const char *const *e = o->environment; e && e[0]; e += 2) {
        if (e[1])
            setenv(e[0], e[1], 1);
        else
            unsetenv(e[0]);
    }
}

static inline void pipe_in(const char *text) {
    int fds[2];
    if (pipe(fds) != 0 || write(fds[1], text, strlen(text)) < 0)
        _exit(126);
    dup2(fds[0], STDIN_FILENO);
    close(fds[0]);
    close(fds[1]);
}

/* What a shell with job control does: says "stopped" as one byte, waits for one, continues its child. */
static inline _Noreturn void supervise(const char *program, char **argv, const char *input, int report, int control) {
    pid_t child = fork();
    signal(SIGTTOU, SIG_IGN);
    if (child == 0) {
        setpgid(0, 0);
        tcsetpgrp(STDIN_FILENO, getpid());
        signal(SIGTTOU, SIG_DFL);
        if (input)
            pipe_in(input);
        execv(program, argv);
        _exit(127);
    }
    setpgid(child, child);
    for (int status;;) {
        char byte = 's';
        if (waitpid(child, &status, WUNTRACED) < 0)
            _exit(126);
        if (!WIFSTOPPED(status))
            _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        tcsetpgrp(STDOUT_FILENO, getpid());
        if (write(report, &byte, 1) != 1 || read(control, &byte, 1) != 1)
            _exit(126);
        tcsetpgrp(STDOUT_FILENO, child);
        kill(-child, SIGCONT);
    }
}

static inline _Noreturn void become_program(const struct session *s, const struct start *o, int frames, int report,
                                            int control) {
    const char *program = getenv("GPUPLAN");
    char *argv[16] = {strdup("gpuplan")};
    for (int i = 0; o->arguments && o->arguments[i] && i < 14; i++)
        argv[i + 1] = strdup(o->arguments[i]);
    isolate(s, o, frames);
    if (chdir(s->home) != 0) /* what is saved without a path is saved there */
        _exit(126);
    if (o->supervised)
        supervise(program, argv, o->input, report, control);
    if (o->input)
        pipe_in(o->input);
    execv(program, argv);
    _exit(127);
}

static inline void usual_modes(struct termios *t) {
    int master, slave;
    assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
    assert_int_equal(tcgetattr(slave, t), 0);
    close(master);
    close(slave);
}

static inline struct session *session_open(const struct start *o) {
    struct session *s = calloc(1, sizeof *s);
    struct winsize size = {.ws_row = (unsigned short)o->rows, .ws_col = (unsigned short)o->columns};
    int frames[2], report[2], control[2];
    assert_non_null(s);
    assert_non_null(getenv("GPUPLAN"));
    strcpy(s->home, "/tmp/gpuplan-test-XXXXXX");
    if (o->home)
        snprintf(s->home, sizeof s->home, "%s", o->home);
    else
        assert_non_null(mkdtemp(s->home));
    s->raw = malloc(RAW_MAX);
    s->rows = o->rows;
    s->columns = o->columns;
    usual_modes(&s->before);
    assert_int_equal(pipe(frames) | pipe(report) | pipe(control), 0);
    s->begin = now_ms();
    s->pid = forkpty(&s->master, NULL, &s->before, &size);
    assert_true(s->pid >= 0);
    if (s->pid == 0) {
        static const int as_usual[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}; /* a background job ignores some */
        for (size_t i = 0; i < sizeof as_usual / sizeof as_usual[0]; i++)
            signal(as_usual[i], SIG_DFL);
        close(control[1]);
        close(report[0]);
        become_program(s, o, frames[1], report[1], control[0]);
    }
    close(frames[1]);
    close(report[1]);
    close(control[0]);
    s->frames = frames[0];
    s->report = report[0];
    s->control = control[1];
    s->vt = vterm_new(o->rows, o->columns);
    vterm_set_utf8(s->vt, 1);
    vterm_output_set_callback(s->vt, answer, s);
    s->screen = vterm_obtain_screen(s->vt);
    vterm_screen_enable_altscreen(s->screen, 1);
    vterm_screen_reset(s->screen, 1);
    return s;
}

static inline struct session *session_start(int columns, int rows, const char *const *arguments,
                                            const char *const *environment) {
    return session_open(
        &(struct start){.columns = columns, .rows = rows, .arguments = arguments, .environment = environment});
}

/* Reads what is there; false at the end of the program. */
static inline bool take_output(struct session *s) {
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
static inline double await_frame(struct session *s) {
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

static inline VTermScreenCell cell_at(struct session *s, int row, int column) {
    VTermScreenCell cell;
    vterm_screen_get_cell(s->screen, (VTermPos){row, column}, &cell);
    return cell;
}

/* A row as ASCII, a byte a column: other characters are '?'. */
static inline const char *row_text(struct session *s, int row) {
    static char text[1024];
    int column = 0;
    for (; column < s->columns && column < (int)sizeof text - 1; column++) {
        uint32_t c = cell_at(s, row, column).chars[0];
        text[column] = (char)(c == 0 ? ' ' : c < 0x80 ? c : '?');
    }
    text[column] = '\0';
    return text;
}

/* Where a text stands; false: nowhere. */
static inline bool find_text(struct session *s, const char *text, int *row, int *column) {
    for (*row = 0; *row < s->rows; ++*row) {
        const char *line = row_text(s, *row), *at = strstr(line, text);
        *column = at ? (int)(at - line) : -1;
        if (at)
            return true;
    }
    return false;
}

static inline bool screen_has(struct session *s, const char *text) {
    int row, column;
    return find_text(s, text, &row, &column);
}

static inline void type(struct session *s, const char *keys) {
    assert_int_equal(write(s->master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

static inline void press(struct session *s, const char *keys) {
    type(s, keys);
    assert_true(await_frame(s) >= 0);
}

static inline void click(struct session *s, int button, int row, int column) {
    vterm_mouse_move(s->vt, row, column, VTERM_MOD_NONE);
    vterm_mouse_button(s->vt, button, true, VTERM_MOD_NONE);
    vterm_mouse_button(s->vt, button, false, VTERM_MOD_NONE);
}

/* Waits for the end; the status as waitpid() gives it. */
static inline int session_end(struct session *s) {
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

static inline void remove_folder(const char *folder) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static inline void session_free(struct session *s, bool keep_home) {
    vterm_free(s->vt);
    if (s->master >= 0)
        close(s->master);
    close(s->frames);
    close(s->report);
    close(s->control);
    if (!keep_home)
        remove_folder(s->home);
    free(s->raw);
    free(s);
}

/* Q, the end, and everything freed; the exit status. */
static inline int session_quit(struct session *s) {
    type(s, "Q");
    int status = session_end(s);
    session_free(s, false);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline bool raw_has(const struct session *s, const char *bytes) {
    return memmem(s->raw, s->raw_len, bytes, strlen(bytes)) != NULL;
}

/* The other screen is left, the cursor shows, the mouse is off, the lines are edited and echoed as before. */
static inline void assert_restored(const struct session *s) {
    struct termios now;
    assert_true(raw_has(s, "\033[?1049l"));
    assert_true(raw_has(s, "\033[?12l\033[?25h") || raw_has(s, "\033[?25h"));
    assert_true(raw_has(s, "1000l"));
    assert_int_equal(tcgetattr(s->master, &now), 0);
    assert_int_equal(now.c_lflag, s->before.c_lflag);
    assert_int_equal(now.c_iflag, s->before.c_iflag);
    assert_int_equal(now.c_oflag, s->before.c_oflag);
}

/* Frames come until this is on the screen. */
static inline void await_text(struct session *s, const char *text) {
    for (int i = 0; i < 20 && !screen_has(s, text); i++)
        if (await_frame(s) < 0)
            break;
    if (!screen_has(s, text))
        fail_msg("\"%s\" never appeared", text);
}

/* An ellipsis before the count of those that fit: the ranking is still made, and rows still move. */
static inline bool at_work(struct session *s) {
    const char *line = row_text(s, 1), *of = strstr(line, " of ");
    while (of && of > line && (of[-1] == ',' || (of[-1] >= '0' && of[-1] <= '9')))
        of--;
    return !of || (of - line >= 2 && of[-2] == '?');
}

static inline void ready(struct session *s) {
    await_text(s, "Offer");
    for (int i = 0; i < 20 && at_work(s); i++)
        await_frame(s);
}

/* A file of these bytes under the session's folder or /tmp; the caller removes it. */
static inline void write_temporary(char *path, const char *bytes, size_t len) {
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
    close(fd);
}

#endif
