/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/object_store.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "http/url.h"
#include "web/fetch.h"

#define CONNECT_NS (UINT64_C(10) * NS_PER_S)
#define STALL_NS (UINT64_C(60) * NS_PER_S)
#define REPLY_MAX_BYTES ((size_t)4096)
enum { URL_MAX_BYTES = 8192, TRIES = 3 };

const char *const OBJECT_STORE_VARIABLES[] = { "AWS_ACCESS_KEY_ID",
                                               "AWS_SECRET_ACCESS_KEY",
                                               "AWS_SESSION_TOKEN",
                                               "AWS_REGION",
                                               "AWS_ENDPOINT_URL",
                                               "PLIMSOLL_STORE_TOKEN",
                                               NULL };
static const char S3[] = "s3://";

struct object_store {
    struct fetch *fetch;
    char *base; /* with a slash at the end */
    struct fetch_aws aws;
    bool is_s3;
    const char *token;
};

static bool is_s3(const char *url)
{
    return strncmp(url, S3, sizeof(S3) - 1) == 0;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

bool object_store_is(const char *text)
{
    return strstr(text, "://") != NULL;
}

unsigned object_store_needs(const char *url)
{
    return is_s3(url) ? 2 : 0;
}

/* What stands in a URL, and in a shell's word, as it is. */
static bool is_plain(const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        if (!((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z') && !(*c >= '0' && *c <= '9') && strchr("-._/:[]~", *c) == NULL)
            return false;
    return true;
}

int object_store_check(const char *url, struct err *err)
{
    const bool of_s3 = is_s3(url);
    struct url parsed;

    if (strchr(url, '@') != NULL) {
        err_set(err, ERR_USAGE, 0, "the URL of the store has credentials in it");
        return err_hint(err, "they come from the environment: AWS_ACCESS_KEY_ID and so on, or PLIMSOLL_STORE_TOKEN");
    }
    if (!of_s3 && strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) {
        err_set(err, ERR_USAGE, 0, "\"%s\" is no store that is known", url);
        return err_hint(err, "s3://BUCKET/PREFIX, https://HOST/PATH or http://HOST/PATH");
    }
    if (!is_plain(url) || (of_s3 && (url[sizeof(S3) - 1] == '\0' || url[sizeof(S3) - 1] == '/'))) {
        err_set(err, ERR_USAGE, 0, "\"%s\" can not be the place of a store", url);
        return err_hint(err, "a bucket or a host, then a path of letters, digits, '-', '.', '_' and '/'");
    }
    return of_s3 ? 0 : url_parse(&parsed, slice_str(url), err);
}

/* ---- life ---- */

static void add_endpoint(struct buf *out, const char *region)
{
    const char *endpoint = variable("AWS_ENDPOINT_URL");

    if (endpoint == NULL) {
        buf_printf(out, "https://s3.%s.amazonaws.com/", region);
        return;
    }
    buf_add_str(out, endpoint);
    if (endpoint[strlen(endpoint) - 1] != '/')
        buf_add_char(out, '/');
}

static int take_s3(struct object_store *s, struct err *err)
{
    s->is_s3 = true;
    s->aws = (struct fetch_aws){ .key_id = variable("AWS_ACCESS_KEY_ID"),
                                 .secret = variable("AWS_SECRET_ACCESS_KEY"),
                                 .session_token = variable("AWS_SESSION_TOKEN"),
                                 .region = variable("AWS_REGION"),
                                 .service = "s3" };
    if (s->aws.region == NULL)
        s->aws.region = "us-east-1";
    if (s->aws.key_id != NULL && s->aws.secret != NULL)
        return 0;
    err_set(err, ERR_CONFIG, 0, "S3 needs credentials, and the environment has no %s",
            s->aws.key_id == NULL ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY");
    return err_hint(err, "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION");
}

static int take_url(struct object_store *s, const char *url, struct err *err)
{
    struct buf base;

    s->token = variable("PLIMSOLL_STORE_TOKEN");
    if (is_s3(url) && take_s3(s, err) != 0)
        return -1;
    buf_init(&base, URL_MAX_BYTES);
    if (s->is_s3)
        add_endpoint(&base, s->aws.region);
    buf_add_str(&base, s->is_s3 ? url + sizeof(S3) - 1 : url);
    if (!slice_ends(buf_slice(&base), SLICE("/")))
        buf_add_char(&base, '/');
    s->base = buf_detach(&base);
    return s->base != NULL ? 0 : err_set(err, ERR_USAGE, 0, "the URL of the store is too long");
}

int object_store_open(struct object_store **out, const char *url, struct err *err)
{
    struct object_store *s;

    *out = NULL;
    if (object_store_check(url, err) != 0)
        return -1;
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot use the store");
    if (take_url(s, url, err) != 0 || fetch_new(&s->fetch, err) != 0) {
        object_store_close(s);
        return -1;
    }
    *out = s;
    return 0;
}

void object_store_close(struct object_store *s)
{
    if (s == NULL)
        return;
    fetch_free(s->fetch);
    free(s->base);
    free(s);
}

/* ---- calls ---- */

/* call: method and body, or into. */
static int run(struct object_store *s, const char *name, struct fetch_call *call, struct fetch_reply *reply,
               struct err *err)
{
    struct buf url;
    int rc;

    buf_init(&url, URL_MAX_BYTES);
    buf_add_str(&url, s->base);
    buf_add_str(&url, name);
    buf_add_char(&url, '\0');
    call->url = url.data;
    call->connect_ns = CONNECT_NS;
    call->stall_ns = STALL_NS;
    call->proxy_from_environment = true;
    if (s->is_s3)
        call->aws = &s->aws;
    else
        call->bearer = s->token;
    rc = buf_ok(&url) ? fetch_run(s->fetch, call, reply) : -1;
    if (!buf_ok(&url))
        err_set(err, ERR_USAGE, 0, "the URL of the store is too long");
    else if (rc != 0)
        err_set(err, ERR_SYSTEM, 0, "%s%s: %s: %s", s->base, name, fetch_fail_text(reply->fail), reply->why);
    buf_release(&url);
    return rc;
}

static int refused(const struct object_store *s, const char *name, uint16_t status, struct err *err)
{
    err_set(err, status < 500 ? ERR_CONFIG : ERR_PEER, 0, "%s%s: the store answers %u", s->base, name, status);
    return status == 401 || status == 403 ? err_hint(err, "are the credentials in the environment those of this store?")
                                          : -1;
}

static int put_once(struct object_store *s, const char *name, struct slice bytes, struct err *err)
{
    static const char *const HEADERS[] = { "Content-Type: application/octet-stream" };
    struct fetch_reply reply = { 0 };
    struct fetch_call call = { .method = "PUT", .body = bytes, .headers = HEADERS, .header_count = 1 };

    if (run(s, name, &call, &reply, err) != 0)
        return -1;
    return reply.status >= 200 && reply.status < 300 ? 0 : refused(s, name, reply.status, err);
}

int object_store_put(struct object_store *s, const char *name, struct slice bytes, struct err *err)
{
    for (int i = 1; put_once(s, name, bytes, err) != 0; i++) {
        if (i == TRIES || err_exit_code(err->kind) == 2)
            return -1;
        (void)poll(NULL, 0, 1000);
    }
    return 0;
}

int object_store_get(struct object_store *s, const char *name, struct buf *out, bool *found, struct err *err)
{
    struct fetch_reply reply = { 0 };
    struct fetch_call call = { .into = out };

    *found = false;
    buf_clear(out);
    if (run(s, name, &call, &reply, err) != 0)
        return -1;
    if (reply.status == 404)
        return 0;
    *found = reply.status == 200;
    return *found ? 0 : refused(s, name, reply.status, err);
}
