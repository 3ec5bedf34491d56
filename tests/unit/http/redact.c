/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/redact.h"

#include "../base/edge.h"

static struct edge edge;

struct text_case {
    const char *why, *in, *out;
};

static void check(const struct text_case *cases, size_t count, void (*redact)(struct buf *out, struct slice in))
{
    for (size_t i = 0; i < count; i++) {
        struct buf out;
        buf_init(&out, 10000);
        redact(&out, edge_put(&edge, cases[i].in, strlen(cases[i].in)));
        if (!buf_ok(&out) || !slice_eq(buf_slice(&out), slice_str(cases[i].out)))
            fail_msg("%s: '%.*s'", cases[i].why, SLICE_FMT(buf_slice(&out)));
        buf_release(&out);
    }
}

static void urls(void **state)
{
    static const struct text_case CASES[] = {
        { "nothing secret", "http://h:80/a?b=c&d=e#f", "http://h:80/a?b=c&d=e#f" },
        { "credentials", "http://u:p@h/", "http://***@h/" },
        { "a user alone may be a token", "https://ghp_abc@h/", "https://***@h/" },
        { "the last '@'", "http://u:p@q@h/@x", "http://***@h/@x" },
        { "a raw slash in a password", "http://u:p/q@h/", "http://***@h/" },
        { "a port and an '@' in the path", "http://h:80/a@b", "http://h:80/a@b" },
        { "IPv6 and an '@' in the path", "http://[::1]/a@b", "http://[::1]/a@b" },
        { "no scheme", "//u:p@h/", "//***@h/" },
        { "AWS",
          "https://s3/b?X-Amz-Algorithm=AWS4&X-Amz-Credential=AK%2F1&X-Amz-Signature=00ff&X-Amz-Security-Token=t",
          "https://s3/b?X-Amz-Algorithm=AWS4&X-Amz-Credential=***&X-Amz-Signature=***&X-Amz-Security-Token=***" },
        { "AWS of old", "http://s3/b?AWSAccessKeyId=AK&Expires=1&Signature=a%2Fb",
          "http://s3/b?AWSAccessKeyId=***&Expires=1&Signature=***" },
        { "Google", "http://g/b?X-Goog-Signature=a&X-Goog-Date=d", "http://g/b?X-Goog-Signature=***&X-Goog-Date=d" },
        { "Azure", "http://a/b?sv=2020&sig=a%3D&se=1", "http://a/b?sv=2020&sig=***&se=1" },
        { "names of the list", "/?token=a&access_token=b&key=c&api_key=d&secret=e&password=f&apiKey=g",
          "/?token=***&access_token=***&key=***&api_key=***&secret=***&password=***&apiKey=***" },
        { "endings", "/?my_token=a&x-key=b&client_secret=c&userPassword=d",
          "/?my_token=***&x-key=***&client_secret=***&userPassword=***" },
        { "any case", "/?TOKEN=a&Sig=b", "/?TOKEN=***&Sig=***" },
        { "escaped letters of a name", "/?t%6fken=a&%6Bey=b", "/?t%6fken=***&%6Bey=***" },
        { "words that only contain them", "/?monkey=a&keyboard=b&tokens=c&design=d",
          "/?monkey=a&keyboard=b&tokens=c&design=d" },
        { "separators of old", "/?a=b;token=c", "/?a=b;token=***" },
        { "an '=' in a value", "/?token=a=b&c=d", "/?token=***&c=d" },
        { "an escaped '&' belongs to a value", "/?token=a%26b&c=d", "/?token=***&c=d" },
        { "in the fragment, as OAuth has it", "http://h/#access_token=a&state=b",
          "http://h/#access_token=***&state=b" },
        { "empty value", "/?token=&a=b", "/?token=***&a=b" },
        { "a URL in a URL", "http://h/?next=https%3A%2F%2Fu%3Ap%40g%2F%3Ftoken%3Da%26b%3Dc&d=e",
          "http://h/?next=https%3A%2F%2F***@g%2F%3Ftoken%3D***%26b%3Dc&d=e" },
        { "several in a sentence", "GET http://u:p@h/ failed, see \"http://v:q@g/?key=a\" too",
          "GET http://***@h/ failed, see \"http://***@g/?key=***\" too" },
        { "a quote in a password", "http://u:p\"q@h/", "http://***@h/" },
        { "JSON", "{\"user\": \"u\", \"password\" : \"a\\\"b\", \"api_key\":12,\"x\":1}",
          "{\"user\": \"u\", \"password\" : \"***\", \"api_key\":\"***\",\"x\":1}" },
        { "JSON cut short", "{\"token\":\"abc", "{\"token\":\"***\"" },
        { "a form", "user=u&password=p", "user=u&password=***" },
        { "a scheme of authentication in prose", "got Bearer abcdefgh.ijk-l_m= and more", "got Bearer *** and more" },
        { "a field in prose", "sent \"Authorization: Basic a b\" and got 401",
          "sent \"Authorization: ***\" and got 401" },
        { "a field up to the line's end", "a\nX-Auth-Token:a b\nc", "a\nX-Auth-Token:***\nc" },
        { "a word behind a name", "password: abc, token:\tdef ghi", "password: *** token:\t*** ghi" },
        { "hosts, and names that say little", "token:8080 my-host:80 key: none auth: no sid: 7",
          "token:8080 my-host:80 key: none auth: no sid: 7" },
        { "nothing behind a name", "Authorization: \nx password: ", "Authorization: \nx password: " },
        { "prose", "Bearer tokens, Basic realm=\"x\"", "Bearer tokens, Basic realm=\"x\"" },
        { "empty", "", "" },
    };

    (void)state;
    check(CASES, sizeof(CASES) / sizeof(CASES[0]), redact_url);
}

static void field_lines(void **state)
{
    static const struct text_case CASES[] = {
        { "plain", "Host: example\r\n", "Host: example\r\n" },
        { "Authorization", "Authorization: Basic YTpi\r\n", "Authorization: ***\r\n" },
        { "any case, no blank, LF", "aUTHORIZATION:Basic YTpi\n", "aUTHORIZATION: ***\n" },
        { "no line break", "Proxy-Authorization: x", "Proxy-Authorization: ***" },
        { "Cookie", "Cookie: a=b; c=d", "Cookie: ***" },
        { "Set-Cookie", "Set-Cookie: a=b; Path=/", "Set-Cookie: ***" },
        { "keys and tokens", "X-Api-Key: abc", "X-Api-Key: ***" },
        { "an ending", "X-Vault-Token: abc", "X-Vault-Token: ***" },
        { "another", "Client-Secret: abc", "Client-Secret: ***" },
        { "and another", "X-Db-Password: abc", "X-Db-Password: ***" },
        { "somebody else's authorization", "X-Forwarded-Authorization: abc", "X-Forwarded-Authorization: ***" },
        { "a blank before the colon", "Authorization : abc", "Authorization : ***" },
        { "a URL in a value", "Location: http://u:p@h/?token=a\r\n", "Location: http://***@h/?token=***\r\n" },
        { "no colon", "token=abc", "token=***" },
        { "only a name", "Cookie:", "Cookie: ***" },
    };

    (void)state;
    check(CASES, sizeof(CASES) / sizeof(CASES[0]), redact_field_line);
}

static void heads(void **state)
{
    static const struct text_case CASES[] = {
        { "a request", "GET /?key=a HTTP/1.1\r\nHost: h\r\nCookie: a\r\n\r\n",
          "GET /?key=*** HTTP/1.1\r\nHost: h\r\nCookie: ***\r\n\r\n" },
        { "a reply", "HTTP/1.1 200 OK\nSet-Cookie: a\nA: b\n\n", "HTTP/1.1 200 OK\nSet-Cookie: ***\nA: b\n\n" },
        { "folded secrets", "Cookie: a\r\n b=c\r\n\td\r\nA: b\r\n c\r\n",
          "Cookie: ***\r\n ***\r\n ***\r\nA: b\r\n c\r\n" },
        { "behind a bare CR", "A: b\rCookie: c\r\n", "A: b\rCookie: ***\r\n" },
        { "unprintable bytes", "A: \x01\xff\t\x7f\x1b[0m\r\n", "A: \\x01\\xff\\x09\\x7f\\x1b[0m\r\n" },
        { "unprintable and secret", "A: \x01?token=\xff&b\r\n", "A: \\x01?token=***&b\r\n" },
        { "no line break at the end", "Cookie: abc", "Cookie: ***" },
    };

    (void)state;
    check(CASES, sizeof(CASES) / sizeof(CASES[0]), redact_head);
}

static void arguments(void **state)
{
    static const struct {
        const char *why, *before, *word, *out;
    } CASES[] = {
        { "a program", "", "plimsoll", "plimsoll" },
        { "a URL", "load", "http://u:p@h/?token=a", "http://***@h/?token=***" },
        { "-u", "-u", "user:pass", "***" },
        { "-u glued", "load", "-uuser:pass", "-u***" },
        { "-u behind flags", "-ku", "user:pass", "***" },
        { "-u glued behind flags", "load", "-k4uuser:pass", "-k4u***" },
        { "--user", "--user", "user:pass", "***" },
        { "--user=", "load", "--user=user:pass", "--user=***" },
        { "cut short", "load", "--us=user:pass", "--us=***" },
        { "cut short, apart", "--us", "user:pass", "***" },
        { "--auth-bearer", "--auth-bearer", "abc", "***" },
        { "--auth-bearer from a file", "--auth-bearer", "@/run/token", "@/run/token" },
        { "--auth-bearer from the environment", "load", "--auth-bearer=env:TOKEN", "--auth-bearer=env:TOKEN" },
        { "-H secret", "-H", "Authorization: Bearer a", "Authorization: ***" },
        { "-H harmless", "-H", "Accept: text/html", "Accept: text/html" },
        { "-H glued", "load", "-HCookie: a", "-HCookie: ***" },
        { "--header=", "load", "--header=X-Api-Key: a", "--header=X-Api-Key: ***" },
        { "ab's -C", "-C", "session=abc", "***" },
        { "ab's -A glued", "ab", "-Auser:pass", "-A***" },
        { "ab's -P", "-P", "user:pass", "***" },
        { "a file of keys is a name", "load", "--key=client.pem", "--key=client.pem" },
        { "and apart", "--key", "client.pem", "client.pem" },
        { "an option that begins alike", "load", "--user-agent=x", "--user-agent=x" },
        { "counts", "-c", "100", "100" },
        { "a long flag", "load", "--insecure", "--insecure" },
        { "a body", "--body", "user=u&password=p", "user=u&password=***" },
        { "a body glued", "load", "--body=password=p", "--body=password=***" },
        { "a proxy", "--proxy", "user:pass@proxy:3128", "***@proxy:3128" },
        { "a value is no option", "--name", "-", "-" },
        { "a password, apart", "--password", "p", "***" },
        { "a token of any kind", "x", "--api-token=abc", "--api-token=***" },
        { "curl's -sH", "-sH", "Authorization: Bearer a", "Authorization: ***" },
        { "curl's --proxy-user", "--proxy-user", "a:b", "***" },
        { "a script as a word", "-c", "curl -u a:b http://h/", "curl -u *** http://h/" },
        { "-p", "-p", "hunter2", "***" },
        { "-p glued", "mysql", "-phunter2", "-p***" },
        { "-p is a port", "-p", "2222", "2222" },
        { "-p is two ports", "-p", "80:8080", "80:8080" },
        { "-p is a path", "-p", "target/app.jar", "target/app.jar" },
        { "-p is an option alone", "-p", "-v", "-v" },
        { "an option with one dash", "find", "-print", "-print" },
        { "--", "--", "http://u:p@h/", "http://***@h/" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct buf out;
        buf_init(&out, 10000);
        redact_argument(&out, slice_str(CASES[i].before), edge_put(&edge, CASES[i].word, strlen(CASES[i].word)));
        if (!slice_eq(buf_slice(&out), slice_str(CASES[i].out)))
            fail_msg("%s: '%.*s'", CASES[i].why, SLICE_FMT(buf_slice(&out)));
        buf_release(&out);
    }
}

static void commands(void **state)
{
    static const struct text_case CASES[] = {
        { "nothing secret", "curl -sf 'http://h/a b' | wc -c; echo \"$X\"",
          "curl -sf 'http://h/a b' | wc -c; echo \"$X\"" },
        { "-u", "curl -u a:b http://h/|cat", "curl -u *** http://h/|cat" },
        { "-u in quotes", "curl -u 'a:b c' http://h/", "curl -u *** http://h/" },
        { "a field", "curl -H 'Authorization: Bearer a' x", "curl -H 'Authorization: ***' x" },
        { "a field that something prints", "echo 'Authorization: Bearer a'; x", "echo 'Authorization: ***'; x" },
        { "one without quotes and blank", "echo X-Api-Key:a b", "echo X-Api-Key:***" },
        { "within a shell", "sh -c \"echo 'Cookie: a=b; c=d'; x\"", "sh -c \"echo 'Cookie: ***'; x\"" },
        { "a variable", "PASSWORD=x cmd && TOKEN='y z' cmd", "PASSWORD=*** cmd && TOKEN=*** cmd" },
        { "a URL", "curl \"http://u:p@h/?token=t\"", "curl http://***@h/?token=***" },
        { "a shell in a shell", "sh -c 'mysql --password x'", "sh -c mysql --password ***" },
        { "an open quote", "curl -u 'a:b", "curl -u ***" },
        { "nothing", "", "" },
    };

    check(CASES, sizeof(CASES) / sizeof(CASES[0]), redact_command);
    (void)state;
}

static void outputs(void **state)
{
    static const struct text_case CASES[] = {
        { "several lines", "can't\n-u a:b\nCookie: a\nsee http://u:p@h/\n",
          "can't\n-u ***\nCookie: ***\nsee http://***@h/\n" },
        { "no line break at the end", "--password a", "--password ***" },
        { "empty lines", "\n\na\n\n", "\n\na\n\n" },
        { "nothing", "", "" },
    };

    check(CASES, sizeof(CASES) / sizeof(CASES[0]), redact_output);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls),      cmocka_unit_test(field_lines), cmocka_unit_test(heads),
        cmocka_unit_test(arguments), cmocka_unit_test(commands),    cmocka_unit_test(outputs),
    };

    edge = edge_new();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    edge_free(&edge);
    return failed;
}
