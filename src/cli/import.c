/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/listing/source.h"

static bool ends_with(const char *s, const char *end) {
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static bool wants_jsonl(const char *path) {
    return path && (ends_with(path, ".jsonl") || ends_with(path, ".jsonl.gz"));
}

int cmd_import(struct cli *c) {
    bool explained = args_has(&c->args, OPTION_EXPLAIN);
    struct buf b = {0};
    if (explained)
        c->explain = listing_explain_new();
    bool good = cli_need_offers(c);
    if (explained)
        import_explain(c);
    if (!good)
        return c->status;
    import_tally(c);
    if (wants_jsonl(args_text(&c->args, OPTION_OUTPUT, NULL)))
        listing_write_jsonl(c->catalog, c->offers, &b);
    else
        listing_write_csv(c->catalog, c->offers, &b);
    int status = cli_write(c, &b, STATUS_DONE);
    buf_free(&b);
    return status;
}
