/* SPDX-License-Identifier: MIT */
/* Machine types of providers, from data/machines.csv. */
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "hardware/catalog_private.h"

enum machine_column {
    KEY,
    PROVIDER,
    TYPE,
    CARD,
    LINK,
    NETWORK,
    SOURCE,
    GPUS,
    VRAM,
    LINK_GBS,
    VCPUS,
    RAM,
    DISK,
    NETWORK_GBPS,
    COLUMNS
};
static const char *const columns[COLUMNS] = {
    "key",  "provider", "type",     "gpu",   "link",    "network",       "source",
    "gpus", "vram_gb",  "link_gbs", "vcpus", "ram_gib", "disk_local_gb", "network_gbps",
};

/* FNV-1a over "provider/type" in lower case; types differ in '-' and '_', so nothing is left out. */
static uint32_t machine_hash(const char *provider, const char *type) {
    const char *const parts[] = {provider, type};
    uint64_t h = 14695981039346656037ULL;
    for (size_t i = 0; i < 2; i++) {
        for (const char *p = parts[i]; *p != '\0'; p++)
            h = (h ^ (unsigned char)(*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p)) * 1099511628211ULL;
        h = (h ^ '/') * 1099511628211ULL;
    }
    return (uint32_t)(h ^ h >> 32);
}

static bool read_words(const struct catalog *c, size_t row, struct machine *m, struct err *err) {
    const struct data_table *t = c->machine_table;
    int place = catalog_gpu_place(c, data_table_cell(t, row, CARD));
    int link = link_find(data_table_cell(t, row, LINK));
    int network = network_find(data_table_cell(t, row, NETWORK));
    if (place < 0 || link < 0 || network < 0) {
        enum machine_column bad = place < 0 ? CARD : link < 0 ? LINK : NETWORK;
        err_set(err, ERR_DATA, "unknown word '%s'", data_table_cell(t, row, bad));
        return data_table_at(t, row, bad, err);
    }
    m->provider = data_table_cell(t, row, PROVIDER);
    m->type = data_table_cell(t, row, TYPE);
    m->source = data_table_cell(t, row, SOURCE);
    m->gpu = &c->gpus[place];
    m->link = (enum link_kind)link;
    m->network = (enum network_kind)network;
    return true;
}

static bool read_machine(const struct catalog *c, size_t row, struct machine *m, struct err *err) {
    const struct data_table *t = c->machine_table;
    double gpus;
    if (!read_words(c, row, m, err))
        return false;
    bool done = data_table_number(t, row, GPUS, 1, 1024, 1, &gpus, err) &&
                data_table_number(t, row, VRAM, 0, 4096, m->gpu->vram_gb, &m->vram_gb, err) &&
                data_table_number(t, row, LINK_GBS, 0, 1e5, NUM_UNKNOWN, &m->link_gbs, err) &&
                data_table_number(t, row, VCPUS, 0, 1e4, NUM_UNKNOWN, &m->vcpus, err) &&
                data_table_number(t, row, RAM, 0, 1e6, NUM_UNKNOWN, &m->ram_gib, err) &&
                data_table_number(t, row, DISK, 0, 1e7, NUM_UNKNOWN, &m->disk_local_gb, err) &&
                data_table_number(t, row, NETWORK_GBPS, 0, 1e6, NUM_UNKNOWN, &m->network_gbps, err);
    m->gpus = (int)gpus;
    return done;
}

bool machines_load(struct catalog *c, struct err *err) {
    c->machine_table = data_table_load("machines.csv", columns, COLUMNS, err);
    if (c->machine_table == NULL)
        return false;
    size_t rows = data_table_rows(c->machine_table);
    c->machines = mem_zero(rows + 1, sizeof *c->machines);
    name_index_init(&c->machine_index, rows);
    for (size_t i = 0; i < rows; i++) {
        struct machine *m = &c->machines[i];
        if (!read_machine(c, i, m, err))
            return false;
        name_index_put(&c->machine_index, machine_hash(m->provider, m->type), (uint32_t)i);
        c->machine_count++;
    }
    return true;
}

const struct machine *catalog_machine(const struct catalog *c, const char *provider, const char *type) {
    uint32_t hash = machine_hash(provider, type);
    size_t step = 0;
    for (long i; (i = name_index_next(&c->machine_index, hash, &step)) >= 0;) {
        const struct machine *m = &c->machines[i];
        if (text_equal_fold(m->provider, provider) && text_equal_fold(m->type, type))
            return m;
    }
    return NULL;
}

size_t catalog_machine_count(const struct catalog *c) {
    return c->machine_count;
}

const struct machine *catalog_machine_at(const struct catalog *c, size_t i) {
    return i < c->machine_count ? &c->machines[i] : NULL;
}
