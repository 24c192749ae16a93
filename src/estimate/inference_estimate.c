/* SPDX-License-Identifier: MIT */
/* Placeholder until the inference model stands here. */
#include "internal.h"

struct reason inference_check(const struct job *j, const struct shape *s, const struct layout *l) {
    (void)j, (void)s, (void)l;
    return reason_make(REASON_NONE, NULL, 0, 0);
}

void inference_estimate(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                        const struct assumptions *a, struct trace *t, struct estimate *out) {
    (void)c, (void)j, (void)a, (void)t;
    estimate_init(out, s, l);
    out->reason = reason_make(REASON_CAPABILITY, "engine", 1, 0);
}

void inference_search(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                      struct estimate_set *out) {
    (void)c, (void)j, (void)s, (void)a, (void)out;
}

bool engine_known(const char *name) {
    (void)name;
    return false;
}

double inference_max_len(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                         const struct assumptions *a) {
    (void)c, (void)j, (void)s, (void)l, (void)a;
    return 0;
}
