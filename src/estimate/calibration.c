/* SPDX-License-Identifier: MIT */
/* Fitting: one factor a card family and task, one a link; nothing that a handful of rows cannot tell. */
#include "gpuplan/estimate/calibration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"

/* A factor beyond these is no property of hardware: another link than was said, another program at work, a wrong unit. */
static const double least_factor = 0.2, most_factor = 2;

static void add_note(struct calibration *k, enum calibration_note_code code, double a, const char *subject) {
    if (k->note_count == CALIBRATION_MAX_NOTES)
        return;
    struct calibration_note *n = &k->notes[k->note_count++];
    *n = (struct calibration_note){.code = code, .a = a};
    snprintf(n->subject, sizeof n->subject, "%s", subject);
}

static struct calibration_row *find_row(struct calibration *k, enum calibration_what what, const char *key) {
    for (int i = 0; i < k->count; i++)
        if (k->rows[i].what == what && strcmp(k->rows[i].key, key) == 0)
            return &k->rows[i];
    return NULL;
}

static void add_row(struct calibration *k, enum calibration_what what, const char *key, struct range was,
                    struct range is, int count) {
    struct calibration_row *row = find_row(k, what, key);
    if (!row && k->count < CALIBRATION_MAX)
        row = &k->rows[k->count++];
    if (!row)
        return;
    *row = (struct calibration_row){.what = what, .was = was, .is = is, .count = count};
    snprintf(row->key, sizeof row->key, "%s", key);
}

static const struct link_row *link_row(const struct catalog *c, const char *key) {
    for (size_t i = 0; i < catalog_link_count(c); i++)
        if (strcmp(catalog_link_at(c, i)->key, key) == 0)
            return catalog_link_at(c, i);
    return NULL;
}

/* ---- collectives ---- */

/* Half rate is reached at some 20 MiB on a machine's own links (interconnect tables): four times that is near the top. */
static const double large_message = 32e6; /* bytes; the smallest that still says something */

/* Measured: repeated runs lie within a few percent. Scaled along with it: known half as well as that. */
static struct range measured(double x) {
    static const double repeat = 0.05; /* judgement */
    return (struct range){x * (1 - repeat), x, x * (1 + repeat)};
}

static struct range narrowed(struct range r, double f) {
    struct range x = range_scale(r, f);
    x.low = x.expected - (x.expected - x.low) / 2;
    x.high = x.expected + (x.high - x.expected) / 2;
    return x;
}

static bool is_usable(struct calibration *k, const struct nccl_log *log, const char *file, const struct gpu *g,
                      int gpus) {
    if (log->nodes > 1)
        add_note(k, CALIBRATION_NODES, log->nodes, file);
    else if (log->peak_bytes < large_message)
        add_note(k, CALIBRATION_SMALL, log->peak_bytes / 1e6, file);
    else if (!g)
        add_note(k, CALIBRATION_NO_CARD, 0, file);
    else if (gpus < 2)
        add_note(k, CALIBRATION_NO_COUNT, 0, file);
    else
        return true;
    return false;
}

void calibration_take_log(struct calibration *k, const struct catalog *c, const struct nccl_log *log, const char *file,
                          const struct gpu *g, enum link_kind link, int gpus) {
    if (!g && log->gpu[0]) {
        struct gpu_match m = catalog_gpu_resolve(c, log->gpu, NUM_UNKNOWN, GPU_FORM_UNKNOWN);
        g = m.ambiguous ? NULL : m.gpu;
    }
    gpus = gpus > 0 ? gpus : log->gpus;
    if (!is_usable(k, log, file, g, gpus))
        return;
    if (link == LINK_UNKNOWN)
        link = link_by_product(g, gpus);
    if (!link_possible(g, link, gpus) && !(link == LINK_PCIE && g->geforce)) {
        add_note(k, CALIBRATION_NODES, 0, file); /* more than one machine of such cards holds */
        return;
    }
    struct link_speed s = link_speed(c, g, link, gpus, NUM_UNKNOWN, 0, 0);
    const struct link_row *row = link_row(c, s.source);
    bool all = log->operation != NCCL_RING;
    double expected = all ? s.allreduce_gbs.expected : s.ring_gbs.expected, f = log->peak_gbs / expected;
    if (!row || !(f >= least_factor && f <= most_factor)) {
        add_note(k, CALIBRATION_FAR_OFF, f, file);
        return;
    }
    /* the ring of a switch that reduces by itself was not what an all-reduce ran on */
    bool one = fabs(row->ring_gbs.expected - row->allreduce_gbs.expected) < 1e-9 ||
               fabs(s.ring_gbs.expected - s.allreduce_gbs.expected) < 1e-9;
    bool alike = fabs(row->ring_gbs.expected - row->allreduce_gbs.expected) < 1e-9;
    struct range ring = !all || one ? measured(f * row->ring_gbs.expected) : narrowed(row->ring_gbs, f);
    struct range reduce = alike         ? ring
                          : all && !one ? measured(f * row->allreduce_gbs.expected)
                                        : narrowed(row->allreduce_gbs, f);
    add_row(k, CALIBRATION_RING, row->key, row->ring_gbs, ring, 1);
    add_row(k, CALIBRATION_ALLREDUCE, row->key, row->allreduce_gbs, reduce, 1);
}

/* ---- jobs ---- */

struct fitting {
    struct catalog *c;
    struct assumptions a;
    const struct measurement **rows;
    size_t count;
};

static bool is_time(enum metric m) {
    return m == METRIC_STEP_S || m == METRIC_TTFT_MS || m == METRIC_ITL_MS || m == METRIC_E2E_MS;
}

static bool is_speed(enum metric m) {
    return m != METRIC_PEAK_GIB && m != METRIC_FITS && m < METRIC_COUNT;
}

/* log of measured over predicted speed; NUM_UNKNOWN when there is no prediction. */
static double miss(const struct fitting *f, const struct measurement *m) {
    struct prediction p;
    measurement_predict(f->c, m, &f->a, &p);
    if (p.why || !(p.value.expected > 0) || !(m->value > 0))
        return NUM_UNKNOWN;
    double x = log(m->value / p.value.expected);
    return is_time(m->metric) ? -x : x;
}

static double mean_miss(const struct fitting *f) {
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < f->count; i++) {
        double x = miss(f, f->rows[i]);
        if (num_known(x)) {
            sum += x;
            n++;
        }
    }
    return n > 0 ? sum / (double)n : NUM_UNKNOWN;
}

/*
 * Spread of one more job: what is left over the rows, and the table's own spread with the weight of two rows, so that one run
 * does not make anybody certain. 0.05: repeated runs and versions of software move that much.
 */
static double spread(const struct fitting *f, double prior) {
    static const double prior_weight = 2, floor_ = 0.05;
    double sum = prior_weight * prior * prior, mean = mean_miss(f);
    for (size_t i = 0; i < f->count; i++) {
        double x = miss(f, f->rows[i]);
        if (num_known(x))
            sum += (x - mean) * (x - mean);
    }
    return fmax(floor_, sqrt(sum / (prior_weight + (double)f->count)));
}

/* The factor at which the rows are met on average; `set` applies one. False when it lies outside of what is believed. */
static bool solve(struct fitting *f, void (*set)(struct fitting *f, const void *user, double factor), const void *user,
                  double *factor) {
    double low = log(least_factor), high = log(most_factor);
    set(f, user, least_factor);
    double at_low = mean_miss(f);
    set(f, user, most_factor);
    double at_high = mean_miss(f);
    if (!num_known(at_low) || !num_known(at_high) || at_low * at_high > 0)
        return false;
    for (int i = 0; i < 24; i++) {
        double middle = (low + high) / 2;
        set(f, user, exp(middle));
        if (mean_miss(f) * at_low > 0)
            low = middle;
        else
            high = middle;
    }
    *factor = exp((low + high) / 2);
    set(f, user, *factor);
    return true;
}

/* What one factor moves: constants of a family. */
struct efficiency {
    enum assume_id first[3];
    int count;
    enum gpu_family family;
    const struct assumptions *from;
};

static void set_efficiency(struct fitting *f, const void *user, double factor) {
    const struct efficiency *e = user;
    for (int i = 0; i < e->count; i++) {
        unsigned id = (unsigned)e->first[i] + (unsigned)e->family;
        f->a.v[id] = range_scale(e->from->v[id], factor);
    }
    f->a.generation++;
}

static void keep_efficiency(struct calibration *k, struct fitting *f, const struct efficiency *e, double sigma) {
    for (int i = 0; i < e->count; i++) {
        unsigned id = (unsigned)e->first[i] + (unsigned)e->family;
        struct range is = range_lognormal(f->a.v[id].expected, sigma);
        add_row(k, CALIBRATION_ASSUMPTION, assume_table()[id].key, e->from->v[id], is, (int)f->count);
    }
}

struct linked {
    const char *key;
    struct range ring, all;
};

static void set_link(struct fitting *f, const void *user, double factor) {
    const struct linked *l = user;
    catalog_link_set(f->c, l->key, range_scale(l->ring, factor), range_scale(l->all, factor));
}

/* The row of links.csv that a job on several GPUs of one machine runs on; NULL. */
static const char *link_of(const struct catalog *c, const struct measurement *m) {
    if (m->shape.gpus < 2 || m->shape.nodes > 1 || !m->shape.gpu)
        return NULL;
    return link_speed(c, m->shape.gpu, m->shape.link, m->shape.gpus, NUM_UNKNOWN, 0, 0).source;
}

/* Rows of one family and kind of task; alone: on one GPU. */
static size_t choose(const struct measurement *const *all, size_t count, enum gpu_family family, bool inference,
                     bool alone, const struct measurement **out) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct measurement *m = all[i];
        if (m->shape.gpu->family == family && (m->job.task == TASK_INFERENCE) == inference &&
            (!alone || m->shape.gpus * m->shape.nodes == 1))
            out[n++] = m;
    }
    return n;
}

static void fit_family(struct calibration *k, struct fitting *f, const struct measurement *const *all, size_t count,
                       enum gpu_family family, bool inference, const struct assumptions *from) {
    static const double prior = 0.13; /* train.sigma.base: jobs of other sources about the fitted constants */
    const struct efficiency e = {{inference ? ASSUME_INFER_WEIGHT_BANDWIDTH_OTHER : ASSUME_TRAIN_GEMM_OTHER,
                                  ASSUME_INFER_GEMM_16BIT_OTHER, ASSUME_INFER_GEMM_FP8_OTHER},
                                 inference ? 3 : 1,
                                 family,
                                 from};
    double factor;
    f->count = choose(all, count, family, inference, true, f->rows);
    if (f->count == 0)
        f->count = choose(all, count, family, inference, false, f->rows);
    if (f->count == 0)
        return;
    const char *key = assume_table()[(unsigned)e.first[0] + (unsigned)family].key;
    if (solve(f, set_efficiency, &e, &factor)) {
        keep_efficiency(k, f, &e, spread(f, prior));
        return;
    }
    set_efficiency(f, &e, 1);
    add_note(k, CALIBRATION_FAR_OFF, exp(mean_miss(f)), key);
}

/* Links that no log has set, once the cards are. */
static void fit_links(struct calibration *k, struct fitting *f, const struct measurement *const *all, size_t count) {
    static const double tells = 0.02; /* of the time, at half the bandwidth: less is noise */
    for (size_t i = 0; i < catalog_link_count(f->c); i++) {
        const struct link_row row = *catalog_link_at(f->c, i);
        const struct linked l = {row.key, row.ring_gbs, row.allreduce_gbs};
        double factor;
        f->count = 0;
        for (size_t m = 0; m < count; m++) {
            const char *key = link_of(f->c, all[m]);
            if (key && strcmp(key, row.key) == 0)
                f->rows[f->count++] = all[m];
        }
        if (f->count == 0 || find_row(k, CALIBRATION_RING, row.key))
            continue;
        double at = mean_miss(f);
        set_link(f, &l, 0.5);
        if (!(mean_miss(f) - at > tells)) {
            set_link(f, &l, 1);
            add_note(k, CALIBRATION_NO_EFFECT, 0, row.key);
        } else if (solve(f, set_link, &l, &factor)) {
            struct range ring = narrowed(row.ring_gbs, factor), reduce = narrowed(row.allreduce_gbs, factor);
            catalog_link_set(f->c, row.key, ring, reduce);
            add_row(k, CALIBRATION_RING, row.key, row.ring_gbs, ring, (int)f->count);
            add_row(k, CALIBRATION_ALLREDUCE, row.key, row.allreduce_gbs, reduce, (int)f->count);
        } else {
            set_link(f, &l, 1);
            add_note(k, CALIBRATION_FAR_OFF, exp(at), row.key);
        }
    }
}

static double error_of(const struct fitting *f, const struct measurement *const *rows, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(miss(f, rows[i]));
    return count > 0 ? sum / (double)count : NUM_UNKNOWN;
}

/* Only what is a speed and can be predicted; counts the rest. */
static size_t keep_usable(struct calibration *k, const struct fitting *f, const struct measurement *const *rows,
                          size_t count, const struct measurement **out) {
    size_t n = 0;
    int other = 0, skipped = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_speed(rows[i]->metric))
            other++;
        else if (rows[i]->skipped || !rows[i]->shape.gpu || !num_known(miss(f, rows[i])))
            skipped++;
        else
            out[n++] = rows[i];
    }
    if (other > 0)
        add_note(k, CALIBRATION_SLOW_METRIC, other, "");
    if (skipped > 0)
        add_note(k, CALIBRATION_ROWS_SKIPPED, skipped, "");
    return n;
}

void calibration_take_jobs(struct calibration *k, struct catalog *c, const struct measurement *const *rows,
                           size_t count, const struct assumptions *a) {
    struct fitting f = {.c = c, .a = *a, .rows = mem_zero(count + 1, sizeof *f.rows)};
    const struct measurement **usable = mem_zero(count + 1, sizeof *usable);
    size_t n = keep_usable(k, &f, rows, count, usable);
    k->jobs = (int)n;
    k->error_before = error_of(&f, usable, n);
    struct err err = {0};
    calibration_apply_links(k, c, "", &err); /* what the logs say holds already */
    for (int family = 0; family < GPU_FAMILY_COUNT; family++)
        for (int inference = 0; inference < 2; inference++)
            fit_family(k, &f, usable, n, (enum gpu_family)family, inference, a);
    fit_links(k, &f, usable, n);
    k->error_after = error_of(&f, usable, n);
    free(usable);
    free(f.rows);
}
