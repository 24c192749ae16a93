/* SPDX-License-Identifier: MIT */
/* The answer, sentence by sentence: what to rent, what it takes, what could go wrong, what else there is. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/listing/source.h"
#include "gpuplan/report/sentence.h"
#include "gpuplan/report/serving.h"

struct texts {
    char time[3][32], usd[3][32];
};

static struct texts texts_of(const struct candidate *c) {
    struct texts t = {0};
    const double hours[] = {c->cost.time_h.low, c->cost.time_h.expected, c->cost.time_h.high};
    const double usd[] = {c->cost.usd.low, c->cost.usd.expected, c->cost.usd.high};
    for (int i = 0; i < 3; i++) {
        num_format(t.time[i], sizeof t.time[i], hours[i], NUM_HOURS);
        num_format(t.usd[i], sizeof t.usd[i], usd[i], NUM_USD);
    }
    return t;
}

/* "gpu_8x_a100, us-east-1": what the listing calls it, as far as it says. */
static void put_place(struct buf *b, const struct question *q, const struct offer *f) {
    size_t len;
    const char *machine = short_machine(offers_text(q->offers, f->machine), &len),
               *region = offers_text(q->offers, f->region);
    buf_printf(b, "%.*s%s%s", (int)len, machine, len > 0 && *region ? ", " : "", region);
}

void sentence_machine(struct buf *b, const struct question *q, const struct candidate *c) {
    char card[64], rate[32];
    const struct offer *f = c->offer;
    struct buf place = {0};
    short_gpu(card, sizeof card,
              f->gpu >= 0 ? catalog_gpu(q->catalog, (size_t)f->gpu)->name : offers_text(q->offers, f->gpu_raw));
    num_format(rate, sizeof rate, c->rate_usd_h, NUM_USD);
    put_place(&place, q, f);
    const char *provider = offers_text(q->offers, f->provider), *where = place.len > 0 ? place.data : "?";
    if (c->shape.nodes > 1)
        buf_printf(b, _("%d machines of %dx %s at %s (%s), %s/h each"), c->shape.nodes, f->gpus, card, provider, where,
                   rate);
    else
        buf_printf(b, _("%dx %s at %s (%s), %s/h"), f->gpus, card, provider, where, rate);
    buf_free(&place);
}

void sentence_job(struct buf *b, const struct job *j) {
    static const char *const tasks[TASK_COUNT] = {N_("Pre-training of"),     N_("Full fine-tuning of"),
                                                  N_("LoRA fine-tuning of"), N_("QLoRA fine-tuning of"),
                                                  N_("Inference with"),      N_("A measured run")};
    char tokens[32];
    buf_puts(b, _(tasks[j->task]));
    if (j->task == TASK_MEASURED) {
        char hours[32];
        num_format(hours, sizeof hours, j->base_hours, NUM_HOURS);
        buf_printf(b, _(": %s on %s"), hours, j->base_gpu);
        return;
    }
    buf_printf(b, " %s", j->model.name);
    if (j->task == TASK_INFERENCE) {
        buf_printf(b, _(", %g tokens in and %g out"), j->input_len, j->output_len);
        return;
    }
    num_format(tokens, sizeof tokens, j->tokens, NUM_TOKENS);
    buf_printf(b, _(", %s tokens in samples of up to %d"), tokens, j->seq_len);
}

static void put_constraint(struct buf *b, const struct question *q, const struct answer *a) {
    struct buf machine = {0};
    char limit[32];
    const struct candidate *c = &a->best;
    int used = c->shape.gpus * c->shape.nodes;
    sentence_machine(&machine, q, c);
    switch (a->constraint) {
    case CONSTRAINT_CAPACITY:
        buf_printf(b, _("One such GPU does not hold it: it fits from %d. Rent %s."), c->fits_from_gpus, machine.data);
        break;
    case CONSTRAINT_DEADLINE:
        num_format(limit, sizeof limit, q->job->deadline_h, NUM_HOURS);
        buf_printf(b, _("It fits one such GPU, but one would be too slow for the deadline of %s. Rent %s."), limit,
                   machine.data);
        break;
    case CONSTRAINT_LOAD:
        buf_printf(b, _("It fits one such GPU, but one cannot carry the load within the targets. Rent %s."),
                   machine.data);
        break;
    default:
        if (used == 1 && c->cls > RANK_TIGHT)
            buf_printf(b, _("Rent %s."), machine.data);
        else if (used == 1)
            buf_printf(b, _("One GPU is enough. Rent %s."), machine.data);
        else
            buf_printf(b, _("One such GPU would do; with %d the whole still costs least. Rent %s."), used,
                       machine.data);
    }
    if (used < c->offer->gpus * c->shape.nodes) {
        buf_putc(b, ' ');
        buf_printf(b, _("Use %d of its %d GPUs; all of them are paid for."), used, c->offer->gpus * c->shape.nodes);
    }
    buf_free(&machine);
}

static void put_takes(struct buf *b, const struct question *q, const struct candidate *c) {
    struct texts t = texts_of(c);
    buf_putc(b, ' ');
    if (job_is_serving(q->job)) {
        char per[32], itl[32];
        num_format(per, sizeof per, c->cost.usd_per_mtok.expected, NUM_USD);
        num_format(itl, sizeof itl, c->e.itl_ms.expected, NUM_MILLISECONDS);
        buf_printf(b, _("It costs %s in all for %s (%s to %s), that is %s per million output tokens, at %s a token."),
                   t.usd[1], t.time[1], t.usd[0], t.usd[2], per, itl);
    } else {
        buf_printf(b, _("The job takes %s (%s to %s) and costs %s in all (%s to %s), set-up included."), t.time[1],
                   t.time[0], t.time[2], t.usd[1], t.usd[0], t.usd[2]);
    }
}

static void put_scaling(struct buf *b, const struct question *q, const struct candidate *c) {
    int used = c->shape.gpus * c->shape.nodes;
    if (used <= c->efficiency_base || !num_known(c->efficiency) || c->efficiency_base == 0)
        return;
    bool weak = q->job->task == TASK_MEASURED && q->job->scaling == SCALING_WEAK;
    buf_putc(b, ' ');
    buf_printf(b,
               weak ? _("%d GPUs do %.1f times the work of %d (efficiency %.0f %%, weak scaling).")
                    : _("%d GPUs are %.1f times as fast as %d (efficiency %.0f %%, strong scaling)."),
               used, c->efficiency * used / c->efficiency_base, c->efficiency_base, c->efficiency * 100);
    if (c->efficiency > 1)
        buf_puts(b,
                 _(" More than the ideal, because fewer GPUs have too little memory for the fastest way: they work in "
                   "smaller pieces, recompute or offload."));
}

/* Met by the expected value alone: one case in ten, or somewhat fewer, goes past it. */
static void put_close(struct buf *b, const struct question *q, const struct candidate *c) {
    char limit[32];
    if (c->deadline == LIMIT_MET && c->cost.access_h + c->cost.time_h.high > q->job->deadline_h) {
        num_format(limit, sizeof limit, q->job->deadline_h, NUM_HOURS);
        buf_putc(b, ' ');
        buf_printf(b, _("The deadline of %s is close: the high estimate passes it."), limit);
    }
    if (c->budget == LIMIT_MET && c->cost.usd.high > q->job->budget_usd) {
        num_format(limit, sizeof limit, q->job->budget_usd, NUM_USD);
        buf_putc(b, ' ');
        buf_printf(b, _("The budget of %s is close: the high estimate passes it."), limit);
    }
}

/* `first`: of a whole ranking, so that nothing does better; else of one machine looked at by itself. */
static void put_class(struct buf *b, const struct question *q, const struct candidate *c, bool first) {
    char limit[32], need[32], have[32];
    if (c->e.fit == FIT_TIGHT) {
        num_format(need, sizeof need, c->e.memory_gib.high, NUM_GIB_UNIT);
        num_format(have, sizeof have, c->e.capacity_gib, NUM_GIB_UNIT);
        buf_putc(b, ' ');
        buf_printf(b, _("Memory is tight: it may need %s of %s."), need, have);
    }
    if (c->deadline == LIMIT_MISSED) {
        num_format(limit, sizeof limit, q->job->deadline_h, NUM_HOURS);
        buf_putc(b, ' ');
        buf_printf(b,
                   first ? _("Nothing meets the deadline of %s; this comes first among what is late.")
                         : _("It misses the deadline of %s."),
                   limit);
    }
    if (c->budget == LIMIT_MISSED) {
        num_format(limit, sizeof limit, q->job->budget_usd, NUM_USD);
        buf_putc(b, ' ');
        buf_printf(b,
                   first ? _("Nothing keeps within the budget of %s; this comes first among what does not.")
                         : _("It is over the budget of %s."),
                   limit);
    }
    if (job_is_serving(q->job) && (!c->e.targets_met || c->e.overloaded)) {
        buf_putc(b, ' ');
        if (first)
            buf_puts(b, c->e.overloaded
                            ? _("No offer carries the whole load; this comes nearest.")
                            : _("No offer meets the latency targets; this comes first among those that miss them."));
        else
            buf_puts(b, c->e.overloaded ? _("It does not carry the whole load.") : _("It misses the latency targets."));
    }
    put_close(b, q, c);
}

static const char *link_words(enum link_kind k) {
    static const char *const names[LINK_COUNT] = {N_("NVSwitch"),       N_("direct NVLink"),
                                                  N_("NVLink bridges"), N_("xGMI"),
                                                  N_("PCIe"),           N_("PCIe through the host's memory"),
                                                  N_("no link"),        N_("unknown")};
    return _(names[k]);
}

static bool has_reason(const struct risk *r, enum risk_reason reason) {
    for (int i = 0; i < r->reason_count; i++)
        if (r->reasons[i] == (int)reason)
            return true;
    return false;
}

void sentence_risk(struct buf *b, const struct question *q, const struct candidate *c) {
    const struct risk *r = &c->risk;
    char usd[32], leave[32];
    (void)q;
    if (!num_known(r->worse_usd))
        return;
    num_format(usd, sizeof usd, fmax(r->worse_usd - c->cost.usd.expected, 0), NUM_USD);
    num_format(leave, sizeof leave, r->leave_usd, NUM_USD);
    bool narrow = r->worse_link == c->shape.link && has_reason(r, RISK_NARROW_LANES);
    const char *link = narrow ? _("a slot of few PCIe lanes") : link_words(r->worse_link);
    if (num_known(r->leave_usd))
        buf_printf(b, _("if it is %s: +%s if you stay, %s to find out and leave"), link, usd, leave);
    else
        buf_printf(b, _("if it is %s: +%s"), link, usd);
}

static void put_risk(struct buf *b, const struct question *q, const struct candidate *c) {
    if (c->risk.grade < RISK_MEDIUM)
        return;
    struct buf line = {0};
    sentence_risk(&line, q, c);
    buf_putc(b, ' ');
    buf_printf(b, _("The link between its GPUs is not verified; %s."), line.data ? line.data : "");
    buf_free(&line);
}

static void put_old(struct buf *b, const struct question *q, const struct candidate *c) {
    char age[32];
    if (!listing_is_stale(c->offer->observed_at, q->now))
        return;
    num_format(age, sizeof age, (double)(q->now - c->offer->observed_at) / 3600, NUM_HOURS);
    buf_putc(b, ' ');
    buf_printf(b, _("Its price is %s old: ask before you count on it."), age);
}

static void put_used(struct buf *machine, const struct candidate *c) {
    int paid = c->offer->gpus * c->shape.nodes, used = c->shape.gpus * c->shape.nodes;
    if (used < paid)
        buf_printf(machine,
                   ngettext(" with %d of its %d GPUs used", " with %d of its %d GPUs used", (unsigned long)used), used,
                   paid);
}

static void put_alternative(struct buf *b, const struct question *q, const struct answer *a) {
    if (!a->has_alternative)
        return;
    struct buf machine = {0};
    struct texts t = texts_of(&a->alternative);
    bool serving = job_is_serving(q->job), single = a->best.shape.gpus * a->best.shape.nodes > 1;
    if (serving)
        num_format(t.time[1], sizeof t.time[1], a->alternative.e.itl_ms.expected, NUM_MILLISECONDS);
    sentence_machine(&machine, q, &a->alternative);
    put_used(&machine, &a->alternative);
    buf_putc(b, ' ');
    if (single && a->alternative_ties) {
        buf_puts(b, _("A single GPU is simpler and costs the same within the error of the estimate."));
        buf_putc(b, ' ');
    }
    if (serving && single)
        buf_printf(b, _("With a single GPU: %s, %s a token and %s in all."), machine.data, t.time[1], t.usd[1]);
    else if (serving)
        buf_printf(b, _("Faster: %s, %s a token and %s in all."), machine.data, t.time[1], t.usd[1]);
    else if (single)
        buf_printf(b, _("With a single GPU: %s, %s and %s in all."), machine.data, t.time[1], t.usd[1]);
    else
        buf_printf(b, _("Faster: %s, %s and %s in all."), machine.data, t.time[1], t.usd[1]);
    buf_free(&machine);
}

static void put_lighter(struct buf *b, const struct question *q, const struct answer *a) {
    const struct candidate *c = &a->lighter;
    if (!a->has_lighter)
        return;
    bool better = !a->has_best || a->best.cls > RANK_TIGHT || a->best.shape.gpus * a->best.shape.nodes > 1;
    if (!better && c->cost.usd.expected >= a->best.cost.usd.expected)
        return;
    struct buf machine = {0};
    struct texts t = texts_of(c);
    const char *format = weight_format_name(a->lighter_weights);
    sentence_machine(&machine, q, c);
    buf_puts(b, b->len > 0 ? " " : "");
    if (job_is_serving(q->job)) {
        num_format(t.time[1], sizeof t.time[1], c->e.itl_ms.expected, NUM_MILLISECONDS);
        buf_printf(b, _("With %s weights one GPU carries it: %s, %s a token and %s in all."), format, machine.data,
                   t.time[1], t.usd[1]);
    } else {
        buf_printf(b, _("With %s weights one GPU does it: %s, %s and %s in all."), format, machine.data, t.time[1],
                   t.usd[1]);
    }
    buf_free(&machine);
}

static void put_shared(struct buf *b, const struct question *q, const struct answer *a) {
    char usd[32];
    struct buf machine = {0};
    if (!a->has_shared)
        return;
    num_format(usd, sizeof usd, a->shared.cost.usd.expected * a->shared_machines, NUM_USD);
    sentence_machine(&machine, q, &a->shared);
    buf_putc(b, ' ');
    buf_printf(b,
               _("%d machines share the load for %s in all, with copies that need no network between them: %s each."),
               a->shared_machines, usd, machine.data);
    buf_free(&machine);
}

/* The other way to use the same GPUs, and what it would do. */
static void put_other_way(struct buf *b, const struct question *q, const struct candidate *c) {
    struct serving_ways w;
    struct buf mine = {0}, other = {0}, verdict = {0};
    serving_ways(q, c, &w);
    if (w.count < 2 || w.chosen < 0)
        return;
    int at = w.chosen > 0 ? w.chosen - 1 : 1; /* more copies of fewer GPUs, else the opposite */
    sentence_way(&mine, &w.e[w.chosen]);
    sentence_way(&other, &w.e[at]);
    sentence_way_verdict(&verdict, q->job, &w.e[at], &w.e[w.chosen]);
    buf_putc(b, ' ');
    buf_printf(b, _("Its GPUs work as %s; the other way, as %s: %s."), mine.data, other.data, verdict.data);
    buf_free(&mine);
    buf_free(&other);
    buf_free(&verdict);
}

static void put_debug(struct buf *b, const struct question *q, const struct answer *a) {
    if (!a->has_debug)
        return;
    struct buf machine = {0};
    sentence_machine(&machine, q, &a->debug);
    buf_putc(b, ' ');
    buf_printf(b, _("While you still work on code and data, one cheap GPU is enough: %s."), machine.data);
    buf_free(&machine);
}

static void put_nothing(struct buf *b, const struct ranking *r) {
    struct refusal_summary s[REFUSAL_MAX];
    size_t n = ranking_refusals_by_cause(r, s);
    if (ranking_question(r)->offers->count == 0) {
        buf_puts(b, _("There are no offers to rank."));
        return;
    }
    buf_puts(b, _("Nothing fits."));
    if (n == 0)
        return;
    buf_putc(b, ' ');
    sentence_refusal(b, ranking_question(r), &s[0]);
    buf_putc(b, '.');
}

void sentence_answer(struct buf *b, const struct ranking *r, const struct answer *a) {
    const struct question *q = ranking_question(r);
    if (!a->has_best) {
        put_nothing(b, r);
        put_lighter(b, q, a);
        return;
    }
    put_constraint(b, q, a);
    put_takes(b, q, &a->best);
    put_other_way(b, q, &a->best);
    put_scaling(b, q, &a->best);
    put_class(b, q, &a->best, true);
    put_risk(b, q, &a->best);
    put_old(b, q, &a->best);
    put_alternative(b, q, a);
    put_lighter(b, q, a);
    put_shared(b, q, a);
    put_debug(b, q, a);
}

void sentence_candidate(struct buf *b, const struct question *q, const struct candidate *c) {
    char need[32], have[32];
    struct texts t = texts_of(c);
    if (!c->shape.gpu) {
        sentence_reason(b, &c->reason);
        return;
    }
    sentence_machine(b, q, c);
    buf_puts(b, ". ");
    if (c->reason.code != REASON_NONE) {
        sentence_reason(b, &c->reason);
        buf_putc(b, '.');
        return;
    }
    num_format(need, sizeof need, c->e.memory_gib.expected, NUM_GIB_UNIT);
    num_format(have, sizeof have, c->e.capacity_gib, NUM_GIB_UNIT);
    if (job_is_serving(q->job))
        buf_printf(b, _("It costs %s to %s and uses %s of %s on each GPU."), t.usd[0], t.usd[2], need, have);
    else
        buf_printf(b, _("It takes %s to %s, costs %s to %s and uses %s of %s on each GPU."), t.time[0], t.time[2],
                   t.usd[0], t.usd[2], need, have);
    put_class(b, q, c, false);
    put_risk(b, q, c);
}
