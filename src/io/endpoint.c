/* SPDX-License-Identifier: MIT */
/* The table of endpoints. */
#include "gpuplan/io/endpoint.h"

#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/data.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"

enum column {
    COLUMN_ENDPOINT,
    COLUMN_SOURCE,
    COLUMN_URL,
    COLUMN_EACH,
    COLUMN_VERSION_URL,
    COLUMN_METHOD,
    COLUMN_BODY,
    COLUMN_AUTH,
    COLUMN_KEY_ENV,
    COLUMN_KEY_NEED,
    COLUMN_PAGING,
    COLUMN_MAX_MB,
    COLUMN_CHANGES_H,
    COLUMN_ORIGIN,
    COLUMN_COUNT
};
static const char *const column_names[COLUMN_COUNT] = {
    "endpoint", "source",  "url",      "each",   "version_url", "method",    "body",
    "auth",     "key_env", "key_need", "paging", "max_mb",      "changes_h", "origin",
};

struct endpoints {
    struct data_table *table;
    struct endpoint *items;
    size_t count;
    const char **sources;
    size_t source_count;
};

static const struct {
    const char *word;
    enum auth_kind kind;
    bool argument;
} auth_words[] = {
    {"", AUTH_NONE, false},
    {"bearer", AUTH_BEARER, false},
    {"header", AUTH_HEADER, true},
    {"oauth", AUTH_OAUTH, true},
};
static const struct {
    const char *word;
    enum paging_kind kind;
    int arguments;
} paging_words[] = {
    {"", PAGING_NONE, 0},       {"link", PAGING_LINK, 0}, {"url", PAGING_URL, 1},
    {"token", PAGING_TOKEN, 2}, {"page", PAGING_PAGE, 2},
};

static bool starts_with(const char *text, size_t len, const char *word) {
    return strlen(word) == len && strncmp(text, word, len) == 0;
}

static bool read_auth(const char *text, struct endpoint *e, struct err *err) {
    size_t len = strcspn(text, ":");
    for (size_t i = 0; i < sizeof auth_words / sizeof *auth_words; i++) {
        if (!starts_with(text, len, auth_words[i].word) || auth_words[i].argument != (text[len] == ':'))
            continue;
        e->auth = auth_words[i].kind;
        e->auth_argument = text[len] ? text + len + 1 : "";
        return true;
    }
    return err_set(err, ERR_DATA, "allowed: empty, bearer, header:NAME, oauth:URL");
}

/* "token:PATH:ARGUMENT", "page:ARGUMENT:PATH" */
static bool read_paging(const char *text, struct endpoint *e, struct err *err) {
    size_t len = strcspn(text, ":");
    char parts[2][64] = {"", ""};
    int count = 0;
    const char *rest = text + len;
    for (; count < 2 && *rest == ':'; count++) {
        size_t part = strcspn(++rest, ":");
        if (part == 0 || part >= sizeof e->paging_argument)
            break;
        memcpy(parts[count], rest, part);
        parts[count][part] = '\0';
        rest += part;
    }
    for (size_t i = 0; i < sizeof paging_words / sizeof *paging_words; i++) {
        if (!starts_with(text, len, paging_words[i].word) || paging_words[i].arguments != count || *rest)
            continue;
        bool argument_first = paging_words[i].kind == PAGING_PAGE;
        e->paging = paging_words[i].kind;
        strcpy(e->paging_path, parts[argument_first]);
        memcpy(e->paging_argument, parts[!argument_first], sizeof e->paging_argument);
        return true;
    }
    return err_set(err, ERR_DATA, "allowed: empty, link, url:PATH, token:PATH:ARGUMENT, page:ARGUMENT:PATH");
}

bool endpoint_is_source_name(const char *s) {
    size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_");
    return len > 0 && len < 40 && !s[len];
}

static bool one_of(const char *text, const char *a, const char *b, struct err *err) {
    return strcmp(text, a) == 0 || strcmp(text, b) == 0 || err_set(err, ERR_DATA, "allowed: %s, %s", a, b);
}

static bool fail_at(struct endpoints *s, size_t row, enum column column, struct err *err) {
    return data_table_at(s->table, row, column, err);
}

static bool read_numbers(struct endpoints *s, size_t row, struct endpoint *e, struct err *err) {
    static const double most_mb = 4096, usual_mb = 64, most_h = 24 * 366, usual_h = 24;
    return data_table_number(s->table, row, COLUMN_MAX_MB, 0.001, most_mb, usual_mb, &e->max_mb, err) &&
           data_table_number(s->table, row, COLUMN_CHANGES_H, 0, most_h, usual_h, &e->changes_h, err);
}

static bool read_row(struct endpoints *s, size_t row, struct err *err) {
    const char *cell[COLUMN_COUNT];
    struct endpoint *e = &s->items[row];
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        cell[i] = data_table_cell(s->table, row, i);
    *e = (struct endpoint){.name = cell[COLUMN_ENDPOINT],
                           .source = *cell[COLUMN_SOURCE] ? cell[COLUMN_SOURCE] : cell[COLUMN_ENDPOINT],
                           .url = cell[COLUMN_URL],
                           .each = cell[COLUMN_EACH],
                           .version_url = cell[COLUMN_VERSION_URL],
                           .method = *cell[COLUMN_METHOD] ? cell[COLUMN_METHOD] : "GET",
                           .body = cell[COLUMN_BODY],
                           .origin = cell[COLUMN_ORIGIN],
                           .key_env = cell[COLUMN_KEY_ENV],
                           .key_optional = strcmp(cell[COLUMN_KEY_NEED], "optional") == 0};
    if (!endpoint_is_source_name(e->name) || !endpoint_is_source_name(e->source)) {
        err_set(err, ERR_DATA, "a name is made of a-z, 0-9, - and _");
        return fail_at(s, row, endpoint_is_source_name(e->name) ? COLUMN_SOURCE : COLUMN_ENDPOINT, err);
    }
    if (*e->url && !url_check(e->url, err))
        return fail_at(s, row, COLUMN_URL, err);
    if (!one_of(e->method, "GET", "POST", err))
        return fail_at(s, row, COLUMN_METHOD, err);
    if (!read_auth(cell[COLUMN_AUTH], e, err))
        return fail_at(s, row, COLUMN_AUTH, err);
    if (e->auth != AUTH_NONE && !one_of(cell[COLUMN_KEY_NEED], "required", "optional", err))
        return fail_at(s, row, COLUMN_KEY_NEED, err);
    return (read_paging(cell[COLUMN_PAGING], e, err) || fail_at(s, row, COLUMN_PAGING, err)) &&
           read_numbers(s, row, e, err);
}

static void name_source(struct endpoints *s, const char *name) {
    for (size_t i = 0; i < s->source_count; i++)
        if (strcmp(s->sources[i], name) == 0)
            return;
    s->sources[s->source_count++] = name;
}

struct endpoints *endpoints_load(struct err *err) {
    struct endpoints *s = mem_zero(1, sizeof *s);
    s->table = data_table_load("endpoints.csv", column_names, COLUMN_COUNT, err);
    bool good = s->table != NULL;
    s->count = good ? data_table_rows(s->table) : 0;
    s->items = mem_zero(s->count + 1, sizeof *s->items);
    s->sources = mem_zero(s->count + 1, sizeof *s->sources);
    for (size_t i = 0; i < s->count && good; i++) {
        good = read_row(s, i, err);
        if (good)
            name_source(s, s->items[i].source);
    }
    if (good)
        return s;
    endpoints_free(s);
    return NULL;
}

void endpoints_free(struct endpoints *s) {
    if (!s)
        return;
    data_table_free(s->table);
    free(s->items);
    free(s->sources);
    free(s);
}

size_t endpoints_count(const struct endpoints *s) {
    return s->count;
}

const struct endpoint *endpoints_at(const struct endpoints *s, size_t i) {
    return &s->items[i];
}

const char *const *endpoints_sources(const struct endpoints *s, size_t *count) {
    *count = s->source_count;
    return s->sources;
}

const struct endpoint *endpoints_find(const struct endpoints *s, const char *source, struct err *err) {
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->items[i].source, source) == 0)
            return &s->items[i];
    char shown[80];
    text_clean(shown, sizeof shown, source, strlen(source));
    const char *near = text_nearest(shown, s->sources, s->source_count);
    if (near)
        err_set(err, ERR_USAGE, "unknown source \"%s\", did you mean \"%s\"?", shown, near);
    else
        err_set(err, ERR_USAGE, "unknown source \"%s\"; `gpuplan list endpoints` shows them", shown);
    return NULL;
}
