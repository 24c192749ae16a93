/* SPDX-License-Identifier: MIT */
/* Private to listing/: what all readers share. Text enters the offer set only through reader_text(), which cleans it. */
#ifndef GPUPLAN_SRC_LISTING_READER_H
#define GPUPLAN_SRC_LISTING_READER_H

#include "gpuplan/base/csv.h"
#include "gpuplan/listing/source.h"

/* A small hash from 64-bit keys to 32-bit values; key 0 is not allowed. Zero-initialised is empty. */
struct idmap {
    uint64_t *keys;
    uint32_t *values;
    size_t count, cap;
};
void idmap_free(struct idmap *m);
/* The value of `key`, made as UINT32_MAX when it is new. Valid until the next call. */
uint32_t *idmap_at(struct idmap *m, uint64_t key);

/* Answers of the tables, by interned texts. Zero-initialised is empty. */
struct lookup {
    struct idmap providers, machines;
};
void lookup_free(struct lookup *l);
/* NULL only without a table of providers. */
const struct provider *lookup_provider(struct lookup *l, const struct listing_context *ctx, const struct offers *o,
                                       uint32_t provider);
const struct machine *lookup_machine(struct lookup *l, const struct listing_context *ctx, const struct offers *o,
                                     uint32_t provider, uint32_t machine);

enum { MAX_TEXT = 512 /* bytes of a cell that are kept */ };

struct reader {
    const struct listing_context *ctx;
    struct offers *out;
    const char *name; /* of the file, as the user knows it */
    const char *bytes;
    uint8_t file;
    long line, record;
    struct idmap cards; /* answers of the catalogue, by interned spelling */
    struct lookup lookup;
    struct card *card;
    size_t card_count, card_cap;
};

void reader_begin(struct reader *r, const struct listing_context *ctx, struct offers *out, const char *name,
                  const char *bytes);
void reader_end(struct reader *r);
/* Counts a row, and tells the listing context now and then that what lies before is done with. */
void reader_progress(struct reader *r, const char *upto);
/* The same, and takes the place from a CSV record. */
void reader_at(struct reader *r, const struct csv_row *row);

uint32_t reader_text(struct reader *r, const char *s, size_t len); /* trimmed, cleaned, interned */
uint32_t reader_put(struct reader *r, const char *s);              /* text of ours */
const char *reader_str(const struct reader *r, uint32_t id);
/* This row is a machine without a GPU: not ours, and no fault. */
void reader_no_gpu(struct reader *r);
/* A finding at this row; `skipped`: the row is left out, and counted. */
void reader_problem(struct reader *r, const char *field, bool skipped, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- columns of a CSV by name ---- */

struct column {
    const char *name;
    int index; /* set by columns_resolve(); -1 = absent */
};
void columns_resolve(struct column *columns, size_t count, const struct csv_row *header);
/* For `import --explain`: which columns of the header are looked at, and which are not. */
void reader_explain_columns(struct reader *r, const struct column *columns, size_t count, const struct csv_row *header);
const char *column_cell(const struct column *c, const struct csv_row *row, size_t *len);
/* NUM_UNKNOWN when absent, empty or not a finite number >= 0; the latter sets *bad (may be NULL). */
double column_number(const struct column *c, const struct csv_row *row, bool *bad);

/* ---- what a card's spelling means (cards.c) ---- */

struct card {
    int gpu;            /* index in the catalogue; -1 */
    uint32_t flags;     /* OFFER_GPU_… */
    enum gpu_class cls; /* of gpu, or what the name says of a card that is not in the catalogue */
    const struct gpu *candidates[8];
    size_t candidate_count;
};
/* In place of a form: the spelling is meant as a canonical name, which wins over an alias that several cards share. */
#define CARD_EXACT GPU_FORM_COUNT
struct card reader_card(struct reader *r, uint32_t spelling, double vram_gb, enum gpu_form form);
/* Words such as "sxm5", "PCIe", "NVL" inside a name. */
enum gpu_form form_of_text(const char *s);
/* Of the candidate sizes (per GPU, GB), the first that is within 7 % of a size of this card; NUM_UNKNOWN. */
double card_vram(const struct card *card, const struct catalog *c, const double *sizes, size_t count);
/* What a listed size of GPU memory is meant to cover. */
enum vram_scope { VRAM_OF_ONE, VRAM_OF_ALL };
/*
 * From gpu_raw, gpus, form, provider and machine as they were listed: the card, its memory and, where the machine type is known,
 * the count. The memory is taken as meant if that is a size of the card, else divided by the count, by its square, or with GB and
 * MiB exchanged (all flagged); a part of one card is a slice. False: the row cannot stay, which is reported.
 */
bool reader_settle_card(struct reader *r, struct offer *f, double listed_gb, enum vram_scope scope);
/* Sets gpu and flags, or says why the row cannot stay (TPU and the like) and returns false. */
bool reader_set_card(struct reader *r, struct offer *f, const struct card *card);
/* The provider's key as in providers.csv, else the cleaned text in lower case. */
uint32_t reader_provider(struct reader *r, const char *s, size_t len);
/* A file without a currency column holds the numbers of the provider's own price list: what is not in USD is flagged. */
void reader_set_currency(struct reader *r, struct offer *f);
/* By provider and machine type; NULL. */
const struct machine *reader_machine(struct reader *r, uint32_t provider, uint32_t machine);
/* The machine table wins over a listing of others: card and count are set from it, differences flagged. */
void reader_apply_machine(struct reader *r, struct offer *f);

/* Adds an offer, with an id if it has none; what is out of all limits is unknown. False: left out, and reported. */
bool reader_add(struct reader *r, struct offer *f);
/* Card, count and fraction of an Azure machine type that the machine table does not have; false when it is not known at all. */
bool azure_settle_type(struct reader *r, struct offer *f);

/* "source:provider:machine:region[:kind]" for an offer without an id. */
void offers_make_id(struct offers *o, struct offer *f);
uint32_t offers_put_id(struct offers *o, const char *base,
                       const char *suffix); /* an id that every reader takes whole */

extern const struct offer offer_empty; /* nothing stated */
struct extras *extras_new(void);
void extras_free(struct extras *e);
/* The host's part of a component price, USD/h; NUM_UNKNOWN when it cannot be known. */
double offer_host_part(const struct offers *o, const struct offer *f);
int64_t money_micro(double usd); /* rounded; 0 for unknown */

/* ---- formats ---- */

#define LISTING_FORMAT(name)                                                                                     \
    int name##_recognise(const char *bytes, size_t len);                                                         \
    bool name##_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name_of_file, \
                     struct offers *out, struct err *err)
LISTING_FORMAT(gpuplan_csv);
LISTING_FORMAT(gpuplan_jsonl);
LISTING_FORMAT(spreadsheet);
LISTING_FORMAT(skypilot);
LISTING_FORMAT(opencomputeprices);
LISTING_FORMAT(vast);
LISTING_FORMAT(gpuhunt);
LISTING_FORMAT(azure_retail);
LISTING_FORMAT(vantage);
LISTING_FORMAT(aws_gpu);
LISTING_FORMAT(tensordock);
LISTING_FORMAT(cudo);
LISTING_FORMAT(oci);

/* Whether the first line of a CSV names all of these columns (NULL-terminated). */
bool header_has(const char *bytes, size_t len, const char *const *names);

#endif
