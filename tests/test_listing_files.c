/* SPDX-License-Identifier: MIT */
/*
 * Every recorded listing, one line a file: how many offers are good and flagged, how many rows were left out (with a reason) or
 * are machines without a GPU. A file that holds no listing says what it holds. Then rows of each format, field by field,
 * written down by hand from the raw text.
 */
#include "listing_support.h"

#include <dirent.h>

#include "gpuplan/listing/mapping.h"

struct recorded {
    const char *file;
    size_t good, flagged, skipped, no_gpu;
    const char *holds; /* of what is no listing */
};

static const struct recorded files[] = {
#include "listing_files.def"
};
enum { FILES = sizeof files / sizeof *files };

static struct mappings *mappings;

static int load_all(void **state) {
    struct err err = {0};
    int failed = load_tables(state);
    mappings = mappings_load(&err);
    context.mappings = mappings;
    return failed ? failed : mappings ? 0 : -1;
}

static int free_all(void **state) {
    mappings_free(mappings);
    return free_tables(state);
}

static bool read_one(const char *name, struct offers *o, struct err *err) {
    struct buf bytes = {0};
    char path[256];
    snprintf(path, sizeof path, "listings/%s", name);
    if (!io_read(test_shared(path), IO_MAX_LISTING, &bytes, err))
        fail_msg("%s", err->text);
    bool good = listing_read(&context, bytes.data, bytes.len, name, o, err);
    listing_check(&context, o);
    buf_free(&bytes);
    return good;
}

static void check_recorded(const struct recorded *want, bool print) {
    struct err err = {0};
    struct offers *o = offers_new();
    struct recorded got = {.file = want->file};
    bool read = read_one(want->file, o, &err);
    for (size_t i = 0; i < o->count; i++) {
        got.good += o->items[i].flags == 0;
        got.flagged += o->items[i].flags != 0;
        assert_true(o->items[i].gpus >= 1 && o->items[i].provider != 0 && o->items[i].id != 0);
    }
    got.skipped = o->rows_skipped;
    got.no_gpu = o->rows_no_gpu;
    if (print)
        printf("    {\"%s\", %zu, %zu, %zu, %zu, \"%s\"},\n", want->file, got.good, got.flagged, got.skipped,
               got.no_gpu, read ? "" : err.text);
    else if (read != (*want->holds == '\0') || !strstr(err.text, want->holds))
        fail_msg("%s: %s", want->file, err.text);
    else if (got.good != want->good || got.flagged != want->flagged || got.skipped != want->skipped ||
             got.no_gpu != want->no_gpu)
        fail_msg("%s: %zu good, %zu flagged, %zu left out, %zu without a GPU", want->file, got.good, got.flagged,
                 got.skipped, got.no_gpu);
    /* whatever was left out has a reason that is told */
    size_t told = 0;
    for (size_t i = 0; i < o->problem_count; i++)
        told += o->problems[i].skipped ? o->problems[i].count : 0;
    assert_true(told >= o->rows_skipped);
    offers_free(o);
}

/* GPUPLAN_PRINT=1 prints the table as it is now, to be looked at line by line before it is taken over. */
static void every_file_is_read_or_says_why(void **state) {
    (void)state;
    for (size_t i = 0; i < FILES; i++)
        check_recorded(&files[i], getenv("GPUPLAN_PRINT") != NULL);
}

static void look_for(const char *folder, const char *name) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (size_t i = 0; i < FILES; i++)
        if (strcmp(files[i].file, path) == 0)
            return;
    if (strcmp(name, "SOURCE.txt") != 0)
        fail_msg("%s has no line here", path);
}

static void no_file_is_forgotten(void **state) {
    char path[4200];
    (void)state;
    snprintf(path, sizeof path, "%s", test_shared("listings"));
    DIR *top = opendir(path);
    assert_non_null(top);
    for (struct dirent *d; (d = readdir(top)) != NULL;) {
        char inner[4500];
        snprintf(inner, sizeof inner, "%s/%s", path, d->d_name);
        DIR *folder = d->d_name[0] == '.' ? NULL : opendir(inner);
        for (struct dirent *f; folder && (f = readdir(folder)) != NULL;)
            if (f->d_name[0] != '.')
                look_for(d->d_name, f->d_name);
        if (folder)
            closedir(folder);
    }
    closedir(top);
}

/* ---- rows against the raw text ---- */

struct checked {
    const char *file, *id, *gpu;
    int gpus;
    double vram_gb, usd_h; /* NAN: not stated */
    enum rate_kind kind;
    double cores, ram_gb; /* NAN: not stated, or not to be believed */
    enum link_kind link;
    uint32_t flags; /* those that must be there */
};

static const struct checked rows[] = {
#include "listing_rows.def"
};

static void check_number(const struct checked *c, const char *what, double got, double want) {
    if (isnan(want) != isnan(got) || (!isnan(want) && fabs(got - want) > 1e-3 + 1e-5 * fabs(want)))
        fail_msg("%s: %s is %g, not %g", c->id, what, got, want);
}

static void rows_are_what_the_text_says(void **state) {
    (void)state;
    struct offers *o = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct checked *c = &rows[i];
        struct err err = {0};
        if (i == 0 || strcmp(rows[i - 1].file, c->file) != 0) {
            offers_free(o);
            o = offers_new();
            assert_true(read_one(c->file, o, &err));
        }
        const struct offer *f = find(o, c->id);
        if (strcmp(gpu_of(f), c->gpu) != 0 || f->gpus != c->gpus || f->rate_kind != c->kind || f->link != c->link)
            fail_msg("%s: %s x %d, kind %d, %s", c->id, gpu_of(f), f->gpus, f->rate_kind,
                     link_name((enum link_kind)f->link));
        check_number(c, "vram_gb", (double)f->vram_gb, c->vram_gb);
        check_number(c, "rate_usd_h", offer_rate_usd_h(f), c->usd_h);
        check_number(c, "cpu_cores", (double)f->cpu_cores, c->cores);
        check_number(c, "ram_gb", (double)f->ram_gb, c->ram_gb);
        if ((f->flags & c->flags) != c->flags)
            fail_msg("%s: flags %x lack some of %x", c->id, (unsigned)f->flags, (unsigned)c->flags);
    }
    offers_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_read_or_says_why),
        cmocka_unit_test(no_file_is_forgotten),
        cmocka_unit_test(rows_are_what_the_text_says),
    };
    return cmocka_run_group_tests(tests, load_all, free_all);
}
