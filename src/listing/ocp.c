/* SPDX-License-Identifier: MIT */
#include "listing/reader.h"
bool opencomputeprices_read(const struct listing_context *ctx, const char *bytes, size_t len, const char *name,
                            struct offers *out, struct err *err) {
    (void)ctx;
    (void)bytes;
    (void)len;
    (void)out;
    err_set(err, ERR_DATA, "not read yet");
    return err_at(err, name, 0, 0, NULL);
}
int opencomputeprices_recognise(const char *bytes, size_t len) {
    (void)bytes;
    (void)len;
    return 0;
}
