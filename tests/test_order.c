/* SPDX-License-Identifier: MIT */
/* The order of a ranking, its frontier and groups, and what a filter selects. */
#include "decide_support.h"

#include "gpuplan/base/mem.h"

static const char *const head = LISTING_HEAD "\n";

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
