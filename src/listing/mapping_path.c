/* SPDX-License-Identifier: MIT */
/*
 * Where a value stands: "specs.gpus", "disks[type=local].size", "sizes[0]", "." (the row itself), "^.name" (one level out),
 * "$.fetched_at" (from the document's start), "@key" (what an object calls the row). In a CSV it is the column's name.
 */
#include "listing/mapping.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"

enum { MAX_PATH_TEXT = 200, MAX_INDEX = 9999 };

static bool no_place(struct err *err, const char *text, const char *why) {
    return err_set(err, ERR_DATA, "\"%s\": %s", text, why);
}

/* The next name, up to a '.' that is not escaped; *at moves behind it. */
static char *next_part(struct mapping *m, const char **at) {
    const char *p = *at;
    char *part = arena_chars(m->arena, strlen(p) + 1);
    size_t n = 0;
    bool inside = false;
    for (; *p && (inside || *p != '.'); p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '[')
            inside = true;
        else if (*p == ']')
            inside = false;
        part[n++] = *p;
    }
    part[n] = '\0';
    *at = *p == '.' ? p + 1 : p;
    return part;
}

/* "[2]", "[type=local]". */
static bool parse_choice(struct segment *s, char *open, const char *text, struct err *err) {
    size_t len = strlen(open);
    if (len < 3 || open[len - 1] != ']')
        return no_place(err, text, "after \"[\" a number, or NAME=VALUE, and \"]\"");
    open[len - 1] = '\0';
    *open++ = '\0';
    char *equals = strchr(open, '=');
    if (equals) {
        *equals = '\0';
        s->where = open;
        s->equals = equals + 1;
        return *open || no_place(err, text, "\"[\" needs the name of a member");
    }
    double index;
    if (!num_parse_plain(open, strlen(open), &index) || index < 0 || index > MAX_INDEX || index != floor(index))
        return no_place(err, text, "in \"[ ]\" stands a whole number from 0, or NAME=VALUE");
    s->index = (int)index;
    return true;
}

static bool parse_segment(struct segment *s, char *part, const char *text, bool of_row, struct err *err) {
    *s = (struct segment){.index = -1};
    if (strcmp(part, "*") == 0 || strcmp(part, "*?") == 0) {
        s->any = true;
        s->optional = part[1] == '?';
        s->name = part;
        return !of_row ||
               no_place(err, text,
                        "\"*\" may stand in \"rows\" and \"keys\" only; name one element: [0], [NAME=VALUE]");
    }
    char *open = strchr(part, '[');
    if (open && !parse_choice(s, open, text, err))
        return false;
    s->name = part;
    return *part || s->index >= 0 || s->where || no_place(err, text, "an empty name between two points");
}

static struct path *keep(struct mapping *m, struct path *p) {
    m->paths = mem_grow(m->paths, &m->path_cap, m->path_count + 1, sizeof *m->paths);
    p->id = (int)m->path_count;
    m->paths[m->path_count++] = p;
    return p;
}

static struct path *known(struct mapping *m, const char *text) {
    for (size_t i = 0; i < m->path_count; i++)
        if (strcmp(m->paths[i]->text, text) == 0)
            return m->paths[i];
    return NULL;
}

static bool parse_json_path(struct mapping *m, struct path *p, bool of_row, struct err *err) {
    struct segment segments[MAPPING_MAX_SEGMENTS];
    const char *at = p->text;
    if (*at == '$') {
        p->root = true;
        at++;
    }
    for (; *at == '^'; at++)
        p->up++;
    if ((p->root || p->up) && *at && *at != '.')
        return no_place(err, p->text, "after \"^\" and \"$\" follows a point, as in \"^.name\"");
    if (*at == '.')
        at++;
    if (strcmp(at, "@key") == 0) {
        p->key = true;
        return true;
    }
    while (*at) {
        if (p->count == MAPPING_MAX_SEGMENTS)
            return no_place(err, p->text, "more than 16 names");
        if (!parse_segment(&segments[p->count], next_part(m, &at), p->text, of_row, err))
            return false;
        p->count++;
    }
    p->segments = arena_alloc(m->arena, sizeof *segments * (p->count ? p->count : 1));
    if (p->count)
        memcpy(p->segments, segments, sizeof *segments * p->count);
    return true;
}

struct path *mapping_path(struct mapping *m, const char *text, bool of_row, struct err *err) {
    if (strlen(text) > MAX_PATH_TEXT) {
        err_set(err, ERR_DATA, "a path of more than 200 bytes");
        return NULL;
    }
    struct path *p = of_row ? known(m, text) : NULL;
    if (p)
        return p;
    p = arena_alloc(m->arena, sizeof *p);
    p->text = mapping_strdup(m, text);
    if (m->format == MAPPING_CSV) {
        if (!*text) {
            err_set(err, ERR_DATA, "the name of a column is empty");
            return NULL;
        }
    } else if (!parse_json_path(m, p, of_row, err)) {
        return NULL;
    }
    return of_row ? keep(m, p) : p;
}

/* ---- finding ---- */

static bool node_is(const cJSON *node, const char *text) {
    double x;
    if (cJSON_IsString(node))
        return strcmp(node->valuestring, text) == 0;
    if (cJSON_IsNumber(node))
        return num_parse_plain(text, strlen(text), &x) && x == node->valuedouble;
    return cJSON_IsBool(node) && strcmp(text, cJSON_IsTrue(node) ? "true" : "false") == 0;
}

const cJSON *path_step(const struct segment *s, const cJSON *node) {
    const cJSON *child;
    if (*s->name)
        node = cJSON_IsObject(node) ? cJSON_GetObjectItemCaseSensitive(node, s->name) : NULL;
    if (s->index >= 0) {
        int i = 0;
        cJSON_ArrayForEach (child, node)
            if (i++ == s->index)
                return child;
        return NULL;
    }
    if (!s->where)
        return node;
    cJSON_ArrayForEach (child, node)
        if (node_is(cJSON_GetObjectItemCaseSensitive(child, s->where), s->equals))
            return child;
    return NULL;
}

const cJSON *path_find(const struct path *p, const struct level *levels, size_t count, const char **key) {
    const struct level *level = levels;
    *key = NULL;
    if (!p->root) {
        if ((size_t)p->up >= count)
            return NULL;
        level = &levels[count - 1 - (size_t)p->up];
    }
    if (p->key) {
        *key = level->key;
        return NULL;
    }
    const cJSON *node = level->node;
    for (size_t i = 0; i < p->count && node; i++)
        node = path_step(&p->segments[i], node);
    return node;
}
