/* SPDX-License-Identifier: MIT */
/* Tables of what the program knows, one function a topic. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "gpuplan/base/csv.h"
#include "gpuplan/base/data.h"
#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/listing/source.h"

#define GRID(...)                                    \
    static const char *const keys[] = {__VA_ARGS__}; \
    struct grid *g = grid_new(keys, sizeof keys / sizeof keys[0])

static double or_unknown(double x) {
    return x > 0 ? x : NUM_UNKNOWN;
}

static struct grid *list_gpus(struct cli *c) {
    GRID("gpu", "vendor", "arch", "form", "vram_gb", "usable_gib", "mem_gbs", "bf16_tflops", "fp16_tflops",
         "fp8_tflops", "pcie_gen", "nvlink_gbs", "tdp_w", "cc", "year");
    if (!cli_need_hardware(c))
        return g;
    for (size_t i = 0; i < catalog_gpu_count(c->catalog); i++) {
        const struct gpu *x = catalog_gpu(c->catalog, i);
        grid_add(g, x->name);
        grid_add(g, x->vendor);
        grid_add(g, x->arch);
        grid_add(g, gpu_form_name(x->form));
        const double numbers[] = {x->vram_gb,     x->vram_gib_usable,    x->mem_bw_gbs, x->bf16_tflops,
                                  x->fp16_tflops, x->fp8_tflops,         x->pcie_gen,   gpu_nvlink_gbs(x),
                                  x->tdp_w,       x->compute_capability, x->launch_year};
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            grid_add_number(g, or_unknown(numbers[k]), 6);
    }
    return g;
}

static struct grid *list_models(struct cli *c) {
    GRID("model", "params_b", "active_b", "layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab",
         "experts", "experts_active", "max_positions");
    if (!cli_need_models(c))
        return g;
    for (size_t i = 0; i < models_count(c->models); i++) {
        const struct model *m = models_at(c->models, i);
        struct model_counts n = model_count(m);
        grid_add(g, m->name);
        grid_add_number(g, n.total / 1e9, 4);
        grid_add_number(g, n.active / 1e9, 4);
        const int numbers[] = {m->layers, m->hidden, m->heads,   m->kv_heads,       m->head_dim,
                               m->ffn,    m->vocab,  m->experts, m->experts_active, m->max_positions};
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            grid_add_number(g, or_unknown(numbers[k]), 9);
    }
    return g;
}

static struct grid *list_presets(struct cli *c) {
    GRID("preset", "about");
    size_t count;
    const char *const *names = preset_names(&count);
    (void)c;
    for (size_t i = 0; i < count; i++) {
        grid_add(g, names[i]);
        grid_add(g, _(preset_about(names[i])));
    }
    return g;
}

static struct grid *list_links(struct cli *c) {
    GRID("link", "ring_low_gbs", "ring_gbs", "ring_high_gbs", "allreduce_gbs", "latency_us", "note", "source");
    if (!cli_need_hardware(c))
        return g;
    for (size_t i = 0; i < catalog_link_count(c->catalog); i++) {
        const struct link_row *r = catalog_link_at(c->catalog, i);
        grid_add(g, r->key);
        grid_add_range(g, r->ring_gbs);
        grid_add_number(g, r->allreduce_gbs.expected, 6);
        grid_add_number(g, r->latency_s * 1e6, 6);
        grid_add(g, r->note);
        grid_add(g, r->source);
    }
    return g;
}

static struct grid *list_machines(struct cli *c) {
    GRID("provider", "machine", "gpu", "gpus", "link", "vcpus", "ram_gib", "disk_gb", "network", "network_gbps",
         "source");
    if (!cli_need_hardware(c))
        return g;
    for (size_t i = 0; i < catalog_machine_count(c->catalog); i++) {
        const struct machine *m = catalog_machine_at(c->catalog, i);
        grid_add(g, m->provider);
        grid_add(g, m->type);
        grid_add(g, m->gpu ? m->gpu->name : "");
        grid_add_number(g, m->gpus, 6);
        grid_add(g, link_name(m->link));
        grid_add_number(g, m->vcpus, 6);
        grid_add_number(g, m->ram_gib, 6);
        grid_add_number(g, m->disk_local_gb, 6);
        grid_add(g, network_name(m->network));
        grid_add_number(g, m->network_gbps, 6);
        grid_add(g, m->source);
    }
    return g;
}

static struct grid *list_providers(struct cli *c) {
    GRID("provider", "name", "class", "billing_step_s", "min_charge_h", "boot_min", "inet_gbps", "disk_usd_gb_month",
         "egress_usd_gb", "source", "date");
    if (!cli_need_hardware(c))
        return g;
    for (size_t i = 0; i < providers_count(c->providers); i++) {
        const struct provider *p = providers_at(c->providers, i);
        grid_add(g, p->key);
        grid_add(g, p->name);
        grid_add(g, host_class_name(p->host_class));
        const double numbers[] = {p->billing_step_s, p->min_charge_h,      p->boot_min,
                                  p->inet_gbps,      p->disk_usd_gb_month, p->egress_usd_gb};
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            grid_add_number(g, numbers[k], 6);
        grid_add(g, p->source);
        grid_add(g, p->date);
    }
    return g;
}

static struct grid *list_sources(struct cli *c) {
    GRID("source", "kind", "label", "about");
    size_t count;
    const struct listing_source *sources = listing_sources(&count);
    if (!cli_need_mappings(c))
        return g;
    for (size_t i = 0; i < count; i++) {
        grid_add(g, sources[i].name);
        grid_add(g, "code");
        grid_add(g, _(sources[i].label));
        grid_add(g, _(sources[i].about));
    }
    for (size_t i = 0; i < mappings_count(c->mappings); i++) {
        const struct mapping *m = mappings_at(c->mappings, i);
        grid_add(g, mapping_name(m));
        grid_add(g, *mapping_file(m) ? mapping_file(m) : "mapping");
        grid_add(g, mapping_label(m));
        grid_add(g, mapping_about(m));
    }
    return g;
}

static void add_allowed(struct grid *g, const struct field *f) {
    struct buf b = {0};
    if (f->type == FIELD_WORD)
        for (int i = 0; f->words && f->words[i]; i++)
            buf_printf(&b, "%s%s", i ? " " : "", f->words[i]);
    else if (f->type == FIELD_NUMBER || f->type == FIELD_INTEGER)
        buf_printf(&b, "%g..%g", f->min, f->max);
    else if (f->type == FIELD_BOOL)
        buf_puts(&b, "yes no");
    grid_add(g, b.data);
    buf_free(&b);
}

static struct grid *list_fields(struct cli *c) {
    static const char *const groups[] = {"task", "model", "training", "inference", "measured", "layout", "limits"};
    GRID("field", "group", "allowed", "help");
    (void)c;
    for (int i = 0; i < FIELD_COUNT; i++) {
        const struct field *f = &field_table()[i];
        grid_add(g, f->name);
        grid_add(g, groups[f->group]);
        add_allowed(g, f);
        grid_add(g, _(f->help));
    }
    return g;
}

static struct grid *list_assumptions(struct cli *c) {
    GRID("key", "low", "expected", "high", "unit", "provenance", "source");
    if (!cli_need_assumptions(c))
        return g;
    for (int i = 0; i < ASSUME_COUNT; i++) {
        const struct assumption *a = &assume_table()[i];
        grid_add(g, a->key);
        grid_add_range(g, c->assumptions.v[i]);
        grid_add(g, a->unit);
        grid_add(g, provenance_name((enum provenance)c->assumptions.source[i]));
        grid_add(g, a->source);
    }
    return g;
}

static struct grid *list_columns(struct cli *c) {
    GRID("column", "heading", "about");
    size_t count;
    const struct column *columns = column_table(&count);
    (void)c;
    for (size_t i = 0; i < count; i++) {
        grid_add(g, columns[i].key);
        grid_add(g, columns[i].label ? _(columns[i].label) : "");
        grid_add(g, _(columns[i].about));
    }
    return g;
}

static struct grid *list_filter(struct cli *c) {
    GRID("word");
    size_t count;
    const char *const *words = filter_words(&count);
    (void)c;
    for (size_t i = 0; i < count; i++)
        grid_add(g, words[i]);
    return g;
}

static struct grid *list_engines(struct cli *c) {
    GRID("engine", "year_from", "year_to", "splits", "formats", "min_cc", "source");
    struct blob blob;
    struct err err = {0};
    if (!data_overlaid("engines.csv", &blob) && !data_builtin("engines.csv", &blob))
        return g;
    struct csv_table *t = csv_table_read(blob.bytes, blob.len, "engines.csv", &err);
    if (!t) {
        cli_fail(c, &err);
        return g;
    }
    for (size_t r = 0; r < csv_table_rows(t); r++)
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
            grid_add(g, csv_table_cell(t, r, k == 0 ? 0 : csv_table_column(t, keys[k])));
    csv_table_free(t);
    return g;
}

static struct grid *list_actions(struct cli *c) {
    GRID("action", "keys", "screens", "help");
    struct cli_action a;
    for (size_t i = 0; c->above->action && c->above->action(i, &a); i++) {
        grid_add(g, a.name);
        grid_add(g, a.keys);
        grid_add(g, a.screens);
        grid_add(g, _(a.help));
    }
    return g;
}

#define TOPICS(T)                                                                                               \
    T(gpus)                                                                                                     \
    T(models)                                                                                                   \
    T(presets)                                                                                                  \
    T(links)                                                                                                    \
    T(machines) T(providers) T(sources) T(endpoints) T(snapshots) T(fields) T(assumptions) T(columns) T(filter) \
        T(engines) T(actions)
#define TOPIC_NAME(name) #name,
#define TOPIC_LIST(name) list_##name,
static const char *const topic_names[] = {TOPICS(TOPIC_NAME)};
static struct grid *(*const topic_lists[])(struct cli *) = {TOPICS(TOPIC_LIST)};
enum { TOPIC_COUNT = sizeof topic_names / sizeof topic_names[0] };

const char *const *list_topics(size_t *count) {
    *count = TOPIC_COUNT;
    return topic_names;
}

static int fail_topic(struct cli *c, const char *word) {
    struct err err = {0};
    char shown[80];
    text_clean(shown, sizeof shown, word, strlen(word));
    const char *near = text_nearest(shown, topic_names, TOPIC_COUNT);
    if (near)
        err_set(&err, ERR_USAGE, "unknown topic \"%s\", did you mean \"%s\"?", shown, near);
    else
        err_set(&err, ERR_USAGE, "unknown topic \"%s\"; `gpuplan list --help` names them", shown);
    cli_fail(c, &err);
    return c->status;
}

int cmd_list(struct cli *c) {
    const char *word = c->args.words[0];
    for (int i = 0; i < TOPIC_COUNT; i++) {
        if (strcmp(word, topic_names[i]) != 0)
            continue;
        struct grid *g = topic_lists[i](c);
        struct buf b = {0};
        struct style style = c->style;
        if (!isatty(STDOUT_FILENO) || args_has(&c->args, OPTION_OUTPUT))
            style.width = 0; /* one line a row, for grep */
        grid_put(&b, g, (enum grid_format)c->format, &style);
        int status = c->status == STATUS_DONE ? cli_write(c, &b, STATUS_DONE) : c->status;
        buf_free(&b);
        grid_free(g);
        return status;
    }
    return fail_topic(c, word);
}
