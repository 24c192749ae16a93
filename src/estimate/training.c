/* SPDX-License-Identifier: MIT */
/* What one job on one shape has in common over all layouts. */
#include "training.h"

#include <math.h>
#include <string.h>

enum precision training_precision(const struct job *j, const struct gpu *g) {
    if (j->precision == PRECISION_BF16 && !j->precision_stated && !gpu_has_precision(g, PRECISION_BF16)) {
        return PRECISION_FP16;
    }
    return j->precision;
}

bool training_megatron(const struct training *t, const struct layout *l) {
    return t->job->strategy == STRATEGY_MEGATRON || l->tp > 1 || l->pp > 1;
}

bool training_padded(const struct training *t) {
    return !t->job->packing && t->mean < t->seq;
}

/* Longest of n samples over their mean, lengths spread like exponential ones scaled to the standard deviation assumed. */
static double longest_of(const struct training *t, double n) {
    const double euler = 0.5772;
    double harmonic = n <= 1 ? 1 : log(n) + euler + 1 / (2 * n); /* mean of the largest of n exponential numbers */

    return fmin(t->seq / t->mean, 1 + assume_get(t->a, ASSUME_TRAIN_LENGTH_SPREAD) * (harmonic - 1));
}

/*
 * Unpacked samples are padded to the longest of their micro-batch, and the step waits for the rank that drew the longest ones: in
 * every pass where the ranks gather parameters of each layer together, else once a step, when the draws of its passes have averaged out.
 */
double training_pass_tokens(const struct training *t, const struct layout *l) {
    double padded = 1;

    if (training_padded(t)) {
        double own = longest_of(t, l->micro_batch), all = longest_of(t, (double)l->micro_batch * l->dp);
        double passes = l->zero == 3 && l->shard > 1 ? 1 : l->accumulation;
        padded = own + (all - own) / sqrt(fmax(1, passes));
    }
    return l->micro_batch * t->mean * padded / l->cp;
}

double training_global_batch(const struct job *j, const struct layout *l) {
    return j->batch_rule == BATCH_PER_GPU ? j->global_batch * l->dp : j->global_batch;
}

/* Adapters on the chosen linear layers: their parameters in one layer, and the share of all linear layers they are. */
static void count_adapters(struct training *t) {
    const struct model *m = &t->job->model;
    double h = m->hidden, ad = (double)m->heads * m->head_dim, kd = (double)m->kv_heads * m->head_dim;
    double qv = (h + ad) + (h + kd);
    double attention = 2 * (h + ad) + 2 * (h + kd);
    double copies = t->moe_share > 0 ? t->moe_share * m->experts : 0;
    double width = (1 - t->moe_share) * (h + m->ffn) + copies * (h + m->expert_ffn) +
                   (t->moe_share > 0 ? t->moe_share * (h + m->shared_ffn) * (m->shared_ffn > 0) : 0);
    double mlp = (m->gated ? 3 : 2) * width;
    double all = attention + mlp, chosen = all;

    switch (t->job->lora_targets) {
    case LORA_QV:
        chosen = qv;
        break;
    case LORA_ATTENTION:
        chosen = attention;
        break;
    case LORA_MLP:
        chosen = mlp;
        break;
    case LORA_ALL_LINEAR:
        break;
    }
    t->share_lora = chosen / all;
    t->adapter_params = (double)t->job->lora_rank * m->layers * chosen;
}

static void count_layers(struct training *t) {
    const struct model *m = &t->job->model;
    double layers = m->layers, named;

    t->moe_share = m->experts > 0 ? (layers - m->dense_layers) / layers : 0;
    t->f = (1 - t->moe_share) * m->ffn + t->moe_share * ((double)m->experts_active * m->expert_ffn + m->shared_ffn);
    t->layer_dense = t->n.attention_layer + (1 - t->moe_share) * t->n.mlp_layer + t->moe_share * t->n.shared_layer;
    t->layer_experts = t->moe_share * t->n.experts_layer;
    named = layers * (t->layer_dense + t->layer_experts) + t->n.embedding + t->n.head;
    t->layer_other = fmax(0, (t->n.total - named) / layers); /* norms, biases, positions */
    t->vocab_params = (double)m->vocab * m->hidden;
}

/* Masked language models look at one token in six; question answering and image models have no vocabulary to look up. */
static double head_share(const struct training *t) {
    bool masked = t->job->head == HEAD_MASKED_TOKENS || (t->bert && t->job->task == TASK_PRETRAIN);

    if (t->image || t->job->head == HEAD_NONE) {
        return 0;
    }
    return masked ? 1.0 / 6 : t->bert ? 0 : 1;
}

/* Kernels of a layer, their traffic, and what the host pays for each, by kind of software. */
static void software_class(struct training *t) {
    bool unfused = !t->tuned || t->bert;

    t->h_passes = assume_get(t->a, t->bert    ? ASSUME_TRAIN_H_BYTES_BERT
                                   : t->tuned ? ASSUME_TRAIN_H_BYTES_FUSED
                                              : ASSUME_TRAIN_H_BYTES_DEFAULT);
    t->f_passes = assume_get(t->a, ASSUME_TRAIN_F_BYTES);
    t->kernels = assume_get(t->a, unfused ? ASSUME_TRAIN_KERNELS_EAGER : ASSUME_TRAIN_KERNELS_FUSED);
    /* counted: 10 more for PEFT adapters, 8 for Megatron's, 5 for the casts of fp8 */
    t->kernels += t->adapters ? (t->tuned ? 8 : 10) : 0;
    t->kernels += t->precision == PRECISION_FP8 || t->precision == PRECISION_FP4 ? 5 : 0;
    t->host_calls = t->kernels + (t->adapters && !t->tuned ? 25 : 0);
    t->host_factor = t->tuned || t->bert ? 1 : assume_get(t->a, ASSUME_TRAIN_HOST_DEFAULT);
    if (t->quantised) {
        t->host_factor *= assume_get(t->a, ASSUME_TRAIN_HOST_QLORA);
    }
}

void training_init(struct training *t, const struct catalog *c, const struct job *j, const struct shape *s,
                   const struct assumptions *a) {
    struct network_speed net;

    memset(t, 0, sizeof *t);
    t->catalog = c;
    t->job = j;
    t->shape = s;
    t->a = a;
    t->n = model_count(&j->model);
    t->gpus = s->gpus * s->nodes;
    t->year = j->software_year > 0 ? j->software_year : TODAY;
    t->precision = training_precision(j, s->gpu);
    t->x = precision_bytes(t->precision);
    t->adapters = j->task == TASK_LORA || j->task == TASK_QLORA;
    t->quantised = t->adapters && j->base != WEIGHTS_BF16 && j->base != WEIGHTS_FP16 && j->base != WEIGHTS_FP32;
    t->bert = j->model.cls == MODEL_BERT;
    t->image = j->model.cls == MODEL_IMAGE;
    t->tuned = j->stack == STACK_TUNED && !t->bert;
    t->geforce = s->gpu->geforce;
    t->ampere =
        s->gpu->compute_capability <= 0 ? s->gpu->family == GPU_FAMILY_CDNA : s->gpu->compute_capability >= 7.95;
    /* capped scores: fused kernels of tuned stacks know them since 2024 */
    t->flash = j->attention == ATTENTION_FLASH && t->ampere && t->x == 2 && !t->bert && t->year >= 2023 &&
               (!j->model.capped || (t->tuned && t->year >= 2024));
    t->seq = j->seq_len;
    t->mean = num_known(j->mean_len) && j->mean_len > 0 ? j->mean_len : j->seq_len;
    t->head_share = head_share(t);
    count_layers(t);
    if (t->adapters) {
        count_adapters(t);
    }
    software_class(t);
    training_rates(t);
    if (s->nodes > 1) {
        net = network_speed(c, s->network, s->network_gbps, s->gpu);
        t->node_bw = fmax(net.node_gbs.expected, 0.01) * NUM_GB;
        t->network_latency_s = net.latency_s;
    }
}
