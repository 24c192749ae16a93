/* SPDX-License-Identifier: MIT */
#include "net.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct net net;

#define NET_ENTRY(name) {"curl_" #name, offsetof(struct net, name)},
static const struct {
    const char *symbol;
    size_t at;
} entries[] = {NET_FUNCTIONS(NET_ENTRY)};

/* libcurl has kept this binary interface since 2006; the name without a number is there where it is developed with. */
static const char *const files[] = {"libcurl.so.4", "libcurl.4.dylib", "libcurl.so"};

bool net_load(struct err *err) {
    void *library = NULL;
    if (net.easy_init)
        return true;
    for (size_t i = 0; i < sizeof files / sizeof *files && !library; i++)
        library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return err_set(err, ERR_NETWORK, "fetching needs libcurl, which is not installed");
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *function = dlsym(library, entries[i].symbol);
        if (!function)
            return err_set(err, ERR_NETWORK, "this libcurl is too old: it has no %s", entries[i].symbol);
        memcpy((char *)&net + entries[i].at, &function, sizeof function); /* POSIX: a pointer to data fits */
    }
    return net.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK || err_set(err, ERR_NETWORK, "libcurl cannot be used");
}
