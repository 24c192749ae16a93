/* SPDX-License-Identifier: MIT */
/* A decision kept with all that it was made from, and held against today's listings later. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "cli/cli.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/json.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/estimate/calibration.h"
#include "gpuplan/io/io.h"
#include "gpuplan/listing/source.h"
#include "gpuplan/report/json_out.h"
#include "gpuplan/report/sentence.h"

enum { VERSION_OF_FORMAT = 1, KEPT = 20 /* offers, as a ranking shows them */ };

static void time_text(int64_t when, char *out, size_t cap) {
    time_t t = (time_t)when;
    struct tm tm;
    if (!gmtime_r(&t, &tm) || strftime(out, cap, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        snprintf(out, cap, "?");
}

/* ---- save ---- */

/* What was measured, as rows of a calibration; --assume stands beside it as it was given. */
static void put_constants(struct json_out *j, const struct cli *c) {
    struct calibration *own = mem_zero(1, sizeof *own);
    struct buf b = {0};
    for (int i = 0; i < c->calibration->count; i++)
        if (c->calibration->rows[i].what != CALIBRATION_ASSUMPTION)
            own->rows[own->count++] = c->calibration->rows[i];
    for (int i = 0; i < ASSUME_COUNT && own->count < CALIBRATION_MAX; i++) {
        if (c->assumptions.source[i] != PROVENANCE_MEASURED)
            continue;
        struct calibration_row *r = &own->rows[own->count++];
        *r = (struct calibration_row){.what = CALIBRATION_ASSUMPTION, .is = c->assumptions.v[i], .count = 1};
        snprintf(r->key, sizeof r->key, "%s", assume_table()[i].key);
    }
    calibration_put(&b, own);
    json_out_text(j, "constants", b.data);
    json_out_array(j, "assume");
    for (int i = 0; i < c->args.counts[OPTION_ASSUME]; i++)
        json_out_text(j, NULL, c->args.values[OPTION_ASSUME][i]);
    json_out_end(j, ']');
    buf_free(&b);
    free(own);
}

static void put_candidate(struct json_out *j, const struct cli *c, const struct candidate *k) {
    struct buf machine = {0};
    sentence_machine(&machine, &c->question, k);
    json_out_object(j, NULL);
    json_out_text(j, "id", offers_text(c->offers, k->offer->id));
    json_out_text(j, "machine", machine.data);
    json_out_number(j, "gpus_used", k->shape.gpus * k->shape.nodes);
    json_out_number(j, "rate_usd_h", k->rate_usd_h);
    json_out_range(j, "time_h", k->cost.time_h);
    json_out_range(j, "cost_usd", k->cost.usd);
    json_out_end(j, '}');
    buf_free(&machine);
}

/* The best rows and the one that was picked: their listing, so that the file stands by itself. */
static void put_offers(struct json_out *j, struct cli *c, const char *picked) {
    struct offers kept = *c->offers;
    struct buf csv = {0};
    struct candidate k;
    kept.items = mem_zero(KEPT + 1, sizeof *kept.items);
    kept.count = 0;
    json_out_array(j, "candidates");
    bool has_picked = false;
    for (size_t i = 0; i < ranking_count(c->ranking) && i < KEPT; i++) {
        const struct ranked *row = ranking_at(c->ranking, i);
        ranking_candidate(c->ranking, row, &k);
        put_candidate(j, c, &k);
        has_picked |= strcmp(offers_text(c->offers, k.offer->id), picked) == 0;
        kept.items[kept.count++] = *k.offer;
    }
    if (!has_picked && ranking_explain(c->ranking, picked, 0, &k, NULL)) {
        put_candidate(j, c, &k);
        kept.items[kept.count++] = *k.offer;
    }
    json_out_end(j, ']');
    listing_write_csv(c->catalog, &kept, &csv);
    json_out_text(j, "offers_csv", csv.data);
    buf_free(&csv);
    free(kept.items);
}

static void put_decision(struct buf *b, struct cli *c, const char *picked) {
    struct json_out out = {.b = b}, *j = &out;
    struct buf workload = {0};
    char when[40], *answer = cli_answer(c);
    time_text(c->now, when, sizeof when);
    workload_to_json(&c->workload, &workload);
    json_out_object(j, NULL);
    json_out_number(j, "gpuplan_decision", VERSION_OF_FORMAT);
    json_out_text(j, "saved_at", when);
    json_out_text(j, "goal", goal_name(c->question.goal));
    json_out_text(j, "filter", args_text(&c->args, OPTION_FILTER, NULL));
    json_out_raw(j, "workload", workload.data);
    put_constants(j, c);
    json_out_text(j, "answer", answer);
    json_out_text(j, "picked", picked);
    put_offers(j, c, picked);
    json_out_end(j, '}');
    buf_putc(b, '\n');
    buf_free(&workload);
    free(answer);
}

int cmd_save(struct cli *c) {
    struct err err = {0};
    struct buf b = {0};
    struct candidate k;
    if (!cli_need_ranking(c))
        return c->status;
    const char *pick = cli_pick_id(c, args_text(&c->args, OPTION_PICK, "1"));
    if (ranking_count(c->ranking) == 0) {
        err_set(&err, ERR_USAGE, "nothing fits: there is no decision to keep");
        cli_fail(c, &err);
        return c->status;
    }
    if (!ranking_explain(c->ranking, pick, 0, &k, NULL)) {
        cli_fail_pick(c, pick);
        return c->status;
    }
    put_decision(&b, c, offers_text(c->offers, k.offer->id));
    int status = STATUS_DONE;
    if (!io_write_atomic(c->args.words[0], b.data, b.len, &err)) {
        cli_fail(c, &err);
        status = c->status;
    }
    buf_free(&b);
    return status;
}

/* ---- open ---- */

struct kept {
    char *id, *machine;
    double rate_usd_h, time_h, cost_usd; /* expected, as saved */
    const char *state;                   /* "same" "price" "figures" "refused" "gone" */
    struct candidate now;
    bool found;
};
struct decision {
    struct cJSON *tree;
    struct kept kept[KEPT + 1];
    int count;
    char *answer, *picked, *saved_at;
};

static char *clean_string(const struct cJSON *o, const char *key) {
    const char *s = json_string(o, key, "");
    size_t cap = strlen(s) * 4 + 8;
    char *out = mem_alloc(cap);
    text_clean(out, cap, s, strlen(s));
    return out;
}

static double expected(const struct cJSON *o, const char *key) {
    return json_number(cJSON_GetObjectItemCaseSensitive(o, key), "expected", NUM_UNKNOWN);
}

static void read_kept(struct decision *d) {
    const struct cJSON *item, *list = cJSON_GetObjectItemCaseSensitive(d->tree, "candidates");
    cJSON_ArrayForEach (item, list) {
        if (d->count > KEPT)
            return;
        struct kept *k = &d->kept[d->count++];
        *k = (struct kept){.id = clean_string(item, "id"),
                           .machine = clean_string(item, "machine"),
                           .rate_usd_h = json_number(item, "rate_usd_h", NUM_UNKNOWN),
                           .time_h = expected(item, "time_h"),
                           .cost_usd = expected(item, "cost_usd")};
    }
}

/* Everything but the listings comes from the file, unless an option says otherwise. */
static bool take_over(struct cli *c, struct decision *d, const char *path) {
    struct err err = {0};
    const char *constants = json_string(d->tree, "constants", "");
    if (json_number(d->tree, "gpuplan_decision", 0) != VERSION_OF_FORMAT) {
        err_set(&err, ERR_DATA, "this is no decision that `gpuplan save` wrote");
        err_at(&err, path, 0, 0, "gpuplan_decision");
        return cli_fail(c, &err);
    }
    c->workload_json = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(d->tree, "workload"));
    args_first(&c->args, OPTION_GOAL, json_string(d->tree, "goal", NULL));
    args_first(&c->args, OPTION_FILTER, json_string(d->tree, "filter", NULL));
    const struct cJSON *item, *list = cJSON_GetObjectItemCaseSensitive(d->tree, "assume");
    cJSON_ArrayForEach (item, list)
        args_first(&c->args, OPTION_ASSUME, cJSON_GetStringValue(item));
    if (goal_find(args_text(&c->args, OPTION_GOAL, "cost")) < 0) {
        err_set(&err, ERR_DATA, "allowed are cost, time, value");
        err_at(&err, path, 0, 0, "goal");
        return cli_fail(c, &err);
    }
    if (!args_has(&c->args, OPTION_CALIBRATION)) {
        c->calibration = mem_zero(1, sizeof *c->calibration);
        if (!calibration_read(constants, strlen(constants), path, c->calibration, &err))
            return cli_fail(c, &err);
    }
    d->answer = clean_string(d->tree, "answer");
    d->picked = clean_string(d->tree, "picked");
    d->saved_at = clean_string(d->tree, "saved_at");
    read_kept(d);
    return true;
}

static bool about_equal(double a, double b) {
    static const double seen = 0.005; /* half a percent: nobody would tell the difference */
    return fabs(a - b) <= seen * fmax(fabs(a), fabs(b));
}

static void compare(struct cli *c, struct kept *k) {
    const struct offer *f = offers_find(c->offers, k->id);
    k->state = "gone";
    if (!f || strcmp(offers_text(c->offers, f->id), k->id) != 0)
        return;
    k->found = ranking_explain(c->ranking, k->id, 0, &k->now, NULL);
    if (k->now.reason.code != REASON_NONE)
        k->state = "refused";
    else if (!about_equal(k->now.rate_usd_h, k->rate_usd_h))
        k->state = "price";
    else if (!about_equal(k->now.cost.time_h.expected, k->time_h) ||
             !about_equal(k->now.cost.usd.expected, k->cost_usd))
        k->state = "figures";
    else
        k->state = "same";
}

static const char *state_label(const char *state) {
    static const struct {
        const char *state, *label;
    } labels[] = {{"same", N_("as it was")},
                  {"price", N_("another price")},
                  {"figures", N_("other figures: constants or the program changed")},
                  {"refused", N_("no longer possible")},
                  {"gone", N_("no longer listed")}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(labels[i].state, state) == 0)
            return _(labels[i].label);
    return state;
}

static void add_money(struct grid *g, double x, bool people) {
    char text[32] = "";
    if (!people) {
        grid_add_number(g, x, 9);
        return;
    }
    if (num_known(x))
        num_format(text, sizeof text, x, NUM_USD);
    grid_add(g, text);
}

static void put_table(struct cli *c, const struct decision *d, struct buf *b, enum grid_format format) {
    static const char *const keys[] = {"picked", "id", "state", "rate_was", "rate_now", "cost_was", "cost_now"};
    const char *const headings[] = {"", _("offer"), _("now"), _("$/h then"), _("$/h now"), _("then"), _("now")};
    bool people = format == GRID_TABLE;
    struct grid *g = grid_new(keys, sizeof keys / sizeof *keys);
    grid_headings(g, headings);
    for (int i = 0; i < d->count; i++) {
        const struct kept *k = &d->kept[i];
        bool runs = k->found && k->now.reason.code == REASON_NONE;
        grid_add(g, strcmp(k->id, d->picked) == 0 ? "*" : "");
        grid_add(g, k->id);
        grid_add(g, people ? state_label(k->state) : k->state);
        add_money(g, k->rate_usd_h, people);
        add_money(g, k->found ? k->now.rate_usd_h : NUM_UNKNOWN, people);
        add_money(g, k->cost_usd, people);
        add_money(g, runs ? k->now.cost.usd.expected : NUM_UNKNOWN, people);
    }
    grid_put(b, g, format, &c->style);
    grid_free(g);
}

static void put_json(struct cli *c, const struct decision *d, const char *answer, struct buf *b) {
    struct json_out out = {.b = b}, *j = &out;
    (void)c;
    json_out_object(j, NULL);
    json_out_text(j, "saved_at", d->saved_at);
    json_out_text(j, "answer_then", d->answer);
    json_out_text(j, "answer_now", answer);
    json_out_text(j, "picked", d->picked);
    json_out_array(j, "candidates");
    for (int i = 0; i < d->count; i++) {
        const struct kept *k = &d->kept[i];
        bool runs = k->found && k->now.reason.code == REASON_NONE;
        json_out_object(j, NULL);
        json_out_text(j, "id", k->id);
        json_out_text(j, "state", k->state);
        json_out_number(j, "rate_usd_h_then", k->rate_usd_h);
        json_out_number(j, "rate_usd_h_now", k->found ? k->now.rate_usd_h : NUM_UNKNOWN);
        json_out_number(j, "cost_usd_then", k->cost_usd);
        json_out_number(j, "cost_usd_now", runs ? k->now.cost.usd.expected : NUM_UNKNOWN);
        json_out_end(j, '}');
    }
    json_out_end(j, ']');
    json_out_end(j, '}');
    buf_putc(b, '\n');
}

static void put_text(struct cli *c, const struct decision *d, const char *answer, struct buf *b) {
    struct buf line = {0};
    buf_printf(&line, _("Decided on %s:"), d->saved_at);
    style_wrap(b, &c->style, line.data, 0);
    style_wrap(b, &c->style, d->answer, 0);
    buf_putc(b, '\n');
    put_table(c, d, b, GRID_TABLE);
    buf_putc(b, '\n');
    buf_clear(&line);
    buf_printf(&line, _("Now: %s"), answer);
    style_wrap(b, &c->style, line.data, 0);
    buf_free(&line);
}

static int recheck(struct cli *c, struct decision *d) {
    struct buf b = {0};
    if (!cli_need_ranking(c))
        return c->status;
    for (int i = 0; i < d->count; i++)
        compare(c, &d->kept[i]);
    char *answer = cli_answer(c);
    if (c->format == FORMAT_JSON)
        put_json(c, d, answer, &b);
    else if (c->format == FORMAT_TABLE)
        put_text(c, d, answer, &b);
    else
        put_table(c, d, &b, (enum grid_format)c->format);
    int status = cli_write(c, &b, ranking_count(c->ranking) > 0 ? STATUS_DONE : STATUS_NOTHING_FITS);
    buf_free(&b);
    free(answer);
    return status;
}

int cmd_open(struct cli *c) {
    const char *path = c->args.words[0];
    struct err err = {0};
    struct buf bytes = {0};
    struct decision *d = mem_zero(1, sizeof *d);
    bool good = io_read(path, IO_MAX_SMALL, &bytes, &err) &&
                (d->tree = json_parse(bytes.data ? bytes.data : "", bytes.len, path, &err)) != NULL;
    buf_free(&bytes);
    int status = STATUS_WRONG;
    if (!good)
        cli_fail(c, &err);
    else
        status = take_over(c, d, path) ? recheck(c, d) : c->status;
    for (int i = 0; i < d->count; i++) {
        free(d->kept[i].id);
        free(d->kept[i].machine);
    }
    free(d->answer);
    free(d->picked);
    free(d->saved_at);
    c->decision = d->tree; /* options point into it until the end */
    free(d);
    return status;
}
