/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A name for bytes: the same bytes have the same, and others, as good as surely, another (128 bits, well mixed). Not
 * cryptographic: it tells copies from originals, it does not guard against a forger. */
#ifndef PLIMSOLL_BASE_FINGERPRINT_H
#define PLIMSOLL_BASE_FINGERPRINT_H

#include "base/random.h"
#include "base/slice.h"

struct fingerprint {
    uint64_t _lane[2];
    uint64_t _length;
    unsigned char _rest[16]; /* bytes that do not fill a block yet */
    size_t _rest_bytes;
};

void fingerprint_init(struct fingerprint *f);
/* In pieces of any size: only the bytes count, not how they came. */
void fingerprint_add(struct fingerprint *f, struct slice bytes);
/* As a version 8 UUID (RFC 9562 5.8). More may be added afterwards. */
void fingerprint_uuid(const struct fingerprint *f, char out[UUID_TEXT_MAX]);

#endif
