/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/url.h"

#include <string.h>

#include "http/redact.h"

#define PORT_MAX 65535u

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* A blank before an '@' may stand in a password; then everything up to the last '@' is kept back. */
static void show(struct buf *out, struct slice url)
{
    size_t at = url.len, blank = url.len;

    for (size_t i = 0; i < url.len; i++) {
        if (url.ptr[i] == '@')
            at = i;
        if ((unsigned char)url.ptr[i] <= ' ' && blank == url.len)
            blank = i;
    }
    if (at < url.len && blank < at) {
        buf_add_str(out, "***");
        url = slice_drop(url, at);
    }
    redact_url(out, url);
}

/* The URL as it may be shown: without credentials, printable, not longer than an error can hold. */
static int refuse(struct err *err, struct slice url, const char *why)
{
    struct buf shown;

    buf_init(&shown, 64 * 1024);
    show(&shown, slice_take(url, 8 * 1024));
    for (size_t i = 0; i < shown.len; i++)
        if (shown.data[i] < ' ' || shown.data[i] > '~')
            shown.data[i] = '?';
    const int len = shown.len > 200 ? 200 : (int)shown.len;
    err_set(err, ERR_USAGE, 0, "%s in URL \"%.*s%s\"", why, len, shown.len > 0 ? shown.data : "",
            shown.len > 200 ? "..." : "");
    buf_release(&shown);
    return -1;
}

static int take_scheme(struct url *u, struct slice *rest, struct slice text, struct err *err)
{
    const struct slice http = SLICE("http://"), https = SLICE("https://");

    if (slice_starts_nocase(text, http)) {
        u->port = 80;
        *rest = slice_drop(text, http.len);
        return 0;
    }
    if (slice_starts_nocase(text, https)) {
        u->https = true;
        u->port = 443;
        *rest = slice_drop(text, https.len);
        return 0;
    }
    const ptrdiff_t at = slice_find_slice(text, SLICE("://"));
    if (text.len == 0)
        return err_set(err, ERR_USAGE, 0, "empty URL");
    if (at > 0)
        refuse(err, text, "scheme other than http and https");
    else
        refuse(err, text, "no scheme");
    return err_hint(err, "write http://HOST/PATH or https://HOST/PATH");
}

/* RFC 3986 reg-name without percent-escapes: no resolver has a use for them, and a '%' that is meant is a mistake here.
 */
static bool is_name_char(char c)
{
    return is_digit(c) || is_alpha(c) || (c != '\0' && strchr("-._~!$&'()*+,;=", c) != NULL);
}

/* Hex digits, colons, dots, and behind '%' the name of an interface. */
static bool is_ipv6_literal(struct slice s)
{
    bool colon = false, zone = false;

    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        if (zone) {
            if (!is_digit(c) && !is_alpha(c) && c != '.' && c != '_' && c != '-')
                return false;
        } else if (c == '%') {
            zone = i + 1 < s.len;
            if (!zone)
                return false;
        } else if (c == ':') {
            colon = true;
        } else if (hex_value(c) < 0 && c != '.') {
            return false;
        }
    }
    return colon;
}

static int take_host(struct url *u, struct slice *rest, struct slice text, struct err *err)
{
    if (rest->len > 0 && rest->ptr[0] == '[') {
        const ptrdiff_t end = slice_find(*rest, ']');
        if (end < 0)
            return refuse(err, text, "'[' without ']'");
        u->host = slice_from(rest->ptr + 1, (size_t)end - 1);
        u->host_is_ipv6 = true;
        *rest = slice_drop(*rest, (size_t)end + 1);
        if (!is_ipv6_literal(u->host))
            return refuse(err, text, "no IPv6 address between '[' and ']'");
        if (rest->len > 0 && rest->ptr[0] != ':')
            return refuse(err, text, "unexpected text behind ']'");
        return 0;
    }
    const ptrdiff_t colon = slice_find(*rest, ':');
    u->host = colon < 0 ? *rest : slice_take(*rest, (size_t)colon);
    *rest = slice_drop(*rest, u->host.len);
    if (u->host.len == 0)
        return refuse(err, text, "no host");
    for (size_t i = 0; i < u->host.len; i++)
        if (!is_name_char(u->host.ptr[i]))
            return refuse(err, text, "character that no host name has");
    return 0;
}

static int take_port(struct url *u, struct slice port, struct slice text, struct err *err)
{
    uint64_t n = 0;

    if (port.len <= 1) /* "host" and "host:" (RFC 3986 3.2.3 allows an empty port) */
        return 0;
    port = slice_drop(port, 1);
    for (size_t i = 0; i < port.len; i++)
        if (!is_digit(port.ptr[i]))
            return refuse(err, text, "port that is no number");
    if (!slice_to_u64(port, &n) || n == 0 || n > PORT_MAX) {
        refuse(err, text, "port out of range");
        return err_hint(err, "ports go from 1 to 65535");
    }
    u->port = (uint16_t)n;
    u->has_port = true;
    return 0;
}

static int take_target(struct url *u, struct slice target, struct slice text, struct err *err)
{
    target = slice_split(&target, '#');
    for (size_t i = 0; i < target.len; i++) {
        const unsigned char c = (unsigned char)target.ptr[i];
        if (c <= ' ' || c >= 0x7f) {
            refuse(err, text, c == ' ' ? "space" : c < 0x7f ? "control character" : "character outside ASCII");
            return err_hint(err, "percent-encode it: %%%02X", c);
        }
    }
    const ptrdiff_t question = slice_find(target, '?');
    const size_t path_len = question < 0 ? target.len : (size_t)question;
    u->path = path_len > 0 ? slice_take(target, path_len) : SLICE("/");
    u->query = slice_drop(target, path_len);
    return 0;
}

int url_parse(struct url *out, struct slice text, struct err *err)
{
    struct slice rest = { 0 };

    memset(out, 0, sizeof(*out));
    if (take_scheme(out, &rest, text, err) != 0)
        return -1;
    size_t end = 0;
    while (end < rest.len && rest.ptr[end] != '/' && rest.ptr[end] != '?' && rest.ptr[end] != '#')
        end++;
    struct slice authority = slice_take(rest, end);
    const struct slice target = slice_drop(rest, end);
    for (size_t i = authority.len; i > 0; i--) {
        if (authority.ptr[i - 1] == '@') { /* the last one: a password with an unescaped '@' must not become a host */
            out->userinfo = slice_take(authority, i - 1);
            authority = slice_drop(authority, i);
            break;
        }
    }
    for (size_t i = 0; i < out->userinfo.len; i++)
        if ((unsigned char)out->userinfo.ptr[i] <= ' ' || (unsigned char)out->userinfo.ptr[i] >= 0x7f)
            return refuse(err, text, "unprintable character in the credentials");
    if (take_host(out, &authority, text, err) != 0 || take_port(out, authority, text, err) != 0)
        return -1;
    return take_target(out, target, text, err);
}

void url_add_authority(struct buf *out, const struct url *u)
{
    struct slice host = u->host;

    if (u->host_is_ipv6) { /* a zone has a meaning on this machine alone (RFC 6874 4) */
        buf_add_char(out, '[');
        buf_add_slice(out, slice_split(&host, '%'));
        buf_add_char(out, ']');
    } else {
        buf_add_slice(out, host);
    }
    if (u->port != (u->https ? 443 : 80))
        buf_printf(out, ":%u", (unsigned)u->port);
}

bool url_decode(struct buf *out, struct slice encoded)
{
    for (size_t i = 0; i < encoded.len; i++) {
        if (encoded.ptr[i] != '%') {
            buf_add_char(out, encoded.ptr[i]);
            continue;
        }
        if (encoded.len - i < 3 || hex_value(encoded.ptr[i + 1]) < 0 || hex_value(encoded.ptr[i + 2]) < 0)
            return false;
        buf_add_char(out, (char)(hex_value(encoded.ptr[i + 1]) * 16 + hex_value(encoded.ptr[i + 2])));
        i += 2;
    }
    return true;
}
