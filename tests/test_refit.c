/* SPDX-License-Identifier: MIT */
/* The refit tool on made-up runs, and the accuracy gate on published ones. */
#include "support.h"

#include <math.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/io/io.h"
#include "refit/refit.h"
#include "table_support.h"

static const char head[] = "kind,source,model,year,quality,task,params_b,layers,hidden,heads,ffn,vocab,gpu,gpus,"
                           "precision,strategy,seq_len,micro_batch,global_batch,recompute,metric,value\n";

/* Runs on one A100 by two sources, and one on an H100 by a third. */
static struct measurements made_up_rows(void) {
    struct buf text = {0};
    struct measurements rows;

    buf_puts(&text, head);
    for (int i = 0; i < 6; i++) {
        int width = 1024 << (i % 3);
        buf_printf(&text,
                   "train,%s,m%d,2024,A,pretrain,,24,%d,%d,%d,32000,A100-SXM4-80GB,1,bf16,single,2048,%d,8,none,"
                   "tokens_per_s,1\n",
                   i < 3 ? "one" : "two", i % 3, width, width / 128, 4 * width, i < 3 ? 1 : 2);
    }
    buf_puts(&text, "train,three,m0,2024,A,pretrain,,24,1024,8,4096,32000,H100-SXM5-80GB,1,bf16,single,2048,1,8,none,"
                    "tokens_per_s,1\n");
    assert_true(measurements_read(catalog, models, text.data, text.len, "made_up.csv", &rows, NULL));
    buf_free(&text);
    return rows;
}

static void pretend(struct measurements *rows, const struct assumptions *truth) {
    for (size_t i = 0; i < rows->count; i++) {
        struct prediction p;
        measurement_predict(catalog, &rows->rows[i], truth, &p);
        assert_null(p.why);
        rows->rows[i].value = p.value.expected;
    }
}

static void a_fit_finds_what_made_the_rows(void **state) {
    (void)state;
    const struct fit_keys keys = {{{ASSUME_TRAIN_GEMM_GA100, 0.1, 0.9, 0.3}, {ASSUME_TRAIN_GEMM_TURING, 0.2, 0.9, 0.4}},
                                  2};
    struct measurements rows = made_up_rows();
    struct assumptions truth = assumptions;
    struct fit_result r;
    double weight[8] = {1, 1, 1, 1, 1, 1, 1};

    assumptions_set(&truth, "train.gemm_efficiency.ga100", "0.6", NULL);
    pretend(&rows, &truth);
    rows.rows[5].value *= 3; /* one bad row does not move the others far */
    fit_run(&(struct fit_problem){catalog, &rows, &keys, weight, &assumptions, NULL}, &r);
    assert_float_equal(assume_get(&r.a, ASSUME_TRAIN_GEMM_GA100), 0.6, 0.03);
    assert_float_equal(assume_get(&r.a, ASSUME_TRAIN_GEMM_TURING), 0.4, 1e-9); /* no row knows better than the prior */
    assert_int_equal(r.informed, 1);
    measurements_free(&rows);
}

static void what_is_left_out_leaves_no_trace(void **state) {
    (void)state;
    const struct fit_keys keys = {{{ASSUME_TRAIN_GEMM_HOPPER, 0.3, 0.9, 0.5}, {ASSUME_TRAIN_GEMM_GA100, 0.3, 0.9, 0.5}},
                                  2};
    struct measurements rows = made_up_rows();
    struct fit_result r[2];
    double weight[8];
    int fold[8], folds = folds_make(&rows, FOLD_SOURCE, 10, fold);

    assert_int_equal(folds, 3);
    assert_int_equal(fold[0], fold[2]);
    assert_int_not_equal(fold[0], fold[3]);
    pretend(&rows, &assumptions);
    fit_weights(&rows, fold, fold[6], weight);
    assert_float_equal(weight[6], 0, 0);
    assert_true(weight[0] > 0);
    for (int i = 0; i < 2; i++) { /* whatever the run on the H100 says */
        rows.rows[6].value *= 1 + i;
        fit_run(&(struct fit_problem){catalog, &rows, &keys, weight, &assumptions, NULL}, &r[i]);
        assert_float_equal(assume_get(&r[i].a, ASSUME_TRAIN_GEMM_HOPPER), 0.5, 1e-9);
    }
    assert_float_equal(assume_get(&r[0].a, ASSUME_TRAIN_GEMM_GA100), assume_get(&r[1].a, ASSUME_TRAIN_GEMM_GA100), 0);
    measurements_free(&rows);
}

static void many_models_share_the_last_folds(void **state) {
    (void)state;
    struct measurements rows = made_up_rows();
    int fold[8];

    assert_int_equal(folds_make(&rows, FOLD_MODEL, 10, fold), 3);
    assert_int_equal(folds_make(&rows, FOLD_MODEL, 2, fold), 2);
    for (int i = 0; i < 7; i++) {
        assert_in_range(fold[i], 0, 1);
    }
    assert_int_equal(fold[0], fold[6]); /* one model, two sources */
    measurements_free(&rows);
}

static void every_key_of_the_list_exists(void **state) {
    (void)state;
    static const char *const kinds[] = {"train", "memory", "infer"};
    struct fit_keys keys;
    struct err err = {0};

    for (int k = 0; k < 3; k++) {
        if (!fit_keys_read(REFIT_KEYS, kinds[k], &keys, &err)) {
            fail_msg("%s: %s", err.field, err.text);
        }
        assert_true(keys.count > 5);
        for (int i = 0; i < keys.count; i++) {
            double now = assume_get(&assumptions, keys.key[i].id);
            if (strncmp(assume_table()[keys.key[i].id].key, "engine.", 7) != 0 &&
                !(now >= keys.key[i].low * 0.999 && now <= keys.key[i].high * 1.001)) {
                fail_msg("%s = %g is outside its bounds", assume_table()[keys.key[i].id].key, now);
            }
        }
    }
}

static void the_gate_sees_a_part_get_worse(void **state) {
    (void)state;
    struct measurements rows = made_up_rows();
    struct validation *v = validation_new();
    struct buf complaints = {0};
    static const char good[] = "kind,cut,part,n,median\ntrain,all,,7,20\ntrain,source,three,1,9.2\ninfer,all,,9,0.1\n";
    static const char bad[] = "kind,cut,part,n,median\ntrain,all,,7,9\ntrain,source,three,1,9\n";

    for (size_t i = 0; i < rows.count; i++) {
        struct prediction p = {.value = range_exact(1.10), .fit = FIT_FITS};
        rows.rows[i].value = 1;
        validation_add_row(v, &rows.rows[i], &p);
    }
    assert_int_equal(gate_check("train", v, good, strlen(good), &complaints, NULL), 2);
    assert_int_equal(complaints.len, 0);
    assert_int_equal(gate_check("train", v, bad, strlen(bad), &complaints, NULL), 2);
    assert_non_null(strstr(complaints.data, "train, all : median error 9.00 % before, 10.00 % now\n"));
    assert_non_null(strstr(complaints.data, "source three"));
    buf_free(&complaints);
    validation_free(v);
    measurements_free(&rows);
}

static void accuracy_is_no_worse_than_committed(void **state) {
    (void)state;
    static const char *const files[][2] = {{"train", "measurements/training.csv"},
                                           {"memory", "measurements/memory.csv"},
                                           {"infer", "measurements/inference.csv"}};
    struct buf baseline = {0}, complaints = {0};
    struct err err = {0};

    assert_true(io_read(ACCURACY_BASELINE, IO_MAX_SMALL, &baseline, &err));
    for (int i = 0; i < 3; i++) {
        struct buf text = {0};
        struct measurements rows;
        assert_true(io_read(test_shared(files[i][1]), IO_MAX_SMALL, &text, &err));
        assert_true(measurements_read(catalog, models, text.data, text.len, files[i][1], &rows, &err));
        struct validation *v = validation_new();
        validation_add(v, catalog, &rows, &assumptions);
        assert_true(gate_check(files[i][0], v, baseline.data, baseline.len, &complaints, &err) > 0);
        validation_free(v);
        measurements_free(&rows);
        buf_free(&text);
    }
    if (complaints.len > 0) {
        fail_msg("predictions of published runs got worse (`make accuracy-baseline` accepts it):\n%s", complaints.data);
    }
    buf_free(&baseline);
    buf_free(&complaints);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_finds_what_made_the_rows),   cmocka_unit_test(what_is_left_out_leaves_no_trace),
        cmocka_unit_test(many_models_share_the_last_folds), cmocka_unit_test(every_key_of_the_list_exists),
        cmocka_unit_test(the_gate_sees_a_part_get_worse),   cmocka_unit_test(accuracy_is_no_worse_than_committed),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
