/* SPDX-License-Identifier: MIT */
/*
 * Layouts of exactly n GPUs: replicas x (tensor ranks, or ranks with data-parallel attention and divided experts) x stages.
 * Memory first, which is cheap; speed only for what fits, or for the nearest miss.
 */
#include <math.h>
#include <string.h>

#include "inference_search.h"

enum { SEARCH_RANKS = 64 };

struct search {
    struct infer infer;
    struct estimate_set *set;
    struct reason refused; /* the first illegal layout that the pins allow, for want of a legal one */
    struct layout refused_layout;
    bool any;
    struct infer_split nearest;   /* of a misfit whose speed is not known yet */
    bool roomy[SEARCH_RANKS + 1]; /* ranks whose layout without stages fits and never waits for KV room */
};

/* Whether the job's pins allow it. */
static bool allowed(const struct job *j, const struct layout *l) {
    int ranks = l->ep > 1 ? l->ep : l->tp;

    /* a stated tp means tensor ranks, unless ep is stated too: then it counts the ranks that share the experts */
    if (j->tp > 1 && l->ep > 1 && j->ep < 2) {
        return false;
    }
    if (j->ep > 1 ? l->ep != j->ep : j->ep == 1 && l->ep != 1) {
        return false;
    }
    if (j->tp > 0 && j->tp != ranks && !(l->ep > 1 && j->tp == 1)) {
        return false;
    }
    if (j->pp > 0 && l->pp != j->pp) {
        return false;
    }
    if (j->dp > 0 && j->dp != (l->ep > 1 ? l->dp : l->replicas)) {
        return false;
    }
    switch (j->strategy) {
    case STRATEGY_SINGLE:
        return ranks * l->pp * l->replicas == 1;
    case STRATEGY_REPLICAS:
        return ranks * l->pp == 1 || j->tp > 1 || j->pp > 1;
    case STRATEGY_LAYER_SPLIT:
        return ranks == 1 && (l->pp > 1 || layout_gpus(l) == 1);
    default:
        return true;
    }
}

static bool has_targets(const struct job *j) {
    return num_known(j->ttft_ms) || num_known(j->itl_ms) || num_known(j->e2e_ms);
}

static bool serves(const struct job *j) {
    return j->batching == BATCHING_ONLINE && j->load != LOAD_BATCH;
}

/* What a person wants of a layout, largest first. A service that has a rate or targets: what it could carry. */
static double merit(const struct job *j, const struct estimate *e) {
    if (serves(j) && (j->load == LOAD_RATE || has_targets(j))) {
        return e->sustained_requests_per_s.expected;
    }
    if (num_known(e->tokens_per_s.expected)) {
        return e->tokens_per_s.expected;
    }
    return num_known(e->prefill_tokens_per_s.expected) ? e->prefill_tokens_per_s.expected
                                                       : e->decode_tokens_per_s.expected;
}

static bool better(const struct job *j, const struct estimate *a, const struct estimate *b) {
    /* a gain below it does not pay for a harder layout; copies of a service also carry more than they are asked for */
    const double clear = serves(j) ? 1.2 : 1.03;

    if (a->fit != b->fit) {
        return a->fit > b->fit;
    }
    if (a->targets_met != b->targets_met) {
        return a->targets_met;
    }
    if (a->overloaded != b->overloaded) {
        return b->overloaded;
    }
    double x = merit(j, a), y = merit(j, b);
    int hard_a = layout_simplicity(&a->layout, 0), hard_b = layout_simplicity(&b->layout, 0);
    if (hard_a < hard_b) {
        return x * clear >= y;
    }
    return hard_a > hard_b ? x > y * clear : x > y;
}

static double excess(const struct estimate *e) {
    return e->memory_gib.expected / fmax(1e-9, e->capacity_gib);
}

/*
 * Stages divide weights and KV cache, nothing else: they cannot help where both have room, nor where tensor ranks over a fast
 * link divide as much and shorten every step too.
 */
static bool stages_are_useless(const struct search *q, const struct layout *l) {
    const struct job *j = q->infer.job;
    const struct shape *s = q->infer.shape;
    int ranks = l->tp * l->ep;
    struct layout wide = *l;

    if (l->pp <= 1 || j->pp > 1) {
        return false;
    }
    if (ranks <= SEARCH_RANKS && q->roomy[ranks]) {
        return true;
    }
    wide.tp = l->tp * l->pp;
    wide.pp = 1;
    wide.layer_split = false;
    return l->ep == 1 && link_island(s->link, s->gpus) >= wide.tp && allowed(j, &wide) &&
           inference_check(j, s, &wide).code == REASON_NONE;
}

static void note_room(struct search *q, const struct estimate *e) {
    int ranks = e->layout.tp * e->layout.ep;
    const double part = 0.8; /* of the sequences that fit */

    if (e->layout.pp == 1 && ranks <= SEARCH_RANKS && e->fit == FIT_FITS) {
        q->roomy[ranks] = e->batch * e->layout.replicas < part * e->max_concurrency;
    }
}

static void consider(struct search *q, const struct layout *l) {
    const struct job *j = q->infer.job;
    struct estimate e, *best = &q->set->e[0];
    struct infer_split p;
    struct reason r;

    if (!allowed(j, l) || stages_are_useless(q, l)) {
        return;
    }
    r = inference_check(j, q->infer.shape, l);
    if (r.code != REASON_NONE) {
        if (q->refused.code == REASON_NONE) {
            q->refused = r;
            q->refused_layout = *l;
        }
        return;
    }
    q->set->layouts++;
    infer_split_init(&p, &q->infer, l);
    estimate_init(&e, q->infer.shape, l);
    infer_memory(&q->infer, &p, &e);
    if (e.fit == FIT_NO) {
        if (!q->any || (best->fit == FIT_NO && excess(&e) < excess(best))) {
            *best = e;
            q->nearest = p;
            q->any = true;
        }
        return;
    }
    if (q->any && best->fit > e.fit) {
        return;
    }
    infer_speed(&q->infer, &p, NULL, &e);
    note_room(q, &e);
    if (!q->any || best->fit == FIT_NO || better(j, &e, best)) {
        *best = e;
        q->any = true;
    }
}

static void consider_ranks(struct search *q, int ranks, int stages, int replicas) {
    const struct job *j = q->infer.job;
    struct layout l = layout_single();

    l.replicas = replicas;
    l.pp = stages;
    l.layer_split = stages > 1 && (q->infer.engine->splits & ENGINE_SPLIT_PP) == 0;
    l.offload = j->offload_stated && j->offload == OFFLOAD_PARAMS ? OFFLOAD_PARAMS : OFFLOAD_NONE;
    l.tp = ranks;
    consider(q, &l);
    if (ranks > 1 && j->model.experts > 0) {
        l.tp = 1;
        l.dp = l.ep = ranks;
        consider(q, &l);
    }
}

static void begin(struct search *q) {
    q->set->count = 0;
    q->set->layouts = 0;
    q->any = false;
    q->refused = reason_make(REASON_NONE, NULL, 0, 0);
}

/* What was found, the nearest miss or what was refused; nothing when the pins leave nothing: the caller says so. */
static void finish(struct search *q) {
    struct estimate *e = &q->set->e[0];

    if (!q->any && q->refused.code == REASON_NONE) {
        return;
    }
    q->set->count = 1;
    if (!q->any) {
        estimate_init(e, q->infer.shape, &q->refused_layout);
        e->reason = q->refused;
    } else if (e->fit == FIT_NO) {
        struct reason why = e->reason;
        infer_speed(&q->infer, &q->nearest, NULL, e);
        e->reason = why;
    }
}

void inference_search(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                      struct estimate_set *out) {
    struct search q = {.set = out};
    int n = s->gpus * s->nodes;

    infer_init(&q.infer, c, j, s, a);
    begin(&q);
    for (int stages = 1; stages <= n; stages++) {
        for (int ranks = 1; n % stages == 0 && ranks <= n / stages; ranks++) {
            if (n / stages % ranks == 0) {
                consider_ranks(&q, ranks, stages, n / stages / ranks);
            }
        }
    }
    finish(&q);
}

int inference_copies(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                     struct estimate out[ESTIMATE_COPIES_MAX]) {
    struct estimate_set set;
    struct search q = {.set = &set};
    struct job open = *j;
    int n = s->gpus * s->nodes, count = 0;

    open.strategy = STRATEGY_AUTO;
    open.tp = open.pp = open.dp = open.ep = 0;
    infer_init(&q.infer, c, &open, s, a);
    for (int each = 1; each <= n && count < ESTIMATE_COPIES_MAX; each++) {
        if (n % each != 0) {
            continue;
        }
        begin(&q);
        for (int stages = 1; stages <= each; stages++) {
            if (each % stages == 0) {
                consider_ranks(&q, each / stages, stages, n / each);
            }
        }
        finish(&q);
        if (set.count > 0) {
            out[count++] = set.e[0];
        }
    }
    return count;
}
