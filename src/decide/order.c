/* SPDX-License-Identifier: MIT */
/*
 * The order of design: class, goal, the other axis, simplicity, id. Most of it is a radix sort on class and goal; rows that
 * agree in those 32 bits are merged afterwards by all the rest. Everything goes in slices: no step visits more rows than told.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "ranking.h"

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS, PASSES = 3 };

static int by_float(float a, float b) {
    return a < b ? -1 : a > b;
}

int ranking_compare(const struct ranking *r, const struct ranked *a, const struct ranked *b) {
    if (a->cls != b->cls)
        return a->cls < b->cls ? -1 : 1;
    int by = by_float(a->goal, b->goal);
    if (by == 0)
        by = by_float(a->other, b->other);
    if (by == 0)
        by = (int)a->simplicity - (int)b->simplicity;
    if (by != 0)
        return by;
    const struct offer *fa = &r->q.offers->items[a->offer], *fb = &r->q.offers->items[b->offer];
    if (fa->id != fb->id)
        return strcmp(offers_text(r->q.offers, fa->id), offers_text(r->q.offers, fb->id));
    return a->offer < b->offer ? -1 : a->offer > b->offer;
}

/* ---- the first rows, while the rest is being evaluated: kept in order by insertion; few rows get in once it is full ---- */

static bool worse(const struct ranking *r, uint32_t a, uint32_t b) {
    return ranking_compare(r, &r->rows[a], &r->rows[b]) > 0;
}

void ranking_early_add(struct ranking *r, uint32_t row) {
    size_t at = r->early_count;
    if (at == EARLY_ROWS) {
        if (!worse(r, r->early[at - 1], row))
            return;
        at--;
    } else {
        r->early_count++;
    }
    for (; at > 0 && worse(r, r->early[at - 1], row); at--)
        r->early[at] = r->early[at - 1];
    r->early[at] = row;
}

/* ---- radix ---- */

/* Order-preserving: 2 bits of class, then the goal without its sign (it is not negative) and its last bit. */
static uint32_t key_of(const struct ranked *row) {
    uint32_t bits;
    float goal = row->goal >= 0 ? row->goal : 0;
    memcpy(&bits, &goal, sizeof bits);
    return (uint32_t)row->cls << 30 | bits >> 1;
}

static uint32_t digit(uint32_t key, int pass) {
    return key >> (pass * RADIX_BITS) & (RADIX - 1);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* The next rows to be visited, `work` at most; they count as visited. */
static size_t take(struct ranking *r, size_t work) {
    r->cursor += least(work, r->count - r->cursor);
    return r->cursor;
}

void ranking_sort_begin(struct ranking *r) {
    r->keys = mem_alloc((r->count + 1) * sizeof *r->keys);
    r->spare = mem_alloc((r->count + 1) * sizeof *r->spare);
    r->order = mem_alloc((r->count + 1) * sizeof *r->order);
    memset(r->histogram, 0, sizeof r->histogram);
    r->pass = -1;
}

static void make_keys(struct ranking *r, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        uint32_t key = key_of(&r->rows[i]);
        r->keys[i] = (struct sort_key){key, (uint32_t)i};
        for (int pass = 0; pass < PASSES; pass++)
            r->histogram[pass][digit(key, pass)]++;
    }
}

/* From how often each digit occurs to where its first row goes. */
static void count_to_start(uint32_t start[RADIX]) {
    uint32_t sum = 0;
    for (int d = 0; d < RADIX; d++) {
        uint32_t n = start[d];
        start[d] = sum;
        sum += n;
    }
}

static void scatter(struct ranking *r, size_t from, size_t to) {
    uint32_t *start = r->histogram[r->pass];
    if (from == 0)
        count_to_start(start);
    for (size_t i = from; i < to; i++)
        r->spare[start[digit(r->keys[i].key, r->pass)]++] = r->keys[i];
}

bool ranking_sort_step(struct ranking *r, size_t work) {
    size_t from = r->cursor, to = take(r, work);
    if (r->pass < 0)
        make_keys(r, from, to);
    else
        scatter(r, from, to);
    if (to < r->count)
        return false;
    if (r->pass >= 0) {
        struct sort_key *t = r->keys;
        r->keys = r->spare;
        r->spare = t;
    }
    r->cursor = 0;
    return ++r->pass == PASSES;
}

/* ---- runs of equal keys: sorted by all the rest, then written to the order ---- */

static int by_all(const void *a, const void *b, void *user) {
    const struct ranking *r = user;
    return ranking_compare(r, &r->rows[((const struct sort_key *)a)->row], &r->rows[((const struct sort_key *)b)->row]);
}

static size_t find_run(struct ranking *r) {
    size_t start = r->cursor, end = start;
    while (end < r->count && r->keys[end].key == r->keys[start].key)
        end++;
    r->run_end = end;
    r->run = (struct merge_sort){.items = r->keys + start,
                                 .spare = r->spare + start,
                                 .count = end - start,
                                 .size = sizeof *r->keys,
                                 .compare = by_all,
                                 .user = r};
    return end - start;
}

static size_t write_run(struct ranking *r, size_t work) {
    const struct sort_key *keys = r->run.items;
    size_t from = r->cursor, start = r->run_end - r->run.count, to = from + least(work, r->run_end - from);
    for (size_t i = from; i < to; i++)
        r->order[i] = keys[i - start].row;
    r->cursor = to;
    return to - from;
}

bool ranking_runs_step(struct ranking *r, size_t work) {
    for (size_t done = 0; done < work && r->cursor < r->count;) {
        if (r->cursor == r->run_end)
            done += find_run(r);
        if (!merge_sort_step(&r->run, work > done ? work - done : 1))
            return false;
        done += write_run(r, work > done ? work - done : 1);
    }
    if (r->cursor < r->count)
        return false;
    free(r->keys);
    free(r->spare);
    r->keys = r->spare = NULL;
    return true;
}

/* ---- frontier: a staircase, cheapest first, each step faster than the one before ---- */

static size_t first_dearer(const struct ranking *r, float usd) {
    size_t low = 0, high = r->frontier_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->frontier[middle].usd > usd)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void ranking_frontier_add(struct ranking *r, const struct ranked *row) {
    size_t at = first_dearer(r, row->usd);
    if (at > 0 && r->frontier[at - 1].hours <= row->hours)
        return;
    size_t from = at, to = at; /* what the new point beats */
    while (from > 0 && r->frontier[from - 1].usd >= row->usd)
        from--;
    while (to < r->frontier_count && r->frontier[to].hours >= row->hours)
        to++;
    r->frontier = mem_grow(r->frontier, &r->frontier_cap, r->frontier_count + 1, sizeof *r->frontier);
    memmove(&r->frontier[from + 1], &r->frontier[to], (r->frontier_count - to) * sizeof *r->frontier);
    r->frontier[from] = *row;
    r->frontier_count += from + 1 - to;
}

static bool on_frontier(const struct ranking *r, const struct ranked *row) {
    size_t at = first_dearer(r, row->usd);
    if (at == 0)
        return false;
    const struct ranked *step = &r->frontier[at - 1];
    return by_float(step->usd, row->usd) == 0 && by_float(step->hours, row->hours) == 0;
}

/* ---- ties ---- */

static const struct estimate *estimate_of(const struct ranking *r, const struct ranked *row) {
    return &memo_set(r->memo, row->set)->e[row->which];
}

/*
 * The errors of the model and of the software stack are the same for both and cancel; what is left is each card's constants,
 * each link's in so far as the job communicates, and the difference between two machines of one kind.
 */
static bool cannot_be_told_apart(const struct ranking *r, const struct ranked *a, const struct ranked *b) {
    static const double z90 = 1.2816; /* one-sided 90 % */
    const struct assumptions *as = r->q.assumptions;
    double floor = assume_get(as, ASSUME_TIE_FLOOR_SIGMA), variance = floor * floor;
    if (a->cls != b->cls || !(a->goal > 0) || !(b->goal > 0))
        return false;
    if (b->goal <= a->goal)
        return true;
    if (a->set != b->set || a->which != b->which) {
        double link = assume_get(as, ASSUME_TIE_LINK_SIGMA), gpu = assume_get(as, ASSUME_TIE_GPU_SIGMA);
        double share_a = estimate_of(r, a)->comm_share, share_b = estimate_of(r, b)->comm_share;
        variance += link * link * (share_a * share_a + share_b * share_b);
        if (a->gpu != b->gpu)
            variance += 2 * gpu * gpu;
    }
    return log((double)b->goal / (double)a->goal) < z90 * sqrt(variance);
}

bool ranking_mark_step(struct ranking *r, size_t work) {
    static const size_t ahead = 16; /* rows lie scattered in memory */
    if (!r->groups)
        ranking_groups_begin(r);
    size_t stop = r->count - r->cursor < work ? r->count : r->cursor + work;
    for (; r->cursor < stop; r->cursor++) {
        if (r->cursor + ahead < r->count)
            ranking_groups_prefetch(r, r->cursor + ahead);
        struct ranked *row = &r->rows[r->order[r->cursor]];
        row->frontier = on_frontier(r, row);
        row->tie = r->cursor > 0 && cannot_be_told_apart(r, &r->rows[r->order[r->cursor - 1]], row);
        ranking_groups_place(r, r->cursor);
        ranking_answer_visit(r, &r->answer_rows, row);
    }
    return r->cursor == r->count;
}
