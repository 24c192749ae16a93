/* SPDX-License-Identifier: MIT */
/*
 * The matrix itself, as people paste it: header wrapped or glued, columns out of line, cells run together, rows cut off. Nothing is
 * read by its place in the line; a GPU's row is its name and then as many cells as there are GPUs.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/text.h"
#include "hardware/topology_private.h"

void topology_add_note(struct topology *t, enum topology_note_code code, int a, int b, long line, const char *token) {
    if (t->note_count >= TOPOLOGY_MAX_NOTES)
        return;
    struct topology_note *n = &t->notes[t->note_count++];
    *n = (struct topology_note){.code = code, .a = a, .b = b, .line = line};
    snprintf(n->token, sizeof n->token, "%s", token);
}

/* ---- cells ---- */

struct cell {
    uint8_t path, links;
};

static const struct {
    const char *word;
    enum topology_path path;
} path_words[] = {{"X", PATH_SELF},    {"PIX", PATH_PIX}, {"PXB", PATH_PXB}, {"PHB", PATH_PHB},
                  {"NODE", PATH_NODE}, {"SYS", PATH_SYS}, {"SOC", PATH_SYS}}; /* SOC: the old name of SYS */

/* One cell at s; its length, 0 = none. */
static size_t cell_at(const char *s, size_t len, struct cell *out) {
    size_t n = 2;
    if (len > 2 && s[0] == 'N' && s[1] == 'V' && isdigit((unsigned char)s[2])) {
        int links = 0;
        for (; n < len && n < 5 && isdigit((unsigned char)s[n]); n++)
            links = links * 10 + (s[n] - '0');
        *out = (struct cell){PATH_NVLINK, (uint8_t)(links < 255 ? links : 255)};
        return links > 0 ? n : 0;
    }
    for (size_t i = 0; i < sizeof path_words / sizeof *path_words; i++) {
        size_t m = strlen(path_words[i].word);
        if (len >= m && memcmp(s, path_words[i].word, m) == 0) {
            *out = (struct cell){(uint8_t)path_words[i].path, 0};
            return m;
        }
    }
    return 0;
}

/* A word is one cell or several that ran together ("SYSSYS"): how many; 0 when anything else is in it. */
static int cells_of(const struct topology_word *w, struct cell *out, int room) {
    int n = 0;
    for (size_t i = 0; i < w->len;) {
        struct cell c;
        size_t used = cell_at(w->s + i, w->len - i, &c);
        if (used == 0 || n >= room)
            return 0;
        out[n++] = c;
        i += used;
    }
    return n;
}

static bool is_p2p_word(const struct topology_word *w, bool *off) {
    static const char *const words[] = {"OK", "CNS", "GNS", "TNS", "NS", "DR", "U"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (topology_word_is(w, words[i])) {
            *off = i > 0 && i < 6; /* U: unknown */
            return true;
        }
    return false;
}

/* ---- headers ---- */

/* Names of a header word: "GPU7mlx5_0", "NIC14NIC15", "NIC11CPU". False when the titles begin in it. */
static bool take_names(struct topology_reader *r, const struct topology_word *w, bool wanted) {
    for (size_t i = 0; i < w->len;) {
        const char *s = w->s + i;
        size_t left = w->len - i, n = 3;
        if (left >= 3 && (memcmp(s, "CPU", 3) == 0 || memcmp(s, "NUM", 3) == 0))
            return false;
        bool gpu = left > 3 && memcmp(s, "GPU", 3) == 0, nic = left > 3 && memcmp(s, "NIC", 3) == 0;
        while (n < left && (gpu || nic) && isdigit((unsigned char)s[n]))
            n++;
        if ((gpu || nic) && n == 3)
            return false;   /* "GPU NUMA ID" */
        if (!gpu && !nic) { /* an RDMA device by its own name */
            const char *title = left >= 3 ? memmem(s, left, "CPU", 3) : NULL;
            n = title ? (size_t)(title - s) : left;
        }
        if (gpu && wanted)
            r->header_gpus++;
        else if (wanted && r->header_nics < TOPOLOGY_MAX_NICS)
            text_clean(r->t->nic[r->header_nics++], sizeof r->t->nic[0], s, n);
        i += n;
    }
    return true;
}

static void take_titles(struct topology_reader *r, const char *line) {
    r->title_cpu |= strstr(line, "CPU Affinity") != NULL;
    r->title_gpu_numa |= strstr(line, "GPU NUMA ID") != NULL;
}

static bool is_header(const struct topology_line *line) {
    struct cell c[TOPOLOGY_CELLS];
    if (line->count == 0 || line->words[0].len < 4 || memcmp(line->words[0].s, "GPU0", 4) != 0 ||
        (line->words[0].len > 4 && isdigit((unsigned char)line->words[0].s[4])))
        return false;
    if (line->words[0].len > 4 || line->count == 1) /* glued, or one GPU with its titles lost */
        return true;
    const struct topology_word *w = &line->words[1];
    bool off, number = isdigit((unsigned char)w->s[0]) || topology_word_is(w, "XGMI") || topology_word_is(w, "PCIE");
    return cells_of(w, c, TOPOLOGY_CELLS) == 0 && !is_p2p_word(w, &off) && !number &&
           (w->len >= 3 && (isalpha((unsigned char)w->s[0])));
}

static bool take_header(struct topology_reader *r, const struct topology_line *line) {
    if (!is_header(line))
        return false;
    bool first = r->header_gpus == 0 && r->section == MATRIX_NONE;
    int amd_gpus = 0;
    for (int i = 0; i < line->count; i++) {
        if (r->section != MATRIX_NONE)
            amd_gpus += topology_word_gpu(&line->words[i]) >= 0;
        else if (!take_names(r, &line->words[i], first))
            break;
    }
    if (amd_gpus > r->amd_gpus)
        r->amd_gpus = amd_gpus;
    if (first)
        take_titles(r, line->text);
    r->header_open = first;
    return true;
}

/* A terminal wrapped the header: more names, or the rest of a title. */
static bool take_header_rest(struct topology_reader *r, const struct topology_line *line) {
    struct cell c[TOPOLOGY_CELLS];
    bool names = line->count > 0 && topology_word_gpu(&line->words[0]) >= 0 && line->count > 1 &&
                 cells_of(&line->words[1], c, TOPOLOGY_CELLS) == 0;
    bool titles = strstr(line->text, "NUMA") || strstr(line->text, "Affinity");
    if (!r->header_open || line->count == 0 || !(names || titles) ||
        (!names && topology_word_gpu(&line->words[0]) >= 0))
        return false;
    for (int i = 0; names && i < line->count; i++)
        if (!take_names(r, &line->words[i], true))
            break;
    take_titles(r, line->text);
    return true;
}

/* ---- rows ---- */

/* What stands behind the cells: CPU affinity, NUMA affinity, the GPU's own NUMA node; blank ones are simply not there. */
static void take_tail(struct topology_reader *r, struct topology_gpu *g, const struct topology_line *line, int from) {
    int count = line->count - from;
    if (r->title_gpu_numa && count > 0 && (count > 2 || topology_word_is(&line->words[line->count - 1], "N/A")))
        count--;
    if (count > 0)
        text_clean(g->cpus, sizeof g->cpus, line->words[from].s, line->words[from].len);
    if (count > 1)
        text_clean(g->numa, sizeof g->numa, line->words[from + 1].s, line->words[from + 1].len);
}

static void put_cell(struct topology_row *row, struct cell c) {
    if (row->count < TOPOLOGY_CELLS) {
        row->path[row->count] = c.path;
        row->links[row->count++] = c.links;
    }
}

static void fill_row(struct topology_reader *r, int gpu, const struct topology_line *line) {
    struct topology_row *row = &r->row[gpu];
    struct cell found[TOPOLOGY_CELLS];
    int wanted = r->header_gpus, i = 1;
    *row = (struct topology_row){.there = true, .line = line->number};
    r->t->gpu[gpu].cpus[0] = r->t->gpu[gpu].numa[0] = '\0';
    for (; i < line->count; i++) {
        int n = cells_of(&line->words[i], found, TOPOLOGY_CELLS);
        if (n == 0 && row->count >= wanted)
            break;
        if (n == 0 && row->bad[0] == '\0')
            text_clean(row->bad, sizeof row->bad, line->words[i].s, line->words[i].len);
        if (n == 0)
            put_cell(row, (struct cell){PATH_UNKNOWN, 0});
        for (int k = 0; k < n; k++)
            put_cell(row, found[k]);
    }
    take_tail(r, &r->t->gpu[gpu], line, i);
}

static bool take_p2p_row(struct topology_reader *r, int gpu, const struct topology_line *line) {
    bool off = false;
    int probe = line->count > 2 && topology_word_is(&line->words[1], "X") ? 2 : 1;
    if (line->count <= probe || !is_p2p_word(&line->words[probe], &off))
        return false;
    for (int i = 1; i < line->count && i <= TOPOLOGY_MAX_GPUS; i++)
        if (is_p2p_word(&line->words[i], &off))
            r->p2p[gpu][i - 1] = off;
    return true;
}

static void take_amd_row(struct topology_reader *r, int gpu, const struct topology_line *line) {
    r->amd_row[gpu] = true;
    if (gpu >= r->amd_gpus)
        r->amd_gpus = gpu + 1;
    for (int i = 1; i < line->count && i <= TOPOLOGY_MAX_GPUS; i++) {
        const struct topology_word *w = &line->words[i];
        int number = 0, k = i - 1;
        bool digits = w->len > 0 && w->len <= 4;
        for (size_t n = 0; n < w->len && digits; n++) {
            digits = isdigit((unsigned char)w->s[n]);
            number = number * 10 + (w->s[n] - '0');
        }
        bool xgmi = topology_word_is(w, "XGMI"), pcie = topology_word_is(w, "PCIE");
        if (r->section == MATRIX_TYPE && (xgmi || pcie))
            r->type[gpu][k] = xgmi ? PATH_XGMI : PATH_PCIE;
        else if (r->section == MATRIX_HOPS && digits)
            r->hops[gpu][k] = (uint8_t)(number < 255 ? number : 255);
        else if (r->section == MATRIX_WEIGHT && digits)
            r->weight[gpu][k] = number;
        else if (!digits) {
            char token[48];
            text_clean(token, sizeof token, w->s, w->len);
            topology_add_note(r->t, NOTE_TOKEN, 0, 0, line->number, token);
        }
    }
}

/* A row that lacks something of what the header promises may go on in the next line. */
static void keep_open(struct topology_reader *r, int gpu, const struct topology_line *line) {
    r->row_open =
        r->row[gpu].count < r->header_gpus + r->header_nics || (r->title_cpu && r->t->gpu[gpu].cpus[0] == '\0');
    if (!r->row_open)
        return;
    r->open = *line;
    for (int i = 0; i < line->count; i++) /* words point into the text of their own line */
        r->open.words[i].s = r->open.text + (line->words[i].s - line->text);
}

static bool take_row(struct topology_reader *r, const struct topology_line *line) {
    struct cell found[TOPOLOGY_CELLS];
    int gpu = line->count > 1 ? topology_word_gpu(&line->words[0]) : -1;
    if (gpu < 0)
        return false;
    if (gpu >= TOPOLOGY_MAX_GPUS) {
        if (r->section != MATRIX_NONE || cells_of(&line->words[1], found, TOPOLOGY_CELLS) > 0)
            topology_add_note(r->t, NOTE_TOO_MANY, TOPOLOGY_MAX_GPUS, 0, line->number, "");
        return true;
    }
    if (r->section != MATRIX_NONE) {
        take_amd_row(r, gpu, line);
        return true;
    }
    if (take_p2p_row(r, gpu, line))
        return true;
    bool cells = false;
    for (int i = 1; i < line->count && i <= TOPOLOGY_MAX_GPUS && !cells; i++)
        cells = cells_of(&line->words[i], found, TOPOLOGY_CELLS) > 0;
    if (!cells)
        return false;
    if (r->row[gpu].there) {
        if (!r->closed && line->count > 2) /* one GPU and nothing else: its own table of peer access */
            topology_add_note(r->t, NOTE_SECOND_MATRIX, 0, 0, line->number, "");
        r->closed = true;
    }
    if (r->closed)
        return true;
    fill_row(r, gpu, line);
    keep_open(r, gpu, line);
    return true;
}

/*
 * A wrapped row goes on in the next line, perhaps in the middle of a word. Copies lose the blanks at the end of a line, so
 * both ways of joining are tried: the one that makes a cell at the seam. Behind the cells an affinity may follow.
 */
static bool take_row_rest(struct topology_reader *r, const struct topology_line *line) {
    static const char *const joins[] = {"", " "};
    struct cell found[TOPOLOGY_CELLS];
    int gpu = r->row_open ? topology_word_gpu(&r->open.words[0]) : -1;
    if (gpu < 0 || line->count == 0)
        return false;
    bool in_tail = r->row[gpu].count >= r->header_gpus + r->header_nics;
    bool affinity = in_tail && (isdigit((unsigned char)line->text[0]) || topology_word_is(&line->words[0], "N/A"));
    struct topology_line *joined = mem_alloc(sizeof *joined);
    bool good = false;
    for (int i = affinity; i < 2 && !good; i++) {
        int n = snprintf(joined->text, sizeof joined->text, "%s%s%s", r->open.text, joins[i], line->text);
        joined->len = n < (int)sizeof joined->text ? (size_t)n : sizeof joined->text - 1;
        joined->number = r->open.number;
        topology_line_split(joined);
        int at = r->open.count - (i == 0); /* the word at the seam */
        good = affinity || (at > 0 && at < joined->count && cells_of(&joined->words[at], found, TOPOLOGY_CELLS) > 0);
    }
    if (good) {
        fill_row(r, gpu, joined);
        keep_open(r, gpu, joined);
    }
    free(joined);
    return good;
}

/* ---- lines ---- */

static bool take_banner(struct topology_reader *r, const struct topology_line *line) {
    static const struct {
        const char *title;
        enum matrix section;
    } banners[] = {
        {"Weight between", MATRIX_WEIGHT}, {"Hops between", MATRIX_HOPS}, {"Link Type between", MATRIX_TYPE}};
    if (line->text[0] != '=')
        return false;
    r->section = MATRIX_NONE;
    for (size_t i = 0; i < sizeof banners / sizeof *banners; i++)
        if (strstr(line->text, banners[i].title))
            r->section = banners[i].section;
    return true;
}

static void take_line(struct topology_reader *r, const struct topology_line *line) {
    if (take_row_rest(r, line) || take_banner(r, line) || take_header_rest(r, line))
        return;
    r->row_open = r->header_open = false;
    if (!take_header(r, line) && !take_row(r, line))
        topology_facts_line(&r->facts, line, r->t);
}

/* ---- the whole ---- */

static void init(struct topology *t) {
    memset(t, 0, sizeof *t);
    memset(t->path, PATH_UNKNOWN, sizeof t->path);
    memset(t->nic_path, PATH_UNKNOWN, sizeof t->nic_path);
    for (int i = 0; i < TOPOLOGY_MAX_GPUS; i++) {
        t->gpu[i].links_up = -1;
        t->gpu[i].power_limit_w = t->gpu[i].power_max_w = NUM_UNKNOWN;
    }
}

static void read_lines(struct topology_reader *r, const char *bytes, size_t len) {
    struct topology_line *line = mem_alloc(sizeof *line);
    long number = 0;
    for (size_t at = 0; at < len;) {
        const char *end = memchr(bytes + at, '\n', len - at);
        size_t n = end ? (size_t)(end - bytes) - at : len - at;
        line->number = ++number;
        line->len = n < sizeof line->text ? n : sizeof line->text - 1;
        if (n > line->len && strncmp(bytes + at, "GPU", 3) == 0)
            topology_add_note(r->t, NOTE_LONG_LINE, 0, 0, number, "");
        memcpy(line->text, bytes + at, line->len);
        topology_line_split(line);
        take_line(r, line);
        at += n + 1;
    }
    free(line);
}

bool topology_read(const char *bytes, size_t len, const char *name, struct topology *out, struct err *err) {
    struct topology_reader *r = mem_zero(1, sizeof *r);
    init(out);
    r->t = out;
    r->facts.link_gpu = -1;
    read_lines(r, bytes, len);
    bool good = topology_finish(r);
    free(r);
    if (good)
        return true;
    err_set(err, ERR_DATA,
            "no GPU matrix in it; expected the output of `nvidia-smi topo -m`, `rocm-smi --showtopo` or of the "
            "script of `gpuplan probe`");
    return err_at(err, name, 0, 0, NULL);
}
