/* SPDX-License-Identifier: MIT */
/* The table of formats, and the choice among them by content. */
#include "gpuplan/listing/source.h"

#include <string.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/i18n.h"
#include "listing/reader.h"

enum { SNIFF_BYTES = 65536, CERTAIN_ENOUGH = 20 };

static const struct listing_source sources[] = {
    {
        .name = "gpuplan-csv",
        .label = N_("gpuplan CSV"),
        .about = N_("Our own format, for spreadsheets: one offer a row, unknown fields empty, other columns are kept."),
        .recognise = gpuplan_csv_recognise,
        .read = gpuplan_csv_read,
    },
    {
        .name = "gpuplan-jsonl",
        .label = N_("gpuplan JSON Lines"),
        .about = N_("Our own format, for programs: one JSON object a line with the same fields as the CSV."),
        .recognise = gpuplan_jsonl_recognise,
        .read = gpuplan_jsonl_read,
    },
    {
        .name = "skypilot",
        .label = N_("SkyPilot catalogue"),
        .about = N_(
            "CATALOG/CLOUD/vms.csv of the SkyPilot catalogue. Known faults: GPU memory per card, per machine or host "
            "memory in one column; GCP prices of GPUs and host in separate rows; wrong counts; filler spot prices; "
            "European lists in EUR without a word."),
        .recognise = skypilot_recognise,
        .read = skypilot_read,
    },
    {
        .name = "opencomputeprices",
        .label = N_("OpenComputePrices"),
        .about =
            N_("Collected price lists of many providers. Known faults: prices of a whole reservation term as hourly "
               "ones, summaries and statistics as machines, prices of a GPU without its host, one GPU for a node."),
        .recognise = opencomputeprices_recognise,
        .read = opencomputeprices_read,
    },
    {
        .name = "vast",
        .label = N_("Vast.ai offers"),
        .about =
            N_("Answers of the bundles API, of \"vastai search offers --raw\", or of a mirror. Known faults: slices of "
               "one "
               "machine are offers of their own, a bandwidth of 0 means not measured, bids above the price, memory in "
               "MiB under the name of MB, prices with a disk of a few GB."),
        .recognise = vast_recognise,
        .read = vast_read,
    },
};
enum { SOURCE_COUNT = sizeof sources / sizeof *sources };

const struct listing_source *listing_sources(size_t *count) {
    *count = SOURCE_COUNT;
    return sources;
}

static bool fail(struct err *err, const char *name, const char *text) {
    err_set(err, ERR_DATA, "%s", text);
    return err_at(err, name, 0, 0, NULL);
}

static const struct listing_source *recognise(const char *bytes, size_t len) {
    const struct listing_source *best = NULL;
    int best_score = CERTAIN_ENOUGH - 1;
    for (size_t i = 0; i < SOURCE_COUNT; i++) {
        int score = sources[i].recognise(bytes, len < SNIFF_BYTES ? len : SNIFF_BYTES);
        if (score > best_score) {
            best = &sources[i];
            best_score = score;
        }
    }
    return best;
}

static bool unknown_format(struct err *err, const char *name) {
    struct buf names = {0};
    for (size_t i = 0; i < SOURCE_COUNT; i++)
        buf_printf(&names, "%s%s", i ? ", " : "", sources[i].name);
    err_set(err, ERR_DATA, "no listing format that is known (%s)", names.data);
    buf_free(&names);
    return err_at(err, name, 0, 0, NULL);
}

bool listing_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                  struct offers *out, struct err *err) {
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    if (len >= 3 && memcmp(bytes, byte_order_mark, 3) == 0) {
        bytes += 3;
        len -= 3;
    }
    if (len == 0)
        return fail(err, name, "the file is empty");
    if (len >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
        return fail(err, name, "text is UTF-16; save it as UTF-8");
    if (memchr(bytes, '\0', len < SNIFF_BYTES ? len : SNIFF_BYTES))
        return fail(err, name, "a binary file, not a listing");
    const struct listing_source *source = recognise(bytes, len);
    size_t before = out->rows_read;
    if (!source)
        return unknown_format(err, name);
    if (!source->read(ctx, bytes, len, name, out, err))
        return false;
    if (out->rows_read == before)
        offers_problem(out, name, 0, 0, "", "there is no row below the header", false);
    return true;
}
