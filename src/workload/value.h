/* SPDX-License-Identifier: MIT */
/* One value of one field: text in, text out. */
#ifndef GPUPLAN_SRC_WORKLOAD_VALUE_H
#define GPUPLAN_SRC_WORKLOAD_VALUE_H

#include "gpuplan/workload/job.h"

/* Reads a non-empty text of at most VALUE_MAX_TEXT bytes; out->source stays as it is. */
enum { VALUE_MAX_TEXT = 512 };
bool value_parse(const struct field *f, const char *text, struct value *out, struct err *err);
/* A number is allowed in this field or named in err with what is. */
bool value_check_number(const struct field *f, double x, struct err *err);
/* The text that value_parse() reads back; always terminated. */
size_t value_print(const struct field *f, const struct value *v, char *out, size_t cap);
/* "none" means something here: the limit or target does not exist. */
bool value_may_be_none(const struct field *f);
/* 0 means that the program chooses. */
bool value_zero_is_auto(const struct field *f);

/* Reads "4:0.8,8:0.7" (efficiency as a share or in per cent); at most 16 points, counts rising. */
bool points_parse(const char *text, struct job *out, struct err *err);

#endif
