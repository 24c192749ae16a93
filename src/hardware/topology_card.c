/* SPDX-License-Identifier: MIT */
/* Which card a topology is about, as far as its name settles it. */
#include <ctype.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "hardware/topology_judge.h"

/* "GRID A100-40C", "NVIDIA A40-48Q": the driver of a guest names the share of the card it was given. */
static bool is_vgpu(const char *name) {
    size_t len = strlen(name);
    if (text_contains_fold(name, "vgpu") || strncmp(name, "GRID ", 5) == 0)
        return true;
    if (len < 4 || !strchr("ABCQ", name[len - 1]) || !isdigit((unsigned char)name[len - 2]))
        return false;
    size_t i = len - 1;
    while (i > 0 && isdigit((unsigned char)name[i - 1]))
        i--;
    return i > 0 && name[i - 1] == '-';
}

static struct gpu_match resolve(const struct catalog *c, const char *name, size_t len) {
    char part[80];
    text_trim(&name, &len);
    if (len >= sizeof part)
        len = sizeof part - 1;
    memcpy(part, name, len);
    part[len] = '\0';
    return catalog_gpu_resolve(c, part, NUM_UNKNOWN, GPU_FORM_UNKNOWN);
}

/* What all cards of this name have in common; what they differ in stays open. */
static void join(struct topology_card *k, const struct gpu_match *m) {
    k->gpu = m->gpu ? m->gpu : m->candidates[0];
    k->open = m->ambiguous || !m->gpu;
    k->form = k->gpu->form;
    k->links = k->gpu->nvlink_links;
    k->gen = k->gpu->nvlink_gen;
    for (size_t i = 0; k->open && i < m->candidate_count; i++) {
        if (m->candidates[i]->form != k->form)
            k->form = GPU_FORM_UNKNOWN;
        if (m->candidates[i]->nvlink_links != k->links)
            k->links = 0;
    }
}

/* A name, what stands in it before a '(' or '/', or several names with '+' between them. */
static bool take_name(struct topology_card *k, const struct catalog *c, const char *name) {
    const struct gpu *first = k->gpu;
    for (const char *s = name; *s;) {
        size_t len = strcspn(s, "+");
        struct gpu_match m = resolve(c, s, len);
        for (const char *stop = "(/"; *stop && m.candidate_count == 0 && !m.gpu; stop++) {
            const char *at = memchr(s, *stop, len);
            if (at)
                m = resolve(c, s, (size_t)(at - s));
        }
        if (m.gpu || m.candidate_count > 0) {
            join(k, &m);
            k->mixed |= first && first != k->gpu;
            first = first ? first : k->gpu;
        }
        s += len + (s[len] == '+');
    }
    return first != NULL;
}

void topology_card_find(const struct topology *t, const struct catalog *c, const char *given, struct topology_card *k) {
    memset(k, 0, sizeof *k);
    k->name = given ? given : "";
    if (given) {
        k->vgpu = is_vgpu(given);
        take_name(k, c, given);
        return;
    }
    for (int i = 0; i < t->gpus; i++) {
        const char *name = t->gpu[i].name;
        if (!*name || (i > 0 && strcmp(name, t->gpu[i - 1].name) == 0))
            continue;
        if (!*k->name)
            k->name = name;
        k->vgpu |= is_vgpu(name);
        k->mig |= text_contains_fold(name, "MIG ");
        take_name(k, c, name);
    }
}
