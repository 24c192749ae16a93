/* SPDX-License-Identifier: MIT */
/* Any listing: reading never fails badly, and what was written reads back as the same. */
#include "fuzz.h"

#include "gpuplan/base/text.h"
#include "gpuplan/listing/source.h"

static struct listing_context context;

static struct offers *read_checked(const char *bytes, size_t len, const char *name) {
    struct err err = {0};
    struct offers *o = offers_new();
    bool done = listing_read(&context, bytes, len, name, o, &err);
    FUZZ_ASSERT(done == (err.code == ERR_NONE));
    listing_check(&context, o);
    return o;
}

static void look_at(const struct offers *o) {
    for (size_t i = 0; i < o->count; i++) {
        const struct offer *f = &o->items[i];
        struct shape shape;
        const char *id = offers_text(o, f->id);
        FUZZ_ASSERT(f->gpus >= 1 && f->rate_microusd >= 0 && offer_extra(o, f) != NULL);
        FUZZ_ASSERT(*id != '\0' && text_is_clean(id, strlen(id)));
        offer_shape(context.catalog, o, f, 2, &shape);
    }
}

FUZZ(listing)
{
    if (context.catalog == NULL) {
        context.catalog = catalog_load(NULL);
        context.providers = providers_load(NULL);
    }
    struct offers *o = read_checked(bytes, len, len % 2 ? "gcp_vms.csv" : "azure/vms.csv");
    look_at(o);
    struct buf csv = {0}, again = {0}, jsonl = {0};
    listing_write_csv(context.catalog, o, &csv);
    listing_write_jsonl(context.catalog, o, &jsonl);
    struct offers *back = read_checked(csv.data, csv.len, "back.csv");
    FUZZ_ASSERT(back->count == o->count);
    listing_write_csv(context.catalog, back, &again);
    FUZZ_ASSERT(again.len == csv.len && memcmp(again.data, csv.data, csv.len) == 0);
    offers_free(back);
    if (o->count > 0) {
        back = read_checked(jsonl.data, jsonl.len, "back.jsonl");
        FUZZ_ASSERT(back->count == o->count);
        offers_free(back);
    }
    offers_free(o);
    buf_free(&csv);
    buf_free(&again);
    buf_free(&jsonl);
    return 0;
}
