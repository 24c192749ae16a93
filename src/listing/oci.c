/* SPDX-License-Identifier: MIT */
/*
 * Oracle Cloud's cost estimator: one file says what parts a shape is made of, another what a part costs. Neither is a price of a
 * machine, so shapes wait in the set until the prices of all their parts were read, in whatever order the files come.
 */
#include "listing/oci.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"
#include "listing/fields.h"
#include "listing/payload.h"

enum { PARTS = 8 };
static const double spot_share = 0.5; /* a preemptible machine costs half, by the provider's rule */

struct oci_part {
    uint32_t number; /* interned "B95907" */
    double quantity;
};

struct oci_shape {
    struct offer offer;
    double vram_gb; /* of all GPUs; NUM_UNKNOWN */
    bool preemptible, done;
    size_t part_count;
    struct oci_part parts[PARTS];
};

struct oci {
    struct idmap by_number; /* places of prices */
    double *prices;
    size_t price_count, price_cap;
    struct oci_shape *shapes;
    size_t shape_count, shape_cap;
};

void oci_free(struct oci *o) {
    if (!o)
        return;
    idmap_free(&o->by_number);
    free(o->prices);
    free(o->shapes);
    free(o);
}

static struct oci *oci_of(struct offers *out) {
    if (!out->oci)
        out->oci = mem_zero(1, sizeof *out->oci);
    return out->oci;
}

static const char *word(const cJSON *row, const char *key) {
    return json_string(cJSON_GetObjectItemCaseSensitive(row, key), "value", "");
}

/* ---- products ---- */

static double usd_of(const cJSON *row) {
    const cJSON *place, *price;
    cJSON_ArrayForEach (place, cJSON_GetObjectItemCaseSensitive(row, "currencyCodeLocalizations")) {
        if (strcmp(json_string(place, "currencyCode", ""), "USD") != 0)
            continue;
        cJSON_ArrayForEach (price, cJSON_GetObjectItemCaseSensitive(place, "prices")) {
            if (strcmp(json_string(price, "model", ""), "PAY_AS_YOU_GO") == 0)
                return payload_number(price, "value", 0, PAYLOAD_MAX_USD_H);
        }
    }
    return NUM_UNKNOWN;
}

static void read_product(struct payload *p, struct oci *o, const cJSON *row) {
    uint32_t number = payload_text(p, row, "partNumber");
    double usd = usd_of(row);
    if (number == 0 || !num_known(usd))
        return;
    o->prices = mem_grow(o->prices, &o->price_cap, o->price_count + 1, sizeof *o->prices);
    o->prices[o->price_count] = usd;
    *idmap_at(&o->by_number, (uint64_t)number + 1) = (uint32_t)o->price_count++;
}

/* ---- shapes ---- */

static void read_parts(struct payload *p, const cJSON *row, struct oci_shape *s) {
    const cJSON *part;
    cJSON_ArrayForEach (part, cJSON_GetObjectItemCaseSensitive(row, "products")) {
        double quantity = payload_number(part, "qty", 0, 1e7);
        if (s->part_count == PARTS || !num_known(quantity))
            continue;
        s->parts[s->part_count++] = (struct oci_part){payload_text(p, part, "partNumber"), quantity};
    }
}

static void read_shape(struct payload *p, struct oci *o, const cJSON *row) {
    double count = payload_number(row, "gpuQty", 1, PAYLOAD_MAX_COUNT);
    struct oci_shape s = {.offer = payload_offer(p), .vram_gb = payload_number(row, "gpuMemoryQty", 0.1, 1e6)};
    payload_row(p);
    if (!num_known(count)) {
        reader_no_gpu(&p->base);
        return;
    }
    if (json_bool(row, "hidden", false) || strcmp(json_string(row, "status", "ACTIVE"), "ACTIVE") != 0) {
        reader_problem(&p->base, "status", true, "a shape that is no longer sold");
        return;
    }
    s.offer.provider = reader_put(&p->base, "oci");
    s.offer.machine = payload_text(p, row, "name");
    s.offer.gpus = (uint16_t)count;
    s.offer.ram_gb = host_number(payload_number(row, "bundleMemoryQty", 0, RAM_GB_MOST), RAM_GB_MOST);
    s.offer.environment = strcmp(word(row, "shapeType"), "bm") == 0 ? ENVIRONMENT_BARE : ENVIRONMENT_VM;
    s.offer.file = p->base.file;
    s.preemptible = json_bool(row, "allowPreemptible", false);
    read_parts(p, row, &s);
    o->shapes = mem_grow(o->shapes, &o->shape_cap, o->shape_count + 1, sizeof *o->shapes);
    o->shapes[o->shape_count++] = s;
}

/* ---- both ---- */

static double price_of(struct oci *o, const struct oci_shape *s) {
    double sum = 0;
    for (size_t i = 0; i < s->part_count; i++) {
        uint32_t at = *idmap_at(&o->by_number, (uint64_t)s->parts[i].number + 1);
        if (at == UINT32_MAX)
            return NUM_UNKNOWN;
        sum += s->parts[i].quantity * o->prices[at];
    }
    return s->part_count > 0 ? sum : NUM_UNKNOWN;
}

/* "BM.GPU.A100-v2.8": the card stands in the name, unless the machine table has the shape. */
static uint32_t card_of(struct reader *r, const struct offer *f) {
    const struct machine *m = reader_machine(r, f->provider, f->machine);
    const char *name = reader_str(r, f->machine), *gpu = strstr(name, "GPU.");
    if (m)
        return reader_put(r, m->gpu->name);
    return gpu ? reader_text(r, gpu + 4, strcspn(gpu + 4, ".")) : f->machine;
}

static void join(struct payload *p, struct oci *o) {
    for (size_t i = 0; i < o->shape_count; i++) {
        struct oci_shape *s = &o->shapes[i];
        double usd = s->done ? NUM_UNKNOWN : price_of(o, s);
        if (!num_known(usd))
            continue;
        struct offer f = s->offer;
        s->done = true;
        f.gpu_raw = card_of(&p->base, &f);
        f.rate_microusd = money_micro(usd);
        f.spot_microusd = s->preemptible ? money_micro(usd * spot_share) : 0;
        payload_add(p, &f, s->vram_gb, VRAM_OF_ALL);
    }
}

bool oci_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name, struct offers *out,
              struct err *err) {
    struct payload p;
    const cJSON *row;
    if (!payload_open(&p, ctx, bytes, len, name, "oci", out, err))
        return false;
    struct oci *o = oci_of(out);
    cJSON_ArrayForEach (row, cJSON_GetObjectItemCaseSensitive(p.tree, "items")) {
        if (cJSON_GetObjectItemCaseSensitive(row, "currencyCodeLocalizations"))
            read_product(&p, o, row);
        else
            read_shape(&p, o, row);
    }
    join(&p, o);
    payload_close(&p);
    return true;
}

bool oci_is_waiting(const struct offers *out) {
    const struct oci *o = out->oci;
    bool waiting = o && o->price_count > 0 && o->shape_count == 0;
    for (size_t i = 0; o && i < o->shape_count && !waiting; i++)
        waiting = !o->shapes[i].done;
    return waiting;
}

void oci_finish(struct offers *out) {
    struct oci *o = out->oci;
    if (o && o->shape_count == 0 && o->price_count > 0) {
        offers_problem(out, "oci", 0, 0, "products", "prices of parts, and no shape that is made of them", false);
        o->price_count = 0; /* said once */
    }
    for (size_t i = 0; o && i < o->shape_count; i++) {
        struct oci_shape *s = &o->shapes[i];
        if (s->done)
            continue;
        s->done = true;
        out->rows_skipped++;
        offers_problem(out, offers_text(out, out->files[s->offer.file]), 0, 0, "products",
                       "no price of all parts of this shape: give the file of the products, too", true);
    }
}

int oci_recognise(const char *bytes, size_t len) {
    static const char *const shapes[] = {"items", "gpuQty", "products", "partNumber", NULL};
    static const char *const products[] = {"items", "partNumber", "currencyCodeLocalizations", NULL};
    return payload_has(bytes, len, shapes) || payload_has(bytes, len, products) ? 95 : 0;
}
