/* SPDX-License-Identifier: MIT */
/* "skip": rows that are no offers. Also what several members of a mapping file have in common: texts, lists of them, keys. */
#include "listing/mapping.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"

enum { MAX_CONDITIONS = 32, MAX_TEXTS = 256, MAX_KEYS = 64 };

const char *mapping_strdup(struct mapping *m, const char *s) {
    char clean[MAX_TEXT];
    size_t len = strlen(s);
    if (len < sizeof clean && text_is_clean(s, len))
        return arena_strndup(m->arena, s, len);
    len = text_clean(clean, sizeof clean, s, len);
    return arena_strndup(m->arena, clean, len);
}

bool mapping_check_keys(const cJSON *object, const char *const *allowed, struct err *err) {
    char list[240] = "", shown[48];
    size_t count = 0, used = 0;
    while (allowed[count])
        count++;
    for (const cJSON *member = object->child; member; member = member->next) {
        bool known = strncmp(member->string, "//", 2) == 0; /* a remark */
        for (size_t i = 0; i < count && !known; i++)
            known = strcmp(allowed[i], member->string) == 0;
        if (known)
            continue;
        text_clean(shown, sizeof shown, member->string, strlen(member->string));
        const char *near = text_nearest(shown, allowed, count);
        if (near)
            return err_set(err, ERR_DATA, "unknown member \"%s\", did you mean \"%s\"?", shown, near);
        for (size_t i = 0; i < count && used < sizeof list; i++)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? " " : "", allowed[i]);
        return err_set(err, ERR_DATA, "unknown member \"%s\"; allowed are %s", shown, list);
    }
    return true;
}

/* Numbers and truth values stand for their text. */
static const char *text_of(struct mapping *m, const cJSON *value) {
    char text[32];
    if (cJSON_IsString(value))
        return mapping_strdup(m, value->valuestring);
    if (cJSON_IsBool(value))
        return cJSON_IsTrue(value) ? "true" : "false";
    if (!cJSON_IsNumber(value))
        return NULL;
    num_format_plain(text, sizeof text, value->valuedouble, 15);
    return mapping_strdup(m, text);
}

bool mapping_texts_parse(struct mapping *m, const cJSON *value, const char *what, const char ***out, size_t *count,
                         struct err *err) {
    bool list = cJSON_IsArray(value);
    int n = list ? cJSON_GetArraySize(value) : 1, i = 0;
    if (n > MAX_TEXTS)
        return err_set(err, ERR_DATA, "\"%s\": at most %d texts", what, MAX_TEXTS);
    *out = arena_alloc(m->arena, sizeof **out * (size_t)(n ? n : 1));
    *count = (size_t)n;
    for (const cJSON *item = list ? value->child : value; i < n; item = item->next, i++) {
        (*out)[i] = text_of(m, item);
        if (!(*out)[i])
            return err_set(err, ERR_DATA, "\"%s\" must be a text, or a list of texts", what);
    }
    return true;
}

static const struct {
    const char *key;
    enum condition_op op;
} ops[] = {{"is", CONDITION_IS},       {"is_not", CONDITION_IS_NOT}, {"matches", CONDITION_MATCHES},
           {"above", CONDITION_ABOVE}, {"below", CONDITION_BELOW},   {"empty", CONDITION_EMPTY}};

static bool parse_condition(struct mapping *m, const cJSON *object, bool reasons, struct condition *c,
                            struct err *err) {
    static const char *const allowed[] = {"if", "is", "is_not", "matches", "above", "below", "empty", "why", NULL};
    if (!cJSON_IsObject(object))
        return err_set(err, ERR_DATA, "each element must be an object {\"if\": PATH, \"is\": TEXT, \"why\": TEXT}");
    if (!mapping_check_keys(object, allowed, err))
        return false;
    const char *path = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "if"));
    const char *why = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "why"));
    const cJSON *operand = NULL;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, ops[i].key);
        if (item && operand)
            return err_set(err, ERR_DATA, "one of is, is_not, matches, above, below, empty, not two");
        if (item) {
            operand = item;
            c->op = ops[i].op;
        }
    }
    if (!path || !operand)
        return err_set(err, ERR_DATA, "needs \"if\" (a path) and one of is, is_not, matches, above, below, empty");
    if (reasons && (!why || !*why))
        return err_set(err, ERR_DATA, "needs \"why\", the reason that is shown");
    c->why = why ? mapping_strdup(m, why) : "";
    c->path = mapping_path(m, path, true, err);
    if (!c->path)
        return false;
    switch (c->op) {
    case CONDITION_IS:
    case CONDITION_IS_NOT:
        return mapping_texts_parse(m, operand, "is", &c->texts, &c->count, err);
    case CONDITION_MATCHES:
        if (!cJSON_IsString(operand))
            return err_set(err, ERR_DATA, "\"matches\" must be a regular expression");
        c->pattern = mapping_pattern(m, operand->valuestring, err);
        return c->pattern != NULL;
    case CONDITION_EMPTY:
        return cJSON_IsTrue(operand) || err_set(err, ERR_DATA, "\"empty\" must be true");
    default:
        c->number = cJSON_IsNumber(operand) ? operand->valuedouble : NUM_UNKNOWN;
        return isfinite(c->number) || err_set(err, ERR_DATA, "\"above\" and \"below\" need a number");
    }
}

bool mapping_conditions_parse(struct mapping *m, const cJSON *list, bool reasons, struct condition **out, size_t *count,
                              struct err *err) {
    int n = cJSON_GetArraySize(list), i = 0;
    if (!list)
        return true;
    if (!cJSON_IsArray(list) || n > MAX_CONDITIONS)
        return err_set(err, ERR_DATA, "must be a list of at most %d conditions", MAX_CONDITIONS);
    *out = arena_alloc(m->arena, sizeof **out * (size_t)(n ? n : 1));
    for (const cJSON *item = list->child; item; item = item->next, i++)
        if (!parse_condition(m, item, reasons, &(*out)[i], err))
            return false;
    *count = (size_t)n;
    return true;
}
