/* SPDX-License-Identifier: MIT */
/*
 * Writes a large listing to standard output: bench_listings gpuplan-csv|gpuplan-jsonl|skypilot [ROWS]. Half of the rows are
 * machine types of clouds in many regions, half are hosts of a marketplace, each with a price and a machine of its own; no row
 * is there twice. The same arguments give the same bytes.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct type {
    const char *provider, *host_class, *machine, *gpu, *raw;
    int gpus, size_mib, cores, ram_gib;
    double usd; /* an hour of the machine */
};

/* One line each of what clouds sell, and of what is in a marketplace. */
static const struct type clouds[] = {
    {"aws", "hyperscaler", "p5.48xlarge", "H100-SXM5-80GB", "H100", 8, 81920, 192, 2048, 55.04},
    {"aws", "hyperscaler", "p4d.24xlarge", "A100-SXM4-40GB", "A100", 8, 40960, 96, 1152, 21.97},
    {"aws", "hyperscaler", "g6.2xlarge", "L4", "L4", 1, 22888, 8, 32, 0.98},
    {"aws", "hyperscaler", "g5.12xlarge", "A10G", "A10G", 4, 22528, 48, 192, 5.67},
    {"aws", "hyperscaler", "g4dn.xlarge", "T4", "T4", 1, 15360, 4, 16, 0.53},
    {"azure", "hyperscaler", "Standard_ND96isr_H100_v5", "H100-SXM5-80GB", "H100", 8, 81920, 96, 1900, 98.32},
    {"azure", "hyperscaler", "Standard_NC24ads_A100_v4", "A100-PCIE-80GB", "A100-80GB", 1, 81920, 24, 220, 3.67},
    {"azure", "hyperscaler", "Standard_NC64as_T4_v3", "T4", "T4", 4, 15360, 64, 440, 4.35},
    {"gcp", "hyperscaler", "a2-highgpu-4g", "A100-SXM4-40GB", "A100", 4, 40960, 48, 340, 14.69},
    {"gcp", "hyperscaler", "a3-highgpu-8g", "H100-SXM5-80GB", "H100", 8, 81920, 208, 1872, 88.25},
    {"lambda", "cloud", "gpu_8x_h100_sxm5", "H100-SXM5-80GB", "H100", 8, 81920, 208, 1800, 23.92},
    {"lambda", "cloud", "gpu_1x_a10", "A10", "A10", 1, 24576, 30, 200, 0.75},
    {"runpod", "cloud", "2x_L40S_SECURE", "L40S", "L40S", 2, 49152, 32, 188, 1.72},
    {"nebius", "cloud", "gpu-h200-sxm_8gpu-128vcpu-1600gb", "H200-SXM5-141GB", "H200", 8, 144384, 128, 1600, 28.0},
};
static const struct type hosts[] = {
    {"vast", "market_unverified", "RTX_4090", "RTX-4090", "RTX4090", 1, 24564, 16, 64, 0.37},
    {"vast", "market_unverified", "RTX_3090", "RTX-3090", "RTX3090", 2, 24576, 32, 128, 0.34},
    {"vast", "market_dc", "H100_SXM", "H100-SXM5-80GB", "H100", 8, 81559, 192, 1024, 17.2},
    {"vast", "market_verified", "A100_SXM4", "A100-SXM4-80GB", "A100-80GB", 4, 81920, 64, 512, 4.1},
    {"vast", "market_unverified", "RTX_A6000", "RTX-A6000", "RTXA6000", 4, 49140, 48, 256, 1.9},
    {"vast", "market_unverified", "RTX_5090", "RTX-5090", "RTX5090", 8, 32607, 96, 512, 4.4},
    {"vast", "market_verified", "L40S", "L40S", "L40S", 1, 46068, 24, 96, 0.71},
    {"vast", "market_unverified", "RTX_3060", "RTX-3060-12GB", "RTX3060", 1, 12288, 8, 32, 0.07},
};
static const char *const places[] = {"us-east", "us-west", "eu-central", "eu-north", "ap-southeast", "ap-northeast"};
static const char *const countries[] = {"Texas, US, NA", "Hungary, HU, EU", ", FR, EU", "Ontario, CA, NA"};
#define COUNT(table) (sizeof(table) / sizeof *(table))

struct row {
    const struct type *t;
    char machine[64], region[48];
    unsigned long number;
    bool market;
    double usd, spot_usd; /* 0 = none */
    int cores, ram_gb, disk_gb, lanes, mbps, minute;
    double reliability;
};

/* splitmix64 */
static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static struct row make_row(unsigned long number) {
    uint64_t chance = mix(number);
    struct row r = {.number = number, .market = number % 2 == 1};
    unsigned long n = number / 2;
    r.t = r.market ? &hosts[n % COUNT(hosts)] : &clouds[n % COUNT(clouds)];
    double drift = 0.8 + 0.4 * (double)(chance % 10007) / 10007;
    r.usd = r.t->usd * (r.market ? drift : 1 + 0.01 * (double)(n / COUNT(clouds) % 31));
    r.spot_usd = !r.market && chance % 4 == 0 ? r.usd * drift / 2 : 0;
    r.cores = r.t->cores * (r.market ? 1 + (int)(chance >> 16 & 1) : 1);
    r.ram_gb = r.t->ram_gib + (r.market ? (int)(chance >> 20 & 63) : 0);
    r.disk_gb = 100 + (int)(chance >> 24 & 4095);
    r.lanes = 4 << (chance >> 40) % 3;
    r.mbps = 100 + (int)(chance >> 44 & 1023);
    r.minute = (int)(chance >> 30) & 0x3ff;
    r.reliability = 0.9 + 0.0001 * (double)(chance >> 50 & 1023) / 1.1;
    if (r.market)
        snprintf(r.region, sizeof r.region, "%s", countries[(n / COUNT(hosts)) % COUNT(countries)]);
    else
        snprintf(r.region, sizeof r.region, "%s-%lu", places[n / COUNT(clouds) % COUNT(places)],
                 n / COUNT(clouds) / COUNT(places) + 1);
    return r;
}

static const char header[] =
    "id,source,provider,host_class,machine,machine_id,gpu,gpu_raw,gpus,vram_gb,rate_usd_h,rate_basis,rate_kind,"
    "spot_usd_h,link,link_source,pcie_gen,pcie_lanes,cpu_cores,ram_gb,disk_local_gb,inet_down_mbps,region,available,"
    "reliability,observed_at,flags,notes";

static void put_csv(struct row *r) {
    const struct type *t = r->t;
    char machine[96], spot[32] = "", moment[32];
    snprintf(moment, sizeof moment, "2026-03-21T%02d:%02d:09Z", r->minute / 60, r->minute % 60);
    if (r->spot_usd > 0)
        snprintf(spot, sizeof spot, "%.4f", r->spot_usd);
    if (!r->market) {
        printf("file:%s:%s:%s,file,%s,%s,%s,,%s,%s,%d,,%.4f,machine,on_demand,%s,,,,,%d,%d,,,%s,unknown,,%s,,\n",
               t->provider, t->machine, r->region, t->provider, t->host_class, t->machine, t->gpu, t->raw, t->gpus,
               r->usd, spot, r->cores, r->ram_gb, r->region, moment);
        return;
    }
    snprintf(machine, sizeof machine, "%dx_%s", t->gpus, t->machine);
    printf("file:%s:%s:%lu,file,%s,%s,%s,m%lu,%s,%s,%d,%.5g,%.4f,machine,on_demand,,%s,%s,4,%d,%d,%d,%d,%d,\"%s\",yes,"
           "%.4f,%s,,\n",
           t->provider, machine, r->number, t->provider, t->host_class, machine, r->number, t->gpu, t->raw, t->gpus,
           t->size_mib / 1024.0, r->usd, t->gpus > 1 ? "pcie" : "none", t->gpus > 1 ? "declared" : "inferred", r->lanes,
           r->cores, r->ram_gb, r->disk_gb, r->mbps, r->region, r->reliability, moment);
}

static void put_json(struct row *r) {
    const struct type *t = r->t;
    printf("{\"id\":\"file:%s:%s:%lu\",\"source\":\"file\",\"provider\":\"%s\",\"host_class\":\"%s\",\"machine\":\"%s\","
           "\"gpu\":\"%s\",\"gpus\":%d,\"rate_usd_h\":%.4f,\"rate_basis\":\"machine\",\"rate_kind\":\"on_demand\","
           "\"cpu_cores\":%d,\"ram_gb\":%d,\"region\":\"%s\"}\n",
           t->provider, t->machine, r->number, t->provider, t->host_class, t->machine, t->gpu, t->gpus, r->usd, r->cores,
           r->ram_gb, r->region);
}

/* As the catalogue writes them: a Python dictionary between quotes. Rows of a marketplace differ in their filter figures. */
static void put_skypilot(struct row *r) {
    const struct type *t = r->t;
    char machine[96], spot[32] = "";
    const char *quote = strchr(r->region, ',') ? "\"" : "";
    snprintf(machine, sizeof machine, "%s", t->machine);
    if (r->market)
        snprintf(machine, sizeof machine, "%dx-%s-%d-%lu", t->gpus, t->machine, r->cores, 1024 + r->number);
    if (r->spot_usd > 0)
        snprintf(spot, sizeof spot, "%.4f", r->spot_usd);
    printf("%s,%s,%d,%d,%d,\"{'Gpus': [{'Name': '%s', 'Count': %d, 'MemoryInfo': {'SizeInMiB': %d}}], "
           "'TotalGpuMemoryInMiB': %d}\",%.4f,%s,%s%s%s,%s\n",
           machine, t->raw, t->gpus, r->cores, r->ram_gb, t->raw, t->gpus, t->size_mib, t->size_mib * t->gpus, r->usd,
           spot, quote, r->region, quote, t->provider);
}

int main(int argc, char **argv) {
    const char *format = argc > 1 ? argv[1] : "";
    unsigned long rows = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
    void (*put)(struct row *) = strcmp(format, "gpuplan-csv") == 0     ? put_csv
                                : strcmp(format, "gpuplan-jsonl") == 0 ? put_json
                                : strcmp(format, "skypilot") == 0      ? put_skypilot
                                                                       : NULL;
    if (!put) {
        fprintf(stderr, "usage: bench_listings gpuplan-csv|gpuplan-jsonl|skypilot [ROWS]\n");
        return 2;
    }
    if (put == put_csv)
        puts(header);
    if (put == put_skypilot)
        puts("InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,Provider");
    for (unsigned long i = 0; i < rows; i++) {
        struct row row = make_row(i);
        put(&row);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
