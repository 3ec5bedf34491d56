/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "conn.h"

#include "asked.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONN_WAITING_MAX = 16, SPARSE_BYTES = 4 << 20 };

struct waiting {
    unsigned reply;
    uint64_t index; /* of the request, from 1; 0: the greeting */
};

struct conn {
    struct source source;
    struct server *server;
    struct conn *next_closed;
    size_t listener;
    uint64_t number; /* in order of acceptance, from 1 */
    struct asked asked;
    uint64_t requests;
    struct waiting waiting[CONN_WAITING_MAX]; /* [0] is being answered */
    size_t waiting_count;
    bool playing; /* the reply's own delay is over */
    bool hung;    /* a \{hang}: no step follows */
    bool fin_sent;
    bool closed;
    size_t step;
    uint64_t offset;    /* in the step */
    uint64_t piece_end; /* BYTES: where the next pause comes */
    struct alarm alarm;
    uint32_t events;
};

enum play { PLAY_ON, PLAY_LATER, PLAY_ENDED };

static void watch(struct conn *c, uint32_t events)
{
    if (events == c->events)
        return;
    c->events = events;
    server_watch(c->server, &c->source, events, false);
}

static void end(struct conn *c)
{
    if (c->closed)
        return;
    c->closed = true;
    alarms_cancel(&c->server->alarms, &c->alarm);
    close(c->source.fd);
    c->server->counts.open--;
    c->next_closed = c->server->closed;
    c->server->closed = c;
}

static void reset(struct conn *c)
{
    const struct linger abort = { .l_onoff = 1, .l_linger = 0 };

    (void)setsockopt(c->source.fd, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
    end(c);
}

static void pause_for(struct conn *c, uint64_t ns)
{
    alarms_set(&c->server->alarms, &c->alarm, alarms_now_ns() + ns);
}

/* How far the bytes of a step may be written before a pause. */
static uint64_t next_piece(const struct conn *c, const struct step *step)
{
    const struct script *script = &c->server->script;
    uint64_t at = script->split_at;

    if (script->split == SPLIT_BYTES)
        return c->offset + 1 < step->amount ? c->offset + 1 : step->amount;
    if (script->split == SPLIT_NONE || c->step != 0)
        return step->amount;
    if (script->split == SPLIT_EACH)
        at = c->waiting[0].index % step->amount;
    return c->offset < at && at < step->amount ? at : step->amount;
}

/* What came of a write: go on, wait for room, or the client is gone. */
static enum play after_write(struct conn *c, ssize_t n)
{
    if (n >= 0) {
        c->offset += (uint64_t)n;
        c->server->counts.bytes_out += (uint64_t)n;
        return PLAY_ON;
    }
    if (errno == EAGAIN || errno == EINTR) {
        watch(c, EPOLLIN | EPOLLOUT);
        return PLAY_LATER;
    }
    c->server->counts.client_resets += errno == ECONNRESET;
    c->server->counts.abandoned++;
    end(c);
    return PLAY_ENDED;
}

static enum play play_bytes(struct conn *c, const struct step *step)
{
    enum play play;

    if (c->offset >= c->piece_end)
        c->piece_end = next_piece(c, step);
    play = after_write(c,
                       send(c->source.fd, step->bytes + c->offset, (size_t)(c->piece_end - c->offset), MSG_NOSIGNAL));
    if (play != PLAY_ON || c->offset < c->piece_end || c->offset == step->amount)
        return play;
    pause_for(c, c->server->script.pause_ns);
    return PLAY_LATER;
}

static enum play play_file(struct conn *c, const struct step *step)
{
    uint64_t left = step->amount - c->offset;
    off_t from = 0;

    return after_write(
        c, sendfile(c->source.fd, c->server->sparse, &from, left < SPARSE_BYTES ? (size_t)left : SPARSE_BYTES));
}

static void next_step(struct conn *c)
{
    c->step++;
    c->offset = 0;
    c->piece_end = 0;
}

static enum play play_step(struct conn *c, const struct step *step)
{
    switch (step->kind) {
    case STEP_BYTES:
    case STEP_FILE: {
        enum play play = step->kind == STEP_BYTES ? play_bytes(c, step) : play_file(c, step);
        if (play != PLAY_ENDED && c->offset == step->amount)
            next_step(c);
        return play;
    }
    case STEP_WAIT:
        next_step(c);
        pause_for(c, step->amount);
        return PLAY_LATER;
    case STEP_FIN:
        next_step(c);
        (void)shutdown(c->source.fd, SHUT_WR);
        c->fin_sent = true;
        return PLAY_ON;
    case STEP_CLOSE:
        end(c);
        return PLAY_ENDED;
    case STEP_RESET:
        reset(c);
        return PLAY_ENDED;
    case STEP_HANG:
        c->hung = true;
        return PLAY_LATER;
    }
    return PLAY_ENDED;
}

static void next_reply(struct conn *c)
{
    c->waiting_count--;
    memmove(c->waiting, c->waiting + 1, c->waiting_count * sizeof *c->waiting);
    c->step = 0;
    c->offset = c->piece_end = 0;
    c->playing = false;
}

/* True when the reply has to wait for its time first. */
static bool delayed(struct conn *c)
{
    uint64_t ns = c->server->script.index_delay_ns * c->waiting[0].index;

    if (c->playing)
        return false;
    c->playing = true;
    if (ns)
        pause_for(c, ns);
    return ns != 0;
}

static void play(struct conn *c)
{
    while (c->waiting_count && !c->closed && !c->hung) {
        const struct reply_script *reply = &c->server->script.replies[c->waiting[0].reply];
        if (c->fin_sent || delayed(c))
            return;
        while (c->step < reply->count)
            if (play_step(c, &reply->steps[c->step]) != PLAY_ON)
                return;
        c->server->counts.replies++;
        next_reply(c);
    }
    if (!c->closed)
        watch(c, EPOLLIN);
}

static void enqueue(struct conn *c, unsigned reply, uint64_t index)
{
    if (c->waiting_count == CONN_WAITING_MAX) {
        end(c);
        return;
    }
    c->waiting[c->waiting_count++] = (struct waiting){ .reply = reply, .index = index };
    if (index && c->waiting_count > c->server->counts.outstanding_max)
        c->server->counts.outstanding_max = c->waiting_count;
}

static void on_request(struct conn *c)
{
    struct counts *counts = &c->server->counts;
    const struct request_facts facts = { .index = counts->heads,
                                         .on_connection = c->requests,
                                         .connection = c->number,
                                         .method = c->asked.method,
                                         .path = c->asked.path };
    unsigned reply = script_choose(&c->server->script, &facts);

    counts->by_reply[reply]++;
    enqueue(c, reply, facts.index);
}

static void on_event(struct conn *c, enum asked_event event)
{
    struct counts *counts = &c->server->counts;

    if (event == ASKED_BEGUN)
        counts->begun++;
    if (event == ASKED_HEAD_END) {
        counts->heads++;
        c->requests++;
        if (c->requests > counts->on_connection_max)
            counts->on_connection_max = c->requests;
        if (c->server->script.early)
            on_request(c);
    }
    if (event == ASKED_COMPLETE) {
        counts->requests++;
        counts->listeners[c->listener].requests++;
        counts->body_bytes_in += c->asked.body_bytes;
        counts_add_arrival(counts, alarms_now_ns());
        if (!c->server->script.early)
            on_request(c);
    }
}

static void take(struct conn *c, const char *bytes, size_t len)
{
    enum asked_event event;

    do {
        size_t used;
        event = asked_feed(&c->asked, bytes, len, &used);
        bytes += used;
        len -= used;
        on_event(c, event);
    } while (event != ASKED_MORE && !c->closed);
}

static void record(const struct server *s, const char *bytes, size_t len)
{
    if (s->record >= 0 && write(s->record, bytes, len) != (ssize_t)len)
        script_die("cannot write the recording");
}

static void on_client_end(struct conn *c, int error)
{
    struct counts *counts = &c->server->counts;

    counts->client_fins += error == 0;
    counts->client_resets += error == ECONNRESET;
    counts->abandoned += (c->waiting_count && c->waiting[0].index && !c->fin_sent) || c->asked.state != ASKED_NOTHING;
    end(c);
}

static void receive(struct conn *c)
{
    struct server *s = c->server;
    ssize_t n = recv(c->source.fd, s->scratch, sizeof s->scratch, 0);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        on_client_end(c, n < 0 ? errno : 0);
        return;
    }
    s->counts.bytes_in += (uint64_t)n;
    record(s, s->scratch, (size_t)n);
    take(c, s->scratch, (size_t)n);
}

static void on_ready(struct source *source, uint32_t events)
{
    struct conn *c = (struct conn *)source;

    if (!c->closed && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        receive(c);
    if (!c->closed && !c->alarm.place)
        play(c);
}

void conn_on_alarm(struct alarm *a)
{
    struct conn *c = a->owner;

    if (!c->closed)
        play(c);
}

void conn_new(struct server *server, int fd, size_t listener)
{
    const int on = 1;
    struct conn *c = calloc(1, sizeof *c);

    if (!c)
        script_die("out of memory");
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    c->source = (struct source){ .fd = fd, .on_ready = on_ready };
    c->server = server;
    c->listener = listener;
    c->alarm.owner = c;
    c->number = ++server->counts.accepted;
    server->counts.listeners[listener].accepted++;
    if (++server->counts.open > server->counts.open_max)
        server->counts.open_max = server->counts.open;
    asked_init(&c->asked);
    c->events = EPOLLIN;
    server_watch(server, &c->source, EPOLLIN, true);
    if (server->script.greet >= 0) {
        enqueue(c, (unsigned)server->script.greet, 0);
        play(c);
    }
}

void conn_free_closed(struct server *server)
{
    while (server->closed) {
        struct conn *c = server->closed;
        server->closed = c->next_closed;
        free(c);
    }
}
