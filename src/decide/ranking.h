/* SPDX-License-Identifier: MIT */
/* Inside of a ranking: three files work on it (evaluation, order, accounts of single rows). */
#ifndef GPUPLAN_SRC_DECIDE_RANKING_H
#define GPUPLAN_SRC_DECIDE_RANKING_H

#include "gpuplan/base/merge.h"
#include "pick.h"

enum { EARLY_ROWS = 256 /* rows in order while the rest is still being evaluated: more than a screen */ };

enum ranking_phase { RANKING_EVALUATE, RANKING_SETTLE, RANKING_SORT, RANKING_RUNS, RANKING_MARK, RANKING_DONE };

struct group {
    uint32_t first, size; /* position of the best row in the order; rows */
};

struct group_slot {
    uint32_t number, tag; /* group + 1, 0 = free; upper half of the key */
};
enum { GROUP_QUEUE = 8 /* rows whose slot is on its way into the cache */ };
struct group_pending {
    uint64_t key;
    uint32_t row;
};
/* The best offer of one machine type, and of another one: what there is to go to. */
struct lead {
    uint64_t machine; /* interned provider and type */
    double usd, hours;
};

struct sort_key {
    uint32_t key, row;
};

/* The rows that the recommendation speaks of, found while all rows are visited in their order. Zeroed: none seen. */
struct answer_rows {
    const struct ranked *best, *single, *fastest, *debug; /* single, fastest: other than the best */
    bool all_tie, single_ties, fastest_ties;              /* one cannot be told apart from the best */
};

/* The best offer of an answer beside the ranking. */
struct beside {
    bool found;
    uint32_t offer;
    struct pick k;
    double goal;
    int machines;
};
/* One GPU with the weights in fewer bits: a job of its own. */
enum { LIGHTER_MAX = 2 };
struct lighter {
    struct job job;
    struct question q;
    struct memo *memo;
    struct plans *plans;
    struct beside best;
};

struct ranking {
    struct question q;
    struct memo *memo;
    struct plans *plans;
    const struct provider **providers; /* by interned name */
    size_t provider_count;
    enum ranking_phase phase;
    size_t cursor;

    struct ranked *rows; /* as evaluated */
    uint32_t *plan_of;   /* by row */
    size_t count;
    uint32_t *order; /* row numbers; complete from RANKING_MARK on */
    uint32_t early[EARLY_ROWS];
    size_t early_count;

    struct sort_key *keys, *spare;
    int pass; /* -1: keys are being made */
    uint32_t histogram[3][2048];
    struct merge_sort run; /* of equal keys, up to run_end */
    size_t run_end;

    struct lead cheapest[2], fastest[2];
    struct answer_rows answer_rows;
    struct ranked *frontier; /* cheapest first, each faster than the one before */
    size_t frontier_count, frontier_cap;

    struct lighter *lighter;
    int lighter_count;
    struct beside shared; /* several machines that carry the load together */

    struct refusal_summary refused[REFUSAL_MAX]; /* by code and keyword */
    size_t refused_kinds, refused_count;

    uint32_t *group_of;   /* by row */
    uint64_t *group_keys; /* by group: hash of all that its offers have in common */
    struct group_slot *group_slots;
    struct group_pending group_queue[GROUP_QUEUE];
    size_t group_queued;
    size_t group_count, group_key_cap, group_slot_count;
    struct group *groups;  /* by group */
    uint32_t *group_order; /* groups by their best row */
    size_t group_placed;
};

/* evaluation */
bool ranking_place(const struct ranking *r, const struct offer *f, struct place *out);
bool ranking_plan(struct ranking *r, const struct offer *f, uint32_t *plan, struct reason *why);
struct runner_up ranking_next(const struct ranking *r, const struct offer *f);
/* The candidate of one offer. False with *why when it has none. */
bool ranking_pick(struct ranking *r, const struct offer *f, uint32_t *plan, struct place *p, struct pick *out,
                  struct reason *why);
void ranking_score(struct ranking *r, const struct offer *f, uint32_t plan, const struct place *p, const struct pick *k,
                   struct ranked *row);

/* accounts */
void candidate_begin(const struct offer *f, struct candidate *out);
/* What is known of a pick by itself: estimate, class, cost with its range. */
void candidate_fill(const struct question *q, struct plans *plans, const struct offer *f, const struct shape *machine,
                    const struct place *p, const struct pick *k, struct candidate *out);
void candidate_hypothetical(struct ranking *r, const struct offer *f, const struct shape *machine, int nodes,
                            double rate_usd_h, struct candidate *out);
/* answers beside the ranking: beside.c */
void ranking_beside_begin(struct ranking *r);
void ranking_beside_free(struct ranking *r);
void ranking_lighter_add(struct ranking *r, uint32_t offer);
void ranking_shared_add(struct ranking *r, uint32_t offer, const struct pick *k);
void ranking_beside(struct ranking *r, struct answer *out);

/* groups: added while rows are evaluated, placed in the order of the ranking */
void ranking_groups_add(struct ranking *r, uint32_t row);
void ranking_groups_settle(struct ranking *r);
void ranking_groups_begin(struct ranking *r);
void ranking_groups_prefetch(const struct ranking *r, size_t position);
void ranking_groups_place(struct ranking *r, size_t position);

/* answer */
void ranking_answer_visit(const struct ranking *r, struct answer_rows *n, const struct ranked *row);

struct trace;
void ranking_trace(struct trace *t, const struct question *q, const struct place *p, const struct candidate *c);

/* order */
int ranking_compare(const struct ranking *r, const struct ranked *a, const struct ranked *b);
void ranking_early_add(struct ranking *r, uint32_t row);
void ranking_sort_begin(struct ranking *r);
/* Each: true when done, after at most about `work` rows. */
bool ranking_sort_step(struct ranking *r, size_t work);
bool ranking_runs_step(struct ranking *r, size_t work);
bool ranking_mark_step(struct ranking *r, size_t work); /* ties, frontier, groups */
void ranking_frontier_add(struct ranking *r, const struct ranked *row);

#endif
