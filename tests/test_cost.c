/* SPDX-License-Identifier: MIT */
/* Money: what is billed, interruptions, disks, set-up. */
#include "decide_support.h"

#include "decide/place.h"

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
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
