/* SPDX-License-Identifier: MIT */
/* For the tests of decide/ and report/: a ranking from the text of a listing and fields of a workload. */
#ifndef GPUPLAN_TESTS_DECIDE_SUPPORT_H
#define GPUPLAN_TESTS_DECIDE_SUPPORT_H

#include "support.h"

#include <math.h>

#include "gpuplan/decide/decide.h"
#include "gpuplan/decide/filter.h"
#include "gpuplan/decide/memo.h"
#include "gpuplan/listing/source.h"

static struct catalog *tables;
static struct providers *facts;
static struct models *presets;

static int load_tables(void **state) {
    struct err err = {0};
    (void)state;
    tables = catalog_load(&err);
    facts = providers_load(&err);
    presets = models_load(&err);
    return tables && facts && presets ? 0 : -1;
}

static int free_tables(void **state) {
    (void)state;
    catalog_free(tables);
    providers_free(facts);
    models_free(presets);
    return 0;
}

struct world {
    struct offers *offers;
    struct job job;
    struct assumptions assumptions;
    struct question q;
    struct memo *memo;
    struct ranking *r;
};

#define LISTING_HEAD \
    "id,provider,machine,gpu,gpus,rate_usd_h,rate_basis,rate_kind,region,ram_gb,disk_local_gb,available"

/* fields: "preset=lora-8b", "spot=yes", NULL. The ranking is not run. */
static inline void world_make(struct world *w, const char *listing, const char *const *fields) {
    struct err err = {0};
    struct workload work;
    const struct listing_context context = {.catalog = tables, .providers = facts};
    memset(w, 0, sizeof *w);
    workload_init(&work);
    for (; *fields; fields++)
        if (!workload_set_pair(&work, *fields, &err))
            fail_msg("%s: %s", *fields, err.text);
    if (!job_resolve(&work, presets, &w->job, &err))
        fail_msg("%s: %s", err.field, err.text);
    w->offers = offers_new();
    if (!listing_read(&context, listing, strlen(listing), "test.csv", w->offers, &err))
        fail_msg("%s", err.text);
    listing_check(&context, w->offers);
    assumptions_init(&w->assumptions);
    w->q = (struct question){.catalog = tables,
                             .providers = facts,
                             .offers = w->offers,
                             .job = &w->job,
                             .assumptions = &w->assumptions,
                             .goal = GOAL_COST};
    w->memo = memo_new();
}

static inline void world_start(struct world *w) {
    w->r = ranking_new(&w->q, w->memo);
}

static inline void world_free(struct world *w) {
    ranking_free(w->r);
    memo_free(w->memo);
    offers_free(w->offers);
}

#define WORLD(w, listing, ...)                             \
    do {                                                   \
        const char *const fields_[] = {__VA_ARGS__, NULL}; \
        world_make(w, listing, fields_);                   \
        world_start(w);                                    \
        ranking_run((w)->r);                               \
    } while (0)

/* The candidate of one offer, or its refusal. */
static inline struct candidate look_at(struct world *w, const char *id) {
    struct candidate c;
    if (!ranking_explain(w->r, id, 0, &c, NULL))
        fail_msg("no offer %s", id);
    return c;
}

static inline const char *id_at(const struct world *w, size_t i) {
    return offers_text(w->offers, w->offers->items[ranking_at(w->r, i)->offer].id);
}

static inline void assert_near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("got %.12g, wanted %.12g +- %.3g", got, want, tolerance);
}

#endif
