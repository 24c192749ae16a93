/* SPDX-License-Identifier: MIT */
/* Screen 3: one candidate down to its constants, as a text that scrolls. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/estimate/trace.h"
#include "gpuplan/report/sentence.h"
#include "gpuplan/report/serving.h"
#include "internal.h"

static void pair_range(struct page *p, const char *label, struct range r, enum num_unit unit) {
    char low[32], mid[32], high[32], line[120];
    if (!num_known(r.expected))
        return;
    num_format(low, sizeof low, r.low, unit);
    num_format(mid, sizeof mid, r.expected, unit);
    num_format(high, sizeof high, r.high, unit);
    snprintf(line, sizeof line, _("%s (%s to %s)"), mid, low, high);
    page_pair(p, label, ROLE_TEXT, line);
}

static void pair_number(struct page *p, const char *label, double x, enum num_unit unit) {
    char text[32];
    if (!num_known(x))
        return;
    num_format(text, sizeof text, x, unit);
    page_pair(p, label, ROLE_TEXT, text);
}

static void pair_sentence(struct page *p, const char *label, struct buf *text) {
    if (text->len > 0)
        page_pair(p, label, ROLE_TEXT, text->data);
    buf_free(text);
}

static const struct question *question_of(const struct app *a) {
    return ranking_question(a->shown->ranking);
}

/* ---- verdict ---- */

static void put_verdict(struct page *p, const struct app *a) {
    const struct candidate *c = &a->explained.c;
    struct buf b = {0};
    if (c->rank > 0) {
        struct buf all = {0};
        sentence_count(&all, ranking_count(a->shown->ranking));
        buf_printf(&b, _("Place %d of %s. "), c->rank, all.data);
        buf_free(&all);
    }
    if (c->rank == 1) {
        struct answer answer;
        ranking_answer(a->shown->ranking, &answer);
        sentence_answer(&b, a->shown->ranking, &answer);
    } else {
        sentence_candidate(&b, question_of(a), c);
    }
    page_wrap(p, c->reason.code != REASON_NONE ? ROLE_BAD : ROLE_TEXT, 0, b.data);
    buf_clear(&b);
    buf_printf(&b, "%s \302\267 %s \302\267 %s", offers_text(a->shown->snapshot->offers, c->offer->id),
               rate_kind_name((enum rate_kind)c->offer->rate_kind), short_get(c->offer));
    struct buf age = {0};
    put_age(&age, a, c->offer->observed_at);
    if (age.len > 0) {
        buf_puts(&b, " \302\267 ");
        buf_printf(&b, _("price %s old"), age.data);
    }
    page_line(p, ROLE_DIM, b.data);
    buf_free(&age);
    buf_free(&b);
}

/* ---- memory, time, money ---- */

static void put_memory(struct page *p, const struct app *a) {
    const struct candidate *c = &a->explained.c;
    const struct job *j = &a->shown->basis->job;
    struct buf text = {0};
    page_blank(p);
    page_heading(p, _("Memory of the fullest GPU"));
    detail_memory(p, c);
    sentence_boundary(&text, j, &c->e);
    pair_sentence(p, _("length"), &text);
    sentence_concurrency(&text, j, &c->e);
    pair_sentence(p, _("at once"), &text);
    if (c->e.host_gb > 0)
        pair_number(p, _("RAM of the machine"), c->e.host_gb, NUM_GB_UNIT);
    if (c->e.disk_gb > 0)
        pair_number(p, _("disk of the machine"), c->e.disk_gb, NUM_GB_UNIT);
}

static void put_time(struct page *p, const struct app *a) {
    const struct candidate *c = &a->explained.c;
    const struct job *j = &a->shown->basis->job;
    bool serving = job_is_serving(j);
    struct buf text = {0};
    page_blank(p);
    page_heading(p, _("Time"));
    detail_step(p, a, c);
    pair_number(p, serving ? _("one decoding step") : _("one step"), c->e.step_s, NUM_SECONDS);
    pair_range(p, _("tokens per second"), c->e.tokens_per_s, NUM_COUNT);
    pair_range(p, _("first token"), c->e.ttft_ms, NUM_MILLISECONDS);
    pair_range(p, _("each token"), c->e.itl_ms, NUM_MILLISECONDS);
    pair_range(p, _("a whole answer"), range_scale(c->e.e2e_ms, 1e-3), NUM_SECONDS);
    if (serving) {
        char name[32];
        snprintf(name, sizeof name, _("%g %% of requests"), j->slo_percentile);
        sentence_percentile(&text, j, &c->e);
        pair_sentence(p, name, &text);
        pair_range(p, _("requests/s it carries"), c->e.sustained_requests_per_s, NUM_PLAIN);
        sentence_copies(&text, j, &c->e);
        pair_sentence(p, _("copies"), &text);
    }
    if (j->task == TASK_INFERENCE)
        page_pair(p, _("limited by"), ROLE_TEXT, limiter_label(c->e.limited_by));
    sentence_arithmetic(&text, j, c->shape.gpu);
    pair_sentence(p, _("weights"), &text);
    if (serving)
        return;
    pair_number(p, _("set-up"), c->cost.setup_h, NUM_HOURS);
    pair_range(p, _("the run"), c->e.run_h, NUM_HOURS);
    if (c->cost.lost_h > 0)
        pair_number(p, _("lost to interruptions"), c->cost.lost_h, NUM_HOURS);
    pair_range(p, _("in all"), c->cost.time_h, NUM_HOURS);
    if (c->deadline != LIMIT_NONE)
        page_pair(p, _("deadline"), c->deadline == LIMIT_MET ? ROLE_GOOD : ROLE_BAD,
                  c->deadline == LIMIT_MET ? _("in time") : _("LATE"));
}

static void put_money(struct page *p, const struct app *a) {
    const struct candidate *c = &a->explained.c;
    const struct job *j = &a->shown->basis->job;
    page_blank(p);
    page_heading(p, _("Dollars"));
    detail_cost(p, c);
    pair_range(p, _("in all"), c->cost.usd, NUM_USD);
    pair_range(p, _("per million tokens out"), c->cost.usd_per_mtok, NUM_USD);
    pair_range(p, _("per 1,000 requests"), usd_per_1k_requests(j, &c->cost), NUM_USD);
    pair_number(p, _("a month"), usd_per_month(j, &c->cost), NUM_USD);
    pair_number(p, _("at perfect scaling"), c->cost.naive_usd, NUM_USD);
    if (c->budget != LIMIT_NONE)
        page_pair(p, _("budget"), c->budget == LIMIT_MET ? ROLE_GOOD : ROLE_BAD,
                  c->budget == LIMIT_MET ? _("within") : _("OVER"));
}

/* ---- link and risk ---- */

static void put_risk(struct page *p, const struct app *a) {
    const struct candidate *c = &a->explained.c;
    const struct risk *r = &c->risk;
    static const enum role by_grade[] = {ROLE_GOOD, ROLE_GOOD, ROLE_TIGHT, ROLE_BAD};
    struct buf b = {0};
    page_blank(p);
    page_heading(p, _("Link and risk"));
    buf_printf(&b, "%s (%s)", link_name(c->shape.gpus < 2 ? LINK_NONE : c->shape.link),
               provenance_name(c->shape.link_source));
    page_pair(p, _("link"), ROLE_TEXT, b.data);
    page_pair(p, _("risk"), by_grade[r->grade], risk_grade_label(r->grade));
    buf_clear(&b);
    sentence_risk(&b, question_of(a), c);
    if (b.len > 0)
        page_wrap(p, ROLE_TEXT, 0, b.data);
    if (r->expected_extra_usd > 0)
        pair_number(p, _("costs on average"), r->expected_extra_usd, NUM_USD);
    for (int i = 0; i < r->reason_count; i++)
        page_wrap(p, ROLE_TEXT, 2, sentence_risk_reason((enum risk_reason)r->reasons[i]));
    if (r->ask_count > 0)
        page_line(p, ROLE_DIM, _("Ask the provider:"));
    for (int i = 0; i < r->ask_count; i++)
        page_wrap(p, ROLE_DIM, 2, sentence_question((enum risk_question)r->ask[i]));
    buf_free(&b);
}

/* ---- layouts ---- */

static void put_layout_words(struct buf *b, const struct layout *l, bool training) {
    static const char *const axes[] = {"replicas", "dp", "tp", "pp", "cp", "ep"};
    const int sizes[] = {l->replicas, l->dp, l->tp, l->pp, l->cp, l->ep};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++)
        if (sizes[i] > 1)
            buf_printf(b, "%s%s=%d", b->len > 0 ? " " : "", axes[i], sizes[i]);
    if (l->zero > 0)
        buf_printf(b, "%szero=%d", b->len > 0 ? " " : "", l->zero);
    if (b->len == 0)
        buf_puts(b, _("not split"));
    if (!training)
        return;
    buf_printf(b, " micro_batch=%d accumulation=%d recompute=%s", l->micro_batch, l->accumulation,
               recompute_name(l->recompute));
    if (l->offload != OFFLOAD_NONE)
        buf_printf(b, " offload=%s", offload_name(l->offload));
}

/* Why it lost: it is refused, with the bytes; it is tight; it takes longer. */
static enum role put_loss(struct buf *b, const struct attempt *t, const struct candidate *chosen) {
    char mine[32], best[32];
    if (t->e.fit == FIT_NO) {
        sentence_reason(b, &t->e.reason);
        return ROLE_BAD;
    }
    num_format(mine, sizeof mine, t->e.memory_gib.expected, NUM_GIB_UNIT);
    num_format(best, sizeof best, t->e.capacity_gib, NUM_GIB_UNIT);
    buf_printf(b, t->e.fit == FIT_TIGHT ? _("TIGHT: %s of %s; ") : _("%s of %s; "), mine, best);
    num_format(mine, sizeof mine, t->e.run_h.expected, NUM_HOURS);
    num_format(best, sizeof best, chosen->e.run_h.expected, NUM_HOURS);
    buf_printf(b, _("runs %s instead of %s"), mine, best);
    return t->e.fit == FIT_TIGHT ? ROLE_TIGHT : ROLE_TEXT;
}

/* A model that answers: copies against ranks on the same GPUs, then other counts. */
static enum role put_serving_loss(struct buf *b, const struct job *j, const struct estimate *e,
                                  const struct estimate *chosen) {
    char first[32], each[32];
    if (e->fit != FIT_NO && num_known(e->ttft_ms.expected)) {
        num_format(first, sizeof first, e->ttft_ms.expected, NUM_MILLISECONDS);
        num_format(each, sizeof each, e->itl_ms.expected, NUM_MILLISECONDS);
        buf_printf(b, _("first token %s, then %s each; "), first, each);
    }
    sentence_way_verdict(b, j, e, chosen);
    return e->fit == FIT_NO ? ROLE_BAD : e->fit == FIT_TIGHT ? ROLE_TIGHT : ROLE_TEXT;
}

static void put_ways(struct page *p, const struct app *a) {
    const struct job *j = &a->shown->basis->job;
    struct serving_ways w;
    serving_ways(question_of(a), &a->explained.c, &w);
    for (int i = 0; i < w.count; i++) {
        struct buf name = {0}, text = {0};
        if (i == w.chosen)
            continue;
        sentence_way(&name, &w.e[i]);
        enum role role = put_serving_loss(&text, j, &w.e[i], w.chosen >= 0 ? &w.e[w.chosen] : NULL);
        page_line(p, ROLE_FIELD, name.data);
        page_wrap(p, role, 4, text.data);
        buf_free(&name);
        buf_free(&text);
    }
}

static void put_layouts(struct page *p, const struct app *a) {
    const struct explained *e = &a->explained;
    const struct job *j = &a->shown->basis->job;
    bool training = job_is_training(&a->shown->basis->job);
    struct buf b = {0};
    page_blank(p);
    page_heading(p, _("How it is split, and what lost"));
    put_layout_words(&b, &e->c.e.layout, training);
    page_pair(p, _("chosen"), ROLE_GOOD, b.data);
    put_ways(p, a);
    for (int i = 0; i < e->attempt_count; i++) {
        char label[64];
        const struct attempt *t = &e->attempts[i];
        snprintf(label, sizeof label, "%dx %s", t->gpus,
                 t->strategy == STRATEGY_AUTO ? _("at best") : strategy_name(t->strategy));
        buf_clear(&b);
        enum role role = j->task == TASK_INFERENCE ? put_serving_loss(&b, j, &t->e, NULL) : put_loss(&b, t, &e->c);
        page_pair(p, label, role, b.data);
    }
    if (e->attempt_count == 0 && e->c.shape.gpus * e->c.shape.nodes < 2)
        page_line(p, ROLE_DIM, _("There is no other way on this machine."));
    else if (a->shown->basis->job.strategy != STRATEGY_AUTO)
        page_wrap(p, ROLE_DIM, 0,
                  _("The workload pins the split; without the pin another one may win (2, Advanced, Split)."));
    buf_free(&b);
}

/* ---- what is not known for sure ---- */

static void put_doubts(struct page *p, const struct app *a) {
    unsigned flags = a->explained.c.offer->flags;
    if (flags == 0)
        return;
    page_blank(p);
    page_heading(p, _("Doubtful in the listing"));
    for (unsigned bit = 0; bit < OFFER_FLAG_COUNT; bit++)
        if (flags >> bit & 1)
            page_wrap(p, ROLE_ASSUMED, 0, sentence_flag((enum offer_flag)(1u << bit)));
}

static void put_assumed(struct page *p, const struct app *a) {
    const struct job *j = &a->shown->basis->job;
    unsigned unstated = unstated_of(question_of(a), &a->explained.c);
    page_blank(p);
    page_heading(p, _("Assumed, because nobody states it"));
    for (unsigned bit = 1; bit <= UNSTATED_ALL; bit <<= 1)
        if (unstated & bit)
            page_line(p, ROLE_ASSUMED, unstated_text(bit));
    for (int i = 0; i < j->assumed_count; i++) {
        struct buf b = {0};
        buf_printf(&b, "%s (%s)", j->assumed[i].value, j->assumed[i].why);
        page_pair(p, j->assumed[i].key, ROLE_ASSUMED, b.data);
        buf_free(&b);
    }
}

static void put_used(struct page *p, const struct app *a, const struct trace_step *step) {
    const struct assumptions *as = &a->shown->basis->assumptions;
    for (int i = 0; i < step->used_count; i++) {
        const struct assumption *row = &assume_table()[step->used[i]];
        struct buf b = {0};
        char value[32];
        num_format(value, sizeof value, as->v[step->used[i]].expected, NUM_PLAIN);
        bool pure = strcmp(row->unit, "1") == 0;
        buf_printf(&b, "%s = %s%s%s, %s: %s", row->key, value, pure ? "" : " ", pure ? "" : row->unit,
                   provenance_name((enum provenance)as->source[step->used[i]]), row->source);
        page_wrap(p, as->source[step->used[i]] == PROVENANCE_ASSUMED ? ROLE_ASSUMED : ROLE_FIELD, 4, b.data);
        buf_free(&b);
    }
}

static void put_trace(struct page *p, const struct app *a) {
    const struct trace *t = &a->explained.trace;
    page_blank(p);
    page_heading(p, _("Formulas and constants (a edits them)"));
    for (int i = 0; i < t->count; i++) {
        const struct trace_kind *kind = &trace_kinds()[t->steps[i].id];
        struct buf b = {0};
        char value[32];
        num_format(value, sizeof value, t->steps[i].value, NUM_PLAIN);
        buf_printf(&b, "%s = %s %s", _(kind->label), value, strcmp(kind->unit, "1") == 0 ? "" : kind->unit);
        page_wrap(p, ROLE_TEXT, 0, b.data);
        buf_clear(&b);
        buf_puts(&b, kind->formula);
        if (*kind->source)
            buf_printf(&b, "  [%s]", kind->source);
        page_wrap(p, ROLE_DIM, 2, b.data);
        put_used(p, a, &t->steps[i]);
        buf_free(&b);
    }
}

static void put_page(struct page *p, const struct app *a) {
    const struct candidate *c = &a->explained.c;
    put_verdict(p, a);
    if (!c->shape.gpu)
        return;
    put_memory(p, a);
    if (c->reason.code == REASON_NONE) {
        put_time(p, a);
        put_money(p, a);
        put_risk(p, a);
    }
    put_layouts(p, a);
    put_doubts(p, a);
    put_assumed(p, a);
    put_trace(p, a);
}

enum { WIDEST = 110 /* columns a person still reads a line of */ };

struct viewport view_explain(const struct app *a, struct canvas *c, const struct view_layout *l) {
    struct rect r = {l->body.row, 0, l->body.rows, c->columns < WIDEST ? c->columns : WIDEST};
    if (!a->shown || !a->explained.found) {
        page_wrap(&(struct page){.c = c, .r = r}, ROLE_TEXT, 0,
                  a->shown && a->shown->ranked ? _("No offer is selected: choose one on the first screen.")
                                               : _("At work\342\200\246"));
        return (struct viewport){.page = r.rows, .lines = 1};
    }
    struct page dry = {.r = r};
    put_page(&dry, a);
    int most = dry.line - r.rows, first = a->scroll[SCREEN_EXPLAIN];
    first = first > most ? most : first;
    struct page p = {.c = c, .r = r, .first = first > 0 ? first : 0};
    put_page(&p, a);
    struct viewport shown = {.page = r.rows, .lines = dry.line, .part_count = dry.part_count};
    memcpy(shown.part_line, dry.part_line, sizeof shown.part_line);
    return shown;
}
