/* SPDX-License-Identifier: MIT */
/* Ids of offers that have none: made of what tells one from another, so that the next fetch makes the same. */
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "listing/reader.h"

struct id_text {
    char bytes[8 * MAX_TEXT];
    size_t len;
};

static void append(struct id_text *t, char c) {
    if (t->len + 1 < sizeof t->bytes)
        t->bytes[t->len++] = c;
}

/* Separators and blanks would make an id hard to type: runs of them become one '_'. */
static void append_part(struct id_text *t, const char *s) {
    bool gap = false, any = false;
    for (; *s; s++) {
        if (*s == ' ' || *s == ',' || *s == ':' || *s == '"' || *s == '\'') {
            gap = any;
            continue;
        }
        if (gap)
            append(t, '_');
        append(t, *s);
        gap = false;
        any = true;
    }
}

static void append_machine(struct id_text *t, const struct offers *o, const struct offer *f) {
    char count[16];
    if (!f->machine) {
        snprintf(count, sizeof count, "%ux-", (unsigned)f->gpus);
        append_part(t, count);
    }
    append_part(t, offers_text(o, f->machine ? f->machine : f->gpu_raw));
}

/* A reserved price depends on the term. */
static void append_kind(struct id_text *t, const struct offers *o, const struct offer *f) {
    char term[32];
    append(t, ':');
    append_part(t, rate_kind_name((enum rate_kind)f->rate_kind));
    if (f->rate_kind != RATE_RESERVED || !num_known(offer_extra(o, f)->term_h))
        return;
    snprintf(term, sizeof term, "_%.0fh", offer_extra(o, f)->term_h);
    append_part(t, term);
}

void offers_make_id(struct offers *o, struct offer *f) {
    struct id_text t;
    t.len = 0;
    append_part(&t, offers_text(o, f->source));
    append(&t, ':');
    append_part(&t, offers_text(o, f->provider));
    append(&t, ':');
    append_machine(&t, o, f);
    if (f->region || f->rate_kind != RATE_ON_DEMAND)
        append(&t, ':');
    append_part(&t, offers_text(o, f->region));
    if (f->rate_kind != RATE_ON_DEMAND)
        append_kind(&t, o, f);
    t.bytes[t.len] = '\0';
    f->id = t.len < MAX_TEXT ? intern_put(o->text, t.bytes, t.len) : offers_put_id(o, t.bytes, "");
}

uint32_t offers_put_id(struct offers *o, const char *base, const char *suffix) {
    char id[MAX_TEXT], cut[MAX_TEXT];
    size_t len = strlen(base), more = strlen(suffix);
    if (len + more < MAX_TEXT) {
        len = (size_t)snprintf(id, sizeof id, "%s%s", base, suffix);
    } else { /* the front, and a hash of the whole that keeps it unlike others */
        text_clean(cut, MAX_TEXT - 12 - more, base, len);
        len = (size_t)snprintf(id, sizeof id, "%s~%08x%s", cut, (unsigned)hash_bytes(base, len, 0), suffix);
    }
    return intern_put(o->text, id, len);
}
