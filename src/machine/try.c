/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/machine.h"

#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "stats/hist.h"

enum { READINGS = 2000, BATCHES = 10, TRIPS = 200 };
#define TRIPS_MAX_NS (NS_PER_S / 2)

/* The quickest batch: the others were disturbed. */
static double reading_ns(void)
{
    double best = (double)INFINITY;

    for (int b = 0; b < BATCHES; b++) {
        const uint64_t begin = clock_now_ns();

        for (int i = 0; i < READINGS; i++)
            (void)clock_now_ns();
        best = fmin(best, (double)(clock_now_ns() - begin) / (READINGS + 1));
    }
    return best;
}

static void try_clock(struct machine_facts *f)
{
    struct timespec step;
    struct timex t = { 0 };
    const int state = adjtimex(&t);

    f->clock_read_ns = reading_ns();
    if (clock_getres(CLOCK_MONOTONIC, &step) == 0)
        f->clock_resolution_ns = (double)step.tv_sec * NS_PER_S + (double)step.tv_nsec;
    if (state < 0)
        return;
    f->wall_synced = state != TIME_ERROR && (t.status & STA_UNSYNC) == 0;
    f->wall_error_s = (double)t.maxerror / 1e6;
}

struct pair {
    int listener, near, far;
};

/* Bounded in every call: a kernel that drops packets to itself must not hold us. */
static bool limit_waits(int fd)
{
    const struct timeval most = { .tv_usec = 500000 };
    const int on = 1;

    return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)) == 0 &&
           setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most)) == 0 &&
           setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0;
}

static bool connect_pair(struct pair *p)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof(at);

    p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    p->near = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (p->listener < 0 || p->near < 0 || !limit_waits(p->listener) || !limit_waits(p->near) ||
        bind(p->listener, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(p->listener, 1) != 0 ||
        getsockname(p->listener, (struct sockaddr *)&at, &length) != 0 ||
        connect(p->near, (struct sockaddr *)&at, length) != 0)
        return false;
    p->far = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
    return p->far >= 0 && limit_waits(p->far);
}

static bool go_there_and_back(const struct pair *p)
{
    char byte = 'x';

    return send(p->near, &byte, 1, MSG_NOSIGNAL) == 1 && recv(p->far, &byte, 1, 0) == 1 &&
           send(p->far, &byte, 1, MSG_NOSIGNAL) == 1 && recv(p->near, &byte, 1, 0) == 1;
}

static void try_loopback(struct machine_facts *f)
{
    struct pair p = { -1, -1, -1 };
    struct hist *trips = NULL;
    uint64_t begin, now;
    bool ok;

    ok = hist_new(&trips, NULL) == 0 && connect_pair(&p);
    begin = now = clock_now_ns();
    for (int i = 0; i < TRIPS && ok && now - begin < TRIPS_MAX_NS; i++) {
        const uint64_t sent = clock_now_ns();

        ok = go_there_and_back(&p);
        now = clock_now_ns();
        if (ok)
            hist_record(trips, now - sent);
    }
    if (trips != NULL && hist_count(trips) > 0)
        f->round_trip_p50_ns = (double)hist_value_at(trips, 50);
    hist_free(trips);
    for (size_t i = 0; i < 3; i++)
        if ((const int[]){ p.listener, p.near, p.far }[i] >= 0)
            close((const int[]){ p.listener, p.near, p.far }[i]);
}

void machine_try(struct machine_facts *f)
{
    try_clock(f);
    try_loopback(f);
}
