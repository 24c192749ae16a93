/* SPDX-License-Identifier: MIT */
/* Whole lists side by side: `compare --by source|snapshot`. */
#include <stdio.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/listing/when.h"
#include "gpuplan/report/compare.h"
#include "gpuplan/report/json_out.h"
#include "gpuplan/report/sentence.h"

static bool best_of(const struct compared_list *l, struct candidate *out) {
    if (ranking_count(l->ranking) == 0)
        return false;
    ranking_candidate(l->ranking, ranking_at(l->ranking, 0), out);
    return true;
}

static double rate(const struct offer *f) {
    return f ? offer_rate_usd_h(f) : NUM_UNKNOWN;
}

static double percent(const struct change *c) {
    return c->from && c->to ? (rate(c->to) / rate(c->from) - 1) * 100 : NUM_UNKNOWN;
}

/* ---- a row a list ---- */

enum { DAY_CHARS = 10 /* 2026-03-22 */ };

static void add_list(struct grid *g, const struct compared_list *l, bool people) {
    const struct question *q = ranking_question(l->ranking);
    struct candidate best;
    bool any = best_of(l, &best);
    char when[32];
    when_format(when, sizeof when, q->offers->observed_at);
    if (people)
        when[DAY_CHARS] = '\0';
    grid_add(g, l->name);
    grid_add(g, when);
    grid_add_number(g, (double)q->offers->count, 9);
    grid_add_number(g, (double)ranking_count(l->ranking), 9);
    grid_add(g, any ? offers_text(q->offers, best.offer->id) : "");
    grid_add(g, any ? best.shape.gpu->name : "");
    grid_add_number(g, any ? best.shape.gpus * best.shape.nodes : NUM_UNKNOWN, 6);
    grid_add_number(g, any ? best.rate_usd_h : NUM_UNKNOWN, 4);
    grid_add_number(g, any ? best.cost.time_h.expected : NUM_UNKNOWN, 4);
    grid_add_number(g, any ? best.cost.usd.expected : NUM_UNKNOWN, 4);
}

/* Headings stay the caller's as long as the grid is used. */
enum { COLUMNS_MAX = 10 };
static void put_headings(struct grid *g, const char *const *headings, size_t count, const char **translated) {
    for (size_t i = 0; i < count; i++)
        translated[i] = _(headings[i]);
    grid_headings(g, translated);
}

static struct grid *grid_of_lists(const struct compared_list *lists, size_t count, bool people,
                                  const char **translated) {
    static const char *const keys[] = {"list", "observed_at", "offers",     "candidates", "best",
                                       "gpu",  "gpus_used",   "rate_usd_h", "time_h",     "cost_usd"};
    static const char *const headings[] = {N_("List"), N_("Seen"), N_("Offers"), N_("Can do it"), N_("Best"),
                                           N_("Card"), N_("GPUs"), N_("$/h"),    N_("Hours"),     N_("Total $")};
    enum { COLUMNS = sizeof keys / sizeof keys[0] };
    struct grid *g = grid_new(keys, COLUMNS);
    put_headings(g, headings, COLUMNS, translated);
    for (size_t i = 0; i < count; i++)
        add_list(g, &lists[i], people);
    return g;
}

/* ---- a row a difference ---- */

static struct grid *grid_of_changes(const struct changes *c, size_t top, bool people, const char **translated) {
    static const char *const keys[] = {"change", "offer", "from_usd_h", "to_usd_h", "percent", "from_rank", "to_rank"};
    static const char *const headings[] = {N_("Change"), N_("Offer"),     N_("$/h before"), N_("$/h now"),
                                           N_("%"),      N_("Rank then"), N_("Rank now")};
    enum { COLUMNS = sizeof keys / sizeof keys[0] };
    struct grid *g = grid_new(keys, COLUMNS);
    size_t shown = 0;
    put_headings(g, headings, COLUMNS, translated);
    for (size_t i = 0; i < c->count; i++) {
        const struct change *x = &c->items[i];
        if ((people && x->kind == CHANGE_NONE) || (top > 0 && shown >= top))
            continue;
        shown++;
        grid_add(g, change_kind_name(x->kind));
        grid_add(g, x->name);
        grid_add_number(g, rate(x->from), 6);
        grid_add_number(g, rate(x->to), 6);
        grid_add_number(g, percent(x), 3);
        grid_add_number(g, x->from_rank ? (double)x->from_rank : NUM_UNKNOWN, 9);
        grid_add_number(g, x->to_rank ? (double)x->to_rank : NUM_UNKNOWN, 9);
    }
    return g;
}

static void put_counts(struct buf *b, const struct compared_list *lists, size_t count, const struct changes *c,
                       const struct style *style) {
    struct buf line = {0};
    buf_printf(&line,
               _("From %s to %s: %zu new, %zu gone, %zu with another price, %zu with another rank, %zu the same."),
               lists[0].name, lists[count - 1].name, c->kinds[CHANGE_NEW], c->kinds[CHANGE_GONE],
               c->kinds[CHANGE_PRICE], c->kinds[CHANGE_RANK], c->kinds[CHANGE_NONE]);
    style_wrap(b, style, line.data, 0);
    buf_free(&line);
}

void lists_table(struct buf *b, const struct compared_list *lists, size_t count, enum change_match match,
                 const struct changes *changes, size_t top, enum grid_format format, const struct style *style) {
    bool people = format == GRID_TABLE || format == GRID_MARKDOWN;
    const char *headings[2][COLUMNS_MAX];
    struct grid *of_lists = grid_of_lists(lists, count, people, headings[0]),
                *of_changes = grid_of_changes(changes, top, people, headings[1]);
    if (people || match == MATCH_MACHINE)
        grid_put(b, of_lists, format, style);
    if (people) {
        buf_putc(b, '\n');
        put_counts(b, lists, count, changes, style);
        buf_putc(b, '\n');
    }
    if (people ? changes->count > changes->kinds[CHANGE_NONE] : match == MATCH_OFFER)
        grid_put(b, of_changes, format, style);
    grid_free(of_lists);
    grid_free(of_changes);
}

/* ---- JSON ---- */

static void put_list(struct json_out *j, const struct compared_list *l) {
    const struct question *q = ranking_question(l->ranking);
    char when[32];
    when_format(when, sizeof when, q->offers->observed_at);
    json_out_object(j, NULL);
    json_out_text(j, "list", l->name);
    json_out_text(j, "observed_at", *when ? when : NULL);
    json_out_number(j, "offers", (double)q->offers->count);
    json_out_number(j, "skipped", (double)q->offers->rows_skipped);
    json_out_number(j, "candidates", (double)ranking_count(l->ranking));
    json_out_end(j, '}');
}

static void put_change(struct json_out *j, const struct change *c) {
    json_out_object(j, NULL);
    json_out_flat(j);
    json_out_text(j, "change", change_kind_name(c->kind));
    json_out_text(j, "offer", c->name);
    json_out_number(j, "from_usd_h", rate(c->from));
    json_out_number(j, "to_usd_h", rate(c->to));
    json_out_number(j, "percent", percent(c));
    json_out_number(j, "from_rank", c->from_rank ? (double)c->from_rank : NUM_UNKNOWN);
    json_out_number(j, "to_rank", c->to_rank ? (double)c->to_rank : NUM_UNKNOWN);
    json_out_end(j, '}');
}

void lists_json(struct buf *b, const struct compared_list *lists, size_t count, enum change_match match,
                const struct changes *changes) {
    struct json_out j = {.b = b};
    struct candidate best;
    json_out_object(&j, NULL);
    json_out_text(&j, "by", match == MATCH_OFFER ? "snapshot" : "source");
    json_out_array(&j, "lists");
    for (size_t i = 0; i < count; i++)
        put_list(&j, &lists[i]);
    json_out_end(&j, ']');
    json_out_array(&j, "best");
    for (size_t i = 0; i < count; i++)
        if (best_of(&lists[i], &best))
            candidate_json_with(&j, ranking_question(lists[i].ranking), &best, "list", lists[i].name);
    json_out_end(&j, ']');
    json_out_object(&j, "counts");
    json_out_flat(&j);
    for (int k = 0; k < CHANGE_KIND_COUNT; k++)
        json_out_number(&j, change_kind_name((enum change_kind)k), (double)changes->kinds[k]);
    json_out_end(&j, '}');
    json_out_array(&j, "changes");
    for (size_t i = 0; i < changes->count; i++)
        put_change(&j, &changes->items[i]);
    json_out_end(&j, ']');
    json_out_end(&j, '}');
    buf_putc(b, '\n');
}
