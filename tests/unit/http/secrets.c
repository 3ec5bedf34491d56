/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Secrets that a request carried, found again in any text. */
#include "http/secrets.h"

#include "../base/edge.h"

#define HEAD                                                                                                  \
    "GET /x?a=1&token=Tok3nInQuery&b=2 HTTP/1.1\r\nHost: a.test\r\nAuthorization: Basic YWxpY2U6U2VzYW1l\r\n" \
    "X-Api-Key: k3yk3y\r\nCookie: theme=dark; id=abcdefgh\r\nX-Token: abc\r\nAccept: */*\r\n\r\nsent body: k3y"

static struct edge edge;

static const struct {
    const char *why, *in, *out;
} CASES[] = {
    { "nothing", "", "" },
    { "no secret", "plain text", "plain text" },
    { "as it was sent", "you sent Basic YWxpY2U6U2VzYW1l, no", "you sent ***, no" },
    { "base64 alone", "[YWxpY2U6U2VzYW1l]", "[***]" },
    { "what it stands for", "alice:Sesame", "***" },
    { "the password alone, and again", "Sesame Sesame", "*** ***" },
    { "the user is no secret", "alice, you", "alice, you" },
    { "a key", "key=k3yk3y.", "key=***." },
    { "of the query", "Tok3nInQuery", "***" },
    { "a cookie", "abcdefgh", "***" },
    { "the whole field", "theme=dark; id=abcdefgh", "***" },
    { "a short cookie is a word", "dark", "dark" },
    { "a short token is too short to mask", "abc", "abc" },
    { "no secret field", "*/* a.test", "*/* a.test" },
    { "cut at the end", "it was Tok3nIn", "it was ***" },
    { "cut too early to tell", "it was Tok", "it was Tok" },
    { "begun but another", "Tok3nInBody", "Tok3nInBody" },
};

static void test_mask(void **state)
{
    struct strlist secrets = STRLIST_INIT;

    assert_true(secrets_add_head(&secrets, edge_put(&edge, HEAD, strlen(HEAD))));
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct buf text;

        buf_init(&text, 1000);
        buf_add_str(&text, "Sesame:");
        buf_add_str(&text, CASES[i].in);
        secrets_mask(&secrets, &text, 7);
        if (!slice_eq(slice_drop(buf_slice(&text), 7), slice_str(CASES[i].out)) ||
            !slice_eq(slice_take(buf_slice(&text), 7), SLICE("Sesame:")))
            fail_msg("%s: \"%.*s\"", CASES[i].why, SLICE_FMT(buf_slice(&text)));
        buf_release(&text);
    }
    strlist_release(&secrets);
    (void)state;
}

static const struct {
    const char *why, *text, *secret;
} TEXTS[] = {
    { "a form", "user=alice&password=Sesame&x=1", "Sesame" },
    { "JSON", "{\"user\": \"alice\", \"password\": \"Sesame\"}", "Sesame" },
    { "a number", "{\"pass\": 123456}", "123456" },
    { "a URL's user", "http://alice:Sesame@h/", "Sesame" },
    { "a scheme", "Bearer abcdefgh12", "abcdefgh12" },
    { "a quoted parameter", "token=\"Sesame\"", "Sesame" },
    { "too short to mask", "password=abc", NULL },
    { "none", "{\"user\": \"alice\"}", NULL },
};

static void test_texts(void **state)
{
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
        struct strlist secrets = STRLIST_INIT;

        assert_true(secrets_add_text(&secrets, edge_put(&edge, TEXTS[i].text, strlen(TEXTS[i].text))));
        if (secrets.count != (TEXTS[i].secret != NULL) ||
            (secrets.count > 0 && strcmp(secrets.items[0], TEXTS[i].secret) != 0))
            fail_msg("%s: %zu, \"%s\"", TEXTS[i].why, secrets.count, secrets.count > 0 ? secrets.items[0] : "");
        strlist_release(&secrets);
    }
    (void)state;
}

static void test_requests(void **state)
{
    struct strlist secrets = STRLIST_INIT;

    assert_true(secrets_add_request(&secrets, SLICE("POST / HTTP/1.1\r\nX-Api-Key: k3yk3y\r\n\r\npassword=Sesame")));
    assert_int_equal(secrets.count, 2);
    assert_true(secrets_add_named(&secrets, SLICE("token"), SLICE("more-of-it")));
    assert_true(secrets_add_named(&secrets, SLICE("name"), SLICE("no secret")));
    assert_int_equal(secrets.count, 3);
    strlist_release(&secrets);
    (void)state;
}

static void test_commands(void **state)
{
    static const char *const WORDS[] = {
        "sh",         "-c",           "mysql -u root -phunter2 | curl -u alice:Sesame 'http://h/?token=abcd1234'",
        "--password", "W0rdOfIts0wn", "-p",
        "2222",       "-c",           "echo 'Authorization: Bearer T0kenOfAField'",
    };
    static const char *const WANT[] = { "root",     "hunter2",      "alice:Sesame",         "Sesame",
                                        "abcd1234", "W0rdOfIts0wn", "Bearer T0kenOfAField", "T0kenOfAField" };
    struct strlist secrets = STRLIST_INIT;

    assert_true(secrets_add_command(&secrets, WORDS, sizeof(WORDS) / sizeof(WORDS[0])));
    assert_int_equal(secrets.count, sizeof(WANT) / sizeof(WANT[0]));
    for (size_t i = 0; i < secrets.count; i++)
        assert_string_equal(secrets.items[i], WANT[i]);
    strlist_release(&secrets);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_mask), cmocka_unit_test(test_texts),
                                        cmocka_unit_test(test_requests), cmocka_unit_test(test_commands) };

    edge = edge_new();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    edge_free(&edge);
    return failed;
}
