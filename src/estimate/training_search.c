/* SPDX-License-Identifier: MIT */
/*
 * The search over layouts of exactly n GPUs. What makes it short, each of it tested against brute force:
 *   - memory grows with the micro-batch, time per sequence falls with it (without a pipeline or padding): the largest that fits
 *     is best;
 *   - recompute only adds time: heavier kinds are tried only where the lighter one had to take a smaller micro-batch;
 *   - the most frugal layout is tried first: when it does not fit, nothing of its kind does;
 *   - sharding stages in order: a higher one is tried only while the lower does not fit with all it could wish for.
 * Two spaces in order: data parallel and sharded; tensor, pipeline, context parallel (a tuned stack at once, others only when
 * nothing fits). Offload changes the workload (its speed, its host), so it is never chosen here: it is used when it is asked for.
 */
#include <math.h>
#include <string.h>

#include "training.h"

enum { MAX_MICRO_LOG2 = 8, MAX_DIVISORS = 64, TOKENS_A_PASS = 65536 };

static const double worth_it = 0.98; /* of the time per sequence */

struct found {
    bool any;
    struct layout layout;
    double per_sequence; /* seconds */
};

struct search {
    struct training t;
    struct estimate_set *out;
    enum fit want;     /* what counts as fitting in this round */
    struct found best; /* of the group of layouts that want the same of the host */
    double nearest;    /* GiB over, of the nearest miss */
    struct layout nearest_layout;
    bool have_nearest;
    struct layout cached;                    /* tp, cp, ep, sequence parallel of the layers below */
    double layer_tokens[MAX_MICRO_LOG2 + 1]; /* of the layers below; 0 = not known */
    struct train_layer layer[MAX_MICRO_LOG2 + 1];
};

static int log2_exact(int b) {
    int i = 0;
    while (i <= MAX_MICRO_LOG2 && (1 << i) < b) {
        i++;
    }
    return i <= MAX_MICRO_LOG2 && (1 << i) == b ? i : -1;
}

/* A layer depends on the micro-batch, its padding and the model-parallel axes only; layouts share it. */
static struct train_layer layer_of(struct search *s, const struct layout *l) {
    const struct layout *c = &s->cached;
    int slot = log2_exact(l->micro_batch);
    struct train_layer once;

    if (slot < 0) {
        training_layer(&s->t, l, &once);
        return once;
    }
    if (c->tp != l->tp || c->cp != l->cp || c->ep != l->ep || c->seq_parallel != l->seq_parallel) {
        memset(s->layer_tokens, 0, sizeof s->layer_tokens);
        s->cached = *l;
    }
    double tokens = training_pass_tokens(&s->t, l);
    if (s->layer_tokens[slot] != tokens) {
        training_layer(&s->t, l, &s->layer[slot]);
        s->layer_tokens[slot] = tokens;
    }
    return s->layer[slot];
}

/* Memory of a layout: whether it fits well enough for this round. Remembers the nearest miss. */
static bool fits(struct search *s, const struct layout *l) {
    struct train_memory m;
    double capacity = s->t.shape->vram_gib;

    s->out->layouts++;
    training_memory(&s->t, l, NULL, &m);
    if ((s->want == FIT_FITS ? m.need.high : m.need.expected) <= capacity) {
        return true;
    }
    if (m.need.expected > capacity && (!s->have_nearest || m.need.expected - capacity < s->nearest)) {
        s->have_nearest = true;
        s->nearest = m.need.expected - capacity;
        s->nearest_layout = *l;
    }
    return false;
}

/* Whole gradients in memory are kept only for a gain that shows. */
static bool wants_more(const struct search *s, const struct layout *l) {
    return l->zero == 3 && l->grad_sync == GRAD_SYNC_LAST && s->best.layout.grad_sync != GRAD_SYNC_LAST;
}

static void time_it(struct search *s, const struct layout *l) {
    struct train_time y;
    struct train_layer layer = layer_of(s, l);
    double per_sequence;

    training_step(&s->t, l, &layer, NULL, &y);
    per_sequence = y.step_s / training_global_batch(s->t.job, l);
    if (!s->best.any || per_sequence < s->best.per_sequence * (wants_more(s, l) ? worth_it : 1)) {
        s->best = (struct found){true, *l, per_sequence};
    }
}

/* Hands the best of a group to the set; groups differ in what they want of the host. */
static void keep_best(struct search *s) {
    struct estimate e;

    if (s->best.any) {
        training_fill(&s->t, &s->best.layout, NULL, &e);
        estimate_set_add(s->out, &e);
    }
    s->best.any = false;
}

static bool legal(const struct search *s, const struct layout *l) {
    return training_check(s->t.job, s->t.shape, l).code == REASON_NONE;
}

/* Largest micro-batch (a power of two that divides the rank's share) worth trying. */
static int largest_micro(const struct search *s, int share) {
    int b = 1;

    while (share % (b * 2) == 0 && b * 2 <= 1 << MAX_MICRO_LOG2 && b * 2 * s->t.seq <= TOKENS_A_PASS) {
        b *= 2;
    }
    return b;
}

static bool set_micro(struct layout *l, int share, int micro) {
    if (micro < 1 || share % micro != 0) {
        return false;
    }
    l->micro_batch = micro;
    l->accumulation = share / micro;
    return true;
}

/*
 * Whether a layout fits with this micro-batch. Memory grows with it, but for one step: when a single pass is the whole step, no
 * gradients wait beside the activations.
 */
static bool fits_with(struct search *s, struct layout l, int share, int micro) {
    return set_micro(&l, share, micro) && legal(s, &l) && fits(s, &l);
}

/*
 * Tries the micro-batches of a layout that is fixed otherwise, largest first; returns the largest that fits, 0 if none. With a
 * pipeline smaller ones may be faster (less bubble), and where samples are padded (to a shorter longest), so all that fit are timed.
 */
static int try_micros(struct search *s, struct layout l, int share, int largest) {
    int pinned = s->t.job->micro_batch, top = 0;

    if (pinned > 0) {
        if (!set_micro(&l, share, pinned) || !legal(s, &l) || !fits(s, &l)) {
            return 0;
        }
        time_it(s, &l);
        return pinned;
    }
    bool smallest = largest == 1 || fits_with(s, l, share, 1); /* first: most that cannot fit is found out here */
    if (!smallest && largest != share) {
        return 0;
    }
    for (int b = largest; b >= (smallest ? 1 : largest); b /= 2) {
        set_micro(&l, share, b);
        if ((b == 1 && largest > 1) || (legal(s, &l) && fits(s, &l))) {
            time_it(s, &l);
            top = top > 0 ? top : b;
            if (l.pp == 1 && !training_padded(&s->t)) {
                break;
            }
        }
    }
    return top;
}

/* The kinds of recompute this job may use, lightest first. */
static int recompute_kinds(const struct search *s, enum recompute kinds[3]) {
    int n = 0;

    if (s->t.job->recompute != RECOMPUTE_AUTO) {
        kinds[n++] = s->t.job->recompute;
        return n;
    }
    kinds[n++] = RECOMPUTE_NONE;
    if (s->t.tuned) {
        kinds[n++] = RECOMPUTE_SELECTIVE;
    }
    kinds[n++] = RECOMPUTE_FULL;
    return n;
}

/* All micro-batches and recompute kinds of one way to split. True when the first wish is granted: nothing heavier is needed. */
static bool try_split(struct search *s, struct layout l) {
    enum recompute kinds[3];
    int count = recompute_kinds(s, kinds);
    int share = (int)lround(training_global_batch(s->t.job, &l) / l.dp);
    int largest = largest_micro(s, share);

    if (count > 1) { /* the most frugal layout of this split */
        l.recompute = kinds[count - 1];
        int micro = s->t.job->micro_batch > 0 ? s->t.job->micro_batch : 1;
        bool one_pass = s->t.job->micro_batch == 0 && largest == share && share > 1;
        if (!fits_with(s, l, share, micro) && !(one_pass && fits_with(s, l, share, share))) {
            return false;
        }
    }
    int wish = s->t.job->micro_batch > 0 ? s->t.job->micro_batch : largest;
    for (int i = 0; i < count; i++) {
        l.recompute = kinds[i];
        if (try_micros(s, l, share, largest) == wish) {
            return i == 0;
        }
    }
    return false;
}

static bool zero_allowed(const struct job *j, int zero, int dp) {
    static const struct {
        enum strategy strategy;
        int zero; /* -1: 0 or 1 */
    } pins[] = {{STRATEGY_SINGLE, 0}, {STRATEGY_DDP, 0},  {STRATEGY_ZERO1, 1}, {STRATEGY_ZERO2, 2},
                {STRATEGY_ZERO3, 3},  {STRATEGY_FSDP, 3}, {STRATEGY_HSDP, 3},  {STRATEGY_MEGATRON, -1}};

    if (j->zero >= 0) {
        return zero == j->zero;
    }
    for (size_t i = 0; i < sizeof pins / sizeof pins[0]; i++) {
        if (pins[i].strategy == j->strategy) {
            return pins[i].zero < 0 ? zero <= 1 && (zero == 0 || dp > 1) : zero == pins[i].zero;
        }
    }
    return dp > 1 ? zero != 2 : zero == 0; /* stage 2 moves what stage 3 moves and keeps more */
}

/* Sharding groups of a layout: all replicas, or one node's (HSDP). */
static int shard_sizes(const struct search *s, const struct layout *l, int sizes[2]) {
    int all = l->dp * l->cp, node = s->t.shape->gpus / (l->tp * l->cp < s->t.shape->gpus ? l->tp : s->t.shape->gpus);
    bool hybrid = l->zero == 3 && s->t.shape->nodes > 1 && node > 1 && node < all && all % node == 0;
    int n = 0;

    if (s->t.job->strategy == STRATEGY_HSDP && hybrid) {
        sizes[n++] = node;
        return n;
    }
    sizes[n++] = l->zero == 0 ? 1 : all;
    if (hybrid && s->t.job->strategy != STRATEGY_FSDP && s->t.job->strategy != STRATEGY_ZERO3) {
        sizes[n++] = node;
    }
    return n;
}

/* All sharding stages of one (tp, pp, cp, ep). */
static void try_zeros(struct search *s, struct layout l) {
    for (int zero = 0; zero <= 3; zero++) {
        int sizes[2], count;
        bool granted = false;

        if (!zero_allowed(s->t.job, zero, l.dp * l.cp) || (zero >= 2 && l.pp > 1 && s->t.job->zero < 0)) {
            continue;
        }
        if (zero == 1 && s->t.adapters && s->t.job->zero < 0) {
            continue; /* adapters have nothing to shard */
        }
        l.zero = zero;
        count = shard_sizes(s, &l, sizes);
        for (int i = 0; i < count; i++) {
            l.shard = sizes[i];
            l.grad_sync = s->t.job->grad_sync != GRAD_SYNC_AUTO ? s->t.job->grad_sync
                          : zero >= 2                           ? GRAD_SYNC_EACH
                                                                : GRAD_SYNC_LAST;
            granted = try_split(s, l) || granted;
            if (zero == 3 && s->t.job->grad_sync == GRAD_SYNC_AUTO && !s->t.adapters) {
                l.grad_sync = GRAD_SYNC_LAST; /* fewer reductions for whole gradients in memory */
                try_split(s, l);
            }
        }
        keep_best(s);
        if (granted) {
            return;
        }
    }
}

static int divisors(int n, int limit, int out[MAX_DIVISORS]) {
    int count = 0;

    for (int d = 1; d <= n && d <= limit && count < MAX_DIVISORS; d++) {
        if (n % d == 0) {
            out[count++] = d;
        }
    }
    return count;
}

/* Values of an axis: the pin, or the divisors of n up to a limit. */
static int axis(int pin, int n, int limit, int out[MAX_DIVISORS]) {
    if (pin > 0) {
        out[0] = pin;
        return n % pin == 0 ? 1 : 0;
    }
    return divisors(n, limit, out);
}

static void try_experts(struct search *s, struct layout l, bool model_parallel) {
    int eps[MAX_DIVISORS], ranks = l.dp * l.cp;
    bool spread = s->t.moe_share > 0 && (s->t.tuned || model_parallel);
    int count = axis(s->t.job->ep, ranks, spread ? s->t.job->model.experts : 1, eps);

    for (int i = 0; i < count; i++) {
        l.ep = eps[i];
        try_zeros(s, l);
    }
}

/* One space: with or without splitting the model itself. */
static void try_space(struct search *s, struct layout base, bool model_parallel) {
    const struct job *j = s->t.job;
    const struct shape *sh = s->t.shape;
    int tps[MAX_DIVISORS], pps[MAX_DIVISORS], cps[MAX_DIVISORS];
    int island = link_island(sh->link, sh->gpus);
    int tp_count = axis(j->tp, s->t.gpus, model_parallel && !s->t.quantised ? (island > 1 ? island : 1) : 1, tps);

    for (int i = 0; i < tp_count; i++) {
        int rest = s->t.gpus / tps[i];
        int pp_count = axis(j->pp, rest, model_parallel && !s->t.quantised ? j->model.layers : 1, pps);
        for (int k = 0; k < pp_count; k++) {
            int ranks = rest / pps[k];
            int cp_count = axis(j->cp, ranks, model_parallel && s->t.seq >= 8192 ? 16 : 1, cps);
            for (int n = 0; n < cp_count; n++) {
                struct layout l = base;
                l.tp = tps[i];
                l.pp = pps[k];
                l.cp = cps[n];
                l.dp = ranks / cps[n];
                l.seq_parallel = l.tp > 1 && j->seq_parallel != 0;
                if ((j->dp > 0 && j->dp != l.dp) || fmod(training_global_batch(j, &l), l.dp) > 0.5) {
                    continue;
                }
                try_experts(s, l, model_parallel);
            }
        }
    }
}

static bool found_any(const struct search *s) {
    return s->out->count > 0 && s->out->e[0].fit != FIT_NO;
}

/* Once for layouts that fit for sure; only if there are none, once for tight ones. */
static void try_both_ways(struct search *s, struct layout base, bool model_parallel) {
    s->want = FIT_FITS;
    try_space(s, base, model_parallel);
    if (!found_any(s)) {
        s->want = FIT_TIGHT;
        try_space(s, base, model_parallel);
    }
}

/* Why nothing was even tried: the first reason of a plain data-parallel layout. */
static struct reason first_reason(const struct search *s) {
    const struct job *j = s->t.job;
    struct layout l = layout_single();

    l.tp = j->tp > 0 ? j->tp : 1;
    l.pp = j->pp > 0 ? j->pp : 1;
    l.cp = j->cp > 0 ? j->cp : 1;
    l.ep = j->ep > 0 ? j->ep : 1;
    l.zero = j->zero > 0 ? j->zero : 0;
    l.recompute = j->recompute == RECOMPUTE_AUTO ? RECOMPUTE_NONE : j->recompute;
    if (s->t.gpus % (l.tp * l.pp * l.cp) != 0) {
        return reason_make(REASON_DIVISIBILITY, "gpus", l.tp * l.pp * l.cp, s->t.gpus);
    }
    l.dp = s->t.gpus / (l.tp * l.pp * l.cp);
    if (j->dp > 0 && j->dp != l.dp) {
        return reason_make(REASON_DIVISIBILITY, "pins", j->dp * l.tp * l.pp * l.cp, s->t.gpus);
    }
    l.micro_batch = j->micro_batch > 0 ? j->micro_batch : 1;
    l.accumulation = (int)(training_global_batch(j, &l) / l.dp / l.micro_batch);
    struct reason r = training_check(j, s->t.shape, &l);
    return r.code != REASON_NONE ? r : reason_make(REASON_DIVISIBILITY, "pins", 0, s->t.gpus);
}

static void report_miss(struct search *s) {
    struct estimate e;

    if (s->have_nearest) {
        training_fill(&s->t, &s->nearest_layout, NULL, &e);
    } else {
        struct layout l = layout_single();
        l.dp = s->t.gpus;
        estimate_init(&e, s->t.shape, &l);
        e.reason = first_reason(s);
    }
    estimate_set_add(s->out, &e);
}

void training_search(const struct catalog *c, const struct job *j, const struct shape *sh, const struct assumptions *a,
                     struct estimate_set *out) {
    struct search s;
    struct layout base = layout_single();
    bool split_at_once;

    memset(&s, 0, sizeof s);
    training_init(&s.t, c, j, sh, a);
    s.out = out;
    /* a strategy by name is that strategy: tensor and pipeline parallelism beside it must be pinned */
    split_at_once = j->strategy == STRATEGY_MEGATRON || (s.t.tuned && j->strategy == STRATEGY_AUTO);
    base.offload = j->offload;
    try_both_ways(&s, base, split_at_once);
    /* adapters of a default stack are data parallel or sharded, nothing else */
    bool may_split =
        j->strategy == STRATEGY_AUTO && j->offload == OFFLOAD_NONE && !split_at_once && s.t.gpus > 1 && !s.t.adapters;
    if (!found_any(&s) && may_split) {
        try_both_ways(&s, base, true);
    }
    if (!found_any(&s)) {
        report_miss(&s);
    }
}
