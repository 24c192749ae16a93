/* SPDX-License-Identifier: MIT */
/*
 * The files of data/, compiled in with .incbin, overlaid row by row by files of the same name in --data DIR or the XDG data
 * folder: a row of the overlay with the same key (first column) replaces, another one adds. Overlay bytes are handed in by
 * io/ or cli/ through data_overlay(); this module opens no file.
 */
#ifndef GPUPLAN_BASE_DATA_H
#define GPUPLAN_BASE_DATA_H

#include <stdbool.h>
#include <stddef.h>

struct blob {
    const char *bytes;
    size_t len;
};

bool data_builtin(const char *name, struct blob *out);  /* "gpus.csv" …; false if there is no such file */
const char *const *data_names(size_t *count);
void data_overlay(const char *name, const char *bytes, size_t len); /* bytes are copied */
bool data_overlaid(const char *name, struct blob *out); /* false if none was given */
void data_overlay_clear(void);

#endif
