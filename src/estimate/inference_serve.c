/* SPDX-License-Identifier: MIT */
/*
 * What one replica delivers from a fixed batch and from a queue that is worked off; inference_load.c has what people load it
 * with. Continuous batching: a stage works on b / pp sequences a pass; prompts enter in whole chunks, so a share
 * of the passes carries a chunk and the others decode alone.
 */
#include <math.h>
#include <stddef.h>

#include "inference.h"

double infer_output_tokens(const struct infer *e) {
    return fmax(1, e->output);
}
static double mean_context(const struct infer *e) {
    return e->input + e->output / 2;
}

/* `tokens`: prompt tokens that come together. */
static struct infer_pass pass_of_batch(const struct infer *e, const struct infer_split *p, double b, double together) {
    double here = b / p->pp;
    double mean = here * e->prompt / infer_output_tokens(e);
    double carried = fmin(fmax(together, mean), fmax(mean, b * e->prompt));
    double host = e->step_s + here * e->sequence_s + p->rank_sync_s;
    double loss = 1 + assume_get(e->a, ASSUME_INFER_STAGE_LOSS) * (p->pp - 1);
    struct infer_pass t = {.carried = carried};

    t.decode = (infer_total(infer_step(e, p, p->layers, here, mean_context(e), 0, 0)) + host) * loss;
    t.prompt = t.decode;
    if (carried > 0) {
        t.prompt_share = mean / carried;
        t.prompt =
            (infer_total(infer_step(e, p, p->layers, here, mean_context(e), carried, infer_prompt_context(e))) + host) *
            loss;
    }
    t.mean = t.prompt_share * t.prompt + (1 - t.prompt_share) * t.decode;
    return t;
}

/* As a full queue gives them: chunks as large as the engine takes. */
struct infer_pass infer_pass_full(const struct infer *e, const struct infer_split *p, double b) {
    return pass_of_batch(e, p, b, fmax(e->chunk - b, e->prompt));
}

/* As requests come one by one: a prompt at a time. */
struct infer_pass infer_pass_single(const struct infer *e, const struct infer_split *p, double b) {
    return pass_of_batch(e, p, b, fmin(e->prompt, fmax(1, e->chunk - b)));
}

double infer_rate(const struct infer_split *p, const struct infer_pass *t, double b) {
    return b / p->pp / t->mean;
}

/* ---- a fixed batch ---- */

static double batch_wanted(const struct infer *e, const struct infer_split *p) {
    const struct job *j = e->job;
    double all = 1;

    if (j->batching != BATCHING_SINGLE && j->load == LOAD_CONCURRENCY && num_known(j->concurrency)) {
        all = j->concurrency;
    } else if (j->batching == BATCHING_STATIC && j->load == LOAD_BATCH && num_known(j->requests)) {
        all = fmin(j->requests, e->cap * p->replicas);
    }
    return fmax(1, ceil(all / p->replicas));
}

void infer_serve_fixed(const struct infer *e, const struct infer_split *p, struct infer_answer *r) {
    double wanted = batch_wanted(e, p);
    double b = fmax(1, fmin(wanted, infer_room_sequences(e, p, e->engine->output_reserve)));
    double at_once = fmax(1, fmin(wanted, infer_room_sequences(e, p, 0.1))); /* admitted before their answers grow */
    double layers = e->model->layers;
    double prefill = e->prompt > 0 ? infer_prefill(e, p, b) : 0;

    r->step = infer_step(e, p, layers, b, mean_context(e), 0, 0);
    /* stages of a pipeline are workers with a step of their own, and the last hands the token back to the first */
    double workers = p->layout.layer_split ? 1 : p->pp;
    r->step.host += workers * e->step_s + b * e->sequence_s;
    r->step.communication += (p->layout.layer_split || p->pp <= 1 ? p->pp - 1 : p->pp) * p->hop_s;
    double decode = infer_total(r->step);
    double run = prefill + e->output * decode;

    r->batch = b;
    r->decode_s = b / decode;
    r->prefill_s = e->prompt > 0 ? b * e->prompt / prefill : NUM_UNKNOWN;
    r->output_s = e->output > 0 ? b * e->output / run : NUM_UNKNOWN;
    r->total_s = b * (e->input + e->output) / run;
    r->requests_s = b / run;
    r->itl = decode;
    /* who comes while others decode waits for the step under way; a script starts its whole batch together */
    double under_way = b > 1 && e->engine->pool != ENGINE_POOL_NONE ? decode : 0;
    r->ttft = prefill + under_way + e->engine->first_token_s + fmax(0, wanted / at_once - 1) / 2 * run;
    r->e2e = r->ttft + e->output * decode;
    r->ttft_slo = r->ttft;
    r->itl_slo = r->itl;
    r->e2e_slo = r->e2e;
    r->capacity = r->requests_s;
    r->capacity_batch = b;
    r->overloaded = wanted > b * 1.0001;
}

/* ---- a queue that is worked off ---- */

/* Output tokens a second of N requests at up to b at once. Requests of one length end together, so they run in whole waves. */
static double queue_rate(const struct infer *e, const struct infer_split *p, double b, double requests) {
    struct infer_pass t = infer_pass_full(e, p, b);
    double waves = floor(requests / b), rest = requests - waves * b;
    double time; /* a token of every request */

    if (e->natural || !e->job->requests_stated) {
        time = requests / infer_rate(p, &t, b);
    } else {
        time = waves * b / infer_rate(p, &t, b);
        if (rest >= 1) {
            struct infer_pass last = infer_pass_full(e, p, rest);
            time += rest / infer_rate(p, &last, rest);
        }
    }
    if (e->natural) { /* the longest answers run out alone */
        time += (assume_get(e->a, ASSUME_INFER_LENGTH_TAIL) - 1) / 2 * t.mean * p->pp;
    }
    return requests / time;
}

double infer_largest_batch(const struct infer *e, const struct infer_split *p) {
    return fmax(1, fmin(infer_room_sequences(e, p, e->engine->output_reserve), e->cap * p->dpa));
}

void infer_decode_step(const struct infer *e, const struct infer_split *p, double b, struct infer_answer *r) {
    double here = b / p->pp;

    r->step = infer_step(e, p, p->layers, here, mean_context(e), 0, 0);
    r->step.host += e->step_s + here * e->sequence_s + p->rank_sync_s;
}

/* Requests of a batch job that does not say: a steady run of six million tokens. */
double infer_requests(const struct infer *e) {
    const double tokens = 6e6, least = 1000, most = 30000;

    if (num_known(e->job->requests) && e->job->requests > 0) {
        return e->job->requests;
    }
    return fmin(most, fmax(least, tokens / fmax(1, e->input + e->output)));
}

void infer_serve_offline(const struct infer *e, const struct infer_split *p, struct infer_answer *r) {
    double requests = fmax(1, ceil(infer_requests(e) / p->replicas));
    double b = fmin(infer_largest_batch(e, p), requests);
    struct infer_pass t = infer_pass_full(e, p, b);

    infer_decode_step(e, p, b, r);
    r->batch = b;
    r->output_s = queue_rate(e, p, b, requests);
    r->requests_s = r->output_s / infer_output_tokens(e);
    r->total_s = r->requests_s * (e->input + e->output);
    r->decode_s = infer_rate(p, &t, b);
    r->prefill_s = e->prompt > 0 ? e->prompt / infer_prefill(e, p, 1) : NUM_UNKNOWN;
    r->itl = r->itl_slo = t.mean * p->pp;
    r->ttft = r->ttft_slo = r->e2e = r->e2e_slo = NUM_UNKNOWN; /* nobody waits for one request of a batch */
    r->capacity = r->requests_s;
    r->capacity_batch = b;
}
