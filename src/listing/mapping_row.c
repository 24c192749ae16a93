/* SPDX-License-Identifier: MIT */
/* From the values of a row to offers: one for each variant of the mapping. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/mapping.h"

/* What the fields of a row come to that are no field of an offer, or that must be known to be there. */
struct seen {
    bool basis, gpus, rate, spot, currency;
    bool rate_per_term, spot_per_term;
    double vram_total, gpu_rate;
};

static bool is(const struct mapping_field *f, const char *name) {
    return strcmp(f->name, name) == 0;
}

static void skip(const struct row *row, const char *field, const char *why) {
    reader_problem(row->r, field, true, "%s", why);
}

/* A count below one is a part of a card. */
static bool set_gpus(const struct row *row, struct draft *d, const struct mapping_field *f, double x) {
    if (x >= 1 || x <= 0)
        return draft_set_number(row->r, d, f->field, x);
    d->f.gpus = 1;
    return draft_set_number(row->r, d, listing_field_find("gpu_fraction"), x);
}

/* Of a whole term: any sum, it is looked at when it is an hour's. */
static void set_term_rate(const struct mapping_field *f, struct draft *d, double x, struct seen *seen) {
    bool spot = f->field->type == FIELD_SPOT;
    *(spot ? &d->spot : &d->rate) = x;
    *(spot ? &seen->spot : &seen->rate) = true;
    *(spot ? &seen->spot_per_term : &seen->rate_per_term) = true;
}

static void set_number(const struct row *row, struct draft *d, const struct mapping_field *f, const struct value *v,
                       struct seen *seen) {
    double x;
    bool good;
    if (!row_number(row, f, v, &x, &good)) {
        if (!good && f->field)
            draft_set_text(row->r, d, f->field, v->text, v->len); /* says what is allowed */
        return;
    }
    row->had[f->id]++;
    if (f->pseudo == PSEUDO_VRAM_TOTAL) {
        seen->vram_total = x;
    } else if (f->pseudo == PSEUDO_GPU_RATE) {
        seen->gpu_rate = x;
    } else if (is(f, "gpus")) {
        seen->gpus = set_gpus(row, d, f, x);
    } else if (!num_known(f->scale)) {
        set_term_rate(f, d, x, seen);
    } else {
        bool set = draft_set_number(row->r, d, f->field, x);
        seen->rate |= set && f->field->type == FIELD_RATE;
        seen->spot |= set && f->field->type == FIELD_SPOT;
    }
}

static void set_time(const struct row *row, struct draft *d, const struct mapping_field *f, const struct value *v) {
    char text[32];
    double x;
    bool good;
    const char *s = v->text;
    size_t len = v->len;
    if (f->unit && row_number(row, f, v, &x, &good)) {
        len = num_format_plain(text, sizeof text, floor(x), 15);
        s = text;
    }
    draft_set_text(row->r, d, f->field, s, len);
    row->had[f->id]++;
}

static void set_text(const struct row *row, struct draft *d, const struct mapping_field *f, const struct value *v,
                     struct seen *seen) {
    struct reader *r = row->r;
    row->had[f->id]++;
    seen->currency |= is(f, "currency");
    if (is(f, "provider")) {
        d->f.provider = reader_provider(r, v->text, v->len);
    } else if (is(f, "gpu")) {
        d->f.gpu_raw = reader_text(r, v->text, v->len); /* their spelling: the form beside it counts */
    } else if (!is(f, "currency") || !text_equal_fold(v->text, "USD")) {
        bool set = draft_set_text(r, d, f->field, v->text, v->len);
        seen->basis |= set && is(f, "rate_basis");
    }
}

static void set_field(const struct row *row, struct draft *d, const struct mapping_field *f, struct seen *seen) {
    struct value v;
    while (f && !row_value(row, f, &v))
        f = f->otherwise;
    if (!f)
        return;
    if (!f->field || field_is_number(f->field))
        set_number(row, d, f, &v, seen);
    else if (f->field->type == FIELD_TIME || f->field->type == FIELD_X_TIME)
        set_time(row, d, f, &v);
    else
        set_text(row, d, f, &v, seen);
}

/* What one card of this name has; NUM_UNKNOWN when there are several sizes of it. */
static double card_memory(const struct row *row, const struct offer *f) {
    const struct card card = reader_card(row->r, f->gpu_raw, NUM_UNKNOWN, (enum gpu_form)f->form);
    double gb = NUM_UNKNOWN;
    if (card.gpu >= 0 && !(card.flags & OFFER_GPU_AMBIGUOUS))
        return catalog_gpu(row->r->ctx->catalog, (size_t)card.gpu)->vram_gb;
    for (size_t i = 0; i < card.candidate_count; i++) {
        if (num_known(gb) && fabs(gb - card.candidates[i]->vram_gb) > 0.5)
            return NUM_UNKNOWN;
        gb = card.candidates[i]->vram_gb;
    }
    return gb > 0 ? gb : NUM_UNKNOWN;
}

/* The memory of all cards together, when their number is known or the card's own memory is. */
static void settle_vram_total(const struct row *row, struct draft *d, struct seen *seen) {
    struct offer *f = &d->f;
    double total = seen->vram_total;
    static const double near = 0.07, slice = 0.93;
    if (!num_known(total) || total <= 0)
        return;
    if (seen->gpus) {
        if (!num_known((double)f->vram_gb) && draft_set_number(row->r, d, listing_field_find("vram_gb"), total))
            d->vram_scope = VRAM_OF_ALL;
        return;
    }
    double of_one = card_memory(row, f);
    if (!num_known(of_one))
        return;
    double count = total / of_one, whole = floor(count + 0.5);
    if (count < slice) {
        seen->gpus = true;
        f->gpus = 1;
        draft_set_number(row->r, d, listing_field_find("gpu_fraction"), count);
        draft_set_number(row->r, d, listing_field_find("vram_gb"), total);
    } else if (whole >= 1 && fabs(count - whole) <= near * whole) {
        seen->gpus = draft_set_number(row->r, d, listing_field_find("gpus"), whole);
        draft_set_number(row->r, d, listing_field_find("vram_gb"), total / whole);
    }
}

/* Two prices of one row that do not agree: nobody knows which is right. */
static void compare_rates(struct draft *d, const struct seen *seen) {
    static const double rounding = 0.02; /* share, and dollars: what rounding to cents makes of a cheap card */
    double of_gpu = d->f.rate_basis == RATE_GPU ? d->rate : d->rate / d->f.gpus, other = seen->gpu_rate;
    if (num_known(other) && num_known(of_gpu) && fabs(of_gpu - other) > fmax(rounding, rounding * of_gpu))
        d->f.flags |= OFFER_PRICE_CONFLICT;
}

/* A price of the whole term, an hour's part of it. */
static bool settle_term(const struct row *row, struct draft *d, struct seen *seen) {
    double term = offer_extra(row->r->out, &d->f)->term_h;
    if (!seen->rate_per_term && !seen->spot_per_term)
        return true;
    if (!(term > 0)) {
        skip(row, "rate_usd_h", "the price of a term whose length is not stated");
        return false;
    }
    double rate = d->rate / term, spot = d->spot / term;
    if (seen->spot_per_term) {
        d->spot = NUM_UNKNOWN;
        seen->spot = draft_set_number(row->r, d, listing_field_find("spot_usd_h"), spot);
    }
    if (seen->rate_per_term) {
        d->rate = NUM_UNKNOWN;
        seen->rate = draft_set_number(row->r, d, listing_field_find("rate_usd_h"), rate);
    }
    return !d->bad;
}

static bool settle(const struct row *row, struct draft *d, struct seen *seen) {
    struct offer *f = &d->f;
    if (d->bad)
        return true; /* reported */
    settle_vram_total(row, d, seen);
    if (d->bad || !settle_term(row, d, seen))
        return d->bad;
    const char *why = NULL, *field = "rate_usd_h";
    if (f->provider == 0) {
        field = "provider";
        why = "not stated who rents";
    } else if (!seen->rate && !seen->spot) {
        why = "no price";
    } else if (!seen->basis) {
        field = "rate_basis";
        why = "not stated whether the price is of the machine or of one GPU";
    } else if (!seen->gpus && f->rate_basis != RATE_GPU) {
        field = "gpus";
        why = "the price of a machine whose number of GPUs is not stated";
    }
    if (why) {
        skip(row, field, why);
        return false;
    }
    if (!seen->currency)
        f->flags |= OFFER_CURRENCY_UNKNOWN;
    compare_rates(d, seen);
    if (!seen->rate) { /* can be had as spot only */
        d->rate = d->spot;
        d->spot = NUM_UNKNOWN;
        f->rate_kind = RATE_SPOT;
    }
    return true;
}

static bool skipped(const struct row *row, const struct condition *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (row_condition(row, &list[i])) {
            skip(row, list[i].path->text, list[i].why);
            return true;
        }
    return false;
}

static bool applies(const struct row *row, const struct variant *v) {
    for (size_t i = 0; i < v->when_count; i++)
        if (!row_condition(row, &v->when[i]))
            return false;
    return true;
}

void row_add(const struct row *row) {
    const struct mapping *m = row->m;
    bool any = false;
    if (skipped(row, m->skip, m->skip_count))
        return;
    for (size_t i = 0; i < m->variant_count; i++) {
        const struct variant *v = &m->variants[i];
        struct draft d;
        struct seen seen = {.vram_total = NUM_UNKNOWN, .gpu_rate = NUM_UNKNOWN};
        if (!applies(row, v))
            continue;
        if (any)
            row->r->out->rows_read++; /* each is to be an offer */
        any = true;
        if (skipped(row, v->skip, v->skip_count))
            continue;
        draft_begin(&d);
        d.of_others = true;
        d.f.source = reader_put(row->r, m->name);
        for (size_t k = 0; k < v->count; k++)
            set_field(row, &d, v->fields[k], &seen);
        if (settle(row, &d, &seen))
            draft_finish(row->r, &d);
    }
    if (!any)
        skip(row, "", "offers nothing that can be rented");
}
