/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/origins.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <stdio.h>

static struct origin *add(struct origins *o, struct slice host)
{
    if (o->count == ORIGINS_MAX || host.len == 0 || host.len >= sizeof(o->items[0].host)) {
        return NULL;
    }
    struct origin *one = &o->items[o->count++];
    *one = (struct origin){ 0 };
    snprintf(one->host, sizeof(one->host), "%.*s", SLICE_FMT(host));
    return one;
}

static int add_self_url(struct origins *o, const char *text, struct err *err)
{
    struct url url;

    if (url_parse(&url, slice_str(text), err) != 0) {
        return err_prefix(err, "--self-url");
    }
    struct origin *one = add(o, url.host);
    if (one == NULL) {
        return err_set(err, ERR_CONFIG, 0, "too many names of servers");
    }
    one->https = url.https;
    one->port = url.port;
    return 0;
}

/* "host", "host:80", "[::1]:80". */
static int add_upstream(struct origins *o, const char *text, struct err *err)
{
    struct buf as_url;
    struct url url;

    buf_init(&as_url, 4096);
    buf_printf(&as_url, "http://%s/", text);
    int rc = url_parse(&url, buf_slice(&as_url), err);
    if (rc != 0 || url.path.len != 1) {
        rc = err_set(err, ERR_CONFIG, 0, "--allow-upstream \"%s\" is not HOST or HOST:PORT", text);
    } else {
        struct origin *one = add(o, url.host);
        if (one == NULL) {
            rc = err_set(err, ERR_CONFIG, 0, "too many names of servers");
        } else {
            one->any_scheme = true;
            one->any_port = !url.has_port;
            one->port = url.port;
        }
    }
    buf_release(&as_url);
    return rc;
}

int origins_init(struct origins *o, const struct serve_config *config, struct err *err)
{
    o->count = 0;
    for (size_t i = 0; i < config->self_urls.count; i++) {
        if (add_self_url(o, config->self_urls.items[i], err) != 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < config->allow_upstream.count; i++) {
        if (add_upstream(o, config->allow_upstream.items[i], err) != 0) {
            return -1;
        }
    }
    return 0;
}

static void add_address(struct origins *o, const struct sockaddr *a, uint16_t port, bool tls)
{
    char text[INET6_ADDRSTRLEN];
    const void *bytes = a->sa_family == AF_INET
                            ? (const void *)&((const struct sockaddr_in *)(const void *)a)->sin_addr
                            : (const void *)&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;

    if (inet_ntop(a->sa_family, bytes, text, sizeof(text)) == NULL) {
        return;
    }
    struct origin *one = add(o, slice_str(text));
    if (one != NULL) {
        one->https = tls;
        one->port = port;
        one->ours = true;
    }
}

static bool is_wildcard(const struct addr *a)
{
    return a->sa.any.sa_family == AF_INET ? a->sa.v4.sin_addr.s_addr == htonl(INADDR_ANY)
                                          : IN6_IS_ADDR_UNSPECIFIED(&a->sa.v6.sin6_addr);
}

void origins_add_listener(struct origins *o, const struct addr *a, bool tls)
{
    uint16_t port = ntohs(a->sa.any.sa_family == AF_INET ? a->sa.v4.sin_port : a->sa.v6.sin6_port);
    struct ifaddrs *all = NULL;

    add_address(o, &a->sa.any, port, tls);
    struct origin *localhost = add(o, SLICE("localhost")); /* called as 127.0.0.1, and only then */
    if (localhost != NULL) {
        localhost->https = tls;
        localhost->port = port;
        localhost->ours = true;
    }
    if (!is_wildcard(a) || getifaddrs(&all) != 0) {
        return;
    }
    for (const struct ifaddrs *i = all; i != NULL; i = i->ifa_next) {
        if (i->ifa_addr != NULL && (i->ifa_addr->sa_family == AF_INET || i->ifa_addr->sa_family == AF_INET6)) {
            add_address(o, i->ifa_addr, port, tls);
        }
    }
    freeifaddrs(all);
}

void origins_self_url(char *out, size_t size, const struct addr *a, bool tls)
{
    struct addr to = *a;
    char text[ADDR_TEXT_MAX];

    if (is_wildcard(a) && a->sa.any.sa_family == AF_INET) {
        to.sa.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    } else if (is_wildcard(a)) {
        to.sa.v6.sin6_addr = in6addr_loopback;
    }
    snprintf(out, size, "%s://%s", tls ? "https" : "http", addr_format(text, &to));
}

const struct origin *origins_find(const struct origins *o, const struct url *base)
{
    for (size_t i = 0; i < o->count; i++) {
        const struct origin *one = &o->items[i];
        if (slice_eq_nocase(base->host, slice_str(one->host)) && (one->any_port || one->port == base->port) &&
            (one->any_scheme || one->https == base->https)) {
            return one;
        }
    }
    return NULL;
}
