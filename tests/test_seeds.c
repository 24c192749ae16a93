/* SPDX-License-Identifier: MIT */
/* Every fuzz target on its seeds and on damaged copies of them, in every build: what the fuzzers once found stays found. */
#include "support.h"

#include <dirent.h>
#include <signal.h>

#define TARGET(name) int fuzz_##name(const char *bytes, size_t len);
#include "fuzz/targets.def"
#undef TARGET

enum { MAX_SEED = 1 << 20, MAX_DAMAGED = 4096 /* longer seeds are only run as they are */ };

/* cmocka catches this signal; the address sanitizer says more about it. */
static struct sigaction on_segv;

typedef int fuzz_function(const char *, size_t);

/* In a block of its exact size, so that the address sanitizer sees a read past the end. */
static void run_copy(fuzz_function *target, const char *bytes, size_t len) {
    char *copy = malloc(len > 0 ? len : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    target(copy, len);
    free(copy);
}

static void run_damaged(fuzz_function *target, char *bytes, size_t len) {
    static const char nasty[] = {'\0', '"', '\\', '\n', '\r', ',', '[', '{', '-', '\x80', '\xff', '9', '\x1b'};
    size_t step = len > 512 ? len / 512 : 1;
    for (size_t i = 0; i < len; i += step) {
        run_copy(target, bytes, i);
        char kept = bytes[i];
        bytes[i] = nasty[(i / step) % sizeof nasty];
        run_copy(target, bytes, len);
        bytes[i] = (char)(kept ^ 1 << i % 8);
        run_copy(target, bytes, len);
        bytes[i] = kept;
    }
}

static void run_seed(fuzz_function *target, const char *path) {
    static char bytes[MAX_SEED];
    FILE *f = fopen(path, "rb");
    print_message("%s\n", path);
    assert_non_null(f);
    size_t len = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    run_copy(target, bytes, len);
    if (len <= MAX_DAMAGED)
        run_damaged(target, bytes, len);
}

static void run_seeds(fuzz_function *target, const char *name) {
    char folder[2048], path[4096];
    const char *top = getenv("top_srcdir");
    int count = 0;
    sigaction(SIGSEGV, &on_segv, NULL);
    snprintf(folder, sizeof folder, "%s/tests/fuzz/seeds/%s", top != NULL ? top : "..", name);
    DIR *dir = opendir(folder);
    if (dir == NULL)
        fail_msg("no seeds in %s", folder);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        run_seed(target, path);
        count++;
    }
    closedir(dir);
    assert_true(count > 0);
}

#define TARGET(name)                            \
    static void seeds_of_##name(void **state) { \
        (void)state;                            \
        run_seeds(fuzz_##name, #name);          \
    }
#include "fuzz/targets.def"
#undef TARGET

int main(void) {
    sigaction(SIGSEGV, NULL, &on_segv);
    const struct CMUnitTest tests[] = {
#define TARGET(name) cmocka_unit_test(seeds_of_##name),
#include "fuzz/targets.def"
    };
    return cmocka_run_group_tests_name("seeds", tests, NULL, NULL);
}
