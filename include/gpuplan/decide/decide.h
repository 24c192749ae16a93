/* SPDX-License-Identifier: MIT */
/*
 * From estimates to an answer: cost, risk, the order of design.md section 7.1. Pure. A question is everything an answer depends on;
 * a ranking is made from it in slices, so that no key waits, and holds 40 bytes an offer; a candidate is the full account of one
 * row, expanded on demand.
 */
#ifndef GPUPLAN_DECIDE_DECIDE_H
#define GPUPLAN_DECIDE_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpuplan/estimate/estimate.h"
#include "gpuplan/listing/offer.h"
#include "gpuplan/workload/job.h"

enum goal { GOAL_COST, GOAL_TIME, GOAL_VALUE, GOAL_COUNT };
const char *goal_name(enum goal g);
int goal_find(const char *s);

struct filter; /* filter.h */
struct memo;   /* estimates by shape, job and assumptions; see memo.h */

struct question {
    const struct catalog *catalog;
    const struct providers *providers;
    const struct offers *offers;
    const struct job *job;
    const struct assumptions *assumptions;
    const struct filter *filter; /* NULL = all */
    enum goal goal;
    int64_t now; /* seconds since 1970 UTC, for ages */
};

enum rank_class { RANK_FITS, RANK_TIGHT, RANK_LATE /* late or over budget */, RANK_REFUSED };
enum limit_state { LIMIT_NONE, LIMIT_MET, LIMIT_MISSED };
enum risk_grade { RISK_NONE, RISK_LOW, RISK_MEDIUM, RISK_HIGH };
enum cost_part { COST_COMPUTE, COST_SETUP, COST_STORAGE, COST_EGRESS, COST_LOST_WORK, COST_PART_COUNT };
const char *rank_class_name(enum rank_class c);
const char *limit_state_name(enum limit_state s); /* "none" "met" "missed" */
const char *risk_grade_name(enum risk_grade g);
const char *cost_part_name(enum cost_part p);

struct cost {
    struct range usd; /* expected = sum of parts */
    double part_usd[COST_PART_COUNT];
    struct range time_h; /* first billed second to results copied out */
    double setup_h, copy_out_h, billed_h;
    double access_h;        /* wait before the first billed second; not in time_h */
    double lost_h;          /* interruptions: hours added to time_h.expected (spot and bid), 0 on demand */
    double checkpoint_h;    /* best interval between checkpoints (Young and Daly); NUM_UNKNOWN when nothing is saved */
    double stopped_30d_usd; /* what a machine left stopped for 30 days costs; NUM_UNKNOWN when nobody states it */
    bool viable;            /* false: interruptions come too often for this checkpoint interval */
    struct range usd_per_mtok; /* inference; expected NUM_UNKNOWN else */
    double naive_usd;          /* the same job at perfect scaling from efficiency_base */
    double usd_per_useful_gpu_h;
};

enum { RISK_MAX_REASONS = 6, RISK_MAX_ASK = 5 };
struct risk {
    enum risk_grade grade;
    double probability_worse;
    enum link_kind worse_link; /* LINK_NONE: nothing can be worse */
    double worse_time_h, worse_usd, leave_usd;
    double expected_extra_usd, expected_extra_h;
    int reasons[RISK_MAX_REASONS], reason_count; /* enum risk_reason, sentences in report/ */
    int ask[RISK_MAX_ASK], ask_count;            /* enum risk_question */
};
enum risk_reason {
    RISK_LINK_UNKNOWN,
    RISK_LINK_INFERRED,
    RISK_LINK_ASSUMED,
    RISK_UNVERIFIED_HOST,
    RISK_NARROW_LANES,
    RISK_NO_P2P,
    RISK_NETWORK_UNKNOWN,
    RISK_SPOT,
    RISK_DEADLINE_ONLY_AS_CLAIMED,
    RISK_AMBIGUOUS_GPU,
    RISK_STALE,
    RISK_CONTRACT_ENDS /* the host's maximum duration is under 1.2 x the time */,
    RISK_TIGHT_MEMORY,
    RISK_RAM_UNKNOWN,
    RISK_REASON_COUNT
};
enum risk_question {
    ASK_RATE_FOR_ALL,
    ASK_TOPOLOGY,
    ASK_ALL_FREE,
    ASK_STORAGE,
    ASK_NETWORK,
    ASK_DRIVER,
    ASK_HOST,
    RISK_QUESTION_COUNT
};

/* One row of a ranking, small: 1,000,000 of them must fit. */
struct ranked {
    uint32_t offer; /* index in question.offers */
    uint32_t set;   /* memo entry of the chosen count */
    uint8_t which;  /* estimate within the set */
    uint8_t cls;    /* enum rank_class */
    uint8_t simplicity;
    uint8_t tie;          /* cannot be told apart from the row before */
    uint16_t gpus, nodes; /* used, in one node; nodes */
    uint8_t frontier;     /* nothing else is both cheaper and faster */
    int16_t gpu;          /* index in the catalogue */
    float goal, other;    /* what is compared first and second */
    float usd, hours;     /* expected, as claimed or inferred */
};

struct candidate {
    const struct offer *offer;
    struct shape shape; /* what was evaluated: the GPUs used */
    double rate_usd_h;  /* of one whole machine */
    struct estimate e;
    struct cost cost;
    struct risk risk;
    int rank; /* from 1; 0 = refused */
    bool tie, frontier, single_gpu_would_do;
    size_t group_size; /* offers equal in provider, machine, rate, kind and shape */
    enum rank_class cls;
    struct reason reason; /* of a refusal, else REASON_NONE */
    enum limit_state deadline, budget;
    double efficiency; /* NUM_UNKNOWN for serving replicas and where there is no base */
    int efficiency_base, fits_from_gpus;
    double gpu_hours;
};

struct ranking;
struct ranking *
ranking_new(const struct question *q,
            struct memo *memo); /* memo is shared between rankings; q is copied, what it points to is not */
void ranking_free(struct ranking *r);
/* Evaluates up to `offers` more rows; true when all are done and in order. Rows already placed are right relative to each other. */
bool ranking_step(struct ranking *r, size_t offers);
void ranking_run(struct ranking *r);           /* to the end */
size_t ranking_count(const struct ranking *r); /* candidates, ordered */
const struct ranked *ranking_at(const struct ranking *r, size_t i);
size_t ranking_refused_count(const struct ranking *r);
/* Groups in ranking order: index of the first (best) row of each. */
size_t ranking_group_count(const struct ranking *r);
const struct ranked *ranking_group_at(const struct ranking *r, size_t i, size_t *size);
/* The group of a row, once the ranking is done: rows of one group have one number. */
uint32_t ranking_group_of(const struct ranking *r, const struct ranked *row);
/* Its rows in the order of the ranking, best first; free() *members. Only once the ranking is done. */
size_t ranking_group_members(struct ranking *r, const struct ranked *row, const struct ranked ***members);
/* Where things stand, without a search through all rows. find: NULL when the offer is no candidate (yet). */
const struct ranked *ranking_find(const struct ranking *r, uint32_t offer);
size_t ranking_position(const struct ranking *r, const struct ranked *row);       /* ranking_count() when it has none */
size_t ranking_group_position(const struct ranking *r, const struct ranked *row); /* once the ranking is done */
void ranking_candidate(struct ranking *r, const struct ranked *row,
                       struct candidate *out); /* may add counts to the memo */
const struct question *ranking_question(const struct ranking *r);
/* One offer by itself, at a GPU count of the user's choice (0 = the best). False if the offer is not in the set. */
bool ranking_explain(struct ranking *r, const char *offer_id, int gpus, struct candidate *out, struct trace *trace);

/* Refused offers by reason, most first. */
struct refusal_summary {
    enum reason_code code;
    size_t offers;
    uint32_t example;     /* offer index: the one that came nearest */
    struct reason reason; /* of the example */
};
enum { REFUSAL_MAX = 32 };
size_t ranking_refusals(const struct ranking *r, struct refusal_summary out[REASON_COUNT]); /* a code each */
/* A code and what was missing each: no bf16 and too old a driver are two. */
size_t ranking_refusals_by_cause(const struct ranking *r, struct refusal_summary out[REFUSAL_MAX]);

/* The recommendation in codes; report/ makes the paragraph. */
enum constraint {
    CONSTRAINT_NONE /* one GPU does it */,
    CONSTRAINT_CAPACITY,
    CONSTRAINT_DEADLINE,
    CONSTRAINT_LOAD,
    CONSTRAINT_NOTHING_FITS
};
struct answer {
    enum constraint constraint;
    struct candidate best;
    bool has_best;
    struct candidate alternative; /* cheapest one-GPU answer, or the fastest within budget, when it differs */
    bool has_alternative;
    struct candidate debug; /* stage iterate: the one-GPU machine with the lowest rate, to get the code working on */
    bool has_debug;
    bool alternative_ties; /* it cannot be told apart from the best */
    struct candidate lighter; /* inference: the best single GPU that does it with its weights in fewer bits */
    enum weight_format lighter_weights;
    bool has_lighter;
    struct candidate shared; /* serving: a machine of which `shared_machines` carry the load, for less than the best, or where none does alone */
    int shared_machines;
    bool has_shared;
};
void ranking_answer(struct ranking *r, struct answer *out);

#endif
