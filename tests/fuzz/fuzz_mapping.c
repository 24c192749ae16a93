/* SPDX-License-Identifier: MIT */
/* A mapping file, a line "---", and a payload: whatever both say, rows that come out are sound. */
#include "fuzz.h"

#include "gpuplan/base/text.h"
#include "gpuplan/listing/source.h"

static struct listing_context context;
static struct mappings *bundled;

static void look_at(const struct offers *o) {
    for (size_t i = 0; i < o->count; i++) {
        const struct offer *f = &o->items[i];
        const char *id = offers_text(o, f->id);
        FUZZ_ASSERT(f->gpus >= 1 && f->rate_microusd >= 0 && f->provider != 0);
        FUZZ_ASSERT(f->gpu_fraction > 0 && f->gpu_fraction <= 1);
        FUZZ_ASSERT(*id != '\0' && text_is_clean(id, strlen(id)));
    }
    for (size_t i = 0; i < o->problem_count; i++) {
        const char *text = offers_text(o, o->problems[i].text);
        FUZZ_ASSERT(text_is_clean(text, strlen(text)));
    }
}

static void read_with(struct mappings *m, const char *payload, size_t len) {
    struct listing_context ctx = context;
    struct err err = {0};
    struct offers *o = offers_new();
    ctx.mappings = m;
    ctx.explain = listing_explain_new();
    bool done = listing_read(&ctx, payload, len, "payload", o, &err);
    FUZZ_ASSERT(done == (err.code == ERR_NONE));
    FUZZ_ASSERT(listing_explain_count(ctx.explain) <= 1);
    listing_check(&ctx, o);
    look_at(o);
    offers_free(o);
    listing_explain_free(ctx.explain);
}

FUZZ(mapping)
{
    static const char line[] = "\n---\n";
    if (context.catalog == NULL) {
        context.catalog = catalog_load(NULL);
        context.providers = providers_load(NULL);
        bundled = mappings_load(NULL);
        FUZZ_ASSERT(bundled != NULL);
    }
    const char *cut = len > 0 ? memmem(bytes, len, line, sizeof line - 1) : NULL;
    size_t file_len = cut ? (size_t)(cut - bytes) : len;
    const char *payload = cut ? cut + sizeof line - 1 : bytes;
    size_t payload_len = cut ? len - file_len - (sizeof line - 1) : len;
    struct err err = {0};
    struct mappings *m = mappings_new();
    bool added = mappings_add(m, bytes, file_len, "fuzz.json", MAPPING_TRIED, &err);
    FUZZ_ASSERT(added == (err.code == ERR_NONE) && mappings_count(m) == (added ? 1 : 0));
    FUZZ_ASSERT(text_is_clean(err.text, strlen(err.text)) && text_is_clean(err.field, strlen(err.field)));
    read_with(m, payload, payload_len);
    read_with(bundled, payload, payload_len);
    mappings_free(m);
    return 0;
}
