/* SPDX-License-Identifier: MIT */
/* Private to listing/: a mapping file, read and checked. Everything in it lives in the arena of the mapping. */
#ifndef GPUPLAN_SRC_LISTING_MAPPING_H
#define GPUPLAN_SRC_LISTING_MAPPING_H

#include <regex.h>

#include "gpuplan/listing/mapping.h"
#include "listing/fields.h"

struct cJSON;

enum mapping_format { MAPPING_JSON, MAPPING_JSONL, MAPPING_CSV };

enum {
    MAPPING_MAX_VARIANTS = 64,
    MAPPING_MAX_LEVELS = 8,                       /* stars in the path of the rows */
    MAPPING_MOST_AROUND = MAPPING_MAX_LEVELS + 2, /* the document, a level a star, what stands behind the last */
    MAPPING_MAX_SEGMENTS = 16,
    MAPPING_MAX_PATTERN = 256,
};

/* ---- where a value stands (mapping_path.c) ---- */

struct segment {
    const char *name;
    bool any;                   /* "*": every element of a list, every member of an object */
    bool optional;              /* "*?": also once when there is none */
    int index;                  /* "name[2]"; -1 */
    const char *where, *equals; /* "name[type=scratch]": the first element whose member has this value; NULL */
};

struct path {
    const char *text; /* as written; the name of the column in a CSV */
    int up;           /* "^" */
    bool root, key;   /* "$", "@key" */
    size_t count;     /* 0: the row itself, "." */
    struct segment *segments;
    int id; /* of the column in a CSV */
};

/* ---- a value on its way to a field ---- */

struct word {
    const char *from, *to;
};

/* A number to multiply with or divide by: of the row, or fixed. */
struct factor {
    struct path *path;
    double number;
};

struct join {
    const char *name;
    struct path *rows, *key;
};

/* What has no field of its own in our format. */
enum pseudo_field {
    PSEUDO_NONE,
    PSEUDO_VRAM_TOTAL, /* "vram_total_gb": memory of all GPUs; counts them where nothing else does */
    PSEUDO_GPU_RATE,   /* "gpu_rate_usd_h": a price of one GPU that the row gives as well; compared */
};

struct mapping_field {
    const struct field *field; /* NULL: a pseudo field */
    enum pseudo_field pseudo;
    const char *name;
    int id; /* counts rows that had a value */
    /* one of these */
    const char *constant;
    struct path **from;
    size_t from_count;
    const char *text; /* "{gpu} {socket}" */
    /* and then, in this order */
    int join; /* index; -1 */
    struct path *on;
    const char **empty;
    size_t empty_count;
    regex_t *pattern;
    const char *pattern_text;
    struct word *words;
    size_t word_count;
    const char *other, *nothing; /* of "words": "*" and "" */
    const char *fallback;
    const char *strip;
    bool decimal_comma;
    const char *unit;
    double scale; /* NUM_UNKNOWN: per term */
    struct factor *times, *divide;
    struct mapping_field *otherwise; /* when this one says nothing */
};

enum condition_op {
    CONDITION_IS,
    CONDITION_IS_NOT,
    CONDITION_MATCHES,
    CONDITION_ABOVE,
    CONDITION_BELOW,
    CONDITION_EMPTY
};

struct condition {
    struct path *path;
    enum condition_op op;
    const char **texts;
    size_t count;
    double number;
    regex_t *pattern;
    const char *why;
};

/* One of the offers that a row makes: what all have in common, and what this one says otherwise. */
struct variant {
    struct mapping_field **fields;
    size_t count;
    struct condition *when; /* all must hold, or the row makes no such offer */
    size_t when_count;
    struct condition *skip;
    size_t skip_count;
};

/* One way in which such a payload comes. */
struct mapping_shape {
    struct path **keys; /* of JSON */
    const char **columns;
    size_t count;
    struct path *rows; /* of JSON */
    size_t skip_lines; /* of CSV, before the header */
};

struct mapping {
    struct arena *arena;
    const char *name, *label, *about, *file;
    enum mapping_origin origin;
    enum mapping_format format;
    struct mapping_shape *shapes;
    size_t shape_count;
    const char **empty; /* texts that mean nothing, for all fields */
    size_t empty_count;
    struct join *joins;
    size_t join_count;
    struct condition *skip;
    size_t skip_count;
    struct variant *variants;
    size_t variant_count;
    struct path **paths; /* all that look at a row, for CSV columns and for what is ignored */
    size_t path_count, path_cap;
    regex_t **patterns;
    size_t pattern_count, pattern_cap;
    int field_count; /* ids of fields */
};

/* mapping_file.c: NULL on error; `file` is for errors and is kept. */
struct mapping *mapping_parse(const char *bytes, size_t len, const char *file, enum mapping_origin origin,
                              struct err *err);
void mapping_free(struct mapping *m);

enum { MAPPING_MAX_OTHERWISE = 8 };
/* mapping_field.c, mapping_condition.c: of the members of the file. `err` gets the text; the caller adds the place. */
struct mapping_field *mapping_field_parse(struct mapping *m, const char *name, const struct cJSON *spec,
                                          struct err *err);
/* `reasons`: each says why a row is left out. */
bool mapping_conditions_parse(struct mapping *m, const struct cJSON *list, bool reasons, struct condition **out,
                              size_t *count, struct err *err);
bool mapping_texts_parse(struct mapping *m, const struct cJSON *value, const char *what, const char ***out,
                         size_t *count, struct err *err);
/* What an object of a mapping file may hold (NULL-terminated); a slip of the pen is named with the nearest. */
bool mapping_check_keys(const struct cJSON *object, const char *const *allowed, struct err *err);
const char *mapping_strdup(struct mapping *m, const char *s);

/* mapping_pattern.c: a POSIX extended regular expression that cannot run away. NULL on error. */
regex_t *mapping_pattern(struct mapping *m, const char *text, struct err *err);

/* mapping_path.c */
struct path *mapping_path(struct mapping *m, const char *text, bool of_row, struct err *err);
/* The row itself, what is around it, and what it is called there. */
struct level {
    const struct cJSON *node; /* NULL: an empty list that stands for one row */
    const char *key;          /* of an object's member; "" else */
    size_t index;
};
const struct cJSON *path_find(const struct path *p, const struct level *levels, size_t count, const char **key);
const struct cJSON *path_step(const struct segment *s, const struct cJSON *node);

/* mapping_unit.c: what one `unit` of a value is in the unit of `field`; NUM_UNKNOWN for "…/term". False: unknown. */
bool mapping_unit(const struct mapping_field *f, const char *unit, double *scale);
void mapping_unit_list(const struct mapping_field *f, char *out, size_t cap);

/* mapping_sniff.c: whether these bytes (the front of a payload) have the keys of a shape. */
bool mapping_json_has(const struct mapping_shape *s, const char *bytes, size_t len, const char **missing);
bool mapping_csv_has(const struct mapping_shape *s, const char *bytes, size_t len, const char **missing);
/* 0 = not of this kind; the shape, if any fits. */
int mapping_recognise(const struct mapping *m, const char *bytes, size_t len, const struct mapping_shape **shape,
                      const char **missing);
/* Bytes after the lines that stand before the header. */
const char *mapping_skip_lines(const char *bytes, size_t *len, size_t lines);

/* mapping_read.c */
bool mapping_read(const struct mapping *m, const struct mapping_shape *shape, const struct listing_context *ctx,
                  const char *bytes, size_t len, const char *name, struct offers *out, struct err *err);

/* ---- a row while it is read (mapping_row.c, mapping_value.c) ---- */

struct join_row {
    char *key;
    const struct cJSON *node;
};
struct join_table {
    struct join_row *rows;
    size_t count, cap;
};

struct row {
    struct reader *r;
    const struct mapping *m;
    /* JSON */
    struct level levels[MAPPING_MOST_AROUND];
    size_t level_count;
    struct join_table *joins;
    /* CSV */
    const struct csv_row *csv;
    const int *columns; /* by the id of a path; -1 = absent */
    size_t *had;        /* rows with a value, by the id of a field */
};

struct value {
    char text[MAX_TEXT];
    size_t len;
};

void row_look(const struct row *row, const struct path *p, struct value *out);
/* What a field gets: text after words and patterns. False: nothing is stated. */
bool row_value(const struct row *row, const struct mapping_field *f, struct value *out);
/* The same as a number in the field's unit; *good false: there is text that is no number. */
bool row_number(const struct row *row, const struct mapping_field *f, const struct value *v, double *out, bool *good);
bool row_condition(const struct row *row, const struct condition *c);
void row_add(const struct row *row);

#endif
