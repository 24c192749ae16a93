/* SPDX-License-Identifier: MIT */
/* Collectors of price lists that name parts instead of machines. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/num.h"
#include "listing/component.h"
#include "listing/ocp.h"

static const double hours_of_month = 730;

bool ocp_settle_tensordock(struct ocp *c, const struct ocp_row *row, const cJSON *extra, struct offer *f) {
    double gb = component_size_of_id(row->type);
    f->vram_gb = (float)gb;
    component_choose_host(&c->sky.base, f, gb, row->vcpus, row->ram_gb);
    component_settle(&c->sky.base, f, row->price, json_number(extra, "per_vcpu_hr", NUM_UNKNOWN),
                     json_number(extra, "per_gb_ram_hr", NUM_UNKNOWN));
    double disk = json_number(extra, "per_gb_storage_hr", NUM_UNKNOWN);
    offer_extra_edit(c->sky.base.out, f)->disk_usd_gb_month = disk * hours_of_month;
    if (row->available_count >= 1 && row->available_count <= 4096) {
        f->available_count = (uint16_t)row->available_count; /* its answer counts the free cards of the place */
        offer_extra_edit(c->sky.base.out, f)->gpus_max = row->available_count;
    }
    return true;
}

bool ocp_settle_cudo(struct ocp *c, const struct ocp_row *row, const cJSON *extra, struct offer *f) {
    struct card card = reader_card(&c->sky.base, f->gpu_raw, NUM_UNKNOWN, form_of_text(row->type));
    const char *model = json_string(extra, "gpu_model_id", "");
    double gb = card.gpu >= 0 ? catalog_gpu(c->sky.base.ctx->catalog, (size_t)card.gpu)->vram_gb : NUM_UNKNOWN;
    if (strstr(model, "-32g") || strstr(model, "-80g") || strstr(model, "-40g"))
        gb = strstr(model, "-32g") ? 32 : strstr(model, "-80g") ? 80 : 40;
    f->vram_gb = (float)gb;
    component_choose_host(&c->sky.base, f, gb, json_number(extra, "max_vcpu_per_gpu", NUM_UNKNOWN), NUM_UNKNOWN);
    component_settle(&c->sky.base, f, row->price, json_number(extra, "vcpu_price_hr", NUM_UNKNOWN),
                     json_number(extra, "mem_price_hr", NUM_UNKNOWN));
    return true;
}

/* ---- Oracle: part numbers; these are the GPU of one bare-metal type ---- */

static const struct {
    const char *part; /* end of display_name */
    const char *machine, *card;
} oracle_parts[] = {
    {"GPU - H100", "BM.GPU.H100.8", "H100"},
    {"GPU - H200", "BM.GPU.H200.8", "H200"},
    {"GPU - B200", "BM.GPU.B200.8", "B200"},
    {"GPU - B300", "BM.GPU.B300.8", "B300"},
    {"GPU - GB200", "BM.GPU.GB200.4", "GB200"},
    {"GPU - MI300X", "BM.GPU.MI300X.8", "MI300X"},
    {"GPU - MI355X", "BM.GPU.MI355X.8", "MI355X"},
    {"GPU - L40S", "BM.GPU.L40S.4", "L40S"},
    {"GPU - A100 - v2", "BM.GPU.A100-v2.8", "A100-80GB"},
    {"GPU - A10", "BM.GPU.A10.4", "A10"},
    {"GPU - E3", "BM.GPU4.8", "A100"},
    {"GPU - E4", "BM.GPU.B4.8", "A100"},
    {"GPU Standard - V2", "BM.GPU3.8", "V100"},
};

static bool ends_in(const char *s, const char *end) {
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

bool ocp_settle_oracle(struct ocp *c, const struct ocp_row *row, const cJSON *extra, struct offer *f) {
    struct reader *r = &c->sky.base;
    const char *part = json_string(extra, "display_name", ""), *category = json_string(extra, "service_category", "");
    if (strcmp(json_string(extra, "metric_name", ""), "GPU Per Hour") != 0 ||
        strncmp(category, "Compute - GPU", 13) != 0)
        return ocp_skip(c, "instance_type", "a part of a price list that is no machine");
    f->provider = reader_provider(r, "oci", 3);
    for (size_t i = 0; i < sizeof oracle_parts / sizeof *oracle_parts; i++) {
        if (!ends_in(part, oracle_parts[i].part) || strstr(part, "AI Enterprise"))
            continue;
        f->machine = reader_put(r, oracle_parts[i].machine);
        f->gpu_raw = reader_put(r, oracle_parts[i].card);
        const struct machine *m = reader_machine(r, f->provider, f->machine);
        if (!m || m->gpus < 1)
            return ocp_skip(c, "instance_type", "a part of a price list, and no machine type known for it");
        f->gpus = (uint16_t)m->gpus;
        f->rate_basis = RATE_GPU;
        f->rate_microusd = money_micro(row->price * m->gpus);
        return true;
    }
    return ocp_skip(c, "instance_type", "a part of a price list that is no machine");
}
