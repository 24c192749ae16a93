/* SPDX-License-Identifier: MIT */
/* Which machines hold the workload, apart from what they cost. */
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/report/json_out.h"
#include "gpuplan/report/report.h"
#include "gpuplan/report/sentence.h"
#include "gpuplan/report/serving.h"

/* "tp8", "dp4 zero3": only the axes that divide anything. */
static void put_split(struct buf *b, const struct layout *l) {
    const struct {
        const char *name;
        int value;
    } axes[] = {{"replicas ", l->replicas}, {"dp", l->dp}, {"tp", l->tp}, {"pp", l->pp}, {"cp", l->cp}, {"ep", l->ep}};
    const char *separator = "";
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++)
        if (axes[i].value > 1) {
            buf_printf(b, "%s%s%d", separator, axes[i].name, axes[i].value);
            separator = " ";
        }
    if (l->zero > 0) {
        buf_printf(b, "%szero%d", separator, l->zero);
        separator = " ";
    }
    if (l->offload != OFFLOAD_NONE)
        buf_printf(b, "%soffload %s", separator, offload_name(l->offload));
    else if (!*separator)
        buf_putc(b, '-');
}

static void add_longest(struct grid *g, const struct job *job, const struct estimate *e) {
    double longest = job->task == TASK_INFERENCE ? e->max_len : e->max_seq_len;
    grid_add_number(g, longest > 0 ? longest : NUM_UNKNOWN, 9);
}

static void add_row(struct grid *g, const struct job *job, const struct fit_row *r, int digits) {
    struct buf split = {0}, why = {0};
    put_split(&split, &r->e.layout);
    grid_add(g, r->shape.gpu->name);
    grid_add_number(g, r->shape.vram_gib, digits);
    grid_add_number(g, r->shape.gpus * r->shape.nodes, 6);
    bool fits = r->reason.code == REASON_NONE;
    grid_add(g, fits ? fit_name(r->e.fit) : "no");
    grid_add_number(g, r->fits_from > 0 ? r->fits_from : NUM_UNKNOWN, 6);
    grid_add(g, fits ? split.data : "");
    bool known = r->e.memory_gib.expected > 0;
    grid_add_number(g, known ? r->e.memory_gib.expected : NUM_UNKNOWN, digits);
    grid_add_number(g, known ? r->e.memory_gib.high : NUM_UNKNOWN, digits);
    add_longest(g, job, &r->e);
    bool serves = fits && job->task == TASK_INFERENCE && r->e.max_concurrency > 0;
    grid_add_number(g, serves ? r->e.max_concurrency : NUM_UNKNOWN, 6);
    grid_add_number(g, fits && r->e.tokens_per_s.expected > 0 ? r->e.tokens_per_s.expected : NUM_UNKNOWN, digits);
    if (!fits)
        sentence_reason(&why, &r->reason);
    grid_add(g, why.data);
    buf_free(&split);
    buf_free(&why);
}

void fit_table(struct buf *b, const struct job *job, const struct fit_row *rows, size_t count, bool every,
               enum grid_format format, const struct style *style) {
    static const char *const keys[] = {"gpu", "vram_gib", "gpus",    "fit",       "fits_from",    "layout",
                                       "gib", "gib_high", "max_len", "sequences", "tokens_per_s", "reason"};
    const char *const headings[] = {_("Card"),  _("GiB"),  _("GPUs"),    _("Fit"),       NULL,       _("Split"),
                                    _("Needs"), _("High"), _("Longest"), _("Sequences"), _("Tok/s"), _("Reason")};
    struct grid *g = grid_new(keys, sizeof keys / sizeof keys[0]);
    size_t refused = 0;
    for (size_t i = 0; i < count; i++) {
        bool fits = rows[i].reason.code == REASON_NONE;
        refused += !fits;
        if (fits || every || format != GRID_TABLE)
            add_row(g, job, &rows[i], format == GRID_TABLE ? 3 : 4);
    }
    grid_headings(g, headings);
    if (every || refused < count || format != GRID_TABLE)
        grid_put(b, g, format, style);
    if (format == GRID_TABLE && !every && refused > 0) {
        struct buf line = {0};
        buf_printf(&line,
                   ngettext("%zu card does not hold it, with none of the counts tried (-v shows why).",
                            "%zu cards do not hold it, with none of the counts tried (-v shows why).",
                            (unsigned long)refused),
                   refused);
        buf_puts(b, refused < count ? "\n" : "");
        style_wrap(b, style, line.data, 0);
        buf_free(&line);
    }
    grid_free(g);
}

static void put_ways(struct json_out *j, const struct question *q, const struct fit_row *r) {
    const struct candidate c = {.e = r->e, .shape = r->shape};
    struct serving_ways w;

    serving_ways(q, &c, &w);
    ways_json(j, q, &w);
}

void fit_json(struct buf *b, const struct question *q, const struct fit_row *rows, size_t count) {
    const struct job *job = q->job;
    struct json_out j = {.b = b};
    json_out_object(&j, NULL);
    json_out_array(&j, "machines");
    for (size_t i = 0; i < count; i++) {
        const struct fit_row *r = &rows[i];
        json_out_object(&j, NULL);
        json_out_text(&j, "gpu", r->shape.gpu->name);
        json_out_number(&j, "gpus", r->shape.gpus);
        json_out_number(&j, "nodes", r->shape.nodes);
        json_out_text(&j, "link", link_name(r->shape.gpus < 2 ? LINK_NONE : r->shape.link));
        json_out_text(&j, "fit", r->reason.code == REASON_NONE ? fit_name(r->e.fit) : "no");
        reason_json(&j, &r->reason);
        json_out_number(&j, "fits_from_gpus", r->fits_from > 0 ? r->fits_from : NUM_UNKNOWN);
        layout_json(&j, &r->e.layout);
        weights_json(&j, job, r->shape.gpu);
        memory_json(&j, job, &r->e);
        json_out_range(&j, "run_h", r->e.run_h);
        speed_json(&j, job, &r->e);
        json_out_text(&j, "limited_by", limiter_name(r->e.limited_by));
        put_ways(&j, q, r);
        if (r->has_lighter) {
            json_out_object(&j, "one_gpu");
            json_out_text(&j, "changes", r->lighter.changes);
            json_out_text(&j, "fit", fit_name(r->lighter.e.fit));
            json_out_range(&j, "gib", r->lighter.e.memory_gib);
            json_out_number(&j, "host_gb", r->lighter.e.host_gb);
            json_out_range(&j, "run_h", r->lighter.e.run_h);
            json_out_end(&j, '}');
        } else if (r->lighter.refused.code != REASON_NONE) {
            json_out_object(&j, "one_gpu_refused");
            json_out_text(&j, "changes", r->lighter.changes);
            reason_json(&j, &r->lighter.refused);
            json_out_end(&j, '}');
        }
        json_out_end(&j, '}');
    }
    json_out_end(&j, ']');
    json_out_end(&j, '}');
}
