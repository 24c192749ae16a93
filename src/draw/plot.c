/* SPDX-License-Identifier: MIT */
#include "gpuplan/draw/plot.h"

#include <math.h>
#include <string.h>

#include "gpuplan/base/text.h"

enum { LABEL_CAP = 24, LEAST_COLUMNS = 16, LEAST_ROWS = 4, DOTS_X = 2, DOTS_Y = 4 };

/* ---- axes ---- */

static const double log_from =
    20; /* times that the largest value is of the smallest: beyond it small ones could not be told apart */

void plot_axis_fit(struct plot_axis *axis, const double *values, size_t count) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            low = fmin(low, values[i]);
            high = fmax(high, values[i]);
        }
    if (!(low <= high))
        low = high = 1;
    axis->log = low > 0 && high > log_from * low;
    if (low > 0 && high <= low)
        high = low * 2;
    if (axis->log) {
        axis->low = low / 1.15;
        axis->high = high * 1.15;
    } else {
        axis->low = low > 0 && low < (high - low) ? 0 : low - (high - low) * 0.08;
        axis->high = high + (high - low) * 0.08;
    }
    if (axis->high <= axis->low)
        axis->high = axis->low + 1;
}

/* 0 at the low end, 1 at the high one. */
static double along(const struct plot_axis *a, double v) {
    if (a->log)
        return v > 0 ? log(v / a->low) / log(a->high / a->low) : -1;
    return (v - a->low) / (a->high - a->low);
}

static void add_tick(struct plot_axis *a, double v) {
    if (v >= a->low * (1 - 1e-9) && v <= a->high * (1 + 1e-9) && a->tick_count < PLOT_TICKS)
        a->ticks[a->tick_count++] = v;
}

static void log_ticks(struct plot_axis *a) {
    static const double dense[] = {1, 1.5, 2, 3, 5, 7}, usual[] = {1, 2, 5}, sparse[] = {1};
    double decades = log10(a->high / a->low);
    const double *steps = decades < 1 ? dense : decades < 3.5 ? usual : sparse;
    int count = decades < 1 ? 6 : decades < 3.5 ? 3 : 1;
    for (double power = pow(10, floor(log10(a->low))); power <= a->high; power *= 10)
        for (int i = 0; i < count; i++)
            add_tick(a, power * steps[i]);
}

static void linear_ticks(struct plot_axis *a) {
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double wanted = (a->high - a->low) / 5, power = pow(10, floor(log10(wanted))), step = power;
    for (int i = 0; i < 5 && step < wanted; i++)
        step = power * steps[i];
    for (double v = ceil(a->low / step) * step; v <= a->high; v += step)
        add_tick(a, fabs(v) < step * 1e-9 ? 0 : v);
}

static void choose_ticks(struct plot_axis *a) {
    if (a->tick_count > 0)
        return;
    if (a->log)
        log_ticks(a);
    else
        linear_ticks(a);
}

static int label_width(const struct plot_axis *a) {
    int width = 0;
    char text[LABEL_CAP];
    for (int i = 0; i < a->tick_count; i++) {
        a->label(text, sizeof text, a->ticks[i]);
        int w = text_width(text);
        width = w > width ? w : width;
    }
    return width;
}

static int place(double share, int cells) {
    return (int)lround(share * (cells - 1));
}

static void put(const struct plot *p, int row, int column, enum role role, uint32_t code_point) {
    canvas_fill(p->c, (struct rect){row, column, 1, 1}, role, code_point);
}

static void draw_y(const struct plot *p, int left, int width) {
    char text[LABEL_CAP];
    int last = -1;
    for (int i = 0; i < p->r.rows; i++)
        put(p, p->r.row + i, p->r.column - 1, ROLE_BORDER, glyph_code(GLYPH_VLINE, p->c->ascii));
    for (int i = 0; i < p->y.tick_count; i++) {
        int row = p->r.row + p->r.rows - 1 - place(along(&p->y, p->y.ticks[i]), p->r.rows);
        if (row == last)
            continue;
        last = row;
        p->y.label(text, sizeof text, p->y.ticks[i]);
        canvas_text_right(p->c, row, left, width, ROLE_DIM, text);
        put(p, row, p->r.column - 1, ROLE_BORDER, glyph_code(GLYPH_TEE_LEFT, p->c->ascii));
    }
}

static void draw_x(const struct plot *p) {
    char text[LABEL_CAP];
    int row = p->r.row + p->r.rows, free = p->r.column - 1, end = p->r.column + p->r.columns;
    put(p, row, p->r.column - 1, ROLE_BORDER, glyph_code(GLYPH_CORNER_BOTTOM_LEFT, p->c->ascii));
    canvas_hline(p->c, row, p->r.column, p->r.columns);
    for (int i = 0; i < p->x.tick_count; i++) {
        int column = p->r.column + place(along(&p->x, p->x.ticks[i]), p->r.columns);
        p->x.label(text, sizeof text, p->x.ticks[i]);
        int width = text_width(text), at = column - width / 2;
        at = at + width > end ? end - width : at;
        if (at < free)
            continue;
        put(p, row, column, ROLE_BORDER, glyph_code(GLYPH_TEE_DOWN, p->c->ascii));
        canvas_text(p->c, row + 1, at, width, ROLE_DIM, text);
        free = at + width + 1;
    }
}

bool plot_begin(struct plot *p, struct canvas *c, struct rect r, const struct plot_axis *x, const struct plot_axis *y) {
    *p = (struct plot){.c = c, .x = *x, .y = *y};
    choose_ticks(&p->x);
    choose_ticks(&p->y);
    int width = label_width(&p->y), axis = 2; /* a blank and the line */
    p->r = (struct rect){r.row, r.column + width + axis, r.rows - 2, r.columns - width - axis};
    if (p->r.rows < LEAST_ROWS || p->r.columns < LEAST_COLUMNS)
        return false;
    draw_y(p, r.column, width);
    draw_x(p);
    return true;
}

/* ---- what stands between them ---- */

bool plot_cell(const struct plot *p, double x, double y, int *row, int *column) {
    double at_x = along(&p->x, x), at_y = along(&p->y, y);
    if (!(at_x >= -1e-9 && at_x <= 1 + 1e-9 && at_y >= -1e-9 && at_y <= 1 + 1e-9))
        return false;
    *column = p->r.column + place(at_x, p->r.columns);
    *row = p->r.row + p->r.rows - 1 - place(at_y, p->r.rows);
    return true;
}

void plot_mark(const struct plot *p, double x, double y, enum role role, uint32_t code_point) {
    int row, column;
    if (plot_cell(p, x, y, &row, &column))
        put(p, row, column, role, code_point);
}

static bool is_braille(uint32_t code_point) {
    return code_point >= 0x2800 && code_point <= 0x28FF;
}

/* One dot of the finer grid; a mark that stands there already stays. */
static void dot(const struct plot *p, int x, int y, enum role role) {
    static const unsigned char bits[DOTS_Y][DOTS_X] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || y < 0 || x >= p->r.columns * DOTS_X || y >= p->r.rows * DOTS_Y)
        return;
    int row = p->r.row + y / DOTS_Y, column = p->r.column + x / DOTS_X;
    const struct cell *there = canvas_at(p->c, row, column);
    if (!there)
        return;
    bool braille = is_braille(there->code_point);
    if (p->c->ascii || p->c->no_braille) {
        if (there->code_point == ' ')
            put(p, row, column, role, glyph_code(GLYPH_DOT, p->c->ascii));
    } else if (braille || there->code_point == ' ') {
        uint32_t old = braille ? there->code_point : 0x2800;
        put(p, row, column, braille && there->role != ROLE_DIM ? (enum role)there->role : role,
            old | bits[y % DOTS_Y][x % DOTS_X]);
    }
}

void plot_line(const struct plot *p, double x0, double y0, double x1, double y1, enum role role, int dash) {
    int columns = p->r.columns * DOTS_X, rows = p->r.rows * DOTS_Y;
    double from_x = along(&p->x, x0) * (columns - 1), to_x = along(&p->x, x1) * (columns - 1);
    double from_y = (1 - along(&p->y, y0)) * (rows - 1), to_y = (1 - along(&p->y, y1)) * (rows - 1);
    double length = fmax(fabs(to_x - from_x), fabs(to_y - from_y));
    if (!isfinite(length) || length > 1e6)
        return;
    int steps = (int)ceil(length);
    for (int i = 0; i <= steps; i += dash > 0 ? dash : 1) {
        double t = steps > 0 ? (double)i / steps : 0;
        dot(p, (int)lround(from_x + t * (to_x - from_x)), (int)lround(from_y + t * (to_y - from_y)), role);
    }
}

static void rule(const struct plot *p, int row, int column, enum role role, enum glyph g) {
    const struct cell *there = canvas_at(p->c, row, column);
    if (there && there->code_point == ' ')
        put(p, row, column, role, glyph_code(g, p->c->ascii));
}

void plot_rule_at_x(const struct plot *p, double x, enum role role) {
    double share = along(&p->x, x);
    if (!(share >= 0 && share <= 1))
        return;
    for (int i = 0; i < p->r.rows; i++)
        rule(p, p->r.row + i, p->r.column + place(share, p->r.columns), role, GLYPH_DASH_VERTICAL);
}

void plot_rule_at_y(const struct plot *p, double y, enum role role) {
    double share = along(&p->y, y);
    if (!(share >= 0 && share <= 1))
        return;
    for (int i = 0; i < p->r.columns; i++)
        rule(p, p->r.row + p->r.rows - 1 - place(share, p->r.rows), p->r.column + i, role, GLYPH_DASH);
}
