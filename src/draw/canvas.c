/* SPDX-License-Identifier: MIT */
#include "gpuplan/draw/canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"

enum { CANVAS_MAX_SIDE = 1000, REPLACEMENT = 0xFFFD };

static const struct {
    uint32_t utf8, ascii;
} glyphs[GLYPH_COUNT] = {
    [GLYPH_HLINE] = {0x2500, '-'},
    [GLYPH_VLINE] = {0x2502, '|'},
    [GLYPH_TEE_DOWN] = {0x252C, '+'},
    [GLYPH_TEE_UP] = {0x2534, '+'},
    [GLYPH_CROSS] = {0x253C, '+'},
    [GLYPH_ELLIPSIS] = {0x2026, '~'},
    [GLYPH_UP] = {0x25B2, '^'},
    [GLYPH_DOWN] = {0x25BC, 'v'},
    [GLYPH_LEFT] = {0x2039, '<'},
    [GLYPH_RIGHT] = {0x203A, '>'},
    [GLYPH_DOT] = {0x00B7, '.'},
    [GLYPH_FREE] = {0x00B7, '.'},
    [GLYPH_LIMIT] = {0x2502, '|'},
    [GLYPH_PART1] = {0x2588, 'W'},
    [GLYPH_PART2] = {0x2593, 'G'},
    [GLYPH_PART3] = {0x2592, 'O'},
    [GLYPH_PART4] = {0x2591, 'A'},
    [GLYPH_PART5] = {0x2573, 'L'},
    [GLYPH_PART6] = {0x2571, 'K'},
    [GLYPH_PART7] = {0x2572, 'x'},
    [GLYPH_BAR] = {0x2588, '#'},
    [GLYPH_CORNER_TOP_LEFT] = {0x250C, '+'},
    [GLYPH_CORNER_TOP_RIGHT] = {0x2510, '+'},
    [GLYPH_CORNER_BOTTOM_LEFT] = {0x2514, '+'},
    [GLYPH_CORNER_BOTTOM_RIGHT] = {0x2518, '+'},
    [GLYPH_TEE_LEFT] = {0x2524, '+'},
    [GLYPH_DASH] = {0x254C, '-'},
    [GLYPH_DASH_VERTICAL] = {0x254E, ':'},
    [GLYPH_POINT] = {0x25CF, 'o'},
};

/* What the program's own texts use beyond ASCII, and how that is written without it. Same width, so that layouts agree. */
static const struct {
    uint32_t from, to;
} ascii_forms[] = {
    {0x00A0, ' '},  {0x00B7, '.'},  {0x00D7, 'x'}, {0x2010, '-'}, {0x2011, '-'}, {0x2013, '-'}, {0x2014, '-'},
    {0x2018, '\''}, {0x2019, '\''}, {0x201C, '"'}, {0x201D, '"'}, {0x2022, '*'}, {0x2026, '~'}, {0x202F, ' '},
    {0x2039, '<'},  {0x203A, '>'},  {0x2190, '<'}, {0x2192, '>'}, {0x2212, '-'}, {0x2248, '~'}, {0x2264, '<'},
    {0x2265, '>'},  {0x25B2, '^'},  {0x25BC, 'v'}, {0x25CF, '*'}, {0x2713, 'y'},
};

uint32_t glyph_code(enum glyph g, bool ascii) {
    return ascii ? glyphs[g].ascii : glyphs[g].utf8;
}

static uint32_t canvas_ascii_form(uint32_t cp) {
    if (cp < 0x7F)
        return cp;
    for (size_t i = 0; i < sizeof ascii_forms / sizeof *ascii_forms; i++)
        if (ascii_forms[i].from == cp)
            return ascii_forms[i].to;
    for (size_t i = 0; i < GLYPH_COUNT; i++)
        if (glyphs[i].utf8 == cp)
            return glyphs[i].ascii;
    return '?';
}

/* Gate (b): what may stand in a cell. Everything else was to be shown or removed when it entered the program. */
static bool canvas_allowed(uint32_t cp) {
    return cp >= 0x20 && !(cp >= 0x7F && cp < 0xA0) && cp != 0xAD && cp != 0x61C && !(cp >= 0x200B && cp <= 0x200F) &&
           !(cp >= 0x2028 && cp <= 0x202E) && !(cp >= 0x2060 && cp <= 0x206F) && !(cp >= 0xFE00 && cp <= 0xFE0F) &&
           cp != 0xFEFF && !(cp >= 0xD800 && cp <= 0xDFFF) && !(cp >= 0xE0000 && cp <= 0xE0FFF) && cp <= 0x10FFFF;
}

void canvas_init(struct canvas *c) {
    *c = (struct canvas){.cursor_row = -1, .cursor_column = -1};
    canvas_resize(c, 1, 1);
}

void canvas_free(struct canvas *c) {
    free(c->cells);
    c->cells = NULL;
    c->columns = c->rows = 0;
}

static int canvas_clamp(int x, int low, int high) {
    return x < low ? low : x > high ? high : x;
}

void canvas_resize(struct canvas *c, int columns, int rows) {
    columns = canvas_clamp(columns, 1, CANVAS_MAX_SIDE);
    rows = canvas_clamp(rows, 1, CANVAS_MAX_SIDE);
    if (columns != c->columns || rows != c->rows || !c->cells) {
        c->cells = mem_resize(c->cells, (size_t)columns * (size_t)rows, sizeof *c->cells);
        c->columns = columns;
        c->rows = rows;
    }
    canvas_clear(c);
}

void canvas_clear(struct canvas *c) {
    for (int i = 0; i < c->columns * c->rows; i++)
        c->cells[i] = (struct cell){.code_point = ' '};
    c->cursor_row = c->cursor_column = -1;
}

static struct cell *canvas_cell(struct canvas *c, int row, int column) {
    if (row < 0 || row >= c->rows || column < 0 || column >= c->columns)
        return NULL;
    return &c->cells[row * c->columns + column];
}

const struct cell *canvas_at(const struct canvas *c, int row, int column) {
    if (row < 0 || row >= c->rows || column < 0 || column >= c->columns)
        return NULL;
    return &c->cells[row * c->columns + column];
}

/* A cell that is overwritten must not leave half of a 2-column character behind. */
static void canvas_heal(struct canvas *c, int row, int column) {
    struct cell *cell = canvas_cell(c, row, column);
    struct cell *left = canvas_cell(c, row, column - 1), *right = canvas_cell(c, row, column + 1);
    if (cell && cell->code_point == 0 && left)
        *left = (struct cell){.code_point = ' ', .role = left->role, .tag = left->tag};
    if (right && right->code_point == 0)
        *right = (struct cell){.code_point = ' ', .role = right->role, .tag = right->tag};
}

static void canvas_put(struct canvas *c, int row, int column, uint32_t cp, int width, enum role role) {
    struct cell *cell = canvas_cell(c, row, column), *half = canvas_cell(c, row, column + 1);
    if (!cell || (width == 2 && !half))
        return;
    canvas_heal(c, row, column);
    if (width == 2) {
        canvas_heal(c, row, column + 1);
        *half = (struct cell){.code_point = 0, .role = (uint8_t)role, .tag = half->tag};
    }
    *cell = (struct cell){.code_point = cp, .role = (uint8_t)role, .tag = cell->tag};
}

static void canvas_mark(struct canvas *c, int row, int column, uint32_t mark) {
    struct cell *cell = canvas_cell(c, row, column);
    for (int i = 0; cell && i < CANVAS_MARKS; i++)
        if (!cell->mark[i]) {
            cell->mark[i] = mark;
            return;
        }
}

/* One character at column; returns the columns it took. */
static int canvas_glyph(struct canvas *c, int row, int column, uint32_t cp, int width, enum role role) {
    if (width == 0) {
        if (!c->ascii && column > 0)
            canvas_mark(c, row, column - 1, cp);
        return 0;
    }
    if (c->ascii) {
        for (int i = 0; i < width; i++)
            canvas_put(c, row, column + i, i ? ' ' : canvas_ascii_form(cp), 1, role);
        return width;
    }
    canvas_put(c, row, column, cp, width, role);
    return width;
}

int canvas_text(struct canvas *c, int row, int column, int columns, enum role role, const char *text) {
    if (row < 0 || row >= c->rows || column < 0 || column >= c->columns || columns <= 0)
        return 0;
    if (columns > c->columns - column)
        columns = c->columns - column;
    bool cut = text_width(text) > columns;
    int room = cut ? columns - 1 : columns, used = 0;
    uint32_t cp;
    for (int n; *text && (n = text_decode(text, &cp)) > 0; text += n) {
        if (!canvas_allowed(cp))
            cp = REPLACEMENT;
        int width = text_char_width(cp);
        if (used + width > room)
            break;
        used += canvas_glyph(c, row, column + used, cp, width, role);
    }
    if (cut && used < columns)
        canvas_put(c, row, column + used++, glyph_code(GLYPH_ELLIPSIS, c->ascii), 1, role);
    return used;
}

int canvas_text_right(struct canvas *c, int row, int column, int columns, enum role role, const char *text) {
    int width = text_width(text), pad = width < columns ? columns - width : 0;
    return pad + canvas_text(c, row, column + pad, columns - pad, role, text);
}

int canvas_printf(struct canvas *c, int row, int column, int columns, enum role role, const char *format, ...) {
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return canvas_text(c, row, column, columns, role, line);
}

/* The part of r that lies on the canvas. */
static struct rect canvas_clip(const struct canvas *c, struct rect r) {
    int top = canvas_clamp(r.row, 0, c->rows), left = canvas_clamp(r.column, 0, c->columns);
    int bottom = canvas_clamp(r.row + r.rows, top, c->rows),
        right = canvas_clamp(r.column + r.columns, left, c->columns);
    return (struct rect){top, left, bottom - top, right - left};
}

void canvas_fill(struct canvas *c, struct rect r, enum role role, uint32_t code_point) {
    r = canvas_clip(c, r);
    for (int row = r.row; row < r.row + r.rows; row++)
        for (int column = r.column; column < r.column + r.columns; column++)
            canvas_glyph(c, row, column, code_point, 1, role);
}

void canvas_role(struct canvas *c, struct rect r, enum role role) {
    r = canvas_clip(c, r);
    for (int row = r.row; row < r.row + r.rows; row++)
        for (int column = r.column; column < r.column + r.columns; column++)
            canvas_cell(c, row, column)->role = (uint8_t)role;
}

void canvas_tag(struct canvas *c, struct rect r, enum tag_kind kind, int value) {
    r = canvas_clip(c, r);
    for (int row = r.row; row < r.row + r.rows; row++)
        for (int column = r.column; column < r.column + r.columns; column++)
            canvas_cell(c, row, column)->tag = (struct tag){(uint8_t)kind, value};
}

void canvas_hline(struct canvas *c, int row, int column, int columns) {
    canvas_fill(c, (struct rect){row, column, 1, columns}, ROLE_BORDER, glyph_code(GLYPH_HLINE, false));
}

void canvas_vline(struct canvas *c, int row, int column, int rows) {
    canvas_fill(c, (struct rect){row, column, rows, 1}, ROLE_BORDER, glyph_code(GLYPH_VLINE, false));
}

void canvas_cursor(struct canvas *c, int row, int column) {
    c->cursor_row = canvas_clamp(row, 0, c->rows - 1);
    c->cursor_column = canvas_clamp(column, 0, c->columns - 1);
}

/* Bytes of the next line of at most `columns`; *skip gets the bytes of the white space (or newline) after it. */
static size_t canvas_line(const char *text, int columns, size_t *skip) {
    const char *newline = strchr(text, '\n');
    size_t fit = text_fit(text, columns, NULL), end = newline ? (size_t)(newline - text) : strlen(text);
    *skip = 0;
    if (fit >= end) {
        *skip = newline ? 1 : 0;
        return end;
    }
    size_t cut = fit;
    while (cut > 0 && text[cut] != ' ')
        cut--;
    if (cut == 0) { /* one word longer than the line; at least one character so that wrapping ends */
        uint32_t cp;
        return fit > 0 ? fit : (size_t)text_decode(text, &cp);
    }
    while (text[cut + *skip] == ' ')
        ++*skip;
    return cut;
}

int canvas_wrap(struct canvas *c, struct rect r, int first, enum role role, const char *text) {
    int drawn = 0;
    for (int line = 0; *text && r.columns > 0 && drawn < r.rows; line++) {
        size_t skip, len = canvas_line(text, r.columns, &skip);
        if (line >= first) {
            char part[2048];
            snprintf(part, sizeof part, "%.*s", (int)len, text);
            canvas_text(c, r.row + drawn++, r.column, r.columns, role, part);
        }
        text += len + skip;
    }
    return drawn;
}

int canvas_wrap_rows(const char *text, int columns) {
    int rows = 0;
    for (; *text && columns > 0; rows++) {
        size_t skip, len = canvas_line(text, columns, &skip);
        text += len + skip;
    }
    return rows;
}

static void canvas_put_utf8(struct buf *out, uint32_t cp) {
    static const struct {
        uint32_t below;
        int tail;
        unsigned char lead;
    } forms[] = {{0x80, 0, 0}, {0x800, 1, 0xC0}, {0x10000, 2, 0xE0}, {0x110000, 3, 0xF0}};
    size_t i = 0;
    while (cp >= forms[i].below)
        i++;
    buf_putc(out, (char)(forms[i].lead | cp >> (6 * forms[i].tail)));
    for (int tail = forms[i].tail - 1; tail >= 0; tail--)
        buf_putc(out, (char)(0x80 | (cp >> (6 * tail) & 0x3F)));
}

void canvas_to_text(const struct canvas *c, struct buf *out) {
    for (int row = 0; row < c->rows; row++) {
        int last = c->columns - 1;
        while (last >= 0 && canvas_at(c, row, last)->code_point == ' ')
            last--;
        for (int column = 0; column <= last; column++) {
            const struct cell *cell = canvas_at(c, row, column);
            if (!cell->code_point)
                continue;
            canvas_put_utf8(out, cell->code_point);
            for (int i = 0; i < CANVAS_MARKS && cell->mark[i]; i++)
                canvas_put_utf8(out, cell->mark[i]);
        }
        buf_putc(out, '\n');
    }
}

void canvas_to_roles(const struct canvas *c, struct buf *out) {
    for (int row = 0; row < c->rows; row++) {
        for (int column = 0; column < c->columns; column++)
            buf_putc(out, (char)('a' + canvas_at(c, row, column)->role));
        buf_putc(out, '\n');
    }
}
