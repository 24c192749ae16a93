/* SPDX-License-Identifier: MIT */
/* Lines and words of a topology dump, and what the lines around the matrix say about the cards and their host. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "hardware/topology_private.h"

bool topology_word_is(const struct topology_word *w, const char *text) {
    return strlen(text) == w->len && memcmp(w->s, text, w->len) == 0;
}

/* Digits at s (at most 4): their value, and how many there are. */
static int digits(const char *s, size_t len, size_t *used) {
    int x = 0;
    size_t n = 0;
    while (n < len && n < 4 && isdigit((unsigned char)s[n]))
        x = x * 10 + (s[n++] - '0');
    *used = n;
    return x;
}

int topology_word_gpu(const struct topology_word *w) {
    size_t used;
    if (w->len < 4 || memcmp(w->s, "GPU", 3) != 0)
        return -1;
    int k = digits(w->s + 3, w->len - 3, &used);
    return used > 0 && used + 3 == w->len ? k : -1;
}

/* Length of a colour sequence at s: ESC [ … letter, or its rest "[4m" where a copy lost the ESC. */
static size_t escape_length(const char *s, size_t len) {
    size_t i = 0;
    bool whole = len > 0 && s[0] == '\x1b';
    if (whole)
        i++;
    if (i >= len || s[i] != '[')
        return whole ? 1 : 0;
    for (i++; i < len && (isdigit((unsigned char)s[i]) || s[i] == ';' || (whole && s[i] == '?')); i++)
        ;
    if (i >= len || !isalpha((unsigned char)s[i]) || (!whole && (s[i] != 'm' || !isdigit((unsigned char)s[i - 1]))))
        return whole ? i : 0;
    return i + 1;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\0';
}

void topology_line_split(struct topology_line *line) {
    size_t to = 0;
    for (size_t from = 0; from < line->len;) {
        size_t skip = escape_length(line->text + from, line->len - from);
        if (skip > 0)
            from += skip;
        else
            line->text[to++] = line->text[from++];
    }
    while (to > 0 && is_blank(line->text[to - 1]))
        to--;
    line->len = to;
    line->text[to] = '\0';
    line->count = 0;
    for (size_t i = 0; i < to && line->count < TOPOLOGY_WORDS;) {
        while (i < to && is_blank(line->text[i]))
            i++;
        size_t start = i;
        while (i < to && !is_blank(line->text[i]))
            i++;
        if (i > start)
            line->words[line->count++] = (struct topology_word){line->text + start, i - start};
    }
}

/* ---- which card ---- */

static void set_text(char *out, size_t cap, const char *s, size_t len) {
    text_trim(&s, &len);
    while (len > 0 && (*s == '\'' || *s == '"')) {
        s++;
        len--;
    }
    while (len > 0 && (s[len - 1] == '\'' || s[len - 1] == '"' || s[len - 1] == ','))
        len--;
    text_trim(&s, &len);
    text_clean(out, cap, s, len);
}

static void name_card(struct topology *t, int gpu, const char *s, size_t len) {
    if (gpu >= 0 && gpu < TOPOLOGY_MAX_GPUS && len > 0 && t->gpu[gpu].name[0] == '\0')
        set_text(t->gpu[gpu].name, sizeof t->gpu[gpu].name, s, len);
}

/* "# gpu: NVIDIA L4" and more fields behind a '|': every card that has no name of its own yet. */
static bool take_comment(struct topology_facts *f, const struct topology_line *line, struct topology *t) {
    (void)f;
    if (line->text[0] != '#')
        return false;
    for (const char *s = line->text + 1; *s;) {
        size_t len = strcspn(s, "|");
        const char *field = s;
        size_t field_len = len;
        text_trim(&field, &field_len);
        if (field_len > 4 && memcmp(field, "gpu:", 4) == 0)
            for (int k = 0; k < TOPOLOGY_MAX_GPUS; k++)
                name_card(t, k, field + 4, field_len - 4);
        s += len + (s[len] == '|');
    }
    return true;
}

/* "GPU 0: NVIDIA L4 (UUID: GPU-…)", "GPU 0,1,2: NVIDIA L4", also quoted. */
static bool take_card(struct topology_facts *f, const struct topology_line *line, struct topology *t) {
    const char *s = line->text + strspn(line->text, " \t'\"{");
    if (strncmp(s, "GPU ", 4) != 0 || !isdigit((unsigned char)s[4]))
        return false;
    const char *colon = strchr(s, ':');
    if (!colon)
        return false;
    const char *uuid = strstr(colon, " (UUID");
    size_t len = uuid ? (size_t)(uuid - colon - 1) : strlen(colon + 1);
    int gpu = -1;
    for (const char *p = s + 4; p < colon;) {
        size_t used;
        int k = digits(p, (size_t)(colon - p), &used);
        if (used == 0)
            break;
        name_card(t, k, colon + 1, len);
        gpu = k;
        p += used;
        p += strspn(p, ", ");
    }
    f->link_gpu = gpu < TOPOLOGY_MAX_GPUS ? gpu : -1;
    return true;
}

/* rocm-smi --showproductname: "GPU[0]          : Card Series:           AMD Instinct MI300X" */
static bool take_product(struct topology_facts *f, const struct topology_line *line, struct topology *t) {
    size_t used;
    const char *series = strstr(line->text, "ard Series:");
    (void)f;
    if (!series)
        series = strstr(line->text, "ard series:");
    if (strncmp(line->text, "GPU[", 4) != 0 || !series)
        return false;
    int k = digits(line->text + 4, line->len - 4, &used);
    if (used > 0)
        name_card(t, k, series + 11, strlen(series + 11));
    return true;
}

/* ---- the query of the probe: a header of field names, then a row a GPU ---- */

enum {
    FACT_NONE,
    FACT_INDEX,
    FACT_NAME,
    FACT_GEN,
    FACT_LANES,
    FACT_LANES_MAX,
    FACT_POWER,
    FACT_POWER_MAX,
    FACT_MIG,
    FACT_DRIVER
};
static const char *const fact_names[] = {"",
                                         "index",
                                         "name",
                                         "pcie.link.gen.max",
                                         "pcie.link.width.current",
                                         "pcie.link.width.max",
                                         "power.limit",
                                         "power.max_limit",
                                         "mig.mode.current",
                                         "driver_version"};
enum { FACT_COUNT = sizeof fact_names / sizeof *fact_names };

/* The next cell of a row; false at its end. */
static bool next_cell(const char **s, const char **cell, size_t *len) {
    if (**s == '\0')
        return false;
    *len = strcspn(*s, ",");
    *cell = *s;
    *s += *len + ((*s)[*len] == ',');
    text_trim(cell, len);
    return true;
}

static bool take_query_header(struct topology_facts *f, const struct topology_line *line, struct topology *t) {
    const char *s = line->text, *cell;
    size_t len;
    (void)t;
    if (strncmp(s, "index, name", 11) != 0)
        return false;
    f->column_count = 0;
    while (f->column_count < 16 && next_cell(&s, &cell, &len)) {
        int fact = FACT_NONE;
        for (int k = 1; k < FACT_COUNT; k++) { /* "power.limit [W]": the unit does not count */
            size_t n = strlen(fact_names[k]);
            if (len >= n && memcmp(cell, fact_names[k], n) == 0 && (len == n || cell[n] == ' '))
                fact = k;
        }
        f->columns[f->column_count++] = fact;
    }
    return true;
}

static double plain(const char *s, size_t len) {
    double x;
    size_t n = 0;
    while (n < len && !is_blank(s[n])) /* "300.00 W" */
        n++;
    return num_parse_plain(s, n, &x) ? x : NUM_UNKNOWN;
}

static int small(const char *s, size_t len) {
    double x = plain(s, len);
    return x >= 1 && x <= 64 ? (int)x : 0;
}

static void set_fact(struct topology *t, int gpu, int fact, const char *s, size_t len) {
    struct topology_gpu *g = &t->gpu[gpu];
    switch (fact) {
    case FACT_NAME:
        g->name[0] = '\0'; /* said by the driver: better than any comment */
        name_card(t, gpu, s, len);
        break;
    case FACT_GEN:
        g->pcie_gen = small(s, len);
        break;
    case FACT_LANES:
        g->pcie_lanes = small(s, len);
        break;
    case FACT_LANES_MAX:
        g->pcie_lanes_max = small(s, len);
        break;
    case FACT_POWER:
        g->power_limit_w = plain(s, len);
        break;
    case FACT_POWER_MAX:
        g->power_max_w = plain(s, len);
        break;
    case FACT_MIG:
        t->mig |= len == 7 && memcmp(s, "Enabled", 7) == 0;
        break;
    case FACT_DRIVER:
        set_text(t->driver, sizeof t->driver, s, len);
        break;
    default:
        break;
    }
}

static bool take_query_row(struct topology_facts *f, const struct topology_line *line, struct topology *t) {
    const char *s = line->text, *cell;
    size_t len, used;
    int gpu = digits(s, line->len, &used);
    if (f->column_count == 0 || used == 0 || s[used] != ',') {
        f->column_count = 0;
        return false;
    }
    if (gpu < TOPOLOGY_MAX_GPUS)
        for (int i = 0; i < f->column_count && next_cell(&s, &cell, &len); i++)
            set_fact(t, gpu, f->columns[i], cell, len);
    return true;
}

/* ---- the rest ---- */

/* nvidia-smi nvlink -s, below the card's line: "Link 3: 26.562 GB/s" or "Link 3: <inactive>". */
static bool take_link(struct topology_facts *f, const struct topology_line *line, struct topology *t) {
    if (line->count < 3 || !topology_word_is(&line->words[0], "Link") || f->link_gpu < 0)
        return false;
    struct topology_gpu *g = &t->gpu[f->link_gpu];
    double gbs = plain(line->words[2].s, line->words[2].len);
    if (g->links_up < 0)
        g->links_up = 0;
    if (gbs > 0 && g->links_up < 255)
        g->links_up++;
    return true;
}

static bool take_hypervisor(struct topology_facts *f, const struct topology_line *line, struct topology *t) {
    static const char label[] = "Hypervisor vendor:";
    (void)f;
    if (strncmp(line->text, label, sizeof label - 1) != 0)
        return false;
    set_text(t->hypervisor, sizeof t->hypervisor, line->text + sizeof label - 1, line->len - (sizeof label - 1));
    return true;
}

/* nvidia-smi -L below a card: "  MIG 1g.10gb Device 0: (UUID: MIG-…)" */
static bool take_slice(struct topology_facts *f, const struct topology_line *line, struct topology *t) {
    (void)f;
    if (line->count < 3 || !topology_word_is(&line->words[0], "MIG") || !topology_word_is(&line->words[2], "Device"))
        return false;
    t->mig = true;
    return true;
}

/* "  NIC0: mlx5_0" */
static bool take_nic(struct topology_facts *f, const struct topology_line *line, struct topology *t) {
    size_t used;
    (void)f;
    if (line->count != 2 || line->words[0].len < 5 || memcmp(line->words[0].s, "NIC", 3) != 0)
        return false;
    int k = digits(line->words[0].s + 3, line->words[0].len - 3, &used);
    if (used == 0 || used + 4 != line->words[0].len || line->words[0].s[3 + used] != ':')
        return false;
    if (k < TOPOLOGY_MAX_NICS)
        set_text(t->nic[k], sizeof t->nic[k], line->words[1].s, line->words[1].len);
    return true;
}

void topology_facts_line(struct topology_facts *f, const struct topology_line *line, struct topology *t) {
    static bool (*const takers[])(struct topology_facts *, const struct topology_line *, struct topology *) = {
        take_comment, take_card,       take_product, take_query_header, take_query_row,
        take_link,    take_hypervisor, take_slice,   take_nic};
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
        if (takers[i](f, line, t))
            return;
}
