/* SPDX-License-Identifier: MIT */
#include "gpuplan/report/column.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/sentence.h"
#include "gpuplan/report/serving.h"

#define NUMBER(name, expression)                                                       \
    static double number_##name(const struct question *q, const struct candidate *c) { \
        (void)q;                                                                       \
        return (expression);                                                           \
    }
#define WORD(name, expression)                                                                    \
    static void word_##name(struct buf *b, const struct question *q, const struct candidate *c) { \
        (void)q;                                                                                  \
        buf_puts(b, (expression));                                                                \
    }
#define INTERNED(field) offers_text(q->offers, c->offer->field)

static const char *card_name(const struct question *q, const struct candidate *c) {
    return c->offer->gpu >= 0 ? catalog_gpu(q->catalog, (size_t)c->offer->gpu)->name : INTERNED(gpu_raw);
}

static double link_gbs(const struct question *q, const struct candidate *c) {
    const struct shape *s = &c->shape;
    if (!s->gpu || s->gpus < 2)
        return NUM_UNKNOWN;
    return link_speed(q->catalog, s->gpu, s->link, s->gpus, s->link_gbs, s->pcie_gen, s->pcie_lanes).ring_gbs.expected;
}

static double age_h(const struct question *q, const struct candidate *c) {
    return q->now > 0 && c->offer->observed_at > 0 ? (double)(q->now - c->offer->observed_at) / 3600 : NUM_UNKNOWN;
}

NUMBER(rank, c->rank)
NUMBER(group_size, (double)c->group_size)
NUMBER(gpus, c->offer->gpus)
NUMBER(gpus_used, c->shape.gpus * c->shape.nodes)
NUMBER(nodes, c->shape.nodes)
NUMBER(vram, c->e.capacity_gib)
NUMBER(rate, c->rate_usd_h)
NUMBER(rate_gpu, c->rate_usd_h / c->offer->gpus)
NUMBER(link_gbs, link_gbs(q, c))
NUMBER(time, c->cost.time_h.expected)
NUMBER(time_low, c->cost.time_h.low)
NUMBER(time_high, c->cost.time_h.high)
NUMBER(setup, c->cost.setup_h)
NUMBER(gpu_hours, c->gpu_hours)
NUMBER(usd, c->cost.usd.expected)
NUMBER(usd_low, c->cost.usd.low)
NUMBER(usd_high, c->cost.usd.high)
NUMBER(usd_compute, c->cost.part_usd[COST_COMPUTE])
NUMBER(usd_setup, c->cost.part_usd[COST_SETUP])
NUMBER(usd_storage, c->cost.part_usd[COST_STORAGE])
NUMBER(usd_egress, c->cost.part_usd[COST_EGRESS])
NUMBER(usd_lost, c->cost.part_usd[COST_LOST_WORK])
NUMBER(usd_mtok, c->cost.usd_per_mtok.expected)
NUMBER(usd_1k, usd_per_1k_requests(q->job, &c->cost).expected)
NUMBER(usd_month, usd_per_month(q->job, &c->cost))
NUMBER(usd_useful, c->cost.usd_per_useful_gpu_h)
NUMBER(naive, c->cost.naive_usd)
NUMBER(risk_extra, c->risk.expected_extra_usd)
NUMBER(risk_worse, c->risk.worse_usd)
NUMBER(risk_leave, c->risk.leave_usd)
NUMBER(memory, c->e.memory_gib.expected)
NUMBER(memory_high, c->e.memory_gib.high)
NUMBER(tokens, c->e.tokens_per_s.expected)
NUMBER(ttft, c->e.ttft_ms.expected)
NUMBER(itl, c->e.itl_ms.expected)
NUMBER(e2e, c->e.e2e_ms.expected)
NUMBER(concurrency, c->e.max_concurrency)
NUMBER(sustained, c->e.sustained_requests_per_s.expected)
NUMBER(copies, c->e.replicas_needed)
NUMBER(efficiency, c->efficiency)
NUMBER(fits_from, c->fits_from_gpus)
NUMBER(ram, (double)c->offer->ram_gb)
NUMBER(age, age_h(q, c))
NUMBER(step, c->e.step_s)
WORD(id, INTERNED(id))
WORD(provider, INTERNED(provider))
WORD(machine, INTERNED(machine))
WORD(region, INTERNED(region))
WORD(gpu, card_name(q, c))
WORD(kind, rate_kind_name((enum rate_kind)c->offer->rate_kind))
WORD(basis, rate_basis_name((enum rate_basis)c->offer->rate_basis))
WORD(link, c->shape.gpu ? link_name(c->shape.link) : "")
WORD(link_source, c->shape.gpu ? provenance_name(c->shape.link_source) : "")
WORD(fit, fit_name(c->e.fit))
WORD(class, rank_class_name(c->cls))
WORD(deadline, limit_state_name(c->deadline))
WORD(budget, limit_state_name(c->budget))
WORD(risk, risk_grade_name(c->risk.grade))
WORD(available, tri_name((enum tri)c->offer->available))
WORD(access, access_name((enum access_kind)c->offer->access))
WORD(host, host_class_name((enum host_class)c->offer->host_class))
WORD(limited, limiter_name(c->e.limited_by))
WORD(tie, c->tie ? "yes" : "no")
WORD(frontier, c->frontier ? "yes" : "no")

/* ---- short texts ---- */

static void cell_flags(struct buf *b, const struct question *q, const struct candidate *c) {
    const char *gap = "";
    (void)q;
    for (unsigned bit = 0; bit < OFFER_FLAG_COUNT; bit++)
        if (c->offer->flags >> bit & 1) {
            buf_printf(b, "%s%s", gap, offer_flag_name((enum offer_flag)(1u << bit)));
            gap = " ";
        }
}

static void cell_rank(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    buf_printf(b, c->tie ? "%d=" : "%d ", c->rank);
}

static void cell_offer(struct buf *b, const struct question *q, const struct candidate *c) {
    buf_puts(b, INTERNED(provider));
    if (c->group_size > 1) /* in front of the machine's name, which may be cut */
        buf_printf(b, "\303\227%zu", c->group_size);
    size_t len;
    const char *machine = short_machine(INTERNED(machine), &len);
    buf_printf(b, " %.*s", (int)len, machine);
}

static void cell_gpus(struct buf *b, const struct question *q, const struct candidate *c) {
    char card[64];
    short_gpu(card, sizeof card, card_name(q, c));
    int paid = c->offer->gpus * (c->shape.nodes > 0 ? c->shape.nodes : 1), used = c->shape.gpus * c->shape.nodes;
    if (used > 0 && used < paid)
        buf_printf(b, "%d/%dx %s", used, paid, card);
    else
        buf_printf(b, "%dx %s", paid, card);
}

static void cell_link(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    const struct shape *s = &c->shape;
    bool one = !s->gpu || s->gpus < 2;
    buf_printf(b, "%s%s", one ? "-" : short_link(s->link), one ? "" : provenance_mark(s->link_source));
}

/* printf takes a half to the even side, which is not what the sentences say. */
static void put_decimals(char *out, size_t cap, double x, int decimals) {
    static const double tens[] = {1, 10, 100};
    snprintf(out, cap, "%.*f", decimals, round(x * tens[decimals]) / tens[decimals]);
}

/* low-high, both with the precision that the larger one needs. */
static void put_span(struct buf *b, double low, double high) {
    int decimals = high < 0.095 ? 2 : high < 9.95 ? 1 : 0;
    bool huge = high >= 99999.5;
    char a[32], z[32];
    if (huge) {
        num_format(a, sizeof a, low, NUM_COUNT);
        num_format(z, sizeof z, high, NUM_COUNT);
    } else {
        put_decimals(a, sizeof a, low, decimals);
        put_decimals(z, sizeof z, high, decimals);
    }
    if (strcmp(a, z) == 0)
        buf_puts(b, a);
    else
        buf_printf(b, "%s\342\200\223%s", a, z);
}

static void cell_time(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    put_span(b, c->cost.time_h.low, c->cost.time_h.high);
}

static void cell_total(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    put_span(b, c->cost.usd.low, c->cost.usd.high);
}

/* What the listing says of the price may be wrong: marked beside it. */
static void cell_rate(struct buf *b, const struct question *q, const struct candidate *c) {
    enum {
        DOUBTFUL = OFFER_ZERO_PRICE | OFFER_SPOT_GE_ON_DEMAND | OFFER_PRICE_CONFLICT | OFFER_CURRENCY_UNKNOWN |
                   OFFER_PRICE_BAND | OFFER_AUCTION_FLOOR | OFFER_COMPONENT_PART | OFFER_BASIS_ASSUMED
    };
    (void)q;
    if (c->offer->flags & DOUBTFUL)
        buf_putc(b, '!');
    buf_printf(b, c->rate_usd_h < 0.1 ? "%.4f" : c->rate_usd_h < 100 ? "%.2f" : "%.1f", c->rate_usd_h);
}

static void cell_risk(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    static const char *const words[] = {N_("-"), N_("low"), N_("med"), N_("high")};
    double more = c->risk.worse_usd - c->cost.usd.expected;
    if (c->risk.grade >= RISK_MEDIUM && more >= 0.5)
        buf_printf(b, "%s +$%.0f", _(words[c->risk.grade]), more);
    else
        buf_puts(b, _(words[c->risk.grade]));
}

static void cell_fit(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    if (c->cls == RANK_LATE)
        buf_puts(b, c->deadline == LIMIT_MISSED ? _("LATE") : c->budget == LIMIT_MISSED ? _("OVER") : _("SLOW"));
    else
        buf_puts(b, c->e.fit == FIT_TIGHT ? _("TIGHT") : c->e.fit == FIT_FITS ? _("fits") : _("no"));
}

static void cell_get(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    buf_puts(b, short_get(c->offer));
}

static void cell_rate_gpu(struct buf *b, const struct question *q, const struct candidate *c) {
    double rate = number_rate_gpu(q, c);
    buf_printf(b, rate < 0.1 ? "%.4f" : "%.2f", rate);
}

static void cell_gpu_hours(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    buf_printf(b, c->gpu_hours < 10 ? "%.1f" : "%.0f", c->gpu_hours);
}

static void cell_mtok(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    if (num_known(c->cost.usd_per_mtok.expected))
        buf_printf(b, "%.3g", c->cost.usd_per_mtok.expected);
}

static void cell_itl(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    if (num_known(c->e.itl_ms.expected))
        buf_printf(b, "%.0f", c->e.itl_ms.expected);
}

static void cell_ttft(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    if (num_known(c->e.ttft_ms.expected))
        buf_printf(b, "%.0f", c->e.ttft_ms.expected);
}

static void cell_tokens(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    char text[32];
    num_format(text, sizeof text, c->e.tokens_per_s.expected, NUM_COUNT);
    if (c->e.tokens_per_s.expected > 0)
        buf_puts(b, text);
}

static void cell_concurrency(struct buf *b, const struct question *q, const struct candidate *c) {
    if (q->job->task == TASK_INFERENCE && c->e.max_concurrency > 0)
        buf_printf(b, "%.0f", c->e.max_concurrency);
}

static void cell_sustained(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    if (num_known(c->e.sustained_requests_per_s.expected))
        buf_printf(b, "%.3g", c->e.sustained_requests_per_s.expected);
}

static void cell_limited(struct buf *b, const struct question *q, const struct candidate *c) {
    static const char *const words[LIMITED_COUNT] = {N_("arithm."), N_("memory"), N_("link"),
                                                     N_("network"), N_("bubble"), N_("input"),
                                                     N_("optim."),  N_("host"),   N_("KV room")};
    (void)q;
    buf_puts(b, _(words[c->e.limited_by]));
}

static void put_split(struct buf *b, const char *name, int ranks) {
    if (ranks > 1)
        buf_printf(b, "%s%s%d", b->len > 0 ? " " : "", name, ranks);
}

/* "2x tp4", "8x": copies, then how one is split. */
static void cell_split(struct buf *b, const struct question *q, const struct candidate *c) {
    const struct layout *l = &c->e.layout;
    bool serving = q->job->task == TASK_INFERENCE;
    struct buf text = {0};
    if (serving && l->replicas > 1)
        buf_printf(&text, "%dx", l->replicas);
    put_split(&text, "dp", l->ep > 1 && serving ? 1 : l->dp);
    put_split(&text, "tp", l->tp);
    put_split(&text, "pp", l->pp);
    put_split(&text, "cp", l->cp);
    put_split(&text, "ep", l->ep);
    buf_puts(b, text.len > 0 ? text.data : "-");
    buf_free(&text);
}

static void cell_place(struct buf *b, const struct question *q, const struct candidate *c) {
    buf_puts(b, INTERNED(region));
}

static void cell_memory(struct buf *b, const struct question *q, const struct candidate *c) {
    (void)q;
    buf_printf(b, "%.0f/%.0f", c->e.memory_gib.expected, c->e.capacity_gib);
}

static const struct column columns[] = {
    {"rank", "#", N_("place in the ranking; = cannot be told apart from the row above"), false, 0, 1, number_rank, NULL,
     cell_rank, false, 0},
    {"id", NULL, N_("identity of the offer, for --pick"), true, 0, 0, NULL, word_id, NULL, false, 0},
    {"offer", N_("Offer"), N_("provider and machine, with the number of equal offers"), true, 8, 20, NULL, cell_offer,
     cell_offer, false, 0},
    {"provider", NULL, N_("provider"), true, 0, 0, NULL, word_provider, NULL, false, 0},
    {"machine", NULL, N_("machine type"), true, 0, 0, NULL, word_machine, NULL, false, 0},
    {"region", N_("Place"), N_("region of the offer"), true, 6, 140, NULL, word_region, cell_place, false, 0},
    {"group_size", NULL, N_("offers equal in provider, machine, rate and shape"), false, 0, 0, number_group_size, NULL,
     NULL, true, 0},
    {"gpu", N_("GPUs"), N_("count and card; 4/8x = four of eight are used, all are paid for"), true, 9, 1, NULL,
     word_gpu, cell_gpus, false, 0},
    {"gpus", NULL, N_("GPUs of the machine"), false, 0, 0, number_gpus, NULL, NULL, true, 0},
    {"gpus_used", NULL, N_("GPUs the layout uses"), false, 0, 0, number_gpus_used, NULL, NULL, true, 0},
    {"nodes", NULL, N_("machines"), false, 0, 0, number_nodes, NULL, NULL, true, 0},
    {"vram_gib", NULL, N_("usable memory of one GPU, GiB"), false, 0, 0, number_vram, NULL, NULL, true, 0},
    {"link", N_("Link"), N_("link between its GPUs; ? inferred or declared, ?? assumed"), true, 0, 60, NULL, word_link,
     cell_link, false, 0},
    {"link_source", NULL, N_("where the link is known from"), true, 0, 0, NULL, word_link_source, NULL, false, 0},
    {"link_gbs", NULL, N_("effective bandwidth of the link, GB/s one direction per GPU"), false, 0, 0, number_link_gbs,
     NULL, NULL, true, 0},
    {"rate_usd_h", N_("$/h"), N_("rate of the machine, dollars an hour; ! doubtful"), false, 0, 30, number_rate, NULL,
     cell_rate, false, 0},
    {"rate_gpu_usd_h", N_("$/GPU-h"), N_("rate of one GPU, dollars an hour"), false, 0, 140, number_rate_gpu, NULL,
     cell_rate_gpu, false, 0},
    {"rate_kind", NULL, N_("on demand, spot, reserved, or the floor of a bid"), true, 0, 0, NULL, word_kind, NULL,
     false, 0},
    {"rate_basis", NULL, N_("what the listing's rate is for: the machine, a GPU, components"), true, 0, 0, NULL,
     word_basis, NULL, false, 0},
    {"time_h", N_("Time h"), N_("hours from the first billed second to results copied out, 10 to 90 %"), false, 0, 40,
     number_time, NULL, cell_time, false, -1},
    {"time_low_h", NULL, N_("hours, low end"), false, 0, 0, number_time_low, NULL, NULL, false, 0},
    {"time_high_h", NULL, N_("hours, high end"), false, 0, 0, number_time_high, NULL, NULL, false, 0},
    {"setup_h", NULL, N_("hours of set-up, part of time_h"), false, 0, 0, number_setup, NULL, NULL, false, 0},
    {"gpu_hours", N_("GPU-h"), N_("GPU hours paid for"), false, 0, 140, number_gpu_hours, NULL, cell_gpu_hours, false,
     -1},
    {"cost_usd", N_("Total $"), N_("dollars in all, 10 to 90 %"), false, 0, 30, number_usd, NULL, cell_total, false, 0},
    {"cost_low_usd", NULL, N_("dollars in all, low end"), false, 0, 0, number_usd_low, NULL, NULL, false, 0},
    {"cost_high_usd", NULL, N_("dollars in all, high end"), false, 0, 0, number_usd_high, NULL, NULL, false, 0},
    {"cost_compute_usd", NULL, N_("dollars of the run itself"), false, 0, 0, number_usd_compute, NULL, NULL, false, 0},
    {"cost_setup_usd", NULL, N_("dollars of set-up and of copying results out"), false, 0, 0, number_usd_setup, NULL,
     NULL, false, 0},
    {"cost_storage_usd", NULL, N_("dollars of disk"), false, 0, 0, number_usd_storage, NULL, NULL, false, 0},
    {"cost_egress_usd", NULL, N_("dollars of traffic"), false, 0, 0, number_usd_egress, NULL, NULL, false, 0},
    {"cost_lost_work_usd", NULL, N_("dollars of work lost to interruptions (spot)"), false, 0, 0, number_usd_lost, NULL,
     NULL, false, 0},
    {"naive_cost_usd", NULL, N_("dollars if every GPU added as much as the first"), false, 0, 0, number_naive, NULL,
     NULL, false, 0},
    {"usd_per_mtok", N_("$/Mtok"), N_("dollars per million output tokens"), false, 0, 0, number_usd_mtok, NULL,
     cell_mtok, false, 50},
    {"usd_per_1k_requests", NULL, N_("dollars per 1,000 requests"), false, 0, 0, number_usd_1k, NULL, NULL, false, 0},
    {"usd_per_month", NULL, N_("dollars a month of serving"), false, 0, 0, number_usd_month, NULL, NULL, false, 0},
    {"usd_per_useful_gpu_h", NULL, N_("dollars an hour of one GPU over its efficiency"), false, 0, 0, number_usd_useful,
     NULL, NULL, false, 0},
    {"risk", N_("Risk"), N_("risk that the link is worse than named, and what it would cost"), true, 0, 70, NULL,
     word_risk, cell_risk, true, 0},
    {"risk_extra_usd", NULL, N_("dollars the risk costs on average; part of the goal"), false, 0, 0, number_risk_extra,
     NULL, NULL, false, 0},
    {"risk_worse_usd", NULL, N_("dollars in all if the link is worse and you stay"), false, 0, 0, number_risk_worse,
     NULL, NULL, false, 0},
    {"risk_leave_usd", NULL, N_("dollars to find out and leave"), false, 0, 0, number_risk_leave, NULL, NULL, false, 0},
    {"fit", N_("Fit"), N_("fits, tight or no; LATE, OVER budget, SLOW for the targets"), true, 0, 40, NULL, word_fit,
     cell_fit, false, 0},
    {"class", NULL, N_("class of the ranking"), true, 0, 0, NULL, word_class, NULL, false, 0},
    {"deadline", NULL, N_("deadline met, missed or none"), true, 0, 0, NULL, word_deadline, NULL, false, 0},
    {"budget", NULL, N_("budget met, missed or none"), true, 0, 0, NULL, word_budget, NULL, false, 0},
    {"memory_gib", N_("GiB"), N_("memory of the fullest GPU, GiB, of what it has"), false, 0, 100, number_memory, NULL,
     cell_memory, false, 0},
    {"memory_high_gib", NULL, N_("memory of the fullest GPU, high end, GiB"), false, 0, 0, number_memory_high, NULL,
     NULL, false, 0},
    {"split", N_("Split"), N_("how the job is split: copies, then the ranks of one"), true, 0, 0, NULL, cell_split,
     cell_split, false, 90},
    {"tokens_per_s", N_("tok/s"), N_("tokens per second; inference: output tokens of all copies"), false, 0, 0,
     number_tokens, NULL, cell_tokens, true, 110},
    {"step_s", NULL, N_("seconds of one step"), false, 0, 0, number_step, NULL, NULL, false, 0},
    {"ttft_ms", N_("1st ms"), N_("time to the first token, ms"), false, 0, 0, number_ttft, NULL, cell_ttft, false, 90},
    {"itl_ms", N_("ms/tok"), N_("time between tokens, ms"), false, 0, 0, number_itl, NULL, cell_itl, false, 60},
    {"e2e_ms", NULL, N_("time to the end of an answer, ms"), false, 0, 0, number_e2e, NULL, NULL, false, 0},
    {"max_concurrency", N_("At once"), N_("sequences that fit at once"), false, 0, 0, number_concurrency, NULL,
     cell_concurrency, true, 120},
    {"sustained_requests_per_s", N_("Req/s"), N_("requests a second it carries at the targets"), false, 0, 0,
     number_sustained, NULL, cell_sustained, true, 100},
    {"replicas_needed", NULL, N_("copies that the whole load needs"), false, 0, 0, number_copies, NULL, NULL, false, 0},
    {"efficiency", NULL, N_("speed-up over the smallest count that fits, divided by the ratio of the counts"), false, 0,
     0, number_efficiency, NULL, NULL, true, 0},
    {"fits_from_gpus", NULL, N_("smallest count of this card that holds the job"), false, 0, 0, number_fits_from, NULL,
     NULL, false, 0},
    {"limited_by", N_("Limit"), N_("what limits the speed"), true, 0, 0, NULL, word_limited, cell_limited, false, 130},
    {"ram_gb", NULL, N_("RAM of the machine, GB"), false, 0, 0, number_ram, NULL, NULL, true, 0},
    {"host_class", N_("Host"), N_("what kind of provider it is"), true, 6, 140, NULL, word_host, NULL, false, 0},
    {"available", NULL, N_("available now: yes, no, unknown"), true, 0, 0, NULL, word_available, NULL, false, 0},
    {"access", N_("Get"), N_("how to get it: now, quota, waiting list, ask, unknown"), true, 0, 80, NULL, word_access,
     cell_get, false, 0},
    {"age_h", NULL, N_("age of the listing, hours"), false, 0, 0, number_age, NULL, NULL, false, 0},
    {"tie", NULL, N_("cannot be told apart from the row above"), true, 0, 0, NULL, word_tie, NULL, false, 0},
    {"frontier", NULL, N_("nothing else is both cheaper and faster"), true, 0, 0, NULL, word_frontier, NULL, false, 0},
    {"flags", N_("Flags"), N_("what is doubtful in the listing's row (`explain` says it in words)"), true, 14, 170,
     NULL, cell_flags, NULL, false, 0},
};
enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

const struct column *column_table(size_t *count) {
    *count = COLUMN_COUNT;
    return columns;
}

const struct column *column_find(const char *key) {
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (text_equal_fold(columns[i].key, key))
            return &columns[i];
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (columns[i].label && text_equal_fold(columns[i].label, key))
            return &columns[i];
    for (size_t i = 0; i < COLUMN_COUNT; i++) /* "time" means time_h */
        if (strncmp(columns[i].key, key, strlen(key)) == 0 && columns[i].key[strlen(key)] == '_')
            return &columns[i];
    return NULL;
}

const char *column_nearest(const char *key) {
    const char *names[COLUMN_COUNT];
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        names[i] = columns[i].key;
    return text_nearest(key, names, COLUMN_COUNT);
}

void column_put_data(const struct column *c, struct buf *b, const struct question *q,
                     const struct candidate *candidate) {
    if (c->number) {
        char text[40];
        num_format_plain(text, sizeof text, c->number(q, candidate), 9);
        buf_puts(b, text);
    } else if (c->value) {
        struct buf cell = {0};
        c->value(&cell, q, candidate);
        text_csv_cell(b, cell.data ? cell.data : "");
        buf_free(&cell);
    }
}

void column_put(const struct column *c, struct buf *b, const struct question *q, const struct candidate *candidate) {
    if (c->text)
        c->text(b, q, candidate);
    else if (c->value)
        c->value(b, q, candidate);
    else
        column_put_data(c, b, q, candidate);
}
