/* SPDX-License-Identifier: MIT */
/*
 * Collectives. Ranks stand in the usual order: tensor groups side by side, then context, then data, pipeline stages farthest
 * apart. A message below some size does not reach the link's rate: W S / (S + S_half), S_half given as a time at full rate.
 */
#include <math.h>
#include <string.h>

#include "training.h"

static const double micro = 1e-6;

/* Rings of different groups share PCIe switches and the host bridge, so the whole node counts there. */
static int ring_size(const struct training *t, int n) {
    switch (t->shape->link) {
    case LINK_PCIE:
    case LINK_PCIE_HOST:
    case LINK_UNKNOWN:
        return t->shape->gpus;
    case LINK_NVLINK_BRIDGE:
        return n == 2 ? 2 : t->shape->gpus;
    default:
        return n;
    }
}

static const struct group_speed *speed_of(struct training *t, int ranks) {
    int n = ring_size(t, ranks);
    int slot = n < SPEED_CACHE ? n : SPEED_CACHE - 1;
    struct group_speed *g = &t->speed[slot];

    if (!g->known) {
        const struct shape *s = t->shape;
        struct link_speed l =
            link_speed(t->catalog, s->gpu, s->link, n < 2 ? 2 : n, s->link_gbs, s->pcie_gen, s->pcie_lanes);
        double ring =
            n == 2 && s->link == LINK_NVLINK_BRIDGE ? fmax(l.pair_gbs, l.ring_gbs.expected) : l.ring_gbs.expected;
        g->known = true;
        g->ring = fmax(ring, 0.1) * NUM_GB;
        g->allreduce = fmax(fmax(l.allreduce_gbs.expected, ring), 0.1) * NUM_GB;
        g->latency_s = l.latency_s;
    }
    return g;
}

struct span training_span(const struct training *t, int ranks, int stride) {
    int per_node = t->shape->gpus;
    int inside = stride >= per_node ? 1 : per_node / stride;
    struct span g = {.inside = ranks, .nodes = 1, .nic_share = 1};

    if (ranks > inside && t->shape->nodes > 1) {
        g.inside = inside;
        g.nodes = (ranks + inside - 1) / inside;
        g.nic_share =
            1.0 / (stride < per_node ? stride : per_node); /* so many such groups leave the node side by side */
    }
    return g;
}

double training_ring_bw(struct training *t, struct span g) {
    double inside = g.inside > 1 ? speed_of(t, g.inside)->ring : INFINITY;

    /* One ring through the nodes passes each NIC once, so a GPU's own share of the NICs is what it sees. */
    return g.nodes > 1 ? fmin(inside, t->node_bw * g.nic_share / g.inside) : inside;
}

static double ramp(double bytes, double rate, double half_us) {
    return 1 + rate * half_us * micro / bytes;
}

static double network_step(const struct training *t, int nodes) {
    return nodes > 1 ? assume_get(t->a, ASSUME_TRAIN_NETWORK_STEP_US) * micro * log2(nodes) : 0;
}

double training_gather(struct training *t, struct span g, double bytes) {
    double ranks = (double)g.inside * g.nodes;
    double time = 0;

    if (ranks < 2 || bytes <= 0) {
        return 0;
    }
    if (g.inside > 1) {
        double w = speed_of(t, g.inside)->ring;
        time = (ranks - 1) / ranks * bytes / w * ramp(bytes, w, assume_get(t->a, ASSUME_TRAIN_RAMP_RING_US));
    }
    if (g.nodes > 1) {
        double w = t->node_bw * g.nic_share;
        double k = g.nodes;
        time = fmax(time, (k - 1) / k * bytes / w * ramp(bytes, w, assume_get(t->a, ASSUME_TRAIN_RAMP_NETWORK_US)));
    }
    return time + network_step(t, g.nodes) + 15 * micro; /* 15 us: one small ring call on an NVSwitch node */
}

double training_allreduce(struct training *t, struct span g, double bytes) {
    double ranks = (double)g.inside * g.nodes;
    double time = 0;

    if (ranks < 2 || bytes <= 0) {
        return 0;
    }
    if (g.inside > 1) {
        const struct group_speed *s = speed_of(t, g.inside);
        double n = g.inside;
        time = 2 * (n - 1) / n * bytes / s->allreduce *
                   ramp(bytes, s->allreduce, assume_get(t->a, ASSUME_TRAIN_RAMP_ALLREDUCE_US)) +
               s->latency_s;
    }
    if (g.nodes > 1) {
        double w = t->node_bw * g.nic_share;
        double k = g.nodes;
        time = fmax(time, 2 * (k - 1) / k * bytes / w * ramp(bytes, w, assume_get(t->a, ASSUME_TRAIN_RAMP_NETWORK_US)));
    }
    return time + network_step(t, g.nodes);
}

/*
 * Stages follow each other through the nodes; the slowest of their borders sets the pace. Where one lies between two nodes, all
 * ranks of the stage before it, at most a node of them, send at once.
 */
double training_p2p(struct training *t, int stride, int stages, double bytes) {
    if (t->shape->nodes > 1 && stride * stages > t->shape->gpus) {
        double w = t->node_bw / (stride < t->shape->gpus ? stride : t->shape->gpus);
        return bytes / w + t->network_latency_s;
    }
    return bytes / speed_of(t, 2)->ring + 12 * micro; /* 12 us: a small copy between two GPUs */
}
