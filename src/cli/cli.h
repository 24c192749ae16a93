/* SPDX-License-Identifier: MIT */
/*
 * What every subcommand works with. Loading is lazy: each cli_need_*() loads once, says on standard error what is wrong, and
 * returns false with c->status set. One struct cli lives for the whole process and owns everything in it.
 */
#ifndef GPUPLAN_SRC_CLI_CLI_H
#define GPUPLAN_SRC_CLI_CLI_H

#include "cli/option.h"
#include "gpuplan/decide/filter.h"
#include "gpuplan/decide/memo.h"
#include "gpuplan/report/report.h"

enum { STATUS_DONE = 0, STATUS_NOTHING_FITS = 1, STATUS_WRONG = 2, STATUS_NETWORK = 3, STATUS_INTERRUPTED = 130 };
enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV, FORMAT_MD };

struct cli;
struct endpoints;
struct io_snapshots;
/* One action of the interface, as `list actions` says it. */
struct cli_action {
    char keys[64], screens[64]; /* names, a blank between them */
    const char *name, *help;    /* help: N_() */
};
/* What stands above cli/ hands in; either may be NULL. */
struct cli_above {
    int (*interface)(struct cli *c); /* the screens, when no subcommand is given; NULL: the ranking is printed */
    bool (*action)(size_t i, struct cli_action *out); /* false: there are no more */
};

struct cli {
    const struct cli_above *above;
    struct args args;
    int status;
    enum format format;
    struct style style;
    int64_t now;
    struct catalog *catalog;
    struct providers *providers;
    struct models *models;
    struct mappings *mappings;
    struct listing_explain *explain; /* of `import --explain` */
    struct endpoints *endpoints;
    struct offers *offers;
    bool bundled;             /* the offers are the built-in snapshot */
    char *from;               /* which listings, where nobody named them: "vast, lambda"; NULL */
    struct io_snapshots *kept;
    const char **listings; /* what to read, NULL-terminated; known once cli_need_listings() was asked for */
    size_t listing_count;
    struct workload workload; /* as stated, once cli_need_job() was asked for */
    struct job job;
    char *workload_json;       /* of a kept decision, instead of -w */
    struct cJSON *decision;          /* options point into it */
    struct calibration *calibration; /* NULL until it is needed */
    struct assumptions assumptions;
    struct filter *filter;
    struct question question;
    struct memo *memo;
    struct ranking *ranking;
};

int cli_main(int argc, char **argv, const struct cli_above *above);
/* The terminal cannot be used, for the reason `why`: says so and prints the ranking. Returns the exit status. */
int cli_without_screen(struct cli *c, const char *why);
void cli_free(struct cli *c);

/*
 * Whether listings are piped in although nobody said -l -: only without a subcommand, and when nothing else was named. An
 * empty pipe is none. `wait`: until something comes or the other end closes; otherwise a pipe that may still bring some counts.
 */
bool cli_piped(const struct cli *c, bool wait);
bool cli_need_hardware(struct cli *c);
bool cli_need_models(struct cli *c);
bool cli_need_mappings(struct cli *c);
bool cli_need_assumptions(struct cli *c);
bool cli_need_job(struct cli *c);
/* Which listings to read: those named with -l (files, snapshots, "bundled"), else all that was fetched, else the bundled one. */
void cli_need_listings(struct cli *c);
bool cli_need_offers(struct cli *c);
bool cli_need_question(struct cli *c); /* all that a ranking takes but the offers */
bool cli_need_ranking(struct cli *c); /* all of the above, ranked */

/* One line on standard error; sets c->status by the error's code. Returns false. */
bool cli_fail(struct cli *c, const struct err *err);
void cli_warn(const struct cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* To -o FILE or standard output; returns the exit status: `status`, or STATUS_WRONG when it could not be written. */
int cli_write(struct cli *c, const struct buf *b, int status);
/* A whole number >= min from an option; false with a message. Absent: the fallback. */
bool cli_number(struct cli *c, enum option_id id, double fallback, double min, double max, double *out);
/* The sentence on top of a ranking; the caller frees. */
char *cli_answer(const struct cli *c);
void cli_print_problems(const struct cli *c);

int cmd_rank(struct cli *c);
int cmd_explain(struct cli *c);
int cmd_whatif(struct cli *c);
int cmd_compare(struct cli *c);
int cmd_fit(struct cli *c);
int cmd_topo(struct cli *c);
int cmd_probe(struct cli *c);
int cmd_save(struct cli *c);
int cmd_open(struct cli *c);
int cmd_export(struct cli *c);
int cmd_calibrate(struct cli *c);
/* Of --calibration; without it an empty one. */
bool cli_need_calibration(struct cli *c);
/* The id at a place of the ranking, as `rank` counts them; any other text as it stands. */
const char *cli_pick_id(const struct cli *c, const char *text);
/* Whether such cards (`gpus` of them, 0 = any number) can be linked that way; says what they can have. */
bool cli_check_link(struct cli *c, const struct gpu *g, enum link_kind kind, int gpus);
/* The card an option names; NULL with a message. */
const struct gpu *cli_named_card(struct cli *c, const char *name);
bool cli_fail_pick(struct cli *c, const char *id);
int cmd_list(struct cli *c);
struct grid *list_endpoints(struct cli *c);
struct grid *list_snapshots(struct cli *c);
int cmd_validate(struct cli *c);
int cmd_import(struct cli *c);
void import_explain(const struct cli *c); /* how each file was read, on standard error */
void import_tally(const struct cli *c); /* rows and flags in two lines */
int cmd_fetch(struct cli *c);
bool cli_need_endpoints(struct cli *c);

int help_print(struct cli *c);
int help_generate(struct cli *c);
const char *const *list_topics(size_t *count);

#endif
