/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpuplan/view/view.h"
#include "ui/ui.h"

enum { SLICE_MS = 5 /* between two looks at the keyboard */, AGE_MS = 60000 /* ages of listings move by the minute */ };

enum { POLL_MAX = 256 };

/* Signals become bytes in a pipe, so that the loop meets them where it waits anyway. */
static int signal_pipe[2] = {-1, -1};

static pid_t owner; /* a child that reads listings shares the handlers, not the loop */

static void on_signal(int number) {
    if (getpid() != owner) {
        if (number == SIGTERM || number == SIGHUP) {
            _exit(128 + number);
        }
        return;
    }
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t ignored = write(signal_pipe[1], &byte, 1);
    (void)ignored;
    errno = saved;
}

static const int caught[] = {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT};

static bool catch_signals(void) {
    if (pipe(signal_pipe) != 0) {
        return false;
    }
    owner = getpid();
    for (int i = 0; i < 2; i++) {
        fcntl(signal_pipe[i], F_SETFL, O_NONBLOCK);
        fcntl(signal_pipe[i], F_SETFD, FD_CLOEXEC);
    }
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        struct sigaction s = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        sigemptyset(&s.sa_mask);
        sigaction(caught[i], &s, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
    return true;
}

static void release_signals(void) {
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        signal(caught[i], SIG_DFL);
    }
    close(signal_pipe[0]);
    close(signal_pipe[1]);
}

struct loop {
    struct app *app;
    struct canvas canvas;
    int frame_fd; /* tests wait for the number of a frame here; -1 */
    long frame;
    int killed; /* the signal that ends the program; 0 */
    bool gone;
    bool redraw; /* though nothing changed */
};

static void take_size(struct loop *l) {
    int columns, rows;
    term_size(&columns, &rows);
    canvas_resize(&l->canvas, columns, rows);
    app_resize(l->app, columns, rows);
}

static void take_signals(struct loop *l) {
    unsigned char byte;
    while (read(signal_pipe[0], &byte, 1) == 1) {
        switch (byte) {
        case SIGWINCH:
        case SIGCONT:
            term_resized();
            take_size(l);
            break;
        case SIGINT:
            app_interrupt(l->app);
            break;
        case SIGTSTP:
            term_suspend();
            take_size(l);
            break;
        default:
            l->killed = byte;
        }
    }
}

static void take_event(struct loop *l, struct term_event e) {
    if (e.kind == TERM_GONE) {
        l->gone = true;
    } else if (e.kind == TERM_FOCUS) {
        term_redraw();
        l->redraw = true;
    } else if (e.kind == TERM_KEY && e.key == KEY_CTRL('C')) {
        app_interrupt(l->app);
    } else if (e.kind == TERM_KEY) {
        app_key(l->app, e.key);
    } else if (e.kind == TERM_MOUSE) {
        const struct cell *cell = canvas_at(&l->canvas, e.row, e.column);
        if (cell) {
            app_mouse(l->app, e.button, cell->tag);
        }
    }
}

static void take_requests(struct loop *l) {
    switch (app_request(l->app)) {
    case APP_REQUEST_REDRAW:
        term_redraw();
        break;
    case APP_REQUEST_SUSPEND:
        term_suspend();
        take_size(l);
        break;
    case APP_REQUEST_MOUSE_ON:
        term_mouse(true);
        break;
    case APP_REQUEST_MOUSE_OFF:
        term_mouse(false);
        break;
    case APP_REQUEST_NONE:
        return;
    }
}

static void draw(struct loop *l) {
    app_viewport(l->app, view_draw(l->app, &l->canvas));
    term_blit(&l->canvas);
    l->redraw = false;
    app_drawn(l->app);
    if (l->frame_fd >= 0) {
        dprintf(l->frame_fd, "%ld\n", ++l->frame);
    }
}

static void wait_for(struct loop *l, bool busy) {
    struct pollfd fds[POLL_MAX] = {{.fd = term_fd(), .events = POLLIN}, {.fd = signal_pipe[0], .events = POLLIN}};
    size_t count = 2 + app_poll_fds(l->app, fds + 2, POLL_MAX - 2);
    int wait = app_poll_timeout_ms(l->app);
    int ready = poll(fds, (nfds_t)count, busy ? 0 : wait < 0 || wait > AGE_MS ? AGE_MS : wait);
    if (app_waits(l->app)) {
        app_poll_ready(l->app);
    }
    if (ready > 0 && (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) && !(fds[0].revents & POLLIN)) {
        l->gone = true;
    }
    if (ready == 0 && !busy) {
        app_clock(l->app, (int64_t)time(NULL));
    }
}

static void run(struct loop *l, int *status) {
    bool busy = true; /* the ranking is yet to be made */
    while (!l->killed && !l->gone && !app_done(l->app, status)) {
        if (app_changed(l->app) || l->redraw) {
            draw(l);
        }
        wait_for(l, busy);
        take_signals(l);
        for (struct term_event e; !l->gone && (e = term_read()).kind != TERM_NONE;) {
            take_event(l, e);
        }
        take_requests(l);
        busy = app_work(l->app, SLICE_MS);
    }
}

bool ui_possible(const struct term_options *o, char *reason, size_t reason_cap) {
    return term_usable(o, reason, reason_cap);
}

bool ui_run(struct app *a, const struct term_options *o, bool ascii, int *status, char *reason, size_t reason_cap) {
    const char *frame_fd = getenv("GPUPLAN_FRAME_FD");
    struct loop l = {.app = a, .frame_fd = frame_fd ? atoi(frame_fd) : -1};
    if (!term_open(o, reason, reason_cap)) {
        return false;
    }
    if (!catch_signals()) {
        term_close();
        snprintf(reason, reason_cap, "no pipe for signals");
        return false;
    }
    canvas_init(&l.canvas);
    l.canvas.ascii = ascii;
    const char *terminal = getenv("TERM"); /* the console of Linux has no braille in its usual fonts */
    l.canvas.no_braille = terminal && strncmp(terminal, "linux", 5) == 0;
    take_size(&l);
    run(&l, status);
    app_save_state(a);
    term_close();
    release_signals();
    canvas_free(&l.canvas);
    if (l.killed) { /* whoever waits for us must see what ended us */
        raise(l.killed);
    }
    return true;
}
