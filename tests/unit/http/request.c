/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/request.h"

#include <string.h>

static struct strlist fields_of(const char *const *texts)
{
    struct strlist list = STRLIST_INIT;

    for (; texts != NULL && *texts != NULL; texts++)
        assert_true(strlist_add(&list, slice_str(*texts)));
    return list;
}

#define LINE "GET /x HTTP/1.1\r\n"
#define OURS "Host: h\r\nUser-Agent: ua\r\nAccept: */*\r\n"

static const struct build_case {
    const char *why;
    struct request_spec spec; /* method, target, authority and user_agent are filled in when empty */
    const char *fields[6];
    const char *want;
} BUILDS[] = {
    { "plain", { .version = HTTP_1_1 }, { NULL }, LINE OURS "\r\n" },
    { "1.0", { .version = HTTP_1_0 }, { NULL }, "GET /x HTTP/1.0\r\n" OURS "\r\n" },
    { "1.0 kept alive",
      { .version = HTTP_1_0, .keep_alive = true },
      { NULL },
      "GET /x HTTP/1.0\r\n" OURS "Connection: keep-alive\r\n\r\n" },
    { "close", { .version = HTTP_1_1, .close = true }, { NULL }, LINE OURS "Connection: close\r\n\r\n" },
    { "close before keep-alive",
      { .version = HTTP_1_1, .close = true, .keep_alive = true },
      { NULL },
      LINE OURS "Connection: close\r\n\r\n" },
    { "the user's fields as given", { .version = HTTP_1_1 }, { "A:b", "C:   d " }, LINE OURS "A:b\r\nC:   d \r\n\r\n" },
    { "the user's in place of ours",
      { .version = HTTP_1_1, .close = true },
      { "host: g", "ACCEPT: t", "Connection: x", "user-agent: z" },
      LINE "host: g\r\nACCEPT: t\r\nConnection: x\r\nuser-agent: z\r\n\r\n" },
    { "taken out", { .version = HTTP_1_1 }, { "User-Agent:", "Accept: ", "X:" }, LINE "Host: h\r\n\r\n" },
    { "without value",
      { .version = HTTP_1_1 },
      { "X;", "Accept;" },
      LINE "Host: h\r\nUser-Agent: ua\r\nX:\r\nAccept:\r\n\r\n" },
    { "authorization",
      { .version = HTTP_1_1, .authorization = { "Basic x", 7 } },
      { NULL },
      LINE OURS "Authorization: Basic x\r\n\r\n" },
    { "the user's authorization",
      { .version = HTTP_1_1, .authorization = { "Basic x", 7 } },
      { "authorization: y" },
      LINE OURS "authorization: y\r\n\r\n" },
    { "a body",
      { .method = { "POST", 4 },
        .version = HTTP_1_1,
        .has_body = true,
        .body_bytes = 5368709120,
        .content_type = { "a/b", 3 } },
      { NULL },
      "POST /x HTTP/1.1\r\n" OURS "Content-Type: a/b\r\nContent-Length: 5368709120\r\n\r\n" },
    { "the user's type",
      { .method = { "PUT", 3 }, .version = HTTP_1_1, .has_body = true, .body_bytes = 1, .content_type = { "a/b", 3 } },
      { "content-type: c" },
      "PUT /x HTTP/1.1\r\n" OURS "content-type: c\r\nContent-Length: 1\r\n\r\n" },
    { "an empty body",
      { .method = { "POST", 4 }, .version = HTTP_1_1, .has_body = true },
      { NULL },
      "POST /x HTTP/1.1\r\n" OURS "Content-Length: 0\r\n\r\n" },
    { "a method that expects one",
      { .method = { "PUT", 3 }, .version = HTTP_1_1 },
      { NULL },
      "PUT /x HTTP/1.1\r\n" OURS "Content-Length: 0\r\n\r\n" },
    { "a body where none is usual",
      { .version = HTTP_1_1, .has_body = true, .body_bytes = 2 },
      { NULL },
      LINE OURS "Content-Length: 2\r\n\r\n" },
    { "the user's length, if right",
      { .method = { "POST", 4 }, .version = HTTP_1_1, .has_body = true, .body_bytes = 2 },
      { "Content-length: 2", "A: b" },
      "POST /x HTTP/1.1\r\n" OURS "Content-length: 2\r\nA: b\r\n\r\n" },
};

static void requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(BUILDS) / sizeof(BUILDS[0]); i++) {
        struct request_spec spec = BUILDS[i].spec;
        struct strlist fields = fields_of(BUILDS[i].fields);
        struct err err = { 0 };
        struct buf out;
        buf_init(&out, 4096);
        if (spec.method.len == 0)
            spec.method = SLICE("GET");
        spec.target = SLICE("/x");
        spec.authority = SLICE("h");
        spec.user_agent = SLICE("ua");
        spec.fields = &fields;
        if (request_build(&out, &spec, &err) != 0)
            fail_msg("%s: %s", BUILDS[i].why, err.what);
        if (!slice_eq(buf_slice(&out), slice_str(BUILDS[i].want)))
            fail_msg("%s:\n%.*s", BUILDS[i].why, SLICE_FMT(buf_slice(&out)));
        buf_release(&out);
        strlist_release(&fields);
    }
}

static void our_user_agent(void **state)
{
    struct request_spec spec = { .method = SLICE("GET"), .target = SLICE("*"), .version = HTTP_1_1 };
    struct buf out;

    (void)state;
    buf_init(&out, 4096);
    assert_int_equal(request_build(&out, &spec, NULL), 0);
    assert_true(slice_starts(buf_slice(&out), SLICE("GET * HTTP/1.1\r\nHost:\r\nUser-Agent: plimsoll/")));
    buf_release(&out);
}

static void refused_requests(void **state)
{
    static const struct {
        const char *why;
        struct request_spec spec;
        const char *field, *sentence;
    } CASES[] = {
        { "no method", { .target = { "/", 1 } }, "", "is no request method" },
        { "a method with a blank", { .method = { "GE T", 4 }, .target = { "/", 1 } }, "", "is no request method" },
        { "a line break in the target",
          { .method = { "GET", 3 }, .target = { "/\r\n", 3 } },
          "",
          "in the request target" },
        { "no target", { .method = { "GET", 3 } }, "", "empty request target" },
        { "a line break in Host",
          { .method = { "GET", 3 }, .target = { "/", 1 }, .authority = { "a\nb", 3 } },
          "",
          "in a request field" },
        { "a line break", { .method = { "GET", 3 }, .target = { "/", 1 } }, "A: b\r\nC: d", "has a line break" },
        { "another", { .method = { "GET", 3 }, .target = { "/", 1 } }, "A: b\n", "has a line break" },
        { "no colon", { .method = { "GET", 3 }, .target = { "/", 1 } }, "Accept", "has no colon" },
        { "a blank in the name", { .method = { "GET", 3 }, .target = { "/", 1 } }, "A b: c", "has no valid name" },
        { "no name", { .method = { "GET", 3 }, .target = { "/", 1 } }, ": c", "has no valid name" },
        { "a control", { .method = { "GET", 3 }, .target = { "/", 1 } }, "A: \x01", "has a control character" },
        { "a length that is wrong",
          { .method = { "GET", 3 }, .target = { "/", 1 } },
          "Content-Length: 5",
          "contradicts the length" },
        { "a length taken out of a body",
          { .method = { "PUT", 3 }, .target = { "/", 1 }, .has_body = true, .body_bytes = 5 },
          "Content-Length:",
          "contradicts the length" },
        { "a coding",
          { .method = { "PUT", 3 }, .target = { "/", 1 } },
          "transfer-encoding: chunked",
          "contradicts the body" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const char *const texts[] = { CASES[i].field, NULL };
        struct strlist fields = fields_of(CASES[i].field[0] != '\0' ? texts : NULL);
        struct request_spec spec = CASES[i].spec;
        struct err err = { 0 };
        struct buf out;
        buf_init(&out, 4096);
        spec.fields = &fields;
        spec.version = HTTP_1_1;
        if (request_build(&out, &spec, &err) == 0)
            fail_msg("%s: accepted", CASES[i].why);
        if (err.kind != ERR_USAGE || strstr(err.what, CASES[i].sentence) == NULL)
            fail_msg("%s: '%s'", CASES[i].why, err.what);
        buf_release(&out);
        strlist_release(&fields);
    }
}

static void refused_fields_keep_secrets(void **state)
{
    static const char *const FIELDS[] = { "Authorization: Bearer hunter2hunter2\r\n", "Cookie: hunter2\x01",
                                          "Bearer hunter2hunter2", "Authorization: a\r\n hunter2" };

    (void)state;
    for (size_t i = 0; i < sizeof(FIELDS) / sizeof(FIELDS[0]); i++) {
        struct err err = { 0 };
        assert_int_equal(request_check_field(slice_str(FIELDS[i]), &err), -1);
        if (strstr(err.what, "hunter2") != NULL || strchr(err.what, '\n') != NULL)
            fail_msg("shown: %s", err.what);
    }
    struct err err = { 0 };
    assert_int_equal(request_check_field(slice_from("A: b\0c", 6), &err), -1);
    assert_non_null(strstr(err.what, "has a NUL"));
}

static void a_head_too_long_for_its_buffer(void **state)
{
    struct request_spec spec = { .method = SLICE("GET"), .target = SLICE("/"), .version = HTTP_1_1 };
    struct buf out;

    (void)state;
    buf_init(&out, 20);
    assert_int_equal(request_build(&out, &spec, NULL), -1);
    buf_release(&out);
}

static void idempotent_methods(void **state)
{
    static const char *const YES[] = { "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE" };
    static const char *const NO[] = { "POST", "PATCH", "CONNECT", "get", "", "GETX" };

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        assert_true(request_method_is_idempotent(slice_str(YES[i])));
        assert_false(request_method_is_idempotent(slice_str(NO[i])));
    }
}

/* RFC 4648's vectors, and RFC 7617's. */
static void basic_authorization(void **state)
{
    static const char *const CASES[][2] = {
        { "", "Basic " },
        { "f", "Basic Zg==" },
        { "fo", "Basic Zm8=" },
        { "foo", "Basic Zm9v" },
        { "foob", "Basic Zm9vYg==" },
        { "fooba", "Basic Zm9vYmE=" },
        { "foobar", "Basic Zm9vYmFy" },
        { "Aladdin:open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==" },
        { "test:123\xc2\xa3", "Basic dGVzdDoxMjPCow==" },
        { "\xff\xef\xbf", "Basic /++/" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct buf out;
        buf_init(&out, 1000);
        request_basic_authorization(&out, slice_str(CASES[i][0]));
        assert_true(slice_eq(buf_slice(&out), slice_str(CASES[i][1])));
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests),
        cmocka_unit_test(our_user_agent),
        cmocka_unit_test(refused_requests),
        cmocka_unit_test(refused_fields_keep_secrets),
        cmocka_unit_test(a_head_too_long_for_its_buffer),
        cmocka_unit_test(idempotent_methods),
        cmocka_unit_test(basic_authorization),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
