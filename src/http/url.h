/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Absolute http and https URLs (RFC 3986, RFC 9110 4.2), as a load generator needs them.
 *
 * Slices point into the text given; nothing is allocated. IPv6 literals come without brackets in host. A fragment is
 * dropped. An empty path becomes "/" (path is then a constant). Raw spaces, controls, bytes >= 0x80 in the target,
 * a missing or other scheme, an empty host, port 0 or above 65535 are ERR_USAGE with the URL (credentials as ***) in
 * the sentence. */
#ifndef PLIMSOLL_HTTP_URL_H
#define PLIMSOLL_HTTP_URL_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

struct url {
    bool https;
    bool has_port;
    bool host_is_ipv6;
    uint16_t port;         /* the scheme's default when the URL has none */
    struct slice userinfo; /* still percent-encoded; without '@'; ptr NULL when absent */
    struct slice host;
    struct slice path;  /* with the leading slash, without the query */
    struct slice query; /* with the question mark, or empty */
};

MUST_CHECK int url_parse(struct url *out, struct slice text, struct err *err);
/* "host", "host:8080", "[::1]:80": what a Host field carries; the port only when it is not the scheme's default. */
void url_add_authority(struct buf *out, const struct url *u);
/* Percent-decoding; false on a broken escape. */
bool url_decode(struct buf *out, struct slice encoded);

#endif
