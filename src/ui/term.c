/* SPDX-License-Identifier: MIT */
#include "ui/term.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <curses.h>
#include <term.h>
#undef columns /* term.h takes the word for itself */

#include "gpuplan/base/mem.h"

/* The window got, or lost, the focus: codes behind those that terminfo names of its own get. */
enum { KEY_FOCUS_IN = KEY_MAX + 1000, KEY_FOCUS_OUT };

enum {
    ESCAPE_MS = 25 /* a second is a steady complaint about curses programs */,
    DOUBLE_CLICK_MS = 400,
    COLORS_USED = 8
};

static const struct {
    int curses, key;
} keys[] = {
    {KEY_UP, KEY_CODE_UP},         {KEY_DOWN, KEY_CODE_DOWN},       {KEY_LEFT, KEY_CODE_LEFT},
    {KEY_RIGHT, KEY_CODE_RIGHT},   {KEY_HOME, KEY_CODE_HOME},       {KEY_END, KEY_CODE_END},
    {KEY_PPAGE, KEY_CODE_PAGE_UP}, {KEY_NPAGE, KEY_CODE_PAGE_DOWN}, {KEY_IC, KEY_CODE_INSERT},
    {KEY_DC, KEY_CODE_DELETE},     {KEY_BTAB, KEY_CODE_BACK_TAB},   {KEY_BACKSPACE, KEY_CODE_BACKSPACE},
    {KEY_ENTER, KEY_CODE_ENTER},   {KEY_A1, KEY_CODE_HOME},         {KEY_C1, KEY_CODE_END},
    {KEY_A3, KEY_CODE_PAGE_UP},    {KEY_C3, KEY_CODE_PAGE_DOWN},
};

/* What the process must undo, also from a signal handler: everything there is prepared beforehand. */
static struct {
    SCREEN *screen;
    FILE *tty;
    int fd;
    bool open, color, mouse;
    enum scheme scheme;
    struct termios before;
    bool have_before;
    pid_t owner;     /* a forked child must never touch the terminal */
    char leave[256]; /* what ends full-screen mode, shows the cursor, drops colours and the mouse */
    size_t leave_len;
    struct timespec click_at;
    int click_row, click_column;
} term = {.fd = -1};

static void leave_add(const char *s) {
    size_t len = s && s != (const char *)-1 ? strlen(s) : 0;
    if (term.leave_len + len < sizeof term.leave) {
        memcpy(term.leave + term.leave_len, s ? s : "", len);
        term.leave_len += len;
    }
}

static void leave_prepare(void) {
    term.leave_len = 0;
    leave_add("\033[?1000l\033[?1002l\033[?1006l\033[?1004l");
    leave_add(tigetstr("sgr0"));
    leave_add(tigetstr("cnorm"));
    leave_add(tigetstr("rmkx"));
    leave_add(tigetstr("rmcup"));
}

/* Only what a signal handler may call. */
static void term_restore_raw(void) {
    if (!term.open || getpid() != term.owner) {
        return;
    }
    term.open = false;
    ssize_t ignored = write(STDOUT_FILENO, term.leave, term.leave_len);
    (void)ignored;
    if (term.have_before) {
        tcsetattr(term.fd, TCSANOW, &term.before);
    }
}

static void on_crash(int signal_number) {
    term_restore_raw();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch_crashes(void) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};
    static char stack[1 << 15]; /* when the usual one is used up, there is none to handle that on */
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++) {
        struct sigaction old, new = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
        sigemptyset(&new.sa_mask);
        if (sigaction(crashes[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
            sigaction(crashes[i], &new, NULL);
        }
    }
    mem_on_fatal(term_restore_raw);
}

static bool term_is_known(char *reason, size_t cap) {
    int status = 0;
    const char *name = getenv("TERM");
    if (!name || !*name) {
        snprintf(reason, cap, "TERM is not set");
        return false;
    }
    if (setupterm(name, STDOUT_FILENO, &status) != OK) {
        snprintf(reason, cap, "no terminal description for TERM=%.40s", name);
        return false;
    }
    const char *move = tigetstr("cup"), *clear = tigetstr("clear");
    bool able = move && move != (const char *)-1 && clear && clear != (const char *)-1;
    del_curterm(cur_term); /* newterm() reads its own */
    if (!able) {
        snprintf(reason, cap, "TERM=%.40s cannot place the cursor", name);
        return false;
    }
    return true;
}

static void start_colors(const struct term_options *o) {
    term.scheme = o->scheme;
    term.color = o->color && o->scheme != SCHEME_MONO && has_colors();
    if (!term.color) {
        term.scheme = SCHEME_MONO;
        return;
    }
    start_color();
    if (use_default_colors() != OK) { /* the background would not be the terminal's own */
        term.color = false;
        term.scheme = SCHEME_MONO;
        return;
    }
    for (short color = 0; color < COLORS_USED; color++) {
        init_pair((short)(color + 1), color, -1);
    }
}

bool term_usable(const struct term_options *o, char *reason, size_t cap) {
    if (!o->tty) {
        return term_is_known(reason, cap);
    }
    int fd = open(o->tty, O_RDWR | O_CLOEXEC | O_NOCTTY); /* /dev/tty is always there, but not always somebody's */
    if (fd < 0) {
        snprintf(reason, cap, "%s: %s", o->tty, strerror(errno));
        return false;
    }
    close(fd);
    return term_is_known(reason, cap);
}

/*
 * Other programs may have written over the screen while the window was away. Only where a mouse is described: such terminals
 * know this mode or pass over it; a plain one might print it.
 */
static void term_focus(bool on) {
    const char *mouse = tigetstr("kmous");
    if (!mouse || mouse == (const char *)-1)
        return;
    define_key(on ? "\033[I" : NULL, KEY_FOCUS_IN);
    define_key(on ? "\033[O" : NULL, KEY_FOCUS_OUT);
    putp(on ? "\033[?1004h" : "\033[?1004l");
    fflush(stdout);
}

bool term_open(const struct term_options *o, char *reason, size_t cap) {
    if (!term_is_known(reason, cap)) {
        return false;
    }
    if (o->tty) {
        term.tty = fopen(o->tty, "r+");
        if (!term.tty) {
            snprintf(reason, cap, "%s: %s", o->tty, strerror(errno));
            return false;
        }
    }
    FILE *in = term.tty ? term.tty : stdin;
    term.fd = fileno(in);
    term.have_before = tcgetattr(term.fd, &term.before) == 0;
    term.screen = newterm(NULL, stdout, in);
    if (!term.screen) {
        snprintf(reason, cap, "the terminal cannot be opened");
        return false;
    }
    set_term(term.screen);
    leave_prepare();
    term.owner = getpid();
    term.open = true;
    catch_crashes();
    raw(); /* Ctrl-C and Ctrl-Z come as keys: the program decides when they act */
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    if (!getenv("ESCDELAY")) {
        set_escdelay(ESCAPE_MS);
    }
    start_colors(o);
    term_mouse(o->mouse);
    term_focus(true);
    return true;
}

void term_close(void) {
    if (!term.screen) {
        return;
    }
    if (term.open) {
        term_mouse(false);
        term_focus(false);
        endwin();
    }
    term.open = false;
    delscreen(term.screen);
    term.screen = NULL;
    if (term.tty) {
        fclose(term.tty);
        term.tty = NULL;
    }
}

int term_fd(void) {
    return term.fd;
}

void term_size(int *columns, int *rows) {
    getmaxyx(stdscr, *rows, *columns);
}

void term_resized(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        resizeterm(size.ws_row, size.ws_col);
    }
    term_redraw();
}

void term_redraw(void) {
    clearok(curscr, TRUE);
}

void term_mouse(bool on) {
    term.mouse = on;
    mouseinterval(0); /* no waiting for a second click: it is counted here */
    mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
}

void term_suspend(void) {
    struct sigaction old, stop = {.sa_handler = SIG_DFL};
    sigemptyset(&stop.sa_mask);
    def_prog_mode();
    term_focus(false);
    endwin();
    sigaction(SIGTSTP, &stop, &old);
    kill(0, SIGTSTP);
    sigaction(SIGTSTP, &old, NULL);
    reset_prog_mode();
    term_resized();
    if (term.mouse) {
        term_mouse(true);
    }
    term_focus(true);
}

static attr_t look_attributes(struct look look) {
    attr_t a = A_NORMAL;
    a |= look.attributes & LOOK_BOLD ? A_BOLD : 0;
    a |= look.attributes & LOOK_DIM ? A_DIM : 0;
    a |= look.attributes & LOOK_REVERSE ? A_REVERSE : 0;
    a |= look.attributes & LOOK_UNDERLINE ? A_UNDERLINE : 0;
    return a;
}

static void blit_row(const struct canvas *c, int row, int columns) {
    for (int column = 0; column < columns; column++) {
        const struct cell *cell = canvas_at(c, row, column);
        if (!cell || !cell->code_point) {
            continue;
        }
        wchar_t text[2 + CANVAS_MARKS] = {(wchar_t)cell->code_point};
        for (int i = 0; i < CANVAS_MARKS && cell->mark[i]; i++) {
            text[1 + i] = (wchar_t)cell->mark[i];
        }
        struct look look = scheme_look(term.scheme, (enum role)cell->role);
        cchar_t out;
        setcchar(&out, text, look_attributes(look), (short)(term.color ? look.color + 1 : 0), NULL);
        mvadd_wch(row, column, &out);
    }
}

void term_blit(const struct canvas *c) {
    int columns, rows;
    term_size(&columns, &rows);
    erase();
    for (int row = 0; row < rows && row < c->rows; row++) {
        blit_row(c, row, columns < c->columns ? columns : c->columns);
    }
    if (c->cursor_row >= 0 && c->cursor_row < rows && c->cursor_column < columns) {
        curs_set(1);
        move(c->cursor_row, c->cursor_column);
    } else {
        curs_set(0);
    }
    refresh();
}

static bool is_second_click(int row, int column) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long ms = (now.tv_sec - term.click_at.tv_sec) * 1000 + (now.tv_nsec - term.click_at.tv_nsec) / 1000000;
    bool second = ms < DOUBLE_CLICK_MS && row == term.click_row && column == term.click_column;
    term.click_at = second ? (struct timespec){0} : now;
    term.click_row = row;
    term.click_column = column;
    return second;
}

static struct term_event read_mouse(void) {
    MEVENT m;
    struct term_event e = {.kind = TERM_NONE};
    if (getmouse(&m) != OK) {
        return e;
    }
    e = (struct term_event){.kind = TERM_MOUSE, .row = m.y, .column = m.x};
    if (m.bstate & BUTTON4_PRESSED) {
        e.button = APP_WHEEL_UP;
    } else if (m.bstate & BUTTON5_PRESSED) {
        e.button = APP_WHEEL_DOWN;
    } else if (m.bstate & BUTTON1_PRESSED) {
        e.button = is_second_click(m.y, m.x) ? APP_DOUBLE_CLICK : APP_CLICK;
    } else {
        e.kind = TERM_NONE;
    }
    return e;
}

static int translate(int special) {
    if (special >= KEY_F(1) && special <= KEY_F(12)) {
        return KEY_CODE_F1 + (special - KEY_F(1));
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i].curses == special) {
            return keys[i].key;
        }
    }
    return -1;
}

static int plain_key(wint_t c) {
    return c == '\n' ? KEY_CODE_ENTER : c == 8 ? KEY_CODE_BACKSPACE : (int)c;
}

/* Nobody is at the other end any more: reading would fail for ever. */
static bool term_is_gone(void) {
    struct pollfd p = {.fd = term.fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL)) && !(p.revents & POLLIN);
}

/*
 * What means nothing (the release of a button, a key nobody knows) is passed over: curses may hold the key after it already,
 * and nothing would wake the loop for that.
 */
struct term_event term_read(void) {
    struct term_event e = {.kind = TERM_NONE};
    wint_t c;
    while (e.kind == TERM_NONE) {
        int kind = get_wch(&c);
        if (kind == ERR) {
            e.kind = term_is_gone() ? TERM_GONE : TERM_NONE;
            break;
        }
        if (kind == KEY_CODE_YES && c == KEY_MOUSE) {
            e = read_mouse();
        } else if (kind == KEY_CODE_YES && (c == KEY_FOCUS_IN || c == KEY_FOCUS_OUT)) {
            e.kind = c == KEY_FOCUS_IN ? TERM_FOCUS : TERM_NONE;
        } else {
            e.key = kind == KEY_CODE_YES ? translate((int)c) : plain_key(c);
            e.kind = e.key < 0 ? TERM_NONE : TERM_KEY;
        }
    }
    return e;
}
