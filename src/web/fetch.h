/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outgoing HTTP calls that are not load: S3, Prometheus, Elasticsearch. The one door of libcurl.
 *
 * It blocks, and so do the callbacks: call it from a thread that may wait, never from an event loop. A `struct fetch`
 * keeps its connections for the next call; it belongs to one thread at a time. http and https only, HTTP/2 where TLS
 * agrees on it. Redirects are never followed, no cookie is kept, no file of the user (.netrc) is read, and of the
 * environment only the proxies, when asked for. Secrets appear in no text that comes from here. SIGPIPE never reaches
 * the caller. Knows no JSON and retries nothing, except that a kept connection which turns out to be dead before any
 * byte of a reply is replaced once by libcurl.
 *
 * Typical use:
 *     struct fetch_reply reply;
 *     struct buf body;
 *     buf_init(&body, 1024 * 1024);
 *     if (fetch_run(f, &(struct fetch_call){ .url = url, .into = &body, .total_ns = 5 * NS_PER_S }, &reply) != 0)
 *         ... reply.fail, reply.why ...
 *     else if (reply.status != 200)
 *         ... an error of the server, whose words are in body ...
 */
#ifndef PLIMSOLL_WEB_FETCH_H
#define PLIMSOLL_WEB_FETCH_H

#include "base/buf.h"
#include "base/err.h"

#include <sys/types.h>

/* Why there is no complete reply, and a text for it. */
#define FETCH_FAILS(X)                                                                         \
    X(FETCH_OK, "ok")                            /* a complete reply, whatever its status */   \
    X(FETCH_BAD_CALL, "can not be called")       /* the URL, or no memory: nothing was sent */ \
    X(FETCH_NO_NAME, "name not found")           /* of the host, or of the proxy */            \
    X(FETCH_NO_CONNECTION, "could not connect")  /* refused, unreachable */                    \
    X(FETCH_TLS, "TLS failed")                   /* handshake or certificate */                \
    X(FETCH_TIMEOUT, "timed out")                /* any of the three times */                  \
    X(FETCH_BROKEN, "broke off")                 /* connected, but no complete reply */        \
    X(FETCH_TOO_LARGE, "the reply is too large") /* for `into` */                              \
    X(FETCH_STOPPED, "stopped")                  /* by a callback of the caller */

enum fetch_fail {
#define FETCH_ENUM(id, text) id,
    FETCH_FAILS(FETCH_ENUM)
#undef FETCH_ENUM
};
const char *fetch_fail_text(enum fetch_fail fail);

/* The credentials of AWS Signature Version 4; the signature comes from libcurl. */
struct fetch_aws {
    const char *key_id, *secret;
    const char *session_token; /* of temporary credentials; NULL: none */
    const char *region, *service;
    /* SHA-256 of the request's body in hexadecimal, which libcurl can not know of a body that it has not read yet;
     * NULL: "UNSIGNED-PAYLOAD", which S3 takes. */
    const char *payload_sha256;
};

/* The length of a body that comes in chunks. */
#define FETCH_LENGTH_UNKNOWN UINT64_MAX

/* One call; what is zero is not asked for. Everything is the caller's and only read, while fetch_run() runs. */
struct fetch_call {
    const char *method; /* NULL: GET */
    const char *url;    /* percent-encoded; http:// or https:// */
    /* "Name: value" each; a body from memory without Content-Type is application/octet-stream. Host, Content-Length and
     * Transfer-Encoding are not among them. */
    const char *const *headers;
    size_t header_count;

    /* The request's body: from memory, or, when read() is set, from it. Above 1 MiB, or of unknown length, the server
     * is asked first (Expect: 100-continue), and one that says nothing to that gets it after a second. */
    struct slice body;
    uint64_t read_bytes; /* what read() will give together, or FETCH_LENGTH_UNKNOWN */
    /* Up to room bytes; 0: that was all; -1: stop. May block. */
    ssize_t (*read)(void *arg, char *out, size_t room);
    /* Begin again with the first byte: the connection turned out to be dead. Without it such a call fails. */
    bool (*rewind)(void *arg);

    /* The head of the final reply is complete: reply->status and fetch_header() are there. False: stop. */
    bool (*on_head)(void *arg, uint16_t status);
    /* The reply's body goes to write(), piece by piece (at most 16 KiB; it may block, which holds the server back;
     * false: stop); or is appended to `into`, which ends with FETCH_TOO_LARGE when that can not hold it; or is dropped.
     */
    bool (*write)(void *arg, struct slice bytes);
    struct buf *into;
    /* Asked about every 100 ms, from this thread: true ends the call (while a name is being looked up, not before the
     * resolver's own time-out). */
    bool (*is_stopped)(void *arg);
    /* The bytes as they go out and come in (heads and bodies; of HTTP/2 the fields as text). They hold secrets. */
    void (*on_bytes)(void *arg, bool is_sent, struct slice bytes);
    void *arg; /* of all six */

    /* Times; 0: none, of connect_ns libcurl's own (5 min). */
    uint64_t connect_ns; /* name, connection and TLS handshake */
    uint64_t total_ns;   /* the whole call, callbacks included */
    uint64_t stall_ns;   /* nothing moved for that long, neither way; time spent in callbacks is not counted */

    const char *user, *password; /* Basic, sent at once; user NULL: none */
    const char *bearer;          /* "Authorization: Bearer ..." */
    const struct fetch_aws *aws;

    const char *connect_to;           /* "HOST:PORT" in place of the URL's own; the name in it stays for TLS and Host */
    const char *ca_file;              /* PEM, instead of the system's certificates */
    const char *cert_file, *key_file; /* PEM, our own */
    bool insecure;                    /* the server's certificate is not checked */
    bool proxy_from_environment;      /* http_proxy, https_proxy, all_proxy, no_proxy */
    bool compressed;                  /* ask for gzip and the like; what is handed on is decompressed */
    bool http1;                       /* HTTP/1.1 even over TLS */
};

struct fetch_reply {
    enum fetch_fail fail;
    char why[320];           /* of a failure: a sentence without full stop, with host and port */
    uint16_t status;         /* 0: no final head came */
    uint64_t received_bytes; /* of the body, decompressed */
    uint64_t sent_bytes;     /* of the body */
    uint64_t elapsed_ns;
    bool reused; /* the connection */
};

struct fetch;
/* From any thread. ERR_SYSTEM */
MUST_CHECK int fetch_new(struct fetch **out, struct err *err);
void fetch_free(struct fetch *f); /* closes its connections; NULL is fine */
/* 0: a complete reply. -1: reply->fail and reply->why say what happened; a part may have been handed on already. */
MUST_CHECK int fetch_run(struct fetch *f, const struct fetch_call *call, struct fetch_reply *reply);
/* The first field of that name (any case) in the final head, from on_head() on and until the next call; empty ptr NULL:
 * there is none. */
struct slice fetch_header(struct fetch *f, const char *name);

#endif
