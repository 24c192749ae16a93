/* SPDX-License-Identifier: MIT */
/* How much a training job has to compute: tokens, steps and samples say the same thing in three ways. */
#include "workload/resolve.h"

#include <math.h>

/* Two ways of saying the amount may differ by rounding, not by more. */
static const double amount_tolerance = 0.05;

static bool agree(double a, double b) {
    return fabs(a / b - 1) <= amount_tolerance;
}

static bool resolve_lengths(struct resolve *r) {
    struct job *j = r->j;
    if (j->model.position_rows > 0 && j->seq_len > j->model.position_rows)
        return resolve_refuse(r, FIELD_SEQ_LEN, "%d is more than the %d positions that %s has learned", j->seq_len,
                              j->model.position_rows, j->model.name);
    j->mean_len = j->seq_len;
    if (j->packing)
        return true;
    if (!is_set(r, FIELD_SAMPLE_TOKENS))
        return true; /* every sequence is taken to be full */
    if (j->sample_tokens > j->seq_len)
        return resolve_refuse(r, FIELD_SAMPLE_TOKENS, "a mean of %g is more than seq_len, %d; raise seq_len or pack",
                              j->sample_tokens, j->seq_len);
    j->mean_len = j->sample_tokens;
    return true;
}

static double sample_work(const struct job *j) {
    return j->samples * j->epochs * j->sample_tokens;
}

static bool from_samples(struct resolve *r) {
    struct job *j = r->j;
    assume(r, FIELD_SAMPLES, "default");
    assume(r, FIELD_SAMPLE_TOKENS, "default");
    assume(r, FIELD_EPOCHS, "default");
    if (!num_known(j->sample_tokens)) /* pretraining has no usual sample */
        j->sample_tokens = j->mean_len;
    if (!num_known(j->samples))
        j->samples = j->tokens / j->sample_tokens;
    if (!num_known(j->epochs))
        j->epochs = 1;
    j->tokens = sample_work(j);
    return true;
}

static bool check_samples(struct resolve *r) {
    struct job *j = r->j;
    bool whole = is_set(r, FIELD_SAMPLES) && is_set(r, FIELD_SAMPLE_TOKENS) && is_set(r, FIELD_EPOCHS);
    if (whole && !agree(sample_work(j), j->tokens))
        return resolve_refuse(r, FIELD_SAMPLES,
                              "samples x sample_tokens x epochs are %.4g tokens, but %.4g are stated; leave one out",
                              sample_work(j), j->tokens);
    if (!is_set(r, FIELD_SAMPLES))
        j->samples = NUM_UNKNOWN;
    if (!is_set(r, FIELD_SAMPLE_TOKENS))
        j->sample_tokens = NUM_UNKNOWN;
    if (!is_set(r, FIELD_EPOCHS))
        j->epochs = NUM_UNKNOWN;
    return true;
}

/* With both tokens and steps, the batch is what is left to find, or has to agree. */
static bool from_tokens_and_steps(struct resolve *r) {
    struct job *j = r->j;
    double batch = j->tokens / (j->steps * j->mean_len);
    bool one_short_step = j->steps <= 1 && batch <= j->global_batch;
    if (is_set(r, FIELD_GLOBAL_BATCH) && !one_short_step && !agree(batch, j->global_batch))
        return resolve_refuse(r, FIELD_STEPS,
                              "%g steps of %g sequences of %g tokens are %.4g tokens, but tokens is %.4g", j->steps,
                              j->global_batch, j->mean_len, j->steps * j->global_batch * j->mean_len, j->tokens);
    if (is_set(r, FIELD_GLOBAL_BATCH))
        return true;
    if (batch < 0.5)
        return resolve_refuse(r, FIELD_STEPS, "%g steps are more than %.4g tokens have sequences of %g", j->steps,
                              j->tokens, j->mean_len);
    if (batch > field_table()[FIELD_GLOBAL_BATCH].max)
        return resolve_refuse(
            r, FIELD_STEPS, "%.4g tokens in %g steps are a batch of %.4g sequences, more than the %g that are allowed",
            j->tokens, j->steps, batch, field_table()[FIELD_GLOBAL_BATCH].max);
    j->global_batch = fmax(1, round(batch));
    r->why[FIELD_GLOBAL_BATCH] = "tokens / steps / length";
    return true;
}

static bool resolve_amount(struct resolve *r) {
    struct job *j = r->j;
    bool tokens = is_set(r, FIELD_TOKENS), steps = is_set(r, FIELD_STEPS);
    bool samples = is_set(r, FIELD_SAMPLES) || is_set(r, FIELD_SAMPLE_TOKENS) || is_set(r, FIELD_EPOCHS);
    if (tokens && steps && !from_tokens_and_steps(r))
        return false;
    assume(r, FIELD_GLOBAL_BATCH, "default");
    if (!tokens && steps)
        j->tokens = j->steps * j->global_batch * j->mean_len;
    else if (!tokens && (samples || num_known(j->samples)))
        from_samples(r);
    else
        assume(r, FIELD_TOKENS, "default");
    if ((tokens || steps) && !check_samples(r))
        return false;
    if (!steps)
        j->steps = fmax(1, j->tokens / (j->global_batch * j->mean_len));
    return true;
}

static bool resolve_adapters(struct resolve *r) {
    struct job *j = r->j;
    bool quantised = j->base == WEIGHTS_NF4 || j->base == WEIGHTS_INT4 || j->base == WEIGHTS_INT8;
    if (j->task == TASK_QLORA && !quantised)
        return resolve_refuse(r, FIELD_BASE,
                              "a qlora job has frozen weights in int8, nf4 or int4; task=lora keeps them in %s",
                              weight_format_name(j->base));
    assume(r, FIELD_LORA_RANK, "default");
    assume(r, FIELD_BASE, "default");
    return true;
}

/* A 70 B model takes about twice as long as what the one-day default is meant for. */
static void resolve_deadline(struct resolve *r) {
    if (!is_set(r, FIELD_DEADLINE_H) && r->j->task == TASK_QLORA && model_count(&r->j->model).total >= 30e9)
        r->j->deadline_h = 48;
    assume(r, FIELD_DEADLINE_H, "default");
}

bool resolve_training(struct resolve *r) {
    struct job *j = r->j;
    static const enum field_id defaults[] = {FIELD_SEQ_LEN,   FIELD_PACKING, FIELD_PRECISION,
                                             FIELD_OPTIMIZER, FIELD_STACK,   FIELD_EVAL_SHARE};
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        assume(r, defaults[i], "default");
    bool adapters = j->task == TASK_LORA || j->task == TASK_QLORA;
    if (!resolve_lengths(r) || !resolve_amount(r) || (adapters && !resolve_adapters(r)))
        return false;
    if (j->micro_batch > j->global_batch)
        return resolve_refuse(r, FIELD_MICRO_BATCH, "%d is more than global_batch, %g", j->micro_batch,
                              j->global_batch);
    resolve_deadline(r);
    j->precision_stated = is_stated(r, FIELD_PRECISION);
    j->stack_stated = is_set(r, FIELD_STACK);
    j->offload_stated = is_set(r, FIELD_OFFLOAD);
    return true;
}
