/* SPDX-License-Identifier: MIT */
/* `gpuplan list endpoints` and `list snapshots`. */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "gpuplan/base/json.h"
#include "gpuplan/io/endpoint.h"
#include "gpuplan/io/snapshot.h"
#include "gpuplan/listing/when.h"

static const double second_h = 1.0 / 3600;

static const char *key_text(const struct endpoint *e) {
    struct io_key key;
    enum io_key_state state = io_key_find(e, &key, NULL);
    io_key_forget(&key);
    if (e->auth == AUTH_NONE)
        return "none";
    return state == IO_KEY_FOUND     ? "set"
           : state == IO_KEY_REFUSED ? "refused"
           : e->key_optional         ? "optional"
                                     : "missing";
}

struct grid *list_endpoints(struct cli *c) {
    static const char *const keys[] = {"endpoint", "source", "key",    "key_in", "changes_every_h",
                                       "max_mb",   "method", "origin", "url"};
    struct grid *g = grid_new(keys, sizeof keys / sizeof keys[0]);
    if (!cli_need_endpoints(c))
        return g;
    for (size_t i = 0; i < endpoints_count(c->endpoints); i++) {
        const struct endpoint *e = endpoints_at(c->endpoints, i);
        grid_add(g, e->name);
        grid_add(g, e->source);
        grid_add(g, key_text(e));
        grid_add(g, e->key_env);
        grid_add_number(g, e->changes_h, 6);
        grid_add_number(g, e->max_mb, 6);
        grid_add(g, e->method);
        grid_add(g, e->origin);
        grid_add(g, e->url);
    }
    return g;
}

struct grid *list_snapshots(struct cli *c) {
    static const char *const keys[] = {"source",  "fetched_at", "age_h",     "offers", "left_out",
                                       "flagged", "kb",         "unchanged", "file"};
    struct grid *g = grid_new(keys, sizeof keys / sizeof keys[0]);
    struct io_snapshots s = {0};
    char *folder = io_snapshot_folder(), when[32];
    io_snapshots_list(folder, &s);
    for (size_t i = 0; i < s.count; i++) {
        struct cJSON *facts = io_snapshot_facts(s.items[i].path);
        when_format(when, sizeof when, s.items[i].fetched_at);
        grid_add(g, s.items[i].source);
        grid_add(g, when);
        grid_add_number(g, (double)(c->now - s.items[i].fetched_at) * second_h, 4);
        grid_add_number(g, json_number(facts, "offers", NUM_UNKNOWN), 9);
        grid_add_number(g, json_number(facts, "skipped", NUM_UNKNOWN), 9);
        grid_add_number(g, json_number(facts, "flagged", NUM_UNKNOWN), 9);
        grid_add_number(g, (double)s.items[i].bytes / 1e3, 4);
        grid_add(g, json_bool(facts, "unchanged", false) ? "yes" : "no");
        grid_add(g, s.items[i].path);
        cJSON_Delete(facts);
    }
    io_snapshots_free(&s);
    free(folder);
    return g;
}
