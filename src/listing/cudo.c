/* SPDX-License-Identifier: MIT */
/* CUDO Compute: machine types of its data centres, priced by component as decimal texts. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"
#include "listing/component.h"
#include "listing/payload.h"

static const double hours_of_month = 730;

/* {"value": "0.002500"} */
static double price(const cJSON *row, const char *key) {
    return payload_number(cJSON_GetObjectItemCaseSensitive(row, key), "value", 0, PAYLOAD_MAX_USD_H);
}

/* Of one machine of that place. */
static double vcpu_limit(const cJSON *row, int count) {
    double each = payload_number(row, "maxVcpuPerGpu", 0, 1e5), all = payload_number(row, "maxVcpuFree", 0, 1e6);
    return num_known(all) && all < each * count ? all : each * count;
}

/* One machine type comes with any count of its GPUs. */
static uint32_t machine_of(struct payload *p, const cJSON *row, int count) {
    char name[96];
    uint32_t type = payload_text(p, row, "machineType");
    if (count == 1)
        return type;
    snprintf(name, sizeof name, "%dx %.80s", count, reader_str(&p->base, type));
    return reader_text(&p->base, name, strlen(name));
}

/* Memory comes with vCPUs: so many of them at least for a GiB. */
static double memory_limit(const cJSON *row, double vcpus) {
    double free = payload_number(row, "maxMemoryGibFree", 0, 1e6);
    double with = vcpus / payload_number(row, "minVcpuPerMemoryGib", 0.001, 1000);
    return num_known(with) && !(free < with) ? floor(with) : free;
}

static void add_count(struct payload *p, const cJSON *row, int count, int most) {
    struct offer f = payload_offer(p);
    f.provider = reader_put(&p->base, "cudo");
    f.machine = machine_of(p, row, count);
    f.region = payload_text(p, row, "dataCenterId");
    f.gpu_raw = payload_text(p, row, "gpuModel");
    f.form = (uint8_t)form_of_text(json_string(row, "gpuModelId", ""));
    f.gpus = (uint16_t)count;
    f.environment = ENVIRONMENT_VM;
    struct card card = reader_card(&p->base, f.gpu_raw, NUM_UNKNOWN, (enum gpu_form)f.form);
    double gb = card.gpu >= 0 ? catalog_gpu(p->base.ctx->catalog, (size_t)card.gpu)->vram_gb : NUM_UNKNOWN;
    component_choose_host(&p->base, &f, gb, vcpu_limit(row, count), NUM_UNKNOWN);
    component_choose_host(&p->base, &f, gb, vcpu_limit(row, count), memory_limit(row, (double)f.cpu_cores));
    component_settle(&p->base, &f, price(row, "gpuPriceHr") * count, price(row, "vcpuPriceHr"),
                     price(row, "memoryGibPriceHr"));
    struct offer_extra *x = offer_extra_edit(p->base.out, &f);
    x->disk_usd_gb_month = price(row, "minStorageGibPriceHr") * hours_of_month;
    x->disk_persist_gb = payload_number(row, "maxStorageGibFree", 0, 1e9);
    x->gpus_max = most;
    f.available_count = (uint16_t)most;
    payload_add(p, &f, NUM_UNKNOWN, VRAM_OF_ONE);
}

static void read_row(struct payload *p, const cJSON *row) {
    double most = payload_number(row, "maxGpuFree", 0, PAYLOAD_MAX_COUNT);
    payload_row(p);
    if (!*json_string(row, "gpuModel", "")) {
        reader_no_gpu(&p->base);
        return;
    }
    if (!(price(row, "gpuPriceHr") > 0)) {
        reader_problem(&p->base, "gpuPriceHr", true, "must be a number over 0");
        return;
    }
    if (most < 1) {
        reader_problem(&p->base, "maxGpuFree", true, "none of these GPUs is free");
        return;
    }
    int limit = num_known(most) ? (int)most : 1;
    for (int count = component_next_count(0, limit); count > 0; count = component_next_count(count, limit))
        add_count(p, row, count, limit);
}

bool cudo_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name, struct offers *out,
               struct err *err) {
    struct payload p;
    const cJSON *row;
    if (!payload_open(&p, ctx, bytes, len, name, "cudo", out, err))
        return false;
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(p.tree, "machineTypes");
    if (!rows)
        rows = p.tree;
    cJSON_ArrayForEach (row, rows) {
        read_row(&p, row);
    }
    payload_close(&p);
    return true;
}

int cudo_recognise(const char *bytes, size_t len) {
    static const char *const keys[] = {"machineType", "gpuModel", "gpuPriceHr", "vcpuPriceHr", NULL};
    return payload_has(bytes, len, keys) ? 95 : 0;
}
