/* SPDX-License-Identifier: MIT */
/* What a child does with an answer: reads it with the readers of listing/, checks it, and keeps it as a snapshot. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "gpuplan/base/json.h"
#include "gpuplan/base/text.h"
#include "gpuplan/io/child.h"
#include "gpuplan/io/endpoint.h"
#include "gpuplan/io/snapshot.h"
#include "gpuplan/listing/when.h"

static const size_t most_unpacked = (size_t)1 << 30; /* bytes; the largest catalogue has 10 MB */
enum { MAX_PROBLEMS = 64 /* kept beside a snapshot */ };

bool io_is_web_page(const char *bytes, size_t len) {
    text_trim(&bytes, &len);
    return len > 0 && bytes[0] == '<';
}

/* ---- a value of a JSON answer ---- */

static const cJSON *walk(const cJSON *at, const char *path) {
    while (at && *path) {
        char name[64];
        size_t len = strcspn(path, ".");
        if (len >= sizeof name)
            return NULL;
        memcpy(name, path, len);
        name[len] = '\0';
        at = cJSON_GetObjectItemCaseSensitive(at, name);
        path += len + (path[len] == '.');
    }
    return at;
}

void io_extract_run(void *user, int fd) {
    const struct io_extract *x = user;
    struct err err = {0};
    char line[4096];
    cJSON *object = json_parse(x->bytes, x->len, "", &err);
    const cJSON *found = object ? walk(object, x->path) : NULL;
    if (!object)
        io_child_say(fd, '!', err.text);
    else if (cJSON_IsString(found) && *found->valuestring) {
        text_clean(line, sizeof line, found->valuestring, strlen(found->valuestring));
        io_child_say(fd, '=', line);
    } else if (cJSON_IsNumber(found) || cJSON_IsArray(found)) {
        double n = cJSON_IsArray(found) ? cJSON_GetArraySize(found) : found->valuedouble;
        snprintf(line, sizeof line, "%.15g", n);
        io_child_say(fd, '=', line);
    } else {
        io_child_say(fd, '-', "");
    }
    cJSON_Delete(object);
}

/* ---- a snapshot ---- */

/* No answer should repeat a key; one that does is not to bring it into a file. */
static void blot_out(const struct io_answer *a, const char *secret) {
    size_t len = strlen(secret);
    for (char *p = a->bytes; len > 0 && (p = memmem(p, a->len - (size_t)(p - a->bytes), secret, len)) != NULL; p += len)
        memset(p, '*', len);
}

struct reading {
    const struct io_store *s;
    struct offers *out;
    struct err last;
};

static bool read_one(void *user, const char *name, struct io_bytes *bytes, struct err *err) {
    struct reading *r = user;
    (void)err;
    struct err why = {0};
    if (!listing_read(r->s->ctx, bytes->data, bytes->len, name, r->out, &why)) {
        r->last = why;
        offers_problem(r->out, name, why.line, why.record, why.field, why.text, true);
    }
    return true;
}

static bool read_answer(struct reading *r, const struct io_answer *a, struct err *err) {
    struct io_bytes bytes = {.data = a->bytes, .len = a->len, .cap = a->len};
    if (a->len == 0) {
        err_set(err, ERR_NETWORK, "the answer is empty");
        return err_at(err, a->name, 0, 0, NULL);
    }
    if (io_is_packed(a->bytes, a->len))
        return io_unpack(&bytes, a->name, most_unpacked, read_one, r, err);
    return read_one(r, a->name, &bytes, err);
}

/* Rows without a time of their own were seen now. */
static void stamp(struct offers *o, int64_t old, int64_t now) {
    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].observed_at == old)
            o->items[i].observed_at = now;
    o->observed_at = now;
}

static bool read_unchanged(const struct io_store *s, struct offers *out, struct err *err) {
    const char *const paths[] = {s->unchanged};
    struct cJSON *facts = io_snapshot_facts(s->unchanged);
    const char *text = json_string(facts, "fetched_at", "");
    int64_t old = 0;
    bool good = io_load_listings(s->ctx, paths, 1, out, NULL, NULL, err);
    if (good && when_parse(text, strlen(text), &old))
        stamp(out, old, s->ctx->now);
    cJSON_Delete(facts);
    return good;
}

static bool read_all(const struct io_store *s, struct offers *out, struct err *err) {
    struct reading r = {.s = s, .out = out};
    bool good = true;
    if (s->unchanged)
        return read_unchanged(s, out, err);
    for (size_t i = 0; i < s->count && good; i++) {
        if (s->key) {
            blot_out(&s->answers[i], s->key->first);
            blot_out(&s->answers[i], s->key->second);
        }
        good = read_answer(&r, &s->answers[i], err);
    }
    if (!good)
        return false;
    stamp(out, 0, s->ctx->now);
    listing_check(s->ctx, out);
    if (out->count > 0)
        return true;
    if (r.last.code != ERR_NONE)
        *err = r.last;
    else
        err_set(err, ERR_DATA, "no GPU offer in the answer (%zu rows read)", out->rows_read);
    return false;
}

static void add_text(cJSON *object, const char *key, const char *text) {
    char clean[1024];
    text_clean(clean, sizeof clean, text ? text : "", text ? strlen(text) : 0);
    if (*clean)
        cJSON_AddStringToObject(object, key, clean);
}

static cJSON *problems_of(const struct offers *o) {
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < o->problem_count && i < MAX_PROBLEMS; i++) {
        const struct offer_problem *p = &o->problems[i];
        cJSON *one = cJSON_CreateObject();
        add_text(one, "file", offers_text(o, p->file));
        add_text(one, "field", offers_text(o, p->field));
        add_text(one, "text", offers_text(o, p->text));
        cJSON_AddNumberToObject(one, "line", p->line);
        cJSON_AddNumberToObject(one, "count", p->count);
        cJSON_AddBoolToObject(one, "skipped", p->skipped);
        cJSON_AddItemToArray(list, one);
    }
    return list;
}

static cJSON *requests_of(const struct io_store *s) {
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < s->count; i++) {
        cJSON *one = cJSON_CreateObject();
        add_text(one, "name", s->answers[i].name);
        add_text(one, "url", s->answers[i].url);
        add_text(one, "etag", s->answers[i].etag);
        add_text(one, "last_modified", s->answers[i].modified);
        cJSON_AddNumberToObject(one, "bytes", (double)s->answers[i].len);
        cJSON_AddItemToArray(list, one);
    }
    return list;
}

static size_t count_flagged(const struct offers *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->count; i++)
        n += o->items[i].flags != 0;
    return n;
}

/* The facts beside a snapshot; of one that still holds, what was found when it was read. */
static char *facts_of(const struct io_store *s, const struct offers *o) {
    cJSON *facts = s->unchanged ? io_snapshot_facts(s->unchanged) : NULL;
    char when[32];
    when_format(when, sizeof when, s->ctx->now);
    if (!facts) {
        facts = cJSON_CreateObject();
        cJSON_AddStringToObject(facts, "source", s->source);
        cJSON_AddStringToObject(facts, "program", VERSION);
        cJSON_AddNumberToObject(facts, "rows", (double)o->rows_read);
        cJSON_AddNumberToObject(facts, "skipped", (double)o->rows_skipped);
        cJSON_AddItemToObject(facts, "requests", requests_of(s));
        cJSON *notes = cJSON_AddArrayToObject(facts, "notes");
        for (size_t i = 0; i < s->note_count; i++)
            cJSON_AddItemToArray(notes, cJSON_CreateString(s->notes[i]));
        cJSON_AddItemToObject(facts, "problems", problems_of(o));
    }
    static const char *const renewed[] = {"fetched_at", "unchanged", "offers", "flagged"};
    for (size_t i = 0; i < sizeof renewed / sizeof *renewed; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(facts, renewed[i]);
    cJSON_AddStringToObject(facts, "fetched_at", when);
    cJSON_AddBoolToObject(facts, "unchanged", s->unchanged != NULL);
    cJSON_AddNumberToObject(facts, "offers", (double)o->count);
    cJSON_AddNumberToObject(facts, "flagged", (double)count_flagged(o));
    char *text = cJSON_PrintUnformatted(facts);
    cJSON_Delete(facts);
    return text;
}

/* "FOLDER/SOURCE/2026-03-22T100000Z" */
static void put_stem(const struct io_store *s, struct buf *out) {
    char when[32];
    when_format(when, sizeof when, s->ctx->now);
    buf_printf(out, "%s/%s/%.13s%.2s%.3s", s->folder, s->source, when, when + 14, when + 17);
}

/* The table last: a snapshot is there when its .csv.gz is. */
static bool write_both(const struct io_store *s, const struct offers *o, struct buf *path, struct err *err) {
    struct buf folder = {0}, csv = {0}, facts = {0};
    char *text = facts_of(s, o);
    buf_printf(&folder, "%s/%s", s->folder, s->source);
    put_stem(s, path);
    buf_printf(&facts, "%s.json", path->data);
    buf_puts(path, ".csv.gz");
    listing_write_csv(s->ctx->catalog, o, &csv);
    bool good = io_make_dirs(folder.data, err) && text && io_write_atomic(facts.data, text, strlen(text), err);
    if (good && !io_write_atomic(path->data, csv.data, csv.len, err)) {
        unlink(facts.data);
        good = false;
    }
    free(text);
    buf_free(&folder);
    buf_free(&facts);
    buf_free(&csv);
    return good;
}

void io_store_run(void *user, int fd) {
    const struct io_store *s = user;
    struct err err = {0};
    struct offers *o = offers_new();
    struct buf path = {0};
    if (read_all(s, o, &err) && write_both(s, o, &path, &err)) {
        io_snapshots_prune(s->folder, s->source, s->ctx->now);
        io_child_say(fd, '+', path.data);
    } else {
        char line[640];
        err_format(&err, line, sizeof line);
        io_child_say(fd, '!', line);
    }
    buf_free(&path);
    offers_free(o);
}
