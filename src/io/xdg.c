/* SPDX-License-Identifier: MIT */
/* Where configuration, data, state and caches live (XDG base directory specification). */
#include <stdlib.h>

#include "gpuplan/base/buf.h"
#include "gpuplan/base/mem.h"
#include "gpuplan/io/io.h"

static const struct {
    const char *variable, *home_part;
} places[] = {
    [IO_CONFIG] = {"XDG_CONFIG_HOME", "/.config"},
    [IO_DATA] = {"XDG_DATA_HOME", "/.local/share"},
    [IO_STATE] = {"XDG_STATE_HOME", "/.local/state"},
    [IO_CACHE] = {"XDG_CACHE_HOME", "/.cache"},
};

char *io_xdg_path(enum io_place place, const char *rest) {
    const char *base = getenv(places[place].variable);
    const char *home = getenv("HOME");
    struct buf b = {0};
    if (base && base[0] == '/')
        buf_puts(&b, base);
    else if (home && home[0] == '/')
        buf_printf(&b, "%s%s", home, places[place].home_part);
    else
        return NULL;
    buf_puts(&b, "/gpuplan");
    if (rest && rest[0])
        buf_printf(&b, "/%s", rest);
    char *path = mem_strdup(b.data);
    buf_free(&b);
    return path;
}
