/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <math.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/estimate/calibration.h"

static struct catalog *catalog;
static struct models *models;

static int setup(void **state) {
    (void)state;
    catalog = catalog_load(NULL);
    models = models_load(NULL);
    return catalog && models ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    catalog_free(catalog);
    models_free(models);
    return 0;
}

static struct nccl_log *read_log(const char *text, size_t len) {
    static struct nccl_log log;
    struct err err = {0};
    if (!nccl_read(text, len, "log.txt", &log, &err))
        fail_msg("%s", err.text);
    return &log;
}

static void near(double got, double want, double share) {
    if (!(fabs(got - want) <= share * fabs(want)))
        fail_msg("got %.9g, wanted %.9g", got, want);
}

/* ---- logs ---- */

/* What people published: how many took part (0: the log does not say), the best figure. */
static void test_recordings(void **state) {
    static const struct {
        const char *file;
        int gpus, nodes, rows;
        double peak;
    } logs[] = {
        {"01_2node_16x_a100_80gb_p4de_efa400.txt", 16, 0, 29, 78.33},
        {"02_2node_16x_h100_p5_efa3200.txt", 16, 0, 32, 487.26},
        {"03_1node_8x_h100_p5_nvswitch_mpiprefix.txt", 8, 0, 32, 483.35},
        {"04_2node_16x_h100_a3mega_tcpxo.txt", 16, 2, 31, 338.82},
        {"05_72x_gb200_nvl72_1rack.txt", 72, 0, 5, 846.82},
        {"06_144x_gb200_2racks.txt", 144, 0, 6, 820.36},
        {"07_1440x_gb200_20racks.txt", 1440, 0, 6, 405.74},
        {"08_64x_h100_8node_ib_sharp.txt", 0, 0, 5, 386.56},
        {"09_2node_16x_h100_oci_rdma.txt", 16, 2, 5, 471.22},
        {"10_2node_16x_a100_40gb_oci_rdma.txt", 16, 2, 4, 189.60},
        {"11_2node_16x_mi300x_oci_rccl.txt", 16, 2, 5, 358.37},
        {"12_1node_8x_a100_80gb_trimmed_underscores.txt", 8, 0, 20, 234.89},
        {"13_1node_8x_h200_markdown_table.txt", 8, 0, 20, 482.26},
        {"14_8x_vs_32x_b200_p6_efa_markdown.txt", 0, 0, 20, 845.67},
        {"15_1node_8x_a100_nd96_markdown.txt", 0, 0, 24, 231.58},
        {"16_1node_8x_h100_nd96_markdown.txt", 0, 0, 24, 478.87},
        {"17_1node_8x_h200_nd96_markdown.txt", 0, 0, 24, 479.98},
        {"18_1node_2x_2080ti_pcie3_no_p2p.txt", 2, 1, 28, 4.00},
        {"19_1node_2x_h100pcie_nvl_bridge.txt", 2, 0, 2, 115.93},
        {"20_1node_2x_2080ti_nvlink_bridge_oldformat.txt", 2, 0, 13, 21.86},
        {"21_oldformat_reduce_error_column.txt", 8, 0, 5, 16.99},
        {"22_1node_4x_rtx4090_p2p_patched_partial.txt", 4, 0, 6, 12.77},
    };
    (void)state;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        char name[256], part[4096];
        struct buf b = {0};
        snprintf(name, sizeof name, "hardware/nccl/%s", logs[i].file);
        FILE *f = fopen(test_shared(name), "rb");
        assert_non_null(f);
        for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
            buf_put(&b, part, n);
        fclose(f);
        const struct nccl_log *log = read_log(b.data, b.len);
        if (log->gpus != logs[i].gpus || log->nodes != logs[i].nodes || log->count != logs[i].rows ||
            fabs(log->peak_gbs - logs[i].peak) > 1e-6)
            fail_msg("%s: %d GPUs, %d nodes, %d rows, %g GB/s", logs[i].file, log->gpus, log->nodes, log->count,
                     log->peak_gbs);
        buf_free(&b);
    }
}

static const char pair_log[] = "#  Rank  0 Group  0 Pid   7 on box device  0 [0x0f] NVIDIA L40S\n"
                               "#  Rank  1 Group  0 Pid   7 on box device  1 [0x2f] NVIDIA L40S\n"
                               "#       size         count      type   redop    root     time   algbw   busbw #wrong"
                               "     time   algbw   busbw #wrong\n"
                               "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n"
                               "        1024           256     float     sum      -1     9.51    0.11    0.11      0"
                               "     9.40    0.11    0.11      0\n"
                               "   268435456      67108864     float     sum      -1    26844   10.00   10.00      0"
                               "    26315   10.20   10.20      0\n"
                               "# Avg bus bandwidth    : 5\n";

static void test_log(void **state) {
    (void)state;
    const struct nccl_log *log = read_log(pair_log, sizeof pair_log - 1);
    assert_string_equal(log->gpu, "NVIDIA L40S");
    assert_int_equal(log->gpus, 2);
    assert_int_equal(log->nodes, 1);
    assert_int_equal(log->operation, NCCL_ALL_REDUCE);
    near(log->peak_gbs, 10.2, 1e-9);
    near(log->smallest_us, 9.51, 1e-9);
    struct err err = {0};
    static struct nccl_log none;
    assert_false(nccl_read("nothing\n1 2 3\n", 14, "x.log", &none, &err));
    assert_string_equal(err.file, "x.log");
}

static struct range link_range(const struct catalog *c, const char *key) {
    for (size_t i = 0; i < catalog_link_count(c); i++)
        if (strcmp(catalog_link_at(c, i)->key, key) == 0)
            return catalog_link_at(c, i)->ring_gbs;
    fail_msg("no link %s", key);
    return range_exact(0);
}

static void test_link_from_log(void **state) {
    struct calibration *k = mem_zero(1, sizeof *k);
    struct err err = {0};
    (void)state;
    struct range was = link_range(catalog, "pcie_host.gen4.x2");
    calibration_take_log(k, catalog, read_log(pair_log, sizeof pair_log - 1), "pair", NULL, LINK_UNKNOWN, 0);
    assert_int_equal(k->count, 2);
    assert_int_equal(k->note_count, 0);
    struct catalog *own = catalog_load(NULL);
    assert_true(calibration_apply_links(k, own, "x", &err));
    struct range is = link_range(own, "pcie_host.gen4.x2");
    near(is.expected, 10.2, 1e-6);
    assert_true(is.high - is.low < (was.high - was.low) / 4);
    struct link_speed s = link_speed(own, catalog_gpu_exact(own, "L40S"), LINK_PCIE_HOST, 2, NUM_UNKNOWN, 0, 0);
    near(s.ring_gbs.expected, 10.2, 1e-6);
    catalog_free(own);
    free(k);
}

/* What cannot be used is said, and changes nothing. */
static void test_unusable_logs(void **state) {
    struct calibration *k = mem_zero(1, sizeof *k);
    struct nccl_log log = *read_log(pair_log, sizeof pair_log - 1);
    (void)state;
    log.nodes = 2;
    calibration_take_log(k, catalog, &log, "a", NULL, LINK_UNKNOWN, 0);
    log.nodes = 1;
    log.peak_bytes = 1e6;
    calibration_take_log(k, catalog, &log, "b", NULL, LINK_UNKNOWN, 0);
    log.peak_bytes = 1e9;
    log.gpu[0] = '\0';
    calibration_take_log(k, catalog, &log, "c", NULL, LINK_UNKNOWN, 0);
    log.gpus = 0;
    calibration_take_log(k, catalog, &log, "d", catalog_gpu_exact(catalog, "L40S"), LINK_UNKNOWN, 0);
    log.peak_gbs = 900; /* of two cards on PCIe */
    calibration_take_log(k, catalog, &log, "e", catalog_gpu_exact(catalog, "L40S"), LINK_UNKNOWN, 2);
    static const enum calibration_note_code want[] = {CALIBRATION_NODES, CALIBRATION_SMALL, CALIBRATION_NO_CARD,
                                                      CALIBRATION_NO_COUNT, CALIBRATION_FAR_OFF};
    assert_int_equal(k->count, 0);
    assert_int_equal(k->note_count, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(k->notes[i].code, want[i]);
    free(k);
}

/* ---- jobs ---- */

#define HEAD                                                                                                      \
    "id,kind,task,model,params_b,layers,hidden,heads,kv_heads,ffn,vocab,gpu,gpus,intra_node,precision,optimizer," \
    "strategy,recompute,seq_len,micro_batch,global_batch,metric,value\n"
#define ROW(id, gpus, link, strategy, batch)                                                                \
    id ",train,full,own,1.1,22,2048,32,4,5632,32000,A100-SXM4-80GB," #gpus "," link ",bf16,adamw," strategy \
       ",none,2048,4," #batch ",tokens_per_s,10000\n"

static void read_jobs(struct measurements *m, const char *csv) {
    struct err err = {0};
    if (!measurements_read(catalog, models, csv, strlen(csv), "jobs.csv", m, &err))
        fail_msg("%s", err.text);
}

static const struct measurement **list_of(const struct measurements *m) {
    const struct measurement **rows = mem_zero(m->count, sizeof *rows);
    for (size_t i = 0; i < m->count; i++)
        rows[i] = &m->rows[i];
    return rows;
}

/* Jobs that run at 0.8 of what was predicted give back that factor, and a narrower range. */
static void test_jobs(void **state) {
    struct assumptions a, own;
    struct measurements m;
    struct prediction before, after;
    struct calibration *k = mem_zero(1, sizeof *k);
    struct err err = {0};
    (void)state;
    assumptions_init(&a);
    read_jobs(&m, HEAD ROW("a", 1, "none", "single", 16) ROW("b", 1, "none", "single", 32)
                      ROW("c", 1, "none", "single", 64));
    for (size_t i = 0; i < m.count; i++) {
        measurement_predict(catalog, &m.rows[i], &a, &before);
        assert_null(before.why);
        m.rows[i].value = 0.8 * before.value.expected;
    }
    const struct measurement **rows = list_of(&m);
    struct catalog *moved = catalog_load(NULL);
    calibration_take_jobs(k, moved, rows, m.count, &a);
    assert_int_equal(k->jobs, 3);
    near(k->error_before, -log(0.8), 1e-6);
    assert_true(k->error_after < 0.01);
    own = a;
    assert_true(calibration_apply_assumptions(k, &own, "x", &err));
    assert_int_equal(own.source[ASSUME_TRAIN_GEMM_GA100], PROVENANCE_MEASURED);
    assert_int_equal(own.source[ASSUME_TRAIN_GEMM_HOPPER], PROVENANCE_ASSUMED);
    measurement_predict(catalog, &m.rows[2], &a, &before);
    measurement_predict(catalog, &m.rows[2], &own, &after);
    near(after.value.expected, m.rows[2].value, 0.01);
    assert_true(after.value.high / after.value.low < before.value.high / before.value.low);
    free(rows);
    measurements_free(&m);
    catalog_free(moved);
    free(k);
}

/* One run makes nobody certain: its range stays wider than that of many. */
static void test_one_job_is_little(void **state) {
    struct assumptions a;
    struct measurements m;
    struct prediction p;
    double width[2];
    (void)state;
    assumptions_init(&a);
    for (int many = 0; many < 2; many++) {
        struct calibration *k = mem_zero(1, sizeof *k);
        read_jobs(&m, many ? HEAD ROW("a", 1, "none", "single", 16) ROW("b", 1, "none", "single", 16)
                                 ROW("c", 1, "none", "single", 16) ROW("d", 1, "none", "single", 16)
                           : HEAD ROW("a", 1, "none", "single", 16));
        for (size_t i = 0; i < m.count; i++) {
            measurement_predict(catalog, &m.rows[i], &a, &p);
            m.rows[i].value = 0.9 * p.value.expected;
        }
        const struct measurement **rows = list_of(&m);
        calibration_take_jobs(k, catalog, rows, m.count, &a);
        assert_int_equal(k->rows[0].count, m.count);
        width[many] = k->rows[0].is.high / k->rows[0].is.low;
        free(rows);
        measurements_free(&m);
        free(k);
    }
    assert_true(width[1] < width[0]);
}

/* Several GPUs that are slower than one lets expect: the link is what they tell about. */
static void test_link_from_jobs(void **state) {
    struct assumptions a;
    struct measurements m;
    struct prediction p;
    struct calibration *k = mem_zero(1, sizeof *k);
    (void)state;
    assumptions_init(&a);
    read_jobs(&m, HEAD ROW("a", 1, "none", "single", 4) ROW("b", 2, "pcie_host", "ddp", 8));
    struct catalog *slow = catalog_load(NULL), *moved = catalog_load(NULL);
    struct range r = range_scale(link_range(slow, "pcie_host.gen4.x2"), 0.6);
    assert_true(catalog_link_set(slow, "pcie_host.gen4.x2", r, r));
    for (size_t i = 0; i < m.count; i++) {
        measurement_predict(slow, &m.rows[i], &a, &p);
        assert_null(p.why);
        m.rows[i].value = p.value.expected;
    }
    const struct measurement **rows = list_of(&m);
    calibration_take_jobs(k, moved, rows, m.count, &a);
    bool found = false;
    for (int i = 0; i < k->count; i++)
        if (k->rows[i].what == CALIBRATION_RING) {
            assert_string_equal(k->rows[i].key, "pcie_host.gen4.x2");
            near(k->rows[i].is.expected, r.expected, 0.02);
            found = true;
        }
    assert_true(found);
    free(rows);
    measurements_free(&m);
    catalog_free(slow);
    catalog_free(moved);
    free(k);
}

/* ---- files ---- */

static void test_file(void **state) {
    struct calibration *k = mem_zero(2, sizeof *k);
    struct buf b = {0};
    struct err err = {0};
    (void)state;
    calibration_take_log(k, catalog, read_log(pair_log, sizeof pair_log - 1), "pair", NULL, LINK_UNKNOWN, 0);
    calibration_put(&b, k);
    assert_true(calibration_read(b.data, b.len, "k.csv", &k[1], &err));
    assert_int_equal(k[1].count, k[0].count);
    for (int i = 0; i < k->count; i++) {
        assert_string_equal(k[1].rows[i].key, k[0].rows[i].key);
        near(k[1].rows[i].is.expected, k[0].rows[i].is.expected, 1e-5);
    }
    buf_free(&b);
    static const struct {
        const char *text, *says;
    } bad[] = {{"a,b\n1,2\n", "no column what"},
               {"what,key,low,expected,high,count\nspeed,x,1,2,3,1\n", "is not one of"},
               {"what,key,low,expected,high,count\nassumption,train.sigma.base,3,2,1,1\n", "low <= expected"},
               {"what,key,low,expected,high,count\nassumption,train.sigma.base,0,nan,1e99,1\n", "low <= expected"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (struct err){0};
        assert_false(calibration_read(bad[i].text, strlen(bad[i].text), "k.csv", k, &err));
        assert_non_null(strstr(err.text, bad[i].says));
        assert_string_equal(err.file, "k.csv");
    }
    static const char unknown[] =
        "what,key,low,expected,high,count\nassumption,no.such,1,2,3,1\nlink_ring,no,1,2,3,1\n";
    struct assumptions a;
    assumptions_init(&a);
    assert_true(calibration_read(unknown, sizeof unknown - 1, "k.csv", k, &err));
    assert_false(calibration_apply_assumptions(k, &a, "k.csv", &err));
    assert_string_equal(err.field, "no.such");
    assert_false(calibration_apply_links(k, catalog, "k.csv", &err));
    free(k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recordings),     cmocka_unit_test(test_log),  cmocka_unit_test(test_link_from_log),
        cmocka_unit_test(test_unusable_logs),  cmocka_unit_test(test_jobs), cmocka_unit_test(test_one_job_is_little),
        cmocka_unit_test(test_link_from_jobs), cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
