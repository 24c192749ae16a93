/* SPDX-License-Identifier: MIT */
#include "internal.h"

struct reason measured_check(const struct job *j, const struct shape *s, const struct layout *l) {
    (void)j, (void)s, (void)l;
    return reason_make(REASON_NONE, NULL, 0, 0);
}

void measured_estimate(const struct catalog *c, const struct job *j, const struct shape *s, const struct layout *l,
                       const struct assumptions *a, struct trace *t, struct estimate *out) {
    (void)c, (void)j, (void)a, (void)t;
    estimate_init(out, s, l);
}

void measured_search(const struct catalog *c, const struct job *j, const struct shape *s, const struct assumptions *a,
                     struct estimate_set *out) {
    (void)c, (void)j, (void)s, (void)a, (void)out;
}
