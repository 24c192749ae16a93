/* SPDX-License-Identifier: MIT */
#include "gpuplan/hardware/nccl.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuplan/base/mem.h"
#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"

enum { LINE = 1024, WORDS = 32 };
enum column {
    COLUMN_NONE,
    COLUMN_BYTES,
    COLUMN_TIME,
    COLUMN_ALGBW,
    COLUMN_BUSBW,
    COLUMN_IN_TIME,
    COLUMN_IN_ALGBW,
    COLUMN_IN_BUSBW
};

struct word {
    const char *s;
    size_t len;
};

struct reader {
    struct nccl_log *log;
    enum column columns[WORDS];
    int column_count;
    bool table; /* cells between bars */
    int ranks, rank_lines;
    char hosts[NCCL_MAX_HOSTS][32];
    int host_count;
};

/* ---- words ---- */

/* What a launcher puts in front: "12: ", "[1,0]<stdout>:". */
static const char *without_prefix(const char *s) {
    const char *mark = strstr(s, "<stdout>:");
    if (mark && s[0] == '[')
        return mark + 9;
    size_t n = strspn(s, " 0123456789");
    return n > 0 && s[n] == ':' && s[n + 1] == ' ' ? s + n + 2 : s;
}

static int split(const char *s, const char *between, struct word *words) {
    int n = 0;
    while (*s && n < WORDS) {
        s += strspn(s, between);
        size_t len = strcspn(s, between);
        const char *start = s;
        size_t trimmed = len;
        s += len;
        text_trim(&start, &trimmed);
        if (trimmed > 0)
            words[n++] = (struct word){start, trimmed};
    }
    return n;
}

static bool has(const struct word *w, const char *part) {
    char text[64];
    size_t len = w->len < sizeof text - 1 ? w->len : sizeof text - 1;
    memcpy(text, w->s, len);
    text[len] = '\0';
    return text_contains_fold(text, part);
}

/* "1_073_741_824", "32KiB", "16M", "443.72GBps": digits, then a unit of its own. */
static bool number(const struct word *w, double *x, struct word *unit) {
    char digits[40];
    size_t n = 0, i = 0;
    for (; i < w->len && n + 1 < sizeof digits && (isdigit((unsigned char)w->s[i]) || strchr("._-", w->s[i])); i++)
        if (w->s[i] != '_')
            digits[n++] = w->s[i];
    *unit = (struct word){w->s + i, w->len - i};
    return num_parse_plain(digits, n, x);
}

static bool is_unit(const struct word *unit, const char *text) {
    return unit->len == strlen(text) && strncasecmp(unit->s, text, unit->len) == 0;
}

/* Bytes; a bare K, M, G of a table is a label near enough to either. */
static bool bytes_of(const struct word *w, double *x) {
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1},
                 {"B", 1},
                 {"K", 1e3},
                 {"KB", 1e3},
                 {"KiB", 1024},
                 {"M", 1e6},
                 {"MB", 1e6},
                 {"MiB", 1048576},
                 {"G", 1e9},
                 {"GB", 1e9},
                 {"GiB", NUM_GIB},
                 {"T", 1e12},
                 {"TiB", 1024 * NUM_GIB}};
    struct word unit;
    if (!number(w, x, &unit) || !(*x >= 0 && *x < 1e15))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (is_unit(&unit, units[i].unit)) {
            *x *= units[i].factor;
            return true;
        }
    return false;
}

static double gbs_of(const struct word *w) {
    struct word unit;
    double x;
    bool good = number(w, &x, &unit) && x >= 0 && x < 1e6;
    return good && (unit.len == 0 || is_unit(&unit, "GBps") || is_unit(&unit, "GB/s")) ? x : NUM_UNKNOWN;
}

/* ---- headers ---- */

static enum column column_of(const struct word *w, bool again) {
    if (has(w, "busbw"))
        return again ? COLUMN_IN_BUSBW : COLUMN_BUSBW;
    if (has(w, "algbw"))
        return again ? COLUMN_IN_ALGBW : COLUMN_ALGBW;
    if (has(w, "time"))
        return again ? COLUMN_IN_TIME : COLUMN_TIME;
    return has(w, "size") || has(w, "payload") ? COLUMN_BYTES : COLUMN_NONE;
}

/* Words above the columns. In a table of which none is called busbw, the first one beside the sizes is taken for it. */
static bool take_header(struct reader *r, const struct word *words, int count, bool table) {
    bool seen[8] = {false};
    enum column columns[WORDS];
    int first = count > 0 && is_unit(&words[0], "#"), n = 0;
    for (int i = first; i < count; i++) {
        enum column k = column_of(&words[i], false);
        if (k != COLUMN_NONE && seen[k])
            k = column_of(&words[i], true);
        seen[k] = true;
        columns[n++] = k;
    }
    bool named = seen[COLUMN_BUSBW];
    if (n < 2 || !seen[COLUMN_BYTES] || (!named && !table))
        return false;
    if (!named)
        columns[1] = COLUMN_BUSBW;
    memcpy(r->columns, columns, sizeof columns);
    r->column_count = n;
    r->table = table;
    return true;
}

/* ---- rows ---- */

static void put(struct nccl_row *row, enum column k, const struct word *w) {
    double x = gbs_of(w);
    switch (k) {
    case COLUMN_BUSBW:
        row->busbw_gbs = x;
        break;
    case COLUMN_IN_BUSBW:
        row->in_place_gbs = x;
        break;
    case COLUMN_ALGBW:
        row->algbw_gbs = x;
        break;
    case COLUMN_TIME:
        row->time_us = x;
        break;
    default:
        break;
    }
}

static bool take_row(struct reader *r, const struct word *words, int count) {
    struct nccl_row row = {0, NUM_UNKNOWN, NUM_UNKNOWN, NUM_UNKNOWN, NUM_UNKNOWN};
    if (r->column_count == 0 || count < 2 || !bytes_of(&words[0], &row.bytes))
        return false;
    for (int i = 1; i < count && i < r->column_count; i++)
        put(&row, r->columns[i], &words[i]);
    if (!num_known(row.busbw_gbs) || r->log->count == NCCL_MAX_ROWS) {
        r->log->passed_over++;
        return true;
    }
    r->log->rows[r->log->count++] = row;
    return true;
}

/* "#  Rank  3 Group  0 Pid 1 on nodeA device  3 [0x0f] NVIDIA H100 80GB HBM3" */
static bool take_rank(struct reader *r, const char *line) {
    char host[32], device[8];
    int rank, at = 0;
    const char *s = line + strspn(line, "# \t");
    if (sscanf(s, "Rank %7d Group %*d Pid %*d on %31s %7s %*d%n", &rank, host, device, &at) != 3 || at == 0 ||
        strcmp(device, "device") != 0) {
        if (sscanf(s, "Rank %7d Pid %*d on %31s %7s %*d%n", &rank, host, device, &at) != 3 || at == 0)
            return false;
    }
    if (rank >= r->ranks && rank >= 0)
        r->ranks = rank + 1;
    r->rank_lines++;
    int known = 0;
    while (known < r->host_count && strcmp(r->hosts[known], host) != 0)
        known++;
    if (known == r->host_count && known < NCCL_MAX_HOSTS)
        snprintf(r->hosts[r->host_count++], sizeof r->hosts[0], "%s", host);
    const char *name = strchr(s + at, ']');
    if (name && r->log->gpu[0] == '\0') {
        const char *start = name + 1;
        size_t len = strlen(start);
        text_trim(&start, &len);
        text_clean(r->log->gpu, sizeof r->log->gpu, start, len);
    }
    return true;
}

static bool take_operation(struct reader *r, const char *line) {
    static const struct {
        const char *word;
        enum nccl_operation operation;
    } words[] = {
        {"all_reduce_perf", NCCL_ALL_REDUCE}, {"all_gather_perf", NCCL_RING}, {"reduce_scatter_perf", NCCL_RING}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i].word)) {
            r->log->operation = words[i].operation;
            return true;
        }
    return false;
}

/* "# gpu: NAME" as in a topology. */
static bool take_card(struct reader *r, const char *line) {
    const char *name = line[0] == '#' ? strstr(line, "gpu:") : NULL;
    if (!name)
        return false;
    size_t len = strcspn(name + 4, "|");
    name += 4;
    text_trim(&name, &len);
    text_clean(r->log->gpu, sizeof r->log->gpu, name, len);
    return true;
}

static void take_line(struct reader *r, const char *line) {
    struct word words[WORDS];
    const char *s = without_prefix(line);
    bool table = s[strspn(s, " ")] == '|';
    int count = split(s, table ? "|" : " \t\r", words);
    if (count == 0 || take_rank(r, s) || take_header(r, words, count, table) || take_card(r, s))
        return;
    if (table == r->table && take_row(r, words, count))
        return;
    take_operation(r, s);
}

/* ---- the whole ---- */

/*
 * busbw over algbw is 2(n-1)/n of an all-reduce and (n-1)/n of a gather or scatter, so the largest row tells which it was and
 * how many took part; two decimals are enough for some 64.
 */
static void use_ratio(struct nccl_log *log) {
    const struct nccl_row *best = NULL;
    for (int i = 0; i < log->count; i++)
        if (num_known(log->rows[i].algbw_gbs) && (!best || log->rows[i].algbw_gbs > best->algbw_gbs))
            best = &log->rows[i];
    if (!best || !(best->algbw_gbs > 0.5))
        return;
    double ratio = best->busbw_gbs / best->algbw_gbs;
    if (log->operation == NCCL_UNKNOWN)
        log->operation = ratio > 0.995 ? NCCL_ALL_REDUCE : NCCL_RING;
    double n = log->operation == NCCL_ALL_REDUCE ? 2 / (2 - ratio) : 1 / (1 - ratio);
    if (log->gpus == 0 && n > 1.5 && n < 64.5) {
        log->gpus = (int)lround(n);
        log->gpus_by_ratio = true;
    }
}

static void sum_up(struct reader *r) {
    struct nccl_log *log = r->log;
    log->gpus = r->ranks;
    /* of a list that was cut, one name says nothing about the others */
    log->nodes = r->host_count > 1 || r->rank_lines >= r->ranks ? r->host_count : 0;
    use_ratio(log);
    double smallest = INFINITY;
    log->smallest_us = NUM_UNKNOWN;
    for (int i = 0; i < log->count; i++) {
        const struct nccl_row *row = &log->rows[i];
        double best = num_known(row->in_place_gbs) ? fmax(row->busbw_gbs, row->in_place_gbs) : row->busbw_gbs;
        if (best > log->peak_gbs) {
            log->peak_gbs = best;
            log->peak_bytes = row->bytes;
        }
        if (row->bytes > 0 && row->bytes < smallest && num_known(row->time_us)) {
            smallest = row->bytes;
            log->smallest_us = row->time_us;
        }
    }
}

bool nccl_read(const char *bytes, size_t len, const char *name, struct nccl_log *out, struct err *err) {
    struct reader *r = mem_zero(1, sizeof *r);
    char line[LINE];
    memset(out, 0, sizeof *out);
    r->log = out;
    for (size_t at = 0; at < len;) {
        const char *end = memchr(bytes + at, '\n', len - at);
        size_t n = end ? (size_t)(end - bytes) - at : len - at, keep = n < sizeof line - 1 ? n : sizeof line - 1;
        memcpy(line, bytes + at, keep);
        line[keep] = '\0';
        take_line(r, line);
        at += n + 1;
    }
    sum_up(r);
    free(r);
    if (out->count > 0 && out->peak_gbs > 0)
        return true;
    err_set(err, ERR_DATA, "no row with a size and a busbw in it; expected the output of nccl-tests or a table of it");
    return err_at(err, name, 0, 0, NULL);
}
