/* SPDX-License-Identifier: MIT */
/* Answers of providers in JSON, as recorded and in small: each field against the raw text, each fault as it really is. */
#include "listing_support.h"

/* ---- Vast ---- */

static void vast_offers_mean_what_they_say(void **state) {
    (void)state;
    struct offers *o = load_recorded("listings/vast/bundles_h100.json");
    const struct offer *f = find(o, "vast:vast:44075905");
    const struct offer_extra *x = offer_extra(o, f);
    assert_string_equal(gpu_of(f), "H100-SXM5-80GB");
    assert_int_equal(f->gpus, 1);
    assert_float_equal(f->vram_gb, 81559 / 1024.0, 0.01);
    assert_float_equal(offer_rate_usd_h(f), 1.306667,
                       1e-6); /* dph_base: the disk of 8 GB in dph_total is charged apart */
    assert_float_equal(x->disk_usd_gb_month, 0.92, 1e-9);
    assert_float_equal(x->stopped_usd_h, 0.010222222, 1e-6);
    assert_float_equal(f->cpu_cores, 96, 0); /* of 384: the share of this offer */
    assert_float_equal(f->ram_gb, 386.908, 1e-3);
    assert_float_equal(f->disk_local_gb, 494, 0);
    assert_float_equal(x->disk_mbs, 2700.814, 1e-6);
    assert_int_equal(f->pcie_gen, 5);
    assert_int_equal(f->pcie_lanes, 16);
    assert_float_equal(x->compute_capability, 9.0, 0);
    assert_float_equal(x->cuda_max, 13.1, 1e-9);
    assert_string_equal(offers_text(o, x->driver), "590.48.01");
    assert_float_equal(x->reliability, 0.9883432, 1e-9);
    assert_string_equal(offers_text(o, f->region), "Montana, US");
    assert_int_equal(f->host_class, HOST_MARKET_UNVERIFIED);
    assert_int_equal(f->available, TRI_YES);
    assert_int_equal(x->expires_at, 1786065548);
    assert_int_equal(f->observed_at, 1786065548 - 1700537);                           /* the end less what is left */
    assert_string_equal(offers_text(o, find(o, "vast:vast:45136641")->region), "US"); /* ", US" */
    assert_int_equal(find(o, "vast:vast:28762952")->host_class, HOST_MARKET_VERIFIED);
    offers_free(o);
}

static void vast_links_are_measured_or_unknown(void **state) {
    (void)state;
    struct offers *o = load_recorded("listings/vast/bundles_h100.json");
    const struct offer *f = find(o, "vast:vast:21671180"); /* 8 GPUs, 478 GB/s */
    assert_int_equal(f->link, LINK_NVSWITCH);
    assert_int_equal(f->link_source, PROVENANCE_MEASURED);
    assert_float_equal(f->link_gbs, 478.116, 1e-2);
    f = find(o, "vast:vast:45065180"); /* 8 GPUs, 0: not measured, which is not "none" */
    assert_int_equal(f->link, LINK_NVSWITCH);
    assert_int_equal(f->link_source, PROVENANCE_INFERRED);
    f = find(o, "vast:vast:28762952"); /* one GPU of that board cannot use its 478 GB/s */
    assert_int_equal(f->link, LINK_NONE);
    assert_true(isnan(f->link_gbs));
    f = find(o, "vast:vast:43704246");
    assert_string_equal(gpu_of(f), "H100-NVL-94GB");
    assert_int_equal(f->link, LINK_NVLINK_BRIDGE);
    offers_free(o);
}

static void vast_slices_overlap_and_bids_are_bids(void **state) {
    static const char *const slices[] = {"45065168", "45065172", "45065169", "45065180"};
    char id[64];
    (void)state;
    struct offers *o = load_recorded("listings/vast/bundles_h100.json");
    for (size_t i = 0; i < 4; i++) {
        snprintf(id, sizeof id, "vast:vast:%s", slices[i]);
        assert_true(find(o, id)->flags & OFFER_OVERLAP);
        snprintf(id, sizeof id, "vast:vast:%s:bid_floor", slices[i]);
        assert_int_equal(find(o, id)->rate_kind, RATE_BID_FLOOR);
        assert_true(find(o, id)->flags & OFFER_AUCTION_FLOOR);
    }
    assert_float_equal(offer_rate_usd_h(find(o, "vast:vast:45065180:bid_floor")), 16, 1e-9);
    /* alone on its machine: its own bid is no other slice */
    assert_false(find(o, "vast:vast:28762952")->flags & OFFER_OVERLAP);
    /* asks 13.33 of bidders and 3.78 of others */
    assert_true(find(o, "vast:vast:36473839")->flags & OFFER_SPOT_GE_ON_DEMAND);
    assert_null(offers_find(o, "vast:vast:36473839:bid_floor"));
    assert_float_equal(find(o, "vast:vast:42516711")->disk_local_gb, 11.5, 1e-3);
    offers_free(o);
}

static void vast_envelopes(void **state) {
    (void)state;
    struct offers *o = load_recorded("listings/vast/offers_500farm_2025-07-26.json");
    const struct offer *f = find(o, "vast:vast:21348645"); /* no dph_total in the mirror */
    assert_float_equal(offer_rate_usd_h(f), 0.105333, 1e-6);
    assert_string_equal(gpu_of(f), "RTX-5090");
    assert_int_equal(f->available, TRI_NO);
    assert_int_equal(f->observed_at, 1753516870);                /* the envelope's timestamp */
    assert_null(offers_find(o, "vast:vast:21348645:bid_floor")); /* 0.1053333 a bid, 0.10533333 for sure */
    assert_null(offers_find(o, "vast:vast:21348670:bid_floor")); /* the bid is the price */
    offers_free(o);
    o = load_recorded("listings/vast/search_offers_raw_rtx4090.json");
    f = find(o, "vast:vast:11684738");
    assert_float_equal(offer_rate_usd_h(f), 0.246667, 1e-6);
    assert_float_equal(f->cpu_cores, 24, 0);
    assert_int_equal(f->pcie_gen, 4);
    offers_free(o);
}

/* An address in a payload is nobody's business: it is nowhere in what we keep. */
static void vast_keeps_no_addresses(void **state) {
    struct buf csv = {0};
    (void)state;
    struct offers *o = load_named(
        "[{\"id\":7,\"machine_id\":1,\"host_id\":5,\"gpu_name\":\"RTX 4090\",\"num_gpus\":2,\"gpu_ram\":49140,"
        "\"dph_base\":0.5,\"dph_total\":0.51,\"public_ipaddr\":\"203.0.113.9\",\"hostname\":\"anna.example.org\","
        "\"cpu_cores_effective\":null,\"is_bid\":true,\"geolocation\":null,\"rentable\":true,\"rented\":true}]",
        "x.json");
    assert_int_equal(o->count, 1);
    const struct offer *f = &o->items[0];
    assert_string_equal(gpu_of(f), "RTX-4090-48GB-mod");
    assert_int_equal(f->rate_kind, RATE_BID_FLOOR);
    assert_int_equal(f->available, TRI_NO);
    assert_true(isnan(f->cpu_cores) && f->region == 0);
    listing_write_csv(catalog(), o, &csv);
    assert_null(strstr(csv.data, "203.0"));
    assert_null(strstr(csv.data, "anna"));
    assert_int_equal(intern_find(o->text, "203.0.113.9", 11), UINT32_MAX);
    buf_free(&csv);
    offers_free(o);
}

/* ---- Azure ---- */

static void azure_meters_become_machines(void **state) {
    (void)state;
    struct offers *o = load_recorded("listings/azure/retail_westeurope.json");
    assert_int_equal(o->count, 5);
    assert_int_equal(o->rows_read, 7);
    assert_int_equal(o->rows_no_gpu, 1); /* Standard_D8s_v5 */
    const struct offer *f = find(o, "azure:azure:Standard_ND96isr_H100_v5:westeurope");
    assert_string_equal(gpu_of(f), "H100-SXM5-80GB");
    assert_int_equal(f->gpus, 8);
    assert_int_equal(f->link, LINK_NVSWITCH);
    assert_float_equal(offer_rate_usd_h(f), 132.232, 1e-6);
    f = find(o, "azure:azure:Standard_ND96isr_H100_v5:westeurope:spot");
    assert_int_equal(f->rate_kind, RATE_SPOT);
    assert_float_equal(offer_rate_usd_h(f), 21.258283, 1e-6);
    f = find(o, "azure:azure:Standard_ND96is_noIB_H100_v5:westeurope"); /* not in the machine table */
    assert_string_equal(gpu_of(f), "H100-SXM5-80GB");
    assert_int_equal(f->gpus, 8);
    f = find(o, "azure:azure:Standard_NC40ads_H100_v5:westeurope");
    assert_string_equal(gpu_of(f), "H100-NVL-94GB");
    assert_int_equal(f->gpus, 1);
    assert_int_equal(find(o, "azure:azure:Standard_ND128isr_NDR_GB200_v6:westeurope")->gpus, 4);
    assert_true(has_problem(o, "reservationTerm", "whole reservation"));
    offers_free(o);
}

#define METER(sku, price, more)                                                                               \
    "{\"armSkuName\":\"" sku "\",\"armRegionName\":\"eastus\",\"retailPrice\":" price ",\"meterName\":\"x\"," \
    "\"productName\":\"NC\",\"unitOfMeasure\":\"1 Hour\"," more "}"
#define DOLLARS "\"currencyCode\":\"USD\",\"type\":\"Consumption\""

static void azure_terms_and_other_meters(void **state) {
    (void)state;
    struct offers *o = load_named("{\"Items\":[" METER(
                                      "Standard_NC48ads_A100_v4", "42066.0",
                                      "\"currencyCode\":\"USD\",\"type\":\"Reservation\",\"reservationTerm\":\"1 "
                                      "Year\"") "," METER("Standard_NC48ads_A100_v4", "7.346",
                                                          DOLLARS
                                                          ",\"savingsPlan\":[{\"retailPrice\":4.9,\"term\":\"3 "
                                                          "Years\"}]") "," METER("Standard_NC24ads_A100_v4", "4.1",
                                                                                 "\"currencyCode\":\"EUR\",\"type\":"
                                                                                 "\"Consumption\"") "," METER("Standard"
                                                                                                              "_NC24ads"
                                                                                                              "_A100_"
                                                                                                              "v4",
                                                                                                              "5",
                                                                                                              DOLLARS
                                                                                                              ",\"skuNa"
                                                                                                              "me\":"
                                                                                                              "\"NC24 "
                                                                                                              "Low "
                                                                                                              "Priority"
                                                                                                              "\"") "," METER("Standar"
                                                                                                                              "d_"
                                                                                                                              "NC96ads"
                                                                                                                              "_A100_"
                                                                                                                              "v4",
                                                                                                                              "5",
                                                                                                                              "\"curre"
                                                                                                                              "ncyCode"
                                                                                                                              "\":"
                                                                                                                              "\"USD\""
                                                                                                                              ",\"type"
                                                                                                                              "\":"
                                                                                                                              "\"DevTe"
                                                                                                                              "stConsu"
                                                                                                                              "mption"
                                                                                                                              "\"") "," METER("Standard_NV6ads_A10_v5",
                                                                                                                                              "0.454",
                                                                                                                                              DOLLARS) "," METER("Standard_NC4as_T4_v3",
                                                                                                                                                                 "0",
                                                                                                                                                                 DOLLARS) "," METER("Standard_NX99_v9",
                                                                                                                                                                                    "1",
                                                                                                                                                                                    DOLLARS) "],\"NextPageLink\":\"more\"}",
                                  "x.json");
    const struct offer *f = find(o, "azure:azure:Standard_NC48ads_A100_v4:eastus:reserved_8760h");
    assert_float_equal(offer_rate_usd_h(f), 42066.0 / 8760, 1e-6);
    assert_float_equal(offer_extra(o, f)->term_h, 8760, 0);
    assert_int_equal(f->gpus, 2);
    assert_float_equal(offer_rate_usd_h(find(o, "azure:azure:Standard_NC48ads_A100_v4:eastus:reserved_26280h")), 4.9,
                       1e-6);
    f = find(o, "azure:azure:Standard_NC24ads_A100_v4:eastus");
    assert_true(f->flags & OFFER_CURRENCY_UNKNOWN);
    assert_float_equal(find(o, "azure:azure:Standard_NV6ads_A10_v5:eastus")->gpu_fraction, 6.0 / 36, 1e-6);
    assert_true(find(o, "azure:azure:Standard_NC4as_T4_v3:eastus")->flags & OFFER_ZERO_PRICE);
    assert_true(has_problem(o, "skuName", "Low Priority"));
    assert_true(has_problem(o, "type", "development"));
    assert_true(has_problem(o, "armSkuName", "not known"));
    assert_true(has_problem(o, "NextPageLink", "one page"));
    assert_int_equal(o->count, 6);
    offers_free(o);
}

/* ---- AWS ---- */

static void vantage_sums_memory_and_china_pays_in_yuan(void **state) {
    (void)state;
    struct offers *o = load_recorded("listings/aws-gpu/gpu_instances_raw_cn.json");
    const struct offer *f = find(o, "vantage:aws:p4d.24xlarge:cn-northwest-1");
    assert_string_equal(gpu_of(f), "A100-SXM4-40GB");
    assert_int_equal(f->gpus, 8);
    assert_float_equal(f->vram_gb, 40, 0); /* 320 of the machine */
    assert_float_equal(f->ram_gb, 1152, 0);
    assert_float_equal(f->disk_local_gb, 8000, 0);
    assert_float_equal(offer_rate_usd_h(f), 172.873412, 1e-6);
    assert_string_equal(offers_text(o, offer_extra(o, f)->currency), "CNY");
    for (size_t i = 0; i < o->count; i++)
        assert_true(o->items[i].flags & OFFER_CURRENCY_UNKNOWN);
    f = find(o, "vantage:aws:g5.xlarge:cn-north-1:reserved_8760h");
    assert_float_equal(offer_rate_usd_h(f), 6.12219, 1e-6);
    assert_int_equal(f->rate_kind, RATE_RESERVED);
    assert_true(find(o, "vantage:aws:p2.8xlarge:cn-north-1")->flags & OFFER_VRAM_CONFLICT); /* boards of two GPUs */
    assert_true(has_problem(o, "pricing", "retired"));
    assert_true(has_problem(o, "", "Inferentia or Trainium"));
    offers_free(o);
}

static void vantage_takes_linux_and_parts_of_a_card(void **state) {
    (void)state;
    struct offers *o = load_named(
        "[{\"instance_type\":\"g6f.large\",\"GPU\":0.125,\"GPU_model\":\"NVIDIA L4\",\"GPU_memory\":3,\"vCPU\":2,"
        "\"memory\":8,\"storage\":null,\"pricing\":{\"us-east-1\":{\"linux\":{\"ondemand\":\"0.2\",\"spot_avg\":\"0."
        "07\"},"
        "\"mswin\":{\"ondemand\":\"0.3\"}},\"us-gov-west-1\":{\"mswin\":{\"ondemand\":\"0.4\"}}}},"
        "{\"instance_type\":\"m5.large\",\"GPU\":0,\"GPU_model\":null,\"GPU_memory\":0,\"pricing\":{}}]",
        "instances.json");
    const struct offer *f = find(o, "vantage:aws:g6f.large:us-east-1");
    assert_float_equal(f->gpu_fraction, 0.125, 0);
    assert_true(f->flags & OFFER_FRACTION);
    assert_float_equal(f->vram_gb, 3, 0);
    assert_float_equal(offer_rate_usd_h(f), 0.2, 1e-6);
    assert_float_equal(offer_rate_usd_h(find(o, "vantage:aws:g6f.large:us-east-1:spot")), 0.07, 1e-6);
    assert_int_equal(o->rows_no_gpu, 1);
    assert_true(has_problem(o, "pricing", "Linux"));
    offers_free(o);
}

static void aws_list_mixes_units(void **state) {
    (void)state;
    struct offers *o = load_recorded("listings/aws-gpu/all_gpu_instances.json");
    const struct offer *f = find(o, "aws-gpu:aws:g5.48xlarge:us-east-1"); /* "24 GB GDDR6": of one */
    assert_float_equal(f->vram_gb, 24, 0);
    assert_float_equal(offer_rate_usd_h(f), 16.288, 1e-6);
    assert_float_equal(f->disk_local_gb, 3800, 0);    /* "3800 GB (2 x 1900 GB SSD)" */
    f = find(o, "aws-gpu:aws:p5.48xlarge:us-east-1"); /* "640 GB HBM3": of all */
    assert_string_equal(gpu_of(f), "H100-SXM5-80GB");
    assert_float_equal(f->vram_gb, 80, 0);
    assert_true(f->flags & OFFER_UNIT_GUESS);
    f = find(o, "aws-gpu:aws:g5g.xlarge:us-east-1"); /* "ARM Mali-G78MP12" */
    assert_string_equal(gpu_of(f), "T4G");
    assert_float_equal(f->gpu_fraction, 1, 0);
    assert_true(f->flags & OFFER_VRAM_CONFLICT);
    assert_true(find(o, "aws-gpu:aws:g2.2xlarge:us-east-1")->flags & OFFER_GPU_UNKNOWN);
    assert_true(has_problem(o, "reserved", "without its term"));
    assert_true(has_problem(o, "pricing", "no price"));
    offers_free(o);
}

/* ---- gpuhunt ---- */

static void gpuhunt_rows(void **state) {
    (void)state;
    struct offers *o = load_named(
        "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_"
        "arch,"
        "provider_data\r\n"
        "gpu_8x_a100_80gb_sxm4,us-east-1,14.32,240,1932.7,8,A100,80.0,False,20480,nvidia,,x86,{}\r\n"
        "gpu_1x_h100_pcie,us-west-1,2.49,26,214.7,1,H100,80.0,True,,nvidia,,x86,\"{\"\"fabrics\"\": [\"\"a\"\"]}\"\r\n"
        "tpu-v5e,us,1.2,1,1,1,v5litepod-1,16,False,,google,,,\r\n"
        "cpu,us,0.1,2,8,0,,,False,,,,x86,\r\n"
        "bad,us,dear,2,8,1,L4,24,False,,nvidia,,x86,\r\n"
        "cal,us,3.5,26,200,1,H100,80,False,,nvidia,gcp-dws-calendar-mode,x86,\r\n",
        "cache/v3/lambdalabs/20260115-2/catalog.zip/lambdalabs.csv");
    const struct offer *f = find(o, "gpuhunt:lambda:gpu_8x_a100_80gb_sxm4:us-east-1");
    assert_string_equal(gpu_of(f), "A100-SXM4-80GB");
    assert_int_equal(f->gpus, 8);
    assert_float_equal(f->vram_gb, 80, 0);
    assert_float_equal(offer_rate_usd_h(f), 14.32, 1e-6);
    assert_float_equal(f->disk_local_gb, 20480, 0);
    assert_int_equal(f->available, TRI_UNKNOWN);
    assert_int_equal(f->observed_at, 1768435200); /* the day in the path */
    f = find(o, "gpuhunt:lambda:gpu_1x_h100_pcie:us-west-1:spot");
    assert_string_equal(gpu_of(f), "H100-PCIe-80GB");
    assert_int_equal(f->rate_kind, RATE_SPOT);
    assert_int_equal(f->network, NETWORK_INFINIBAND);
    assert_int_equal(find(o, "gpuhunt:lambda:cal:us:reserved")->rate_kind, RATE_RESERVED);
    assert_true(has_problem(o, "gpu_vendor", "not a GPU"));
    assert_true(has_problem(o, "price", "numbers"));
    assert_int_equal(o->rows_no_gpu, 1);
    assert_int_equal(o->count, 3);
    offers_free(o);
}

/* ---- priced by component ---- */

static void tensordock_needs_a_host(void **state) {
    (void)state;
    struct offers *o = load_recorded("listings/gpuhunt-fixtures/tensordock_hostnode_specs.json");
    assert_int_equal(o->count, 4); /* 1, 2, 4 and 8 of its 8 cards */
    const struct offer *f = find(o, "tensordock:tensordock:2x-l40-pcie-48gb");
    assert_string_equal(gpu_of(f), "L40");
    assert_float_equal(f->vram_gb, 48, 0);
    assert_int_equal(f->rate_basis, RATE_COMPONENT);
    assert_float_equal(offer_rate_usd_h(f), 2 * 1.05 + 16 * 0.003 + 144 * 0.002, 1e-6);
    assert_float_equal(offer_extra(o, f)->disk_usd_gb_month, 5e-05 * 730, 1e-9);
    assert_float_equal(f->disk_local_gb, 10252, 0);
    assert_int_equal(f->available_count, 8);
    assert_true(f->flags & OFFER_UNIT_GUESS);
    assert_non_null(strstr(offers_text(o, f->notes), "16 vCPUs and 144 GB"));
    offers_free(o);
    o = load_named(
        "{\"data\":{\"locations\":[{\"city\":\"Chubbuck\",\"stateprovince\":\"Idaho\",\"country\":\"United "
        "States\",\"gpus\":[{\"v0Name\":\"geforcertx5090-pcie-32gb\",\"max_count\":1,\"price_per_hr\":0.54,"
        "\"resources\":{\"max_vcpus\":6,\"max_ram_gb\":40},\"pricing\":{\"per_vcpu_hr\":0.003,"
        "\"per_gb_ram_hr\":0.002,\"per_gb_storage_hr\":0.00005}},{\"v0Name\":\"l4-pcie-24gb\",\"max_count\":0,"
        "\"price_per_hr\":0.3}]}]}}",
        "locations.json");
    assert_int_equal(o->count, 1);
    f = find(o, "tensordock:tensordock:1x-geforcertx5090-pcie-32gb:Chubbuck_Idaho_United_States");
    assert_float_equal(f->vram_gb, 32, 0);
    assert_float_equal(offer_rate_usd_h(f), 0.54 + 6 * 0.003 + 40 * 0.002, 1e-6); /* no more than there is */
    assert_true(has_problem(o, "amount", "none of these"));
    offers_free(o);
}

static void cudo_prices_are_texts(void **state) {
    (void)state;
    struct offers *o = load_recorded("listings/gpuhunt-fixtures/cudo_machine_types.json");
    const struct offer *f = find(o, "cudo:cudo:epyc-rome-rtx-a5000:no-luster-1");
    assert_string_equal(gpu_of(f), "RTX-A5000");
    assert_float_equal(f->cpu_cores, 8, 0);
    assert_float_equal(f->ram_gb, 30, 0); /* 8 / 0.259109: more memory takes more vCPUs */
    assert_float_equal(offer_rate_usd_h(f), 0.52 + 8 * 0.0021 + 30 * 0.0034, 1e-6);
    assert_float_equal(offer_extra(o, f)->disk_usd_gb_month, 0.000107 * 730, 1e-9);
    f = find(o, "cudo:cudo:5x_cascade-lake:br-saopaulo-1");
    assert_int_equal(f->gpus, 5);
    assert_string_equal(gpu_of(f), "RTX-3080-10GB");
    offers_free(o);
}

static const char oci_shapes[] =
    "{\"items\":[{\"name\":\"BM.GPU.A100-v2.8\",\"status\":\"ACTIVE\",\"allowPreemptible\":true,\"gpuQty\":8,"
    "\"gpuMemoryQty\":640,\"bundleMemoryQty\":2048,\"shapeType\":{\"value\":\"bm\"},\"products\":[{\"partNumber\":"
    "\"B95907\",\"qty\":8,\"type\":{\"value\":\"gpu\"}},{\"partNumber\":\"B98204\",\"qty\":27.2}]},"
    "{\"name\":\"BM.Standard\",\"gpuQty\":null,\"products\":[]}]}";
static const char oci_products[] =
    "{\"items\":[{\"partNumber\":\"B95907\",\"currencyCodeLocalizations\":[{\"currencyCode\":\"EUR\",\"prices\":[{"
    "\"model\":"
    "\"PAY_AS_YOU_GO\",\"value\":9}]},{\"currencyCode\":\"USD\",\"prices\":[{\"model\":\"PAY_AS_YOU_GO\",\"value\":4}]}"
    "]},"
    "{\"partNumber\":\"B98204\",\"currencyCodeLocalizations\":[{\"currencyCode\":\"USD\",\"prices\":[{\"model\":"
    "\"PAY_AS_YOU_GO\",\"value\":0.0612}]}]}]}";

static void oci_shapes_cost_their_parts(void **state) {
    struct err err = {0};
    (void)state;
    for (int products_first = 0; products_first < 2; products_first++) {
        struct offers *o = offers_new();
        const char *first = products_first ? oci_products : oci_shapes,
                   *second = products_first ? oci_shapes : oci_products;
        assert_true(listing_read(&context, first, strlen(first), "a.json", o, &err));
        assert_int_equal(o->count, 0);
        assert_true(listing_read(&context, second, strlen(second), "b.json", o, &err));
        listing_check(&context, o);
        const struct offer *f = find(o, "oci:oci:BM.GPU.A100-v2.8");
        assert_string_equal(gpu_of(f), "A100-SXM4-80GB");
        assert_float_equal(f->vram_gb, 80, 0);
        assert_float_equal(offer_rate_usd_h(f), 8 * 4 + 27.2 * 0.0612, 1e-6);
        assert_float_equal(offer_rate_usd_h(find(o, "oci:oci:BM.GPU.A100-v2.8:spot")), 16 + 13.6 * 0.0612, 1e-5);
        assert_int_equal(o->problem_count, 0);
        offers_free(o);
    }
    struct offers *o = load(oci_shapes);
    assert_int_equal(o->count, 0);
    assert_true(has_problem(o, "products", "no price of all parts"));
    assert_int_equal(o->rows_no_gpu, 1);
    offers_free(o);
    o = load(oci_products);
    assert_true(has_problem(o, "products", "no shape"));
    offers_free(o);
}

/* ---- what is no listing says what it is ---- */

static void files_say_what_they_hold(void **state) {
    static const struct {
        const char *file, *holds;
    } cases[] = {
        {"listings/skypilot-v7/aws_disks.csv", "prices of disks"},
        {"listings/skypilot-v7/azure_disks.csv", "prices of disks"},
        {"listings/skypilot-v7/gcp_disks.csv", "prices of disks"},
        {"listings/skypilot-v7/accelerators.csv", "names of accelerators"},
        {"listings/vantage/golden_ec2_columns.json", "columns of a page"},
        {"listings/primeintellect/availability_disks.json", "prices of disks"},
        {"listings/gpuhunt-fixtures/verda_availabilities.json", "JSON with the keys location_code, availabilities"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        struct buf bytes = {0};
        struct offers *o = offers_new();
        assert_true(io_read(test_shared(cases[i].file), IO_MAX_LISTING, &bytes, &err));
        assert_false(listing_read(&context, bytes.data, bytes.len, cases[i].file, o, &err));
        if (!strstr(err.text, cases[i].holds))
            fail_msg("%s: %s", cases[i].file, err.text);
        buf_free(&bytes);
        offers_free(o);
    }
    struct offers *o = load_recorded("listings/gpuhunt-fixtures/oci_shapes.json");
    assert_true(has_problem(o, "", "2 rows, 2 of them machines without a GPU"));
    offers_free(o);
    o = load_recorded("listings/vantage/ec2_single_instance.json");
    assert_true(has_problem(o, "", "1 rows, 1 of them machines without a GPU"));
    offers_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vast_offers_mean_what_they_say),
        cmocka_unit_test(vast_links_are_measured_or_unknown),
        cmocka_unit_test(vast_slices_overlap_and_bids_are_bids),
        cmocka_unit_test(vast_envelopes),
        cmocka_unit_test(vast_keeps_no_addresses),
        cmocka_unit_test(azure_meters_become_machines),
        cmocka_unit_test(azure_terms_and_other_meters),
        cmocka_unit_test(vantage_sums_memory_and_china_pays_in_yuan),
        cmocka_unit_test(vantage_takes_linux_and_parts_of_a_card),
        cmocka_unit_test(aws_list_mixes_units),
        cmocka_unit_test(gpuhunt_rows),
        cmocka_unit_test(tensordock_needs_a_host),
        cmocka_unit_test(cudo_prices_are_texts),
        cmocka_unit_test(oci_shapes_cost_their_parts),
        cmocka_unit_test(files_say_what_they_hold),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
