/* SPDX-License-Identifier: MIT */
/* The only file above cli/ and ui/: locale, dispatch, and the screens for those who gave no subcommand. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "gpuplan/app/action.h"
#include "gpuplan/app/app.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/io/io.h"
#include "gpuplan/io/snapshot.h"
#include "gpuplan/view/view.h"
#include "ui/ui.h"

static void set_up_locale(void) {
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C"); /* strtod, printf and cJSON follow it, and files must not */
#ifdef ENABLE_NLS
    const char *folder = getenv("GPUPLAN_LOCALEDIR"); /* so that translations can be tried before they are installed */
    bindtextdomain(PACKAGE, folder != NULL ? folder : LOCALEDIR);
    textdomain(PACKAGE);
#endif
}

static enum scheme chosen_scheme(const struct cli *c) {
    const char *name = args_text(&c->args, OPTION_SCHEME, getenv("GPUPLAN_SCHEME"));
    int scheme = name ? scheme_find(name) : SCHEME_DEFAULT;
    return scheme < 0 ? SCHEME_DEFAULT : (enum scheme)scheme;
}

static struct term_options terminal_of(const struct cli *c) {
    return (struct term_options){.scheme = chosen_scheme(c),
                                 .color = c->style.color,
                                 .mouse = true,
                                 .tty =
                                     isatty(STDIN_FILENO) ? NULL : "/dev/tty"}; /* keys, when listings are piped in */
}

static int run_script(struct cli *c, struct app *a, const char *script) {
    struct buf bytes = {0};
    struct err err = {0};
    int status = STATUS_DONE;
    if (!io_read(script, IO_MAX_SMALL, &bytes, &err) ||
        !ui_script(a, bytes.data ? bytes.data : "", bytes.len, script, c->style.ascii, &err)) {
        cli_fail(c, &err);
        status = c->status;
    }
    buf_free(&bytes);
    return status;
}

static int run_screens(struct cli *c, struct app *a) {
    const struct term_options o = terminal_of(c);
    char why[160] = "";
    int status = STATUS_DONE;
    if (!ui_run(a, &o, c->style.ascii, &status, why, sizeof why))
        return cli_without_screen(c, why);
    fputs(app_parting_text(a), stdout);
    return status;
}

/* What was said on the command line becomes the start of the interface. */
static int run_interface(struct cli *c) {
    static const char *const standard_input[] = {"-", NULL};
    const struct term_options o = terminal_of(c);
    const char *script = args_text(&c->args, OPTION_SCRIPT, NULL);
    char why[160] = "";
    if (!script && !ui_possible(&o, why, sizeof why)) /* before anybody has read what is piped in */
        return cli_without_screen(c, why);
    bool stated = args_has(&c->args, OPTION_WORKLOAD) || args_has(&c->args, OPTION_SET);
    bool piped = cli_piped(c, false);
    if (!cli_need_hardware(c) || !cli_need_mappings(c) || !cli_need_endpoints(c) || !cli_need_models(c) ||
        !cli_need_assumptions(c) || (stated && !cli_need_job(c)))
        return c->status;
    if (!piped)
        cli_need_listings(c);
    if (c->bundled && !cli_need_offers(c))
        return c->status;
    char *state = script ? NULL : io_xdg_path(IO_STATE, "state.json"), /* a script does the same every time */
        *workloads = script ? NULL : io_xdg_path(IO_DATA, "workloads");
    char *folder = io_snapshot_folder();
    const struct app_setup setup = {
        .catalog = c->catalog,
        .providers = c->providers,
        .mappings = c->mappings,
        .models = c->models,
        .assumptions = &c->assumptions,
        .workload = stated ? &c->workload : NULL,
        .offers = c->offers,
        .listing_files = piped ? standard_input : c->listings,
        .filter = args_text(&c->args, OPTION_FILTER, NULL),
        .goal = (enum goal)goal_find(args_text(&c->args, OPTION_GOAL, "cost")),
        .now = c->now,
        .ascii = c->style.ascii,
        .picture = view_picture,
        .state_file = state,
        .endpoints = c->endpoints,
        .snapshot_folder = folder,
        .workload_dir = workloads,
    };
    c->offers = NULL; /* the app owns them now */
    struct app *a = app_new(&setup);
    int status = script ? run_script(c, a, script) : run_screens(c, a);
    app_free(a);
    free(state);
    free(folder);
    free(workloads);
    return status;
}

static bool describe_action(size_t index, struct cli_action *out) {
    size_t count, used = 0;
    const struct action *a = action_table(&count) + index;
    unsigned everywhere = (1U << SCREEN_COUNT) - 1;
    if (index >= count)
        return false;
    *out = (struct cli_action){.name = a->name, .help = a->help};
    for (int i = 0; i < ACTION_KEYS && a->keys[i] && used + 2 < sizeof out->keys; i++) {
        if (i > 0)
            out->keys[used++] = ' ';
        used += key_text(a->keys[i], out->keys + used, sizeof out->keys - used);
    }
    used = 0;
    for (int s = 0; s < SCREEN_COUNT && (a->screens & everywhere) != everywhere; s++)
        if ((a->screens >> s & 1) && app_has_screen((enum app_screen)s))
            used += (size_t)snprintf(out->screens + used, sizeof out->screens - used, "%s%s", used ? " " : "",
                                     app_screen_name((enum app_screen)s));
    if ((a->screens & everywhere) == everywhere)
        snprintf(out->screens, sizeof out->screens, "all");
    return true;
}

int main(int argc, char **argv) {
    static const struct cli_above above = {.interface = run_interface, .action = describe_action};
    mem_begin();
    set_up_locale();
    return cli_main(argc, argv, &above);
}
