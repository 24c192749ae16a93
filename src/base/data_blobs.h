/* SPDX-License-Identifier: MIT */
/* The files of data/ as they stand in the program. data_blobs.c is written by the Makefile from its list of names. */
#ifndef GPUPLAN_SRC_BASE_DATA_BLOBS_H
#define GPUPLAN_SRC_BASE_DATA_BLOBS_H

struct data_blob {
    const char *start, *end; /* a NUL stands at end */
};

extern const char *const data_blob_names[]; /* ends with NULL */
extern const struct data_blob data_blobs[];

#endif
