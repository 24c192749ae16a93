/* SPDX-License-Identifier: MIT */
/* Offers, our own format, the checks. Readers of other formats: test_listing_sources.c. */
#include "support.h"

#include "listing_support.h"

static void offer_is_small(void **state) {
    (void)state;
    assert_true(sizeof(struct offer) <= 128);
}

static void reads_every_rate_basis(void **state) {
    (void)state;
    struct offers *o = load("id,gpu,gpus,rate_usd_h,rate_basis,vcpu_usd_h,ram_gb_usd_h,cpu_cores,ram_gb,provider\n"
                            "a,H100-SXM5-80GB,8,20,,,,,,x\n"
                            "b,H100-SXM5-80GB,8,2.5,gpu,,,,,x\n"
                            "c,RTX-4090,2,1.0,component,0.01,0.005,16,64,y\n"
                            "d,RTX-4090,2,1.0,component,0.01,0.005,,64,y\n");
    assert_int_equal(o->count, 4);
    assert_float_equal(offer_rate_usd_h(find(o, "a")), 20, 1e-9);
    assert_float_equal(offer_rate_usd_h(find(o, "b")), 20, 1e-9);
    assert_float_equal(offer_rate_usd_h(find(o, "c")), 1 + 0.16 + 0.32, 1e-6);
    assert_true(find(o, "d")->flags & OFFER_COMPONENT_PART);
    offers_free(o);
}

static void an_unstated_basis_is_flagged(void **state) {
    (void)state;
    struct offers *o = load("id,gpu,gpus,rate_usd_h,rate_basis,provider\n"
                            "silent,H100-SXM5-80GB,8,20,,x\n"
                            "stated,H100-SXM5-80GB,8,20.1,machine,x\n"
                            "single,H100-SXM5-80GB,1,2.5,,x\n");
    assert_float_equal(offer_rate_usd_h(find(o, "silent")), 20, 1e-9);
    assert_true(find(o, "silent")->flags & OFFER_BASIS_ASSUMED);
    assert_false(find(o, "stated")->flags & OFFER_BASIS_ASSUMED);
    assert_false(find(o, "single")->flags & OFFER_BASIS_ASSUMED); /* one GPU is the machine */
    offers_free(o);
    o = load("{\"id\":\"j\",\"gpu\":\"L4\",\"gpus\":4,\"rate_usd_h\":3,\"provider\":\"x\"}\n");
    assert_true(find(o, "j")->flags & OFFER_BASIS_ASSUMED);
    assert_int_equal(find(o, "j")->rate_basis, RATE_MACHINE);
    offers_free(o);
}

static void empty_is_unknown(void **state) {
    (void)state;
    struct offers *o = load("id,gpu,rate_usd_h,vram_gb,ram_gb,available,link\nq,L4,0.7,,,,\n");
    const struct offer *f = find(o, "q");
    assert_true(isnan(f->vram_gb) && isnan(f->ram_gb));
    assert_int_equal(f->available, TRI_UNKNOWN);
    assert_int_equal(f->gpus, 1);
    assert_int_equal(f->link, LINK_NONE); /* one GPU */
    assert_int_equal(f->observed_at, 0);
    offers_free(o);
}

static void bad_values_are_named(void **state) {
    (void)state;
    struct offers *o = load("id,gpu,gpus,rate_usd_h,vram_gb,link\n"
                            "a,L4,0,0.7,,\n"
                            "b,L4,1,-1,,\n"
                            "c,L4,1,nan,,\n"
                            "d,L4,1,inf,,\n"
                            "e,L4,1,1e308,,\n"
                            "f,L4,2.5,0.7,,\n"
                            "g,L4,1,0.7,many,wire\n"
                            "h,,1,0.7,,\n"
                            "i,L9000 Ultra,1,0.7,,\n"
                            "j,tpu-v5p-8,1,0.7,,\n");
    assert_int_equal(o->rows_read, 10);
    assert_int_equal(o->rows_skipped, 8);
    assert_int_equal(o->count, 2);
    assert_int_equal(find(o, "g")->link, LINK_NONE);
    assert_int_equal(find(o, "i")->gpu, -1);
    assert_true(find(o, "i")->flags & OFFER_GPU_UNKNOWN);
    assert_true(has_problem(o, "rate_usd_h", "must be a number from 0 to 1000000"));
    assert_true(has_problem(o, "vram_gb", "many"));
    assert_true(has_problem(o, "link", "\"wire\": must be one of nvswitch, nvlink_mesh"));
    assert_true(has_problem(o, "gpu", "L9000 Ultra"));
    assert_true(has_problem(o, "", "TPU: not a GPU"));
    assert_true(has_problem(o, "gpus", "\"2.5\": must be a whole number from 1 to 4096"));
    offers_free(o);
}

static bool is_skipped(const struct offers *o, const char *field) {
    for (size_t i = 0; i < o->problem_count; i++)
        if (strcmp(offers_text(o, o->problems[i].field), field) == 0)
            return o->problems[i].skipped;
    fail_msg("no problem with %s", field);
    return false;
}

static void says_which_finding_costs_the_row(void **state) {
    (void)state;
    struct offers *o = load("id,gpu,gpus,rate_usd_h,rate_kind,ram_gb\na,L4,x,-1,on_demand,y\nb,L4,1,1,often,1\n");
    assert_int_equal(o->rows_skipped, 2);
    assert_true(is_skipped(o, "gpus") && is_skipped(o, "rate_kind"));
    assert_false(is_skipped(o, "rate_usd_h")); /* its row is out already */
    assert_false(is_skipped(o, "ram_gb"));
    offers_free(o);
    o = load("{\"gpu\":\"L4\",\"gpus\":[1],\"rate_usd_h\":1}\n");
    assert_int_equal(o->rows_skipped, 1);
    assert_true(is_skipped(o, "gpus"));
    offers_free(o);
}

static void long_values_are_cut(void **state) {
    (void)state;
    char text[1024] = "id,gpu,rate_usd_h\na,L4,";
    memset(text + strlen(text), '9', 600);
    struct offers *o = load(text);
    assert_int_equal(o->problem_count, 1);
    assert_true(strlen(offers_text(o, o->problems[0].text)) < 100);
    assert_true(has_problem(o, "rate_usd_h", "999...\": must be a number from 0"));
    offers_free(o);
}

static void columns_named_twice_are_named(void **state) {
    (void)state;
    struct offers *o = load("id,gpu,rate_usd_h,rate_usd_h\na,L4,1,2\n");
    assert_true(has_problem(o, "rate_usd_h", "named twice"));
    assert_float_equal(offer_rate_usd_h(find(o, "a")), 1, 1e-9);
    offers_free(o);
}

static void bars_separate_too(void **state) {
    (void)state;
    struct offers *o = load("id|gpu|gpus|rate_usd_h\na|L4|2|1.5\n");
    assert_int_equal(find(o, "a")->gpus, 2);
    offers_free(o);
}

static void refuses(const char *bytes, size_t len, const char *why) {
    struct offers *o = offers_new();
    struct err err = {0};
    assert_false(listing_read(&context, bytes, len, "x.csv", o, &err));
    assert_string_equal(err.file, "x.csv");
    assert_non_null(strstr(err.text, why));
    offers_free(o);
}

static void no_listing_is_no_listing(void **state) {
    (void)state;
    static const char wide[] = "\xff\xfeg\0p\0u\0";
    refuses("", 0, "empty");
    refuses(wide, sizeof wide, "UTF-16");
    refuses("\0\0", 2, "binary");
    refuses("[[[[", 4, "no listing format that is known");
    struct offers *o = load("id,gpu,rate_usd_h\n");
    assert_true(has_problem(o, "", "no row below the header"));
    offers_free(o);
}

static const char every_field[] =
    "id,source,provider,host_class,machine,machine_id,gpu,gpu_raw,gpus,gpus_step,gpus_max,gpu_fraction,vram_gb,form_"
    "factor,power_limit_w,"
    "rate_usd_h,rate_basis,rate_kind,spot_usd_h,currency,vcpu_usd_h,ram_gb_usd_h,price_includes,link,link_gbs,link_"
    "source,pcie_gen,"
    "pcie_lanes,network,network_gbps,network_source,nodes_max,cpu_cores,cpu_arch,ram_gb,disk_local_gb,disk_kind,disk_"
    "mbs,"
    "disk_persist_gb,disk_usd_gb_month,stopped_usd_h,ingress_usd_gb,egress_usd_gb,inet_down_mbps,inet_up_mbps,min_"
    "hours,term_h,"
    "upfront_usd,billing_step_s,max_duration_h,environment,region,available,available_count,access,reliability,driver,"
    "cuda_max,"
    "compute_capability,observed_at,expires_at,flags,notes,my column,other\n"
    "full,vast,vast,market_dc,8x box,m17,RTX-4090,RTX "
    "4090,8,1,8,,24,pcie,300,0.123457,gpu,on_demand,0.09875,USD,,,\"disk, ip\","
    "pcie_host,11.5,measured,4,16,ethernet,10,declared,2,96,x86,377.5,1800.25,nvme,3500,4000,0.15,0.02,0.01,0.03,812.5,"
    "407.125,1,"
    "720,12.5,60,48,container,\"Texas, "
    "US\",yes,3,now,0.9987,550.54,12.8,8.9,2026-03-22T10:11:12Z,2027-01-01T00:00:00Z,unit_guess,"
    "\"says \"\"hi\"\"\",kept as is,7\n"
    "half,file,p,,m,,A10,A10,1,,,0.5,12,,,0.55,component,spot,,,0.01,0.002,,,,,,,,,,,8,,32,,,,,,,,,,,,,,,,,,no,,,,,,,,,"
    ",,,\n";

/* Writing and reading again changes nothing, in both forms. */
static void round_trip_keeps_everything(void **state) {
    struct buf csv = {0}, again = {0}, jsonl = {0}, jsonl_again = {0};
    (void)state;
    struct offers *o = load(every_field);
    assert_int_equal(o->problem_count, 0);
    listing_write_csv(catalog(), o, &csv);
    listing_write_jsonl(catalog(), o, &jsonl);
    struct offers *from_csv = load(csv.data), *from_jsonl = load(jsonl.data);
    assert_int_equal(from_csv->problem_count, 0);
    assert_int_equal(from_jsonl->problem_count, 0);
    listing_write_csv(catalog(), from_csv, &again);
    assert_string_equal(csv.data, again.data);
    buf_clear(&again);
    listing_write_csv(catalog(), from_jsonl, &again);
    assert_string_equal(csv.data, again.data);
    listing_write_jsonl(catalog(), from_jsonl, &jsonl_again);
    assert_string_equal(jsonl.data, jsonl_again.data);
    assert_non_null(strstr(csv.data, ",my column,other\n"));
    assert_non_null(strstr(csv.data, ",kept as is,7\n"));
    assert_non_null(strstr(csv.data, ",0.123457,gpu,on_demand,0.09875,"));
    const struct offer *f = find(from_jsonl, "full");
    assert_int_equal(f->rate_microusd, 987656);
    assert_float_equal(offer_extra(from_jsonl, f)->inet_up_mbps, 407.125, 0);
    assert_int_equal(f->observed_at, 1774174272);
    offers_free(o);
    offers_free(from_csv);
    offers_free(from_jsonl);
    buf_free(&csv);
    buf_free(&again);
    buf_free(&jsonl);
    buf_free(&jsonl_again);
}

/* Records are packed one after another; editing one again must not touch the others. */
static void rare_fields_keep_apart(void **state) {
    (void)state;
    struct offers *o = offers_new();
    struct offer *f = offers_add(o);
    offer_extra_edit(o, f)->reliability = 0.5;
    f->line = 1;
    struct offer a = *f, b = *offers_add(o), none = b;
    offer_extra_edit(o, &b)->upfront_usd = 12;
    offer_extra_edit(o, &b)->currency = 7;
    assert_float_equal(offer_extra(o, &a)->reliability, 0.5, 0);
    offer_extra_edit(o, &a)->expires_at = 99;
    assert_float_equal(offer_extra(o, &b)->upfront_usd, 12, 0);
    assert_int_equal(offer_extra(o, &b)->currency, 7);
    assert_true(isnan(offer_extra(o, &b)->reliability));
    assert_int_equal(offer_extra(o, &a)->expires_at, 99);
    assert_float_equal(offer_extra(o, &a)->reliability, 0.5, 0);
    assert_int_equal(offer_extra(o, &o->items[0])->expires_at, 0); /* a copy made before the edit keeps what it had */
    assert_true(isnan(offer_extra(o, &none)->upfront_usd));
    offers_free(o);
}

static void checks_twice_change_nothing(void **state) {
    struct buf once = {0}, twice = {0};
    (void)state;
    struct offers *o = load("provider,machine,gpu,gpus,rate_usd_h,spot_usd_h,region\n"
                            "aws,p4d.24xlarge,A100-SXM4-40GB,8,32.77,12.1,us-east-1\n"
                            "aws,p4d.24xlarge,A100-SXM4-40GB,8,32.77,12.1,us-east-1\n"
                            "aws,p4d.24xlarge,A100-SXM4-40GB,8,30,12.1,us-east-1\n"
                            "z,,A100-SXM4-40GB,4,8,8,\n");
    listing_write_csv(catalog(), o, &once);
    listing_check(&context, o);
    listing_write_csv(catalog(), o, &twice);
    assert_string_equal(once.data, twice.data);
    offers_free(o);
    buf_free(&once);
    buf_free(&twice);
}

static void completes_links(void **state) {
    (void)state;
    struct offers *o = load("id,provider,machine,gpu,gpus,rate_usd_h,link\n"
                            "table,aws,p4d.24xlarge,A100-SXM4-40GB,8,32,\n"
                            "board,who,,H100-SXM5-80GB,8,20,\n"
                            "part,who,,H100-SXM5-80GB,4,10,\n"
                            "game,who,,RTX-4090,4,2,\n"
                            "said,who,,RTX-A6000,2,2,nvlink_bridge\n"
                            "lie,who,,RTX-4090,2,2,nvswitch\n"
                            "single,who,,RTX-4090,1,1,nvswitch\n");
    assert_int_equal(find(o, "table")->link, LINK_NVSWITCH);
    assert_int_equal(find(o, "table")->link_source, PROVENANCE_INFERRED);
    assert_int_equal(find(o, "table")->network, NETWORK_EFA);
    assert_float_equal(find(o, "table")->ram_gb, 1152, 1);
    assert_int_equal(find(o, "board")->link, LINK_NVSWITCH);
    assert_int_equal(find(o, "board")->link_source, PROVENANCE_INFERRED);
    assert_int_equal(find(o, "part")->link_source, PROVENANCE_ASSUMED);
    assert_int_equal(find(o, "game")->link, LINK_PCIE_HOST);
    assert_int_equal(find(o, "game")->link_source, PROVENANCE_ASSUMED);
    assert_int_equal(find(o, "said")->link, LINK_NVLINK_BRIDGE);
    assert_int_equal(find(o, "said")->link_source, PROVENANCE_DECLARED);
    assert_true(find(o, "lie")->flags & OFFER_FORM_CONFLICT);
    assert_int_equal(find(o, "single")->link, LINK_NONE);
    offers_free(o);
}

static void settles_equal_ids(void **state) {
    (void)state;
    struct offers *o = load("id,gpu,rate_usd_h,observed_at\n"
                            "same,L4,0.7,\nsame,L4,0.7,\n"
                            "two,L4,0.7,\ntwo,L4,0.9,\n"
                            "old,L4,0.5,2025-01-01\nold,L4,0.7,2026-01-01\n");
    assert_int_equal(o->count, 4);
    assert_int_equal(o->rows_skipped, 2);
    assert_true(find(o, "same")->flags & OFFER_DUPLICATE);
    assert_true(find(o, "two")->flags & OFFER_PRICE_CONFLICT);
    assert_true(find(o, "two#2")->flags & OFFER_PRICE_CONFLICT);
    assert_float_equal(offer_rate_usd_h(find(o, "old")), 0.7, 1e-9);
    offers_free(o);
}

static void splits_spot_prices(void **state) {
    (void)state;
    struct offers *o = load("id,gpu,rate_usd_h,spot_usd_h\na,L4,0.7,0.2\nb,L4,0.7,0.8\nc,L4,0.7,0\n");
    assert_int_equal(o->count, 4);
    assert_int_equal(find(o, "a:spot")->rate_kind, RATE_SPOT);
    assert_float_equal(offer_rate_usd_h(find(o, "a:spot")), 0.2, 1e-9);
    assert_true(find(o, "b")->flags & OFFER_SPOT_GE_ON_DEMAND);
    assert_null(offers_find(o, "b:spot"));
    offers_free(o);
}

/* Spot too: eight cards at the spot price of one, while a dearer one on demand says nothing about it. */
static void flags_the_price_of_one_for_several(void **state) {
    (void)state;
    struct offers *o = load("id,provider,gpu,gpus,rate_usd_h,rate_kind,region\n"
                            "one,p,RTX-A4000,1,1.28,spot,r\neight,p,RTX-A4000,8,1.28,spot,r\n"
                            "demand,p,RTX-A4000,8,1.28,on_demand,r\nfair,p,RTX-A4000,8,10.24,spot,r\n");
    assert_false(find(o, "one")->flags & OFFER_PRICE_BAND);
    assert_true(find(o, "eight")->flags & OFFER_PRICE_BAND);
    assert_false(find(o, "demand")->flags & OFFER_PRICE_BAND);
    assert_false(find(o, "fair")->flags & OFFER_PRICE_BAND);
    offers_free(o);
}

/* A listing may state what can be used of a card; a third of a card is a third. */
static void memory_as_cards_are_sold(void **state) {
    (void)state;
    struct offers *o = load("id,gpu,rate_usd_h,vram_gb,gpu_fraction\n"
                            "usable,L4,0.7,22,\nnominal,L4,0.7,24,\nunstated,L4,0.7,,\n"
                            "slice,A10,0.3,8,0.3333\nunsaid,A10,0.3,,0.5\n");
    static const struct {
        const char *id;
        double gb, usable_share; /* of the card's usable memory */
    } cases[] = {
        {"usable", 24, 1}, {"nominal", 24, 1}, {"unstated", 24, 1}, {"slice", 8, 1.0 / 3}, {"unsaid", 12, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct offer *f = find(o, cases[i].id);
        const struct gpu *g = catalog_gpu(tables, (size_t)f->gpu);
        struct shape s;
        assert_float_equal(offer_vram_gb(g, f), cases[i].gb, 1e-6);
        assert_true(offer_shape(tables, o, f, 1, &s));
        assert_float_equal(s.vram_gib, g->vram_gib_usable * cases[i].usable_share, 1e-6);
    }
    offers_free(o);
}

static void flags_impossible_prices(void **state) {
    (void)state;
    struct offers *o = load("id,provider,gpu,gpus,rate_usd_h,region\n"
                            "a,p1,H100-SXM5-80GB,1,2.1,\nb,p2,H100-SXM5-80GB,1,2.5,\nc,p3,H100-SXM5-80GB,8,24,\n"
                            "d,p4,H100-SXM5-80GB,8,98,\ne,p5,H100-SXM5-80GB,8,2,\nf,p6,H100-SXM5-80GB,8,42066,\n"
                            "g,p7,H100-SXM5-80GB,1,3,r\nh,p7,H100-SXM5-80GB,8,3,r\nz,p8,H100-SXM5-80GB,8,0,\n");
    assert_false(find(o, "a")->flags & OFFER_PRICE_BAND);
    assert_false(find(o, "d")->flags & OFFER_PRICE_BAND);
    assert_true(find(o, "e")->flags & OFFER_PRICE_BAND);
    assert_true(find(o, "f")->flags & OFFER_PRICE_BAND);
    assert_false(find(o, "g")->flags & OFFER_PRICE_BAND);
    assert_true(find(o, "h")->flags & OFFER_PRICE_BAND);
    assert_true(find(o, "z")->flags & OFFER_ZERO_PRICE);
    assert_true(isnan(offer_rate_usd_h(find(o, "z"))));
    offers_free(o);
}

static void marks_age(void **state) {
    (void)state;
    struct listing_context late = context;
    assert_true(when_parse("2026-06-01", 10, &late.now));
    struct offers *o =
        load("id,gpu,rate_usd_h,observed_at,expires_at\na,L4,1,2026-05-30,\nb,L4,1,2026-01-01,2026-02-01\n");
    listing_check(&late, o);
    assert_false(find(o, "a")->flags & (OFFER_STALE | OFFER_EXPIRED));
    assert_true(find(o, "b")->flags & OFFER_STALE);
    assert_true(find(o, "b")->flags & OFFER_EXPIRED);
    assert_int_equal(o->observed_at, 1780099200);
    offers_free(o);
}

static void finds_ids(void **state) {
    (void)state;
    struct offers *o = load("id,gpu,rate_usd_h\nsky:aws:p5:east,L4,1\nsky:aws:p5:west,L4,1\nsky:gcp:a3:west,L4,1\n");
    assert_non_null(offers_find(o, "sky:aws:p5:east"));
    assert_non_null(offers_find(o, "sky:gcp"));
    assert_non_null(offers_find(o, "p5:west"));
    assert_null(offers_find(o, "sky:aws"));
    assert_null(offers_find(o, "west"));
    assert_null(offers_find(o, ""));
    offers_free(o);
}

static void refuses_what_is_no_listing(void **state) {
    static const struct {
        const char *bytes, *says;
    } cases[] = {
        {"", "empty"},
        {"\xef\xbb\xbf", "empty"},
        {"a,b,c\n1,2,3\n", "no listing format"},
        {"{\"offers\": [", "no listing format"},
        {"<html>", "no listing format"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        struct offers *o = offers_new();
        assert_false(listing_read(&context, cases[i].bytes, strlen(cases[i].bytes), "x.csv", o, &err));
        assert_non_null(strstr(err.text, cases[i].says));
        assert_string_equal(err.file, "x.csv");
        offers_free(o);
    }
    struct err err = {0};
    struct offers *o = offers_new();
    assert_false(listing_read(&context, "gpu,rate_usd_h\0\n", 16, "x", o, &err));
    assert_non_null(strstr(err.text, "binary"));
    offers_free(o);
}

static void a_huge_record_is_an_error(void **state) {
    struct buf b = {0};
    struct err err = {0};
    (void)state;
    buf_puts(&b, "gpu,rate_usd_h,notes\nL4,1,\"");
    buf_pad(&b, 'x', CSV_MAX_RECORD + 10);
    buf_puts(&b, "\"\n");
    struct offers *o = offers_new();
    assert_false(listing_read(&context, b.data, b.len, "big.csv", o, &err));
    assert_int_equal(err.line, 2);
    offers_free(o);
    buf_clear(&b);
    buf_puts(&b, "{\"gpu\":\"L4\",\"rate_usd_h\":1}\n{\"gpu\":\"L4\",\"rate_usd_h\":1,\"notes\":\"");
    buf_pad(&b, 'x', CSV_MAX_RECORD + 10);
    o = offers_new();
    assert_true(listing_read(&context, b.data, b.len, "big.jsonl", o, &err));
    assert_int_equal(o->count, 1);
    assert_int_equal(o->rows_skipped, 1);
    offers_free(o);
    buf_free(&b);
}

static void json_lines_may_be_damaged(void **state) {
    (void)state;
    struct offers *o = load("{\"id\":\"a\",\"gpu\":\"L4\",\"rate_usd_h\":0.7,\"gpus\":1}\n"
                            "\n"
                            "{\"id\":\"b\",\"gpu\":\"L4\",\"rate_usd_h\":\n"
                            "[1]\n"
                            "{\"id\":\"c\",\"gpu\":\"L4\",\"rate_usd_h\":{}}\n"
                            "{\"id\":\"d\",\"gpu\":\"L4\",\"rate_usd_h\":\"0.5\",\"ram_gb\":null}\n"
                            "{\"id\":\"e\",\"gpu\":\"L4\",\"rate_usd_h\":1e999}\n");
    assert_int_equal(o->count, 2);
    assert_int_equal(o->rows_read, 6);
    assert_int_equal(o->rows_skipped, 4);
    assert_float_equal(offer_rate_usd_h(find(o, "d")), 0.5, 1e-9);
    offers_free(o);
}

/* What came from outside is clean, and harmless in a spreadsheet. */
static void text_passes_the_gates(void **state) {
    struct buf csv = {0};
    (void)state;
    const char turn[] = {(char)0xe2, (char)0x80, (char)0xae, '\0'}; /* writes the rest from right to left */
    char text[128];
    snprintf(text, sizeof text, "id,gpu,rate_usd_h,region,notes\n=1+1,L4,1,\x1b[31mred,\"%sabc\"\n", turn);
    struct offers *o = load(text);
    const struct offer *f = &o->items[0];
    assert_true(text_is_clean(offers_text(o, f->region), strlen(offers_text(o, f->region))));
    assert_null(strchr(offers_text(o, f->region), 0x1b));
    assert_null(strstr(offers_text(o, f->notes), turn));
    listing_write_csv(catalog(), o, &csv);
    assert_non_null(strstr(csv.data, "\n'=1+1,"));
    offers_free(o);
    buf_free(&csv);
}

static void moments(void **state) {
    static const struct {
        const char *text;
        int64_t seconds; /* 0: not one */
    } cases[] = {
        {"1970-01-02", 86400},
        {"2026-03-22T10:00:00Z", 1774173600},
        {"2026-03-22T10:00:00.25+02:00", 1774166400},
        {"2026-03-22 10:00", 1774173600},
        {"2000-02-29", 951782400},
        {"1774173600", 1774173600},
        {"2026-13-01", 0},
        {"2026-00-10", 0},
        {"2026-03-22T25:00:00Z", 0},
        {"2026-03-22x", 0},
        {"yesterday", 0},
        {"", 0},
        {"-1", 0},
        {"99999999999999999999", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t t = 0;
        bool fine = when_parse(cases[i].text, strlen(cases[i].text), &t);
        assert_int_equal(fine, cases[i].seconds != 0);
        if (fine)
            assert_int_equal(t, cases[i].seconds);
    }
    char text[32];
    for (int64_t t = 1; t < 7258118400; t += 86400 * 13 + 3601) {
        int64_t back;
        when_format(text, sizeof text, t);
        assert_true(when_parse(text, strlen(text), &back));
        assert_int_equal(back, t);
    }
}

/* What somebody sees who starts the program with nothing: fresh enough to be dated, and no price that cannot be. */
static void bundled_snapshot_is_sound(void **state) {
    const uint32_t faults = OFFER_ZERO_PRICE | OFFER_PRICE_BAND | OFFER_PRICE_CONFLICT | OFFER_SUMMARY_ROW |
                            OFFER_COMPONENT_PART | OFFER_CURRENCY_UNKNOWN | OFFER_AUCTION_FLOOR | OFFER_GPU_UNKNOWN;
    struct blob blob;
    struct err err = {0};
    struct offers *o = offers_new();
    uint32_t providers[64];
    size_t provider_count = 0, spot = 0;
    (void)state;
    assert_true(data_builtin("listings.csv", &blob));
    assert_true(blob.len < 1 << 20);
    assert_true(listing_read(&context, blob.bytes, blob.len, "listings.csv", o, &err));
    listing_check(&context, o);
    assert_int_equal(o->problem_count, 0);
    assert_true(o->count >= 1500);
    for (size_t i = 0; i < o->count; i++) {
        const struct offer *f = &o->items[i];
        size_t k = 0;
        while (k < provider_count && providers[k] != f->provider)
            k++;
        if (k == provider_count && k < 64)
            providers[provider_count++] = f->provider;
        spot += f->rate_kind == RATE_SPOT;
        if ((f->flags & faults) || f->gpu < 0 || f->observed_at < 1746576000)
            fail_msg("%s", offers_text(o, f->id));
        double usd = offer_rate_usd_h(f) / f->gpus / f->gpu_fraction;
        if (usd < 0.04 || usd > 30)
            fail_msg("%s: %g USD per GPU and hour", offers_text(o, f->id), usd);
    }
    assert_true(provider_count >= 12);
    assert_true(spot > 100 && spot < o->count / 2);
    offers_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offer_is_small),
        cmocka_unit_test(reads_every_rate_basis),
        cmocka_unit_test(an_unstated_basis_is_flagged),
        cmocka_unit_test(empty_is_unknown),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(says_which_finding_costs_the_row),
        cmocka_unit_test(long_values_are_cut),
        cmocka_unit_test(columns_named_twice_are_named),
        cmocka_unit_test(bars_separate_too),
        cmocka_unit_test(no_listing_is_no_listing),
        cmocka_unit_test(round_trip_keeps_everything),
        cmocka_unit_test(rare_fields_keep_apart),
        cmocka_unit_test(checks_twice_change_nothing),
        cmocka_unit_test(completes_links),
        cmocka_unit_test(settles_equal_ids),
        cmocka_unit_test(splits_spot_prices),
        cmocka_unit_test(flags_impossible_prices),
        cmocka_unit_test(flags_the_price_of_one_for_several),
        cmocka_unit_test(memory_as_cards_are_sold),
        cmocka_unit_test(marks_age),
        cmocka_unit_test(finds_ids),
        cmocka_unit_test(refuses_what_is_no_listing),
        cmocka_unit_test(a_huge_record_is_an_error),
        cmocka_unit_test(json_lines_may_be_damaged),
        cmocka_unit_test(text_passes_the_gates),
        cmocka_unit_test(moments),
        cmocka_unit_test(bundled_snapshot_is_sound),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
