/* SPDX-License-Identifier: MIT */
/* Offers side by side: one row a property, one column an offer. */
#include "gpuplan/report/compare.h"

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/num.h"
#include "gpuplan/report/json_out.h"

void compare_json(struct buf *b, const struct question *q, const struct candidate *c, size_t count) {
    struct json_out j = {.b = b};
    json_out_object(&j, NULL);
    json_out_array(&j, "columns");
    for (size_t i = 0; i < count; i++)
        candidate_json(&j, q, &c[i]);
    json_out_end(&j, ']');
    json_out_end(&j, '}');
}

static const struct {
    const char *key, *label;
} compared[] = {
    {"provider", N_("provider")},
    {"machine", N_("machine")},
    {"region", N_("place")},
    {"gpu", N_("card")},
    {"gpus_used", N_("GPUs used")},
    {"link", N_("link")},
    {"rate_usd_h", N_("$/h")},
    {"fit", N_("fit")},
    {"memory_gib", N_("GiB of each GPU")},
    {"vram_gib", N_("GiB each has")},
    {"time_low_h", N_("hours, low")},
    {"time_h", N_("hours")},
    {"time_high_h", N_("hours, high")},
    {"cost_low_usd", N_("dollars, low")},
    {"cost_usd", N_("dollars in all")},
    {"cost_high_usd", N_("dollars, high")},
    {"cost_setup_usd", N_("of it set-up")},
    {"cost_storage_usd", N_("of it disk")},
    {"risk", N_("risk of the link")},
    {"risk_worse_usd", N_("dollars if it is worse")},
    {"risk_leave_usd", N_("dollars to leave")},
    {"efficiency", N_("efficiency")},
    {"tokens_per_s", N_("tokens per second")},
    {"itl_ms", N_("ms a token")},
    {"usd_per_mtok", N_("$ per M tokens out")},
    {"host_class", N_("host")},
    {"access", N_("access")},
};

/* What no offer has a value for says nothing to people. */
static bool any_value(const struct column *column, const struct question *q, const struct candidate *c, size_t count) {
    if (!column->number)
        return true;
    for (size_t i = 0; i < count; i++)
        if (num_known(column->number(q, &c[i])))
            return true;
    return false;
}

static void add_property(struct grid *g, const struct column *column, const struct question *q,
                         const struct candidate *c, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct buf cell = {0};
        if (column->number)
            grid_add_number(g, column->number(q, &c[i]), 4);
        else {
            column->value(&cell, q, &c[i]);
            grid_add(g, cell.data);
        }
        buf_free(&cell);
    }
}

/* One row a property, one column an offer. */
void compare_table(struct buf *b, const struct question *q, const struct candidate *c, size_t count,
                   enum grid_format format, const struct style *style) {
    const char *keys[COMPARE_MAX + 1] = {"property"};
    bool people = format == GRID_TABLE;
    for (size_t i = 0; i < count; i++)
        keys[i + 1] = offers_text(q->offers, c[i].offer->id);
    struct grid *g = grid_new(keys, count + 1);
    for (size_t r = 0; r < sizeof compared / sizeof compared[0]; r++) {
        const struct column *column = column_find(compared[r].key);
        if (people && !any_value(column, q, c, count))
            continue;
        grid_add(g, people ? _(compared[r].label) : compared[r].key);
        add_property(g, column, q, c, count);
    }
    grid_put(b, g, format, style);
    grid_free(g);
}
