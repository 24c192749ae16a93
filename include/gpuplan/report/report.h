/* SPDX-License-Identifier: MIT */
/* Rankings, explanations and lists as bytes. Text for people is translated; JSON and CSV are English, with full precision. */
#ifndef GPUPLAN_REPORT_REPORT_H
#define GPUPLAN_REPORT_REPORT_H

#include "gpuplan/base/buf.h"
#include "gpuplan/decide/decide.h"
#include "gpuplan/estimate/lighten.h"
#include "gpuplan/report/column.h"

enum grid_format { GRID_TABLE, GRID_JSON, GRID_CSV, GRID_MARKDOWN };

struct style {
    int width;  /* columns of the screen */
    bool ascii; /* no characters over 127 of ours */
    bool color; /* escape sequences of the terminal's own colours */
};

/* Which rows, in which order. */
struct view_rows {
    struct ranking *ranking;
    const uint32_t *order; /* positions in the ranking, or in the groups when grouped; NULL = the ranking's own order */
    size_t count;          /* how many to show */
    bool grouped;
};
/* The i-th row of the view, in full. */
void view_row(const struct view_rows *v, size_t i, struct candidate *out);

/* What stands around a ranking. */
struct report_context {
    const struct question *q;
    struct ranking *ranking;
    const struct offers *offers;
    const char *answer;
};

void report_table(struct buf *b, const struct report_context *ctx, const struct view_rows *v,
                  const struct style *style);
void report_json(struct buf *b, const struct report_context *ctx, const struct view_rows *v);
void report_csv(struct buf *b, const struct report_context *ctx, const struct view_rows *v);
void report_markdown(struct buf *b, const struct report_context *ctx, const struct view_rows *v);

/* One candidate: design.md section 7.2, element of "candidates". */
struct json_out;
void candidate_json(struct json_out *j, const struct question *q, const struct candidate *c);
/* With one more field in front. */
void candidate_json_with(struct json_out *j, const struct question *q, const struct candidate *c, const char *key,
                         const char *word);
/* Its parts, for reports on hardware alone. */
void layout_json(struct json_out *j, const struct layout *l);
void reason_json(struct json_out *j, const struct reason *r);
void memory_json(struct json_out *j, const struct job *job, const struct estimate *e);
void weights_json(struct json_out *j, const struct job *job, const struct gpu *g);
void speed_json(struct json_out *j, const struct job *job, const struct estimate *e);

/*
 * Which machines hold the workload, whoever rents them out: `fit`. host_gb NUM_UNKNOWN: the RAM is not judged.
 */
struct fit_row {
    struct shape shape; /* as evaluated */
    struct estimate e;
    struct reason reason; /* of the card, the split or the RAM */
    int fits_from;        /* 0 = none of the counts tried */
    bool has_lighter;     /* one GPU does it with a change of the workload */
    struct lightened lighter;
};
/* every: in a table also the cards that do not hold it; programs get them always. */
void fit_table(struct buf *b, const struct job *job, const struct fit_row *rows, size_t count, bool every,
               enum grid_format format, const struct style *style);
void fit_json(struct buf *b, const struct question *q, const struct fit_row *rows, size_t count);
/* One machine in full: memory, split and speed by part. */
void fit_text(struct buf *b, const struct question *q, const struct fit_row *row, const struct style *style);

void explain_text(struct buf *b, const struct report_context *ctx, const struct candidate *c, const struct trace *t,
                  const struct style *style);
void explain_markdown(struct buf *b, const struct report_context *ctx, const struct candidate *c, const struct trace *t);
void explain_json(struct buf *b, const struct report_context *ctx, const struct candidate *c, const struct trace *t);

/*
 * Any small table, for `list` and `fit`: rows of cells, as aligned text, CSV, Markdown or a JSON array of objects. Cells are
 * clean text; a cell that is a plain number becomes a number in JSON, an empty one null.
 */
struct grid;
struct grid *grid_new(const char *const *keys, size_t columns);
/* For the table alone: what stands above the columns, translated; NULL = only for programs. Empty columns are left out then. */
void grid_headings(struct grid *g, const char *const *headings);
void grid_free(struct grid *g);
void grid_add(struct grid *g, const char *cell); /* next cell, row by row */
void grid_add_number(struct grid *g, double x, int significant);
void grid_add_range(struct grid *g, struct range r);
/* Texts of a table wider than style->width are wrapped; width 0: as wide as it comes. */
void grid_put(struct buf *b, const struct grid *g, enum grid_format format, const struct style *style);

/* Replaces our own characters over 127 by ASCII ones. */
void style_put(struct buf *b, const struct style *style, const char *text);
/* Wrapped at blanks to style->width, later lines indented. */
void style_wrap(struct buf *b, const struct style *style, const char *text, int indent);
enum emphasis { EMPHASIS_PLAIN, EMPHASIS_HEAD, EMPHASIS_GOOD, EMPHASIS_WARN, EMPHASIS_BAD, EMPHASIS_DIM };
void style_begin(struct buf *b, const struct style *style, enum emphasis role);
void style_end(struct buf *b, const struct style *style, enum emphasis role);

#endif
