/* SPDX-License-Identifier: MIT */
/* Our own format as CSV. Columns we do not know are kept as they stand. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/text.h"
#include "listing/cell_memo.h"
#include "listing/fields.h"

struct csv_column {
    const struct field *field;
    uint32_t name; /* of an unknown column */
    struct cell_memo memo;
};

struct csv_reader {
    struct reader base;
    struct csv_column *columns;
    size_t count;
    bool unknown;
};

static bool on_header(void *user, const struct csv_row *row, struct err *err) {
    struct csv_reader *c = user;
    bool seen[128] = {false};
    (void)err;
    c->columns = mem_zero(row->count, sizeof *c->columns);
    c->count = row->count;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t id = reader_text(&c->base, row->cells[i], row->lengths[i]);
        const struct field *field = listing_field_find(reader_str(&c->base, id));
        bool again = field && seen[field - listing_field_table];
        if (again) {
            c->base.line = row->line;
            reader_problem(&c->base, field->name, false, "column named twice: the first counts");
        }
        if (field)
            seen[field - listing_field_table] = true;
        c->columns[i].field = again ? NULL : field;
        c->columns[i].name = field ? 0 : id;
        c->columns[i].memo.worth = MEMO_START;
        c->unknown |= !field && id != 0;
        if (field && !again)
            listing_explain_add_line(c->base.ctx->explain, field->name, field->name, "", SIZE_MAX);
        else
            listing_explain_add_ignored(c->base.ctx->explain, row->cells[i], row->lengths[i]);
    }
    listing_explain_keep(c->base.ctx->explain);
    return true;
}

static void set_cell(struct csv_reader *c, struct draft *d, struct csv_column *column, const char *s, size_t len) {
    size_t size;
    struct memo_cell *cell = cell_memo_at(&column->memo, s, len);
    if (cell && cell_memo_holds(&column->memo, cell, s, len)) {
        void *to = draft_place(&c->base, d, column->field, &size);
        memcpy(to, &cell->value, size);
        return;
    }
    if (!draft_set_text(&c->base, d, column->field, s, len) || !cell)
        return;
    const void *from = draft_place(&c->base, d, column->field, &size);
    uint64_t value = 0;
    memcpy(&value, from, size);
    if (size > 0)
        cell_memo_keep(cell, s, len, value);
}

/* Texts that differ from row to row are found in a table too large for the cache: it is asked for early, and they come last. */
static void set_cells(struct csv_reader *c, struct draft *d, const struct csv_row *row) {
    enum { LATER = 4 };
    size_t later[LATER], later_count = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct csv_column *column = &c->columns[i];
        if (!column->field || row->lengths[i] == 0)
            continue;
        if (column->field->type == FIELD_TEXT && column->memo.worth <= 0 && later_count < LATER) {
            intern_prefetch(c->base.out->text, row->cells[i], row->lengths[i]);
            later[later_count++] = i;
            continue;
        }
        set_cell(c, d, column, row->cells[i], row->lengths[i]);
    }
    for (size_t i = 0; i < later_count; i++)
        set_cell(c, d, &c->columns[later[i]], row->cells[later[i]], row->lengths[later[i]]);
}

static void keep_unknown(struct csv_reader *c, struct draft *d, const struct csv_row *row) {
    cJSON *object = NULL;
    for (size_t i = 0; i < c->count; i++) {
        if (c->columns[i].field || c->columns[i].name == 0 || row->lengths[i] == 0)
            continue;
        uint32_t text = reader_text(&c->base, row->cells[i], row->lengths[i]);
        if (text == 0)
            continue;
        if (!object)
            object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, reader_str(&c->base, c->columns[i].name), reader_str(&c->base, text));
    }
    if (!object)
        return;
    char *json = cJSON_PrintUnformatted(object);
    if (json)
        offer_extra_edit(c->base.out, &d->f)->unknown_columns = intern_put(c->base.out->text, json, strlen(json));
    free(json);
    cJSON_Delete(object);
}

static bool on_row(void *user, const struct csv_row *row, struct err *err) {
    struct csv_reader *c = user;
    struct draft d;
    (void)err;
    reader_at(&c->base, row);
    if (row->count > c->count) {
        reader_problem(&c->base, NULL, true, "more cells than the header has columns");
        return true;
    }
    draft_begin(&d);
    set_cells(c, &d, row);
    if (c->unknown)
        keep_unknown(c, &d, row);
    draft_finish(&c->base, &d);
    return true;
}

bool gpuplan_csv_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                      struct offers *out, struct err *err) {
    struct csv_reader c = {0};
    reader_begin(&c.base, ctx, out, name, bytes);
    struct csv_handler handler = {on_header, on_row, &c};
    bool done = csv_read(bytes, len, name, &handler, err);
    free(c.columns);
    reader_end(&c.base);
    return done;
}

int gpuplan_csv_recognise(const char *bytes, size_t len) {
    static const char *const by_name[] = {"gpu", "rate_usd_h", NULL};
    static const char *const by_raw[] = {"gpu_raw", "rate_usd_h", NULL};
    return header_has(bytes, len, by_name) || header_has(bytes, len, by_raw) ? 90 : 0;
}
