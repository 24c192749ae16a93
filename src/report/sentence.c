/* SPDX-License-Identifier: MIT */
#include "gpuplan/report/sentence.h"

#include <string.h>

#include "gpuplan/base/i18n.h"

const char *sentence_reason_label(enum reason_code c) {
    static const char *const labels[REASON_COUNT] = {
        [REASON_NONE] = N_("nothing"),
        [REASON_GPU_MEMORY] = N_("does not fit the GPU's memory"),
        [REASON_HOST_MEMORY] = N_("not enough RAM in the machine"),
        [REASON_DISK] = N_("not enough disk"),
        [REASON_CAPABILITY] = N_("the GPU or its driver cannot do it"),
        [REASON_DIVISIBILITY] = N_("the model cannot be split that way"),
        [REASON_DEADLINE] = N_("too late"),
        [REASON_BUDGET] = N_("over budget"),
        [REASON_UNAVAILABLE] = N_("not available"),
        [REASON_FILTERED] = N_("left out by a limit or the filter"),
        [REASON_PRICE_MISSING] = N_("no price stated"),
    };
    return _(labels[c]);
}

/* Keywords that say all there is to say. */
static const struct {
    const char *what, *text;
} worded[] = {
    {"spot", N_("interruptible, and the job asks for machines that are not (spot=yes allows them)")},
    {"spot_only", N_("not a spot price, and the job asks for spot only")},
    {"regions", N_("not in the regions asked for")},
    {"filter", N_("left out by the filter")},
    {"max_gpus", N_("more GPUs than the job allows")},
    {"summary", N_("a statistic, not a machine")},
    {"expired", N_("the offer has expired")},
    {"available", N_("not available now")},
    {"currency", N_("not priced in US dollars, or in a currency that is not stated")},
    {"host_price", N_("only the GPU's price is stated, not the machine's")},
    {"rate", N_("no price is stated")},
    {"gpu", N_("the card is not known to this program")},
    {"accelerator", N_("not a GPU: other accelerators are not estimated")},
    {"bf16", N_("the card has no bf16 arithmetic")},
    {"fp8", N_("the card has no fp8 arithmetic")},
    {"fp4", N_("the card has no fp4 arithmetic")},
    {"fp16", N_("the arithmetic of this card is not known, or too old")},
    {"engine", N_("the engine does not run on this card")},
    {"engine_split", N_("the engine cannot spread a model this way")},
    {"weights", N_("the engine does not read weights of this format")},
    {"sharded_generation", N_("a sharded training layout would move every weight over the link for each token")},
    {"pins", N_("the pinned layout does not multiply to this number of GPUs")},
};

struct pair {
    char need[32], have[32];
};

static struct pair texts_of(const struct reason *r, enum num_unit unit) {
    struct pair p = {0};
    num_format(p.need, sizeof p.need, r->need, unit);
    num_format(p.have, sizeof p.have, r->have, unit);
    return p;
}

/* What cannot be divided: the name in the workload file is the name people know. */
static void divisibility(struct buf *b, const struct reason *r) {
    struct pair p = texts_of(r, NUM_PLAIN);
    if (strcmp(r->what, "gpus") == 0)
        buf_printf(b, _("the layout needs a multiple of %s GPUs, the machine has %s"), p.need, p.have);
    else if (strcmp(r->what, "batch") == 0)
        buf_printf(b, _("the batch of %s sequences cannot be divided by %s, what all GPUs take at once"), p.have,
                   p.need);
    else /* TRANSLATORS: "kv_heads: 8 cannot be divided by 6" */
        buf_printf(b, _("%s: %s cannot be divided by %s"), r->what, p.have, p.need);
}

static bool worded_reason(struct buf *b, const char *what) {
    for (size_t i = 0; i < sizeof worded / sizeof worded[0]; i++)
        if (strcmp(what, worded[i].what) == 0) {
            buf_puts(b, _(worded[i].text));
            return true;
        }
    return false;
}

void sentence_reason(struct buf *b, const struct reason *r) {
    const char *what = r->what ? r->what : "";
    struct pair p;
    switch (r->code) {
    case REASON_GPU_MEMORY:
        p = texts_of(r, NUM_GIB_UNIT);
        buf_printf(b, _("needs %s on every GPU, the card has %s"), p.need, p.have);
        return;
    case REASON_HOST_MEMORY:
        p = texts_of(r, NUM_GB_UNIT);
        buf_printf(b, _("needs %s of RAM, the machine has %s"), p.need, p.have);
        return;
    case REASON_DISK:
        p = texts_of(r, NUM_GB_UNIT);
        buf_printf(b, _("needs %s of disk, the machine has %s"), p.need, p.have);
        return;
    default:
        break;
    }
    if (worded_reason(b, what))
        return;
    p = texts_of(r, NUM_PLAIN);
    if (strcmp(what, "compute_capability") == 0)
        buf_printf(b, _("needs compute capability %s, the card has %s"), p.need, p.have);
    else if (strcmp(what, "cuda") == 0)
        buf_printf(b, _("needs CUDA %s, the driver goes up to %s"), p.need, p.have);
    else if (strcmp(what, "cuda_max") == 0)
        buf_printf(b, _("the card needs software built for CUDA %s, the job's is pinned to %s"), p.need, p.have);
    else if (r->code == REASON_DIVISIBILITY && *what)
        divisibility(b, r);
    else if (num_known(r->need) && num_known(r->have) && *what)
        buf_printf(b, _("%s: needs %s, has %s"), what, p.need, p.have);
    else
        buf_puts(b, sentence_reason_label(r->code));
}

const char *sentence_flag(enum offer_flag flag) {
    static const struct {
        enum offer_flag flag;
        const char *text;
    } texts[] = {
        {OFFER_ZERO_PRICE, N_("The listed price is zero.")},
        {OFFER_SPOT_GE_ON_DEMAND, N_("The spot price is not below the on-demand price: do not bid.")},
        {OFFER_DUPLICATE, N_("The listing has this row more than once; it counts once.")},
        {OFFER_PRICE_CONFLICT, N_("The listing has two prices for this offer.")},
        {OFFER_VRAM_CONFLICT, N_("The listed memory is no size that this card is sold with.")},
        {OFFER_FORM_CONFLICT, N_("The listed form or link is none that this card has.")},
        {OFFER_COUNT_CONFLICT, N_("The listed count of GPUs is not that of the machine type or its name.")},
        {OFFER_UNIT_GUESS, N_("The unit of a listed figure was decided by what is plausible.")},
        {OFFER_OVERLAP, N_("It is a slice of a machine that other offers are slices of: one of them can be rented.")},
        {OFFER_CURRENCY_UNKNOWN, N_("The price is not in US dollars, or its currency is not stated.")},
        {OFFER_GPU_AMBIGUOUS, N_("The listing's name of the card fits several cards; one of them was assumed.")},
        {OFFER_GPU_UNKNOWN, N_("The card is not in the GPU table.")},
        {OFFER_RAM_SUSPECT, N_("The listed RAM repeats another figure; it counts as not stated.")},
        {OFFER_PRICE_BAND, N_("The price of a GPU is far from what this card costs elsewhere.")},
        {OFFER_SUMMARY_ROW, N_("The row is a statistic over machines, not one that can be rented.")},
        {OFFER_STALE, N_("The price is old: ask before you count on it.")},
        {OFFER_EXPIRED, N_("The offer has ended.")},
        {OFFER_AUCTION_FLOOR, N_("The price is the lowest bid that is taken, not what the machine goes for.")},
        {OFFER_FRACTION, N_("It is a slice of a card, not a whole one.")},
        {OFFER_COMPONENT_PART, N_("The price is that of the GPUs alone; the machine's CPU and RAM are not in it.")},
        {OFFER_BASIS_ASSUMED,
         N_("The listing does not say whether its price is for the machine or for each GPU; the machine was assumed.")},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].flag == flag)
            return _(texts[i].text);
    return "";
}

const char *sentence_risk_reason(enum risk_reason r) {
    static const char *const texts[RISK_REASON_COUNT] = {
        [RISK_LINK_UNKNOWN] =
            N_("Nobody says how its GPUs are connected: the worst that this machine can have was assumed."),
        [RISK_LINK_INFERRED] =
            N_("How its GPUs are connected is inferred from the machine type or the card, not stated by the provider."),
        [RISK_LINK_ASSUMED] = N_("How its GPUs are connected is our assumption."),
        [RISK_UNVERIFIED_HOST] = N_("The host is a private person's machine that the marketplace has not verified."),
        [RISK_NARROW_LANES] = N_("Such cards often sit in slots with 8 or 4 PCIe lanes instead of 16."),
        [RISK_NO_P2P] =
            N_("These cards cannot copy to each other directly: all traffic goes through the machine's memory."),
        [RISK_NETWORK_UNKNOWN] = N_("Nobody says how the machines are connected to each other."),
        [RISK_SPOT] = N_("The machine can be taken back at any time; the cost holds the work that is lost on average."),
        [RISK_DEADLINE_ONLY_AS_CLAIMED] = N_("The deadline is met only if the link is what it is said to be."),
        [RISK_AMBIGUOUS_GPU] = N_("The listing's name of the card fits several cards; one of them was assumed."),
        [RISK_STALE] = N_("The price is old: ask before you count on it."),
        [RISK_CONTRACT_ENDS] = N_("The rental ends before the job would with a safe margin of 20 %."),
        [RISK_TIGHT_MEMORY] = N_("Memory is tight: it may run out at the longest samples."),
        [RISK_RAM_UNKNOWN] = N_("The machine's RAM is not stated."),
    };
    return _(texts[r]);
}

const char *sentence_question(enum risk_question q) {
    static const char *const texts[RISK_QUESTION_COUNT] = {
        [ASK_RATE_FOR_ALL] = N_("Is the rate for the whole machine with all its GPUs and the disk it needs? Is there a "
                                "minimum charge, when does billing start, and what does it cost while stopped?"),
        [ASK_TOPOLOGY] = N_("Please run the topology command on this very machine, under load, with the query of name, "
                            "memory, current PCIe generation and width, and power limit."),
        [ASK_ALL_FREE] = N_("Are all its GPUs free now, on one host, for as long as the job takes? Can you take it "
                            "back, and what happens when a GPU fails?"),
        [ASK_STORAGE] =
            N_("How fast are the disk and the download, how much disk can be used, and does it survive a stop?"),
        [ASK_NETWORK] = N_("How many Gbit/s of RDMA has each GPU between the machines, is it one fabric with "
                           "GPUDirect, and which shared file system can feed all of them?"),
        [ASK_DRIVER] = N_("Which driver and CUDA versions are installed?"),
        [ASK_HOST] =
            N_("How many CPU cores and how much RAM does the machine have, and how are the PCIe slots laid out?"),
    };
    return _(texts[q]);
}

void sentence_count(struct buf *b, size_t n) {
    char digits[32];
    size_t len = num_format_plain(digits, sizeof digits, (double)n, 12);
    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            buf_putc(b, ',');
        buf_putc(b, digits[i]);
    }
}

void sentence_refusal(struct buf *b, const struct question *q, const struct refusal_summary *s) {
    struct buf count = {0};
    (void)q;
    sentence_count(&count, s->offers);
    buf_printf(b, ngettext("%s offer refused: ", "%s offers refused: ", (unsigned long)s->offers), count.data);
    sentence_reason(b, &s->reason);
    buf_free(&count);
}

const char *memory_part_label(enum memory_part m) {
    static const char *const names[MEMORY_PART_COUNT] = {
        N_("weights"),         N_("gradients"), N_("optimizer"),           N_("activations"),
        N_("logits and loss"), N_("KV cache"),  N_("workspace, libraries")};
    return _(names[m]);
}

const char *step_part_label(enum step_part s) {
    static const char *const names[STEP_PART_COUNT] = {
        N_("computing"),       N_("memory traffic"),       N_("waiting for the link"),
        N_("pipeline bubble"), N_("waiting for the host"), N_("optimizer")};
    return _(names[s]);
}

const char *limiter_label(enum limiter l) {
    static const char *const names[LIMITED_COUNT] = {[LIMITED_COMPUTE] = N_("arithmetic"),
                                                     [LIMITED_MEMORY_BANDWIDTH] = N_("memory bandwidth"),
                                                     [LIMITED_LINK] = N_("the link"),
                                                     [LIMITED_NETWORK] = N_("the network"),
                                                     [LIMITED_BUBBLE] = N_("pipeline bubbles"),
                                                     [LIMITED_INPUT] = N_("the input"),
                                                     [LIMITED_OPTIMIZER] = N_("the optimizer"),
                                                     [LIMITED_LATENCY] = N_("launches and scheduling on the host"),
                                                     [LIMITED_KV_ROOM] = N_("room for the KV cache")};
    return _(names[l]);
}

const char *cost_part_label(enum cost_part k) {
    static const char *const names[COST_PART_COUNT] = {N_("the run"), N_("set-up, copying out"), N_("disk"),
                                                       N_("traffic"), N_("lost work")};
    return _(names[k]);
}

const char *risk_grade_label(enum risk_grade g) {
    static const char *const names[] = {N_("none: nothing to communicate"), N_("low"), N_("medium"), N_("high")};
    return _(names[g]);
}

const char *short_link(enum link_kind k) {
    static const char *const names[LINK_COUNT] = {"NVSw", "NVLk", "NVbr", "xGMI", "PCIe", "PCIeH", "-", "?"};
    return names[k];
}

const char *provenance_mark(enum provenance p) {
    static const char *const marks[PROVENANCE_COUNT] = {"", "?", "?", "??", "??"};
    return marks[p];
}

/* "H100-SXM5-80GB" -> "H100 SXM 80G": what tells cards apart, in few columns. */
void short_gpu(char *out, size_t cap, const char *canonical) {
    size_t n = 0;
    for (const char *s = canonical; *s && n + 1 < cap; s++) {
        bool generation = s >= canonical + 3 && strncmp(s - 3, "SXM", 3) == 0 && *s >= '0' && *s <= '9';
        bool byte = *s == 'B' && s > canonical && s[-1] == 'G' && s[1] == '\0';
        if (!generation && !byte)
            out[n++] = *s == '-' ? ' ' : *s;
    }
    out[n] = '\0';
}

const char *short_machine(const char *machine, size_t *len) {
    const char *s = machine + strspn(machine, "0123456789"), *open = strchr(s, '(');
    *len = strlen(machine);
    if (s == machine || s[0] != 'x' || s[1] != ' ' || !open || machine[*len - 1] != ')' || open + 2 >= machine + *len)
        return machine;
    *len = (size_t)(machine + *len - open) - 2;
    return open + 1;
}

const char *short_get(const struct offer *f) {
    if (f->available == TRI_NO)
        return _("no");
    switch ((enum access_kind)f->access) {
    case ACCESS_QUOTA:
        return _("quota");
    case ACCESS_WAITLIST:
        return _("wait");
    case ACCESS_SALES:
        return _("ask");
    default:
        return f->available == TRI_YES ? _("now") : "?";
    }
}

unsigned unstated_of(const struct question *q, const struct candidate *c) {
    const struct offer *f = c->offer;
    const struct offer_extra *x = offer_extra(q->offers, f);
    const struct provider *p = providers_find(q->providers, offers_text(q->offers, f->provider));
    unsigned bits = 0;
    if (!num_known(x->billing_step_s) && !num_known(p->billing_step_s))
        bits |= UNSTATED_BILLING;
    if (!num_known(x->disk_usd_gb_month) && !num_known(p->disk_usd_gb_month))
        bits |= UNSTATED_STORAGE;
    if (!num_known(x->egress_usd_gb) && !num_known(p->egress_usd_gb))
        bits |= UNSTATED_EGRESS;
    if (!num_known((double)f->ram_gb) || f->flags & OFFER_RAM_SUSPECT)
        bits |= UNSTATED_RAM;
    if (!num_known((double)f->disk_local_gb) && !num_known(x->disk_persist_gb))
        bits |= UNSTATED_DISK;
    if (f->gpus > 1 && c->shape.gpus > 1 && c->shape.link_source >= PROVENANCE_ASSUMED)
        bits |= UNSTATED_LINK;
    if (c->shape.nodes > 1 && c->shape.network_source >= PROVENANCE_ASSUMED)
        bits |= UNSTATED_NETWORK;
    if (!num_known(x->inet_down_mbps) && !num_known(p->inet_gbps))
        bits |= UNSTATED_INTERNET;
    return bits;
}

const char *unstated_text(unsigned bit) {
    switch (bit) {
    case UNSTATED_BILLING:
        return "billing_step_s=1 (not stated)";
    case UNSTATED_STORAGE:
        return "disk_usd_gb_month=0 (not stated)";
    case UNSTATED_EGRESS:
        return "egress_usd_gb=0 (not stated)";
    case UNSTATED_RAM:
        return "ram_gb=enough (not stated)";
    case UNSTATED_DISK:
        return "disk=enough (not stated)";
    case UNSTATED_LINK:
        return "link=worst of this hardware (not stated)";
    case UNSTATED_NETWORK:
        return "network=default of its kind (not stated)";
    case UNSTATED_INTERNET:
        return "internet rate by host class (not stated)";
    default:
        return "";
    }
}
