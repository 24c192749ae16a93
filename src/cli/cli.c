/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "gpuplan/base/data.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/io/endpoint.h"
#include "gpuplan/io/io.h"
#include "gpuplan/io/snapshot.h"

bool cli_fail(struct cli *c, const struct err *err) {
    char line[640];
    err_format(err, line, sizeof line);
    fprintf(stderr, "gpuplan: %s\n", line);
    c->status = err->code == ERR_NETWORK ? STATUS_NETWORK : STATUS_WRONG;
    return false;
}

void cli_warn(const struct cli *c, const char *format, ...) {
    va_list ap;
    if (args_has(&c->args, OPTION_QUIET))
        return;
    fputs("gpuplan: ", stderr);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
}

int cli_write(struct cli *c, const struct buf *b, int status) {
    const char *path = args_text(&c->args, OPTION_OUTPUT, NULL);
    struct err err = {0};
    size_t len = b->len;
    if (path && strcmp(path, "-") != 0) {
        if (io_write_atomic(path, b->data ? b->data : "", len, &err))
            return status;
        cli_fail(c, &err);
        return c->status;
    }
    if (fwrite(b->data ? b->data : "", 1, len, stdout) != len || fflush(stdout) != 0) {
        err_set(&err, ERR_IO, "%s", strerror(errno));
        err_at(&err, "standard output", 0, 0, NULL);
        cli_fail(c, &err);
        return c->status;
    }
    return status;
}

bool cli_number(struct cli *c, enum option_id id, double fallback, double min, double max, double *out) {
    const char *text = args_text(&c->args, id, NULL);
    struct err err = {0};
    *out = fallback;
    if (!text)
        return true;
    bool whole = id != OPTION_RAM;
    if (num_parse(text, NUM_PLAIN, false, out) && *out >= min && *out <= max && (!whole || *out == (double)(long)*out))
        return true;
    char shown[80];
    text_clean(shown, sizeof shown, text, strlen(text));
    err_set(&err, ERR_USAGE, "--%s: \"%s\" is not a %snumber from %.10g to %.10g", option_table()[id].name, shown,
            whole ? "whole " : "", min, max);
    return cli_fail(c, &err);
}

/* ---- settings of the whole process ---- */

static int screen_width(void) {
    static const int usual = 80, least = 20;
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    double given;
    if (columns && num_parse_plain(columns, strlen(columns), &given) && given >= least && given < 10000)
        return (int)given;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= least)
        return size.ws_col;
    return usual;
}

static bool wants_color(const struct args *a) {
    const char *when = args_text(a, OPTION_COLOR, "auto"), *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    bool able = term && *term && strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
    return able && !(no && *no) && !args_has(a, OPTION_OUTPUT);
}

/* 2026-03-22T00:00:00Z or 2026-03-22T02:00:00+02:00. */
static bool parse_now(const char *s, int64_t *out) {
    struct tm t = {0};
    int used = 0, hours = 0, minutes = 0;
    char sign = '+';
    if (sscanf(s, "%4d-%2d-%2dT%2d:%2d:%2d%n", &t.tm_year, &t.tm_mon, &t.tm_mday, &t.tm_hour, &t.tm_min, &t.tm_sec,
               &used) != 6)
        return false;
    s += used;
    bool zulu = strcmp(s, "Z") == 0 || strcmp(s, "z") == 0;
    if (!zulu &&
        (sscanf(s, "%c%2d:%2d%n", &sign, &hours, &minutes, &used) != 3 || s[used] || (sign != '+' && sign != '-')))
        return false;
    if (hours > 14 || minutes > 59) /* no zone is further from Greenwich */
        return false;
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    struct tm copy = t;
    time_t when = timegm(&copy);
    if (when <= 0 || copy.tm_mday != t.tm_mday || copy.tm_mon != t.tm_mon)
        return false;
    *out = (int64_t)when - (sign == '+' ? 1 : -1) * (hours * 3600 + minutes * 60);
    return true;
}

static bool set_now(struct cli *c) {
    const char *text = args_text(&c->args, OPTION_NOW, NULL);
    struct err err = {0};
    if (!text)
        c->now = (int64_t)time(NULL);
    else if (!parse_now(text, &c->now)) {
        err_set(&err, ERR_USAGE, "--now: expected a time like 2026-03-22T00:00:00Z");
        return cli_fail(c, &err);
    }
    return true;
}

static void set_style(struct cli *c) {
    static const char *const names[] = {"table", "json", "csv", "md"};
    const char *format = args_text(&c->args, OPTION_FORMAT, "table");
    for (int i = 0; i < 4; i++)
        if (strcmp(format, names[i]) == 0)
            c->format = (enum format)i;
    if (c->format == FORMAT_JSON || c->format == FORMAT_CSV)
        setlocale(LC_MESSAGES, "C"); /* what programs read is English everywhere */
    c->style.width = screen_width();
    c->style.color = wants_color(&c->args);
    c->style.ascii = args_has(&c->args, OPTION_ASCII) || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

/* ---- data/ overlaid by files of the same names ---- */

static bool overlay_from(struct cli *c, const char *folder, bool must_exist) {
    size_t count;
    const char *const *names = data_names(&count);
    struct err err = {0};
    if (must_exist && !io_is_dir(folder)) {
        err_set(&err, ERR_IO, "not a folder");
        err_at(&err, folder, 0, 0, NULL);
        return cli_fail(c, &err);
    }
    for (size_t i = 0; i < count; i++) {
        struct buf path = {0}, bytes = {0};
        if (strchr(names[i], '/'))
            continue; /* mapping files: whatever is in that folder counts, not these names only */
        bool good = true;
        buf_printf(&path, "%s/%s", folder, names[i]);
        if (access(path.data, F_OK) == 0) {
            good = io_read(path.data, IO_MAX_SMALL, &bytes, &err);
            if (good)
                data_overlay(names[i], bytes.data ? bytes.data : "", bytes.len);
        }
        buf_free(&path);
        buf_free(&bytes);
        if (!good)
            return cli_fail(c, &err);
    }
    return true;
}

static bool set_overlays(struct cli *c) {
    const char *given = args_text(&c->args, OPTION_DATA, NULL);
    if (given)
        return overlay_from(c, given, true);
    char *folder = io_xdg_path(IO_DATA, "data");
    bool good = !folder || overlay_from(c, folder, false);
    free(folder);
    return good;
}

void cli_free(struct cli *c) {
    ranking_free(c->ranking);
    memo_free(c->memo);
    filter_free(c->filter);
    if (c->offers)
        offers_free(c->offers);
    mappings_free(c->mappings);
    listing_explain_free(c->explain);
    if (c->models)
        models_free(c->models);
    if (c->providers)
        providers_free(c->providers);
    if (c->catalog)
        catalog_free(c->catalog);
    endpoints_free(c->endpoints);
    free(c->from);
    free(c->listings);
    if (c->kept)
        io_snapshots_free(c->kept);
    free(c->kept);
    data_overlay_clear();
    free(c->calibration);
    cJSON_Delete(c->decision);
    free(c->workload_json);
    args_free(&c->args);
}

int cli_without_screen(struct cli *c, const char *why) {
    cli_warn(c, _("%s: the ranking is printed instead"), why);
    c->style.color = false; /* it would not know those codes either */
    return c->args.command->run(c);
}

/* The screens want a terminal to draw on; a script wants none. */
static bool wants_interface(const struct cli *c) {
    bool asked_for_text = args_has(&c->args, OPTION_FORMAT) || args_has(&c->args, OPTION_OUTPUT) ||
                          args_has(&c->args, OPTION_TOP) || args_has(&c->args, OPTION_SORT) ||
                          args_has(&c->args, OPTION_GROUP);
    return c->args.command->id == COMMAND_SCREEN &&
           (args_has(&c->args, OPTION_SCRIPT) || (!asked_for_text && isatty(STDOUT_FILENO)));
}

static int print_version(struct cli *c) {
    struct buf b = {0};
    buf_printf(&b, "gpuplan %s\n", VERSION);
    int status = cli_write(c, &b, STATUS_DONE);
    buf_free(&b);
    return status;
}

static int run(struct cli *c) {
    set_style(c);
    if (args_has(&c->args, OPTION_VERSION))
        return print_version(c);
    if (args_has(&c->args, OPTION_HELP))
        return help_print(c);
    if (args_has(&c->args, OPTION_GENERATE))
        return help_generate(c);
    if (!set_now(c) || !set_overlays(c))
        return c->status;
    return c->above->interface && wants_interface(c) ? c->above->interface(c) : c->args.command->run(c);
}

int cli_main(int argc, char **argv, const struct cli_above *above) {
    struct cli c = {.above = above};
    struct err err = {0};
    int status = STATUS_WRONG;
    if (args_parse(argc, argv, &c.args, &err))
        status = run(&c);
    else
        cli_fail(&c, &err);
    cli_free(&c);
    return status;
}
