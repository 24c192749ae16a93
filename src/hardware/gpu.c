/* SPDX-License-Identifier: MIT */
/* Words of the GPU catalogue, and its rows read from data/gpus.csv. */
#include "gpuplan/hardware/gpu.h"

#include <string.h>

#include "gpuplan/base/num.h"
#include "gpuplan/base/text.h"
#include "hardware/catalog_private.h"

static const char *const family_names[GPU_FAMILY_COUNT] = {
    "other", "pascal", "volta",        "turing",       "ga100", "ga10x",
    "ada",   "hopper", "blackwell_dc", "blackwell_ws", "cdna",  "rdna",
};
static const char *const form_names[GPU_FORM_COUNT] = {"unknown", "pcie", "sxm", "nvl", "oam", "superchip", "soc"};
static const char *const class_names[] = {"gpu", "tpu", "neuron", "gaudi", "other"};

const char *gpu_family_name(enum gpu_family f) {
    return (unsigned)f < GPU_FAMILY_COUNT ? family_names[f] : family_names[GPU_FAMILY_OTHER];
}

const char *gpu_form_name(enum gpu_form f) {
    return (unsigned)f < GPU_FORM_COUNT ? form_names[f] : form_names[GPU_FORM_UNKNOWN];
}

static int find_word(const char *const *names, size_t count, const char *word) {
    for (size_t i = 0; i < count; i++)
        if (text_equal_fold(names[i], word))
            return (int)i;
    return -1;
}

int gpu_form_find(const char *word) {
    char sxm[] = "sxm0";
    for (char c = '1'; c <= '6'; c++) {
        sxm[3] = c;
        if (text_equal_fold(word, sxm))
            return GPU_FORM_SXM;
    }
    return find_word(form_names, GPU_FORM_COUNT, word);
}

double gpu_nvlink_gbs(const struct gpu *g) {
    return g->nvlink_total_gbs / 2;
}

enum gpu_column {
    NAME,
    VENDOR,
    ARCH,
    FAMILY,
    FORM,
    CLASS,
    GEFORCE,
    P2P,
    SOURCE,
    VRAM_GB,
    VRAM_GIB,
    MEM_BW,
    FP32,
    TF32,
    FP16,
    FP16_ACC16,
    BF16,
    FP8,
    INT8,
    FP4,
    PCIE_GEN,
    PCIE_LANES,
    NVLINK_GEN,
    NVLINK_LINKS,
    NVLINK_GBS,
    TDP,
    CC,
    YEAR,
    COLUMNS
};
static const char *const columns[COLUMNS] = {
    "name",       "vendor",     "arch",         "family",     "form",       "class", "geforce",
    "p2p",        "source",     "vram_gb",      "vram_gib",   "mem_bw_gbs", "fp32",  "tf32",
    "fp16",       "fp16_acc16", "bf16",         "fp8",        "int8",       "fp4",   "pcie_gen",
    "pcie_lanes", "nvlink_gen", "nvlink_links", "nvlink_gbs", "tdp_w",      "cc",    "year",
};

/* What a figure may be, and where it goes. Limits are wide: they catch a slipped unit, not a new card. */
static const struct {
    enum gpu_column column;
    size_t offset;
    double high;
} figures[] = {
    {VRAM_GB, offsetof(struct gpu, vram_gb), 4096},
    {VRAM_GIB, offsetof(struct gpu, vram_gib_usable), 4096},
    {MEM_BW, offsetof(struct gpu, mem_bw_gbs), 1e5},
    {FP32, offsetof(struct gpu, fp32_tflops), 1e5},
    {TF32, offsetof(struct gpu, tf32_tflops), 1e5},
    {FP16, offsetof(struct gpu, fp16_tflops), 1e5},
    {FP16_ACC16, offsetof(struct gpu, fp16_acc16_tflops), 1e5},
    {BF16, offsetof(struct gpu, bf16_tflops), 1e5},
    {FP8, offsetof(struct gpu, fp8_tflops), 1e6},
    {INT8, offsetof(struct gpu, int8_tops), 1e6},
    {FP4, offsetof(struct gpu, fp4_tflops), 1e6},
    {NVLINK_GBS, offsetof(struct gpu, nvlink_total_gbs), 1e5},
    {TDP, offsetof(struct gpu, tdp_w), 1e4},
    {CC, offsetof(struct gpu, compute_capability), 99},
};
static const struct {
    enum gpu_column column;
    size_t offset;
    double high;
} counts[] = {
    {PCIE_GEN, offsetof(struct gpu, pcie_gen), 8},     {PCIE_LANES, offsetof(struct gpu, pcie_lanes), 32},
    {NVLINK_GEN, offsetof(struct gpu, nvlink_gen), 9}, {NVLINK_LINKS, offsetof(struct gpu, nvlink_links), 64},
    {YEAR, offsetof(struct gpu, launch_year), 2100},
};

static bool read_words(const struct data_table *t, size_t row, struct gpu *g, struct err *err) {
    const char *form = data_table_cell(t, row, FORM);
    int family = find_word(family_names, GPU_FAMILY_COUNT, data_table_cell(t, row, FAMILY));
    int form_found = *form == '\0' ? GPU_FORM_UNKNOWN : gpu_form_find(form);
    int cls = find_word(class_names, sizeof class_names / sizeof *class_names, data_table_cell(t, row, CLASS));
    if (family < 0 || form_found < 0 || cls < 0) {
        enum gpu_column bad = family < 0 ? FAMILY : form_found < 0 ? FORM : CLASS;
        err_set(err, ERR_DATA, "unknown word '%s'", data_table_cell(t, row, bad));
        return data_table_at(t, row, bad, err);
    }
    g->name = data_table_cell(t, row, NAME);
    g->vendor = data_table_cell(t, row, VENDOR);
    g->arch = data_table_cell(t, row, ARCH);
    g->source = data_table_cell(t, row, SOURCE);
    g->form_text = form;
    g->family = (enum gpu_family)family;
    g->form = (enum gpu_form)form_found;
    g->cls = (enum gpu_class)cls;
    g->geforce = text_equal_fold(data_table_cell(t, row, GEFORCE), "yes");
    g->p2p_over_pcie = text_equal_fold(data_table_cell(t, row, P2P), "yes");
    return true;
}

static bool read_gpu(const struct data_table *t, size_t row, struct gpu *g, struct err *err) {
    if (!read_words(t, row, g, err))
        return false;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        double *out = (double *)(void *)((char *)g + figures[i].offset);
        if (!data_table_number(t, row, figures[i].column, 0, figures[i].high, 0, out, err))
            return false;
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double x;
        if (!data_table_number(t, row, counts[i].column, 0, counts[i].high, 0, &x, err))
            return false;
        *(int *)(void *)((char *)g + counts[i].offset) = (int)x;
    }
    /* A card without its memory and its rate cannot be estimated; an overlay row must not slip one in. */
    if (g->cls == GPU_CLASS_GPU && (*g->name == '\0' || g->vram_gb <= 0 || g->mem_bw_gbs <= 0)) {
        err_set(err, ERR_DATA, "a GPU needs name, vram_gb and mem_bw_gbs");
        return data_table_at(t, row, NAME, err);
    }
    if (g->vram_gib_usable <= 0)
        g->vram_gib_usable = g->vram_gb;
    return true;
}

bool gpus_load(struct catalog *c, struct err *err) {
    c->gpu_table = data_table_load("gpus.csv", columns, COLUMNS, err);
    if (c->gpu_table == NULL)
        return false;
    size_t rows = data_table_rows(c->gpu_table);
    if (rows > INT16_MAX)
        return err_set(err, ERR_DATA, "gpus.csv: more than %d cards", INT16_MAX);
    c->gpus = mem_zero(rows, sizeof *c->gpus);
    for (size_t i = 0; i < rows; i++)
        if (!read_gpu(c->gpu_table, i, &c->gpus[i], err))
            return false;
    c->gpu_count = rows;
    return true;
}
