/* SPDX-License-Identifier: MIT */
/* Recorded payloads, read by the bundled mappings: what becomes of the rows, and rows that were compared with the text by eye. */
#include "listing_support.h"

static struct mappings *bundled;

static int load_mappings(void **state) {
    struct err err = {0};
    if (load_tables(state) != 0)
        return -1;
    bundled = mappings_load(&err);
    if (!bundled)
        fprintf(stderr, "%s: %s: %s\n", err.file, err.field, err.text);
    context.mappings = bundled;
    return bundled ? 0 : -1;
}

static int free_mappings(void **state) {
    mappings_free(bundled);
    return free_tables(state);
}

/* rows read = offers without a spot price of their own + skipped; flagged of all offers. */
static const struct {
    const char *file, *source;
    size_t rows, good, flagged, skipped;
} tallies[] = {
    {"listings/runpod/gputypes.json", "runpod", 71, 63, 3, 5},
};

static void every_row_is_accounted_for(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof tallies / sizeof *tallies; i++) {
        struct offers *o = load_recorded(tallies[i].file);
        size_t good = 0;
        assert_true(o->count > 0);
        assert_string_equal(offers_text(o, o->items[0].source), tallies[i].source);
        for (size_t k = 0; k < o->count; k++) {
            good += o->items[k].flags == 0;
            assert_true(o->items[k].rate_microusd > 0 && o->items[k].provider != 0);
        }
        if (o->rows_read != tallies[i].rows || good != tallies[i].good || o->count - good != tallies[i].flagged ||
            o->rows_skipped != tallies[i].skipped)
            fail_msg("%s: %zu rows, %zu good, %zu flagged, %zu left out", tallies[i].file, o->rows_read, good,
                     o->count - good, o->rows_skipped);
        offers_free(o);
    }
}

/* As they stand in the files; rates for the whole machine, 0 = not stated. */
static const struct {
    const char *file, *id, *gpu;
    int gpus;
    double usd_h, vram, cpu, ram;
    const char *region;
    enum tri available;
    enum rate_kind kind;
} rows[] = {
#define RUNPOD "listings/runpod/gputypes.json"
    {RUNPOD, "runpod:runpod:A100_SXM_secure", "A100-SXM4-80GB", 1, 1.49, 80, 0, 0, "", TRI_YES, RATE_ON_DEMAND},
    {RUNPOD, "runpod:runpod:A100_SXM_community", "A100-SXM4-80GB", 1, 1.39, 80, 0, 0, "", TRI_YES, RATE_ON_DEMAND},
    {RUNPOD, "runpod:runpod:H200_SXM_community", "H200-SXM5-141GB", 1, 3.59, 141, 0, 0, "", TRI_YES, RATE_ON_DEMAND},
    {RUNPOD, "runpod:runpod:RTX_4090_community", "RTX-4090", 1, 0.34, 24, 0, 0, "", TRI_UNKNOWN, RATE_ON_DEMAND},
    {RUNPOD, "runpod:runpod:A40_secure", "A40", 1, 0.44, 48, 0, 0, "", TRI_UNKNOWN, RATE_ON_DEMAND},
#define LAMBDA "listings/lambda/instance-types_2026-08-15.json"
#define LAMBDA_OLD "listings/lambda/instance-types_older_shape.json"
    {LAMBDA, "lambda:lambda:gpu_1x_a100_sxm4:us-east-1", "A100-SXM4-40GB", 1, 1.99, 0, 30, 220, "us-east-1", TRI_YES,
     RATE_ON_DEMAND},
    {LAMBDA, "lambda:lambda:gpu_1x_a100_sxm4:us-west-2", "A100-SXM4-40GB", 1, 1.99, 0, 30, 220, "us-west-2", TRI_YES,
     RATE_ON_DEMAND},
    {LAMBDA, "lambda:lambda:gpu_1x_gh200:us-east-3", "GH200-96GB", 1, 2.29, 0, 64, 432, "us-east-3", TRI_YES,
     RATE_ON_DEMAND},
    {LAMBDA, "lambda:lambda:gpu_1x_h100_sxm5", "H100-SXM5-80GB", 1, 4.29, 0, 26, 225, "", TRI_NO, RATE_ON_DEMAND},
    {LAMBDA_OLD, "lambda:lambda:gpu_8x_h100_sxm5:us-east-1", "H100-SXM5-80GB", 8, 35.92, 80, 208, 1800, "us-east-1",
     TRI_YES, RATE_ON_DEMAND},
    {LAMBDA_OLD, "lambda:lambda:gpu_1x_a10:us-west-1", "A10", 1, 0.75, 0, 30, 200, "us-west-1", TRI_YES,
     RATE_ON_DEMAND},
    {LAMBDA_OLD, "lambda:lambda:gpu_8x_a100", "A100-SXM4-40GB", 8, 15.92, 0, 124, 1800, "", TRI_NO, RATE_ON_DEMAND},
#define SHADEFORM "listings/shadeform/instances_types_excerpt.json"
    {SHADEFORM, "shadeform:verda:B300x8:helsinki-finland-2", "B300-SXM-288GB", 8, 61.64, 0, 240, 2040,
     "helsinki-finland-2", TRI_NO, RATE_ON_DEMAND},
    {SHADEFORM, "shadeform:lambda:B200x8:dulles-usa-1", "B200-SXM-180GB", 8, 53.52, 0, 0, 0, "dulles-usa-1", TRI_NO,
     RATE_ON_DEMAND},
    {SHADEFORM, "shadeform:lambda:B200x8:dulles-usa-1:spot", "B200-SXM-180GB", 8, 26.76, 0, 0, 0, "dulles-usa-1",
     TRI_YES, RATE_SPOT},
    {SHADEFORM, "shadeform:lambda:B200x1", "B200-SXM-180GB", 1, 6.99, 0, 0, 0, "", TRI_UNKNOWN, RATE_ON_DEMAND},
    {SHADEFORM, "shadeform:massedcompute:A100x8", "A100-SXM4-80GB", 8, 10, 0, 0, 0, "", TRI_UNKNOWN, RATE_ON_DEMAND},
    {"listings/shadeform/clusters_types_docs_example.json", "shadeform-clusters:denvr:H100_80GB_SXM_8x:houston-usa-1",
     "H100-SXM5-80GB", 8, 14, 80, 208, 940, "houston-usa-1", TRI_YES, RATE_ON_DEMAND},
#define PRIME "listings/primeintellect/availability_response.json"
    {PRIME, "primeintellect:runpod:NVIDIA_A100_80GB_PCIe:US-KS-2", "A100-PCIe-80GB", 1, 1.6568, 80, 14, 125, "US-KS-2",
     TRI_YES, RATE_ON_DEMAND},
    {PRIME, "primeintellect:runpod:NVIDIA_A100-SXM4-80GB:US-KS-2", "A100-SXM4-80GB", 1, 1.7568, 80, 16, 251, "US-KS-2",
     TRI_YES, RATE_ON_DEMAND},
    {PRIME, "primeintellect:runpod:NVIDIA_A100-SXM4-80GB:US-WA-1", "A100-SXM4-80GB", 1, 1.7568, 80, 32, 250, "US-WA-1",
     TRI_YES, RATE_ON_DEMAND},
    {PRIME, "primeintellect:runpod:NVIDIA_H100_80GB_HBM3:CA-MTL-1", "H100-SXM5-80GB", 1, 2.7068, 80, 28, 251,
     "CA-MTL-1", TRI_YES, RATE_ON_DEMAND},
    {PRIME, "primeintellect:runpod:NVIDIA_H100_PCIe:CA-MTL-3", "H100-PCIe-80GB", 1, 2.4068, 80, 31, 176, "CA-MTL-3",
     TRI_YES, RATE_ON_DEMAND},
#define VERDA "listings/gpuhunt-fixtures/verda_instance_types.json"
    {VERDA, "verda:verda:1H100.80S.30V", "H100-SXM5-80GB", 1, 3.95, 80, 30, 120, "", TRI_UNKNOWN, RATE_ON_DEMAND},
    {VERDA, "verda:verda:1H100.80S.30V:spot", "H100-SXM5-80GB", 1, 1.70, 80, 30, 120, "", TRI_UNKNOWN, RATE_SPOT},
    {VERDA, "verda:verda:2A6000.20V", "RTX-A6000", 2, 1.98, 48, 20, 120, "", TRI_UNKNOWN, RATE_ON_DEMAND},
    {VERDA, "verda:verda:1V100.6V", "V100-SXM2-16GB", 1, 0.89, 16, 6, 23, "", TRI_UNKNOWN, RATE_ON_DEMAND},
    {VERDA, "verda:verda:1V100.6V:spot", "V100-SXM2-16GB", 1, 0.25, 16, 6, 23, "", TRI_UNKNOWN, RATE_SPOT},
#define VULTR "listings/gpuhunt-fixtures/vultr_plans.json"
    {VULTR, "vultr:vultr:vcg-a100-1c-6g-4vram:ewr", NULL, 1, 0.123, 4, 1, 6, "ewr", TRI_YES, RATE_ON_DEMAND},
    {VULTR, "vultr:vultr:vcg-a100-12c-120g-80vram:ewr", NULL, 1, 2.397, 80, 12, 120, "ewr", TRI_YES, RATE_ON_DEMAND},
    {VULTR, "vultr:vultr:vcg-a100-6c-60g-40vram:ewr", NULL, 1, 1.397, 40, 12, 60, "ewr", TRI_YES, RATE_ON_DEMAND},
#define METAL "listings/gpuhunt-fixtures/vultr_plans_metal.json"
    {METAL, "vultr-metal:vultr:vbm-256c-2048gb-8-mi300x-gpu:ord", "MI300X", 8, 17.52, 0, 256, 2267.504, "ord", TRI_YES,
     RATE_ON_DEMAND},
    {METAL, "vultr-metal:vultr:vbm-256c-2048gb-8-mi300x-gpu:ord:spot", "MI300X", 8, 14.72, 0, 256, 2267.504, "ord",
     TRI_YES, RATE_SPOT},
    {METAL, "vultr-metal:vultr:vbm-112c-2048gb-8-h100-gpu:sea", "H100-SXM5-80GB", 8, 23.92, 0, 224, 2048, "sea",
     TRI_YES, RATE_ON_DEMAND},
#define OCEAN "listings/gpuhunt-fixtures/digitalocean_sizes.json"
    {OCEAN, "digitalocean:do:gpu-h100x8-640gb:nyc1", "H100-SXM5-80GB", 8, 23.92, 80, 160, 1920, "nyc1", TRI_YES,
     RATE_ON_DEMAND},
    {OCEAN, "digitalocean:do:gpu-mi300x8-1536gb:nyc1", "MI300X", 8, 15.92, 192, 160, 1920, "nyc1", TRI_YES,
     RATE_ON_DEMAND},
#define JARVIS "listings/gpuhunt-fixtures/jarvislabs_server_meta.json"
    {JARVIS, "jarvislabs:jarvislabs:1x-L4:india-noida-01", "L4", 1, 0.44, 24, 28, 124, "india-noida-01", TRI_YES,
     RATE_ON_DEMAND},
    {JARVIS, "jarvislabs:jarvislabs:1x-L4:india-noida-01:spot", "L4", 1, 0.29, 24, 28, 124, "india-noida-01", TRI_YES,
     RATE_SPOT},
    {JARVIS, "jarvislabs:jarvislabs:1x-A100-80GB:india-noida-01", NULL, 1, 1.49, 80, 28, 112, "india-noida-01", TRI_YES,
     RATE_ON_DEMAND},
    {JARVIS, "jarvislabs:jarvislabs:1x-RTX_PRO_6000:india-noida-01", NULL, 1, 1.89, 96, 28, 160, "india-noida-01",
     TRI_YES, RATE_ON_DEMAND},
    {JARVIS, "jarvislabs:jarvislabs:1x-H100:europe-01", NULL, 1, 2.99, 80, 16, 200, "europe-01", TRI_YES,
     RATE_ON_DEMAND},
#define SEEWEB "listings/gpuhunt-fixtures/seeweb_plans.json"
    {SEEWEB, "seeweb:seeweb:ECS1GPU7:it-fr2", "L40S", 1, 0.85, 48, 8, 32, "it-fr2", TRI_YES, RATE_ON_DEMAND},
    {SEEWEB, "seeweb:seeweb:ECS1GPU7:it-mi2", "L40S", 1, 0.85, 48, 8, 32, "it-mi2", TRI_YES, RATE_ON_DEMAND},
    {SEEWEB, "seeweb:seeweb:ECS2GPU3:it-fr2", NULL, 2, 1.98, 80, 32, 240, "it-fr2", TRI_YES, RATE_ON_DEMAND},
    {SEEWEB, "seeweb:seeweb:ECS1GPU9:it-fr2", "MI300X", 1, 1.6, 0, 32, 256, "it-fr2", TRI_YES, RATE_ON_DEMAND},
#define FSDL "listings/fsdl/cloud-gpus.csv"
    {FSDL, "fsdl-cloud:aws:p4de.24xlarge", "A100-SXM4-80GB", 8, 40.97, 80, 96, 1152, "", TRI_UNKNOWN, RATE_ON_DEMAND},
    {FSDL, "fsdl-cloud:azure:NC6s_v3", NULL, 1, 3.06, 16, 6, 112, "", TRI_UNKNOWN, RATE_ON_DEMAND},
    {FSDL, "fsdl-cloud:azure:NC6s_v3:spot", NULL, 1, 1.35, 16, 6, 112, "", TRI_UNKNOWN, RATE_SPOT},
    {FSDL, "fsdl-cloud:exoscale:GPU3_SMALL", "A40", 1, 2.13, 48, 12, 56, "", TRI_UNKNOWN, RATE_ON_DEMAND},
    {FSDL, "fsdl-cloud:jarvislabs:4x-A5000_(24_GB)", "RTX-A5000", 4, 2.36, 24, 28, 128, "", TRI_UNKNOWN,
     RATE_ON_DEMAND},
    {FSDL, "fsdl-cloud:paperspace:4x-V100_(32_GB)", NULL, 4, 9.20, 32, 32, 120, "", TRI_UNKNOWN, RATE_ON_DEMAND},
#define SERVERLESS "listings/fsdl/serverless-gpus.csv"
    {SERVERLESS, "fsdl-serverless:banana:1x-A5000_(24_GB)", "RTX-A5000", 1, 2.32, 24, 4, 64, "", TRI_UNKNOWN,
     RATE_ON_DEMAND},
    {SERVERLESS, "fsdl-serverless:baseten:8x-A100_(80_GB)", "A100-SXM4-80GB", 8, 49.15, 80, 96, 1152, "", TRI_UNKNOWN,
     RATE_ON_DEMAND},
    {SERVERLESS, "fsdl-serverless:covalent:8x-A6000_(48_GB)", "RTX-A6000", 8, 11.68, 48, 128, 480, "", TRI_UNKNOWN,
     RATE_ON_DEMAND},
    {SERVERLESS, "fsdl-serverless:modal:2x-A100_(40_GB)", NULL, 2, 10.92, -1, 16, 80, "", TRI_UNKNOWN, RATE_ON_DEMAND},
    {SERVERLESS, "fsdl-serverless:mystic_ai:1x-Nvidia_A100#2", NULL, 1, 4, 80, 0, 0, "", TRI_UNKNOWN, RATE_ON_DEMAND},
#define EUCRI "listings/eucri/observations.jsonl"
    {EUCRI, "eucri:vast:44397674:Czechia_CZ", "A100-SXM4-40GB", 1, 0.734815, 40, 0, 0, "Czechia, CZ", TRI_YES,
     RATE_ON_DEMAND},
    {EUCRI, "eucri:gcp:a3-megagpu-8g:us-east4-b", "H100-SXM5-80GB", 8, 46.103749, 80, -1, -1, "us-east4-b", TRI_UNKNOWN,
     RATE_ON_DEMAND},
    {EUCRI, "eucri:gcp:a3-highgpu-8g:us-west4-a", "H100-SXM5-80GB", 8, 99.648954, 80, -1, -1, "us-west4-a", TRI_UNKNOWN,
     RATE_ON_DEMAND},
    {EUCRI, "eucri:scaleway:L4-1-24G:fr-par-1", "L4", 1, 0.7875, 0, -1, -1, "fr-par-1", TRI_UNKNOWN, RATE_ON_DEMAND},
    {EUCRI, "eucri:azure:Standard_ND96isr_H100_v5:spaincentral#2", "H100-SXM5-80GB", 8, 127.816, 0, -1, -1,
     "spaincentral", TRI_UNKNOWN, RATE_ON_DEMAND},
#define TARDELLIRS "listings/tardellirs/offerings.json"
    {TARDELLIRS, "tardellirs:akash:akash-rtx-4060-ti-marketplace::bid_floor", "RTX-4060-Ti-16GB", 1, 0.04, 16, 0, 0, "",
     TRI_UNKNOWN, RATE_BID_FLOOR},
    {TARDELLIRS, "tardellirs:dataoorts:dataoorts-nova-rtx-pro-6000-cc-on-demand", NULL, 1, 1.84, 96, 30, 90, "",
     TRI_UNKNOWN, RATE_ON_DEMAND},
    {TARDELLIRS, "tardellirs:novita:novita-rtx-4090-high-freq-on-demand", "RTX-4090", 1, 0.69, 24, 0, 0, "",
     TRI_UNKNOWN, RATE_ON_DEMAND},
    {TARDELLIRS, "tardellirs:salad:salad-rtx-3050-spot::spot", "RTX-3050-8GB", 1, 0.06, 8, 0, 0, "", TRI_UNKNOWN,
     RATE_SPOT},
    {TARDELLIRS, "tardellirs:vultr:vultr-a100-pcie-on-demand", "A100-PCIe-80GB", 1, 2.397, 80, 12, 120, "", TRI_UNKNOWN,
     RATE_ON_DEMAND},
#define SOODDVS "listings/sooddvs/gpu_pricing_raw.csv"
    {SOODDVS, "sooddvs-csv:azure:Standard_NC24ads_A100_v4:eastus:reserved_8760h", "A100-PCIe-80GB", 1, 3.0574, 0, -1,
     -1, "eastus", TRI_UNKNOWN, RATE_RESERVED},
    {SOODDVS, "sooddvs-csv:runpod:NVIDIA_A100_80GB_PCIe:global:reserved_4380h", "A100-PCIe-80GB", 1, 1.18, 0, 0, 0,
     "global", TRI_UNKNOWN, RATE_RESERVED},
    {SOODDVS, "sooddvs-csv:aws:p5.48xlarge:us-east-1", "H100-SXM5-80GB", 8, 55.04, 0, -1, -1, "us-east-1", TRI_UNKNOWN,
     RATE_ON_DEMAND},
    {SOODDVS, "sooddvs-csv:oci:B110519:global", "H200-SXM5-141GB", 1, 10, 0, 0, 0, "global", TRI_UNKNOWN,
     RATE_ON_DEMAND},
    {SOODDVS, "sooddvs-csv:vultr:vcg-l40s-128c-1500g-384vram", "L40S", 8, 12.4768, 0, -1, -1, "", TRI_UNKNOWN,
     RATE_ON_DEMAND},
#define SOODDVS_JSON "listings/sooddvs/gpu_pricing.json"
    {SOODDVS_JSON, "sooddvs-json:azure:Standard_ND96isr_H100_v5:eastus", "H100-SXM5-80GB", 8, 98.32, 0, -1, -1,
     "eastus", TRI_UNKNOWN, RATE_ON_DEMAND},
    {SOODDVS_JSON, "sooddvs-json:azure:Standard_NC40ads_H100_v5:eastus", "H100-NVL-94GB", 1, 6.98, 0, -1, -1, "eastus",
     TRI_UNKNOWN, RATE_ON_DEMAND},
    {SOODDVS_JSON, "sooddvs-json:azure:Standard_NC80adis_H100_v5:eastus:reserved_26280h", "H100-NVL-94GB", 2, 8.6119, 0,
     -1, -1, "eastus", TRI_UNKNOWN, RATE_RESERVED},
    {SOODDVS_JSON, "sooddvs-json:aws:p5.48xlarge:us-east-1", "H100-SXM5-80GB", 8, 55.04, 0, -1, -1, "us-east-1",
     TRI_UNKNOWN, RATE_ON_DEMAND},
    {SOODDVS_JSON, "sooddvs-json:oci:B109479:global", "L40S", 1, 3.5, 0, 0, 0, "global", TRI_UNKNOWN, RATE_ON_DEMAND},
#define SHEET "listings/sooddvs/gpu_pricing_comparison.csv"
    {SHEET, "sooddvs-comparison:neysa:1x-L4", "L4", 1, 1.17, 0, 0, 0, "", TRI_UNKNOWN, RATE_ON_DEMAND},
    {SHEET, "sooddvs-comparison:azure:1x-H200_SXM:eastus2", "H200-SXM5-141GB", 1, 10.6, 0, 0, 0, "eastus2", TRI_UNKNOWN,
     RATE_ON_DEMAND},
    {SHEET, "sooddvs-comparison:aws:1x-L4:IN:reserved_26280h", "L4", 1, 0.44, 0, 0, 0, "IN", TRI_UNKNOWN,
     RATE_RESERVED},
    {SHEET, "sooddvs-comparison:runpod:1x-B200:global:reserved_26280h", "B200-SXM-180GB", 1, 5.54, 0, 0, 0, "global",
     TRI_UNKNOWN, RATE_RESERVED},
    {SHEET, "sooddvs-comparison:oci:1x-H100_SXM:global", "H100-SXM5-80GB", 1, 10, 0, 0, 0, "global", TRI_UNKNOWN,
     RATE_ON_DEMAND},
};

/* -1: from the table of machines, not from this file. */
static void check_number(const char *id, const char *what, double got, double want) {
    if (want < 0)
        return;
    if (want == 0 ? !isnan(got) : !(fabs(got / want - 1) < 1e-4))
        fail_msg("%s: %s is %g, not %g", id, what, got, want);
}

static void rows_say_what_the_text_says(void **state) {
    struct offers *o = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (i == 0 || strcmp(rows[i].file, rows[i - 1].file) != 0) {
            if (o)
                offers_free(o);
            o = load_recorded(rows[i].file);
        }
        const struct offer *f = find(o, rows[i].id);
        if (rows[i].gpu)
            assert_string_equal(gpu_of(f), rows[i].gpu);
        else
            assert_true(f->gpu >= 0);
        assert_int_equal(f->gpus, rows[i].gpus);
        check_number(rows[i].id, "rate", offer_rate_usd_h(f), rows[i].usd_h);
        check_number(rows[i].id, "vram_gb", (double)f->vram_gb, rows[i].vram);
        check_number(rows[i].id, "cpu_cores", (double)f->cpu_cores, rows[i].cpu);
        check_number(rows[i].id, "ram_gb", (double)f->ram_gb, rows[i].ram);
        assert_string_equal(offers_text(o, f->region), rows[i].region);
        assert_int_equal(f->available, rows[i].available);
        assert_int_equal(f->rate_kind, rows[i].kind);
    }
    offers_free(o);
}

/* What the columns above do not show. */
static void details_of_recorded_rows(void **state) {
    (void)state;
    struct offers *o = load_recorded(PRIME);
    const struct offer *f = find(o, "primeintellect:runpod:NVIDIA_A100_80GB_PCIe:US-KS-2");
    assert_float_equal(offer_extra(o, f)->disk_usd_gb_month, 0.00014 * 730, 1e-9);
    assert_string_equal(offers_text(o, offer_extra(o, f)->price_includes), "default disk");
    offers_free(o);
    o = load_recorded(VERDA);
    assert_float_equal(find(o, "verda:verda:2A6000.20V")->link_gbs, 50, 1e-6); /* p2p wins over the table */
    offers_free(o);
    o = load_recorded(VULTR);
    assert_float_equal(find(o, "vultr:vultr:vcg-a100-1c-6g-4vram:ewr")->gpu_fraction, 0.05, 1e-6);
    offers_free(o);
    o = load_recorded(SEEWEB);
    assert_true(o->items[0].flags & OFFER_CURRENCY_UNKNOWN);
    offers_free(o);
    o = load_recorded("listings/shadeform/clusters_types_docs_example.json");
    assert_int_equal(o->items[0].nodes_max, 2);
    offers_free(o);
    o = load_recorded(OCEAN);
    assert_float_equal(find(o, "digitalocean:do:gpu-h100x8-640gb:nyc1")->disk_local_gb, 40960 * 1.073741824, 1);
    offers_free(o);
    o = load_recorded(EUCRI); /* the column says USD, the payload EUR */
    assert_true(find(o, "eucri:scaleway:L4-1-24G:fr-par-1")->flags & OFFER_CURRENCY_UNKNOWN);
    offers_free(o);
    o = load_recorded(SOODDVS);
    assert_true(find(o, "sooddvs-csv:aws:p5.48xlarge:us-east-1")->observed_at > 1781000000);
    for (size_t i = 0; i < o->count; i++)
        if (strcmp(offers_text(o, o->items[i].provider), "gcp") == 0)
            assert_true(o->items[i].flags & OFFER_COMPONENT_PART);
    offers_free(o);
}

/* Payloads that list no GPU offers are not taken for some. */
static void others_are_left_alone(void **state) {
    static const char *const files[] = {"listings/gpuhunt-fixtures/verda_availabilities.json",
                                        "listings/primeintellect/availability_disks.json"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct err err = {0};
        struct buf bytes = {0};
        struct offers *o = offers_new();
        assert_true(io_read(test_shared(files[i]), IO_MAX_LISTING, &bytes, &err));
        assert_false(listing_read(&context, bytes.data, bytes.len, files[i], o, &err) && o->count > 0);
        offers_free(o);
        buf_free(&bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_accounted_for),
        cmocka_unit_test(rows_say_what_the_text_says),
        cmocka_unit_test(details_of_recorded_rows),
        cmocka_unit_test(others_are_left_alone),
    };
    return cmocka_run_group_tests(tests, load_mappings, free_mappings);
}
