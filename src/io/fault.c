/* SPDX-License-Identifier: MIT */
/* What went wrong with a transfer: for each kind one sentence that says what a person can do. */
#include <math.h>
#include <string.h>

#include "fetch.h"
#include "gpuplan/base/text.h"

static const struct {
    CURLcode code;
    bool again;
    const char *text;
} curl_faults[] = {
    {CURLE_COULDNT_RESOLVE_HOST, true, "the name of the host cannot be resolved: no network, or a wrong address"},
    {CURLE_COULDNT_RESOLVE_PROXY, false, "the name of the proxy cannot be resolved (https_proxy)"},
    {CURLE_COULDNT_CONNECT, true, "the host refuses the connection or is not reachable"},
    {CURLE_OPERATION_TIMEDOUT, true, "no answer within the time limit"},
    {CURLE_PEER_FAILED_VERIFICATION, false, "TLS: the certificate of the host is not trusted"},
    {CURLE_SSL_CACERT_BADFILE, false, "TLS: the file of trusted certificates cannot be read (SSL_CERT_FILE)"},
    {CURLE_SSL_CONNECT_ERROR, false, "TLS: no secure connection can be made"},
    {CURLE_SSL_CERTPROBLEM, false, "TLS: no secure connection can be made"},
    {CURLE_SSL_CIPHER, false, "TLS: no secure connection can be made"},
    {CURLE_PARTIAL_FILE, true, "the answer is cut off"},
    {CURLE_RECV_ERROR, true, "the connection broke off"},
    {CURLE_SEND_ERROR, true, "the connection broke off"},
    {CURLE_GOT_NOTHING, true, "the host closed the connection without an answer"},
    {CURLE_HTTP2, true, "the connection broke off"},
    {CURLE_HTTP2_STREAM, true, "the connection broke off"},
    {CURLE_BAD_CONTENT_ENCODING, true, "the answer is damaged: it cannot be unpacked"},
    {CURLE_TOO_MANY_REDIRECTS, false, "the host sends the request around in circles"},
    {CURLE_UNSUPPORTED_PROTOCOL, false, "the host sends the request to an address that is neither https nor http"},
    {CURLE_WEIRD_SERVER_REPLY, false, "the host does not speak HTTP"},
};

static bool at_place(const struct request *r, struct err *err) {
    char place[160] = "";
    size_t len = strlen(r->job->source);
    text_clean(place, sizeof place, r->job->source, len);
    return err_at(err, place, 0, 0, NULL);
}

static struct fault too_large(const struct request *r, struct err *err) {
    double most = r->job->fetch->setup.max_mb > 0 ? r->job->fetch->setup.max_mb : r->endpoint->max_mb;
    err_set(err, ERR_NETWORK, "the answer is larger than %g MB, so it was cut off (--max-mb allows more)", most);
    return (struct fault){.wait_s = NAN};
}

static struct fault of_curl(const struct request *r, CURLcode code, struct err *err) {
    char detail[160] = "";
    if (code == CURLE_FILESIZE_EXCEEDED || (code == CURLE_WRITE_ERROR && r->too_large))
        return too_large(r, err);
    text_clean(detail, sizeof detail, r->why, strnlen(r->why, sizeof r->why));
    for (size_t i = 0; i < sizeof curl_faults / sizeof *curl_faults; i++) {
        if (curl_faults[i].code != code)
            continue;
        bool tls = strncmp(curl_faults[i].text, "TLS", 3) == 0;
        err_set(err, ERR_NETWORK, tls && *detail ? "%s (%s)" : "%s", curl_faults[i].text, detail);
        return (struct fault){.again = curl_faults[i].again, .wait_s = NAN};
    }
    err_set(err, ERR_NETWORK, "%s", *detail ? detail : net.easy_strerror(code));
    return (struct fault){.wait_s = NAN};
}

static void refused(const struct request *r, long status, struct err *err) {
    const struct endpoint *e = r->endpoint;
    if (r->job->has_key)
        err_set(err, ERR_NETWORK, "the key in %s is refused (%ld)", e->key_env, status);
    else if (*e->key_env)
        err_set(err, ERR_NETWORK, "refused without a key (%ld); set %s", status, e->key_env);
    else
        err_set(err, ERR_NETWORK, "the host refuses the request (%ld)", status);
}

/* Of the server's own words only the number is shown: what else it says is not to be trusted on a terminal. */
static struct fault of_status(const struct request *r, long status, struct err *err) {
    struct fault f = {.wait_s = NAN};
    curl_off_t wait = 0;
    if (net.easy_getinfo(r->easy, CURLINFO_RETRY_AFTER, &wait) == CURLE_OK && wait > 0)
        f.wait_s = (double)wait;
    if (status == 401 || status == 403) {
        refused(r, status, err);
    } else if (status == 429) {
        f.again = true;
        if (isnan(f.wait_s))
            err_set(err, ERR_NETWORK, "the host has had too many requests (429); try later");
        else
            err_set(err, ERR_NETWORK, "the host has had too many requests (429) and asks to wait %.0f s", f.wait_s);
    } else if (status == 408 || (status >= 500 && status != 501 && status != 505)) {
        f.again = true;
        err_set(err, ERR_NETWORK, "the host is in trouble (%ld)", status);
    } else if (status == 404 || status == 410) {
        f.missing = true;
        err_set(err, ERR_NETWORK, "there is nothing at this address (%ld)", status);
    } else if (status >= 300 && status < 400) {
        err_set(err, ERR_NETWORK, "the host sends the request elsewhere (%ld), which a key does not follow", status);
    } else {
        err_set(err, ERR_NETWORK, "an answer of status %ld", status);
    }
    return f;
}

struct fault fault_judge(const struct request *r, CURLcode code, struct err *err) {
    long status = 0;
    const char *type = NULL;
    struct fault f = {.wait_s = NAN};
    net.easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
    net.easy_getinfo(r->easy, CURLINFO_CONTENT_TYPE, &type);
    if (code != CURLE_OK) {
        f = of_curl(r, code, err);
    } else if (status == 304) {
        return (struct fault){.unchanged = true};
    } else if (status < 200 || status >= 300) {
        f = of_status(r, status, err);
    } else if (io_is_web_page(r->body.data, r->body.len) || (type && strncmp(type, "text/html", 9) == 0)) {
        err_set(err, ERR_NETWORK, "a web page came instead of data: a log-in, a block or a wrong address");
    } else {
        return (struct fault){.none = true};
    }
    at_place(r, err);
    return f;
}
