/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/mem.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_FIRST = 4096, CHUNK_LARGEST = 1 << 20 };

struct chunk {
    struct chunk *next;
    size_t used, cap;
    alignas(max_align_t) unsigned char bytes[];
};

struct arena {
    struct chunk *chunks; /* the first is the one being filled */
    size_t chunk_size, total;
};

struct arena *arena_new(void) {
    struct arena *a = mem_zero(1, sizeof *a);
    a->chunk_size = CHUNK_FIRST;
    return a;
}

void arena_free(struct arena *a) {
    if (a == NULL)
        return;
    for (struct chunk *c = a->chunks, *next; c != NULL; c = next) {
        next = c->next;
        free(c);
    }
    free(a);
}

static struct chunk *add_chunk(struct arena *a, size_t size) {
    size_t cap = size > a->chunk_size ? size : a->chunk_size;
    /* mem_zero dies on overflow; the header is added as a count of bytes for that */
    size_t total = cap <= SIZE_MAX - sizeof(struct chunk) ? cap + sizeof(struct chunk) : SIZE_MAX;
    struct chunk *c = mem_zero(total, 1);
    c->cap = cap;
    a->total += total;
    if (a->chunks != NULL && size > a->chunk_size / 4) { /* a big block does not end the chunk that is being filled */
        c->next = a->chunks->next;
        a->chunks->next = c;
    } else {
        c->next = a->chunks;
        a->chunks = c;
    }
    if (a->chunk_size < CHUNK_LARGEST)
        a->chunk_size *= 2;
    return c;
}

static void *take(struct arena *a, size_t size, size_t align) {
    struct chunk *c = a->chunks;
    size_t start = c != NULL ? (c->used + align - 1) & ~(align - 1) : 0;
    if (c == NULL || start > c->cap || c->cap - start < size) {
        c = add_chunk(a, size);
        start = 0;
    }
    c->used = start + size;
    return c->bytes + start;
}

void *arena_alloc(struct arena *a, size_t size) {
    return take(a, size > 0 ? size : 1, alignof(max_align_t));
}

char *arena_chars(struct arena *a, size_t size) {
    return take(a, size > 0 ? size : 1, 1);
}

char *arena_strndup(struct arena *a, const char *s, size_t len) {
    char *copy = take(a, len < SIZE_MAX ? len + 1 : len, 1);
    if (len > 0)
        memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

char *arena_strdup(struct arena *a, const char *s) {
    return arena_strndup(a, s, strlen(s));
}

size_t arena_bytes(const struct arena *a) {
    return a->total;
}
