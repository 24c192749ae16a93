/* SPDX-License-Identifier: MIT */
/* data/links.csv: what links and networks reach, row by row. */
#include <math.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "hardware/catalog_private.h"

enum link_column {
    KEY,
    KIND,
    UNIT,
    NOTE,
    SOURCE,
    GEN,
    LINKS,
    GPUS,
    NOMINAL,
    RING_LOW,
    RING,
    RING_HIGH,
    ALL_LOW,
    ALL,
    ALL_HIGH,
    LATENCY2,
    LATENCY4,
    LATENCY8,
    COLUMNS
};
static const char *const columns[COLUMNS] = {
    "key",      "kind", "unit",      "note",    "source", "gen",      "links",       "gpus",        "nominal_gbs",
    "ring_low", "ring", "ring_high", "all_low", "all",    "all_high", "latency2_us", "latency4_us", "latency8_us",
};

static bool read_range(const struct data_table *t, size_t row, size_t column, double high, struct range *r,
                       struct err *err) {
    if (!data_table_number(t, row, column, 0, high, NUM_UNKNOWN, &r->low, err) ||
        !data_table_number(t, row, column + 1, 0, high, NUM_UNKNOWN, &r->expected, err) ||
        !data_table_number(t, row, column + 2, 0, high, NUM_UNKNOWN, &r->high, err))
        return false;
    if (r->low > 0 && r->low <= r->expected && r->expected <= r->high)
        return true;
    err_set(err, ERR_DATA, "wanted 0 < low <= expected <= high");
    return data_table_at(t, row, column, err);
}

static bool read_kind(const struct data_table *t, size_t row, struct link_data *d, struct err *err) {
    const char *word = data_table_cell(t, row, KIND);
    d->network = d->row.share;
    d->kind = d->network ? network_find(word) : link_find(word);
    if (d->kind >= 0)
        return true;
    err_set(err, ERR_DATA, "unknown kind '%s'", word);
    return data_table_at(t, row, KIND, err);
}

static bool read_link(const struct data_table *t, size_t row, struct link_data *d, struct err *err) {
    double gen, links;
    d->row.key = data_table_cell(t, row, KEY);
    d->row.note = data_table_cell(t, row, NOTE);
    d->row.source = data_table_cell(t, row, SOURCE);
    d->row.share = text_equal_fold(data_table_cell(t, row, UNIT), "share");
    double high = d->row.share ? 1 : 1e4; /* GB/s */
    if (!read_kind(t, row, d, err) || !read_range(t, row, RING_LOW, high, &d->row.ring_gbs, err) ||
        !read_range(t, row, ALL_LOW, high, &d->row.allreduce_gbs, err) ||
        !data_table_number(t, row, GEN, 0, 9, 0, &gen, err) ||
        !data_table_number(t, row, LINKS, 0, 64, 0, &links, err) ||
        !data_table_number(t, row, GPUS, 1, 1e6, INFINITY, &d->up_to, err) ||
        !data_table_number(t, row, NOMINAL, 0, 1e4, 0, &d->nominal_gbs, err))
        return false;
    for (size_t i = 0; i < 3; i++) {
        if (!data_table_number(t, row, LATENCY2 + i, 0, 1e6, 0, &d->latency_s[i], err))
            return false;
        d->latency_s[i] *= 1e-6;
    }
    d->gen = (int)gen;
    d->links = (int)links;
    d->row.latency_s = d->latency_s[0];
    return true;
}

bool links_load(struct catalog *c, struct err *err) {
    c->link_table = data_table_load("links.csv", columns, COLUMNS, err);
    if (c->link_table == NULL)
        return false;
    size_t rows = data_table_rows(c->link_table);
    c->links = mem_zero(rows + 1, sizeof *c->links);
    for (size_t i = 0; i < rows; i++) {
        if (!read_link(c->link_table, i, &c->links[i], err))
            return false;
        c->link_count++;
    }
    return true;
}

size_t catalog_link_count(const struct catalog *c) {
    return c->link_count;
}

const struct link_row *catalog_link_at(const struct catalog *c, size_t i) {
    return i < c->link_count ? &c->links[i].row : NULL;
}

bool catalog_link_set(struct catalog *c, const char *key, struct range ring_gbs, struct range allreduce_gbs) {
    for (size_t i = 0; i < c->link_count; i++) {
        struct link_row *row = &c->links[i].row;
        if (row->share || !text_equal_fold(row->key, key))
            continue;
        row->ring_gbs = ring_gbs;
        row->allreduce_gbs = allreduce_gbs;
        row->source = "your calibration";
        return true;
    }
    return false;
}
