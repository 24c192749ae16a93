/* SPDX-License-Identifier: MIT */
#include "decide_support.h"

#include "decide/place.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/decide/whatif.h"

static const char *const head = LISTING_HEAD "\n";

/* ---- interruption ---- */

static void interval_is_dalys(void **state) {
    (void)state;
    /* C = 0.05 h, M = 24 h: Young 1.549 h; Daly 1.549 (1 + 0.0323/3 + 0.00104/9) - 0.05 */
    assert_near(interruption_interval(0.05, 24), 1.5160, 1e-3);
    assert_near(interruption_interval(5, 2), 2, 0); /* saving takes longer than two failures: once a failure */
    assert_true(interruption_interval(0.01, 100) < interruption_interval(0.01, 400));
}

static void interruptions_cost_work(void **state) {
    (void)state;
    struct interruption i = interruption_expect(100, 0.05, 1.0, 24, 1, 0.5, 0.2, 0.5);
    /* saving 5 %; a loss of half an hour and a reload of 0.2 h every 24 h */
    assert_near(i.lost_h, 100 * (0.05 + 0.7 / 24), 1e-9);
    assert_near(i.wait_h, 100 * 0.3 / 24, 1e-9);
    assert_true(i.viable);
    struct interruption two = interruption_expect(100, 0.05, 1.0, 24, 2, 0.5, 0.2, 0.5);
    assert_near(two.lost_h - i.lost_h, 100 * 0.7 / 24, 1e-9); /* either machine stops both */
    assert_false(interruption_expect(100, 0.05, 4.0, 2, 1, 0.5, 0.2, 0.5).viable);
    /* a run shorter than the interval saves nothing and loses half of itself */
    assert_near(interruption_expect(0.5, 0.05, 2.0, 10, 1, 0.1, 0.1, 0.5).lost_h, 0.5 * (0.25 + 0.1) / 10, 1e-9);
}

/* ---- money ---- */

static double sum_of_parts(const struct cost *c) {
    double sum = 0;
    for (int i = 0; i < COST_PART_COUNT; i++)
        sum += c->part_usd[i];
    return sum;
}

static void parts_add_up(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD ",spot_usd_h,egress_usd_gb,disk_usd_gb_month\n"
                       "a,lambda,m,A100-SXM4-80GB,8,16,machine,on_demand,us,,,,4,0.1,0.2\n"
                       "b,vast,m,RTX-4090,4,1.2,machine,spot,us,256,900,,,,\n"
                       "c,aws,p4d.24xlarge,A100-SXM4-40GB,8,32,machine,reserved,us,,,,,,\n",
          "preset=full-8b", "spot=yes", "nodes_max=2");
    assert_true(ranking_count(w.r) > 0);
    for (size_t i = 0; i < ranking_count(w.r); i++) {
        struct candidate c;
        ranking_candidate(w.r, ranking_at(w.r, i), &c);
        assert_near(sum_of_parts(&c.cost), c.cost.usd.expected, 1e-9 * c.cost.usd.expected);
        assert_true(c.cost.usd.low <= c.cost.usd.expected && c.cost.usd.expected <= c.cost.usd.high);
        assert_true(c.cost.time_h.low <= c.cost.time_h.expected && c.cost.time_h.expected <= c.cost.time_h.high);
        double time = c.cost.setup_h + c.e.run_h.expected + c.cost.lost_h + c.cost.copy_out_h;
        assert_near(c.cost.time_h.expected, time, 1e-9 * time);
        assert_true((c.cost.part_usd[COST_LOST_WORK] > 0) == (c.offer->rate_kind == RATE_SPOT));
        assert_true(c.risk.expected_extra_usd >= 0);
    }
    world_free(&w);
}

/* The textbook example, to the cent: 40 h at $2 on one GPU; four at 80 %; eight at 70 %. */
static void a_measured_job_costs_what_it_should(void **state) {
    (void)state;
    static const struct {
        const char *id;
        double hours, usd, speed_up, efficiency;
    } wants[] = {{"one", 40, 80, 1, 1},
                 {"four", 12.5, 100, 3.2, 0.8},
                 {"each", 12.5, 100, 3.2, 0.8},
                 {"eight", 40 / 5.6, 16 * 40 / 5.6, 5.6, 0.7}};
    struct world w;
    WORLD(&w,
          LISTING_HEAD ",billing_step_s\n"
                       "one,x,a,A100-SXM4-80GB,1,2,machine,on_demand,us,,,yes,1\n"
                       "four,x,b,A100-SXM4-80GB,4,8,machine,on_demand,us,,,yes,1\n"
                       "each,x,c,A100-SXM4-80GB,4,2,gpu,on_demand,us,,,yes,1\n"
                       "eight,x,d,A100-SXM4-80GB,8,16,machine,on_demand,us,,,yes,1\n",
          "task=measured", "base_gpu=A100-SXM4-80GB", "base_hours=40", "vram_gib=30", "points=4:0.80,8:0.70",
          "setup_h=0", "deadline_h=100");
    for (size_t i = 0; i < 4; i++) {
        struct candidate c = look_at(&w, wants[i].id);
        assert_near(c.cost.time_h.expected, wants[i].hours, 1e-9);
        assert_near(c.cost.usd.expected, wants[i].usd, 0.005);
        assert_near(c.efficiency, wants[i].efficiency, 1e-9);
        assert_near(40 / c.e.run_h.expected, wants[i].speed_up, 1e-9);
        assert_near(c.cost.naive_usd, 80, 0.005);
    }
    assert_string_equal(id_at(&w, 0), "one");
    struct answer a;
    ranking_answer(w.r, &a);
    assert_int_equal(a.constraint, CONSTRAINT_NONE);
    world_free(&w);
}

/* With one day to go, one GPU is too slow and the reason is named. */
static void a_deadline_is_a_reason_for_more(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD "\n"
                       "one,x,a,A100-SXM4-80GB,1,2,machine,on_demand,us,,,yes\n"
                       "four,x,b,A100-SXM4-80GB,4,8,machine,on_demand,us,,,yes\n",
          "task=measured", "base_gpu=A100-SXM4-80GB", "base_hours=40", "vram_gib=30", "points=4:0.80", "deadline_h=24");
    assert_string_equal(id_at(&w, 0), "four");
    assert_int_equal(look_at(&w, "one").cls, RANK_LATE);
    assert_true(look_at(&w, "one").cost.setup_h > 0); /* not asked to be left out */
    struct answer a;
    ranking_answer(w.r, &a);
    assert_int_equal(a.constraint, CONSTRAINT_DEADLINE);
    assert_int_equal(a.best.fits_from_gpus, 1);
    world_free(&w);
}

/* A price per GPU and one per machine are the same money for the same machine. */
static void rate_basis_does_not_matter(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD "\n"
                       "m,x,m,A100-SXM4-80GB,4,8,machine,on_demand,us,512,2000,yes\n"
                       "g,x,g,A100-SXM4-80GB,4,2,gpu,on_demand,us,512,2000,yes\n",
          "preset=lora-8b");
    struct candidate a = look_at(&w, "m"), b = look_at(&w, "g");
    assert_near(a.rate_usd_h, 8, 1e-9);
    assert_near(b.rate_usd_h, 8, 1e-9);
    assert_near(a.cost.usd.expected, b.cost.usd.expected, 1e-9);
    world_free(&w);
}

static void cost_grows_with_the_rate(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD ",billing_step_s\n"
                       "one,x,a,H100-SXM5-80GB,1,2,machine,on_demand,us,512,2000,yes,1\n"
                       "two,x,b,H100-SXM5-80GB,1,4,machine,on_demand,us,512,2000,yes,1\n",
          "preset=lora-8b");
    struct candidate a = look_at(&w, "one"), b = look_at(&w, "two");
    assert_near(b.cost.part_usd[COST_COMPUTE] / a.cost.part_usd[COST_COMPUTE], 2, 1e-9);
    assert_near(b.cost.time_h.expected, a.cost.time_h.expected, 1e-12);
    assert_string_equal(id_at(&w, 0), "one");
    world_free(&w);
}

static void billing_steps_and_minimum(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD ",billing_step_s,min_hours,term_h\n"
                       "s,x,a,H100-SXM5-80GB,1,10,machine,on_demand,us,512,2000,yes,1,,\n"
                       "h,x,b,H100-SXM5-80GB,1,10,machine,on_demand,us,512,2000,yes,3600,,\n"
                       "m,x,c,H100-SXM5-80GB,1,10,machine,on_demand,us,512,2000,yes,1,24,\n"
                       "r,x,d,H100-SXM5-80GB,1,10,machine,reserved,us,512,2000,yes,1,,168\n",
          "preset=lora-8b");
    struct candidate s = look_at(&w, "s"), h = look_at(&w, "h"), m = look_at(&w, "m"), r = look_at(&w, "r");
    double hours = s.cost.time_h.expected;
    assert_near(s.cost.billed_h, ceil(hours * 3600 - 1e-3) / 3600, 1e-9);
    assert_near(h.cost.billed_h, ceil(hours), 1e-9);
    assert_near(m.cost.usd.expected - m.cost.part_usd[COST_STORAGE], 240, 1e-6);
    assert_near(r.cost.usd.expected - r.cost.part_usd[COST_STORAGE], 1680, 1e-6); /* the whole term */
    world_free(&w);
}

/* 500 GB at $0.08 a GB and month are $0.0548 an hour, and $39.5 for 30 days of a machine that is only stopped. */
static void disk_is_billed(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD ",disk_usd_gb_month\n"
                       "a,x,a,H100-SXM5-80GB,1,2,machine,on_demand,us,512,,yes,0.08\n"
                       "b,x,b,H100-SXM5-80GB,1,2,machine,on_demand,us,512,,yes,0\n",
          "preset=lora-8b", "min_disk_gb=500");
    struct candidate a = look_at(&w, "a"), b = look_at(&w, "b");
    assert_near(a.cost.part_usd[COST_STORAGE] / a.cost.billed_h, 500 * 0.08 / 730, 1e-6);
    assert_near(a.cost.stopped_30d_usd, 500 * 0.08 / 730 * 720, 1e-3);
    assert_near(b.cost.part_usd[COST_STORAGE], 0, 0);
    assert_string_equal(id_at(&w, 0), "b"); /* and it decides between equal rates */
    world_free(&w);
}

/* Loaders hold a job back that wants more CPU cores than the machine has; how many it wants can be said. */
static void too_few_cores_hold_a_job_back(void **state) {
    (void)state;
    struct world w, z;
    const char *listing = "id,provider,machine,gpu,gpus,rate_usd_h,region,ram_gb,cpu_cores\n"
                          "few,x,a,V100-SXM2-32GB,8,8,us,500,16\nenough,x,b,V100-SXM2-32GB,8,8,us,500,32\n"
                          "unknown,x,c,V100-SXM2-32GB,8,8,us,500,\n";
    WORLD(&w, listing, "task=measured", "base_gpu=V100-SXM2-32GB", "base_hours=40", "params_m=86", "setup_h=0");
    double enough = look_at(&w, "enough").cost.time_h.expected;
    assert_near(look_at(&w, "few").cost.time_h.expected, 2 * enough, 1e-9 * enough);
    assert_near(look_at(&w, "unknown").cost.time_h.expected, enough, 1e-9 * enough);
    world_free(&w);
    WORLD(&z, listing, "task=measured", "base_gpu=V100-SXM2-32GB", "base_hours=40", "params_m=86", "setup_h=0",
          "vcpus_per_gpu=8");
    assert_near(look_at(&z, "enough").cost.time_h.expected, 2 * enough, 1e-9 * enough);
    world_free(&z);
}

static void setup_is_counted_unless_stated(void **state) {
    (void)state;
    struct world w, z;
    const char *listing = LISTING_HEAD ",inet_down_mbps\n"
                                       "fast,x,a,H100-SXM5-80GB,1,3,machine,on_demand,us,512,2000,yes,10000\n"
                                       "slow,x,b,H100-SXM5-80GB,1,3,machine,on_demand,us,512,2000,yes,100\n";
    WORLD(&w, listing, "preset=lora-8b");
    struct candidate fast = look_at(&w, "fast"), slow = look_at(&w, "slow");
    assert_true(slow.cost.setup_h > 4 * fast.cost.setup_h);
    assert_true(fast.cost.setup_h > 0.05 && fast.cost.setup_h < 0.5);
    assert_string_equal(id_at(&w, 0), "fast");
    WORLD(&z, listing, "preset=lora-8b", "setup_h=0");
    struct candidate none = look_at(&z, "slow");
    assert_near(none.cost.setup_h, 0, 0);
    assert_near(none.cost.time_h.expected, none.e.run_h.expected, 1e-12);
    world_free(&w);
    world_free(&z);
}

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

/* ---- order ---- */

static unsigned long long dice = 88172645463325252ULL;

static unsigned roll(unsigned sides) {
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (unsigned)(dice % sides);
}

static char *random_listing(int rows) {
    static const char *const cards[] = {"A100-SXM4-80GB", "H100-SXM5-80GB", "RTX-4090", "L40S", "T4", "A10",
                                        "V100-SXM2-16GB", "NoSuchCard"};
    static const char *const kinds[] = {"on_demand", "on_demand", "spot", "reserved"};
    struct buf b = {0};
    buf_puts(&b, head);
    for (int i = 0; i < rows; i++) {
        static const int counts[] = {1, 1, 2, 4, 8};
        int gpus = counts[roll(5)];
        buf_printf(&b, "o%d,p%u,m%u,%s,%d,%u.%02u,machine,%s,r%u,%u,%u,%s\n", i, roll(4), roll(5), cards[roll(8)], gpus,
                   roll(4) * (unsigned)gpus, roll(4) * 25, kinds[roll(4)], roll(9), 64 * (1 + roll(16)),
                   100 * (1 + roll(20)), roll(9) ? "yes" : "unknown");
    }
    return b.data;
}

static int compare_rows(const struct world *w, const struct ranked *a, const struct ranked *b) {
    if (a->cls != b->cls)
        return a->cls < b->cls ? -1 : 1;
    if (a->goal < b->goal || a->goal > b->goal)
        return a->goal < b->goal ? -1 : 1;
    if (a->other < b->other || a->other > b->other)
        return a->other < b->other ? -1 : 1;
    if (a->simplicity != b->simplicity)
        return a->simplicity < b->simplicity ? -1 : 1;
    return strcmp(offers_text(w->offers, w->offers->items[a->offer].id),
                  offers_text(w->offers, w->offers->items[b->offer].id));
}

static void check_order(const struct world *w) {
    for (size_t i = 1; i < ranking_count(w->r); i++)
        assert_true(compare_rows(w, ranking_at(w->r, i - 1), ranking_at(w->r, i)) < 0);
}

static void check_frontier(const struct world *w) {
    size_t n = ranking_count(w->r);
    for (size_t i = 0; i < n; i++) {
        const struct ranked *a = ranking_at(w->r, i);
        bool beaten = false;
        for (size_t k = 0; k < n && !beaten; k++) {
            const struct ranked *b = ranking_at(w->r, k);
            beaten = b->usd <= a->usd && b->hours <= a->hours && (b->usd < a->usd || b->hours < a->hours);
        }
        assert_int_equal(a->frontier, !beaten);
    }
}

static void check_groups(const struct world *w) {
    size_t sum = 0, last = 0;
    for (size_t i = 0; i < ranking_group_count(w->r); i++) {
        size_t size;
        const struct ranked *row = ranking_group_at(w->r, i, &size);
        size_t at = 0;
        while (ranking_at(w->r, at) != row)
            at++;
        assert_true(i == 0 || at > last);
        last = at;
        sum += size;
    }
    assert_int_equal(sum, ranking_count(w->r));
}

static void order_frontier_and_groups(void **state) {
    (void)state;
    static const char *const goals[] = {"cost", "time", "value"};
    char *listing = random_listing(700);
    for (int g = 0; g < GOAL_COUNT; g++) {
        struct world w;
        const char *const fields[] = {"preset=lora-8b", "spot=yes", "value_usd_h=2", "deadline_h=3", NULL};
        world_make(&w, listing, fields);
        w.q.goal = (enum goal)goal_find(goals[g]);
        world_start(&w);
        ranking_run(w.r);
        assert_true(ranking_count(w.r) > 200);
        check_order(&w);
        check_frontier(&w);
        check_groups(&w);
        world_free(&w);
    }
    free(listing);
}

/* In slices of any size the outcome is the same, and what can be seen meanwhile is in order. */
static void slices_give_the_same_order(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 7, 64, 1000};
    char *listing = random_listing(300);
    struct world whole;
    WORLD(&whole, listing, "preset=lora-8b", "spot=yes");
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct world w;
        const char *const fields[] = {"preset=lora-8b", "spot=yes", NULL};
        world_make(&w, listing, fields);
        world_start(&w);
        while (!ranking_step(w.r, sizes[s]))
            for (size_t i = 1; i < ranking_count(w.r) && i < 30; i++)
                assert_true(ranking_at(w.r, i - 1)->cls <= ranking_at(w.r, i)->cls);
        assert_int_equal(ranking_count(w.r), ranking_count(whole.r));
        for (size_t i = 0; i < ranking_count(w.r); i++)
            assert_string_equal(id_at(&w, i), id_at(&whole, i));
        world_free(&w);
    }
    world_free(&whole);
    free(listing);
}

/* The same rows in another order of the file give the same ranking. */
static void order_of_the_file_does_not_matter(void **state) {
    (void)state;
    struct world a, b;
    WORLD(&a,
          LISTING_HEAD "\n"
                       "a,x,m,H100-SXM5-80GB,1,3,machine,on_demand,r1,512,2000,yes\n"
                       "b,x,m,H100-SXM5-80GB,1,3,machine,on_demand,r2,512,2000,yes\n"
                       "c,y,m,L40S,1,1,machine,on_demand,r2,512,2000,yes\n",
          "preset=lora-8b");
    WORLD(&b,
          LISTING_HEAD "\n"
                       "c,y,m,L40S,1,1,machine,on_demand,r2,512,2000,yes\n"
                       "b,x,m,H100-SXM5-80GB,1,3,machine,on_demand,r2,512,2000,yes\n"
                       "a,x,m,H100-SXM5-80GB,1,3,machine,on_demand,r1,512,2000,yes\n",
          "preset=lora-8b");
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(id_at(&a, i), id_at(&b, i));
    size_t size;
    assert_int_equal(ranking_group_count(a.r), 2);
    assert_string_equal(offers_text(a.offers, a.offers->items[ranking_group_at(a.r, 0, &size)->offer].machine), "m");
    world_free(&a);
    world_free(&b);
}

static void equal_offers_are_ties(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD "\n"
                       "a,x,m,H100-SXM5-80GB,1,3,machine,on_demand,r1,512,2000,yes\n"
                       "b,x,m,H100-SXM5-80GB,1,3,machine,on_demand,r2,512,2000,yes\n"
                       "c,y,n,H100-SXM5-80GB,1,9,machine,on_demand,r2,512,2000,yes\n",
          "preset=lora-8b");
    assert_false(ranking_at(w.r, 0)->tie);
    assert_true(ranking_at(w.r, 1)->tie);
    assert_false(ranking_at(w.r, 2)->tie);
    assert_int_equal(look_at(&w, "a").group_size, 2);
    world_free(&w);
}

static void rows_are_small(void **state) {
    (void)state;
    assert_true(sizeof(struct ranked) <= 40);
}

/* ---- filter ---- */

static struct filter *good(const char *text) {
    struct err err = {0};
    struct filter *f = filter_parse(text, &err, NULL);
    if (!f)
        fail_msg("%s: %s", text, err.text);
    return f;
}

static void filters_select(void **state) {
    (void)state;
    static const struct {
        const char *text, *ids;
    } cases[] = {
        {"gpus>=8", "a"},
        {"gpus<8", "bc"},
        {"vram>=80", "ab"},
        {"name~h100 or provider=vast", "bc"},
        {"not name~h100 and gpus=8", "a"},
        {"not (name~h100 and gpus=8)", "abc"},
        {"rate<1", "c"},
        {"rate_gpu<=2 and kind!=spot", "a"},
        {"kind=spot", "c"},
        {"ram=unknown", "b"},
        {"ram!=unknown", "ac"},
        {"ram>0", "ac"},
        {"ram!=64", "ab"},
        {"region=\"us east\"", "a"},
        {"provider=lambda or provider=vast and gpus=8", "a"},
        {"(provider=lambda or provider=vast) and gpus<8", "c"},
        {"provider!~l", "bc"},
        {"year>=2022", "bc"},
        {"  gpus  ==  8  ", "a"},
    };
    struct world w;
    WORLD(&w,
          LISTING_HEAD "\n"
                       "a,lambda,m,A100-SXM4-80GB,8,14,machine,on_demand,us east,1800,6000,yes\n"
                       "b,runpod,n,H100-SXM5-80GB,1,3,machine,on_demand,eu,,,\n"
                       "c,vast,o,RTX-4090,1,0.4,machine,spot,eu,64,100,\n",
          "preset=lora-8b");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct filter *f = good(cases[i].text);
        char got[8] = "";
        for (size_t k = 0; k < w.offers->count; k++)
            if (filter_match(f, tables, w.offers, &w.offers->items[k]))
                strcat(got, offers_text(w.offers, w.offers->items[k].id));
        if (strcmp(got, cases[i].ids) != 0)
            fail_msg("%s gives %s, not %s", cases[i].text, got, cases[i].ids);
        filter_free(f);
    }
    struct filter *f = good("gpus=8 and name~h100 and rate<5");
    assert_int_equal(filter_clauses(f), 3);
    assert_false(filter_match_without(f, 1, tables, w.offers, &w.offers->items[0])); /* its rate is 14 */
    assert_true(filter_match_without(f, 0, tables, w.offers, &w.offers->items[1]));
    assert_false(filter_match_without(f, 2, tables, w.offers, &w.offers->items[1]));
    static const size_t starts[] = {0, 11, 25}, lengths[] = {6, 9, 6};
    for (size_t i = 0; i < 3; i++) {
        size_t start, len;
        filter_clause_span(f, i, &start, &len);
        assert_int_equal(start, starts[i]);
        assert_int_equal(len, lengths[i]);
    }
    filter_free(f);
    world_free(&w);
}

static void filters_name_their_errors(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t at;
        const char *part;
    } cases[] = {
        {"", 0, "ends"},
        {"gpu>8", 4, "text"},
        {"colour=red", 0, "unknown word"},
        {"gpsu=8", 0, "gpus"},
        {"gpus>=", 6, "value"},
        {"gpus 8", 5, "expected one of"},
        {"gpus=8 and", 10, "ends"},
        {"(gpus=8", 7, "expected )"},
        {"gpus=8)", 6, "expected"},
        {"gpus=eight", 5, "not a number"},
        {"gpus~8", 5, "number"},
        {"region=\"us", 7, "value"},
        {"gpus=8 gpus=8", 7, "`and`"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = {0};
        size_t at = 999;
        assert_null(filter_parse(cases[i].text, &err, &at));
        if (at != cases[i].at || !strstr(err.text, cases[i].part))
            fail_msg("\"%s\": at %zu: %s", cases[i].text, at, err.text);
    }
}

/* Any bytes are either a filter or an error; deep nesting and length are limited. */
static void filters_survive_noise(void **state) {
    (void)state;
    static const char *const pieces[] = {"gpus", ">=", "8", " and ", " or ",    "not ", "(", ")", "name",
                                         "~",    "\"", "'", "h100",  "unknown", "\xff", "=", "!", "-"};
    struct err err;
    for (int i = 0; i < 20000; i++) {
        char text[128] = "";
        for (unsigned k = roll(12); k > 0; k--)
            strcat(text, pieces[roll(sizeof pieces / sizeof pieces[0])]);
        memset(&err, 0, sizeof err);
        struct filter *f = filter_parse(text, &err, NULL);
        assert_true((f == NULL) == (err.code != ERR_NONE));
        filter_free(f);
    }
    char *deep = mem_alloc(100001);
    memset(deep, '(', 100000);
    deep[100000] = '\0';
    assert_null(filter_parse(deep, &err, NULL));
    free(deep);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_is_dalys),
        cmocka_unit_test(interruptions_cost_work),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(a_measured_job_costs_what_it_should),
        cmocka_unit_test(a_deadline_is_a_reason_for_more),
        cmocka_unit_test(rate_basis_does_not_matter),
        cmocka_unit_test(cost_grows_with_the_rate),
        cmocka_unit_test(billing_steps_and_minimum),
        cmocka_unit_test(disk_is_billed),
        cmocka_unit_test(too_few_cores_hold_a_job_back),
        cmocka_unit_test(setup_is_counted_unless_stated),
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
        cmocka_unit_test(order_frontier_and_groups),
        cmocka_unit_test(slices_give_the_same_order),
        cmocka_unit_test(order_of_the_file_does_not_matter),
        cmocka_unit_test(equal_offers_are_ties),
        cmocka_unit_test(rows_are_small),
        cmocka_unit_test(filters_select),
        cmocka_unit_test(filters_name_their_errors),
        cmocka_unit_test(filters_survive_noise),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
