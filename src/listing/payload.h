/* SPDX-License-Identifier: MIT */
/* Private to listing/: answers of providers in JSON, read as a tree. What a field means is up to the reader of each format. */
#ifndef GPUPLAN_SRC_LISTING_PAYLOAD_H
#define GPUPLAN_SRC_LISTING_PAYLOAD_H

#include "listing/reader.h"

struct cJSON;

struct payload {
    struct reader base; /* its record counts the rows */
    struct cJSON *tree;
    uint32_t source;
};

/* False (err): not JSON. */
bool payload_open(struct payload *p, const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                  const char *source, struct offers *out, struct err *err);
void payload_close(struct payload *p);
/* A row begins. */
void payload_row(struct payload *p);
/* An offer of this row with nothing stated but where it comes from. */
struct offer payload_offer(struct payload *p);
/* Text or a number of `object`, clean and interned; 0 when it has none. */
uint32_t payload_text(struct payload *p, const struct cJSON *object, const char *key);
/* A number of at least `least` and at most `most`; NUM_UNKNOWN for everything else. Texts of digits are numbers. */
double payload_number(const struct cJSON *object, const char *key, double least, double most);
/* Settles the card (reader_settle_card()), makes an id unless there is one, and adds it. False: left out, with its reason. */
bool payload_add(struct payload *p, struct offer *f, double listed_gb, enum vram_scope scope);
/* Whether the text is JSON and holds these keys (NULL-terminated). */
bool payload_has(const char *bytes, size_t len, const char *const *keys);

enum { PAYLOAD_MAX_COUNT = 4096 /* GPUs in a machine, offers of a row: more is a mistake */ };
#define PAYLOAD_MAX_USD_H 1e6

#endif
