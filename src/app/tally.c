/* SPDX-License-Identifier: MIT */
/* Counts and findings by file. A child that reads listings sends them as lines: F or P, and fields with tabs between. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "sources.h"

enum { FIELDS_MAX = 8, LINE_MAX_BYTES = 2048, FILES_MOST = 256, FINDINGS_MOST = 512 };

static void put_field(struct buf *out, const char *text) {
    char clean[512];
    text_clean(clean, sizeof clean, text, strlen(text));
    for (char *p = clean; *p; p++)
        *p = *p == '\t' || *p == '\n' ? ' ' : *p;
    buf_printf(out, "\t%s", clean);
}

struct file_count {
    size_t offers, flagged;
    int64_t newest;
};

/* One walk over the offers, however many files they are from. */
static struct file_count *count_by_file(const struct offers *o) {
    struct file_count *counts = mem_zero(o->file_count + 1, sizeof *counts);
    for (size_t k = 0; k < o->count; k++) {
        const struct offer *f = &o->items[k];
        if (f->file >= o->file_count)
            continue;
        struct file_count *n = &counts[f->file];
        n->offers++;
        n->flagged += f->flags != 0;
        n->newest = f->observed_at > n->newest ? f->observed_at : n->newest;
    }
    return counts;
}

static void put_file(const struct offers *o, size_t i, const struct file_count *n, struct buf *out) {
    size_t skipped = 0;
    for (size_t k = 0; k < o->problem_count; k++)
        if (o->problems[k].skipped && o->problems[k].file == o->files[i])
            skipped += o->problems[k].count;
    buf_printf(out, "F\t%zu\t%zu\t%zu\t%lld", n->offers, n->flagged, skipped, (long long)n->newest);
    put_field(out, offers_text(o, o->files[i]));
    buf_putc(out, '\n');
}

void tally_put(const struct offers *o, struct buf *out) {
    struct file_count *counts = count_by_file(o);
    for (size_t i = 0; i < o->file_count; i++)
        put_file(o, i, &counts[i], out);
    free(counts);
    for (size_t i = 0; i < o->problem_count && i < FINDINGS_MOST; i++) {
        const struct offer_problem *p = &o->problems[i];
        buf_printf(out, "P\t%u\t%d\t%ld", p->count, p->skipped, (long)p->line);
        put_field(out, offers_text(o, p->file));
        put_field(out, offers_text(o, p->field));
        put_field(out, offers_text(o, p->text));
        buf_putc(out, '\n');
    }
}

void tally_add(struct tally *t, const struct finding *f) {
    if (t->finding_count >= FINDINGS_MOST)
        return;
    t->findings = mem_grow(t->findings, &t->finding_cap, t->finding_count + 1, sizeof *t->findings);
    t->findings[t->finding_count++] = *f;
}

static int split(char *line, char *fields[FIELDS_MAX]) {
    int n = 0;
    for (char *p = line; p && n < FIELDS_MAX;) {
        char *tab = strchr(p, '\t');
        fields[n++] = p;
        if (tab)
            *tab++ = '\0';
        p = tab;
    }
    return n;
}

static void take_line(struct tally *t, char *line) {
    char *f[FIELDS_MAX];
    int n = split(line, f);
    if (n == 6 && line[0] == 'F' && t->file_count < FILES_MOST) {
        t->files = mem_grow(t->files, &t->file_cap, t->file_count + 1, sizeof *t->files);
        struct tally_file *file = &t->files[t->file_count++];
        *file = (struct tally_file){.offers = strtoul(f[1], NULL, 10),
                                    .flagged = strtoul(f[2], NULL, 10),
                                    .skipped = strtoul(f[3], NULL, 10),
                                    .observed_at = strtoll(f[4], NULL, 10)};
        text_copy(file->name, sizeof file->name, f[5]);
    } else if (n == 7 && line[0] == 'P') {
        struct finding p = {
            .count = strtoul(f[1], NULL, 10), .skipped = f[2][0] == '1', .line = strtol(f[3], NULL, 10)};
        text_copy(p.file, sizeof p.file, f[4]);
        text_copy(p.field, sizeof p.field, f[5]);
        text_copy(p.text, sizeof p.text, f[6]);
        tally_add(t, &p);
    }
}

size_t tally_take(struct tally *t, const char *text, size_t len) {
    size_t used = 0;
    while (used + 1 < len && (text[used] == 'F' || text[used] == 'P') && text[used + 1] == '\t') {
        const char *end = memchr(text + used, '\n', len - used);
        char line[LINE_MAX_BYTES];
        if (!end)
            break;
        size_t n = (size_t)(end - text) - used;
        if (n < sizeof line) {
            memcpy(line, text + used, n);
            line[n] = '\0';
            take_line(t, line);
        }
        used += n + 1;
    }
    return used;
}

void tally_free(struct tally *t) {
    free(t->files);
    free(t->findings);
    *t = (struct tally){0};
}
