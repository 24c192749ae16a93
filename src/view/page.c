/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "gpuplan/draw/chart.h"
#include "internal.h"

int page_row(struct page *p) {
    int at = p->line++ - p->first;
    return p->c && at >= 0 && at < p->r.rows ? p->r.row + at : -1;
}

void page_line(struct page *p, enum role role, const char *text) {
    int row = page_row(p);
    if (row >= 0)
        canvas_text(p->c, row, p->r.column, p->r.columns, role, text);
}

void page_wrap(struct page *p, enum role role, int indent, const char *text) {
    int columns = p->r.columns - indent, rows = canvas_wrap_rows(text, columns);
    for (int i = 0; i < rows; i++) {
        int row = page_row(p);
        if (row >= 0)
            canvas_wrap(p->c, (struct rect){row, p->r.column + indent, 1, columns}, i, role, text);
    }
}

void page_heading(struct page *p, const char *text) {
    if (p->part_count < VIEW_PARTS_MAX)
        p->part_line[p->part_count++] = p->line;
    int row = page_row(p);
    if (row < 0)
        return;
    int used = canvas_text(p->c, row, p->r.column, p->r.columns, ROLE_HEADER, text);
    if (used + 1 < p->r.columns)
        canvas_hline(p->c, row, p->r.column + used + 1, p->r.columns - used - 1);
}

void page_blank(struct page *p) {
    p->line++;
}

/* A long label takes its room from the value only when the line is short of it. */
static int put_label(struct page *p, int row, const char *label) {
    int width = p->r.columns < 2 * PAGE_LABEL ? p->r.columns / 2 : PAGE_LABEL;
    int needed = text_width(label) + 1;
    if (needed > width && needed < p->r.columns / 2)
        width = needed;
    canvas_text(p->c, row, p->r.column, width - 1, ROLE_DIM, label);
    return width;
}

void page_pair(struct page *p, const char *label, enum role role, const char *value) {
    int row = page_row(p);
    if (row < 0)
        return;
    int width = put_label(p, row, label);
    canvas_text(p->c, row, p->r.column + width, p->r.columns - width, role, value);
}

enum { NUMBER_WIDTH = 10, SHARE_WIDTH = 6 };

void page_bar(struct page *p, const char *label, double value, double max, double whole, enum num_unit unit,
              enum role role) {
    char text[32];
    int row = page_row(p);
    if (row < 0)
        return;
    int at = put_label(p, row, label), left = p->r.columns - at;
    num_format(text, sizeof text, value, unit);
    canvas_text_right(p->c, row, p->r.column + at, left < NUMBER_WIDTH ? left : NUMBER_WIDTH, ROLE_TEXT, text);
    at += NUMBER_WIDTH;
    left -= NUMBER_WIDTH;
    if (whole > 0 && left >= SHARE_WIDTH) {
        canvas_printf(p->c, row, p->r.column + at, SHARE_WIDTH, ROLE_DIM, "%4.0f %%", value / whole * 100);
        at += SHARE_WIDTH;
        left -= SHARE_WIDTH;
    }
    chart_bar(p->c, row, p->r.column + at + 1, left - 1, value, max, role);
}
