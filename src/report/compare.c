/* SPDX-License-Identifier: MIT */
/* Offers side by side: one row a property, one column an offer. */
#include "gpuplan/report/compare.h"

#include <math.h>
#include <string.h>

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

/* better: 1 the largest, -1 the smallest, 0 a matter of taste. */
static const struct compared compared[] = {
    {"provider", N_("provider"), 0, false},
    {"machine", N_("machine"), 0, true},
    {"region", N_("place"), 0, false},
    {"gpu", N_("card"), 0, true},
    {"gpus_used", N_("GPUs used"), 0, false},
    {"split", N_("split"), 0, false},
    {"link", N_("link"), 0, false},
    {"rate_usd_h", N_("$/h"), -1, false},
    {"fit", N_("fit"), 0, false},
    {"memory_gib", N_("GiB of each GPU"), 0, false},
    {"vram_gib", N_("GiB each has"), 1, false},
    {"time_low_h", N_("hours, low"), -1, true},
    {"time_h", N_("hours"), -1, false},
    {"time_high_h", N_("hours, high"), -1, true},
    {"cost_low_usd", N_("dollars, low"), -1, true},
    {"cost_usd", N_("dollars in all"), -1, false},
    {"cost_high_usd", N_("dollars, high"), -1, true},
    {"cost_setup_usd", N_("of it set-up"), -1, false},
    {"cost_storage_usd", N_("of it disk"), -1, false},
    {"risk", N_("risk of the link"), 0, false},
    {"risk_worse_usd", N_("$ if it is worse"), -1, false},
    {"risk_leave_usd", N_("$ to leave"), -1, false},
    {"efficiency", N_("efficiency"), 1, false},
    {"limited_by", N_("limited by"), 0, false},
    {"tokens_per_s", N_("tokens per second"), 1, false},
    {"ttft_ms", N_("ms to the first"), -1, false},
    {"itl_ms", N_("ms a token"), -1, false},
    {"max_concurrency", N_("requests at once"), 1, false},
    {"sustained_requests_per_s", N_("requests/s it carries"), 1, false},
    {"usd_per_mtok", N_("$ per M tokens out"), -1, false},
    {"usd_per_1k_requests", N_("$ per 1,000 requests"), -1, false},
    {"usd_per_month", N_("$ a month"), -1, false},
    {"ram_gb", N_("RAM, GB"), 1, false},
    {"rate_kind", N_("kind of price"), 0, false},
    {"host_class", N_("host"), 0, false},
    {"access", N_("access"), 0, false},
    {"age_h", N_("age of the price, h"), -1, false},
};

const struct compared *compare_rows(size_t *count) {
    *count = sizeof compared / sizeof compared[0];
    return compared;
}

/* A refused offer has memory, but no hours and dollars. */
static double number_of(const struct compared *row, const struct question *q, const struct candidate *c) {
    const struct column *column = column_find(row->key);
    bool outcome = row->better < 0 && strcmp(row->key, "rate_usd_h") != 0 && strcmp(row->key, "age_h") != 0;
    if (!column->number || (c->cls == RANK_REFUSED && outcome))
        return NUM_UNKNOWN;
    return column->number(q, c);
}

/* The only one: of two that are equal neither is better. */
int compare_best(const struct compared *row, const struct question *q, const struct candidate *c, size_t count) {
    int best = -1, known = 0;
    bool alone = false;
    for (size_t i = 0; i < count && row->better != 0; i++) {
        double x = number_of(row, q, &c[i]);
        if (!num_known(x))
            continue;
        double most = best >= 0 ? number_of(row, q, &c[best]) : x;
        bool equal = best >= 0 && fabs(x - most) <= 1e-9 * fabs(most);
        known++;
        if (best < 0 || (!equal && (x - most) * row->better > 0)) {
            best = (int)i;
            alone = true;
        } else if (equal) {
            alone = false;
        }
    }
    return known > 1 && alone ? best : -1;
}

void compare_cell(const struct compared *row, struct buf *b, const struct question *q, const struct candidate *c) {
    const struct column *column = column_find(row->key);
    char text[32];
    bool refused = c->cls == RANK_REFUSED && row->better < 0 && !num_known(number_of(row, q, c));
    if (refused)
        return;
    if (column->text || !column->number) {
        column_put(column, b, q, c);
        return;
    }
    num_format_plain(text, sizeof text, column->number(q, c), 4);
    buf_puts(b, text);
}

/* What no offer has a value for says nothing to people. */
bool compare_used(const struct compared *row, const struct question *q, const struct candidate *c, size_t count) {
    struct buf b = {0};
    for (size_t i = 0; i < count && b.len == 0; i++)
        compare_cell(row, &b, q, &c[i]);
    bool used = b.len > 0;
    buf_free(&b);
    return used;
}

bool compare_differs(const struct compared *row, const struct question *q, const struct candidate *c, size_t count) {
    struct buf first = {0}, other = {0};
    bool differs = false;
    compare_cell(row, &first, q, &c[0]);
    for (size_t i = 1; i < count && !differs; i++) {
        buf_clear(&other);
        compare_cell(row, &other, q, &c[i]);
        differs = strcmp(first.data ? first.data : "", other.data ? other.data : "") != 0;
    }
    buf_free(&first);
    buf_free(&other);
    return differs;
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
        if (people && !compare_used(&compared[r], q, c, count))
            continue;
        grid_add(g, people ? _(compared[r].label) : compared[r].key);
        add_property(g, column, q, c, count);
    }
    grid_put(b, g, format, style);
    grid_free(g);
}
