/* SPDX-License-Identifier: MIT */
/* The recommendation: the first row, the reason for more than one GPU, and what one would get the other way. */
#include <string.h>

#include "ranking.h"

static int gpus_used(const struct ranked *row) {
    return row->gpus * row->nodes;
}

/* One GPU is the default; more need a name: it does not fit, it is too slow, or the load is too much. */
static enum constraint constraint_of(const struct job *j, const struct candidate *best) {
    if (best->shape.gpus * best->shape.nodes <= 1 || best->single_gpu_would_do)
        return CONSTRAINT_NONE;
    if (best->fits_from_gpus > 1)
        return CONSTRAINT_CAPACITY;
    return job_is_serving(j) ? CONSTRAINT_LOAD : CONSTRAINT_DEADLINE;
}

static const struct ranked *cheapest_single(const struct ranking *r, const struct ranked *best) {
    for (size_t i = 0; i < ranking_count(r); i++) {
        const struct ranked *row = ranking_at(r, i);
        if (row->cls > RANK_TIGHT)
            break;
        if (row != best && gpus_used(row) == 1)
            return row;
    }
    return NULL;
}

static const struct ranked *fastest(const struct ranking *r, const struct ranked *best) {
    static const float worth_it = 0.9F; /* a tenth less time is what one would pay to have */
    const struct ranked *found = NULL;
    for (size_t i = 0; i < ranking_count(r); i++) {
        const struct ranked *row = ranking_at(r, i);
        if (row->cls > best->cls)
            break;
        if (row->hours < best->hours * worth_it && (!found || row->hours < found->hours))
            found = row;
    }
    return found;
}

/* Whether every row down to this one is a tie of the one before. */
static bool ties_with_best(const struct ranking *r, const struct ranked *other) {
    for (size_t i = 1; i < ranking_count(r) && ranking_at(r, i)->tie; i++)
        if (ranking_at(r, i) == other)
            return true;
    return false;
}

/* While code is being written hours count, not runs: the lowest rate of one GPU that holds the job, late or not. */
static const struct ranked *lowest_rate(const struct ranking *r) {
    const struct ranked *found = NULL;
    for (size_t i = 0; i < ranking_count(r); i++) {
        const struct ranked *row = ranking_at(r, i);
        const struct offer *f = &r->q.offers->items[row->offer];
        if (f->gpus == 1 && gpus_used(row) == 1 && f->rate_kind == RATE_ON_DEMAND &&
            (!found || f->rate_microusd < r->q.offers->items[found->offer].rate_microusd))
            found = row;
    }
    return found;
}

void ranking_answer(struct ranking *r, struct answer *out) {
    memset(out, 0, sizeof *out);
    out->constraint = CONSTRAINT_NOTHING_FITS;
    if (ranking_count(r) == 0)
        return;
    const struct ranked *best = ranking_at(r, 0);
    ranking_candidate(r, best, &out->best);
    out->best.rank = 1;
    out->has_best = true;
    out->constraint = constraint_of(r->q.job, &out->best);
    const struct ranked *other = gpus_used(best) > 1 ? cheapest_single(r, best) : fastest(r, best);
    if (other) {
        ranking_candidate(r, other, &out->alternative);
        out->has_alternative = true;
        out->alternative_ties = ties_with_best(r, other);
    }
    const struct ranked *debug = r->q.job->stage == STAGE_ITERATE ? lowest_rate(r) : NULL;
    if (debug) {
        ranking_candidate(r, debug, &out->debug);
        out->has_debug = true;
    }
}
