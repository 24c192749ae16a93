/* SPDX-License-Identifier: MIT */
/* Private to measurement*.c: the cells of one row between reading and meaning. */
#ifndef GPUPLAN_ESTIMATE_MEASUREMENT_INTERNAL_H
#define GPUPLAN_ESTIMATE_MEASUREMENT_INTERNAL_H

#include "gpuplan/base/mem.h"
#include "gpuplan/estimate/measurement.h"

/* Columns of a file, in the order of docs/measurements.md: X(ID, "name", kind, least, most). Text has no bounds. */
#define MEASUREMENT_COLUMNS(X)                                    \
    X(ID, "id", CELL_TEXT, 0, 0)                                  \
    X(KIND, "kind", CELL_TEXT, 0, 0)                              \
    X(SERIES, "series", CELL_TEXT, 0, 0)                          \
    X(SOURCE, "source", CELL_TEXT, 0, 0)                          \
    X(YEAR, "year", CELL_COUNT, 2000, 2100)                       \
    X(QUALITY, "quality", CELL_TEXT, 0, 0)                        \
    X(TASK, "task", CELL_TEXT, 0, 0)                              \
    X(MODEL, "model", CELL_TEXT, 0, 0)                            \
    X(PARAMS_B, "params_b", CELL_NUMBER, 1e-4, 1e5)               \
    X(ACTIVE_PARAMS_B, "active_params_b", CELL_NUMBER, 1e-4, 1e5) \
    X(LAYERS, "layers", CELL_COUNT, 1, 1000)                      \
    X(HIDDEN, "hidden", CELL_COUNT, 16, 1000000)                  \
    X(HEADS, "heads", CELL_COUNT, 1, 10000)                       \
    X(KV_HEADS, "kv_heads", CELL_COUNT, 1, 10000)                 \
    X(HEAD_DIM, "head_dim", CELL_COUNT, 1, 10000)                 \
    X(FFN, "ffn", CELL_COUNT, 1, 10000000)                        \
    X(VOCAB, "vocab", CELL_COUNT, 2, 10000000)                    \
    X(EXPERTS, "experts", CELL_COUNT, 0, 10000)                   \
    X(EXPERTS_ACTIVE, "experts_active", CELL_COUNT, 0, 10000)     \
    X(GPU, "gpu", CELL_TEXT, 0, 0)                                \
    X(GPUS, "gpus", CELL_COUNT, 1, 1000000)                       \
    X(GPUS_PER_NODE, "gpus_per_node", CELL_COUNT, 1, 1024)        \
    X(INTRA_NODE, "intra_node", CELL_TEXT, 0, 0)                  \
    X(INTER_NODE_GBPS, "inter_node_gbps", CELL_NUMBER, 0.01, 1e6) \
    X(PRECISION, "precision", CELL_TEXT, 0, 0)                    \
    X(KV_PRECISION, "kv_precision", CELL_TEXT, 0, 0)              \
    X(OPTIMIZER, "optimizer", CELL_TEXT, 0, 0)                    \
    X(STRATEGY, "strategy", CELL_TEXT, 0, 0)                      \
    X(ZERO, "zero", CELL_COUNT, 0, 3)                             \
    X(TP, "tp", CELL_COUNT, 1, 4096)                              \
    X(PP, "pp", CELL_COUNT, 1, 4096)                              \
    X(CP, "cp", CELL_COUNT, 1, 4096)                              \
    X(EP, "ep", CELL_COUNT, 1, 4096)                              \
    X(DP, "dp", CELL_COUNT, 1, 1000000)                           \
    X(SEQ_PARALLEL, "seq_parallel", CELL_TEXT, 0, 0)              \
    X(RECOMPUTE, "recompute", CELL_TEXT, 0, 0)                    \
    X(OFFLOAD, "offload", CELL_TEXT, 0, 0)                        \
    X(LORA_RANK, "lora_rank", CELL_COUNT, 1, 65536)               \
    X(SEQ_LEN, "seq_len", CELL_COUNT, 1, 100000000)               \
    X(MICRO_BATCH, "micro_batch", CELL_COUNT, 1, 10000000)        \
    X(GLOBAL_BATCH, "global_batch", CELL_COUNT, 1, 1e9)           \
    X(INPUT_LEN, "input_len", CELL_NUMBER, 0, 1e8)                \
    X(OUTPUT_LEN, "output_len", CELL_NUMBER, 0, 1e8)              \
    X(CONCURRENCY, "concurrency", CELL_RATE, 1e-6, 1e6)           \
    X(ENGINE, "engine", CELL_TEXT, 0, 0)                          \
    X(MODE, "mode", CELL_TEXT, 0, 0)                              \
    X(METRIC, "metric", CELL_TEXT, 0, 0)                          \
    X(VALUE, "value", CELL_TEXT, 0, 0)                            \
    X(NOTES, "notes", CELL_TEXT, 0, 0)                            \
    X(SOFTWARE, "software", CELL_TEXT, 0, 0)

enum measurement_column {
#define COLUMN(id, name, kind, least, most) COLUMN_##id,
    MEASUREMENT_COLUMNS(COLUMN)
#undef COLUMN
        COLUMN_COUNT
};

/* One row: clean text ("" = not stated) and, for numeric columns, the checked number (NUM_UNKNOWN = not stated). */
struct cells {
    const char *text[COLUMN_COUNT];
    double number[COLUMN_COUNT]; /* concurrency "INF" is INFINITY */
};

/* The number of a count column, or `missing`. */
static inline int cell_count(const struct cells *row, enum measurement_column c, int missing) {
    return num_known(row->number[c]) ? (int)row->number[c] : missing;
}

/* Where a row's doubts go: each distinct text once. */
struct doubts {
    struct measurements *set;
    long line;
};
void measurement_warn(const struct doubts *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What the notes say in words this program knows (measurement_notes.c); zero = nothing. */
struct note_facts {
    enum memory_counter counter; /* COUNTER_PLAN = not stated */
    bool counter_active, fused_step, layer_split, attention_parallel, position_rows, chunked_loss, eager_attention,
        tuned;
    enum head_kind head;
    enum length_kind lengths;
    double mean_len; /* tokens; 0 = not stated */
    int reduce_bytes;
    int base;                 /* enum weight_format + 1; 0 = not stated */
    const char *engine;       /* NULL = none named */
    int network;              /* enum network_kind + 1; 0 = not stated */
    double requests, power_w; /* 0 = not stated */
};
void measurement_read_notes(const char *notes, struct note_facts *out);

/* job and shape of a row; returns NULL, or why the row cannot be asked about (static). */
const char *measurement_to_case(const struct catalog *c, const struct models *models, const struct cells *row,
                                const struct doubts *d, struct measurement *m);
/* The model of a row: a preset of the same shape, else the stated shape completed. False if nothing says how large it is. */
bool measurement_model(const struct models *models, const struct cells *row, const struct note_facts *facts,
                       struct model *out);

/*
 * A layout from what the row pins and, for the rest, what such a run usually does. May complete micro_batch, global_batch, dp ... in
 * *j as well. False if nothing legal comes out of it; the caller then searches.
 */
bool measurement_layout(const struct catalog *c, const struct measurement *m, const struct assumptions *a,
                        struct job *j, struct layout *out);

/* Whether `phrase` stands in s as whole words, in any case. */
bool measurement_says(const char *s, const char *phrase);
/* What the training program that the row names is known to do; nothing where it names none or it is not known. */
void measurement_software(const struct cells *row, struct job *j);

#endif
