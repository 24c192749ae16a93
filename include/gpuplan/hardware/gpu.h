/* SPDX-License-Identifier: MIT */
/*
 * The GPU catalogue: one row per GPU or accelerator (data/gpus.csv). Rates are dense (no sparsity), with fp32
 * accumulate. Of a board or card with several devices that each have their own memory (K80, M60, A16, MI250) a row
 * is one. A catalogue owns its rows; `const struct gpu *` stays valid until catalog_free().
 */
#ifndef GPUPLAN_HARDWARE_GPU_H
#define GPUPLAN_HARDWARE_GPU_H

#include <stdbool.h>
#include <stddef.h>

/* Cards whose kernels behave alike: efficiencies in the assumptions are kept by family. */
enum gpu_family {
    GPU_FAMILY_OTHER,
    GPU_FAMILY_PASCAL, /* and older NVIDIA: no tensor cores */
    GPU_FAMILY_VOLTA,
    GPU_FAMILY_TURING,
    GPU_FAMILY_GA100,        /* A100, A800, A30 */
    GPU_FAMILY_GA10X,        /* A10, A40, RTX 30, RTX A */
    GPU_FAMILY_ADA,
    GPU_FAMILY_HOPPER,
    GPU_FAMILY_BLACKWELL_DC, /* B200, B300, GB200 */
    GPU_FAMILY_BLACKWELL_WS, /* RTX 50, RTX PRO Blackwell */
    GPU_FAMILY_CDNA,         /* AMD Instinct */
    GPU_FAMILY_RDNA,
    GPU_FAMILY_COUNT
};

enum gpu_form {
    GPU_FORM_UNKNOWN,
    GPU_FORM_PCIE,
    GPU_FORM_SXM,
    GPU_FORM_NVL,
    GPU_FORM_OAM,
    GPU_FORM_SUPERCHIP,
    GPU_FORM_SOC,
    GPU_FORM_COUNT
};

/* What is rented: only GPU_CLASS_GPU is ranked; the rest is named and skipped. */
enum gpu_class { GPU_CLASS_GPU, GPU_CLASS_TPU, GPU_CLASS_NEURON, GPU_CLASS_GAUDI, GPU_CLASS_OTHER };

struct gpu {
    const char *name; /* canonical: "A100-SXM4-80GB" */
    const char *vendor, *arch, *form_text;
    enum gpu_family family;
    enum gpu_form form;
    enum gpu_class cls;
    bool geforce; /* GeForce or Titan: no PCIe peer-to-peer in the stock driver, clocks above the rated figure */
    double vram_gb;             /* nominal, GB as sold */
    double vram_gib_usable;     /* what CUDA reports, GiB */
    double mem_bw_gbs;          /* GB/s */
    /* TFLOP/s; 0 = the card has no such rate (or nobody states it) */
    double fp32_tflops, tf32_tflops, fp16_tflops, fp16_acc16_tflops, bf16_tflops, fp8_tflops, int8_tops, fp4_tflops;
    int pcie_gen, pcie_lanes;
    int nvlink_gen, nvlink_links; /* 0 = none; xGMI cards have gen 0, links > 0 */
    double nvlink_total_gbs;      /* both directions, all links */
    bool p2p_over_pcie;
    double tdp_w;
    double compute_capability;    /* 8.9; AMD and others: 0 */
    int launch_year;
    const char *source;           /* of the figures */
};

const char *gpu_family_name(enum gpu_family f); /* "ga100" … as in the keys of assumptions */
const char *gpu_form_name(enum gpu_form f);     /* "sxm", "pcie", "nvl", "oam", "superchip", "soc", "unknown" */
int gpu_form_find(const char *word);            /* also sxm2..sxm6; -1 */
/* Half of nvlink_total_gbs: one direction, all links, GB/s. */
double gpu_nvlink_gbs(const struct gpu *g);

#endif
