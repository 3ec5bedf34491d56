/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/listen.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define PORT_RANGE_FILE "/proc/sys/net/ipv4/ip_local_port_range"
#define FIRST_FREE_PORT 1024

static int refuse(const struct addr *on, int sys, struct err *err)
{
    char text[ADDR_TEXT_MAX];

    err_set(err, ERR_SYSTEM, sys, "cannot listen on %s", addr_format(text, on));
    if (sys == EADDRINUSE) {
        return err_hint(
            err, "another process listens there (ss -ltnp shows it): choose another port, or 0 for any free one");
    }
    if (sys == EACCES && on->sa.any.sa_family != AF_UNIX) {
        return err_hint(err, "a port below %d needs privileges: choose one above 1023", FIRST_FREE_PORT);
    }
    if (sys == EADDRNOTAVAIL) {
        return err_hint(err, "this machine does not have that address (ip address shows those it has)");
    }
    return -1;
}

static int prepare(int fd, const struct addr *on, bool shared)
{
    int yes = 1;

    if (on->sa.any.sa_family == AF_UNIX) {
        return 0;
    }
    /* Accepted sockets inherit TCP_NODELAY. */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)) != 0) {
        return -1;
    }
    return shared ? setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes)) : 0;
}

int listen_open(int *fd, const struct addr *on, bool shared, int backlog, struct addr *bound, struct err *err)
{
    int s = socket(on->sa.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int sys;

    *fd = -1;
    if (s < 0) {
        return refuse(on, errno, err);
    }
    *bound = *on;
    bound->len = sizeof(bound->sa);
    if (prepare(s, on, shared) != 0 || bind(s, &on->sa.any, on->len) != 0 || listen(s, backlog) != 0 ||
        getsockname(s, &bound->sa.any, &bound->len) != 0) {
        sys = errno;
        close(s);
        return refuse(on, sys, err);
    }
    *fd = s;
    return 0;
}

int listen_accept(int fd, struct addr *peer)
{
    int s;

    do {
        if (peer != NULL) {
            *peer = (struct addr){ .len = sizeof(peer->sa) };
        }
        s = accept4(fd, peer != NULL ? &peer->sa.any : NULL, peer != NULL ? &peer->len : NULL,
                    SOCK_NONBLOCK | SOCK_CLOEXEC);
    } while (s < 0 && (errno == EINTR || errno == ECONNABORTED));
    return s;
}

uint64_t net_raise_open_files(void)
{
    struct rlimit limit;
    rlim_t before;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 0;
    }
    before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    return before == limit.rlim_max || setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
}

int net_port_range(unsigned *low, unsigned *high, struct err *err)
{
    FILE *f = fopen(PORT_RANGE_FILE, "re");
    int fields;

    if (f == NULL) {
        return err_set(err, ERR_SYSTEM, errno, "cannot read %s", PORT_RANGE_FILE);
    }
    fields = fscanf(f, "%u %u", low, high);
    fclose(f);
    if (fields != 2) {
        return err_set(err, ERR_SYSTEM, 0, "cannot read %s: not two numbers", PORT_RANGE_FILE);
    }
    return 0;
}
