/* SPDX-License-Identifier: MIT */
/* `import --explain`: how each file was recognised, where each field came from, what became of the rows. */
#include <stdint.h>
#include <stdio.h>

#include "cli/cli.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/listing/source.h"

static void put_choice(struct buf *b, const struct explain_file *f) {
    buf_printf(b, "%s\n", f->file);
    if (f->by_mapping && *f->mapping)
        buf_printf(b, _("  read as: %s, by the mapping file %s\n"), f->source, f->mapping);
    else
        buf_printf(b,
                   f->by_mapping ? _("  read as: %s, by a bundled mapping (%d of 100)\n")
                                 : _("  read as: %s, by code (%d of 100)\n"),
                   f->source, f->score);
    if (*f->runner_up && f->runner_up_score > 0)
        buf_printf(b, _("  next in question: %s (%d of 100)\n"), f->runner_up, f->runner_up_score);
}

/* Columns that code looks at, without the field that they go to. */
static void put_columns(struct buf *b, const struct explain_file *f) {
    size_t n = 0;
    for (size_t i = 0; i < f->line_count; i++)
        if (f->lines[i].rows == SIZE_MAX) {
            buf_puts(b, n == 0 ? _("  columns used:") : ",");
            buf_printf(b, " %s", f->lines[i].from);
            n++;
        }
    if (n > 0)
        buf_putc(b, '\n');
}

static void widen(int *width, const char *s) {
    int w = text_width(s);
    *width = w > *width ? w : *width;
}

static void put_cell(struct buf *b, const char *s, int width) {
    buf_puts(b, s);
    if (width > 0)
        buf_pad(b, ' ', (size_t)(width - text_width(s)) + 2);
}

static void put_lines(struct buf *b, const struct explain_file *f) {
    int field = 0, from = 0, unit = 0;
    for (size_t i = 0; i < f->line_count; i++) {
        const struct explain_line *l = &f->lines[i];
        if (l->rows == SIZE_MAX)
            continue;
        widen(&field, l->field);
        widen(&from, l->from);
        widen(&unit, l->unit);
    }
    for (size_t i = 0; i < f->line_count; i++) {
        const struct explain_line *l = &f->lines[i];
        if (l->rows == SIZE_MAX)
            continue;
        buf_puts(b, "  ");
        put_cell(b, l->field, field);
        put_cell(b, l->from, from);
        put_cell(b, l->unit, unit);
        buf_printf(b, ngettext("%zu row\n", "%zu rows\n", l->rows), l->rows);
    }
}

static void put_ignored(struct buf *b, const struct explain_file *f) {
    if (f->ignored_count == 0)
        return;
    buf_puts(b, f->kept_ignored ? _("  kept, not understood:") : _("  not used:"));
    for (size_t i = 0; i < f->ignored_count; i++)
        buf_printf(b, "%s %s", i ? "," : "", f->ignored[i]);
    buf_putc(b, '\n');
}

static void put_flags(struct buf *b, const struct offers *o, unsigned file) {
    for (int bit = 0; bit < 32; bit++) {
        size_t n = 0;
        for (size_t i = 0; i < o->count; i++)
            n += o->items[i].file == file && (o->items[i].flags >> bit & 1);
        if (n > 0)
            buf_printf(b, "    %zu %s\n", n, offer_flag_name((enum offer_flag)(1u << bit)));
    }
}

/* What was found in this file about rows that were left out. */
static void put_reasons(struct buf *b, const struct offers *o, const char *file) {
    for (size_t i = 0; i < o->problem_count; i++) {
        const struct offer_problem *p = &o->problems[i];
        if (!p->skipped || !text_equal_fold(offers_text(o, p->file), file))
            continue;
        const char *field = offers_text(o, p->field);
        buf_printf(b, "    %u %s%s%s\n", p->count, field, *field ? ": " : "", offers_text(o, p->text));
    }
}

static void put_tally(struct buf *b, const struct offers *o, const struct explain_file *f) {
    size_t good = 0, flagged = 0, skipped = 0;
    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].file == f->index) {
            good += o->items[i].flags == 0;
            flagged += o->items[i].flags != 0;
        }
    for (size_t i = 0; i < o->problem_count; i++)
        if (o->problems[i].skipped && text_equal_fold(offers_text(o, o->problems[i].file), f->file))
            skipped += o->problems[i].count;
    buf_printf(b, _("  rows: %zu; offers: %zu good, %zu flagged\n"), f->rows, good, flagged);
    put_flags(b, o, f->index);
    if (skipped > 0)
        buf_printf(b, _("  left out: %zu\n"), skipped);
    put_reasons(b, o, f->file);
}

void import_explain(const struct cli *c) {
    struct buf b = {0};
    if (!c->offers)
        return;
    listing_explain_offers(c->explain, c->catalog, c->offers);
    for (size_t i = 0; i < listing_explain_count(c->explain); i++) {
        const struct explain_file *f = listing_explain_at(c->explain, i);
        put_choice(&b, f);
        put_columns(&b, f);
        put_lines(&b, f);
        put_ignored(&b, f);
        put_tally(&b, c->offers, f);
    }
    if (b.len > 0)
        fputs(b.data, stderr);
    buf_free(&b);
}

/* "12 vram_conflict, 3 overlap": how many offers carry each flag. */
static void list_flags(struct buf *b, const struct offers *o) {
    for (int bit = 0; bit < 32; bit++) {
        size_t n = 0;
        for (size_t i = 0; i < o->count; i++)
            n += o->items[i].flags >> bit & 1;
        if (n > 0)
            buf_printf(b, "%s%zu %s", b->len > 0 ? ", " : "", n, offer_flag_name((enum offer_flag)(1u << bit)));
    }
}

void import_tally(const struct cli *c) {
    const struct offers *o = c->offers;
    struct buf flags = {0};
    size_t flagged = 0;
    for (size_t i = 0; i < o->count; i++)
        flagged += o->items[i].flags != 0;
    list_flags(&flags, o);
    cli_warn(c, _("%zu rows read: %zu offers written, %zu of them flagged; %zu rows left out, %zu machines without a GPU"),
             o->rows_read, o->count, flagged, o->rows_skipped, o->rows_no_gpu);
    if (flagged > 0)
        cli_warn(c, _("flagged: %s"), flags.data);
    buf_free(&flags);
}
