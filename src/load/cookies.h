/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the server has set on one connection, as a Cookie field's value. Fixed memory: what does not fit is not kept.
 *
 * A connection has one target, so a cookie is kept when its Domain and Path hold for that one; Secure ones over TLS
 * alone. Max-Age of 0 or less, and Expires before the year 2000 (how cookies are taken back), remove it; other times
 * are not watched: a run is shorter. */
#ifndef PLIMSOLL_LOAD_COOKIES_H
#define PLIMSOLL_LOAD_COOKIES_H

#include "http/url.h"

#define COOKIES_BYTES 4096u

struct cookies {
    uint32_t len;
    char text[COOKIES_BYTES]; /* "a=b; c=d" */
};

/* The value of one Set-Cookie field (RFC 6265 5.2) of a reply from url. */
void cookies_take(struct cookies *c, const struct url *url, struct slice set_cookie);
/* All of a head as HTTP/1 has it. */
void cookies_take_head(struct cookies *c, const struct url *url, struct slice head);
static inline struct slice cookies_text(const struct cookies *c)
{
    return (struct slice){ c->text, c->len };
}

#endif
