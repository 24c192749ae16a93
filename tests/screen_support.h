/* SPDX-License-Identifier: MIT */
/* For the tests of app/ and view/: an interface on a listing of our own, driven by names of keys, drawn on a canvas. */
#ifndef GPUPLAN_TESTS_SCREEN_SUPPORT_H
#define GPUPLAN_TESTS_SCREEN_SUPPORT_H

#include "support.h"

#include "app/state.h"
#include "gpuplan/view/view.h"

#define SCREEN_NOW 1774180800 /* 2026-03-22T12:00:00Z; the listing is half a day old */

static const char listing_head[] = "id,provider,machine,gpu,gpus,rate_usd_h,rate_basis,rate_kind,region,ram_gb,disk_"
                                   "local_gb,link,network,available,access,observed_at\n";

/* Two groups, cards that hold the job alone and cards that do not, every kind of link, a spot price, a machine short of RAM. */
static const char small_listing[] =
    "id,provider,machine,gpu,gpus,rate_usd_h,rate_basis,rate_kind,region,ram_gb,disk_local_gb,link,network,available,"
    "access,observed_at\n"
    "a1,lambda,gpu_8x_a100,A100-SXM4-40GB,8,10.32,machine,on_demand,us-east-1,1800,6000,,,yes,now,2026-03-22T00:00:"
    "00Z\n"
    "a2,lambda,gpu_8x_a100,A100-SXM4-40GB,8,10.32,machine,on_demand,us-west-2,1800,6000,,,yes,now,2026-03-22T00:00:"
    "00Z\n"
    "a3,lambda,gpu_8x_a100,A100-SXM4-40GB,8,10.32,machine,on_demand,eu-central-1,1800,6000,,,no,now,2026-03-22T00:00:"
    "00Z\n"
    "b1,lambda,gpu_8x_h100,H100-SXM5-80GB,8,23.92,machine,on_demand,us-east-1,1800,20000,,,yes,quota,2026-03-22T00:00:"
    "00Z\n"
    "c1,runpod,2x_A100,A100-SXM4-80GB,2,2.98,machine,on_demand,EU-RO,240,1000,nvlink_mesh,,yes,now,2026-03-22T00:00:"
    "00Z\n"
    "c2,runpod,4x_A100,A100-SXM4-80GB,4,5.96,machine,on_demand,EU-RO,480,2000,nvlink_mesh,,yes,now,2026-03-22T00:00:"
    "00Z\n"
    "c3,runpod,4x_A100,A100-SXM4-80GB,4,5.96,machine,on_demand,CA-1,480,2000,nvlink_mesh,,yes,now,2026-03-22T00:00:"
    "00Z\n"
    "d1,vast,8x_4090,RTX-4090,8,2.71,machine,on_demand,Texas,503,2000,,,yes,,2026-03-22T00:00:00Z\n"
    "d2,vast,4x_3090,RTX-3090,4,0.88,machine,on_demand,Norway,20,500,,,yes,,2026-03-22T00:00:00Z\n"
    "d3,vast,1x_H200,H200-SXM5-141GB,1,2.40,machine,spot,Norway,256,800,,,yes,,2026-03-22T00:00:00Z\n"
    "e1,azure,ND96,A100-SXM4-80GB,8,27.20,machine,on_demand,westeurope,1900,6400,,infiniband,,quota,2026-03-22T00:00:"
    "00Z\n"
    "f1,vast,1x_RTX_6000,RTX-6000-Ada,1,0.79,machine,on_demand,Iceland,128,600,,,yes,,2026-03-22T00:00:00Z\n"
    "g1,coreweave,b200-8x,B200-SXM6-180GB,8,68.80,machine,on_demand,US-EAST-04,2000,61000,,,,sales,2026-03-22T00:00:"
    "00Z\n";

static struct catalog *tables;
static struct providers *facts;
static struct models *known_models;

static int load_tables(void **state) {
    struct err err = {0};
    (void)state;
    tables = catalog_load(&err);
    facts = providers_load(&err);
    known_models = models_load(&err);
    return tables && facts && known_models ? 0 : -1;
}

static int free_tables(void **state) {
    (void)state;
    catalog_free(tables);
    providers_free(facts);
    models_free(known_models);
    return 0;
}

static inline struct offers *offers_of_text(const char *listing) {
    const struct listing_context context = {.catalog = tables, .providers = facts, .now = SCREEN_NOW};
    struct err err = {0};
    struct offers *o = offers_new();
    if (!listing_read(&context, listing, strlen(listing), "test.csv", o, &err))
        fail_msg("%s", err.text);
    listing_check(&context, o);
    return o;
}

/* fields: "preset=full-8b", "deadline_h=none", NULL */
static inline void workload_of(struct workload *w, const char *const *fields) {
    struct err err = {0};
    workload_init(w);
    for (; *fields; fields++)
        if (!workload_set_pair(w, *fields, &err))
            fail_msg("%s: %s", *fields, err.text);
}

struct screen {
    struct app *a;
    struct canvas c;
};

static inline void screen_work(struct screen *s) {
    while (app_work(s->a, 5))
        continue;
}

static inline void screen_draw(struct screen *s) {
    app_viewport(s->a, view_draw(s->a, &s->c));
    app_drawn(s->a);
}

static inline void screen_size(struct screen *s, int columns, int rows) {
    app_resize(s->a, columns, rows);
    canvas_resize(&s->c, columns, rows);
    screen_draw(s);
}

static inline void screen_open(struct screen *s, struct app_setup setup, int columns, int rows) {
    setup.catalog = tables;
    setup.providers = facts;
    setup.models = known_models;
    setup.now = SCREEN_NOW;
    s->a = app_new(&setup);
    canvas_init(&s->c);
    s->c.ascii = setup.ascii;
    screen_work(s);
    screen_size(s, columns, rows);
}

static inline void screen_start(struct screen *s, const char *listing, const char *const *fields) {
    struct workload w;
    workload_of(&w, fields);
    screen_open(s, (struct app_setup){.workload = &w, .offers = offers_of_text(listing)}, 80, 24);
}

#define SCREEN(s, listing, ...)                            \
    do {                                                   \
        const char *const fields_[] = {__VA_ARGS__, NULL}; \
        screen_start(s, listing, fields_);                 \
    } while (0)

static inline void screen_close(struct screen *s) {
    app_free(s->a);
    canvas_free(&s->c);
}

static inline void press_key(struct screen *s, int key) {
    app_key(s->a, key);
    screen_work(s);
    screen_draw(s);
}

/* Names of keys with blanks between: "F4 g p u s Enter". */
static inline void press(struct screen *s, const char *keys) {
    char name[32];
    while (*keys) {
        size_t len = strcspn(keys, " ");
        snprintf(name, sizeof name, "%.*s", (int)len, keys);
        if (key_find(name) < 0)
            fail_msg("no key is called %s", name);
        press_key(s, key_find(name));
        keys += len + (keys[len] == ' ');
    }
}

static inline void type_text(struct screen *s, const char *text) {
    for (; *text; text++)
        press_key(s, (unsigned char)*text);
}

/* One row of the screen, trailing blanks removed, in a buffer of this file. */
static inline const char *row_text(const struct screen *s, int row) {
    static char text[4096];
    struct buf b = {0};
    canvas_to_text(&s->c, &b);
    const char *line = b.data;
    while (row-- > 0)
        line = strchr(line, '\n') + 1;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    buf_free(&b);
    return text;
}

static inline bool on_screen(const struct screen *s, const char *text) {
    for (int i = 0; i < s->c.rows; i++)
        if (strstr(row_text(s, i), text))
            return true;
    return false;
}

static inline void assert_on_screen(const struct screen *s, const char *text) {
    if (on_screen(s, text))
        return;
    struct buf b = {0};
    canvas_to_text(&s->c, &b);
    print_message("%s", b.data);
    buf_free(&b);
    fail_msg("\"%s\" is not on the screen", text);
}

static inline const char *message_row(const struct screen *s) {
    return row_text(s, s->c.rows - 2);
}

static inline const char *cursor_id(const struct screen *s) {
    return s->a->list.id ? s->a->list.id : "";
}

static inline void stand_on(struct screen *s, enum field_id id) {
    for (int i = 0; i < s->a->form.count; i++)
        if (s->a->form.rows[i].kind == FORM_FIELD && s->a->form.rows[i].value == (int)id)
            form_move(s->a, i - s->a->form.cursor);
    const struct form_row *row = form_row_at(s->a);
    assert_true(row && row->kind == FORM_FIELD && row->value == (int)id);
    screen_draw(s);
}

#endif
