/* SPDX-License-Identifier: MIT */
/* A topology in full: matrix, what it means, the rows of the job. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/json_out.h"
#include "gpuplan/report/sentence.h"
#include "gpuplan/report/topology.h"

enum { LABEL_WIDTH = 14, MATRIX_MOST = 16 /* GPUs; a larger one is counted only */ };

struct sheet {
    struct buf *b;
    const struct question *q;
    const struct topology *t;
    const struct topology_verdict *v;
    const struct seen *s;
    const struct style *style;
    bool markdown;
};

static void heading(const struct sheet *p, const char *text) {
    buf_putc(p->b, '\n');
    if (p->markdown) {
        buf_printf(p->b, "## %s\n\n", text);
        return;
    }
    style_begin(p->b, p->style, EMPHASIS_HEAD);
    style_put(p->b, p->style, text);
    style_end(p->b, p->style, EMPHASIS_HEAD);
    buf_putc(p->b, '\n');
}

static void paragraph(const struct sheet *p, const char *text) {
    if (p->markdown) {
        text_markdown_cell(p->b, text);
        buf_putc(p->b, '\n');
    } else {
        style_wrap(p->b, p->style, text, 0);
    }
}

/* Clears `value`. */
static void line(const struct sheet *p, const char *label, struct buf *value) {
    if (p->markdown) {
        buf_printf(p->b, "- **%s:** ", label);
        text_markdown_cell(p->b, value->data ? value->data : "");
        buf_putc(p->b, '\n');
    } else {
        struct style inner = *p->style;
        int pad = LABEL_WIDTH - text_width(label);
        buf_puts(p->b, "  ");
        style_put(p->b, p->style, label);
        buf_pad(p->b, ' ', (size_t)(pad > 1 ? pad : 1));
        inner.width -= LABEL_WIDTH + 2;
        style_wrap(p->b, &inner, value->data ? value->data : "", LABEL_WIDTH + 2);
    }
    buf_clear(value);
}

/* ---- the matrix ---- */

static void put_matrix(const struct sheet *p) {
    const struct topology *t = p->t;
    char cell[16];
    if (t->gpus > MATRIX_MOST || t->gpus < 2)
        return;
    const char *bar = p->markdown ? " |" : "";
    buf_puts(p->b, p->markdown ? "\n|   |" : "\n     ");
    for (int i = 0; i < t->gpus; i++)
        buf_printf(p->b, "%6d%s", i, bar);
    buf_puts(p->b, p->markdown ? "\n|---|" : "\n");
    for (int i = 0; p->markdown && i < t->gpus; i++)
        buf_puts(p->b, "---|");
    buf_puts(p->b, p->markdown ? "\n" : "");
    for (int i = 0; i < t->gpus; i++) {
        buf_printf(p->b, p->markdown ? "| %d |" : "%5d", i);
        for (int k = 0; k < t->gpus; k++) {
            bool bad = (i == p->v->worst_a && k == p->v->worst_b) || (k == p->v->worst_a && i == p->v->worst_b);
            topology_cell(t, i, k, cell, sizeof cell);
            buf_pad(p->b, ' ', strlen(cell) < 6 ? 6 - strlen(cell) : 1);
            if (!p->markdown)
                style_begin(p->b, p->style, bad ? EMPHASIS_WARN : i == k ? EMPHASIS_DIM : EMPHASIS_PLAIN);
            buf_puts(p->b, i == k ? "-" : cell);
            if (!p->markdown)
                style_end(p->b, p->style, bad ? EMPHASIS_WARN : i == k ? EMPHASIS_DIM : EMPHASIS_PLAIN);
            buf_puts(p->b, bar);
        }
        buf_putc(p->b, '\n');
    }
}

/* Pairs by what joins them: "NV18", 28. Calls back in order of the first pair of each. */
static int count_pairs(const struct topology *t, char labels[][16], int *counts, int room) {
    int n = 0;
    for (int a = 0; a < t->gpus; a++)
        for (int b = a + 1; b < t->gpus; b++) {
            char cell[16];
            int k = 0;
            topology_cell(t, a, b, cell, sizeof cell);
            while (k < n && strcmp(labels[k], cell) != 0)
                k++;
            if (k == room)
                continue;
            if (k == n) {
                snprintf(labels[n], sizeof labels[n], "%s", cell);
                counts[n++] = 0;
            }
            counts[k]++;
        }
    return n;
}

enum { PAIR_KINDS = 16 };

static const char *card_name(const struct sheet *p) {
    if (p->v->gpu && !p->v->gpu_open)
        return p->v->gpu->name;
    return p->t->gpu[0].name[0] ? p->t->gpu[0].name : _("unknown card");
}

static void put_pairs(struct buf *b, const struct topology *t) {
    char labels[PAIR_KINDS][16];
    int counts[PAIR_KINDS], n = count_pairs(t, labels, counts, PAIR_KINDS);
    for (int i = 0; i < n; i++)
        buf_printf(b, "%s%d %s", i ? ", " : "", counts[i], labels[i]);
}

static bool alike(const struct topology *t) {
    char labels[2][16];
    int counts[2];
    return count_pairs(t, labels, counts, 2) < 2;
}

static void put_facts(const struct sheet *p) {
    struct buf b = {0};
    const struct topology_verdict *v = p->v;
    buf_printf(&b, "%s: %s", topology_class_name(v->cls), topology_class_label(v->cls));
    line(p, _("class"), &b);
    topology_link_text(&b, v);
    line(p, _("link"), &b);
    buf_printf(&b, "%c: %s", v->quality, topology_quality_label(v->quality));
    line(p, _("quality"), &b);
    put_pairs(&b, p->t);
    if (b.len > 0)
        line(p, _("pairs"), &b);
    if (!alike(p->t))
        topology_worst_text(&b, p->t, v);
    if (b.len > 0)
        line(p, _("worst pair"), &b);
    topology_islands_text(&b, p->t, v);
    if (b.len > 0)
        line(p, _("islands"), &b);
    if (p->t->nics > 0) {
        buf_printf(&b, "%d", p->t->nics);
        line(p, _("network cards"), &b);
    }
    if (*p->t->driver) {
        buf_puts(&b, p->t->driver);
        line(p, _("driver"), &b);
    }
    for (int i = 0; i < v->note_count; i++) {
        topology_note_text(&b, &v->notes[i]);
        line(p, i == 0 || p->markdown ? _("note") : "", &b);
    }
    buf_free(&b);
}

/* ---- the job ---- */

static void add_row(struct grid *g, const struct sheet *p, const struct candidate *c, const char *what,
                    const char *link) {
    char text[32];
    bool runs = c->reason.code == REASON_NONE;
    grid_add(g, what);
    grid_add(g, link);
    grid_add(g, runs ? fit_name(c->e.fit) : "no");
    num_format(text, sizeof text, c->cost.time_h.expected, NUM_HOURS);
    grid_add(g, runs ? text : "");
    num_format(text, sizeof text, c->cost.usd.expected, NUM_USD);
    grid_add(g, runs ? text : "");
    struct buf why = {0};
    if (!runs)
        sentence_reason(&why, &c->reason);
    grid_add(g, runs ? limiter_name(c->e.limited_by) : why.data);
    buf_free(&why);
    (void)p;
}

static void put_rows(const struct sheet *p) {
    static const char *const keys[] = {"gpus", "link", "fit", "time_h", "cost_usd", "limited_by"};
    const char *const headings[] = {_("GPUs"), _("link"), _("fit"), _("hours"), _("dollars"), _("held up by")};
    struct grid *g = grid_new(keys, sizeof keys / sizeof *keys);
    struct buf what = {0};
    grid_headings(g, headings);
    buf_printf(&what, _("%d, as listed"), p->s->claimed.shape.gpus);
    add_row(g, p, &p->s->claimed, what.data, link_name((enum link_kind)p->s->offer->link));
    for (int i = 0; i < p->s->count; i++) {
        const struct seen_row *row = &p->s->row[i];
        buf_clear(&what);
        buf_printf(&what, "%d", row->gpus);
        if (i == p->s->best)
            buf_puts(&what, _(", best"));
        add_row(g, p, &row->c, what.data, link_name(row->verdict.link));
    }
    grid_put(p->b, g, p->markdown ? GRID_MARKDOWN : GRID_TABLE, p->style);
    buf_free(&what);
    grid_free(g);
}

static void put_job(const struct sheet *p) {
    struct buf b = {0};
    sentence_job(&b, p->q->job);
    heading(p, _("What it means for the job"));
    buf_puts(&b, ".");
    paragraph(p, b.data);
    buf_clear(&b);
    buf_putc(p->b, '\n');
    if (p->s) {
        put_rows(p);
        buf_putc(p->b, '\n');
        topology_meaning(&b, p->q, p->t, p->s);
    } else {
        buf_puts(&b, p->v->gpu
                         ? _("No listed offer has so many of this card: hours and dollars are not known here (-l names "
                             "other listings).")
                         : _("Which card it is must be known for hours and dollars (--gpu)."));
    }
    paragraph(p, b.data);
    buf_free(&b);
}

static void put_sheet(const struct sheet *p) {
    struct buf b = {0};
    buf_printf(&b, "%dx %s", p->t->gpus, card_name(p));
    if (p->markdown) {
        buf_puts(p->b, "# ");
        text_markdown_cell(p->b, b.data);
        buf_putc(p->b, '\n');
    } else {
        style_begin(p->b, p->style, EMPHASIS_HEAD);
        style_put(p->b, p->style, b.data);
        style_end(p->b, p->style, EMPHASIS_HEAD);
        buf_putc(p->b, '\n');
    }
    buf_free(&b);
    put_matrix(p);
    buf_putc(p->b, '\n');
    put_facts(p);
    put_job(p);
}

void topology_text(struct buf *b, const struct question *q, const struct topology *t, const struct topology_verdict *v,
                   const struct seen *s, const struct style *style) {
    const struct sheet p = {b, q, t, v, s, style, false};
    put_sheet(&p);
}

void topology_markdown(struct buf *b, const struct question *q, const struct topology *t,
                       const struct topology_verdict *v, const struct seen *s) {
    static const struct style plain = {.width = 0};
    const struct sheet p = {b, q, t, v, s, &plain, true};
    put_sheet(&p);
}

/* ---- JSON ---- */

static void islands_json(struct json_out *j, const struct topology *t, const struct topology_verdict *v) {
    json_out_array(j, "islands");
    json_out_flat(j);
    for (int k = 0; k < v->islands; k++) {
        json_out_array(j, NULL);
        for (int i = 0; i < t->gpus; i++)
            if (v->island_of[i] == k)
                json_out_number(j, NULL, i);
        json_out_end(j, ']');
    }
    json_out_end(j, ']');
}

static void pairs_json(struct json_out *j, const struct topology *t) {
    char labels[PAIR_KINDS][16];
    int counts[PAIR_KINDS], n = count_pairs(t, labels, counts, PAIR_KINDS);
    json_out_object(j, "pairs");
    json_out_flat(j);
    for (int i = 0; i < n; i++)
        json_out_number(j, labels[i], counts[i]);
    json_out_end(j, '}');
}

static void worst_json(struct json_out *j, const struct topology *t, const struct topology_verdict *v) {
    char cell[16];
    if (v->worst_a < 0) {
        json_out_null(j, "worst_pair");
        json_out_null(j, "worst_path");
        return;
    }
    json_out_array(j, "worst_pair");
    json_out_flat(j);
    json_out_number(j, NULL, v->worst_a);
    json_out_number(j, NULL, v->worst_b);
    json_out_end(j, ']');
    topology_cell(t, v->worst_a, v->worst_b, cell, sizeof cell);
    json_out_text(j, "worst_path", cell);
}

static void candidate_fields(struct json_out *j, const struct candidate *c) {
    bool runs = c->reason.code == REASON_NONE;
    json_out_text(j, "fit", runs ? fit_name(c->e.fit) : "no");
    json_out_range(j, "time_h", runs ? c->cost.time_h : range_exact(NUM_UNKNOWN));
    json_out_range(j, "cost_usd", runs ? c->cost.usd : range_exact(NUM_UNKNOWN));
}

static void job_json(struct json_out *j, const struct question *q, const struct topology *t, const struct seen *s) {
    struct buf b = {0};
    json_out_object(j, "job");
    json_out_text(j, "offer", offers_text(q->offers, s->offer->id));
    json_out_object(j, "claimed");
    json_out_number(j, "gpus_used", s->claimed.shape.gpus);
    json_out_text(j, "link", link_name((enum link_kind)s->offer->link));
    candidate_fields(j, &s->claimed);
    json_out_end(j, '}');
    json_out_array(j, "found");
    for (int i = 0; i < s->count; i++) {
        const struct seen_row *row = &s->row[i];
        json_out_object(j, NULL);
        json_out_number(j, "gpus_used", row->gpus);
        json_out_text(j, "class", topology_class_name(row->verdict.cls));
        json_out_text(j, "link", link_name(row->verdict.link));
        candidate_fields(j, &row->c);
        topology_devices(&b, t, row);
        json_out_text(j, "environment", b.data);
        buf_clear(&b);
        json_out_bool(j, "best", i == s->best);
        json_out_end(j, '}');
    }
    json_out_end(j, ']');
    topology_meaning(&b, q, t, s);
    json_out_text(j, "sentence", b.data);
    buf_free(&b);
    json_out_end(j, '}');
}

void topology_json(struct buf *b, const struct question *q, const struct topology *t, const struct topology_verdict *v,
                   const struct seen *s) {
    struct json_out out = {.b = b}, *j = &out;
    struct buf text = {0};
    const char quality[2] = {v->quality, '\0'};
    json_out_object(j, NULL);
    json_out_number(j, "gpus", t->gpus);
    json_out_number(j, "rows_read", t->rows);
    json_out_text(j, "gpu", v->gpu && !v->gpu_open ? v->gpu->name : t->gpu[0].name[0] ? t->gpu[0].name : NULL);
    json_out_text(j, "class", topology_class_name(v->cls));
    json_out_text(j, "link", link_name(v->link));
    bool speed = v->speed.ring_gbs.expected > 0;
    json_out_range(j, "link_gbs", speed ? v->speed.ring_gbs : range_exact(NUM_UNKNOWN));
    json_out_range(j, "allreduce_gbs", speed ? v->speed.allreduce_gbs : range_exact(NUM_UNKNOWN));
    json_out_text(j, "link_quality", quality);
    pairs_json(j, t);
    islands_json(j, t, v);
    json_out_number(j, "nics", t->nics);
    worst_json(j, t, v);
    json_out_array(j, "reasons");
    for (int i = 0; i < v->note_count; i++) {
        topology_note_text(&text, &v->notes[i]);
        json_out_text(j, NULL, text.data);
        buf_clear(&text);
    }
    json_out_end(j, ']');
    buf_free(&text);
    if (s)
        job_json(j, q, t, s);
    else
        json_out_null(j, "job");
    json_out_end(j, '}');
    buf_putc(b, '\n');
}
