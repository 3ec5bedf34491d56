/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/ab_options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MAX 12
#define URL "http://h/"

/* What is said on standard error while it parses goes to a file. */
static char said[4096];

static int parse(struct ab_options *o, const char *const *words, int *exit_code)
{
    char *argv[WORDS_MAX + 2] = { (char *)(uintptr_t) "ab" };
    int argc = 1;
    FILE *const file = tmpfile();
    const int kept = dup(STDERR_FILENO);

    assert_non_null(file);
    for (; argc <= WORDS_MAX && words[argc - 1] != NULL; argc++)
        argv[argc] = (char *)(uintptr_t)words[argc - 1];
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    const int rc = ab_options_parse(o, argc, argv, exit_code);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    said[fread(said, 1, sizeof(said) - 1, file)] = '\0';
    fclose(file);
    return rc;
}

static void defaults(void **state)
{
    static const char *const WORDS[] = { URL, NULL };
    struct ab_options o;
    int exit_code;

    (void)state;
    assert_int_equal(parse(&o, WORDS, &exit_code), 0);
    assert_int_equal(o.requests, 1);
    assert_int_equal(o.concurrency, 1);
    assert_int_equal(o.timeout_s, 30);
    assert_int_equal(o.time_limit_s, 0);
    assert_string_equal(o.method, "GET");
    assert_string_equal(o.content_type, "text/plain");
    assert_string_equal(o.td_attributes, "bgcolor=white");
    assert_false(o.has_body || o.keep_alive || o.html || o.quiet || o.variable_length || o.keep_going || o.no_sni);
    ab_options_release(&o);
}

static void counts_by_order(void **state)
{
    static const struct {
        const char *why;
        const char *words[WORDS_MAX];
        uint64_t requests, concurrency, limit;
    } CASES[] = {
        { "-t alone", { "-t", "5", URL }, 50000, 1, 5 },
        { "-n behind -t", { "-t", "5", "-n", "7", URL }, 7, 1, 5 },
        { "-n before -t", { "-n", "7", "-t", "5", URL }, 50000, 1, 5 },
        { "glued", { "-n100", "-c10", URL }, 100, 10, 0 },
        { "clusters", { "-kqn100", "-c", "10", URL }, 100, 10, 0 },
        { "digits in front are taken", { "-n", "12abc", URL }, 12, 1, 0 },
        { "as many as there are", { "-n", "5", "-c", "5", URL }, 5, 5, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct ab_options o;
        int exit_code;
        if (parse(&o, CASES[i].words, &exit_code) != 0 || o.requests != CASES[i].requests ||
            o.concurrency != CASES[i].concurrency || o.time_limit_s != CASES[i].limit)
            fail_msg("%s: %s", CASES[i].why, said);
        ab_options_release(&o);
    }
}

static void urls(void **state)
{
    static const struct {
        const char *why, *url, *host, *path;
        unsigned port;
        bool https, ipv6;
    } CASES[] = {
        { "plain", "http://h/", "h", "/", 80, false, false },
        { "https", "https://h/x", "h", "/x", 443, true, false },
        { "port and query", "http://h:8080/x?y=/z", "h", "/x?y=/z", 8080, false, false },
        { "no scheme", "h:81/x", "h", "/x", 81, false, false },
        { "the fragment is sent", "http://h/x#y", "h", "/x#y", 80, false, false },
        { "IPv6", "http://[::1]:81/", "::1", "/", 81, false, true },
        { "IPv6 without a port", "https://[::1]/", "::1", "/", 443, true, true },
        { "no path", "http://h", NULL, NULL, 0, false, false },
        { "no host", "http:///x", NULL, NULL, 0, false, false },
        { "port 0", "http://h:0/", NULL, NULL, 0, false, false },
        { "port 65536", "http://h:65536/", NULL, NULL, 0, false, false },
        { "no number", "http://h:x/", NULL, NULL, 0, false, false },
        { "another scheme", "ftp://h/", NULL, NULL, 0, false, false },
        { "an open bracket", "http://[::1/", NULL, NULL, 0, false, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const char *const words[] = { CASES[i].url, NULL };
        struct ab_options o;
        int exit_code;
        const int rc = parse(&o, words, &exit_code);
        if (CASES[i].host == NULL) {
            if (rc == 0 || exit_code != 22 || strncmp(said, "ab: invalid URL\nUsage: ", 23) != 0)
                fail_msg("%s: %d, %s", CASES[i].why, exit_code, said);
        } else if (rc != 0 || strcmp(o.hostname, CASES[i].host) != 0 || strcmp(o.path, CASES[i].path) != 0 ||
                   o.port != CASES[i].port || o.https != CASES[i].https || o.hostname_is_ipv6 != CASES[i].ipv6) {
            fail_msg("%s: %s", CASES[i].why, said);
        }
        ab_options_release(&o);
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *why;
        const char *words[WORDS_MAX];
        int exit_code;
        const char *sentence; /* how it begins */
    } CASES[] = {
        { "no URL", { "-k" }, 22, "ab: wrong number of arguments\n" },
        { "two URLs", { URL, URL }, 22, "ab: wrong number of arguments\n" },
        { "options behind the URL", { URL, "-k" }, 22, "ab: wrong number of arguments\n" },
        { "an unknown option ends the options", { "-Y", "-k", URL }, 22, "ab: illegal option -- Y\nab: wrong number" },
        { "no argument", { "-n" }, 22, "ab: option requires an argument -- n\nab: wrong number" },
        { "no requests", { "-n", "0", URL }, 1, "Invalid number of requests\n\n" },
        { "negative", { "-n", "-5", URL }, 1, "Invalid number of requests\n\n" },
        { "more at once than there are", { "-c", "2", URL }, 22, "ab: Cannot use concurrency level greater than" },
        { "none at once", { "-c", "0", URL }, 22, "ab: Invalid concurrency level" },
        { "no time to wait", { "-s", "0", URL }, 22, "ab: Invalid timeout" },
        { "HEAD and POST", { "-i", "-p", "/dev/null", URL }, 1, "Cannot mix POST with other methods\n\n" },
        { "POST and HEAD", { "-p", "/dev/null", "-i", URL }, 1, "Cannot mix HEAD with other methods\n\n" },
        { "POST and PUT", { "-p", "/dev/null", "-u", "/dev/null", URL }, 1, "Cannot mix PUT with other methods\n\n" },
        { "no such file",
          { "-p", "/proc/nonexistent", URL },
          1,
          "ab: Could not open POST data file (/proc/nonexistent): No such file" },
        { "a field with a line break", { "-H", "A: b\r\nC: d", URL }, 22, "ab: header field" },
        { "an old protocol", { "-f", "SSL3", URL }, 22, "ab: unknown or withdrawn protocol SSL3" },
        { "help", { "-h" }, 22, "Usage: ab [options] [http[s]://]hostname[:port]/path\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct ab_options o;
        int exit_code = 0;
        const int rc = parse(&o, CASES[i].words, &exit_code);
        if (rc == 0 || exit_code != CASES[i].exit_code ||
            strncmp(said, CASES[i].sentence, strlen(CASES[i].sentence)) != 0)
            fail_msg("%s: %d, %s", CASES[i].why, exit_code, said);
        ab_options_release(&o);
    }
}

static void an_unknown_option_alone_is_only_said(void **state)
{
    static const char *const WORDS[] = { "-Y", URL, NULL };
    struct ab_options o;
    int exit_code;

    (void)state;
    assert_int_equal(parse(&o, WORDS, &exit_code), 0);
    assert_string_equal(said, "ab: illegal option -- Y\n");
    ab_options_release(&o);
}

static void lines_and_lists(void **state)
{
    static const char *const WORDS[] = { "-C", "a=b",        "-C",     "c=d", "-Au:p", "-P", "Aladdin:open sesame",
                                         "-X", "proxy:3128", "-HX: y", URL,   NULL };
    static const char *const MORE[] = { "-X", "proxy",     "-f", "tls1.2", "-x", "t",
                                        "-p", "/dev/null", "-m", "PATCH",  URL,  NULL };
    struct ab_options o;
    int exit_code;

    (void)state;
    assert_int_equal(parse(&o, WORDS, &exit_code), 0);
    assert_string_equal(o.cookie, "Cookie: c=d");
    assert_string_equal(o.authorization, "Authorization: Basic dTpw");
    assert_string_equal(o.proxy_authorization, "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    assert_string_equal(o.proxy, "proxy:3128");
    assert_int_equal(o.headers.count, 1);
    assert_string_equal(o.headers.items[0], "X: y");
    ab_options_release(&o);
    assert_int_equal(parse(&o, MORE, &exit_code), 0);
    assert_string_equal(o.proxy, "proxy:80");
    assert_int_equal(o.tls_min, 12);
    assert_int_equal(o.tls_max, 12);
    assert_true(o.html && o.has_body);
    assert_string_equal(o.method, "PATCH");
    ab_options_release(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(counts_by_order),
        cmocka_unit_test(urls),
        cmocka_unit_test(refusals),
        cmocka_unit_test(an_unknown_option_alone_is_only_said),
        cmocka_unit_test(lines_and_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
