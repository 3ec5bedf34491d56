/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/loader.h"

#include <string.h>

#include "base/units.h"

/* Brings the integral of the requests in flight up to `now`, never beyond the window. */
void account_time(struct loader *w, uint64_t now)
{
    if (now > w->window_end_ns)
        now = w->window_end_ns;
    if (now <= w->in_flight_at_ns)
        return;
    w->in_flight_ns += w->in_flight * (now - w->in_flight_at_ns);
    w->interval.in_flight_ns += w->in_flight * (now - w->in_flight_at_ns);
    w->in_flight_at_ns = now;
}

static void close_interval(struct loader *w, uint64_t end)
{
    struct interval_counts *i = &w->interval;

    i->end_ns = end;
    i->in_flight_end = w->in_flight;
    if (!interval_log_add(&w->log, i, &w->interval_latency))
        return; /* the log is full: this interval goes on */
    hist_reset(&w->interval_latency);
    *i = (struct interval_counts){ .index = i->index + 1, .start_ns = end };
}

void account_roll(struct loader *w, uint64_t now)
{
    if (w->stage != STAGE_WINDOW && w->stage != STAGE_DRAIN)
        return;
    while (now >= w->interval_end_ns) {
        account_time(w, w->interval_end_ns);
        close_interval(w, w->interval_end_ns);
        if (w->interval_end_ns >= w->window_end_ns)
            w->interval_end_ns = UINT64_MAX; /* what the drain brings goes into one more */
        else if (w->window_end_ns - w->interval_end_ns < NS_PER_S)
            w->interval_end_ns = w->window_end_ns;
        else
            w->interval_end_ns += NS_PER_S;
    }
}

void account_last_interval(struct loader *w, uint64_t now)
{
    const struct interval_counts *i = &w->interval;

    account_time(w, now);
    if (i->started + i->ok + i->failed > 0 || i->in_flight_ns > 0)
        close_interval(w, now);
}

static inline void roll_if_due(struct loader *w, uint64_t now)
{
    if (__builtin_expect(now >= w->interval_end_ns, 0))
        account_roll(w, now);
}

void account_start(struct exchange *x, uint64_t now)
{
    struct client *c = x->client;
    struct loader *w = c->loader;

    c->active_count++;
    if (x->warm) {
        w->warm.started++;
        w->warm_in_flight++;
        return;
    }
    roll_if_due(w, now);
    account_time(w, now);
    w->in_flight++;
    w->interval.started++;
    c->tally->started++;
}

/* Facts of the worker's first TLS connection. */
static void note_first_tls(const struct client *c)
{
    struct load_first *f = &c->loader->first;

    snprintf(f->tls_version, sizeof(f->tls_version), "%s", stream_tls_version(&c->stream));
    snprintf(f->tls_cipher, sizeof(f->tls_cipher), "%s", stream_tls_cipher(&c->stream));
    stream_tls_describe(&c->stream, f->tls_temp_key, sizeof(f->tls_temp_key), &f->tls_key_bits, &f->tls_cipher_bits);
}

void account_connection(struct client *c, bool counts)
{
    struct loader *w = c->loader;
    const bool tls = c->tls_done_ns != 0;
    bool resumed;

    if (tls && w->first.tls_version[0] == '\0')
        note_first_tls(c);
    if (!counts)
        return;
    w->connections_by_address[c->address_slot]++;
    c->tally->connections_opened++;
    hist_record(&w->phases[PHASE_CONNECT], c->connected_ns - c->connect_start_ns);
    if (!tls)
        return;
    resumed = stream_tls_resumed(&c->stream);
    c->tally->tls_handshakes++;
    c->tally->tls_resumed += resumed;
    hist_record(resumed ? &w->tls_resumed : &w->tls_full, c->tls_done_ns - c->connected_ns);
}

static enum reply_class class_of(uint16_t status)
{
    return status >= 200 && status < 600 ? (enum reply_class)(status / 100 - 1) : CLASS_ERROR;
}

static void record(const struct exchange *x, uint64_t now, uint8_t fail, uint8_t flags)
{
    const struct client *c = x->client;
    struct loader *w = c->loader;
    struct load_record r;

    if (w->ring._slots == NULL)
        return;
    r = (struct load_record){
        .due_ns = x->due_ns,
        .connect_start_ns = x->reused ? 0 : c->connect_start_ns,
        .connected_ns = x->reused ? 0 : c->connected_ns,
        .tls_done_ns = x->reused ? 0 : c->tls_done_ns,
        .sent_first_ns = x->sent_first_ns,
        .sent_last_ns = x->sent_last_ns,
        .reply_first_ns = x->reply_first_ns,
        .end_ns = now,
        .bytes_received = x->bytes_received,
        .body_bytes = x->body_bytes,
        .socket_start_ns = c->connect_start_ns,
        .socket_open_ns = c->connected_ns,
        .socket_ready_ns = c->tls_done_ns != 0 ? c->tls_done_ns
                           : c->target->https  ? 0
                                               : c->connected_ns,
        .bytes_sent = !x->was_sent           ? 0
                      : w->run->is_pipelined ? x->body_sent
                                             : c->sent_bytes,
        .on_connection = c->requests_on_connection + x->was_sent,
        .connection = c->ordinal + c->connection_number * c->target->manner.connections,
        .opened = c->connection_number,
        .socket = c->stream.fd,
        .target = c->target_index,
        .thread = (uint16_t)w->index,
        .status = x->head_complete ? x->status : 0,
        .fail = fail,
        .flags = (uint8_t)(flags | (x->reused ? LOAD_REUSED : 0) | (x->warm ? LOAD_WARMUP : 0) |
                           (x->retried ? LOAD_RETRIED : 0) |
                           (c->tls_done_ns != 0 && stream_tls_resumed(&c->stream) ? LOAD_TLS_RESUMED : 0))
    };
    record_ring_push(&w->ring, &r);
}

/* What every end of a request has in common, for those that count. */
static void account_end(struct exchange *x, uint64_t now)
{
    struct client *c = x->client;
    struct loader *w = c->loader;
    const uint64_t end = now < w->window_end_ns ? now : w->window_end_ns;
    const uint64_t begin = x->taken_ns > w->window_start_ns ? x->taken_ns : w->window_start_ns;

    roll_if_due(w, now);
    account_time(w, now);
    w->in_flight--;
    if (end > begin)
        c->tally->in_window_ns += end - begin;
    w->last_end_ns = now;
}

static void account_bytes(struct exchange *x)
{
    struct tally *t = x->client->tally;

    t->bytes_received += x->bytes_received;
    t->body_bytes_received += x->body_bytes;
    t->interim_replies += x->interim;
    x->client->loader->interval.bytes += x->bytes_received;
}

static void record_phases(struct exchange *x, uint64_t now)
{
    struct loader *w = x->client->loader;

    hist_record(&w->phases[PHASE_SEND], x->sent_last_ns - x->sent_first_ns);
    /* A reply may begin before the request is out. */
    hist_record(&w->phases[PHASE_WAIT], x->reply_first_ns > x->sent_last_ns ? x->reply_first_ns - x->sent_last_ns : 0);
    hist_record(&w->phases[PHASE_RECEIVE], now - x->reply_first_ns);
}

static uint8_t kept_alive(const struct exchange *x)
{
    return x->keep_alive ? LOAD_KEPT_ALIVE : 0;
}

void account_ok(struct exchange *x, uint64_t now)
{
    struct client *c = x->client;
    struct loader *w = c->loader;
    struct tally *t = c->tally;
    const uint64_t latency = now - x->due_ns;

    if (x->warm) {
        w->warm.ok++;
        w->warm_in_flight--;
        record(x, now, LOAD_OK, kept_alive(x));
        return;
    }
    account_end(x, now);
    account_bytes(x);
    t->ok++;
    t->ok_in_window += now <= w->window_end_ns;
    t->status[x->status]++;
    w->interval.ok++;
    hist_record(&t->latency, latency);
    hist_record(&t->service_time, now - x->sent_first_ns);
    hist_record(&w->interval_latency, latency);
    hist_record(&w->by_class[class_of(x->status)], latency);
    record_phases(x, now);
    record(x, now, LOAD_OK, kept_alive(x));
}

static struct slice kept(const struct client *c)
{
    return slice_from(c->loader->keep + (size_t)c->index * c->loader->run->keep_max, c->keep_len);
}

/* A complete reply that failed a check (status, body) belongs to its status class, all else to "error". */
static bool has_complete_reply(const struct exchange *x, const struct failure *why)
{
    return x->head_complete && (why->kind == FAIL_STATUS || why->kind == FAIL_BODY || why->kind == FAIL_HEADER);
}

void account_failed(struct exchange *x, const struct failure *why, uint64_t now)
{
    struct client *c = x->client;
    struct loader *w = c->loader;
    const bool complete = has_complete_reply(x, why);
    const uint8_t flags = complete ? kept_alive(x) : 0;

    if (x->warm) {
        w->warm.failed++;
        w->warm_in_flight--;
        record(x, now, (uint8_t)why->kind, flags);
        return;
    }
    account_end(x, now);
    account_bytes(x);
    c->tally->failed++;
    w->failed_by_kind[why->kind]++;
    w->interval.failed++;
    w->interval.failed_by_kind[why->kind]++;
    if (complete)
        c->tally->status[x->status]++;
    hist_record(&w->by_class[complete ? class_of(x->status) : CLASS_ERROR], now - x->due_ns);
    failures_note(&w->failures, c->target_index, why, now,
                  &(struct failure_seen){ kept(c), w->in_hand, slice_from(x->rendered, x->rendered_len) });
    record(x, now, (uint8_t)why->kind, flags);
}

void account_unfinished(struct exchange *x, uint64_t now)
{
    struct client *c = x->client;
    struct loader *w = c->loader;
    struct tally *t = c->tally;

    if (x->warm) {
        w->warm.unfinished++;
        w->warm_in_flight--;
        return;
    }
    account_end(x, now);
    account_bytes(x);
    t->unfinished++;
    if (now - x->due_ns > t->oldest_unfinished_ns)
        t->oldest_unfinished_ns = now - x->due_ns;
    record(x, now, LOAD_OK, LOAD_UNFINISHED);
}
