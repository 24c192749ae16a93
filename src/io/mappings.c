/* SPDX-License-Identifier: MIT */
/* Mapping files from disk. */
#include <string.h>

#include "gpuplan/io/io.h"

bool io_load_mapping(struct mappings *m, const char *path, enum mapping_origin origin, struct err *err) {
    struct buf bytes = {0};
    bool good = io_read(path, MAPPING_MAX_BYTES, &bytes, err) &&
                mappings_add(m, bytes.data ? bytes.data : "", bytes.len, path, origin, err);
    buf_free(&bytes);
    return good;
}

static bool is_mapping_name(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".json") == 0;
}

void io_load_mapping_folder(struct mappings *m, const char *folder, io_warn warn, void *user) {
    struct io_list list = {0};
    struct err err = {0};
    if (!io_is_dir(folder))
        return;
    if (!io_read_dir(folder, &list, &err))
        warn(user, &err);
    for (size_t i = 0; i < list.count; i++) {
        struct err why = {0};
        if (is_mapping_name(list.paths[i]) && !io_load_mapping(m, list.paths[i], MAPPING_USER, &why))
            warn(user, &why);
    }
    io_list_free(&list);
}
