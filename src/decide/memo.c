/* SPDX-License-Identifier: MIT */
#include "gpuplan/decide/memo.h"

#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"

enum { MEMO_FIRST_SLOTS = 256 /* a power of two */, MEMO_CHUNK = 64 };

/* Sets live in chunks, so that a set handed out stays where it is while others are added. */
struct memo {
    uint64_t *keys; /* by index */
    size_t key_cap;
    uint32_t *slots; /* index + 1; 0 = free */
    size_t slot_count;
    struct estimate_set **chunks;
    size_t chunk_count, chunk_cap;
    uint32_t count;
    long layouts;
};

struct memo *memo_new(void) {
    struct memo *m = mem_zero(1, sizeof *m);
    m->slot_count = MEMO_FIRST_SLOTS;
    m->slots = mem_zero(m->slot_count, sizeof *m->slots);
    return m;
}

void memo_free(struct memo *m) {
    if (!m)
        return;
    for (size_t i = 0; i < m->chunk_count; i++)
        free(m->chunks[i]);
    free(m->chunks);
    free(m->keys);
    free(m->slots);
    free(m);
}

void memo_clear(struct memo *m) {
    memset(m->slots, 0, m->slot_count * sizeof *m->slots);
    m->count = 0;
    m->layouts = 0;
}

static size_t slot_of(const struct memo *m, uint64_t key) {
    size_t mask = m->slot_count - 1, at = (size_t)(key ^ (key >> 29)) & mask;
    while (m->slots[at] && m->keys[m->slots[at] - 1] != key)
        at = (at + 1) & mask;
    return at;
}

static void grow_slots(struct memo *m) {
    free(m->slots);
    m->slot_count *= 2;
    m->slots = mem_zero(m->slot_count, sizeof *m->slots);
    for (uint32_t i = 0; i < m->count; i++)
        m->slots[slot_of(m, m->keys[i])] = i + 1;
}

static struct estimate_set *set_at(const struct memo *m, uint32_t index) {
    return &m->chunks[index / MEMO_CHUNK][index % MEMO_CHUNK];
}

uint32_t memo_get(struct memo *m, const struct catalog *c, const struct job *j, const struct shape *s,
                  const struct assumptions *a) {
    uint64_t key = shape_key(s, catalog_gpu_index(c, s->gpu));
    size_t at = slot_of(m, key);
    if (m->slots[at])
        return m->slots[at] - 1;
    if ((size_t)m->count * 2 >= m->slot_count) {
        grow_slots(m);
        at = slot_of(m, key);
    }
    uint32_t index = m->count++;
    m->keys = mem_grow(m->keys, &m->key_cap, m->count, sizeof *m->keys);
    m->keys[index] = key;
    m->slots[at] = index + 1;
    if (index / MEMO_CHUNK >= m->chunk_count) {
        m->chunks = mem_grow(m->chunks, &m->chunk_cap, m->chunk_count + 1, sizeof *m->chunks);
        m->chunks[m->chunk_count++] = mem_zero(MEMO_CHUNK, sizeof **m->chunks);
    }
    estimate_search(c, j, s, a, set_at(m, index));
    m->layouts += set_at(m, index)->layouts;
    return index;
}

const struct estimate_set *memo_set(const struct memo *m, uint32_t index) {
    return set_at(m, index);
}

double memo_longest(struct memo *m, uint32_t index, int which, const struct catalog *c, const struct job *j,
                    const struct shape *s, const struct assumptions *a) {
    struct estimate *e = &set_at(m, index)->e[which];
    if (!(e->max_seq_len > 0))
        e->max_seq_len = estimate_max_seq_len(c, j, s, &e->layout, a);
    return e->max_seq_len;
}

long memo_layouts(const struct memo *m) {
    return m->layouts;
}

uint32_t memo_count(const struct memo *m) {
    return m->count;
}
