/* SPDX-License-Identifier: MIT */
/*
 * What one replica delivers: a fixed batch, a queue that is worked off, a closed load (so many at once) and an open one
 * (so many a second). Continuous batching: a stage works on b / pp sequences a pass; prompts enter in whole chunks, so a share
 * of the passes carries a chunk and the others decode alone.
 */
#include <math.h>
#include <stddef.h>

#include "inference.h"

/* One pass of a stage while b sequences are at work in the replica. */
struct pass {
    double mean, decode, prompt; /* s: on average, without and with a prompt */
    double prompt_share;         /* of the passes */
};

static double output_tokens(const struct infer *e) {
    return fmax(1, e->output);
}
static double mean_context(const struct infer *e) {
    return e->input + e->output / 2;
}

/* `tokens`: prompt tokens that come together. */
static struct pass pass_of_batch(const struct infer *e, const struct infer_split *p, double b, double together) {
    double here = b / p->pp;
    double mean = here * e->prompt / output_tokens(e);
    double carried = fmin(fmax(together, mean), fmax(mean, b * e->prompt));
    double host = e->step_s + here * e->sequence_s + p->rank_sync_s;
    double loss = 1 + assume_get(e->a, ASSUME_INFER_STAGE_LOSS) * (p->pp - 1);
    struct pass t = {0};

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
static struct pass pass_full(const struct infer *e, const struct infer_split *p, double b) {
    return pass_of_batch(e, p, b, fmax(e->chunk - b, e->prompt));
}

/* As requests come one by one: a prompt at a time. */
static struct pass pass_single(const struct infer *e, const struct infer_split *p, double b) {
    return pass_of_batch(e, p, b, fmin(e->prompt, fmax(1, e->chunk - b)));
}

static double rate(const struct infer_split *p, const struct pass *t, double b) {
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

static void serve_fixed(const struct infer *e, const struct infer_split *p, struct infer_answer *r) {
    double wanted = batch_wanted(e, p);
    double b = fmax(1, fmin(wanted, infer_room_sequences(e, p, e->engine->output_reserve)));
    double at_once = fmax(1, fmin(wanted, infer_room_sequences(e, p, 0.1))); /* admitted before their answers grow */
    double layers = e->model->layers;
    double prefill = e->prompt > 0 ? infer_prefill(e, p, b) : 0;

    r->step = infer_step(e, p, layers, b, mean_context(e), 0, 0);
    r->step.host += e->step_s + b * e->sequence_s;
    r->step.communication += (p->pp - 1) * p->hop_s;
    double decode = infer_total(r->step);
    double run = prefill + e->output * decode;

    r->batch = b;
    r->decode_s = b / decode;
    r->prefill_s = e->prompt > 0 ? b * e->prompt / prefill : NUM_UNKNOWN;
    r->output_s = e->output > 0 ? b * e->output / run : NUM_UNKNOWN;
    r->total_s = b * (e->input + e->output) / run;
    r->requests_s = b / run;
    r->itl = decode;
    r->ttft = prefill + e->engine->first_token_s + fmax(0, wanted / at_once - 1) / 2 * run;
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
    struct pass t = pass_full(e, p, b);
    double waves = floor(requests / b), rest = requests - waves * b;
    double time; /* a token of every request */

    if (e->natural || !(e->engine->waves || num_known(e->job->requests))) {
        time = requests / rate(p, &t, b);
    } else {
        time = waves * b / rate(p, &t, b);
        if (rest >= 1) {
            struct pass last = pass_full(e, p, rest);
            time += rest / rate(p, &last, rest);
        }
    }
    if (e->natural) { /* the longest answers run out alone */
        time += (assume_get(e->a, ASSUME_INFER_LENGTH_TAIL) - 1) / 2 * t.mean * p->pp;
    }
    return requests / time;
}

static double largest_batch(const struct infer *e, const struct infer_split *p) {
    return fmax(1, fmin(infer_room_sequences(e, p, e->engine->output_reserve), e->cap * p->dpa));
}

static void decode_step(const struct infer *e, const struct infer_split *p, double b, struct infer_answer *r) {
    double here = b / p->pp;

    r->step = infer_step(e, p, p->layers, here, mean_context(e), 0, 0);
    r->step.host += e->step_s + here * e->sequence_s + p->rank_sync_s;
}

static void serve_offline(const struct infer *e, const struct infer_split *p, struct infer_answer *r) {
    double requests = fmax(1, ceil(infer_requests(e) / p->replicas));
    double b = fmin(largest_batch(e, p), requests);
    struct pass t = pass_full(e, p, b);

    decode_step(e, p, b, r);
    r->batch = b;
    r->output_s = queue_rate(e, p, b, requests);
    r->requests_s = r->output_s / output_tokens(e);
    r->total_s = r->requests_s * (e->input + e->output);
    r->decode_s = rate(p, &t, b);
    r->prefill_s = e->prompt > 0 ? e->prompt / infer_prefill(e, p, 1) : NUM_UNKNOWN;
    r->itl = r->itl_slo = t.mean * p->pp;
    r->ttft = r->ttft_slo = r->e2e = r->e2e_slo = NUM_UNKNOWN; /* nobody waits for one request of a batch */
    r->capacity = r->requests_s;
    r->capacity_batch = b;
}

/* ---- latencies while b are at work ---- */

struct latency {
    double prefill, ttft, itl, ttft_slo, itl_slo, e2e, e2e_slo, requests_s;
};

static double percentile(const struct infer *e) {
    double q = num_known(e->job->slo_percentile) ? e->job->slo_percentile / 100 : 0.5;
    return fmin(0.999, fmax(0.5, q));
}

/* A pass that carries a prompt is what the unlucky tokens see, once such passes are more frequent than 1 - q. */
static double itl_at(const struct infer_split *p, const struct pass *t, double q) {
    return (t->prompt_share > 1 - q ? t->prompt : t->decode) * p->pp;
}

static void finish_latency(const struct infer *e, struct latency *l) {
    l->e2e = l->ttft + fmax(0, e->output - 1) * l->itl;
    l->e2e_slo = l->ttft_slo + fmax(0, e->output - 1) * l->itl;
}

/* Open load: prompts queue for the one that computes them (M/D/1); the tail of the wait is exponential. */
static struct latency open_latency(const struct infer *e, const struct infer_split *p, const struct pass *t,
                                   double requests_s, double prefill) {
    double q = percentile(e), load = requests_s * prefill;
    double rho = fmin(assume_get(e->a, ASSUME_INFER_RHO_MAX), load);
    struct latency l = {.prefill = prefill, .itl = t->mean * p->pp, .requests_s = requests_s};
    double wait = prefill * rho / (2 * (1 - rho));
    double tail = rho > 1 - q ? prefill / (2 * (1 - rho)) * log(rho / (1 - q)) : 0;

    l.ttft = prefill + wait + l.itl / 2 + e->engine->first_token_s;
    l.ttft_slo = prefill + fmax(tail, wait) + l.itl + e->engine->first_token_s;
    l.itl_slo = itl_at(p, t, q);
    finish_latency(e, &l);
    return l;
}

/* Closed load: who finishes asks again, so prompts meet now and then. */
static struct latency closed_latency(const struct infer *e, const struct infer_split *p, const struct pass *t, double b,
                                     double wanted, double prefill) {
    const struct assumptions *a = e->a;
    double q = percentile(e);
    double growth = pow(1 + fmax(0, b - 1) / assume_get(a, ASSUME_INFER_CLOSED_QUEUE_BATCH),
                        assume_get(a, ASSUME_INFER_CLOSED_QUEUE));
    struct latency l = {.prefill = prefill, .itl = t->mean * p->pp, .requests_s = rate(p, t, b) / output_tokens(e)};
    double queue = fmax(0, wanted / b - 1) * output_tokens(e) * l.itl;

    l.ttft = prefill * growth + l.itl / 2 + e->engine->first_token_s + queue;
    l.ttft_slo = prefill * (1 + (growth - 1) * fmax(1, -log(1 - q))) + l.itl + e->engine->first_token_s + queue;
    l.itl_slo = itl_at(p, t, q);
    finish_latency(e, &l);
    return l;
}

static bool meets(double limit_ms, double seconds) {
    return !num_known(limit_ms) || limit_ms <= 0 || seconds * 1e3 <= limit_ms;
}

static bool within_targets(const struct infer *e, const struct latency *l) {
    return meets(e->job->ttft_ms, l->ttft_slo) && meets(e->job->itl_ms, l->itl_slo) &&
           meets(e->job->e2e_ms, l->e2e_slo);
}

static struct latency latency_at(const struct infer *e, const struct infer_split *p, double b, double prefill) {
    struct pass t = pass_single(e, p, b);

    if (e->job->load == LOAD_RATE) {
        return open_latency(e, p, &t, rate(p, &t, b) / output_tokens(e), prefill);
    }
    return closed_latency(e, p, &t, b, b, prefill);
}

/* The largest batch that keeps the targets; throughput and latencies grow with it. */
static void find_capacity(const struct infer *e, const struct infer_split *p, double largest, double prefill,
                          struct infer_answer *r) {
    const int steps = 12; /* 1/4096 of the largest batch, in log steps */
    double low = 0.05, high = largest;
    struct latency l = latency_at(e, p, high, prefill);
    double load_limit = 0.95; /* prompts alone must leave time to decode */

    if (within_targets(e, &l) && (e->job->load != LOAD_RATE || l.requests_s * prefill < load_limit)) {
        low = high;
    } else {
        l = latency_at(e, p, low, prefill);
        if (!within_targets(e, &l)) {
            r->capacity = r->capacity_batch = 0;
            return;
        }
        for (int i = 0; i < steps; i++) {
            double middle = sqrt(low * high);
            l = latency_at(e, p, middle, prefill);
            if (within_targets(e, &l) && (e->job->load != LOAD_RATE || l.requests_s * prefill < load_limit)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        l = latency_at(e, p, low, prefill);
    }
    r->capacity = l.requests_s;
    r->capacity_batch = low;
}

static void take_latency(struct infer_answer *r, const struct latency *l) {
    r->ttft = l->ttft;
    r->itl = l->itl;
    r->e2e = l->e2e;
    r->ttft_slo = l->ttft_slo;
    r->itl_slo = l->itl_slo;
    r->e2e_slo = l->e2e_slo;
}

static void set_rates(const struct infer *e, struct infer_answer *r, double requests_s) {
    r->requests_s = requests_s;
    r->output_s = requests_s * e->output;
    r->total_s = requests_s * (e->input + e->output);
}

/* ---- a closed load: so many at once ---- */

static void serve_closed(const struct infer *e, const struct infer_split *p, struct infer_answer *r) {
    double all = num_known(e->job->concurrency) ? e->job->concurrency : 1;
    double wanted = fmax(1, all / p->replicas);
    double largest = largest_batch(e, p), b = fmin(wanted, largest);
    double prefill = infer_prefill(e, p, 1);
    struct pass t = pass_full(e, p, b);
    struct latency l = closed_latency(e, p, &t, b, wanted, prefill);

    decode_step(e, p, b, r);
    take_latency(r, &l);
    set_rates(e, r, l.requests_s);
    r->batch = b;
    r->decode_s = 1 / l.itl;
    r->prefill_s = e->prompt > 0 ? e->prompt / prefill : NUM_UNKNOWN;
    r->overloaded = wanted > largest * 1.0001;
    find_capacity(e, p, largest, prefill, r);
}

/* ---- an open load: so many a second ---- */

/* Sequences at work when as many answers end as begin: b / pp / T(b) = tokens_s. `largest` when it cannot. */
static double steady_batch(const struct infer *e, const struct infer_split *p, double tokens_s, double largest) {
    double low = 0, high = largest, b = largest;
    struct pass t = pass_full(e, p, high);

    if (rate(p, &t, high) <= tokens_s) {
        return largest;
    }
    b = tokens_s * p->pp * pass_full(e, p, fmin(1, largest)).mean;
    for (int i = 0; i < 24; i++) {
        double next;
        b = fmin(high, fmax(low, b));
        t = pass_full(e, p, fmax(b, 1e-3));
        next = tokens_s * p->pp * t.mean; /* Little's law; the true value lies beyond it */
        if (fabs(next - b) < 1e-3 * b) {
            break;
        }
        if (next > b) {
            low = b;
        } else {
            high = b;
        }
        b = next > low && next < high ? next : (low + high) / 2;
    }
    return b;
}

static double run_requests(const struct infer *e) {
    const struct job *j = e->job;
    if (num_known(j->requests) && j->requests > 0) {
        return j->requests;
    }
    if (j->software_year == 0) {
        return NUM_UNKNOWN; /* a service has no end */
    }
    return e->engine->waves ? 500 : 1000; /* what the engines' own load generators send */
}

/* A run of N requests never reaches the steady batch when it is short. */
static double ramped_batch(const struct infer *e, double steady, double requests) {
    if (!num_known(requests)) {
        return steady;
    }
    double ratio = steady / (assume_get(e->a, ASSUME_INFER_BATCH_RAMP) * requests);
    return steady / sqrt(1 + ratio * ratio);
}

/* All prompts stand in the queue before the answers end: how long computing them takes, at full chunks. */
static double prompts_time(const struct infer *e, const struct infer_split *p, double requests) {
    double tokens = fmax(e->chunk, e->prompt);
    double pass =
        infer_total(infer_step(e, p, p->layers, 0, 0, tokens, infer_prompt_context(e))) + e->step_s + p->rank_sync_s;
    return requests * e->prompt / tokens * pass;
}

static void serve_burst(const struct infer *e, const struct infer_split *p, double interval, double requests,
                        struct infer_answer *r) {
    const struct assumptions *a = e->a;
    double b = fmin(largest_batch(e, p), requests);
    struct pass t = pass_full(e, p, b);
    double prompts = prompts_time(e, p, requests);
    double time = requests * e->output / rate(p, &t, b);
    double arrival = interval * requests;
    double prefill = infer_prefill(e, p, 1);

    decode_step(e, p, b, r);
    r->burst = true;
    r->batch = b;
    r->ttft = fmax(prompts - arrival, time * (1 - b / requests)) / 2 + (arrival > 0 ? prefill : 0);
    r->itl = fmax(t.decode * p->pp, (time - r->ttft - arrival / 2) / output_tokens(e));
    if (e->natural) {
        time *= assume_get(a, ASSUME_INFER_BURST_TIME);
        r->itl /= assume_get(a, ASSUME_INFER_BURST_ITL);
    }
    set_rates(e, r, requests / time);
    r->e2e = r->ttft + e->output * r->itl;
    r->ttft_slo = 2 * r->ttft;
    r->itl_slo = r->itl;
    r->e2e_slo = r->e2e + r->ttft;
    r->decode_s = 1 / r->itl;
    r->prefill_s = e->prompt > 0 ? e->prompt / prefill : NUM_UNKNOWN;
    r->overloaded = true;
    find_capacity(e, p, largest_batch(e, p), prefill, r);
}

static void serve_open(const struct infer *e, const struct infer_split *p, struct infer_answer *r) {
    const double endless = 1e5; /* requests a second: all at once */
    double all = run_requests(e), requests = num_known(all) ? fmax(1, all / p->replicas) : NUM_UNKNOWN;
    double offered =
        e->job->load == LOAD_RATE && num_known(e->job->requests_per_s) ? e->job->requests_per_s / p->replicas : endless;

    if (num_known(requests) &&
        (offered >= endless / p->replicas || prompts_time(e, p, requests) > requests / offered)) {
        serve_burst(e, p, offered >= endless / p->replicas ? 0 : 1 / offered, requests, r);
        return;
    }
    double largest = largest_batch(e, p), prefill = infer_prefill(e, p, 1);
    double steady = steady_batch(e, p, offered * output_tokens(e), largest);
    double b = fmin(largest, ramped_batch(e, steady, requests));
    struct pass t = pass_full(e, p, b);
    double sustained = rate(p, &t, b) / output_tokens(e);
    bool saturated = steady >= largest && sustained < offered;
    double served = saturated ? sustained : offered;
    struct latency l = open_latency(e, p, &t, served, prefill);

    decode_step(e, p, b, r);
    take_latency(r, &l);
    if (num_known(requests)) {
        double tail = e->natural ? assume_get(e->a, ASSUME_INFER_LENGTH_TAIL) : 1;
        served = requests / (requests / served + tail * e->output * l.itl + l.ttft);
    }
    set_rates(e, r, served);
    r->batch = b;
    r->decode_s = 1 / l.itl;
    r->prefill_s = e->prompt > 0 ? e->prompt / prefill : NUM_UNKNOWN;
    r->overloaded = saturated || offered * prefill > 0.95;
    find_capacity(e, p, largest, prefill, r);
}

void infer_serve(const struct infer *e, const struct infer_split *p, struct infer_answer *r) {
    const struct job *j = e->job;

    *r = (struct infer_answer){0};
    switch (j->batching) {
    case BATCHING_SINGLE:
    case BATCHING_STATIC:
        serve_fixed(e, p, r);
        return;
    case BATCHING_OFFLINE:
        serve_offline(e, p, r);
        return;
    default:
        break;
    }
    if (j->load == LOAD_CONCURRENCY) {
        serve_closed(e, p, r);
    } else if (j->load == LOAD_BATCH && j->software_year == 0) {
        serve_offline(e, p, r);
    } else {
        serve_open(e, p, r);
    }
}

/* ---- how many requests a batch has ---- */

/* TensorRT-LLM's published benchmark: requests by prompt and answer length. */
static const struct {
    int input, output, requests;
} benchmark_requests[] = {
    {128, 128, 30000},  {128, 2048, 3000}, {500, 2000, 3000},   {1000, 1000, 3000},
    {2048, 128, 3000},  {128, 4096, 1500}, {1000, 2000, 1500},  {1024, 2048, 1500},
    {2048, 2048, 1500}, {5000, 500, 1500}, {20000, 2000, 1000},
};

double infer_requests(const struct infer *e) {
    if (num_known(e->job->requests) && e->job->requests > 0) {
        return e->job->requests;
    }
    if (e->engine->waves) {
        for (size_t i = 0; i < sizeof benchmark_requests / sizeof benchmark_requests[0]; i++) {
            if (fabs(benchmark_requests[i].input - e->input) < 0.5 &&
                fabs(benchmark_requests[i].output - e->output) < 0.5) {
                return benchmark_requests[i].requests;
            }
        }
    }
    return fmin(30000, fmax(1000, 6e6 / fmax(1, e->input + e->output))); /* a steady run of six million tokens */
}
