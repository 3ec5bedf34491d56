/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mb's options, what its requests become in the plan, and what a record becomes as a line. */
#include "cli/mb_plan.h"
#include "cli/mb_responses.h"

#include <string.h>

#include "argv.h"
#include "base/units.h"

static const struct options_case {
    const char *why, *line;
    struct mb_options want;
} OPTIONS[] = {
    { "the defaults", "-i|f", { .duration_s = 5, .request_file = "f" } },
    { "all, short", "-c|-d|7|-i|f|-o|g|-q|-r|2|-s|4|-t|3", { true, true, 7, 2, 3, 12, "f", "g" } },
    { "all, long",
      "--cookies|--duration|7|--request-file|f|--response-file|g|--quiet|--ramp-up|2|--ssl-version|3|--threads|3",
      { true, true, 7, 2, 3, 11, "f", "g" } },
    { "glued and joined", "-d10|-if|--threads=2", { .duration_s = 10, .threads = 2, .request_file = "f" } },
    { "hexadecimal, as mb reads numbers", "-d|0x10|-i|f", { .duration_s = 16, .request_file = "f" } },
};

static void test_options(void **state)
{
    for (size_t i = 0; i < sizeof(OPTIONS) / sizeof(OPTIONS[0]); i++) {
        const struct options_case *t = &OPTIONS[i];
        struct strlist words = argv_of(t->line);
        struct mb_options o;
        int code;

        if (mb_options_parse(&o, (int)words.count, words.items, &code) != 0)
            fail_msg("%s: refused", t->why);
        if (o.cookies != t->want.cookies || o.quiet != t->want.quiet || o.duration_s != t->want.duration_s ||
            o.ramp_up_s != t->want.ramp_up_s || o.threads != t->want.threads || o.tls_version != t->want.tls_version)
            fail_msg("%s: differs", t->why);
        assert_string_equal(o.request_file, t->want.request_file);
        assert_int_equal(o.response_file != NULL, t->want.response_file != NULL);
        strlist_release(&words);
    }
    (void)state;
}

static const char REQUESTS[] =
    "[{\"host\": \"127.0.0.1\", \"port\": 8080, \"path\": \"/a?token=s3cret\", \"clients\": 3, "
    "\"keep-alive-requests\": 4, \"max-requests\": 5, \"delay\": {\"min\": 1, \"max\": 2}, \"ramp-up\": 6},"
    "{\"host\": \"::1\", \"scheme\": \"https\", \"port\": 443, \"method\": \"PUT\", "
    "\"body\": {\"type\": \"random\", \"size\": 10}, \"tls-session-reuse\": false, "
    "\"host_from\": \"127.0.0.2\", \"close\": {\"client\": true, \"linger\": 0}}]";

static void test_plan(void **state)
{
    const struct mb_options o = { .cookies = true, .duration_s = 7, .ramp_up_s = 2, .threads = 3, .tls_version = 12 };
    struct mb_plan p;
    struct err err = { 0 };

    if (mb_plan_make(&p, &o, slice_str(REQUESTS), &err) != 0)
        fail_msg("%s", err.what);
    assert_int_equal(p.plan.target_count, 2);
    assert_int_equal(p.plan.connections, 4);
    assert_true(p.plan.cookies);
    assert_true(p.plan.duration_ns == 7 * UINT64_C(1000000000) && p.plan.ramp_up_ns == 2 * UINT64_C(1000000000));
    assert_true(p.plan.tls.insecure && p.plan.tls.min_version == 12 && p.plan.tls.max_version == 12);
    assert_true(p.plan.open_on_demand && p.plan.keep_trying && p.plan.no_retry && p.plan.drain_ns == 0);

    const struct load_target *t = &p.plan.targets[0];
    assert_string_equal(t->url, "http://127.0.0.1:8080/a?token=s3cret");
    assert_string_equal(t->authority, "127.0.0.1");
    assert_true(t->manner->connections == 3 && t->manner->requests_per_connection == 4);
    assert_true(t->manner->requests_per_client == 5 && t->manner->think_first);
    assert_true(t->manner->think_min_ns == NS_PER_MS && t->manner->think_max_ns == 2 * NS_PER_MS);
    assert_true(t->manner->think_ramp_ns == 6 * NS_PER_MS && t->manner->close == LOAD_CLOSE_SERVER);
    assert_true(t->manner->tls_resume == 1 && t->manner->source == NULL && !t->body.present);
    assert_null(strstr(p.names.items[0], "s3cret")); /* secrets never leave */

    t = &p.plan.targets[1];
    assert_string_equal(t->url, "https://[::1]:443/");
    assert_string_equal(t->authority, "[::1]");
    assert_string_equal(p.names.items[1], "PUT https://[::1]:443/");
    assert_true(t->body.present && t->manner->close == LOAD_CLOSE_RESET && t->manner->tls_resume == 0);
    assert_non_null(t->manner->source);
    mb_plan_release(&p);
    (void)state;
}

static const struct record_case {
    const char *why;
    struct load_record record;
    const char *want;
} RECORDS[] = {
    { "the first of a connection starts with connecting",
      { .sent_first_ns = 5000000,
        .end_ns = 9000000,
        .socket_start_ns = 1000000,
        .socket_open_ns = 2000000,
        .socket_ready_ns = 4000000,
        .bytes_sent = 90,
        .bytes_received = 40,
        .on_connection = 1,
        .opened = 1,
        .socket = 7,
        .status = 200,
        .fail = LOAD_OK },
      "1001000,8000,200,90,40,GET /,0,7,1,1,1001000,1000,3000,0,\n" },
    { "the next one with its first byte",
      { .sent_first_ns = 5000000,
        .end_ns = 9000000,
        .socket_start_ns = 1000000,
        .socket_open_ns = 2000000,
        .socket_ready_ns = 2000000,
        .bytes_sent = 90,
        .bytes_received = 40,
        .on_connection = 2,
        .opened = 3,
        .socket = 7,
        .status = 503,
        .fail = LOAD_OK,
        .flags = LOAD_TLS_RESUMED,
        .thread = 2 },
      "1005000,4000,503,90,40,GET /,2,7,3,2,1001000,1000,1000,1,\n" },
    { "nobody was there",
      { .end_ns = 2000000, .socket_start_ns = 1000000, .opened = 1, .socket = -1, .fail = FAIL_CONNECT_REFUSED },
      "1001000,1000,0,0,0,GET /,0,-1,1,0,1001000,0,0,0,socket_write(): connect_refused\n" },
    { "the connection ended: no status, even if one was seen",
      { .sent_first_ns = 5000000,
        .end_ns = 9000000,
        .socket_start_ns = 1000000,
        .socket_open_ns = 2000000,
        .socket_ready_ns = 2000000,
        .on_connection = 1,
        .opened = 1,
        .socket = 7,
        .status = 200,
        .fail = FAIL_TRUNCATED },
      "1001000,8000,0,0,0,GET /,0,7,1,1,1001000,1000,1000,0,socket_read(): connection: truncated\n" },
    { "nonsense came",
      { .sent_first_ns = 5000000,
        .end_ns = 9000000,
        .socket_start_ns = 1000000,
        .socket_open_ns = 2000000,
        .socket_ready_ns = 2000000,
        .on_connection = 1,
        .opened = 1,
        .socket = 7,
        .fail = FAIL_BAD_MESSAGE },
      "1001000,8000,0,0,0,GET /,0,7,1,1,1001000,1000,1000,0,socket_read(): parser: bad_message\n" },
};

static void test_records(void **state)
{
    char *names[] = { (char *)(uintptr_t) "GET /", NULL };
    const struct strlist list = { names, 1 };
    const struct mb_responses responses = { .names = &list, .wall_offset_ns = 1000000000 };

    for (size_t i = 0; i < sizeof(RECORDS) / sizeof(RECORDS[0]); i++) {
        struct buf out;

        buf_init(&out, 4096);
        mb_responses_line(&responses, &RECORDS[i].record, &out);
        buf_add_char(&out, '\0');
        if (strcmp(out.data, RECORDS[i].want) != 0)
            fail_msg("%s: %s", RECORDS[i].why, out.data);
        buf_release(&out);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_records),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
