/* SPDX-License-Identifier: MIT */
#include "gpuplan/listing/explain.h"

#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "listing/fields.h"

enum { MAX_SHOWN = 160, MAX_IGNORED = 512 };

struct listing_explain {
    struct arena *arena;
    struct explain_file *files;
    size_t count, cap;
};

struct listing_explain *listing_explain_new(void) {
    struct listing_explain *e = mem_zero(1, sizeof *e);
    e->arena = arena_new();
    return e;
}

void listing_explain_free(struct listing_explain *e) {
    if (!e)
        return;
    for (size_t i = 0; i < e->count; i++) {
        free(e->files[i].lines);
        free(e->files[i].ignored);
    }
    free(e->files);
    arena_free(e->arena);
    free(e);
}

size_t listing_explain_count(const struct listing_explain *e) {
    return e ? e->count : 0;
}

const struct explain_file *listing_explain_at(const struct listing_explain *e, size_t i) {
    return &e->files[i];
}

const char *listing_explain_text(struct listing_explain *e, const char *s, size_t len) {
    char clean[MAX_SHOWN];
    size_t n = text_clean(clean, sizeof clean, s, len);
    return arena_strndup(e->arena, clean, n);
}

struct explain_file *listing_explain_begin(struct listing_explain *e, const char *file) {
    if (!e)
        return NULL;
    e->files = mem_grow(e->files, &e->cap, e->count + 1, sizeof *e->files);
    struct explain_file *f = &e->files[e->count++];
    *f = (struct explain_file){
        .file = listing_explain_text(e, file, strlen(file)), .source = "", .runner_up = "", .mapping = ""};
    return f;
}

static void add_line(struct listing_explain *e, struct explain_file *f, const char *field, const char *from,
                     const char *unit, size_t rows) {
    f->lines = mem_grow(f->lines, &f->line_cap, f->line_count + 1, sizeof *f->lines);
    f->lines[f->line_count++] = (struct explain_line){
        .field = listing_explain_text(e, field, strlen(field)),
        .from = listing_explain_text(e, from, strlen(from)),
        .unit = listing_explain_text(e, unit, strlen(unit)),
        .rows = rows,
    };
}

void listing_explain_add_line(struct listing_explain *e, const char *field, const char *from, const char *unit,
                              size_t rows) {
    if (e && e->count > 0)
        add_line(e, &e->files[e->count - 1], field, from, unit, rows);
}

static size_t count_stated(const struct catalog *c, const struct offers *o, unsigned file, const struct field *field) {
    char buffer[1024];
    size_t n = 0;
    for (size_t i = 0; i < o->count; i++)
        n += o->items[i].file == file && *field_text(c, o, &o->items[i], field, buffer, sizeof buffer) != '\0';
    return n;
}

void listing_explain_offers(struct listing_explain *e, const struct catalog *c, const struct offers *o) {
    for (size_t i = 0; i < e->count; i++)
        for (size_t k = 0; k < listing_field_count() && !e->files[i].by_mapping; k++) {
            const struct field *field = &listing_field_table[k];
            size_t rows = count_stated(c, o, e->files[i].index, field);
            if (rows > 0)
                add_line(e, &e->files[i], field->name, "", "", rows);
        }
}

void listing_explain_add_ignored(struct listing_explain *e, const char *name, size_t len) {
    if (!e || e->count == 0)
        return;
    struct explain_file *f = &e->files[e->count - 1];
    const char *text = listing_explain_text(e, name, len);
    for (size_t i = 0; i < f->ignored_count; i++)
        if (strcmp(f->ignored[i], text) == 0)
            return;
    if (f->ignored_count == MAX_IGNORED)
        return;
    f->ignored = mem_grow(f->ignored, &f->ignored_cap, f->ignored_count + 1, sizeof *f->ignored);
    f->ignored[f->ignored_count++] = text;
}

void listing_explain_keep(struct listing_explain *e) {
    if (e && e->count > 0)
        e->files[e->count - 1].kept_ignored = true;
}
