/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Open addressing over ids; the upper half of the hash stands beside the id so that most misses cost one cache line. */
struct slot {
    uint32_t id, tag; /* id UINT32_MAX: empty */
};

struct entry {
    const char *text;
    uint32_t len;
};

struct intern {
    struct arena *texts;
    struct entry *entries;
    size_t count, cap;
    struct slot *slots;
    size_t mask; /* slots - 1, slots a power of two */
    uint64_t seed;
};

static struct slot *empty_slots(size_t count) {
    struct slot *slots = mem_resize(NULL, count, sizeof *slots);
    memset(slots, 0xff, count * sizeof *slots);
    return slots;
}

struct intern *intern_new(void) {
    struct intern *t = mem_zero(1, sizeof *t);
    t->texts = arena_new();
    t->mask = 255;
    t->slots = empty_slots(t->mask + 1);
    /* The address differs from run to run, so nobody can prepare a file whose texts all collide. Ids do not depend on it. */
    t->seed = (uint64_t)(uintptr_t)t;
    intern_put(t, "", 0);
    return t;
}

void intern_free(struct intern *t) {
    if (t == NULL)
        return;
    arena_free(t->texts);
    free(t->entries);
    free(t->slots);
    free(t);
}

/* The slot that holds the text, or the empty one where it belongs. */
static struct slot *find_slot(const struct intern *t, const char *s, size_t len, uint64_t hash) {
    uint32_t tag = (uint32_t)(hash >> 32);
    for (size_t i = (size_t)hash & t->mask;; i = (i + 1) & t->mask) {
        struct slot *slot = &t->slots[i];
        if (slot->id == UINT32_MAX)
            return slot;
        const struct entry *e = &t->entries[slot->id];
        if (slot->tag == tag && e->len == len && memcmp(e->text, s, len) == 0)
            return slot;
    }
}

static void grow_slots(struct intern *t) {
    free(t->slots);
    t->mask = t->mask * 2 + 1;
    t->slots = empty_slots(t->mask + 1);
    for (size_t id = 0; id < t->count; id++) {
        const struct entry *e = &t->entries[id];
        uint64_t hash = hash_bytes(e->text, e->len, t->seed);
        size_t i = (size_t)hash & t->mask;
        while (t->slots[i].id != UINT32_MAX)
            i = (i + 1) & t->mask;
        t->slots[i] = (struct slot){(uint32_t)id, (uint32_t)(hash >> 32)};
    }
}

uint32_t intern_put(struct intern *t, const char *s, size_t len) {
    if (len == 0)
        s = "";
    if (len >= UINT32_MAX) /* no field is 4 GB; what passes the record limit of the readers never comes here */
        len = UINT32_MAX - 1;
    uint64_t hash = hash_bytes(s, len, t->seed);
    struct slot *slot = find_slot(t, s, len, hash);
    if (slot->id != UINT32_MAX)
        return slot->id;
    t->entries = mem_grow(t->entries, &t->cap, t->count + 1, sizeof *t->entries);
    uint32_t id = (uint32_t)t->count++;
    t->entries[id] = (struct entry){arena_strndup(t->texts, s, len), (uint32_t)len};
    *slot = (struct slot){id, (uint32_t)(hash >> 32)};
    if (t->count > t->mask / 8 * 5)
        grow_slots(t);
    return id;
}

uint32_t intern_find(const struct intern *t, const char *s, size_t len) {
    if (len == 0)
        return 0;
    return len >= UINT32_MAX ? UINT32_MAX : find_slot(t, s, len, hash_bytes(s, len, t->seed))->id;
}

const char *intern_text(const struct intern *t, uint32_t id) {
    return id < t->count ? t->entries[id].text : "";
}

uint32_t intern_count(const struct intern *t) {
    return (uint32_t)t->count;
}

size_t intern_bytes(const struct intern *t) {
    return sizeof *t + arena_bytes(t->texts) + t->cap * sizeof *t->entries + (t->mask + 1) * sizeof *t->slots;
}
