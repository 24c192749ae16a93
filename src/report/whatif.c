/* SPDX-License-Identifier: MIT */
/* Counts side by side, and offers side by side. */
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/decide/whatif.h"
#include "gpuplan/report/compare.h"
#include "gpuplan/report/json_out.h"
#include "gpuplan/report/sentence.h"

static const struct whatif_column *column_of(const struct whatif *w, int gpus) {
    for (int i = 0; i < w->count; i++)
        if (w->columns[i].gpus == gpus)
            return &w->columns[i];
    return NULL;
}

static bool any_misses(const struct whatif *w) {
    for (int i = 0; i < w->count; i++)
        if (w->columns[i].c.cls == RANK_LATE)
            return true;
    return false;
}

static bool any_tight_is_cheaper(const struct whatif *w, const struct whatif_column *best) {
    for (int i = 0; i < w->count; i++)
        if (w->columns[i].c.cls == RANK_TIGHT && w->columns[i].c.cost.usd.expected < best->c.cost.usd.expected)
            return true;
    return false;
}

/* By how much the largest count misses says which one could do. */
static void put_none(struct buf *b, const struct whatif *w) {
    const struct whatif_column *last = &w->columns[w->count - 1];
    const struct reason *r = &last->c.reason;
    int more = last->gpus;
    buf_puts(b, _("None of these counts fits."));
    if (r->code != REASON_GPU_MEMORY || !(r->have > 0))
        return;
    while (more < WHATIF_MOST_GPUS && r->need * last->gpus > r->have * more)
        more *= 2;
    if (more > last->gpus && more < WHATIF_MOST_GPUS) {
        buf_putc(b, ' ');
        buf_printf(b, _("Try more of them: --counts %d,%d."), more, 2 * more);
    }
}

static void put_cheapest(struct buf *b, const struct whatif *w, const struct whatif_column *c) {
    char usd[32];
    num_format(usd, sizeof usd, c->c.cost.usd.expected, NUM_USD);
    if (c->c.cls == RANK_LATE)
        buf_puts(b, _("No count keeps the limits. "));
    if (c->c.cls == RANK_FITS && any_tight_is_cheaper(w, c))
        buf_printf(b,
                   ngettext("%d GPU is the cheapest count that fits for sure (%s).",
                            "%d GPUs are the cheapest count that fits for sure (%s).", (unsigned long)c->gpus),
                   c->gpus, usd);
    else if (c->c.cls != RANK_LATE && any_misses(w))
        buf_printf(b,
                   ngettext("%d GPU is the cheapest count that keeps the limits (%s).",
                            "%d GPUs are the cheapest count that keeps the limits (%s).", (unsigned long)c->gpus),
                   c->gpus, usd);
    else
        buf_printf(
            b, ngettext("%d GPU is cheapest in all (%s).", "%d GPUs are cheapest in all (%s).", (unsigned long)c->gpus),
            c->gpus, usd);
}

void whatif_sentence(struct buf *b, const struct question *q, const struct whatif *w) {
    char time[32];
    const struct whatif_column *cheap = column_of(w, w->best_cost), *fast = column_of(w, w->best_time);
    if (!cheap || !fast) {
        put_none(b, w);
        return;
    }
    put_cheapest(b, w, cheap);
    if (job_is_serving(q->job))
        num_format(time, sizeof time, fast->c.e.itl_ms.expected, NUM_MILLISECONDS);
    else
        num_format(time, sizeof time, fast->c.cost.time_h.expected, NUM_HOURS);
    buf_putc(b, ' ');
    buf_printf(b, ngettext("%d GPU is fastest (%s).", "%d GPUs are fastest (%s).", (unsigned long)fast->gpus),
               fast->gpus, time);
    if (w->base >= 0 && w->columns[w->base].gpus > 1) {
        buf_putc(b, ' ');
        buf_printf(b, _("It does not fit fewer than %d."), w->columns[w->base].gpus);
    }
    if (w->knee > 0 && w->base >= 0 && w->knee > w->columns[w->base].gpus) {
        buf_putc(b, ' ');
        buf_printf(b, _("Up to %d, a step to more GPUs still gains at least 70 %% of their ratio."), w->knee);
    }
}

void whatif_json(struct buf *b, const struct question *q, const struct whatif *w) {
    struct json_out j = {.b = b};
    struct buf sentence = {0};
    json_out_object(&j, NULL);
    json_out_array(&j, "columns");
    for (int i = 0; i < w->count; i++)
        candidate_json_with(&j, q, &w->columns[i].c, "price_basis", price_basis_name(w->columns[i].basis));
    json_out_end(&j, ']');
    json_out_number(&j, "best_cost", w->best_cost > 0 ? w->best_cost : NUM_UNKNOWN);
    json_out_number(&j, "best_time", w->best_time > 0 ? w->best_time : NUM_UNKNOWN);
    json_out_number(&j, "knee", w->knee > 0 ? w->knee : NUM_UNKNOWN);
    whatif_sentence(&sentence, q, w);
    json_out_text(&j, "sentence", sentence.data);
    json_out_end(&j, '}');
    buf_free(&sentence);
}

static void add_machine(struct grid *g, const struct question *q, const struct whatif_column *c) {
    struct buf b = {0};
    size_t len;
    const char *machine = short_machine(offers_text(q->offers, c->c.offer->machine), &len);
    buf_printf(&b, "%s %.*s", offers_text(q->offers, c->c.offer->provider), (int)len, machine);
    if (c->basis == PRICE_NODES)
        buf_printf(&b, " (%dx)", c->c.shape.nodes);
    else if (c->basis == PRICE_PRO_RATA)
        buf_puts(&b, " ~");
    grid_add(g, b.data);
    buf_free(&b);
}

static const char *verdict_of(const struct candidate *c, bool people) {
    if (c->cls == RANK_REFUSED)
        return people ? _("no") : "no";
    if (!people)
        return fit_name(c->e.fit);
    return c->cls == RANK_LATE ? _("LATE") : c->e.fit == FIT_TIGHT ? _("TIGHT") : _("fits");
}

/* Columns of the ranking that only a model that answers has. */
static const char *const serving_columns[] = {"split", "ttft_ms", "sustained_requests_per_s"};

static void add_serving(struct grid *g, const struct question *q, const struct candidate *c) {
    for (size_t i = 0; i < sizeof serving_columns / sizeof serving_columns[0]; i++) {
        const struct column *column = column_find(serving_columns[i]);
        struct buf cell = {0};
        if (q->job->task != TASK_INFERENCE || c->cls == RANK_REFUSED)
            grid_add(g, "");
        else if (column->number)
            grid_add_number(g, column->number(q, c), 3);
        else {
            column->value(&cell, q, c);
            grid_add(g, cell.data);
        }
        buf_free(&cell);
    }
}

static void add_column(struct grid *g, const struct question *q, const struct whatif *w, int i, bool people) {
    const struct whatif_column *col = &w->columns[i];
    const struct candidate *c = &col->c;
    bool fits = c->cls != RANK_REFUSED;
    struct buf why = {0};
    grid_add_number(g, col->gpus, 6);
    add_machine(g, q, col);
    grid_add_number(g, c->rate_usd_h * (c->shape.nodes > 0 ? c->shape.nodes : 1), 4);
    grid_add(g, verdict_of(c, people));
    grid_add(g, !fits ? "" : c->cls == RANK_LATE ? "missed" : "met");
    grid_add_number(g, c->e.memory_gib.expected > 0 ? c->e.memory_gib.expected : NUM_UNKNOWN, 3);
    grid_add_number(g,
                    !fits                    ? NUM_UNKNOWN
                    : job_is_serving(q->job) ? c->e.itl_ms.expected
                                             : c->cost.time_h.expected,
                    3);
    add_serving(g, q, c);
    grid_add_number(g, fits ? c->cost.usd.expected : NUM_UNKNOWN, people && c->cost.usd.expected < 100 ? 3 : 4);
    grid_add_number(g, w->speed_up[i], 3);
    grid_add_number(g, w->efficiency[i], people ? 2 : 3);
    if (!fits && !people)
        sentence_reason(&why, &c->reason);
    grid_add(g, fits ? risk_grade_name(c->risk.grade) : why.data);
    buf_free(&why);
}

/* Below the table, where there is room for sentences. */
static void put_reasons(struct buf *b, const struct whatif *w, const struct style *style) {
    bool first = true;
    for (int i = 0; i < w->count; i++) {
        const struct candidate *c = &w->columns[i].c;
        if (c->cls != RANK_REFUSED)
            continue;
        struct buf line = {0}, why = {0};
        sentence_reason(&why, &c->reason);
        buf_printf(&line, ngettext("%d GPU: %s", "%d GPUs: %s", (unsigned long)w->columns[i].gpus), w->columns[i].gpus,
                   why.data);
        buf_puts(b, first ? "\n" : "");
        style_wrap(b, style, line.data, 2);
        first = false;
        buf_free(&line);
        buf_free(&why);
    }
}

void whatif_table(struct buf *b, const struct question *q, const struct whatif *w, enum grid_format format,
                  const struct style *style) {
    const char *const keys[] = {"gpus",
                                "machine",
                                "usd_h",
                                "fit",
                                "limits",
                                "gib",
                                job_is_serving(q->job) ? "itl_ms" : "time_h",
                                "split",
                                "ttft_ms",
                                "requests_per_s",
                                "cost_usd",
                                "speed_up",
                                "efficiency",
                                "risk"};
    bool inference = q->job->task == TASK_INFERENCE, serving = job_is_serving(q->job);
    const char *const headings[] = {_("GPUs"),
                                    _("Machine"),
                                    _("$/h"),
                                    _("Fit"),
                                    NULL,
                                    _("GiB"),
                                    job_is_serving(q->job) ? _("ms/tok") : _("Time h"),
                                    inference ? _("Split") : NULL,
                                    serving ? _("1st ms") : NULL,
                                    serving ? _("Req/s") : NULL,
                                    _("Total $"),
                                    serving ? NULL : _("Speed-up"), /* of one answer: the load is the same */
                                    serving ? NULL : _("Eff."),
                                    _("Risk")};
    struct grid *g = grid_new(keys, sizeof keys / sizeof keys[0]);
    grid_headings(g, headings);
    bool pro_rata = false;
    for (int i = 0; i < w->count; i++) {
        add_column(g, q, w, i, format == GRID_TABLE);
        pro_rata |= w->columns[i].basis == PRICE_PRO_RATA;
    }
    if (format == GRID_TABLE) {
        struct buf sentence = {0};
        whatif_sentence(&sentence, q, w);
        style_wrap(b, style, sentence.data, 0);
        buf_putc(b, '\n');
        buf_free(&sentence);
    }
    grid_put(b, g, format, style);
    if (format == GRID_TABLE)
        put_reasons(b, w, style);
    if (format == GRID_TABLE && pro_rata)
        buf_printf(b, "\n%s\n", _("~ not sold in this size: the share of another machine's rate"));
    grid_free(g);
}

/* ---- offers side by side ---- */

void compare_json(struct buf *b, const struct question *q, const struct candidate *c, size_t count) {
    struct json_out j = {.b = b};
    json_out_object(&j, NULL);
    json_out_array(&j, "columns");
    for (size_t i = 0; i < count; i++)
        candidate_json(&j, q, &c[i]);
    json_out_end(&j, ']');
    json_out_end(&j, '}');
}

static const struct {
    const char *key, *label;
} compared[] = {
    {"provider", N_("provider")},
    {"machine", N_("machine")},
    {"region", N_("place")},
    {"gpu", N_("card")},
    {"gpus_used", N_("GPUs used")},
    {"link", N_("link")},
    {"rate_usd_h", N_("$/h")},
    {"fit", N_("fit")},
    {"memory_gib", N_("GiB of each GPU")},
    {"vram_gib", N_("GiB each has")},
    {"time_low_h", N_("hours, low")},
    {"time_h", N_("hours")},
    {"time_high_h", N_("hours, high")},
    {"cost_low_usd", N_("dollars, low")},
    {"cost_usd", N_("dollars in all")},
    {"cost_high_usd", N_("dollars, high")},
    {"cost_setup_usd", N_("of it set-up")},
    {"cost_storage_usd", N_("of it disk")},
    {"risk", N_("risk of the link")},
    {"risk_worse_usd", N_("dollars if it is worse")},
    {"risk_leave_usd", N_("dollars to leave")},
    {"efficiency", N_("efficiency")},
    {"tokens_per_s", N_("tokens per second")},
    {"split", N_("split")},
    {"ttft_ms", N_("ms to the first token")},
    {"itl_ms", N_("ms a token")},
    {"max_concurrency", N_("requests at once")},
    {"sustained_requests_per_s", N_("requests/s it carries")},
    {"limited_by", N_("limited by")},
    {"usd_per_mtok", N_("$ per M tokens out")},
    {"usd_per_1k_requests", N_("$ per 1,000 requests")},
    {"usd_per_month", N_("$ a month")},
    {"host_class", N_("host")},
    {"access", N_("access")},
};

/* What no offer has a value for says nothing to people. */
static bool any_value(const struct column *column, const struct question *q, const struct candidate *c, size_t count) {
    if (!column->number)
        return true;
    for (size_t i = 0; i < count; i++)
        if (num_known(column->number(q, &c[i])))
            return true;
    return false;
}

static void add_property(struct grid *g, const struct column *column, const struct question *q,
                         const struct candidate *c, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct buf cell = {0};
        if (column->number)
            grid_add_number(g, column->number(q, &c[i]), 4);
        else {
            column->value(&cell, q, &c[i]);
            grid_add(g, cell.data);
        }
        buf_free(&cell);
    }
}

/* One row a property, one column an offer. */
void compare_table(struct buf *b, const struct question *q, const struct candidate *c, size_t count,
                   enum grid_format format, const struct style *style) {
    const char *keys[COMPARE_MAX + 1] = {"property"};
    bool people = format == GRID_TABLE;
    for (size_t i = 0; i < count; i++)
        keys[i + 1] = offers_text(q->offers, c[i].offer->id);
    struct grid *g = grid_new(keys, count + 1);
    for (size_t r = 0; r < sizeof compared / sizeof compared[0]; r++) {
        const struct column *column = column_find(compared[r].key);
        if (people && !any_value(column, q, c, count))
            continue;
        grid_add(g, people ? _(compared[r].label) : compared[r].key);
        add_property(g, column, q, c, count);
    }
    grid_put(b, g, format, style);
    grid_free(g);
}
