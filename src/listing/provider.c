/* SPDX-License-Identifier: MIT */
#include "gpuplan/listing/provider.h"

#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/data.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"

enum provider_column {
    KEY,
    NAME,
    ALIASES,
    CLASS,
    CURRENCY,
    SOURCE,
    DATE,
    STEP,
    MINIMUM,
    BOOT_LOW,
    BOOT,
    BOOT_HIGH,
    INET,
    DISK,
    EGRESS,
    COLUMNS
};
static const char *const columns[COLUMNS] = {
    "key",           "name",
    "aliases",       "class",
    "currency",      "source",
    "date",          "billing_step_s",
    "min_charge_h",  "boot_min_low",
    "boot_min",      "boot_min_high",
    "inet_gbps",     "disk_usd_gb_month",
    "egress_usd_gb",
};
static const struct {
    enum provider_column column;
    size_t offset;
    double high;
} figures[] = {
    {STEP, offsetof(struct provider, billing_step_s), 2678400}, /* a month */
    {MINIMUM, offsetof(struct provider, min_charge_h), 10000},
    {BOOT_LOW, offsetof(struct provider, boot_min_low), 10000},
    {BOOT, offsetof(struct provider, boot_min), 10000},
    {BOOT_HIGH, offsetof(struct provider, boot_min_high), 10000},
    {INET, offsetof(struct provider, inet_gbps), 1000},
    {DISK, offsetof(struct provider, disk_usd_gb_month), 100},
    {EGRESS, offsetof(struct provider, egress_usd_gb), 100},
};
static const char *const class_names[HOST_CLASS_COUNT] = {"hyperscaler", "cloud", "market_dc", "market_verified",
                                                          "market_unverified"};

struct providers {
    struct data_table *table;
    struct provider *items;
    size_t count, other; /* `other`: the row "*" */
};

const char *host_class_name(enum host_class c) {
    return (unsigned)c < HOST_CLASS_COUNT ? class_names[c] : class_names[HOST_MARKET_UNVERIFIED];
}

int host_class_find(const char *name) {
    for (int i = 0; i < HOST_CLASS_COUNT; i++)
        if (text_equal_fold(class_names[i], name))
            return i;
    return -1;
}

static bool read_provider(const struct data_table *t, size_t row, struct provider *p, struct err *err) {
    int cls = host_class_find(data_table_cell(t, row, CLASS));
    if (cls < 0) {
        err_set(err, ERR_DATA, "class is hyperscaler, cloud, market_dc, market_verified or market_unverified");
        return data_table_at(t, row, CLASS, err);
    }
    *p = (struct provider){
        .key = data_table_cell(t, row, KEY), .name = data_table_cell(t, row, NAME), .host_class = (enum host_class)cls};
    p->currency = data_table_cell(t, row, CURRENCY);
    p->source = data_table_cell(t, row, SOURCE);
    p->date = data_table_cell(t, row, DATE);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        double *out = (double *)(void *)((char *)p + figures[i].offset);
        if (!data_table_number(t, row, figures[i].column, 0, figures[i].high, NUM_UNKNOWN, out, err))
            return false;
    }
    return true;
}

struct providers *providers_load(struct err *err) {
    struct providers *p = mem_zero(1, sizeof *p);
    p->table = data_table_load("providers.csv", columns, COLUMNS, err);
    if (p->table == NULL)
        goto fail;
    size_t rows = data_table_rows(p->table);
    p->items = mem_zero(rows + 1, sizeof *p->items);
    for (size_t i = 0; i < rows; i++) {
        if (!read_provider(p->table, i, &p->items[i], err))
            goto fail;
        if (strcmp(p->items[i].key, "*") == 0)
            p->other = i;
        p->count++;
    }
    if (p->count > 0)
        return p;
    err_set(err, ERR_DATA, "providers.csv: no rows");
fail:
    providers_free(p);
    return NULL;
}

void providers_free(struct providers *p) {
    if (p == NULL)
        return;
    data_table_free(p->table);
    free(p->items);
    free(p);
}

/* Names with ';' between. */
static bool is_alias(const char *list, const char *key) {
    size_t len = strlen(key);
    while (*list != '\0') {
        size_t part = strcspn(list, ";");
        char name[64];
        if (part == len && part < sizeof name) {
            memcpy(name, list, part);
            name[part] = '\0';
            if (text_equal_fold(name, key))
                return true;
        }
        list += part + (list[part] == ';');
    }
    return false;
}

const struct provider *providers_find(const struct providers *p, const char *key) {
    for (size_t i = 0; i < p->count; i++)
        if (text_equal_fold(p->items[i].key, key))
            return &p->items[i];
    for (size_t i = 0; i < p->count; i++)
        if (text_equal_fold(p->items[i].name, key) || is_alias(data_table_cell(p->table, i, ALIASES), key))
            return &p->items[i];
    return &p->items[p->other];
}

size_t providers_count(const struct providers *p) {
    return p->count;
}

const struct provider *providers_at(const struct providers *p, size_t i) {
    return i < p->count ? &p->items[i] : NULL;
}
