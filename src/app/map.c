/* SPDX-License-Identifier: MIT */
#include "app/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/mem.h"
#include "screen.h"

bool map_shows(const struct map_state *m, const struct map_point *p) {
    return m->choice == MAP_ALL || (m->choice == MAP_IN_LIMITS ? p->cls <= RANK_TIGHT : p->frontier);
}

/* ---- the points, in slices ---- */

static void add(struct app *a, size_t i) {
    struct map_state *m = a->map;
    size_t size;
    const struct ranked *row = ranking_group_at(a->shown->ranking, i, &size);
    struct map_point p = {row->offer, (uint32_t)i + 1, row->hours, row->usd, row->cls, row->frontier};
    if (job_is_serving(&a->shown->basis->job)) { /* its hours are the same everywhere */
        struct candidate *c = mem_alloc(sizeof *c);
        ranking_candidate(a->shown->ranking, row, c);
        p.time = (float)c->e.itl_ms.expected;
        free(c);
    }
    if (!isfinite(p.time) || !isfinite(p.usd))
        return;
    m->points = mem_grow(m->points, &m->cap, m->count + 1, sizeof *m->points);
    m->points[m->count++] = p;
}

static int by_time_then_usd(const void *x, const void *y) {
    const struct map_point *a = *(const struct map_point *const *)x, *b = *(const struct map_point *const *)y;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->usd != b->usd)
        return a->usd < b->usd ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Of the points themselves: groups hide what the ranking knew, and a service has another axis. */
static void find_frontier(struct map_state *m) {
    struct map_point **sorted = mem_alloc((m->count + 1) * sizeof *sorted);
    size_t count = 0;
    float least = INFINITY;
    for (size_t i = 0; i < m->count; i++) {
        m->points[i].frontier = false;
        if (m->points[i].cls <= RANK_TIGHT)
            sorted[count++] = &m->points[i];
    }
    qsort(sorted, count, sizeof *sorted, by_time_then_usd);
    for (size_t i = 0; i < count; i++) {
        sorted[i]->frontier = sorted[i]->usd < least;
        least = fminf(least, sorted[i]->usd);
    }
    free(sorted);
}

static bool work(struct app *a, double seconds) {
    struct map_state *m = a->map;
    if (!m->stale || !a->shown || !a->shown->ranked)
        return false;
    double start = app_seconds();
    size_t groups = ranking_group_count(a->shown->ranking), all = groups < MAP_MOST ? groups : MAP_MOST;
    while (m->at < all) {
        add(a, m->at++);
        if (m->at % 64 == 0 && m->at < all && app_seconds() - start > seconds)
            return true;
    }
    find_frontier(m);
    m->stale = false;
    a->changed = true;
    return false;
}

static void refresh(struct app *a) {
    a->map->stale = true;
    a->map->at = a->map->count = 0;
}

/* ---- axes ---- */

double map_deadline(const struct app *a) {
    const struct job *j = &a->shown->basis->job;
    return job_is_serving(j) ? j->itl_ms : j->deadline_h;
}

static void stretch(struct map_axis *x, double limit) {
    static const double near = 3; /* times: a limit farther off would leave no room for the points */
    if (num_known(limit) && limit > 0 && limit < x->high * near && limit > x->low / near) {
        x->low = fmin(x->low, limit);
        x->high = fmax(x->high, limit);
    }
}

static int by_value(const void *x, const void *y) {
    float a = *(const float *)x, b = *(const float *)y;
    return (a > b) - (a < b);
}

/* What is so far off that the rest would lie in one corner is left out: the largest value still drawn. */
static double outermost(const struct map_state *m, bool cost) {
    static const double far = 12; /* times the median */
    float *values = mem_alloc((m->count + 1) * sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++)
        if (map_shows(m, &m->points[i]))
            values[count++] = cost ? m->points[i].usd : m->points[i].time;
    qsort(values, count, sizeof *values, by_value);
    double most = count > 0 ? far * (double)values[count / 2] : INFINITY;
    free(values);
    return most;
}

struct map_axis map_axis_of(const struct app *a, bool cost) {
    const struct map_state *m = a->map;
    struct map_axis x = {INFINITY, -INFINITY, false};
    double most = outermost(m, cost);
    for (size_t i = 0; i < m->count; i++) {
        const struct map_point *p = &m->points[i];
        double v = cost ? p->usd : p->time;
        if (!map_shows(m, p) || v > most)
            continue;
        x.low = fmin(x.low, v);
        x.high = fmax(x.high, v);
    }
    if (!(x.low <= x.high))
        return (struct map_axis){1, 2, false};
    stretch(&x, !cost                                   ? map_deadline(a)
                : job_is_serving(&a->shown->basis->job) ? NUM_UNKNOWN
                                                        : a->shown->basis->job.budget_usd);
    x.log = !m->linear && x.low > 0 && x.high > 2 * x.low;
    double room = x.log ? 0 : fmax((x.high - x.low) * 0.05, x.high * 0.02);
    x.low = x.log ? x.low / 1.08 : m->linear && x.low > 0 ? 0 : x.low - room;
    x.high = x.log ? x.high * 1.08 : x.high + room;
    return x;
}

static double along(const struct map_axis *x, double v) {
    return x->log ? log(v / x->low) / log(x->high / x->low) : (v - x->low) / (x->high - x->low);
}

/* ---- the cursor ---- */

const struct map_point *map_at_cursor(const struct app *a) {
    const struct map_state *m = a->map;
    const struct list *l = &a->list;
    if (m->stale || !l->id || !a->shown || l->of != a->shown->snapshot)
        return NULL;
    const struct ranked *row = ranking_find(a->shown->ranking, l->offer);
    for (size_t i = 0; row && i < m->count; i++) {
        const struct ranked *best = ranking_find(a->shown->ranking, m->points[i].offer);
        if (map_shows(m, &m->points[i]) && best &&
            ranking_group_of(a->shown->ranking, best) == ranking_group_of(a->shown->ranking, row))
            return &m->points[i];
    }
    return NULL;
}

const struct map_point *map_better(const struct map_state *m, const struct map_point *p) {
    const struct map_point *best = NULL;
    if (p->frontier)
        return NULL;
    for (size_t i = 0; i < m->count; i++) {
        const struct map_point *o = &m->points[i];
        if (o->frontier && o->time <= p->time && o->usd <= p->usd && (!best || o->place < best->place))
            best = o;
    }
    return best;
}

/* The nearest in one direction, in cells: what lies straight ahead counts for more than what lies aside. */
static void step(struct app *a, int right, int up) {
    struct map_state *m = a->map;
    const struct map_point *from = map_at_cursor(a), *best = NULL;
    const struct map_axis time = map_axis_of(a, false), cost = map_axis_of(a, true);
    double nearest = INFINITY, columns = a->columns, rows = a->rows;
    for (size_t i = 0; i < m->count; i++) {
        const struct map_point *p = &m->points[i];
        if (p == from || !map_shows(m, p))
            continue;
        if (!from) { /* out of sight: on the best that is in sight */
            best = best ? best : p;
            continue;
        }
        double t = along(&time, p->time) - along(&time, from->time), c = along(&cost, p->usd) - along(&cost, from->usd);
        double dx = (m->swapped ? c : t) * columns, dy = (m->swapped ? t : c) * rows;
        double ahead = right ? dx * right : dy * up * 2, aside = right ? dy * 2 : dx; /* a cell is twice as high */
        if (ahead < 0.5)
            continue;
        double distance = ahead + 2 * fabs(aside);
        if (distance < nearest) {
            nearest = distance;
            best = p;
        }
    }
    if (best)
        list_select(a, best->offer);
}

static void move(struct app *a, long by) {
    step(a, 0, by < 0 ? 1 : -1);
}

static void left(struct app *a) {
    step(a, -1, 0);
}

static void right(struct app *a) {
    step(a, 1, 0);
}

/* Along the frontier, by time. */
static void along_frontier(struct app *a, int by) {
    struct map_state *m = a->map;
    const struct map_point *from = map_at_cursor(a), *best = NULL;
    for (size_t i = 0; i < m->count; i++) {
        const struct map_point *p = &m->points[i];
        if (!p->frontier || !map_shows(m, p) || (from && (p->time - from->time) * (float)by <= 0))
            continue;
        if (!best || (p->time - best->time) * (float)by < 0)
            best = p;
    }
    if (best)
        list_select(a, best->offer);
}

static void faster(struct app *a) {
    along_frontier(a, -1);
}

static void cheaper(struct app *a) {
    along_frontier(a, 1);
}

/* ---- hooks ---- */

static void begin(struct app *a) {
    a->map = mem_zero(1, sizeof *a->map);
    a->map->stale = true;
}

static void end(struct app *a) {
    if (a->map)
        free(a->map->points);
    free(a->map);
}

static void click(struct app *a, int point, bool twice) {
    struct map_state *m = a->map;
    if (m->stale || point < 0 || (size_t)point >= m->count)
        return;
    list_select(a, m->points[point].offer);
    if (twice)
        app_go(a, SCREEN_EXPLAIN);
}

/* The picture as text; points for programs. */
static bool put(struct app *a, struct buf *b, const char *path) {
    static const char *const keys[] = {"place", "id", "time_h", "cost_usd", "class", "frontier"};
    static const char *const served[] = {"place", "id", "itl_ms", "usd_per_mtok", "class", "frontier"};
    const struct map_state *m = a->map;
    enum grid_format format = files_format(path);
    if (m->stale)
        return false;
    if (format == GRID_TABLE && a->picture) {
        a->picture(a, b);
        return true;
    }
    struct grid *g = grid_new(job_is_serving(&a->shown->basis->job) ? served : keys, sizeof keys / sizeof keys[0]);
    for (size_t i = 0; i < m->count; i++) {
        const struct map_point *p = &m->points[i];
        if (!map_shows(m, p))
            continue;
        const struct offers *o = a->shown->snapshot->offers;
        grid_add_number(g, p->place, 9);
        grid_add(g, offers_text(o, o->items[p->offer].id));
        grid_add_number(g, (double)p->time, 6);
        grid_add_number(g, (double)p->usd, 6);
        grid_add(g, rank_class_name((enum rank_class)p->cls));
        grid_add(g, p->frontier ? "yes" : "no");
    }
    grid_put(b, g, format, &(struct style){FILES_WIDTH, a->ascii, false});
    grid_free(g);
    return true;
}

static size_t rows(const struct app *a) {
    return a->list.count;
}

static size_t place(const struct app *a) {
    return a->list.cursor;
}

/* ---- actions ---- */

static void go(struct app *a) {
    app_go(a, SCREEN_MAP);
}
static void explain(struct app *a) {
    app_go(a, SCREEN_EXPLAIN);
}
static bool has_offer(const struct app *a) {
    return a->list.id != NULL;
}
static void choose(struct app *a) {
    a->map->choice = (enum map_choice)((a->map->choice + 1) % MAP_CHOICE_COUNT);
}
static void swap(struct app *a) {
    a->map->swapped = !a->map->swapped;
}
static void toggle_linear(struct app *a) {
    a->map->linear = !a->map->linear;
}

static const struct action actions[] = {
    {"screen.map", {'5'}, NULL, N_("time against cost"), ON_EVERY, NULL, go},
    {"map.explain", {KEY_CODE_ENTER}, N_("Explain"), N_("why the offer has these numbers"), ON_MAP, has_offer, explain},
    {"map.points",
     {'f'},
     N_("Points"),
     N_("all offers, those that keep the limits, or the frontier alone"),
     ON_MAP,
     NULL,
     choose},
    {"map.swap", {'x'}, N_("Swap"), N_("swap the axes"), ON_MAP, NULL, swap},
    {"map.linear", {'L'}, N_("Linear"), N_("logarithmic or linear axes"), ON_MAP, NULL, toggle_linear},
    {"map.left", {KEY_CODE_LEFT, 'h'}, NULL, N_("nearest offer on the left"), ON_MAP, NULL, left},
    {"map.right", {KEY_CODE_RIGHT, 'l'}, NULL, N_("nearest offer on the right"), ON_MAP, NULL, right},
    {"map.faster", {'['}, N_("Faster"), N_("along the frontier: faster"), ON_MAP, NULL, faster},
    {"map.cheaper", {']'}, N_("Cheaper"), N_("along the frontier: cheaper"), ON_MAP, NULL, cheaper},
};

const struct screen_row map_screen = {.name = "map",
                                      .begin = begin,
                                      .end = end,
                                      .move = move,
                                      .refresh = refresh,
                                      .work = work,
                                      .click = click,
                                      .rows = rows,
                                      .place = place,
                                      .go = list_go,
                                      .has = list_row_has,
                                      .file = "map.txt",
                                      .put = put,
                                      .actions = actions,
                                      .action_count = sizeof actions / sizeof actions[0]};
