/* SPDX-License-Identifier: MIT */
/* Hardware alone: every card of the listings or of the catalogue, or one machine put together on the command line. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"

struct wanted {
    int gpus, nodes; /* 0 = try the usual counts */
    double ram_gb;
    enum link_kind link; /* LINK_NONE = by the card */
    enum network_kind network;
};

static struct shape make_shape(const struct gpu *g, int gpus, const struct wanted *w) {
    struct shape s = {.gpu = g, .gpus = gpus, .nodes = w->nodes > 0 ? w->nodes : 1, .vram_gib = g->vram_gib_usable};
    bool stated = w->link != LINK_NONE;
    s.power_limit_w = s.link_gbs = s.network_gbps = NUM_UNKNOWN;
    s.link = gpus < 2 ? LINK_NONE : stated ? w->link : link_by_product(g, gpus);
    s.link_source = stated ? PROVENANCE_DECLARED : PROVENANCE_INFERRED;
    s.network = s.nodes > 1 ? w->network : NETWORK_NONE;
    s.network_source = PROVENANCE_DECLARED;
    return s;
}

/* The first layout of the set that the machine's RAM allows. */
static void choose(const struct estimate_set *set, double ram_gb, struct fit_row *out) {
    out->e = set->e[0];
    out->reason = set->e[0].reason;
    for (int i = 0; i < set->count; i++) {
        if (set->e[i].fit == FIT_NO)
            continue;
        out->e = set->e[i];
        if (!num_known(ram_gb) || set->e[i].host_gb <= ram_gb) {
            out->reason = (struct reason){REASON_NONE, NUM_UNKNOWN, NUM_UNKNOWN, ""};
            return;
        }
        out->reason = (struct reason){REASON_HOST_MEMORY, set->e[i].host_gb, ram_gb, "host_gb"};
    }
}

static bool evaluate(const struct cli *c, const struct gpu *g, int gpus, const struct wanted *w, struct fit_row *out) {
    struct estimate_set set;
    memset(out, 0, sizeof *out);
    out->shape = make_shape(g, gpus, w);
    estimate_search(c->catalog, &c->job, &out->shape, &c->assumptions, &set);
    choose(&set, w->ram_gb, out);
    bool runs = out->reason.code != REASON_CAPABILITY && out->reason.code != REASON_DIVISIBILITY;
    out->e.max_seq_len =
        runs ? estimate_max_seq_len(c->catalog, &c->job, &out->shape, &out->e.layout, &c->assumptions) : 0;
    out->fits_from = out->reason.code == REASON_NONE ? gpus * out->shape.nodes : 0;
    return out->reason.code == REASON_NONE;
}

/* Of fewer such cards in one machine, the smallest count that holds the job too: the rest is speed. */
static int least_count(const struct cli *c, const struct gpu *g, const struct wanted *w, const struct fit_row *all) {
    struct fit_row fewer;
    for (int n = 1; all->fits_from > 0 && w->nodes <= 1 && n < w->gpus; n++)
        if (evaluate(c, g, n, w, &fewer))
            return n;
    return all->fits_from;
}

/* With no count given: the smallest of the usual ones that fits, else the largest with its reason. */
static void find_count(const struct cli *c, const struct gpu *g, const struct wanted *w, struct fit_row *out) {
    static const int counts[] = {1, 2, 3, 4, 5, 6, 7, 8};
    if (w->gpus > 0) {
        evaluate(c, g, w->gpus, w, out);
        out->fits_from = least_count(c, g, w, out);
    } else
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            if (evaluate(c, g, counts[i], w, out))
                break;
    bool worth = out->fits_from != 1 && out->reason.code != REASON_CAPABILITY;
    out->has_lighter = worth && lighten_to_one(c->catalog, &c->job, &out->shape, &c->assumptions, w->ram_gb, &out->lighter);
}

static bool is_listed(const struct cli *c, const struct gpu *g) {
    if (!c->offers)
        return true;
    int index = catalog_gpu_index(c->catalog, g);
    for (size_t i = 0; i < c->offers->count; i++)
        if (c->offers->items[i].gpu == index)
            return true;
    return false;
}

const struct gpu *cli_named_card(struct cli *c, const char *name) {
    struct err err = {0};
    struct gpu_match m = catalog_gpu_resolve(c->catalog, name, NUM_UNKNOWN, GPU_FORM_UNKNOWN);
    if (m.gpu && !m.ambiguous)
        return m.gpu;
    char shown[80];
    text_clean(shown, sizeof shown, name, strlen(name));
    const char *near = catalog_gpu_nearest(c->catalog, shown);
    if (m.candidate_count > 1)
        err_set(&err, ERR_USAGE, "--gpu: \"%s\" may be %s or %s: say which", shown, m.candidates[0]->name,
                m.candidates[1]->name);
    else if (near)
        err_set(&err, ERR_USAGE, "--gpu: unknown card \"%s\", did you mean %s?", shown, near);
    else
        err_set(&err, ERR_USAGE, "--gpu: unknown card \"%s\"; `gpuplan list gpus` shows them", shown);
    cli_fail(c, &err);
    return NULL;
}

/* PCIe is let through everywhere: patched drivers give GeForce cards what they lack. */
static bool can_have(const struct gpu *g, enum link_kind kind, int gpus) {
    int few = gpus > 1 ? gpus : 2, many = gpus > 1 ? gpus : 8;
    return kind == LINK_PCIE || kind == LINK_PCIE_HOST || kind == LINK_UNKNOWN || link_possible(g, kind, few) ||
           link_possible(g, kind, many);
}

bool cli_check_link(struct cli *c, const struct gpu *g, enum link_kind kind, int gpus) {
    struct buf allowed = {0};
    struct err err = {0};
    if (can_have(g, kind, gpus))
        return true;
    for (int k = 0; k < LINK_NONE; k++)
        if (can_have(g, (enum link_kind)k, gpus))
            buf_printf(&allowed, "%s%s", allowed.len > 0 ? ", " : "", link_name((enum link_kind)k));
    err_set(&err, ERR_USAGE, "--link: %s cards cannot have %s; allowed are %s", g->name, link_name(kind), allowed.data);
    buf_free(&allowed);
    return cli_fail(c, &err);
}

static bool parse_wanted(struct cli *c, struct wanted *w) {
    double gpus, nodes;
    const char *link = args_text(&c->args, OPTION_LINK, NULL),
               *network = args_text(&c->args, OPTION_NETWORK, "unknown");
    if (!cli_number(c, OPTION_GPUS, 0, 1, 1024, &gpus) || !cli_number(c, OPTION_NODES, 0, 1, 1024, &nodes) ||
        !cli_number(c, OPTION_RAM, NUM_UNKNOWN, 0, 1e7, &w->ram_gb))
        return false;
    w->gpus = (int)gpus;
    w->nodes = (int)nodes;
    w->link = link ? (enum link_kind)link_find(link) : LINK_NONE;
    w->network = (enum network_kind)network_find(network);
    return true;
}

static int by_memory(const void *pa, const void *pb) {
    const struct fit_row *a = pa, *b = pb;
    if (a->shape.vram_gib < b->shape.vram_gib || a->shape.vram_gib > b->shape.vram_gib)
        return a->shape.vram_gib < b->shape.vram_gib ? -1 : 1;
    return strcmp(a->shape.gpu->name, b->shape.gpu->name);
}

static size_t fill(const struct cli *c, const struct gpu *only, const struct wanted *w, struct fit_row *rows) {
    size_t n = 0;
    for (size_t i = 0; i < catalog_gpu_count(c->catalog); i++) {
        const struct gpu *g = catalog_gpu(c->catalog, i);
        if (only ? g == only : g->cls == GPU_CLASS_GPU && is_listed(c, g))
            find_count(c, g, w, &rows[n++]);
    }
    qsort(rows, n, sizeof *rows, by_memory);
    return n;
}

static void put(const struct cli *c, const struct fit_row *rows, size_t count, bool one, struct buf *b) {
    if (c->format == FORMAT_JSON)
        fit_json(b, &c->question, rows, count);
    else if (one && count == 1 && c->format == FORMAT_TABLE)
        fit_text(b, &c->question, rows, &c->style);
    else
        fit_table(b, &c->job, rows, count, one || args_has(&c->args, OPTION_VERBOSE), (enum grid_format)c->format,
                  &c->style);
}

int cmd_fit(struct cli *c) {
    struct wanted w;
    const struct gpu *only = NULL;
    const char *name = args_text(&c->args, OPTION_GPU, NULL);
    double top;
    if (!parse_wanted(c, &w) || !cli_number(c, OPTION_TOP, 0, 0, 1e9, &top) || !cli_need_hardware(c) ||
        !cli_need_job(c) || !cli_need_assumptions(c))
        return c->status;
    if ((name && !(only = cli_named_card(c, name))) || (args_has(&c->args, OPTION_LISTINGS) && !cli_need_offers(c)))
        return c->status;
    if (only && w.link != LINK_NONE && !cli_check_link(c, only, w.link, w.gpus))
        return c->status;
    c->question = (struct question){.catalog = c->catalog, .job = &c->job, .assumptions = &c->assumptions};
    struct fit_row *rows = mem_zero(catalog_gpu_count(c->catalog) + 1, sizeof *rows);
    size_t count = fill(c, only, &w, rows);
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= rows[i].reason.code == REASON_NONE;
    if (top > 0 && (double)count > top)
        count = (size_t)top;
    struct buf b = {0};
    put(c, rows, count, only != NULL, &b);
    int status = cli_write(c, &b, any ? STATUS_DONE : STATUS_NOTHING_FITS);
    buf_free(&b);
    free(rows);
    return status;
}
