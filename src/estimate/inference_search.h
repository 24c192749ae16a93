/* SPDX-License-Identifier: MIT */
/* Private: what the search of inference layouts shares with the evaluator. */
#ifndef GPUPLAN_ESTIMATE_INFERENCE_SEARCH_H
#define GPUPLAN_ESTIMATE_INFERENCE_SEARCH_H

#include "inference.h"

/* Fills speed, load and ranges of an estimate whose memory is known. */
void infer_speed(const struct infer *e, const struct infer_split *p, struct trace *t, struct estimate *out);

#endif
