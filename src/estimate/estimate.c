/* SPDX-License-Identifier: MIT */
/* The one evaluator: dispatch by kind of job, and what all kinds share about verdicts and about keeping the best few. */
#include "gpuplan/estimate/estimate.h"

#include <string.h>

#include "internal.h"

void estimate_init(struct estimate *e, const struct shape *s, const struct layout *l) {
    const struct range unknown = {NUM_UNKNOWN, NUM_UNKNOWN, NUM_UNKNOWN};

    memset(e, 0, sizeof *e);
    e->layout = *l;
    e->gpus = layout_gpus(l);
    e->nodes = s->nodes;
    e->fit = FIT_NO;
    e->capacity_gib = s->vram_gib;
    e->ttft_ms = e->itl_ms = e->e2e_ms = unknown;
    e->prefill_tokens_per_s = e->decode_tokens_per_s = e->total_tokens_per_s = unknown;
    e->requests_per_s = e->sustained_requests_per_s = unknown;
    e->replicas_needed = e->ttft_slo_ms = e->itl_slo_ms = e->e2e_slo_ms = NUM_UNKNOWN;
    e->targets_met = true;
}

void estimate_set_memory(struct estimate *e, double capacity_gib) {
    e->capacity_gib = capacity_gib;
    if (e->memory_gib.high <= capacity_gib) {
        e->fit = FIT_FITS;
    } else if (e->memory_gib.expected <= capacity_gib) {
        e->fit = FIT_TIGHT;
    } else {
        e->fit = FIT_NO;
        e->reason = reason_make(REASON_GPU_MEMORY, "vram_gib", e->memory_gib.expected, capacity_gib);
    }
}

/* Order of what does not fit: a memory miss beats an impossible layout, a small miss beats a large one. */
static double miss(const struct estimate *e) {
    const double impossible = 1e30;
    return e->reason.code == REASON_GPU_MEMORY ? e->memory_gib.expected - e->capacity_gib : impossible;
}

/* Whether a comes before b. */
static bool before(const struct estimate *a, const struct estimate *b) {
    if (a->fit != b->fit) {
        return a->fit > b->fit;
    }
    if (a->fit == FIT_NO) {
        return miss(a) < miss(b);
    }
    if (a->targets_met != b->targets_met) {
        return a->targets_met;
    }
    if (a->run_h.expected < b->run_h.expected || a->run_h.expected > b->run_h.expected) {
        return a->run_h.expected < b->run_h.expected;
    }
    return a->tokens_per_s.expected > b->tokens_per_s.expected;
}

static bool wants_less_host(const struct estimate *a, const struct estimate *b) {
    return a->host_gb < b->host_gb || a->disk_gb < b->disk_gb;
}

static void drop(struct estimate_set *set, int i) {
    memmove(&set->e[i], &set->e[i + 1], (size_t)(set->count - i - 1) * sizeof set->e[0]);
    set->count--;
}

/* Which to give up when there are too many: never the first, never the one that wants least of the host. */
static int least_useful(const struct estimate_set *set) {
    int frugal = 0;
    for (int i = 1; i < set->count; i++) {
        if (set->e[i].host_gb < set->e[frugal].host_gb) {
            frugal = i;
        }
    }
    return frugal == set->count - 1 ? set->count - 2 : set->count - 1;
}

void estimate_set_add(struct estimate_set *set, const struct estimate *e) {
    int at = 0;

    if (set->count > 0 && (e->fit == FIT_NO) != (set->e[0].fit == FIT_NO)) {
        if (e->fit == FIT_NO) {
            return;
        }
        set->count = 0;
    }
    if (e->fit == FIT_NO) { /* one nearest miss is enough */
        if (set->count == 0 || before(e, &set->e[0])) {
            set->e[0] = *e;
            set->count = 1;
        }
        return;
    }
    while (at < set->count && !before(e, &set->e[at])) {
        if (!wants_less_host(e, &set->e[at])) {
            return; /* something as good wants no more */
        }
        at++;
    }
    for (int i = set->count - 1; i >= at; i--) {
        if (!wants_less_host(&set->e[i], e)) {
            drop(set, i);
        }
    }
    if (set->count == ESTIMATE_SET_MAX) {
        int victim = least_useful(set);
        if (victim < at) {
            at--;
        }
        drop(set, victim);
    }
    memmove(&set->e[at + 1], &set->e[at], (size_t)(set->count - at) * sizeof set->e[0]);
    set->e[at] = *e;
    set->count++;
}

void estimate_layout(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                     const struct assumptions *a, struct trace *t, struct estimate *out) {
    struct reason refused = layout_check(j, s, l);

    if (refused.code != REASON_NONE) {
        estimate_init(out, s, l);
        out->reason = refused;
        return;
    }
    if (j->task == TASK_INFERENCE) {
        inference_estimate(c, j, s, l, a, t, out);
    } else if (j->task == TASK_MEASURED) {
        measured_estimate(c, j, s, l, a, t, out);
    } else {
        training_estimate(c, j, s, l, a, t, out);
    }
}

/* What a search says when it tried nothing: the card cannot run the job at all. */
static void refuse(const struct shape *s, struct reason why, struct estimate_set *out) {
    struct layout l = layout_single();

    l.replicas = s->gpus * s->nodes;
    estimate_init(&out->e[0], s, &l);
    out->e[0].reason = why;
    out->count = 1;
}

void estimate_search(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                     struct estimate_set *out) {
    struct reason unusable = gpu_check_usable(s->gpu, j->cuda_max);

    out->count = 0;
    out->layouts = 0;
    if (unusable.code != REASON_NONE) {
        refuse(s, unusable, out);
        return;
    }
    if (j->task == TASK_INFERENCE) {
        inference_search(c, j, s, a, out);
    } else if (j->task == TASK_MEASURED) {
        measured_search(c, j, s, a, out);
    } else {
        training_search(c, j, s, a, out);
    }
    if (out->count == 0) {
        refuse(s, reason_make(REASON_DIVISIBILITY, "pins", 0, s->gpus * s->nodes), out);
    }
}

int estimate_copies(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                    struct estimate out[ESTIMATE_COPIES_MAX]) {
    bool runs = j->task == TASK_INFERENCE && gpu_check_usable(s->gpu, j->cuda_max).code == REASON_NONE;

    return runs ? inference_copies(c, j, s, a, out) : 0;
}

struct shape shape_with_gpus(const struct shape *s, int gpus, int nodes) {
    struct shape r = *s;

    r.gpus = gpus;
    r.nodes = nodes;
    if (gpus <= 1) {
        r.link = LINK_NONE;
        r.link_gbs = NUM_UNKNOWN;
    } else if (s->link == LINK_NONE) {
        r.link = link_by_product(s->gpu, gpus);
        r.link_gbs = NUM_UNKNOWN;
        r.link_source = PROVENANCE_ASSUMED;
    }
    if (nodes <= 1) {
        r.network = NETWORK_NONE;
        r.network_gbps = NUM_UNKNOWN;
    } else if (s->network == NETWORK_NONE) {
        r.network = NETWORK_UNKNOWN;
        r.network_gbps = NUM_UNKNOWN;
        r.network_source = PROVENANCE_ASSUMED;
    }
    return r;
}

double estimate_max_seq_len(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                            const struct assumptions *a) {
    if (j->task == TASK_INFERENCE) {
        return inference_max_len(c, j, s, l, a);
    }
    return j->task == TASK_MEASURED ? 0 : training_max_seq_len(c, j, s, l, a);
}
