/* SPDX-License-Identifier: MIT */
/* Azure's retail meters as OpenComputePrices has them: no counts, terms and hours mixed, variants guessed. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/json.h"
#include "gpuplan/base/text.h"
#include "listing/ocp.h"

/* Types whose row is wrong and that the machine table does not have: the same hardware under another name, or a slice. */
static const struct {
    const char *type, *card;
    int gpus;
    double fraction;
} azure_types[] = {
    {"Standard_ND96ams_A100_v4", "A100-SXM4-80GB", 8, 1},
    {"Standard_ND96asr_A100_v4", "A100-SXM4-40GB", 8, 1},
    {"Standard_ND96is_flex_H100_v5", "H100-SXM5-80GB", 8, 1},
    {"Standard_ND96is_noIB_H100_v5", "H100-SXM5-80GB", 8, 1},
    {"Standard_ND96isrf_H100_v5", "H100-SXM5-80GB", 8, 1},
    {"Standard_ND96isrf_H200_v5", "H200-SXM5-141GB", 8, 1},
    {"Standard_NC8ads_A10_v4", "A10", 1, 1.0 / 3},
    {"Standard_NC16ads_A10_v4", "A10", 1, 2.0 / 3},
    {"Standard_NC32ads_A10_v4", "A10", 2, 1},
    {"Standard_NV6ads_A10_v5", "A10", 1, 6.0 / 36},
    {"Standard_NV12ads_A10_v5", "A10", 1, 12.0 / 36},
    {"Standard_NV18ads_A10_v5", "A10", 1, 18.0 / 36},
};

bool azure_settle_type(struct reader *r, struct offer *f) {
    const char *type = reader_str(r, f->machine);
    for (size_t i = 0; i < sizeof azure_types / sizeof *azure_types; i++) {
        if (strcmp(azure_types[i].type, type) != 0)
            continue;
        f->gpu_raw = reader_put(r, azure_types[i].card);
        f->gpus = (uint16_t)azure_types[i].gpus;
        f->gpu_fraction = (float)azure_types[i].fraction;
        return true;
    }
    const struct machine *m = reader_machine(r, f->provider, f->machine);
    if (m && f->gpu_raw == 0) { /* the price list names machine types only */
        f->gpu_raw = reader_put(r, m->gpu->name);
        f->gpus = (uint16_t)m->gpus;
    }
    return m != NULL;
}

bool ocp_settle_azure(struct ocp *c, const struct ocp_row *row, const cJSON *extra, struct offer *f) {
    (void)row;
    if (strstr(json_string(extra, "meter_name", ""), "Low Priority"))
        return ocp_skip(c, "raw_extra", "the old Low Priority meter beside the spot price");
    f->vram_gb = offer_empty.vram_gb; /* a guess by name, like the variant */
    if (!azure_settle_type(&c->sky.base, f))
        return ocp_skip(c, "instance_type", "a machine type whose GPUs are not known");
    return true;
}
