/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "estimate/measurement_internal.h"
#include "gpuplan/io/io.h"
#include "gpuplan/report/validate.h"
#include "table_support.h"

static struct measurements read_text(const char *text) {
    struct measurements rows;
    struct err err = {0};
    if (!measurements_read(catalog, models, text, strlen(text), "runs.csv", &rows, &err))
        fail_msg("%s", err.text);
    return rows;
}

/* ---- a row and what it states ---- */

static const char training_head[] =
    "id,kind,series,source,year,quality,task,model,params_b,layers,hidden,heads,kv_heads,ffn,vocab,gpu,gpus,"
    "gpus_per_node,intra_node,inter_node_gbps,precision,optimizer,strategy,zero,tp,pp,cp,dp,seq_parallel,recompute,"
    "offload,lora_rank,seq_len,micro_batch,global_batch,metric,value,notes\n";

static struct measurements read_training(const char *row) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s\n", training_head, row);
    return read_text(text);
}

static void what_a_row_states_is_pinned(void **state) {
    (void)state;
    struct measurements rows = read_training(
        "T1,train,s1,me,2024,A,pretrain,Llama-3-8B,8.03,32,4096,32,8,14336,128256,H100-SXM5-80GB,32,8,"
        "nvswitch,3200,bf16,adamw_8bit,megatron,1,2,4,1,4,yes,selective,,,8192,2,128,tokens_per_s,250000,x");
    assert_int_equal(rows.count, 1);
    assert_int_equal(rows.warning_count, 0);
    const struct measurement *m = &rows.rows[0];
    assert_null(m->skipped);
    assert_string_equal(m->id, "T1");
    assert_int_equal(m->metric, METRIC_TOKENS_PER_S);
    assert_float_equal(m->value, 250000, 0);
    assert_string_equal(m->shape.gpu->name, "H100-SXM5-80GB");
    assert_int_equal(m->shape.gpus, 8);
    assert_int_equal(m->shape.nodes, 4);
    assert_int_equal(m->shape.link, LINK_NVSWITCH);
    assert_int_equal(m->shape.link_source, PROVENANCE_DECLARED);
    assert_float_equal(m->shape.network_gbps, 3200, 0);
    const struct job *j = &m->job;
    assert_int_equal(j->task, TASK_PRETRAIN);
    assert_int_equal(j->model.layers, 32);
    assert_int_equal(j->model.kv_heads, 8);
    assert_true(j->model.gated);
    assert_int_equal(j->precision, PRECISION_BF16);
    assert_int_equal(j->optimizer, OPTIMIZER_ADAMW_8BIT);
    assert_int_equal(j->strategy, STRATEGY_MEGATRON);
    assert_int_equal(j->tp, 2);
    assert_int_equal(j->pp, 4);
    assert_int_equal(j->dp, 4);
    assert_int_equal(j->zero, 1);
    assert_int_equal(j->seq_parallel, 1);
    assert_int_equal(j->recompute, RECOMPUTE_SELECTIVE);
    assert_int_equal(j->seq_len, 8192);
    assert_int_equal(j->micro_batch, 2);
    assert_float_equal(j->global_batch, 128, 0);
    assert_int_equal(j->stack, STACK_TUNED);
    assert_int_equal(j->software_year, 2024);

    struct layout l;
    struct job complete = *j;
    assert_true(measurement_layout(catalog, m, &assumptions, &complete, &l));
    assert_int_equal(layout_gpus(&l), 32);
    assert_int_equal(l.tp, 2);
    assert_int_equal(l.pp, 4);
    assert_int_equal(l.dp, 4);
    assert_int_equal(l.shard, 4);
    assert_true(l.seq_parallel);
    assert_int_equal(l.micro_batch, 2);
    assert_int_equal(l.accumulation, 16);
    measurements_free(&rows);
}

static void empty_is_not_zero(void **state) {
    (void)state;
    struct measurements rows = read_training("T2,,,,,,full,,7,,,,,,,RTX-4090,2,,,,,,,,,,,,,,,,,,,step_s,1.5,");
    const struct measurement *m = &rows.rows[0];
    assert_null(m->skipped);
    assert_string_equal(m->kind, "train");
    assert_int_equal(m->job.recompute, RECOMPUTE_AUTO);
    assert_int_equal(m->job.strategy, STRATEGY_AUTO);
    assert_int_equal(m->job.zero, -1);
    assert_int_equal(m->job.micro_batch, 0);
    assert_int_equal(m->job.tp, 0);
    assert_false(m->job.precision_stated);
    assert_int_equal(m->shape.link, link_by_product(m->shape.gpu, 2));
    assert_int_equal(m->shape.link_source, PROVENANCE_ASSUMED);
    assert_in_range(m->job.model.layers, 20, 50);
    measurements_free(&rows);
}

static double loss_bytes_of(const char *source, const char *software, const char *notes, int year) {
    char text[512];
    snprintf(
        text, sizeof text,
        "source,year,task,params_b,gpu,gpus,metric,value,notes,software\n%s,%d,lora,7,A100-SXM4-80GB,1,peak_gib,20,%s,"
        "%s\n",
        source, year, notes, software);
    struct measurements rows = read_text(text);
    double bytes = rows.rows[0].job.logit_bytes;
    measurements_free(&rows);
    return bytes;
}

static void a_row_names_its_program(void **state) {
    (void)state;
    assert_float_equal(loss_bytes_of("blog", "torchtune", "", 2024), 2.25, 0);
    assert_float_equal(loss_bytes_of("blog", "", "Torchtune 0.4 recipe", 2024), 2.25, 0);
    assert_float_equal(loss_bytes_of("torchtune-readme-2024-10", "", "", 2024), 2.25, 0);
    assert_float_equal(loss_bytes_of("torchtune-readme-2024-10", "axolotl", "", 2024), 0, 0); /* what is stated wins */
    assert_float_equal(loss_bytes_of("blog", "litgpt", "", 2023), 6, 0);
    assert_float_equal(loss_bytes_of("blog", "litgpt", "", 2025), 0, 0);
    assert_float_equal(loss_bytes_of("mytorchtuned", "", "", 2024), 0, 0);
}

static void an_unknown_word_is_an_empty_field(void **state) {
    (void)state;
    struct measurements rows = read_training(
        "T3,train,,,2024,A,lora,,8.03,32,4096,32,8,14336,128256,h100_sxm5_80gb,8,8,quantum,,bf17,adamx,magic,9,"
        "x,,,,perhaps,sometimes,cloud,,2048,1,8,tokens_per_s,1e4,");
    assert_int_equal(rows.count, 1);
    assert_null(rows.rows[0].skipped);
    assert_int_equal(rows.warning_count, 9);
    for (int i = 0; i < rows.warning_count; i++)
        assert_non_null(strstr(rows.warnings[i], "line 2: "));
    assert_int_equal(rows.rows[0].job.optimizer, OPTIMIZER_ADAMW);
    assert_int_equal(rows.rows[0].job.zero, -1);
    measurements_free(&rows);
}

static void a_warning_is_said_once(void **state) {
    (void)state;
    struct measurements rows = read_text("task,gpu,gpus,params_b,strategy,metric,value\n"
                                         "full,RTX-4090,1,1,magic,step_s,1\nfull,RTX-4090,1,1,magic,step_s,1\n");
    assert_int_equal(rows.count, 2);
    assert_int_equal(rows.warning_count, 1);
    measurements_free(&rows);
}

static void a_row_that_says_nothing_is_skipped_with_a_reason(void **state) {
    (void)state;
    static const struct {
        const char *row, *why;
    } cases[] = {
        {"full,RTX-9999-Ultra,1,1,step_s,1", "unknown GPU"},
        {"full,,1,1,step_s,1", "no GPU named"},
        {"full,RTX-4090,,1,step_s,1", "no count of GPUs"},
        {"full,RTX-4090,0,1,step_s,1", "no count of GPUs"},
        {"full,RTX-4090,1,1,step_s,", "no value"},
        {"full,RTX-4090,1,1,step_s,-1", "value is not a positive number"},
        {"full,RTX-4090,1,1,step_s,nan", "value is not a positive number"},
        {"full,RTX-4090,1,1,fits,maybe", "value is neither yes nor no"},
        {"full,RTX-4090,1,1,happiness,1", "unknown metric"},
        {"full,RTX-4090,1,1,,1", "no metric"},
        {"dance,RTX-4090,1,1,step_s,1", "unknown task"},
        {",RTX-4090,1,1,step_s,1", "no task"},
        {"full,RTX-4090,1,,step_s,1", "neither layers and hidden size nor params_b are stated"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        struct prediction p;
        snprintf(text, sizeof text, "task,gpu,gpus,params_b,metric,value\n%s\n", cases[i].row);
        struct measurements rows = read_text(text);
        assert_int_equal(rows.count, 1);
        assert_non_null(rows.rows[0].skipped);
        assert_string_equal(rows.rows[0].skipped, cases[i].why);
        measurement_predict(catalog, &rows.rows[0], &assumptions, &p);
        assert_string_equal(p.why, cases[i].why);
        assert_false(num_known(p.value.expected));
        measurements_free(&rows);
    }
}

static void another_file_is_refused(void **state) {
    (void)state;
    static const char text[] = "\n\nname,price\nA100,1\n";
    struct measurements rows;
    struct err err = {0};
    assert_false(measurements_read(catalog, models, text, strlen(text), "prices.csv", &rows, &err));
    assert_string_equal(err.field, "gpu");
    assert_int_equal(err.code, ERR_DATA);
    assert_non_null(strstr(err.text, "not a measurements file"));
}

/* ---- notes ---- */

static struct note_facts notes(const char *text) {
    struct note_facts facts;
    measurement_read_notes(text, &facts);
    return facts;
}

static void notes_are_read_by_whole_phrases(void **state) {
    (void)state;
    assert_int_equal(notes("process restarted").network, 0);
    assert_int_equal(notes("4 x 100 Gbit/s RoCE").network, NETWORK_ROCE + 1);
    assert_int_equal(notes("MLM head on masked tokens only (about 1 in 6)").head, HEAD_MASKED_TOKENS);
    assert_int_equal(notes("question-answering head: no vocabulary logits").head, HEAD_NONE);
    assert_int_equal(notes("gradients reduced in fp32; x").reduce_bytes, 4);
    assert_int_equal(notes("gradients reduced in bf16").reduce_bytes, 2);
    assert_true(notes("active_peak; optimizer fused in backward").fused_step);
    assert_true(notes("active_peak").counter_active);
    assert_int_equal(notes("active_peak").counter, COUNTER_ALLOCATED);
    assert_int_equal(notes("torch allocated (no CUDA context)").counter, COUNTER_ALLOCATED);
    assert_int_equal(notes("reserved_peak (max_memory_reserved)").counter, COUNTER_RESERVED);
    assert_int_equal(notes("nvml used").counter, COUNTER_NVIDIA_SMI);
    assert_int_equal(notes("real lengths vary, seq_len is the maximum").lengths, LENGTHS_BELOW);
    assert_float_equal(notes("samples up to seq_len, mean 3234 before the cut").mean_len, 3234, 0);
    assert_float_equal(notes("400 requests in all").requests, 400, 0);
    assert_float_equal(notes("many requests in all").requests, 0, 0);
    assert_float_equal(notes("A100 capped at 330 W").power_w, 330, 0);
    assert_string_equal(notes("torch peak; exllamav2").engine, "exllamav2");
    assert_null(notes("fast").engine);
}

/* ---- inference ---- */

static const char inference_head[] =
    "task,kind,params_b,layers,hidden,heads,kv_heads,ffn,vocab,gpu,gpus,precision,tp,pp,"
    "input_len,output_len,concurrency,engine,mode,metric,value,seq_len,micro_batch,notes\n";

static struct measurement read_inference(struct measurements *rows, const char *row) {
    char text[1024];
    snprintf(text, sizeof text, "%sinference,infer,70.554,80,8192,64,8,28672,128256,%s\n", inference_head, row);
    *rows = read_text(text);
    assert_int_equal(rows->count, 1);
    assert_null(rows->rows[0].skipped);
    return rows->rows[0];
}

static void modes_become_loads(void **state) {
    (void)state;
    struct measurements rows;
    struct measurement m = read_inference(&rows, "H100-SXM5-80GB,4,bf16,4,,1000,200,16,,online,itl_ms,20,,,");
    assert_int_equal(m.job.load, LOAD_CONCURRENCY);
    assert_int_equal(m.job.batching, BATCHING_ONLINE);
    assert_float_equal(m.job.concurrency, 16, 0);
    measurements_free(&rows);
    m = read_inference(&rows, "H100-SXM5-80GB,4,bf16,4,,1000,200,2.5,,online_qps,ttft_ms,20,,,400 requests in all");
    assert_int_equal(m.job.load, LOAD_RATE);
    assert_float_equal(m.job.requests_per_s, 2.5, 0);
    assert_float_equal(m.job.requests, 400, 0);
    assert_true(m.job.requests_stated);
    measurements_free(&rows);
    m = read_inference(&rows, "H100-SXM5-80GB,4,bf16,4,,1000,200,INF,,online_qps,ttft_ms,20,,,");
    assert_int_equal(m.job.load, LOAD_BATCH);
    assert_int_equal(m.job.batching, BATCHING_ONLINE);
    assert_float_equal(m.job.requests, 1000, 0);
    measurements_free(&rows);
    m = read_inference(&rows, "H100-SXM5-80GB,4,fp8,4,,128,128,,tensorrt-llm,offline,output_tokens_per_s,20,,,");
    assert_int_equal(m.job.load, LOAD_BATCH);
    assert_int_equal(m.job.batching, BATCHING_OFFLINE);
    measurements_free(&rows);
    m = read_inference(&rows, "H100-SXM5-80GB,4,bf16,4,,0,64,,,single,decode_tokens_per_s,20,,,");
    assert_int_equal(m.job.batching, BATCHING_SINGLE);
    assert_float_equal(m.job.concurrency, 1, 0);
    measurements_free(&rows);
}

static void a_missing_layout_uses_all_gpus(void **state) {
    (void)state;
    struct measurements rows;
    struct layout l;
    struct measurement m = read_inference(&rows, "H100-SXM5-80GB,8,bf16,,,1000,200,1,,single,itl_ms,20,,,");
    assert_true(measurement_layout(catalog, &m, &assumptions, &m.job, &l));
    assert_int_equal(l.tp, 8);
    assert_int_equal(l.replicas, 1);
    measurements_free(&rows);
    m = read_inference(&rows, "RTX-3090,4,q4_k_m,,,1000,200,1,,single,itl_ms,20,,,layer split");
    assert_true(measurement_layout(catalog, &m, &assumptions, &m.job, &l));
    assert_true(l.layer_split);
    assert_int_equal(l.pp, 4);
    assert_int_equal(l.tp, 1);
    measurements_free(&rows);
    m = read_inference(&rows, "H100-SXM5-80GB,8,fp8,2,1,1000,200,1,,single,itl_ms,20,,,");
    assert_true(measurement_layout(catalog, &m, &assumptions, &m.job, &l));
    assert_int_equal(l.replicas, 4);
    measurements_free(&rows);
    m = read_inference(&rows, "B200-SXM-180GB,4,fp4,4,1,1000,200,,,offline,output_tokens_per_s,20,,,"
                              "attention data parallel + expert parallel");
    assert_true(measurement_layout(catalog, &m, &assumptions, &m.job, &l));
    assert_int_equal(l.dp, 4);
    assert_int_equal(l.ep, 4);
    assert_int_equal(l.tp, 1);
    measurements_free(&rows);
}

static void a_memory_row_is_prompt_and_answer(void **state) {
    (void)state;
    struct measurements rows;
    struct measurement m = read_inference(&rows, "H100-SXM5-80GB,4,bf16,4,,,,,,,peak_gib,40,8192,2,");
    assert_int_equal(m.job.batching, BATCHING_STATIC);
    assert_float_equal(m.job.concurrency, 2, 0);
    assert_float_equal(m.job.input_len, 6144, 0);
    assert_float_equal(m.job.output_len, 2048, 0);
    assert_int_equal(m.job.counter, COUNTER_RESERVED);
    measurements_free(&rows);
    m = read_inference(&rows, "H100-SXM5-80GB,4,bf16,4,,,,,,,fits,no,1024,1,allocated_peak");
    assert_float_equal(m.job.input_len, 512, 0);
    assert_int_equal(m.job.counter, COUNTER_PLAN);
    assert_float_equal(m.value, 0, 0);
    measurements_free(&rows);
}

/* ---- completion of training layouts ---- */

static struct layout complete(const char *row, struct job *j) {
    struct measurements rows = read_training(row);
    struct layout l;
    assert_int_equal(rows.count, 1);
    assert_null(rows.rows[0].skipped);
    *j = rows.rows[0].job;
    assert_true(measurement_layout(catalog, &rows.rows[0], &assumptions, j, &l));
    assert_int_equal(layout_gpus(&l), rows.rows[0].shape.gpus * rows.rows[0].shape.nodes);
    measurements_free(&rows);
    return l;
}

static void a_missing_split_is_tensor_first_within_the_node(void **state) {
    (void)state;
    struct job j;
    struct layout l =
        complete("a,train,,,2021,A,pretrain,GPT-76B,76.1,60,10240,80,80,40960,51200,A100-SXM4-80GB,1024,8,"
                 "nvswitch,1600,fp16,,megatron,0,,,,32,,full,,,2048,2,1792,tokens_per_s,1,",
                 &j);
    assert_int_equal(l.tp, 8);
    assert_int_equal(l.pp, 4);
    assert_int_equal(l.dp, 32);
    assert_int_equal(l.accumulation, 28);
    assert_int_equal(l.shard, 1);
}

static void a_missing_strategy_follows_the_size(void **state) {
    (void)state;
    struct job j;
    struct layout l =
        complete("a,train,,,2024,A,full,,0.5,,,,,,,A100-SXM4-80GB,4,4,,,bf16,,,,,,,,,,,,512,4,32,step_s,1,", &j);
    assert_int_equal(l.zero, 0);
    assert_int_equal(l.recompute, RECOMPUTE_NONE);
    assert_int_equal(l.grad_sync, GRAD_SYNC_LAST);
    l = complete("a,train,,,2024,A,full,,8,,,,,,,A100-SXM4-80GB,4,4,,,bf16,,,,,,,,,,,,512,4,32,step_s,1,", &j);
    assert_int_equal(l.zero, 3);
    assert_int_equal(l.shard, 4);
    assert_int_equal(l.recompute, RECOMPUTE_FULL);
    assert_int_equal(l.grad_sync, GRAD_SYNC_EACH);
    assert_int_equal(l.accumulation, 2);
    l = complete("a,train,,,2024,A,pretrain,,8,,,,,,,H100-SXM5-80GB,16,8,,,bf16,,hsdp,,,,,,,,,,512,4,64,step_s,1,", &j);
    assert_int_equal(l.shard, 8);
    assert_int_equal(l.dp, 16);
}

static void a_memory_row_keeps_what_its_loop_keeps(void **state) {
    (void)state;
    struct job j;
    struct layout l =
        complete("a,memory,,,2024,A,full,,8,,,,,,,A100-SXM4-80GB,4,4,,,bf16,,fsdp,,,,,,,,,,512,4,,peak_gib,1,", &j);
    assert_int_equal(l.grad_sync, GRAD_SYNC_LAST); /* whole gradients between steps */
    assert_int_equal(l.accumulation, 2);
    l = complete("a,memory,,,2024,A,full,,8,,,,,,,A100-SXM4-80GB,1,1,,,bf16,,,,,,,,,,,,512,4,,peak_gib,1,active_peak",
                 &j);
    assert_int_equal(l.accumulation, 1);
    assert_int_equal(j.optimizer, OPTIMIZER_ADAMW_BF16);
    assert_int_equal(l.recompute, RECOMPUTE_NONE);
}

static void lengths_matter_to_peaks_but_not_to_fit(void **state) {
    (void)state;
    static const char row[] = "a,memory,,,2024,B,qlora,,7,,,,,,,T4,1,1,,,nf4,,,,,,,,,,,,2048,2,,%s,"
                              "\"implementation HF, seq_len is the maximum\"";
    char text[256];
    struct job j;
    snprintf(text, sizeof text, row, "peak_gib,10");
    complete(text, &j);
    assert_int_equal(j.lengths, LENGTHS_BELOW);
    assert_int_equal(j.attention, ATTENTION_EAGER);
    assert_int_equal(j.base, WEIGHTS_NF4);
    snprintf(text, sizeof text, row, "fits,no");
    complete(text, &j);
    assert_int_equal(j.lengths, LENGTHS_UNSTATED);
}

static void ranks_that_do_not_divide_are_brought_in_line(void **state) {
    (void)state;
    struct job j;
    /* dp 8 as published holds the two context-parallel ranks */
    struct layout l = complete(
        "a,train,,,2024,A,pretrain,,8,,,,,,,H100-SXM5-80GB,8,8,,,bf16,,megatron,1,1,1,2,8,,none,,,512,1,64,step_s,1,",
        &j);
    assert_int_equal(l.dp, 4);
    assert_int_equal(l.cp, 2);
}

static void a_batch_that_does_not_divide_is_rounded(void **state) {
    (void)state;
    struct job j;
    struct layout l = complete(
        "a,train,,,2021,A,pretrain,,1,,,,,,,A100-SXM4-80GB,8,8,,,bf16,,ddp,,,,,,,none,,,512,4,40,step_s,1,", &j);
    assert_int_equal(l.accumulation, 1);
    assert_float_equal(j.global_batch, 32, 0);
}

/* ---- recorded files ---- */

static struct measurements read_shared(const char *name, struct buf *bytes) {
    char path[128];
    struct measurements rows = {0};
    struct err err = {0};
    snprintf(path, sizeof path, "measurements/%s", name);
    if (!io_read(test_shared(path), IO_MAX_SMALL, bytes, &err) ||
        !measurements_read(catalog, models, bytes->data, bytes->len, name, &rows, &err))
        fail_msg("%s", err.text);
    return rows;
}

static void every_recorded_row_becomes_a_case(void **state) {
    (void)state;
    static const char *const files[] = {"training.csv", "inference.csv", "memory.csv"};
    for (size_t f = 0; f < 3; f++) {
        struct buf bytes = {0};
        struct measurements rows = read_shared(files[f], &bytes);
        assert_int_equal(rows.warning_count, 0);
        for (size_t i = 0; i < rows.count; i++) {
            const struct measurement *m = &rows.rows[i];
            if (m->skipped != NULL)
                fail_msg("%s: %s", m->id, m->skipped);
            /* the shape that was found has the size that was published */
            double params = model_count(&m->job.model).total;
            if (num_known(m->job.model.params_stated) && fabs(params / m->job.model.params_stated - 1) > 0.05)
                fail_msg("%s: %.3g parameters, published %.3g", m->id, params, m->job.model.params_stated);
        }
        measurements_free(&rows);
        buf_free(&bytes);
    }
}

/*
 * The errors that published runs are predicted with, a little above what they are (docs/accuracy.md), so that a change that
 * loses accuracy is seen. Constants were fitted on these rows: this is no measure of how good a prediction of another run is.
 */
static void recorded_rows_are_predicted(void **state) {
    (void)state;
    static const struct {
        const char *file, *quality;
        double median, p90, inside, width, pairs;
    } gates[] = {
        {"training.csv", "A", 5.5, 15, 80, 1.6, 97},
        {"inference.csv", "A", 6, 20, 80, 1.6, 97},
        {"memory.csv", "A", 3, 15, 80, 1.6, 70 /* many rows of one source differ in data alone */},
    };
    for (size_t i = 0; i < sizeof gates / sizeof gates[0]; i++) {
        struct buf bytes = {0};
        struct measurements rows = read_shared(gates[i].file, &bytes);
        struct validation *v = validation_new();
        struct validate_filter f = {.metric = METRIC_COUNT, .quality = gates[i].quality};
        validation_add(v, catalog, &rows, &assumptions);
        struct validate_summary s = validation_summary(v, &f);
        struct validate_order o = validation_order(v);
        print_message("%s: n %d median %.1f p90 %.1f inside %.0f width %.2f fits %d of %d, order %.1f\n", gates[i].file,
                      s.n, s.median_abs_error_pct, s.p90_abs_error_pct, s.inside_range_pct, s.median_width, s.right,
                      s.verdicts, o.pairs_right_pct);
        assert_int_equal(s.skipped, 0);
        assert_true(s.median_abs_error_pct < gates[i].median);
        assert_true(s.p90_abs_error_pct < gates[i].p90);
        assert_true(s.inside_range_pct > gates[i].inside);
        assert_true(s.median_width < gates[i].width);
        assert_true(o.pairs_right_pct > gates[i].pairs);
        assert_true(o.points == 0 || o.efficiency_error < 5);
        f = (struct validate_filter){.metric = METRIC_FITS};
        s = validation_summary(v, &f);
        assert_true(s.right >= 0.95 * s.verdicts);
        validation_free(v);
        measurements_free(&rows);
        buf_free(&bytes);
    }
}

/* ---- validation ---- */

struct fake {
    const char *series, *mode;
    int gpus;
    enum metric metric;
    double measured, low, expected, high;
    enum fit fit;
    const char *why;
    const char *quality;
};

enum { MOST_FAKES = 16 };
static struct measurement fake_rows[MOST_FAKES];

static struct validation *validate_fakes(const struct fake *fakes, size_t count) {
    struct validation *v = validation_new();
    assert_in_range(count, 1, MOST_FAKES);
    for (size_t i = 0; i < count; i++) {
        const struct fake *f = &fakes[i];
        struct measurement *m = &fake_rows[i];
        struct prediction p = {.value = {f->low, f->expected, f->high}, .fit = f->fit, .why = f->why};
        memset(m, 0, sizeof *m);
        job_init(&m->job, TASK_PRETRAIN);
        m->id = "=x1";
        m->kind = f->metric == METRIC_FITS ? "memory" : "train";
        m->series = f->series == NULL ? "" : f->series;
        m->mode = f->mode == NULL ? "" : f->mode;
        m->quality = f->quality == NULL ? "A" : f->quality;
        m->source = m->model = m->notes = "";
        m->metric = f->metric;
        m->value = f->measured;
        m->shape.gpus = f->gpus;
        m->shape.nodes = 1;
        validation_add_row(v, m, &p);
    }
    return v;
}

static void errors_add_up(void **state) {
    (void)state;
    static const struct fake fakes[] = {
        {.gpus = 1, .metric = METRIC_STEP_S, .measured = 10, .low = 9, .expected = 11, .high = 12},  /* +10 % inside */
        {.gpus = 1, .metric = METRIC_STEP_S, .measured = 10, .low = 8, .expected = 9, .high = 9.5},  /* -10 % outside */
        {.gpus = 1, .metric = METRIC_STEP_S, .measured = 10, .low = 10, .expected = 14, .high = 20}, /* +40 % inside */
        {.gpus = 1, .metric = METRIC_STEP_S, .measured = 10, .low = 10, .expected = 10, .high = 10, .quality = "B"},
        {.gpus = 1, .metric = METRIC_STEP_S, .measured = 10, .expected = NAN, .why = "unknown GPU"},
        {.gpus = 1, .metric = METRIC_FITS, .measured = 1, .fit = FIT_TIGHT},
        {.gpus = 1, .metric = METRIC_FITS, .measured = 0, .fit = FIT_FITS},
        {.gpus = 1, .metric = METRIC_FITS, .measured = 1, .fit = FIT_NO},
        {.gpus = 1, .metric = METRIC_FITS, .measured = 0, .fit = FIT_NO},
    };
    struct validation *v = validate_fakes(fakes, sizeof fakes / sizeof fakes[0]);
    struct validate_filter f = {.kind = "train", .metric = METRIC_COUNT};
    struct validate_summary s = validation_summary(v, &f);
    assert_int_equal(s.n, 4);
    assert_int_equal(s.skipped, 1);
    assert_float_equal(s.median_abs_error_pct, 10, 1e-9);
    assert_float_equal(s.p90_abs_error_pct, 40, 1e-9);
    assert_float_equal(s.inside_range_pct, 75, 1e-9);
    assert_float_equal(s.median_width, (12. / 9 + 9.5 / 8) / 2, 1e-9);
    assert_float_equal(s.bias_pct, 100 * (pow(1.1 * .9 * 1.4, .25) - 1), 1e-9);
    assert_int_equal(s.verdicts, 0);
    f.quality = "A";
    assert_int_equal(validation_summary(v, &f).n, 3);
    f = (struct validate_filter){.kind = "memory", .metric = METRIC_COUNT};
    s = validation_summary(v, &f);
    assert_int_equal(s.verdicts, 4);
    assert_int_equal(s.right, 2);
    assert_int_equal(s.false_fits, 1);
    assert_int_equal(s.false_nos, 1);
    assert_false(num_known(s.median_abs_error_pct));
    validation_free(v);
}

static void scaling_and_order_are_judged(void **state) {
    (void)state;
    /* measured efficiency at 4 GPUs .9 and at 8 .75; predicted .95 and .95 */
    static const struct fake fakes[] = {
        {.series = "s",
         .gpus = 8,
         .metric = METRIC_TOKENS_PER_S,
         .measured = 600,
         .low = 1,
         .expected = 760,
         .high = 1e3},
        {.series = "s",
         .gpus = 1,
         .metric = METRIC_TOKENS_PER_S,
         .measured = 100,
         .low = 1,
         .expected = 100,
         .high = 1e3},
        {.series = "s",
         .gpus = 4,
         .metric = METRIC_TOKENS_PER_S,
         .measured = 360,
         .low = 1,
         .expected = 380,
         .high = 1e3},
        {.gpus = 8,
         .metric = METRIC_TOKENS_PER_S,
         .measured = 605,
         .low = 1,
         .expected = 1,
         .high = 1e3}, /* no pair with 600 */
    };
    struct validation *v = validate_fakes(fakes, 4);
    struct validate_order o = validation_order(v);
    assert_int_equal(o.points, 2);
    assert_float_equal(o.efficiency_error, (5 + 20) / 2., 1e-9);
    assert_float_equal(o.linear_error, (10 + 25) / 2., 1e-9);
    assert_int_equal(o.pairs, 5);
    assert_float_equal(o.pairs_right_pct, 60, 1e-9);
    validation_free(v);
}

static void json_keeps_its_contract(void **state) {
    (void)state;
    static const struct fake fakes[] = {
        {.series = "s", .gpus = 1, .metric = METRIC_STEP_S, .measured = 10, .low = 9, .expected = 11, .high = 12},
        {.gpus = 1, .metric = METRIC_FITS, .measured = 0, .fit = FIT_TIGHT},
        {.gpus = 1, .metric = METRIC_STEP_S, .measured = 10, .expected = NAN, .why = "unknown GPU"},
    };
    static const char *const keys[] = {"id",        "kind",      "series",       "metric", "measured",
                                       "predicted", "error_pct", "inside_range", "skipped"};
    static const char *const sums[] = {
        "n", "skipped", "median_abs_error_pct", "p90_abs_error_pct", "inside_range_pct", "median_width", "bias_pct"};
    struct validation *v = validate_fakes(fakes, 3);
    struct buf out = {0};
    validation_to_json(v, &out);
    cJSON *root = cJSON_Parse(out.data), *rows = cJSON_GetObjectItemCaseSensitive(root, "rows"), *row;
    assert_int_equal(cJSON_GetArraySize(rows), 3);
    cJSON_ArrayForEach (row, rows) {
        assert_int_equal(cJSON_GetArraySize(row), 9);
        for (size_t i = 0; i < 9; i++)
            assert_true(cJSON_HasObjectItem(row, keys[i]));
    }
    row = cJSON_GetArrayItem(rows, 0);
    cJSON *predicted = cJSON_GetObjectItemCaseSensitive(row, "predicted");
    assert_float_equal(cJSON_GetObjectItemCaseSensitive(predicted, "expected")->valuedouble, 11, 0);
    assert_float_equal(cJSON_GetObjectItemCaseSensitive(row, "error_pct")->valuedouble, 10, 1e-9);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "inside_range")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(row, "skipped")));
    row = cJSON_GetArrayItem(rows, 1);
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(row, "predicted")->valuestring, "tight");
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(row, "measured")->valuestring, "no");
    row = cJSON_GetArrayItem(rows, 2);
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(row, "predicted")));
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(row, "skipped")->valuestring, "unknown GPU");
    cJSON *kind = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "summary"), "train");
    for (size_t i = 0; i < 7; i++)
        assert_true(cJSON_HasObjectItem(kind, sums[i]));
    cJSON_Delete(root);
    buf_free(&out);
    validation_free(v);
}

static void other_formats_are_safe_and_whole(void **state) {
    (void)state;
    static const struct fake fakes[] = {
        {.series = "s|1", .gpus = 1, .metric = METRIC_STEP_S, .measured = 10, .low = 9, .expected = 11, .high = 12},
        {.gpus = 1, .metric = METRIC_FITS, .measured = 0, .fit = FIT_TIGHT},
    };
    struct validation *v = validate_fakes(fakes, 2);
    struct buf csv = {0}, table = {0}, md = {0};
    validation_to_csv(v, &csv);
    assert_non_null(strstr(csv.data, "\n'=x1,train,s|1,"));
    assert_non_null(strstr(csv.data, ",step_s,10,9,11,12,10,yes,\n"));
    assert_non_null(strstr(csv.data, ",fits,no,,tight,,,no,\n"));
    validation_to_table(v, 0, &table);
    assert_non_null(strstr(table.data, "+10.0 %"));
    assert_non_null(strstr(table.data, "0 of 1 right"));
    validation_to_markdown(v, 1, &md);
    assert_non_null(strstr(md.data, "| =x1 |"));
    buf_free(&csv);
    buf_free(&table);
    buf_free(&md);
    validation_free(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_row_states_is_pinned),
        cmocka_unit_test(empty_is_not_zero),
        cmocka_unit_test(a_row_names_its_program),
        cmocka_unit_test(an_unknown_word_is_an_empty_field),
        cmocka_unit_test(a_warning_is_said_once),
        cmocka_unit_test(a_row_that_says_nothing_is_skipped_with_a_reason),
        cmocka_unit_test(another_file_is_refused),
        cmocka_unit_test(notes_are_read_by_whole_phrases),
        cmocka_unit_test(modes_become_loads),
        cmocka_unit_test(a_missing_layout_uses_all_gpus),
        cmocka_unit_test(a_memory_row_is_prompt_and_answer),
        cmocka_unit_test(a_missing_split_is_tensor_first_within_the_node),
        cmocka_unit_test(a_missing_strategy_follows_the_size),
        cmocka_unit_test(a_memory_row_keeps_what_its_loop_keeps),
        cmocka_unit_test(lengths_matter_to_peaks_but_not_to_fit),
        cmocka_unit_test(ranks_that_do_not_divide_are_brought_in_line),
        cmocka_unit_test(a_batch_that_does_not_divide_is_rounded),
        cmocka_unit_test(every_recorded_row_becomes_a_case),
        cmocka_unit_test(recorded_rows_are_predicted),
        cmocka_unit_test(errors_add_up),
        cmocka_unit_test(scaling_and_order_are_judged),
        cmocka_unit_test(json_keeps_its_contract),
        cmocka_unit_test(other_formats_are_safe_and_whole),
    };
    return cmocka_run_group_tests_name("measurement", tests, load_tables, free_tables);
}
