/* SPDX-License-Identifier: MIT */
/* A spelling of a card, or an overlay for a table of data/ when the input starts with that table's name in a line. */
#include "fuzz.h"

#include <math.h>

#include "gpuplan/base/data.h"
#include "gpuplan/base/num.h"
#include "gpuplan/hardware/catalog.h"
#include "gpuplan/listing/provider.h"

static const char *const tables[] = {"gpus.csv", "gpu_aliases.csv", "machines.csv", "links.csv", "providers.csv"};

static bool is_range(struct range r) {
    return isfinite(r.high) && r.low >= 0 && r.low <= r.expected && r.expected <= r.high;
}

static void use_catalog(const struct catalog *c) {
    for (size_t i = 0; i < catalog_gpu_count(c); i += 7) {
        const struct gpu *g = catalog_gpu(c, i);
        for (int n = 2; n <= 16; n *= 2) {
            struct link_speed s = link_speed(c, g, link_by_product(g, n), n, NUM_UNKNOWN, 0, 0);
            FUZZ_ASSERT(is_range(s.ring_gbs) && is_range(s.allreduce_gbs) && s.latency_s >= 0);
        }
        FUZZ_ASSERT(is_range(network_speed(c, NETWORK_ROCE, NUM_UNKNOWN, g).node_gbs));
    }
    for (size_t i = 0; i < catalog_machine_count(c); i++) {
        const struct machine *m = catalog_machine_at(c, i);
        FUZZ_ASSERT(m->gpu != NULL && m->gpus > 0 && catalog_machine(c, m->provider, m->type) != NULL);
    }
}

static void load_catalog(void) {
    struct err err = {0};
    struct catalog *c = catalog_load(&err);
    FUZZ_ASSERT((c != NULL) == (err.code == ERR_NONE));
    if (c != NULL)
        use_catalog(c);
    catalog_free(c);
}

static void load_providers(void) {
    struct err err = {0};
    struct providers *p = providers_load(&err);
    FUZZ_ASSERT((p != NULL) == (err.code == ERR_NONE));
    if (p != NULL)
        FUZZ_ASSERT(providers_find(p, "no such provider") != NULL);
    providers_free(p);
}

static void try_name(const char *bytes, size_t len) {
    static struct catalog *c;
    if (c == NULL)
        c = catalog_load(NULL);
    char *name = malloc(len + 1);
    FUZZ_ASSERT(c != NULL && name != NULL);
    memcpy(name, bytes, len);
    name[len] = '\0';
    double vram = len > 0 ? (unsigned char)bytes[len - 1] : NUM_UNKNOWN;
    for (int form = 0; form < GPU_FORM_COUNT; form++) {
        struct gpu_match m = catalog_gpu_resolve(c, name, vram, (enum gpu_form)form);
        FUZZ_ASSERT(m.candidate_count <= sizeof m.candidates / sizeof *m.candidates);
        FUZZ_ASSERT(m.gpu == NULL || m.candidate_count > 0);
        FUZZ_ASSERT(!m.ambiguous || m.candidate_count > 1);
    }
    catalog_machine(c, name, name);
    free(name);
}

FUZZ(hardware)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        size_t name = strlen(tables[i]);
        if (len > name && memcmp(bytes, tables[i], name) == 0 && bytes[name] == '\n') {
            data_overlay(tables[i], bytes + name + 1, len - name - 1);
            if (strcmp(tables[i], "providers.csv") == 0)
                load_providers();
            else
                load_catalog();
            data_overlay_clear();
            return 0;
        }
    }
    try_name(bytes, len);
    return 0;
}
