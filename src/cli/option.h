/* SPDX-License-Identifier: MIT */
/*
 * Options and subcommands: one const table each, from which parsing, --help, the manual page and the completions are made.
 */
#ifndef GPUPLAN_SRC_CLI_OPTION_H
#define GPUPLAN_SRC_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "gpuplan/base/err.h"

enum option_id {
    OPTION_LISTINGS,
    OPTION_WORKLOAD,
    OPTION_SET,
    OPTION_ASSUME,
    OPTION_CALIBRATION,
    OPTION_FILTER,
    OPTION_GOAL,
    OPTION_TOP,
    OPTION_SORT,
    OPTION_GROUP,
    OPTION_PICK,
    OPTION_BY,
    OPTION_TO,
    OPTION_GPU,
    OPTION_VARY,
    OPTION_VALUES,
    OPTION_COUNTS,
    OPTION_WEAK,
    OPTION_GPUS,
    OPTION_LINK,
    OPTION_NODES,
    OPTION_NETWORK,
    OPTION_RAM,
    OPTION_EXPLAIN,
    OPTION_MAPPING,
    OPTION_ALL,
    OPTION_ENDPOINT,
    OPTION_TIMEOUT,
    OPTION_MAX_MB,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_DATA,
    OPTION_NOW,
    OPTION_COLOR,
    OPTION_ASCII,
    OPTION_SCHEME,
    OPTION_SCRIPT,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_GENERATE,
    OPTION_COUNT
};

enum command_id {
    COMMAND_SCREEN,
    COMMAND_RANK,
    COMMAND_EXPLAIN,
    COMMAND_WHATIF,
    COMMAND_COMPARE,
    COMMAND_FIT,
    COMMAND_TOPO,
    COMMAND_PROBE,
    COMMAND_CALIBRATE,
    COMMAND_EXPORT,
    COMMAND_SAVE,
    COMMAND_OPEN,
    COMMAND_VALIDATE,
    COMMAND_IMPORT,
    COMMAND_FETCH,
    COMMAND_LIST,
    COMMAND_COUNT
};

struct option_def {
    enum option_id id;
    char letter;              /* 0 = none */
    const char *name;         /* without dashes */
    const char *argument;     /* N_(), "FILE"; NULL = a switch */
    const char *const *words; /* allowed values, NULL-terminated; NULL = any */
    bool repeats;
    unsigned commands; /* bit (1 << command_id): where it means something */
    const char *help;  /* N_() */
};

struct cli;
struct command_def {
    enum command_id id;
    const char *name;                 /* "rank"; "" = no subcommand */
    const char *arguments;            /* N_(), "FILE…"; "" = none */
    int min_arguments, max_arguments; /* -1 = any number */
    const char *summary;              /* N_(), for the list of commands */
    const char *about;                /* N_(), a paragraph */
    int (*run)(struct cli *c);        /* exit status */
};

const struct option_def *option_table(void);   /* OPTION_COUNT rows, index = option_id */
const struct command_def *command_table(void); /* COMMAND_COUNT rows, index = command_id */
const struct command_def *command_find(const char *name);

struct args {
    const struct command_def *command;
    const char **values[OPTION_COUNT]; /* of argv; a switch has NULL values */
    int counts[OPTION_COUNT];
    const char **words; /* what is neither option nor command */
    int word_count;
};
bool args_parse(int argc, char **argv, struct args *out, struct err *err);
/* Before what was given, so that it loses against it; NULL: nothing. The text must outlive a. */
void args_first(struct args *a, enum option_id id, const char *value);
void args_free(struct args *a);
/* The last value of an option, or the fallback. */
const char *args_text(const struct args *a, enum option_id id, const char *fallback);
static inline bool args_has(const struct args *a, enum option_id id) {
    return a->counts[id] > 0;
}

#endif
