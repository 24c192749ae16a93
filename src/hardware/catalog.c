/* SPDX-License-Identifier: MIT */
#include "gpuplan/hardware/catalog.h"

#include <stdlib.h>

#include "gpuplan/base/text.h"
#include "hardware/catalog_private.h"

struct catalog *catalog_load(struct err *err) {
    struct catalog *c = mem_zero(1, sizeof *c);
    if (gpus_load(c, err) && aliases_load(c, err) && machines_load(c, err) && links_load(c, err))
        return c;
    catalog_free(c);
    return NULL;
}

void catalog_free(struct catalog *c) {
    if (c == NULL)
        return;
    name_index_free(&c->alias_index);
    name_index_free(&c->machine_index);
    free(c->gpus);
    free(c->aliases);
    free(c->machines);
    free(c->links);
    data_table_free(c->gpu_table);
    data_table_free(c->alias_table);
    data_table_free(c->machine_table);
    data_table_free(c->link_table);
    free(c);
}

size_t catalog_gpu_count(const struct catalog *c) {
    return c->gpu_count;
}

const struct gpu *catalog_gpu(const struct catalog *c, size_t i) {
    return i < c->gpu_count ? &c->gpus[i] : NULL;
}

int catalog_gpu_index(const struct catalog *c, const struct gpu *g) {
    return g >= c->gpus && g < c->gpus + c->gpu_count ? (int)(g - c->gpus) : -1;
}

/* Exact names are few: canonical names and aliases share the hash, so the spelling found is compared once more. */
int catalog_gpu_place(const struct catalog *c, const char *canonical_name) {
    char folded[NAME_MAX_FOLDED];
    size_t len = name_fold(folded, sizeof folded, canonical_name), step = 0;
    uint32_t hash = name_hash(folded, len);
    for (long i; len > 0 && (i = name_index_next(&c->alias_index, hash, &step)) >= 0;)
        if ((size_t)i < c->gpu_count && text_equal_fold(c->gpus[i].name, canonical_name))
            return (int)i;
    return -1;
}

const struct gpu *catalog_gpu_exact(const struct catalog *c, const char *canonical_name) {
    int place = catalog_gpu_place(c, canonical_name);
    return place < 0 ? NULL : &c->gpus[place];
}

const char *catalog_gpu_nearest(const struct catalog *c, const char *name) {
    const char **names = mem_zero(c->gpu_count + 1, sizeof *names);
    for (size_t i = 0; i < c->gpu_count; i++)
        names[i] = c->gpus[i].name;
    const char *nearest = text_nearest(name, names, c->gpu_count);
    free(names);
    return nearest;
}
