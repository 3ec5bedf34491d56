/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every allocation of the room fails in turn: what was asked for fails, or is right; nothing crashes, no secret gets
 * out. */
#include "http/redact.h"
#include "http/request.h"
#include "http/url.h"

#include "alloc_fail.h"

#include <string.h>

static void building_a_request(void **state)
{
    struct strlist fields = STRLIST_INIT;
    bool refused = true;

    (void)state;
    assert_true(strlist_add(&fields, SLICE("A: b")));
    const struct request_spec spec = {
        .method = SLICE("GET"), .target = SLICE("/"), .authority = SLICE("h"), .version = HTTP_1_1, .fields = &fields
    };
    for (unsigned nth = 1; refused; nth++) {
        struct buf out;
        struct err err = { 0 };
        buf_init(&out, 1 << 20);
        alloc_fail_at(nth);
        const int rc = request_build(&out, &spec, &err);
        refused = alloc_fail_end();
        assert_int_equal(rc, refused ? -1 : 0);
        assert_true(rc == 0 || err.what[0] != '\0');
        buf_release(&out);
    }
    strlist_release(&fields);
}

static void refusing_a_field(void **state)
{
    bool refused = true;

    (void)state;
    for (unsigned nth = 1; refused; nth++) {
        struct err err = { 0 };
        alloc_fail_at(nth);
        const int rc = request_check_field(SLICE("Cookie: hunter2\r\n"), &err);
        refused = alloc_fail_end();
        assert_int_equal(rc, -1);
        assert_int_equal(err.kind, ERR_USAGE);
        assert_null(strstr(err.what, "hunter2"));
    }
}

static void refusing_a_url(void **state)
{
    bool refused = true;

    (void)state;
    for (unsigned nth = 1; refused; nth++) {
        struct err err = { 0 };
        struct url u;
        alloc_fail_at(nth);
        const int rc = url_parse(&u, SLICE("http://u:hunter2@h:0/"), &err);
        refused = alloc_fail_end();
        assert_int_equal(rc, -1);
        assert_non_null(strstr(err.what, "port out of range"));
        assert_null(strstr(err.what, "hunter2"));
    }
}

static void redacting(void **state)
{
    static const char HEAD[] =
        "GET /?token=hunter2 HTTP/1.1\r\nCookie: hunter2\r\n hunter2\r\nA: http://u:hunter2@h/\r\n\r\n";
    bool refused = true;

    (void)state;
    for (unsigned nth = 1; refused; nth++) {
        struct buf out;
        buf_init(&out, 1 << 20);
        alloc_fail_at(nth);
        redact_head(&out, slice_str(HEAD));
        refused = alloc_fail_end();
        assert_int_equal(buf_ok(&out), !refused);
        assert_true(out.len == 0 || strstr(out.data, "hunter2") == NULL);
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(building_a_request),
        cmocka_unit_test(refusing_a_field),
        cmocka_unit_test(refusing_a_url),
        cmocka_unit_test(redacting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
