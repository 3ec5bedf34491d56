/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "made.h"

#define URL "http://127.0.0.1:3000/"

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Every test works in a directory of its own. */
static int enter_directory(void **state)
{
    char name[] = "/tmp/test-load-inputs-XXXXXX";

    assert_non_null(mkdtemp(name));
    *state = strdup(name);
    return chdir(name);
}

static int leave_directory(void **state)
{
    (void)unlink("file");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(*state), 0);
    free(*state);
    return 0;
}

static void test_methods(void **state)
{
    static const struct {
        const char *why, *line, *method;
    } CASES[] = {
        { "plain", URL, "GET" },
        { "a body makes it POST", "--body|x|" URL, "POST" },
        { "an upload makes it PUT", "-T|file|" URL, "PUT" },
        { "unless said otherwise", "-X|PATCH|--body|x|" URL, "PATCH" },
        { "for uploads too", "-X|POST|-T|file|" URL, "POST" },
        { "without body too", "-X|HEAD|" URL, "HEAD" },
    };

    write_file("file", "content");
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct made m;

        make(&m, CASES[i].line);
        if (m.status != 0 || strcmp(m.in.plan.targets[0].method, CASES[i].method) != 0)
            fail_msg("%s: %s", CASES[i].why, m.err.what);
        release(&m);
    }
}

static void test_bodies(void **state)
{
    static const struct {
        const char *why, *line;
        bool present, from_file;
        const char *bytes;
    } CASES[] = {
        { "none", URL, false, false, "" },
        { "text", "--body|a b\xc3\xa4|" URL, true, false, "a b\xc3\xa4" },
        { "empty text is a body of length 0", "--body||" URL, true, false, "" },
        { "a file, read now", "--body|@file|" URL, true, false, "content\n" },
        { "an upload stays in its file", "-T|file|" URL, true, true, "" },
    };

    write_file("file", "content\n");
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct made m;

        make(&m, CASES[i].line);
        if (m.status != 0)
            fail_msg("%s: %s", CASES[i].why, m.err.what);
        const struct load_body *body = &m.in.plan.targets[0].body;
        if (body->present != CASES[i].present || body->from_file != CASES[i].from_file ||
            !slice_eq(body->bytes, slice_str(CASES[i].bytes)))
            fail_msg("%s: %.*s", CASES[i].why, SLICE_FMT(body->bytes));
        release(&m);
    }
}

static void test_authorization(void **state)
{
    static const struct {
        const char *why, *line, *file, *want;
    } CASES[] = {
        { "none", URL, "", NULL },
        { "user and password (RFC 7617 2)", "-u|Aladdin:open sesame|" URL, "", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==" },
        { "a token", "--auth-bearer|t0k|" URL, "", "Bearer t0k" },
        { "a token in a file, without its line end", "--auth-bearer|@file|" URL, "t0k\n", "Bearer t0k" },
        { "with the other line end", "--auth-bearer|@file|" URL, "t0k\r\n", "Bearer t0k" },
        { "a token in a variable", "--auth-bearer|env:TEST_TOKEN|" URL, "", "Bearer from-env" },
    };

    assert_int_equal(setenv("TEST_TOKEN", "from-env", 1), 0);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct made m;

        write_file("file", CASES[i].file);
        make(&m, CASES[i].line);
        if (m.status != 0)
            fail_msg("%s: %s", CASES[i].why, m.err.what);
        const char *got = m.in.plan.targets[0].authorization;
        if ((got == NULL) != (CASES[i].want == NULL) || (got != NULL && strcmp(got, CASES[i].want) != 0))
            fail_msg("%s: %s", CASES[i].why, got);
        release(&m);
    }
}

static void test_numbers_and_manner(void **state)
{
    struct made m;

    make(&m,
         "-c|7|-t|2|-d|3s|-n|50|--warmup|1s|--timeout|2s|--connect-timeout|1s|--drain|0s|--requests-per-connection|9"
         "|--seed|5|-4|--no-retry|--strict|-k|--sni|a.test|--max-errors|5%|--expect-status|204|" URL "|http://b.test/");
    assert_int_equal(m.status, 0);
    const struct load_plan *p = &m.in.plan;
    assert_int_equal(p->target_count, 2);
    assert_string_equal(p->targets[1].url, "http://b.test/");
    assert_int_equal(p->connections, 7);
    assert_int_equal(p->threads, 2);
    assert_int_equal(p->duration_ns, 3 * (uint64_t)NS_PER_S);
    assert_int_equal(p->requests, 50);
    assert_int_equal(p->warmup_ns, NS_PER_S);
    assert_int_equal(p->timeout_ns, 2 * (uint64_t)NS_PER_S);
    assert_int_equal(p->connect_timeout_ns, NS_PER_S);
    assert_int_equal(p->drain_ns, 0);
    assert_int_equal(p->requests_per_connection, 9);
    assert_int_equal(p->seed, 5);
    assert_int_equal(p->family, AF_INET);
    assert_true(p->no_retry && p->strict && p->tls.insecure);
    assert_string_equal(p->sni, "a.test");
    assert_true(p->expect_status[204] && !p->expect_status[200]);
    release(&m);
}

static void test_random_seeds_can_be_given_again(void **state)
{
    for (int i = 0; i < 50; i++) {
        struct made m;

        make(&m, URL);
        assert_true(m.in.plan.seed < UINT64_C(1) << 53);
        release(&m);
    }
}

static void test_http10_keeps_connections_unless_each_has_one_request(void **state)
{
    static const struct {
        const char *line;
        bool keep_alive;
    } CASES[] = {
        { "--http1.0|" URL, true },
        { "--http1.0|--requests-per-connection|1|" URL, false },
        { "--http1.0|--requests-per-connection|2|" URL, true },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct made m;

        make(&m, CASES[i].line);
        assert_int_equal(m.in.plan.version, HTTP_1_0);
        assert_int_equal(m.in.plan.http10_keep_alive, CASES[i].keep_alive);
        release(&m);
    }
}

static void test_overrides_and_sources(void **state)
{
    struct made m;
    char text[ADDR_TEXT_MAX];

    make(&m, "--resolve|a.test:443:127.0.0.1,[::1]|--resolve|b.test:*:127.0.0.2|--resolve|[::2]:80:127.0.0.1"
             "|--source|127.0.0.2, 127.0.0.3|" URL);
    assert_int_equal(m.status, 0);
    assert_int_equal(m.in.plan.override_count, 3);
    assert_string_equal(m.in.plan.overrides[0].host, "a.test");
    assert_int_equal(m.in.plan.overrides[0].port, 443);
    assert_string_equal(m.in.plan.overrides[0].addresses, "127.0.0.1,[::1]");
    assert_int_equal(m.in.plan.overrides[1].port, 0);
    assert_string_equal(m.in.plan.overrides[2].host, "::2");
    assert_int_equal(m.in.plan.source_count, 2);
    assert_string_equal(addr_format(text, &m.in.plan.sources[1]), "127.0.0.3:0");
    release(&m);
}

static void test_bad_inputs(void **state)
{
    static const struct {
        const char *why, *line, *file, *what;
    } CASES[] = {
        { "no such body", "--body|@none|" URL, "", "none" },
        { "a directory as body", "--body|@/tmp|" URL, "", "/tmp" },
        { "a body without name", "--body|@|" URL, "", "\"@\"" },
        { "no such upload", "-T|none|" URL, "", "none" },
        { "a directory as upload", "-T|/tmp|" URL, "", "/tmp" },
        { "a device as upload", "-T|/dev/null|" URL, "", "/dev/null" },
        { "no such token", "--auth-bearer|@none|" URL, "", "none" },
        { "an empty token", "--auth-bearer|@file|" URL, "\n", "file is empty" },
        { "two lines of token", "--auth-bearer|@file|" URL, "hush\nhush\n", "\\x0a" },
        { "a token with a blank", "--auth-bearer|hush hush|" URL, "", "\\x20" },
        { "no such variable", "--auth-bearer|env:NO_SUCH_VARIABLE|" URL, "", "NO_SUCH_VARIABLE" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct made m;

        write_file("file", CASES[i].file);
        make(&m, CASES[i].line);
        if (m.status != -1 || err_exit_code(m.err.kind) != 2 || strstr(m.err.what, CASES[i].what) == NULL ||
            m.err.hint[0] == '\0' || strstr(m.err.what, "hush") != NULL)
            fail_msg("%s: %d %s / %s", CASES[i].why, m.status, m.err.what, m.err.hint);
        release(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_methods, enter_directory, leave_directory),
        cmocka_unit_test_setup_teardown(test_bodies, enter_directory, leave_directory),
        cmocka_unit_test_setup_teardown(test_authorization, enter_directory, leave_directory),
        cmocka_unit_test(test_numbers_and_manner),
        cmocka_unit_test(test_random_seeds_can_be_given_again),
        cmocka_unit_test(test_http10_keeps_connections_unless_each_has_one_request),
        cmocka_unit_test(test_overrides_and_sources),
        cmocka_unit_test_setup_teardown(test_bad_inputs, enter_directory, leave_directory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
