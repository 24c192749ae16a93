/* SPDX-License-Identifier: MIT */
/* A mapping file as a whole. docs/sources.md has every member. */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "listing/mapping.h"

enum { MAX_SHAPES = 8, MAX_KEYS_OF_SHAPE = 32, MAX_JOINS = 8, MAX_NAME = 40, MAX_SKIP_LINES = 100 };

static const cJSON *member(const cJSON *object, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static bool at(struct err *err, const char *field) {
    if (err && !err->field[0])
        err_at(err, NULL, 0, 0, field);
    return false;
}

static bool required_text(struct mapping *m, const cJSON *file, const char *key, const char **out, struct err *err) {
    const char *s = cJSON_GetStringValue(member(file, key));
    if (!s || !*s) {
        err_set(err, ERR_DATA, "must be there, a text");
        return at(err, key);
    }
    *out = mapping_strdup(m, s);
    return true;
}

static bool parse_name(struct mapping *m, const cJSON *file, struct err *err) {
    if (!required_text(m, file, "name", &m->name, err) || !required_text(m, file, "label", &m->label, err) ||
        !required_text(m, file, "about", &m->about, err))
        return false;
    bool good = strlen(m->name) <= MAX_NAME;
    for (const char *p = m->name; *p && good; p++)
        good = islower((unsigned char)*p) || isdigit((unsigned char)*p) || (*p == '-' && p > m->name);
    if (good)
        return true;
    err_set(err, ERR_DATA, "must be at most %d small letters, digits and \"-\"", MAX_NAME);
    return at(err, "name");
}

static bool parse_format(struct mapping *m, const cJSON *file, struct err *err) {
    static const char *const names[] = {"json", "jsonl", "csv"};
    const char *s = cJSON_GetStringValue(member(file, "format"));
    for (int i = 0; i < 3 && s; i++)
        if (strcmp(names[i], s) == 0) {
            m->format = (enum mapping_format)i;
            return true;
        }
    err_set(err, ERR_DATA, "must be one of json, jsonl (a JSON object a line), csv");
    return at(err, "format");
}

static bool parse_keys(struct mapping *m, const cJSON *list, struct mapping_shape *s, struct err *err) {
    const char **texts;
    if (!cJSON_IsArray(list) || !mapping_texts_parse(m, list, "keys", &texts, &s->count, err))
        return err_set(err, ERR_DATA, "must be a list of texts: what only such a file has");
    if (s->count == 0 || s->count > MAX_KEYS_OF_SHAPE)
        return err_set(err, ERR_DATA, "1 to %d are needed", MAX_KEYS_OF_SHAPE);
    if (m->format == MAPPING_CSV) {
        s->columns = texts;
        return true;
    }
    s->keys = arena_alloc(m->arena, sizeof(struct path *) * s->count);
    for (size_t i = 0; i < s->count; i++) {
        s->keys[i] = mapping_path(m, texts[i], false, err);
        if (!s->keys[i])
            return false;
        if (s->keys[i]->up || s->keys[i]->key || s->keys[i]->count == 0)
            return err_set(err, ERR_DATA, "\"%s\" is no path from the start of the file", texts[i]);
    }
    return true;
}

static bool parse_rows(struct mapping *m, const char *text, struct mapping_shape *s, struct err *err) {
    size_t stars = 0;
    s->rows = mapping_path(m, text, false, err);
    if (!s->rows)
        return false;
    for (size_t i = 0; i < s->rows->count; i++) {
        stars += s->rows->segments[i].any;
        if (s->rows->segments[i].optional && i + 1 < s->rows->count)
            return err_set(err, ERR_DATA, "\"%s\": \"*?\" may stand at the end only", text);
    }
    if (s->rows->up || s->rows->key || stars > MAPPING_MAX_LEVELS)
        return err_set(err, ERR_DATA, "\"%s\" is no path from the start of the file with at most %d stars", text,
                       MAPPING_MAX_LEVELS);
    return true;
}

static bool parse_shape(struct mapping *m, const cJSON *file, const cJSON *object, struct mapping_shape *s,
                        struct err *err) {
    static const char *const of_json[] = {"keys", "rows", NULL}, *const of_csv[] = {"columns", "skip_lines", NULL};
    bool csv = m->format == MAPPING_CSV;
    if (!cJSON_IsObject(object))
        return err_set(err, ERR_DATA, "must be an object, or a list of objects");
    if (!mapping_check_keys(object, csv ? of_csv : of_json, err))
        return false;
    const cJSON *keys = member(object, csv ? "columns" : "keys"), *rows = member(object, "rows");
    if (!keys)
        return err_set(err, ERR_DATA,
                       csv ? "needs \"columns\": names of the header that only such a file has"
                           : "needs \"keys\": paths that only such a file has");
    if (!parse_keys(m, keys, s, err))
        return at(err, csv ? "recognise.columns" : "recognise.keys");
    if (csv) {
        double lines = json_number(object, "skip_lines", 0);
        if (!(lines >= 0 && lines <= MAX_SKIP_LINES))
            return err_set(err, ERR_DATA, "\"skip_lines\" must be a number from 0 to %d", MAX_SKIP_LINES);
        s->skip_lines = (size_t)lines;
        return true;
    }
    const char *text = cJSON_GetStringValue(rows ? rows : member(file, "rows"));
    if (!text && (m->format == MAPPING_JSON || rows || member(file, "rows"))) {
        err_set(err, ERR_DATA, "must be the path to the rows, such as \"data.*\"; \"*\" is every element");
        return at(err, "rows");
    }
    return parse_rows(m, text ? text : ".", s, err) || at(err, "rows");
}

static bool parse_recognise(struct mapping *m, const cJSON *file, struct err *err) {
    const cJSON *value = member(file, "recognise");
    bool list = cJSON_IsArray(value);
    int n = list ? cJSON_GetArraySize(value) : 1, i = 0;
    if (!value || n < 1 || n > MAX_SHAPES) {
        err_set(err, ERR_DATA, "must be there: an object, or a list of 1 to %d", MAX_SHAPES);
        return at(err, "recognise");
    }
    m->shapes = arena_alloc(m->arena, sizeof *m->shapes * (size_t)n);
    m->shape_count = (size_t)n;
    for (const cJSON *item = list ? value->child : value; i < n; item = item->next, i++)
        if (!parse_shape(m, file, item, &m->shapes[i], err))
            return at(err, "recognise");
    return true;
}

static bool parse_joins(struct mapping *m, const cJSON *joins, struct err *err) {
    static const char *const allowed[] = {"rows", "key", NULL};
    int n = cJSON_GetArraySize(joins);
    if (!joins)
        return true;
    if (!cJSON_IsObject(joins) || n > MAX_JOINS || m->format == MAPPING_CSV)
        return err_set(err, ERR_DATA, "must be an object of at most %d, in a JSON payload", MAX_JOINS);
    m->joins = arena_alloc(m->arena, sizeof *m->joins * (size_t)(n ? n : 1));
    for (const cJSON *item = joins->child; item; item = item->next) {
        struct mapping_shape s = {0};
        const char *rows = cJSON_GetStringValue(member(item, "rows")), *key = cJSON_GetStringValue(member(item, "key"));
        if (!rows || !key || !mapping_check_keys(item, allowed, err))
            return err_set(err, ERR_DATA,
                           "each needs \"rows\" (a path from the start) and \"key\" (a path in such a row)");
        struct join *j = &m->joins[m->join_count++];
        j->name = mapping_strdup(m, item->string);
        if (!parse_rows(m, rows, &s, err) || !(j->key = mapping_path(m, key, true, err)))
            return false;
        j->rows = s.rows;
    }
    return true;
}

/* ---- fields ---- */

static bool has_field(const struct variant *v, const char *name) {
    for (size_t i = 0; i < v->count; i++)
        if (strcmp(v->fields[i]->name, name) == 0)
            return true;
    return false;
}

/* What an offer cannot do without, and what is never guessed. */
static bool check_variant(const struct variant *v, struct err *err) {
    const struct mapping_field *basis = NULL;
    for (size_t i = 0; i < v->count; i++)
        if (strcmp(v->fields[i]->name, "rate_basis") == 0)
            basis = v->fields[i];
    if (!has_field(v, "gpu") && !has_field(v, "gpu_raw"))
        return err_set(err, ERR_DATA, "\"gpu\" is missing: the name of the card");
    if (!has_field(v, "provider"))
        return err_set(err, ERR_DATA, "\"provider\" is missing: who rents, or {\"const\": NAME}");
    if (!has_field(v, "rate_usd_h") && !has_field(v, "spot_usd_h"))
        return err_set(err, ERR_DATA, "\"rate_usd_h\" is missing: the price");
    if (!basis)
        return err_set(err, ERR_DATA,
                       "\"rate_basis\" is missing: is the price that of the whole machine or of one GPU? "
                       "{\"const\": \"machine\"} or {\"const\": \"gpu\"}");
    if (!has_field(v, "currency"))
        return err_set(err, ERR_DATA, "\"currency\" is missing: {\"const\": \"USD\"}, or where it stands");
    bool per_gpu = basis->constant && strcmp(basis->constant, "gpu") == 0;
    if (!per_gpu && !has_field(v, "gpus") && !has_field(v, "vram_total_gb"))
        return err_set(err, ERR_DATA, "\"gpus\" is missing: a price of a machine needs the number of its GPUs");
    return true;
}

static bool parse_fields(struct mapping *m, const cJSON *object, struct variant *v, struct err *err) {
    int n = cJSON_GetArraySize(object);
    if (!cJSON_IsObject(object))
        return err_set(err, ERR_DATA, "must be an object {\"our field\": \"their path\"}");
    v->fields = arena_alloc(m->arena, sizeof(struct mapping_field *) * (size_t)(n ? n : 1));
    for (const cJSON *item = object->child; item; item = item->next) {
        char place[64];
        if (strncmp(item->string, "//", 2) == 0)
            continue;
        snprintf(place, sizeof place, "fields.%s", mapping_strdup(m, item->string));
        if (has_field(v, item->string)) {
            err_set(err, ERR_DATA, "stands there twice");
            return at(err, place);
        }
        struct mapping_field *f = mapping_field_parse(m, item->string, item, err);
        if (!f)
            return at(err, place);
        v->fields[v->count++] = f;
    }
    return true;
}

/* The common fields, unless the variant has its own. */
static void inherit(struct mapping *m, const struct variant *common, struct variant *v) {
    struct mapping_field **all = arena_alloc(m->arena, sizeof *all * (common->count + v->count + 1));
    size_t count = 0;
    for (size_t i = 0; i < common->count; i++)
        if (!has_field(v, common->fields[i]->name))
            all[count++] = common->fields[i];
    if (v->count)
        memcpy(all + count, v->fields, sizeof *all * v->count);
    v->fields = all;
    v->count += count;
}

static bool parse_variants(struct mapping *m, const cJSON *list, const struct variant *common, struct err *err) {
    static const char *const allowed[] = {"when", "fields", "skip", NULL};
    int n = list ? cJSON_GetArraySize(list) : 1, i = 0;
    if (list && (!cJSON_IsArray(list) || n < 1 || n > MAPPING_MAX_VARIANTS))
        return err_set(err, ERR_DATA, "must be a list of 1 to %d objects", MAPPING_MAX_VARIANTS);
    m->variants = arena_alloc(m->arena, sizeof *m->variants * (size_t)n);
    m->variant_count = (size_t)n;
    if (!list)
        m->variants[0] = *common;
    for (const cJSON *item = list ? list->child : NULL; item; item = item->next, i++) {
        struct variant *v = &m->variants[i];
        if (!cJSON_IsObject(item))
            return err_set(err, ERR_DATA,
                           "each must be an object with \"fields\" and, if wanted, \"when\" and \"skip\"");
        if (!mapping_check_keys(item, allowed, err) || !parse_fields(m, member(item, "fields"), v, err) ||
            !mapping_conditions_parse(m, member(item, "when"), false, &v->when, &v->when_count, err) ||
            !mapping_conditions_parse(m, member(item, "skip"), true, &v->skip, &v->skip_count, err))
            return false;
        inherit(m, common, v);
    }
    for (i = 0; i < n; i++)
        if (!check_variant(&m->variants[i], err))
            return at(err, "fields");
    return true;
}

static bool parse_file(struct mapping *m, const cJSON *file, struct err *err) {
    static const char *const allowed[] = {"name",  "label", "about",  "format",   "recognise", "rows",
                                          "empty", "joins", "fields", "variants", "skip",      NULL};
    struct variant common = {0};
    if (!cJSON_IsObject(file))
        return err_set(err, ERR_DATA, "a mapping file is one JSON object");
    if (!mapping_check_keys(file, allowed, err) || !parse_name(m, file, err) || !parse_format(m, file, err) ||
        !parse_recognise(m, file, err))
        return false;
    const cJSON *empty = member(file, "empty");
    if (empty && !mapping_texts_parse(m, empty, "empty", &m->empty, &m->empty_count, err))
        return at(err, "empty");
    if (!parse_joins(m, member(file, "joins"), err))
        return at(err, "joins");
    if (!parse_fields(m, member(file, "fields"), &common, err))
        return at(err, "fields");
    if (!mapping_conditions_parse(m, member(file, "skip"), true, &m->skip, &m->skip_count, err))
        return at(err, "skip");
    return parse_variants(m, member(file, "variants"), &common, err) || at(err, "variants");
}

struct mapping *mapping_parse(const char *bytes, size_t len, const char *file, enum mapping_origin origin,
                              struct err *err) {
    struct err local = {0};
    if (!err)
        err = &local;
    if (len > MAPPING_MAX_BYTES) {
        err_set(err, ERR_DATA, "a mapping file of %zu bytes; at most %d are read", len, MAPPING_MAX_BYTES);
        err_at(err, file, 0, 0, NULL);
        return NULL;
    }
    cJSON *tree = json_parse(bytes, len, file, err);
    if (!tree)
        return NULL;
    struct mapping *m = mem_zero(1, sizeof *m);
    m->arena = arena_new();
    m->origin = origin;
    m->file = mapping_strdup(m, file);
    bool good = parse_file(m, tree, err);
    cJSON_Delete(tree);
    if (good)
        return m;
    err_at(err, file, 0, 0, NULL);
    mapping_free(m);
    return NULL;
}

void mapping_free(struct mapping *m) {
    if (!m)
        return;
    for (size_t i = 0; i < m->pattern_count; i++)
        regfree(m->patterns[i]);
    free(m->patterns);
    free(m->paths);
    arena_free(m->arena);
    free(m);
}
