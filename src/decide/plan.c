/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"

struct plans {
    const struct question *q;
    struct memo *memo;
    struct plan *items;
    uint64_t *keys;
    size_t count, cap, key_cap;
    uint32_t *slots; /* index + 1 */
    size_t slot_count;
};

enum { FIRST_SLOTS = 256 };

struct plans *plans_new(const struct question *q, struct memo *memo) {
    struct plans *p = mem_zero(1, sizeof *p);
    p->q = q;
    p->memo = memo;
    p->slot_count = FIRST_SLOTS;
    p->slots = mem_zero(p->slot_count, sizeof *p->slots);
    return p;
}

void plans_free(struct plans *p) {
    if (!p)
        return;
    free(p->items);
    free(p->keys);
    free(p->slots);
    free(p);
}

const struct plan *plans_at(const struct plans *p, uint32_t index) {
    return &p->items[index];
}

const struct estimate *plans_estimate(const struct plans *p, const struct option *o) {
    return &memo_set(p->memo, o->set)->e[o->which];
}

double plans_longest(struct plans *p, const struct option *o, const struct shape *s) {
    return memo_longest(p->memo, o->set, o->which, p->q->catalog, p->q->job, s, p->q->assumptions);
}

bool plan_count_wanted(int n, int gpus) {
    static const int few = 4;
    bool power_of_two = (n & (n - 1)) == 0;
    return n == gpus || gpus <= few || power_of_two || gpus % n == 0;
}

static struct option make_option(uint32_t set, int which, const struct estimate *e, const struct shape *s) {
    struct option o = {.set = set,
                       .which = (uint8_t)which,
                       .fit = (uint8_t)e->fit,
                       .gpus = (uint16_t)s->gpus,
                       .nodes = (uint16_t)s->nodes};
    o.simplicity = (uint8_t)(s->nodes > 1 ? 4 : s->gpus == 1 ? 0 : layout_simplicity(&e->layout, s->gpus));
    return o;
}

int plans_of_count(struct plans *p, const struct shape *machine, int gpus, int nodes,
                   struct option out[ESTIMATE_SET_MAX]) {
    struct shape s = shape_with_gpus(machine, gpus, nodes);
    uint32_t index = memo_get(p->memo, p->q->catalog, p->q->job, &s, p->q->assumptions);
    const struct estimate_set *set = memo_set(p->memo, index);
    int count = 0;
    for (int i = 0; i < set->count; i++)
        if (set->e[i].fit != FIT_NO)
            out[count++] = make_option(index, i, &set->e[i], &s);
    if (count == 0)
        out[count++] = make_option(index, 0, &set->e[0], &s);
    return count;
}

/* Whether b is at least as good as a in every respect that any place could weigh. */
static bool dominates(const struct plans *p, const struct option *b, const struct option *a) {
    const struct estimate *eb = plans_estimate(p, b), *ea = plans_estimate(p, a);
    if (b->fit < a->fit || b->nodes > a->nodes || eb->host_gb > ea->host_gb || eb->disk_gb > ea->disk_gb ||
        eb->vcpus > ea->vcpus)
        return false;
    if (eb->targets_met < ea->targets_met || eb->overloaded > ea->overloaded ||
        eb->tokens_per_s.expected < ea->tokens_per_s.expected)
        return false;
    if (eb->run_h.expected > ea->run_h.expected || eb->state_gb > ea->state_gb || eb->load_gb > ea->load_gb)
        return false;
    return eb->run_h.expected < ea->run_h.expected || b->simplicity <= a->simplicity;
}

static void add_option(const struct plans *p, struct plan *plan, const struct option *o) {
    int kept = 0;
    for (int i = 0; i < plan->count; i++)
        if (dominates(p, &plan->options[i], o))
            return;
    for (int i = 0; i < plan->count; i++)
        if (!dominates(p, o, &plan->options[i]))
            plan->options[kept++] = plan->options[i];
    plan->count = kept;
    if (plan->count < PLAN_MAX_OPTIONS)
        plan->options[plan->count++] = *o;
}

/*
 * Fewer GPUs of a machine that is paid for whole can only win where the others wait for each other: with half the GPUs each has
 * twice the work, so a step that waits less than this share cannot get faster.
 */
static bool fewer_cannot_win(const struct plans *p, const struct option *o) {
    static const double waiting_share = 0.35;
    const struct estimate *e = plans_estimate(p, o);
    if (p->q->job->task == TASK_INFERENCE || o->fit != FIT_FITS || !(e->step_s > 0))
        return false;
    return (e->step_part_s[STEP_COMMUNICATION] + e->step_part_s[STEP_BUBBLE]) / e->step_s < waiting_share;
}

static bool nearer(const struct plans *p, const struct option *a, const struct option *b) {
    const struct reason *ra = &plans_estimate(p, a)->reason, *rb = &plans_estimate(p, b)->reason;
    bool memory_a = ra->code == REASON_GPU_MEMORY, memory_b = rb->code == REASON_GPU_MEMORY;
    if (memory_a != memory_b)
        return memory_a;
    return memory_a && ra->need < rb->need;
}

/* Largest count first; false to stop. */
static bool try_count(struct plans *p, struct plan *plan, int gpus, int nodes) {
    struct option found[ESTIMATE_SET_MAX];
    int count = plans_of_count(p, &plan->shape, gpus, nodes, found);
    if (found[0].fit == FIT_NO) {
        if (plan->nearest.gpus == 0 || nearer(p, &found[0], &plan->nearest))
            plan->nearest = found[0];
        return true;
    }
    for (int i = 0; i < count; i++)
        add_option(p, plan, &found[i]);
    return !fewer_cannot_win(p, &found[0]);
}

static void fill(struct plans *p, struct plan *plan) {
    int limit = p->q->job->max_gpus, gpus = plan->shape.gpus;
    for (int nodes = 2; nodes <= plan->nodes_max; nodes *= 2)
        if (limit == 0 || gpus * nodes <= limit)
            try_count(p, plan, gpus, nodes);
    for (int n = gpus; n >= 1; n--)
        if ((limit == 0 || n <= limit) && plan_count_wanted(n, gpus) && !try_count(p, plan, n, 1))
            break;
}

static size_t slot_of(const struct plans *p, uint64_t key) {
    size_t mask = p->slot_count - 1, at = (size_t)(key ^ (key >> 31)) & mask;
    while (p->slots[at] && p->keys[p->slots[at] - 1] != key)
        at = (at + 1) & mask;
    return at;
}

static void grow_slots(struct plans *p) {
    free(p->slots);
    p->slot_count *= 2;
    p->slots = mem_zero(p->slot_count, sizeof *p->slots);
    for (size_t i = 0; i < p->count; i++)
        p->slots[slot_of(p, p->keys[i])] = (uint32_t)i + 1;
}

/* With several machines the network between them matters as well. */
static uint64_t plan_key(const struct plans *p, const struct shape *machine, int nodes_max) {
    struct shape s = *machine;
    s.nodes = nodes_max;
    return shape_key(&s, catalog_gpu_index(p->q->catalog, s.gpu));
}

uint32_t plans_get(struct plans *p, const struct shape *machine, int nodes_max) {
    uint64_t key = plan_key(p, machine, nodes_max);
    size_t at = slot_of(p, key);
    if (p->slots[at])
        return p->slots[at] - 1;
    if (p->count * 2 >= p->slot_count) {
        grow_slots(p);
        at = slot_of(p, key);
    }
    size_t index = p->count++;
    p->keys = mem_grow(p->keys, &p->key_cap, p->count, sizeof *p->keys);
    p->items = mem_grow(p->items, &p->cap, p->count, sizeof *p->items);
    p->keys[index] = key;
    p->slots[at] = (uint32_t)index + 1;
    struct plan *plan = &p->items[index];
    memset(plan, 0, sizeof *plan);
    plan->shape = *machine;
    plan->nodes_max = nodes_max;
    fill(p, plan);
    return (uint32_t)index;
}

static void add_worse(struct plans *p, uint32_t index, enum worse_kind kind, const struct shape *s) {
    int nodes_max = p->items[index].nodes_max;
    uint32_t worse = plans_get(p, s, nodes_max); /* may move items */
    struct plan *plan = &p->items[index];
    if (worse != index && plan->worse_count < PLAN_MAX_WORSE)
        plan->worse[plan->worse_count++] = (struct worse){kind, s->link, worse};
}

static void add_link(struct plans *p, uint32_t index, enum link_kind link) {
    struct shape s = p->items[index].shape;
    s.link = link;
    s.link_gbs = NUM_UNKNOWN;
    add_worse(p, index, WORSE_LINK, &s);
}

/* A GeForce has no peer-to-peer to lose, but its slot may be narrow: the board maker's x16 on an x4 riser. */
static void add_lanes(struct plans *p, uint32_t index, enum worse_kind kind, int lanes) {
    struct shape s = p->items[index].shape;
    if (s.pcie_lanes != 0 || s.gpu->pcie_lanes <= lanes)
        return;
    s.pcie_lanes = lanes;
    s.link_gbs = NUM_UNKNOWN;
    add_worse(p, index, kind, &s);
}

static void find_worse(struct plans *p, uint32_t index) {
    const struct shape s = p->items[index].shape;
    enum link_kind worst = link_worst(s.gpu, s.gpus);
    bool on_pcie = s.link == LINK_PCIE || s.link == LINK_PCIE_HOST;
    if (s.gpus > 1 && s.link != LINK_UNKNOWN) {
        if (s.link == LINK_NVLINK_BRIDGE && worst != LINK_PCIE && link_possible(s.gpu, LINK_PCIE, s.gpus))
            add_link(p, index, LINK_PCIE);
        if (s.link != worst && s.link != LINK_PCIE_HOST)
            add_link(p, index, worst);
        if (on_pcie && s.gpu->geforce) {
            add_lanes(p, index, WORSE_LANES_8, 8);
            add_lanes(p, index, WORSE_LANES_4, 4);
        }
    }
    if (p->items[index].nodes_max > 1 && s.network != NETWORK_ETHERNET && s.network != NETWORK_NONE) {
        struct shape net = s;
        net.network = NETWORK_ETHERNET;
        net.network_gbps = NUM_UNKNOWN;
        add_worse(p, index, WORSE_NETWORK, &net);
    }
}

const struct plan *plans_worse(struct plans *p, uint32_t index) {
    if (!p->items[index].worse_known) {
        p->items[index].worse_known = true;
        find_worse(p, index);
    }
    return &p->items[index];
}
