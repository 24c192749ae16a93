/* SPDX-License-Identifier: MIT */
/*
 * The rarely stated fields, packed: an offer that states two of them takes 20 bytes, not 230. A record is a mask of what is
 * stated, then the values; it is never changed. The one that is being edited is kept unpacked until another one is.
 */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "listing/reader.h"

enum {
    WIDE = offsetof(struct offer_extra, currency) / sizeof(double), /* fields of 8 bytes, then those of 4 */
    NARROW =
        (offsetof(struct offer_extra, unknown_columns) - offsetof(struct offer_extra, currency)) / sizeof(uint32_t) + 1,
    RECORD_WORDS = 1 + 2 * WIDE + NARROW, /* at most */
};
_Static_assert(WIDE + NARROW <= 32, "a bit a field");

static const struct offer_extra empty = {
    .gpus_step = NUM_UNKNOWN,
    .gpus_max = NUM_UNKNOWN,
    .power_limit_w = NUM_UNKNOWN,
    .vcpu_usd_h = NUM_UNKNOWN,
    .ram_gb_usd_h = NUM_UNKNOWN,
    .disk_mbs = NUM_UNKNOWN,
    .disk_persist_gb = NUM_UNKNOWN,
    .disk_usd_gb_month = NUM_UNKNOWN,
    .stopped_usd_h = NUM_UNKNOWN,
    .ingress_usd_gb = NUM_UNKNOWN,
    .egress_usd_gb = NUM_UNKNOWN,
    .inet_down_mbps = NUM_UNKNOWN,
    .inet_up_mbps = NUM_UNKNOWN,
    .min_hours = NUM_UNKNOWN,
    .term_h = NUM_UNKNOWN,
    .upfront_usd = NUM_UNKNOWN,
    .billing_step_s = NUM_UNKNOWN,
    .max_duration_h = NUM_UNKNOWN,
    .reliability = NUM_UNKNOWN,
    .cuda_max = NUM_UNKNOWN,
    .compute_capability = NUM_UNKNOWN,
};

/* An offer's number is where its record starts, in words; word 0 is nobody's. */
struct extras {
    uint32_t *words;
    size_t used, cap;
    bool editing; /* the record that will start at `used` */
    struct offer_extra edit;
    uint32_t shown_number; /* the record that was asked for last */
    struct offer_extra shown;
};

struct extras *extras_new(void) {
    struct extras *e = mem_zero(1, sizeof *e);
    e->used = 1;
    return e;
}

void extras_free(struct extras *e) {
    if (!e)
        return;
    free(e->words);
    free(e);
}

/* A number that is not stated is NAN in whatever bits. */
static bool is_stated(const char *field, size_t i) {
    static const char nothing[sizeof(int64_t)];
    double number;
    memcpy(&number, field, sizeof number);
    return i < offsetof(struct offer_extra, expires_at) / sizeof(double) ? num_known(number)
                                                                         : memcmp(field, nothing, sizeof nothing) != 0;
}

static void pack(struct extras *e) {
    e->words = mem_grow(e->words, &e->cap, e->used + RECORD_WORDS, sizeof *e->words);
    uint32_t *record = e->words + e->used, *to = record + 1;
    const char *from = (const char *)&e->edit;
    *record = 0;
    for (size_t i = 0; i < WIDE; i++, from += sizeof(double)) {
        if (!is_stated(from, i))
            continue;
        memcpy(to, from, sizeof(double));
        *record |= 1u << i;
        to += 2;
    }
    for (size_t i = 0; i < NARROW; i++, from += sizeof(uint32_t)) {
        memcpy(to, from, sizeof *to);
        if (*to == 0)
            continue;
        *record |= 1u << (WIDE + i);
        to++;
    }
    e->used = (size_t)(to - e->words);
    e->editing = false;
}

static void unpack(const uint32_t *record, struct offer_extra *out) {
    const uint32_t *from = record + 1;
    *out = empty;
    for (uint32_t left = *record; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        size_t size = i < WIDE ? sizeof(double) : sizeof(uint32_t);
        size_t offset = i < WIDE ? i * sizeof(double) : WIDE * sizeof(double) + (i - WIDE) * sizeof(uint32_t);
        memcpy((char *)out + offset, from, size);
        from += size / sizeof *from;
    }
}

const struct offer_extra *offer_extra(const struct offers *o, const struct offer *f) {
    struct extras *e = o->extras;
    if (f->extra == 0)
        return &empty;
    if (f->extra == e->used && e->editing)
        return &e->edit;
    if (f->extra != e->shown_number) {
        unpack(e->words + f->extra, &e->shown);
        e->shown_number = f->extra;
    }
    return &e->shown;
}

struct offer_extra *offer_extra_edit(struct offers *o, struct offer *f) {
    struct extras *e = o->extras;
    if (f->extra != 0 && f->extra == e->used && e->editing)
        return &e->edit;
    if (e->editing)
        pack(e);
    if (f->extra == 0)
        e->edit = empty;
    else
        unpack(e->words + f->extra, &e->edit);
    f->extra = (uint32_t)e->used;
    e->editing = true;
    return &e->edit;
}
