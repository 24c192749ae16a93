/* SPDX-License-Identifier: MIT */
#include "decide_support.h"

#include "gpuplan/base/buf.h"
#include "gpuplan/base/csv.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/decide/seen.h"
#include "gpuplan/report/topology.h"

#define catalog tables
static struct topology t;
static struct topology_verdict v;

static void read_file(const char *path, struct buf *out) {
    char part[4096];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        buf_put(out, part, n);
    fclose(f);
}

static void take(const char *text, const char *gpu) {
    struct err err = {0};
    if (!topology_read(text, strlen(text), "test", &t, &err))
        fail_msg("%s", err.text);
    topology_judge(&t, catalog, gpu, &v);
}

static bool has_note(enum topology_note_code code) {
    for (int i = 0; i < v.note_count; i++)
        if (v.notes[i].code == code)
            return true;
    return false;
}

static const struct topology_note *note(enum topology_note_code code) {
    for (int i = 0; i < v.note_count; i++)
        if (v.notes[i].code == code)
            return &v.notes[i];
    fail_msg("no note %d", (int)code);
    return NULL;
}

/* "0,1|2,3": islands of two and more. */
static const char *islands(void) {
    static char out[512];
    size_t len = 0;
    out[0] = '\0';
    for (int k = 0; k < v.islands; k++) {
        int size = 0;
        for (int i = 0; i < t.gpus; i++)
            size += v.island_of[i] == k;
        for (int i = 0, first = 1; i < t.gpus && size > 1; i++)
            if (v.island_of[i] == k) {
                len += (size_t)snprintf(out + len, sizeof out - len, "%s%d", !first ? "," : len ? "|" : "", i);
                first = 0;
            }
    }
    return out;
}

/* ---- what people pasted ---- */

/* Islands of the recordings, where the notes beside them or their matrix name any. */
static const struct {
    const char *file, *islands;
} expected_islands[] = {
    {"01", "0,1"},
    {"03", ""},
    {"04", "0,1"},
    {"09", ""},
    {"10", "2,3"},
    {"12", "0,1|2,3"},
    {"13", "0,1,2,3"},
    {"14", ""},
    {"19", "0,1,2,3,4"},
    {"23", "0,1|2,3|4,5|6,7"},
    {"24", "0,1,2,3,4,5,6,7"},
    {"26", "0,3|1,2|4,5|6,7"},
    {"27", "0,1,2,3|4,5,6,7"},
    {"29", "0,2|1,3|4,7|5,6"},
    {"30", "0,1|2,7|3,4|5,6"},
    {"38", ""},
    {"40", ""},
    {"41", "0,1,2,3,4,5,6,7"},
    {"48", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"},
    {"52", "0,1,2,3|4,5,6,7"},
    {"53", "0,2,3,7|1,4,5,6"},
    {"55", ""},
};

/* How the card of a recording becomes known. */
enum naming { NAMED_BY_OPTION, NAMED_BY_COMMENT, NOT_NAMED };

static bool judge_recording(const char *file, const char *gpu, enum naming naming, const char *expected, int gpus) {
    char name[256];
    struct buf text = {0};
    struct err err = {0};
    snprintf(name, sizeof name, "hardware/topo/%s", file);
    read_file(test_shared(name), &text);
    const char *body = strchr(text.data, '\n') + 1; /* the first line holds the answer */
    size_t skip = naming == NAMED_BY_COMMENT ? 0 : (size_t)(body - text.data);
    if (!topology_read(text.data + skip, text.len - skip, file, &t, &err))
        fail_msg("%s: %s", file, err.text);
    topology_judge(&t, catalog, naming == NAMED_BY_OPTION ? gpu : NULL, &v);
    buf_free(&text);
    bool good = strcmp(topology_class_name(v.cls), expected) == 0;
    if (!good && naming != NOT_NAMED)
        print_error("%s (%s): %s instead of %s\n", file, gpu, topology_class_name(v.cls), expected);
    if (t.gpus != gpus)
        fail_msg("%s: %d GPUs instead of %d", file, t.gpus, gpus);
    return good;
}

static void check_islands(const char *file) {
    for (size_t i = 0; i < sizeof expected_islands / sizeof *expected_islands; i++)
        if (strncmp(file, expected_islands[i].file, 2) == 0 && strcmp(islands(), expected_islands[i].islands) != 0)
            fail_msg("%s: islands %s instead of %s", file, islands(), expected_islands[i].islands);
}

static void test_recordings(void **state) {
    struct buf index = {0};
    struct err err = {0};
    int right[3] = {0};
    (void)state;
    read_file(test_shared("hardware/topo/index.csv"), &index);
    struct csv_table *c = csv_table_read(index.data, index.len, "index.csv", &err);
    assert_non_null(c);
    size_t rows = csv_table_rows(c);
    for (size_t i = 0; i < rows; i++) {
        const char *file = csv_table_cell(c, i, csv_table_column(c, "file"));
        const char *gpu = csv_table_cell(c, i, csv_table_column(c, "gpu"));
        const char *expected = csv_table_cell(c, i, csv_table_column(c, "expected_class"));
        int gpus = (int)csv_table_number(c, i, csv_table_column(c, "n_gpus"));
        for (int k = NAMED_BY_OPTION; k <= NOT_NAMED; k++)
            right[k] += judge_recording(file, gpu, (enum naming)k, expected, gpus);
        judge_recording(file, gpu, NAMED_BY_OPTION, expected, gpus);
        check_islands(file);
    }
    print_message("%zu recordings: %d right with the card given, %d named in the file, %d without its name\n", rows,
                  right[0], right[1], right[2]);
    csv_table_free(c);
    buf_free(&index);
    assert_int_equal(right[NAMED_BY_OPTION], rows);
    assert_int_equal(right[NAMED_BY_COMMENT], rows);
    assert_true(right[NOT_NAMED] * 10 >= (int)rows * 8);
}

/* ---- by hand ---- */

#define LEGEND "\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n"

static void test_plain_matrix(void **state) {
    (void)state;
    take("\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
         "GPU0\t X \tNV18\tPIX\t0-31\t0\t\tN/A\n"
         "GPU1\tNV18\t X \tSYS\t32-63\t1\t\tN/A\n"
         "NIC0\tPIX\tSYS\t X \t\t\t\t\n" LEGEND "\nNIC Legend:\n\n  NIC0: mlx5_3\n",
         "H100 SXM");
    assert_int_equal(t.gpus, 2);
    assert_int_equal(t.rows, 2);
    assert_int_equal(t.nics, 1);
    assert_string_equal(t.nic[0], "mlx5_3");
    assert_string_equal(t.gpu[1].cpus, "32-63");
    assert_string_equal(t.gpu[1].numa, "1");
    assert_int_equal(v.cls, TOPOLOGY_NVSWITCH);
    assert_int_equal(v.link, LINK_NVSWITCH);
    assert_int_equal(v.quality, 'A');
    assert_int_equal(note(NOTE_FAR_NIC)->a, 1);
    assert_true(v.speed.ring_gbs.expected > 300);
}

static void test_degraded_is_slower(void **state) {
    (void)state;
    static const char full[] = "GPU0 GPU1 CPU Affinity NUMA Affinity\nGPU0 X NV12 0-7 0\nGPU1 NV12 X 0-7 0\n";
    static const char less[] = "GPU0 GPU1 CPU Affinity NUMA Affinity\nGPU0 X NV6 0-7 0\nGPU1 NV6 X 0-7 0\n";
    take(full, "A100-SXM4-80GB");
    double before = v.speed.ring_gbs.expected;
    assert_int_equal(v.quality, 'A');
    take(less, "A100-SXM4-80GB");
    assert_int_equal(v.cls, TOPOLOGY_NVSWITCH_DEGRADED);
    assert_int_equal(v.quality, 'F');
    assert_true(v.speed.ring_gbs.expected < 0.51 * before && v.speed.ring_gbs.expected > 0.49 * before);
    assert_int_equal(note(NOTE_BELOW_NOMINAL)->a, 6);
    assert_int_equal(note(NOTE_BELOW_NOMINAL)->b, 12);
    take(less, NULL); /* nobody said which card: nothing to hold it against */
    assert_true(has_note(NOTE_CARD_UNKNOWN));
    assert_false(has_note(NOTE_BELOW_NOMINAL));
}

static void test_wrapped_rows(void **state) {
    (void)state;
    take("\tGPU0\tGPU1\tGPU2\tGP\n" /* a terminal of few columns; nothing is said about the fourth but in the rows */
         "U3\tCPU Affinity\tNUMA Affinity\n"
         "GPU0\t X \tPIX\tNO\n"
         "DE\tSYS\t0-7\t0\n"
         "GPU1\tPIX\t X \tNODE\n"
         "SYS\t0-7\t0\n"
         "GPU2\tNODE\tNODE\t X \tSYS\t0-7\t0\n"
         "GPU3\tSYS\tSYS\tSYS\t X \t8-15\t1\n",
         "RTX A6000");
    assert_int_equal(t.gpus, 4);
    assert_int_equal(t.path[0][2], PATH_NODE);
    assert_int_equal(t.path[1][3], PATH_SYS);
    assert_int_equal(v.cls, TOPOLOGY_PCIE_SWITCH_DUAL);
    assert_string_equal(islands(), "0,1");
    assert_int_equal(v.note_count, 0 + has_note(NOTE_LEAVES_SWITCH));
}

static void test_colours_and_glue(void **state) {
    (void)state;
    take("\x1b[4mGPU0GPU1mlx5_0CPU Affinity\x1b[0m\r\n"
         "GPU0\tXNV4\tPIXPIX\t0-7\r\n"
         "[1mGPU1[0m\tNV4X\tPIX\t0-7\r\n",
         "RTX 3090");
    assert_int_equal(t.gpus, 2);
    assert_int_equal(t.links[0][1], 4);
    assert_int_equal(v.cls, TOPOLOGY_BRIDGE_PAIRS);
    assert_string_equal(t.gpu[0].cpus, "0-7");
}

static void test_unknown_word_is_named(void **state) {
    (void)state;
    take("GPU0 GPU1 GPU2 CPU Affinity NUMA Affinity\n"
         "GPU0 X NODE QQX 0-7 0\n"
         "GPU1 NODE X NODE 0-7 0\n"
         "GPU2 NODE NODE X 0-7 0\n",
         "L4");
    assert_string_equal(note(NOTE_TOKEN)->token, "QQX");
    assert_int_equal(note(NOTE_TOKEN)->line, 2);
    assert_int_equal(v.quality, 'F');          /* what was not understood may be the worst of it */
    assert_int_equal(t.path[0][2], PATH_NODE); /* the other direction says it */
    assert_int_equal(v.cls, TOPOLOGY_HOST_BRIDGE);
}

static void test_truncated(void **state) {
    (void)state;
    take("GPU0 GPU1 GPU2 GPU3 CPU Affinity\nGPU0 X PIX SYS SYS 0-7\nGPU1 PIX X SYS SY\n", NULL);
    assert_int_equal(t.gpus, 4);
    assert_int_equal(t.rows, 2);
    assert_int_equal(note(NOTE_TRUNCATED)->a, 2);
    assert_int_equal(note(NOTE_TRUNCATED)->b, 4);
    assert_int_equal(v.quality, 'F');
    assert_int_equal(t.path[2][3], PATH_UNKNOWN);
}

static void test_no_header(void **state) {
    (void)state;
    take("GPU0 X SYS 0-7 0\nGPU1 SYS X 8-15 1\n", NULL);
    assert_int_equal(t.gpus, 2);
    assert_int_equal(v.cls, TOPOLOGY_CROSS_SOCKET);
    assert_string_equal(t.gpu[1].cpus, "8-15");
}

static void test_nothing_in_it(void **state) {
    static const char *const texts[] = {"",
                                        "\n\n",
                                        "id,gpu\n1,H100\n",
                                        "GPU 0: NVIDIA H100 (UUID: x)\n",
                                        "GPU0 GPU1 CPU Affinity\n",
                                        "bash: nvidia-smi: command not found\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct err err = {0};
        assert_false(topology_read(texts[i], strlen(texts[i]), "x.txt", &t, &err));
        assert_int_equal(err.code, ERR_DATA);
        assert_string_equal(err.file, "x.txt");
        assert_non_null(strstr(err.text, "nvidia-smi topo -m"));
    }
}

static void test_second_matrix(void **state) {
    (void)state;
    take("GPU0 GPU1 CPU Affinity\nGPU0 X PIX 0-7\nGPU1 PIX X 0-7\n\n"
         "GPU0 GPU1 CPU Affinity\nGPU0 X SYS 0-7\nGPU1 SYS X 0-7\n",
         "L4");
    assert_int_equal(t.path[0][1], PATH_PIX);
    assert_int_equal(note(NOTE_SECOND_MATRIX)->line, 6);
}

static void test_probe_facts(void **state) {
    (void)state;
    take("index, name, pcie.link.gen.max, pcie.link.width.current, pcie.link.width.max, power.limit [W], "
         "mig.mode.current\n"
         "0, NVIDIA RTX A6000, 4, 16, 16, 300.00 W, [N/A]\n"
         "1, NVIDIA RTX A6000, 4, 4, 16, 280.00 W, [N/A]\n"
         "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
         "GPU0\t X \tPIX\t0-7\t0\n"
         "GPU1\tPIX\t X \t0-7\t0\n"
         " \tGPU0\tGPU1\n"
         " GPU0\tX\tCNS\n"
         " GPU1\tCNS\tX\n"
         "Hypervisor vendor:     KVM\n",
         NULL);
    assert_non_null(v.gpu);
    assert_string_equal(v.gpu->name, "RTX-A6000");
    assert_int_equal(t.gpu[1].pcie_lanes, 4);
    assert_true(t.gpu[1].power_limit_w > 279 && t.gpu[1].power_limit_w < 281);
    assert_string_equal(t.hypervisor, "KVM");
    assert_int_equal(v.cls, TOPOLOGY_PCIE_SWITCH);
    assert_int_equal(v.link, LINK_PCIE_HOST); /* its place would allow peer access, the chipset does not */
    assert_true(has_note(NOTE_P2P_OFF));
    assert_int_equal(note(NOTE_LANES)->b, 4);
    assert_int_equal(v.pcie_lanes, 4);
    assert_int_equal(v.quality, 'D');
}

static void test_links_down(void **state) {
    struct buf b = {0};
    (void)state;
    for (int g = 0; g < 2; g++) {
        buf_printf(&b, "GPU %d: NVIDIA H100 80GB HBM3 (UUID: GPU-1-2)\n", g);
        for (int k = 0; k < 18; k++)
            buf_printf(&b, "\t Link %d: %s\n", k, g == 1 && k > 15 ? "<inactive>" : "26.562 GB/s");
    }
    buf_puts(&b, "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV18\t0-7\nGPU1\tNV18\t X \t0-7\n");
    take(b.data, NULL);
    buf_free(&b);
    assert_string_equal(v.gpu->name, "H100-SXM5-80GB");
    assert_int_equal(note(NOTE_LINKS_DOWN)->a, 1);
    assert_int_equal(note(NOTE_LINKS_DOWN)->b, 2);
    assert_int_equal(v.quality, 'F');
}

static void test_best_subset(void **state) {
    int best[TOPOLOGY_MAX_GPUS];
    static struct topology part;
    (void)state;
    take("GPU0 GPU1 GPU2 GPU3 GPU4 GPU5 CPU Affinity\n"
         "GPU0 X SYS NV4 SYS SYS NODE 0-7\nGPU1 SYS X SYS PIX NV4 SYS 8-15\nGPU2 NV4 SYS X SYS SYS NODE 0-7\n"
         "GPU3 SYS PIX SYS X PIX SYS 8-15\nGPU4 SYS NV4 SYS PIX X SYS 8-15\nGPU5 NODE SYS NODE SYS SYS X 0-7\n",
         "RTX A6000");
    assert_int_equal(v.cls, TOPOLOGY_BRIDGE_PAIRS_PARTIAL);
    topology_best(&t, 2, best);
    assert_int_equal(best[0], 0);
    assert_int_equal(best[1], 2);
    topology_best(&t, 3, best);
    assert_memory_equal(best, ((int[]){1, 3, 4}), 3 * sizeof(int));
    topology_order(&t, 2, best);
    assert_memory_equal(best, ((int[]){0, 2, 1, 4, 3, 5}), 6 * sizeof(int));
    topology_subset(&t, (int[]){0, 2}, 2, &part);
    topology_judge(&part, catalog, "RTX A6000", &v);
    assert_int_equal(v.cls, TOPOLOGY_BRIDGE_PAIRS);
    assert_int_equal(v.quality, 'B');
}

/* What is drawn for a claim is read as that claim. */
static void test_assumed(void **state) {
    static const struct {
        const char *gpu;
        enum link_kind link;
        int gpus;
        enum topology_class cls;
    } rows[] = {
        {"H100-SXM5-80GB", LINK_NVSWITCH, 8, TOPOLOGY_NVSWITCH},
        {"V100-SXM2-16GB", LINK_NVLINK_MESH, 8, TOPOLOGY_CUBE_MESH},
        {"H100-SXM5-80GB", LINK_NVLINK_MESH, 4, TOPOLOGY_DIRECT_MESH},
        {"RTX-3090", LINK_NVLINK_BRIDGE, 4, TOPOLOGY_BRIDGE_PAIRS},
        {"MI300X", LINK_XGMI, 8, TOPOLOGY_XGMI},
        {"L40S", LINK_PCIE, 4, TOPOLOGY_PCIE_SWITCH},
        {"RTX-4090", LINK_PCIE_HOST, 2, TOPOLOGY_HOST_BRIDGE},
        {"RTX-4090", LINK_PCIE_HOST, 8, TOPOLOGY_HOST_BRIDGE_DUAL},
        {"L4", LINK_NONE, 1, TOPOLOGY_SINGLE_GPU},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        topology_assume(catalog_gpu_exact(catalog, rows[i].gpu), rows[i].link, rows[i].gpus, &t);
        topology_judge(&t, catalog, NULL, &v);
        if (v.cls != rows[i].cls || v.link != rows[i].link)
            fail_msg("%s %s: %s, %s", rows[i].gpu, link_name(rows[i].link), topology_class_name(v.cls),
                     link_name(v.link));
    }
}

/* ---- against the listing ---- */

#define TWO_OFFERS                                                                                   \
    LISTING_HEAD ",link\n"                                                                           \
                 "a:4,lambda,a4,A100-PCIe-80GB,4,6,machine,on_demand,x,900,4000,yes,nvlink_bridge\n" \
                 "b:8,lambda,b8,A100-SXM4-80GB,8,16,machine,on_demand,x,900,4000,yes,nvswitch\n"     \
                 "c:2,lambda,c2,A100-SXM4-80GB,2,4,machine,on_demand,x,900,4000,yes,nvswitch\n"

static void test_weighed(void **state) {
    struct world w;
    struct seen *s = mem_zero(1, sizeof *s);
    struct buf b = {0};
    (void)state;
    WORLD(&w, TWO_OFFERS, "preset=full-8b");
    take("GPU0 GPU1 CPU Affinity NUMA Affinity\nGPU0 X SYS 0-7 0\nGPU1 SYS X 8-15 1\n", "A100-SXM4-80GB");
    const struct offer *f = seen_reference(w.r, catalog_gpu_index(tables, v.gpu), t.gpus);
    assert_non_null(f);
    assert_string_equal(offers_text(w.offers, f->id), "c:2"); /* just as many GPUs */
    seen_weigh(w.r, &t, "A100-SXM4-80GB", f, s);
    assert_int_equal(s->claimed.shape.link, LINK_NVSWITCH);
    assert_int_equal(s->row[0].gpus, 2);
    assert_int_equal(s->row[0].c.shape.link, LINK_PCIE_HOST);
    assert_int_equal(s->row[0].c.shape.link_source, PROVENANCE_MEASURED);
    assert_int_equal(s->row[0].c.risk.grade, RISK_LOW); /* somebody looked: nothing is left to find out */
    assert_true(s->row[0].c.cost.time_h.expected > s->claimed.cost.time_h.expected);
    topology_meaning(&b, &w.q, &t, s);
    assert_non_null(strstr(b.data, "more than with the listed link"));
    assert_null(seen_reference(w.r, catalog_gpu_index(tables, catalog_gpu_exact(tables, "L4")), 1));
    buf_free(&b);
    free(s);
    world_free(&w);
}

/* Those that split a layer stand next to each other. */
static void test_devices(void **state) {
    struct world w;
    struct seen *s = mem_zero(1, sizeof *s);
    struct buf b = {0};
    (void)state;
    WORLD(&w, TWO_OFFERS, "preset=lora-8b", "tp=2", "max_gpus=4");
    take("GPU0 GPU1 GPU2 GPU3 CPU Affinity\nGPU0 X SYS NV12 SYS 0-7\nGPU1 SYS X SYS NV12 8-15\n"
         "GPU2 NV12 SYS X SYS 0-7\nGPU3 SYS NV12 SYS X 8-15\n",
         "A100-PCIe-80GB");
    seen_weigh(w.r, &t, "A100-PCIe-80GB", offers_find(w.offers, "a:4"), s);
    assert_int_equal(s->count, 3); /* all, a pair, one */
    assert_int_equal(s->row[0].c.e.layout.tp, 2);
    topology_devices(&b, &t, &s->row[0]);
    assert_string_equal(b.data, "CUDA_VISIBLE_DEVICES=0,2,1,3");
    assert_int_equal(s->row[1].verdict.link, LINK_NVLINK_BRIDGE);
    assert_int_equal(s->row[2].c.reason.code != REASON_NONE, true); /* tp=2 on one GPU */
    buf_free(&b);
    free(s);
    world_free(&w);
}

static void test_every_code_has_words(void **state) {
    (void)state;
    for (int c = 0; c < TOPOLOGY_CLASS_COUNT; c++)
        assert_true(strlen(topology_class_label((enum topology_class)c)) > 5 &&
                    *topology_class_name((enum topology_class)c));
    for (int c = 0; c < NOTE_CODE_COUNT; c++) {
        struct buf b = {0};
        const struct topology_note n = {.code = (enum topology_note_code)c, .a = 1, .b = 2, .line = 3, .token = "x"};
        topology_note_text(&b, &n);
        assert_true(b.len > 5);
        buf_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recordings),
        cmocka_unit_test(test_plain_matrix),
        cmocka_unit_test(test_degraded_is_slower),
        cmocka_unit_test(test_wrapped_rows),
        cmocka_unit_test(test_colours_and_glue),
        cmocka_unit_test(test_unknown_word_is_named),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_no_header),
        cmocka_unit_test(test_nothing_in_it),
        cmocka_unit_test(test_second_matrix),
        cmocka_unit_test(test_probe_facts),
        cmocka_unit_test(test_links_down),
        cmocka_unit_test(test_best_subset),
        cmocka_unit_test(test_assumed),
        cmocka_unit_test(test_weighed),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_every_code_has_words),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
