/* SPDX-License-Identifier: MIT */
/* One layout: the products of a layer on one rank, KV bytes, collectives. Made once a layout. */
#include <math.h>
#include <string.h>

#include "inference.h"

static struct infer_gemm product(const struct infer *e, double columns, double depth, double rate, double bytes,
                                 double stream, double n0) {
    return (struct infer_gemm){
        .compute = 2 * (columns + n0) * (depth + e->gemm_k0) / rate,
        .read = columns * depth * bytes / stream,
        .share = 1,
    };
}

static void add_product(struct infer_split *p, const struct infer *e, double columns, double depth, double share) {
    if (p->gemms < INFER_GEMMS && columns > 0 && depth > 0 && share > 0) {
        struct infer_gemm g = product(e, columns, depth, e->layer_rate, e->layer_bytes, e->layer_stream, e->gemm_n0);
        g.share = share;
        p->gemm[p->gemms++] = g;
    }
}

/* Grouped-query attention: K and V heads are copied when there are more ranks than heads. */
static void add_attention(struct infer_split *p, const struct infer *e) {
    const struct model *m = e->model;
    double d = m->head_dim, heads = m->heads / p->tp, kv = fmax(1, m->kv_heads / p->tp);

    add_product(p, e, (heads + 2 * kv) * d, m->hidden, 1);
    add_product(p, e, m->hidden, heads * d, 1);
    p->attention_layer = 4 * heads * d;
    p->scores_layer = heads;
}

/* Compressed attention: the latent is made on every rank, heads are divided; while decoding, queries are mapped into the latent. */
static void add_latent_attention(struct infer_split *p, const struct infer *e) {
    const struct model *m = e->model;
    double heads = m->heads / p->tp, latent = m->mla_rank + m->mla_rope_dim;
    double nope = m->mla_nope_dim > 0 ? m->mla_nope_dim : m->head_dim;
    double value = m->mla_v_dim > 0 ? m->mla_v_dim : m->head_dim;
    double query = heads * (nope + m->mla_rope_dim);

    add_product(p, e, latent + m->mla_q_rank, m->hidden, 1);
    add_product(p, e, query, m->mla_q_rank > 0 ? m->mla_q_rank : m->hidden, 1);
    add_product(p, e, heads * (nope + value), m->mla_rank, 1);
    add_product(p, e, m->hidden, heads * value, 1);
    p->attention_layer = 2 * heads * (nope + m->mla_rope_dim + value);
    p->scores_layer = heads;
    p->kv_compute_layer = 2 * heads * (latent + m->mla_rank);
}

static void add_mlp(struct infer_split *p, const struct infer *e, double width, double share) {
    double up = e->model->gated ? 2 : 1;

    add_product(p, e, up * width / p->tp, e->model->hidden, share);
    add_product(p, e, e->model->hidden, width / p->tp, share);
}

static void add_experts(struct infer_split *p, const struct infer *e) {
    const struct model *m = e->model;
    double width = m->expert_ffn / p->tp, up = m->gated ? 2 : 1;

    p->expert[0] = product(e, up * width, m->hidden, e->expert_rate, e->layer_bytes, e->layer_stream, e->gemm_n0);
    p->expert[1] = product(e, m->hidden, width, e->expert_rate, e->layer_bytes, e->layer_stream, e->gemm_n0);
    /* the busiest rank holds the others up */
    p->experts_here = p->dpa > 1 ? fmin(1, assume_get(e->a, ASSUME_INFER_EXPERT_IMBALANCE) / p->dpa) : 1;
}

static void init_products(struct infer_split *p, const struct infer *e) {
    const struct model *m = e->model;
    bool mixture = m->experts > 0;
    double dense = mixture ? fmin(1, (double)m->dense_layers / m->layers) : 1;

    p->expert_layers = 1 - dense;
    if (m->mla_rank > 0) {
        add_latent_attention(p, e);
    } else {
        add_attention(p, e);
    }
    add_mlp(p, e, m->ffn, dense);
    if (mixture) {
        add_mlp(p, e, m->shared_ffn, p->expert_layers);
        add_experts(p, e);
    }
    /* with data-parallel attention every rank has the whole head for its own sequences */
    p->head = product(e, m->vocab / p->tp, m->hidden, e->head_rate, e->head_bytes, e->head_stream, e->gemm_n0_head);
}

/* Values a token writes and reads between the products: norms and residuals, rotations, activation, routing copies. */
static void init_values(struct infer_split *p, const struct infer *e) {
    const struct model *m = e->model;
    const struct assumptions *a = e->a;
    double dense = 1 - p->expert_layers;
    double qkv = (m->heads + 2.0 * m->kv_heads) * m->head_dim / p->tp;
    double ffn = (m->ffn * dense + m->shared_ffn * p->expert_layers) / p->tp;
    double routed = p->expert_layers * m->experts_active * (m->hidden + m->expert_ffn) / p->tp;
    double values =
        assume_get(a, ASSUME_INFER_ELEMENTWISE_HIDDEN) * m->hidden + assume_get(a, ASSUME_INFER_ELEMENTWISE_QKV) * qkv +
        assume_get(a, ASSUME_INFER_ELEMENTWISE_FFN) * ffn + assume_get(a, ASSUME_INFER_ELEMENTWISE_EXPERT) * routed;

    p->value_layer_s = 2 * values / e->value_stream;
}

static void init_kv(struct infer_split *p, const struct infer *e) {
    double whole = model_kv_bytes_per_token_gpu(e->model, e->kv_bytes, (int)p->tp, 1);

    p->kv_read_layer = whole / e->model->layers;
    p->kv_token = p->kv_read_layer * p->layers;
}

/* Weights that stay in host memory come over PCIe in every pass. */
static void init_offload(struct infer_split *p, const struct infer *e) {
    double lanes_gbs = shape_pcie_gbs(e->shape), pcie4_gbs = 31.5; /* 16 lanes of generation 4, raw */

    p->offload_s = p->offloaded_bytes / (assume_get(e->a, ASSUME_INFER_OFFLOAD_PCIE) * NUM_GB * lanes_gbs / pcie4_gbs);
}

void infer_split_init(struct infer_split *p, const struct infer *e, const struct layout *l) {
    memset(p, 0, sizeof *p);
    p->layout = *l;
    p->tp = l->tp;
    p->pp = l->pp;
    p->dpa = l->ep > 1 && l->dp == l->ep ? l->dp : 1;
    p->ranks = p->tp * p->dpa;
    p->replicas = (double)l->replicas * l->dp / p->dpa;
    p->layers = ceil(e->model->layers / p->pp);
    init_products(p, e);
    init_values(p, e);
    init_kv(p, e);
    infer_split_link(p, e);
    infer_split_memory(p, e);
    init_offload(p, e);
}

/* ---- collectives ---- */

/* Bandwidth of an all-reduce inside a serving engine, by what joins the ranks; GB/s of the ring formula. */
static enum assume_id wire_of_nvlink(const struct gpu *g) {
    const int full_links = 12; /* of NVLink 3 */

    switch (g->nvlink_gen) {
    case 5:
        return ASSUME_INFER_WIRE_NVLINK5;
    case 4:
        return g->nvlink_links >= full_links ? ASSUME_INFER_WIRE_NVLINK4 : ASSUME_INFER_WIRE_NVLINK_CUT;
    case 3:
        return g->nvlink_links >= full_links ? ASSUME_INFER_WIRE_NVLINK3 : ASSUME_INFER_WIRE_NVLINK_CUT;
    default:
        return ASSUME_INFER_WIRE_MESH;
    }
}

/*
 * Eight cards in slots hang on two sockets, so the ring crosses between them. Cards up to 2021 stand in hosts whose sockets are joined by
 * less than a slot of generation 4 carries.
 */
static double over_two_sockets(const struct infer *e, double gbs) {
    double crossing = gbs * assume_get(e->a, ASSUME_INFER_WIRE_TWO_SOCKETS);

    switch (e->shape->gpu->family) {
    case GPU_FAMILY_PASCAL:
    case GPU_FAMILY_VOLTA:
    case GPU_FAMILY_TURING:
    case GPU_FAMILY_GA100:
    case GPU_FAMILY_GA10X:
        return fmin(crossing, assume_get(e->a, ASSUME_INFER_WIRE_OLD_SOCKETS));
    default:
        return crossing;
    }
}

static double wire_of_pcie(const struct infer *e, enum link_kind link, int ranks) {
    const struct assumptions *a = e->a;
    const struct gpu *g = e->shape->gpu;
    int gen = e->shape->pcie_gen > 0 ? e->shape->pcie_gen : g->pcie_gen > 0 ? g->pcie_gen : 4;
    double lanes = (e->shape->pcie_lanes > 0 ? e->shape->pcie_lanes : g->pcie_lanes > 0 ? g->pcie_lanes : 16) / 16.0;
    double gbs = assume_get(a, gen >= 5   ? ASSUME_INFER_WIRE_PCIE5
                               : gen == 4 ? ASSUME_INFER_WIRE_PCIE4
                                          : ASSUME_INFER_WIRE_PCIE3);

    if (link == LINK_PCIE_HOST) {
        gbs = assume_get(a, ASSUME_INFER_WIRE_HOST) * pow(2, fmin(5, fmax(3, gen)) - 4);
    }
    return ranks >= 8 ? over_two_sockets(e, gbs * lanes) : gbs * lanes;
}

static double wire_gbs(const struct infer *e, enum link_kind link, int ranks) {
    const struct gpu *g = e->shape->gpu;

    switch (link) {
    case LINK_NVSWITCH:
        return assume_get(e->a, wire_of_nvlink(g));
    case LINK_NVLINK_MESH:
        return assume_get(e->a, ASSUME_INFER_WIRE_MESH);
    case LINK_NVLINK_BRIDGE:
        return assume_get(e->a, g->nvlink_links >= 8 ? ASSUME_INFER_WIRE_BRIDGE12 : ASSUME_INFER_WIRE_BRIDGE4);
    case LINK_XGMI:
        return assume_get(e->a, ASSUME_INFER_WIRE_XGMI);
    default:
        return wire_of_pcie(e, link, ranks);
    }
}

/* What a listing states or measured, against what the table says of such a link. */
static double stated_factor(const struct infer *e, enum link_kind link, int ranks) {
    const struct shape *s = e->shape;

    if (!num_known(s->link_gbs) || s->link_gbs <= 0 || link == LINK_PCIE || link == LINK_PCIE_HOST) {
        return 1;
    }
    struct link_speed stated = link_speed(e->catalog, s->gpu, link, ranks, s->link_gbs, s->pcie_gen, s->pcie_lanes);
    struct link_speed usual = link_speed(e->catalog, s->gpu, link, ranks, NUM_UNKNOWN, s->pcie_gen, s->pcie_lanes);
    double factor = usual.ring_gbs.expected > 0 ? stated.ring_gbs.expected / usual.ring_gbs.expected : 1;

    return fmin(2, fmax(0.05, factor));
}

/* A bridge joins two; the ring of more ranks leaves the pair. */
static enum link_kind link_of_ranks(const struct infer *e, int ranks) {
    enum link_kind link = e->shape->link;

    if (link == LINK_UNKNOWN || link == LINK_NONE) {
        link = link_worst(e->shape->gpu, ranks);
    }
    if (link == LINK_NVLINK_BRIDGE && ranks > 2) {
        link = e->shape->gpu->p2p_over_pcie ? LINK_PCIE : LINK_PCIE_HOST;
    }
    return link;
}

/* A hop between stages hands the residual stream on: over the link, between nodes over the network. */
static void init_hop(struct infer_split *p, const struct infer *e) {
    const struct shape *s = e->shape;
    double bytes = (e->engine->splits & ENGINE_SPLIT_LAYER ? 4 : 2) * (double)e->model->hidden; /* llama.cpp: 32 bit */
    double gbs = wire_gbs(e, link_of_ranks(e, 2), 2);

    p->hop_s = assume_get(e->a, ASSUME_INFER_STAGE_HOP) * 1e-3;
    if (s->nodes > 1 && p->ranks * p->pp > s->gpus) {
        struct network_speed net = network_speed(e->catalog, s->network, s->network_gbps, s->gpu);
        p->hop_s += net.latency_s;
        gbs = fmin(gbs, net.node_gbs.expected);
    }
    p->hop_token_s = gbs > 0 ? bytes / (gbs * NUM_GB) : 0;
}

/* Latency of a small all-reduce between two, by what joins them. Cards before Ampere have no fast kernels for it. */
static double latency_s(const struct infer *e, enum link_kind link) {
    const double ampere = 8.0;
    double cc = e->shape->gpu->compute_capability;
    enum assume_id id = ASSUME_INFER_ALPHA_PCIE;

    if (link == LINK_NVSWITCH) {
        id = ASSUME_INFER_ALPHA_NVLINK;
    } else if (link == LINK_NVLINK_MESH || link == LINK_XGMI) {
        id = ASSUME_INFER_ALPHA_MESH;
    } else if (link == LINK_NVLINK_BRIDGE) {
        id = ASSUME_INFER_ALPHA_BRIDGE;
    }
    if (cc > 0 && cc < ampere) {
        id = ASSUME_INFER_ALPHA_OLD;
    }
    return assume_get(e->a, id) * 1e-6;
}

void infer_split_link(struct infer_split *p, const struct infer *e) {
    const struct assumptions *a = e->a;
    int ranks = (int)p->ranks;

    if (p->pp > 1) {
        init_hop(p, e);
    }
    if (p->ranks * p->pp > 1) {
        p->rank_sync_s = assume_get(a, ASSUME_INFER_RANK_SYNC) * 1e-3 * log2(p->ranks * p->pp) / 3;
    }
    if (ranks < 2) {
        return;
    }
    enum link_kind link = link_of_ranks(e, ranks);
    double n = p->ranks;

    p->over_pcie = link == LINK_PCIE || link == LINK_PCIE_HOST;
    p->reduce_count = p->dpa > 1 ? 1 : 2;
    p->reduce_latency = latency_s(e, link) * (1 + log2(n)) / 2;
    p->reduce_sync = assume_get(a, ASSUME_INFER_SYNC_BYTES) * 1e-6 * log2(n) / 3;
    p->reduce_sync_half = assume_get(a, ASSUME_INFER_SYNC_HALF) * 1e6;
    p->reduce_wire = 2 * (n - 1) / n / (wire_gbs(e, link, ranks) * stated_factor(e, link, ranks) * NUM_GB);
}
