/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/elasticsearch_call.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/units.h"

#define REPLY_MAX_BYTES (UINT64_C(1) << 28)
#define TOTAL_NS (60 * (uint64_t)NS_PER_S)
#define CONNECT_NS (10 * (uint64_t)NS_PER_S)
enum { URL_MAX = 8192, WORDS_MAX = 160 };

int elasticsearch_call_init(struct elasticsearch_call *c, const struct elasticsearch *server, struct err *err)
{
    *c = (struct elasticsearch_call){ .server = server };
    return fetch_new(&c->fetch, err);
}

void elasticsearch_call_release(struct elasticsearch_call *c)
{
    fetch_free(c->fetch);
    c->fetch = NULL;
}

void elasticsearch_pause(unsigned attempt)
{
    const uint64_t ms = attempt < 4 ? UINT64_C(200) << attempt : 2000;
    struct timespec t = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };

    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        continue;
}

static bool may_pass(const struct fetch_reply *reply)
{
    if (reply->fail != FETCH_OK)
        return reply->fail == FETCH_NO_CONNECTION || reply->fail == FETCH_BROKEN || reply->fail == FETCH_TIMEOUT;
    return reply->status == 429 || (reply->status >= 502 && reply->status <= 504);
}

/* What an error answer says: {"error": {"reason": "..."}}, else its first bytes. */
static void words_of(char out[WORDS_MAX], const json_t *answer, struct slice body)
{
    const json_t *error = json_object_get(answer, "error");
    const char *reason = json_string_value(json_object_get(error, "reason"));

    if (reason == NULL)
        reason = json_string_value(error);
    if (reason != NULL)
        snprintf(out, WORDS_MAX, "%s", reason);
    else
        snprintf(out, WORDS_MAX, "%.*s", SLICE_FMT(slice_take(body, 100)));
    for (char *c = out; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
}

static json_t *judge(const struct fetch_reply *reply, struct slice body, struct err *err)
{
    json_t *answer = NULL;
    char words[WORDS_MAX];

    if (reply->fail != FETCH_OK) {
        err_set(err, ERR_PEER, 0, "%s", reply->why);
        return NULL;
    }
    answer = json_loadb(body.ptr != NULL ? body.ptr : "", body.len, 0, NULL);
    if (reply->status >= 200 && reply->status < 300 && json_is_object(answer))
        return answer;
    words_of(words, answer, body);
    json_decref(answer);
    err_set(err, ERR_PEER, 0, "the server answered with status %u: %s", reply->status, words);
    if (reply->status == 401 || reply->status == 403)
        err_hint(err, "give credentials in the URL: https://user:password@host:9200");
    return NULL;
}

static int run(struct elasticsearch_call *c, const struct fetch_call *call, struct fetch_reply *reply, struct buf *into)
{
    int failed = -1;

    for (unsigned i = 0; i < ELASTICSEARCH_ATTEMPTS; i++) {
        buf_clear(into);
        failed = fetch_run(c->fetch, call, reply);
        if (!may_pass(reply))
            return failed;
        if (i + 1 < ELASTICSEARCH_ATTEMPTS)
            elasticsearch_pause(i);
    }
    return failed;
}

json_t *elasticsearch_call(struct elasticsearch_call *c, const char *method, const char *path, const char *type,
                           struct slice body, struct err *err)
{
    const struct elasticsearch *server = c->server;
    char url[URL_MAX], content_type[64];
    const char *headers[] = { content_type };
    struct slice base = slice_str(server->url);
    struct fetch_reply reply = { .fail = FETCH_OK };
    json_t *answer = NULL;
    struct buf into;
    struct fetch_call call = { .method = method,
                               .url = url,
                               .headers = headers,
                               .header_count = 1,
                               .body = body,
                               .into = &into,
                               .connect_ns = CONNECT_NS,
                               .total_ns = TOTAL_NS,
                               .user = server->user,
                               .password = server->password,
                               .ca_file = server->ca_file,
                               .insecure = server->insecure,
                               .proxy_from_environment = true };

    while (slice_ends(base, SLICE("/")))
        base.len--;
    snprintf(content_type, sizeof(content_type), "Content-Type: %s", type);
    if ((size_t)snprintf(url, sizeof(url), "%.*s%s", SLICE_FMT(base), path) >= sizeof(url)) {
        err_set(err, ERR_CONFIG, 0, "the URL is too long");
        return NULL;
    }
    buf_init(&into, REPLY_MAX_BYTES);
    (void)run(c, &call, &reply, &into);
    answer = judge(&reply, buf_slice(&into), err);
    buf_release(&into);
    return answer;
}
