/* SPDX-License-Identifier: MIT */
/* The table of workload fields, made from fields.def, and the words each field knows. */
#include "gpuplan/workload/job.h"

#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "workload/words.h"

#define TASK_BIT(task) (1u << (task))
#define TASKS_TRAIN (TASK_BIT(TASK_PRETRAIN) | TASK_BIT(TASK_FULL) | TASKS_LORA)
#define TASKS_LORA (TASK_BIT(TASK_LORA) | TASK_BIT(TASK_QLORA))
#define TASKS_INFERENCE TASK_BIT(TASK_INFERENCE)
#define TASKS_MEASURED TASK_BIT(TASK_MEASURED)
#define TASKS_MODEL (TASKS_TRAIN | TASKS_INFERENCE)
#define TASKS_ALL (TASKS_MODEL | TASKS_MEASURED)

static const struct field table[] = {
#define FIELD(id, name, group, type, unit, binary_k, min, max, words, tasks, label, help) \
    {FIELD_##id, name, group, type, unit, binary_k, min, max, words, tasks, label, help},
#include "gpuplan/workload/fields.def"
#undef FIELD
};
_Static_assert(sizeof table / sizeof table[0] == FIELD_COUNT, "one row a field");

const struct field *field_table(void) {
    return table;
}

const struct field *field_find(const char *name) {
    for (int i = 0; i < FIELD_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const char *field_nearest(const char *name) {
    const char *names[FIELD_COUNT];
    for (int i = 0; i < FIELD_COUNT; i++)
        names[i] = table[i].name;
    return text_nearest(name, names, FIELD_COUNT);
}
