/* SPDX-License-Identifier: MIT */
/* Included first by every unit test: what cmocka wants, and where recorded outputs of real tools and providers lie. */
#ifndef GPUPLAN_TESTS_SUPPORT_H
#define GPUPLAN_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/*
 * The path of `name` in the folder of recordings that stands beside the source tree (or in $SHARED_DIR), in a buffer of this
 * file. A test whose recording is not there is skipped, with a line that says so.
 */
static inline const char *test_shared(const char *name) {
    static char path[4096];
    const char *folder = getenv("SHARED_DIR");
    snprintf(path, sizeof path, "%s/%s", folder != NULL && *folder != '\0' ? folder : SHARED_DIR, name);
    if (access(path, R_OK) != 0) {
        print_message("no %s here\n", path);
        skip();
    }
    return path;
}

#endif
