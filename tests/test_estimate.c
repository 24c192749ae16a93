/* SPDX-License-Identifier: MIT */
/* What all estimates share: assumptions, traces, layouts, the set of the best few, measured jobs. */
#include "support.h"

#include "estimate_support.h"

#include "estimate/internal.h"

/* ---- assumptions ---- */

static void every_assumption_is_a_range_with_a_source(void **state) {
    (void)state;
    for (int i = 0; i < ASSUME_COUNT; i++) {
        const struct assumption *a = &assume_table()[i];
        assert_int_equal(a->id, i);
        assert_true(a->value.low <= a->value.expected && a->value.expected <= a->value.high);
        assert_true(a->value.low >= 0 && isfinite(a->value.high));
        assert_true(*a->unit != '\0' && *a->source != '\0');
        assert_ptr_equal(assume_find(a->key), a); /* no key stands twice */
    }
    assert_null(assume_find("train.gemm_efficiency"));
}

static void groups_of_families_stand_in_the_order_of_families(void **state) {
    (void)state;
    const enum assume_id first[] = {ASSUME_TRAIN_GEMM_OTHER, ASSUME_TRAIN_WATTS_OTHER};
    for (size_t g = 0; g < 2; g++) {
        for (int f = 0; f < GPU_FAMILY_COUNT; f++) {
            const char *key = assume_table()[(int)first[g] + f].key;
            const char *dot = strrchr(key, '.');
            assert_non_null(dot);
            assert_string_equal(dot + 1, gpu_family_name((enum gpu_family)f));
        }
    }
}

static void an_assumption_takes_a_value_or_a_range(void **state) {
    (void)state;
    struct assumptions a;
    struct err err;
    assumptions_init(&a);
    assert_true(assumptions_set(&a, "train.straggler", "0.02", &err));
    assert_true(a.v[ASSUME_TRAIN_STRAGGLER].low == 0.02 && a.v[ASSUME_TRAIN_STRAGGLER].high == 0.02);
    assert_int_equal(a.source[ASSUME_TRAIN_STRAGGLER], PROVENANCE_DECLARED);
    assert_int_equal(a.generation, 1);
    assert_true(assumptions_set(&a, "Train.Straggler", "0.01..0.05", &err));
    assert_true(fabs(assume_get(&a, ASSUME_TRAIN_STRAGGLER) - 0.03) < 1e-12);
    assert_true(assumptions_set(&a, "train.straggler", " 0.01 , 0.02, 0.09", &err));
    assert_true(a.v[ASSUME_TRAIN_STRAGGLER].high == 0.09);
    assert_int_equal(a.generation, 3);
}

static void a_wrong_assumption_is_refused_and_changes_nothing(void **state) {
    (void)state;
    static const char *const wrong[] = {"",      "x",       "nan", "inf", "-1",    "0.2..0.1", "1,2",
                                        "3,2,1", "1,2,3,4", "1..", "..1", "1e300", "0x10"};
    struct assumptions a;
    struct err err;
    assumptions_init(&a);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (assumptions_set(&a, "train.straggler", wrong[i], &err)) {
            fail_msg("'%s' was taken", wrong[i]);
        }
        assert_string_equal(err.field, "train.straggler");
    }
    assert_false(assumptions_set(&a, "train.stragler", "1", &err));
    assert_non_null(strstr(err.text, "train.straggler"));
    assert_int_equal(a.generation, 0);
}

/* ---- traces and words ---- */

static void a_trace_ends_where_it_is_full(void **state) {
    (void)state;
    static struct trace t;
    trace_add(NULL, TRACE_MEMORY_TOTAL, 1, -1);
    for (int i = 0; i < TRACE_MAX_STEPS + 10; i++) {
        trace_add(&t, TRACE_MEMORY_TOTAL, i, 1, 2, 3, 4, 5, 6, 7, 8, -1);
    }
    assert_int_equal(t.count, TRACE_MAX_STEPS);
    assert_int_equal(t.steps[0].used_count, TRACE_MAX_USED);
    assert_int_equal(t.steps[0].used[5], 6);
    for (int i = 0; i < TRACE_COUNT; i++) {
        const struct trace_kind *k = &trace_kinds()[i];
        assert_true(k->id == (enum trace_id)i && *k->key != '\0' && *k->label != '\0' && *k->formula != '\0');
    }
}

static void words_exist_for_every_code_and_for_none(void **state) {
    (void)state;
    for (int i = 0; i < REASON_COUNT; i++)
        assert_string_not_equal(reason_name((enum reason_code)i), "unknown");
    for (int i = 0; i < PHASE_COUNT; i++)
        assert_string_not_equal(phase_name((enum phase)i), "unknown");
    for (int i = 0; i < LIMITED_COUNT; i++)
        assert_string_not_equal(limiter_name((enum limiter)i), "unknown");
    assert_string_equal(memory_part_name(MEMORY_KV_CACHE), "kv_cache");
    assert_string_equal(step_part_name(STEP_COMMUNICATION), "exposed_communication");
    assert_string_equal(fit_name((enum fit)77), "unknown");
}

/* ---- shapes and layouts ---- */

static void fewer_gpus_keep_or_lose_the_link(void **state) {
    (void)state;
    struct shape s = shape_of("A100-SXM4-80GB", 8, 2, LINK_NVSWITCH);
    struct shape one = shape_with_gpus(&s, 1, 1), four = shape_with_gpus(&s, 4, 1);
    assert_int_equal(one.link, LINK_NONE);
    assert_int_equal(one.network, NETWORK_NONE);
    assert_int_equal(four.link, LINK_NVSWITCH);
    assert_int_equal(shape_with_gpus(&one, 8, 1).link, LINK_NVSWITCH);
    assert_int_equal(shape_with_gpus(&one, 8, 1).link_source, PROVENANCE_ASSUMED);
    assert_int_equal(shape_with_gpus(&one, 8, 4).network, NETWORK_UNKNOWN);
}

static struct reason check(const struct job *j, const struct shape *s, int dp, int tp, int pp, int micro) {
    struct layout l = layout_single();
    l.dp = dp;
    l.tp = tp;
    l.pp = pp;
    l.micro_batch = micro;
    l.accumulation = (int)j->global_batch / dp / micro;
    return layout_check(j, s, &l);
}

static void an_illegal_layout_names_what_does_not_divide(void **state) {
    (void)state;
    struct job j = job_of("task=full model=llama-3-8b seq_len=2048 global_batch=32");
    struct shape eight = shape_of("A100-SXM4-80GB", 8, 1, LINK_NVSWITCH), three = shape_with_gpus(&eight, 3, 1);
    struct shape six = shape_with_gpus(&eight, 6, 1);
    assert_int_equal(check(&j, &eight, 8, 1, 1, 2).code, REASON_NONE);
    assert_int_equal(check(&j, &eight, 2, 4, 1, 2).code, REASON_NONE);
    assert_string_equal(check(&j, &eight, 4, 1, 1, 2).what, "gpus");
    assert_string_equal(check(&j, &three, 1, 3, 1, 2).what, "heads");
    assert_string_equal(check(&j, &three, 1, 1, 3, 2).code == REASON_NONE ? "" : check(&j, &three, 1, 1, 3, 2).what,
                        ""); /* 33 layers with the table */
    assert_string_equal(check(&j, &six, 1, 1, 6, 1).what, "layers");
    assert_string_equal(check(&j, &three, 3, 1, 1, 2).what, "batch");
    assert_int_equal(check(&j, &three, 3, 1, 1, 2).code, REASON_DIVISIBILITY);
}

static void a_card_without_the_precision_is_refused_only_when_it_was_asked_for(void **state) {
    (void)state;
    struct shape v100 = shape_of("V100-SXM2-32GB", 1, 1, LINK_NONE), h100 = shape_of("H100-SXM5-80GB", 1, 1, LINK_NONE);
    struct shape p100 = shape_of("P100-PCIe-16GB", 1, 1, LINK_NONE), a100 = shape_of("A100-SXM4-80GB", 1, 1, LINK_NONE);
    assert_int_equal(best_of("task=lora model=llama-2-7b", &v100).fit, FIT_FITS);
    struct estimate e = best_of("task=lora model=llama-2-7b precision=bf16", &v100);
    assert_int_equal(e.reason.code, REASON_CAPABILITY);
    assert_string_equal(e.reason.what, "bf16");
    e = best_of("task=lora model=llama-2-7b precision=fp8", &a100);
    assert_string_equal(e.reason.what, "fp8");
    assert_int_equal(best_of("task=lora model=llama-2-7b precision=fp8", &h100).fit, FIT_FITS);
    e = best_of("task=lora model=tinyllama-1.1b", &p100);
    assert_string_equal(e.reason.what, "compute_capability");
}

static void old_builds_do_not_know_new_cards(void **state) {
    (void)state;
    struct shape h100 = shape_of("H100-SXM5-80GB", 1, 1, LINK_NONE), a100 = shape_of("A100-SXM4-80GB", 1, 1, LINK_NONE);
    struct shape ada = shape_of("RTX-4090", 1, 1, LINK_NONE), amd = shape_of("MI300X", 1, 1, LINK_NONE);
    struct estimate e = best_of("task=lora model=llama-3.2-1b cuda_max=11.7", &h100);
    assert_int_equal(e.reason.code, REASON_CAPABILITY);
    assert_string_equal(e.reason.what, "cuda_max");
    assert_float_equal(e.reason.need, 11.8, 1e-9);
    assert_int_equal(best_of("task=lora model=llama-3.2-1b cuda_max=11.8", &h100).fit, FIT_FITS);
    assert_int_equal(best_of("task=lora model=llama-3.2-1b cuda_max=11.7", &a100).fit, FIT_FITS);
    /* code for 8.0 runs on 8.9, and CUDA means nothing elsewhere */
    assert_int_equal(best_of("task=lora model=llama-3.2-1b cuda_max=11.7", &ada).reason.code, REASON_NONE);
    assert_int_equal(best_of("task=lora model=llama-3.2-1b cuda_max=11.7", &amd).fit, FIT_FITS);
}

/* ---- the best few ---- */

static struct estimate made(enum fit fit, double hours, double host) {
    struct shape s = shape_of("A100-SXM4-80GB", 1, 1, LINK_NONE);
    struct layout l = layout_single();
    struct estimate e;
    estimate_init(&e, &s, &l);
    e.fit = fit;
    e.run_h = range_exact(hours);
    e.host_gb = host;
    e.memory_gib = range_exact(fit == FIT_NO ? e.capacity_gib + hours : 1);
    e.reason.code = fit == FIT_NO ? REASON_GPU_MEMORY : REASON_NONE;
    return e;
}

static void the_set_keeps_the_fastest_and_the_frugal(void **state) {
    (void)state;
    unsigned seed = 7;
    for (int round = 0; round < 2000; round++) {
        struct estimate_set set = {0};
        enum fit top = FIT_NO;
        double fastest = INFINITY, frugal = INFINITY, nearest = INFINITY;
        int n = 1 + (int)((seed = seed * 1103515245u + 12345u) >> 16) % 12;
        for (int i = 0; i < n; i++) {
            seed = seed * 1103515245u + 12345u;
            struct estimate e = made((enum fit)((seed >> 16) % 3), 1 + (seed >> 20) % 9, 1 + (seed >> 24) % 9);
            estimate_set_add(&set, &e);
            if (e.fit == FIT_NO) {
                nearest = fmin(nearest, e.run_h.expected);
                continue;
            }
            if (e.fit > top) {
                top = e.fit;
                fastest = INFINITY;
            }
            fastest = e.fit == top ? fmin(fastest, e.run_h.expected) : fastest;
            frugal = fmin(frugal, e.host_gb);
        }
        assert_int_equal(set.e[0].fit, top);
        assert_true(set.e[0].run_h.expected == (top == FIT_NO ? nearest : fastest));
        double least = INFINITY;
        for (int i = 0; i < set.count; i++) {
            least = fmin(least, set.e[i].host_gb);
            assert_true(i == 0 || set.e[i].fit <= set.e[i - 1].fit);
        }
        assert_true(top == FIT_NO || least == frugal);
    }
}

/* ---- measured jobs ---- */

static const char forty_hours[] = "task=measured base_gpu=RTX-4090 base_hours=40 points=4:0.8,8:0.7 vram_gib=20";

static double hours(const char *fields, const char *gpu, int gpus, enum link_kind link) {
    struct shape s = shape_of(gpu, gpus, 1, link);
    return best_of(fields, &s).run_h.expected;
}

static void a_measured_point_is_met_exactly(void **state) {
    (void)state;
    assert_true(hours(forty_hours, "RTX-4090", 1, LINK_NONE) == 40);
    double four = hours(forty_hours, "RTX-4090", 4, LINK_PCIE_HOST);
    assert_true(fabs(four - 12.5) < 1e-9); /* 4 GPUs at $2: $100 */
    assert_true(fabs(4 * 2 * four - 100) < 0.005);
    assert_true(fabs(40 / hours(forty_hours, "RTX-4090", 8, LINK_PCIE_HOST) - 5.6) < 1e-9);
}

static void between_and_beyond_points_efficiency_falls(void **state) {
    (void)state;
    double last = 1.0001, now;
    for (int n = 1; n <= 32; n++) {
        now = 40 / hours(forty_hours, "RTX-4090", n, LINK_PCIE_HOST) / n;
        assert_true(now <= last + 1e-12 && now > 0.2);
        last = now;
    }
    struct shape s8 = shape_of("RTX-4090", 8, 1, LINK_PCIE_HOST), s16 = shape_with_gpus(&s8, 16, 1);
    assert_true(best_of(forty_hours, &s16).sigma > best_of(forty_hours, &s8).sigma);
}

static void a_measured_job_moves_by_its_compute_share(void **state) {
    (void)state;
    const char *heavy = "task=measured base_gpu=A100-SXM4-80GB base_hours=10 compute_share=0.9";
    const char *light = "task=measured base_gpu=A100-SXM4-80GB base_hours=10 compute_share=0.1";
    assert_true(hours(heavy, "H100-SXM5-80GB", 1, LINK_NONE) < hours(light, "H100-SXM5-80GB", 1, LINK_NONE));
    assert_true(hours(heavy, "H100-SXM5-80GB", 1, LINK_NONE) < 10);
    assert_true(hours(light, "L40S", 1, LINK_NONE) > 10); /* less than half the bandwidth */
}

static void what_a_measured_job_needs_is_a_limit(void **state) {
    (void)state;
    struct shape small = shape_of("RTX-4070", 1, 1, LINK_NONE), big = shape_of("RTX-4090", 1, 1, LINK_NONE);
    struct estimate e = best_of(forty_hours, &small);
    assert_int_equal(e.fit, FIT_NO);
    assert_int_equal(e.reason.code, REASON_GPU_MEMORY);
    assert_true(e.reason.need == 20);
    assert_int_equal(best_of(forty_hours, &big).fit, FIT_FITS);
}

static void a_slow_link_costs_a_measured_job_without_points(void **state) {
    (void)state;
    const char *job = "task=measured base_gpu=A100-SXM4-80GB base_hours=10 params_m=1000 step_s=0.5 vram_gib=20";
    double fast = hours(job, "A100-SXM4-80GB", 8, LINK_NVSWITCH),
           slow = hours(job, "A100-SXM4-80GB", 8, LINK_PCIE_HOST);
    assert_true(fast > 10.0 / 8 && slow > 1.5 * fast);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_assumption_is_a_range_with_a_source),
        cmocka_unit_test(groups_of_families_stand_in_the_order_of_families),
        cmocka_unit_test(an_assumption_takes_a_value_or_a_range),
        cmocka_unit_test(a_wrong_assumption_is_refused_and_changes_nothing),
        cmocka_unit_test(a_trace_ends_where_it_is_full),
        cmocka_unit_test(words_exist_for_every_code_and_for_none),
        cmocka_unit_test(fewer_gpus_keep_or_lose_the_link),
        cmocka_unit_test(an_illegal_layout_names_what_does_not_divide),
        cmocka_unit_test(a_card_without_the_precision_is_refused_only_when_it_was_asked_for),
        cmocka_unit_test(old_builds_do_not_know_new_cards),
        cmocka_unit_test(the_set_keeps_the_fastest_and_the_frugal),
        cmocka_unit_test(a_measured_point_is_met_exactly),
        cmocka_unit_test(between_and_beyond_points_efficiency_falls),
        cmocka_unit_test(a_measured_job_moves_by_its_compute_share),
        cmocka_unit_test(what_a_measured_job_needs_is_a_limit),
        cmocka_unit_test(a_slow_link_costs_a_measured_job_without_points),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
