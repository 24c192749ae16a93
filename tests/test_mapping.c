/* SPDX-License-Identifier: MIT */
/* Mapping files: what they can say, what they may not, how rows become offers. Recorded payloads: test_mapping_files.c. */
#include "listing_support.h"

/* A mapping for the rows of these tests: `fields` is the inside of the object, `more` further members with a comma. */
static const char json_frame[] =
    "{\"name\":\"made-up\",\"label\":\"Made up\",\"about\":\"For tests.\",\"format\":\"json\",\"rows\":\"items.*\","
    "\"recognise\":{\"keys\":[\"items.*.card\"]},\"fields\":{%s}%s}";
static const char csv_frame[] =
    "{\"name\":\"made-up\",\"label\":\"Made up\",\"about\":\"For tests.\",\"format\":\"csv\","
    "\"recognise\":{\"columns\":[\"Card\",\"Price\"]},\"fields\":{%s}%s}";
#define BASIC                                                                                                   \
    "\"provider\":{\"const\":\"acme\"},\"gpu\":\"card\",\"gpus\":\"n\",\"rate_basis\":{\"const\":\"machine\"}," \
    "\"currency\":{\"const\":\"USD\"}"
#define PRICED BASIC ",\"rate_usd_h\":\"price\""

static struct offers *read_mapped(const char *frame, const char *fields, const char *more, const char *payload) {
    struct err err = {0};
    struct buf text = {0};
    struct mappings *m = mappings_new();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    buf_printf(&text, frame, fields, more);
#pragma GCC diagnostic pop
    if (!mappings_add(m, text.data, text.len, "made-up.json", MAPPING_TRIED, &err))
        fail_msg("%s: %s", err.field, err.text);
    struct listing_context ctx = context;
    ctx.mappings = m;
    struct offers *o = offers_new();
    if (!listing_read(&ctx, payload, strlen(payload), "payload", o, &err))
        fail_msg("%s", err.text);
    listing_check(&ctx, o);
    mappings_free(m);
    buf_free(&text);
    return o;
}

static struct offers *read_json(const char *fields, const char *payload) {
    return read_mapped(json_frame, fields, "", payload);
}

static double extra_of(const char *field, const char *value) {
    char fields[400], payload[200], csv_cell[64] = "";
    snprintf(fields, sizeof fields, PRICED ",%s", field);
    snprintf(payload, sizeof payload, "{\"items\":[{\"card\":\"L4\",\"n\":1,\"price\":1,\"x\":%s}]}", value);
    struct offers *o = read_json(fields, payload);
    struct buf csv = {0};
    listing_write_csv(catalog(), o, &csv);
    struct csv_table *t = csv_table_read(csv.data, csv.len, "written", NULL);
    snprintf(csv_cell, sizeof csv_cell, "%.*s", (int)(strcspn(field + 1, "\"")), field + 1);
    double x = csv_table_number(t, 0, csv_table_column(t, csv_cell));
    csv_table_free(t);
    buf_free(&csv);
    offers_free(o);
    return x;
}

static void units_are_converted(void **state) {
    static const struct {
        const char *field, *value;
        double want;
    } cases[] = {
        {"\"ram_gb\":{\"from\":\"x\",\"unit\":\"MiB\"}", "65536", 64},
        {"\"ram_gb\":{\"from\":\"x\",\"unit\":\"GiB\"}", "64", 64},
        {"\"ram_gb\":{\"from\":\"x\",\"unit\":\"B\"}", "68719476736", 64},
        {"\"ram_gb\":{\"from\":\"x\",\"unit\":\"GB\"}", "\"1.5 TiB\"", 1536}, /* the unit in the text wins */
        {"\"vram_gb\":{\"from\":\"x\",\"unit\":\"MiB\"}", "24576", 24},
        {"\"disk_local_gb\":{\"from\":\"x\",\"unit\":\"GiB\"}", "100", 107.3742},
        {"\"disk_local_gb\":{\"from\":\"x\",\"unit\":\"TB\"}", "\"2\"", 2000},
        {"\"network_gbps\":{\"from\":\"x\",\"unit\":\"Mbit/s\"}", "25000", 25},
        {"\"network_gbps\":{\"from\":\"x\",\"unit\":\"GB/s\"}", "50", 400},
        {"\"inet_down_mbps\":{\"from\":\"x\",\"unit\":\"Gbit/s\"}", "2.5", 2500},
        {"\"disk_usd_gb_month\":{\"from\":\"x\",\"unit\":\"usd/GB/h\"}", "0.0001", 0.073},
        {"\"disk_usd_gb_month\":{\"from\":\"x\",\"unit\":\"cents/TB/month\"}", "5000", 0.05},
        {"\"egress_usd_gb\":{\"from\":\"x\",\"unit\":\"usd/TB\"}", "20", 0.02},
        {"\"spot_usd_h\":{\"from\":\"x\",\"unit\":\"micro/h\"}", "250000", 0.25},
        {"\"spot_usd_h\":{\"from\":\"x\",\"unit\":\"cents/day\"}", "240", 0.1},
        {"\"spot_usd_h\":{\"from\":\"x\",\"unit\":\"usd/month\"}", "73", 0.1},
        {"\"spot_usd_h\":{\"from\":\"x\",\"unit\":\"usd/year\"}", "876", 0.1},
        {"\"min_hours\":{\"from\":\"x\",\"unit\":\"day\"}", "2", 48},
        {"\"billing_step_s\":{\"from\":\"x\",\"unit\":\"min\"}", "1", 60},
        {"\"power_limit_w\":{\"from\":\"x\",\"unit\":\"kW\"}", "0.45", 450},
        {"\"reliability\":{\"from\":\"x\",\"unit\":\"percent\"}", "99.5", 0.995},
        {"\"ram_gb\":{\"from\":\"x\",\"times\":\"n\"}", "32", 32},
        {"\"ram_gb\":{\"from\":\"x\",\"times\":1.5}", "32", 48},
        {"\"ram_gb\":{\"from\":\"x\",\"divide_by\":4}", "32", 8},
        {"\"ram_gb\":{\"from\":\"x\",\"decimal\":\",\"}", "\"1.024,5\"", 1024.5},
        {"\"ram_gb\":{\"from\":\"x\",\"strip\":\"~,\"}", "\"~1,024\"", 1024},
        {"\"ram_gb\":{\"from\":\"x\",\"match\":\"([0-9]+) GB RAM\"}", "\"8 vCPU, 96 GB RAM\"", 96},
        {"\"ram_gb\":{\"from\":\"x\",\"default\":16}", "null", 16},
        {"\"ram_gb\":{\"from\":\"x\",\"empty\":[\"n/a\"],\"default\":16}", "\"N/A\"", 16},
        {"\"ram_gb\":{\"from\":\"x\",\"words\":{\"large\":\"512\"}}", "\"Large\"", 512},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x = extra_of(cases[i].field, cases[i].value);
        if (!(fabs(x / cases[i].want - 1) < 1e-5))
            fail_msg("%s of %s: %g, not %g", cases[i].field, cases[i].value, x, cases[i].want);
    }
}

/* What does not parse is said, and the rest of the row stays. */
static void a_bad_value_is_named(void **state) {
    (void)state;
    struct offers *o =
        read_json(PRICED ",\"ram_gb\":{\"from\":\"x\",\"unit\":\"GB\"}",
                  "{\"items\":[{\"card\":\"L4\",\"n\":1,\"price\":1,\"x\":\"64 furlongs\"},"
                  "{\"card\":\"L4\",\"n\":1,\"price\":2,\"x\":1e30},"
                  "{\"card\":\"L4\",\"n\":2.5,\"price\":3},{\"card\":\"L4\",\"n\":0,\"price\":3},"
                  "{\"card\":\"L4\",\"n\":2,\"price\":-3},{\"card\":\"L4\",\"n\":2},"
                  "{\"n\":2,\"price\":5},{\"card\":\"L4\",\"price\":5},{\"card\":{},\"n\":1,\"price\":5},7]}");
    assert_int_equal(o->count, 2);
    assert_int_equal(o->rows_read, 10);
    assert_int_equal(o->rows_skipped, 8);
    assert_true(has_problem(o, "ram_gb", "64 furlongs"));
    assert_true(has_problem(o, "gpus", "whole number"));
    assert_true(has_problem(o, "rate_usd_h", "number from 0"));
    assert_true(has_problem(o, "rate_usd_h", "no price"));
    assert_true(has_problem(o, "gpu", "no GPU named"));
    assert_true(has_problem(o, "gpus", "not stated"));
    offers_free(o);
}

static void rows_stand_under_stars(void **state) {
    static const char fields[] =
        "\"provider\":\"$.owner\",\"gpu\":\"^.card\",\"gpus\":\"^.n\",\"rate_basis\":{\"const\":\"machine\"},"
        "\"currency\":{\"const\":\"USD\"},\"rate_usd_h\":\"^.price\",\"machine\":\"^.@key\",\"region\":\"place\","
        "\"available\":{\"from\":\"place\",\"words\":{\"\":\"no\",\"*\":\"yes\"}},"
        "\"disk_local_gb\":\"^.disks[kind=fast].size\",\"ram_gb\":\"^.sizes[1]\",\"driver\":\"^.a\\\\.b\"";
    struct err err = {0};
    (void)state;
    struct buf text = {0};
    buf_printf(&text,
               "{\"name\":\"nested\",\"label\":\"x\",\"about\":\"x\",\"format\":\"json\",\"rows\":\"data.*.places.*?\","
               "\"recognise\":{\"keys\":[\"data.*.card\"]},\"fields\":{%s}}",
               fields);
    struct mappings *m = mappings_new();
    if (!mappings_add(m, text.data, text.len, "nested.json", MAPPING_USER, &err))
        fail_msg("%s: %s", err.field, err.text);
    static const char payload[] =
        "{\"owner\":\"Acme\",\"data\":{\"big\":{\"card\":\"L4\",\"n\":2,\"price\":3,\"a.b\":\"535\",\"sizes\":[1,64],"
        "\"disks\":[{\"kind\":\"slow\",\"size\":9},{\"kind\":\"fast\",\"size\":100}],"
        "\"places\":[{\"place\":\"north\"},{\"place\":\"south\"}]},"
        "\"small\":{\"card\":\"L4\",\"n\":1,\"price\":1,\"places\":[]},\"none\":{\"card\":\"L4\",\"n\":1,\"price\":1}}"
        "}";
    struct listing_context ctx = context;
    struct offers *o = offers_new();
    ctx.mappings = m;
    assert_true(listing_read(&ctx, payload, strlen(payload), "payload", o, &err));
    listing_check(&ctx, o);
    assert_int_equal(o->count, 4);
    const struct offer *f = find(o, "nested:acme:big:south");
    assert_int_equal(f->gpus, 2);
    assert_int_equal(f->available, TRI_YES);
    assert_float_equal(f->disk_local_gb, 100, 0);
    assert_float_equal(f->ram_gb, 64, 0);
    assert_string_equal(offers_text(o, offer_extra(o, f)->driver), "535");
    assert_int_equal(find(o, "nested:acme:small")->available, TRI_NO);
    assert_int_equal(find(o, "nested:acme:none")->available, TRI_NO);
    offers_free(o);
    mappings_free(m);
    buf_free(&text);
}

static void variants_and_terms(void **state) {
    (void)state;
    struct offers *o = read_mapped(
        json_frame, BASIC,
        ",\"skip\":[{\"if\":\"hidden\",\"is\":true,\"why\":\"not shown\"}],"
        "\"variants\":[{\"when\":[{\"if\":\"price\",\"above\":0}],\"fields\":{\"rate_usd_h\":\"price\"}},"
        "{\"when\":[{\"if\":\"year\",\"matches\":\"[0-9]\"}],\"fields\":{\"rate_kind\":{\"const\":\"reserved\"},"
        "\"rate_usd_h\":{\"from\":\"year\",\"unit\":\"usd/"
        "term\"},\"term_h\":{\"from\":\"months\",\"unit\":\"month\"}}}]",
        "{\"items\":[{\"card\":\"L4\",\"n\":1,\"price\":1,\"year\":8760,\"months\":12},"
        "{\"card\":\"L40S\",\"n\":1,\"price\":1,\"year\":8760},{\"card\":\"A10\",\"n\":1},"
        "{\"card\":\"B200\",\"n\":1,\"year\":3000000,\"months\":36},"
        "{\"card\":\"T4\",\"n\":1,\"price\":1,\"hidden\":true}]}");
    assert_int_equal(o->count, 4); /* a sum of millions is no price of an hour */
    const struct offer *f = find(o, "made-up:acme:1x-L4::reserved_8760h");
    assert_float_equal(offer_rate_usd_h(f), 1, 1e-6);
    assert_true(has_problem(o, "rate_usd_h", "length is not stated"));
    assert_true(has_problem(o, "", "nothing that can be rented"));
    assert_true(has_problem(o, "hidden", "not shown"));
    offers_free(o);
}

static void joins_look_in_another_list(void **state) {
    (void)state;
    struct offers *o = read_mapped(
        json_frame, BASIC ",\"rate_usd_h\":{\"join\":\"prices\",\"on\":\"id\",\"from\":\"v\",\"unit\":\"cents/h\"}",
        ",\"joins\":{\"prices\":{\"rows\":\"book.*\",\"key\":\"k\"}}",
        "{\"items\":[{\"card\":\"L4\",\"n\":1,\"id\":\"b\"},{\"card\":\"L40S\",\"n\":1,\"id\":\"c\"},"
        "{\"card\":\"A10\",\"n\":1,\"id\":7}],\"book\":[{\"k\":7,\"v\":\"30\"},{\"k\":\"b\",\"v\":50}]}");
    assert_int_equal(o->count, 2);
    assert_float_equal(offer_rate_usd_h(find(o, "made-up:acme:1x-L4")), 0.5, 1e-6);
    assert_float_equal(offer_rate_usd_h(find(o, "made-up:acme:1x-A10")), 0.3, 1e-6);
    offers_free(o);
}

static void memory_of_all_cards(void **state) {
    (void)state;
    struct offers *o =
        read_json("\"provider\":{\"const\":\"acme\"},\"gpu\":\"card\",\"gpus\":\"n\",\"vram_total_gb\":\"gb\","
                  "\"rate_basis\":{\"const\":\"machine\"},\"currency\":{\"const\":\"USD\"},\"rate_usd_h\":\"price\"",
                  "{\"items\":[{\"card\":\"L4\",\"gb\":96,\"price\":1},{\"card\":\"L4\",\"gb\":6,\"price\":1},"
                  "{\"card\":\"L40S\",\"gb\":96,\"n\":2,\"price\":1},{\"card\":\"L4\",\"gb\":37,\"price\":1},"
                  "{\"card\":\"A100\",\"gb\":160,\"price\":1}]}");
    assert_int_equal(o->count, 3);
    assert_int_equal(o->items[0].gpus, 4);
    assert_float_equal(o->items[0].vram_gb, 24, 1e-6);
    assert_float_equal(o->items[1].gpu_fraction, 0.25, 1e-6);
    assert_float_equal(o->items[2].vram_gb, 48, 1e-6);
    offers_free(o);
}

static void prices_are_never_guessed(void **state) {
    (void)state;
    /* the basis, the currency: from a column that is empty in a row */
    struct offers *o =
        read_mapped(csv_frame,
                    "\"provider\":\"Who\",\"gpu\":\"Card\",\"gpus\":\"N\",\"rate_usd_h\":\"Price\","
                    "\"gpu_rate_usd_h\":\"Each\",\"currency\":\"Cur\","
                    "\"rate_basis\":{\"from\":\"Per\",\"words\":{\"card\":\"gpu\",\"node\":\"machine\"}}",
                    "",
                    "Who,Card,N,Price,Per,Cur,Each\nacme,L4,2,1,card,USD,1\nacme,L4,4,1,,USD,\n"
                    "acme,L4,8,4,node,,0.8\nacme,A10,1,1,node,EUR,1\n");
    assert_int_equal(o->count, 3);
    assert_float_equal(offer_rate_usd_h(&o->items[0]), 2, 1e-6);
    assert_true(has_problem(o, "rate_basis", "not stated"));
    assert_true(o->items[1].flags & OFFER_CURRENCY_UNKNOWN);
    assert_true(o->items[1].flags & OFFER_PRICE_CONFLICT); /* 4 / 8 is not 0.8 */
    assert_true(o->items[2].flags & OFFER_CURRENCY_UNKNOWN);
    offers_free(o);
}

/* ---- what a mapping file may not say ---- */

static void refused(const char *text, const char *field, const char *part) {
    struct err err = {0};
    struct mappings *m = mappings_new();
    assert_false(mappings_add(m, text, strlen(text), "bad.json", MAPPING_USER, &err));
    assert_string_equal(err.file, "bad.json");
    if (strcmp(err.field, field) != 0 || !strstr(err.text, part))
        fail_msg("%s\n is refused with \"%s: %s\", not \"%s: …%s…\"", text, err.field, err.text, field, part);
    assert_true(text_is_clean(err.text, strlen(err.text)));
    assert_int_equal(mappings_count(m), 0);
    mappings_free(m);
}

static void refused_fields(const char *fields, const char *more, const char *field, const char *part) {
    struct buf text = {0};
    buf_printf(&text,
               "{\"name\":\"m\",\"label\":\"m\",\"about\":\"m\",\"format\":\"json\",\"rows\":\"*\","
               "\"recognise\":{\"keys\":[\"*.card\"]},\"fields\":{%s}%s}",
               fields, more);
    refused(text.data, field, part);
    buf_free(&text);
}

static void wrong_files_are_named(void **state) {
    (void)state;
    refused("", "", "empty JSON");
    refused("[]", "", "one JSON object");
    refused("{\"nmae\":1}", "", "did you mean \"name\"");
    refused("{\"label\":\"x\"}", "name", "must be there");
    refused("{\"name\":\"Bad Name\",\"label\":\"x\",\"about\":\"x\"}", "name", "small letters");
    refused("{\"name\":\"m\",\"label\":\"x\",\"about\":\"x\",\"format\":\"xml\"}", "format", "json, jsonl");
    refused("{\"name\":\"m\",\"label\":\"x\",\"about\":\"x\",\"format\":\"csv\",\"recognise\":{}}", "recognise",
            "columns");
    refused("{\"name\":\"m\",\"label\":\"x\",\"about\":\"x\",\"format\":\"json\",\"recognise\":{\"keys\":[\"a\"]}}",
            "rows", "path to the rows");
    refused_fields(PRICED ",\"vramgb\":\"x\"", "", "fields.vramgb", "did you mean \"vram_gb\"");
    refused_fields(PRICED ",\"ram_gb\":{\"from\":\"x\",\"unit\":\"stone\"}", "", "fields.ram_gb", "GiB");
    refused_fields(PRICED ",\"ram_gb\":{\"form\":\"x\"}", "", "fields.ram_gb", "did you mean \"from\"");
    refused_fields(PRICED ",\"ram_gb\":7", "", "fields.ram_gb", "path");
    refused_fields(PRICED ",\"ram_gb\":{\"from\":\"x\",\"const\":1}", "", "fields.ram_gb", "one of");
    refused_fields(PRICED ",\"ram_gb\":{\"from\":\"a..b\"}", "", "fields.ram_gb", "empty name");
    refused_fields(PRICED ",\"ram_gb\":{\"from\":\"a.*\"}", "", "fields.ram_gb", "only");
    refused_fields(PRICED ",\"ram_gb\":{\"from\":\"a[x\"}", "", "fields.ram_gb", "]");
    refused_fields(PRICED ",\"ram_gb\":{\"from\":\"x\",\"times\":0}", "", "fields.ram_gb", "above 0");
    refused_fields(PRICED ",\"region\":{\"from\":\"x\",\"times\":2}", "", "fields.region", "numbers");
    refused_fields(PRICED ",\"ram_gb\":{\"from\":\"x\",\"join\":\"j\",\"on\":\"y\"}", "", "fields.ram_gb", "not in");
    refused_fields(PRICED ",\"rate_kind\":{\"const\":\"free\"}", "", "fields.rate_kind", "on_demand");
    refused_fields(PRICED ",\"gpus_max\":{\"const\":1e9}", "", "fields.gpus_max", "number from");
    refused_fields("\"gpu\":\"card\"", "", "fields", "\"provider\" is missing");
    refused_fields("\"gpu\":\"card\",\"provider\":\"p\",\"rate_usd_h\":\"x\"", "", "fields",
                   "whole machine or of one GPU");
    refused_fields("\"gpu\":\"c\",\"provider\":\"p\",\"rate_usd_h\":\"x\",\"rate_basis\":{\"const\":\"gpu\"}", "",
                   "fields", "\"currency\" is missing");
    refused_fields("\"gpu\":\"c\",\"provider\":\"p\",\"rate_usd_h\":\"x\",\"rate_basis\":{\"const\":\"machine\"},"
                   "\"currency\":{\"const\":\"USD\"}",
                   "", "fields", "\"gpus\" is missing");
    refused_fields(PRICED, ",\"skip\":[{\"if\":\"x\",\"is\":\"y\"}]", "skip", "why");
    refused_fields(PRICED, ",\"skip\":[{\"if\":\"x\",\"is\":\"y\",\"above\":1,\"why\":\"z\"}]", "skip", "not two");
    refused_fields(PRICED, ",\"variants\":[]", "variants", "1 to 64");
    refused_fields(PRICED, ",\"joins\":{\"j\":{\"rows\":\"a.*\"}}", "joins", "key");
}

/* Expressions that take exponential time or memory are refused before they run. */
static void patterns_cannot_run_away(void **state) {
    static const struct {
        const char *pattern, *part;
    } cases[] = {
        {"(a+)+$", "repeat"},
        {"(a*b*)*c", "repeat"},
        {"((a|b)*c){3}", "repeat"},
        {"(ab){40}", "counted"},
        {"a{1000}", "at most 64"},
        {"a{2,}", "counted"},
        {"(a)\\\\1", "back-references"},
        {"[", "regular"},
        {"(a", "regular"},
        {"a**", "two repeats"},
        {"", "1 to 256"},
        {"((((((((((((((((((a))))))))))))))))))", "groups"},
    };
    char field[600];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(field, sizeof field, PRICED ",\"ram_gb\":{\"from\":\"x\",\"match\":\"%s\"}", cases[i].pattern);
        refused_fields(field, "", "fields.ram_gb", cases[i].part);
    }
    assert_float_equal(
        extra_of("\"ram_gb\":{\"from\":\"x\",\"match\":\"^[^0-9]*([0-9]{1,4})(GB|GiB)?\"}", "\"RAM 96GB\""), 96, 0);
}

static void sizes_have_limits(void **state) {
    struct buf text = {0};
    (void)state;
    for (int i = 0; i < 100; i++)
        buf_puts(&text, "[");
    refused(text.data, "", "too deeply");
    buf_clear(&text);
    buf_pad(&text, ' ', MAPPING_MAX_BYTES + 1);
    refused(text.data, "", "at most");
    buf_free(&text);
}

/* ---- the set ---- */

static bool add(struct mappings *m, const char *name, const char *key, enum mapping_origin origin) {
    struct buf text = {0};
    buf_printf(&text,
               "{\"name\":\"%s\",\"label\":\"m\",\"about\":\"m\",\"format\":\"json\",\"rows\":\"items.*\","
               "\"recognise\":{\"keys\":[\"items.*.%s\"]},\"fields\":{" PRICED "}}",
               name, key);
    bool good = mappings_add(m, text.data, text.len, "x.json", origin, NULL);
    buf_free(&text);
    return good;
}

static void later_ones_win(void **state) {
    static const char payload[] = "{\"items\":[{\"card\":\"L4\",\"n\":1,\"price\":1}]}";
    struct mappings *m = mappings_new();
    struct listing_context ctx = context;
    struct err err = {0};
    (void)state;
    ctx.mappings = m;
    ctx.explain = listing_explain_new();
    assert_true(add(m, "one", "card", MAPPING_BUNDLED) && add(m, "two", "card", MAPPING_USER));
    struct offers *o = offers_new();
    assert_true(listing_read(&ctx, payload, strlen(payload), "a", o, &err));
    const struct explain_file *f = listing_explain_at(ctx.explain, 0);
    assert_string_equal(f->source, "two");
    assert_string_equal(f->runner_up, "one");
    assert_true(f->by_mapping && f->rows == 1 && f->skipped == 0);
    assert_true(add(m, "one", "price", MAPPING_TRIED)); /* replaces the bundled one */
    assert_int_equal(mappings_count(m), 2);
    assert_true(listing_read(&ctx, payload, strlen(payload), "b", o, &err));
    assert_string_equal(listing_explain_at(ctx.explain, 1)->source, "one");
    assert_true(add(m, "three", "absent", MAPPING_TRIED));
    assert_true(listing_read(&ctx, payload, strlen(payload), "c", o, &err));
    assert_true(has_problem(o, "", "mapping three does not fit: \"items.*.absent\""));
    offers_free(o);
    listing_explain_free(ctx.explain);
    mappings_free(m);
}

/* What is not mapped is not kept: here an address of a person. */
static void other_values_are_not_kept(void **state) {
    (void)state;
    struct offers *o =
        read_json(PRICED, "{\"items\":[{\"card\":\"L4\",\"n\":1,\"price\":1,\"public_ipaddr\":\"192.0.2.7\"}]}");
    struct buf csv = {0};
    listing_write_csv(catalog(), o, &csv);
    assert_null(strstr(csv.data, "192.0.2.7"));
    buf_free(&csv);
    offers_free(o);
}

static void payloads_may_be_broken(void **state) {
    static const char *const payloads[] = {
        "{\"items\":[{\"card\":\"L4\"",
        "{\"items\":{\"card\":[1,2]}}",
        "{\"items\":[{\"card\":null}]}",
    };
    struct mappings *m = mappings_new();
    struct listing_context ctx = context;
    (void)state;
    ctx.mappings = m;
    assert_true(add(m, "one", "card", MAPPING_USER));
    for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
        struct offers *o = offers_new();
        struct err err = {0};
        bool good = listing_read(&ctx, payloads[i], strlen(payloads[i]), "x", o, &err);
        assert_int_equal(good, err.code == ERR_NONE);
        assert_int_equal(o->count, 0);
        offers_free(o);
    }
    mappings_free(m);
}

static void lines_and_titles(void **state) {
    (void)state;
    struct mappings *m = mappings_new();
    struct listing_context ctx = context;
    struct err err = {0};
    static const char lines[] = "{\"name\":\"lines\",\"label\":\"m\",\"about\":\"m\",\"format\":\"jsonl\","
                                "\"recognise\":{\"keys\":[\"card\",\"price\"]},\"fields\":{" PRICED "}}";
    static const char titled[] =
        "{\"name\":\"titled\",\"label\":\"m\",\"about\":\"m\",\"format\":\"csv\","
        "\"recognise\":{\"columns\":[\"card\",\"price\"],\"skip_lines\":2},\"fields\":{" PRICED "}}";
    assert_true(mappings_add(m, lines, strlen(lines), "l", MAPPING_USER, &err));
    assert_true(mappings_add(m, titled, strlen(titled), "t", MAPPING_USER, &err));
    ctx.mappings = m;
    struct offers *o = offers_new();
    static const char a[] =
        "{\"card\":\"L4\",\"price\":1,\"n\":1}\nnot json\n\n{\"card\":\"A10\",\"price\":2,\"n\":1}\n";
    static const char b[] = "Prices of March\n\ncard;price;n\nL40S;3;1\nL40S;;1\n";
    assert_true(listing_read(&ctx, a, strlen(a), "a", o, &err));
    assert_int_equal(o->count, 2);
    assert_true(has_problem(o, "", "not JSON"));
    assert_true(listing_read(&ctx, b, strlen(b), "b", o, &err));
    assert_int_equal(o->count, 3);
    assert_int_equal(o->items[2].line, 4);
    offers_free(o);
    mappings_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_converted),
        cmocka_unit_test(a_bad_value_is_named),
        cmocka_unit_test(rows_stand_under_stars),
        cmocka_unit_test(variants_and_terms),
        cmocka_unit_test(joins_look_in_another_list),
        cmocka_unit_test(memory_of_all_cards),
        cmocka_unit_test(prices_are_never_guessed),
        cmocka_unit_test(wrong_files_are_named),
        cmocka_unit_test(patterns_cannot_run_away),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(later_ones_win),
        cmocka_unit_test(other_values_are_not_kept),
        cmocka_unit_test(payloads_may_be_broken),
        cmocka_unit_test(lines_and_titles),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
