/* SPDX-License-Identifier: MIT */
/* Reading whole files, standard input and folders. What is packed goes through unpack.c. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"

enum { READ_STEP = 1 << 20 };

/* Reads to the end, or to one byte past `max`. A signal is no error. */
static bool read_all(int fd, const char *path, size_t max, struct io_bytes *out, struct err *err) {
    for (;;) {
        size_t left = max - out->len + 1;
        size_t step = left < READ_STEP ? left : READ_STEP;
        ssize_t got = read(fd, io_bytes_room(out, step), step);
        if (got == 0)
            return true;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return io_fail(err, path, "read");
        out->len += (size_t)got;
        if (out->len > max)
            return io_too_large(err, path, max);
    }
}

/* A disk, /dev/zero: without an end, or no text. A terminal and /dev/null are none of these. */
static bool is_device(int fd, mode_t mode, const char *path) {
    return S_ISBLK(mode) || (S_ISCHR(mode) && strcmp(path, "/dev/null") != 0 && !isatty(fd));
}

/* Devices and folders are refused; a pipe (process substitution) is fine. */
static int open_file(const char *path, size_t max, struct err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        io_fail(err, path, "open");
        return -1;
    }
    struct stat st;
    bool fine = fstat(fd, &st) == 0;
    if (!fine)
        io_fail(err, path, "read");
    else if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        fine = io_fail(err, path, "read");
    } else if (S_ISREG(st.st_mode) && (size_t)st.st_size > max)
        fine = io_too_large(err, path, max);
    else if (is_device(fd, st.st_mode, path)) {
        err_set(err, ERR_DATA, "a device, not a file");
        fine = err_at(err, path, 0, 0, NULL);
    }
    if (fine)
        return fd;
    close(fd);
    return -1;
}

static bool read_raw(const char *path, size_t max, struct io_bytes *out, struct err *err) {
    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, "standard input", max, out, err);
    int fd = open_file(path, max, err);
    if (fd < 0)
        return false;
    bool done = read_all(fd, path, max, out, err);
    close(fd);
    return done;
}

bool io_load(const char *path, size_t max, io_visit visit, void *user, struct err *err) {
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    struct io_bytes bytes = {0};
    bool done = read_raw(path, max, &bytes, err);
    if (done && io_is_packed(bytes.data, bytes.len))
        done = io_unpack(&bytes, name, max, visit, user, err);
    else if (done) {
        io_bytes_room(&bytes, 0); /* even an empty file has a pointer */
        done = visit(user, name, &bytes, err);
    }
    io_bytes_free(&bytes);
    return done;
}

struct single {
    struct buf *out;
    size_t files;
};

static bool keep_single(void *user, const char *name, struct io_bytes *bytes, struct err *err) {
    struct single *s = user;
    if (s->files++ > 0) {
        err_set(err, ERR_DATA, "the archive holds more than one file");
        return err_at(err, name, 0, 0, NULL);
    }
    buf_put(s->out, bytes->data, bytes->len);
    return true;
}

bool io_read(const char *path, size_t max, struct buf *out, struct err *err) {
    struct single single = {.out = out};
    buf_clear(out);
    return io_load(path, max, keep_single, &single, err);
}

bool io_is_dir(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const char *io_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_listing_name(const char *name) {
    static const char *const suffixes[] = {".csv", ".json", ".jsonl", ".ndjson", ".gz", ".xz", ".zst", ".zip"};
    const char *dot = strrchr(name, '.');
    if (!dot || dot == name || name[0] == '.')
        return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (text_equal_fold(dot, suffixes[i]))
            return true;
    return false;
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *join_path(const char *folder, const char *name) {
    struct buf b = {0};
    buf_puts(&b, folder);
    if (b.len > 0 && b.data[b.len - 1] != '/')
        buf_putc(&b, '/');
    buf_puts(&b, name);
    char *path = mem_strdup(b.data);
    buf_free(&b);
    return path;
}

bool io_read_dir(const char *path, struct io_list *out, struct err *err) {
    DIR *dir = opendir(path);
    if (!dir)
        return io_fail(err, path, "open folder");
    bool done = true;
    for (struct dirent *e; done && (e = readdir(dir)) != NULL;) {
        if (!is_listing_name(e->d_name))
            continue;
        if (out->count == IO_MAX_FILES) {
            err_set(err, ERR_DATA, "more than %d listing files in one folder", (int)IO_MAX_FILES);
            done = err_at(err, path, 0, 0, NULL);
            break;
        }
        out->paths = mem_grow(out->paths, &out->cap, out->count + 1, sizeof *out->paths);
        out->paths[out->count++] = join_path(path, e->d_name);
    }
    closedir(dir);
    if (out->count > 1)
        qsort(out->paths, out->count, sizeof *out->paths, compare_paths);
    return done;
}

void io_list_free(struct io_list *l) {
    for (size_t i = 0; i < l->count; i++)
        free(l->paths[i]);
    free(l->paths);
    *l = (struct io_list){0};
}
