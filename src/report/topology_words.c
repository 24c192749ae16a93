/* SPDX-License-Identifier: MIT */
/* Classes, qualities and notes of a topology become words. */
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/report/sentence.h"
#include "gpuplan/report/topology.h"

const char *topology_class_label(enum topology_class c) {
    static const char *const labels[TOPOLOGY_CLASS_COUNT] = {
        [TOPOLOGY_UNKNOWN] = N_("no pair was understood"),
        [TOPOLOGY_SINGLE_GPU] = N_("one GPU: nothing to connect"),
        [TOPOLOGY_NVSWITCH] = N_("every pair joined by NVLink through a switch"),
        [TOPOLOGY_NVSWITCH_DEGRADED] = N_("every pair joined through a switch, with fewer NVLinks than the card has"),
        [TOPOLOGY_DIRECT_MESH] = N_("every pair joined by NVLinks of its own, without a switch"),
        [TOPOLOGY_CUBE_MESH] = N_("NVLink to four of seven neighbours; the others over the host"),
        [TOPOLOGY_BRIDGE_PAIRS] = N_("pairs joined by an NVLink bridge"),
        [TOPOLOGY_BRIDGE_PAIRS_PARTIAL] = N_("some pairs joined by an NVLink bridge, some GPUs by nothing"),
        [TOPOLOGY_BRIDGE_PAIRS_DEGRADED] = N_("pairs joined by NVLink bridges, some of them not in full"),
        [TOPOLOGY_PAIRS_DEGRADED] =
            N_("NVLink in pairs only, on boards that should join all: the fabric is not in order"),
        [TOPOLOGY_NVLINK_PARTIAL] = N_("NVLink between some GPUs, in no usual pattern"),
        [TOPOLOGY_XGMI] = N_("every pair joined by xGMI"),
        [TOPOLOGY_XGMI_HIVES] = N_("groups joined by xGMI, PCIe between them"),
        [TOPOLOGY_AMD_PCIE] = N_("PCIe only"),
        [TOPOLOGY_PCIE_SWITCH] = N_("PCIe switches, one CPU socket"),
        [TOPOLOGY_PCIE_SWITCH_DUAL] = N_("PCIe switches on two CPU sockets"),
        [TOPOLOGY_HOST_BRIDGE] = N_("PCIe through the CPU, one socket"),
        [TOPOLOGY_HOST_BRIDGE_DUAL] = N_("PCIe through the CPUs of two sockets"),
        [TOPOLOGY_CROSS_SOCKET] = N_("every pair across CPU sockets"),
        [TOPOLOGY_HIDDEN] = N_("a virtual machine that shows a made-up topology: the real one is not known"),
        [TOPOLOGY_MIG] = N_("slices of cards, or a matrix that contradicts itself: no NVLink to rely on"),
    };
    return _(labels[(unsigned)c < TOPOLOGY_CLASS_COUNT ? c : TOPOLOGY_UNKNOWN]);
}

const char *topology_quality_label(char quality) {
    static const char *const labels[] = {
        N_("as fast as such cards can be connected"),
        N_("good for jobs that stay within an island"),
        N_("a job on all GPUs is slowed by the host"),
        N_("the ring crosses sockets, narrow lanes or an unknown way: measure before you rely on it"),
        "",
        N_("something is wrong or was not read: do not rely on it"),
    };
    return quality >= 'A' && quality <= 'F' ? _(labels[quality - 'A']) : "";
}

/* What follows %d and %s in each: see the comments of enum topology_note_code. */
void topology_note_text(struct buf *b, const struct topology_note *n) {
    switch (n->code) {
    case NOTE_TOKEN:
        buf_printf(b, _("line %ld: \"%s\" is no connection that is known; this cell counts as not stated"), n->line,
                   n->token);
        break;
    case NOTE_SHORT_ROW:
        buf_printf(b, _("line %ld: only %d of %d cells"), n->line, n->a, n->b);
        break;
    case NOTE_TRUNCATED:
        buf_printf(b, _("cut off: only %d of %d rows are there"), n->a, n->b);
        break;
    case NOTE_SECOND_MATRIX:
        buf_printf(b, _("line %ld: a second matrix begins; only the first one counts"), n->line);
        break;
    case NOTE_TOO_MANY:
        buf_printf(b, _("more GPUs than %d: the others are left out"), n->a);
        break;
    case NOTE_LONG_LINE:
        buf_printf(b, _("line %ld is too long; its end was left out"), n->line);
        break;
    case NOTE_ASYMMETRIC:
        buf_printf(b, _("GPU%d sees GPU%d otherwise than the other way round; of each pair the worse counts"), n->a,
                   n->b);
        break;
    case NOTE_MIG_MODE:
        buf_puts(b, _("MIG is on: slices of cards cannot talk to each other directly"));
        break;
    case NOTE_CARD_UNKNOWN:
        buf_puts(b, _("which card this is was not said (--gpu): whether all its links are up cannot be checked"));
        break;
    case NOTE_CARD_OPEN:
        buf_printf(b, _("\"%s\" may be one of several cards: name it with --gpu"), n->token);
        break;
    case NOTE_MIXED:
        buf_puts(b, _("different cards in one machine: a job on all of them runs at the pace of the slowest"));
        break;
    case NOTE_BELOW_NOMINAL:
        buf_printf(b, _("%d NVLinks where such cards have %d"), n->a, n->b);
        break;
    case NOTE_LINKS_DOWN:
        buf_printf(b, ngettext("GPU%d: %d NVLink is down", "GPU%d: %d NVLinks are down", (unsigned long)n->b), n->a,
                   n->b);
        break;
    case NOTE_SAME_NODE_SYS:
        buf_printf(b,
                   _("GPU%d and GPU%d are said to share NUMA node %s, yet to lie across sockets: a virtual machine or "
                     "cards passed through"),
                   n->a, n->b, n->token);
        break;
    case NOTE_FLAT_AFFINITY:
        buf_printf(b, _("every GPU is said to be near NUMA nodes %s alike: the host hides where they are"), n->token);
        break;
    case NOTE_NO_AFFINITY:
        buf_puts(b, _("no CPU is named as near to any GPU: the host hides where they are"));
        break;
    case NOTE_VGPU:
        buf_printf(b, _("%s is a virtual GPU: the bus it shows is made up"), n->token);
        break;
    case NOTE_HYPERVISOR:
        buf_printf(b, _("all pairs look alike inside a virtual machine (%s): the host may hide where they are"),
                   n->token);
        break;
    case NOTE_NO_P2P:
        buf_printf(b, _("%s has no direct access between cards over PCIe: everything passes through host memory"),
                   n->token);
        break;
    case NOTE_P2P_OFF:
        buf_printf(b, _("direct access between GPU%d and GPU%d is switched off"), n->a, n->b);
        break;
    case NOTE_LEAVES_PAIR:
        buf_puts(b, _("a job on more than two GPUs leaves the bridges and runs at the pace of PCIe"));
        break;
    case NOTE_LEAVES_HIVE:
        buf_puts(b, _("a job across the groups leaves xGMI and runs at the pace of PCIe"));
        break;
    case NOTE_LEAVES_SWITCH:
        buf_puts(b, _("a job on all GPUs leaves the PCIe switches and passes through the host"));
        break;
    case NOTE_XGMI_SUBSET:
        buf_printf(b, _("%d of %d GPUs reach only their share of the links of a board"), n->a, n->b);
        break;
    case NOTE_XGMI_HOPS:
        buf_puts(b, _("xGMI is stated, but not whether each pair is joined directly (rocm-smi --showtopoweight says)"));
        break;
    case NOTE_LANES:
        buf_printf(b, _("GPU%d runs at %d PCIe lanes: the whole ring waits for it"), n->a, n->b);
        break;
    case NOTE_FAR_NIC:
        buf_printf(b, _("every network card lies across the sockets from GPU%d: several machines would be slow"), n->a);
        break;
    case NOTE_CODE_COUNT:
        break;
    }
}

void topology_link_text(struct buf *b, const struct topology_verdict *v) {
    double ring = v->speed.ring_gbs.expected, all = v->speed.allreduce_gbs.expected;
    buf_puts(b, link_name(v->link));
    if (!(ring > 0))
        return;
    buf_puts(b, ", ");
    if (v->link == LINK_NVLINK_BRIDGE && v->speed.pair_gbs > 1.01 * ring)
        buf_printf(b, _("about %.3g GB/s a GPU within a pair, %.3g beyond it"), v->speed.pair_gbs, ring);
    else if (all > 1.01 * ring)
        buf_printf(b, _("about %.3g GB/s a GPU (%.3g in all-reduce)"), ring, all);
    else
        buf_printf(b, _("about %.3g GB/s a GPU (%.3g to %.3g)"), ring, v->speed.ring_gbs.low, v->speed.ring_gbs.high);
}

void topology_islands_text(struct buf *b, const struct topology *t, const struct topology_verdict *v) {
    size_t start = b->len;
    for (int k = 0; k < v->islands; k++) {
        int size = 0;
        for (int i = 0; i < t->gpus; i++)
            size += v->island_of[i] == k;
        if (size < 2)
            continue;
        if (b->len > start)
            buf_puts(b, " | ");
        const char *comma = "";
        for (int i = 0; i < t->gpus; i++)
            if (v->island_of[i] == k) {
                buf_printf(b, "%s%d", comma, i);
                comma = ",";
            }
    }
}

void topology_worst_text(struct buf *b, const struct topology *t, const struct topology_verdict *v) {
    static const char *const ways[PATH_COUNT] = {
        [PATH_NVLINK] = N_("over NVLink"),
        [PATH_XGMI] = N_("over xGMI"),
        [PATH_PIX] = N_("below one PCIe switch"),
        [PATH_PXB] = N_("over several PCIe switches"),
        [PATH_PHB] = N_("through the CPU's PCIe bridge"),
        [PATH_NODE] = N_("between the bridges of one CPU"),
        [PATH_PCIE] = N_("over PCIe"),
        [PATH_SYS] = N_("across CPU sockets"),
        [PATH_UNKNOWN] = N_("not stated"),
    };
    char cell[16];
    if (v->worst_a < 0)
        return;
    topology_cell(t, v->worst_a, v->worst_b, cell, sizeof cell);
    buf_printf(b, _("GPU%d and GPU%d, %s: %s"), v->worst_a, v->worst_b, cell, _(ways[t->path[v->worst_a][v->worst_b]]));
}

void topology_devices(struct buf *b, const struct topology *t, const struct seen_row *row) {
    buf_puts(b, t->vendor == TOPOLOGY_AMD ? "HIP_VISIBLE_DEVICES=" : "CUDA_VISIBLE_DEVICES=");
    for (int i = 0; i < row->gpus; i++)
        buf_printf(b, "%s%d", i ? "," : "", row->gpu[i]);
}

static void put_hours_and_cost(char *hours, char *usd, size_t cap, const struct candidate *c) {
    num_format(hours, cap, c->cost.time_h.expected, NUM_HOURS);
    num_format(usd, cap, c->cost.usd.expected, NUM_USD);
}

static bool in_order(const struct seen_row *row) {
    for (int i = 0; i < row->gpus; i++)
        if (row->gpu[i] != i)
            return false;
    return true;
}

void topology_meaning(struct buf *b, const struct question *q, const struct topology *t, const struct seen *s) {
    char hours[32], usd[32];
    struct buf machine = {0};
    sentence_machine(&machine, q, &s->claimed);
    put_hours_and_cost(hours, usd, sizeof hours, &s->claimed);
    if (s->claimed.reason.code != REASON_NONE) {
        struct buf why = {0};
        sentence_reason(&why, &s->claimed.reason);
        buf_printf(b, _("Listed as %s: the job does not run there (%s)."), machine.data, why.data);
        buf_free(&why);
    } else {
        bool stated = s->offer->link_source <= PROVENANCE_DECLARED;
        buf_printf(b,
                   stated ? _("Listed as %s; with the link it claims (%s) the job takes %s and costs %s.")
                          : _("Listed as %s; with the link assumed for it (%s) the job takes %s and costs %s."),
                   machine.data, link_name((enum link_kind)s->offer->link), hours, usd);
    }
    buf_free(&machine);
    if (s->best < 0) {
        buf_puts(b, _(" With the link found here it fits no number of its GPUs."));
        return;
    }
    const struct seen_row *best = &s->row[s->best];
    put_hours_and_cost(hours, usd, sizeof hours, &best->c);
    buf_putc(b, ' ');
    if (best->gpus == 1)
        buf_printf(b, _("As found, it is best on one GPU: %s, %s."), hours, usd);
    else
        buf_printf(b, _("As found (%s), it is best on %d GPUs: %s, %s."), link_name(best->verdict.link), best->gpus,
                   hours, usd);
    if (s->claimed.reason.code == REASON_NONE) {
        double more_h = best->c.cost.time_h.expected - s->claimed.cost.time_h.expected;
        double more_usd = best->c.cost.usd.expected - s->claimed.cost.usd.expected;
        static const double same = 0.02; /* of the claimed hours: nobody would see it */
        buf_putc(b, ' ');
        if (more_h > same * s->claimed.cost.time_h.expected) {
            num_format(hours, sizeof hours, more_h, NUM_HOURS);
            num_format(usd, sizeof usd, more_usd, NUM_USD);
            buf_printf(b,
                       more_usd >= 0 ? _("That is %s and %s more than with the listed link.")
                                     : _("That is %s more than with the listed link (%s)."),
                       hours, usd);
        } else {
            buf_puts(b, _("The job loses nothing by it."));
        }
    }
    if (best->gpus < t->gpus || !in_order(best)) {
        buf_putc(b, ' ');
        topology_devices(b, t, best);
        buf_puts(b, best->c.e.layout.tp > 1 ? _(" keeps the GPUs that split a layer next to each other.")
                                            : _(" takes those that are nearest to each other."));
    }
}
