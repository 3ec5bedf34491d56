/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/digest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct digest {
    EVP_MD_CTX *context;
};

int digest_new(struct digest **out, struct err *err)
{
    struct digest *d = calloc(1, sizeof(*d));

    *out = NULL;
    if (d != NULL)
        d->context = EVP_MD_CTX_new();
    if (d == NULL || d->context == NULL || EVP_DigestInit_ex(d->context, EVP_sha256(), NULL) != 1) {
        digest_free(d);
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a digest");
    }
    *out = d;
    return 0;
}

void digest_free(struct digest *d)
{
    if (d == NULL)
        return;
    EVP_MD_CTX_free(d->context);
    free(d);
}

void digest_begin(struct digest *d)
{
    /* Naming the algorithm again would look it up again, and allocate. */
    if (EVP_DigestInit_ex(d->context, NULL, NULL) != 1)
        BUG("SHA-256 can not begin anew");
}

void digest_add(struct digest *d, struct slice bytes)
{
    if (bytes.len > 0 && EVP_DigestUpdate(d->context, bytes.ptr, bytes.len) != 1)
        BUG("SHA-256 takes no bytes");
}

void digest_end(struct digest *d, uint8_t out[DIGEST_BYTES])
{
    unsigned len = 0;

    if (EVP_DigestFinal_ex(d->context, out, &len) != 1 || len != DIGEST_BYTES)
        BUG("SHA-256 does not end");
}

bool digest_hmac(struct slice key, struct slice bytes, uint8_t out[DIGEST_BYTES])
{
    uint8_t mac[DIGEST_BYTES];
    unsigned len = 0;

    if (HMAC(EVP_sha256(), key.ptr, (int)key.len, (const unsigned char *)bytes.ptr, bytes.len, mac, &len) == NULL ||
        len != DIGEST_BYTES)
        return false;
    memcpy(out, mac, DIGEST_BYTES);
    return true;
}

const char *digest_hex(char out[DIGEST_HEX_MAX], const uint8_t digest[DIGEST_BYTES])
{
    for (size_t i = 0; i < DIGEST_BYTES; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    return out;
}
