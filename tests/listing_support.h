/* SPDX-License-Identifier: MIT */
/* For the tests of listing/: the tables of data/, and offers from a text or a recorded file. */
#ifndef GPUPLAN_TESTS_LISTING_SUPPORT_H
#define GPUPLAN_TESTS_LISTING_SUPPORT_H

#include "support.h"

#include <math.h>

#include "gpuplan/base/csv.h"
#include "gpuplan/base/data.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/io/io.h"
#include "gpuplan/listing/source.h"
#include "gpuplan/listing/when.h"

static struct listing_context context;
static struct catalog *tables;
static struct providers *facts;

static int load_tables(void **state) {
    struct err err = {0};
    (void)state;
    tables = catalog_load(&err);
    facts = providers_load(&err);
    context = (struct listing_context){.catalog = tables, .providers = facts};
    return tables != NULL && facts != NULL ? 0 : -1;
}

static int free_tables(void **state) {
    (void)state;
    catalog_free(tables);
    providers_free(facts);
    return 0;
}

static inline const struct catalog *catalog(void) {
    return tables;
}

/* Read and checked. */
static inline struct offers *load_named(const char *text, const char *name) {
    struct err err = {0};
    struct offers *o = offers_new();
    if (!listing_read(&context, text, strlen(text), name, o, &err))
        fail_msg("%s", err.text);
    listing_check(&context, o);
    return o;
}

static inline struct offers *load(const char *text) {
    return load_named(text, "test.csv");
}

/* One of the recorded listings, read into `o` (not checked). */
static inline void read_recorded(struct offers *o, const char *name) {
    struct err err = {0};
    struct buf bytes = {0};
    const char *path = test_shared(name);
    if (!io_read(path, IO_MAX_LISTING, &bytes, &err) || !listing_read(&context, bytes.data, bytes.len, path, o, &err))
        fail_msg("%s: %s", name, err.text);
    buf_free(&bytes);
}

static inline struct offers *load_recorded(const char *name) {
    struct offers *o = offers_new();
    read_recorded(o, name);
    listing_check(&context, o);
    return o;
}

static inline const struct offer *find(const struct offers *o, const char *id) {
    const struct offer *f = offers_find(o, id);
    if (f == NULL)
        fail_msg("no offer %s", id);
    return f;
}

static inline bool has_problem(const struct offers *o, const char *field, const char *part) {
    for (size_t i = 0; i < o->problem_count; i++)
        if (strcmp(offers_text(o, o->problems[i].field), field) == 0 &&
            strstr(offers_text(o, o->problems[i].text), part) != NULL)
            return true;
    return false;
}

static inline const char *gpu_of(const struct offer *f) {
    return f->gpu < 0 ? "(unknown)" : catalog_gpu(tables, (size_t)f->gpu)->name;
}

#endif
