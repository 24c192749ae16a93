/* SPDX-License-Identifier: MIT */
/*
 * gpuhunt's catalogue: one CSV a provider, alone or in its zip. A row is a whole machine in USD an hour, on demand or spot. The
 * provider stands in the path only; the form of a card was thrown away, so the machine type decides where it is known.
 */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/listing/when.h"
#include "listing/fields.h"

enum { MACHINE, REGION, PRICE, CPU, RAM, COUNT, CARD, VRAM, SPOT, DISK, VENDOR, FLAGS, ARCH, DATA, COLUMN_COUNT };

static const char *const column_names[COLUMN_COUNT] = {
    [MACHINE] = "instance_name",
    [REGION] = "location",
    [PRICE] = "price",
    [CPU] = "cpu",
    [RAM] = "memory",
    [COUNT] = "gpu_count",
    [CARD] = "gpu_name",
    [VRAM] = "gpu_memory",
    [SPOT] = "spot",
    [DISK] = "disk_size",
    [VENDOR] = "gpu_vendor",
    [FLAGS] = "flags",
    [ARCH] = "cpu_arch",
    [DATA] = "provider_data",
};

/* Makers whose chips are no GPUs, whatever they are called. */
static const char *const other_makers[] = {"google", "tenstorrent"};
static const double max_usd_h = 1e6; /* as in our own format */

struct gpuhunt {
    struct reader base;
    struct column columns[COLUMN_COUNT];
    uint32_t source, provider;
    int64_t observed_at;
};

/* ---- the path: ".../v3/lambdalabs/20260115/catalog.zip/lambdalabs.csv" ---- */

/* A part of the path without its suffix; false when there is none left. Goes from the end to the front. */
static bool part_before(const char *name, size_t *end, const char **part, size_t *len) {
    if (*end == 0)
        return false;
    size_t start = *end;
    while (start > 0 && name[start - 1] != '/')
        start--;
    const char *dot = memchr(name + start, '.', *end - start);
    *part = name + start;
    *len = (dot ? (size_t)(dot - name) : *end) - start;
    *end = start > 0 ? start - 1 : 0;
    return true;
}

static uint32_t provider_of_path(struct reader *r) {
    size_t end = strlen(r->name), len;
    const char *part;
    char word[64];
    while (part_before(r->name, &end, &part, &len)) {
        if (len == 0 || len >= sizeof word)
            continue;
        memcpy(word, part, len);
        word[len] = '\0';
        const struct provider *p = r->ctx->providers ? providers_find(r->ctx->providers, word) : NULL;
        if (p && strcmp(p->key, "*") != 0)
            return reader_put(r, p->key);
    }
    return reader_put(r, "unknown");
}

/* "20260115" or "20260115-…" among the folders: the version is the day. */
static int64_t day_of_path(const struct reader *r) {
    size_t end = strlen(r->name), len;
    const char *part;
    while (part_before(r->name, &end, &part, &len)) {
        char day[] = "0000-00-00";
        int64_t moment;
        if (len < 8 || strspn(part, "0123456789") < 8)
            continue;
        memcpy(day, part, 4);
        memcpy(day + 5, part + 4, 2);
        memcpy(day + 8, part + 6, 2);
        if (when_parse(day, sizeof day - 1, &moment))
            return moment;
    }
    return 0;
}

/* ---- a row ---- */

static const char *cell(const struct gpuhunt *g, const struct csv_row *row, int column, size_t *len) {
    return column_cell(&g->columns[column], row, len);
}

static uint32_t text(struct gpuhunt *g, const struct csv_row *row, int column) {
    size_t len;
    const char *s = cell(g, row, column, &len);
    return reader_text(&g->base, s, len);
}

static double number(const struct gpuhunt *g, const struct csv_row *row, int column) {
    return column_number(&g->columns[column], row, NULL);
}

static bool is_word(const struct gpuhunt *g, const struct csv_row *row, int column, const char *word) {
    size_t len;
    const char *s = cell(g, row, column, &len);
    return len == strlen(word) && text_equal_fold(s, word);
}

/* "fabrics" of Nebius: machines of this type can be ordered on one InfiniBand fabric. "min_bid" of Vast. */
static void settle_data(struct gpuhunt *g, const struct csv_row *row, struct offer *f) {
    size_t len;
    const char *s = cell(g, row, DATA, &len);
    cJSON *data = len > 2 ? json_parse(s, len, g->base.name, NULL) : NULL;
    const cJSON *fabrics = cJSON_GetObjectItemCaseSensitive(data, "fabrics");
    if (cJSON_IsArray(fabrics) && fabrics->child) {
        f->network = NETWORK_INFINIBAND;
        f->network_source = PROVENANCE_DECLARED;
    }
    cJSON_Delete(data);
}

static void settle_kind(struct gpuhunt *g, const struct csv_row *row, struct offer *f) {
    size_t len;
    const char *flags = cell(g, row, FLAGS, &len);
    f->rate_kind = is_word(g, row, SPOT, "true") ? RATE_SPOT : RATE_ON_DEMAND;
    if (text_contains_fold(flags, "calendar") || text_contains_fold(flags, "capacity-block"))
        f->rate_kind = RATE_RESERVED; /* sold for fixed days, paid for whether used or not */
}

static bool is_no_gpu(struct gpuhunt *g, const struct csv_row *row) {
    for (size_t i = 0; i < sizeof other_makers / sizeof *other_makers; i++)
        if (is_word(g, row, VENDOR, other_makers[i])) {
            reader_problem(&g->base, "gpu_vendor", true, "an accelerator of %s: not a GPU", other_makers[i]);
            return true;
        }
    return false;
}

static void add_offer(struct gpuhunt *g, const struct csv_row *row, double price) {
    struct reader *r = &g->base;
    struct offer f = offer_empty;
    double count = number(g, row, COUNT);
    f.source = g->source;
    f.provider = g->provider;
    f.machine = text(g, row, MACHINE);
    f.region = text(g, row, REGION);
    f.gpu_raw = text(g, row, CARD);
    f.gpus = count < 1 ? 1 : (uint16_t)count;
    f.gpu_fraction = count < 1 ? (float)count : 1;
    f.cpu_cores = host_number(number(g, row, CPU), CPU_CORES_MOST);
    f.ram_gb = host_number(number(g, row, RAM), RAM_GB_MOST);
    f.disk_local_gb = (float)number(g, row, DISK);
    f.rate_microusd = money_micro(price);
    f.observed_at = g->observed_at;
    settle_kind(g, row, &f);
    settle_data(g, row, &f);
    uint32_t arch = text(g, row, ARCH);
    if (arch)
        offer_extra_edit(r->out, &f)->cpu_arch = arch;
    if (!reader_settle_card(r, &f, number(g, row, VRAM), VRAM_OF_ONE))
        return;
    reader_set_currency(r, &f);
    reader_add(r, &f);
}

static bool on_header(void *user, const struct csv_row *row, struct err *err) {
    struct gpuhunt *g = user;
    (void)err;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        g->columns[i].name = column_names[i];
    columns_resolve(g->columns, COLUMN_COUNT, row);
    return true;
}

static bool on_row(void *user, const struct csv_row *row, struct err *err) {
    struct gpuhunt *g = user;
    bool bad = false;
    (void)err;
    reader_at(&g->base, row);
    double count = column_number(&g->columns[COUNT], row, &bad), price = column_number(&g->columns[PRICE], row, &bad);
    if (bad || count > 4096 || price > max_usd_h)
        reader_problem(&g->base, "price", true, "price and gpu_count must be numbers from 0 to 1000000 and to 4096");
    else if (!(count > 0))
        reader_no_gpu(&g->base);
    else if (!is_no_gpu(g, row))
        add_offer(g, row, price);
    return true;
}

bool gpuhunt_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                  struct offers *out, struct err *err) {
    struct gpuhunt g = {0};
    reader_begin(&g.base, ctx, out, name, bytes);
    g.source = reader_put(&g.base, "gpuhunt");
    g.provider = provider_of_path(&g.base);
    g.observed_at = day_of_path(&g.base);
    struct csv_handler handler = {on_header, on_row, &g};
    bool done = csv_read(bytes, len, name, &handler, err);
    reader_end(&g.base);
    return done;
}

int gpuhunt_recognise(const char *bytes, size_t len) {
    static const char *const names[] = {"instance_name", "location",   "price", "gpu_count",
                                        "gpu_name",      "gpu_memory", "spot",  NULL};
    return header_has(bytes, len, names) ? 95 : 0;
}
