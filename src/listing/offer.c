/* SPDX-License-Identifier: MIT */
/* The offer set: adding, finding, problems. */
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/oci.h"

/* Distinct findings kept; a hostile file could make one a row, so what comes after shares one line. */
enum { MAX_PROBLEMS = 400 };

const struct offer offer_empty = {
    .gpu = -1,
    .gpus = 1,
    .link = LINK_UNKNOWN,
    .link_source = PROVENANCE_UNKNOWN,
    .network = NETWORK_UNKNOWN,
    .network_source = PROVENANCE_UNKNOWN,
    .host_class = HOST_CLASS_COUNT, /* unknown until the provider's facts or the listing say */
    .gpu_fraction = 1,
    .vram_gb = NUM_UNKNOWN,
    .link_gbs = NUM_UNKNOWN,
    .network_gbps = NUM_UNKNOWN,
    .cpu_cores = NUM_UNKNOWN,
    .ram_gb = NUM_UNKNOWN,
    .disk_local_gb = NUM_UNKNOWN,
};

struct offers *offers_new(void) {
    struct offers *o = mem_zero(1, sizeof *o);
    o->text = intern_new();
    o->extras = extras_new();
    return o;
}

void offers_free(struct offers *o) {
    if (!o)
        return;
    intern_free(o->text);
    free(o->items);
    extras_free(o->extras);
    oci_free(o->oci);
    free(o->problems);
    free(o);
}

const char *offers_text(const struct offers *o, uint32_t id) {
    return intern_text(o->text, id);
}

struct offer *offers_add(struct offers *o) {
    o->items = mem_grow(o->items, &o->cap, o->count + 1, sizeof *o->items);
    o->items[o->count] = offer_empty;
    return &o->items[o->count++];
}

double offer_rate_usd_h(const struct offer *f) {
    return f->rate_microusd > 0 ? (double)f->rate_microusd / 1e6 : NUM_UNKNOWN;
}

/* How well `id` answers to `want`: 3 exact, 2 prefix, 1 suffix. */
static int id_match(const char *id, const char *want, size_t want_len) {
    size_t len = strlen(id);
    if (len < want_len)
        return 0;
    if (memcmp(id, want, want_len) == 0)
        return len == want_len ? 3 : 2;
    return memcmp(id + len - want_len, want, want_len) == 0 ? 1 : 0;
}

const struct offer *offers_find(const struct offers *o, const char *id) {
    size_t want_len = strlen(id);
    const struct offer *found[3] = {NULL, NULL, NULL};
    size_t hits[3] = {0, 0, 0};
    if (want_len == 0)
        return NULL;
    for (size_t i = 0; i < o->count; i++) {
        int match = id_match(offers_text(o, o->items[i].id), id, want_len);
        if (match == 3)
            return &o->items[i];
        found[match] = &o->items[i];
        hits[match]++;
    }
    if (hits[2] > 0)
        return hits[2] == 1 ? found[2] : NULL;
    return hits[1] == 1 ? found[1] : NULL;
}

static uint32_t put_clean(struct offers *o, const char *s) {
    char clean[320];
    size_t len = text_clean(clean, sizeof clean, s ? s : "", s ? strlen(s) : 0);
    return intern_put(o->text, clean, len);
}

void offers_problem(struct offers *o, const char *file, long line, long record, const char *field, const char *text,
                    bool skipped) {
    uint32_t file_id = put_clean(o, file), field_id = put_clean(o, field), text_id = put_clean(o, text);
    if (o->problem_count == MAX_PROBLEMS) {
        field_id = 0;
        text_id = put_clean(o, "more findings, not listed one by one");
    }
    for (size_t i = o->problem_count; i-- > 0;) {
        struct offer_problem *p = &o->problems[i];
        if (p->text == text_id && p->field == field_id && p->file == file_id && p->skipped == skipped) {
            p->count++;
            return;
        }
    }
    if (o->problem_count > MAX_PROBLEMS + 1)
        return; /* one last line for what was left out and one for what was kept */
    o->problems = mem_grow(o->problems, &o->problem_cap, o->problem_count + 1, sizeof *o->problems);
    o->problems[o->problem_count++] = (struct offer_problem){
        .file = file_id,
        .field = field_id,
        .text = text_id,
        .line = line > 0 && line < INT32_MAX ? (int32_t)line : 0,
        .record = record > 0 && record < INT32_MAX ? (int32_t)record : 0,
        .count = 1,
        .skipped = skipped,
    };
}
