/* SPDX-License-Identifier: MIT */
/* Codes and numbers become sentences here, whole and translatable. All append to a buffer. */
#ifndef GPUPLAN_REPORT_SENTENCE_H
#define GPUPLAN_REPORT_SENTENCE_H

#include "gpuplan/base/buf.h"
#include "gpuplan/decide/decide.h"

/* "needs 131 GiB, card has 79" */
void sentence_reason(struct buf *b, const struct reason *r);
/* "GPU memory" - the code alone, for a heading */
const char *sentence_reason_label(enum reason_code c);
const char *sentence_risk_reason(enum risk_reason r);
const char *sentence_flag(enum offer_flag flag); /* what is doubtful about the listing's row */
const char *sentence_question(enum risk_question q);
/* One line: "if it is PCIe: +$115 if you stay, $14 to find out and leave". Nothing when nothing can be worse. */
void sentence_risk(struct buf *b, const struct question *q, const struct candidate *c);
/* The paragraph on top: what to rent, why that many, what it takes, what could go wrong, what else there is. */
void sentence_answer(struct buf *b, const struct ranking *r, const struct answer *a);
/* One candidate in two or three sentences: the machine, what it takes, what could go wrong; or why it is none. */
void sentence_candidate(struct buf *b, const struct question *q, const struct candidate *c);
/* "831 offers refused: needs 131 GiB, card has 79" */
void sentence_refusal(struct buf *b, const struct question *q, const struct refusal_summary *s);
/* "LoRA of llama-3.1-8b, 15M tokens of up to 2048" */
void sentence_job(struct buf *b, const struct job *j);
/* "8x A100 SXM 80G at lambda (gpu_8x_a100, us-east-1), $10.32/h" */
void sentence_machine(struct buf *b, const struct question *q, const struct candidate *c);

/* Parts of memory, of a step, of the cost; grades of risk: labels of a line. */
const char *memory_part_label(enum memory_part m);
const char *step_part_label(enum step_part s);
const char *cost_part_label(enum cost_part k);
const char *limiter_label(enum limiter l);
const char *risk_grade_label(enum risk_grade g);
/* "12,345" */
void sentence_count(struct buf *b, size_t n);

/* Short names for tables: "A100 SXM 80G". */
void short_gpu(char *out, size_t cap, const char *canonical);
const char *short_link(enum link_kind k);
/* "8x B300 288GB (BM.GPU.B300.8)" -> "BM.GPU.B300.8": count and card stand beside it already. */
const char *short_machine(const char *machine, size_t *len);
/* "now" "quota" "ask" "no" "?" */
const char *short_get(const struct offer *f);
/* "" measured, "?" declared or inferred, "??" assumed or unknown */
const char *provenance_mark(enum provenance p);
/* What was assumed for this offer because nobody states it; a bit each, named by assumption_text(). */
enum {
    UNSTATED_BILLING = 1,
    UNSTATED_STORAGE = 2,
    UNSTATED_EGRESS = 4,
    UNSTATED_RAM = 8,
    UNSTATED_DISK = 16,
    UNSTATED_LINK = 32,
    UNSTATED_NETWORK = 64,
    UNSTATED_INTERNET = 128,
    UNSTATED_ALL = 255
};
unsigned unstated_of(const struct question *q, const struct candidate *c);
const char *unstated_text(unsigned bit);

#endif
