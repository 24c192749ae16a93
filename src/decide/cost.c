/* SPDX-License-Identifier: MIT */
#include "cost.h"

#include <math.h>

/* What happens before and after the run, in hours of one machine; all machines of a job do it at once. */
struct around {
    double setup_h, copy_out_h;
};
enum end { END_LOW, END_EXPECTED, END_HIGH };

static double at(struct range r, enum end e) {
    return e == END_LOW ? r.low : e == END_HIGH ? r.high : r.expected;
}

/* Of a quantity that is the better the larger it is: the low end of a time takes its high end. */
static double speed_at(struct range r, enum end e) {
    return at(r, e == END_LOW ? END_HIGH : e == END_HIGH ? END_LOW : END_EXPECTED);
}

/* What is brought home: a model's weights, an adapter, nothing from serving and from a run we know only by its hours. */
static double results_gb(const struct job *j, const struct estimate *e) {
    static const double bytes_out = 2; /* weights are kept in 16 bits */
    switch (j->task) {
    case TASK_PRETRAIN:
    case TASK_FULL:
        return fmin(model_count(&j->model).total * bytes_out / NUM_GB, e->state_gb > 0 ? e->state_gb : INFINITY);
    case TASK_LORA:
    case TASK_QLORA:
        return e->state_gb;
    default:
        return 0;
    }
}

/* A measured run is known by its hours: neither its image nor its weights are, so only boot, data and warm-up are counted. */
static double setup_hours(const struct question *q, const struct place *p, const struct estimate *e, enum end end) {
    const struct assumptions *a = q->assumptions;
    const struct job *j = q->job;
    if (num_known(j->setup_h))
        return j->setup_h;
    double image_gb = at(a->v[j->task == TASK_INFERENCE ? ASSUME_COST_IMAGE_SERVE_GB : ASSUME_COST_IMAGE_GB], end);
    double data_gb = num_known(j->dataset_gb) ? j->dataset_gb : 0;
    double download_s = (image_gb + e->load_gb + data_gb) / speed_at(p->download_gbs, end);
    double unpack_s = image_gb * 1000 / speed_at(a->v[ASSUME_COST_UNPACK_MBS], end);
    double load_s = e->load_gb / p->load_gbs;
    double compile_h = at(a->v[ASSUME_COST_COMPILE_MIN], end) / 60;
    return at(p->boot_h, end) + (download_s + unpack_s + load_s) / 3600 + compile_h;
}

static struct around around_run(const struct question *q, const struct place *p, const struct estimate *e,
                                enum end end) {
    struct around out = {.setup_h = setup_hours(q, p, e, end)};
    if (!num_known(q->job->setup_h)) /* a stated set-up is all that is not the run */
        out.copy_out_h = results_gb(q->job, e) / p->upload_gbs / 3600;
    return out;
}

double cost_disk_gb(const struct job *j, const struct estimate *e) {
    double need = e->disk_gb + (num_known(j->dataset_gb) ? j->dataset_gb : 0);
    return num_known(j->min_disk_gb) ? fmax(need, j->min_disk_gb) : need;
}

double cost_billed_h(const struct place *p, double hours) {
    /* a millionth of a step of slack: 12.5 h is 45000 steps of 1 s, whatever the last bit says */
    double billed = ceil(hours / p->billing_step_h - 1e-6) * p->billing_step_h;
    return fmax(fmax(billed, p->min_charge_h), p->prepaid_h);
}

double cost_rent_usd(const struct place *p, int nodes, double hours) {
    return nodes * (p->rate_usd_h * cost_billed_h(p, hours) + p->upfront_usd);
}

/* A job that reads its input with too few CPU cores waits for them. */
static double run_factor(const struct place *p, const struct estimate *e) {
    return p->cpu_cores > 0 && e->vcpus > p->cpu_cores ? e->vcpus / p->cpu_cores : 1;
}

static struct interruption interruptions(const struct question *q, const struct place *p, const struct estimate *e,
                                         double run_h, double reload_h, enum end end) {
    const struct assumptions *a = q->assumptions;
    double save_h = (e->state_gb / p->write_gbs + at(a->v[ASSUME_CHECKPOINT_PAUSE_S], end)) / 3600;
    double interval_h = num_known(q->job->checkpoint_min) ? q->job->checkpoint_min / 60 : NUM_UNKNOWN;
    return interruption_expect(run_h, save_h, interval_h, speed_at(p->mtbf_h, end), e->nodes, at(p->restart_h, end),
                               reload_h, assume_get(a, ASSUME_INTERRUPTION_VIABLE));
}

static double charged_disk_gb(const struct place *p, double need) {
    if (p->market || !num_known(p->disk_free_gb))
        return need; /* a marketplace sells disk by the GB, whatever the host has */
    return fmax(need - p->disk_free_gb, 0);
}

static void storage_and_traffic(const struct question *q, const struct place *p, const struct estimate *e,
                                struct cost *out) {
    double gb = charged_disk_gb(p, cost_disk_gb(q->job, e));
    double in_gb = e->load_gb + (num_known(q->job->dataset_gb) ? q->job->dataset_gb : 0);
    out->part_usd[COST_STORAGE] = e->nodes * gb * p->disk_usd_gb_h * out->billed_h;
    out->part_usd[COST_EGRESS] = results_gb(q->job, e) * p->egress_usd_gb + e->nodes * in_gb * p->ingress_usd_gb;
    static const double days_30_h = 720;
    double stopped_h = num_known(p->stopped_usd_h) ? p->stopped_usd_h
                       : p->disk_usd_gb_h > 0      ? gb * p->disk_usd_gb_h
                                                   : NUM_UNKNOWN;
    out->stopped_30d_usd = e->nodes * stopped_h * days_30_h;
}

static double serving_h(const struct job *j, const struct estimate *e) {
    return job_is_serving(j) ? e->run_h.expected : NUM_UNKNOWN;
}

double cost_mtok(const struct job *j, const struct estimate *e, double setup_h) {
    if (j->task != TASK_INFERENCE || !(e->tokens_per_s.expected > 0))
        return NUM_UNKNOWN;
    double hours = job_is_serving(j) ? fmax(e->run_h.expected - setup_h, 0) : e->run_h.expected;
    return e->tokens_per_s.expected * hours * 3600 / 1e6;
}

/* Serving rents a machine for serve_hours, set-up among them; a run is as long as it takes. */
static void fill_hours(const struct question *q, const struct place *p, const struct estimate *e, struct cost *out) {
    struct around ar = around_run(q, p, e, END_EXPECTED);
    double run_h = e->run_h.expected * run_factor(p, e), serve_h = serving_h(q->job, e);
    struct interruption stops = interruptions(q, p, e, run_h, ar.setup_h, END_EXPECTED);
    out->setup_h = ar.setup_h;
    out->copy_out_h = ar.copy_out_h;
    out->checkpoint_h = e->state_gb > 0 ? stops.checkpoint_h : NUM_UNKNOWN;
    out->viable = stops.viable || num_known(serve_h);
    out->access_h = p->access_h;
    bool pays = p->interruptible && !num_known(serve_h);
    double lost_billed_h = pays ? stops.lost_h : 0;
    out->lost_h = pays ? stops.lost_h + stops.wait_h : 0;
    out->time_h = range_exact(num_known(serve_h) ? serve_h : ar.setup_h + run_h + out->lost_h + ar.copy_out_h);
    double rented_h = num_known(serve_h) ? serve_h : ar.setup_h + run_h + lost_billed_h + ar.copy_out_h;
    out->billed_h = cost_billed_h(p, rented_h);
    double rate = e->nodes * p->rate_usd_h;
    out->part_usd[COST_SETUP] = rate * fmin(ar.setup_h + ar.copy_out_h, out->billed_h);
    out->part_usd[COST_LOST_WORK] = rate * lost_billed_h;
    out->part_usd[COST_COMPUTE] =
        cost_rent_usd(p, e->nodes, rented_h) - out->part_usd[COST_SETUP] - out->part_usd[COST_LOST_WORK];
}

void cost_expected(const struct question *q, const struct place *p, const struct estimate *e, struct cost *out) {
    fill_hours(q, p, e, out);
    storage_and_traffic(q, p, e, out);
    double sum = 0;
    for (int i = 0; i < COST_PART_COUNT; i++)
        sum += out->part_usd[i];
    out->usd = range_exact(sum);
    out->usd_per_mtok = range_exact(sum / cost_mtok(q->job, e, out->setup_h));
    out->naive_usd = out->usd_per_useful_gpu_h = NUM_UNKNOWN;
}

/* The high end holds interruptions at their high prior, also on demand, where the expected value leaves them out. */
static double end_hours(const struct question *q, const struct place *p, const struct estimate *e, enum end end,
                        double *billed) {
    struct around ar = around_run(q, p, e, end);
    double run_h = at(e->run_h, end) * run_factor(p, e), lost = 0, wait = 0;
    if (p->interruptible || end == END_HIGH) {
        struct interruption stops = interruptions(q, p, e, run_h, ar.setup_h, end);
        lost = stops.lost_h;
        wait = stops.wait_h;
    }
    *billed = ar.setup_h + run_h + lost + ar.copy_out_h;
    return *billed + wait;
}

void cost_ranges(const struct question *q, const struct place *p, const struct estimate *e, struct cost *out) {
    const struct assumptions *a = q->assumptions;
    double low_billed = out->billed_h, high_billed = low_billed;
    if (!job_is_serving(q->job)) {
        out->time_h.low = fmin(end_hours(q, p, e, END_LOW, &low_billed), out->time_h.expected);
        out->time_h.high = fmax(end_hours(q, p, e, END_HIGH, &high_billed), out->time_h.expected);
    }
    double rest = out->part_usd[COST_EGRESS];
    double storage_h = out->billed_h > 0 ? out->part_usd[COST_STORAGE] / out->billed_h : 0;
    double dearer =
        a->v[ASSUME_COST_RATE_DRIFT].high * (p->kind == RATE_BID_FLOOR ? a->v[ASSUME_COST_BID_OVER_FLOOR].high : 1);
    double low = cost_rent_usd(p, e->nodes, low_billed) + storage_h * low_billed + rest;
    double high = cost_rent_usd(p, e->nodes, high_billed) * dearer + storage_h * high_billed + rest;
    out->usd.low = fmin(low, out->usd.expected);
    out->usd.high = fmax(high, out->usd.expected);
    if (num_known(out->usd_per_mtok.expected) && e->tokens_per_s.high > 0 && e->tokens_per_s.low > 0) {
        double per = out->usd_per_mtok.expected, mean = e->tokens_per_s.expected;
        /* a batch's hours and tokens per second are one uncertainty, not two */
        bool serving = job_is_serving(q->job);
        out->usd_per_mtok.low = serving ? per * mean / e->tokens_per_s.high : per * out->usd.low / out->usd.expected;
        out->usd_per_mtok.high =
            (serving ? per * mean / e->tokens_per_s.low * dearer : per * out->usd.high / out->usd.expected);
    }
}
