/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The load engine: offers HTTP load as a plan says and measures it.
 *
 * load_run() blocks until the run is over; it starts the plan's threads itself. It never prints: progress goes through
 * the plan's callback, figures into a struct result. All memory of the measured path is mapped before the first
 * connection. */
#ifndef PLIMSOLL_LOAD_LOAD_H
#define PLIMSOLL_LOAD_LOAD_H

#include "base/err.h"
#include "http/request.h"
#include "load/schedule.h"
#include "load/share.h"
#include "net/addr.h"
#include "net/tls.h"
#include "result/result.h"
#include "watch/watcher.h"

#include <stdint.h>

/* One part of a multipart/form-data body. */
struct load_part {
    const char *name;
    const char *path; /* a file, sent from the file; NULL: the value */
    struct slice value;
    const char *file_name;    /* NULL: the last part of path */
    const char *content_type; /* NULL: application/octet-stream for a file, none for a value */
};

/* A body that is sent with every request. */
struct load_body {
    bool present;
    bool from_file; /* path is opened once and sent with sendfile/pread */
    const char *path;
    uint64_t random_bytes; /* 0: not random; else so many, by the plan's seed */
    const struct load_part *parts;
    size_t part_count;  /* 0: no form */
    struct slice bytes; /* when none of these */
};

/* Who ends a connection that has had its requests: the server, told by Connection: close; or we, silently, with FIN or
 * with RST. */
enum load_close { LOAD_CLOSE_SERVER, LOAD_CLOSE_CLIENT, LOAD_CLOSE_RESET };

/* How the connections of one target are used, where that differs from target to target. */
struct load_manner {
    uint32_t connections;
    uint64_t requests_per_connection; /* 0: for ever */
    enum load_close close;
    double tls_resume;            /* share of the handshakes that offer a session to resume */
    uint64_t requests_per_client; /* what one connection and those that follow it in its place may send; 0: any */
    uint64_t think_min_ns, think_max_ns; /* pause of a connection after each reply */
    bool think_first;                    /* and before its first request */
    uint64_t think_ramp_ns;              /* so long pauses reach up to half of what is left of this time */
    const struct addr *source;           /* NULL: the plan's */
    bool tcp_keep_alive;                 /* probes; 0: the system's figures */
    int tcp_idle_s, tcp_interval_s, tcp_probes;
};

/* What a reply must be to count as ok. */
struct load_expect {
    const uint8_t *status; /* STATUS_MAX flags, or NULL: 2xx and 3xx */
    bool has_body_bytes;
    uint64_t body_bytes;          /* of the content, without framing */
    const uint8_t *body_sha256;   /* LOAD_SHA256_BYTES, or NULL */
    const char *body_regex;       /* Perl's syntax; looked for in the first LOAD_REGEX_BODY_MAX bytes; NULL */
    const struct strlist *fields; /* "Name: value", or "Name" alone: it is there; at most LOAD_EXPECT_FIELDS */
};
#define LOAD_SHA256_BYTES 32
#define LOAD_REGEX_BODY_MAX (1024u * 1024u)
#define LOAD_EXPECT_FIELDS 32

struct load_target {
    const char *url;              /* as given; redacted before it is written anywhere */
    const char *method;           /* "GET", … */
    const struct strlist *fields; /* -H */
    struct load_body body;
    const struct load_expect *expect; /* NULL: the plan's expect_status, and nothing else */
    const char *content_type;         /* NULL: none, but a form's own */
    const char *user_agent;           /* NULL: ours */
    const char *authorization;        /* whole value; NULL: from the URL's userinfo, or none */
    const char
        *raw_target; /* request target to send instead of the URL's (ab's proxy: absolute-form); NULL: the URL's */
    const char *authority;               /* Host to send instead of the URL's; NULL: the URL's */
    const char *sni;                     /* NULL: the plan's */
    const struct tls_client_config *tls; /* NULL: the plan's; session_cache is set by tls_resume */
    const struct load_manner *manner;    /* NULL: the plan's (closed model alone) */
};

/* HOST:PORT:ADDR[,ADDR…] of --resolve; port 0 = any. */
struct load_override {
    const char *host;
    uint16_t port;
    const char *addresses;
};

/* What a run offers while it goes on (from the main thread, about once a second). */
struct load_progress {
    double elapsed_s, planned_s; /* planned 0: by count */
    uint64_t done, planned;      /* requests; planned 0: by time */
    const char *stage;           /* "connecting", "warm-up", "measuring", "draining" */
    double requests_per_s;       /* of the last second */
    uint64_t p50_ns, p99_ns;     /* of the last second */
    uint64_t failed;             /* so far */
    uint64_t in_flight;
};

/* The same, finer: from the main thread, about ten times a second and once more when all workers are over; then the
 * counts are those of the result. Pointers are good during the call. */
struct load_pulse_target {
    uint64_t started, ok, failed;
    uint64_t latency_sum_ns, latency_max_ns; /* of the ok ones */
};
struct load_pulse {
    const char *stage;           /* as above */
    bool is_last, has_schedule;  /* has_schedule: the open model */
    double elapsed_s, planned_s; /* of the window; planned 0: by count */
    double copied_s;             /* when the workers' counters were as they are here, on average */
    uint64_t planned;            /* requests; 0: by time */
    uint64_t started, ok, failed, unfinished, retried, bytes_received;
    uint64_t in_flight, connections;
    uint64_t failed_by_kind[FAIL_KINDS];
    const struct load_pulse_target *targets; /* as the plan has them */
    size_t target_count;
    uint64_t seconds; /* full ones so far … */
    /* … the last of them: its length, what ended in it, what the schedule had due in it; … */
    double second_s, second_due;
    uint64_t second_ok, second_failed;
    const struct hist *second, *whole; /* … latencies of the last of them, and of all */
    uint32_t workers;
    double cpu_cores, cpu_busiest; /* cores in use by all workers, by the busiest; of the last second */
    uint64_t loop_lag_p99_ns, send_lateness_p99_ns, open_files;
};

/* One ended request (the log, ab's tables). Times are monotonic ns; 0: does not apply. */
struct load_record {
    uint64_t due_ns; /* when its slot became free, or its place in the schedule */
    uint64_t connect_start_ns, connected_ns,
        tls_done_ns; /* of a connection opened for this request (or, its first request, in the ramp) */
    uint64_t sent_first_ns, sent_last_ns;
    uint64_t reply_first_ns, end_ns;
    uint64_t bytes_received; /* head and body as on the wire */
    uint64_t body_bytes;
    /* Its connection: when it was begun, open, and ready (TLS included; 0: never), also of later requests on it. */
    uint64_t socket_start_ns, socket_open_ns, socket_ready_ns;
    uint64_t bytes_sent;    /* head and body (HTTP/1) */
    uint64_t on_connection; /* how many requests it has carried, this one included */
    uint32_t connection;    /* ordinal of its connection */
    uint32_t opened;        /* how often it has been opened */
    int32_t socket;         /* descriptor; -1: closed */
    uint32_t target;
    uint16_t thread;
    uint16_t status; /* 0: no reply */
    uint8_t fail;    /* enum fail_kind, or LOAD_OK */
    uint8_t flags;   /* LOAD_REUSED … */
};
enum { LOAD_OK = 255 };
enum {
    LOAD_REUSED = 1,
    LOAD_WARMUP = 2,
    LOAD_RETRIED = 4,
    LOAD_KEPT_ALIVE = 8 /* the reply left the connection usable */,
    LOAD_UNFINISHED = 16,
    LOAD_TLS_RESUMED = 32
};

/* What ab's verbosity shows: every head sent and received, and body bytes; called in the worker's thread, so only with
 * one thread. */
enum load_seen { LOAD_SEEN_REQUEST, LOAD_SEEN_HEAD, LOAD_SEEN_BODY };

/* So many connections per target for so long. */
struct load_connection_stage {
    uint32_t connections;
    uint64_t length_ns;
};

/* Rows of a feed: one after the other and again from the first, at random, or each once and then no more. */
enum load_feed_order { LOAD_FEED_SEQUENTIAL, LOAD_FEED_RANDOM, LOAD_FEED_ONCE };

/* Everything below is of the whole plan; share says which part of it this process carries out. */
struct load_plan {
    struct load_share share;
    const struct load_target *targets;
    size_t target_count;
    uint32_t connections; /* per target */
    uint32_t threads;     /* 0: min(cpus, connections) */
    uint64_t duration_ns; /* 0: by count alone */
    uint64_t requests;    /* 0: by time alone */
    uint64_t warmup_ns;
    uint64_t timeout_ns, connect_timeout_ns;
    uint64_t drain_ns;
    struct load_schedule schedule; /* the open model; none (stage_count and burst_size 0): the closed one */
    uint32_t grow;                 /* open model: connections per target may become so many; 0: they stay */
    uint64_t max_in_flight;        /* 0: no limit but the connections */
    const struct load_connection_stage *connection_stages; /* closed model: active connections over time */
    size_t connection_stage_count;
    uint64_t ramp_up_ns;                 /* closed model: connections join one by one over this time */
    uint64_t think_min_ns, think_max_ns; /* closed model: pause of a connection after each reply */
    uint64_t requests_per_connection;    /* 0: for ever */
    enum load_close close;
    enum http_version version; /* HTTP_2: by ALPN for https, with prior knowledge for http */
    uint32_t streams;          /* HTTP/2: requests in flight per connection; 0: 1 */
    uint32_t pipeline;         /* HTTP/1.1: requests in flight per connection; 0 and 1: one after the other */
    bool cookies;              /* each connection keeps what it is told with Set-Cookie, and sends it */
    const char *feed;          /* CSV file of the values of {column}; NULL: none (template.h) */
    enum load_feed_order feed_order;
    bool chunked;           /* HTTP/1.1: bodies go in chunks, without their length */
    bool expect_continue;   /* HTTP/1.1: a body waits for 100 Continue, a second at most */
    bool http10_keep_alive; /* Connection: keep-alive on 1.0 */
    bool no_retry;
    bool open_on_demand; /* no connection before its first request needs it (with keep_trying) */
    bool re_resolve;
    int family;              /* AF_UNSPEC, AF_INET, AF_INET6 */
    const char *unix_socket; /* connect there instead */
    const char *connect_to;  /* "HOST:PORT" to connect to instead of the URL's (ab -X); NULL: the URL's */
    const char *proxy; /* http://[USER:PASS@]HOST:PORT: http URLs go there in absolute form, https ones by CONNECT */
    const struct load_override *overrides;
    size_t override_count;
    const struct addr *sources; /* local addresses in turn */
    size_t source_count;
    const char *sni;              /* NULL: the URL's host when it is a name; "": none */
    struct tls_client_config tls; /* its session_cache is set by tls_resume */
    double tls_resume;            /* share of the handshakes that offer a session to resume; 0: none */
    uint32_t head_max_bytes;      /* 0: 64 KiB */
    bool expect_any_status;       /* ab: every complete reply is ok */
    const uint8_t *expect_status; /* STATUS_MAX flags, or NULL: 2xx and 3xx */
    bool expect_same_length;      /* ab: a body whose length differs from the first's fails as FAIL_BODY "length" */
    double max_errors;            /* share */
    bool strict;
    bool keep_trying;              /* go on although nobody was reached while the first connections were opened */
    uint32_t socket_buffer_bytes;  /* SO_SNDBUF and SO_RCVBUF; 0: the system's */
    bool abort_on_connect_error;   /* ab without -r: the first socket error ends the run */
    const char *save_failures_dir; /* NULL: none */
    uint32_t save_failures_max;
    uint64_t seed;
    const double *percentiles;
    size_t percentile_count;

    struct watcher *watcher; /* parts of the target that are watched meanwhile; NULL: none. The caller's */

    /* From another thread or a signal handler: set to 1 to end the window now (drain, then report), 2 to drop
     * everything. May be NULL. */
    const volatile int *stop;
    void (*on_progress)(void *arg, const struct load_progress *p);
    void (*on_pulse)(void *arg, const struct load_pulse *p);
    void (*on_seen)(void *arg, enum load_seen what, uint32_t connection, struct slice bytes);
    /* Called from a thread of its own with ended requests in batches, in each worker's order; never from the measured
     * path. */
    void (*on_records)(void *arg, const struct load_record *records, size_t count);
    void *arg;
};

void load_plan_init(struct load_plan *p); /* the defaults of design.md */

/* Everything that can be wrong before anything is sent: addresses, files, certificates, descriptors. After it the plan
 * can run. */
struct load;
MUST_CHECK int load_prepare(struct load **out, const struct load_plan *plan, struct err *err);
/* The moment that the processes of one plan agreed on. The window, or the warm-up, begins at a whole tenth of a second
 * after it, so that schedules of shares lie beside each other and not over each other. */
struct load_start {
    uint64_t at_ns;          /* monotonic; 0: none was agreed on */
    int64_t clock_offset_ns; /* to be added to this machine's wall clock: the result's `started` has it in it */
};
/* Before load_run(), which does not wait for it: begin at that moment. */
void load_set_start(struct load *l, const struct load_start *start);
/* Runs and fills a new result (the caller frees it): figures, errors, health, verdict, but not name, labels, command.
 * -1 only for failures of this machine (threads, memory); everything a target does is in the result. */
MUST_CHECK int load_run(struct load *l, struct result **out, struct err *err);
/* Facts of the first reply and connection, for ab's report. Valid until load_free(); texts may be "". */
struct load_first {
    char server[128];
    uint64_t body_bytes;
    bool any;
    char tls_version[16], tls_cipher[64], tls_temp_key[64];
    int tls_key_bits, tls_cipher_bits;
};
const struct load_first *load_first_reply(const struct load *l);
/* When the window began, on the clock of the records (clock_now_ns()). UINT64_MAX before: from a thread of its own (the
 * records' callback) it may be asked at any time. */
uint64_t load_window_start_ns(struct load *l);
/* What the plan resolved to, as text for --dry-run: targets, addresses, threads, connections. */
void load_describe(const struct load *l, struct buf *out);
void load_free(struct load *l); /* NULL is fine */

#endif
