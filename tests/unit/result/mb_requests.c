/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mb's request file: every member with its default, what is forgiven, and what is refused with its place. */
#include "result/mb_requests.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char FULL[] =
    "[{\"host_from\": \"127.0.0.2\", \"host\": \"a.test\", \"port\": 8080,"
    " \"tcp\": {\"keep-alive\": {\"enable\": true, \"idle\": 1, \"intvl\": 2, \"cnt\": 3}},"
    " \"scheme\": \"https\", \"tls-session-reuse\": false, \"method\": \"POST\", \"path\": \"/p?q=1\","
    " \"headers\": {\"X-B\": \"2\", \"X-A\": \"1\", \"X-Empty\": \"\"},"
    " \"body\": {\"type\": \"content\", \"content\": \"hello\", \"size\": 7},"
    " \"max-requests\": 9, \"keep-alive-requests\": 4, \"clients\": 5, \"delay\": {\"min\": 10, \"max\": 20},"
    " \"close\": {\"client\": true, \"linger\": 0}, \"ramp-up\": 30}]";

static void test_every_member(void **state)
{
    struct mb_requests list;
    struct err err = { 0 };

    if (mb_requests_read(&list, slice_str(FULL), &err) != 0)
        fail_msg("%s", err.what);
    const struct mb_request *r = &list.items[0];
    assert_int_equal(list.count, 1);
    assert_string_equal(r->host_from, "127.0.0.2");
    assert_string_equal(r->host, "a.test");
    assert_int_equal(r->port, 8080);
    assert_true(r->https);
    assert_false(r->tls_session_reuse);
    assert_string_equal(r->method, "POST");
    assert_string_equal(r->path, "/p?q=1");
    assert_int_equal(r->fields.count, 3);
    assert_string_equal(r->fields.items[0], "X-B: 2"); /* in the file's order */
    assert_string_equal(r->fields.items[1], "X-A: 1");
    assert_string_equal(r->fields.items[2], "X-Empty;");
    assert_string_equal(r->body, "hello");
    assert_int_equal(r->random_bytes, 0);
    assert_int_equal(r->max_requests, 9);
    assert_int_equal(r->keep_alive_requests, 4);
    assert_int_equal(r->clients, 5);
    assert_int_equal(r->delay_min_ms, 10);
    assert_int_equal(r->delay_max_ms, 20);
    assert_int_equal(r->ramp_up_ms, 30);
    assert_true(r->close_client && r->has_linger && r->linger_s == 0);
    assert_true(r->tcp_keep_alive);
    assert_true(r->tcp_idle_s == 1 && r->tcp_interval_s == 2 && r->tcp_probes == 3);
    mb_requests_release(&list);
    (void)state;
}

static void test_defaults(void **state)
{
    struct mb_requests list;
    struct err err = { 0 };

    if (mb_requests_read(&list, SLICE("[{\"host\": \"a.test\"}, {\"host\": \"b.test\", \"scheme\": \"https\"}]"),
                         &err) != 0)
        fail_msg("%s", err.what);
    const struct mb_request *r = &list.items[0];
    assert_int_equal(list.count, 2);
    assert_null(r->host_from);
    assert_int_equal(r->port, 80);
    assert_false(r->https);
    assert_true(r->tls_session_reuse);
    assert_string_equal(r->method, "GET");
    assert_string_equal(r->path, "/");
    assert_null(r->body);
    assert_int_equal(r->clients, 1);
    assert_int_equal(r->keep_alive_requests + r->max_requests + r->delay_max_ms + r->ramp_up_ms, 0);
    assert_false(r->close_client || r->has_linger || r->tcp_keep_alive);
    assert_int_equal(list.items[1].port, 80); /* for https too */
    mb_requests_release(&list);
    (void)state;
}

static const struct taken_case {
    const char *why, *json, *path;
} TAKEN[] = {
    { "a comma before the end of the list", "[{\"host\": \"a\"},]", "/" },
    { "and of an object, with space between", "[{\"host\": \"a\", \"delay\": {\"max\": 1 ,\n\t} , } ]", "/" },
    { "commas and brackets in texts stay", "[{\"host\": \"a\", \"path\": \"/,]x,}\"}]", "/,]x,}" },
    { "quotes in texts too", "[{\"host\": \"a\", \"path\": \"/\\\",]\\\\\"}]", "/\",]\\" },
    { "a body as a plain string", "[{\"host\": \"a\", \"body\": \"b\"}]", "/" },
    { "null is as if it were not there", "[{\"host\": \"a\", \"path\": null, \"body\": null}]", "/" },
};

static void test_taken(void **state)
{
    for (size_t i = 0; i < sizeof(TAKEN) / sizeof(TAKEN[0]); i++) {
        struct mb_requests list;
        struct err err = { 0 };

        if (mb_requests_read(&list, slice_str(TAKEN[i].json), &err) != 0)
            fail_msg("%s: %s", TAKEN[i].why, err.what);
        assert_string_equal(list.items[0].path, TAKEN[i].path);
        mb_requests_release(&list);
    }
    (void)state;
}

static const struct refused_case {
    const char *why, *json, *what;
} REFUSED[] = {
    { "nothing", "", "line " },
    { "an object", "{}", "must be a list" },
    { "an empty list", "[]", "empty" },
    { "a list of numbers", "[1]", "request 1: must be an object" },
    { "no host", "[{}]", "request 1: \"host\" is missing" },
    { "an empty host", "[{\"host\": \"\"}]", "\"host\" is missing" },
    { "the second one", "[{\"host\": \"a\"}, {\"host\": 1}]", "request 2: \"host\" must be a string" },
    { "unknown member", "[{\"host\": \"a\", \"hots\": 1}]", "unknown member \"hots\"" },
    { "unknown member of body", "[{\"host\": \"a\", \"body\": {\"text\": \"\"}}]", "unknown member \"text\"" },
    { "unknown member of close", "[{\"host\": \"a\", \"close\": {\"who\": 1}}]", "unknown member \"who\"" },
    { "unknown member of tcp", "[{\"host\": \"a\", \"tcp\": {\"nodelay\": 1}}]", "unknown member \"nodelay\"" },
    { "port 0", "[{\"host\": \"a\", \"port\": 0}]", "\"port\" must be from 1" },
    { "port 70000", "[{\"host\": \"a\", \"port\": 70000}]", "\"port\" must be from 1" },
    { "port as text", "[{\"host\": \"a\", \"port\": \"80\"}]", "\"port\" must be a whole number" },
    { "scheme", "[{\"host\": \"a\", \"scheme\": \"ws\"}]", "not \"ws\"" },
    { "no clients", "[{\"host\": \"a\", \"clients\": 0}]", "\"clients\" must be from 1 to 50000" },
    { "too many", "[{\"host\": \"a\", \"clients\": 50001}]", "\"clients\" must be from 1 to 50000" },
    { "negative", "[{\"host\": \"a\", \"max-requests\": -1}]", "not negative" },
    { "delay upside down", "[{\"host\": \"a\", \"delay\": {\"min\": 3, \"max\": 2}}]",
      "\"min\" 3 is above its \"max\" 2" },
    { "delay as a number", "[{\"host\": \"a\", \"delay\": 3}]", "\"delay\" must be an object" },
    { "a header that is a number", "[{\"host\": \"a\", \"headers\": {\"X\": 1}}]", "header \"X\" must be a string" },
    { "an unknown kind of body", "[{\"host\": \"a\", \"body\": {\"type\": \"file\"}}]", "not \"file\"" },
    { "a random body without size", "[{\"host\": \"a\", \"body\": {\"type\": \"random\"}}]", "needs its \"size\"" },
    { "two commas", "[{\"host\": \"a\",,}]", "line 1" },
    { "the line is that of the file", "[\n\n{\"host\": }]", "line 3" },
    { "cut short", "[{\"host\": \"a\"", "line 1" },
};

/* Each lies at the end of an unreadable page. */
static void test_refused(void **state)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    for (size_t i = 0; i < sizeof(REFUSED) / sizeof(REFUSED[0]); i++) {
        const struct refused_case *t = &REFUSED[i];
        const size_t len = strlen(t->json);
        struct mb_requests list;
        struct err err = { 0 };

        memcpy(memory + page - len, t->json, len);
        if (mb_requests_read(&list, slice_from(memory + page - len, len), &err) == 0)
            fail_msg("%s: was taken", t->why);
        mb_requests_release(&list);
        if (strstr(err.what, t->what) == NULL || strstr(err.what, "invalid request file") == NULL)
            fail_msg("%s: \"%s\"", t->why, err.what);
    }
    munmap(memory, 2 * page);
    (void)state;
}

/* A good file cut anywhere is refused, and nothing leaks. */
static void test_cut_anywhere(void **state)
{
    for (size_t len = 0; len < sizeof(FULL) - 1; len++) {
        struct mb_requests list;

        if (mb_requests_read(&list, slice_from(FULL, len), NULL) == 0)
            fail_msg("the first %zu bytes were taken", len);
        mb_requests_release(&list);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_member), cmocka_unit_test(test_defaults),     cmocka_unit_test(test_taken),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_cut_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
