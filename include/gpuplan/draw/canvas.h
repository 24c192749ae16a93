/* SPDX-License-Identifier: MIT */
/*
 * A grid of cells that a screen draws on. It knows no terminal: ui/ blits it, tests compare it, the plain report prints it.
 * Every cell has a role (what it means, a colour scheme decides how that looks) and a tag (what a click on it means).
 * Drawing outside is cut off, never an error; sizes from 1x1 up. Gate (b): a code point that did not pass text_clean()
 * becomes U+FFFD here, and a 2-column character is never put into the last column.
 */
#ifndef GPUPLAN_DRAW_CANVAS_H
#define GPUPLAN_DRAW_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpuplan/base/tag.h"

struct buf;

enum role {
    ROLE_TEXT,
    ROLE_DIM,
    ROLE_TITLE,
    ROLE_HEADER,    /* of a table */
    ROLE_SORTED,    /* header of the sorted column */
    ROLE_CURSOR,    /* the selected row, wins over the roles of its cells */
    ROLE_MARKED,
    ROLE_TAB,
    ROLE_TAB_CURRENT,
    ROLE_KEY,       /* F-key number in the key bar */
    ROLE_KEY_LABEL,
    ROLE_BORDER,
    ROLE_PROMPT,
    ROLE_PROMPT_FAILED,
    ROLE_FIELD,     /* an editable value */
    ROLE_FIELD_OPEN,/* … being typed into */
    ROLE_ASSUMED,   /* a value that nobody stated */
    ROLE_GOOD,
    ROLE_TIGHT,
    ROLE_BAD,
    ROLE_PART1,     /* memory parts, in the order of enum memory_part */
    ROLE_PART2,
    ROLE_PART3,
    ROLE_PART4,
    ROLE_PART5,
    ROLE_PART6,
    ROLE_PART7,
    ROLE_COUNT
};

enum { CANVAS_MARKS = 2 };
struct cell {
    uint32_t code_point;          /* 0: right half of the 2-column character before it */
    uint32_t mark[CANVAS_MARKS];  /* combining marks; 0 = none */
    uint8_t role;
    struct tag tag;
};

struct canvas {
    int columns, rows;
    bool no_braille;              /* the terminal's font has none: dots of a cell instead */
    bool ascii;                   /* draw with the ASCII glyphs; other text becomes '?' */
    int cursor_row, cursor_column;/* where the hardware cursor sits; -1 = hidden */
    struct cell *cells;           /* rows x columns */
};

struct rect {
    int row, column, rows, columns;
};

void canvas_init(struct canvas *c);
void canvas_free(struct canvas *c);
void canvas_resize(struct canvas *c, int columns, int rows); /* clears; clamped to 1..1000 each */
void canvas_clear(struct canvas *c);
const struct cell *canvas_at(const struct canvas *c, int row, int column); /* NULL outside */

/*
 * Draws clean UTF-8 text from (row, column), at most `columns` wide: longer text is cut and ends in an ellipsis. Returns the
 * columns used. Text that starts left of 0 or on a row outside draws nothing.
 */
int canvas_text(struct canvas *c, int row, int column, int columns, enum role role, const char *text);
int canvas_text_right(struct canvas *c, int row, int column, int columns, enum role role, const char *text);
int canvas_printf(struct canvas *c, int row, int column, int columns, enum role role, const char *format, ...) __attribute__((format(printf, 6, 7)));
void canvas_fill(struct canvas *c, struct rect r, enum role role, uint32_t code_point);
void canvas_role(struct canvas *c, struct rect r, enum role role); /* keeps the text */
void canvas_tag(struct canvas *c, struct rect r, enum tag_kind kind, int value);
void canvas_hline(struct canvas *c, int row, int column, int columns);
void canvas_vline(struct canvas *c, int row, int column, int rows);
void canvas_cursor(struct canvas *c, int row, int column);
/* Word-wraps clean text into the rectangle; returns the rows used. `first` lines are skipped (scrolling). */
int canvas_wrap(struct canvas *c, struct rect r, int first, enum role role, const char *text);
int canvas_wrap_rows(const char *text, int columns);

/* Glyphs by meaning; each has a UTF-8 and an ASCII form of the same width (1). */
enum glyph { GLYPH_HLINE, GLYPH_VLINE, GLYPH_TEE_DOWN, GLYPH_TEE_UP, GLYPH_CROSS, GLYPH_ELLIPSIS, GLYPH_UP, GLYPH_DOWN, GLYPH_LEFT, GLYPH_RIGHT, GLYPH_DOT, GLYPH_FREE, GLYPH_LIMIT, GLYPH_PART1, GLYPH_PART2, GLYPH_PART3, GLYPH_PART4, GLYPH_PART5, GLYPH_PART6, GLYPH_PART7, GLYPH_BAR, GLYPH_CORNER_TOP_LEFT, GLYPH_CORNER_TOP_RIGHT, GLYPH_CORNER_BOTTOM_LEFT, GLYPH_CORNER_BOTTOM_RIGHT, GLYPH_TEE_LEFT, GLYPH_DASH, GLYPH_DASH_VERTICAL, GLYPH_POINT, GLYPH_COUNT };
uint32_t glyph_code(enum glyph g, bool ascii);

/* Rows as text, trailing blanks removed: golden files, `save` of a script, the report without a terminal. */
void canvas_to_text(const struct canvas *c, struct buf *out);
/* The same with one letter a cell for the role, for golden files of colour. */
void canvas_to_roles(const struct canvas *c, struct buf *out);

#endif
