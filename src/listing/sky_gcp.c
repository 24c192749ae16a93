/* SPDX-License-Identifier: MIT */
/*
 * GCP in the SkyPilot catalogue: rows without a machine type price only the GPUs, rows of the machine types only the host. A
 * machine is the sum of both in one zone. A price of GPUs alone never becomes an offer.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "listing/skypilot.h"

/*
 * Which host carries how many of which card. Accelerator-optimised types are fixed; N1 takes attached cards, with limits on
 * vCPUs per card that 8 a card meets for all of them (Google Cloud documentation, "GPU machine types", 2026).
 */
static const struct {
    const char *card;
    int count;
    const char *host;
    const char *attached; /* name of the card in the machine's name, when it is attached */
} gcp_machines[] = {
    {"A100", 1, "a2-highgpu-1g", NULL},       {"A100", 2, "a2-highgpu-2g", NULL},
    {"A100", 4, "a2-highgpu-4g", NULL},       {"A100", 8, "a2-highgpu-8g", NULL},
    {"A100", 16, "a2-megagpu-16g", NULL},     {"A100-80GB", 1, "a2-ultragpu-1g", NULL},
    {"A100-80GB", 2, "a2-ultragpu-2g", NULL}, {"A100-80GB", 4, "a2-ultragpu-4g", NULL},
    {"A100-80GB", 8, "a2-ultragpu-8g", NULL}, {"H100", 1, "a3-highgpu-1g", NULL},
    {"H100", 2, "a3-highgpu-2g", NULL},       {"H100", 4, "a3-highgpu-4g", NULL},
    {"H100", 8, "a3-highgpu-8g", NULL},       {"H100-MEGA", 8, "a3-megagpu-8g", NULL},
    {"H200", 8, "a3-ultragpu-8g", NULL},      {"B200", 8, "a4-highgpu-8g", NULL},
    {"GB200", 4, "a4x-highgpu-4g", NULL},     {"L4", 1, "g2-standard-4", NULL},
    {"L4", 1, "g2-standard-8", NULL},         {"L4", 1, "g2-standard-12", NULL},
    {"L4", 1, "g2-standard-16", NULL},        {"L4", 1, "g2-standard-32", NULL},
    {"L4", 2, "g2-standard-24", NULL},        {"L4", 4, "g2-standard-48", NULL},
    {"L4", 8, "g2-standard-96", NULL},        {"T4", 1, "n1-standard-8", "t4"},
    {"T4", 2, "n1-standard-16", "t4"},        {"T4", 4, "n1-standard-32", "t4"},
    {"P4", 1, "n1-standard-8", "p4"},         {"P4", 2, "n1-standard-16", "p4"},
    {"P4", 4, "n1-standard-32", "p4"},        {"P100", 1, "n1-standard-8", "p100"},
    {"P100", 2, "n1-standard-16", "p100"},    {"P100", 4, "n1-standard-32", "p100"},
    {"V100", 1, "n1-standard-8", "v100"},     {"V100", 2, "n1-standard-16", "v100"},
    {"V100", 4, "n1-standard-32", "v100"},    {"V100", 8, "n1-standard-64", "v100"},
};
enum { GCP_MACHINE_COUNT = sizeof gcp_machines / sizeof *gcp_machines };

static bool is_host(const char *machine) {
    for (size_t i = 0; i < GCP_MACHINE_COUNT; i++)
        if (strcmp(gcp_machines[i].host, machine) == 0)
            return true;
    return false;
}

void sky_keep_host(struct sky *s, const struct sky_row *row) {
    if (!is_host(reader_str(&s->base, row->machine)))
        return;
    s->hosts = mem_grow(s->hosts, &s->host_cap, s->host_count + 1, sizeof *s->hosts);
    s->hosts[s->host_count++] =
        (struct sky_host){row->machine, row->zone, row->vcpus, row->ram_gib, row->rate, row->spot};
}

void sky_keep_part(struct sky *s, const struct sky_row *row) {
    s->parts = mem_grow(s->parts, &s->part_cap, s->part_count + 1, sizeof *s->parts);
    s->parts[s->part_count++] = (struct sky_part){*row, row->info->size_mib, s->base.line, s->base.record};
    s->parts[s->part_count - 1].row.info = NULL;
}

static void index_hosts(struct sky *s, struct idmap *by_place) {
    for (size_t i = 0; i < s->host_count; i++)
        *idmap_at(by_place, (uint64_t)s->hosts[i].machine << 32 | s->hosts[i].zone) = (uint32_t)i;
}

static const struct sky_host *find_host(struct sky *s, struct idmap *by_place, const char *machine, uint32_t zone) {
    uint32_t id = intern_find(s->base.out->text, machine, strlen(machine));
    if (id == UINT32_MAX)
        return NULL;
    uint32_t at = *idmap_at(by_place, (uint64_t)id << 32 | zone);
    return at == UINT32_MAX ? NULL : &s->hosts[at];
}

static void add_joined(struct sky *s, const struct sky_part *part, const struct sky_host *host, const char *attached) {
    char name[96];
    const struct gpu_info info = {round(part->size_mib), NUM_UNKNOWN, ""};
    struct sky_row row = part->row;
    const char *machine = reader_str(&s->base, host->machine);
    if (attached)
        snprintf(name, sizeof name, "%s + %dx nvidia-tesla-%s", machine, (int)row.count, attached);
    else
        snprintf(name, sizeof name, "%s", machine);
    row.machine = reader_put(&s->base, name);
    row.vcpus = host->vcpus;
    row.ram_gib = host->ram_gib;
    row.rate += host->rate; /* one of them unknown: the sum is */
    row.spot += host->spot;
    row.info = &info;
    sky_add(s, &row);
}

void sky_join_parts(struct sky *s) {
    struct idmap by_place = {0};
    index_hosts(s, &by_place);
    for (size_t i = 0; i < s->part_count; i++) {
        const struct sky_part *part = &s->parts[i];
        const char *card = reader_str(&s->base, part->row.card);
        size_t joined = 0;
        s->base.line = part->line;
        s->base.record = part->record;
        for (size_t k = 0; k < GCP_MACHINE_COUNT; k++) {
            if (part->row.count != gcp_machines[k].count || strcmp(card, gcp_machines[k].card) != 0)
                continue;
            const struct sky_host *host = find_host(s, &by_place, gcp_machines[k].host, part->row.zone);
            if (host)
                add_joined(s, part, host, gcp_machines[k].attached);
            joined += host != NULL;
        }
        if (joined == 0)
            reader_problem(&s->base, "Price", true,
                           "price of the GPUs alone, and no host that carries them in this zone");
    }
    idmap_free(&by_place);
}
