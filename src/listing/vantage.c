/* SPDX-License-Identifier: MIT */
/* instances.json of ec2instances.info: one object a machine type, a map of regions in it, prices as texts. */
#include <cjson/cJSON.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/fields.h"
#include "listing/payload.h"

/* Reserved prices that are paid by the hour; of each term the first that is there. */
static const struct {
    const char *key;
    double term_h;
} terms[] = {
    {"yrTerm1Standard.noUpfront", 8760},
    {"yrTerm3Standard.noUpfront", 26280},
};

/* AWS is run by other companies in China, and priced in their money. */
static bool is_china(const char *region) {
    return strncmp(region, "cn-", 3) == 0;
}

static double price_of(const cJSON *prices, const char *key) {
    return payload_number(prices, key, 0, PAYLOAD_MAX_USD_H);
}

static void add_reserved(struct payload *p, const cJSON *prices, const struct offer *on_demand) {
    const cJSON *reserved = cJSON_GetObjectItemCaseSensitive(prices, "reserved");
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        double price = price_of(reserved, terms[i].key);
        struct offer f = *on_demand;
        if (!(price > 0))
            continue;
        f.id = 0;
        f.rate_kind = RATE_RESERVED;
        f.rate_microusd = money_micro(price);
        f.spot_microusd = 0;
        offer_extra_edit(p->base.out, &f)->term_h = terms[i].term_h;
        reader_add(&p->base, &f);
    }
}

static void add_region(struct payload *p, const cJSON *place, struct offer f) {
    const cJSON *prices = cJSON_GetObjectItemCaseSensitive(place, "linux");
    double on_demand = price_of(prices, "ondemand"), spot = price_of(prices, "spot_avg");
    if (!(on_demand > 0) && !(spot > 0)) {
        reader_problem(&p->base, "pricing", true, "no price of a Linux machine in a region");
        return;
    }
    f.region = reader_text(&p->base, place->string, strlen(place->string));
    if (is_china(place->string))
        offer_extra_edit(p->base.out, &f)->currency = reader_put(&p->base, "CNY");
    f.rate_microusd = money_micro(on_demand);
    f.spot_microusd = money_micro(spot);
    if (f.rate_microusd == 0) {
        f.rate_kind = RATE_SPOT;
        f.rate_microusd = f.spot_microusd;
        f.spot_microusd = 0;
    }
    f.id = 0;
    if (reader_add(&p->base, &f))
        add_reserved(p, prices, &f);
}

/* {"devices": 2, "size": 450, "size_unit": "GB"} */
static double disk_of(const cJSON *row) {
    const cJSON *storage = cJSON_GetObjectItemCaseSensitive(row, "storage");
    double each = payload_number(storage, "size", 1, 1e6);
    if (strcmp(json_string(storage, "size_unit", "GB"), "TB") == 0)
        each *= 1000;
    return each * payload_number(storage, "devices", 1, 1000);
}

static void read_row(struct payload *p, const cJSON *row) {
    const cJSON *pricing = cJSON_GetObjectItemCaseSensitive(row, "pricing"), *place;
    double count = payload_number(row, "GPU", 0, PAYLOAD_MAX_COUNT);
    payload_row(p);
    if (!(count > 0)) {
        reader_no_gpu(&p->base);
        return;
    }
    if (!pricing || !pricing->child) {
        reader_problem(&p->base, "pricing", true, "no price in any region: retired, or not for everybody");
        return;
    }
    struct offer f = payload_offer(p);
    f.provider = reader_put(&p->base, "aws");
    f.machine = payload_text(p, row, "instance_type");
    f.gpu_raw = payload_text(p, row, "GPU_model");
    f.gpus = count < 1 ? 1 : (uint16_t)count;
    f.gpu_fraction = count < 1 ? (float)count : 1;
    f.cpu_cores = host_number(json_number(row, "vCPU", NUM_UNKNOWN), CPU_CORES_MOST);
    f.ram_gb = host_number(json_number(row, "memory", NUM_UNKNOWN), RAM_GB_MOST);
    f.disk_local_gb = (float)disk_of(row);
    f.environment = strstr(reader_str(&p->base, f.machine), "metal") ? ENVIRONMENT_BARE : ENVIRONMENT_VM;
    if (!reader_settle_card(&p->base, &f, payload_number(row, "GPU_memory", 0.1, 1e6), VRAM_OF_ALL))
        return;
    cJSON_ArrayForEach (place, pricing) {
        add_region(p, place, f);
    }
}

bool vantage_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                  struct offers *out, struct err *err) {
    struct payload p;
    const cJSON *row;
    if (!payload_open(&p, ctx, bytes, len, name, "vantage", out, err))
        return false;
    if (cJSON_IsObject(p.tree))
        read_row(&p, p.tree); /* one element of the list */
    else
        cJSON_ArrayForEach (row, p.tree) {
            read_row(&p, row);
        }
    payload_close(&p);
    return true;
}

int vantage_recognise(const char *bytes, size_t len) {
    static const char *const keys[] = {"instance_type", "GPU_model", "GPU_memory", "pricing", NULL};
    return payload_has(bytes, len, keys) ? 95 : 0;
}
