/* SPDX-License-Identifier: MIT */
/* Private to listing/: the one table of the fields of our own format, from which reading, writing and help are made. */
#ifndef GPUPLAN_SRC_LISTING_FIELDS_H
#define GPUPLAN_SRC_LISTING_FIELDS_H

#include "listing/reader.h"

enum field_type {
    FIELD_TEXT, /* interned, in the offer */
    FIELD_WORD, /* one of an enumeration, uint8_t */
    FIELD_FLOAT,
    FIELD_BYTE,  /* uint8_t, 0 = unknown */
    FIELD_COUNT, /* uint16_t, 0 = unknown */
    FIELD_TIME,
    FIELD_GPU, /* canonical name */
    FIELD_FORM,
    FIELD_FLAGS,
    FIELD_RATE, /* money in the rate basis: settled when the row is complete */
    FIELD_SPOT,
    FIELD_X_TEXT, /* in offer_extra */
    FIELD_X_NUMBER,
    FIELD_X_TIME,
};

struct field {
    const char *name;
    enum field_type type;
    size_t offset;
    int (*find)(const char *word);
    const char *(*word)(int value);
    double min, max;
    int unknown; /* of FIELD_WORD: the value that is not written */
    int words;   /* of FIELD_WORD: how many there are */
    bool key;    /* a wrong value makes the row useless */
};

extern const struct field listing_field_table[];
size_t listing_field_count(void);
const struct field *listing_field_find(const char *name); /* exact; NULL */
/* What our own format takes for a host; other formats know no limits, so their readers ask host_number(). */
#define HOST_LEAST 0.01
#define CPU_CORES_MOST 100000
#define RAM_GB_MOST 1000000
static inline float host_number(double x, double most) {
    return x >= HOST_LEAST && x <= most ? (float)x : (float)NUM_UNKNOWN;
}

/* What a row says before it is complete: rates need the basis, the count and the host. */
struct draft {
    struct offer f;    /* extra = index of a row of its own, or 0 */
    uint32_t gpu_name; /* the field gpu: canonical by intention */
    double rate, spot;
    bool rate_stated, bad, link_source_stated, network_source_stated;
    bool of_others; /* not our own format: the tables of cards and machines win over what it says */
    enum vram_scope vram_scope;
};
void draft_begin(struct draft *d);
/* False: the value is not allowed; the problem is reported, and d->bad set when the row cannot be used. */
bool draft_set_text(struct reader *r, struct draft *d, const struct field *field, const char *s, size_t len);
bool draft_set_number(struct reader *r, struct draft *d, const struct field *field, double x);
/* A JSON value that no field takes: a list, an object. */
void draft_refuse_type(struct reader *r, struct draft *d, const struct field *field);
/* Where its value stands; *size 0: not in one place. */
void *draft_place(struct reader *r, struct draft *d, const struct field *field, size_t *size);
/* Completes and adds it; reports and counts it when it cannot be used. */
void draft_finish(struct reader *r, struct draft *d);

/* The value of a field as text, "" when unknown. The buffer is used for numbers; text comes from the set. */
const char *field_text(const struct catalog *c, const struct offers *o, const struct offer *f,
                       const struct field *field, char *buffer, size_t cap);
/* The same as a number, for JSON; NUM_UNKNOWN when it is no number or unknown. */
double field_number(const struct offers *o, const struct offer *f, const struct field *field);
bool field_is_number(const struct field *field);

#endif
