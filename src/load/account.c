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

void account_start(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;

    if (c->warm) {
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

/* A connection is established; those of the ramp count in the figures even when a warm-up follows. */
void account_connection(struct client *c)
{
    struct loader *w = c->loader;
    const bool tls = c->tls_done_ns != 0;

    w->connections_by_address[c->address_slot]++;
    if (c->warm && !c->in_ramp)
        return;
    c->tally->connections_opened++;
    hist_record(&w->phases[PHASE_CONNECT], c->connected_ns - c->connect_start_ns);
    if (!tls)
        return;
    c->tally->tls_handshakes++;
    if (stream_tls_resumed(&c->stream))
        c->tally->tls_resumed++;
    hist_record(&w->phases[PHASE_TLS], c->tls_done_ns - c->connected_ns);
}

static enum reply_class class_of(uint16_t status)
{
    return status >= 200 && status < 600 ? (enum reply_class)(status / 100 - 1) : CLASS_ERROR;
}

static void record(const struct client *c, uint64_t now, uint8_t fail, uint8_t flags)
{
    struct loader *w = c->loader;
    struct load_record r;

    if (w->ring._slots == NULL)
        return;
    r = (struct load_record){ .due_ns = c->due_ns,
                              .connect_start_ns = c->record_reused ? 0 : c->connect_start_ns,
                              .connected_ns = c->record_reused ? 0 : c->connected_ns,
                              .tls_done_ns = c->record_reused ? 0 : c->tls_done_ns,
                              .sent_first_ns = c->sent_first_ns,
                              .sent_last_ns = c->sent_last_ns,
                              .reply_first_ns = c->reply_first_ns,
                              .end_ns = now,
                              .bytes_received = c->bytes_received,
                              .body_bytes = c->reply.body_bytes,
                              .connection = c->ordinal + c->connection_number * c->loader->run->plan->connections,
                              .target = (uint16_t)c->target_index,
                              .status = c->reply.head_complete ? c->reply.status : 0,
                              .fail = fail,
                              .flags = (uint8_t)(flags | (c->record_reused ? LOAD_REUSED : 0) |
                                                 (c->warm ? LOAD_WARMUP : 0) | (c->retried ? LOAD_RETRIED : 0)) };
    record_ring_push(&w->ring, &r);
}

/* What every end of a request has in common, for those that count. */
static void account_end(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;
    const uint64_t end = now < w->window_end_ns ? now : w->window_end_ns;
    const uint64_t begin = c->taken_ns > w->window_start_ns ? c->taken_ns : w->window_start_ns;

    roll_if_due(w, now);
    account_time(w, now);
    w->in_flight--;
    if (end > begin)
        c->tally->in_window_ns += end - begin;
    w->last_end_ns = now;
}

static void account_bytes(struct client *c)
{
    struct tally *t = c->tally;

    t->bytes_received += c->bytes_received;
    t->body_bytes_received += c->reply.body_bytes;
    t->interim_replies += c->reply.interim;
    c->loader->interval.bytes += c->bytes_received;
}

static void record_phases(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;

    hist_record(&w->phases[PHASE_SEND], c->sent_last_ns - c->sent_first_ns);
    /* A reply may begin before the request is out. */
    hist_record(&w->phases[PHASE_WAIT], c->reply_first_ns > c->sent_last_ns ? c->reply_first_ns - c->sent_last_ns : 0);
    hist_record(&w->phases[PHASE_RECEIVE], now - c->reply_first_ns);
}

void account_ok(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;
    struct tally *t = c->tally;
    const uint64_t latency = now - c->due_ns;

    if (c->warm) {
        w->warm.ok++;
        w->warm_in_flight--;
        record(c, now, LOAD_OK, c->reply.keep_alive ? LOAD_KEPT_ALIVE : 0);
        return;
    }
    account_end(c, now);
    account_bytes(c);
    t->ok++;
    t->ok_in_window += now <= w->window_end_ns;
    t->status[c->reply.status]++;
    w->interval.ok++;
    hist_record(&t->latency, latency);
    hist_record(&t->service_time, now - c->sent_first_ns);
    hist_record(&w->interval_latency, latency);
    hist_record(&w->by_class[class_of(c->reply.status)], latency);
    record_phases(c, now);
    record(c, now, LOAD_OK, c->reply.keep_alive ? LOAD_KEPT_ALIVE : 0);
}

static struct slice kept(const struct client *c)
{
    return slice_from(c->loader->keep + (size_t)c->index * c->loader->run->keep_max, c->keep_len);
}

/* A complete reply that failed a check (status, body) belongs to its status class, all else to "error". */
static bool has_complete_reply(const struct client *c, const struct failure *why)
{
    return c->reply.head_complete && (why->kind == FAIL_STATUS || why->kind == FAIL_BODY);
}

void account_failed(struct client *c, const struct failure *why, uint64_t now)
{
    struct loader *w = c->loader;
    const bool complete = has_complete_reply(c, why);

    if (c->warm) {
        w->warm.failed++;
        w->warm_in_flight--;
        record(c, now, (uint8_t)why->kind, complete && c->reply.keep_alive ? LOAD_KEPT_ALIVE : 0);
        return;
    }
    account_end(c, now);
    account_bytes(c);
    c->tally->failed++;
    w->interval.failed++;
    if (complete)
        c->tally->status[c->reply.status]++;
    hist_record(&w->by_class[complete ? class_of(c->reply.status) : CLASS_ERROR], now - c->due_ns);
    failures_note(&w->failures, c->target_index, why, now, kept(c), w->in_hand);
    record(c, now, (uint8_t)why->kind, complete && c->reply.keep_alive ? LOAD_KEPT_ALIVE : 0);
}

void account_unfinished(struct client *c, uint64_t now)
{
    struct loader *w = c->loader;
    struct tally *t = c->tally;

    if (c->warm) {
        w->warm.unfinished++;
        w->warm_in_flight--;
        return;
    }
    account_end(c, now);
    account_bytes(c);
    t->unfinished++;
    if (now - c->due_ns > t->oldest_unfinished_ns)
        t->oldest_unfinished_ns = now - c->due_ns;
    record(c, now, LOAD_OK, LOAD_UNFINISHED);
}
