/* SPDX-License-Identifier: MIT */
/*
 * Input bytes live in anonymous pages: a listing of a million rows is larger than what it becomes, so the pages already
 * parsed are given back while offers grow.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "bytes.h"
#include "gpuplan/base/mem.h"

enum {
    FIRST_BYTES = 1 << 16,
    LARGE_BYTES = 1 << 23,
    RELEASE_STEP = 1 << 22, /* bytes between two system calls: whole large pages */
};

/* Pages come zeroed, so the byte after `len` is NUL as long as one more byte is kept. */
char *io_bytes_room(struct io_bytes *b, size_t more) {
    if (b->cap > b->len && b->cap - b->len > more)
        return b->data + b->len;
    size_t want = b->cap ? b->cap : FIRST_BYTES;
    while (want - b->len <= more)
        want *= 2;
    void *p = b->data ? mremap(b->data, b->cap, want, MREMAP_MAYMOVE)
                      : mmap(NULL, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        p = mem_resize(NULL, SIZE_MAX, 2); /* takes the one way out when memory is gone */
#ifdef MADV_HUGEPAGE
    if (want >= LARGE_BYTES) /* a file is read once from the front to the end: few faults instead of one in 4 KiB */
        madvise(p, want, MADV_HUGEPAGE);
#endif
    b->data = p;
    b->cap = want;
    return b->data + b->len;
}

void io_bytes_free(struct io_bytes *b) {
    if (b->data)
        munmap(b->data, b->cap);
    *b = (struct io_bytes){0};
}

void io_bytes_release(void *user, const char *upto) {
    struct io_bytes *b = user;
    if (!b->data || upto < b->data || upto > b->data + b->len)
        return;
    size_t end = (size_t)(upto - b->data) / RELEASE_STEP * RELEASE_STEP;
    if (end < b->released + RELEASE_STEP)
        return;
    madvise(b->data + b->released, end - b->released, MADV_DONTNEED);
    b->released = end;
}

bool io_fail(struct err *err, const char *path, const char *doing) {
    err_set(err, ERR_IO, "cannot %s: %s", doing, strerror(errno));
    return err_at(err, *path ? path : "\"\"", 0, 0, NULL);
}

bool io_too_large(struct err *err, const char *path, size_t max) {
    err_set(err, ERR_DATA, "larger than the limit of %zu MiB", max >> 20);
    return err_at(err, path, 0, 0, NULL);
}
