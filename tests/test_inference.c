/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <math.h>
#include <strings.h>

#include "gpuplan/base/csv.h"
#include "gpuplan/base/data.h"
#include "gpuplan/estimate/engine.h"
#include "gpuplan/estimate/estimate.h"
#include "gpuplan/estimate/measurement.h"
#include "gpuplan/estimate/trace.h"
#include "gpuplan/io/io.h"
#include "table_support.h"

/* "key=value key=value …" as in a workload file; the task is inference. */
static struct job job_of(const char *pairs) {
    char text[512];
    char *at = NULL;
    struct workload w;
    struct job j;
    struct err err = {0};

    workload_init(&w);
    assert_true(workload_set(&w, "task", "inference", &err));
    snprintf(text, sizeof text, "%s", pairs);
    for (char *pair = strtok_r(text, " ", &at); pair != NULL; pair = strtok_r(NULL, " ", &at))
        if (!workload_set_pair(&w, pair, &err))
            fail_msg("%s: %s", pair, err.text);
    if (!job_resolve(&w, models, &j, &err))
        fail_msg("%s: %s", pairs, err.text);
    return j;
}

static struct shape shape_of(const char *gpu, int gpus, enum link_kind link) {
    const struct gpu *g = catalog_gpu_exact(catalog, gpu);

    assert_non_null(g);
    return (struct shape){.gpu = g,
                          .gpus = gpus,
                          .nodes = 1,
                          .vram_gib = g->vram_gib_usable,
                          .power_limit_w = NUM_UNKNOWN,
                          .link = gpus > 1 ? link : LINK_NONE,
                          .link_gbs = NUM_UNKNOWN,
                          .network = NETWORK_NONE,
                          .network_gbps = NUM_UNKNOWN};
}

static struct estimate best(const struct job *j, const struct shape *s) {
    struct estimate_set set;

    estimate_search(catalog, j, s, &assumptions, &set);
    assert_true(set.count >= 1);
    return set.e[0];
}

static struct estimate plan(const char *gpu, int gpus, enum link_kind link, const char *pairs) {
    struct job j = job_of(pairs);
    struct shape s = shape_of(gpu, gpus, link);

    return best(&j, &s);
}

static void assert_between(double x, double low, double high, const char *what) {
    if (!(x >= low && x <= high))
        fail_msg("%s: %g is not within %g and %g", what, x, low, high);
}

/* ---- engines ---- */

static void every_engine_has_a_row_of_today(void **state) {
    static const char *const names[] = {"vllm",     "sglang",       "tensorrt-llm",      "llama.cpp",
                                        "lmdeploy", "exllama",      "exllamav2",         "mlc",
                                        "gpt-fast", "transformers", "fastertransformer", "generic"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(engine_known(names[i]));
        assert_string_equal(engine_find(names[i], 0)->name, names[i]);
    }
    assert_false(engine_known("no-such-engine"));
    assert_string_equal(engine_find("no-such-engine", 0)->name, "generic");
    assert_string_equal(engine_find("VLLM", 2023)->key, "vllm-2023");
    assert_string_equal(engine_find("vllm", 2024)->key, "vllm-2024");
    assert_string_equal(engine_find("vllm", 2026)->key, "vllm");
}

static void years_of_an_engine_neither_overlap_nor_leave_gaps(void **state) {
    size_t count;
    const struct engine *rows = engine_table(&count);

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (int year = 2020; year <= 2030; year++) {
            int found = 0;
            for (size_t k = 0; k < count; k++)
                found += strcmp(rows[k].name, rows[i].name) == 0 && year >= rows[k].year_from &&
                         (rows[k].year_to == 0 || year <= rows[k].year_to);
            assert_int_equal(found, 1);
        }
}

static void constants_of_engines_are_those_of_the_data_file(void **state) {
    static const char *const columns[] = {"layer_us", "step_ms",   "sequence_us", "attention",
                                          "compute",  "bandwidth", "sm_bytes"};
    struct blob blob;
    struct csv_table *t;
    size_t count;
    const struct engine *rows = engine_table(&count);

    (void)state;
    assert_true(data_builtin("engines.csv", &blob));
    t = csv_table_read(blob.bytes, blob.len, "engines.csv", NULL);
    assert_non_null(t);
    assert_int_equal(csv_table_rows(t), count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(csv_table_cell(t, i, 0), rows[i].key);
        for (int k = 0; k < ENGINE_CONSTANT_COUNT; k++) {
            char key[96];
            double x = csv_table_number(t, i, csv_table_column(t, columns[k]));
            snprintf(key, sizeof key, "engine.%s.%s", rows[i].key, columns[k]);
            assert_non_null(assume_find(key));
            assert_between(engine_value(&rows[i], &assumptions, (enum engine_constant)k), x * 0.999, x * 1.001, key);
        }
    }
    csv_table_free(t);
}

static void an_overlay_changes_constants_and_names_what_is_wrong(void **state) {
    struct assumptions a;
    struct err err = {0};
    static const char good[] = "key,step_ms\nvllm,7\n";
    static const char unknown[] = "key,step_ms\nvllm,7\nmine,1\n";
    static const char negative[] = "key,layer_us\nsglang,-1\n";
    static const char headless[] = "step_ms,key\n7,vllm\n";

    (void)state;
    assumptions_init(&a);
    assert_true(engines_overlay(&a, good, sizeof good - 1, "mine.csv", &err));
    assert_between(engine_value(engine_find("vllm", 0), &a, ENGINE_STEP_MS), 7, 7, "step_ms");
    assert_false(engines_overlay(&a, unknown, sizeof unknown - 1, "mine.csv", &err));
    assert_int_equal(err.line, 3);
    assert_false(engines_overlay(&a, negative, sizeof negative - 1, "mine.csv", &err));
    assert_string_equal(err.field, "layer_us");
    assert_false(engines_overlay(&a, headless, sizeof headless - 1, "mine.csv", &err));
    assert_false(engines_overlay(&a, "", 0, "mine.csv", &err));
}

/* ---- memory ---- */

static void kv_bytes_of_a_token_are_exact(void **state) {
    struct {
        const char *pairs;
        double kib; /* a token, on one GPU */
        int gpus;
    } cases[] = {
        {"model=llama-3.1-70b tp=1 pp=1", 320, 1},
        {"model=llama-3.1-70b tp=8 pp=1", 40, 8},
        {"model=llama-2-7b", 512, 1},
        {"params_b=230 layers=62 hidden=3072 heads=48 kv_heads=8 head_dim=128 experts=256 experts_active=8 "
         "expert_ffn=1536 "
         "vocab=200064 tp=2 ep=1",
         124, 2},
        {"model=deepseek-v3 weights=fp8 tp=8 ep=1", 61 * 576 * 2 / 1024.0, 8}, /* the latent is on every rank */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char pairs[256];
        snprintf(pairs, sizeof pairs, "%s max_len=16384 concurrency=1 input_len=100 output_len=100", cases[i].pairs);
        struct estimate e = plan("B200-SXM-180GB", cases[i].gpus, LINK_NVSWITCH, pairs);
        assert_between(e.memory_part_gib[MEMORY_KV_CACHE] * 1048576 / 16384, cases[i].kib * 0.9999,
                       cases[i].kib * 1.0001, cases[i].pairs);
    }
}

static void verdicts_of_known_servers(void **state) {
    static const struct {
        const char *gpu;
        int gpus;
        const char *pairs;
        const char *fits; /* words that are right */
        double longest_low, longest_high;
    } cases[] = {
        {"H100-SXM5-80GB", 2, "model=llama-3.1-70b max_len=131072 concurrency=1 engine=vllm tp=2", "no", 15200, 20500},
        {"H100-SXM5-80GB", 4, "model=llama-3.1-70b max_len=131072 concurrency=1 engine=vllm", "fits", 131072, 131072},
        {"A100-SXM4-80GB", 1, "model=llama-3-70b max_len=8192 concurrency=1", "no", 0, 0},
        {"A100-SXM4-80GB", 2, "model=llama-3-70b max_len=8192 concurrency=1", "fits tight", 8192, 8192},
        {"A100-SXM4-80GB", 1, "model=llama-3-70b max_len=8192 concurrency=1 weights=int4", "fits", 8192, 8192},
        {"A100-SXM4-40GB", 8, "model=llama-3-70b max_len=8192 concurrency=1 tp=8", "fits", 8192, 8192},
        {"A100-SXM4-40GB", 8, "model=llama-3-70b max_len=8192 concurrency=1 strategy=replicas tp=1 pp=1", "no", 0, 0},
        {"H800-SXM5-80GB", 8, "model=deepseek-v3 weights=fp8 max_len=8192 concurrency=1", "no", 0, 0},
        {"H20-96GB", 8, "model=deepseek-v3 weights=fp8 max_len=8192 concurrency=1", "fits tight", 8192, 163840},
        {"H200-SXM5-141GB", 8, "model=deepseek-v3 weights=fp8 max_len=8192 concurrency=1", "fits", 8192, 163840},
        {"V100-PCIe-16GB", 1, "model=llama-2-7b weights=fp16 max_len=4096 concurrency=1", "no", 2500, 3700},
        {"RTX-3090", 16, "model=deepseek-r1 weights=q3_k_m max_len=16384 concurrency=1", "fits tight", 16384, 163840},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct estimate e = plan(cases[i].gpu, cases[i].gpus, LINK_NVSWITCH, cases[i].pairs);
        if (strstr(cases[i].fits, fit_name(e.fit)) == NULL)
            fail_msg("%s x%d %s: %s", cases[i].gpu, cases[i].gpus, cases[i].pairs, fit_name(e.fit));
        assert_between(e.max_len, cases[i].longest_low, cases[i].longest_high, cases[i].pairs);
        if (e.fit == FIT_NO) {
            assert_int_equal(e.reason.code, REASON_GPU_MEMORY);
            assert_true(e.reason.need > e.reason.have);
        }
    }
}

static void memory_counts_all_experts_and_speed_the_active_ones(void **state) {
    (void)state;
    struct estimate moe =
        plan("B200-SXM-180GB", 8, LINK_NVSWITCH, "model=deepseek-v3 weights=fp8 concurrency=1 ep=1 tp=8");
    assert_between(moe.memory_part_gib[MEMORY_WEIGHTS] * 8, 615, 640, "671e9 bytes");
    struct estimate small = plan("RX-7900-XTX", 1, LINK_NONE, "model=qwen3-30b-a3b weights=q2_k concurrency=1");
    struct estimate dense = plan("RX-7900-XTX", 1, LINK_NONE, "model=qwen2.5-32b weights=q2_k concurrency=1");
    assert_true(small.decode_tokens_per_s.expected > 2.5 * dense.decode_tokens_per_s.expected);
}

static void memory_falls_with_ranks_and_parts_add_up(void **state) {
    double before = 1e9;

    (void)state;
    for (int tp = 1; tp <= 8; tp *= 2) {
        char pairs[128];
        snprintf(pairs, sizeof pairs, "model=llama-3.1-70b weights=fp8 concurrency=4 max_len=8192 tp=%d pp=1", tp);
        struct estimate e = plan("H200-SXM5-141GB", tp, LINK_NVSWITCH, pairs);
        double sum = 0;
        for (int i = 0; i < MEMORY_PART_COUNT; i++)
            sum += e.memory_part_gib[i];
        assert_between(sum, e.memory_gib.expected * 0.999999, e.memory_gib.expected * 1.000001, "sum of parts");
        assert_true(e.memory_gib.low <= e.memory_gib.expected && e.memory_gib.expected <= e.memory_gib.high);
        assert_true(e.memory_gib.expected < before);
        before = e.memory_gib.expected;
    }
}

static void a_shared_prefix_is_stored_and_computed_once(void **state) {
    (void)state;
    struct estimate whole =
        plan("A100-SXM4-80GB", 1, LINK_NONE, "model=llama-3.1-8b concurrency=8 input_len=4000 output_len=300");
    struct estimate cached = plan("A100-SXM4-80GB", 1, LINK_NONE,
                                  "model=llama-3.1-8b concurrency=8 input_len=4000 output_len=300 prefix_len=3500");
    assert_true(cached.ttft_ms.expected < 0.5 * whole.ttft_ms.expected);
    assert_true(cached.max_concurrency > 2 * whole.max_concurrency);
}

static void offloaded_weights_need_host_memory_and_time(void **state) {
    (void)state;
    struct estimate no =
        plan("RTX-4090", 1, LINK_NONE, "model=llama-3.1-70b weights=q4_k_m concurrency=1 max_len=4096");
    struct estimate off =
        plan("RTX-4090", 1, LINK_NONE, "model=llama-3.1-70b weights=q4_k_m concurrency=1 max_len=4096 offload=params");
    assert_int_equal(no.fit, FIT_NO);
    assert_int_not_equal(off.fit, FIT_NO);
    assert_true(off.host_gb > 25);
    assert_true(off.decode_tokens_per_s.expected < 3);
}

/* ---- what is refused ---- */

static void impossible_layouts_are_refused_by_name(void **state) {
    static const struct {
        const char *gpu;
        int gpus;
        const char *pairs;
        enum reason_code code;
        const char *what;
    } cases[] = {
        {"A100-SXM4-80GB", 4, "model=qwen2.5-72b weights=int4 tp=4", REASON_DIVISIBILITY, "quant_group"},
        {"A100-SXM4-80GB", 2, "model=qwen2.5-72b weights=int4 tp=2", REASON_DIVISIBILITY, "quant_group"},
        {"T4", 1, "model=llama-3.1-8b weights=bf16", REASON_CAPABILITY, "bf16"},
        {"T4", 1, "model=llama-3.1-8b weights=fp8", REASON_CAPABILITY, "fp8"},
        {"RTX-3090", 1, "model=llama-3.1-8b weights=fp8 engine=tensorrt-llm", REASON_CAPABILITY, "fp8"},
        {"A100-SXM4-80GB", 1, "model=llama-3.1-8b weights=fp4 engine=tensorrt-llm", REASON_CAPABILITY, "fp4"},
        {"T4", 1, "model=llama-3.1-8b weights=fp4", REASON_CAPABILITY, "fp4"},
        {"P100-PCIe-16GB", 1, "model=llama-2-7b weights=fp16", REASON_CAPABILITY, "compute_capability"},
        {"RTX-A5000", 2, "model=llama-2-7b strategy=fsdp", REASON_CAPABILITY, "sharded_generation"},
        {"RTX-A5000", 2, "model=llama-2-7b zero=3", REASON_CAPABILITY, "sharded_generation"},
        {"RTX-A5000", 1, "model=llama-2-7b weights=q4_k_m engine=vllm", REASON_CAPABILITY, "weights"},
        {"RTX-A5000", 2, "model=llama-2-7b weights=q4_k_m tp=2", REASON_CAPABILITY, "engine_split"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct estimate e = plan(cases[i].gpu, cases[i].gpus, LINK_PCIE, cases[i].pairs);
        assert_int_equal(e.fit, FIT_NO);
        if (e.reason.code != cases[i].code || e.reason.what == NULL || strcmp(e.reason.what, cases[i].what) != 0)
            fail_msg("%s on %s: %s %s", cases[i].pairs, cases[i].gpu, reason_name(e.reason.code),
                     e.reason.what == NULL ? "" : e.reason.what);
    }
}

static void heads_decide_which_ranks_are_legal(void **state) {
    struct job j = job_of("model=qwen1.5-32b weights=int4 engine=vllm");
    static const int legal[] = {1, 2}; /* of 40 heads, 8 KV heads, 214 groups of 128 */

    (void)state;
    for (int tp = 1; tp <= 8; tp++) {
        struct shape s = shape_of("T4", tp, LINK_PCIE);
        struct layout l = {.replicas = 1,
                           .dp = 1,
                           .tp = tp,
                           .pp = 1,
                           .cp = 1,
                           .ep = 1,
                           .micro_batch = 1,
                           .accumulation = 1,
                           .shard = 1};
        bool allowed = layout_check(&j, &s, &l).code == REASON_NONE;
        bool wanted = false;
        for (size_t i = 0; i < sizeof legal / sizeof legal[0]; i++)
            wanted = wanted || legal[i] == tp;
        assert_int_equal(allowed, wanted);
    }
}

static void what_is_not_stated_falls_back(void **state) {
    (void)state;
    struct estimate t4 = plan("T4", 1, LINK_NONE, "params_b=1.1 concurrency=1 max_len=2048"); /* fp16 instead of bf16 */
    assert_int_not_equal(t4.fit, FIT_NO);
    /* fp8 weights with 16-bit arithmetic: half the bytes, no faster prompts */
    struct estimate w8a16 = plan("RTX-3090", 1, LINK_NONE, "model=llama-3.1-8b weights=fp8 concurrency=1 max_len=4096");
    struct estimate bf16 = plan("RTX-3090", 1, LINK_NONE, "model=llama-3.1-8b weights=bf16 concurrency=1 max_len=4096");
    assert_int_equal(w8a16.fit, FIT_FITS);
    assert_true(w8a16.decode_tokens_per_s.expected > 1.3 * bf16.decode_tokens_per_s.expected);
    assert_true(w8a16.prefill_tokens_per_s.expected <= bf16.prefill_tokens_per_s.expected);
    struct estimate native =
        plan("RTX-4090", 1, LINK_NONE, "model=llama-3.1-8b weights=fp8 concurrency=1 max_len=4096");
    assert_true(native.prefill_tokens_per_s.expected > 3 * w8a16.prefill_tokens_per_s.expected);
}

/* ---- layouts ---- */

static void copies_are_chosen_where_a_card_holds_the_model(void **state) {
    (void)state;
    struct estimate e = plan("H100-SXM5-80GB", 8, LINK_NVSWITCH, "preset=serve-8b");
    assert_int_equal(e.layout.replicas, 8);
    e = plan("T4", 6, LINK_PCIE, "model=qwen1.5-32b weights=int4 engine=vllm max_len=4096 concurrency=6");
    assert_int_equal(e.layout.replicas, 3);
    assert_int_equal(e.layout.tp, 2);
    e = plan("V100-SXM2-32GB", 2, LINK_NVLINK_MESH, "model=llama-2-7b weights=fp16 engine=gpt-fast concurrency=1");
    assert_int_equal(e.layout.tp, 1);
    e = plan("RTX-4090", 2, LINK_PCIE_HOST, "model=llama-3.1-8b weights=q4_k_m concurrency=1");
    assert_int_equal(e.layout.pp, 1);
}

static void stages_do_not_speed_up_one_user(void **state) {
    (void)state;
    static const char common[] =
        "model=llama-3.1-70b engine=vllm batching=single max_len=4096 input_len=200 output_len=300";
    char pairs[256];
    struct estimate tp4 = plan("RTX-A6000", 4, LINK_PCIE, common);
    snprintf(pairs, sizeof pairs, "%s tp=1", common);
    struct estimate pp6 = plan("RTX-A6000", 6, LINK_PCIE, pairs);
    struct estimate six = plan("RTX-A6000", 6, LINK_PCIE, common);
    assert_int_equal(tp4.layout.tp, 4);
    assert_int_equal(pp6.layout.pp, 6);
    assert_between(tp4.decode_tokens_per_s.expected, 13, 21.8, "measured 16.5");
    assert_between(pp6.decode_tokens_per_s.expected, 3.2, 5.4, "measured 4");
    assert_true(six.decode_tokens_per_s.expected < tp4.decode_tokens_per_s.expected);
}

static void the_link_decides_between_ranks_and_stages(void **state) {
    (void)state;
    static const char nv[] =
        "model=llama-2-13b weights=fp16 engine=tensorrt-llm requests_per_s=3 input_len=512 output_len=200";
    static const char *const splits[] = {"tp=4 pp=1", "tp=2 pp=2", "tp=1 pp=4"};
    double before = 0;
    char pairs[256];

    for (int i = 0; i < 3; i++) {
        snprintf(pairs, sizeof pairs, "%s %s", nv, splits[i]);
        struct estimate e = plan("A100-SXM4-40GB", 4, LINK_NVSWITCH, pairs);
        assert_true(e.e2e_ms.expected > 1.2 * before);
        before = e.e2e_ms.expected;
    }
    static const char exl[] =
        "model=llama-3.3-70b weights=int4 engine=exllamav2 batching=single input_len=16000 output_len=100 "
        "max_len=16384";
    snprintf(pairs, sizeof pairs, "%s tp=2", exl);
    struct estimate ranks = plan("RTX-3090", 2, LINK_PCIE_HOST, pairs);
    snprintf(pairs, sizeof pairs, "%s pp=2", exl);
    struct estimate layers = plan("RTX-3090", 2, LINK_PCIE_HOST, pairs);
    assert_true(layers.prefill_tokens_per_s.expected > ranks.prefill_tokens_per_s.expected);
}

static void a_bridge_helps_prompts_more_than_single_tokens(void **state) {
    (void)state;
    static const char pairs[] =
        "model=gemma-2-27b weights=int4 engine=vllm batching=single tp=2 input_len=2000 output_len=500 max_len=4096";
    struct estimate bridge = plan("RTX-3090", 2, LINK_NVLINK_BRIDGE, pairs);
    struct estimate pcie = plan("RTX-3090", 2, LINK_PCIE, pairs);
    double decode = bridge.decode_tokens_per_s.expected / pcie.decode_tokens_per_s.expected;
    double prefill = bridge.prefill_tokens_per_s.expected / pcie.prefill_tokens_per_s.expected;
    assert_between(decode, 1, 1.06, "decode");
    assert_true(prefill > decode);
}

static void pins_are_kept(void **state) {
    (void)state;
    struct estimate e = plan("H100-SXM5-80GB", 8, LINK_NVSWITCH, "model=llama-3.1-8b tp=2 pp=2");
    assert_int_equal(e.layout.tp, 2);
    assert_int_equal(e.layout.pp, 2);
    assert_int_equal(e.layout.replicas, 2);
    e = plan("H100-SXM5-80GB", 8, LINK_NVSWITCH, "model=qwen3-30b-a3b ep=8");
    assert_int_equal(e.layout.ep, 8);
    assert_int_equal(e.layout.dp, 8);
    e = plan("H100-SXM5-80GB", 6, LINK_NVSWITCH, "model=llama-3.1-8b tp=4");
    assert_int_equal(e.fit, FIT_NO);
    e = plan("RTX-3090", 2, LINK_PCIE_HOST, "model=llama-3.1-70b weights=int4 engine=exllamav2 strategy=layer_split");
    assert_int_equal(e.layout.tp, 1);
    assert_int_equal(e.layout.pp, 2);
    e = plan("RTX-3090", 2, LINK_PCIE_HOST, "model=llama-3.1-8b engine=llama.cpp strategy=layer_split");
    assert_int_equal(e.layout.pp, 2); /* though copies would fit */
}

/* What pruning leaves is as good as everything tried. */
static void the_search_finds_what_brute_force_finds(void **state) {
    static const char *const jobs[] = {
        "model=llama-3.1-8b requests=100000", "model=llama-3.1-70b weights=fp8 requests=20000",
        "model=qwen3-30b-a3b requests=50000", "model=llama-3.1-70b requests_per_s=2 ttft_ms=3000"};
    static const char *const gpus[] = {"H100-SXM5-80GB", "A100-PCIe-80GB", "L40S"};

    (void)state;
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        for (size_t g = 0; g < sizeof gpus / sizeof gpus[0]; g++) {
            struct job j = job_of(jobs[i]);
            struct shape s = shape_of(gpus[g], 4, g == 0 ? LINK_NVSWITCH : LINK_PCIE);
            struct estimate found = best(&j, &s);
            for (int tp = 1; tp <= 4; tp *= 2)
                for (int pp = 1; tp * pp <= 4; pp *= 2) {
                    struct layout l = {.replicas = 4 / tp / pp,
                                       .dp = 1,
                                       .tp = tp,
                                       .pp = pp,
                                       .cp = 1,
                                       .ep = 1,
                                       .micro_batch = 1,
                                       .accumulation = 1,
                                       .shard = 1};
                    struct estimate e;
                    estimate_layout(catalog, &j, &s, &l, &assumptions, NULL, &e);
                    assert_true(e.fit <= found.fit);
                    if (e.fit == found.fit && e.fit != FIT_NO && e.overloaded == found.overloaded &&
                        (g != 0 || pp == 1)) {
                        double got = j.load == LOAD_BATCH ? found.tokens_per_s.expected
                                                          : found.sustained_requests_per_s.expected;
                        double other =
                            j.load == LOAD_BATCH ? e.tokens_per_s.expected : e.sustained_requests_per_s.expected;
                        assert_true(got >= 0.96 * other);
                    }
                }
        }
}

/* ---- speed ---- */

static void faster_parts_make_nothing_slower(void **state) {
    static const char pairs[] = "model=llama-3.1-8b requests=1000 input_len=1000 output_len=200";
    struct job j = job_of(pairs);
    struct shape s = shape_of("A100-SXM4-80GB", 1, LINK_NONE);
    struct gpu faster = *s.gpu;

    (void)state;
    struct estimate base = best(&j, &s);
    faster.mem_bw_gbs *= 1.5;
    s.gpu = &faster;
    struct estimate memory = best(&j, &s);
    faster.bf16_tflops *= 1.5;
    faster.fp16_tflops *= 1.5;
    faster.fp16_acc16_tflops *= 1.5;
    faster.tdp_w *= 1.5;
    struct estimate both = best(&j, &s);
    assert_true(memory.tokens_per_s.expected > base.tokens_per_s.expected);
    assert_true(both.tokens_per_s.expected > memory.tokens_per_s.expected);
    assert_true(both.tokens_per_s.expected < 1.51 * base.tokens_per_s.expected);
}

static void one_gpu_exchanges_nothing_and_steps_add_up(void **state) {
    (void)state;
    struct estimate one = plan("H100-SXM5-80GB", 1, LINK_NONE, "model=llama-3.1-8b concurrency=8");
    struct estimate two = plan("H100-SXM5-80GB", 2, LINK_NVSWITCH, "model=llama-3.1-8b concurrency=8 tp=2");
    assert_true(one.step_part_s[STEP_COMMUNICATION] == 0);
    assert_true(two.step_part_s[STEP_COMMUNICATION] > 0);
    double sum = 0;
    for (int i = 0; i < STEP_PART_COUNT; i++)
        sum += two.step_part_s[i];
    assert_between(sum, two.step_s * 0.999999, two.step_s * 1.000001, "sum of parts");
}

static void a_batch_job_takes_requests_over_throughput(void **state) {
    (void)state;
    struct estimate e = plan("H100-SXM5-80GB", 2, LINK_NVSWITCH, "preset=batch-1m");
    assert_int_equal(e.layout.replicas, 2);
    assert_between(e.run_h.expected, 1e6 / e.requests_per_s.expected / 3600 * 0.9999,
                   1e6 / e.requests_per_s.expected / 3600 * 1.0001, "hours");
    assert_true(e.run_h.low < e.run_h.expected && e.run_h.expected < e.run_h.high);
    struct estimate one = plan("H100-SXM5-80GB", 1, LINK_NONE, "preset=batch-1m");
    assert_between(one.run_h.expected / e.run_h.expected, 1.9, 2.01, "two copies halve the time");
}

static void targets_bound_what_a_server_carries(void **state) {
    (void)state;
    static const char load[] = "model=llama-3.1-8b requests_per_s=5 input_len=1000 output_len=300";
    char pairs[256];
    double before = 0;
    static const double itl[] = {8, 15, 30, 60};

    for (int i = 0; i < 4; i++) {
        snprintf(pairs, sizeof pairs, "%s itl_ms=%g ttft_ms=2000", load, itl[i]);
        struct estimate e = plan("H100-SXM5-80GB", 1, LINK_NONE, pairs);
        assert_true(e.sustained_requests_per_s.expected >= before);
        before = e.sustained_requests_per_s.expected;
    }
    assert_true(before > 5);
    snprintf(pairs, sizeof pairs, "%s itl_ms=1", load);
    struct estimate never = plan("H100-SXM5-80GB", 1, LINK_NONE, pairs);
    assert_false(never.targets_met);
    assert_true(never.sustained_requests_per_s.expected == 0);
    assert_true(isnan(never.replicas_needed));
}

/* Copies of 1, 2, 4 and 8 GPUs; the search's own choice is one of them, and the best. */
static void copies_and_ranks_stand_side_by_side(void **state) {
    (void)state;
    static const char *const jobs[] = {"model=llama-3.1-70b requests_per_s=3 ttft_ms=1000 itl_ms=50",
                                       "model=llama-3.1-8b concurrency=64", "model=qwen3-30b-a3b requests=50000"};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        struct job j = job_of(jobs[i]);
        struct shape s = shape_of("H100-SXM5-80GB", 8, LINK_NVSWITCH);
        struct estimate e[ESTIMATE_COPIES_MAX];
        struct estimate best = plan("H100-SXM5-80GB", 8, LINK_NVSWITCH, jobs[i]);
        int count = estimate_copies(catalog, &j, &s, &assumptions, e), found = 0;
        assert_int_equal(count, 4);
        for (int k = 0; k < count; k++) {
            assert_int_equal(layout_gpus(&e[k].layout), 8);
            found += e[k].layout.replicas == best.layout.replicas && e[k].layout.tp == best.layout.tp &&
                     e[k].layout.pp == best.layout.pp && e[k].layout.ep == best.layout.ep;
            assert_true(e[k].fit != FIT_NO || e[k].reason.code != REASON_NONE);
        }
        assert_int_equal(found, 1);
    }
    struct job training = job_of("model=llama-3.1-8b");
    training.task = TASK_LORA;
    struct shape one = shape_of("H100-SXM5-80GB", 8, LINK_NVSWITCH);
    struct estimate none[ESTIMATE_COPIES_MAX];
    assert_int_equal(estimate_copies(catalog, &training, &one, &assumptions, none), 0);
}

/* One rule for both: who meets the targets under a load sustains it. */
static void targets_met_means_the_load_is_sustained(void **state) {
    (void)state;
    static const char *const cards[] = {"B200-SXM-180GB", "H200-SXM5-141GB", "MI300X", "RTX-A6000", "L40S"};
    static const double rates[] = {0.3, 1, 2, 3, 4, 6};
    char pairs[256];

    for (size_t c = 0; c < sizeof cards / sizeof cards[0]; c++)
        for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
            snprintf(pairs, sizeof pairs, "model=llama-3.1-70b weights=fp8 requests_per_s=%g ttft_ms=1500 itl_ms=60",
                     rates[i]);
            struct estimate e = plan(cards[c], 4, LINK_PCIE, pairs);
            assert_true(e.targets_met == (e.ttft_slo_ms <= 1500 && e.itl_slo_ms <= 60));
            assert_true(e.itl_slo_ms >= e.itl_ms.expected && e.ttft_slo_ms >= e.ttft_ms.expected);
            if (e.targets_met && !e.overloaded)
                assert_true(e.sustained_requests_per_s.expected >= 0.995 * rates[i]);
            else
                assert_true(e.sustained_requests_per_s.expected <= 1.005 * rates[i]);
        }
}

static void a_load_beyond_capacity_is_said(void **state) {
    (void)state;
    struct estimate e =
        plan("L4", 1, LINK_NONE, "model=llama-3.1-8b weights=fp8 requests_per_s=50 input_len=1000 output_len=300");
    assert_true(e.overloaded);
    assert_true(e.requests_per_s.expected < 50);
    assert_true(e.replicas_needed > 3);
    struct estimate calm =
        plan("L4", 1, LINK_NONE, "model=llama-3.1-8b weights=fp8 requests_per_s=0.2 input_len=1000 output_len=300");
    assert_false(calm.overloaded);
    assert_between(calm.requests_per_s.expected, 0.2, 0.2, "the offered load");
    assert_true(calm.ttft_ms.expected < e.ttft_ms.expected);
    assert_between(calm.run_h.expected, 730, 730, "a month");
}

static void latency_grows_with_users(void **state) {
    double ttft = 0, itl = 0, tokens = 0;

    (void)state;
    for (int users = 1; users <= 64; users *= 4) {
        char pairs[128];
        snprintf(pairs, sizeof pairs, "model=llama-3.1-8b batching=online concurrency=%d", users);
        struct estimate e = plan("A100-SXM4-80GB", 1, LINK_NONE, pairs);
        assert_true(e.ttft_ms.expected > ttft && e.itl_ms.expected > itl && e.tokens_per_s.expected > tokens);
        ttft = e.ttft_ms.expected;
        itl = e.itl_ms.expected;
        tokens = e.tokens_per_s.expected;
    }
}

static void ranges_are_ordered_and_parts_known(void **state) {
    static const char *const jobs[] = {"preset=serve-8b",
                                       "preset=serve-70b",
                                       "preset=batch-1m",
                                       "model=llama-3.1-8b batching=single concurrency=1",
                                       "model=llama-3.1-8b requests_per_s=2",
                                       "model=mixtral-8x7b batching=static concurrency=16"};
    (void)state;
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        struct estimate e = plan("H200-SXM5-141GB", 4, LINK_NVSWITCH, jobs[i]);
        const struct range all[] = {e.tokens_per_s, e.total_tokens_per_s, e.requests_per_s, e.itl_ms,
                                    e.run_h,        e.memory_gib};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
            if (!(all[k].low > 0 && all[k].low <= all[k].expected && all[k].expected <= all[k].high &&
                  isfinite(all[k].high)))
                fail_msg("%s: figure %zu is %g %g %g", jobs[i], k, all[k].low, all[k].expected, all[k].high);
        assert_true(e.sigma > 0 && e.sigma < 1);
    }
}

static void every_figure_is_explained(void **state) {
    struct job j = job_of("preset=serve-70b");
    struct shape s = shape_of("H100-SXM5-80GB", 4, LINK_NVSWITCH);
    struct trace t = {0};
    struct estimate e = best(&j, &s), again;

    (void)state;
    estimate_layout(catalog, &j, &s, &e.layout, &assumptions, &t, &again);
    assert_true(t.count > 15);
    assert_between(again.tokens_per_s.expected, e.tokens_per_s.expected, e.tokens_per_s.expected, "one evaluator");
    assert_between(estimate_max_seq_len(catalog, &j, &s, &e.layout, &assumptions), e.max_seq_len, e.max_seq_len,
                   "max_seq_len");
}

/* Constants may be set to anything the table allows: nothing may crash or turn a price into a NaN that is not said. */
static void extreme_assumptions_do_not_crash(void **state) {
    static const double factors[] = {0, 1e-6, 1e6};
    struct job j = job_of("model=qwen3-30b-a3b requests_per_s=4 ttft_ms=1000");
    struct shape s = shape_of("L40S", 4, LINK_PCIE);
    struct assumptions a;

    (void)state;
    for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++) {
        assumptions_init(&a);
        for (int i = 0; i < ASSUME_COUNT; i++)
            a.v[i] = range_scale(a.v[i], factors[f]);
        struct estimate_set set;
        estimate_search(catalog, &j, &s, &a, &set);
        assert_true(set.count >= 1);
    }
}

/* ---- against published runs ---- */

struct errors {
    double error[2048];
    size_t count, inside;
};

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void published_runs_are_predicted_within_their_noise(void **state) {
    static const struct {
        const char *mode;
        enum metric metric;
        double median, ninety; /* allowed, %: a little above what docs/model-inference.md reports */
    } limits[] = {
        {"single", METRIC_DECODE_TOKENS_PER_S, 5.5, 14},
        {"single", METRIC_PREFILL_TOKENS_PER_S, 9, 24},
        {"single", METRIC_OUTPUT_TOKENS_PER_S, 5, 14},
        {"single", METRIC_TOTAL_TOKENS_PER_S, 6, 17},
        {"offline", METRIC_OUTPUT_TOKENS_PER_S, 5.5, 17},
        {"static", METRIC_OUTPUT_TOKENS_PER_S, 10, 18},
        {"online_qps", METRIC_REQUESTS_PER_S, 4, 12},
        {"online_qps", METRIC_TTFT_MS, 11, 30},
        {"online_qps", METRIC_ITL_MS, 6, 15},
    };
    static struct errors errors[sizeof limits / sizeof limits[0]];
    struct buf file = {0};
    struct measurements rows;
    struct err err = {0};

    (void)state;
    if (!io_read(test_shared("measurements/inference.csv"), IO_MAX_SMALL, &file, &err))
        fail_msg("%s", err.text);
    assert_true(measurements_read(catalog, models, file.data, file.len, "inference.csv", &rows, &err));
    for (size_t i = 0; i < rows.count; i++)
        for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
            const struct measurement *m = &rows.rows[i];
            struct prediction p;
            if (strcmp(m->mode, limits[k].mode) != 0 || m->metric != limits[k].metric)
                continue;
            measurement_predict(catalog, m, &assumptions, &p);
            assert_null(p.why);
            errors[k].inside += m->value >= p.value.low && m->value <= p.value.high;
            errors[k].error[errors[k].count++] = 100 * fabs(p.value.expected / m->value - 1);
        }
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        size_t n = errors[k].count;
        assert_true(n > 15);
        qsort(errors[k].error, n, sizeof errors[k].error[0], by_value);
        assert_between(errors[k].error[n / 2], 0, limits[k].median, metric_name(limits[k].metric));
        assert_between(errors[k].error[n * 9 / 10], 0, limits[k].ninety, metric_name(limits[k].metric));
        assert_true(errors[k].inside > 0.8 * (double)n);
    }
    measurements_free(&rows);
    buf_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine_has_a_row_of_today),
        cmocka_unit_test(years_of_an_engine_neither_overlap_nor_leave_gaps),
        cmocka_unit_test(constants_of_engines_are_those_of_the_data_file),
        cmocka_unit_test(an_overlay_changes_constants_and_names_what_is_wrong),
        cmocka_unit_test(kv_bytes_of_a_token_are_exact),
        cmocka_unit_test(verdicts_of_known_servers),
        cmocka_unit_test(memory_counts_all_experts_and_speed_the_active_ones),
        cmocka_unit_test(memory_falls_with_ranks_and_parts_add_up),
        cmocka_unit_test(a_shared_prefix_is_stored_and_computed_once),
        cmocka_unit_test(offloaded_weights_need_host_memory_and_time),
        cmocka_unit_test(impossible_layouts_are_refused_by_name),
        cmocka_unit_test(heads_decide_which_ranks_are_legal),
        cmocka_unit_test(what_is_not_stated_falls_back),
        cmocka_unit_test(copies_are_chosen_where_a_card_holds_the_model),
        cmocka_unit_test(stages_do_not_speed_up_one_user),
        cmocka_unit_test(the_link_decides_between_ranks_and_stages),
        cmocka_unit_test(a_bridge_helps_prompts_more_than_single_tokens),
        cmocka_unit_test(pins_are_kept),
        cmocka_unit_test(the_search_finds_what_brute_force_finds),
        cmocka_unit_test(faster_parts_make_nothing_slower),
        cmocka_unit_test(one_gpu_exchanges_nothing_and_steps_add_up),
        cmocka_unit_test(a_batch_job_takes_requests_over_throughput),
        cmocka_unit_test(targets_bound_what_a_server_carries),
        cmocka_unit_test(copies_and_ranks_stand_side_by_side),
        cmocka_unit_test(targets_met_means_the_load_is_sustained),
        cmocka_unit_test(a_load_beyond_capacity_is_said),
        cmocka_unit_test(latency_grows_with_users),
        cmocka_unit_test(ranges_are_ordered_and_parts_known),
        cmocka_unit_test(every_figure_is_explained),
        cmocka_unit_test(extreme_assumptions_do_not_crash),
        cmocka_unit_test(published_runs_are_predicted_within_their_noise),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
