/* SPDX-License-Identifier: MIT */
/* The fields of an offer as text and numbers, for writing. */
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/listing/when.h"
#include "listing/fields.h"

enum {
    DIGITS = 12,      /* significant: micro-dollars of a million survive */
    FLOAT_DIGITS = 7, /* more would show the rounding of a float; as many come back as they were */
};

bool field_is_number(const struct field *field) {
    switch (field->type) {
    case FIELD_FLOAT:
    case FIELD_BYTE:
    case FIELD_COUNT:
    case FIELD_RATE:
    case FIELD_SPOT:
    case FIELD_X_NUMBER:
        return true;
    default:
        return false;
    }
}

static double in_basis(const struct offers *o, const struct offer *f, int64_t micro) {
    if (micro <= 0)
        return NUM_UNKNOWN;
    double usd = (double)micro / 1e6;
    if (f->rate_basis == RATE_GPU)
        return usd / f->gpus;
    double host = f->rate_basis == RATE_COMPONENT ? offer_host_part(o, f) : 0;
    return num_known(host) ? usd - host : usd;
}

static const void *place(const struct offers *o, const struct offer *f, const struct field *field) {
    if (field->type == FIELD_X_TEXT || field->type == FIELD_X_NUMBER || field->type == FIELD_X_TIME)
        return (const char *)offer_extra(o, f) + field->offset;
    return (const char *)f + field->offset;
}

static double count_or_unknown(unsigned n) {
    return n == 0 ? NUM_UNKNOWN : (double)n;
}

double field_number(const struct offers *o, const struct offer *f, const struct field *field) {
    const void *p = place(o, f, field);
    switch (field->type) {
    case FIELD_FLOAT:
        if (field->offset == offsetof(struct offer, gpu_fraction) && f->gpu_fraction == 1.0f)
            return NUM_UNKNOWN; /* whole cards need no word */
        return (double)*(const float *)p;
    case FIELD_BYTE:
        return count_or_unknown(*(const uint8_t *)p);
    case FIELD_COUNT:
        return count_or_unknown(*(const uint16_t *)p);
    case FIELD_RATE:
        return f->rate_microusd == 0 && (f->flags & OFFER_ZERO_PRICE) ? 0 : in_basis(o, f, f->rate_microusd);
    case FIELD_SPOT:
        return in_basis(o, f, f->spot_microusd);
    case FIELD_X_NUMBER:
        return *(const double *)p;
    default:
        return NUM_UNKNOWN;
    }
}

static const char *flags_text(uint32_t flags, char *buffer, size_t cap) {
    size_t used = 0;
    buffer[0] = '\0';
    for (int bit = 0; bit < 32; bit++) {
        if (!(flags & 1u << bit))
            continue;
        const char *name = offer_flag_name((enum offer_flag)(1u << bit));
        size_t len = strlen(name);
        if (used + len + 2 > cap)
            break;
        if (used > 0)
            buffer[used++] = ' ';
        memcpy(buffer + used, name, len + 1);
        used += len;
    }
    return buffer;
}

static const char *form_word(const struct offers *o, const struct offer *f) {
    if (f->form != GPU_FORM_UNKNOWN)
        return gpu_form_name((enum gpu_form)f->form);
    return offers_text(o, offer_extra(o, f)->form_text);
}

const char *field_text(const struct catalog *c, const struct offers *o, const struct offer *f,
                       const struct field *field, char *buffer, size_t cap) {
    const void *p = place(o, f, field);
    if (field_is_number(field)) {
        double x = field_number(o, f, field);

        num_format_plain(buffer, cap, x, field->type == FIELD_FLOAT ? FLOAT_DIGITS : DIGITS);
        return buffer;
    }
    switch (field->type) {
    case FIELD_TEXT:
    case FIELD_X_TEXT:
        return offers_text(o, *(const uint32_t *)p);
    case FIELD_TIME:
    case FIELD_X_TIME:
        when_format(buffer, cap, *(const int64_t *)p);
        return buffer;
    case FIELD_GPU:
        return f->gpu < 0 ? "" : catalog_gpu(c, (size_t)f->gpu)->name;
    case FIELD_FORM:
        return form_word(o, f);
    case FIELD_FLAGS:
        return flags_text(f->flags, buffer, cap);
    default:
        return *(const uint8_t *)p == field->unknown ? "" : field->word(*(const uint8_t *)p);
    }
}
