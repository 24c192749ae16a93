/* SPDX-License-Identifier: MIT */
/* The same GPUs as copies of a model and as ranks of one server, side by side, with what speaks for and against each. */
#include "gpuplan/report/serving.h"

#include <math.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/report/json_out.h"
#include "gpuplan/report/report.h"
#include "gpuplan/report/sentence.h"

static bool same_layout(const struct layout *a, const struct layout *b) {
    return a->replicas == b->replicas && a->tp == b->tp && a->pp == b->pp && a->ep == b->ep && a->dp == b->dp;
}

static int copies_of(const struct layout *l) {
    return l->replicas * (l->ep > 1 ? 1 : l->dp);
}

void serving_ways(const struct question *q, const struct candidate *c, struct serving_ways *out) {
    out->chosen = -1;
    out->count = 0;
    if (q->job->task != TASK_INFERENCE || !c->shape.gpu || c->shape.gpus * c->shape.nodes < 2) {
        return;
    }
    out->count = estimate_copies(q->catalog, q->job, &c->shape, q->assumptions, out->e);
    for (int i = 0; i < out->count; i++) {
        if (same_layout(&out->e[i].layout, &c->e.layout)) {
            out->chosen = i;
        }
    }
}

void sentence_way(struct buf *b, const struct estimate *e) {
    const struct layout *l = &e->layout;
    int copies = copies_of(l), each = e->gpus / (copies > 0 ? copies : 1);

    if (each == 1) {
        buf_printf(b, ngettext("%d copy on one GPU", "%d copies on one GPU each", (unsigned long)copies), copies);
        return;
    }
    if (copies == 1) {
        buf_printf(b, _("one server over %d GPUs"), each);
    } else {
        buf_printf(b, _("%d copies over %d GPUs each"), copies, each);
    }
    const struct {
        const char *name;
        int value;
    } axes[] = {{"tp", l->tp}, {"ep", l->ep}, {"pp", l->pp}};
    const char *before = " (";
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        if (axes[i].value > 1) {
            buf_printf(b, "%s%s %d", before, axes[i].name, axes[i].value);
            before = ", ";
        }
    }
    buf_puts(b, strcmp(before, ", ") == 0 ? ")" : "");
}

/* What the choice is made by: requests a second at the targets, or tokens a second. */
static bool by_requests(const struct job *j) {
    return job_is_serving(j) &&
           (j->load == LOAD_RATE || num_known(j->ttft_ms) || num_known(j->itl_ms) || num_known(j->e2e_ms));
}

static double worth(const struct job *j, const struct estimate *e) {
    return by_requests(j) ? e->sustained_requests_per_s.expected : e->tokens_per_s.expected;
}

static void put_worth(struct buf *b, const struct job *j, const struct estimate *e) {
    char text[32];
    num_format(text, sizeof text, worth(j, e), by_requests(j) ? NUM_PLAIN : NUM_COUNT);
    buf_printf(b, by_requests(j) ? _("carries %s requests/s") : _("writes %s tokens/s"), text);
}

/* What it is slow for: the link of ranks, or the weights that every copy reads by itself. */
static void put_burden(struct buf *b, const struct estimate *e) {
    const double small = 0.02;
    if (e->comm_share > small) {
        buf_puts(b, "; ");
        buf_printf(b, _("%.0f %% of a step waits for the link"), e->comm_share * 100);
    }
}

static void put_less(struct buf *b, const struct job *j, const struct estimate *e, const struct estimate *chosen) {
    double mine = worth(j, e), best = worth(j, chosen);

    if (!(best > 0) || !(mine > 0)) {
        return;
    }
    buf_puts(b, "; ");
    if (mine < best) {
        buf_printf(b, _("%.0f %% less than the chosen way"), (1 - mine / best) * 100);
    } else if (e->fit < chosen->fit) {
        buf_puts(b, _("but memory is tight"));
    } else {
        buf_printf(b, _("%.0f %% more, too little for a harder layout"), (mine / best - 1) * 100);
    }
}

void sentence_way_verdict(struct buf *b, const struct job *j, const struct estimate *e, const struct estimate *chosen) {
    if (e->fit == FIT_NO) {
        sentence_reason(b, &e->reason);
        return;
    }
    if (!e->targets_met && (!chosen || chosen->targets_met)) {
        buf_puts(b, _("misses the latency targets under this load; "));
    } else if (e->overloaded && (!chosen || !chosen->overloaded)) {
        buf_puts(b, _("does not carry the load; "));
    }
    put_worth(b, j, e);
    put_burden(b, e);
    if (chosen && chosen != e) {
        put_less(b, j, e, chosen);
    }
}

static void add_row(struct grid *g, const struct job *j, const struct serving_ways *w, int i) {
    const struct estimate *e = &w->e[i], *chosen = w->chosen >= 0 ? &w->e[w->chosen] : NULL;
    bool fits = e->fit != FIT_NO;
    struct buf text = {0};

    sentence_way(&text, e);
    buf_puts(&text, i == w->chosen ? " *" : "");
    grid_add(g, text.data);
    grid_add_number(g, e->memory_gib.expected > 0 ? e->memory_gib.expected : NUM_UNKNOWN, 3);
    grid_add_number(g, fits ? e->ttft_ms.expected : NUM_UNKNOWN, 3);
    grid_add_number(g, fits ? e->itl_ms.expected : NUM_UNKNOWN, 3);
    buf_clear(&text);
    sentence_way_verdict(&text, j, e, chosen);
    grid_add(g, text.data);
    buf_free(&text);
}

void ways_table(struct buf *b, const struct question *q, const struct serving_ways *w, enum grid_format format,
                const struct style *style) {
    static const char *const keys[] = {"way", "gib", "ttft_ms", "itl_ms", "verdict"};
    const char *const headings[] = {_("Way"), _("GiB"), _("1st ms"), _("ms/tok"), _("Verdict")};
    struct grid *g = grid_new(keys, sizeof keys / sizeof keys[0]);

    grid_headings(g, headings);
    for (int i = 0; i < w->count; i++) {
        add_row(g, q->job, w, i);
    }
    grid_put(b, g, format, style);
    grid_free(g);
}

void ways_json(struct json_out *j, const struct question *q, const struct serving_ways *w) {
    const struct estimate *chosen = w->chosen >= 0 ? &w->e[w->chosen] : NULL;

    json_out_array(j, "ways");
    for (int i = 0; i < w->count; i++) {
        const struct estimate *e = &w->e[i];
        struct buf text = {0};
        json_out_object(j, NULL);
        sentence_way(&text, e);
        json_out_text(j, "way", text.data);
        buf_clear(&text);
        json_out_bool(j, "chosen", i == w->chosen);
        json_out_text(j, "fit", fit_name(e->fit));
        reason_json(j, &e->reason);
        layout_json(j, &e->layout);
        json_out_bool(j, "targets", e->targets_met && !e->overloaded);
        json_out_range(j, "memory_gib", e->memory_gib);
        speed_json(j, q->job, e);
        json_out_number(j, "communication_share", e->comm_share);
        sentence_way_verdict(&text, q->job, e, chosen);
        json_out_text(j, "verdict", text.data);
        json_out_end(j, '}');
        buf_free(&text);
    }
    json_out_end(j, ']');
}
