/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "live/server.h"

#include <stdlib.h>
#include <string.h>

#include "sample_live.h"

static void test_answers(void **state)
{
    static const struct {
        const char *request, *begins, *holds, *why;
    } CASES[] = {
        { "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\n", "<!doctype html>", "the page" },
        { "GET /live.json HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\n", "\"format\": \"plimsoll-live\"", "" },
        { "GET /metrics?x=1 HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n", "plimsoll_live_ok_total 14000\n",
          "a query is fine" },
        { "HEAD /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\n", "Content-Length: ", "" },
        { "GET /other HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 404 ", "/metrics", "it says what there is" },
        { "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 405 ", "Allow: GET, HEAD", "" },
        { "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 ", "", "no Host" },
        { "\x16\x03\x01 hello\r\n\r\n", "HTTP/1.1 400 ", "", "TLS, or garbage" },
        { "GET / HTTP/1.1\r\nHost: a\r\n", NULL, "", "more must come" },
        { "", NULL, "", "nothing yet" },
    };
    struct live_figures *x = sample_figures();
    struct buf out;

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        bool done;

        buf_init(&out, 2 << 20);
        done = live_answer(&out, slice_str(CASES[i].request), x);
        assert_int_equal(done, CASES[i].begins != NULL);
        if (done && (!buf_ok(&out) || !slice_starts(buf_slice(&out), slice_str(CASES[i].begins)) ||
                     slice_find_slice(buf_slice(&out), slice_str(CASES[i].holds)) < 0))
            fail_msg("%s (%s): %.200s", CASES[i].request, CASES[i].why, out.data);
        buf_release(&out);
    }
    free(x);
}

static void test_a_head_has_no_body(void **state)
{
    struct live_figures *x = sample_figures();
    struct buf out;

    buf_init(&out, 2 << 20);
    assert_true(live_answer(&out, SLICE("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"), x));
    assert_true(slice_ends(buf_slice(&out), SLICE("\r\n\r\n")));
    buf_release(&out);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_answers), cmocka_unit_test(test_a_head_has_no_body) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
