/* SPDX-License-Identifier: MIT */
#include "cli/option.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"

#define ON(command) (1u << COMMAND_##command)
#define RANKING (ON(SCREEN) | ON(RANK) | ON(EXPORT) | ON(SAVE) | ON(OPEN) | ON(EXPLAIN) | ON(WHATIF) | ON(COMPARE))
#define WORKLOAD (RANKING | ON(FIT) | ON(TOPO))
#define OUTPUT (RANKING | ON(FIT) | ON(TOPO) | ON(VALIDATE) | ON(FETCH) | ON(LIST))
#define EVERYWHERE (OUTPUT | ON(IMPORT) | ON(CALIBRATE) | ON(PROBE))

static const char *const words_goal[] = {"cost", "time", "value", NULL};
static const char *const words_group[] = {"offer", "none", NULL};
static const char *const words_format[] = {"table", "json", "csv", "md", NULL};
static const char *const words_to[] = {"md",    "html", "json",     "torchrun", "deepspeed",
                                       "slurm", "vllm", "skypilot", NULL};
static const char *const words_color[] = {"auto", "always", "never", NULL};
static const char *const words_by[] = {"source", "snapshot", NULL};
static const char *const words_link[] = {"nvswitch", "nvlink_mesh", "nvlink_bridge", "xgmi",
                                         "pcie",     "pcie_host",   "unknown",       NULL};
static const char *const words_vary[] = {"gpus", "gpu", "link", "spot", "precision", "seq_len", "batch", NULL};
static const char *const words_network[] = {"infiniband", "roce", "efa", "ethernet", "unknown", NULL};
static const char *const words_scheme[] = {"default", "light", "mono", "colorblind", NULL};
static const char *const words_generate[] = {"man", "bash", "zsh", NULL};

static const struct option_def options[OPTION_COUNT] = {
    {OPTION_LISTINGS, 'l', "listings", N_("FILE"), NULL, true, RANKING | ON(FIT) | ON(TOPO),
     N_("machine listings: a file, a folder, - for standard input, a fetched source (vast, vast@2026-03-22) or "
        "bundled; "
        "repeatable (default: all that was fetched, else the bundled list)")},
    {OPTION_WORKLOAD, 'w', "workload", N_("FILE"), NULL, false, WORKLOAD, N_("the workload, a JSON object of fields")},
    {OPTION_SET, 's', "set", N_("FIELD=VALUE"), NULL, true, WORKLOAD,
     N_("one field of the workload; wins over the file; repeatable (`gpuplan list fields`)")},
    {OPTION_ASSUME, 0, "assume", N_("KEY=VALUE"), NULL, true, WORKLOAD | ON(VALIDATE) | ON(LIST),
     N_("replace an assumption; repeatable (`gpuplan list assumptions`)")},
    {OPTION_CALIBRATION, 0, "calibration", N_("FILE"), NULL, false, WORKLOAD | ON(VALIDATE) | ON(LIST),
     N_("constants that `gpuplan calibrate` fitted to your own measurements: a file, or its name without folder and "
        ".csv")},
    {OPTION_FILTER, 'f', "filter", N_("EXPR"), NULL, false, RANKING | ON(TOPO),
     N_("only offers that match: 'gpus>=8 and vram>=80 and name~h100' (`gpuplan list filter`)")},
    {OPTION_GOAL, 0, "goal", N_("GOAL"), words_goal, false, RANKING | ON(TOPO), N_("what to rank by (default: cost)")},
    {OPTION_TOP, 'n', "top", N_("N"), NULL, false, ON(SCREEN) | ON(RANK) | ON(COMPARE) | ON(FIT) | ON(VALIDATE),
     N_("rows to show, 0 = all (default: 20 in a table, all elsewhere)")},
    {OPTION_SORT, 0, "sort", N_("COLUMN"), NULL, false, ON(SCREEN) | ON(RANK),
     N_("order of the rows shown; -COLUMN turns it round (`gpuplan list columns`)")},
    {OPTION_GROUP, 0, "group", N_("WHAT"), words_group, false, ON(SCREEN) | ON(RANK),
     N_("one row for equal offers, or each by itself (default: offer in a table, else none)")},
    {OPTION_PICK, 0, "pick", N_("OFFER"), NULL, true,
     ON(EXPLAIN) | ON(WHATIF) | ON(COMPARE) | ON(TOPO) | ON(EXPORT) | ON(SAVE),
     N_("the offer: its place in `gpuplan rank` with the same options, its id, or a beginning or end of the id that no "
        "other has (default: the first)")},
    {OPTION_BY, 0, "by", N_("WHAT"), words_by, false, ON(COMPARE),
     N_("compare the lists of -l: snapshots by offer, or sources by the cheapest machine of a kind")},
    {OPTION_TO, 0, "to", N_("FORMAT"), words_to, false, ON(EXPORT), N_("what to write")},
    {OPTION_GPU, 0, "gpu", N_("NAME"), NULL, false, ON(WHATIF) | ON(FIT) | ON(TOPO) | ON(CALIBRATE),
     N_("only this card")},
    {OPTION_VARY, 0, "vary", N_("WHAT"), words_vary, false, ON(WHATIF),
     N_("what differs from column to column (default: gpus)")},
    {OPTION_VALUES, 0, "values", N_("V,V,..."), NULL, false, ON(WHATIF),
     N_("values of precision, seq_len or batch to put side by side (default: around the job's own)")},
    {OPTION_COUNTS, 0, "counts", N_("N,N,..."), NULL, false, ON(WHATIF),
     N_("GPU counts to put side by side (default: 1,2,4,8,16); with another --vary one count, that of all columns")},
    {OPTION_WEAK, 0, "weak", NULL, NULL, false, ON(WHATIF),
     N_("let the work grow with the count: the batch is for each GPU")},
    {OPTION_GPUS, 0, "gpus", N_("N"), NULL, false, ON(EXPLAIN) | ON(FIT) | ON(CALIBRATE) | ON(EXPORT),
     N_("exactly so many GPUs")},
    {OPTION_LINK, 0, "link", N_("KIND"), words_link, false, ON(WHATIF) | ON(FIT) | ON(CALIBRATE),
     N_("how the GPUs of the machine are connected (default: by the card)")},
    {OPTION_NODES, 0, "nodes", N_("N"), NULL, false, ON(FIT), N_("so many machines")},
    {OPTION_NETWORK, 0, "network", N_("KIND"), words_network, false, ON(FIT), N_("how the machines are connected")},
    {OPTION_RAM, 0, "ram", N_("GB"), NULL, false, ON(FIT), N_("RAM of the machine")},
    {OPTION_EXPLAIN, 0, "explain", NULL, NULL, false, ON(IMPORT),
     N_("say how each file was read, and what was skipped or completed")},
    {OPTION_MAPPING, 0, "mapping", N_("FILE"), NULL, true, RANKING | ON(FIT) | ON(TOPO) | ON(IMPORT) | ON(LIST),
     N_("a mapping file that says how listings of a new kind are read; wins over all others; repeatable")},
    {OPTION_ALL, 0, "all", NULL, NULL, false, ON(FETCH), N_("every source that needs no key or has one")},
    {OPTION_ENDPOINT, 0, "endpoint", N_("SOURCE=URL"), NULL, true, ON(FETCH),
     N_("ask another host for this source, a mirror for instance; repeatable")},
    {OPTION_TIMEOUT, 0, "timeout", N_("SECONDS"), NULL, false, ON(FETCH),
     N_("how long one source may take (default: 300)")},
    {OPTION_MAX_MB, 0, "max-mb", N_("MB"), NULL, false, ON(FETCH),
     N_("largest answer that is taken (default: by source, `gpuplan list endpoints`)")},
    {OPTION_FORMAT, 0, "format", N_("FORMAT"), words_format, false, (OUTPUT | ON(CALIBRATE)) & ~(ON(EXPORT) | ON(SAVE)),
     N_("form of the output (default: table)")},
    {OPTION_OUTPUT, 'o', "output", N_("FILE"), NULL, false, EVERYWHERE,
     N_("write to a file instead of standard output")},
    {OPTION_DATA, 0, "data", N_("DIR"), NULL, false, EVERYWHERE,
     N_("folder with tables that add to or replace rows of the built-in ones")},
    {OPTION_NOW, 0, "now", N_("TIME"), NULL, false, EVERYWHERE,
     N_("the current time, 2026-03-22T00:00:00Z, for the ages of listings")},
    {OPTION_COLOR, 0, "color", N_("WHEN"), words_color, false, EVERYWHERE,
     N_("colours (default: auto; NO_COLOR turns them off)")},
    {OPTION_ASCII, 0, "ascii", NULL, NULL, false, EVERYWHERE, N_("no characters outside ASCII of our own")},
    {OPTION_SCHEME, 0, "scheme", N_("NAME"), words_scheme, false, ON(SCREEN), N_("colours of the interface")},
    {OPTION_SCRIPT, 0, "script", N_("FILE"), NULL, false, ON(SCREEN),
     N_("drive the interface without a terminal: size, key, type, action, click, save, roles, a command a line")},
    {OPTION_QUIET, 'q', "quiet", NULL, NULL, false, EVERYWHERE, N_("no warnings")},
    {OPTION_VERBOSE, 'v', "verbose", NULL, NULL, false, EVERYWHERE, N_("every finding about every listing, and times")},
    {OPTION_HELP, 'h', "help", NULL, NULL, false, EVERYWHERE, N_("show this help")},
    {OPTION_VERSION, 0, "version", NULL, NULL, false, EVERYWHERE, N_("show the version")},
    {OPTION_GENERATE, 0, "generate", N_("WHAT"), words_generate, false, ON(SCREEN),
     N_("write the manual page or a completion script, for packagers")},
};

const struct option_def *option_table(void) {
    return options;
}

/* ---- parsing ---- */

static bool add_value(struct args *a, const struct option_def *o, const char *value, struct err *err) {
    if (o->words && value) {
        bool known = false;
        struct buf allowed = {0};
        for (int i = 0; o->words[i]; i++) {
            known |= strcmp(o->words[i], value) == 0;
            buf_printf(&allowed, "%s%s", i ? ", " : "", o->words[i]);
        }
        if (!known) {
            char shown[80];
            text_clean(shown, sizeof shown, value, strlen(value));
            err_set(err, ERR_USAGE, "--%s: \"%s\" is not one of %s", o->name, shown, allowed.data);
        }
        buf_free(&allowed);
        if (!known)
            return false;
    }
    int n = a->counts[o->id]++;
    a->values[o->id] = mem_resize(a->values[o->id], (size_t)n + 1, sizeof *a->values[o->id]);
    a->values[o->id][n] = value;
    return true;
}

static bool unknown_option(const char *name, struct err *err) {
    const char *names[OPTION_COUNT];
    char shown[80];
    text_clean(shown, sizeof shown, name, strlen(name));
    for (int i = 0; i < OPTION_COUNT; i++)
        names[i] = options[i].name;
    const char *near = text_nearest(shown, names, OPTION_COUNT);
    if (near)
        return err_set(err, ERR_USAGE, "unknown option --%s, did you mean --%s?", shown, near);
    return err_set(err, ERR_USAGE, "unknown option --%s; `gpuplan --help` shows them", shown);
}

static const struct option_def *find_long(const char *name, size_t len) {
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strlen(options[i].name) == len && strncmp(options[i].name, name, len) == 0)
            return &options[i];
    return NULL;
}

static bool parse_long(struct args *a, int argc, char **argv, int *i, struct err *err) {
    const char *name = argv[*i] + 2, *equals = strchr(name, '=');
    const struct option_def *o = find_long(name, equals ? (size_t)(equals - name) : strlen(name));
    if (!o)
        return unknown_option(name, err);
    if (!o->argument)
        return equals ? err_set(err, ERR_USAGE, "--%s takes no value", o->name) : add_value(a, o, NULL, err);
    if (equals)
        return add_value(a, o, equals + 1, err);
    if (*i + 1 >= argc)
        return err_set(err, ERR_USAGE, "--%s needs a value: %s", o->name, o->argument);
    return add_value(a, o, argv[++*i], err);
}

static const struct option_def *find_letter(char letter) {
    for (int i = 0; i < OPTION_COUNT; i++)
        if (options[i].letter == letter)
            return &options[i];
    return NULL;
}

static bool parse_letters(struct args *a, int argc, char **argv, int *i, struct err *err) {
    for (const char *s = argv[*i] + 1; *s; s++) {
        const struct option_def *o = find_letter(*s);
        if (!o) {
            char shown[16];
            text_clean(shown, sizeof shown, s, 1);
            return err_set(err, ERR_USAGE, "unknown option -%s; `gpuplan --help` shows them", shown);
        }
        if (!o->argument) {
            if (!add_value(a, o, NULL, err))
                return false;
            continue;
        }
        if (s[1])
            return add_value(a, o, s + 1, err);
        if (*i + 1 >= argc)
            return err_set(err, ERR_USAGE, "-%c needs a value: %s", o->letter, o->argument);
        return add_value(a, o, argv[++*i], err);
    }
    return true;
}

static bool add_word(struct args *a, const char *word, struct err *err) {
    if (!a->command) {
        a->command = command_find(word);
        if (a->command)
            return true;
        const char *names[COMMAND_COUNT];
        char shown[80];
        text_clean(shown, sizeof shown, word, strlen(word));
        for (int i = 0; i < COMMAND_COUNT; i++)
            names[i] = command_table()[i].name;
        const char *near = text_nearest(shown, names, COMMAND_COUNT);
        if (near && *near)
            return err_set(err, ERR_USAGE, "unknown command \"%s\", did you mean \"%s\"?", shown, near);
        return err_set(err, ERR_USAGE, "unknown command \"%s\"; `gpuplan --help` shows what this version has", shown);
    }
    a->words = mem_resize(a->words, (size_t)a->word_count + 1, sizeof *a->words);
    a->words[a->word_count++] = word;
    return true;
}

/* An option that means nothing to this command is an error, or people believe that it worked. */
static bool check_places(const struct args *a, struct err *err) {
    for (int i = 0; i < OPTION_COUNT; i++)
        if (a->counts[i] > 0 && !(options[i].commands & 1u << a->command->id))
            return err_set(err, ERR_USAGE, "--%s means nothing to `gpuplan%s%s`", options[i].name,
                           *a->command->name ? " " : "", a->command->name);
    int most = a->command->max_arguments;
    if (most >= 0 && a->word_count > most) {
        char shown[80];
        text_clean(shown, sizeof shown, a->words[most], strlen(a->words[most]));
        return err_set(err, ERR_USAGE, "`gpuplan %s` does not know what to do with \"%s\"", a->command->name, shown);
    }
    if (a->word_count < a->command->min_arguments && !args_has(a, OPTION_HELP))
        return err_set(err, ERR_USAGE, "`gpuplan %s` needs %s", a->command->name, a->command->arguments);
    return true;
}

bool args_parse(int argc, char **argv, struct args *out, struct err *err) {
    memset(out, 0, sizeof *out);
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        const char *s = argv[i];
        bool done = only_words || s[0] != '-' || s[1] == '\0';
        bool good;
        if (!done && strcmp(s, "--") == 0) {
            only_words = true;
            continue;
        }
        if (done)
            good = add_word(out, s, err);
        else
            good = s[1] == '-' ? parse_long(out, argc, argv, &i, err) : parse_letters(out, argc, argv, &i, err);
        if (!good)
            return false;
    }
    if (!out->command)
        out->command = &command_table()[COMMAND_SCREEN];
    return check_places(out, err);
}

void args_first(struct args *a, enum option_id id, const char *value) {
    if (!value)
        return;
    a->values[id] = mem_resize(a->values[id], (size_t)a->counts[id] + 1, sizeof *a->values[id]);
    memmove(a->values[id] + 1, a->values[id], (size_t)a->counts[id]++ * sizeof *a->values[id]);
    a->values[id][0] = value;
}

void args_free(struct args *a) {
    for (int i = 0; i < OPTION_COUNT; i++)
        free(a->values[i]);
    free(a->words);
}

const char *args_text(const struct args *a, enum option_id id, const char *fallback) {
    return a->counts[id] > 0 ? a->values[id][a->counts[id] - 1] : fallback;
}
