/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/fetch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "canned.h"

struct fixture {
    struct canned *server;
    struct fetch *fetch;
    struct buf body;
    char url[128];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct err err = { 0 };

    f->server = canned_start();
    assert_int_equal(fetch_new(&f->fetch, &err), 0);
    buf_init(&f->body, 2 * 1024 * 1024);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    fetch_free(f->fetch);
    canned_stop(f->server);
    buf_release(&f->body);
    free(f);
    return 0;
}

static const char *url(struct fixture *f, const char *path)
{
    snprintf(f->url, sizeof(f->url), "http://127.0.0.1:%u%s", canned_port(f->server), path);
    return f->url;
}

static bool has(const struct buf *b, const char *text)
{
    return slice_find_slice(buf_slice(b), slice_str(text)) >= 0;
}

/* ---- What is sent ---- */

static ssize_t read_three(void *arg, char *out, size_t room)
{
    unsigned *calls = arg;

    assert_true(room >= 4);
    memcpy(out, "abc.", 4);
    return (*calls)++ < 3 ? 4 : 0;
}

static unsigned read_calls;
static const char *const FIELDS[] = { "X-One: 1", "Content-Type: text/plain" };
static const struct fetch_aws AWS = { "AKID", "very-secret", "token-of-session", "eu-central-1", "s3", NULL };

static const struct {
    const char *why;
    struct fetch_call call;
    const char *want[4], *unwanted;
} SENT[] = {
    { "the least", { .method = NULL }, { "GET /echo?a=b HTTP/1.1\r\n", "User-Agent: plimsoll/" }, "Content-Length" },
    { "fields", { .headers = FIELDS, .header_count = 2 }, { "X-One: 1\r\n", "Content-Type: text/plain\r\n" }, NULL },
    { "a body from memory",
      { .method = "POST", .body = { "hello", 5 } },
      { "POST /echo", "Content-Length: 5\r\n", "Content-Type: application/octet-stream\r\n", "\r\n\r\nhello" },
      "Expect" },
    { "an empty body has its length", { .method = "PUT" }, { "PUT /echo", "Content-Length: 0\r\n" }, "Expect" },
    { "DELETE has none", { .method = "DELETE" }, { "DELETE /echo" }, "Content-Length" },
    { "a body that is read",
      { .method = "PUT", .read = read_three, .read_bytes = 12, .arg = &read_calls },
      { "Content-Length: 12\r\n", "\r\n\r\nabc.abc.abc." },
      "Expect" },
    { "a body of unknown length",
      { .method = "POST", .read = read_three, .read_bytes = FETCH_LENGTH_UNKNOWN, .arg = &read_calls },
      { "Transfer-Encoding: chunked\r\n", "abc." },
      "Content-Length" },
    { "Basic", { .user = "Aladdin", .password = "open sesame" }, { "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n" }, NULL },
    { "Bearer", { .bearer = "abcd" }, { "Authorization: Bearer abcd\r\n" }, NULL },
    { "a signature of version 4",
      { .method = "PUT", .body = { "hello", 5 }, .aws = &AWS },
      { "Authorization: AWS4-HMAC-SHA256 Credential=AKID/", "/eu-central-1/s3/aws4_request",
        "x-amz-content-sha256: UNSIGNED-PAYLOAD", "x-amz-security-token: token-of-session" },
      "very-secret" },
    { "only what is sent is signed",
      { .method = "PUT", .body = { "hello", 5 }, .aws = &AWS },
      { "SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token," },
      "Expect" },
};

static void test_sent(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(SENT) / sizeof(SENT[0]); i++) {
        struct fetch_call call = SENT[i].call;
        struct fetch_reply reply;
        call.url = url(f, "/echo?a=b");
        call.into = &f->body;
        buf_clear(&f->body);
        read_calls = 0;
        int rc = fetch_run(f->fetch, &call, &reply);
        bool good = rc == 0 && reply.status == 200 && reply.received_bytes == f->body.len;
        for (size_t k = 0; k < 4 && SENT[i].want[k] != NULL; k++) {
            good = good && has(&f->body, SENT[i].want[k]);
        }
        good = good && (SENT[i].unwanted == NULL || !has(&f->body, SENT[i].unwanted));
        if (!good) {
            fail_msg("%s: %d %s %.*s", SENT[i].why, rc, reply.why, SLICE_FMT(buf_slice(&f->body)));
        }
    }
    assert_int_equal(canned_connections(f->server), 1);
}

static void test_head(void **state)
{
    struct fixture *f = *state;
    struct fetch_reply reply;
    struct fetch_call call = { .method = "HEAD", .url = url(f, "/echo"), .into = &f->body };

    assert_int_equal(fetch_run(f->fetch, &call, &reply), 0);
    assert_int_equal(reply.status, 200);
    assert_int_equal(f->body.len, 0);
    assert_true(slice_eq(fetch_header(f->fetch, "x-test"), SLICE("seen")));
    assert_null(fetch_header(f->fetch, "x-other").ptr);
}

/* ---- What comes back ---- */

struct taken {
    struct fetch *fetch;
    unsigned heads, writes;
    uint64_t bytes;
    unsigned stop_after; /* writes; 0: never */
    uint64_t sleep_ns;   /* in the first write */
    struct slice field;
};

static bool take_head(void *arg, uint16_t status)
{
    struct taken *t = arg;

    t->heads++;
    t->field = fetch_header(t->fetch, "X-Test");
    return status == 200;
}

static bool take_bytes(void *arg, struct slice bytes)
{
    struct taken *t = arg;

    t->bytes += bytes.len;
    if (t->writes == 0 && t->sleep_ns > 0) {
        nanosleep(&(struct timespec){ .tv_sec = (time_t)(t->sleep_ns / NS_PER_S) }, NULL);
    }
    return ++t->writes != t->stop_after;
}

static void test_head_before_body(void **state)
{
    struct fixture *f = *state;
    struct taken t = { .fetch = f->fetch };
    struct fetch_reply reply;
    struct fetch_call call = { .url = url(f, "/interim"), .on_head = take_head, .write = take_bytes, .arg = &t };

    assert_int_equal(fetch_run(f->fetch, &call, &reply), 0);
    assert_int_equal(t.heads, 1);
    assert_int_equal(t.bytes, 4);
    assert_true(slice_eq(t.field, SLICE("seen")));
}

static void test_time_in_callbacks_is_no_stall(void **state)
{
    struct fixture *f = *state;
    struct taken t = { .fetch = f->fetch, .sleep_ns = 2 * (uint64_t)NS_PER_S };
    struct fetch_reply reply;
    struct fetch_call call = { .url = url(f, "/bytes"), .write = take_bytes, .arg = &t, .stall_ns = 1500 * NS_PER_MS };

    assert_int_equal(fetch_run(f->fetch, &call, &reply), 0);
    assert_int_equal(t.bytes, 1000000);
}

static void test_writer_stops(void **state)
{
    struct fixture *f = *state;
    struct taken t = { .fetch = f->fetch, .stop_after = 2 };
    struct fetch_reply reply;
    struct fetch_call call = { .url = url(f, "/bytes"), .write = take_bytes, .arg = &t };

    assert_int_equal(fetch_run(f->fetch, &call, &reply), -1);
    assert_int_equal(reply.fail, FETCH_STOPPED);
    assert_int_equal(t.writes, 2);
    /* And the handle is as good as before. */
    call = (struct fetch_call){ .url = url(f, "/interim"), .into = &f->body };
    assert_int_equal(fetch_run(f->fetch, &call, &reply), 0);
    assert_true(slice_eq(buf_slice(&f->body), SLICE("late")));
}

static bool is_stopped(void *arg)
{
    uint64_t *until_ns = arg;

    return clock_now_ns() >= *until_ns;
}

static void test_stopped_from_outside(void **state)
{
    struct fixture *f = *state;
    uint64_t until_ns = clock_now_ns() + 200 * NS_PER_MS;
    struct fetch_reply reply;
    struct fetch_call call = { .url = url(f, "/silent"), .is_stopped = is_stopped, .arg = &until_ns };

    assert_int_equal(fetch_run(f->fetch, &call, &reply), -1);
    assert_int_equal(reply.fail, FETCH_STOPPED);
    assert_true(reply.elapsed_ns < 20 * (uint64_t)NS_PER_S);
}

static ssize_t read_too_little(void *arg, char *out, size_t room)
{
    return 0;
}

static ssize_t read_broken(void *arg, char *out, size_t room)
{
    return -1;
}

static const struct {
    const char *why, *path;
    struct fetch_call call;
    enum fetch_fail want;
    uint16_t status;
    const char *says;
} FAILS[] = {
    { "nobody listens", "http://127.0.0.1:1/", { 0 }, FETCH_NO_CONNECTION, 0, "port 1" },
    { "no such name", "http://no..such/", { 0 }, FETCH_NO_NAME, 0, "no..such" },
    { "another protocol", "file:///etc/passwd", { 0 }, FETCH_BAD_CALL, 0, "file" },
    { "no URL", "http://", { 0 }, FETCH_BAD_CALL, 0, "" },
    { "no TLS there", "https://127.0.0.1:%u/die", { 0 }, FETCH_TLS, 0, "" },
    { "closed without a reply", "/die", { 0 }, FETCH_BROKEN, 0, "" },
    { "a reply cut short", "/short", { 0 }, FETCH_BROKEN, 200, "" },
    { "nothing comes", "/silent", { .total_ns = 200 * NS_PER_MS }, FETCH_TIMEOUT, 0, "" },
    { "nothing moves at first", "/silent", { .stall_ns = 200 * NS_PER_MS }, FETCH_TIMEOUT, 0, "0.2 s" },
    { "nothing moves midway", "/stall", { .stall_ns = 1500 * NS_PER_MS }, FETCH_TIMEOUT, 200, "1.5 s" },
    { "the body's end comes too early",
      "/echo",
      { .method = "PUT", .read = read_too_little, .read_bytes = 10 },
      FETCH_STOPPED,
      0,
      "" },
    { "the body can not be read",
      "/echo",
      { .method = "PUT", .read = read_broken, .read_bytes = FETCH_LENGTH_UNKNOWN },
      FETCH_STOPPED,
      0,
      "" },
};

static void test_fails(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(FAILS) / sizeof(FAILS[0]); i++) {
        struct fetch_call call = FAILS[i].call;
        struct fetch_reply reply;
        call.url = FAILS[i].path;
        if (FAILS[i].path[0] == '/') {
            call.url = url(f, FAILS[i].path);
        } else if (strncmp(FAILS[i].path, "https", 5) == 0) {
            snprintf(f->url, sizeof(f->url), "https://127.0.0.1:%u/die", canned_port(f->server));
            call.url = f->url;
        }
        int rc = fetch_run(f->fetch, &call, &reply);
        if (rc != -1 || reply.fail != FAILS[i].want || reply.status != FAILS[i].status ||
            strstr(reply.why, FAILS[i].says) == NULL || reply.why[0] == '\0') {
            fail_msg("%s: %s, %u, \"%s\"", FAILS[i].why, fetch_fail_text(reply.fail), reply.status, reply.why);
        }
    }
}

static void test_too_large(void **state)
{
    struct fixture *f = *state;
    struct fetch_reply reply;
    struct buf small;
    struct fetch_call call = { .url = url(f, "/bytes"), .into = &small };

    buf_init(&small, 100 * 1000);
    assert_int_equal(fetch_run(f->fetch, &call, &reply), -1);
    assert_int_equal(reply.fail, FETCH_TOO_LARGE);
    buf_release(&small);
}

/* ---- Connections ---- */

static void test_dead_connection_is_replaced(void **state)
{
    struct fixture *f = *state;
    struct fetch_reply reply;
    struct fetch_call call = { .method = "PUT", .body = { "again", 5 }, .into = &f->body };

    for (int i = 0; i < 3; i++) {
        call.url = url(f, "/once");
        buf_clear(&f->body);
        assert_int_equal(fetch_run(f->fetch, &call, &reply), 0);
        assert_true(slice_eq(buf_slice(&f->body), SLICE("once")));
    }
}

static void test_connection_is_reused(void **state)
{
    struct fixture *f = *state;
    struct fetch_reply reply;
    struct fetch_call call = { .url = url(f, "/echo") };

    assert_int_equal(fetch_run(f->fetch, &call, &reply), 0);
    assert_false(reply.reused);
    assert_int_equal(fetch_run(f->fetch, &call, &reply), 0);
    assert_true(reply.reused);
    assert_int_equal(canned_connections(f->server), 1);
}

static ssize_t read_much(void *arg, char *out, size_t room)
{
    memset(out, 'y', room);
    return (ssize_t)room;
}

static void test_refused_before_the_body_is_read(void **state)
{
    struct fixture *f = *state;
    struct fetch_reply reply;
    struct fetch_call call = {
        .method = "PUT", .url = url(f, "/refuse"), .read = read_much, .read_bytes = 1ull << 33, .into = &f->body
    };

    /* libcurl stops sending and hands on what the server says. */
    assert_int_equal(fetch_run(f->fetch, &call, &reply), 0);
    assert_int_equal(reply.status, 403);
    assert_true(slice_eq(buf_slice(&f->body), SLICE("no")));
    assert_true(reply.sent_bytes < 1ull << 33);
}

static void test_proxies_only_when_asked_for(void **state)
{
    struct fixture *f = *state;
    struct fetch_reply reply;
    struct fetch_call call = { .url = url(f, "/echo"), .into = &f->body };

    unsetenv("no_proxy");
    unsetenv("NO_PROXY");
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    assert_int_equal(fetch_run(f->fetch, &call, &reply), 0);
    call.proxy_from_environment = true;
    assert_int_equal(fetch_run(f->fetch, &call, &reply), -1);
    assert_int_equal(reply.fail, FETCH_NO_CONNECTION);
    unsetenv("http_proxy");
}

/* ---- Threads ---- */

static void *fetch_in_thread(void *arg)
{
    const char *where = arg;
    struct fetch *fetch = NULL;
    struct fetch_reply reply;
    struct fetch_call call = { .url = where };
    intptr_t good = 0;

    if (fetch_new(&fetch, NULL) == 0) {
        for (int i = 0; i < 20; i++) {
            good += fetch_run(fetch, &call, &reply) == 0;
        }
    }
    fetch_free(fetch);
    return (void *)good; /* NOLINT */
}

static void test_threads(void **state)
{
    struct fixture *f = *state;
    pthread_t threads[8];
    char where[128];

    snprintf(where, sizeof(where), "%s", url(f, "/echo"));
    for (int i = 0; i < 8; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, fetch_in_thread, where), 0);
    }
    for (int i = 0; i < 8; i++) {
        void *good = NULL;
        pthread_join(threads[i], &good);
        assert_int_equal((intptr_t)good, 20);
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_sent),
        CASE(test_head),
        CASE(test_head_before_body),
        CASE(test_time_in_callbacks_is_no_stall),
        CASE(test_writer_stops),
        CASE(test_stopped_from_outside),
        CASE(test_fails),
        CASE(test_too_large),
        CASE(test_dead_connection_is_replaced),
        CASE(test_connection_is_reused),
        CASE(test_refused_before_the_body_is_read),
        CASE(test_proxies_only_when_asked_for),
        CASE(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
