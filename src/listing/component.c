/* SPDX-License-Identifier: MIT */
#include "listing/component.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/num.h"

/* Of each GPU: enough to feed it and to load its memory once and a half. Judgement; what is ordered is up to the user. */
enum { VCPUS_EACH = 8, COUNT_MOST = 16 };
static const double part_most_usd_h = 1000; /* as the fields vcpu_usd_h and ram_gb_usd_h */
static const double ram_per_vram = 1.5, ram_min_gb = 32;

void component_choose_host(struct reader *r, struct offer *f, double vram_gb, double max_vcpus, double max_ram_gb) {
    char note[96];
    double vcpus = VCPUS_EACH * f->gpus, ram = num_known(vram_gb) ? ceil(vram_gb * f->gpus * ram_per_vram) : ram_min_gb;
    if (ram < ram_min_gb)
        ram = ram_min_gb;
    if (max_vcpus >= 1 && vcpus > max_vcpus)
        vcpus = max_vcpus;
    if (max_ram_gb >= 1 && ram > max_ram_gb)
        ram = max_ram_gb;
    f->cpu_cores = (float)vcpus;
    f->ram_gb = (float)ram;
    snprintf(note, sizeof note, "sold by component; host of %g vCPUs and %g GB chosen here", vcpus, ram);
    f->notes = reader_put(r, note);
    f->flags |= OFFER_UNIT_GUESS;
}

void component_settle(struct reader *r, struct offer *f, double gpus_usd_h, double vcpu_usd_h, double ram_gb_usd_h) {
    struct offer_extra *x = offer_extra_edit(r->out, f);
    x->vcpu_usd_h = vcpu_usd_h <= part_most_usd_h ? vcpu_usd_h : NUM_UNKNOWN;
    x->ram_gb_usd_h = ram_gb_usd_h <= part_most_usd_h ? ram_gb_usd_h : NUM_UNKNOWN;
    f->rate_basis = RATE_COMPONENT;
    double host = offer_host_part(r->out, f);
    f->rate_microusd = money_micro(gpus_usd_h + host);
    if (!num_known(host)) {
        f->rate_microusd = money_micro(gpus_usd_h);
        f->flags |= OFFER_COMPONENT_PART;
    }
}

double component_size_of_id(const char *id) {
    const char *dash = strrchr(id, '-');
    double gb;
    size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
    if (digits == 0 || strcmp(dash + 1 + digits, "gb") != 0 || !num_parse_plain(dash + 1, digits, &gb))
        return NUM_UNKNOWN;
    return gb;
}

int component_next_count(int count, int most) {
    if (most > COUNT_MOST)
        most = COUNT_MOST;
    if (count >= most)
        return 0;
    int next = count > 0 ? count * 2 : 1;
    return next < most ? next : most;
}
