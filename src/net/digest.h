/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 of bytes in pieces. Allocates in digest_new() alone. And HMAC-SHA-256 (RFC 2104) of bytes at once. */
#ifndef PLIMSOLL_NET_DIGEST_H
#define PLIMSOLL_NET_DIGEST_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

#define DIGEST_BYTES 32

struct digest;
MUST_CHECK int digest_new(struct digest **out, struct err *err);
void digest_free(struct digest *d);  /* NULL is fine */
void digest_begin(struct digest *d); /* anew */
void digest_add(struct digest *d, struct slice bytes);
void digest_end(struct digest *d, uint8_t out[DIGEST_BYTES]); /* once after each digest_begin() */

/* False: out of memory. key and bytes may be the bytes of out. */
MUST_CHECK bool digest_hmac(struct slice key, struct slice bytes, uint8_t out[DIGEST_BYTES]);
#define DIGEST_HEX_MAX (2 * DIGEST_BYTES + 1)
/* Lower case, NUL-terminated. */
const char *digest_hex(char out[DIGEST_HEX_MAX], const uint8_t digest[DIGEST_BYTES]);

#endif
