/* SPDX-License-Identifier: MIT */
/* What is varied, side by side: one table of properties, from which the columns of the command line and the rows of the screen come. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/report/compare.h"
#include "gpuplan/report/json_out.h"
#include "gpuplan/report/sentence.h"

static bool fits(const struct whatif *w, int i) {
    return w->columns[i].c.cls != RANK_REFUSED;
}

/* ---- what stands above a column ---- */

void whatif_label(struct buf *b, const struct question *q, const struct whatif *w, int i) {
    const struct whatif_column *col = &w->columns[i];
    char card[64];
    short_gpu(card, sizeof card, catalog_gpu(q->catalog, (size_t)col->spec.gpu)->name);
    if (i < w->pinned) { /* it may be of another axis and card */
        buf_printf(b, "%dx %s%s%s", col->gpus, card, *col->spec.value ? " " : "", col->spec.value);
        return;
    }
    switch (w->vary) {
    case VARY_GPUS:
        buf_printf(b, "%d", col->gpus);
        break;
    case VARY_GPU:
        buf_printf(b, "%dx %s", col->gpus, card);
        break;
    case VARY_LINK:
        buf_puts(b, link_name((enum link_kind)col->spec.link));
        break;
    case VARY_SPOT:
        buf_puts(b, rate_kind_name((enum rate_kind)col->spec.rate_kind));
        break;
    default:
        buf_puts(b, col->spec.value);
    }
}

const char *vary_label(enum vary v) {
    static const char *const labels[VARY_COUNT] = {N_("GPUs"),      N_("card"),   N_("link"), N_("price"),
                                                   N_("precision"), N_("length"), N_("batch")};
    return _(labels[v]);
}

/* ---- the properties ---- */

static void put_machine(struct buf *b, const struct question *q, const struct whatif *w, int i, bool people) {
    const struct whatif_column *col = &w->columns[i];
    size_t len;
    const char *machine = short_machine(offers_text(q->offers, col->c.offer->machine), &len);
    (void)people;
    buf_printf(b, "%s %.*s", offers_text(q->offers, col->c.offer->provider), (int)len, machine);
    if (col->basis == PRICE_NODES)
        buf_printf(b, " (%dx)", col->c.shape.nodes);
    else if (col->basis != PRICE_OFFER)
        buf_puts(b, " ~");
}

static void put_fit(struct buf *b, const struct question *q, const struct whatif *w, int i, bool people) {
    const struct candidate *c = &w->columns[i].c;
    (void)q;
    if (!people)
        buf_puts(b, fits(w, i) ? fit_name(c->e.fit) : "no");
    else
        buf_puts(b, !fits(w, i)             ? _("no")
                    : c->cls == RANK_LATE   ? _("LATE")
                    : c->e.fit == FIT_TIGHT ? _("TIGHT")
                                            : _("fits"));
}

static void put_limits(struct buf *b, const struct question *q, const struct whatif *w, int i, bool people) {
    (void)q;
    (void)people;
    if (fits(w, i))
        buf_puts(b, w->columns[i].c.cls == RANK_LATE ? "missed" : "met");
}

static void put_split(struct buf *b, const struct question *q, const struct whatif *w, int i, bool people) {
    const struct layout *l = &w->columns[i].c.e.layout;
    static const char *const names[] = {"dp", "tp", "pp", "cp", "ep", "copies"};
    const int sizes[] = {l->dp, l->tp, l->pp, l->cp, l->ep, l->replicas};
    size_t before = b->len;
    (void)q;
    if (!fits(w, i))
        return;
    if (l->zero > 0)
        buf_printf(b, "zero%d", l->zero);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        if (sizes[k] > 1 && !(k == 0 && l->zero > 0 && people))
            buf_printf(b, "%s%s%d", b->len > before ? " " : "", names[k], sizes[k]);
    if (b->len == before && people)
        buf_puts(b, "-");
}

/* One word: the sentence stands below. */
static const char *short_reason(enum reason_code code) {
    static const char *const words[REASON_COUNT] = {[REASON_GPU_MEMORY] = N_("memory"),
                                                    [REASON_HOST_MEMORY] = N_("RAM"),
                                                    [REASON_DISK] = N_("disk"),
                                                    [REASON_CAPABILITY] = N_("card"),
                                                    [REASON_DIVISIBILITY] = N_("indivisible"),
                                                    [REASON_DEADLINE] = N_("deadline"),
                                                    [REASON_BUDGET] = N_("budget"),
                                                    [REASON_UNAVAILABLE] = N_("taken"),
                                                    [REASON_FILTERED] = N_("filter"),
                                                    [REASON_PRICE_MISSING] = N_("price")};
    return words[code] ? _(words[code]) : "";
}

static void put_limiter(struct buf *b, const struct question *q, const struct whatif *w, int i, bool people) {
    if (fits(w, i) && people)
        column_put(column_find("limited_by"), b, q, &w->columns[i].c);
    else if (fits(w, i))
        buf_puts(b, limiter_name(w->columns[i].c.e.limited_by));
    else if (people)
        buf_puts(b, short_reason(w->columns[i].c.reason.code));
}

static void put_risk(struct buf *b, const struct question *q, const struct whatif *w, int i, bool people) {
    (void)q;
    if (fits(w, i))
        buf_puts(b, risk_grade_name(w->columns[i].c.risk.grade));
    else if (!people)
        sentence_reason(b, &w->columns[i].c.reason);
}

#define NUMBER(name, expression)                                                           \
    static double number_##name(const struct question *q, const struct whatif *w, int i) { \
        const struct whatif_column *col = &w->columns[i];                                  \
        const struct candidate *c = &col->c;                                               \
        (void)q, (void)c, (void)col;                                                       \
        return expression;                                                                 \
    }
#define WHERE_FITS(x) (fits(w, i) ? (x) : NUM_UNKNOWN)
NUMBER(gpus, col->gpus)
NUMBER(rate, c->rate_usd_h *(c->shape.nodes > 0 ? c->shape.nodes : 1))
NUMBER(memory, c->e.memory_gib.expected > 0 ? c->e.memory_gib.expected : NUM_UNKNOWN)
NUMBER(step, WHERE_FITS(c->e.step_s))
NUMBER(time, WHERE_FITS(c->cost.time_h.expected))
NUMBER(itl, WHERE_FITS(c->e.itl_ms.expected))
NUMBER(ttft, WHERE_FITS(c->e.ttft_ms.expected))
NUMBER(tokens, WHERE_FITS(c->e.tokens_per_s.expected))
NUMBER(requests, WHERE_FITS(c->e.sustained_requests_per_s.expected))
NUMBER(mtok, WHERE_FITS(c->cost.usd_per_mtok.expected))
NUMBER(usd, WHERE_FITS(c->cost.usd.expected))
NUMBER(speed_up, w->speed_up[i])
NUMBER(efficiency, w->efficiency[i])
NUMBER(saved, w->usd_per_h_saved[i])
NUMBER(copies, col->copies.fits ? col->copies.tokens_per_s : NUM_UNKNOWN)
NUMBER(split, col->split.fits ? col->split.tokens_per_s : NUM_UNKNOWN)

/* Ranges where there is room for them. */
static void range_of(struct buf *b, struct range r, enum num_unit unit) {
    char low[32], high[32];
    if (!num_known(r.expected))
        return;
    (void)unit;
    num_format_plain(low, sizeof low, r.low, r.low < 10 ? 2 : 3);
    num_format_plain(high, sizeof high, r.high, r.high < 10 ? 2 : 3);
    buf_printf(b, strcmp(low, high) == 0 ? "%s" : "%s\342\200\223%s", low, high);
}

static void put_hours(struct buf *b, const struct question *q, const struct whatif *w, int i, bool people) {
    (void)q, (void)people;
    if (fits(w, i))
        range_of(b, w->columns[i].c.cost.time_h, NUM_HOURS);
}

static void put_dollars(struct buf *b, const struct question *q, const struct whatif *w, int i, bool people) {
    (void)q, (void)people;
    if (fits(w, i))
        range_of(b, w->columns[i].c.cost.usd, NUM_USD);
}

enum { BOTH, RUNS, SERVES };
static const struct whatif_row rows[] = {
    {"gpus", N_("GPUs"), N_("GPUs"), number_gpus, NULL, NULL, 6, BOTH},
    {"machine", N_("machine"), N_("Machine"), NULL, put_machine, NULL, 0, BOTH},
    {"usd_h", N_("$/h"), N_("$/h"), number_rate, NULL, NULL, 4, BOTH},
    {"fit", N_("fit"), N_("Fit"), NULL, put_fit, NULL, 0, BOTH},
    {"limits", NULL, NULL, NULL, put_limits, NULL, 0, BOTH},
    {"gib", N_("GiB of each GPU"), N_("GiB"), number_memory, NULL, NULL, 3, BOTH},
    {"split", N_("split"), N_("Split"), NULL, put_split, NULL, 0, BOTH},
    {"step_s", N_("step, s"), NULL, number_step, NULL, NULL, 3, RUNS},
    {"itl_ms", N_("ms a token"), N_("ms/tok"), number_itl, NULL, NULL, 3, SERVES},
    {"ttft_ms", N_("ms to the first"), N_("1st ms"), number_ttft, NULL, NULL, 3, SERVES},
    {"requests_per_s", N_("requests/s"), N_("Req/s"), number_requests, NULL, NULL, 3, SERVES},
    {"tokens_per_s", N_("tokens/s"), NULL, number_tokens, NULL, NULL, 3, SERVES},
    {"time_h", N_("time, h"), N_("Time h"), number_time, NULL, put_hours, 3, RUNS},
    {"cost_usd", N_("total $"), N_("Total $"), number_usd, NULL, put_dollars, 4, BOTH},
    {"usd_per_mtok", N_("$ per M tokens"), NULL, number_mtok, NULL, NULL, 3, SERVES},
    {"speed_up", N_("speed-up"), N_("Speed-up"), number_speed_up, NULL, NULL, 3, BOTH},
    {"efficiency", N_("efficiency"), N_("Eff."), number_efficiency, NULL, NULL, 2, BOTH},
    {"usd_per_h_saved", N_("$ an hour saved"), N_("$/h saved"), number_saved, NULL, NULL, 3, RUNS},
    {"copies_tokens_per_s", N_("as copies, tok/s"), NULL, number_copies, NULL, NULL, 3, BOTH},
    {"split_tokens_per_s", N_("as a split, tok/s"), NULL, number_split, NULL, NULL, 3, BOTH},
    {"limited_by", N_("limited by"), N_("Limit"), NULL, put_limiter, NULL, 0, BOTH},
    {"risk", N_("link risk"), N_("Risk"), NULL, put_risk, NULL, 0, BOTH},
};

const struct whatif_row *whatif_rows(size_t *count) {
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

bool whatif_row_used(const struct whatif_row *row, const struct question *q, const struct whatif *w) {
    bool serving = job_is_serving(q->job);
    if ((row->when == RUNS && serving) || (row->when == SERVES && !serving && q->job->task != TASK_INFERENCE))
        return false;
    for (int i = 0; i < w->count; i++)
        if (!row->number || num_known(row->number(q, w, i)))
            return true;
    return false;
}

void whatif_cell(const struct whatif_row *row, struct buf *b, const struct question *q, const struct whatif *w, int i) {
    char text[32];
    if (row->range) {
        row->range(b, q, w, i, true);
    } else if (row->put) {
        row->put(b, q, w, i, true);
    } else {
        double x = row->number(q, w, i);
        if (row->number == number_tokens || row->number == number_copies || row->number == number_split)
            num_format(text, sizeof text, x, NUM_COUNT);
        else
            num_format_plain(text, sizeof text, x, x >= 100 && x < 1e6 ? 4 : row->digits);
        if (num_known(x))
            buf_puts(b, text);
    }
}

/* ---- for programs ---- */

static void json_index(struct json_out *j, const char *key, const struct whatif *w, int i) {
    json_out_number(j, key, i >= 0 ? w->columns[i].gpus : NUM_UNKNOWN);
}

static void json_label(struct json_out *j, const char *key, const struct question *q, const struct whatif *w, int i) {
    struct buf b = {0};
    if (i >= 0)
        whatif_label(&b, q, w, i);
    json_out_text(j, key, i >= 0 ? b.data : NULL);
    buf_free(&b);
}

/* Beside the columns, one entry each, in their order. */
static void json_scaling(struct json_out *j, const struct question *q, const struct whatif *w) {
    json_out_array(j, "scaling");
    for (int i = 0; i < w->count; i++) {
        json_out_object(j, NULL);
        json_label(j, "value", q, w, i);
        json_out_number(j, "speed_up", w->speed_up[i]);
        json_out_number(j, "efficiency", w->efficiency[i]);
        json_out_number(j, "usd_per_h_saved", w->usd_per_h_saved[i]);
        json_out_number(j, "copies_tokens_per_s", number_copies(q, w, i));
        json_out_number(j, "split_tokens_per_s", number_split(q, w, i));
        json_out_end(j, '}');
    }
    json_out_end(j, ']');
}

void whatif_json(struct buf *b, const struct question *q, const struct whatif *w) {
    struct json_out j = {.b = b};
    struct buf sentence = {0};
    json_out_object(&j, NULL);
    json_out_text(&j, "vary", vary_name(w->vary));
    json_out_array(&j, "columns");
    for (int i = 0; i < w->count; i++)
        candidate_json_with(&j, q, &w->columns[i].c, "price_basis", price_basis_name(w->columns[i].basis));
    json_out_end(&j, ']');
    json_scaling(&j, q, w);
    json_index(&j, "best_cost", w, w->best_cost);
    json_index(&j, "best_time", w, w->best_time);
    json_index(&j, "knee", w, w->knee);
    json_label(&j, "cheapest", q, w, w->cheapest);
    json_label(&j, "cheapest_in_time", q, w, w->in_time);
    json_label(&j, "fastest", q, w, w->best_time);
    whatif_sentence(&sentence, q, w);
    json_out_text(&j, "sentence", sentence.data);
    json_out_end(&j, '}');
    buf_free(&sentence);
}

/* ---- as a table: one row a column of the screen ---- */

static void add_cell(struct grid *g, const struct whatif_row *row, const struct question *q, const struct whatif *w,
                     int i, bool people) {
    struct buf b = {0};
    if (row->put) {
        row->put(&b, q, w, i, people);
        grid_add(g, b.data);
    } else {
        double x = row->number(q, w, i);
        grid_add_number(g, x, people && x < 100 && row->digits > 3 ? 3 : people ? row->digits : 6);
    }
    buf_free(&b);
}

/* Below the table, where there is room for sentences. */
static void put_reasons(struct buf *b, const struct question *q, const struct whatif *w, const struct style *style) {
    bool first = true;
    for (int i = 0; i < w->count; i++) {
        if (fits(w, i))
            continue;
        struct buf line = {0};
        if (w->vary == VARY_GPUS)
            buf_printf(&line, ngettext("%d GPU: ", "%d GPUs: ", (unsigned long)w->columns[i].gpus), w->columns[i].gpus);
        else {
            whatif_label(&line, q, w, i);
            buf_puts(&line, ": ");
        }
        sentence_reason(&line, &w->columns[i].c.reason);
        buf_puts(b, first ? "\n" : "");
        style_wrap(b, style, line.data, 2);
        first = false;
        buf_free(&line);
    }
}

static void put_footnotes(struct buf *b, const struct whatif *w) {
    bool pro_rata = false, borrowed = false;
    for (int i = 0; i < w->count; i++) {
        pro_rata |= w->columns[i].basis == PRICE_PRO_RATA;
        borrowed |= w->columns[i].basis == PRICE_BORROWED;
    }
    if (pro_rata)
        buf_printf(b, "\n%s\n", _("~ not sold in this size: the share of another machine's rate"));
    if (borrowed)
        buf_printf(b, "\n%s\n", _("~ not sold with this link: the rate of the machine with another one"));
    if (w->weak)
        buf_printf(b, "\n%s\n", _("The work grows with the count (weak scaling)."));
}

/* Where room is short: the split of a model that answers; the speed-up of other jobs, because a service has one load. */
static bool worth_a_column(const struct whatif_row *row, const struct question *q) {
    if (row->put == put_split)
        return q->job->task == TASK_INFERENCE;
    bool scaling = row->number == number_speed_up || row->number == number_efficiency;
    return !scaling || !job_is_serving(q->job);
}

void whatif_table(struct buf *b, const struct question *q, const struct whatif *w, enum grid_format format,
                  const struct style *style) {
    enum { MOST = sizeof rows / sizeof rows[0] + 1 };
    const struct whatif_row *chosen[MOST];
    const char *keys[MOST], *headings[MOST];
    bool people = format == GRID_TABLE, labelled = w->vary != VARY_GPUS;
    size_t count = 0;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        if (people && (!rows[r].heading || !whatif_row_used(&rows[r], q, w) || !worth_a_column(&rows[r], q)))
            continue;
        if (!people && !whatif_row_used(&rows[r], q, w) && rows[r].when != BOTH)
            continue;
        chosen[count] = &rows[r];
        keys[count + labelled] = rows[r].key;
        headings[count++ + labelled] = rows[r].heading ? _(rows[r].heading) : NULL;
    }
    if (labelled) {
        keys[0] = vary_name(w->vary);
        headings[0] = vary_label(w->vary);
        if (w->vary == VARY_GPU)
            keys[0] = "machine_gpus";
    }
    struct grid *g = grid_new(keys, count + labelled);
    grid_headings(g, headings);
    for (int i = 0; i < w->count; i++) {
        struct buf label = {0};
        whatif_label(&label, q, w, i);
        if (labelled)
            grid_add(g, label.data);
        for (size_t k = 0; k < count; k++)
            add_cell(g, chosen[k], q, w, i, people);
        buf_free(&label);
    }
    if (people) {
        struct buf sentence = {0};
        whatif_sentence(&sentence, q, w);
        style_wrap(b, style, sentence.data, 0);
        buf_putc(b, '\n');
        buf_free(&sentence);
    }
    grid_put(b, g, format, style);
    if (people) {
        put_reasons(b, q, w, style);
        put_footnotes(b, w);
    }
    grid_free(g);
}
