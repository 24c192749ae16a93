/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/text.h"
#include "gpuplan/decide/memo.h"
#include "gpuplan/listing/source.h"
#include "gpuplan/report/report.h"

static struct catalog *catalog;
static struct providers *providers;
static struct models *models;
static struct job job;
static struct assumptions assumptions;

static void set_up(void) {
    struct workload w;
    struct err err = {0};
    catalog = catalog_load(NULL);
    providers = providers_load(NULL);
    models = models_load(NULL);
    assumptions_init(&assumptions);
    workload_init(&w);
    FUZZ_ASSERT(workload_set(&w, "preset", "lora-8b", &err) && workload_set(&w, "spot", "yes", &err));
    FUZZ_ASSERT(workload_set(&w, "nodes_max", "2", &err) && job_resolve(&w, models, &job, &err));
}

static void check_row(struct ranking *r, size_t i) {
    struct candidate c;
    double sum = 0;
    ranking_candidate(r, ranking_at(r, i), &c);
    for (int k = 0; k < COST_PART_COUNT; k++)
        sum += c.cost.part_usd[k];
    FUZZ_ASSERT(fabs(sum - c.cost.usd.expected) <= 1e-9 * fabs(sum) + 1e-12);
    FUZZ_ASSERT(isfinite(c.cost.usd.high) && c.cost.usd.low <= c.cost.usd.expected &&
                c.cost.usd.expected <= c.cost.usd.high);
    FUZZ_ASSERT(isfinite(c.cost.time_h.high) && c.cost.time_h.low <= c.cost.time_h.expected &&
                c.cost.time_h.expected <= c.cost.time_h.high);
    FUZZ_ASSERT(c.risk.expected_extra_usd >= 0 && c.risk.probability_worse >= 0 &&
                c.risk.probability_worse <= 1 + 1e-9);
    FUZZ_ASSERT(i == 0 || ranking_at(r, i)->cls >= ranking_at(r, i - 1)->cls);
}

/* Whatever a listing says, the ranking of it is finite, adds up and can be written in every form. */
FUZZ(rank)
{
    struct err err = {0};
    if (catalog == NULL)
        set_up();
    const struct listing_context context = {.catalog = catalog, .providers = providers};
    struct offers *offers = offers_new();
    if (listing_read(&context, bytes, len, "fuzz", offers, &err) && offers->count < 200) {
        listing_check(&context, offers);
        const struct question q = {.catalog = catalog,
                                   .providers = providers,
                                   .offers = offers,
                                   .job = &job,
                                   .assumptions = &assumptions,
                                   .now = 1774396800};
        struct memo *memo = memo_new();
        struct ranking *r = ranking_new(&q, memo);
        struct buf out = {0};
        ranking_run(r);
        FUZZ_ASSERT(ranking_count(r) + ranking_refused_count(r) == offers->count);
        for (size_t i = 0; i < ranking_count(r); i++)
            check_row(r, i);
        const struct view_rows v = {.ranking = r, .count = ranking_count(r)};
        const struct report_context ctx = {&q, r, offers, "answer"};
        report_json(&out, &ctx, &v);
        cJSON *tree = json_parse(out.data, out.len, "rank", &err);
        FUZZ_ASSERT(tree != NULL);
        cJSON_Delete(tree);
        buf_clear(&out);
        report_table(&out, &ctx, &v, &(struct style){.width = 80, .ascii = true});
        FUZZ_ASSERT(strchr(out.data, '\033') == NULL);
        buf_free(&out);
        ranking_free(r);
        memo_free(memo);
    }
    offers_free(offers);
    return 0;
}
