/* SPDX-License-Identifier: MIT */
/*
 * A job of any kind that somebody measured: hours on one GPU type, moved to another by its compute share, and to other counts
 * by the measured points, or by what exchanging its gradients costs.
 */
#include <math.h>

#include "internal.h"

struct measured {
    const struct catalog *catalog;
    const struct job *job;
    const struct shape *shape;
    const struct assumptions *a;
    const struct gpu *base;
    double factor;          /* time on this GPU over the base GPU */
    double compute, memory; /* of `factor`; the rest is the host's */
    double step_s;          /* on one base GPU */
};

static const struct gpu *base_gpu(const struct catalog *c, const struct job *j) {
    const struct gpu *exact = catalog_gpu_exact(c, j->base_gpu);

    return exact != NULL ? exact : catalog_gpu_resolve(c, j->base_gpu, NUM_UNKNOWN, GPU_FORM_UNKNOWN).gpu;
}

static bool measured_init(struct measured *m, const struct catalog *c, const struct job *j, const struct shape *s,
                          const struct assumptions *a) {
    double host = assume_get(a, ASSUME_MEASURED_HOST_SHARE);
    const struct gpu *base = base_gpu(c, j);

    *m = (struct measured){.catalog = c, .job = j, .shape = s, .a = a, .base = base};
    if (base == NULL || base->mem_bw_gbs <= 0 || s->gpu->mem_bw_gbs <= 0) {
        return false;
    }
    if (base == s->gpu) {
        m->compute = j->compute_share;
        m->memory = 1 - j->compute_share;
    } else {
        double power = gpu_power_factor(s, a);
        m->compute = j->compute_share * gpu_training_flops(base, a) / (gpu_training_flops(s->gpu, a) * power);
        m->memory = (1 - j->compute_share) * base->mem_bw_gbs / s->gpu->mem_bw_gbs;
    }
    m->compute *= 1 - host;
    m->memory *= 1 - host;
    m->factor = m->compute + m->memory + host;
    m->step_s = num_known(j->step_s) && j->step_s > 0 ? j->step_s : assume_get(a, ASSUME_MEASURED_STEP_S);
    return true;
}

/* ---- how the time falls with the count, in units of one GPU of the same type ---- */

/* 1 / efficiency - 1 of a point; (1, 1) stands before the first. */
static double point_overhead(const struct job *j, int i) {
    return i < 0 ? 0 : 1 / j->points[i].efficiency - 1;
}
static double point_gpus(const struct job *j, int i) {
    return i < 0 ? 1 : j->points[i].gpus;
}

/* Beyond the last point: contention and exchange through the last two, 1/e = 1 + s (n-1) + k n (n-1), or their straight line. */
static double extrapolate(const struct job *j, double n) {
    int last = j->point_count - 1;
    double n1 = point_gpus(j, last - 1), o1 = point_overhead(j, last - 1);
    double n2 = point_gpus(j, last), o2 = point_overhead(j, last);

    if (n1 > 1) {
        double per1 = o1 / (n1 - 1), per2 = o2 / (n2 - 1); /* s + k n */
        double k = (per2 - per1) / (n2 - n1), s = per1 - k * n1;
        if (k >= 0 && s >= 0) {
            return (s + k * n) * (n - 1);
        }
    }
    return o2 + fmax(0, (o2 - o1) / (n2 - n1)) * (n - n2);
}

static double points_overhead(const struct job *j, double n) {
    int i = 0;

    while (i < j->point_count && point_gpus(j, i) < n) {
        i++;
    }
    if (i == j->point_count) {
        return extrapolate(j, n);
    }
    double n0 = point_gpus(j, i - 1), n1 = point_gpus(j, i);
    if (n1 <= n0) {
        return point_overhead(j, i);
    }
    double w = (n - n0) / (n1 - n0);
    return (1 - w) * point_overhead(j, i - 1) + w * point_overhead(j, i);
}

static double allreduce_s(const struct measured *m, const struct shape *s) {
    double bytes = m->job->sync_gb * NUM_GB, time = 0;

    if (!num_known(m->job->sync_gb)) {
        return 0;
    }
    if (s->gpus > 1) {
        struct link_speed l = link_speed(m->catalog, s->gpu, s->link, s->gpus, s->link_gbs, s->pcie_gen, s->pcie_lanes);
        double n = s->gpus;
        time = 2 * (n - 1) / n * bytes / (fmax(l.allreduce_gbs.expected, 0.01) * NUM_GB) + l.latency_s;
    }
    if (s->nodes > 1) {
        struct network_speed net = network_speed(m->catalog, s->network, s->network_gbps, s->gpu);
        double k = s->nodes;
        time = fmax(time, 2 * (k - 1) / k * bytes / (fmax(net.node_gbs.expected, 0.01) * NUM_GB)) + net.latency_s;
    }
    return time;
}

/* What the exchange adds to a step of `step` seconds. */
static double exposed(const struct measured *m, const struct shape *s, double step) {
    const double never_hidden = 0.1; /* the last bucket */
    const double backward = 2.0 / 3;
    double time = allreduce_s(m, s);

    return fmax(never_hidden * time, time - assume_get(m->a, ASSUME_MEASURED_OVERLAP) * backward * step);
}

/* Points were measured on the link such cards usually have; a slower one that is named costs what the exchange loses. */
static double slower_link(const struct measured *m, double step) {
    struct shape usual = *m->shape;

    if (m->shape->gpus < 2 || m->shape->nodes > 1 || m->shape->link == LINK_UNKNOWN) {
        return 0;
    }
    usual.link = link_by_product(m->shape->gpu, m->shape->gpus);
    usual.link_gbs = NUM_UNKNOWN;
    usual.pcie_gen = usual.pcie_lanes = 0;
    return fmax(0, exposed(m, m->shape, step) - exposed(m, &usual, step));
}

/* Overhead over perfect scaling, as a share of perfect time. */
static double overhead(const struct measured *m) {
    const struct job *j = m->job;
    double n = (double)m->shape->gpus * m->shape->nodes;
    double one = m->step_s * m->factor;
    double share = j->scaling == SCALING_WEAK ? one : one / n; /* compute of a step on each GPU */

    if (n <= 1) {
        return 0;
    }
    if (j->point_count > 0) {
        return points_overhead(j, n) + slower_link(m, share) / share;
    }
    double h = j->scaling == SCALING_WEAK ? 0 : assume_get(m->a, ASSUME_MEASURED_SATURATION);
    return h * (n - 1) / (1 + h) + exposed(m, m->shape, share) / share;
}

/* Hours of the job on one base GPU, from the hours on as many as were used. */
static double hours_on_one(const struct measured *m) {
    struct shape s = {.gpu = m->base, .gpus = (int)m->job->base_gpus, .nodes = 1, .network = NETWORK_NONE};
    struct measured base = *m;

    if (!(m->job->base_gpus > 1)) {
        return m->job->base_hours;
    }
    s.link = link_by_product(m->base, s.gpus);
    s.link_gbs = s.power_limit_w = s.network_gbps = NUM_UNKNOWN;
    base.shape = &s;
    base.factor = 1;
    return m->job->base_hours * m->job->base_gpus / (1 + overhead(&base));
}

/* ---- the estimate ---- */

static double sigma_of(const struct measured *m, double n) {
    const double repeat = 0.04; /* of log time: two runs of one job */
    const struct job *j = m->job;
    double slope =
        m->base == m->shape->gpu
            ? 0
            : (m->compute / fmax(j->compute_share, 0.01) - m->memory / fmax(1 - j->compute_share, 0.01)) / m->factor;
    double moved = slope * assume_get(m->a, ASSUME_MEASURED_SHARE_BAND) / 1.2816;
    double largest = j->point_count > 0 ? point_gpus(j, j->point_count - 1) : fmax(1, j->base_gpus);
    double beyond =
        n > largest ? log(1.25) * log2(n / largest) : 0; /* x 1.25 for every doubling past what was measured */

    moved += m->base == m->shape->gpu ? 0 : 0.10; /* kernels of another generation */
    return sqrt(repeat * repeat + moved * moved + beyond * beyond);
}

static void fill_memory(const struct measured *m, struct estimate *out) {
    double need = num_known(m->job->vram_gib) ? m->job->vram_gib : 0;

    out->memory_gib = range_exact(need); /* what the owner of the job says it needs */
    out->memory_part_gib[MEMORY_WORKSPACE] = need;
    out->peak_phase = PHASE_MEASURED;
    estimate_set_memory(out, m->shape->vram_gib);
}

static void fill_host(const struct measured *m, struct estimate *out) {
    const double system_gb = 4, environment_gb = 15,
                 moments = 3; /* weights and two moments, as large as the gradients */
    double gpus = m->shape->gpus;

    out->vcpus =
        gpus * (num_known(m->job->vcpus_per_gpu) ? m->job->vcpus_per_gpu : assume_get(m->a, ASSUME_MEASURED_VCPUS));
    out->host_gb = system_gb + gpus * assume_get(m->a, ASSUME_HOST_PROCESS_GB);
    out->state_gb = num_known(m->job->sync_gb) ? moments * m->job->sync_gb : 0;
    out->disk_gb = environment_gb + 2 * out->state_gb;
}

static void fill_step(const struct measured *m, double lost, double n, struct estimate *out) {
    double per_gpu = m->step_s / (m->job->scaling == SCALING_WEAK ? 1 : n);

    out->step_part_s[STEP_COMPUTE] = per_gpu * m->compute;
    out->step_part_s[STEP_MEMORY] = per_gpu * m->memory;
    out->step_part_s[STEP_INPUT] = per_gpu * (m->factor - m->compute - m->memory);
    out->step_part_s[STEP_COMMUNICATION] = per_gpu * m->factor * lost;
    out->step_s = per_gpu * m->factor * (1 + lost);
    out->comm_share = lost / (1 + lost);
    out->steps = out->run_h.expected * 3600 / out->step_s;
    out->limited_by = lost > 0.12              ? m->shape->nodes > 1 ? LIMITED_NETWORK : LIMITED_LINK
                      : m->memory > m->compute ? LIMITED_MEMORY_BANDWIDTH
                                               : LIMITED_COMPUTE;
}

struct reason measured_check(const struct job *j, const struct shape *s, const struct layout *l) {
    (void)j, (void)s;
    if (l->tp * l->pp * l->cp * l->ep * l->replicas != 1 || l->zero != 0) {
        return reason_make(REASON_DIVISIBILITY, "pins", 1, l->tp * l->pp * l->cp * l->ep);
    }
    return reason_make(REASON_NONE, NULL, 0, 0);
}

void measured_estimate(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                       const struct assumptions *a, struct trace *t, struct estimate *out) {
    struct measured m;
    double n = (double)s->gpus * s->nodes, lost, runs = num_known(j->runs) && j->runs > 0 ? j->runs : 1;

    estimate_init(out, s, l);
    out->tokens_per_s = range_exact(NUM_UNKNOWN);
    if (!measured_init(&m, c, j, s, a)) {
        out->reason = reason_make(REASON_CAPABILITY, "base_gpu", 1, 0);
        return;
    }
    lost = overhead(&m);
    out->sigma = sigma_of(&m, n);
    out->run_h = range_lognormal(hours_on_one(&m) * m.factor * (1 + lost) / n * runs, out->sigma);
    fill_memory(&m, out);
    fill_step(&m, lost, n, out);
    fill_host(&m, out);
    trace_add(t, TRACE_MEASURED_FACTOR, m.factor, ASSUME_MEASURED_HOST_SHARE, -1);
    trace_add(t, TRACE_MEASURED_EFFICIENCY, 1 / (1 + lost), ASSUME_MEASURED_SATURATION, ASSUME_MEASURED_OVERLAP, -1);
    trace_add(t, TRACE_RUN_HOURS, out->run_h.expected, -1);
}

void measured_search(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                     struct estimate_set *out) {
    struct layout l = layout_single();
    struct estimate e;

    l.dp = s->gpus * s->nodes;
    measured_estimate(c, j, s, &l, a, NULL, &e);
    out->layouts = 1;
    estimate_set_add(out, &e);
}
