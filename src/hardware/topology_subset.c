/* SPDX-License-Identifier: MIT */
/* Which of the GPUs are nearest to each other. */
#include <string.h>

#include "gpuplan/hardware/topology.h"

/* How bad a pair is: the path first, then the fewer links. */
static int distance(const struct topology *t, int a, int b) {
    return t->path[a][b] * 256 + (t->path[a][b] == PATH_NVLINK ? 255 - t->links[a][b] : 0);
}

struct group {
    int worst;
    long sum;
};

static bool better(struct group a, struct group b) {
    return a.worst != b.worst ? a.worst < b.worst : a.sum < b.sum;
}

/* From one GPU on, the nearest other is added until there are enough. */
static struct group grow(const struct topology *t, const bool *free, int start, int count, int *out) {
    bool used[TOPOLOGY_MAX_GPUS] = {false};
    struct group g = {0, 0};
    out[0] = start;
    used[start] = true;
    for (int n = 1; n < count; n++) {
        int best = -1;
        struct group of_best = {0, 0};
        for (int k = 0; k < t->gpus; k++) {
            struct group with = g;
            if (used[k] || !free[k])
                continue;
            for (int i = 0; i < n; i++) {
                int d = distance(t, out[i], k);
                with.worst = d > with.worst ? d : with.worst;
                with.sum += d;
            }
            if (best < 0 || better(with, of_best)) {
                best = k;
                of_best = with;
            }
        }
        out[n] = best;
        used[best] = true;
        g = of_best;
    }
    return g;
}

static void sort(int *x, int count) {
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && x[k] < x[k - 1]; k--) {
            int y = x[k];
            x[k] = x[k - 1];
            x[k - 1] = y;
        }
}

static void best_of(const struct topology *t, const bool *free, int count, int *out) {
    int found[TOPOLOGY_MAX_GPUS];
    struct group best = {0, 0};
    bool any = false;
    for (int start = 0; start < t->gpus; start++) {
        if (!free[start])
            continue;
        struct group g = grow(t, free, start, count, found);
        if (any && !better(g, best))
            continue;
        any = true;
        best = g;
        memcpy(out, found, (size_t)count * sizeof *out);
    }
    sort(out, count);
}

void topology_best(const struct topology *t, int count, int *out) {
    bool free[TOPOLOGY_MAX_GPUS];
    memset(free, true, sizeof free);
    if (count > t->gpus)
        count = t->gpus;
    if (count > 0)
        best_of(t, free, count, out);
}

void topology_order(const struct topology *t, int group, int *out) {
    bool free[TOPOLOGY_MAX_GPUS];
    memset(free, true, sizeof free);
    if (group < 1)
        group = 1;
    for (int n = 0; n < t->gpus; n += group) {
        int size = t->gpus - n < group ? t->gpus - n : group;
        best_of(t, free, size, out + n);
        for (int i = 0; i < size; i++)
            free[out[n + i]] = false;
    }
}

void topology_subset(const struct topology *t, const int *gpus, int count, struct topology *out) {
    *out = *t;
    out->gpus = out->rows = count;
    out->asymmetric = t->asymmetric && count > 1;
    for (int i = 0; i < count; i++) {
        out->gpu[i] = t->gpu[gpus[i]];
        memcpy(out->nic_path[i], t->nic_path[gpus[i]], sizeof out->nic_path[i]);
        for (int k = 0; k < count; k++) {
            out->path[i][k] = t->path[gpus[i]][gpus[k]];
            out->links[i][k] = t->links[gpus[i]][gpus[k]];
            out->p2p_off[i][k] = t->p2p_off[gpus[i]][gpus[k]];
        }
    }
}
