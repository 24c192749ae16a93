/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * Open addressing over ids. The hash stands beside the id, so that most misses cost one cache line and growing the table never
 * touches a text.
 */
struct slot {
    uint32_t place, tag; /* id + 1; 0: empty */
};

/*
 * A text in the arena is [its length, 4 bytes, only when long] [its length, 1 byte] [the text] [NUL]: an entry is one pointer,
 * which counts with millions of short texts.
 */
enum { LONG_TEXT = 255 };

struct intern {
    struct arena *texts;
    const char **entries; /* by id */
    size_t count, cap;
    struct slot *slots;
    size_t mask; /* slots - 1, slots a power of two */
    uint64_t seed;
};

struct intern *intern_new(void) {
    struct intern *t = mem_zero(1, sizeof *t);
    t->texts = arena_new();
    t->mask = 255;
    t->slots = mem_table(t->mask + 1, sizeof *t->slots);
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

static size_t length_of(const char *text) {
    uint32_t len = (unsigned char)text[-1];
    if (len == LONG_TEXT)
        memcpy(&len, text - 1 - sizeof len, sizeof len);
    return len;
}

static const char *store(struct intern *t, const char *s, uint32_t len) {
    char *p = arena_chars(t->texts, (len < LONG_TEXT ? 0 : sizeof len) + 1 + (size_t)len + 1);
    if (len >= LONG_TEXT) {
        memcpy(p, &len, sizeof len);
        p += sizeof len;
    }
    *p++ = (char)(unsigned char)(len < LONG_TEXT ? len : LONG_TEXT);
    memcpy(p, s, len);
    p[len] = '\0';
    return p;
}

/* The slot that holds the text, or the empty one where it belongs. */
static struct slot *find_slot(const struct intern *t, const char *s, size_t len, uint32_t tag) {
    for (size_t i = tag & t->mask;; i = (i + 1) & t->mask) {
        struct slot *slot = &t->slots[i];
        if (slot->place == 0)
            return slot;
        if (slot->tag != tag)
            continue;
        const char *text = t->entries[slot->place - 1];
        if (length_of(text) == len && memcmp(text, s, len) == 0)
            return slot;
    }
}

static void grow_slots(struct intern *t, size_t mask) {
    struct slot *old = t->slots;
    size_t old_count = t->mask + 1;
    t->mask = mask;
    t->slots = mem_table(t->mask + 1, sizeof *t->slots);
    for (size_t k = 0; k < old_count; k++) {
        if (old[k].place == 0)
            continue;
        size_t i = old[k].tag & t->mask;
        while (t->slots[i].place != 0)
            i = (i + 1) & t->mask;
        t->slots[i] = old[k];
    }
    free(old);
}

static size_t texts_held_by(size_t mask) {
    return mask / 4 * 3;
}

void intern_reserve(struct intern *t, size_t count) {
    size_t mask = t->mask;
    while (texts_held_by(mask) < count)
        mask = mask * 2 + 1;
    if (!t->slots)
        t->mask = mask; /* made by the next put */
    else if (mask > t->mask)
        grow_slots(t, mask);
}

static uint32_t tag_of(const struct intern *t, const char *s, size_t len) {
    uint64_t hash = hash_bytes(s, len, t->seed);
    return (uint32_t)(hash ^ hash >> 32);
}

/* As many as before, filled from the texts. */
static void restore_slots(struct intern *t) {
    t->slots = mem_table(t->mask + 1, sizeof *t->slots);
    for (uint32_t id = 0; id < t->count; id++) {
        const char *s = t->entries[id];
        uint32_t tag = tag_of(t, s, length_of(s));
        size_t i = tag & t->mask;
        while (t->slots[i].place != 0)
            i = (i + 1) & t->mask;
        t->slots[i] = (struct slot){id + 1, tag};
    }
}

void intern_trim(struct intern *t) {
    free(t->slots);
    t->slots = NULL;
}

void intern_prefetch(const struct intern *t, const char *s, size_t len) {
    if (!t->slots)
        return;
    __builtin_prefetch(&t->slots[tag_of(t, s, len) & t->mask]);
}

uint32_t intern_put(struct intern *t, const char *s, size_t len) {
    if (len == 0)
        s = "";
    if (len >= UINT32_MAX) /* no field is 4 GB; what passes the record limit of the readers never comes here */
        len = UINT32_MAX - 1;
    if (!t->slots)
        restore_slots(t);
    uint32_t tag = tag_of(t, s, len);
    struct slot *slot = find_slot(t, s, len, tag);
    if (slot->place != 0)
        return slot->place - 1;
    t->entries = mem_grow(t->entries, &t->cap, t->count + 1, sizeof *t->entries);
    uint32_t id = (uint32_t)t->count++;
    t->entries[id] = store(t, s, (uint32_t)len);
    *slot = (struct slot){id + 1, tag};
    if (t->count > texts_held_by(t->mask))
        grow_slots(t, t->mask * 2 + 1);
    return id;
}

/* Without slots: one text after the other. */
static uint32_t find_in_order(const struct intern *t, const char *s, size_t len) {
    for (uint32_t id = 0; id < t->count; id++)
        if (length_of(t->entries[id]) == len && memcmp(t->entries[id], s, len) == 0)
            return id;
    return UINT32_MAX;
}

uint32_t intern_find(const struct intern *t, const char *s, size_t len) {
    if (len == 0)
        return 0;
    if (!t->slots)
        return find_in_order(t, s, len);
    return len >= UINT32_MAX ? UINT32_MAX : find_slot(t, s, len, tag_of(t, s, len))->place - 1; /* 0 - 1: absent */
}

const char *intern_text(const struct intern *t, uint32_t id) {
    return id < t->count ? t->entries[id] : "";
}

uint32_t intern_count(const struct intern *t) {
    return (uint32_t)t->count;
}

size_t intern_bytes(const struct intern *t) {
    return sizeof *t + arena_bytes(t->texts) + t->cap * sizeof *t->entries + (t->slots ? t->mask + 1 : 0) * sizeof *t->slots;
}
