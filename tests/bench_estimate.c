/* SPDX-License-Identifier: MIT */
/* Layouts evaluated per second, and how many a search needs. Prints one line a job: make tests/bench_estimate. */
#include <stdio.h>
#include <time.h>

#include "gpuplan/estimate/estimate.h"

static const char *const cards[] = {"A100-SXM4-40GB",
                                    "A100-SXM4-80GB",
                                    "H100-SXM5-80GB",
                                    "H200-SXM5-141GB",
                                    "B200-SXM-180GB",
                                    "L40S",
                                    "RTX-4090",
                                    "RTX-3090",
                                    "RTX-A6000",
                                    "V100-SXM2-16GB",
                                    "L4",
                                    "T4"};
static const char *const presets[] = {"lora-8b",  "qlora-70b", "full-8b", "pretrain-1b",
                                      "serve-8b", "serve-70b", "batch-1m"};
enum { CARDS = sizeof cards / sizeof cards[0], PRESETS = sizeof presets / sizeof presets[0] };

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct shape shape_of(const struct catalog *c, const char *name, int gpus) {
    struct shape s = {.gpu = catalog_gpu_exact(c, name), .gpus = gpus, .nodes = 1, .network = NETWORK_NONE};
    s.vram_gib = s.gpu->vram_gib_usable;
    s.power_limit_w = s.link_gbs = s.network_gbps = NUM_UNKNOWN;
    s.link = gpus > 1 ? link_by_product(s.gpu, gpus) : LINK_NONE;
    return s;
}

static bool preset_job(const char *preset, const char *stack, const struct models *m, struct job *out) {
    struct workload w;
    struct err err;
    workload_init(&w);
    return workload_set(&w, "preset", preset, &err) && (stack == NULL || workload_set(&w, "stack", stack, &err)) &&
           job_resolve(&w, m, out, &err);
}

static void run(const struct catalog *c, const struct job *j, const struct assumptions *a, const char *name) {
    long layouts = 0, searches = 0;
    int rounds = 0;
    double start = seconds(), spent;
    do {
        for (int i = 0; i < CARDS; i++) {
            for (int n = 1; n <= 8; n *= 2) {
                struct shape s = shape_of(c, cards[i], n);
                struct estimate_set set;
                estimate_search(c, j, &s, a, &set);
                layouts += set.layouts;
                searches++;
            }
        }
        rounds++;
        spent = seconds() - start;
    } while (spent < 0.3);
    printf("%-22s %9.0f layouts/s  %7.2f us a search  %6.1f layouts a search\n", name, (double)layouts / spent,
           spent / (double)searches * 1e6, (double)layouts / (double)searches);
    (void)rounds;
}

int main(void) {
    struct catalog *c = catalog_load(NULL);
    struct models *m = models_load(NULL);
    struct assumptions a;
    struct job j;
    char name[64];

    if (c == NULL || m == NULL) {
        return 1;
    }
    assumptions_init(&a);
    for (int i = 0; i < PRESETS; i++) {
        if (preset_job(presets[i], NULL, m, &j)) {
            run(c, &j, &a, presets[i]);
        }
        if (job_is_training(&j) && preset_job(presets[i], "tuned", m, &j)) {
            snprintf(name, sizeof name, "%s, tuned", presets[i]);
            run(c, &j, &a, name);
        }
    }
    models_free(m);
    catalog_free(c);
    return 0;
}
