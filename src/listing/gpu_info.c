/* SPDX-License-Identifier: MIT */
/*
 * GpuInfo is Python text, JSON, a mixture of both, a bare name, or empty. Only three keys matter, so they are searched for
 * instead of parsing five grammars.
 */
#include <ctype.h>
#include <string.h>

#include "gpuplan/base/num.h"
#include "listing/skypilot.h"

/* What follows a key: quotes, a colon and blanks. */
static const char *value_of(const char *s, const char *key) {
    const char *p = strstr(s, key);
    if (!p)
        return NULL;
    p += strlen(key);
    while (*p == '\'' || *p == '"' || *p == ':' || isspace((unsigned char)*p))
        p++;
    return *p ? p : NULL;
}

static double number_of(const char *s, const char *key) {
    const char *p = value_of(s, key);
    double x;
    size_t len = 0;
    while (p && (isdigit((unsigned char)p[len]) || p[len] == '.'))
        len++;
    return p && num_parse_plain(p, len, &x) && x > 0 ? x : NUM_UNKNOWN;
}

static void name_of(const char *s, char *out, size_t cap) {
    const char *p = value_of(s, "'Name");
    size_t n = 0;
    if (!p)
        p = value_of(s, "\"Name");
    for (; p && p[n] && p[n] != '\'' && p[n] != '"' && n + 1 < cap; n++)
        out[n] = p[n];
    out[n] = '\0';
}

struct gpu_info gpu_info_parse(const char *s) {
    struct gpu_info info = {NUM_UNKNOWN, NUM_UNKNOWN, ""};
    if (!strchr(s, '{'))
        return info; /* a bare name repeats the accelerator's */
    info.size_mib = number_of(s, "SizeInMiB");
    info.total_mib = number_of(s, "TotalGpuMemoryInMiB");
    name_of(s, info.name, sizeof info.name);
    return info;
}
