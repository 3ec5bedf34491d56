/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/s3_sign.h"

#include <stdio.h>

#include "net/digest.h"
#include "serve/encode.h"

enum { TEXT_MAX_BYTES = 16 * 1024 };

/* "20130524" and "20130524T000000Z". */
struct moment {
    char date[16], time[32];
};

static void moment_of(struct moment *m, time_t now)
{
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(m->date, sizeof(m->date), "%Y%m%d", &utc);
    strftime(m->time, sizeof(m->time), "%Y%m%dT%H%M%SZ", &utc);
}

static void add_scope(struct buf *out, const struct s3_keys *keys, const struct moment *m)
{
    buf_printf(out, "%s/%s/s3/aws4_request", m->date, keys->region);
}

/* In the order of the names, as the canonical request wants it. */
static void add_query(struct buf *out, const struct s3_keys *keys, const struct moment *m, unsigned expires_s)
{
    struct buf credential;

    buf_init(&credential, TEXT_MAX_BYTES);
    buf_printf(&credential, "%s/", keys->key_id);
    add_scope(&credential, keys, m);
    buf_add_str(out, "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=");
    encode_component(out, buf_slice(&credential));
    buf_printf(out, "&X-Amz-Date=%s&X-Amz-Expires=%u", m->time, expires_s);
    if (keys->session_token != NULL) {
        buf_add_str(out, "&X-Amz-Security-Token=");
        encode_component(out, slice_str(keys->session_token));
    }
    buf_add_str(out, "&X-Amz-SignedHeaders=host");
    buf_release(&credential);
}

static bool hash(struct slice text, char out[DIGEST_HEX_MAX])
{
    uint8_t digest[DIGEST_BYTES];
    struct digest *d;

    if (digest_new(&d, NULL) != 0) {
        return false;
    }
    digest_begin(d);
    digest_add(d, text);
    digest_end(d, digest);
    digest_free(d);
    digest_hex(out, digest);
    return true;
}

static bool make_key(const struct s3_keys *keys, const struct moment *m, uint8_t key[DIGEST_BYTES])
{
    const struct slice steps[] = { slice_str(m->date), slice_str(keys->region), SLICE("s3"), SLICE("aws4_request") };
    struct buf first;

    buf_init(&first, TEXT_MAX_BYTES);
    buf_printf(&first, "AWS4%s", keys->secret);
    bool good = buf_ok(&first) && digest_hmac(buf_slice(&first), steps[0], key);
    for (size_t i = 1; good && i < sizeof(steps) / sizeof(steps[0]); i++) {
        good = digest_hmac(slice_from((const char *)key, DIGEST_BYTES), steps[i], key);
    }
    buf_release(&first);
    return good;
}

static bool sign(const struct s3_keys *keys, const struct moment *m, struct slice canonical, char out[DIGEST_HEX_MAX])
{
    uint8_t key[DIGEST_BYTES];
    char hashed[DIGEST_HEX_MAX];
    struct buf text;

    buf_init(&text, TEXT_MAX_BYTES);
    bool good = hash(canonical, hashed) && make_key(keys, m, key);
    buf_printf(&text, "AWS4-HMAC-SHA256\n%s\n", m->time);
    add_scope(&text, keys, m);
    buf_printf(&text, "\n%s", hashed);
    good = good && buf_ok(&text) && digest_hmac(slice_from((const char *)key, DIGEST_BYTES), buf_slice(&text), key);
    digest_hex(out, key);
    buf_release(&text);
    return good;
}

bool s3_sign_url(struct buf *out, const struct s3_keys *keys, const char *method, const struct s3_place *place,
                 unsigned expires_s, time_t now)
{
    char signature[DIGEST_HEX_MAX];
    struct buf query, canonical;
    struct moment m;

    moment_of(&m, now);
    buf_init(&query, TEXT_MAX_BYTES);
    buf_init(&canonical, 2 * TEXT_MAX_BYTES);
    add_query(&query, keys, &m, expires_s);
    buf_printf(&canonical, "%s\n%.*s\n%.*s\nhost:%.*s\n\nhost\nUNSIGNED-PAYLOAD", method, SLICE_FMT(place->path),
               SLICE_FMT(buf_slice(&query)), SLICE_FMT(place->host));
    bool good = buf_ok(&query) && buf_ok(&canonical) && sign(keys, &m, buf_slice(&canonical), signature);
    if (good) {
        buf_printf(out, "%.*s://%.*s%.*s?%.*s&X-Amz-Signature=%s", SLICE_FMT(place->scheme), SLICE_FMT(place->host),
                   SLICE_FMT(place->path), SLICE_FMT(buf_slice(&query)), signature);
    }
    buf_release(&canonical);
    buf_release(&query);
    return good && buf_ok(out);
}
