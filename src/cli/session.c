/* SPDX-License-Identifier: MIT */
/* Loading, each thing once, in the order in which they need each other. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "gpuplan/base/data.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "gpuplan/estimate/calibration.h"
#include "gpuplan/estimate/engine.h"
#include "gpuplan/io/endpoint.h"
#include "gpuplan/io/io.h"
#include "gpuplan/io/snapshot.h"
#include "gpuplan/listing/source.h"
#include "gpuplan/report/sentence.h"

bool cli_need_hardware(struct cli *c) {
    struct err err = {0};
    if (!c->catalog) {
        if (!(c->catalog = catalog_load(&err)))
            return cli_fail(c, &err);
        if (!cli_need_calibration(c))
            return false;
        if (!calibration_apply_links(c->calibration, c->catalog, args_text(&c->args, OPTION_CALIBRATION, ""), &err))
            return cli_fail(c, &err);
    }
    if (!c->providers && !(c->providers = providers_load(&err)))
        return cli_fail(c, &err);
    return true;
}

static void print_error(void *user, const struct err *err) {
    char line[640];
    (void)user;
    err_format(err, line, sizeof line);
    fprintf(stderr, "gpuplan: %s\n", line);
}

static void load_mappings_of(struct cli *c, const char *folder, const char *sub) {
    struct buf path = {0};
    if (!folder)
        return;
    buf_printf(&path, "%s%s", folder, sub);
    io_load_mapping_folder(c->mappings, path.data, print_error, NULL);
    buf_free(&path);
}

/* Bundled ones, then the user's, then those that are tried: a later one of the same name wins. */
bool cli_need_mappings(struct cli *c) {
    struct err err = {0};
    if (c->mappings)
        return true;
    if (!(c->mappings = mappings_load(&err)))
        return cli_fail(c, &err);
    char *folder = io_xdg_path(IO_DATA, "sources");
    load_mappings_of(c, folder, "");
    free(folder);
    load_mappings_of(c, args_text(&c->args, OPTION_DATA, NULL), "/sources");
    for (int i = 0; i < c->args.counts[OPTION_MAPPING]; i++)
        if (!io_load_mapping(c->mappings, c->args.values[OPTION_MAPPING][i], MAPPING_TRIED, &err))
            return cli_fail(c, &err);
    return true;
}

bool cli_need_models(struct cli *c) {
    struct err err = {0};
    if (!c->models && !(c->models = models_load(&err)))
        return cli_fail(c, &err);
    return true;
}

bool cli_need_endpoints(struct cli *c) {
    struct err err = {0};
    return c->endpoints || (c->endpoints = endpoints_load(&err)) || cli_fail(c, &err);
}

bool cli_need_assumptions(struct cli *c) {
    struct err err = {0};
    struct blob engines;
    if (c->assumptions.generation == 0)
        assumptions_init(&c->assumptions);
    if (data_overlaid("engines.csv", &engines) &&
        !engines_overlay(&c->assumptions, engines.bytes, engines.len, "engines.csv", &err))
        return cli_fail(c, &err);
    if (!cli_need_calibration(c))
        return false;
    if (!calibration_apply_assumptions(c->calibration, &c->assumptions, args_text(&c->args, OPTION_CALIBRATION, ""),
                                       &err))
        return cli_fail(c, &err);
    for (int i = 0; i < c->args.counts[OPTION_ASSUME]; i++) {
        const char *pair = c->args.values[OPTION_ASSUME][i], *equals = strchr(pair, '=');
        char key[80];
        size_t len = equals ? (size_t)(equals - pair) : 0;
        if (len == 0 || len >= sizeof key) {
            err_set(&err, ERR_USAGE, "--assume: expected KEY=VALUE; `gpuplan list assumptions` shows the keys");
            return cli_fail(c, &err);
        }
        memcpy(key, pair, len);
        key[len] = '\0';
        if (!assumptions_set(&c->assumptions, key, equals + 1, &err))
            return cli_fail(c, &err);
    }
    return true;
}

/* ---- the workload ---- */

static bool read_workload(struct cli *c, const char *path, struct workload *w) {
    struct buf bytes = {0};
    struct err err = {0};
    bool good = io_read(path, IO_MAX_SMALL, &bytes, &err) &&
                workload_from_json(w, bytes.data ? bytes.data : "", bytes.len, path, &err);
    buf_free(&bytes);
    return good || cli_fail(c, &err);
}

/* `model` may be the path of a Hugging Face config.json. */
static bool read_config(struct cli *c, struct workload *w) {
    const struct value *v = &w->v[FIELD_MODEL];
    size_t len = v->source == VALUE_STATED ? strlen(v->text) : 0;
    bool is_path = len > 5 && strcmp(v->text + len - 5, ".json") == 0;
    struct buf bytes = {0};
    struct err err = {0};
    if (!is_path)
        return true;
    bool good = io_read(v->text, IO_MAX_SMALL, &bytes, &err) &&
                model_from_config(bytes.data ? bytes.data : "", bytes.len, v->text, &w->config, &err);
    buf_free(&bytes);
    w->has_config = good;
    return good || cli_fail(c, &err);
}

/* With nothing said about the work, the smallest preset stands in, and is named. */
static bool apply_usual_preset(struct cli *c, struct workload *w) {
    static const char *const usual = "lora-8b";
    struct err err = {0};
    if (args_has(&c->args, OPTION_WORKLOAD) || args_has(&c->args, OPTION_SET) || c->workload_json)
        return true;
    cli_warn(c, _("no workload given: the preset %s is used (-w FILE or -s FIELD=VALUE gives one)"), usual);
    return workload_set(w, "preset", usual, &err) || cli_fail(c, &err);
}

bool cli_need_job(struct cli *c) {
    struct err err = {0};
    struct workload *w = &c->workload;
    workload_init(w);
    const char *path = args_text(&c->args, OPTION_WORKLOAD, NULL);
    if (!cli_need_models(c) || !apply_usual_preset(c, w) || (path && !read_workload(c, path, w)))
        return false;
    if (c->workload_json && !path &&
        !workload_from_json(w, c->workload_json, strlen(c->workload_json), c->args.words[0], &err))
        return cli_fail(c, &err);
    for (int i = 0; i < c->args.counts[OPTION_SET]; i++)
        if (!workload_set_pair(w, c->args.values[OPTION_SET][i], &err))
            return cli_fail(c, &err);
    if (!read_config(c, w))
        return false;
    bool done = job_resolve(w, c->models, &c->job, &err) &&
                (c->job.task != TASK_INFERENCE || engine_check(c->job.engine, &err));
    return done || cli_fail(c, &err);
}

/* ---- the listings ---- */

bool cli_piped(const struct cli *c, bool wait) {
    struct stat s;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    int waiting = 0;
    if (c->args.command->id != COMMAND_SCREEN || args_has(&c->args, OPTION_LISTINGS) ||
        args_has(&c->args, OPTION_SCRIPT) || fstat(STDIN_FILENO, &s) != 0)
        return false;
    if (S_ISREG(s.st_mode))
        return s.st_size > 0;
    if (!S_ISFIFO(s.st_mode) || poll(&in, 1, wait ? -1 : 0) < 0)
        return false;
    return in.revents ? ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0 : !wait;
}

static void keep_snapshots(struct cli *c) {
    char *folder = io_snapshot_folder();
    c->kept = mem_zero(1, sizeof *c->kept);
    io_snapshots_list(folder, c->kept);
    free(folder);
}

static void name_fetched(struct cli *c) {
    enum { NAMED = 3 };
    struct buf b = {0};
    size_t n = 0;
    for (size_t i = 0; i < c->kept->count; i++) {
        if (i > 0 && strcmp(c->kept->items[i].source, c->kept->items[i - 1].source) == 0)
            continue;
        if (n++ < NAMED)
            buf_printf(&b, "%s%s", n > 1 ? ", " : "", c->kept->items[i].source);
    }
    if (n > NAMED)
        buf_printf(&b, " +%zu", n - NAMED);
    c->from = b.data;
}

void cli_need_listings(struct cli *c) {
    if (c->listings)
        return;
    bool positional = c->args.command->id == COMMAND_IMPORT;
    int count = positional ? c->args.word_count : c->args.counts[OPTION_LISTINGS];
    const char *const *words = (const char *const *)(positional ? c->args.words : c->args.values[OPTION_LISTINGS]);
    keep_snapshots(c);
    if (count == 0) {
        c->listings = io_snapshots_current(c->kept, &c->listing_count);
        c->bundled = c->listing_count == 0;
        if (c->bundled)
            c->from = mem_strdup(IO_BUNDLED);
        else
            name_fetched(c);
        return;
    }
    c->listing_count = (size_t)count;
    c->listings = mem_zero((size_t)count + 1, sizeof *c->listings);
    for (int i = 0; i < count; i++) {
        bool file = strcmp(words[i], "-") == 0 || access(words[i], F_OK) == 0;
        const struct io_snapshot *kept = file ? NULL : io_snapshots_named(c->kept, words[i], 0);
        c->listings[i] = kept ? kept->path : words[i];
    }
}

bool cli_need_offers(struct cli *c) {
    static const char *const standard_input[] = {"-"};
    if (c->offers)
        return true;
    if (!cli_need_hardware(c) || !cli_need_mappings(c))
        return false;
    const struct listing_context ctx = {.catalog = c->catalog,
                                        .providers = c->providers,
                                        .now = c->now,
                                        .mappings = c->mappings,
                                        .explain = c->explain};
    struct err err = {0};
    c->offers = offers_new();
    bool piped = cli_piped(c, true);
    if (!piped)
        cli_need_listings(c);
    if (!io_load_listings(&ctx, piped ? standard_input : c->listings, piped ? 1 : c->listing_count, c->offers,
                          print_error, NULL, &err))
        return cli_fail(c, &err);
    if (c->from)
        c->offers->from = intern_put(c->offers->text, c->from, strlen(c->from));
    cli_print_problems(c);
    if (c->offers->count > 0)
        return true;
    err_set(&err, ERR_DATA, "no GPU offer found");
    return cli_fail(c, &err);
}

static void print_problem(const struct cli *c, const struct offer_problem *p) {
    const struct offers *o = c->offers;
    struct err err = {.line = p->line, .record = p->record};
    char line[640];
    snprintf(err.file, sizeof err.file, "%s", offers_text(o, p->file));
    snprintf(err.field, sizeof err.field, "%s", offers_text(o, p->field));
    snprintf(err.text, sizeof err.text, "%s", offers_text(o, p->text));
    err_format(&err, line, sizeof line);
    if (p->count > 1)
        fprintf(stderr, ngettext("gpuplan: %s (%u time)%s\n", "gpuplan: %s (%u times)%s\n", p->count), line, p->count,
                p->skipped ? _("; rows left out") : "");
    else
        fprintf(stderr, "gpuplan: %s%s\n", line, p->skipped ? _("; row left out") : "");
}

/* Findings of our own snapshot were looked at when it was made; other files show their first ones. */
void cli_print_problems(const struct cli *c) {
    static const size_t few = 20;
    bool all = args_has(&c->args, OPTION_VERBOSE) || args_has(&c->args, OPTION_EXPLAIN);
    if (args_has(&c->args, OPTION_QUIET) || (c->bundled && !all))
        return;
    size_t count = c->offers->problem_count, shown = all || count <= few ? count : few;
    for (size_t i = 0; i < shown; i++)
        if (!c->explain || !c->offers->problems[i].skipped) /* an explanation has these with the file */
            print_problem(c, &c->offers->problems[i]);
    if (shown < count)
        fprintf(stderr,
                ngettext("gpuplan: %zu more finding (-v shows all)\n", "gpuplan: %zu more findings (-v shows all)\n",
                         (unsigned long)(count - shown)),
                count - shown);
}

/* ---- the ranking ---- */

static bool parse_filter(struct cli *c) {
    const char *text = args_text(&c->args, OPTION_FILTER, NULL);
    struct err err = {0};
    if (!text)
        return true;
    c->filter = filter_parse(text, &err, NULL);
    return c->filter || cli_fail(c, &err);
}

/* Processor time of this process, ms. */
static double cpu_ms(void) {
    return (double)clock() * 1000 / CLOCKS_PER_SEC;
}

bool cli_need_question(struct cli *c) {
    if (!parse_filter(c) || !cli_need_job(c) || !cli_need_assumptions(c) || !cli_need_hardware(c))
        return false;
    c->question = (struct question){c->catalog,
                                    c->providers,
                                    c->offers,
                                    &c->job,
                                    &c->assumptions,
                                    c->filter,
                                    (enum goal)goal_find(args_text(&c->args, OPTION_GOAL, "cost")),
                                    c->now};
    if (c->question.goal == GOAL_VALUE && !num_known(c->job.value_usd_h))
        cli_warn(c, _("--goal value without value_usd_h: an hour of waiting counts nothing (-s value_usd_h=N)"));
    c->memo = memo_new();
    return true;
}

bool cli_need_ranking(struct cli *c) {
    if (c->ranking)
        return true;
    if (!cli_need_question(c) || !cli_need_offers(c))
        return false;
    c->question.offers = c->offers;
    c->ranking = ranking_new(&c->question, c->memo);
    double started = cpu_ms();
    ranking_run(c->ranking);
    if (args_has(&c->args, OPTION_VERBOSE))
        cli_warn(c,
                 _("ready after %.1f ms, ranked in %.1f ms: %zu offers, %u machines estimated, %ld layouts looked at"),
                 started, cpu_ms() - started, c->offers->count, memo_count(c->memo), memo_layouts(c->memo));
    return true;
}

char *cli_answer(const struct cli *c) {
    struct answer answer;
    struct buf b = {0};
    ranking_answer(c->ranking, &answer);
    sentence_answer(&b, c->ranking, &answer);
    return b.data ? b.data : mem_strdup("");
}
