/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server.h"

#include "conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SERVER_EVENTS = 512, SERVER_ACCEPTS_PER_TURN = 64, SERVER_SPARSE_BYTES = 4 << 20 };

struct listener {
    struct source source;
    struct server *server;
    struct listener *next;
    size_t number;
    bool control;
};

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un path;
};

void server_watch(struct server *s, struct source *source, uint32_t events, bool first)
{
    struct epoll_event event = { .events = events, .data.ptr = source };

    if (epoll_ctl(s->epoll, first ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, source->fd, &event))
        script_die("epoll_ctl: %s", strerror(errno));
}

static void on_stop(struct source *source, uint32_t events)
{
    struct server *s = (struct server *)((char *)source - offsetof(struct server, stop));

    (void)events;
    s->stopping = true;
}

static void watch_signals(struct server *s)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    s->stop = (struct source){ .fd = signalfd(-1, &set, SFD_CLOEXEC), .on_ready = on_stop };
    server_watch(s, &s->stop, EPOLLIN, true);
}

void server_init(struct server *s)
{
    struct rlimit files;

    memset(s, 0, sizeof *s);
    script_init(&s->script);
    s->record = -1;
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    s->sparse = memfd_create("zeroes", MFD_CLOEXEC);
    if (s->epoll < 0 || s->sparse < 0 || ftruncate(s->sparse, SERVER_SPARSE_BYTES))
        script_die("cannot start: %s", strerror(errno));
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    (void)prctl(PR_SET_TIMERSLACK, 1);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    watch_signals(s);
}

static socklen_t parse_address(union address *a, const char *text, unsigned port)
{
    memset(a, 0, sizeof *a);
    if (strncmp(text, "unix:", 5) == 0 && strlen(text + 5) < sizeof a->path.sun_path) {
        a->path.sun_family = AF_UNIX;
        memcpy(a->path.sun_path, text + 5, strlen(text + 5) + 1);
        return sizeof a->path;
    }
    if (inet_pton(AF_INET, text, &a->v4.sin_addr) == 1) {
        a->v4.sin_family = AF_INET;
        a->v4.sin_port = htons((uint16_t)port);
        return sizeof a->v4;
    }
    if (inet_pton(AF_INET6, text, &a->v6.sin6_addr) == 1) {
        a->v6.sin6_family = AF_INET6;
        a->v6.sin6_port = htons((uint16_t)port);
        return sizeof a->v6;
    }
    script_die("not an address: %s", text);
}

static void serve_control(struct server *s, int fd)
{
    FILE *out = fdopen(fd, "w");

    if (!out) {
        close(fd);
        return;
    }
    counts_print(&s->counts, out);
    fclose(out);
}

static void on_accept(struct source *source, uint32_t events)
{
    struct listener *l = (struct listener *)source;

    (void)events;
    for (int i = 0; i < SERVER_ACCEPTS_PER_TURN; i++) { /* the others want their turn as well */
        int fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC | (l->control ? 0 : SOCK_NONBLOCK));
        if (fd < 0)
            return;
        if (l->control)
            serve_control(l->server, fd);
        else
            conn_new(l->server, fd, l->number);
    }
}

/* Two connections that are never accepted: the queue of a backlog of 0 has room for one. */
static void fill_queue(const union address *a, socklen_t len)
{
    for (int i = 0; i < 2; i++) {
        int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0 || (connect(fd, &a->any, len) && errno != EINPROGRESS))
            script_die("cannot fill the queue: %s", strerror(errno));
    }
}

static struct listener *new_listener(struct server *s, int fd, bool control)
{
    struct listener *l = calloc(1, sizeof *l);

    if (!l)
        script_die("out of memory");
    if (!control && s->counts.listener_count == COUNTS_LISTENERS_MAX)
        script_die("more than %d listeners", COUNTS_LISTENERS_MAX);
    l->source = (struct source){ .fd = fd, .on_ready = on_accept };
    l->server = s;
    l->control = control;
    l->number = control ? 0 : s->counts.listener_count++;
    l->next = s->listeners;
    s->listeners = l;
    return l;
}

static unsigned port_of(const union address *a)
{
    if (a->any.sa_family == AF_INET)
        return ntohs(a->v4.sin_port);
    return a->any.sa_family == AF_INET6 ? ntohs(a->v6.sin6_port) : 0;
}

unsigned server_listen(struct server *s, const struct listen_options *options)
{
    const int on = 1;
    union address a;
    socklen_t len = parse_address(&a, options->address, options->same_port);
    int fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct listener *l;

    if (fd < 0)
        script_die("socket: %s", strerror(errno));
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, &a.any, len) || listen(fd, options->dead ? 0 : 65535) || getsockname(fd, &a.any, &len))
        script_die("cannot listen on %s: %s", options->address, strerror(errno));
    l = new_listener(s, fd, options->control);
    if (options->dead)
        fill_queue(&a, len);
    else
        server_watch(s, &l->source, EPOLLIN, true);
    return port_of(&a);
}

/* How long epoll may sleep; NULL: for ever. */
static const struct timespec *until_next(const struct server *s, struct timespec *out)
{
    const struct alarm *first = alarms_first(&s->alarms);
    uint64_t now = alarms_now_ns();
    uint64_t left;

    if (!first)
        return NULL;
    left = first->at_ns > now ? first->at_ns - now : 0;
    out->tv_sec = (time_t)(left / 1000000000u);
    out->tv_nsec = (long)(left % 1000000000u);
    return out;
}

static void ring(struct server *s)
{
    uint64_t now = alarms_now_ns();

    for (struct alarm *a = alarms_first(&s->alarms); a && a->at_ns <= now; a = alarms_first(&s->alarms)) {
        alarms_cancel(&s->alarms, a);
        conn_on_alarm(a);
    }
}

void server_run(struct server *s)
{
    struct epoll_event events[SERVER_EVENTS];

    while (!s->stopping) {
        struct timespec left;
        int n = epoll_pwait2(s->epoll, events, SERVER_EVENTS, until_next(s, &left), NULL);
        for (int i = 0; i < n; i++) {
            struct source *source = events[i].data.ptr;
            source->on_ready(source, events[i].events);
        }
        ring(s);
        conn_free_closed(s);
    }
}

/* Connections that are still open go with the process: the client must not see them end before the counts are out. */
void server_release(struct server *s)
{
    while (s->listeners) {
        struct listener *l = s->listeners;
        s->listeners = l->next;
        close(l->source.fd);
        free(l);
    }
    alarms_release(&s->alarms);
    script_release(&s->script);
    free(s->counts.arrivals_ns);
    if (s->record >= 0)
        close(s->record);
    close(s->sparse);
    close(s->stop.fd);
    close(s->epoll);
}
