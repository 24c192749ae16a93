/* SPDX-License-Identifier: MIT */
/* What comes back next time: one JSON object in the state file. Anything in it that is not understood is passed over. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/io/io.h"
#include "app/notes.h"
#include "screen.h"

/* ---- saving ---- */

static void add_workload(cJSON *root, const struct workload *w) {
    struct buf b = {0};
    workload_to_json(w, &b);
    cJSON_AddItemToObject(root, "workload", cJSON_Parse(b.data ? b.data : "{}"));
    buf_free(&b);
}

static void add_lists(cJSON *root, const struct app *a) {
    size_t count;
    const struct column *table = column_table(&count);
    cJSON *hidden = cJSON_AddArrayToObject(root, "hidden_columns"), *marks = cJSON_AddArrayToObject(root, "marks");
    for (size_t i = 0; i < count && i < sizeof a->hidden / sizeof a->hidden[0]; i++)
        if (a->hidden[i])
            cJSON_AddItemToArray(hidden, cJSON_CreateString(table[i].key));
    for (int i = 0; i < a->list.mark_count; i++)
        cJSON_AddItemToArray(marks, cJSON_CreateString(a->list.marks[i]));
}

static cJSON *read_state(const char *path) {
    struct buf bytes = {0};
    cJSON *root = NULL;
    if (path && io_read(path, IO_MAX_SMALL, &bytes, NULL))
        root = json_parse(bytes.data ? bytes.data : "", bytes.len, path, NULL);
    buf_free(&bytes);
    return root;
}

static void load_filters(struct notes *n, const cJSON *root) {
    struct notes *found = mem_zero(1, sizeof *found);
    const cJSON *item;
    cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(root, "filters")) {
        char text[TEXT_MAX];
        struct filter *f = NULL;
        bool dropped = false;
        if (!cJSON_IsString(item) || found->filter_count == FILTERS_MAX)
            continue;
        text_clean(text, sizeof text, item->valuestring, strlen(item->valuestring));
        for (int i = 0; i < n->dropped_count; i++)
            dropped |= strcmp(n->dropped[i], text) == 0;
        if (!dropped && (f = filter_parse(text, NULL, NULL)) != NULL)
            memcpy(found->filters[found->filter_count++], text, TEXT_MAX);
        filter_free(f);
    }
    for (int i = found->filter_count; i-- > 0;) /* the first stays the first */
        if (n->filter_count < FILTERS_MAX)
            notes_add_filter(n, found->filters[i]);
    free(found);
}

/* Another instance may have saved filters since this one began: both keep theirs. */
static void add_filters(cJSON *root, const struct app *a) {
    cJSON *there = read_state(a->state_file), *list = cJSON_AddArrayToObject(root, "filters");
    struct notes *n = mem_zero(1, sizeof *n);
    *n = *a->notes;
    load_filters(n, there);
    for (int i = 0; i < n->filter_count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(n->filters[i]));
    free(n);
    cJSON_Delete(there);
}

static void add_assumptions(cJSON *root, const struct assumptions *as) {
    cJSON *object = cJSON_AddObjectToObject(root, "assumptions");
    for (int i = 0; i < ASSUME_COUNT; i++) {
        if (as->source[i] != PROVENANCE_DECLARED)
            continue;
        cJSON *r = cJSON_AddArrayToObject(object, assume_table()[i].key);
        cJSON_AddItemToArray(r, cJSON_CreateNumber(as->v[i].low));
        cJSON_AddItemToArray(r, cJSON_CreateNumber(as->v[i].expected));
        cJSON_AddItemToArray(r, cJSON_CreateNumber(as->v[i].high));
    }
}

void files_save_state(const struct app *a) {
    if (!a->state_file)
        return;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "screen", screen_now(a)->name);
    cJSON_AddStringToObject(root, "goal", goal_name(a->goal));
    cJSON_AddStringToObject(root, "sort", a->sort.column ? a->sort.column->key : "");
    cJSON_AddBoolToObject(root, "sort_turned", a->sort.turned);
    cJSON_AddStringToObject(root, "filter", a->filter);
    cJSON_AddBoolToObject(root, "follow", a->follow);
    cJSON_AddBoolToObject(root, "mouse", a->mouse);
    cJSON_AddBoolToObject(root, "advanced", a->form.advanced);
    cJSON_AddStringToObject(root, "offer", a->list.touched && a->list.id ? a->list.id : "");
    add_lists(root, a);
    add_filters(root, a);
    add_workload(root, &a->stated.workload);
    add_assumptions(root, &a->stated.assumptions);
    char *text = cJSON_Print(root), *slash;
    cJSON_Delete(root);
    char *folder = mem_strdup(a->state_file);
    if ((slash = strrchr(folder, '/')) != NULL) {
        *slash = '\0';
        io_make_dirs(folder, NULL);
    }
    if (text) /* a disk that is full must not keep anybody here */
        io_write_atomic(a->state_file, text, strlen(text), NULL);
    cJSON_free(text);
    free(folder);
}

/* ---- loading ---- */

static bool copy_clean(char *out, size_t cap, const char *text) {
    text_clean(out, cap, text, strlen(text));
    return *out != '\0';
}

static void load_lists(struct app *a, const cJSON *root) {
    size_t count;
    const struct column *table = column_table(&count);
    const cJSON *item;
    cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(root, "hidden_columns")) {
        const struct column *c = cJSON_IsString(item) ? column_find(item->valuestring) : NULL;
        if (c && (size_t)(c - table) < sizeof a->hidden / sizeof a->hidden[0])
            a->hidden[c - table] = true;
    }
    cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(root, "marks")) {
        char id[TEXT_MAX];
        if (cJSON_IsString(item) && a->list.mark_count < MARKS_MAX && copy_clean(id, sizeof id, item->valuestring) &&
            !list_is_marked(a, id))
            a->list.marks[a->list.mark_count++] = mem_strdup(id);
    }
}

static void load_workload(struct app *a, const cJSON *root) {
    const cJSON *saved = cJSON_GetObjectItemCaseSensitive(root, "workload");
    char *text = cJSON_IsObject(saved) ? cJSON_PrintUnformatted(saved) : NULL;
    struct workload *w = mem_zero(1, sizeof *w);
    struct job *j = mem_zero(1, sizeof *j);
    workload_init(w);
    if (text && workload_from_json(w, text, strlen(text), "state", NULL) && job_resolve(w, a->models, j, NULL))
        a->stated.workload = *w;
    cJSON_free(text);
    free(w);
    free(j);
}

static void load_assumptions(struct app *a, const cJSON *root) {
    const cJSON *item;
    cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(root, "assumptions")) {
        char text[120];
        double x[3];
        for (int i = 0; i < 3; i++) {
            const cJSON *n = cJSON_GetArrayItem(item, i); /* three at most */
            x[i] = cJSON_IsNumber(n) ? n->valuedouble : NUM_UNKNOWN;
        }
        snprintf(text, sizeof text, "%.9g,%.9g,%.9g", x[0], x[1], x[2]);
        const struct assumption *row = item->string ? assume_find(item->string) : NULL;
        if (row && a->stated.assumptions.source[row->id] != PROVENANCE_DECLARED) /* the command line wins */
            assumptions_set(&a->stated.assumptions, item->string, text, NULL);
    }
}

static void load_place(struct app *a, const cJSON *root) {
    const char *screen = json_string(root, "screen", ""), *sort = json_string(root, "sort", "");
    int goal = goal_find(json_string(root, "goal", ""));
    char id[TEXT_MAX];
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (app_has_screen((enum app_screen)i) && strcmp(app_screen_name((enum app_screen)i), screen) == 0)
            a->screen = (enum app_screen)i;
    if (goal >= 0 && a->goal == GOAL_COST) /* another one was asked for on the command line */
        a->goal = (enum goal)goal;
    a->sort.column = *sort ? column_find(sort) : NULL;
    if (a->sort.column && !a->sort.column->number && !a->sort.column->value)
        a->sort.column = NULL;
    a->sort.turned = a->sort.column && json_bool(root, "sort_turned", false);
    a->follow = json_bool(root, "follow", true);
    a->mouse = json_bool(root, "mouse", true);
    if (!a->mouse)
        a->request = APP_REQUEST_MOUSE_OFF;
    a->form.advanced = json_bool(root, "advanced", false);
    if (copy_clean(id, sizeof id, json_string(root, "offer", ""))) {
        a->list.id = mem_strdup(id);
        a->list.touched = true;
    }
}

static void load_filter(struct app *a, const cJSON *root) {
    char text[TEXT_MAX];
    struct filter *f;
    if (!copy_clean(text, sizeof text, json_string(root, "filter", "")) || !(f = filter_parse(text, NULL, NULL)))
        return;
    filter_free(f);
    memcpy(a->filter, text, sizeof a->filter);
}

void files_load_state(struct app *a, bool keep_workload, bool keep_filter) {
    cJSON *root = read_state(a->state_file);
    if (cJSON_IsObject(root)) {
        load_filters(a->notes, root);
        load_place(a, root);
        load_lists(a, root);
        load_assumptions(a, root);
        if (!keep_workload)
            load_workload(a, root);
        if (!keep_filter)
            load_filter(a, root);
    }
    cJSON_Delete(root);
}
