/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_options.h"

#include <stdlib.h>
#include <string.h>

#include "argv.h"
#include "base/units.h"

#define URL "http://127.0.0.1:3000/"

struct parsed {
    struct load_options options;
    struct strlist argv;
    struct err err;
    bool help;
    int status;
};

static struct parsed parse(const char *line)
{
    struct parsed p = { .argv = argv_of(line) };

    load_options_init(&p.options);
    p.status = load_options_parse(&p.options, (int)p.argv.count, p.argv.items, &p.help, &p.err);
    return p;
}

static void release(struct parsed *p)
{
    load_options_release(&p->options);
    strlist_release(&p->argv);
}

static void test_defaults(void **state)
{
    struct parsed p = parse(URL);

    assert_int_equal(p.status, 0);
    assert_int_equal(p.options.connections, 10);
    assert_int_equal(p.options.duration_ns, 10 * (uint64_t)NS_PER_S);
    assert_int_equal(p.options.requests, 0);
    assert_int_equal(p.options.timeout_ns, 30 * (uint64_t)NS_PER_S);
    assert_int_equal(p.options.connect_timeout_ns, 5 * (uint64_t)NS_PER_S);
    assert_int_equal(p.options.drain_ns, NS_PER_S);
    assert_true(p.options.max_errors > 0.0099 && p.options.max_errors < 0.0101);
    assert_false(p.options.has_expect_status || p.options.has_seed || p.options.strict || p.options.insecure);
    release(&p);
}

static void test_time_and_count(void **state)
{
    static const struct {
        const char *why, *line;
        uint64_t duration_ns, requests;
    } CASES[] = {
        { "by time", "-d|3s|" URL, 3 * (uint64_t)NS_PER_S, 0 },
        { "by count: no time limit of our own", "-n|103|" URL, 0, 103 },
        { "whichever comes first", "-n|10k|-d|1m30s|" URL, 90 * (uint64_t)NS_PER_S, 10000 },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct parsed p = parse(CASES[i].line);

        if (p.status != 0 || p.options.duration_ns != CASES[i].duration_ns || p.options.requests != CASES[i].requests)
            fail_msg("%s: %s", CASES[i].why, p.err.what);
        release(&p);
    }
}

/* Lists that are accepted, as what they stand for. */
static void test_expect_status(void **state)
{
    static const struct {
        const char *why, *list;
        unsigned count; /* statuses in it */
        unsigned in, out;
    } CASES[] = {
        { "one", "204", 1, 204, 200 },
        { "a class", "5xx", 100, 503, 499 },
        { "a class in capitals", "2XX", 100, 299, 300 },
        { "a range includes its ends", "200-299", 100, 299, 300 },
        { "a range of one", "404-404", 1, 404, 405 },
        { "all kinds, overlapping", "200,404,5xx,200-299", 201, 404, 403 },
        { "blanks around commas", "200, 404", 2, 404, 201 },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        char line[256];
        unsigned count = 0;
        struct parsed p;

        snprintf(line, sizeof(line), "--expect-status|%s|" URL, CASES[i].list);
        p = parse(line);
        for (size_t status = 0; status < STATUS_MAX; status++)
            count += p.options.expect_status[status];
        if (p.status != 0 || !p.options.has_expect_status || count != CASES[i].count ||
            !p.options.expect_status[CASES[i].in] || p.options.expect_status[CASES[i].out])
            fail_msg("%s: %u %s", CASES[i].why, count, p.err.what);
        release(&p);
    }
}

static void test_percentiles(void **state)
{
    struct parsed p = parse("--percentiles|50,99.95,10,99.95|" URL);

    assert_int_equal(p.status, 0);
    assert_int_equal(p.options.percentile_count, 2); /* 50 is there anyway, 99.95 once */
    assert_true(p.options.percentiles[0] > 99.94 && p.options.percentiles[0] < 99.96);
    assert_true(p.options.percentiles[1] > 9.99 && p.options.percentiles[1] < 10.01);
    release(&p);
}

static void test_several_of_a_kind(void **state)
{
    struct parsed p = parse("-H|A: 1|" URL
                            "|-H|B;|https://[::1]:8443/x?y=1|--label|a=1|--label|b=|--source|127.0.0.2,127.0.0.3"
                            "|--resolve|a.test:443:127.0.0.1,[::1]|--resolve|b.test:*:127.0.0.2|--save-failures|a:b:7");

    if (p.status != 0)
        fail_msg("%s", p.err.what);
    assert_int_equal(p.options.urls.count, 2);
    assert_int_equal(p.options.fields.count, 2);
    assert_int_equal(p.options.labels.count, 2);
    assert_int_equal(p.options.sources.count, 2);
    assert_int_equal(p.options.overrides.count, 2);
    assert_string_equal(p.options.failures_dir, "a:b");
    assert_int_equal(p.options.failures_max, 7);
    release(&p);
}

/* Each is refused before anything is sent, says the value, and how to mend it. */
static void test_bad_input(void **state)
{
    static const struct {
        const char *why, *line, *what, *hint;
    } CASES[] = {
        { "missing URL", "-c|3", "no URL", "http://" },
        { "another scheme", "ftp://x/", "ftp://x/", "http" },
        { "no scheme", "localhost:3000", "localhost:3000", "http://localhost:3000" },
        { "no scheme and a password", "joe:hush@h/", "***@h/", "http" },
        { "port 0", "http://x:0/", "http://x:0/", "65535" },
        { "port above all", "http://x:70000/", "http://x:70000/", "65535" },
        { "no host", "http:///x", "http:///x", "" },
        { "a space in a URL", "http://h/a b", "http://h/a b", "" },
        { "no connections", "-c|0|" URL, "\"0\"", "1" },
        { "connections in scientific notation", "-c|1e9|" URL, "\"1e9\"", "10k" },
        { "too many connections", "-c|1000000000|" URL, "\"1000000000\"", "1000000" },
        { "negative connections", "-c|-5|" URL, "\"-5\"", "10" },
        { "half a connection", "-c|1.5|" URL, "\"1.5\"", "10" },
        { "duration without unit", "-d|5|" URL, "\"5\"", "5s" },
        { "no duration", "-d|0s|" URL, "\"0s\"", "30s" },
        { "negative duration", "-d|-5s|" URL, "\"-5s\"", "1.5s" },
        { "endless duration", "-d|inf|" URL, "\"inf\"", "1.5s" },
        { "too long a duration", "-d|99999h|" URL, "\"99999h\"", "30s" },
        { "no requests", "-n|0|" URL, "\"0\"", "1" },
        { "requests that overflow", "-n|99999999999999999999|" URL, "99999999999999999999", "10k" },
        { "no threads", "-t|0|" URL, "\"0\"", "1" },
        { "more threads than connections", "-t|3|-c|2|" URL, "3", "-t 2" },
        { "no time-out at all", "--timeout|0s|" URL, "\"0s\"", "5s" },
        { "a time-out beyond the histograms", "--timeout|2h|" URL, "\"2h\"", "1 h" },
        { "no time to connect", "--connect-timeout|0ms|" URL, "\"0ms\"", "2s" },
        { "a drain beyond the histograms", "--drain|61m|" URL, "\"61m\"", "5s" },
        { "warm-up without unit", "--warmup|5|" URL, "\"5\"", "5s" },
        { "a method with a space", "-X|GET /|" URL, "\"GET /\"", "-X PUT" },
        { "no method", "-X||" URL, "\"\"", "-X PUT" },
        { "a header with a line break", "-H|A: b\r\nC: d|" URL, "A: b", "Name: value" },
        { "a header without colon", "-H|nonsense|" URL, "nonsense", "Name: value" },
        { "a header with a secret and a line break", "-H|Authorization: hush\n|" URL, "Authorization: ***",
          "Name: value" },
        { "a user without colon", "-u|hush|" URL, "-u/--user", "NAME:PASSWORD" },
        { "a user with a line break", "-u|joe:hush\n|" URL, "\\x0a", "line breaks" },
        { "no token", "--auth-bearer||" URL, "\"\"", "@FILE" },
        { "no file for a token", "--auth-bearer|@|" URL, "\"@\"", "@FILE" },
        { "no variable for a token", "--auth-bearer|env:|" URL, "\"env:\"", "env:NAME" },
        { "a token with a line break", "--auth-bearer|hush\nx|" URL, "\\x0a", "line breaks" },
        { "no status", "--expect-status||" URL, "\"\"", "200" },
        { "a status of two digits", "--expect-status|99|" URL, "\"99\"", "200" },
        { "a status of four digits", "--expect-status|2000|" URL, "\"2000\"", "200" },
        { "half a class", "--expect-status|2x|" URL, "\"2x\"", "2xx" },
        { "class zero", "--expect-status|0xx|" URL, "\"0xx\"", "2xx" },
        { "a range backwards", "--expect-status|300-200|" URL, "\"300-200\"", "200-299" },
        { "a range of classes", "--expect-status|2xx-3xx|" URL, "\"2xx-3xx\"", "200-299" },
        { "a list with a hole", "--expect-status|200,,404|" URL, "\"\"", "200" },
        { "a share above all", "--max-errors|200%|" URL, "\"200%\"", "1%" },
        { "a share that is none", "--max-errors|few|" URL, "\"few\"", "1%" },
        { "percentile 0", "--percentiles|0|" URL, "\"0\"", "99.95" },
        { "percentile above 100", "--percentiles|50,100.1|" URL, "\"100.1\"", "99.95" },
        { "a percentile that is none", "--percentiles|p99|" URL, "\"p99\"", "99.95" },
        { "a hexadecimal percentile", "--percentiles|0x50|" URL, "\"0x50\"", "99.95" },
        { "a percentile that ends in a point", "--percentiles|50.|" URL, "\"50.\"", "99.95" },
        { "failures without a number", "--save-failures|dir|" URL, "\"dir\"", "dir" },
        { "failures without a directory", "--save-failures|:5|" URL, "\":5\"", "failures:20" },
        { "no failures to keep", "--save-failures|dir:0|" URL, "\"dir:0\"", "failures:20" },
        { "unknown progress", "--progress|loud|" URL, "\"loud\"", "json" },
        { "a label without =", "--label|a|" URL, "\"a\"", "commit=" },
        { "a label without key", "--label|=a|" URL, "\"=a\"", "commit=" },
        { "a label twice", "--label|a=1|--label|a=2|" URL, "\"a\"", "drop one" },
        { "a name with a line break", "--name|a\nb|" URL, "\\x0a", "line breaks" },
        { "half of --resolve", "--resolve|a.test:443|" URL, "\"a.test:443\"", "HOST:PORT:ADDRESS" },
        { "--resolve to a name", "--resolve|a.test:443:b.test|" URL, "b.test", "127.0.0.1" },
        { "--resolve with a port above all", "--resolve|a.test:70000:127.0.0.1|" URL, "70000", "HOST:PORT:ADDRESS" },
        { "a source that is a name", "--source|localhost|" URL, "localhost", "127.0.0.1" },
        { "one good source and one bad", "--source|127.0.0.1,x|" URL, "\"x\"", "127.0.0.1" },
        { "no Unix socket", "--unix-socket||" URL, "--unix-socket", "" },
        { "a seed that JSON can not keep", "--seed|9007199254740992|" URL, "9007199254740992", "9007199254740991" },
        { "unknown option", "--wram-up|5s|" URL, "\"--wram-up\"", "--help" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct parsed p = parse(CASES[i].line);

        if (p.status != -1 || err_exit_code(p.err.kind) != 2 || strstr(p.err.what, CASES[i].what) == NULL ||
            strstr(p.err.hint, CASES[i].hint) == NULL || p.err.hint[0] == '\0')
            fail_msg("%s: %d %s / %s", CASES[i].why, p.status, p.err.what, p.err.hint);
        if (strstr(p.err.what, "hush") != NULL || strstr(p.err.hint, "hush") != NULL)
            fail_msg("%s: the message tells the secret: %s / %s", CASES[i].why, p.err.what, p.err.hint);
        release(&p);
    }
}

static void test_contradictions(void **state)
{
    static const struct {
        const char *why, *line, *first, *second;
    } CASES[] = {
        { "two bodies", "--body|x|-T|/dev/null|" URL, "--body", "--upload-file" },
        { "two versions", "--http1.0|--http1.1|" URL, "--http1.0", "--http1.1" },
        { "no verification, against a file", "-k|--cacert|ca.pem|" URL, "--insecure", "--cacert" },
        { "two families", "-4|-6|" URL, "-4", "-6" },
        { "user and token", "-u|a:b|--auth-bearer|c|" URL, "--user", "--auth-bearer" },
        { "user and field", "-u|a:b|-H|authorization: c|" URL, "Authorization", "--user" },
        { "token and field", "--auth-bearer|a|-H|Authorization: c|" URL, "Authorization", "--auth-bearer" },
        { "user and user in the URL", "-u|a:b|http://c:d@h/", "the URL", "--user" },
        { "field and user in the second URL", "-H|Authorization: x|" URL "|http://c:d@h/", "the URL", "Authorization" },
        { "IPv4 alone from an IPv6 address", "-4|--source|::1|" URL, "-4", "::1" },
        { "IPv6 alone from an IPv4 address", "-6|--source|127.0.0.1|" URL, "-6", "127.0.0.1" },
        { "a Unix socket from an address", "--unix-socket|/s|--source|127.0.0.1|" URL, "--unix-socket", "--source" },
        { "a Unix socket and a name's address", "--unix-socket|/s|--resolve|h:80:127.0.0.1|" URL, "--unix-socket",
          "--resolve" },
        { "a Unix socket and looking up", "--unix-socket|/s|--re-resolve|" URL, "--unix-socket", "--re-resolve" },
        { "a Unix socket and another place", "--unix-socket|/s|--connect-to|h:80|" URL, "--unix-socket",
          "--connect-to" },
        { "a Unix socket and a proxy", "--unix-socket|/s|--proxy|http://h:80|" URL, "--unix-socket", "--proxy" },
        { "a proxy and another place", "--proxy|http://h:80|--connect-to|h:80|" URL, "--proxy", "--connect-to" },
        { "a proxy and HTTP/2 in plain", "--proxy|http://h:80|--h2c|" URL, "--proxy", "--h2c" },
        { "versions upside down", "--tls-min|1.3|--tls-max|1.2|" URL, "--tls-min", "--tls-max" },
        { "a key of nothing", "--key|k.pem|" URL, "--key", "--cert" },
        { "h2 without HTTP/2", "--alpn|http/1.1, h2|https://h/", "--alpn", "h2" },
        { "HTTP/2 without h2", "--http2|--alpn|http/1.1|https://h/", "--http2", "--alpn" },
        { "an end of connections that have none", "--close|client|" URL, "--close", "" },
        { "a Unix socket of IPv4", "--unix-socket|/s|-4|" URL, "--unix-socket", "-4" },
        { "two documents on standard output", "--json|-|--csv|-|" URL, "--json", "--csv" },
        { "two outputs in one file", "--hdr|x|--log|x|" URL, "--hdr", "--log" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct parsed p = parse(CASES[i].line);

        if (p.status != -1 || p.err.kind != ERR_USAGE || strstr(p.err.what, CASES[i].first) == NULL ||
            strstr(p.err.what, CASES[i].second) == NULL || p.err.hint[0] == '\0')
            fail_msg("%s: %d %s / %s", CASES[i].why, p.status, p.err.what, p.err.hint);
        release(&p);
    }
}

static void test_not_contradictions(void **state)
{
    static const char *const LINES[] = {
        "-d|1s|-n|5|" URL,
        "--json|/dev/null|--csv|/dev/null|" URL,
        "-4|--source|127.0.0.1|" URL,
        "-k|--sni|a.test|" URL,
        "-t|20|" URL "|http://b.test/",
        "-H|Authorization-Info: x|-u|a:b|" URL,
        "http://a:b@h/|http://c/",
        "--tls-min|1.2|--tls-max|1.2|" URL,
        "--http2|--alpn|h2,http/1.1|https://h/",
        "--close|reset|--http1.0|" URL,
        "--proxy|http://h:80|--http2|https://h/",
    };

    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++) {
        struct parsed p = parse(LINES[i]);

        if (p.status != 0)
            fail_msg("%s: %s", LINES[i], p.err.what);
        release(&p);
    }
}

static void test_stored_command(void **state)
{
    struct parsed p = parse("--proxy|http://joe:hush@h:3128|-H|Authorization: hush|--header=Cookie: hush|-H|Accept: "
                            "x|--body|{\"password\":\"hush\"}|"
                            "http://h/?sig=hush|--sni|a.test");
    struct buf all;

    if (p.status != 0)
        fail_msg("%s", p.err.what);
    buf_init(&all, 4096);
    for (size_t i = 0; i < p.options.command.count; i++)
        buf_printf(&all, "%s|", p.options.command.items[i]);
    assert_null(strstr(all.data, "hush"));
    assert_non_null(strstr(all.data, "Accept: x|"));
    assert_non_null(strstr(all.data, "Authorization: ***|"));
    assert_non_null(strstr(all.data, "--sni|a.test|"));
    buf_release(&all);
    release(&p);
}

static void test_bodies_in_the_stored_command(void **state)
{
    static const struct {
        const char *why, *body, *want;
    } CASES[] = {
        { "a harmless body stays", "--body|a=1&b=2|" URL, "a=1&b=2" },
        { "a file's name stays", "--body|@secret.json|" URL, "@secret.json" },
        { "a form with a secret", "--body|user=joe&token=hush|" URL, "***" },
        { "JSON with a secret", "--body|{\"apiKey\":\"hush\"}|" URL, "***" },
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct parsed p = parse(CASES[i].body);

        assert_int_equal(p.status, 0);
        if (strcmp(p.options.command.items[2], CASES[i].want) != 0)
            fail_msg("%s: %s", CASES[i].why, p.options.command.items[2]);
        release(&p);
    }
}

/* Every row can be explained: a help text, and an example where a value is needed. */
static void test_rows_are_complete(void **state)
{
    for (const struct option_row *row = load_options_table()->rows; row->name != NULL || row->heading != NULL; row++) {
        if (row->heading != NULL)
            continue;
        assert_non_null(row->help);
        if (row->argument != NULL && row->example == NULL)
            fail_msg("--%s has no example", row->name);
        if (row->parse == NULL)
            assert_string_equal(row->name, "help");
    }
}

/* What an option makes no sense without. */
static const char *company(const char *name)
{
    if (strcmp(name, "arrivals") == 0 || strcmp(name, "grow") == 0 || strcmp(name, "max-in-flight") == 0)
        return "--rate|5|";
    if (strcmp(name, "close") == 0)
        return "--requests-per-connection|1|";
    if (strcmp(name, "streams") == 0)
        return "--h2c|";
    if (strcmp(name, "of") == 0)
        return "--share|auto|";
    if (strcmp(name, "clock-check") == 0)
        return "--start-at|+30s|";
    if (strcmp(name, "feed-order") == 0)
        return "--feed|users.csv|";
    return strcmp(name, "key") == 0 ? "--cert|client.pem|" : "";
}

static void test_examples_are_right(void **state)
{
    assert_int_equal(setenv("JOB_COMPLETION_INDEX", "0", 1), 0);
    for (const struct option_row *row = load_options_table()->rows; row->name != NULL || row->heading != NULL; row++) {
        char line[512];
        struct parsed p;

        if (row->heading != NULL || row->argument == NULL || strchr(row->example, '\'') != NULL)
            continue;
        snprintf(line, sizeof(line), "%s--%s|%s%s", company(row->name), row->name, row->example,
                 strcmp(row->name, "targets") == 0 ? "" : "|" URL);
        p = parse(line);
        if (p.status != 0)
            fail_msg("--%s %s: %s", row->name, row->example, p.err.what);
        release(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),          cmocka_unit_test(test_time_and_count),
        cmocka_unit_test(test_expect_status),     cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_several_of_a_kind), cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_contradictions),    cmocka_unit_test(test_not_contradictions),
        cmocka_unit_test(test_stored_command),    cmocka_unit_test(test_bodies_in_the_stored_command),
        cmocka_unit_test(test_rows_are_complete), cmocka_unit_test(test_examples_are_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
