/* SPDX-License-Identifier: MIT */
/* The mappings that are known: bundled, the user's, tried ones. */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/data.h"
#include "listing/mapping.h"

struct mappings {
    struct mapping **items;
    size_t count, cap;
};

struct mappings *mappings_new(void) {
    return mem_zero(1, sizeof(struct mappings));
}

void mappings_free(struct mappings *m) {
    if (!m)
        return;
    for (size_t i = 0; i < m->count; i++)
        mapping_free(m->items[i]);
    free(m->items);
    free(m);
}

/* A later one of the same name replaces an earlier one. */
static void put(struct mappings *m, struct mapping *added) {
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->items[i]->name, added->name) == 0) {
            mapping_free(m->items[i]);
            m->items[i] = added;
            return;
        }
    m->items = mem_grow(m->items, &m->cap, m->count + 1, sizeof *m->items);
    m->items[m->count++] = added;
}

bool mappings_add(struct mappings *m, const char *bytes, size_t len, const char *file, enum mapping_origin origin,
                  struct err *err) {
    struct mapping *added = mapping_parse(bytes, len, file, origin, err);
    if (added)
        put(m, added);
    return added != NULL;
}

struct mappings *mappings_load(struct err *err) {
    static const char folder[] = "sources/";
    struct mappings *m = mappings_new();
    size_t count;
    const char *const *names = data_names(&count);
    for (size_t i = 0; i < count; i++) {
        struct blob blob;
        if (strncmp(names[i], folder, sizeof folder - 1) != 0 || !data_builtin(names[i], &blob))
            continue;
        if (!mappings_add(m, blob.bytes, blob.len, names[i], MAPPING_BUNDLED, err)) {
            mappings_free(m);
            return NULL;
        }
    }
    return m;
}

size_t mappings_count(const struct mappings *m) {
    return m ? m->count : 0;
}

const struct mapping *mappings_at(const struct mappings *m, size_t i) {
    return m->items[i];
}

const char *mapping_name(const struct mapping *m) {
    return m->name;
}

const char *mapping_label(const struct mapping *m) {
    return m->label;
}

const char *mapping_about(const struct mapping *m) {
    return m->about;
}

const char *mapping_file(const struct mapping *m) {
    return m->origin == MAPPING_BUNDLED ? "" : m->file;
}

enum mapping_origin mapping_origin(const struct mapping *m) {
    return m->origin;
}
