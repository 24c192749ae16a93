/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "limits.h"
#include "pick.h"

static double prior(const struct assumptions *a, enum assume_id first, enum host_class h) {
    return a->v[(unsigned)first + (unsigned)h].expected;
}

/* Lanes are known for three kinds of host; verified marketplaces are counted with data centres. */
static int lanes_row(enum host_class h) {
    return h <= HOST_CLOUD ? 0 : h == HOST_MARKET_UNVERIFIED ? 2 : 1;
}

/* A link that the listing states is doubted less than one we inferred; a measured one not at all. */
static double doubt(const struct assumptions *a, enum provenance source) {
    if (source == PROVENANCE_MEASURED)
        return 0;
    return source == PROVENANCE_DECLARED ? assume_get(a, ASSUME_LINK_DECLARED_DOUBT) : 1;
}

static bool is_fabric(enum link_kind k) {
    return k == LINK_NVSWITCH || k == LINK_NVLINK_MESH || k == LINK_XGMI;
}

static double link_probability(const struct assumptions *a, const struct shape *s, enum link_kind worse,
                               enum host_class h, bool ambiguous) {
    if (is_fabric(s->link)) {
        double as_named =
            prior(a, ASSUME_LINK_SXM_HYPERSCALER, h) * (ambiguous ? prior(a, ASSUME_BARE_SXM_HYPERSCALER, h) : 1);
        return 1 - as_named;
    }
    double p2p = prior(a, ASSUME_LINK_P2P_HYPERSCALER, h);
    double bridge = assume_get(a, h == HOST_HYPERSCALER ? ASSUME_LINK_BRIDGE_HYPERSCALER : ASSUME_LINK_BRIDGE_OTHER);
    return worse == LINK_PCIE ? p2p : 1 - p2p - bridge;
}

static double lanes_probability(const struct assumptions *a, enum worse_kind kind, enum host_class h) {
    unsigned row = (unsigned)lanes_row(h);
    double x16 = a->v[ASSUME_LANES_X16_CLOUD + row].expected, x8 = a->v[ASSUME_LANES_X8_CLOUD + row].expected;
    return kind == WORSE_LANES_8 ? x8 : fmax(1 - x16 - x8, 0);
}

static double probability(const struct question *q, const struct shape *s, const struct worse *w, const struct place *p,
                          const struct offer *f) {
    const struct assumptions *a = q->assumptions;
    switch (w->kind) {
    case WORSE_LINK:
        return doubt(a, (enum provenance)f->link_source) *
               link_probability(a, s, w->link, p->host, f->flags & OFFER_GPU_AMBIGUOUS);
    case WORSE_NETWORK:
        return doubt(a, (enum provenance)f->network_source) * assume_get(a, ASSUME_NETWORK_WORSE);
    default:
        return f->link_source == PROVENANCE_MEASURED ? 0 : lanes_probability(a, w->kind, p->host);
    }
}

/* Finding out and going: what was rented so far, the set-up again elsewhere, and what the next machine costs more. */
static void leave(const struct question *q, const struct place *p, const struct pick *k, const struct runner_up *next,
                  double *usd, double *hours) {
    double look_h = k->cost.setup_h + assume_get(q->assumptions, ASSUME_LEAVE_LOOK_H);
    double again_usd = k->o.nodes * p->rate_usd_h * k->cost.setup_h;
    *usd = cost_rent_usd(p, k->o.nodes, look_h) + again_usd + fmax(next->usd - k->cost.usd.expected, 0);
    *hours = look_h + k->cost.setup_h + fmax(next->hours - k->cost.time_h.expected, 0);
    if (!num_known(next->usd)) /* nowhere to go */
        *usd = *hours = NUM_UNKNOWN;
}

static double lesser(double stay, double go) {
    return num_known(go) ? fmin(stay, go) : stay;
}

static enum risk_grade grade(const struct job *j, const struct pick *k, const struct pick *w) {
    static const double low = 0.05, medium = 0.25; /* more hours or dollars */
    double more =
        fmax(w->cost.usd.expected / k->cost.usd.expected, w->cost.time_h.expected / k->cost.time_h.expected) - 1;
    if (job_is_serving(j) && k->x > 0 && k->y > 0)
        more = fmax(w->x / k->x, w->y / k->y) - 1;
    bool late_only_then = k->cls < RANK_LATE && w->cls >= RANK_LATE;
    if (late_only_then || more >= medium)
        return RISK_HIGH;
    return more < low ? RISK_LOW : RISK_MEDIUM;
}

static bool communicates(const struct pick *k, const struct estimate *e) {
    static const double nothing = 1e-3; /* of a step */
    int replicas = e->layout.replicas > 0 ? e->layout.replicas : 1;
    return k->o.gpus * k->o.nodes > replicas &&
           (e->comm_share > nothing || e->step_part_s[STEP_COMMUNICATION] > nothing * e->step_s);
}

/*
 * What the whole job costs then, over what it costs as claimed. A service's extra is in what its tokens cost; one that carries the load only
 * as claimed needs so many machines more. NUM_UNKNOWN: no number of them does it.
 */
static double stay_ratio(const struct question *q, struct plans *plans, const struct pick *k, const struct pick *w) {
    if (!job_is_serving(q->job) || !(k->x > 0))
        return w->cost.usd.expected / k->cost.usd.expected;
    if (k->cls >= RANK_LATE || w->cls < RANK_LATE)
        return w->x / k->x;
    const struct estimate *e = plans_estimate(plans, &w->o);
    double machines = ceil(e->replicas_needed / e->layout.replicas);
    return num_known(machines) ? fmax(machines, w->x / k->x) : NUM_UNKNOWN;
}

static void weigh(const struct question *q, struct plans *plans, const struct pick *k, const struct pick *w,
                  double chance, double leave_usd, double leave_h, struct risk *out) {
    double ratio = stay_ratio(q, plans, k, w);
    double stay_usd = fmax(ratio - 1, 0) * k->cost.usd.expected;
    if (!num_known(ratio)) /* nobody stays; with nowhere to go the rent is lost */
        stay_usd = num_known(leave_usd) ? leave_usd : k->cost.usd.expected;
    double stay_h = fmax(w->cost.time_h.expected - k->cost.time_h.expected, 0);
    out->expected_extra_usd += chance * lesser(stay_usd, leave_usd);
    out->expected_extra_h += chance * lesser(stay_h, leave_h);
    if (out->worse_link == LINK_NONE || k->cost.usd.expected + stay_usd > out->worse_usd) {
        out->worse_usd = k->cost.usd.expected + stay_usd;
        out->worse_time_h = w->cost.time_h.expected;
    }
    enum risk_grade g = grade(q->job, k, w);
    if (g > out->grade)
        out->grade = g;
}

/* Kinds of one field exclude each other (a link is PCIe or goes through the host); link, lanes and network do not. */
enum { WORSE_FIELDS = 3 };
static int field_of(enum worse_kind k) {
    return k == WORSE_LINK ? 0 : k == WORSE_NETWORK ? 2 : 1;
}

void risk_assess(const struct question *q, struct plans *plans, uint32_t plan, const struct place *p,
                 const struct offer *f, const struct pick *k, const struct runner_up *next, struct risk *out) {
    const struct estimate *e = plans_estimate(plans, &k->o);
    double leave_usd, leave_h;
    *out = (struct risk){.worse_link = LINK_NONE, .worse_time_h = NUM_UNKNOWN, .worse_usd = NUM_UNKNOWN};
    leave(q, p, k, next, &leave_usd, &leave_h);
    out->leave_usd = leave_usd;
    double oom = assume_get(q->assumptions, e->fit == FIT_TIGHT ? ASSUME_OOM_TIGHT : ASSUME_OOM_FITS);
    double attempt_h = k->cost.setup_h + assume_get(q->assumptions, ASSUME_LEAVE_LOOK_H);
    out->expected_extra_usd = oom * (num_known(leave_usd) ? leave_usd : cost_rent_usd(p, k->o.nodes, attempt_h));
    out->expected_extra_h = oom * (num_known(leave_h) ? leave_h : attempt_h);
    if (!communicates(k, e))
        return;
    out->grade = RISK_LOW;
    plans_worse(plans, plan);
    double as_said[WORSE_FIELDS] = {1, 1, 1};
    for (int i = 0; i < plans_at(plans, plan)->worse_count; i++) {
        struct worse w = plans_at(plans, plan)->worse[i];
        if (w.kind == WORSE_NETWORK && k->o.nodes == 1)
            continue;
        double chance = probability(q, &plans_at(plans, plan)->shape, &w, p, f);
        struct pick worse = {0};
        struct reason why;
        if (!(chance > 0) || !pick_best(q, plans, w.plan, p, &worse, &why))
            continue;
        as_said[field_of(w.kind)] -= chance;
        double before = out->worse_usd;
        weigh(q, plans, k, &worse, chance, leave_usd, leave_h, out);
        if (!num_known(before) || out->worse_usd > before)
            out->worse_link = w.link;
    }
    out->probability_worse = 1;
    for (int i = 0; i < WORSE_FIELDS; i++)
        out->probability_worse *= fmax(as_said[i], 0);
    out->probability_worse = 1 - out->probability_worse;
}

static void add_reason(struct risk *r, enum risk_reason reason, bool applies) {
    if (applies && r->reason_count < RISK_MAX_REASONS)
        r->reasons[r->reason_count++] = (int)reason;
}

static void add_question(struct risk *r, enum risk_question question, bool applies) {
    if (applies && r->ask_count < RISK_MAX_ASK)
        r->ask[r->ask_count++] = (int)question;
}

static void explain_reasons(const struct question *q, const struct plan *plan, const struct place *p,
                            const struct offer *f, const struct pick *k, struct risk *out) {
    const struct shape *s = &plan->shape;
    bool matters = out->grade > RISK_NONE;
    bool lanes = false;
    for (int i = 0; i < plan->worse_count; i++)
        lanes |= plan->worse[i].kind == WORSE_LANES_8 || plan->worse[i].kind == WORSE_LANES_4;
    bool late_if_worse = num_known(q->job->deadline_h) && k->cls < RANK_LATE && out->worse_time_h > q->job->deadline_h;
    add_reason(out, RISK_DEADLINE_ONLY_AS_CLAIMED, matters && late_if_worse);
    add_reason(out, RISK_LINK_UNKNOWN, matters && (s->link == LINK_UNKNOWN || f->link_source == PROVENANCE_UNKNOWN));
    add_reason(out, RISK_LINK_ASSUMED, matters && f->link_source == PROVENANCE_ASSUMED);
    add_reason(out, RISK_LINK_INFERRED, matters && f->link_source == PROVENANCE_INFERRED && s->link != LINK_UNKNOWN);
    add_reason(out, RISK_AMBIGUOUS_GPU, f->flags & OFFER_GPU_AMBIGUOUS);
    add_reason(out, RISK_NO_P2P, matters && s->gpu->geforce && s->link == LINK_PCIE_HOST);
    add_reason(out, RISK_NARROW_LANES, matters && lanes);
    add_reason(out, RISK_NETWORK_UNKNOWN,
               k->o.nodes > 1 && (s->network == NETWORK_UNKNOWN || f->network_source >= PROVENANCE_ASSUMED));
    add_reason(out, RISK_SPOT, p->interruptible);
    add_reason(out, RISK_TIGHT_MEMORY, k->o.fit == FIT_TIGHT);
    static const double margin = 1.2; /* a contract that ends at the expected hour ends too early half of the time */
    add_reason(out, RISK_CONTRACT_ENDS,
               num_known(p->max_duration_h) && p->max_duration_h < margin * k->cost.time_h.expected);
    add_reason(out, RISK_UNVERIFIED_HOST, p->host == HOST_MARKET_UNVERIFIED);
    add_reason(out, RISK_STALE, f->flags & OFFER_STALE);
}

/* Only questions whose answer could change this decision; those that move most money first. */
static void explain_questions(const struct question *q, const struct plan *plan, const struct place *p,
                              const struct offer *f, const struct pick *k, const struct estimate *e, struct risk *out) {
    add_question(out, ASK_TOPOLOGY, out->grade >= RISK_MEDIUM);
    add_question(out, ASK_NETWORK, k->o.nodes > 1);
    add_question(out, ASK_ALL_FREE, p->interruptible || f->available != TRI_YES || out->grade == RISK_HIGH);
    add_question(out, ASK_RATE_FOR_ALL, plan->shape.gpus > 1 && (f->rate_basis != RATE_MACHINE || p->market));
    add_question(out, ASK_HOST,
                 (!num_known(p->ram_gb) && e->host_gb > 0) || (!num_known(p->cpu_cores) && e->vcpus > 0));
    static const double big_gb = 100; /* an hour at 0.2 Gbit/s */
    add_question(out, ASK_STORAGE,
                 e->load_gb + (num_known(q->job->dataset_gb) ? q->job->dataset_gb : 0) > big_gb ||
                     (p->market && !num_known(p->disk_gb)));
    add_question(out, ASK_DRIVER, num_known(q->job->cuda_min) && !num_known(p->cuda_max));
    add_question(out, ASK_RATE_FOR_ALL, out->ask_count == 0);
}

void risk_explain(const struct question *q, const struct plan *plan, const struct place *p, const struct offer *f,
                  const struct pick *k, const struct estimate *e, struct risk *out) {
    out->reason_count = out->ask_count = 0;
    explain_reasons(q, plan, p, f, k, out);
    explain_questions(q, plan, p, f, k, e, out);
}
