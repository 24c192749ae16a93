/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/merge.h"

#include <string.h>

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static char *at(const struct merge_sort *m, void *base, size_t i) {
    return (char *)base + i * m->size;
}

static void copy(const struct merge_sort *m, size_t to, size_t from, size_t n) {
    memcpy(at(m, m->spare, to), at(m, m->items, from), n * m->size);
}

/* Goes on with the two runs at m->low; returns what it moved, at most `work`. */
static size_t merge_some(struct merge_sort *m, size_t work) {
    size_t middle = least(m->low + m->width, m->count), high = least(middle + m->width, m->count);
    size_t a = m->low + m->a, b = middle + m->b, to = a + m->b, moved = 0;
    bool in_order = m->a + m->b == 0 && middle < high &&
                    m->compare(at(m, m->items, middle - 1), at(m, m->items, middle), m->user) <= 0;
    while (!in_order && moved < work && a < middle && b < high) {
        bool first = m->compare(at(m, m->items, a), at(m, m->items, b), m->user) <= 0;
        copy(m, to++, first ? a++ : b++, 1);
        moved++;
    }
    if (in_order || a == middle || b == high) { /* the rest is a copy: of the first run, then of the second */
        size_t n = least(work - moved, middle - a);
        copy(m, to, a, n);
        a += n, to += n, moved += n;
        n = a == middle ? least(work - moved, high - b) : 0;
        copy(m, to, b, n);
        b += n, moved += n;
    }
    m->a = a - m->low;
    m->b = b - middle;
    if (a == middle && b == high) {
        m->low = high;
        m->a = m->b = 0;
    }
    return moved;
}

bool merge_sort_step(struct merge_sort *m, size_t work) {
    if (m->width == 0)
        m->width = 1;
    for (size_t done = 0; done < work && m->width < m->count;) {
        done += merge_some(m, work - done);
        if (m->low < m->count)
            continue;
        void *t = m->items;
        m->items = m->spare;
        m->spare = t;
        m->low = 0;
        m->width = m->width > m->count / 2 ? m->count : m->width * 2;
    }
    return m->width >= m->count;
}
