/* SPDX-License-Identifier: MIT */
#include "place.h"

#include <math.h>

static const double hours_per_month = 730; /* 365.25 x 24 / 12, as providers bill */

static double first_known(double a, double b) {
    return num_known(a) ? a : b;
}

static double or_zero(double x) {
    return num_known(x) ? x : 0;
}

static const struct range *by_class(const struct assumptions *a, enum assume_id first, enum host_class h) {
    return &a->v[(unsigned)first + (unsigned)h];
}

static void set_rates(const struct provider *p, const struct offer_extra *x, struct place *out) {
    out->billing_step_h = first_known(x->billing_step_s, first_known(p->billing_step_s, 1)) / 3600;
    out->min_charge_h = fmax(or_zero(p->min_charge_h), or_zero(x->min_hours));
    double month = first_known(x->disk_usd_gb_month, or_zero(p->disk_usd_gb_month));
    out->disk_usd_gb_h = month / hours_per_month;
    out->ingress_usd_gb = or_zero(x->ingress_usd_gb);
    out->egress_usd_gb = first_known(x->egress_usd_gb, or_zero(p->egress_usd_gb));
    out->stopped_usd_h = x->stopped_usd_h;
    out->upfront_usd = or_zero(x->upfront_usd);
}

/* A reserved rate binds for its term, whether the machine works or not. */
static void set_term(const struct assumptions *a, const struct offer_extra *x, struct place *out) {
    out->prepaid_h =
        out->kind == RATE_RESERVED ? first_known(x->term_h, assume_get(a, ASSUME_COST_RESERVED_TERM_H)) : 0;
}

static void set_speeds(const struct assumptions *a, const struct provider *p, const struct offer *f,
                       const struct offer_extra *x, struct place *out) {
    static const double gbs_per_gbps = 0.125, gbs_per_mbps = 1.25e-4;
    const struct range *prior = by_class(a, ASSUME_COST_INET_HYPERSCALER, out->host);
    double gbs = num_known(x->inet_down_mbps) ? x->inet_down_mbps * gbs_per_mbps : p->inet_gbps * gbs_per_gbps;
    struct range raw = num_known(gbs) ? range_exact(gbs) : range_scale(*prior, gbs_per_gbps);
    const struct range *share = &a->v[ASSUME_COST_INET_SHARE], *cap = &a->v[ASSUME_COST_INET_CAP_MBS];
    out->download_gbs.low = fmin(raw.low * share->low, cap->low / 1000);
    out->download_gbs.expected = fmin(raw.expected * share->expected, cap->expected / 1000);
    out->download_gbs.high = fmin(raw.high * share->high, cap->high / 1000);
    double up = num_known(x->inet_up_mbps) ? x->inet_up_mbps * gbs_per_mbps * share->expected
                                           : out->download_gbs.expected * assume_get(a, ASSUME_COST_UPLOAD_SHARE);
    out->upload_gbs = fmin(up, cap->expected / 1000);

    bool local = out->market || f->disk_local_gb > 0;
    double load = assume_get(a, local                           ? ASSUME_COST_LOAD_LOCAL_GBS
                                : out->host == HOST_HYPERSCALER ? ASSUME_COST_LOAD_BLOCK_GBS
                                                                : ASSUME_COST_LOAD_VOLUME_GBS);
    out->load_gbs = x->disk_mbs > 0 ? x->disk_mbs / 1000 : load;
    out->write_gbs = fmin(assume_get(a, ASSUME_CHECKPOINT_WRITE_GBS), out->load_gbs);
}

static void set_boot(const struct assumptions *a, const struct provider *p, struct place *out) {
    struct range boot = a->v[ASSUME_COST_BOOT_MIN];
    if (num_known(p->boot_min)) {
        boot.expected = p->boot_min;
        boot.low = fmin(first_known(p->boot_min_low, p->boot_min), p->boot_min);
        boot.high = fmax(first_known(p->boot_min_high, p->boot_min), p->boot_min);
    }
    out->boot_h = range_scale(boot, 1 / 60.0);
}

static void set_host(const struct offer *f, const struct offer_extra *x, struct place *out) {
    out->ram_gb = f->flags & OFFER_RAM_SUSPECT ? NUM_UNKNOWN : (double)f->ram_gb;
    out->cpu_cores = (double)f->cpu_cores;
    double local = (double)f->disk_local_gb, persist = x->disk_persist_gb;
    bool either = num_known(local) || num_known(persist);
    out->disk_free_gb = either ? fmax(or_zero(local), or_zero(persist)) : NUM_UNKNOWN;
    /* A marketplace host sells the disk it has; elsewhere a volume can be attached. */
    out->disk_gb = out->market ? out->disk_free_gb : NUM_UNKNOWN;
    out->max_duration_h = x->max_duration_h;
    out->cuda_max = x->cuda_max;
}

static double access_wait(const struct assumptions *a, const struct offer *f) {
    static const enum assume_id waits[ACCESS_COUNT] = {[ACCESS_QUOTA] = ASSUME_ACCESS_QUOTA_H,
                                                       [ACCESS_WAITLIST] = ASSUME_ACCESS_WAITLIST_H,
                                                       [ACCESS_SALES] = ASSUME_ACCESS_SALES_H};
    enum access_kind k = f->access < ACCESS_COUNT ? (enum access_kind)f->access : ACCESS_UNKNOWN;
    return k == ACCESS_UNKNOWN || k == ACCESS_NOW ? 0 : assume_get(a, waits[k]);
}

/* A marketplace host states how often it stays up over a day: r = exp(-24 / M). */
static void set_failures(const struct assumptions *a, const struct offer_extra *x, struct place *out) {
    out->interruptible = out->kind == RATE_SPOT || out->kind == RATE_BID_FLOOR;
    if (out->interruptible) {
        out->mtbf_h = a->v[ASSUME_MTBF_SPOT];
        out->restart_h = range_scale(a->v[ASSUME_RESTART_SPOT_MIN], 1 / 60.0);
        return;
    }
    out->mtbf_h = *by_class(a, ASSUME_MTBF_HYPERSCALER, out->host);
    out->restart_h = range_scale(a->v[ASSUME_RESTART_MIN], 1 / 60.0);
    double r = x->reliability;
    if (r > 0 && r < 1) {
        double stated = -24 / log(r);
        out->mtbf_h = range_scale(out->mtbf_h, stated / out->mtbf_h.expected);
    }
}

bool place_make(const struct question *q, const struct provider *p, const struct offer *f, struct place *out) {
    const struct offer_extra *x = offer_extra(q->offers, f);
    if (f->rate_microusd <= 0)
        return false;
    out->host = f->host_class < HOST_CLASS_COUNT ? (enum host_class)f->host_class : p->host_class;
    out->market = out->host >= HOST_MARKET_DC;
    out->rate_usd_h = (double)f->rate_microusd / 1e6;
    out->kind = (enum rate_kind)f->rate_kind;
    set_rates(p, x, out);
    set_term(q->assumptions, x, out);
    set_speeds(q->assumptions, p, f, x, out);
    set_boot(q->assumptions, p, out);
    set_host(f, x, out);
    set_failures(q->assumptions, x, out);
    out->access_h = access_wait(q->assumptions, f);
    return true;
}
