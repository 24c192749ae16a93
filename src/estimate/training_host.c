/* SPDX-License-Identifier: MIT */
/* What the machine must have around its GPUs: memory to load, offload and save, disk, bytes to download. GB = 1e9 bytes. */
#include <math.h>

#include "training.h"

static const double file_shard_gb = 5;   /* usual size of one file of a checkpoint: what a streaming loader holds */
static const double system_gb = 4;       /* operating system and page cache that must not be squeezed out */
static const double environment_gb = 15; /* container image, packages, compile caches */
static const double load_slack = 1.1;    /* file pages and conversion beside the copy being built */
static const int checkpoints_kept = 2;   /* a new one is complete before the old one goes */

/* Bytes a parameter in a checkpoint that can be resumed from. */
static double checkpoint_bytes(const struct training *t, const struct layout *l) {
    struct train_state s = training_state(t, l);

    if (t->adapters) {
        return 14; /* fp32 adapter, two moments, and a 16-bit copy to serve from */
    }
    return (s.optimizer >= 12 ? 2 : s.weights) + s.optimizer;
}

static double checkpoint_params(const struct training *t) {
    if (!t->adapters) {
        return t->n.total;
    }
    return t->adapter_params + (t->job->train_embeddings ? t->n.embedding + t->n.head : 0);
}

static double download_gb(const struct training *t) {
    bool ready =
        t->quantised && t->job->base != WEIGHTS_NF4; /* nf4 is made while loading, the rest is stored quantised */

    if (t->job->task == TASK_PRETRAIN) {
        return 0;
    }
    return t->n.total * (ready ? weight_format_bytes(t->job->base) : 2) / NUM_GB;
}

static double loading_gb(const struct training *t, const struct layout *l, double ranks) {
    double model = t->n.total * 2 / NUM_GB * load_slack;

    if (t->job->task == TASK_PRETRAIN) {
        return 0; /* made in place, shard by shard */
    }
    if (l->zero == 3 && l->shard > 1) { /* one rank reads the whole model and hands out shards */
        return model * fmin(assume_get(t->a, ASSUME_HOST_LOAD_COPIES), ranks);
    }
    return ranks * fmin(model, file_shard_gb);
}

static double saving_gb(const struct training *t, const struct layout *l) {
    bool whole =
        l->zero == 3 && l->shard > 1 && t->job->task == TASK_FULL; /* gathered on one rank; pretraining saves shards */

    return whole ? t->n.total * training_state(t, l).weights / NUM_GB : 0;
}

static double offloaded_gb(const struct training *t, const struct layout *l, double ranks) {
    double share = t->n.total / t->shape->nodes / NUM_GB;
    double factor = assume_get(t->a, ASSUME_HOST_OFFLOAD_FACTOR);
    bool pure = t->job->optimizer == OPTIMIZER_ADAMW_BF16;

    switch (l->offload) {
    case OFFLOAD_PARAMS:
        if (t->adapters) {
            return (t->quantised ? weight_format_bytes(t->job->base) : 2) * share;
        }
        return pure ? 8 * share : 18 * share * factor; /* weights 2, gradients 2 or 4, states 4 or 12, counted */
    case OFFLOAD_OPTIMIZER:
        return pure ? 6 * share : 16 * share * factor;
    case OFFLOAD_ACTIVATIONS:
        return ranks * t->job->model.layers * 2 * t->seq * l->micro_batch * t->job->model.hidden / l->cp / NUM_GB;
    case OFFLOAD_NONE:
    case OFFLOAD_COUNT:
        break;
    }
    return 0;
}

static double paged_gb(const struct training *t, double ranks) {
    if (t->adapters) {
        return 0;
    }
    if (t->job->optimizer == OPTIMIZER_PAGED_ADAMW) {
        return ranks * 8 * t->n.total / NUM_GB;
    }
    return t->job->optimizer == OPTIMIZER_PAGED_ADAMW_8BIT ? ranks * 2 * t->n.total / NUM_GB : 0;
}

void training_host(const struct training *t, const struct layout *l, struct train_host *out) {
    double ranks = t->shape->gpus;
    double staged = fmax(loading_gb(t, l, ranks), saving_gb(t, l));

    if (l->offload == OFFLOAD_PARAMS && !t->adapters) {
        staged = 0; /* the factor on the offloaded states covers it */
    }
    out->load_gb = download_gb(t);
    out->state_gb = checkpoint_params(t) * checkpoint_bytes(t, l) / NUM_GB;
    out->disk_gb = environment_gb + out->load_gb + checkpoints_kept * out->state_gb;
    out->ram_gb = system_gb + ranks * assume_get(t->a, ASSUME_HOST_PROCESS_GB) + staged + offloaded_gb(t, l, ranks) +
                  paged_gb(t, ranks);
}
