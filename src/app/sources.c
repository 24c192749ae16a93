/* SPDX-License-Identifier: MIT */
/* The screen of sources: files and fetches, how old and how good they are. */
#include "sources.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/json.h"
#include "gpuplan/io/snapshot.h"
#include "gpuplan/listing/when.h"
#include "gpuplan/report/report.h"
#include "screen.h"

/* ---- rows ---- */

static void drop_rows(struct sources *s) {
    for (size_t i = 0; i < s->count; i++)
        tally_free(&s->rows[i].findings);
    s->count = 0;
}

static struct source_row *add_row(struct sources *s, enum source_kind kind, const char *name) {
    s->rows = mem_grow(s->rows, &s->cap, s->count + 1, sizeof *s->rows);
    struct source_row *r = &s->rows[s->count++];
    *r = (struct source_row){.kind = kind};
    text_copy(r->name, sizeof r->name, name);
    return r;
}

static bool is_snapshot(const struct app *a, const char *path) {
    const char *folder = a->fetching->folder;
    size_t len = folder ? strlen(folder) : 0;
    return len > 0 && strncmp(path, folder, len) == 0 && path[len] == '/';
}

static void add_file(struct app *a, const struct tally_file *f) {
    struct source_row *r = add_row(a->sources, a->listing_files ? SOURCE_FILE : SOURCE_BUNDLED, f->name);
    r->there = r->loaded = true;
    r->offers = f->offers;
    r->flagged = f->flagged;
    r->skipped = f->skipped;
    r->time = f->observed_at;
    for (size_t i = 0; i < a->tally->finding_count; i++)
        if (strcmp(a->tally->findings[i].file, f->name) == 0)
            tally_add(&r->findings, &a->tally->findings[i]);
}

static void take_facts(struct source_row *r, const struct cJSON *facts) {
    const cJSON *one, *requests = cJSON_GetObjectItemCaseSensitive(facts, "requests");
    r->offers = (size_t)json_number(facts, "offers", 0);
    r->flagged = (size_t)json_number(facts, "flagged", 0);
    r->skipped = (size_t)json_number(facts, "skipped", 0);
    if (requests && requests->child)
        text_copy(r->url, sizeof r->url, json_string(requests->child, "url", ""));
    cJSON_ArrayForEach (one, cJSON_GetObjectItemCaseSensitive(facts, "notes")) {
        struct finding f = {.count = 1, .skipped = true};
        if (cJSON_IsString(one))
            text_copy(f.text, sizeof f.text, one->valuestring);
        tally_add(&r->findings, &f);
    }
    cJSON_ArrayForEach (one, cJSON_GetObjectItemCaseSensitive(facts, "problems")) {
        struct finding f = {.line = (long)json_number(one, "line", 0),
                            .count = (size_t)json_number(one, "count", 1),
                            .skipped = json_bool(one, "skipped", false)};
        text_copy(f.file, sizeof f.file, json_string(one, "file", ""));
        text_copy(f.field, sizeof f.field, json_string(one, "field", ""));
        text_copy(f.text, sizeof f.text, json_string(one, "text", ""));
        tally_add(&r->findings, &f);
    }
}

static bool is_loaded(const struct app *a, const char *path) {
    for (size_t i = 0; a->listing_files && a->listing_files[i]; i++)
        if (strcmp(a->listing_files[i], path) == 0)
            return true;
    return false;
}

static void add_source(struct app *a, const char *name, const struct io_snapshots *kept) {
    const struct io_snapshot *newest = io_snapshots_newest(kept, name);
    struct source_row *r = add_row(a->sources, SOURCE_FETCHED, name);
    struct io_key key;
    r->endpoint = endpoints_find(a->fetching->endpoints, name, NULL);
    r->key = io_key_find(r->endpoint, &key, NULL);
    io_key_forget(&key);
    text_copy(r->url, sizeof r->url, r->endpoint->url);
    if (!newest)
        return;
    struct cJSON *facts = io_snapshot_facts(newest->path);
    r->there = true;
    r->loaded = is_loaded(a, newest->path);
    r->time = newest->fetched_at;
    if (facts)
        take_facts(r, facts);
    cJSON_Delete(facts);
}

void sources_build(struct app *a) {
    struct io_snapshots kept = {0};
    struct sources *s = a->sources;
    size_t count = 0;
    char *under_cursor = s->cursor < s->count ? mem_strdup(s->rows[s->cursor].name) : NULL;
    drop_rows(s);
    for (size_t i = 0; i < a->tally->file_count; i++)
        if (!is_snapshot(a, a->tally->files[i].name))
            add_file(a, &a->tally->files[i]);
    io_snapshots_list(a->fetching->folder, &kept);
    const char *const *names = a->fetching->endpoints ? endpoints_sources(a->fetching->endpoints, &count) : NULL;
    for (int there = 1; there >= 0; there--) /* what there is stands first */
        for (size_t i = 0; i < count; i++)
            if ((io_snapshots_newest(&kept, names[i]) != NULL) == there)
                add_source(a, names[i], &kept);
    io_snapshots_free(&kept);
    for (size_t i = 0; under_cursor && i < s->count; i++)
        if (strcmp(s->rows[i].name, under_cursor) == 0)
            s->cursor = i;
    free(under_cursor);
    if (s->cursor >= s->count)
        s->cursor = s->count ? s->count - 1 : 0;
    a->changed = true;
}

void sources_free(struct app *a) {
    drop_rows(a->sources);
    free(a->sources->rows);
    free(a->sources);
}

const struct source_row *sources_now(const struct app *a) {
    return a->sources->cursor < a->sources->count ? &a->sources->rows[a->sources->cursor] : NULL;
}

/* ---- the screen ---- */

static void begin(struct app *a) {
    a->sources = mem_zero(1, sizeof *a->sources);
}

static void open_screen(struct app *a) {
    sources_build(a);
}

static void refresh(struct app *a) {
    if (a->screen == SCREEN_SOURCES)
        sources_build(a);
}

static void go(struct app *a, size_t to) {
    struct sources *s = a->sources;
    s->cursor = to >= s->count ? (s->count ? s->count - 1 : 0) : to;
    a->scroll[SCREEN_SOURCES] = 0;
    a->changed = true;
}

static void move(struct app *a, long by) {
    struct sources *s = a->sources;
    if (s->full)
        app_scroll(a, (int)by);
    else
        go(a, by < 0 && (size_t)-by > s->cursor ? 0 : s->cursor + (size_t)by);
}

static void shown(struct app *a) {
    struct sources *s = a->sources;
    if (s->full)
        app_scroll(a, 0);
    else
        s->top = list_top(s->top, s->cursor, (size_t)app_page(a), s->count);
}

static void click(struct app *a, int row, bool twice) {
    go(a, (size_t)row);
    a->sources->full |= twice;
}

static size_t count_rows(const struct app *a) {
    return a->sources->count;
}
static size_t place(const struct app *a) {
    return a->sources->cursor;
}
static bool has(const struct app *a, size_t row, const char *text) {
    return row < a->sources->count && strstr(a->sources->rows[row].name, text) != NULL;
}

static bool put(struct app *a, struct buf *b, const char *path) {
    static const char *const keys[] = {"source", "kind", "offers", "flagged", "left_out", "seen", "url"};
    static const char *const kinds[] = {"bundled", "file", "fetched"};
    static const struct {
        const char *suffix;
        enum grid_format format;
    } forms[] = {{".csv", GRID_CSV}, {".json", GRID_JSON}, {".md", GRID_MARKDOWN}, {"", GRID_TABLE}};
    const struct style style = {0, a->ascii, false};
    struct grid *g = grid_new(keys, sizeof keys / sizeof keys[0]);
    char when[32];
    size_t i = 0, len = strlen(path);
    for (size_t k = 0; k < a->sources->count; k++) {
        const struct source_row *r = &a->sources->rows[k];
        when_format(when, sizeof when, r->time);
        grid_add(g, r->name);
        grid_add(g, kinds[r->kind]);
        grid_add_number(g, r->there ? (double)r->offers : NUM_UNKNOWN, 9);
        grid_add_number(g, r->there ? (double)r->flagged : NUM_UNKNOWN, 9);
        grid_add_number(g, r->there ? (double)r->skipped : NUM_UNKNOWN, 9);
        grid_add(g, when);
        grid_add(g, r->url);
    }
    while (len < strlen(forms[i].suffix) || strcmp(path + len - strlen(forms[i].suffix), forms[i].suffix) != 0)
        i++;
    grid_put(b, g, forms[i].format, &style);
    grid_free(g);
    return true;
}

/* ---- actions ---- */

static bool on_source(const struct app *a) {
    const struct source_row *r = sources_now(a);
    return r && r->endpoint && fetching_possible(a);
}
static bool can_cancel(const struct app *a) {
    const struct source_row *r = sources_now(a);
    struct fetch_status s;
    return r && r->endpoint && fetching_status(a, r->name, &s) && !fetch_ended(s.state);
}
static bool has_row(const struct app *a) {
    return sources_now(a) != NULL;
}
static void fetch_this(struct app *a) {
    fetching_start(a, sources_now(a)->endpoint->source);
}
static void cancel_this(struct app *a) {
    fetching_cancel(a, sources_now(a)->endpoint->source);
}
static void details(struct app *a) {
    a->sources->full = !a->sources->full;
    a->scroll[SCREEN_SOURCES] = 0;
    a->changed = true;
}

static const struct action actions[] = {
    {"sources.fetch", {'f'}, N_("Fetch"), N_("fetch this source"), ON_SOURCES, on_source, fetch_this},
    {"sources.fetch-all",
     {KEY_CODE_F1 + 4, 'r'},
     N_("All"),
     N_("fetch every source that needs no key or has one"),
     ON_SOURCES,
     fetching_possible,
     fetching_start_all},
    {"sources.cancel",
     {'x'},
     N_("Cancel"),
     N_("stop the fetch; what there was stays"),
     ON_SOURCES,
     can_cancel,
     cancel_this},
    {"sources.details",
     {KEY_CODE_ENTER, 'v'},
     N_("Details"),
     N_("all about this source: rows left out and why"),
     ON_SOURCES,
     has_row,
     details},
};

const struct screen_row sources_screen = {.name = "sources",
                                          .begin = begin,
                                          .end = sources_free,
                                          .move = move,
                                          .open = open_screen,
                                          .refresh = refresh,
                                          .shown = shown,
                                          .click = click,
                                          .rows = count_rows,
                                          .place = place,
                                          .go = go,
                                          .has = has,
                                          .file = "sources.csv",
                                          .put = put,
                                          .actions = actions,
                                          .action_count = sizeof actions / sizeof actions[0]};
