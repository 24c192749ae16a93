/* SPDX-License-Identifier: MIT */
/*
 * OpenComputePrices: one CSV schema filled by many collectors. The columns are read here; what a collector got wrong is put
 * right, or the row left out with its reason, by the functions of ocp_*.c.
 */
#include "listing/fields.h"
#include "listing/ocp.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/listing/when.h"

enum {
    SNAPSHOT,
    SOURCE,
    PROVIDER,
    TYPE,
    CARD,
    VARIANT,
    MEMORY,
    COUNT,
    VCPUS,
    RAM,
    REGION,
    ZONE,
    PRICING,
    PRICE,
    CURRENCY,
    UNIT,
    AVAILABLE,
    AVAILABLE_COUNT,
    OS,
    EXTRA,
    COLUMN_COUNT
};

static const char *const column_names[COLUMN_COUNT] = {
    [SNAPSHOT] = "snapshot_ts",
    [SOURCE] = "source",
    [PROVIDER] = "provider",
    [TYPE] = "instance_type",
    [CARD] = "gpu_name",
    [VARIANT] = "gpu_variant",
    [MEMORY] = "gpu_memory_gb",
    [COUNT] = "gpu_count",
    [VCPUS] = "vcpus",
    [RAM] = "ram_gb",
    [REGION] = "region",
    [ZONE] = "zone",
    [PRICING] = "pricing_type",
    [PRICE] = "price_per_hour",
    [CURRENCY] = "currency",
    [UNIT] = "price_unit",
    [AVAILABLE] = "available",
    [AVAILABLE_COUNT] = "available_count",
    [OS] = "os",
    [EXTRA] = "raw_extra",
};

/* No card costs more an hour, on any list: what does is the price of a month, a year or a rack. */
static const double max_usd_gpu_h = 60;

bool ocp_skip(struct ocp *c, const char *field, const char *why) {
    reader_problem(&c->sky.base, field, true, "%s", why);
    return false;
}

static const char *cell(const struct ocp *c, const struct csv_row *row, int column) {
    size_t len;
    return column_cell(&c->columns[column], row, &len);
}

static double number(const struct ocp *c, const struct csv_row *row, int column) {
    return column_number(&c->columns[column], row, NULL);
}

static struct ocp_row row_of(const struct ocp *c, const struct csv_row *row) {
    struct ocp_row r = {
        .source = cell(c, row, SOURCE),
        .provider = cell(c, row, PROVIDER),
        .type = cell(c, row, TYPE),
        .card = cell(c, row, CARD),
        .variant = cell(c, row, VARIANT),
        .memory = cell(c, row, MEMORY),
        .region = cell(c, row, REGION),
        .zone = cell(c, row, ZONE),
        .pricing = cell(c, row, PRICING),
        .currency = cell(c, row, CURRENCY),
        .unit = cell(c, row, UNIT),
        .os = cell(c, row, OS),
        .extra = cell(c, row, EXTRA),
        .available = cell(c, row, AVAILABLE),
        .memory_gb = number(c, row, MEMORY),
        .count = number(c, row, COUNT),
        .vcpus = number(c, row, VCPUS),
        .ram_gb = number(c, row, RAM),
        .price = number(c, row, PRICE),
        .available_count = number(c, row, AVAILABLE_COUNT),
    };
    const char *moment = cell(c, row, SNAPSHOT);
    if (!when_parse(moment, strlen(moment), &r.observed_at))
        r.observed_at = 0;
    if (r.memory_gb <= 0)
        r.memory_gb = NUM_UNKNOWN; /* 0 is what the collectors write for nothing */
    return r;
}

static uint32_t put(struct ocp *c, const char *s) {
    return reader_text(&c->sky.base, s, strlen(s));
}

/* ---- rows that come from the SkyPilot catalogue ---- */

static void add_skypilot(struct ocp *c, const struct ocp_row *row, enum rate_kind kind) {
    struct reader *r = &c->sky.base;
    const struct gpu_info info = gpu_info_parse(row->memory); /* the collector put GpuInfo there */
    struct sky_row sky = {
        .source = c->source,
        .provider = reader_provider(r, row->provider, strlen(row->provider)),
        .machine = put(c, row->type),
        .card = put(c, row->card),
        .region = put(c, row->region),
        .zone = put(c, row->zone),
        .count = row->count,
        .vcpus = row->vcpus,
        .ram_gib = row->ram_gb,
        .rate = row->price,
        .spot = NUM_UNKNOWN,
        .info = &info,
        .kind = kind,
        .observed_at = row->observed_at,
    };
    bool is_gpu = sky.card && reader_card(r, sky.card, NUM_UNKNOWN, GPU_FORM_UNKNOWN).cls == GPU_CLASS_GPU;
    if (sky.machine == 0 && is_gpu)
        ocp_skip(c, "price_per_hour", "price of the GPUs alone, the host's part is not in this file");
    else
        sky_add(&c->sky, &sky);
}

/* ---- all others ---- */

static bool find_kind(const char *pricing, enum rate_kind *out) {
    int kind = rate_kind_find(pricing);
    *out = kind < 0 ? RATE_ON_DEMAND : (enum rate_kind)kind;
    return kind >= 0 && kind != RATE_BID_FLOOR;
}

static void settle_common(struct ocp *c, const struct ocp_row *row, enum rate_kind kind, struct offer *f) {
    struct reader *r = &c->sky.base;
    f->source = c->source;
    f->provider = reader_provider(r, row->provider, strlen(row->provider));
    f->machine = put(c, row->type);
    f->region = put(c, row->region);
    f->gpu_raw = put(c, row->card);
    f->rate_kind = (uint8_t)kind;
    f->rate_microusd = money_micro(row->price);
    f->observed_at = row->observed_at;
    f->gpus = row->count >= 1 && row->count <= 4096 ? (uint16_t)row->count : 1;
    f->vram_gb = (float)row->memory_gb;
    f->cpu_cores = host_number(row->vcpus, CPU_CORES_MOST);
    f->ram_gb = host_number(row->ram_gb, RAM_GB_MOST);
    f->file = r->file;
    f->line = (int32_t)r->line;
    /* "True" stands on every row that was listed at all; only "False" says something. */
    f->available = text_equal_fold(row->available, "false") ? TRI_NO : TRI_UNKNOWN;
    if (*row->currency && !text_equal_fold(row->currency, "USD"))
        offer_extra_edit(r->out, f)->currency = put(c, row->currency);
}

/* "NVL" is a form of H100 and H200 only; beside other cards it is short for NVLink. */
static enum gpu_form find_form(const struct ocp_row *row) {
    enum gpu_form form = form_of_text(row->variant);
    if (form == GPU_FORM_UNKNOWN)
        form = form_of_text(row->card);
    if (form == GPU_FORM_UNKNOWN)
        form = form_of_text(row->type);
    bool has_nvl = strncmp(row->card, "H100", 4) == 0 || strncmp(row->card, "H200", 4) == 0;
    return form == GPU_FORM_NVL && !has_nvl ? GPU_FORM_UNKNOWN : form;
}

/* The variant column is a guess of the collector: it counts unless the machine table knows. */
static bool settle_card(struct ocp *c, const struct ocp_row *row, struct offer *f) {
    f->form = (uint8_t)find_form(row);
    return reader_settle_card(&c->sky.base, f, (double)f->vram_gb, VRAM_OF_ONE);
}

static bool settle_row(struct ocp *c, const struct ocp_row *row, struct offer *f) {
    const struct ocp_collector *collector = ocp_collector_find(row->source);
    cJSON *extra = collector && *row->extra ? json_parse(row->extra, strlen(row->extra), c->sky.base.name, NULL) : NULL;
    bool kept = !collector || collector->settle(c, row, extra, f);
    cJSON_Delete(extra);
    return kept;
}

static void add_row(struct ocp *c, const struct ocp_row *row, enum rate_kind kind) {
    struct offer f = offer_empty;
    settle_common(c, row, kind, &f);
    if (!settle_row(c, row, &f))
        return;
    const char *name = reader_str(&c->sky.base, f.gpu_raw);
    if (!strpbrk(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") || strstr(name, "unspecified")) {
        ocp_skip(c, "gpu_name", "no GPU named");
        return;
    }
    if (!settle_card(c, row, &f))
        return;
    if ((double)f.rate_microusd / 1e6 > max_usd_gpu_h * f.gpus) {
        ocp_skip(c, "price_per_hour", "more than any GPU costs in an hour: the price of a longer term");
        return;
    }
    reader_add(&c->sky.base, &f);
}

static bool on_header(void *user, const struct csv_row *row, struct err *err) {
    struct ocp *c = user;
    (void)err;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        c->columns[i].name = column_names[i];
    columns_resolve(c->columns, COLUMN_COUNT, row);
    reader_explain_columns(&c->sky.base, c->columns, COLUMN_COUNT, row);
    return true;
}

static bool on_row(void *user, const struct csv_row *csv, struct err *err) {
    struct ocp *c = user;
    enum rate_kind kind;
    (void)err;
    reader_at(&c->sky.base, csv);
    struct ocp_row row = row_of(c, csv);
    if (*row.unit && !text_equal_fold(row.unit, "hour"))
        ocp_skip(c, "price_unit", "no price of an hour");
    else if (!find_kind(row.pricing, &kind))
        ocp_skip(c, "pricing_type", "no rental of a machine");
    else if (text_contains_fold(row.os, "windows"))
        ocp_skip(c, "os", "price with a Windows licence");
    else if (!num_known(row.price) || row.price <= 0 || row.price > 1e6 * 4096)
        ocp_skip(c, "price_per_hour", "must be a number over 0");
    else if (strcmp(row.source, "skypilot") == 0)
        add_skypilot(c, &row, kind);
    else
        add_row(c, &row, kind);
    return true;
}

bool opencomputeprices_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                            struct offers *out, struct err *err) {
    struct column columns[COLUMN_COUNT];
    struct ocp c = {.columns = columns};
    reader_begin(&c.sky.base, ctx, out, name, bytes);
    c.source = reader_put(&c.sky.base, "ocp");
    struct csv_handler handler = {on_header, on_row, &c};
    bool done = csv_read(bytes, len, name, &handler, err);
    sky_end(&c.sky);
    return done;
}

int opencomputeprices_recognise(const char *bytes, size_t len) {
    static const char *const names[] = {"snapshot_ts",    "provider", "instance_type", "gpu_name", "pricing_type",
                                        "price_per_hour", NULL};
    return header_has(bytes, len, names) ? 95 : 0;
}
