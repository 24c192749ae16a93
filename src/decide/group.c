/* SPDX-License-Identifier: MIT */
/*
 * Offers equal in provider, machine, rate, kind and shape. They are found while they are evaluated, when the offer is at hand:
 * in the order of the ranking every look at one would miss the cache. What remains scattered is asked for ahead of time.
 */
#include <stdlib.h>

#include "gpuplan/base/mem.h"
#include "ranking.h"

/* 64 bits: among 1,000,000 offers two are confused once in ten million rankings. */
static uint64_t group_hash(const struct ranking *r, uint32_t at) {
    const struct ranked *row = &r->rows[at];
    const struct offer *f = &r->q.offers->items[row->offer];
    const uint64_t parts[] = {(uint64_t)f->provider << 32 | f->machine, (uint64_t)f->rate_microusd,
                              (uint64_t)r->plan_of[at] << 32 | (uint64_t)f->rate_kind,
                              (uint64_t)row->set << 8 | row->which};
    return hash_bytes(parts, sizeof parts, 0);
}

static uint32_t tag_of(uint64_t key) {
    return (uint32_t)(key >> 32);
}

static size_t find_slot(const struct ranking *r, uint64_t key) {
    size_t mask = r->group_slot_count - 1, at = (size_t)key & mask;
    for (; r->group_slots[at].number; at = (at + 1) & mask)
        if (r->group_slots[at].tag == tag_of(key) && r->group_keys[r->group_slots[at].number - 1] == key)
            break;
    return at;
}

/* Room for every offer to be a group, at most three quarters full: moving a large table would hold up the keyboard. */
static void make_slots(struct ranking *r) {
    r->group_slot_count = 1024;
    while (r->group_slot_count / 4 * 3 < r->q.offers->count)
        r->group_slot_count *= 2;
    r->group_slots = mem_zero(r->group_slot_count, sizeof *r->group_slots);
}

static void insert(struct ranking *r, const struct group_pending *p) {
    if (!r->group_slots)
        make_slots(r);
    size_t at = find_slot(r, p->key);
    if (!r->group_slots[at].number) {
        r->group_keys = mem_grow(r->group_keys, &r->group_key_cap, r->group_count + 1, sizeof *r->group_keys);
        r->group_keys[r->group_count++] = p->key;
        r->group_slots[at] = (struct group_slot){(uint32_t)r->group_count, tag_of(p->key)};
    }
    r->group_of[p->row] = r->group_slots[at].number - 1;
}

void ranking_groups_add(struct ranking *r, uint32_t row) {
    struct group_pending *p = &r->group_queue[r->group_queued++ % GROUP_QUEUE];
    if (r->group_queued > GROUP_QUEUE)
        insert(r, p);
    *p = (struct group_pending){group_hash(r, row), row};
    if (r->group_slots)
        __builtin_prefetch(&r->group_slots[(size_t)p->key & (r->group_slot_count - 1)]);
}

/* All rows are in: what finds a group by its key goes, before the sort takes as much. */
void ranking_groups_settle(struct ranking *r) {
    size_t left = r->group_queued < GROUP_QUEUE ? r->group_queued : GROUP_QUEUE;
    for (size_t i = r->group_queued - left; i < r->group_queued; i++)
        insert(r, &r->group_queue[i % GROUP_QUEUE]);
    free(r->group_slots);
    free(r->group_keys);
    r->group_slots = NULL;
    r->group_keys = NULL;
}

void ranking_groups_begin(struct ranking *r) {
    r->groups = mem_zero(r->group_count + 1, sizeof *r->groups);
    r->group_order = mem_alloc((r->group_count + 1) * sizeof *r->group_order);
}

void ranking_groups_prefetch(const struct ranking *r, size_t position) {
    static const size_t further = 16;
    __builtin_prefetch(&r->rows[r->order[position]]);
    __builtin_prefetch(&r->groups[r->group_of[r->order[position]]]);
    if (position + further < r->count)
        __builtin_prefetch(&r->group_of[r->order[position + further]]);
}

void ranking_groups_place(struct ranking *r, size_t position) {
    uint32_t group = r->group_of[r->order[position]];
    struct group *g = &r->groups[group];
    if (g->size++ == 0) {
        g->first = (uint32_t)position;
        r->group_order[r->group_placed++] = group;
    }
}

size_t ranking_group_count(const struct ranking *r) {
    return r->phase == RANKING_DONE ? r->group_count : 0;
}

const struct ranked *ranking_group_at(const struct ranking *r, size_t i, size_t *size) {
    const struct group *g = &r->groups[r->group_order[i]];
    if (size)
        *size = g->size;
    return &r->rows[r->order[g->first]];
}

uint32_t ranking_group_of(const struct ranking *r, const struct ranked *row) {
    return r->group_of[row - r->rows];
}

static int by_order(const void *a, const void *b, void *user) {
    const struct ranking *r = user;
    return ranking_compare(r, *(const struct ranked *const *)a, *(const struct ranked *const *)b);
}

/* Looked for in the order of the rows, where memory is read straight on; members are few. */
size_t ranking_group_members(struct ranking *r, const struct ranked *row, const struct ranked ***members) {
    uint32_t group = ranking_group_of(r, row);
    size_t n = 0, size = r->groups[group].size;
    const struct ranked **found = mem_zero(size, sizeof(const struct ranked *));
    const struct ranked **spare = mem_zero(size, sizeof(const struct ranked *));
    for (size_t i = 0; i < r->count && n < size; i++)
        if (r->group_of[i] == group)
            found[n++] = &r->rows[i];
    struct merge_sort m = {
        .items = found, .spare = spare, .count = n, .size = sizeof *found, .compare = by_order, .user = r};
    merge_sort_step(&m, SIZE_MAX);
    free(m.spare);
    *members = m.items;
    return n;
}

/* Groups stand in the order of their best rows. */
size_t ranking_group_position(const struct ranking *r, const struct ranked *row) {
    uint32_t first = r->groups[ranking_group_of(r, row)].first;
    size_t low = 0, high = r->group_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->groups[r->group_order[middle]].first < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
