/* SPDX-License-Identifier: MIT */
/* Addresses as text: made from the table of endpoints, and followed without leaving the host. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gpuplan/base/text.h"
#include "gpuplan/io/endpoint.h"

enum { URL_BYTES = 4096 };

/* The path: behind scheme and host. */
static const char *path_of(const char *url) {
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    return host + strcspn(host, "/?#");
}

static const char *host_of(const char *url, size_t *len) {
    const char *host = strstr(url, "://");
    if (!host)
        return NULL;
    host += 3;
    *len = strcspn(host, "/?#");
    if (*host == '[') {
        *len = strcspn(host, "]");
        return host[*len] == ']' ? ++*len, host : NULL;
    }
    *len = strcspn(host, ":/?#");
    return *len > 0 ? host : NULL;
}

bool url_is_secure(const char *url) {
    return strncasecmp(url, "https://", 8) == 0;
}

bool url_is_loopback(const char *url) {
    size_t len = 0;
    const char *host = host_of(url, &len);
    unsigned a, b, c, d;
    int used = 0;
    if (!host)
        return false;
    if ((len == 9 && strncasecmp(host, "localhost", 9) == 0) || (len == 5 && strncmp(host, "[::1]", 5) == 0))
        return true;
    return sscanf(host, "%3u.%3u.%3u.%3u%n", &a, &b, &c, &d, &used) == 4 && (size_t)used == len && a == 127;
}

/* Printable ASCII without blanks, and no user name: keys have a place of their own. */
bool url_check(const char *url, struct err *err) {
    size_t len = 0;
    bool web = url_is_secure(url) || strncasecmp(url, "http://", 7) == 0;
    if (!web || !host_of(url, &len) || strlen(url) >= URL_BYTES)
        return err_set(err, ERR_USAGE, "expected an address like https://host/path");
    for (const char *p = url; *p; p++)
        if (*p <= ' ' || *p > '~' || strchr("\"\\<>^`|", *p))
            return err_set(err, ERR_USAGE, "a character in the address that must be escaped (%%20 for a blank)");
    const char *at = strchr(url, '@');
    if (at && at < path_of(url))
        return err_set(err, ERR_USAGE, "an address must not hold a name or a key");
    return true;
}

/* Words of the table or of an answer become parts of a path. */
static void put_escaped(struct buf *out, const char *s) {
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("-._~", c);
        if (plain)
            buf_putc(out, *s);
        else
            buf_printf(out, "%%%02X", c);
    }
}

bool endpoint_url(const char *url, const char *base, const char *each, const char *version, struct buf *out,
                  struct err *err) {
    buf_clear(out);
    if (base) {
        size_t len = strlen(base);
        while (len > 0 && base[len - 1] == '/')
            len--;
        buf_put(out, base, len);
        url = path_of(url);
    }
    while (*url) {
        if (strncmp(url, "{each}", 6) == 0 && each) {
            put_escaped(out, each);
            url += 6;
        } else if (strncmp(url, "{version}", 9) == 0 && version) {
            put_escaped(out, version);
            url += 9;
        } else {
            buf_putc(out, *url++);
        }
    }
    if (out->len == 0)
        return err_set(err, ERR_USAGE, "no address is known; give one with --endpoint SOURCE=URL");
    return url_check(out->data, err);
}

bool url_follow(const char *from, const char *base, const char *next, struct buf *out, struct err *err) {
    bool absolute = strstr(next, "://") && strcspn(next, "/?#") > 4;
    const char *path = absolute ? path_of(next) : next;
    if (*path != '/' && *path != '?')
        return err_set(err, ERR_NETWORK, "the address of the next page has no path");
    buf_clear(out);
    if (base)
        buf_puts(out, base);
    else
        buf_put(out, from, (size_t)(path_of(from) - from));
    while (base && out->len > 0 && out->data[out->len - 1] == '/')
        out->data[--out->len] = '\0';
    if (*path == '?') /* the same place, other arguments */
        buf_put(out, path_of(from), strcspn(path_of(from), "?#"));
    buf_puts(out, path);
    if (url_check(out->data, err))
        return true;
    return err_set(err, ERR_NETWORK, "the address of the next page cannot be used");
}

void url_argument(const char *url, const char *name, const char *value, struct buf *out) {
    size_t name_len = strlen(name), head = strcspn(url, "?#");
    buf_clear(out);
    buf_put(out, url, head);
    char mark = '?';
    const char *p = url[head] == '?' ? url + head + 1 : "";
    while (*p && *p != '#') { /* what was there, but for the argument itself */
        size_t len = strcspn(p, "&#");
        if (len > 0 && !(strncmp(p, name, name_len) == 0 && p[name_len] == '=')) {
            buf_putc(out, mark);
            buf_put(out, p, len);
            mark = '&';
        }
        p += len + (p[len] == '&');
    }
    buf_printf(out, "%c%s=", mark, name);
    put_escaped(out, value);
}

bool url_of_link_header(const char *value, struct buf *out) {
    for (const char *p = value; (p = strchr(p, '<')) != NULL;) {
        const char *end = strchr(++p, '>');
        if (!end)
            return false;
        size_t rest = strcspn(end, "<");
        const char *rel = strstr(end, "rel=");
        if (rel && rel < end + rest && strncmp(rel + 4 + (rel[4] == '"'), "next", 4) == 0) {
            buf_clear(out);
            buf_put(out, p, (size_t)(end - p));
            return true;
        }
        p = end;
    }
    return false;
}
