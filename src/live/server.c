/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "live/server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "net/listen.h"

enum { REQUEST_MAX = 8192, REPLY_MAX_BYTES = 2 << 20, BACKLOG = 128, TICK_MS = 250 };

/* reading -> replying -> closing (our side is shut; what still comes is read away, so that the reply is not reset). */
enum conn_state { CONN_FREE, CONN_READING, CONN_REPLYING, CONN_CLOSING };

struct conn {
    enum conn_state state;
    int fd;
    uint64_t since_ns;
    char request[REQUEST_MAX];
    size_t request_len;
    struct buf reply;
    size_t written;
};

struct live_server {
    struct live_board *board;
    struct live_figures figures;
    pthread_t thread;
    int listener, wake;
    struct conn conns[LIVE_CONNECTIONS];
};

static void conn_close(struct conn *c)
{
    if (c->state == CONN_FREE)
        return;
    close(c->fd);
    buf_release(&c->reply);
    c->state = CONN_FREE;
}

static struct conn *place_for_one(struct live_server *s)
{
    struct conn *oldest = &s->conns[0];

    for (size_t i = 0; i < LIVE_CONNECTIONS; i++) {
        struct conn *c = &s->conns[i];

        if (c->state == CONN_FREE)
            return c;
        if (c->since_ns < oldest->since_ns)
            oldest = c;
    }
    conn_close(oldest);
    return oldest;
}

static void accept_some(struct live_server *s)
{
    for (int i = 0; i < LIVE_CONNECTIONS; i++) {
        const int fd = listen_accept(s->listener, NULL);
        struct conn *c;

        if (fd < 0)
            return;
        c = place_for_one(s);
        c->fd = fd;
        c->state = CONN_READING;
        c->since_ns = clock_now_ns();
        c->request_len = c->written = 0;
        buf_init(&c->reply, REPLY_MAX_BYTES);
    }
}

static void conn_write(struct conn *c)
{
    const ssize_t n = send(c->fd, c->reply.data + c->written, c->reply.len - c->written, MSG_NOSIGNAL);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        conn_close(c);
        return;
    }
    c->written += (size_t)n;
    if (c->written < c->reply.len)
        return;
    shutdown(c->fd, SHUT_WR);
    c->state = CONN_CLOSING;
}

static void conn_read(struct live_server *s, struct conn *c)
{
    const ssize_t n = recv(c->fd, c->request + c->request_len, sizeof(c->request) - c->request_len, 0);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        conn_close(c);
        return;
    }
    c->request_len += (size_t)n;
    live_board_copy(s->board, &s->figures);
    if (live_answer(&c->reply, slice_from(c->request, c->request_len), &s->figures)) {
        c->state = CONN_REPLYING;
        conn_write(c);
    } else if (c->request_len == sizeof(c->request)) {
        conn_close(c);
    }
}

static void conn_drain(struct conn *c)
{
    const ssize_t n = recv(c->fd, c->request, sizeof(c->request), 0);

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        conn_close(c);
}

static void conn_event(struct live_server *s, struct conn *c)
{
    if (c->state == CONN_READING)
        conn_read(s, c);
    else if (c->state == CONN_REPLYING)
        conn_write(c);
    else if (c->state == CONN_CLOSING)
        conn_drain(c);
}

static void close_late(struct live_server *s, uint64_t now)
{
    for (size_t i = 0; i < LIVE_CONNECTIONS; i++)
        if (s->conns[i].state != CONN_FREE && now - s->conns[i].since_ns > LIVE_PATIENCE_NS)
            conn_close(&s->conns[i]);
}

/* One turn; false: it is over. */
static bool turn(struct live_server *s)
{
    struct pollfd fds[LIVE_CONNECTIONS + 2] = { { s->wake, POLLIN, 0 }, { s->listener, POLLIN, 0 } };
    struct conn *conns[LIVE_CONNECTIONS];
    nfds_t count = 2;
    const struct timespec calm = { .tv_nsec = 20 * NS_PER_MS };

    for (size_t i = 0; i < LIVE_CONNECTIONS; i++) {
        struct conn *c = &s->conns[i];

        if (c->state == CONN_FREE)
            continue;
        conns[count - 2] = c;
        fds[count++] = (struct pollfd){ c->fd, c->state == CONN_REPLYING ? POLLOUT : POLLIN, 0 };
    }
    if (poll(fds, count, count > 2 ? TICK_MS : -1) < 0)
        return errno == EINTR;
    if (fds[0].revents != 0)
        return false;
    for (nfds_t i = 2; i < count; i++)
        if (fds[i].revents != 0)
            conn_event(s, conns[i - 2]);
    close_late(s, clock_now_ns());
    if (fds[1].revents != 0) {
        accept_some(s);
        /* Whoever connects as fast as they can costs no more than this many turns. */
        nanosleep(&calm, NULL);
    }
    return true;
}

static void *serve(void *arg)
{
    struct live_server *s = arg;

    while (turn(s))
        continue;
    for (size_t i = 0; i < LIVE_CONNECTIONS; i++)
        conn_close(&s->conns[i]);
    return NULL;
}

/* Signals are for the threads that were there before. */
static int start_thread(struct live_server *s)
{
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&s->thread, NULL, serve, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc == 0)
        pthread_setname_np(s->thread, "live-http");
    return rc;
}

int live_server_start(struct live_server **out, const struct addr *on, struct live_board *board, struct addr *bound,
                      struct err *err)
{
    struct live_server *s = calloc(1, sizeof(*s));
    int rc;

    *out = NULL;
    if (s == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for --live-http");
    s->board = board;
    if (listen_open(&s->listener, on, false, BACKLOG, bound, err) != 0) {
        free(s);
        return -1;
    }
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rc = s->wake < 0 ? errno : start_thread(s);
    if (rc != 0) {
        close(s->listener);
        if (s->wake >= 0)
            close(s->wake);
        free(s);
        return err_set(err, ERR_SYSTEM, rc, "cannot start the thread of --live-http");
    }
    *out = s;
    return 0;
}

void live_server_stop(struct live_server *s)
{
    if (s == NULL)
        return;
    (void)eventfd_write(s->wake, 1);
    pthread_join(s->thread, NULL);
    close(s->listener);
    close(s->wake);
    free(s);
}
