/* SPDX-License-Identifier: MIT */
/* A list of AWS's GPU machines that somebody made for people: amounts are texts with units, some of one card, some of all. */
#include <cjson/cJSON.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"
#include "listing/fields.h"
#include "listing/payload.h"

/* "1152 GB", "1.5 TB", "3800 GB (2 × 1900 GB SSD)": the first amount, in GB; NUM_UNKNOWN for "EBS Only", "Unknown". */
static double amount_of(const cJSON *row, const char *key) {
    const char *s = json_string(row, key, "");
    size_t digits = strspn(s, "0123456789.");
    double x;
    if (digits == 0 || !num_parse_plain(s, digits, &x) || x <= 0)
        return NUM_UNKNOWN;
    s += digits + strspn(s + digits, " ");
    return *s == 'T' ? x * 1024 : *s == 'G' ? x : NUM_UNKNOWN;
}

static void add_region(struct payload *p, const cJSON *place, struct offer f) {
    double on_demand = payload_number(place, "onDemand", 0, PAYLOAD_MAX_USD_H);
    if (num_known(json_number(place, "reserved", NUM_UNKNOWN)))
        reader_problem(&p->base, "reserved", false, "a reserved price without its term: not taken");
    if (!(on_demand > 0)) {
        reader_problem(&p->base, "onDemand", false, "no price on demand in a region");
        return;
    }
    f.region = reader_text(&p->base, place->string, strlen(place->string));
    f.rate_microusd = money_micro(on_demand);
    f.id = 0;
    reader_add(&p->base, &f);
}

static void read_row(struct payload *p, const cJSON *row) {
    const cJSON *pricing = cJSON_GetObjectItemCaseSensitive(row, "pricing"), *place;
    double count = payload_number(row, "gpuCount", 0, PAYLOAD_MAX_COUNT);
    payload_row(p);
    if (!(count > 0)) {
        reader_no_gpu(&p->base);
        return;
    }
    if (!pricing || !pricing->child) {
        reader_problem(&p->base, "pricing", true, "no price in any region");
        return;
    }
    struct offer f = payload_offer(p);
    f.provider = reader_put(&p->base, "aws");
    f.machine = payload_text(p, row, "apiName");
    f.gpu_raw = payload_text(p, row, "gpu");
    f.gpus = count < 1 ? 1 : (uint16_t)count;
    f.gpu_fraction = count < 1 ? (float)count : 1;
    f.cpu_cores = host_number(json_number(row, "vcpu", NUM_UNKNOWN), CPU_CORES_MOST);
    f.ram_gb = host_number(amount_of(row, "memory"), RAM_GB_MOST);
    f.disk_local_gb = (float)amount_of(row, "storage");
    f.environment = strstr(reader_str(&p->base, f.machine), "metal") ? ENVIRONMENT_BARE : ENVIRONMENT_VM;
    if (!reader_settle_card(&p->base, &f, amount_of(row, "gpuMemory"), VRAM_OF_ONE))
        return;
    cJSON_ArrayForEach (place, pricing) {
        add_region(p, place, f);
    }
}

bool aws_gpu_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                  struct offers *out, struct err *err) {
    struct payload p;
    const cJSON *row;
    if (!payload_open(&p, ctx, bytes, len, name, "aws-gpu", out, err))
        return false;
    cJSON_ArrayForEach (row, p.tree) {
        read_row(&p, row);
    }
    payload_close(&p);
    return true;
}

int aws_gpu_recognise(const char *bytes, size_t len) {
    static const char *const keys[] = {"apiName", "gpuCount", "gpuMemory", "pricing", NULL};
    return payload_has(bytes, len, keys) ? 95 : 0;
}
