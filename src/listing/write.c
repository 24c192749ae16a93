/* SPDX-License-Identifier: MIT */
/* Writing our own format. What is unknown is empty (CSV) or absent (JSON Lines). */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/fields.h"

enum { MAX_UNKNOWN_COLUMNS = 64, VALUE_BYTES = 512 };

/* The union of the columns that imports have kept. */
struct unknown_columns {
    char *names[MAX_UNKNOWN_COLUMNS];
    size_t count;
};

static void add_name(struct unknown_columns *u, const char *name) {
    for (size_t i = 0; i < u->count; i++)
        if (strcmp(u->names[i], name) == 0)
            return;
    if (u->count < MAX_UNKNOWN_COLUMNS)
        u->names[u->count++] = mem_strdup(name);
}

static cJSON *unknown_of(const struct offers *o, const struct offer *f) {
    uint32_t text = offer_extra(o, f)->unknown_columns;
    return text ? cJSON_Parse(offers_text(o, text)) : NULL;
}

static void collect_unknown(const struct offers *o, struct unknown_columns *u) {
    uint32_t last = 0;
    for (size_t i = 0; i < o->count; i++) {
        uint32_t text = offer_extra(o, &o->items[i])->unknown_columns;
        if (text == last)
            continue;
        last = text;
        cJSON *object = unknown_of(o, &o->items[i]);
        for (const cJSON *member = object ? object->child : NULL; member; member = member->next)
            add_name(u, member->string);
        cJSON_Delete(object);
    }
}

static void put_unknown_cells(const struct unknown_columns *u, const struct offers *o, const struct offer *f,
                              struct buf *out) {
    cJSON *object = unknown_of(o, f);
    for (size_t i = 0; i < u->count; i++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, u->names[i]);
        buf_putc(out, ',');
        if (cJSON_IsString(value)) {
            text_csv_cell(out, value->valuestring);
        } else if (value) {
            char *json = cJSON_PrintUnformatted(value);
            text_csv_cell(out, json ? json : "");
            free(json);
        }
    }
    cJSON_Delete(object);
}

static void put_field_cell(const struct catalog *c, const struct offers *o, const struct offer *f,
                           const struct field *field, struct buf *out) {
    char buffer[VALUE_BYTES];
    const char *text = field_text(c, o, f, field, buffer, sizeof buffer);
    if (text == buffer)
        buf_puts(out, text); /* a number or words of ours: nothing to quote */
    else
        text_csv_cell(out, text);
}

static void put_header(const struct unknown_columns *unknown, struct buf *out) {
    for (size_t k = 0; k < listing_field_count(); k++)
        buf_printf(out, "%s%s", k ? "," : "", listing_field_table[k].name);
    for (size_t k = 0; k < unknown->count; k++) {
        buf_putc(out, ',');
        text_csv_cell(out, unknown->names[k]);
    }
    buf_putc(out, '\n');
}

static void put_row(const struct catalog *c, const struct offers *o, const struct offer *f,
                    const struct unknown_columns *unknown, struct buf *out) {
    for (size_t k = 0; k < listing_field_count(); k++) {
        if (k)
            buf_putc(out, ',');
        put_field_cell(c, o, f, &listing_field_table[k], out);
    }
    if (unknown->count)
        put_unknown_cells(unknown, o, f, out);
    buf_putc(out, '\n');
}

void listing_stream_csv(const struct catalog *c, const struct offers *o, size_t part, struct buf *out,
                        void (*give)(void *user, struct buf *out), void *user) {
    struct unknown_columns unknown = {.count = 0};
    collect_unknown(o, &unknown);
    put_header(&unknown, out);
    for (size_t i = 0; i < o->count; i++) {
        put_row(c, o, &o->items[i], &unknown, out);
        if (give && out->len >= part)
            give(user, out);
    }
    if (give)
        give(user, out);
    for (size_t i = 0; i < unknown.count; i++)
        free(unknown.names[i]);
}

void listing_write_csv(const struct catalog *c, const struct offers *o, struct buf *out) {
    listing_stream_csv(c, o, 0, out, NULL, NULL);
}

/* Numbers are written from the same text as in the CSV, so both forms of a file hold equal values. */
static void add_member(cJSON *object, const struct field *field, const char *text) {
    if (!*text)
        return;
    if (field_is_number(field))
        cJSON_AddRawToObject(object, field->name, text);
    else
        cJSON_AddStringToObject(object, field->name, text);
}

static void add_unknown(cJSON *object, const struct offers *o, const struct offer *f) {
    cJSON *unknown = unknown_of(o, f);
    while (unknown && unknown->child) {
        cJSON *member = cJSON_DetachItemViaPointer(unknown, unknown->child);
        char *name = mem_strdup(member->string);
        if (!cJSON_AddItemToObject(object, name, member))
            cJSON_Delete(member);
        free(name);
    }
    cJSON_Delete(unknown);
}

void listing_write_jsonl(const struct catalog *c, const struct offers *o, struct buf *out) {
    char buffer[VALUE_BYTES];
    for (size_t i = 0; i < o->count; i++) {
        cJSON *object = cJSON_CreateObject();
        for (size_t k = 0; k < listing_field_count(); k++) {
            const struct field *field = &listing_field_table[k];
            add_member(object, field, field_text(c, o, &o->items[i], field, buffer, sizeof buffer));
        }
        add_unknown(object, o, &o->items[i]);
        char *json = cJSON_PrintUnformatted(object);
        buf_puts(out, json ? json : "{}");
        buf_putc(out, '\n');
        free(json);
        cJSON_Delete(object);
    }
}
