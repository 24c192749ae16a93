/* SPDX-License-Identifier: MIT */
/*
 * What a training program does about memory that no field says, by program and year. What stands here is read in their code, not
 * fitted. A row names its program in the column `software`, in `engine`, in its notes, or by the name of its source where the
 * program's authors published the run.
 */
#include <string.h>

#include "estimate/measurement_internal.h"

static const struct {
    const char *program;
    int since, until;   /* years; other versions did as others do */
    double logit_bytes; /* 0 = not known */
    bool packed_base, fused_optimizer;
} programs[] = {
    /* the head runs over 128 tokens at a time: bf16 logits, fp32 loss a piece, bf16 gradient */
    {"litgpt", 2023, 2023, 6, false, false},
    /* cross entropy in 8 pieces: bf16 logits and little else alive; 4-bit weights are torchao tensors; recipes say AdamW(fused) */
    {"torchtune", 2024, 2025, 2.25, true, true},
};

/* The most definite statement first. */
static const enum measurement_column statements[] = {COLUMN_SOFTWARE, COLUMN_ENGINE, COLUMN_NOTES, COLUMN_SOURCE};

void measurement_software(const struct cells *row, struct job *j) {
    for (size_t s = 0; s < sizeof statements / sizeof statements[0]; s++) {
        for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
            if (!measurement_says(row->text[statements[s]], programs[i].program)) {
                continue;
            }
            if (j->software_year >= programs[i].since && j->software_year <= programs[i].until) {
                j->logit_bytes = programs[i].logit_bytes;
                j->packed_base = programs[i].packed_base;
                j->fused_optimizer = programs[i].fused_optimizer;
            }
            return;
        }
        if (statements[s] == COLUMN_SOFTWARE && row->text[COLUMN_SOFTWARE][0] != '\0') {
            return; /* another program, which nothing is known about */
        }
    }
}
