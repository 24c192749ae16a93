/* SPDX-License-Identifier: MIT */
/*
 * The terminal. term.c is the only file that knows curses; it blits a canvas and turns what the terminal sends into keys and
 * clicks. One terminal per process. Whatever ends the program, the terminal is given back as it was.
 */
#ifndef GPUPLAN_SRC_UI_TERM_H
#define GPUPLAN_SRC_UI_TERM_H

#include <stdbool.h>

#include "gpuplan/app/app.h"
#include "gpuplan/draw/canvas.h"
#include "ui/scheme.h"

struct term_options {
    enum scheme scheme;
    bool color; /* false: attributes only */
    bool mouse;
    const char *tty; /* keys are read from here when standard input is not a terminal; NULL: standard input */
};

bool term_usable(const struct term_options *o, char *reason, size_t reason_cap); /* opens nothing */
/* False (with one line in reason) when the terminal cannot be used: an unknown TERM, no /dev/tty. */
bool term_open(const struct term_options *o, char *reason, size_t reason_cap);
void term_close(void); /* safe to call twice, and at a fatal error */
int term_fd(void);     /* readable when a key is waiting */
void term_size(int *columns, int *rows);
void term_resized(void); /* after SIGWINCH, before the next term_blit() */
void term_redraw(void);  /* everything is written again at the next term_blit() */
void term_mouse(bool on);
void term_suspend(void); /* gives the terminal back, stops the process, returns when it goes on */
void term_blit(const struct canvas *c);

struct term_event {
    enum { TERM_NONE, TERM_KEY, TERM_MOUSE, TERM_FOCUS, TERM_GONE } kind;
    int key; /* enum key or a code point */
    enum app_button button;
    int row, column;
};
struct term_event term_read(void); /* TERM_NONE when nothing is waiting */

#endif
