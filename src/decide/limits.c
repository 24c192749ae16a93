/* SPDX-License-Identifier: MIT */
#include "limits.h"

#include <string.h>

#include "gpuplan/base/text.h"
#include "gpuplan/decide/filter.h"

static struct reason refuse(enum reason_code code, double need, double have, const char *what) {
    return (struct reason){code, need, have, what};
}

static const struct reason fine = {REASON_NONE, NUM_UNKNOWN, NUM_UNKNOWN, ""};

/* "us, eu-west": any of the words stands in the offer's region. */
static bool region_matches(const char *wanted, const char *region) {
    while (*wanted) {
        size_t len = strcspn(wanted, ", ");
        char word[96];
        if (len > 0 && len < sizeof word) {
            memcpy(word, wanted, len);
            word[len] = '\0';
            if (text_contains_fold(region, word))
                return true;
        }
        wanted += len + (wanted[len] != '\0');
    }
    return false;
}

static bool is_spot(const struct offer *f) {
    return f->rate_kind == RATE_SPOT || f->rate_kind == RATE_BID_FLOOR;
}

static struct reason check_policy(const struct job *j, const struct offers *o, const struct offer *f) {
    if (is_spot(f) && j->spot == SPOT_NO)
        return refuse(REASON_FILTERED, NUM_UNKNOWN, NUM_UNKNOWN, "spot");
    if (!is_spot(f) && j->spot == SPOT_ONLY)
        return refuse(REASON_FILTERED, NUM_UNKNOWN, NUM_UNKNOWN, "spot_only");
    if (j->regions[0] && !region_matches(j->regions, offers_text(o, f->region)))
        return refuse(REASON_FILTERED, NUM_UNKNOWN, NUM_UNKNOWN, "regions");
    return fine;
}

struct reason limits_offer(const struct question *q, const struct offer *f) {
    if (f->flags & OFFER_SUMMARY_ROW)
        return refuse(REASON_UNAVAILABLE, NUM_UNKNOWN, NUM_UNKNOWN, "summary");
    if (f->flags & OFFER_EXPIRED)
        return refuse(REASON_UNAVAILABLE, NUM_UNKNOWN, NUM_UNKNOWN, "expired");
    if (f->available == TRI_NO)
        return refuse(REASON_UNAVAILABLE, NUM_UNKNOWN, NUM_UNKNOWN, "available");
    if (q->filter && !filter_match(q->filter, q->catalog, q->offers, f))
        return refuse(REASON_FILTERED, NUM_UNKNOWN, NUM_UNKNOWN, "filter");
    struct reason r = check_policy(q->job, q->offers, f);
    if (r.code != REASON_NONE)
        return r;
    if (f->rate_microusd <= 0 || f->flags & OFFER_COMPONENT_PART)
        return refuse(REASON_PRICE_MISSING, NUM_UNKNOWN, NUM_UNKNOWN,
                      f->flags & OFFER_COMPONENT_PART ? "host_price" : "rate");
    if (f->flags & OFFER_CURRENCY_UNKNOWN) /* a number of euros or yuan is not one of dollars */
        return refuse(REASON_PRICE_MISSING, NUM_UNKNOWN, NUM_UNKNOWN, "currency");
    if (f->gpu < 0)
        return refuse(REASON_CAPABILITY, NUM_UNKNOWN, NUM_UNKNOWN, "gpu");
    if (catalog_gpu(q->catalog, (size_t)f->gpu)->cls != GPU_CLASS_GPU)
        return refuse(REASON_CAPABILITY, NUM_UNKNOWN, NUM_UNKNOWN, "accelerator");
    return fine;
}

struct reason limits_host(const struct job *j, const struct place *p, const struct estimate *e) {
    double ram = num_known(j->min_ram_gb) && j->min_ram_gb > e->host_gb ? j->min_ram_gb : e->host_gb;
    if (num_known(p->ram_gb) && p->ram_gb < ram)
        return refuse(REASON_HOST_MEMORY, ram, p->ram_gb, "host_gb");
    double disk = cost_disk_gb(j, e);
    if (num_known(p->disk_gb) && p->disk_gb < disk)
        return refuse(REASON_DISK, disk, p->disk_gb, "disk_gb");
    if (num_known(j->cuda_min) && num_known(p->cuda_max) && p->cuda_max < j->cuda_min)
        return refuse(REASON_CAPABILITY, j->cuda_min, p->cuda_max, "cuda");
    return fine;
}

/* The deadline is over the run: the wait for access counts, and a service is never late. */
enum limit_state limits_deadline(const struct job *j, const struct cost *c) {
    if (!num_known(j->deadline_h) || job_is_serving(j))
        return LIMIT_NONE;
    return c->access_h + c->time_h.expected <= j->deadline_h ? LIMIT_MET : LIMIT_MISSED;
}

enum limit_state limits_budget(const struct job *j, const struct cost *c) {
    if (!num_known(j->budget_usd))
        return LIMIT_NONE;
    return c->usd.expected <= j->budget_usd ? LIMIT_MET : LIMIT_MISSED;
}

enum rank_class limits_class(const struct job *j, const struct estimate *e, const struct cost *c) {
    if (e->fit == FIT_NO)
        return RANK_REFUSED;
    bool serves = !job_is_serving(j) || (e->targets_met && !e->overloaded);
    if (!serves || !c->viable || limits_deadline(j, c) == LIMIT_MISSED || limits_budget(j, c) == LIMIT_MISSED)
        return RANK_LATE;
    return e->fit == FIT_FITS ? RANK_FITS : RANK_TIGHT;
}
