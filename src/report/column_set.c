/* SPDX-License-Identifier: MIT */
#include <limits.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/column.h"

int column_wanted_width(const struct column *c, bool serving) {
    return serving && c->serving_width != 0 ? c->serving_width : c->from_width;
}

void column_set_choose(struct column_set *s, int screen, bool serving) {
    size_t count;
    const struct column *all = column_table(&count);
    s->count = 0;
    for (size_t i = 0; i < count && s->count < COLUMN_MAX_SHOWN; i++) {
        int from = column_wanted_width(&all[i], serving);
        if (!all[i].label || from <= 0 || from > screen)
            continue;
        s->width[s->count] = text_width(_(all[i].label));
        s->columns[s->count++] = &all[i];
    }
}

/* A text that may be cut counts as at most `readable` columns, for a start. */
static int total_width(const struct column_set *s, int readable) {
    int sum = -COLUMN_GAP;
    for (int i = 0; i < s->count; i++)
        if (s->width[i] > 0)
            sum += (s->columns[i]->min_width > 0 && s->width[i] > readable ? readable : s->width[i]) + COLUMN_GAP;
    return sum;
}

/* The widest text that may be cut loses a column at a time until the line fits. */
static void shrink(struct column_set *s, int screen) {
    while (total_width(s, INT_MAX) > screen) {
        int widest = -1;
        for (int i = 0; i < s->count; i++)
            if (s->columns[i]->min_width > 0 && s->width[i] > s->columns[i]->min_width &&
                (widest < 0 || s->width[i] > s->width[widest]))
                widest = i;
        if (widest < 0)
            return;
        s->width[widest]--;
    }
}

/* The column that asks for the widest screen goes, if it asks for more than `above`. */
static bool drop_column(struct column_set *s, bool serving, int above) {
    int last = -1;
    for (int i = 0; i < s->count; i++)
        if (s->width[i] > 0 &&
            (last < 0 || column_wanted_width(s->columns[i], serving) >= column_wanted_width(s->columns[last], serving)))
            last = i;
    if (last < 0 || column_wanted_width(s->columns[last], serving) <= above)
        return false;
    s->width[last] = 0;
    return true;
}

enum { READABLE = 17 /* of an offer's name */, USUAL_SCREEN = 80 };

void column_set_fit(struct column_set *s, int screen, bool serving) {
    while (total_width(s, READABLE) > screen && drop_column(s, serving, USUAL_SCREEN))
        continue; /* what only wide screens show goes before names become unreadable */
    shrink(s, screen);
    while (total_width(s, INT_MAX) > screen && drop_column(s, serving, 0))
        continue;
}
