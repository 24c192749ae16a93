/* SPDX-License-Identifier: MIT */
/*
 * Memory. An allocation failure calls mem_fatal(), which runs the hook (the terminal is restored there) and aborts, so no
 * caller checks for NULL. An arena frees everything at once; pointers into it live until arena_free().
 */
#ifndef GPUPLAN_BASE_MEM_H
#define GPUPLAN_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/*
 * At the start of a program that must not stall: large blocks always come fresh from the system, which clears them page by
 * page as they are used; the allocator would otherwise hand out a used block and clear all of it at once.
 */
void mem_begin(void);
void *mem_alloc(size_t size);                         /* uninitialised */
void *mem_zero(size_t count, size_t size);            /* zeroed; overflow of count*size is fatal */
void *mem_resize(void *p, size_t count, size_t size); /* overflow-safe realloc */
/*
 * For tables that are looked up all over the place: large ones get large pages, so that a look-up misses one cache and not two.
 * Zeroed; freed with free().
 */
void *mem_table(size_t count, size_t size);
char *mem_strdup(const char *s);
void mem_on_fatal(void (*hook)(void)); /* called once before abort() */

/* Grows *items (capacity *cap elements of `size` bytes) so that `want` elements fit; amortised doubling. */
void *mem_grow(void *items, size_t *cap, size_t want, size_t size);

struct arena;
struct arena *arena_new(void);
void arena_free(struct arena *a);                /* NULL is fine */
void *arena_alloc(struct arena *a, size_t size); /* aligned for any type, zeroed */
char *arena_chars(struct arena *a, size_t size);  /* not aligned, for text */
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_strdup(struct arena *a, const char *s);
size_t arena_bytes(const struct arena *a);

/*
 * Interned strings: equal text ⇔ equal id. Id 0 is always the empty string. The table owns the text; pointers from
 * intern_text() stay valid until intern_free().
 */
struct intern;
struct intern *intern_new(void);
void intern_free(struct intern *t);
uint32_t intern_put(struct intern *t, const char *s, size_t len);
/* Room for so many texts in all (at most 2^31): the table is then not moved while they are put, which takes a while at once. */
void intern_reserve(struct intern *t, size_t count);
void intern_prefetch(const struct intern *t, const char *s, size_t len); /* this text will be put soon */
uint32_t intern_find(const struct intern *t, const char *s, size_t len); /* UINT32_MAX if absent */
/* Gives back what finds an id by its text, for a table that is only read from now on; made again by the next put. */
void intern_trim(struct intern *t);
const char *intern_text(const struct intern *t, uint32_t id);
uint32_t intern_count(const struct intern *t);
size_t intern_bytes(const struct intern *t);

/* FNV-1a style 64-bit hash, stable over runs and machines. */
uint64_t hash_bytes(const void *p, size_t len, uint64_t seed);

#endif
