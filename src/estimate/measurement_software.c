/* SPDX-License-Identifier: MIT */
/*
 * What a training program does about memory that no column of a row states. The name of a source begins with the program's
 * name where the program's authors published the figures; what stands here is read in their code, not fitted.
 */
#include <string.h>
#include <strings.h>

#include "estimate/measurement_internal.h"

static const struct {
    const char *program;
    int since, until;   /* years; other versions did as others do */
    double logit_bytes; /* 0 = not known */
    bool packed_base;
} programs[] = {
    /* the head runs over 128 tokens at a time: bf16 logits, fp32 loss a piece, bf16 gradient */
    {"litgpt", 2023, 2023, 6, false},
    /* cross entropy in 8 pieces: bf16 logits and little else alive; 4-bit weights are torchao tensors */
    {"torchtune", 2024, 2025, 2.25, true},
};

void measurement_software(const char *source, int year, struct job *j) {
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        bool known = strncasecmp(source, programs[i].program, strlen(programs[i].program)) == 0;
        if (known && year >= programs[i].since && year <= programs[i].until) {
            j->logit_bytes = programs[i].logit_bytes;
            j->packed_base = programs[i].packed_base;
        }
    }
}
