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
    struct idmap old = *m;
    m->cap = old.cap ? old.cap * 2 : 256;
    m->keys = mem_table(m->cap, sizeof *m->keys);
    m->values = mem_table(m->cap, sizeof *m->values);
    for (size_t i = 0; i < old.cap; i++) {
        if (old.keys[i] == 0)
            continue;
        size_t slot = slot_of(m, old.keys[i]);
        m->keys[slot] = old.keys[i];
        m->values[slot] = old.values[i];
    }
    free(old.keys);
    free(old.values);
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
