/* SPDX-License-Identifier: MIT */
/* Private to io/: growing an io_bytes, errors of the operating system, unpacking. */
#ifndef GPUPLAN_SRC_IO_BYTES_H
#define GPUPLAN_SRC_IO_BYTES_H

#include "gpuplan/io/io.h"

char *io_bytes_room(struct io_bytes *b,
                    size_t more); /* pointer to `more` writable bytes after len; fatal without memory */
bool io_fail(struct err *err, const char *path, const char *doing); /* from errno */
bool io_too_large(struct err *err, const char *path, size_t max);
/* Whether the bytes start like gzip, xz, zstd or zip. */
bool io_is_packed(const char *data, size_t len);
bool io_unpack(const struct io_bytes *packed, const char *path, size_t max, io_visit visit, void *user,
               struct err *err);
bool io_pack_gzip(const void *bytes, size_t len, struct buf *out, const char *path, struct err *err);

#endif
