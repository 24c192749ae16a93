/* SPDX-License-Identifier: MIT */
/* Answers of providers in JSON, as recorded and in small: each field against the raw text, each fault as it really is. */
#include "listing_support.h"

/* ---- Vast ---- */

static void vast_offers_mean_what_they_say(void **state) {
    (void)state;
    struct offers *o = load_recorded("listings/vast/bundles_h100.json");
    const struct offer *f = find(o, "vast:vast:44075905");
    const struct offer_extra *x = offer_extra(o, f);
    assert_string_equal(gpu_of(f), "H100-SXM5-80GB");
    assert_int_equal(f->gpus, 1);
    assert_float_equal(f->vram_gb, 81559 / 1024.0, 0.01);
    assert_float_equal(offer_rate_usd_h(f), 1.306667,
                       1e-6); /* dph_base: the disk of 8 GB in dph_total is charged apart */
    assert_float_equal(x->disk_usd_gb_month, 0.92, 1e-9);
    assert_float_equal(x->stopped_usd_h, 0.010222222, 1e-6);
    assert_float_equal(f->cpu_cores, 96, 0); /* of 384: the share of this offer */
    assert_float_equal(f->ram_gb, 386.908, 1e-3);
    assert_float_equal(f->disk_local_gb, 494, 0);
    assert_float_equal(x->disk_mbs, 2700.814, 1e-6);
    assert_int_equal(f->pcie_gen, 5);
    assert_int_equal(f->pcie_lanes, 16);
    assert_float_equal(x->compute_capability, 9.0, 0);
    assert_float_equal(x->cuda_max, 13.1, 1e-9);
    assert_string_equal(offers_text(o, x->driver), "590.48.01");
    assert_float_equal(x->reliability, 0.9883432, 1e-9);
    assert_string_equal(offers_text(o, f->region), "Montana, US");
    assert_int_equal(f->host_class, HOST_MARKET_UNVERIFIED);
    assert_int_equal(f->available, TRI_YES);
    assert_int_equal(x->expires_at, 1786065548);
    assert_int_equal(f->observed_at, 1786065548 - 1700537);                           /* the end less what is left */
    assert_string_equal(offers_text(o, find(o, "vast:vast:45136641")->region), "US"); /* ", US" */
    assert_int_equal(find(o, "vast:vast:28762952")->host_class, HOST_MARKET_VERIFIED);
    offers_free(o);
}

static void vast_links_are_measured_or_unknown(void **state) {
    (void)state;
    struct offers *o = load_recorded("listings/vast/bundles_h100.json");
    const struct offer *f = find(o, "vast:vast:21671180"); /* 8 GPUs, 478 GB/s */
    assert_int_equal(f->link, LINK_NVSWITCH);
    assert_int_equal(f->link_source, PROVENANCE_MEASURED);
    assert_float_equal(f->link_gbs, 478.116, 1e-2);
    f = find(o, "vast:vast:45065180"); /* 8 GPUs, 0: not measured, which is not "none" */
    assert_int_equal(f->link, LINK_NVSWITCH);
    assert_int_equal(f->link_source, PROVENANCE_INFERRED);
    f = find(o, "vast:vast:28762952"); /* one GPU of that board cannot use its 478 GB/s */
    assert_int_equal(f->link, LINK_NONE);
    assert_true(isnan(f->link_gbs));
    f = find(o, "vast:vast:43704246");
    assert_string_equal(gpu_of(f), "H100-NVL-94GB");
    assert_int_equal(f->link, LINK_NVLINK_BRIDGE);
    offers_free(o);
}

static void vast_slices_overlap_and_bids_are_bids(void **state) {
    static const char *const slices[] = {"45065168", "45065172", "45065169", "45065180"};
    char id[64];
    (void)state;
    struct offers *o = load_recorded("listings/vast/bundles_h100.json");
    for (size_t i = 0; i < 4; i++) {
        snprintf(id, sizeof id, "vast:vast:%s", slices[i]);
        assert_true(find(o, id)->flags & OFFER_OVERLAP);
        snprintf(id, sizeof id, "vast:vast:%s:bid_floor", slices[i]);
        assert_int_equal(find(o, id)->rate_kind, RATE_BID_FLOOR);
        assert_true(find(o, id)->flags & OFFER_AUCTION_FLOOR);
    }
    assert_float_equal(offer_rate_usd_h(find(o, "vast:vast:45065180:bid_floor")), 16, 1e-9);
    /* alone on its machine: its own bid is no other slice */
    assert_false(find(o, "vast:vast:28762952")->flags & OFFER_OVERLAP);
    /* asks 13.33 of bidders and 3.78 of others */
    assert_true(find(o, "vast:vast:36473839")->flags & OFFER_SPOT_GE_ON_DEMAND);
    assert_null(offers_find(o, "vast:vast:36473839:bid_floor"));
    assert_float_equal(find(o, "vast:vast:42516711")->disk_local_gb, 11.5, 1e-3);
    offers_free(o);
}

static void vast_envelopes(void **state) {
    (void)state;
    struct offers *o = load_recorded("listings/vast/offers_500farm_2025-07-26.json");
    const struct offer *f = find(o, "vast:vast:21348645"); /* no dph_total in the mirror */
    assert_float_equal(offer_rate_usd_h(f), 0.105333, 1e-6);
    assert_string_equal(gpu_of(f), "RTX-5090");
    assert_int_equal(f->available, TRI_NO);
    assert_int_equal(f->observed_at, 1753516870);                /* the envelope's timestamp */
    assert_null(offers_find(o, "vast:vast:21348645:bid_floor")); /* 0.1053333 a bid, 0.10533333 for sure */
    assert_null(offers_find(o, "vast:vast:21348670:bid_floor")); /* the bid is the price */
    offers_free(o);
    o = load_recorded("listings/vast/search_offers_raw_rtx4090.json");
    f = find(o, "vast:vast:11684738");
    assert_float_equal(offer_rate_usd_h(f), 0.246667, 1e-6);
    assert_float_equal(f->cpu_cores, 24, 0);
    assert_int_equal(f->pcie_gen, 4);
    offers_free(o);
}

/* An address in a payload is nobody's business: it is nowhere in what we keep. */
static void vast_keeps_no_addresses(void **state) {
    struct buf csv = {0};
    (void)state;
    struct offers *o = load_named(
        "[{\"id\":7,\"machine_id\":1,\"host_id\":5,\"gpu_name\":\"RTX 4090\",\"num_gpus\":2,\"gpu_ram\":49140,"
        "\"dph_base\":0.5,\"dph_total\":0.51,\"public_ipaddr\":\"203.0.113.9\",\"hostname\":\"anna.example.org\","
        "\"cpu_cores_effective\":null,\"is_bid\":true,\"geolocation\":null,\"rentable\":true,\"rented\":true}]",
        "x.json");
    assert_int_equal(o->count, 1);
    const struct offer *f = &o->items[0];
    assert_string_equal(gpu_of(f), "RTX-4090-48GB-mod");
    assert_int_equal(f->rate_kind, RATE_BID_FLOOR);
    assert_int_equal(f->available, TRI_NO);
    assert_true(isnan(f->cpu_cores) && f->region == 0);
    listing_write_csv(catalog(), o, &csv);
    assert_null(strstr(csv.data, "203.0"));
    assert_null(strstr(csv.data, "anna"));
    assert_int_equal(intern_find(o->text, "203.0.113.9", 11), UINT32_MAX);
    buf_free(&csv);
    offers_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vast_offers_mean_what_they_say),
        cmocka_unit_test(vast_links_are_measured_or_unknown),
        cmocka_unit_test(vast_slices_overlap_and_bids_are_bids),
        cmocka_unit_test(vast_envelopes),
        cmocka_unit_test(vast_keeps_no_addresses),
    };
    return cmocka_run_group_tests(tests, load_tables, free_tables);
}
