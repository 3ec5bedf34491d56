/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loader is one worker: a thread, its loop, its connections (struct client) and its own counters. Workers share
 * nothing while measuring.
 *
 * Stages:  ramp (open the first connections) -> [meet the others] -> warm-up -> window -> drain -> over.
 * The meeting is the only place where workers wait for each other; it lies outside the window. */
#ifndef PLIMSOLL_LOAD_LOADER_H
#define PLIMSOLL_LOAD_LOADER_H

#include "http/h2_client.h"
#include "http/reply.h"
#include "load/body.h"
#include "load/deal.h"
#include "load/failures.h"
#include "load/interval_log.h"
#include "load/pulse.h"
#include "load/record_ring.h"
#include "load/schedule.h"
#include "load/tally.h"
#include "load/target.h"
#include "net/loop.h"
#include "net/stream.h"

#include <pthread.h>

#define SCRATCH_BYTES (64u * 1024u)
/* So few connections of a worker leave it time to copy the files that it uploads: the peer then finds them in the cache
 * and takes them faster (docs/decisions/0056). More of them are sent by the kernel, at half the CPU. */
#define COPY_FILES_AT_MOST 2
#define BACKOFF_LEVELS 8 /* 10 ms << level, at most 1.28 s */

enum stage { STAGE_RAMP, STAGE_WARMUP, STAGE_WINDOW, STAGE_DRAIN, STAGE_OVER };

enum client_state {
    CLIENT_IDLE,       /* no socket, no request        -> connecting (a request, the ramp) */
    CLIENT_SLEEPING,   /* backing off after a failure  -> connecting when its time has come */
    CLIENT_CONNECTING, /* TCP handshake                -> tunnel, tls, ready, sending, sleeping */
    CLIENT_TUNNEL,     /* CONNECT to a proxy           -> tls, sleeping */
    CLIENT_TLS,        /* TLS handshake                -> ready, sending, sleeping */
    CLIENT_READY,      /* connected, no request        -> sending, idle (the peer closed) */
    CLIENT_SENDING,    /* request being written        -> reading, or any end of reading */
    CLIENT_STREAMS,    /* HTTP/2, open                 -> idle, sleeping */
    CLIENT_PIPELINE,   /* HTTP/1.1 with several requests in flight, open -> idle, sleeping */
    CLIENT_READING,    /* reply awaited or arriving    -> sending (next), ready, idle */
    CLIENT_FINISHED,   /* nothing more to do           (end) */
};

/* Intrusive lists, oldest first. */
struct client_link {
    struct client *prev, *next;
};
struct client_list {
    struct client *first, *last;
};

/* Room for one request and its reply: a connection has one (HTTP/1), or as many as it may have in flight (HTTP/2's
 * streams, a pipeline's depth). */
struct exchange {
    struct client *client;
    bool active; /* holds a request that has not ended */
    bool warm, was_sent, retried, timed;
    bool in_idle, is_thinking, has_thought;
    bool waited_for_due; /* was free and connected when its request came due: any lateness is the generator's */
    bool reused;         /* went out on a connection that had carried a request before */
    bool head_complete;  /* of the reply; status is valid then */
    bool keep_alive;     /* the reply left the connection usable */
    uint16_t status;
    uint32_t interim; /* 1xx before the reply */
    /* HTTP/2: its first frame is serialised, it is written, its last frame is serialised; it was given back for its
     * time. */
    bool is_begun, is_out, is_framed, has_length;
    bool unseen; /* it was sent, but the peer's GOAWAY says that it did not look at it: once more is no retry */
    uint64_t body_sent, length;
    size_t body_piece; /* where what is sent of the body ends */
    /* In a pipeline: it is in the connection's queue; it goes out with Connection: close; body_sent counts the head
     * too. */
    bool is_queued, closes;
    struct exchange *next_queued;
    uint64_t seq;   /* the request's number in this share, where requests are rendered */
    char *rendered; /* … into this; NULL: none is */
    size_t rendered_len, rendered_head;
    struct h2_request *h2_request;
    struct check_state *check; /* NULL: no target has checks that need one */
    int32_t stream;            /* HTTP/2: its number; 0: none */
    uint64_t bytes_received, body_bytes;
    uint64_t due_ns;   /* when the request should begin: latency counts from here */
    uint64_t taken_ns; /* when a connection took it: time-outs and Little's law count from here */
    uint64_t sent_first_ns, sent_last_ns, reply_first_ns;
    uint64_t wake_ns; /* while thinking */
    struct exchange *next_idle;
};

struct client {
    struct loader *loader;
    struct target *target;
    struct tally *tally; /* of the target; only counted when the request is not a warm-up one */
    struct exchange *exchanges;
    uint32_t exchange_count, active_count;
    struct watch *watch; /* NULL without a socket */
    struct stream stream;
    struct reply reply;      /* HTTP/1 … */
    struct exchange *front;  /* … of this request: the only one, or the first of the pipeline; NULL: it is empty */
    struct cookies *cookies; /* NULL: they are not kept */
    enum client_state state;
    uint32_t index;   /* in the loader */
    uint32_t number;  /* in the plan */
    uint32_t ordinal; /* in the run, of its target: picks address and source */
    uint32_t target_index;
    uint32_t connection_number; /* how many sockets this one has opened */
    uint32_t keep_len;          /* bytes of the reply kept for examples */
    uint16_t address_slot;
    uint8_t address_tries; /* of the current opening */
    uint8_t backoff_level;
    bool sending_close, in_ramp, opening_timed;
    float resume_credit; /* --tls-resume: a handshake whose credit reaches 1 offers a session */
    int write_error;     /* errno of a failed write: the peer may have answered all the same */
    uint64_t requests_on_connection;
    uint64_t requests_left; /* UINT64_MAX: no limit */
    uint64_t sent_bytes;    /* of the current request (HTTP/1) */
    size_t early_bytes;     /* of it, written while connecting, at early_ns */
    uint64_t early_ns;
    bool awaits_continue; /* its body waits for 100 Continue … */
    uint64_t awaits_since_ns;
    /* HTTP/2 */
    struct h2_client *h2;
    struct slice h2_output; /* what of the session's output is not yet in the buffer below */
    char *out;              /* bytes to write, out_at … out_len */
    uint32_t out_at, out_len;
    uint32_t h2_unwritten; /* requests submitted and not yet written */
    uint32_t h2_goaway_code;
    int32_t keep_stream;          /* whose reply is kept for an example; 0: none */
    bool h2_goaway, h2_is_ending; /* takes no more requests */
    bool in_events;               /* of a connection with many requests: what they submit goes out when they are over */
    bool h2_is_closing, h2_heard;
    /* Pipeline */
    struct exchange *back, *writing; /* the last of the queue; the first that is not all written, NULL: none */
    uint32_t queued_count;           /* now, … */
    uint64_t queued_on_connection;   /* … and since the connection was opened */
    bool goes_alone;                 /* RFC 9112, 9.3.2: no pipelining before the first reply, after a loss */
    uint64_t open_start_ns, connect_start_ns, connected_ns, tls_done_ns;
    uint64_t wake_ns;               /* while sleeping */
    struct client_link in_connect;  /* opening … */
    struct client_link in_continue; /* … open, and its head is out */
    struct client *next_sleeping;
};

/* A socket that only waits for the peer's FIN, so that the TIME_WAIT stays on the side that should have it. */
struct lingering {
    int fd;
    bool is_tcp;
    uint64_t since_ns;
};

/* What a worker offers with one set of TLS settings: without and with kept sessions; NULL: not needed. */
struct tls_contexts {
    struct tls_context *fresh, *resuming;
};

/* A connection of a target. */
struct place {
    uint32_t target, ordinal;
};

/* What all workers of a run have in common; written before they start, or through the meeting below. */
struct run {
    const struct load_plan *plan;
    struct target *targets;
    size_t target_count;
    struct load_share share;
    uint64_t all_connections; /* of all shares */
    struct deal shares;       /* the turns of all connections that are used, to the shares … */
    struct deal workers;      /* … and those of this share, to its workers */
    struct deal requests;     /* numbers of requests, to the shares */
    struct place *places;     /* of each connection of this share, with those that may be added */
    bool is_open;             /* requests come by a schedule */
    bool has_manners;         /* any target has its own number of connections */
    bool is_even;             /* all targets have the same number of them */
    struct address_table *addresses;
    struct tls_client_config *tls_configs; /* those that differ, of targets with https */
    uint32_t tls_config_count;
    struct reply_settings reply_settings;
    uint32_t streams; /* exchanges per connection */
    bool is_h2, is_pipelined;
    uint32_t worker_count;
    struct load_schedule warm_schedule; /* of the warm-up: the first rate, constant */
    struct load_stage warm_stage;
    struct feed feed;
    size_t render_max; /* bytes of the longest request that is rendered; 0: none is */
    bool checks, checks_fields, has_digests, has_patterns; /* any target's check */
    size_t keep_max;                                       /* bytes of a reply kept per connection */
    char ports_note[64];                                   /* the range of local ports, for when it is used up */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t ramped;    /* workers that have finished their ramp */
    uint64_t connected; /* connections that the ramp opened, of all workers */
    uint32_t ended;     /* workers that are over */
    bool go;
    uint64_t go_ns;
    uint64_t stop_ns; /* when the window ends for all after a stop: a little ahead, so that all have heard */
    _Atomic int stop; /* 1: end the window now; 2: drop everything */
};

struct loader {
    struct run *run;
    uint32_t index;
    pthread_t thread;
    bool thread_started, is_complete; /* is_complete: all of loader_init() was done */
    struct loop *loop;
    struct tls_contexts *tls; /* one per set of settings; NULL: no TLS */
    struct client *conns;
    struct exchange *exchanges; /* of all connections, side by side */
    uint32_t conn_count;        /* with those that may be added (--grow) */
    uint32_t active;            /* that take requests now: the first so many */
    bool is_open;               /* requests come by the schedule */
    enum stage stage;
    uint64_t budget;                         /* requests this worker may still start; UINT64_MAX without -n */
    uint64_t window_start_ns, window_end_ns; /* end UINT64_MAX: by count */
    uint64_t drain_end_ns, finished_ns, last_end_ns, ramp_start_ns, ramp_end_ns;

    /* Little's law, the independent side: the integral of the requests in flight. */
    uint64_t in_flight, in_flight_ns, in_flight_at_ns;
    uint64_t warm_in_flight;

    uint64_t interval_end_ns;
    struct interval_counts interval;
    struct hist interval_latency;
    struct interval_log log;

    struct tally *tallies; /* one per target */
    struct warm_tally warm;
    struct hist by_class[CLASSES], phases[PHASES];
    struct hist tls_full, tls_resumed; /* handshakes: together the phase */
    struct failures failures;
    uint64_t failed_by_kind[FAIL_KINDS];
    struct pulse pulse;
    uint64_t pulse_due_ns;
    struct hist loop_lag, send_lateness;
    struct record_ring ring;
    uint64_t cpu_start_ns, cpu_end_ns;
    uint64_t open_connections, open_connections_max;
    int highest_fd;
    uint64_t connections_by_address[ADDRESS_SLOTS], requests_by_address[ADDRESS_SLOTS],
        failed_by_address[ADDRESS_SLOTS];
    uint64_t dead_until_ns[ADDRESS_SLOTS];

    /* Pace. */
    uint32_t *turns; /* of its connections, over the whole plan; NULL in the closed model */
    struct schedule schedule;
    uint64_t schedule_start_ns, armed_due_ns, in_flight_limit, not_sent;
    struct exchange *idle_first, *idle_last; /* free connections, the longest idle first */
    struct exchange **thinking;              /* a heap by waking time */
    uint32_t thinking_count;
    struct rng rng;
    struct alarm_ns due_alarm, think_alarm, level_alarm;

    /* Machinery. */
    struct watch *watches;
    struct watch **free_watches;
    size_t free_watch_count;
    bool timeout_is_armed;        /* for the oldest request there was */
    struct client_list connects;  /* oldest first: both time-outs are constants */
    unsigned depth;               /* of exchanges begun inside one another */
    bool gave_up;                 /* by count, and no connection could be opened for a whole time-out */
    uint64_t alive_ns;            /* when a connection was last opened */
    struct client_list continues; /* oldest first */
    struct timer timeout_timer, connect_timer, continue_timer, backoff_timer, ramp_timer, ramp_limit_timer;
    struct {
        struct client *first, *last;
    } sleeping[BACKOFF_LEVELS];
    uint32_t sleeping_count, ramp_next, ramp_waiting;
    uint32_t ramp_opened;      /* connections that the ramp opened, whatever became of them */
    uint32_t ramp_refusals;    /* connections of the ramp that a peer answered, though they came to nothing */
    struct lingering *lingers; /* a ring */
    uint32_t linger_capacity, linger_first, linger_count;
    struct timer linger_timer;
    struct alarm_ns stage_alarm, lag_alarm;
    uint64_t lag_due_ns;
    struct wakeup wakeup;
    struct h2_pool *h2_pool;
    uint64_t h2_now_ns;         /* of the bytes whose events are being handled */
    uint32_t h2_max_concurrent; /* the least that a server allowed; 0: none did */
    char *h2_out;               /* every connection's buffer of bytes to write */
    char *scratch;
    struct body_way body_way;
    struct cookies *cookies; /* one per connection; NULL: they are not kept */
    uint64_t next_seq, seq_step, next_warm_seq;
    char *rendered;                   /* run->render_max bytes per exchange */
    struct check_state *check_states; /* one per exchange, when the run has checks */
    struct pattern_matcher *matcher;
    char *keep;           /* run->keep_max bytes a connection, touched when needed */
    struct slice in_hand; /* the part of the current reply that the current read brought */
    struct load_first first;
    char first_head[4096];
    uint32_t first_head_len;
};

/* What one worker gets of the whole. */
struct loader_share {
    uint32_t conn_count, grow_count; /* connections; those that may be added */
    uint64_t budget;                 /* requests; UINT64_MAX: no limit */
    uint64_t first_seq, seq_step, first_warm_seq;
    uint64_t in_flight_limit; /* UINT64_MAX: none */
};

MUST_CHECK int loader_init(struct loader *w, struct run *run, uint32_t index, const struct loader_share *share,
                           struct err *err);
MUST_CHECK int loader_start(struct loader *w, struct err *err);
void loader_release(struct loader *w);

/* Accounting (account.c). */
void account_time(struct loader *w, uint64_t now);
void account_start(struct exchange *x, uint64_t now);
void account_connection(struct client *c, bool counts); /* counts: not opened for a warm-up request */
void account_ok(struct exchange *x, uint64_t now);
void account_failed(struct exchange *x, const struct failure *why, uint64_t now);
void account_unfinished(struct exchange *x, uint64_t now);
/* Ends the interval that holds now, and those before it. */
void account_roll(struct loader *w, uint64_t now);
void account_last_interval(struct loader *w, uint64_t now);

/* Connections (client.c, exchange.c). */
void client_init(struct client *c, struct loader *w, struct target *t, uint32_t index, uint32_t ordinal);
void client_open(struct client *c, uint64_t now); /* for the ramp, or the request it holds */

void client_opened(struct client *c, uint64_t now);
/* TCP failed at one address: the next one is tried, the request fails when none is left. */
void client_address_failed(struct client *c, const struct failure *why, uint64_t now);
void client_open_failed(struct client *c, const struct failure *why, uint64_t now);
void client_close(struct client *c);
/* The connection has had its requests, or the peer said it is the last: ended as the plan has it. */
void client_end(struct client *c, uint64_t now);
/* TLS, on a connection that is open as far as the peer. */
void client_start_tls(struct client *c, uint64_t now);
/* The connection is gone, and every request it holds has failed. */
void client_fail(struct client *c, const struct failure *why, uint64_t now);
void client_ready_events(struct watch *watch, unsigned events);

/* CONNECT (tunnel.c). */
void tunnel_begin(struct client *c);
void tunnel_events(struct client *c);

/* Requests (exchange.c, http1.c). */
void exchange_begin(struct exchange *x, uint64_t due, uint64_t now); /* takes a slot and goes out as soon as it can */
void exchange_take(struct exchange *x, bool warm, uint64_t due, uint64_t taken, uint64_t now); /* takes it, no more */
void exchange_free(struct exchange *x);                /* it is accounted for: the slot is free */
void exchange_render(struct exchange *x, bool closes); /* the bytes of a request that differs from the last */
bool exchange_is_ok(const struct exchange *x, struct failure *why);
void exchange_time_out(struct exchange *x, uint64_t now);
void exchange_note_sent(struct exchange *x, uint64_t before); /* its first byte is out: it counts as sent */
void exchange_note_early(struct exchange *x, uint64_t now);   /* its reply is whole and it is not all out */
void http1_send(struct exchange *x, uint64_t now);
/* On a socket that may not be connected yet, for the request that waits for it: IO_OK when it is, and the request's
 * first bytes are out (http1_send() goes on from there); IO_WANT_WRITE when it is not. */
enum io http1_send_early(struct client *c);
void http1_events(struct client *c, unsigned events);
void http1_on_body(void *arg, struct slice bytes); /* content of chunked bodies, for checks */
void http1_continue(struct client *c);             /* the body goes out now, whether it was asked for or not */
void http1_note_reply(struct client *c);           /* what is known of the reply goes to the exchange */
/* What of the bytes belongs to the reply awaited. They are kept for examples unless they end it. */
enum reply_state http1_take(struct client *c, const char *bytes, size_t len, size_t *consumed, uint64_t now);
bool http1_may_discard(const struct client *c); /* what follows is a body that nobody looks at */
void http1_note_first(struct client *c);        /* of the run's first reply, for ab's report */

/* HTTP/1.1 with more than one request in flight on a connection (pipeline.c). */
void pipeline_open(struct client *c);  /* on a socket that is open */
void pipeline_close(struct client *c); /* the queue is forgotten; its requests are as they were */
void pipeline_send(struct exchange *x, uint64_t now);
void pipeline_events(struct client *c, unsigned events);
bool pipeline_after_events(struct client *c, uint64_t now); /* what was submitted goes out; false: it is closed */
void pipeline_time_out(struct exchange *x, uint64_t now);

#define H2_OUT_BYTES (64u * 1024u)
bool http2_open(struct client *c);  /* on a socket that is open; false when memory is used up */
void http2_close(struct client *c); /* nothing of it is heard any more */
void http2_send(struct exchange *x, uint64_t now);
void http2_events(struct client *c, unsigned events);
void http2_after_events(struct client *c, uint64_t now); /* what was submitted meanwhile goes out */
void http2_time_out(struct exchange *x, uint64_t now);

/* Pace (pace.c): which connection takes a request, and when. */
MUST_CHECK int pace_init(struct loader *w, struct err *err);
void pace_release(struct loader *w);
void pace_begin(struct loader *w); /* of the warm-up, of the window */
/* Connections per target that take requests t_ns after the window's start, and when that changes next. */
uint32_t pace_active(const struct load_plan *plan, uint64_t t_ns, uint64_t *next_change_ns);
uint32_t pace_active_share(const struct loader *w, uint64_t t_ns);
/* Requests of this process that are due t_ns after the window's start: of a share whole ones, unless that is left to
 * chance. */
double pace_due_before(const struct run *run, uint64_t t_ns);
/* Requests that came due in the window and were never sent; to be asked once, at the end. */
uint64_t pace_not_sent(struct loader *w);

/* Services of the loader for its connections (loader.c, lists.c, pace.c). */
void loader_next(struct exchange *x, uint64_t now);   /* what a free slot does next */
void loader_next_all(struct client *c, uint64_t now); /* every free slot of a connection */
void loader_check_over(struct loader *w, uint64_t now);
void loader_sleep(struct client *c, uint64_t now);                    /* back-off */
void loader_linger(struct loader *w, struct stream *s, uint64_t now); /* takes the socket */
struct watch *loader_take_watch(struct loader *w);
void loader_watch_closed(struct watch *watch);
void timeout_add(struct exchange *x);
void timeout_drop(struct exchange *x);
void client_list_add_connect(struct client *c);
void client_list_drop_connect(struct client *c);
#define CONTINUE_WAIT_NS UINT64_C(1000000000)
void continue_add(struct client *c, uint64_t now); /* waits for 100 Continue */
void continue_drop(struct client *c);
void lists_init(struct loader *w);
/* What is still on its way is unfinished; everything is closed and the loop ends. */
void loader_finish(struct loader *w, uint64_t now);
void linger_close_all(struct loader *w);

static inline bool loader_takes_requests(const struct loader *w, uint64_t now)
{
    return (w->stage == STAGE_WINDOW && now < w->window_end_ns && w->budget > 0) || w->stage == STAGE_WARMUP;
}

#endif
