/* SPDX-License-Identifier: MIT */
/*
 * Offers: one row of a snapshot each. An offer set owns its strings (one intern table) and is replaced whole; nothing keeps a
 * pointer or index across a replace, only the offer's id text. Numbers that nobody stated are NAN (floats) or 0 where the
 * comment says so. sizeof(struct offer) <= 128 (tested).
 */
#ifndef GPUPLAN_LISTING_OFFER_H
#define GPUPLAN_LISTING_OFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpuplan/base/err.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/base/provenance.h"
#include "gpuplan/hardware/catalog.h"
#include "gpuplan/hardware/shape.h"
#include "gpuplan/listing/provider.h"

enum rate_basis { RATE_MACHINE, RATE_GPU, RATE_COMPONENT, RATE_BASIS_COUNT };
enum rate_kind { RATE_ON_DEMAND, RATE_SPOT, RATE_RESERVED, RATE_BID_FLOOR, RATE_KIND_COUNT };
enum tri { TRI_UNKNOWN, TRI_NO, TRI_YES };
enum access_kind { ACCESS_UNKNOWN, ACCESS_NOW, ACCESS_QUOTA, ACCESS_WAITLIST, ACCESS_SALES, ACCESS_COUNT };
enum environment_kind { ENVIRONMENT_UNKNOWN, ENVIRONMENT_BARE, ENVIRONMENT_VM, ENVIRONMENT_CONTAINER, ENVIRONMENT_COUNT };

/* Findings of the checks at load time; names in offer_flag_name(). */
enum offer_flag {
    OFFER_ZERO_PRICE = 1 << 0,
    OFFER_SPOT_GE_ON_DEMAND = 1 << 1,
    OFFER_DUPLICATE = 1 << 2,       /* same key and price as an earlier row: kept once */
    OFFER_PRICE_CONFLICT = 1 << 3,  /* same key, another price */
    OFFER_VRAM_CONFLICT = 1 << 4,   /* listed VRAM fits no known size of the card */
    OFFER_FORM_CONFLICT = 1 << 5,   /* SXM and PCIe at once, or a link the card cannot have */
    OFFER_COUNT_CONFLICT = 1 << 6,  /* count differs from the machine table or from the name */
    OFFER_UNIT_GUESS = 1 << 7,      /* a unit was decided by us */
    OFFER_OVERLAP = 1 << 8,         /* another offer is a slice of the same machine */
    OFFER_CURRENCY_UNKNOWN = 1 << 9,
    OFFER_GPU_AMBIGUOUS = 1 << 10,
    OFFER_GPU_UNKNOWN = 1 << 11,
    OFFER_RAM_SUSPECT = 1 << 12,    /* host RAM column repeats the VRAM or a query bucket: treated as unknown */
    OFFER_PRICE_BAND = 1 << 13,     /* price per GPU far outside what this card costs elsewhere in the snapshot */
    OFFER_SUMMARY_ROW = 1 << 14,    /* a statistic, not a machine */
    OFFER_STALE = 1 << 15,
    OFFER_EXPIRED = 1 << 16,
    OFFER_AUCTION_FLOOR = 1 << 17,
    OFFER_FRACTION = 1 << 18,       /* a slice of a card */
    OFFER_COMPONENT_PART = 1 << 19, /* the GPU's price only, the host's part is missing */
    OFFER_BASIS_ASSUMED = 1 << 20,  /* several GPUs and no word what the rate is for: taken for the machine */
};
enum { OFFER_FLAG_COUNT = 21 };

struct offer {
    /* interned text */
    uint32_t id, provider, machine, region, gpu_raw, source, machine_id, notes;
    uint32_t extra;          /* the record of rarely stated fields; 0 = none */
    uint32_t flags;          /* enum offer_flag */
    int32_t line;            /* in the file it came from */
    int16_t gpu;             /* index in the catalogue; -1 = unknown card */
    uint16_t gpus;           /* in one machine, >= 1 */
    uint16_t nodes_max;      /* 0 = unknown */
    uint8_t file;            /* index of the listing file */
    uint8_t pcie_gen, pcie_lanes; /* 0 = unknown */
    uint8_t form;            /* enum gpu_form */
    uint8_t link, link_source, network, network_source;
    uint8_t rate_basis, rate_kind, available, access, environment, host_class;
    int64_t rate_microusd;   /* per hour for the WHOLE machine as the rate basis says it costs, millionths; 0 = unknown */
    int64_t spot_microusd;   /* likewise; 0 = none */
    int64_t observed_at;     /* seconds since 1970 UTC; 0 = unknown */
    float gpu_fraction;      /* 1 = whole cards */
    float vram_gb;           /* per GPU as listed, NAN = not stated */
    float link_gbs, network_gbps;
    float cpu_cores, ram_gb, disk_local_gb;
    uint16_t available_count; /* 0 = unknown */
    uint16_t pad;
};

/* The fields few listings state (NAN or 0 = not stated): first those of 8 bytes, then interned texts. */
struct offer_extra {
    double gpus_step, gpus_max, power_limit_w, vcpu_usd_h, ram_gb_usd_h, disk_mbs, disk_persist_gb, disk_usd_gb_month, stopped_usd_h;
    double ingress_usd_gb, egress_usd_gb, inet_down_mbps, inet_up_mbps, min_hours, term_h, upfront_usd, billing_step_s, max_duration_h;
    double reliability, cuda_max, compute_capability;
    int64_t expires_at;
    uint32_t currency, price_includes, cpu_arch, disk_kind, driver, form_text; /* interned */
    uint32_t unknown_columns; /* interned JSON object of columns we do not know; kept by import */
};

struct offers {
    struct intern *text;
    struct offer *items;
    size_t count, cap;
    struct extras *extras; /* rarely stated fields, packed */
    struct oci *oci;       /* shapes that wait for the prices of their parts; NULL = none */
    uint32_t files[256];       /* interned names */
    size_t file_count;
    /* what happened while loading */
    size_t rows_read, rows_skipped, rows_no_gpu; /* the last: machines without a GPU, which are no fault */
    struct offer_problem *problems; /* one per kind and reason, with a count */
    size_t problem_count, problem_cap;
    int64_t observed_at;       /* newest of the rows; 0 = unknown */
    uint32_t from;             /* interned: which lists these are, where nobody named them ("vast, lambda"); 0 = not said */
};

/* One line each on stderr: identical findings once, with a count and the first place. */
struct offer_problem {
    uint32_t file, field, text; /* interned */
    int32_t line, record;       /* of the first */
    uint32_t count;
    bool skipped;               /* the rows were left out */
};

struct offers *offers_new(void);
void offers_free(struct offers *o);
const char *offers_text(const struct offers *o, uint32_t id);
/* Valid until the fields of another offer are asked for or edited. */
const struct offer_extra *offer_extra(const struct offers *o, const struct offer *f);
struct offer_extra *offer_extra_edit(struct offers *o, struct offer *f); /* makes one on first use; valid likewise */
struct offer *offers_add(struct offers *o); /* zeroed, floats NAN; pointer valid until the next add */
const struct offer *offers_find(const struct offers *o, const char *id); /* exact id, else unique prefix or suffix; NULL */
void offers_problem(struct offers *o, const char *file, long line, long record, const char *field, const char *text, bool skipped);

double offer_rate_usd_h(const struct offer *f);     /* whole machine; NUM_UNKNOWN if not known */
const char *offer_flag_name(enum offer_flag flag);  /* "spot_ge_on_demand" … */
uint32_t offer_flag_find(const char *name);         /* 0 if unknown */
const char *rate_basis_name(enum rate_basis b);
const char *rate_kind_name(enum rate_kind k);
const char *tri_name(enum tri t);                   /* "yes" "no" "unknown" */
const char *access_name(enum access_kind a);
const char *environment_name(enum environment_kind e);
int rate_basis_find(const char *s);
int rate_kind_find(const char *s);
int access_find(const char *s);
int environment_find(const char *s);

/* The shape of an offer for a number of nodes; false when the card is unknown. */
bool offer_shape(const struct catalog *c, const struct offers *o, const struct offer *f, int nodes, struct shape *out);
/* Memory of one GPU, GB as cards are sold: who lists the usable part (22 of an L4) means the card of 24; a slice stays one. NUM_UNKNOWN. */
double offer_vram_gb(const struct gpu *g, const struct offer *f);

#endif
