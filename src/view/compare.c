/* SPDX-License-Identifier: MIT */
/* Offers side by side: rows that differ stand out, and the best of a row has a mark. */
#include "app/compare.h"

#include <stdio.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/compare.h"
#include "gpuplan/report/sentence.h"
#include "internal.h"

enum { LABEL = 20, WIDEST = 24, GAP = 2, HEAD = 3 };

struct sheet {
    const struct app *a;
    const struct question *q;
    const struct compare_state *s;
    struct rect r;
    int label, width;
};

static int column_at(const struct sheet *t, int i) {
    return t->r.column + t->label + i * t->width + GAP;
}

/* ---- head: provider, machine, card ---- */

static void draw_head(const struct sheet *t, struct canvas *c) {
    const struct offers *o = t->q->offers;
    canvas_fill(c, (struct rect){t->r.row, t->r.column, HEAD, t->r.columns}, ROLE_HEADER, ' ');
    for (int i = 0; i < t->s->count; i++) {
        const struct candidate *x = &t->s->c[i];
        bool here = i == t->s->cursor;
        enum role role = here ? ROLE_SORTED : ROLE_HEADER;
        char card[64], text[96];
        size_t len;
        const char *machine = short_machine(offers_text(o, x->offer->machine), &len);
        int width = t->width - GAP, at = column_at(t, i);
        snprintf(text, sizeof text, here ? "[%s]" : "%s", offers_text(o, x->offer->provider));
        canvas_text_right(c, t->r.row, at, width, role, text);
        snprintf(text, sizeof text, "%.*s", (int)len, machine);
        canvas_text_right(c, t->r.row + 1, at, width, role, text);
        short_gpu(card, sizeof card, x->offer->gpu >= 0 ? catalog_gpu(t->q->catalog, (size_t)x->offer->gpu)->name : "");
        snprintf(text, sizeof text, "%dx %s", x->offer->gpus, card);
        canvas_text_right(c, t->r.row + 2, at, width, role, text);
        canvas_tag(c, (struct rect){t->r.row, at, HEAD, width}, TAG_ROW, i);
    }
}

/* ---- rows ---- */

static void draw_row(const struct sheet *t, struct canvas *c, int line, const struct compared *row) {
    int best = compare_best(row, t->q, t->s->c, (size_t)t->s->count);
    bool differs = compare_differs(row, t->q, t->s->c, (size_t)t->s->count);
    canvas_text(c, line, t->r.column, t->label - 1, differs ? ROLE_TEXT : ROLE_DIM, _(row->label));
    for (int i = 0; i < t->s->count; i++) {
        struct buf b = {0};
        compare_cell(row, &b, t->q, &t->s->c[i]);
        enum role role = !differs ? ROLE_DIM : i == best ? ROLE_GOOD : i == t->s->cursor ? ROLE_TITLE : ROLE_TEXT;
        canvas_text_right(c, line, column_at(t, i), t->width - GAP, role, b.data ? b.data : "");
        if (i == best)
            canvas_fill(c, (struct rect){line, column_at(t, i) + t->width - GAP, 1, 1}, ROLE_GOOD,
                        glyph_code(GLYPH_LEFT, c->ascii));
        canvas_tag(c, (struct rect){line, column_at(t, i), 1, t->width - GAP}, TAG_ROW, i);
        buf_free(&b);
    }
}

static void put_rows(struct page *p, const struct sheet *t) {
    size_t count;
    const struct compared *rows = compare_rows(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].data_only || !compare_used(&rows[i], t->q, t->s->c, (size_t)t->s->count))
            continue;
        int line = page_row(p);
        if (line >= 0)
            draw_row(t, p->c, line, &rows[i]);
    }
    for (int i = 0; i < t->s->count; i++) {
        struct buf b = {0};
        if (t->s->c[i].cls != RANK_REFUSED)
            continue;
        buf_printf(&b, "%s: ", offers_text(t->q->offers, t->s->c[i].offer->provider));
        sentence_reason(&b, &t->s->c[i].reason);
        page_wrap(p, ROLE_BAD, 0, b.data);
        buf_free(&b);
    }
}

struct viewport view_compare(const struct app *a, struct canvas *c, const struct view_layout *l) {
    const struct compare_state *s = a->compare;
    struct sheet t = {.a = a, .s = s, .r = {l->body.row, 0, l->body.rows, c->columns}};
    if (!a->shown || !a->shown->ranked || s->stale || s->count == 0) {
        page_wrap(&(struct page){.c = c, .r = t.r}, ROLE_TEXT, 0,
                  s->stale ? _("At work\342\200\246") : _("None of these offers is listed any more."));
        return (struct viewport){.page = t.r.rows};
    }
    t.q = ranking_question(a->shown->ranking);
    t.label = t.r.columns < 3 * LABEL ? t.r.columns / 3 : LABEL;
    t.width = (t.r.columns - t.label - 1) / s->count;
    t.width = t.width > WIDEST ? WIDEST : t.width;
    draw_head(&t, c);
    struct rect text = {t.r.row + HEAD, t.r.column, t.r.rows - HEAD, t.r.columns};
    struct page dry = {.r = text};
    put_rows(&dry, &t);
    int most = dry.line - text.rows, first = a->scroll[SCREEN_COMPARE];
    first = first > most ? most : first;
    struct page p = {.c = c, .r = text, .first = first > 0 ? first : 0};
    put_rows(&p, &t);
    return (struct viewport){.page = text.rows > 0 ? text.rows : 1, .lines = dry.line};
}
