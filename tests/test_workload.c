/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "gpuplan/workload/job.h"
#include "table_support.h"

/* ---- fields ---- */

static void table_of_fields_is_sound(void **state) {
    const struct field *t = field_table();
    (void)state;
    for (int i = 0; i < FIELD_COUNT; i++) {
        assert_int_equal(t[i].id, i);
        assert_ptr_equal(field_find(t[i].name), &t[i]);
        assert_true(t[i].label[0] != '\0' && t[i].help[0] != '\0' && t[i].tasks != 0);
        assert_true((t[i].type == FIELD_WORD) == (t[i].words != NULL));
        assert_true(t[i].type == FIELD_WORD || t[i].max > 0);
        assert_true(t[i].max >= t[i].min);
        assert_true(i == 0 || t[i].group >= t[i - 1].group);
    }
    assert_null(field_find("seq"));
    assert_string_equal(field_nearest("seqlen"), "seq_len");
}

static struct workload stated(const char *first, ...) {
    struct workload w;
    struct err err = {0};
    va_list args;
    workload_init(&w);
    va_start(args, first);
    for (const char *pair = first; pair != NULL; pair = va_arg(args, const char *))
        if (!workload_set_pair(&w, pair, &err))
            fail_msg("%s: %s: %s", pair, err.field, err.text);
    va_end(args);
    return w;
}

static void assert_number(const char *field, const char *text, double want) {
    struct workload w;
    struct err err = {0};
    workload_init(&w);
    if (!workload_set(&w, field, text, &err))
        fail_msg("%s=%s: %s", field, text, err.text);
    double got = w.v[field_find(field)->id].number;
    if (!(fabs(got - want) <= 1e-12 * fabs(want)))
        fail_msg("%s=%s is %.17g, not %.17g", field, text, got, want);
}

static void suffixes_mean_what_people_write(void **state) {
    (void)state;
    assert_number("tokens", "50M", 50e6);
    assert_number("tokens", "22B", 22e9);
    assert_number("seq_len", "8k", 8192);
    assert_number("seq_len", "4096", 4096);
    assert_number("deadline_h", "36h", 36);
    assert_number("deadline_h", "90m", 1.5);
    assert_number("deadline_h", "2d", 48);
    assert_number("samples", "10k", 10000);
    assert_number("params_b", "70B", 70);
    assert_number("params_b", "7", 7);
    assert_number("params_b", "350M", 0.35);
    assert_number("params_m", "25.6M", 25.6);
    assert_number("params_m", "1.2B", 1200);
    assert_number("eval_share", "5%", 0.05);
    assert_number("ttft_ms", "2s", 2000);
    assert_number("dataset_gb", "1.5TB", 1500);
    assert_number("micro_batch", "auto", 0);
    assert_number("max_gpus", "AUTO", 0);
}

static void assert_refused(const char *pair, const char *field, const char *hint) {
    struct workload w, before;
    struct err err = {0};
    workload_init(&w);
    before = w;
    if (workload_set_pair(&w, pair, &err))
        fail_msg("taken: %s", pair);
    assert_memory_equal(&w, &before, sizeof w);
    if (strcmp(err.field, field) != 0 || strstr(err.text, hint) == NULL)
        fail_msg("%s: field \"%s\", text \"%s\" without \"%s\"", pair, err.field, err.text, hint);
}

static void wrong_values_name_field_and_what_is_allowed(void **state) {
    (void)state;
    assert_refused("seq_len=many", "seq_len", "such as 4096 or 8k");
    assert_refused("seq_len=0", "seq_len", "1 to 100000000");
    assert_refused("seq_len=-5", "seq_len", "allowed");
    assert_refused("seq_len=10.5", "seq_len", "whole numbers");
    assert_refused("tokens=nan", "tokens", "allowed");
    assert_refused("tokens=inf", "tokens", "allowed");
    assert_refused("tokens=1e400", "tokens", "allowed");
    assert_refused("task=train", "task", "pretrain, full, lora, qlora, inference, measured");
    assert_refused("precision=bf17", "precision", "bf16, fp16, fp8");
    assert_refused("packing=maybe", "packing", "no, yes");
    assert_refused("zero=4", "zero", "0 to 3");
    assert_refused("deadline_h=0", "deadline_h", "or none");
    assert_refused("tokens=none", "tokens", "allowed");
    assert_refused("seqlen=8k", "seqlen", "did you mean \"seq_len\"?");
    assert_refused("xyzzy=1", "xyzzy", "list fields");
    assert_refused("seq_len", "", "FIELD=VALUE");
    assert_refused("points=4:0.8,2:0.9", "points", "rising");
    assert_refused("points=4", "points", "count:efficiency");
    assert_refused("points=4:0", "points", "count:efficiency");
    assert_refused("engine=a-name-longer-than-any-engine-has", "engine", "23 bytes");
}

/* Every value that can be set is written and read back. */
static void values_survive_their_text(void **state) {
    char text[300];
    (void)state;
    for (int i = 0; i < FIELD_COUNT; i++) {
        const struct field *f = &field_table()[i];
        int tries = 3;
        if (f->words != NULL)
            for (tries = 0; f->words[tries] != NULL;)
                tries++;
        for (int k = 0; k < tries; k++) {
            struct workload w, back;
            workload_init(&w);
            workload_init(&back);
            double x = k == 0 ? f->min : k == 1 ? f->max : ceil(sqrt(fmax(1, f->min) * f->max));
            w.v[i] = (struct value){.source = VALUE_STATED, .word = f->words != NULL ? k : k % 2};
            if (f->type == FIELD_NUMBER || f->type == FIELD_INTEGER)
                w.v[i].number = x, w.v[i].word = 0;
            if (f->type == FIELD_TEXT)
                snprintf(w.v[i].text, sizeof w.v[i].text, "%s", i == FIELD_POINTS ? "2:0.92,4:0.8" : "some text"),
                    w.v[i].word = 0;
            assert_true(workload_value_text(&w, (enum field_id)i, text, sizeof text) > 0);
            assert_true(workload_set(&back, f->name, text, NULL));
            if (memcmp(&w.v[i], &back.v[i], sizeof w.v[i]) != 0)
                fail_msg("%s: \"%s\" %d %.17g %.17g", f->name, text, back.v[i].word, w.v[i].number, back.v[i].number);
        }
    }
}

static void none_lifts_a_limit(void **state) {
    struct workload w = stated("preset=lora-8b", "deadline_h=none", NULL);
    struct job j;
    struct buf out = {0};
    (void)state;
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_false(num_known(j.deadline_h));
    workload_to_json(&w, &out);
    assert_non_null(strstr(out.data, "\"deadline_h\":\t\"none\""));
    buf_free(&out);
}

static void json_is_read_and_written(void **state) {
    static const char text[] =
        "{ \"task\": \"lora\", \"model\": \"llama-3.1-8b\", \"tokens\": \"50M\", \"seq_len\": 4096, \"packing\": false,"
        " \"budget_usd\": null, \"regions\": [\"us-\", \"eu-\"], \"spot\": true, \"_remark\": {} }";
    struct workload w, back;
    struct err err = {0};
    struct buf out = {0};
    (void)state;
    workload_init(&w);
    workload_init(&back);
    assert_true(workload_from_json(&w, text, sizeof text - 1, "w.json", &err));
    assert_int_equal(w.v[FIELD_SPOT].word, SPOT_YES);
    assert_string_equal(w.v[FIELD_REGIONS].text, "us-,eu-");
    assert_int_equal(w.v[FIELD_BUDGET_USD].source, VALUE_UNSET);
    workload_to_json(&w, &out);
    assert_true(workload_from_json(&back, out.data, out.len, "back.json", &err));
    assert_memory_equal(&w, &back, sizeof w);
    buf_free(&out);
}

static void assert_json_refused(const char *text, const char *field, const char *hint) {
    struct workload w, before;
    struct err err = {0};
    workload_init(&w);
    before = w;
    if (workload_from_json(&w, text, strlen(text), "w.json", &err))
        fail_msg("read: %s", text);
    assert_memory_equal(&w, &before, sizeof w);
    assert_string_equal(err.file, "w.json");
    if (strcmp(err.field, field) != 0 || strstr(err.text, hint) == NULL)
        fail_msg("%s: %s: %s", text, err.field, err.text);
}

static void wrong_json_changes_nothing(void **state) {
    (void)state;
    assert_json_refused("{\"seq_len\":2048,\"seq_lenght\":1}", "seq_lenght", "did you mean");
    assert_json_refused("{\"seq_len\":1e999}", "seq_len", "allowed");
    assert_json_refused("{\"seq_len\":{}}", "seq_len", "allowed are a number");
    assert_json_refused("{\"regions\":[1]}", "regions", "allowed are a number");
    assert_json_refused("[]", "", "one JSON object");
    assert_json_refused("{\"seq_len\":", "", "JSON");
    assert_json_refused("{\"engine\":\"\x1b[2J-----------------------------\"}", "engine", "bytes");
}

/* ---- presets ---- */

static void every_preset_resolves(void **state) {
    static const char *const want[] = {"lora-8b",   "qlora-70b", "full-8b", "pretrain-1b",   "serve-8b",
                                       "serve-70b", "batch-1m",  "vision",  "diffusion-lora"};
    size_t count;
    const char *const *names = preset_names(&count);
    (void)state;
    assert_int_equal(count, sizeof want / sizeof want[0]);
    for (size_t i = 0; i < count; i++) {
        struct workload w;
        struct job j;
        struct err err = {0};
        assert_string_equal(names[i], want[i]);
        assert_true(strlen(preset_about(names[i])) > 20);
        workload_init(&w);
        assert_true(workload_set(&w, "preset", names[i], &err));
        if (strcmp(names[i], "vision") == 0) {
            assert_false(job_resolve(&w, models, &j, &err));
            assert_string_equal(err.field, "base_gpu"); /* theirs to say */
            assert_true(workload_set(&w, "base_gpu", "V100", &err) && workload_set(&w, "base_hours", "40", &err));
        }
        if (!job_resolve(&w, models, &j, &err))
            fail_msg("%s: %s: %s", names[i], err.field, err.text);
        assert_string_equal(j.preset, names[i]);
        assert_true(num_known(j.deadline_h) || job_is_serving(&j));
    }
}

static void presets_are_those_of_the_guide(void **state) {
    struct workload w = stated("preset=lora-8b", NULL);
    struct job j;
    (void)state;
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.tokens == 15e6 && j.seq_len == 2048 && j.packing && j.global_batch == 32 && j.lora_rank == 16 &&
                j.deadline_h == 24 && j.min_disk_gb == 100);
    w = stated("preset=qlora-70b", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.tokens == 8e6 && j.micro_batch == 1 && j.base == WEIGHTS_NF4 &&
                j.optimizer == OPTIMIZER_PAGED_ADAMW_8BIT && j.deadline_h == 48 && j.min_ram_gb == 192);
    w = stated("preset=serve-8b", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.concurrency == 8 && j.users == 20 && j.serve_hours == 730 && job_is_serving(&j) &&
                !num_known(j.deadline_h));
    w = stated("preset=serve-70b", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.concurrency == 18 && j.weights == WEIGHTS_FP8 && !j.weights_stated);
    w = stated("preset=batch-1m", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.load == LOAD_BATCH && j.requests == 1e6 && !num_known(j.concurrency) && !num_known(j.serve_hours) &&
                j.spot == SPOT_YES);
    w = stated("preset=diffusion-lora", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.tokens == 2000.0 * 4608 && j.model.cls == MODEL_IMAGE && j.model.vocab == 0 && j.deadline_h == 12);
}

static void stated_values_win_over_a_preset(void **state) {
    struct workload w = stated("preset=lora-8b", "tokens=50M", "params_b=13B", "seq_len=1k", NULL);
    struct job j;
    (void)state;
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.tokens == 50e6 && !num_known(j.samples) && j.seq_len == 1024);
    assert_true(fabs(model_count(&j.model).total / 13e9 - 1) < 0.02);
    w = stated("preset=serve-8b", "requests_per_s=3", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.load == LOAD_RATE && j.requests_per_s == 3 && !num_known(j.users) && !num_known(j.concurrency));
    /* another preset takes the first one's values away */
    struct err err = {0};
    assert_true(workload_apply_preset(&w, "qlora-70b", &err) && workload_apply_preset(&w, "pretrain-1b", &err));
    assert_int_equal(w.v[FIELD_BASE].source, VALUE_UNSET);
    assert_int_equal(w.v[FIELD_TOKENS].source, VALUE_PRESET);
    assert_false(workload_apply_preset(&w, "lora-8", &err));
    assert_non_null(strstr(err.text, "lora-8b"));
}

/* ---- resolving ---- */

static const struct assumed *find_assumed(const struct job *j, const char *key) {
    for (int i = 0; i < j->assumed_count; i++)
        if (strcmp(j->assumed[i].key, key) == 0)
            return &j->assumed[i];
    return NULL;
}

static void what_nobody_said_is_listed(void **state) {
    struct workload w = stated("task=lora", "model=qwen2.5-7b", "tokens=10M", NULL);
    struct job j;
    (void)state;
    assert_true(job_resolve(&w, models, &j, NULL));
    const struct assumed *a = find_assumed(&j, "deadline_h");
    assert_non_null(a);
    assert_string_equal(a->value, "24");
    assert_string_equal(a->why, "default");
    assert_non_null(find_assumed(&j, "seq_len"));
    assert_null(find_assumed(&j, "tokens"));
    assert_null(find_assumed(&j, "model"));
    assert_null(find_assumed(&j, "max_len"));
    assert_false(j.precision_stated);
    w = stated("preset=lora-8b", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_string_equal(find_assumed(&j, "deadline_h")->why, "preset");
    w = stated("task=inference", "model=llama-3.1-8b", "users=20", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_string_equal(find_assumed(&j, "concurrency")->value, "8");
    assert_string_equal(find_assumed(&j, "serve_hours")->value, "730");
    assert_null(find_assumed(&j, "deadline_h"));
}

static double deadline(const char *task, const char *model) {
    struct workload w = stated(task, model, NULL);
    struct job j;
    assert_true(job_resolve(&w, models, &j, NULL));
    return j.deadline_h;
}

static void deadlines_follow_the_task(void **state) {
    (void)state;
    assert_true(deadline("task=lora", "model=llama-3.1-70b") == 24);
    assert_true(deadline("task=qlora", "model=llama-3.1-70b") == 48);
    assert_true(deadline("task=qlora", "model=llama-3.1-8b") == 24);
    assert_true(deadline("task=full", "model=llama-3.1-8b") == 24);
    assert_true(deadline("task=pretrain", "model=tinyllama-1.1b") == 72);
    assert_false(num_known(deadline("task=inference", "model=llama-3.1-8b")));
}

static void amounts_are_one_thing_said_three_ways(void **state) {
    struct job j;
    struct workload w = stated("task=full", "model=llama-3.1-8b", "steps=100", "global_batch=64", "seq_len=4k", NULL);
    (void)state;
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.tokens == 100.0 * 64 * 4096 && j.steps == 100);
    w = stated("task=full", "model=llama-3.1-8b", "tokens=26214400", "steps=100", "seq_len=4k", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.global_batch == 64);
    assert_string_equal(find_assumed(&j, "global_batch")->value, "64");
    /* unpacked: the longest decides the memory, the mean the time */
    w = stated("task=lora", "model=llama-3.1-8b", "samples=1000", "sample_tokens=500", "epochs=2", "packing=no",
               "seq_len=2k", "global_batch=10", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.tokens == 1e6 && j.mean_len == 500 && j.seq_len == 2048 && j.steps == 200);
    w = stated("task=lora", "model=llama-3.1-8b", "samples=1000", "sample_tokens=500", "epochs=2", "packing=yes",
               "seq_len=2k", "global_batch=10", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.tokens == 1e6 && j.mean_len == 2048 && fabs(j.steps - 1e6 / 20480) < 1e-9);
    w = stated("task=pretrain", "model=tinyllama-1.1b", "epochs=2", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.tokens == 44e9);
}

static void assert_contradiction(const char *field, const char *first, ...) {
    struct workload w;
    struct job j;
    struct err err = {0};
    va_list args;
    workload_init(&w);
    va_start(args, first);
    for (const char *pair = first; pair != NULL; pair = va_arg(args, const char *))
        assert_true(workload_set_pair(&w, pair, NULL));
    va_end(args);
    if (job_resolve(&w, models, &j, &err))
        fail_msg("resolved: %s … (%s)", first, field);
    if (strcmp(err.field, field) != 0 || err.text[0] == '\0')
        fail_msg("%s …: %s: %s, not %s", first, err.field, err.text, field);
}

static void contradictions_name_the_field(void **state) {
    (void)state;
    assert_contradiction("task", "model=llama-3.1-8b", NULL);
    assert_contradiction("preset", "preset=nothing-like-it", NULL);
    assert_contradiction("model", "task=lora", NULL);
    assert_contradiction("model", "task=lora", "model=llama-9-8b", NULL);
    assert_contradiction("params_b", "task=lora", "model=llama-3.1-8b", "params_b=70", NULL);
    assert_contradiction("active_params_b", "task=inference", "params_b=10", "active_params_b=20", NULL);
    assert_contradiction("steps", "task=full", "model=llama-3.1-8b", "tokens=1B", "steps=10", "global_batch=8",
                         "seq_len=2k", NULL);
    assert_contradiction("samples", "task=full", "model=llama-3.1-8b", "tokens=1B", "samples=10", "sample_tokens=8",
                         "epochs=2", NULL);
    assert_contradiction("sample_tokens", "task=lora", "model=llama-3.1-8b", "sample_tokens=4k", "seq_len=2k",
                         "packing=no", NULL);
    assert_contradiction("micro_batch", "task=lora", "model=llama-3.1-8b", "micro_batch=64", "global_batch=32", NULL);
    assert_contradiction("seq_len", "task=full", "model=gpt-2-124m", "seq_len=2k", NULL);
    assert_contradiction("base", "task=qlora", "model=llama-3.1-8b", "base=bf16", NULL);
    assert_contradiction("requests_per_s", "task=inference", "model=llama-3.1-8b", "concurrency=4", "requests_per_s=2",
                         NULL);
    assert_contradiction("concurrency", "task=inference", "model=llama-3.1-8b", "concurrency=4", "users=20", NULL);
    assert_contradiction("requests", "task=inference", "model=llama-3.1-8b", "requests=4", "users=20", NULL);
    assert_contradiction("prefix_len", "task=inference", "model=llama-3.1-8b", "input_len=100", "prefix_len=200", NULL);
    assert_contradiction("max_len", "task=inference", "model=llama-3.1-8b", "input_len=3000", "max_len=2k", NULL);
    assert_contradiction("max_gpus", "task=full", "model=llama-3.1-8b", "tp=4", "pp=4", "max_gpus=8", NULL);
    assert_contradiction("tp", "task=inference", "model=llama-3.1-70b", "tp=6", NULL);
    assert_contradiction("tp", "task=inference", "model=llama-3.1-70b", "strategy=single", "tp=2", NULL);
    assert_contradiction("zero", "task=full", "model=llama-3.1-8b", "strategy=zero1", "zero=3", NULL);
    assert_contradiction("ep", "task=inference", "model=llama-3.1-8b", "ep=2", NULL);
    assert_contradiction("kv_heads", "task=inference", "params_b=8", "layers=32", "hidden=4096", "heads=32",
                         "kv_heads=5", NULL);
    assert_contradiction("steps", "task=full", "model=llama-3.1-8b", "tokens=1e18", NULL);
    assert_contradiction("tokens", "task=full", "model=llama-3.1-8b", "samples=1e15", "sample_tokens=1e6", NULL);
    assert_contradiction("base_hours", "task=measured", "base_gpu=V100", "steps=1", "step_s=1e-6", NULL);
    assert_contradiction("base_gpu", "task=measured", "base_hours=40", NULL);
    assert_contradiction("base_hours", "task=measured", "base_gpu=V100", NULL);
    assert_contradiction("step_s", "task=measured", "base_gpu=V100", "base_hours=1", "steps=100", "step_s=100", NULL);
}

static void shapes_may_be_stated(void **state) {
    struct job j;
    struct workload w = stated("task=inference", "params_b=7.721", "layers=32", "hidden=4096", "heads=32", "ffn=11008",
                               "vocab=151936", NULL);
    (void)state;
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.model.gated && !j.model.tied && j.model.kv_heads == 32 && j.model.head_dim == 128);
    assert_string_equal(find_assumed(&j, "gated_ffn")->why, "from params_b");
    assert_null(find_assumed(&j, "layers"));
    w = stated("task=inference", "model=my-own-13b", "params_b=13", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_string_equal(j.model.name, "my-own-13b");
    /* a mixture: Mixtral's figures from the outside */
    w = stated("task=inference", "params_b=46.7", "active_params_b=12.9", "layers=32", "hidden=4096", "heads=32",
               "kv_heads=8", "experts=8", "experts_active=2", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    struct model_counts c = model_count(&j.model);
    assert_true(fabs(c.total / 46.7e9 - 1) < 0.01 && fabs(c.active / 12.9e9 - 1) < 0.02);
    assert_true(abs(j.model.expert_ffn - 14336) < 200 && j.model.shared_ffn == 0);
    /* a mixture of which only the two counts are known */
    w = stated("task=inference", "params_b=235", "active_params_b=22", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    c = model_count(&j.model);
    assert_true(j.model.experts > 0 && fabs(c.total / 235e9 - 1) < 0.03 && fabs(c.active / 22e9 - 1) < 0.1);
    /* one field of a known model changed */
    w = stated("task=inference", "model=llama-3.1-8b", "window=4k", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.model.window == 4096 && j.model.window_share == 1);
}

static void a_config_takes_the_place_of_a_name(void **state) {
    static const char text[] =
        "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_hidden_layers\":2,\"num_attention_heads\":4,"
        "\"intermediate_size\":128,\"vocab_size\":100}";
    struct workload w = stated("task=full", "model=models/mine/config.json", NULL);
    struct job j;
    struct err err = {0};
    (void)state;
    assert_false(job_resolve(&w, models, &j, &err));
    assert_string_equal(err.field, "model");
    assert_true(model_from_config(text, sizeof text - 1, "models/mine/config.json", &w.config, &err));
    w.has_config = true;
    assert_true(job_resolve(&w, models, &j, &err));
    assert_string_equal(j.model.name, "mine");
    assert_int_equal(j.model.layers, 2);
}

static void a_measured_job_keeps_its_points(void **state) {
    struct workload w =
        stated("task=measured", "base_gpu=A100", "base_hours=40", "points=4:0.8, 8:70%", "params_m=25", NULL);
    struct job j;
    (void)state;
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_int_equal(j.point_count, 2);
    assert_true(j.points[0].gpus == 4 && j.points[0].efficiency == 0.8 && j.points[1].gpus == 8 &&
                fabs(j.points[1].efficiency - 0.7) < 1e-12);
    assert_true(j.base_hours == 40 && j.base_gpus == 1 && fabs(j.sync_gb - 0.1) < 1e-12 && j.deadline_h == 24);
    assert_false(num_known(j.vram_gib));
    w = stated("task=measured", "base_gpu=A100", "step_s=0.5", "steps=7200", NULL);
    assert_true(job_resolve(&w, models, &j, NULL));
    assert_true(j.base_hours == 1);
}

/* The resolved fields are a workload that resolves to itself. */
static void resolved_fields_resolve_to_themselves(void **state) {
    static const char *const extra[][3] = {
        {"preset=lora-8b", NULL, NULL},
        {"preset=qlora-70b", NULL, NULL},
        {"preset=full-8b", "packing=no", NULL},
        {"preset=pretrain-1b", NULL, NULL},
        {"preset=serve-8b", NULL, NULL},
        {"preset=serve-70b", "kv_precision=fp8", NULL},
        {"preset=batch-1m", NULL, NULL},
        {"preset=diffusion-lora", NULL, NULL},
        {"task=inference", "params_b=13", "base=int4"},
        {"preset=vision", "base_gpu=V100", "base_hours=4"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof extra / sizeof extra[0]; i++) {
        struct workload w = stated(extra[i][0], extra[i][1], extra[i][2], NULL), back;
        struct job j, k;
        struct err err = {0};
        assert_true(job_resolve(&w, models, &j, NULL));
        cJSON *a = job_to_json(&j);
        char *text = cJSON_PrintUnformatted(a);
        workload_init(&back);
        if (!workload_from_json(&back, text, strlen(text), "back", &err) || !job_resolve(&back, models, &k, &err))
            fail_msg("%s: %s: %s", extra[i][0], err.field, err.text);
        cJSON *b = job_to_json(&k);
        char *again = cJSON_PrintUnformatted(b);
        assert_string_equal(text, again);
        cJSON_free(text);
        cJSON_free(again);
        cJSON_Delete(a);
        cJSON_Delete(b);
    }
}

static void formats_have_their_bytes(void **state) {
    (void)state;
    for (int i = 0; i < WEIGHTS_COUNT; i++) {
        double b = weight_format_bytes((enum weight_format)i);
        assert_true(b > 0.3 && b <= 4);
        assert_int_equal(weight_format_find(weight_format_name((enum weight_format)i)), i);
    }
    assert_int_equal(weight_format_find("AWQ"), WEIGHTS_INT4);
    assert_int_equal(weight_format_find("q9"), -1);
    assert_true(weight_format_bytes(WEIGHTS_NF4) == 0.5625 && precision_bytes(PRECISION_TF32) == 4 &&
                precision_bytes(PRECISION_FP8) == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_of_fields_is_sound),
        cmocka_unit_test(suffixes_mean_what_people_write),
        cmocka_unit_test(wrong_values_name_field_and_what_is_allowed),
        cmocka_unit_test(values_survive_their_text),
        cmocka_unit_test(none_lifts_a_limit),
        cmocka_unit_test(json_is_read_and_written),
        cmocka_unit_test(wrong_json_changes_nothing),
        cmocka_unit_test(every_preset_resolves),
        cmocka_unit_test(presets_are_those_of_the_guide),
        cmocka_unit_test(stated_values_win_over_a_preset),
        cmocka_unit_test(what_nobody_said_is_listed),
        cmocka_unit_test(deadlines_follow_the_task),
        cmocka_unit_test(amounts_are_one_thing_said_three_ways),
        cmocka_unit_test(contradictions_name_the_field),
        cmocka_unit_test(shapes_may_be_stated),
        cmocka_unit_test(a_config_takes_the_place_of_a_name),
        cmocka_unit_test(a_measured_job_keeps_its_points),
        cmocka_unit_test(resolved_fields_resolve_to_themselves),
        cmocka_unit_test(formats_have_their_bytes),
    };
    return cmocka_run_group_tests_name("workload", tests, load_tables, free_tables);
}
