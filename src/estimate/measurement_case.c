/* SPDX-License-Identifier: MIT */
/* One row of measurements: words and numbers to a job and a shape. What the row leaves empty stays unpinned here. */
#include <math.h>
#include <string.h>

#include "estimate/measurement_internal.h"
#include "gpuplan/base/text.h"

/* Lengths of a run whose row does not say: a generate script with a short prompt, one fine-tuning sequence, one chat turn. */
enum { SHORT_GENERATION = 128, TRAINING_LENGTH = 512, CHAT_INPUT = 512, CHAT_OUTPUT = 128 };
/* Requests of a published run that does not count them: bounds and total tokens of the usual benchmark scripts. */
static const double offline_tokens = 6e6, offline_least = 1000, offline_most = 30000;
enum { ONLINE_REQUESTS = 1000, ENGINE_SERVING_REQUESTS = 500 /* TensorRT-LLM's serving tables */ };

/* Requests of TensorRT-LLM's published offline tables by (input, output) lengths. */
static const struct {
    int input, output;
    double requests;
} offline_tables[] = {
    {128, 128, 30000},  {128, 2048, 3000}, {500, 2000, 3000},   {1000, 1000, 3000},
    {2048, 128, 3000},  {128, 4096, 1500}, {1000, 2000, 1500},  {1024, 2048, 1500},
    {2048, 2048, 1500}, {5000, 500, 1500}, {20000, 2000, 1000},
};

static const char tensorrt[] = "tensorrt-llm";

/* Index of a word in the words of a workload field, so that files, forms and measurements speak one language. */
static int word_of(const char *field, const char *text) {
    const struct field *f = field_find(field);

    for (int i = 0; f != NULL && f->words != NULL && f->words[i] != NULL; i++) {
        if (text_equal_fold(text, f->words[i])) {
            return i;
        }
    }
    return -1;
}

static int read_word(const struct cells *row, enum measurement_column column, const char *field, const struct doubts *d,
                     int missing) {
    const char *text = row->text[column];
    int word = *text == '\0' ? missing : word_of(field, text);

    if (word < 0 && *text != '\0') {
        measurement_warn(d, "%s '%.40s' is no word of that column: taken as not stated", measurement_columns[column],
                         text);
    }
    return word < 0 ? missing : word;
}

/* ---- shape ---- */

/* Gbit/s a node has where nobody says: the reference machines of each generation (DGX-1 of V100: 1 x 100; DGX A100: 8 x 200; DGX H100: 8 x 400). */
static double usual_network_gbps(const struct gpu *g) {
    switch (g->family) {
    case GPU_FAMILY_GA100:
        return 1600;
    case GPU_FAMILY_HOPPER:
    case GPU_FAMILY_BLACKWELL_DC:
    case GPU_FAMILY_CDNA:
        return 3200;
    default:
        return 100;
    }
}

static void read_link(const struct cells *row, const struct doubts *d, struct shape *s) {
    const char *text = row->text[COLUMN_INTRA_NODE];
    int link = *text == '\0' ? LINK_UNKNOWN : link_find(text);

    s->link_gbs = NUM_UNKNOWN;
    s->link_source = PROVENANCE_DECLARED;
    if (s->gpus == 1) {
        s->link = LINK_NONE;
        return;
    }
    if (link < 0) {
        measurement_warn(d, "intra_node '%.40s' is no kind of link: taken as not stated", text);
    }
    if (link < 0 || link == LINK_UNKNOWN || link == LINK_NONE) {
        link = (int)link_by_product(s->gpu, s->gpus);
        s->link_source = PROVENANCE_ASSUMED;
    }
    s->link = (enum link_kind)link;
}

static void read_network(const struct cells *row, const struct note_facts *facts, struct shape *s) {
    bool stated = num_known(row->number[COLUMN_INTER_NODE_GBPS]);

    s->network = NETWORK_NONE;
    s->network_gbps = NUM_UNKNOWN;
    s->network_source = PROVENANCE_DECLARED;
    if (s->nodes <= 1) {
        return;
    }
    s->network_gbps = stated ? row->number[COLUMN_INTER_NODE_GBPS] : usual_network_gbps(s->gpu);
    s->network_source = stated ? PROVENANCE_DECLARED : PROVENANCE_ASSUMED;
    /* 100 Gbit/s and more between training nodes is an RDMA fabric in every published run; below it is plain Ethernet */
    s->network = facts->network > 0       ? (enum network_kind)(facts->network - 1)
                 : s->network_gbps >= 100 ? NETWORK_INFINIBAND
                                          : NETWORK_ETHERNET;
}

static const char *read_shape(const struct catalog *c, const struct cells *row, const struct note_facts *facts,
                              const struct doubts *d, struct shape *s) {
    struct gpu_match match;
    int gpus = cell_count(row, COLUMN_GPUS, 0);
    int per_node = cell_count(row, COLUMN_GPUS_PER_NODE, 0);

    if (*row->text[COLUMN_GPU] == '\0') {
        return "no GPU named";
    }
    match = catalog_gpu_resolve(c, row->text[COLUMN_GPU], NUM_UNKNOWN, GPU_FORM_UNKNOWN);
    if (match.gpu == NULL) {
        return match.ambiguous ? "GPU name stands for several cards" : "unknown GPU";
    }
    if (gpus == 0) {
        return "no count of GPUs";
    }
    s->gpu = match.gpu;
    s->vram_gib = match.gpu->vram_gib_usable;
    s->power_limit_w = facts->power_w > 0 ? facts->power_w : NUM_UNKNOWN;
    s->gpus = per_node > 0 && per_node < gpus ? per_node : per_node == 0 && gpus > 8 ? 8 : gpus;
    while (gpus % s->gpus != 0) { /* uneven nodes: the nearest even split */
        s->gpus--;
    }
    s->nodes = gpus / s->gpus;
    read_link(row, d, s);
    read_network(row, facts, s);
    return NULL;
}

/* ---- precision ---- */

/* The cell is one word for what computes and for what is stored: bf16 fp16 fp8 fp4 tf32 fp32, or a format of weights. */
static void read_precision(const struct cells *row, const struct note_facts *facts, const struct doubts *d,
                           struct job *j) {
    const char *text = row->text[COLUMN_PRECISION];
    int precision = *text == '\0' ? -1 : precision_find(text);
    int format = *text == '\0' ? -1 : weight_format_find(text);

    if (*text != '\0' && precision < 0 && format < 0) {
        measurement_warn(d, "precision '%.40s' is not known: taken as not stated", text);
    }
    j->weights_stated = format >= 0;
    if (format >= 0) {
        j->weights = (enum weight_format)format;
    }
    j->precision_stated = precision >= 0;
    if (precision >= 0) {
        j->precision = (enum precision)precision;
    }
    if (j->task == TASK_LORA || j->task == TASK_QLORA) {
        enum weight_format usual = j->task == TASK_QLORA ? WEIGHTS_NF4 : WEIGHTS_BF16;
        bool compressed = format >= 0 && weight_format_bytes((enum weight_format)format) < 2 &&
                          (precision < 0 || j->task == TASK_QLORA);
        j->base = facts->base > 0 ? (enum weight_format)(facts->base - 1)
                  : compressed    ? (enum weight_format)format
                                  : usual;
    }
}

/* ---- training ---- */

/* Neither DeepSpeed nor Megatron, which keep an fp32 master of the weights. */
static bool plain_states(const struct job *j) {
    return j->strategy == STRATEGY_AUTO || j->strategy == STRATEGY_SINGLE || j->strategy == STRATEGY_DDP ||
           j->strategy == STRATEGY_FSDP || j->strategy == STRATEGY_HSDP;
}

static void read_training(const struct cells *row, const struct note_facts *facts, const struct doubts *d,
                          const struct measurement *m, struct job *j) {
    static const double steps = 100; /* long enough that a start costs nothing */
    bool plain_loop;

    j->seq_len = cell_count(row, COLUMN_SEQ_LEN, TRAINING_LENGTH);
    j->mean_len = facts->mean_len > 0 ? fmin(facts->mean_len, j->seq_len) : j->seq_len;
    j->packing = facts->lengths != LENGTHS_VARY && facts->lengths != LENGTHS_BELOW;
    j->micro_batch = cell_count(row, COLUMN_MICRO_BATCH, 0);
    j->global_batch = num_known(row->number[COLUMN_GLOBAL_BATCH]) ? row->number[COLUMN_GLOBAL_BATCH] : 0;
    j->steps = steps;
    j->optimizer = (enum optimizer)read_word(row, COLUMN_OPTIMIZER, "optimizer", d, OPTIMIZER_ADAMW);
    if (j->task == TASK_FULL && j->optimizer == OPTIMIZER_ADAMW && j->precision == PRECISION_BF16 && plain_states(j)) {
        j->optimizer =
            OPTIMIZER_ADAMW_BF16; /* published 16-bit fine-tuning keeps weights, gradients and states in bf16 */
    }
    j->recompute = (enum recompute)read_word(row, COLUMN_RECOMPUTE, "recompute", d, RECOMPUTE_AUTO);
    j->offload = (enum offload)read_word(row, COLUMN_OFFLOAD, "offload", d, OFFLOAD_NONE);
    j->offload_stated = true;
    j->lora_rank = cell_count(row, COLUMN_LORA_RANK, j->lora_rank);
    j->loss = facts->chunked_loss ? LOSS_CHUNKED : LOSS_FULL;
    j->attention = facts->eager_attention ? ATTENTION_EAGER : ATTENTION_FLASH;
    /* Published pretraining runs on tuned code; fine-tuning is the library's default loop unless Megatron runs it. */
    plain_loop = j->task != TASK_PRETRAIN && j->strategy != STRATEGY_MEGATRON;
    j->stack = plain_loop && !facts->tuned ? STACK_DEFAULT : STACK_TUNED;
    j->stack_stated = true;
    j->head = facts->head;
    j->lengths = facts->lengths != LENGTHS_UNSTATED ? facts->lengths
                 : j->task == TASK_PRETRAIN         ? LENGTHS_FIXED
                                                    : LENGTHS_UNSTATED;
    if (m->metric == METRIC_FITS && j->lengths == LENGTHS_BELOW) {
        j->lengths = LENGTHS_UNSTATED; /* one long sample is enough to run out of memory */
    }
    j->reduce_bytes = facts->reduce_bytes;
    j->fused_step = facts->fused_step;
    measurement_software(row, j);
}

static void read_pins(const struct cells *row, const struct doubts *d, struct job *j) {
    const char *parallel = row->text[COLUMN_SEQ_PARALLEL];

    j->strategy = (enum strategy)read_word(row, COLUMN_STRATEGY, "strategy", d, STRATEGY_AUTO);
    j->tp = cell_count(row, COLUMN_TP, 0);
    j->pp = cell_count(row, COLUMN_PP, 0);
    j->cp = cell_count(row, COLUMN_CP, 0);
    j->ep = cell_count(row, COLUMN_EP, 0);
    j->dp = cell_count(row, COLUMN_DP, 0);
    j->zero = cell_count(row, COLUMN_ZERO, -1);
    j->seq_parallel = text_equal_fold(parallel, "yes") ? 1 : text_equal_fold(parallel, "no") ? 0 : -1;
    if (*parallel != '\0' && j->seq_parallel < 0) {
        measurement_warn(d, "seq_parallel '%.40s' is neither yes nor no: taken as not stated", parallel);
    }
}

/* ---- inference ---- */

static double usual_requests(const struct job *j, bool *published) {
    for (size_t i = 0; i < sizeof offline_tables / sizeof offline_tables[0] && strcmp(j->engine, tensorrt) == 0; i++) {
        if (offline_tables[i].input == (int)j->input_len && offline_tables[i].output == (int)j->output_len) {
            *published = true;
            return offline_tables[i].requests;
        }
    }
    return fmin(offline_most, fmax(offline_least, floor(offline_tokens / fmax(1, j->input_len + j->output_len))));
}

static void read_load(const struct cells *row, const struct note_facts *facts, struct job *j) {
    double n = row->number[COLUMN_CONCURRENCY];
    bool rate = text_equal_fold(row->text[COLUMN_MODE], "online_qps");

    j->concurrency = j->requests_per_s = j->requests = NUM_UNKNOWN;
    j->requests_stated = facts->requests > 0;
    if (j->batching == BATCHING_OFFLINE) {
        j->load = LOAD_BATCH;
        j->requests = j->requests_stated ? facts->requests : usual_requests(j, &j->requests_stated);
        return;
    }
    if (j->batching == BATCHING_ONLINE) {
        j->requests = j->requests_stated                 ? facts->requests
                      : strcmp(j->engine, tensorrt) == 0 ? ENGINE_SERVING_REQUESTS
                                                         : ONLINE_REQUESTS;
    }
    if (rate && isinf(n)) { /* all requests at once to a server */
        j->load = LOAD_BATCH;
    } else if (rate) {
        j->load = LOAD_RATE;
        j->requests_per_s = num_known(n) ? n : 1;
    } else {
        j->load = LOAD_CONCURRENCY;
        j->concurrency = num_known(n) && isfinite(n) ? fmax(1, n) : 1;
    }
}

/* A memory row states total tokens and sequences; most of a long one is prompt, as benchmark scripts answer at most 2048 tokens. */
static void read_resident(const struct cells *row, struct job *j) {
    double total = cell_count(row, COLUMN_SEQ_LEN, SHORT_GENERATION);
    static const double longest_answer = 2048;

    j->batching = BATCHING_STATIC;
    j->load = LOAD_CONCURRENCY;
    j->concurrency = cell_count(row, COLUMN_MICRO_BATCH, 1);
    j->output_len = fmin(floor(total / 2), longest_answer);
    j->input_len = total - j->output_len;
}

static void read_engine(const struct cells *row, const struct note_facts *facts, const struct doubts *d,
                        struct job *j) {
    const char *name = *row->text[COLUMN_ENGINE] != '\0' ? row->text[COLUMN_ENGINE] : facts->engine;

    j->engine[0] = '\0';
    if (name == NULL) {
        return;
    }
    if (!engine_known(name)) {
        measurement_warn(d, "engine '%.40s' is not known: a generic one is taken", name);
        return;
    }
    for (size_t i = 0; i + 1 < sizeof j->engine && name[i] != '\0'; i++) {
        j->engine[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
        j->engine[i + 1] = '\0';
    }
}

static void read_kv(const struct cells *row, const struct doubts *d, struct job *j) {
    const char *text = row->text[COLUMN_KV_PRECISION];
    int format = *text == '\0' ? -1 : weight_format_find(text);
    bool low_bits = j->weights == WEIGHTS_FP8 || j->weights == WEIGHTS_FP4;

    if (*text != '\0' && format < 0) {
        measurement_warn(d, "kv_precision '%.40s' is not known: taken as not stated", text);
    }
    j->kv_stated = format >= 0;
    /* TensorRT-LLM's published fp8 and fp4 checkpoints carry fp8 KV scales */
    j->kv = format >= 0                                    ? (enum weight_format)format
            : low_bits && strcmp(j->engine, tensorrt) == 0 ? WEIGHTS_FP8
                                                           : WEIGHTS_BF16;
}

static void read_inference(const struct cells *row, const struct note_facts *facts, const struct doubts *d,
                           const struct measurement *m, struct job *j) {
    bool memory_only = m->metric == METRIC_PEAK_GIB || m->metric == METRIC_FITS;

    read_engine(row, facts, d, j);
    j->input_len = num_known(row->number[COLUMN_INPUT_LEN]) ? row->number[COLUMN_INPUT_LEN] : CHAT_INPUT;
    j->output_len = num_known(row->number[COLUMN_OUTPUT_LEN]) ? row->number[COLUMN_OUTPUT_LEN] : CHAT_OUTPUT;
    if (memory_only && !num_known(row->number[COLUMN_INPUT_LEN])) {
        read_resident(row, j);
    } else {
        int mode = text_equal_fold(m->mode, "online_qps") ? BATCHING_ONLINE
                                                          : read_word(row, COLUMN_MODE, "batching", d, BATCHING_SINGLE);
        j->batching = (enum batching)mode;
        read_load(row, facts, j);
    }
    j->max_len = j->input_len + j->output_len;
    j->prefix_len = 0;
    read_kv(row, d, j);
    if (facts->attention_parallel &&
        j->tp > 1) { /* every GPU runs whole attention on its share of the sequences; experts are spread */
        j->dp = j->ep = j->tp;
        j->tp = 1;
    }
    if (facts->layer_split && j->strategy == STRATEGY_AUTO) {
        j->strategy = STRATEGY_LAYER_SPLIT;
    }
}

/* ---- the row ---- */

static enum memory_counter counter_of(const struct note_facts *facts, enum task task, enum metric metric) {
    if (metric == METRIC_FITS || (task == TASK_INFERENCE && metric != METRIC_PEAK_GIB)) {
        return COUNTER_PLAN; /* the card itself is the judge, and what an engine's pool leaves decides its speed */
    }
    return facts->counter == COUNTER_PLAN ? COUNTER_RESERVED : facts->counter;
}

const char *measurement_to_case(const struct catalog *c, const struct models *models, const struct cells *row,
                                const struct doubts *d, struct measurement *m) {
    struct note_facts facts;
    int task = *row->text[COLUMN_TASK] == '\0' ? -1 : task_find(row->text[COLUMN_TASK]);
    const char *why;

    measurement_read_notes(m->notes, &facts);
    if (task < 0 && (*row->text[COLUMN_ENGINE] != '\0' || text_equal_fold(m->kind, "infer"))) {
        task = TASK_INFERENCE;
    }
    if (task < 0 || task == TASK_MEASURED) {
        return *row->text[COLUMN_TASK] == '\0' ? "no task" : "unknown task";
    }
    job_init(&m->job, (enum task)task);
    m->job.task = (enum task)task;
    why = read_shape(c, row, &facts, d, &m->shape);
    if (why != NULL) {
        return why;
    }
    if (!measurement_model(models, row, &facts, &m->job.model)) {
        return "neither layers and hidden size nor params_b are stated";
    }
    m->job.software_year = m->year;
    m->job.counter = counter_of(&facts, m->job.task, m->metric);
    m->job.counter_active = facts.counter_active;
    read_pins(row, d, &m->job);
    read_precision(row, &facts, d, &m->job);
    if (task == TASK_INFERENCE) {
        read_inference(row, &facts, d, m, &m->job);
    } else {
        read_training(row, &facts, d, m, &m->job);
    }
    return NULL;
}
