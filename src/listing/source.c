/* SPDX-License-Identifier: MIT */
/* The table of formats, and the choice among them by content. */
#include "gpuplan/listing/source.h"

#include <stdio.h>
#include <string.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/i18n.h"
#include "listing/held.h"
#include "listing/mapping.h"
#include "listing/oci.h"
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
        .name = "spreadsheet",
        .label = N_("any spreadsheet"),
        .about = N_("A table whose header names the GPU and a price that says whether it is per GPU or per machine, "
                    "per hour or "
                    "month, and in which currency. What it does not say is not guessed: such a file is refused."),
        .recognise = spreadsheet_recognise,
        .read = spreadsheet_read,
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
    {
        .name = "gpuhunt",
        .label = N_("gpuhunt catalogue"),
        .about = N_("CSV of one provider, also inside its zip. Known faults: the form of a card was thrown away (SXM "
                    "or PCIe), GB "
                    "and GiB of memory are mixed, a row of an offline provider says nothing about availability."),
        .recognise = gpuhunt_recognise,
        .read = gpuhunt_read,
    },
    {
        .name = "azure-retail",
        .label = N_("Azure retail prices"),
        .about = N_(
            "Answers of the retail price API. Known faults: no counts and no GPUs, only machine types; the price of a "
            "reservation is that of its whole term; Windows, Low Priority and test prices among the others."),
        .recognise = azure_retail_recognise,
        .read = azure_retail_read,
    },
    {
        .name = "vantage",
        .label = N_("Vantage EC2 instances"),
        .about = N_(
            "instances.json of ec2instances.info. Known faults: GPU memory is the sum of the machine, regions in China "
            "are priced in CNY without a word, the spot price is an average."),
        .recognise = vantage_recognise,
        .read = vantage_read,
    },
    {
        .name = "aws-gpu",
        .label = N_("AWS GPU list"),
        .about =
            N_("The GPU machines of AWS as a list. Known faults: GPU memory of one card or of all, wrong card names, "
               "reserved prices without their term."),
        .recognise = aws_gpu_recognise,
        .read = aws_gpu_read,
    },
    {
        .name = "tensordock",
        .label = N_("TensorDock"),
        .about = N_("Locations, or host nodes of the older API: GPUs, vCPUs, memory and disk priced apart. A host that "
                    "suits the "
                    "GPUs is chosen and named."),
        .recognise = tensordock_recognise,
        .read = tensordock_read,
    },
    {
        .name = "cudo",
        .label = N_("CUDO Compute"),
        .about = N_("Machine types priced by component, as texts. A host that suits the GPUs is chosen and named."),
        .recognise = cudo_recognise,
        .read = cudo_read,
    },
    {
        .name = "oci",
        .label = N_("Oracle Cloud"),
        .about = N_("shapes.json and products.json of the cost estimator, in one folder or with one -l each: a shape "
                    "costs the sum "
                    "of its parts. A preemptible shape costs half, by rule."),
        .recognise = oci_recognise,
        .read = oci_read,
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

/* A format that recognised the bytes: code, or a mapping. */
struct choice {
    const struct listing_source *code;
    const struct mapping *mapping;
    const struct mapping_shape *shape;
    int score;
};

static const char *choice_name(const struct choice *c) {
    return c->code ? c->code->name : c->mapping ? mapping_name(c->mapping) : "";
}

static void offer_choice(struct choice *best, struct choice *second, const struct choice *c) {
    if (c->score > best->score) {
        *second = *best;
        *best = *c;
    } else if (c->score > second->score) {
        *second = *c;
    }
}

/* Who tries a mapping wants to know what it lacks. */
static void report_misfit(struct offers *out, const char *name, const struct mapping *m, const char *missing) {
    char text[200];
    if (*missing)
        snprintf(text, sizeof text, "mapping %s does not fit: \"%s\" is not there", mapping_name(m), missing);
    else
        snprintf(text, sizeof text, "mapping %s does not fit: another kind of file", mapping_name(m));
    offers_problem(out, name, 0, 0, "", text, false);
}

static struct choice recognise(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                               struct offers *out, struct choice *second) {
    struct choice best = {.score = CERTAIN_ENOUGH - 1};
    size_t seen = len < SNIFF_BYTES ? len : SNIFF_BYTES;
    *second = (struct choice){0};
    for (size_t i = 0; i < SOURCE_COUNT; i++) {
        const struct choice c = {.code = &sources[i], .score = sources[i].recognise(bytes, seen)};
        offer_choice(&best, second, &c);
    }
    for (size_t i = 0; i < mappings_count(ctx->mappings); i++) {
        const struct mapping *m = mappings_at(ctx->mappings, i);
        const char *missing = "";
        struct choice c = {.mapping = m};
        c.score = mapping_recognise(m, bytes, seen, &c.shape, &missing);
        if (c.score == 0 && mapping_origin(m) == MAPPING_TRIED)
            report_misfit(out, name, m, missing);
        offer_choice(&best, second, &c);
    }
    return best;
}

static bool unknown_format(const char *bytes, size_t len, struct err *err, const char *name) {
    struct buf what = {0};
    held_describe(bytes, len < SNIFF_BYTES ? len : SNIFF_BYTES, &what);
    err_set(err, ERR_DATA, "no listing format that is known (a mapping file adds one); it holds %s",
            what.data ? what.data : "nothing");
    buf_free(&what);
    return err_at(err, name, 0, 0, NULL);
}

static struct explain_file *explain_choice(const struct listing_context *ctx, const char *name,
                                           const struct choice *best, const struct choice *second) {
    struct explain_file *e = listing_explain_begin(ctx->explain, name);
    if (!e)
        return NULL;
    e->source = listing_explain_text(ctx->explain, choice_name(best), strlen(choice_name(best)));
    e->runner_up = listing_explain_text(ctx->explain, choice_name(second), strlen(choice_name(second)));
    e->score = best->score;
    e->runner_up_score = second->score;
    e->by_mapping = best->mapping != NULL;
    if (best->mapping)
        e->mapping =
            listing_explain_text(ctx->explain, mapping_file(best->mapping), strlen(mapping_file(best->mapping)));
    return e;
}

/* A listing that was read and has nothing for us: what was in it. */
static void say_what_it_held(const struct offers *before, struct offers *out, const char *name) {
    size_t rows = out->rows_read - before->rows_read, no_gpu = out->rows_no_gpu - before->rows_no_gpu,
           skipped = out->rows_skipped - before->rows_skipped;
    char text[160];
    if (out->count > before->count || oci_is_waiting(out) || (rows > 0 && skipped == rows))
        return; /* what was left out has its reasons already */
    if (rows == 0)
        snprintf(text, sizeof text, "no GPU offer in it: there is no row below the header, or the list is empty");
    else
        snprintf(text, sizeof text, "no GPU offer in it: %zu rows, %zu of them machines without a GPU, %zu left out",
                 rows, no_gpu, skipped);
    offers_problem(out, name, 0, 0, "", text, false);
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
    struct choice second, best = recognise(ctx, bytes, len, name, out, &second);
    const struct offers before = *out;
    if (!best.code && !best.mapping)
        return unknown_format(bytes, len, err, name);
    struct explain_file *e = explain_choice(ctx, name, &best, &second);
    bool good = best.code ? best.code->read(ctx, bytes, len, name, out, err)
                          : mapping_read(best.mapping, best.shape, ctx, bytes, len, name, out, err);
    if (e) {
        e->index = (unsigned)(out->file_count - 1);
        e->rows = out->rows_read - before.rows_read;
        e->skipped = out->rows_skipped - before.rows_skipped;
    }
    if (!good)
        return false;
    say_what_it_held(&before, out, name);
    return true;
}
