/* SPDX-License-Identifier: MIT */
/* The table of architectures, shapes guessed from counts, config.json. */
#include "support.h"

#include <dirent.h>
#include <math.h>
#include <time.h>

#include "gpuplan/base/csv.h"
#include "gpuplan/base/data.h"
#include "gpuplan/workload/job.h"
#include "table_support.h"

/* ---- models ---- */

static double cell(const struct csv_table *t, size_t row, const char *column) {
    double x = csv_table_number(t, row, csv_table_column(t, column));
    return num_known(x) ? x : 0;
}

/* Every row of the table: the count from its shape is the published one within 1 %. */
static void counts_agree_with_published_totals(void **state) {
    struct blob blob;
    (void)state;
    assert_true(data_builtin("models.csv", &blob));
    struct csv_table *t = csv_table_read(blob.bytes, blob.len, "models.csv", NULL);
    assert_non_null(t);
    assert_int_equal(csv_table_rows(t), models_count(models));
    assert_true(csv_table_rows(t) >= 90);
    for (size_t i = 0; i < csv_table_rows(t); i++) {
        const struct model *m = models_at(models, i);
        double published = cell(t, i, "params_b") - cell(t, i, "outside_b");
        double counted = model_count(m).total / 1e9;
        if (!(fabs(counted / published - 1) < 0.01))
            fail_msg("%s: %.4f billion counted, %.4f published", m->name, counted, published);
    }
    csv_table_free(t);
}

/* Half the world prints two digits, and some cut instead of rounding: within 1 % or one unit of the last digit. */
static void active_counts_agree_with_published_ones(void **state) {
    struct blob blob;
    int compared = 0;
    (void)state;
    assert_true(data_builtin("models.csv", &blob));
    struct csv_table *t = csv_table_read(blob.bytes, blob.len, "models.csv", NULL);
    for (size_t i = 0; i < csv_table_rows(t); i++) {
        const char *text = csv_table_cell(t, i, csv_table_column(t, "active_params_b"));
        const char *how = csv_table_cell(t, i, csv_table_column(t, "active_counts"));
        double published = cell(t, i, "active_params_b");
        struct model_counts c = model_count(models_at(models, i));
        if (text[0] == '\0')
            continue;
        double counted = c.active;
        if (strcmp(how, "all") != 0)
            counted -= c.embedding;
        if (strcmp(how, "no_table") == 0)
            counted -= c.head;
        const char *point = strchr(text, '.');
        double unit = point != NULL ? pow(10, -(double)strlen(point + 1)) : 1;
        compared++;
        if (!(fabs(counted / 1e9 - published) < fmax(0.01 * published, unit)))
            fail_msg("%s: %.3f billion active counted, %s published", models_at(models, i)->name, counted / 1e9, text);
    }
    assert_true(compared >= 15);
    csv_table_free(t);
}

static void formulas_are_the_published_ones(void **state) {
    (void)state;
    const struct model *m = models_find(models, "llama-3.1-70b");
    /* 2 x layers x kv heads x head size x bytes */
    assert_true(model_kv_bytes_per_token(m, 2) == 2.0 * 80 * 8 * 128 * 2);
    assert_true(model_kv_bytes_per_token_gpu(m, 2, 4, 1) == 2.0 * 80 * 2 * 128 * 2);
    assert_true(model_kv_bytes_per_token_gpu(m, 2, 16, 1) == 2.0 * 80 * 1 * 128 * 2); /* replicated past 8 */
    assert_true(model_kv_bytes_per_token_gpu(m, 2, 8, 4) == 2.0 * 20 * 1 * 128 * 2);
    m = models_find(models, "deepseek-v3");
    assert_true(model_kv_bytes_per_token(m, 2) == 61.0 * (512 + 64) * 2);
    assert_true(model_kv_bytes_per_token_gpu(m, 2, 8, 1) == 61.0 * (512 + 64) * 2); /* never split */
    m = models_find(models, "gemma-2-9b");
    assert_true(model_kv_tokens(m, 1000) == 1000);
    assert_true(model_kv_tokens(m, 8192) == 0.5 * 4096 + 0.5 * 8192);
    struct model_counts c = model_count(models_find(models, "qwen2.5-7b"));
    assert_true(fabs(c.total - 7615616512.0) < 1e6); /* the figure of its weight files */
    assert_true(c.linear + c.embedding + c.head < c.total && c.head == c.embedding);
    c = model_count(models_find(models, "gpt-2-124m"));
    assert_true(fabs(c.total - 124439808.0) < 1e3 && c.head == 0);
}

static void assert_found(const char *spelling, const char *name) {
    const struct model *m = models_find(models, spelling);
    if (m == NULL || strcmp(m->name, name) != 0)
        fail_msg("\"%s\" is %s, not %s", spelling, m != NULL ? m->name : "unknown", name);
}

static void names_are_found_in_every_spelling(void **state) {
    (void)state;
    for (size_t i = 0; i < models_count(models); i++)
        assert_found(models_at(models, i)->name, models_at(models, i)->name);
    assert_found("meta-llama/Llama-3.1-8B", "llama-3.1-8b");
    assert_found("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b");
    assert_found("Llama 3.1 8B", "llama-3.1-8b");
    assert_found("llama3.1_8b", "llama-3.1-8b");
    assert_found("hugging-quants/Meta-Llama-3.1-70B-Instruct-AWQ-INT4", "llama-3.1-70b");
    assert_found("Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b");
    assert_found("qwen2-57b", "qwen2-57b-a14b");
    assert_found("Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4", "qwen2.5-72b");
    assert_found("mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b-v0.3");
    assert_found("google/gemma-2-9b-it", "gemma-2-9b");
    assert_found("meta-llama/Llama-2-7b-chat-hf", "llama-2-7b");
    assert_found("openai-community/gpt2", "gpt-2-124m");
    assert_found("deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "qwen2.5-32b");
    assert_null(models_find(models, "llama-9-8b"));
    assert_null(models_find(models, ""));
    assert_null(models_find(models, "-"));
    assert_null(models_find(models, "instruct"));
    assert_string_equal(models_nearest(models, "lama-3.1-8b"), "llama-3.1-8b");
}

/* No spelling may mean two models. */
static void no_spelling_is_taken_twice(void **state) {
    struct blob blob;
    (void)state;
    assert_true(data_builtin("models.csv", &blob));
    struct csv_table *t = csv_table_read(blob.bytes, blob.len, "models.csv", NULL);
    for (size_t i = 0; i < csv_table_rows(t); i++) {
        char aliases[512];
        snprintf(aliases, sizeof aliases, "%s", csv_table_cell(t, i, csv_table_column(t, "aliases")));
        for (char *one = strtok(aliases, ";"); one != NULL; one = strtok(NULL, ";"))
            assert_found(one, csv_table_cell(t, i, 0));
    }
    csv_table_free(t);
}

static void overlay_replaces_and_adds(void **state) {
    static const char rows[] =
        "name,layers,hidden,heads,ffn,vocab\nllama-3.1-8b,2,64,4,128,1000\nhome-brew,3,64,4,128,1000\n";
    static const char broken[] = "name,layers,hidden,heads,ffn,vocab\nbad,3.5,64,4,128,1000\n";
    static const char impossible[] = "name,layers,hidden,heads,kv_heads,ffn,vocab\nbad,3,64,4,3,128,1000\n";
    struct err err = {0};
    (void)state;
    data_overlay("models.csv", rows, sizeof rows - 1);
    struct models *ms = models_load(&err);
    assert_non_null(ms);
    assert_int_equal(models_count(ms), models_count(models) + 1);
    assert_int_equal(models_find(ms, "meta-llama/Llama-3.1-8B")->layers, 2);
    assert_int_equal(models_find(ms, "home-brew")->head_dim, 16);
    models_free(ms);
    data_overlay("models.csv", broken, sizeof broken - 1);
    assert_null(models_load(&err));
    assert_string_equal(err.field, "layers");
    assert_int_equal(err.line, 2);
    data_overlay("models.csv", impossible, sizeof impossible - 1);
    assert_null(models_load(&err));
    assert_string_equal(err.field, "kv_heads");
    data_overlay_clear();
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void loading_is_quick(void **state) {
    double best = 1;
    (void)state;
    for (int i = 0; i < 20; i++) {
        double start = seconds();
        models_free(models_load(NULL));
        best = fmin(best, seconds() - start);
    }
    print_message("models_load: %.3f ms\n", best * 1e3);
    assert_true(best < 10e-3); /* 1 ms is the aim; sanitizers and a busy machine may take ten */
}

/* ---- guesses ---- */

/* Without its width, head and MLP kind, each decoder comes back to within 2 % of its count. */
static void shapes_are_completed_from_counts(void **state) {
    int right_kind = 0, tried = 0;
    (void)state;
    for (size_t i = 0; i < models_count(models); i++) {
        const struct model *whole = models_at(models, i);
        struct model m = {.layers = whole->layers,
                          .hidden = whole->hidden,
                          .heads = whole->heads,
                          .kv_heads = whole->kv_heads,
                          .head_dim = whole->head_dim,
                          .ffn = whole->ffn,
                          .vocab = whole->vocab,
                          .params_stated = model_count(whole).total,
                          .params_active_stated = NUM_UNKNOWN};
        if (whole->cls != MODEL_DECODER || whole->experts > 0)
            continue;
        tried++;
        assert_true(model_complete(&m));
        right_kind += m.gated == whole->gated && m.tied == whole->tied;
        if (fabs(model_count(&m).total / m.params_stated - 1) > 0.02)
            fail_msg("%s: %.3f of %.3f billion", whole->name, model_count(&m).total / 1e9, m.params_stated / 1e9);
    }
    print_message("gated and tied guessed right: %d of %d\n", right_kind, tried);
    assert_true(right_kind >= tried * 95 / 100);
}

static void a_count_alone_gives_a_shape(void **state) {
    (void)state;
    for (double params = 1e8; params < 2e12; params *= 1.23) {
        struct model m;
        struct err err = {0};
        model_from_params(params, &m);
        if (!model_validate(&m, &err))
            fail_msg("%g: %s %s", params, err.field, err.text);
        double counted = model_count(&m).total;
        if (fabs(counted / params - 1) > 0.02)
            fail_msg("%g parameters asked, %g counted", params, counted);
        assert_true(m.ffn >= 2 * m.hidden && m.ffn <= 8 * m.hidden);
    }
    struct model m;
    model_from_params(70.55e9, &m);
    assert_int_equal(m.layers, 80);
    assert_int_equal(m.hidden, 8192);
}

/* ---- config.json ---- */

static size_t read_file(const char *path, char *out, size_t cap) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t len = fread(out, 1, cap, f);
    fclose(f);
    return len;
}

static void assert_same_shape(const struct model *a, const struct model *b) {
#define SAME(member)            \
    if (a->member != b->member) \
    fail_msg("%s: " #member " %d in the table, %d in its config.json", a->name, (int)a->member, (int)b->member)
    SAME(cls);
    SAME(norm);
    SAME(layers);
    SAME(hidden);
    SAME(heads);
    SAME(kv_heads);
    SAME(head_dim);
    SAME(ffn);
    SAME(gated);
    SAME(vocab);
    SAME(tied);
    SAME(qkv_bias);
    SAME(mlp_bias);
    SAME(position_rows);
    SAME(experts);
    SAME(experts_active);
    SAME(expert_ffn);
    SAME(shared_ffn);
    SAME(dense_layers);
    SAME(window);
    SAME(capped);
    SAME(mla_rank);
    SAME(mla_rope_dim);
    SAME(mla_q_rank);
    SAME(mla_nope_dim);
    SAME(mla_v_dim);
    SAME(max_positions);
#undef SAME
    assert_true(fabs(a->window_share - b->window_share) < 1e-5);
}

/* A name and the config.json of the same model give one answer. */
static void configs_agree_with_the_table(void **state) {
    char folder[1024], path[2048], bytes[8192];
    const char *top = getenv("top_srcdir");
    int count = 0;
    (void)state;
    snprintf(folder, sizeof folder, "%s/tests/fuzz/seeds/config", top != NULL ? top : "..");
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        struct model m;
        struct err err = {0};
        if (strstr(e->d_name, ".json") == NULL)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (!model_from_config(bytes, read_file(path, bytes, sizeof bytes), path, &m, &err))
            fail_msg("%s: %s: %s", e->d_name, err.field, err.text);
        const struct model *known = models_find(models, m.name);
        assert_non_null(known);
        assert_same_shape(known, &m);
        count++;
    }
    closedir(dir);
    assert_true(count >= 30);
}

static void assert_config_refused(const char *text, const char *field) {
    struct model m = {.layers = -7};
    struct err err = {0};
    if (model_from_config(text, strlen(text), "x/config.json", &m, &err))
        fail_msg("read: %s", text);
    assert_int_equal(m.layers, -7); /* untouched */
    if (strcmp(err.field, field) != 0)
        fail_msg("%s: field \"%s\" (%s), not \"%s\"", text, err.field, err.text, field);
    assert_true(err.text[0] != '\0');
}

#define LLAMA                                                                                                       \
    "\"model_type\":\"llama\",\"hidden_size\":64,\"num_hidden_layers\":2,\"num_attention_heads\":4,\"intermediate_" \
    "size\":128,\"vocab_size\":100"

static void hostile_configs_are_refused(void **state) {
    (void)state;
    assert_config_refused("", "");
    assert_config_refused("[1,2]", "");
    assert_config_refused("{}", "num_hidden_layers");
    assert_config_refused("{\"num_hidden_layers\":2}", "hidden_size");
    assert_config_refused("{\"num_hidden_layers\":2,\"hidden_size\":64}", "num_attention_heads");
    assert_config_refused("{\"num_hidden_layers\":2,\"hidden_size\":64,\"num_attention_heads\":4}", "vocab_size");
    assert_config_refused("{\"num_hidden_layers\":2,\"hidden_size\":64,\"num_attention_heads\":4,\"vocab_size\":9}",
                          "intermediate_size");
    assert_config_refused("{" LLAMA ",\"num_hidden_layers\":1e9}x", "");
    assert_config_refused("{\"num_hidden_layers\":1e9,\"hidden_size\":64}", "num_hidden_layers");
    assert_config_refused("{\"num_hidden_layers\":-3,\"hidden_size\":64}", "num_hidden_layers");
    assert_config_refused("{\"num_hidden_layers\":2.5,\"hidden_size\":64}", "num_hidden_layers");
    assert_config_refused("{\"num_hidden_layers\":\"2\",\"hidden_size\":64}", "num_hidden_layers");
    assert_config_refused("{\"num_hidden_layers\":2,\"hidden_size\":1e300}", "hidden_size");
    assert_config_refused("{" LLAMA ",\"num_key_value_heads\":3}", "kv_heads");
    assert_config_refused("{" LLAMA ",\"num_local_experts\":8}", "num_experts_per_tok");
    assert_config_refused("{" LLAMA ",\"num_local_experts\":8,\"num_experts_per_tok\":9}", "experts_active");
    assert_config_refused("{" LLAMA ",\"kv_lora_rank\":512}", "qk_rope_head_dim");
    assert_config_refused("{" LLAMA ",\"is_encoder_decoder\":true}", "is_encoder_decoder");
    assert_config_refused("{\"model_type\":\"mpt\",\"d_model\":1000000,\"n_layers\":10000,\"n_heads\":8,\"vocab_size\":"
                          "10000000,\"expansion_ratio\":1e9}",
                          "expansion_ratio");
    struct model m;
    struct err err = {0};
    assert_true(model_from_config("{" LLAMA ",\"n_routed_experts\":0}", strlen("{" LLAMA ",\"n_routed_experts\":0}"),
                                  "models/tiny\x1b[1m/config.json", &m, &err));
    assert_string_equal(m.name, "tiny\\x1b[1m");
    assert_int_equal(m.kv_heads, 4);
}

/* Three layers of four keep a state of 2 MiB, which is what 1,024 tokens of keys and values of such a layer would take. */
static void linear_attention_keeps_a_state(void **state) {
    static const char text[] =
        "{\"model_type\":\"qwen3_next\",\"hidden_size\":2048,\"num_hidden_layers\":48,\"num_attention_heads\":16,"
        "\"num_key_value_heads\":2,\"head_dim\":256,\"intermediate_size\":5120,\"vocab_size\":151936,"
        "\"full_attention_interval\":4,\"linear_num_value_heads\":32,\"linear_key_head_dim\":128,"
        "\"linear_value_head_dim\":128,\"max_position_embeddings\":262144}";
    struct model m;
    struct err err = {0};
    (void)state;
    assert_true(model_from_config(text, sizeof text - 1, "x/config.json", &m, &err));
    assert_int_equal(m.window, 1024);
    assert_true(fabs(m.window_share - 0.75) < 1e-9);
    assert_true(fabs(model_kv_tokens(&m, 101024) - (0.75 * 1024 + 0.25 * 101024)) < 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_agree_with_published_totals),
        cmocka_unit_test(active_counts_agree_with_published_ones),
        cmocka_unit_test(formulas_are_the_published_ones),
        cmocka_unit_test(names_are_found_in_every_spelling),
        cmocka_unit_test(no_spelling_is_taken_twice),
        cmocka_unit_test(overlay_replaces_and_adds),
        cmocka_unit_test(loading_is_quick),
        cmocka_unit_test(shapes_are_completed_from_counts),
        cmocka_unit_test(a_count_alone_gives_a_shape),
        cmocka_unit_test(configs_agree_with_the_table),
        cmocka_unit_test(hostile_configs_are_refused),
        cmocka_unit_test(linear_attention_keeps_a_state),
    };
    return cmocka_run_group_tests_name("models", tests, load_tables, free_tables);
}
