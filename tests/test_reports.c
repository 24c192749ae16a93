/* SPDX-License-Identifier: MIT */
/*
 * What people met who trained over slow links or for days: speed-ups, thresholds and hours. What a report states in full is asked of
 * the command line in cases.txt; here it is the direction and the size that are asked for, not the digit.
 */
#include "support.h"

#include "estimate_support.h"
#include "gpuplan/estimate/lighten.h"

static struct shape over(struct shape s, enum network_kind network, double gbps) {
    s.network = network;
    s.network_gbps = gbps;
    return s;
}

static void between(const char *what, double x, double low, double high) {
    if (!(x >= low && x <= high)) {
        fail_msg("%s: %.3g, wanted %.3g to %.3g", what, x, low, high);
    }
}

/* "What network does ZeRO-3 on 64 cards need": 100 Gbit/s is too little, 200 to 400 will do, 800 is ample. */
static void sharding_between_machines_needs_bandwidth(void **state) {
    (void)state;
    static const struct {
        double gbps, least, most; /* of the speed at 1600 */
    } table[] = {{100, 0, 0.55}, {200, 0.55, 0.95}, {400, 0.8, 1}, {800, 0.95, 1}};
    const char *sharded = "task=pretrain model=llama-2-13b seq_len=2048 tokens=1B global_batch=512 strategy=zero3 "
                          "micro_batch=2 recompute=full";
    const char *split =
        "task=pretrain model=llama-2-13b seq_len=2048 tokens=1B global_batch=512 strategy=megatron tp=8 "
        "pp=2 recompute=full";
    struct shape s = shape_of("A100-SXM4-80GB", 8, 8, LINK_NVSWITCH);
    struct shape wide = over(s, NETWORK_INFINIBAND, 1600);
    double best = best_of(sharded, &wide).tokens_per_s.expected;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct shape narrow = over(s, NETWORK_INFINIBAND, table[i].gbps);
        between("sharded", best_of(sharded, &narrow).tokens_per_s.expected / best, table[i].least, table[i].most);
    }
    struct shape narrow = over(s, NETWORK_INFINIBAND, 100); /* tensor and pipeline parallel lives with less */
    assert_true(best_of(split, &narrow).tokens_per_s.expected > best_of(sharded, &narrow).tokens_per_s.expected);
}

/* Iterations a second are each rank's own; a small model on four cards gains 2.7 to 3.9 times. */
static void throughput_counts_all_ranks(void **state) {
    (void)state;
    const char *one_job = "task=pretrain model=gpt2 seq_len=1024 micro_batch=8 global_batch=32 stack=default";
    struct shape one = shape_of("A40", 1, 1, LINK_NONE), four = shape_of("A40", 4, 1, LINK_PCIE);
    char job[256];
    double t1 = best_of(one_job, &one).tokens_per_s.expected;
    static const char *const strategies[] = {"ddp", "fsdp"};
    for (int i = 0; i < 2; i++) {
        snprintf(job, sizeof job, "%s strategy=%s", one_job, strategies[i]);
        struct estimate e = best_of(job, &four);
        between(strategies[i], e.tokens_per_s.expected / t1, 2.6, 4);
        assert_float_equal(e.tokens_per_s.expected, 32 * 1024 / e.step_s, 1);
    }
}

/* 72B with adapters, ZeRO-3 on four A100: 161.5 s a step at 8192 tokens. */
static void a_large_model_with_adapters_takes_its_time(void **state) {
    (void)state;
    struct shape s = shape_of("A100-SXM4-80GB", 4, 1, LINK_NVSWITCH);
    struct estimate e = best_of(
        "task=lora model=qwen-72b seq_len=8192 micro_batch=1 global_batch=32 strategy=zero3 recompute=full", &s);
    between("s a step", e.step_s, 0.8 * 161.5, 1.2 * 161.5);
}

/* 52k short instructions, three epochs: 4 h on eight A100 with NVLink, 24 h on four over PCIe, which drew a quarter of their power. */
static void instructions_over_pcie_wait_for_the_link(void **state) {
    (void)state;
    const char *job = "task=full model=llama-7b samples=52000 sample_tokens=130 epochs=3 packing=no seq_len=512 "
                      "global_batch=128 micro_batch=4 strategy=fsdp recompute=none attention=eager";
    struct shape eight = shape_of("A100-SXM4-80GB", 8, 1, LINK_NVSWITCH),
                 four = shape_of("A100-PCIe-80GB", 4, 1, LINK_PCIE_HOST);
    struct estimate fast = best_of(job, &eight), slow = best_of(job, &four);
    between("hours over PCIe over NVLink", slow.run_h.expected / fast.run_h.expected, 4, 12);
    assert_true(slow.comm_share > 0.5);
    assert_int_equal(slow.limited_by, LIMITED_LINK);
    between("high over low, where nothing was measured", fast.run_h.high / fast.run_h.low, 2, 4);
}

/* A 70B QLoRA of 41k conversations: 56 h on one A100. The lengths are not stated: 400 tokens. */
static void a_70b_qlora_takes_days(void **state) {
    (void)state;
    struct shape s = shape_of("A100-SXM4-80GB", 1, 1, LINK_NONE);
    struct estimate e = best_of("task=qlora model=llama-2-70b samples=41000 sample_tokens=400 epochs=3 packing=no "
                                "seq_len=2048 global_batch=16 recompute=full",
                                &s);
    between("hours", e.run_h.expected, 28, 112);
}

/* Padding costs what the longest sample of a pass, and of the ranks that wait for each other, is over the mean. */
static void samples_that_are_not_packed_cost_their_padding(void **state) {
    (void)state;
    const char *packed = "task=full model=llama-7b samples=52000 sample_tokens=130 epochs=3 packing=yes seq_len=512 "
                         "global_batch=128 micro_batch=4 strategy=fsdp recompute=none";
    const char *padded = "task=full model=llama-7b samples=52000 sample_tokens=130 epochs=3 packing=no seq_len=512 "
                         "global_batch=128 micro_batch=4 strategy=fsdp recompute=none";
    const char *alone = "task=full model=llama-7b samples=52000 sample_tokens=130 epochs=3 packing=no seq_len=512 "
                        "global_batch=128 micro_batch=1 strategy=fsdp recompute=none";
    struct shape s = shape_of("A100-SXM4-80GB", 8, 1, LINK_NVSWITCH),
                 one = shape_of("H200-SXM5-141GB", 1, 1, LINK_NONE);
    between("padded over packed", best_of(padded, &s).run_h.expected / best_of(packed, &s).run_h.expected, 2, 4);
    struct assumptions kept = assumptions;
    struct job j = job_of(alone);
    struct estimate_set set;
    struct err err = {0};
    j.strategy = STRATEGY_SINGLE;
    estimate_search(catalog, &j, &one, &assumptions, &set);
    double before = set.e[0].run_h.expected;
    assert_true(assumptions_set(&assumptions, "train.length_spread", "0", &err));
    estimate_search(catalog, &j, &one, &assumptions, &set);
    assert_float_equal(set.e[0].run_h.expected, before, 1e-9 * before); /* one sample a pass on one card pads nothing */
    between("all of one length", best_of(padded, &s).run_h.expected / best_of(packed, &s).run_h.expected, 0.9, 3);
    assumptions = kept;
}

/* What changes least comes first, and nothing is changed that need not be. */
static void one_gpu_is_reached_by_the_smallest_change(void **state) {
    (void)state;
    static const struct {
        const char *job, *gpu, *changes; /* NULL: none needed, or none known */
    } table[] = {
        {"task=full model=llama-3.1-8b seq_len=4096", "H100-SXM5-80GB", "optimizer=paged_adamw_8bit"},
        {"task=full model=llama-3.1-8b seq_len=4096", "RTX-4090", "task=lora"},
        {"task=lora model=llama-3.1-70b", "H100-SXM5-80GB", "task=qlora"},
        {"task=qlora model=llama-3.1-70b seq_len=8192 micro_batch=1", "H100-SXM5-80GB", "seq_len=4096"},
        {"task=lora model=llama-3.1-8b seq_len=4096 micro_batch=8 recompute=full", "RTX-4090", "micro_batch=1"},
        {"task=pretrain model=llama-2-13b tokens=1B", "H100-SXM5-80GB", "offload=params"},
        {"task=lora model=llama-3.1-8b seq_len=2048", "H100-SXM5-80GB", NULL},
        {"task=pretrain model=llama-3.1-405b tokens=1B", "RTX-4090", NULL},
        {"task=inference model=llama-3.1-70b", "RTX-4090", NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct job j = job_of(table[i].job);
        struct shape s = shape_of(table[i].gpu, 4, 1, LINK_PCIE);
        struct lightened l;
        bool found = lighten_to_one(catalog, &j, &s, &assumptions, NUM_UNKNOWN, &l);
        if (found != (table[i].changes != NULL) || (found && strcmp(l.changes, table[i].changes) != 0)) {
            fail_msg("%s on %s: %s", table[i].job, table[i].gpu, found ? l.changes : "nothing");
        }
        assert_true(!found || (l.e.fit != FIT_NO && l.e.run_h.expected > 0));
    }
}

/* Weights in host memory are an answer only where that memory is: with exactly what is needed, not with a GB less. */
static void one_gpu_is_not_reached_without_the_ram(void **state) {
    (void)state;
    struct job j = job_of("task=pretrain model=llama-2-13b tokens=1B");
    struct shape s = shape_of("H100-SXM5-80GB", 4, 1, LINK_PCIE);
    struct lightened l, less;

    assert_true(lighten_to_one(catalog, &j, &s, &assumptions, NUM_UNKNOWN, &l));
    assert_int_equal(l.refused.code, REASON_NONE);
    between("RAM of 13B with weights, gradients and states outside", l.e.host_gb, 13 * 16, 13 * 16 * 2.5);
    assert_true(lighten_to_one(catalog, &j, &s, &assumptions, l.e.host_gb, &less));
    assert_string_equal(less.changes, l.changes);
    assert_false(lighten_to_one(catalog, &j, &s, &assumptions, l.e.host_gb - 1, &less));
    assert_int_equal(less.refused.code, REASON_HOST_MEMORY);
    assert_string_equal(less.changes, "offload=params");
    assert_float_equal(less.refused.need, l.e.host_gb, 0.5);
    assert_float_equal(less.refused.have, l.e.host_gb - 1, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharding_between_machines_needs_bandwidth),
        cmocka_unit_test(throughput_counts_all_ranks),
        cmocka_unit_test(a_large_model_with_adapters_takes_its_time),
        cmocka_unit_test(instructions_over_pcie_wait_for_the_link),
        cmocka_unit_test(a_70b_qlora_takes_days),
        cmocka_unit_test(one_gpu_is_reached_by_the_smallest_change),
        cmocka_unit_test(one_gpu_is_not_reached_without_the_ram),
        cmocka_unit_test(samples_that_are_not_packed_cost_their_padding),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
