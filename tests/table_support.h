/* SPDX-License-Identifier: MIT */
/* The compiled-in tables that tests of estimates ask, loaded once a program. Include after support.h. */
#ifndef GPUPLAN_TESTS_TABLE_SUPPORT_H
#define GPUPLAN_TESTS_TABLE_SUPPORT_H

#include "gpuplan/estimate/estimate.h"

static struct catalog *catalog;
static struct models *models;
static struct assumptions assumptions; /* as the program ships them */

static inline int load_tables(void **state) {
    (void)state;
    catalog = catalog_load(NULL);
    models = models_load(NULL);
    assumptions_init(&assumptions);
    return catalog == NULL || models == NULL;
}

static inline int free_tables(void **state) {
    (void)state;
    models_free(models);
    catalog_free(catalog);
    return 0;
}

#endif
