/* SPDX-License-Identifier: MIT */
/* Collectors of OpenComputePrices whose columns do not say what they seem to, except the long ones (ocp_azure.c, ocp_parts.c). */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/ocp.h"

static const double hours_of_month = 730;

/* ---- getdeploying: "8x B200 8x B200 180GB (p6-b200.48xlarge)" ---- */

/* The second "8x …" repeats the first with more words. */
static const char *long_form(const char *type) {
    const char *first = strstr(type, "x ");
    for (const char *p = first ? first + 2 : type; *p; p++)
        if (isdigit((unsigned char)*p) && p > type && p[-1] == ' ') {
            char *end;
            strtol(p, &end, 10);
            if (end[0] == 'x' && end[1] == ' ')
                return p;
        }
    return type;
}

/* "80GB" -> 80. */
static double size_in_text(const char *s) {
    for (const char *p = strstr(s, "GB"); p; p = strstr(p + 2, "GB")) {
        const char *digits = p;
        double x;
        while (digits > s && isdigit((unsigned char)digits[-1]))
            digits--;
        if (digits < p && num_parse_plain(digits, (size_t)(p - digits), &x))
            return x;
    }
    return NUM_UNKNOWN;
}

static void settle_machine_name(struct ocp *c, const struct ocp_row *row, struct offer *f) {
    struct reader *r = &c->sky.base;
    const char *name = long_form(row->type), *open = strrchr(name, '('), *close = open ? strchr(open, ')') : NULL;
    size_t inside = close ? (size_t)(close - open - 1) : 0;
    f->machine = reader_text(r, name, strlen(name));
    if (inside == 0)
        return;
    uint32_t text = reader_text(r, open + 1, inside);
    if (strspn(open + 1, "0123456789") == inside)
        f->machine_id = text; /* an offer of a marketplace, which is soon gone */
    else if (reader_machine(r, f->provider, text))
        f->machine = text;
}

/* "Reserved (3mo) …": the term. */
static void settle_term(struct ocp *c, const char *billing, struct offer *f) {
    const char *open = strchr(billing, '(');
    int months;
    if (open && sscanf(open, "(%3dmo)", &months) == 1 && months > 0 && f->rate_kind == RATE_RESERVED)
        offer_extra_edit(c->sky.base.out, f)->term_h = months * hours_of_month;
}

static bool settle_getdeploying(struct ocp *c, const struct ocp_row *row, const cJSON *extra, struct offer *f) {
    const char *billing = json_string(extra, "billing", "");
    if (strncmp(row->type, "cheapest_", 9) == 0)
        return ocp_skip(c, "instance_type", "a summary of several offers, not a machine");
    if (text_contains_fold(billing, "starting price"))
        return ocp_skip(c, "price_per_hour", "where prices start, not what a machine costs");
    settle_machine_name(c, row, f);
    settle_term(c, billing, f);
    double each = size_in_text(long_form(row->type));
    if (num_known(each))
        f->vram_gb = (float)each;
    if (f->ram_gb < 8) { /* terabytes lost their unit */
        f->ram_gb = NAN;
        f->flags |= OFFER_RAM_SUSPECT;
    }
    if (strcmp(reader_str(&c->sky.base, f->provider), "vast") == 0)
        f->cpu_cores = NAN; /* of the whole host, not of the offer */
    return true;
}

/* ---- akash, coreweave, vultr ---- */

static bool settle_akash(struct ocp *c, const struct ocp_row *row, const cJSON *extra, struct offer *f) {
    (void)row, (void)extra, (void)f;
    return ocp_skip(c, "instance_type", "a statistic of a pool, not a machine");
}

/* Its list prices nodes, the collector wrote one GPU each (price list of CoreWeave, March 2026). */
static const struct {
    const char *type;
    int gpus;
} coreweave_nodes[] = {{"GB200 NVL72", 4}, {"GB300 NVL72", 4}, {"GH200", 1}};
enum { COREWEAVE_GPUS = 8 };

static bool settle_coreweave(struct ocp *c, const struct ocp_row *row, const cJSON *extra, struct offer *f) {
    (void)c, (void)extra;
    int gpus = COREWEAVE_GPUS;
    for (size_t i = 0; i < sizeof coreweave_nodes / sizeof *coreweave_nodes; i++)
        if (strcmp(coreweave_nodes[i].type, row->type) == 0)
            gpus = coreweave_nodes[i].gpus;
    if (f->gpus == 1 && gpus > 1) {
        f->gpus = (uint16_t)gpus;
        f->flags |= OFFER_COUNT_CONFLICT;
    }
    return true;
}

/* GPU memory of a plan is the sum: below one card it is a slice. */
static bool settle_vultr(struct ocp *c, const struct ocp_row *row, const cJSON *extra, struct offer *f) {
    static const struct {
        const char *card;
        double gb;
    } cards[] = {{"A100", 80},  {"A40", 48},  {"A16", 16},   {"L40S", 48},
                 {"GH200", 96}, {"H100", 80}, {"B200", 180}, {"MI300X", 192}};
    if (strstr(row->type, "_preemptible"))
        return ocp_skip(c, "instance_type", "repeats the on-demand price as a preemptible one");
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        if (strcmp(cards[i].card, row->card) != 0 || !num_known(row->memory_gb))
            continue;
        double share = row->memory_gb / cards[i].gb;
        f->gpus = share >= 1 ? (uint16_t)lround(share) : 1;
        f->gpu_fraction = share < 0.99 ? (float)share : 1;
        f->vram_gb = (float)(share < 0.99 ? row->memory_gb : cards[i].gb);
    }
    const cJSON *places = cJSON_GetObjectItemCaseSensitive(extra, "locations");
    if (cJSON_IsArray(places) && !places->child)
        f->available = TRI_NO; /* sold out everywhere */
    else if (cJSON_IsArray(places) && cJSON_IsString(places->child))
        f->region = reader_text(&c->sky.base, places->child->valuestring, strlen(places->child->valuestring));
    return true;
}

static const struct ocp_collector collectors[] = {
    {"akash", settle_akash},
    {"azure", ocp_settle_azure},
    {"coreweave", settle_coreweave},
    {"cudo", ocp_settle_cudo},
    {"getdeploying", settle_getdeploying},
    {"oracle", ocp_settle_oracle},
    {"tensordock", ocp_settle_tensordock},
    {"vultr", settle_vultr},
};

const struct ocp_collector *ocp_collector_find(const char *source) {
    for (size_t i = 0; i < sizeof collectors / sizeof *collectors; i++)
        if (strcmp(collectors[i].source, source) == 0)
            return &collectors[i];
    return NULL;
}
