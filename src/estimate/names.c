/* SPDX-License-Identifier: MIT */
/* The words of design.md section 7.2: fixed, English, for JSON and CSV. Labels for people are made in report/. */
#include "gpuplan/estimate/estimate.h"

static const char *const fits[] = {"no", "tight", "fits"};
static const char *const memory_parts[MEMORY_PART_COUNT] = {"weights", "gradients", "optimizer", "activations",
                                                            "logits",  "kv_cache",  "workspace"};
static const char *const step_parts[STEP_PART_COUNT] = {"compute", "memory", "exposed_communication",
                                                        "bubble",  "input",  "optimizer"};
static const char *const phases[PHASE_COUNT] = {"train", "loss",    "backward_end", "optimizer_step", "load",
                                                "save",  "prefill", "decode",       "measured"};
static const char *const limiters[LIMITED_COUNT] = {"compute", "memory_bandwidth", "link",    "network", "bubble",
                                                    "input",   "optimizer",        "latency", "kv_room"};
static const char *const reasons[REASON_COUNT] = {"none",        "gpu_memory",   "host_memory",  "disk",
                                                  "capability",  "divisibility", "deadline",     "budget",
                                                  "unavailable", "filtered",     "price_missing"};

/* A code from outside the enum (a corrupt file) must not read past a table. */
static const char *word(const char *const *words, int count, int i) {
    return i >= 0 && i < count ? words[i] : "unknown";
}

const char *fit_name(enum fit f) {
    return word(fits, 3, (int)f);
}
const char *memory_part_name(enum memory_part p) {
    return word(memory_parts, MEMORY_PART_COUNT, (int)p);
}
const char *step_part_name(enum step_part p) {
    return word(step_parts, STEP_PART_COUNT, (int)p);
}
const char *phase_name(enum phase p) {
    return word(phases, PHASE_COUNT, (int)p);
}
const char *limiter_name(enum limiter l) {
    return word(limiters, LIMITED_COUNT, (int)l);
}
const char *reason_name(enum reason_code c) {
    return word(reasons, REASON_COUNT, (int)c);
}
