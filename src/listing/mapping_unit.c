/* SPDX-License-Identifier: MIT */
/*
 * Units. Each field of ours has a dimension; a unit of that dimension has a factor. Money is "AMOUNT/TIME", and prices of
 * disks and traffic "AMOUNT/SIZE" or "AMOUNT/SIZE/TIME".
 */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/mapping.h"

enum dimension {
    DIMENSION_NONE,
    DIMENSION_MONEY_TIME,
    DIMENSION_MONEY,
    DIMENSION_MONEY_SIZE,
    DIMENSION_MONEY_SIZE_MONTH,
    DIMENSION_MONEY_SIZE_HOUR,
    DIMENSION_MEMORY,
    DIMENSION_SIZE,
    DIMENSION_LINK,
    DIMENSION_NETWORK,
    DIMENSION_INTERNET,
    DIMENSION_DISK,
    DIMENSION_HOURS,
    DIMENSION_SECONDS,
    DIMENSION_POWER,
    DIMENSION_SHARE,
    DIMENSION_TIMESTAMP,
};

static const struct {
    const char *field;
    enum dimension dimension;
} fields[] = {
    {"rate_usd_h", DIMENSION_MONEY_TIME},
    {"spot_usd_h", DIMENSION_MONEY_TIME},
    {"gpu_rate_usd_h", DIMENSION_MONEY_TIME},
    {"vcpu_usd_h", DIMENSION_MONEY_TIME},
    {"ram_gb_usd_h", DIMENSION_MONEY_SIZE_HOUR},
    {"stopped_usd_h", DIMENSION_MONEY_TIME},
    {"upfront_usd", DIMENSION_MONEY},
    {"disk_usd_gb_month", DIMENSION_MONEY_SIZE_MONTH},
    {"ingress_usd_gb", DIMENSION_MONEY_SIZE},
    {"egress_usd_gb", DIMENSION_MONEY_SIZE},
    {"vram_gb", DIMENSION_MEMORY},
    {"vram_total_gb", DIMENSION_MEMORY},
    {"ram_gb", DIMENSION_MEMORY},
    {"disk_local_gb", DIMENSION_SIZE},
    {"disk_persist_gb", DIMENSION_SIZE},
    {"link_gbs", DIMENSION_LINK},
    {"network_gbps", DIMENSION_NETWORK},
    {"inet_down_mbps", DIMENSION_INTERNET},
    {"inet_up_mbps", DIMENSION_INTERNET},
    {"disk_mbs", DIMENSION_DISK},
    {"min_hours", DIMENSION_HOURS},
    {"term_h", DIMENSION_HOURS},
    {"max_duration_h", DIMENSION_HOURS},
    {"billing_step_s", DIMENSION_SECONDS},
    {"power_limit_w", DIMENSION_POWER},
    {"reliability", DIMENSION_SHARE},
    {"observed_at", DIMENSION_TIMESTAMP},
    {"expires_at", DIMENSION_TIMESTAMP},
};

struct unit {
    const char *name;
    double factor;
};

static const double hours_of_month = 730; /* as price lists count: a twelfth of 365 days */

/* GPU and host memory come in powers of two, whichever word the seller writes: 80 GB is 80 GiB, 65536 MB is 64 GB. */
static const struct unit memory[] = {
    {"GB", 1},    {"GiB", 1},    {"MB", 1.0 / 1024}, {"MiB", 1.0 / 1024}, {"KiB", 1.0 / 1048576}, {"B", 1 / NUM_GIB},
    {"TB", 1024}, {"TiB", 1024}, {"G", 1},           {"Gi", 1},           {"Mi", 1.0 / 1024},     {NULL, 0}};
static const struct unit size[] = {{"GB", 1},
                                   {"GiB", NUM_GIB / NUM_GB},
                                   {"MB", 1e-3},
                                   {"MiB", 1048576 / NUM_GB},
                                   {"TB", 1000},
                                   {"TiB", 1024 * NUM_GIB / NUM_GB},
                                   {"B", 1 / NUM_GB},
                                   {"G", 1},
                                   {"Gi", NUM_GIB / NUM_GB},
                                   {"T", 1000},
                                   {NULL, 0}};
static const struct unit link_rate[] = {
    {"GB/s", 1}, {"GiB/s", NUM_GIB / NUM_GB}, {"MB/s", 1e-3}, {"Gbit/s", 0.125}, {"Gbps", 0.125}, {"TB/s", 1000},
    {NULL, 0}};
static const struct unit network[] = {{"Gbit/s", 1},    {"Gbps", 1}, {"Mbit/s", 1e-3}, {"Mbps", 1e-3},
                                      {"Tbit/s", 1000}, {"GB/s", 8}, {"MB/s", 8e-3},   {NULL, 0}};
static const struct unit internet[] = {{"Mbit/s", 1}, {"Mbps", 1},    {"Gbit/s", 1000}, {"Gbps", 1000},
                                       {"MB/s", 8},   {"GB/s", 8000}, {"kbit/s", 1e-3}, {NULL, 0}};
static const struct unit disk[] = {{"MB/s", 1}, {"GB/s", 1000}, {"MiB/s", 1.048576}, {NULL, 0}};
static const struct unit hours[] = {{"h", 1},      {"s", 1.0 / 3600}, {"min", 1.0 / 60}, {"day", 24},
                                    {"week", 168}, {"month", 730},    {"year", 8760},    {NULL, 0}};
static const struct unit seconds[] = {{"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}, {"day", 86400}, {NULL, 0}};
static const struct unit power[] = {{"W", 1}, {"kW", 1000}, {NULL, 0}};
static const struct unit share[] = {{"share", 1}, {"percent", 0.01}, {"%", 0.01}, {NULL, 0}};
static const struct unit timestamp[] = {{"s", 1}, {"ms", 1e-3}, {NULL, 0}};
/* Of whatever currency the mapping names. */
static const struct unit money[] = {{"unit", 1},     {"usd", 1},      {"eur", 1},      {"gbp", 1},     {"cent", 0.01},
                                    {"cents", 0.01}, {"milli", 1e-3}, {"micro", 1e-6}, {"nano", 1e-9}, {NULL, 0}};

static const struct unit *const tables[] = {
    [DIMENSION_MONEY] = money,    [DIMENSION_MEMORY] = memory,   [DIMENSION_SIZE] = size,
    [DIMENSION_LINK] = link_rate, [DIMENSION_NETWORK] = network, [DIMENSION_INTERNET] = internet,
    [DIMENSION_DISK] = disk,      [DIMENSION_HOURS] = hours,     [DIMENSION_SECONDS] = seconds,
    [DIMENSION_POWER] = power,    [DIMENSION_SHARE] = share,     [DIMENSION_TIMESTAMP] = timestamp,
};

static enum dimension dimension_of(const char *field) {
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].field, field) == 0)
            return fields[i].dimension;
    return DIMENSION_NONE;
}

static bool look_up(const struct unit *table, const char *name, size_t len, double *factor) {
    for (; table->name; table++)
        if (strlen(table->name) == len && memcmp(table->name, name, len) == 0) {
            *factor = table->factor;
            return true;
        }
    return false;
}

/* An hour's part of the time: "h" 1, "month" 1/730. NUM_UNKNOWN for "term". */
static bool per_time(const char *name, size_t len, double *factor) {
    double h;
    if (len == 4 && memcmp(name, "term", 4) == 0) {
        *factor = NUM_UNKNOWN;
        return true;
    }
    if (!look_up(hours, name, len, &h))
        return false;
    *factor = 1 / h;
    return true;
}

/* "cents/h", "usd/GB", "usd/GB/month": the parts between the strokes. */
static bool money_unit(enum dimension d, const char *unit, double *scale) {
    const char *parts[3];
    size_t lengths[3], n = 0;
    for (const char *p = unit; n < 3;) {
        parts[n] = p;
        lengths[n] = strcspn(p, "/");
        p += lengths[n++];
        if (!*p)
            break;
        p++;
        if (n == 3)
            return false;
    }
    double amount, of_size = 1, of_time = 1;
    bool sized = d != DIMENSION_MONEY_TIME, timed = d != DIMENSION_MONEY_SIZE;
    if (n != 1 + (size_t)sized + (size_t)timed || !look_up(money, parts[0], lengths[0], &amount))
        return false;
    const struct unit *sizes = d == DIMENSION_MONEY_SIZE_HOUR ? memory : size;
    if (sized && !look_up(sizes, parts[1], lengths[1], &of_size))
        return false;
    if (timed && (!per_time(parts[n - 1], lengths[n - 1], &of_time) || (sized && !num_known(of_time))))
        return false;
    *scale = amount / of_size * of_time;
    if (d == DIMENSION_MONEY_SIZE_MONTH)
        *scale *= hours_of_month;
    return true;
}

bool mapping_unit(const struct mapping_field *f, const char *unit, double *scale) {
    enum dimension d = dimension_of(f->name);
    if (d == DIMENSION_MONEY_TIME || d == DIMENSION_MONEY_SIZE || d == DIMENSION_MONEY_SIZE_MONTH ||
        d == DIMENSION_MONEY_SIZE_HOUR)
        return money_unit(d, unit, scale);
    return d != DIMENSION_NONE && look_up(tables[d], unit, strlen(unit), scale);
}

static size_t list_table(const struct unit *table, char *out, size_t cap, size_t used) {
    for (const struct unit *u = table; u->name && used < cap; u++)
        used += (size_t)snprintf(out + used, cap - used, "%s%s", u == table ? "" : " ", u->name);
    return used < cap ? used : cap - 1;
}

void mapping_unit_list(const struct mapping_field *f, char *out, size_t cap) {
    enum dimension d = dimension_of(f->name);
    size_t used = 0;
    out[0] = '\0';
    if (d == DIMENSION_NONE) {
        snprintf(out, cap, "none: this field has no unit");
        return;
    }
    if (d <= DIMENSION_MONEY_SIZE_HOUR && d != DIMENSION_MONEY) {
        static const char *const forms[] = {[DIMENSION_MONEY_TIME] = "AMOUNT/TIME",
                                            [DIMENSION_MONEY_SIZE] = "AMOUNT/SIZE",
                                            [DIMENSION_MONEY_SIZE_MONTH] = "AMOUNT/SIZE/TIME",
                                            [DIMENSION_MONEY_SIZE_HOUR] = "AMOUNT/SIZE/TIME"};
        used = (size_t)snprintf(out, cap, "%s, AMOUNT one of ", forms[d]);
        used = list_table(money, out, cap, used);
        if (d != DIMENSION_MONEY_TIME) {
            used += (size_t)snprintf(out + used, cap - used, ", SIZE of ");
            used = list_table(size, out, cap, used);
        }
        if (d != DIMENSION_MONEY_SIZE) {
            used += (size_t)snprintf(out + used, cap - used, ", TIME of ");
            used = list_table(hours, out, cap, used);
            if (d == DIMENSION_MONEY_TIME)
                snprintf(out + used, cap - used, " term");
        }
        return;
    }
    list_table(tables[d], out, cap, 0);
}
