/* SPDX-License-Identifier: MIT */
/* One member of "fields": where the value comes from and what is done to it. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/mapping.h"

enum { MAX_FROM = 8, MAX_WORDS = 256 };

static const struct {
    const char *name;
    enum pseudo_field pseudo;
} pseudo_fields[] = {{"vram_total_gb", PSEUDO_VRAM_TOTAL}, {"gpu_rate_usd_h", PSEUDO_GPU_RATE}};

static bool find_field(struct mapping_field *f, const char *name, struct err *err) {
    const char *names[128];
    size_t count;
    const char *const *fields = listing_fields(&count);
    f->field = listing_field_find(name);
    for (size_t i = 0; i < sizeof pseudo_fields / sizeof *pseudo_fields && !f->field; i++)
        if (strcmp(pseudo_fields[i].name, name) == 0)
            f->pseudo = pseudo_fields[i].pseudo;
    if (f->field || f->pseudo)
        return true;
    memcpy(names, fields, count * sizeof *names);
    for (size_t i = 0; i < sizeof pseudo_fields / sizeof *pseudo_fields; i++)
        names[count++] = pseudo_fields[i].name;
    const char *near = text_nearest(name, names, count);
    if (near)
        return err_set(err, ERR_DATA, "no field of an offer; did you mean \"%s\"?", near);
    return err_set(err, ERR_DATA, "no field of an offer; docs/sources.md has the table of all fields");
}

static bool is_number(const struct mapping_field *f) {
    return f->pseudo != PSEUDO_NONE || (f->field && field_is_number(f->field));
}

static const cJSON *member(const cJSON *spec, const char *key) {
    return cJSON_GetObjectItemCaseSensitive(spec, key);
}

/* NULL where it is absent; another type is an error. */
static bool text_member(const cJSON *spec, const char *key, const char **out, struct err *err) {
    const cJSON *item = member(spec, key);
    *out = cJSON_GetStringValue(item);
    return !item || *out || err_set(err, ERR_DATA, "\"%s\" must be a text", key);
}

static bool parse_from(struct mapping *m, struct mapping_field *f, const cJSON *from, struct err *err) {
    const char **texts;
    size_t count;
    if (!mapping_texts_parse(m, from, "from", &texts, &count, err))
        return false;
    if (count == 0 || count > MAX_FROM)
        return err_set(err, ERR_DATA, "\"from\" has 1 to %d paths", MAX_FROM);
    f->from = arena_alloc(m->arena, sizeof(struct path *) * count);
    f->from_count = count;
    for (size_t i = 0; i < count; i++)
        if (!(f->from[i] = mapping_path(m, texts[i], true, err)))
            return false;
    return true;
}

/* The paths in "{…}" are made known now, so that wrong ones are found here. */
static bool parse_text(struct mapping *m, struct mapping_field *f, const char *text, struct err *err) {
    char name[128];
    f->text = mapping_strdup(m, text);
    for (const char *p = strchr(f->text, '{'); p; p = strchr(p + 1, '{')) {
        const char *end = strchr(p, '}');
        size_t len = end ? (size_t)(end - p - 1) : 0;
        if (len == 0 || len >= sizeof name)
            return err_set(err, ERR_DATA, "\"text\": \"{\" needs a path and \"}\"");
        snprintf(name, sizeof name, "%.*s", (int)len, p + 1);
        if (!mapping_path(m, name, true, err))
            return false;
    }
    return true;
}

static bool parse_words(struct mapping *m, struct mapping_field *f, const cJSON *words, struct err *err) {
    int n = cJSON_GetArraySize(words);
    if (!words)
        return true;
    if (!cJSON_IsObject(words) || n > MAX_WORDS)
        return err_set(err, ERR_DATA, "\"words\" must be an object {\"their word\": \"our word\"} of at most %d",
                       MAX_WORDS);
    f->words = arena_alloc(m->arena, sizeof *f->words * (size_t)(n ? n : 1));
    for (const cJSON *w = words->child; w; w = w->next) {
        const char **to;
        size_t count;
        if (cJSON_IsArray(w) || !mapping_texts_parse(m, w, "words", &to, &count, err))
            return err_set(err, ERR_DATA, "\"words\": \"%s\" needs a text", mapping_strdup(m, w->string));
        if (strcmp(w->string, "*") == 0)
            f->other = to[0];
        else if (!*w->string)
            f->nothing = to[0];
        else
            f->words[f->word_count++] = (struct word){mapping_strdup(m, w->string), to[0]};
    }
    return true;
}

static bool parse_factor(struct mapping *m, const cJSON *value, const char *what, struct factor **out,
                         struct err *err) {
    if (!value)
        return true;
    struct factor *f = *out = arena_alloc(m->arena, sizeof *f);
    if (cJSON_IsNumber(value)) {
        f->number = value->valuedouble;
        return (isfinite(f->number) && f->number > 0) ||
               err_set(err, ERR_DATA, "\"%s\" must be a number above 0, or a path", what);
    }
    if (!cJSON_IsString(value))
        return err_set(err, ERR_DATA, "\"%s\" must be a number above 0, or a path", what);
    return (f->path = mapping_path(m, value->valuestring, true, err)) != NULL;
}

static bool parse_unit(struct mapping *m, struct mapping_field *f, const cJSON *spec, struct err *err) {
    char allowed[220];
    const char *unit, *decimal;
    if (!text_member(spec, "unit", &unit, err) || !text_member(spec, "decimal", &decimal, err))
        return false;
    if (decimal && strcmp(decimal, ",") != 0 && strcmp(decimal, ".") != 0)
        return err_set(err, ERR_DATA, "\"decimal\" must be \".\" or \",\"");
    f->decimal_comma = decimal && *decimal == ',';
    if (!unit)
        return true;
    f->unit = mapping_strdup(m, unit);
    if (mapping_unit(f, unit, &f->scale))
        return num_known(f->scale) || strcmp(f->name, "rate_usd_h") == 0 || strcmp(f->name, "spot_usd_h") == 0 ||
               err_set(err, ERR_DATA, "only rates can be per term");
    mapping_unit_list(f, allowed, sizeof allowed);
    return err_set(err, ERR_DATA, "unit \"%s\": allowed are %s", f->unit, allowed);
}

static bool parse_join(struct mapping *m, struct mapping_field *f, const cJSON *spec, struct err *err) {
    const char *name, *on;
    if (!text_member(spec, "join", &name, err) || !text_member(spec, "on", &on, err))
        return false;
    if (!name)
        return !on || err_set(err, ERR_DATA, "\"on\" belongs to \"join\"");
    for (size_t i = 0; i < m->join_count; i++)
        if (strcmp(m->joins[i].name, name) == 0)
            f->join = (int)i;
    if (f->join < 0)
        return err_set(err, ERR_DATA, "join \"%s\" is not in \"joins\"", mapping_strdup(m, name));
    if (!on || !f->from)
        return err_set(err, ERR_DATA, "\"join\" needs \"on\" (the path of the key in this row) and \"from\"");
    return (f->on = mapping_path(m, on, true, err)) != NULL;
}

static bool parse_object(struct mapping *m, struct mapping_field *f, const cJSON *spec, struct err *err) {
    static const char *const allowed[] = {"from",    "const", "text",    "join", "on",    "empty",     "match", "words",
                                          "default", "strip", "decimal", "unit", "times", "divide_by", NULL};
    const char *match, *strip, *text;
    const cJSON *constant = member(spec, "const"), *from = member(spec, "from"), *fallback = member(spec, "default");
    const char **texts;
    size_t count;
    if (!mapping_check_keys(spec, allowed, err) || !text_member(spec, "match", &match, err) ||
        !text_member(spec, "strip", &strip, err) || !text_member(spec, "text", &text, err))
        return false;
    if ((constant != NULL) + (from != NULL) + (text != NULL) != 1)
        return err_set(err, ERR_DATA, "needs one of \"from\" (path or column), \"const\" and \"text\"");
    if (constant) {
        if (!mapping_texts_parse(m, constant, "const", &texts, &count, err))
            return false;
        if (count != 1)
            return err_set(err, ERR_DATA, "\"const\" must be one text or number");
        f->constant = texts[0];
    }
    if (fallback) {
        if (!mapping_texts_parse(m, fallback, "default", &texts, &count, err))
            return false;
        if (count != 1)
            return err_set(err, ERR_DATA, "\"default\" must be one text or number");
        f->fallback = texts[0];
    }
    if ((from && !parse_from(m, f, from, err)) || (text && !parse_text(m, f, text, err)))
        return false;
    if (match) {
        f->pattern_text = mapping_strdup(m, match);
        if (!(f->pattern = mapping_pattern(m, match, err)))
            return false;
    }
    f->strip = strip ? mapping_strdup(m, strip) : NULL;
    const cJSON *empty = member(spec, "empty");
    if (empty && !mapping_texts_parse(m, empty, "empty", &f->empty, &f->empty_count, err))
        return false;
    bool numeric = f->strip || member(spec, "decimal") || member(spec, "times") || member(spec, "divide_by");
    if (numeric && !is_number(f))
        return err_set(err, ERR_DATA, "strip, decimal, times and divide_by are for numbers; this field is none");
    return parse_words(m, f, member(spec, "words"), err) && parse_join(m, f, spec, err) &&
           parse_unit(m, f, spec, err) && parse_factor(m, member(spec, "times"), "times", &f->times, err) &&
           parse_factor(m, member(spec, "divide_by"), "divide_by", &f->divide, err);
}

/* A constant is the same in every row: what is wrong with it is wrong with the file. */
static bool check_constant(const struct mapping_field *f, struct err *err) {
    double x;
    const char *s = f->constant;
    if (!s || !f->field || f->unit)
        return true;
    if (field_is_number(f->field) && !(num_parse_plain(s, strlen(s), &x) && x >= f->field->min && x <= f->field->max))
        return err_set(err, ERR_DATA, "\"%s\" must be a number from %.7g to %.7g", s, f->field->min, f->field->max);
    if (f->field->type == FIELD_WORD && f->field->find(s) < 0) {
        char words[160] = "";
        size_t used = 0;
        for (int i = 0; i < f->field->words && used < sizeof words; i++)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", i ? ", " : "", f->field->word(i));
        return err_set(err, ERR_DATA, "\"%s\" must be one of %s", s, words);
    }
    return true;
}

static struct mapping_field *parse_one(struct mapping *m, const char *name, const cJSON *spec, struct err *err) {
    struct mapping_field *f = arena_alloc(m->arena, sizeof *f);
    *f = (struct mapping_field){.name = mapping_strdup(m, name), .id = m->field_count++, .join = -1, .scale = 1};
    bool good = find_field(f, f->name, err);
    if (good && cJSON_IsString(spec))
        good = parse_from(m, f, spec, err);
    else if (good && cJSON_IsObject(spec))
        good = parse_object(m, f, spec, err) && check_constant(f, err);
    else if (good)
        good = err_set(err, ERR_DATA,
                       "must be a path (a column), an object such as {\"from\": PATH, \"unit\": UNIT}, or "
                       "a list of these, of which the first that says something counts");
    return good ? f : NULL;
}

struct mapping_field *mapping_field_parse(struct mapping *m, const char *name, const cJSON *spec, struct err *err) {
    int n = cJSON_GetArraySize(spec);
    if (!cJSON_IsArray(spec))
        return parse_one(m, name, spec, err);
    if (n < 1 || n > MAPPING_MAX_OTHERWISE) {
        err_set(err, ERR_DATA, "a list has 1 to %d elements", MAPPING_MAX_OTHERWISE);
        return NULL;
    }
    struct mapping_field *first = NULL, **end = &first;
    for (const cJSON *item = spec->child; item; item = item->next, end = &(*end)->otherwise)
        if (!(*end = parse_one(m, name, item, err)))
            return NULL;
    return first;
}
