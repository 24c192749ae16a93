/* SPDX-License-Identifier: MIT */
/*
 * Constants fitted to what the user measured: collectives (logs of nccl-tests) set what a link reaches, jobs (rows of
 * docs/measurements.md) set how much of its rated speed a card gives, and the link where they tell. docs/calibration.md.
 */
#ifndef GPUPLAN_ESTIMATE_CALIBRATION_H
#define GPUPLAN_ESTIMATE_CALIBRATION_H

#include "gpuplan/base/buf.h"
#include "gpuplan/estimate/measurement.h"
#include "gpuplan/hardware/nccl.h"

enum calibration_what { CALIBRATION_ASSUMPTION, CALIBRATION_RING, CALIBRATION_ALLREDUCE, CALIBRATION_WHAT_COUNT };
struct calibration_row {
    enum calibration_what what;
    char key[64]; /* of the assumption, or of the link's row */
    struct range was, is;
    int count; /* measurements */
};
enum { CALIBRATION_MAX = 64, CALIBRATION_MAX_NOTES = 32 };

enum calibration_note_code {
    CALIBRATION_NODES,       /* file: several machines; networks are not fitted */
    CALIBRATION_SMALL,       /* file, a MB: no message is large enough */
    CALIBRATION_NO_COUNT,    /* file: how many GPUs is not said (--gpus) */
    CALIBRATION_NO_CARD,     /* file: which card is not said (--gpu) */
    CALIBRATION_FAR_OFF,     /* file or key, a = measured over expected: not believed */
    CALIBRATION_SLOW_METRIC, /* a rows of no speed: memory, fits */
    CALIBRATION_NO_EFFECT,   /* key: these jobs hardly depend on it */
    CALIBRATION_ROWS_SKIPPED /* a rows that cannot be predicted */
};
struct calibration_note {
    enum calibration_note_code code;
    double a;
    char subject[96];
};
struct calibration {
    struct calibration_row rows[CALIBRATION_MAX];
    int count;
    struct calibration_note notes[CALIBRATION_MAX_NOTES];
    int note_count;
    /* of the jobs: mean of |log(measured / predicted)| */
    int jobs;
    double error_before, error_after;
};

/*
 * A log of one machine. g NULL: as the log says; link LINK_UNKNOWN: by the product; gpus 0: as the log says. What cannot be
 * used becomes a note.
 */
void calibration_take_log(struct calibration *k, const struct catalog *c, const struct nccl_log *log, const char *file,
                          const struct gpu *g, enum link_kind link, int gpus);
/* All rows of jobs at once. The catalogue's links are moved while it works, and stay as k says. */
void calibration_take_jobs(struct calibration *k, struct catalog *c, const struct measurement *const *rows,
                           size_t count, const struct assumptions *a);

/* CSV: what,key,low,expected,high,count. */
void calibration_put(struct buf *b, const struct calibration *k);
bool calibration_read(const char *bytes, size_t len, const char *name, struct calibration *out, struct err *err);
bool calibration_apply_links(const struct calibration *k, struct catalog *c, const char *name, struct err *err);
bool calibration_apply_assumptions(const struct calibration *k, struct assumptions *a, const char *name,
                                   struct err *err);

#endif
