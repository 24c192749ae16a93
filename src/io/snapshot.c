/* SPDX-License-Identifier: MIT */
/* The folder of snapshots: what is there, what is current, what may go. */
#include "gpuplan/io/snapshot.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpuplan/base/json.h"
#include "gpuplan/io/endpoint.h"
#include "gpuplan/io/io.h"
#include "gpuplan/listing/when.h"

static const char suffix[] = ".csv.gz";
enum { STEM_BYTES = 18 /* 2026-03-22T100000Z */, DAY_S = 86400, KEEP_ALL_DAYS = 14, KEEP_DAYS = 366 };

char *io_snapshot_folder(void) {
    return io_xdg_path(IO_DATA, "snapshots");
}

/* "2026-03-22T100000Z.csv.gz"; 0: another file. */
static int64_t time_of_name(const char *name) {
    char text[STEM_BYTES + 3];
    int64_t when;
    if (strlen(name) != STEM_BYTES + sizeof suffix - 1 || strcmp(name + STEM_BYTES, suffix) != 0)
        return 0;
    snprintf(text, sizeof text, "%.13s:%.2s:%.3s", name, name + 13, name + 15);
    return when_parse(text, strlen(text), &when) ? when : 0;
}

static char *join(const char *folder, const char *name) {
    struct buf b = {0};
    buf_printf(&b, "%s/%s", folder, name);
    return b.data;
}

static void list_source(const char *folder, const char *source, struct io_snapshots *out) {
    char *path = join(folder, source);
    DIR *dir = opendir(path);
    struct stat st;
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        int64_t when = time_of_name(e->d_name);
        char *file = when > 0 ? join(path, e->d_name) : NULL;
        if (file && stat(file, &st) == 0 && S_ISREG(st.st_mode)) {
            out->items = mem_grow(out->items, &out->cap, out->count + 1, sizeof *out->items);
            out->items[out->count++] = (struct io_snapshot){mem_strdup(source), file, when, (size_t)st.st_size};
            file = NULL;
        }
        free(file);
    }
    if (dir)
        closedir(dir);
    free(path);
}

static int compare(const void *a, const void *b) {
    const struct io_snapshot *x = a, *y = b;
    int by_source = strcmp(x->source, y->source);
    return by_source ? by_source : (y->fetched_at > x->fetched_at) - (y->fetched_at < x->fetched_at);
}

void io_snapshots_list(const char *folder, struct io_snapshots *out) {
    DIR *dir = folder ? opendir(folder) : NULL;
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
        if (endpoint_is_source_name(e->d_name))
            list_source(folder, e->d_name, out);
    if (dir)
        closedir(dir);
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, compare);
}

void io_snapshots_free(struct io_snapshots *s) {
    for (size_t i = 0; i < s->count; i++) {
        free(s->items[i].source);
        free(s->items[i].path);
    }
    free(s->items);
    *s = (struct io_snapshots){0};
}

const struct io_snapshot *io_snapshots_newest(const struct io_snapshots *s, const char *source) {
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->items[i].source, source) == 0)
            return &s->items[i];
    return NULL;
}

const struct io_snapshot *io_snapshots_named(const struct io_snapshots *s, const char *word, size_t before) {
    size_t name = strcspn(word, "@");
    const char *when = word[name] ? word + name + 1 : "";
    for (size_t i = 0; i < s->count; i++) {
        const struct io_snapshot *one = &s->items[i];
        bool same = strlen(one->source) == name && strncmp(one->source, word, name) == 0;
        char time[32];
        when_format(time, sizeof time, one->fetched_at);
        if (!same || strncmp(time, when, strlen(when)) != 0)
            continue;
        bool there = i + before < s->count && strcmp(s->items[i + before].source, one->source) == 0;
        return there ? &s->items[i + before] : NULL;
    }
    return NULL;
}

const char **io_snapshots_current(const struct io_snapshots *s, size_t *count) {
    const char **paths = mem_zero(s->count + 1, sizeof *paths);
    *count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (i == 0 || strcmp(s->items[i].source, s->items[i - 1].source) != 0)
            paths[(*count)++] = s->items[i].path;
    return paths;
}

/* "….csv.gz" -> "….json" */
static char *facts_path(const char *path) {
    struct buf b = {0};
    size_t len = strlen(path), tail = sizeof suffix - 1;
    buf_put(&b, path, len > tail ? len - tail : len);
    buf_puts(&b, ".json");
    return b.data;
}

struct cJSON *io_snapshot_facts(const char *path) {
    struct buf bytes = {0};
    char *facts = facts_path(path);
    struct cJSON *object = NULL;
    if (access(facts, R_OK) == 0 && io_read(facts, IO_MAX_SMALL, &bytes, NULL))
        object = json_parse(bytes.data ? bytes.data : "", bytes.len, facts, NULL);
    buf_free(&bytes);
    free(facts);
    return object;
}

static void remove_snapshot(const char *path) {
    char *facts = facts_path(path);
    unlink(facts);
    unlink(path);
    free(facts);
}

/* A write that was killed leaves its temporary file: "NAME.XXXXXX". */
static void remove_leftovers(const char *folder, int64_t now) {
    DIR *dir = opendir(folder);
    struct stat st;
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        const char *dot = strrchr(e->d_name, '.');
        bool ours = dot && strlen(dot) == 7 && (strstr(e->d_name, ".csv.gz.") || strstr(e->d_name, ".json."));
        char *path = ours ? join(folder, e->d_name) : NULL;
        if (path && stat(path, &st) == 0 && now - (int64_t)st.st_mtime > DAY_S)
            unlink(path);
        free(path);
    }
    if (dir)
        closedir(dir);
}

size_t io_snapshots_prune(const char *folder, const char *source, int64_t now) {
    struct io_snapshots s = {0};
    size_t removed = 0;
    int64_t week = 0;
    list_source(folder, source, &s);
    if (s.count > 1)
        qsort(s.items, s.count, sizeof *s.items, compare);
    for (size_t i = 0; i < s.count; i++) {
        int64_t age_days = (now - s.items[i].fetched_at) / DAY_S, its_week = s.items[i].fetched_at / (7 * DAY_S);
        bool keep = i == 0 || age_days < KEEP_ALL_DAYS || (age_days < KEEP_DAYS && its_week != week);
        if (keep)
            week = its_week;
        else
            remove_snapshot(s.items[i].path);
        removed += !keep;
    }
    io_snapshots_free(&s);
    char *path = join(folder, source);
    remove_leftovers(path, now);
    free(path);
    return removed;
}
