/* SPDX-License-Identifier: MIT */
#include "decide_support.h"

#include <cjson/cJSON.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/estimate/trace.h"
#include "gpuplan/report/json_out.h"
#include "gpuplan/report/report.h"
#include "gpuplan/report/sentence.h"

static const char *const listing =
    LISTING_HEAD ",link\n"
                 "lambda:8,lambda,gpu_8x_a100,A100-SXM4-40GB,8,10.32,machine,on_demand,us-east-1,1800,6000,yes,\n"
                 "lambda:8b,lambda,gpu_8x_a100,A100-SXM4-40GB,8,10.32,machine,on_demand,us-west-1,1800,6000,yes,\n"
                 "vast:1,vast,m1,RTX-4090,1,0.35,machine,on_demand,US-TX,64,900,yes,\n"
                 "vast:8,vast,m8,RTX-4090,8,2.71,machine,on_demand,US-TX,503,900,yes,pcie_host\n"
                 "odd,\"a,\"\"b\",=1+2,H100-SXM5-80GB,1,2.50,gpu,on_demand,,,,,\n"
                 "none,x,p4,P4,1,0.10,machine,on_demand,,,,,\n";

static void view_of(struct world *w, struct view_rows *v, bool grouped) {
    *v = (struct view_rows){.ranking = w->r, .grouped = grouped};
    v->count = grouped ? ranking_group_count(w->r) : ranking_count(w->r);
}

static char *answer_of(struct world *w) {
    struct answer a;
    struct buf b = {0};
    ranking_answer(w->r, &a);
    sentence_answer(&b, w->r, &a);
    return b.data;
}

enum kind { KIND_TABLE, KIND_JSON, KIND_CSV, KIND_MARKDOWN };

static char *report(struct world *w, enum kind kind, bool grouped, struct style style) {
    struct view_rows v;
    struct buf b = {0};
    char *answer = answer_of(w);
    const struct report_context ctx = {&w->q, w->r, w->offers, answer};
    view_of(w, &v, grouped);
    if (kind == KIND_TABLE)
        report_table(&b, &ctx, &v, &style);
    else if (kind == KIND_JSON)
        report_json(&b, &ctx, &v);
    else if (kind == KIND_CSV)
        report_csv(&b, &ctx, &v);
    else
        report_markdown(&b, &ctx, &v);
    free(answer);
    return b.data;
}

static const struct style plain = {.width = 80};

static double part_sum(const cJSON *parts) {
    double sum = 0;
    const cJSON *p;
    cJSON_ArrayForEach (p, parts)
        sum += p->valuedouble;
    return sum;
}

static const cJSON *get(const cJSON *o, const char *key) {
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    if (!v)
        fail_msg("no \"%s\"", key);
    return v;
}

/* Every field that the contract names, and the sums it promises. */
static void json_keeps_its_contract(void **state) {
    (void)state;
    static const char *const keys[] = {"rank",
                                       "tie",
                                       "id",
                                       "provider",
                                       "machine",
                                       "region",
                                       "group_size",
                                       "gpu",
                                       "gpus",
                                       "gpus_used",
                                       "nodes",
                                       "rate_kind",
                                       "rate_usd_h",
                                       "rate_basis",
                                       "available",
                                       "link",
                                       "layout",
                                       "fit",
                                       "reason",
                                       "limits",
                                       "memory",
                                       "time_h",
                                       "gpu_hours",
                                       "step_s",
                                       "tokens_per_s",
                                       "ttft_ms",
                                       "itl_ms",
                                       "max_concurrency",
                                       "usd_per_mtok",
                                       "sustained_requests_per_s",
                                       "replicas_needed",
                                       "efficiency",
                                       "efficiency_base",
                                       "scaling",
                                       "limited_by",
                                       "fits_from_gpus",
                                       "cost_usd",
                                       "naive_cost_usd",
                                       "usd_per_useful_gpu_h",
                                       "risk",
                                       "frontier",
                                       "single_gpu_would_do",
                                       "flags"};
    static const char *const jobs[] = {"preset=full-8b", "preset=lora-8b", "preset=serve-8b", "preset=batch-1m"};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        struct world w;
        struct err err = {0};
        WORLD(&w, listing, jobs[i], "spot=no");
        char *text = report(&w, KIND_JSON, false, plain);
        cJSON *root = json_parse(text, strlen(text), "rank", &err);
        if (!root)
            fail_msg("%s", err.text);
        assert_true(cJSON_IsObject(get(root, "workload")));
        assert_true(strlen(get(root, "answer")->valuestring) > 20);
        const cJSON *c;
        int count = 0;
        cJSON_ArrayForEach (c, get(root, "candidates")) {
            for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
                get(c, keys[k]);
            const cJSON *cost = get(c, "cost_usd"), *memory = get(c, "memory"), *step = get(c, "step_s");
            double usd = get(cost, "expected")->valuedouble,
                   gib = get(get(memory, "per_gpu_gib"), "expected")->valuedouble;
            assert_near(part_sum(get(cost, "parts")), usd, 1e-6 * usd);
            assert_near(part_sum(get(memory, "parts_gib")), gib, 1e-6 * gib);
            assert_near(part_sum(get(step, "parts")), get(step, "expected")->valuedouble,
                        1e-6 * get(step, "expected")->valuedouble);
            assert_int_equal(get(c, "rank")->valueint, ++count);
            assert_true(get(c, "gpus_used")->valueint <= get(c, "gpus")->valueint * get(c, "nodes")->valueint);
        }
        assert_int_equal(count, ranking_count(w.r));
        assert_int_equal(get(get(root, "snapshot"), "offers")->valueint, (int)w.offers->count);
        cJSON_Delete(root);
        free(text);
        world_free(&w);
    }
}

static int columns_of(const char *line) {
    int n = 1;
    bool quoted = false;
    for (; *line && *line != '\n'; line++) {
        quoted ^= *line == '"';
        n += *line == ',' && !quoted;
    }
    return n;
}

static void csv_is_square_and_safe(void **state) {
    (void)state;
    struct world w;
    WORLD(&w, listing, "preset=lora-8b");
    char *text = report(&w, KIND_CSV, false, plain);
    int columns = columns_of(text), lines = 0;
    for (const char *s = text; *s; s = strchr(s, '\n') + 1, lines++)
        assert_int_equal(columns_of(s), columns);
    assert_int_equal(lines, ranking_count(w.r) + 1);
    assert_non_null(strstr(text, ",\"a,\"\"b\",'=1+2,")); /* quoted, and no formula */
    free(text);
    world_free(&w);
}

/* No line is wider than the screen, none is cut in the middle of a character, and --ascii keeps its word. */
static void tables_fit_the_screen(void **state) {
    (void)state;
    static const char *const jobs[] = {"preset=full-8b", "preset=serve-8b"};
    for (size_t i = 0; i < 2; i++) {
        struct world w;
        WORLD(&w, listing, jobs[i]);
        for (int width = 20; width <= 160; width += 20)
            for (int ascii = 0; ascii < 2; ascii++) {
                const struct style style = {.width = width, .ascii = ascii};
                char *text = report(&w, KIND_TABLE, true, style);
                for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
                    assert_true(text_is_clean(line, strlen(line)));
                    if (text_width(line) > width)
                        fail_msg("%d > %d: %s", text_width(line), width, line);
                    for (const char *s = line; ascii && *s; s++)
                        assert_true((unsigned char)*s < 0x80);
                }
                free(text);
            }
        world_free(&w);
    }
}

static void tables_say_the_essentials(void **state) {
    (void)state;
    struct world w;
    WORLD(&w, listing, "preset=full-8b", "offload=none");
    char *text = report(&w, KIND_TABLE, true, (struct style){.width = 120});
    assert_non_null(strstr(text, "$/h"));
    assert_non_null(strstr(text, "Total $"));
    assert_non_null(strstr(text, "lambda\303\2272")); /* two equal offers, one row */
    assert_non_null(strstr(text, "offers refused: needs"));
    assert_non_null(strstr(text, "One such GPU does not hold it"));
    free(text);
    char *colored = report(&w, KIND_TABLE, true, (struct style){.width = 120, .color = true});
    assert_non_null(strstr(colored, "\033[1m"));
    free(colored);
    world_free(&w);
}

static void markdown_has_one_row_each(void **state) {
    (void)state;
    struct world w;
    WORLD(&w, listing, "preset=lora-8b");
    char *text = report(&w, KIND_MARKDOWN, false, plain);
    size_t rows = 0;
    for (const char *s = strchr(text, '|'); s; s = strstr(s + 1, "\n|"))
        rows++;
    assert_int_equal(rows, ranking_count(w.r) + 2);
    free(text);
    world_free(&w);
}

static void nothing_fits_is_said(void **state) {
    (void)state;
    struct world w;
    WORLD(&w, LISTING_HEAD "\nnone,x,p4,RTX-3070,1,0.10,machine,on_demand,,,,\n", "preset=full-8b", "offload=none");
    char *answer = answer_of(&w);
    assert_non_null(strstr(answer, "Nothing fits"));
    assert_non_null(strstr(answer, "GiB"));
    free(answer);
    world_free(&w);
}

static void explanations_are_complete(void **state) {
    (void)state;
    struct world w;
    static const char *const ids[] = {"lambda:8", "vast:8", "odd", "none"};
    WORLD(&w, listing, "preset=full-8b");
    for (size_t i = 0; i < 4; i++) {
        struct candidate c;
        struct trace *trace = mem_zero(1, sizeof *trace);
        struct buf text = {0}, json = {0};
        struct err err = {0};
        const struct report_context ctx = {&w.q, w.r, w.offers, ""};
        assert_true(ranking_explain(w.r, ids[i], 0, &c, trace));
        explain_text(&text, &ctx, &c, trace, &plain);
        assert_non_null(strstr(text.data, "Memory of the fullest GPU"));
        assert_true((strstr(text.data, "Refused:") != NULL) == (c.reason.code != REASON_NONE));
        assert_true((strstr(text.data, "Dollars") != NULL) == (c.reason.code == REASON_NONE));
        struct buf document = {0};
        explain_markdown(&document, &ctx, &c, trace);
        assert_memory_equal(document.data, "# Full fine-tuning", 18);
        assert_non_null(strstr(document.data, "\n\n## Memory of the fullest GPU\n\n- **"));
        assert_true((strstr(document.data, "## Dollars\n\n- **the run:** $") != NULL) ==
                    (c.reason.code == REASON_NONE));
        assert_null(strstr(document.data, "\n  \n"));
        buf_free(&document);
        explain_json(&json, &ctx, &c, trace);
        cJSON *root = json_parse(json.data, json.len, "explain", &err);
        assert_non_null(root);
        assert_int_equal(cJSON_GetArraySize(get(root, "candidates")), 1);
        cJSON_Delete(root);
        buf_free(&text);
        buf_free(&json);
        free(trace);
    }
    world_free(&w);
}

static void every_code_has_its_sentence(void **state) {
    (void)state;
    for (int i = 0; i < RISK_REASON_COUNT; i++)
        assert_true(strlen(sentence_risk_reason((enum risk_reason)i)) > 10);
    for (int i = 0; i < RISK_QUESTION_COUNT; i++)
        assert_true(strchr(sentence_question((enum risk_question)i), '?') || i == ASK_TOPOLOGY);
    for (int i = 0; i < REASON_COUNT; i++) {
        struct buf b = {0};
        const struct reason r = {(enum reason_code)i, 3, 2, "heads"};
        sentence_reason(&b, &r);
        assert_true(b.len > 5);
        buf_free(&b);
    }
    for (int i = 0; i < LINK_COUNT; i++)
        assert_true(strlen(short_link((enum link_kind)i)) <= 5);
    for (unsigned bit = 0; bit < OFFER_FLAG_COUNT; bit++)
        assert_true(strlen(sentence_flag((enum offer_flag)(1u << bit))) > 10);
}

static void columns_are_consistent(void **state) {
    (void)state;
    size_t count;
    const struct column *c = column_table(&count);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(column_find(c[i].key), &c[i]);
        assert_true(!c[i].number || !c[i].value);
        assert_true(c[i].number || c[i].value || c[i].text);
        assert_true(strlen(c[i].about) > 3);
        assert_true(!c[i].label || c[i].from_width > 0 || c[i].serving_width > 0);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(c[i].key, c[k].key);
    }
    assert_null(column_find("colour"));
    assert_string_equal(column_nearest("time_hh"), "time_h");
}

static void json_is_escaped(void **state) {
    (void)state;
    struct buf b = {0};
    struct json_out j = {.b = &b};
    json_out_object(&j, NULL);
    json_out_text(&j, "a\"b", "c\\d\ne");
    json_out_number(&j, "n", NUM_UNKNOWN);
    json_out_number(&j, "x", 1e-9);
    json_out_number(&j, "y", 123456789.25);
    json_out_number(&j, "z", INFINITY);
    json_out_array(&j, "empty");
    json_out_end(&j, ']');
    json_out_end(&j, '}');
    struct err err = {0};
    cJSON *root = json_parse(b.data, b.len, "x", &err);
    assert_non_null(root);
    assert_string_equal(get(root, "a\"b")->valuestring, "c\\d\ne");
    assert_true(cJSON_IsNull(get(root, "n")) && cJSON_IsNull(get(root, "z")));
    assert_near(get(root, "x")->valuedouble, 1e-9, 1e-15);
    assert_near(get(root, "y")->valuedouble, 123456789, 1);
    cJSON_Delete(root);
    buf_free(&b);
}

static void grids_in_every_form(void **state) {
    (void)state;
    static const char *const keys[] = {"name", "size"};
    struct grid *g = grid_new(keys, 2);
    grid_add(g, "a|b");
    grid_add_number(g, 1.5, 6);
    grid_add(g, "=x");
    grid_add(g, "");
    static const char *const wants[] = {
        "name  size\n", "[\n  {\"name\": \"a|b\", \"size\": 1.5},\n  {\"name\": \"=x\", \"size\": null}\n]\n",
        "name,size\na|b,1.5\n'=x,\n", "| name | size |\n| --- | ---: |\n| a\\|b | 1.5 |\n"};
    for (int f = GRID_TABLE; f <= GRID_MARKDOWN; f++) {
        struct buf b = {0};
        grid_put(&b, g, (enum grid_format)f, &plain);
        if (strncmp(b.data, wants[f], strlen(wants[f])) != 0)
            fail_msg("%s", b.data);
        buf_free(&b);
    }
    grid_free(g);
}

static size_t widest_line(const char *text) {
    size_t most = 0;
    for (const char *s = text; *s; s += strcspn(s, "\n") + 1) {
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(s, "\n"), s);
        most = (size_t)text_width(line) > most ? (size_t)text_width(line) : most;
    }
    return most;
}

static void grids_keep_to_the_screen(void **state) {
    (void)state;
    static const char *const keys[] = {"name", "size", "empty", "hidden", "why"};
    static const char *const headings[] = {"Name", "Size", "Empty", NULL, "Why"};
    struct grid *g = grid_new(keys, 5);
    grid_headings(g, headings);
    grid_add(g, "a_word_of_many_letters");
    grid_add_number(g, 1.5, 6);
    grid_add(g, "");
    grid_add(g, "secret");
    grid_add(g, "words that go on \346\227\245\346\234\254 and on past the end of the line");
    for (int width = 30; width < 100; width++) {
        struct buf b = {0};
        grid_put(&b, g, GRID_TABLE, &(struct style){.width = width});
        assert_true(widest_line(b.data) <= (size_t)width);
        assert_null(strstr(b.data, "Empty"));
        assert_null(strstr(b.data, "secret"));
        buf_free(&b);
    }
    struct buf b = {0};
    grid_put(&b, g, GRID_TABLE, &(struct style){.width = 40});
    assert_string_equal(b.data, "Name              Size  Why\n"
                                "a_word_of_many_l   1.5  words that go on\n"
                                "etters                  日本 and on past\n"
                                "                        the end of the\n"
                                "                        line\n");
    buf_clear(&b);
    grid_put(&b, g, GRID_CSV, &plain);
    assert_non_null(strstr(b.data, "name,size,empty,hidden,why\na_word_of_many_letters,1.5,,secret,words"));
    buf_free(&b);
    grid_free(g);
}

static void text_is_wrapped(void **state) {
    (void)state;
    struct buf b = {0};
    style_wrap(&b, &(struct style){.width = 10}, "aa bbb cccc ddddd eeeeeeeeeeeeee f", 2);
    assert_string_equal(b.data, "aa bbb\n  cccc\n  ddddd\n  eeeeeeeeeeeeee\n  f\n");
    buf_free(&b);
}

static void cards_have_short_names(void **state) {
    (void)state;
    static const struct {
        const char *name, *want;
    } cases[] = {{"H100-SXM5-80GB", "H100 SXM 80G"},
                 {"RTX-4090", "RTX 4090"},
                 {"GB200", "GB200"},
                 {"A100-PCIe-40GB", "A100 PCIe 40G"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[32];
        short_gpu(out, sizeof out, cases[i].name);
        assert_string_equal(out, cases[i].want);
    }
    char tiny[4];
    short_gpu(tiny, sizeof tiny, "H100-SXM5-80GB");
    assert_string_equal(tiny, "H10");
}

static void machines_have_short_names(void **state) {
    (void)state;
    static const struct {
        const char *name, *want;
    } cases[] = {{"8x B300 288GB (BM.GPU.B300.8)", "BM.GPU.B300.8"},
                 {"8x MI300X 192GB (mi300x.8x (Spot))", "mi300x.8x (Spot)"},
                 {"1x B200 180GB NVL", "1x B200 180GB NVL"},
                 {"gpu_8x_a100 (east)", "gpu_8x_a100 (east)"},
                 {"2x A40 ()", "2x A40 ()"},
                 {"2x )(", "2x )("},
                 {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t len;
        const char *got = short_machine(cases[i].name, &len);
        assert_int_equal(len, strlen(cases[i].want));
        assert_memory_equal(got, cases[i].want, len);
    }
}

static void assert_says(struct world *w, const char *part) {
    char *answer = answer_of(w);
    if (!strstr(answer, part))
        fail_msg("\"%s\" is not in: %s", part, answer);
    free(answer);
}

static void answers_name_what_is_close(void **state) {
    (void)state;
    struct world w;
    WORLD(&w, listing, "preset=lora-8b", "deadline_h=2", "max_gpus=1");
    assert_says(&w, "The deadline of 2 h is close");
    world_free(&w);
    WORLD(&w, listing, "preset=lora-8b", "deadline_h=0.1");
    assert_says(&w, "Nothing meets the deadline of 6 min");
    struct candidate c = look_at(&w, "vast:1");
    struct buf b = {0};
    sentence_candidate(&b, &w.q, &c);
    assert_non_null(strstr(b.data, "It misses the deadline of 6 min."));
    assert_null(strstr(b.data, "Nothing"));
    buf_free(&b);
    world_free(&w);
}

static void refusals_are_counted_by_cause(void **state) {
    (void)state;
    struct world w;
    WORLD(&w,
          LISTING_HEAD "\na,x,m,L4,1,1,machine,spot,us,,,\nb,x,n,L4,1,1,machine,on_demand,us,,,\n"
                       "c,x,o,L4,1,1,machine,on_demand,us,,,\n",
          "preset=lora-8b", "regions=mars");
    assert_says(&w, "2 offers refused: not in the regions");
    world_free(&w);
    WORLD(&w, LISTING_HEAD "\na,x,m,L4,1,1,machine,on_demand,us,,,\n", "preset=lora-8b", "tp=2");
    assert_says(&w, "the layout needs a multiple of 2 GPUs, the machine has 1");
    world_free(&w);
    WORLD(&w, LISTING_HEAD "\na,x,m,A100-SXM4-80GB,8,9,machine,on_demand,us,,,\n", "preset=full-8b", "micro_batch=3");
    assert_says(&w, "the batch of 64 sequences cannot be divided by 24, what all GPUs take at once");
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_keeps_its_contract),
        cmocka_unit_test(csv_is_square_and_safe),
        cmocka_unit_test(tables_fit_the_screen),
        cmocka_unit_test(tables_say_the_essentials),
        cmocka_unit_test(markdown_has_one_row_each),
        cmocka_unit_test(nothing_fits_is_said),
        cmocka_unit_test(explanations_are_complete),
        cmocka_unit_test(every_code_has_its_sentence),
        cmocka_unit_test(columns_are_consistent),
        cmocka_unit_test(json_is_escaped),
        cmocka_unit_test(grids_in_every_form),
        cmocka_unit_test(grids_keep_to_the_screen),
        cmocka_unit_test(text_is_wrapped),
        cmocka_unit_test(cards_have_short_names),
        cmocka_unit_test(machines_have_short_names),
        cmocka_unit_test(answers_name_what_is_close),
        cmocka_unit_test(refusals_are_counted_by_cause),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
