/* SPDX-License-Identifier: MIT */
/* What a machine's topology is and what it means for the job, as text, Markdown and JSON; its words, for the screen too. */
#ifndef GPUPLAN_REPORT_TOPOLOGY_H
#define GPUPLAN_REPORT_TOPOLOGY_H

#include "gpuplan/decide/seen.h"
#include "gpuplan/report/report.h"

/* "every pair through the NVLink switch, at full width" */
const char *topology_class_label(enum topology_class c);
const char *topology_quality_label(char quality);
void topology_note_text(struct buf *b, const struct topology_note *n);
/* "nvswitch, about 365 GB/s a GPU (475 in all-reduce)" */
void topology_link_text(struct buf *b, const struct topology_verdict *v);
/* "0-3 | 4-7": the islands of two and more; "" when there is none. */
void topology_islands_text(struct buf *b, const struct topology *t, const struct topology_verdict *v);
/* "GPU0 and GPU5, SYS: across CPU sockets" */
void topology_worst_text(struct buf *b, const struct topology *t, const struct topology_verdict *v);
/* Two or three sentences: as listed, as found, the best of it. */
void topology_meaning(struct buf *b, const struct question *q, const struct topology *t, const struct seen *s);
/* "CUDA_VISIBLE_DEVICES=0,2": how to use just these. */
void topology_devices(struct buf *b, const struct topology *t, const struct seen_row *row);

/* s NULL: no offer with this card. */
void topology_text(struct buf *b, const struct question *q, const struct topology *t, const struct topology_verdict *v,
                   const struct seen *s, const struct style *style);
void topology_markdown(struct buf *b, const struct question *q, const struct topology *t,
                       const struct topology_verdict *v, const struct seen *s);
void topology_json(struct buf *b, const struct question *q, const struct topology *t, const struct topology_verdict *v,
                   const struct seen *s);

#endif
