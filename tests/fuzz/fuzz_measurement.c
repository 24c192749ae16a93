/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <math.h>

#include "gpuplan/base/text.h"
#include "gpuplan/report/validate.h"

/* Whatever a file says, each row is predicted with a usable range or has a reason why not. */
FUZZ(measurement)
{
    static struct catalog *catalog;
    static struct models *models;
    static struct assumptions assumptions;
    struct measurements rows;
    struct err err = {0};
    struct buf out = {0};

    if (catalog == NULL) {
        catalog = catalog_load(NULL);
        models = models_load(NULL);
        assumptions_init(&assumptions);
    }
    if (!measurements_read(catalog, models, bytes, len, "fuzz.csv", &rows, &err)) {
        FUZZ_ASSERT(err.code != ERR_NONE && err.text[0] != '\0' && rows.rows == NULL);
        return 0;
    }
    struct validation *v = validation_new();
    for (size_t i = 0; i < rows.count; i++) {
        struct prediction p;
        FUZZ_ASSERT(text_is_clean(rows.rows[i].id, strlen(rows.rows[i].id)));
        measurement_predict(catalog, &rows.rows[i], &assumptions, &p);
        if (p.why == NULL && rows.rows[i].metric != METRIC_FITS) {
            FUZZ_ASSERT(p.value.low > 0 && p.value.low <= p.value.expected && p.value.expected <= p.value.high &&
                        isfinite(p.value.high));
        }
        validation_add_row(v, &rows.rows[i], &p);
    }
    validation_to_json(v, &out);
    validation_to_csv(v, &out);
    validation_to_table(v, 0, &out);
    FUZZ_ASSERT(out.len > 0);
    buf_free(&out);
    validation_free(v);
    measurements_free(&rows);
    return 0;
}
