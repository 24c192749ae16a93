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

static bool fits_one(const struct catalog *c, const struct job *j, const struct shape *one, const struct assumptions *a,
                     unsigned changes, struct estimate *out) {
    struct estimate_set set;
    struct job lighter = *j;

    apply(&lighter, changes);
    estimate_search(c, &lighter, one, a, &set);
    *out = set.e[0];
    return out->fit != FIT_NO;
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
                    struct lightened *out) {
    struct job job = of_one(j);
    struct shape one = *s;

    if (j->task != TASK_PRETRAIN && j->task != TASK_FULL && j->task != TASK_LORA && j->task != TASK_QLORA) {
        return false;
    }
    one.gpus = one.nodes = 1;
    one.link = LINK_NONE;
    one.network = NETWORK_NONE;
    if (fits_one(c, &job, &one, a, 0, &out->e)) {
        return false;
    }
    for (size_t i = 0; i < sizeof ladder / sizeof ladder[0]; i++) {
        unsigned changes = open_changes(&job, ladder[i]);
        struct estimate e;
        if (changes == 0 || !fits_one(c, &job, &one, a, changes, &out->e)) {
            continue;
        }
        for (unsigned bit = 1; bit <= OFFLOAD; bit <<= 1) { /* only what is needed */
            if (changes & bit && changes != bit && fits_one(c, &job, &one, a, changes & ~bit, &e)) {
                changes &= ~bit;
                out->e = e;
            }
        }
        say(&job, changes, out->changes, sizeof out->changes);
        return true;
    }
    return false;
}
