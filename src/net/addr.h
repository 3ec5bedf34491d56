/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Socket addresses and names. */
#ifndef PLIMSOLL_NET_ADDR_H
#define PLIMSOLL_NET_ADDR_H

#include "base/err.h"
#include "base/slice.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

struct addr {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un unix_path;
    } sa;
    socklen_t len;
};

#define ADDR_TEXT_MAX 128
/* "127.0.0.1:80", "[::1]:80", "unix:/path". */
const char *addr_format(char out[ADDR_TEXT_MAX], const struct addr *a);
bool addr_equal(const struct addr *a, const struct addr *b);
/* A literal IPv4 or IPv6 address (brackets allowed) with a port. */
MUST_CHECK int addr_parse(struct addr *out, struct slice literal, uint16_t port, struct err *err);
/* "HOST:PORT", "[::1]:PORT", ":PORT", "PORT" of a listener; literal addresses and localhost. */
MUST_CHECK int addr_parse_listen(struct addr *out, struct slice text, struct err *err);
MUST_CHECK int addr_unix(struct addr *out, struct slice path, struct err *err);

#define ADDR_LIST_MAX 64
struct addr_list {
    struct addr items[ADDR_LIST_MAX];
    size_t count;
    uint64_t lookup_ns; /* what the lookup took; 0 for literals and overrides */
};

/* Blocking lookup (getaddrinfo), in the resolver's order, duplicates removed. family is AF_UNSPEC, AF_INET or AF_INET6.
 * ERR_CONFIG with "dns: NAME: reason" when it fails. */
MUST_CHECK int addr_resolve(struct addr_list *out, struct slice host, uint16_t port, int family, struct err *err);

/* From here on the calling thread's lookups ask these (IPv4, at most three) instead of the system's name servers. */
MUST_CHECK int addr_use_nameservers(const struct addr *servers, size_t count, struct err *err);

#endif
