/* SPDX-License-Identifier: MIT */
/* What the columns of a what-if say together. */

#include "gpuplan/base/i18n.h"
#include "gpuplan/report/compare.h"
#include "gpuplan/report/sentence.h"

static bool any_misses(const struct whatif *w) {
    for (int i = w->pinned; i < w->count; i++)
        if (w->columns[i].c.cls == RANK_LATE)
            return true;
    return false;
}

static bool any_tight_is_cheaper(const struct whatif *w, const struct whatif_column *best) {
    for (int i = w->pinned; i < w->count; i++)
        if (w->columns[i].c.cls == RANK_TIGHT && w->columns[i].c.cost.usd.expected < best->c.cost.usd.expected)
            return true;
    return false;
}

/* By how much the largest count misses says which one could do. */
static void put_none(struct buf *b, const struct whatif *w) {
    const struct whatif_column *last = &w->columns[w->count - 1];
    const struct reason *r = &last->c.reason;
    int more = last->gpus;
    buf_puts(b, w->vary == VARY_GPUS ? _("None of these counts fits.") : _("None of these fits."));
    if (w->vary != VARY_GPUS || r->code != REASON_GPU_MEMORY || !(r->have > 0))
        return;
    while (more < WHATIF_MOST_GPUS && r->need * last->gpus > r->have * more)
        more *= 2;
    if (more > last->gpus && more < WHATIF_MOST_GPUS) {
        buf_putc(b, ' ');
        buf_printf(b, _("Try more of them: --counts %d,%d."), more, 2 * more);
    }
}

/* "8 GPUs" where counts are compared, else the value itself. */
static void put_name(struct buf *b, const struct question *q, const struct whatif *w, int i) {
    int n = w->columns[i].gpus;
    if (w->vary == VARY_GPUS)
        buf_printf(b, ngettext("%d GPU", "%d GPUs", (unsigned long)n), n);
    else
        whatif_label(b, q, w, i);
}

static void put_cheapest(struct buf *b, const struct question *q, const struct whatif *w, int i) {
    char usd[32];
    struct buf name = {0};
    const struct candidate *c = &w->columns[i].c;
    put_name(&name, q, w, i);
    num_format(usd, sizeof usd, c->cost.usd.expected, NUM_USD);
    if (c->cls == RANK_LATE)
        buf_puts(b, _("Nothing here keeps the limits. "));
    if (c->cls == RANK_FITS && any_tight_is_cheaper(w, &w->columns[i]))
        buf_printf(b, _("The cheapest that fits for sure: %s (%s)."), name.data, usd);
    else if (c->cls != RANK_LATE && any_misses(w))
        buf_printf(b, _("The cheapest that keeps the limits: %s (%s)."), name.data, usd);
    else
        buf_printf(b, _("The cheapest: %s (%s)."), name.data, usd);
    buf_free(&name);
}

/* A tight or late one that costs less than the one recommended. */
static void put_cheaper(struct buf *b, const struct question *q, const struct whatif *w) {
    char usd[32];
    struct buf name = {0};
    if (w->cheapest == w->best_cost)
        return;
    const struct candidate *c = &w->columns[w->cheapest].c;
    put_name(&name, q, w, w->cheapest);
    num_format(usd, sizeof usd, c->cost.usd.expected, NUM_USD);
    buf_putc(b, ' ');
    buf_printf(
        b, c->cls == RANK_LATE ? _("%s would cost %s, but misses the limits.") : _("%s would cost %s, but is tight."),
        name.data, usd);
    buf_free(&name);
}

static void put_fastest(struct buf *b, const struct question *q, const struct whatif *w, int i) {
    char time[32];
    struct buf name = {0};
    const struct candidate *c = &w->columns[i].c;
    put_name(&name, q, w, i);
    if (job_is_serving(q->job))
        num_format(time, sizeof time, c->e.itl_ms.expected, NUM_MILLISECONDS);
    else
        num_format(time, sizeof time, c->cost.time_h.expected, NUM_HOURS);
    buf_putc(b, ' ');
    buf_printf(b, _("The fastest: %s (%s)."), name.data, time);
    buf_free(&name);
}

/* What the next fitting count after the knee costs and brings. */
static void put_after_knee(struct buf *b, const struct question *q, const struct whatif *w) {
    int next = w->knee + 1;
    while (next < w->count && w->columns[next].c.cls == RANK_REFUSED)
        next++;
    if (w->knee < 0 || next >= w->count || job_is_serving(q->job))
        return;
    const struct cost *at = &w->columns[w->knee].c.cost, *beyond = &w->columns[next].c.cost;
    buf_putc(b, ' ');
    buf_printf(b, _("Knee at %d: at %d the price changes by %+.0f %%, the time by %+.0f %%."), w->columns[w->knee].gpus,
               w->columns[next].gpus, (beyond->usd.expected / at->usd.expected - 1) * 100,
               (beyond->time_h.expected / at->time_h.expected - 1) * 100);
}

void whatif_sentence(struct buf *b, const struct question *q, const struct whatif *w) {
    if (w->best_cost < 0) {
        put_none(b, w);
        return;
    }
    put_cheapest(b, q, w, w->best_cost);
    put_cheaper(b, q, w);
    put_fastest(b, q, w, w->best_time);
    if (w->vary == VARY_SPOT && w->count == 1)
        buf_puts(b, _(" Nobody sells this machine in another way."));
    if (w->vary != VARY_GPUS)
        return;
    if (w->columns[w->base].gpus > 1) {
        buf_putc(b, ' ');
        buf_printf(b, _("It does not fit fewer than %d."), w->columns[w->base].gpus);
    }
    put_after_knee(b, q, w);
}
