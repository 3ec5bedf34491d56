/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/loader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define ONE_WRITE_MAX 1024u /* bytes of a request that certainly fit one segment */
#define ADDRESS_DEAD_NS UINT64_C(1000000000)

void client_init(struct client *c, struct loader *w, struct target *t, uint32_t index, uint32_t ordinal)
{
    c->loader = w;
    c->target = t;
    c->target_index = (uint32_t)(t - w->run->targets);
    c->tally = &w->tallies[c->target_index];
    c->index = index;
    c->ordinal = ordinal;
    c->requests_left = t->manner.requests_per_client > 0 ? t->manner.requests_per_client : UINT64_MAX;
    c->exchange_count = w->run->streams;
    c->exchanges = &w->exchanges[(size_t)index * w->run->streams];
    c->front = w->run->is_pipelined ? NULL : c->exchanges;
    c->cookies = w->cookies != NULL ? &w->cookies[index] : NULL;
    for (uint32_t i = 0; i < c->exchange_count; i++) {
        c->exchanges[i].client = c;
        if (w->rendered != NULL)
            c->exchanges[i].rendered = w->rendered + ((size_t)index * w->run->streams + i) * w->run->render_max;
        if (w->check_states != NULL)
            c->exchanges[i].check = &w->check_states[(size_t)index * w->run->streams + i];
    }
    c->out = w->h2_out + (size_t)index * H2_OUT_BYTES;
    c->state = CLIENT_IDLE;
    c->stream = (struct stream)STREAM_CLOSED;
    c->stream.buffer_bytes = w->run->plan->socket_buffer_bytes;
    c->stream.one_write = !t->https && w->run->streams == 1 && !w->run->is_h2 && !t->spec->body.present &&
                          t->connect_request.len == 0 && t->close_request.len <= ONE_WRITE_MAX;
    c->stream.tls_peer = t->tls_peer;
    c->resume_credit = (float)((index + 1) % 1000 * 618 % 1000) / 1000.0F; /* spread, so that they take turns */
    reply_init(&c->reply, &w->run->reply_settings, c);
}

static void connect_ended(struct client *c, enum io io);

static void set_state(struct client *c, enum client_state state)
{
    c->state = state;
}

/* Which errors of connect() are which kind. */
static enum fail_kind connect_kind(int sys)
{
    switch (sys) {
    case ECONNREFUSED:
    case ENOENT: /* a Unix socket that is not there */
        return FAIL_CONNECT_REFUSED;
    case ETIMEDOUT:
        return FAIL_CONNECT_TIMEOUT;
    case EADDRNOTAVAIL:
    case EADDRINUSE:
        return FAIL_PORTS_EXHAUSTED;
    case EMFILE:
    case ENFILE:
        return FAIL_FILES_EXHAUSTED;
    case ECONNRESET:
    case EPIPE:
        return FAIL_RESET;
    default:
        return FAIL_CONNECT_UNREACHABLE;
    }
}

static struct failure connect_failure(const struct client *c)
{
    const int sys = c->stream.sys_error;

    if (connect_kind(sys) == FAIL_PORTS_EXHAUSTED)
        return (struct failure){ .kind = FAIL_PORTS_EXHAUSTED, .note = c->loader->run->ports_note };
    return (struct failure){ .kind = connect_kind(sys), .sys = sys, .note = "" };
}

/* The connection's own address first, so that the addresses share the connections evenly; a dead one is skipped while
 * another of its family lives, the other family is for when none does. */
static size_t pick_address(const struct client *c, const struct address_set *set, uint64_t now)
{
    const struct loader *w = c->loader;
    const size_t own = c->ordinal % set->preferred;

    for (size_t i = 0; i < set->count; i++) {
        const size_t k = i < set->preferred ? (own + i) % set->preferred : i;

        if (w->dead_until_ns[set->items[k].slot] <= now)
            return k;
    }
    return (own + c->address_tries) % set->count;
}

/* The first bytes on the connection are those of the request that waits for it. */
static bool speaks_first(const struct client *c)
{
    return !c->target->https && !c->loader->run->is_h2 && !c->loader->run->is_pipelined && !c->target->is_rendered &&
           c->exchanges->active;
}

static void connect_started(struct client *c, enum io io)
{
    const struct load_manner *manner = &c->target->manner;
    struct loader *w = c->loader;

    if (manner->tcp_keep_alive)
        stream_keep_alive(&c->stream, manner->tcp_idle_s, manner->tcp_interval_s, manner->tcp_probes);
    c->watch = loader_take_watch(w);
    c->watch->arg = c;
    c->watch->on_ready = client_ready_events;
    c->watch->on_closed = loader_watch_closed;
    if (c->stream.fd > w->highest_fd)
        w->highest_fd = c->stream.fd;
    if (++w->open_connections > w->open_connections_max)
        w->open_connections_max = w->open_connections;
    set_state(c, CLIENT_CONNECTING);
    client_list_add_connect(c);
    /* A connect on loopback is complete although it says "in progress": asking at once saves a turn of the loop, and
     * a request that may go out asks by itself. */
    if (io != IO_OK)
        io = speaks_first(c) ? http1_send_early(c) : stream_connect_finish(&c->stream);
    if (watch_start(c->watch, w->loop, c->stream.fd, io == IO_WANT_WRITE ? WATCH_READ | WATCH_WRITE : WATCH_READ,
                    NULL) != 0)
        BUG("a fresh socket can not be watched");
    if (io != IO_WANT_WRITE)
        connect_ended(c, io);
}

/* Tries the next address; false when all have been tried. */
static bool try_next_address(struct client *c, const struct failure *why, uint64_t now)
{
    struct loader *w = c->loader;
    const struct address_set *set = atomic_load_explicit(&c->target->addresses, memory_order_acquire);

    w->failed_by_address[c->address_slot]++;
    if (why->kind == FAIL_PORTS_EXHAUSTED || why->kind == FAIL_FILES_EXHAUSTED || why->kind == FAIL_TLS)
        return false; /* not the address's fault, or it answered */
    if (set->count < 2)
        return false;
    w->dead_until_ns[c->address_slot] = now + ADDRESS_DEAD_NS;
    return ++c->address_tries < set->count;
}

/* Opens at the next address that may live, and the one after it when that fails at once. */
static void open_next(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;
    const struct load_plan *plan = w->run->plan;

    for (;;) {
        const struct address_set *set = atomic_load_explicit(&c->target->addresses, memory_order_acquire);
        const size_t k = pick_address(c, set, now);
        const struct addr *source = NULL;
        struct failure why;
        enum io io;

        if (c->target->manner.source != NULL)
            source = c->target->manner.source;
        else if (plan->source_count > 0)
            source = &plan->sources[(c->ordinal + c->connection_number) % plan->source_count];
        c->address_slot = set->items[k].slot;
        c->connection_number++;
        c->connect_start_ns = clock_now_ns();
        c->connected_ns = c->tls_done_ns = 0;
        io = stream_connect(&c->stream, &set->items[k].addr, source);
        if (io != IO_FAILED) {
            connect_started(c, io);
            return;
        }
        why = connect_failure(c);
        stream_close(&c->stream);
        if (!try_next_address(c, &why, now)) {
            client_open_failed(c, &why, now);
            return;
        }
    }
}

void client_open(struct client *c, uint64_t now)
{
    c->address_tries = 0;
    c->open_start_ns = now;
    open_next(c, now);
}

static void leave_socket(struct client *c)
{
    if (c->watch == NULL)
        return;
    if (c->state == CLIENT_CONNECTING || c->state == CLIENT_TUNNEL || c->state == CLIENT_TLS)
        client_list_drop_connect(c);
    if (c->awaits_continue)
        continue_drop(c);
    if (c->h2 != NULL)
        http2_close(c);
    if (c->state == CLIENT_PIPELINE)
        pipeline_close(c);
    watch_stop(c->watch);
    c->watch = NULL;
    c->loader->open_connections--;
    c->requests_on_connection = 0;
    set_state(c, CLIENT_IDLE);
}

void client_close(struct client *c)
{
    leave_socket(c);
    stream_close(&c->stream);
}

/* Waits for the peer's FIN elsewhere. */
static void leave_to_peer(struct client *c, uint64_t now)
{
    struct stream raw = STREAM_CLOSED;

    leave_socket(c);
    stream_adopt(&raw, stream_release_fd(&c->stream), c->stream.is_tcp);
    loader_linger(c->loader, &raw, now);
}

void client_end(struct client *c, uint64_t now)
{
    switch (c->target->manner.close) {
    case LOAD_CLOSE_SERVER:
        leave_to_peer(c, now);
        return;
    case LOAD_CLOSE_CLIENT:
        leave_socket(c);
        if (stream_is_tls(&c->stream))
            stream_shutdown_write(&c->stream);
        stream_close(&c->stream);
        return;
    case LOAD_CLOSE_RESET:
        leave_socket(c);
        stream_reset(&c->stream);
        return;
    }
}

/* Every slot of an open connection goes on: with the request it holds, or with what comes next. */
static void go_on(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;

    w->depth++;
    c->in_events = c->state == CLIENT_STREAMS || c->state == CLIENT_PIPELINE; /* many requests, one write */
    for (uint32_t i = 0; i < c->exchange_count && c->state != CLIENT_FINISHED; i++) {
        if (c->exchanges[i].is_thinking)
            continue; /* it comes by itself */
        if (!c->exchanges[i].active)
            loader_next(&c->exchanges[i], now);
        else if (c->state == CLIENT_STREAMS)
            http2_send(&c->exchanges[i], now);
        else if (c->state == CLIENT_PIPELINE)
            pipeline_send(&c->exchanges[i], now);
        else
            http1_send(&c->exchanges[i], now);
    }
    c->in_events = false;
    if (c->h2 != NULL && c->h2_is_closing)
        http2_close(c);
    else if (c->state == CLIENT_STREAMS)
        http2_after_events(c, now);
    else if (c->state == CLIENT_PIPELINE)
        (void)pipeline_after_events(c, now);
    w->depth--;
}

/* HTTP/2 needs a peer that chose it, and memory; false when the opening has failed. */
static bool begin_http2(struct client *c, uint64_t now)
{
    const struct failure no_h2 = { .kind = FAIL_TLS, .note = "the server did not choose h2 (ALPN)" };
    const struct failure no_memory = { .kind = FAIL_FILES_EXHAUSTED,
                                       .note = "no memory for another HTTP/2 connection" };

    if (stream_is_tls(&c->stream) && strcmp(stream_tls_alpn(&c->stream), "h2") != 0) {
        client_open_failed(c, &no_h2, now);
        return false;
    }
    if (http2_open(c))
        return true;
    client_open_failed(c, &no_memory, now);
    return false;
}

void client_opened(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;

    if (w->run->is_h2 && !begin_http2(c, now))
        return;
    client_list_drop_connect(c);
    c->backoff_level = 0;
    w->alive_ns = now;
    /* Those of the ramp count in the figures even when a warm-up follows. */
    account_connection(c, c->in_ramp || c->active_count == 0 || !c->exchanges->warm);
    if (c->in_ramp) {
        c->in_ramp = false;
        w->ramp_waiting--;
        w->ramp_opened++;
    }
    if (w->run->is_pipelined)
        pipeline_open(c);
    set_state(c, w->run->is_h2 ? CLIENT_STREAMS : w->run->is_pipelined ? CLIENT_PIPELINE : CLIENT_READY);
    watch_change(c->watch, WATCH_READ);
    go_on(c, now);
}

void client_address_failed(struct client *c, const struct failure *why, uint64_t now)
{
    client_close(c);
    if (try_next_address(c, why, now))
        open_next(c, now);
    else
        client_open_failed(c, why, now);
}

/* The peer is there and did something that may be different next time. Not so when its certificate will never verify,
 * or when it does not speak TLS at all: more of the same would tell nothing new. */
static bool was_reached(const struct client *c, const struct failure *why)
{
    return c->connected_ns != 0 && !slice_starts(slice_str(why->note), SLICE("certificate verify failed")) &&
           slice_find_slice(slice_str(why->note), SLICE("does not speak TLS")) < 0;
}

void client_open_failed(struct client *c, const struct failure *why, uint64_t now)
{
    struct loader *w = c->loader;

    if (c->in_ramp) {
        c->in_ramp = false;
        w->ramp_waiting--;
        w->ramp_refusals += was_reached(c, why);
        if (c->active_count == 0 && w->budget > 0) /* it uses up one of -n and is a request that failed */
            exchange_take(c->exchanges, w->run->plan->warmup_ns > 0, c->open_start_ns, c->open_start_ns, now);
    }
    client_fail(c, why, now);
}

/* All its requests fail; the connection is opened again after a while, or at once when it had been open. */
void client_fail(struct client *c, const struct failure *why, uint64_t now)
{
    struct loader *w = c->loader;
    const bool is_http1 = c->state == CLIENT_SENDING || c->state == CLIENT_READING;
    const bool was_open = is_http1 || c->state == CLIENT_STREAMS;
    const bool answered = why->kind == FAIL_TLS || c->state == CLIENT_TUNNEL;

    if (is_http1)
        http1_note_reply(c);
    for (uint32_t i = 0; i < c->exchange_count; i++) {
        if (!c->exchanges[i].active)
            continue;
        account_failed(&c->exchanges[i], why, now);
        exchange_free(&c->exchanges[i]);
    }
    c->keep_len = 0;
    w->in_hand = (struct slice){ 0 };
    client_close(c);
    if (w->run->plan->abort_on_connect_error && why->kind != FAIL_TRUNCATED && why->kind != FAIL_BAD_MESSAGE)
        atomic_store(&w->run->stop, 1);
    /* A peer that answers each connection with an end at once must not make us recurse: back off for a moment. */
    if (was_open && w->depth < 4) {
        loader_next_all(c, now);
        return;
    }
    if (answered)
        c->backoff_level = 0;        /* no need to wait longer each time */
    if (c->state != CLIENT_SLEEPING) /* a request may time out while its connection backs off */
        loader_sleep(c, now);
    loader_check_over(w, now);
}

/* So many of the handshakes as --tls-resume says offer a session. */
static struct tls_context *pick_context(struct client *c)
{
    const struct tls_contexts *tls = &c->loader->tls[c->target->tls_config];

    if (tls->resuming == NULL)
        return tls->fresh;
    c->resume_credit += (float)c->target->manner.tls_resume;
    if (tls->fresh != NULL && c->resume_credit < 1.0F)
        return tls->fresh;
    c->resume_credit -= 1.0F;
    return tls->resuming;
}

static void tls_events(struct client *c)
{
    char note[FAILURE_NOTE_MAX];
    struct failure why = { .kind = FAIL_TLS, .note = note };
    const enum io io = stream_tls_handshake(&c->stream);
    const uint64_t now = clock_now_ns();

    switch (io) {
    case IO_OK:
        c->tls_done_ns = now;
        client_opened(c, now);
        return;
    case IO_WANT_READ:
        watch_change(c->watch, WATCH_READ);
        return;
    case IO_WANT_WRITE:
        watch_change(c->watch, WATCH_READ | WATCH_WRITE);
        return;
    case IO_EOF:
    case IO_FAILED:
        break;
    }
    /* The stream is closed below: the text must outlive it. */
    snprintf(note, sizeof(note), "%s", c->stream.tls_error);
    if (note[0] == '\0') {
        why.sys = c->stream.sys_error;
        snprintf(note, sizeof(note), "in the TLS handshake");
    }
    client_open_failed(c, &why, now);
}

void client_start_tls(struct client *c, uint64_t now)
{
    struct failure why = { .kind = FAIL_TLS, .note = c->stream.tls_error };

    set_state(c, CLIENT_TLS);
    if (stream_tls_start(&c->stream, pick_context(c), c->target->sni, c->target->verify_name) != 0)
        client_open_failed(c, &why, now);
    else
        tls_events(c);
}

static void connect_ended(struct client *c, enum io io)
{
    const uint64_t now = clock_now_ns();

    if (io != IO_OK) {
        const struct failure why = connect_failure(c);

        client_address_failed(c, &why, now);
        return;
    }
    c->connected_ns = c->early_bytes > 0 ? c->early_ns : now;
    if (!c->target->https) {
        client_opened(c, now);
        return;
    }
    if (c->target->connect_request.len > 0)
        tunnel_begin(c);
    else
        client_start_tls(c, now);
}

static void open_events(struct client *c)
{
    enum io io;

    if (c->state == CLIENT_TLS) {
        tls_events(c);
        return;
    }
    io = stream_connect_finish(&c->stream);
    if (io != IO_WANT_WRITE)
        connect_ended(c, io);
}

/* An idle connection became readable: the peer closed it, or spoke out of turn. */
static void idle_events(struct client *c)
{
    const uint64_t now = clock_now_ns();

    if (stream_has_pending(&c->stream) || stream_is_tls(&c->stream)) {
        size_t moved;
        const enum io io = stream_read(&c->stream, c->loader->scratch, SCRATCH_BYTES, &moved);

        if (io == IO_WANT_READ || io == IO_WANT_WRITE)
            return; /* session tickets */
    }
    client_close(c);
    if (!c->exchanges->in_idle)
        loader_next(c->exchanges, now); /* else it is opened again when a request comes due */
}

void client_ready_events(struct watch *watch, unsigned events)
{
    struct client *c = watch->arg;

    switch (c->state) {
    case CLIENT_CONNECTING:
    case CLIENT_TLS:
        open_events(c);
        return;
    case CLIENT_TUNNEL:
        tunnel_events(c);
        return;
    case CLIENT_READY:
        idle_events(c);
        return;
    case CLIENT_SENDING:
    case CLIENT_READING:
        http1_events(c, events);
        return;
    case CLIENT_STREAMS:
        http2_events(c, events);
        return;
    case CLIENT_PIPELINE:
        pipeline_events(c, events);
        return;
    case CLIENT_IDLE:
    case CLIENT_SLEEPING:
    case CLIENT_FINISHED:
        return;
    }
}
