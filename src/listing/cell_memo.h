/* SPDX-License-Identifier: MIT */
/*
 * Private to listing/: what the cells of one column have meant. Most cells repeat one of the last few dozen (provider, card,
 * region, counts), so what they came to is taken over. A column whose cells are all different is soon left alone.
 */
#ifndef GPUPLAN_SRC_LISTING_CELL_MEMO_H
#define GPUPLAN_SRC_LISTING_CELL_MEMO_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MEMO_CELLS = 64, MEMO_CELL_BYTES = 23, MEMO_START = 256, MEMO_GAIN = 3, MEMO_MOST = 4096 };

struct memo_cell {
    uint64_t value; /* up to the user of the memo */
    uint8_t len;    /* 0 = free */
    char text[MEMO_CELL_BYTES];
};

/* `worth` is the credit that hits earn and misses spend; a memo starts with MEMO_START and stays off once it is at 0. */
struct cell_memo {
    int worth;
    struct memo_cell cells[MEMO_CELLS];
};

static inline uint64_t cell_memo_word(const char *s, size_t len) {
    uint64_t word = 0;
    memcpy(&word, s, len);
    return word;
}

/* The place of a cell; NULL when it has none. len > 0. */
static inline struct memo_cell *cell_memo_at(struct cell_memo *m, const char *s, size_t len) {
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t h = len;
    if (m->worth <= 0 || len > MEMO_CELL_BYTES)
        return NULL;
    if (len >= 16)
        h ^= cell_memo_word(s + 8, 8) * odd;
    h ^= len >= 8 ? cell_memo_word(s, 8) ^ cell_memo_word(s + len - 8, 8) << 1 : cell_memo_word(s, len);
    return &m->cells[(h * odd) >> 58];
}

/* Whether that place holds just this cell. */
static inline bool cell_memo_holds(struct cell_memo *m, const struct memo_cell *c, const char *s, size_t len) {
    bool holds = c->len == len && memcmp(c->text, s, len) == 0;
    if (!holds)
        m->worth--;
    else if (m->worth < MEMO_MOST)
        m->worth += MEMO_GAIN;
    return holds;
}

static inline void cell_memo_keep(struct memo_cell *c, const char *s, size_t len, uint64_t value) {
    c->value = value;
    c->len = (uint8_t)len;
    memcpy(c->text, s, len);
}

#endif
