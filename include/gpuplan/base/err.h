/* SPDX-License-Identifier: MIT */
/*
 * Errors as values. A function that can fail returns bool (true = done) and fills a `struct err` that the caller owns;
 * only cli/ and main print. Text in an err has already passed text_clean(), so it is safe for a terminal and a log.
 */
#ifndef GPUPLAN_BASE_ERR_H
#define GPUPLAN_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

enum err_code {
    ERR_NONE = 0,
    ERR_USAGE,   /* wrong option, field or value: exit status 2 */
    ERR_DATA,    /* unreadable or malformed input: exit status 2 */
    ERR_IO,      /* the operating system said no: exit status 2 */
    ERR_NETWORK, /* exit status 3 */
};

struct err {
    enum err_code code;
    char file[160]; /* name as given by the user; empty = none */
    long line;      /* physical line, from 1; 0 = none */
    long record;    /* data record, from 1, header not counted; 0 = none */
    char field[64]; /* column or key; empty = none */
    char text[320]; /* what is wrong and what is allowed, one line, no final full stop */
};

/* Fills *err (which may be NULL) and returns false, so that `return err_set(...)` reads well. */
bool err_set(struct err *err, enum err_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Adds the place; NULL and 0 leave what is there. Returns false. */
bool err_at(struct err *err, const char *file, long line, long record, const char *field);

/* Writes "file:line: record N: field: text" (only the parts that are known) into out; returns the length. */
size_t err_format(const struct err *err, char *out, size_t cap);

#endif
