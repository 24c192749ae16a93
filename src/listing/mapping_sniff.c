/* SPDX-License-Identifier: MIT */
/*
 * Whether a payload is one of a mapping, from its first bytes. They need not end where a value ends, so they are walked
 * through token by token instead of being parsed.
 */
#include <stdint.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/text.h"
#include "listing/mapping.h"

enum { MAX_KEYS = 32, MAX_KEY_TEXT = 128 };

/* ---- JSON ---- */

struct walk {
    const char *p, *end;
    struct path *const *keys;
    size_t count;
    uint32_t found, all;                /* a bit a key */
    uint32_t fits[JSON_MAX_DEPTH + 2];  /* keys whose first parts are the names around this place */
    uint32_t below[JSON_MAX_DEPTH + 2]; /* the same for the value that comes next */
};

static void skip_space(struct walk *w) {
    while (w->p < w->end && strchr(" \t\r\n", *w->p))
        w->p++;
}

/* A string without its escapes; what is longer than a key can be is cut. False: the bytes end in it. */
static bool read_string(struct walk *w, char *out) {
    size_t n = 0;
    for (w->p++; w->p < w->end && *w->p != '"'; w->p++) {
        if (*w->p == '\\' && ++w->p >= w->end)
            return false;
        if (n + 1 < MAX_KEY_TEXT)
            out[n++] = *w->p;
    }
    out[n] = '\0';
    if (w->p >= w->end)
        return false;
    w->p++;
    return true;
}

/* Of the keys in `fits` with `depth` parts behind them: those whose next part is this name, NULL = an element of a list. */
static uint32_t step(struct walk *w, uint32_t fits, size_t depth, const char *name) {
    uint32_t next = 0;
    for (size_t i = 0; i < w->count; i++) {
        const struct path *k = w->keys[i];
        if (!(fits & 1u << i) || depth >= k->count)
            continue;
        const struct segment *s = &k->segments[depth];
        if (!(s->any || (name && s->index < 0 && !s->where && strcmp(s->name, name) == 0)))
            continue;
        next |= 1u << i;
        if (depth + 1 == k->count)
            w->found |= 1u << i;
    }
    return next;
}

/* Scalars and commas between the brackets of one container; `object` tells which one we are in. */
static void walk_all(struct walk *w) {
    bool object[JSON_MAX_DEPTH + 2] = {false};
    char name[MAX_KEY_TEXT];
    size_t depth = 0;
    bool started = false;
    w->below[0] = w->all;
    while (w->p < w->end && w->found != w->all && (!started || depth > 0)) {
        skip_space(w);
        if (w->p >= w->end)
            return;
        char c = *w->p;
        if (c == '{' || c == '[') {
            if (depth > JSON_MAX_DEPTH)
                return;
            w->fits[depth + 1] = w->below[depth];
            depth++;
            object[depth] = c == '{';
            w->below[depth] = c == '[' ? step(w, w->fits[depth], depth - 1, NULL) : 0;
            started = true;
            w->p++;
        } else if (c == '}' || c == ']') {
            if (depth == 0)
                return;
            depth--;
            w->p++;
        } else if (c == '"') {
            if (!read_string(w, name))
                return;
            skip_space(w);
            if (depth > 0 && object[depth] && w->p < w->end && *w->p == ':') {
                w->below[depth] = step(w, w->fits[depth], depth - 1, name);
                w->p++;
            }
        } else {
            w->p++; /* a number, a word, a comma */
        }
        if (!started)
            return; /* a plain value has no keys */
    }
}

bool mapping_json_has(const struct mapping_shape *s, const char *bytes, size_t len, const char **missing) {
    struct walk w = {
        .p = bytes, .end = bytes + len, .keys = s->keys, .count = s->count < MAX_KEYS ? s->count : MAX_KEYS};
    w.all = w.count == 32 ? UINT32_MAX : (1u << w.count) - 1;
    walk_all(&w);
    for (size_t i = 0; i < w.count; i++)
        if (!(w.found & 1u << i)) {
            *missing = s->keys[i]->text;
            return false;
        }
    return true;
}

/* ---- CSV ---- */

const char *mapping_skip_lines(const char *bytes, size_t *len, size_t lines) {
    for (; lines > 0; lines--) {
        const char *newline = memchr(bytes, '\n', *len);
        if (!newline)
            return bytes;
        *len -= (size_t)(newline + 1 - bytes);
        bytes = newline + 1;
    }
    return bytes;
}

struct header_check {
    const struct mapping_shape *shape;
    const char **missing;
    bool good;
};

static bool on_header(void *user, const struct csv_row *row, struct err *err) {
    struct header_check *h = user;
    h->good = true;
    for (size_t i = 0; i < h->shape->count && h->good; i++) {
        struct column column = {h->shape->columns[i], -1};
        columns_resolve(&column, 1, row);
        h->good = column.index >= 0;
        if (!h->good)
            *h->missing = column.name;
    }
    return err_set(err, ERR_DATA, "that is enough");
}

static bool on_row(void *user, const struct csv_row *row, struct err *err) {
    (void)user, (void)row;
    return err_set(err, ERR_DATA, "that is enough");
}

bool mapping_csv_has(const struct mapping_shape *s, const char *bytes, size_t len, const char **missing) {
    struct header_check h = {.shape = s, .missing = missing};
    struct csv_handler handler = {on_header, on_row, &h};
    struct err err = {0};
    *missing = s->columns[0];
    bytes = mapping_skip_lines(bytes, &len, s->skip_lines);
    csv_read(bytes, len, "", &handler, &err);
    return h.good;
}

/* ---- both ---- */

int mapping_recognise(const struct mapping *m, const char *bytes, size_t len, const struct mapping_shape **shape,
                      const char **missing) {
    enum { LEAST = 70, A_KEY = 3, MOST_BUNDLED = 94, USER = 96, TRIED = 100 };
    const char *start = bytes;
    size_t left = len;
    *missing = "";
    text_trim(&start, &left);
    bool json = left > 0 && (*start == '{' || *start == '[');
    if (left == 0 || json == (m->format == MAPPING_CSV) || *start == '<')
        return 0;
    for (size_t i = 0; i < m->shape_count; i++) {
        const struct mapping_shape *s = &m->shapes[i];
        if (json ? !mapping_json_has(s, start, left, missing) : !mapping_csv_has(s, bytes, len, missing))
            continue;
        *shape = s;
        if (m->origin != MAPPING_BUNDLED)
            return m->origin == MAPPING_USER ? USER : TRIED;
        int score = LEAST + A_KEY * (int)s->count;
        return score < MOST_BUNDLED ? score : MOST_BUNDLED;
    }
    return 0;
}
