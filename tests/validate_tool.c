/* SPDX-License-Identifier: MIT */
/* validate_tool json|csv|table|md FILE.csv [KEY=VALUE ...]: `gpuplan validate` without the program around it, for calibration. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/io/io.h"
#include "gpuplan/report/validate.h"

static int fail(const struct err *err) {
    char text[640];
    err_format(err, text, sizeof text);
    fprintf(stderr, "validate_tool: %s\n", text);
    return 2;
}

static int usage(void) {
    fputs("usage: validate_tool json|csv|table|md FILE.csv [KEY=VALUE ...]\n", stderr);
    return 2;
}

static bool set_assumption(struct assumptions *a, char *pair, struct err *err) {
    char *value = strchr(pair, '=');
    if (value == NULL) {
        return err_set(err, ERR_USAGE, "'%s' is not KEY=VALUE", pair);
    }
    *value++ = '\0';
    return assumptions_set(a, pair, value, err);
}

static void write_as(const struct validation *v, const char *format, struct buf *out) {
    if (strcmp(format, "json") == 0) {
        validation_to_json(v, out);
    } else if (strcmp(format, "csv") == 0) {
        validation_to_csv(v, out);
    } else if (strcmp(format, "md") == 0) {
        validation_to_markdown(v, 20, out);
    } else {
        validation_to_table(v, 20, out);
    }
}

int main(int argc, char **argv) {
    struct err err = {0};
    struct buf text = {0}, out = {0};
    struct assumptions a;
    struct measurements rows;
    struct catalog *catalog;
    struct models *models;
    struct validation *v;

    if (argc < 3) {
        return usage();
    }
    assumptions_init(&a);
    for (int i = 3; i < argc; i++) {
        if (!set_assumption(&a, argv[i], &err)) {
            return fail(&err);
        }
    }
    catalog = catalog_load(&err);
    models = catalog == NULL ? NULL : models_load(&err);
    if (models == NULL || !io_read(argv[2], IO_MAX_SMALL, &text, &err) ||
        !measurements_read(catalog, models, text.data, text.len, argv[2], &rows, &err)) {
        return fail(&err);
    }
    for (int i = 0; i < rows.warning_count; i++) {
        fprintf(stderr, "validate_tool: %s: %s\n", argv[2], rows.warnings[i]);
    }
    v = validation_new();
    validation_add(v, catalog, &rows, &a);
    write_as(v, argv[1], &out);
    fwrite(out.data, 1, out.len, stdout);
    validation_free(v);
    measurements_free(&rows);
    buf_free(&text);
    buf_free(&out);
    models_free(models);
    catalog_free(catalog);
    return 0;
}
