/* SPDX-License-Identifier: MIT */
#include "gpuplan/base/err.h"

#include <stdio.h>
#include <string.h>

#include "gpuplan/base/text.h"

bool err_set(struct err *err, enum err_code code, const char *format, ...) {
    if (err == NULL)
        return false;
    char raw[2 * sizeof err->text];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    memset(err, 0, sizeof *err);
    err->code = code;
    if (n > 0) {
        size_t len = (size_t)n < sizeof raw ? (size_t)n : sizeof raw - 1;
        text_clean(err->text, sizeof err->text, raw, len);
    }
    return false;
}

bool err_at(struct err *err, const char *file, long line, long record, const char *field) {
    if (err == NULL)
        return false;
    if (file != NULL)
        text_clean(err->file, sizeof err->file, file, strlen(file));
    if (line > 0)
        err->line = line;
    if (record > 0)
        err->record = record;
    if (field != NULL)
        text_clean(err->field, sizeof err->field, field, strlen(field));
    return false;
}

/* Appends like snprintf but never past cap, and keeps the length honest when the text was cut. */
__attribute__((format(printf, 4, 5))) static void append(char *out, size_t cap, size_t *len, const char *format, ...) {
    if (*len + 1 >= cap)
        return;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(out + *len, cap - *len, format, args);
    va_end(args);
    if (n > 0)
        *len += (size_t)n < cap - *len ? (size_t)n : cap - *len - 1;
}

size_t err_format(const struct err *err, char *out, size_t cap) {
    size_t len = 0;
    if (cap == 0)
        return 0;
    out[0] = '\0';
    if (err->file[0] != '\0' && err->line > 0)
        append(out, cap, &len, "%s:%ld: ", err->file, err->line);
    else if (err->file[0] != '\0')
        append(out, cap, &len, "%s: ", err->file);
    else if (err->line > 0)
        append(out, cap, &len, "line %ld: ", err->line);
    if (err->record > 0)
        append(out, cap, &len, "record %ld: ", err->record);
    if (err->field[0] != '\0')
        append(out, cap, &len, "%s: ", err->field);
    append(out, cap, &len, "%s", err->text);
    return len;
}
