/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <math.h>
#include <time.h>

#include "gpuplan/base/csv.h"
#include "gpuplan/base/data.h"
#include "gpuplan/base/err.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/hardware/catalog.h"
#include "gpuplan/hardware/shape.h"
#include "gpuplan/listing/provider.h"

static struct catalog *catalog;

static int setup(void **state) {
    struct err err = {0};
    (void)state;
    catalog = catalog_load(&err);
    if (catalog == NULL)
        print_error("%s:%ld: %s: %s\n", err.file, err.line, err.field, err.text);
    return catalog != NULL ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    catalog_free(catalog);
    return 0;
}

static const struct gpu *card(const char *name) {
    const struct gpu *g = catalog_gpu_exact(catalog, name);
    if (g == NULL)
        fail_msg("no card %s", name);
    return g;
}

#define CHECK(g, condition)                            \
    do {                                               \
        if (!(condition))                              \
            fail_msg("%s: %s", (g)->name, #condition); \
    } while (0)

/* ---- the catalogue's figures against each other ---- */

static void test_ranges(void **state) {
    (void)state;
    assert_true(catalog_gpu_count(catalog) > 140);
    for (size_t i = 0; i < catalog_gpu_count(catalog); i++) {
        const struct gpu *g = catalog_gpu(catalog, i);
        assert_int_equal(catalog_gpu_index(catalog, g), i);
        CHECK(g, g->source[0] != '\0');
        CHECK(g, catalog_gpu_exact(catalog, g->name) == g);
        if (g->cls != GPU_CLASS_GPU)
            continue;
        CHECK(g, g->vram_gb >= 4 && g->vram_gb <= 288);
        /*
         * cards are sold in GiB under the name of GB, so usable stays below the number; ECC and firmware take up
         * to 15 %
         */
        CHECK(g, g->vram_gib_usable <= g->vram_gb && g->vram_gib_usable >= 0.85 * g->vram_gb);
        CHECK(g, g->mem_bw_gbs >= 100 && g->mem_bw_gbs <= 8000);
        CHECK(g, g->fp32_tflops <= 200 && g->fp16_tflops <= 3000);
        CHECK(g, g->tdp_w >= 30 && g->tdp_w <= 1500);
        CHECK(g, g->launch_year >= 2014 && g->launch_year <= 2026);
        CHECK(g, g->pcie_gen >= 3 && g->pcie_gen <= 6);
        CHECK(g, g->pcie_lanes == 4 || g->pcie_lanes == 8 || g->pcie_lanes == 16);
    }
}

static void test_rates_agree(void **state) {
    (void)state;
    for (size_t i = 0; i < catalog_gpu_count(catalog); i++) {
        const struct gpu *g = catalog_gpu(catalog, i);
        if (g->cls != GPU_CLASS_GPU || g->family == GPU_FAMILY_PASCAL)
            continue;
        bool titan = strncmp(g->name, "Titan", 5) == 0;
        if (g->geforce && !titan) /* the half rate of fp32 accumulate is what sets these cards apart */
            CHECK(g, fabs(g->fp16_acc16_tflops / g->fp16_tflops - 2) < 0.02);
        else if (g->fp16_acc16_tflops > 0)
            CHECK(g, g->fp16_acc16_tflops == g->fp16_tflops);
        if (g->bf16_tflops > 0 && g->family != GPU_FAMILY_CDNA && g->fp16_tflops > 0)
            CHECK(g, g->bf16_tflops == g->fp16_tflops);
        if (g->fp8_tflops > 0 && g->fp16_tflops > 0)
            CHECK(g, fabs(g->fp8_tflops / g->fp16_tflops - 2) < 0.05);
        if (g->tf32_tflops > 0 && g->fp16_tflops > 0)
            CHECK(g, fabs(g->fp16_tflops / g->tf32_tflops - 2) < 0.1 || g->family == GPU_FAMILY_CDNA);
        CHECK(g, g->fp8_tflops == 0 || g->family >= GPU_FAMILY_ADA);
        CHECK(g, g->fp4_tflops == 0 || g->family == GPU_FAMILY_BLACKWELL_DC || g->family == GPU_FAMILY_BLACKWELL_WS ||
                     g->launch_year >= 2025);
    }
}

/* One direction and both, GB/s of one link, by generation; GA10x bridges run slower links. */
static void test_nvlink_sums(void **state) {
    static const double per_link[] = {0, 40, 50, 50, 50, 100};
    (void)state;
    for (size_t i = 0; i < catalog_gpu_count(catalog); i++) {
        const struct gpu *g = catalog_gpu(catalog, i);
        CHECK(g, (g->nvlink_links > 0) == (g->nvlink_total_gbs > 0));
        if (g->nvlink_gen == 0)
            continue;
        CHECK(g, g->nvlink_gen <= 5);
        double link = g->family == GPU_FAMILY_GA10X ? 28.125 : per_link[g->nvlink_gen];
        CHECK(g, fabs(g->nvlink_total_gbs / (g->nvlink_links * link) - 1) < 0.05);
        CHECK(g, fabs(gpu_nvlink_gbs(g) * 2 - g->nvlink_total_gbs) < 1e-9);
    }
}

static void test_capability_by_family(void **state) {
    static const struct {
        enum gpu_family family;
        double low, high;
    } bounds[] = {
        {GPU_FAMILY_PASCAL, 3.5, 7.5},
        {GPU_FAMILY_VOLTA, 7.0, 7.0},
        {GPU_FAMILY_TURING, 7.5, 7.5},
        {GPU_FAMILY_GA100, 8.0, 8.0},
        {GPU_FAMILY_GA10X, 8.6, 8.6},
        {GPU_FAMILY_ADA, 8.9, 8.9},
        {GPU_FAMILY_HOPPER, 9.0, 9.0},
        {GPU_FAMILY_BLACKWELL_DC, 10.0, 10.3},
        {GPU_FAMILY_BLACKWELL_WS, 12.0, 12.1},
        {GPU_FAMILY_CDNA, 0, 0},
        {GPU_FAMILY_RDNA, 0, 0},
        {GPU_FAMILY_OTHER, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < catalog_gpu_count(catalog); i++) {
        const struct gpu *g = catalog_gpu(catalog, i);
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
            if (bounds[b].family == g->family)
                CHECK(g, g->compute_capability >= bounds[b].low && g->compute_capability <= bounds[b].high);
        if (g->geforce)
            CHECK(g, !g->p2p_over_pcie || g->family == GPU_FAMILY_PASCAL);
    }
}

static void test_words(void **state) {
    (void)state;
    for (int f = 0; f < GPU_FORM_COUNT; f++)
        assert_int_equal(gpu_form_find(gpu_form_name((enum gpu_form)f)), f);
    assert_int_equal(gpu_form_find("SXM5"), GPU_FORM_SXM);
    assert_int_equal(gpu_form_find("sxm9"), -1);
    for (int k = 0; k < LINK_COUNT; k++)
        assert_int_equal(link_find(link_name((enum link_kind)k)), k);
    for (int k = 0; k < NETWORK_COUNT; k++)
        assert_int_equal(network_find(network_name((enum network_kind)k)), k);
    assert_int_equal(link_find("nvlink"), -1);
    assert_string_equal(gpu_family_name(GPU_FAMILY_GA100), "ga100");
    assert_string_equal(catalog_gpu_nearest(catalog, "A100-SXM4-80G"), "A100-SXM4-80GB");
    assert_null(catalog_gpu_exact(catalog, "A100"));
}

/* ---- spellings ---- */

static struct gpu_match resolve(const char *s) {
    return catalog_gpu_resolve(catalog, s, NUM_UNKNOWN, GPU_FORM_UNKNOWN);
}

static void test_plain_spellings(void **state) {
    static const char *const pairs[][2] = {
        {"A100-80GB-SXM", "A100-SXM4-80GB"},
        {"A100-80G-PCIe", "A100-PCIe-80GB"},
        {"a100_80gb_sxm4", "A100-SXM4-80GB"},
        {"H100-SXM", "H100-SXM5-80GB"},
        {"H100 SXM", "H100-SXM5-80GB"},
        {"H100-NVL", "H100-NVL-94GB"},
        {"NVIDIA H100 80GB HBM3", "H100-SXM5-80GB"},
        {"NVIDIA H100 PCIe", "H100-PCIe-80GB"},
        {"L40S", "L40S"},
        {"L40s 48GB", "L40S"},
        {"RTX6000-Ada", "RTX-6000-Ada"},
        {"RTX-6000-Ada", "RTX-6000-Ada"},
        {"8x RTX 6000 Ada 48GB", "RTX-6000-Ada"},
        {"RTX A6000", "RTX-A6000"},
        {"RTXA6000", "RTX-A6000"},
        {"A6000 (48 GB)", "RTX-A6000"},
        {"NVIDIA GeForce RTX 3090", "RTX-3090"},
        {"geforcertx4090-pcie-24gb", "RTX-4090"},
        {"rtxa4000-pcie-16gb", "RTX-A4000"},
        {"v100-sxm3-32gb", "V100-SXM3-32GB"},
        {"MI300X", "MI300X"},
        {"AMD Instinct MI300X OAM", "MI300X"},
        {"amd_mi300x", "MI300X"},
        {"nvidia-tesla-t4", "T4"},
        {"T4 (16 GB)", "T4"},
        {"NVIDIA T4 Tensor Core", "T4"},
        {"B200 SXM6", "B200-SXM-180GB"},
        {"B300 SXM6 262GB", "B300-SXM-288GB"},
        {"GB200 NVL72", "GB200-186GB"},
        {"NVIDIA GH200 480GB", "GH200-96GB"},
        {"tpu-v5p-1024", "TPU-v5p"},
        {"tpu-v5litepod-8", "TPU-v5e"},
        {"Virtex UltraScale+ (VU47P)", "Virtex-UltraScale"},
        {"Quadro RTX 6000 (24 GB)", "Quadro-RTX-6000"},
        {"RTX 4090", "RTX-4090"},
        {"3080Ti (12 GB)", "RTX-3080-Ti"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct gpu_match m = resolve(pairs[i][0]);
        if (m.gpu != card(pairs[i][1]) || m.ambiguous)
            fail_msg("%s: %s, not %s%s", pairs[i][0], m.gpu != NULL ? m.gpu->name : "nothing", pairs[i][1],
                     m.ambiguous ? " (ambiguous)" : "");
    }
}

/* Never a part of a name, never a size or form that the card does not have. */
static void test_foreign_spellings(void **state) {
    static const char very_long[] = "a very long name that no card has ever had and that is longer than any buffer "
                                    "which might hold it somewhere in this program";
    static const char *const names[] = {
        "",          "-",           "A",       "A10 0",       "RTX A1000 Laptop GPU",
        "A40 80GB",  "L4 PCIe SXM", "H100x",   "B999",        "GTX 9999",
        "NVIDIA",    "8x",          "80GB",    "geforce",     "unknown",
        "RTX 40900", "A4000X",      "T4 48GB", "MI300X SXM5", very_long,
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct gpu_match m = resolve(names[i]);
        if (i == 3) /* blanks are folded: "A10 0" is A100 */
            continue;
        if (m.gpu != NULL)
            fail_msg("'%s' became %s", names[i], m.gpu->name);
    }
    assert_ptr_equal(resolve("A4000").gpu, card("RTX-A4000"));
    assert_ptr_equal(resolve("A40").gpu, card("A40"));
    assert_ptr_equal(resolve("A10").gpu, card("A10"));
}

static void expect_match(const char *s, double vram, enum gpu_form form, const char *name, bool ambiguous) {
    struct gpu_match m = catalog_gpu_resolve(catalog, s, vram, form);
    if (m.gpu != (name != NULL ? card(name) : NULL) || m.ambiguous != ambiguous)
        fail_msg("%s %g: %s %d", s, vram, m.gpu != NULL ? m.gpu->name : "nothing", m.ambiguous);
}

static void test_hints(void **state) {
    (void)state;
    expect_match("A100", NUM_UNKNOWN, GPU_FORM_UNKNOWN, "A100-SXM4-40GB", true);
    expect_match("A100", 80, GPU_FORM_UNKNOWN, "A100-SXM4-80GB", true);
    expect_match("A100", 80, GPU_FORM_PCIE, "A100-PCIe-80GB", false);
    expect_match("A100", 79.15, GPU_FORM_SXM, "A100-SXM4-80GB", false);
    expect_match("A100", 85.9, GPU_FORM_SXM, "A100-SXM4-80GB", false); /* 80 GiB said in GB */
    expect_match("A100 PCIe", 40, GPU_FORM_UNKNOWN, "A100-PCIe-40GB", false);
    expect_match("A100 SXM", 80, GPU_FORM_UNKNOWN, "A100-SXM4-80GB", false);
    expect_match("A100-80GB", NUM_UNKNOWN, GPU_FORM_UNKNOWN, "A100-SXM4-80GB", true);
    expect_match("H100", 93.6, GPU_FORM_PCIE, "H100-NVL-94GB", false);
    expect_match("H100", 80, GPU_FORM_SXM, "H100-SXM5-80GB", false);
    expect_match("H100", 80, GPU_FORM_PCIE, "H100-PCIe-80GB", false);
    expect_match("H100", 640, GPU_FORM_UNKNOWN, "H100-SXM5-80GB", true); /* a hint that fits nothing decides nothing */
    expect_match("RTX 4090", 24, GPU_FORM_UNKNOWN, "RTX-4090", false);
    expect_match("RTX 4090", 47.99, GPU_FORM_UNKNOWN, "RTX-4090-48GB-mod", false);
    expect_match("RTX3060", 8, GPU_FORM_UNKNOWN, "RTX-3060-8GB", false);
    expect_match("RTX3060", NUM_UNKNOWN, GPU_FORM_UNKNOWN, "RTX-3060-12GB", true);
    expect_match("RTX6000", NUM_UNKNOWN, GPU_FORM_UNKNOWN, NULL, true);
    expect_match("RTX6000", 24, GPU_FORM_UNKNOWN, "Quadro-RTX-6000", false);
    expect_match("RTX6000", 48, GPU_FORM_UNKNOWN, "RTX-6000-Ada", false);
    expect_match("RTX6000", 96, GPU_FORM_UNKNOWN, "RTX-PRO-6000-Blackwell-Server", true);
    expect_match("V100", 32, GPU_FORM_UNKNOWN, "V100-SXM2-32GB", true);
    expect_match("V100 (16 GB)", NUM_UNKNOWN, GPU_FORM_SXM, "V100-SXM2-16GB", false);
    expect_match("GH200", 96, GPU_FORM_UNKNOWN, "GH200-96GB", false);
    expect_match("H20", 141, GPU_FORM_UNKNOWN, "H20-141GB", false);
    struct gpu_match m = catalog_gpu_resolve(catalog, "A100", 80, GPU_FORM_PCIE);
    assert_true(m.by_hint);
    assert_int_equal(m.candidate_count, 1);
    m = resolve("A800");
    assert_true(m.ambiguous && m.gpu == NULL && m.candidate_count == 4);
}

/*
 * Every row of the tables names cards that exist: catalog_load() refuses others, so it is enough that each is
 * found again.
 */
static void test_all_aliases_resolve(void **state) {
    static const char *const columns[] = {"alias", "gpu", "candidates"};
    struct data_table *t = data_table_load("gpu_aliases.csv", columns, 3, NULL);
    (void)state;
    assert_non_null(t);
    assert_true(data_table_rows(t) > 200);
    for (size_t i = 0; i < data_table_rows(t); i++) {
        struct gpu_match m = resolve(data_table_cell(t, i, 0));
        const char *want = data_table_cell(t, i, 1);
        if (m.candidate_count == 0 || (*want != '\0' && m.gpu != card(want)))
            fail_msg("%s: %s, not %s", data_table_cell(t, i, 0), m.gpu != NULL ? m.gpu->name : "nothing", want);
    }
    data_table_free(t);
}

/* ---- the names that real listings write ---- */

struct names {
    int column;
    size_t rows, unknown;
};

static bool names_header(void *user, const struct csv_row *row, struct err *err) {
    struct names *n = user;
    (void)err;
    n->column = -1;
    for (size_t i = 0; i < row->count; i++)
        if (strcmp(row->cells[i], "AcceleratorName") == 0 || strcmp(row->cells[i], "gpu_name") == 0)
            n->column = (int)i;
    return n->column >= 0;
}

/* What no card of ours is: other things sold under the same column, and cards too small to be worth a row. */
static bool is_no_card(const char *name) {
    static const char *const known[] = {"", "1", "GPU (unspecified)", "NVL", "NVLink"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i]) == 0)
            return true;
    return false;
}

static bool names_row(void *user, const struct csv_row *row, struct err *err) {
    struct names *n = user;
    const char *name = row->cells[n->column];
    (void)err;
    if (is_no_card(name))
        return true;
    n->rows++;
    if (resolve(name).candidate_count == 0) {
        print_error("line %ld: '%s' is unknown\n", row->line, name);
        n->unknown++;
    }
    return true;
}

static void read_names(const char *file, struct names *n) {
    struct csv_handler handler = {names_header, names_row, n};
    FILE *f = fopen(test_shared(file), "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size_t len = (size_t)ftell(f);
    char *bytes = malloc(len + 1);
    rewind(f);
    assert_int_equal(fread(bytes, 1, len, f), len);
    fclose(f);
    struct err err = {0};
    if (!csv_read(bytes, len, file, &handler, &err))
        fail_msg("%s: %s", file, err.text);
    free(bytes);
}

static void test_listed_names(void **state) {
    static const char *const files[] = {
        "listings/skypilot-v5-old/vast_vms.csv",
        "listings/skypilot-v5-old/fluidstack_vms.csv",
        "listings/skypilot-v7/azure_vms.csv",
        "listings/skypilot-v7/cudo_vms.csv",
        "listings/skypilot-v7/hyperstack_vms.csv",
        "listings/skypilot-v7/ibm_vms.csv",
        "listings/skypilot-v7/lambda_vms.csv",
        "listings/skypilot-v7/nebius_vms.csv",
        "listings/skypilot-v7/oci_vms.csv",
        "listings/skypilot-v7/ovhcloud_vms.csv",
        "listings/skypilot-v7/paperspace_vms.csv",
        "listings/skypilot-v7/runpod_vms.csv",
        "listings/skypilot-v7/scaleway_vms.csv",
        "listings/skypilot-v7/scp_vms.csv",
        "listings/skypilot-v7/vast_vms.csv",
        "listings/skypilot-v8/verda_vms.csv",
        "listings/skypilot-v8/mithril_vms.csv",
        "listings/opencomputeprices/akash.csv",
        "listings/opencomputeprices/crusoe.csv",
        "listings/opencomputeprices/skypilot.csv",
        "listings/opencomputeprices/getdeploying.csv",
        "listings/opencomputeprices/jarvislabs.csv",
        "listings/opencomputeprices/tensordock.csv",
        "listings/opencomputeprices/vultr.csv",
    };
    struct names n = {0};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        read_names(files[i], &n);
    assert_true(n.rows > 10000);
    assert_int_equal(n.unknown, 0);
}

/* ---- machines ---- */

static void test_machines(void **state) {
    (void)state;
    const struct machine *m = catalog_machine(catalog, "aws", "p4d.24xlarge");
    assert_non_null(m);
    assert_ptr_equal(m->gpu, card("A100-SXM4-40GB"));
    assert_int_equal(m->gpus, 8);
    assert_int_equal(m->link, LINK_NVSWITCH);
    assert_true(m->link_gbs == 300 && m->network == NETWORK_EFA && m->network_gbps == 400);
    assert_ptr_equal(catalog_machine(catalog, "AWS", "P4D.24XLARGE"), m);
    assert_null(catalog_machine(catalog, "aws", "p4d.24xlarge2"));
    assert_null(catalog_machine(catalog, "gcp", "p4d.24xlarge"));
    assert_int_equal(catalog_machine(catalog, "aws", "g5.48xlarge")->link, LINK_PCIE_HOST);
    assert_int_equal(catalog_machine(catalog, "aws", "g7e.48xlarge")->link, LINK_PCIE);
    assert_int_equal(catalog_machine(catalog, "azure", "Standard_NC96ads_A100_v4")->link, LINK_NVLINK_BRIDGE);
    assert_int_equal(catalog_machine(catalog, "azure", "Standard_ND96isr_MI300X_v5")->link, LINK_XGMI);
    assert_int_equal(catalog_machine(catalog, "lambda", "gpu_8x_v100")->link, LINK_NVLINK_MESH);
    assert_int_equal(catalog_machine(catalog, "lambda", "gpu_1x_a10")->link, LINK_NONE);
    for (size_t i = 0; i < catalog_machine_count(catalog); i++) {
        m = catalog_machine_at(catalog, i);
        assert_ptr_equal(catalog_machine(catalog, m->provider, m->type), m); /* no type twice */
        if (m->gpu->cls != GPU_CLASS_GPU)
            continue;
        if (!link_possible(m->gpu, m->link, m->gpus))
            fail_msg("%s %s: %d %s cannot have %s", m->provider, m->type, m->gpus, m->gpu->name, link_name(m->link));
        if (fabs(m->vram_gb / m->gpu->vram_gb - 1) > 0.1)
            fail_msg("%s %s: %g GB on a %s", m->provider, m->type, m->vram_gb, m->gpu->name);
        if (num_known(m->link_gbs) && fabs(m->link_gbs / gpu_nvlink_gbs(m->gpu) - 1) > 0.01)
            fail_msg("%s %s: %g GB/s on a %s", m->provider, m->type, m->link_gbs, m->gpu->name);
    }
}

/* ---- links ---- */

static void assert_ordered(const char *what, const struct range *r, double high) {
    if (!(r->low > 0 && r->low <= r->expected && r->expected <= r->high && r->high <= high))
        fail_msg("%s: %g %g %g", what, r->low, r->expected, r->high);
}

static void test_link_rows(void **state) {
    (void)state;
    assert_true(catalog_link_count(catalog) > 30);
    for (size_t i = 0; i < catalog_link_count(catalog); i++) {
        const struct link_row *l = catalog_link_at(catalog, i);
        double high = l->share ? 1 : 900;
        assert_ordered(l->key, &l->ring_gbs, high);
        assert_ordered(l->key, &l->allreduce_gbs, high);
        assert_true(l->allreduce_gbs.expected >= l->ring_gbs.expected);
        assert_true(l->latency_s > 0 && l->latency_s < 1e-3);
        assert_true(l->source[0] != '\0');
    }
}

/* Every card, kind and count has finite, ordered speeds, and no more than the card's wires carry. */
static void test_every_speed(void **state) {
    (void)state;
    for (size_t i = 0; i < catalog_gpu_count(catalog); i++) {
        const struct gpu *g = catalog_gpu(catalog, i);
        for (int k = 0; k < LINK_COUNT; k++) {
            for (int n = 2; n <= 16; n++) {
                struct link_speed s = link_speed(catalog, g, (enum link_kind)k, n, NUM_UNKNOWN, 0, 0);
                if (g->cls != GPU_CLASS_GPU || g->form == GPU_FORM_SOC)
                    continue;
                assert_ordered(g->name, &s.ring_gbs, 900);
                assert_ordered(g->name, &s.allreduce_gbs, 900);
                CHECK(g, s.allreduce_gbs.expected >= s.ring_gbs.expected);
                CHECK(g, s.latency_s > 1e-6 && s.latency_s < 1e-3);
                CHECK(g, s.pair_gbs >= s.ring_gbs.expected);
            }
        }
        CHECK(g, link_worst(g, 1) == LINK_NONE && link_by_product(g, 1) == LINK_NONE);
        if (g->cls == GPU_CLASS_GPU && g->form != GPU_FORM_SOC)
            for (int n = 2; n <= 8; n++)
                CHECK(g, link_possible(g, link_by_product(g, n), n));
    }
}

static struct link_speed speed(const char *name, enum link_kind kind, int n) {
    return link_speed(catalog, card(name), kind, n, NUM_UNKNOWN, 0, 0);
}

static void test_known_links(void **state) {
    (void)state;
    assert_true(speed("A100-SXM4-40GB", LINK_NVSWITCH, 8).ring_gbs.expected == 232);
    assert_true(speed("H100-SXM5-80GB", LINK_NVSWITCH, 8).ring_gbs.expected == 365);
    assert_true(speed("H100-SXM5-80GB", LINK_NVSWITCH, 8).allreduce_gbs.expected == 475);
    assert_true(speed("H100-SXM5-80GB", LINK_NVSWITCH, 4).allreduce_gbs.expected ==
                365); /* too few for in-switch reduction */
    assert_true(speed("B200-SXM-180GB", LINK_NVSWITCH, 5).allreduce_gbs.expected == 680);
    assert_in_range((unsigned)speed("B200-SXM-180GB", LINK_NVSWITCH, 6).allreduce_gbs.expected, 750, 790);
    assert_in_range((unsigned)speed("H200-SXM5-141GB", LINK_NVSWITCH, 5).allreduce_gbs.expected, 400, 430);
    assert_true(speed("H800-SXM5-80GB", LINK_NVSWITCH, 8).ring_gbs.expected == 155);
    assert_true(speed("A800-SXM4-80GB", LINK_NVSWITCH, 8).ring_gbs.expected == 155);
    assert_true(speed("V100-SXM2-16GB", LINK_NVLINK_MESH, 8).ring_gbs.expected == 120);
    assert_true(speed("V100-SXM2-16GB", LINK_NVLINK_MESH, 4).ring_gbs.expected == 110);
    /* k of 8 MI300X reach (k - 1) / 7 of the fabric */
    assert_true(fabs(speed("MI300X", LINK_XGMI, 8).ring_gbs.expected - 310) < 1e-9);
    assert_true(fabs(speed("MI300X", LINK_XGMI, 2).ring_gbs.expected - 310.0 / 7) < 1e-9);
    /* a bridge helps the pair only */
    struct link_speed s = speed("A100-PCIe-80GB", LINK_NVLINK_BRIDGE, 2);
    assert_true(s.ring_gbs.expected == 200 && s.pair_gbs == 200);
    s = speed("A100-PCIe-80GB", LINK_NVLINK_BRIDGE, 4);
    assert_true(s.ring_gbs.expected == 10 && s.pair_gbs == 200);
    assert_true(speed("RTX-3090", LINK_NVLINK_BRIDGE, 2).ring_gbs.expected == 45);
    assert_true(speed("A40", LINK_NVLINK_BRIDGE, 2).ring_gbs.expected == 45);
    assert_true(speed("L40S", LINK_PCIE_HOST, 2).ring_gbs.expected == 10);
    assert_true(speed("L40S", LINK_PCIE_HOST, 8).ring_gbs.expected == 6);
    assert_true(speed("L40S", LINK_PCIE_HOST, 8).ring_gbs.low == 1.4);
    assert_true(speed("L40S", LINK_PCIE, 4).ring_gbs.expected == 20);
    assert_true(speed("RTX-5090", LINK_PCIE_HOST, 4).ring_gbs.expected == 30);
    assert_true(speed("Titan-RTX", LINK_PCIE_HOST, 2).ring_gbs.expected == 5.5);
    /* what cannot be is evaluated as the worst there is */
    assert_string_equal(speed("L40S", LINK_NVSWITCH, 4).source, speed("L40S", LINK_PCIE_HOST, 4).source);
    assert_string_equal(speed("H100-SXM5-80GB", LINK_UNKNOWN, 8).source,
                        speed("H100-SXM5-80GB", LINK_PCIE_HOST, 8).source);
}

/* Published all-reduce figures (nccl-tests and its AMD twin, public kernel tables) lie within the range of their row. */
static void test_measured_links(void **state) {
    static const struct {
        const char *card;
        enum link_kind kind;
        int n;
        double allreduce_gbs;
    } measured[] = {
        {"A100-SXM4-80GB", LINK_NVSWITCH, 8, 234.9},
        {"A100-SXM4-40GB", LINK_NVSWITCH, 8, 231.6},
        {"A100-SXM4-40GB", LINK_NVSWITCH, 8, 230.8},
        {"A100-SXM4-80GB", LINK_NVSWITCH, 8, 200},
        {"A100-SXM4-80GB", LINK_NVSWITCH, 2, 193},
        {"A100-SXM4-80GB", LINK_NVSWITCH, 4, 217},
        {"H100-SXM5-80GB", LINK_NVSWITCH, 8, 483},
        {"H100-SXM5-80GB", LINK_NVSWITCH, 8, 478.9},
        {"H100-SXM5-80GB", LINK_NVSWITCH, 4, 350},
        {"H200-SXM5-141GB", LINK_NVSWITCH, 8, 482.3},
        {"H200-SXM5-141GB", LINK_NVSWITCH, 4, 363.3},
        {"H200-SXM5-141GB", LINK_NVSWITCH, 5, 414},
        {"H200-SXM5-141GB", LINK_NVSWITCH, 6, 436},
        {"H200-SXM5-141GB", LINK_NVSWITCH, 7, 460},
        {"H800-SXM5-80GB", LINK_NVSWITCH, 8, 215},
        {"B200-SXM-180GB", LINK_NVSWITCH, 8, 845.7},
        {"B200-SXM-180GB", LINK_NVSWITCH, 6, 778},
        {"B200-SXM-180GB", LINK_NVSWITCH, 4, 634},
        {"GB200-186GB", LINK_NVSWITCH, 72, 846.8},
        {"A100-PCIe-80GB", LINK_NVLINK_BRIDGE, 2, 208},
        {"A100-PCIe-80GB", LINK_NVLINK_BRIDGE, 3, 20},
        {"H100-PCIe-80GB", LINK_NVLINK_BRIDGE, 2, 116},
        {"RTX-2080-Ti", LINK_NVLINK_BRIDGE, 2, 21.9},
        {"MI300X", LINK_XGMI, 8, 312.9},
        {"MI300X", LINK_XGMI, 2, 47.7},
        {"RTX-5090", LINK_PCIE_HOST, 4, 35},
        {"RTX-5090", LINK_PCIE_HOST, 8, 28},
        {"RTX-4090", LINK_PCIE, 4, 12.8},
        {"RTX-2080-Ti", LINK_PCIE_HOST, 2, 4.0},
        {"L40S", LINK_PCIE_HOST, 2, 20},
        {"L40S", LINK_PCIE_HOST, 4, 5.1},
        {"L40S", LINK_PCIE_HOST, 8, 1.4},
        {"RTX-PRO-6000-Blackwell-Server", LINK_PCIE, 2, 39},
        {"RTX-PRO-6000-Blackwell-Server", LINK_PCIE, 4, 26},
        {"RTX-PRO-6000-Blackwell-Server", LINK_PCIE, 8, 25},
    };
    (void)state;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        struct range r = speed(measured[i].card, measured[i].kind, measured[i].n).allreduce_gbs;
        double x = measured[i].allreduce_gbs;
        if (x < r.low || x > r.high)
            fail_msg("%d %s: measured %g, range %g to %g", measured[i].n, measured[i].card, x, r.low, r.high);
    }
}

/* Between nodes: what each GPU's share of the network carried, of the same published runs. */
static void test_measured_networks(void **state) {
    static const struct {
        enum network_kind kind;
        double gbps, node_gbs;
    } measured[] = {
        {NETWORK_EFA, 400, 8 * 5.22},          {NETWORK_EFA, 3200, 8 * 32.49},  {NETWORK_EFA, 3200, 8 * 43.69},
        {NETWORK_EFA, 3200, 8 * 35.31},        {NETWORK_EFA, 3200, 8 * 36.95},  {NETWORK_ROCE, 3200, 8 * 31.41},
        {NETWORK_INFINIBAND, 3200, 8 * 42.96}, {NETWORK_ROCE, 1600, 8 * 12.64}, {NETWORK_ROCE, 800, 8 * 5.0},
        {NETWORK_ETHERNET, 1600, 8 * 22.59},   {NETWORK_ROCE, 3200, 8 * 23.89}, {NETWORK_ETHERNET, 100, 8 * 0.58},
        {NETWORK_ETHERNET, 32, 2.4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        struct range r = network_speed(catalog, measured[i].kind, measured[i].gbps, card("H100-SXM5-80GB")).node_gbs;
        if (measured[i].node_gbs < r.low || measured[i].node_gbs > r.high)
            fail_msg("%s %g: measured %g, range %g to %g", network_name(measured[i].kind), measured[i].gbps,
                     measured[i].node_gbs, r.low, r.high);
    }
}

static void test_lanes_and_caps(void **state) {
    (void)state;
    const struct gpu *g = card("RTX-4090");
    double full = link_speed(catalog, g, LINK_PCIE_HOST, 4, NUM_UNKNOWN, 0, 0).ring_gbs.expected;
    assert_true(link_speed(catalog, g, LINK_PCIE_HOST, 4, NUM_UNKNOWN, 4, 8).ring_gbs.expected == full / 2);
    assert_true(link_speed(catalog, g, LINK_PCIE_HOST, 4, NUM_UNKNOWN, 3, 1).ring_gbs.expected < 0.5);
    assert_true(link_speed(catalog, g, LINK_PCIE_HOST, 4, NUM_UNKNOWN, 3, 0).ring_gbs.expected == 4);
    assert_true(link_speed(catalog, g, LINK_PCIE_HOST, 4, NUM_UNKNOWN, 5, 32).ring_gbs.expected ==
                full);                                                               /* not more than the card has */
    assert_true(speed("RTX-4060", LINK_PCIE_HOST, 4).ring_gbs.expected == full / 2); /* x8 card */
    g = card("H100-SXM5-80GB");
    struct link_speed s =
        link_speed(catalog, g, LINK_NVSWITCH, 8, 450, 0, 0); /* nominal: above what collectives reach */
    assert_true(s.ring_gbs.expected == 365);
    s = link_speed(catalog, g, LINK_NVSWITCH, 8, 100, 0, 0);
    assert_true(s.ring_gbs.expected == 100 && s.ring_gbs.high == 100 && s.ring_gbs.low < 100 &&
                s.allreduce_gbs.expected == 100);
    assert_string_equal(s.source, "declared");
}

static void test_possible_links(void **state) {
    (void)state;
    assert_true(link_possible(card("A100-SXM4-80GB"), LINK_NVSWITCH, 16));
    assert_false(link_possible(card("H100-SXM5-80GB"), LINK_NVSWITCH, 16));
    assert_false(link_possible(card("H100-PCIe-80GB"), LINK_NVSWITCH, 8));
    assert_false(link_possible(card("V100-SXM2-16GB"), LINK_NVSWITCH, 8));
    assert_true(link_possible(card("V100-SXM3-32GB"), LINK_NVSWITCH, 16));
    assert_true(link_possible(card("RTX-3090"), LINK_NVLINK_BRIDGE, 2));
    assert_false(link_possible(card("RTX-4090"), LINK_NVLINK_BRIDGE, 2));
    assert_false(link_possible(card("RTX-4090"), LINK_PCIE, 2));
    assert_true(link_possible(card("RTX-6000-Ada"), LINK_PCIE, 2));
    assert_false(link_possible(card("MI300X"), LINK_NVSWITCH, 8));
    assert_int_equal(link_by_product(card("A100-SXM4-80GB"), 8), LINK_NVSWITCH);
    assert_int_equal(link_by_product(card("V100-SXM2-16GB"), 8), LINK_NVLINK_MESH);
    assert_int_equal(link_by_product(card("MI300X"), 8), LINK_XGMI);
    assert_int_equal(link_by_product(card("H100-NVL-94GB"), 2), LINK_NVLINK_BRIDGE);
    assert_int_equal(link_by_product(card("RTX-4090"), 8), LINK_PCIE_HOST);
    assert_int_equal(link_by_product(card("L40S"), 4), LINK_PCIE_HOST);
    assert_int_equal(link_worst(card("A100-SXM4-80GB"), 8), LINK_PCIE_HOST);
    assert_int_equal(link_worst(card("GB200-186GB"), 4), LINK_NVSWITCH);
    assert_int_equal(link_island(LINK_NVSWITCH, 8), 8);
    assert_int_equal(link_island(LINK_NVLINK_BRIDGE, 8), 2);
    assert_int_equal(link_island(LINK_PCIE, 8), 1);
}

static void test_networks(void **state) {
    (void)state;
    const struct gpu *h100 = card("H100-SXM5-80GB"), *a100 = card("A100-SXM4-80GB");
    struct network_speed s = network_speed(catalog, NETWORK_INFINIBAND, 3200, h100);
    assert_true(fabs(s.node_gbs.expected - 300) < 1e-9); /* 3200 Gbit/s = 400 GB/s, 75 % of it */
    assert_true(network_speed(catalog, NETWORK_INFINIBAND, NUM_UNKNOWN, a100).node_gbs.expected == 150);
    assert_true(network_speed(catalog, NETWORK_EFA, NUM_UNKNOWN, a100).node_gbs.expected < 50);
    assert_true(network_speed(catalog, NETWORK_NONE, NUM_UNKNOWN, a100).node_gbs.expected == 0);
    double slow = network_speed(catalog, NETWORK_ETHERNET, 10, a100).node_gbs.expected;
    assert_true(slow > 0.7 && slow < 1.1);
    double wide = network_speed(catalog, NETWORK_ETHERNET, 100, a100).node_gbs.expected; /* measured 4 to 6 of 12.5 */
    assert_true(wide > 4 && wide < 7);
    assert_true(network_speed(catalog, NETWORK_UNKNOWN, NUM_UNKNOWN, a100).node_gbs.expected < 1.25);
    for (int k = 0; k < NETWORK_NONE; k++) {
        s = network_speed(catalog, (enum network_kind)k, NUM_UNKNOWN, h100);
        assert_ordered(s.source, &s.node_gbs, 500);
        assert_true(s.latency_s > 1e-6 && s.latency_s < 1e-3);
    }
}

/* ---- shapes ---- */

static struct shape shape_of(const char *name, int gpus) {
    const struct gpu *g = card(name);
    return (struct shape){
        .gpu = g,
        .gpus = gpus,
        .nodes = 1,
        .vram_gib = g->vram_gib_usable,
        .power_limit_w = NUM_UNKNOWN,
        .link = link_by_product(g, gpus),
        .link_gbs = NUM_UNKNOWN,
        .link_source = PROVENANCE_INFERRED,
        .network = NETWORK_UNKNOWN,
        .network_gbps = NUM_UNKNOWN,
        .network_source = PROVENANCE_UNKNOWN,
    };
}

static void test_shape_key(void **state) {
    (void)state;
    struct shape a = shape_of("A100-SXM4-80GB", 8), b = a;
    uint64_t key = shape_key(&a, 1);
    assert_true(shape_key(&b, 1) == key);
    assert_true(shape_key(&b, 2) != key);
    b.network_gbps = 100; /* one node: nothing goes over it */
    assert_true(shape_key(&b, 1) == key);
    b.nodes = 2;
    assert_true(shape_key(&b, 1) != key);
    b = a, b.gpus = 4;
    assert_true(shape_key(&b, 1) != key);
    b = a, b.link = LINK_PCIE_HOST;
    assert_true(shape_key(&b, 1) != key);
    b = a, b.link_source = PROVENANCE_DECLARED; /* as well known as inferred from a table */
    assert_true(shape_key(&b, 1) == key);
    b.link_source = PROVENANCE_UNKNOWN; /* a wider range */
    assert_true(shape_key(&b, 1) != key);
    b = a, b.vram_gib = 39.4;
    assert_true(shape_key(&b, 1) != key);
    b = a, b.pcie_lanes = 8;
    assert_true(shape_key(&b, 1) != key);
    a.link_gbs = 98, b = a, b.link_gbs = 99; /* 1.05^94 = 98.05 */
    assert_true(shape_key(&b, 1) == shape_key(&a, 1));
    b.link_gbs = 108;
    assert_true(shape_key(&b, 1) != shape_key(&a, 1));
    shape_snap(&b);
    assert_true(fabs(b.link_gbs / 108 - 1) < 0.026);
    double once = b.link_gbs;
    shape_snap(&b);
    assert_true(b.link_gbs == once);
    a = shape_of("RTX-4090", 1), b = a;
    b.link = LINK_UNKNOWN, b.link_gbs = 5; /* one GPU has no link */
    assert_true(shape_key(&a, 3) == shape_key(&b, 3));
}

/* ---- overlays, providers, time ---- */

static void put_overlay(const char *name, const char *text) {
    data_overlay(name, text, strlen(text));
}

static void test_overlay(void **state) {
    (void)state;
    struct err err = {0};
    put_overlay(
        "gpus.csv",
        "name,vendor,arch,family,form,class,vram_gb,mem_bw_gbs,fp16,pcie_gen,pcie_lanes,source\n"
        "X900,ACME,X,other,PCIe,gpu,64,2000,500,5,16,mine\nT4,NVIDIA,Turing,turing,PCIe,gpu,15,300,60,3,16,mine\n");
    put_overlay("gpu_aliases.csv", "alias,gpu\nAcme X 900,X900\n");
    struct catalog *c = catalog_load(&err);
    assert_non_null(c);
    assert_int_equal(catalog_gpu_count(c), catalog_gpu_count(catalog) + 1);
    assert_true(catalog_gpu_exact(c, "t4")->vram_gb == 15);
    assert_true(catalog_gpu_resolve(c, "ACME X 900", NUM_UNKNOWN, GPU_FORM_UNKNOWN).gpu ==
                catalog_gpu_exact(c, "X900"));
    catalog_free(c);
    put_overlay("gpus.csv", "name,family,class,vram_gb,mem_bw_gbs\nX900,other,gpu,64,fast\n");
    assert_null(catalog_load(&err));
    assert_string_equal(err.file, "gpus.csv");
    assert_int_equal(err.line, 2);
    assert_string_equal(err.field, "mem_bw_gbs");
    put_overlay("gpus.csv", "name,family,class,vram_gb,mem_bw_gbs\nX900,other,gpu,64,1e9\n");
    assert_null(catalog_load(&err));
    put_overlay("gpus.csv", "vendor,name\nACME,X900\n");
    assert_null(catalog_load(&err));
    data_overlay_clear();
    put_overlay("links.csv", "key,kind,unit,ring_low,ring,ring_high,all_low,all,all_high\nmine,xgmi,gbs,5,4,3,1,1,1\n");
    assert_null(catalog_load(&err));
    put_overlay("machines.csv", "key,provider,type,gpu,link,network\na/b,a,b,no such card,none,none\n");
    assert_null(catalog_load(&err));
    data_overlay_clear();
}

static void test_providers(void **state) {
    (void)state;
    struct err err = {0};
    struct providers *p = providers_load(&err);
    assert_non_null(p);
    assert_true(providers_count(p) >= 35);
    assert_string_equal(providers_find(p, "AWS")->key, "aws");
    assert_string_equal(providers_find(p, "datacrunch")->key, "verda");
    assert_string_equal(providers_find(p, "Vast.ai")->key, "vast");
    assert_string_equal(providers_find(p, "google_cloud")->key, "gcp");
    assert_string_equal(providers_find(p, "nobody has heard of it")->key, "*");
    assert_string_equal(providers_find(p, "")->key, "*");
    assert_int_equal(providers_find(p, "x")->host_class, HOST_MARKET_UNVERIFIED);
    assert_false(num_known(providers_find(p, "x")->billing_step_s));
    for (size_t i = 0; i < providers_count(p); i++) {
        const struct provider *f = providers_at(p, i);
        assert_ptr_equal(providers_find(p, f->key), f);
        assert_true(f->source[0] != '\0');
        if (num_known(f->boot_min))
            assert_true(f->boot_min_low <= f->boot_min && f->boot_min <= f->boot_min_high);
        assert_true(!num_known(f->billing_step_s) || f->billing_step_s <= 3600);
    }
    providers_free(p);
    for (int i = 0; i < HOST_CLASS_COUNT; i++)
        assert_int_equal(host_class_find(host_class_name((enum host_class)i)), i);
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* It runs at every start, in a process that has 50 ms; the bound is wide because of sanitizers and busy machines. */
static void test_load_time(void **state) {
    (void)state;
    double best = INFINITY;
    for (int i = 0; i < 5; i++) {
        double t = now_ms();
        catalog_free(catalog_load(NULL));
        best = fmin(best, now_ms() - t);
    }
    print_message("catalog_load: %.2f ms\n", best);
    assert_true(best < 40);
    double t = now_ms();
    for (int i = 0; i < 100000; i++)
        (void)catalog_gpu_resolve(catalog, i % 2 ? "geforcertx4090-pcie-24gb" : "A100-80GB", NUM_UNKNOWN,
                                  GPU_FORM_UNKNOWN);
    print_message("resolve: %.0f ns\n", (now_ms() - t) * 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_rates_agree),
        cmocka_unit_test(test_nvlink_sums),
        cmocka_unit_test(test_capability_by_family),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_plain_spellings),
        cmocka_unit_test(test_foreign_spellings),
        cmocka_unit_test(test_hints),
        cmocka_unit_test(test_all_aliases_resolve),
        cmocka_unit_test(test_listed_names),
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_link_rows),
        cmocka_unit_test(test_every_speed),
        cmocka_unit_test(test_known_links),
        cmocka_unit_test(test_measured_links),
        cmocka_unit_test(test_measured_networks),
        cmocka_unit_test(test_lanes_and_caps),
        cmocka_unit_test(test_possible_links),
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_shape_key),
        cmocka_unit_test(test_overlay),
        cmocka_unit_test(test_providers),
        cmocka_unit_test(test_load_time),
    };
    return cmocka_run_group_tests_name("hardware", tests, setup, teardown);
}
