/* SPDX-License-Identifier: MIT */
/*
 * One job side by side with one thing varied: GPU counts of a card, cards, links, kinds of price, precision, length, batch. Each
 * column stands at the cheapest price there is for it, or says that nobody sells it.
 */
#ifndef GPUPLAN_DECIDE_WHATIF_H
#define GPUPLAN_DECIDE_WHATIF_H

#include "gpuplan/decide/decide.h"
#include "gpuplan/workload/model.h"

enum vary { VARY_GPUS, VARY_GPU, VARY_LINK, VARY_SPOT, VARY_PRECISION, VARY_SEQ_LEN, VARY_BATCH, VARY_COUNT };
const char *vary_name(enum vary v); /* "gpus" "gpu" "link" "spot" "precision" "seq_len" "batch" */
int vary_find(const char *s);       /* -1 */

enum price_basis {
    PRICE_OFFER,    /* an offer of just this machine */
    PRICE_NODES,    /* several machines of the largest size */
    PRICE_PRO_RATA, /* not sold in this size: the share of a larger or smaller machine's rate */
    PRICE_BORROWED  /* not sold with this link: the rate of the same machine with another one */
};
const char *price_basis_name(enum price_basis b); /* "offer" "nodes" "pro_rata" "borrowed" */

enum { WHATIF_MAX_COUNTS = 16, WHATIF_MOST_GPUS = 1024, WHATIF_VALUE = 24 };

/* What a column is. */
struct whatif_spec {
    int gpu;       /* index in the catalogue */
    int gpus;      /* 0: as many as are best */
    int link;      /* enum link_kind of machines with several GPUs; -1 = any */
    int rate_kind; /* enum rate_kind; -1 = any */
    int field;     /* enum field_id that is set to `value`; -1 = none */
    char value[WHATIF_VALUE];
};
/* How the work is spread: as is best, only as whole copies, only as one split over all. */
enum whatif_way { WAY_BEST, WAY_COPIES, WAY_SPLIT, WAY_COUNT };

struct whatif_question {
    enum vary vary;
    const char *pick;                     /* id of an offer: its card and link, its provider first; NULL */
    int gpu;                              /* index in the catalogue; used when pick is NULL */
    int link;                             /* enum link_kind of machines with several GPUs; -1 = any */
    int counts[WHATIF_MAX_COUNTS], count; /* ascending. VARY_GPUS: the columns; else the first is the count of all of them */
    const char *const *values;            /* of precision, seq_len, batch; NULL: around what the job has */
    int value_count;
    const struct workload *workload; /* what was stated and the models: a column that changes the job is resolved anew */
    const struct models *models;
    enum whatif_way way;
    bool weak;                      /* the batch (of a measured run: the work) grows with the count */
    const uint32_t *among;          /* offers that can be meant, by number; NULL: all */
    size_t among_count;
    const struct whatif_spec *only; /* exactly these columns, whatever varies; NULL */
    int only_count;
};
struct whatif_speed {
    bool fits;
    double tokens_per_s, itl_ms, usd;
};
struct whatif_column {
    struct whatif_spec spec;
    int gpus; /* in all machines */
    enum price_basis basis;
    struct candidate c; /* what does not fit has its reason and fit no */
    bool current;       /* as the job and the pick have it */
    struct whatif_speed copies, split; /* inference on several GPUs */
};
/* Columns by index; -1: there is none. */
struct whatif {
    enum vary vary;
    int count, pinned; /* the first `pinned` columns are put there by whatif_prepend() */
    struct whatif_column columns[WHATIF_MAX_COUNTS];
    int base;                 /* what speed-ups are over: the smallest count that fits, or the column that is as now */
    int best_cost, best_time; /* in the best class there is: limits kept and memory safe, then tight, then late */
    int cheapest;             /* whatever the class */
    int in_time;              /* cheapest of those that fit and keep the limits */
    int knee;                 /* VARY_GPUS */
    bool weak;
    double speed_up[WHATIF_MAX_COUNTS], efficiency[WHATIF_MAX_COUNTS]; /* over the base; NUM_UNKNOWN */
    double usd_per_h_saved[WHATIF_MAX_COUNTS]; /* over the fitting count before; negative: cheaper as well; NUM_UNKNOWN */
};
/* False when there is no such offer or nothing to vary. The ranking must be run. */
bool whatif_make(struct ranking *r, const struct whatif_question *w, struct whatif *out);
/* A column of another answer in front: it has a speed-up, but takes no part in what is best. False: no room. */
bool whatif_prepend(struct whatif *w, const struct job *j, const struct whatif_column *column);
/* The field that precision, seq_len or batch is for this task; -1: it has none. */
int whatif_field(const struct job *j, enum vary v);
bool whatif_can_be_weak(const struct job *j);

#endif
