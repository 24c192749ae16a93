/* SPDX-License-Identifier: MIT */
/* The fields of our own format, in the order of the files. */
#include "listing/fields.h"

#include <stddef.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"

static const char *host_class_word(int v) {
    return host_class_name((enum host_class)v);
}

static const char *basis_word(int v) {
    return rate_basis_name((enum rate_basis)v);
}

static const char *kind_word(int v) {
    return rate_kind_name((enum rate_kind)v);
}

static const char *link_word(int v) {
    return link_name((enum link_kind)v);
}

static const char *network_word(int v) {
    return network_name((enum network_kind)v);
}

static const char *provenance_word(int v) {
    return provenance_name((enum provenance)v);
}

static const char *environment_word(int v) {
    return environment_name((enum environment_kind)v);
}

static const char *access_word(int v) {
    return access_name((enum access_kind)v);
}

static const char *tri_word(int v) {
    return tri_name((enum tri)v);
}

/* Spreadsheets write TRUE and FALSE. */
static int tri_find(const char *s) {
    static const struct {
        const char *word;
        enum tri value;
    } words[] = {{"yes", TRI_YES}, {"no", TRI_NO}, {"unknown", TRI_UNKNOWN}, {"true", TRI_YES}, {"false", TRI_NO},
                 {"1", TRI_YES},   {"0", TRI_NO}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_equal_fold(words[i].word, s))
            return (int)words[i].value;
    return -1;
}

#define AT(member) offsetof(struct offer, member)
#define XAT(member) offsetof(struct offer_extra, member)
#define TEXT(name, member) \
    { name, FIELD_TEXT, AT(member), NULL, NULL, 0, 0, 0, 0, false }
#define XTEXT(name, member) \
    { name, FIELD_X_TEXT, XAT(member), NULL, NULL, 0, 0, 0, 0, false }
#define WORD(name, member, find, word, unknown, words) \
    { name, FIELD_WORD, AT(member), find, word, 0, 0, unknown, words, false }
#define NUMBER(name, member, min, max) \
    { name, FIELD_FLOAT, AT(member), NULL, NULL, min, max, 0, 0, false }
#define XNUMBER(name, member, min, max) \
    { name, FIELD_X_NUMBER, XAT(member), NULL, NULL, min, max, 0, 0, false }

/* Limits are what hardware and price lists can hold with room to spare; they keep typing errors and overflow out. */
const struct field listing_field_table[] = {
    TEXT("id", id),
    TEXT("source", source),
    TEXT("provider", provider),
    WORD("host_class", host_class, host_class_find, host_class_word, HOST_CLASS_COUNT, HOST_CLASS_COUNT),
    TEXT("machine", machine),
    TEXT("machine_id", machine_id),
    {"gpu", FIELD_GPU, AT(gpu), NULL, NULL, 0, 0, -1, 0, false},
    TEXT("gpu_raw", gpu_raw),
    {"gpus", FIELD_COUNT, AT(gpus), NULL, NULL, 1, 4096, 0, 0, true},
    XNUMBER("gpus_step", gpus_step, 1, 4096),
    XNUMBER("gpus_max", gpus_max, 1, 100000),
    {"gpu_fraction", FIELD_FLOAT, AT(gpu_fraction), NULL, NULL, 0.001, 1, 0, 0, true},
    NUMBER("vram_gb", vram_gb, 0.1, 4096),
    {"form_factor", FIELD_FORM, AT(form), NULL, NULL, 0, 0, GPU_FORM_UNKNOWN, 0, false},
    XNUMBER("power_limit_w", power_limit_w, 10, 10000),
    {"rate_usd_h", FIELD_RATE, 0, NULL, NULL, 0, 1e6, 0, 0, true},
    {"rate_basis", FIELD_WORD, AT(rate_basis), rate_basis_find, basis_word, 0, 0, -1, RATE_BASIS_COUNT, true},
    {"rate_kind", FIELD_WORD, AT(rate_kind), rate_kind_find, kind_word, 0, 0, -1, RATE_KIND_COUNT, true},
    {"spot_usd_h", FIELD_SPOT, 0, NULL, NULL, 0, 1e6, 0, 0, false},
    XTEXT("currency", currency),
    XNUMBER("vcpu_usd_h", vcpu_usd_h, 0, 1000),
    XNUMBER("ram_gb_usd_h", ram_gb_usd_h, 0, 1000),
    XTEXT("price_includes", price_includes),
    WORD("link", link, link_find, link_word, LINK_UNKNOWN, LINK_COUNT),
    NUMBER("link_gbs", link_gbs, 0.01, 100000),
    WORD("link_source", link_source, provenance_find, provenance_word, PROVENANCE_UNKNOWN, PROVENANCE_COUNT),
    {"pcie_gen", FIELD_BYTE, AT(pcie_gen), NULL, NULL, 1, 8, 0, 0, false},
    {"pcie_lanes", FIELD_BYTE, AT(pcie_lanes), NULL, NULL, 1, 32, 0, 0, false},
    WORD("network", network, network_find, network_word, NETWORK_UNKNOWN, NETWORK_COUNT),
    NUMBER("network_gbps", network_gbps, 0.001, 1000000),
    WORD("network_source", network_source, provenance_find, provenance_word, PROVENANCE_UNKNOWN, PROVENANCE_COUNT),
    {"nodes_max", FIELD_COUNT, AT(nodes_max), NULL, NULL, 1, 65535, 0, 0, false},
    NUMBER("cpu_cores", cpu_cores, HOST_LEAST, CPU_CORES_MOST),
    XTEXT("cpu_arch", cpu_arch),
    NUMBER("ram_gb", ram_gb, HOST_LEAST, RAM_GB_MOST),
    NUMBER("disk_local_gb", disk_local_gb, 0, 1e8),
    XTEXT("disk_kind", disk_kind),
    XNUMBER("disk_mbs", disk_mbs, 0.1, 1e7),
    XNUMBER("disk_persist_gb", disk_persist_gb, 0, 1e9),
    XNUMBER("disk_usd_gb_month", disk_usd_gb_month, 0, 1000),
    XNUMBER("stopped_usd_h", stopped_usd_h, 0, 1e6),
    XNUMBER("ingress_usd_gb", ingress_usd_gb, 0, 1000),
    XNUMBER("egress_usd_gb", egress_usd_gb, 0, 1000),
    XNUMBER("inet_down_mbps", inet_down_mbps, 0.001, 1e8),
    XNUMBER("inet_up_mbps", inet_up_mbps, 0.001, 1e8),
    XNUMBER("min_hours", min_hours, 0, 1e6),
    XNUMBER("term_h", term_h, 0, 1e6),
    XNUMBER("upfront_usd", upfront_usd, 0, 1e9),
    XNUMBER("billing_step_s", billing_step_s, 0.001, 1e8),
    XNUMBER("max_duration_h", max_duration_h, 0.001, 1e7),
    WORD("environment", environment, environment_find, environment_word, ENVIRONMENT_UNKNOWN, ENVIRONMENT_COUNT),
    TEXT("region", region),
    WORD("available", available, tri_find, tri_word, TRI_UNKNOWN, TRI_YES + 1),
    {"available_count", FIELD_COUNT, AT(available_count), NULL, NULL, 0, 65535, 0, 0, false},
    WORD("access", access, access_find, access_word, ACCESS_UNKNOWN, ACCESS_COUNT),
    XNUMBER("reliability", reliability, 0, 1),
    XTEXT("driver", driver),
    XNUMBER("cuda_max", cuda_max, 1, 100),
    XNUMBER("compute_capability", compute_capability, 1, 100),
    {"observed_at", FIELD_TIME, AT(observed_at), NULL, NULL, 0, 0, 0, 0, false},
    {"expires_at", FIELD_X_TIME, XAT(expires_at), NULL, NULL, 0, 0, 0, 0, false},
    {"flags", FIELD_FLAGS, AT(flags), NULL, NULL, 0, 0, 0, 0, false},
    TEXT("notes", notes),
};

enum { FIELD_TABLE_COUNT = sizeof listing_field_table / sizeof *listing_field_table };

size_t listing_field_count(void) {
    return FIELD_TABLE_COUNT;
}

const struct field *listing_field_find(const char *name) {
    for (size_t i = 0; i < FIELD_TABLE_COUNT; i++)
        if (strcmp(listing_field_table[i].name, name) == 0)
            return &listing_field_table[i];
    return NULL;
}

const char *const *listing_fields(size_t *count) {
    static const char *names[FIELD_TABLE_COUNT];
    for (size_t i = 0; i < FIELD_TABLE_COUNT; i++)
        names[i] = listing_field_table[i].name;
    *count = FIELD_TABLE_COUNT;
    return names;
}
