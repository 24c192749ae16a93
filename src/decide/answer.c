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

/* While code is being written hours count, not runs: the lowest rate of one GPU that holds the job, late or not. */
static bool is_lower_rate(const struct ranking *r, const struct ranked *row, const struct ranked *than) {
    const struct offer *items = r->q.offers->items, *f = &items[row->offer];
    return f->gpus == 1 && gpus_used(row) == 1 && f->rate_kind == RATE_ON_DEMAND &&
           (!than || f->rate_microusd < items[than->offer].rate_microusd);
}

void ranking_answer_visit(const struct ranking *r, struct answer_rows *n, const struct ranked *row) {
    static const float worth_it = 0.9F; /* a tenth less time is what one would pay to have */
    if (!n->best) {
        n->best = row;
        n->all_tie = true;
    } else {
        n->all_tie &= row->tie; /* every row down to this one is a tie of the one before */
        if (!n->single && row->cls <= RANK_TIGHT && gpus_used(row) == 1) {
            n->single = row;
            n->single_ties = n->all_tie;
        }
        if (row->cls <= n->best->cls && row->hours < n->best->hours * worth_it &&
            (!n->fastest || row->hours < n->fastest->hours)) {
            n->fastest = row;
            n->fastest_ties = n->all_tie;
        }
    }
    if (r->q.job->stage == STAGE_ITERATE && is_lower_rate(r, row, n->debug))
        n->debug = row;
}

/* Until all is marked, what the first rows say. */
static struct answer_rows rows_so_far(const struct ranking *r) {
    struct answer_rows n = {0};
    for (size_t i = 0; i < ranking_count(r) && i < EARLY_ROWS; i++)
        ranking_answer_visit(r, &n, ranking_at(r, i));
    return n;
}

void ranking_answer(struct ranking *r, struct answer *out) {
    memset(out, 0, sizeof *out);
    out->constraint = CONSTRAINT_NOTHING_FITS;
    if (ranking_count(r) == 0) {
        ranking_beside(r, out);
        return;
    }
    const struct answer_rows n = r->phase == RANKING_DONE ? r->answer_rows : rows_so_far(r);
    ranking_candidate(r, n.best, &out->best);
    out->best.rank = 1;
    out->has_best = true;
    out->constraint = constraint_of(r->q.job, &out->best);
    bool to_single = gpus_used(n.best) > 1;
    const struct ranked *other = to_single ? n.single : n.fastest;
    if (other) {
        ranking_candidate(r, other, &out->alternative);
        out->has_alternative = true;
        out->alternative_ties = to_single ? n.single_ties : n.fastest_ties;
    }
    if (n.debug) {
        ranking_candidate(r, n.debug, &out->debug);
        out->has_debug = true;
    }
    ranking_beside(r, out);
}
