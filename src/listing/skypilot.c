/* SPDX-License-Identifier: MIT */
/* Files of the SkyPilot catalogue: columns by name (their order differs), provider by file name. */
#include "listing/skypilot.h"

#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/cell_memo.h"

enum { MACHINE, CARD, COUNT, VCPUS, RAM, INFO, PRICE, SPOT, REGION, ZONE, PROVIDER, COLUMN_COUNT };

static const char *const column_names[COLUMN_COUNT] = {
    [MACHINE] = "InstanceType",  [CARD] = "AcceleratorName", [COUNT] = "AcceleratorCount",
    [VCPUS] = "vCPUs",           [RAM] = "MemoryGiB",        [INFO] = "GpuInfo",
    [PRICE] = "Price",           [SPOT] = "SpotPrice",       [REGION] = "Region",
    [ZONE] = "AvailabilityZone", [PROVIDER] = "Provider", /* of brokers */
};

/* GpuInfo says the same of every machine with these cards: the last ones are remembered as they were written. */
enum { INFO_MEMO = 64, INFO_BYTES = 240 };
struct known_info {
    size_t len;
    char text[INFO_BYTES];
    struct gpu_info info;
};

struct sky_file {
    struct sky sky;
    struct column columns[COLUMN_COUNT];
    struct cell_memo memo[COLUMN_COUNT]; /* of texts and numbers */
    struct known_info infos[INFO_MEMO];
    uint32_t source, provider, unnamed;
    bool split_prices; /* GCP */
};

/* "…/aws_vms.csv" and "…/aws/vms.csv" -> "aws"; 0 when the name tells nothing. */
static uint32_t provider_of_name(struct reader *r, const char *name) {
    size_t len = strlen(name);
    const char *vms = NULL;
    for (const char *p = name; (p = strstr(p, "vms")) != NULL; p++)
        vms = p;
    if (!vms || vms == name || (size_t)(vms - name) > len)
        return 0;
    const char *end = vms - 1; /* the '_' or '/' before it */
    const char *start = end;
    while (start > name && start[-1] != '/')
        start--;
    return (*end == '_' || *end == '/') && start < end ? reader_provider(r, start, (size_t)(end - start)) : 0;
}

static bool on_header(void *user, const struct csv_row *row, struct err *err) {
    struct sky_file *file = user;
    (void)err;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        file->columns[i].name = column_names[i];
        file->memo[i].worth = MEMO_START;
    }
    columns_resolve(file->columns, COLUMN_COUNT, row);
    reader_explain_columns(&file->sky.base, file->columns, COLUMN_COUNT, row);
    return true;
}

static uint32_t remembered_text(struct sky_file *file, int column, const char *s, size_t len) {
    struct cell_memo *memo = &file->memo[column];
    struct memo_cell *cell = len > 0 ? cell_memo_at(memo, s, len) : NULL;
    if (cell && cell_memo_holds(memo, cell, s, len))
        return (uint32_t)cell->value;
    uint32_t text = reader_text(&file->sky.base, s, len);
    if (cell)
        cell_memo_keep(cell, s, len, text);
    return text;
}

static uint32_t text_of(struct sky_file *file, const struct csv_row *row, int column) {
    size_t len;
    const char *s = column_cell(&file->columns[column], row, &len);
    return remembered_text(file, column, s, len);
}

static double number_of(struct sky_file *file, const struct csv_row *row, int column) {
    size_t len;
    double x;
    const char *s = column_cell(&file->columns[column], row, &len);
    struct cell_memo *memo = &file->memo[column];
    struct memo_cell *cell = len > 0 ? cell_memo_at(memo, s, len) : NULL;
    if (cell && cell_memo_holds(memo, cell, s, len)) {
        memcpy(&x, &cell->value, sizeof x);
        return x;
    }
    x = column_number(&file->columns[column], row, NULL);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (cell)
        cell_memo_keep(cell, s, len, bits);
    return x;
}

static const struct gpu_info *info_of(struct sky_file *file, const struct csv_row *row) {
    size_t len;
    const char *s = column_cell(&file->columns[INFO], row, &len);
    struct known_info *known = &file->infos[hash_bytes(s, len, 0) % INFO_MEMO];
    if (len > 0 && known->len == len && memcmp(known->text, s, len) == 0)
        return &known->info;
    known->info = gpu_info_parse(s);
    known->len = len < sizeof known->text ? len : SIZE_MAX; /* too long to be known again */
    memcpy(known->text, s, len < sizeof known->text ? len : 0);
    return &known->info;
}

/* ", US, NA" and "Texas, US, NA": the empty front goes. */
static uint32_t region_of(struct sky_file *file, const struct csv_row *row) {
    size_t len;
    const char *s = column_cell(&file->columns[REGION], row, &len);
    while (len > 0 && (*s == ',' || *s == ' ')) {
        s++;
        len--;
    }
    return remembered_text(file, REGION, s, len);
}

/* The name of the file counts; without one, what a broker's column says. */
static uint32_t provider_of_row(struct sky_file *file, const struct csv_row *row) {
    size_t len;
    const char *s = column_cell(&file->columns[PROVIDER], row, &len);
    if (file->provider != 0 || len == 0)
        return file->provider ? file->provider : file->unnamed;
    struct memo_cell *cell = cell_memo_at(&file->memo[PROVIDER], s, len);
    if (cell && cell_memo_holds(&file->memo[PROVIDER], cell, s, len))
        return (uint32_t)cell->value;
    uint32_t provider = reader_provider(&file->sky.base, s, len);
    if (cell)
        cell_memo_keep(cell, s, len, provider);
    return provider;
}

static const double max_usd_h = 1e6; /* as in our own format */

static bool on_row(void *user, const struct csv_row *row, struct err *err) {
    struct sky_file *file = user;
    struct reader *r = &file->sky.base;
    bool bad_price = false, bad_spot = false;
    (void)err;
    reader_at(r, row);
    struct sky_row sky = {.source = file->source, .provider = provider_of_row(file, row), .kind = RATE_ON_DEMAND};
    sky.card = text_of(file, row, CARD);
    if (sky.card == 0)
        reader_no_gpu(r);
    if (sky.card == 0 && !file->split_prices)
        return true;
    sky.machine = text_of(file, row, MACHINE);
    sky.zone = text_of(file, row, ZONE);
    sky.region = region_of(file, row);
    sky.count = number_of(file, row, COUNT);
    sky.vcpus = number_of(file, row, VCPUS);
    sky.ram_gib = number_of(file, row, RAM);
    sky.rate = column_number(&file->columns[PRICE], row, &bad_price);
    sky.spot = column_number(&file->columns[SPOT], row, &bad_spot);
    sky.info = info_of(file, row);
    if (sky.spot > max_usd_h) {
        bad_spot = true;
        sky.spot = NUM_UNKNOWN;
    }
    if (bad_price || sky.rate > max_usd_h)
        reader_problem(r, "Price", true, "must be a number from 0 to 1000000");
    else if (sky.card == 0)
        sky_keep_host(&file->sky, &sky);
    else if (file->split_prices && sky.machine == 0 &&
             reader_card(r, sky.card, NUM_UNKNOWN, GPU_FORM_UNKNOWN).cls == GPU_CLASS_GPU)
        sky_keep_part(&file->sky, &sky);
    else
        sky_add(&file->sky, &sky);
    if (bad_spot)
        reader_problem(r, "SpotPrice", false, "not a number from 0 to 1000000: left out");
    return true;
}

bool skypilot_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                   struct offers *out, struct err *err) {
    struct sky_file *file = mem_zero(1, sizeof *file);
    struct reader *r = &file->sky.base;
    reader_begin(r, ctx, out, name, bytes);
    file->source = reader_put(r, "skypilot");
    file->unnamed = reader_put(r, "unknown");
    file->provider = provider_of_name(r, name);
    file->split_prices = strcmp(reader_str(r, file->provider), "gcp") == 0;
    struct csv_handler handler = {on_header, on_row, file};
    bool done = csv_read(bytes, len, name, &handler, err);
    if (done)
        sky_join_parts(&file->sky);
    sky_end(&file->sky);
    free(file);
    return done;
}

int skypilot_recognise(const char *bytes, size_t len) {
    static const char *const names[] = {"InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region", NULL};
    return header_has(bytes, len, names) ? 95 : 0;
}
