/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/io/io.h"
#include "gpuplan/report/validate.h"

static bool read_file(struct cli *c, const char *path, struct measurements *out) {
    struct buf bytes = {0};
    struct err err = {0};
    bool good = io_read(path, IO_MAX_SMALL, &bytes, &err) &&
                measurements_read(c->catalog, c->models, bytes.data ? bytes.data : "", bytes.len, path, out, &err);
    buf_free(&bytes);
    if (!good)
        return cli_fail(c, &err);
    for (int i = 0; i < out->warning_count; i++)
        cli_warn(c, "%s: %s", path, out->warnings[i]);
    return true;
}

static void put(const struct cli *c, const struct validation *v, int top, struct buf *b) {
    switch (c->format) {
    case FORMAT_JSON:
        validation_to_json(v, b);
        break;
    case FORMAT_CSV:
        validation_to_csv(v, b);
        break;
    case FORMAT_MD:
        validation_to_markdown(v, top, b);
        break;
    default:
        validation_to_table(v, top, b);
    }
}

int cmd_validate(struct cli *c) {
    double top;
    if (!cli_number(c, OPTION_TOP, 20, 0, 1e9, &top) || !cli_need_hardware(c) || !cli_need_models(c) ||
        !cli_need_assumptions(c))
        return c->status;
    int count = c->args.word_count, read = 0;
    struct measurements *files = mem_zero((size_t)count, sizeof *files);
    struct validation *v = validation_new();
    for (; read < count; read++) {
        if (!read_file(c, c->args.words[read], &files[read]))
            break;
        validation_add(v, c->catalog, &files[read], &c->assumptions);
    }
    int status = c->status;
    if (read == count) {
        struct buf b = {0};
        put(c, v, (int)top, &b);
        status = cli_write(c, &b, STATUS_DONE);
        buf_free(&b);
    }
    validation_free(v);
    for (int i = 0; i < read; i++)
        measurements_free(&files[i]);
    free(files);
    return status;
}
