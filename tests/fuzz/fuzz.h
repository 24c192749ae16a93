/* SPDX-License-Identifier: MIT */
/*
 * A fuzz target: FUZZ(name) { … bytes, len … return 0; }. It is built twice: as the entry of a libFuzzer program, and as a
 * plain function that tests/test_seeds.c calls with the seeds and with damaged copies of them in every `make check`.
 */
#ifndef GPUPLAN_TESTS_FUZZ_H
#define GPUPLAN_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef FUZZ_LIBFUZZER
#define FUZZ(name)                                                \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);  \
    static int fuzz_##name(const char *bytes, size_t len);        \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) { \
        return fuzz_##name((const char *)data, len);              \
    }                                                             \
    static int fuzz_##name(const char *bytes, size_t len)
#else
#define FUZZ(name)                                  \
    int fuzz_##name(const char *bytes, size_t len); \
    int fuzz_##name(const char *bytes, size_t len)
#endif

/* What must hold, in every build: NDEBUG does not switch it off. */
#define FUZZ_ASSERT(truth) \
    do {                   \
        if (!(truth))      \
            abort();       \
    } while (0)

#endif
