/* SPDX-License-Identifier: MIT */
/* A forked child that answers through a pipe: what is hostile or huge kills or delays only it. */
#include "gpuplan/io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 16, CPU_S = 300 /* a million rows take four */ };

bool io_child_start(struct io_child *c, void (*run)(void *user, int fd), void *user, struct err *err) {
    int fds[2];
    *c = (struct io_child){.fd = -1};
    if (pipe(fds) != 0)
        return err_set(err, ERR_IO, "%s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        signal(SIGINT, SIG_IGN); /* the parent decides */
        setrlimit(RLIMIT_CPU, &(struct rlimit){CPU_S, CPU_S});
        run(user, fds[1]);
        _exit(0);
    }
    int saved = errno;
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return err_set(err, ERR_IO, "%s", strerror(saved));
    }
    fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    c->pid = pid;
    c->fd = fds[0];
    return true;
}

void io_child_end(struct io_child *c) {
    if (c->fd < 0 || c->pid <= 0)
        return;
    close(c->fd);
    c->fd = -1;
    kill(c->pid, SIGKILL);
    while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

void io_child_free(struct io_child *c) {
    io_child_end(c);
    buf_free(&c->out);
    *c = (struct io_child){.fd = -1};
}

bool io_child_read(struct io_child *c) {
    char bytes[READ_BYTES];
    if (c->pid <= 0 || c->fd < 0)
        return false;
    ssize_t n = read(c->fd, bytes, sizeof bytes);
    if (n > 0)
        buf_put(&c->out, bytes, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        io_child_end(c);
    return c->fd >= 0;
}

void io_child_write(int fd, const char *bytes, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno != EINTR)
            _exit(1);
        bytes += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
}

void io_child_say(int fd, char mark, const char *text) {
    struct buf b = {0};
    buf_printf(&b, "%c%s\n", mark, text);
    io_child_write(fd, b.data, b.len);
    buf_free(&b);
}
