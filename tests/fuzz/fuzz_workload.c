/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "gpuplan/base/text.h"
#include "gpuplan/workload/job.h"

static void check_job(const struct models *models, const struct job *j) {
    struct workload again;
    struct job same;
    struct err err = {0};
    for (int i = 0; i < j->assumed_count; i++)
        FUZZ_ASSERT(j->assumed[i].key[0] != '\0' && text_is_clean(j->assumed[i].value, strlen(j->assumed[i].value)));
    if (job_is_training(j))
        FUZZ_ASSERT(j->tokens > 0 && isfinite(j->tokens) && j->steps >= 1 && isfinite(j->steps) && j->mean_len > 0 &&
                    j->mean_len <= j->seq_len);
    if (j->task == TASK_INFERENCE)
        FUZZ_ASSERT(j->max_len >= j->input_len + j->output_len && (j->load != LOAD_CONCURRENCY || j->concurrency >= 1));
    cJSON *tree = job_to_json(j);
    char *text = cJSON_PrintUnformatted(tree);
    FUZZ_ASSERT(text != NULL);
    workload_init(&again);
    FUZZ_ASSERT(workload_from_json(&again, text, strlen(text), "again", &err));
    if (job_resolve(&again, models, &same, &err) && job_is_training(j))
        FUZZ_ASSERT(fabs(same.tokens / j->tokens - 1) < 0.06);
    cJSON_free(text);
    cJSON_Delete(tree);
}

FUZZ(workload)
{
    static struct models *models;
    struct workload w, again;
    struct job j;
    struct err err = {0};
    struct buf out = {0};

    if (models == NULL)
        models = models_load(NULL);
    workload_init(&w);
    if (!workload_from_json(&w, bytes, len, "fuzz.json", &err)) {
        FUZZ_ASSERT(err.code != ERR_NONE && err.text[0] != '\0');
        return 0;
    }
    workload_to_json(&w, &out);
    workload_init(&again);
    FUZZ_ASSERT(workload_from_json(&again, out.data, out.len, "again", &err));
    for (int i = 0; i < FIELD_COUNT; i++)
        FUZZ_ASSERT(again.v[i].source == w.v[i].source);
    if (job_resolve(&w, models, &j, &err))
        check_job(models, &j);
    else
        FUZZ_ASSERT(err.field[0] != '\0' && text_is_clean(err.text, strlen(err.text)));
    buf_free(&out);
    return 0;
}
