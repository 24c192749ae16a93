/* SPDX-License-Identifier: MIT */
/* Atomic writes: a full disk or a kill leaves the old file as it was. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"

static bool write_all(int fd, const char *bytes, size_t len) {
    while (len > 0) {
        ssize_t put = write(fd, bytes, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        bytes += put;
        len -= (size_t)put;
    }
    return true;
}

/* The file a chain of links ends in, even if that file does not exist yet. NULL with errno. */
static char *final_target(const char *path) {
    char *real = realpath(path, NULL);
    if (real || errno != ENOENT)
        return real;
    char link[PATH_MAX];
    ssize_t len = readlink(path, link, sizeof link - 1);
    if (len < 0)
        return mem_strdup(path); /* no link: a new file */
    link[len] = '\0';
    if (link[0] == '/')
        return mem_strdup(link);
    struct buf b = {0};
    buf_put(&b, path, (size_t)(io_base_name(path) - path));
    buf_puts(&b, link);
    char *target = mem_strdup(b.data);
    buf_free(&b);
    return target;
}

static void sync_folder(const char *path) {
    size_t len = (size_t)(io_base_name(path) - path);
    struct buf folder = {0};
    buf_put(&folder, path, len);
    int fd = open(len > 0 ? folder.data : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd); /* some file systems refuse; the file itself is safe */
        close(fd);
    }
    buf_free(&folder);
}

static bool is_regular_or_new(const char *path) {
    struct stat st;
    return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

/* `temp` holds "TARGET.XXXXXX" (mkstemp makes it 0600). */
static bool replace(const char *target, char *temp, const void *bytes, size_t len) {
    int fd = mkstemp(temp);
    if (fd < 0)
        return false;
    bool done = write_all(fd, bytes, len) && fsync(fd) == 0;
    int saved = errno;
    if (close(fd) != 0 && done) {
        done = false;
        saved = errno;
    }
    if (done && rename(temp, target) != 0) {
        done = false;
        saved = errno;
    }
    if (!done) {
        unlink(temp);
        errno = saved;
        return false;
    }
    sync_folder(target);
    return true;
}

static bool write_file(const char *path, const void *bytes, size_t len, struct err *err) {
    char *target = final_target(path);
    if (!target)
        return io_fail(err, path, "write");
    bool done;
    if (!is_regular_or_new(target)) { /* a pipe or /dev/null cannot be replaced, only written to */
        int fd = open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        done = fd >= 0 && write_all(fd, bytes, len);
        if (fd >= 0)
            close(fd);
    } else {
        struct buf temp = {0};
        buf_printf(&temp, "%s.XXXXXX", target);
        done = replace(target, temp.data, bytes, len);
        int saved = errno;
        buf_free(&temp);
        errno = saved;
    }
    if (!done)
        io_fail(err, path, "write");
    free(target);
    return done;
}

static bool ends_in(const char *path, const char *suffix) {
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && text_equal_fold(path + n - m, suffix);
}

bool io_write_atomic(const char *path, const void *bytes, size_t len, struct err *err) {
    if (strcmp(path, "-") == 0)
        return write_all(STDOUT_FILENO, bytes, len) || io_fail(err, "standard output", "write");
    if (!ends_in(path, ".gz"))
        return write_file(path, bytes, len, err);
    struct buf packed = {0};
    bool done = io_pack_gzip(bytes, len, &packed, path, err) && write_file(path, packed.data, packed.len, err);
    buf_free(&packed);
    return done;
}

bool io_make_dirs(const char *path, struct err *err) {
    char *copy = mem_strdup(path);
    bool done = true;
    for (char *p = copy + 1; done; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char kept = *p;
        *p = '\0';
        done = mkdir(copy, 0700) == 0 || (errno == EEXIST && io_is_dir(copy));
        if (!done)
            io_fail(err, copy, "make folder");
        *p = kept;
        if (kept == '\0')
            break;
    }
    free(copy);
    return done;
}
