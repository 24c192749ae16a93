/* SPDX-License-Identifier: MIT */
/* What a server has to carry: requests at once, a rate, or a pile of requests. */
#include "workload/resolve.h"

#include <math.h>
#include <string.h>

/*
 * Smallest k such that for 95 % of the time at most k of n users wait at once, each with probability p and on his own.
 * Binomial; above 10,000 users the normal curve is as good.
 */
static double busy_users(double n, double p) {
    const double z95 = 1.6449;
    if (p >= 1)
        return n;
    if (n > 10000)
        return ceil(n * p + z95 * sqrt(n * p * (1 - p)));
    double log_term = n * log1p(-p), below = exp(log_term);
    double k = 0;
    while (below < 0.95 && k < n) {
        log_term += log((n - k) / (k + 1)) + log(p) - log1p(-p);
        below += exp(log_term);
        k++;
    }
    return fmax(1, k);
}

static bool refuse_second_load(struct resolve *r, enum field_id second, enum field_id first) {
    return resolve_refuse(r, second,
                          "the load is already given by %s; state one of concurrency, users, requests_per_s, requests",
                          field_table()[first].name);
}

/* Which field says the load; FIELD_COUNT = none. False when two do. */
static bool find_load(struct resolve *r, enum field_id *load) {
    static const enum field_id loads[] = {FIELD_USERS, FIELD_CONCURRENCY, FIELD_REQUESTS_PER_S, FIELD_REQUESTS};
    *load = FIELD_COUNT;
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        if (!is_set(r, loads[i]))
            continue;
        /* a workload that was resolved once has both the users and what follows from them */
        bool follows = *load == FIELD_USERS && loads[i] == FIELD_CONCURRENCY &&
                       r->j->concurrency == busy_users(r->j->users, r->j->active_share);
        if (*load != FIELD_COUNT && !follows)
            return refuse_second_load(r, loads[i], *load);
        if (!follows)
            *load = loads[i];
    }
    return true;
}

static bool resolve_load(struct resolve *r) {
    struct job *j = r->j;
    enum field_id load;
    if (!find_load(r, &load))
        return false;
    j->load = load == FIELD_REQUESTS ? LOAD_BATCH : load == FIELD_REQUESTS_PER_S ? LOAD_RATE : LOAD_CONCURRENCY;
    if (j->load != LOAD_CONCURRENCY)
        j->concurrency = NUM_UNKNOWN;
    if (load == FIELD_USERS) {
        j->concurrency = busy_users(j->users, j->active_share);
        assume(r, FIELD_ACTIVE_SHARE, "default");
        assume(r, FIELD_CONCURRENCY, "95th percentile of the users");
    } else {
        j->active_share = is_set(r, FIELD_ACTIVE_SHARE) ? j->active_share : NUM_UNKNOWN;
    }
    if (load == FIELD_COUNT)
        assume(r, FIELD_CONCURRENCY, "default");
    return true;
}

static double round_up(double x, double step) {
    return ceil(x / step) * step;
}

static bool resolve_lengths(struct resolve *r) {
    struct job *j = r->j;
    if (j->load == LOAD_BATCH) { /* short prompts and answers, as in data/presets.json */
        j->input_len = is_set(r, FIELD_INPUT_LEN) ? j->input_len : 500;
        j->output_len = is_set(r, FIELD_OUTPUT_LEN) ? j->output_len : 150;
    }
    assume(r, FIELD_INPUT_LEN, "default");
    assume(r, FIELD_OUTPUT_LEN, "default");
    double both = j->input_len + j->output_len;
    if (both < 1)
        return resolve_refuse(r, FIELD_INPUT_LEN, "input_len and output_len are both 0");
    if (j->prefix_len > j->input_len)
        return resolve_refuse(r, FIELD_PREFIX_LEN, "%g is more than input_len, %g", j->prefix_len, j->input_len);
    if (!is_set(r, FIELD_MAX_LEN)) {
        double usual = j->load == LOAD_BATCH ? 4096 : 8192;
        double most = j->model.max_positions > 0 ? j->model.max_positions : usual;
        j->max_len = fmax(both, fmin(fmax(usual, round_up(both, 1024)), most));
        assume(r, FIELD_MAX_LEN, "default");
    }
    if (j->max_len < both)
        return resolve_refuse(r, FIELD_MAX_LEN, "%g is less than input_len + output_len, %g", j->max_len, both);
    return true;
}

static void resolve_time(struct resolve *r) {
    struct job *j = r->j;
    if (j->load == LOAD_BATCH) {
        j->serve_hours = NUM_UNKNOWN;
        if (!is_set(r, FIELD_DEADLINE_H))
            j->deadline_h = 24;
        assume(r, FIELD_DEADLINE_H, "default");
        return;
    }
    assume(r, FIELD_SERVE_HOURS, "default");
}

static void resolve_batching(struct resolve *r) {
    struct job *j = r->j;
    if (is_set(r, FIELD_BATCHING))
        return;
    j->batching = j->load == LOAD_BATCH ? BATCHING_OFFLINE : j->concurrency == 1 ? BATCHING_SINGLE : BATCHING_ONLINE;
    assume(r, FIELD_BATCHING, "default");
}

/* GGUF files are llama.cpp's: no other engine is assumed for them. */
static void resolve_engine(struct resolve *r) {
    struct job *j = r->j;
    if (j->weights >= WEIGHTS_Q8_0 && !is_set(r, FIELD_ENGINE))
        strcpy(j->engine, "llama.cpp");
    assume(r, FIELD_ENGINE, j->weights >= WEIGHTS_Q8_0 ? "the weights are GGUF" : "default");
}

bool resolve_inference(struct resolve *r) {
    static const enum field_id defaults[] = {FIELD_WEIGHTS, FIELD_KV_PRECISION, FIELD_GPU_MEMORY_SHARE};
    if (!resolve_load(r) || !resolve_lengths(r))
        return false;
    resolve_batching(r);
    resolve_time(r);
    resolve_engine(r);
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        assume(r, defaults[i], "default");
    r->j->weights_stated = is_stated(r, FIELD_WEIGHTS);
    r->j->kv_stated = is_stated(r, FIELD_KV_PRECISION);
    r->j->offload_stated = is_set(r, FIELD_OFFLOAD);
    return true;
}
