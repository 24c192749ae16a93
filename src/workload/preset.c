/* SPDX-License-Identifier: MIT */
/* Ready-made jobs of data/presets.json. Read on first use and again when an overlay was laid over it. */
#include "gpuplan/workload/job.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/data.h"
#include "gpuplan/base/json.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"

static const char file_name[] = "presets.json";

static struct {
    const char *overlay; /* the bytes it was made with, NULL = none */
    bool read;
    cJSON *trees[2]; /* built in, overlay */
    const cJSON **items;
    const char **names;
    size_t count, cap, name_cap;
} cache;

static size_t place_of(const char *name) {
    for (size_t i = 0; i < cache.count; i++)
        if (strcmp(cache.names[i], name) == 0)
            return i;
    return cache.count;
}

/* Entries without a name or values are passed over; one of the same name replaces. */
static void take_presets(const cJSON *list) {
    const cJSON *item;
    cJSON_ArrayForEach (item, list) {
        const char *name = json_string(item, "name", "");
        if (name[0] == '\0' || !text_is_clean(name, strlen(name)) ||
            !cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(item, "values")))
            continue;
        size_t place = place_of(name);
        cache.items = mem_grow(cache.items, &cache.cap, place + 1, sizeof *cache.items);
        cache.names = mem_grow(cache.names, &cache.name_cap, place + 1, sizeof *cache.names);
        cache.items[place] = item;
        cache.names[place] = name;
        cache.count += place == cache.count;
    }
}

static void read_presets(void) {
    struct blob builtin, overlay = {NULL, 0};
    bool overlaid = data_overlaid(file_name, &overlay);
    if (cache.read && cache.overlay == overlay.bytes)
        return;
    cJSON_Delete(cache.trees[0]);
    cJSON_Delete(cache.trees[1]);
    cache.count = 0;
    cache.overlay = overlay.bytes;
    cache.read = true;
    cache.trees[0] = data_builtin(file_name, &builtin) ? json_parse(builtin.bytes, builtin.len, file_name, NULL) : NULL;
    cache.trees[1] = overlaid ? json_parse(overlay.bytes, overlay.len, file_name, NULL) : NULL;
    take_presets(cache.trees[0]);
    take_presets(cache.trees[1]);
}

const char *const *preset_names(size_t *count) {
    read_presets();
    *count = cache.count;
    return cache.names;
}

static const cJSON *find_preset(const char *name) {
    read_presets();
    for (size_t i = 0; i < cache.count; i++)
        if (text_equal_fold(cache.names[i], name))
            return cache.items[i];
    return NULL;
}

const char *preset_about(const char *name) {
    const cJSON *preset = find_preset(name);
    return preset != NULL ? json_string(preset, "about", "") : NULL;
}

/* ---- applying ---- */

/* Ways to say one thing. A preset's way is left out when another way was stated. */
static const struct {
    enum field_id id;
    char thing, way;
} ways[] = {
    {FIELD_TOKENS, 'd', 1},         {FIELD_STEPS, 'd', 2},       {FIELD_SAMPLES, 'd', 3}, {FIELD_SAMPLE_TOKENS, 'd', 3},
    {FIELD_EPOCHS, 'd', 3},         {FIELD_CONCURRENCY, 'l', 1}, {FIELD_USERS, 'l', 2},   {FIELD_ACTIVE_SHARE, 'l', 2},
    {FIELD_REQUESTS_PER_S, 'l', 3}, {FIELD_REQUESTS, 'l', 4},    {FIELD_MODEL, 'm', 1},   {FIELD_PARAMS_B, 'm', 2},
    {FIELD_LAYERS, 'm', 2},         {FIELD_HIDDEN, 'm', 2},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static bool said_otherwise(const struct workload *w, enum field_id id) {
    for (size_t i = 0; i < WAYS; i++)
        for (size_t k = 0; ways[i].id == id && k < WAYS; k++)
            if (ways[k].thing == ways[i].thing && ways[k].way != ways[i].way && w->v[ways[k].id].source == VALUE_STATED)
                return true;
    return id == FIELD_MODEL && w->has_config;
}

static void drop_preset_values(struct workload *w) {
    for (int i = 0; i < FIELD_COUNT; i++)
        if (w->v[i].source == VALUE_PRESET)
            workload_unset(w, (enum field_id)i);
}

bool workload_apply_preset(struct workload *w, const char *name, struct err *err) {
    const cJSON *preset = find_preset(name);
    if (preset == NULL) {
        const char *near = text_nearest(name, cache.names, cache.count);
        err_set(err, ERR_USAGE, "no such preset%s%s%s",
                near != NULL ? "; did you mean \"" : "; \"gpuplan list presets\" shows them", near != NULL ? near : "",
                near != NULL ? "\"?" : "");
        return err_at(err, NULL, 0, 0, "preset");
    }
    cJSON *values = cJSON_GetObjectItemCaseSensitive(preset, "values");
    char *text = cJSON_PrintUnformatted(values);
    struct workload filled;
    workload_init(&filled);
    bool done = text != NULL && workload_from_json(&filled, text, strlen(text), file_name, err);
    cJSON_free(text);
    if (!done)
        return false;
    drop_preset_values(w);
    for (int i = 0; i < FIELD_COUNT; i++) {
        if (filled.v[i].source == VALUE_UNSET || w->v[i].source != VALUE_UNSET || said_otherwise(w, (enum field_id)i))
            continue;
        w->v[i] = filled.v[i];
        w->v[i].source = VALUE_PRESET;
    }
    return workload_set(w, "preset", json_string(preset, "name", name), err);
}
