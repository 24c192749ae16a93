/* SPDX-License-Identifier: MIT */
#include "gpuplan/estimate/trace.h"

#include <stdarg.h>

#include "gpuplan/base/i18n.h"

static const struct trace_kind kinds[TRACE_COUNT] = {
#define TRACE(id, key, label, formula, unit, source) {TRACE_##id, key, label, formula, unit, source},
#include "gpuplan/estimate/trace.def"
#undef TRACE
};

const struct trace_kind *trace_kinds(void) {
    return kinds;
}

void trace_add(struct trace *t, enum trace_id id, double value, ...) {
    struct trace_step *step;
    va_list used;

    if (t == NULL || t->count >= TRACE_MAX_STEPS) {
        return;
    }
    step = &t->steps[t->count++];
    step->id = id;
    step->value = value;
    step->used_count = 0;
    va_start(used, value);
    for (int assume = va_arg(used, int); assume >= 0; assume = va_arg(used, int)) {
        if (step->used_count < TRACE_MAX_USED) {
            step->used[step->used_count++] = (short)assume;
        }
    }
    va_end(used);
}
