/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/addr.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>

#include "base/clock.h"

static void add_unique(struct addr_list *list, const struct addr *a)
{
    for (size_t i = 0; i < list->count; i++) {
        if (addr_equal(&list->items[i], a)) {
            return;
        }
    }
    if (list->count < ADDR_LIST_MAX) {
        list->items[list->count++] = *a;
    }
}

static void add_answer(struct addr_list *list, const struct addrinfo *answer, uint16_t port)
{
    struct addr a = { 0 };

    if (answer->ai_addrlen > sizeof(a.sa)) {
        return;
    }
    memcpy(&a.sa, answer->ai_addr, answer->ai_addrlen);
    a.len = answer->ai_addrlen;
    if (answer->ai_family == AF_INET) {
        a.sa.v4.sin_port = htons(port);
    } else if (answer->ai_family == AF_INET6) {
        a.sa.v6.sin6_port = htons(port);
    } else {
        return;
    }
    add_unique(list, &a);
}

static int resolve_literal(struct addr_list *out, const struct addr *a, struct slice host, int family, struct err *err)
{
    if (family != AF_UNSPEC && family != a->sa.any.sa_family) {
        return err_set(err, ERR_CONFIG, 0, "dns: %.*s: not an %s address", SLICE_FMT(host),
                       family == AF_INET ? "IPv4" : "IPv6");
    }
    out->items[0] = *a;
    out->count = 1;
    return 0;
}

static int lookup(struct addr_list *out, const char *name, uint16_t port, int family, struct err *err)
{
    struct addrinfo hints = { .ai_family = family, .ai_socktype = SOCK_STREAM };
    struct addrinfo *answers = NULL;
    int rc = getaddrinfo(name, NULL, &hints, &answers);

    if (rc != 0) {
        int sys = rc == EAI_SYSTEM ? errno : 0;

        return err_set(err, ERR_CONFIG, sys, "dns: %s: %s", name, gai_strerror(rc));
    }
    for (const struct addrinfo *a = answers; a != NULL; a = a->ai_next) {
        add_answer(out, a, port);
    }
    freeaddrinfo(answers);
    if (out->count == 0) {
        return err_set(err, ERR_CONFIG, 0, "dns: %s: no address of a kind we can use", name);
    }
    return 0;
}

int addr_resolve(struct addr_list *out, struct slice host, uint16_t port, int family, struct err *err)
{
    char name[NI_MAXHOST];
    struct addr literal;
    uint64_t start;
    int rc;

    out->count = 0;
    out->lookup_ns = 0;
    if (addr_parse(&literal, host, port, NULL) == 0) {
        return resolve_literal(out, &literal, host, family, err);
    }
    if (host.len == 0 || host.len >= sizeof(name) || memchr(host.ptr, '\0', host.len) != NULL) {
        return err_set(err, ERR_CONFIG, 0, "dns: %.*s: not a host name", SLICE_FMT(host));
    }
    memcpy(name, host.ptr, host.len);
    name[host.len] = '\0';
    start = clock_now_ns();
    rc = lookup(out, name, port, family, err);
    out->lookup_ns = clock_now_ns() - start;
    return rc;
}
