/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/data.h"

#include <stdlib.h>
#include <string.h>

#include "base/data_blobs.h"
#include "gpuplan/base/mem.h"

struct overlay {
    char *name, *bytes;
    size_t len;
};

static struct overlay *overlays;
static size_t overlay_count, overlay_cap;

bool data_builtin(const char *name, struct blob *out) {
    for (size_t i = 0; data_blob_names[i] != NULL; i++) {
        if (strcmp(data_blob_names[i], name) == 0) {
            *out = (struct blob){data_blobs[i].start, (size_t)(data_blobs[i].end - data_blobs[i].start)};
            return true;
        }
    }
    return false;
}

const char *const *data_names(size_t *count) {
    size_t n = 0;
    while (data_blob_names[n] != NULL)
        n++;
    *count = n;
    return data_blob_names;
}

static struct overlay *find_overlay(const char *name) {
    for (size_t i = 0; i < overlay_count; i++)
        if (strcmp(overlays[i].name, name) == 0)
            return &overlays[i];
    return NULL;
}

void data_overlay(const char *name, const char *bytes, size_t len) {
    struct overlay *o = find_overlay(name);
    if (o == NULL) {
        overlays = mem_grow(overlays, &overlay_cap, overlay_count + 1, sizeof *overlays);
        o = &overlays[overlay_count++];
        *o = (struct overlay){.name = mem_strdup(name)};
    }
    char *copy = mem_alloc(len + 1);
    if (len > 0)
        memcpy(copy, bytes, len);
    copy[len] = '\0';
    free(o->bytes);
    o->bytes = copy;
    o->len = len;
}

bool data_overlaid(const char *name, struct blob *out) {
    const struct overlay *o = find_overlay(name);
    if (o == NULL)
        return false;
    *out = (struct blob){o->bytes, o->len};
    return true;
}

void data_overlay_clear(void) {
    for (size_t i = 0; i < overlay_count; i++) {
        free(overlays[i].name);
        free(overlays[i].bytes);
    }
    free(overlays);
    overlays = NULL;
    overlay_count = overlay_cap = 0;
}
