/* SPDX-License-Identifier: MIT */
/* The ranking for people: the answer, a title line, the rows that fit the screen, what was refused. */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/listing/source.h"
#include "gpuplan/report/report.h"
#include "gpuplan/report/sentence.h"

struct cells {
    struct column_set set;
    struct buf *texts; /* row by row */
    enum emphasis *roles;
    size_t rows;
};

void view_row(const struct view_rows *v, size_t i, struct candidate *out) {
    size_t at = v->order ? v->order[i] : i;
    size_t size = 1;
    const struct ranked *row = v->grouped ? ranking_group_at(v->ranking, at, &size) : ranking_at(v->ranking, at);
    ranking_candidate(v->ranking, row, out);
    out->rank = (int)at + 1;
}

static enum emphasis role_of(const struct candidate *c) {
    return c->cls == RANK_LATE ? EMPHASIS_DIM : c->e.fit == FIT_TIGHT ? EMPHASIS_WARN : EMPHASIS_PLAIN;
}

static void fill(struct cells *t, const struct view_rows *v, const struct question *q, const struct style *style) {
    t->rows = v->count;
    t->texts = mem_zero(t->rows * (size_t)t->set.count + 1, sizeof *t->texts);
    t->roles = mem_zero(t->rows + 1, sizeof *t->roles);
    for (size_t r = 0; r < t->rows; r++) {
        struct candidate c;
        view_row(v, r, &c);
        t->roles[r] = role_of(&c);
        for (int i = 0; i < t->set.count; i++) {
            struct buf raw = {0};
            column_put(t->set.columns[i], &raw, q, &c);
            style_put(&t->texts[r * (size_t)t->set.count + (size_t)i], style, raw.data ? raw.data : "");
            buf_free(&raw);
        }
    }
}

static const char *cell(const struct cells *t, size_t row, int column) {
    const char *s = t->texts[row * (size_t)t->set.count + (size_t)column].data;
    return s ? s : "";
}

static void measure(struct cells *t) {
    for (int i = 0; i < t->set.count; i++) {
        for (size_t r = 0; r < t->rows; r++) {
            int width = text_width(cell(t, r, i));
            if (width > t->set.width[i])
                t->set.width[i] = width;
        }
    }
}

static void put_cell(struct buf *b, const struct style *style, const char *text, int width, bool left, bool last) {
    int used = text_width(text);
    size_t len = strlen(text);
    bool cut = used > width;
    if (cut)
        len = text_fit(text, width - 1, &used);
    int pad = width - used - cut;
    if (!left && pad > 0)
        buf_pad(b, ' ', (size_t)pad);
    buf_put(b, text, len);
    if (cut)
        style_put(b, style, "\342\200\246");
    if (left && pad > 0 && !last)
        buf_pad(b, ' ', (size_t)pad);
}

static void put_line(struct buf *b, const struct cells *t, const struct style *style, size_t row, bool heading) {
    enum emphasis role = heading ? EMPHASIS_HEAD : t->roles[row];
    style_begin(b, style, role);
    bool first = true;
    for (int i = 0; i < t->set.count; i++) {
        if (t->set.width[i] <= 0)
            continue;
        if (!first)
            buf_pad(b, ' ', COLUMN_GAP);
        first = false;
        put_cell(b, style, heading ? _(t->set.columns[i]->label) : cell(t, row, i), t->set.width[i],
                 t->set.columns[i]->left, i == t->set.count - 1);
    }
    style_end(b, style, role);
    buf_putc(b, '\n');
}

static void free_cells(struct cells *t) {
    for (size_t i = 0; i < t->rows * (size_t)t->set.count; i++)
        buf_free(&t->texts[i]);
    free(t->texts);
    free(t->roles);
}

static void put_title(struct buf *b, const struct report_context *ctx, const struct style *style) {
    struct buf line = {0}, n = {0};
    size_t candidates = ranking_count(ctx->ranking), offers = ctx->offers->count;
    sentence_job(&line, ctx->q->job);
    sentence_count(&n, candidates);
    buf_printf(&line, " \302\267 ");
    buf_puts(&line, n.data);
    buf_clear(&n);
    sentence_count(&n, offers);
    buf_printf(&line, ngettext(" of %s offer can do it", " of %s offers can do it", (unsigned long)offers), n.data);
    if (ctx->offers->rows_skipped > 0)
        buf_printf(&line, ngettext(", %zu row skipped", ", %zu rows skipped", (unsigned long)ctx->offers->rows_skipped),
                   ctx->offers->rows_skipped);
    if (ctx->q->now > 0 && ctx->offers->observed_at > 0) {
        char age[32];
        double hours = (double)(ctx->q->now - ctx->offers->observed_at) / 3600;
        num_format(age, sizeof age, hours > 0 ? hours : 0, NUM_HOURS);
        const char *mark = listing_is_stale(ctx->offers->observed_at, ctx->q->now) ? "~" : "";
        if (ctx->offers->from)
            buf_printf(&line, _(", prices of %s %s%s old"), offers_text(ctx->offers, ctx->offers->from), mark, age);
        else
            buf_printf(&line, _(", prices %s%s old"), mark, age);
    }
    buf_printf(&line, " \302\267 ");
    buf_printf(&line, _("goal: %s"), goal_name(ctx->q->goal));
    style_begin(b, style, EMPHASIS_DIM);
    style_wrap(b, style, line.data, 0);
    style_end(b, style, EMPHASIS_DIM);
    buf_free(&line);
    buf_free(&n);
}

/* What a preset fills in is counted, but for the deadline: it decides what is late. */
static void put_assumed(struct buf *b, const struct report_context *ctx, const struct style *style) {
    const struct job *j = ctx->q->job;
    int others = 0, named = 0;
    struct buf line = {0};
    buf_puts(&line, _("Assumed, because it was left empty:"));
    for (int i = 0; i < j->assumed_count; i++) {
        bool preset = strcmp(j->assumed[i].why, "preset") == 0;
        if (preset && strcmp(j->assumed[i].key, "deadline_h") != 0) {
            others++;
            continue;
        }
        buf_printf(&line, "%s %s=%s", named++ ? "," : "", j->assumed[i].key, j->assumed[i].value);
    }
    if (others > 0)
        buf_printf(&line,
                   ngettext("%s %d field of the preset %s", "%s %d fields of the preset %s", (unsigned long)others),
                   named ? "," : "", others, j->preset);
    buf_putc(&line, '.');
    style_begin(b, style, EMPHASIS_DIM);
    if (others + named > 0)
        style_wrap(b, style, line.data, 2);
    style_end(b, style, EMPHASIS_DIM);
    buf_free(&line);
}

static void put_refused(struct buf *b, const struct report_context *ctx, const struct style *style) {
    struct refusal_summary s[REFUSAL_MAX];
    size_t n = ranking_refusals_by_cause(ctx->ranking, s);
    for (size_t i = 0; i < n; i++) {
        struct buf line = {0};
        sentence_refusal(&line, ctx->q, &s[i]);
        style_wrap(b, style, line.data, 2);
        buf_free(&line);
    }
}

void report_table(struct buf *b, const struct report_context *ctx, const struct view_rows *v,
                  const struct style *style) {
    style_wrap(b, style, ctx->answer, 0);
    buf_putc(b, '\n');
    put_title(b, ctx, style);
    if (v->count > 0) {
        struct cells t = {0};
        bool serving = job_is_serving(ctx->q->job);
        column_set_choose(&t.set, style->width, serving);
        fill(&t, v, ctx->q, style);
        measure(&t);
        column_set_fit(&t.set, style->width, serving);
        buf_putc(b, '\n');
        put_line(b, &t, style, 0, true);
        for (size_t r = 0; r < t.rows; r++)
            put_line(b, &t, style, r, false);
        free_cells(&t);
        size_t all = v->grouped ? ranking_group_count(v->ranking) : ranking_count(v->ranking);
        if (all > v->count) {
            buf_printf(b,
                       ngettext("... %zu more row (--top N shows more)", "... %zu more rows (--top N shows more)",
                                (unsigned long)(all - v->count)),
                       all - v->count);
            buf_putc(b, '\n');
        }
        buf_putc(b, '\n');
    }
    put_assumed(b, ctx, style);
    put_refused(b, ctx, style);
}
