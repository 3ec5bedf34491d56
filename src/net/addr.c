/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/addr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The longest literal address is shorter than this. */
enum { LITERAL_MAX = 64 };

const char *addr_format(char out[ADDR_TEXT_MAX], const struct addr *a)
{
    char host[INET6_ADDRSTRLEN] = "?";

    switch (a->sa.any.sa_family) {
    case AF_INET:
        inet_ntop(AF_INET, &a->sa.v4.sin_addr, host, sizeof(host));
        snprintf(out, ADDR_TEXT_MAX, "%s:%u", host, ntohs(a->sa.v4.sin_port));
        break;
    case AF_INET6:
        inet_ntop(AF_INET6, &a->sa.v6.sin6_addr, host, sizeof(host));
        snprintf(out, ADDR_TEXT_MAX, "[%s]:%u", host, ntohs(a->sa.v6.sin6_port));
        break;
    case AF_UNIX:
        snprintf(out, ADDR_TEXT_MAX, "unix:%s", a->sa.unix_path.sun_path);
        break;
    default:
        snprintf(out, ADDR_TEXT_MAX, "(no address)");
        break;
    }
    return out;
}

bool addr_equal(const struct addr *a, const struct addr *b)
{
    if (a->sa.any.sa_family != b->sa.any.sa_family) {
        return false;
    }
    switch (a->sa.any.sa_family) {
    case AF_INET:
        return a->sa.v4.sin_port == b->sa.v4.sin_port && a->sa.v4.sin_addr.s_addr == b->sa.v4.sin_addr.s_addr;
    case AF_INET6:
        return a->sa.v6.sin6_port == b->sa.v6.sin6_port && a->sa.v6.sin6_scope_id == b->sa.v6.sin6_scope_id &&
               memcmp(&a->sa.v6.sin6_addr, &b->sa.v6.sin6_addr, sizeof(struct in6_addr)) == 0;
    case AF_UNIX:
        return strcmp(a->sa.unix_path.sun_path, b->sa.unix_path.sun_path) == 0;
    default:
        return false;
    }
}

static struct slice without_brackets(struct slice s)
{
    if (slice_starts(s, SLICE("[")) && slice_ends(s, SLICE("]")) && s.len >= 2) {
        return slice_from(s.ptr + 1, s.len - 2);
    }
    return s;
}

static bool parse_literal(struct addr *out, struct slice literal, uint16_t port)
{
    struct slice bare = without_brackets(literal);
    char text[LITERAL_MAX];

    *out = (struct addr){ 0 };
    if (bare.len == 0 || bare.len >= sizeof(text) || memchr(bare.ptr, '\0', bare.len) != NULL) {
        return false;
    }
    memcpy(text, bare.ptr, bare.len);
    text[bare.len] = '\0';
    if (bare.len == literal.len && inet_pton(AF_INET, text, &out->sa.v4.sin_addr) == 1) {
        out->sa.v4.sin_family = AF_INET;
        out->sa.v4.sin_port = htons(port);
        out->len = sizeof(out->sa.v4);
        return true;
    }
    if (inet_pton(AF_INET6, text, &out->sa.v6.sin6_addr) == 1) {
        out->sa.v6.sin6_family = AF_INET6;
        out->sa.v6.sin6_port = htons(port);
        out->len = sizeof(out->sa.v6);
        return true;
    }
    return false;
}

int addr_parse(struct addr *out, struct slice literal, uint16_t port, struct err *err)
{
    if (!parse_literal(out, literal, port)) {
        return err_set(err, ERR_CONFIG, 0, "\"%.*s\" is not an IPv4 or IPv6 address", SLICE_FMT(literal));
    }
    return 0;
}

/* Where the host ends and the port begins: behind the last colon, unless that one is inside brackets. */
static struct slice split_port(struct slice text, struct slice *host)
{
    for (size_t i = text.len; i > 0; i--) {
        if (text.ptr[i - 1] == ':') {
            *host = slice_take(text, i - 1);
            return slice_drop(text, i);
        }
        if (text.ptr[i - 1] == ']') {
            break;
        }
    }
    *host = slice_from(NULL, 0);
    return text;
}

int addr_parse_listen(struct addr *out, struct slice text, struct err *err)
{
    struct slice host;
    struct slice port_text = split_port(text, &host);
    uint64_t port;

    *out = (struct addr){ 0 };
    if (!slice_to_u64(port_text, &port) || port > UINT16_MAX) {
        err_set(err, ERR_CONFIG, 0, "\"%.*s\" is not an address to listen on: \"%.*s\" is not a port", SLICE_FMT(text),
                SLICE_FMT(port_text));
        return err_hint(err, "write HOST:PORT, [IPV6]:PORT or PORT, with a port from 0 (any free one) to 65535");
    }
    if (host.len == 0 || slice_eq_nocase(host, SLICE("localhost"))) {
        host = SLICE("127.0.0.1");
    } else if (slice_eq(host, SLICE("*"))) {
        host = SLICE("0.0.0.0");
    }
    if (slice_find(host, ':') >= 0 && !slice_starts(host, SLICE("["))) {
        err_set(err, ERR_CONFIG, 0, "\"%.*s\" is not an address to listen on", SLICE_FMT(text));
        return err_hint(err, "write an IPv6 address in brackets: [::1]:8080");
    }
    if (!parse_literal(out, host, (uint16_t)port)) {
        err_set(err, ERR_CONFIG, 0, "\"%.*s\" is not an address to listen on", SLICE_FMT(text));
        return err_hint(err, "write an address of this machine, such as 127.0.0.1:8080 or [::1]:8080");
    }
    return 0;
}

int addr_unix(struct addr *out, struct slice path, struct err *err)
{
    *out = (struct addr){ 0 };
    if (path.len == 0 || memchr(path.ptr, '\0', path.len) != NULL) {
        return err_set(err, ERR_CONFIG, 0, "\"%.*s\" is not a path of a Unix socket", SLICE_FMT(path));
    }
    if (path.len >= sizeof(out->sa.unix_path.sun_path)) {
        err_set(err, ERR_CONFIG, 0, "the Unix socket's path is too long: %.*s", SLICE_FMT(path));
        return err_hint(err, "at most %zu bytes", sizeof(out->sa.unix_path.sun_path) - 1);
    }
    out->sa.unix_path.sun_family = AF_UNIX;
    memcpy(out->sa.unix_path.sun_path, path.ptr, path.len);
    out->len = sizeof(out->sa.unix_path);
    return 0;
}
