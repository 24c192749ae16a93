/* SPDX-License-Identifier: MIT */
#include "decide_support.h"

#include "gpuplan/base/mem.h"
#include "gpuplan/decide/whatif.h"

/* ---- limits ---- */

static void refused_for(struct world *w, const char *id, enum reason_code code) {
    struct candidate c = look_at(w, id);
    if (c.reason.code != code)
        fail_msg("%s: %s, not %s", id, reason_name(c.reason.code), reason_name(code));
}

static void offers_are_refused_with_a_reason(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD ",cuda_max\n"
                       "ok,x,a,H100-SXM5-80GB,1,3,machine,on_demand,us-east,512,2000,yes,12.4\n"
                       "spot,x,b,H100-SXM5-80GB,1,1,machine,spot,us-east,512,2000,yes,12.4\n"
                       "place,x,c,H100-SXM5-80GB,1,3,machine,on_demand,eu-west,512,2000,yes,12.4\n"
                       "free,x,d,H100-SXM5-80GB,1,,machine,on_demand,us-east,512,2000,yes,12.4\n"
                       "gone,x,e,H100-SXM5-80GB,1,3,machine,on_demand,us-east,512,2000,no,12.4\n"
                       "ram,x,f,H100-SXM5-80GB,1,3,machine,on_demand,us-east,32,2000,yes,12.4\n"
                       "disk,vast,g,H100-SXM5-80GB,1,3,machine,on_demand,us-east,512,50,yes,12.4\n"
                       "cuda,x,h,H100-SXM5-80GB,1,3,machine,on_demand,us-east,512,2000,yes,11.0\n"
                       "small,x,i,T4,1,0.3,machine,on_demand,us-east,512,2000,yes,12.4\n",
          "preset=lora-8b", "offload=none", "base=bf16", "regions=us", "min_ram_gb=64", "cuda_min=12.1", "spot=no");
    refused_for(&w, "ok", REASON_NONE);
    refused_for(&w, "spot", REASON_FILTERED);
    refused_for(&w, "place", REASON_FILTERED);
    refused_for(&w, "gone", REASON_UNAVAILABLE);
    refused_for(&w, "ram", REASON_HOST_MEMORY);
    refused_for(&w, "disk", REASON_DISK);
    refused_for(&w, "cuda", REASON_CAPABILITY);
    refused_for(&w, "small", REASON_GPU_MEMORY);
    assert_int_equal(ranking_count(w.r), 1);
    struct refusal_summary s[REASON_COUNT];
    size_t n = ranking_refusals(w.r, s), sum = 0;
    for (size_t i = 0; i < n; i++) {
        assert_true(i == 0 || s[i].offers <= s[i - 1].offers);
        sum += s[i].offers;
    }
    assert_int_equal(sum, ranking_refused_count(w.r));
    assert_int_equal(sum + ranking_count(w.r), w.offers->count);
    struct candidate small = look_at(&w, "small");
    assert_true(small.reason.need > small.reason.have && small.reason.have < 16);
    world_free(&w);
}

static void deadline_counts_the_wait(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD ",access\n"
                       "now,x,a,H100-SXM5-80GB,1,3,machine,on_demand,us,512,2000,yes,now\n"
                       "quota,x,b,H100-SXM5-80GB,1,2,machine,on_demand,us,512,2000,yes,quota\n",
          "preset=lora-8b", "deadline_h=8");
    assert_int_equal(look_at(&w, "now").deadline, LIMIT_MET);
    assert_int_equal(look_at(&w, "quota").deadline, LIMIT_MISSED);
    assert_int_equal(look_at(&w, "quota").cls, RANK_LATE);
    assert_string_equal(id_at(&w, 0), "now"); /* although it is dearer */
    world_free(&w);
}

static void spot_choice_is_kept(void **state) {
    (void)state;
    struct world no, yes, only;
    const char *listing = LISTING_HEAD ",spot_usd_h\n"
                                       "both,x,a,H100-SXM5-80GB,1,4,machine,on_demand,us,512,2000,yes,1\n"
                                       "plain,x,b,H100-SXM5-80GB,1,2,machine,on_demand,us,512,2000,yes,\n";
    WORLD(&no, listing, "preset=lora-8b", "spot=no");
    WORLD(&yes, listing, "preset=lora-8b", "spot=yes");
    WORLD(&only, listing, "preset=lora-8b", "spot=only");
    assert_string_equal(id_at(&no, 0), "plain");
    struct candidate c;
    ranking_candidate(yes.r, ranking_at(yes.r, 0), &c);
    assert_int_equal(c.offer->rate_kind, RATE_SPOT);
    assert_near(c.rate_usd_h, 1, 1e-9);
    assert_true(c.cost.part_usd[COST_LOST_WORK] > 0);
    assert_int_equal(ranking_count(yes.r), 3);
    assert_int_equal(ranking_count(only.r), 1);
    world_free(&no);
    world_free(&yes);
    world_free(&only);
}

/* ---- counts ---- */

static void all_gpus_paid_are_named(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD "\n"
                       "eight,lambda,gpu_8x_a100,A100-SXM4-40GB,8,10.32,machine,on_demand,us,1800,6000,yes\n"
                       "one,lambda,gpu_1x_a100,A100-SXM4-40GB,1,1.29,machine,on_demand,us,200,500,yes\n",
          "preset=full-8b", "offload=none");
    struct candidate c = look_at(&w, "eight");
    assert_true(c.shape.gpus * c.shape.nodes <= 8);
    assert_near(c.gpu_hours, 8 * c.cost.time_h.expected, 1e-9);
    assert_true(c.fits_from_gpus > 1 && c.fits_from_gpus <= c.shape.gpus);
    assert_int_equal(c.efficiency_base, c.fits_from_gpus);
    assert_false(c.single_gpu_would_do);
    assert_int_equal(look_at(&w, "one").cls, RANK_REFUSED);
    struct answer a;
    ranking_answer(w.r, &a);
    assert_true(a.has_best);
    assert_int_equal(a.constraint, CONSTRAINT_CAPACITY);
    assert_near(c.cost.usd_per_useful_gpu_h, c.rate_usd_h / (c.shape.gpus * c.efficiency), 1e-9);
    assert_true(c.efficiency >= 1 || c.cost.naive_usd < c.cost.usd.expected);
    world_free(&w);
}

static void a_count_can_be_asked_for(void **state) {
    (void)state;
    struct world w;
    struct candidate four, all;
    WORLD(&w, LISTING_HEAD "\neight,lambda,gpu_8x_a100,A100-SXM4-80GB,8,14,machine,on_demand,us,1800,6000,yes\n",
          "preset=full-8b");
    assert_true(ranking_explain(w.r, "eight", 4, &four, NULL));
    assert_true(ranking_explain(w.r, "eight", 8, &all, NULL));
    assert_int_equal(four.shape.gpus, 4);
    assert_int_equal(all.shape.gpus, 8);
    assert_true(four.e.run_h.expected > all.e.run_h.expected);
    assert_false(ranking_explain(w.r, "nine", 0, &four, NULL));
    world_free(&w);
}

/* A 70B model in 16 bit needs four cards; in 4 bit one carries it, and that is among the answers. */
static void one_gpu_with_fewer_bits_is_an_answer(void **state) {
    (void)state;
    static const char listing[] = LISTING_HEAD "\n"
                                               "four,x,a,H100-SXM5-80GB,4,8,machine,on_demand,us,800,2000,yes\n"
                                               "one,x,b,H100-SXM5-80GB,1,2,machine,on_demand,us,200,900,yes\n"
                                               "small,x,c,RTX-4090,1,0.4,machine,on_demand,us,200,900,yes\n";
    struct world w;
    struct answer a;
    WORLD(&w, listing, "task=inference", "model=llama-3.1-70b", "concurrency=4");
    ranking_answer(w.r, &a);
    assert_string_equal(id_at(&w, 0), "four");
    assert_true(a.has_lighter);
    assert_int_equal(a.lighter.shape.gpus, 1);
    assert_string_equal(offers_text(w.offers, a.lighter.offer->id), "one");
    assert_int_equal(a.lighter.e.fit, FIT_FITS);
    assert_true(a.lighter.cost.usd.expected < a.best.cost.usd.expected);
    world_free(&w);
    WORLD(&w, listing, "task=inference", "model=llama-3.1-70b", "concurrency=4", "weights=int4");
    ranking_answer(w.r, &a);
    assert_false(a.has_lighter); /* nothing has fewer bits: it is in the ranking itself */
    world_free(&w);
    WORLD(&w, listing, "task=inference", "model=llama-3.1-70b", "requests_per_s=40", "ttft_ms=2000");
    ranking_answer(w.r, &a);
    assert_false(a.has_lighter); /* one card does not carry that */
    assert_true(a.has_shared);
    assert_true(a.shared_machines > 1);
    assert_true(a.shared.e.sustained_requests_per_s.expected * a.shared_machines >= 39.9);
    world_free(&w);
    WORLD(&w, listing, "preset=lora-8b");
    ranking_answer(w.r, &a);
    assert_false(a.has_lighter || a.has_shared);
    world_free(&w);
}

/* Over PCIe four cards do not carry this load within 50 ms a token: staying means renting more of them. */
static void a_service_on_a_worse_link_needs_more_machines(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD "\n"
                       "four,vast,4x H100,H100-SXM5-80GB,4,7,machine,on_demand,us,800,2000,yes\n"
                       "eight,lambda,gpu_8x_h100_sxm5,H100-SXM5-80GB,8,24,machine,on_demand,us,1800,6000,yes\n",
          "task=inference", "model=llama-3.1-70b", "requests_per_s=3", "ttft_ms=1000", "itl_ms=50");
    struct candidate c = look_at(&w, "four");
    assert_int_equal(c.cls, RANK_FITS);
    assert_int_equal(c.risk.grade, RISK_HIGH);
    assert_true(c.risk.worse_usd >= 1.99 * c.cost.usd.expected);
    world_free(&w);
}

static void one_gpu_has_no_link_to_lose(void **state) {
    (void)state;
    struct world w;
    WORLD(&w, LISTING_HEAD "\none,vast,m,A100-SXM4-80GB,1,1,machine,on_demand,us,200,900,yes\n", "preset=lora-8b");
    struct candidate c = look_at(&w, "one");
    assert_int_equal(c.risk.grade, RISK_NONE);
    assert_false(num_known(c.risk.worse_usd));
    assert_true(c.single_gpu_would_do);
    assert_near(c.e.step_part_s[STEP_COMMUNICATION], 0, 0);
    struct answer a;
    ranking_answer(w.r, &a);
    assert_int_equal(a.constraint, CONSTRAINT_NONE);
    world_free(&w);
}

static void counts_side_by_side(void **state) {
    (void)state;
    struct world w;
    struct whatif *out = mem_zero(1, sizeof *out);
    struct whatif_question q = {.counts = {1, 2, 4, 8, 16}, .count = 5, .link = -1};
    WORLD(&w,
          LISTING_HEAD "\n"
                       "one,lambda,gpu_1x_a100,A100-SXM4-80GB,1,1.8,machine,on_demand,us,200,500,yes\n"
                       "two,other,x,A100-SXM4-80GB,2,3,machine,on_demand,us,400,900,yes\n"
                       "eight,lambda,gpu_8x_a100,A100-SXM4-80GB,8,14,machine,on_demand,us,1800,6000,yes\n",
          "preset=full-8b", "offload=none");
    q.pick = "eight";
    assert_true(whatif_make(w.r, &q, out));
    assert_int_equal(out->columns[0].basis, PRICE_OFFER);
    assert_near(out->columns[0].c.rate_usd_h, 1.8, 1e-9);
    assert_int_equal(out->columns[2].basis, PRICE_PRO_RATA);
    assert_near(out->columns[2].c.rate_usd_h, 7, 1e-9);
    assert_int_equal(out->columns[4].basis, PRICE_NODES);
    assert_int_equal(out->columns[4].c.shape.nodes, 2);
    struct candidate eight = look_at(&w, "eight");
    assert_near(out->columns[3].c.cost.usd.expected, eight.cost.usd.expected, 1e-9); /* one evaluator */
    /* its own words: the largest count whose step gains 70 % of the ratio */
    int knee = -1, before = -1;
    for (int i = 0; i < out->count; i++) {
        if (out->columns[i].c.cls == RANK_REFUSED)
            continue;
        if (knee == before &&
            (before < 0 || out->speed_up[i] / out->speed_up[before] >= 0.7 * q.counts[i] / q.counts[before]))
            knee = i;
        before = i;
        assert_near(out->efficiency[i], out->speed_up[i] * q.counts[out->base] / q.counts[i], 1e-12);
    }
    assert_int_equal(out->knee, knee);
    assert_true(out->best_cost >= 0 && out->best_time >= out->best_cost);
    q.pick = NULL;
    q.gpu = catalog_gpu_index(tables, catalog_gpu_exact(tables, "T4"));
    assert_false(whatif_make(w.r, &q, out));
    free(out);
    world_free(&w);
}

/* One thing varies, the rest stays: a column that is as the job has it says what the ranking says. */
static void other_things_side_by_side(void **state) {
    (void)state;
    struct world w;
    struct whatif *out = mem_zero(1, sizeof *out);
    struct whatif_question q = {.pick = "eight", .link = -1};
    WORLD(&w,
          LISTING_HEAD "\n"
                       "eight,lambda,gpu_8x_a100,A100-SXM4-80GB,8,14,machine,on_demand,us,1800,6000,yes\n"
                       "spot,other,x,A100-SXM4-80GB,8,6,machine,spot,us,1800,6000,yes\n"
                       "h100,other,y,H100-SXM5-80GB,8,24,machine,on_demand,us,1800,6000,yes\n",
          "preset=full-8b");
    struct workload stated;
    workload_init(&stated);
    assert_true(workload_set(&stated, "preset", "full-8b", NULL));
    q.workload = &stated;
    q.models = presets;
    struct candidate eight = look_at(&w, "eight");
    static const enum vary fields[] = {VARY_SEQ_LEN, VARY_BATCH, VARY_PRECISION};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        int current = -1;
        q.vary = fields[i];
        assert_true(whatif_make(w.r, &q, out));
        assert_true(out->count >= 3);
        for (int k = 0; k < out->count; k++) {
            if (out->columns[k].current)
                current = k;
            assert_int_equal(out->columns[k].gpus, 8);
        }
        assert_true(current >= 0);
        assert_int_equal(out->base, current);
        assert_near(out->columns[current].c.cost.usd.expected, eight.cost.usd.expected, 1e-9);
        if (q.vary == VARY_SEQ_LEN) /* longer sequences never need less */
            for (int k = 1; k < out->count; k++)
                assert_true(out->columns[k].c.e.memory_gib.expected >= out->columns[k - 1].c.e.memory_gib.expected);
    }
    q.vary = VARY_SPOT;
    assert_true(whatif_make(w.r, &q, out));
    assert_int_equal(out->count, 2); /* nobody sells it reserved */
    assert_int_equal(out->cheapest, 1);
    q.vary = VARY_LINK;
    assert_true(whatif_make(w.r, &q, out));
    for (int k = 0; k < out->count; k++) {
        assert_int_equal(out->columns[k].c.shape.link, out->columns[k].spec.link);
        assert_int_equal(out->columns[k].basis == PRICE_OFFER, out->columns[k].current);
    }
    assert_true(out->count >= 2);
    q.vary = VARY_GPU;
    assert_true(whatif_make(w.r, &q, out));
    assert_int_equal(out->count, 2);
    assert_true(out->columns[0].current);
    q.vary = VARY_GPUS;
    q.weak = true;
    q.counts[0] = 4;
    q.counts[1] = 8;
    q.count = 2;
    assert_true(whatif_make(w.r, &q, out));
    assert_true(out->weak && out->efficiency[1] > 0.5 && out->efficiency[1] < 1.5);
    double weak_step_s = out->columns[1].c.e.step_s;
    q.weak = false;
    assert_true(whatif_make(w.r, &q, out));
    assert_true(weak_step_s > 1.5 * out->columns[1].c.e.step_s); /* eight times the batch a step */
    free(out);
    world_free(&w);
}

static void a_cheap_card_to_debug_on(void **state) {
    (void)state;
    struct world w;
    struct answer a;
    WORLD(&w,
          LISTING_HEAD "\n"
                       "fast,x,a,H100-SXM5-80GB,1,2,machine,on_demand,us,512,2000,yes\n"
                       "cheap,x,b,RTX-3090,1,0.2,machine,on_demand,us,64,900,yes\n"
                       "cheaper,x,c,RTX-3090,1,0.1,machine,spot,us,64,900,yes\n",
          "preset=lora-8b", "stage=iterate", "deadline_h=1", "spot=yes");
    ranking_answer(w.r, &a);
    assert_true(a.has_debug);
    assert_string_equal(offers_text(w.offers, a.debug.offer->id), "cheap");
    world_free(&w);
}

/* The network between machines belongs to the offer: two that differ in nothing else are two shapes. */
static void networks_are_told_apart(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD ",network,network_gbps,nodes_max\n"
                       "ib,coreweave,a,H100-SXM5-80GB,8,20,machine,on_demand,us,1800,9000,yes,infiniband,3200,\n"
                       "none,coreweave,b,H100-SXM5-80GB,8,20,machine,on_demand,us,1800,9000,yes,none,,\n"
                       "one,coreweave,c,H100-SXM5-80GB,8,20,machine,on_demand,us,1800,9000,yes,infiniband,3200,1\n"
                       "mkt,vast,d,H100-SXM5-80GB,8,20,machine,on_demand,us,1800,9000,yes,,,\n"
                       "unk,hyperstack,e,H100-SXM5-80GB,8,20,machine,on_demand,us,1800,9000,yes,,,\n",
          "preset=pretrain-1b", "deadline_h=8", "nodes_max=2");
    assert_int_equal(look_at(&w, "ib").shape.nodes, 2);
    assert_int_equal(look_at(&w, "ib").shape.network, NETWORK_INFINIBAND);
    assert_int_equal(look_at(&w, "none").shape.nodes, 1);
    assert_int_equal(look_at(&w, "one").shape.nodes, 1);
    assert_int_equal(look_at(&w, "mkt").shape.nodes, 1);
    struct candidate unknown = look_at(&w, "unk");
    assert_int_not_equal(unknown.shape.network, NETWORK_INFINIBAND);
    assert_near(look_at(&w, "ib").gpu_hours, 16 * look_at(&w, "ib").cost.time_h.expected, 1e-9);
    world_free(&w);
}

/* ---- risk ---- */

static void risk_is_bounded_by_leaving(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD
          ",link,link_source\n"
          "inf,vast,m,A100-SXM4-80GB,8,10,machine,on_demand,us,1800,6000,yes,nvswitch,inferred\n"
          "dec,vast,n,A100-SXM4-80GB,8,10,machine,on_demand,us,1800,6000,yes,nvswitch,declared\n"
          "mea,vast,o,A100-SXM4-80GB,8,10,machine,on_demand,us,1800,6000,yes,nvswitch,measured\n"
          "big,aws,p4de.24xlarge,A100-SXM4-80GB,8,40,machine,on_demand,us,1800,6000,yes,nvswitch,inferred\n",
          "preset=full-8b", "recompute=none", "strategy=fsdp", "micro_batch=1");
    struct candidate inferred = look_at(&w, "inf"), declared = look_at(&w, "dec"), measured = look_at(&w, "mea"),
                     big = look_at(&w, "big");
    assert_true(inferred.risk.grade >= RISK_LOW);
    assert_true(num_known(inferred.risk.worse_usd));
    assert_int_equal(inferred.risk.worse_link, LINK_PCIE_HOST);
    assert_true(inferred.risk.worse_time_h > inferred.cost.time_h.expected);
    assert_true(inferred.risk.probability_worse > declared.risk.probability_worse);
    assert_true(declared.risk.probability_worse > measured.risk.probability_worse);
    assert_near(measured.risk.probability_worse, 0, 0);
    assert_true(big.risk.probability_worse < inferred.risk.probability_worse);
    double lesser = fmin(inferred.risk.worse_usd - inferred.cost.usd.expected, inferred.risk.leave_usd);
    double oom = assume_get(&w.assumptions, inferred.e.fit == FIT_TIGHT ? ASSUME_OOM_TIGHT : ASSUME_OOM_FITS);
    assert_near(inferred.risk.expected_extra_usd,
                inferred.risk.probability_worse * lesser + oom * inferred.risk.leave_usd, 1e-6);
    assert_string_equal(id_at(&w, 0), "mea"); /* the same money without the doubt */
    assert_true(inferred.risk.reason_count > 0 && inferred.risk.ask_count > 0);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offers_are_refused_with_a_reason),
        cmocka_unit_test(deadline_counts_the_wait),
        cmocka_unit_test(spot_choice_is_kept),
        cmocka_unit_test(all_gpus_paid_are_named),
        cmocka_unit_test(a_count_can_be_asked_for),
        cmocka_unit_test(one_gpu_with_fewer_bits_is_an_answer),
        cmocka_unit_test(a_service_on_a_worse_link_needs_more_machines),
        cmocka_unit_test(one_gpu_has_no_link_to_lose),
        cmocka_unit_test(counts_side_by_side),
        cmocka_unit_test(other_things_side_by_side),
        cmocka_unit_test(a_cheap_card_to_debug_on),
        cmocka_unit_test(networks_are_told_apart),
        cmocka_unit_test(risk_is_bounded_by_leaving),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
