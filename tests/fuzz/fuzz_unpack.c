/* SPDX-License-Identifier: MIT */
/* Whatever looks packed: it comes out whole and within the limit, or is refused with a reason. */
#include "fuzz.h"

#include "io/bytes.h"

enum { LIMIT = 1 << 20 };

static bool see_member(void *user, const char *name, struct io_bytes *bytes, struct err *err) {
    size_t *total = user;
    (void)err;
    FUZZ_ASSERT(name[0] != '\0' && bytes->len <= LIMIT);
    if (bytes->len > 0)
        FUZZ_ASSERT(bytes->data[bytes->len] == '\0');
    *total += bytes->len;
    return true;
}

FUZZ(unpack)
{
    struct err err = {0};
    struct io_bytes packed = {0};
    size_t total = 0;
    memcpy(io_bytes_room(&packed, len), bytes, len);
    packed.len = len;
    if (io_is_packed(packed.data, packed.len)) {
        bool done = io_unpack(&packed, "x.gz", LIMIT, see_member, &total, &err);
        FUZZ_ASSERT(done == (err.code == ERR_NONE) && total <= LIMIT);
    }
    io_bytes_free(&packed);
    return 0;
}
