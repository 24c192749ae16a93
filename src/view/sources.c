/* SPDX-License-Identifier: MIT */
/* Files and fetches: a row each, and below it all about the one under the cursor. */
#include <stdio.h>
#include <string.h>

#include "app/sources.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/io/io.h"
#include "gpuplan/report/sentence.h"
#include "internal.h"

/* Columns of a row, from the left: mark, name, kind, offers, flagged, left out, age, state. */
enum { NAME_AT = 2, NAME_WIDTH = 16, KIND_AT = 19, OFFERS_AT = 26, NUMBER_WIDTH = 9, AGE_AT = 53, STATE_AT = 62 };
enum { DETAIL_ROWS = 8, LEAST_ROWS = 16 /* below that the list has it all */ };

static const char *kind_name(const struct source_row *r) {
    static const char *const names[] = {N_("bundled"), N_("file"), N_("fetch")};
    return _(names[r->kind]);
}

static void put_bytes(struct buf *b, double bytes) {
    buf_printf(b, bytes < 1e6 ? "%.0f kB" : "%.1f MB", bytes < 1e6 ? bytes / 1e3 : bytes / 1e6);
}

/* How a fetch stands, or what there is to know about the list. */
static enum role put_state(struct buf *b, const struct app *a, const struct source_row *r) {
    struct fetch_status s;
    bool asked = r->endpoint && fetching_status(a, r->name, &s);
    if (asked && s.state == FETCH_FAILED) {
        buf_puts(b, s.err.text);
        return ROLE_BAD;
    }
    if (asked && s.state == FETCH_READING) {
        buf_puts(b, _("is read"));
        return ROLE_GOOD;
    }
    if (asked && !fetch_ended(s.state)) {
        if (s.requests > 1)
            buf_printf(b, "%d/%d ", s.answered, s.requests);
        put_bytes(b, (double)s.bytes);
        buf_puts(b, s.state == FETCH_WAITING ? _(", waits") : ", ");
        if (s.state != FETCH_WAITING) {
            put_bytes(b, s.bytes_per_s);
            buf_puts(b, "/s");
        }
        return ROLE_GOOD;
    }
    if (r->there && listing_is_stale(r->time, a->now)) {
        buf_puts(b, _("old: prices may differ"));
        return ROLE_TIGHT;
    }
    if (r->there) {
        buf_puts(b, r->loaded ? _("in the ranking") : _("not in the ranking"));
        return r->loaded ? ROLE_TEXT : ROLE_DIM;
    }
    if (r->key == IO_KEY_REFUSED)
        buf_puts(b, _("its key is refused"));
    else if (r->key == IO_KEY_ABSENT && r->endpoint->auth != AUTH_NONE && !r->endpoint->key_optional)
        buf_puts(b, _("needs a key"));
    else
        buf_puts(b, *r->endpoint->url ? _("f fetches it") : _("no address is known"));
    return ROLE_DIM;
}

static void put_count(struct canvas *c, int row, int at, const struct source_row *r, size_t n) {
    struct buf b = {0};
    if (r->there) {
        sentence_count(&b, n);
        canvas_text_right(c, row, at, NUMBER_WIDTH, ROLE_TEXT, b.data);
    }
    buf_free(&b);
}

static void draw_row(const struct app *a, struct canvas *c, struct rect r, size_t i) {
    const struct source_row *s = &a->sources->rows[i];
    struct buf age = {0}, state = {0};
    enum role role = put_state(&state, a, s);
    put_age(&age, a, s->time);
    canvas_text(c, r.row, r.column + NAME_AT, NAME_WIDTH, s->there ? ROLE_TEXT : ROLE_DIM,
                s->kind == SOURCE_FETCHED ? s->name : io_base_name(s->name));
    canvas_text(c, r.row, r.column + KIND_AT, OFFERS_AT - KIND_AT, ROLE_DIM, kind_name(s));
    put_count(c, r.row, r.column + OFFERS_AT, s, s->offers);
    put_count(c, r.row, r.column + OFFERS_AT + NUMBER_WIDTH, s, s->flagged);
    put_count(c, r.row, r.column + OFFERS_AT + 2 * NUMBER_WIDTH, s, s->skipped);
    canvas_text_right(c, r.row, r.column + AGE_AT, STATE_AT - AGE_AT - 1, ROLE_TEXT, age.data ? age.data : "");
    canvas_text(c, r.row, r.column + STATE_AT, r.columns - STATE_AT, role, state.data ? state.data : "");
    if (i == a->sources->cursor) {
        canvas_text(c, r.row, r.column, 1, ROLE_CURSOR, ">");
        canvas_role(c, r, ROLE_CURSOR);
        canvas_cursor(c, r.row, r.column);
    }
    canvas_tag(c, r, TAG_ROW, (int)i);
    buf_free(&age);
    buf_free(&state);
}

static void draw_head(struct canvas *c, struct rect r) {
    canvas_text(c, r.row, r.column + NAME_AT, NAME_WIDTH, ROLE_HEADER, _("Source"));
    canvas_text(c, r.row, r.column + KIND_AT, OFFERS_AT - KIND_AT, ROLE_HEADER, _("Kind"));
    canvas_text_right(c, r.row, r.column + OFFERS_AT, NUMBER_WIDTH, ROLE_HEADER, _("Offers"));
    canvas_text_right(c, r.row, r.column + OFFERS_AT + NUMBER_WIDTH, NUMBER_WIDTH, ROLE_HEADER, _("Flagged"));
    canvas_text_right(c, r.row, r.column + OFFERS_AT + 2 * NUMBER_WIDTH, NUMBER_WIDTH, ROLE_HEADER, _("Left out"));
    canvas_text_right(c, r.row, r.column + AGE_AT, STATE_AT - AGE_AT - 1, ROLE_HEADER, _("Age"));
    canvas_text(c, r.row, r.column + STATE_AT, r.columns - STATE_AT, ROLE_HEADER, _("State"));
}

/* ---- all about one ---- */

static void put_finding(struct page *p, const struct finding *f) {
    struct buf b = {0};
    if (f->count > 1)
        buf_printf(&b, "%zu\303\227 ", f->count);
    if (f->field[0])
        buf_printf(&b, "%s: ", f->field);
    buf_puts(&b, f->text);
    if (f->line > 0)
        buf_printf(&b, _(" (line %ld)"), f->line);
    page_wrap(p, f->skipped ? ROLE_TEXT : ROLE_DIM, 2, b.data);
    buf_free(&b);
}

static void put_findings(struct page *p, const struct source_row *r, bool skipped, const char *title) {
    bool any = false;
    for (size_t i = 0; i < r->findings.finding_count; i++) {
        if (r->findings.findings[i].skipped != skipped)
            continue;
        if (!any)
            page_heading(p, title);
        any = true;
        put_finding(p, &r->findings.findings[i]);
    }
}

static void put_all(struct page *p, const struct app *a, const struct source_row *r) {
    struct buf state = {0};
    enum role role = put_state(&state, a, r);
    page_heading(p, r->name);
    if (state.len > 0)
        page_wrap(p, role, 0, state.data);
    if (r->url[0])
        page_wrap(p, ROLE_TEXT, 0, r->url);
    if (r->endpoint && r->endpoint->auth != AUTH_NONE)
        page_pair(p, r->endpoint->key_optional ? _("key, if there is one") : _("key"), ROLE_TEXT, r->endpoint->key_env);
    if (r->endpoint && *r->endpoint->origin) {
        struct buf origin = {0};
        buf_printf(&origin, _("The address is from: %s."), r->endpoint->origin);
        page_wrap(p, ROLE_DIM, 0, origin.data);
        buf_free(&origin);
    }
    put_findings(p, r, true, _("Left out, and why"));
    put_findings(p, r, false, _("Kept, with a flag"));
    buf_free(&state);
}

static struct viewport draw_full(const struct app *a, struct canvas *c, struct rect r) {
    struct page p = {.r = r};
    put_all(&p, a, sources_now(a));
    struct viewport shown = {.page = r.rows, .lines = p.line};
    p = (struct page){.c = c, .r = r, .first = a->scroll[SCREEN_SOURCES]};
    put_all(&p, a, sources_now(a));
    return shown;
}

struct viewport view_sources(const struct app *a, struct canvas *c, const struct view_layout *l) {
    struct rect r = l->body;
    const struct source_row *now = sources_now(a);
    if (l->side.rows > 0)
        r.columns = l->side.column + l->side.columns - r.column;
    if (!now) {
        canvas_wrap(c, r, 0, ROLE_DIM, _("There are no sources: name listings with -l."));
        return (struct viewport){.page = r.rows};
    }
    if (a->sources->full)
        return draw_full(a, c, r);
    int below = r.rows >= LEAST_ROWS ? r.rows / 2 > DETAIL_ROWS ? r.rows / 2 : DETAIL_ROWS : 0,
        page = r.rows - below - 1;
    page = (int)a->sources->count < page ? (int)a->sources->count : page;
    page = page > 0 ? page : 1;
    size_t top = list_top(a->sources->top, a->sources->cursor, (size_t)page, a->sources->count);
    draw_head(c, r);
    for (int i = 0; i < page && top + (size_t)i < a->sources->count; i++)
        draw_row(a, c, (struct rect){r.row + 1 + i, r.column, 1, r.columns}, top + (size_t)i);
    if (below > 0) {
        struct page p = {.c = c, .r = {r.row + page + 2, r.column, r.rows - page - 2, r.columns}};
        put_all(&p, a, now);
    }
    return (struct viewport){.page = page};
}
