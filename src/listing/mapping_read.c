/* SPDX-License-Identifier: MIT */
/* The rows of a payload, one after another: of a JSON tree, of JSON lines, of a CSV. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/text.h"
#include "gpuplan/listing/explain.h"
#include "listing/mapping.h"

enum { ROWS_LOOKED_AT = 64 /* for keys that nothing was made of */, MAX_LINE = CSV_MAX_RECORD };
static const size_t max_rows = 20000000; /* more than any payload within the size limit has, stars within stars aside */

struct reading {
    struct reader r;
    struct row row;
    size_t rows;
    const char *upto; /* in the bytes, for progress */
};

typedef bool (*take_row)(void *user, const struct level *levels, size_t count);

/* ---- JSON: rows under stars ---- */

/* "*?" and nothing is there: one row that is empty, beside what is around it. */
static bool stands_for_none(const struct path *p, size_t at) {
    while (at < p->count && !p->segments[at].any)
        at++;
    return at + 1 == p->count && p->segments[at].optional;
}

static bool walk(const struct path *p, size_t at, struct level *levels, size_t count, const cJSON *node, take_row take,
                 void *user) {
    size_t first = at;
    while (at < p->count && !p->segments[at].any && node)
        node = path_step(&p->segments[at++], node);
    if (node && at == p->count) {
        if (at > first) /* what stands behind the last star is the row, "^" the element */
            levels[count++] = (struct level){.node = node, .key = ""};
        return take(user, levels, count);
    }
    bool list = cJSON_IsArray(node) || cJSON_IsObject(node), more = true;
    size_t index = 0;
    if (!list || !node->child) {
        levels[count] = (struct level){.node = NULL, .key = ""};
        return !stands_for_none(p, at) || take(user, levels, count + 1);
    }
    for (const cJSON *item = node->child; item && more; item = item->next) {
        levels[count] = (struct level){item, item->string ? item->string : "", index++};
        more = walk(p, at + 1, levels, count + 1, item, take, user);
    }
    return more;
}

static void walk_rows(const struct path *p, const cJSON *root, take_row take, void *user) {
    struct level levels[MAPPING_MOST_AROUND] = {{.node = root, .key = ""}};
    walk(p, 0, levels, 1, root, take, user);
}

/* ---- joins ---- */

struct joining {
    const struct join *join;
    struct join_table *table;
    const struct mapping *m;
};

static bool take_joined(void *user, const struct level *levels, size_t count) {
    struct joining *j = user;
    struct value key;
    struct row row = {.m = j->m};
    row.levels[0] = levels[count - 1];
    row.level_count = 1;
    row_look(&row, j->join->key, &key);
    if (key.len == 0)
        return true;
    struct join_table *t = j->table;
    t->rows = mem_grow(t->rows, &t->cap, t->count + 1, sizeof *t->rows);
    t->rows[t->count++] = (struct join_row){mem_strdup(key.text), levels[count - 1].node};
    return true;
}

static int compare_keys(const void *a, const void *b) {
    return strcmp(((const struct join_row *)a)->key, ((const struct join_row *)b)->key);
}

static struct join_table *joins_new(const struct mapping *m, const cJSON *root) {
    struct join_table *tables = mem_zero(m->join_count + 1, sizeof *tables);
    for (size_t i = 0; i < m->join_count; i++) {
        struct joining j = {&m->joins[i], &tables[i], m};
        walk_rows(m->joins[i].rows, root, take_joined, &j);
        if (tables[i].count)
            qsort(tables[i].rows, tables[i].count, sizeof *tables[i].rows, compare_keys);
    }
    return tables;
}

static void joins_free(const struct mapping *m, struct join_table *tables) {
    for (size_t i = 0; i < m->join_count; i++) {
        for (size_t k = 0; k < tables[i].count; k++)
            free(tables[i].rows[k].key);
        free(tables[i].rows);
    }
    free(tables);
}

/* ---- explaining ---- */

static bool is_used(const struct mapping *m, const char *name, size_t len) {
    for (size_t i = 0; i < m->path_count; i++) {
        const struct path *p = m->paths[i];
        const char *first = m->format == MAPPING_CSV         ? p->text
                            : p->count && !p->up && !p->root ? p->segments[0].name
                                                             : "";
        if (strlen(first) == len && memcmp(first, name, len) == 0)
            return true;
    }
    return false;
}

static void note_ignored(struct reading *g, const cJSON *node) {
    if (!g->r.ctx->explain || g->rows > ROWS_LOOKED_AT || !cJSON_IsObject(node))
        return;
    for (const cJSON *item = node->child; item; item = item->next)
        if (!is_used(g->row.m, item->string, strlen(item->string)))
            listing_explain_add_ignored(g->r.ctx->explain, item->string, strlen(item->string));
}

static void describe_source(const struct mapping_field *f, const struct mapping *m, char *out, size_t cap) {
    size_t used = 0;
    out[0] = '\0';
    if (f->constant)
        snprintf(out, cap, "constant %s", f->constant);
    else if (f->text)
        snprintf(out, cap, "%s", f->text);
    for (size_t i = 0; i < f->from_count && used < cap; i++)
        used += (size_t)snprintf(out + used, cap - used, "%s%s", i ? ", else " : "", f->from[i]->text);
    if (f->join >= 0 && used < cap)
        snprintf(out + used, cap - used, " of %s", m->joins[f->join].name);
}

static void describe_change(const struct mapping_field *f, char *out, size_t cap) {
    size_t used = (size_t)snprintf(out, cap, "%s", f->unit ? f->unit : "");
    const char *gap = used ? ", " : "";
    if (f->pattern_text && used < cap) {
        used += (size_t)snprintf(out + used, cap - used, "%smatch %s", gap, f->pattern_text);
        gap = ", ";
    }
    if ((f->word_count || f->other || f->nothing) && used < cap) {
        used += (size_t)snprintf(out + used, cap - used, "%swords", gap);
        gap = ", ";
    }
    const struct factor *factors[] = {f->times, f->divide};
    for (int i = 0; i < 2; i++)
        if (factors[i] && used < cap) {
            const char *sign = i ? "/" : "x";
            if (factors[i]->path)
                used += (size_t)snprintf(out + used, cap - used, "%s%s %s", gap, sign, factors[i]->path->text);
            else
                used += (size_t)snprintf(out + used, cap - used, "%s%s %.7g", gap, sign, factors[i]->number);
            gap = ", ";
        }
    if (f->fallback && used < cap)
        snprintf(out + used, cap - used, "%selse %s", gap, f->fallback);
}

/* Each field once, in the order of our format; a field of several variants has as many lines. */
static void explain_fields(const struct reading *g) {
    char from[200], change[200];
    const struct mapping *m = g->row.m;
    bool *told = mem_zero((size_t)m->field_count + 1, sizeof *told);
    for (size_t i = 0; i < m->variant_count; i++)
        for (size_t k = 0; k < m->variants[i].count; k++) {
            for (const struct mapping_field *f = m->variants[i].fields[k]; f && !told[f->id]; f = f->otherwise) {
                told[f->id] = true;
                describe_source(f, m, from, sizeof from);
                describe_change(f, change, sizeof change);
                listing_explain_add_line(g->r.ctx->explain, f->name, from, change, g->row.had[f->id]);
            }
        }
    free(told);
}

/* ---- rows ---- */

static bool begin_row(struct reading *g) {
    if (++g->rows > max_rows)
        return false;
    g->r.record = (long)g->rows;
    reader_progress(&g->r, g->upto);
    return true;
}

static bool take_json(void *user, const struct level *levels, size_t count) {
    struct reading *g = user;
    if (!begin_row(g))
        return false;
    memcpy(g->row.levels, levels, count * sizeof *levels);
    g->row.level_count = count;
    note_ignored(g, levels[count - 1].node);
    row_add(&g->row);
    return true;
}

static void read_document(struct reading *g, const struct mapping_shape *shape, const cJSON *root) {
    g->row.joins = joins_new(g->row.m, root);
    walk_rows(shape->rows, root, take_json, g);
    joins_free(g->row.m, g->row.joins);
    g->row.joins = NULL;
}

static bool read_json(struct reading *g, const struct mapping_shape *shape, const char *bytes, size_t len,
                      struct err *err) {
    cJSON *root = json_parse(bytes, len, g->r.name, err);
    if (!root)
        return false;
    g->upto = bytes;
    read_document(g, shape, root);
    cJSON_Delete(root);
    return true;
}

static void read_line(struct reading *g, const struct mapping_shape *shape, const char *line, size_t len) {
    struct err err = {0};
    text_trim(&line, &len);
    if (len == 0)
        return;
    g->upto = line;
    cJSON *root = len > MAX_LINE ? NULL : json_parse(line, len, g->r.name, &err);
    if (root) {
        read_document(g, shape, root);
        cJSON_Delete(root);
        return;
    }
    if (begin_row(g))
        reader_problem(&g->r, NULL, true, len > MAX_LINE ? "line longer than 1 MiB" : "not JSON: %s", err.text);
}

static void read_lines(struct reading *g, const struct mapping_shape *shape, const char *bytes, size_t len) {
    const char *end = bytes + len;
    for (const char *p = bytes; p < end;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        size_t n = newline ? (size_t)(newline - p) : (size_t)(end - p);
        g->r.line++;
        read_line(g, shape, p, n);
        p += n + (newline != NULL);
    }
}

struct csv_reading {
    struct reading *g;
    int *columns;
    size_t header;
    size_t skipped_lines;
};

static bool on_header(void *user, const struct csv_row *row, struct err *err) {
    struct csv_reading *c = user;
    const struct mapping *m = c->g->row.m;
    (void)err;
    for (size_t i = 0; i < m->path_count; i++) {
        struct column column = {m->paths[i]->text, -1};
        columns_resolve(&column, 1, row);
        c->columns[i] = column.index;
    }
    for (size_t i = 0; i < row->count && c->g->r.ctx->explain; i++) {
        const char *s = row->cells[i];
        size_t len = row->lengths[i];
        text_trim(&s, &len);
        if (len > 0 && !is_used(m, s, len))
            listing_explain_add_ignored(c->g->r.ctx->explain, s, len);
    }
    c->header = row->count;
    return true;
}

static bool on_row(void *user, const struct csv_row *row, struct err *err) {
    struct csv_reading *c = user;
    struct reading *g = c->g;
    (void)err;
    reader_at(&g->r, row);
    g->r.line += (long)c->skipped_lines;
    if (row->count > c->header) {
        reader_problem(&g->r, NULL, true, "more cells than the header has columns");
        return true;
    }
    g->row.csv = row;
    row_add(&g->row);
    return true;
}

static bool read_csv(struct reading *g, const struct mapping_shape *shape, const char *bytes, size_t len,
                     struct err *err) {
    const struct mapping *m = g->row.m;
    struct csv_reading c = {
        .g = g, .columns = mem_zero(m->path_count + 1, sizeof(int)), .skipped_lines = shape->skip_lines};
    struct csv_handler handler = {on_header, on_row, &c};
    bytes = mapping_skip_lines(bytes, &len, shape->skip_lines);
    g->r.bytes = bytes;
    g->row.columns = c.columns;
    bool good = csv_read(bytes, len, g->r.name, &handler, err);
    free(c.columns);
    return good;
}

bool mapping_read(const struct mapping *m, const struct mapping_shape *shape, const struct listing_context *ctx,
                  const char *bytes, size_t len, const char *name, struct offers *out, struct err *err) {
    struct reading g = {.upto = bytes};
    bool good = true;
    reader_begin(&g.r, ctx, out, name, bytes);
    g.row = (struct row){.r = &g.r, .m = m, .had = mem_zero((size_t)m->field_count + 1, sizeof(size_t))};
    if (m->format == MAPPING_CSV)
        good = read_csv(&g, shape, bytes, len, err);
    else if (m->format == MAPPING_JSON)
        good = read_json(&g, shape, bytes, len, err);
    else
        read_lines(&g, shape, bytes, len);
    if (good && ctx->explain)
        explain_fields(&g);
    free(g.row.had);
    reader_end(&g.r);
    return good;
}
