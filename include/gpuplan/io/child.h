/* SPDX-License-Identifier: MIT */
/* A forked child that answers through a pipe, and is waited for in the loop of its parent. */
#ifndef GPUPLAN_IO_CHILD_H
#define GPUPLAN_IO_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/err.h"

struct io_child {
    pid_t pid; /* 0: never started */
    int fd;    /* to poll for; -1: it has ended, all it said is in `out` */
    struct buf out;
};
/* `run` goes on in the child, on a copy of everything; it ends when that returns. */
bool io_child_start(struct io_child *c, void (*run)(void *user, int fd), void *user, struct err *err);
/* Takes some of what there is, never waits. False: it has ended. */
bool io_child_read(struct io_child *c);
void io_child_end(struct io_child *c); /* at once; what it said so far stays */
void io_child_free(struct io_child *c);

/* In the child. A parent that is gone ends it. */
void io_child_write(int fd, const char *bytes, size_t len);
void io_child_say(int fd, char mark, const char *text); /* one line */

#endif
