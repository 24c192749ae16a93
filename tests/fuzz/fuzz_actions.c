/* SPDX-License-Identifier: MIT */
/* Any keys, clicks and sizes on the interface: two bytes a step. Nothing that is typed may write a file. */
#include "fuzz.h"

#include "app/state.h"
#include "gpuplan/listing/source.h"
#include "gpuplan/view/view.h"

static const char listing[] =
    "id,provider,machine,gpu,gpus,rate_usd_h,rate_basis,rate_kind,region,ram_gb,disk_local_gb,link,available\n"
    "a1,lambda,gpu_8x_a100,A100-SXM4-40GB,8,10.32,machine,on_demand,us-east-1,1800,6000,,yes\n"
    "a2,lambda,gpu_8x_a100,A100-SXM4-40GB,8,10.32,machine,on_demand,us-west-2,1800,6000,,yes\n"
    "b1,runpod,2x_A100,A100-SXM4-80GB,2,2.98,machine,on_demand,EU-RO,240,1000,nvlink_mesh,yes\n"
    "c1,vast,8x_4090,RTX-4090,8,2.71,machine,on_demand,Texas,503,2000,,yes\n"
    "c2,vast,\"\344\270\255\346\226\207 \342\200\256 name\",RTX-3090,4,0.88,machine,spot,Norway,20,500,,\n";

static struct catalog *catalog;
static struct providers *providers;
static struct models *models;

static struct app *start(void) {
    const struct listing_context ctx = {.catalog = catalog, .providers = providers, .now = 1774180800};
    struct offers *o = offers_new();
    listing_read(&ctx, listing, strlen(listing), "fuzz.csv", o, NULL);
    listing_check(&ctx, o);
    const struct app_setup setup = {
        .catalog = catalog, .providers = providers, .models = models, .offers = o, .now = 1774180800};
    return app_new(&setup);
}

static int key_of(unsigned char a, unsigned char b) {
    static const int special = KEY_CODE_COUNT - KEY_CODE_SPECIAL - 1;
    return a & 1 ? b : KEY_CODE_SPECIAL + 1 + b % special;
}

static bool writes_or_forks(const struct app *a, int key) {
    const struct action *action = action_for_key(a, key);
    return a->prompt.kind == PROMPT_EXPORT || a->prompt.kind == PROMPT_COMMAND ||
           (action && (strcmp(action->name, "read-again") == 0 || strcmp(action->name, "command") == 0));
}

static void click(struct app *a, const struct canvas *c, unsigned char where, unsigned char how) {
    const struct cell *cell = &c->cells[(size_t)where * 7919 % (size_t)(c->rows * c->columns)];
    size_t count;
    if (cell->tag.kind == TAG_ACTION && strcmp(action_table(&count)[cell->tag.value].name, "read-again") == 0)
        return;
    app_mouse(a, (enum app_button)(how / 4 % 4), cell->tag);
}

static void step(struct app *a, struct canvas *c, unsigned char one, unsigned char two) {
    if (one % 16 == 15) {
        canvas_resize(c, 1 + two % 160, 1 + two / 4);
        app_resize(a, c->columns, c->rows);
    } else if (one % 16 == 14) {
        click(a, c, two, one);
    } else if (a->prompt.kind == PROMPT_EXPORT && key_of(one, two) == KEY_CODE_ENTER) {
        app_key(a, KEY_CODE_ESCAPE);
    } else if (!writes_or_forks(a, key_of(one, two)) || a->prompt.kind != PROMPT_NONE) {
        app_key(a, key_of(one, two));
    }
    app_work(a, 0.5);
    app_viewport(a, view_draw(a, c));
    app_drawn(a);
}

FUZZ(actions)
{
    enum { STEPS = 400 };
    if (!catalog) {
        catalog = catalog_load(NULL);
        providers = providers_load(NULL);
        models = models_load(NULL);
    }
    struct app *a = start();
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, 80, 24);
    app_resize(a, 80, 24);
    app_viewport(a, view_draw(a, &c));
    for (size_t i = 0; i + 1 < len && i < 2 * STEPS; i += 2)
        step(a, &c, (unsigned char)bytes[i], (unsigned char)bytes[i + 1]);
    FUZZ_ASSERT(a->list.cursor < a->list.count || a->list.count == 0);
    while (app_work(a, 5))
        continue;
    FUZZ_ASSERT(!app_changed(a) || a->shown);
    canvas_free(&c);
    app_free(a);
    return 0;
}
