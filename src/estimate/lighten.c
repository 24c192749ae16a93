/* SPDX-License-Identifier: MIT */
#include "gpuplan/estimate/lighten.h"

#include <stdio.h>
#include <string.h>

enum {
    RECOMPUTE = 1,
    SMALL_PASS = 2,
    CHUNKED_LOSS = 4,
    SMALL_STATES = 8,
    ADAPTERS = 16,
    QUANTISED = 32,
    SHORTER = 64, /* half as long */
    OFFLOAD = 128,
    SAME_RESULT = RECOMPUTE | SMALL_PASS | CHUNKED_LOSS,
};

/* Each is tried when those before it did not fit; of the one that does, what is not needed is taken back. */
static const unsigned ladder[] = {
    SAME_RESULT,
    SAME_RESULT | SMALL_STATES,
    SAME_RESULT | ADAPTERS,
    SAME_RESULT | QUANTISED,
    SAME_RESULT | QUANTISED | SHORTER,
    SAME_RESULT | OFFLOAD,
};

/* Changes that the job does not have already; 0 where one of them is no change for its kind. */
static unsigned open_changes(const struct job *j, unsigned wanted) {
    bool adapters = j->task == TASK_LORA || j->task == TASK_QLORA;

    if ((wanted & SMALL_STATES && (adapters || j->task == TASK_PRETRAIN)) ||
        (wanted & ADAPTERS && j->task != TASK_FULL) || (wanted & QUANTISED && j->task == TASK_PRETRAIN) ||
        (wanted & QUANTISED && j->task == TASK_QLORA && !(wanted & SHORTER))) {
        return 0;
    }
    wanted &= ~(j->recompute == RECOMPUTE_AUTO || j->recompute == RECOMPUTE_FULL ? (unsigned)RECOMPUTE : 0U);
    wanted &= ~(j->micro_batch <= 1 ? (unsigned)SMALL_PASS : 0U);
    wanted &= ~(j->loss == LOSS_CHUNKED ? (unsigned)CHUNKED_LOSS : 0U);
    wanted &= ~(j->task == TASK_QLORA ? (unsigned)QUANTISED : 0U);
    return wanted;
}

static void apply(struct job *j, unsigned changes) {
    if (changes & RECOMPUTE) {
        j->recompute = RECOMPUTE_FULL;
    }
    if (changes & SMALL_PASS) {
        j->micro_batch = 1;
    }
    if (changes & CHUNKED_LOSS) {
        j->loss = LOSS_CHUNKED;
    }
    if (changes & SMALL_STATES) {
        j->optimizer = OPTIMIZER_PAGED_ADAMW_8BIT;
    }
    if (changes & (ADAPTERS | QUANTISED)) {
        j->task = changes & QUANTISED ? TASK_QLORA : TASK_LORA;
        j->base = changes & QUANTISED ? WEIGHTS_NF4 : WEIGHTS_BF16;
        j->optimizer = OPTIMIZER_ADAMW;
    }
    if (changes & SHORTER) { /* twice as many of half the length: the tokens stay */
        j->seq_len /= 2;
        j->mean_len = j->mean_len > j->seq_len ? j->seq_len : j->mean_len;
    }
    if (changes & OFFLOAD) {
        j->offload = OFFLOAD_PARAMS;
    }
}

/* What stays the same while changes are tried. */
struct target {
    const struct catalog *c;
    const struct job *job;
    const struct shape *one;
    const struct assumptions *a;
    double ram_gb;
};

/* The fastest layout that both memories hold; *refused: one that the GPU holds and the RAM does not. */
static bool fits_one(const struct target *t, unsigned changes, struct estimate *out, struct reason *refused) {
    struct estimate_set set;
    struct job lighter = *t->job;

    apply(&lighter, changes);
    estimate_search(t->c, &lighter, t->one, t->a, &set);
    *refused = (struct reason){REASON_NONE, NUM_UNKNOWN, NUM_UNKNOWN, ""};
    *out = set.e[0];
    for (int i = 0; i < set.count; i++) {
        if (set.e[i].fit == FIT_NO) {
            continue;
        }
        *out = set.e[i];
        if (!num_known(t->ram_gb) || out->host_gb <= t->ram_gb) {
            return true;
        }
        *refused = (struct reason){REASON_HOST_MEMORY, out->host_gb, t->ram_gb, "host_gb"};
    }
    return false;
}

/* Takes back what is not needed of changes that fit; *e is of what is left. */
static unsigned only_needed(const struct target *t, unsigned changes, struct estimate *e) {
    struct estimate without;
    struct reason refused;

    for (unsigned bit = 1; bit <= OFFLOAD; bit <<= 1) {
        if (changes & bit && changes != bit && fits_one(t, changes & ~bit, &without, &refused)) {
            changes &= ~bit;
            *e = without;
        }
    }
    return changes;
}

static void say(const struct job *j, unsigned changes, char *out, size_t size) {
    char length[32];
    const struct {
        unsigned change;
        const char *words;
    } all[] = {{ADAPTERS, "task=lora"},
               {QUANTISED, "task=qlora"},
               {RECOMPUTE, "recompute=full"},
               {SMALL_PASS, "micro_batch=1"},
               {CHUNKED_LOSS, "loss=chunked"},
               {SMALL_STATES, "optimizer=paged_adamw_8bit"},
               {SHORTER, length},
               {OFFLOAD, "offload=params"}};
    size_t used = 0;

    snprintf(length, sizeof length, "seq_len=%d", j->seq_len / 2);
    out[0] = '\0';
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (changes & all[i].change && used < size) {
            used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? " " : "", all[i].words);
        }
    }
}

/* The job as one GPU runs it: what was pinned about splitting it says nothing there. */
static struct job of_one(const struct job *j) {
    struct job one = *j;

    one.tp = one.pp = one.cp = one.ep = one.dp = 0;
    one.zero = -1;
    one.strategy = STRATEGY_AUTO;
    return one;
}

bool lighten_to_one(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                    double ram_gb, struct lightened *out) {
    struct job job = of_one(j);
    struct shape one = *s;
    const struct target t = {c, &job, &one, a, ram_gb}, any_ram = {c, &job, &one, a, NUM_UNKNOWN};
    struct reason refused;

    out->refused = (struct reason){REASON_NONE, NUM_UNKNOWN, NUM_UNKNOWN, ""};

    if (j->task != TASK_PRETRAIN && j->task != TASK_FULL && j->task != TASK_LORA && j->task != TASK_QLORA) {
        return false;
    }
    one.gpus = one.nodes = 1;
    one.link = LINK_NONE;
    one.network = NETWORK_NONE;
    if (fits_one(&t, 0, &out->e, &refused)) {
        return false;
    }
    for (size_t i = 0; i < sizeof ladder / sizeof ladder[0]; i++) {
        unsigned changes = open_changes(&job, ladder[i]);
        if (changes == 0) {
            continue;
        }
        if (!fits_one(&t, changes, &out->e, &refused)) {
            if (refused.code != REASON_NONE) {
                changes = only_needed(&any_ram, changes, &out->e);
                out->refused = (struct reason){REASON_HOST_MEMORY, out->e.host_gb, ram_gb, "host_gb"};
                say(&job, changes, out->changes, sizeof out->changes);
            }
            continue;
        }
        changes = only_needed(&t, changes, &out->e);
        out->refused.code = REASON_NONE;
        say(&job, changes, out->changes, sizeof out->changes);
        return true;
    }
    return false;
}
