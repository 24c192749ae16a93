/* SPDX-License-Identifier: MIT */
#include "filter_words.h"

#include <math.h>
#include <string.h>

static const struct gpu *card(const struct filter_subject *s) {
    return s->offer->gpu >= 0 ? catalog_gpu(s->catalog, (size_t)s->offer->gpu) : NULL;
}

static double positive(double x) {
    return x > 0 ? x : NUM_UNKNOWN;
}

#define NUMBER(name, expression)                               \
    static double get_##name(const struct filter_subject *s) { \
        return (expression);                                   \
    }
#define TEXT(name, expression)                                      \
    static const char *get_##name(const struct filter_subject *s) { \
        return (expression);                                        \
    }
#define INTERNED(field) offers_text(s->offers, s->offer->field)

NUMBER(gpus, s->offer->gpus)
NUMBER(vram, offer_vram_gb(card(s), s->offer))
NUMBER(total_vram, offer_vram_gb(card(s), s->offer) * s->offer->gpus)
NUMBER(rate, offer_rate_usd_h(s->offer))
NUMBER(rate_gpu, offer_rate_usd_h(s->offer) / s->offer->gpus)
NUMBER(spot, positive((double)s->offer->spot_microusd / 1e6))
NUMBER(ram, (double)s->offer->ram_gb)
NUMBER(cores, (double)s->offer->cpu_cores)
NUMBER(disk, (double)s->offer->disk_local_gb)
NUMBER(link_gbs, (double)s->offer->link_gbs)
NUMBER(network_gbps, (double)s->offer->network_gbps)
NUMBER(nodes, positive(s->offer->nodes_max))
NUMBER(pcie_gen, positive(s->offer->pcie_gen))
NUMBER(pcie_lanes, positive(s->offer->pcie_lanes))
NUMBER(fraction, (double)s->offer->gpu_fraction)
NUMBER(reliability, offer_extra(s->offers, s->offer)->reliability)
NUMBER(inet_down, offer_extra(s->offers, s->offer)->inet_down_mbps)
NUMBER(cuda, offer_extra(s->offers, s->offer)->cuda_max)
NUMBER(duration, offer_extra(s->offers, s->offer)->max_duration_h)
NUMBER(min_hours, offer_extra(s->offers, s->offer)->min_hours)
NUMBER(cc, card(s) ? positive(card(s)->compute_capability) : NUM_UNKNOWN)
NUMBER(year, card(s) ? (double)card(s)->launch_year : NUM_UNKNOWN)
TEXT(id, INTERNED(id))
TEXT(provider, INTERNED(provider))
TEXT(machine, INTERNED(machine))
TEXT(region, INTERNED(region))
TEXT(source, INTERNED(source))
TEXT(gpu, card(s) ? card(s)->name : INTERNED(gpu_raw))
TEXT(raw, INTERNED(gpu_raw))
TEXT(vendor, card(s) ? card(s)->vendor : "unknown")
TEXT(arch, card(s) ? card(s)->arch : "unknown")
TEXT(form, gpu_form_name((enum gpu_form)s->offer->form))
TEXT(link, link_name((enum link_kind)s->offer->link))
TEXT(network, network_name((enum network_kind)s->offer->network))
TEXT(kind, rate_kind_name((enum rate_kind)s->offer->rate_kind))
TEXT(basis, rate_basis_name((enum rate_basis)s->offer->rate_basis))
TEXT(host, host_class_name((enum host_class)s->offer->host_class))
TEXT(available, tri_name((enum tri)s->offer->available))
TEXT(access, access_name((enum access_kind)s->offer->access))
TEXT(environment, environment_name((enum environment_kind)s->offer->environment))

/* name, unit of the value, number, text */
#define WORDS(W)                                         \
    W("gpus", NUM_COUNT, get_gpus, NULL)                 \
    W("vram", NUM_GB_UNIT, get_vram, NULL)               \
    W("total_vram", NUM_GB_UNIT, get_total_vram, NULL)   \
    W("rate", NUM_USD, get_rate, NULL)                   \
    W("rate_gpu", NUM_USD, get_rate_gpu, NULL)           \
    W("spot", NUM_USD, get_spot, NULL)                   \
    W("ram", NUM_GB_UNIT, get_ram, NULL)                 \
    W("cores", NUM_COUNT, get_cores, NULL)               \
    W("disk", NUM_GB_UNIT, get_disk, NULL)               \
    W("link_gbs", NUM_PLAIN, get_link_gbs, NULL)         \
    W("network_gbps", NUM_PLAIN, get_network_gbps, NULL) \
    W("nodes", NUM_COUNT, get_nodes, NULL)               \
    W("pcie_gen", NUM_PLAIN, get_pcie_gen, NULL)         \
    W("pcie_lanes", NUM_PLAIN, get_pcie_lanes, NULL)     \
    W("fraction", NUM_SHARE, get_fraction, NULL)         \
    W("reliability", NUM_SHARE, get_reliability, NULL)   \
    W("inet_down", NUM_PLAIN, get_inet_down, NULL)       \
    W("cuda", NUM_PLAIN, get_cuda, NULL)                 \
    W("duration", NUM_HOURS, get_duration, NULL)         \
    W("min_hours", NUM_HOURS, get_min_hours, NULL)       \
    W("cc", NUM_PLAIN, get_cc, NULL)                     \
    W("year", NUM_PLAIN, get_year, NULL)                 \
    W("id", NUM_PLAIN, NULL, get_id)                     \
    W("provider", NUM_PLAIN, NULL, get_provider)         \
    W("machine", NUM_PLAIN, NULL, get_machine)           \
    W("region", NUM_PLAIN, NULL, get_region)             \
    W("source", NUM_PLAIN, NULL, get_source)             \
    W("gpu", NUM_PLAIN, NULL, get_gpu)                   \
    W("name", NUM_PLAIN, NULL, get_gpu)                  \
    W("raw", NUM_PLAIN, NULL, get_raw)                   \
    W("vendor", NUM_PLAIN, NULL, get_vendor)             \
    W("arch", NUM_PLAIN, NULL, get_arch)                 \
    W("form", NUM_PLAIN, NULL, get_form)                 \
    W("link", NUM_PLAIN, NULL, get_link)                 \
    W("network", NUM_PLAIN, NULL, get_network)           \
    W("kind", NUM_PLAIN, NULL, get_kind)                 \
    W("basis", NUM_PLAIN, NULL, get_basis)               \
    W("host", NUM_PLAIN, NULL, get_host)                 \
    W("available", NUM_PLAIN, NULL, get_available)       \
    W("access", NUM_PLAIN, NULL, get_access)             \
    W("environment", NUM_PLAIN, NULL, get_environment)

#define ROW(name, unit, number, text) {name, unit, number, text},
#define NAME(name, unit, number, text) name,
static const struct filter_word words[] = {WORDS(ROW)};
static const char *const word_names[] = {WORDS(NAME)};
enum { WORD_COUNT = sizeof words / sizeof words[0] };

const struct filter_word *filter_word_find(const char *name) {
    for (int i = 0; i < WORD_COUNT; i++)
        if (strcmp(words[i].name, name) == 0)
            return &words[i];
    return NULL;
}

const char *const *filter_words(size_t *count) {
    *count = WORD_COUNT;
    return word_names;
}
