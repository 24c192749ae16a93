/* SPDX-License-Identifier: MIT */
/* A spelling with something around the name: a count, a maker, a form factor, a memory size, the size of a slice. */
#include <ctype.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "hardware/catalog_private.h"

/* A spelling in work: lower case, separators as single '-'; `form` and `vram` are what was cut off its end. */
struct trimmed {
    char text[NAME_MAX_FOLDED * 2];
    size_t start, len;
    enum gpu_form form;
    double vram_gb;
};

static bool is_separator(char c) {
    return c == ' ' || c == '-' || c == '_' || c == '(' || c == ')' || c == '\t';
}

static bool normalise(struct trimmed *t, const char *s) {
    *t = (struct trimmed){.vram_gb = NUM_UNKNOWN};
    for (; *s != '\0'; s++) {
        if (is_separator(*s)) {
            if (t->len == 0 || t->text[t->len - 1] == '-')
                continue;
        }
        if (t->len + 1 >= sizeof t->text)
            return false;
        t->text[t->len++] = is_separator(*s) ? '-' : (char)tolower((unsigned char)*s);
    }
    while (t->len > 0 && t->text[t->len - 1] == '-')
        t->len--;
    t->text[t->len] = '\0';
    return t->len > 0;
}

/* "8x rtx-a6000" */
static bool cut_count(struct trimmed *t) {
    size_t i = t->start;
    while (isdigit((unsigned char)t->text[i]))
        i++;
    if (i == t->start || i > t->start + 2 || t->text[i] != 'x' || t->text[i + 1] == '\0')
        return false;
    i++;
    t->start = t->text[i] == '-' ? i + 1 : i;
    return true;
}

static bool cut_maker(struct trimmed *t) {
    static const char *const words[] = {"nvidia", "geforce", "tesla", "amd", "instinct", "intel", "aws"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        size_t len = strlen(words[w]);
        if (strncmp(t->text + t->start, words[w], len) != 0 || t->text[t->start + len] == '\0')
            continue;
        t->start += len + (t->text[t->start + len] == '-');
        return t->text[t->start] != '\0';
    }
    return false;
}

/* The last word of the spelling; "" when only one is left. */
static const char *last_word(const struct trimmed *t) {
    const char *dash = strrchr(t->text + t->start, '-');
    return dash != NULL ? dash + 1 : "";
}

static void cut_last(struct trimmed *t) {
    t->len = (size_t)(strrchr(t->text + t->start, '-') - t->text);
    t->text[t->len] = '\0';
}

/* "rtx-a5000-24gb", "t4-16-gb" */
static bool cut_memory(struct trimmed *t) {
    static const char *const units[] = {"g", "gb", "gib", "gi"};
    struct trimmed before = *t;
    const char *word = last_word(t);
    size_t digits = strspn(word, "0123456789");
    const char *unit = word + digits;
    bool is_unit = false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        is_unit |= strcmp(unit, units[i]) == 0;
    if (!is_unit)
        return false;
    if (digits == 0) {
        cut_last(t);
        word = last_word(t);
        digits = strspn(word, "0123456789");
        if (word[digits] != '\0')
            digits = 0;
    }
    double size;
    if (digits == 0 || !num_parse_plain(word, digits, &size)) {
        *t = before;
        return false;
    }
    t->vram_gb = size;
    cut_last(t);
    return true;
}

static bool cut_form(struct trimmed *t) {
    const char *word = last_word(t);
    int form = *word != '\0' ? gpu_form_find(word) : -1;
    if (form <= GPU_FORM_UNKNOWN || t->form != GPU_FORM_UNKNOWN)
        return false;
    t->form = (enum gpu_form)form;
    cut_last(t);
    return true;
}

/* "tpu-v5p-1024": the cores of the slice */
static bool cut_slice(struct trimmed *t) {
    const char *word = last_word(t);
    if (strncmp(t->text + t->start, "tpu-", 4) != 0 || *word == '\0' || word[strspn(word, "0123456789")] != '\0')
        return false;
    cut_last(t);
    return true;
}

/* What was cut off must be true of the card: "A40 80GB" is not an A40. */
static bool agrees(const struct gpu *g, const struct trimmed *t) {
    if (num_known(t->vram_gb) && !gpu_vram_agrees(g, t->vram_gb))
        return false;
    bool pcie_nvl = t->form == GPU_FORM_PCIE && g->form == GPU_FORM_NVL;
    return t->form == GPU_FORM_UNKNOWN || t->form == g->form || pcie_nvl;
}

struct gpu_match spelling_resolve(const struct catalog *c, const char *spelling, double vram_gb, enum gpu_form form) {
    static bool (*const cuts[])(struct trimmed *) = {cut_count, cut_maker, cut_memory, cut_form, cut_slice};
    struct gpu_match none = {.gpu = NULL};
    struct trimmed t;
    if (!normalise(&t, spelling))
        return none;
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts;) {
        if (!cuts[i](&t)) {
            i++;
            continue;
        }
        i = 0; /* another one may apply now; each cut shortens the text */
        const struct alias *a = alias_find(c, t.text + t.start);
        if (a == NULL)
            continue;
        struct gpu_match m =
            alias_settle(c, a, num_known(t.vram_gb) ? t.vram_gb : vram_gb, t.form != GPU_FORM_UNKNOWN ? t.form : form);
        return m.gpu == NULL || agrees(m.gpu, &t) ? m : none;
    }
    return none;
}
