/* SPDX-License-Identifier: MIT */
/* Names folded and hashed: a million offers are resolved through this. */
#include <stdlib.h>

#include "hardware/catalog_private.h"

void name_index_init(struct name_index *x, size_t names) {
    size_t size = 16;
    while (size < 2 * names + 2)
        size *= 2;
    x->slots = mem_zero(size, sizeof *x->slots);
    x->hashes = mem_zero(size, sizeof *x->hashes);
    x->mask = size - 1;
}

void name_index_free(struct name_index *x) {
    free(x->slots);
    free(x->hashes);
}

void name_index_put(struct name_index *x, uint32_t hash, uint32_t value) {
    size_t i = hash & x->mask;
    while (x->slots[i] != 0)
        i = (i + 1) & x->mask;
    x->slots[i] = value + 1;
    x->hashes[i] = hash;
}

long name_index_next(const struct name_index *x, uint32_t hash, size_t *step) {
    if (x->slots == NULL)
        return -1;
    for (;;) {
        size_t i = (hash + *step) & x->mask;
        if (x->slots[i] == 0)
            return -1;
        (*step)++;
        if (x->hashes[i] == hash)
            return (long)x->slots[i] - 1;
    }
}

size_t name_fold(char *out, size_t cap, const char *s) {
    size_t n = 0;
    for (; *s != '\0'; s++) {
        char c = *s;
        if (c == ' ' || c == '-' || c == '_' || c == '(' || c == ')' || c == '\t')
            continue;
        if (n + 1 >= cap) {
            out[0] = '\0';
            return 0;
        }
        out[n++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    out[n] = '\0';
    return n;
}

uint32_t name_hash(const char *folded, size_t len) {
    uint64_t h = hash_bytes(folded, len, 0);
    return (uint32_t)(h ^ h >> 32);
}
