/* SPDX-License-Identifier: MIT */
/* The topology screen: matrix first, then what it is, then what it means for the job. */
#include <stdio.h>
#include <string.h>

#include "app/topology.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/sentence.h"
#include "gpuplan/report/topology.h"
#include "internal.h"

enum { CELL = 5, EDGE = 6 /* columns of a cell, and of the numbers on the left */ };

static const struct question *question_of(const struct app *a) {
    return ranking_question(a->shown->ranking);
}

static enum role role_of_path(int path) {
    static const enum role roles[PATH_COUNT] = {
        [PATH_SELF] = ROLE_DIM, [PATH_NVLINK] = ROLE_GOOD, [PATH_XGMI] = ROLE_GOOD,  [PATH_PIX] = ROLE_TEXT,
        [PATH_PXB] = ROLE_TEXT, [PATH_PHB] = ROLE_TIGHT,   [PATH_NODE] = ROLE_TIGHT, [PATH_PCIE] = ROLE_TIGHT,
        [PATH_SYS] = ROLE_BAD,  [PATH_UNKNOWN] = ROLE_BAD};
    return roles[path];
}

/* ---- the matrix ---- */

static void put_numbers(struct page *p, int gpus) {
    int row = page_row(p);
    for (int i = 0; i < gpus && row >= 0; i++)
        canvas_printf(p->c, row, p->r.column + EDGE + i * CELL, CELL, ROLE_HEADER, "%*d", CELL - 1, i);
}

static void put_matrix(struct page *p, const struct topology_state *s) {
    const struct topology *t = &s->t;
    if (t->gpus < 2)
        return;
    if (EDGE + t->gpus * CELL > p->r.columns) {
        page_line(p, ROLE_DIM, _("Too many GPUs for a matrix on a screen this wide."));
        return;
    }
    put_numbers(p, t->gpus);
    for (int i = 0; i < t->gpus; i++) {
        int row = page_row(p);
        if (row < 0)
            continue;
        canvas_printf(p->c, row, p->r.column, EDGE, ROLE_HEADER, "GPU%d", i);
        for (int k = 0; k < t->gpus; k++) {
            char cell[16];
            topology_cell(t, i, k, cell, sizeof cell);
            enum role role = s->file[0] ? role_of_path(t->path[i][k]) : ROLE_ASSUMED;
            canvas_text_right(p->c, row, p->r.column + EDGE + k * CELL, CELL - 1, i == k ? ROLE_DIM : role,
                              i == k ? "-" : cell);
        }
    }
}

/* ---- what it is ---- */

static void pair_buf(struct page *p, const char *label, enum role role, struct buf *b) {
    if (b->len > 0)
        page_pair(p, label, role, b->data);
    buf_clear(b);
}

static void wrap_buf(struct page *p, enum role role, struct buf *b) {
    page_wrap(p, role, 0, b->data);
    buf_clear(b);
}

static enum role role_of_quality(char quality) {
    return quality <= 'B' ? ROLE_GOOD : quality <= 'C' ? ROLE_TEXT : quality <= 'D' ? ROLE_TIGHT : ROLE_BAD;
}

static void put_facts(struct page *p, const struct topology_state *s) {
    struct buf b = {0};
    const struct topology_verdict *v = &s->v;
    bool same = v->worst_a >= 0 && v->islands == 1 && s->t.path[v->worst_a][v->worst_b] <= PATH_XGMI;
    buf_printf(&b, "%s: %s", topology_class_name(v->cls), topology_class_label(v->cls));
    wrap_buf(p, ROLE_TEXT, &b);
    if (s->file[0]) {
        buf_printf(&b, _("quality %c: %s"), v->quality, topology_quality_label(v->quality));
        wrap_buf(p, role_of_quality(v->quality), &b);
    }
    topology_link_text(&b, v);
    pair_buf(p, _("link"), ROLE_TEXT, &b);
    topology_islands_text(&b, &s->t, v);
    pair_buf(p, _("islands"), ROLE_TEXT, &b);
    if (!same)
        topology_worst_text(&b, &s->t, v);
    pair_buf(p, _("worst pair"), ROLE_TEXT, &b);
    for (int i = 0; i < v->note_count; i++) {
        topology_note_text(&b, &v->notes[i]);
        page_wrap(p, ROLE_TIGHT, 2, b.data);
        buf_clear(&b);
    }
    buf_free(&b);
}

/* ---- what it means ---- */

static void put_row(struct page *p, const struct seen *s, int i) {
    const struct seen_row *row = &s->row[i];
    char label[32], hours[32], usd[32];
    struct buf b = {0};
    bool runs = row->c.reason.code == REASON_NONE;
    snprintf(label, sizeof label, ngettext("on %d GPU", "on %d GPUs", (unsigned long)row->gpus), row->gpus);
    if (runs) {
        num_format(hours, sizeof hours, row->c.cost.time_h.expected, NUM_HOURS);
        num_format(usd, sizeof usd, row->c.cost.usd.expected, NUM_USD);
        buf_printf(&b, "%s, %s", hours, usd);
        if (row->gpus > 1)
            buf_printf(&b, ", %s", link_name(row->verdict.link));
    } else {
        sentence_reason(&b, &row->c.reason);
    }
    pair_buf(p, label, !runs ? ROLE_BAD : i == s->best ? ROLE_GOOD : ROLE_TEXT, &b);
    buf_free(&b);
}

static void put_meaning(struct page *p, const struct app *a) {
    const struct topology_state *s = a->topology;
    struct buf b = {0};
    page_blank(p);
    page_heading(p, _("What it means for the job"));
    if (s->seen.offer) {
        for (int i = 0; i < s->seen.count; i++)
            put_row(p, &s->seen, i);
        topology_meaning(&b, question_of(a), &s->t, &s->seen);
    } else if (s->has_offer) {
        sentence_candidate(&b, question_of(a), &s->c);
    } else {
        buf_puts(&b, _("No offer is selected to hold it against: choose one on the first screen."));
    }
    page_wrap(p, ROLE_TEXT, 0, b.data ? b.data : "");
    buf_clear(&b);
    if (s->other_card) {
        page_wrap(
            p, ROLE_TIGHT, 0,
            _("The file shows another machine than this offer's: the card differs, or it has more of them. [ and ] "
              "walk to an offer that fits."));
    } else if (!s->file[0] && s->t.gpus > 1) {
        page_wrap(
            p, ROLE_DIM, 0,
            _("Nobody has looked at this machine: the matrix is what its link lets assume. `gpuplan probe` writes a "
              "script that looks; o opens what it says, or the output of nvidia-smi topo -m."));
    }
    buf_free(&b);
}

static void put_page(struct page *p, const struct app *a) {
    const struct topology_state *s = a->topology;
    struct buf b = {0};
    if (s->has_offer) {
        sentence_machine(&b, question_of(a), &s->c);
        page_line(p, ROLE_TEXT, b.data);
        buf_clear(&b);
    }
    if (s->file[0])
        buf_printf(&b, _("as %s shows it"), s->file);
    else
        buf_printf(&b, _("ASSUMED from its link: %s, %s"), link_name((enum link_kind)s->c.offer->link),
                   provenance_name((enum provenance)s->c.offer->link_source));
    page_line(p, s->file[0] ? ROLE_DIM : ROLE_ASSUMED, b.data);
    buf_free(&b);
    page_blank(p);
    put_matrix(p, s);
    page_blank(p);
    put_facts(p, s);
    put_meaning(p, a);
}

enum { WIDEST = 110 /* columns a person still reads a line of */ };

struct viewport view_topology(const struct app *a, struct canvas *c, const struct view_layout *l) {
    struct rect r = {l->body.row, 0, l->body.rows, c->columns < WIDEST ? c->columns : WIDEST};
    if (!a->shown || !a->shown->ranked || !a->topology->found) {
        bool wait = !a->shown || !a->shown->ranked || a->topology->stale;
        page_wrap(&(struct page){.c = c, .r = r}, ROLE_TEXT, 0,
                  wait ? _("At work\342\200\246") : _("No offer is selected: choose one on the first screen."));
        return (struct viewport){.page = r.rows, .lines = 1};
    }
    struct page dry = {.r = r};
    put_page(&dry, a);
    int most = dry.line - r.rows, first = a->scroll[SCREEN_TOPOLOGY];
    first = first > most ? most : first;
    struct page p = {.c = c, .r = r, .first = first > 0 ? first : 0};
    put_page(&p, a);
    return (struct viewport){.page = r.rows, .lines = dry.line};
}
