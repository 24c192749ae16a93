/* SPDX-License-Identifier: MIT */
/*
 * TensorDock: a place has GPUs, vCPUs, memory and disk, each with its price. Three shapes: the locations of the newer API, a map of
 * host nodes, and the specs of one host node.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/component.h"
#include "listing/payload.h"

static const double hours_of_month = 730;

/* What one place has of one card. */
struct stock {
    const char *card;      /* "geforcertx4090-pcie-24gb" */
    uint32_t node, region; /* interned; 0 = not stated */
    double gpu_usd_h, vcpu_usd_h, ram_usd_h, disk_usd_h;
    double vram_gb, most, vcpus, ram_gb, disk_gb;
};

static double price(const cJSON *object, const char *key) {
    return payload_number(object, key, 0, PAYLOAD_MAX_USD_H);
}

static double amount(const cJSON *object, const char *key) {
    return payload_number(object, key, 0, 1e8);
}

static const cJSON *member(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static void add_count(struct payload *p, const struct stock *s, int count) {
    struct offer f = payload_offer(p);
    f.provider = reader_put(&p->base, "tensordock");
    f.gpu_raw = reader_text(&p->base, s->card, strlen(s->card));
    f.form = (uint8_t)form_of_text(s->card);
    f.gpus = (uint16_t)count;
    f.machine_id = s->node;
    f.region = s->region;
    f.environment = ENVIRONMENT_VM;
    f.disk_local_gb = (float)s->disk_gb;
    double gb = num_known(s->vram_gb) ? s->vram_gb : component_size_of_id(s->card);
    component_choose_host(&p->base, &f, gb, s->vcpus, s->ram_gb);
    component_settle(&p->base, &f, s->gpu_usd_h * count, s->vcpu_usd_h, s->ram_usd_h);
    struct offer_extra *x = offer_extra_edit(p->base.out, &f);
    x->disk_usd_gb_month = s->disk_usd_h * hours_of_month;
    x->gpus_max = s->most >= 1 ? s->most : NUM_UNKNOWN;
    f.available_count = s->most >= 1 && s->most <= PAYLOAD_MAX_COUNT ? (uint16_t)s->most : 0;
    payload_add(p, &f, gb, VRAM_OF_ONE);
}

static void add_stock(struct payload *p, const struct stock *s) {
    payload_row(p);
    if (s->most == 0) {
        reader_problem(&p->base, "amount", true, "none of these GPUs is free");
        return;
    }
    if (!(s->gpu_usd_h > 0)) {
        reader_problem(&p->base, "price", true, "must be a number over 0");
        return;
    }
    int most = s->most >= 1 && s->most <= PAYLOAD_MAX_COUNT ? (int)s->most : 1;
    for (int count = component_next_count(0, most); count > 0; count = component_next_count(count, most))
        add_count(p, s, count);
}

/* ---- host nodes ---- */

static void read_specs(struct payload *p, const cJSON *specs, uint32_t node, uint32_t region) {
    const cJSON *gpu, *cpu = member(specs, "cpu"), *ram = member(specs, "ram"), *disk = member(specs, "storage");
    cJSON_ArrayForEach (gpu, member(specs, "gpu")) {
        const struct stock s = {
            .card = gpu->string ? gpu->string : "",
            .node = node,
            .region = region,
            .gpu_usd_h = price(gpu, "price"),
            .vcpu_usd_h = price(cpu, "price"),
            .ram_usd_h = price(ram, "price"),
            .disk_usd_h = price(disk, "price"),
            .vram_gb = payload_number(gpu, "vram", 1, 4096),
            .most = amount(gpu, "amount"),
            .vcpus = amount(cpu, "amount"),
            .ram_gb = amount(ram, "amount"),
            .disk_gb = amount(disk, "amount"),
        };
        add_stock(p, &s);
    }
}

/* "Chubbuck, Idaho, United States" from what is stated of it. */
static uint32_t region_of(struct payload *p, const cJSON *place) {
    static const char *const keys[] = {"city", "stateprovince", "region", "country"};
    char text[300];
    size_t used = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *s = json_string(place, keys[i], "");
        if (*s && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.70s", used ? ", " : "", s);
    }
    return used > 0 ? reader_text(&p->base, text, strlen(text)) : 0;
}

static void read_nodes(struct payload *p, const cJSON *nodes) {
    const cJSON *node;
    cJSON_ArrayForEach (node, nodes) {
        uint32_t name = node->string ? reader_text(&p->base, node->string, strlen(node->string)) : 0;
        read_specs(p, member(node, "specs"), name, region_of(p, member(node, "location")));
    }
}

/* ---- locations ---- */

static void read_location(struct payload *p, const cJSON *place) {
    const cJSON *gpu;
    uint32_t region = region_of(p, place);
    cJSON_ArrayForEach (gpu, member(place, "gpus")) {
        const cJSON *has = member(gpu, "resources"), *prices = member(gpu, "pricing");
        const struct stock s = {
            .card = json_string(gpu, "v0Name", json_string(gpu, "displayName", "")),
            .region = region,
            .gpu_usd_h = price(gpu, "price_per_hr"),
            .vcpu_usd_h = price(prices, "per_vcpu_hr"),
            .ram_usd_h = price(prices, "per_gb_ram_hr"),
            .disk_usd_h = price(prices, "per_gb_storage_hr"),
            .vram_gb = NUM_UNKNOWN,
            .most = amount(gpu, "max_count"),
            .vcpus = amount(has, "max_vcpus"),
            .ram_gb = amount(has, "max_ram_gb"),
            .disk_gb = amount(has, "max_storage_gb"),
        };
        add_stock(p, &s);
    }
}

bool tensordock_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                     struct offers *out, struct err *err) {
    struct payload p;
    const cJSON *place;
    if (!payload_open(&p, ctx, bytes, len, name, "tensordock", out, err))
        return false;
    const cJSON *data = member(p.tree, "data"), *places = member(data ? data : p.tree, "locations");
    if (places)
        cJSON_ArrayForEach (place, places) {
            read_location(&p, place);
        }
    else if (member(p.tree, "hostnodes"))
        read_nodes(&p, member(p.tree, "hostnodes"));
    else
        read_specs(&p, p.tree, 0, 0);
    payload_close(&p);
    return true;
}

int tensordock_recognise(const char *bytes, size_t len) {
    static const char *const nodes[] = {"cpu", "gpu", "ram", "storage", "amount", "price", NULL};
    static const char *const places[] = {"locations", "gpus", "price_per_hr", "per_vcpu_hr", NULL};
    return payload_has(bytes, len, nodes) || payload_has(bytes, len, places) ? 80 : 0;
}
