/* SPDX-License-Identifier: MIT */
/* One candidate as JSON. Field for field the contract of docs/rank.schema.json. */
#include <string.h>

#include "gpuplan/report/json_out.h"
#include "gpuplan/report/report.h"
#include "gpuplan/report/sentence.h"
#include "gpuplan/report/serving.h"

static const char *text_of(const struct question *q, uint32_t id) {
    return offers_text(q->offers, id);
}

/* Zero stands for "not computed" in an estimate; outside it is null. */
static double or_null(double x) {
    return x > 0 ? x : NUM_UNKNOWN;
}

static void put_identity(struct json_out *j, const struct question *q, const struct candidate *c) {
    const struct offer *f = c->offer;
    const char *card = f->gpu >= 0 ? catalog_gpu(q->catalog, (size_t)f->gpu)->name : text_of(q, f->gpu_raw);
    if (c->rank > 0)
        json_out_number(j, "rank", c->rank);
    else
        json_out_null(j, "rank");
    json_out_bool(j, "tie", c->tie);
    json_out_text(j, "id", text_of(q, f->id));
    json_out_text(j, "provider", text_of(q, f->provider));
    json_out_text(j, "host_class", host_class_name((enum host_class)f->host_class));
    json_out_text(j, "machine", text_of(q, f->machine));
    json_out_text(j, "region", text_of(q, f->region));
    json_out_number(j, "group_size", (double)c->group_size);
    json_out_text(j, "gpu", card);
    json_out_number(j, "gpus", f->gpus);
    json_out_number(j, "gpus_used", c->shape.gpus * c->shape.nodes);
    json_out_number(j, "nodes", c->shape.nodes);
    json_out_text(j, "rate_kind", rate_kind_name((enum rate_kind)c->offer->rate_kind));
    json_out_number(j, "rate_usd_h", c->rate_usd_h);
    json_out_text(j, "rate_basis", rate_basis_name((enum rate_basis)f->rate_basis));
    json_out_text(j, "available", tri_name((enum tri)f->available));
    json_out_text(j, "access", access_name((enum access_kind)f->access));
}

static void put_link(struct json_out *j, const struct question *q, const struct candidate *c) {
    const struct shape *s = &c->shape;
    json_out_object(j, "link");
    json_out_flat(j);
    if (!s->gpu) {
        json_out_text(j, "kind", "unknown");
        json_out_text(j, "source", "unknown");
        json_out_null(j, "gbs");
    } else {
        bool one = s->gpus < 2;
        json_out_text(j, "kind", link_name(one ? LINK_NONE : s->link));
        json_out_text(j, "source", provenance_name(s->link_source));
        json_out_number(j, "gbs",
                        one ? NUM_UNKNOWN
                            : link_speed(q->catalog, s->gpu, s->link, s->gpus, s->link_gbs, s->pcie_gen, s->pcie_lanes)
                                  .ring_gbs.expected);
    }
    json_out_end(j, '}');
    if (s->nodes <= 1)
        return;
    json_out_object(j, "network");
    json_out_flat(j);
    json_out_text(j, "kind", network_name(s->network));
    json_out_text(j, "source", provenance_name(s->network_source));
    json_out_number(j, "gbs", network_speed(q->catalog, s->network, s->network_gbps, s->gpu).node_gbs.expected);
    json_out_end(j, '}');
}

void layout_json(struct json_out *j, const struct layout *l) {
    json_out_object(j, "layout");
    json_out_flat(j);
    const struct {
        const char *key;
        int value;
    } axes[] = {{"replicas", l->replicas},
                {"dp", l->dp},
                {"zero", l->zero},
                {"shard", l->shard},
                {"tp", l->tp},
                {"pp", l->pp},
                {"cp", l->cp},
                {"ep", l->ep},
                {"micro_batch", l->micro_batch},
                {"accumulation", l->accumulation}};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++)
        json_out_number(j, axes[i].key, axes[i].value);
    json_out_bool(j, "seq_parallel", l->seq_parallel);
    json_out_bool(j, "layer_split", l->layer_split);
    json_out_text(j, "grad_sync", grad_sync_name(l->grad_sync));
    json_out_text(j, "recompute", recompute_name(l->recompute));
    json_out_text(j, "offload", offload_name(l->offload));
    json_out_end(j, '}');
}

void reason_json(struct json_out *j, const struct reason *r) {
    if (r->code == REASON_NONE) {
        json_out_null(j, "reason");
        return;
    }
    struct buf why = {0};
    sentence_reason(&why, r);
    json_out_text(j, "reason", reason_name(r->code));
    json_out_text(j, "reason_what", r->what);
    json_out_number(j, "reason_need", r->need);
    json_out_number(j, "reason_have", r->have);
    json_out_text(j, "reason_text", why.data ? why.data : "");
    buf_free(&why);
}

static void put_verdict(struct json_out *j, const struct candidate *c) {
    json_out_text(j, "fit", fit_name(c->e.fit));
    json_out_text(j, "class", rank_class_name(c->cls));
    reason_json(j, &c->reason);
    json_out_object(j, "limits");
    json_out_flat(j);
    json_out_text(j, "deadline", limit_state_name(c->deadline));
    json_out_text(j, "budget", limit_state_name(c->budget));
    json_out_bool(j, "targets", c->e.targets_met && !c->e.overloaded);
    json_out_end(j, '}');
}

/* What people look up by hand: the fp32 logits of one pass, and RAM while the ranks of a machine load a checkpoint. */
static void put_known_sums(struct json_out *j, const struct job *job, const struct estimate *e) {
    if (!job_is_training(job) || job->model.vocab <= 0) {
        json_out_null(j, "logits_fp32_gib");
        json_out_null(j, "host_load_gb");
        return;
    }
    const struct layout *l = &e->layout;
    double entries = (double)l->micro_batch * job->seq_len / l->cp * job->model.vocab / l->tp;
    double copy = model_count(&job->model).total * 2 / NUM_GB, ranks = (double)e->gpus / e->nodes;
    json_out_number(j, "logits_fp32_gib", entries * 4 / NUM_GIB);
    json_out_object(j, "host_load_gb");
    json_out_flat(j);
    json_out_number(j, "one_rank", copy);
    json_out_number(j, "all_ranks", copy * ranks);
    json_out_number(j, "all_ranks_fp32", copy * ranks * 2);
    json_out_end(j, '}');
}

static void put_boundary(struct json_out *j, const struct job *job, const struct estimate *e) {
    struct length_boundary r = length_boundary(job, e);
    struct buf words = {0};

    sentence_boundary(&words, job, e);
    if (words.len == 0) {
        json_out_null(j, "boundary");
        return;
    }
    json_out_object(j, "boundary");
    json_out_flat(j);
    json_out_number(j, "fits_to", r.fits_to);
    json_out_number(j, "fails_at", r.fails_at);
    json_out_text(j, "text", words.data);
    json_out_end(j, '}');
    buf_free(&words);
}

void memory_json(struct json_out *j, const struct job *job, const struct estimate *e) {
    json_out_object(j, "memory");
    json_out_number(j, "capacity_gib", e->capacity_gib);
    json_out_range(j, "per_gpu_gib", e->memory_gib);
    json_out_object(j, "parts_gib");
    json_out_flat(j);
    for (int i = 0; i < MEMORY_PART_COUNT; i++)
        json_out_number(j, memory_part_name((enum memory_part)i), e->memory_part_gib[i]);
    json_out_end(j, '}');
    json_out_text(j, "peak_phase", phase_name(e->peak_phase));
    json_out_number(j, "host_gb", e->host_gb);
    json_out_number(j, "disk_gb", e->disk_gb);
    put_known_sums(j, job, e);
    json_out_number(j, "max_seq_len", or_null(job->task == TASK_INFERENCE ? e->max_len : e->max_seq_len));
    put_boundary(j, job, e);
    json_out_end(j, '}');
}

void weights_json(struct json_out *j, const struct job *job, const struct gpu *g) {
    const char *computed = g ? estimate_arithmetic(job, g) : NULL;

    if (!computed) {
        json_out_null(j, "weights");
        return;
    }
    json_out_object(j, "weights");
    json_out_flat(j);
    json_out_text(j, "stored", weight_format_name(job->weights));
    json_out_text(j, "computed", computed);
    json_out_end(j, '}');
}

/* What the targets are held against. */
static void put_percentile(struct json_out *j, const struct job *job, const struct estimate *e) {
    if (!job_is_serving(job) || !num_known(e->itl_slo_ms)) {
        json_out_null(j, "at_percentile");
        return;
    }
    json_out_object(j, "at_percentile");
    json_out_flat(j);
    json_out_number(j, "percentile", job->slo_percentile);
    json_out_number(j, "ttft_ms", e->ttft_slo_ms);
    json_out_number(j, "itl_ms", e->itl_slo_ms);
    json_out_number(j, "e2e_ms", e->e2e_slo_ms);
    json_out_end(j, '}');
}

void speed_json(struct json_out *j, const struct job *job, const struct estimate *e) {
    bool inference = job->task == TASK_INFERENCE;
    const struct range none = {NUM_UNKNOWN, NUM_UNKNOWN, NUM_UNKNOWN};
    json_out_object(j, "step_s");
    json_out_number(j, "expected", e->step_s);
    json_out_number(j, "steps", or_null(e->steps));
    json_out_object(j, "parts");
    json_out_flat(j);
    for (int i = 0; i < STEP_PART_COUNT; i++)
        json_out_number(j, step_part_name((enum step_part)i), e->step_part_s[i]);
    json_out_end(j, '}');
    json_out_end(j, '}');
    json_out_range(j, "tokens_per_s", e->tokens_per_s.expected > 0 ? e->tokens_per_s : none);
    json_out_range(j, "ttft_ms", inference ? e->ttft_ms : none);
    json_out_range(j, "itl_ms", inference ? e->itl_ms : none);
    json_out_range(j, "e2e_ms", inference ? e->e2e_ms : none);
    put_percentile(j, job, e);
    json_out_range(j, "prefill_tokens_per_s", inference ? e->prefill_tokens_per_s : none);
    json_out_range(j, "decode_tokens_per_s", inference ? e->decode_tokens_per_s : none);
    json_out_number(j, "max_concurrency", inference ? e->max_concurrency : NUM_UNKNOWN);
    json_out_range(j, "sustained_requests_per_s", inference ? e->sustained_requests_per_s : none);
    json_out_number(j, "replicas_needed", inference ? e->replicas_needed : NUM_UNKNOWN);
    if (inference)
        json_out_bool(j, "overloaded", e->overloaded);
    else
        json_out_null(j, "overloaded");
}

static void put_hours(struct json_out *j, const struct candidate *c) {
    json_out_range(j, "time_h", c->cost.time_h);
    json_out_number(j, "setup_h", c->cost.setup_h);
    json_out_number(j, "copy_out_h", c->cost.copy_out_h);
    json_out_number(j, "billed_h", c->cost.billed_h);
    json_out_number(j, "access_wait_h", c->cost.access_h);
    json_out_number(j, "gpu_hours", c->gpu_hours);
}

static void put_scaling(struct json_out *j, const struct question *q, const struct candidate *c) {
    bool weak = q->job->task == TASK_MEASURED && q->job->scaling == SCALING_WEAK;
    json_out_number(j, "efficiency", c->efficiency);
    json_out_number(j, "efficiency_base", or_null(c->efficiency_base));
    json_out_text(j, "scaling", weak ? "weak" : "strong");
    json_out_text(j, "limited_by", limiter_name(c->e.limited_by));
    json_out_number(j, "fits_from_gpus", or_null(c->fits_from_gpus));
}

static void put_cost(struct json_out *j, const struct job *job, const struct candidate *c) {
    const struct cost *k = &c->cost;
    json_out_object(j, "cost_usd");
    json_out_number(j, "low", k->usd.low);
    json_out_number(j, "expected", k->usd.expected);
    json_out_number(j, "high", k->usd.high);
    json_out_object(j, "parts");
    json_out_flat(j);
    for (int i = 0; i < COST_PART_COUNT; i++)
        json_out_number(j, cost_part_name((enum cost_part)i), k->part_usd[i]);
    json_out_end(j, '}');
    json_out_end(j, '}');
    json_out_range(j, "usd_per_mtok", k->usd_per_mtok);
    json_out_range(j, "usd_per_1k_requests", usd_per_1k_requests(job, k));
    json_out_number(j, "usd_per_month", usd_per_month(job, k));
    json_out_number(j, "naive_cost_usd", k->naive_usd);
    json_out_number(j, "usd_per_useful_gpu_h", k->usd_per_useful_gpu_h);
    json_out_number(j, "stopped_30d_usd", k->stopped_30d_usd);
    json_out_number(j, "checkpoint_h", k->checkpoint_h);
}

static void put_risk(struct json_out *j, const struct candidate *c) {
    const struct risk *r = &c->risk;
    json_out_object(j, "risk");
    json_out_text(j, "grade", risk_grade_name(r->grade));
    json_out_number(j, "probability_worse", r->probability_worse);
    if (!num_known(r->worse_usd)) {
        json_out_null(j, "if_worse");
    } else {
        json_out_object(j, "if_worse");
        json_out_flat(j);
        json_out_text(j, "link", link_name(r->worse_link));
        json_out_number(j, "time_h", r->worse_time_h);
        json_out_number(j, "cost_usd", r->worse_usd);
        json_out_number(j, "leave_usd", r->leave_usd);
        json_out_end(j, '}');
    }
    json_out_number(j, "expected_extra_usd", r->expected_extra_usd);
    json_out_number(j, "expected_extra_h", r->expected_extra_h);
    json_out_array(j, "reasons");
    for (int i = 0; i < r->reason_count; i++)
        json_out_text(j, NULL, sentence_risk_reason((enum risk_reason)r->reasons[i]));
    json_out_end(j, ']');
    json_out_array(j, "ask");
    for (int i = 0; i < r->ask_count; i++)
        json_out_text(j, NULL, sentence_question((enum risk_question)r->ask[i]));
    json_out_end(j, ']');
    bool amd = c->shape.gpu && strcmp(c->shape.gpu->vendor, "AMD") == 0;
    json_out_text(j, "verify", amd ? "rocm-smi --showtopo" : "nvidia-smi topo -m");
    json_out_end(j, '}');
}

static void put_flags(struct json_out *j, const struct question *q, const struct candidate *c) {
    json_out_array(j, "flags");
    json_out_flat(j);
    for (unsigned bit = 0; bit < OFFER_FLAG_COUNT; bit++) {
        const char *name = c->offer->flags >> bit & 1 ? offer_flag_name((enum offer_flag)(1u << bit)) : NULL;
        if (name)
            json_out_text(j, NULL, name);
    }
    json_out_end(j, ']');
    unsigned unstated = c->shape.gpu ? unstated_of(q, c) : 0;
    json_out_array(j, "assumed");
    json_out_flat(j);
    for (unsigned bit = 1; bit <= UNSTATED_ALL; bit <<= 1)
        if (unstated & bit)
            json_out_text(j, NULL, unstated_text(bit));
    json_out_end(j, ']');
}

void candidate_json(struct json_out *j, const struct question *q, const struct candidate *c) {
    candidate_json_with(j, q, c, NULL, NULL);
}

void candidate_json_with(struct json_out *j, const struct question *q, const struct candidate *c, const char *key,
                         const char *word) {
    json_out_object(j, NULL);
    if (key)
        json_out_text(j, key, word);
    put_identity(j, q, c);
    put_link(j, q, c);
    layout_json(j, &c->e.layout);
    weights_json(j, q->job, c->shape.gpu);
    put_verdict(j, c);
    memory_json(j, q->job, &c->e);
    put_hours(j, c);
    speed_json(j, q->job, &c->e);
    put_scaling(j, q, c);
    put_cost(j, q->job, c);
    put_risk(j, c);
    json_out_bool(j, "frontier", c->frontier);
    json_out_bool(j, "single_gpu_would_do", c->single_gpu_would_do);
    put_flags(j, q, c);
    json_out_end(j, '}');
}
