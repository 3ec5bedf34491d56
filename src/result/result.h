/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run's figures: the plain document in the middle. Producers (load, import) fill it, renderers (JSON here, text and
 * CSV in report/) read it, nobody else holds state about a finished run.
 *
 * Units: seconds as double in *_s, nanoseconds as integers in *_ns, bytes. What is not known is absent (NULL, or has_
 * false), never zero. Ownership: a struct result owns everything it points to; result_free() ends it all. Strings are
 * already redacted.
 *
 * Identity (result_check() verifies; a broken one makes the result invalid, loudly):
 *   totals.started = ok + failed + unfinished, also per target and summed over targets;
 *   sum of status counts + failures without a status = ok + failed; sum of errors' counts = failed, also per interval
 *   where their kinds are known;
 *   latency.count = ok (overflow included); min <= p(q) <= max, rising in q; Little's law (see docs/measuring.md).
 * A foreign report (kind "import") follows other rules, and is not checked. */
#ifndef PLIMSOLL_RESULT_RESULT_H
#define PLIMSOLL_RESULT_RESULT_H

#include "base/err.h"
#include "base/random.h"
#include "base/strlist.h"
#include "result/rounds.h"
#include "result/watched.h"
#include "stats/hist.h"

#include <stdio.h>

/* id, text. One entry of `errors` per kind and detail. */
#define ERROR_KINDS(X)                                         \
    X(FAIL_DNS, "dns")                                         \
    X(FAIL_CONNECT_REFUSED, "connect_refused")                 \
    X(FAIL_CONNECT_TIMEOUT, "connect_timeout")                 \
    X(FAIL_CONNECT_UNREACHABLE, "connect_unreachable")         \
    X(FAIL_PORTS_EXHAUSTED, "ports_exhausted")                 \
    X(FAIL_FILES_EXHAUSTED, "files_exhausted")                 \
    X(FAIL_RESET, "reset")                                     \
    X(FAIL_CLOSED_EARLY, "closed_early") /* before any byte */ \
    X(FAIL_TRUNCATED, "truncated")                             \
    X(FAIL_TLS, "tls")                                         \
    X(FAIL_TIMEOUT, "timeout")                                 \
    X(FAIL_BAD_MESSAGE, "bad_message")                         \
    X(FAIL_HEADER_TOO_LARGE, "header_too_large")               \
    X(FAIL_STATUS, "status")                                   \
    X(FAIL_BODY, "body")                                       \
    X(FAIL_HEADER, "header")

enum fail_kind {
#define FAIL_ENUM(id, text) id,
    ERROR_KINDS(FAIL_ENUM)
#undef FAIL_ENUM
        FAIL_KINDS /* how many */
};
const char *fail_kind_text(enum fail_kind kind);
MUST_CHECK int fail_kind_parse(enum fail_kind *out, struct slice text);

/* 1xx … 5xx and failures without a status. */
enum reply_class { CLASS_1XX, CLASS_2XX, CLASS_3XX, CLASS_4XX, CLASS_5XX, CLASS_ERROR, CLASSES };
const char *reply_class_text(enum reply_class c); /* "2xx" … "error" */

enum phase { PHASE_DNS, PHASE_CONNECT, PHASE_TLS, PHASE_SEND, PHASE_WAIT, PHASE_RECEIVE, PHASES };
const char *phase_text(enum phase p);

#define STATUS_MAX 1000 /* counts by status 0 … 999 */

/* A foreign report seldom has them all: bits of totals.absent. Those of load are never absent. */
enum total {
    TOTAL_STARTED,
    TOTAL_SENT,
    TOTAL_OK,
    TOTAL_FAILED,
    TOTAL_UNFINISHED,
    TOTAL_NOT_SENT,
    TOTAL_RETRIED,
    TOTAL_INTERIM_REPLIES,
    TOTAL_EARLY_REPLIES,
    TOTAL_REQUESTS_PER_S,
    TOTAL_OK_IN_WINDOW,
    TOTAL_BYTES_SENT,
    TOTAL_BYTES_RECEIVED,
    TOTAL_BODY_BYTES_RECEIVED,
    TOTAL_CONNECTIONS_OPENED,
    TOTAL_CONNECTIONS_REUSED,
    TOTAL_TLS_HANDSHAKES,
    TOTAL_TLS_RESUMED,
    TOTAL_IN_FLIGHT_MEAN,
    TOTAL_IN_WINDOW_S,
    TOTALS
};
#define TOTALS_ABSENT_ALL ((UINT32_C(1) << TOTALS) - 1)

struct totals {
    uint32_t absent; /* 1 << enum total: not known, and then 0 below and null in a document */
    uint64_t started, sent, ok, failed, unfinished, not_sent, retried, interim_replies, early_replies;
    double unfinished_oldest_s;
    double requests_per_s;
    uint64_t ok_in_window;                                    /* completions that requests_per_s counts */
    uint64_t bytes_sent, bytes_received, body_bytes_received; /* on the wire as HTTP; TLS framing excluded */
    uint64_t connections_opened,
        connections_reused; /* reused: requests sent on a connection that had carried one before */
    uint64_t tls_handshakes, tls_resumed;
    double in_flight_mean;
    /* The other side of Little's law: sum over all requests of their time inside the window. */
    double in_window_s;
};

struct error_entry {
    enum fail_kind kind;
    char *detail; /* "status 503", "alert unrecognized_name", "Invalid header token", … may be "" */
    uint64_t count;
    char *first; /* status line, fields and up to 512 bytes of the body where there was a reply; else a sentence;
                    redacted; may be NULL */
    double first_at_s, last_at_s; /* from the start of the window */
};

static inline bool totals_has(const struct totals *t, enum total part)
{
    return (t->absent >> part & 1u) == 0;
}

struct address_entry {
    char *address;
    uint64_t connections, requests, failed_connects;
};

struct interval {
    double t_s, length_s;                /* start, from the window's; length is 1 but for the last */
    uint64_t started, ok, failed, bytes; /* received */
    double in_flight;                    /* mean */
    /* Of ok requests ended in the interval, packed (hist_codec.h): there may be one a second for hours. NULL: none. */
    uint8_t *latency;
    size_t latency_bytes;
    /* failed, by kind: FAIL_KINDS counts that add up to it. NULL: nothing failed, or the kinds are not known (a
     * document of before they were kept). */
    uint64_t *by_kind;
};

struct target_result {
    char *url; /* redacted */
    char *method;
    struct totals totals;
    struct hist *latency, *service_time;
    uint64_t status[STATUS_MAX];
    struct error_entry *errors;
    size_t error_count;
};

/* One clause of a promise (slo.h) and what became of it. */
enum promise_unit { PROMISE_SECONDS, PROMISE_SHARE, PROMISE_PER_S };
const char *promise_unit_text(enum promise_unit unit); /* "s", "share", "1/s" */
MUST_CHECK int promise_unit_parse(enum promise_unit *out, struct slice text);
struct promise {
    char *clause;
    enum promise_unit unit;
    double limit, observed;
    bool known; /* observed is a figure of the run */
    bool kept;
};

struct host_info {
    char hostname[128], kernel[128], cpu[128], tool_version[64];
    unsigned cpus;
    uint64_t memory_bytes;
};

struct generator_health {
    bool limited;
    struct strlist reasons;
    double *cpu_per_worker; /* share of one core over the window */
    size_t workers;
    struct hist *loop_lag;      /* how late a timer of the loop fired */
    struct hist *send_lateness; /* due to first byte written; of scheduled requests */
    uint64_t open_files_max, open_files_limit, ports_used, ports_available;
    uint64_t time_wait_start, time_wait_end, retransmits;
    double rate_asked, rate_achieved; /* 0: no rate was asked */
    uint64_t log_waits;               /* times a worker waited for the log's writer */
};

/* A dimension of a cell and its value there: "routes", "500". */
struct dimension {
    char *name, *value;
};

/* A figure that has no place of its own: what a suite measured, or what a foreign report says without the histogram
 * from which it came. Names as comparisons know them: "latency_p99", "service_time_mean", "connect_mean". */
struct named_figure {
    char *name, *unit; /* "s", "1/s", "B", "share" (0 ... 1), "1" (a count) */
    double value;
    bool higher_is_better;
};

/* What was seen and counted without an exact status or kind of failure: "status 4xx", "non-2xx replies". */
struct seen {
    char *what;
    uint64_t count;
};

/* config: name, value pairs in order, values already as JSON texts ("10", "\"GET\"", "null"). */
struct config_entry {
    char *name, *json;
};

/* Of a run that began at a moment that several processes agreed on. */
struct result_start {
    char at[40];                               /* RFC 3339; "": there was none */
    double late_s;                             /* how long after it the run began */
    char clock[160];                           /* who says how far the machine's clock is off; "": nobody was asked */
    double clock_offset_s, clock_resolution_s; /* added to the clock: `started` has it in it; known to within so much */
};

/* What a run saw of the whole machine that it ran on, as in struct generator_health. */
struct machine_figures {
    uint64_t ports_used, ports_available, time_wait_start, time_wait_end, retransmits;
};

#define SHARES_MAX 65536u
/* "2/3": the second of three, at most SHARES_MAX. */
bool result_share_parse(const char *text, uint64_t *which, uint64_t *of);

/* Where a merged result comes from: one run each, never a merged one. */
struct result_part {
    char id[UUID_TEXT_MAX];
    char started[40];
    char plan[UUID_TEXT_MAX]; /* a fingerprint of what it was configured to do: parts of one run have the same */
    char *share;              /* "1/3": which of how many; NULL: not known */
    double duration_s, requests_per_s, in_flight_mean, in_window_mean;
    bool valid, interrupted, limited; /* limited: its machine was */
    uint64_t requests, ok, failed, not_sent;
    double cpu_max; /* of its workers, as a share of a core */
    struct machine_figures machine;
    struct result_start start;
    struct host_info host;
    struct strlist command;
};

struct warmup_totals {
    double duration_s;
    uint64_t started, sent, ok, failed, unfinished, retried;
};

struct result {
    char id[UUID_TEXT_MAX];
    char *name;
    char *kind;                /* "load", "rounds"; "import": of a foreign report, where much is absent */
    struct strlist labels;     /* "K=V" */
    char started[40];          /* RFC 3339; "": not known */
    double duration_s, ramp_s; /* of an import 0: not known */
    bool valid, interrupted;
    bool nothing_due; /* while it is judged: a share of a plan to which no request fell has none that could succeed */
    struct strlist reasons, warnings;
    struct strlist command;
    struct host_info host;
    struct config_entry *config;
    size_t config_count;
    struct warmup_totals warmup;
    struct totals totals;
    struct hist *latency, *service_time; /* never NULL in a result of result_new() */
    struct hist *by_class[CLASSES];      /* NULL or empty: that class did not occur */
    struct hist *phases[PHASES];
    uint64_t status[STATUS_MAX];
    struct error_entry *errors;
    size_t error_count;
    struct address_entry *addresses;
    size_t address_count;
    struct interval *intervals;
    size_t interval_count;
    struct target_result *targets;
    size_t target_count;
    struct watched *watched; /* parts of the target */
    size_t watched_count;
    struct generator_health generator;
    struct result_start start;
    struct promise *promises; /* when any were made */
    size_t promise_count;
    double *percentiles; /* those asked for with --percentiles, beyond the fixed ones */
    size_t percentile_count;
    char *tls_version, *tls_cipher;      /* of the first connection; NULL for plain */
    struct hist *tls_full, *tls_resumed; /* handshakes of each kind; together phases[PHASE_TLS]; may be NULL */
    struct rounds_result *rounds;        /* of kind "rounds", and only of it */
    struct result_part *parts;           /* of a merged result (merge.h), and only of it: sorted */
    size_t part_count;

    /* A sample of a matrix. All that have the same `run` are one run, of a cell for each set of dimensions. */
    char *run; /* NULL: a run of its own */
    struct dimension *cell;
    size_t cell_count;
    bool has_sample;
    uint32_t sample; /* of its cell, from 0 */
    struct named_figure *metrics;
    size_t metric_count;
    struct seen *seen;
    size_t seen_count;
};

MUST_CHECK int result_new(struct result **out, struct err *err); /* id, started and host filled */
void result_free(struct result *r);
/* Packs h (NULL or empty: none) into the interval, in place of what it had; unpacks it into an empty h. -1: no memory.
 */
MUST_CHECK int interval_set_latency(struct interval *v, const struct hist *h, struct err *err);
MUST_CHECK int interval_get_latency(const struct interval *v, struct hist *h, struct err *err);
/* Adds what v has to what `to` has; scratch: hist_pack_max() bytes. */
MUST_CHECK int interval_add_latency(struct interval *to, const struct interval *v, uint8_t *scratch, struct err *err);
/* Adds v's failures, their number and their kinds; when those of either are not known, the sum's are not. -1: no
 * memory. */
MUST_CHECK int interval_add_failed(struct interval *to, uint64_t failed, const uint64_t *by_kind, struct err *err);
void interval_release(struct interval *v);
/* printf-style; false when out of memory. */
bool result_add_reason(struct result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool result_add_warning(struct result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One value as JSON text. False also when it is not JSON (a NaN, an integer beyond 63 bits): nothing is added then. */
bool result_add_config(struct result *r, const char *name, const char *fmt_json, ...)
    __attribute__((format(printf, 3, 4)));
bool result_add_config_string(struct result *r, const char *name,
                              const char *value); /* quoted and escaped here; NULL: null */

/* Sets the figure or the dimension; one that is there already gets the new value. False: no memory. */
bool result_set_metric(struct result *r, const char *name, double value, const char *unit, bool higher_is_better);
bool result_set_dimension(struct result *r, const char *name, const char *value);
/* Adds to what was seen; 0 adds nothing. */
bool result_add_seen(struct result *r, const char *what, uint64_t count);
/* NULL when it has none of that name. */
const struct named_figure *result_metric(const struct result *r, const char *name);
const char *result_dimension(const struct result *r, const char *name);
bool result_is_import(const struct result *r);

/* Checks every identity above; each broken one becomes a reason and valid = false. False when any was broken. */
bool result_check(struct result *r);
bool result_check_rounds(struct result *r); /* its part for kind "rounds"; leaves valid alone */
/* Those among them that say how many requests there were, and what became of them. */
bool result_check_counts(struct result *r);
/* The verdict by the laws: result_check(), nothing ok, failed/started above max_errors (fewer: a warning), warnings as
 * reasons under strict. Sets valid, reasons, warnings. */
void result_judge(struct result *r, double max_errors, bool strict);
/* A rate was asked for, less than 99 % of it was offered, and something that came due was not sent. */
bool result_missed_rate(const struct result *r);
bool result_promises_kept(const struct result *r); /* true when there are none */
/* 0, 1 (a promise is broken), 3 (invalid), 130 (interrupted); several at once: 130 before 1 before 3. */
int result_exit_code(const struct result *r);

/* Kind "rounds" with a new r->rounds. */
MUST_CHECK int result_make_rounds(struct result *r, struct err *err);

void host_info_fill(struct host_info *h);

/* The fixed percentiles of a latency object: p50 p66 p75 p80 p90 p95 p98 p99 p999 p9999. */
extern const double RESULT_PERCENTILES[];
extern const size_t RESULT_PERCENTILE_COUNT;
#define RESULT_PERCENTILE_MAX 16 /* room for them */

/* The document of design.md, indented by two, ending with a line break. */
MUST_CHECK int result_to_json(const struct result *r, struct buf *out, struct err *err);
/* Reads one back (hostile input allowed: sizes and depth are bounded). The caller frees *out. */
MUST_CHECK int result_from_json(struct result **out, struct slice json, struct err *err);

#endif
