/* SPDX-License-Identifier: MIT */
#include "gpuplan/report/launch.h"

#include <math.h>
#include <string.h>

#include "gpuplan/base/i18n.h"
#include "gpuplan/base/text.h"
#include "gpuplan/report/json_out.h"
#include "gpuplan/report/sentence.h"

/* ---- what stands on top, and quoting ---- */

static void comment(struct buf *b, const char *text) {
    buf_printf(b, "# %s\n", text);
}

static void put_head(struct buf *b, const struct question *q, const struct candidate *c) {
    struct buf line = {0};
    char hours[32], usd[32];
    sentence_job(&line, q->job);
    comment(b, line.data);
    buf_clear(&line);
    sentence_machine(&line, q, c);
    comment(b, line.data);
    buf_clear(&line);
    num_format(hours, sizeof hours, c->cost.time_h.expected, NUM_HOURS);
    num_format(usd, sizeof usd, c->cost.usd.expected, NUM_USD);
    buf_printf(&line, _("Planned by gpuplan: about %s and %s."), hours, usd);
    comment(b, line.data);
    buf_free(&line);
}

/* A double-quoted scalar: YAML takes the escapes of JSON. */
static void put_quoted(struct buf *b, const char *s) {
    buf_putc(b, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            buf_putc(b, '\\');
        buf_putc(b, *s);
    }
    buf_putc(b, '"');
}

static const char *text_of(const struct question *q, uint32_t id) {
    return offers_text(q->offers, id);
}

/* ---- training: how to start it, and how it was planned ---- */

/* No option is common to all training programs, so the plan is handed over in the environment. */
static void put_environment(struct buf *b, const char *indent, const struct question *q, const struct candidate *c) {
    const struct layout *l = &c->e.layout;
    const struct {
        const char *name;
        int value;
    } sizes[] = {{"DP", l->dp},
                 {"ZERO", l->zero},
                 {"TP", l->tp},
                 {"PP", l->pp},
                 {"CP", l->cp},
                 {"EP", l->ep},
                 {"MICRO_BATCH", l->micro_batch},
                 {"ACCUMULATION", l->accumulation},
                 {"SEQ_LEN", q->job->seq_len}};
    buf_printf(b, "%s%s\n", indent, "# The plan; the training program has to read it.");
    buf_printf(b, "%sexport", indent);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        buf_printf(b, " %s=%d", sizes[i].name, sizes[i].value);
    buf_printf(b, "\n%sexport PRECISION=%s OPTIMIZER=%s RECOMPUTE=%s OFFLOAD=%s\n", indent,
               precision_name(q->job->precision), optimizer_name(q->job->optimizer), recompute_name(l->recompute),
               offload_name(l->offload));
}

enum { PORT = 29500 /* torchrun's own */ };

static bool put_torchrun(struct buf *b, const struct question *q, const struct candidate *c, struct err *err) {
    (void)err;
    buf_puts(b, "#!/bin/sh\n");
    put_head(b, q, c);
    buf_puts(b, "# sh FILE train.py ARGUMENT...\nset -eu\n");
    put_environment(b, "", q, c);
    if (c->shape.nodes > 1) {
        buf_puts(b, ": \"${NODE_RANK:?0 on the first machine, then 1, 2 ...}\" \"${MASTER_ADDR:?address of the first "
                    "machine}\"\n");
        buf_printf(b,
                   "exec torchrun --nnodes=%d --nproc-per-node=%d --node-rank=\"$NODE_RANK\" "
                   "--master-addr=\"$MASTER_ADDR\" --master-port=%d \"$@\"\n",
                   c->shape.nodes, c->shape.gpus, PORT);
    } else {
        buf_printf(b, "exec torchrun --standalone --nnodes=1 --nproc-per-node=%d \"$@\"\n", c->shape.gpus);
    }
    return true;
}

static bool put_slurm(struct buf *b, const struct question *q, const struct candidate *c, struct err *err) {
    (void)err;
    int minutes = (int)fmin(ceil(c->cost.time_h.high * 60), 365.0 * 24 * 60);
    buf_puts(b, "#!/bin/bash\n");
    buf_printf(b, "#SBATCH --job-name=gpuplan\n#SBATCH --nodes=%d\n#SBATCH --gpus-per-node=%d\n", c->shape.nodes,
               c->shape.gpus);
    buf_puts(b, "#SBATCH --ntasks-per-node=1\n");
    buf_printf(b, "#SBATCH --time=%d-%02d:%02d:00\n", minutes / 1440, minutes / 60 % 24, minutes % 60);
    put_head(b, q, c);
    buf_puts(b, "# The time is the high end of the estimate. sbatch FILE train.py ARGUMENT...\nset -eu\n");
    put_environment(b, "", q, c);
    buf_puts(b, "first=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n");
    buf_printf(b,
               "srun torchrun --nnodes=%d --nproc-per-node=%d --rdzv-id=\"$SLURM_JOB_ID\" --rdzv-backend=c10d \\\n"
               "    --rdzv-endpoint=\"$first:%d\" \"$@\"\n",
               c->shape.nodes, c->shape.gpus, PORT);
    return true;
}

static bool refuse_split(const struct layout *l, const char *what, struct err *err) {
    if (l->tp * l->pp * l->cp * l->ep == 1)
        return true;
    return err_set(err, ERR_USAGE,
                   "the plan splits the model (tp=%d pp=%d cp=%d ep=%d), which a file for %s cannot say", l->tp, l->pp,
                   l->cp, l->ep, what);
}

static bool put_deepspeed(struct buf *b, const struct question *q, const struct candidate *c, struct err *err) {
    struct json_out out = {.b = b}, *j = &out;
    const struct layout *l = &c->e.layout;
    bool host = l->offload == OFFLOAD_OPTIMIZER || l->offload == OFFLOAD_PARAMS;
    if (!refuse_split(l, "DeepSpeed", err))
        return false;
    json_out_object(j, NULL);
    json_out_number(j, "train_micro_batch_size_per_gpu", l->micro_batch);
    json_out_number(j, "gradient_accumulation_steps", l->accumulation);
    json_out_object(j, q->job->precision == PRECISION_FP16 ? "fp16" : "bf16");
    json_out_bool(j, "enabled", q->job->precision != PRECISION_FP32 && q->job->precision != PRECISION_TF32);
    json_out_end(j, '}');
    json_out_object(j, "zero_optimization");
    json_out_number(j, "stage", l->zero);
    json_out_bool(j, "overlap_comm", l->zero > 0);
    for (int params = 0; host && params <= (l->offload == OFFLOAD_PARAMS); params++) {
        json_out_object(j, params ? "offload_param" : "offload_optimizer");
        json_out_text(j, "device", "cpu");
        json_out_bool(j, "pin_memory", true);
        json_out_end(j, '}');
    }
    json_out_end(j, '}');
    json_out_end(j, '}');
    buf_putc(b, '\n');
    return true;
}

/* ---- clouds ---- */

/* Those that SkyPilot drives, by its own names (its documentation, 2025). */
static const struct {
    const char *provider, *cloud;
} clouds[] = {{"aws", "aws"},   {"azure", "azure"},   {"gcp", "gcp"},       {"oci", "oci"},
              {"ibm", "ibm"},   {"lambda", "lambda"}, {"runpod", "runpod"}, {"fluidstack", "fluidstack"},
              {"vast", "vast"}, {"do", "do"},         {"nebius", "nebius"}, {"paperspace", "paperspace"},
              {"cudo", "cudo"}, {"scp", "scp"}};

/* "A100-SXM4-80GB" -> "A100-80GB": SkyPilot tells the sizes of this card alone apart. */
static void put_accelerator(struct buf *b, const struct candidate *c) {
    const char *name = c->shape.gpu->name;
    size_t len = strcspn(name, "-");
    buf_printf(b, "\n  accelerators: \"%.*s%s:%d\"", (int)len, name,
               len == 4 && memcmp(name, "A100", 4) == 0 && strstr(name, "80GB") ? "-80GB" : "", c->offer->gpus);
}

static bool put_skypilot(struct buf *b, const struct question *q, const struct candidate *c, struct err *err) {
    const struct offer *f = c->offer;
    const char *provider = text_of(q, f->provider), *machine = text_of(q, f->machine), *region = text_of(q, f->region);
    const char *cloud = NULL;
    for (size_t i = 0; i < sizeof clouds / sizeof *clouds; i++)
        if (strcmp(clouds[i].provider, provider) == 0)
            cloud = clouds[i].cloud;
    if (!cloud)
        return err_set(err, ERR_USAGE, "SkyPilot does not rent from \"%s\"", provider);
    put_head(b, q, c);
    buf_printf(b, "name: gpuplan\nnum_nodes: %d\nresources:\n  cloud: %s", c->shape.nodes, cloud);
    if (*machine && !strchr(machine, ' ')) { /* with blanks it is a description */
        buf_puts(b, "\n  instance_type: ");
        put_quoted(b, machine);
    } else {
        put_accelerator(b, c);
    }
    if (*region) {
        buf_puts(b, "\n  region: ");
        put_quoted(b, region);
    }
    buf_printf(b, "\n  use_spot: %s\n", f->rate_kind == RATE_SPOT || f->rate_kind == RATE_BID_FLOOR ? "true" : "false");
    static const double smallest_gb = 50; /* system and software */
    double disk = c->e.disk_gb + (num_known(q->job->dataset_gb) ? q->job->dataset_gb : 0);
    buf_printf(b, "  disk_size: %.0f\nrun: |\n", fmin(ceil(fmax(disk, smallest_gb)), 1e6));
    if (job_is_training(q->job)) {
        put_environment(b, "  ", q, c);
        buf_printf(
            b,
            "  torchrun --nnodes=\"$SKYPILOT_NUM_NODES\" --nproc-per-node=%d --node-rank=\"$SKYPILOT_NODE_RANK\" \\\n"
            "    --master-addr=\"$(echo \"$SKYPILOT_NODE_IPS\" | head -n 1)\" --master-port=%d train.py\n",
            c->shape.gpus, PORT);
    } else {
        buf_puts(b, "  # `gpuplan export --to vllm` writes what belongs here\n");
    }
    return true;
}

/* ---- serving ---- */

static bool put_vllm(struct buf *b, const struct question *q, const struct candidate *c, struct err *err) {
    const struct layout *l = &c->e.layout;
    const struct job *j = q->job;
    if (j->weights >= WEIGHTS_NF4)
        return err_set(err, ERR_USAGE,
                       "vllm does not read weights of this kind; plan with -s weights=bf16, fp8 or int4");
    double longest = j->max_len > 0 ? j->max_len : j->input_len + j->output_len;
    buf_puts(b, "#!/bin/sh\n");
    put_head(b, q, c);
    buf_puts(b,
             "# MODEL: its name on the hub, or a folder. Further options of vllm may follow.\nset -eu\n: \"${MODEL:=");
    for (const char *s = j->model.name; *s; s++) /* inside of ${...}: nothing that could end or expand */
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/", *s))
            buf_putc(b, *s);
    buf_puts(b, "}\"\n");
    int copies = l->replicas > 1 ? l->replicas : 1, each = l->tp * l->pp;
    for (int i = 0; i < copies; i++) {
        if (copies > 1) {
            buf_puts(b, "CUDA_VISIBLE_DEVICES=");
            for (int g = 0; g < each; g++)
                buf_printf(b, "%s%d", g ? "," : "", i * each + g);
            buf_putc(b, ' ');
        }
        buf_printf(b, "%svllm serve \"$MODEL\" --tensor-parallel-size %d --pipeline-parallel-size %d",
                   copies > 1 ? "" : "exec ", l->tp, l->pp);
        buf_printf(b, " --max-model-len %.0f --gpu-memory-utilization %.2f", longest, j->gpu_memory_share);
        if (c->e.batch >= 1)
            buf_printf(b, " --max-num-seqs %.0f", ceil(c->e.batch));
        if (j->weights == WEIGHTS_FP8)
            buf_puts(b, " --quantization fp8");
        if (j->kv == WEIGHTS_FP8)
            buf_puts(b, " --kv-cache-dtype fp8");
        buf_printf(b, copies > 1 ? " --port %d \"$@\" &\n" : " --port %d \"$@\"\n", 8000 + i);
    }
    if (copies > 1)
        buf_puts(b, "wait\n");
    return true;
}

/* ---- the table ---- */

static const struct launch launches[] = {
    {"torchrun", N_("a shell script that starts torchrun"), true, false, put_torchrun},
    {"deepspeed", N_("a configuration of DeepSpeed"), true, false, put_deepspeed},
    {"slurm", N_("a batch script of Slurm"), true, false, put_slurm},
    {"vllm", N_("a shell script that starts vLLM"), false, true, put_vllm},
    {"skypilot", N_("a task of SkyPilot"), true, true, put_skypilot},
};

const struct launch *launch_table(size_t *count) {
    *count = sizeof launches / sizeof *launches;
    return launches;
}

const struct launch *launch_find(const char *name) {
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
        if (strcmp(launches[i].name, name) == 0)
            return &launches[i];
    return NULL;
}

bool launch_write(struct buf *b, const struct launch *l, const struct question *q, const struct candidate *c,
                  struct err *err) {
    bool training = job_is_training(q->job), inference = q->job->task == TASK_INFERENCE;
    if (c->reason.code != REASON_NONE) {
        struct buf why = {0};
        sentence_reason(&why, &c->reason);
        err_set(err, ERR_USAGE, "the job does not run on this offer: %s", why.data);
        buf_free(&why);
        return false;
    }
    if (!(training && l->training) && !(inference && l->inference))
        return err_set(err, ERR_USAGE, "%s is not for such a job (%s)", l->name, task_name(q->job->task));
    return l->put(b, q, c, err);
}

void launch_html(struct buf *b, const char *title, const char *text) {
    const char *parts[] = {title, text};
    static const char *const around[] = {"<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>",
                                         "</title>\n<pre>\n", "</pre>\n</html>\n"};
    for (int i = 0; i < 2; i++) {
        buf_puts(b, around[i]);
        for (const char *s = parts[i]; *s; s++) {
            const char *as = *s == '<'   ? "&lt;"
                             : *s == '>' ? "&gt;"
                             : *s == '&' ? "&amp;"
                             : *s == '"' ? "&quot;"
                                         : NULL;
            if (as)
                buf_puts(b, as);
            else
                buf_putc(b, *s);
        }
    }
    buf_puts(b, around[2]);
}
