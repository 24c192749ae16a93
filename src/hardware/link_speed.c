/* SPDX-License-Identifier: MIT */
/* What a link or network of such cards reaches: a row of links.csv, scaled to the card, the count and the lanes. */
#include <math.h>

#include "gpuplan/base/num.h"
#include "hardware/catalog_private.h"

/*
 * In-switch reduction (all-reduce only): from how many GPUs NCCL chooses it, and what each GPU short of 8 costs.
 * Measured 414/436/460/473 GB/s at 5/6/7/8 H200 and 778/811/838 at 6/7/8 B200 (stas00/ml-engineering).
 */
enum { IN_SWITCH_FROM_NVLINK4 = 5, IN_SWITCH_FROM_NVLINK5 = 6, FULL_BOARD = 8 };
static const double in_switch_per_missing_gpu = 0.04;

enum { FULL_LANES = 16, PCIE_GEN_FIRST = 3, PCIE_GEN_LAST = 5 }; /* the table's rows */

/* Row of this kind: generation and links as given (0 in the row = any), then the smallest count that holds n. */
static const struct link_data *find_row(const struct catalog *c, bool network, int kind, int gen, int links, double n) {
    const struct link_data *best = NULL;
    for (size_t i = 0; i < c->link_count; i++) {
        const struct link_data *d = &c->links[i];
        if (d->network != network || d->kind != kind || (d->gen != 0 && d->gen != gen) ||
            (d->links != 0 && d->links != links))
            continue;
        if (best == NULL) {
            best = d;
            continue;
        }
        if ((d->links != 0) != (best->links != 0)) { /* a row for exactly this part goes first */
            if (d->links != 0)
                best = d;
            continue;
        }
        bool holds = d->up_to >= n, best_holds = best->up_to >= n;
        if (holds != best_holds ? holds : holds ? d->up_to < best->up_to : d->up_to > best->up_to)
            best = d;
    }
    return best;
}

static double latency(const struct link_data *d, int n) {
    double at = log2(n) - 1; /* 0, 1, 2 at 2, 4, 8 GPUs */
    if (at <= 0)
        return d->latency_s[0];
    int i = at < 1 ? 0 : 1;
    return d->latency_s[i] + (d->latency_s[i + 1] - d->latency_s[i]) * (at - i);
}

static int pcie_gen_of(const struct gpu *g, int stated) {
    int own = g->pcie_gen > 0 ? g->pcie_gen : PCIE_GEN_FIRST;
    int gen = stated > 0 && stated < own ? stated : own;
    return gen < PCIE_GEN_FIRST ? PCIE_GEN_FIRST : gen > PCIE_GEN_LAST ? PCIE_GEN_LAST : gen;
}

/* Share of the x16 figures of that generation; an older slot than the table's oldest halves with each generation. */
static double pcie_share(const struct gpu *g, int gen_stated, int lanes_stated) {
    int own = g->pcie_lanes > 0 ? g->pcie_lanes : FULL_LANES;
    int lanes = lanes_stated > 0 && lanes_stated < own ? lanes_stated : own;
    double share = fmin(1, (double)lanes / FULL_LANES);
    for (int gen = gen_stated; gen > 0 && gen < PCIE_GEN_FIRST; gen++)
        share /= 2;
    return share;
}

static bool over_pcie(enum link_kind kind) {
    return kind == LINK_PCIE || kind == LINK_PCIE_HOST;
}

static double card_share(const struct link_data *d, const struct gpu *g, enum link_kind kind, int n) {
    double own = gpu_nvlink_gbs(g);
    double share = d->nominal_gbs > 0 && own > 0 ? own / d->nominal_gbs : 1;
    if (kind == LINK_XGMI && g->nvlink_links > 0) /* each pair has its own links: k GPUs reach k - 1 of them */
        share *= fmin(1, (n - 1.0) / g->nvlink_links);
    return share;
}

/* Ranges of the row for this card; all-reduce falls back to the ring where the switch does not reduce. */
static void scale_row(struct link_speed *s, const struct link_data *d, const struct gpu *g, enum link_kind kind, int n,
                      double share) {
    s->ring_gbs = range_scale(d->row.ring_gbs, share);
    s->allreduce_gbs = range_scale(d->row.allreduce_gbs, share);
    if (kind != LINK_NVSWITCH || d->row.allreduce_gbs.expected <= d->row.ring_gbs.expected)
        return;
    if (n < (g->nvlink_gen <= 4 ? IN_SWITCH_FROM_NVLINK4 : IN_SWITCH_FROM_NVLINK5)) {
        s->allreduce_gbs = s->ring_gbs;
    } else if (n < FULL_BOARD) {
        double k = 1 - in_switch_per_missing_gpu * (FULL_BOARD - n);
        s->allreduce_gbs.expected = fmax(s->ring_gbs.expected, k * s->allreduce_gbs.expected);
        s->allreduce_gbs.high = fmax(s->ring_gbs.high, k * s->allreduce_gbs.high);
    }
}

static void cap(struct range *r, double limit) {
    if (limit < r->expected)
        *r = range_scale(*r, limit / r->expected);
    r->high = fmin(r->high, fmax(limit, r->expected));
}

struct link_speed link_speed(const struct catalog *c, const struct gpu *g, enum link_kind kind, int n,
                             double gbs_stated, int pcie_gen, int pcie_lanes) {
    struct link_speed s = {.source = "none"};
    if (n < 2)
        return s;
    /*
     * Peer-to-peer of GeForce is not possible as sold, but it is one of the cases that risk weighs: it has a
     * speed.
     */
    bool patched = kind == LINK_PCIE && g->geforce;
    if (kind == LINK_UNKNOWN || (!patched && !link_possible(g, kind, n)))
        kind = link_worst(g, n);
    bool leaves_pair = kind == LINK_NVLINK_BRIDGE && n > 2;
    enum link_kind ring_kind = !leaves_pair ? kind : LINK_PCIE_HOST;
    int gen = over_pcie(ring_kind) ? pcie_gen_of(g, pcie_gen) : g->nvlink_gen;
    const struct link_data *d = find_row(c, false, ring_kind, gen, g->nvlink_links, n);
    if (d == NULL)
        return s;
    double share = over_pcie(ring_kind) ? pcie_share(g, pcie_gen, pcie_lanes) : card_share(d, g, kind, n);
    scale_row(&s, d, g, kind, n, share);
    s.latency_s = latency(d, n);
    s.pair_gbs = s.ring_gbs.expected;
    s.source = d->row.key;
    if (leaves_pair) {
        struct link_speed pair = link_speed(c, g, kind, 2, gbs_stated, pcie_gen, pcie_lanes);
        s.pair_gbs = pair.ring_gbs.expected;
    } else if (num_known(gbs_stated) && gbs_stated > 0) {
        if (gbs_stated < s.allreduce_gbs.expected)
            s.source = "declared";
        cap(&s.ring_gbs, gbs_stated);
        cap(&s.allreduce_gbs, gbs_stated);
        s.pair_gbs = s.ring_gbs.expected;
    }
    return s;
}

/*
 * Gbit/s of a node when only the kind is known: what is usual beside such GPUs (judgement; V100 100, A100 1600,
 * Hopper 3200 in published runs).
 */
static double usual_gbps(enum network_kind kind, const struct gpu *g) {
    static const double efa_small = 100, volta = 100, ampere = 1600, hopper = 3200, ampere_efa = 400, ethernet = 10;
    if (kind == NETWORK_ETHERNET || kind == NETWORK_UNKNOWN)
        return ethernet;
    bool board = g->form == GPU_FORM_SXM || g->form == GPU_FORM_OAM || g->form == GPU_FORM_SUPERCHIP;
    if (!board)
        return efa_small;
    if (g->family == GPU_FAMILY_VOLTA || g->family == GPU_FAMILY_PASCAL)
        return volta;
    if (g->family == GPU_FAMILY_GA100)
        return kind == NETWORK_EFA ? ampere_efa : ampere;
    return hopper;
}

struct network_speed network_speed(const struct catalog *c, enum network_kind kind, double gbps, const struct gpu *g) {
    struct network_speed s = {.source = "none"};
    if (kind == NETWORK_NONE || (unsigned)kind >= NETWORK_COUNT)
        return s;
    if (!num_known(gbps) || gbps <= 0)
        gbps = usual_gbps(kind, g);
    const struct link_data *d = find_row(c, true, kind, 0, 0, gbps);
    if (d == NULL)
        return s;
    s.node_gbs = range_scale(d->row.ring_gbs, gbps / 8);
    s.latency_s = d->latency_s[0];
    s.source = d->row.key;
    return s;
}
