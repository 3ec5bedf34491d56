/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target application: an HTTP server that answers what a team asks of a platform (sized bodies, chosen statuses,
 * delays, chunked bodies; routes.c has the whole table).
 *
 * It runs threads of its own, each with its own loop and its own SO_REUSEPORT listeners; they share nothing while
 * serving. Callable in-process (tests, demo) and from the command line. It never prints, never exits, installs no
 * signal handlers and reads no environment: its threads block every signal, so that signals reach the caller's thread,
 * and PORT, DATA_ROOT and the like are read by the caller. It does not raise RLIMIT_NOFILE (net_raise_open_files() of
 * net/listen.h does; the command should).
 *
 * Typical use:
 *     struct serve_config config;
 *     serve_config_init(&config);
 *     ... set what the options say ...
 *     if (serve_start(&s, &config, err) != 0) ...          listening when it returns 0
 *     addresses = serve_addresses(s, &count);              print them: ports that were 0 are real here
 *     serve_wait(s);                                       a signal handler calls serve_stop(s)
 *     serve_free(s);
 */
#ifndef PLIMSOLL_SERVE_SERVE_H
#define PLIMSOLL_SERVE_SERVE_H

#include "base/err.h"
#include "base/strlist.h"
#include "net/addr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVE_DEFAULT_LISTEN "127.0.0.1:3000"
#define SERVE_LISTEN_MAX 32

/* Everything is copied by serve_start(): the caller may free it afterwards. serve_config_init() sets the defaults named
 * here. */
struct serve_config {
    /* --listen (repeatable): "HOST:PORT", "[::1]:PORT", ":PORT", "PORT" (addr_parse_listen()); port 0 takes a free one.
     * Empty together with tls_listen: SERVE_DEFAULT_LISTEN. A PORT of the environment replaces the default's port only
     * ("127.0.0.1:" + PORT): the caller's job. */
    struct strlist listen;
    /* --tls-listen (repeatable): the same, with TLS. Empty: none. */
    struct strlist tls_listen;
    /* --cert, --key: PEM files of the TLS listeners. Both NULL: a self-signed certificate is made at start for
     * localhost, 127.0.0.1, ::1 and the listeners' literal addresses. One without the other is ERR_CONFIG. */
    const char *cert_file, *key_file;
    /* --public: allow addresses that are not loopback (127.0.0.0/8, ::1). Without it such an address is ERR_CONFIG with
     * a hint. false */
    bool allow_public;
    /* --threads: loops; 0 = one per CPU this process may run on. 0. At most 1024. */
    unsigned threads;
    /* --backlog: of each listener. 4096 (the kernel caps it at net.core.somaxconn). */
    int backlog;
    /* --max-connections: over all threads; beyond it a connection waits in the kernel's queue. 0 = no limit but that of
     * open files. 0 */
    unsigned max_connections;

    /* Limits of a request. A value of 0 is ERR_CONFIG. */
    uint32_t head_max_bytes; /* --max-head: request line and fields together; above: 431 (414 when the line alone is
                                longer). 64 KiB */
    uint64_t body_max_bytes; /* --max-body: content of a request, framing excluded; above: 413. 1 GiB */

    /* Time-outs (ns). A value of 0 means none, of grace_ns that nothing is waited for. */
    uint64_t
        head_timeout_ns; /* --head-timeout: from the first byte of a request (the first request of a connection: from
                            its accept, TLS handshake included) to the end of its head; 408, then close. 10 s */
    /* --body-timeout: to get the rest of a request's body, or as much of it as body_min_rate asks for in that time;
     * 408, then close. 30 s */
    uint64_t body_timeout_ns;
    uint64_t body_min_rate;   /* --min-rate: bytes/s of a body; 0: any byte begins the time anew. 500 */
    uint64_t send_timeout_ns; /* --send-timeout: without any byte of a reply taken by the client; reset. 60 s */
    uint64_t idle_timeout_ns; /* --idle-timeout: between two requests of a kept connection; closed silently. 75 s */
    uint64_t grace_ns;        /* --grace: after serve_stop(), for requests in flight. 10 s */
    uint64_t max_delay_ns;    /* --max-delay: the longest /delay/{ms}; above: 400. 1 h */

    /* --root DIR: a folder of files served for every path that no route has; NULL: none. Files only, never outside. */
    const char *root;
    /* --data-root DIR (else DATA_ROOT of the environment): below it everything is written: output/, flows/, blobs/.
     * NULL: the current folder. It must exist; the folders in it are made when they are needed. */
    const char *data_root;
    /* --max-cpu TIME: CPU time of one /prime request (each of its threads); beyond it the answer is 503. 60 s */
    uint64_t max_cpu_ns;
    /* --max-disk SIZE: what output/ and blobs/ may hold together; checked before writing, 507. 4 GiB */
    uint64_t max_disk_bytes;
    /* --max-recursion N: the largest n of /recursive/{n}; above: 400. 25, at most 40 */
    unsigned max_recursion;
    /* --self-url URL (repeatable): further names of this very server that /recursive and flows may call
     * ("https://app.example.com"). The addresses it listens on need not be given. */
    struct strlist self_urls;
    /* --allow-upstream HOST[:PORT] (repeatable): other servers they may call. */
    struct strlist allow_upstream;
    /* --cluster-id TEXT: what /healthz says to prove that it is one of us; the same for all instances behind one name.
     * NULL: random */
    const char *cluster_id;
    /* --trust-proxy: a router in front tells the truth in X-Forwarded-Proto and X-Forwarded-Host, and may take over the
     * sending of assets from disk with X-Sendfile-Type and X-Accel-Mapping. false */
    bool trust_proxy;
    /* --blobstore URL: where /droplets keeps its files: PUT, GET, DELETE of URL/{a}/{b}; a user and password in it
     * become basic authorization. NULL: this server's own /blobs */
    const char *blobstore;
    /* --droplets stream|spool: passed on as they arrive, in chunks; or after they were written to the disk, with their
     * length. false: stream */
    bool spool_droplets;
    uint64_t blobstore_timeout_ns; /* --blobstore-timeout: without any progress of it; 504. 0: never. 60 s */
    /* --token TEXT: what "Authorization: Bearer" must carry on every route that writes. --open-writes: nobody is asked.
     * With --public one of the two is needed, or those routes are refused (403, saying so). Without --public and
     * without token they are open. */
    const char *token;
    bool open_writes;
    /* --s3-bucket NAME: clean assets are copied there too, and /media can come from it. NULL: no S3. --s3-endpoint URL;
     * NULL: Amazon's of the region. The others come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY (both needed),
     * AWS_SESSION_TOKEN (NULL: none) and AWS_REGION (NULL: us-east-1). */
    const char *s3_bucket, *s3_endpoint, *s3_key_id, *s3_secret, *s3_session_token, *s3_region;
    /* --s3-timeout: nothing moved between S3 and us for that long: 504. 10 s; 0: none */
    uint64_t s3_timeout_ns;
    /* --scan-command CMD: judges each asset's file before it is served (scan.h). NULL: all are clean */
    const char *scan_command;
    uint64_t scan_timeout_ns; /* --scan-timeout: of one scan. 60 s; 0: none */
    /* --one-at-a-time: requests take turns over all threads, as with a single-threaded application server. false */
    bool one_at_a_time;
    /* Told of what goes wrong in the background (a scan, a copy to S3), from any thread, in a sentence without full
     * stop. NULL: nobody. */
    void (*on_trouble)(void *arg, const char *text);
    void *on_trouble_arg;
    /* --access-log FILE ("-": standard output): a JSON line for each answer. NULL: none */
    const char *access_log;
};

void serve_config_init(struct serve_config *c);
void serve_config_release(struct serve_config *c); /* frees the lists */
/* Adds the uris of a VCAP_APPLICATION document (Cloud Foundry) to self_urls. ERR_CONFIG when it is none. */
MUST_CHECK int serve_config_add_vcap(struct serve_config *c, const char *vcap_application, struct err *err);

struct serve;

/* Where it listens, in the order of the configuration (plain ones first). */
struct serve_address {
    struct addr addr;
    bool tls;
    char url[ADDR_TEXT_MAX + 16]; /* "http://127.0.0.1:3000", "https://[::1]:8443" */
};

/* 0 once every listener accepts. ERR_CONFIG for a wrong configuration (bad address, certificate, not loopback),
 * ERR_SYSTEM for a port in use and the like; nothing is left behind then. */
MUST_CHECK int serve_start(struct serve **out, const struct serve_config *config, struct err *err);
/* Valid until serve_free(). */
const struct serve_address *serve_addresses(const struct serve *s, size_t *count);
/* The certificate made at start as PEM (valid until serve_free()); NULL when it was given or there is no TLS listener.
 */
const char *serve_certificate_pem(const struct serve *s);
unsigned serve_threads(const struct serve *s);

/* Begins the end; returns at once. The first call is graceful: listeners close, idle connections close, requests in
 * flight get grace_ns and their reply says Connection: close. A second call drops what is left. From any thread, and
 * async-signal-safe. */
void serve_stop(struct serve *s);
/* Reads the certificate files again for new connections (SIGHUP); a broken pair leaves the old one in force. From any
 * thread and async-signal-safe. */
void serve_reload(struct serve *s);
/* Blocks until every thread ended (after serve_stop()). Once. 0, or -1 when requests in flight were cut off at the end
 * of the grace time. */
int serve_wait(struct serve *s);

/* What it counted since its start, over all threads; exact after serve_wait(), slightly behind while running. */
struct serve_counts {
    uint64_t connections; /* accepted */
    uint64_t open;        /* connections now */
    uint64_t requests;    /* complete heads */
    uint64_t replies;     /* final replies begun, refusals of malformed requests included */
    uint64_t bytes_sent, bytes_received;
};
void serve_count(const struct serve *s, struct serve_counts *out);

/* Stops at once when still running, waits, frees. NULL is fine. */
void serve_free(struct serve *s);

#endif
