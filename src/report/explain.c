/* SPDX-License-Identifier: MIT */
/* Every number of one candidate, down to formulas and the sources of constants. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/estimate/trace.h"
#include "gpuplan/report/json_out.h"
#include "gpuplan/report/report.h"
#include "gpuplan/report/sentence.h"
#include "gpuplan/report/serving.h"

enum { LABEL_WIDTH = 24, BAR_WIDTH = 30 };

struct page {
    struct buf *b;
    const struct style *style;
    const struct report_context *ctx;
    const struct candidate *c;
    bool markdown; /* headings and lists, for a document; else aligned for the terminal */
};

static void put_words(const struct page *p, const char *text) {
    if (p->markdown)
        text_markdown_cell(p->b, text);
    else
        style_put(p->b, p->style, text);
}

static void heading(const struct page *p, const char *text) {
    buf_putc(p->b, '\n');
    if (p->markdown) {
        buf_printf(p->b, "## %s\n", text);
        buf_putc(p->b, '\n');
        return;
    }
    style_begin(p->b, p->style, EMPHASIS_HEAD);
    style_put(p->b, p->style, text);
    style_end(p->b, p->style, EMPHASIS_HEAD);
    buf_putc(p->b, '\n');
}

static void label(const struct page *p, const char *text) {
    if (p->markdown) {
        buf_puts(p->b, "- ");
        if (*text)
            buf_printf(p->b, "**%s:** ", text);
        return;
    }
    buf_puts(p->b, "  ");
    style_put(p->b, p->style, text);
    int pad = LABEL_WIDTH - text_width(text);
    buf_pad(p->b, ' ', (size_t)(pad > 1 ? pad : 1));
}

static void line(const struct page *p, const char *name, const char *text) {
    label(p, name);
    put_words(p, text);
    buf_putc(p->b, '\n');
}

static void line_number(const struct page *p, const char *name, double x, enum num_unit unit) {
    char text[32];
    num_format(text, sizeof text, x, unit);
    line(p, name, text);
}

static void line_range(const struct page *p, const char *name, struct range r, enum num_unit unit) {
    char low[32], mid[32], high[32];
    if (!num_known(r.expected))
        return;
    num_format(low, sizeof low, r.low, unit);
    num_format(mid, sizeof mid, r.expected, unit);
    num_format(high, sizeof high, r.high, unit);
    if (strcmp(low, mid) == 0 && strcmp(mid, high) == 0) {
        line(p, name, mid);
        return;
    }
    label(p, name);
    buf_printf(p->b, _("%s (%s to %s)\n"), mid, low, high);
}

/* A part of a whole: its value, its share, a bar. */
static void part(const struct page *p, const char *name, double x, double whole, enum num_unit unit) {
    char text[32];
    double share = whole > 0 ? x / whole : 0;
    if (!(x > 0))
        return;
    num_format(text, sizeof text, x, unit);
    label(p, name);
    if (p->markdown) {
        buf_printf(p->b, "%s (%.0f %%)\n", text, share * 100);
        return;
    }
    buf_printf(p->b, "%10s %3.0f %%  ", text, share * 100);
    buf_pad(p->b, '#', (size_t)(share * BAR_WIDTH + 0.5));
    buf_putc(p->b, '\n');
}

static void put_sentence(const struct page *p, const char *name, struct buf *text) {
    if (text->len > 0)
        line(p, name, text->data);
    buf_free(text);
}

static void put_memory(const struct page *p) {
    const struct estimate *e = &p->c->e;
    const struct job *j = p->ctx->q->job;
    struct buf text = {0};
    char need[32], have[32];
    num_format(need, sizeof need, e->memory_gib.expected, NUM_GIB_UNIT);
    num_format(have, sizeof have, e->capacity_gib, NUM_GIB_UNIT);
    heading(p, _("Memory of the fullest GPU"));
    for (int i = 0; i < MEMORY_PART_COUNT; i++)
        part(p, memory_part_label((enum memory_part)i), e->memory_part_gib[i], e->memory_gib.expected, NUM_GIB_UNIT);
    line_range(p, _("in all"), e->memory_gib, NUM_GIB_UNIT);
    line(p, _("the card has"), have);
    line(p, _("verdict"),
         e->fit == FIT_FITS    ? _("fits")
         : e->fit == FIT_TIGHT ? _("TIGHT: the high end does not fit")
                               : _("no"));
    sentence_boundary(&text, j, e);
    put_sentence(p, _("length"), &text);
    sentence_concurrency(&text, j, e);
    put_sentence(p, _("at once"), &text);
    if (e->host_gb > 0)
        line_number(p, _("RAM it needs"), e->host_gb, NUM_GB_UNIT);
    if (e->disk_gb > 0)
        line_number(p, _("disk it needs"), e->disk_gb, NUM_GB_UNIT);
}

static void put_layout(const struct page *p) {
    const struct layout *l = &p->c->e.layout;
    heading(p, _("Layout"));
    label(p, _("split"));
    buf_printf(p->b, "replicas=%d dp=%d zero=%d tp=%d pp=%d cp=%d ep=%d\n", l->replicas, l->dp, l->zero, l->tp, l->pp,
               l->cp, l->ep);
    if (p->ctx->q->job->task == TASK_INFERENCE || p->ctx->q->job->task == TASK_MEASURED)
        return;
    label(p, _("batch"));
    buf_printf(p->b, "micro_batch=%d accumulation=%d grad_sync=%s\n", l->micro_batch, l->accumulation,
               grad_sync_name(l->grad_sync));
    label(p, _("to save memory"));
    buf_printf(p->b, "recompute=%s offload=%s\n", recompute_name(l->recompute), offload_name(l->offload));
}

/* Copies against ranks: the same GPUs, every way. */
static void put_ways(const struct page *p) {
    struct serving_ways w;
    serving_ways(p->ctx->q, p->c, &w);
    if (w.count < 2)
        return;
    heading(p, _("Copies or ranks (* chosen)"));
    ways_table(p->b, p->ctx->q, &w, p->markdown ? GRID_MARKDOWN : GRID_TABLE, p->style);
}

static void put_speed(const struct page *p) {
    const struct estimate *e = &p->c->e;
    const struct job *j = p->ctx->q->job;
    struct buf text = {0};
    heading(p, job_is_serving(p->ctx->q->job) ? _("One decoding step") : _("One step"));
    for (int i = 0; i < STEP_PART_COUNT; i++)
        part(p, step_part_label((enum step_part)i), e->step_part_s[i], e->step_s, NUM_SECONDS);
    line_number(p, _("in all"), e->step_s, NUM_SECONDS);
    line_range(p, _("tokens per second"), e->tokens_per_s, NUM_COUNT);
    line_range(p, _("first token"), e->ttft_ms, NUM_MILLISECONDS);
    line_range(p, _("each token"), e->itl_ms, NUM_MILLISECONDS);
    line_range(p, _("a whole answer"), range_scale(e->e2e_ms, 1e-3), NUM_SECONDS);
    if (job_is_serving(j)) {
        char name[32];
        snprintf(name, sizeof name, _("%g %% of requests"), j->slo_percentile);
        sentence_percentile(&text, j, e);
        put_sentence(p, name, &text);
        line_range(p, _("requests/s it carries"), e->sustained_requests_per_s, NUM_PLAIN);
        sentence_copies(&text, j, e);
        put_sentence(p, _("copies"), &text);
    }
    if (j->task == TASK_INFERENCE)
        line(p, _("limited by"), limiter_label(e->limited_by));
    sentence_arithmetic(&text, j, p->c->shape.gpu);
    put_sentence(p, _("weights"), &text);
}

static void put_hours(const struct page *p) {
    const struct estimate *e = &p->c->e;
    const struct cost *k = &p->c->cost;
    heading(p, _("Hours"));
    line_number(p, _("set-up"), k->setup_h, NUM_HOURS);
    line_range(p, _("the run"), e->run_h, NUM_HOURS);
    if (k->lost_h > 0)
        line_number(p, _("lost to interruptions"), k->lost_h, NUM_HOURS);
    if (k->copy_out_h > 0)
        line_number(p, _("copying results out"), k->copy_out_h, NUM_HOURS);
    line_range(p, _("in all"), k->time_h, NUM_HOURS);
    if (k->access_h > 0)
        line_number(p, _("before that: access"), k->access_h, NUM_HOURS);
    if (num_known(k->checkpoint_h) && k->checkpoint_h < k->time_h.expected)
        line_number(p, _("save every"), k->checkpoint_h, NUM_HOURS);
}

static void put_cost(const struct page *p) {
    const struct cost *k = &p->c->cost;
    heading(p, _("Dollars"));
    for (int i = 0; i < COST_PART_COUNT; i++)
        part(p, cost_part_label((enum cost_part)i), k->part_usd[i], k->usd.expected, NUM_USD);
    line_range(p, _("in all"), k->usd, NUM_USD);
    line_range(p, _("per million tokens out"), k->usd_per_mtok, NUM_USD);
    line_range(p, _("per 1,000 requests"), usd_per_1k_requests(p->ctx->q->job, k), NUM_USD);
    if (num_known(usd_per_month(p->ctx->q->job, k)))
        line_number(p, _("a month"), usd_per_month(p->ctx->q->job, k), NUM_USD);
    line_number(p, _("at perfect scaling"), k->naive_usd, NUM_USD);
    if (num_known(k->stopped_30d_usd) && k->stopped_30d_usd > 0) {
        line_number(p, _("left stopped, 30 days"), k->stopped_30d_usd, NUM_USD);
        line(p, "", _("Destroy the machine once the results are copied out."));
    }
}

static void put_item(const struct page *p, const char *text) {
    if (p->markdown) {
        line(p, "", text);
        return;
    }
    buf_puts(p->b, "  - ");
    struct style inner = *p->style;
    inner.width -= 4;
    style_wrap(p->b, &inner, text, 4);
}

static void put_list(const struct page *p, int count, const int *codes, bool questions) {
    for (int i = 0; i < count; i++)
        put_item(p, questions ? sentence_question((enum risk_question)codes[i])
                              : sentence_risk_reason((enum risk_reason)codes[i]));
}

static void put_risk(const struct page *p) {
    const struct risk *r = &p->c->risk;
    const struct shape *s = &p->c->shape;
    heading(p, _("Link and risk"));
    label(p, _("link"));
    buf_printf(p->b, "%s (%s)\n", link_name(s->gpus < 2 ? LINK_NONE : s->link), provenance_name(s->link_source));
    line(p, _("risk"), risk_grade_label(r->grade));
    if (num_known(r->worse_usd)) {
        struct buf text = {0};
        sentence_risk(&text, p->ctx->q, p->c);
        label(p, "");
        buf_printf(p->b, _("%s (probability %.0f %%)\n"), text.data ? text.data : "", r->probability_worse * 100);
        buf_free(&text);
    }
    line_number(p, _("costs on average"), r->expected_extra_usd, NUM_USD);
    put_list(p, r->reason_count, r->reasons, false);
    if (r->ask_count > 0) {
        heading(p, _("Ask the provider"));
        put_list(p, r->ask_count, r->ask, true);
        if (s->gpus * s->nodes < 2)
            return;
        bool amd = s->gpu && strcmp(s->gpu->vendor, "AMD") == 0;
        line(p, _("topology command"), amd ? "rocm-smi --showtopo" : "nvidia-smi topo -m");
    }
}

static void put_doubts(const struct page *p) {
    if (p->c->offer->flags == 0)
        return;
    heading(p, _("Doubtful in the listing"));
    for (unsigned bit = 0; bit < OFFER_FLAG_COUNT; bit++)
        if (p->c->offer->flags >> bit & 1)
            put_item(p, sentence_flag((enum offer_flag)(1u << bit)));
}

static void put_assumed(const struct page *p) {
    const struct job *j = p->ctx->q->job;
    unsigned unstated = unstated_of(p->ctx->q, p->c);
    heading(p, _("Assumed"));
    const char *bullet = p->markdown ? "- " : "  ";
    for (int i = 0; i < j->assumed_count; i++) {
        struct buf text = {0};
        buf_printf(&text, "%s=%s (%s)", j->assumed[i].key, j->assumed[i].value, j->assumed[i].why);
        buf_puts(p->b, bullet);
        put_words(p, text.data);
        buf_putc(p->b, '\n');
        buf_free(&text);
    }
    for (unsigned bit = 1; bit <= UNSTATED_ALL; bit <<= 1)
        if (unstated & bit) {
            buf_puts(p->b, bullet);
            put_words(p, unstated_text(bit));
            buf_putc(p->b, '\n');
        }
}

static void put_used(const struct page *p, const struct trace_step *step) {
    const struct assumptions *a = p->ctx->q->assumptions;
    for (int i = 0; i < step->used_count; i++) {
        const struct assumption *as = &assume_table()[step->used[i]];
        char value[32];
        num_format(value, sizeof value, a->v[step->used[i]].expected, NUM_PLAIN);
        struct buf text = {0};
        buf_printf(&text, "%s = %s%s%s, %s: %s", as->key, value, strcmp(as->unit, "1") == 0 ? "" : " ",
                   strcmp(as->unit, "1") == 0 ? "" : as->unit,
                   provenance_name((enum provenance)a->source[step->used[i]]), as->source);
        buf_puts(p->b, p->markdown ? "  - " : "      ");
        put_words(p, text.data);
        buf_putc(p->b, '\n');
        buf_free(&text);
    }
}

static void put_trace(const struct page *p, const struct trace *t) {
    if (!t || t->count == 0)
        return;
    heading(p, _("Formulas"));
    for (int i = 0; i < t->count; i++) {
        const struct trace_kind *kind = &trace_kinds()[t->steps[i].id];
        char value[32];
        num_format(value, sizeof value, t->steps[i].value, NUM_PLAIN);
        bool pure = strcmp(kind->unit, "1") == 0;
        buf_printf(p->b, p->markdown ? "- %s = %s%s%s: `%s`" : "  %s = %s%s%s\n      %s", _(kind->label), value,
                   pure ? "" : " ", pure ? "" : kind->unit, kind->formula);
        if (*kind->source)
            buf_printf(p->b, p->markdown ? " (%s)" : "  [%s]", kind->source);
        buf_putc(p->b, '\n');
        put_used(p, &t->steps[i]);
    }
}

static void put_verdict(const struct page *p) {
    struct buf text = {0};
    const struct candidate *c = p->c;
    if (c->reason.code != REASON_NONE) {
        sentence_reason(&text, &c->reason);
        style_begin(p->b, p->style, EMPHASIS_BAD);
        buf_printf(p->b, _("Refused: %s.\n"), text.data);
        style_end(p->b, p->style, EMPHASIS_BAD);
    } else if (c->rank > 0) {
        buf_printf(p->b, _("Place %d of %zu"), c->rank, ranking_count(p->ctx->ranking));
        buf_printf(p->b, _(", uses %d of %d GPUs, fits from %d\n"), c->shape.gpus * c->shape.nodes,
                   c->offer->gpus * c->shape.nodes, c->fits_from_gpus);
    }
    buf_free(&text);
}

static void put_head(const struct page *p) {
    struct buf text = {0};
    const char *end = p->markdown ? "\n\n" : "\n"; /* a paragraph each */
    buf_puts(p->b, p->markdown ? "# " : "");
    sentence_job(&text, p->ctx->q->job);
    put_words(p, text.data);
    buf_puts(p->b, end);
    buf_clear(&text);
    sentence_machine(&text, p->ctx->q, p->c);
    put_words(p, text.data);
    buf_puts(p->b, end);
    put_words(p, offers_text(p->ctx->offers, p->c->offer->id));
    buf_puts(p->b, end);
    buf_free(&text);
    put_verdict(p);
}

static void put_page(const struct page *p, const struct trace *t) {
    put_head(p);
    if (!p->c->shape.gpu)
        return;
    put_memory(p);
    put_layout(p);
    put_ways(p);
    if (p->c->reason.code == REASON_NONE) {
        put_speed(p);
        put_hours(p);
        put_cost(p);
        put_risk(p);
    }
    put_doubts(p);
    put_assumed(p);
    put_trace(p, t);
}

void explain_text(struct buf *b, const struct report_context *ctx, const struct candidate *c, const struct trace *t,
                  const struct style *style) {
    put_page(&(struct page){b, style, ctx, c, false}, t);
}

void explain_markdown(struct buf *b, const struct report_context *ctx, const struct candidate *c,
                      const struct trace *t) {
    static const struct style plain = {.width = INT_MAX};
    put_page(&(struct page){b, &plain, ctx, c, true}, t);
}

/* What the count is for, what a growing batch means, and what would do with one card. */
/* A change that the card holds and the RAM that was stated does not. */
static void sentence_refused(struct buf *text, const struct fit_row *row) {
    const struct reason *why = &row->lighter.refused;
    if (why->code == REASON_NONE)
        return;
    buf_puts(text, text->len > 0 ? " " : "");
    buf_printf(text, _("One such card would hold it with %s, but that needs %.3g GB of RAM; %.3g GB are there."),
               row->lighter.changes, why->need, why->have);
}

static void sentence_fit_row(struct buf *text, const struct job *job, const struct fit_row *row) {
    int all = row->shape.gpus * row->shape.nodes;
    if (row->fits_from > 0 && row->fits_from < all)
        buf_printf(text, _("It fits from %d of them; the rest is speed."), row->fits_from);
    if (job->batch_rule == BATCH_PER_GPU && job->task != TASK_INFERENCE && row->e.layout.dp > 1) {
        buf_puts(text, text->len > 0 ? " " : "");
        buf_printf(
            text,
            _("The batch grows with the GPUs, to %.0f sequences a step: fewer steps, and another training, whose "
              "learning rate must be found anew."),
            job->global_batch * row->e.layout.dp);
    }
    if (!row->has_lighter) {
        sentence_refused(text, row);
        return;
    }
    double times = row->lighter.e.run_h.expected / row->e.run_h.expected;
    buf_puts(text, text->len > 0 ? " " : "");
    buf_printf(text, _("One such card does it with %s, in %.3g h (%.3g to %.3g h)"), row->lighter.changes,
               row->lighter.e.run_h.expected, row->lighter.e.run_h.low, row->lighter.e.run_h.high);
    if (row->reason.code == REASON_NONE && num_known(times) && times > 0)
        buf_printf(text, _(", %.2g times as long as these"), times);
    buf_printf(text, _("; it needs %.3g GB of RAM."), row->lighter.e.host_gb);
}

void fit_text(struct buf *b, const struct question *q, const struct fit_row *row, const struct style *style) {
    struct candidate c = {.e = row->e, .shape = row->shape, .reason = row->reason};
    const struct report_context ctx = {.q = q};
    const struct page p = {b, style, &ctx, &c, false};
    struct buf text = {0};
    char card[64];
    short_gpu(card, sizeof card, row->shape.gpu->name);
    sentence_job(&text, q->job);
    buf_printf(&text, "\n%dx %s\n", row->shape.gpus * row->shape.nodes, card);
    if (row->reason.code != REASON_NONE) {
        struct buf why = {0};
        sentence_reason(&why, &row->reason);
        buf_printf(&text, _("Does not do it: %s.\n"), why.data);
        buf_free(&why);
    }
    style_put(b, style, text.data);
    buf_clear(&text);
    sentence_fit_row(&text, q->job, row);
    if (text.len > 0)
        style_wrap(b, style, text.data, 0);
    buf_free(&text);
    if (!(row->e.memory_gib.expected > 0)) /* refused before anything was counted */
        return;
    put_memory(&p);
    put_layout(&p);
    put_ways(&p);
    if (row->e.fit != FIT_NO)
        put_speed(&p);
}

static void json_trace(struct json_out *j, const struct question *q, const struct trace *t) {
    json_out_array(j, "trace");
    for (int i = 0; t && i < t->count; i++) {
        const struct trace_kind *kind = &trace_kinds()[t->steps[i].id];
        json_out_object(j, NULL);
        json_out_text(j, "key", kind->key);
        json_out_number(j, "value", t->steps[i].value);
        json_out_text(j, "unit", kind->unit);
        json_out_text(j, "formula", kind->formula);
        json_out_text(j, "source", kind->source);
        json_out_array(j, "assumptions");
        for (int u = 0; u < t->steps[i].used_count; u++) {
            int id = t->steps[i].used[u];
            json_out_object(j, NULL);
            json_out_flat(j);
            json_out_text(j, "key", assume_table()[id].key);
            json_out_range(j, "value", q->assumptions->v[id]);
            json_out_text(j, "unit", assume_table()[id].unit);
            json_out_text(j, "provenance", provenance_name((enum provenance)q->assumptions->source[id]));
            json_out_text(j, "source", assume_table()[id].source);
            json_out_end(j, '}');
        }
        json_out_end(j, ']');
        json_out_end(j, '}');
    }
    json_out_end(j, ']');
}

void explain_json(struct buf *b, const struct report_context *ctx, const struct candidate *c, const struct trace *t) {
    struct json_out j = {.b = b};
    json_out_object(&j, NULL);
    json_out_array(&j, "candidates");
    candidate_json(&j, ctx->q, c);
    json_out_end(&j, ']');
    struct serving_ways w;
    serving_ways(ctx->q, c, &w);
    ways_json(&j, ctx->q, &w);
    json_trace(&j, ctx->q, t);
    json_out_end(&j, '}');
}
