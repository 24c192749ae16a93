/* SPDX-License-Identifier: MIT */
/*
 * What a matrix means: class, islands, the worst pair, a link to plan with and a quality. The steps, in the order in which a
 * finding overrides the next: not symmetric or sliced; NVLink or xGMI; a guest that is shown a made-up machine; PCIe.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "hardware/topology_judge.h"

/* The pairs, counted. */
struct survey {
    int pairs, of[PATH_COUNT];
    int least, most;              /* NVLinks of a joined pair */
    int peers[TOPOLOGY_MAX_GPUS]; /* joined by NVLink or xGMI */
    int least_peers, most_peers;
    int least_a, least_b; /* the pair with the fewest links */
};

struct judging {
    const struct topology *t;
    struct topology_card card;
    struct survey s;
    struct topology_verdict *v;
};

static void note(struct judging *j, enum topology_note_code code, int a, int b, const char *token) {
    struct topology_verdict *v = j->v;
    if (v->note_count >= TOPOLOGY_MAX_NOTES)
        return;
    struct topology_note *n = &v->notes[v->note_count++];
    *n = (struct topology_note){.code = code, .a = a, .b = b};
    snprintf(n->token, sizeof n->token, "%s", token);
}

static void survey(const struct topology *t, struct survey *s) {
    memset(s, 0, sizeof *s);
    s->least = s->least_a = s->least_b = -1;
    for (int a = 0; a < t->gpus; a++)
        for (int b = a + 1; b < t->gpus; b++) {
            int path = t->path[a][b];
            s->pairs++;
            s->of[path]++;
            if (path == PATH_NVLINK || path == PATH_XGMI) {
                s->peers[a]++;
                s->peers[b]++;
            }
            if (path != PATH_NVLINK)
                continue;
            if (s->least < 0 || t->links[a][b] < s->least) {
                s->least = t->links[a][b];
                s->least_a = a;
                s->least_b = b;
            }
            if (t->links[a][b] > s->most)
                s->most = t->links[a][b];
        }
    s->least_peers = t->gpus;
    for (int a = 0; a < t->gpus; a++) {
        s->least_peers = s->peers[a] < s->least_peers ? s->peers[a] : s->least_peers;
        s->most_peers = s->peers[a] > s->most_peers ? s->peers[a] : s->most_peers;
    }
}

/* ---- NVLink ---- */

static bool on_board(const struct topology_card *k) {
    return k->form == GPU_FORM_SXM || k->form == GPU_FORM_SUPERCHIP;
}

/* V100-SXM2 and P100 boards have no switch; a DGX-2's SXM3 has. */
static bool may_have_switch(const struct topology_card *k) {
    return !k->gpu || k->open ? !k->gpu || k->gen > 2 || k->gen == 0 : link_possible(k->gpu, LINK_NVSWITCH, 2);
}

/* Every pair joined: by a switch (each pair then sees all links of a card) or wire by wire (they are shared out). */
static enum topology_class all_joined(struct judging *j) {
    const struct topology_card *k = &j->card;
    const struct survey *s = &j->s;
    int gpus = j->t->gpus, want = k->links;
    bool even = s->least == s->most, known = k->gpu && want > 0;
    bool shared_out = s->most * 3 == want && gpus <= 4; /* a board of four: three peers */
    if (gpus == 2 && !on_board(k)) {
        bool short_of = known && s->least < want;
        return short_of ? TOPOLOGY_BRIDGE_PAIRS_DEGRADED : TOPOLOGY_BRIDGE_PAIRS;
    }
    if (known && shared_out && even && (on_board(k) || k->form == GPU_FORM_NVL || k->form == GPU_FORM_UNKNOWN))
        return TOPOLOGY_DIRECT_MESH;
    if (k->gpu && !may_have_switch(k))
        return TOPOLOGY_DIRECT_MESH;
    if (!k->gpu && gpus <= 4 && even && s->most <= 6) /* V100 2, A100 4, H100 6: what boards of four show */
        return TOPOLOGY_DIRECT_MESH;
    return !even || (known && s->least < want) ? TOPOLOGY_NVSWITCH_DEGRADED : TOPOLOGY_NVSWITCH;
}

static bool is_cube(const struct judging *j) {
    const struct survey *s = &j->s;
    int gpus = j->t->gpus;
    bool old = !j->card.gpu || (on_board(&j->card) && j->card.gen <= 2);
    return old && s->most <= 2 && gpus > 4 && gpus <= 8 && s->most_peers <= 4 && (gpus < 8 || s->least_peers == 4);
}

static enum topology_class by_nvlink(struct judging *j) {
    const struct survey *s = &j->s;
    int want = j->card.links;
    if (s->of[PATH_NVLINK] + s->of[PATH_UNKNOWN] == s->pairs)
        return all_joined(j);
    if (is_cube(j))
        return TOPOLOGY_CUBE_MESH;
    if (s->most_peers > 1)
        return TOPOLOGY_NVLINK_PARTIAL;
    if (on_board(&j->card))
        return TOPOLOGY_PAIRS_DEGRADED;
    if (s->least != s->most || (j->card.gpu && want > 0 && s->least < want))
        return TOPOLOGY_BRIDGE_PAIRS_DEGRADED;
    return s->least_peers == 0 ? TOPOLOGY_BRIDGE_PAIRS_PARTIAL : TOPOLOGY_BRIDGE_PAIRS;
}

/* ---- a guest that is shown a made-up machine ---- */

static bool one_affinity(const struct topology *t) {
    for (int i = 1; i < t->gpus; i++)
        if (strcmp(t->gpu[i].cpus, t->gpu[0].cpus) != 0 || strcmp(t->gpu[i].numa, t->gpu[0].numa) != 0)
            return false;
    return true;
}

static bool is_hidden(struct judging *j) {
    const struct topology *t = j->t;
    const char *cpus = t->gpu[0].cpus, *numa = t->gpu[0].numa;
    bool flat = false, one = one_affinity(t);
    for (int p = PATH_PIX; p <= PATH_SYS; p++)
        flat |= j->s.of[p] == j->s.pairs;
    int before = j->v->note_count;
    if (j->card.vgpu)
        note(j, NOTE_VGPU, 0, 0, j->card.name);
    if (t->affinity_stated && one && (!*cpus || strcmp(cpus, "N/A") == 0))
        note(j, NOTE_NO_AFFINITY, 0, 0, "");
    else if (one && strpbrk(numa, "-,") && strcmp(numa, "-1") != 0)
        note(j, NOTE_FLAT_AFFINITY, 0, 0, numa);
    if (*t->hypervisor && flat && t->gpus >= 3)
        note(j, NOTE_HYPERVISOR, 0, 0, t->hypervisor);
    return j->v->note_count > before;
}

/* SYS inside a NUMA node cannot be: a guest, or cards passed through; what the path is, is not known. */
static void check_nodes(struct judging *j) {
    const struct topology *t = j->t;
    for (int a = 0; a < t->gpus; a++)
        for (int b = a + 1; b < t->gpus; b++)
            if (t->path[a][b] == PATH_SYS && *t->gpu[a].numa && strcmp(t->gpu[a].numa, "N/A") != 0 &&
                strcmp(t->gpu[a].numa, t->gpu[b].numa) == 0) {
                note(j, NOTE_SAME_NODE_SYS, a, b, t->gpu[a].numa);
                return;
            }
}

/* ---- PCIe ---- */

static enum topology_class by_pcie(struct judging *j) {
    const int *of = j->s.of;
    bool below_switch = of[PATH_PIX] + of[PATH_PXB] > 0, host = of[PATH_PHB] + of[PATH_NODE] > 0;
    check_nodes(j);
    if (j->t->vendor == TOPOLOGY_AMD)
        return TOPOLOGY_AMD_PCIE;
    if (below_switch)
        return of[PATH_SYS] > 0 ? TOPOLOGY_PCIE_SWITCH_DUAL : TOPOLOGY_PCIE_SWITCH;
    if (host)
        return of[PATH_SYS] > 0 ? TOPOLOGY_HOST_BRIDGE_DUAL : TOPOLOGY_HOST_BRIDGE;
    return of[PATH_SYS] > 0 ? TOPOLOGY_CROSS_SOCKET : TOPOLOGY_UNKNOWN;
}

static enum topology_class classify(struct judging *j) {
    const struct topology *t = j->t;
    const int *of = j->s.of;
    if (t->gpus < 2)
        return TOPOLOGY_SINGLE_GPU;
    if (t->asymmetric || t->mig || j->card.mig) {
        if (t->asymmetric)
            note(j, NOTE_ASYMMETRIC, t->asymmetric_a, t->asymmetric_b, "");
        if (t->mig || j->card.mig)
            note(j, NOTE_MIG_MODE, 0, 0, "");
        return TOPOLOGY_MIG;
    }
    if (of[PATH_XGMI] > 0)
        return of[PATH_XGMI] == j->s.pairs ? TOPOLOGY_XGMI : TOPOLOGY_XGMI_HIVES;
    if (of[PATH_NVLINK] > 0)
        return by_nvlink(j);
    return is_hidden(j) ? TOPOLOGY_HIDDEN : by_pcie(j);
}

/* ---- islands and the worst pair ---- */

static bool same_island(const struct judging *j, int a, int b) {
    int path = j->t->path[a][b];
    bool fast = j->s.of[PATH_NVLINK] + j->s.of[PATH_XGMI] > 0;
    if (j->v->cls == TOPOLOGY_MIG || j->v->cls == TOPOLOGY_HIDDEN)
        return false;
    return fast ? path == PATH_NVLINK || path == PATH_XGMI : path == PATH_PIX || path == PATH_PXB;
}

static void find_islands(struct judging *j) {
    struct topology_verdict *v = j->v;
    int gpus = j->t->gpus;
    for (int i = 0; i < gpus; i++)
        v->island_of[i] = i;
    for (bool changed = true; changed;) { /* the lowest number spreads */
        changed = false;
        for (int a = 0; a < gpus; a++)
            for (int b = 0; b < gpus; b++)
                if (v->island_of[b] < v->island_of[a] && same_island(j, a, b)) {
                    v->island_of[a] = v->island_of[b];
                    changed = true;
                }
    }
    for (int i = 0; i < gpus; i++) { /* a first GPU numbers its island anew, those behind it follow */
        if (v->island_of[i] == i)
            v->island_of[i] = v->islands++;
        else
            v->island_of[i] = v->island_of[v->island_of[i]];
    }
}

static void find_worst(struct judging *j) {
    const struct topology *t = j->t;
    int worst = -1;
    j->v->worst_a = j->v->worst_b = -1;
    for (int a = 0; a < t->gpus; a++)
        for (int b = a + 1; b < t->gpus; b++) {
            int d = t->path[a][b] * 256 + 255 - t->links[a][b];
            if (d <= worst)
                continue;
            worst = d;
            j->v->worst_a = a;
            j->v->worst_b = b;
        }
}

/* ---- the link to plan with ---- */

/* Two GPUs talk directly over PCIe when no host bridge lies between them and neither card nor driver refuses it (NCCL's rule). */
static bool peer_to_peer(struct judging *j) {
    const struct topology *t = j->t;
    const struct gpu *g = j->card.gpu;
    if (j->s.of[PATH_PIX] + j->s.of[PATH_PXB] < j->s.pairs)
        return false;
    for (int a = 0; a < t->gpus; a++)
        for (int b = a + 1; b < t->gpus; b++)
            if (t->p2p_off[a][b]) {
                note(j, NOTE_P2P_OFF, a, b, "");
                return false;
            }
    return g && link_possible(g, LINK_PCIE, t->gpus);
}

static enum link_kind link_of(struct judging *j) {
    switch (j->v->cls) {
    case TOPOLOGY_SINGLE_GPU:
        return LINK_NONE;
    case TOPOLOGY_NVSWITCH:
    case TOPOLOGY_NVSWITCH_DEGRADED:
        return LINK_NVSWITCH;
    case TOPOLOGY_DIRECT_MESH:
    case TOPOLOGY_CUBE_MESH:
        return LINK_NVLINK_MESH;
    case TOPOLOGY_BRIDGE_PAIRS:
    case TOPOLOGY_BRIDGE_PAIRS_DEGRADED:
        return LINK_NVLINK_BRIDGE;
    case TOPOLOGY_XGMI:
        return LINK_XGMI;
    case TOPOLOGY_HIDDEN:
    case TOPOLOGY_UNKNOWN:
        return LINK_UNKNOWN;
    case TOPOLOGY_PCIE_SWITCH:
        return peer_to_peer(j) ? LINK_PCIE : LINK_PCIE_HOST;
    default:
        return LINK_PCIE_HOST;
    }
}

/* Of the table's figure: links that are down, and the way between sockets that its rows of up to 4 GPUs do not have in them. */
static double share_of_table(const struct judging *j) {
    static const double between_sockets = 0.7; /* of a ring within one; data/links.csv */
    static const int table_has_sockets = 5;    /* GPUs: rows of more are for both sockets */
    const struct survey *s = &j->s;
    bool wired = j->v->link == LINK_NVSWITCH || (j->v->link == LINK_NVLINK_BRIDGE && j->t->gpus == 2);
    if (wired && j->card.links > 0 && s->least > 0 && s->least < j->card.links)
        return (double)s->least / j->card.links;
    bool pcie = j->v->link == LINK_PCIE || j->v->link == LINK_PCIE_HOST;
    return pcie && s->of[PATH_SYS] > 0 && j->t->gpus < table_has_sockets ? between_sockets : 1;
}

static void find_link(struct judging *j, const struct catalog *c) {
    struct topology_verdict *v = j->v;
    const struct topology *t = j->t;
    int gen = 0, lanes = 0;
    v->link = link_of(j);
    v->link_gbs = NUM_UNKNOWN;
    for (int i = 0; i < t->gpus; i++) {
        const struct topology_gpu *g = &t->gpu[i];
        if (g->pcie_lanes > 0 && (lanes == 0 || g->pcie_lanes < lanes))
            lanes = g->pcie_lanes;
        if (g->pcie_gen > 0 && (gen == 0 || g->pcie_gen < gen))
            gen = g->pcie_gen;
    }
    v->pcie_gen = gen;
    v->pcie_lanes = lanes;
    if (!v->gpu || t->gpus < 2)
        return;
    v->speed = link_speed(c, v->gpu, v->link, t->gpus, NUM_UNKNOWN, gen, lanes);
    double share = share_of_table(j);
    if (share < 1 && v->speed.ring_gbs.expected > 0) {
        v->link_gbs = share * v->speed.ring_gbs.expected;
        v->speed = link_speed(c, v->gpu, v->link, t->gpus, v->link_gbs, gen, lanes);
    }
}

/* ---- quality ---- */

static char base_quality(const struct judging *j) {
    bool pair = j->t->gpus == 2;
    switch (j->v->cls) {
    case TOPOLOGY_SINGLE_GPU:
    case TOPOLOGY_NVSWITCH:
    case TOPOLOGY_DIRECT_MESH:
        return 'A';
    case TOPOLOGY_XGMI:
        return j->card.links > j->t->gpus - 1 ? 'B' : 'A';
    case TOPOLOGY_CUBE_MESH:
        return 'B';
    case TOPOLOGY_BRIDGE_PAIRS:
        return pair ? 'B' : 'C';
    case TOPOLOGY_PCIE_SWITCH:
        return j->v->link == LINK_PCIE ? 'B' : 'C';
    case TOPOLOGY_BRIDGE_PAIRS_PARTIAL:
    case TOPOLOGY_XGMI_HIVES:
    case TOPOLOGY_AMD_PCIE:
    case TOPOLOGY_HOST_BRIDGE:
        return 'C';
    case TOPOLOGY_PCIE_SWITCH_DUAL:
    case TOPOLOGY_HOST_BRIDGE_DUAL:
    case TOPOLOGY_CROSS_SOCKET:
    case TOPOLOGY_HIDDEN:
        return 'D';
    default:
        return 'F';
    }
}

static void at_best(struct topology_verdict *v, char quality) {
    if (v->quality < quality)
        v->quality = quality;
}

static void check_cards(struct judging *j) {
    const struct topology *t = j->t;
    const struct topology_card *k = &j->card;
    if (t->gpus < 2)
        return;
    if (k->mixed) {
        note(j, NOTE_MIXED, 0, 0, "");
        at_best(j->v, 'F');
    }
    if (!k->gpu)
        note(j, NOTE_CARD_UNKNOWN, 0, 0, k->name);
    else if (k->open)
        note(j, NOTE_CARD_OPEN, 0, 0, k->name);
    bool wired =
        j->v->link == LINK_NVSWITCH || j->v->link == LINK_NVLINK_BRIDGE || j->v->cls == TOPOLOGY_PAIRS_DEGRADED;
    int want = k->links > 0 ? k->links : j->s.most;
    if (wired && j->s.least > 0 && j->s.least < want)
        note(j, NOTE_BELOW_NOMINAL, j->s.least, want, "");
    for (int i = 0; i < t->gpus; i++)
        if (k->links > 0 && t->gpu[i].links_up > 0 && t->gpu[i].links_up < k->links && on_board(k)) {
            note(j, NOTE_LINKS_DOWN, i, k->links - t->gpu[i].links_up, "");
            at_best(j->v, 'F');
        }
}

static void check_paths(struct judging *j) {
    const struct topology *t = j->t;
    struct topology_verdict *v = j->v;
    bool across = j->s.of[PATH_SYS] > 0 || j->s.of[PATH_UNKNOWN] > 0;
    bool slow = v->link == LINK_PCIE_HOST || v->link == LINK_PCIE || (v->link == LINK_NVLINK_BRIDGE && t->gpus > 2);
    if (across && slow)
        at_best(v, 'D');
    if (v->cls == TOPOLOGY_BRIDGE_PAIRS && t->gpus > 2)
        note(j, NOTE_LEAVES_PAIR, 0, 0, "");
    if (v->cls == TOPOLOGY_XGMI_HIVES)
        note(j, NOTE_LEAVES_HIVE, 0, 0, "");
    if (j->s.of[PATH_PIX] + j->s.of[PATH_PXB] > 0 && v->link == LINK_PCIE_HOST && v->islands > 1 &&
        j->s.of[PATH_NVLINK] == 0)
        note(j, NOTE_LEAVES_SWITCH, 0, 0, "");
    if (v->cls == TOPOLOGY_XGMI && j->card.links > t->gpus - 1)
        note(j, NOTE_XGMI_SUBSET, t->gpus, j->card.links + 1, "");
    if (v->link == LINK_PCIE_HOST && j->card.gpu && !link_possible(j->card.gpu, LINK_PCIE, t->gpus))
        note(j, NOTE_NO_P2P, 0, 0, j->card.gpu->name);
    for (int i = 0; i < t->gpus; i++) {
        int full = j->card.gpu && j->card.gpu->pcie_lanes > 0 ? j->card.gpu->pcie_lanes : 16;
        if (t->gpu[i].pcie_lanes == 0 || t->gpu[i].pcie_lanes >= full)
            continue;
        note(j, NOTE_LANES, i, t->gpu[i].pcie_lanes, "");
        if (slow)
            at_best(v, 'D');
        break;
    }
}

static void check_nics(struct judging *j) {
    const struct topology *t = j->t;
    for (int i = 0; i < t->gpus && t->nics > 0; i++) {
        int nearest = PATH_UNKNOWN;
        for (int k = 0; k < t->nics; k++)
            nearest = t->nic_path[i][k] < nearest ? t->nic_path[i][k] : nearest;
        if (nearest != PATH_SYS)
            continue;
        note(j, NOTE_FAR_NIC, i, 0, "");
        return;
    }
}

void topology_judge(const struct topology *t, const struct catalog *c, const char *gpu_name,
                    struct topology_verdict *out) {
    struct judging j = {.t = t, .v = out};
    memset(out, 0, sizeof *out);
    topology_card_find(t, c, gpu_name, &j.card);
    survey(t, &j.s);
    out->gpu = j.card.gpu;
    out->gpu_open = j.card.open || j.card.mixed;
    out->links_expected = j.card.links;
    out->cls = classify(&j);
    find_worst(&j);
    find_islands(&j);
    find_link(&j, c);
    out->quality = base_quality(&j);
    check_cards(&j);
    check_paths(&j);
    check_nics(&j);
    for (int i = 0; i < t->note_count; i++) {
        if (t->notes[i].code <= NOTE_SHORT_ROW || t->notes[i].code == NOTE_TRUNCATED)
            at_best(out, 'F'); /* the part that was not read may be the worst */
        if (out->note_count < TOPOLOGY_MAX_NOTES)
            out->notes[out->note_count++] = t->notes[i];
    }
}
