/* SPDX-License-Identifier: MIT */
/* A value of a row on its way to a field: looked up, cut out, translated, converted. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/mapping.h"

static void put(struct value *v, const char *s, size_t len) {
    size_t room = sizeof v->text - 1 - v->len;
    if (len > room)
        len = room;
    memcpy(v->text + v->len, s, len);
    v->len += len;
    v->text[v->len] = '\0';
}

static void set(struct value *v, const char *s, size_t len) {
    text_trim(&s, &len);
    v->len = 0;
    put(v, s, len);
}

static void put_node(struct value *v, const cJSON *node) {
    char number[32];
    if (cJSON_IsString(node))
        put(v, node->valuestring, strlen(node->valuestring));
    else if (cJSON_IsNumber(node) && isfinite(node->valuedouble))
        put(v, number, num_format_plain(number, sizeof number, node->valuedouble, 15));
    else if (cJSON_IsBool(node))
        put(v, cJSON_IsTrue(node) ? "true" : "false", cJSON_IsTrue(node) ? 4 : 5);
}

/* A list of plain values is these, with commas. An object is nothing that a field could take. */
static void look_json(const struct row *row, const struct path *p, struct value *out) {
    const char *key;
    const cJSON *node = path_find(p, row->levels, row->level_count, &key);
    if (key) {
        put(out, key, strlen(key));
        return;
    }
    if (!cJSON_IsArray(node)) {
        put_node(out, node);
        return;
    }
    for (const cJSON *item = node->child; item; item = item->next) {
        size_t before = out->len;
        if (before > 0)
            put(out, ", ", 2);
        size_t with_comma = out->len;
        put_node(out, item);
        if (out->len == with_comma) {
            out->len = before;
            out->text[before] = '\0';
        }
    }
}

void row_look(const struct row *row, const struct path *p, struct value *out) {
    struct value found = {.len = 0};
    found.text[0] = '\0';
    out->len = 0;
    out->text[0] = '\0';
    if (row->m->format != MAPPING_CSV) {
        look_json(row, p, &found);
        set(out, found.text, found.len);
        return;
    }
    int column = row->columns[p->id];
    if (column >= 0 && (size_t)column < row->csv->count)
        set(out, row->csv->cells[column], row->csv->lengths[column]);
}

static bool is_one_of(const char *text, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (text_equal_fold(text, list[i]))
            return true;
    return false;
}

static void drop_empty(const struct row *row, const struct mapping_field *f, struct value *v) {
    if (is_one_of(v->text, row->m->empty, row->m->empty_count) || is_one_of(v->text, f->empty, f->empty_count))
        v->len = 0;
    v->text[v->len] = '\0';
}

/* ---- where it comes from ---- */

static struct path *path_named(const struct mapping *m, const char *s, size_t len) {
    for (size_t i = 0; i < m->path_count; i++)
        if (strlen(m->paths[i]->text) == len && memcmp(m->paths[i]->text, s, len) == 0)
            return m->paths[i];
    return NULL;
}

/* Nothing, where every part of it is nothing. */
static void fill_text(const struct row *row, const struct mapping_field *f, struct value *out) {
    struct value all = {.len = 0}, part;
    bool any = false;
    all.text[0] = '\0';
    for (const char *p = f->text; *p;) {
        const char *end = *p == '{' ? strchr(p, '}') : NULL;
        if (!end) {
            size_t len = strcspn(p + 1, "{") + 1;
            put(&all, p, len);
            p += len;
            continue;
        }
        const struct path *path = path_named(row->m, p + 1, (size_t)(end - p - 1));
        if (path) {
            row_look(row, path, &part);
            drop_empty(row, f, &part);
            put(&all, part.text, part.len);
            any |= part.len > 0;
        }
        p = end + 1;
    }
    set(out, all.text, any ? all.len : 0);
}

static int compare_keys(const void *a, const void *b) {
    return strcmp(((const struct join_row *)a)->key, ((const struct join_row *)b)->key);
}

static void look_joined(const struct row *row, const struct mapping_field *f, const struct path *p, struct value *out) {
    struct value key;
    const struct join_table *table = &row->joins[f->join];
    row_look(row, f->on, &key);
    const struct join_row wanted = {.key = key.text};
    const struct join_row *found =
        key.len && table->count ? bsearch(&wanted, table->rows, table->count, sizeof wanted, compare_keys) : NULL;
    out->len = 0;
    out->text[0] = '\0';
    if (!found)
        return;
    struct row other = *row;
    other.levels[0] = (struct level){.node = found->node, .key = ""};
    other.level_count = 1;
    row_look(&other, p, out);
}

static void look_all(const struct row *row, const struct mapping_field *f, struct value *out) {
    for (size_t i = 0; i < f->from_count; i++) {
        if (f->join >= 0)
            look_joined(row, f, f->from[i], out);
        else
            row_look(row, f->from[i], out);
        drop_empty(row, f, out);
        if (out->len > 0)
            return;
    }
}

/* ---- what is done to it ---- */

/* The first group; without one, all that matched. */
static void cut_out(const struct mapping_field *f, struct value *v) {
    enum { GROUPS = 2 };
    regmatch_t at[GROUPS];
    char copy[MAX_TEXT];
    if (v->len == 0)
        return;
    if (regexec(f->pattern, v->text, GROUPS, at, 0) != 0) {
        v->len = 0;
        v->text[0] = '\0';
        return;
    }
    if (f->pattern->re_nsub == 0)
        at[1] = at[0];
    if (at[1].rm_so < 0) /* the group took no part */
        at[1].rm_so = at[1].rm_eo = 0;
    size_t len = (size_t)(at[1].rm_eo - at[1].rm_so);
    memcpy(copy, v->text + at[1].rm_so, len);
    set(v, copy, len);
}

static void translate(const struct mapping_field *f, struct value *v) {
    const char *to = v->len == 0 ? f->nothing : f->other;
    for (size_t i = 0; i < f->word_count && v->len > 0; i++)
        if (text_equal_fold(f->words[i].from, v->text)) {
            to = f->words[i].to;
            break;
        }
    if (to)
        set(v, to, strlen(to));
}

bool row_value(const struct row *row, const struct mapping_field *f, struct value *out) {
    out->len = 0;
    out->text[0] = '\0';
    if (f->constant)
        set(out, f->constant, strlen(f->constant));
    else if (f->text)
        fill_text(row, f, out);
    else
        look_all(row, f, out);
    if (f->pattern)
        cut_out(f, out);
    translate(f, out);
    if (out->len == 0 && f->fallback)
        set(out, f->fallback, strlen(f->fallback));
    return out->len > 0;
}

/* ---- numbers ---- */

/* "1.234,50" -> "1234.50"; what is to be stripped goes, and blanks between digits with it. */
static size_t tidy(const struct mapping_field *f, const struct value *v, char *out) {
    size_t n = 0;
    for (size_t i = 0; i < v->len; i++) {
        char c = v->text[i];
        if (f->strip && strchr(f->strip, c))
            continue;
        if (f->decimal_comma && (c == '.' || c == '\'' || c == ' ') && strspn(v->text + i + 1, "0123456789") == 3)
            continue; /* between thousands */
        out[n++] = f->decimal_comma && c == ',' ? '.' : c;
    }
    out[n] = '\0';
    return n;
}

/* A unit in the text wins over the one of the mapping: "1.5 TB" in a column of GB. */
static bool parse_number(const struct mapping_field *f, const char *s, size_t len, double *out) {
    double scale = f->scale;
    text_trim(&s, &len);
    size_t digits = strspn(s, "+-0123456789.");
    if (digits < len && (s[digits] == 'e' || s[digits] == 'E') && strspn(s + digits + 1, "+-0123456789") > 0)
        digits += 1 + strspn(s + digits + 1, "+-0123456789");
    if (digits < len) {
        char unit[16];
        const char *rest = s + digits;
        size_t rest_len = len - digits;
        text_trim(&rest, &rest_len);
        if (rest_len == 0 || rest_len >= sizeof unit)
            return false;
        memcpy(unit, rest, rest_len);
        unit[rest_len] = '\0';
        if (!mapping_unit(f, unit, &scale))
            return false;
    }
    if (!num_parse_plain(s, digits, out))
        return false;
    if (num_known(scale))
        *out *= scale;
    return true;
}

static double factor_value(const struct row *row, const struct factor *f) {
    struct value v;
    double x;
    if (!f->path)
        return f->number;
    row_look(row, f->path, &v);
    return num_parse_plain(v.text, v.len, &x) ? x : NUM_UNKNOWN;
}

bool row_number(const struct row *row, const struct mapping_field *f, const struct value *v, double *out, bool *good) {
    char text[MAX_TEXT];
    *out = NUM_UNKNOWN;
    size_t len = tidy(f, v, text);
    *good = parse_number(f, text, len, out);
    if (!*good)
        return false;
    if (f->times)
        *out *= factor_value(row, f->times);
    if (f->divide) {
        double by = factor_value(row, f->divide);
        *out = by > 0 ? *out / by : NUM_UNKNOWN;
    }
    return isfinite(*out);
}

/* ---- conditions ---- */

bool row_condition(const struct row *row, const struct condition *c) {
    struct value v;
    double x;
    row_look(row, c->path, &v);
    switch (c->op) {
    case CONDITION_IS:
        return is_one_of(v.text, c->texts, c->count);
    case CONDITION_IS_NOT:
        return !is_one_of(v.text, c->texts, c->count);
    case CONDITION_MATCHES:
        return regexec(c->pattern, v.text, 0, NULL, 0) == 0;
    case CONDITION_EMPTY:
        return v.len == 0 || is_one_of(v.text, row->m->empty, row->m->empty_count);
    case CONDITION_ABOVE:
        return num_parse_plain(v.text, v.len, &x) && x > c->number;
    default:
        return num_parse_plain(v.text, v.len, &x) && x < c->number;
    }
}
