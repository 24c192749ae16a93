/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <math.h>
#include <time.h>

#include "gpuplan/base/csv.h"
#include "gpuplan/base/data.h"
#include "gpuplan/workload/job.h"

static struct models *models;

static int load(void **state) {
    struct err err = {0};
    (void)state;
    models = models_load(&err);
    if (models == NULL)
        print_error("%s:%ld %s: %s\n", err.file, err.line, err.field, err.text);
    return models == NULL;
}

static int unload(void **state) {
    (void)state;
    models_free(models);
    return 0;
}

/* ---- models ---- */

static double cell(const struct csv_table *t, size_t row, const char *column) {
    double x = csv_table_number(t, row, csv_table_column(t, column));
    return num_known(x) ? x : 0;
}

/* Every row of the table: the count from its shape is the published one within 1 %. */
static void counts_agree_with_published_totals(void **state) {
    struct blob blob;
    (void)state;
    assert_true(data_builtin("models.csv", &blob));
    struct csv_table *t = csv_table_read(blob.bytes, blob.len, "models.csv", NULL);
    assert_non_null(t);
    assert_int_equal(csv_table_rows(t), models_count(models));
    assert_true(csv_table_rows(t) >= 90);
    for (size_t i = 0; i < csv_table_rows(t); i++) {
        const struct model *m = models_at(models, i);
        double published = cell(t, i, "params_b") - cell(t, i, "outside_b");
        double counted = model_count(m).total / 1e9;
        if (!(fabs(counted / published - 1) < 0.01))
            fail_msg("%s: %.4f billion counted, %.4f published", m->name, counted, published);
    }
    csv_table_free(t);
}

/* Half the world prints two digits, and some cut instead of rounding: within 1 % or one unit of the last digit. */
static void active_counts_agree_with_published_ones(void **state) {
    struct blob blob;
    int compared = 0;
    (void)state;
    assert_true(data_builtin("models.csv", &blob));
    struct csv_table *t = csv_table_read(blob.bytes, blob.len, "models.csv", NULL);
    for (size_t i = 0; i < csv_table_rows(t); i++) {
        const char *text = csv_table_cell(t, i, csv_table_column(t, "active_params_b"));
        const char *how = csv_table_cell(t, i, csv_table_column(t, "active_counts"));
        double published = cell(t, i, "active_params_b");
        struct model_counts c = model_count(models_at(models, i));
        if (text[0] == '\0')
            continue;
        double counted = c.active;
        if (strcmp(how, "all") != 0)
            counted -= c.embedding;
        if (strcmp(how, "no_table") == 0)
            counted -= c.head;
        const char *point = strchr(text, '.');
        double unit = point != NULL ? pow(10, -(double)strlen(point + 1)) : 1;
        compared++;
        if (!(fabs(counted / 1e9 - published) < fmax(0.01 * published, unit)))
            fail_msg("%s: %.3f billion active counted, %s published", models_at(models, i)->name, counted / 1e9, text);
    }
    assert_true(compared >= 15);
    csv_table_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_agree_with_published_totals),
        cmocka_unit_test(active_counts_agree_with_published_ones),
    };
    return cmocka_run_group_tests_name("workload", tests, load, unload);
}
