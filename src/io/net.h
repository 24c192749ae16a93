/* SPDX-License-Identifier: MIT */
/*
 * libcurl, loaded when the first source is fetched: with the thirty libraries that come along it would cost every other
 * command a third of its time, and what is not loaded opens no socket.
 */
#ifndef GPUPLAN_SRC_IO_NET_H
#define GPUPLAN_SRC_IO_NET_H

#include <curl/curl.h>
#include <stdbool.h>

#include "gpuplan/base/err.h"

#define NET_FUNCTIONS(F)   \
    F(global_init)         \
    F(easy_init)           \
    F(easy_setopt)         \
    F(easy_getinfo)        \
    F(easy_escape)         \
    F(easy_strerror)       \
    F(easy_cleanup)        \
    F(slist_append)        \
    F(slist_free_all)      \
    F(multi_init)          \
    F(multi_setopt)        \
    F(multi_add_handle)    \
    F(multi_remove_handle) \
    F(multi_socket_action) \
    F(multi_info_read)     \
    F(multi_cleanup)       \
    F(free)

#define NET_MEMBER(name) __typeof__(curl_##name) *name;
struct net {
    NET_FUNCTIONS(NET_MEMBER)
};
#undef NET_MEMBER
extern struct net net;

bool net_load(struct err *err); /* once; then `net` can be used */

#endif
