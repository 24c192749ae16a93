/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <math.h>

#include "gpuplan/base/text.h"
#include "gpuplan/workload/model.h"

/* What is read has a usable shape; what is not has an error. */
FUZZ(config)
{
    struct model m;
    struct err err = {0};

    if (!model_from_config(bytes, len, "models/fuzz/config.json", &m, &err)) {
        FUZZ_ASSERT(err.code == ERR_DATA && err.text[0] != '\0');
        return 0;
    }
    FUZZ_ASSERT(model_validate(&m, &err));
    FUZZ_ASSERT(text_is_clean(m.name, strlen(m.name)) && m.name[0] != '\0');
    struct model_counts c = model_count(&m);
    FUZZ_ASSERT(isfinite(c.total) && c.total > 0 && c.active > 0 && c.active <= c.total * (1 + 1e-9) &&
                c.linear <= c.total);
    FUZZ_ASSERT(model_kv_bytes_per_token_gpu(&m, 2, 8, 1) <= model_kv_bytes_per_token(&m, 2));
    FUZZ_ASSERT(model_kv_tokens(&m, 8192) <= 8192);
    return 0;
}
