/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine against a small server in this process, which counts what it saw. */
#include "load/load.h"

#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/listen.h"

/* Answers on each connection as told; one thread a connection, blocking. */
struct server {
    int fd;
    uint16_t port;
    const char *reply;
    unsigned delay_ms;    /* before each reply */
    unsigned close_after; /* requests a connection; 0: never. Closed without a word of warning. */
    _Atomic unsigned requests, connections, guests;
    pthread_t thread;
};

struct guest {
    struct server *server;
    int fd;
};

static void *serve_guest(void *arg)
{
    struct guest *g = arg;
    struct server *s = g->server;
    char in[4096];
    unsigned served = 0;
    size_t have = 0;

    for (;;) {
        const ssize_t n = read(g->fd, in + have, sizeof(in) - have);

        if (n <= 0)
            break;
        have += (size_t)n;
        if (have < 4 || memcmp(in + have - 4, "\r\n\r\n", 4) != 0)
            continue;
        have = 0;
        atomic_fetch_add(&s->requests, 1);
        if (s->delay_ms > 0)
            poll(NULL, 0, (int)s->delay_ms);
        if (s->close_after > 0 && served == s->close_after)
            break;
        if (write(g->fd, s->reply, strlen(s->reply)) < 0)
            break;
        served++;
    }
    close(g->fd);
    free(g);
    atomic_fetch_sub(&s->guests, 1); /* the last that is done with the server */
    return NULL;
}

static void *serve_all(void *arg)
{
    struct server *s = arg;

    for (;;) {
        struct guest *g = malloc(sizeof(*g));
        pthread_t t;

        g->server = s;
        g->fd = accept(s->fd, NULL, NULL);
        if (g->fd < 0) {
            free(g);
            return NULL;
        }
        atomic_fetch_add(&s->connections, 1);
        atomic_fetch_add(&s->guests, 1);
        pthread_create(&t, NULL, serve_guest, g);
        pthread_detach(t);
    }
}

static void server_start(struct server *s, const char *reply, unsigned close_after)
{
    struct addr on, bound;
    struct err err = { 0 };

    s->reply = reply;
    s->close_after = close_after;
    assert_int_equal(addr_parse(&on, SLICE("127.0.0.1"), 0, &err), 0);
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s->fd, &on.sa.any, on.len), 0);
    assert_int_equal(listen(s->fd, 100), 0);
    bound.len = sizeof(bound.sa);
    assert_int_equal(getsockname(s->fd, &bound.sa.any, &bound.len), 0);
    s->port = ntohs(bound.sa.v4.sin_port);
    assert_int_equal(pthread_create(&s->thread, NULL, serve_all, s), 0);
}

static void server_stop(struct server *s)
{
    shutdown(s->fd, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->fd);
    while (atomic_load(&s->guests) > 0)
        poll(NULL, 0, 1);
}

static struct result *run(struct server *s, struct load_plan *plan, const char *method)
{
    char url[64];
    struct load_target target = { .url = url, .method = method };
    struct result *r = NULL;
    struct load *l = NULL;
    struct err err = { 0 };

    snprintf(url, sizeof(url), "http://127.0.0.1:%u/", s->port);
    plan->targets = &target;
    plan->target_count = 1;
    if (load_prepare(&l, plan, &err) != 0 || load_run(l, &r, &err) != 0)
        fail_msg("%s", err.what);
    load_free(l);
    assert_true(result_check(r));
    assert_int_equal(r->totals.started, r->totals.ok + r->totals.failed + r->totals.unfinished);
    return r;
}

#define OK_REPLY "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

static void a_count_is_exact(void **state)
{
    static const struct {
        const char *why;
        unsigned requests, connections, threads;
    } CASES[] = {
        { "does not divide", 103, 10, 2 },       { "one", 1, 1, 1 },
        { "fewer than connections", 3, 10, 2 },  { "more threads than connections", 50, 2, 8 },
        { "as many as connections", 10, 10, 3 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        struct server s = { 0 };
        struct load_plan plan;
        struct result *r;

        server_start(&s, OK_REPLY, 0);
        load_plan_init(&plan);
        plan.requests = CASES[i].requests;
        plan.connections = CASES[i].connections;
        plan.threads = CASES[i].threads;
        r = run(&s, &plan, "GET");
        if (r->totals.ok != CASES[i].requests || s.requests != CASES[i].requests)
            fail_msg("%s: ok %lu, server saw %u", CASES[i].why, (unsigned long)r->totals.ok, s.requests);
        assert_int_equal(s.connections, r->totals.connections_opened);
        assert_true(s.connections <= CASES[i].connections);
        result_free(r);
        server_stop(&s);
    }
}

static void an_idle_close_is_retried_once(void **state)
{
    static const struct {
        const char *why, *method;
        bool no_retry;
        bool may_fail;
    } CASES[] = {
        { "idempotent", "GET", false, false },
        { "told not to", "GET", true, true },
        { "not idempotent", "POST", false, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        struct server s = { 0 };
        struct load_plan plan;
        struct result *r;

        server_start(&s, OK_REPLY, 10);
        load_plan_init(&plan);
        plan.requests = 100;
        plan.connections = 1;
        plan.no_retry = CASES[i].no_retry;
        r = run(&s, &plan, CASES[i].method);
        if (CASES[i].may_fail != (r->totals.failed > 0) || CASES[i].may_fail == (r->totals.retried > 0))
            fail_msg("%s: %lu failed, %lu retried", CASES[i].why, (unsigned long)r->totals.failed,
                     (unsigned long)r->totals.retried);
        assert_int_equal(s.requests, r->totals.sent + r->totals.retried);
        result_free(r);
        server_stop(&s);
    }
}

static void warm_up_is_outside_all_figures(void **state)
{
    struct server s = { 0 };
    struct load_plan plan;
    struct result *r;

    (void)state;
    server_start(&s, OK_REPLY, 0);
    load_plan_init(&plan);
    plan.connections = 4;
    plan.warmup_ns = 200000000;
    plan.duration_ns = 300000000;
    r = run(&s, &plan, "GET");
    assert_true(r->warmup.sent > 0);
    assert_int_equal(s.requests, r->totals.sent + r->warmup.sent);
    assert_int_equal(hist_count(r->latency), r->totals.ok);
    assert_int_equal(r->totals.connections_opened, 4);
    assert_int_equal(s.connections, 4);
    result_free(r);
    server_stop(&s);
}

static _Atomic unsigned recorded, recorded_ok;

static void take_records(void *arg, const struct load_record *records, size_t count)
{
    (void)arg;
    for (size_t i = 0; i < count; i++) {
        recorded++;
        recorded_ok += records[i].fail == LOAD_OK && records[i].status == 200 && records[i].body_bytes == 2 &&
                       records[i].due_ns <= records[i].sent_first_ns &&
                       records[i].sent_first_ns <= records[i].sent_last_ns &&
                       records[i].sent_last_ns <= records[i].end_ns && records[i].reply_first_ns <= records[i].end_ns;
    }
}

static void records_are_complete(void **state)
{
    struct server s = { 0 };
    struct load_plan plan;
    struct result *r;

    (void)state;
    recorded = recorded_ok = 0;
    server_start(&s, OK_REPLY, 0);
    load_plan_init(&plan);
    plan.connections = 4;
    plan.requests = 500;
    plan.on_records = take_records;
    r = run(&s, &plan, "GET");
    assert_int_equal(recorded, 500);
    assert_int_equal(recorded_ok, 500);
    result_free(r);
    server_stop(&s);
}

static void what_a_peer_does_wrong_has_a_name(void **state)
{
    static const struct {
        const char *why, *reply;
        enum fail_kind kind;
    } CASES[] = {
        { "no HTTP", "SSH-2.0-OpenSSH\r\n\r\n", FAIL_BAD_MESSAGE },
        { "an unexpected status", "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", FAIL_STATUS },
        { "more than was announced", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nhi", FAIL_BAD_MESSAGE },
        { "a chunk size that is none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
          FAIL_BAD_MESSAGE },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        struct server s = { 0 };
        struct load_plan plan;
        struct result *r;

        server_start(&s, CASES[i].reply, 0);
        load_plan_init(&plan);
        plan.connections = 2;
        plan.requests = 20;
        r = run(&s, &plan, "GET");
        if (r->totals.failed != 20 || r->error_count != 1 || r->errors[0].kind != CASES[i].kind)
            fail_msg("%s: %lu failed, %zu kinds, first '%s'", CASES[i].why, (unsigned long)r->totals.failed,
                     r->error_count, r->error_count > 0 ? fail_kind_text(r->errors[0].kind) : "none");
        assert_false(r->valid);
        result_free(r);
        server_stop(&s);
    }
}

static void nobody_there_ends_at_once(void **state)
{
    struct server s = { 0 };
    struct load_plan plan;
    struct result *r;

    (void)state;
    server_start(&s, OK_REPLY, 0);
    server_stop(&s); /* its port is closed now */
    load_plan_init(&plan);
    plan.duration_ns = UINT64_C(60000000000);
    r = run(&s, &plan, "GET");
    assert_false(r->valid);
    assert_int_equal(r->totals.started, 10);
    assert_int_equal(r->totals.failed, 10);
    assert_int_equal(r->errors[0].kind, FAIL_CONNECT_REFUSED);
    result_free(r);
}

static void a_rate_is_over_all_threads_and_exact(void **state)
{
    static const struct {
        const char *why;
        double rate;
        unsigned threads, seconds_tenths, want;
    } CASES[] = {
        { "two threads share it", 200, 2, 10, 200 },
        { "one thread", 50, 1, 10, 50 },
        { "less than one a second", 0.5, 2, 10, 1 },
        { "a fraction", 12.5, 2, 10, 13 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        const struct load_stage stage = { CASES[i].rate, CASES[i].rate, UINT64_MAX };
        struct server s = { 0 };
        struct load_plan plan;
        struct result *r;

        server_start(&s, OK_REPLY, 0);
        load_plan_init(&plan);
        plan.connections = 10;
        plan.threads = CASES[i].threads;
        plan.duration_ns = CASES[i].seconds_tenths * UINT64_C(100000000);
        plan.schedule = (struct load_schedule){ .stages = &stage, .stage_count = 1 };
        r = run(&s, &plan, "GET");
        if (r->totals.ok != CASES[i].want || s.requests != CASES[i].want)
            fail_msg("%s: %lu ok, server saw %u, want %u", CASES[i].why, (unsigned long)r->totals.ok, s.requests,
                     CASES[i].want);
        assert_int_equal(r->totals.not_sent, 0);
        result_free(r);
        server_stop(&s);
    }
}

/* One connection, 100 ms a reply, 50/s asked for: 10/s achieved; what waits is a number, and its latency grows from its
 * due time. */
static void a_missed_rate_is_said(void **state)
{
    const struct load_stage stage = { 50, 50, UINT64_MAX };
    struct server s = { 0 };
    struct load_plan plan;
    struct result *r;

    (void)state;
    s.delay_ms = 100;
    server_start(&s, OK_REPLY, 0);
    load_plan_init(&plan);
    plan.connections = 1;
    plan.duration_ns = UINT64_C(2000000000);
    plan.schedule = (struct load_schedule){ .stages = &stage, .stage_count = 1 };
    r = run(&s, &plan, "GET");
    assert_int_equal(r->totals.started + r->totals.not_sent, 100);
    assert_in_range(r->totals.started, 10, 20);
    assert_true(hist_max_ns(r->latency) > UINT64_C(1000000000));
    assert_true(hist_max_ns(r->service_time) < UINT64_C(1000000000));
    assert_true(r->warnings.count > 0);
    assert_int_equal(s.requests, r->totals.sent);
    result_free(r);
    server_stop(&s);
}

static void the_pool_grows_when_told(void **state)
{
    const struct load_stage stage = { 50, 50, UINT64_MAX };
    struct server s = { 0 };
    struct load_plan plan;
    struct result *r;

    (void)state;
    s.delay_ms = 100;
    server_start(&s, OK_REPLY, 0);
    load_plan_init(&plan);
    plan.connections = 1;
    plan.grow = 20;
    plan.duration_ns = UINT64_C(1000000000);
    plan.schedule = (struct load_schedule){ .stages = &stage, .stage_count = 1 };
    r = run(&s, &plan, "GET");
    assert_int_equal(r->totals.started, 50);
    assert_int_equal(r->totals.ok, 50);
    assert_in_range(s.connections, 4, 20);
    result_free(r);
    server_stop(&s);
}

static void connections_come_in_stages(void **state)
{
    static const struct load_connection_stage STAGES[] = { { 1, 300000000 }, { 4, 300000000 }, { 2, 300000000 } };
    struct server s = { 0 };
    struct load_plan plan;
    struct result *r;

    (void)state;
    s.delay_ms = 10;
    server_start(&s, OK_REPLY, 0);
    load_plan_init(&plan);
    plan.connections = 4;
    plan.connection_stages = STAGES;
    plan.connection_stage_count = 3;
    r = run(&s, &plan, "GET");
    assert_in_range(s.connections, 4, 5);
    assert_true(r->duration_s > 0.89 && r->duration_s < 0.91);
    /* 30 + 120 + 60 requests at most; a noisy machine makes fewer. */
    assert_in_range(r->totals.ok, 60, 214);
    assert_true(r->totals.in_flight_mean > 1.9 && r->totals.in_flight_mean < 2.5);
    result_free(r);
    server_stop(&s);
}

static void think_time_is_kept(void **state)
{
    struct server s = { 0 };
    struct load_plan plan;
    struct result *r;

    (void)state;
    server_start(&s, OK_REPLY, 0);
    load_plan_init(&plan);
    plan.connections = 10;
    plan.duration_ns = UINT64_C(1000000000);
    plan.think_min_ns = 80000000;
    plan.think_max_ns = 120000000;
    r = run(&s, &plan, "GET");
    /* 10 connections, one request per 80 to 120 ms each, the first at once. */
    assert_in_range(r->totals.ok, 60, 130);
    assert_int_equal(s.requests, r->totals.sent);
    result_free(r);
    server_stop(&s);
}

static void connections_join_one_by_one(void **state)
{
    struct server s = { 0 };
    struct load_plan plan;
    struct result *r;

    (void)state;
    s.delay_ms = 20;
    server_start(&s, OK_REPLY, 0);
    load_plan_init(&plan);
    plan.connections = 10;
    plan.duration_ns = UINT64_C(1000000000);
    plan.ramp_up_ns = UINT64_C(1000000000);
    r = run(&s, &plan, "GET");
    assert_int_equal(s.connections, 10);
    assert_true(r->totals.in_flight_mean > 4 && r->totals.in_flight_mean < 6.5);
    result_free(r);
    server_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_is_exact),
        cmocka_unit_test(an_idle_close_is_retried_once),
        cmocka_unit_test(warm_up_is_outside_all_figures),
        cmocka_unit_test(records_are_complete),
        cmocka_unit_test(what_a_peer_does_wrong_has_a_name),
        cmocka_unit_test(nobody_there_ends_at_once),
        cmocka_unit_test(a_rate_is_over_all_threads_and_exact),
        cmocka_unit_test(a_missed_rate_is_said),
        cmocka_unit_test(the_pool_grows_when_told),
        cmocka_unit_test(connections_come_in_stages),
        cmocka_unit_test(think_time_is_kept),
        cmocka_unit_test(connections_join_one_by_one),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("load engine", tests, NULL, NULL);
}
