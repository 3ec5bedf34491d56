/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/request_line.h"

#include <string.h>

enum request_state request_refuse(struct request_head *h, uint16_t status, const char *reason)
{
    h->refused = status;
    h->reason = reason;
    return REQUEST_REFUSED;
}

static const char *const METHOD_NAMES[REQUEST_METHODS] = {
    [REQUEST_GET] = "GET",       [REQUEST_HEAD] = "HEAD",   [REQUEST_POST] = "POST",       [REQUEST_PUT] = "PUT",
    [REQUEST_DELETE] = "DELETE", [REQUEST_PATCH] = "PATCH", [REQUEST_OPTIONS] = "OPTIONS",
};

const char *request_method_name(enum request_method m)
{
    return METHOD_NAMES[m];
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* RFC 9110 5.6.2. */
static bool is_token_char(char c)
{
    return is_alnum(c) || is_one_of(c, "!#$%&'*+-.^_`|~");
}

/* RFC 3986 3.2.2: what a registered name is made of. */
static bool is_name_char(char c)
{
    return is_alnum(c) || is_one_of(c, "-._~!$&'()*+,;=%");
}

bool request_is_token(struct slice s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!is_token_char(s.ptr[i])) {
            return false;
        }
    }
    return s.len > 0;
}

static enum request_state read_method(struct request_head *h, struct slice text)
{
    if (!request_is_token(text)) {
        return request_refuse(h, 400, "The method is not a token.");
    }
    for (int m = 0; m < REQUEST_METHODS; m++) {
        if (slice_eq(text, slice_str(METHOD_NAMES[m]))) {
            h->method = (enum request_method)m;
            return REQUEST_READY;
        }
    }
    return request_refuse(h, 501, "This method is not implemented.");
}

static enum request_state read_version(struct request_head *h, struct slice text)
{
    if (text.len != 8 || !slice_starts(text, SLICE("HTTP/")) || !is_digit(text.ptr[5]) || text.ptr[6] != '.' ||
        !is_digit(text.ptr[7])) {
        return request_refuse(h, 400, "The request line does not end with an HTTP version.");
    }
    if (text.ptr[5] != '1' || text.ptr[7] > '1') {
        return request_refuse(h, 505, "Only HTTP/1.0 and HTTP/1.1 are spoken here.");
    }
    h->version = text.ptr[7] == '1' ? 11 : 10;
    return REQUEST_READY;
}

/* Length of the bracketed address or name that s begins with; 0 when it is neither. */
static size_t host_name_len(struct slice s)
{
    size_t i = 0;

    if (s.len == 0 || s.ptr[0] != '[') {
        while (i < s.len && is_name_char(s.ptr[i])) {
            i++;
        }
        return i;
    }
    for (i = 1; i < s.len && is_one_of(s.ptr[i], "0123456789abcdefABCDEF:."); i++) {
    }
    return i > 2 && i < s.len && s.ptr[i] == ']' ? i + 1 : 0;
}

/* "name", "name:80", "[::1]:80". */
bool request_is_host(struct slice s)
{
    size_t i = host_name_len(s);

    if (i == 0 || i == s.len) {
        return i > 0;
    }
    if (s.ptr[i] != ':' || s.len - i > 6) {
        return false;
    }
    while (++i < s.len) {
        if (!is_digit(s.ptr[i])) {
            return false;
        }
    }
    return true;
}

/* "http://host:port/path?query": the authority becomes the host, the rest is as if it had come in origin-form (RFC
 * 9112 3.2.2). */
static enum request_state read_absolute(struct request_head *h, struct slice rest)
{
    size_t end = 0;

    while (end < rest.len && rest.ptr[end] != '/' && rest.ptr[end] != '?') {
        end++;
    }
    h->host = slice_take(rest, end);
    h->path = slice_drop(rest, end);
    if (!request_is_host(h->host)) {
        return request_refuse(h, 400, "The authority in the request target is not a host.");
    }
    return REQUEST_READY;
}

static enum request_state read_target(struct request_head *h, struct slice target)
{
    for (size_t i = 0; i < target.len; i++) {
        unsigned char c = (unsigned char)target.ptr[i];
        if (c <= 0x20 || c >= 0x7f || c == '#') {
            return request_refuse(h, 400, "The request target has a character that must be percent-encoded.");
        }
    }
    if (target.len > 0 && target.ptr[0] == '/') {
        h->path = target;
    } else if (slice_starts_nocase(target, SLICE("http://"))) {
        if (read_absolute(h, slice_drop(target, 7)) != REQUEST_READY) {
            return REQUEST_REFUSED;
        }
    } else if (slice_starts_nocase(target, SLICE("https://"))) {
        if (read_absolute(h, slice_drop(target, 8)) != REQUEST_READY) {
            return REQUEST_REFUSED;
        }
    } else if (h->method == REQUEST_OPTIONS && slice_eq(target, SLICE("*"))) {
        h->asterisk = true;
    } else {
        return request_refuse(h, 400, "The request target is neither a path nor an http URL.");
    }
    ptrdiff_t question = slice_find(h->path, '?');
    if (question >= 0) {
        h->query = slice_drop(h->path, (size_t)question + 1);
        h->path = slice_take(h->path, (size_t)question);
    }
    if (h->path.len == 0 && !h->asterisk) {
        h->path = SLICE("/");
    }
    return REQUEST_READY;
}

enum request_state request_line_read(struct request_head *h, struct slice line)
{
    struct slice rest = line;
    struct slice method = slice_split(&rest, ' ');
    struct slice target = slice_split(&rest, ' ');

    h->line = line;
    if (slice_eq(rest, SLICE("")) || slice_find(rest, ' ') >= 0) {
        return request_refuse(h, 400, "The request line is not METHOD SP TARGET SP VERSION.");
    }
    if (read_version(h, rest) != REQUEST_READY || read_method(h, method) != REQUEST_READY) {
        return REQUEST_REFUSED;
    }
    return read_target(h, target);
}

enum request_state request_head_take(struct request_head *h, struct slice method, struct slice target,
                                     struct slice host)
{
    if (read_method(h, method) != REQUEST_READY || read_target(h, target) != REQUEST_READY) {
        return REQUEST_REFUSED;
    }
    if (!request_is_host(host)) {
        return request_refuse(h, 400, "The authority is not a host.");
    }
    if (h->host.ptr == NULL) {
        h->host = host;
    }
    return REQUEST_READY;
}
