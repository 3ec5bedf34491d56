/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/fetch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/units.h"
#include "web/libcurl.h"

enum { WAIT_MS = 100, EXPECT_ABOVE_BYTES = 1024 * 1024 };

struct fetch {
    const struct libcurl *curl;
    CURL *easy;
    CURLM *multi; /* keeps the connections */
    struct curl_slist *headers;
    struct curl_slist *connect_to;
    bool out_of_memory;
    char why[CURL_ERROR_SIZE];

    /* Of the call under way. */
    const struct fetch_call *call;
    struct fetch_reply *reply;
    enum fetch_fail ended_by_us; /* FETCH_OK: not */
    uint64_t moved_ns;           /* when bytes moved last */
    bool head_done;
};

const char *fetch_fail_text(enum fetch_fail fail)
{
    static const char *const TEXTS[] = {
#define FETCH_TEXT(id, text) [id] = text,
        FETCH_FAILS(FETCH_TEXT)
#undef FETCH_TEXT
    };
    return TEXTS[fail];
}

/* ---- Life ---- */

int fetch_new(struct fetch **out, struct err *err)
{
    const struct libcurl *library = libcurl_load(err);
    struct fetch *f = NULL;

    *out = NULL;
    if (library == NULL) {
        return -1;
    }
    f = calloc(1, sizeof(*f));
    if (f != NULL) {
        f->curl = library;
        f->easy = f->curl->easy_init();
        f->multi = f->curl->multi_init();
    }
    if (f == NULL || f->easy == NULL || f->multi == NULL) {
        fetch_free(f);
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for outgoing calls");
    }
    *out = f;
    return 0;
}

void fetch_free(struct fetch *f)
{
    if (f == NULL) {
        return;
    }
    f->curl->slist_free_all(f->headers);
    f->curl->slist_free_all(f->connect_to);
    f->curl->easy_cleanup(f->easy);
    f->curl->multi_cleanup(f->multi);
    free(f);
}

struct slice fetch_header(struct fetch *f, const char *name)
{
    struct curl_header *found = NULL;

    if (f->curl->easy_header(f->easy, name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK) {
        return (struct slice){ NULL, 0 };
    }
    return slice_str(found->value);
}

/* ---- What libcurl calls ---- */

static void moved(struct fetch *f)
{
    f->moved_ns = clock_now_ns();
}

static size_t end(struct fetch *f, enum fetch_fail why, size_t code)
{
    f->ended_by_us = why;
    return code;
}

static int show_bytes(CURL *easy, curl_infotype type, char *bytes, size_t len, void *arg)
{
    const struct fetch *f = arg;
    const bool is_sent = type == CURLINFO_HEADER_OUT || type == CURLINFO_DATA_OUT;

    (void)easy;
    if (is_sent || type == CURLINFO_HEADER_IN || type == CURLINFO_DATA_IN)
        f->call->on_bytes(f->call->arg, is_sent, slice_from(bytes, len));
    return 0;
}

/* Every line of every head; the empty one of the final reply ends it. */
static size_t take_header(char *line, size_t one, size_t len, void *arg)
{
    struct fetch *f = arg;
    long status = 0;

    moved(f);
    if (f->head_done || (len > 0 && line[0] != '\r' && line[0] != '\n')) {
        return len;
    }
    f->curl->easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200 || status > UINT16_MAX) {
        return len;
    }
    f->head_done = true;
    f->reply->status = (uint16_t)status;
    if (f->call->on_head != NULL && !f->call->on_head(f->call->arg, f->reply->status)) {
        return end(f, FETCH_STOPPED, len + 1);
    }
    moved(f);
    return len;
}

static size_t take_body(char *bytes, size_t one, size_t len, void *arg)
{
    struct fetch *f = arg;
    const struct fetch_call *call = f->call;

    f->reply->received_bytes += len;
    if (call->write != NULL) {
        if (!call->write(call->arg, slice_from(bytes, len))) {
            return end(f, FETCH_STOPPED, len + 1);
        }
    } else if (call->into != NULL) {
        buf_append(call->into, bytes, len);
        if (!buf_ok(call->into)) {
            return end(f, FETCH_TOO_LARGE, len + 1);
        }
    }
    moved(f);
    return len;
}

static size_t give_body(char *out, size_t one, size_t room, void *arg)
{
    struct fetch *f = arg;
    const struct fetch_call *call = f->call;
    ssize_t n = call->read(call->arg, out, room);
    bool is_short = n == 0 && call->read_bytes != FETCH_LENGTH_UNKNOWN && f->reply->sent_bytes < call->read_bytes;

    if (n < 0 || is_short) {
        return end(f, FETCH_STOPPED, CURL_READFUNC_ABORT);
    }
    f->reply->sent_bytes += (uint64_t)n;
    moved(f);
    return (size_t)n;
}

static int seek_body(void *arg, curl_off_t offset, int origin)
{
    struct fetch *f = arg;

    if (offset != 0 || origin != SEEK_SET) {
        return CURL_SEEKFUNC_CANTSEEK;
    }
    if (f->call->rewind == NULL || !f->call->rewind(f->call->arg)) {
        return CURL_SEEKFUNC_CANTSEEK;
    }
    f->reply->sent_bytes = 0;
    return CURL_SEEKFUNC_OK;
}

/* ---- From a call to libcurl's options ---- */

static long ms_of(uint64_t ns)
{
    uint64_t ms = (ns + NS_PER_MS - 1) / NS_PER_MS;

    return ms > INT32_MAX ? INT32_MAX : (long)ms;
}

static void add_header(struct fetch *f, const char *line)
{
    struct curl_slist *longer = f->curl->slist_append(f->headers, line);

    if (longer != NULL) {
        f->headers = longer;
    }
    f->out_of_memory |= longer == NULL;
}

static void add_named(struct fetch *f, const char *name, const char *value)
{
    struct buf line;

    buf_init(&line, 16 * 1024);
    buf_printf(&line, "%s: %s", name, value);
    if (buf_ok(&line)) {
        add_header(f, line.data);
    } else {
        f->out_of_memory = true;
    }
    buf_release(&line);
}

static bool has_header(const struct fetch_call *call, struct slice name)
{
    for (size_t i = 0; i < call->header_count; i++) {
        if (slice_starts_nocase(slice_str(call->headers[i]), name)) {
            return true;
        }
    }
    return false;
}

static void set_method(struct fetch *f, const struct fetch_call *call)
{
    const char *method = call->method != NULL ? call->method : "GET";
    bool wants_body = strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0 || strcmp(method, "PATCH") == 0;

    if (strcmp(method, "HEAD") == 0) {
        f->curl->easy_setopt(f->easy, CURLOPT_NOBODY, 1L);
        return;
    }
    if (call->read != NULL) {
        bool is_small = call->read_bytes <= EXPECT_ABOVE_BYTES;
        f->curl->easy_setopt(f->easy, CURLOPT_UPLOAD, 1L);
        f->curl->easy_setopt(f->easy, CURLOPT_INFILESIZE_LARGE,
                             call->read_bytes == FETCH_LENGTH_UNKNOWN ? -1 : (curl_off_t)call->read_bytes);
        /* libcurl 7.88 would sign the field that it leaves out. */
        if (is_small && call->aws == NULL) {
            add_header(f, "Expect:");
        }
    } else if (wants_body || call->body.len > 0) {
        f->curl->easy_setopt(f->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.len);
        f->curl->easy_setopt(f->easy, CURLOPT_POSTFIELDS, call->body.len > 0 ? call->body.ptr : "");
        if (!has_header(call, SLICE("Content-Type:"))) {
            add_header(f, "Content-Type: application/octet-stream");
        }
    }
    f->curl->easy_setopt(f->easy, CURLOPT_CUSTOMREQUEST, method);
}

static void set_credentials(struct fetch *f, const struct fetch_call *call)
{
    char scope[192];

    if (call->user != NULL) {
        f->curl->easy_setopt(f->easy, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
        f->curl->easy_setopt(f->easy, CURLOPT_USERNAME, call->user);
        f->curl->easy_setopt(f->easy, CURLOPT_PASSWORD, call->password != NULL ? call->password : "");
    }
    if (call->bearer != NULL) {
        f->curl->easy_setopt(f->easy, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
        f->curl->easy_setopt(f->easy, CURLOPT_XOAUTH2_BEARER, call->bearer);
    }
    if (call->aws != NULL) {
        snprintf(scope, sizeof(scope), "aws:amz:%s:%s", call->aws->region, call->aws->service);
        f->curl->easy_setopt(f->easy, CURLOPT_AWS_SIGV4, scope);
        f->curl->easy_setopt(f->easy, CURLOPT_USERNAME, call->aws->key_id);
        f->curl->easy_setopt(f->easy, CURLOPT_PASSWORD, call->aws->secret);
        add_named(f, "x-amz-content-sha256",
                  call->aws->payload_sha256 != NULL ? call->aws->payload_sha256 : "UNSIGNED-PAYLOAD");
        if (call->aws->session_token != NULL) {
            add_named(f, "x-amz-security-token", call->aws->session_token);
        }
    }
}

static void set_tls(struct fetch *f, const struct fetch_call *call)
{
    if (call->ca_file != NULL)
        f->curl->easy_setopt(f->easy, CURLOPT_CAINFO, call->ca_file);
    if (call->cert_file != NULL) {
        f->curl->easy_setopt(f->easy, CURLOPT_SSLCERT, call->cert_file);
        f->curl->easy_setopt(f->easy, CURLOPT_SSLKEY, call->key_file != NULL ? call->key_file : call->cert_file);
    }
    if (call->insecure) {
        f->curl->easy_setopt(f->easy, CURLOPT_SSL_VERIFYPEER, 0L);
        f->curl->easy_setopt(f->easy, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    f->curl->easy_setopt(f->easy, CURLOPT_HTTP_VERSION, call->http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS);
}

/* Whatever host and port the URL has. */
static void set_connect_to(struct fetch *f, const struct fetch_call *call)
{
    char rule[320];

    f->curl->slist_free_all(f->connect_to);
    f->connect_to = NULL;
    if (call->connect_to == NULL)
        return;
    snprintf(rule, sizeof(rule), "::%s", call->connect_to);
    f->connect_to = f->curl->slist_append(NULL, rule);
    f->out_of_memory |= f->connect_to == NULL;
    f->curl->easy_setopt(f->easy, CURLOPT_CONNECT_TO, f->connect_to);
}

static void set_callbacks(struct fetch *f)
{
    f->curl->easy_setopt(f->easy, CURLOPT_ERRORBUFFER, f->why);
    f->curl->easy_setopt(f->easy, CURLOPT_HEADERFUNCTION, take_header);
    f->curl->easy_setopt(f->easy, CURLOPT_HEADERDATA, f);
    f->curl->easy_setopt(f->easy, CURLOPT_WRITEFUNCTION, take_body);
    f->curl->easy_setopt(f->easy, CURLOPT_WRITEDATA, f);
    f->curl->easy_setopt(f->easy, CURLOPT_READFUNCTION, give_body);
    f->curl->easy_setopt(f->easy, CURLOPT_READDATA, f);
    f->curl->easy_setopt(f->easy, CURLOPT_SEEKFUNCTION, seek_body);
    f->curl->easy_setopt(f->easy, CURLOPT_SEEKDATA, f);
}

static void set_options(struct fetch *f, const struct fetch_call *call)
{
    f->curl->slist_free_all(f->headers);
    f->headers = NULL;
    f->out_of_memory = false;
    f->curl->easy_reset(f->easy);
    f->curl->easy_setopt(f->easy, CURLOPT_NOSIGNAL, 1L);
    if (call->on_bytes != NULL) {
        f->curl->easy_setopt(f->easy, CURLOPT_VERBOSE, 1L);
        f->curl->easy_setopt(f->easy, CURLOPT_DEBUGFUNCTION, show_bytes);
        f->curl->easy_setopt(f->easy, CURLOPT_DEBUGDATA, f);
    }
    f->curl->easy_setopt(f->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    f->curl->easy_setopt(f->easy, CURLOPT_USERAGENT, "plimsoll/" PLIMSOLL_VERSION);
    f->curl->easy_setopt(f->easy, CURLOPT_CONNECTTIMEOUT_MS, ms_of(call->connect_ns));
    f->curl->easy_setopt(f->easy, CURLOPT_TIMEOUT_MS, ms_of(call->total_ns));
    if (!call->proxy_from_environment)
        f->curl->easy_setopt(f->easy, CURLOPT_PROXY, "");
    if (call->compressed)
        f->curl->easy_setopt(f->easy, CURLOPT_ACCEPT_ENCODING, "");
    set_callbacks(f);
    set_method(f, call);
    set_tls(f, call);
    set_connect_to(f, call);
    for (size_t i = 0; i < call->header_count; i++) {
        add_header(f, call->headers[i]);
    }
    set_credentials(f, call);
    f->curl->easy_setopt(f->easy, CURLOPT_HTTPHEADER, f->headers);
    f->out_of_memory |= f->curl->easy_setopt(f->easy, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK ||
                        f->curl->easy_setopt(f->easy, CURLOPT_URL, call->url) != CURLE_OK;
}

/* ---- Running ---- */

static enum fetch_fail classify(CURLcode code)
{
    switch ((int)code) {
    case CURLE_OK:
        return FETCH_OK;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_OUT_OF_MEMORY:
    case CURLE_BAD_FUNCTION_ARGUMENT:
        return FETCH_BAD_CALL;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return FETCH_NO_NAME;
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
        return FETCH_NO_CONNECTION;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CLIENTCERT:
        return FETCH_TLS;
    case CURLE_OPERATION_TIMEDOUT:
        return FETCH_TIMEOUT;
    default:
        return FETCH_BROKEN;
    }
}

/* True: the caller, or the time without movement, ends the call. */
static bool must_end(struct fetch *f)
{
    const struct fetch_call *call = f->call;

    if (call->is_stopped != NULL && call->is_stopped(call->arg)) {
        f->ended_by_us = FETCH_STOPPED;
    } else if (call->stall_ns > 0 && clock_now_ns() - f->moved_ns >= call->stall_ns) {
        f->ended_by_us = FETCH_TIMEOUT;
        snprintf(f->why, sizeof(f->why), "Nothing moved for %.1f s", (double)call->stall_ns / 1e9);
    }
    return f->ended_by_us != FETCH_OK;
}

static CURLcode drive(struct fetch *f)
{
    CURLMcode multi = f->curl->multi_add_handle(f->multi, f->easy);
    CURLcode code = CURLE_OUT_OF_MEMORY;
    int running = 1, left = 0;

    while (multi == CURLM_OK && !must_end(f)) {
        multi = f->curl->multi_perform(f->multi, &running);
        if (multi != CURLM_OK || running == 0) {
            break;
        }
        multi = f->curl->multi_poll(f->multi, NULL, 0, WAIT_MS, NULL);
    }
    for (CURLMsg *m; (m = f->curl->multi_info_read(f->multi, &left)) != NULL;) {
        if (m->msg == CURLMSG_DONE) {
            code = m->data.result;
        }
    }
    f->curl->multi_remove_handle(f->multi, f->easy);
    return code;
}

/* OpenSSL writes with write(): a peer that went away would end the process. */
static CURLcode drive_without_sigpipe(struct fetch *f)
{
    const struct timespec at_once = { 0 };
    sigset_t pipe_only, before, pending;

    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    CURLcode code = drive(f);
    sigpending(&pending);
    if (!was_pending && sigismember(&pending, SIGPIPE) == 1) {
        sigtimedwait(&pipe_only, NULL, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* What libcurl says of a call that we ended tells of the callback, not of the reason. */
static void say_why(struct fetch *f, CURLcode code)
{
    enum fetch_fail fail = f->reply->fail;
    const char *more = f->why[0] != '\0' ? f->why : code != CURLE_OK ? f->curl->easy_strerror(code) : "no reply came";

    if (fail == FETCH_STOPPED || fail == FETCH_TOO_LARGE) {
        snprintf(f->reply->why, sizeof(f->reply->why), "%s", fetch_fail_text(fail));
    } else {
        snprintf(f->reply->why, sizeof(f->reply->why), "%s: %s", fetch_fail_text(fail), more);
    }
}

static void fill_reply(struct fetch *f, CURLcode code)
{
    struct fetch_reply *reply = f->reply;
    long connects = 0;

    f->curl->easy_getinfo(f->easy, CURLINFO_NUM_CONNECTS, &connects);
    if (f->call->read == NULL) {
        curl_off_t sent = 0;
        f->curl->easy_getinfo(f->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
        reply->sent_bytes = (uint64_t)sent;
    }
    reply->reused = connects == 0 && reply->status != 0;
    reply->fail = f->ended_by_us != FETCH_OK ? f->ended_by_us : classify(code);
    if (reply->fail == FETCH_OK && !f->head_done) {
        reply->fail = FETCH_BROKEN;
    }
    if (reply->fail != FETCH_OK) {
        say_why(f, code);
    }
}

int fetch_run(struct fetch *f, const struct fetch_call *call, struct fetch_reply *reply)
{
    uint64_t began_ns = clock_now_ns();

    *reply = (struct fetch_reply){ .fail = FETCH_OK };
    f->call = call;
    f->reply = reply;
    f->ended_by_us = FETCH_OK;
    f->moved_ns = began_ns;
    f->head_done = false;
    f->why[0] = '\0';
    set_options(f, call);
    fill_reply(f, f->out_of_memory ? CURLE_OUT_OF_MEMORY : drive_without_sigpipe(f));
    reply->elapsed_ns = clock_now_ns() - began_ns;
    f->call = NULL;
    f->reply = NULL;
    return reply->fail == FETCH_OK ? 0 : -1;
}
