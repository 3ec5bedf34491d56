/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/s3.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "http/url.h"
#include "net/digest.h"
#include "serve/s3_sign.h"
#include "serve/serve.h"
#include "web/fetch.h"

enum { KEPT_MAX = 64, URL_MAX_BYTES = 4096, EXPIRES_S = 60, COMPLAINT_MAX_BYTES = 8 * 1024 };

#define CONNECT_NS (5ull * NS_PER_S)
#define EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

struct s3 {
    struct s3_keys keys;
    const char *bucket;
    uint64_t timeout_ns;
    char *endpoint; /* owned; what the slices below point into */
    struct url url;
    struct buf host, path; /* authority; the endpoint's path and the bucket, with a slash at the end */
    pthread_mutex_t lock;
    struct fetch *kept[KEPT_MAX];
    unsigned kept_count;
};

/* ---- Life ---- */

static bool is_bucket(const char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i++) {
        if (!isalnum((unsigned char)text[i]) && strchr("-._", text[i]) == NULL) {
            return false;
        }
    }
    return len >= 3 && len <= 255 && text[0] != '.';
}

static int check(const struct serve_config *c, struct err *err)
{
    if (!is_bucket(c->s3_bucket)) {
        err_set(err, ERR_CONFIG, 0, "--s3-bucket \"%s\" can not be the name of a bucket", c->s3_bucket);
        return err_hint(err, "3 to 255 letters, digits, '-', '_' and '.'");
    }
    if (c->s3_key_id == NULL || c->s3_secret == NULL) {
        err_set(err, ERR_CONFIG, 0, "--s3-bucket needs credentials, and the environment has no %s",
                c->s3_key_id == NULL ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY");
        return err_hint(err, "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION");
    }
    return 0;
}

static int take_endpoint(struct s3 *s, const struct serve_config *c, struct err *err)
{
    struct buf text;

    buf_init(&text, URL_MAX_BYTES);
    if (c->s3_endpoint != NULL) {
        buf_add_str(&text, c->s3_endpoint);
    } else {
        buf_printf(&text, "https://s3.%s.amazonaws.com", s->keys.region);
    }
    s->endpoint = buf_detach(&text);
    if (s->endpoint == NULL) {
        return err_set(err, ERR_CONFIG, 0, "--s3-endpoint is too long");
    }
    if (url_parse(&s->url, slice_str(s->endpoint), err) != 0) {
        err->kind = ERR_CONFIG;
        return err_prefix(err, "--s3-endpoint");
    }
    if (s->url.query.len > 0 || s->url.userinfo.ptr != NULL || slice_find(s->url.path, '%') >= 0) {
        err_set(err, ERR_CONFIG, 0, "--s3-endpoint must have neither a query nor credentials nor escapes");
        return err_hint(err, "for example --s3-endpoint http://127.0.0.1:4568");
    }
    url_add_authority(&s->host, &s->url);
    buf_add_slice(&s->path, s->url.path);
    buf_printf(&s->path, "%s%s/", slice_ends(s->url.path, SLICE("/")) ? "" : "/", c->s3_bucket);
    return buf_ok(&s->host) && buf_ok(&s->path) ? 0 : err_set(err, ERR_CONFIG, 0, "--s3-endpoint is too long");
}

int s3_new(struct s3 **out, const struct serve_config *config, struct err *err)
{
    struct s3 *s = NULL;

    *out = NULL;
    if (config->s3_bucket == NULL) {
        return 0;
    }
    if (check(config, err) != 0) {
        return -1;
    }
    s = calloc(1, sizeof(*s));
    if (s == NULL) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot use S3");
    }
    pthread_mutex_init(&s->lock, NULL);
    s->keys = (struct s3_keys){ config->s3_key_id, config->s3_secret, config->s3_region, config->s3_session_token };
    if (s->keys.region == NULL) {
        s->keys.region = "us-east-1";
    }
    s->bucket = config->s3_bucket;
    s->timeout_ns = config->s3_timeout_ns;
    buf_init(&s->host, 512);
    buf_init(&s->path, URL_MAX_BYTES);
    if (take_endpoint(s, config, err) != 0) {
        s3_free(s);
        return -1;
    }
    *out = s;
    return 0;
}

void s3_free(struct s3 *s)
{
    if (s == NULL) {
        return;
    }
    for (unsigned i = 0; i < s->kept_count; i++) {
        fetch_free(s->kept[i]);
    }
    pthread_mutex_destroy(&s->lock);
    buf_release(&s->host);
    buf_release(&s->path);
    free(s->endpoint);
    free(s);
}

/* ---- Calls ---- */

static struct fetch *borrow(struct s3 *s)
{
    struct fetch *f = NULL;

    pthread_mutex_lock(&s->lock);
    if (s->kept_count > 0) {
        f = s->kept[--s->kept_count];
    }
    pthread_mutex_unlock(&s->lock);
    return f != NULL || fetch_new(&f, NULL) == 0 ? f : NULL;
}

static void give_back(struct s3 *s, struct fetch *f)
{
    pthread_mutex_lock(&s->lock);
    if (s->kept_count < KEPT_MAX) {
        s->kept[s->kept_count++] = f;
        f = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    fetch_free(f);
}

static bool fail(struct s3_outcome *o, uint16_t status, const char *why)
{
    o->status = status;
    snprintf(o->why, sizeof(o->why), "%s", why);
    return false;
}

/* "NoSuchKey" of an answer's <Code>NoSuchKey</Code>; the rest of it may repeat what was signed. */
static void complain(struct s3_outcome *o, uint16_t status, struct slice body)
{
    static const struct slice OPEN = { "<Code>", 6 };
    ptrdiff_t at = slice_find_slice(body, OPEN);
    struct slice code = at >= 0 ? slice_drop(body, (size_t)at + OPEN.len) : SLICE("");
    size_t len = 0;

    while (len < code.len && len < 64 && isalnum((unsigned char)code.ptr[len])) {
        len++;
    }
    o->status = 502;
    snprintf(o->why, sizeof(o->why), "S3 answered %u%s%.*s", status, len > 0 ? " " : "", (int)len,
             len > 0 ? code.ptr : "");
}

struct call {
    struct fetch_call fetch;
    const char *sha256;
    uint16_t wanted[4]; /* statuses that are not failures */
    const struct s3_get *get;
    struct fetch *by;
    struct buf complaint;
    bool good;
};

static bool is_wanted(const struct call *c, uint16_t status)
{
    for (size_t i = 0; i < 4 && c->wanted[i] != 0; i++) {
        if (c->wanted[i] == status) {
            return true;
        }
    }
    return false;
}

static bool run(struct s3 *s, struct call *c, const char *key, struct s3_outcome *o)
{
    const struct fetch_aws aws = { .key_id = s->keys.key_id,
                                   .secret = s->keys.secret,
                                   .session_token = s->keys.session_token,
                                   .region = s->keys.region,
                                   .service = "s3",
                                   .payload_sha256 = c->sha256 };
    char url[URL_MAX_BYTES + 1024];
    struct fetch_reply reply;

    *o = (struct s3_outcome){ 0 };
    c->by = borrow(s);
    if (c->by == NULL) {
        return fail(o, 502, "out of memory");
    }
    snprintf(url, sizeof(url), "%s://%.*s%.*s%s", s->url.https ? "https" : "http", SLICE_FMT(buf_slice(&s->host)),
             SLICE_FMT(buf_slice(&s->path)), key);
    c->fetch.url = url;
    c->fetch.aws = &aws;
    c->fetch.connect_ns = s->timeout_ns > 0 && s->timeout_ns < CONNECT_NS ? s->timeout_ns : CONNECT_NS;
    c->fetch.stall_ns = s->timeout_ns;
    c->fetch.http1 = true;
    int rc = fetch_run(c->by, &c->fetch, &reply);
    give_back(s, c->by);
    o->stopped = reply.fail == FETCH_STOPPED;
    if (rc == 0 && is_wanted(c, reply.status)) {
        return true;
    }
    if (rc == 0) {
        complain(o, reply.status, buf_slice(&c->complaint));
        return false;
    }
    char why[384];
    snprintf(why, sizeof(why), "S3 %s", reply.why);
    return fail(o, reply.fail == FETCH_TIMEOUT ? 504 : 502, why);
}

/* ---- Sending ---- */

struct source {
    int file;
    uint64_t at;
    const struct s3_stop *stop;
};

static ssize_t read_source(void *arg, char *out, size_t room)
{
    struct source *s = arg;
    ssize_t n;

    do {
        n = pread(s->file, out, room, (off_t)s->at);
    } while (n < 0 && errno == EINTR);
    s->at += n > 0 ? (uint64_t)n : 0;
    return n;
}

static bool rewind_source(void *arg)
{
    struct source *s = arg;

    s->at = 0;
    return true;
}

static bool source_is_stopped(void *arg)
{
    struct source *s = arg;

    return s->stop != NULL && s->stop->is_stopped(s->stop->arg);
}

static bool hash_file(struct source *s, char out[DIGEST_HEX_MAX])
{
    char bytes[32 * 1024];
    uint8_t sum[DIGEST_BYTES];
    struct digest *d;
    ssize_t n;

    if (digest_new(&d, NULL) != 0) {
        return false;
    }
    digest_begin(d);
    while ((n = read_source(s, bytes, sizeof(bytes))) > 0 && !source_is_stopped(s)) {
        digest_add(d, slice_from(bytes, (size_t)n));
    }
    digest_end(d, sum);
    digest_free(d);
    digest_hex(out, sum);
    return n == 0 && rewind_source(s);
}

bool s3_put(struct s3 *s, const char *key, int file, uint64_t size, struct slice type, const struct s3_stop *stop,
            struct s3_outcome *outcome)
{
    char sha256[DIGEST_HEX_MAX], type_field[128];
    const char *fields[] = { type_field };
    struct source source = { .file = file, .stop = stop };
    struct call c = { .sha256 = sha256, .wanted = { 200, 201, 204 } };

    *outcome = (struct s3_outcome){ 0 };
    if (!hash_file(&source, sha256)) {
        outcome->stopped = source_is_stopped(&source);
        return fail(outcome, 502, "the file can not be read");
    }
    snprintf(type_field, sizeof(type_field), "Content-Type: %.*s", SLICE_FMT(type));
    buf_init(&c.complaint, COMPLAINT_MAX_BYTES);
    c.fetch = (struct fetch_call){ .method = "PUT",
                                   .headers = fields,
                                   .header_count = 1,
                                   .read = read_source,
                                   .read_bytes = size,
                                   .rewind = rewind_source,
                                   .into = &c.complaint,
                                   .is_stopped = source_is_stopped,
                                   .arg = &source };
    bool good = run(s, &c, key, outcome);
    buf_release(&c.complaint);
    return good;
}

bool s3_delete(struct s3 *s, const char *key, const struct s3_stop *stop, struct s3_outcome *outcome)
{
    struct source source = { .file = -1, .stop = stop };
    struct call c = { .sha256 = EMPTY_SHA256, .wanted = { 200, 204, 404 } };

    buf_init(&c.complaint, COMPLAINT_MAX_BYTES);
    c.fetch = (struct fetch_call){
        .method = "DELETE", .into = &c.complaint, .is_stopped = source_is_stopped, .arg = &source
    };
    bool good = run(s, &c, key, outcome);
    buf_release(&c.complaint);
    return good;
}

/* ---- Receiving ---- */

static bool take_head(void *arg, uint16_t status)
{
    struct call *c = arg;

    c->good = is_wanted(c, status);
    return !c->good || c->get->on_head(c->get->arg, status, c->by);
}

static bool take_bytes(void *arg, struct slice bytes)
{
    struct call *c = arg;

    if (c->good) {
        return c->get->on_bytes(c->get->arg, bytes);
    }
    buf_add_slice(&c->complaint, slice_take(bytes, COMPLAINT_MAX_BYTES - 1 - c->complaint.len));
    return true;
}

static bool get_is_stopped(void *arg)
{
    struct call *c = arg;

    return c->get->is_stopped(c->get->arg);
}

bool s3_get(struct s3 *s, const char *key, const struct s3_get *get, struct s3_outcome *outcome)
{
    struct call c = { .sha256 = EMPTY_SHA256, .wanted = { 200, 206, 304, 416 }, .get = get };

    buf_init(&c.complaint, COMPLAINT_MAX_BYTES);
    c.fetch = (struct fetch_call){ .method = get->head ? "HEAD" : "GET",
                                   .headers = get->fields,
                                   .header_count = get->field_count,
                                   .on_head = take_head,
                                   .write = take_bytes,
                                   .is_stopped = get_is_stopped,
                                   .arg = &c };
    bool good = run(s, &c, key, outcome);
    buf_release(&c.complaint);
    return good;
}

bool s3_presign(const struct s3 *s, struct buf *out, const char *method, const char *key, time_t now)
{
    struct buf path;
    struct s3_place place = { .scheme = s->url.https ? SLICE("https") : SLICE("http"), .host = buf_slice(&s->host) };

    buf_init(&path, URL_MAX_BYTES + 1024);
    buf_add_slice(&path, buf_slice(&s->path));
    buf_add_str(&path, key);
    place.path = buf_slice(&path);
    bool good = buf_ok(&path) && s3_sign_url(out, &s->keys, method, &place, EXPIRES_S, now);
    buf_release(&path);
    return good;
}
