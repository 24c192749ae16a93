/* SPDX-License-Identifier: MIT */
/* Listings of others, as recorded: every fault that is known must come out as it really is. */
#include "listing_support.h"

/* ---- SkyPilot ---- */

static const char *const sky_files[] = {
    "aws",    "azure", "cudo",     "do",         "fluidstack", "gcp",      "hyperstack", "ibm",  "lambda",
    "nebius", "oci",   "ovhcloud", "paperspace", "runpod",     "scaleway", "scp",        "vast",
};

static const char *sky_path(const char *cloud) {
    static char path[96];
    snprintf(path, sizeof path, "listings/skypilot-v7/%s_vms.csv", cloud);
    return path;
}

/* What holds for every offer of every file. */
static void check_all(const struct offers *o) {
    for (size_t i = 0; i < o->count; i++) {
        const struct offer *f = &o->items[i];
        assert_true(f->id != 0 && f->provider != 0 && f->gpu_raw != 0);
        assert_true(f->gpus >= 1);
        assert_int_not_equal(f->available, TRI_YES);
        assert_true(f->host_class < HOST_CLASS_COUNT);
        assert_true(f->rate_microusd >= 0);
        if (f->gpus == 1)
            assert_int_equal(f->link, LINK_NONE);
        if (f->gpu >= 0 && !(f->flags & OFFER_VRAM_CONFLICT) && !isnan(f->vram_gb) && f->gpu_fraction == 1.0f) {
            const struct gpu *g = catalog_gpu(catalog(), (size_t)f->gpu);
            double ratio = f->vram_gb / g->vram_gb;
            if (ratio < 0.9 || ratio > 1.08)
                fail_msg("%s: %g GB on %s", offers_text(o, f->id), (double)f->vram_gb, g->name);
        }
    }
}

static void every_catalogue_file_loads(void **state) {
    struct offers *all = offers_new();
    size_t sum = 0;
    (void)state;
    for (size_t i = 0; i < sizeof sky_files / sizeof *sky_files; i++) {
        struct offers *o = load_recorded(sky_path(sky_files[i]));
        assert_true(o->count > 0);
        check_all(o);
        sum += o->count;
        offers_free(o);
        read_recorded(all, sky_path(sky_files[i]));
    }
    read_recorded(all, "listings/skypilot-v8/verda_vms.csv");
    read_recorded(all, "listings/skypilot-v8/mithril_vms.csv");
    listing_check(&context, all);
    check_all(all);
    assert_true(all->count > sum);
    assert_int_equal(all->file_count, 19);
    offers_free(all);
}

static void zones_become_regions(void **state) {
    (void)state;
    struct offers *o = load_recorded(sky_path("aws"));
    const struct offer *f = find(o, "skypilot:aws:p4d.24xlarge:us-east-1");
    assert_string_equal(gpu_of(f), "A100-SXM4-40GB");
    assert_int_equal(f->gpus, 8);
    assert_int_equal(f->link, LINK_NVSWITCH);
    assert_int_equal(f->link_source, PROVENANCE_INFERRED);
    assert_float_equal(offer_rate_usd_h(f), 32.7726, 0.01);
    assert_int_equal(find(o, "skypilot:aws:p4d.24xlarge:us-east-1:spot")->rate_kind, RATE_SPOT);
    assert_true(has_problem(o, "", "Inferentia or Trainium: not a GPU"));
    for (size_t i = 0; i < o->count; i++)
        assert_null(strchr(offers_text(o, o->items[i].id), '#'));
    offers_free(o);
}

static void azure_counts_come_from_the_machine(void **state) {
    (void)state;
    struct offers *o = load_recorded(sky_path("azure"));
    const struct offer *f = find(o, "skypilot:azure:Standard_ND96isr_H100_v5:eastus");
    assert_int_equal(f->gpus, 8);
    assert_true(f->flags & OFFER_COUNT_CONFLICT);
    assert_string_equal(gpu_of(find(o, "skypilot:azure:Standard_NC40ads_H100_v5:eastus2")), "H100-NVL-94GB");
    assert_string_equal(gpu_of(find(o, "skypilot:azure:Standard_NC24ads_A100_v4:eastus")), "A100-PCIe-80GB");
    assert_true(has_problem(o, "AcceleratorCount", "MI25"));
    offers_free(o);
}

/* GPU part and host part of the same zone: 36.56073 + 9.46006. */
static void gcp_prices_are_sums(void **state) {
    (void)state;
    struct offers *o = load_recorded(sky_path("gcp"));
    const struct offer *f = find(o, "skypilot:gcp:a3-highgpu-8g:us-central1");
    assert_float_equal(offer_rate_usd_h(f), 36.56073 + 9.46006, 1e-4);
    assert_float_equal(f->ram_gb, 1872, 1e-3);
    assert_string_equal(gpu_of(f), "H100-SXM5-80GB");
    assert_float_equal(offer_rate_usd_h(find(o, "skypilot:gcp:a3-highgpu-8g:us-central1:spot")), 18.024 + 2.17547,
                       1e-4);
    f = find(o, "skypilot:gcp:n1-standard-8_+_1x_nvidia-tesla-t4:us-central1");
    assert_float_equal(offer_rate_usd_h(f), 0.35 + 0.38, 0.01);
    f = find(o, "skypilot:gcp:a2-megagpu-16g:us-central1");
    assert_int_equal(f->gpus, 16);
    assert_string_equal(gpu_of(find(o, "skypilot:gcp:a2-ultragpu-8g:us-central1")), "A100-SXM4-80GB");
    assert_true(has_problem(o, "", "TPU"));
    for (size_t i = 0; i < o->count; i++)
        assert_true(o->items[i].machine != 0); /* no price of GPUs alone */
    offers_free(o);
}

static void memory_columns_mean_what_they_mean(void **state) {
    static const struct {
        const char *cloud, *id, *gpu;
        int gpus;
        double vram, ram; /* ram < 0: unknown */
    } cases[] = {
        {"lambda", "skypilot:lambda:gpu_8x_a100:us-east-1", "A100-SXM4-40GB", 8, 40, 1800},
        {"lambda", "skypilot:lambda:gpu_1x_rtx6000:us-east-1", "Quadro-RTX-6000", 1, 24, 46},
        {"oci", "skypilot:oci:BM.GPU.A100-v2.8:us-ashburn-1", "A100-SXM4-80GB", 8, 80, 2048},
        {"scp", "skypilot:scp:g1v128a8:KOREA-WEST-1-SCP-B001", "A100-SXM4-80GB", 8, 79.35, 1920},
        {"vast", "skypilot:vast:4x-H100_SXM-32-65536:Thailand_TH_AS", "H100-SXM5-80GB", 4, 79.65, -1},
        {"vast", "skypilot:vast:2x-RTX_5090-32-65536:Pennsylvania_US_NA", "RTX-5090", 2, 31.84, -1},
        {"vast", "skypilot:vast:4x-RTX_5070_Ti-32-65536:Vietnam_VN_AS", "RTX-5070-Ti", 4, 15.92, -1},
        {"runpod", "skypilot:runpod:8x_H100-SXM_SECURE:US", "H100-SXM5-80GB", 8, NAN, -1},
        {"paperspace", "skypilot:paperspace:V100-32Gx4", "V100-PCIe-32GB", 4, NAN, -1},
        {"nebius", "skypilot:nebius:gpu-l40s-a_1gpu-40vcpu-160gb", "L40S", 1, NAN, 160},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct offers *o = load_recorded(sky_path(cases[i].cloud));
        const struct offer *f = find(o, cases[i].id);
        assert_string_equal(gpu_of(f), cases[i].gpu);
        assert_int_equal(f->gpus, cases[i].gpus);
        if (isnan(cases[i].vram))
            assert_true(isnan(f->vram_gb));
        else
            assert_float_equal(f->vram_gb, cases[i].vram, 0.02);
        if (cases[i].ram < 0)
            assert_true(isnan(f->ram_gb) && (f->flags & OFFER_RAM_SUSPECT));
        else
            assert_float_equal(f->ram_gb, cases[i].ram, 0.5);
        offers_free(o);
    }
}

static void prices_that_are_none(void **state) {
    (void)state;
    struct offers *o = load_recorded(sky_path("vast")); /* spot 0.00 everywhere */
    for (size_t i = 0; i < o->count; i++)
        assert_int_equal(o->items[i].rate_kind, RATE_ON_DEMAND);
    offers_free(o);
    o = load_recorded("listings/skypilot-v5-old/vast_vms.csv"); /* spot = price everywhere */
    assert_true(o->count > 500);
    for (size_t i = 0; i < o->count; i++)
        assert_true(o->items[i].rate_kind == RATE_ON_DEMAND && (o->items[i].flags & OFFER_SPOT_GE_ON_DEMAND));
    offers_free(o);
    o = load_recorded("listings/skypilot-v8/mithril_vms.csv");
    assert_int_equal(find(o, "skypilot:mithril:h100-80gb.sxm.8x")->rate_kind, RATE_BID_FLOOR);
    assert_true(find(o, "skypilot:mithril:h100-80gb.sxm.8x")->flags & OFFER_AUCTION_FLOOR);
    offers_free(o);
    o = load_recorded(sky_path("scaleway"));
    assert_string_equal(offers_text(o, offer_extra(o, &o->items[0])->currency), "EUR");
    assert_true(o->items[0].flags & OFFER_CURRENCY_UNKNOWN);
    offers_free(o);
    o = load_recorded("listings/skypilot-v8/verda_vms.csv"); /* some are sold as spot only */
    assert_int_equal(find(o, "skypilot:verda:4B200.120V:FIN-03")->rate_kind, RATE_SPOT);
    offers_free(o);
}

/* The reports of public trackers, in small. */
static void small_faults(void **state) {
    (void)state;
    struct offers *o =
        load_named("InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region\n"
                   "1x_A6000_SECURE,RTXA6000,1,9,50,RTXA6000,0.79,,CA\n"
                   "8x_A6000_SECURE,RTXA6000,8,72,400,RTXA6000,0.79,,CA\n"
                   "8x_A6000_SECURE,RTXA6000,8,72,400,RTXA6000,0.79,,CA\n"
                   "1x_A40_SECURE,A40,1,9,50,A40,0.44,0.49,CA\n"
                   "1x_B300_SECURE,B300 SXM6 262GB,1,9,50,,6,0,CA\n"
                   "1x_X,Zeta 9000,1,9,50,,6,,CA\n"
                   "free,L4,1,9,50,,0,,CA\n"
                   "broken,L4,many,9,50,,1,,CA\n"
                   "dear,L4,1,9,50,,lots,,CA\n",
                   "runpod/vms.csv");
    assert_int_equal(o->count, 6);
    assert_true(find(o, "skypilot:runpod:8x_A6000_SECURE:CA")->flags & OFFER_PRICE_BAND);
    assert_false(find(o, "skypilot:runpod:1x_A6000_SECURE:CA")->flags & OFFER_PRICE_BAND);
    assert_true(find(o, "skypilot:runpod:1x_A40_SECURE:CA")->flags & OFFER_SPOT_GE_ON_DEMAND);
    assert_true(find(o, "skypilot:runpod:1x_X:CA")->flags & OFFER_GPU_UNKNOWN);
    assert_true(find(o, "skypilot:runpod:free:CA")->flags & OFFER_ZERO_PRICE);
    assert_true(has_problem(o, "AcceleratorCount", "number"));
    assert_true(has_problem(o, "Price", "number"));
    assert_true(has_problem(o, "gpu", "Zeta 9000"));
    offers_free(o);
}

/* GPU memory per card, per machine, counted twice, in GB under the name of MiB, host memory, or nonsense. */
static void memory_is_found_by_the_card(void **state) {
    static const struct {
        const char *provider, *size, *total;
        double gb;
        uint32_t flag;
    } cases[] = {
        {"aws", "81920", "655360", 80, 0},
        {"lambda", "81920", "81920", 80, 0},
        {"vast", "652472", "652472", 79.65, OFFER_UNIT_GUESS},
        {"primeintellect", "655360", "5242880", 80, OFFER_UNIT_GUESS},
        {"shadeform", "80", "640", 80, OFFER_UNIT_GUESS},
        {"nebius", "204800", "1638400", NAN, OFFER_VRAM_CONFLICT},
    };
    char text[512], name[64];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text,
                 "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region\n"
                 "8x-H100_SXM-1,H100-SXM,8,90,700,\"{'Gpus': [{'Name': 'H100-SXM', 'MemoryInfo': {'SizeInMiB': %s}}], "
                 "'TotalGpuMemoryInMiB': %s}\",20,,x\n",
                 cases[i].size, cases[i].total);
        snprintf(name, sizeof name, "%s/vms.csv", cases[i].provider);
        struct offers *o = load_named(text, name);
        assert_int_equal(o->count, 1);
        const uint32_t judged = OFFER_UNIT_GUESS | OFFER_VRAM_CONFLICT;
        assert_int_equal(o->items[0].flags & judged, cases[i].flag);
        if (isnan(cases[i].gb))
            assert_true(isnan(o->items[0].vram_gb));
        else
            assert_float_equal(o->items[0].vram_gb, cases[i].gb, 0.01);
        offers_free(o);
    }
}

static void brokers_name_the_provider(void **state) {
    (void)state;
    struct offers *o = load_named(
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,Provider\n"
        "gpu_1x_a100_SXM4,A100_80G_PCIE,1,9,50,,1.5,,CA,DataCrunch\n",
        "standard input");
    assert_string_equal(offers_text(o, o->items[0].provider), "verda");
    assert_true(o->items[0].flags & OFFER_FORM_CONFLICT);
    offers_free(o);
}

/* The same type and place with two prices, and no zone that explains it. */
static void slices_are_parts_of_a_card(void **state) {
    (void)state;
    struct offers *o =
        load_named("InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region\n"
                   "Standard_NV6ads_A10_v5,A10,1,6,55,A10,0.454,,eastus\n"
                   "Standard_NV36ads_A10_v5,A10,1,36,440,A10,3.2,,eastus\n"
                   "eighth,L4,0.125,2,8,L4,0.2,,eastus\n",
                   "azure_vms.csv");
    assert_float_equal(find(o, "skypilot:azure:Standard_NV6ads_A10_v5:eastus")->gpu_fraction, 6.0 / 36, 1e-6);
    assert_true(find(o, "skypilot:azure:Standard_NV6ads_A10_v5:eastus")->flags & OFFER_FRACTION);
    assert_false(find(o, "skypilot:azure:Standard_NV36ads_A10_v5:eastus")->flags & OFFER_FRACTION);
    assert_float_equal(find(o, "skypilot:azure:eighth:eastus")->gpu_fraction, 0.125, 0);
    struct shape shape;
    assert_true(offer_shape(catalog(), o, find(o, "skypilot:azure:eighth:eastus"), 1, &shape));
    assert_true(shape.vram_gib < 3.1 && shape.vram_gib > 2.5);
    offers_free(o);
}

static void two_prices_are_a_contradiction(void **state) {
    (void)state;
    struct offers *o =
        load_named("InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region\n"
                   "t,L4,1,9,50,,0.178,,CA\nt,L4,1,9,50,,0.086,,CA\n",
                   "x_vms.csv");
    assert_int_equal(o->count, 2);
    assert_true(find(o, "skypilot:x:t:CA")->flags & OFFER_PRICE_CONFLICT);
    assert_true(find(o, "skypilot:x:t:CA#2")->flags & OFFER_PRICE_CONFLICT);
    offers_free(o);
}

/* ---- OpenComputePrices ---- */

static void every_collector_loads(void **state) {
    static const char *const files[] = {
        "aethir",     "akash",    "azure",        "coreweave",      "crusoe",   "cudo",        "denvr",
        "e2e",        "gmicloud", "getdeploying", "jarvislabs",     "latitude", "lightningai", "oracle",
        "paperspace", "skypilot", "tensordock",   "thundercompute", "together", "voltagepark", "vultr"};
    struct offers *all = offers_new();
    char path[96];
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "listings/opencomputeprices/%s.csv", files[i]);
        read_recorded(all, path);
    }
    listing_check(&context, all);
    check_all(all);
    assert_true(all->count > 4000);
    for (size_t i = 0; i < all->count; i++) {
        const struct offer *f = &all->items[i];
        if (f->gpu >= 0 && f->rate_microusd / 1e6 / f->gpus > 60)
            fail_msg("%s: %g USD/h", offers_text(all, f->id), offer_rate_usd_h(f));
    }
    offers_free(all);
}

static void collectors_are_put_right(void **state) {
    static const struct {
        const char *file, *id, *gpu;
        int gpus;
        double usd_h;
    } cases[] = {
        {"azure", "ocp:azure:Standard_NC40ads_H100_v5:eastus", "H100-NVL-94GB", 1, 6.98},
        {"azure", "ocp:azure:Standard_NC80adis_H100_v5:eastus", "H100-NVL-94GB", 2, 13.96},
        {"azure", "ocp:azure:Standard_ND96ams_A100_v4:eastus", "A100-SXM4-80GB", 8, 32.77},
        {"azure", "ocp:azure:Standard_NC6s_v3:eastus", "V100-PCIe-16GB", 1, 3.06},
        {"coreweave", "ocp:coreweave:A100", "A100-SXM4-80GB", 8, 21.6},
        {"coreweave", "ocp:coreweave:GB200_NVL72", "GB200-186GB", 4, 42},
        {"oracle", "ocp:oci:BM.GPU.H100.8", "H100-SXM5-80GB", 8, 80},
        {"oracle", "ocp:oci:BM.GPU.GB200.4", "GB200-186GB", 4, 64},
        {"vultr", "ocp:vultr:vcg-a100-24c-240g-160vram:nrt", "A100-SXM4-80GB", 2, 4.795},
        {"getdeploying", "ocp:aws:p6-b200.48xlarge", "B200-SXM-180GB", 8, 113.92},
        {"skypilot", "ocp:oci:BM.GPU.H100.8:uk-london-1", "H100-SXM5-80GB", 8, 80},
    };
    char path[96];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(path, sizeof path, "listings/opencomputeprices/%s.csv", cases[i].file);
        struct offers *o = load_recorded(path);
        const struct offer *f = find(o, cases[i].id);
        assert_int_equal(f->gpus, cases[i].gpus);
        assert_float_equal(offer_rate_usd_h(f), cases[i].usd_h, 0.02);
        if (strcmp(cases[i].file, "vultr") != 0) /* which A100 it has is not said */
            assert_string_equal(gpu_of(f), cases[i].gpu);
        assert_true(f->observed_at > 1774000000 && f->observed_at < 1774400000);
        offers_free(o);
    }
}

static void components_get_a_host(void **state) {
    (void)state;
    struct offers *o = load_recorded("listings/opencomputeprices/tensordock.csv");
    const struct offer *f = find(o, "ocp:tensordock:geforcertx5090-pcie-32gb:Chubbuck_Idaho_United_States");
    assert_string_equal(gpu_of(f), "RTX-5090");
    assert_float_equal(f->vram_gb, 32, 0);
    assert_int_equal(f->rate_basis, RATE_COMPONENT);
    assert_float_equal(offer_rate_usd_h(f), 0.54 + 8 * 0.003 + 48 * 0.002, 1e-6);
    assert_float_equal(offer_extra(o, f)->disk_usd_gb_month, 0.0365, 1e-6);
    assert_non_null(strstr(offers_text(o, f->notes), "8 vCPUs and 48 GB"));
    offers_free(o);
}

static void what_is_no_machine_is_left_out(void **state) {
    static const struct {
        const char *file, *field, *says;
    } cases[] = {
        {"akash", "instance_type", "statistic"},
        {"azure", "price_per_hour", "longer term"},
        {"azure", "os", "Windows"},
        {"azure", "raw_extra", "Low Priority"},
        {"getdeploying", "instance_type", "summary"},
        {"lightningai", "gpu_name", "no GPU named"},
        {"oracle", "instance_type", "no machine"},
        {"skypilot", "price_per_hour", "GPUs alone"},
        {"together", "price_unit", "no price of an hour"},
        {"vultr", "instance_type", "preemptible"},
    };
    char path[96];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(path, sizeof path, "listings/opencomputeprices/%s.csv", cases[i].file);
        struct offers *o = load_recorded(path);
        assert_true(has_problem(o, cases[i].field, cases[i].says));
        offers_free(o);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_catalogue_file_loads),
        cmocka_unit_test(zones_become_regions),
        cmocka_unit_test(azure_counts_come_from_the_machine),
        cmocka_unit_test(gcp_prices_are_sums),
        cmocka_unit_test(memory_columns_mean_what_they_mean),
        cmocka_unit_test(prices_that_are_none),
        cmocka_unit_test(small_faults),
        cmocka_unit_test(slices_are_parts_of_a_card),
        cmocka_unit_test(memory_is_found_by_the_card),
        cmocka_unit_test(brokers_name_the_provider),
        cmocka_unit_test(two_prices_are_a_contradiction),
        cmocka_unit_test(every_collector_loads),
        cmocka_unit_test(collectors_are_put_right),
        cmocka_unit_test(components_get_a_host),
        cmocka_unit_test(what_is_no_machine_is_left_out),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
