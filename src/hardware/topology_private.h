/* SPDX-License-Identifier: MIT */
/* Between the files that read a topology: the matrix, and the facts that stand around it. */
#ifndef GPUPLAN_SRC_HARDWARE_TOPOLOGY_PRIVATE_H
#define GPUPLAN_SRC_HARDWARE_TOPOLOGY_PRIVATE_H

#include "gpuplan/hardware/topology.h"

/* One line without escape sequences and trailing blanks, cut into words. */
enum { TOPOLOGY_LINE = 4096, TOPOLOGY_WORDS = 320 };
struct topology_line {
    char text[TOPOLOGY_LINE];
    size_t len;
    long number;
    struct topology_word {
        const char *s;
        size_t len;
    } words[TOPOLOGY_WORDS];
    int count;
};
void topology_line_split(struct topology_line *line);
bool topology_word_is(const struct topology_word *w, const char *text);
/* "GPU12" -> 12; -1. */
int topology_word_gpu(const struct topology_word *w);

/* State of the lines around the matrix. */
struct topology_facts {
    int columns[16]; /* of the query: which fact stands in each place */
    int column_count;
    int link_gpu; /* whose "Link 0: …" lines these are; -1 */
};
/* Takes a line that is not part of a matrix; what says nothing is passed over. */
void topology_facts_line(struct topology_facts *f, const struct topology_line *line, struct topology *t);

/* ---- matrices as they stand in the text ---- */

enum { TOPOLOGY_CELLS = TOPOLOGY_MAX_GPUS + TOPOLOGY_MAX_NICS };
enum matrix { MATRIX_NONE, MATRIX_WEIGHT, MATRIX_HOPS, MATRIX_TYPE };

struct topology_row {
    bool there;
    long line;
    int count;
    uint8_t path[TOPOLOGY_CELLS], links[TOPOLOGY_CELLS];
    char bad[48]; /* the first word that is no cell; "" = none */
};

struct topology_reader {
    struct topology *t;
    struct topology_facts facts;
    enum matrix section; /* of AMD, by its banner */
    bool closed;         /* the first matrix of paths has ended: a row that comes again is another one */
    int header_gpus, header_nics;
    bool title_cpu, title_gpu_numa;
    bool header_open;          /* the line before was a header */
    struct topology_line open; /* a GPU's row that ended before all its cells came */
    bool row_open;
    struct topology_row row[TOPOLOGY_MAX_GPUS];
    uint8_t p2p[TOPOLOGY_MAX_GPUS][TOPOLOGY_MAX_GPUS]; /* 1 = off */
    int amd_gpus;
    uint8_t type[TOPOLOGY_MAX_GPUS][TOPOLOGY_MAX_GPUS], hops[TOPOLOGY_MAX_GPUS][TOPOLOGY_MAX_GPUS];
    int weight[TOPOLOGY_MAX_GPUS][TOPOLOGY_MAX_GPUS];
    bool amd_row[TOPOLOGY_MAX_GPUS];
};

/* The rows become the matrix of r->t; false when there are none. */
bool topology_finish(struct topology_reader *r);

#endif
