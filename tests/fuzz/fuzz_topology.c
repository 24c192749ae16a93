/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "gpuplan/base/text.h"
#include "gpuplan/hardware/topology.h"

static void check(const struct topology *t, const struct topology_verdict *v) {
    FUZZ_ASSERT(t->gpus >= 1 && t->gpus <= TOPOLOGY_MAX_GPUS && t->rows >= 1 && t->rows <= t->gpus);
    FUZZ_ASSERT(t->nics >= 0 && t->nics <= TOPOLOGY_MAX_NICS);
    FUZZ_ASSERT(v->islands >= 1 && v->islands <= t->gpus && v->quality >= 'A' && v->quality <= 'F');
    FUZZ_ASSERT((unsigned)v->cls < TOPOLOGY_CLASS_COUNT && (unsigned)v->link < LINK_COUNT);
    FUZZ_ASSERT((t->gpus == 1) == (v->worst_a < 0));
    for (int a = 0; a < t->gpus; a++) {
        FUZZ_ASSERT(v->island_of[a] >= 0 && v->island_of[a] < v->islands);
        FUZZ_ASSERT(text_is_clean(t->gpu[a].name, strlen(t->gpu[a].name)));
        FUZZ_ASSERT(text_is_clean(t->gpu[a].cpus, strlen(t->gpu[a].cpus)));
        for (int b = 0; b < t->gpus; b++) {
            FUZZ_ASSERT(t->path[a][b] < PATH_COUNT && t->path[a][b] == t->path[b][a]);
            FUZZ_ASSERT((t->path[a][b] == PATH_NVLINK) == (t->links[a][b] > 0));
            FUZZ_ASSERT((t->path[a][b] == PATH_SELF) == (a == b));
        }
    }
    for (int i = 0; i < v->note_count; i++)
        FUZZ_ASSERT((unsigned)v->notes[i].code < NOTE_CODE_COUNT &&
                    text_is_clean(v->notes[i].token, strlen(v->notes[i].token)));
}

/* Whatever is pasted: a matrix within its bounds and a verdict, or an error that says what was expected. */
FUZZ(topology)
{
    static struct catalog *catalog;
    static struct topology t, part;
    static struct topology_verdict v;
    struct err err = {0};
    int order[TOPOLOGY_MAX_GPUS];
    bool seen[TOPOLOGY_MAX_GPUS] = {false};

    if (!catalog)
        catalog = catalog_load(NULL);
    if (!topology_read(bytes, len, "fuzz.txt", &t, &err)) {
        FUZZ_ASSERT(err.code == ERR_DATA && err.text[0] != '\0');
        return 0;
    }
    topology_judge(&t, catalog, NULL, &v);
    check(&t, &v);
    topology_order(&t, 2, order);
    for (int i = 0; i < t.gpus; i++) {
        FUZZ_ASSERT(order[i] >= 0 && order[i] < t.gpus && !seen[order[i]]);
        seen[order[i]] = true;
    }
    topology_best(&t, (t.gpus + 1) / 2, order);
    topology_subset(&t, order, (t.gpus + 1) / 2, &part);
    topology_judge(&part, catalog, "H100-SXM5-80GB", &v);
    check(&part, &v);
    return 0;
}
