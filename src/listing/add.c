/* SPDX-License-Identifier: MIT */
/* Offers of others go into the set through here: a number that our own format would not take is one that nobody stated. */
#include "gpuplan/base/num.h"
#include "listing/fields.h"

static const double most_usd_h = 1e6; /* as the field rate_usd_h */

static bool within(const struct field *field, double x) {
    return !num_known(x) || (x >= field->min && x <= field->max);
}

static void limit_numbers(struct reader *r, struct offer *f) {
    for (size_t i = 0; i < listing_field_count(); i++) {
        const struct field *field = &listing_field_table[i];
        if (field->type == FIELD_FLOAT) {
            float *x = (float *)((char *)f + field->offset);
            if (!within(field, (double)*x))
                *x = (float)NUM_UNKNOWN;
        } else if (field->type == FIELD_X_NUMBER && f->extra != 0) {
            size_t at = field->offset;
            if (!within(field, *(const double *)((const char *)offer_extra(r->out, f) + at)))
                *(double *)((char *)offer_extra_edit(r->out, f) + at) = NUM_UNKNOWN;
        }
    }
}

bool reader_add(struct reader *r, struct offer *f) {
    limit_numbers(r, f);
    if (!num_known((double)f->gpu_fraction)) {
        reader_problem(r, "gpu_fraction", true, "less than a thousandth of a GPU");
        return false;
    }
    if ((double)f->rate_microusd > most_usd_h * 1e6 || (double)f->spot_microusd > most_usd_h * 1e6) {
        reader_problem(r, "rate_usd_h", true, "more than 1000000 USD an hour");
        return false;
    }
    f->file = r->file;
    if (f->line == 0 && r->line > 0 && r->line < INT32_MAX)
        f->line = (int32_t)r->line;
    if (f->id == 0)
        offers_make_id(r->out, f);
    *offers_add(r->out) = *f;
    return true;
}
