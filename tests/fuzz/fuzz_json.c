/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "gpuplan/base/json.h"

FUZZ(json)
{
    struct err err = {0};
    cJSON *tree = json_parse(bytes, len, "fuzz.json", &err);
    FUZZ_ASSERT((tree != NULL) == (err.code == ERR_NONE));
    if (tree == NULL) {
        FUZZ_ASSERT(err.line > 0 && err.text[0] != '\0');
        return 0;
    }
    FUZZ_ASSERT(isfinite(json_number(tree, "a", 1)));
    json_string(tree, "a", "");
    json_bool(tree, "a", false);
    char *text = cJSON_PrintUnformatted(tree);
    cJSON_free(text);
    cJSON_Delete(tree);
    return 0;
}
