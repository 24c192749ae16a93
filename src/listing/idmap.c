/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "listing/reader.h"

static size_t slot_of(const struct idmap *m, uint64_t key) {
    size_t mask = m->cap - 1;
    size_t i =
        (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & mask; /* Fibonacci hashing: the keys are packed small integers */
    while (m->keys[i] != 0 && m->keys[i] != key)
        i = (i + 1) & mask;
    return i;
}

static void grow(struct idmap *m) {
    struct idmap bigger = {.cap = m->cap ? m->cap * 2 : 256, .count = m->count};
    bigger.keys = mem_zero(bigger.cap, sizeof *bigger.keys);
    bigger.values = mem_zero(bigger.cap, sizeof *bigger.values);
    for (size_t i = 0; i < m->cap; i++) {
        if (m->keys[i] == 0)
            continue;
        size_t slot = slot_of(&bigger, m->keys[i]);
        bigger.keys[slot] = m->keys[i];
        bigger.values[slot] = m->values[i];
    }
    idmap_free(m);
    *m = bigger;
}

uint32_t *idmap_at(struct idmap *m, uint64_t key) {
    if (m->count * 4 >= m->cap * 3)
        grow(m);
    size_t slot = slot_of(m, key);
    if (m->keys[slot] == 0) {
        m->keys[slot] = key;
        m->values[slot] = UINT32_MAX;
        m->count++;
    }
    return &m->values[slot];
}

void idmap_free(struct idmap *m) {
    free(m->keys);
    free(m->values);
    *m = (struct idmap){0};
}
