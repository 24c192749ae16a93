/* SPDX-License-Identifier: MIT */
/* The one poll loop: keys, the pipe of the reading child, signals. And the same app driven by a file of actions. */
#ifndef GPUPLAN_SRC_UI_UI_H
#define GPUPLAN_SRC_UI_UI_H

#include "gpuplan/app/app.h"
#include "gpuplan/base/err.h"
#include "ui/term.h"

/* Whether ui_run() would find a terminal it can use, said before anything is started. */
bool ui_possible(const struct term_options *o, char *reason, size_t reason_cap);

/* Opens the terminal, runs until the app is done, closes it. False: the terminal cannot be used, `reason` says why. */
bool ui_run(struct app *a, const struct term_options *o, bool ascii, int *exit_status, char *reason, size_t reason_cap);

/*
 * Drives the app without a terminal, a command a line: `size 80x24`, `key F6`, `type text`, `action rank.sort-menu`,
 * `click ROW COLUMN`, `save FILE` (the screen as text; - is standard output), `roles FILE`. Work is finished after each.
 */
bool ui_script(struct app *a, const char *bytes, size_t len, const char *name, bool ascii, struct err *err);

#endif
