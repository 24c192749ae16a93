/* SPDX-License-Identifier: MIT */
/*
 * A replica under load: closed (so many at once), open (so many a second), a burst. Latencies are means and the percentile of
 * the targets; the capacity is the largest load that keeps the targets.
 */
#include <math.h>

#include "inference.h"

/* ---- latencies while b are at work ---- */

static const double busy_limit = 0.95; /* of the time that prompts may take: beyond it the queue has no end */

/* Seconds a prompt takes by itself, and what it costs when others are computed with it, at full chunks. */
struct prompt {
    double alone, together;
    double idle; /* a pass that decodes one sequence */
};

static struct prompt prompt_of(const struct infer *e, const struct infer_split *p) {
    double tokens = fmax(e->chunk, e->prompt);
    double pass =
        infer_total(infer_step(e, p, p->layers, 0, 0, tokens, infer_prompt_context(e))) + e->step_s + p->rank_sync_s;

    return (struct prompt){.alone = infer_prefill(e, p, 1),
                           .together = e->prompt / tokens * pass,
                           .idle = infer_pass_single(e, p, 1).decode};
}

struct latency {
    double ttft, itl, ttft_slo, itl_slo, e2e, e2e_slo, requests_s;
};

static double percentile(const struct infer *e) {
    double q = num_known(e->job->slo_percentile) ? e->job->slo_percentile / 100 : 0.5;
    return fmin(0.999, fmax(0.5, q));
}

/* Standard normal quantile for q from .5 to 1, within .003 (Abramowitz and Stegun 26.2.22). */
static double normal_quantile(double q) {
    double t = sqrt(-2 * log(1 - q));
    return q > 0.5 ? t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t) : 0;
}

/*
 * The mean time between the tokens of one answer, at the percentile over answers: an unlucky one meets more passes that carry
 * a prompt. Prompts are taken to come one at a time here; a chunk of several is as many passes with one.
 */
static double itl_at(const struct infer *e, const struct infer_split *p, const struct infer_pass *t, double q) {
    double one = t->carried > 0 ? fmin(1, e->prompt / t->carried) : 0;
    double share = one > 0 ? fmin(1, t->prompt_share / one) : 0;
    double sigma = sqrt(share * (1 - share) / infer_output_tokens(e)) * (t->prompt - t->decode) * one;

    return (t->mean + normal_quantile(q) * sigma) * p->pp;
}

static void finish_latency(const struct infer *e, struct latency *l) {
    l->e2e = l->ttft + fmax(0, e->output - 1) * l->itl;
    l->e2e_slo = l->ttft_slo + fmax(0, e->output - 1) * l->itl;
}

/*
 * Open load: prompts queue for the one that computes them (M/D/1, served at the cost of full chunks); the tail of the wait is
 * exponential. The pass that carries a prompt decodes for all others too.
 */
static struct latency open_latency(const struct infer *e, const struct infer_split *p, const struct infer_pass *t,
                                   double requests_s, const struct prompt *u) {
    double q = percentile(e);
    double rho = fmin(assume_get(e->a, ASSUME_INFER_RHO_MAX), requests_s * u->together);
    struct latency l = {.itl = t->mean * p->pp, .requests_s = requests_s};
    double own = u->alone + fmax(0, t->decode - u->idle) * p->pp;
    double wait = own * rho / (2 * (1 - rho));
    double tail = rho > 1 - q ? own / (2 * (1 - rho)) * log(rho / (1 - q)) : 0;

    l.ttft = own + wait + l.itl / 2 + e->engine->first_token_s;
    l.ttft_slo = own + fmax(tail, wait) + l.itl + e->engine->first_token_s;
    l.itl_slo = itl_at(e, p, t, q);
    finish_latency(e, &l);
    return l;
}

/* Closed load: who finishes asks again, so prompts meet now and then. */
static struct latency closed_latency(const struct infer *e, const struct infer_split *p, const struct infer_pass *t,
                                     double b, double wanted, const struct prompt *u) {
    const struct assumptions *a = e->a;
    double q = percentile(e);
    double growth = pow(1 + fmax(0, b - 1) / assume_get(a, ASSUME_INFER_CLOSED_QUEUE_BATCH),
                        assume_get(a, ASSUME_INFER_CLOSED_QUEUE));
    struct latency l = {.itl = t->mean * p->pp, .requests_s = infer_rate(p, t, b) / infer_output_tokens(e)};
    double queue = fmax(0, wanted / b - 1) * infer_output_tokens(e) * l.itl;

    l.ttft = u->alone * growth + l.itl / 2 + e->engine->first_token_s + queue;
    l.ttft_slo = u->alone * (1 + (growth - 1) * fmax(1, -log(1 - q))) + l.itl + e->engine->first_token_s + queue;
    l.itl_slo = itl_at(e, p, t, q);
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

static struct latency latency_at(const struct infer *e, const struct infer_split *p, double b, const struct prompt *u) {
    struct infer_pass t = infer_pass_full(e, p, b);

    if (e->job->load == LOAD_RATE) {
        return open_latency(e, p, &t, infer_rate(p, &t, b) / infer_output_tokens(e), u);
    }
    return closed_latency(e, p, &t, b, b, u);
}

/* Whether a batch keeps the targets; under an open load prompts must leave time to decode. */
static bool sustainable(const struct infer *e, const struct prompt *u, const struct latency *l) {
    return within_targets(e, l) && (e->job->load != LOAD_RATE || l->requests_s * u->together < busy_limit);
}

/* The largest batch that keeps the targets; throughput and latencies grow with it. */
static void find_capacity(const struct infer *e, const struct infer_split *p, double largest, const struct prompt *u,
                          struct infer_answer *r) {
    const int steps = 12; /* 1/4096 of the way, in log */
    double low = 0.05, high = largest;
    struct latency best = latency_at(e, p, high, u);

    if (sustainable(e, u, &best)) {
        r->capacity = best.requests_s;
        r->capacity_batch = high;
        return;
    }
    best = latency_at(e, p, low, u);
    if (!sustainable(e, u, &best)) {
        return;
    }
    for (int i = 0; i < steps; i++) {
        double middle = sqrt(low * high);
        struct latency l = latency_at(e, p, middle, u);
        if (sustainable(e, u, &l)) {
            low = middle;
            best = l;
        } else {
            high = middle;
        }
    }
    r->capacity = best.requests_s;
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
    double largest = infer_largest_batch(e, p), b = fmin(wanted, largest);
    struct prompt u = prompt_of(e, p);
    struct infer_pass t = infer_pass_full(e, p, b);
    struct latency l = closed_latency(e, p, &t, b, wanted, &u);

    infer_decode_step(e, p, b, r);
    take_latency(r, &l);
    set_rates(e, r, l.requests_s);
    r->batch = b;
    r->decode_s = 1 / l.itl;
    r->prefill_s = e->prompt > 0 ? e->prompt / u.alone : NUM_UNKNOWN;
    r->overloaded = wanted > largest * 1.0001;
    find_capacity(e, p, largest, &u, r);
}

/* ---- an open load: so many a second ---- */

/*
 * Sequences at work that a token sees when `little` are at work in steady state (Little's law). A run of N requests fills up,
 * stays and drains again: the mean over its tokens. Answers of one length make a trapezium (or its mirror image when an answer
 * lasts longer than all arrivals); natural lengths, taken as exponential, fill and drain as 1 - exp(-t).
 */
static double at_work(const struct infer *e, double little, double requests) {
    if (!num_known(requests) || little <= 0) {
        return little;
    }
    double lasting = little / requests; /* how long an answer lasts, of the time of all arrivals */
    if (e->natural) {
        return little * (1 + lasting * expm1(-1 / lasting));
    }
    return lasting <= 1 ? little * (1 - lasting / 3) : requests * (1 - 1 / (3 * lasting));
}

/* Sequences at work under tokens_s output tokens a second: the fixed point of b = at_work(tokens_s T(b)), at most `largest`. */
static double open_batch(const struct infer *e, const struct infer_split *p, double tokens_s, double requests,
                         double largest) {
    const int steps = 24;
    double low = 0, high = largest, b = fmin(1, largest);

    for (int i = 0; i < steps; i++) {
        struct infer_pass t = infer_pass_full(e, p, fmax(b, 1e-3));
        double next = at_work(e, tokens_s * p->pp * t.mean, requests);
        if (fabs(next - b) < 1e-3 * b) {
            break;
        }
        if (next > b) {
            low = b;
        } else {
            high = b;
        }
        if (high - low < 1e-3 * high) {
            return high;
        }
        b = next > low && next < high ? next : (low + high) / 2;
    }
    return b;
}

/* Requests come faster than their prompts can be computed (`interval` s apart, 0 = all at once): a queue forms and is worked off. */
static void serve_burst(const struct infer *e, const struct infer_split *p, double interval, double requests,
                        const struct prompt *u, struct infer_answer *r) {
    const struct assumptions *a = e->a;
    double largest = infer_largest_batch(e, p), b = fmin(largest, requests);
    struct infer_pass t = infer_pass_full(e, p, b);
    double prompts = requests * u->together, arrival = interval * requests;
    double time = requests * infer_output_tokens(e) / infer_rate(p, &t, b);

    infer_decode_step(e, p, b, r);
    r->burst = r->overloaded = true;
    r->batch = b;
    r->ttft = fmax(prompts - arrival, time * (1 - b / requests)) / 2 + (arrival > 0 ? u->alone : 0);
    r->itl = fmax(t.decode * p->pp, (time - r->ttft - arrival / 2) / infer_output_tokens(e));
    if (e->natural) {
        time *= assume_get(a, ASSUME_INFER_BURST_TIME);
        r->itl /= assume_get(a, ASSUME_INFER_BURST_ITL);
    }
    set_rates(e, r, requests / time);
    r->e2e = r->ttft + e->output * r->itl;
    r->ttft_slo = 2 * r->ttft; /* the last one waits for all prompts, the mean one for half */
    r->itl_slo = r->itl;
    r->e2e_slo = r->e2e + r->ttft;
}

static void serve_steadily(const struct infer *e, const struct infer_split *p, double offered, double requests,
                           const struct prompt *u, struct infer_answer *r) {
    double largest = infer_largest_batch(e, p);
    double b = open_batch(e, p, offered * infer_output_tokens(e), requests, largest);
    struct infer_pass t = infer_pass_full(e, p, b);
    double most = infer_rate(p, &t, b) / infer_output_tokens(e);
    double served = b > 0.999 * largest ? fmin(most, offered) : offered;
    struct latency l = open_latency(e, p, &t, served, u);

    infer_decode_step(e, p, b, r);
    take_latency(r, &l);
    r->overloaded = served < offered || offered * u->together > busy_limit;
    if (num_known(requests)) {
        double tail = e->natural ? assume_get(e->a, ASSUME_INFER_LENGTH_TAIL) : 1;
        served = requests / (requests / served + tail * e->output * l.itl + l.ttft);
    }
    set_rates(e, r, served);
    r->batch = b;
}

static void serve_open(const struct infer *e, const struct infer_split *p, struct infer_answer *r) {
    const struct job *j = e->job;
    struct prompt u = prompt_of(e, p);
    double requests = num_known(j->requests) && j->requests > 0 ? fmax(1, j->requests / p->replicas) : NUM_UNKNOWN;
    bool at_once = j->load != LOAD_RATE || !num_known(j->requests_per_s);
    double interval = at_once ? 0 : p->replicas / fmax(1e-9, j->requests_per_s);

    if (num_known(requests) && u.together > interval) {
        serve_burst(e, p, interval, requests, &u, r);
    } else {
        serve_steadily(e, p, 1 / fmax(1e-9, interval), requests, &u, r);
    }
    r->decode_s = 1 / r->itl;
    r->prefill_s = e->prompt > 0 ? e->prompt / u.alone : NUM_UNKNOWN;
    find_capacity(e, p, infer_largest_batch(e, p), &u, r);
}

void infer_serve(const struct infer *e, const struct infer_split *p, struct infer_answer *r) {
    const struct job *j = e->job;

    *r = (struct infer_answer){0};
    switch (j->batching) {
    case BATCHING_SINGLE:
    case BATCHING_STATIC:
        infer_serve_fixed(e, p, r);
        return;
    case BATCHING_OFFLINE:
        infer_serve_offline(e, p, r);
        return;
    default:
        break;
    }
    if (j->load == LOAD_CONCURRENCY) {
        serve_closed(e, p, r);
    } else if (j->load == LOAD_BATCH && j->software_year == 0) {
        infer_serve_offline(e, p, r);
    } else {
        serve_open(e, p, r);
    }
}
