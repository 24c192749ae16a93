/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/mem.h"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 1 << 21, LARGE_BLOCK = 1 << 20 };

void mem_begin(void) {
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
#endif
}

static void (*fatal_hook)(void);

void mem_on_fatal(void (*hook)(void)) {
    fatal_hook = hook;
}

static _Noreturn void mem_fatal(void) {
    void (*hook)(void) = fatal_hook;
    fatal_hook = NULL; /* a hook that allocates must not come back here for ever */
    if (hook != NULL)
        hook();
    fputs("gpuplan: out of memory\n", stderr);
    abort();
}

/* count * size, or death: a wrapped product would give a small block that is then written past its end. */
static size_t product(size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        mem_fatal();
    return total;
}

void *mem_alloc(size_t size) {
    void *p = malloc(size > 0 ? size : 1);
    if (p == NULL)
        mem_fatal();
    return p;
}

void *mem_zero(size_t count, size_t size) {
    size_t total = product(count, size);
    void *p = calloc(1, total > 0 ? total : 1);
    if (p == NULL)
        mem_fatal();
    return p;
}

void *mem_table(size_t count, size_t size) {
    size_t total = product(count, size);
    char *p = mem_zero(1, total);
#ifdef MADV_HUGEPAGE
    if (total >= 2 * LARGE_PAGE) { /* the whole large pages in it */
        char *first = p + (LARGE_PAGE - (uintptr_t)p % LARGE_PAGE) % LARGE_PAGE, *end = p + total;
        madvise(first, (size_t)(end - first) & ~(size_t)(LARGE_PAGE - 1), MADV_HUGEPAGE);
    }
#endif
    return p;
}

void *mem_resize(void *p, size_t count, size_t size) {
    size_t total = product(count, size);
    void *q = realloc(p, total > 0 ? total : 1);
    if (q == NULL)
        mem_fatal();
    return q;
}

char *mem_strdup(const char *s) {
    size_t len = strlen(s);
    return memcpy(mem_alloc(len + 1), s, len + 1);
}

void *mem_grow(void *items, size_t *cap, size_t want, size_t size) {
    if (want <= *cap && items != NULL)
        return items;
    size_t next = *cap > 0 ? *cap : 8;
    while (next < want)
        next = next > SIZE_MAX / 2 ? want : next * 2;
    items = mem_resize(items, next, size);
    *cap = next;
    return items;
}

static uint64_t load_le(const unsigned char *p, size_t len) {
    uint64_t word = 0;
    memcpy(&word, p, len);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* FNV-1a over eight bytes at a time, with a fold so that the high bytes of a word reach the low bits of the hash. */
uint64_t hash_bytes(const void *p, size_t len, uint64_t seed) {
    const uint64_t prime = 0x100000001b3u;
    const unsigned char *s = p;
    uint64_t h = 0xcbf29ce484222325u ^ seed ^ (len * prime);
    for (; len >= 8; s += 8, len -= 8) {
        h = (h ^ load_le(s, 8)) * prime;
        h ^= h >> 29;
    }
    if (len > 0)
        h = (h ^ load_le(s, len)) * prime;
    h ^= h >> 32;
    h *= 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}
