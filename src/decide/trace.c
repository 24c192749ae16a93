/* SPDX-License-Identifier: MIT */
/* The steps of cost and risk, for explanations: values as they were computed, with the assumptions behind them. */
#include "gpuplan/estimate/trace.h"

#include "ranking.h"

static int by_class(enum assume_id first, enum host_class h) {
    return (int)first + (int)h;
}

static void hours(struct trace *t, const struct job *j, const struct place *p, const struct candidate *c) {
    const struct cost *k = &c->cost;
    int image = j->task == TASK_INFERENCE ? ASSUME_COST_IMAGE_SERVE_GB : ASSUME_COST_IMAGE_GB;
    if (!num_known(j->setup_h))
        trace_add(t, TRACE_COST_DOWNLOAD, p->download_gbs.expected, ASSUME_COST_INET_SHARE, ASSUME_COST_INET_CAP_MBS,
                  by_class(ASSUME_COST_INET_HYPERSCALER, p->host), -1);
    if (num_known(j->setup_h))
        trace_add(t, TRACE_COST_SETUP_H, k->setup_h, -1);
    else
        trace_add(t, TRACE_COST_SETUP_H, k->setup_h, ASSUME_COST_BOOT_MIN, image, ASSUME_COST_UNPACK_MBS,
                  ASSUME_COST_COMPILE_MIN, -1);
    if (k->copy_out_h > 0)
        trace_add(t, TRACE_COST_COPY_OUT_H, k->copy_out_h, ASSUME_COST_UPLOAD_SHARE, -1);
    if (num_known(k->checkpoint_h)) {
        int mtbf = p->interruptible ? ASSUME_MTBF_SPOT : by_class(ASSUME_MTBF_HYPERSCALER, p->host);
        trace_add(t, TRACE_COST_MTBF_H, p->mtbf_h.expected / c->shape.nodes, mtbf, -1);
        trace_add(t, TRACE_COST_CHECKPOINT_H, k->checkpoint_h, ASSUME_CHECKPOINT_WRITE_GBS, ASSUME_CHECKPOINT_PAUSE_S,
                  -1);
    }
    if (k->lost_h > 0)
        trace_add(t, TRACE_COST_LOST_H, k->lost_h, ASSUME_RESTART_SPOT_MIN, -1);
    trace_add(t, TRACE_COST_TIME_H, k->time_h.expected, -1);
}

void ranking_trace(struct trace *t, const struct question *q, const struct place *p, const struct candidate *c) {
    const struct risk *r = &c->risk;
    hours(t, q->job, p, c);
    trace_add(t, TRACE_COST_BILLED_H, c->cost.billed_h, -1);
    trace_add(t, TRACE_COST_DISK_GB, cost_disk_gb(q->job, &c->e), -1);
    trace_add(t, TRACE_COST_USD, c->cost.usd.expected, -1);
    if (r->grade > RISK_NONE)
        trace_add(t, TRACE_RISK_CHANCE, r->probability_worse, by_class(ASSUME_LINK_SXM_HYPERSCALER, p->host),
                  by_class(ASSUME_LINK_P2P_HYPERSCALER, p->host), ASSUME_LINK_DECLARED_DOUBT, -1);
    if (num_known(r->leave_usd))
        trace_add(t, TRACE_RISK_LEAVE_USD, r->leave_usd, ASSUME_LEAVE_LOOK_H, -1);
    trace_add(t, TRACE_RISK_EXTRA_USD, r->expected_extra_usd,
              c->e.fit == FIT_TIGHT ? ASSUME_OOM_TIGHT : ASSUME_OOM_FITS, -1);
}
