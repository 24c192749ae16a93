/* SPDX-License-Identifier: MIT */
/*
 * Inside of the interface. app/ changes it, view/ reads it, nobody else sees it. Everything here is a value or is owned by
 * struct app; offers are named by their id wherever something outlives a snapshot.
 */
#ifndef GPUPLAN_SRC_APP_STATE_H
#define GPUPLAN_SRC_APP_STATE_H

#include <stddef.h>

#include "gpuplan/base/merge.h"
#include "gpuplan/app/action.h"
#include "gpuplan/app/app.h"
#include "gpuplan/decide/filter.h"
#include "gpuplan/decide/memo.h"
#include "gpuplan/estimate/trace.h"
#include "gpuplan/io/io.h"
#include "gpuplan/report/column.h"
#include "gpuplan/report/report.h"

enum { TEXT_MAX = 256 /* bytes of a typed text, the end included: no field of a workload is longer */ };

/* ---- what an answer is made from; counted, because the answer on show outlives an edit by some milliseconds ---- */

struct snapshot {
    struct offers *offers;
    int users;
};
/* Job and assumptions belong together: the memo holds for both. */
struct basis {
    struct job job;
    struct assumptions assumptions;
    struct memo *memo;
    int users;
};

/* ---- an answer ---- */

struct sort_entry {
    const struct ranked *row;
    uint32_t rank, size; /* place in the ranking, offers of the group */
    double number;
    const char *text; /* of the sorter's arena; NULL: number */
};
enum sort_phase { SORT_KEYS, SORT_MERGE, SORT_DONE };
/* Rows by a column: keys in slices, then a bottom-up merge in slices. */
struct sorter {
    enum sort_phase phase;
    struct merge_sort merge; /* of struct sort_entry */
    size_t count, at;        /* rows; keys made so far */
    struct arena *texts;
};
struct sort_choice {
    const struct column *column; /* NULL: the order of the ranking */
    bool turned;
};

struct run {
    struct snapshot *snapshot;
    struct basis *basis;
    struct filter *filter; /* NULL = all */
    char filter_text[TEXT_MAX];
    struct ranking *ranking;
    bool ranked, ready; /* in order; sorted as well */
    struct sort_choice sort;
    struct sorter sorter;
    size_t fit;     /* offers that fit within the limits; known when ranked */
    double seconds; /* spent so far */
};

/* What an edit is judged by. */
struct figures {
    bool known, any; /* any: something fits */
    enum task task;  /* what dollars and hours are spent on: those of two kinds of job are not compared */
    size_t fit, offers;
    double usd, hours; /* of the best; serving: dollars for all the hours */
};

/* ---- the list ---- */

enum row_kind {
    ROW_OFFER /* or the best of a group */,
    ROW_MEMBER /* of an unfolded group */,
    ROW_GHOST /* no longer a candidate */
};
struct list_row {
    const struct ranked *row; /* NULL: ghost */
    uint32_t rank, size;
    uint8_t kind;
    bool unfolded;
};
/* A group that is unfolded, named by what its offers have in common. */
struct unfolded {
    uint32_t provider, machine;
    int64_t rate;
    uint8_t rate_kind;
};
enum { UNFOLDED_MAX = 16, MARKS_MAX = 64 };
/* Rows between those of the ranking: members of a group, or the ghost. */
struct inserted {
    size_t after; /* rows of the ranking before them */
    struct list_row *rows;
    size_t count, cap;
};
struct list {
    size_t base, count; /* rows of the ranking; with those inserted */
    struct inserted inserted[UNFOLDED_MAX + 1];
    int inserted_count;
    size_t cursor, top;
    bool touched;   /* the cursor was moved; until then it stays on the best */
    char *id;       /* of the offer under the cursor; NULL = none */
    uint32_t offer; /* its number in the snapshot `of`: looked for once */
    const struct snapshot *of;
    struct candidate ghost; /* why that offer is no candidate */
    struct unfolded unfolded[UNFOLDED_MAX];
    int unfolded_count;
    char *marks[MARKS_MAX]; /* offer ids */
    int mark_count;
};

/* A search that goes on while keys are read. */
struct find {
    bool active, found, moves_on; /* moves_on: the prompt goes on from what is found */
    enum app_screen screen;
    char text[TEXT_MAX];
    size_t from, done; /* rows looked at */
    int direction;
};

/* ---- prompts, popups ---- */

enum prompt_kind {
    PROMPT_NONE,
    PROMPT_FIND,
    PROMPT_FILTER,
    PROMPT_COMMAND,
    PROMPT_FIELD,
    PROMPT_ASSUMPTION,
    PROMPT_SAVE,
    PROMPT_EXPORT,
    PROMPT_TOPOLOGY
};
struct prompt {
    enum prompt_kind kind;
    char text[TEXT_MAX], before[TEXT_MAX];
    size_t len, caret; /* bytes */
    bool failed,
        untouched;   /* untouched: the value that was there, as if selected; what is typed first takes its place */
    struct err err;  /* what is wrong with the text as it stands */
    size_t error_at; /* byte of a filter where it goes wrong */
};

enum popup_kind {
    POPUP_NONE,
    POPUP_HELP,
    POPUP_SORT,
    POPUP_COLUMNS,
    POPUP_CHOICES /* of a field */,
    POPUP_WORKLOADS,
    POPUP_ASSUMPTIONS,
    POPUP_FILTERS, /* saved ones; item -1: save the one that is set */
    POPUP_LOG      /* newest first */
};
enum { POPUP_ITEMS = 512 };
struct popup {
    enum popup_kind kind;
    int cursor, top;               /* help: top is the scroll */
    int items[POPUP_ITEMS], count; /* numbers of what is listed: column, word, preset, file, assumption */
    char typed[TEXT_MAX];          /* narrows the list; a text of one's own where the field takes one */
    size_t typed_len, typed_caret;
    bool searching;       /* help: letters are looked for */
    struct io_list files; /* saved workloads */
};

/* ---- the form ---- */

enum form_kind { FORM_HEADING, FORM_FIELD, FORM_GOAL, FORM_MORE /* folds the advanced sections in and out */ };
enum form_section {
    SECTION_JOB,
    SECTION_LIMITS,
    SECTION_WORK,
    SECTION_MACHINE,
    SECTION_MODEL,
    SECTION_LAYOUT,
    SECTION_COUNT
};
struct stated {
    struct workload workload;
    struct assumptions assumptions;
};
struct form_row {
    enum form_kind kind;
    int value; /* field_id, or the section of a heading */
};
enum { FORM_ROWS = FIELD_COUNT + 24 };
struct form {
    struct form_row rows[FORM_ROWS];
    int count, cursor, top;
    bool advanced;         /* the pins and the model's details are unfolded */
    struct stated *before; /* of the field that is open; NULL = none is */
    enum field_id field;   /* that is open */
    char before_text[80];
};
enum { HISTORY_MAX = 40 };
struct history {
    struct stated *states[HISTORY_MAX];
    char labels[HISTORY_MAX][40]; /* field or assumption that the step away from the state changed */
    int count, at;                /* states[0..at) can be undone to, states(at..count) redone to */
};

/* ---- explain ---- */

/* Another way to run the job on the same machine, for comparison. */
struct attempt {
    enum strategy strategy;
    int gpus;
    struct estimate e;
};
enum { ATTEMPTS_MAX = 16 };
struct explained {
    char *id;
    int gpus;       /* so many of the offer; 0 = the best count */
    bool asked;     /* for just this offer and count, wherever the cursor of the list is */
    bool found, stale; /* stale: the answer changed since */
    struct candidate c;
    struct trace trace;
    struct attempt attempts[ATTEMPTS_MAX];
    int attempt_count;
    int assumption; /* the one that is being edited */
};

/* ---- messages: codes and values, view/ makes the sentences ---- */

enum message_kind {
    MESSAGE_NONE,
    MESSAGE_ERROR, /* a: what is wrong */
    MESSAGE_EDIT,  /* a: field, b: from, c: to; from and to */
    MESSAGE_NO_COLUMN,
    MESSAGE_FILTER, /* from and to */
    MESSAGE_GOAL,   /* from and to */
    MESSAGE_UNDONE, /* a: field; from and to */
    MESSAGE_REDONE,
    MESSAGE_NOTHING_TO_UNDO,
    MESSAGE_NOTHING_TO_REDO,
    MESSAGE_LOADING,
    MESSAGE_LOADED,      /* n: offers, m: rows skipped */
    MESSAGE_LOAD_FAILED, /* a: why */
    MESSAGE_FETCHING,    /* a: source */
    MESSAGE_FETCHED,     /* a: source */
    MESSAGE_FETCH_CANCELLED,
    MESSAGE_SAVED,       /* a: file */
    MESSAGE_OPENED,      /* a: file; from and to */
    MESSAGE_NO_WORKLOADS,
    MESSAGE_MARKED, /* n: marks */
    MESSAGE_MARKS_FULL,
    MESSAGE_FOUND_NONE, /* a: text */
    MESSAGE_MOUSE,      /* n: on */
    MESSAGE_FOLLOW,     /* n: on */
    MESSAGE_PICKED,     /* a: id */
    MESSAGE_ESCAPE,     /* once more leaves */
    MESSAGE_NOT_HERE,   /* a: action that is not enabled */
    MESSAGE_NO_ACTION,  /* a: name, b: nearest */
    MESSAGE_ONE_TO_COMPARE,
    MESSAGE_NO_FILTERS,
    MESSAGE_FILTER_KEPT, /* a: filter */
    MESSAGE_NOTHING_SAID,
    MESSAGE_HYPOTHETICAL, /* n: 0 not sold in this size, 1 nor with this link, 2 another job */
    MESSAGE_KIND_COUNT
};
struct message {
    enum message_kind kind;
    char a[200], b[80], c[80];
    size_t n, m;
    struct figures from, to;
};

struct topology_state;
struct reader; /* the child that reads listings */
struct sources; /* sources.h */
struct fetching;
struct tally;
struct whatif_screen_state;
struct map_state;
struct notes;
struct compare_state;

struct app {
    const struct catalog *catalog;
    const struct providers *providers;
    const struct mappings *mappings;
    const struct models *models;
    const char **model_names;
    size_t model_count;
    char **listing_files; /* NULL: bundled */
    char *state_file, *workload_dir;
    bool ascii;
    int64_t now;
    int columns, rows;
    struct viewport viewport;

    struct stated stated; /* the job as it is asked for */
    struct history history;
    enum goal goal;
    char filter[TEXT_MAX]; /* the last one that could be read */
    struct snapshot *snapshot;
    struct basis *basis;

    struct run *shown;      /* on the screen */
    struct run *next;       /* being made; replaces it */
    struct figures before;  /* of what the pending message compares with */
    struct message pending; /* said when the next answer is there */
    struct reader *reader;
    struct tally *tally; /* of the snapshot, by file */
    struct fetching *fetching;
    struct sources *sources;

    enum app_screen screen, back;
    int scroll[SCREEN_COUNT]; /* first line in sight, where the screen is a text */
    struct list list;
    struct sort_choice sort;
    int shift;        /* columns that scrolled off behind the offer */
    bool hidden[128]; /* columns that the user does not want, by place in the table */
    bool follow, mouse;
    char find[TEXT_MAX];
    struct find finding;
    size_t find_from; /* row where the prompt was opened */
    struct prompt prompt;
    struct popup popup;
    struct form form;
    struct explained explained;
    struct topology_state *topology;
    struct whatif_screen_state *whatif;
    struct map_state *map;
    struct notes *notes;
    struct compare_state *compare;
    void (*picture)(const struct app *a, struct buf *out); /* the screen as text; NULL */
    struct message message;

    bool changed, done, escaped; /* escaped: Esc was the last key and there was nothing to leave */
    int exit_status;
    enum app_request request;
    char parting[TEXT_MAX * 2];
};

/* run.c */
struct snapshot *snapshot_new(struct offers *o);
void snapshot_drop(struct snapshot *s);
void basis_drop(struct basis *b);
void run_free(struct run *r);
bool run_rebase(struct app *a,
                struct err *err); /* stated -> basis; false: the workload contradicts itself, nothing changed */
void run_start(struct app *a);    /* a new answer to basis, snapshot, filter and goal */
void run_resort(struct app *a);
bool run_work(struct app *a, double seconds);
struct figures run_figures(const struct run *r);
bool run_busy(const struct app *a);

/* sort.c */
void sorter_begin(struct run *r);
bool sorter_step(struct run *r, size_t rows); /* true: done */
void sorter_free(struct sorter *s);

/* find.c: on the screen that is shown; the first rows at once, the rest as work */
bool find_possible(const struct app *a); /* this screen has rows to look through */
size_t find_place(const struct app *a);
void find_go(struct app *a, size_t to);
void find_text(struct app *a, const char *text, size_t from, int direction);
void find_stop(struct app *a);
bool find_work(struct app *a, double seconds);

/* list.c */
void list_build(struct app *a, bool reset);
void list_free(struct list *l);
struct list_row list_row(const struct app *a, size_t i); /* i < count */
const struct offer *list_offer(const struct app *a,
                               size_t i); /* NULL: a ghost that left the snapshot, or out of range */
bool list_candidate(const struct app *a, size_t i, struct candidate *out);
void list_move(struct app *a, long by);
void list_go(struct app *a, size_t to);
void list_select(struct app *a, uint32_t offer); /* the cursor onto this offer, or the row of its group */
void list_scroll(struct app *a);
size_t list_top(size_t top, size_t cursor, size_t page, size_t count); /* pure: the first row on screen */
void list_unfold(struct app *a);
bool list_can_unfold(const struct app *a);
bool list_is_marked(const struct app *a, const char *id);
void list_mark(struct app *a);
void list_unmark_all(struct app *a);
bool list_row_has(const struct app *a, size_t i, const char *text); /* in its id, names, place or card */

/* prompt.c */
void prompt_open(struct app *a, enum prompt_kind kind, const char *text);
bool prompt_key(struct app *a, int key); /* takes every key while a prompt is open */
void prompt_cancel(struct app *a);
void prompt_leave(struct app *a); /* keeps what was typed if it can be read */
bool edit_key(char *text, size_t cap, size_t *len, size_t *caret,
              int key); /* line editing; false: not an editing key */

/* popup.c */
void popup_open(struct app *a, enum popup_kind kind);
void popup_close(struct app *a);
bool popup_key(struct app *a, int key);
void popup_choose(struct app *a, int line);
const char *popup_name(const struct app *a, int item); /* what typing narrows by; not translated */
void popup_fill(struct app *a);                        /* after a change of what was typed */

/* form.c */
void form_build(struct app *a);
const struct form_row *form_row_at(const struct app *a); /* under the cursor; NULL: empty form */
void form_move(struct app *a, int by);
enum form_source {
    FORM_EMPTY,
    FORM_STATED,
    FORM_PRESET,
    FORM_DEFAULT,
    FORM_DERIVED /* from other fields */
};
/* What holds for the field, stated or assumed. */
enum form_source form_value(const struct app *a, enum field_id id, char *out, size_t cap);

/* form_edit.c */
void form_step(struct app *a, int by);                           /* left, right: the next value */
void form_open(struct app *a);                                   /* a text field or a list of choices */
bool form_try(struct app *a, const char *text, struct err *err); /* of the open field, live */
void form_typed(struct app *a);                                  /* the open field's text changed */
void form_commit(struct app *a);
void form_cancel(struct app *a);
void form_clear(struct app *a); /* the field under the cursor back to what is assumed */
const char *const *form_choices(const struct app *a, enum field_id id, size_t *count); /* NULL: free text */

/* history.c */
struct stated *stated_copy(const struct stated *s);
/* Takes what is stated now as the new job. False (err): refused, nothing changed. */
bool stated_take(struct app *a, const struct stated *wanted, struct err *err);
void history_push(struct app *a, const struct stated *before, const char *label);
void history_undo(struct app *a, int direction);
void history_free(struct history *h);

/* files.c */
void files_save_workload(struct app *a, const char *name);
void files_open_workload(struct app *a, const char *name);
struct io_list;
bool files_list_workloads(const struct app *a, struct io_list *out);
void files_export(struct app *a, const char *path); /* of what the screen shows */
enum { FILES_WIDTH = 120 }; /* of a table for people */
enum grid_format files_format(const char *path); /* by the suffix; anything else is a table */
bool files_put_ranking(struct app *a, struct buf *b, const char *path);
bool files_put_explanation(struct app *a, struct buf *b, const char *path);
void files_save_state(const struct app *a);
void files_load_state(struct app *a, bool keep_workload, bool keep_filter);

/* explain.c */
void explain_open(struct app *a);
void explain_count(struct app *a, const char *id, int gpus); /* goes there */
void explain_refresh(struct app *a);
void explain_free(struct explained *e);
int explain_used(const struct explained *e, int ids[], int cap); /* assumptions of the trace, each once */
void explain_edit(struct app *a, enum assume_id id);
void explain_typed(struct app *a);
void explain_commit(struct app *a);
void explain_cancel(struct app *a);

/* reader.c */
void reader_start(struct app *a);
void reader_stop(struct app *a);
int reader_fd(const struct app *a);
void reader_ready(struct app *a);
bool reader_work(struct app *a, double seconds);
bool reader_busy(const struct app *a);

/* app.c */
void app_say(struct app *a, enum message_kind kind, const char *text);
void app_say_error(struct app *a, const struct err *err);
void app_go(struct app *a, enum app_screen screen);
void app_back(struct app *a, bool escape);
void app_scroll(struct app *a, int by);
void app_scroll_part(struct app *a, int direction); /* the text of this screen */
void app_change_goal(struct app *a, int by);
void app_set_filter(struct app *a, const char *text); /* one that parses, or "" */
void app_expect(struct app *a, enum message_kind kind,
                const char *text); /* said with figures when the next answer is there */
void app_command(struct app *a, const char *name);
void app_pick(struct app *a);
void text_copy(char *out, size_t cap, const char *text); /* cut at a character where it is too long */
double app_seconds(void);                                /* monotonic */
int app_page(const struct app *a);

#endif
