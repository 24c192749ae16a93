/* SPDX-License-Identifier: MIT */
#include "workload/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/text.h"
#include "workload/words.h"

bool value_may_be_none(const struct field *f) {
    bool target = f->id == FIELD_TTFT_MS || f->id == FIELD_ITL_MS || f->id == FIELD_E2E_MS;
    return f->type == FIELD_NUMBER && (f->group == GROUP_LIMITS || target);
}

bool value_zero_is_auto(const struct field *f) {
    bool open = f->group == GROUP_LAYOUT || f->id == FIELD_MICRO_BATCH || f->id == FIELD_MAX_GPUS;
    return f->type == FIELD_INTEGER && open && f->id != FIELD_ZERO;
}

static bool wrong(const struct field *f, struct err *err) {
    return err_at(err, NULL, 0, 0, f->name);
}

/* ---- numbers ---- */

/* What a person may write besides plain digits, for the error. */
static const char *example(const struct field *f) {
    switch (f->unit) {
    case NUM_TOKENS:
        return f->binary_k ? ", such as 4096 or 8k" : ", such as 50M or 2B";
    case NUM_HOURS:
        return " hours, such as 36h, 90m or 2d";
    case NUM_SECONDS:
        return " seconds, such as 0.4 or 250ms";
    case NUM_MILLISECONDS:
        return " milliseconds, such as 500 or 2s";
    case NUM_SHARE:
        return ", such as 0.05 or 5%";
    case NUM_GB_UNIT:
        return " GB, such as 200 or 1.5TB";
    case NUM_GIB_UNIT:
        return " GiB, such as 20 or 20GB";
    default:
        return "";
    }
}

static void allowed_numbers(const struct field *f, char *out, size_t cap) {
    char low[40], high[40];
    num_format_plain(low, sizeof low, f->min, 6);
    num_format_plain(high, sizeof high, f->max, 6);
    const char *kind = f->type == FIELD_INTEGER ? "whole numbers from " : "";
    const char *other = value_may_be_none(f) ? "; or none" : value_zero_is_auto(f) ? "; or auto" : "";
    snprintf(out, cap, "%s%s to %s%s%s", kind, low, high, example(f), other);
}

static bool refuse_number(const struct field *f, const char *text, struct err *err) {
    char allowed[200];
    allowed_numbers(f, allowed, sizeof allowed);
    err_set(err, ERR_USAGE, "\"%.60s\" is not allowed; allowed are %s", text, allowed);
    return wrong(f, err);
}

bool value_check_number(const struct field *f, double x, struct err *err) {
    char text[40];
    if (isfinite(x) && x >= f->min && x <= f->max && (f->type != FIELD_INTEGER || x == floor(x)))
        return true;
    num_format_plain(text, sizeof text, x, 10);
    return refuse_number(f, text[0] != '\0' ? text : "a number without end", err);
}

/* Fields in billions or millions of parameters: "70B" and "25M" mean themselves. */
static double parameter_scale(const struct field *f) {
    if (f->id == FIELD_PARAMS_B || f->id == FIELD_ACTIVE_PARAMS_B)
        return 1e9;
    return f->id == FIELD_PARAMS_M ? 1e6 : 1;
}

static bool ends_with_letter(const char *text) {
    char last = text[strlen(text) - 1];
    return (last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z');
}

static bool parse_number(const struct field *f, const char *text, struct value *out, struct err *err) {
    if (value_may_be_none(f) && text_equal_fold(text, "none")) {
        out->number = NUM_UNKNOWN;
        return true;
    }
    if (value_zero_is_auto(f) && text_equal_fold(text, "auto")) {
        out->number = 0;
        return true;
    }
    double x;
    if (!num_parse(text, f->unit, f->binary_k, &x))
        return refuse_number(f, text, err);
    double scale = parameter_scale(f);
    if (scale > 1 && ends_with_letter(text))
        x /= scale;
    if (!value_check_number(f, x, NULL))
        return refuse_number(f, text, err);
    out->number = x;
    return true;
}

/* ---- words ---- */

static bool refuse_word(const struct field *f, const char *text, const char *const *words, struct err *err) {
    char allowed[240];
    size_t n = 0;
    allowed[0] = '\0';
    for (size_t i = 0; words[i] != NULL && n < sizeof allowed; i++)
        n += (size_t)snprintf(allowed + n, sizeof allowed - n, "%s%s", i > 0 ? ", " : "", words[i]);
    err_set(err, ERR_USAGE, "\"%.40s\" is not allowed; allowed are %s", text, allowed);
    return wrong(f, err);
}

static const char *const words_answer[] = {"no", "yes", NULL};
static const char *const words_no[] = {"no", "false", "off", "0", NULL};
static const char *const words_yes[] = {"yes", "true", "on", "1", NULL};

static bool parse_bool(const struct field *f, const char *text, struct value *out, struct err *err) {
    if (words_find(words_yes, text) >= 0)
        out->word = 1;
    else if (words_find(words_no, text) >= 0)
        out->word = 0;
    else
        return refuse_word(f, text, words_answer, err);
    return true;
}

static bool parse_word(const struct field *f, const char *text, struct value *out, struct err *err) {
    int word = words_find(f->words, text);
    if (word < 0)
        return refuse_word(f, text, f->words, err);
    out->word = word;
    return true;
}

static bool parse_text(const struct field *f, const char *text, struct value *out, struct err *err) {
    struct job unused;
    size_t len = text_clean(out->text, sizeof out->text, text, strlen(text));
    if (len > (size_t)f->max || strlen(text) > (size_t)f->max) {
        err_set(err, ERR_USAGE, "longer than the %.0f bytes that are allowed", f->max);
        return wrong(f, err);
    }
    return f->id != FIELD_POINTS || points_parse(out->text, &unused, err); /* what is kept must be readable again */
}

bool value_parse(const struct field *f, const char *text, struct value *out, struct err *err) {
    switch (f->type) {
    case FIELD_NUMBER:
    case FIELD_INTEGER:
        return parse_number(f, text, out, err);
    case FIELD_BOOL:
        return parse_bool(f, text, out, err);
    case FIELD_WORD:
        return parse_word(f, text, out, err);
    case FIELD_TEXT:
        return parse_text(f, text, out, err);
    }
    return false;
}

/* ---- printing ---- */

/* "50M" for amounts that people count in millions; lengths, widths and everything small stay plain. */
static size_t print_amount(double x, char *out, size_t cap) {
    static const struct {
        double factor;
        char suffix;
    } scales[] = {{1e12, 'T'}, {1e9, 'B'}, {1e6, 'M'}};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        double thousandths = x / scales[i].factor * 1000;
        if (x >= scales[i].factor && thousandths == floor(thousandths)) {
            size_t n = num_format_plain(out, cap, x / scales[i].factor, 10);
            return n + 1 < cap ? (out[n] = scales[i].suffix, out[n + 1] = '\0', n + 1) : n;
        }
    }
    return num_format_plain(out, cap, x, 15);
}

static size_t print_number(const struct field *f, double x, char *out, size_t cap) {
    const char *word = !num_known(x) ? "none" : x == 0 && value_zero_is_auto(f) ? "auto" : NULL;
    if (word != NULL)
        return (size_t)snprintf(out, cap, "%s", word);
    bool counted = f->unit == NUM_TOKENS || f->unit == NUM_COUNT;
    bool amount = f->type == FIELD_NUMBER && counted && !f->binary_k && parameter_scale(f) == 1;
    return amount ? print_amount(x, out, cap) : num_format_plain(out, cap, x, 15);
}

size_t value_print(const struct field *f, const struct value *v, char *out, size_t cap) {
    int n = 0;
    switch (f->type) {
    case FIELD_NUMBER:
    case FIELD_INTEGER:
        return print_number(f, v->number, out, cap);
    case FIELD_BOOL:
        n = snprintf(out, cap, "%s", words_answer[v->word != 0]);
        break;
    case FIELD_WORD:
        n = snprintf(out, cap, "%s", f->words[v->word]);
        break;
    case FIELD_TEXT:
        n = snprintf(out, cap, "%s", v->text);
        break;
    }
    return n < 0 ? 0 : (size_t)n < cap ? (size_t)n : cap - 1;
}

/* ---- measured scaling ---- */

enum { MAX_POINTS = sizeof(((struct job *)0)->points) / sizeof(((struct job *)0)->points[0]) };

static bool refuse_points(struct err *err) {
    err_set(err, ERR_USAGE, "allowed are up to %d pairs count:efficiency with rising counts, such as 2:0.92,4:0.80",
            MAX_POINTS);
    return err_at(err, NULL, 0, 0, "points");
}

/* An efficiency may pass 1 when the smaller run had to save memory, but not by much. */
static bool parse_point(const char *text, size_t len, double *gpus, double *efficiency) {
    char copy[64];
    const char *colon = memchr(text, ':', len);
    if (colon == NULL || len >= sizeof copy)
        return false;
    size_t left = (size_t)(colon - text);
    memcpy(copy, colon + 1, len - left - 1);
    copy[len - left - 1] = '\0';
    return num_parse_plain(text, left, gpus) && num_parse(copy, NUM_SHARE, false, efficiency) && *gpus >= 1 &&
           *gpus <= 1e6 && *gpus == floor(*gpus) && *efficiency > 0 && *efficiency <= 2;
}

bool points_parse(const char *text, struct job *out, struct err *err) {
    double last = 0;
    out->point_count = 0;
    while (*text != '\0') {
        size_t len = strcspn(text, ",;");
        const char *piece = text;
        size_t piece_len = len;
        double gpus, efficiency;
        text_trim(&piece, &piece_len);
        if (out->point_count >= MAX_POINTS || !parse_point(piece, piece_len, &gpus, &efficiency) || gpus <= last)
            return refuse_points(err);
        out->points[out->point_count].gpus = last = gpus;
        out->points[out->point_count++].efficiency = efficiency;
        text += len + (text[len] != '\0');
    }
    return out->point_count > 0 || refuse_points(err);
}
