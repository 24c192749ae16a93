/* SPDX-License-Identifier: MIT */
/*
 * Vast.ai: offers of hosts, in the three envelopes that people keep: {"offers": […]} of the API, the bare list that its command
 * line prints, and {"url", "timestamp", "count", "offers"} of a mirror. An offer is a slice of a machine, priced as a whole.
 *
 * The address of a host is in the payload and stays there: nothing that names a person or a place on the network is read.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/listing/when.h"
#include "listing/fields.h"
#include "listing/payload.h"

/* compute_cap 890 means 8.9. */
static const double compute_cap_scale = 100;
/* cpu_ram is what the system reports, MiB: thousand of it are what is sold as a GB (the provider's own filter counts so). */
static const double ram_per_gb = 1000;

static void settle_host_class(struct payload *p, const cJSON *row, struct offer *f) {
    const char *verification = json_string(row, "verification", "");
    bool verified = strcmp(verification, "verified") == 0;
    if (json_number(row, "hosting_type", 0) == 1)
        f->host_class = HOST_MARKET_DC;
    else
        f->host_class = verified ? HOST_MARKET_VERIFIED : HOST_MARKET_UNVERIFIED;
    if (strcmp(verification, "deverified") == 0)
        f->notes = reader_put(&p->base, "host was verified and no longer is");
}

/*
 * What links the GPUs: a bandwidth is what the host's tool measured; zero is "not measured", even of eight cards on a board. A
 * slice of one GPU has nobody to talk to, whatever the board has.
 */
static void settle_link(struct payload *p, const cJSON *row, struct offer *f) {
    double gbs = payload_number(row, "bw_nvlink", 1, 10000);
    if (f->gpus < 2 || !num_known(gbs) || f->gpu < 0)
        return;
    const struct gpu *g = catalog_gpu(p->base.ctx->catalog, (size_t)f->gpu);
    enum link_kind link = link_by_product(g, f->gpus);
    bool fast = link == LINK_NVSWITCH || link == LINK_NVLINK_MESH;
    f->link = (uint8_t)(fast ? link : LINK_NVLINK_BRIDGE);
    f->link_gbs = (float)gbs;
    f->link_source = PROVENANCE_MEASURED;
}

static uint8_t small_number(const cJSON *row, const char *key, double most) {
    double x = payload_number(row, key, 1, most);
    return num_known(x) ? (uint8_t)x : 0;
}

static void settle_machine(struct payload *p, const cJSON *row, struct offer *f) {
    struct offer_extra *x = offer_extra_edit(p->base.out, f);
    f->machine_id = payload_text(p, row, "machine_id");
    f->cpu_cores = host_number(json_number(row, "cpu_cores_effective", NUM_UNKNOWN), CPU_CORES_MOST);
    f->ram_gb = host_number(json_number(row, "cpu_ram", NUM_UNKNOWN) / ram_per_gb, RAM_GB_MOST); /* the slice's share */
    f->disk_local_gb = (float)payload_number(row, "disk_space", 0, 1e8);
    f->pcie_gen = small_number(row, "pci_gen", 7);
    f->pcie_lanes = small_number(row, "gpu_lanes", 16);
    f->environment = ENVIRONMENT_CONTAINER;
    x->power_limit_w = payload_number(row, "gpu_max_power", 10, 10000);
    x->cpu_arch = payload_text(p, row, "cpu_arch");
    x->disk_kind = payload_text(p, row, "disk_name");
    x->disk_mbs = payload_number(row, "disk_bw", 0.1, 1e7);
    x->inet_down_mbps = payload_number(row, "inet_down", 0.001, 1e8);
    x->inet_up_mbps = payload_number(row, "inet_up", 0.001, 1e8);
    x->driver = payload_text(p, row, "driver_version");
    x->cuda_max = payload_number(row, "cuda_max_good", 1, 100);
    x->compute_capability = payload_number(row, "compute_cap", 100, 10000) / compute_cap_scale;
    x->reliability = payload_number(row, "reliability2", 0, 1);
    if (!num_known(x->reliability))
        x->reliability = payload_number(row, "reliability", 0, 1);
}

static double hours_left(const cJSON *row) {
    return payload_number(row, "duration", 1, 1e10) / 3600;
}

/* A row is as old as its snapshot: the moment it ends less the time it has left, unless the envelope says. */
static void settle_time(struct payload *p, const cJSON *row, int64_t observed_at, struct offer *f) {
    struct offer_extra *x = offer_extra_edit(p->base.out, f);
    double end = payload_number(row, "end_date", 1e9, 7e9), left = hours_left(row);
    f->observed_at = observed_at;
    if (f->observed_at == 0 && num_known(end) && num_known(left))
        f->observed_at = (int64_t)(end - left * 3600);
    x->expires_at = num_known(end) ? (int64_t)end : 0;
    x->max_duration_h = left;
}

/*
 * dph_total holds a disk of a few GB that nobody asked for; the price of the machine is dph_base, and the disk that a job needs
 * is charged apart. Rows of the mirror and old ones may have only one of them.
 */
static void settle_price(struct payload *p, const cJSON *row, struct offer *f) {
    struct offer_extra *x = offer_extra_edit(p->base.out, f);
    double base = payload_number(row, "dph_base", 0, PAYLOAD_MAX_USD_H);
    double total = payload_number(row, "dph_total", 0, PAYLOAD_MAX_USD_H);
    f->rate_kind = json_bool(row, "is_bid", false) ? RATE_BID_FLOOR : RATE_ON_DEMAND;
    f->rate_microusd = money_micro(base > 0 ? base : total);
    x->price_includes = reader_put(&p->base, base > 0 ? "GPUs, CPU and memory; no disk" : "a disk of a few GB");
    x->disk_usd_gb_month = payload_number(row, "storage_cost", 0, 1000);
    x->ingress_usd_gb = payload_number(row, "inet_down_cost", 0, 1000);
    x->egress_usd_gb = payload_number(row, "inet_up_cost", 0, 1000);
    x->stopped_usd_h =
        payload_number(cJSON_GetObjectItemCaseSensitive(row, "instance"), "totalHour", 0, PAYLOAD_MAX_USD_H);
}

static void settle_availability(const cJSON *row, struct offer *f) {
    const cJSON *rentable = cJSON_GetObjectItemCaseSensitive(row, "rentable");
    f->access = ACCESS_NOW;
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "rented")) || cJSON_IsFalse(rentable))
        f->available = TRI_NO;
    else
        f->available = cJSON_IsTrue(rentable) ? TRI_YES : TRI_UNKNOWN;
}

/* ", US" has an empty front. */
static uint32_t region_of(struct payload *p, const cJSON *row) {
    const char *s = json_string(row, "geolocation", "");
    s += strspn(s, ", ");
    return reader_text(&p->base, s, strlen(s));
}

/* The number of an offer stays while the offer does. */
static void settle_id(struct payload *p, const cJSON *row, struct offer *f) {
    char id[128];
    uint32_t number = payload_text(p, row, "id");
    if (number == 0)
        number = payload_text(p, row, "ask_contract_id");
    if (number == 0)
        return;
    snprintf(id, sizeof id, "vast:vast:%.100s", reader_str(&p->base, number));
    f->id = offers_put_id(p->base.out, id, f->rate_kind == RATE_BID_FLOOR ? ":bid_floor" : "");
}

/* The same machine for whoever lets others outbid him: another offer, unless it is dearer than having it for sure. */
static void add_bid(struct payload *p, const cJSON *row, const struct offer *on_demand) {
    double bid = payload_number(row, "min_bid", 0, PAYLOAD_MAX_USD_H);
    struct offer f = *on_demand;
    if (on_demand->rate_kind != RATE_ON_DEMAND || !(bid > 0))
        return;
    f.rate_kind = RATE_BID_FLOOR;
    f.rate_microusd = money_micro(bid);
    if (f.rate_microusd >= on_demand->rate_microusd) {
        p->base.out->items[p->base.out->count - 1].flags |= OFFER_SPOT_GE_ON_DEMAND;
        return;
    }
    f.flags |= OFFER_AUCTION_FLOOR;
    settle_id(p, row, &f);
    if (f.id == on_demand->id)
        f.id = 0;
    reader_add(&p->base, &f);
}

static void read_row(struct payload *p, const cJSON *row, int64_t observed_at) {
    payload_row(p);
    struct offer f = payload_offer(p);
    double count = payload_number(row, "num_gpus", 1, PAYLOAD_MAX_COUNT);
    char machine[96];
    if (!num_known(count)) {
        reader_problem(&p->base, "num_gpus", true, "must be a number from 1 to %d", PAYLOAD_MAX_COUNT);
        return;
    }
    f.provider = reader_put(&p->base, "vast");
    f.gpus = (uint16_t)count;
    f.gpu_raw = payload_text(p, row, "gpu_name");
    f.form = (uint8_t)form_of_text(reader_str(&p->base, f.gpu_raw));
    f.region = region_of(p, row);
    snprintf(machine, sizeof machine, "%dx %.80s", (int)f.gpus, reader_str(&p->base, f.gpu_raw));
    f.machine = reader_text(&p->base, machine, strlen(machine));
    settle_host_class(p, row, &f);
    settle_machine(p, row, &f);
    settle_time(p, row, observed_at, &f);
    settle_price(p, row, &f);
    settle_availability(row, &f);
    settle_id(p, row, &f);
    if (!payload_add(p, &f, payload_number(row, "gpu_ram", 1, 1e9) / 1024, VRAM_OF_ONE))
        return;
    struct offer *added = &p->base.out->items[p->base.out->count - 1];
    settle_link(p, row, added);
    f = *added;
    add_bid(p, row, &f);
}

static int64_t moment_of(const cJSON *envelope) {
    const char *s = json_string(envelope, "timestamp", "");
    int64_t moment;
    return when_parse(s, strlen(s), &moment) ? moment : 0;
}

bool vast_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name, struct offers *out,
               struct err *err) {
    struct payload p;
    if (!payload_open(&p, ctx, bytes, len, name, "vast", out, err))
        return false;
    const cJSON *rows = cJSON_IsArray(p.tree) ? p.tree : cJSON_GetObjectItemCaseSensitive(p.tree, "offers"), *row;
    int64_t observed_at = moment_of(p.tree);
    cJSON_ArrayForEach (row, rows) {
        read_row(&p, row, observed_at);
    }
    payload_close(&p);
    return true;
}

int vast_recognise(const char *bytes, size_t len) {
    static const char *const keys[] = {"gpu_name", "num_gpus", "dph_base", "machine_id", NULL};
    static const char *const without_base[] = {"gpu_name", "num_gpus", "dph_total", "machine_id", NULL};
    return payload_has(bytes, len, keys) || payload_has(bytes, len, without_base) ? 90 : 0;
}
