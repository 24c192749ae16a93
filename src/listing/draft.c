/* SPDX-License-Identifier: MIT */
/* One row of our own format: set field by field, completed at its end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/listing/when.h"
#include "listing/fields.h"

void draft_begin(struct draft *d) {
    *d = (struct draft){.rate = NUM_UNKNOWN, .spot = NUM_UNKNOWN};
    d->f = offer_empty;
    d->f.rate_basis = RATE_BASIS_COUNT; /* not stated yet */
}

static bool is_whole(const struct field *field) {
    return field->type == FIELD_COUNT || field->type == FIELD_BYTE;
}

/* "bare, vm, container" */
static void list_words(const struct field *field, char *out, size_t cap) {
    size_t used = 0;
    for (int i = 0; i < field->words && used < cap; i++)
        used += (size_t)snprintf(out + used, cap - used, "%s%s", i ? ", " : "", field->word(i));
}

/* Without its keys a row is worth nothing; it is left out with the first of them that is bad. */
static bool spoils_row(struct draft *d, const struct field *field) {
    bool first = field->key && !d->bad;
    d->bad |= field->key;
    return first;
}

void draft_refuse_type(struct reader *r, struct draft *d, const struct field *field) {
    reader_problem(r, field->name, spoils_row(d, field), "a value of this type is not understood");
}

static bool refuse(struct reader *r, struct draft *d, const struct field *field, const char *s) {
    char shown[48], allowed[200];
    size_t len = text_clean(shown, sizeof shown - 3, s, strlen(s));
    if (len < strlen(s))
        memcpy(shown + len, "...", 4);
    if (field->max > 0)
        snprintf(allowed, sizeof allowed, "%s from %.7g to %.7g", is_whole(field) ? "a whole number" : "a number",
                 field->min, field->max);
    else if (field->find) {
        memcpy(allowed, "one of ", 8);
        list_words(field, allowed + 7, sizeof allowed - 7);
    } else
        snprintf(allowed, sizeof allowed, "a moment such as 2026-03-22T10:00:00Z");
    reader_problem(r, field->name, spoils_row(d, field), "\"%s\": must be %s", shown, allowed);
    return false;
}

void *draft_place(struct reader *r, struct draft *d, const struct field *field, size_t *size) {
    static const size_t sizes[] = {
        [FIELD_TEXT] = sizeof(uint32_t),   [FIELD_WORD] = sizeof(uint8_t),
        [FIELD_FLOAT] = sizeof(float),     [FIELD_BYTE] = sizeof(uint8_t),
        [FIELD_COUNT] = sizeof(uint16_t),  [FIELD_TIME] = sizeof(int64_t),
        [FIELD_GPU] = sizeof(uint32_t),    [FIELD_FORM] = 0,
        [FIELD_FLAGS] = sizeof(uint32_t),  [FIELD_RATE] = sizeof(double),
        [FIELD_SPOT] = sizeof(double),     [FIELD_X_TEXT] = sizeof(uint32_t),
        [FIELD_X_NUMBER] = sizeof(double), [FIELD_X_TIME] = sizeof(int64_t),
    };
    *size = sizes[field->type];
    switch (field->type) {
    case FIELD_X_TEXT:
    case FIELD_X_NUMBER:
    case FIELD_X_TIME:
        return (char *)offer_extra_edit(r->out, &d->f) + field->offset;
    case FIELD_GPU:
        return &d->gpu_name;
    case FIELD_RATE:
        return &d->rate;
    case FIELD_SPOT:
        return &d->spot;
    default:
        return (char *)&d->f + field->offset;
    }
}

static void *place(struct reader *r, struct draft *d, const struct field *field) {
    size_t size;
    return draft_place(r, d, field, &size);
}

static void store_number(struct reader *r, struct draft *d, const struct field *field, double x) {
    void *to = place(r, d, field);
    switch (field->type) {
    case FIELD_FLOAT:
        *(float *)to = (float)x;
        break;
    case FIELD_BYTE:
        *(uint8_t *)to = (uint8_t)x;
        break;
    case FIELD_COUNT:
        *(uint16_t *)to = (uint16_t)x;
        break;
    default:
        *(double *)to = x;
        break;
    }
}

bool draft_set_number(struct reader *r, struct draft *d, const struct field *field, double x) {
    char text[32];
    bool whole = !is_whole(field) || x == floor(x);
    if (!field_is_number(field) || !isfinite(x) || x < field->min || x > field->max || !whole) {
        num_format_plain(text, sizeof text, x, 9);
        return refuse(r, d, field, text[0] ? text : "nan");
    }
    store_number(r, d, field, x);
    return true;
}

static bool set_word(struct reader *r, struct draft *d, const struct field *field, const char *s, size_t len) {
    char word[32];
    int value = -1;
    if (len < sizeof word) {
        memcpy(word, s, len);
        word[len] = '\0';
        value = field->find(word);
    }
    if (value < 0)
        return refuse(r, d, field, reader_str(r, reader_text(r, s, len)));
    *(uint8_t *)place(r, d, field) = (uint8_t)value;
    return true;
}

static bool set_time(struct reader *r, struct draft *d, const struct field *field, const char *s, size_t len) {
    int64_t when;
    if (!when_parse(s, len, &when))
        return refuse(r, d, field, reader_str(r, reader_text(r, s, len)));
    *(int64_t *)place(r, d, field) = when;
    return true;
}

/* "sxm5" and "SXM" are a form; another word is kept as it stands. */
static void set_form(struct reader *r, struct draft *d, const char *s, size_t len) {
    uint32_t text = reader_text(r, s, len);
    int form = gpu_form_find(reader_str(r, text));
    if (form >= 0)
        d->f.form = (uint8_t)form;
    else
        offer_extra_edit(r->out, &d->f)->form_text = text;
}

static bool set_flags(struct reader *r, struct draft *d, const char *s, size_t len) {
    char word[32];
    bool known = true;
    for (const char *p = s, *end = s + len; p < end;) {
        size_t n = 0;
        while (p + n < end && p[n] != ' ' && p[n] != ';' && p[n] != '|' && p[n] != ',')
            n++;
        uint32_t flag = 0;
        if (n < sizeof word) {
            memcpy(word, p, n);
            word[n] = '\0';
            flag = offer_flag_find(word);
        }
        if (n > 0 && flag == 0) {
            reader_problem(r, "flags", false, "unknown flag \"%s\"", reader_str(r, reader_text(r, p, n)));
            known = false;
        }
        d->f.flags |= flag;
        p += n + 1;
    }
    return known;
}

bool draft_set_text(struct reader *r, struct draft *d, const struct field *field, const char *s, size_t len) {
    double x;
    text_trim(&s, &len);
    if (len == 0)
        return true;
    if (field_is_number(field)) {
        if (!num_parse_plain(s, len, &x))
            return refuse(r, d, field, reader_str(r, reader_text(r, s, len)));
        return draft_set_number(r, d, field, x);
    }
    switch (field->type) {
    case FIELD_TEXT:
    case FIELD_X_TEXT:
        *(uint32_t *)place(r, d, field) = reader_text(r, s, len);
        return true;
    case FIELD_GPU:
        d->gpu_name = reader_text(r, s, len);
        return true;
    case FIELD_TIME:
    case FIELD_X_TIME:
        return set_time(r, d, field, s, len);
    case FIELD_FORM:
        set_form(r, d, s, len);
        return true;
    case FIELD_FLAGS:
        return set_flags(r, d, s, len);
    default:
        return set_word(r, d, field, s, len);
    }
}

/* The host's part of a component price, USD/h; NUM_UNKNOWN when it cannot be known. */
double offer_host_part(const struct offers *o, const struct offer *f) {
    const struct offer_extra *x = offer_extra(o, f);
    return x->vcpu_usd_h * (double)f->cpu_cores + x->ram_gb_usd_h * (double)f->ram_gb;
}

/* A list of our own may leave out what its rate is for. That it is the machine is an assumption, and matters with several GPUs. */
static void settle_basis(struct draft *d) {
    struct offer *f = &d->f;
    if (f->rate_basis != RATE_BASIS_COUNT)
        return;
    f->rate_basis = RATE_MACHINE;
    if (f->gpus > 1 && (num_known(d->rate) || num_known(d->spot)))
        f->flags |= OFFER_BASIS_ASSUMED;
}

/* Rates become money for the whole machine. */
static int64_t machine_micro(const struct offers *o, struct offer *f, double rate) {
    if (!num_known(rate) || rate <= 0)
        return 0;
    if (f->rate_basis == RATE_GPU)
        rate *= f->gpus;
    if (f->rate_basis == RATE_COMPONENT) {
        double host = offer_host_part(o, f);
        if (num_known(host))
            rate += host;
        else
            f->flags |= OFFER_COMPONENT_PART;
    }
    return money_micro(rate);
}

/* The canonical name counts; without it the raw spelling, with VRAM and form as hints. */
static bool settle_card(struct reader *r, struct draft *d) {
    struct offer *f = &d->f;
    uint32_t spelling = d->gpu_name ? d->gpu_name : f->gpu_raw;
    if (spelling == 0) {
        reader_problem(r, "gpu", true, "no GPU named");
        return false;
    }
    if (f->gpu_raw == 0)
        f->gpu_raw = spelling;
    enum gpu_form form = (enum gpu_form)f->form;
    struct card card = reader_card(r, spelling, (double)f->vram_gb, d->gpu_name ? CARD_EXACT : form);
    if ((card.flags & OFFER_GPU_UNKNOWN) && spelling != f->gpu_raw)
        card = reader_card(r, f->gpu_raw, (double)f->vram_gb, form);
    f->flags &= ~(uint32_t)OFFER_GPU_UNKNOWN; /* a newer catalogue may know it */
    bool was_ambiguous = f->flags & OFFER_GPU_AMBIGUOUS;
    if (!reader_set_card(r, f, &card))
        return false;
    if (was_ambiguous)
        f->flags |= OFFER_GPU_AMBIGUOUS;
    return true;
}

static bool settle_card_of_others(struct reader *r, struct draft *d) {
    if (d->f.gpu_raw == 0) {
        reader_problem(r, "gpu", true, "no GPU named");
        return false;
    }
    return reader_settle_card(r, &d->f, (double)d->f.vram_gb, d->vram_scope);
}

void draft_finish(struct reader *r, struct draft *d) {
    struct offer *f = &d->f;
    if (d->bad || !(d->of_others ? settle_card_of_others(r, d) : settle_card(r, d)))
        return;
    if (f->link_source == PROVENANCE_UNKNOWN && f->link != LINK_UNKNOWN)
        f->link_source = PROVENANCE_DECLARED;
    if (f->network_source == PROVENANCE_UNKNOWN && f->network != NETWORK_UNKNOWN)
        f->network_source = PROVENANCE_DECLARED;
    settle_basis(d);
    f->rate_microusd = machine_micro(r->out, f, d->rate);
    f->spot_microusd = machine_micro(r->out, f, d->spot);
    f->file = r->file;
    f->line = r->line > 0 && r->line < INT32_MAX ? (int32_t)r->line : 0;
    if (f->source == 0)
        f->source = reader_put(r, "file");
    if (f->id == 0)
        offers_make_id(r->out, f);
    *offers_add(r->out) = *f;
}
