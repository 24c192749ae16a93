/* SPDX-License-Identifier: MIT */
/*
 * Azure's retail price API: meters, not machines. What a type holds comes from the machine table; which meters are the price of
 * an hour of a Linux machine is decided here.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/payload.h"

static const double hours_of_year = 8760;

/* What stands in a name makes the meter another thing than a rented machine. */
static const struct {
    const char *key, *part, *why;
} others[] = {
    {"productName", "Windows", "price with a Windows licence"},
    {"productName", "Cloud Services", "a price of the classic cloud service, not of a virtual machine"},
    {"productName", "Dedicated Host", "a price of a dedicated host"},
    {"meterName", "Low Priority", "the old Low Priority meter beside the spot price"},
    {"skuName", "Low Priority", "the old Low Priority meter beside the spot price"},
};

static bool skip(struct payload *p, const char *field, const char *why) {
    reader_problem(&p->base, field, true, "%s", why);
    return false;
}

/* "1 Year", "3 Years" in hours. */
static double hours_of_term(const char *term) {
    size_t digits = strspn(term, "0123456789");
    double years;
    if (digits == 0 || !strstr(term, "Year") || !num_parse_plain(term, digits, &years) || years < 1 || years > 10)
        return NUM_UNKNOWN;
    return years * hours_of_year;
}

static bool is_spot(const cJSON *row) {
    return strstr(json_string(row, "meterName", ""), "Spot") || strstr(json_string(row, "skuName", ""), "Spot");
}

/* The price of an hour, and its kind. A reservation's figure is that of the whole term, whatever unit it names. */
static bool settle_price(struct payload *p, const cJSON *row, struct offer *f) {
    const char *type = json_string(row, "type", "Consumption");
    double price = payload_number(row, "retailPrice", 0, 1e9);
    double hours = hours_of_term(json_string(row, "reservationTerm", ""));
    if (!num_known(price))
        return skip(p, "retailPrice", "must be a number over 0");
    if (strcmp(type, "Reservation") == 0) {
        if (!num_known(hours))
            return skip(p, "reservationTerm", "price of a whole reservation, and its term is not stated");
        f->rate_kind = RATE_RESERVED;
        f->rate_microusd = money_micro(price / hours);
        offer_extra_edit(p->base.out, f)->term_h = hours;
        return true;
    }
    if (strcmp(type, "Consumption") != 0)
        return skip(p, "type", "a price for development and test subscriptions");
    if (strcmp(json_string(row, "unitOfMeasure", "1 Hour"), "1 Hour") != 0)
        return skip(p, "unitOfMeasure", "no price of an hour");
    if (price > PAYLOAD_MAX_USD_H)
        return skip(p, "retailPrice", "must be a number from 0 to 1000000");
    f->rate_kind = is_spot(row) ? RATE_SPOT : RATE_ON_DEMAND;
    f->rate_microusd = money_micro(price);
    return true;
}

/* "Standard_ND96isr_H100_v5": the families of GPUs (and of an FPGA) begin with N. */
static bool is_gpu_family(const char *sku) {
    const char *line = strchr(sku, '_');
    return line && line[1] == 'N';
}

static bool is_price_of_machine(struct payload *p, const cJSON *row) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(json_string(row, others[i].key, ""), others[i].part))
            return skip(p, others[i].key, others[i].why);
    if (json_number(row, "tierMinimumUnits", 0) > 0)
        return skip(p, "tierMinimumUnits", "the price of a volume");
    return true;
}

/* What a savings plan asks for an hour: a promise to pay for one or three years. */
static void add_plans(struct payload *p, const cJSON *row, const struct offer *on_demand) {
    const cJSON *plan;
    cJSON_ArrayForEach (plan, cJSON_GetObjectItemCaseSensitive(row, "savingsPlan")) {
        struct offer f = *on_demand;
        double price = payload_number(plan, "retailPrice", 0, PAYLOAD_MAX_USD_H);
        double hours = hours_of_term(json_string(plan, "term", ""));
        if (!(price > 0) || !num_known(hours))
            continue;
        f.id = 0;
        f.rate_kind = RATE_RESERVED;
        f.rate_microusd = money_micro(price);
        offer_extra_edit(p->base.out, &f)->term_h = hours;
        reader_add(&p->base, &f);
    }
}

static void read_row(struct payload *p, const cJSON *row) {
    const char *sku = json_string(row, "armSkuName", "");
    payload_row(p);
    if (!is_gpu_family(sku)) {
        reader_no_gpu(&p->base);
        return;
    }
    if (!is_price_of_machine(p, row))
        return;
    struct offer f = payload_offer(p);
    f.provider = reader_put(&p->base, "azure");
    f.machine = payload_text(p, row, "armSkuName");
    f.region = payload_text(p, row, "armRegionName");
    if (!settle_price(p, row, &f))
        return;
    if (!azure_settle_type(&p->base, &f)) {
        skip(p, "armSkuName", "a machine type whose GPUs are not known");
        return;
    }
    const char *currency = json_string(row, "currencyCode", "");
    if (strcmp(currency, "USD") != 0)
        offer_extra_edit(p->base.out, &f)->currency =
            *currency ? payload_text(p, row, "currencyCode") : reader_put(&p->base, "unknown");
    if (payload_add(p, &f, NUM_UNKNOWN, VRAM_OF_ONE) && f.rate_kind == RATE_ON_DEMAND)
        add_plans(p, row, &f);
}

bool azure_retail_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                       struct offers *out, struct err *err) {
    struct payload p;
    const cJSON *row;
    if (!payload_open(&p, ctx, bytes, len, name, "azure", out, err))
        return false;
    cJSON_ArrayForEach (row, cJSON_GetObjectItemCaseSensitive(p.tree, "Items")) {
        read_row(&p, row);
    }
    if (*json_string(p.tree, "NextPageLink", ""))
        reader_problem(&p.base, "NextPageLink", false, "one page of several: the others are not in this file");
    payload_close(&p);
    return true;
}

int azure_retail_recognise(const char *bytes, size_t len) {
    static const char *const keys[] = {"Items", "armSkuName", "retailPrice", "meterName", NULL};
    return payload_has(bytes, len, keys) ? 95 : 0;
}
